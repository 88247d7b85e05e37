// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events: the device's event queues and their interrupts, and drm_events to userspace.
 *
 * The hard interrupt handler consumes the queue and wakes waiters itself, because a thread in
 * between costs more than all the rest of a wait. If there are many events, a thread consumes them,
 * and the handler only wakes the tasks that wait for one of them. A work item prints faults.
 */
#include <linux/interrupt.h>
#include <linux/sched/rt.h>
#include <linux/slab.h>

#include "anpu_device.h"
#include "anpu_drv.h"
#include "anpu_event.h"
#include "diag/anpu_trace.h"
#include "memory/anpu_hbm.h"
#include "reset/anpu_pm.h"
#include "reset/anpu_watchdog.h"
#include "stream/anpu_stream.h"
#include "sync/anpu_fence.h"
#include "sync/anpu_wake.h"

/* With interrupts off in one go: events that are handled, and streams of failing groups. */
#define ANPU_EVENTS_HARD	64
/* With interrupts off in one go: events that wait for their turn and are looked at. */
#define ANPU_EVENTS_AHEAD	1024

/* drm_events ----------------------------------------------------------------------------------- */

/* Under drm_device.event_lock. */
static bool anpu_event_queue(struct anpu_file *file, const struct drm_event *event)
{
	struct drm_device *drm = &file->adev->drm;
	struct drm_pending_event *pending;

	pending = kmalloc(sizeof(*pending) + event->length, GFP_ATOMIC | __GFP_NOWARN);
	if (!pending)
		return false;
	memset(pending, 0, sizeof(*pending));
	memcpy(pending + 1, event, event->length);
	if (drm_event_reserve_init_locked(drm, file->drm, pending,
					  (struct drm_event *)(pending + 1))) {
		kfree(pending);
		return false;
	}
	drm_send_event_locked(drm, pending);
	return true;
}

/*
 * Under drm_device.event_lock. No event may pass a LOST event, or programs would see a wrong order.
 */
static void anpu_event_flush_lost(struct anpu_file *file)
{
	struct drm_anpu_event_lost lost = {
		.base = { .type = DRM_ANPU_EVENT_LOST, .length = sizeof(lost) },
		.count = file->lost,
	};

	if (file->lost && anpu_event_queue(file, &lost.base))
		file->lost = 0;
}

static void anpu_event_send(struct anpu_file *file, u32 mask, const struct drm_event *event)
{
	guard(spinlock_irqsave)(&file->adev->drm.event_lock);
	if (!(file->events & mask))
		return;
	anpu_event_flush_lost(file);
	if (file->lost || !anpu_event_queue(file, event))
		file->lost++;
}

static void anpu_send_fault(struct anpu_stream *stream, const struct anpu_event *ev)
{
	struct drm_anpu_event_fault event = {
		.base = { .type = DRM_ANPU_EVENT_FAULT, .length = sizeof(event) },
		.stream = stream->id,
		.cause = ev->code,
		.seq = ev->seq,
		.ordinal = ev->data0,
	};
	const struct anpu_fault *rec = anpu_fault_record(stream, ev->data0);

	if (rec)
		event.task_id = READ_ONCE(rec->task_id);
	anpu_event_send(stream->file, DRM_ANPU_SUBSCRIBE_FAULT, &event.base);
}

static void anpu_send_notify(struct anpu_stream *stream, const struct anpu_event *ev)
{
	struct drm_anpu_event_notify event = {
		.base = { .type = DRM_ANPU_EVENT_NOTIFY, .length = sizeof(event) },
		.stream = stream->id,
		.seq = ev->seq,
		.cookie = ev->data0,
		.value = ev->data1,
	};

	anpu_event_send(stream->file, DRM_ANPU_SUBSCRIBE_NOTIFY, &event.base);
}

/**
 * anpu_send_reset() - tell every subscriber that the device was reset
 * @adev: device
 */
void anpu_send_reset(struct anpu_device *adev)
{
	struct drm_anpu_event_reset event = {
		.base = { .type = DRM_ANPU_EVENT_RESET, .length = sizeof(event) },
		.resets = READ_ONCE(adev->reset_gen),
	};
	struct anpu_file *file;

	guard(mutex)(&adev->files_lock);
	list_for_each_entry(file, &adev->files, link)
		anpu_event_send(file, DRM_ANPU_SUBSCRIBE_RESET, &event.base);
}

/**
 * anpu_file_events_off() - no events to this file from now on
 * @file: a file about to be closed
 */
void anpu_file_events_off(struct anpu_file *file)
{
	guard(spinlock_irqsave)(&file->adev->drm.event_lock);
	file->events = 0;
	file->lost = 0;
}

/**
 * anpu_event_read() - read() of the device file
 * @filp: file
 * @buf: for the events
 * @count: bytes in @buf
 * @offset: not used
 *
 * As drm_read(), but a sleeping reader is woken when the device goes away, and the room that
 * reading has made is used for a LOST event that had none.
 * Return: bytes, -ENODEV or an error of drm_read().
 */
ssize_t anpu_event_read(struct file *filp, char __user *buf, size_t count, loff_t *offset)
{
	struct drm_file *drm_file = filp->private_data;
	struct anpu_file *file = to_anpu_file(drm_file);
	struct drm_device *drm = &file->adev->drm;
	bool block = !(filp->f_flags & O_NONBLOCK);
	ssize_t ret;

	do {
		ret = block ? wait_event_interruptible(drm_file->event_wait,
						       !list_empty(&drm_file->event_list) ||
						       anpu_gone(file->adev)) : 0;
		if (ret)
			return ret;
		if (list_empty(&drm_file->event_list) && anpu_gone(file->adev))
			return -ENODEV;
		/*
		 * One reader at a time: drm_read() would sleep for an event that another reader has
		 * taken.
		 */
		ret = mutex_lock_interruptible(&file->read_lock);
		if (ret)
			return -ERESTARTSYS;
		ret = block && list_empty(&drm_file->event_list) ? -EAGAIN :
			drm_read(filp, buf, count, offset);
		mutex_unlock(&file->read_lock);
	} while (block && ret == -EAGAIN);
	scoped_guard(spinlock_irqsave, &drm->event_lock)
		anpu_event_flush_lost(file);
	return ret;
}

int anpu_event_subscribe_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	const u32 known = DRM_ANPU_SUBSCRIBE_FAULT | DRM_ANPU_SUBSCRIBE_NOTIFY |
			  DRM_ANPU_SUBSCRIBE_RESET;
	struct anpu_file *file = to_anpu_file(drm_file);
	struct drm_anpu_event_subscribe *args = data;

	if (args->mask & ~known || args->pad)
		return -EINVAL;
	guard(spinlock_irqsave)(&drm->event_lock);
	file->events = args->mask;
	return 0;
}

/* Faults in the log ---------------------------------------------------------------------------- */

static const char * const anpu_causes[ANPU_FAULT_COUNT] = {
	[ANPU_FAULT_NONE] = "no fault",
	[ANPU_FAULT_BAD_OPCODE] = "unknown opcode",
	[ANPU_FAULT_BAD_PACKET] = "bad packet",
	[ANPU_FAULT_BAD_DOORBELL] = "bad write index",
	[ANPU_FAULT_BAD_CONTEXT] = "bad queue context",
	[ANPU_FAULT_WAIT_TIMEOUT] = "semaphore wait expired",
	[ANPU_FAULT_KILLED] = "killed",
	[ANPU_FAULT_ENDED] = "ended",
	[ANPU_FAULT_UNMAPPED] = "address not mapped",
	[ANPU_FAULT_PERMISSION] = "access not permitted",
	[ANPU_FAULT_BAD_PTE] = "malformed page table",
	[ANPU_FAULT_BUS] = "system memory not reachable",
	[ANPU_FAULT_MISALIGNED] = "misaligned address",
	[ANPU_FAULT_FETCH] = "pc left executable memory",
	[ANPU_FAULT_ILLEGAL] = "illegal instruction",
	[ANPU_FAULT_BREAKPOINT] = "breakpoint",
	[ANPU_FAULT_TRAP] = "trap",
	[ANPU_FAULT_ASSERT] = "assertion failed",
	[ANPU_FAULT_TIMEOUT] = "operator ran too long",
	[ANPU_FAULT_SCRATCHPAD] = "access outside the scratchpads",
	[ANPU_FAULT_STACK] = "stack overflow",
	[ANPU_FAULT_OPERAND] = "bad operand of a tile operation",
	[ANPU_FAULT_SYNC] = "flag or barrier misuse",
	[ANPU_FAULT_DEADLOCK] = "deadlock between blocks",
	[ANPU_FAULT_UNINITIALISED] = "read of uninitialised memory",
	[ANPU_FAULT_RACE] = "race between pipes",
	[ANPU_FAULT_INTERNAL] = "the device ran out of resources",
};

/**
 * anpu_cause_name() - words for a fault's cause
 * @cause: enum anpu_fault_cause, or any number
 *
 * Return: a static string.
 */
const char *anpu_cause_name(u32 cause)
{
	if (cause >= ARRAY_SIZE(anpu_causes) || !anpu_causes[cause])
		return "unknown cause";
	return anpu_causes[cause];
}

static void anpu_fault_print(struct anpu_stream *stream)
{
	struct device *dev = &stream->adev->pdev->dev;
	struct anpu_fault *fault __free(kfree) = kmalloc(sizeof(*fault), GFP_KERNEL);
	u64 errors = READ_ONCE(stream->status->errors);
	/* A restart sets it to 0; a fault that arrives meanwhile may lose its line in the log. */
	u64 printed = READ_ONCE(stream->printed);
	u64 ordinal = printed ? errors : 1;
	char where[64] = "";

	if (!fault || errors <= printed || anpu_fault_read(stream, ordinal, fault))
		return;
	WRITE_ONCE(stream->printed, errors);
	if (fault->block != ANPU_FAULT_NO_BLOCK)
		snprintf(where, sizeof(where), "; block %u at pc %#llx", fault->block, fault->pc);
	/* The message may be the operator's own text: escaped, so that it cannot fake lines. */
	dev_err_ratelimited(dev, "%s[%d] stream %u (queue %u): packet %llu (opcode %u, task %u) failed: %s: %*pE%s; failure %llu of %llu\n",
			    stream->comm, stream->pid, stream->id, stream->queue, fault->seq,
			    fault->opcode, fault->task_id, anpu_cause_name(fault->cause),
			    (int)strnlen(fault->message, sizeof(fault->message)), fault->message,
			    where, ordinal, errors);
}

static void anpu_fault_print_queue(struct anpu_device *adev, u32 queue)
{
	struct anpu_stream *stream __free(anpu_stream) = anpu_stream_of_queue(adev, queue);

	if (stream)
		anpu_fault_print(stream);
}

/**
 * anpu_fault_work() - print the faults of streams that the interrupt handler has marked
 * @work: anpu_device.fault_work
 */
void anpu_fault_work(struct work_struct *work)
{
	struct anpu_device *adev = container_of(work, struct anpu_device, fault_work);

	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return;

	for (u32 i = 0; i < BITS_TO_LONGS(adev->n_queues); i++) {
		unsigned long bit, pending = xchg(&adev->fault_pending[i], 0);

		for_each_set_bit(bit, &pending, BITS_PER_LONG)
			anpu_fault_print_queue(adev, i * BITS_PER_LONG + bit);
	}
}

/* The device's event queues -------------------------------------------------------------------- */

/*
 * Under streams_lock: the stream that an event is about; NULL if the event belongs to the queue's
 * earlier life.
 */
static struct anpu_stream *anpu_event_stream(struct anpu_device *adev, const struct anpu_event *ev)
{
	struct anpu_stream *stream = ev->queue < adev->n_queues ? adev->streams[ev->queue] : NULL;

	return stream && ev->cookie == stream->cookie ? stream : NULL;
}

static bool anpu_group_has(const struct anpu_stream *failed, const struct anpu_stream *stream)
{
	return stream != failed && stream->file == failed->file &&
	       READ_ONCE(stream->group) == READ_ONCE(failed->group) &&
	       READ_ONCE(stream->flags) & DRM_ANPU_STREAM_STOP_ON_FAILURE;
}

/*
 * Halts the group of a stream that has failed; a stream that the driver or a program has killed did
 * not fail. Each stream that is looked at takes from @budget. Under streams_lock, so that the
 * queues belong to the group. Returns whether all streams were looked at; if not, the event is not
 * consumed, and the next call goes on from the same stream.
 */
static bool anpu_group_halt(struct anpu_eq *eq, const struct anpu_event *ev, u64 *budget)
{
	struct anpu_device *adev = eq->adev;
	struct anpu_stream *failed;
	u32 i = eq->halt_next;

	if (ev->type != ANPU_EVENT_FAULT || ev->code == ANPU_FAULT_KILLED)
		return true;
	guard(spinlock_irqsave)(&adev->streams_lock);
	eq->halt_next = 0;
	failed = anpu_event_stream(adev, ev);
	if (!failed || !READ_ONCE(failed->group))
		return true;
	if (!i) {
		if (!(READ_ONCE(failed->flags) & DRM_ANPU_STREAM_STOP_ON_FAILURE))
			return true;
		eq->halt_at = anpu_fault_time(failed, ev->data0);
	}
	for (i = max(i, 1u); i < adev->n_queues; i++) {
		struct anpu_stream *stream = adev->streams[i];

		if (!stream)
			continue;
		if (!*budget) {
			eq->halt_next = i;
			return false;
		}
		--*budget;
		/*
		 * A stream that has halted needs no command: all of a group may fail together. A
		 * program that saw the failure in the status page may have aborted one before the
		 * event came.
		 */
		if (anpu_group_has(failed, stream) &&
		    READ_ONCE(stream->released_ns) <= eq->halt_at &&
		    anpu_stream_state(stream) != ANPU_QUEUE_HALTED)
			anpu_write(adev, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_HALT, i));
	}
	return true;
}

/*
 * Tasks that wait for packets behind a failure must learn that the queue has halted, which it has
 * before it sends its last event. A queue that goes on may fail as often as it likes.
 */
static void anpu_stream_progress(struct anpu_stream *stream)
{
	anpu_stream_wake(stream, anpu_stream_state(stream) == ANPU_QUEUE_HALTED);
}

static void anpu_event_handle(struct anpu_device *adev, const struct anpu_event *ev)
{
	struct anpu_stream *stream;

	guard(spinlock_irqsave)(&adev->streams_lock);
	stream = anpu_event_stream(adev, ev);
	if (!stream)
		return;

	trace_anpu_event(stream, ev);
	switch (ev->type) {
	case ANPU_EVENT_COMPLETED:
		anpu_stream_progress(stream);
		break;
	case ANPU_EVENT_FAULT:
		anpu_stream_progress(stream);
		if (stream->file)
			anpu_send_fault(stream, ev);
		if (!READ_ONCE(stream->dead)) {
			set_bit(stream->queue, adev->fault_pending);
			queue_work(system_unbound_wq, &adev->fault_work);
		}
		break;
	case ANPU_EVENT_NOTIFY:
		if (stream->file)
			anpu_send_notify(stream, ev);
		break;
	case ANPU_EVENT_SIGNAL:
		anpu_memory_wake(false);
		break;
	case ANPU_EVENT_STOPPED:
		complete_all(&stream->stopped);
		anpu_fences_stopped(stream);
		/* The queue may be in quarantine: anpu_quarantine_reap(). */
		if (stream->start_lost)
			anpu_watchdog_now(adev);
		break;
	default:
		dev_warn_ratelimited(&adev->pdev->dev, "event of unknown type %u\n", ev->type);
	}
}

/*
 * Under eq->lock: the number of events that the device has written. The entries are there. If the
 * device's number makes no sense, the device is to be reset, and there are none.
 */
static u64 anpu_eq_written(struct anpu_eq *eq)
{
	u64 wptr = READ_ONCE(eq->hdr->wptr);

	/* The device stores the write index behind the entries. */
	anpu_hbm_rmb(eq->adev->hbm_coherent);
	if (wptr - eq->rptr <= eq->mask + 1)
		return wptr;
	dev_err_ratelimited(&eq->adev->pdev->dev,
			    "event queue %u: index %llu is ahead of %llu by more than its size\n",
			    eq->index, wptr, eq->rptr);
	WRITE_ONCE(eq->broken, true);
	anpu_watchdog_now(eq->adev);
	return eq->rptr;
}

/*
 * Under eq->lock. A task that waits for its stream or for memory must not wait until a flood of
 * another program's NOTIFYs has been consumed: this wakes the tasks whose event is in the queue.
 * All events stay there. Those that have woken somebody wake again in their turn, which does no
 * harm, as a task that is woken looks for itself. Each event is looked at once.
 */
static void anpu_eq_look_ahead(struct anpu_eq *eq, u64 wptr)
{
	u64 at = max(eq->looked, eq->rptr), end = min(wptr, at + ANPU_EVENTS_AHEAD);
	struct anpu_device *adev = eq->adev;
	bool signal = false;

	for (; at < end; at++) {
		const struct anpu_event *ev = &eq->ring[at & eq->mask];
		u16 type = READ_ONCE(ev->type);

		signal |= type == ANPU_EVENT_SIGNAL;
		if (type == ANPU_EVENT_COMPLETED || type == ANPU_EVENT_FAULT) {
			struct anpu_event copy = *ev;
			struct anpu_stream *stream;

			guard(spinlock_irqsave)(&adev->streams_lock);
			stream = anpu_event_stream(adev, &copy);
			if (stream)
				anpu_stream_progress(stream);
		}
	}
	eq->looked = at;
	if (signal)
		anpu_memory_wake(false);
}

/* Under eq->lock: consumes events up to @wptr, at most @budget. Returns what is left of @budget. */
static u64 anpu_eq_consume(struct anpu_eq *eq, u64 wptr, u64 budget)
{
	for (; budget && eq->rptr != wptr; eq->rptr++) {
		struct anpu_event ev = eq->ring[eq->rptr & eq->mask];

		budget--;
		if (!anpu_group_halt(eq, &ev, &budget))
			break;
		anpu_event_handle(eq->adev, &ev);
	}
	/* The entries have been read before the device may write over them. */
	mb();
	WRITE_ONCE(eq->hdr->rptr, eq->rptr);
	/* Pairs with the device's between writing an entry and looking at rptr. */
	mb();
	return budget;
}

/* Consumes the events that are there, at most @budget. Returns whether there may be more. */
static bool anpu_eq_drain(struct anpu_eq *eq, u64 budget)
{
	guard(spinlock_irqsave)(&eq->lock);
	while (budget) {
		u64 wptr = anpu_eq_written(eq);

		if (wptr == eq->rptr) {
			eq->flooded = false;
			return false;
		}
		if (wptr - eq->rptr > budget)
			anpu_eq_look_ahead(eq, wptr);
		budget = anpu_eq_consume(eq, wptr, budget);
	}
	return true;
}

/*
 * Consumes the events that are there; a program that floods the queue meanwhile cannot keep the
 * driver here, nor interrupts off.
 */
static void anpu_eq_poll(struct anpu_eq *eq)
{
	u64 stop = READ_ONCE(eq->rptr) + eq->mask + 1;

	while ((s64)(READ_ONCE(eq->rptr) - stop) < 0 && anpu_eq_drain(eq, ANPU_EVENTS_HARD))
		cond_resched();
}

/**
 * anpu_eqs_poll() - consume all event queues without an interrupt
 * @adev: device
 *
 * Tasks that have waited too long call this, so that they do not take a lost interrupt for a dead
 * device.
 */
void anpu_eqs_poll(struct anpu_device *adev)
{
	for (u32 i = 0; i < adev->n_eqs; i++)
		anpu_eq_poll(&adev->eqs[i]);
}

/**
 * anpu_eqs_check() - look for events whose interrupt was lost
 * @adev: device
 *
 * Events that have been there for as long as from one call to the next have lost theirs.
 * Return: false if an event queue is broken.
 */
bool anpu_eqs_check(struct anpu_device *adev)
{
	bool good = true;

	for (u32 i = 0; i < adev->n_eqs; i++) {
		struct anpu_eq *eq = &adev->eqs[i];
		u64 rptr = READ_ONCE(eq->rptr);
		bool waiting = READ_ONCE(eq->hdr->wptr) != rptr;

		if (waiting && eq->seen == rptr) {
			atomic_inc(&adev->watchdog.lost_interrupts);
			dev_warn_ratelimited(&adev->pdev->dev, "an interrupt was lost: event queue %u\n",
					     i);
			anpu_eq_poll(eq);
		}
		/*
		 * An event that came to an empty queue just now may still be on its way to the
		 * interrupt handler.
		 */
		eq->seen = waiting ? rptr : U64_MAX;
		good &= !READ_ONCE(eq->broken);
	}
	return good;
}

/*
 * Returns whether the thread has to consume events. While it does, the handler leaves all of them
 * to it, as otherwise a program that makes events without end would keep a CPU in the handler.
 */
static bool anpu_eq_interrupt(struct anpu_eq *eq)
{
	scoped_guard(spinlock_irqsave, &eq->lock) {
		if (eq->flooded) {
			anpu_eq_look_ahead(eq, anpu_eq_written(eq));
			return true;
		}
	}
	if (!anpu_eq_drain(eq, ANPU_EVENTS_HARD))
		return false;
	guard(spinlock_irqsave)(&eq->lock);
	eq->flooded = true;
	return true;
}

static irqreturn_t anpu_irq(int irq, void *data)
{
	struct anpu_eq *eq = data;
	struct task_struct *task = xchg(&eq->test_task, NULL);

	WRITE_ONCE(eq->interrupts, eq->interrupts + 1);
	if (task) {
		wake_up_process(task);
		put_task_struct(task);
	}
	return anpu_eq_interrupt(eq) ? IRQ_WAKE_THREAD : IRQ_HANDLED;
}

/*
 * A program can make events as fast as they are consumed: a thread handles the rest of a flood. It
 * is not an interrupt thread, as those run before all programs.
 */
static irqreturn_t anpu_irq_thread(int irq, void *data)
{
	if (rt_task(current))
		sched_set_normal(current, 0);
	while (anpu_eq_drain(data, ANPU_EVENTS_HARD))
		cond_resched();
	return IRQ_HANDLED;
}

/* Init and fini -------------------------------------------------------------------------------- */

/**
 * anpu_eqs_enable() - give empty event queues to a device fresh from reset
 * @adev: device
 */
void anpu_eqs_enable(struct anpu_device *adev)
{
	for (u32 i = 0; i < adev->n_eqs; i++) {
		struct anpu_eq *eq = &adev->eqs[i];

		scoped_guard(spinlock_irqsave, &eq->lock) {
			memset(eq->mem->cpu, 0, eq->mem->size);
			eq->rptr = 0;
			eq->looked = 0;
			eq->flooded = false;
			eq->halt_next = 0;
			eq->broken = false;
			eq->seen = U64_MAX;
		}
		anpu_write(adev, ANPU_REG_EQ_BASE(i), eq->mem->addr);
		anpu_write(adev, ANPU_REG_EQ_SIZE(i), ilog2(eq->mask + 1));
	}
}

/**
 * anpu_eqs_init() - make the event queues, as many as there are vectors to be had
 * @adev: device
 *
 * Return: 0 or an error.
 */
int anpu_eqs_init(struct anpu_device *adev)
{
	u32 entries = roundup_pow_of_two(clamp(anpu_event_entries, 1u << ANPU_EQ_LOG2_MIN,
					       1u << ANPU_EQ_LOG2_MAX));
	u32 want = min(anpu_vectors ?: num_online_cpus(), adev->n_eqs);
	int vectors;

	vectors = pci_alloc_irq_vectors(adev->pdev, 1, max(want, 1u), PCI_IRQ_MSIX);
	if (vectors < 0) {
		dev_err(&adev->pdev->dev, "no MSI-X vector to be had: error %d\n", vectors);
		return vectors;
	}
	adev->eqs = kcalloc(vectors, sizeof(*adev->eqs), GFP_KERNEL);
	if (!adev->eqs)
		return -ENOMEM;
	adev->n_eqs = vectors;
	for (u32 i = 0; i < adev->n_eqs; i++) {
		struct anpu_eq *eq = &adev->eqs[i];

		eq->adev = adev;
		eq->index = i;
		eq->mask = entries - 1;
		spin_lock_init(&eq->lock);
		eq->mem = anpu_region_create(adev, sizeof(*eq->hdr) + entries * sizeof(*eq->ring),
					     SZ_4K, NULL);
		if (IS_ERR(eq->mem))
			return PTR_ERR(eq->mem);
		eq->hdr = eq->mem->cpu;
		eq->ring = eq->mem->cpu + sizeof(*eq->hdr);
	}
	return 0;
}

/**
 * anpu_eqs_fini() - free what anpu_eqs_init() has made; interrupts are off
 * @adev: device
 */
void anpu_eqs_fini(struct anpu_device *adev)
{
	for (u32 i = 0; adev->eqs && i < adev->n_eqs; i++)
		anpu_region_destroy(adev, adev->eqs[i].mem);
	kfree(adev->eqs);
	adev->eqs = NULL;
}

/**
 * anpu_irqs_init() - request an interrupt for each event queue
 * @adev: device
 *
 * Return: 0 or an error.
 */
int anpu_irqs_init(struct anpu_device *adev)
{
	for (u32 i = 0; i < adev->n_eqs; i++) {
		int ret = pci_request_irq(adev->pdev, i, anpu_irq, anpu_irq_thread,
					  &adev->eqs[i], "anpu-%s-%u", pci_name(adev->pdev), i);

		if (ret) {
			dev_err(&adev->pdev->dev, "no interrupt for vector %u: error %d\n", i, ret);
			return ret;
		}
		adev->eqs[i].irq = pci_irq_vector(adev->pdev, i);
	}
	return 0;
}

/**
 * anpu_irqs_fini() - free interrupts and vectors; no handler runs after that
 * @adev: device
 */
void anpu_irqs_fini(struct anpu_device *adev)
{
	for (u32 i = 0; adev->eqs && i < adev->n_eqs; i++) {
		if (adev->eqs[i].irq)
			pci_free_irq(adev->pdev, i, &adev->eqs[i]);
		adev->eqs[i].irq = 0;
	}
	pci_free_irq_vectors(adev->pdev);
}
