/* SPDX-License-Identifier: MIT */
/* A core with no device around it: a fake MMU over a few regions, and ways to run code on it. */
#ifndef CORE_TEST_RIG_H
#define CORE_TEST_RIG_H

#include "model/core/core_int.h"

#define CODE_VA		0x200000000ULL
#define DATA_VA		0x300000000ULL
#define RO_VA		0x400000000ULL
#define REGION_BYTES	0x40000u

/** struct region - memory of the fake MMU; holes and rights are per region */
struct region {
	uint64_t va;
	uint64_t size;
	uint8_t *host;
	uint32_t rights;
};

/**
 * struct mmu - the fake MMU
 * @span_limit: longest run that mmu_access() admits to, 0 for no limit
 * @part: mmu_page_whole() says no for the page of this address, 0: for none
 * @drops: polls that answer "translations dropped" from now on
 * @spare: if not NULL, memory of DATA_VA's size: at each drop the data moves there, and the old place
 *	is overwritten, so that whoever still uses it is found out
 * @polls: polls so far
 * @accesses: translations asked for so far
 * @stamp: what mmu_stamp() says
 */
struct mmu {
	struct region region[3];
	uint64_t span_limit;
	uint64_t part;
	unsigned int drops;
	uint8_t *spare;
	unsigned int polls;
	unsigned int accesses;
	uint64_t stamp;
};

/** struct rig - one kernel with one block */
struct rig {
	struct mmu mmu;
	struct core_kernel k;
	struct core_block *b;
	struct core_fault fault;
	uint64_t now;
	uint64_t tick;		/* added to the clock at every look */
	char printed[8192];
	size_t printed_len;
	bool print_fails;
};

void rig_init(struct rig *r);
void rig_fini(struct rig *r);
/** rig_block() - a fresh block at @pc, replacing the old one */
void rig_block(struct rig *r, uint64_t pc);
/** rig_code() - put @n words at CODE_VA + @offset and forget decoded code */
void rig_code(struct rig *r, unsigned int offset, const uint32_t *words, unsigned int n);
/** rig_run() - run the block without a limit of time */
enum core_result rig_run(struct rig *r);
/** rig_one() - a fresh block that runs one instruction and returns; set registers with @setup */
enum core_result rig_one(struct rig *r, uint32_t word, void (*setup)(struct core_block *b, void *ctx),
			 void *ctx);

uint8_t *rig_data(struct rig *r);

/* Encodings */
#define R_TYPE(op, f3, f7, rd, rs1, rs2) \
	((uint32_t)(op) | (uint32_t)(rd) << 7 | (uint32_t)(f3) << 12 | (uint32_t)(rs1) << 15 | \
	 (uint32_t)(rs2) << 20 | (uint32_t)(f7) << 25)
#define R4_TYPE(op, f3, f2, rd, rs1, rs2, rs3) \
	R_TYPE(op, f3, (uint32_t)(f2) | (uint32_t)(rs3) << 2, rd, rs1, rs2)
#define I_TYPE(op, f3, rd, rs1, imm) \
	((uint32_t)(op) | (uint32_t)(rd) << 7 | (uint32_t)(f3) << 12 | (uint32_t)(rs1) << 15 | \
	 ((uint32_t)(imm) & 0xfff) << 20)
#define S_TYPE(op, f3, rs1, rs2, imm) \
	((uint32_t)(op) | ((uint32_t)(imm) & 31) << 7 | (uint32_t)(f3) << 12 | \
	 (uint32_t)(rs1) << 15 | (uint32_t)(rs2) << 20 | ((uint32_t)(imm) >> 5 & 0x7f) << 25)
#define B_TYPE(f3, rs1, rs2, imm) \
	(0x63u | ((uint32_t)(imm) >> 11 & 1) << 7 | ((uint32_t)(imm) >> 1 & 15) << 8 | \
	 (uint32_t)(f3) << 12 | (uint32_t)(rs1) << 15 | (uint32_t)(rs2) << 20 | \
	 ((uint32_t)(imm) >> 5 & 0x3f) << 25 | ((uint32_t)(imm) >> 12 & 1) << 31)
#define J_TYPE(rd, imm) \
	(0x6fu | (uint32_t)(rd) << 7 | ((uint32_t)(imm) >> 12 & 0xff) << 12 | \
	 ((uint32_t)(imm) >> 11 & 1) << 20 | ((uint32_t)(imm) >> 1 & 0x3ff) << 21 | \
	 ((uint32_t)(imm) >> 20 & 1) << 31)
#define U_TYPE(op, rd, imm20)	((uint32_t)(op) | (uint32_t)(rd) << 7 | (uint32_t)(imm20) << 12)
#define ADDI(rd, rs1, imm)	I_TYPE(0x13, 0, rd, rs1, imm)
#define RET			I_TYPE(0x67, 0, 0, 1, 0)
#define CSRR(rd, csr)		I_TYPE(0x73, 2, rd, 0, csr)
#define CSRW(csr, rs1)		I_TYPE(0x73, 1, 0, rs1, csr)
#define SYS_INSN(n, rs1, rs2)	R_TYPE(ANPU_OPC_SYS, 0, n, 0, rs1, rs2)
#define TILE_INSN(n, rd, rs1, rs2, rs3) \
	R4_TYPE(ANPU_OPC_TILE, (n) & 7, (n) >> 3, rd, rs1, rs2, rs3)

/* TAP ------------------------------------------------------------------------------------------ */

/** tap_ok() - one test point; the name is a format */
bool tap_ok(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tap_skip(const char *name, const char *why);
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** tap_done() - print the plan; the exit status */
int tap_done(void);

/** rnd() - deterministic random numbers */
uint64_t rnd(void);

#endif /* CORE_TEST_RIG_H */
