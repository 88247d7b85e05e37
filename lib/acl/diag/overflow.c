// SPDX-License-Identifier: MIT
/*
 * Floating-point overflow: what kernels compute then, and whether it has happened. Kernels note it in
 * memory (stream/overflow.c), so to read a status is a copy and to clear it a fill, in the stream's
 * order.
 */
#include "diag/diag.h"

#define ENTRY sizeof(struct anpu_overflow)

/* Mode ----------------------------------------------------------------------------------------- */

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
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

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(mode);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	*mode = atomic_load(&ctx->obj.dev->saturate) ? ACL_RT_OVERFLOW_MODE_SATURATION
						     : ACL_RT_OVERFLOW_MODE_INFNAN;
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}

static aclError unsupported(const struct anpu_device *dev)
{
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"device %d or its driver does not note overflows (since 1.5)", dev->id);
}

/* Streams -------------------------------------------------------------------------------------- */

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = anpu_overflow_switch(s, flag, "flag");
	anpu_stream_put(s);
	return ret;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(flag);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*flag = anpu_overflow_checked(s);
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

/* Status --------------------------------------------------------------------------------------- */

static aclError get_status(void *outputAddr, uint64_t size, aclrtStream stream)
{
	union anpu_packet pkt = { .copy = { .hdr.opcode = ANPU_OP_COPY,
					    .dst = (uintptr_t)outputAddr,
					    .size = ENTRY } };
	struct anpu_stream *s;
	struct anpu_mem mem;
	aclError ret;

	ACL_CHECK_PTR(outputAddr);
	if (size != ENTRY)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"outputSize is %llu and must be %zu, the bytes of a status",
				(unsigned long long)size, ENTRY);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	pkt.copy.src = anpu_overflow_va(s);
	if (!pkt.copy.src)
		ret = unsupported(s->obj.dev);
	else
		ret = anpu_mem_look_reached(outputAddr, size, "outputAddr", s, &mem);
	if (!ret) {
		ret = anpu_stream_submit(s, &pkt, NULL);
		anpu_mem_done(&mem);
	}
	anpu_stream_put(s);
	return ret;
}

static aclError reset_status(aclrtStream stream)
{
	union anpu_packet pkt = { .fill = { .hdr.opcode = ANPU_OP_FILL,
					    .size = ENTRY,
					    .pattern_size = 8 } };
	struct anpu_stream *s;
	aclError ret = anpu_stream_find(stream, &s);

	if (ret)
		return ret;
	pkt.fill.dst = anpu_overflow_va(s);
	ret = pkt.fill.dst ? anpu_stream_submit(s, &pkt, NULL) : unsupported(s->obj.dev);
	anpu_stream_put(s);
	return ret;
}

static aclError check_mode(uint32_t mode)
{
	if (!mode)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"checkMode is %u and must be 0: there is one status, whatever kernels are "
			"being debugged",
			mode);
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize, aclrtStream stream)
{
	ACL_ENTER();
	return get_status(outputAddr, outputSize, stream);
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
	ACL_ENTER();
	return reset_status(stream);
}

aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize, aclrtStream stream)
{
	ACL_ENTER();
	return get_status(outputAddr, outputSize, stream);
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream)
{
	ACL_ENTER();
	return reset_status(stream);
}

aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize, uint32_t checkMode,
					aclrtStream stream)
{
	aclError ret;

	ACL_ENTER();
	ret = check_mode(checkMode);
	return ret ? ret : get_status(outputAddr, outputSize, stream);
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode, aclrtStream stream)
{
	aclError ret;

	ACL_ENTER();
	ret = check_mode(checkMode);
	return ret ? ret : reset_status(stream);
}

aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr)
{
	uint64_t table;
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(overflowAddr);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	/*
	 * the table is made with the context's default stream and stays as long as the device is
	 * open
	 */
	table = anpu_overflow_table(ctx->obj.dev);
	if (table)
		*overflowAddr = (void *)(uintptr_t)table;
	else
		ret = unsupported(ctx->obj.dev);
	anpu_context_put(ctx);
	return ret;
}
