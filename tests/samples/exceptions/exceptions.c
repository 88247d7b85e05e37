/* SPDX-License-Identifier: MIT */
/*
 * When an operator fails: a callback tells at once and what it was, the next synchronisation
 * returns the code, and a sentence says where. The stream goes on behind the failure.
 */
#include "sample.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int failures;

/* A thread of the runtime calls it; @info is valid during the call only */
static void on_exception(aclrtExceptionInfo *info)
{
	char name[64] = "?";
	aclrtFuncHandle function;

	if (aclrtGetFuncHandleFromExceptionInfo(info, &function) == ACL_SUCCESS)
		aclrtGetFunctionName(function, sizeof(name), name);
	pthread_mutex_lock(&lock);
	printf("callback: operator %s failed on device %u with %u\n", name,
	       aclrtGetDeviceIdFromExceptionInfo(info), aclrtGetErrorCodeFromExceptionInfo(info));
	failures++;
	pthread_cond_signal(&told);
	pthread_mutex_unlock(&lock);
}

static void wait_for_failure(int n)
{
	pthread_mutex_lock(&lock);
	while (failures < n)
		pthread_cond_wait(&told, &lock);
	pthread_mutex_unlock(&lock);
}

static void launch(aclrtFuncHandle function, uint64_t args[], size_t n)
{
	CHECK(aclrtLaunchKernelWithHostArgs(function, 1, NULL, NULL, args, n * sizeof(args[0]), NULL, 0));
}

/* The sentence has addresses, too: print what is the same in each run */
static void synchronise(const char *words[], int n)
{
	aclError err = aclrtSynchronizeStream(NULL);
	const char *text = aclGetRecentErrMsg();

	printf("synchronise: %d", err);
	for (int i = 0; i < n; i++)
		if (text && strstr(text, words[i]))
			printf(", \"%s\"", words[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	const char *bad_address[] = { "kernel 'store'", "write of 8 bytes at 0x10" };
	const char *bad_value[] = { "kernel 'check_positive'", "assert", "value > 0" };
	aclrtFuncHandle store, check_positive;
	aclrtBinHandle binary;
	uint64_t *word, value;

	(void)argc;
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtExceptionInfoCallbackRegister(on_exception));
	binary = sample_load(argv[0], "exceptions");
	store = sample_function(binary, "store");
	check_positive = sample_function(binary, "check_positive");
	word = sample_device_memory(sizeof(*word));

	launch(store, (uint64_t[]){ 16, 1 }, 2); /* no address of ours */
	wait_for_failure(1);
	synchronise(bad_address, 2);

	launch(check_positive, (uint64_t[]){ (uint64_t)-5 }, 1);
	wait_for_failure(2);
	synchronise(bad_value, 3);

	launch(store, (uint64_t[]){ (uint64_t)(uintptr_t)word, 7 }, 2);
	CHECK(aclrtSynchronizeStream(NULL));
	CHECK(aclrtMemcpy(&value, sizeof(value), word, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
	printf("the stream goes on: %llu\n", (unsigned long long)value);

	CHECK(aclrtExceptionInfoCallbackUnregister(on_exception));
	CHECK(aclrtFree(word));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
