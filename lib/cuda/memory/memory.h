/* SPDX-License-Identifier: MIT */
/* Memory: allocations, what is known about addresses, copies and fills, pools, sharing with other processes. */
#ifndef ANPU_CUDA_MEMORY_H
#define ANPU_CUDA_MEMORY_H

#include "cuda/core/core.h"
#include "cuda/context/context.h"

/* memory.c: allocations of this front end with their context; its records alone */
void cu_mem_end(CUcontext ctx);
void cu_mem_forget(CUcontext ctx);
/* The process ends: the checking mode tells of what is left */
void cu_mem_left(void);
/* One allocation of this front */
struct cu_mem {
	uint64_t base, size;
	uint64_t ctx;
	unsigned long long id;
	unsigned int flags; /* of cuMemHostAlloc(), cuMemHostRegister(); of a pool: its number, see cu_pool_number() */
	/* imported: memory of another process's pool; graph: of a node that allocates */
	enum cu_mem_kind { CU_MEM_DEVICE, CU_MEM_HOST, CU_MEM_REGISTERED, CU_MEM_MANAGED, CU_MEM_POOL, CU_MEM_IMPORTED,
			   CU_MEM_GRAPH, CU_MEM_HEAP } kind;
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
/* The first record of one of these kinds that has bytes between two addresses; false: there is none */
bool cu_mem_next(uint64_t from, uint64_t to, unsigned int kinds, struct cu_mem *out);
/*
 * register.c: memory of the program is registered, and no longer. Memory that the device cannot show at its own address, as a stack,
 * is registered for copies only. cu_run_ended(): libacl has ended what begins there; true: because cu_unregister() asked for that
 */
CUresult cu_register(uint64_t addr, uint64_t size, unsigned int flags, struct cu_ctx *ctx);
CUresult cu_unregister(uint64_t addr, uint64_t size);
bool cu_run_ended(uint64_t addr);
/* Takes the record of an allocation that begins there away; false: none of these kinds */
bool cu_mem_take(uint64_t base, unsigned int kinds, struct cu_mem *out);

/* vmm.c: the mapping of cuMemMap() around an address; false: none */
bool cu_map_find(uint64_t addr, uint64_t *base, uint64_t *size);

/* share.c: physical memory that other processes may have; kinds of handles that it is asked for */
#define CU_SHARED_TYPES (CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC)
CUresult cu_shared_new(CUmemGenericAllocationHandle handle, unsigned int types);
/* The program has got the handle once more, or released it once */
void cu_shared_use(CUmemGenericAllocationHandle handle, int more);
unsigned int cu_shared_types(CUmemGenericAllocationHandle handle);

/* INVALID_VALUE if it is neither a descriptor nor a fabric handle */
CUresult cu_check_handle_type(CUmemAllocationHandleType type);
/* The content of a descriptor's file */
struct cu_ticket {
	char what[16];
	uint64_t number;
	int device; /* of a pool */
	unsigned int pad;
};
/* A descriptor of a new file with that, which nobody can change */
CUresult cu_ticket_file(const struct cu_ticket *t, int *out);
/* false: it is no such file */
bool cu_ticket_read(int fd, const char what[16], struct cu_ticket *out);

/* poolshare.c: a pool was made for other processes; it ends */
CUresult cu_pool_shared(CUmemoryPool pool, unsigned int types);
void cu_pool_ended(CUmemoryPool pool);
/* Its number among such pools of this process; 0: it is none */
unsigned int cu_pool_number(CUmemoryPool pool);
/* INVALID_VALUE if it is another process's, from which nothing can be allocated */
CUresult cu_pool_own(CUmemoryPool pool);
/* Memory of another process's pool begins there; frees it, which ends it when it was freed as often as imported */
bool cu_imported(uint64_t ptr);
CUresult cu_imported_free(uint64_t ptr);
/* pool.c: a pool without handles */
CUresult cu_pool_make(CUdevice dev, size_t max, CUmemoryPool *out);

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
/*
 * graph/capture.c: is the stream recorded, and one side pageable memory: then the copy becomes a node that is added to the recording's
 * graph, as only such nodes move that memory in each execution
 */
bool cu_copy_wants_node(CUstream hStream, const void *dst, const void *src);
CUresult cu_record_copy(CUstream hStream, const CUDA_MEMCPY3D *c);

/* graph/memory.c: the call becomes a node of the recording's graph; and the program frees memory of kind CU_MEM_GRAPH */
CUresult cu_record_alloc(struct cu_ctx *ctx, CUstream hStream, size_t size, CUdeviceptr *out);
CUresult cu_record_free(CUstream hStream, CUdeviceptr dptr);
CUresult cu_graph_memory_free(uint64_t base);

/* memory.c: the range of a hint lies in managed memory, and its place is one */
CUresult cu_check_managed(CUdeviceptr ptr, size_t count, CUdevice device);

/* ipc.c: an allocation that other processes may have opened ends */
void cu_ipc_freed(uint64_t base);
#define CU_KEY_BYTES 32
/* The key by which other processes open an allocation of this one */
CUresult cu_ipc_name(uint64_t base, size_t size, char key[CU_KEY_BYTES]);
/* Opens, the same address each time, and closes: @last, when it was closed as often */
CUresult cu_ipc_open(const char key[CU_KEY_BYTES], CUdeviceptr *out);
CUresult cu_ipc_close(CUdeviceptr dptr, bool *last);

#endif /* ANPU_CUDA_MEMORY_H */
