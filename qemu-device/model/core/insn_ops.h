/* SPDX-License-Identifier: MIT */
/*
 * The operations of the interpreter: what decode.c produces and exec.c has a handler for. Most are
 * instructions; some are forms of one that can run faster, or pairs of them.
 */
#ifndef ANPU_INSN_OPS_H
#define ANPU_INSN_OPS_H

/* near: the target is in the same page of code, imm is its distance in decoded bytes */
#define INSN_BRANCHES(X, suffix) \
	X(beq##suffix) X(bne##suffix) X(blt##suffix) X(bge##suffix) X(bltu##suffix) X(bgeu##suffix)

/* pairs: the first as usual, the second without a dispatch; see fuse() in decode.c */
#define INSN_ADD_LOADS(X) \
	X(add_lw) X(add_ld) X(add_lbu) X(add_lhu) X(add_lwu) X(add_flh) X(add_flw) X(add_fld)
#define INSN_ADDI_BRANCHES(X) \
	X(addi_beq) X(addi_bne) X(addi_blt) X(addi_bge) X(addi_bltu) X(addi_bgeu)

#define INSN_OPS(X) \
	X(illegal) X(page_end) X(step_end) X(li) X(auipc) X(mv) X(nop) \
	X(j_near) X(jal_near) X(jal_far) X(jalr) X(ret) \
	INSN_BRANCHES(X, _near) INSN_BRANCHES(X, _far) \
	X(lb) X(lh) X(lw) X(ld) X(lbu) X(lhu) X(lwu) X(sb) X(sh) X(sw) X(sd) \
	X(addi) X(slti) X(sltiu) X(xori) X(ori) X(andi) X(slli) X(srli) X(srai) \
	X(add) X(sub) X(sll) X(slt) X(sltu) X(xor) X(srl) X(sra) X(or) X(and) \
	X(addiw) X(slliw) X(srliw) X(sraiw) X(addw) X(subw) X(sllw) X(srlw) X(sraw) \
	X(mul) X(mulh) X(mulhsu) X(mulhu) X(div) X(divu) X(rem) X(remu) \
	X(mulw) X(divw) X(divuw) X(remw) X(remuw) \
	X(fence) X(fence_i) X(ebreak) \
	X(csrrw) X(csrrs) X(csrrc) X(csrrwi) X(csrrsi) X(csrrci) \
	X(flh) X(flw) X(fld) X(fsh) X(fsw) X(fsd) \
	X(fadd_s) X(fsub_s) X(fmul_s) X(fdiv_s) X(fsqrt_s) \
	X(fadd_d) X(fsub_d) X(fmul_d) X(fdiv_d) X(fsqrt_d) \
	X(fmadd_s) X(fmsub_s) X(fnmsub_s) X(fnmadd_s) \
	X(fmadd_d) X(fmsub_d) X(fnmsub_d) X(fnmadd_d) \
	X(fsgnj_s) X(fsgnjn_s) X(fsgnjx_s) X(fsgnj_d) X(fsgnjn_d) X(fsgnjx_d) \
	X(feq_s) X(flt_s) X(fle_s) X(feq_d) X(flt_d) X(fle_d) \
	X(fmv_x_h) X(fmv_x_w) X(fmv_x_d) X(fmv_h_x) X(fmv_w_x) X(fmv_d_x) \
	X(fcvt_s_int) X(fcvt_d_int) \
	X(fp_slow) X(tile) X(sys) X(amo) X(thread) X(jit) \
	INSN_ADD_LOADS(X) INSN_ADDI_BRANCHES(X) X(slli_add)

#define INSN_ENUM(name) OP_##name,
enum insn_op { INSN_OPS(INSN_ENUM) OP_COUNT };
#undef INSN_ENUM

#endif /* ANPU_INSN_OPS_H */
