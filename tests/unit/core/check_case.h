/* SPDX-License-Identifier: MIT */
/*
 * A case of the checking mode: one tile operation, which bytes it needs and which it writes. try() spoils
 * each of them in turn: not written before, written or read by another pipe; and the bytes beside them,
 * which must not matter.
 */
#ifndef CHECK_CASE_H
#define CHECK_CASE_H

#include "check_rig.h"

#define L1(off)		(ANPU_L1_BASE + (uint64_t)(off))
#define L0A(off)	(ANPU_L0A_BASE + (uint64_t)(off))
#define L0B(off)	(ANPU_L0B_BASE + (uint64_t)(off))
#define L0C(off)	(ANPU_L0C_BASE + (uint64_t)(off))
#define BT(off)		(ANPU_BT_BASE + (uint64_t)(off))
#define FB(off)		(ANPU_FB_BASE + (uint64_t)(off))
#define CTL(n, type, sub) ANPU_CTL(n, ANPU_TYPE_##type, sub)

/* the cases stay inside the first bytes of each window */
#define AREA		8192
#define WINDOWS		7
#define DESC		GM(0x8000)

extern const uint64_t bases[WINDOWS];

/**
 * struct tcase - one operation
 * @role: by window and byte, operand that needs it, NULL: none does
 * @will: it is written
 * @moves: bytes that are copied may be unwritten: needed bytes are not needed one by one
 * @late: found out after the work is done, so that memory is changed
 */
struct tcase {
	const char *name;
	unsigned int op;
	unsigned int pipe;
	uint64_t rs1, rs2, rs3, rd;
	bool moves, late;
	struct core_csrs csr;
	const char *role[WINDOWS][AREA];
	bool will[WINDOWS][AREA];
	uint8_t data[WINDOWS][AREA];
	uint8_t desc[256];
};

/* the case that is being made or run */
extern struct tcase c;

/* Every case that was tried, to be run again in random order */
struct tried {
	unsigned int op;
	uint64_t rs1, rs2, rs3, rd;
	struct core_csrs csr;
	uint8_t desc[256];
};

extern struct tried every[100];
extern unsigned int everies;

/* begins a case without operands; every lane counts */
void operation(const char *name, unsigned int op, unsigned int pipe, uint64_t rs1, uint64_t rs2,
	       uint64_t rs3, uint64_t rd);
void need(const char *role, uint64_t va, uint64_t size);
void will(uint64_t va, uint64_t size);
/* what is in memory before the operation */
void put(uint64_t va, const void *p, uint64_t size);

/* a block with the case's memory, of which what the operation needs is written */
void prepare(struct rig *r);
/* runs the operation; false: it is refused */
bool go(struct rig *r);
/* bytes of a window that are looked at */
uint64_t area(unsigned int w);

/* what try() is made of: with all that it needs; each byte unwritten in turn; which pipe it runs on */
void remember(void);
void try_right(struct rig *r);
void try_unwritten(struct rig *r);
void try_pipe(struct rig *r);
/* another pipe's access to a byte without synchronisation */
void intrude(struct rig *r, uint64_t va, bool write);
void try(struct rig *r);

/* The cube unit and what feeds it (check_cube.c) */
void test_cube(struct rig *r);

#endif /* CHECK_CASE_H */
