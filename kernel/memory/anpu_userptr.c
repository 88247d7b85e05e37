// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Buffer objects of a process's own memory.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "anpu_bo.h"
#include "anpu_userptr.h"

/* Pages that are pinned in one go, which may be with interrupts off. */
#define ANPU_PIN_STEP		512UL

static int anpu_userptr_account(struct anpu_bo *bo, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (atomic64_add_return(pages, &current->mm->pinned_vm) > limit &&
	    !capable(CAP_IPC_LOCK)) {
		atomic64_sub(pages, &current->mm->pinned_vm);
		drm_dbg_driver(bo->base.dev, "USERPTR: %lu pages exceed RLIMIT_MEMLOCK, %lu\n",
			       pages, limit);
		return -ENOMEM;
	}
	bo->mm = current->mm;
	mmgrab(bo->mm);
	return 0;
}

/**
 * anpu_userptr_pin() - pin the memory of an object
 * @bo: object with its size, flags and user_ptr
 *
 * Return: 0, -EFAULT, -ENOMEM or -EINTR; in any case anpu_userptr_unpin() cleans up.
 */
int anpu_userptr_pin(struct anpu_bo *bo)
{
	unsigned long count = bo->base.size >> PAGE_SHIFT, done = 0;
	unsigned int gup = FOLL_LONGTERM;
	int ret;

	if (!access_ok(u64_to_user_ptr(bo->user_ptr), bo->base.size))
		return -EFAULT;
	/*
	 * A pin of more than the machine has would only end after it has swapped out everything
	 * else.
	 */
	if (count > totalram_pages())
		return -ENOMEM;
	if (!(bo->flags & DRM_ANPU_BO_READONLY))
		gup |= FOLL_WRITE;
	ret = anpu_userptr_account(bo, count);
	if (ret)
		return ret;
	bo->pages = kvcalloc(count, sizeof(*bo->pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!bo->pages)
		return -ENOMEM;

	while (done < count) {
		ret = pin_user_pages_fast(bo->user_ptr + (done << PAGE_SHIFT),
					  min(count - done, ANPU_PIN_STEP), gup,
					  bo->pages + done);
		if (ret <= 0)
			return ret ?: -EFAULT;
		done += ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/**
 * anpu_userptr_unpin() - end of anpu_userptr_pin(), complete or not
 * @bo: object
 */
void anpu_userptr_unpin(struct anpu_bo *bo)
{
	unsigned long count = bo->base.size >> PAGE_SHIFT, done, n;

	for (done = 0; bo->pages && done < count && bo->pages[done]; done += n) {
		n = min(count - done, ANPU_PIN_STEP);
		while (!bo->pages[done + n - 1])
			n--;
		unpin_user_pages_dirty_lock(bo->pages + done, n,
					    !(bo->flags & DRM_ANPU_BO_READONLY));
		cond_resched();
	}
	kvfree(bo->pages);
	if (bo->mm) {
		atomic64_sub(count, &bo->mm->pinned_vm);
		mmdrop(bo->mm);
	}
}
