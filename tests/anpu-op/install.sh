#!/bin/bash
# SPDX-License-Identifier: MIT
# make install: with the installed tree alone, in another place, an operator is written, compiled, tested and looked
# into, by the commands of Documentation/operators.md.
. "$(dirname "$0")/common.sh"

# The library's own files are the business of tests/e2e/install.sh.
# What the machine needs is there, or the tests would not run.
make -s -o deps-host -C "$TOP" install-direct PREFIX=/opt/anpu DESTDIR="$WORK/staged" >err 2>&1
status=$?
result $status "make install"
((status == 0)) || sed 's/^/# /' err
mv staged/opt/anpu moved
bin=$WORK/moved/bin
mkdir empty
cd empty || exit 1
# A user's environment: nothing of the source tree in it
run=(env -i PATH="$bin:/usr/bin:/bin" HOME="$WORK")

check "nothing of the source tree is in the installed files" bash -c "! grep -rqI '$TOP' '$WORK/moved'"
check "libacl is there, too" test -s "$WORK/moved/lib/anpu/libascendcl.so"
for file in bin/anpucc bin/anpu-op include/anpu/anpu_intrin.h include/anpu/anpu_isa.h include/ascendc/kernel_operator.h; do
	check "$file" test -s "$WORK/moved/$file"
done
for dir in include/ascendc include/anpu/libc scripts/anpucc.d scripts/anpucc.d/rt; do
	to=${dir/scripts/lib\/anpu}
	missing=$(cd "$TOP/$dir" && find . $([ "$dir" = include/ascendc ] || echo -maxdepth 1) -type f ! -name '*.pyc' | while read -r file; do
		test -f "$WORK/moved/$to/$file" || echo "$file"
	done)
	is "all of $dir" "$missing" ""
done

# The first operator of the manual
sed -n '/^## The first operator/,/^## Kernels/p' "$TOP/Documentation/operators.md" | sed -n '/^```c$/,/^```$/p' >blocks
sed '1d;/^```$/,$d' blocks >twice.c
{ sed '1,/^```$/d' blocks | sed '1d;/^```$/,$d' | sed 's/twice/quick/'; } >second
cat second >>twice.c
check "it is there" grep -q 'ANPU_KERNEL void twice' twice.c
"${run[@]}" anpucc -g -Wall -Werror -o twice.o twice.c
result $? "anpucc compiles it"
text=$("${run[@]}" anpu-op --blocks=4 --expect=y=0,2,4,6,8,10,12,14,16,18 twice.o twice 'f32[10]=iota' 'f32[10]' 10 2>&1)
result $? "anpu-op runs it"
says "and checks it" "$text" 'argument 1 \(y\): f32\[10\] changed: 0 2 4'
"${run[@]}" anpu-op -q --blocks=4 --expect=y=0,2,4,6,8,10,12,14,16,18 twice.o quick 'f32[10]=iota' 'f32[10]' 10
result $? "the one with tiles, too"
says "a trace" "$("${run[@]}" anpu-op --trace=tiles twice.o quick 'f32[16]=iota' 'f32[16]' 16)" 'VBIN dst='
# And README.md's, by its own commands
sed -n '/^## Bring your own operator/,/^## Status/p' "$TOP/README.md" >chapter
sed -n '/^```c$/,/^```$/p' chapter | sed '1d;$d' >scale.c
commands=$(sed -n '/^    /s/^    //p' chapter | grep -v '^make tools$' | sed 's,scripts/,,; s,build/tools/,,')
is "README.md has two commands" "$(wc -l <<<"$commands")" 2
text=$("${run[@]}" bash -e -c "$commands" 2>&1)
result $? "they work"
says "the operator scales" "$text" 'changed: 0 2.5 5 7.5$'
printf '#include <kernel_operator.h>
#include <math.h>
extern "C" __global__ __aicore__ void f(GM_ADDR p, double d) { anpu_printf("%%.2f\\n", sqrt(d)); *p = AscendC::GetBlockNum(); }\n' >c.cpp
"${run[@]}" anpucc -o c.o c.cpp
result $? "C++ with Ascend C's header, the C library and the run-time library"
is "it runs" "$("${run[@]}" anpu-op -q --blocks=3 --expect=p=3 c.o f 'u8[1]' 2.25 | sort -u)" "1.50"
finish
