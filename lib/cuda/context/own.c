// SPDX-License-Identifier: MIT
/*
 * Contexts of this library, one for each device that is used without a context of the program's: a device has pools and physical
 * memory before the program has made a context, and keeps them when its contexts have ended.
 */
#include "cuda/context/context.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t own[64];

/* The device's; no other one is current afterwards than before */
static CUresult find_own(CUdevice dev, uint64_t *out)
{
	uint64_t before = anpu_front_context();
	CUresult ret = cu_check_device(dev);
	aclrtContext made = NULL;
	bool primary;

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	/* a reset of the device has ended it */
	if (!own[dev] || anpu_front_context_device(own[dev], &primary) != dev) {
		ret = cu_code(aclrtCreateContext(&made, dev));
		own[dev] = (uintptr_t)made;
		anpu_front_set_context(before);
	}
	*out = own[dev];
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cu_keep_device(CUdevice dev)
{
	uint64_t context;

	return find_own(dev, &context);
}

CUresult cu_enter_device(CUdevice dev, uint64_t *before)
{
	struct cu_ctx *ctx = NULL;
	uint64_t context;
	CUresult ret;

	*before = anpu_front_context();
	ret = *before ? cu_current(&ctx) : CUDA_SUCCESS;
	if (ret || (ctx && ctx->dev == dev))
		return ret;
	ret = find_own(dev, &context);
	if (!ret)
		anpu_front_set_context(context);
	return ret;
}

void cu_leave_device(uint64_t before)
{
	anpu_front_set_context(before);
}

CUresult cu_usual_device(CUdevice *dev)
{
	struct cu_ctx *ctx = NULL;
	CUresult ret = anpu_front_context() ? cu_current(&ctx) : CUDA_SUCCESS;

	*dev = ctx ? ctx->dev : 0;
	return ret;
}
