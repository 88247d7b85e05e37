/* SPDX-License-Identifier: MIT */
/*
 * The interpreter of a group of lanes. run_plain.c, run_avx2.c and run_avx512.c compile it for the vectors
 * of different hosts; each defines LANES_RUN, the function's name, and LANE_FMA, LANE_FMAF.
 *
 * All of it exists twice: for groups that are all their warp has, which may overwrite the other lanes'
 * registers and compute with lines, and for groups that may not. The former may be all warps of a block, as
 * one (wide.c); they leave alone what is not worth a loop over so many lanes.
 */
#include "../alu_ops.h"
#include "../amo.h"
#include "../exec_ops.h"
#include "../insn_ops.h"
#include "../jit/jit_int.h"
#include "lanes.h"

/*
 * Rows are the same or do not overlap, so lanes do not depend on each other. clang would unroll all of the
 * loops, and takes minutes for that if sanitizers have added to each round.
 */
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALWAYS		static inline
#else
#define ALWAYS		static inline __attribute__((always_inline))
#endif
#if defined(__clang__)
#define INDEPENDENT	_Pragma("clang loop unroll(disable)")
#else
#define INDEPENDENT	_Pragma("GCC ivdep")
#endif
/* each lane of a warp; each warp of a group, whose first lane is @first; each lane of a group */
#define EACH_LANE	INDEPENDENT for (size_t l = 0; l < LANES; l++)
#define EACH_WARP(n)	for (size_t first = 0; first < (n); first += LANES)
#define EACH_OF(n)	EACH_WARP(n) INDEPENDENT for (size_t l = first, j_ = 0; j_ < LANES; j_++, l++)

/* How many lanes the rows have that a group computes with. */
ALWAYS size_t width(const struct lanes *g, const bool whole)
{
	return whole ? g->w->last + 1 : LANES;
}

/* Is the group all warps of a block? */
ALWAYS bool is_wide(const struct lanes *g, const bool whole)
{
	return whole && g->w->last >= LANES;
}

ALWAYS void has_row(struct warp *w, unsigned int r)
{
	w->row[r] = true;
	w->line[r] = false;
}

ALWAYS bool has_line(const struct warp *w, unsigned int r)
{
	return w->line[r];
}

ALWAYS bool has_lines(const struct warp *w, const struct lane_insn *i)
{
	return w->line[i->rs1] & w->line[i->rs2];
}

/*
 * The new value of lane l if it is in the group, else the old one. Here and elsewhere a choice would become a
 * branch, and the loop around it none of vectors.
 */
#define KEEP(new, old)	(((new) & (__typeof__(old))g->on[l]) | ((old) & ~(__typeof__(old))g->on[l]))

/* x[@rd] = @v in all lanes of the group */
ALWAYS void put_constant(struct lanes *g, unsigned int rd, uint64_t v, const bool whole)
{
	uint64_t *d;

	if (whole) {
		set_line(g->w, rd, v, 0);
		return;
	}
	d = warp_own(g->w, rd);
	EACH_LANE d[l] = KEEP(v, d[l]);
}

/* Integers: x[rd] = @expression of A and B in each lane. */
#define PUT_X(expression) do { \
	if (whole) { \
		uint64_t *d = x_row(w, i->rd); \
		\
		EACH_OF(n) { \
			const uint64_t A = a[l], B = c[l]; \
			\
			(void)A; \
			(void)B; \
			d[l] = (uint64_t)(expression); \
		} \
		has_row(w, i->rd); \
	} else { \
		uint64_t *d = warp_own(w, i->rd); \
		\
		EACH_LANE { \
			const uint64_t A = a[l], B = c[l]; \
			\
			(void)A; \
			(void)B; \
			d[l] = KEEP((uint64_t)(expression), d[l]); \
		} \
	} \
} while (0)

#define IMM	((uint64_t)(int64_t)i->imm)

/* A number that has been computed: NaNs become the one that RISC-V has. */
ALWAYS uint32_t canonical(uint32_t u)
{
	uint32_t nan = -(uint32_t)((u & 0x7fffffff) > 0x7f800000);

	return (u & ~nan) | (NAN_S & nan);
}

/*
 * f[@rd] = @v in the warp of the group whose first lane is @first; lanes of @v outside the group mean
 * nothing. set_singles() when that has been done for each. @computed: @v may have NaNs of the host.
 */
ALWAYS void put_s(struct lanes *g, unsigned int rd, size_t first, const union lane_singles *v, const bool whole,
		  const bool computed)
{
	struct warp *w = g->w;
	uint32_t *s = s_row(w, rd) + first;
	uint64_t *d;

	if (whole) {
		EACH_LANE s[l] = computed ? canonical(v->u[l]) : v->u[l];
	} else if (w->place[rd] == LANE_F_SINGLES) {
		EACH_LANE s[l] = KEEP(computed ? canonical(v->u[l]) : v->u[l], s[l]);
	} else {
		d = warp_f_row(w, rd);
		EACH_LANE d[l] = KEEP(BOX_S | (computed ? canonical(v->u[l]) : v->u[l]), d[l]);
	}
}

ALWAYS void set_singles(struct lanes *g, unsigned int rd, const bool whole)
{
	if (whole)
		g->w->place[rd] = LANE_F_SINGLES;
}

/* The lower halves of f[@r] in a warp, where they are or in @space. */
ALWAYS const uint32_t *lower_halves(struct warp *w, unsigned int r, size_t first, union lane_singles *space)
{
	const uint64_t *f;

	if (likely(w->place[r] == LANE_F_SINGLES))
		return s_row(w, r) + first;
	f = warp_f_row(w, r) + first;
	EACH_LANE space->u[l] = (uint32_t)f[l];
	return space->u;
}

#include "run_line.h"
#include "run_memory.h"
#include "run_float.h"

/*
 * Lanes for which a branch's @condition holds: a set, as numbers of a warp. For a block's warps as one, all
 * or none of them; @part: only some.
 */
#define WHERE(condition, part) ({ \
	const uint64_t *a = warp_row(w, i->rs1), *c = warp_row(w, i->rs2); \
	uint32_t any = 0, all = ALL_LANES; \
	\
	EACH_WARP(n) { \
		uint64_t t = 0; \
		\
		EACH_LANE { \
			const uint64_t A = a[first + l], B = c[first + l]; \
			\
			t |= (condition) ? 1ULL << l : 0; \
		} \
		any |= (uint32_t)t; \
		all &= (uint32_t)t; \
	} \
	*(part) = any && all != ALL_LANES; \
	any & g->mask; })

/* The lanes in @taken go to @target, the others of the group behind the present instruction. */
static void split(struct lanes *g, uint32_t taken, uint64_t target)
{
	warp_part(g->w);
	for (uint32_t left = g->mask; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		g->w->pc[l] = taken >> l & 1 ? target : g->pc + 4;
	}
}

/*
 * Where jalr goes: false if not all lanes go to the same place. Then @t has the targets of the lanes of one
 * warp.
 */
ALWAYS bool jump_target(struct lanes *g, const struct lane_insn *i, uint64_t *t, uint64_t *target, const bool whole)
{
	const uint64_t *a;
	uint64_t differ = 0;

	if (has_line(g->w, i->rs1) && !g->w->step[i->rs1]) {
		*target = (g->w->base[i->rs1] + IMM) & ~1ULL;
		t[0] = *target;
		return true;
	}
	a = warp_row(g->w, i->rs1);
	*target = (a[__builtin_ctz(g->mask)] + IMM) & ~1ULL;
	if (is_wide(g, whole)) {
		EACH_OF(width(g, whole)) differ |= a[l] ^ a[0];
		return !differ;
	}
	EACH_LANE t[l] = (a[l] + IMM) & ~1ULL;
	EACH_LANE differ |= (t[l] ^ *target) & g->on[l];
	return !differ;
}

ALWAYS enum lanes_exit run(struct lanes *g, const bool whole)
{
	struct core_block *b = g->b;
	struct warp *w = g->w;
	const uint64_t *on = g->on;
	const struct lane_insn *i = &g->code->insn[(g->pc & (PAGE_SIZE - 1)) / 4];
	const uint64_t join = g->join;
	const size_t n = width(g, whole);
	uint64_t pc = g->pc, from = pc, target;	/* straight on since @from */
	enum lanes_exit r;
	uint32_t taken;
	bool part;

	for (;; i++, pc += 4) {
again:
		if (!whole && unlikely(pc >= join)) {
			r = LANES_JOIN;
			goto leave;
		}
		switch (i->op) {
		case OP_nop:
			break;
		case OP_li:
			put_constant(g, i->rd, IMM, whole);
			break;
		case OP_auipc:
			put_constant(g, i->rd, pc + IMM, whole);
			break;
		case OP_mv:
			if (whole && has_line(w, i->rs1)) {
				set_line(w, i->rd, w->base[i->rs1], w->step[i->rs1]);
			} else {
				const uint64_t *a = warp_row(w, i->rs1), *c = a;

				PUT_X(A);
			}
			break;

#define ALU_I(name, expression) \
		case OP_##name: \
			if (!whole || !(line_of(OP_##name, w, i) || same_##name(w, i))) { \
				const uint64_t *a = warp_row(w, i->rs1), *c = a; \
				\
				PUT_X(expression); \
			} \
			break;
#define ALU_R(name, expression) \
		case OP_##name: \
			if (!whole || !(line_of(OP_##name, w, i) || same_##name(w, i))) { \
				const uint64_t *a = warp_row(w, i->rs1), *c = warp_row(w, i->rs2); \
				\
				PUT_X(expression); \
			} \
			break;
#define ALU_IW(name, expression)	ALU_I(name, (int64_t)(int32_t)(expression))
#define ALU_RW(name, expression)	ALU_R(name, (int64_t)(int32_t)(expression))
		ALU_OPS_IMM(ALU_I, ALU_IW)
		ALU_OPS(ALU_R, ALU_RW)

#define BRANCH(name, condition, decided, value) \
		case OP_##name##_far: \
			part = false; \
			if (whole && has_lines(w, i) && decided(w, i, value, &taken)) \
				taken &= g->mask; \
			else \
				taken = WHERE(condition, &part); \
			goto branch;
		BRANCH(beq, A == B, line_equal, 1)
		BRANCH(bne, A != B, line_equal, 0)
		BRANCH(blt, (int64_t)A < (int64_t)B, line_less, 1)
		BRANCH(bge, (int64_t)A >= (int64_t)B, line_less, 0)
		BRANCH(bltu, A < B, line_below, 1)
		BRANCH(bgeu, A >= B, line_below, 0)
branch:
			if (!taken)
				break;
			if (is_wide(g, whole) && part)
				goto narrow;
			target = pc + IMM;
			if (unlikely(target & 3))
				goto step;
			if (taken == g->mask)
				goto jump;
			g->pc = pc;
			split(g, taken, target);
			g->left--;
			r = LANES_SPLIT;
			goto leave;
		case OP_jal_far:
			target = pc + IMM;
			if (unlikely(target & 3))
				goto step;
			put_constant(g, i->rd, pc + 4, whole);
			goto jump;
		case OP_jalr:
		case OP_ret: {
			lane_row t;
			uint64_t bad = 0;

			if (jump_target(g, i, t, &target, whole)) {
				if (unlikely(target & 3))
					goto step;
				if (i->op == OP_jalr)
					put_constant(g, i->rd, pc + 4, whole);
				goto jump;
			}
			if (is_wide(g, whole))
				goto narrow;
			EACH_LANE bad |= t[l] & 3 & on[l];
			if (bad)
				goto step;
			if (i->op == OP_jalr)
				put_constant(g, i->rd, pc + 4, whole);
			warp_part(w);
			EACH_LANE w->pc[l] = KEEP(t[l], w->pc[l]);
			g->left--;
			r = LANES_SPLIT;
			goto leave;
		}

#define LOAD_X(name, type, value) \
		case OP_##name: \
			if (unlikely(!load_##name(g, i, whole))) \
				goto fault; \
			break;
		LOADS_X(LOAD_X)
		LOADS_S(LOAD_X)
		LOADS_D(LOAD_X)
#define STORE(name, type, values) \
		case OP_##name: \
			if (unlikely(!store_##name(g, i, whole))) \
				goto fault; \
			break;
		STORES(STORE)

#define FLOAT(name, expression) \
		case OP_##name: \
			if (unlikely(!b->fp_hot)) \
				goto slow_f; \
			float_##name(g, i, whole); \
			break;
#define FUSED(name, expression) \
		case OP_##name: \
			if (unlikely(!b->fma_hot)) \
				goto slow_f; \
			float_##name(g, i, whole); \
			break;
#define SIMPLE(name, expression) \
		case OP_##name: \
			float_##name(g, i, whole); \
			break;
		SINGLES(FLOAT)
		DOUBLES(FLOAT)
		FUSED_SINGLES(FUSED)
		FUSED_DOUBLES(FUSED)
		SINGLES_TO_X(SIMPLE)
		DOUBLES_TO_X(SIMPLE)
		S_BITS(SIMPLE)
		D_BITS(SIMPLE)
		S_BITS_TO_X(SIMPLE)
		D_BITS_TO_X(SIMPLE)
		X_TO_S(SIMPLE)
		X_TO_D(SIMPLE)
		case OP_fcvt_s_int:
		case OP_fcvt_d_int:
			if (unlikely(!b->fp_hot) || !float_from_int(g, i, whole))
				goto slow_f;
			break;
		case JOP_fcvt_int:
			if (unlikely(!b->fp_hot) || !float_to_int(g, i, whole))
				goto slow_x;
			break;
		case JOP_fmin:
		case JOP_fmax:
			if (!float_least(g, i, whole))
				goto slow_f;
			break;
		case JOP_fcvt_s_d:
		case JOP_fcvt_d_s:
			if (unlikely(!b->fp_hot))
				goto slow_f;
			float_resize(g, i, whole);
			break;
		case OP_fp_slow:
			if (i->imm)
				goto slow_x;
slow_f:
			if (is_wide(g, whole))
				goto narrow;
			if (!float_slow(g, i, false))
				goto step;
			break;
slow_x:
			if (is_wide(g, whole))
				goto narrow;
			if (!float_slow(g, i, true))
				goto step;
			break;

		case OP_fence:
			atomic_thread_fence(memory_order_seq_cst);
			break;
		case OP_csrrs: {
			uint64_t v = 0, done = (uint64_t)(g->begun - g->left) + (pc - from) / 4;

			if (i->rs1 || !csr_read(b, (unsigned int)i->imm, b->retired + done * g->count, &v))
				goto step;
			put_constant(g, i->rd, v, whole);
			g->delay += COST_CSR;
			break;
		}
		case OP_amo:
			if (amo_reserves(i->imm))
				goto step;
			g->pc = pc;
			if (unlikely(!atomics(g, i, n)))
				goto fault;
			g->delay += COST_AMO * 8 * (int64_t)(n / LANES);
			break;
		case OP_thread:
			r = LANES_THREAD;
			goto leave;
		case OP_page_end:
			r = LANES_JUMP;
			goto leave;
		default:
step:
			r = LANES_STEP;
			goto leave;
		}
		continue;
jump:
		g->left -= (int64_t)(pc - from) / 4 + 1;
		from = target;
		if (unlikely((target ^ pc) >> PAGE_SHIFT)) {
			pc = target;
			r = LANES_JUMP;
			goto leave;
		}
		pc = target;
		i = &g->code->insn[(target & (PAGE_SIZE - 1)) / 4];
		if (unlikely(g->left <= g->delay)) {
			r = LANES_POLL;
			goto leave;
		}
		goto again;
	}
narrow:
	r = LANES_NARROW;
	goto leave;
fault:
	r = LANES_FAULT;
leave:
	g->left -= (int64_t)(pc - from) / 4;
	g->pc = pc;
	return r;
}

enum lanes_exit LANES_RUN(struct lanes *g)
{
	return g->whole ? run(g, true) : run(g, false);
}
