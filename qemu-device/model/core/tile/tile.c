// SPDX-License-Identifier: MIT
/*
 * Tile operations: the table and the way into it.
 *
 * Floating-point work here needs the host's default environment, and leaves flags in it: the scalar
 * unit, which works in an environment of its own, changes it before and after (exec).
 */
#include "../check/check.h"
#include "tile_int.h"

struct tile_op {
	const char *name;
	uint8_t pipe;
};

static const struct tile_op ops[ANPU_TILE_OP_COUNT] = {
#define X(op, number, pipe, ...) [number] = { #op, ANPU_PIPE_##pipe },
	ANPU_TILE_OPS(X)
#undef X
};

static const tile_run_fn runs[ANPU_TILE_OP_COUNT] = {
	[ANPU_TILE_DMA_LIN] = tile_dma_lin,
	[ANPU_TILE_DMA_BURST] = tile_dma_burst,
	[ANPU_TILE_DMA_PAD] = tile_dma_pad,
	[ANPU_TILE_DMA_ATOM] = tile_dma_atom,
	[ANPU_TILE_DMA_FILL] = tile_dma_fill,
	[ANPU_TILE_VBIN] = tile_vbin,
	[ANPU_TILE_VBINS] = tile_vbins,
	[ANPU_TILE_VUN] = tile_vun,
	[ANPU_TILE_VTRI] = tile_vtri,
	[ANPU_TILE_VCVT] = tile_vcvt,
	[ANPU_TILE_VDUP] = tile_vdup,
	[ANPU_TILE_VCMP] = tile_vcmp,
	[ANPU_TILE_VSEL] = tile_vsel,
	[ANPU_TILE_VRED] = tile_vred,
	[ANPU_TILE_VGATHER] = tile_vgather,
	[ANPU_TILE_VSCATTER] = tile_vscatter,
	[ANPU_TILE_VGMASK] = tile_vgmask,
	[ANPU_TILE_VBRC] = tile_vbrc,
	[ANPU_TILE_VTRANS] = tile_vtrans,
	[ANPU_TILE_VIOTA] = tile_viota,
	[ANPU_TILE_VSORT] = tile_vsort,
	[ANPU_TILE_VMRG] = tile_vmrg,
	[ANPU_TILE_VREP] = tile_vrep,
	[ANPU_TILE_DMA_ND2NZ] = tile_dma_nd2nz,
	[ANPU_TILE_LOAD2D] = tile_load2d,
	[ANPU_TILE_LOAD3D] = tile_load3d,
	[ANPU_TILE_MMAD] = tile_mmad,
	[ANPU_TILE_FIXPIPE] = tile_fixpipe,
	[ANPU_TILE_VTRANSB] = tile_vtransb,
};

/* The way in ------------------------------------------------------------------------------------- */

bool tile_allowed(struct core_block *b, unsigned int op, struct core_fault *fault)
{
	const struct tile_op *o;

	if (unlikely(op >= ANPU_TILE_OP_COUNT || !ops[op].name))
		return core_fail(fault, ANPU_FAULT_ILLEGAL,
				 "tile operation %u does not exist in this version of the core", op);
	o = &ops[op];
	if (unlikely(!runs[op]))
		return core_fail(fault, ANPU_FAULT_ILLEGAL,
				 "tile operation %s is not built in this version of the core",
				 o->name);
	if (unlikely(b->core_type == ANPU_CORE_AIC && o->pipe == ANPU_PIPE_V))
		return core_fail(fault, ANPU_FAULT_ILLEGAL,
				 "%s is a vector operation, but this block runs on a cube core",
				 o->name);
	if (unlikely(b->no_cube &&
		     (o->pipe == ANPU_PIPE_M || o->pipe == ANPU_PIPE_MTE1 ||
		      o->pipe == ANPU_PIPE_FIX)))
		return core_fail(fault, ANPU_FAULT_ILLEGAL,
				 "%s is a cube operation, but this block runs on a vector core",
				 o->name);
	return true;
}

unsigned int tile_pipe(unsigned int op, const struct tile_args *a)
{
	unsigned int dst = tile_window_of(a->rs1), src = tile_window_of(a->rs2);

	if (op == ANPU_TILE_LOAD2D)
		return src == WIN_GM ? ANPU_PIPE_MTE2 : ANPU_PIPE_MTE1;
	if (ops[op].pipe != ANPU_PIPE_DIR)
		return ops[op].pipe;
	if (op == ANPU_TILE_DMA_FILL) {
		if (dst == WIN_UB)
			return ANPU_PIPE_V;
		return dst == WIN_L1 ? ANPU_PIPE_MTE2 : ANPU_PIPE_MTE1;
	}
	if (src == WIN_GM)
		return ANPU_PIPE_MTE2;
	if (src == WIN_UB)
		return dst == WIN_UB ? ANPU_PIPE_V : ANPU_PIPE_MTE3;
	return dst == WIN_GM ? ANPU_PIPE_MTE3 : ANPU_PIPE_MTE1;
}

/*
 * Lines of the host's caches that are fetched ahead for an operation: not more than the host keeps in
 * flight, and not more than the operation's time is good for.
 */
#define AHEAD_LINES	24
#define COST_PER_LINE	8

bool tile_run(struct core_block *b, unsigned int op, const struct tile_args *a,
	      struct core_fault *fault)
{
	struct tile t = { b, a, fault, NULL, "", "" };

	if (unlikely(!tile_allowed(b, op, fault)))
		return false;
	t.k = tile_kernels();
	t.name = ops[op].name;
	b->tile_cost = 8;
	if (unlikely(b->check))
		check_begin(b, tile_pipe(op, a), t.name);
	if (unlikely(!runs[op](&t)))
		return false;
	if (ops[op].pipe != ANPU_PIPE_DIR) {
		uint32_t lines = b->tile_cost / COST_PER_LINE;

		ahead_fetch(&b->ahead, lines < AHEAD_LINES ? lines : AHEAD_LINES);
	}
	return true;
}

bool tile_exec(struct core_block *b, unsigned int op, const struct tile_args *a,
	       struct core_fault *fault)
{
	return unlikely(b->kernel->observer || b->kernel->time_pipes) ? observed_tile(b, op, a, fault) :
									tile_run(b, op, a, fault);
}
