// SPDX-License-Identifier: MIT
/*
 * Blocks on several threads at once: they share decoded code, the pool and barriers, while another
 * thread forgets the code. Meant for ThreadSanitizer, and checks results, too.
 */
#include "rig.h"

#define THREADS	4
#define BLOCKS	400

static struct rig r;
static atomic_uint next_block, failed, invalidations, done;

static uint64_t still(void *ctx)
{
	(void)ctx;
	return 1;
}

/* Each block adds up the numbers below 1000 through functions in other pages, then meets the others. */
static void make_code(void)
{
	const uint32_t code[] = {
		ADDI(13, 0, 0), ADDI(12, 0, 1000), ADDI(6, 1, 0),
		J_TYPE(1, 0x2000 - 12), B_TYPE(1, 12, 0, -4), S_TYPE(0x23, 3, 2, 13, -8),
		I_TYPE(3, 3, 14, 2, -8), I_TYPE(0x67, 0, 0, 6, 0)
	};
	const uint32_t add[] = { ADDI(12, 12, -1), R_TYPE(0x33, 0, 0, 13, 13, 12), RET };

	rig_code(&r, 0, code, sizeof(code) / 4);
	rig_code(&r, 0x2000, add, 3);
}

static void *worker(void *arg)
{
	struct mmu mmu = r.mmu;
	struct core_fault fault;
	unsigned int n;

	(void)arg;
	while ((n = atomic_fetch_add(&next_block, 1)) < BLOCKS) {
		struct core_block *b = core_block_new(&r.k, n, 0, 0);
		enum core_result result;

		if (!b) {
			atomic_fetch_add(&failed, 1);
			continue;
		}
		mmu.drops = n % 3;
		while ((result = core_block_run(b, &mmu, 1000, &fault)) == CORE_MORE)
			;
		if (result != CORE_DONE || b->x[14] != 499500)
			atomic_fetch_add(&failed, 1);
		core_block_free(b);
	}
	atomic_fetch_add(&done, 1);
	return NULL;
}

static void *forgetter(void *arg)
{
	(void)arg;
	while (atomic_load(&done) < THREADS) {
		code_cache_invalidate(r.k.code);
		atomic_fetch_add(&invalidations, 1);
	}
	return NULL;
}

/* Every thread runs one block; all meet at SYNCALL many times. */
static void *meeter(void *arg)
{
	unsigned int n = (unsigned int)(uintptr_t)arg;
	struct mmu mmu = r.mmu;
	struct core_fault fault;
	struct core_block *b = core_block_new(&r.k, n, 0, 0);
	enum core_result result;

	do
		result = core_block_run(b, &mmu, 1000000, &fault);
	while (result == CORE_BLOCKED || result == CORE_MORE);
	if (result != CORE_DONE || b->x[13] != 200)
		atomic_fetch_add(&failed, 1);
	core_block_free(b);
	return NULL;
}

int main(void)
{
	const uint32_t meet[] = { ADDI(12, 0, 200), SYS_INSN(ANPU_SYS_SYNCALL, 0, 0), ADDI(13, 13, 1),
				  ADDI(12, 12, -1), B_TYPE(1, 12, 0, -12), RET };
	pthread_t t[THREADS], f;

	rig_init(&r);
	r.k.clock = still;
	make_code();
	pthread_create(&f, NULL, forgetter, NULL);
	for (unsigned int n = 0; n < THREADS; n++)
		pthread_create(&t[n], NULL, worker, NULL);
	for (unsigned int n = 0; n < THREADS; n++)
		pthread_join(t[n], NULL);
	pthread_join(f, NULL);
	tap_ok(!atomic_load(&failed), "%u blocks on %u threads, code forgotten %u times", BLOCKS, THREADS,
	       atomic_load(&invalidations));

	rig_code(&r, 0, meet, 6);
	core_kernel_fini(&r.k);
	r.k.pkt.grid_x = THREADS;
	r.k.pkt.grid_y = 1;
	r.k.pkt.grid_z = 1;
	tap_ok(core_kernel_init(&r.k, &r.fault), "a kernel of one block per thread");
	for (uintptr_t n = 0; n < THREADS; n++)
		pthread_create(&t[n], NULL, meeter, (void *)n);
	for (unsigned int n = 0; n < THREADS; n++)
		pthread_join(t[n], NULL);
	tap_ok(!atomic_load(&failed), "200 barriers among %u threads", THREADS);
	rig_fini(&r);
	return tap_done();
}
