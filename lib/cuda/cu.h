/* SPDX-License-Identifier: MIT */
/*
 * Inside of the driver-API front. It stands on libacl's public functions and on the private door, lib/acl/core/front.h.
 * Handles of contexts, streams, events, modules, functions and pools are libacl's numbers; what this front keeps
 * about one of them is a record under that number (table.c).
 *
 * Locks: a context's, then that of the table. Neither is held while libacl is called, except that context.c and
 * order.c queue events with the context's lock held.
 */
#ifndef ANPU_CU_H
#define ANPU_CU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <acl/acl.h>
#pragma GCC visibility push(default) /* the API, and nothing else */
#include <cuda.h>
#pragma GCC visibility pop

#include "core/front.h"
#include "graph/front.h"

#define CU_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CU_PTR(addr) ((void *)(uintptr_t)(addr))

/* start.c, errors.c ------------------------------------------------------------------------------ */

struct cu_proc {
	const char *name;
	int since; /* programs of this version and newer ones mean this form of the function */
	void (*symbol)(void);
	void (*variant)(void); /* or NULL */
};
extern const struct cu_proc cu_procs[]; /* by name, then by version */
extern const unsigned int cu_proc_count;

/* The name of the public function that runs, for sentences; the one before, to be restored */
const char *cu_begin(const char *name);
void cu_leave(const char **before);
const char *cu_running(void);
/* Until the public function returns, this is the thread's context */
void cu_use_context(uint64_t context);
/* CUDA_ERROR_NOT_INITIALIZED, _DEINITIALIZED or 0 */
CUresult cu_ready(void);
#define CU_BEGIN() const char *cu_before_ __attribute__((cleanup(cu_leave), unused)) = cu_begin(__func__)
#define CU_ENTER()                        \
	CU_BEGIN();                       \
	do {                              \
		CUresult r_ = cu_ready(); \
		if (r_)                   \
			return r_;        \
	} while (0)
/* The same for functions that need a context; @ctx is set */
#define CU_ENTER_CTX(ctx)                      \
	struct cu_ctx *ctx;                    \
	CU_ENTER();                            \
	do {                                   \
		CUresult r_ = cu_current(&ctx); \
		if (r_)                        \
			return r_;             \
	} while (0)

/* Records a sentence and returns @code */
CUresult cu_fail(CUresult code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define CU_CHECK_PTR(p)                                                                 \
	do {                                                                            \
		if (!(p))                                                               \
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s is NULL", #p);     \
	} while (0)
/* @reason: why, and what to do instead, or NULL */
CUresult cu_unbuilt(const char *name, const char *reason);
/* The CUresult for a failure of libacl, which has recorded its sentence; failures of tasks stay with the context */
CUresult cu_map(aclError code);
/* The same without effect on the context */
CUresult cu_code(aclError code);
#define CU_ACL(call) cu_map(call)

/* Stream 0 means the calling thread's stream from now on, until cu_default_end() */
bool cu_default_begin(void);
void cu_default_end(bool before);
bool cu_default_is_thread(void);

/* table.c ------------------------------------------------------------------------------------------ */

enum cu_type { CU_CTX = 1, CU_STREAM, CU_FUNC, CU_MODULE, CU_LIBRARY, CU_KERNEL, CU_GRAPH, CU_EXEC, CU_NODE, CU_LINK,
	       CU_OBJECT, CU_TYPES };

/* First member of each record. Memory of records is used again for the same type only, and never given back */
struct cu_rec {
	uint64_t key;
	enum cu_type type;
	struct cu_rec *next;
};

/* The record of a handle, or NULL */
void *cu_find(enum cu_type type, const void *handle);
/* A zeroed record of a handle, or NULL without memory. @handle 0: a new number, which libacl has not */
void *cu_add(enum cu_type type, const void *handle);
/* Forgets the record */
void cu_drop(void *record);
/* Calls @fn for each record of the type, which it may forget */
void cu_each(enum cu_type type, void (*fn)(void *record, void *arg), void *arg);
#define cu_handle(record) CU_PTR((record)->rec.key)

/* context.c ------------------------------------------------------------------------------------------ */

#define CU_LIMITS 7

struct cu_stream;

struct cu_ctx {
	struct cu_rec rec;
	CUdevice dev;
	bool primary;
	_Atomic unsigned int attached; /* cuCtxAttach() without cuCtxDetach() */
	unsigned int flags;
	unsigned long long id;
	_Atomic CUresult sticky; /* failure of a task after which nothing works in it any more */
	CUfunc_cache cache;
	CUsharedconfig banks;
	size_t limit[CU_LIMITS];
	pthread_mutex_t lock;	     /* order between its streams; the two below */
	struct cu_stream *blocking;  /* streams that wait for the legacy one */
	uint64_t legacy;	     /* number of the latest work in the legacy stream */
	_Atomic unsigned int blockings;
	CUmemoryPool pool; /* current, NULL: the device's own */
};

/* The thread's context; INVALID_CONTEXT, CONTEXT_IS_DESTROYED, or the failure that it has */
CUresult cu_current(struct cu_ctx **out);
/* The same for calls that work in a context that has failed */
CUresult cu_current_any(struct cu_ctx **out);
/* The record of a context of either front */
CUresult cu_ctx_get(CUcontext handle, struct cu_ctx **out);
CUresult cu_check_device(CUdevice dev);
/* The record of a new context */
struct cu_ctx *cu_ctx_new(uint64_t handle, CUdevice dev, bool primary);
/* Its streams, modules and functions have ended */
void cu_ctx_forget(struct cu_ctx *ctx);

/* memory.c: allocations of this front end with their context; its records alone */
void cu_mem_end(CUcontext ctx);
void cu_mem_forget(CUcontext ctx);
/* One allocation of this front */
struct cu_mem {
	uint64_t base, size;
	uint64_t ctx;
	unsigned long long id;
	unsigned int flags; /* of cuMemHostAlloc(), cuMemHostRegister() */
	enum cu_mem_kind { CU_MEM_DEVICE, CU_MEM_HOST, CU_MEM_REGISTERED, CU_MEM_MANAGED, CU_MEM_POOL } kind;
	bool sync_memops;
	struct cu_mem *next;
};
CUresult cu_mem_add(uint64_t base, uint64_t size, enum cu_mem_kind kind, unsigned int flags, struct cu_ctx *ctx);
/* A copy of the record of the allocation around an address; false: none */
bool cu_mem_change(uint64_t addr, bool sync_memops);
bool cu_mem_find(uint64_t addr, struct cu_mem *out);
/*
 * INVALID_VALUE if @n bytes from @addr on begin in an allocation of this front and leave it, which libacl cannot tell
 * because it rounds sizes. Other addresses are left to libacl. @name: of the argument
 */
CUresult cu_check_range(uint64_t addr, uint64_t n, const char *name);
/* The same for @rows rows of @width bytes in each of @layers layers */
struct cu_extent {
	size_t width, pitch, rows, slice, layers;
};
CUresult cu_check_rows(uint64_t addr, const struct cu_extent *e, const char *name);
/* The same for a fill: @rows rows of @n elements of @width bytes */
CUresult cu_check_fill(CUdeviceptr dst, size_t pitch, unsigned int width, size_t n, size_t rows);
/* libacl says that the address lies in memory of that kind */
bool cu_is_place(const void *p, aclrtMemLocationType type);
/* libacl has ended what begins there, whoever asked for that */
void cu_mem_ended(uint64_t addr);
/* Takes the record of an allocation that begins there away; false: none of these kinds */
bool cu_mem_take(uint64_t base, unsigned int kinds, struct cu_mem *out);

/* vmm.c: the mapping of cuMemMap() around an address; false: none */
bool cu_map_find(uint64_t addr, uint64_t *base, uint64_t *size);

/* rows.c: a copy of rows or layers of rows, in bytes */
struct cu_box {
	char *dst;
	const char *src;
	size_t dst_pitch, src_pitch; /* of rows */
	size_t dst_slice, src_slice; /* of layers */
	size_t width, height, depth;
	bool device_only;
};
CUresult cu_box_of(const CUDA_MEMCPY3D *c, struct cu_box *b);
CUresult cu_box_copy(const struct cu_box *b, bool async, CUstream hStream);

/* memory.c: the range of a hint lies in managed memory, and its place is one */
CUresult cu_check_managed(CUdeviceptr ptr, size_t count, CUdevice device);

/* ipc.c: an allocation that other processes may have opened ends */
void cu_ipc_freed(uint64_t base);

/* stream.c, order.c ------------------------------------------------------------------------------------ */

struct cu_stream {
	struct cu_rec rec;
	uint64_t ctx;
	unsigned int flags;
	bool capturing; /* cuStreamBeginCapture() */
	uint64_t capture_id;
	CUaccessPolicyWindow window;
	CUsynchronizationPolicy sync;
	CUlaunchMemSyncDomainMap map;
	CUlaunchMemSyncDomain domain;
	bool hints; /* window, map or domain were set, which nodes of a recording take over */
	/* of a stream that waits for the legacy one; under the context's lock */
	bool blocking;
	uint64_t legacy; /* the latest work of that which this stream has waited for */
	aclrtEvent event; /* for both directions */
	struct cu_stream *next;
};

/*
 * The stream of a call that queues something: @out is for libacl. Waits between the legacy stream and the others are
 * queued first. @rec may be NULL
 */
CUresult cu_stream_use(CUstream stream, aclrtStream *out, struct cu_stream **rec);
/* The same for a call that queues nothing */
CUresult cu_stream_look(CUstream stream, aclrtStream *out, struct cu_stream **rec);
/* Waits for the work that a synchronous call of the legacy stream comes after */
CUresult cu_sync_legacy(void);
/* A stream of this front begins and ends */
struct cu_stream *cu_stream_new(aclrtStream handle, struct cu_ctx *ctx, unsigned int flags);
void cu_stream_forget(struct cu_stream *s);
/* order.c */
CUresult cu_order(struct cu_ctx *ctx, struct cu_stream *s, aclrtStream stream);
void cu_order_leave(struct cu_stream *s);
/* The calling thread's own stream in the context */
CUresult cu_thread_stream(struct cu_ctx *ctx, aclrtStream *out);
/* Priorities of libacl go from 0 (first) to 7, streams have 2 by themselves, which is 0 here */
#define CU_PRIORITY_BASE 2
#define CU_PRIORITY_FIRST (0 - CU_PRIORITY_BASE)
#define CU_PRIORITY_LAST  (7 - CU_PRIORITY_BASE)
static inline int cu_clamp_priority(int p)
{
	return p < CU_PRIORITY_FIRST ? CU_PRIORITY_FIRST : p > CU_PRIORITY_LAST ? CU_PRIORITY_LAST : p;
}

/* strattr.c: checks of values that streams and launches have */
CUresult cu_check_window(const CUaccessPolicyWindow *w);
CUresult cu_check_sync(CUsynchronizationPolicy p);
CUresult cu_check_domain(CUlaunchMemSyncDomain d);
CUresult cu_check_map(const CUlaunchMemSyncDomainMap *m);
#define CU_SYNC_DOMAINS 4

/* module.c, library.c, function.c ---------------------------------------------------------------------- */

struct cu_module {
	struct cu_rec rec;
	uint64_t ctx;
	uint64_t library; /* key of the library that has it, or 0 */
};

#define CU_NAME_MAX 4096 /* bytes of a kernel's name */

struct cu_func {
	struct cu_rec rec;
	uint64_t module;
	uint64_t ctx; /* 0: of the other front, whose modules belong to a device */
	char *name;
	struct anpu_front_func has;
	int dynamic_shared; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
	int carveout;
	int cluster[3];
	int cluster_must;
	int non_portable;
	int cluster_policy;
	struct cu_kept *kept; /* params.c, or NULL */
};

/* Bytes of an ELF image in memory; INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX */
CUresult cu_image_size(const void *image, size_t *size);
/* The same for an image in @room bytes, with CU_IMAGE_HEADER bytes behind them that may be read */
#define CU_IMAGE_HEADER 64
CUresult cu_image_inside(const void *image, size_t room, size_t *size);
/* link.c */
struct cu_link {
	struct cu_rec rec;
	void *image; /* NULL: nothing was added */
	size_t size;
	bool done; /* cuLinkComplete() */
};
/* Loads an image into the current context */
CUresult cu_module_load(struct cu_ctx *ctx, const void *image, size_t size, struct cu_module **out);
void cu_module_end(struct cu_module *m);
/* The function of a module, with its record */
CUresult cu_module_function(struct cu_module *m, const char *name, CUfunction *out);
/* The record of a function of either front, or of a kernel of a library in the current context */
CUresult cu_func_get(CUfunction f, struct cu_func **out);
CUresult cu_func_attribute(struct cu_func *f, CUfunction_attribute attrib, int *value);
/* Most blocks of a cluster: 8, which all devices of the API have, unless the function may have more */
#define CU_PORTABLE_CLUSTER 8
uint32_t cu_func_max_cluster(const struct cu_func *f);
CUresult cu_func_set(struct cu_func *f, CUfunction_attribute attrib, int value);
/* library.c: the function of a kernel in the current context */
CUresult cu_kernel_function(CUkernel kernel, CUfunction *out);
CUresult cu_answer_jit(unsigned int n, CUjit_option *options, void **values);
CUresult cu_read_file(const char *path, void **data, size_t *size);

/* graph/share.c: what copies of a graph use, until all of them have ended: pinned memory, or an object of the program */
struct cu_share {
	unsigned int refs; /* under cu_graph_lock */
	void *data;
	void (*end)(void *data);
};
struct cu_shares {
	struct cu_share **list;
	size_t n;
};
/* A node of an array that another one comes behind */
struct cu_edge {
	CUgraphNode from, to;
};

/* graph/: graphs are libacl's, and so are their nodes; what is instantiated from one is a copy */
struct cu_graph {
	struct cu_rec rec;
	aclmdlRI ri;
	struct cu_shares shares;
	struct cu_edge *edges;
	size_t edge_count;
	bool unsorted; /* an edge leads to a node that was added earlier */
	bool inside;   /* it belongs to a node of another graph */
	bool once; /* it was instantiated, and has nodes that kernels change: not again */
};
#define CU_EXEC_OLD 4
struct cu_exec {
	struct cu_rec rec;
	aclmdlRI ri;
	aclmdlRI old[CU_EXEC_OLD]; /* what it was before changes, which may still run */
	struct cu_shares shares;
	unsigned long long flags;
};
/*
 * A record of a node, which is its key: attributes of a kernel that have no effect, or the parameters that a node of
 * another kind was made with
 */
struct cu_node {
	struct cu_rec rec;
	enum cu_content { CU_NODE_LIBACLS, CU_NODE_COPY, CU_NODE_FILL, CU_NODE_HOST, CU_NODE_EMPTY, CU_NODE_CHILD,
			  CU_NODE_RECORD, CU_NODE_WAIT } content;
	union {
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
		CUgraph child;
		CUevent event;
	};
	CUaccessPolicyWindow window;
	CUlaunchMemSyncDomainMap map;
	CUlaunchMemSyncDomain domain;
	CUclusterSchedulingPolicy policy;
};
extern pthread_mutex_t cu_graph_lock;
/* Under that lock */
CUresult cu_graph_find(CUgraph handle, struct cu_graph **g);
CUresult cu_exec_find(CUgraphExec handle, struct cu_exec **e);
/* Makes the instantiated graph one that does not run, and gives its copy of a node; cu_exec_changed() ends the change */
CUresult cu_exec_node(struct cu_exec *e, CUgraphNode of, aclmdlRITask *out);
CUresult cu_exec_changed(struct cu_exec *e);
/* graph/object.c */
struct cu_object {
	struct cu_rec rec;
	unsigned int refs; /* of the program and of graphs; under cu_graph_lock */
	void *data;
	CUhostFn destroy;
};
/* Makes a graph of the recorded tasks @graph, and owns them from then on */
CUresult cu_graph_new(aclmdlRI graph, CUgraph *out);
/* All nodes of a graph in memory to be freed */
CUresult cu_nodes_of(aclmdlRI ri, aclmdlRITask **out, uint32_t *n);
CUresult cu_graph_clone(struct cu_graph *g, struct cu_graph **out);
CUresult cu_graph_end(struct cu_graph *g);
/* graph/share.c */
CUresult cu_share_all(struct cu_shares *to, const struct cu_shares *from);
CUresult cu_share_add(struct cu_shares *to, void *data, void (*end)(void *data));
/* Ends @n uses of @data; false: there are fewer */
bool cu_share_drop(struct cu_shares *s, const void *data, size_t n);
void cu_share_end(struct cu_shares *s);
/* graph/content.c */
/* The copy of a node has what is kept about that, too; a graph in it is copied */
CUresult cu_content_clone(const struct cu_node *of, CUgraphNode to);
/* graph/edges.c: checks nodes that a new one of the graph comes behind, and keeps them */
CUresult cu_check_dependencies(const struct cu_graph *g, const CUgraphNode *dependencies, size_t n);
CUresult cu_edges_add(struct cu_graph *g, const CUgraphNode *from, size_t n, CUgraphNode to);
void cu_edges_drop(struct cu_graph *g, CUgraphNode node);
CUresult cu_edges_clone(const struct cu_graph *g, struct cu_graph *clone);
/* Nodes of a recording come one behind the other */
CUresult cu_edges_chain(struct cu_graph *g);
/* Brings nodes into an order that all edges allow */
CUresult cu_graph_sort(struct cu_graph *g);
/* The same before copies of it are made, also of graphs in it; @shares gets what they all use */
CUresult cu_graph_ready(struct cu_graph *g, struct cu_shares *shares);
/* The graph of a node that is none of an instantiated graph */
CUresult cu_graph_of(CUgraphNode node, struct cu_graph **g);
/* Codes of nodes: INVALID_VALUE for one that is none */
CUresult cu_node_code(aclError err);
/* Keeps the attributes of a recorded launch that are hints in the record of its node: its stream's, or its own */
CUresult cu_node_keep(CUgraphNode node, const struct cu_stream *s, const CUlaunchConfig *c);

/* launch.c, attrs.c -------------------------------------------------------------------------------------- */

/* The block of parameters that @extra has; INVALID_VALUE */
CUresult cu_extra(void **extra, const void **data, size_t *size);
/* Events that a launch records */
struct cu_launch_events {
	CUevent begun, triggered;
	CUgraphDeviceNode *node; /* kernels are to change the node, whose handle goes there */
	bool hints;		 /* it or its stream has attributes without effect, which a recorded node keeps */
};
/* Puts the attributes of a launch into it */
CUresult cu_apply_attributes(const CUlaunchConfig *c, struct anpu_front_launch *l, struct cu_launch_events *e);
/* Makes a launch of its parts, and checks it against the function's attributes. */
CUresult cu_describe(struct anpu_front_launch *l, const struct cu_func *f, void **kernelParams, void **extra);
CUresult cu_check_cluster(const struct cu_func *f, const struct anpu_front_launch *l);
CUresult cu_apply_cluster(const CUlaunchAttributeValue *v, struct anpu_front_launch *l);
/* Code of a launch that libacl has refused */
CUresult cu_why(CUresult ret, enum anpu_front_why why);
/* @seq: of the task, may be NULL */
CUresult cu_launch(struct anpu_front_launch *l, uint64_t *seq);

#endif /* ANPU_CU_H */
