// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "check_rig.h"

/* operands: x10 = rd, x11 = rs1, x12 = rs2, x13 = rs3 */
void ck_code(struct rig *r)
{
	static const uint8_t load3[] = { 4, 5, 6, 3 };	/* lbu, lhu, lwu, ld */
	uint32_t code[0x240 / 4];

	for (unsigned int n = 0; n < sizeof(code) / 4; n++)
		code[n] = RET;
	for (unsigned int op = 0; op < ANPU_TILE_OP_COUNT; op++)
		code[(CK_TILE(op) - CODE_VA) / 4] = TILE_INSN(op, 10, 11, 12, 13);
	for (unsigned int op = 0; op <= ANPU_SYS_BUFFER; op++)
		code[(CK_SYS(op) - CODE_VA) / 4] = SYS_INSN(op, 11, 12);
	for (unsigned int log = 0; log < 4; log++) {
		code[(CK_LOAD(log) - CODE_VA) / 4] = I_TYPE(0x03, load3[log], 10, 11, 0);
		code[(CK_STORE(log) - CODE_VA) / 4] = S_TYPE(0x23, log, 11, 10, 0);
	}
	rig_code(r, 0, code, sizeof(code) / 4);
}

void ck_init(struct rig *r)
{
	rig_init(r);
	ck_code(r);
}

void ck_block(struct rig *r, bool check)
{
	r->k.pkt.hdr.flags = check ? ANPU_KERNEL_CHECK : 0;
	rig_block(r, CODE_VA);
	r->b->block = 0;	/* the only one of test_check's grid */
}

static bool step(struct rig *r, uint64_t pc, uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd)
{
	memset(&r->fault, 0, sizeof(r->fault));
	r->b->x[10] = rd;
	r->b->x[11] = rs1;
	r->b->x[12] = rs2;
	r->b->x[13] = rs3;
	r->b->pc = pc;
	return core_block_step(r->b, &r->mmu, &r->fault) == CORE_MORE;
}

bool ck_tile(struct rig *r, unsigned int op, uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd)
{
	return step(r, CK_TILE(op), rs1, rs2, rs3, rd);
}

bool ck_sys(struct rig *r, unsigned int op, uint64_t rs1, uint64_t rs2)
{
	return step(r, CK_SYS(op), rs1, rs2, 0, 0);
}

bool ck_flag(struct rig *r, unsigned int from, unsigned int to, unsigned int event)
{
	return ck_sys(r, ANPU_SYS_SETFLAG, ANPU_FLAG(from, to, event), 0);
}

bool ck_wait(struct rig *r, unsigned int from, unsigned int to, unsigned int event)
{
	return ck_sys(r, ANPU_SYS_WAITFLAG, ANPU_FLAG(from, to, event), 0);
}

bool ck_bar(struct rig *r, unsigned int pipe)
{
	return ck_sys(r, ANPU_SYS_PIPEBAR, pipe, 0);
}

bool ck_load(struct rig *r, uint64_t va, unsigned int log)
{
	return step(r, CK_LOAD(log), va, 0, 0, 0);
}

bool ck_store(struct rig *r, uint64_t va, unsigned int log, uint64_t value)
{
	return step(r, CK_STORE(log), va, 0, 0, value);
}

/*
 * An operand that the sentence names is one that is written or one that is read, as dst is where something is added to it: the
 * record says which.
 */
static bool access_fits(const struct core_fault *f)
{
	bool dst = strstr(f->message, ": dst "), src = strstr(f->message, ": src");

	if (dst && !strstr(f->message, "never written"))
		return f->access == ANPU_ACCESS_WRITE;
	return (!dst && !src) || f->access == ANPU_ACCESS_READ;
}

bool ck_fault(struct rig *r, uint32_t cause, uint64_t pc, uint64_t addr, const char *text)
{
	const struct core_fault *f = &r->fault;

	if (f->cause == cause && f->pc == pc && f->addr == addr && strstr(f->message, text) && access_fits(f))
		return true;
	tap_note("cause %u pc 0x%llx addr 0x%llx access %u: %s", f->cause, (unsigned long long)f->pc,
		 (unsigned long long)f->addr, f->access, f->message);
	return false;
}

bool ck_written(struct rig *r, uint64_t va)
{
	return check_is_written(r->b, va, 1, false);
}

void ck_mark(struct rig *r, uint64_t va, uint64_t size, bool written)
{
	check_set_written(r->b, va, size, written);
}

uint8_t *ck_host(struct rig *r, uint64_t va)
{
	return local_ptr(r->b, va);
}
