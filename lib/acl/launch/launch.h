/* SPDX-License-Identifier: MIT */
/* What all ways of launching a kernel share. */
#ifndef ANPU_LAUNCH_H
#define ANPU_LAUNCH_H

#include "launch/binary.h"
#include "stream/stream.h"

/* What all ways of launching share */
struct anpu_launch {
	struct anpu_func *func;	    /* referenced */
	struct anpu_stream *stream; /* referenced */
	struct anpu_pkt_kernel pkt;
};

/* Looks everything up and checks it; prepares the packet without its arguments */
aclError anpu_launch_begin(struct anpu_launch *l, aclrtFuncHandle func, uint32_t blocks,
			   const aclrtLaunchKernelCfg *cfg, aclrtStream stream);
/* The same for a kernel with another limit of cores, to be checked when that is in the packet */
aclError anpu_launch_prepare(struct anpu_launch *l, aclrtFuncHandle func, uint32_t blocks,
			     const aclrtLaunchKernelCfg *cfg, aclrtStream stream);
aclError anpu_launch_check_limit(const struct anpu_pkt_kernel *pkt, const char *name);
/* Copies arguments, points the placeholders into the copy, submits */
aclError anpu_launch_host_args(struct anpu_launch *l, const void *args, size_t size,
			       const aclrtPlaceHolderInfo *holders, size_t count);
void anpu_launch_end(struct anpu_launch *l);
/* device/limits.c: max_cores of a kernel that this thread launches on the stream */
uint8_t anpu_limit_cores(const struct anpu_stream *s, uint8_t core_type);
/* The function of a handle with a reference, or NULL after acl_fail() */
struct anpu_func *anpu_func_find(aclrtFuncHandle handle);

/* core/init.c: the device of threads that set none, from aclInit()'s file, or -1 */
int anpu_default_device(void);

#endif /* ANPU_LAUNCH_H */
