#!/bin/bash
# SPDX-License-Identifier: MIT
# anpucc's run-time library computes what the host's libraries compute.
. "$(dirname "$0")/common.sh"

# Without contraction on both sides: the host may have no fused multiply-add.
compiles "runtime.c" -ffp-contract=off -o rt.o "$HERE/runtime.c"
check "runtime.c for the host" cc -std=gnu11 -O1 -fno-builtin -ffp-contract=off -w -o host "$HERE/runtime.c" -lm

# Numbers with every kind of corner: random ones, few bits, powers of two and their neighbours
/usr/bin/python3 - <<'END'
import random, struct
r = random.Random(4)
mask = (1 << 128) - 1
special = [0, 1, 2, 3, mask, mask - 1, 1 << 127, (1 << 127) - 1, 1 << 64, (1 << 64) - 1, (1 << 63), 10 ** 38]
special += [(1 << n) + d & mask for n in range(0, 128, 5) for d in (-1, 0, 1)]
numbers = special + [r.getrandbits(r.randint(1, 128)) for _ in range(400)]
# halfway cases of the conversions to float and double
numbers += [((r.getrandbits(53) | 1 << 53) * 2 + 1 << r.randint(0, 70)) & mask for _ in range(100)]
numbers += [((r.getrandbits(24) | 1 << 24) * 2 + 1 << r.randint(0, 100)) + r.randint(-1, 1) & mask for _ in range(100)]
numbers = [n & mask for n in numbers]
pair = [v for n in numbers for v in (n & (1 << 64) - 1, n >> 64)]
open("one", "wb").write(struct.pack("<%dQ" % len(pair), *pair))
both = [v for _ in range(1000) for n in (r.choice(numbers), r.choice(numbers)) for v in (n & (1 << 64) - 1, n >> 64)]
open("two", "wb").write(struct.pack("<%dQ" % len(both), *both))
reals = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0.49999999999999994, 4503599627370495.5, 8388607.5, 1e300, -1e300,
         float("inf"), -float("inf"), 1e-310, -1e-310, 2.0 ** 52, 2.0 ** 53, -2.0 ** 52 + 0.5, 8388608.0]
reals += [r.uniform(-100, 100) for _ in range(500)] + [r.uniform(-1, 1) * 2.0 ** r.randint(-60, 60) for _ in range(500)]
reals += [n + 0.5 for n in range(-50, 50)]
open("reals", "wb").write(struct.pack("<%dd" % len(reals), *reals))
printed = [v for v in reals if abs(v) != float("inf")]
printed += [0.1, 9.5, 99.5, 0.95, 9.9999995, 999999.5, 9999995.0, 1e22, 1e23, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308]
printed += [r.choice((1, -1)) * r.randint(1, 999) * 10.0 ** r.randint(-12, 12) for _ in range(300)]
printed += [struct.unpack("<d", r.randbytes(8))[0] for _ in range(300)]
printed = [v for v in printed if v == v]
open("printed", "wb").write(struct.pack("<%dd" % len(printed), *printed))
open("bytes", "wb").write(bytes(r.getrandbits(8) for _ in range(256)))
END

# same KERNEL INPUT TYPE [COUNT]: the operator's output is the host's
same()
{
	check "$1 on the host" ./host "$1" "$2" want
	runs "$1 on the AI core" --expect=1=@want rt.o "$1" "$3=@$2" "u64[$(($(stat -c %s want) / 8))]" ${4:+"$4"}
}
same int128 two u64 1000
same convert one u64 $(($(stat -c %s one) / 16))
same rounding reals f64 $(($(stat -c %s reals) / 8))
same memory bytes u8
is "anpu_printf" "$("$OP" -q rt.o print 'u8=119,111,114,100,0')" "$(./host word)"
is "anpu_printf of numbers" "$("$OP" -q rt.o print_reals f64=@printed $(($(stat -c %s printed) / 8)))" \
	"$(./host reals printed)"
source_file mistake.c <<-'END'
	ANPU_KERNEL void f(void) { const char *text = "%d %y %5"; anpu_printf(text, 1); }
END
compiles "a format with mistakes" -o mistake.o mistake.c
is "what is no conversion is text" "$("$OP" -q mistake.o f)" "1 %y %5"

# Everything that the library says it has can be linked.
/usr/bin/python3 - "$TOP/scripts/anpucc.d" >all.c <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from runtime import everything
names = everything()
print("#include <anpu/anpu_intrin.h>")
# A name of its own for each, for clang knows some of them as built-in functions.
print("\n".join(f'extern void r{i}(void) __asm__("{n}");' for i, n in enumerate(names)))
print("void (*const all[])(void) = {" + ", ".join(f"r{i}" for i in range(len(names))) + "};")
print("ANPU_KERNEL void f(void **p, int i) { *p = (void *)all[i]; }")
END
compiles "all of the run-time library" -o all.o all.c
says "it is more than 50 functions" "$("$OP" -q --write=0=p all.o f 'u64[1]' 40 && od -An -tx8 p)" '0000000[1-9]'
source_file bf16.c <<-'END'
	extern _Float16 narrow(float) __asm__("__truncsfbf2");
	extern _Float16 narrow_double(double) __asm__("__truncdfbf2");
	ANPU_KERNEL void f(const float *in, const double *wide, uint16_t *out, int n)
	{
		for (int i = 0; i < n; i++) {
			out[2 * i] = anpu_bits_f16(narrow(in[i]));
			out[2 * i + 1] = anpu_bits_f16(narrow_double(wide[i]));
		}
	}
END
compiles "bfloat16" -o bf16.o bf16.c
runs "rounding to bfloat16" \
	--expect=2=0x3f80,0x3f80,0x3f80,0x3f80,0x3f82,0x3f82,0x3f81,0x3f81,0xff80,0xff80,0x7fc0,0x7fc0,0x7f80,0x7f80 \
	bf16.o f 'f32=1,1.00390625,1.01171875,1.005,-inf,nan,3.4e38' \
	'f64=1,1.00390625,1.01171875,1.003906250001,-inf,nan,3.4e38' 'u16[14]' 7
finish
