/* SPDX-License-Identifier: MIT */
/*
 * The room device: devices that the program has open, contexts, and what can be asked of a device.
 *
 * Uses: util, core.
 */
#ifndef ANPU_DEVICE_H
#define ANPU_DEVICE_H

#include <pthread.h>

#include <anpu/anpu_accel_check.h>
#include <drm/anpu_accel.h>

#include "core/core.h"

#define ANPU_MAX_DEVICES 64
/* Addresses of a device are given out in chunks of this size */
#define ANPU_CHUNK_SHIFT 21
#define ANPU_CHUNK_SIZE	 (1ULL << ANPU_CHUNK_SHIFT)

/* The purposes of a process's device memory: aclrtGetMemUsageInfo() */
enum anpu_use {
	ANPU_USE_MALLOC,
	ANPU_USE_POOL,
	ANPU_USE_PHYSICAL,
	ANPU_USE_OPERATORS,
	ANPU_USE_RUNTIME,
	ANPU_USES
};

struct anpu_region;
struct anpu_slot_pool;
struct anpu_free_slot;
struct anpu_printer;
struct anpu_overflows;
struct anpu_timeline;
struct anpu_code_files;

/* Slots that were given back, the oldest first */
struct anpu_free_slots {
	struct anpu_free_slot *first, *last;
};

struct anpu_device {
	struct anpu_node node; /* first: see core/node.h */
	int id;	     /* the program's number */
	int machine; /* the machine's, see visible.c */
	unsigned int contexts;	/* under the device table's lock */
	bool hang_watched; /* diag/hangask.c, under its lock */
	unsigned int set_count; /* aclrtSetDevice() minus aclrtResetDevice(); context.c */
	_Atomic uint64_t primary;	/* handle of the default context, or 0; context.c */
	struct drm_anpu_info info;
	pthread_mutex_t lock; /* regions, slabs, free chunks */
	uint64_t va_base;
	uint64_t va_size;
	struct anpu_region **chunks; /* who owns each chunk of the range */
	uint64_t next_chunk;
	struct anpu_region *slabs;  /* slabs with room, newest first */
	uint64_t slab_free;	    /* bytes of slabs that no allocation has; under lock */
	pthread_mutex_t slots_lock; /* pools of slots */
	struct anpu_slot_pool *slot_pools;
	struct anpu_stream *running; /* streams that the driver knows, for slots; under lock */
	struct anpu_free_slots free_slots; /* of pools; under lock */
	struct anpu_free_slots own_slots;  /* with memory of their own; under lock */
	atomic_bool slots_ended;
	bool regions_ended; /* no more regions can be made; under lock */
	struct anpu_region *stuck; /* freed, and not unmapped for want of memory; changed under lock */
	struct anpu_region *ended; /* referenced until the device ends, for calls that still run */
	pthread_mutex_t copy_lock; /* the stream of synchronous copies and its bounce buffer */
	struct anpu_stream *copy_stream;
	struct anpu_region *bounce;
	pthread_mutex_t events_lock; /* the list of streams */
	pthread_cond_t events_cond;  /* signalled when events have been handled; CLOCK_MONOTONIC */
	/* list of all streams that the driver has not destroyed; under events_lock */
	struct anpu_stream *watched;
	struct anpu_events *events;  /* sync/events.c: NULL until something needs it */
	/* number of failures for which exception callbacks were queued; under events_lock */
	uint64_t hooks_told;
	uint64_t hooks_done; /* number of failures for which they have run; under events_lock */
	atomic_bool events_ended;
	struct anpu_reporter *host;   /* sync/turn.c: the thread of aclrtLaunchHostFunc() */
	struct anpu_reporter *faults; /* the thread of exception callbacks */
	/* the library's stream whose packets make the device look at slots again */
	struct anpu_stream *wake;
	struct anpu_graph_call *graph_calls; /* host functions in graphs; under events_lock */
	/* the device was reset or unplugged: nothing works any more */
	atomic_bool lost;
	/* kind of the last failure that a call returned; query.c */
	_Atomic aclrtErrorType error_type;
	/* bytes of HBM that a stream's queue takes; 0 before the first stream */
	_Atomic uint64_t ring_bytes;
	/* streams that are made from now on begin with saturating floating point */
	atomic_bool saturate;
	struct anpu_printer *print;   /* launch/print.c: NULL before the first stream */
	struct anpu_overflows *overflows; /* diag/overflow.c: likewise */
	struct anpu_timeline *timeline;	/* diag/timeline.c: NULL unless a timeline is recorded */
	struct anpu_code_files *code_files; /* launch/codelist.c, under its lock: NULL unless a debugger may want it */
	uint64_t sync_addr;	      /* aclrtGetHardwareSyncAddr(); 0 before it is asked for */
	struct anpu_pool *pools;      /* pool/arena.c: all of them; under lock */
	struct anpu_pool *filled;     /* those that have memory; likewise */
	/* bytes of device memory that this process uses; under lock */
	uint64_t used[ANPU_USES];
	uint64_t used_most[ANPU_USES];
	atomic_bool pools_used; /* there is such a one */
	struct anpu_region *uses; /* memory/uses.c; made under lock, ends with the other regions */
	_Atomic uint64_t uses_next;
};

_Static_assert(!offsetof(struct anpu_device, node), "core/node.h takes a device for its node");

/*
 * A room's part in the life of a device. The table is in rooms.c, in the order in which rooms end.
 * @begin	the device was opened, has its properties and its range of addresses, and nobody knows
 *		it yet; fails with acl_fail(), and then the device is released
 * @opened	others know it, and it gets one more context; fails likewise, and then it is closed
 * @leave	its last context is about to wait for its tasks: what nobody can signal any more is released
 * @end		its last context was closed: what the room has of it ends; other threads may be inside of
 *		calls that still use it
 * @release	no reference is left; also after a failure of @begin
 */
struct anpu_device_life {
	aclError (*begin)(struct anpu_device *dev);
	aclError (*opened)(struct anpu_device *dev);
	void (*leave)(struct anpu_device *dev);
	void (*end)(struct anpu_device *dev);
	void (*release)(struct anpu_device *dev);
};
extern const struct anpu_device_life anpu_device_life[];
extern const unsigned int anpu_device_life_count;
/* The rooms leave: to be called before the tasks of a device's last context are waited for */
void anpu_device_leave(struct anpu_device *dev);

/* Number of devices that the program sees, and that the machine has; -errno, the reason in @why */
int anpu_device_count(char *why, size_t why_size);
int anpu_device_count_all(char *why, size_t why_size);
/* The code for what kept devices from being counted or opened: @otherwise, unless memory was missing */
aclError anpu_device_error(int err, aclError otherwise);
/* visible.c: how many of @present devices the program sees; the machine's number, -1: no such */
int anpu_visible_count(int present);
bool anpu_visible_limited(void);
int anpu_visible_to_machine(int user);
/* Opens device @id or finds it open: one more context on it, a reference; NULL after acl_fail() */
struct anpu_device *anpu_device_open(int id);
/* Names and versions that the maker of the first device wants programs to be told; empty where there are none */
void anpu_device_names(struct drm_anpu_names *names);
/* The name of the chip that programs are told, as aclrtGetSocName() gives it; NULL: ANPU_SOC_NAME is none */
const char *acl_soc_name(void);
/* One context less; the last one ends the device's handles and memory. Drops a reference */
void anpu_device_close(struct anpu_device *dev);
/* An open device by number or by an address in its range, with a reference, or NULL */
struct anpu_device *anpu_device_find(int id);
struct anpu_device *anpu_device_of(const void *ptr);
/* Number of the device, open or not, in whose range an address is; -1: of none */
int anpu_device_number_of(const void *ptr);
/* Is the address in a range reserved for devices, open or not */
bool anpu_in_device_range(const void *ptr);
/* The driver's figures of the device's memory */
aclError anpu_memory_info(struct anpu_device *dev, struct drm_anpu_memory_info *info);
/* Free bytes of device memory, and of its largest piece */
uint64_t anpu_hbm_free(struct anpu_device *dev, uint64_t *largest);
/* Translates a failed ioctl on a device into a code and a sentence */
aclError anpu_fail_ioctl(struct anpu_device *dev, int err, const char *what);

/* context.c ------------------------------------------------------------------------------------- */

#define ANPU_OPTIONS (ACL_OPT_ENABLE_KERNEL_EARLY_START + 1)

/* Values of enum aclSysParamOpt; @set has a bit for each that has one */
struct anpu_options {
	uint32_t set;
	int64_t value[ANPU_OPTIONS];
};

struct anpu_context {
	struct acl_obj obj;
	bool primary;
	struct anpu_options options;
	struct anpu_stream *stream; /* default stream, referenced */
	struct anpu_siblings *streams; /* all of its streams */
	atomic_bool stops;	    /* its streams stop at the first failure */
	uint32_t group;		    /* by which the driver knows its streams: not 0 */
};

/*
 * The part that the owner of a context's streams has in its life; rooms.c names it.
 * @begin	makes the default stream: the context has a handle; fails with acl_fail()
 * @end		ends all streams of the context after their tasks, with @force only while these get on:
 *		the first failure to wait
 * @release	no reference is left
 */
struct anpu_context_life {
	aclError (*begin)(struct anpu_context *ctx);
	aclError (*end)(struct anpu_context *ctx, bool force);
	void (*release)(struct anpu_context *ctx);
};
extern const struct anpu_context_life anpu_context_life;

/*
 * Makes a context on an opened device and takes that over: closes it when it fails, or ends. The lock
 * of context.c keeps others from ending it before its stream is there
 */
struct anpu_context *anpu_context_new(struct anpu_device *dev, bool primary);
/*
 * Ends a context that is out of the registry: its streams, its hold on the device. Waits for its tasks,
 * with @force only while they get on. Drops @ctx
 */
aclError anpu_context_end(struct anpu_context *ctx, bool force);
/* The calling thread's context with a reference; 107002 if it has none */
aclError anpu_context_current(struct anpu_context **out);
/* The device of the calling thread's context, or -1 if it has none that lives */
int anpu_context_device(void);
/* Makes a context the calling thread's; the context may have ended already */
void anpu_context_adopt(uint64_t handle);
/* Ends every context of the process: aclFinalize(). The first failure of a task, or 0 */
aclError anpu_contexts_end_all(void);

static inline void anpu_context_put(struct anpu_context *ctx)
{
	acl_obj_put(&ctx->obj);
}

#endif /* ANPU_DEVICE_H */
