// SPDX-License-Identifier: MIT
/* CSRs: the table of the contract, read-only and writable ones, the six instructions. */
#include "rig.h"

enum access { RO, RW };

static const struct {
	const char *name;
	unsigned int number;
	enum access access;
} csrs[] = {
#define ROW(n, num, access, ...) { #n, num, access },
	ANPU_CSRS(ROW)
};


static void set_x10(struct core_block *b, void *ctx)
{
	b->x[10] = *(uint64_t *)ctx;
	b->x[13] = 0x5555;
}

static uint64_t read_csr(struct rig *r, unsigned int csr)
{
	uint64_t zero = 0;

	return rig_one(r, CSRR(13, csr), set_x10, &zero) == CORE_DONE ? r->b->x[13] : 0xdeadbeef;
}

static void test_table(struct rig *r)
{
	uint64_t v = ~0ULL;

	for (unsigned int n = 0; n < sizeof(csrs) / sizeof(csrs[0]); n++) {
		const uint32_t code[] = { CSRW(csrs[n].number, 10), CSRR(13, csrs[n].number), RET };
		enum core_result w;

		tap_ok(rig_one(r, CSRR(13, csrs[n].number), set_x10, &v) == CORE_DONE, "%s can be read",
		       csrs[n].name);
		rig_code(r, 0, code, 3);
		rig_block(r, CODE_VA);
		r->b->x[10] = v;
		w = rig_run(r);
		if (csrs[n].access == RO)
			tap_ok(w == CORE_FAULT && r->fault.cause == ANPU_FAULT_ILLEGAL,
			       "%s cannot be written", csrs[n].name);
		else
			tap_ok(w == CORE_DONE && r->b->x[13], "%s can be written", csrs[n].name);
	}
}

static void test_unknown(struct rig *r)
{
	bool known[4096] = { false };
	unsigned int bad = 0;
	uint64_t zero = 0;

	for (unsigned int n = 0; n < sizeof(csrs) / sizeof(csrs[0]); n++)
		known[csrs[n].number] = true;
	for (unsigned int n = 0; n < 4096; n++)
		if (!known[n])
			bad += rig_one(r, CSRR(13, n), set_x10, &zero) != CORE_FAULT ||
			       r->fault.cause != ANPU_FAULT_ILLEGAL || r->b->x[13] != 0x5555;
	tap_ok(!bad, "every other number is illegal");
}

static void test_values(struct rig *r)
{
	struct anpu_pkt_kernel *p = &r->k.pkt;

	p->dyn_scratch = 0x4000;
	p->cluster_x = 2;
	tap_ok(read_csr(r, ANPU_CSR_blockidx) == 5 && read_csr(r, ANPU_CSR_blocknum) == 24 &&
	       read_csr(r, ANPU_CSR_gridx) == 4 && read_csr(r, ANPU_CSR_gridy) == 3 &&
	       read_csr(r, ANPU_CSR_gridz) == 2 && read_csr(r, ANPU_CSR_coreid) == 3 &&
	       read_csr(r, ANPU_CSR_cores) == 8, "grid, block and core");
	tap_ok(read_csr(r, ANPU_CSR_args) == DATA_VA && read_csr(r, ANPU_CSR_argssize) == 64 &&
	       read_csr(r, ANPU_CSR_taskid) == 77 && read_csr(r, ANPU_CSR_isaver) == ANPU_ISA_VERSION,
	       "arguments, task, version");
	tap_ok(read_csr(r, ANPU_CSR_dynsize) == 0x4000 &&
	       read_csr(r, ANPU_CSR_dynbase) == ANPU_UB_BASE + ANPU_UB_SIZE - 0x4000 &&
	       read_csr(r, ANPU_CSR_clusterx) == 2 && read_csr(r, ANPU_CSR_clustery) == 1 &&
	       read_csr(r, ANPU_CSR_clusterz) == 1,
	       "dynamic scratchpad, clusters");
	p->cluster_x = 4;
	p->cluster_y = 3;
	p->cluster_z = 2;
	tap_ok(read_csr(r, ANPU_CSR_clusterx) == 4 && read_csr(r, ANPU_CSR_clustery) == 3 &&
	       read_csr(r, ANPU_CSR_clusterz) == 2, "clusters in each dimension");
	p->cluster_y = p->cluster_z = 0;
	tap_ok(read_csr(r, ANPU_CSR_subblockidx) == 0 && read_csr(r, ANPU_CSR_subblocknum) == 1 &&
	       read_csr(r, ANPU_CSR_coretype) == ANPU_CORE_ANY, "sub-blocks of a plain kernel");
	tap_ok(read_csr(r, ANPU_CSR_vmask0) == ~0ULL && read_csr(r, ANPU_CSR_vmask1) == ~0ULL &&
	       !read_csr(r, ANPU_CSR_padval) && !read_csr(r, ANPU_CSR_fcsr), "reset values");
	tap_ok(!read_csr(r, ANPU_CSR_fpctl), "INF/NAN mode is the default");
	p->hdr.flags = ANPU_KERNEL_SATURATE;
	tap_ok(read_csr(r, ANPU_CSR_fpctl) == ANPU_FPCTL_SATURATE, "unless the launch says saturate");
	tap_ok(!read_csr(r, ANPU_CSR_checking), "no checking mode by default");
	p->hdr.flags = ANPU_KERNEL_CHECK;
	tap_ok(read_csr(r, ANPU_CSR_checking) == 1, "unless the launch says so");
	p->hdr.flags = 0;
	p->dyn_scratch = 0;
	p->cluster_x = 0;
}

/* Each CSR that operations read or write has a place of its own, which is where these look. */
static void test_places(struct rig *r)
{
	static const unsigned int own[] = {
		ANPU_CSR_vmask0, ANPU_CSR_vmask1, ANPU_CSR_padval, ANPU_CSR_atomic, ANPU_CSR_quant, ANPU_CSR_selmask,
		ANPU_CSR_cmpmask0, ANPU_CSR_cmpmask1, ANPU_CSR_bias, ANPU_CSR_vcount, ANPU_CSR_accval
	};
	enum { N = sizeof(own) / sizeof(own[0]) };
	uint32_t code[2 * N + 1];
	bool ok;

	for (unsigned int i = 0; i < N; i++) {
		code[i] = I_TYPE(0x73, 5, 0, i + 1, own[i]);
		code[N + i] = CSRR(13 + i, own[i]);
	}
	code[2 * N] = RET;
	rig_code(r, 0, code, 2 * N + 1);
	rig_block(r, CODE_VA);
	ok = rig_run(r) == CORE_DONE;
	for (unsigned int i = 0; i < N; i++)
		ok = ok && r->b->x[13 + i] == i + 1;
	tap_ok(ok, "CSRs keep what is written");
	tap_ok(r->b->csr.vmask[0] == 1 && r->b->csr.vmask[1] == 2 && r->b->csr.padval == 3 && r->b->csr.atomic == 4 &&
	       r->b->csr.quant == 5 && r->b->csr.selmask == 6 && r->b->csr.cmpmask[0] == 7 && r->b->csr.cmpmask[1] == 8 &&
	       r->b->csr.bias == 9 && r->b->csr.vcount == 10 && r->b->csr.accval == 11, "where operations look for it");
}

static void test_mix(struct rig *r)
{
	struct core_block *b;
	uint32_t code[] = { CSRR(13, ANPU_CSR_subblockidx), CSRR(14, ANPU_CSR_subblocknum),
			    CSRR(15, ANPU_CSR_coretype), RET };
	static const uint64_t want[3][2] = { { 0, ANPU_CORE_AIC }, { 0, ANPU_CORE_AIV },
					     { 1, ANPU_CORE_AIV } };
	bool ok = true;

	rig_code(r, 0, code, 4);
	rig_code(r, 0x100, code, 4);
	r->k.pkt.entry = CODE_VA + 0x100;
	r->k.pkt.core_type = ANPU_CORE_MIX;
	r->k.pkt.mix_ratio = 2;
	r->k.pkt.aiv_entry = -0x100;
	tap_ok(core_sub_blocks(&r->k.pkt) == 3, "a MIX block with two vector parts has three sub-blocks");
	for (uint32_t n = 0; n < 3; n++) {
		b = core_block_new(&r->k, 0, n, 0);
		ok = ok && b->pc == CODE_VA + (n ? 0 : 0x100) &&
		     core_block_run(b, &r->mmu, 1000, &r->fault) == CORE_DONE &&
		     b->x[13] == want[n][0] && b->x[14] == 2 && b->x[15] == want[n][1];
		core_block_free(b);
	}
	tap_ok(ok, "sub-blocks know their number, kind and entry");
	r->k.pkt.core_type = ANPU_CORE_ANY;
	r->k.pkt.mix_ratio = 0;
	r->k.pkt.aiv_entry = 0;
}

/* A vector sub-block of a MIX kernel may ask for a cube unit; a vector core on its own has none. */
static void test_cube_use(struct rig *r)
{
	const uint32_t code[] = { I_TYPE(0x73, 5, 0, 1, ANPU_CSR_cubeuse), CSRR(13, ANPU_CSR_cubeuse), RET };
	static const struct {
		uint32_t core, sub;
		bool before, after;
	} kinds[] = { { ANPU_CORE_MIX, 0, false, false }, { ANPU_CORE_MIX, 1, true, false },
		      { ANPU_CORE_AIV, 0, true, true }, { ANPU_CORE_ANY, 0, false, false } };

	rig_code(r, 0, code, 3);
	r->k.pkt.entry = CODE_VA;
	r->k.pkt.mix_ratio = 1;
	for (unsigned int n = 0; n < sizeof(kinds) / sizeof(kinds[0]); n++) {
		struct core_block *b;
		bool ok;

		r->k.pkt.core_type = (uint8_t)kinds[n].core;
		b = core_block_new(&r->k, 0, kinds[n].sub, 0);
		ok = b->no_cube == kinds[n].before &&
		     core_block_run(b, &r->mmu, 1000, &r->fault) == CORE_DONE && b->x[13] == 1 &&
		     b->no_cube == kinds[n].after;
		core_block_free(b);
		tap_ok(ok, "cubeuse in sub-block %u of a kernel of type %u", kinds[n].sub, kinds[n].core);
	}
	r->k.pkt.core_type = ANPU_CORE_ANY;
	r->k.pkt.mix_ratio = 0;
}

static void test_instructions(struct rig *r)
{
	/* x13..x18: old values of csrrw, csrrs, csrrc, csrrwi, csrrsi, csrrci, then the last value */
	const uint32_t code[] = {
		I_TYPE(0x73, 1, 13, 10, ANPU_CSR_padval), I_TYPE(0x73, 2, 14, 11, ANPU_CSR_padval),
		I_TYPE(0x73, 3, 15, 12, ANPU_CSR_padval), I_TYPE(0x73, 5, 16, 21, ANPU_CSR_padval),
		I_TYPE(0x73, 6, 17, 10, ANPU_CSR_padval), I_TYPE(0x73, 7, 18, 1, ANPU_CSR_padval),
		CSRR(19, ANPU_CSR_padval), RET
	};
	const uint32_t same[] = { I_TYPE(0x73, 1, 10, 10, ANPU_CSR_padval), RET };
	uint64_t zero = 0;

	rig_code(r, 0, code, 8);
	rig_block(r, CODE_VA);
	r->b->x[10] = 0xf0f0;
	r->b->x[11] = 0x0f00;
	r->b->x[12] = 0x00f0;
	tap_ok(rig_run(r) == CORE_DONE && !r->b->x[13] && r->b->x[14] == 0xf0f0 &&
	       r->b->x[15] == 0xfff0 && r->b->x[16] == 0xff00 && r->b->x[17] == 21 &&
	       r->b->x[18] == 31 && r->b->x[19] == 30, "csrrw, csrrs, csrrc and immediate forms");
	rig_code(r, 0, same, 2);
	rig_block(r, CODE_VA);
	r->b->x[10] = 3;
	r->b->csr.padval = 9;
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[10] == 9 && r->b->csr.padval == 3,
	       "csrrw swaps a register with a CSR");
	tap_ok(rig_one(r, I_TYPE(0x73, 2, 13, 0, ANPU_CSR_blockidx), set_x10, &zero) == CORE_DONE,
	       "csrrs with x0 does not write a read-only CSR");
	tap_ok(rig_one(r, I_TYPE(0x73, 7, 13, 0, ANPU_CSR_blockidx), set_x10, &zero) == CORE_DONE,
	       "csrrci with 0 does not write a read-only CSR");
	tap_ok(rig_one(r, I_TYPE(0x73, 2, 13, 10, ANPU_CSR_blockidx), set_x10, &zero) == CORE_FAULT,
	       "csrrs with a register writes even zero, and faults");
}

static void test_counters(struct rig *r)
{
	const uint32_t code[] = {
		CSRR(13, ANPU_CSR_instret), ADDI(0, 0, 0), B_TYPE(0, 0, 0, 4),
		CSRR(14, ANPU_CSR_instret), CSRR(15, ANPU_CSR_cycle), CSRR(16, ANPU_CSR_time),
		CSRR(17, ANPU_CSR_time), RET
	};

	rig_code(r, 0, code, 8);
	rig_block(r, CODE_VA);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == 0 && r->b->x[14] == 3 && r->b->x[15] == 4 &&
	       r->b->retired == 8, "instret and cycle count exactly");
	tap_ok(r->b->x[17] - r->b->x[16] == r->tick, "time is the device clock");
}

static void test_tile_count(struct rig *r)
{
	const uint32_t code[] = { TILE_INSN(ANPU_TILE_VDUP, 12, 10, 11, 0), TILE_INSN(ANPU_TILE_VDUP, 12, 10, 11, 0),
				  CSRR(13, ANPU_CSR_cycle), CSRR(14, ANPU_CSR_instret), RET };
	struct core_counts counts;

	rig_code(r, 0, code, 5);
	rig_block(r, CODE_VA);
	r->b->x[10] = ANPU_UB_BASE;
	r->b->x[11] = 0x3f800000;
	r->b->x[12] = ANPU_CTL(8, ANPU_TYPE_F32, 0);
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == 4 && r->b->x[14] == 3, "cycle counts tile operations, too");
	core_block_counts(r->b, &counts);
	tap_ok(counts.insns == 5 && counts.tiles == 2, "and so do the block's counts");
}

static void test_fcsr(struct rig *r)
{
	const uint32_t code[] = {
		CSRW(ANPU_CSR_fcsr, 10), CSRR(13, ANPU_CSR_fflags), CSRR(14, ANPU_CSR_frm),
		I_TYPE(0x73, 5, 15, 1, ANPU_CSR_frm), CSRR(16, ANPU_CSR_fcsr),
		I_TYPE(0x73, 7, 17, 0x10, ANPU_CSR_fflags), CSRR(18, ANPU_CSR_fcsr), RET
	};

	rig_code(r, 0, code, 8);
	rig_block(r, CODE_VA);
	r->b->x[10] = 0xffffff00 | 4 << 5 | 0x15;
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == 0x15 && r->b->x[14] == 4 && r->b->x[15] == 4 &&
	       r->b->x[16] == (1 << 5 | 0x15) && r->b->x[17] == 0x15 && r->b->x[18] == (1 << 5 | 5),
	       "fcsr is frm and fflags");
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_table(&r);
	test_unknown(&r);
	test_values(&r);
	test_places(&r);
	test_cube_use(&r);
	test_mix(&r);
	test_instructions(&r);
	test_counters(&r);
	test_tile_count(&r);
	test_fcsr(&r);
	rig_fini(&r);
	return tap_done();
}
