// SPDX-License-Identifier: MIT
/*
 * The functions of VUN that are not exact: errors in units in the last place against libm's long
 * double, over all fp16 and bf16 numbers and many fp32 numbers; special values; the plain kernels
 * give the same bits as the host's. Argument: the step through the fp32 numbers; 1 takes an hour.
 */
#include "tile_test.h"

#define CHUNK	4096
#define SRC	0x00000
#define DST	0x08000
#define REF	0x10000

/* the errors that Documentation/isa-tiles.md promises */
struct function {
	const char *name;
	unsigned int op;
	long double (*ref)(long double x);
	double ulp32;
	double ulp16;
};

static long double rsqrt_ref(long double x)
{
	return 1 / sqrtl(x);
}

static const struct function functions[] = {
	{ "RSQRT", ANPU_UN_RSQRT, rsqrt_ref, 1.5, 0.51 },
	{ "EXP", ANPU_UN_EXP, expl, 1.0, 0.51 },
	{ "LN", ANPU_UN_LN, logl, 0.51, 0.51 },
	{ "TANH", ANPU_UN_TANH, tanhl, 0.51, 0.51 },
	{ "SIN", ANPU_UN_SIN, sinl, 0.51, 0.51 },
	{ "COS", ANPU_UN_COS, cosl, 0.51, 0.51 },
	{ "ERF", ANPU_UN_ERF, erfl, 0.51, 0.51 },
};

/* distance in units of the result's last place; huge where one is special and the other not */
static double error_of(uint64_t got, long double want, unsigned int type)
{
	unsigned int m = type == ANPU_TYPE_F32 ? 23 : type == ANPU_TYPE_F16 ? 10 : 7;
	int least = type == ANPU_TYPE_F16 ? -14 : -126, e;
	uint64_t rounded = round_to(want, type, ANPU_ROUND_RINT);
	long double x = real(got, type);

	if (got == rounded)
		return fabsl(want) < ldexpl(1, least) || isinf(x) || isnan(x) ? 0 :
		       (double)(fabsl(x - want) / ldexpl(1, ilogbl(want) - (int)m));
	if (isnan(x) || isnan(want) || isinf(want) || (x == 0 && want == 0))
		return 1e9;
	if (isinf(x))
		x = copysignl(ldexpl(1, type == ANPU_TYPE_F16 ? 16 : 128), x);
	e = want == 0 ? least : ilogbl(want);
	return (double)(fabsl(x - want) / ldexpl(1, (e < least ? least : e) - (int)m));
}

struct worst {
	double error;
	uint64_t at;
	bool same;
};

static void check_chunk(const struct function *f, unsigned int type, unsigned int n,
			struct worst *w)
{
	unsigned int size = type_size(type);

	w->same = run(ANPU_TILE_VUN, UB(DST), UB(SRC), 0, ANPU_CTL(n, type, f->op)) && w->same;
	for (unsigned int set = 1; tile_kernel_set(set); set++) {
		tile_force(set);
		w->same = run(ANPU_TILE_VUN, UB(REF), UB(SRC), 0, ANPU_CTL(n, type, f->op)) &&
			  !memcmp(ub(DST), ub(REF), n * size) && w->same;
	}
	tile_force(0);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t x = get(ub(SRC), type, i);
		double e = error_of(get(ub(DST), type, i), f->ref(real(x, type)), type);

		if (e > w->error) {
			w->error = e;
			w->at = x;
		}
	}
}

static void report(const struct function *f, unsigned int type, const struct worst *w,
		   double limit, const char *over)
{
	tap_ok(w->error <= limit, "%s %s over %s: at most %.4f ulp (at 0x%" PRIx64 "), promised %.2f",
	       f->name, tile_type_name(type), over, w->error, w->at, limit);
	tap_ok(w->same, "%s %s: all kernels give the same bits", f->name,
	       tile_type_name(type));
}

static void test_all16(const struct function *f, unsigned int type)
{
	struct worst w = { 0, 0, true };

	for (unsigned int base = 0; base < 0x10000; base += CHUNK) {
		for (unsigned int i = 0; i < CHUNK; i++)
			put(ub(SRC), type, i, base + i);
		check_chunk(f, type, CHUNK, &w);
	}
	report(f, type, &w, f->ulp16, "all numbers");
}

static void test_f32(const struct function *f, uint64_t step)
{
	struct worst w = { 0, 0, true };
	uint64_t x = 0;

	while (x < 0x100000000) {
		unsigned int n = 0;

		for (; n < CHUNK && x < 0x100000000; n++, x += step)
			put(ub(SRC), ANPU_TYPE_F32, n, x);
		check_chunk(f, ANPU_TYPE_F32, n, &w);
	}
	/* where results change quickly or rules change */
	for (int k = 0; k < 20; k++) {
		static const float centre[] = { 1, 0.5f, 1.4142135f, 88.72f, -87.3f, -103.9f, 3.1415927f,
			1.5707964f, 4, 0x1p20f, 0x1p-126f, 0.34657359f, 9.01f, 20, 710, 6.2831855f,
			1e30f, 0x1p24f, 0, 0x1p127f };
		uint32_t bits;

		memcpy(&bits, &centre[k], 4);
		for (unsigned int n = 0; n < CHUNK; n++)
			put(ub(SRC), ANPU_TYPE_F32, n, (uint32_t)(bits + n - CHUNK / 2));
		check_chunk(f, ANPU_TYPE_F32, CHUNK, &w);
	}
	report(f, ANPU_TYPE_F32, &w, f->ulp32, step == 1 ? "all numbers" : "a sample");
}

/*
 * EXP takes numbers of moderate size together by another way than single ones and neighbours of large ones: the result is
 * the same bits as a number's alone.
 */
static void test_exp_alone(unsigned int type)
{
	const uint32_t n = 4096, bytes = type_size(type);
	unsigned int wrong = 0;
	uint64_t ctl = ANPU_CTL(1, type, ANPU_UN_EXP);

	for (uint32_t i = 0; i < n; i++)
		put(ub(0), type, i, i % 1024 == 512 ? nan_of(type) : round_to(((int)i - 2048) / 23.0L, type, 1));
	if (!run(ANPU_TILE_VUN, UB(0x10000), UB(0), 0, ANPU_CTL(n, type, ANPU_UN_EXP)))
		wrong++;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(ub(0x8000), ub(i * bytes), bytes);
		if (!run(ANPU_TILE_VUN, UB(0x8020), UB(0x8000), 0, ctl) ||
		    memcmp(ub(0x8020), ub(0x10000 + i * bytes), bytes))
			wrong++;
	}
	tap_ok(!wrong, "EXP %s: %u numbers together give the bits that each gives alone (%u do not)",
	       tile_type_name(type), n, wrong);
}

int main(int argc, char **argv)
{
	uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 0) : 8191;

	test_init();
	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		test_f32(&functions[i], step);
		test_all16(&functions[i], ANPU_TYPE_F16);
		test_all16(&functions[i], ANPU_TYPE_BF16);
	}
	for (unsigned int set = 0; tile_kernel_set(set); set++) {
		tile_force(set);
		test_exp_alone(ANPU_TYPE_F32);
		test_exp_alone(ANPU_TYPE_F16);
		test_exp_alone(ANPU_TYPE_BF16);
	}
	return tap_end();
}
