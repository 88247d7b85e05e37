/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_DRV_H
#define ANPU_DRV_H

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>

#include "anpu_device.h"

struct anpu_stream;
struct anpu_vm;

/* Room for a process's unread events: some thousand, where DRM's default is 85. */
#define ANPU_EVENT_SPACE	SZ_256K

/*
 * Streams of a file that are found without a walk through its xarray: as many pointers as fill two
 * pages. A look-up with its reference takes 3.3 ns instead of 8.0 on an EPYC, with 1000 streams in
 * turn 9.1 ns instead of 10.9. Where an emulator translates each address, it is a tenth of SUBMIT.
 */
#define ANPU_RECENT		1024

/**
 * struct anpu_busy - how long streams have been busy, in nanoseconds
 * @queue_ns: time that they had a packet executing, added up over them
 * @cube_ns: time that AI cores had blocks with the cube unit, added up over the AI cores
 * @vector_ns: the same of the vector unit
 */
struct anpu_busy {
	u64 queue_ns;
	u64 cube_ns;
	u64 vector_ns;
};

/**
 * struct anpu_file - an open file of the device: an address space and what lives in it
 * @adev: device
 * @drm: DRM's part; events are sent to it while @events is set
 * @vm: address space
 * @user: who opened it and pays for it
 * @streams: streams by identifier
 * @recent: table of ANPU_RECENT streams: of those with the same identifier modulo that the
 *	youngest, or none
 * @next_stream: where the search for the next identifier begins, so that old ones are not reused
 * @link: in the device's list of files
 * @read_lock: serialises readers of events
 * @events: subscribed events, DRM_ANPU_SUBSCRIBE_*, under drm_device.event_lock
 * @lost: events dropped since the last LOST event, under drm_device.event_lock
 * @own_hbm: bytes of HBM of the objects it has handles of
 * @own_system: the same of system memory
 * @queue_hbm: bytes of HBM that its streams' rings and pages have
 * @busy_lock: of @busy_streams and @busy, and held while busy time moves from a status page
 *	to that
 * @busy_streams: streams whose status pages count
 * @busy: busy time of streams that are gone, or of before their last restart
 * @comm: name of the program that opened it
 * @pid: process that opened it
 */
struct anpu_file {
	struct anpu_device *adev;
	struct drm_file *drm;
	struct anpu_vm *vm;
	struct anpu_user *user;
	struct xarray streams;
	struct anpu_stream __rcu **recent;
	u32 next_stream;
	struct list_head link;
	struct mutex read_lock; /* of readers of events */
	u32 events;
	u64 lost;
	atomic64_t own_hbm;
	atomic64_t own_system;
	atomic64_t queue_hbm;
	spinlock_t busy_lock; /* of busy_streams and busy */
	struct list_head busy_streams;
	struct anpu_busy busy;
	char comm[TASK_COMM_LEN];
	pid_t pid;
};

static inline struct anpu_file *to_anpu_file(struct drm_file *drm_file)
{
	return drm_file->driver_priv;
}

/* One element of a user array, whatever size the caller's idea of it has. */
static __always_inline int anpu_copy_element(void *dst, size_t size,
					     const struct drm_anpu_array *array, u32 index)
{
	const void __user *from;

	if (!array->stride)
		return -EINVAL;
	/* Nobody's struct is that long, and somebody has to look at each byte. */
	if (array->stride > DRM_ANPU_MAX_STRIDE)
		return -E2BIG;
	from = u64_to_user_ptr(array->array + (u64)index * array->stride);
	/* Nearly always, and with a constant size: then nothing about it is left to be checked. */
	if (array->stride == size)
		return copy_from_user(dst, from, size) ? -EFAULT : 0;
	return copy_struct_from_user(dst, size, from, array->stride);
}

/* Module parameters */
extern uint anpu_ring_entries;
extern uint anpu_event_entries;
extern uint anpu_vectors;
extern uint anpu_unprivileged_priority;
extern uint anpu_max_files_per_user;
extern uint anpu_max_queues_per_user;
extern uint anpu_max_hbm_per_user;
extern uint anpu_stop_timeout_ms;
extern uint anpu_reset_timeout_ms;
extern uint anpu_watchdog_ms;
extern uint anpu_fence_timeout_ms;
extern ulong anpu_kernel_timeout_us;

/* Jiffies that the device has for acknowledging something. */
static inline unsigned long anpu_patience(void)
{
	return msecs_to_jiffies(READ_ONCE(anpu_stop_timeout_ms));
}

#endif /* ANPU_DRV_H */
