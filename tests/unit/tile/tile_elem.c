// SPDX-License-Identifier: MIT
/*
 * VBIN, VBINS, VUN, VDUP and VCVT against references in long double and 128-bit integers, for the
 * plain kernels and those of this host, over random and special values.
 */
#include "tile_test.h"

#define N	1537	/* not a multiple of anything */
#define A	0x00000
#define B	0x08000
#define D	0x10000

static const char *const bin_names[] = {
#define X(name, number, meaning) [number] = #name,
	ANPU_BIN_OPS(X)
};
#undef X

static uint64_t max_ref(uint64_t a, uint64_t b, unsigned int type, bool min)
{
	long double x = real(a, type), y = real(b, type);

	if (isnan(x) || isnan(y))
		return nan_of(type);
	if (x == y && x == 0)
		return min ? a | b : a & b;
	return (x > y) != min ? a : b;
}

/* a result that floating-point hardware would give: the sum's exact value may not fit long double */
static uint64_t float_ref(unsigned int op, uint64_t a, uint64_t b, unsigned int type)
{
	long double x = real(a, type), y = real(b, type), r;

	switch (op) {
	case ANPU_BIN_ADD: case ANPU_BIN_ADDRELU:
		r = type == ANPU_TYPE_F16 ? x + y : (long double)((float)x + (float)y);
		break;
	case ANPU_BIN_SUB: case ANPU_BIN_SUBRELU: case ANPU_BIN_ABSDIFF:
		r = type == ANPU_TYPE_F16 ? x - y : (long double)((float)x - (float)y);
		break;
	case ANPU_BIN_MUL: r = x * y; break;
	case ANPU_BIN_DIV: r = type == ANPU_TYPE_F32 ? (float)x / (float)y : x / y; break;
	case ANPU_BIN_MAX: return max_ref(a, b, type, false);
	case ANPU_BIN_MIN: return max_ref(a, b, type, true);
	default: r = x > 0 ? x : x * y; break;
	}
	if (op == ANPU_BIN_ABSDIFF)
		r = fabsl(r);
	if ((op == ANPU_BIN_ADDRELU || op == ANPU_BIN_SUBRELU) && r <= 0)
		r = 0;
	return round_to(r, type, ANPU_ROUND_RINT);
}

static uint64_t int_ref(unsigned int op, uint64_t a, uint64_t b, unsigned int type)
{
	unsigned int n = tile_type_bits[type];
	uint64_t all = ~0ULL >> (64 - n);
	__int128 x = whole(a, type), y = whole(b, type), r;

	switch (op) {
	case ANPU_BIN_ADD: r = x + y; break;
	case ANPU_BIN_SUB: r = x - y; break;
	case ANPU_BIN_MUL: r = (__int128)((unsigned __int128)x * (unsigned __int128)y); break;
	case ANPU_BIN_DIV: r = y ? x / y : -1; break;
	case ANPU_BIN_MAX: r = x > y ? x : y; break;
	case ANPU_BIN_MIN: r = x < y ? x : y; break;
	case ANPU_BIN_AND: r = a & b; break;
	case ANPU_BIN_OR: r = a | b; break;
	case ANPU_BIN_XOR: r = a ^ b; break;
	case ANPU_BIN_SHL: r = b < n ? (__int128)(a << b) : 0; break;
	case ANPU_BIN_SHR: r = b < n ? x >> b : x < 0 ? -1 : 0; break;
	case ANPU_BIN_ADDRELU: r = whole((uint64_t)(x + y) & all, type); r = r > 0 ? r : 0; break;
	case ANPU_BIN_SUBRELU: r = whole((uint64_t)(x - y) & all, type); r = r > 0 ? r : 0; break;
	default: r = x > y ? x - y : y - x; break;
	}
	return (uint64_t)r & all;
}

static uint64_t bin_ref(unsigned int op, uint64_t a, uint64_t b, unsigned int type)
{
	return type_float(type) ? float_ref(op, a, b, type) : int_ref(op, a, b, type);
}

static bool compare(const char *what, unsigned int op, unsigned int type, const uint64_t *want,
		    const uint8_t *d, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (get(d, type, i) == want[i])
			continue;
		tap_diag("%s %u %s: element %zu is 0x%" PRIx64 ", want 0x%" PRIx64, what, op,
			 tile_type_name(type), i, get(d, type, i), want[i]);
		return false;
	}
	return true;
}

static void test_bin(unsigned int op, unsigned int type, bool sat)
{
	uint64_t want[N], scalar = rnd_bits(type);
	uint64_t ctl = ANPU_CTL(N, type, op);
	bool ok = true;

	rnd_fill(ub(A), type, N);
	rnd_fill(ub(B), type, N);
	memset(ub(D), 0xa5, 0x8000);
	test_block->csr.fpctl = sat;
	for (size_t i = 0; i < N; i++) {
		want[i] = bin_ref(op, get(ub(A), type, i), get(ub(B), type, i), type);
		want[i] = sat && type_float(type) ? saturated(want[i], type) : want[i];
	}
	ok = run(ANPU_TILE_VBIN, UB(D), UB(A), UB(B), ctl);
	ok = ok && compare(bin_names[op], op, type, want, ub(D), N);
	ok = ok && ub(D)[N * type_size(type)] == 0xa5;
	for (int reverse = 0; ok && reverse < 2; reverse++) {
		for (size_t i = 0; i < N; i++) {
			uint64_t a = get(ub(A), type, i);

			want[i] = reverse ? bin_ref(op, scalar, a, type) :
					    bin_ref(op, a, scalar, type);
			want[i] = sat && type_float(type) ? saturated(want[i], type) : want[i];
		}
		ok = run_within(D, N * type_size(type), ANPU_TILE_VBINS, UB(D), UB(A), scalar,
			 ctl | (reverse ? ANPU_CTL_REVERSE : 0));
		ok = ok && compare("scalar", op, type, want, ub(D), N);
	}
	/* in place */
	ok = ok && run(ANPU_TILE_VBINS, UB(A), UB(A), scalar, ctl | ANPU_CTL_REVERSE);
	ok = ok && compare("in place", op, type, want, ub(A), N);
	test_block->csr.fpctl = 0;
	tap_ok(ok, "%s %s%s, %s", bin_names[op], tile_type_name(type), sat ? " saturating" : "",
	       tile_kernels()->name);
}

static void test_bins(void)
{
	for (unsigned int op = 0; op < TILE_BINS; op++)
		for (unsigned int type = 0; type < TILE_TYPES; type++) {
			if (!tile_kernels()->bin[op][type])
				continue;
			test_bin(op, type, false);
			if (type_float(type))
				test_bin(op, type, true);
		}
}

/* all pairs of fp16 numbers are too many: all numbers against a few */
static void test_all_f16(void)
{
	static const uint16_t others[] = { 0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3555, 0x3c01,
					   0xbbff, 0x4248, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e01,
					   0x6bff, 0x1234 };
	bool ok = true;

	for (unsigned int op = ANPU_BIN_ADD; op <= ANPU_BIN_MIN; op++) {
		for (unsigned int k = 0; k < 16; k++) {
			for (unsigned int base = 0; base < 0x10000; base += 0x4000) {
				for (unsigned int i = 0; i < 0x4000; i++)
					put(ub(A), ANPU_TYPE_F16, i, base + i);
				ok = ok && run(ANPU_TILE_VBINS, UB(D), UB(A), others[k],
					       ANPU_CTL(0x4000, ANPU_TYPE_F16, op));
				for (unsigned int i = 0; ok && i < 0x4000; i++)
					ok = get(ub(D), ANPU_TYPE_F16, i) ==
					     bin_ref(op, base + i, others[k], ANPU_TYPE_F16);
			}
		}
	}
	tap_ok(ok, "ADD to MIN over all F16 numbers, %s", tile_kernels()->name);
}

/* VUN -------------------------------------------------------------------------------------------- */

static uint64_t un_ref(unsigned int op, uint64_t a, unsigned int type, unsigned int mode)
{
	uint64_t all = ~0ULL >> (64 - tile_type_bits[type]);
	uint64_t sign = 1ULL << (tile_type_bits[type] - 1);
	long double x;

	switch (op) {
	case ANPU_UN_COPY: return a;
	case ANPU_UN_NOT: return ~a & all;
	case ANPU_UN_ABS:
		return type_float(type) ? a & ~sign : a & sign ? -a & all : a;
	case ANPU_UN_NEG: return type_float(type) ? a ^ sign : -a & all;
	default: break;
	}
	if (!type_float(type))	/* RELU */
		return a & sign ? 0 : a;
	x = real(a, type);
	switch (op) {
	case ANPU_UN_RELU: return isnan(x) ? nan_of(type) : x <= 0 ? 0 : a;
	case ANPU_UN_SQRT: x = sqrtl(x); break;
	case ANPU_UN_REC: x = 1 / x; break;
	default: x = round_whole(x, mode == ANPU_ROUND_NONE ? ANPU_ROUND_RINT : mode); break;
	}
	return round_to(x, type, ANPU_ROUND_RINT);
}

static void test_un(unsigned int op, unsigned int type, unsigned int mode)
{
	uint64_t want[N];
	bool ok;

	rnd_fill(ub(A), type, N);
	for (size_t i = 0; i < N; i++)
		want[i] = un_ref(op, get(ub(A), type, i), type, mode);
	ok = run_within(D, N * type_size(type), ANPU_TILE_VUN, UB(D), UB(A), 0,
		 ANPU_CTL(N, type, op) | (uint64_t)mode << ANPU_CTL_ROUND_SHIFT);
	ok = ok && compare("VUN", op, type, want, ub(D), N);
	tap_ok(ok, "VUN %u %s mode %u, %s", op, tile_type_name(type), mode, tile_kernels()->name);
}

static void test_uns(void)
{
	static const uint8_t exact[] = { ANPU_UN_COPY, ANPU_UN_ABS, ANPU_UN_NEG, ANPU_UN_NOT,
					 ANPU_UN_RELU, ANPU_UN_SQRT, ANPU_UN_REC };

	for (unsigned int i = 0; i < sizeof(exact); i++)
		for (unsigned int type = 0; type < TILE_TYPES; type++)
			if (tile_kernels()->un[exact[i]][type])
				test_un(exact[i], type, 0);
	for (unsigned int type = 0; type <= ANPU_TYPE_BF16; type++)
		for (unsigned int mode = 0; mode <= ANPU_ROUND_ODD; mode++)
			test_un(ANPU_UN_ROUND, type, mode);
}

/* VDUP ------------------------------------------------------------------------------------------- */

static void test_dup(void)
{
	bool ok = true;

	for (unsigned int type = 0; type < TILE_TYPES; type++) {
		uint64_t v = rnd();

		if (type_size(type) == 0)
			continue;
		memset(ub(D), 0, 0x4000);
		ok = ok && run(ANPU_TILE_VDUP, UB(D), v, 0, ANPU_CTL(N, type, 0));
		for (unsigned int i = 0; i < N; i++)
			ok = ok && get(ub(D), type, i) ==
				   (v & ~0ULL >> (64 - tile_type_bits[type]));
		ok = ok && get(ub(D), type, N) == 0;
	}
	tap_ok(ok, "VDUP of every type");
}

/* VCVT ------------------------------------------------------------------------------------------- */

static uint64_t cvt_ref(unsigned int to, unsigned int from, uint64_t a, unsigned int mode)
{
	long double v = type_float(from) ? real(a, from) : (long double)whole(a, from);

	if (mode == ANPU_ROUND_NONE)
		mode = type_float(to) ? ANPU_ROUND_RINT : ANPU_ROUND_TRUNC;
	if (type_float(to))
		return round_to(v, to, mode);
	return clamp_to(round_whole(v, mode), to);
}

static void test_cvt(unsigned int to, unsigned int from)
{
	uint64_t want[N];
	bool ok = true;

	for (unsigned int mode = 0; ok && mode <= ANPU_ROUND_ODD; mode++) {
		for (unsigned int sat = 0; ok && sat < 2; sat++) {
			rnd_fill(ub(A), from, N);
			test_block->csr.fpctl = sat;
			for (size_t i = 0; i < N; i++) {
				want[i] = cvt_ref(to, from, get(ub(A), from, i), mode);
				if (sat && type_float(to))
					want[i] = saturated(want[i], to);
			}
			ok = run_within(D, N * type_size(to), ANPU_TILE_VCVT, UB(D), UB(A), 0,
					ANPU_CTL_CVT(N, to, from, mode));
			ok = ok && compare("VCVT mode", mode, to, want, ub(D), N);
			if (ok && type_size(to) <= type_size(from)) {
				ok = run(ANPU_TILE_VCVT, UB(A), UB(A), 0,
					 ANPU_CTL_CVT(N, to, from, mode));
				ok = ok && compare("VCVT in place, mode", mode, to, want, ub(A), N);
			}
		}
	}
	test_block->csr.fpctl = 0;
	tap_ok(ok, "VCVT %s to %s, all modes, %s", tile_type_name(from), tile_type_name(to),
	       tile_kernels()->name);
}

static void test_s4(void)
{
	bool ok = true;

	for (unsigned int i = 0; i < 512; i++)
		ub(A)[i] = (uint8_t)i;
	ok = run_within(D, 1024, ANPU_TILE_VCVT, UB(D), UB(A), 0,
			ANPU_CTL_CVT(1024, ANPU_TYPE_S8, ANPU_TYPE_S4, 0));
	for (unsigned int i = 0; i < 1024; i++) {
		int v = i % 2 ? ub(A)[i / 2] >> 4 : ub(A)[i / 2] & 15;

		ok = ok && (int8_t)ub(D)[i] == (v < 8 ? v : v - 16);
	}
	tap_ok(ok, "VCVT S4 to S8");
	ok = run_within(B, 512, ANPU_TILE_VCVT, UB(B), UB(D), 0,
			ANPU_CTL_CVT(1024, ANPU_TYPE_S4, ANPU_TYPE_S8, 0));
	tap_ok(ok && !memcmp(ub(A), ub(B), 512), "VCVT S8 to S4");
	ok = run_within(D, 2048, ANPU_TILE_VCVT, UB(D), UB(A), 0,
			ANPU_CTL_CVT(1024, ANPU_TYPE_F16, ANPU_TYPE_S4, 0)) &&
	     run_within(B, 512, ANPU_TILE_VCVT, UB(B), UB(D), 0,
			ANPU_CTL_CVT(1024, ANPU_TYPE_S4, ANPU_TYPE_F16, ANPU_ROUND_RINT));
	tap_ok(ok && !memcmp(ub(A), ub(B), 512), "VCVT S4 to F16 and back");
	ub(D)[0] = 100;
	ub(D)[1] = 0x80;
	ok = run(ANPU_TILE_VCVT, UB(B), UB(D), 0, ANPU_CTL_CVT(2, ANPU_TYPE_S4, ANPU_TYPE_S8, 0));
	tap_ok(ok && ub(B)[0] == 0x87, "VCVT S8 to S4 saturates");
	/* every number of 8 bits, also those beside the limits */
	for (unsigned int i = 0; i < 256; i++)
		ub(D)[i] = (uint8_t)i;
	ok = run_within(B, 128, ANPU_TILE_VCVT, UB(B), UB(D), 0, ANPU_CTL_CVT(256, ANPU_TYPE_S4, ANPU_TYPE_S8, 0));
	for (unsigned int i = 0; i < 256; i++) {
		int v = (int8_t)i < -8 ? -8 : (int8_t)i > 7 ? 7 : (int8_t)i;

		ok = ok && (ub(B)[i / 2] >> (i % 2 * 4) & 15) == (v & 15);
	}
	tap_ok(ok, "VCVT S8 to S4, every number");
	refuse(ANPU_FAULT_OPERAND, "odd", ANPU_TILE_VCVT, UB(B), UB(D), 0,
	       ANPU_CTL_CVT(3, ANPU_TYPE_S4, ANPU_TYPE_S8, 0));
}

static void test_quant(void)
{
	float scale = 0.37f;
	uint32_t bits;
	bool ok;

	memcpy(&bits, &scale, 4);
	test_block->csr.quant = bits | (uint64_t)(uint16_t)-3 << 32;
	rnd_fill(ub(A), ANPU_TYPE_F16, N);
	ok = run(ANPU_TILE_VCVT, UB(D), UB(A), 0,
		 ANPU_CTL_CVT(N, ANPU_TYPE_S8, ANPU_TYPE_F16, ANPU_ROUND_RINT) | ANPU_CTL_QUANT);
	for (unsigned int i = 0; ok && i < N; i++) {
		float v = (float)real(get(ub(A), ANPU_TYPE_F16, i), ANPU_TYPE_F16) * scale;

		ok = ub(D)[i] == clamp_to(round_whole(v + -3.0f, ANPU_ROUND_RINT), ANPU_TYPE_S8);
	}
	tap_ok(ok, "VCVT with quantisation F16 to S8");
	rnd_fill(ub(A), ANPU_TYPE_S32, N);
	ok = run(ANPU_TILE_VCVT, UB(D), UB(A), 0,
		 ANPU_CTL_CVT(N, ANPU_TYPE_F16, ANPU_TYPE_S32, ANPU_ROUND_RINT) | ANPU_CTL_QUANT);
	for (unsigned int i = 0; ok && i < N; i++) {
		float v = (float)(int32_t)get(ub(A), ANPU_TYPE_S32, i) * scale + -3.0f;

		ok = get(ub(D), ANPU_TYPE_F16, i) == round_to(v, ANPU_TYPE_F16, ANPU_ROUND_RINT);
	}
	tap_ok(ok, "VCVT with dequantisation S32 to F16");
}

static void test_cvts(void)
{
	for (unsigned int to = 0; to < ANPU_TYPE_S4; to++)
		for (unsigned int from = 0; from < ANPU_TYPE_S4; from++)
			if (tile_kernels()->cvt[to][from])
				test_cvt(to, from);
	test_s4();
	test_quant();
}

/* Bad operands ----------------------------------------------------------------------------------- */

/* A refused operation is told with its name and that of what it was to do. */
static void test_names(void)
{
#define X(name, number, meaning) \
	refuse(ANPU_FAULT_OPERAND, "VBIN " #name ":", ANPU_TILE_VBIN, UB(4), UB(A), UB(B), ANPU_CTL(64, ANPU_TYPE_S32, number));
	ANPU_BIN_OPS(X)
#undef X
#define X(name, number, meaning) \
	refuse(ANPU_FAULT_OPERAND, "VUN " #name ":", ANPU_TILE_VUN, UB(4), UB(A), 0, ANPU_CTL(64, ANPU_TYPE_F32, number));
	ANPU_UN_OPS(X)
#undef X
#define X(name, number, meaning) \
	refuse(ANPU_FAULT_OPERAND, "VTRI " #name ":", ANPU_TILE_VTRI, UB(4), UB(A), UB(B), ANPU_CTL(64, ANPU_TYPE_F32, number));
	ANPU_TRI_OPS(X)
#undef X
#define X(name, number, meaning) \
	refuse(ANPU_FAULT_OPERAND, "VCMP " #name ":", ANPU_TILE_VCMP, UB(4), UB(A), UB(B), ANPU_CTL(64, ANPU_TYPE_F32, number));
	ANPU_CMP_OPS(X)
#undef X
}

static void test_refusals(void)
{
	uint64_t ctl = ANPU_CTL(64, ANPU_TYPE_F32, ANPU_BIN_ADD);

	refuse(ANPU_FAULT_OPERAND, "multiple of 32", ANPU_TILE_VBIN, UB(4), UB(A), UB(B), ctl);
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves UB", ANPU_TILE_VBIN, UB(ANPU_UB_SIZE - 32), UB(A),
	       UB(B), ctl);
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves UB", ANPU_TILE_VBIN, UB(D), UB(A), UB(B),
	       ANPU_CTL(0xffffffff, ANPU_TYPE_F32, ANPU_BIN_ADD));
	refuse(ANPU_FAULT_SCRATCHPAD, "no scratchpad window", ANPU_TILE_VBIN, UB(D), 0x20, UB(B),
	       ctl);
	refuse(ANPU_FAULT_OPERAND, "src1 0x200000 is in L1", ANPU_TILE_VBIN, UB(D), UB(A), L1(0),
	       ctl);
	refuse(ANPU_FAULT_OPERAND, "global memory", ANPU_TILE_VBIN, GM_BASE, UB(A), UB(B), ctl);
	refuse(ANPU_FAULT_OPERAND, "overlaps src0", ANPU_TILE_VBIN, UB(A + 32), UB(A), UB(B), ctl);
	refuse(ANPU_FAULT_OPERAND, "no form for type S4", ANPU_TILE_VBIN, UB(D), UB(A), UB(B),
	       ANPU_CTL(64, ANPU_TYPE_S4, ANPU_BIN_ADD));
	refuse(ANPU_FAULT_OPERAND, "no form for type unknown", ANPU_TILE_VBIN, UB(D), UB(A), UB(B),
	       ANPU_CTL(64, 3, ANPU_BIN_ADD));
	refuse(ANPU_FAULT_OPERAND, "no form for type F32", ANPU_TILE_VBIN, UB(D), UB(A), UB(B),
	       ANPU_CTL(64, ANPU_TYPE_F32, ANPU_BIN_SHL));
	refuse(ANPU_FAULT_OPERAND, "sub-operation 63", ANPU_TILE_VBIN, UB(D), UB(A), UB(B),
	       ANPU_CTL(64, ANPU_TYPE_F32, 63));
	refuse(ANPU_FAULT_OPERAND, "must be zero", ANPU_TILE_VBIN, UB(D), UB(A), UB(B),
	       ctl | 1ULL << 63);
	refuse(ANPU_FAULT_OPERAND, "must be zero", ANPU_TILE_VBIN, UB(D), UB(A), UB(B),
	       ctl | ANPU_CTL_SCALAR);
	refuse(ANPU_FAULT_OPERAND, "rounding mode 7", ANPU_TILE_VCVT, UB(D), UB(A), 0,
	       ANPU_CTL_CVT(64, ANPU_TYPE_F16, ANPU_TYPE_F32, 7));
	refuse(ANPU_FAULT_OPERAND, "no conversion from F32 to F32", ANPU_TILE_VCVT, UB(D), UB(A), 0,
	       ANPU_CTL_CVT(64, ANPU_TYPE_F32, ANPU_TYPE_F32, 0));
	refuse(ANPU_FAULT_OPERAND, "must be zero", ANPU_TILE_VUN, UB(D), UB(A), 1,
	       ANPU_CTL(64, ANPU_TYPE_F32, ANPU_UN_ABS));
	refuse(ANPU_FAULT_ILLEGAL, "does not exist", 31, 0, 0, 0, 0);
	tap_ok(run(ANPU_TILE_VBIN, 0, 0, 0, ANPU_CTL(0, ANPU_TYPE_F32, ANPU_BIN_ADD)),
	       "nothing to do is no fault");
	test_block->core_type = ANPU_CORE_AIC;
	refuse(ANPU_FAULT_ILLEGAL, "cube core", ANPU_TILE_VBIN, UB(D), UB(A), UB(B), ctl);
	test_block->core_type = 0;
}

/* Operations must neither see nor change the scalar unit's floating-point state. */
static void test_marks(void)
{
	const uint64_t page = (ANPU_UB_BASE - LOCAL_BASE + D) >> PAGE_SHIFT;
	bool ok = run(ANPU_TILE_VBIN, UB(D), UB(A), UB(B), ANPU_CTL(1, ANPU_TYPE_F32, ANPU_BIN_DIV));

	tap_ok(ok && test_block->dirty[page / 64] >> (page % 64) & 1, "a written page is marked");
}

int main(void)
{
	test_init();
	for (unsigned int set = 0; tile_kernel_set(set); set++) {
		tile_force(set);
		test_bins();
		test_all_f16();
		test_uns();
		test_dup();
		test_cvts();
	}
	test_names();
	test_refusals();
	test_marks();
	return tap_end();
}
