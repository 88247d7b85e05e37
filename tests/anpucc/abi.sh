#!/bin/bash
# SPDX-License-Identifier: MIT
# Parameters of every kind arrive in the kernel, compiled with and without optimisation.
. "$(dirname "$0")/common.sh"

for level in -O0 -O2 -O3; do
	compiles "abi.c $level" $level -o c.o "$HERE/abi.c"
	compiles "abi.cpp $level" $level -o cpp.o "$HERE/abi.cpp"

	runs "integers $level" --expect=8=255,-128,65535,-32768,4294967295,-2147483648,9007199254740992,-5 c.o integers \
		255 -128 65535 -32768 4294967295 -2147483648 9007199254740992 -5 'f64[8]'
	runs "more integers than registers $level" --expect=0=1,-2,3,-4,5,-6,7,-8,9,-10,-11 c.o many \
		'f64[11]' 1 -2 3 -4 5 -6 7 -8 9 -10 -11
	runs "more floats than registers $level" \
		--expect=11=1.5,2.25,3.5,4.5,5.25,6.5,7.5,8.25,9.5,10.5,11.25,12.5,13.5,14.25,15.5,16.5,17.5 c.o floats \
		1.5 2.25 3.5 4.5 5.25 6.5 7.5 8.25 9.5 10.5 11.25 'f64[17]' 12.5 13.5 14.25 15.5 16.5 17.5
	runs "mixed $level" --expect=8=200,1.25,-300,1e100,1,-0.5,42,-7 c.o mixed 200 1.25 -300 1e100 1 -0.5 \
		'f32=41,42' -7 'f64[8]'
	runs "structures $level" --expect=6=1,-2,3,4.5,5.5,6,10,7.5,-8,9.5,10.5,11,15 c.o structures \
		'{s32:1,s32:-2,s32:3}' '{f64:4.5,f32:5.5}' '{s64:6,s64:7,s64:8,s64:9,s64:10}' '{f32:7.5,s32:-8}' \
		'{f32:9.5,f32:10.5}' '{u8:11,u8:12,u8:13,u8:14,u8:15}' 'f64[13]'
	runs "a structure half in a register $level" --expect=0=1,2,3,4,5,6,7,-8,9,1.5,3.5,11,13 c.o split \
		'f64[13]' 1 2 3 4 5 6 '{s32:7,s32:-8,s32:9}' '{f16:1.5,f16:2.5,f16:3.5}' \
		'{s64:10,s64:11,s64:12,s64:13,s64:14}'
	runs "each block has its own copy $level" --blocks=4 --expect=1=101,102,103,104 c.o own_copy \
		'{s64:1,s64:2,s64:100,s64:4,s64:5}' 'f64[4]'
	runs "enum, union, __int128, complex, function pointer $level" --expect=5=-3,2.5,-1,-2,1.5,-2.5,4096 c.o others \
		-3 '{f64:2.5}' '{s64:-2,s64:-1}' '{f32:1.5,f32:-2.5}' 0x1000 'f64[7]'
	numbers=$(seq -s, -f 'u32:%g' 1000)
	runs "a structure of 4000 bytes $level" --expect=2=1,1000,9 c.o large "{$numbers}" 9 'f64[3]'
	runs "no parameters $level" c.o nothing
	runs "CSRs $level" --grid=3,2,1 --expect=2=24,1,6030201,1,0 c.o csrs 5 6 'u64[5]'
	runs "classes $level" --expect=9=1.5,-2,7.5,-100,3.5,4.5,5,1000,6.5,7.5,8.5,1,1 cpp.o classes \
		'{f32:1.5,s32:-2}' '{f64:4.5,s32:3}' -100 '{f32:3.5,f32:4.5}' '{u32:8005}' '{f64:6.5,f64:7.5}' \
		'f64=8.5' 1 0 'f64[13]'
	runs "a mangled name $level" --expect=1=77 cpp.o _ZN5space7mangledEiPd 77 'f64[1]'
done

# Meta records: what a runtime reads
is "kernels and parameters of the file" "$("$OP" c.o | grep -E '^(many|nothing|structures|mixed):' | LC_ALL=C sort)" \
"many: double * out, int a (4 bytes), int b (4 bytes), int c (4 bytes), int d (4 bytes), int e (4 bytes), int f (4 bytes), \
int g (4 bytes), int h (4 bytes), int i (4 bytes), int j (4 bytes), int8_t k (1 bytes)
mixed: uint8_t a (1 bytes), float b (4 bytes), int16_t c (2 bytes), double d (8 bytes), _Bool e (1 bytes), \
_Float16 f (2 bytes), const float * x, int8_t g (1 bytes), double * out
nothing: no parameters
structures: s12 a (12 bytes), s16 b (16 bytes), s40 c (40 bytes), fi d (8 bytes), ff e (8 bytes), bytes f (5 bytes), \
double * out"

source_file meta.c <<-'END'
	ANPU_KERNEL void f(float alpha, void *data)
	{
		ANPU_KERNEL_META(ANPU_META_BLOCK_COUNT, 12);
		ANPU_KERNEL_META(ANPU_META_SCHED_MODE, 1);
		(void)alpha;
		(void)data;
	}
END
compiles "ANPU_KERNEL_META" -o meta.o meta.c
is "all records of a kernel" "$(/usr/bin/python3 - meta.o <<-'END'
	import struct, sys
	from elftools.elf.elffile import ELFFile
	with open(sys.argv[1], "rb") as file:
	    data = ELFFile(file).get_section_by_name(".ascend.meta.f").data()
	while data:
	    kind, size = struct.unpack_from("<HH", data)
	    print(hex(kind), data[4:4 + size].hex() if kind != 0x8003 else "producer")
	    data = data[4 + size:]
END
)" "0x1 01000000
0x8 00800000
0xf 0c000000
0x12 01000000
0x8000 0a010000
0x8001 00000400000400000800080001080000
0x8002 616c706861006461746100
0x8003 producer
0x8004 666c6f617400766f6964202a00"
finish
