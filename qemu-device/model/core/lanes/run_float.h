/* SPDX-License-Identifier: MIT */
/*
 * Floating point of lanes, by the host's unit, whose control and status word is the block's (host_fp.h).
 * Lanes that are not in the group compute with ones, which raise no exceptions. Part of run.h.
 */

/** union lane_doubles - doubles of all lanes */
union lane_doubles {
	lane_row u;
	double f[LANES];
};

#define ONE_S	0x3f800000u
#define ONE_D	0x3ff0000000000000ULL

/* The singles in f[@r] of the warp whose first lane is @first, where they are or in @space. */
ALWAYS const union lane_singles *get_singles(struct lanes *g, unsigned int r, size_t first, union lane_singles *space)
{
	const uint32_t *s = s_row(g->w, r) + first;
	const uint64_t *boxed;

	if (likely(g->w->place[r] == LANE_F_SINGLES)) {
		if (likely(g->mask == ALL_LANES))
			return (const union lane_singles *)s;
		EACH_LANE space->u[l] = KEEP(s[l], ONE_S);
		return space;
	}
	boxed = warp_f_row(g->w, r) + first;
	EACH_LANE space->u[l] = boxed[l] >> 32 == 0xffffffff ? (uint32_t)boxed[l] : NAN_S;
	if (unlikely(g->mask != ALL_LANES))
		EACH_LANE space->u[l] = KEEP(space->u[l], ONE_S);
	return space;
}

ALWAYS const union lane_doubles *get_doubles(struct lanes *g, unsigned int r, size_t first, union lane_doubles *space)
{
	const uint64_t *f = warp_f_row(g->w, r) + first;

	if (likely(g->mask == ALL_LANES))
		return (const union lane_doubles *)f;
	EACH_LANE space->u[l] = KEEP(f[l], ONE_D);
	return space;
}

/*
 * Results for a warp. put_f() and put_s() of all warps of a group are followed by set_row() or
 * set_singles(), put_x() by set_x(), so that operands in the same register are read before.
 */
ALWAYS void put_f(struct lanes *g, unsigned int rd, size_t first, const uint64_t *v, const bool whole)
{
	uint64_t *d = (whole ? f_row(g->w, rd) : warp_f_row(g->w, rd)) + first;

	if (whole)
		EACH_LANE d[l] = v[l];
	else
		EACH_LANE d[l] = KEEP(v[l], d[l]);
}

ALWAYS void set_row(struct lanes *g, unsigned int rd, const bool whole)
{
	if (whole)
		g->w->place[rd] = LANE_F_ROW;
}

ALWAYS void put_x(struct lanes *g, unsigned int rd, size_t first, const uint64_t *v, const bool whole)
{
	uint64_t *d = (whole ? x_row(g->w, rd) : warp_own(g->w, rd)) + first;

	if (whole)
		EACH_LANE d[l] = v[l];
	else
		EACH_LANE d[l] = KEEP(v[l], d[l]);
}

ALWAYS void set_x(struct lanes *g, unsigned int rd, const bool whole)
{
	if (whole)
		has_row(g->w, rd);
}

/* Numbers that have been computed. */
ALWAYS void put_singles(struct lanes *g, unsigned int rd, size_t first, const union lane_singles *v, const bool whole)
{
	put_s(g, rd, first, v, whole, true);
}

ALWAYS void put_doubles(struct lanes *g, unsigned int rd, size_t first, const union lane_doubles *v, const bool whole)
{
	lane_row r;

	EACH_LANE r[l] = (v->u[l] & ~(1ULL << 63)) > 0x7ff0000000000000ULL ? NAN_D : v->u[l];
	put_f(g, rd, first, r, whole);
}

/* Arithmetic: @expression of the operands A, B and C. */
#define SINGLES(FLOAT) \
	FLOAT(fadd_s, A + B) FLOAT(fsub_s, A - B) FLOAT(fmul_s, A * B) FLOAT(fdiv_s, A / B) \
	FLOAT(fsqrt_s, ((void)B, __builtin_sqrtf(A)))
#define DOUBLES(FLOAT) \
	FLOAT(fadd_d, A + B) FLOAT(fsub_d, A - B) FLOAT(fmul_d, A * B) FLOAT(fdiv_d, A / B) \
	FLOAT(fsqrt_d, ((void)B, __builtin_sqrt(A)))
#define FUSED_SINGLES(FUSED) \
	FUSED(fmadd_s, LANE_FMAF(A, B, C)) FUSED(fmsub_s, LANE_FMAF(A, B, -C)) \
	FUSED(fnmsub_s, LANE_FMAF(-A, B, C)) FUSED(fnmadd_s, LANE_FMAF(-A, B, -C))
#define FUSED_DOUBLES(FUSED) \
	FUSED(fmadd_d, LANE_FMA(A, B, C)) FUSED(fmsub_d, LANE_FMA(A, B, -C)) \
	FUSED(fnmsub_d, LANE_FMA(-A, B, C)) FUSED(fnmadd_d, LANE_FMA(-A, B, -C))

/*
 * Results that have been computed, in the row where they belong: NaNs become the one that RISC-V has. A comparison of a
 * number with itself raises no exceptions, as no result is a signalling NaN.
 */
ALWAYS uint32_t bits_s(float v)
{
	union { float f; uint32_t u; } bits = { .f = v };
	uint32_t nan = -(uint32_t)__builtin_isunordered(v, v);

	return (bits.u & ~nan) | (NAN_S & nan);
}

ALWAYS uint64_t bits_d(double v)
{
	union { double f; uint64_t u; } bits = { .f = v };
	uint64_t nan = -(uint64_t)__builtin_isunordered(v, v);

	return (bits.u & ~nan) | (NAN_D & nan);
}

/* gcc makes no vectors of roots that are compared. */
ALWAYS bool is_sqrt(enum insn_op op)
{
	return op == OP_fsqrt_s || op == OP_fsqrt_d;
}

#define FLOAT_OF(name, expression, type, values, get, put, set, row, bits) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	EACH_WARP(width(g, whole)) { \
		union values a_, b_, r; \
		const union values *a = get(g, i->rs1, first, &a_), *b = get(g, i->rs2, first, &b_); \
		__typeof__(r.u[0]) *d = row(g->w, i->rd) + first; \
		\
		if (whole && !is_sqrt(OP_##name)) { \
			EACH_LANE { \
				const type A = a->f[l], B = b->f[l]; \
				\
				d[l] = bits(expression); \
			} \
			continue; \
		} \
		EACH_LANE { \
			const type A = a->f[l], B = b->f[l]; \
			\
			r.f[l] = (expression); \
		} \
		put(g, i->rd, first, &r, whole); \
	} \
	set(g, i->rd, whole); \
}
#define FLOAT_S(name, expression) \
	FLOAT_OF(name, expression, float, lane_singles, get_singles, put_singles, set_singles, s_row, bits_s)
#define FLOAT_D(name, expression) \
	FLOAT_OF(name, expression, double, lane_doubles, get_doubles, put_doubles, set_row, f_row, bits_d)
SINGLES(FLOAT_S)
DOUBLES(FLOAT_D)

/* inf * 0 + NaN: RISC-V raises the invalid flag whatever the NaN, x86 does not. The result is a NaN then. */
#define FUSED_OF(name, expression, type, values, get, put, set, inf, row) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	EACH_WARP(width(g, whole)) { \
		union values a_, b_, c_, r; \
		const union values *a = get(g, i->rs1, first, &a_), *b = get(g, i->rs2, first, &b_), \
				   *c = get(g, i->rs3, first, &c_); \
		bool invalid = false; \
		__typeof__(r.u[0]) nan = 0, *d = row(g->w, i->rd) + first; \
		\
		EACH_LANE { \
			const type A = a->f[l], B = b->f[l], C = c->f[l], R = (expression); \
			\
			r.f[l] = R; \
			nan |= -(__typeof__(nan))__builtin_isunordered(R, R); \
		} \
		if (likely(!nan) && whole) { \
			EACH_LANE d[l] = r.u[l]; \
			continue; \
		} \
		for (size_t l = 0; unlikely(nan) && l < LANES; l++) \
			invalid |= (a->u[l] << 1 == 0 && b->u[l] << 1 == inf) || \
				   (b->u[l] << 1 == 0 && a->u[l] << 1 == inf); \
		if (unlikely(invalid)) \
			g->b->fflags |= FP_NV; \
		put(g, i->rd, first, &r, whole); \
	} \
	set(g, i->rd, whole); \
}
#define FUSED_S(name, expression) \
	FUSED_OF(name, expression, float, lane_singles, get_singles, put_singles, set_singles, 0xff000000u, s_row)
#define FUSED_D(name, expression) \
	FUSED_OF(name, expression, double, lane_doubles, get_doubles, put_doubles, set_row, 0xffe0000000000000ULL, \
		 f_row)
FUSED_SINGLES(FUSED_S)
FUSED_DOUBLES(FUSED_D)

/* Comparisons. That for equality is quiet about NaN, the others are not. */
#define SINGLES_TO_X(FLOAT) FLOAT(feq_s, A == B) FLOAT(flt_s, A < B) FLOAT(fle_s, A <= B)
#define DOUBLES_TO_X(FLOAT) FLOAT(feq_d, A == B) FLOAT(flt_d, A < B) FLOAT(fle_d, A <= B)
#define COMPARE_OF(name, expression, type, values, get) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	EACH_WARP(width(g, whole)) { \
		union values a_, b_; \
		const union values *a = get(g, i->rs1, first, &a_), *b = get(g, i->rs2, first, &b_); \
		union lane_singles r; \
		\
		EACH_LANE { \
			const type A = a->f[l], B = b->f[l]; \
			\
			r.u[l] = (expression); \
		} \
		put_words(g, i->rd, first, &r, whole); \
	} \
	set_words(g, i->rd, whole); \
}
#define COMPARE_S(name, expression) COMPARE_OF(name, expression, float, lane_singles, get_singles)
#define COMPARE_D(name, expression) COMPARE_OF(name, expression, double, lane_doubles, get_doubles)
SINGLES_TO_X(COMPARE_S)
DOUBLES_TO_X(COMPARE_D)

/* Bits: signs, and moves between the two kinds of registers. */
#define SIGN_S	0x80000000u
#define SIGN_D	(1ULL << 63)
#define S_BITS(BITS) \
	BITS(fsgnj_s, (A & ~SIGN_S) | (B & SIGN_S)) \
	BITS(fsgnjn_s, (A & ~SIGN_S) | (~B & SIGN_S)) \
	BITS(fsgnjx_s, A ^ (B & SIGN_S))
#define D_BITS(BITS) \
	BITS(fsgnj_d, (A & ~SIGN_D) | (B & SIGN_D)) \
	BITS(fsgnjn_d, (A & ~SIGN_D) | (~B & SIGN_D)) \
	BITS(fsgnjx_d, A ^ (B & SIGN_D))
#define S_BITS_TO_X(BITS)	BITS(fmv_x_h, (int64_t)(int16_t)A) BITS(fmv_x_w, (int64_t)(int32_t)A)
#define D_BITS_TO_X(BITS)	BITS(fmv_x_d, A)
#define X_TO_S(BITS)		BITS(fmv_h_x, (uint32_t)BOX_H | (uint16_t)A) BITS(fmv_w_x, (uint32_t)A)
#define X_TO_D(BITS)		BITS(fmv_d_x, A)

#define S_FROM_S(name, expression) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	EACH_WARP(width(g, whole)) { \
		union lane_singles a_, b_, r; \
		const union lane_singles *a = get_singles(g, i->rs1, first, &a_), \
					 *b = get_singles(g, i->rs2, first, &b_); \
		\
		EACH_LANE { \
			const uint32_t A = a->u[l], B = b->u[l]; \
			\
			r.u[l] = (expression); \
		} \
		put_s(g, i->rd, first, &r, whole, false); \
	} \
	set_singles(g, i->rd, whole); \
}
#define X_FROM_S(name, expression) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	EACH_WARP(width(g, whole)) { \
		union lane_singles a_, r; \
		const uint32_t *a = lower_halves(g->w, i->rs1, first, a_.u); \
		\
		EACH_LANE { \
			const uint32_t A = a[l]; \
			\
			r.u[l] = (uint32_t)(expression); \
		} \
		put_words(g, i->rd, first, &r, whole); \
	} \
	set_words(g, i->rd, whole); \
}
#define S_FROM_X(name, expression) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	EACH_WARP(width(g, whole)) { \
		union lane_singles a_, r; \
		const uint32_t *a = get_words(g->w, i->rs1, first, a_.u); \
		\
		EACH_LANE { \
			const uint32_t A = a[l]; \
			\
			r.u[l] = (expression); \
		} \
		put_s(g, i->rd, first, &r, whole, false); \
	} \
	set_singles(g, i->rd, whole); \
}
#define BITS_OF(name, expression, get, put, set) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	EACH_WARP(width(g, whole)) { \
		const uint64_t *a = get(g->w, i->rs1) + first, *b = get(g->w, i->rs2) + first; \
		lane_row r; \
		\
		EACH_LANE { \
			const uint64_t A = a[l], B = b[l]; \
			\
			(void)B; \
			r[l] = (expression); \
		} \
		put(g, i->rd, first, r, whole); \
	} \
	set(g, i->rd, whole); \
}
#define D_FROM_D(name, expression)	BITS_OF(name, expression, warp_f_row, put_f, set_row)
#define X_FROM_D(name, expression)	BITS_OF(name, expression, warp_f_row, put_x, set_x)
#define D_FROM_X(name, expression)	BITS_OF(name, expression, warp_row, put_f, set_row)
S_BITS(S_FROM_S)
D_BITS(D_FROM_D)
S_BITS_TO_X(X_FROM_S)
D_BITS_TO_X(X_FROM_D)
X_TO_S(S_FROM_X)
X_TO_D(D_FROM_X)

/* Conversions. false: these values are for float_slow(), and nothing has been done. */
static bool float_from_int(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	const size_t n = width(g, whole);
	const uint64_t *a;
	uint64_t negative = 0;

	if (i->rs2 == FP_LU) {
		a = warp_row(g->w, i->rs1);
		EACH_OF(n) negative |= whole && g->mask == ALL_LANES ? a[l] : a[l] & g->on[l % LANES];
		if (negative >> 63)
			return false;
	}
	if (i->rs2 == FP_W && i->op == OP_fcvt_s_int && g->mask == ALL_LANES) {
		EACH_WARP(n) {
			union lane_singles a_, s;
			const uint32_t *word = get_words(g->w, i->rs1, first, a_.u);

			EACH_LANE s.f[l] = (float)(int32_t)word[l];
			put_s(g, i->rd, first, &s, whole, false);
		}
		set_singles(g, i->rd, whole);
		return true;
	}
	a = warp_row(g->w, i->rs1);
	EACH_WARP(n) {
		union lane_singles s;
		union lane_doubles d;
		int64_t v[LANES];

		if (i->rs2 == FP_W)
			EACH_LANE v[l] = (int32_t)a[first + l];
		else if (i->rs2 == FP_WU)
			EACH_LANE v[l] = (uint32_t)a[first + l];
		else
			EACH_LANE v[l] = (int64_t)a[first + l];
		if (unlikely(g->mask != ALL_LANES))
			EACH_LANE v[l] &= (int64_t)g->on[l];
		if (i->op == OP_fcvt_s_int) {
			EACH_LANE s.f[l] = (float)v[l];
			put_singles(g, i->rd, first, &s, whole);
		} else {
			EACH_LANE d.f[l] = (double)v[l];
			put_doubles(g, i->rd, first, &d, whole);
		}
	}
	if (i->op == OP_fcvt_s_int)
		set_singles(g, i->rd, whole);
	else
		set_row(g, i->rd, whole);
	return true;
}

/*
 * To integers, towards zero or as the block's mode says, as far as all values are so small that every kind of integer
 * has the same result: a word. A sum with 3 * 2^51 rounds as the mode says, and has the integer in its lower bits; it is
 * positive, so that rounding it towards zero is something else.
 */
#define ROUNDER	0x1.8p52
ALWAYS bool towards_zero(const struct lanes *g, const struct lane_insn *i)
{
	return i->imm == FP_RTZ || g->b->frm == FP_RTZ;
}

#define TO_WORDS(values, get) \
	EACH_WARP(n) { \
		const union values *a; \
		union values a_; \
		union lane_doubles sum; \
		union lane_singles r; \
		\
		a = get(g, i->rs1, first, &a_); \
		if (towards_zero(g, i)) { \
			EACH_LANE r.u[l] = (uint32_t)(int32_t)a->f[l]; \
		} else { \
			EACH_LANE sum.f[l] = (double)a->f[l] + ROUNDER; \
			EACH_LANE r.u[l] = (uint32_t)sum.u[l]; \
		} \
		put_words(g, i->rd, first, &r, whole); \
	}

/* Doubles of at most 2^51, whose result may have 64 bits */
static void doubles_to_long(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	const union lane_doubles rounder = { .f = { ROUNDER } };

	EACH_WARP(width(g, whole)) {
		union lane_doubles a_, sum;
		const union lane_doubles *a = get_doubles(g, i->rs1, first, &a_);
		lane_row r;

		if (towards_zero(g, i)) {
			EACH_LANE r[l] = (uint64_t)(int64_t)a->f[l];
		} else {
			EACH_LANE sum.f[l] = a->f[l] + ROUNDER;
			EACH_LANE r[l] = sum.u[l] - rounder.u[0];
		}
		put_x(g, i->rd, first, r, whole);
	}
	set_x(g, i->rd, whole);
}

#define WORD_MOST_S	0x4effffffu		/* the largest single below 2^31 */
#define WORD_MOST_D	0x41dfffffffc00000ULL	/* 2^31 - 1 */
#define LONG_MOST_D	0x4320000000000000ULL	/* 2^51 */

/* false: some are larger, or negative for an integer without a sign; nothing has been done */
static bool float_to_int(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	const bool single = i->rs3 == FP_S, natural = i->rs2 == FP_WU || i->rs2 == FP_LU;
	const size_t n = width(g, whole);
	uint64_t large = 0, huge = 0, negative = 0;

	if (!single && i->rs3 != FP_D)
		return false;
	EACH_WARP(n) {
		union lane_singles s_;
		union lane_doubles d_;

		if (single) {
			const union lane_singles *s = get_singles(g, i->rs1, first, &s_);

			EACH_LANE large |= (s->u[l] & 0x7fffffff) > WORD_MOST_S;
			EACH_LANE negative |= s->u[l] >> 31;
		} else {
			const union lane_doubles *d = get_doubles(g, i->rs1, first, &d_);

			EACH_LANE large |= (d->u[l] & ~SIGN_D) > WORD_MOST_D;
			EACH_LANE huge |= (d->u[l] & ~SIGN_D) > LONG_MOST_D;
			EACH_LANE negative |= d->u[l] >> 63;
		}
	}
	if ((negative && natural) || huge || (large && (single || i->rs2 == FP_W || i->rs2 == FP_WU)))
		return false;
	if (large) {
		doubles_to_long(g, i, whole);
		return true;
	}
	if (single)
		TO_WORDS(lane_singles, get_singles)
	else
		TO_WORDS(lane_doubles, get_doubles)
	set_words(g, i->rd, whole);
	return true;
}

ALWAYS bool has_nan(const union lane_singles *v)
{
	uint32_t nan = 0;

	EACH_LANE nan |= (v->u[l] & 0x7fffffff) > 0x7f800000;
	return nan;
}

/* fmin and fmax of singles that are no NaN: as integers they have the same order. */
static bool float_least(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	const size_t n = width(g, whole);
	const bool max = i->op == JOP_fmax;
	union lane_singles a_, b_, r;

	if (i->rs3 != FP_S)
		return false;
	EACH_WARP(n)
		if (has_nan(get_singles(g, i->rs1, first, &a_)) || has_nan(get_singles(g, i->rs2, first, &b_)))
			return false;
	EACH_WARP(n) {
		const union lane_singles *a = get_singles(g, i->rs1, first, &a_), *b = get_singles(g, i->rs2, first, &b_);

		EACH_LANE {
			int32_t x = (int32_t)(a->u[l] ^ (uint32_t)((int32_t)a->u[l] >> 31) >> 1);
			int32_t y = (int32_t)(b->u[l] ^ (uint32_t)((int32_t)b->u[l] >> 31) >> 1);

			r.u[l] = (x < y) != max ? a->u[l] : b->u[l];
		}
		put_s(g, i->rd, first, &r, whole, false);
	}
	set_singles(g, i->rd, whole);
	return true;
}

static void float_resize(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	const bool to_single = i->op == JOP_fcvt_s_d;
	union lane_singles s_;
	union lane_doubles d_;

	EACH_WARP(width(g, whole)) {
		if (to_single) {
			const union lane_doubles *d = get_doubles(g, i->rs1, first, &d_);

			EACH_LANE s_.f[l] = (float)d->f[l];
			put_singles(g, i->rd, first, &s_, whole);
		} else {
			const union lane_singles *s = get_singles(g, i->rs1, first, &s_);

			EACH_LANE d_.f[l] = s->f[l];
			put_doubles(g, i->rd, first, &d_, whole);
		}
	}
	if (to_single)
		set_singles(g, i->rd, whole);
	else
		set_row(g, i->rd, whole);
}

/* In software, lane by lane; @to_x: the result is an integer. false: the rounding mode is reserved. */
static bool float_slow(struct lanes *g, const struct lane_insn *i, bool to_x)
{
	struct core_block *b = g->b;
	struct warp *w = g->w;
	uint32_t word = g->page->raw[i - g->code->insn];
	const uint64_t *x = warp_row(w, i->rs1), *f1 = warp_f_row(w, i->rs1), *f2 = warp_f_row(w, i->rs2),
		       *f3 = warp_f_row(w, word >> 27);
	uint64_t *d = to_x ? warp_own(w, i->rd) : warp_f_row(w, i->rd);

	for (uint32_t left = g->mask; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		b->x[i->rs1] = x[l];
		b->f[i->rs1] = f1[l];
		b->f[i->rs2] = f2[l];
		b->f[word >> 27] = f3[l];
		if (!fp_slow(b, word))
			return false;
		d[l] = to_x ? b->x[i->rd] : b->f[i->rd];
	}
	g->delay += COST_SLOW_FP * 8;
	return true;
}
