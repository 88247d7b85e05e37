// SPDX-License-Identifier: MIT
/* The translator's table of instructions: kinds and operands. */
#include "jit_int.h"

#define ALU_RR	(OP_X1 | OP_X2 | OP_XD)
#define ALU_RI	(OP_X1 | OP_XD)
#define BRANCH	(OP_X1 | OP_X2 | OP_END)
#define LOAD	(OP_X1 | OP_XD)
#define STORE	(OP_X1 | OP_X2)
#define FLOAD	(OP_X1 | OP_FD)
#define FSTORE	(OP_X1 | OP_F2)
#define S_RR	(OP_F1 | OP_F2 | OP_FD | OP_SRC_S | OP_DST_S)
#define S_CMP	(OP_F1 | OP_F2 | OP_XD | OP_SRC_S)
#define S_FMA	(OP_F1 | OP_F2 | OP_F3 | OP_FD | OP_SRC_S | OP_DST_S)
#define D_RR	(OP_F1 | OP_F2 | OP_FD)
#define D_CMP	(OP_F1 | OP_F2 | OP_XD)
#define D_FMA	(OP_F1 | OP_F2 | OP_F3 | OP_FD)
#define LEAVES	(OP_END | OP_LEAVE)

/* Instructions that are not in the table are left to the interpreter. */
static const uint16_t flags_of[OP_COUNT] = {
	[OP_nop] = 0, [OP_fence] = 0,
	[OP_li] = OP_XD, [OP_auipc] = OP_XD, [OP_mv] = ALU_RI,
	[OP_jal_far] = OP_XD | OP_END, [OP_jalr] = ALU_RI | OP_END, [OP_ret] = OP_X1 | OP_END,
	[OP_beq_far] = BRANCH, [OP_bne_far] = BRANCH, [OP_blt_far] = BRANCH,
	[OP_bge_far] = BRANCH, [OP_bltu_far] = BRANCH, [OP_bgeu_far] = BRANCH,
	[OP_lb] = LOAD, [OP_lh] = LOAD, [OP_lw] = LOAD, [OP_ld] = LOAD,
	[OP_lbu] = LOAD, [OP_lhu] = LOAD, [OP_lwu] = LOAD,
	[OP_sb] = STORE, [OP_sh] = STORE, [OP_sw] = STORE, [OP_sd] = STORE,
	[OP_addi] = ALU_RI, [OP_slti] = ALU_RI, [OP_sltiu] = ALU_RI, [OP_xori] = ALU_RI,
	[OP_ori] = ALU_RI, [OP_andi] = ALU_RI, [OP_slli] = ALU_RI, [OP_srli] = ALU_RI,
	[OP_srai] = ALU_RI, [OP_addiw] = ALU_RI, [OP_slliw] = ALU_RI, [OP_srliw] = ALU_RI,
	[OP_sraiw] = ALU_RI,
	[OP_add] = ALU_RR, [OP_sub] = ALU_RR, [OP_sll] = ALU_RR, [OP_slt] = ALU_RR,
	[OP_sltu] = ALU_RR, [OP_xor] = ALU_RR, [OP_srl] = ALU_RR, [OP_sra] = ALU_RR,
	[OP_or] = ALU_RR, [OP_and] = ALU_RR, [OP_addw] = ALU_RR, [OP_subw] = ALU_RR,
	[OP_sllw] = ALU_RR, [OP_srlw] = ALU_RR, [OP_sraw] = ALU_RR,
	[OP_mul] = ALU_RR, [OP_mulh] = ALU_RR, [OP_mulhsu] = ALU_RR, [OP_mulhu] = ALU_RR,
	[OP_div] = ALU_RR, [OP_divu] = ALU_RR, [OP_rem] = ALU_RR, [OP_remu] = ALU_RR,
	[OP_mulw] = ALU_RR, [OP_divw] = ALU_RR, [OP_divuw] = ALU_RR, [OP_remw] = ALU_RR,
	[OP_remuw] = ALU_RR,
	[OP_flh] = FLOAD | OP_DST_S, [OP_flw] = FLOAD | OP_DST_S, [OP_fld] = FLOAD,
	[OP_fsh] = FSTORE, [OP_fsw] = FSTORE, [OP_fsd] = FSTORE,
	[OP_fadd_s] = S_RR, [OP_fsub_s] = S_RR, [OP_fmul_s] = S_RR, [OP_fdiv_s] = S_RR,
	[OP_fsqrt_s] = OP_F1 | OP_FD | OP_SRC_S | OP_DST_S,
	[OP_fadd_d] = D_RR, [OP_fsub_d] = D_RR, [OP_fmul_d] = D_RR, [OP_fdiv_d] = D_RR,
	[OP_fsqrt_d] = OP_F1 | OP_FD,
	[OP_fmadd_s] = S_FMA, [OP_fmsub_s] = S_FMA, [OP_fnmsub_s] = S_FMA, [OP_fnmadd_s] = S_FMA,
	[OP_fmadd_d] = D_FMA, [OP_fmsub_d] = D_FMA, [OP_fnmsub_d] = D_FMA, [OP_fnmadd_d] = D_FMA,
	[OP_fsgnj_s] = S_RR, [OP_fsgnjn_s] = S_RR, [OP_fsgnjx_s] = S_RR,
	[OP_fsgnj_d] = D_RR, [OP_fsgnjn_d] = D_RR, [OP_fsgnjx_d] = D_RR,
	[OP_feq_s] = S_CMP, [OP_flt_s] = S_CMP, [OP_fle_s] = S_CMP,
	[OP_feq_d] = D_CMP, [OP_flt_d] = D_CMP, [OP_fle_d] = D_CMP,
	[OP_fmv_x_h] = OP_F1 | OP_XD, [OP_fmv_x_w] = OP_F1 | OP_XD, [OP_fmv_x_d] = OP_F1 | OP_XD,
	[OP_fmv_h_x] = OP_X1 | OP_FD | OP_DST_S, [OP_fmv_w_x] = OP_X1 | OP_FD | OP_DST_S,
	[OP_fmv_d_x] = OP_X1 | OP_FD,
	[OP_fcvt_s_int] = OP_X1 | OP_FD | OP_DST_S, [OP_fcvt_d_int] = OP_X1 | OP_FD,
	[OP_fp_slow] = OP_CALL, [OP_tile] = OP_CALL, [OP_amo] = OP_CALL | OP_XD,
	[OP_thread] = LEAVES,
	[OP_illegal] = LEAVES, [OP_fence_i] = LEAVES, [OP_ebreak] = LEAVES, [OP_sys] = LEAVES,
	[OP_csrrw] = LEAVES, [OP_csrrs] = LEAVES, [OP_csrrc] = LEAVES,
	[OP_csrrwi] = LEAVES, [OP_csrrsi] = LEAVES, [OP_csrrci] = LEAVES,
};

static unsigned int field(uint32_t w, unsigned int low, unsigned int n)
{
	return w >> low & ((1u << n) - 1);
}

/* Does the slow floating-point instruction @w write an integer register? */
static bool slow_writes_x(uint32_t w)
{
	unsigned int f5 = field(w, 27, 5);

	return (w & 0x7f) == 0x53 && (f5 == 0x14 || f5 == 0x18 || f5 == 0x1c);
}

/* For singles and doubles and modes the host has, some slow instructions have a translation. */
static unsigned int slow_op(uint32_t w)
{
	unsigned int f5 = field(w, 27, 5), fmt = field(w, 25, 2), rm = field(w, 12, 3);
	unsigned int rs2 = field(w, 20, 5);

	if ((w & 0x7f) != 0x53 || fmt > FP_D)
		return OP_fp_slow;
	if (f5 == 0x05)
		return rm ? JOP_fmax : JOP_fmin;
	if (f5 == 0x08 && fmt == FP_S && rs2 == FP_D && rm == FP_DYN)
		return JOP_fcvt_s_d;
	if (f5 == 0x08 && fmt == FP_D && rs2 == FP_S)	/* exact in every mode, but not in no mode */
		return rm <= FP_RMM || rm == FP_DYN ? JOP_fcvt_d_s : OP_fp_slow;
	if (f5 == 0x18 && (rm == FP_RTZ || rm == FP_DYN))
		return JOP_fcvt_int;
	return OP_fp_slow;
}

void jinsn_decode(struct jinsn *i)
{
	i->op = decode_far(i->word, &i->d);
	if (i->op == OP_fp_slow)
		i->op = slow_op(i->word);
}

/* Counters need the number of instructions up to here, and floating point's registers change what code does; others are read by a call. */
static bool csr_by_call(const struct jinsn *i)
{
	unsigned int csr = (unsigned int)i->d.imm;

	return !i->d.rs1 && csr > ANPU_CSR_fcsr && csr != ANPU_CSR_cycle && csr != ANPU_CSR_time && csr != ANPU_CSR_instret;
}

unsigned int jinsn_flags(const struct jinsn *i)
{
	bool s = field(i->word, 25, 2) == FP_S;

	switch (i->op) {
	case JOP_fmin: case JOP_fmax: return s ? S_RR : D_RR;
	case JOP_fcvt_s_d: return OP_F1 | OP_FD | OP_DST_S;
	case JOP_fcvt_d_s: return OP_F1 | OP_FD | OP_SRC_S;
	case JOP_fcvt_int: return OP_F1 | OP_XD | (s ? OP_SRC_S : 0);
	case OP_fp_slow: return OP_CALL | (slow_writes_x(i->word) ? OP_XD : OP_FD);
	case OP_sys:
		/* operations on flags either go on or fault; others may end or block the block */
		return i->d.imm == ANPU_SYS_SETFLAG || i->d.imm == ANPU_SYS_WAITFLAG ||
		       i->d.imm == ANPU_SYS_PIPEBAR ? OP_CALL : LEAVES;
	case OP_csrrs: return csr_by_call(i) ? OP_CALL | OP_XD : LEAVES;
	default: return flags_of[i->op];
	}
}
