#!/bin/bash
# SPDX-License-Identifier: MIT
# What of the host's file system a program in the VM sees and changes.
. "$(dirname "$0")/tap.sh"
mkdir "$WORK/here" "$WORK/there" "$WORK/other"
cd "$WORK/here" || exit 1
echo host >file

vm sh -c 'cat file && echo guest >file && mkdir -p new/dir && echo x >new/dir/y && mv new/dir/y z && ln -s z link &&
	chmod 711 z && rm -r new' </dev/null
is "the current directory can be written" $? 0
is "files change on the host" "$(cat file)" guest
is "so do new ones, their modes, links and removals" "$(stat -c %a z) $(readlink link) $(ls | xargs)" "711 z file link z"

out=$(vm sh -c "cat $WORK/other/secret 2>&1; echo x >$WORK/other/made; cat $WORK/other/made; echo x >/etc/anpu-made;
	rm /etc/hostname; ls /etc/hostname 2>&1" </dev/null)
says "elsewhere a program may write in the VM" "$out" "^x$"
check "without a trace on the host" test ! -e "$WORK/other/made" -a ! -e /etc/anpu-made -a -e /etc/hostname

vm --rw ../there sh -c "echo shared >$WORK/there/file" </dev/null
is "--rw makes another directory writable" "$(cat ../there/file)" shared
out=$(cd / && vm sh -c 'touch /anpu-made && echo made' </dev/null)
is "in / a program runs" "$out" made
check "but never writes the host's /" test ! -e /anpu-made
out=$(vm --rw / true 2>&1 </dev/null)
says "--rw / is refused" "$out" "^anpu-run: --rw /: the whole file system of the host is never writable"

cat >map.py <<'PY'
import mmap
with open("mapped", "wb+") as f:
    f.truncate(8192)
    m = mmap.mmap(f.fileno(), 8192)
    m[5000:5005] = b"hello"
    m.flush()
    m.close()
PY
vm /usr/bin/python3 -S map.py </dev/null
is "files can be mapped and written through the mapping" "$(od -An -c -j 5000 -N 5 mapped | tr -d ' ')" hello
out=$(vm sh -c 'for d in /dev/null /dev/zero /dev/fd/0 /dev/pts/ptmx /dev/shm /proc/self /sys/kernel/debug; do
	[ -e $d ] || echo no $d; done; PATH=$PATH:/usr/sbin:/sbin modinfo -n overlay' </dev/null)
says "devices, proc, sysfs and the kernel's modules are there" "$out" "^/lib/modules/[^ ]*overlay.ko"
is "and complete" "$(grep -c '^no ' <<<"$out")" 0

finish
