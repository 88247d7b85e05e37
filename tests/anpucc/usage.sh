#!/bin/bash
# SPDX-License-Identifier: MIT
# The command line of anpucc.
. "$(dirname "$0")/common.sh"

source_file a.c <<-'END'
	#ifndef VALUE
	#define VALUE 1
	#endif
	ANPU_KERNEL void f(int *p) { *p = VALUE; }
END
cp a.c b.cpp

compiles "C" a.c
check "the default output is the source's name with .o" test -s a.o
compiles "C++" -o b.o b.cpp
compiles "-D" -DVALUE=7 -o seven.o a.c
runs "-D reaches the source" --expect=0=7 seven.o f 's32[1]'
compiles "-D with its value apart" -D VALUE=8 -o eight.o a.c
runs "that reaches the source too" --expect=0=8 eight.o f 's32[1]'
for o in -O0 -O1 -O2 -O3 -Os; do
	compiles "$o" $o -o o.o a.c
	runs "$o runs" --expect=0=1 o.o f 's32[1]'
done
compiles "-c and -fPIC are accepted, makefiles say them" -c -fPIC a.c -o c.o
cp a.c a.op
compiles "-x c" -o x.o -x c a.op
compiles "-Wall -Wextra -Werror on the headers, C" -Wall -Wextra -Werror -o w.o a.c
compiles "-Wall -Wextra -Werror on the headers, C++" -Wall -Wextra -Werror -o w.o b.cpp
compiles "-std=c11" -std=c11 -o s.o a.c
compiles "-std=c++20" -std=c++20 -o s.o b.cpp

mkdir inc
echo 'int from_header(void);' >inc/h.h
echo '#include "h.h"
int from_header(void) { return 21; }' >two.c
source_file one.c <<-'END'
	#include "h.h"
	ANPU_KERNEL void g(int *p) { *p = 2 * from_header(); }
END
compiles "two sources and -I" -I inc -o two.o one.c two.c
runs "two sources run" --expect=0=42 two.o g 's32[1]'
echo 'extern "C" int from_header(void); int from_header(void) { return 4; }' >two.cpp
compiles "C and C++ together" -Iinc -o mix.o one.c two.cpp
runs "C and C++ run together" --expect=0=8 mix.o g 's32[1]'
printf '.globl from_header\nfrom_header:\nli a0, 5\nret\n' >three.s
compiles "C and assembly together" -Iinc -o asm.o one.c three.s
runs "C and assembly run together" --expect=0=10 asm.o g 's32[1]'

compiles "-MD" -Iinc -MD -MP -o dep.o one.c two.c
says "-MD names the header" "$(cat dep.d)" 'inc/h\.h'
says "-MD names the operator" "$(cat dep.d)" '^dep\.o:'
says "-MP gives headers a rule" "$(cat dep.d)" '^inc/h\.h:$'
compiles "-MF and -MT" -Iinc -MD -MF my.d -MT my-target -o dep.o one.c two.c
says "-MF and -MT are used" "$(cat my.d)" '^my-target:'
compiles "-MMD" -MMD -Iinc -MF short.d -o dep.o one.c two.c
check "-MMD leaves system headers out" grep -qv stdint.h short.d

says "-E preprocesses" "$("$ANPUCC" -E a.c)" '\*p = 1'
says "-S writes assembly" "$("$ANPUCC" -S a.c -o -)" '^f:'
says "-v shows the commands" "$("$ANPUCC" -v -o v.o a.c 2>&1)" '^\+ .*clang'
says "--print-kernels" "$("$ANPUCC" --print-kernels -o v.o a.c)" '^f: 8 bytes of arguments, a.c:5'
says "--print-kernels, parameters" "$("$ANPUCC" --print-kernels -o v.o a.c)" '\+0 .* 8 bytes  int \* p'
says "--list-cpus" "$("$ANPUCC" --list-cpus)" '^anpu-v1'
says "--list-cpus, SoC names" "$("$ANPUCC" --list-cpus)" '^Ascend910B1'
says "--help" "$("$ANPUCC" --help)" '^usage: anpucc'
says "--version" "$("$ANPUCC" --version)" '^anpucc [0-9]'
compiles "--cpu=anpu-v1" --cpu=anpu-v1 -o cpu.o a.c
compiles "--cpu=Ascend910B3" --cpu=Ascend910B3 -o cpu.o a.c
compiles "--cpu=Ascend950PR_9579" --cpu=Ascend950PR_9579 -o cpu.o a.c
misused "--list-cpus with an unknown CPU" "unknown CPU 'Ascend910Z'" --cpu=Ascend910Z --list-cpus
compiles "--cpu= in lower case" --cpu=ascend310p3 -o cpu.o a.c

misused "unknown CPU" "unknown CPU 'Ascend910Z', did you mean 'ascend910b'.*--list-cpus" --cpu=Ascend910Z a.c
misused "unknown CPU without a near one" "unknown CPU 'zzz'; anpucc --list-cpus" --cpu=zzz a.c
misused "no source" "no source files"
misused "unknown option" "unknown option '--frobnicate'" --frobnicate a.c
misused "-lm" "operators are not linked with libraries" a.c -lm
misused "-march" "choose the AI core with --cpu=" -march=rv64gc a.c
misused "-shared" "position-independent" -shared a.c
misused "-o without a name" "-o needs a value" a.c -o
misused "-I without a folder" "-I needs a value" a.c -I
misused "a source of unknown kind" "'a.op' is not a kind of source" a.op
misused "standard input" "standard input" -
misused "-E with two sources" "-E takes one source file, 2" -E a.c b.cpp
misused "the output is a source" "is also a source" -o a.c a.c

text=$(strip_g() { "$ANPUCC" -o small.o a.c && "$ANPUCC" -g -o big.o a.c; }; strip_g 2>&1)
is "-g compiles" "$text" ""
check "-g keeps debug information" grep -qa debug_info big.o
check "without -g there is none" bash -c '! grep -qa debug_info small.o'
cp small.o first.o
"$ANPUCC" -o small.o a.c
check "two runs make the same file" cmp -s first.o small.o
mkdir elsewhere
(cd elsewhere && cp ../a.c . && "$ANPUCC" -o ../moved.o a.c)
check "the file does not depend on the folder" cmp -s first.o moved.o
mkfifo out.pipe
timeout 30 cat out.pipe >piped.o &
"$ANPUCC" -o out.pipe a.c
wait $!
check "a pipe gets the file, and stays one" test -p out.pipe -a -s piped.o
check "all of it" cmp -s first.o piped.o
ln -s "$ANPUCC" link-to-anpucc
check "anpucc works through a link" ./link-to-anpucc -o l.o a.c

check "make install" make -s -C "$TOP/lib/tools" install DESTDIR="$WORK/root" PREFIX=/opt/anpu
ANPUCC=$WORK/root/opt/anpu/bin/anpucc
compiles "the installed anpucc" -o installed.o a.c
echo '#include <kernel_operator.h>
extern "C" __global__ __aicore__ void f(GM_ADDR p, double d) { anpu_printf("%f", d); *p = AscendC::GetBlockNum(); }' >c.cpp
compiles "the installed anpucc, C++ and run-time library" -o installed.o c.cpp
check "the installed anpu-op" "$WORK/root/opt/anpu/bin/anpu-op" --blocks=3 --expect=0=3 installed.o f 'u8[1]' 1.0
check "the installed ascendc-census and ascendc-op" bash -c "root/opt/anpu/bin/ascendc-census '$TOP/tests/ascendc/project' &&
	root/opt/anpu/bin/ascendc-op '$TOP/tests/ascendc/project' ScaleAddCustom 'x=f16[3,700]=rand' --attr scale=0.5 -- --check -q &&
	root/opt/anpu/bin/ascendc-runs --help >ascendc-runs.help"
check "nothing of the source tree is in the installed files" bash -c "! grep -rqI '$TOP' root"
finish
