/* SPDX-License-Identifier: MIT */
/* Many cases of one instruction in one run: operands from an array, results into another. */
#ifndef CORE_TEST_BATCH_H
#define CORE_TEST_BATCH_H

#include "rig.h"

#define BATCH_MAX	4096

struct batch_in {
	uint64_t a, b, c;	/* into x10-x12 and f10-f12 */
};

struct batch_out {
	uint64_t x, f;		/* x13 and f13 afterwards */
	uint64_t flags;
};

/* registers to use in the instruction under test */
enum { BATCH_RD = 13, BATCH_A = 10, BATCH_B = 11, BATCH_C = 12 };

/** batch_run() - run @word with dynamic rounding mode @frm; false and a note if it faults */
bool batch_run(struct rig *r, uint32_t word, unsigned int frm, const struct batch_in *in,
	       struct batch_out *out, unsigned int n);

#endif
