// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The watchdog: a device, or one of its queues, that has stopped doing its work without leaving
 * anything unanswered that somebody waits for.
 *
 * It never fires for an operator that runs for long, whose limit is the device's business: what it
 * goes by is the device's own word (HEARTBEAT, REFRESH), which tells work from standstill. It
 * looks four times in anpu_watchdog_ms, while there are streams.
 */
#include <linux/delay.h>
#include <linux/workqueue.h>

#include "anpu_reset.h"
#include "anpu_watchdog.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "device/anpu_event.h"
#include "stream/anpu_stream.h"
#include "sync/anpu_wake.h"

#define ANPU_WATCHDOG_LOOKS	4

/* The devices with a watchdog: a change of anpu_watchdog_ms is passed on to them. */
static LIST_HEAD(anpu_watchdogs);
static DEFINE_MUTEX(anpu_watchdogs_lock);

/* Helpers -------------------------------------------------------------------------------------- */

/* Has a condition lasted for @parts quarters of the watchdog's time? */
static bool anpu_watch_over(struct anpu_device *adev, unsigned long since, unsigned int parts)
{
	return time_after(jiffies, since + msecs_to_jiffies(adev->watchdog.ms) * parts /
				   ANPU_WATCHDOG_LOOKS);
}

/* Ends a stream that makes no progress; the others go on. */
static void anpu_watch_end(struct anpu_stream *stream, const char *why)
{
	struct anpu_device *adev = stream->adev;

	if (stream == adev->driver_stream)
		anpu_reset_device(adev, READ_ONCE(adev->reset_gen), why);
	else
		anpu_stream_end(stream, why);
}

/* The heartbeat ----------------------------------------------------------------------------- */

static void anpu_watch_stalled(struct anpu_device *adev, u32 stalled)
{
	struct anpu_watchdog *wd = &adev->watchdog;
	struct anpu_stream *stream __free(anpu_stream) = NULL;

	if (stalled != wd->stalled) {
		wd->stalled = stalled;
		wd->stalled_at = jiffies;
		return;
	}
	if (!stalled || stalled > adev->n_queues ||
	    !anpu_watch_over(adev, wd->stalled_at, ANPU_WATCHDOG_LOOKS))
		return;
	wd->stalled_at = jiffies;
	stream = anpu_stream_of_queue(adev, stalled - 1);
	if (stream)
		anpu_watch_end(stream, "its packet makes no progress");
}

/* Return: false if looking at streams makes no sense. */
static bool anpu_watch_heartbeat(struct anpu_device *adev)
{
	struct anpu_watchdog *wd = &adev->watchdog;
	u32 gen = READ_ONCE(adev->reset_gen);
	u64 value;

	if (anpu_vanished(adev)) {
		anpu_reset_device(adev, gen, "it reads as all ones");
		return false;
	}
	if (!(adev->caps & ANPU_CAP_RECOVERY))
		return true;
	value = anpu_read(adev, ANPU_REG_HEARTBEAT);
	/* The watchdog has not looked for a while, so older observations prove nothing. */
	if (!wd->running)
		wd->stalled = 0;
	if (!wd->running || ANPU_HEARTBEAT_BEATS(value) != wd->beats) {
		wd->beats = ANPU_HEARTBEAT_BEATS(value);
		wd->beats_at = jiffies;
		anpu_watch_stalled(adev, ANPU_HEARTBEAT_STALLED(value));
		return true;
	}
	if (!anpu_watch_over(adev, wd->beats_at, ANPU_WATCHDOG_LOOKS))
		return true;
	wd->beats_at = jiffies;
	anpu_reset_device(adev, gen, "its heartbeat has stopped");
	return false;
}

/**
 * anpu_stream_alive() - ask the device whether it is at work, and has not given up this stream
 * @stream: stream that has something to do; its doorbell is rung once more, as it may be lost
 *
 * Sleeps until the device's heartbeat has moved, for stop_timeout_ms at most. A device without
 * ANPU_CAP_RECOVERY has no heartbeat and cannot say so.
 *
 * Return: true if the device works and the stream was not given up.
 */
bool anpu_stream_alive(struct anpu_stream *stream)
{
	struct anpu_device *adev = stream->adev;
	unsigned long end = jiffies + anpu_patience();
	u64 first, value;

	if (!(adev->caps & ANPU_CAP_RECOVERY))
		return false;
	first = anpu_read(adev, ANPU_REG_HEARTBEAT);
	do {
		usleep_range(100, 1000);
		value = anpu_read(adev, ANPU_REG_HEARTBEAT);
		if (anpu_vanished(adev) || READ_ONCE(stream->dead))
			return false;
	} while (ANPU_HEARTBEAT_BEATS(value) == ANPU_HEARTBEAT_BEATS(first) &&
		 time_before(jiffies, end));
	if (ANPU_HEARTBEAT_BEATS(value) == ANPU_HEARTBEAT_BEATS(first) ||
	    ANPU_HEARTBEAT_STALLED(value) == stream->queue + 1)
		return false;
	writeq(stream->kick ? stream->queue : READ_ONCE(stream->wptr), stream->doorbell);
	return true;
}

/* Streams -------------------------------------------------------------------------------------- */

static void anpu_watch_begin(struct anpu_stream *stream)
{
	stream->watch = (struct anpu_watch) {
		.epoch = READ_ONCE(stream->epoch),
		.completed = anpu_stream_completed(stream),
		.since = jiffies,
	};
}

/* Packets that the queue has to execute: those that wait for fences are not its business yet. */
static u64 anpu_watch_given(const struct anpu_stream *stream)
{
	return stream->flags & DRM_ANPU_STREAM_USER_QUEUE ? anpu_stream_submitted(stream) :
							    anpu_stream_published(stream);
}

/* Repeats a message that was lost: a doorbell, or the number of completed packets. */
static void anpu_watch_ask(struct anpu_stream *stream)
{
	struct anpu_watch *watch = &stream->watch;

	watch->refresh = READ_ONCE(stream->status->refresh);
	watch->wptr = anpu_watch_given(stream);
	/* The device sees the packets up to @wptr before it is asked. */
	mb();
	anpu_write(stream->adev, ANPU_REG_QUEUE_CMD,
		   ANPU_QUEUE_CMD(ANPU_QUEUE_REFRESH, stream->queue));
	watch->asked = true;
}

static void anpu_watch_answer(struct anpu_stream *stream, u64 refresh)
{
	struct anpu_watch *watch = &stream->watch;
	bool idle = refresh & 1;

	watch->asked = false;
	watch->since = jiffies;
	if (!idle)
		return;
	/* The device stores completed before it says that it is idle. */
	rmb();
	if (anpu_stream_completed(stream) < watch->wptr &&
	    READ_ONCE(stream->epoch) == watch->epoch && !READ_ONCE(stream->dead))
		anpu_watch_end(stream, "it has nothing to do, but not completed what it was given");
}

/* Has it completed more than it was given? Under wait_lock a restart has begun, or has not. */
static bool anpu_watch_lies(struct anpu_stream *stream)
{
	guard(spinlock_irqsave)(&stream->wait_lock);
	return !stream->dead && anpu_stream_lies(stream, anpu_stream_completed(stream));
}

/*
 * A queue that stands still with packets to execute may have a reason: a packet that takes its
 * time, or more urgent queues. Only the device knows, and answering costs it nothing.
 */
static void anpu_watch_stream(struct anpu_stream *stream)
{
	struct anpu_watch *watch = &stream->watch;
	u64 refresh;

	if (anpu_watch_lies(stream)) {
		anpu_watch_end(stream, "it says that it has completed more than it was given");
		return;
	}
	if (READ_ONCE(stream->epoch) != watch->epoch ||
	    anpu_stream_completed(stream) != watch->completed) {
		/* Told anew, it comes without an interrupt. */
		if (watch->asked)
			anpu_stream_wake(stream, false);
		anpu_watch_begin(stream);
		return;
	}
	refresh = READ_ONCE(stream->status->refresh);
	if (watch->asked && refresh >> 1 != watch->refresh >> 1) {
		anpu_watch_answer(stream, refresh);
		return;
	}
	if (watch->asked || READ_ONCE(stream->dead) ||
	    anpu_stream_state(stream) != ANPU_QUEUE_RUNNING ||
	    anpu_watch_given(stream) == watch->completed) {
		if (!watch->asked)
			watch->since = jiffies;
		return;
	}
	if (anpu_watch_over(stream->adev, watch->since, 2))
		anpu_watch_ask(stream);
}

/* Return: whether there are any streams. */
static bool anpu_watch_streams(struct anpu_device *adev)
{
	bool any = false;

	for (u32 i = 0; i < adev->n_queues; i++) {
		struct anpu_stream *stream __free(anpu_stream) = anpu_stream_of_queue(adev, i);

		if (!stream)
			continue;
		if (adev->caps & ANPU_CAP_RECOVERY)
			anpu_watch_stream(stream);
		any |= stream != adev->driver_stream || anpu_stream_submitted(stream) !=
			anpu_stream_completed(stream);
	}
	return any;
}

/* The watchdog --------------------------------------------------------------------------------- */

/* Return: whether to look again. */
static bool anpu_watch(struct anpu_device *adev)
{
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0 || !anpu_up(adev))
		return false;
	anpu_quarantine_reap(adev);
	if (!anpu_eqs_check(adev)) {
		anpu_reset_device(adev, READ_ONCE(adev->reset_gen), "an event queue is broken");
		return true;
	}
	/* It may change at any time, but not during a look. */
	adev->watchdog.ms = READ_ONCE(anpu_watchdog_ms);
	if (!adev->watchdog.ms)
		return false;
	return !anpu_watch_heartbeat(adev) || anpu_watch_streams(adev);
}

/* Jiffies from one look to the next */
static unsigned long anpu_watchdog_delay(void)
{
	return max(msecs_to_jiffies(READ_ONCE(anpu_watchdog_ms)) / ANPU_WATCHDOG_LOOKS, 1);
}

static void anpu_watchdog_queue(struct anpu_device *adev)
{
	queue_delayed_work(system_unbound_wq, &adev->watchdog.work, anpu_watchdog_delay());
}

static void anpu_watchdog_work(struct work_struct *work)
{
	struct anpu_device *adev = container_of(to_delayed_work(work), struct anpu_device,
						watchdog.work);

	/*
	 * While the device is away there is nothing to see; no waiting here, see anpu_scrub_work().
	 */
	if (!percpu_down_read_trylock(&adev->presence_lock)) {
		anpu_watchdog_queue(adev);
		return;
	}
	adev->watchdog.running = anpu_watch(adev);
	percpu_up_read(&adev->presence_lock);
	if (adev->watchdog.running)
		anpu_watchdog_queue(adev);
}

/**
 * anpu_watchdog_start() - there is something to look at
 * @adev: device, in a section of anpu_enter() or being probed
 */
void anpu_watchdog_start(struct anpu_device *adev)
{
	if (READ_ONCE(anpu_watchdog_ms))
		anpu_watchdog_queue(adev);
}

/**
 * anpu_watchdog_now() - look at once
 * @adev: device
 *
 * Called from interrupts.
 */
void anpu_watchdog_now(struct anpu_device *adev)
{
	mod_delayed_work(system_unbound_wq, &adev->watchdog.work, 0);
}

/**
 * anpu_watchdog_changed() - anpu_watchdog_ms is another one from now on
 */
void anpu_watchdog_changed(void)
{
	struct anpu_device *adev;

	guard(mutex)(&anpu_watchdogs_lock);
	/* If it is 0, or there are no streams, the next look is the last. */
	list_for_each_entry(adev, &anpu_watchdogs, watchdog.link)
		mod_delayed_work(system_unbound_wq, &adev->watchdog.work, anpu_watchdog_delay());
}

/**
 * anpu_watchdog_init() - nothing to look at yet
 * @adev: device
 */
void anpu_watchdog_init(struct anpu_device *adev)
{
	INIT_LIST_HEAD(&adev->watchdog.link);
	INIT_DELAYED_WORK(&adev->watchdog.work, anpu_watchdog_work);
}

/**
 * anpu_watchdog_enable() - the device is up: changes of anpu_watchdog_ms are its business
 * @adev: device
 */
void anpu_watchdog_enable(struct anpu_device *adev)
{
	guard(mutex)(&anpu_watchdogs_lock);
	list_add_tail(&adev->watchdog.link, &anpu_watchdogs);
}

/**
 * anpu_watchdog_disable() - nobody looks any more, but for anpu_watchdog_now()
 * @adev: device
 */
void anpu_watchdog_disable(struct anpu_device *adev)
{
	scoped_guard(mutex, &anpu_watchdogs_lock)
		list_del_init(&adev->watchdog.link);
	cancel_delayed_work_sync(&adev->watchdog.work);
}
