/* SPDX-License-Identifier: MIT */
/*
 * For tests of tile operations: TAP, a block made by hand, a fake MMU over one array, random and
 * special values, and rounding done independently of the device's code, in long double.
 */
#ifndef TILE_TEST_H
#define TILE_TEST_H

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tile/tile_int.h"

/* TAP -------------------------------------------------------------------------------------------- */

void tap_ok(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tap_diag(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** tap_end() - print the plan; the program's exit status */
int tap_end(void);

/* Memory ----------------------------------------------------------------------------------------- */

#define GM_BASE		0x4000000000ULL
#define GM_SIZE		0x200000ULL
/** GM_HOLE - a page in the middle of global memory that is not mapped */
#define GM_HOLE		(GM_BASE + 0x80000)
/** GM_RO - a page that cannot be written */
#define GM_RO		(GM_BASE + 0x90000)
#define GM_PAGE		4096

struct mmu {
	uint8_t *mem;
	/* a run that one access is good for ends at a multiple of this */
	uint64_t run;
	uint64_t accesses;
	/* bytes of memory without holes; 0: as above */
	uint64_t flat;
};

extern struct mmu test_mmu;
extern struct core_block *test_block;

/** test_init() - make the block; kernels "plain" or "host" by the first argument, default both */
void test_init(void);
/** ub() - host address of UB plus offset */
uint8_t *ub(uint32_t offset);
uint8_t *gm(uint64_t offset);

/* Operations ------------------------------------------------------------------------------------- */

extern struct core_fault test_fault;

/** run() - one tile operation on the test block */
bool run(unsigned int op, uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd);
/** run_within() - run(), and the operation writes nothing to what follows the first @bytes at @dst in UB */
bool run_within(uint32_t dst, size_t bytes, unsigned int op, uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd);
/** refuse() - a TAP test: the operation faults with @cause and a message that contains @text */
void refuse(uint32_t cause, const char *text, unsigned int op, uint64_t rs1, uint64_t rs2,
	    uint64_t rs3, uint64_t rd);

#define UB(off)		(ANPU_UB_BASE + (uint64_t)(off))
#define L1(off)		(ANPU_L1_BASE + (uint64_t)(off))

/* Values ----------------------------------------------------------------------------------------- */

uint64_t rnd(void);
/** rnd_bits() - a number of the type: uniform bits, special values and small numbers, mixed */
uint64_t rnd_bits(unsigned int type);
void rnd_fill(void *p, unsigned int type, size_t n);

unsigned int type_size(unsigned int type);
bool type_float(unsigned int type);
bool type_signed(unsigned int type);
uint64_t get(const void *p, unsigned int type, size_t i);
void put(void *p, unsigned int type, size_t i, uint64_t bits);
/** real() - a floating-point number's value */
long double real(uint64_t bits, unsigned int type);
/** whole() - an integer's value */
__int128 whole(uint64_t bits, unsigned int type);
/** round_to() - a value as a floating-point type; exact input, one rounding */
uint64_t round_to(long double v, unsigned int type, unsigned int mode);
/** round_whole() - to an integral value */
long double round_whole(long double v, unsigned int mode);
/** clamp_to() - an integral value as an integer type */
uint64_t clamp_to(long double v, unsigned int type);
/** nan_of() - the canonical NaN */
uint64_t nan_of(unsigned int type);
/** saturated() - what ANPU_FPCTL_SATURATE makes of a result */
uint64_t saturated(uint64_t bits, unsigned int type);

#endif /* TILE_TEST_H */
