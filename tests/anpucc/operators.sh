#!/bin/bash
# SPDX-License-Identifier: MIT
# The sample operators compute the right numbers for every size, and the bad ones fail as they should.
. "$(dirname "$0")/common.sh"

# Reference results by Python, which knows fp16: sums FORMAT OPERATION X Y OUT
reference()
{
	/usr/bin/python3 - "$@" <<-'END'
	import array, struct, sys
	kind, operation, x, y, out = sys.argv[1:6]
	def read(path):
	    data = open(path, "rb").read()
	    return struct.unpack("<%d%s" % (len(data) // struct.calcsize(kind), kind), data)
	single = lambda v: struct.unpack("<f", struct.pack("<f", v))[0]
	a, b = read(x), read(y)
	if operation == "add":
	    want = [p + q for p, q in zip(a, b)]
	else:
	    want = [single(single(p * q) * float(sys.argv[6])) for p, q in zip(a, b)]
	open(out, "wb").write(struct.pack("<%d%s" % (len(want), kind), *want))
	END
}

data()
{
	"$TOP/tests/samples/vadd/gen-data.py" "$@"
}

for n in 1 2 7 8 15 16 17 31 32 33 1000 4095 4096 4097 8191 16384 16385 65537; do
	for type in f16 f32; do
		data $n x.$type y.$type
		reference "$([ $type = f16 ] && echo e || echo f)" add x.$type y.$type z.$type
		for blocks in 1 3 8; do
			runs "vadd_$type of $n elements in $blocks blocks" --blocks=$blocks --expect=2=@z.$type \
				"$OPERATORS/vadd.o" vadd_$type $type=@x.$type $type=@y.$type "$type[$n]" $n
		done
	done
done
data 2097152 x.f16 y.f16
reference e add x.f16 y.f16 z.f16
runs "vadd_f16 of 2097152 elements" --blocks=8 --expect=2=@z.f16 "$OPERATORS/vadd.o" vadd_f16 f16=@x.f16 f16=@y.f16 \
	'f16[2097152]' 2097152
runs "more blocks than elements" --blocks=1000 --expect=2=2 "$OPERATORS/vadd.o" vadd_f32 'f32[5]=1' 'f32[5]=1' 'f32[5]' 5
runs "no elements" --expect=2=7 "$OPERATORS/vadd.o" vadd_f32 'f32[5]=1' 'f32[5]=1' 'f32[5]=7' 0
runs "fp16 overflow is infinity" --expect=2=inf "$OPERATORS/vadd.o" vadd_f16 'f16[5]=65504' 'f16[5]=16' 'f16[5]' 5
runs "NaN" --expect=2=nan "$OPERATORS/vadd.o" vadd_f32 'f32[3]=inf' 'f32[3]=-inf' 'f32[3]' 3
for n in 1 13 4096 4099 10000; do
	for type in f16 f32; do
		data $n x.$type y.$type --range=-9,9
		reference "$([ $type = f16 ] && echo e || echo f)" mul x.$type y.$type z.$type 0.75
		runs "vmul_$type of $n elements (C++)" --blocks=3 --expect=2=@z.$type "$OPERATORS/vmul.o" vmul_$type \
			$type=@x.$type $type=@y.$type "$type[$n]" $n 0.75
	done
	data $n x.f16 y.f16
	reference e add x.f16 y.f16 z.f16
	runs "add_custom of $n elements (kernel_operator.h)" --blocks=2 --expect=2=@z.f16 "$OPERATORS/add_custom.o" \
		add_custom f16=@x.f16 f16=@y.f16 "f16[$n]" $n
done

# Plain C
runs "saxpy" --blocks=3 --expect=2=5,7,9,11,13,15,17 "$OPERATORS/scalar.o" saxpy 2.0 'f32[7]=iota' 'f32[7]=5' 7
runs "dsum" --expect=1=499500 "$OPERATORS/scalar.o" dsum 'f64[1000]=iota' 'f64[1]' 1000
runs "sieve" --expect=1=78498 "$OPERATORS/scalar.o" sieve 'u8[1000000]' 'u32[1]' 1000000
head -c 100000 "$OP" >bytes
crc=$(/usr/bin/python3 -c 'import zlib; print(zlib.crc32(open("bytes", "rb").read()))')
runs "crc32" --expect=1="$crc" "$OPERATORS/scalar.o" crc32 u8=@bytes 'u32[1]' 100000
is "hello" "$("$OP" -q --blocks=2 --cores=2 "$OPERATORS/hello.o" hello 5 -3.25 'u8=104,105,0')" \
"block 0 of 2 on core 0: 5 -3.250 hi
block 1 of 2 on core 1: 5 -3.250 hi"
runs "empty" --blocks=65535 "$OPERATORS/empty.o" empty
runs "empty_args" "$OPERATORS/empty.o" empty_args null null null 0
runs "spin" "$OPERATORS/empty.o" spin 1000

# The bad ones
BAD=$OPERATORS/bad.o
faults "unmapped read" "failed in block 0: unmapped memory:.*0x300000000" "$BAD" bad_read 0x300000000 'u32[1]'
faults "unmapped read, place" "at bad_read\+0x" "$BAD" bad_read 0x300000000 'u32[1]'
faults "null pointer" "null pointer" "$BAD" bad_read null 'u32[1]'
faults "read past a tensor" "is the first byte behind argument 1" "$OPERATORS/scalar.o" saxpy 1.0 'f32[16]' 'f32[16]' 17
faults "write beside a tensor" "is the first byte behind argument 2 \(y\) of 20 bytes" "$OPERATORS/scalar.o" \
	saxpy 1.0 'f32[6]=1' 'f32[5]' 6
faults "write to code" "access not allowed" "$BAD" bad_write 0x200001234 1
faults "only block 5" "failed in block 5: unmapped" --blocks=9 "$BAD" bad_block 0x700000000 5
faults "tile copy from nowhere" "unmapped memory" "$BAD" bad_dma 0x700000000 64
faults "tile copy past a tensor" "is the first byte behind argument 0" "$BAD" bad_dma 'f32[100]' 4096
faults "operand in the wrong scratchpad" "refused operand" "$BAD" bad_operand
faults "outside of the scratchpads" "outside of the scratchpads" "$BAD" bad_scratchpad
faults "misaligned jump" "not 4-byte aligned" "$BAD" bad_misaligned_jump
faults "illegal instruction" "illegal instruction" "$BAD" bad_instruction
faults "ebreak" "breakpoint" "$BAD" bad_ebreak
faults "jump to nowhere" "jump out of the code: .*0x1234500000" "$BAD" bad_jump 0x1234500000
faults "jump into data" "jump out of the code" "$BAD" bad_jump 'u32=0x13,0x13'
faults "jump into the stack" "jump out of the code" "$BAD" bad_jump_stack
faults "never ends" "timeout" --timeout=0.3 "$BAD" bad_endless
faults "stack overflow" "stack overflow: .*32 KiB" "$BAD" bad_stack 'u32[1]'
faults "stack overflow, place" "at deeper\+0x" "$BAD" bad_stack 'u32[1]'
faults "trap" "trap: the operator gave up" "$BAD" bad_trap
faults "assertion" "failed assertion: bad.c:[0-9]*: n % 32 == 0" "$BAD" bad_assert 31
runs "assertion that holds" "$BAD" bad_assert 64
faults "wait without a set" "MTE2 to V event 3" "$BAD" bad_wait
finish
