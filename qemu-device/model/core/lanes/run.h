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
#include "../threads.h"
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
#define UNROLLED	_Pragma("clang loop unroll(disable)")
#else
#define INDEPENDENT	_Pragma("GCC ivdep")
#define UNROLLED	_Pragma("GCC unroll 8")
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
	w->word[r] = false;
	w->line[r] = false;
}

ALWAYS void has_words(struct warp *w, unsigned int r)
{
	w->word[r] = true;
	w->bits[r] = 32;
	w->row[r] = false;
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

#define IMM	((uint64_t)(int64_t)i->imm)

#include "run_int.h"

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
ALWAYS const uint32_t *lower_halves(struct warp *w, unsigned int r, size_t first, uint32_t *space)
{
	const uint64_t *f;

	if (likely(w->place[r] == LANE_F_SINGLES))
		return s_row(w, r) + first;
	f = warp_f_row(w, r) + first;
	EACH_LANE space[l] = (uint32_t)f[l];
	return space;
}

#include "run_line.h"
#include "run_memory.h"
#include "run_float.h"

/*
 * Lanes for which a branch's @condition holds: a set, as numbers of a warp. For a block's warps as one, all
 * or none of them; @part: only some.
 */
#define WHERE_OF(type, get, condition, part) ({ \
	uint32_t any = 0, all = ALL_LANES; \
	\
	EACH_WARP(n) { \
		type a_[LANES], c_[LANES]; \
		const type *a = get(w, i->rs1, first, a_), *c = get(w, i->rs2, first, c_); \
		type t = 0; \
		\
		EACH_LANE { \
			const type A = a[l], B = c[l]; \
			\
			t |= (type)(condition) << l; \
		} \
		any |= (uint32_t)t; \
		all &= (uint32_t)t; \
	} \
	*(part) = any && all != ALL_LANES; \
	any & g->mask; })
#define WHERE(condition, part) \
	(are_words(w, i) ? WHERE_OF(uint32_t, get_words, condition, part) : WHERE_OF(uint64_t, get_x, condition, part))

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

/* The instruction of the page at which lanes wait that the group joins; behind the page if it is none of this page. */
ALWAYS const struct lane_insn *join_at(const struct lanes *g, const struct lane_insn *insns, uint64_t page)
{
	if (g->join <= page)
		return insns;
	return g->join - page > PAGE_SIZE ? insns + PAGE_INSNS + 1 : insns + (g->join - page) / 4;
}

/* address of the instruction */
#define PC	(page + (uint64_t)(i - insns) * 4)

ALWAYS enum lanes_exit run(struct lanes *g, const bool whole)
{
	struct core_block *b = g->b;
	struct warp *w = g->w;
	const uint64_t *on = g->on;
	const struct lane_insn *const insns = g->code->insn;
	const uint64_t page = g->pc & ~(uint64_t)(PAGE_SIZE - 1);
	const struct lane_insn *i = &insns[(g->pc - page) / 4], *from = i;	/* straight on since @from */
	const struct lane_insn *const join = join_at(g, insns, page);
	const size_t n = width(g, whole);
	uint64_t target;
	enum lanes_exit r;
	uint32_t taken;
	bool part;

	for (;; i++) {
again:
		if (!whole && unlikely(i >= join)) {
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
			put_constant(g, i->rd, PC + IMM, whole);
			break;
		case OP_mv:
			if (whole && has_line(w, i->rs1)) {
				set_line(w, i->rd, w->base[i->rs1], w->step[i->rs1]);
			} else if (whole && w->word[i->rs1]) {
				const uint8_t bits = w->bits[i->rs1];

				PUT_WORDS(i->rs1, i->rs1, A);
				w->bits[i->rd] = bits;
			} else {
				PUT_X(i->rs1, i->rs1, A);
			}
			break;

#define ALU(name, second, expression) \
		case OP_##name: \
			if (!whole || !(line_of(OP_##name, w, i) || same_##name(w, i) || words_of(OP_##name, w, i, n))) \
				PUT_X(i->rs1, second, expression); \
			break;
#define ALU_W(name, second, expression) \
		case OP_##name: \
			if (!whole) \
				PUT_X(i->rs1, second, (int64_t)(int32_t)(expression)); \
			else if (!(line_of(OP_##name, w, i) || same_##name(w, i))) \
				PUT_WORDS(i->rs1, second, expression); \
			break;
#define ALU_I(name, expression)		ALU(name, i->rs1, expression)
#define ALU_R(name, expression)		ALU(name, i->rs2, expression)
#define ALU_IW(name, expression)	ALU_W(name, i->rs1, expression)
#define ALU_RW(name, expression)	ALU_W(name, i->rs2, expression)
		ALU_OPS_IMM(ALU_I, ALU_IW)
		ALU_OPS(ALU_R, ALU_RW) DIVIDE_OPS(ALU_R, ALU_RW)

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
		BRANCH(blt, SIGNED(A) < SIGNED(B), line_less, 1)
		BRANCH(bge, SIGNED(A) >= SIGNED(B), line_less, 0)
		BRANCH(bltu, A < B, line_below, 1)
		BRANCH(bgeu, A >= B, line_below, 0)
branch:
			if (!taken)
				break;
			if (is_wide(g, whole) && part)
				goto narrow;
			target = PC + IMM;
			if (unlikely(target & 3))
				goto step;
			if (taken == g->mask)
				goto jump;
			g->pc = PC;
			split(g, taken, target);
			g->left--;
			r = LANES_SPLIT;
			goto leave;
		case OP_jal_far:
			target = PC + IMM;
			if (unlikely(target & 3))
				goto step;
			put_constant(g, i->rd, PC + 4, whole);
			goto jump;
		case OP_jalr:
		case OP_ret: {
			lane_row t;
			uint64_t bad = 0;

			if (jump_target(g, i, t, &target, whole)) {
				if (unlikely(target & 3))
					goto step;
				if (i->op == OP_jalr)
					put_constant(g, i->rd, PC + 4, whole);
				goto jump;
			}
			if (is_wide(g, whole))
				goto narrow;
			EACH_LANE bad |= t[l] & 3 & on[l];
			if (bad)
				goto step;
			if (i->op == OP_jalr)
				put_constant(g, i->rd, PC + 4, whole);
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
		LOADS_WORD(LOAD_X)
		LOADS_X(LOAD_X)
		LOADS_S(LOAD_X)
		LOADS_D(LOAD_X)
#define STORE(name, type, element, get) \
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
			uint64_t v = 0, done = (uint64_t)(g->begun - g->left + (i - from));

			if (i->rs1 || !csr_read(b, (unsigned int)i->imm, b->retired + done * g->count, &v))
				goto step;
			put_constant(g, i->rd, v, whole);
			g->delay += COST_CSR;
			break;
		}
		case OP_amo:
			if (amo_reserves(i->imm))
				goto step;
			g->pc = PC;
			if (unlikely(!atomics(g, i, n, whole)))
				goto fault;
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
		g->left -= i - from + 1;
		if (unlikely(target - page >= PAGE_SIZE)) {
			g->pc = target;
			return LANES_JUMP;
		}
		i = from = &insns[(target - page) / 4];
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
	g->left -= i - from;
	g->pc = PC;
	return r;
}

enum lanes_exit LANES_RUN(struct lanes *g)
{
	return g->whole ? run(g, true) : run(g, false);
}
