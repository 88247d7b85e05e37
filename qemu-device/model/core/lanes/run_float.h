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

/* The singles in f[@r], where they are or in @space. */
ALWAYS const union lane_singles *get_singles(struct lanes *g, unsigned int r, union lane_singles *space)
{
	const union lane_singles *s = &g->w->s[r];
	const uint64_t *boxed;

	if (likely(g->w->place[r] == LANE_F_SINGLES)) {
		if (likely(g->mask == ALL_LANES))
			return s;
		EACH_LANE space->u[l] = g->on[l] ? s->u[l] : ONE_S;
		return space;
	}
	boxed = warp_f_row(g->w, r);
	EACH_LANE space->u[l] = boxed[l] >> 32 == 0xffffffff ? (uint32_t)boxed[l] : NAN_S;
	if (unlikely(g->mask != ALL_LANES))
		EACH_LANE space->u[l] = g->on[l] ? space->u[l] : ONE_S;
	return space;
}

ALWAYS const union lane_doubles *get_doubles(struct lanes *g, unsigned int r, union lane_doubles *space)
{
	const uint64_t *s = warp_f_row(g->w, r);

	if (likely(g->mask == ALL_LANES))
		EACH_LANE space->u[l] = s[l];
	else
		EACH_LANE space->u[l] = g->on[l] ? s[l] : ONE_D;
	return space;
}

/*
 * Where a result for f[@rd] or x[@rd] is put together: in its place if that may be overwritten in all
 * lanes, else in @other, which put_f() and put_x() then take the group's lanes from.
 */
ALWAYS uint64_t *f_place(struct lanes *g, unsigned int rd, uint64_t *other, const bool whole)
{
	return whole ? g->w->f[rd] : other;
}

ALWAYS uint64_t *x_place(struct lanes *g, unsigned int rd, uint64_t *other, const bool whole)
{
	return whole ? g->w->x[rd] : other;
}

ALWAYS void put_f(struct lanes *g, unsigned int rd, const uint64_t *v, const bool whole)
{
	uint64_t *d;

	if (whole) {
		g->w->place[rd] = LANE_F_ROW;
		return;
	}
	d = warp_f_row(g->w, rd);
	EACH_LANE d[l] = g->on[l] ? v[l] : d[l];
}

ALWAYS void put_x(struct lanes *g, unsigned int rd, const uint64_t *v, const bool whole)
{
	uint64_t *d;

	if (whole) {
		has_row(g->w, rd);
		return;
	}
	d = warp_own(g->w, rd);
	EACH_LANE d[l] = g->on[l] ? v[l] : d[l];
}

/* f[@rd] = @v: numbers that have been computed, whose NaNs become the one that RISC-V has. */
ALWAYS void put_singles(struct lanes *g, unsigned int rd, union lane_singles *v, const bool whole)
{
	EACH_LANE v->u[l] = (v->u[l] & 0x7fffffff) > 0x7f800000 ? NAN_S : v->u[l];
	put_s(g, rd, v, whole);
}

ALWAYS void put_doubles(struct lanes *g, unsigned int rd, const union lane_doubles *v, const bool whole)
{
	lane_row other;
	uint64_t *r = f_place(g, rd, other, whole);

	EACH_LANE r[l] = (v->u[l] & ~(1ULL << 63)) > 0x7ff0000000000000ULL ? NAN_D : v->u[l];
	put_f(g, rd, r, whole);
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

#define FLOAT_OF(name, expression, type, values, get, put) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	union values a_, b_, r; \
	const union values *a = get(g, i->rs1, &a_), *b = get(g, i->rs2, &b_); \
	\
	EACH_LANE { \
		const type A = a->f[l], B = b->f[l]; \
		\
		r.f[l] = (expression); \
	} \
	put(g, i->rd, &r, whole); \
}
#define FLOAT_S(name, expression) FLOAT_OF(name, expression, float, lane_singles, get_singles, put_singles)
#define FLOAT_D(name, expression) FLOAT_OF(name, expression, double, lane_doubles, get_doubles, put_doubles)
SINGLES(FLOAT_S)
DOUBLES(FLOAT_D)

/* inf * 0 + NaN: RISC-V raises the invalid flag whatever the NaN, x86 does not. The result is a NaN then. */
#define FUSED_OF(name, expression, type, values, get, put, inf) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	union values a_, b_, c_, r; \
	const union values *a = get(g, i->rs1, &a_), *b = get(g, i->rs2, &b_), *c = get(g, i->rs3, &c_); \
	bool invalid = false; \
	uint64_t nan = 0; \
	\
	EACH_LANE { \
		const type A = a->f[l], B = b->f[l], C = c->f[l]; \
		\
		r.f[l] = (expression); \
	} \
	EACH_LANE nan |= r.u[l] << 1 > inf; \
	for (unsigned int l = 0; unlikely(nan) && l < LANES; l++) \
		invalid |= (a->u[l] << 1 == 0 && b->u[l] << 1 == inf) || \
			   (b->u[l] << 1 == 0 && a->u[l] << 1 == inf); \
	if (unlikely(invalid)) \
		g->b->fflags |= FP_NV; \
	put(g, i->rd, &r, whole); \
}
#define FUSED_S(name, expression) \
	FUSED_OF(name, expression, float, lane_singles, get_singles, put_singles, 0xff000000u)
#define FUSED_D(name, expression) \
	FUSED_OF(name, expression, double, lane_doubles, get_doubles, put_doubles, 0xffe0000000000000ULL)
FUSED_SINGLES(FUSED_S)
FUSED_DOUBLES(FUSED_D)

/* Comparisons. That for equality is quiet about NaN, the others are not. */
#define SINGLES_TO_X(FLOAT) FLOAT(feq_s, A == B) FLOAT(flt_s, A < B) FLOAT(fle_s, A <= B)
#define DOUBLES_TO_X(FLOAT) FLOAT(feq_d, A == B) FLOAT(flt_d, A < B) FLOAT(fle_d, A <= B)
#define COMPARE_OF(name, expression, type, values, get) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	union values a_, b_; \
	const union values *a = get(g, i->rs1, &a_), *b = get(g, i->rs2, &b_); \
	lane_row other; \
	uint64_t *r = x_place(g, i->rd, other, whole); \
	\
	EACH_LANE { \
		const type A = a->f[l], B = b->f[l]; \
		\
		r[l] = (expression); \
	} \
	put_x(g, i->rd, r, whole); \
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
	union lane_singles a_, b_, r; \
	const union lane_singles *a = get_singles(g, i->rs1, &a_), *b = get_singles(g, i->rs2, &b_); \
	\
	EACH_LANE { \
		const uint32_t A = a->u[l], B = b->u[l]; \
		\
		r.u[l] = (expression); \
	} \
	put_s(g, i->rd, &r, whole); \
}
#define X_FROM_S(name, expression) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	union lane_singles a_; \
	const uint32_t *a = lower_halves(g->w, i->rs1, &a_); \
	lane_row other; \
	uint64_t *r = x_place(g, i->rd, other, whole); \
	\
	EACH_LANE { \
		const uint32_t A = a[l]; \
		\
		r[l] = (uint64_t)(expression); \
	} \
	put_x(g, i->rd, r, whole); \
}
#define S_FROM_X(name, expression) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	const uint64_t *a = warp_row(g->w, i->rs1); \
	union lane_singles r; \
	\
	EACH_LANE { \
		const uint64_t A = a[l]; \
		\
		r.u[l] = (expression); \
	} \
	put_s(g, i->rd, &r, whole); \
}
#define BITS_OF(name, expression, get, place, put) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	const uint64_t *a = get(g->w, i->rs1), *b = get(g->w, i->rs2); \
	lane_row other; \
	uint64_t *r = place(g, i->rd, other, whole); \
	\
	EACH_LANE { \
		const uint64_t A = a[l], B = b[l]; \
		\
		(void)B; \
		r[l] = (expression); \
	} \
	put(g, i->rd, r, whole); \
}
#define D_FROM_D(name, expression)	BITS_OF(name, expression, warp_f_row, f_place, put_f)
#define X_FROM_D(name, expression)	BITS_OF(name, expression, warp_f_row, x_place, put_x)
#define D_FROM_X(name, expression)	BITS_OF(name, expression, warp_row, f_place, put_f)
S_BITS(S_FROM_S)
D_BITS(D_FROM_D)
S_BITS_TO_X(X_FROM_S)
D_BITS_TO_X(X_FROM_D)
X_TO_S(S_FROM_X)
X_TO_D(D_FROM_X)

/* Conversions. false: these values are for float_slow(). */
static bool float_from_int(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	const uint64_t *a = warp_row(g->w, i->rs1);
	union lane_singles s;
	union lane_doubles d;
	int64_t v[LANES];
	uint64_t negative = 0;

	if (i->rs2 == FP_W)
		EACH_LANE v[l] = g->on[l] ? (int64_t)(int32_t)a[l] : 0;
	else if (i->rs2 == FP_WU)
		EACH_LANE v[l] = g->on[l] ? (int64_t)(uint32_t)a[l] : 0;
	else
		EACH_LANE v[l] = g->on[l] ? (int64_t)a[l] : 0;
	EACH_LANE negative |= (uint64_t)v[l];
	if (i->rs2 == FP_LU && negative >> 63)
		return false;
	if (i->op == OP_fcvt_s_int) {
		EACH_LANE s.f[l] = (float)v[l];
		put_singles(g, i->rd, &s, whole);
	} else {
		EACH_LANE d.f[l] = (double)v[l];
		put_doubles(g, i->rd, &d, whole);
	}
	return true;
}

/* Singles towards zero, as far as all are small; then every kind of integer has the same result. */
static bool float_to_int(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	union lane_singles space;
	const union lane_singles *a;
	lane_row other;
	uint64_t *r = x_place(g, i->rd, other, whole);
	uint32_t large = 0, negative = 0;

	if (i->rs3 != FP_S || i->imm != FP_RTZ)
		return false;
	a = get_singles(g, i->rs1, &space);
	EACH_LANE large |= (a->u[l] & 0x7fffffff) >= 0x4f000000;
	EACH_LANE negative |= a->u[l];
	if (large || (negative >> 31 && (i->rs2 == FP_WU || i->rs2 == FP_LU)))
		return false;
	EACH_LANE r[l] = (uint64_t)(int64_t)(int32_t)a->f[l];
	put_x(g, i->rd, r, whole);
	return true;
}

/* fmin and fmax of singles that are no NaN: as integers they have the same order. */
static bool float_least(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	union lane_singles a_, b_, r;
	const union lane_singles *a, *b;
	bool max = i->op == JOP_fmax;
	uint32_t nan = 0;

	if (i->rs3 != FP_S)
		return false;
	a = get_singles(g, i->rs1, &a_);
	b = get_singles(g, i->rs2, &b_);
	EACH_LANE nan |= (a->u[l] & 0x7fffffff) > 0x7f800000 || (b->u[l] & 0x7fffffff) > 0x7f800000;
	if (nan)
		return false;
	EACH_LANE {
		int32_t x = (int32_t)(a->u[l] ^ (uint32_t)((int32_t)a->u[l] >> 31) >> 1);
		int32_t y = (int32_t)(b->u[l] ^ (uint32_t)((int32_t)b->u[l] >> 31) >> 1);

		r.u[l] = (x < y) != max ? a->u[l] : b->u[l];
	}
	put_s(g, i->rd, &r, whole);
	return true;
}

static void float_resize(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	union lane_singles s_;
	union lane_doubles d_;
	const union lane_singles *s;
	const union lane_doubles *d;

	if (i->op == JOP_fcvt_s_d) {
		d = get_doubles(g, i->rs1, &d_);
		EACH_LANE s_.f[l] = (float)d->f[l];
		put_singles(g, i->rd, &s_, whole);
	} else {
		s = get_singles(g, i->rs1, &s_);
		EACH_LANE d_.f[l] = s->f[l];
		put_doubles(g, i->rd, &d_, whole);
	}
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
