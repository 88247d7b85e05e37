/* SPDX-License-Identifier: MIT */
/*
 * For tests of the checking mode: a block that executes instructions one by one, each with operands
 * of the test's choice, and a look at what the checking mode remembers.
 */
#ifndef CORE_CHECK_RIG_H
#define CORE_CHECK_RIG_H

#include "model/core/check/check.h"
#include "rig.h"

/* where each instruction of the program stands, so that a test knows its address */
#define CK_TILE(op)	(CODE_VA + 4u * (op))
#define CK_SYS(op)	(CODE_VA + 0x100 + 4u * (op))
#define CK_LOAD(log)	(CODE_VA + 0x200 + 4u * (log))
#define CK_STORE(log)	(CODE_VA + 0x220 + 4u * (log))

#define UB(off)		(ANPU_UB_BASE + (uint64_t)(off))
#define GM(off)		(DATA_VA + (uint64_t)(off))

void ck_init(struct rig *r);
/** ck_code() - put the instructions in their places */
void ck_code(struct rig *r);
/** ck_block() - a fresh block, in checking mode or not */
void ck_block(struct rig *r, bool check);
/** ck_tile() - a tile operation; false: r->fault is filled */
bool ck_tile(struct rig *r, unsigned int op, uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd);
bool ck_sys(struct rig *r, unsigned int op, uint64_t rs1, uint64_t rs2);
bool ck_flag(struct rig *r, unsigned int from, unsigned int to, unsigned int event);
bool ck_wait(struct rig *r, unsigned int from, unsigned int to, unsigned int event);
bool ck_bar(struct rig *r, unsigned int pipe);
/** ck_load(), ck_store() - 1 << @log bytes by the scalar unit */
bool ck_load(struct rig *r, uint64_t va, unsigned int log);
bool ck_store(struct rig *r, uint64_t va, unsigned int log, uint64_t value);
/** ck_fault() - did the last instruction fail like this? complains if not */
bool ck_fault(struct rig *r, uint32_t cause, uint64_t pc, uint64_t addr, const char *text);
/** ck_written() - does the byte count as written? */
bool ck_written(struct rig *r, uint64_t va);
/** ck_mark() - let bytes count as written, or as not, behind the block's back */
void ck_mark(struct rig *r, uint64_t va, uint64_t size, bool written);
/** ck_host() - host memory of a scratchpad address */
uint8_t *ck_host(struct rig *r, uint64_t va);

#endif /* CORE_CHECK_RIG_H */
