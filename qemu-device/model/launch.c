// SPDX-License-Identifier: MIT
/* struct anpu_kernel_launch: what a KERNEL with ANPU_KERNEL_LAUNCH says beyond its packet. */
#include <string.h>

#include "internal.h"

#define ull(x) ((unsigned long long)(x))

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
	if (l->begun || l->triggered)
		return REFUSE("this device does not write the words begun and triggered");
	return true;
}

static bool check_launch(const struct anpu_kernel_launch *l, const struct anpu_pkt_kernel *k, uint64_t at,
			 struct core_fault *f)
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
	if (l->flags)
		return REFUSE("flags 0x%x: this device has no programmatic serialisation", l->flags);
	if (k->cluster_x > 1 || k->cluster_y > 1 || k->cluster_z > 1)
		return REFUSE("cluster %ux%ux%u: this device has no clusters", k->cluster_x,
			      k->cluster_y, k->cluster_z);
	return check_threads(l, at, f) && check_words(l, at, f);
}

/**
 * launch_read() - @k->launch and where the argument block is, of a packet in the queue's hand
 *
 * Return: false: @w->fault is filled
 */
bool launch_read(struct worker *w, const struct queue *q, struct core_kernel *k)
{
	uint64_t at = k->pkt.args;
	bool ok;

	if (!(k->pkt.hdr.flags & ANPU_KERNEL_LAUNCH)) {
		k->launch.size = 0;
		return true;
	}
	mmu_enter(&w->mmu, q->ctx.asid);
	ok = mmu_read_mem(&w->mmu, &k->launch, at, sizeof(k->launch), &w->fault);
	mmu_exit(&w->mmu);
	if (!ok || !check_launch(&k->launch, &k->pkt, at, &w->fault))
		return false;
	k->pkt.args += ANPU_LAUNCH_SIZE;
	return true;
}
