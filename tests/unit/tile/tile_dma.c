// SPDX-License-Identifier: MIT
/*
 * Copies between global memory and scratchpads: lengths, gaps, padding, runs of pages, faults in
 * the middle, atomic modes.
 */
#include <pthread.h>

#include "tile_test.h"

static void fill(uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)rnd();
}

static void test_lin(void)
{
	bool ok = true;

	for (unsigned int run_len = 1; run_len < 4 * GM_PAGE; run_len = run_len * 5 + 64) {
		test_mmu.run = run_len;
		fill(gm(0), 0x30000);
		ok = ok && run(ANPU_TILE_DMA_LIN, UB(0), GM_BASE + 7, 0x10020, 0) &&
		     !memcmp(ub(0), gm(7), 0x10020);
		ok = ok && run(ANPU_TILE_DMA_LIN, GM_BASE + 0x40001, UB(64), 0x8000, 0) &&
		     !memcmp(gm(0x40001), ub(64), 0x8000);
	}
	tap_ok(ok, "DMA_LIN between GM and UB over runs of any length");
	ok = run(ANPU_TILE_DMA_LIN, L1(0), GM_BASE, ANPU_L1_SIZE, 0);
	tap_ok(ok && !memcmp(test_block->local + ANPU_L1_BASE - LOCAL_BASE, gm(0), ANPU_L1_SIZE),
	       "DMA_LIN fills L1");
	ok = run(ANPU_TILE_DMA_LIN, UB(0), L1(0x1000), 4096, 0) &&
	     run(ANPU_TILE_DMA_LIN, UB(0x8000), UB(0), 4096, 0);
	tap_ok(ok && !memcmp(ub(0x8000), gm(0x1000), 4096), "DMA_LIN L1 to UB to UB");
	ok = run(ANPU_TILE_DMA_LIN, ANPU_BT_BASE, L1(0), 64, 0) &&
	     run(ANPU_TILE_DMA_LIN, ANPU_FB_BASE, L1(0), 64, 0) &&
	     run(ANPU_TILE_DMA_LIN, 0, 0, 0, 0);
	tap_ok(ok, "DMA_LIN L1 to BT and FB; 0 bytes");
	refuse(ANPU_FAULT_OPERAND, "multiple of 32", ANPU_TILE_DMA_LIN, UB(0), GM_BASE, 33, 0);
	refuse(ANPU_FAULT_OPERAND, "no path", ANPU_TILE_DMA_LIN, GM_BASE, GM_BASE + 64, 32, 0);
	refuse(ANPU_FAULT_OPERAND, "no path", ANPU_TILE_DMA_LIN, ANPU_L0A_BASE, UB(0), 32, 0);
	refuse(ANPU_FAULT_OPERAND, "L0C", ANPU_TILE_DMA_LIN, ANPU_L0C_BASE, L1(0), 32, 0);
	tap_ok(run(ANPU_TILE_DMA_LIN, ANPU_L0A_BASE, L1(0), 32, 0), "DMA_LIN L1 to L0A");
	refuse(ANPU_FAULT_SCRATCHPAD, "dst 0x0 is null, a pointer that was not set", ANPU_TILE_DMA_LIN, 0, UB(0), 64, 0);
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves UB", ANPU_TILE_DMA_LIN, UB(0), GM_BASE,
	       ANPU_UB_SIZE + 32, 0);
	refuse(ANPU_FAULT_OPERAND, "more than any", ANPU_TILE_DMA_LIN, UB(0), GM_BASE, 1ULL << 63,
	       0);
	refuse(ANPU_FAULT_OPERAND, "range of global", ANPU_TILE_DMA_LIN, UB(0), ~0ULL - 15, 32, 0);
	refuse(ANPU_FAULT_OPERAND, "must be zero", ANPU_TILE_DMA_LIN, UB(0), GM_BASE, 32, 1);
	refuse(ANPU_FAULT_OPERAND, "overlaps", ANPU_TILE_DMA_LIN, UB(32), UB(0), 64, 0);
	test_block->no_cube = true;
	refuse(ANPU_FAULT_OPERAND, "vector core", ANPU_TILE_DMA_LIN, L1(0), UB(0), 64, 0);
	test_block->no_cube = false;
	test_block->core_type = ANPU_CORE_AIC;
	refuse(ANPU_FAULT_OPERAND, "cube core", ANPU_TILE_DMA_LIN, UB(0), GM_BASE, 64, 0);
	test_block->core_type = 0;
}

static void test_faults(void)
{
	fill(gm(0x7f000), 0x1000);
	memset(ub(0), 0, 0x2000);
	refuse(ANPU_FAULT_UNMAPPED, "0x4000080000", ANPU_TILE_DMA_LIN, UB(0), GM_HOLE - 0x800, 0x1000,
	       0);
	tap_ok(test_fault.addr == GM_HOLE && test_fault.access == ANPU_ACCESS_READ &&
	       !memcmp(ub(0), gm(0x7f800), 0x800) && !ub(0x800)[0],
	       "a fault in the middle names the first byte; the bytes before it have arrived");
	fill(ub(0), 0x2000);
	memset(gm(0x8f000), 0, 0x2000);
	refuse(ANPU_FAULT_PERMISSION, "0x4000090000", ANPU_TILE_DMA_LIN, GM_RO - 64, UB(0), 128, 0);
	tap_ok(test_fault.addr == GM_RO && !memcmp(gm(0x90000 - 64), ub(0), 64) && !*gm(0x90000),
	       "a write-protected page ends a copy");
	refuse(ANPU_FAULT_UNMAPPED, "0x4000080000", ANPU_TILE_DMA_BURST, UB(0), GM_HOLE - 64,
	       ANPU_BURSTS(3, 1, 0, 0), 0);
}

static void test_burst(void)
{
	bool ok = true;

	fill(gm(0), 0x20000);
	memset(ub(0), 0xee, 0x10000);
	test_mmu.run = 96;
	ok = run(ANPU_TILE_DMA_BURST, UB(0), GM_BASE + 3, ANPU_BURSTS(20, 3, 5, 2), 0);
	for (unsigned int i = 0; i < 20; i++)
		ok = ok && !memcmp(ub(i * 160), gm(3 + i * 256), 96) &&
		     (i == 19 || ub(i * 160)[96] == 0xee);
	tap_ok(ok, "DMA_BURST GM to UB with gaps");
	ok = run(ANPU_TILE_DMA_BURST, GM_BASE + 0x30000, UB(0), ANPU_BURSTS(20, 3, 2, 1), 0);
	for (unsigned int i = 0; i < 20; i++)
		ok = ok && !memcmp(gm(0x30000 + i * 128), gm(3 + i * 256), 96);
	tap_ok(ok, "DMA_BURST UB to GM with gaps");
	ok = run(ANPU_TILE_DMA_BURST, UB(0), GM_BASE, ANPU_BURSTS(16, 4, 0, 0), 0);
	tap_ok(ok && !memcmp(ub(0), gm(0), 2048), "DMA_BURST without gaps");
	tap_ok(run(ANPU_TILE_DMA_BURST, UB(0), GM_BASE, ANPU_BURSTS(0, 4, 9, 9), 0),
	       "DMA_BURST of nothing");
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves UB", ANPU_TILE_DMA_BURST, UB(0), GM_BASE,
	       ANPU_BURSTS(65535, 65535, 65535, 65535), 0);
	test_mmu.run = 2 * GM_PAGE;
}

static void test_pad(void)
{
	char sentence[120];
	uint16_t pattern[4] = { 0x1122, 0x3344, 0x5566, 0x7788 };
	bool ok;

	memcpy(&test_block->csr.padval, pattern, 8);
	fill(gm(0), 0x10000);
	memset(ub(0), 0xee, 0x4000);
	/* 9 elements of 2 bytes, 2 left, 1 right: 24 bytes, one block */
	ok = run(ANPU_TILE_DMA_PAD, UB(0), GM_BASE + 5, ANPU_PAD_BURSTS(30, 18, 4, 2),
		 ANPU_PAD_GAPS(7, 1));
	for (unsigned int i = 0; ok && i < 30; i++) {
		uint8_t *p = ub(i * 64);

		ok = !memcmp(p, pattern, 4) && !memcmp(p + 4, gm(5 + i * 25), 18);
		for (unsigned int j = 22; ok && j < 32; j++)
			ok = p[j] == ((uint8_t *)pattern)[j % 8];
		ok = ok && (i == 29 || p[32] == 0xee);
	}
	tap_ok(ok, "DMA_PAD GM to UB pads left, right and to the block");
	ok = run(ANPU_TILE_DMA_PAD, GM_BASE + 0x20001, UB(0), ANPU_PAD_BURSTS(30, 18, 0, 0),
		 ANPU_PAD_GAPS(1, 3));
	for (unsigned int i = 0; ok && i < 30; i++)
		ok = !memcmp(gm(0x20001 + i * 21), ub(i * 64), 18);
	tap_ok(ok, "DMA_PAD UB to GM, any length");
	ok = run(ANPU_TILE_DMA_PAD, UB(0x8000), UB(0), ANPU_PAD_BURSTS(2, 40, 0, 0),
		 ANPU_PAD_GAPS(0, 0));
	tap_ok(ok && !memcmp(ub(0x8000), ub(0), 40) && !memcmp(ub(0x8040), ub(64), 40) &&
	       !memcmp(ub(0x8028), pattern, 8), "DMA_PAD UB to UB");
	memset(ub(0), 0xee, 0x4000);
	/* a whole block of padding on each side: places of 128 bytes, the next block is not touched */
	ok = run(ANPU_TILE_DMA_PAD, UB(0), GM_BASE + 5, ANPU_PAD_BURSTS(30, 33, 32, 32), ANPU_PAD_GAPS(7, 1));
	for (unsigned int i = 0; ok && i < 30; i++) {
		uint8_t *p = ub(i * 160);

		ok = !memcmp(p + 32, gm(5 + i * 40), 33) && (i == 29 || p[128] == 0xee);
		for (unsigned int j = 0; ok && j < 128; j++)
			ok = (j >= 32 && j < 65) || p[j] == ((uint8_t *)pattern)[j % 8];
	}
	tap_ok(ok, "DMA_PAD with a block of padding on each side");
	for (unsigned int log2 = 0; log2 < 4; log2++) {
		unsigned int size = 1u << log2, len = 40 + size;

		ok = run(ANPU_TILE_DMA_PAD, UB(0), GM_BASE + 3, ANPU_PAD_BURSTS(7, len, 0, ANPU_PAD_FIRST(log2)), ANPU_PAD_GAPS(5, 1));
		for (unsigned int i = 0; ok && i < 7; i++) {
			const uint8_t *from = gm(3 + i * (len + 5)), *to = ub(i * 96);

			ok = !memcmp(to, from, len);
			for (unsigned int j = len; ok && j < 64; j++)
				ok = to[j] == from[j % size];
		}
		tap_ok(ok, "DMA_PAD with the first element of %u bytes", size);
		snprintf(sentence, sizeof(sentence), "padding with the first element of %u bytes: 4 bytes of padding left, 8 bytes in a burst",
			 size);
		refuse(ANPU_FAULT_OPERAND, sentence, ANPU_TILE_DMA_PAD, UB(0), GM_BASE,
		       ANPU_PAD_BURSTS(1, 8, 4, ANPU_PAD_FIRST(log2)), 0);
	}
	ok = run(ANPU_TILE_DMA_PAD, UB(0), GM_BASE, ANPU_PAD_BURSTS(2, 64, 0, ANPU_PAD_FIRST(3)), 0);
	tap_ok(ok && !memcmp(ub(0), gm(0), 128), "DMA_PAD with the first element and no rest");
	refuse(ANPU_FAULT_OPERAND, "6 bytes in a burst", ANPU_TILE_DMA_PAD, UB(0), GM_BASE, ANPU_PAD_BURSTS(1, 6, 0, ANPU_PAD_FIRST(3)), 0);
	refuse(ANPU_FAULT_OPERAND, "into global memory", ANPU_TILE_DMA_PAD, GM_BASE, UB(0), ANPU_PAD_BURSTS(1, 8, 0, ANPU_PAD_FIRST(0)), 0);
	refuse(ANPU_FAULT_OPERAND, "each is at most 32", ANPU_TILE_DMA_PAD, UB(0), GM_BASE, ANPU_PAD_BURSTS(1, 8, 0, 0x84), 0);
	refuse(ANPU_FAULT_OPERAND, "each is at most 32", ANPU_TILE_DMA_PAD, UB(0), GM_BASE,
	       ANPU_PAD_BURSTS(1, 8, 33, 0), 0);
	refuse(ANPU_FAULT_OPERAND, "each is at most 32", ANPU_TILE_DMA_PAD, UB(0), GM_BASE, ANPU_PAD_BURSTS(1, 8, 0, 33), 0);
	refuse(ANPU_FAULT_OPERAND, "into global memory", ANPU_TILE_DMA_PAD, GM_BASE, UB(0),
	       ANPU_PAD_BURSTS(1, 8, 2, 0), 0);
	refuse(ANPU_FAULT_SCRATCHPAD, "leaves UB", ANPU_TILE_DMA_PAD, UB(0), GM_BASE,
	       ANPU_PAD_BURSTS(65535, 0xffffffff, 0, 0), ~0ULL);
}

static void test_fill(void)
{
	bool ok;

	memset(ub(0), 0, 256);
	ok = run(ANPU_TILE_DMA_FILL, UB(0), 96, 0x0807060504030201, 0);
	for (unsigned int i = 0; i < 96; i++)
		ok = ok && ub(0)[i] == i % 8 + 1;
	tap_ok(ok && !ub(0)[96], "DMA_FILL");
	tap_ok(run(ANPU_TILE_DMA_FILL, ANPU_L0B_BASE, ANPU_L0B_SIZE, 0, 0), "DMA_FILL of L0B");
	refuse(ANPU_FAULT_OPERAND, "multiple of 32", ANPU_TILE_DMA_FILL, UB(0), 95, 0, 0);
	refuse(ANPU_FAULT_OPERAND, "L0C", ANPU_TILE_DMA_FILL, ANPU_L0C_BASE, 32, 0, 0);
}

/* Atomics ---------------------------------------------------------------------------------------- */

static const unsigned int atomic_types[] = { ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_TYPE_BF16,
	ANPU_TYPE_S8, ANPU_TYPE_S16, ANPU_TYPE_S32, ANPU_TYPE_U64 };

static void test_atomic(void)
{
	static const uint8_t bin[] = { 0, ANPU_BIN_ADD, ANPU_BIN_MAX, ANPU_BIN_MIN };
	static uint8_t before[0x8000];

	for (unsigned int k = 0; k < 7; k++) {
		unsigned int type = atomic_types[k], size = type_size(type);
		bool ok = true;

		for (unsigned int op = ANPU_ATOM_ADD; op <= ANPU_ATOM_MIN; op++) {
			unsigned int n = 1001 + op;
			uint64_t to = 0x10000 + 3 * size;

			rnd_fill(gm(to), type, n + 1);
			rnd_fill(ub(0), type, n);
			memcpy(before, gm(to), (n + 1) * size);
			ok = ok && run(ANPU_TILE_DMA_ATOM, GM_BASE + to, UB(0), 0,
				       ANPU_CTL(n, type, op));
			memcpy(ub(0x8000), before, n * size);
			ok = ok && run(ANPU_TILE_VBIN, UB(0x8000), UB(0x8000), UB(0),
				       ANPU_CTL(n, type, bin[op]));
			memcpy(before, ub(0x8000), n * size);
			ok = ok && !memcmp(before, gm(to), (n + 1) * size);
		}
		tap_ok(ok, "DMA_ATOM %s: add, max and min as VBIN", tile_type_name(type));
	}
	refuse(ANPU_FAULT_OPERAND, "multiple of 4", ANPU_TILE_DMA_ATOM, GM_BASE + 2, UB(0), 0,
	       ANPU_CTL(4, ANPU_TYPE_F32, ANPU_ATOM_ADD));
	refuse(ANPU_FAULT_OPERAND, "does not exist", ANPU_TILE_DMA_ATOM, GM_BASE, UB(0), 0,
	       ANPU_CTL(4, ANPU_TYPE_F32, 4));
	refuse(ANPU_FAULT_OPERAND, "type S4", ANPU_TILE_DMA_ATOM, GM_BASE, UB(0), 0,
	       ANPU_CTL(4, ANPU_TYPE_S4, ANPU_ATOM_ADD));
	refuse(ANPU_FAULT_OPERAND, "must be in global", ANPU_TILE_DMA_ATOM, UB(0), UB(0), 0,
	       ANPU_CTL(4, ANPU_TYPE_F32, ANPU_ATOM_ADD));
	refuse(ANPU_FAULT_PERMISSION, "0x4000090000", ANPU_TILE_DMA_ATOM, GM_RO - 8, UB(0), 0,
	       ANPU_CTL(4, ANPU_TYPE_F32, ANPU_ATOM_ADD));
}

static void test_atomic_mode(void)
{
	int32_t *p = (int32_t *)(void *)gm(0x10000), *s = (int32_t *)(void *)ub(0);
	bool ok = true;
	uint32_t cost;

	for (int i = 0; i < 64; i++) {
		p[i] = 10 * i;
		s[i] = i;
	}
	test_block->csr.atomic = ANPU_ATOMIC(ANPU_ATOM_ADD, ANPU_TYPE_S32);
	ok = run(ANPU_TILE_DMA_LIN, GM_BASE + 0x10000, UB(0), 128, 0) &&
	     run(ANPU_TILE_DMA_PAD, GM_BASE + 0x10080, UB(128), ANPU_PAD_BURSTS(1, 100, 0, 0), 0);
	for (int i = 0; i < 64; i++)
		ok = ok && p[i] == (i < 57 ? 11 : 10) * i;
	tap_ok(ok, "CSR atomic: copies to GM add");
	ok = run(ANPU_TILE_DMA_LIN, GM_BASE, UB(0), 4096, 0);
	cost = test_block->tile_cost;
	test_block->csr.atomic = 0;
	ok = ok && run(ANPU_TILE_DMA_LIN, GM_BASE, UB(0), 4096, 0);
	tap_ok(ok && cost == test_block->tile_cost + 8 * 4096 / 32, "an atomic copy takes its time");
	test_block->csr.atomic = ANPU_ATOMIC(ANPU_ATOM_ADD, ANPU_TYPE_S32);
	refuse(ANPU_FAULT_OPERAND, "CSR atomic", ANPU_TILE_DMA_PAD, GM_BASE, UB(0),
	       ANPU_PAD_BURSTS(1, 3, 0, 0), 0);
	test_block->csr.atomic = ANPU_ATOMIC(9, ANPU_TYPE_S32);
	refuse(ANPU_FAULT_OPERAND, "atomic operation 9", ANPU_TILE_DMA_LIN, GM_BASE, UB(0), 32, 0);
	tap_ok(run(ANPU_TILE_DMA_LIN, UB(0), GM_BASE, 32, 0), "CSR atomic does not touch reads");
	test_block->csr.atomic = 0;
}

#define THREADS	4
#define ROUNDS	200

static void *adder(void *arg)
{
	struct core_block *b = arg;
	struct core_fault fault;
	struct tile_args a = { GM_BASE + 0x40004, ANPU_UB_BASE, 0,
			       ANPU_CTL(301, ANPU_TYPE_S16, ANPU_ATOM_ADD) };

	for (int i = 0; i < ROUNDS; i++)
		if (!tile_run(b, ANPU_TILE_DMA_ATOM, &a, &fault))
			return b;
	return NULL;
}

static void test_atomic_threads(void)
{
	static struct core_block blocks[THREADS];
	static struct mmu mmus[THREADS];
	pthread_t thread[THREADS];
	int16_t *p = (int16_t *)(void *)gm(0x40004);
	bool ok = true;

	memset(p, 0, 1024);
	for (int i = 0; i < 301; i++)
		((int16_t *)(void *)ub(0))[i] = (int16_t)(i - 100);
	for (int i = 0; i < THREADS; i++) {
		blocks[i] = *test_block;
		mmus[i] = test_mmu;
		blocks[i].mmu = &mmus[i];
		pthread_create(&thread[i], NULL, adder, &blocks[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(thread[i], &failed);
		ok = ok && !failed;
	}
	for (int i = 0; i < 301; i++)
		ok = ok && p[i] == (int16_t)((i - 100) * THREADS * ROUNDS);
	tap_ok(ok && !p[301], "DMA_ATOM of %d threads loses nothing", THREADS);
}

/* pieces of any size and alignment, also those that are written past the caches */
static void test_large(void)
{
	static const struct { uint32_t at, size; } copies[] = {
		{ 0, 0x10000 }, { 16, 0x8000 }, { 8, 0xc000 }, { 1, 0xa000 }, { 32, 0x8020 }, { 64, 0x7fe0 },
	};
	uint64_t run_before = test_mmu.run;

	test_mmu.run = 0x40000;
	rnd_fill(ub(0), ANPU_TYPE_U8, 0x10000);
	for (unsigned int i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		uint32_t at = 0x1000 + copies[i].at, size = copies[i].size;
		bool ok;

		memset(gm(0), 0x5a, 0x20000);
		ok = run(ANPU_TILE_DMA_LIN, GM_BASE + at, UB(0), size, 0) && !memcmp(gm(at), ub(0), size) &&
		     *gm(at - 1) == 0x5a && *gm(at + size) == 0x5a;
		tap_ok(ok, "DMA_LIN of %u bytes to %u bytes behind a line", size, copies[i].at);
	}
	test_mmu.run = run_before;
}

int main(void)
{
	test_init();
	test_large();
	test_lin();
	test_faults();
	test_burst();
	test_pad();
	test_fill();
	test_atomic();
	test_atomic_mode();
	test_atomic_threads();
	return tap_end();
}
