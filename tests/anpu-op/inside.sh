#!/bin/bash
# SPDX-License-Identifier: MIT
# Looking inside: lists of kernels, disassembly, source lines, traces, profiles.
. "$(dirname "$0")/common.sh"

LINES=$("$OP" --disassemble ops.o faults | grep -c 'ops\.c:')

# Lists
gives "--list" 0 '^add: const float \* x, const float \* y, float \* z, uint32_t n \(4 bytes\)$' --list ops.o
says "no parameters" "$TEXT" '^prints: no parameters$'
says "kind of core" "$TEXT" '^cube_only: no parameters \[cube core\]$'
gives "without a kernel it lists, too" 0 '^mul1: const _Float16 \* a, .*\[mix core\]$' mix.o
lacks "pairs are listed once" mix_ai
# an old file without the record of types: --list shows no types
/usr/bin/python3 -c '
import sys
data = open("ops.o", "rb").read()
at = 0
while True:
    at = data.find(b"\x04\x80", at)
    if at < 0:
        break
    length = int.from_bytes(data[at + 2:at + 4], "little")
    if data[at + 4:at + 4 + length].startswith((b"const float *\0", b"int64_t *\0")):
        data = data[:at] + b"\x04\x90" + data[at + 2:]
    at += 1
open("old.o", "wb").write(data)'
gives "a file without types" 0 '^add: pointer x, pointer y, pointer z, value n \(4 bytes\)$' --list old.o

# Disassembly
gives "--disassemble of a function" 0 '^add: 0x[0-9a-f]+, [0-9]+ bytes$' --disassemble ops.o add
says "its thunk" "$TEXT" '^__anpu_entry_add: '
lacks "no other one" '^values: '
says "tile operations by name" "$TEXT" '^ +[0-9a-f]+:  [0-9a-f]{8}  vbin [a-z0-9]+, [a-z0-9]+, [a-z0-9]+, [a-z0-9]+$'
says "synchronisation by name" "$TEXT" '  waitflag a[0-9]$'
gives "targets of jumps" 0 '  b[a-z]+ .*0x[0-9a-f]+ <neighbours\+0x[0-9a-f]+>$|  bn?eqz? .*<' --disassemble ops.o together
gives "--disassemble of all" 0 '^values: ' --disassemble ops.o
says "all" "$TEXT" '^overrun: '
gives "both halves of a MIX kernel" 0 '^mul1_mix_aiv: ' --disassemble mix.o mul1
says "the other one" "$TEXT" '^mul1_mix_aic: '
gives "a function that is not there" 2 "'ops.o' has no function 'gone'" --disassemble ops.o gone
"$ANPUCC" -o nolines.o ops.c
if [ "$LINES" -gt 0 ]; then
	line=$(grep -n 'the faulting line' ops.c | cut -d: -f1)
	gives "source lines" 0 "^ops.c:$line  .*the faulting line" --disassemble ops.o faults
	lacks "what is inlined from the intrinsics has the caller's line" 'anpu_intrin\.h'
	gives "without -g" 0 "no source lines: compile 'nolines.o' with anpucc -g" --disassemble nolines.o faults
	mkdir -p deep/er && mv ops.c deep/er/
	(cd deep/er && "$ANPUCC" -g -o ../ops.o ops.c)
	gives "a source beside the operator's folder is not found" 0 "^ops.c:$line$" --disassemble deep/ops.o faults
	mv deep/ops.o deep/er
	gives "one beside the operator is" 0 "^ops.c:$line  .*the faulting line" --disassemble deep/er/ops.o faults
	mv deep/er/ops.c .
else
	skip "source lines" "anpu-op was built without libdw"
fi

# Traces
run_add=(ops.o add f32[8]=iota f32[8]=1 f32[8] 8)
gives "--trace" 0 '^  0 [0-9a-f]+ __anpu_entry_add\+0x0 +ld [a-z0-9]+, 0\(a0\) +\[args\+0x0\]=0x[0-9a-f]+ [a-z0-9]+=0x[0-9a-f]+$' --trace "${run_add[@]}"
insns=$(sed -n 's/^add: 1 blocks, \([0-9]*\) instructions.*/\1/p' <<<"$TEXT")
is "a line for every instruction" "$(grep -c '^  0 [0-9a-f]* ' <<<"$TEXT")" "$insns"
says "a copy with its operands" "$TEXT" 'dma_pad|dma_lin .* DMA_LIN dst=UB\+0x0 src=x\+0x0 32 bytes$'
says "an operation with its type and count" "$TEXT" 'VBIN dst=UB\+0x8000 src0=UB\+0x0 src1=UB\+0x4000 ADD F32 x8$'
says "a flag" "$TEXT" 'SETFLAG MTE2 to V, event 3$'
says "a barrier" "$TEXT" 'PIPEBAR ALL$'
says "the results are right" "$TEXT" 'changed: 1 2 3 4 5 6 7 8$'
gives "scalars" 0 'twice\+0x' --trace ops.o scalars u32=21,0,0,0,0,0 0.5
says "a store" "$TEXT" 's[wd] [a-z0-9]+, 4\([a-z0-9]+\) +\[out\+0x4\]:=0x2a$'
says "a load" "$TEXT" 'lw .*\[out\+0x0\]=0x15 [a-z0-9]+=0x15$'
says "an fp32 register" "$TEXT" ' fadd\.s .* f[ast][0-9]+=1\.5 \(0x3fc00000\)$'
says "an fp16 register" "$TEXT" ' fadd\.h .* f[ast][0-9]+=1\.5 \(0x3e00\)$'
says "an fp64 register" "$TEXT" ' fadd\.d .* f[ast][0-9]+=1\.5 \(0x3ff8000000000000\)$'
says "a CSR" "$TEXT" 'csrw padval, ([a-z0-9]+) +from \1=0x2a$'
[ "$LINES" -gt 0 ] && says "source lines" "$TEXT" '^ops\.c:[0-9]+  return v \* 2;$'
gives "--trace=function" 0 'twice\+0x' --trace=function=twice ops.o scalars u32=21,0,0,0,0,0 0.5
lacks "only that" '[0-9a-f] scalars\+0x'
gives "--trace=tiles" 0 'VBIN dst=' --trace=tiles "${run_add[@]}"
is "tile operations and synchronisation only" "$(grep -c '^  0 [0-9a-f]* ' <<<"$TEXT")" \
	"$(grep -cE '^  0 .*(DMA_LIN|VBIN|PIPEBAR|SETFLAG|WAITFLAG|DMA_PAD|DMA_BURST) ' <<<"$TEXT")"
gives "--trace=block" 0 '^  2 ' --trace=block=2 --blocks=4 ops.o places u32[32]
lacks "only that" '^  [013] '
gives "--trace=limit" 0 '^\.\.\. after 5 instructions the trace ends here, see limit=N$' --trace=limit=5 "${run_add[@]}"
is "as many" "$(grep -c '^  0 [0-9a-f]* ' <<<"$TEXT")" 5
says "and the rest has run" "$TEXT" "^add: 1 blocks, $insns instructions"
gives "--trace=file" 0 'changed' --trace=tiles,limit=2,file=t.txt "${run_add[@]}"
lacks "not on standard output" '^  0 '
is "but there" "$(grep -c '^  0 ' t.txt)" 2
gives "a trace of sub-blocks" 0 '^  1\.2 .*XWAIT cross flag 1, GROUP \(waits\)$|^  1\.2 .*XSET cross flag 2, GROUP$' --trace=tiles --blocks=2 \
	mix.o mul1 f16[2,256]=1 f16[2,256]=2 f32[2,256] u32[2]
says "one that waits" "$TEXT" 'XWAIT cross flag 2, GROUP \(waits\)$'
says "a matrix multiplication" "$TEXT" 'MMAD dst=L0C\+0x0 src0=L0A\+0x0 src1=L0B\+0x0 16x16x16 F16 INIT$'
says "a descriptor" "$TEXT" 'FIXPIPE dst=c\+0x400 src=L0C\+0x0 \{ND 16x16, src 16, dst 16\} F32<-F32'
says "a scalar operand" "$TEXT" 'VBINS dst=UB\+0x0 src0=UB\+0x0 scalar=1 ADD F32 x128$'
gives "a fault in a trace" 3 'sw .*\[0x700000000\] FAULT$' --trace ops.o faults u32[1]
gives "the fault behind it" 3 "kernel 'faults' failed in block 0: unmapped memory" --trace=file=/dev/null ops.o faults u32[1]
gives "a trace of SYNCALL" 0 'SYNCALL KIND \(waits\)$' --trace --blocks=2 ops.o neighbours u32[2] u32[2]
gives "an unknown word" 2 '--trace=bogus: write tiles, block=N' --trace=bogus "${run_add[@]}"
gives "a function that is not there" 2 "--trace=function=gone: 'ops.o' has no such function; it may have been inlined" --trace=function=gone "${run_add[@]}"
gives "a block that is not there" 2 '--trace=block=4: the blocks are 0 to 3' --trace=block=4 --blocks=4 "${run_add[@]}"
gives "no file" 2 "cannot write 'gone/t'" --trace=file=gone/t "${run_add[@]}"
gives "a full disk" 1 "cannot write '/dev/full'" --trace=file=/dev/full "${run_add[@]}"

# Profiles
row()
{
	says "$1" "$TEXT" "^  $2 +[0-9]+\.[0-9]{3} +[0-9.]+% +$3( |\$)"
}
gives "--profile" 0 '^profile$' --profile "${run_add[@]}"
row "copies in" 'DMA_LIN +MTE2 +2' 64
row "copies out" 'DMA_LIN +MTE3 +1' 32
row "an operation" 'VBIN ADD F32 +V +1' 32
row "flags" 'SETFLAG +S +1' 0
row "the vector pipe" 'all +V +1' 32
row "the copying pipe" 'all +MTE2 +2' 64
row "the scalar unit: all other instructions" "all +S +$((insns - 4))" 0
gives "--profile on threads" 0 '^profile$' --profile --threads=3 --blocks=30 mix.o mul1 f16[30,256]=1 f16[30,256]=2 f32[30,256] u32[30]
row "of all of them" 'MMAD F16 +M +30' 30720
row "the cube's output" 'FIXPIPE F32<-F32 +FIX +30' 30720
row "loads for the cube" 'LOAD2D F16 +MTE1 +60' 30720
flops=$("$OP" --json --profile mix.o mul1 f16[256] f16[256] f32[256] u32[1] | /usr/bin/python3 -c '
import json, sys
print([o["flops"] for o in json.load(sys.stdin)["operations"] if o["operation"].startswith("MMAD")][0])')
is "operations of the cube" "$flops" 8192
gives "--profile and --repeat: the last run's" 0 '^profile$' --profile --repeat=3 "${run_add[@]}"
row "not three" 'VBIN ADD F32 +V +1' 32
gives "--profile and --trace" 0 '^profile$' --profile --trace=tiles "${run_add[@]}"
row "counts are the same" 'DMA_LIN +MTE2 +2' 64
gives "waiting is no operation" 0 '^profile$' --profile --blocks=2 ops.o neighbours u32[2] u32[2]
row "two blocks, two barriers" 'SYNCALL +S +2' 0

# The same program, but for the file that needs libdw
if ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I "$TOP/lib/tools" -o nodw "$TOP/lib/tools/op/view/lines.c" "$OP.a" "$MODEL" -lm -pthread; then
	OP=$WORK/nodw
	gives "without libdw: addresses" 0 '^faults: 0x' --disassemble ops.o faults
	says "it says so" "$TEXT" "no source lines for 'ops.o': this anpu-op was compiled without libdw \(apt-get install libdw-dev"
	gives "without libdw: faults" 3 'at faults\+0x' ops.o faults u32[1]
else
	check "anpu-op builds without libdw" false
fi
finish
