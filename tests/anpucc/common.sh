# SPDX-License-Identifier: MIT
# What the tests of anpucc share: source this.
. "$(dirname "${BASH_SOURCE[0]}")/../vm/tap.sh"

ANPUCC=$TOP/scripts/anpucc
OP=${OP:-$TOP/build/tools/anpu-op}
OPERATORS=$TOP/build/operators
HERE=$TOP/tests/anpucc
cd "$WORK" || exit 1

# source FILE: standard input becomes an operator's source, after the header
source_file()
{
	{ echo '#include <anpu/anpu_intrin.h>'; cat; } >"$1"
}

# refused NAME PATTERN FILE [OPTION...]: anpucc fails with status 1 and one sentence that matches, no output;
# it looks for its tools in $SEARCH
refused()
{
	local name=$1 pattern=$2 file=$3 text status
	shift 3
	rm -f out.o
	text=$(PATH=${SEARCH:-$PATH} "$ANPUCC" -o out.o "$@" "$file" 2>&1)
	status=$?
	says "$name" "$text" "^anpucc: error: .*$pattern"
	is "$name: status, and no output file" "$status $(ls out.o 2>/dev/null)" "1 "
}

# misused NAME PATTERN ARGUMENT...: a faulty command line: status 2
misused()
{
	local name=$1 pattern=$2 text status
	shift 2
	text=$("$ANPUCC" "$@" 2>&1)
	status=$?
	says "$name" "$text" "^anpucc: error: .*$pattern"
	is "$name: status" "$status" 2
}

# compiles NAME ARGUMENT...: without a word
compiles()
{
	local name=$1 text
	shift
	text=$("$ANPUCC" "$@" 2>&1)
	is "$name" "$? $text" "0 "
}

# runs NAME ARGUMENT...: anpu-op ends with status 0
runs()
{
	local name=$1 text status
	shift
	text=$("$OP" "$@" 2>&1)
	status=$?
	is "$name" "$status" 0
	((status == 0)) || sed 's/^/# /' <<<"$text"
}

# faults NAME PATTERN ARGUMENT...: anpu-op ends with status 3 and a matching line
faults()
{
	local name=$1 pattern=$2 text status
	shift 2
	text=$("$OP" "$@" 2>&1)
	status=$?
	says "$name" "$text" "$pattern"
	is "$name: status" "$status" 3
}
