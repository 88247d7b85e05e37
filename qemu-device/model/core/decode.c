// SPDX-License-Identifier: MIT
/*
 * Decoding: a page of instruction words becomes an array of struct insn, once per page and address
 * space. All that depends on the word alone is decided here, so that running the instruction does
 * not decide it again.
 */
#include <stdlib.h>

#include "amo.h"
#include "fields.h"
#include "insn_ops.h"

#define NOWHERE	32	/* register that takes writes to x0 */

/* A branch by @offset bytes at instruction @at: is the target in this page and aligned? */
static bool is_near(unsigned int at, int32_t offset)
{
	int64_t to = (int64_t)at + offset / 4;

	return !(offset & 3) && to >= 0 && to < PAGE_INSNS;
}

#define NEAR_BYTES(offset) ((offset) / 4 * (int32_t)sizeof(struct insn))

static enum insn_op decode_branch(uint32_t w, unsigned int at, struct insn *i)
{
	static const uint8_t near_op[8] = { OP_beq_near, OP_bne_near, OP_illegal, OP_illegal,
					    OP_blt_near, OP_bge_near, OP_bltu_near, OP_bgeu_near };
	static const uint8_t far_op[8] = { OP_beq_far, OP_bne_far, OP_illegal, OP_illegal,
					   OP_blt_far, OP_bge_far, OP_bltu_far, OP_bgeu_far };
	int32_t offset = imm_b(w);

	i->imm = offset;
	if (!is_near(at, offset))
		return far_op[bits(w, 12, 3)];
	i->imm = NEAR_BYTES(offset);
	return near_op[bits(w, 12, 3)];
}

static enum insn_op decode_jal(uint32_t w, unsigned int at, struct insn *i)
{
	int32_t offset = imm_j(w);

	i->imm = offset;
	if (!is_near(at, offset))
		return OP_jal_far;
	i->imm = NEAR_BYTES(offset);
	return i->rd == NOWHERE ? OP_j_near : OP_jal_near;
}

static enum insn_op decode_op_imm(uint32_t w, struct insn *i)
{
	unsigned int f3 = bits(w, 12, 3), f6 = bits(w, 26, 6);

	i->imm = imm_i(w);
	switch (f3) {
	case 0:
		if (i->rd == NOWHERE)
			return OP_nop;
		if (!i->rs1)
			return OP_li;
		return i->imm ? OP_addi : OP_mv;
	case 1:
		i->imm &= 63;
		return f6 ? OP_illegal : OP_slli;
	case 2: return OP_slti;
	case 3: return OP_sltiu;
	case 4: return OP_xori;
	case 5:
		i->imm &= 63;
		return f6 == 0 ? OP_srli : f6 == 0x10 ? OP_srai : OP_illegal;
	case 6: return OP_ori;
	default: return OP_andi;
	}
}

static enum insn_op decode_op_imm_32(uint32_t w, struct insn *i)
{
	unsigned int f3 = bits(w, 12, 3), f7 = bits(w, 25, 7);

	i->imm = imm_i(w);
	if (f3 == 0)
		return OP_addiw;
	i->imm &= 31;
	if (f3 == 1 && f7 == 0)
		return OP_slliw;
	if (f3 == 5)
		return f7 == 0 ? OP_srliw : f7 == 0x20 ? OP_sraiw : OP_illegal;
	return OP_illegal;
}

static enum insn_op decode_op(uint32_t w)
{
	static const uint8_t base[8] = { OP_add, OP_sll, OP_slt, OP_sltu, OP_xor, OP_srl, OP_or,
					 OP_and };
	static const uint8_t mul[8] = { OP_mul, OP_mulh, OP_mulhsu, OP_mulhu, OP_div, OP_divu,
					OP_rem, OP_remu };
	unsigned int f3 = bits(w, 12, 3);

	switch (bits(w, 25, 7)) {
	case 0x00: return base[f3];
	case 0x01: return mul[f3];
	case 0x20: return f3 == 0 ? OP_sub : f3 == 5 ? OP_sra : OP_illegal;
	default: return OP_illegal;
	}
}

static enum insn_op decode_op_32(uint32_t w)
{
	static const uint8_t base[8] = { OP_addw, OP_sllw, OP_illegal, OP_illegal, OP_illegal,
					 OP_srlw, OP_illegal, OP_illegal };
	static const uint8_t mul[8] = { OP_mulw, OP_illegal, OP_illegal, OP_illegal, OP_divw,
					OP_divuw, OP_remw, OP_remuw };
	unsigned int f3 = bits(w, 12, 3);

	switch (bits(w, 25, 7)) {
	case 0x00: return base[f3];
	case 0x01: return mul[f3];
	case 0x20: return f3 == 0 ? OP_subw : f3 == 5 ? OP_sraw : OP_illegal;
	default: return OP_illegal;
	}
}

static enum insn_op decode_system(uint32_t w, struct insn *i)
{
	static const uint8_t csr[8] = { OP_illegal, OP_csrrw, OP_csrrs, OP_csrrc, OP_illegal,
					OP_csrrwi, OP_csrrsi, OP_csrrci };

	if (w == 0x00100073)
		return OP_ebreak;
	i->imm = (int32_t)bits(w, 20, 12);
	return csr[bits(w, 12, 3)];
}

/*
 * OP-FP. Arithmetic whose rounding mode is the dynamic one has its own handlers; a static mode,
 * half precision and the rare operations share fp_slow, which looks at the word again.
 */
static enum insn_op decode_op_fp(uint32_t w)
{
	static const uint8_t arith[5][2] = {
		{ OP_fadd_s, OP_fadd_d }, { OP_fsub_s, OP_fsub_d }, { OP_fmul_s, OP_fmul_d },
		{ OP_fdiv_s, OP_fdiv_d }, { OP_fsqrt_s, OP_fsqrt_d },
	};
	static const uint8_t sgnj[3][2] = { { OP_fsgnj_s, OP_fsgnj_d }, { OP_fsgnjn_s, OP_fsgnjn_d },
					    { OP_fsgnjx_s, OP_fsgnjx_d } };
	static const uint8_t cmp[3][2] = { { OP_fle_s, OP_fle_d }, { OP_flt_s, OP_flt_d },
					   { OP_feq_s, OP_feq_d } };
	unsigned int f5 = bits(w, 27, 5), fmt = bits(w, 25, 2), rs2 = bits(w, 20, 5);
	unsigned int f3 = bits(w, 12, 3);
	bool is_rm = f3 <= 4 || f3 == 7;

	if (fmt == 3)
		return OP_illegal;
	switch (f5) {
	case 0x00: case 0x01: case 0x02: case 0x03:
		if (f3 == 7 && fmt < 2)
			return arith[f5][fmt];
		return is_rm ? OP_fp_slow : OP_illegal;
	case 0x0b:
		if (rs2)
			return OP_illegal;
		if (f3 == 7 && fmt < 2)
			return arith[4][fmt];
		return is_rm ? OP_fp_slow : OP_illegal;
	case 0x04:
		if (f3 > 2)
			return OP_illegal;
		return fmt < 2 ? sgnj[f3][fmt] : OP_fp_slow;
	case 0x05: return f3 <= 1 ? OP_fp_slow : OP_illegal;
	case 0x08: return rs2 != fmt && rs2 <= 2 && is_rm ? OP_fp_slow : OP_illegal;
	case 0x14:
		if (f3 > 2)
			return OP_illegal;
		return fmt < 2 ? cmp[f3][fmt] : OP_fp_slow;
	case 0x18: return rs2 <= 3 && is_rm ? OP_fp_slow : OP_illegal;
	case 0x1a:
		if (rs2 > 3 || !is_rm)
			return OP_illegal;
		/* words are exact in double, whatever the rounding mode */
		if (fmt == 1 && (rs2 < 2 || f3 == 7))
			return OP_fcvt_d_int;
		if (fmt == 0 && f3 == 7)
			return OP_fcvt_s_int;
		return OP_fp_slow;
	case 0x1c:
		if (rs2 || f3 > 1)
			return OP_illegal;
		if (f3)
			return OP_fp_slow;
		return fmt == 0 ? OP_fmv_x_w : fmt == 1 ? OP_fmv_x_d : OP_fmv_x_h;
	case 0x1e:
		if (rs2 || f3)
			return OP_illegal;
		return fmt == 0 ? OP_fmv_w_x : fmt == 1 ? OP_fmv_d_x : OP_fmv_h_x;
	default: return OP_illegal;
	}
}

/* Does this OP-FP instruction write an integer register? */
static bool fp_writes_x(uint32_t w)
{
	unsigned int f5 = bits(w, 27, 5);

	return f5 == 0x14 || f5 == 0x18 || f5 == 0x1c;
}

static enum insn_op decode_fma(uint32_t w, unsigned int kind)
{
	static const uint8_t ops[4][2] = {
		{ OP_fmadd_s, OP_fmadd_d }, { OP_fmsub_s, OP_fmsub_d },
		{ OP_fnmsub_s, OP_fnmsub_d }, { OP_fnmadd_s, OP_fnmadd_d },
	};
	unsigned int fmt = bits(w, 25, 2), rm = bits(w, 12, 3);

	if (fmt == 3 || rm == 5 || rm == 6)
		return OP_illegal;
	return rm == 7 && fmt < 2 ? ops[kind][fmt] : OP_fp_slow;
}

static enum insn_op decode_load_fp(uint32_t w, struct insn *i)
{
	unsigned int f3 = bits(w, 12, 3);

	i->rd = bits(w, 7, 5);
	i->imm = imm_i(w);
	return f3 == 1 ? OP_flh : f3 == 2 ? OP_flw : f3 == 3 ? OP_fld : OP_illegal;
}

static enum insn_op decode_store_fp(uint32_t w, struct insn *i)
{
	unsigned int f3 = bits(w, 12, 3);

	i->imm = imm_s(w);
	return f3 == 1 ? OP_fsh : f3 == 2 ? OP_fsw : f3 == 3 ? OP_fsd : OP_illegal;
}

static enum insn_op decode_tile(uint32_t w, struct insn *i)
{
	i->imm = (int32_t)(bits(w, 12, 3) | bits(w, 25, 2) << 3);
	i->rd = bits(w, 7, 5);	/* a source here */
	return OP_tile;
}

static enum insn_op decode_sys(uint32_t w, struct insn *i)
{
	i->imm = (int32_t)bits(w, 25, 7);
	switch (bits(w, 12, 3)) {
	case 0: return bits(w, 7, 5) ? OP_illegal : OP_sys;
	case 1: return amo_decode(w, i) ? OP_amo : OP_illegal;
	case 2: return OP_thread;
	default: return OP_illegal;
	}
}

static enum insn_op decode_jalr(uint32_t w, struct insn *i)
{
	i->imm = imm_i(w);
	if (bits(w, 12, 3))
		return OP_illegal;
	return i->rd == NOWHERE && !i->imm ? OP_ret : OP_jalr;
}

static enum insn_op decode_load(uint32_t w, struct insn *i)
{
	static const uint8_t ops[8] = { OP_lb, OP_lh, OP_lw, OP_ld, OP_lbu, OP_lhu, OP_lwu,
					OP_illegal };

	i->imm = imm_i(w);
	return ops[bits(w, 12, 3)];
}

static enum insn_op decode_store(uint32_t w, struct insn *i)
{
	static const uint8_t ops[8] = { OP_sb, OP_sh, OP_sw, OP_sd, OP_illegal, OP_illegal,
					OP_illegal, OP_illegal };

	i->imm = imm_s(w);
	return ops[bits(w, 12, 3)];
}

static enum insn_op decode_one(uint32_t w, unsigned int at, struct insn *i)
{
	unsigned int rd = bits(w, 7, 5);

	i->rd = rd ? rd : NOWHERE;
	i->rs1 = bits(w, 15, 5);
	i->rs2 = bits(w, 20, 5);
	i->rs3 = bits(w, 27, 5);
	i->imm = 0;
	if ((w & 3) != 3)
		return OP_illegal;
	switch (bits(w, 2, 5)) {
	case 0x00: return decode_load(w, i);
	case 0x01: return decode_load_fp(w, i);
	case 0x02: return decode_tile(w, i);
	case 0x03:
		return bits(w, 12, 3) == 0 ? OP_fence : bits(w, 12, 3) == 1 ? OP_fence_i : OP_illegal;
	case 0x04: return decode_op_imm(w, i);
	case 0x05:
		i->imm = (int32_t)(w & 0xfffff000);
		return OP_auipc;
	case 0x06: return decode_op_imm_32(w, i);
	case 0x08: return decode_store(w, i);
	case 0x09: return decode_store_fp(w, i);
	case 0x0a: return decode_sys(w, i);
	case 0x0b: return amo_decode(w, i) ? OP_amo : OP_illegal;
	case 0x0c: return decode_op(w);
	case 0x0d:
		i->imm = (int32_t)(w & 0xfffff000);
		return OP_li;
	case 0x0e: return decode_op_32(w);
	case 0x10: case 0x11: case 0x12: case 0x13:
		i->rd = rd;
		return decode_fma(w, bits(w, 2, 2));
	case 0x14:
		if (!fp_writes_x(w))
			i->rd = rd;
		return decode_op_fp(w);
	case 0x18: return decode_branch(w, at, i);
	case 0x19: return decode_jalr(w, i);
	case 0x1b: return decode_jal(w, at, i);
	case 0x1c: return decode_system(w, i);
	default: return OP_illegal;
	}
}

/* The second of a pair whose first is add, into the address of a load. */
static enum insn_op fuse_add(enum insn_op second)
{
	switch (second) {
	case OP_lw: return OP_add_lw;
	case OP_ld: return OP_add_ld;
	case OP_lbu: return OP_add_lbu;
	case OP_lhu: return OP_add_lhu;
	case OP_lwu: return OP_add_lwu;
	case OP_flh: return OP_add_flh;
	case OP_flw: return OP_add_flw;
	case OP_fld: return OP_add_fld;
	default: return OP_add;
	}
}

static enum insn_op fuse_addi(enum insn_op second)
{
	switch (second) {
	case OP_beq_near: return OP_addi_beq;
	case OP_bne_near: return OP_addi_bne;
	case OP_blt_near: return OP_addi_blt;
	case OP_bge_near: return OP_addi_bge;
	case OP_bltu_near: return OP_addi_bltu;
	case OP_bgeu_near: return OP_addi_bgeu;
	default: return OP_addi;
	}
}

/*
 * Give a pair of instructions one dispatch. The second keeps its own decoded form, for jumps to it;
 * the handler of the first goes on with it. Only pairs that are frequent in ordinary loops.
 */
static enum insn_op fuse(enum insn_op op, const struct insn *i, enum insn_op second)
{
	if (op == OP_add && i[1].rs1 == i->rd)
		return fuse_add(second);
	if (op == OP_addi)
		return fuse_addi(second);
	if (op == OP_slli && second == OP_add && i->rd != NOWHERE)
		return OP_slli_add;
	return op;
}

void decode_page(struct code_page *page, const void *const *go)
{
	uint8_t op[PAGE_INSNS + 1];
	unsigned int n;

	for (n = 0; n < PAGE_INSNS; n++)
		op[n] = (uint8_t)decode_one(page->raw[n], n, &page->insn[n]);
	op[PAGE_INSNS] = OP_page_end;
	page->insn[PAGE_INSNS] = (struct insn){ .go = go[OP_page_end] };
	for (n = 0; n < PAGE_INSNS; n++)
		page->insn[n].go = go[fuse(op[n], &page->insn[n], op[n + 1])];
}

void page_break(struct code_page *page, unsigned int n, const void *const *go)
{
	page->insn[n].go = go[OP_step_end];
	/* the one in front may be half of a pair, which would go past it */
	if (n && page->insn[n - 1].go != go[OP_step_end])
		page->insn[n - 1].go = go[decode_one(page->raw[n - 1], n - 1, &page->insn[n - 1])];
}

unsigned int decode_far(uint32_t word, struct insn *i)
{
	/* from here on every target is in another page */
	return decode_one(word, 1u << 30, i);
}

/* Single steps: no pairs, and every way on from the instruction leads to step_end. */
struct code_page *step_page_new(const void *const *go)
{
	struct code_page *step = calloc(1, sizeof(*step));

	for (unsigned int n = 0; step && n <= PAGE_INSNS; n++)
		step->insn[n].go = go[OP_step_end];
	return step;
}

void step_page_set(struct code_page *step, const struct code_page *from, unsigned int n,
		   const void *const *go)
{
	if (!from) {
		step->insn[n].go = go[OP_step_end];
		return;
	}
	step->va = from->va;
	step->raw[n] = from->raw[n];
	step->insn[n].go = go[decode_one(from->raw[n], n, &step->insn[n])];
}
