// SPDX-License-Identifier: MIT
/* Fills. Those without a stream are queued in the default one, as the API says. */
#include "cuda/memory/memory.h"
#include "cuda/stream/stream.h"

CUresult cu_check_fill(CUdeviceptr dst, size_t pitch, unsigned int width, size_t n, size_t rows)
{
	struct cu_extent e = { .pitch = pitch, .rows = rows, .layers = 1 };

	if (__builtin_mul_overflow(n, (size_t)width, &e.width))
		e.width = SIZE_MAX;
	return cu_check_rows(dst, &e, "the range to fill");
}

static CUresult fill(CUdeviceptr dst, size_t pitch, unsigned int value, unsigned int width, size_t n, size_t rows,
		     CUstream hStream)
{
	aclrtStream stream;
	CUresult ret = cu_check_fill(dst, pitch, width, n, rows);

	if (!ret)
		ret = cu_stream_use(hStream, &stream, NULL);
	return ret ? ret : CU_ACL(anpu_front_fill(CU_PTR(dst), value, width, n, pitch, rows, stream));
}

/* Memory of the host is filled when the call returns */
static CUresult fill_now(CUdeviceptr dst, size_t pitch, unsigned int value, unsigned int width, size_t n, size_t rows)
{
	CUresult ret = fill(dst, pitch, value, width, n, rows, NULL);
	struct cu_mem m;

	if (!ret && cu_mem_find(dst, &m) && (m.kind == CU_MEM_HOST || m.kind == CU_MEM_REGISTERED))
		ret = cu_sync_legacy();
	return ret;
}

#define FILL(name, type, bytes)                                                                                     \
	CUresult cuMemset##name(CUdeviceptr dstDevice, type value, size_t N)                                        \
	{                                                                                                           \
		CU_ENTER();                                                                                         \
		return fill_now(dstDevice, 0, value, bytes, N, 1);                                                  \
	}                                                                                                           \
	CUresult cuMemset##name##Async(CUdeviceptr dstDevice, type value, size_t N, CUstream hStream)               \
	{                                                                                                           \
		CU_ENTER();                                                                                         \
		return fill(dstDevice, 0, value, bytes, N, 1, hStream);                                             \
	}
#define FILL_ROWS(name, type, bytes)                                                                                \
	CUresult cuMemset##name(CUdeviceptr dstDevice, size_t dstPitch, type value, size_t Width, size_t Height)    \
	{                                                                                                           \
		CU_ENTER();                                                                                         \
		return fill_now(dstDevice, dstPitch, value, bytes, Width, Height);                                  \
	}                                                                                                           \
	CUresult cuMemset##name##Async(CUdeviceptr dstDevice, size_t dstPitch, type value, size_t Width,            \
				       size_t Height, CUstream hStream)                                             \
	{                                                                                                           \
		CU_ENTER();                                                                                         \
		return fill(dstDevice, dstPitch, value, bytes, Width, Height, hStream);                             \
	}

FILL(D8, unsigned char, 1)
FILL(D16, unsigned short, 2)
FILL(D32, unsigned int, 4)
FILL_ROWS(D2D8, unsigned char, 1)
FILL_ROWS(D2D16, unsigned short, 2)
FILL_ROWS(D2D32, unsigned int, 4)
