// SPDX-License-Identifier: MIT
/* Integer instructions. */
#include "jit_int.h"

/* to = x[r], in all 64 bits */
static void load_x(struct trans *t, unsigned int to, unsigned int r)
{
	if (!r)
		zero(&t->c, to);
	else if (t->r->x_home[r] == IN_MEMORY)
		mov_load(&t->c, to, x_rm(t, r));
	else
		mov_reg(&t->c, to, t->r->x_home[r]);
}

/* An operand that may be x0. */
static struct rm x_source(struct trans *t, unsigned int r, unsigned int scratch)
{
	if (r)
		return x_rm(t, r);
	zero(&t->c, scratch);
	return rm_reg(scratch);
}

/* The result of 32 bits in @host, extended into x[rd]. */
static void done_w(struct trans *t, unsigned int host)
{
	unsigned int rd = t->i->d.rd, to = x_def(t, rd, RAX);

	movsxd(&t->c, to, rm_reg(host));
	x_done(t, rd, to);
}

static void finish(struct trans *t, unsigned int host, bool w)
{
	if (w)
		done_w(t, host);
	else
		x_done(t, t->i->d.rd, host);
}

static void alu_rr(struct trans *t, enum alu op, bool w)
{
	const struct insn *d = &t->i->d;
	unsigned int a = d->rs1, b = d->rs2, to = x_def(t, d->rd, RAX);
	struct rm m;

	if (op != ALU_SUB && b == d->rd && a != b) {
		a = d->rs2;
		b = d->rs1;
	}
	if (op == ALU_ADD && is_x(a) && is_x(b) && x_rm(t, a).kind == RM_REG &&
	    x_rm(t, b).kind == RM_REG && a != d->rd) {
		lea(&t->c, !w, to, rm_index(t->r->x_home[a], t->r->x_home[b], 0));
		finish(t, to, w);
		return;
	}
	if (b == d->rd && a != b)
		to = RAX;	/* the second operand is still needed */
	m = x_source(t, b, RCX);
	load_x(t, to, a);
	alu_rm(&t->c, op, !w, to, m);
	finish(t, to, w);
}

static void alu_ri(struct trans *t, enum alu op, bool w)
{
	const struct insn *d = &t->i->d;
	unsigned int to = x_def(t, d->rd, RAX);

	if (op == ALU_ADD && is_x(d->rs1) && d->rs1 != d->rd && x_rm(t, d->rs1).kind == RM_REG) {
		if (w && !d->imm)
			movsxd(&t->c, to, x_rm(t, d->rs1));
		else
			lea(&t->c, !w, to, rm_mem(t->r->x_home[d->rs1], d->imm));
		if (w && !d->imm)
			x_done(t, d->rd, to);
		else
			finish(t, to, w);
		return;
	}
	if (op == ALU_AND && d->imm == 255 && is_x(d->rs1) && x_rm(t, d->rs1).kind == RM_REG) {
		movzx_byte(&t->c, to, t->r->x_home[d->rs1]);
		x_done(t, d->rd, to);
		return;
	}
	load_x(t, to, d->rs1);
	if (d->imm || op == ALU_AND)
		alu_imm(&t->c, op, !w, rm_reg(to), d->imm);
	finish(t, to, w);
}

static void shift_ri(struct trans *t, enum shift op, bool w)
{
	unsigned int to = x_def(t, t->i->d.rd, RAX), n = (unsigned int)t->i->d.imm & (w ? 31 : 63);

	load_x(t, to, t->i->d.rs1);
	shift_imm(&t->c, op, !w, to, n);
	/* 31 bits or fewer have no sign to extend */
	finish(t, to, w && !(op == SHIFT_RIGHT && n));
}

static void shift_rr(struct trans *t, enum shift op, bool w)
{
	unsigned int to = x_def(t, t->i->d.rd, RAX), by = x_use(t, t->i->d.rs2, RCX);

	shift_reg(&t->c, op, !w, to, x_source(t, t->i->d.rs1, RDX), by);
	finish(t, to, w);
}

/* a condition of a comparison as 0 or 1 */
static void set_less(struct trans *t, enum cond cc, bool immediate)
{
	const struct insn *d = &t->i->d;
	unsigned int to = x_def(t, d->rd, RAX), a = x_use(t, d->rs1, RAX);

	if (immediate)
		alu_imm(&t->c, ALU_CMP, true, rm_reg(a), d->imm);
	else
		alu_rm(&t->c, ALU_CMP, true, a, x_source(t, d->rs2, RCX));
	setcc(&t->c, cc, RAX);
	movzx_byte(&t->c, to, RAX);
	x_done(t, d->rd, to);
}

static void mul(struct trans *t, bool w)
{
	const struct insn *d = &t->i->d;
	unsigned int to = x_def(t, d->rd, RAX), a = d->rs1, b = d->rs2;
	struct rm m;

	if (b == d->rd) {
		b = a;
		a = d->rs2;
	}
	m = x_source(t, b, RCX);
	load_x(t, to, a);
	op_rm(&t->c, MAP_0F | 0xaf, !w, to, m);	/* imul */
	finish(t, to, w);
}

static void mul_high(struct trans *t, enum muldiv op)
{
	load_x(t, RAX, t->i->d.rs1);
	muldiv(&t->c, op, true, x_source(t, t->i->d.rs2, RCX));
	x_done(t, t->i->d.rd, RDX);
}

/* the unsigned product, less b if a is negative */
static void mul_high_su(struct trans *t)
{
	struct code *c = &t->c;
	struct rm b;

	load_x(t, RAX, t->i->d.rs1);
	b = x_source(t, t->i->d.rs2, RCX);
	muldiv(c, MUL_U, true, b);
	load_x(t, RAX, t->i->d.rs1);
	shift_imm(c, SHIFT_ARITH, true, RAX, 63);
	alu_rm(c, ALU_AND, true, RAX, b);
	alu_rm(c, ALU_SUB, true, RDX, rm_reg(RAX));
	x_done(t, t->i->d.rd, RDX);
}

static void sign_into_rdx(struct code *c, bool w)
{
	if (!w)
		emit_byte(c, 0x48);
	emit_byte(c, 0x99);	/* cdq, cqo */
}

/*
 * Division: the host traps where RISC-V has results: by zero, which is left to the interpreter, and by -1 the negated
 * dividend and 0, which is right for all dividends.
 */
static void divide(struct trans *t, bool sign, bool rem, bool w)
{
	struct code *c = &t->c;
	uint8_t *by_minus = NULL, *done1 = NULL;

	load_x(t, RCX, t->i->d.rs2);
	load_x(t, RAX, t->i->d.rs1);
	test_reg(c, !w, RCX);
	step_on(t, CC_E);
	if (sign) {
		alu_imm(c, ALU_CMP, !w, rm_reg(RCX), -1);
		by_minus = jump(c, CC_E);
		sign_into_rdx(c, w);
	} else {
		zero(c, RDX);
	}
	muldiv(c, sign ? DIV_S : DIV_U, !w, rm_reg(RCX));
	if (rem)
		mov_reg(c, RAX, RDX);
	if (sign) {
		done1 = jump(c, CC_ALWAYS);
		jump_here(c, by_minus);
		if (rem)
			zero(c, RAX);
		else
			muldiv(c, MUL_NEG, !w, rm_reg(RAX));
		jump_here(c, done1);
	}
	finish(t, RAX, w);
}

static void constant(struct trans *t, uint64_t v)
{
	unsigned int rd = t->i->d.rd;

	if (is_x(rd) && x_rm(t, rd).kind == RM_MEM && (int64_t)v == (int32_t)v) {
		mov_mem_imm(&t->c, x_rm(t, rd), (int32_t)v);
		return;
	}
	mov_imm(&t->c, x_def(t, rd, RAX), v);
	x_done(t, rd, x_def(t, rd, RAX));
}

static void move(struct trans *t)
{
	unsigned int to = x_def(t, t->i->d.rd, RAX);

	load_x(t, to, t->i->d.rs1);
	x_done(t, t->i->d.rd, to);
}

static void fence(struct trans *t)
{
	emit_byte(&t->c, 0x0f);
	emit_byte(&t->c, 0xae);
	emit_byte(&t->c, 0xf0);	/* mfence */
}

static void translate_alu(struct trans *t)
{
	switch (t->i->op) {
	case OP_addi: alu_ri(t, ALU_ADD, false); break;
	case OP_xori: alu_ri(t, ALU_XOR, false); break;
	case OP_ori: alu_ri(t, ALU_OR, false); break;
	case OP_andi: alu_ri(t, ALU_AND, false); break;
	case OP_addiw: alu_ri(t, ALU_ADD, true); break;
	case OP_add: alu_rr(t, ALU_ADD, false); break;
	case OP_sub: alu_rr(t, ALU_SUB, false); break;
	case OP_xor: alu_rr(t, ALU_XOR, false); break;
	case OP_or: alu_rr(t, ALU_OR, false); break;
	case OP_and: alu_rr(t, ALU_AND, false); break;
	case OP_addw: alu_rr(t, ALU_ADD, true); break;
	case OP_subw: alu_rr(t, ALU_SUB, true); break;
	case OP_slti: set_less(t, CC_L, true); break;
	case OP_sltiu: set_less(t, CC_B, true); break;
	case OP_slt: set_less(t, CC_L, false); break;
	case OP_sltu: set_less(t, CC_B, false); break;
	case OP_slli: shift_ri(t, SHIFT_LEFT, false); break;
	case OP_srli: shift_ri(t, SHIFT_RIGHT, false); break;
	case OP_srai: shift_ri(t, SHIFT_ARITH, false); break;
	case OP_slliw: shift_ri(t, SHIFT_LEFT, true); break;
	case OP_srliw: shift_ri(t, SHIFT_RIGHT, true); break;
	case OP_sraiw: shift_ri(t, SHIFT_ARITH, true); break;
	case OP_sll: shift_rr(t, SHIFT_LEFT, false); break;
	case OP_srl: shift_rr(t, SHIFT_RIGHT, false); break;
	case OP_sra: shift_rr(t, SHIFT_ARITH, false); break;
	case OP_sllw: shift_rr(t, SHIFT_LEFT, true); break;
	case OP_srlw: shift_rr(t, SHIFT_RIGHT, true); break;
	case OP_sraw: shift_rr(t, SHIFT_ARITH, true); break;
	default: t->c.full = true; break;	/* not reached: insn.c has the same list */
	}
}

static void translate_muldiv(struct trans *t)
{
	switch (t->i->op) {
	case OP_mul: mul(t, false); break;
	case OP_mulw: mul(t, true); break;
	case OP_mulh: mul_high(t, MUL_S); break;
	case OP_mulhu: mul_high(t, MUL_U); break;
	case OP_mulhsu: mul_high_su(t); break;
	case OP_div: divide(t, true, false, false); break;
	case OP_divu: divide(t, false, false, false); break;
	case OP_rem: divide(t, true, true, false); break;
	case OP_remu: divide(t, false, true, false); break;
	case OP_divw: divide(t, true, false, true); break;
	case OP_divuw: divide(t, false, false, true); break;
	case OP_remw: divide(t, true, true, true); break;
	case OP_remuw: divide(t, false, true, true); break;
	default: t->c.full = true; break;
	}
}

void translate_int(struct trans *t)
{
	const struct jinsn *i = t->i;

	if (i->op == OP_fence)
		fence(t);
	if (!is_x(i->d.rd) || i->op == OP_nop || i->op == OP_fence)
		return;		/* nothing else has an effect without a destination */
	if (i->op == OP_li)
		constant(t, (uint64_t)(int64_t)i->d.imm);
	else if (i->op == OP_auipc)
		constant(t, i->pc + (uint64_t)(int64_t)i->d.imm);
	else if (i->op == OP_mv)
		move(t);
	else if (i->op >= OP_mul && i->op <= OP_remuw)
		translate_muldiv(t);
	else
		translate_alu(t);
}
