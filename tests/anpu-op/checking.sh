#!/bin/bash
# SPDX-License-Identifier: MIT
# The checking mode: operators that only work because operations run in order, and those that are right.
. "$(dirname "$0")/common.sh"

"$ANPUCC" -g -o bad.o "$TOP/tests/operators/bad.c" || exit 1
for name in bad_race bad_reuse bad_early bad_unwritten; do
	gives "$name works unchecked" 0 'changed' bad.o $name f32[16]=iota f32[16]
done
gives "a copy that is not waited for" 3 'race: VBIN reads src0 UB\+0x0 before DMA_LIN at 0x[0-9a-f]+ has surely written it' \
	--check bad.o bad_race f32[16]=iota f32[16]
says "what to do" "$TEXT" 'wait for a flag from MTE2 to V'
says "where" "$TEXT" 'at bad_race\+0x'
gives "a buffer used again too early" 3 'DMA_LIN writes dst UB\+0x0 before VBIN .* surely read it; wait for a flag from V to MTE2' \
	--check bad.o bad_reuse f32[16]=iota f32[16]
gives "a result read too early" 3 'scalar load reads UB\+0x20 before VRED .* flag from V to S' \
	--check bad.o bad_early f32[16]=iota f32[16]
gives "an operand that is not written" 3 'uninitialised memory: VBIN: src0 UB\+0x1c, byte 28 of 32, was never written' \
	--check bad.o bad_unwritten f32[16]=iota f32[16]

# blocks that disturb each other, flags that are left over, and their right forms
"$ANPUCC" -g -o blocks.o "$TOP/tests/diagnosis/blocks.c" || exit 1
gives "a sum without atomics" 3 'race: scalar load reads 0x[0-9a-f]+, which block 0 writes at 0x[0-9a-f]+; no barrier or flag orders them' \
	--check --blocks=2 blocks.o lost_sum u32[1]
gives "with atomics" 0 'changed: 6' --check --blocks=3 blocks.o kept_sum u32[1]
for blocks in 2 7 300; do
	gives "neighbours of $blocks" 3 'race: ' --check --blocks=$blocks blocks.o neighbour f32[$blocks] f32[$blocks]
	gives "with a barrier" 0 'changed' --check --blocks=$blocks blocks.o neighbour_sync f32[$blocks] f32[$blocks]
done
gives "the second barrier" 3 'race: scalar (load|store) ' --check --blocks=9 blocks.o second_barrier f32[9] f32[9]
gives "the parts of a MIX kernel" 3 "race: DMA_LIN reads 0x[0-9a-f]+, which block [01]'s cube part writes" \
	--check --blocks=2 blocks.o halves f32[256] f32[256] 0
says "the other place, too" "$TEXT" 'is halves_mix_aic'
gives "with a flag" 0 'halves: 2 blocks' --check --blocks=2 blocks.o halves f32[256] f32[256] 1
gives "a flag that is left" 3 "SETFLAG MTE3 to MTE2 event 3: still set at the block's end" --check blocks.o set_only f32[8] f32[8]
says "its place" "$TEXT" 'at set_only\+0x'
gives "a cross-core flag that is left" 3 'XSET of cross flag 5, mode ALL, by block 0: set 1 times, waited for 0 times' \
	--check --blocks=2 blocks.o cross_left

# every sample is right, and computes the same
for sample in vadd.c vmul.cpp add_custom.cpp scalar.c softmax.c layernorm.c reduce.c matmul.c; do
	"$ANPUCC" -g -o sample.o "$TOP/tests/operators/$sample" || exit 1
	cp sample.o "${sample%.*}.o"
done
same()
{
	local name=$1 plain
	shift
	plain=$(timeout 60 "$OP" --print=100000 "$@" 2>&1 | grep changed)
	gives "$name passes" 0 'changed' --check --print=100000 "$@"
	is "$name computes the same" "$(grep changed <<<"$TEXT")" "$plain"
}
for n in 1 8 4097 50003; do
	same "vadd_f32 of $n" --blocks=3 vadd.o vadd_f32 f32[$n]=rand f32[$n]=iota f32[$n] $n
	same "vadd_f16 of $n" --blocks=3 vadd.o vadd_f16 f16[$n]=rand f16[$n]=iota f16[$n] $n
	same "vmul_f32 of $n" --blocks=3 vmul.o vmul_f32 f32[$n]=rand f32[$n]=iota f32[$n] $n 1.5
	same "vmul_f16 of $n" --blocks=3 vmul.o vmul_f16 f16[$n]=rand f16[$n]=iota f16[$n] $n 1.5
done
same "add_custom" --blocks=2 add_custom.o add_custom f16[4096]=rand f16[4096]=iota f16[4096] 4096
for shape in "5 100" "3 20001"; do
	read -r rows cols <<<"$shape"
	n=$((rows * cols))
	for t in f32 f16; do
		same "softmax_$t of $rows x $cols" --blocks=3 softmax.o softmax_$t $t[$n]=rand $t[$n] $rows $cols
		same "layernorm_$t of $rows x $cols" --blocks=3 layernorm.o layernorm_$t \
			$t[$n]=rand f32[$cols]=rand f32[$cols]=rand $t[$n] $rows $cols 0.00001
		same "reduce_sum_$t of $rows x $cols" --blocks=3 reduce.o reduce_sum_$t $t[$n]=rand $t[$rows] $rows $cols
	done
done
# padding of fractals, which nothing writes, is no mistake
for kernel in f32 f16 bf16 nt_f32 nt_f16 nt_bf16; do
	t=${kernel#nt_}
	same "matmul_$kernel" --blocks=3 matmul.o matmul_$kernel $t[17,50]=rand $t[33,50]=rand f32[17,33] 17 33 50
done
same "matmul_nt_s8" --blocks=2 matmul.o matmul_nt_s8 s8[17,50]=rand s8[33,50]=rand s32[17,33] 17 33 50
same "a MIX kernel" --blocks=3 mix.o mul1 f16[3,16,16]=1 f16[3,16,16]=2 f32[3,16,16] u32[3]
same "saxpy" --blocks=2 scalar.o saxpy 2.0 f32[1000]=rand f32[1000]=iota 1000
finish
