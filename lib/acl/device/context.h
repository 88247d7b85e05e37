/* SPDX-License-Identifier: MIT */
/* Contexts, their options, and hooks of initialisation. */
#ifndef ANPU_CONTEXT_H
#define ANPU_CONTEXT_H

#include "device/device.h"

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
	uint32_t group;		    /* by which the driver knows its streams: not 0 */
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

/* core/hooks.c: what other libraries want done at aclInit() and aclFinalize() ----------------------- */

/* Calls the hooks in order, up to the first that fails; with the text of aclInit()'s file or NULL */
aclError anpu_hooks_init(const char *config, size_t size);
/* Calls all hooks, the last one first; the first failure */
aclError anpu_hooks_finalize(void);

#endif /* ANPU_CONTEXT_H */
