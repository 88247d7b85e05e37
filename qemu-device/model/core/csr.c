// SPDX-License-Identifier: MIT
/* Control and status registers. */
#include "check/check.h"
#include "fp.h"

static uint64_t cluster(uint8_t n)
{
	return n ? n : 1;
}

/* Read a register that describes the launch; these are computed when they are read. */
static bool read_launch(struct core_block *b, unsigned int csr, uint64_t *value)
{
	const struct anpu_pkt_kernel *p = &b->kernel->pkt;
	bool mix = p->core_type == ANPU_CORE_MIX;

	switch (csr) {
	case ANPU_CSR_blockidx: *value = b->block; return true;
	case ANPU_CSR_blocknum: *value = (uint64_t)p->grid_x * p->grid_y * p->grid_z; return true;
	case ANPU_CSR_subblockidx: *value = mix && b->sub_block ? b->sub_block - 1 : 0; return true;
	case ANPU_CSR_coreid: *value = b->core; return true;
	case ANPU_CSR_subblocknum: *value = mix ? p->mix_ratio : 1; return true;
	case ANPU_CSR_args: *value = p->args; return true;
	case ANPU_CSR_argssize: *value = p->args_size; return true;
	case ANPU_CSR_gridx: *value = p->grid_x; return true;
	case ANPU_CSR_gridy: *value = p->grid_y; return true;
	case ANPU_CSR_gridz: *value = p->grid_z; return true;
	case ANPU_CSR_dynbase: *value = ANPU_UB_BASE + ANPU_UB_SIZE - p->dyn_scratch; return true;
	case ANPU_CSR_dynsize: *value = p->dyn_scratch; return true;
	case ANPU_CSR_cores: *value = b->kernel->cores; return true;
	case ANPU_CSR_taskid: *value = p->hdr.task_id; return true;
	case ANPU_CSR_coretype: *value = b->core_type; return true;
	case ANPU_CSR_isaver: *value = ANPU_ISA_VERSION; return true;
	case ANPU_CSR_clusterx: *value = cluster(p->cluster_x); return true;
	case ANPU_CSR_clustery: *value = cluster(p->cluster_y); return true;
	case ANPU_CSR_clusterz: *value = cluster(p->cluster_z); return true;
	case ANPU_CSR_checking: *value = b->check != NULL; return true;
	default: return false;
	}
}

static uint64_t *writable(struct core_block *b, unsigned int csr)
{
	switch (csr) {
	case ANPU_CSR_fpctl: return &b->csr.fpctl;
	case ANPU_CSR_vmask0: return &b->csr.vmask[0];
	case ANPU_CSR_vmask1: return &b->csr.vmask[1];
	case ANPU_CSR_padval: return &b->csr.padval;
	case ANPU_CSR_atomic: return &b->csr.atomic;
	case ANPU_CSR_quant: return &b->csr.quant;
	case ANPU_CSR_selmask: return &b->csr.selmask;
	case ANPU_CSR_cmpmask0: return &b->csr.cmpmask[0];
	case ANPU_CSR_cmpmask1: return &b->csr.cmpmask[1];
	case ANPU_CSR_bias: return &b->csr.bias;
	case ANPU_CSR_vcount: return &b->csr.vcount;
	case ANPU_CSR_accval: return &b->csr.accval;
	case ANPU_CSR_cubeuse: return &b->csr.cubeuse;
	default: return NULL;
	}
}

bool csr_read(struct core_block *b, unsigned int csr, uint64_t instret, uint64_t *value)
{
	const uint64_t *custom;

	switch (csr) {
	case ANPU_CSR_fflags: *value = fp_get_flags(b); return true;
	case ANPU_CSR_frm: *value = b->frm; return true;
	case ANPU_CSR_fcsr: *value = b->frm << 5 | fp_get_flags(b); return true;
	case ANPU_CSR_cycle: *value = instret + b->tiles; return true;
	case ANPU_CSR_time: *value = b->kernel->clock(b->kernel->clock_ctx); return true;
	case ANPU_CSR_instret: *value = instret; return true;
	default: break;
	}
	custom = writable(b, csr);
	if (!custom)
		return read_launch(b, csr, value);
	*value = *custom;
	return true;
}

/*
 * Flags that operations raised before are overflows, although software clears them now; flags that
 * software sets are none.
 */
static void write_fflags(struct core_block *b, uint32_t flags)
{
	if (unlikely(b->watch)) {
		block_note_fflags(b, fp_get_flags(b));
		b->fflags_told = (uint8_t)flags;
	}
	fp_set_flags(b, flags);
}

bool csr_write(struct core_block *b, unsigned int csr, uint64_t value)
{
	uint64_t *custom;

	switch (csr) {
	case ANPU_CSR_fflags: write_fflags(b, value & 31); return true;
	case ANPU_CSR_frm: fp_set_frm(b, value & 7); return true;
	case ANPU_CSR_fcsr:
		write_fflags(b, value & 31);
		fp_set_frm(b, value >> 5 & 7);
		return true;
	default: break;
	}
	custom = writable(b, csr);
	if (!custom)
		return false;
	*custom = csr == ANPU_CSR_fpctl ? value & ANPU_FPCTL_MASK : value;
	if (csr == ANPU_CSR_atomic && unlikely(b->check))
		b->check->atomic_pc = b->pc;
	if (csr == ANPU_CSR_cubeuse)
		b->no_cube = core_lacks_cube(b);
	return true;
}
