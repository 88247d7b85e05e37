// SPDX-License-Identifier: MIT
/*
 * The interpreter of the scalar unit: direct-threaded code over decoded pages. Code that runs often is
 * translated, see jit/, and entered from here.
 *
 * Counting costs nothing on straight-line code. `edge` is an address in units of decoded bytes:
 * edge - i is how much may still run before the next poll. Running on lowers it by moving i; a jump
 * moves edge along with i. `total` is the number of instructions that will have retired when i
 * reaches edge, so that the exact count is always total - (edge - i) / sizeof(struct insn).
 *
 * One function, because computed gotos cannot cross functions; the handlers are the table.
 */
#include "alu_ops.h"
#include "amo.h"
#include "exec_ops.h"
#include "insn_ops.h"
#include "jit/jit.h"
#include "sync.h"
#include "threads.h"

#pragma GCC optimize("no-gcse", "no-crossjumping", "no-tree-tail-merge")

_Static_assert(OP_COUNT <= 256, "decode.c keeps operations in bytes");
_Static_assert(sizeof(struct insn) == 16, "two decoded instructions per 32 bytes");

#define STEP		((intptr_t)sizeof(struct insn))
#define EXITS_PER_SAMPLE 31	/* a prime: loops with several exits have each of them sampled */

/* inf * 0 + NaN: RISC-V raises the invalid flag whatever the NaN, x86 does not */
static void fma_nan_d(struct core_block *b, double x, double y)
{
	if ((x == 0 && __builtin_isinf(y)) || (y == 0 && __builtin_isinf(x)))
		b->fflags |= FP_NV;
}

/*
 * Translated code has ended at instruction @n, which has none: is it time for a sample? Between tile operations polls
 * always meet the same few places, since an operation counts as hundreds of instructions; this finds the others.
 */
static inline bool exit_sampled(struct core_block *b, struct code_page *page, unsigned int n, enum jit_exit why)
{
	/* behind an instruction that is always the interpreter's translated code may go on */
	if (why == JIT_STEP && (n + 1 == PAGE_INSNS || jit_entry_at(page, n + 1)))
		return false;
	if (++b->jit_exits < EXITS_PER_SAMPLE)
		return false;
	b->jit_exits = 0;
	return true;
}

static enum core_result exec(struct core_block *b, uint64_t *deadline, uint64_t budget,
			     struct core_fault *fault, const void *const **table)
{
#define LABEL(name) &&op_##name,
	static const void *const handlers[] = { INSN_OPS(LABEL) };
#undef LABEL
	struct core_kernel *k;
	struct code_page *page;
	const struct insn *i;
	enum core_result result;
	uint64_t target;
	intptr_t edge;
	uint64_t total;

	if (table) {
		*table = handlers;
		return CORE_DONE;
	}
	k = b->kernel;
	page = code_page_find(k->code, b->gen, b->mmu, b->pc, fault);
	if (!page)
		return CORE_FAULT;
	if (unlikely(b->stepping)) {
		step_page_set(b->step_page, page, (b->pc & (PAGE_SIZE - 1)) / 4, handlers);
		page = b->step_page;
	}
	i = &page->insn[(b->pc & (PAGE_SIZE - 1)) / 4];

/* everything at a fixed distance from b: no other pointer needs a register */
#define x		(b->x)
#define f		(b->f)
#define RETIRED()	(total - (uint64_t)((edge - (intptr_t)i) / STEP))
#define PC_OF(p)	(page->va + (uint64_t)((p) - page->insn) * 4)
#define WORD()		(page->raw[i - page->insn])
#define CREDIT(n)	do { edge = (intptr_t)i + (n) * STEP; total = b->retired + (n); } while (0)
#define CHARGE(n)	do { edge -= (intptr_t)(n) * STEP; total -= (n); } while (0)
#define NEXT		do { i++; goto *insn_go(i); } while (0)
#define OP(name)	op_##name:
/*
 * The next run, perhaps of another block, gets what is left until the next poll. So polls meet
 * many short blocks as often as a long one, and jit_sample() learns which code is hot.
 */
#define END(r)		do { b->credit = (int64_t)(total - b->retired); return r; } while (0)

/* Jump to a decoded instruction; the instruction at i has retired. */
#define JUMP(to) do { \
	const struct insn *t_ = (to); \
	bool poll_ = edge <= (intptr_t)(i + 1); \
	edge += (intptr_t)t_ - (intptr_t)(i + 1); \
	i = t_; \
	if (unlikely(poll_)) \
		goto poll; \
	goto *insn_go(i); \
} while (0)

#define NEAR()		JUMP((const struct insn *)((const char *)i + i->imm))

	/* a single step polls at once if it jumps, and ends there */
	if (unlikely(b->stepping))
		CREDIT(1);
	else
		CREDIT(likely(b->credit > 0) ? b->credit : POLL_INSNS);
	if (unlikely(jit_eager(k->code)) && !b->stepping)
		jit_sample(b, page, b->pc, false, handlers[OP_jit]);
	goto *insn_go(i);

poll:
	b->retired = RETIRED();
	if (atomic_load_explicit(&k->stop, memory_order_relaxed) || unlikely(b->stepping) || unlikely(b->crowded))
		goto more;
	target = k->clock(k->clock_ctx);
	if (!*deadline)
		*deadline = target + budget;
	if (target >= *deadline)
		goto more;
	if (mmu_poll(b->mmu))
		tlb_flush(b);
	if (unlikely(atomic_load_explicit(&k->code->serial, memory_order_relaxed) !=
		     b->gen_serial)) {
		target = PC_OF(i);
		if (!sync_kept(k, b->gen))
			code_gen_put(k->code, b->gen);
		b->gen = code_gen_get(k->code, &b->gen_serial);
		page = code_page_find(k->code, b->gen, b->mmu, target, fault);
		if (!page) {
			b->pc = target;
			END(CORE_FAULT);
		}
		i = &page->insn[(target & (PAGE_SIZE - 1)) / 4];
	}
	jit_sample(b, page, PC_OF(i), false, handlers[OP_jit]);
	CREDIT(POLL_INSNS);
	if (unlikely(b->threads)) {
		b->pc = PC_OF(i);
		thread_yield(b);
		goto switched;
	}
	goto *insn_go(i);

/* The running thread has ended; edge - i is left until the next poll. */
thread_ends:
	b->pc = ANPU_EXIT_PC;
	switch (thread_end(b, fault)) {
	case SYS_EXIT: END(CORE_DONE);
	case SYS_FAULT:
		fault->pc = b->pc;
		END(CORE_FAULT);
	default: break;
	}
/* The block has another thread's registers, which goes on at b->pc, or none: warps run in lockstep. */
switched: {
		intptr_t left = edge - (intptr_t)i;

		if (b->threads && !b->threads->loaded)
			END(CORE_SWITCH);
		target = b->pc;
		if (unlikely(b->stepping))
			END(CORE_MORE);
		if ((target ^ page->va) >> PAGE_SHIFT) {
			struct code_page *next = code_page_find(k->code, b->gen, b->mmu, target, fault);

			if (unlikely(!next))
				END(CORE_FAULT);
			page = next;
		}
		i = &page->insn[(target & (PAGE_SIZE - 1)) / 4];
		edge = (intptr_t)i + left;
		if (unlikely(left <= 0))
			goto poll;
		if (unlikely(jit_eager(k->code)))
			jit_sample(b, page, target, false, handlers[OP_jit]);
	}
	goto *insn_go(i);

/* Jump to the address in target, perhaps in another page; the instruction at i has retired. */
jump_far:
	if (unlikely(target & 3)) {
		core_fail(fault, ANPU_FAULT_FETCH,
			  "jump to 0x%llx, which is not 4-byte aligned", (unsigned long long)target);
		fault->addr = target;
		fault->access = ANPU_ACCESS_FETCH;
		goto fault;
	}
	if (likely((target ^ page->va) >> PAGE_SHIFT == 0))
		JUMP(&page->insn[(target & (PAGE_SIZE - 1)) / 4]);
	i++;
	b->retired = RETIRED();
	if (target == ANPU_EXIT_PC) {
		if (unlikely(b->threads))
			goto thread_ends;
		b->pc = target;
		END(CORE_DONE);
	}
	if (unlikely(b->stepping)) {
		b->pc = target;
		END(CORE_MORE);
	}
	{
		struct code_page *next = code_page_find(k->code, b->gen, b->mmu, target, fault);
		intptr_t left = edge - (intptr_t)i;

		if (unlikely(!next)) {
			b->pc = target;
			END(CORE_FAULT);
		}
		page = next;
		i = &page->insn[(target & (PAGE_SIZE - 1)) / 4];
		edge = (intptr_t)i + left;
		if (unlikely(left <= 0))
			goto poll;
		if (unlikely(jit_eager(k->code)))
			jit_sample(b, page, target, false, handlers[OP_jit]);
	}
	goto *insn_go(i);

	OP(page_end) {
		/* not an instruction: fall into the page that follows */
		target = page->va + PAGE_SIZE;
		i--;
		goto jump_far;
	}
	OP(step_end)
		b->retired = RETIRED();
		result = CORE_MORE;
		goto leave;
	OP(illegal)
		core_fail(fault, ANPU_FAULT_ILLEGAL,
			  "0x%08x is not an instruction of RV64IMAFD, Zfh, Zicsr, Zifencei or the ANPU",
			  WORD());
		goto fault;

	/* integer constants and control ------------------------------------------------------- */
	OP(nop) NEXT;
	OP(li) x[i->rd] = (uint64_t)(int64_t)i->imm; NEXT;
	OP(mv) x[i->rd] = x[i->rs1]; NEXT;
	OP(auipc) x[i->rd] = PC_OF(i) + (uint64_t)(int64_t)i->imm; NEXT;
	OP(j_near) NEAR();
	OP(jal_near) x[i->rd] = PC_OF(i) + 4; NEAR();
	OP(jal_far)
		target = PC_OF(i) + (uint64_t)(int64_t)i->imm;
		if (likely(!(target & 3)))
			x[i->rd] = PC_OF(i) + 4;
		goto jump_far;
	OP(jalr)
		target = (x[i->rs1] + (uint64_t)(int64_t)i->imm) & ~1ULL;
		if (likely(!(target & 3)))
			x[i->rd] = PC_OF(i) + 4;
		goto jump_far;
	OP(ret)
		target = x[i->rs1] & ~1ULL;
		goto jump_far;

#define BRANCH(name, cond) \
	OP(name##_near) if (cond) NEAR(); NEXT; \
	OP(name##_far) \
		if (cond) { \
			target = PC_OF(i) + (uint64_t)(int64_t)i->imm; \
			goto jump_far; \
		} \
		NEXT;
	BRANCH(beq, x[i->rs1] == x[i->rs2])
	BRANCH(bne, x[i->rs1] != x[i->rs2])
	BRANCH(blt, (int64_t)x[i->rs1] < (int64_t)x[i->rs2])
	BRANCH(bge, (int64_t)x[i->rs1] >= (int64_t)x[i->rs2])
	BRANCH(bltu, x[i->rs1] < x[i->rs2])
	BRANCH(bgeu, x[i->rs1] >= x[i->rs2])

#define ADDI_BRANCH(name, cond) \
	OP(addi_##name) \
		x[i->rd] = x[i->rs1] + (uint64_t)(int64_t)i->imm; \
		i++; \
		if (cond) \
			NEAR(); \
		NEXT;
	ADDI_BRANCH(beq, x[i->rs1] == x[i->rs2])
	ADDI_BRANCH(bne, x[i->rs1] != x[i->rs2])
	ADDI_BRANCH(blt, (int64_t)x[i->rs1] < (int64_t)x[i->rs2])
	ADDI_BRANCH(bge, (int64_t)x[i->rs1] >= (int64_t)x[i->rs2])
	ADDI_BRANCH(bltu, x[i->rs1] < x[i->rs2])
	ADDI_BRANCH(bgeu, x[i->rs1] >= x[i->rs2])

	/* memory --------------------------------------------------------------------------------- */
#define ADDRESS()	(x[i->rs1] + (uint64_t)(int64_t)i->imm)
#define LOAD_FROM(address, type, result) do { \
	uint64_t a = (address); \
	const struct tlb_entry *e = &b->tlb[tlb_index(a)]; \
	type v; \
	if (likely(e->rtag == (a + sizeof(v) - 1) >> PAGE_SHIFT)) { \
		memcpy(&v, (const void *)(uintptr_t)(a + e->off), sizeof(v)); \
	} else { \
		type slow; \
		\
		CHARGE(COST_SLOW_MEM); \
		b->pc = PC_OF(i);	/* the checking mode looks at it */ \
		if (!mem_load_slow(b, a, sizeof(slow), &slow, fault)) \
			goto fault; \
		v = slow; \
	} \
	result; \
	NEXT; \
} while (0)
#define LOAD(name, type, result) \
	OP(name) LOAD_FROM(ADDRESS(), type, result);
/* add into the base of a load, then the load */
#define ADD_LOAD(name, type, result) \
	OP(add_##name) { \
		uint64_t base = x[i->rs1] + x[i->rs2]; \
		\
		x[i->rd] = base; \
		i++; \
		LOAD_FROM(base + (uint64_t)(int64_t)i->imm, type, result); \
	}
#define STORE(name, type, value) \
	OP(name) { \
		uint64_t a = ADDRESS(); \
		const struct tlb_entry *e = &b->tlb[tlb_index(a)]; \
		type v = (type)(value); \
		if (likely(e->wtag == (a + sizeof(v) - 1) >> PAGE_SHIFT)) { \
			memcpy((void *)(uintptr_t)(a + e->off), &v, sizeof(v)); \
		} else { \
			type slow = v;	/* v itself stays in a register */ \
			\
			CHARGE(COST_SLOW_MEM); \
			b->pc = PC_OF(i); \
			if (!mem_store_slow(b, a, sizeof(slow), &slow, fault)) \
				goto fault; \
		} \
		NEXT; \
	}
	LOAD(lb, int8_t, x[i->rd] = (uint64_t)(int64_t)v)
	LOAD(lh, int16_t, x[i->rd] = (uint64_t)(int64_t)v)
	LOAD(lw, int32_t, x[i->rd] = (uint64_t)(int64_t)v)
	LOAD(ld, uint64_t, x[i->rd] = v)
	LOAD(lbu, uint8_t, x[i->rd] = v)
	LOAD(lhu, uint16_t, x[i->rd] = v)
	LOAD(lwu, uint32_t, x[i->rd] = v)
	LOAD(flh, uint16_t, f[i->rd] = BOX_H | v)
	LOAD(flw, uint32_t, set_s(&f[i->rd], v))
	LOAD(fld, uint64_t, f[i->rd] = v)
	ADD_LOAD(lw, int32_t, x[i->rd] = (uint64_t)(int64_t)v)
	ADD_LOAD(ld, uint64_t, x[i->rd] = v)
	ADD_LOAD(lbu, uint8_t, x[i->rd] = v)
	ADD_LOAD(lhu, uint16_t, x[i->rd] = v)
	ADD_LOAD(lwu, uint32_t, x[i->rd] = v)
	ADD_LOAD(flh, uint16_t, f[i->rd] = BOX_H | v)
	ADD_LOAD(flw, uint32_t, set_s(&f[i->rd], v))
	ADD_LOAD(fld, uint64_t, f[i->rd] = v)
	STORE(sb, uint8_t, x[i->rs2])
	STORE(sh, uint16_t, x[i->rs2])
	STORE(sw, uint32_t, x[i->rs2])
	STORE(sd, uint64_t, x[i->rs2])
	STORE(fsh, uint16_t, f[i->rs2])
	STORE(fsw, uint32_t, low_half(&f[i->rs2]))
	STORE(fsd, uint64_t, f[i->rs2])

	/* integers --------------------------------------------------------------------------------- */
#define IMM		((uint64_t)(int64_t)i->imm)
#define A		(x[i->rs1])
#define B		(x[i->rs2])
#define ALU(name, value)  OP(name) x[i->rd] = (uint64_t)(value); NEXT;
#define ALUW(name, value) OP(name) x[i->rd] = (uint64_t)(int64_t)(int32_t)(value); NEXT;
	ALU_OPS_IMM(ALU, ALUW)
	ALU_OPS(ALU, ALUW)
#define DIVIDE(name, value)  OP(name) if (unlikely(!B) && b->check) goto by_zero; x[i->rd] = (uint64_t)(value); NEXT;
#define DIVIDEW(name, value) \
	OP(name) if (unlikely(!(uint32_t)B) && b->check) goto by_zero; x[i->rd] = (uint64_t)(int64_t)(int32_t)(value); NEXT;
	DIVIDE_OPS(DIVIDE, DIVIDEW)
by_zero:
	/* C and C++ have no result for it, and cores differ */
	core_fail(fault, ANPU_FAULT_TRAP, "integer division of %lld by zero", (long long)A);
	goto fault;
	OP(slli_add)
		x[i->rd] = A << i->imm;
		i++;
		x[i->rd] = A + B;
		NEXT;

	OP(fence)
		atomic_thread_fence(memory_order_seq_cst);
		NEXT;
	OP(fence_i) {
		/*
		 * fence.i: decode anew from the next instruction on, whichever thread has written
		 * it
		 */
		code_cache_invalidate(k->code);
		CHARGE(POLL_INSNS);
		JUMP(i + 1);
	}
	OP(ebreak)
		core_fail(fault, ANPU_FAULT_BREAKPOINT, "the operator executed ebreak");
		goto fault;

	/* CSRs ------------------------------------------------------------------------------------- */
#define CSR(name, operand, writes, value) \
	OP(name) { \
		uint64_t old = 0, v = (operand); \
		if (!csr_read(b, (unsigned int)i->imm, RETIRED(), &old)) \
			goto bad_csr; \
		b->pc = PC_OF(i);	/* the checking mode looks at it */ \
		if ((writes) && !csr_write(b, (unsigned int)i->imm, value)) \
			goto bad_csr; \
		x[i->rd] = old; \
		CHARGE(COST_CSR); \
		NEXT; \
	}
	CSR(csrrw, A, true, v)
	CSR(csrrs, A, i->rs1 != 0, old | v)
	CSR(csrrc, A, i->rs1 != 0, old & ~v)
	CSR(csrrwi, i->rs1, true, v)
	CSR(csrrsi, i->rs1, i->rs1 != 0, old | v)
	CSR(csrrci, i->rs1, i->rs1 != 0, old & ~v)
bad_csr:
	if (i->imm == ANPU_CSR_cycle && !i->rs1) /* unimp: compilers end paths with it */
		core_fail(fault, ANPU_FAULT_ILLEGAL,
			  "__builtin_trap() or __trap(), or a place that the compiler takes for unreachable");
	else
		core_fail(fault, ANPU_FAULT_ILLEGAL, "CSR 0x%03x does not exist or cannot be written",
			  (unsigned int)i->imm);
	goto fault;

	/* floating point --------------------------------------------------------------------------- */
#define S(r)		get_float(&f[i->r])
#define D(r)		to_double(f[i->r])
#define FP_S_OP(name, value) \
	OP(name) if (unlikely(!b->fp_hot)) goto op_fp_slow; set_float(&f[i->rd], value); NEXT;
#define FP_D_OP(name, value) \
	OP(name) if (unlikely(!b->fp_hot)) goto op_fp_slow; f[i->rd] = box_double(value); NEXT;
	FP_S_OP(fadd_s, S(rs1) + S(rs2))
	FP_S_OP(fsub_s, S(rs1) - S(rs2))
	FP_S_OP(fmul_s, S(rs1) * S(rs2))
	FP_S_OP(fdiv_s, S(rs1) / S(rs2))
	FP_S_OP(fsqrt_s, host_sqrtf(S(rs1)))
	FP_D_OP(fadd_d, D(rs1) + D(rs2))
	FP_D_OP(fsub_d, D(rs1) - D(rs2))
	FP_D_OP(fmul_d, D(rs1) * D(rs2))
	FP_D_OP(fdiv_d, D(rs1) / D(rs2))
	FP_D_OP(fsqrt_d, host_sqrt(D(rs1)))
	/* the host converts signed numbers; the upper half of the unsigned ones takes the long way */
#define INT_SOURCE	(i->rs2 == FP_W ? (int64_t)(int32_t)A : i->rs2 == FP_WU ? \
			 (int64_t)(uint32_t)A : (int64_t)A)
	OP(fcvt_s_int)
		if (unlikely(!b->fp_hot || (i->rs2 == FP_LU && (int64_t)A < 0)))
			goto op_fp_slow;
		set_float(&f[i->rd], (float)INT_SOURCE);
		NEXT;
	OP(fcvt_d_int)
		if (unlikely(!b->fp_hot || (i->rs2 == FP_LU && (int64_t)A < 0)))
			goto op_fp_slow;
		f[i->rd] = box_double((double)INT_SOURCE);
		NEXT;

#define FMA_S(name, neg_a, neg_c) \
	OP(name) { \
		float p, q, r; \
		if (unlikely(!b->fma_hot)) \
			goto op_fp_slow; \
		p = S(rs1); \
		q = S(rs2); \
		r = host_fmaf(neg_a p, q, neg_c S(rs3)); \
		if (unlikely(r != r)) \
			fma_nan_d(b, (double)p, (double)q); \
		set_float(&f[i->rd], r); \
		NEXT; \
	}
#define FMA_D(name, neg_a, neg_c) \
	OP(name) { \
		double p, q, r; \
		if (unlikely(!b->fma_hot)) \
			goto op_fp_slow; \
		p = D(rs1); \
		q = D(rs2); \
		r = host_fma(neg_a p, q, neg_c D(rs3)); \
		if (unlikely(r != r)) \
			fma_nan_d(b, p, q); \
		f[i->rd] = box_double(r); \
		NEXT; \
	}
	FMA_S(fmadd_s, , )
	FMA_S(fmsub_s, , -)
	FMA_S(fnmsub_s, -, )
	FMA_S(fnmadd_s, -, -)
	FMA_D(fmadd_d, , )
	FMA_D(fmsub_d, , -)
	FMA_D(fnmsub_d, -, )
	FMA_D(fnmadd_d, -, -)

#define SIGN_S	0x80000000u
#define SIGN_D	(1ULL << 63)
#define U(r)	get_s(&f[i->r])
#define V(r)	f[i->r]
	OP(fsgnj_s) set_s(&f[i->rd], (U(rs1) & ~SIGN_S) | (U(rs2) & SIGN_S)); NEXT;
	OP(fsgnjn_s) set_s(&f[i->rd], (U(rs1) & ~SIGN_S) | (~U(rs2) & SIGN_S)); NEXT;
	OP(fsgnjx_s) set_s(&f[i->rd], U(rs1) ^ (U(rs2) & SIGN_S)); NEXT;
	OP(fsgnj_d) f[i->rd] = (V(rs1) & ~SIGN_D) | (V(rs2) & SIGN_D); NEXT;
	OP(fsgnjn_d) f[i->rd] = (V(rs1) & ~SIGN_D) | (~V(rs2) & SIGN_D); NEXT;
	OP(fsgnjx_d) f[i->rd] = V(rs1) ^ (V(rs2) & SIGN_D); NEXT;
	OP(feq_s) x[i->rd] = soft_eq(FP_S, U(rs1), U(rs2), &b->fflags); NEXT;
	OP(flt_s) x[i->rd] = soft_lt(FP_S, U(rs1), U(rs2), &b->fflags); NEXT;
	OP(fle_s) x[i->rd] = soft_le(FP_S, U(rs1), U(rs2), &b->fflags); NEXT;
	OP(feq_d) x[i->rd] = soft_eq(FP_D, V(rs1), V(rs2), &b->fflags); NEXT;
	OP(flt_d) x[i->rd] = soft_lt(FP_D, V(rs1), V(rs2), &b->fflags); NEXT;
	OP(fle_d) x[i->rd] = soft_le(FP_D, V(rs1), V(rs2), &b->fflags); NEXT;
	OP(fmv_x_h) x[i->rd] = (uint64_t)(int64_t)(int16_t)f[i->rs1]; NEXT;
	OP(fmv_x_w) x[i->rd] = (uint64_t)(int64_t)(int32_t)f[i->rs1]; NEXT;
	OP(fmv_x_d) x[i->rd] = f[i->rs1]; NEXT;
	OP(fmv_h_x) f[i->rd] = BOX_H | (uint16_t)A; NEXT;
	OP(fmv_w_x) f[i->rd] = BOX_S | (uint32_t)A; NEXT;
	OP(fmv_d_x) f[i->rd] = A; NEXT;
	OP(fp_slow)
		if (unlikely(!fp_slow(b, WORD()))) {
			core_fail(fault, ANPU_FAULT_ILLEGAL,
				  "the rounding mode %u in frm is reserved", b->frm);
			goto fault;
		}
		CHARGE(COST_SLOW_FP);
		NEXT;

	/* tiles and services ----------------------------------------------------------------------- */
	OP(tile)
		b->pc = PC_OF(i);	/* observers and the checking mode look at it */
		if (!exec_tile(b, i, fault))
			goto fault;
		CHARGE(b->tile_cost);
		NEXT;
	OP(sys) {
		enum sys_result r;

		if (unlikely(b->check))
			b->pc = PC_OF(i);
		r = exec_sys(b, i, fault);
		CHARGE(COST_SYS);
		switch (r) {
		case SYS_NEXT:
			JUMP(i + 1);
		case SYS_EXIT:
			i++;
			if (unlikely(b->threads)) {
				b->retired = RETIRED();
				goto thread_ends;
			}
			result = CORE_DONE;
			break;
		case SYS_BLOCKED:
			result = CORE_BLOCKED;
			break;
		default:
			goto fault;
		}
		b->retired = RETIRED();
		goto leave;
	}

	OP(amo)
		b->pc = PC_OF(i);
		if (!amo_exec(b, i, fault))
			goto fault;
		CHARGE(COST_AMO);
		NEXT;
	OP(thread) {
		enum sys_result r;

		b->pc = PC_OF(i);
		CHARGE(COST_THREAD);
		r = thread_exec(b, i, fault);
		if (r == SYS_NEXT)
			JUMP(i + 1);
		if (r == SYS_FAULT) {
			/* no thread can run: the place is a waiting one's, which b->pc has */
			if (b->pc == PC_OF(i))
				goto fault;
			b->retired = RETIRED();
			fault->pc = b->pc;
			END(CORE_FAULT);
		}
		if (r == SYS_SWITCH) {
			i++;
			b->retired = RETIRED();
			goto switched;
		}
		if (r == SYS_LEAVE) {
			i++;
			b->retired = RETIRED();
			goto more;
		}
		result = CORE_BLOCKED;
		b->retired = RETIRED();
		goto leave;
	}

	/* the instruction has translated code: run that until it leaves */
	OP(jit) {
		const struct jit_entry *e = jit_entry_at(page, (unsigned int)(i - page->insn));
		enum jit_exit r;

		if (unlikely(!b->fp_hot))
			goto *e->go;
		b->jit = (struct block_jit){ (edge - (intptr_t)i) / STEP, total, fault };
		r = jit_run(b, e);
		total = b->jit.total;
		b->retired = total - (uint64_t)b->jit.credit;
		target = b->pc;
		if (target == ANPU_EXIT_PC) {
			if (likely(!b->threads))
				END(CORE_DONE);
			edge = (intptr_t)i + b->jit.credit * STEP;
			goto thread_ends;
		}
		if (unlikely((target ^ page->va) >> PAGE_SHIFT)) {
			page = code_page_find(k->code, b->gen, b->mmu, target, fault);
			if (!page)
				END(CORE_FAULT);
		}
		i = &page->insn[(target & (PAGE_SIZE - 1)) / 4];
		edge = (intptr_t)i + b->jit.credit * STEP;
		if (r == JIT_FAULT)
			goto fault;
		if (r == JIT_POLL || edge <= (intptr_t)i)
			goto poll;
		if (unlikely(jit_eager(k->code)))
			jit_sample(b, page, target, false, handlers[OP_jit]);
		e = jit_entry_at(page, (unsigned int)(i - page->insn));
		if (!e && unlikely(exit_sampled(b, page, (unsigned int)(i - page->insn), r)))
			jit_sample(b, page, target, true, handlers[OP_jit]);
		if (e && r == JIT_STEP)
			goto *e->go;
		goto *insn_go(i);
	}

fault:
	b->retired = RETIRED();
	b->pc = PC_OF(i);
	fault->pc = b->pc;
	fault->insn = WORD();
	END(CORE_FAULT);
more:
	/*
	 * Leave nothing for the next run. The first block of a translated loop polls with up to as
	 * much left as it has instructions, and would poll again before it has executed one of
	 * them.
	 */
	total = b->retired;
	result = CORE_MORE;
leave:
	b->pc = PC_OF(i);
	END(result);
}

#undef x
#undef f

const void *const *exec_handlers(void)
{
	const void *const *table;

	exec(NULL, NULL, 0, NULL, &table);
	return table;
}

enum core_result exec_run(struct core_block *b, uint64_t budget, struct core_fault *fault)
{
	uint32_t host = host_fp_get(), now;
	uint64_t deadline = 0;
	enum core_result r;

	/* to set the control word costs more than to read it, and mostly it is the same */
	fp_mode(b);
	now = b->fp_hot ? host_fp_control(b->frm) : HOST_FP_CLEAN;
	if (now != host)
		host_fp_set(now);
	if (unlikely(b->stepping && b->threads))
		threads_alone(b);
	do {
		if (b->threads && !b->threads->loaded)
			r = lanes_run(b, &deadline, budget, fault);
		else
			r = exec(b, &deadline, budget, fault, NULL);
	} while (r == CORE_SWITCH);
	now = host_fp_get();
	b->fflags |= host_fp_flags(now);
	if (now != host)
		host_fp_set(host);
	return r;
}
