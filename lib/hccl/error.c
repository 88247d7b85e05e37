// SPDX-License-Identifier: MIT
/*
 * Codes and sentences. Sentences go to aclGetRecentErrMsg(), which programs for HCCL read, too.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/front.h"
#include "hccl_inside.h"

static __thread const char *api = "libhccl";
static __thread char last[HCCL_TEXT];

void hccl_enter(const char *name)
{
	api = name;
}

static __thread unsigned int inside;

int hccl_begin(const char *name, const void *caller)
{
	hccl_enter(name);
	if (!inside++)
		anpu_front_site(name, caller);
	return 0;
}

void hccl_leave(const int *begun)
{
	(void)begun;
	if (!--inside)
		anpu_front_site(NULL, NULL);
}

const char *hccl_api(void)
{
	return api;
}

const char *hccl_last_text(void)
{
	return last;
}

HcclResult hccl_fail(HcclResult code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(last, sizeof(last), fmt, args);
	va_end(args);
	anpu_front_say(api, code, last);
	return code;
}

HcclResult hccl_fail_acl(aclError err, const char *what)
{
	bool memory = err == ACL_ERROR_RT_MEMORY_ALLOCATION || err == ACL_ERROR_BAD_ALLOC;

	return hccl_fail(memory ? HCCL_E_MEMORY : HCCL_E_RUNTIME,
			 "%s failed with %d, of which the sentence before this one tells", what, err);
}

const char *HcclGetErrorString(HcclResult code)
{
	static const char *const text[] = {
		[HCCL_SUCCESS] = "no error",
		[HCCL_E_PARA] = "an argument is wrong",
		[HCCL_E_PTR] = "a pointer is NULL",
		[HCCL_E_MEMORY] = "no memory",
		[HCCL_E_INTERNAL] = "internal error",
		[HCCL_E_NOT_SUPPORT] = "not supported",
		[HCCL_E_NOT_FOUND] = "not found",
		[HCCL_E_UNAVAIL] = "not available",
		[HCCL_E_SYSCALL] = "the operating system refused a call",
		[HCCL_E_TIMEOUT] = "ranks did not come in time",
		[HCCL_E_OPEN_FILE_FAILURE] = "a file cannot be opened",
		[HCCL_E_TCP_CONNECT] = "connecting to another rank failed",
		[HCCL_E_ROCE_CONNECT] = "connecting by RoCE failed",
		[HCCL_E_TCP_TRANSFER] = "exchanging data with another rank failed",
		[HCCL_E_ROCE_TRANSFER] = "exchanging data by RoCE failed",
		[HCCL_E_RUNTIME] = "a function of the runtime failed",
		[HCCL_E_DRV] = "a function of the driver failed",
		[HCCL_E_PROFILING] = "profiling failed",
		[HCCL_E_CCE] = "a function of CCE failed",
		[HCCL_E_NETWORK] = "the network failed",
		[HCCL_E_AGAIN] = "to be tried again",
		[HCCL_E_REMOTE] = "another rank ended or failed",
		[HCCL_E_SUSPENDING] = "the communicator is suspended",
		[HCCL_E_OPRETRY_FAIL] = "trying again failed",
		[HCCL_E_OOM] = "out of memory",
	};

	if (code == HCCL_E_IN_STATUS)
		return "the error is in a status";
	if ((unsigned int)code < ARRAY_SIZE(text) && text[code])
		return text[code];
	return "unknown error";
}
