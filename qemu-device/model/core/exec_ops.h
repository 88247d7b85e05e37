/* SPDX-License-Identifier: MIT */
/* Shared by the interpreter and translated code: operations and their costs. */
#ifndef ANPU_EXEC_OPS_H
#define ANPU_EXEC_OPS_H

#include "fp.h"

/* costs are in instructions that take as long, so that polls are not late */
#define COST_SLOW_FP	8
#define COST_CSR	8	/* the clock is a call */
#define COST_SLOW_MEM	32
#define COST_SYS	16
#define COST_AMO	8
#define COST_THREAD	16

static inline bool exec_tile(struct core_block *b, const struct insn *i, struct core_fault *fault)
{
	struct tile_args a = { b->x[i->rs1], b->x[i->rs2], b->x[i->rs3], b->x[i->rd] };
	uint32_t guest = host_fp_get();
	bool ok;

	/* to change the control word costs as much as a small operation; flags in it do no harm */
	if (unlikely((guest & ~HOST_FP_FLAGS) != HOST_FP_CLEAN))
		host_fp_set(HOST_FP_CLEAN);
	b->tile_cost = 16;
	ok = tile_exec(b, (unsigned int)i->imm, &a, fault);
	if (host_fp_get() != guest)
		host_fp_set(guest);
	b->tiles += ok;
	return ok;
}

static inline enum sys_result exec_sys(struct core_block *b, const struct insn *i,
				       struct core_fault *fault)
{
	uint32_t guest = host_fp_get();
	enum sys_result r;

	if (unlikely((guest & ~HOST_FP_FLAGS) != HOST_FP_CLEAN))
		host_fp_set(HOST_FP_CLEAN);
	r = sys_exec(b, (unsigned int)i->imm, b->x[i->rs1], b->x[i->rs2], fault);
	if (host_fp_get() != guest)
		host_fp_set(guest);
	return r;
}

#endif /* ANPU_EXEC_OPS_H */
