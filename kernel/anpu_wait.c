// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * WAIT: sleeping until packets have completed or memory has a value.
 *
 * A waiter puts itself into the list of each stream it waits for; the smallest number of a list is
 * what the device interrupts for (irq_at). The condition itself is never taken from an interrupt:
 * who is woken looks again.
 */
#include <linux/hrtimer.h>
#include <linux/slab.h>

#include "anpu_stream.h"

/* WAITs of up to this many items need no allocation. */
#define ANPU_WAIT_FAST	4

/**
 * struct anpu_wait_item - an item of a WAIT
 * @seq: SEQ: in the stream's list while armed
 * @bo: MEMORY: object, a reference is held
 * @args: what userspace asked for
 */
struct anpu_wait_item {
	struct anpu_waiter seq;
	struct anpu_bo *bo;
	struct drm_anpu_wait_item args;
};

/**
 * struct anpu_memory_waiter - a task that waits for memory
 * @link: in anpu_memory_waiters
 * @task: the task
 */
struct anpu_memory_waiter {
	struct list_head link;
	struct task_struct *task;
};

/* Of all devices: an object of one can be signalled by another. */
static LIST_HEAD(anpu_memory_waiters);
static DEFINE_SPINLOCK(anpu_memory_lock);

/* Waking --------------------------------------------------------------------------------------- */

/* Under wait_lock: tell the device the smallest number that somebody waits for. */
static bool anpu_stream_rearm(struct anpu_stream *stream, u64 completed)
{
	struct anpu_waiter *waiter;
	u64 at = U64_MAX;

	/* The block may be the queue's next stream's; anpu_stream_kill() tells who waits. */
	if (stream->dead)
		return true;
	list_for_each_entry(waiter, &stream->waiters, link) {
		if (waiter->target > completed)
			at = min(at, waiter->target);
	}
	if (at == U64_MAX)
		return true;
	/* The process can write to a user queue's control page: what is there is not known. */
	if (at != stream->irq_at || stream->flags & DRM_ANPU_STREAM_USER_QUEUE) {
		stream->irq_at = at;
		WRITE_ONCE(stream->control->irq_at, at);
	}
	/* Pairs with the device's between storing completed and reading irq_at. */
	mb();
	return anpu_stream_completed(stream) < at;
}

/* Under wait_lock: what it waits for is there. Returns whether that was the last of several. */
static bool anpu_waiter_count(struct anpu_waiter *waiter)
{
	if (!waiter->missing)
		return true;
	if (waiter->counted)
		return false;
	waiter->counted = true;
	return atomic_dec_and_test(waiter->missing);
}

/**
 * anpu_stream_wake() - wake who waits for a stream
 * @stream: stream
 * @all: everybody, to look at the stream's state; else who has what he waits for, all of it
 *
 * Called from interrupts too.
 */
void anpu_stream_wake(struct anpu_stream *stream, bool all)
{
	guard(spinlock_irqsave)(&stream->wait_lock);
	for (;;) {
		u64 completed = all ? U64_MAX : anpu_stream_completed(stream);
		struct anpu_waiter *waiter;

		list_for_each_entry(waiter, &stream->waiters, link) {
			if (waiter->target <= completed && (all || anpu_waiter_count(waiter)))
				wake_up_process(waiter->task);
		}
		/* Who is woken by all looks and arms again. */
		if (all || anpu_stream_rearm(stream, completed))
			return;
	}
}

/**
 * anpu_memory_wake() - wake who waits for memory
 *
 * Everybody: an object can be mapped at any address by any process. Called from interrupts.
 */
void anpu_memory_wake(void)
{
	struct anpu_memory_waiter *waiter;

	guard(spinlock_irqsave)(&anpu_memory_lock);
	list_for_each_entry(waiter, &anpu_memory_waiters, link)
		wake_up_process(waiter->task);
}

/* One stream ----------------------------------------------------------------------------------- */

static void anpu_waiter_init(struct anpu_waiter *waiter, struct anpu_stream *stream, u64 target)
{
	INIT_LIST_HEAD(&waiter->link);
	waiter->stream = stream;
	waiter->target = target;
	waiter->task = current;
	waiter->epoch = READ_ONCE(stream->epoch);
	waiter->missing = NULL;
	waiter->counted = false;
}

/* From now on the task is woken when it should look again. */
static void anpu_waiter_arm(struct anpu_waiter *waiter)
{
	guard(spinlock_irqsave)(&waiter->stream->wait_lock);
	list_add_tail(&waiter->link, &waiter->stream->waiters);
}

static void anpu_waiter_disarm(struct anpu_waiter *waiter)
{
	/* Only its task puts it in. */
	if (list_empty(&waiter->link))
		return;
	/* The device may interrupt once too often for it; that does no harm. */
	guard(spinlock_irqsave)(&waiter->stream->wait_lock);
	list_del(&waiter->link);
}

/* 1: reached, 0: not yet, and if it is armed an interrupt will come; else an error. */
static int anpu_waiter_check(struct anpu_waiter *waiter)
{
	struct anpu_stream *stream = waiter->stream;

	for (;;) {
		u64 completed;

		if (READ_ONCE(stream->epoch) != waiter->epoch)
			return -EIO;
		/* A packet that is killed completes, too: what was before is what counts. */
		if (smp_load_acquire(&stream->dead)) {
			u64 final = READ_ONCE(stream->final);

			/* Restarted and dead again meanwhile: the number is of another life. */
			smp_rmb();
			if (READ_ONCE(stream->epoch) != waiter->epoch)
				return -EIO;
			if (final >= waiter->target)
				return 1;
			return READ_ONCE(stream->adev->gone) ? -ENODEV : -EIO;
		}
		completed = anpu_stream_completed(stream);
		if (completed >= waiter->target && !READ_ONCE(stream->dead))
			return 1;
		if (READ_ONCE(stream->dead))
			continue;
		if (anpu_stream_state(stream) == ANPU_QUEUE_HALTED) {
			/* It is halted behind the last packet that counts: look once more. */
			if (anpu_stream_completed(stream) >= waiter->target)
				return 1;
			return -ECANCELED;
		}
		if (list_empty(&waiter->link))
			return 0;
		scoped_guard(spinlock_irqsave, &stream->wait_lock) {
			if (anpu_stream_rearm(stream, completed))
				return 0;
		}
	}
}

static int anpu_sleep(s64 timeout_ns, bool interruptible)
{
	ktime_t expires = ns_to_ktime(timeout_ns);

	if (interruptible && signal_pending(current))
		return -ERESTARTSYS;
	if (timeout_ns == S64_MAX) {
		schedule();
		return 0;
	}
	if (timeout_ns <= (s64)ktime_get_ns())
		return -ETIME;
	schedule_hrtimeout_range(&expires, 0, HRTIMER_MODE_ABS);
	return 0;
}

/**
 * anpu_stream_wait() - wait for a sequence number of one stream
 * @stream: stream
 * @target: sequence number
 * @timeout_ns: CLOCK_MONOTONIC, S64_MAX for no limit
 * @interruptible: by signals
 *
 * Return: 0, -ETIME, -ERESTARTSYS, -EIO, -ECANCELED or -ENODEV.
 */
int anpu_stream_wait(struct anpu_stream *stream, u64 target, s64 timeout_ns, bool interruptible)
{
	struct anpu_waiter waiter;
	int ret;

	anpu_waiter_init(&waiter, stream, target);
	anpu_waiter_arm(&waiter);
	for (;;) {
		set_current_state(interruptible ? TASK_INTERRUPTIBLE : TASK_UNINTERRUPTIBLE);
		ret = anpu_waiter_check(&waiter);
		if (!ret)
			ret = anpu_sleep(timeout_ns, interruptible);
		if (ret)
			break;
	}
	__set_current_state(TASK_RUNNING);
	anpu_waiter_disarm(&waiter);
	return ret < 0 ? ret : 0;
}

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

static int anpu_item_check(struct anpu_wait_item *item)
{
	struct anpu_waiter *waiter = &item->seq;

	if (waiter->stream) {
		int ret = anpu_waiter_check(waiter);

		if (ret == 1 && waiter->missing && !list_empty(&waiter->link)) {
			guard(spinlock_irqsave)(&waiter->stream->wait_lock);
			/* Of those before it, one may have come since we looked. */
			if (anpu_waiter_count(waiter))
				wake_up_process(current);
		}
		return ret;
	}
	return anpu_memory_cond(&item->args, anpu_bo_read(item->bo, item->args.offset,
							  item->args.width));
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
	bo = anpu_bo_lookup(drm_file, args->handle);
	if (!bo)
		return -ENOENT;
	/* Whoever made it knows its pages. */
	bo = anpu_import_origin(bo);
	item->bo = bo;
	if ((bo->type != DRM_ANPU_BO_HBM && bo->type != DRM_ANPU_BO_SYSTEM) ||
	    args->offset >= bo->base.size)
		return -EINVAL;
	return 0;
}

static int anpu_item_init(struct anpu_wait_item *item, struct drm_file *drm_file,
			  const struct drm_anpu_array *array, u32 index)
{
	int ret;

	ret = anpu_copy_element(&item->args, sizeof(item->args), array, index);
	if (ret)
		return ret;
	switch (item->args.type) {
	case DRM_ANPU_WAIT_SEQ:
		return anpu_item_init_seq(item, drm_file);
	case DRM_ANPU_WAIT_MEMORY:
		return anpu_item_init_memory(item, drm_file);
	}
	return -EINVAL;
}

static void anpu_item_fini(struct anpu_wait_item *item)
{
	if (item->seq.stream) {
		anpu_waiter_disarm(&item->seq);
		anpu_stream_put(item->seq.stream);
	}
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

/* From now on the task is woken; of all that it waits for, only by the last. */
static void anpu_wait_arm(struct anpu_wait_item *items, u32 count, atomic_t *missing, bool all)
{
	for (u32 i = 0; all && i < count; i++) {
		if (!items[i].seq.stream)
			continue;
		items[i].seq.missing = missing;
		atomic_inc(missing);
	}
	for (u32 i = 0; i < count; i++) {
		if (items[i].seq.stream)
			anpu_waiter_arm(&items[i].seq);
	}
}

static int anpu_wait_loop(struct anpu_device *adev, struct drm_anpu_wait *args,
			  struct anpu_wait_item *items)
{
	bool all = args->flags & DRM_ANPU_WAIT_ALL;
	u32 signaled = args->items.count;
	atomic_t missing = ATOMIC_INIT(0);
	int ret;

	/* What has completed needs neither lock nor interrupt. */
	ret = anpu_wait_check(items, args->items.count, all, &signaled);
	if (!ret)
		anpu_wait_arm(items, args->items.count, &missing, all);
	while (!ret) {
		set_current_state(TASK_INTERRUPTIBLE);
		ret = anpu_wait_check(items, args->items.count, all, &signaled);
		if (!ret && READ_ONCE(adev->gone))
			ret = -ENODEV;
		/* Who waits for memory must not keep the device from going. */
		if (!ret && READ_ONCE(adev->away))
			ret = -EIO;
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
	struct anpu_memory_waiter memory = { .task = current };
	bool any_memory = false;
	u32 ready = 0;
	int ret = 0;

	while (!ret && ready < args->items.count) {
		ret = anpu_item_init(&items[ready], drm_file, &args->items, ready);
		any_memory |= !!items[ready].bo;
		ready++;
	}
	if (any_memory) {
		guard(spinlock_irqsave)(&anpu_memory_lock);
		list_add_tail(&memory.link, &anpu_memory_waiters);
	}
	if (!ret)
		ret = anpu_wait_loop(adev, args, items);
	if (any_memory) {
		guard(spinlock_irqsave)(&anpu_memory_lock);
		list_del(&memory.link);
	}
	while (ready)
		anpu_item_fini(&items[--ready]);
	return ret;
}

int anpu_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_wait_item fast[ANPU_WAIT_FAST] = {}, *items = fast;
	struct drm_anpu_wait *args = data;
	int ret;

	if (args->flags & ~DRM_ANPU_WAIT_ALL || args->pad || args->pad2 || !args->items.count)
		return -EINVAL;
	if (args->items.count > DRM_ANPU_MAX_WAIT_ITEMS)
		return -E2BIG;
	if (args->items.count > ANPU_WAIT_FAST)
		items = kvcalloc(args->items.count, sizeof(*items),
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!items)
		return -ENOMEM;
	ret = anpu_wait_run(drm, args, items, drm_file);
	if (items != fast)
		kvfree(items);
	return ret;
}
