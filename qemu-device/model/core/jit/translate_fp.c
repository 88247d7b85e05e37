// SPDX-License-Identifier: MIT
/*
 * Floating point on the host's unit, whose control and status word is the scalar unit's while a block
 * runs (see host_fp.h). An xmm register that is the home of an f register has all its 64 bits; the
 * scalar instructions of VEX take the upper half of a single's result from their first operand, so
 * that a boxed operand makes a boxed result. NaN results are replaced by the canonical one.
 */
#include "jit_int.h"

static bool single(const struct jinsn *i)
{
	return (i->word >> 25 & 3) == FP_S;
}

/* Check a single that may not be boxed: if it is not, the interpreter executes the instruction. */
static void check_box(struct trans *t, unsigned int r)
{
	struct code *c = &t->c;
	struct rm m = f_rm(t, r);

	if (t->boxed >> r & 1)
		return;
	if (m.kind == RM_MEM) {
		m.disp += 4;
		alu_imm(c, ALU_CMP, false, m, -1);
	} else {
		fmov_to_int(c, true, rm_reg(RAX), m.reg);
		shift_imm(c, SHIFT_ARITH, true, RAX, 32);
		alu_imm(c, ALU_CMP, false, rm_reg(RAX), -1);
	}
	step_on(t, CC_NE);
	t->boxed |= 1u << r;
}

static void check_boxes(struct trans *t)
{
	unsigned int flags = jinsn_flags(t->i);

	if (!(flags & OP_SRC_S))
		return;
	if (flags & OP_F1)
		check_box(t, t->i->d.rs1);
	if (flags & OP_F2)
		check_box(t, t->i->d.rs2);
	if (flags & OP_F3)
		check_box(t, t->i->d.rs3);
}

/* @xmm, of which the compare has just been written, becomes the canonical NaN if it is one */
static void canonical(struct trans *t, bool s, unsigned int xmm)
{
	struct stub *nan;

	fcmp(&t->c, true, s, xmm, rm_reg(xmm));
	nan = stub(t, s ? STUB_NAN_S : STUB_NAN_D, CC_P);
	nan->arg = xmm;
	nan->back = t->c.p;
}

static void arith(struct trans *t, enum fop op, bool s)
{
	const struct insn *d = &t->i->d;
	unsigned int to = f_def(t, d->rd, XT0), a = f_use(t, d->rs1, XT1);

	fop(&t->c, op, s, to, a, op == F_SQRT ? rm_reg(a) : f_rm(t, d->rs2));
	canonical(t, s, to);
	f_done(t, d->rd, to);
}

/* One rounding. For a NaN the exception flags differ from the host's: see fma_nan_d() in exec.c. */
static void fused(struct trans *t, enum fma op, bool s)
{
	const struct insn *d = &t->i->d;
	unsigned int a = f_use(t, d->rs1, XT0), b = f_use(t, d->rs2, XT1);

	fmov(&t->c, XT0, a);
	fma213(&t->c, op, s, XT0, b, f_rm(t, d->rs3));
	fcmp(&t->c, true, s, XT0, rm_reg(XT0));
	call_on(t, CC_P);
	f_done(t, d->rd, XT0);
}

static void equal(struct trans *t, bool s)
{
	const struct insn *d = &t->i->d;
	struct code *c = &t->c;

	/* a mask; quiet */
	vop_rm(c, MAP_0F | (s ? P_F3 : P_F2) | 0xc2, false, XT0, f_use(t, d->rs1, XT1),
	       rm_reg(f_use(t, d->rs2, XT2)));
	emit_byte(c, 0);
	fmov_to_int(c, false, rm_reg(RAX), XT0);
	alu_imm(c, ALU_AND, false, rm_reg(RAX), 1);
	x_done(t, d->rd, RAX);
}

/* a < b as b > a, a <= b as b >= a: false for NaNs, which raise the invalid flag */
static void less(struct trans *t, bool s, enum cond cc)
{
	const struct insn *d = &t->i->d;
	struct code *c = &t->c;

	fcmp(c, false, s, f_use(t, d->rs2, XT0), f_rm(t, d->rs1));
	setcc(c, cc, RAX);
	movzx_byte(c, RAX, RAX);
	x_done(t, d->rd, RAX);
}

/* Sign injection on the bits; n: the other sign, x: both signs */
static void sign(struct trans *t, bool s, char kind)
{
	const struct insn *d = &t->i->d;
	struct code *c = &t->c;
	unsigned int to = f_def(t, d->rd, XT0), a = f_use(t, d->rs1, XT1), b;
	struct rm bit = konst(t, s ? K_SIGN_S : K_SIGN_D), rest = konst(t, s ? K_ABS_S : K_ABS_D);

	if (d->rs1 == d->rs2) {		/* move, negation, absolute value */
		if (kind == 'j')
			fmov(c, to, a);
		else
			flogic(c, kind == 'n' ? F_XOR : F_AND, to, a, kind == 'n' ? bit : rest);
		f_done(t, d->rd, to);
		return;
	}
	b = f_use(t, d->rs2, XT2);
	flogic(c, F_AND, XT2, b, bit);
	if (kind == 'n')
		flogic(c, F_XOR, XT2, XT2, bit);
	if (kind == 'x') {
		flogic(c, F_XOR, to, a, rm_reg(XT2));
	} else {
		flogic(c, F_AND, XT1, a, rest);
		flogic(c, F_OR, to, XT1, rm_reg(XT2));
	}
	f_done(t, d->rd, to);
}

/*
 * The host's minimum of two zeros is the second operand. Done both ways and put together by "or", the
 * negative zero wins; by "and", for the maximum, the positive one.
 */
static void min_max(struct trans *t, bool s, bool max)
{
	const struct insn *d = &t->i->d;
	struct code *c = &t->c;
	unsigned int to = f_def(t, d->rd, XT0), a = f_use(t, d->rs1, XT1), b = f_use(t, d->rs2, XT2);

	fcmp(c, true, s, a, rm_reg(b));
	call_on(t, CC_P);
	fop(c, max ? F_MAX : F_MIN, s, XT0, a, rm_reg(b));
	fop(c, max ? F_MAX : F_MIN, s, XT1, b, rm_reg(a));
	flogic(c, max ? F_AND : F_OR, to, XT0, rm_reg(XT1));
	f_done(t, d->rd, to);
}

/* the integer in x[rs1] of the kind rs2 */
static void from_int(struct trans *t, bool s)
{
	const struct insn *d = &t->i->d;
	unsigned int to = f_def(t, d->rd, XT0), a = x_use(t, d->rs1, RAX);
	struct code *c = &t->c;

	if (d->rs2 == FP_WU) {
		op_rm(c, 0x8b, false, RAX, rm_reg(a));
		a = RAX;
	} else if (d->rs2 == FP_LU) {
		test_reg(c, true, a);
		call_on(t, CC_S);
	}
	flogic(c, F_XOR, XT0, XT0, rm_reg(XT0));
	vop_rm(c, MAP_0F | (s ? P_F3 : P_F2) | 0x2a, d->rs2 != FP_W, XT0, XT0, rm_reg(a));
	if (s)
		flogic(c, F_OR, to, XT0, konst(t, K_BOX_S));
	else
		fmov(c, to, XT0);
	f_done(t, d->rd, to);
}

static void convert(struct trans *t, unsigned int op, bool w, unsigned int a)
{
	vop_rm(&t->c, op, w, RAX, 0, rm_reg(a));
}

/*
 * To an integer: truncated, or by the mode of the control word. The host says "smallest number" to
 * whatever does not fit, and that goes the long way; values outside unsigned numbers are sent there
 * before the conversion, because it would raise other flags than RISC-V's.
 */
static void to_int(struct trans *t, bool s)
{
	const struct insn *d = &t->i->d;
	unsigned int a = f_use(t, d->rs1, XT0), kind = d->rs2;
	bool truncate = (t->i->word >> 12 & 7) == FP_RTZ;
	unsigned int op = MAP_0F | (s ? P_F3 : P_F2) | (truncate ? 0x2c : 0x2d);
	struct code *c = &t->c;

	if (kind == FP_WU || kind == FP_LU) {
		fcmp(c, true, s, a, konst(t, K_ZERO));
		call_on(t, CC_B);		/* negative, or no number */
		if (kind == FP_LU) {
			fcmp(c, true, s, a, konst(t, s ? K_2_63_S : K_2_63_D));
			call_on(t, CC_AE);
		} else {
			fcmp(c, true, s, a, konst(t, s ? K_2_32_S : K_MAX_WU_D));
			call_on(t, s ? CC_AE : CC_A);
		}
		convert(t, op, true, a);
		if (kind == FP_WU)
			movsxd(c, RAX, rm_reg(RAX));
	} else {
		convert(t, op, kind == FP_L, a);
		alu_imm(c, ALU_CMP, kind == FP_L, rm_reg(RAX), 1);
		call_on(t, CC_O);
		if (kind == FP_W)
			movsxd(c, RAX, rm_reg(RAX));
	}
	x_done(t, d->rd, RAX);
}

static void single_from_double(struct trans *t)
{
	const struct insn *d = &t->i->d;
	unsigned int to = f_def(t, d->rd, XT0), a = f_use(t, d->rs1, XT1);

	vop_rm(&t->c, MAP_0F | P_F2 | 0x5a, false, XT0, a, rm_reg(a));
	flogic(&t->c, F_OR, to, XT0, konst(t, K_BOX_S));
	canonical(t, true, to);
	f_done(t, d->rd, to);
}

static void double_from_single(struct trans *t)
{
	const struct insn *d = &t->i->d;
	unsigned int to = f_def(t, d->rd, XT0), a = f_use(t, d->rs1, XT1);

	vop_rm(&t->c, MAP_0F | P_F3 | 0x5a, false, to, a, rm_reg(a));
	canonical(t, false, to);
	f_done(t, d->rd, to);
}

/* Bits from one kind of register to the other. */
static void move_bits(struct trans *t)
{
	const struct insn *d = &t->i->d;
	struct code *c = &t->c;
	unsigned int to;

	switch (t->i->op) {
	case OP_fmv_x_d:
	case OP_fmv_x_w:
	case OP_fmv_x_h:
		fmov_to_int(c, true, rm_reg(RAX), f_use(t, d->rs1, XT0));
		if (t->i->op == OP_fmv_x_w)
			movsxd(c, RAX, rm_reg(RAX));
		if (t->i->op == OP_fmv_x_h)
			op_rm(c, MAP_0F | 0xbf, true, RAX, rm_reg(RAX));
		x_done(t, d->rd, RAX);
		return;
	case OP_fmv_d_x:
		to = f_def(t, d->rd, XT0);
		fmov_from_int(c, true, to, rm_reg(x_use(t, d->rs1, RAX)));
		break;
	case OP_fmv_w_x:
		to = f_def(t, d->rd, XT0);
		fmov_from_int(c, false, XT0, rm_reg(x_use(t, d->rs1, RAX)));
		flogic(c, F_OR, to, XT0, konst(t, K_BOX_S));
		break;
	default:
		to = f_def(t, d->rd, XT0);
		op_rm(c, MAP_0F | 0xb7, false, RAX, rm_reg(x_use(t, d->rs1, RAX)));
		fmov_from_int(c, false, XT0, rm_reg(RAX));
		flogic(c, F_OR, to, XT0, konst(t, K_BOX_H));
		break;
	}
	f_done(t, d->rd, to);
}

static void translate_fma(struct trans *t)
{
	switch (t->i->op) {
	case OP_fmadd_s: fused(t, FMA_MADD, true); break;
	case OP_fmsub_s: fused(t, FMA_MSUB, true); break;
	case OP_fnmsub_s: fused(t, FMA_NMADD, true); break;	/* -(a * b) + c */
	case OP_fnmadd_s: fused(t, FMA_NMSUB, true); break;	/* -(a * b) - c */
	case OP_fmadd_d: fused(t, FMA_MADD, false); break;
	case OP_fmsub_d: fused(t, FMA_MSUB, false); break;
	case OP_fnmsub_d: fused(t, FMA_NMADD, false); break;
	default: fused(t, FMA_NMSUB, false); break;
	}
}

static void translate_convert(struct trans *t)
{
	switch (t->i->op) {
	case JOP_fmin: min_max(t, single(t->i), false); break;
	case JOP_fmax: min_max(t, single(t->i), true); break;
	case JOP_fcvt_s_d: single_from_double(t); break;
	case JOP_fcvt_d_s: double_from_single(t); break;
	case JOP_fcvt_int: to_int(t, single(t->i)); break;
	case OP_fcvt_s_int: from_int(t, true); break;
	case OP_fcvt_d_int: from_int(t, false); break;
	default: move_bits(t); break;
	}
}

void translate_fp(struct trans *t)
{
	unsigned int op = t->i->op;

	check_boxes(t);
	switch (op) {
	case OP_fadd_s: arith(t, F_ADD, true); break;
	case OP_fsub_s: arith(t, F_SUB, true); break;
	case OP_fmul_s: arith(t, F_MUL, true); break;
	case OP_fdiv_s: arith(t, F_DIV, true); break;
	case OP_fsqrt_s: arith(t, F_SQRT, true); break;
	case OP_fadd_d: arith(t, F_ADD, false); break;
	case OP_fsub_d: arith(t, F_SUB, false); break;
	case OP_fmul_d: arith(t, F_MUL, false); break;
	case OP_fdiv_d: arith(t, F_DIV, false); break;
	case OP_fsqrt_d: arith(t, F_SQRT, false); break;
	case OP_fsgnj_s: sign(t, true, 'j'); break;
	case OP_fsgnjn_s: sign(t, true, 'n'); break;
	case OP_fsgnjx_s: sign(t, true, 'x'); break;
	case OP_fsgnj_d: sign(t, false, 'j'); break;
	case OP_fsgnjn_d: sign(t, false, 'n'); break;
	case OP_fsgnjx_d: sign(t, false, 'x'); break;
	case OP_feq_s: equal(t, true); break;
	case OP_feq_d: equal(t, false); break;
	case OP_flt_s: less(t, true, CC_A); break;
	case OP_fle_s: less(t, true, CC_AE); break;
	case OP_flt_d: less(t, false, CC_A); break;
	case OP_fle_d: less(t, false, CC_AE); break;
	default:
		if (op >= OP_fmadd_s && op <= OP_fnmadd_d)
			translate_fma(t);
		else
			translate_convert(t);
	}
}
