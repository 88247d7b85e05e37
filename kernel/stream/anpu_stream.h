/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_STREAM_H
#define ANPU_STREAM_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "device/anpu_device.h"
#include "device/anpu_drv.h"

#define ANPU_MAX_STREAM_ID	0xffffffu

/**
 * struct anpu_watch - what the watchdog knows of a stream
 * @epoch: anpu_stream.epoch of what is below
 * @completed: packets completed when that last changed
 * @since: when that was, in jiffies
 * @asked: REFRESH was sent and has not been seen carried out
 * @refresh: anpu_queue_status.refresh before that
 * @wptr: packets submitted before that
 */
struct anpu_watch {
	u32 epoch;
	u64 completed;
	unsigned long since;
	bool asked;
	u64 refresh;
	u64 wptr;
};

/**
 * struct anpu_stream - a queue of the device with its ring
 * @ref: references: the file, ioctls, mappings of its pages
 * @rcu: for lookups that do without a lock
 * @adev: device
 * @file: whose it is; NULL for the driver's stream, and once it is destroyed
 * @id: identifier in @file
 * @queue: number of the device's queue
 * @priority: 0 to 7
 * @flags: DRM_ANPU_STREAM_*
 * @ring_log2: log2 of the packets in the ring
 * @ring_mask: packets in the ring - 1
 * @doorbell: its doorbell register, or KICK
 * @gated: packets in the ring wait for fences: the device does not know of those behind @published;
 *	set under @lock, cleared under @wait_lock
 * @shadow: its shadow doorbells, which it rings while the device looks at them, or NULL
 * @kick: @doorbell is KICK
 * @halts: it was to stop on failure at some time, so it may be halted
 * @eq: event queue
 * @asid: address space
 * @group: streams of its file that halt with it, or 0
 * @print: virtual address of its operators' print buffer, or 0
 * @overflow: virtual address of its kernels' overflow table, or 0
 * @trace: virtual address of the buffer in which the device records when its packets ran, or 0
 * @ring_mem: HBM of the ring, NULL once the stream is destroyed
 * @page_mem: HBM of the status page and of the control page if it has one
 * @ring: packets
 * @control: control block; of what no process maps in anpu_device.control_mem, and the queue's next
 *	stream's once this one is dead
 * @status: status page
 * @control_addr: HBM address of the control block
 * @status_addr: HBM address of the status page
 * @lock: serialises submitters
 * @wptr: packets submitted; 0 for a user queue, whose process counts them
 * @seen: packets of which a submitter has seen that they have completed, under @lock
 * @full_waiters: submitters that wait for room
 * @coherent: anpu_device.hbm_coherent, for barriers
 * @destroyed: must not be started again, under @lock
 * @wait_lock: of the members below; taken by interrupts
 * @waiters: list of struct anpu_waiter, those at its end were woken in this @round
 * @round: how often all were woken
 * @targets: tree of those whose number has not come, by that
 * @wake_work: wakes those for whom an interrupt had no time
 * @irq_at: what the control page has
 * @cookie: in the queue context, new with each start, so that old events are known
 * @released_ns: the device's clock when it was started or aborted last: a failure in its group that
 *	is older does not halt it
 * @epoch: starts so far
 * @dead: stopped for ever
 * @final: packets that had completed when it died
 * @fences: fences of jobs that have not signalled, struct anpu_fence in the order of jobs; this and
 *	the next ones up to @finish are under @wait_lock
 * @gates: gates that are closed, struct anpu_gate in the order of jobs
 * @old_gates: gates that are open, or whose stream has died, until anpu_fence_work() frees them
 * @published: packets that the device knows of while @gated is set
 * @aborting: the packets behind @published are being dropped
 * @fence_since: when the time of the first of @fences began, in jiffies
 * @fence_errors: failures up to the last packet of the last job whose fence has signalled
 * @abort_from: packets completed when ABORT was last asked for
 * @abort_to: packets submitted then: jobs that end between the two were dropped
 * @final_errors: failures when it died
 * @killed_at: when that was, in jiffies
 * @finish: it is dead and the device is done with it: fences do not wait for @stopped
 * @fence_context: number of its timeline
 * @fence_seqno: last number given to a fence, under @lock
 * @fence_work: has fences signal, and ends a stream whose job takes too long
 * @expire_work: stops the queue of a stream that @fence_work has ended
 * @stopped: the device has acknowledged STOP
 * @cmd_lock: serialises commands that the device acknowledges
 * @map_lock: orders the members below and page faults of mappings
 * @revoked: mappings of ring, control page and doorbell show @dummy
 * @status_revoked: mappings of the status page show zeros
 * @dummy: what is mapped instead, or NULL
 * @start_lost: the device has not answered START
 * @quarantined: in anpu_device.quarantine
 * @user: who pays for the queue, or NULL
 * @busy_link: in anpu_file.busy_streams
 * @watch: of the watchdog
 * @printed: ordinal of the last fault that was printed
 * @comm: name of the program that made it
 * @pid: process that made it
 */
struct anpu_stream {
	/* SUBMIT needs these. They are in few cache lines, as there may be a thousand streams. */
	struct kref ref;
	u32 id;
	u32 flags;
	u32 queue;
	struct mutex lock; /* of the ring */
	u64 wptr;
	u64 ring_mask;
	union anpu_packet *ring;
	struct anpu_queue_control *control;
	struct anpu_queue_status *status;
	void __iomem *doorbell;
	struct anpu_shadow_doorbells *shadow;
	u64 seen;
	u32 full_waiters;
	bool kick;
	bool gated;
	bool halts;
	bool coherent;
	bool destroyed;
	bool dead;

	struct rcu_head rcu;
	struct anpu_device *adev;
	struct anpu_file *file;
	u32 priority;
	u32 ring_log2;
	u32 eq;
	u32 asid;
	u32 group;
	u64 print;
	u64 overflow;
	u64 trace;
	struct anpu_region *ring_mem;
	struct anpu_region *page_mem;
	u64 control_addr;
	u64 status_addr;

	spinlock_t wait_lock; /* of waiters and state */
	struct list_head waiters;
	u32 round;
	struct rb_root_cached targets;
	struct work_struct wake_work;
	u64 irq_at;
	u64 cookie;
	u64 released_ns;
	u32 epoch;
	u64 final;
	struct list_head fences;
	struct list_head gates;
	struct list_head old_gates;
	u64 published;
	bool aborting;
	unsigned long fence_since;
	u64 fence_errors;
	u64 abort_from;
	u64 abort_to;
	u64 final_errors;
	unsigned long killed_at;
	bool finish;
	u64 fence_context;
	u64 fence_seqno;
	struct delayed_work fence_work;
	struct work_struct expire_work;
	struct completion stopped;

	struct mutex cmd_lock; /* of status.commands */
	struct mutex map_lock; /* of revoked and status_revoked */
	bool revoked;
	bool status_revoked;
	struct page *dummy;

	bool start_lost;
	struct list_head quarantined;
	struct anpu_user *user;
	struct list_head busy_link;
	struct anpu_watch watch;

	u64 printed;
	char comm[TASK_COMM_LEN];
	pid_t pid;
};

static inline u64 anpu_stream_completed(const struct anpu_stream *stream)
{
	u64 completed = READ_ONCE(stream->status->completed);

	/* Reads of what the packets wrote come behind the read of completed. */
	anpu_hbm_rmb(stream->coherent);
	return completed;
}

/*
 * Has a stream completed more than it was given? All ones are what reads of a device return that is
 * not there. Of a user queue nobody else than its process knows how much it was given.
 */
static inline bool anpu_stream_lies(const struct anpu_stream *stream, u64 completed)
{
	return completed == U64_MAX || (!(stream->flags & DRM_ANPU_STREAM_USER_QUEUE) &&
					completed > READ_ONCE(stream->wptr));
}

static inline u32 anpu_stream_state(const struct anpu_stream *stream)
{
	u32 state = READ_ONCE(stream->status->state);

	/* A queue that says HALTED has stored completed before. */
	anpu_hbm_rmb(stream->coherent);
	return state;
}

/* Packets that the device knows of: not those that wait for fences. */
static inline u64 anpu_stream_published(const struct anpu_stream *stream)
{
	return READ_ONCE(stream->gated) ? READ_ONCE(stream->published) : READ_ONCE(stream->wptr);
}

/* Of a user queue that is what the process says: for messages only. */
static inline u64 anpu_stream_submitted(const struct anpu_stream *stream)
{
	if (stream->flags & DRM_ANPU_STREAM_USER_QUEUE)
		return READ_ONCE(stream->control->wptr);
	return READ_ONCE(stream->wptr);
}

void anpu_get_comm(char *comm);
void anpu_stream_release(struct kref *ref);
struct anpu_stream *anpu_stream_find(struct anpu_file *file, u32 id);

/* Also for NULL and error pointers. */
static inline void anpu_stream_put(struct anpu_stream *stream)
{
	if (!IS_ERR_OR_NULL(stream))
		kref_put(&stream->ref, anpu_stream_release);
}

DEFINE_FREE(anpu_stream, struct anpu_stream *, anpu_stream_put(_T))

/* Finds a stream by its identifier: with a reference, or NULL. */
static inline struct anpu_stream *anpu_stream_lookup(struct anpu_file *file, u32 id)
{
	scoped_guard(rcu) {
		struct anpu_stream *stream = rcu_dereference(file->recent[id % ANPU_RECENT]);

		if (stream && stream->id == id && kref_get_unless_zero(&stream->ref))
			return stream;
	}
	return anpu_stream_find(file, id);
}

struct anpu_stream *anpu_stream_of_queue(struct anpu_device *adev, u32 queue);
struct anpu_stream *anpu_stream_create(struct anpu_device *adev, struct anpu_file *file,
				       u32 ring_log2, u32 priority, u32 flags, u64 print,
				       u64 overflow, u64 trace);
void anpu_streams_destroy(struct anpu_file *file);
void anpu_stream_destroy(struct anpu_stream *stream);
int anpu_fault_read(struct anpu_stream *stream, u64 ordinal, struct anpu_fault *fault);
const struct anpu_fault *anpu_fault_record(const struct anpu_stream *stream, u64 ordinal);
u64 anpu_fault_time(const struct anpu_stream *stream, u64 ordinal);
int anpu_stream_create_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);
int anpu_stream_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);
int anpu_stream_set_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);
int anpu_stream_get_state_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_STREAM_H */
