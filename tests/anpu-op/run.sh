#!/bin/bash
# SPDX-License-Identifier: MIT
# Launches: grids, cores, MIX kernels, synchronisation, threads, clocks, repetition, and what is wrong with them.
. "$(dirname "$0")/common.sh"

gives "an operator" 0 'argument 2 \(z\): f32\[8\] changed: 1 2 3 4 5 6 7 8$' ops.o add f32[8]=iota f32[8]=1 f32[8] 8
says "counts" "$TEXT" '^add: 1 blocks, [0-9]+ instructions, 4 tile operations, [0-9.]+ ms$'
gives "values of all types" 0 'out.*changed: -5 60000 -70000 6 -9$' ops.o values s64[5] -5 60000 -70000 1.5 -2.25
gives "values with types" 0 'out.*changed: -5 60000 -70000 6 -9$' ops.o values s64[5] s8:-5 u16:60000 s32:-70000 f32:1.5 f64:-2.25

# Where a block is
gives "--blocks" 0 'changed: 3 1 1 8 0 0 0 3 3 1 1 8 0 0 1 3 3 1 1 8 0 0 2 3$' --print=24 --blocks=3 ops.o places u32[24]
gives "--grid" 0 'changed: 2 3 1 8 0 0 0 6 2 3 1 8 0 0 1 6' --print=16 --grid=2,3 ops.o places u32[48]
gives "--grid, three dimensions" 0 'changed: 2 1 3 ' --grid=2,1,3 ops.o places u32[48]
gives "--cores" 0 'changed: 3 1 1 2 0 0 0 3 3 1 1 2 0 0 1 3 3 1 1 2 0 0 0 3$' --print=24 --blocks=3 --cores=2 ops.o places u32[24]
gives "--dyn-scratch" 0 'changed: 1 1 1 8 4096 0 0 1$' --dyn-scratch=4096 ops.o places u32[8]
gives "--saturate" 0 'changed: 1 1 1 8 0 1 0 1$' --saturate ops.o places u32[8]
gives "--saturate, what it does" 0 'changed: 3.40282347e\+38' --saturate ops.o add f32[8]=3e38 f32[8]=3e38 f32[8] 8
gives "without it" 0 'changed: inf' ops.o add f32[8]=3e38 f32[8]=3e38 f32[8] 8
gives "--overflow, of none" 0 '^overflow: none$' --overflow ops.o add f32[8]=1e38 f32[8]=1e38 f32[8] 8
gives "--overflow, of one" 0 '^overflow: infinite from finite operands$' --overflow ops.o add f32[8]=3e38 f32[8]=3e38 f32[8] 8
gives "--overflow, of what was infinite" 0 '^overflow: none$' --overflow ops.o add f32[8]=inf f32[8]=1 f32[8] 8
gives "--overflow, of NaN" 0 '^overflow: NaN from numbers$' --overflow ops.o add f32[8]=inf f32[8]=-inf f32[8] 8
gives "--overflow, of both" 0 '^overflow: infinite from finite operands, NaN from numbers$' \
	--overflow ops.o add f32[2]=inf,3e38 f32[2]=-inf,3e38 f32[2] 2
gives "--overflow with --saturate" 0 '^overflow: infinite' --overflow --saturate ops.o add f32[8]=3e38 f32[8]=3e38 f32[8] 8
gives "--overflow in JSON" 0 '"infinite": true' --overflow --json ops.o add f32[8]=3e38 f32[8]=3e38 f32[8] 8
says "both bits" "$TEXT" '"nan": false'
gives "no line without it" 0 'changed: inf' ops.o add f32[8]=3e38 f32[8]=3e38 f32[8] 8
lacks "none" overflow

# Kinds of cores
gives "a vector kernel" 0 'changed: 2$' ops.o vector_only u32[1]
gives "a cube kernel" 3 'illegal instruction: VDUP is a vector operation' ops.o cube_only
gives "a MIX kernel by its name" 0 'c\): f32\[3,16,16\] changed: 33 33' --blocks=3 --expect=c=33 --expect=stamp=100,101,102 \
	mix.o mul1 f16[3,16,16]=1 f16[3,16,16]=2 f32[3,16,16] u32[3]
says "its parts" "$TEXT" '^mul1: 3 blocks of 1 cube and 2 vector parts, '
gives "a MIX kernel on threads" 0 'stamp' --threads=3 --blocks=40 --expect=c=33 \
	mix.o mul1 f16[40,16,16]=1 f16[40,16,16]=2 f32[40,16,16] u32[40]
gives "one vector part if the file does not say" 3 'failed in block 1\.0|failed in block 0\.1' mix.o stuck
says "a deadlock names who waits" "$TEXT" 'deadlock: 1 of 2 blocks wait, the others ended: block 0\.1 for cross flag 5'
says "and where" "$TEXT" 'at stuck_mix_aiv\+0x'
gives "half of a MIX kernel" 3 'mode GROUP needs a MIX kernel' mix.o stuck_mix_aiv

# Blocks that wait for each other
expected()
{
	seq 1 "$1" | awk -v n="$1" '{ printf "%s%d", (NR > 1 ? "," : ""), ($1 % n) * 3 + 1 }'
}
for blocks in 1 2 100 3000; do
	for threads in 1 3; do
		gives "SYNCALL of $blocks blocks on 2 cores, $threads threads" 0 'out' --blocks=$blocks --cores=2 --threads=$threads \
			--expect="out=$(expected $blocks)" ops.o neighbours u32[$blocks] u32[$blocks]
	done
done
gives "more blocks than can wait at once" 3 'out of host resources: no room for another block: 4096 have started and wait' \
	--blocks=5000 ops.o neighbours u32[5000] u32[5000]
gives "a deadlock" 3 'deadlock: 2 of 3 blocks wait, the others ended: blocks 0, 2 for cross flag 2$' \
	--blocks=3 ops.o waits_for_nobody
gives "a deadlock on threads" 3 'deadlock: 2 of 3 blocks wait' --threads=3 --blocks=3 ops.o waits_for_nobody

# Threads and clocks
gives "one thread runs two blocks that wait for each other in turn" 0 'flag.*changed' --blocks=2 ops.o together u32[32]
gives "a block that waits for nobody" 3 'timeout: the kernel ran longer than its limit' --timeout=0.2 --blocks=1 \
	ops.o together u32[32]
says "a timeout says where" "$TEXT" 'at together\+0x'
gives "--threads" 0 'flag.*changed' --threads=2 --blocks=2 ops.o together u32[32]
gives "--threads=0" 0 'blocks' --threads=0 --blocks=64 ops.o add f32[8] f32[8] f32[8] 8
once=$("$OP" --deterministic -q --write=out=a.bin ops.o clock_reads u64[4] && od -An -tu8 a.bin)
again=$("$OP" --deterministic -q --write=out=a.bin ops.o clock_reads u64[4] && od -An -tu8 a.bin)
is "--deterministic: the clock is the same in every run" "$once" "$again"
check "and goes on" awk '{ for (i = 1; i < NF; i++) if ($i >= $(i + 1)) exit 1 }' <<<"$(tr '\n' ' ' <<<"$once")"
"$OP" -q --write=out=a.bin ops.o clock_reads u64[4]
cp a.bin b.bin
"$OP" -q --write=out=a.bin ops.o clock_reads u64[4]
check "without it the clock is the host's" bash -c '! cmp -s a.bin b.bin'
"$OP" -q --write=x=a.bin ops.o add f32[64]=rand f32[64] f32[64] 64
"$OP" -q --write=x=b.bin ops.o add f32[64]=rand f32[64] f32[64] 64
check "rand is the same in every run" cmp a.bin b.bin
"$OP" -q --seed=2 --write=x=b.bin ops.o add f32[64]=rand f32[64] f32[64] 64
check "--seed makes it another" bash -c '! cmp -s a.bin b.bin'

# Repetition: from the same state each time
gives "--repeat" 0 'changed: 6 1$' --repeat=5 ops.o counts_calls u32=5,0
says "least and median" "$TEXT" 'ms at least, [0-9.]+ ms median of 5 runs$'
is "what is printed is printed once" "$(grep -c '^call 1$' <<<"$TEXT")" 1
gives "without it" 0 'ms$' ops.o counts_calls u32=5,0

# Faults
gives "a fault" 3 "^anpu-op: kernel 'faults' failed in block 0: unmapped memory: " ops.o faults u32[1]
says "the instruction" "$TEXT" 'at faults\+0x[0-9a-f]+, pc 0x[0-9a-f]+ \(0x[0-9a-f]+ in the file\), instruction 0x[0-9a-f]{8}  sw '
line=$(grep -n 'the faulting line' ops.c | cut -d: -f1)
"$ANPUCC" -o nolines.o ops.c
if "$OP" --disassemble ops.o faults | grep -q 'ops\.c:'; then
	says "the source line" "$TEXT" "in ops.c:$line:  .*the faulting line"
fi
says "the access" "$TEXT" 'write of 4 bytes at 0x700000000'
lacks "no registers without -v" 's11 '
gives "-v" 3 's11  0x0' -v ops.o faults u32[1]
gives "a write beside a tensor" 3 'is the first byte behind argument 0 \(out\) of 12 bytes$' ops.o overrun u32[3] 3
# Nothing beside a tensor can be read or written, to the byte: SIZE of an access, and its number in ops.c
for kind in 1:0 2:1 4:2 8:3 1:4 2:5 4:6 8:7 20:8 20:9 12:10; do
	size=${kind%:*} how=${kind#*:}
	for bytes in 41 4097; do
		last=$((bytes - size))
		[ "$how" != 10 ] || last=$((last / 4 * 4))
		gives "access $how of $size bytes, the last of $bytes" 0 'access: 1 blocks' ops.o access u8[$bytes] $last "$how"
		gives "access $how, the first of $bytes" 0 'access: 1 blocks' ops.o access u8[$bytes] 0 "$how"
		step=1
		[ "$how" != 10 ] || step=4
		gives "access $how, $step bytes too far in $bytes" 3 "is the first byte behind argument 0 \(x\) of $bytes bytes" \
			ops.o access u8[$bytes] $((last + step)) "$how"
		gives "access $how, $step bytes too early in $bytes" 3 "is $step bytes? before argument 0 \(x\) of $bytes bytes" \
			ops.o access u8[$bytes] -$step "$how"
	done
done
gives "all bytes of a tensor" 0 'out.*changed: 10001$' ops.o sum_bytes u8[10001]=1 u32[1] 0 10001
gives "and one behind it" 3 'is the first byte behind argument 0 \(x\)' ops.o sum_bytes u8[10001]=1 u32[1] 0 10002
gives "or with --slack" 0 'out.*changed: 10001$' --slack=32 ops.o sum_bytes u8[10001]=1 u32[1] 0 10002
gives "all that --slack gives" 0 'out.*changed: 10001$' --slack=32 ops.o sum_bytes u8[10001]=1 u32[1] 0 10033
gives "and one behind that" 3 'is the first byte behind argument 0 \(x\)' --slack=32 ops.o sum_bytes u8[10001]=1 u32[1] 0 10034
gives "too much slack" 2 'slack' --slack=4097 ops.o sum_bytes u8[10001]=1 u32[1] 0 1
gives "and one before it" 3 'is 1 byte before argument 0 \(x\)' ops.o sum_bytes u8[10001]=1 u32[1] -1 10001
# One tensor for two parameters
gives "the same tensor" 0 'x.*changed: 5 1 1 1 1 1 1 1$' ops.o sum_bytes u8[8]=1 same:0 0 4
gives "a tensor that comes later" 2 "'same:1': argument 1 is no tensor that stands before this one" ops.o sum_bytes same:1 u32[1] 0 4
gives "the same value" 2 "'same:2': argument 2 is no tensor" ops.o sum_bytes u8[8]=1 same:2 0 4
gives "the same nothing" 2 "'same:x': not the number of an argument" ops.o sum_bytes u8[8]=1 same:x 0 4
gives "an address for a number" 2 "'same:0': is an address, but the parameter has 4 bytes" ops.o numbers f32[3] same:0 2 0
# Lists of tensors, whose members stand behind the kernel's own arguments: 40 bytes, the offset of the addresses, 24, is the first one
gives "a list" 0 'out.*changed: 24$' ops.o sum_bytes list:4 u32[1] 0 8 u8[3]=5
gives "a list's dimensions: 2, 1 and 3" 0 'out.*changed: 6$' ops.o sum_bytes list:4 u32[1] 8 32 'u8[1,3]=5'
gives "a list of a value" 2 "'list:3': argument 3 is no tensor" ops.o sum_bytes list:3 u32[1] 0 4
gives "a list of nothing" 2 "'list:': not the numbers of arguments" ops.o sum_bytes list: u32[1] 0 4
gives "a list of an argument that is not there" 2 "'list:9': argument 9 is no tensor" ops.o sum_bytes list:9 u32[1] 0 4
gives "a list of the kernel's own argument" 2 "'u32\[1\]': is a member of a list; members stand behind" ops.o sum_bytes list:1 u32[1] 0 4 u8[1]
gives "a tensor behind the arguments that is in no list" 2 "takes 4 arguments, 5 are given" ops.o sum_bytes list:5 u32[1] 0 4 u8[1] u8[1]
gives "a list for a number" 2 "'list:3': is an address, but the parameter has 4 bytes" ops.o numbers f32[3] list:3 2 f32[1]
# Arguments have the types of the parameters
gives "a tensor of another type" 2 "'f32\[4\]': is a tensor of f32, but the parameter has the type const _Float16 \* and points to f16; write f16" \
	ops.o pointers f32[4] u16[1] u8[1] null 1
gives "--cast" 0 'pointers: 1 blocks' --cast ops.o pointers f32[4] u16[1] u8[1] null 1
gives "bf16 for uint16_t" 0 'pointers: 1 blocks' ops.o pointers f16[4] bf16[1] f32[1] f32[2] 1
gives "f16 for uint16_t" 2 "is a tensor of f16, but the parameter has the type uint16_t \* and points to u16" \
	ops.o pointers f16[4] f16[1] u8[1] null 1
gives "another integer" 2 'write s64' ops.o values u64[5] 0 0 0 0 0
gives "numbers of the parameters' types" 0 'changed: 3 2 -1.5$' ops.o numbers f32[3] 3 2 -1.5
gives "1.5 for an integer" 2 "'1.5': not a number of the parameter's type uint32_t, a whole number from 0 to 4294967295" \
	ops.o numbers f32[3] 1.5 2 0
gives "a negative number for one without sign" 2 "'-1': not a number of the parameter's type uint32_t" ops.o numbers f32[3] -1 2 0
gives "a word for a number" 2 "'one': not a number of the parameter's type float" ops.o numbers f32[3] 1 one 0
gives "a value of another type" 2 "'f32:1.5': is f32, but the parameter has the type uint32_t, which is u32; leave 'f32:' out, or give --cast" \
	ops.o numbers f32[3] f32:1.5 2 0
gives "--cast of a value" 0 'changed: 1.06954752e\+09 2 0$' --cast ops.o numbers f32[3] f32:1.5 2 0
gives "--timeout" 3 'timeout' --timeout=0.1 ops.o together u32[32]
gives "starting together" 2 "starts all blocks together, 9 of them need as many cores, and there are 8" --blocks=9 ops.o batch
gives "with enough cores" 0 'batch: 9 blocks' --blocks=9 --cores=9 ops.o batch

# The checking mode
gives "an operator that works only in order" 0 'changed: 3 3' ops.o no_flag f32[8]=3 f32[8]
gives "--check finds a race" 3 'race: VBINS reads src0 UB\+0x40 before DMA_LIN at 0x2[0-9a-f]+ .*wait for a flag from MTE2 to V' \
	--check ops.o no_flag f32[8]=3 f32[8]
says "the instruction that is not waited for" "$TEXT" '^  0x2[0-9a-f]+ is no_flag\+0x[0-9a-f]+'
gives "an operator that reads what nothing wrote" 0 'unset: 1 blocks' ops.o unset f32[8]
gives "--check finds it" 3 'uninitialised memory: VBINS: src0 UB\+0x40, byte 0 of 32, was never written' --check ops.o unset f32[8]
gives "--check of a right one" 0 'changed: 2 2' --check ops.o add f32[8]=1 f32[8]=1 f32[8] 8

# Misuse
echo text >text.o
gives "a missing operator" 2 "cannot open 'gone.o': No such file" gone.o
gives "not an operator" 2 "'text.o' .*ELF" text.o add
gives "no arguments at all" 2 '^usage: anpu-op'
gives "--help" 0 '^EXIT STATUS' --help
for option in $(grep -o '{ "[a-z-]*"' "$TOP/lib/tools/op/options.c" | grep -o '[a-z-]*' | sort -u); do
	case $option in
	help) ;;
	*) says "--help has --$option" "$TEXT" "(^| )--$option(\[?=| |$)" ;;
	esac
done
gives "an unknown option" 2 "unrecognized option '--bogus'" --bogus ops.o add
gives "an unknown kernel" 2 "'ops.o' has no kernel 'ad', did you mean 'add'\? it has add, values" ops.o ad
gives "an unknown kernel without a near one" 2 "has no kernel 'zzzzzzzz'; it has add" ops.o zzzzzzzz
gives "a MIX kernel's name is near, too" 2 "did you mean 'mul1'\?" mix.o mull
gives "too few arguments" 2 "kernel 'add' takes 4 arguments, 1 are given; they are const float \* x, const float \* y, float \* z, uint32_t n" \
	ops.o add f32[1]
gives "an argument too many" 2 "kernel 'prints' takes 0 arguments, 1 are given; it has no parameters" ops.o prints 1
gives "which parameter it is" 2 '^  it is for parameter 3, uint32_t n$' ops.o add f32[1] f32[1] f32[1] 1.5x
gives "--blocks=0" 2 '--blocks=0: give a number from 1 to 65535' --blocks=0 ops.o add
gives "--blocks=1.5" 2 '--blocks=1.5: give a whole number' --blocks=1.5 ops.o add
gives "--grid=1,2,3,4" 2 '--grid=1,2,3,4: give X,Y,Z' --grid=1,2,3,4 ops.o add
gives "--grid=2," 2 '--grid=2,: give X,Y,Z' --grid=2, ops.o add
gives "--grid=300,300" 2 'product of at most 65535' --grid=300,300 ops.o add
gives "--dyn-scratch too large" 2 'from 0 to 262144' --dyn-scratch=262145 ops.o add
gives "--deterministic on threads" 2 '--deterministic is for one thread' --deterministic --threads=2 ops.o add
gives "--trace on threads" 2 '--trace is for one thread' --trace --threads=2 ops.o add
gives "--trace and --repeat" 2 '--trace and --repeat do not go together' --trace --repeat=2 ops.o add
gives "129 arguments" 2 '129 arguments are more than the 128' ops.o add $(seq 129)
finish
