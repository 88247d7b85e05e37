// SPDX-License-Identifier: MIT
/* From codes of libacl to those of this API. */
#include <stdarg.h>
#include <stdio.h>

#include <anpu/anpu_packet.h>

#include "cuda/core/core.h"
#include "cuda/context/context.h"

CUresult cu_fail(CUresult code, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	anpu_front_say(cu_running(), (int)code, text);
	return code;
}

CUresult cu_unbuilt(const char *name, const char *reason)
{
	const char *before __attribute__((cleanup(cu_leave), unused)) =
		cu_begin(name, __builtin_return_address(0));

	return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "%s() is declared and refused: %s", name,
		       reason ? reason : "Documentation/cuda.md lists what is built");
}

/* The failure of a kernel, by the device's record */
static CUresult of_cause(uint32_t cause)
{
	switch (cause) {
	case ANPU_FAULT_UNMAPPED:
	case ANPU_FAULT_PERMISSION:
	case ANPU_FAULT_BAD_PTE:
	case ANPU_FAULT_BUS:
	case ANPU_FAULT_SCRATCHPAD: /* null pointers, and indices that leave shared memory */
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	case ANPU_FAULT_MISALIGNED:
		return CUDA_ERROR_MISALIGNED_ADDRESS;
	case ANPU_FAULT_ILLEGAL:
		return CUDA_ERROR_ILLEGAL_INSTRUCTION;
	case ANPU_FAULT_FETCH:
		return CUDA_ERROR_INVALID_PC;
	case ANPU_FAULT_ASSERT:
		return CUDA_ERROR_ASSERT;
	case ANPU_FAULT_STACK:
		return CUDA_ERROR_HARDWARE_STACK_ERROR;
	case ANPU_FAULT_TIMEOUT:
		return CUDA_ERROR_LAUNCH_TIMEOUT;
	default:
		return CUDA_ERROR_LAUNCH_FAILED;
	}
}

static const struct {
	aclError from;
	CUresult to;
} codes[] = {
	{ 100000, CUDA_ERROR_INVALID_VALUE },
	{ 100001, CUDA_ERROR_NOT_INITIALIZED },
	{ 100003, CUDA_ERROR_INVALID_IMAGE },
	{ 200000, CUDA_ERROR_OUT_OF_MEMORY },
	{ ACL_ERROR_RT_PARAM_INVALID, CUDA_ERROR_INVALID_VALUE },
	{ ACL_ERROR_RT_ADDR_UNALIGNED, CUDA_ERROR_INVALID_VALUE },
	{ ACL_ERROR_RT_INVALID_DEVICEID, CUDA_ERROR_INVALID_DEVICE },
	{ ACL_ERROR_RT_CONTEXT_NULL, CUDA_ERROR_CONTEXT_IS_DESTROYED },
	{ ACL_ERROR_RT_STREAM_CONTEXT, CUDA_ERROR_INVALID_HANDLE },
	{ ACL_ERROR_RT_STREAM_MODEL, CUDA_ERROR_INVALID_HANDLE },
	{ ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, CUDA_ERROR_INVALID_HANDLE },
	{ ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, CUDA_ERROR_INVALID_VALUE },
	{ ACL_ERROR_RT_FILE_OPEN, CUDA_ERROR_FILE_NOT_FOUND },
	{ ACL_ERROR_RT_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE },
	{ ACL_ERROR_RT_STREAM_ABORT, CUDA_ERROR_LAUNCH_FAILED },
	{ ACL_ERROR_RT_TASK_ABORT_STOP, CUDA_ERROR_LAUNCH_FAILED },
	{ ACL_ERROR_RT_CAPTURE_DEPENDENCY, CUDA_ERROR_STREAM_CAPTURE_ISOLATION },
	{ ACL_ERROR_RT_STREAM_UNJOINED, CUDA_ERROR_STREAM_CAPTURE_UNJOINED },
	{ ACL_ERROR_RT_MODEL_CAPTURED, CUDA_ERROR_ILLEGAL_STATE },
	{ ACL_ERROR_RT_STREAM_CAPTURED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED },
	{ ACL_ERROR_RT_EVENT_CAPTURED, CUDA_ERROR_CAPTURED_EVENT },
	{ ACL_ERROR_RT_STREAM_NOT_CAPTURED, CUDA_ERROR_ILLEGAL_STATE },
	{ ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED },
	{ ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED },
	{ ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED },
	{ ACL_ERROR_STREAM_CAPTURE_CONFLICT, CUDA_ERROR_STREAM_CAPTURE_MERGE },
	{ ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED },
	{ ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD },
	{ ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED },
	{ ACL_ERROR_RT_MODEL_RUNNING, CUDA_ERROR_ILLEGAL_STATE },
	{ ACL_ERROR_RT_MODEL_UPDATE_FAILED, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE },
	{ ACL_ERROR_RT_SYMBOL_NOT_FOUND, CUDA_ERROR_NOT_FOUND },
	{ ACL_ERROR_RT_KERNEL_LOOKUP, CUDA_ERROR_NOT_FOUND },
	{ ACL_ERROR_RT_FEATURE_NOT_SUPPORT, CUDA_ERROR_NOT_SUPPORTED },
	{ ACL_ERROR_RT_MEMORY_ALLOCATION, CUDA_ERROR_OUT_OF_MEMORY },
	{ ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, CUDA_ERROR_OUT_OF_MEMORY },
	{ ACL_ERROR_RT_NO_STREAM_RESOURCE, CUDA_ERROR_OUT_OF_MEMORY },
	{ ACL_ERROR_RT_NO_EVENT_RESOURCE, CUDA_ERROR_OUT_OF_MEMORY },
	{ ACL_ERROR_RT_DEVICE_OOM, CUDA_ERROR_OUT_OF_MEMORY },
	{ ACL_ERROR_RT_OVER_LIMIT, CUDA_ERROR_OUT_OF_MEMORY },
	{ ACL_ERROR_RT_NO_DEVICE, CUDA_ERROR_NO_DEVICE },
	{ ACL_ERROR_RT_NO_PERMISSION, CUDA_ERROR_NOT_PERMITTED },
	{ ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED },
	{ ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED },
	{ ACL_ERROR_RT_DRV_INTERNAL_ERROR, CUDA_ERROR_UNKNOWN },
};

CUresult cu_code(aclError code)
{
	unsigned int i;

	if (!code)
		return CUDA_SUCCESS;
	/* libacl refuses there what could wait for the function itself */
	if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT && anpu_front_in_callback())
		return CUDA_ERROR_NOT_PERMITTED;
	if (code == ACL_ERROR_RT_INVALID_HANDLE && anpu_front_bad_value())
		return CUDA_ERROR_INVALID_VALUE;
	if (anpu_is_task_code(code))
		return of_cause(anpu_front_fault());
	for (i = 0; i < CU_COUNT(codes); i++)
		if (codes[i].from == code)
			return codes[i].to;
	return CUDA_ERROR_UNKNOWN;
}

int cu_number(aclError code)
{
	return (int)cu_launch_code(cu_code(code));
}

CUresult cu_work_failure(aclError code)
{
	return anpu_is_task_code(code) ? cu_map(code) : CUDA_SUCCESS;
}

CUresult cu_await_work(void)
{
	return cu_work_failure(anpu_front_context_sync());
}

CUresult cu_map(aclError code)
{
	CUresult ret = cu_code(code), none = CUDA_SUCCESS;
	struct cu_ctx *ctx;

	if (code && anpu_is_task_code(code) && !cu_current_any(&ctx))
		atomic_compare_exchange_strong(&ctx->sticky, &none, ret);
	return ret;
}
