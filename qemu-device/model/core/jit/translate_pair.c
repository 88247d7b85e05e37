// SPDX-License-Identifier: MIT
/*
 * Two instructions that are fewer on the host. Compilers write an address as a shift and a sum, and the
 * index in it, if it has 32 bits, as two shifts. The second instruction overwrites the result of the first.
 */
#include "jit_int.h"

/* x[rd] = the lower half of x[rs1], shifted to the left by @n */
static void lower_half(struct trans *t, unsigned int n)
{
	const struct insn *d = &t->i->d;
	unsigned int to = x_def(t, d->rd, RAX);

	if (d->rs1)
		mov_load_w(&t->c, to, x_rm(t, d->rs1));
	else
		zero(&t->c, to);
	if (n)
		shift_imm(&t->c, SHIFT_LEFT, true, to, n);
	x_done(t, d->rd, to);
}

/* x[rd] = x[rs1] shifted to the left by @n, and x[@other] */
static void scaled_sum(struct trans *t, unsigned int n, unsigned int other)
{
	const struct insn *d = &t->i->d;
	unsigned int index = x_use(t, d->rs1, RAX), base = x_use(t, other, RCX);
	unsigned int to = x_def(t, d->rd, RAX);

	lea(&t->c, true, to, rm_scaled(base, index, n));
	x_done(t, d->rd, to);
}

bool translate_pair(struct trans *t, const struct jinsn *next)
{
	const struct insn *d = &t->i->d, *e = &next->d;
	unsigned int left = (unsigned int)d->imm & 63, right = (unsigned int)e->imm & 63;

	if (t->i->op != OP_slli || !is_x(d->rd) || e->rd != d->rd)
		return false;
	if (next->op == OP_srli && e->rs1 == d->rd && left == 32 && right <= 32) {
		lower_half(t, 32 - right);
		return true;
	}
	if (next->op == OP_add && left <= 3 && (e->rs1 == d->rd) != (e->rs2 == d->rd)) {
		scaled_sum(t, left, e->rs1 == d->rd ? e->rs2 : e->rs1);
		return true;
	}
	return false;
}
