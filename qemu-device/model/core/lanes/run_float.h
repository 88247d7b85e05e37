/* SPDX-License-Identifier: MIT */
/*
 * Floating point of lanes, by the host's unit, whose control and status word is the block's (host_fp.h).
 * Lanes that are not in the group compute with ones, which raise no exceptions. Part of run.h.
 */

/** union singles - singles of all lanes */
union singles {
	uint32_t u[LANES];
	float f[LANES];
} __attribute__((aligned(64)));

union doubles {
	lane_row u;
	double f[LANES];
};

#define ONE_S	0x3f800000u
#define ONE_D	0x3ff0000000000000ULL

ALWAYS void get_singles(struct lanes *g, unsigned int r, union singles *to)
{
	const uint64_t *s = warp_f_row(g->w, r);

	if (likely(g->w->singles >> r & 1))
		EACH_LANE to->u[l] = (uint32_t)s[l];
	else
		EACH_LANE to->u[l] = s[l] >> 32 == 0xffffffff ? (uint32_t)s[l] : NAN_S;
	if (unlikely(g->mask != ALL_LANES))
		EACH_LANE to->u[l] = g->on[l] ? to->u[l] : ONE_S;
}

ALWAYS void get_doubles(struct lanes *g, unsigned int r, union doubles *to)
{
	const uint64_t *s = warp_f_row(g->w, r);

	if (likely(g->mask == ALL_LANES))
		EACH_LANE to->u[l] = s[l];
	else
		EACH_LANE to->u[l] = g->on[l] ? s[l] : ONE_D;
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

ALWAYS void put_f(struct lanes *g, unsigned int rd, const uint64_t *v, bool single, const bool whole)
{
	uint64_t *d;

	if (whole) {
		has_f_row(g->w, rd, single);
		return;
	}
	d = warp_f_row(g->w, rd);
	EACH_LANE d[l] = g->on[l] ? v[l] : d[l];
	if (!single)
		g->w->singles &= ~(1u << rd);
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

ALWAYS void put_singles(struct lanes *g, unsigned int rd, const union singles *v, const bool whole)
{
	lane_row other;
	uint64_t *r = f_place(g, rd, other, whole);

	EACH_LANE r[l] = BOX_S | ((v->u[l] & 0x7fffffff) > 0x7f800000 ? NAN_S : v->u[l]);
	put_f(g, rd, r, true, whole);
}

ALWAYS void put_doubles(struct lanes *g, unsigned int rd, const union doubles *v, const bool whole)
{
	lane_row other;
	uint64_t *r = f_place(g, rd, other, whole);

	EACH_LANE r[l] = (v->u[l] & ~(1ULL << 63)) > 0x7ff0000000000000ULL ? NAN_D : v->u[l];
	put_f(g, rd, r, false, whole);
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
	union values a, b, r; \
	\
	get(g, i->rs1, &a); \
	get(g, i->rs2, &b); \
	EACH_LANE { \
		const type A = a.f[l], B = b.f[l]; \
		\
		r.f[l] = (expression); \
	} \
	put(g, i->rd, &r, whole); \
}
#define FLOAT_S(name, expression) FLOAT_OF(name, expression, float, singles, get_singles, put_singles)
#define FLOAT_D(name, expression) FLOAT_OF(name, expression, double, doubles, get_doubles, put_doubles)
SINGLES(FLOAT_S)
DOUBLES(FLOAT_D)

/* inf * 0 + NaN: RISC-V raises the invalid flag whatever the NaN, x86 does not */
#define FUSED_OF(name, expression, type, values, get, put, zero_, inf) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	union values a, b, c, r; \
	uint64_t invalid = 0; \
	\
	get(g, i->rs1, &a); \
	get(g, i->rs2, &b); \
	get(g, i->rs3, &c); \
	EACH_LANE { \
		const type A = a.f[l], B = b.f[l], C = c.f[l]; \
		\
		r.f[l] = (expression); \
	} \
	EACH_LANE invalid |= (uint64_t)((a.u[l] << 1 == zero_ && b.u[l] << 1 == inf) || \
					(b.u[l] << 1 == zero_ && a.u[l] << 1 == inf)); \
	if (unlikely(invalid)) \
		g->b->fflags |= FP_NV; \
	put(g, i->rd, &r, whole); \
}
#define FUSED_S(name, expression) \
	FUSED_OF(name, expression, float, singles, get_singles, put_singles, 0u, 0xff000000u)
#define FUSED_D(name, expression) \
	FUSED_OF(name, expression, double, doubles, get_doubles, put_doubles, 0ULL, 0xffe0000000000000ULL)
FUSED_SINGLES(FUSED_S)
FUSED_DOUBLES(FUSED_D)

/* Comparisons. That for equality is quiet about NaN, the others are not. */
#define SINGLES_TO_X(FLOAT) FLOAT(feq_s, A == B) FLOAT(flt_s, A < B) FLOAT(fle_s, A <= B)
#define DOUBLES_TO_X(FLOAT) FLOAT(feq_d, A == B) FLOAT(flt_d, A < B) FLOAT(fle_d, A <= B)
#define COMPARE_OF(name, expression, type, values, get) \
static void float_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	union values a, b; \
	lane_row other; \
	uint64_t *r = x_place(g, i->rd, other, whole); \
	\
	get(g, i->rs1, &a); \
	get(g, i->rs2, &b); \
	EACH_LANE { \
		const type A = a.f[l], B = b.f[l]; \
		\
		r[l] = (expression); \
	} \
	put_x(g, i->rd, r, whole); \
}
#define COMPARE_S(name, expression) COMPARE_OF(name, expression, float, singles, get_singles)
#define COMPARE_D(name, expression) COMPARE_OF(name, expression, double, doubles, get_doubles)
SINGLES_TO_X(COMPARE_S)
DOUBLES_TO_X(COMPARE_D)

/* Bits: signs, and moves between the two kinds of registers. A and B are whole registers, U and V singles. */
#define SIGN_S	0x80000000u
#define SIGN_D	(1ULL << 63)
#define SINGLE(v)	((v) >> 32 == 0xffffffff ? (uint32_t)(v) : NAN_S)
#define U	SINGLE(A)
#define V	SINGLE(B)
#define F_BITS(BITS) \
	BITS(fsgnj_s, BOX_S | (U & ~SIGN_S) | (V & SIGN_S)) \
	BITS(fsgnjn_s, BOX_S | (U & ~SIGN_S) | (~V & SIGN_S)) \
	BITS(fsgnjx_s, BOX_S | (U ^ (V & SIGN_S))) \
	BITS(fsgnj_d, (A & ~SIGN_D) | (B & SIGN_D)) \
	BITS(fsgnjn_d, (A & ~SIGN_D) | (~B & SIGN_D)) \
	BITS(fsgnjx_d, A ^ (B & SIGN_D))
#define F_BITS_TO_X(BITS) \
	BITS(fmv_x_h, (int64_t)(int16_t)A) BITS(fmv_x_w, (int64_t)(int32_t)A) BITS(fmv_x_d, A)
#define X_TO_F(BITS) \
	BITS(fmv_h_x, BOX_H | (uint16_t)A) BITS(fmv_w_x, BOX_S | (uint32_t)A) BITS(fmv_d_x, A)

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
		r[l] = (uint64_t)(expression); \
	} \
	put; \
}
#define F_FROM_F(name, expression) \
	BITS_OF(name, expression, warp_f_row, f_place, \
		put_f(g, i->rd, r, OP_##name <= OP_fsgnjx_s, whole))
#define X_FROM_F(name, expression) \
	BITS_OF(name, expression, warp_f_row, x_place, put_x(g, i->rd, r, whole))
#define F_FROM_X(name, expression) \
	BITS_OF(name, expression, warp_row, f_place, put_f(g, i->rd, r, OP_##name != OP_fmv_d_x, whole))
F_BITS(F_FROM_F)
F_BITS_TO_X(X_FROM_F)
X_TO_F(F_FROM_X)
#undef U
#undef V

/* Conversions. false: these values are for float_slow(). */
static bool float_from_int(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	const uint64_t *a = warp_row(g->w, i->rs1);
	union singles s;
	union doubles d;
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
	union singles a;
	lane_row other;
	uint64_t *r = x_place(g, i->rd, other, whole);
	uint32_t large = 0, negative = 0;

	if (i->rs3 != FP_S || i->imm != FP_RTZ)
		return false;
	get_singles(g, i->rs1, &a);
	EACH_LANE large |= (a.u[l] & 0x7fffffff) >= 0x4f000000;
	EACH_LANE negative |= a.u[l];
	if (large || (negative >> 31 && (i->rs2 == FP_WU || i->rs2 == FP_LU)))
		return false;
	EACH_LANE r[l] = (uint64_t)(int64_t)(int32_t)a.f[l];
	put_x(g, i->rd, r, whole);
	return true;
}

/* fmin and fmax of singles that are no NaN: as integers they have the same order. */
static bool float_least(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	union singles a, b, r;
	bool max = i->op == JOP_fmax;
	uint32_t nan = 0;

	if (i->rs3 != FP_S)
		return false;
	get_singles(g, i->rs1, &a);
	get_singles(g, i->rs2, &b);
	EACH_LANE nan |= (a.u[l] & 0x7fffffff) > 0x7f800000 || (b.u[l] & 0x7fffffff) > 0x7f800000;
	if (nan)
		return false;
	EACH_LANE {
		int32_t x = (int32_t)(a.u[l] ^ (uint32_t)((int32_t)a.u[l] >> 31) >> 1);
		int32_t y = (int32_t)(b.u[l] ^ (uint32_t)((int32_t)b.u[l] >> 31) >> 1);

		r.u[l] = (x < y) != max ? a.u[l] : b.u[l];
	}
	put_singles(g, i->rd, &r, whole);
	return true;
}

static void float_resize(struct lanes *g, const struct lane_insn *i, const bool whole)
{
	union singles s;
	union doubles d;

	if (i->op == JOP_fcvt_s_d) {
		get_doubles(g, i->rs1, &d);
		EACH_LANE s.f[l] = (float)d.f[l];
		put_singles(g, i->rd, &s, whole);
	} else {
		get_singles(g, i->rs1, &s);
		EACH_LANE d.f[l] = s.f[l];
		put_doubles(g, i->rd, &d, whole);
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
		if (!to_x && d[l] >> 32 != 0xffffffff)
			w->singles &= ~(1u << i->rd);
	}
	g->delay += COST_SLOW_FP * 8;
	return true;
}
