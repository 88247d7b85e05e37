#!/bin/bash
# SPDX-License-Identifier: MIT
# Signals, time limits, several VMs at once, terminals, and a kernel that breaks.
. "$(dirname "$0")/tap.sh"
cd "$WORK" || exit 1

# wait_for FILE: until it exists, at most a minute
wait_for()
{
	local i
	for ((i = 0; i < 600; i++)); do
		[ ! -e "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# signal_test NAME SIGNAL HANDLER WANTED
signal_test()
{
	rm -f started
	"${VM[@]}" sh -c "trap '$3' $2; touch started; while :; do sleep 0.1; done" </dev/null >out 2>&1 &
	wait_for started
	kill "-$2" $!
	wait $!
	is "$1" "$? $(cat out)" "$4"
}
signal_test "SIGTERM reaches the program" TERM "echo caught; exit 3" "3 caught"
signal_test "SIGUSR1 reaches the program" USR1 "echo caught; exit 4" "4 caught"
# A background job of a shell ignores SIGINT; env gives anpu-run the default again. The program is a loop because dash, which
# catches SIGINT with -c, loses one that comes right before it executes its last command in its own place.
rm -f started
env --default-signal=INT "${VM[@]}" sh -c 'touch started; while :; do sleep 0.1; done' </dev/null &
wait_for started
kill -INT $!
wait $!
is "a program that SIGINT ends gives 130" $? 130

start=$SECONDS
out=$(vm --timeout 5 sleep 1000 2>&1 </dev/null)
is "--timeout gives 124" $? 124
says "and a sentence" "$out" "^anpu-run: the program did not end within 5 s"
check "in time" test $((SECONDS - start)) -lt 500
out=$(vm --timeout 30 sh -c 'exit 5' </dev/null)
is "a program that is in time is not touched" $? 5
vm --timeout 6 --append anpu.x sh -c 'trap "" TERM INT; sleep 1000' </dev/null 2>/dev/null
is "nor can a program escape it" $? 124

for i in 1 2; do
	vm sh -c "touch up$i; while [ ! -e up1 ] || [ ! -e up2 ]; do sleep 0.1; done; echo $i" </dev/null >"out$i" &
	pids[i]=$!
done
wait "${pids[1]}"
is "the first of two VMs in one directory ends well" "$? $(cat out1)" "0 1"
wait "${pids[2]}"
is "and so does the second" "$? $(cat out2)" "0 2"

out=$(vm sh -c 'echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger' 2>&1 </dev/null)
is "a kernel that panics gives 123" $? 123
says "and its last words" "$out" "Kernel panic - not syncing: sysrq triggered crash"

# boots_badly TIMES: a QEMU whose kernel panics in its first boots, before init is there; "boots" has a line for each boot
boots_badly()
{
	mkdir -p bin
	rm -f boots
	cat >bin/qemu-system-x86_64 <<-SH
		#!/bin/bash
		[[ " \$* " != *" -append "* ]] || echo >>"$WORK/boots"
		for word; do
			[ "\$last" != -append ] || [ "\$(wc -l <"$WORK/boots")" -gt $1 ] || word+=" rdinit=/none init=/none"
			words+=("\$word")
			last=\$word
		done
		exec $(command -v qemu-system-x86_64) "\${words[@]}"
	SH
	chmod +x bin/qemu-system-x86_64
}
boots_badly 1
out=$(ANPU_ACCEL=tcg PATH=$WORK/bin:$PATH vm --cold --smp 2 echo it works 2>&1 </dev/null)
is "two processors whose kernel panics in its boot get another boot" "$? $(wc -l <boots)" "0 2"
says "which is said" "$out" "^anpu-run: the VM's kernel panicked while it booted; it is started once more"
says "and the program runs" "$out" "^it works"
boots_badly 2
out=$(ANPU_ACCEL=tcg PATH=$WORK/bin:$PATH vm --cold --smp 2 echo it works 2>&1 </dev/null)
is "only one" "$? $(wc -l <boots)" "123 2"
says "and its last words are shown" "$out" "Kernel panic - not syncing"
boots_badly 1
out=$(ANPU_ACCEL=tcg PATH=$WORK/bin:$PATH vm --cold --smp 1 echo it works 2>&1 </dev/null)
is "one processor gets none" "$? $(wc -l <boots)" "123 1"

# says_in_log LINE...: anpu-run's status when these are in the kernel's log
says_in_log()
{
	printf '<3>%s\n' "$@" >log
	vm sh -c 'while read -r line; do echo "$line" >/dev/kmsg; done <log' >out 2>&1 </dev/null
}
rule="=================================================================="
says_in_log "WARNING: possible circular locking dependency detected"
is "what lockdep finds gives 123, though it does not taint the kernel" $? 123
says "and is shown" "$(cat out)" "possible circular locking"
says_in_log "UBSAN: shift-out-of-bounds in kernel/memory/anpu_vm.c:1:2"
is "what UBSAN finds, too" $? 123
says_in_log "unreferenced object 0xffff888100000000 (size 64):"
is "what kmemleak finds, too" $? 123
race=("BUG: KCSAN: data-race in a / b" "write to 0xffff888002b9bb10 of 8 bytes by task 7 on cpu 1:")
says_in_log $rule "${race[@]}" " __list_add+0x10/0x20" " anpu_wait_ioctl+0x10/0x20 [anpu]" $rule
is "a data race of the driver, too" $? 123
says_in_log $rule "${race[@]}" " b+0x10/0x20" " c+0x10/0x20" " anpu_wait_ioctl+0x10/0x20 [anpu]" $rule "of [anpu] nothing"
is "a data race deep inside of others is none of ours" $? 0

out=$(vm sh -c 'echo o >/proc/sysrq-trigger; sleep 60' 2>&1 </dev/null)
is "a VM that is switched off gives 125" $? 125
says "and a sentence" "$out" "^anpu-run: the VM stopped before the program ended"
vm --kernel-log-file log true </dev/null
check "--kernel-log-file keeps the kernel's messages" grep -q "Linux version 6" log
says "--kernel-log shows them" "$(vm --kernel-log true 2>&1 </dev/null)" "Linux version 6"
out=$(vm --kernel-log-file /no/such/dir/log true 2>&1 </dev/null)
says "a log file that cannot be made is explained" "$out" "^anpu-run: --kernel-log-file /no/such/dir/log: No such file"
says "--time tells how long the start took" "$(vm --time true 2>&1 </dev/null)" "^anpu-run: the program started after [0-9.]+ s"

rm -f started
"${VM[@]}" sh -c 'touch started; sleep 1000' </dev/null 2>/dev/null &
pid=$!
wait_for started
read -r qemu <"/proc/$pid/task/$pid/children"
kill -KILL $pid
wait $pid 2>/dev/null
for ((i = 0; i < 300; i++)); do
	kill -0 "$qemu" 2>/dev/null || break
	sleep 0.2
done
check "no QEMU outlives a killed anpu-run" test -n "$qemu" -a ! -e "/proc/$qemu/cmdline"

cat >terminal.py <<'PY'
import os, pty, select, struct, fcntl, sys, termios, time
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], "--no-device", "--no-module", "sh"])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
seen = b""
def expect(text):
    global seen
    end = time.monotonic() + 60
    while text not in seen:
        if time.monotonic() > end or not select.select([fd], [], [], 60)[0]:
            sys.exit(f"no {text!r} in {seen!r}")
        seen += os.read(fd, 4096)
    seen = seen[seen.index(text) + len(text):]
expect(b"# ")
os.write(fd, b"tty; stty size\n")
expect(b"/dev/pts/"); expect(b"33 99")
os.write(fd, b"sleep 1000\n"); time.sleep(1)
os.write(fd, b"\x03"); expect(b"# ")
os.write(fd, b"exit 6\n")
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(0 if status == 6 else f"exit status {status}")
PY
check "a program run from a terminal gets one, with its size, Ctrl-C and exit status" \
	/usr/bin/python3 terminal.py "$TOP/scripts/anpu-run"

finish
