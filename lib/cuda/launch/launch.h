/* SPDX-License-Identifier: MIT */
/* Launches and their attributes. */
#ifndef ANPU_CUDA_LAUNCH_H
#define ANPU_CUDA_LAUNCH_H

#include "cuda/core/core.h"
#include "cuda/module/module.h"

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
/* Where libacl says what is wrong with a launch, and the code of that launch, when it is over */
enum anpu_front_why *cu_refused(void);
CUresult cu_launched(CUresult ret);
/* @seq: of the task, may be NULL */
CUresult cu_launch(struct anpu_front_launch *l, uint64_t *seq);

#endif /* ANPU_CUDA_LAUNCH_H */
