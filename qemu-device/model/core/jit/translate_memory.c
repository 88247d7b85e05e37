// SPDX-License-Identifier: MIT
/*
 * Loads and stores: the soft TLB in line, everything else, misses, accesses across pages, faults, by
 * jit_call(). An entry that matches no address sends every access there.
 */
#include "jit_int.h"

_Static_assert(sizeof(struct tlb_entry) == 32 && TLB_SIZE == 256, "the index is bits 12 to 19");

#define TLB_FIELD(name)	((int32_t)(offsetof(struct core_block, tlb) + \
				   offsetof(struct tlb_entry, name)) - BLOCK_BIAS)

/* @to = @base + @distance */
static void add(struct code *c, unsigned int to, unsigned int base, int32_t distance)
{
	if (distance)
		lea(c, true, to, rm_mem(base, distance));
	else
		mov_reg(c, to, base);
}

/*
 * Leaves the host address in [rax + rcx]: the page of the access's last byte must be the one that
 * the entry for its first byte has. Uses rdx.
 */
static struct rm access_to(struct trans *t, unsigned int bytes, bool write)
{
	unsigned int base = x_use(t, t->i->d.rs1, RDX);
	int32_t offset = t->i->d.imm;
	struct code *c = &t->c;

	add(c, RAX, base, offset);
	add(c, RDX, base, offset + (int32_t)bytes - 1);
	rorx(c, RCX, RAX, PAGE_SHIFT - 5);
	alu_imm(c, ALU_AND, false, rm_reg(RCX), (TLB_SIZE - 1) << 5);
	shift_imm(c, SHIFT_RIGHT, true, RDX, PAGE_SHIFT);
	alu_rm(c, ALU_CMP, true, RDX,
	       rm_index(R_BLOCK, RCX, write ? TLB_FIELD(wtag) : TLB_FIELD(rtag)));
	call_on(t, CC_NE);
	mov_load(c, RCX, rm_index(R_BLOCK, RCX, TLB_FIELD(off)));
	return rm_index(RAX, RCX, 0);
}

static void load(struct trans *t, unsigned int opcode, bool w, unsigned int bytes)
{
	struct rm m = access_to(t, bytes, false);
	unsigned int to = x_def(t, t->i->d.rd, RAX);

	op_rm(&t->c, opcode, w, to, m);
	x_done(t, t->i->d.rd, to);
}

static void store(struct trans *t, unsigned int opcode, bool w, unsigned int bytes)
{
	struct rm m = access_to(t, bytes, true);
	unsigned int from = x_use(t, t->i->d.rs2, RDX);

	op_rm(&t->c, opcode, w, from, m);
}

static void load_fp(struct trans *t, unsigned int bytes)
{
	struct rm m = access_to(t, bytes, false);
	unsigned int rd = t->i->d.rd, to = f_def(t, rd, XT0);
	struct code *c = &t->c;

	if (bytes == 2) {
		op_rm(c, MAP_0F | 0xb7, false, RAX, m);	/* movzx */
		fmov_from_int(c, false, XT0, rm_reg(RAX));
		flogic(c, F_OR, to, XT0, konst(t, K_BOX_H));
	} else if (bytes == 4) {
		fload(c, true, XT0, m);
		flogic(c, F_OR, to, XT0, konst(t, K_BOX_S));
	} else {
		fload(c, false, to, m);
	}
	f_done(t, rd, to);
}

static void store_fp(struct trans *t, unsigned int bytes)
{
	struct rm m = access_to(t, bytes, true);
	unsigned int from = f_use(t, t->i->d.rs2, XT0);
	struct code *c = &t->c;

	if (bytes == 2) {
		fmov_to_int(c, false, rm_reg(RDX), from);
		op_rm(c, P_66 | 0x89, false, RDX, m);
	} else {
		fstore(c, bytes == 4, m, from);
	}
}

void translate_memory(struct trans *t)
{
	switch (t->i->op) {
	case OP_lb: load(t, MAP_0F | 0xbe, true, 1); break;
	case OP_lh: load(t, MAP_0F | 0xbf, true, 2); break;
	case OP_lw: load(t, 0x63, true, 4); break;
	case OP_ld: load(t, 0x8b, true, 8); break;
	case OP_lbu: load(t, MAP_0F | 0xb6, false, 1); break;
	case OP_lhu: load(t, MAP_0F | 0xb7, false, 2); break;
	case OP_lwu: load(t, 0x8b, false, 4); break;
	case OP_sb: store(t, BYTE_REG | 0x88, false, 1); break;
	case OP_sh: store(t, P_66 | 0x89, false, 2); break;
	case OP_sw: store(t, 0x89, false, 4); break;
	case OP_sd: store(t, 0x89, true, 8); break;
	case OP_flh: load_fp(t, 2); break;
	case OP_flw: load_fp(t, 4); break;
	case OP_fld: load_fp(t, 8); break;
	case OP_fsh: store_fp(t, 2); break;
	case OP_fsw: store_fp(t, 4); break;
	default: store_fp(t, 8); break;
	}
}
