// SPDX-License-Identifier: MIT
/* Events. A CUevent is an aclrtEvent that can be recorded again and again. */
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/stream/stream.h"

#define EVENT_FLAGS (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
	uint32_t flags = ACL_EVENT_SYNC;
	aclrtEvent event = NULL;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phEvent);
	if (Flags & ~(unsigned int)EVENT_FLAGS)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "Flags is %#x and must be made of CU_EVENT_* bits", Flags);
	if ((Flags & CU_EVENT_INTERPROCESS) && !(Flags & CU_EVENT_DISABLE_TIMING))
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "Flags is %#x: CU_EVENT_INTERPROCESS needs CU_EVENT_DISABLE_TIMING", Flags);
	if (Flags & CU_EVENT_INTERPROCESS)
		flags = ACL_EVENT_IPC;
	else if (!(Flags & CU_EVENT_DISABLE_TIMING))
		flags |= ACL_EVENT_TIME_LINE;
	ret = cu_code(aclrtCreateEventExWithFlag(&event, flags));
	if (!ret)
		*phEvent = event;
	return ret;
}

static CUresult check(CUevent event)
{
	return event ? CUDA_SUCCESS : cu_fail(CUDA_ERROR_INVALID_HANDLE, "the event is NULL");
}

CUresult cuEventDestroy(CUevent hEvent)
{
	CUresult ret;

	CU_ENTER();
	ret = check(hEvent);
	return ret ? ret : cu_code(aclrtDestroyEvent(hEvent));
}

static CUresult record(CUevent hEvent, CUstream hStream, unsigned int flags)
{
	aclrtStream stream;
	CUresult ret = check(hEvent);

	if (!ret && (flags & ~(unsigned int)CU_EVENT_RECORD_EXTERNAL))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0 or CU_EVENT_RECORD_EXTERNAL", flags);
	if (!ret)
		ret = cu_stream_use(hStream, &stream, NULL);
	return ret ? ret : CU_ACL(aclrtRecordEventWithFlag(hEvent, stream, flags));
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
	CU_ENTER();
	return record(hEvent, hStream, 0);
}

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
	CU_ENTER();
	return record(hEvent, hStream, flags);
}

static CUresult query(CUevent event)
{
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
	CUresult ret = check(event);

	if (!ret)
		ret = CU_ACL(aclrtQueryEventStatus(event, &status));
	return ret			? ret
	       : status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? CUDA_SUCCESS
					: CUDA_ERROR_NOT_READY;
}

CUresult cuEventQuery(CUevent hEvent)
{
	CU_ENTER_CTX(ctx);
	return query(hEvent);
}

CUresult cuEventSynchronize(CUevent hEvent)
{
	CUresult ret;

	CU_ENTER_CTX(ctx);
	ret = check(hEvent);
	return ret ? ret : CU_ACL(aclrtSynchronizeEvent(hEvent));
}

static CUresult check_timed(const struct anpu_front_event_info *is, const char *name)
{
	return is->flags & ACL_EVENT_TIME_LINE ? CUDA_SUCCESS
					       : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%s was made with CU_EVENT_DISABLE_TIMING", name);
}

static CUresult check_recorded(const struct anpu_front_event_info *is, CUevent event)
{
	return is->recorded ? CUDA_SUCCESS
			    : cu_fail(CUDA_ERROR_INVALID_HANDLE, "event %p was never recorded: call cuEventRecord() before", (void *)event);
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
	struct anpu_front_event_info start, end;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pMilliseconds);
	ret = check(hStart);
	if (!ret)
		ret = check(hEnd);
	if (!ret)
		ret = cu_code(anpu_front_event(hStart, &start));
	if (!ret)
		ret = cu_code(anpu_front_event(hEnd, &end));
	if (!ret)
		ret = check_timed(&start, "hStart");
	if (!ret)
		ret = check_timed(&end, "hEnd");
	/* one without a record counts before one that has not come yet */
	if (!ret)
		ret = check_recorded(&start, hStart);
	if (!ret)
		ret = check_recorded(&end, hEnd);
	if (!ret)
		ret = query(hStart);
	if (!ret)
		ret = query(hEnd);
	return ret ? ret : cu_code(aclrtEventElapsedTime(pMilliseconds, hStart, hEnd));
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
	aclrtIpcEventHandle handle;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pHandle);
	ret = check(event);
	if (!ret)
		ret = cu_code(aclrtIpcGetEventHandle(event, &handle));
	if (!ret)
		memcpy(pHandle->reserved, handle.reserved, CU_IPC_HANDLE_SIZE);
	return ret;
}

CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
	aclrtIpcEventHandle h;
	aclrtEvent event = NULL;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phEvent);
	memcpy(h.reserved, handle.reserved, CU_IPC_HANDLE_SIZE);
	ret = cu_code(aclrtIpcOpenEventHandle(h, &event));
	if (!ret)
		*phEvent = event;
	return ret;
}
