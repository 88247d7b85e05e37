// SPDX-License-Identifier: MIT
/*
 * Atomic copies of several threads to the same global memory; runs under ThreadSanitizer. Sums are of
 * whole numbers, so that their order does not matter.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "tile_test.h"

#define THREADS	4
#define ROUNDS	40
#define N	256
/* where results are, and the UB and L0C offsets of what is added */
#define SUM_S32	0x0000
#define SUM_F32	0x1000
#define SUM_F16	0x2000
#define MAX_U8	0x3000
#define MIN_S64	0x4000
#define FIX_F32	0x5000
#define LIN_S16	0x6000
#define DESC	0x20000

struct worker {
	pthread_t thread;
	struct mmu mmu;
	struct core_block *b;
	struct core_fault fault;
	unsigned int number;
	bool ok;
};

static bool op(struct worker *w, unsigned int op, uint64_t rs1, uint64_t rs2, uint64_t rs3,
	       uint64_t rd)
{
	struct tile_args a = { rs1, rs2, rs3, rd };

	return tile_run(w->b, op, &a, &w->fault);
}

static bool atom(struct worker *w, uint64_t at, unsigned int type, unsigned int how)
{
	return op(w, ANPU_TILE_DMA_ATOM, GM_BASE + at, UB(at), 0, ANPU_CTL(N, type, how));
}

static uint8_t *mine(struct worker *w, uint64_t va)
{
	return w->b->local + (va - LOCAL_BASE);
}

static void fill(struct worker *w)
{
	struct anpu_fix_desc f = { .m = 16, .n = 16, .src_stride = 16, .dst_stride = 16, .nd_num = 1 };

	memcpy(mine(w, UB(DESC)), &f, sizeof(f));
	for (unsigned int i = 0; i < N; i++) {
		put(mine(w, UB(SUM_S32)), ANPU_TYPE_S32, i, 1 + w->number);
		put(mine(w, UB(SUM_F32)), ANPU_TYPE_F32, i, round_to(1 + w->number, ANPU_TYPE_F32, 1));
		put(mine(w, UB(SUM_F16)), ANPU_TYPE_F16, i, round_to(1 + w->number, ANPU_TYPE_F16, 1));
		put(mine(w, UB(MAX_U8)), ANPU_TYPE_U8, i, w->number * 50 + i % 50);
		put(mine(w, UB(MIN_S64)), ANPU_TYPE_S64, i, ~0ULL - w->number * i);
		put(mine(w, UB(LIN_S16)), ANPU_TYPE_S16, i, w->number);
		put(mine(w, ANPU_L0C_BASE), ANPU_TYPE_F32, i, round_to(1, ANPU_TYPE_F32, 1));
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;

	fill(w);
	w->ok = true;
	for (unsigned int i = 0; w->ok && i < ROUNDS; i++) {
		w->ok = atom(w, SUM_S32, ANPU_TYPE_S32, ANPU_ATOM_ADD) &&
			atom(w, SUM_F32, ANPU_TYPE_F32, ANPU_ATOM_ADD) &&
			atom(w, SUM_F16, ANPU_TYPE_F16, ANPU_ATOM_ADD) &&
			atom(w, MAX_U8, ANPU_TYPE_U8, ANPU_ATOM_MAX) &&
			atom(w, MIN_S64, ANPU_TYPE_S64, ANPU_ATOM_MIN);
		w->b->csr.atomic = ANPU_ATOMIC(ANPU_ATOM_ADD, ANPU_TYPE_F32);
		w->ok = w->ok && op(w, ANPU_TILE_FIXPIPE, GM_BASE + FIX_F32, ANPU_L0C_BASE, UB(DESC),
				    ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_F32, 0));
		w->b->csr.atomic = ANPU_ATOMIC(ANPU_ATOM_ADD, ANPU_TYPE_S16);
		/* two bytes off, so that words of threads overlap in part */
		w->ok = w->ok && op(w, ANPU_TILE_DMA_LIN, GM_BASE + LIN_S16 + 2 * w->number, UB(LIN_S16),
				    2 * N, 0);
		w->b->csr.atomic = 0;
	}
	return NULL;
}

static void start(struct worker *w, unsigned int number)
{
	w->number = number;
	w->mmu = test_mmu;
	w->b = calloc(1, sizeof(*w->b));
	if (!w->b)
		exit(2);
	w->b->local = mmap(NULL, LOCAL_END - LOCAL_BASE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w->b->local == MAP_FAILED)
		exit(2);
	w->b->mmu = &w->mmu;
	if (pthread_create(&w->thread, NULL, work, w))
		exit(2);
}

/* the sum that element i of the shifted copies has */
static uint64_t shifted(unsigned int i)
{
	uint64_t sum = 0;

	for (unsigned int k = 0; k < THREADS; k++)
		if (i >= k && i - k < N)
			sum += k * ROUNDS;
	return sum;
}

int main(void)
{
	const unsigned int once = THREADS * (THREADS + 1) / 2;
	static struct worker w[THREADS];
	bool s32 = true, f32 = true, f16 = true, u8 = true, s64 = true, fix = true, lin = true;

	test_init();
	for (unsigned int i = 0; i < THREADS; i++)
		start(&w[i], i);
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(w[i].thread, NULL);
		tap_ok(w[i].ok, "thread %u: %s", i, w[i].fault.message);
	}
	for (unsigned int i = 0; i < N; i++) {
		s32 = s32 && get(gm(SUM_S32), ANPU_TYPE_S32, i) == once * ROUNDS;
		f32 = f32 && real(get(gm(SUM_F32), ANPU_TYPE_F32, i), ANPU_TYPE_F32) == once * ROUNDS;
		f16 = f16 && real(get(gm(SUM_F16), ANPU_TYPE_F16, i), ANPU_TYPE_F16) == once * ROUNDS;
		u8 = u8 && get(gm(MAX_U8), ANPU_TYPE_U8, i) == (THREADS - 1) * 50 + i % 50;
		s64 = s64 && get(gm(MIN_S64), ANPU_TYPE_S64, i) == ~0ULL - (THREADS - 1) * i;
		fix = fix && real(get(gm(FIX_F32), ANPU_TYPE_F32, i), ANPU_TYPE_F32) == THREADS * ROUNDS;
	}
	for (unsigned int i = 0; i < N + THREADS; i++)
		lin = lin && get(gm(LIN_S16), ANPU_TYPE_S16, i) == shifted(i);
	tap_ok(s32, "sums of S32");
	tap_ok(f32, "sums of F32");
	tap_ok(f16, "sums of F16");
	tap_ok(u8, "maxima of U8");
	tap_ok(s64, "minima of S64");
	tap_ok(fix, "sums of FIXPIPE");
	tap_ok(lin, "sums of S16 by copies that overlap in part");
	return tap_end();
}
