/* SPDX-License-Identifier: MIT */
/*
 * The direct engine: the uAPI of <drm/anpu_accel.h>, served in the process over the device model. It
 * does for the model what the kernel's driver does for the device: gives out its memory, writes page
 * tables and queue contexts into it, and turns its events into what programs wait for.
 *
 * Locks, in the order in which they nest: a file's ioctl locks (@bind_lock, @cmd_lock of a stream), a
 * device's @lock (memory, objects, tables), its @event_lock (what the model's event thread uses),
 * wait_lock (wait.c). The model calls dev_raise() without any lock of its own, and none of these is
 * held while a queue is waited for.
 */
#ifndef ANPU_DIRECT_H
#define ANPU_DIRECT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <anpu/anpu_engine.h>
#include <anpu/anpu_hw.h>
#include <drm/anpu_accel.h>

#include "anpu_model.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096ULL
#define VA_START	(1ULL << 32)
#define VA_END		(1ULL << ANPU_VA_BITS)
#define MAX_DEVICES	64
/* The type of an object that another device has: its memory is reached where the other one has it */
#define BO_IMPORTED	100

/*
 * Of variables that a handler of signals uses: it may run where nothing can be allocated, as glibc does at the first use of
 * a library's variable in a thread. musl allocates at dlopen(), and then has no room for the faster form.
 */
#ifdef __GLIBC__
#define HANDLER_TLS	__attribute__((tls_model("initial-exec")))
#else
#define HANDLER_TLS
#endif

struct device;
struct file;
struct list;
struct stream;
struct anpu_piece;

static inline uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) & ~(to - 1);
}

static inline bool aligned(uint64_t v, uint64_t to)
{
	return !(v & (to - 1));
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Memory of the device (hbm.c) ----------------------------------------------------------------- */

struct range {
	uint64_t start;
	uint64_t size;
};

/**
 * struct hbm - the device's memory: an anonymous file, mapped once for the model and this engine
 * @fd: of the file, from which programs get mappings of their own
 * @read_fd: the same for reading only
 * @free_list: free ranges by address, @n of @max
 * @total: bytes that programs can have in all
 * @left: bytes that are free
 * @tables: bytes of page tables
 * @dev: whose memory it is
 */
struct hbm {
	int fd;
	int read_fd;
	uint8_t *cpu;
	uint64_t size;
	struct range *free_list;
	unsigned int n, max;
	uint64_t total;
	uint64_t left;
	uint64_t tables;
	struct device *dev;
};

int hbm_init(struct hbm *h, uint64_t size);
void hbm_fini(struct hbm *h);
/* One range from the top, for the engine itself; 0: there is none. Zeroed */
uint64_t hbm_take(struct hbm *h, uint64_t size);
void hbm_give(struct hbm *h, uint64_t addr, uint64_t size);
/* Ranges for an object from the bottom, at most one if @contiguous; their number, or -errno */
int hbm_take_ranges(struct hbm *h, uint64_t size, bool contiguous, struct range **out);

/*
 * Memory that other processes map is in files of its own, never in the device's, which has everybody's:
 * shows a part of a file in place of a range of the HBM, 0 or -ENOMEM; and the device's own memory again
 */
int hbm_show(struct hbm *h, uint64_t addr, uint64_t size, int fd, uint64_t at);
int hbm_hide(struct hbm *h, uint64_t addr, uint64_t size);
/* As hbm_give(), of a range that shows a file, whose contents stay as they are */
void hbm_give_shown(struct hbm *h, uint64_t addr, uint64_t size);

/* Memory that other processes map, when this one is a server (shared.c) ----------------------- */

/* This process is a server: objects and pages of streams are in files that clients may get */
extern bool shared_device;

/* A file of zeros whose size nobody can change; -errno */
int shared_file(const char *name, uint64_t size);
/* Seals the file against new writable mappings; existing ones stay. 0 or -errno */
int shared_file_end_writing(int fd);
/* The size of the file if shared_file() could have made it, else 0 */
uint64_t shared_file_size(int fd, bool *hbm);

/**
 * struct shared_map - what a client maps for an mmap() of a device
 * @fd: a descriptor of the caller's, which closes it; -1: pages of the client's own
 * @at: offset in @fd
 */
struct shared_map {
	int fd;
	uint64_t at;
};

/* As mmap(), for a client: @map tells what the client has to map itself; 0 or -errno */
int shared_mmap(int fd, uint64_t offset, uint64_t size, int prot, int flags, struct shared_map *map);
/* As the engine's doorbell, for a client, which may name any queue */
void shared_doorbell(int fd, uint32_t queue, uint64_t wptr);
/* Closes a handle. @used: something else still uses the object */
int shared_close(int fd, uint32_t handle, bool *used);
/* Puts a part of a file into an object of a client's memory */
int shared_piece(int fd, const struct anpu_piece *piece, int file);
/* The process that has the descriptor; before anything is asked of it */
void shared_owner(int fd, uint32_t pid);
/* The process that had the descriptor has ended: its calls stop waiting and return */
void shared_hang_up(int fd);
/* The request as call() in engine.c dispatches it, or 0 and *err if the engine has no such request */
unsigned long engine_request(unsigned long request, int *err);
/* Answers VERSION and GET_CAP, which need no device; -ENOTTY for all other requests */
int engine_ask(unsigned long request, void *data);

/* Objects (bo.c) ------------------------------------------------------------------------------- */

/**
 * struct bo - a buffer object
 * @refs: handles, mappings, exports' holders, calls; under @dev->lock
 * @offset: for mmap(), 0 until it was asked for; unique in @dev
 * @chunk: HBM: its ranges, @n_chunks
 * @cpu: SYSTEM: where the engine has it, and the model; USERPTR: the program's memory, or addresses of a
 *	server's at which it shows files of the program's
 * @torn: USERPTR: the server has lost a part of these addresses, so they are never given back
 * @fd: SYSTEM, and HBM of a server: the file; -1 if the process has too few descriptors left to keep it
 * @st_dev: file system of @fd; @ino: inode in it
 * @serial: of all objects of the process
 * @origin: IMPORTED: the object of the other device, referenced
 */
struct bo {
	struct device *dev;
	struct bo *next, *prev;		/* of the device's list */
	unsigned int refs;
	uint32_t type;
	uint32_t flags;
	uint64_t size;
	uint64_t offset;
	struct range *chunk;
	unsigned int n_chunks;
	uint8_t *cpu;
	bool torn;
	int fd;
	uint64_t st_dev, ino;
	uint64_t serial;
	struct bo *origin;
};

struct bo *bo_lookup(struct file *file, uint32_t handle);	/* with a reference, or NULL */
void bo_get(struct bo *bo);
void bo_put(struct bo *bo);
/* Where the device finds a byte, and how many follow there: HBM address, or host address */
uint64_t bo_addr(const struct bo *bo, uint64_t offset, uint64_t *span);
bool bo_is_hbm(const struct bo *bo);
uint64_t bo_read(const struct bo *bo, uint64_t offset, uint32_t width);
void bo_close_all(struct file *file);
int bo_create(struct file *file, void *data);
int bo_mmap_offset(struct file *file, void *data);
int bo_gem_close(struct file *file, void *data);
int bo_export(struct file *file, void *data);
int bo_import(struct file *file, void *data);
/* Maps a part of an object into the process; MAP_FAILED and errno */
void *bo_map(struct bo *bo, void *addr, uint64_t at, uint64_t size, int prot, int flags);
/* USERPTR, in a server: shows a part of a file in place of a part of the object */
int bo_piece(struct bo *bo, const struct anpu_piece *piece, int file);
int bo_share(struct bo *bo, uint64_t at, struct shared_map *map);
/* Is there an object that another file has at that offset? */
bool bo_is_anothers(struct file *file, uint64_t offset);
struct bo *bo_by_offset(struct file *file, uint64_t offset, uint64_t size); /* with a reference */
struct bo *bo_by_fd(int fd);					/* likewise */

/* Address spaces (vm.c, mmu.c) ----------------------------------------------------------------- */

struct mapping {
	uint64_t va;
	uint64_t size;
	struct bo *bo;
	uint64_t offset;
	uint32_t flags;
};

/**
 * struct vm - an address space
 * @lock: binds of the file, one at a time
 * @map: mappings by address, @n of @max; each has a reference to its object
 * @root: HBM address of its top table
 */
struct vm {
	pthread_mutex_t lock;
	struct device *dev;
	uint32_t asid;
	uint64_t root;
	struct mapping *map;
	unsigned int n, max;
};

int vm_init(struct vm *vm, struct device *dev);
void vm_fini(struct vm *vm);
int vm_bind(struct file *file, void *data);

int mmu_space_init(struct vm *vm);
void mmu_space_fini(struct vm *vm);
void mmu_space_enter(struct vm *vm);		/* anew, after a reset */
int mmu_prepare(struct vm *vm, uint64_t va, uint64_t size, const struct bo *bo, uint64_t offset);
void mmu_map(struct vm *vm, const struct mapping *m);
void mmu_clear(struct vm *vm, uint64_t va, uint64_t size);
void mmu_prune(struct vm *vm, uint64_t va, uint64_t size, uint64_t **unused, unsigned int *n);
void mmu_give_table(struct device *dev, uint64_t addr);
void mmu_flush(struct device *dev, uint32_t asid);

/* Streams (stream.c, submit.c) ----------------------------------------------------------------- */

/**
 * struct stream - a queue of the device with its ring
 * @refs: the table, calls; under the device's event_lock
 * @lock: serialises submitters, and those who restart it
 * @epoch: starts so far, under wait_lock like @dead and @final
 * @final: packets that had completed when it died
 * @released_ns: device clock of its last start or abort: older failures of its group do not halt it
 * @cookie: new with each start, so that old events are known; under event_lock like @stopped
 * @status_fd: server: the file that shows the status page; @user_fd: control page and ring; or -1
 */
struct stream {
	struct device *dev;
	struct file *file;
	uint32_t id;
	uint32_t queue;
	uint32_t flags;
	uint32_t priority;
	uint32_t group;
	uint32_t ring_log2;
	uint64_t print;
	uint64_t overflow;
	uint64_t trace;
	unsigned int refs;
	pthread_mutex_t lock;
	pthread_mutex_t cmd_lock;
	uint64_t ring_addr, page_addr;
	union anpu_packet *ring;
	struct anpu_queue_status *status;
	struct anpu_queue_control *control;
	_Atomic uint64_t wptr;
	_Atomic uint32_t epoch;
	_Atomic bool dead;
	_Atomic bool stopped;
	bool destroyed;
	uint64_t final;
	uint64_t cookie;
	uint64_t released_ns;
	int status_fd, user_fd;
};

/* Which page of a stream an mmap() offset means */
enum page_kind { PAGE_STATUS, PAGE_RING, PAGE_CONTROL, PAGE_DOORBELL, PAGE_KINDS };

int stream_create(struct file *file, void *data);
int stream_destroy(struct file *file, void *data);
int stream_set(struct file *file, void *data);
int stream_get_state(struct file *file, void *data);
int stream_reset(struct file *file, void *data);
void stream_refresh(struct stream *s);
void streams_end(struct file *file);
struct stream *stream_find(struct file *file, uint32_t id);	/* with a reference, or NULL */
void stream_put(struct stream *s);
void stream_revoke(struct stream *s, bool status);
const struct anpu_fault *stream_fault(const struct stream *s, uint64_t ordinal);
uint64_t stream_completed(const struct stream *s);
uint32_t stream_state(const struct stream *s);
void *stream_map(struct file *file, void *addr, uint64_t offset, uint64_t size, int prot, int flags);
int stream_share(struct file *file, uint64_t offset, uint64_t size, int prot, int flags, struct shared_map *map);
int submit_ioctl(struct file *file, void *data);

/* Waiting (wait.c) ----------------------------------------------------------------------------- */

int wait_ioctl(struct file *file, void *data);
int wait_seq(struct stream *s, uint64_t seq);
/* Wakes the threads that wait for a stream (NULL: for memory), which then look at their conditions again */
void wait_wake(struct stream *s);
/* Wakes all waiting threads, after a program has ended */
void wait_wake_all(void);
/* Marks a stream as dead and wakes its waiters. Returns whether it was alive */
bool wait_kill(struct stream *s);
void wait_revive(struct stream *s);

/* Devices and files (device.c, event.c, engine.c) ---------------------------------------------- */

struct file_event {
	struct file_event *next;
	struct drm_event base;		/* the payload of the event follows */
};


/**
 * struct file - an open node
 * @fd: an eventfd that is readable while there are events
 * @gone: server: its program is, so nothing that it waits for matters
 * @on: its device is switched on: a program that only asks which devices there are has none
 * @pid: server: of its program; else 0
 * @listed: its place in the device's list + 1, 0: none
 * @handle: objects by handle - 1, @n_handles; under the device's lock
 * @stream: streams by place; under the device's event_lock like what follows
 * @subscribed: DRM_ANPU_SUBSCRIBE_*
 * @space: bytes that events may still take
 * @lost: events that found no space
 */
struct file {
	unsigned int number;
	struct device *dev;
	int fd;
	unsigned int refs;		/* under the table's lock, engine.c */
	atomic_bool on;
	atomic_bool gone;
	uint32_t pid;
	unsigned int listed;
	struct file *next_free;
	struct vm vm;
	struct bo **handle;
	unsigned int n_handles;
	uint64_t own_hbm, own_system;
	struct stream **stream;
	unsigned int n_streams;
	uint32_t next_stream;
	uint32_t subscribed;
	struct file_event *first, **last;
	uint64_t space;
	uint64_t lost;
};

struct event_queue {
	struct anpu_event_header *header;
	struct anpu_event *ring;
	uint64_t addr;
	uint64_t rptr;
	pthread_mutex_t lock;		/* of consumers; outside event_lock */
};

/**
 * struct device - a device of this process
 * @config: of the model; @name in messages
 * @ready: it was switched on; it stays so until the process ends
 * @streams: by queue; under event_lock
 * @owner: by queue: descriptor of its file + 1, for doorbells, or 0
 * @wedged: it does not do what it has to do any more
 * @list: what other processes may know of it, or NULL
 */
struct device {
	struct anpu_config config;
	unsigned int number;
	bool ready;
	struct anpu_model *model;
	FILE *log;
	pthread_mutex_t lock;
	pthread_mutex_t event_lock;
	pthread_mutex_t reset_lock;
	pthread_mutex_t tlb_lock;
	pthread_mutex_t busy_lock;
	struct hbm hbm;
	uint64_t caps;
	uint64_t asid_table, queue_table;
	uint64_t *asids;
	struct anpu_queue_context *contexts;
	struct event_queue eq;
	struct bo *bos;
	uint64_t next_offset;
	uint64_t next_cookie;
	struct stream **streams;
	_Atomic int *owner;
	unsigned int next_queue;
	struct file *files[ANPU_ASIDS_DEFAULT];
	_Atomic uint32_t resets;
	_Atomic bool wedged;
	struct list *list;
};

int device_list(char *why, size_t size);	/* number of devices, -1: ANPU_DIRECT is wrong */
/* The devices that have been switched on, @n of them; they stay on until the process ends */
struct device *const *device_table(unsigned int *n);
struct device *device_get(unsigned int number);	/* switched on, or NULL and a line on stderr */
uint64_t device_read(struct device *dev, uint64_t reg);
void device_write(struct device *dev, uint64_t reg, uint64_t value);
void devices_exit(void);		/* the process is about to end at once, and a gdb is told */
void devices_forked(void);	/* in a child, which has none of them */
int device_query(struct file *file, void *data);
/* Names and versions that programs are to be told of device @n, which need not be on */
void device_names(unsigned int n, struct drm_anpu_names *names);
/* Where gdb can come to device @n, which is switched on for that; 0: it cannot */
unsigned int device_gdb_port(unsigned int n);
int device_reset(struct device *dev);
/* The device does not do what it has to do: nothing is asked of it from now on */
void device_wedge(struct device *dev);
/* Is it gone by a plan of faults? */
bool device_gone(struct device *dev);

#define EVENT_ENTRIES	4096
#define EVENT_SPACE	(256U << 10)

int event_init(struct device *dev);
void event_enable(struct device *dev);
void event_drain(struct device *dev);
int event_subscribe(struct file *file, void *data);
ssize_t event_read(struct file *file, void *buf, size_t size);
void event_reset_all(struct device *dev);
void event_file_end(struct file *file);

/* The list that other processes of the user may read (list.c) ---------------------------------- */

void list_make(struct device *dev);
/* @bytes of memory are free; resets, or the state, have changed */
void list_free(struct device *dev, uint64_t bytes);
void list_state(struct device *dev);
/* A file has a device from now on; its memory has changed, device locked; it is closed */
void list_file(struct file *file);
void list_memory(const struct file *file);
void list_file_ends(struct file *file);
/* A stream has pages from now on, and an identifier; its priority has changed; its counters are about to be lost */
void list_stream(const struct stream *s);
void list_priority(const struct stream *s);
void list_stream_rests(const struct stream *s);

/* Mappings that programs have of the HBM (map.c) ----------------------------------------------- */

int map_note(void *addr, uint64_t size, struct bo *bo, struct stream *s, enum page_kind kind);
bool map_end(void *addr, uint64_t size);
void map_revoke(struct stream *s, bool status);

/* Host memory that may go away at any time (guard.c) ------------------------------------------- */

void guard_init(void);
void guard_rearm(void);
/* A function that knows why an access failed and lets it be repeated; of a client of anpu-server */
void guard_ask(bool (*repeat)(const void *addr));
bool guard_run(void *ctx, void (*fn)(void *arg), void *arg, uint64_t *addr);
/* The engine's own code, called from inside of guard_run(), is not to be left at a fault */
struct guard *guard_suspend(void);
void guard_resume(struct guard *g);
/* As memcpy(), of the program's memory: 0 or -EFAULT */
int guard_copy(void *to, const void *from, size_t size);
/* Touches each page, for writing without changing it: 0 or -EFAULT */
int guard_touch(void *at, uint64_t size, bool write);
/* Reads element @i of an array of the uAPI: 0, -EFAULT, -EINVAL or -E2BIG */
int guard_element(void *to, size_t size, const struct drm_anpu_array *array, uint32_t i);

void copy_text(char *to, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif /* ANPU_DIRECT_H */
