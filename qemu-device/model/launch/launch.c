// SPDX-License-Identifier: MIT
/* struct anpu_kernel_launch: what a KERNEL with ANPU_KERNEL_LAUNCH says beyond its packet. */
#include <string.h>

#include "internal.h"
#include "diag/fault.h"
#include "launch/launch.h"
#include "memory/guard.h"
#include "sched/parked.h"

/* A refusal has the cause BAD_PACKET, the place of the structure, and a sentence with the value. */
#define REFUSE(...) (fault_set(f, ANPU_FAULT_BAD_PACKET, 0, at, "KERNEL: launch: " __VA_ARGS__), false)

static bool check_threads(const struct anpu_kernel_launch *l, uint64_t at, struct core_fault *f)
{
	uint64_t threads = (uint64_t)l->block_x * l->block_y;

	if (!l->block_x || !l->block_y || !l->block_z)
		return REFUSE("block %ux%ux%u has a zero; each dimension is at least 1", l->block_x,
			      l->block_y, l->block_z);
	if (threads > ANPU_MAX_THREADS || l->block_z > ANPU_MAX_THREADS ||
	    threads * l->block_z > ANPU_MAX_THREADS)
		return REFUSE("block %ux%ux%u has more than %d threads", l->block_x, l->block_y,
			      l->block_z, ANPU_MAX_THREADS);
	return true;
}

static bool check_words(const struct anpu_kernel_launch *l, uint64_t at, struct core_fault *f)
{
	if (l->begun % 8 || l->triggered % 8)
		return REFUSE("words at 0x%llx and 0x%llx are not aligned to 8", ull(l->begun),
			      ull(l->triggered));
	if ((!l->begun && l->begun_value) || (!l->triggered && l->triggered_value))
		return REFUSE("a value without the address of its word");
	return true;
}

/* All blocks of a cluster are there at the same time, so there are AI cores for them. */
static bool check_cluster(const struct anpu_model *m, const struct anpu_pkt_kernel *k, uint64_t at,
			  struct core_fault *f)
{
	uint32_t x = k->cluster_x ? k->cluster_x : 1, y = k->cluster_y ? k->cluster_y : 1,
		 z = k->cluster_z ? k->cluster_z : 1, cores = m->cfg.cores;

	if (k->max_cores && k->max_cores < cores)
		cores = k->max_cores;
	if (x * y * z == 1)
		return true;
	if (k->core_type == ANPU_CORE_MIX)
		return REFUSE("cluster %ux%ux%u: MIX kernels have no clusters", x, y, z);
	if (x * y * z > ANPU_MAX_CLUSTER)
		return REFUSE("cluster %ux%ux%u has more than %d blocks", x, y, z, ANPU_MAX_CLUSTER);
	if (x * y * z > cores)
		return REFUSE("cluster %ux%ux%u needs %u AI cores, the kernel has %u", x, y, z, x * y * z,
			      cores);
	return true;
}

static bool check_launch(const struct anpu_model *m, const struct anpu_kernel_launch *l,
			 const struct anpu_pkt_kernel *k, uint64_t at, struct core_fault *f)
{
	unsigned int n;

	if (l->size != ANPU_LAUNCH_SIZE)
		return REFUSE("size %u, this device knows %d", l->size, ANPU_LAUNCH_SIZE);
	if (l->flags & ~ANPU_LAUNCH_FLAGS)
		return REFUSE("flags 0x%x, only 0x%x are defined", l->flags, ANPU_LAUNCH_FLAGS);
	for (n = 0; n < sizeof(l->reserved) / sizeof(l->reserved[0]); n++)
		if (l->reserved[n])
			return REFUSE("reserved word %u is 0x%llx, must be 0", n,
				      ull(l->reserved[n]));
	return check_threads(l, at, f) && check_words(l, at, f) && check_cluster(m, k, at, f);
}

/**
 * launch_read() - @job's launch and where the argument block is, of a packet that is not checked yet
 *
 * Return: false: @w->fault is filled
 */
bool launch_read(struct worker *w, struct job *job)
{
	struct core_kernel *k = &job->k;
	uint64_t at = k->pkt.args;
	bool ok;

	atomic_store(&job->words, 0);
	if (!(k->pkt.hdr.flags & ANPU_KERNEL_LAUNCH)) {
		k->launch.size = 0;
		return true;
	}
	mmu_enter(&w->mmu, job->q->ctx.asid);
	ok = mmu_read_mem(&w->mmu, &k->launch, at, sizeof(k->launch), &w->fault);
	mmu_exit(&w->mmu);
	if (!ok)
		return false;
	atomic_store(&job->words, (k->launch.begun ? WORD_BEGUN : 0) |
				  (k->launch.triggered ? WORD_TRIGGERED : 0));
	if (!check_launch(w->m, &k->launch, &k->pkt, at, &w->fault))
		return false;
	k->pkt.args += ANPU_LAUNCH_SIZE;
	return true;
}

/* Words -------------------------------------------------------------------------------------------- */

struct word_write {
	struct mmu *mmu;
	uint32_t asid;
	uint64_t va, value;
	struct core_fault *f;
	void *at;
};

static void do_write(void *arg)
{
	struct word_write *ww = arg;
	uint64_t span;

	mmu_enter(ww->mmu, ww->asid);
	ww->at = mmu_access(ww->mmu, ww->va, ANPU_ACCESS_WRITE, &span, ww->f);
	if (ww->at)
		__atomic_store_n((uint64_t *)ww->at, ww->value, __ATOMIC_SEQ_CST);
	mmu_exit(ww->mmu);
}

/* Write a word if it is due and nobody else does; queues that wait for it go on. */
static bool write_word(struct anpu_model *m, struct mmu *mmu, struct job *job, unsigned int which,
		       struct core_fault *f)
{
	const struct anpu_kernel_launch *l = &job->k.launch;
	bool begun = which == WORD_BEGUN;
	struct word_write ww = { mmu, job->q->ctx.asid, begun ? l->begun : l->triggered,
				 begun ? l->begun_value : l->triggered_value, f, NULL };
	uint64_t gone;

	if (!(atomic_fetch_and(&job->words, ~which) & which))
		return true;
	if (!guard_call(m, do_write, &ww, &gone)) {
		if (atomic_load(&mmu->epoch) != MMU_IDLE)
			mmu_exit(mmu);
		atomic_store(&mmu->asking, 0);
		fault_set(f, ANPU_FAULT_BUS, ANPU_ACCESS_WRITE, gone, GUARD_GONE, ull(gone));
		return false;
	}
	if (ww.at)
		parked_word_written(m, mmu, ww.at);
	return ww.at;
}

/**
 * launch_words() - write the words of a launch that are due; not inside mmu_enter()
 * @end: the kernel is over, so both are
 *
 * Return: false if one cannot be written: @f is filled
 */
bool launch_words(struct anpu_model *m, struct mmu *mmu, struct job *job, bool end, struct core_fault *f)
{
	unsigned int left = atomic_load(&job->words);

	if (likely(!left))
		return true;
	if (left & WORD_BEGUN && (end || atomic_load(&job->begun) == job->total) &&
	    !write_word(m, mmu, job, WORD_BEGUN, f))
		return false;
	if (left & WORD_TRIGGERED && (end || atomic_load(&job->k.triggered) >= job->total))
		return write_word(m, mmu, job, WORD_TRIGGERED, f);
	return true;
}

/** launch_abandoned() - the same for a kernel that ends in a way that is told already */
void launch_abandoned(struct anpu_model *m, struct mmu *mmu, struct job *job)
{
	struct core_fault ignored;
	unsigned int left = atomic_load(&job->words);

	/* refused ones may be anything */
	if (job->k.launch.begun % 8)
		atomic_fetch_and(&job->words, ~WORD_BEGUN);
	if (job->k.launch.triggered % 8)
		atomic_fetch_and(&job->words, ~WORD_TRIGGERED);
	if (left & WORD_BEGUN)
		write_word(m, mmu, job, WORD_BEGUN, &ignored);
	if (left & WORD_TRIGGERED)
		write_word(m, mmu, job, WORD_TRIGGERED, &ignored);
}
