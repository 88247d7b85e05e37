// SPDX-License-Identifier: MIT
/* Homes of registers, and which floating-point registers are known to hold singles. */
#include "jit_int.h"

#define MAX_DEPTH 5

struct use {
	uint64_t x[32];
	uint64_t f[32];
};

static void count_insn(struct region *r, struct use *use, const struct jinsn *i, uint64_t weight)
{
	unsigned int flags = jinsn_flags(i);

	if (flags & OP_X1)
		use->x[i->d.rs1] += weight;
	if (flags & OP_X2)
		use->x[i->d.rs2] += weight;
	if (flags & OP_XD && is_x(i->d.rd)) {
		use->x[i->d.rd] += weight;
		r->x_written |= 1u << i->d.rd;
	}
	if (flags & OP_CALL)
		return;	/* works on the registers in memory */
	if (flags & OP_F1)
		use->f[i->d.rs1] += weight;
	if (flags & OP_F2)
		use->f[i->d.rs2] += weight;
	if (flags & OP_F3)
		use->f[i->d.rs3] += weight;
	if (flags & OP_FD) {
		use->f[i->d.rd & 31] += weight;
		r->f_written |= 1u << (i->d.rd & 31);
	}
}

/* The @n registers with the greatest use, in @homes; returns the set of them. */
static uint32_t choose(uint64_t use[32], uint8_t home[32], const uint8_t *homes, unsigned int n)
{
	uint32_t chosen = 0;
	unsigned int k, r;

	memset(home, IN_MEMORY, 32);
	for (k = 0; k < n; k++) {
		unsigned int best = 0;

		for (r = 1; r < 32; r++)
			if (use[r] > use[best])
				best = r;
		if (!use[best])
			break;
		home[best] = homes[k];
		chosen |= 1u << best;
		use[best] = 0;
	}
	return chosen;
}

void region_allocate(struct region *r)
{
	static const uint8_t x_homes[X_HOMES] = { RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14 };
	uint8_t f_homes[F_HOMES];
	struct use use = { 0 };
	unsigned int n, k;

	r->x_written = 0;
	r->f_written = 0;
	for (n = 0; n < r->blocks; n++) {
		const struct jblock *b = &r->block[n];
		unsigned int depth = b->depth < MAX_DEPTH ? b->depth : MAX_DEPTH;

		for (k = 0; k < b->count; k++)
			count_insn(r, &use, &r->insn[b->first + k], 1ull << 3 * depth);
	}
	for (k = 0; k < F_HOMES; k++)
		f_homes[k] = (uint8_t)(F_FIRST + k);
	use.x[0] = 0;
	r->x_written &= choose(use.x, r->x_home, x_homes, X_HOMES);
	r->f_written &= choose(use.f, r->f_home, f_homes, F_HOMES);
}

/* NaN boxes -------------------------------------------------------------------------------------- *
 *
 * A single in an f register is valid only if the upper half is all ones. In place of a check at each
 * use, whoever enters a region from outside checks what its blocks will use as singles; inside, each
 * instruction leaves a known state behind, and only uses that this does not cover are checked.
 */

static uint32_t sources(const struct jinsn *i, unsigned int flags)
{
	return (flags & OP_F1 ? 1u << i->d.rs1 : 0) | (flags & OP_F2 ? 1u << i->d.rs2 : 0) |
	       (flags & OP_F3 ? 1u << i->d.rs3 : 0);
}

/* singles that the block uses before it writes them, and what it writes */
static void block_needs(const struct region *r, const struct jblock *b, uint32_t *need,
			uint32_t *written)
{
	unsigned int k;

	*need = 0;
	*written = 0;
	for (k = 0; k < b->count; k++) {
		const struct jinsn *i = &r->insn[b->first + k];
		unsigned int flags = jinsn_flags(i);

		if (flags & OP_SRC_S && !(flags & OP_CALL))
			*need |= sources(i, flags) & ~*written;
		if (flags & OP_FD)
			*written |= 1u << (i->d.rd & 31);
	}
}

static uint32_t boxed_after(const struct region *r, const struct jblock *b)
{
	uint32_t boxed = b->boxed_in;
	unsigned int k;

	for (k = 0; k < b->count; k++) {
		const struct jinsn *i = &r->insn[b->first + k];
		unsigned int flags = jinsn_flags(i);

		/* a use that is not covered is checked */
		if (flags & OP_SRC_S && !(flags & OP_CALL))
			boxed |= sources(i, flags);
		if (flags & OP_FD)
			boxed = flags & OP_DST_S ? boxed | 1u << (i->d.rd & 31) :
						   boxed & ~(1u << (i->d.rd & 31));
	}
	return boxed;
}

static void find_needs(struct region *r)
{
	uint32_t need[MAX_BLOCKS], written[MAX_BLOCKS];
	bool changed = true;
	unsigned int n, k;

	for (n = 0; n < r->blocks; n++) {
		block_needs(r, &r->block[n], &need[n], &written[n]);
		r->block[n].boxed_need = need[n];
	}
	while (changed) {
		changed = false;
		for (n = r->blocks; n-- > 0;) {
			struct jblock *b = &r->block[n];
			uint32_t all = b->boxed_need;

			for (k = 0; k < b->succs; k++)
				if (b->succ[k] != NO_BLOCK)
					all |= r->block[b->succ[k]].boxed_need & ~written[n];
			changed |= all != b->boxed_need;
			b->boxed_need = all;
		}
	}
}

void region_boxes(struct region *r)
{
	bool changed = true;
	unsigned int n, k;

	find_needs(r);
	for (n = 0; n < r->blocks; n++)
		r->block[n].boxed_in = r->block[n].boxed_need;
	while (changed) {
		changed = false;
		for (n = 0; n < r->blocks; n++) {
			const struct jblock *b = &r->block[n];
			uint32_t boxed = boxed_after(r, b);

			for (k = 0; k < b->succs; k++) {
				struct jblock *to = b->succ[k] != NO_BLOCK ? &r->block[b->succ[k]] : NULL;

				if (!to || !(to->boxed_in & ~boxed))
					continue;
				to->boxed_in &= boxed;
				changed = true;
			}
		}
	}
}
