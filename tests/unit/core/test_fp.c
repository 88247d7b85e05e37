// SPDX-License-Identifier: MIT
/*
 * Floating point. Single and double precision against the host's own unit (fesetround and
 * fetestexcept), once through dynamic rounding modes, which the core also runs on the host, and once
 * through static ones, which it computes in integers. Half precision and ties-away against exact
 * arithmetic in __float128 with a rounding of its own.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>

#include "batch.h"
#include "model/core/fp.h"
#include "model/core/soft_fp.h"

#pragma GCC optimize("rounding-math")

typedef __float128 f128;

#define CASES 4000

static const int fe_modes[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };
static const char *const mode_names[5] = { "rne", "rtz", "rdn", "rup", "rmm" };
static const struct { int man, exp; uint64_t box; const char *name; } fmts[3] = {
	[FP_S] = { 23, 8, 0xffffffff00000000ULL, "s" }, [FP_D] = { 52, 11, 0, "d" },
	[FP_H] = { 10, 5, 0xffffffffffff0000ULL, "h" },
};

static struct batch_in in[BATCH_MAX];
static struct batch_out out[BATCH_MAX];

static uint64_t fmt_mask(int f)
{
	return ~fmts[f].box;
}

static uint64_t fmt_inf(int f)
{
	return ((1ULL << fmts[f].exp) - 1) << fmts[f].man;
}

static uint64_t fmt_sign(int f)
{
	return 1ULL << (fmts[f].man + fmts[f].exp);
}

static uint64_t fmt_nan(int f)
{
	return fmt_inf(f) | 1ULL << (fmts[f].man - 1);
}

static bool fmt_is_nan(int f, uint64_t v)
{
	return (v & ~fmt_sign(f)) > fmt_inf(f);
}

/* Patterns that are near every edge of the format, boxed. */
static uint64_t pick(int f)
{
	uint64_t v = rnd(), m = v & ((1ULL << fmts[f].man) - 1), e, top = (1ULL << fmts[f].exp) - 1;

	switch (rnd() % 10) {
	case 0: e = 0; break;
	case 1: e = rnd() % 3; break;
	case 2: e = top - rnd() % 3; break;
	case 3: return (v & fmt_sign(f)) | fmts[f].box;
	case 4: return (v & fmt_sign(f)) | fmt_inf(f) | fmts[f].box;
	case 5: case 6: e = top / 2 + rnd() % 5 - 2; break;
	default: e = rnd() & top; break;
	}
	switch (rnd() % 4) {
	case 0: m = 0; break;
	case 1: m = ~0ULL >> (64 - fmts[f].man) & ~(rnd() % 4); break;
	case 2: m &= ~0ULL << (rnd() % (unsigned int)fmts[f].man); break;
	default: break;
	}
	return (v & fmt_sign(f)) | e << fmts[f].man | m | fmts[f].box;
}

static void fill(int f)
{
	for (unsigned int n = 0; n < CASES; n++)
		in[n] = (struct batch_in){ pick(f), pick(f), pick(f) };
}

static uint32_t host_flags(void)
{
	int e = fetestexcept(FE_ALL_EXCEPT);

	return (e & FE_INEXACT ? 1 : 0) | (e & FE_UNDERFLOW ? 2 : 0) | (e & FE_OVERFLOW ? 4 : 0) |
	       (e & FE_DIVBYZERO ? 8 : 0) | (e & FE_INVALID ? 16 : 0);
}

enum arith { ADD, SUB, MUL, DIV, SQRT, MADD, MSUB, NMSUB, NMADD, ARITHS };
static const char *const arith_names[ARITHS] = { "fadd", "fsub", "fmul", "fdiv", "fsqrt", "fmadd",
						 "fmsub", "fnmsub", "fnmadd" };

static uint32_t arith_word(enum arith op, int f, unsigned int rm)
{
	static const unsigned int f7[5] = { 0, 4, 8, 0xc, 0x2c };

	if (op <= SQRT)
		return R_TYPE(0x53, rm, f7[op] | (unsigned int)f, 13, 10, op == SQRT ? 0 : 11);
	return R4_TYPE(0x43 + 4 * (op - MADD), rm, f, 13, 10, 11, 12);
}

/* The same on the host; volatile, so that nothing moves across the rounding mode. */
#define HOST_ARITH(T, U, suffix) \
static uint64_t host_##T(enum arith op, uint64_t av, uint64_t bv, uint64_t cv, uint32_t *flags) \
{ \
	volatile T a, b, c, r = 0; \
	U t; \
	t = (U)av; memcpy((void *)&a, &t, sizeof(t)); \
	t = (U)bv; memcpy((void *)&b, &t, sizeof(t)); \
	t = (U)cv; memcpy((void *)&c, &t, sizeof(t)); \
	feclearexcept(FE_ALL_EXCEPT); \
	switch (op) { \
	case ADD: r = a + b; break; \
	case SUB: r = a - b; break; \
	case MUL: r = a * b; break; \
	case DIV: r = a / b; break; \
	case SQRT: r = sqrt##suffix(a); break; \
	case MADD: r = fma##suffix(a, b, c); break; \
	case MSUB: r = fma##suffix(a, b, -c); break; \
	case NMSUB: r = fma##suffix(-a, b, c); break; \
	default: r = fma##suffix(-a, b, -c); break; \
	} \
	*flags = host_flags(); \
	/* inf * 0 + NaN */ \
	if (op >= MADD && ((isinf(a) && b == 0) || (a == 0 && isinf(b)))) \
		*flags |= 16; \
	memcpy(&t, (void *)&r, sizeof(t)); \
	return isnan(r) ? fmt_nan(sizeof(T) == 4 ? FP_S : FP_D) : t; \
}
HOST_ARITH(float, uint32_t, f)
HOST_ARITH(double, uint64_t, )

static unsigned int check_host(int f, enum arith op, unsigned int rm)
{
	unsigned int bad = 0;

	fesetround(fe_modes[rm]);
	for (unsigned int n = 0; n < CASES; n++) {
		uint32_t flags;
		uint64_t want = f == FP_S ? host_float(op, in[n].a, in[n].b, in[n].c, &flags) :
					    host_double(op, in[n].a, in[n].b, in[n].c, &flags);

		if ((out[n].f != (want | fmts[f].box) || out[n].flags != flags) && !bad++)
			tap_note("%s.%s %s %llx %llx %llx: %llx flags %llx, expected %llx flags %x",
				 arith_names[op], fmts[f].name, mode_names[rm],
				 (unsigned long long)in[n].a, (unsigned long long)in[n].b,
				 (unsigned long long)in[n].c, (unsigned long long)out[n].f,
				 (unsigned long long)out[n].flags, (unsigned long long)want, flags);
	}
	fesetround(FE_TONEAREST);
	return bad;
}

static void test_host_arith(struct rig *r)
{
	for (int f = FP_S; f <= FP_D; f++) {
		for (int op = ADD; op < ARITHS; op++) {
			unsigned int bad = 0;

			for (unsigned int rm = 0; rm < 4; rm++) {
				fill(f);
				bad += !batch_run(r, arith_word(op, f, 7), rm, in, out, CASES);
				bad += check_host(f, op, rm);
				bad += !batch_run(r, arith_word(op, f, rm), (rm + 1) % 4, in, out, CASES);
				bad += check_host(f, op, rm);
			}
			tap_ok(!bad, "%s.%s: values and flags, 4 modes, dynamic and static",
			       arith_names[op], fmts[f].name);
		}
	}
}

/* Exact references ------------------------------------------------------------------------------ */

static f128 value_of(int f, uint64_t v)
{
	int e = (int)(v >> fmts[f].man & ((1u << fmts[f].exp) - 1)), bias = (1 << (fmts[f].exp - 1)) - 1;
	f128 m = (f128)(v & ((1ULL << fmts[f].man) - 1)), r;

	if (e)
		m += (f128)(1ULL << fmts[f].man);
	/* the infinite pattern of double is beyond ldexp's range by a factor of two at most */
	r = m * (f128)ldexp(1.0, (e ? e : 1) - bias - fmts[f].man);
	return v & fmt_sign(f) ? -r : r;
}

/*
 * Round an exact value: the neighbours of |x| among the format's patterns by bisection, then the
 * rule of the mode. @up_bits: the pattern that counts as infinite.
 */
static uint64_t round_exact(int f, f128 x, unsigned int rm, uint32_t *flags)
{
	bool sign = x < 0;
	f128 ax = sign ? -x : x, lo_v, hi_v, mid, unit;
	uint64_t lo = 0, hi = fmt_inf(f), r;
	bool up;

	while (hi - lo > 1) {
		uint64_t m = lo + (hi - lo) / 2;

		if (value_of(f, m) <= ax)
			lo = m;
		else
			hi = m;
	}
	/* the value of the infinite pattern is what the next exponent would mean */
	lo_v = value_of(f, lo);
	hi_v = value_of(f, hi);
	if (lo_v == ax)
		return lo | (sign ? fmt_sign(f) : 0);
	mid = (lo_v + hi_v) / 2;
	switch (rm) {
	case 0: up = ax > mid || (ax == mid && (lo & 1)); break;
	case 1: up = false; break;
	case 2: up = sign; break;
	case 3: up = !sign; break;
	default: up = ax >= mid; break;
	}
	r = lo + up;
	*flags |= 1;
	if (r == fmt_inf(f) || ax >= hi_v)
		*flags |= 4;
	/* tiny after rounding: as if the exponent were unbounded, one bit finer below the smallest normal */
	unit = value_of(f, 1ULL << fmts[f].man);
	if (ax < unit) {
		f128 fine = unit - (hi_v - lo_v) / 2;
		bool reaches = rm == 0 || rm == 4 ? ax >= (fine + unit) / 2 :
			       rm == 1 ? false : (rm == 2 ? sign : !sign) && ax > fine;

		if (!reaches)
			*flags |= 2;
	}
	return r | (sign ? fmt_sign(f) : 0);
}

/* Can a * b + c be formed exactly in 113 bits? */
static bool exact_sum(f128 p, f128 c, f128 *sum)
{
	f128 s = p + c, t = s - p;

	*sum = s;
	return t == c && s - t == p;
}

/* Finite operands whose exact result is known; false to leave the case out. */
static bool exact_result(int f, enum arith op, const struct batch_in *i, f128 *x)
{
	f128 a, b, c;
	uint64_t any = fmt_inf(f);

	if ((i->a & any) == any || (i->b & any) == any || (i->c & any) == any)
		return false;
	a = value_of(f, i->a & fmt_mask(f));
	b = value_of(f, i->b & fmt_mask(f));
	c = value_of(f, i->c & fmt_mask(f));
	switch (op) {
	case ADD: return exact_sum(a, b, x) && *x != 0;
	case SUB: return exact_sum(a, -b, x) && *x != 0;
	case MUL: *x = a * b; return *x != 0;
	case MADD: return exact_sum(a * b, c, x) && *x != 0;
	case MSUB: return exact_sum(a * b, -c, x) && *x != 0;
	case NMSUB: return exact_sum(-(a * b), c, x) && *x != 0;
	case NMADD: return exact_sum(-(a * b), -c, x) && *x != 0;
	default: return false;
	}
}

/* Division and square root: the neighbours by exact multiplication instead. */
static bool quotient_ok(int f, enum arith op, const struct batch_in *i, unsigned int rm,
			const struct batch_out *o)
{
	f128 a = value_of(f, i->a & fmt_mask(f)), b = value_of(f, i->b & fmt_mask(f)), q;
	uint32_t flags = 0;
	uint64_t want;

	/* 113 bits of quotient or root, made odd when inexact, round like the exact value */
	if (op == DIV) {
		q = a / b;
		if (q * b != a || (f == FP_D))
			return true;	/* inexact quotients: see the comparison with the host */
	} else {
		return true;
	}
	want = round_exact(f, q, rm, &flags);
	return o->f == (want | fmts[f].box) && o->flags == flags;
}

/*
 * Each of the five modes has two runs: the instruction takes the one that is set, or it names the mode while another one is set,
 * which must not matter.
 */
static unsigned int rm_field(unsigned int run)
{
	return run % 2 ? run / 2 : 7;
}

static unsigned int mode_set(unsigned int run)
{
	return run % 2 ? (run / 2 + 1 + run % 3) % 5 : run / 2;
}

static void test_exact_arith(struct rig *r)
{
	static const enum arith ops[] = { ADD, SUB, MUL, DIV, MADD, MSUB, NMSUB, NMADD };

	for (int f = FP_S; f <= FP_H; f++) {
		for (unsigned int k = 0; k < sizeof(ops) / sizeof(ops[0]); k++) {
			unsigned int bad = 0, done = 0;
			enum arith op = ops[k];

			for (unsigned int run = f == FP_H ? 0 : 8; run < 10; run++) {
				unsigned int rm = run / 2;

				fill(f);
				bad += !batch_run(r, arith_word(op, f, rm_field(run)), mode_set(run), in, out, CASES);
				for (unsigned int n = 0; n < CASES; n++) {
					uint32_t flags = 0;
					uint64_t want;
					f128 x;

					if (op == DIV) {
						bad += (in[n].a & fmt_inf(f)) != fmt_inf(f) &&
						       (in[n].b & fmt_inf(f)) != fmt_inf(f) &&
						       (in[n].b & (fmt_sign(f) - 1)) &&
						       (in[n].a & (fmt_sign(f) - 1)) &&
						       !quotient_ok(f, op, &in[n], rm, &out[n]);
						done++;
						continue;
					}
					if (!exact_result(f, op, &in[n], &x))
						continue;
					done++;
					want = round_exact(f, x, rm, &flags) | fmts[f].box;
					if ((out[n].f != want || out[n].flags != flags) && !bad++)
						tap_note("%s %llx %llx %llx rm %u: %llx/%llx not %llx/%x",
							 arith_names[op], (unsigned long long)in[n].a,
							 (unsigned long long)in[n].b,
							 (unsigned long long)in[n].c, rm,
							 (unsigned long long)out[n].f,
							 (unsigned long long)out[n].flags,
							 (unsigned long long)want, flags);
				}
			}
			tap_ok(!bad && done > CASES / 4, "%s.%s against exact sums (%u), %s", arith_names[op],
			       fmts[f].name, done, f == FP_H ? "5 modes" : "ties away");
		}
	}
}

/* half: every operand of sqrt, and division, through double, which holds enough to round once */
static void test_half_div_sqrt(struct rig *r)
{
	unsigned int bad = 0;

	for (unsigned int base = 0; base < 0x10000; base += 4096) {
		for (unsigned int n = 0; n < 4096; n++)
			in[n] = (struct batch_in){ (base + n) | fmts[FP_H].box, 0, 0 };
		bad += !batch_run(r, arith_word(SQRT, FP_H, 7), 0, in, out, 4096);
		for (unsigned int n = 0; n < 4096; n++) {
			uint64_t v = base + n, want;
			uint32_t flags = 0;

			if (fmt_is_nan(FP_H, v)) {
				want = fmt_nan(FP_H);
				flags = v & 0x200 ? 0 : 16;
			} else if (!(v & 0x7fff) || v == 0x7c00) {
				want = v;
			} else if (v & 0x8000) {
				want = fmt_nan(FP_H);
				flags = 16;
			} else {
				want = round_exact(FP_H, (f128)sqrt((double)value_of(FP_H, v)), 0, &flags);
			}
			bad += out[n].f != (want | fmts[FP_H].box) || out[n].flags != flags;
		}
	}
	tap_ok(!bad, "fsqrt.h: all values");
	bad = 0;
	for (unsigned int rm = 0; rm < 5; rm++) {
		fill(FP_H);
		bad += !batch_run(r, arith_word(DIV, FP_H, 7), rm, in, out, CASES);
		for (unsigned int n = 0; n < CASES; n++) {
			uint64_t a = in[n].a & 0xffff, b = in[n].b & 0xffff, want;
			uint32_t flags = 0;

			if ((a & 0x7c00) == 0x7c00 || (b & 0x7c00) == 0x7c00 || !(a & 0x7fff) ||
			    !(b & 0x7fff))
				continue;
			want = round_exact(FP_H, value_of(FP_H, a) / value_of(FP_H, b), rm, &flags);
			bad += out[n].f != (want | fmts[FP_H].box) || out[n].flags != flags;
		}
	}
	tap_ok(!bad, "fdiv.h: 5 modes");
}

/* Conversions --------------------------------------------------------------------------------------- */

static void test_between(struct rig *r)
{
	for (int from = 0; from < 3; from++) {
		for (int to = 0; to < 3; to++) {
			unsigned int bad = 0;

			if (from == to)
				continue;
			for (unsigned int run = 0; run < 10; run++) {
				unsigned int rm = run / 2;

				fill(from);
				bad += !batch_run(r, R_TYPE(0x53, rm_field(run), 0x20 | to, 13, 10, from), mode_set(run), in,
						  out, CASES);
				for (unsigned int n = 0; n < CASES; n++) {
					uint64_t a = in[n].a & fmt_mask(from), want;
					uint32_t flags = 0;

					if (fmt_is_nan(from, a)) {
						want = fmt_nan(to);
						flags = a >> (fmts[from].man - 1) & 1 ? 0 : 16;
					} else if ((a & fmt_inf(from)) == fmt_inf(from)) {
						want = fmt_inf(to) | (a & fmt_sign(from) ? fmt_sign(to) : 0);
					} else if (!(a & ~fmt_sign(from))) {
						want = a ? fmt_sign(to) : 0;
					} else {
						want = round_exact(to, value_of(from, a), rm, &flags);
					}
					bad += out[n].f != (want | fmts[to].box) || out[n].flags != flags;
				}
			}
			tap_ok(!bad, "fcvt.%s.%s: 5 modes", fmts[to].name, fmts[from].name);
		}
	}
}

static f128 round_integer(f128 x, unsigned int rm)
{
	bool sign = x < 0;
	f128 a = sign ? -x : x, t, rest;

	if (a >= (f128)1 * ((unsigned __int128)1 << 112))
		return x;
	t = (f128)(unsigned __int128)a;
	rest = a - t;
	if (rest != 0 && ((rm == 0 && (rest > 0.5Q || (rest == 0.5Q && (unsigned __int128)t & 1))) ||
			  (rm == 2 && sign) || (rm == 3 && !sign) || (rm == 4 && rest >= 0.5Q)))
		t += 1;
	return sign ? -t : t;
}

static void test_to_int(struct rig *r)
{
	static const char *const kinds[4] = { "w", "wu", "l", "lu" };
	static const f128 low[4] = { -0x1p31, 0, -0x1p63, 0 };
	static const f128 high[4] = { 0x1p31 - 1, 0x1p32 - 1, (f128)INT64_MAX, (f128)UINT64_MAX };

	for (int f = 0; f < 3; f++) {
		for (unsigned int k = 0; k < 4; k++) {
			unsigned int bad = 0;

			for (unsigned int run = 0; run < 10; run++) {
				unsigned int rm = run / 2;

				fill(f);
				/* near the ends of the ranges and around integers, too */
				for (unsigned int n = 0; f != FP_H && n < CASES; n += 3) {
					uint32_t flags = 0;
					f128 x = (rnd() % 2 ? low[k] : high[k]) + (f128)(int64_t)(rnd() % 64) / 8 - 4;

					in[n].a = round_exact(f, x == 0 ? 0.5Q : x, rnd() % 5, &flags) | fmts[f].box;
				}
				bad += !batch_run(r, R_TYPE(0x53, rm_field(run), 0x60 | f, 13, 10, k), mode_set(run), in, out,
						  CASES);
				for (unsigned int n = 0; n < CASES; n++) {
					uint64_t a = in[n].a & fmt_mask(f), want;
					uint32_t flags = 16;
					f128 x = 0, v;
					bool nan = fmt_is_nan(f, a), inf = (a & ~fmt_sign(f)) == fmt_inf(f);

					if (!nan && !inf)
						x = value_of(f, a);
					v = round_integer(x, rm);
					if (nan || (inf && !(a & fmt_sign(f))) || v > high[k])
						want = (uint64_t)high[k];
					else if (inf || v < low[k])
						want = (uint64_t)(int64_t)low[k];
					else {
						want = v < 0 ? -(uint64_t)-v : (uint64_t)v;
						flags = v != x;
					}
					if (k < 2)
						want = (uint64_t)(int64_t)(int32_t)want;
					if ((out[n].x != want || out[n].flags != flags) && !bad++)
						tap_note("fcvt.%s.%s %llx rm %u: %llx/%llx not %llx/%x", kinds[k],
							 fmts[f].name, (unsigned long long)a, rm,
							 (unsigned long long)out[n].x,
							 (unsigned long long)out[n].flags,
							 (unsigned long long)want, flags);
				}
			}
			tap_ok(!bad, "fcvt.%s.%s: 5 modes, saturation", kinds[k], fmts[f].name);
		}
	}
}

static void test_from_int(struct rig *r)
{
	static const char *const kinds[4] = { "w", "wu", "l", "lu" };

	for (int f = 0; f < 3; f++) {
		for (unsigned int k = 0; k < 4; k++) {
			unsigned int bad = 0;

			for (unsigned int run = 0; run < 10; run++) {
				unsigned int rm = run / 2;

				for (unsigned int n = 0; n < CASES; n++) {
					in[n].a = rnd() >> (rnd() % 64) ^ (rnd() % 3 ? 0 : ~0ULL);
					if (n % 5 == 0)
						in[n].a &= ~0ULL << (rnd() % 60);
				}
				in[0].a = 0;
				bad += !batch_run(r, R_TYPE(0x53, rm_field(run), 0x68 | f, 13, 10, k), mode_set(run), in, out,
						  CASES);
				for (unsigned int n = 0; n < CASES; n++) {
					uint64_t a = in[n].a;
					uint32_t flags = 0;
					f128 x = k == 0 ? (f128)(int32_t)a : k == 1 ? (f128)(uint32_t)a :
						 k == 2 ? (f128)(int64_t)a : (f128)a;
					uint64_t want = x == 0 ? 0 : round_exact(f, x, rm, &flags);

					bad += out[n].f != (want | fmts[f].box) || out[n].flags != flags;
				}
			}
			tap_ok(!bad, "fcvt.%s.%s: 5 modes", fmts[f].name, kinds[k]);
		}
	}
}

/* Comparison, sign, class, moves ---------------------------------------------------------------------- */

static int order(int f, uint64_t a, uint64_t b)	/* -1, 0, 1; -0 below +0 */
{
	int64_t x = a & fmt_sign(f) ? -(int64_t)(a ^ fmt_sign(f)) - 1 : (int64_t)a;
	int64_t y = b & fmt_sign(f) ? -(int64_t)(b ^ fmt_sign(f)) - 1 : (int64_t)b;

	return x < y ? -1 : x > y;
}

static void test_compare(struct rig *r)
{
	static const char *const names[] = { "fle", "flt", "feq", "fmin", "fmax" };

	for (int f = 0; f < 3; f++) {
		for (unsigned int k = 0; k < 5; k++) {
			unsigned int bad = 0;

			fill(f);
			for (unsigned int n = 0; n < CASES; n += 4)
				in[n].b = in[n].a ^ (rnd() % 2 ? fmt_sign(f) : 0);
			bad += !batch_run(r, k < 3 ? R_TYPE(0x53, k, 0x50 | f, 13, 10, 11) :
					  R_TYPE(0x53, k - 3, 0x14 | f, 13, 10, 11), 0, in, out, CASES);
			for (unsigned int n = 0; n < CASES; n++) {
				uint64_t a = in[n].a & fmt_mask(f), b = in[n].b & fmt_mask(f), want;
				bool an = fmt_is_nan(f, a), bn = fmt_is_nan(f, b);
				bool snan = (an && !(a >> (fmts[f].man - 1) & 1)) ||
					    (bn && !(b >> (fmts[f].man - 1) & 1));
				bool zeros = !((a | b) & ~fmt_sign(f));
				int o = zeros ? 0 : order(f, a, b);
				uint32_t flags = (k < 2 ? an || bn : snan) ? 16 : 0;

				if (k < 3) {
					want = !an && !bn && (k == 0 ? o <= 0 : k == 1 ? o < 0 : o == 0);
					bad += out[n].x != want || out[n].flags != flags;
					continue;
				}
				want = an && bn ? fmt_nan(f) : an ? b : bn ? a :
				       (order(f, a, b) < 0) == (k == 3) ? a : b;
				bad += out[n].f != (want | fmts[f].box) || out[n].flags != flags;
			}
			tap_ok(!bad, "%s.%s", names[k], fmts[f].name);
		}
	}
}

static uint64_t class_of(int f, uint64_t a)
{
	bool s = a & fmt_sign(f);
	uint64_t m = a & ~fmt_sign(f);

	if (m > fmt_inf(f))
		return a >> (fmts[f].man - 1) & 1 ? 0x200 : 0x100;
	if (m == fmt_inf(f))
		return s ? 1 : 0x80;
	if (!m)
		return s ? 8 : 0x10;
	if (m < 1ULL << fmts[f].man)
		return s ? 4 : 0x20;
	return s ? 2 : 0x40;
}

static void test_bits(struct rig *r)
{
	for (int f = 0; f < 3; f++) {
		unsigned int bad[3] = { 0, 0, 0 };
		uint64_t s = fmt_sign(f);

		for (unsigned int k = 0; k < 3; k++) {
			fill(f);
			bad[0] += !batch_run(r, R_TYPE(0x53, k, 0x10 | f, 13, 10, 11), 0, in, out, CASES);
			for (unsigned int n = 0; n < CASES; n++) {
				uint64_t sign = k == 0 ? in[n].b & s : k == 1 ? ~in[n].b & s : (in[n].a ^ in[n].b) & s;

				bad[0] += out[n].f != ((in[n].a & ~s) | sign) || out[n].flags;
			}
		}
		tap_ok(!bad[0], "fsgnj, fsgnjn, fsgnjx .%s", fmts[f].name);
		fill(f);
		bad[1] += !batch_run(r, R_TYPE(0x53, 1, 0x70 | f, 13, 10, 0), 0, in, out, CASES);
		for (unsigned int n = 0; n < CASES; n++)
			bad[1] += out[n].x != class_of(f, in[n].a & fmt_mask(f)) || out[n].flags;
		tap_ok(!bad[1], "fclass.%s", fmts[f].name);
		for (unsigned int n = 0; n < CASES; n++)
			in[n].a = rnd();
		bad[2] += !batch_run(r, R_TYPE(0x53, 0, 0x70 | f, 13, 10, 0), 0, in, out, CASES);
		for (unsigned int n = 0; n < CASES; n++)
			bad[2] += out[n].x != (f == FP_S ? (uint64_t)(int64_t)(int32_t)in[n].a :
					       f == FP_H ? (uint64_t)(int64_t)(int16_t)in[n].a : in[n].a);
		bad[2] += !batch_run(r, R_TYPE(0x53, 0, 0x78 | f, 13, 10, 0), 0, in, out, CASES);
		for (unsigned int n = 0; n < CASES; n++)
			bad[2] += out[n].f != ((in[n].a & fmt_mask(f)) | fmts[f].box);
		tap_ok(!bad[2], "fmv.x.%s and back: bits as they are", fmts[f].name);
	}
}

/* a narrower value that is not boxed is a NaN to every instruction but moves and stores */
static void test_boxing(struct rig *r)
{
	static const int f[2] = { FP_S, FP_H };

	for (unsigned int k = 0; k < 2; k++) {
		const uint32_t words[] = {
			arith_word(ADD, f[k], 7), arith_word(ADD, f[k], 0), arith_word(MADD, f[k], 7),
			R_TYPE(0x53, 0, 0x10 | f[k], 13, 10, 10), R_TYPE(0x53, 0, 0x20 | FP_D, 13, 10, f[k]),
		};
		unsigned int bad = 0;

		for (unsigned int w = 0; w < 5; w++) {
			uint64_t want = w == 4 ? fmt_nan(FP_D) : fmt_nan(f[k]) | fmts[f[k]].box;

			for (unsigned int n = 0; n < 64; n++)
				in[n] = (struct batch_in){ fmts[f[k]].box & ~(1ULL << (63 - n / 2)), in[1].b,
							   in[1].b };
			bad += !batch_run(r, words[w], 0, in, out, 32);
			for (unsigned int n = 0; n < 32; n++)
				bad += out[n].f != want;
		}
		tap_ok(!bad, "unboxed .%s operands are NaN", fmts[f[k]].name);
	}
}

static void set_frm(struct core_block *b, void *ctx)
{
	b->frm = *(uint32_t *)ctx;
}

static void test_bad_frm(struct rig *r)
{
	unsigned int bad = 0;

	for (uint32_t frm = 5; frm < 8; frm++)
		for (int f = 0; f < 3; f++) {
			for (int op = 0; op < ARITHS; op++)
				bad += rig_one(r, arith_word(op, f, 7), set_frm, &frm) != CORE_FAULT ||
				       r->fault.cause != ANPU_FAULT_ILLEGAL;
			bad += rig_one(r, R_TYPE(0x53, 7, 0x68 | f, 13, 10, 0), set_frm, &frm) != CORE_FAULT;
			bad += rig_one(r, R_TYPE(0x53, 2, 0x50 | f, 13, 10, 11), set_frm, &frm) != CORE_DONE;
		}
	tap_ok(!bad, "a reserved dynamic rounding mode is illegal where it matters");
}

/* flags collect across instructions, and other code of the thread does not disturb them */
static void test_sticky(struct rig *r)
{
	const uint32_t code[] = {
		arith_word(DIV, FP_D, 7), arith_word(MUL, FP_H, 7), CSRR(13, ANPU_CSR_fflags), RET
	};

	feclearexcept(FE_ALL_EXCEPT);
	feraiseexcept(FE_OVERFLOW);
	rig_code(r, 0, code, 4);
	rig_block(r, CODE_VA);
	r->b->f[10] = 0x3ff0000000000000;	/* 1.0, unboxed for half */
	r->b->f[11] = 0;
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == FP_DZ && r->b->fflags == FP_DZ,
	       "flags are the block's own");
	tap_ok(fetestexcept(FE_ALL_EXCEPT) == FE_OVERFLOW, "and the thread keeps its own");
	feclearexcept(FE_ALL_EXCEPT);
}

/* tile operations round to nearest whatever frm says, and raise nothing */
static void test_tiles_apart(struct rig *r)
{
	const uint64_t ub = ANPU_UB_BASE;
	const uint32_t code[] = {
		TILE_INSN(ANPU_TILE_VBIN, 7, 5, 5, 6), arith_word(DIV, FP_S, 7),
		CSRR(13, ANPU_CSR_fflags), TILE_INSN(ANPU_TILE_VBIN, 7, 5, 5, 6),
		CSRR(14, ANPU_CSR_fflags), RET
	};
	const uint32_t frm[] = { FP_RUP, FP_RNE };
	float x[2] = { 1, 3 };

	rig_code(r, 0, code, 6);
	for (unsigned int i = 0; i < 2; i++) {
		rig_block(r, CODE_VA);
		memcpy(local_ptr(r->b, ub), &x[0], 4);
		memcpy(local_ptr(r->b, ub + 32), &x[1], 4);
		r->b->x[5] = ub;
		r->b->x[6] = ub + 32;
		r->b->x[7] = ANPU_CTL(1, ANPU_TYPE_F32, ANPU_BIN_DIV);
		/* 1 / 1, which is exact */
		r->b->f[10] = 0xffffffff3f800000;
		r->b->f[11] = 0xffffffff3f800000;
		r->b->frm = frm[i];
		fp_mode(r->b);
		tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == 0 && r->b->x[14] == 0 && r->b->fflags == 0 &&
		       !memcmp(local_ptr(r->b, ub), &(float){ 1.0f / 3 / 3 }, 4),
		       "tile operations have a floating-point environment of their own, frm %u", frm[i]);
	}
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_host_arith(&r);
	test_exact_arith(&r);
	test_half_div_sqrt(&r);
	test_between(&r);
	test_to_int(&r);
	test_from_int(&r);
	test_compare(&r);
	test_bits(&r);
	test_boxing(&r);
	test_bad_frm(&r);
	test_sticky(&r);
	test_tiles_apart(&r);
	rig_fini(&r);
	return tap_done();
}
