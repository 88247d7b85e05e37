#!/bin/bash
# SPDX-License-Identifier: MIT
# Exit status and standard streams of a program in the VM.
. "$(dirname "$0")/tap.sh"
cd "$WORK" || exit 1

vm true </dev/null
is "a program that succeeds gives 0" $? 0
vm sh -c 'exit 7' </dev/null
is "the exit status comes back" $? 7
vm sh -c 'kill -9 $$' </dev/null
is "a program killed by signal 9 gives 137" $? 137

head -c 1048576 /dev/urandom >in
vm cat <in >out
is "cat of 1 MiB ends with 0" $? 0
check "1 MiB of random bytes passes through unchanged" cmp in out
vm sh -c 'cat >&2' <in >out 2>err
check "so it does on standard error" cmp in err
is "and nothing of it appears on standard output" "$(wc -c <out)" 0
cat in | vm wc -c | cat >out
is "input and output may be pipes" "$(cat out)" 1048576

vm sh -c 'echo out; echo err >&2' </dev/null >out 2>err
is "standard output is apart" "$(cat out)" out
is "from standard error" "$(cat err)" err
is "output without a newline at its end is complete" "$(vm printf 'a\nb' </dev/null | od -An -c | tr -d ' ')" 'a\nb'

vm sh -c 'read -r first; echo "$first"' <in >out
is "a program need not read all of its input" $? 0
vm wc -c </dev/null >out
is "the end of the input arrives" "$(cat out)" 0
vm yes </dev/null | head -n 1 >out
is "a reader that goes away ends the writer" "${PIPESTATUS[0]}" 141
vm sh -c 'sleep 1000 & echo done' </dev/null >out
is "a program's leftovers are not waited for" "$(cat out)" done
vm head -c 20000000 /dev/zero </dev/null | { sleep 2; wc -c; } >out
is "a slow reader gets everything" "$(cat out)" 20000000
vm cat <&- >out
is "a closed standard input reads as empty" "$(wc -c <out)" 0

finish
