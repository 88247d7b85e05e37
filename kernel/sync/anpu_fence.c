// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Fences of jobs: dma_fences that others wait for, in this driver and in any other.
 *
 * Whoever waits for a dma_fence may do so in memory reclaim, so a fence signals in bounded time
 * whatever the device and the programs do, and nothing that leads to that allocates memory or takes
 * a lock under which somebody else may. All of it is anpu_fence_work(), on a workqueue that is
 * there for reclaim, and the only locks are spinlocks. It looks when the device says that a job has
 * completed, when the stream dies or halts, and when the job's time is over: then it kills the
 * stream itself. It neither waits for the device nor resets it: anpu_expire_work() does that
 * afterwards.
 *
 * The fences of a stream that dies signal when the device has acknowledged that, as until then its
 * last packet may still write; but not later than stop_timeout_ms. To signal before the device has
 * stopped is a matter of the data alone: what the device reaches is never freed because of a fence
 * (Documentation/driver.md, "When is memory free for others?").
 *
 * Callbacks of others run without any lock of this driver's, as they may submit to another stream.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "anpu_fence.h"
#include "anpu_gate.h"
#include "anpu_wake.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "reset/anpu_pm.h"
#include "reset/anpu_reset.h"
#include "reset/anpu_watchdog.h"
#include "stream/anpu_queue.h"
#include "stream/anpu_stream.h"
#include "stream/anpu_submit.h"

/* Fences that are taken off their list with interrupts off in one go. */
#define ANPU_FENCE_BATCH	64

static struct workqueue_struct *anpu_fence_wq;

/* dma_fence ------------------------------------------------------------------------------------ */

static struct anpu_fence *to_anpu_fence(struct dma_fence *base)
{
	return container_of(base, struct anpu_fence, base);
}

static const char *anpu_fence_driver_name(struct dma_fence *base)
{
	return DRM_ANPU_DRIVER_NAME;
}

static const char *anpu_fence_timeline_name(struct dma_fence *base)
{
	return to_anpu_fence(base)->timeline;
}

/*
 * A callback of RCU runs where a grace period cannot end, and the module's code is freed a grace
 * period behind the last reference at the earliest.
 */
static void anpu_fence_free_rcu(struct rcu_head *rcu)
{
	kfree(to_anpu_fence(container_of(rcu, struct dma_fence, rcu)));
	module_put(THIS_MODULE);
}

static void anpu_fence_release(struct dma_fence *base)
{
	call_rcu(&base->rcu, anpu_fence_free_rcu);
}

/* Signalling is always enabled: the device is asked for its interrupt when the job is submitted. */
static const struct dma_fence_ops anpu_fence_ops = {
	.get_driver_name = anpu_fence_driver_name,
	.get_timeline_name = anpu_fence_timeline_name,
	.release = anpu_fence_release,
};

/**
 * anpu_fence_alloc() - memory for a fence
 * @stream: stream that the job is for
 *
 * Return: a fence that nobody sees yet, or NULL.
 */
struct anpu_fence *anpu_fence_alloc(const struct anpu_stream *stream)
{
	struct anpu_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	spin_lock_init(&fence->lock);
	INIT_LIST_HEAD(&fence->link);
	snprintf(fence->timeline, sizeof(fence->timeline), "anpu-%u-%s", stream->queue,
		 stream->comm);
	return fence;
}

/**
 * anpu_fence_free() - the job is not submitted
 * @fence: from anpu_fence_alloc(), not initialised; or NULL
 */
void anpu_fence_free(struct anpu_fence *fence)
{
	kfree(fence);
}

/**
 * anpu_fence_init() - from here on others may have references
 * @fence: fence; it has to signal, or its last reference has to be put
 * @stream: its stream, whose lock is held, so that numbers are in the order of jobs
 */
void anpu_fence_init(struct anpu_fence *fence, struct anpu_stream *stream)
{
	/* The caller is in the module, which has a reference to itself for as long. */
	__module_get(THIS_MODULE);
	dma_fence_init(&fence->base, &anpu_fence_ops, &fence->lock, stream->fence_context,
		       ++stream->fence_seqno);
}

/* Pending fences ------------------------------------------------------------------------------- */

/**
 * anpu_fence_add() - a job is in the ring
 * @stream: stream, alive, under its wait_lock
 * @fence: its fence; the stream takes a reference
 * @from: number of the last packet before it
 * @seq: number of its last packet
 *
 * When the device has the packets, the caller uses anpu_fences_kick(), so that anpu_fence_work()
 * asks for an interrupt and measures the time.
 */
void anpu_fence_add(struct anpu_stream *stream, struct anpu_fence *fence, u64 from, u64 seq)
{
	dma_fence_get(&fence->base);
	fence->from = from;
	fence->seq = seq;
	if (list_empty(&stream->fences))
		stream->fence_since = jiffies;
	list_add_tail(&fence->link, &stream->fences);
}

static struct anpu_fence *anpu_fences_first(struct anpu_stream *stream)
{
	return list_first_entry_or_null(&stream->fences, struct anpu_fence, link);
}

/**
 * anpu_fences_next() - the number that the next fence waits for
 * @stream: stream, under its wait_lock
 * @completed: packets completed
 *
 * Return: the number, U64_MAX if there is none, or if anpu_fence_work() is to look first.
 */
u64 anpu_fences_next(struct anpu_stream *stream, u64 completed)
{
	struct anpu_fence *fence = anpu_fences_first(stream);

	return fence && fence->seq > completed ? fence->seq : U64_MAX;
}

/**
 * anpu_fences_look() - packets have completed, or the stream may have halted
 * @stream: stream, alive, under its wait_lock
 * @completed: packets completed
 *
 * Called from interrupts.
 */
void anpu_fences_look(struct anpu_stream *stream, u64 completed)
{
	struct anpu_fence *fence = anpu_fences_first(stream);

	if (fence && (fence->seq <= completed ||
		      anpu_stream_state(stream) == ANPU_QUEUE_HALTED))
		anpu_fences_kick(stream);
}

/**
 * anpu_fences_kick() - there is something for anpu_fence_work() to do
 * @stream: stream that has not been dismantled
 *
 * Called from interrupts.
 */
void anpu_fences_kick(struct anpu_stream *stream)
{
	mod_delayed_work(anpu_fence_wq, &stream->fence_work, 0);
}

/**
 * anpu_fences_killed() - a stream dies
 * @stream: stream, under its wait_lock, while its status page can be read
 */
void anpu_fences_killed(struct anpu_stream *stream)
{
	if (list_empty(&stream->fences) && list_empty(&stream->gates))
		return;
	anpu_gates_kill(stream);
	stream->final_errors = READ_ONCE(stream->status->errors);
	stream->killed_at = jiffies;
	anpu_fences_kick(stream);
}

/**
 * anpu_fences_stopped() - the queue of a dead stream does nothing any more
 * @stream: stream
 *
 * Called from interrupts.
 */
void anpu_fences_stopped(struct anpu_stream *stream)
{
	guard(spinlock_irqsave)(&stream->wait_lock);
	if (!list_empty(&stream->fences) || !list_empty(&stream->gates) ||
	    !list_empty(&stream->old_gates))
		anpu_fences_kick(stream);
}

/**
 * anpu_fences_opened() - packets behind a gate were given to the device
 * @stream: stream, under its wait_lock
 * @before: packets that it had
 * @limit: packets that it has now
 */
void anpu_fences_opened(struct anpu_stream *stream, u64 before, u64 limit)
{
	struct anpu_fence *fence = anpu_fences_first(stream);

	/* The time of a job begins when the device has all of it. */
	if (fence && fence->seq > before && fence->seq <= limit)
		stream->fence_since = jiffies;
	anpu_fences_kick(stream);
}

/* Errors --------------------------------------------------------------------------------------- */

static int anpu_fence_cause_error(u32 cause)
{
	switch (cause) {
	case ANPU_FAULT_TIMEOUT:
	case ANPU_FAULT_WAIT_TIMEOUT:
		return -ETIME;
	case ANPU_FAULT_KILLED:
	case ANPU_FAULT_ENDED:
		return -ECANCELED;
	}
	return -EIO;
}

/*
 * Has a packet of a job failed? Failures are counted in the order of packets, and the device counts
 * one before it counts its packet as completed. Of the records only the newest are there, beside
 * the first.
 */
static int anpu_fence_failure(struct anpu_stream *stream, const struct anpu_fence *fence)
{
	u64 errors = READ_ONCE(stream->status->errors);
	u64 ordinal = stream->fence_errors + 1;
	int ret = 0;

	/* A record that is missing may be the job's own one. */
	if (errors >= ordinal + ANPU_STATUS_FAULTS - 1) {
		ordinal = errors - ANPU_STATUS_FAULTS + 2;
		ret = -EIO;
	}
	for (; ordinal <= errors; ordinal++) {
		const struct anpu_fault *rec = anpu_fault_record(stream, ordinal);

		if (!rec) {
			ret = ret ?: -EIO;
			continue;
		}
		if (READ_ONCE(rec->seq) > fence->seq)
			break;
		/*
		 * Packets before the job may have failed that no fence stands for: then those
		 * whose records are missing have failed before that.
		 */
		if (READ_ONCE(rec->seq) <= fence->from)
			ret = 0;
		else
			ret = ret ?: anpu_fence_cause_error(READ_ONCE(rec->cause));
	}
	stream->fence_errors = ordinal - 1;
	return ret;
}

/* The result of a job whose last packet counts as completed. */
static int anpu_fence_result(struct anpu_stream *stream, const struct anpu_fence *fence)
{
	int failure;

	/* The status page of a dead stream may be gone: nobody can say which job a failure was. */
	if (stream->dead)
		return fence->error ?:
			stream->final_errors > stream->fence_errors ? -EIO : 0;
	failure = anpu_fence_failure(stream, fence);
	if (fence->error)
		return fence->error;
	if (fence->seq > stream->abort_from && fence->seq <= stream->abort_to)
		return -ECANCELED;
	return failure;
}

/* Signalling ----------------------------------------------------------------------------------- */

/**
 * struct anpu_fence_look - what one look at a stream finds
 * @completed: packets that count as completed
 * @error: what becomes of the others, 0 if the stream goes on
 * @more: there was more than one look takes
 */
struct anpu_fence_look {
	u64 completed;
	int error;
	bool more;
};

/* Returns whether fences of this stream can be told anything at this time. */
static bool anpu_fences_status(struct anpu_stream *stream, struct anpu_fence_look *look)
{
	unsigned long end;

	if (stream->dead) {
		end = stream->killed_at + anpu_patience();
		look->completed = stream->final;
		look->error = anpu_dead_error(stream->adev);
		if (stream->finish || completion_done(&stream->stopped) ||
		    !time_before(jiffies, end))
			return true;
		mod_delayed_work(anpu_fence_wq, &stream->fence_work, end - jiffies);
		return false;
	}
	/* A queue that says HALTED has stored completed before. */
	look->error = anpu_stream_state(stream) == ANPU_QUEUE_HALTED ? -ECANCELED : 0;
	look->completed = anpu_stream_completed(stream);
	if (!anpu_stream_lies(stream, look->completed))
		return true;
	/* The watchdog ends the stream; if nobody does, its job's time does. */
	anpu_watchdog_now(stream->adev);
	look->completed = 0;
	look->error = 0;
	return true;
}

/* Under wait_lock: takes the fences that are to signal, with what they are to say. */
static void anpu_fences_collect(struct anpu_stream *stream, struct list_head *done,
				struct anpu_fence_look *look)
{
	struct anpu_fence *fence;
	u32 budget = ANPU_FENCE_BATCH;

	if (!anpu_fences_status(stream, look))
		return;
	while ((fence = anpu_fences_first(stream))) {
		bool reached = fence->seq <= look->completed;

		if (!reached && !look->error)
			break;
		if (!budget--) {
			look->more = true;
			return;
		}
		fence->error = reached ? anpu_fence_result(stream, fence) :
			       fence->error ?: look->error;
		stream->fence_since = jiffies;
		list_move_tail(&fence->link, done);
	}
	/* A number that has come just now is looked at again. */
	if (fence && !stream->dead && !anpu_stream_rearm(stream, look->completed) &&
	    !anpu_stream_lies(stream, anpu_stream_completed(stream)))
		look->more = true;
}

static void anpu_fences_signal(struct list_head *done)
{
	struct anpu_fence *fence, *next;

	list_for_each_entry_safe(fence, next, done, link) {
		list_del_init(&fence->link);
		if (fence->error)
			dma_fence_set_error(&fence->base, fence->error);
		dma_fence_signal(&fence->base);
		dma_fence_put(&fence->base);
	}
}

/* Under wait_lock: has the first job had its time? If not, this work comes again when it has. */
static bool anpu_fences_expired(struct anpu_stream *stream)
{
	struct anpu_fence *fence = anpu_fences_first(stream);
	unsigned long end;

	/* A job that waits for fences of others ends in bounded time because these do. */
	if (stream->dead || !fence || fence->seq > anpu_stream_published(stream))
		return false;
	end = stream->fence_since + msecs_to_jiffies(READ_ONCE(anpu_fence_timeout_ms));
	if (!time_before(jiffies, end))
		return true;
	mod_delayed_work(anpu_fence_wq, &stream->fence_work, end - jiffies);
	return false;
}

static void anpu_fences_expire(struct anpu_stream *stream)
{
	if (!anpu_stream_kill(stream))
		return;
	kref_get(&stream->ref);
	/* The queue has to be stopped, which nobody waits for who waits for a fence. */
	if (!queue_work(system_unbound_wq, &stream->expire_work))
		anpu_stream_put(stream);
}

static void anpu_fence_work(struct work_struct *work)
{
	struct anpu_stream *stream = container_of(to_delayed_work(work), struct anpu_stream,
						  fence_work);
	bool cookie = dma_fence_begin_signalling(), expired = false;
	struct anpu_fence_look look;
	LIST_HEAD(done);

	do {
		look = (struct anpu_fence_look) { };
		scoped_guard(spinlock_irqsave, &stream->wait_lock) {
			anpu_fences_collect(stream, &done, &look);
			if (!look.more)
				expired = anpu_fences_expired(stream);
		}
		anpu_fences_signal(&done);
		/* A job whose fences have failed is replaced, and then completes as any other. */
		look.more |= anpu_gates_blank(stream);
		cond_resched();
	} while (look.more);
	if (expired)
		anpu_fences_expire(stream);
	dma_fence_end_signalling(cookie);
	anpu_gates_retire(stream);
}

/* The fences have been told: now the queue is stopped as one that does not do its work. */
static void anpu_expire_work(struct work_struct *work)
{
	struct anpu_stream *stream = container_of(work, struct anpu_stream, expire_work);
	struct anpu_device *adev = stream->adev;

	/* All queues of a device that is leaving, or away, have been stopped. */
	if (percpu_down_read_trylock(&adev->presence_lock)) {
		int idx = anpu_enter(&adev->drm);

		if (idx >= 0)
			anpu_stream_end_dead(stream, "a job with a fence took too long");
		anpu_exit(idx);
		percpu_up_read(&adev->presence_lock);
	}
	anpu_stream_put(stream);
}

/* Init and fini -------------------------------------------------------------------------------- */

/**
 * anpu_fences_finish() - all fences of a dead stream signal, and its gates are gone
 * @stream: stream that is dead, whose queue has stopped, and to which nobody submits
 */
void anpu_fences_finish(struct anpu_stream *stream)
{
	WRITE_ONCE(stream->finish, true);
	anpu_fences_stopped(stream);
	flush_delayed_work(&stream->fence_work);
	WRITE_ONCE(stream->finish, false);
}

/**
 * anpu_fences_init() - a new stream has no fences
 * @stream: stream
 */
void anpu_fences_init(struct anpu_stream *stream)
{
	INIT_LIST_HEAD(&stream->fences);
	INIT_LIST_HEAD(&stream->gates);
	INIT_LIST_HEAD(&stream->old_gates);
	INIT_DELAYED_WORK(&stream->fence_work, anpu_fence_work);
	INIT_WORK(&stream->expire_work, anpu_expire_work);
	stream->fence_context = dma_fence_context_alloc(1);
}

/**
 * anpu_fences_end() - a stream is dismantled
 * @stream: stream as for anpu_fences_finish(), which no interrupt finds any more
 */
void anpu_fences_end(struct anpu_stream *stream)
{
	anpu_fences_finish(stream);
	flush_work(&stream->expire_work);
	cancel_delayed_work_sync(&stream->fence_work);
}

/**
 * anpu_fence_module_init() - before the first device
 *
 * Return: 0 or -ENOMEM.
 */
int anpu_fence_module_init(void)
{
	anpu_fence_wq = alloc_workqueue("anpu-fence", WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_UNBOUND, 0);
	return anpu_fence_wq ? 0 : -ENOMEM;
}

/**
 * anpu_fence_module_fini() - when no device is left, and no fence
 */
void anpu_fence_module_fini(void)
{
	destroy_workqueue(anpu_fence_wq);
	/* The last fences were freed by callbacks of RCU. */
	rcu_barrier();
}
