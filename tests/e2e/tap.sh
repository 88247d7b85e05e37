# SPDX-License-Identifier: MIT
# TAP for the end-to-end scripts: test_that NAME runs the function NAME; it fails with the first command
# that fails in it, and what it printed is shown.

set -u
TOP=$(cd "$(dirname "$0")/../.." && pwd)
WORK=$(mktemp -d "${TMPDIR:-/tmp}/anpu-e2e.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
cd "$TOP" || exit 1
COUNT=0
FAILED=0

# The subshell must not stand in a condition, or set -e would be off in it
test_that()
{
	local status
	COUNT=$((COUNT + 1))
	(set -e; "$1") >"$WORK/output" 2>&1 </dev/null
	status=$?
	if [ $status = 0 ]; then
		echo "ok $COUNT - ${1//_/ }"
		return
	fi
	FAILED=$((FAILED + 1))
	sed 's/^/# /' "$WORK/output"
	echo "not ok $COUNT - ${1//_/ }"
}

# skip NAME REASON
skip()
{
	COUNT=$((COUNT + 1))
	echo "ok $COUNT - $1 # SKIP $2"
}

# Runs a command that must fail with a status and say all of the words that follow --
fails_with()
{
	local wanted=$1 status text word
	shift
	local command=()
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	status=0
	text=$("${command[@]}" 2>&1) || status=$?
	echo "$text"
	if [ "$status" != "$wanted" ]; then
		echo "${command[*]} ended with $status, not $wanted"
		return 1
	fi
	for word; do
		if ! grep -qiF -- "$word" <<<"$text"; then
			echo "${command[*]} did not say '$word'"
			return 1
		fi
	done
}

finish()
{
	echo "1..$COUNT"
	[ $FAILED = 0 ]
}
