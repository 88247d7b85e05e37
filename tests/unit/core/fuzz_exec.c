// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: arbitrary words as code of the AI core, decoder, interpreter and all tile and
 * system operations behind it, with registers that point at the borders of every kind of memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rig.h"

#define MAX_WORDS 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t places[] = {
	DATA_VA, DATA_VA + REGION_BYTES - 64, RO_VA, CODE_VA, ANPU_UB_BASE, ANPU_UB_BASE + ANPU_UB_SIZE - 256,
	ANPU_L1_BASE, ANPU_L0A_BASE, ANPU_L0B_BASE, ANPU_L0C_BASE, ANPU_BT_BASE, ANPU_FB_BASE,
	ANPU_STACK_BASE, DATA_VA + 4096 - 8,
};

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

/* what a run may not leave behind */
static void check_after(const struct rig *r, enum core_result result)
{
	check(r->b->x[0] == 0, "x0 is not zero");
	check(!r->b->tlb_count, "translations are kept between runs");
	if (result != CORE_FAULT)
		return;
	check(r->fault.cause > ANPU_FAULT_NONE && r->fault.cause < ANPU_FAULT_COUNT, "no cause");
	check(r->fault.message[0] && strlen(r->fault.message) < sizeof(r->fault.message), "no message");
	check(r->fault.x[0] == r->b->retired, "x[0] is not the count of instructions");
}

/* The first 16 bytes choose registers, the rest is code. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rig r;
	static bool ready;
	uint32_t code[MAX_WORDS];
	size_t n;

	if (size < 20)
		return 0;
	if (!ready)
		rig_init(&r);
	ready = true;
	n = (size - 16) / 4 < MAX_WORDS - 1 ? (size - 16) / 4 : MAX_WORDS - 1;
	memcpy(code, data + 16, n * 4);
	code[n] = RET;
	rig_code(&r, 0, code, (unsigned int)n + 1);
	rig_block(&r, CODE_VA);
	for (unsigned int k = 5; k < 32; k++) {
		uint8_t c = data[k % 16];

		r.b->x[k] = k & 1 ? places[c % (sizeof(places) / sizeof(places[0]))] + (c >> 4) * 32 : c * k;
		r.b->f[k] = r.b->x[k] * 0x9e3779b97f4a7c15ULL;
	}
	r.mmu.span_limit = data[1] & 1 ? 4096 : 0;
	r.mmu.drops = data[2] & 3;
	check_after(&r, core_block_run(r.b, &r.mmu, 4000, &r.fault));
	return 0;
}
