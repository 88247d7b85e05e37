/* SPDX-License-Identifier: MIT */
/*
 * Inside libacl: the objects and the helpers that its files share.
 *
 * Locks, in the order in which they nest: the device table (device.c), a context's, a stream's,
 * a device's, the list of its streams (events.c), callbacks, the host memory table, the handle
 * registry. Whoever uses an object holds a reference,
 * so a concurrent destroy only makes its handle unknown.
 */
#ifndef ANPU_LIB_H
#define ANPU_LIB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl.h>
#include <anpu/anpu_accel_check.h>
#include <anpu/anpu_packet.h>
#include <drm/anpu_accel.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define min_u64(a, b)                        \
	({                                   \
		uint64_t a_ = (a), b_ = (b); \
		a_ < b_ ? a_ : b_;           \
	})
#define max_u64(a, b)                        \
	({                                   \
		uint64_t a_ = (a), b_ = (b); \
		a_ > b_ ? a_ : b_;           \
	})
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

static inline uint64_t align_up(uint64_t v, uint64_t a)
{
	return (v + a - 1) & ~(a - 1);
}

/* error.c: what went wrong, per thread ------------------------------------------------------- */

/* Notes the public function that runs, for messages; fails in a process that forked after use */
aclError acl_enter(const char *api);
#define ACL_ENTER()                                    \
	do {                                           \
		aclError enter_ = acl_enter(__func__); \
		if (enter_)                            \
			return enter_;                 \
	} while (0)

/* Records code and sentence for this thread; a macro, so that the compiler sees it is not 0 */
#define acl_fail(code, ...)                     \
	({                                      \
		aclError code_ = (code);        \
		acl_record(code_, __VA_ARGS__); \
		code_;                          \
	})
void acl_record(aclError code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The code of this thread's last acl_fail(), for callers of helpers that return a pointer */
aclError acl_last_failure(void);
/* 207000 for a function that lib/api.list does not call built */
aclError acl_unbuilt(const char *api);
/* The same for one that it says the device cannot have */
aclError acl_refused(const char *api, const char *why);
/* Sentences are kept for the process and not for each thread */
void acl_error_mode(bool process);
/* This process is the child of one that used a device: refuse from now on */
void acl_error_forked(void);
/* "12.5 MiB" for messages; buf of at least 16 bytes */
const char *acl_bytes(uint64_t n, char *buf);

#define ACL_CHECK_PTR(p)                                                            \
	do {                                                                        \
		if (!(p))                                                           \
			return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", #p); \
	} while (0)

/* What the calling thread is inside of; some functions are refused there, because they would wait
 * for the callback itself */
enum acl_callback_kind {
	ACL_IN_NOTHING,
	ACL_IN_CALLBACK, /* aclrtLaunchCallback(), aclrtLaunchHostFunc() */
	ACL_IN_EXCEPTION /* aclrtExceptionInfoCallbackRegister() */
};
void acl_set_callback(enum acl_callback_kind kind);
bool acl_in_callback(void);

/* handle.c: the registry of live handles ----------------------------------------------------- */

enum acl_type {
	ACL_TYPE_CONTEXT = 1,
	ACL_TYPE_STREAM,
	ACL_TYPE_EVENT,
	ACL_TYPE_NOTIFY,
	ACL_TYPE_CNT_NOTIFY,
	ACL_TYPE_BINARY_DESC,
	ACL_TYPE_BINARY,
	ACL_TYPE_FUNC,
	ACL_TYPE_PHYSICAL,
	ACL_TYPE_GRAPH,
	ACL_TYPE_LANE,	     /* a graph's stream */
	ACL_TYPE_TASK,	     /* of a graph */
	ACL_TYPE_TASK_GROUP,
	ACL_TYPE_COND,
	ACL_TYPE_LABEL,
	ACL_TYPE_LABEL_LIST,
	ACL_TYPE_MEM_POOL,
	ACL_TYPE_ALLOCATOR,
	ACL_TYPE_COUNT
};

struct anpu_device;

/* First member of everything that has a handle */
struct acl_obj {
	enum acl_type type;
	atomic_uint refs;
	uint64_t handle;
	struct anpu_device *dev; /* NULL if it belongs to no device */
	void (*release)(struct acl_obj *obj);
};

/* Prepares an object with one reference, the caller's, and a reference to the device */
void acl_obj_init(struct acl_obj *obj, enum acl_type type, struct anpu_device *dev,
		  void (*release)(struct acl_obj *obj));
/*
 * Gives the object a handle; the caller's reference becomes the registry's. false: out of memory.
 * From then on another thread may end the object, so the handle is also stored in @handle, and who
 * goes on using it needs a reference of its own.
 */
bool acl_obj_give(struct acl_obj *obj, void **handle);
/* The same for who has one */
bool acl_obj_publish(struct acl_obj *obj);
/* The object behind a handle, with a reference, or NULL */
struct acl_obj *acl_obj_find(const void *handle, enum acl_type type);
/* The same, and the handle becomes unknown: the caller takes over the registry's reference */
struct acl_obj *acl_obj_remove(const void *handle, enum acl_type type);
/* Removes any handle of a device, of one type or (0) all; NULL when there is none left */
struct acl_obj *acl_obj_remove_of(struct anpu_device *dev, enum acl_type type);
void acl_obj_get(struct acl_obj *obj);
void acl_obj_put(struct acl_obj *obj);
/* Handles that are left */
uint32_t acl_obj_room(void);
/* References to live objects of a type, of one device or (NULL) all; returns how many there are */
size_t acl_obj_list(struct anpu_device *dev, enum acl_type type, struct acl_obj **list, size_t max);
/* Records 107017 with what the value is instead: another type, a destroyed object, no handle */
void acl_record_bad_handle(const void *handle, enum acl_type wanted, const char *param);

static inline aclError acl_bad_handle(const void *handle, enum acl_type wanted, const char *param)
{
	acl_record_bad_handle(handle, wanted, param);
	return ACL_ERROR_RT_INVALID_HANDLE;
}

static inline void *acl_obj_handle(const struct acl_obj *obj)
{
	return (void *)(uintptr_t)obj->handle;
}

/* device.c: nodes, open devices -------------------------------------------------------------- */

#define ANPU_MAX_DEVICES 16

/* What a process has device memory for: aclrtGetMemUsageInfo() */
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

struct anpu_device {
	int id;	     /* the program's number */
	int machine; /* the machine's, see visible.c */
	int fd;
	atomic_uint refs;
	unsigned int contexts;	/* under the device table's lock */
	unsigned int set_count; /* aclrtSetDevice() minus aclrtResetDevice(); context.c */
	_Atomic uint64_t primary;	/* handle of the default context, or 0; context.c */
	struct drm_anpu_info info;
	char node[32];
	pthread_mutex_t lock; /* regions, slabs, free chunks */
	uint64_t va_base;
	uint64_t va_size;
	struct anpu_region **chunks; /* who owns each chunk of the range */
	uint64_t next_chunk;
	struct anpu_region *slabs;  /* slabs with room, newest first */
	pthread_mutex_t slots_lock; /* pools of slots */
	struct anpu_slot_pool *slot_pools;
	struct anpu_free_slot *free_slots; /* under lock */
	atomic_bool slots_ended;
	bool regions_ended; /* no more can be made; under lock */
	struct anpu_region *ended; /* referenced until the device ends, for calls that still run */
	pthread_mutex_t copy_lock; /* the stream of synchronous copies and its bounce buffer */
	struct anpu_stream *copy_stream;
	struct anpu_region *bounce;
	pthread_mutex_t events_lock; /* the list of streams */
	pthread_cond_t events_cond;  /* events have been handled; CLOCK_MONOTONIC */
	struct anpu_stream *watched; /* every stream, until it is destroyed in the driver */
	struct anpu_events *events;  /* events.c: NULL until something needs it */
	atomic_bool events_ended;
	struct anpu_reporter *host;   /* callback.c: the thread of aclrtLaunchHostFunc() */
	struct anpu_reporter *faults; /* the thread of exception callbacks */
	struct anpu_stream *wake;     /* tells the device that the CPU has written a slot */
	struct anpu_graph_call *graph_calls; /* host functions in graphs; under events_lock */
	atomic_bool lost;	      /* reset or unplugged: nothing works any more */
	_Atomic aclrtErrorType error_type; /* of the last failure that was told; devquery.c */
	atomic_bool saturate;	      /* kernels start with saturating floating point */
	struct anpu_printer *print;   /* print.c: NULL before the first stream */
	uint64_t sync_addr;	      /* aclrtGetHardwareSyncAddr(); 0 before it is asked for */
	struct anpu_pool *pools;      /* mempool.c: under lock */
	uint64_t used[ANPU_USES];     /* bytes of it, by this process; under lock */
	uint64_t used_most[ANPU_USES];
	atomic_bool pools_used;
};

/* ioctl() that repeats itself after signals; 0 or -errno */
int anpu_ioctl(int fd, unsigned long request, void *arg);
/* Number of devices that the program sees, and that the machine has; -errno, the reason in @why */
int anpu_device_count(char *why, size_t why_size);
int anpu_device_count_all(char *why, size_t why_size);
/* visible.c: how many of @present devices the program sees; the machine's number, -1: no such */
int anpu_visible_count(int present);
int anpu_visible_to_machine(int user);
/* Opens device @id or finds it open: one more context on it, a reference; NULL after acl_fail() */
struct anpu_device *anpu_device_open(int id);
/* One context less; the last one ends the device's handles and memory. Drops a reference */
void anpu_device_close(struct anpu_device *dev);
/* An open device by number or by an address in its range, with a reference, or NULL */
struct anpu_device *anpu_device_find(int id);
struct anpu_device *anpu_device_of(const void *ptr);
/* Is the address in a range reserved for devices, open or not */
bool anpu_in_device_range(const void *ptr);
/* Free bytes of device memory, and of its largest piece */
uint64_t anpu_hbm_free(struct anpu_device *dev, uint64_t *largest);
void anpu_device_get(struct anpu_device *dev);
void anpu_device_put(struct anpu_device *dev);
/* Translates a failed ioctl on a device into a code and a sentence */
aclError anpu_fail_ioctl(struct anpu_device *dev, int err, const char *what);

/* context.c ---------------------------------------------------------------------------------- */

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
	atomic_bool stops;	    /* its streams stop at the first failure */
};

/*
 * Makes a context on an opened device and takes that over: closes it when it fails, or ends. The lock
 * of context.c keeps others from ending it before its stream is there
 */
struct anpu_context *anpu_context_new(struct anpu_device *dev, bool primary);
/* Ends a context that is out of the registry: its streams, its hold on the device. Drops @ctx */
aclError anpu_context_end(struct anpu_context *ctx, bool wait);
/* The calling thread's context with a reference; 107002 if it has none */
aclError anpu_context_current(struct anpu_context **out);
/* Makes a context the calling thread's, which may be gone by then */
void anpu_context_adopt(uint64_t handle);
/* Ends every context of the process: aclFinalize(). The first failure of a task, or 0 */
aclError anpu_contexts_end_all(void);

static inline void anpu_context_put(struct anpu_context *ctx)
{
	acl_obj_put(&ctx->obj);
}

/* hooks.c: what other libraries want done at aclInit() and aclFinalize() ----------------------- */

/* Calls the hooks in order, up to the first that fails; with the text of aclInit()'s file or NULL */
aclError anpu_hooks_init(const char *config, size_t size);
/* Calls all hooks, the last one first; the first failure */
aclError anpu_hooks_finalize(void);

/* region.c: buffer objects in the device's address range ------------------------------------- */

#define ANPU_CHUNK_SHIFT 21
#define ANPU_CHUNK_SIZE	 (1ULL << ANPU_CHUNK_SHIFT)

enum anpu_region_kind {
	ANPU_REGION_BIG = 1, /* one aclrtMalloc() */
	ANPU_REGION_SLAB,    /* many small ones */
	ANPU_REGION_CODE,    /* an operator's binary */
	ANPU_REGION_INTERNAL, /* of the library: argument rings, bounce buffers */
	ANPU_REGION_RESERVED, /* addresses of aclrtReserveMemAddress(), without memory */
	ANPU_REGION_MAPPED,   /* physical memory mapped there */
	ANPU_REGION_POOL      /* of a memory pool */
};

struct anpu_arena;

struct anpu_region {
	struct anpu_device *dev; /* not counted: regions end before their device */
	atomic_uint refs;
	enum anpu_region_kind kind;
	uint32_t handle;
	uint64_t va;
	uint64_t size;	      /* of the object, and mapped */
	uint64_t user_size;   /* BIG: bytes that the program asked for, rounded */
	bool live;	      /* not yet freed; under the device's lock */
	bool hbm;	      /* counted in the device's use; of its memory */
	void *_Atomic window; /* the CPU's mapping, made when first needed */
	struct anpu_slab *slab;
	struct anpu_arena *arena; /* POOL: its blocks; under the device's lock */
	const struct anpu_binary *binary; /* CODE: whose image it is; likewise */
	struct anpu_region *next; /* in the device's list of slabs with room */
	struct acl_obj *owner;	  /* MAPPED: of the handle, referenced */
	struct anpu_region *reserve; /* MAPPED: whose addresses these are, referenced */
	uint32_t mapped;	     /* RESERVED: mappings in it; under the device's lock */
	uint32_t rights;	     /* MAPPED: DRM_ANPU_VM_* */
	uint64_t bo_offset;	     /* MAPPED: where in the object it begins */
	bool imported;		     /* MAPPED: by key */
	struct anpu_region *next_ended;
};

/*
 * Makes a buffer object and gives it addresses; maps it readable and writable unless @vm_flags is
 * 0, when the caller maps it. Returns 0 or -errno.
 */
int anpu_region_new(struct anpu_device *dev, enum anpu_region_kind kind, uint32_t bo_type,
		    uint64_t size, uint32_t vm_flags, struct anpu_region **out);
/* Addresses without memory, a multiple of 2 MiB, at @expect if that is free. 0 or -errno */
int anpu_region_reserve(struct anpu_device *dev, uint64_t size, uint64_t expect,
			struct anpu_region **out);
/*
 * Maps an object into reserved addresses, in whole chunks; with reference to the object that has
 * the handle, from @offset of it on. -EEXIST if something is mapped there, -EINVAL if it is not
 * inside @reserve.
 */
int anpu_region_map(struct anpu_region *reserve, uint64_t va, uint64_t size, uint32_t handle,
		    struct acl_obj *owner, uint64_t offset, bool imported);
/* Gives reserved addresses back; -EBUSY if something is mapped there. Drops a reference */
int anpu_region_release(struct anpu_region *reserve);
/* Changes what the device may do with a mapped region; 0 for nothing. 0 or -errno */
int anpu_region_protect(struct anpu_region *region, uint32_t vm_flags);
/* Unmaps it from the device; the object goes with the last reference. Drops one reference */
void anpu_region_end(struct anpu_region *region);
void anpu_region_get(struct anpu_region *region);
void anpu_region_put(struct anpu_region *region);
/* The CPU's mapping of the object, or NULL */
void *anpu_region_window(struct anpu_region *region);
/* The parts of it, for memory without a region: bind, close, map into the process (NULL: failed) */
int anpu_vm_bind(struct anpu_device *dev, struct drm_anpu_vm_bind_op *ops, uint32_t count);
void anpu_bo_close(struct anpu_device *dev, uint32_t handle);
void *anpu_bo_map(struct anpu_device *dev, uint32_t handle, uint64_t offset, uint64_t size);
/* Region that owns an address, with a reference, or NULL */
struct anpu_region *anpu_region_find(struct anpu_device *dev, uint64_t va);
/* The same with the device's lock held and no reference */
struct anpu_region *anpu_region_find_locked(struct anpu_device *dev, uint64_t va);

/* meminfo.c: the process uses so much more of the device's memory */
void anpu_use(struct anpu_device *dev, enum anpu_use use, int64_t bytes);

/* memory.c: what an address is --------------------------------------------------------------- */

enum anpu_place {
	ANPU_PLACE_PAGEABLE, /* host memory that the device does not know */
	ANPU_PLACE_PINNED,   /* aclrtMallocHost() */
	ANPU_PLACE_DEVICE
};

struct anpu_mem {
	enum anpu_place place;
	uint64_t addr;
	uint64_t base; /* of the allocation */
	uint64_t size;
	int pinned_for;		    /* PINNED: number of the device */
	struct anpu_device *dev;    /* DEVICE: with a reference */
	struct anpu_region *region; /* DEVICE: with a reference */
	bool pieces;		    /* DEVICE: it goes on behind the region's end */
	bool managed;		    /* PINNED: aclrtMemAllocManaged(), of both sides */
};

/*
 * Finds out what [ptr, ptr + len) is. Fails with 107000 when it is in a device's range but not
 * inside one live allocation, or begins in pinned memory and runs past its end.
 */
aclError anpu_mem_look(const void *ptr, uint64_t len, const char *name, struct anpu_mem *mem);
void anpu_mem_done(struct anpu_mem *mem);
/* Is the address in a live allocation of the region; device locked */
bool anpu_allocated_locked(const struct anpu_region *region, uint64_t va);
/* hostmem.c: the part of anpu_mem_look() about host memory */
aclError anpu_mem_look_host(struct anpu_mem *mem, uint64_t len, const char *name);
bool anpu_is_pinned(const void *ptr);
/* Managed memory of @size bytes, a multiple of 2 MiB */
aclError anpu_managed_malloc(void **ptr, uint64_t size);
/* Frees managed memory: false if @ptr is none, else @ret is what came of it */
bool anpu_managed_free(void *ptr, aclError *ret);
/* managed.c: the advice for a range ends with it */
void anpu_managed_forget(uint64_t base);
/* Takes pinned memory from a device that ends; the memory itself stays until aclrtFreeHost() */
void anpu_host_memory_orphan(struct anpu_device *dev);

/* stream.c ------------------------------------------------------------------------------------ */

#define ANPU_ARG_SEGMENTS 4
#define ANPU_ARG_SEGMENT  (32 * 1024)

struct anpu_reporter;
struct anpu_call;
struct anpu_graph;
struct graph_update;
struct anpu_graph_call;

/* Room for arguments in a graph's memory; it is the graph's until that ends */
struct graph_args {
	void *cpu;
	uint64_t va;
	uint64_t room;
};
struct anpu_marks;

#define ANPU_FOLLOWS 16

/* Another stream's tasks up to @seq come before what is queued now */
struct anpu_follow {
	int32_t number; /* of the stream */
	uint64_t seq;
};

/* What is remembered of a packet until its failure may have been told */
struct anpu_task {
	_Atomic uint64_t seq; /* 0 while it is being written */
	uint64_t entry;
	uint64_t args;
	uint32_t args_size;
	uint32_t task_id;
	uint32_t thread; /* kernel id of the one that submitted it */
	uint8_t opcode;
	uint8_t core_type;
};

struct anpu_slot_memory;
struct anpu_slot {
	struct anpu_slot_memory *cpu;
	uint64_t va;
	struct anpu_region *region; /* referenced */
	struct anpu_region *reserve; /* imported: whose addresses these are */
	bool own;		    /* it has the region for itself */
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
	volatile uint64_t *doorbell;
	int64_t halted_at; /* when that was first seen; 0 if it runs */
};

struct anpu_stream {
	struct acl_obj obj;
	uint64_t context; /* handle of its context */
	bool is_default;
	uint32_t kernel_id; /* identifier in the driver */
	uint32_t queue;
	uint32_t flags;
	uint32_t priority;
	int32_t number; /* aclrtStreamGetId() */
	const volatile struct anpu_queue_status *status;
	struct anpu_ring ring;
	pthread_mutex_t lock;	      /* submission and the argument ring */
	_Atomic uint64_t last_seq;    /* of the newest packet submitted */
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
	struct graph_update *update;  /* its kernels replace those of a graph; under lock */
	atomic_bool dead;
	atomic_bool mode_set; /* aclrtSetStreamFailureMode() was called */
	atomic_bool stops;    /* at the first failure */
	_Atomic uint32_t tag; /* ACL_STREAM_ATTR_USER_CUSTOM_TAG */
	atomic_uint aborts;   /* times that its tasks were dropped */
	struct anpu_task *tasks; /* the latest, at seq & task_mask; a packet in the ring is there */
	uint64_t task_mask;
	struct anpu_stream *next_watched; /* under the device's events_lock */
	uint64_t faults_told;		  /* ordinal of the last failure that was; likewise */
	/* the program's threads bound to it; from here on under callback.c's lock */
	struct anpu_reporter *reporters[ANPU_CALL_FAMILIES];
	struct anpu_call *first_call;	  /* whose NOTIFY has not executed */
	struct anpu_call *last_call;
	uint32_t host_calls; /* of aclrtLaunchHostFunc() that have not returned */
	atomic_uint calls_blocking; /* that have not returned */
	uint64_t blocking;   /* callbacks so far that block; the slot counts those that returned */
	struct anpu_slot call_slot;
	bool calls_ended;
};

/* With a reference for the caller; without @ctx the library's own, without a handle */
struct anpu_stream *anpu_stream_new(struct anpu_context *ctx, struct anpu_device *dev,
				    uint32_t priority, uint32_t flags);
/*
 * The stream of an API call with a reference, NULL meaning the default stream; checks that it
 * belongs to the calling thread's device. Fails with 107002, 107003, 107017.
 */
aclError anpu_stream_find(aclrtStream handle, struct anpu_stream **out);
/* Submits one packet; with @seq its sequence number */
aclError anpu_stream_submit(struct anpu_stream *stream, union anpu_packet *pkt, uint64_t *seq);
/* The same with the stream's lock held */
aclError anpu_stream_submit_locked(struct anpu_stream *stream, union anpu_packet *pkt,
				   uint64_t *seq);
/* Waits for a packet until @deadline (CLOCK_MONOTONIC ns); reports no failures of packets */
aclError anpu_stream_wait(struct anpu_stream *stream, uint64_t seq, int64_t deadline,
			  aclError on_timeout);
/* Reports failures since the last report: 0 or the first one's code with its sentence */
aclError anpu_stream_report(struct anpu_stream *stream);
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
/* Every stream of the device or (if not 0) of one context: waits and reports, or drains */
aclError anpu_streams_sync(struct anpu_device *dev, uint64_t context, int64_t deadline, bool drain);
/* Drains the calling thread's device */
aclError anpu_sync_current_device(void);
/* Have all tasks of all streams of the device completed */
bool anpu_streams_idle(struct anpu_device *dev);
/* Frees a stream that is out of the registry. Drops a reference */
void anpu_stream_end(struct anpu_stream *stream);

static inline void anpu_stream_put(struct anpu_stream *stream)
{
	acl_obj_put(&stream->obj);
}

static inline void anpu_stream_get(struct anpu_stream *stream)
{
	acl_obj_get(&stream->obj);
}

#define ANPU_FOREVER INT64_MAX
/* Deadline for a timeout in ms; -1 for ever. Fails with 100000 for other values below 1 */
aclError anpu_deadline(int32_t timeout_ms, int64_t *deadline);
int64_t anpu_now(void);

/* ring.c: streams of a device are to be user queues */
bool anpu_ring_wanted(const struct anpu_device *dev);
/* Maps what STREAM_CREATE gave, if it made a user queue. 0 or -errno */
int anpu_ring_map(struct anpu_stream *s, const struct drm_anpu_stream_create *create);
void anpu_ring_unmap(struct anpu_stream *s);
/* Gives the device one packet, waits for room; stream locked. 0 or -errno as of SUBMIT */
int anpu_ring_submit(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t *seq);

/* streammode.c: sets ACL_STOP_ON_FAILURE */
aclError anpu_stream_stop_on_failure(struct anpu_stream *s);
/* Drops what is queued, and ends what runs */
aclError anpu_stream_abort(struct anpu_stream *s);
/* Has it stopped after a failure */
bool anpu_stream_halted(const struct anpu_stream *s);
/* Was its device reset, or is it gone */
bool anpu_stream_stopped(const struct anpu_stream *s);

/* fault.c: from a fault record to a code and a sentence */
aclError anpu_fault_code(const struct anpu_fault *fault);
void anpu_fault_text(struct anpu_device *dev, const struct anpu_fault *fault, char *buf, size_t n);
/* The oldest failure from @from to @to whose record is still there */
bool anpu_fault_read(struct anpu_stream *s, uint64_t from, uint64_t to, struct anpu_fault *out);

/* states.c: calls the hooks; no lock held */
void anpu_tell_device_state(int32_t id, aclrtDeviceState state);
void anpu_tell_stream_state(const struct anpu_stream *s, aclrtStreamState state);

/* order.c: what streams know of each other ----------------------------------------------------- */

struct anpu_mark {
	struct anpu_stream *stream; /* referenced; NULL: no mark */
	struct anpu_marks *marks;   /* referenced */
	uint64_t value;
	uint64_t seq;
};

/* Leaves a mark behind everything that is queued, to be dropped with anpu_mark_drop() */
aclError anpu_mark(struct anpu_stream *s, struct anpu_mark *mark);
void anpu_mark_drop(struct anpu_mark *mark);
bool anpu_mark_reached(const struct anpu_mark *mark);
/* Makes the stream wait for another one's mark */
aclError anpu_mark_await(struct anpu_stream *s, const struct anpu_mark *mark);
/* The stream's tasks were dropped: nobody waits for its marks any longer */
void anpu_marks_dropped(struct anpu_stream *s);
void anpu_marks_get(struct anpu_marks *m);
void anpu_marks_put(struct anpu_marks *m);
/* The stream waits for the other one's tasks up to @seq */
void anpu_follow(struct anpu_stream *s, const struct anpu_stream *other, uint64_t seq);
/* Does it, with its lock held */
bool anpu_follows(const struct anpu_stream *s, const struct anpu_stream *other, uint64_t seq);

/* mempool.c ------------------------------------------------------------------------------------ */

/* A stream was synchronised: what its pools have too much goes back to the device */
void anpu_pools_settle(struct anpu_device *dev);
/* The device ends, its streams have; and its pools */
void anpu_pools_end(struct anpu_device *dev);
/* Start and size of the allocation that holds @va; false if there is none. Device locked */
bool anpu_pool_allocation(const struct anpu_region *region, uint64_t va, uint64_t *base,
			  uint64_t *size);

/* allocator.c: the stream ends, and so does its allocator's registration */
void anpu_allocator_forget(uint64_t stream);

/* events.c: the thread that reads a device's events ------------------------------------------- */

/* There are threads now: exit() quietens hooks */
void anpu_watch_exit(void);
/* Starts it if it does not run */
aclError anpu_events_start(struct anpu_device *dev);
/* The same, with the thread that runs exception callbacks */
aclError anpu_events_start_faults(struct anpu_device *dev);
/* The same, with the thread that runs host functions */
aclError anpu_events_start_host(struct anpu_device *dev);
/* The same, with the stream that makes the device look at slots again */
aclError anpu_events_start_wake(struct anpu_device *dev);
/* Ends all of them, after everything that has happened was told; the device's streams have ended */
void anpu_events_end(struct anpu_device *dev);
/* A stream begins; ends: @completed is the last packet that had completed before */
void anpu_events_add(struct anpu_stream *s);
void anpu_events_remove(struct anpu_stream *s, uint64_t completed);
/* What the stream remembers of a packet; false if it was overwritten */
bool anpu_task_find(const struct anpu_stream *s, uint64_t seq, struct anpu_task *out);

/* print.c: output of operators ---------------------------------------------------------------- */

/* Where the device is to put it, for STREAM_CREATE; 0 if the driver knows no print buffers */
int anpu_print_start(struct anpu_device *dev, uint64_t *va);
/* Operators may run from now on: makes the ring for their texts. 0 or -errno */
int anpu_print_ring(struct anpu_device *dev);
/* Is there a ring */
bool anpu_print_active(struct anpu_device *dev);
/* Writes what has arrived to stdout */
void anpu_print_drain(struct anpu_device *dev);
void anpu_print_free(struct anpu_device *dev);

/* exception.c --------------------------------------------------------------------------------- */

struct anpu_binary;

/* Is there any hook */
bool anpu_exceptions_wanted(void);
/* The binary ends, and its hook with it */
void anpu_exception_forget(struct anpu_binary *bin);
/* The process exits: no hook begins from now on, because what it uses may be destroyed */
void anpu_exceptions_stop(void);
/* A task of the stream failed; with @s NULL the device did. Calls the hooks in the device's thread */
void anpu_exception_tell(struct anpu_device *dev, const struct anpu_stream *s,
			 const struct anpu_fault *fault);

/* callback.c: functions that threads run ------------------------------------------------------ */

struct anpu_call {
	struct anpu_call *next;
	struct anpu_reporter *reporter;
	struct anpu_stream *stream; /* NULL once it has ended, and for exceptions */
	uint64_t context;	    /* for threads of the runtime */
	uint64_t seq;		    /* of the NOTIFY packet */
	uint64_t done;		    /* value of the slot when it has returned; 0: does not block */
	void (*fn)(void *arg);
	void *arg;
	enum acl_callback_kind kind;
};

/* A thread of the runtime that runs calls; NULL if none can be made */
struct anpu_reporter *anpu_reporter_start(void);
/* Runs what is queued, then ends the thread, if there is one, and stores NULL */
void anpu_reporter_end(struct anpu_reporter **where);
/* Queues a call, which the thread frees */
void anpu_reporter_push(struct anpu_reporter *r, struct anpu_call *call);
/* The device is gone: the program's threads that wait for its callbacks are told */
void anpu_reporters_lost(struct anpu_device *dev);
/* The stream has executed packets up to @seq: its calls until there are due */
void anpu_calls_reached(struct anpu_stream *s, uint64_t seq);
/* Packets from @first to @last were dropped: their calls never run */
void anpu_calls_drop(struct anpu_stream *s, uint64_t first, uint64_t last);
/* The stream ends: calls that were not reached never run */
void anpu_calls_end(struct anpu_stream *s);

/* ipc.c: an object for a dma-buf; 0 or -errno */
int anpu_import_fd(struct anpu_device *dev, int fd, uint32_t *gem);
/* ipc.c: one user of an imported GEM handle less */
void anpu_import_drop(struct anpu_device *dev, uint32_t gem);
/* Ends what the device shares with other processes, and has from them */
void anpu_imports_end(struct anpu_device *dev);
/* share.c: the part of it that others may still ask for */
void anpu_shares_end(struct anpu_device *dev);

/* peer.c: what device @id may reach of others is closed */
void anpu_peers_forget(int id);
/*
 * Copies from one device to another by one of them, which reaches the other's memory. @done is false
 * if that is not open, does not pay, or this machine cannot do it: then nothing has been copied.
 */
aclError anpu_peer_copy(const struct anpu_mem *dst, const struct anpu_mem *src, uint64_t count,
			bool *done);

/* capture.c, graphrecord.c, graphevent.c: recording a stream --------------------------------------- */

/* Do the stream's tasks go elsewhere than into its ring; stream locked */
static inline bool anpu_graph_records(const struct anpu_stream *s)
{
	return s->graph || s->update || s->flags & ACL_STREAM_PERSISTENT;
}

/* A packet of a stream that records; stream locked */
aclError anpu_graph_record(struct anpu_stream *s, const union anpu_packet *pkt);
/* Room for its arguments; stream locked */
aclError anpu_graph_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va);
/* A host function for a stream that records; stream locked */
aclError anpu_graph_host_func(struct anpu_stream *s, void (*fn)(void *), void *arg);
/* 207000, because it cannot be recorded: the recording is void. Stream locked */
aclError anpu_graph_cannot(struct anpu_stream *s, const char *what);
/* 107027 if the stream records; stream not locked */
aclError anpu_graph_refuse(struct anpu_stream *s, const char *what);
/* @code if it is being recorded, which is void then; stream not locked */
aclError anpu_graph_illegal(struct anpu_stream *s, aclError code, const char *what);
/* The stream ends: so does the recording */
void anpu_graph_drop(struct anpu_stream *s);
/* graphgroup.c: and so does the update; stream locked */
void anpu_graph_update_end(struct anpu_stream *s);
/* 107030 if a recording forbids the calling thread what is done at once; the recording is void then */
aclError anpu_capture_unsafe(const char *what);
/* 107027 if a stream of the device is being recorded; the recording is void then */
aclError anpu_capture_device(struct anpu_device *dev, const char *what);

/* Where in a recording an event was recorded: what its stream had waited for up to there */
struct anpu_capture_point {
	struct anpu_graph *graph; /* referenced */
	uint32_t *known;
	uint32_t lanes;
};

/* A task of an event in a graph */
struct anpu_event_task {
	aclmdlRITaskType type;
	aclrtEvent event;
	uint32_t event_flags, flag;
	struct acl_obj *obj; /* the event, if each execution is to record it or wait for it anew */
	const union anpu_packet *packets;
	uint32_t count;
};

/* The functions that follow are called with the event locked */
bool anpu_capture_live(const struct anpu_capture_point *p);
void anpu_capture_forget(struct anpu_capture_point *p);
/* 107028 if the event belongs to a recording, which is void then */
aclError anpu_capture_refuse_event(struct anpu_capture_point *p, const char *what);
/* Records the task if the stream does; with @p the event is there from now on */
aclError anpu_capture_event(struct anpu_stream *s, const struct anpu_event_task *info,
			    struct anpu_capture_point *p, bool *recorded);
/* The stream waits for an event of a recording, and joins that if it does not record */
aclError anpu_capture_wait(struct anpu_stream *s, const struct anpu_event_task *info,
			   struct anpu_capture_point *p);
/* 107024 if the stream is being recorded, because the event was not recorded there */
aclError anpu_capture_dependency(struct anpu_stream *s, aclrtEvent event, bool *captured);
/* event.c: what an execution of a graph waits for, or records; and that it was submitted */
uint64_t anpu_event_value(struct acl_obj *event, bool record);
void anpu_event_recorded(struct acl_obj *event, struct anpu_stream *s, uint64_t seq);
/* graphcall.c: host functions in graphs */
void anpu_graph_call_end(struct anpu_graph_call *call);
/* A NOTIFY with this cookie was executed; (0) events were lost. The device's events_lock is held */
void anpu_graph_call_reached(struct anpu_device *dev, uint64_t cookie);

/* vmm.c: physical memory ---------------------------------------------------------------------- */

struct anpu_physical {
	struct acl_obj obj;
	uint32_t handle; /* GEM */
	uint64_t size;
	bool host;	  /* system memory */
	bool imported;	  /* from another process */
	atomic_uint uses; /* of the handle: aclrtFreePhysical() ends one */
};

/* Physical memory behind a GEM handle, which it takes over unless it fails; not published */
struct anpu_physical *anpu_physical_make(struct anpu_device *dev, uint32_t gem, uint64_t size,
					 bool host, bool imported);
/* The memory of a handle with a reference, or NULL after acl_fail() */
struct anpu_physical *anpu_physical_find(aclrtDrvMemHandle handle);

/* slot.c: memory that device and CPU share, for events and notifies --------------------------- */

struct anpu_slot_memory {
	uint64_t value;
	uint64_t time_ns;
	uint64_t waits; /* waits that were satisfied */
	uint64_t records; /* events of several processes: that were called for */
	uint64_t reserved[4];
};

/* A slot of zeroes; 0 or -errno */
int anpu_slot_take(struct anpu_device *dev, struct anpu_slot *slot);
/* The same in memory of its own, which others may have */
int anpu_slot_take_own(struct anpu_device *dev, struct anpu_slot *slot);
/* A slot in memory of another process */
int anpu_slot_open(struct anpu_device *dev, struct anpu_physical *p, struct anpu_slot *slot);
/* Lets the slot be used again once the tasks that are queued now have run */
void anpu_slot_give(struct anpu_device *dev, const struct anpu_slot *slot);
/* Ends the owner's access to it */
void anpu_slot_release(struct anpu_slot *slot);
/* Frees the slots of a device that ends */
void anpu_slots_end(struct anpu_device *dev);
/* event.c: a packet that changes a word of 8 bytes, with its time stamp at @time if not 0 */
union anpu_packet anpu_signal_packet(uint64_t addr, uint64_t value, uint64_t time, uint32_t op);

/* copy.c */
/* The stream of synchronous copies; NULL after acl_fail(). Call and use with copy_lock held */
struct anpu_stream *anpu_copy_stream(struct anpu_device *dev);
/* One packet on that stream, waited for and reported */
aclError anpu_run_packet(struct anpu_device *dev, union anpu_packet pkt);
/* Looks at both ranges of a copy; 107000 if it does not fit */
aclError anpu_check_copy(void *dst, size_t dest_max, const void *src, size_t count,
			 struct anpu_mem *d, struct anpu_mem *s);
/* Queues a copy, or does it in the stream's order where that cannot be */
aclError anpu_copy_async(struct anpu_mem *d, struct anpu_mem *s, uint64_t count,
			 struct anpu_stream *stream);
/* Copies between any two places that anpu_mem_look() has found, by the best way there is */
aclError anpu_copy_sync(struct anpu_mem *dst, struct anpu_mem *src, uint64_t count);
/* The CPU's address of device memory, or NULL */
void *anpu_window_of(struct anpu_mem *mem);
void anpu_cpu_copy(char *dst, const char *src, uint64_t count);
/* Can the stream's device reach it without the CPU's help */
bool anpu_reachable(const struct anpu_mem *mem, const struct anpu_stream *stream);
/* Does the kind of an asynchronous copy fit the places */
aclError anpu_check_kind(const struct anpu_mem *dst, const struct anpu_mem *src,
			 aclrtMemcpyKind kind);

/* binary.c ----------------------------------------------------------------------------------- */

struct anpu_image;

struct anpu_binary {
	struct acl_obj obj;
	pthread_mutex_t lock;
	struct anpu_image *image;   /* parsed, see elf.h */
	struct anpu_region *region; /* NULL until it is on the device */
	uint64_t base;		    /* address of the image's address 0 */
	char *name;		    /* file name, for messages */
	struct anpu_func *funcs;    /* given out, each with a reference */
	uint64_t serial;	    /* a later one was loaded later */
	aclrtOpExceptionCallback on_exception; /* exception.c: under its lock */
	void *on_exception_data;
	bool ended;
};

struct anpu_func {
	struct acl_obj obj;
	struct anpu_binary *binary; /* referenced */
	uint64_t entry;
	uint8_t core_type; /* enum anpu_core_type */
	uint8_t mix_ratio;
	uint8_t sched_mode;
	int32_t aiv_entry;
	uint32_t args_size; /* bytes that its parameters need, 0: unknown */
	uint32_t param_count;
	const uint8_t *params; /* records in the image */
	uint64_t code_size;
	uint64_t aiv_size; /* of a pair's vector part */
	char *name;
	struct anpu_func *next; /* of the same binary */
};

/* Ends a binary that is out of the registry: its functions, its memory. Drops a reference */
void anpu_binary_end(struct anpu_binary *bin);
/* "name+0x10 in file.o" for an address in a loaded binary, with @bare a kernel's name; else "" */
void anpu_symbolise(struct anpu_device *dev, uint64_t addr, char *buf, size_t n, bool bare);

/* Start and size of the variable in the binary's region that holds @va. Device locked */
bool anpu_binary_variable(const struct anpu_region *region, uint64_t va, uint64_t *base,
			  uint64_t *size);
/* Address and size of a variable of the binary; uploads it. *va is 0 if it has none of that name */
aclError anpu_binary_global(struct anpu_binary *bin, const char *name, uint64_t *va, uint64_t *size,
			    bool *writable);
/* Has the binary a kernel of that name */
bool anpu_binary_has_kernel(struct anpu_binary *bin, const char *name);

/* hostsym.c: the name of what the program itself has at an address; false if it has none */
bool anpu_host_symbol(const void *ptr, char *name, size_t size);

/* launch.c ----------------------------------------------------------------------------------- */

/* What all ways of launching share */
struct anpu_launch {
	struct anpu_func *func;	    /* referenced */
	struct anpu_stream *stream; /* referenced */
	struct anpu_pkt_kernel pkt;
};

/* Looks everything up and checks it; prepares the packet without its arguments */
aclError anpu_launch_begin(struct anpu_launch *l, aclrtFuncHandle func, uint32_t blocks,
			   const aclrtLaunchKernelCfg *cfg, aclrtStream stream);
/* Copies arguments, points the placeholders into the copy, submits */
aclError anpu_launch_host_args(struct anpu_launch *l, const void *args, size_t size,
			       const aclrtPlaceHolderInfo *holders, size_t count);
void anpu_launch_end(struct anpu_launch *l);
/* The function of a handle with a reference, or NULL after acl_fail() */
struct anpu_func *anpu_func_find(aclrtFuncHandle handle);

/* init.c: the device of threads that set none, from aclInit()'s file, or -1 */
int anpu_default_device(void);

#endif /* ANPU_LIB_H */
