// SPDX-License-Identifier: MIT
/* Functions of the program in streams, and numbers in memory. */
#include <stdlib.h>

#include "cuda/context/context.h"
#include "cuda/stream/stream.h"
#include "copy/front.h"

struct callback {
	CUstreamCallback fn;
	CUstream stream;
	void *data;
	struct cu_ctx *ctx;
};

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(fn);
	ret = cu_stream_use(hStream, &stream, NULL);
	return ret ? ret : CU_ACL(aclrtLaunchHostFunc(stream, fn, userData));
}

static void call(void *arg)
{
	struct callback c = *(struct callback *)arg;

	free(arg);
	c.fn(c.stream, atomic_load(&c.ctx->sticky), c.data);
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclmdlRI graph = NULL;
	struct callback *c;
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(callback);
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0", flags);
	ret = cu_stream_use(hStream, &stream, NULL);
	if (!ret)
		ret = cu_code(aclmdlRICaptureGetInfo(stream, &status, &graph));
	if (ret)
		return ret;
	if (status != ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		return cu_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
			       "the stream is being recorded, which callbacks cannot be: use cuLaunchHostFunc()");
	c = malloc(sizeof(*c));
	if (!c)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a callback");
	*c = (struct callback){ .fn = callback, .stream = hStream, .data = userData };
	ret = cu_current(&c->ctx);
	if (!ret)
		ret = CU_ACL(aclrtLaunchHostFunc(stream, call, c));
	if (ret)
		free(c);
	return ret;
}

static CUresult value_flags(unsigned int flags, unsigned int allowed)
{
	if (flags & ~allowed)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be made of the bits %#x", flags, allowed);
	return CUDA_SUCCESS;
}

/* The stream of a wait for a number, whose flags are right */
static CUresult wait_stream(CUstream stream, unsigned int flags, aclrtStream *out)
{
	/* the device sees everything that was written before, so there is nothing to flush */
	CUresult ret = value_flags(flags, 3u | (unsigned int)CU_STREAM_WAIT_VALUE_FLUSH);

	return ret ? ret : cu_stream_use(stream, out, NULL);
}

CUresult cuStreamWaitValue64(CUstream hStream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	ret = wait_stream(hStream, flags, &stream);
	return ret ? ret : CU_ACL(aclrtValueWait(CU_PTR(addr), value, flags & 3, stream));
}

CUresult cuStreamWaitValue32(CUstream hStream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	ret = wait_stream(hStream, flags, &stream);
	return ret ? ret : CU_ACL(anpu_front_wait(CU_PTR(addr), value, flags & 3, stream));
}

CUresult cuStreamWriteValue64(CUstream hStream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	ret = value_flags(flags, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);
	if (!ret)
		ret = cu_stream_use(hStream, &stream, NULL);
	return ret ? ret : CU_ACL(aclrtValueWrite(CU_PTR(addr), value, 0, stream));
}

CUresult cuStreamWriteValue32(CUstream hStream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	ret = value_flags(flags, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);
	if (!ret && addr % 4)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "addr is 0x%llx and must be a multiple of 4", addr);
	if (!ret)
		ret = cu_stream_use(hStream, &stream, NULL);
	return ret ? ret : CU_ACL(anpu_front_fill(CU_PTR(addr), value, 4, 1, 4, 1, stream));
}

static CUresult one_operation(CUstream stream, const CUstreamBatchMemOpParams *p, unsigned int i)
{
	switch ((int)p->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		return cuStreamWaitValue32(stream, p->waitValue.address, p->waitValue.value, p->waitValue.flags);
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		return cuStreamWaitValue64(stream, p->waitValue.address, p->waitValue.value64, p->waitValue.flags);
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		return cuStreamWriteValue32(stream, p->writeValue.address, p->writeValue.value, p->writeValue.flags);
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return cuStreamWriteValue64(stream, p->writeValue.address, p->writeValue.value64, p->writeValue.flags);
	case CU_STREAM_MEM_OP_BARRIER:
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
		return CUDA_SUCCESS; /* the device sees everything that was written before */
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "paramArray[%u].operation is %d and must be one of CU_STREAM_MEM_OP_*",
			       i, (int)p->operation);
	}
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
	CUresult ret = CUDA_SUCCESS;
	unsigned int i;

	CU_ENTER();
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0", flags);
	if (!count || count > 256 || !paramArray)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "count is %u and must be 1 to 256; paramArray is %p", count,
			       (void *)paramArray);
	for (i = 0; i < count && !ret; i++)
		ret = one_operation(stream, &paramArray[i], i);
	return ret;
}
