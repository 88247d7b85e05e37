// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * WAIT: sleeping until packets have completed, memory has a value, or fences have signalled.
 */
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include "anpu_job.h"
#include "anpu_wait.h"
#include "anpu_wake.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "memory/anpu_bo.h"
#include "memory/anpu_peer.h"
#include "reset/anpu_pm.h"
#include "stream/anpu_stream.h"

/* WAITs of up to this many items need no allocation. */
#define ANPU_WAIT_FAST	4
/* Items that an interrupt looks at for a WAIT. */
#define ANPU_WAIT_LOOKS	16

/**
 * struct anpu_wait_item - an item of a WAIT
 * @seq: SEQ: in the stream's list while armed
 * @reached: SEQ: it has completed, which is for good
 * @bo: MEMORY: object of the handle, a reference is held
 * @memory: MEMORY: object that has the pages, kept by @bo
 * @fence: SYNCOBJ, SYNC_FILE: the fence, a reference is held
 * @fence_cb: its callback while armed
 * @task: which that callback wakes
 * @args: what userspace asked for
 */
struct anpu_wait_item {
	struct anpu_waiter seq;
	bool reached;
	struct anpu_bo *bo;
	struct anpu_bo *memory;
	struct dma_fence *fence;
	struct dma_fence_cb fence_cb;
	struct task_struct *task;
	struct drm_anpu_wait_item args;
};

/* Items ---------------------------------------------------------------------------------------- */

static bool anpu_memory_cond(const struct drm_anpu_wait_item *args, u64 value)
{
	u64 all = args->width == 8 ? U64_MAX : U32_MAX;
	u64 s = value & args->mask & all, v = args->value & all;

	switch (args->cond) {
	case ANPU_SEM_EQ:
		return s == v;
	case ANPU_SEM_NE:
		return s != v;
	case ANPU_SEM_GT:
		return s > v;
	case ANPU_SEM_GE:
		return s >= v;
	case ANPU_SEM_LT:
		return s < v;
	case ANPU_SEM_LE:
		return s <= v;
	case ANPU_SEM_ANY:
		return s & v;
	case ANPU_SEM_NOR:
		return ~(s | v) & all;
	default: /* ANPU_SEM_AFTER, all others were refused */
		return args->width == 8 ? (s64)(s - v) >= 0 : (s32)(s - v) >= 0;
	}
}

static bool anpu_item_memory(const struct anpu_wait_item *item)
{
	u64 value = anpu_bo_read(item->memory, item->args.offset, item->args.width);

	return anpu_memory_cond(&item->args, value);
}

static int anpu_item_check(struct anpu_wait_item *item)
{
	struct anpu_waiter *waiter = &item->seq;

	if (item->reached)
		return 1;
	if (waiter->stream) {
		int ret = anpu_waiter_check(waiter);

		item->reached = ret == 1;
		if (ret == 1 && waiter->missing && waiter->armed) {
			guard(spinlock_irqsave)(&waiter->stream->wait_lock);
			/* An item that was looked at before may have been satisfied since. */
			if (anpu_waiter_count(waiter))
				wake_up_process(current);
		}
		return ret;
	}
	if (item->fence) {
		item->reached = dma_fence_is_signaled(item->fence);
		return item->reached;
	}
	return anpu_item_memory(item);
}

static int anpu_item_init_seq(struct anpu_wait_item *item, struct drm_file *drm_file)
{
	const struct drm_anpu_wait_item *args = &item->args;
	struct anpu_stream *stream;

	if (args->mask || args->offset || args->handle || args->cond || args->width || args->pad)
		return -EINVAL;
	stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
	if (!stream)
		return -ENOENT;
	anpu_waiter_init(&item->seq, stream, args->value);
	if (args->value > READ_ONCE(stream->wptr) &&
	    !(stream->flags & DRM_ANPU_STREAM_USER_QUEUE))
		return -EINVAL;
	return 0;
}

static int anpu_item_init_memory(struct anpu_wait_item *item, struct drm_file *drm_file)
{
	const struct drm_anpu_wait_item *args = &item->args;
	struct anpu_bo *bo;

	if (args->stream || args->pad || args->cond >= ANPU_SEM_COND_COUNT ||
	    (args->width != 4 && args->width != 8) || args->offset & (args->width - 1))
		return -EINVAL;
	item->bo = anpu_bo_lookup(drm_file, args->handle);
	if (!item->bo)
		return -ENOENT;
	bo = anpu_import_origin(item->bo);
	item->memory = bo;
	if ((bo->type != DRM_ANPU_BO_HBM && bo->type != DRM_ANPU_BO_SYSTEM) ||
	    args->offset >= bo->base.size)
		return -EINVAL;
	return 0;
}

static int anpu_item_init_fence(struct anpu_wait_item *item, struct drm_file *drm_file)
{
	const struct drm_anpu_wait_item *args = &item->args;
	u32 type = args->type == DRM_ANPU_WAIT_SYNCOBJ ? DRM_ANPU_FENCE_SYNCOBJ :
							 DRM_ANPU_FENCE_SYNC_FILE;

	if (args->stream || args->mask || args->offset || args->cond || args->width || args->pad)
		return -EINVAL;
	return anpu_fence_find(drm_file, type, args->handle, args->value, &item->fence);
}

static int anpu_item_init(struct anpu_wait_item *item, struct drm_file *drm_file)
{
	switch (item->args.type) {
	case DRM_ANPU_WAIT_SEQ:
		return anpu_item_init_seq(item, drm_file);
	case DRM_ANPU_WAIT_MEMORY:
		return anpu_item_init_memory(item, drm_file);
	case DRM_ANPU_WAIT_SYNCOBJ:
	case DRM_ANPU_WAIT_SYNC_FILE:
		return anpu_item_init_fence(item, drm_file);
	}
	return -EINVAL;
}

static void anpu_item_fini(struct anpu_wait_item *item)
{
	if (item->seq.stream) {
		anpu_waiter_disarm(&item->seq);
		anpu_stream_put(item->seq.stream);
	}
	if (item->task)
		dma_fence_remove_callback(item->fence, &item->fence_cb);
	dma_fence_put(item->fence);
	anpu_bo_put(item->bo);
}

/* WAIT ----------------------------------------------------------------------------------------- */

/* 1: enough are satisfied, 0: not yet, else an error. */
static int anpu_wait_check(struct anpu_wait_item *items, u32 count, bool all, u32 *signaled)
{
	u32 first = count, done = 0;

	for (u32 i = 0; i < count; i++) {
		int ret = anpu_item_check(&items[i]);

		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		done++;
		if (first == count)
			first = i;
		if (!all)
			break;
	}
	*signaled = all ? count : first;
	return all ? done == count : !!done;
}

static void anpu_item_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	wake_up_process(container_of(cb, struct anpu_wait_item, fence_cb)->task);
}

/* A fence that has signalled calls nobody back, and the task looks again before it sleeps. */
static void anpu_item_arm_fence(struct anpu_wait_item *item)
{
	item->task = current;
	dma_fence_add_callback(item->fence, &item->fence_cb, anpu_item_signalled);
}

/* From now on waiters wake this task; with ALL, only the last of the streams does. */
static void anpu_wait_arm(struct anpu_wait_item *items, u32 count, atomic_t *missing, bool all)
{
	for (u32 i = 0; all && i < count; i++) {
		if (!items[i].seq.stream || items[i].reached)
			continue;
		items[i].seq.missing = missing;
		atomic_inc(missing);
	}
	for (u32 i = 0; i < count; i++) {
		if (items[i].seq.stream && !items[i].reached)
			anpu_waiter_arm(&items[i].seq);
		else if (items[i].fence && !items[i].reached)
			anpu_item_arm_fence(&items[i]);
	}
}

/**
 * struct anpu_wait_memory - the items of a WAIT that are in memory, for whoever wakes it
 * @waiter: in the list while armed
 * @items: all items of the WAIT
 * @count: how many
 * @all: it waits for all of them
 */
struct anpu_wait_memory {
	struct anpu_memory_waiter waiter;
	const struct anpu_wait_item *items;
	u32 count;
	bool all;
};

/*
 * A signal has come, perhaps of somebody else: is there a reason to wake the task? Called from
 * interrupts, so if there are many items the task is woken to look at them itself.
 */
static bool anpu_wait_memory_ready(struct anpu_memory_waiter *waiter)
{
	struct anpu_wait_memory *memory = container_of(waiter, struct anpu_wait_memory, waiter);

	if (memory->count > ANPU_WAIT_LOOKS)
		return true;
	for (u32 i = 0; i < memory->count; i++) {
		const struct anpu_wait_item *item = &memory->items[i];

		if (item->memory && anpu_item_memory(item) != memory->all)
			return !memory->all;
	}
	return memory->all;
}

static int anpu_wait_loop(struct anpu_device *adev, struct drm_anpu_wait *args,
			  struct anpu_wait_item *items)
{
	bool all = args->flags & DRM_ANPU_WAIT_ALL;
	u32 signaled = args->items.count;
	atomic_t missing = ATOMIC_INIT(0);
	int ret;

	/* Items that have completed need neither lock nor interrupt. */
	ret = anpu_wait_check(items, args->items.count, all, &signaled);
	if (!ret)
		anpu_wait_arm(items, args->items.count, &missing, all);
	while (!ret) {
		set_current_state(TASK_INTERRUPTIBLE);
		ret = anpu_wait_check(items, args->items.count, all, &signaled);
		/* A task that waits for memory must not keep the device from leaving. */
		if (!ret && !anpu_up(adev))
			ret = anpu_dead_error(adev);
		if (!ret)
			ret = anpu_sleep(args->timeout_ns, true);
	}
	__set_current_state(TASK_RUNNING);
	if (ret < 0)
		return ret;
	args->signaled = signaled;
	return 0;
}

static int anpu_wait_run(struct drm_device *drm, struct drm_anpu_wait *args,
			 struct anpu_wait_item *items, struct drm_file *drm_file)
{
	struct anpu_device *adev = to_anpu_device(drm);
	struct anpu_wait_memory memory = {
		.waiter.ready = anpu_wait_memory_ready,
		.items = items,
		.count = args->items.count,
		.all = args->flags & DRM_ANPU_WAIT_ALL,
	};
	bool listed = false;
	u32 ready = 0;
	int ret = 0;

	CLASS(anpu_presence, presence)(adev);
	/* If the device has not left yet, it stays as long as the lock is held: anpu_remove(). */
	if (anpu_gone(adev))
		return -ENODEV;
	while (!ret && ready < args->items.count) {
		ret = anpu_item_init(&items[ready], drm_file);
		/* A device that leaves wakes those who wait for other things than its streams. */
		listed |= items[ready].bo || items[ready].fence;
		ready++;
	}
	if (!ret && listed)
		anpu_memory_arm(&memory.waiter);
	if (!ret)
		ret = anpu_wait_loop(adev, args, items);
	if (memory.waiter.sleeper.task)
		anpu_memory_disarm(&memory.waiter);
	while (ready)
		anpu_item_fini(&items[--ready]);
	return ret;
}

int anpu_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_wait_item fast[ANPU_WAIT_FAST] = {}, *items = fast;
	struct drm_anpu_wait *args = data;
	int ret = 0;

	if (args->flags & ~DRM_ANPU_WAIT_ALL || args->pad || args->pad2 || !args->items.count)
		return -EINVAL;
	if (args->items.count > DRM_ANPU_MAX_WAIT_ITEMS)
		return -E2BIG;
	if (args->items.count > ANPU_WAIT_FAST)
		items = kvcalloc(args->items.count, sizeof(*items),
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!items)
		return -ENOMEM;
	for (u32 i = 0; !ret && i < args->items.count; i++)
		ret = anpu_copy_element(&items[i].args, sizeof(items[i].args), &args->items, i);
	if (!ret)
		ret = anpu_wait_run(drm, args, items, drm_file);
	if (items != fast)
		kvfree(items);
	return ret;
}
