#!/bin/bash
# SPDX-License-Identifier: MIT
# The main job as a user runs it: files of numbers in, a checked file of sums out.
. "$(dirname "$0")/tap.sh"

VADD=build/samples/vadd/vadd
DATA=tests/samples/vadd/data
cd_out=build/tests/e2e
mkdir -p "$cd_out"

vm()
{
	scripts/anpu-run --no-tty "$@"
}

# sums FILE_X FILE_Y FILE_Z FORMAT: the sums as Python computes them, rounded once
sums()
{
	/usr/bin/python3 - "$@" <<-'END'
	import struct, sys
	x, y, z, kind = sys.argv[1:]
	def read(path):
	    data = open(path, "rb").read()
	    if path.endswith((".f16", ".f32")):
	        return struct.unpack("<%d%s" % (len(data) // struct.calcsize(kind), kind), data)
	    lines = (l.split("#")[0] for l in data.decode().splitlines())
	    rounded = lambda v: struct.unpack(kind, struct.pack(kind, v))[0]
	    return [rounded(float(v)) for l in lines for v in l.replace(",", " ").split()]
	x, y, z = read(x), read(y), read(z)
	want = [struct.unpack(kind, struct.pack(kind, a + b))[0] for a, b in zip(x, y)]
	wrong = [i for i, (a, b) in enumerate(zip(want, z)) if a != b]
	if len(z) != len(x) or wrong:
	    sys.exit("%d sums of %d, wrong at %s" % (len(z), len(x), wrong[:5]))
	print(len(z), "sums are right")
	END
}

# number WORDS: the milliseconds behind the words in what make run said
number() { sed -n "s/^ *$1 *\([0-9.]*\) ms.*/\1/p" "$cd_out/run.txt"; }

make_run_adds_a_million_numbers()
{
	rm -f build/result.f32
	make -s -C tests run >"$cd_out/run.txt" 2>&1 || { cat "$cd_out/run.txt"; return 1; }
	cat "$cd_out/run.txt"
	grep -q 'maximal error *0 ' "$cd_out/run.txt"
	grep -q '1048576 elements of fp32, 4.19 MB in each tensor' "$cd_out/run.txt"
	[ "$(grep -c 'ms  ([0-9.]* [KMG]*B/s)$' "$cd_out/run.txt")" = 4 ]
	sums build/samples/vadd/x.f32 build/samples/vadd/y.f32 build/result.f32 f
}

the_device_tells_how_long_it_computed()
{
	# It is a part of what the calls took.
	echo "$(number 'on the device') of $(number 'launch and wait') ms"
	/usr/bin/python3 -c "import sys; sys.exit(not 0 < float(sys.argv[1]) <= float(sys.argv[2]))" \
		"$(number 'on the device')" "$(number 'launch and wait')"
}

the_small_example_has_no_rates()
{
	rm -f build/result.txt
	make -s -C tests run X=$DATA/anscombe-x.txt Y=$DATA/anscombe-y.txt >"$cd_out/run.txt" 2>&1 ||
		{ cat "$cd_out/run.txt"; return 1; }
	cat "$cd_out/run.txt"
	grep -q '44 elements of fp32, 176 B in each tensor' "$cd_out/run.txt"
	grep -q 'on the device *[0-9.]* ms$' "$cd_out/run.txt"
	! grep -q 'B/s' "$cd_out/run.txt"
	sums $DATA/anscombe-x.txt $DATA/anscombe-y.txt build/result.txt f
}

fp16_of_two_million_elements()
{
	/usr/bin/python3 tests/samples/vadd/gen-data.py 2097152 "$cd_out/x.f16" "$cd_out/y.f16"
	vm $VADD "$cd_out/x.f16" "$cd_out/y.f16" "$cd_out/z.f16"
	sums "$cd_out/x.f16" "$cd_out/y.f16" "$cd_out/z.f16" e
}

# The device of a newcomer's first run has inner loops for this machine's processor only, and computes the same
the_model_of_the_first_run_computes()
{
	local libs=(-pthread -lm) op
	make -s -j"$(nproc)" -C qemu-device native && make -s -C lib/tools >/dev/null || return 1
	[ ! -s build/tools/libdw ] || read -ra libs <<<"$(cat build/tools/libdw) -pthread -lm"
	gcc -o "$cd_out/anpu-op" build/tools/anpu-op.a build/model/native/libanpu-model.a "${libs[@]}" || return 1
	nm "$cd_out/anpu-op" >"$cd_out/names.txt"
	[ "$(grep -c 'D tile_kernels_\|T lanes_run_' "$cd_out/names.txt")" = 2 ] || { grep 'tile_k\|lanes_r' "$cd_out/names.txt"; return 1; }
	for op in "$cd_out/anpu-op" build/tools/anpu-op; do
		"$op" --blocks=8 "--write=1=$cd_out/$(basename "$(dirname "$op")").f32" build/operators/softmax.o softmax_f32 \
			'f32[64,300]=rand' 'f32[64,300]' 64 300 || return 1
	done
	cmp "$cd_out/e2e.f32" "$cd_out/tools.f32"
}

# One boot for all bad input: each line of the answer is checked below
bad_input()
{
	local v=$VADD x=$DATA/anscombe-x.txt y=$DATA/anscombe-y.txt z=$cd_out/bad.txt
	head -c 100 build/samples/vadd/vadd.o >"$cd_out/cut.o"
	echo 1 2 3 >"$cd_out/three.txt"
	echo 1 2 three >"$cd_out/word.txt"
	: >"$cd_out/empty.txt"
	cat >"$cd_out/bad.sh" <<-END
	# The two streams leave the VM on two ways: one keeps the order
	exec 2>&1
	one()
	{
		echo "== \$1"
		shift
		rm -f $z
		"\$@"
		echo "status \$?"
		[ ! -e $z ] || echo "a result was written"
	}
	one missing $v /nonexistent.txt $y $z
	one unequal $v $x $cd_out/three.txt $z
	one word $v $cd_out/word.txt $y $z
	one empty $v $cd_out/empty.txt $cd_out/empty.txt $z
	one noop $v --operator=/nonexistent.o $x $y $z
	one cutop $v --operator=$cd_out/cut.o $x $y $z
	one x86op $v --operator=$v $x $y $z
	one otherop $v --operator=build/operators/empty.o $x $y $z
	one device $v --device=9 $x $y $z
	one blocks $v --blocks=0 $x $y $z
	one usage $v $x
	one nodir $v $x $y /nonexistent/dir/z.txt
	one last $v $x $y $z
	END
	vm sh "$cd_out/bad.sh" >"$cd_out/bad.log" 2>&1
}

# said CASE STATUS WORD...: what one of them answered
said()
{
	local text word
	text=$(sed -n "/^== $1\$/,/^== /p" "$cd_out/bad.log" | sed '1d;/^== /d')
	echo "$text"
	grep -qx "status $2" <<<"$text"
	if [ "$2" != 0 ] && grep -q 'result was written' <<<"$text"; then
		return 1
	fi
	shift 2
	for word; do
		grep -qiF -- "$word" <<<"$text" || { echo "'$word' is missing"; return 1; }
	done
}

a_missing_input_file() { said missing 1 /nonexistent.txt "No such file"; }
files_of_different_lengths() { said unequal 1 44 3 three.txt; }
a_word_among_the_numbers() { said word 1 word.txt three; }
files_without_numbers() { said empty 1 empty.txt; }
a_missing_operator() { said noop 1 /nonexistent.o 107009; }
a_truncated_operator() { said cutop 1 cut.o truncated; }
a_host_program_as_operator() { said x86op 1 x86-64; }
an_operator_without_the_kernel() { said otherop 1 vadd_f32 empty; }
an_unknown_device() { said device 1 107001 9; }
no_blocks() { said blocks 2 blocks; }
too_few_arguments() { said usage 2 usage; }
a_result_that_cannot_be_written() { said nodir 1 /nonexistent/dir/z.txt; }
the_good_job_after_all_of_them() { said last 0 "maximal error"; }

test_that make_run_adds_a_million_numbers
test_that the_device_tells_how_long_it_computed
test_that the_small_example_has_no_rates
test_that fp16_of_two_million_elements
test_that the_model_of_the_first_run_computes
test_that bad_input
for name in a_missing_input_file files_of_different_lengths a_word_among_the_numbers \
	files_without_numbers a_missing_operator a_truncated_operator a_host_program_as_operator \
	an_operator_without_the_kernel an_unknown_device no_blocks too_few_arguments \
	a_result_that_cannot_be_written the_good_job_after_all_of_them; do
	test_that $name
done
finish
