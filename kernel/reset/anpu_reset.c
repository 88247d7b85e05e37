// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reset: of one stream, and of a device that has stopped doing its work. */
#include <linux/capability.h>
#include <linux/kobject.h>

#include "anpu_pm.h"
#include "anpu_reset.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "device/anpu_event.h"
#include "diag/anpu_dump.h"
#include "diag/anpu_trace.h"
#include "stream/anpu_map.h"
#include "stream/anpu_queue.h"
#include "stream/anpu_stream.h"
#include "sync/anpu_fence.h"
#include "sync/anpu_gate.h"
#include "sync/anpu_wake.h"

/* Helpers -------------------------------------------------------------------------------------- */

/**
 * anpu_streams_kill_all() - anpu_stream_kill() for all streams
 * @adev: device
 */
void anpu_streams_kill_all(struct anpu_device *adev)
{
	guard(spinlock_irqsave)(&adev->streams_lock);
	for (u32 i = 0; i < adev->n_queues; i++) {
		if (adev->streams[i])
			anpu_stream_kill(adev->streams[i]);
	}
}

/*
 * Revokes the mappings of dead streams; their status pages stay, so that programs see what
 * happened.
 */
static void anpu_revoke_user_queues(struct anpu_device *adev)
{
	for (u32 i = 1; i < adev->n_queues; i++) {
		struct anpu_stream *stream __free(anpu_stream) = anpu_stream_of_queue(adev, i);

		if (stream && stream->flags & DRM_ANPU_STREAM_USER_QUEUE)
			anpu_stream_revoke(stream, false);
	}
}

/* After a reset no queue runs: tasks that wait for queues to stop need not wait any longer. */
static void anpu_all_stopped(struct anpu_device *adev)
{
	guard(spinlock_irqsave)(&adev->streams_lock);
	for (u32 i = 0; i < adev->n_queues; i++) {
		if (!adev->streams[i])
			continue;
		complete_all(&adev->streams[i]->stopped);
		anpu_fences_stopped(adev->streams[i]);
	}
}

static int anpu_restart_driver_stream(struct anpu_device *adev)
{
	struct anpu_stream *stream = adev->driver_stream;
	int ret;

	if (!stream)
		return 0;
	/* The user of the lock was woken by anpu_streams_kill_all() and releases it. */
	guard(mutex)(&stream->lock);
	ret = anpu_stream_start(stream);
	if (ret)
		anpu_stream_kill(stream);
	return ret;
}

/*
 * Does the work of drm_dev_wedged_event() of Linux 6.15 and newer, see drm-uapi.rst. That function
 * takes a primary node for granted, which a device of drivers/accel does not have.
 */
static void anpu_wedged_event(struct drm_device *drm)
{
	char event[] = "WEDGED=rebind,bus-reset";
	char *env[2] = { event, NULL };

	if (drm->accel && drm->accel->kdev)
		kobject_uevent_env(&drm->accel->kdev->kobj, KOBJ_CHANGE, env);
}

/*
 * Cuts the device off from the bus: when this returns it reaches no memory, so memory whose address
 * it may know can be freed.
 */
static void anpu_cut(struct anpu_device *adev, enum anpu_state end)
{
	pci_clear_master(adev->pdev);
	anpu_set_state(adev, end);
	/* Tasks that wait for memory end their wait: no SEM_SIGNAL will come. */
	anpu_memory_wake(true);
}

/* The device ----------------------------------------------------------------------------------- */

/**
 * anpu_device_restart() - reset a device whose streams are dead, and bring it up again
 * @adev: device
 *
 * Called with anpu_device.reset_lock held. If the device does not come back, or not so that its own
 * queue starts, it is wedged.
 *
 * Return: 0, -ETIMEDOUT or -EIO.
 */
int anpu_device_restart(struct anpu_device *adev)
{
	struct device *dev = &adev->pdev->dev;
	int ret;

	lockdep_assert_held(&adev->reset_lock);
	ret = anpu_device_reset_hw(adev);
	if (!ret)
		ret = anpu_device_program(adev);
	if (!ret)
		pci_set_master(adev->pdev);
	else
		anpu_cut(adev, ANPU_WEDGED);
	/* From here on any task that waits for the reset may free memory that queues have used. */
	WRITE_ONCE(adev->reset_gen, adev->reset_gen + 1);
	anpu_all_stopped(adev);
	anpu_revoke_user_queues(adev);
	anpu_quarantine_end(adev);
	if (!ret) {
		ret = anpu_restart_driver_stream(adev);
		if (ret)
			anpu_cut(adev, ANPU_WEDGED);
	}
	if (ret) {
		dev_err(dev, "the device does not come back: error %d, it is not used any more\n",
			ret);
		anpu_wedged_event(&adev->drm);
		/* The driver's stream was started meanwhile. */
		anpu_all_stopped(adev);
	}
	return ret;
}

/* All bits of every register read as 1: the device has left without notice. */
static void anpu_device_lost(struct anpu_device *adev)
{
	lockdep_assert_held(&adev->reset_lock);
	dev_err(&adev->pdev->dev, "the device reads as all ones: it is gone\n");
	trace_anpu_reset(adev, "it is gone");
	anpu_set_state(adev, ANPU_REMOVING);
	anpu_streams_kill_all(adev);
	anpu_cut(adev, ANPU_GONE);
	WRITE_ONCE(adev->reset_gen, adev->reset_gen + 1);
	anpu_all_stopped(adev);
	anpu_wedged_event(&adev->drm);
	/*
	 * A work item does the rest, because the caller that found the device missing may hold any
	 * lock.
	 */
	queue_work(system_unbound_wq, &adev->lost_work);
}

/**
 * anpu_reset_device() - reset the device; all streams die
 * @adev: device, in a section of anpu_enter()
 * @gen: anpu_device.reset_gen when the caller saw a reason; a reset since then will do
 * @why: the reason, for the log
 *
 * Return: 0, -ETIMEDOUT, -EIO, or -ENODEV if nothing is there any more.
 */
int anpu_reset_device(struct anpu_device *adev, u32 gen, const char *why)
{
	bool gone = false, running;
	int ret = -ENODEV;

	scoped_guard(mutex, &adev->reset_lock) {
		if (adev->reset_gen != gen)
			return 0;
		if (anpu_cut_off(adev) || anpu_gone(adev) || adev->state == ANPU_AWAY)
			return anpu_dead_error(adev);
		if (anpu_vanished(adev)) {
			anpu_device_lost(adev);
			gone = true;
			break;
		}
		dev_warn(&adev->pdev->dev, "resetting the device: %s\n", why);
		trace_anpu_reset(adev, why);
		/* A device that is about to be away, or coming back, stays in that state. */
		running = adev->state == ANPU_RUNNING;
		if (running)
			anpu_set_state(adev, ANPU_RESETTING);
		anpu_dump(adev, why);
		anpu_streams_kill_all(adev);
		ret = anpu_device_restart(adev);
		if (!ret && running)
			anpu_set_state(adev, ANPU_RUNNING);
	}
	if (gone)
		anpu_device_kill(adev);
	else
		anpu_send_reset(adev);
	return ret;
}

/**
 * anpu_stream_end() - end a stream whose queue does not do what it has to do
 * @stream: stream, in a section of anpu_enter(); its lock is not held
 * @why: the reason, for the log
 *
 * Its program gets -EIO, other streams go on.
 */
void anpu_stream_end(struct anpu_stream *stream, const char *why)
{
	/* Submitters that wait for room release their lock. */
	if (anpu_stream_kill(stream))
		anpu_stream_end_dead(stream, why);
}

/**
 * anpu_stream_end_dead() - the same for the caller that has killed the stream
 * @stream: stream, in a section of anpu_enter(), after anpu_stream_kill(); its lock is not held
 * @why: the reason, for the log
 */
void anpu_stream_end_dead(struct anpu_stream *stream, const char *why)
{
	u32 gen = READ_ONCE(stream->adev->reset_gen);

	/* Until this is over, the queue is not given to another stream. */
	guard(mutex)(&stream->lock);
	if (stream->destroyed)
		return;
	dev_err(&stream->adev->pdev->dev, "queue %u of %s[%d]: %s: the stream ends\n",
		stream->queue, stream->comm, stream->pid, why);
	anpu_stream_stop_begin(stream);
	anpu_stream_stop_end(stream, gen);
}

/**
 * anpu_reset_queue() - reset a queue that does not stop
 * @stream: stream, in a section of anpu_enter(), after anpu_stream_stop_begin()
 * @gen: anpu_device.reset_gen from before that
 *
 * Other streams go on.
 * Return: true if it has stopped, false if only a reset of the device is left.
 */
bool anpu_reset_queue(struct anpu_stream *stream, u32 gen)
{
	struct anpu_device *adev = stream->adev;

	if (!(adev->caps & ANPU_CAP_RECOVERY))
		return false;
	scoped_guard(mutex, &adev->reset_lock) {
		if (adev->reset_gen != gen || anpu_cut_off(adev) || anpu_vanished(adev))
			return completion_done(&stream->stopped);
		dev_warn(&adev->pdev->dev, "queue %u of %s[%d] does not stop: resetting the queue\n",
			 stream->queue, stream->comm, stream->pid);
		anpu_dump(adev, "a queue does not stop and is reset");
		WRITE_ONCE(adev->queue_resets, adev->queue_resets + 1);
		anpu_write(adev, ANPU_REG_QUEUE_CMD,
			   ANPU_QUEUE_CMD(ANPU_QUEUE_RESET, stream->queue));
	}
	return anpu_stream_wait_stopped(stream);
}

/**
 * anpu_device_quiesce() - the device is let go of: it reaches no memory any more
 * @adev: device
 * @reset: it answers, so it is reset first
 * @end: its state from now on, if it is not cut off already
 *
 * Called with anpu_device.reset_lock held. What frees memory after this need not ask the device.
 */
void anpu_device_quiesce(struct anpu_device *adev, bool reset, enum anpu_state end)
{
	lockdep_assert_held(&adev->reset_lock);
	if (anpu_cut_off(adev))
		return;
	/* If the reset does not help, the device is cut off. */
	if (reset && pci_device_is_present(adev->pdev))
		anpu_device_reset_hw(adev);
	anpu_cut(adev, end);
	WRITE_ONCE(adev->reset_gen, adev->reset_gen + 1);
	anpu_all_stopped(adev);
}

/**
 * anpu_device_kill() - the device goes away: stop it, wake everybody, and let nobody in any more
 * @adev: device
 */
void anpu_device_kill(struct anpu_device *adev)
{
	struct anpu_file *file;

	scoped_guard(mutex, &adev->reset_lock) {
		/* A device that is away was reset before it went. */
		bool away = adev->state == ANPU_AWAY || adev->state == ANPU_RETURNING;

		anpu_set_state(adev, anpu_cut_off(adev) ? ANPU_GONE : ANPU_REMOVING);
		anpu_streams_kill_all(adev);
		anpu_device_quiesce(adev, !away, ANPU_GONE);
	}
	anpu_memory_wake(true);
	guard(mutex)(&adev->files_lock);
	list_for_each_entry(file, &adev->files, link)
		wake_up_interruptible_all(&file->drm->event_wait);
}

/* RESET ---------------------------------------------------------------------------------------- */

static int anpu_stream_restart(struct anpu_stream *stream, u32 gen)
{
	struct anpu_device *adev = stream->adev;

	guard(mutex)(&adev->reset_lock);
	if (adev->reset_gen != gen || adev->state != ANPU_RUNNING)
		return anpu_dead_error(adev);
	return anpu_stream_start(stream);
}

static int anpu_reset_stream(struct anpu_stream *stream)
{
	u32 gen = READ_ONCE(stream->adev->reset_gen);
	int ret;

	/* Submitters that wait for room release their lock. */
	if (!anpu_stream_kill(stream))
		return -EIO;
	guard(mutex)(&stream->lock);
	if (stream->destroyed)
		return -ENOENT;
	anpu_stream_stop_begin(stream);
	anpu_stream_stop_end(stream, gen);
	anpu_fences_finish(stream);
	ret = anpu_stream_restart(stream, gen);
	if (ret)
		anpu_stream_kill(stream);
	/*
	 * A process that has the ring mapped can fill it: the queue must not begin when nobody
	 * expects it.
	 */
	if (stream->start_lost)
		anpu_reset_device(stream->adev, gen, "a queue does not start");
	return ret;
}

/* Older failures in the group do not halt the stream again, even if their events come late. */
static int anpu_abort_stream(struct anpu_stream *stream)
{
	WRITE_ONCE(stream->released_ns, anpu_read(stream->adev, ANPU_REG_CLOCK));
	anpu_gates_abort(stream);
	return anpu_stream_command(stream, ANPU_QUEUE_ABORT, 0);
}

static int anpu_end_task(struct anpu_stream *stream, u64 seq)
{
	struct anpu_device *adev = stream->adev;

	if (!(adev->caps & ANPU_CAP_END_TASK))
		return -EOPNOTSUPP;
	if (!seq)
		return -EINVAL;
	/* Pairs with anpu_stream_kill(). */
	if (smp_load_acquire(&stream->dead))
		return anpu_dead_error(adev);
	/* The device gets half of the number, which may equal that of another packet. */
	if (seq != anpu_stream_completed(stream) + 1)
		return 0;
	return anpu_stream_command(stream, ANPU_QUEUE_END_TASK, lower_32_bits(seq));
}

int anpu_reset_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_stream *stream __free(anpu_stream) = NULL;
	struct anpu_device *adev = to_anpu_device(drm);
	struct drm_anpu_reset *args = data;
	u32 gen = READ_ONCE(adev->reset_gen);

	if (args->seq && args->scope != DRM_ANPU_END_TASK)
		return -EINVAL;
	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(drm);
	if (idx < 0)
		return idx;
	switch (args->scope) {
	case DRM_ANPU_RESET_STREAM:
		stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
		return stream ? anpu_reset_stream(stream) : -ENOENT;
	case DRM_ANPU_ABORT_STREAM:
		stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
		return stream ? anpu_abort_stream(stream) : -ENOENT;
	case DRM_ANPU_END_TASK:
		stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
		return stream ? anpu_end_task(stream, args->seq) : -ENOENT;
	case DRM_ANPU_RESET_DEVICE:
		if (args->stream)
			return -EINVAL;
		if (!capable(CAP_SYS_ADMIN))
			return -EPERM;
		return anpu_reset_device(adev, gen, "asked to by a process");
	}
	return -EINVAL;
}
