// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waiters: tasks that sleep until a stream has completed a packet or memory has changed, and
 * waking them.
 *
 * A waiter is in the list of its stream, and in its tree by the number that it waits for; the
 * smallest number is what the device interrupts for (irq_at). The condition itself is never taken
 * from an interrupt: a task that is woken looks again.
 *
 * Programs decide how many waiters there are, so an interrupt looks at those alone whose number has
 * come, and at not too many of them: the rest is a work item's.
 */
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>

#include "anpu_fence.h"
#include "anpu_wake.h"
#include "reset/anpu_watchdog.h"
#include "stream/anpu_stream.h"

/* Waiters that are woken with interrupts off in one go. */
#define ANPU_WAKE_BATCH	64

/* One list for all devices: another device can signal memory of this one. */
static LIST_HEAD(anpu_memory_waiters);
static DEFINE_SPINLOCK(anpu_memory_lock);
static u32 anpu_memory_round;
/* The last round in which all were to be woken */
static u32 anpu_memory_all;

/* Lists ---------------------------------------------------------------------------------------- */

/*
 * Wakes the tasks that have not been woken since @round began: they are at the list's head, as a
 * task that is woken goes to its end. Returns false if there are more than @budget.
 */
static bool anpu_wake_list(struct list_head *list, u32 round, u32 *budget)
{
	while (!list_empty(list)) {
		struct anpu_sleeper *sleeper = list_first_entry(list, struct anpu_sleeper, link);

		if (sleeper->round == round)
			break;
		if (!*budget)
			return false;
		--*budget;
		sleeper->round = round;
		list_move_tail(&sleeper->link, list);
		wake_up_process(sleeper->task);
	}
	return true;
}

/* Under the list's lock. */
static void anpu_sleeper_add(struct anpu_sleeper *sleeper, struct list_head *list, u32 round)
{
	sleeper->task = current;
	sleeper->round = round;
	list_add_tail(&sleeper->link, list);
}

/* Waiters of a stream -------------------------------------------------------------------------- */

static struct anpu_waiter *to_anpu_waiter(struct rb_node *node)
{
	return rb_entry_safe(node, struct anpu_waiter, node);
}

static bool anpu_waiter_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct anpu_waiter, node)->target <
	       rb_entry(b, struct anpu_waiter, node)->target;
}

/* Under wait_lock: the smallest number above @completed that a task waits for. */
static u64 anpu_stream_next(struct anpu_stream *stream, u64 completed)
{
	struct rb_node *node = stream->targets.rb_root.rb_node;
	u64 at = U64_MAX;

	while (node) {
		struct anpu_waiter *waiter = to_anpu_waiter(node);

		if (waiter->target > completed) {
			at = waiter->target;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return at;
}

/**
 * anpu_stream_rearm() - tell the device the smallest number that somebody waits for
 * @stream: stream, under its wait_lock
 * @completed: packets completed, as the caller has read it: all up to that have been told
 *
 * Return: false if the number has come meanwhile.
 */
bool anpu_stream_rearm(struct anpu_stream *stream, u64 completed)
{
	u64 at;

	/* The block may belong to the next stream by now; anpu_stream_kill() wakes the waiters. */
	if (stream->dead)
		return true;
	at = min(anpu_stream_next(stream, completed), anpu_fences_next(stream, completed));
	if (at == U64_MAX)
		return true;
	/* The process can write to a user queue's control page, so its present value is unknown. */
	if (at != stream->irq_at || stream->flags & DRM_ANPU_STREAM_USER_QUEUE) {
		stream->irq_at = at;
		WRITE_ONCE(stream->control->irq_at, at);
	}
	/* Pairs with the device's between storing completed and reading irq_at. */
	mb();
	return anpu_stream_completed(stream) < at;
}

/**
 * anpu_waiter_count() - what a waiter waits for is there
 * @waiter: waiter, armed, under its stream's wait_lock
 *
 * Return: whether that was the last of several.
 */
bool anpu_waiter_count(struct anpu_waiter *waiter)
{
	if (!waiter->missing)
		return true;
	if (waiter->counted)
		return false;
	waiter->counted = true;
	return atomic_dec_and_test(waiter->missing);
}

/* Under wait_lock: each waiter is looked at once. Returns false if there are more than @budget. */
static bool anpu_wake_reached(struct anpu_stream *stream, u64 completed, u32 *budget)
{
	struct anpu_waiter *waiter;

	while ((waiter = to_anpu_waiter(rb_first_cached(&stream->targets)))) {
		if (waiter->target > completed)
			break;
		if (!*budget)
			return false;
		--*budget;
		rb_erase_cached(&waiter->node, &stream->targets);
		RB_CLEAR_NODE(&waiter->node);
		if (anpu_waiter_count(waiter))
			wake_up_process(waiter->sleeper.task);
	}
	return true;
}

/* Under wait_lock. Returns false if waiters are left for whom there was no time. */
static bool anpu_wake_some(struct anpu_stream *stream)
{
	u32 budget = ANPU_WAKE_BATCH;
	u64 completed;

	if (!anpu_wake_list(&stream->waiters, stream->round, &budget))
		return false;
	/* The status page of a dead stream may be gone; all its waiters were woken. */
	if (stream->dead || (list_empty(&stream->waiters) && list_empty(&stream->fences)))
		return true;
	do {
		completed = anpu_stream_completed(stream);
		anpu_fences_look(stream, completed);
		if (!anpu_wake_reached(stream, completed, &budget))
			return false;
	} while (!anpu_stream_rearm(stream, completed));
	return true;
}

/**
 * anpu_wake_work() - wake those for whom an interrupt had no time
 * @work: anpu_stream.wake_work, which has a reference
 */
void anpu_wake_work(struct work_struct *work)
{
	struct anpu_stream *stream = container_of(work, struct anpu_stream, wake_work);
	bool done;

	do {
		scoped_guard(spinlock_irqsave, &stream->wait_lock)
			done = anpu_wake_some(stream);
		cond_resched();
	} while (!done);
	anpu_stream_put(stream);
}

/**
 * anpu_stream_wake() - wake tasks that wait for a stream
 * @stream: stream, with a reference that stays
 * @all: wake every task, to look at the stream's state; else only tasks that have everything that
 *	they wait for
 *
 * Called from interrupts too.
 */
void anpu_stream_wake(struct anpu_stream *stream, bool all)
{
	scoped_guard(spinlock_irqsave, &stream->wait_lock) {
		if (all)
			stream->round++;
		if (anpu_wake_some(stream))
			return;
	}
	/* anpu_stream_dismantle() waits for it. */
	kref_get(&stream->ref);
	if (!queue_work(system_unbound_wq, &stream->wake_work))
		anpu_stream_put(stream);
}

/**
 * anpu_waiter_init() - the calling task is going to wait for a stream
 * @waiter: filled; not armed
 * @stream: stream, with a reference that stays until the waiter is disarmed
 * @target: sequence number
 */
void anpu_waiter_init(struct anpu_waiter *waiter, struct anpu_stream *stream, u64 target)
{
	*waiter = (struct anpu_waiter) {
		.stream = stream,
		.target = target,
		.epoch = READ_ONCE(stream->epoch),
	};
	RB_CLEAR_NODE(&waiter->node);
}

/**
 * anpu_waiter_arm() - from now on the task is woken when it should look again
 * @waiter: waiter
 */
void anpu_waiter_arm(struct anpu_waiter *waiter)
{
	struct anpu_stream *stream = waiter->stream;

	guard(spinlock_irqsave)(&stream->wait_lock);
	waiter->armed = true;
	anpu_sleeper_add(&waiter->sleeper, &stream->waiters, stream->round);
	rb_add_cached(&waiter->node, &stream->targets, anpu_waiter_less);
}

/**
 * anpu_waiter_disarm() - the task does not wait any more
 * @waiter: waiter, armed or not
 */
void anpu_waiter_disarm(struct anpu_waiter *waiter)
{
	struct anpu_stream *stream = waiter->stream;

	if (!waiter->armed)
		return;
	/* The device may interrupt once too often for it; that does no harm. */
	guard(spinlock_irqsave)(&stream->wait_lock);
	waiter->armed = false;
	list_del(&waiter->sleeper.link);
	if (!RB_EMPTY_NODE(&waiter->node))
		rb_erase_cached(&waiter->node, &stream->targets);
}

/* The number has not come: the task waits again. Returns false if it has come just now. */
static bool anpu_waiter_again(struct anpu_waiter *waiter, u64 completed)
{
	struct anpu_stream *stream = waiter->stream;

	guard(spinlock_irqsave)(&stream->wait_lock);
	/* The stream was restarted. This woke the task, which has not seen it. */
	if (stream->epoch != waiter->epoch)
		return false;
	if (RB_EMPTY_NODE(&waiter->node))
		rb_add_cached(&waiter->node, &stream->targets, anpu_waiter_less);
	return anpu_stream_rearm(stream, completed);
}

/**
 * anpu_waiter_check() - has a stream completed what a waiter waits for?
 * @waiter: waiter; if it is armed, the task is about to sleep
 *
 * Return: 1 if so, 0 if not yet, and if it is armed an interrupt will come; else an error.
 */
int anpu_waiter_check(struct anpu_waiter *waiter)
{
	struct anpu_stream *stream = waiter->stream;

	for (;;) {
		u64 completed;

		if (READ_ONCE(stream->epoch) != waiter->epoch)
			return -EIO;
		/* A packet that is killed completes, too: only those before the kill count. */
		if (smp_load_acquire(&stream->dead)) {
			u64 final = READ_ONCE(stream->final);

			/*
			 * The stream was restarted and has died again meanwhile: the number is of
			 * another life.
			 */
			smp_rmb();
			if (READ_ONCE(stream->epoch) != waiter->epoch)
				return -EIO;
			if (final >= waiter->target)
				return 1;
			return anpu_dead_error(stream->adev);
		}
		completed = anpu_stream_completed(stream);
		/* Then the number may belong to another life, or to a packet that was killed. */
		if (READ_ONCE(stream->dead) || READ_ONCE(stream->epoch) != waiter->epoch)
			continue;
		if (anpu_stream_lies(stream, completed)) {
			anpu_watchdog_now(stream->adev);
			return -EIO;
		}
		if (completed >= waiter->target)
			return 1;
		if (anpu_stream_state(stream) == ANPU_QUEUE_HALTED) {
			/*
			 * The queue is halted behind the last packet that counts: look once more.
			 */
			if (anpu_stream_completed(stream) < waiter->target)
				return -ECANCELED;
			continue;
		}
		if (!waiter->armed || anpu_waiter_again(waiter, completed))
			return 0;
	}
}

/* Sleeping ------------------------------------------------------------------------------------- */

/**
 * anpu_sleep() - sleep, in the state that the task has set, until it is woken
 * @timeout_ns: CLOCK_MONOTONIC, S64_MAX for no limit
 * @interruptible: by signals
 *
 * Return: 0 when it has been woken, -ETIME, -ERESTARTSYS.
 */
int anpu_sleep(s64 timeout_ns, bool interruptible)
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

/* Memory --------------------------------------------------------------------------------------- */

/*
 * Looks at those who have not been looked at since the round began: they are at the list's head.
 * Returns false if there are more than an interrupt has time for.
 */
static bool anpu_memory_wake_some(void)
{
	u32 budget = ANPU_WAKE_BATCH;

	guard(spinlock_irqsave)(&anpu_memory_lock);
	while (!list_empty(&anpu_memory_waiters)) {
		struct anpu_memory_waiter *waiter =
			list_first_entry(&anpu_memory_waiters, struct anpu_memory_waiter,
					 sleeper.link);
		struct anpu_sleeper *sleeper = &waiter->sleeper;
		bool all = (s32)(anpu_memory_all - sleeper->round) > 0;

		if (sleeper->round == anpu_memory_round)
			break;
		if (!budget--)
			return false;
		sleeper->round = anpu_memory_round;
		list_move_tail(&sleeper->link, &anpu_memory_waiters);
		if (all || waiter->ready(waiter))
			wake_up_process(sleeper->task);
	}
	return true;
}

static void anpu_memory_work(struct work_struct *work)
{
	while (!anpu_memory_wake_some())
		cond_resched();
}

static DECLARE_WORK(anpu_memory_wake_work, anpu_memory_work);

/**
 * anpu_memory_wake() - wake tasks that wait for memory
 * @all: everybody, to look at the device's state; else those who have what they wait for
 *
 * An object can be mapped at any address by any process, of any device that can reach it, so all
 * waiters are looked at. Called from interrupts.
 */
void anpu_memory_wake(bool all)
{
	scoped_guard(spinlock_irqsave, &anpu_memory_lock) {
		anpu_memory_round++;
		if (all)
			anpu_memory_all = anpu_memory_round;
	}
	if (!anpu_memory_wake_some())
		queue_work(system_unbound_wq, &anpu_memory_wake_work);
}

/**
 * anpu_memory_arm() - from now on the task is woken when it should look again
 * @waiter: with its ready(), which can be called until the waiter is disarmed
 */
void anpu_memory_arm(struct anpu_memory_waiter *waiter)
{
	guard(spinlock_irqsave)(&anpu_memory_lock);
	anpu_sleeper_add(&waiter->sleeper, &anpu_memory_waiters, anpu_memory_round);
}

/**
 * anpu_memory_disarm() - the task does not wait any more
 * @waiter: armed
 */
void anpu_memory_disarm(struct anpu_memory_waiter *waiter)
{
	guard(spinlock_irqsave)(&anpu_memory_lock);
	list_del(&waiter->sleeper.link);
}

/** anpu_wake_module_fini() - when no device is left */
void anpu_wake_module_fini(void)
{
	flush_work(&anpu_memory_wake_work);
}
