// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device's queue of a stream: START, STOP, and the commands that the device acknowledges.
 *
 * A queue stops in two steps, so that many can stop together: anpu_stream_stop_begin() tells the
 * device, anpu_stream_stop_end() waits until it has acknowledged. Only then are ring and address
 * space free for others.
 */
#include <linux/delay.h>

#include "anpu_queue.h"
#include "anpu_stream.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "device/anpu_event.h"
#include "reset/anpu_reset.h"
#include "reset/anpu_watchdog.h"
#include "sync/anpu_fence.h"
#include "sync/anpu_wake.h"

/* How often a status page is read before the task sleeps between two reads. */
#define ANPU_START_SPIN		200

/**
 * anpu_stream_busy() - add what a stream's status page has counted
 * @stream: stream with a status page that can be read
 * @sum: grows by it
 */
void anpu_stream_busy(const struct anpu_stream *stream, struct anpu_busy *sum)
{
	sum->queue_ns += READ_ONCE(stream->status->busy_ns);
	sum->cube_ns += READ_ONCE(stream->status->cube_ns);
	sum->vector_ns += READ_ONCE(stream->status->vector_ns);
}

/*
 * Before a status page begins anew, the busy time that it has counted goes to its file: in one
 * step, so that no reader counts it twice or not at all. The page counts from now on.
 */
static void anpu_stream_account(struct anpu_stream *stream)
{
	struct anpu_file *file = stream->file;

	if (!file)
		return;
	guard(spinlock)(&file->busy_lock);
	if (list_empty(&stream->busy_link))
		list_add(&stream->busy_link, &file->busy_streams);
	else
		anpu_stream_busy(stream, &file->busy);
	WRITE_ONCE(stream->status->busy_ns, 0);
	WRITE_ONCE(stream->status->cube_ns, 0);
	WRITE_ONCE(stream->status->vector_ns, 0);
}

/**
 * anpu_stream_account_end() - add a stream's busy time to its file for the last time
 * @stream: stream that ends
 * @there: its status page can be read; not if the device is gone
 */
void anpu_stream_account_end(struct anpu_stream *stream, bool there)
{
	struct anpu_file *file = stream->file;

	if (!file)
		return;
	guard(spinlock)(&file->busy_lock);
	if (!list_empty(&stream->busy_link) && there)
		anpu_stream_busy(stream, &file->busy);
	list_del_init(&stream->busy_link);
}

static void anpu_stream_write_context(struct anpu_stream *stream)
{
	struct anpu_queue_context *ctx = stream->adev->queue_mem->cpu;

	ctx[stream->queue] = (struct anpu_queue_context) {
		.ring = stream->ring_mem->addr,
		.control = stream->control_addr,
		.status = stream->status_addr,
		.ring_log2 = stream->ring_log2,
		.asid = stream->asid,
		.priority = READ_ONCE(stream->priority),
		.event_queue = stream->eq,
		.flags = stream->flags & DRM_ANPU_STREAM_STOP_ON_FAILURE ?
			ANPU_QUEUE_STOP_ON_FAILURE : 0,
		.cookie = stream->cookie,
		.print = stream->print,
		.overflow = stream->overflow,
		.trace = stream->trace,
	};
}

/*
 * START is not answered in time. A device that gets no processor of its host is late, and has
 * not failed: when its scheduler has made two beats that were asked for since, it has been through
 * all commands. If it makes none for as long as the watchdog waits for one, it has failed, too.
 */
static bool anpu_stream_start_failed(struct anpu_stream *stream)
{
	unsigned long timeout = jiffies + max(msecs_to_jiffies(READ_ONCE(anpu_watchdog_ms)),
						  anpu_patience());
	struct anpu_device *adev = stream->adev;
	u64 first = anpu_read(adev, ANPU_REG_HEARTBEAT), now = first;

	while (adev->caps & ANPU_CAP_RECOVERY && now != U64_MAX &&
	       ANPU_HEARTBEAT_BEATS(now) - ANPU_HEARTBEAT_BEATS(first) < 2 &&
	       time_before(jiffies, timeout)) {
		if (anpu_stream_state(stream) != ANPU_QUEUE_STOPPED)
			return false;
		usleep_range(100, 200);
		/* Each read of the register asks for one more beat. */
		now = anpu_read(adev, ANPU_REG_HEARTBEAT);
	}
	return anpu_stream_state(stream) == ANPU_QUEUE_STOPPED;
}

static int anpu_stream_wait_started(struct anpu_stream *stream)
{
	struct device *dev = &stream->adev->pdev->dev;
	unsigned long timeout = jiffies + anpu_patience();

	for (unsigned int tries = 0; anpu_stream_state(stream) == ANPU_QUEUE_STOPPED; tries++) {
		if (time_after(jiffies, timeout)) {
			if (!anpu_stream_start_failed(stream))
				break;
			dev_err(dev, "queue %u does not start\n", stream->queue);
			stream->start_lost = true;
			return -EIO;
		}
		if (tries < ANPU_START_SPIN)
			cpu_relax();
		else
			usleep_range(10, 50);
	}
	if (anpu_stream_state(stream) == ANPU_QUEUE_REFUSED) {
		struct anpu_fault *fault = stream->status->fault;

		dev_err(dev, "the device refuses queue %u: %*pE\n", stream->queue,
			(int)strnlen(fault->message, sizeof(fault->message)), fault->message);
		/*
		 * The queue is as one that has stopped, but no event says so, as it has no cookie.
		 */
		complete_all(&stream->stopped);
		return -EIO;
	}
	return 0;
}

/*
 * A command of another task either comes before this and finds the stream dead, or comes behind
 * START: in between the device would ignore it. A mode or priority that is set meanwhile is in the
 * context, or its command comes behind START.
 */
static void anpu_stream_revive(struct anpu_stream *stream)
{
	struct anpu_device *adev = stream->adev;

	guard(spinlock_irqsave)(&stream->wait_lock);
	stream->wptr = 0;
	stream->published = 0;
	stream->fence_errors = 0;
	stream->abort_from = 0;
	stream->abort_to = 0;
	stream->seen = 0;
	stream->released_ns = anpu_read(adev, ANPU_REG_CLOCK);
	stream->irq_at = 0;
	WRITE_ONCE(stream->printed, 0);
	WRITE_ONCE(stream->epoch, stream->epoch + 1);
	/* A task that sees the stream alive also sees the new epoch. */
	smp_store_release(&stream->dead, false);
	anpu_stream_write_context(stream);
	/* The context is in memory before the command. */
	wmb();
	anpu_write(adev, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_START, stream->queue));
}

/**
 * anpu_stream_start() - start the stream's queue, empty
 * @stream: stream whose queue is stopped, new or dead; nobody submits
 *
 * Called with anpu_device.reset_lock held. The stream is not dead any more, whatever is returned.
 *
 * Return: 0 or -EIO.
 */
int anpu_stream_start(struct anpu_stream *stream)
{
	struct anpu_device *adev = stream->adev;

	lockdep_assert_held(&adev->reset_lock);
	anpu_stream_account(stream);
	memset(stream->control, 0, ANPU_CONTROL_SIZE);
	memset(stream->status, 0, sizeof(*stream->status));
	reinit_completion(&stream->stopped);
	stream->start_lost = false;
	scoped_guard(spinlock_irqsave, &adev->streams_lock) {
		stream->cookie = atomic64_inc_return(&adev->cookie);
		adev->streams[stream->queue] = stream;
	}
	anpu_stream_revive(stream);
	return anpu_stream_wait_started(stream);
}

/* The number that counts as completed when a stream dies: the device's, if it is a possible one. */
static u64 anpu_stream_final(const struct anpu_stream *stream)
{
	u64 completed = stream->status ? anpu_stream_completed(stream) : 0;

	return anpu_stream_lies(stream, completed) ? 0 : completed;
}

/**
 * anpu_stream_kill() - nothing more is submitted to a stream, and tasks that wait for it are told
 * @stream: stream; unless it is dead already, in a section of anpu_enter()
 *
 * Return: whether it was alive.
 */
bool anpu_stream_kill(struct anpu_stream *stream)
{
	bool alive;

	scoped_guard(spinlock_irqsave, &stream->wait_lock) {
		alive = !stream->dead;
		if (alive) {
			WRITE_ONCE(stream->final, anpu_stream_final(stream));
			anpu_fences_killed(stream);
			/* A task that sees dead set also sees the final number. */
			smp_store_release(&stream->dead, true);
		}
	}
	/* The caller that killed the stream wakes the waiters. */
	if (alive)
		anpu_stream_wake(stream, true);
	return alive;
}

/**
 * anpu_stream_stop_begin() - tell the device to stop a queue
 * @stream: stream, in a section of anpu_enter()
 */
void anpu_stream_stop_begin(struct anpu_stream *stream)
{
	anpu_write(stream->adev, ANPU_REG_QUEUE_CMD,
		   ANPU_QUEUE_CMD(ANPU_QUEUE_STOP, stream->queue));
}

/**
 * anpu_stream_wait_stopped() - has the device stopped a queue?
 * @stream: stream
 *
 * Return: true if so.
 */
bool anpu_stream_wait_stopped(struct anpu_stream *stream)
{
	struct anpu_device *adev = stream->adev;

	if (wait_for_completion_timeout(&stream->stopped, anpu_patience()))
		return true;
	anpu_eqs_poll(adev);
	if (!completion_done(&stream->stopped))
		return false;
	atomic_inc(&adev->watchdog.lost_interrupts);
	dev_warn_ratelimited(&adev->pdev->dev, "an interrupt was lost: queue %u\n", stream->queue);
	return true;
}

/**
 * anpu_stream_stop_end() - wait until the device has stopped a queue
 * @stream: stream
 * @gen: anpu_device.reset_gen from before anpu_stream_stop_begin()
 *
 * If the device does not acknowledge, the queue is reset, and if that does not help, the device. In
 * any case it does not touch the stream's memory and address space any more when this returns.
 */
void anpu_stream_stop_end(struct anpu_stream *stream, u32 gen)
{
	if (anpu_stream_wait_stopped(stream))
		return;
	if (anpu_reset_queue(stream, gen))
		return;
	anpu_reset_device(stream->adev, gen, "a queue does not stop");
}

/**
 * anpu_stream_command() - have the device carry out one of the commands from ABORT on
 * @stream: stream, in a section of anpu_enter()
 * @cmd: enum anpu_queue_cmd
 * @arg: the command's argument, or 0
 *
 * Return: 0 when it has taken effect, -EOPNOTSUPP, -EIO if the stream is dead or dies.
 */
int anpu_stream_command(struct anpu_stream *stream, u32 cmd, u32 arg)
{
	unsigned long timeout = jiffies + anpu_patience();
	struct anpu_device *adev = stream->adev;
	u64 before;
	u32 epoch;

	if (!(adev->caps & ANPU_CAP_ABORT))
		return -EOPNOTSUPP;
	guard(mutex)(&stream->cmd_lock);
	/* Once anpu_stream_kill() has had the lock, the queue may belong to another stream. */
	scoped_guard(spinlock_irqsave, &stream->wait_lock) {
		if (stream->dead)
			return -EIO;
		epoch = stream->epoch;
		before = READ_ONCE(stream->status->commands);
		anpu_write(adev, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(cmd, stream->queue, arg));
	}
	for (unsigned int tries = 0; READ_ONCE(stream->status->commands) == before; tries++) {
		/* Pairs with anpu_stream_kill(). */
		if (smp_load_acquire(&stream->dead) || READ_ONCE(stream->epoch) != epoch)
			return anpu_dead_error(adev);
		if (time_after(jiffies, timeout)) {
			anpu_stream_end(stream, "it does not obey");
			return anpu_dead_error(adev);
		}
		if (tries < ANPU_START_SPIN)
			cpu_relax();
		else
			usleep_range(10, 50);
	}
	return 0;
}
