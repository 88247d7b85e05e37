/* SPDX-License-Identifier: MIT */
/*
 * The room stream: streams and their rings, submission, waiting, failures, marks and slots.
 *
 * Uses: util, core, device, memory.
 */
#ifndef ANPU_STREAM_H
#define ANPU_STREAM_H

#include <anpu/anpu_packet.h>

#include "stream/order.h"
#include "stream/recorder.h"
#include "stream/slot.h"

#define ANPU_ARG_SEGMENTS 4
#define ANPU_ARG_SEGMENT  (32 * 1024)
/* The limits of one launch: an updating one has a packet beside it */
#define ANPU_ARGS_MAX	  (ANPU_ARG_SEGMENT - ANPU_PACKET_SIZE)

struct anpu_reporter;
struct anpu_call;
struct anpu_graph;
struct graph_update;
struct anpu_graph_call;
struct anpu_marks;

/* Room for arguments in a graph's memory; it is the graph's until that ends */
struct graph_args {
	void *cpu;
	uint64_t va;
	uint64_t room;
};

#define ANPU_FOLLOWS 16

/* Another stream's tasks up to @seq come before what is queued now */
struct anpu_follow {
	int32_t number; /* of the stream */
	uint64_t seq;
};

/* A record of a packet, kept until its failure can have been told */
struct anpu_task {
	_Atomic uint64_t seq; /* 0 while it is being written */
	uint64_t entry; /* of a kernel; SEM_WAIT, SEM_SIGNAL: the value; COPY: the source */
	uint64_t args;	/* of a kernel; SEM_WAIT, SEM_SIGNAL: the address; COPY: the destination */
	uint64_t submitted; /* when, for the timeline; else 0 */
	uint32_t args_size;
	uint32_t task_id;
	uint32_t thread; /* kernel id of the one that submitted it */
	struct anpu_site site; /* the call of the program that submitted it */
	uint8_t opcode;
	uint8_t core_type;
	bool internal; /* no task of the program */
};

/* Functions of the program in a stream, each family with threads of its own */
enum anpu_call_family {
	ANPU_CALLBACKS,	 /* aclrtLaunchCallback() */
	ANPU_HOST_FUNCS, /* aclrtLaunchHostFunc() */
	ANPU_CALL_FAMILIES
};

/* A user queue's pages; all NULL where SUBMIT is used */
struct anpu_ring {
	union anpu_packet *packets;
	uint64_t size; /* in packets */
	volatile struct anpu_queue_control *control;
	volatile uint64_t *doorbell; /* NULL: by anpu_doorbell() */
	int64_t halted_at; /* time at which the queue was first seen halted; 0 if it runs */
};

#define ANPU_LIMITS (ACL_RT_DEV_RES_VECTOR_CORE + 1)

struct anpu_stream {
	struct acl_obj obj;
	uint64_t context; /* handle of its context */
	bool is_default;
	uint32_t kernel_id; /* identifier in the driver */
	uint32_t queue;
	uint32_t flags;
	_Atomic uint32_t priority; /* as the program wants it */
	int32_t number; /* aclrtStreamGetId() */
	const volatile struct anpu_queue_status *status;
	struct anpu_ring ring;
	pthread_mutex_t lock;	      /* submission and the argument ring */
	_Atomic uint64_t last_seq;    /* sequence number of the newest packet submitted */
	_Atomic uint64_t errors_seen; /* failures that were reported already */
	_Atomic uint64_t wait_ns;     /* average of recent waits, for spinning */
	struct anpu_region *args;
	uint32_t segment;			 /* that is being filled */
	uint32_t args_used;			 /* bytes of it */
	uint64_t segment_seq[ANPU_ARG_SEGMENTS]; /* last packet that used each segment */
	struct anpu_marks *marks; /* order.c: these three under lock */
	struct anpu_follow follows[ANPU_FOLLOWS];
	uint32_t next_follow;
	struct anpu_graph *graph; /* its tasks are recorded there; referenced, under lock */
	uint32_t lane;		  /* which of the graph's streams it is */
	struct graph_args graph_args; /* of the kernel to be recorded */
	/* the packet that is being submitted is no task of the program; under lock */
	bool internal;
	struct graph_update *update;  /* its kernels replace those of a graph; under lock */
	atomic_bool leaving; /* the stream is being destroyed and takes no more work */
	atomic_bool claimed; /* a thread ends it: anpu_stream_claim() */
	atomic_bool dead;    /* the driver has destroyed the stream */
	struct anpu_site end_site; /* the call that has ended it, once it is dead */
	atomic_bool mode_set; /* aclrtSetStreamFailureMode() was called */
	atomic_bool stops;    /* the stream stops at its first failure */
	_Atomic uint32_t tag; /* ACL_STREAM_ATTR_USER_CUSTOM_TAG */
	atomic_bool op_info;  /* ACL_STREAM_ATTR_CACHE_OP_INFO */
	_Atomic uint16_t kernel_flags; /* ANPU_KERNEL_*; the entry also without OVERFLOW; diag/overflow.c */
	_Atomic uint32_t limit[ANPU_LIMITS]; /* cores by aclrtDevResLimitType, 0 for none; launch/limits.c */
	atomic_uint aborts;   /* times that its tasks were dropped, or are being dropped */
	atomic_uint aborts_over; /* how many of these have ended: threads that come before that are told of it, too */
	struct anpu_task *tasks; /* the latest, at seq & task_mask; a packet in the ring is there */
	uint64_t task_mask;
	struct anpu_task failed; /* the first that failed, when its place in @tasks is used again */
	struct anpu_stream *next_running, *prev_running; /* these three under the device's lock */
	bool gone; /* the driver has destroyed the stream */
	struct anpu_siblings *siblings; /* of its context; these three under the device's lock */
	struct anpu_stream *next_sibling, *prev_sibling;
	struct anpu_stream *next_watched, *prev_watched; /* under the device's events_lock */
	/* ordinal of the last failure that exception callbacks were told; under events_lock */
	uint64_t faults_told;
	/* the program's threads bound to it; from here on under anpu_calls_lock */
	struct anpu_reporter *reporters[ANPU_CALL_FAMILIES];
	struct anpu_call *first_call;	  /* calls whose NOTIFY has not executed */
	struct anpu_call *last_call;
	uint32_t host_calls; /* of aclrtLaunchHostFunc() that have not returned */
	atomic_uint calls_blocking; /* blocking callbacks that have not returned */
	uint64_t blocking;   /* callbacks so far that block; the slot counts those that returned */
	struct anpu_slot call_slot;
	bool calls_ended;
};

/* Streams that run nothing the program calls for, unless they are bound to a graph */
static inline bool anpu_stream_passive(const struct anpu_stream *s)
{
	return s->flags &
	       (ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY);
}

/* Do the stream's tasks go elsewhere than into its ring; stream locked */
static inline bool anpu_stream_recorded(const struct anpu_stream *s)
{
	return s->graph || s->update || anpu_stream_passive(s);
}

/* The last packet that has completed */
static inline uint64_t anpu_stream_completed(const struct anpu_stream *s)
{
	return __atomic_load_n(&s->status->completed, __ATOMIC_ACQUIRE);
}

/*
 * A room's part in the life of a stream. The table is in rooms.c.
 * @begin	tells STREAM_CREATE what the room has for the stream; 0 or -errno
 * @leave	the stream is to end; nothing is locked
 * @destroy	the driver is about to destroy it; @completed is the last packet that has completed.
 *		Stream locked
 * @end		the driver has destroyed it; nothing is locked
 */
struct anpu_stream_life {
	int (*begin)(struct anpu_device *dev, struct drm_anpu_stream_create *create);
	void (*leave)(struct anpu_stream *s);
	void (*destroy)(struct anpu_stream *s, uint64_t completed);
	void (*end)(struct anpu_stream *s);
};
extern const struct anpu_stream_life anpu_stream_life[];
extern const unsigned int anpu_stream_life_count;

/*
 * News and questions of streams to other rooms; rooms.c has their functions.
 * @progress	somebody has looked how far a stream is: what its kernels printed can be shown
 * @prints	are there kernels that print, so that long waits are to be interrupted for it
 * @synchronised everything that a stream had to do has run
 * @failed	a failure of the stream is about to be returned
 * @dropped	packets from @first to @last never run
 * @traced	the timeline is recorded, and the device may have records for it: they are taken now, or if they are many
 * @hang_text	what the stream and those that it waits for are doing, for a wait that takes too long
 * @fault_code	what a failure is called: its code, and its sentence. @task is the stream's record of the
 *		task or NULL
 */
struct anpu_stream_hooks {
	void (*progress)(struct anpu_device *dev);
	bool (*prints)(struct anpu_device *dev);
	void (*synchronised)(struct anpu_device *dev);
	void (*failed)(struct anpu_stream *s);
	void (*traced)(struct anpu_device *dev, bool now);
	void (*dropped)(struct anpu_stream *s, uint64_t first, uint64_t last);
	aclError (*fault_code)(const struct anpu_fault *fault);
	void (*fault_text)(struct anpu_device *dev, const struct anpu_fault *fault,
			   const struct anpu_task *task, char *buf, size_t n);
	void (*hang_text)(struct anpu_stream *s, char *buf, size_t n);
};
extern const struct anpu_stream_hooks anpu_stream_hooks;

/* With a reference for the caller; without @ctx the library's own, without a handle */
struct anpu_stream *anpu_stream_new(struct anpu_context *ctx, struct anpu_device *dev,
				    uint32_t priority, uint32_t flags);
/*
 * The stream of an API call with a reference, NULL meaning the default stream; checks that it
 * belongs to the calling thread's device. Fails with 107002, 107003, 107017.
 */
aclError anpu_stream_find(aclrtStream handle, struct anpu_stream **out);
/* The same, also for a stream whose tasks aclrtDestroyStream() waits for in another thread */
aclError anpu_stream_find_leaving(aclrtStream handle, struct anpu_stream **out);
/*
 * The device's streams that have not ended in the driver, with references, in memory to be freed; NULL
 * after acl_fail()
 */
struct anpu_stream **anpu_stream_list(struct anpu_device *dev, size_t *count);

/* siblings.c: the list of a context's streams begins, and is not the context's any more */
bool anpu_siblings_begin(struct anpu_context *ctx);
void anpu_siblings_release(struct anpu_context *ctx);
/* Gives the stream its handle and puts it into the list; false as acl_obj_publish() */
bool anpu_siblings_publish(struct anpu_context *ctx, struct anpu_stream *s);
/* The stream has ended in the driver */
void anpu_siblings_leave(struct anpu_stream *s);
/* A stream that no thread ends, with a reference, or NULL */
struct anpu_stream *anpu_siblings_unclaimed(struct anpu_context *ctx);
/* As anpu_stream_list(), the streams of one context */
struct anpu_stream **anpu_siblings_list(struct anpu_context *ctx, size_t *count);

/* Submits one packet; with @seq its sequence number */
aclError anpu_stream_submit(struct anpu_stream *stream, union anpu_packet *pkt, uint64_t *seq);
/* A number for a task that the program will submit, and a packet that has such a number */
uint32_t anpu_task_number(void);
aclError anpu_stream_submit_numbered(struct anpu_stream *stream, const union anpu_packet *pkt);
/* As anpu_stream_submit() for the library's own sake: no task of the program; stream locked */
aclError anpu_stream_submit_internal(struct anpu_stream *stream, union anpu_packet *pkt);
/* As anpu_stream_submit() with the stream's lock held */
aclError anpu_stream_submit_locked(struct anpu_stream *stream, union anpu_packet *pkt,
				   uint64_t *seq);
/* Has the packet run? It also counts if it was dropped or if its stream has ended */
static inline bool anpu_stream_reached(const struct anpu_stream *s, uint64_t seq)
{
	return atomic_load(&s->dead) || anpu_stream_completed(s) >= seq;
}

#define ANPU_DEFAULT_PRIORITY 2

/* A stream of the thread's context */
aclError anpu_stream_create(aclrtStream *stream, uint32_t priority, uint32_t flags);
/* Waits for a packet until @deadline (CLOCK_MONOTONIC ns); reports no failures of packets */
aclError anpu_stream_wait(struct anpu_stream *stream, uint64_t seq, int64_t deadline,
			  aclError on_timeout);
/* 207000 in a callback, which does not wait for streams of the program, as they may wait for it */
aclError anpu_stream_may_wait(const struct anpu_stream *stream);
/* longwait.c: waits as anpu_stream_wait_seq(), for @what, and says so on standard error if it is long */
int anpu_stream_wait_told(struct anpu_stream *stream, uint64_t seq, const char *what);
/* How long somebody waits for a stream before that is said, in ns; says it */
int64_t anpu_long_wait(void);
void anpu_tell_long_wait(const struct anpu_stream *stream, const char *what);
/* The same by the driver's WAIT alone, whose error it returns */
int anpu_stream_wait_seq(struct anpu_stream *stream, uint64_t seq, int64_t deadline);
/* Reports failures behind the first @told ones: 0 or the first one's code with its sentence */
aclError anpu_stream_report(struct anpu_stream *stream, uint64_t told);
/* Waits for everything and reports */
aclError anpu_stream_sync(struct anpu_stream *stream, int64_t deadline);
/* One packet that runs although the stream records; stream locked */
aclError anpu_stream_submit_now(struct anpu_stream *stream, union anpu_packet *pkt);
/* Room in the stream's ring for @size bytes until the next packet; stream locked */
aclError anpu_stream_ring_args(struct anpu_stream *stream, uint64_t size, void **cpu, uint64_t *va);
/* The same, or in the graph that the stream records into; stream locked */
aclError anpu_stream_args(struct anpu_stream *stream, uint64_t size, void **cpu, uint64_t *va);
/*
 * Waits for everything before the stream is destroyed: failures of tasks leave their sentence, and
 * do not make the call fail, because results of tasks are returned by synchronisation only.
 */
aclError anpu_stream_drain(struct anpu_stream *stream);
/* The reason for waiting for several streams: to be told of failures, because memory ends that tasks use, or because the streams end */
enum anpu_sync {
	ANPU_SYNC,
	ANPU_AWAIT, /* failures stay for the next synchronisation */
	ANPU_DRAIN,
	ANPU_DRAIN_BRIEFLY /* only while any of them gets on: what is left is dropped by their end */
};
/* Every stream of the device or (if not NULL) of one context; the limit is for ANPU_SYNC */
aclError anpu_streams_sync(struct anpu_device *dev, struct anpu_context *ctx, int64_t deadline,
			   enum anpu_sync how);
/* Waits for all tasks of the calling thread's device, whether or not they fail: ANPU_AWAIT */
aclError anpu_sync_current_device(void);
/* Have all tasks of all streams of the device completed */
bool anpu_streams_idle(struct anpu_device *dev);
/* The caller is the one that ends the stream; false: another thread does it, or has done it */
bool anpu_stream_claim(struct anpu_stream *stream);
/*
 * Ends a stream that the caller has claimed, or that has no handle. Drops the reference of the registry,
 * or the owner's
 */
void anpu_stream_end(struct anpu_stream *stream);
/* Ends every stream of the device or (if not 0) of one context */
void anpu_streams_end(struct anpu_device *dev, struct anpu_context *ctx);

static inline void anpu_stream_put(struct anpu_stream *stream)
{
	acl_obj_put(&stream->obj);
}

static inline void anpu_stream_get(struct anpu_stream *stream)
{
	acl_obj_get(&stream->obj);
}

/* life.c: the streams of a device end; a context's begin with the default one, end, are released */
void anpu_device_streams_end(struct anpu_device *dev);
aclError anpu_context_streams_begin(struct anpu_context *ctx);
aclError anpu_context_streams_end(struct anpu_context *ctx, bool force);
void anpu_context_streams_release(struct anpu_context *ctx);

#define ANPU_FOREVER INT64_MAX
/* Deadline for a timeout in ms; -1 for ever. Fails with 100000 for other values below 1 */
aclError anpu_deadline(int32_t timeout_ms, int64_t *deadline);
int64_t anpu_now(void);
/*
 * When a wait looks up: at its deadline, but in about 50 ms if it @looks for something meanwhile, or if
 * this thread's front wants to be asked
 */
int64_t anpu_wait_slice(int64_t deadline, bool looks);

/* ring.c: streams of a device are to be user queues */
bool anpu_ring_wanted(const struct anpu_device *dev);
/* Maps what STREAM_CREATE gave, if it made a user queue. 0 or -errno */
int anpu_ring_map(struct anpu_stream *s, const struct drm_anpu_stream_create *create);
void anpu_ring_unmap(struct anpu_stream *s);
/* Takes @lock; a thread that sleeps for it first calls anpu_about_to_sleep() */
void anpu_stream_lock(struct anpu_stream *s);
/*
 * Locks the stream when a few packets and @args bytes of arguments have room. Nothing is locked
 * meanwhile: others can ask, wait with a limit, abort, destroy. A callback does not wait: it is refused,
 * and the stream is not locked
 */
aclError anpu_stream_enter(struct anpu_stream *s, uint64_t args) __attribute__((warn_unused_result));
/* For those who hold another lock when they submit: to be called before they take it */
aclError anpu_stream_await_room(struct anpu_stream *s) __attribute__((warn_unused_result));
/* Gives the device one packet, waits for room; stream locked. 0 or -errno as of SUBMIT */
int anpu_ring_submit(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t *seq);
/* Tells the device of packets of this thread that it was not told of; @on: it is told of later ones only when this is called again */
void anpu_ring_gather(bool on);

/* races.c: what the packet says of the memory that it uses, and of order */
void anpu_races_packet(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t seq);
/* The places that a copy, a fill or a reduction uses, up to two; 0: the packet is none of these */
void anpu_races_row(const struct anpu_pkt_copy_2d *p, uint64_t row, struct anpu_access a[2]);
unsigned int anpu_races_uses(const union anpu_packet *pkt, struct anpu_access *a);
/* Do two accesses conflict if nothing orders them? */
bool anpu_races_meet(const struct anpu_access *a, const struct anpu_access *b);

/* mode.c: sets ACL_STOP_ON_FAILURE */
aclError anpu_stream_stop_on_failure(struct anpu_stream *s);
/* Drops what is queued, and ends what runs */
aclError anpu_stream_abort(struct anpu_stream *s);
/* Has it stopped after a failure */
bool anpu_stream_halted(const struct anpu_stream *s);
/* Was its device reset, or is it gone */
bool anpu_stream_stopped(const struct anpu_stream *s);

/* overflow.c: tells STREAM_CREATE where the device is to note overflows, if it does. 0 or -errno */
int anpu_overflow_start(struct anpu_device *dev, struct drm_anpu_stream_create *create);
void anpu_overflow_free(struct anpu_device *dev);
/* Overflows of the stream's kernels are noted, or not; @name of the value for messages */
aclError anpu_overflow_switch(struct anpu_stream *s, uint32_t on, const char *name);
/* They are noted for the streams of this process that have the same tag; 0 is none */
aclError anpu_overflow_tag(struct anpu_stream *s, uint32_t tag);
/* Address of the table, and of the entry where the stream's kernels note overflows; 0: there is none */
uint64_t anpu_overflow_table(struct anpu_device *dev);
uint64_t anpu_overflow_va(const struct anpu_stream *s);

static inline bool anpu_overflow_checked(const struct anpu_stream *s)
{
	return atomic_load(&s->kernel_flags) & ANPU_KERNEL_OVERFLOW;
}

/*
 * Flags of a kernel that is launched now. A stream has the mode of its making; the default stream,
 * which is older than any mode, the one that the device has.
 */
static inline uint16_t anpu_overflow_flags(const struct anpu_stream *s)
{
	uint16_t flags = atomic_load_explicit(&s->kernel_flags, memory_order_relaxed);
	bool saturate = s->is_default ? atomic_load_explicit(&s->obj.dev->saturate, memory_order_relaxed)
				      : flags & ANPU_KERNEL_SATURATE;

	return (uint16_t)((flags & ANPU_KERNEL_OVERFLOW ? flags & ~ANPU_KERNEL_SATURATE : 0) |
			  (saturate ? ANPU_KERNEL_SATURATE : 0));
}

/* fault.c: the oldest failure from @from to @to whose record is still there */
bool anpu_fault_read(struct anpu_stream *s, uint64_t from, uint64_t to, struct anpu_fault *out);
static inline uint64_t anpu_stream_errors(const struct anpu_stream *s)
{
	return __atomic_load_n(&s->status->errors, __ATOMIC_ACQUIRE);
}
/* Finds the stream's note about a packet; false if it was overwritten */
bool anpu_task_find(const struct anpu_stream *s, uint64_t seq, struct anpu_task *out);

/* For calls that take no NULL for the default stream, as most others do */
#define ANPU_CHECK_STREAM(stream)                                                             \
	do {                                                                                  \
		if (!(stream))                                                                \
			return acl_fail(ACL_ERROR_INVALID_PARAM,                              \
					"stream is NULL, which this call does not take for "  \
					"the default stream: pass a stream of "               \
					"aclrtCreateStream(), or the handle that "            \
					"aclrtCtxGetCurrentDefaultStream() tells");           \
	} while (0)

#endif /* ANPU_STREAM_H */
