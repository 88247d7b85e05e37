# SPDX-License-Identifier: MIT
# What the tests of anpu-op share: source this. They run in an empty directory, with ops.o and mix.o.
. "$(dirname "${BASH_SOURCE[0]}")/../vm/tap.sh"

ANPUCC=$TOP/scripts/anpucc
OP=${OP:-$TOP/build/tools/anpu-op}
# what OP.a leaves to others
MODEL=$TOP/build/model/libanpu-model.a
HERE=$TOP/tests/anpu-op
cd "$WORK" || exit 1
cp "$HERE"/*.c .
for file in ops mix; do
	"$ANPUCC" -Wall -Wextra -Werror -g -o $file.o $file.c || { echo "Bail out! $file.c"; exit 1; }
done

# gives NAME STATUS PATTERN ARGUMENT...: anpu-op ends with STATUS and says a line that matches; TEXT is all of it
gives()
{
	local name=$1 want=$2 pattern=$3 status
	shift 3
	TEXT=$(timeout 60 "$OP" "$@" 2>&1 </dev/null)
	status=$?
	if [ "$status" != "$want" ]; then
		result 1 "$name"
		printf 'status %s, wanted %s\n%s\n' "$status" "$want" "$TEXT" | sed 's/^/# /'
		return
	fi
	says "$name" "$TEXT" "$pattern"
}

# lacks NAME PATTERN: TEXT has no such line
lacks()
{
	! grep -qE -- "$2" <<<"$TEXT"
	local status=$?
	result $status "$1"
	((status == 0)) || sed 's/^/# /' <<<"$TEXT"
}
