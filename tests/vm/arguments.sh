#!/bin/bash
# SPDX-License-Identifier: MIT
# Arguments, environment, user and kind of the program that the VM runs.
. "$(dirname "$0")/tap.sh"
cd "$WORK" || exit 1

cat >show.py <<'PY'
#!/usr/bin/python3 -S
import sys, os
print(ascii(sys.argv[1:]), ascii(os.environ.get("ANPU_TEST")), os.getcwd())
PY
chmod +x show.py
export ANPU_TEST=$'two\nlines and "quotes"'
vm ./show.py 'a b' '' $'new\nline' '*' '$HOME' $'\xff' --user -- x </dev/null >out
is "a script in the current directory runs" $? 0
is "arguments, environment and directory arrive unchanged" "$(cat out)" \
	"['a b', '', 'new\\nline', '*', '\$HOME', '\\udcff', '--user', '--', 'x'] 'two\\nlines and \"quotes\"' $WORK"

mkdir 'dir with, commas and spaces'
is "the current directory may have any name" \
	"$(cd 'dir with, commas and spaces' && vm sh -c 'pwd; touch made' </dev/null; ls)" \
	"$WORK/dir with, commas and spaces"$'\n'made

out=$(vm --env 'A=1 2' --env B= sh -c 'echo "$A|${B-unset}|$ANPU_VM|$LD_LIBRARY_PATH"' </dev/null)
is "--env sets variables, and the build's libraries are found" "${out%%:*}" "1 2||1|$TOP/build/lib"

is "the default user is root" "$(vm id -u </dev/null)" 0
is "--user takes a name" "$(vm --user nobody sh -c 'id -u; id -g' </dev/null | xargs)" "$(id -u nobody) $(id -g nobody)"
is "--user takes uid:gid" "$(vm --user 1234:567 sh -c 'id -u; id -g' </dev/null | xargs)" "1234 567"
out=$(vm --user no-such-user true 2>&1 </dev/null)
is "an unknown user is an error" $? 125
says "that names the user" "$out" "^anpu-run: --user no-such-user: no such user in /etc/passwd"

out=$(vm no-such-program 2>&1 </dev/null)
is "a missing program gives 127" $? 127
says "and a sentence" "$out" "^anpu-run: cannot run no-such-program in the VM: No such file or directory"
echo text >not-executable
out=$(vm ./not-executable 2>&1 </dev/null)
is "a file that is not executable gives 126" $? 126
says "and a sentence" "$out" "^anpu-run: cannot run ./not-executable in the VM: Permission denied"

is "--smp sets the processors" "$(vm --smp 2 nproc </dev/null)" 2
mem=$(vm --mem 2G awk '/MemTotal/ { print int($2 / 1000000) }' /proc/meminfo </dev/null)
is "--mem sets the memory" "$mem" 2
says "--append extends the kernel's command line" "$(vm --append anpu_word=1 cat /proc/cmdline </dev/null)" " anpu_word=1"

for bad in '--smp 0' '--timeout -1' '--no-such-option' '--device x --no-device' ''; do
	# shellcheck disable=SC2086
	out=$("$TOP/scripts/anpu-run" $bad ${bad:+true} 2>&1 </dev/null)
	is "bad usage '$bad' gives 125" $? 125
	says "and a sentence" "$out" "^anpu-run: "
done
out=$(vm --env NOVALUE true 2>&1 </dev/null)
says "--env without a value is explained" "$out" "^anpu-run: --env NOVALUE: write NAME=VALUE"
out=$(vm --rw /no/such true 2>&1 </dev/null)
says "--rw of a missing directory is explained" "$out" "^anpu-run: --rw /no/such: no such directory"
out=$(ANPU_ACCEL=fast vm true 2>&1 </dev/null)
says "a bad ANPU_ACCEL is explained" "$out" "^anpu-run: ANPU_ACCEL is 'fast'"
out=$(ANPU_QEMU=x vm true 2>&1 </dev/null)
says "a bad ANPU_QEMU is explained" "$out" "^anpu-run: ANPU_QEMU is 'x'"
out=$(vm --qemu-arg=-no-such-option true 2>&1 </dev/null)
is "what QEMU refuses gives 125" $? 125
says "with QEMU's words" "$out" "no-such-option"

finish
