// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Streams: a queue of the device, its ring, its status page. anpu_queue.c starts and stops the
 * queue.
 */
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/slab.h>

#include "anpu_map.h"
#include "anpu_queue.h"
#include "anpu_stream.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "device/anpu_event.h"
#include "device/anpu_user.h"
#include "memory/anpu_hbm.h"
#include "memory/anpu_vm.h"
#include "reset/anpu_pm.h"
#include "reset/anpu_reset.h"
#include "reset/anpu_watchdog.h"
#include "sync/anpu_fence.h"
#include "sync/anpu_wake.h"

static struct lock_class_key anpu_driver_stream_key;

/* Helpers -------------------------------------------------------------------------------------- */

/**
 * anpu_get_comm() - the name of the program that calls
 * @comm: TASK_COMM_LEN bytes
 *
 * For lines of text, in the log and in dumps: a program that has a line's end in its name does not
 * get to write lines of its own.
 */
void anpu_get_comm(char *comm)
{
	char name[TASK_COMM_LEN];
	u32 i;

	get_task_comm(name, current);
	for (i = 0; i < TASK_COMM_LEN - 1 && name[i]; i++)
		comm[i] = isascii(name[i]) && isprint(name[i]) ? name[i] : '?';
	comm[i] = '\0';
}

/**
 * anpu_stream_release() - free a stream that nobody refers to any more
 * @ref: anpu_stream.ref
 */
void anpu_stream_release(struct kref *ref)
{
	struct anpu_stream *stream = container_of(ref, struct anpu_stream, ref);

	anpu_region_destroy(stream->adev, stream->ring_mem);
	anpu_region_destroy(stream->adev, stream->page_mem);
	if (stream->dummy)
		__free_page(stream->dummy);
	mutex_destroy(&stream->lock);
	mutex_destroy(&stream->map_lock);
	mutex_destroy(&stream->cmd_lock);
	/* anpu_stream_lookup() may be looking at @ref. */
	kfree_rcu(stream, rcu);
}

/**
 * anpu_stream_find() - find a stream by its identifier
 * @file: whose stream
 * @id: identifier
 *
 * For anpu_stream_lookup(), when the table of recent streams does not have it.
 * Return: the stream with a reference, or NULL.
 */
struct anpu_stream *anpu_stream_find(struct anpu_file *file, u32 id)
{
	struct anpu_stream *stream;

	guard(rcu)();
	stream = xa_load(&file->streams, id);
	return stream && kref_get_unless_zero(&stream->ref) ? stream : NULL;
}

/**
 * anpu_stream_of_queue() - find a stream by its queue
 * @adev: device
 * @queue: number of the queue
 *
 * Return: the stream with a reference, or NULL.
 */
struct anpu_stream *anpu_stream_of_queue(struct anpu_device *adev, u32 queue)
{
	struct anpu_stream *stream;

	guard(spinlock_irqsave)(&adev->streams_lock);
	stream = adev->streams[queue];
	if (stream)
		kref_get(&stream->ref);
	return stream;
}

/**
 * anpu_fault_record() - where a fault record is
 * @stream: stream whose status page is there
 * @ordinal: which failure, from 1
 *
 * Return: the record, or NULL if it is not there. The device may begin to write a newer one over it
 * at any time.
 */
const struct anpu_fault *anpu_fault_record(const struct anpu_stream *stream, u64 ordinal)
{
	u64 slot = ordinal < 2 ? 0 : 1 + (ordinal - 2) % (ANPU_STATUS_FAULTS - 1);
	const struct anpu_fault *rec = &stream->status->fault[slot];

	if (!ordinal || READ_ONCE(rec->ordinal) != ordinal)
		return NULL;
	/* The device writes the ordinal last. */
	anpu_hbm_rmb(stream->coherent);
	return rec;
}

/* Does all that was read belong to one record? */
static bool anpu_fault_stayed(const struct anpu_stream *stream, const struct anpu_fault *rec,
			      u64 ordinal)
{
	/* The device may have begun to write a newer record over this one. */
	anpu_hbm_rmb(stream->coherent);
	return READ_ONCE(rec->ordinal) == ordinal;
}

/**
 * anpu_fault_read() - read a fault record
 * @stream: stream whose status page is there
 * @ordinal: which failure, from 1
 * @fault: filled
 *
 * Return: 0 or -ENODATA.
 */
int anpu_fault_read(struct anpu_stream *stream, u64 ordinal, struct anpu_fault *fault)
{
	const struct anpu_fault *rec = anpu_fault_record(stream, ordinal);

	if (!rec)
		return -ENODATA;
	memcpy(fault, rec, sizeof(*fault));
	return anpu_fault_stayed(stream, rec, ordinal) ? 0 : -ENODATA;
}

/**
 * anpu_fault_time() - when was a failure, by the device's clock
 * @stream: stream whose status page is there
 * @ordinal: which failure, from 1
 *
 * Return: nanoseconds; U64_MAX if its record is not there any more.
 */
u64 anpu_fault_time(const struct anpu_stream *stream, u64 ordinal)
{
	const struct anpu_fault *rec = anpu_fault_record(stream, ordinal);
	u64 time;

	if (!rec)
		return U64_MAX;
	time = READ_ONCE(rec->time_ns);
	return anpu_fault_stayed(stream, rec, ordinal) ? time : U64_MAX;
}

/* The stream ----------------------------------------------------------------------------------- */

/*
 * The ring goes when the stream is destroyed. The pages stay until nobody has a mapping of them or
 * is about to read them.
 */
static int anpu_stream_alloc_memory(struct anpu_stream *stream)
{
	struct anpu_user *user = stream->file ? stream->file->user : NULL;
	struct anpu_region *mem;

	mem = anpu_region_create(stream->adev, ANPU_PACKET_SIZE << stream->ring_log2, PAGE_SIZE,
				 user);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	stream->ring_mem = mem;
	stream->ring = mem->cpu;
	mem = anpu_region_create(stream->adev, stream->kick ? PAGE_SIZE : 2 * PAGE_SIZE, PAGE_SIZE,
				 user);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	stream->page_mem = mem;
	stream->status = mem->cpu;
	stream->status_addr = mem->addr;
	if (stream->file)
		atomic64_add(stream->ring_mem->size + mem->size, &stream->file->queue_hbm);
	if (stream->kick) {
		mem = stream->adev->control_mem;
		stream->control = mem->cpu + stream->queue * ANPU_CONTROL_SIZE;
		stream->control_addr = mem->addr + stream->queue * ANPU_CONTROL_SIZE;
	} else {
		stream->control = mem->cpu + PAGE_SIZE;
		stream->control_addr = mem->addr + PAGE_SIZE;
	}
	return 0;
}

static int anpu_stream_alloc_queue(struct anpu_stream *stream)
{
	struct anpu_device *adev = stream->adev;
	int queue = 0, ret;

	/* Queue 0 is the driver's. */
	if (stream->file) {
		ret = anpu_user_charge(adev, stream->file->user, ANPU_RESOURCE_QUEUES, 1);
		if (ret)
			return ret;
		stream->user = stream->file->user;
		queue = ida_alloc_range(&adev->queue_ids, 1, adev->n_queues - 1, GFP_KERNEL);
	}
	if (queue < 0) {
		anpu_user_uncharge(adev, stream->user, ANPU_RESOURCE_QUEUES, 1);
		return queue;
	}
	stream->queue = queue;
	/*
	 * One register serves all, and control blocks lie side by side: fewer pages need
	 * translation.
	 */
	stream->kick = adev->control_mem && !(stream->flags & DRM_ANPU_STREAM_USER_QUEUE);
	if (stream->kick)
		stream->doorbell = adev->regs + ANPU_REG_KICK;
	else
		stream->doorbell = adev->regs + ANPU_DOORBELL_OFFSET +
				   queue * ANPU_DOORBELL_STRIDE + ANPU_DOORBELL_WPTR;
	if (stream->kick && adev->shadow_mem)
		stream->shadow = adev->shadow_mem->cpu;
	stream->eq = queue % adev->n_eqs;
	return 0;
}

static void anpu_stream_free_queue(struct anpu_stream *stream)
{
	struct anpu_device *adev = stream->adev;

	scoped_guard(spinlock_irqsave, &adev->streams_lock)
		adev->streams[stream->queue] = NULL;
	if (!stream->queue)
		return;
	ida_free(&adev->queue_ids, stream->queue);
	anpu_user_uncharge(adev, stream->user, ANPU_RESOURCE_QUEUES, 1);
}

static struct anpu_stream *anpu_stream_new(struct anpu_device *adev, struct anpu_file *file)
{
	struct anpu_stream *stream = kzalloc(sizeof(*stream), GFP_KERNEL_ACCOUNT);

	if (!stream)
		return NULL;
	kref_init(&stream->ref);
	mutex_init(&stream->lock);
	mutex_init(&stream->map_lock);
	mutex_init(&stream->cmd_lock);
	spin_lock_init(&stream->wait_lock);
	init_completion(&stream->stopped);
	INIT_LIST_HEAD(&stream->waiters);
	INIT_LIST_HEAD(&stream->busy_link);
	stream->targets = RB_ROOT_CACHED;
	INIT_WORK(&stream->wake_work, anpu_wake_work);
	anpu_fences_init(stream);
	/*
	 * A reset takes the lock of the driver's stream, and its caller may hold another stream's.
	 */
	if (!file)
		lockdep_set_class(&stream->lock, &anpu_driver_stream_key);
	stream->adev = adev;
	stream->coherent = adev->hbm_coherent;
	stream->file = file;
	stream->asid = file ? file->vm->asid : 0;
	stream->pid = task_tgid_nr(current);
	anpu_get_comm(stream->comm);
	return stream;
}

/* The HBM of a stream that ends is not counted as its file's any more, in fdinfo. */
static void anpu_stream_forget_hbm(struct anpu_stream *stream)
{
	if (stream->file && stream->page_mem)
		atomic64_sub(stream->ring_mem->size + stream->page_mem->size,
			     &stream->file->queue_hbm);
}

/*
 * The device may carry out START at any time, or never. STOP comes behind it: until that has been
 * acknowledged, or the device was reset, queue and memory stay what they were. No process has seen
 * them, so nothing is in the ring, and nothing will be.
 */
static void anpu_stream_quarantine(struct anpu_stream *stream)
{
	struct anpu_device *adev = stream->adev;

	anpu_stream_kill(stream);
	anpu_stream_account_end(stream, true);
	anpu_stream_forget_hbm(stream);
	scoped_guard(spinlock_irqsave, &adev->streams_lock)
		WRITE_ONCE(stream->file, NULL);
	list_add_tail(&stream->quarantined, &adev->quarantine);
	anpu_stream_stop_begin(stream);
}

static void anpu_quarantine_free(struct anpu_stream *stream)
{
	struct anpu_device *adev = stream->adev;

	list_del(&stream->quarantined);
	scoped_guard(spinlock_irqsave, &adev->streams_lock) {
		if (adev->streams[stream->queue] == stream)
			adev->streams[stream->queue] = NULL;
	}
	if (stream->queue) {
		ida_free(&adev->queue_ids, stream->queue);
		anpu_user_uncharge(adev, stream->user, ANPU_RESOURCE_QUEUES, 1);
	}
	flush_work(&stream->wake_work);
	anpu_stream_put(stream);
}

/**
 * anpu_quarantine_end() - the device was reset: streams that have not started can go
 * @adev: device, with its reset_lock held or nobody else there
 */
void anpu_quarantine_end(struct anpu_device *adev)
{
	struct anpu_stream *stream, *next;

	list_for_each_entry_safe(stream, next, &adev->quarantine, quarantined)
		anpu_quarantine_free(stream);
}

/**
 * anpu_quarantine_reap() - streams that have started late, and stopped since, can go
 * @adev: device
 */
void anpu_quarantine_reap(struct anpu_device *adev)
{
	struct anpu_stream *stream, *next;

	guard(mutex)(&adev->reset_lock);
	list_for_each_entry_safe(stream, next, &adev->quarantine, quarantined) {
		if (completion_done(&stream->stopped))
			anpu_quarantine_free(stream);
	}
}

/* The queue is stopped and may go to another stream; the pages go with the last reference. */
static void anpu_stream_dismantle(struct anpu_stream *stream)
{
	anpu_stream_forget_hbm(stream);
	anpu_stream_free_queue(stream);
	WRITE_ONCE(stream->file, NULL);
	/* No process has the ring mapped, no SUBMIT writes it, and no dump finds it any more. */
	anpu_region_destroy(stream->adev, stream->ring_mem);
	stream->ring_mem = NULL;
	/*
	 * The work item has a reference, but the device and the driver may go with the last file.
	 */
	flush_work(&stream->wake_work);
	anpu_fences_end(stream);
	anpu_stream_put(stream);
}

/**
 * anpu_stream_create() - make a stream and start its queue
 * @adev: device, in a section of anpu_enter() or being probed
 * @file: whose, NULL for the driver's stream, which runs in ASID 0
 * @ring_log2: log2 of the packets in its ring
 * @priority: 0 to 7
 * @flags: DRM_ANPU_STREAM_*
 * @print: virtual address of its operators' print buffer, or 0
 * @overflow: virtual address of its kernels' overflow table, or 0
 * @trace: virtual address of its trace buffer, or 0
 *
 * Return: the stream, or an error pointer: -ENOSPC, -ENOMEM, -EBUSY, -EIO.
 */
struct anpu_stream *anpu_stream_create(struct anpu_device *adev, struct anpu_file *file,
				       u32 ring_log2, u32 priority, u32 flags, u64 print,
				       u64 overflow, u64 trace)
{
	struct anpu_stream *stream = anpu_stream_new(adev, file);
	int ret;

	if (!stream)
		return ERR_PTR(-ENOMEM);
	stream->ring_log2 = ring_log2;
	stream->ring_mask = BIT_ULL(ring_log2) - 1;
	stream->priority = priority;
	stream->flags = flags;
	stream->halts = flags & DRM_ANPU_STREAM_STOP_ON_FAILURE;
	stream->print = print;
	stream->overflow = overflow;
	stream->trace = trace;
	ret = anpu_stream_alloc_queue(stream);
	if (ret) {
		anpu_stream_put(stream);
		return ERR_PTR(ret);
	}
	ret = anpu_stream_alloc_memory(stream);
	if (!ret) {
		guard(mutex)(&adev->reset_lock);
		if (anpu_cut_off(adev) || anpu_gone(adev))
			ret = anpu_dead_error(adev);
		else if (adev->state != ANPU_RUNNING)
			ret = -EBUSY;
		else
			ret = anpu_stream_start(stream);
		if (stream->start_lost) {
			anpu_stream_quarantine(stream);
			return ERR_PTR(ret);
		}
	}
	if (ret) {
		anpu_stream_destroy(stream);
		return ERR_PTR(ret);
	}
	anpu_watchdog_start(adev);
	return stream;
}

/**
 * anpu_stream_destroy() - stop a stream that nobody can look up any more, and free it
 * @stream: stream; the caller's reference is consumed
 */
void anpu_stream_destroy(struct anpu_stream *stream)
{
	u32 gen = READ_ONCE(stream->adev->reset_gen);

	anpu_stream_kill(stream);
	/* A RESET that restarts the stream does so before this, or not at all. */
	scoped_guard(mutex, &stream->lock) {
		stream->destroyed = true;
		anpu_stream_kill(stream);
	}
	CLASS(anpu_enter, idx)(&stream->adev->drm);
	if (idx >= 0 && stream->cookie) {
		anpu_stream_stop_begin(stream);
		anpu_stream_stop_end(stream, gen);
	}
	anpu_stream_account_end(stream, idx >= 0);
	anpu_stream_revoke(stream, true);
	anpu_stream_dismantle(stream);
}

/**
 * anpu_streams_destroy() - end of all streams of a file, whatever they are doing
 * @file: file that nobody uses any more
 */
void anpu_streams_destroy(struct anpu_file *file)
{
	u32 gen = READ_ONCE(file->adev->reset_gen);
	struct anpu_stream *stream;
	unsigned long id;

	xa_for_each(&file->streams, id, stream)
		anpu_stream_kill(stream);
	/* The watchdog may be about to end a stream: it must not stop the queue's next stream. */
	xa_for_each(&file->streams, id, stream) {
		guard(mutex)(&stream->lock);
		stream->destroyed = true;
	}
	CLASS(anpu_enter, idx)(&file->adev->drm);
	if (idx >= 0) {
		xa_for_each(&file->streams, id, stream)
			anpu_stream_stop_begin(stream);
		xa_for_each(&file->streams, id, stream)
			anpu_stream_stop_end(stream, gen);
	}
	xa_for_each(&file->streams, id, stream) {
		xa_erase(&file->streams, id);
		anpu_stream_account_end(stream, idx >= 0);
		anpu_stream_revoke(stream, true);
		anpu_stream_dismantle(stream);
	}
	xa_destroy(&file->streams);
}

/* STREAM_CREATE, STREAM_DESTROY, STREAM_GET_STATE ---------------------------------------------- */

/* The device checks whether anything is mapped there, when an operator writes there. */
static int anpu_stream_check_va(struct anpu_device *adev, u64 va, u64 align, u64 cap)
{
	if (!va)
		return 0;
	if (!(adev->caps & cap))
		return -EOPNOTSUPP;
	if (!IS_ALIGNED(va, align) || va < ANPU_VA_START || va >= ANPU_VA_END)
		return -EINVAL;
	return 0;
}

/* Is this a priority that the operator of the machine keeps for privileged users? */
static bool anpu_priority_denied(u32 priority)
{
	return priority < READ_ONCE(anpu_unprivileged_priority) && !capable(CAP_SYS_NICE);
}

static int anpu_stream_check(struct anpu_device *adev, const struct drm_anpu_stream_create *args)
{
	const u32 known = DRM_ANPU_STREAM_STOP_ON_FAILURE | DRM_ANPU_STREAM_USER_QUEUE |
			  DRM_ANPU_STREAM_BOUNDED;
	const u32 never = DRM_ANPU_STREAM_USER_QUEUE | DRM_ANPU_STREAM_BOUNDED;

	if (args->flags & ~known || (args->flags & never) == never ||
	    args->priority >= DRM_ANPU_PRIORITIES)
		return -EINVAL;
	if (args->ring_entries && (!is_power_of_2(args->ring_entries) ||
				   args->ring_entries < 1u << ANPU_RING_LOG2_MIN ||
				   args->ring_entries > 1u << ANPU_RING_LOG2_MAX))
		return -EINVAL;
	if (args->flags & DRM_ANPU_STREAM_USER_QUEUE && !adev->user_queues)
		return -EOPNOTSUPP;
	if (args->group && !(adev->caps & ANPU_CAP_HALT))
		return -EOPNOTSUPP;
	if (anpu_priority_denied(args->priority))
		return -EACCES;
	return 0;
}

static void anpu_stream_offsets(struct anpu_stream *stream, struct drm_anpu_stream_create *args)
{
	bool user = stream->flags & DRM_ANPU_STREAM_USER_QUEUE;

	args->status_offset = anpu_map_offset(stream, ANPU_MAP_STATUS);
	args->ring_offset = user ? anpu_map_offset(stream, ANPU_MAP_RING) : 0;
	args->control_offset = user ? anpu_map_offset(stream, ANPU_MAP_CONTROL) : 0;
	args->doorbell_offset = user ? anpu_map_offset(stream, ANPU_MAP_DOORBELL) : 0;
}

int anpu_stream_create_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_file *file = to_anpu_file(drm_file);
	struct drm_anpu_stream_create *args = data;
	struct anpu_stream *stream;
	u32 entries, id;
	int ret;

	ret = anpu_stream_check(file->adev, args);
	if (ret)
		return ret;
	CLASS(anpu_presence, presence)(file->adev);
	CLASS(anpu_enter, idx)(drm);
	if (idx < 0)
		return idx;
	ret = anpu_stream_check_va(file->adev, args->print, ANPU_PRINT_ALIGN, ANPU_CAP_PRINT) ?:
	      anpu_stream_check_va(file->adev, args->overflow, ANPU_OVERFLOW_ALIGN,
				   ANPU_CAP_OVERFLOW) ?:
	      anpu_stream_check_va(file->adev, args->trace, ANPU_TRACE_ALIGN, ANPU_CAP_TRACE);
	if (ret)
		return ret;
	if (READ_ONCE(file->adev->state) == ANPU_RESETTING)
		return -EBUSY;

	entries = args->ring_entries ?: roundup_pow_of_two(clamp(anpu_ring_entries,
								 1u << ANPU_RING_LOG2_MIN,
								 1u << ANPU_RING_LOG2_MAX));
	stream = anpu_stream_create(file->adev, file, ilog2(entries), args->priority, args->flags,
				    args->print, args->overflow, args->trace);
	if (IS_ERR(stream))
		return PTR_ERR(stream);

	/*
	 * From here on other tasks can find the stream, and even destroy it: read the number
	 * before.
	 */
	args->ring_entries = entries;
	args->queue = stream->queue;
	WRITE_ONCE(stream->group, args->group);
	anpu_stream_offsets(stream, args);
	ret = xa_alloc_cyclic(&file->streams, &id, NULL, XA_LIMIT(1, ANPU_MAX_STREAM_ID),
			      &file->next_stream, GFP_KERNEL_ACCOUNT);
	if (ret < 0) {
		anpu_stream_destroy(stream);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	stream->id = id;
	args->stream = id;
	/*
	 * This comes before the stream can be destroyed: anpu_stream_forget() is called after that.
	 */
	rcu_assign_pointer(file->recent[id % ANPU_RECENT], stream);
	/* The place is reserved, so the store allocates nothing and cannot fail. */
	xa_store(&file->streams, id, stream, GFP_KERNEL_ACCOUNT);
	return 0;
}

/* The stream is not in the xarray any more: take it out of the recent table, too. */
static void anpu_stream_forget(struct anpu_file *file, struct anpu_stream *stream)
{
	cmpxchg(&file->recent[stream->id % ANPU_RECENT], RCU_INITIALIZER(stream), NULL);
}

int anpu_stream_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct xarray *streams = &to_anpu_file(drm_file)->streams;
	struct drm_anpu_stream_destroy *args = data;
	struct anpu_stream *stream;

	if (args->pad)
		return -EINVAL;
	CLASS(anpu_presence, presence)(to_anpu_device(drm));
	/* The place of a stream that is being made stays reserved. */
	xa_lock(streams);
	stream = xa_load(streams, args->stream);
	if (stream)
		__xa_erase(streams, args->stream);
	xa_unlock(streams);
	if (!stream)
		return -ENOENT;
	anpu_stream_forget(to_anpu_file(drm_file), stream);
	anpu_stream_destroy(stream);
	return 0;
}

/*
 * RESET starts the queue with the mode that is set by then. The stream's lock is not taken, because
 * a task that waits for room in the ring holds it all the time. Return: the epoch that has the
 * mode.
 */
static u32 anpu_stream_set_stop(struct anpu_stream *stream, bool stop)
{
	guard(spinlock_irqsave)(&stream->wait_lock);
	/* A stream that is halted stays halted, whatever comes next. */
	if (stop) {
		WRITE_ONCE(stream->halts, true);
		WRITE_ONCE(stream->flags, stream->flags | DRM_ANPU_STREAM_STOP_ON_FAILURE);
	} else {
		WRITE_ONCE(stream->flags, stream->flags & ~DRM_ANPU_STREAM_STOP_ON_FAILURE);
	}
	return stream->epoch;
}

static int anpu_stream_set_mode(struct anpu_stream *stream, bool halt)
{
	u32 epoch;
	int ret;

	/* This comes before the device learns of it: a failure from then on is the group's, too. */
	if (halt) {
		anpu_stream_set_stop(stream, true);
		return anpu_stream_command(stream, ANPU_QUEUE_HALT_ON_FAILURE, 0);
	}
	do {
		epoch = READ_ONCE(stream->epoch);
		ret = anpu_stream_command(stream, ANPU_QUEUE_GO_ON, 0);
		/* A restart in between used the old mode. */
	} while (!ret && anpu_stream_set_stop(stream, false) != epoch);
	return ret;
}

static int anpu_stream_set_priority(struct anpu_stream *stream, u32 priority)
{
	if (!(stream->adev->caps & ANPU_CAP_PRIORITY))
		return -EOPNOTSUPP;
	/* The mode is set first: a RESET that comes in between begins with it. */
	WRITE_ONCE(stream->priority, priority);
	return anpu_stream_command(stream, ANPU_QUEUE_PRIORITY, priority);
}

int anpu_stream_set_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_stream *stream __free(anpu_stream) = NULL;
	struct drm_anpu_stream_set *args = data;
	bool set_priority = args->flags == DRM_ANPU_STREAM_SET_PRIORITY;

	if ((args->flags & ~DRM_ANPU_STREAM_STOP_ON_FAILURE && !set_priority) || args->pad ||
	    args->priority >= (set_priority ? DRM_ANPU_PRIORITIES : 1))
		return -EINVAL;
	if (set_priority && anpu_priority_denied(args->priority))
		return -EACCES;
	CLASS(anpu_presence, presence)(to_anpu_device(drm));
	CLASS(anpu_enter, idx)(drm);
	if (idx < 0)
		return idx;
	stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
	if (!stream)
		return -ENOENT;
	if (set_priority)
		return anpu_stream_set_priority(stream, args->priority);
	return anpu_stream_set_mode(stream, args->flags & DRM_ANPU_STREAM_STOP_ON_FAILURE);
}

/* @fault: filled with the failure that the caller asks for, or NULL */
static int anpu_stream_get_state(struct anpu_stream *stream,
				 struct drm_anpu_stream_get_state *args, struct anpu_fault *fault)
{
	CLASS(anpu_presence, presence)(stream->adev);
	CLASS(anpu_enter, idx)(&stream->adev->drm);
	if (idx < 0)
		return idx;
	if (anpu_gone(stream->adev))
		return -ENODEV;
	args->completed = anpu_stream_completed(stream);
	args->submitted = anpu_stream_submitted(stream);
	args->errors = READ_ONCE(stream->status->errors);
	args->first_cause = READ_ONCE(stream->status->first_cause);
	args->state = anpu_stream_state(stream);
	return fault ? anpu_fault_read(stream, args->fault_ordinal, fault) : 0;
}

int anpu_stream_get_state_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_stream *stream __free(anpu_stream) = NULL;
	struct drm_anpu_stream_get_state *args = data;
	struct anpu_fault *fault __free(kfree) = NULL;
	int ret;

	if (args->flags || (args->fault && !args->fault_ordinal))
		return -EINVAL;
	stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
	if (!stream)
		return -ENOENT;
	if (args->fault_ordinal) {
		fault = kmalloc(sizeof(*fault), GFP_KERNEL);
		if (!fault)
			return -ENOMEM;
	}
	ret = anpu_stream_get_state(stream, args, fault);
	if (ret)
		return ret;
	if (args->fault && copy_to_user(u64_to_user_ptr(args->fault), fault, sizeof(*fault)))
		return -EFAULT;
	return 0;
}
