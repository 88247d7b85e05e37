// SPDX-License-Identifier: MIT
/*
 * What floating-point overflow gives: infinity, or the largest finite number.
 */
#include "anpu_lib.h"

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER();
	if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"mode is %d and must be 0 (saturation) or 1 (INF/NAN)", (int)mode);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	atomic_store(&ctx->obj.dev->saturate, mode == ACL_RT_OVERFLOW_MODE_SATURATION);
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(mode);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	*mode = atomic_load(&ctx->obj.dev->saturate) ? ACL_RT_OVERFLOW_MODE_SATURATION
						     : ACL_RT_OVERFLOW_MODE_INFNAN;
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}
