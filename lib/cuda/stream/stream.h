/* SPDX-License-Identifier: MIT */
/* Streams and their order, events, functions of the program, numbers in memory. */
#ifndef ANPU_CUDA_STREAM_H
#define ANPU_CUDA_STREAM_H

#include "cuda/core/core.h"
#include "cuda/context/context.h"

struct cu_stream {
	struct cu_rec rec;
	uint64_t ctx;
	const struct cu_ctx *home; /* record of @ctx, if its key is still that: records are never given back */
	unsigned int flags;
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
/* Is the stream recorded: it began to be, or waits for one that is */
bool cu_is_recorded(aclrtStream stream);
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

#endif /* ANPU_CUDA_STREAM_H */
