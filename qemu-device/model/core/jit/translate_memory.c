// SPDX-License-Identifier: MIT
/*
 * Loads and stores. In line: the page that this place has used last, struct tlb_near. Behind the
 * blocks: the soft TLB, which fills that. Everything else, misses, accesses across pages, faults, is
 * done by jit_call(); a page that is in no TLB sends every access there.
 *
 * The first makes it worthwhile that places have their own pages: the host address is the virtual one
 * plus something that is known early, so that a chain of dependent loads does not wait for look-ups.
 */
#include "jit_int.h"

#define TLB_ENTRY_SHIFT	5

_Static_assert(sizeof(struct tlb_entry) == 1 << TLB_ENTRY_SHIFT, "an index becomes a distance");

#define TLB_FIELD(name)	((int32_t)(offsetof(struct core_block, tlb) + \
				   offsetof(struct tlb_entry, name)) - BLOCK_BIAS)

static struct rm near_field(unsigned int slot, unsigned int field)
{
	return rm_mem(R_BLOCK, (int32_t)(offsetof(struct core_block, near) +
					 slot * sizeof(struct tlb_near) + field) - BLOCK_BIAS);
}

#define NEAR_FIELD(slot, name)	near_field(slot, offsetof(struct tlb_near, name))

/* @to = @base + @distance */
static void add(struct code *c, unsigned int to, unsigned int base, int32_t distance)
{
	if (distance)
		lea(c, true, to, rm_mem(base, distance));
	else
		mov_reg(c, to, base);
}

/*
 * Choose the place's slot: one for each base register, as far as its value comes from before the
 * block or moves in steps, as in a walk through an array; others in turn for addresses that were
 * just computed.
 */
static unsigned int near_slot(struct trans *t)
{
	unsigned int r = t->i->d.rs1;

	if (!(t->computed >> r & 1))
		return r;
	if (!t->slot[r])
		t->slot[r] = 32 + t->next_slot++ % (NEAR_SLOTS - 32);
	return t->slot[r];
}

/*
 * Leaves the host address in [rax + rcx]. Only aligned accesses match an entry of struct tlb_near: the
 * bits that must be zero are compared with the page.
 */
static struct rm access_to(struct trans *t, unsigned int bytes, bool write)
{
	unsigned int slot = near_slot(t);
	unsigned int base = x_use(t, t->i->d.rs1, RAX);
	struct code *c = &t->c;
	struct stub *s;

	add(c, RAX, base, t->i->d.imm);
	mov_reg(c, RDX, RAX);
	alu_imm(c, ALU_AND, true, rm_reg(RDX), ~(int32_t)(PAGE_SIZE - 1) | (int32_t)(bytes - 1));
	alu_rm(c, ALU_CMP, true, RDX, write ? NEAR_FIELD(slot, wbase) : NEAR_FIELD(slot, rbase));
	s = stub(t, write ? STUB_WRITE : STUB_READ, CC_NE);
	s->arg = slot;
	s->bytes = bytes;
	s->site = site_here(t);
	t->site[s->site].near_slot = slot;
	mov_load(c, RCX, NEAR_FIELD(slot, off));
	s->back = c->p;
	return rm_index(RAX, RCX, 0);
}

/*
 * The address is in rax. The page of the access's last byte must be the one that the entry for its
 * first byte has. Leads back with rcx loaded, or to the call.
 */
void translate_look_up(struct trans *t, const struct stub *s)
{
	bool write = s->kind == STUB_WRITE;
	struct code *c = &t->c;
	uint8_t *miss;

	/* tlb_index() */
	rorx(c, true, RCX, RAX, PAGE_SHIFT);
	imul_imm(c, RCX, RCX, TLB_HASH);
	shift_imm(c, SHIFT_RIGHT, false, RCX, 32 - TLB_BITS);
	shift_imm(c, SHIFT_LEFT, false, RCX, TLB_ENTRY_SHIFT);
	add(c, RDX, RAX, (int32_t)s->bytes - 1);
	shift_imm(c, SHIFT_RIGHT, true, RDX, PAGE_SHIFT);
	alu_rm(c, ALU_CMP, true, RDX,
	       rm_index(R_BLOCK, RCX, write ? TLB_FIELD(wtag) : TLB_FIELD(rtag)));
	miss = jump(c, CC_NE);
	mov_load(c, RCX, rm_index(R_BLOCK, RCX, TLB_FIELD(off)));
	shift_imm(c, SHIFT_LEFT, true, RDX, PAGE_SHIFT);
	mov_store(c, NEAR_FIELD(s->arg, rbase), RDX);
	if (write)
		mov_store(c, NEAR_FIELD(s->arg, wbase), RDX);
	else
		mov_mem_imm(c, NEAR_FIELD(s->arg, wbase), NEAR_NONE);
	mov_store(c, NEAR_FIELD(s->arg, off), RCX);
	mov_mem_imm(c, BLOCK_AT(near_used), 1);
	jump_to(c, CC_ALWAYS, s->back);
	jump_here(c, miss);
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

/* Which base registers have addresses that this block has computed? */
void memory_written(struct trans *t, unsigned int flags)
{
	const struct jinsn *i = t->i;

	if (!(flags & OP_XD) || !is_x(i->d.rd) || (i->op == OP_addi && i->d.rd == i->d.rs1))
		return;
	t->computed |= 1u << i->d.rd;
	t->slot[i->d.rd] = 0;
}

void memory_block(struct trans *t)
{
	t->computed = 0;
	memset(t->slot, 0, sizeof(t->slot));
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
