#!/bin/bash
# SPDX-License-Identifier: MIT
# Tensors: shapes, sources, files of NumPy, comparisons, and what is wrong with them.
. "$(dirname "$0")/common.sh"

# npy FILE DESCR SHAPE FORTRAN NUMBER...: a file as numpy.save() writes it, made without NumPy
npy()
{
	/usr/bin/python3 - "$@" <<-'END'
	import struct, sys
	path, descr, shape, fortran, numbers = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
	kinds = {"f2": "e", "f4": "f", "f8": "d", "V2": "H", "b1": "?", "c8": "d", "i1": "b", "i2": "h", "i4": "i",
	         "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}
	kind = kinds[descr[1:]]
	values = [float(n) if kind in "efd" else int(n, 0) for n in numbers]
	text = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (descr, fortran, shape)
	text += " " * (-(10 + len(text) + 1) % 64) + "\n"
	data = struct.pack("%s%d%s" % (">" if descr[0] == ">" else "<", len(values), kind), *values)
	open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data)
	END
}

# what an operator gets of a tensor of any type is what --write writes
passes()
{
	local name=$1 pattern=$2
	shift 2
	gives "$name" 0 "argument 0 \(x\): $pattern" --print=20 ops.o takes "$1"
}

# Shapes and sources
passes "one dimension" 'f32\[3\]: 0 0 0$' f32[3]
passes "three dimensions" 'f32\[2,1,3\]: 0 1 2 3 4 5$' f32[2,1,3]=iota
passes "one number fills it" 's16\[2,2\]: -7 -7 -7 -7$' s16[2,2]=-7
passes "a list" 'u8\[3\]: 1 2 255$' u8=1,2,0xff
passes "a list with a shape" 'f16\[2,2\]: 1 2.5 -0 inf$' f16[2,2]=1,2.5,-0,inf
passes "the largest integers" 'u64\[2\]: 18446744073709551615 9223372036854775808$' u64=18446744073709551615,9223372036854775808
passes "the smallest integer" 's64\[1\]: -9223372036854775808$' s64=-9223372036854775808
passes "bf16" 'bf16\[3\]: 1 0.1001 3.3895e\+38$' bf16=1,0.1,3.3895e38
# 1 + 2^-8 is a tie in bf16, a little more of it in double is none, and float would not know
passes "bf16 is rounded once" 'bf16\[3\]: 1 1.0078 1.0078$' bf16=1.00390625,1.0039062500000002,1.01171874999999978
passes "fp16 subnormals" 'f16\[2\]: 5.9605e-08 0$' f16=5.9604e-8,2.9e-8
passes "nan" 'f32\[1\]: nan$' f32=nan

# Raw files
printf '\x01\x02\x03\x04\x05\x06' >six
passes "a file" 'u16\[3\]: 513 1027 1541$' u16=@six
passes "a file with a shape" 'u8\[2,3\]: 1 2 3 4 5 6$' u8[2,3]=@six
gives "a file of another size" 2 "'six' has 6 bytes, 4 elements of u8 need 4" ops.o add u8[2,2]=@six f32[1] f32[1] 0
gives "a missing file" 2 "cannot read 'gone': No such file" ops.o add u8=@gone f32[1] f32[1] 0
gives "a file without a type" 2 'a file of raw elements needs a type: write TYPE=@FILE' ops.o add @six f32[1] f32[1] 0

# NumPy's files in
npy a.npy '<f4' '2, 3' False 0 1 2 3 4 5.5
passes "type and shape of a file of NumPy" 'f32\[2,3\]: 0 1 2 3 4 5.5$' @a.npy
passes "with the type said" 'f32\[2,3\]: 0 1 2 3 4 5.5$' f32=@a.npy
passes "with another shape of as many elements" 'f32\[3,2\]: 0 1 2 3 4 5.5$' f32[3,2]=@a.npy
for type in f2:f16 f4:f32 f8:f64 i2:s16 i4:s32 i8:s64 u2:u16 u4:u32 u8:u64; do
	npy t.npy "<${type%:*}" 3, False 1 2 100
	passes "NumPy's ${type%:*}" "${type#*:}\\[3\\]: 1 2 100\$" @t.npy
done
for type in i1:s8 u1:u8 b1:u8; do
	npy t.npy "|${type%:*}" 2, False 0 1
	passes "NumPy's ${type%:*}" "${type#*:}\\[2\\]: 0 1\$" @t.npy
done
npy t.npy '<V2' 2, False 0x3f80 0xc040
passes "ml_dtypes' bfloat16" 'bf16\[2\]: 1 -3$' @t.npy
npy t.npy '<f4' '' False 7
passes "a scalar" 'f32\[1\]: 7$' @t.npy
npy t.npy '<f4' 2, True 1 2
passes "one dimension has no order" 'f32\[2\]: 1 2$' @t.npy
npy t.npy '<f4' '2, 2' True 1 2 3 4
gives "Fortran's order" 2 "'t.npy' is in Fortran's order; save it with numpy.ascontiguousarray" ops.o add @t.npy f32[1] f32[1] 0
npy t.npy '>f4' 2, False 1 2
gives "big-endian numbers" 2 "'t.npy' is big-endian \(>f4\); save it with array.astype\('<f4'\)" ops.o add @t.npy f32[1] f32[1] 0
npy t.npy '<c8' 1, False 1
gives "complex numbers" 2 "NumPy's type <c8, which the AI core does not know" ops.o add @t.npy f32[1] f32[1] 0
gives "another type than said" 2 "'a.npy' has elements of type f32, the tensor f16" ops.o add f16=@a.npy f32[1] f32[1] 0
gives "another number of elements" 2 "'a.npy' has 6 elements, the tensor 5" ops.o add f32[5]=@a.npy f32[1] f32[1] 0
head -c 100 a.npy >cut.npy
gives "a file that was cut off" 2 "'cut.npy' is not a file as numpy.save|'cut.npy' ends before" ops.o add @cut.npy f32[1] f32[1] 0
head -c 140 a.npy >cut.npy
gives "a file whose elements were cut off" 2 "'cut.npy' ends before its 6 elements of f32 do" ops.o add @cut.npy f32[1] f32[1] 0
{ cat a.npy; echo; } >long.npy
gives "a file with more behind it" 2 "'long.npy' has more bytes than its 6 elements" ops.o add @long.npy f32[1] f32[1] 0
cp six raw.npy
gives "a file of another format" 2 "'raw.npy' is not a file as numpy.save\(\) writes it" ops.o add @raw.npy f32[1] f32[1] 0
gives "a missing file of NumPy" 2 "cannot read 'gone.npy'" ops.o add @gone.npy f32[1] f32[1] 0
npy t.npy '<f4' '0, 3' False
gives "no elements" 2 'a shape of no elements' ops.o add @t.npy f32[1] f32[1] 0
npy t.npy '<f4' '1, 1, 1, 1, 1, 1, 1, 1, 1' False 1
gives "nine dimensions" 2 'more than 8 dimensions' ops.o add @t.npy f32[1] f32[1] 0

# NumPy's files out: read back by Python as its documentation says
read_npy()
{
	/usr/bin/python3 - "$1" <<-'END'
	import ast, struct, sys
	data = open(sys.argv[1], "rb").read()
	assert data[:8] == b"\x93NUMPY\x01\x00"
	length = struct.unpack("<H", data[8:10])[0]
	assert (10 + length) % 64 == 0 and data[9 + length] == 10
	head = ast.literal_eval(data[10:10 + length].decode())
	assert set(head) == {"descr", "fortran_order", "shape"}
	print(head["descr"], head["fortran_order"], head["shape"], data[10 + length:].hex())
	END
}
gives "--write of a file of NumPy" 0 z --write=z=z.npy ops.o add f32[2,3]=iota f32[2,3]=1 f32[2,3] 6
is "its contents" "$(read_npy z.npy)" "<f4 False (2, 3) 0000803f000000400000404000008040""0000a0400000c040"
gives "one dimension" 0 x --write=x=x.npy ops.o takes u8=1,2
is "its contents" "$(read_npy x.npy)" "|u1 False (2,) 0102"
gives "bf16" 0 x --write=x=x.npy ops.o takes bf16=1,-3
is "its contents" "$(read_npy x.npy)" "|V2 False (2,) 803f40c0"
gives "what was written can be read" 0 'bf16\[2\]: 1 -3$' ops.o takes @x.npy
gives "--write of raw elements" 0 x --write=0=x.raw ops.o takes u8=1,2
is "its contents" "$(od -An -tx1 x.raw)" " 01 02"
gives "--write into a missing folder" 1 "cannot write 'gone/x': No such file" --write=0=gone/x ops.o takes u8=1,2
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
	check "NumPy reads it" /usr/bin/python3 -c 'import numpy; assert numpy.load("z.npy").tolist() == [[1, 2, 3], [4, 5, 6]]'
	/usr/bin/python3 -c 'import numpy; numpy.save("n.npy", numpy.arange(6, dtype="f2").reshape(2, 3))'
	passes "a file that NumPy wrote" 'f16\[2,3\]: 0 1 2 3 4 5$' @n.npy
fi

# Comparisons; z = x + y
sum()
{
	gives "$@"
}
sum "--expect a number" 0 z --expect=2=3 ops.o add f32[8]=1 f32[8]=2 f32[8] 8
sum "--expect by name" 0 z --expect=z=3 ops.o add f32[8]=1 f32[8]=2 f32[8] 8
sum "--expect a list" 0 z --expect=z=1,2,3,4,5,6,7,8 ops.o add f32[8]=iota f32[8]=1 f32[8] 8
sum "--expect iota" 0 z --expect=z=iota ops.o add f32[8]=iota f32[8]=0 f32[8] 8
sum "--expect zero" 0 z --expect=z=zero ops.o add f32[8]=-1 f32[8]=1 f32[8] 8
sum "--expect a file of NumPy" 0 z --expect=z=@z.npy ops.o add f32[2,3]=iota f32[2,3]=1 f32[2,3] 6
sum "--expect nan" 0 z --expect=z=nan ops.o add f32[8]=inf f32[8]=-inf f32[8] 8
sum "zero is zero" 0 z --expect=z=-0 ops.o add f32[8]=0 f32[8]=0 f32[8] 8
sum "a difference" 1 '^anpu-op: argument 2 \(z\): element 3 is 4, expected 7$' --expect=z=1,2,3,7,5,6,7,8 ops.o add f32[8]=iota f32[8]=1 f32[8] 8
says "all of them" "$TEXT" '^anpu-op: argument 2 \(z\): 1 of 8 elements differ; largest difference 3, relative 0.428571, 6291456 ulp at element 3$'
lacks "only those that differ" 'element 2 is'
sum "places in a shape" 1 'element 1,2 is 6, expected 0$' --expect=z=1,2,3,4,5,0 ops.o add f32[2,3]=iota f32[2,3]=1 f32[2,3] 6
sum "NaN is never near" 1 '8 of 8 elements differ; largest difference inf, relative inf, NaN at element 0' --tolerance=1e300 --expect=z=1 ops.o add f32[8]=inf f32[8]=-inf f32[8] 8
sum "neither is infinity" 1 '8 of 8 elements differ' --ulp=1000000000 --rtol=1 --expect=z=3e38 ops.o add f32[8]=3e38 f32[8]=3e38 f32[8] 8
is "five are shown" "$(grep -c 'is inf, expected' <<<"$TEXT")" 5
sum "--mismatches" 1 '8 of 8' --mismatches=2 --expect=z=0 ops.o add f32[8]=1 f32[8]=1 f32[8] 8
is "as many are shown" "$(grep -c 'expected 0' <<<"$TEXT")" 2
# 100 + 1 beside 100
sum "--atol, too little" 1 '8 of 8' --atol=0.9 --expect=z=100 ops.o add f32[8]=100 f32[8]=1 f32[8] 8
sum "--atol" 0 z --atol=1 --expect=z=100 ops.o add f32[8]=100 f32[8]=1 f32[8] 8
sum "--rtol, too little" 1 '8 of 8' --rtol=0.0099 --expect=z=100 ops.o add f32[8]=100 f32[8]=1 f32[8] 8
sum "--rtol" 0 z --rtol=0.01 --expect=z=100 ops.o add f32[8]=100 f32[8]=1 f32[8] 8
sum "--rtol and --atol are added" 0 z --rtol=0.005 --atol=0.5 --expect=z=100 ops.o add f32[8]=100 f32[8]=1 f32[8] 8
sum "--tolerance, too little" 1 '8 of 8' --tolerance=0.0099 --expect=z=100 ops.o add f32[8]=100 f32[8]=1 f32[8] 8
sum "--tolerance" 0 z --tolerance=0.01 --expect=z=100 ops.o add f32[8]=100 f32[8]=1 f32[8] 8
sum "--tolerance of small numbers is absolute" 0 z --tolerance=0.5 --expect=z=0 ops.o add f32[8]=0 f32[8]=0.5 f32[8] 8
# 1 + 3 * 2^-23 is three numbers away from 1
sum "--ulp, too few" 1 '3 ulp' --ulp=2 --expect=z=1 ops.o add f32[8]=1 f32[8]=3.5762787e-7 f32[8] 8
sum "--ulp" 0 z --ulp=3 --expect=z=1 ops.o add f32[8]=1 f32[8]=3.5762787e-7 f32[8] 8
sum "--ulp across zero" 0 z --ulp=2 --expect=z=-1.4e-45 ops.o add f32[8]=0 f32[8]=1.4e-45 f32[8] 8
sum "--ulp of integers" 0 x --ulp=1 --expect=x=-7,9 ops.o takes s32=-8,10
sum "integers of 64 bits differ by one" 1 'is 9007199254740993, expected 9007199254740992' --expect=x=9007199254740992 ops.o takes u64=9007199254740993

# Misuse
gives "--expect of nothing" 2 "write the number or name of an argument" --expect=z ops.o add
gives "--expect of an unknown name" 2 "--expect=zz=...: there is no such argument, did you mean 'z'\?" --expect=zz=1 ops.o add f32[8] f32[8] f32[8] 8
gives "--expect of a number too high" 2 "--expect=4=...: there is no such argument; they are numbered from 0 to 3" --expect=4=1 ops.o add f32[8] f32[8] f32[8] 8
gives "--expect of a value" 2 "--expect=n=...: argument 3 \(n\) is not a tensor" --expect=n=1 ops.o add f32[8] f32[8] f32[8] 8
gives "--write of a value" 2 "--write=3=...: argument 3 \(n\) is not a tensor" --write=3=x ops.o add f32[8] f32[8] f32[8] 8
gives "--expect of too few numbers" 2 'the list has 2 numbers, fewer than the tensor.s 8 elements' --expect=z=1,2 ops.o add f32[8] f32[8] f32[8] 8
gives "too many numbers" 2 'the list has more numbers' ops.o add f32[2]=1,2,3 f32[8] f32[8] 8
gives "not a number" 2 "'wat' is not a number of type f32; sources are" ops.o add f32[2]=wat f32[8] f32[8] 8
gives "a number too large for its sign" 2 "'128' is not a number of type s8" ops.o takes s8[2]=128
gives "bits in hexadecimal" 0 'changed|-1|s8' ops.o takes s8[2]=0xff
gives "a negative number" 2 "'-1' is not a number of type u16" ops.o takes u16[2]=-1
gives "a number too large" 2 "'256' is not a number of type u8" ops.o takes u8[2]=256
gives "an empty shape" 2 'between \[ and \] stands the number of elements' ops.o add f32[] f32[8] f32[8] 8
gives "a shape of nothing" 2 'between \[ and \] stands' ops.o add f32[2,0] f32[8] f32[8] 8
gives "a shape too large" 2 '1 to 2\^30' ops.o add f32[65536,65536] f32[8] f32[8] 8
gives "a shape of nine dimensions" 2 'up to 8 dimensions' ops.o add f32[1,1,1,1,1,1,1,1,1] f32[8] f32[8] 8
gives "an unknown type" 2 'the parameter is a pointer: give a tensor' ops.o add f33[2] f32[8] f32[8] 8
gives "a value too large" 2 "not a number of the parameter's type int8_t, a whole number from -128 to 127" ops.o values s64[5] 300 1 1 1 1
gives "a value of another size" 2 "argument 's32:1': has 4 bytes, the parameter 1" --cast ops.o values s64[5] s32:1 1 1 1 1
gives "a tensor for a value" 2 'is a tensor, but the parameter is a value' ops.o values s64[5] s8[1] 1 1 1 1
finish
