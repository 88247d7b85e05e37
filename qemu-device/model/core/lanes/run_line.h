/* SPDX-License-Identifier: MIT */
/* Integers that are a line over the lanes: base + lane * step. Part of run.h. */

/* x[@r] becomes a line if it is one after sign-extension of the lower halves. */
ALWAYS bool set_line_w(struct warp *w, unsigned int r, uint64_t base, uint64_t step)
{
	int64_t first = (int32_t)base, by = (int32_t)step, last = first + (int64_t)w->last * by;

	if (last != (int32_t)last)
		return false;
	set_line(w, r, (uint64_t)first, (uint64_t)by);
	return true;
}

/* Far enough from where numbers wrap for sums and differences of two. */
ALWAYS bool line_is_small(uint64_t base, uint64_t step)
{
	return base + (1ULL << 61) < 1ULL << 62 && step + (1ULL << 49) < 1ULL << 50;
}

/* All lanes have the same operands, so they have the same result. */
#define SAME_I(name, expression) \
ALWAYS bool same_##name(struct warp *w, const struct lane_insn *i) \
{ \
	const uint64_t A = w->base[i->rs1]; \
	\
	if (!has_line(w, i->rs1) || w->step[i->rs1]) \
		return false; \
	set_line(w, i->rd, (uint64_t)(expression), 0); \
	return true; \
}
#define SAME_R(name, expression) \
ALWAYS bool same_##name(struct warp *w, const struct lane_insn *i) \
{ \
	const uint64_t A = w->base[i->rs1], B = w->base[i->rs2]; \
	\
	if (!has_lines(w, i) || w->step[i->rs1] || w->step[i->rs2]) \
		return false; \
	set_line(w, i->rd, (uint64_t)(expression), 0); \
	return true; \
}
#define SAME_IW(name, expression)	SAME_I(name, (int64_t)(int32_t)(expression))
#define SAME_RW(name, expression)	SAME_R(name, (int64_t)(int32_t)(expression))
ALU_OPS_IMM(SAME_I, SAME_IW)
ALU_OPS(SAME_R, SAME_RW) DIVIDE_OPS(SAME_R, SAME_RW)

/* A shift to the right keeps a line whose step loses no bits, if it does not wrap. */
ALWAYS bool line_shift(struct warp *w, const struct lane_insn *i, const bool arithmetic)
{
	uint64_t base = w->base[i->rs1], step = w->step[i->rs1], last = base + w->last * step;

	if (step & ((1ULL << i->imm) - 1) || step >> 52 || (arithmetic ? (int64_t)last < (int64_t)base : last < base))
		return false;
	if (arithmetic)
		base = (uint64_t)((int64_t)base >> i->imm);
	else
		base >>= i->imm;
	set_line(w, i->rd, base, step >> i->imm);
	return true;
}

/* The lower bits of a line are one if the upper bits are the same in all lanes. */
ALWAYS bool line_low_bits(struct warp *w, const struct lane_insn *i)
{
	uint64_t base = w->base[i->rs1], step = w->step[i->rs1], mask = IMM;

	if (mask & (mask + 1) || step > mask || (base ^ (base + w->last * step)) & ~mask)
		return false;
	set_line(w, i->rd, base & mask, step);
	return true;
}

/*
 * Comparisons of two lines. What is compared is a line, too, so what holds in the first and in the last lane
 * holds in all. false: it does not hold in all lanes, or in none. @taken: all lanes or none, where the
 * condition is @value.
 */
ALWAYS bool line_difference(const struct warp *w, const struct lane_insn *i, int64_t *first, int64_t *last)
{
	uint64_t a = w->base[i->rs1], b = w->base[i->rs2], by = w->step[i->rs1] - w->step[i->rs2];

	if (!line_is_small(a, w->step[i->rs1]) || !line_is_small(b, w->step[i->rs2]))
		return false;
	*first = (int64_t)(a - b);
	*last = *first + (int64_t)w->last * (int64_t)by;
	return true;
}

ALWAYS bool line_equal(const struct warp *w, const struct lane_insn *i, bool value, uint32_t *taken)
{
	int64_t first, last;

	if (!line_difference(w, i, &first, &last))
		return false;
	*taken = value == (!first && !last) ? ALL_LANES : 0;
	return (!first && !last) || (first < 0 && last < 0) || (first > 0 && last > 0);
}

ALWAYS bool line_less(const struct warp *w, const struct lane_insn *i, bool value, uint32_t *taken)
{
	int64_t first, last;

	if (!line_difference(w, i, &first, &last))
		return false;
	*taken = value == (first < 0) ? ALL_LANES : 0;
	return (first < 0) == (last < 0);
}

/* Numbers without a sign: as above if all of them are in the lower half of the range. */
ALWAYS bool line_below(const struct warp *w, const struct lane_insn *i, bool value, uint32_t *taken)
{
	uint64_t a = w->base[i->rs1], b = w->base[i->rs2];

	return (int64_t)(a | (a + w->last * w->step[i->rs1]) | b | (b + w->last * w->step[i->rs2])) >= 0 &&
	       line_less(w, i, value, taken);
}

/* The instructions of @op that keep lines; false: the result is none. @op is known when this is compiled. */
ALWAYS bool line_of(enum insn_op op, struct warp *w, const struct lane_insn *i)
{
	const uint64_t *base = w->base, *step = w->step;
	uint32_t all;
	unsigned int rd = i->rd, x = i->rs1, y = i->rs2;

	switch (op) {
	case OP_addi: return has_line(w, x) && (set_line(w, rd, base[x] + IMM, step[x]), true);
	case OP_addiw: return has_line(w, x) && set_line_w(w, rd, base[x] + IMM, step[x]);
	case OP_slli: return has_line(w, x) && (set_line(w, rd, base[x] << i->imm, step[x] << i->imm), true);
	case OP_slliw: return has_line(w, x) && set_line_w(w, rd, base[x] << i->imm, step[x] << i->imm);
	case OP_srli: return has_line(w, x) && line_shift(w, i, false);
	case OP_srai: return has_line(w, x) && line_shift(w, i, true);
	case OP_andi: return has_line(w, x) && line_low_bits(w, i);
	case OP_add: return has_lines(w, i) && (set_line(w, rd, base[x] + base[y], step[x] + step[y]), true);
	case OP_addw: return has_lines(w, i) && set_line_w(w, rd, base[x] + base[y], step[x] + step[y]);
	case OP_sub: return has_lines(w, i) && (set_line(w, rd, base[x] - base[y], step[x] - step[y]), true);
	case OP_subw: return has_lines(w, i) && set_line_w(w, rd, base[x] - base[y], step[x] - step[y]);
	case OP_mul:
		return has_lines(w, i) && (!step[x] || !step[y]) &&
		       (set_line(w, rd, base[x] * base[y], step[x] * base[y] + base[x] * step[y]), true);
	case OP_mulw:
		return has_lines(w, i) && (!step[x] || !step[y]) &&
		       set_line_w(w, rd, base[x] * base[y], step[x] * base[y] + base[x] * step[y]);
	case OP_slt: return has_lines(w, i) && line_less(w, i, 1, &all) && (set_line(w, rd, all & 1, 0), true);
	case OP_sltu: return has_lines(w, i) && line_below(w, i, 1, &all) && (set_line(w, rd, all & 1, 0), true);
	default: return false;
	}
}
