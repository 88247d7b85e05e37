#!/bin/bash
# SPDX-License-Identifier: MIT
# Machines that are kept booted: the third start goes on from a file, with the host's time and random numbers of its own.
. "$(dirname "$0")/tap.sh"
cd "$WORK" || exit 1
export ANPU_BOOTED=$WORK/booted ANPU_ACCEL=tcg
KEPT=", by a VM that was kept booted"

# start ARGS...: starts a VM whose program says what differs from start to start; out has that, err what anpu-run says
start()
{
	before=$(date +%s)
	"${VM[@]}" --time "$@" sh -c 'date +%s; cat /proc/sys/kernel/random/uuid; head -c 16 /dev/urandom | od -An -tx1' >out 2>err </dev/null
	status=$?
	after=$(date +%s)
}
images()
{
	ls "$ANPU_BOOTED" | grep -cv seen
}

start
start
is "two starts boot, and the second is kept" "$status $(grep -c "$KEPT" err) $(images)" "0 0 1"
start
cp out first
is "the third goes on" "$status $(grep -c "$KEPT" err) $(images)" "0 1 1"
now=$(head -n 1 out)
check "with the host's time" test "$before" -le "$now" -a "$now" -le "$after"
start
is "so does the fourth" "$status $(grep -c "$KEPT" err)" "0 1"
is "and no random number comes twice" "$(tail -qn +2 first out | sort | uniq -d)" ""
start --append nosuch.parameter=1
is "another command line is another machine" "$status $(grep -c "$KEPT" err)" "0 0"
start --cold
is "--cold boots" "$status $(grep -c "$KEPT" err)" "0 0"
ANPU_BOOTED=off start
is "so does ANPU_BOOTED=off" "$status $(grep -c "$KEPT" err)" "0 0"
ANPU_BOOTED=/proc/none start
is "where nothing can be kept it boots without a word" "$status $(grep -vc "the program started after" err)" "0 0"
image=$(find "$ANPU_BOOTED" -type f ! -name '*.seen')
truncate -s 30M "$image"
start
says "a damaged file does not stop a start" "$status $(cat err)" "^0 .*the VM that was kept booted does not go on, so that it boots: "
is "and is deleted" "$(images)" 0

# A driver gives the NPU state that no file has: the machine is not saved any more then.
"$TOP/tests/vm/saved.py" "$WORK" >out 2>&1
is "a machine is saved before its NPU is used, and not after" "$(grep -xE 'completed|failed' out | xargs)" "completed failed"
says "a sentence says why" "$(cat out)" "anpu: the machine cannot be saved or moved since a driver has used the NPU"
finish
