// SPDX-License-Identifier: MIT
/* Single instructions that translated code asks C for: misses of the soft TLB, rare arithmetic, tiles. */
#include "../amo.h"
#include "../exec_ops.h"
#include "jit_int.h"

static void charge(struct core_block *b, int64_t n)
{
	b->jit.credit -= n;
	b->jit.total -= (uint64_t)n;
}

/* Extend the bytes @v of a load as @op does. */
static void loaded(struct core_block *b, const struct jinsn *i, uint64_t v)
{
	unsigned int rd = i->d.rd;

	switch (i->op) {
	case OP_lb: b->x[rd] = (uint64_t)(int64_t)(int8_t)v; break;
	case OP_lh: b->x[rd] = (uint64_t)(int64_t)(int16_t)v; break;
	case OP_lw: b->x[rd] = (uint64_t)(int64_t)(int32_t)v; break;
	case OP_flh: b->f[rd] = BOX_H | v; break;
	case OP_flw: b->f[rd] = BOX_S | v; break;
	case OP_fld: b->f[rd] = v; break;
	default: b->x[rd] = v; break;
	}
}

/* The page that was missed is the one that the place will use next, even if the TLB forgets it. */
static void near_fill(struct core_block *b, unsigned int slot, uint64_t va)
{
	const struct tlb_entry *e = &b->tlb[tlb_index(va)];
	struct tlb_near *near = &b->near[slot];

	if (e->rtag != va >> PAGE_SHIFT)
		return;
	near->rbase = va & ~(uint64_t)(PAGE_SIZE - 1);
	near->wbase = e->wtag == e->rtag ? near->rbase : NEAR_NONE;
	near->off = e->off;
	b->near_used = 1;
}

static bool memory(struct core_block *b, const struct jit_site *s)
{
	const struct jinsn *i = &s->i;
	unsigned int bytes = 1u << (i->word >> 12 & 3);
	uint64_t va = b->x[i->d.rs1] + (uint64_t)(int64_t)i->d.imm, v = 0;

	charge(b, COST_SLOW_MEM);
	switch (i->op) {
	case OP_sb: case OP_sh: case OP_sw: case OP_sd:
		if (!mem_store_slow(b, va, bytes, &b->x[i->d.rs2], b->jit.fault))
			return false;
		break;
	case OP_fsh: case OP_fsw: case OP_fsd:
		if (!mem_store_slow(b, va, bytes, &b->f[i->d.rs2], b->jit.fault))
			return false;
		break;
	default:
		if (!mem_load_slow(b, va, bytes, &v, b->jit.fault))
			return false;
		loaded(b, i, v);
	}
	near_fill(b, s->near_slot, va);
	return true;
}

static unsigned int leave(struct core_block *b, const struct jit_site *s, enum jit_exit why)
{
	b->jit.credit += s->left;
	return why;
}

static bool is_memory(unsigned int op)
{
	return (op >= OP_lb && op <= OP_sd) || (op >= OP_flh && op <= OP_fsd);
}

unsigned int jit_call(struct core_block *b, const struct jit_site *s)
{
	const struct gen_jit *j = atomic_load_explicit(&b->gen->jit, memory_order_relaxed);
	const struct jinsn *i = &s->i;

	/*
	 * The region may have been entered from another one by a jump through gen_jit.jump. That was an
	 * acquiring load, as all of x86-64 are, but neither compiler nor ThreadSanitizer has seen it.
	 */
	(void)atomic_load_explicit(&j->regions_made, memory_order_acquire);
	b->pc = i->pc;		/* observers and the checking mode look at it */
	if (is_memory(i->op))
		return memory(b, s) ? 0 : leave(b, s, JIT_FAULT);
	if (i->op == OP_amo) {
		if (!amo_exec(b, &i->d, b->jit.fault))
			return leave(b, s, JIT_FAULT);
		charge(b, COST_AMO);
		return 0;
	}
	if (i->op == OP_tile) {
		if (!exec_tile(b, &i->d, b->jit.fault))
			return leave(b, s, JIT_FAULT);
		charge(b, b->tile_cost);
		return 0;
	}
	if (i->op == OP_sys) {
		/* flags between pipes compute nothing: the host's floating point stays as the operator has it */
		charge(b, COST_SYS);
		return sys_exec(b, (unsigned int)i->d.imm, b->x[i->d.rs1], b->x[i->d.rs2], b->jit.fault) == SYS_NEXT ?
			       0 : leave(b, s, JIT_FAULT);
	}
	if (i->op == OP_csrrs) {
		/* the interpreter reports a register that does not exist */
		if (!csr_read(b, (unsigned int)i->d.imm, 0, &b->x[i->d.rd]))
			return leave(b, s, JIT_STEP);
		charge(b, COST_CSR);
		return 0;
	}
	if (i->op == OP_fcvt_s_int || i->op == OP_fcvt_d_int || i->op >= JOP_FIRST ||
	    i->op == OP_fp_slow || (i->op >= OP_fmadd_s && i->op <= OP_fnmadd_d)) {
		/* the interpreter reports a reserved rounding mode */
		if (!fp_slow(b, i->word))
			return leave(b, s, JIT_STEP);
		charge(b, COST_SLOW_FP);
		return 0;
	}
	return leave(b, s, JIT_STEP);
}
