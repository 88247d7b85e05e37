/* SPDX-License-Identifier: MIT */
/* Devices and contexts. */
#ifndef ANPU_CUDA_CONTEXT_H
#define ANPU_CUDA_CONTEXT_H

#include "cuda/core/core.h"

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
	uint64_t heap;	   /* of its kernels, or 0; under the lock of module/heap.c */
};

/* The thread's context; INVALID_CONTEXT, CONTEXT_IS_DESTROYED, or the failure that it has */
CUresult cu_current(struct cu_ctx **out);
/* The same for calls that work in a context that has failed */
CUresult cu_current_any(struct cu_ctx **out);
/* CU_ENTER() for functions that need a context; @ctx is set */
#define CU_ENTER_CTX(ctx)                      \
	struct cu_ctx *ctx;                    \
	CU_ENTER();                            \
	do {                                   \
		CUresult r_ = cu_current(&ctx); \
		if (r_)                        \
			return r_;             \
	} while (0)
/* The record of a context of either front */
CUresult cu_ctx_get(CUcontext handle, struct cu_ctx **out);
CUresult cu_check_device(CUdevice dev);
/*
 * own.c: calls about a device, which need no context. The device is in use by a context of this library, which no program sees, and
 * which is current from cu_enter_device() to cu_leave_device(@before), unless the thread's own is of that device. A failure that the
 * thread's context has is told.
 */
CUresult cu_keep_device(CUdevice dev);
CUresult cu_enter_device(CUdevice dev, uint64_t *before);
void cu_leave_device(uint64_t before);
/* The device of the thread's context, or the first one */
CUresult cu_usual_device(CUdevice *dev);
/* The record of a new context */
struct cu_ctx *cu_ctx_new(uint64_t handle, CUdevice dev, bool primary);
/* Its streams, modules and functions have ended */
void cu_ctx_forget(struct cu_ctx *ctx);

#endif /* ANPU_CUDA_CONTEXT_H */
