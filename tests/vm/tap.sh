# SPDX-License-Identifier: MIT
# TAP for shell tests: source this, call check or is for each rule, and end with finish.

TESTS=0
FAILURES=0
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WORK=$(mktemp -d "${TMPDIR:-/tmp}/anpu-test.XXXXXX")
chmod 755 "$WORK"
trap 'rm -rf "$WORK"' EXIT

# result STATUS NAME
result()
{
	TESTS=$((TESTS + 1))
	if [ "$1" = 0 ]; then
		echo "ok $TESTS - $2"
	else
		echo "not ok $TESTS - $2"
		FAILURES=$((FAILURES + 1))
	fi
}

# check NAME COMMAND...: the command succeeds
check()
{
	local name=$1 status=0
	shift
	"$@" || status=$?
	result $status "$name"
}

# is NAME GOT WANTED: two strings are equal
is()
{
	[ "$2" = "$3" ]
	local status=$?
	result $status "$1"
	((status == 0)) || printf 'got:    %s\nwanted: %s\n' "$2" "$3" | sed 's/^/# /'
}

# says NAME TEXT PATTERN: the text matches the extended regular expression
says()
{
	grep -qE -- "$3" <<<"$2"
	local status=$?
	result $status "$1"
	((status == 0)) || printf 'got: %s\nwanted a line that matches: %s\n' "$2" "$3" | sed 's/^/# /'
}

skip()
{
	TESTS=$((TESTS + 1))
	echo "ok $TESTS - $1 # SKIP $2"
}

finish()
{
	echo "1..$TESTS"
	exit $((FAILURES > 0))
}

VM=("$TOP/scripts/anpu-run" --no-device --no-module --no-tty --timeout 100)

# A VM without NPU and driver: these tests are about the VM itself.
vm()
{
	"${VM[@]}" "$@"
}
