// SPDX-License-Identifier: MIT
/*
 * Host programs of the catalogue that use libcuda or libhccl, as bugs.c has them for libacl.
 *
 * usage: fronts NAME
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <acl/acl.h>
#include <cuda.h>
#include <hccl/hccl.h>

#include "ask.h"

static void tell(int code)
{
	const char *text = aclGetRecentErrMsg();

	printf("CODE %d\n%s\n", code, text ? text : "");
	fflush(stdout);
}

static void *ask_later(void *part)
{
	tell(0);
	ask(part);
	_exit(0);
	return part;
}

static void ask_in_thread(const char *part)
{
	pthread_t thread;

	pthread_create(&thread, NULL, ask_later, (void *)part);
}

static void cu_wait_value(void)
{
	CUdeviceptr word;
	CUstream stream;
	CUcontext ctx;
	CUevent event;

	cuInit(0);
	cuCtxCreate(&ctx, 0, 0);
	cuStreamCreate(&stream, 0);
	cuMemAlloc(&word, 64);
	cuMemsetD8(word, 0, 64);
	cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ); /* BUG cu_wait_value */
	cuEventCreate(&event, 0);
	cuEventRecord(event, stream);
	ask_in_thread("cuEventSynchronize");
	cuEventSynchronize(event); /* CALL cu_wait_value */
}

/* Streams of two APIs hang: each is told in the words of its own */
static void cu_and_acl(void)
{
	aclrtStream stream;
	CUdeviceptr word;
	CUstream other;
	CUcontext ctx;
	void *value;

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtMalloc(&value, 64, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMemset(value, 64, 0, 64);
	aclrtValueWait(value, 1, ACL_STREAM_WAIT_VALUE_EQ, stream); /* CALL cu_and_acl */
	cuInit(0);
	cuCtxCreate(&ctx, 0, 0);
	cuStreamCreate(&other, 0);
	cuMemAlloc(&word, 64);
	cuMemsetD8(word, 0, 64);
	cuCtxSynchronize(); /* the report shall not meet the fill */
	cuStreamWaitValue32(other, word, 1, CU_STREAM_WAIT_VALUE_EQ); /* BUG cu_and_acl */
	ask_in_thread("cuStreamSynchronize");
	cuStreamSynchronize(other);
}

static void rank_zero(HcclComm *comm, aclrtStream *s)
{
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(s);
	*comm = NULL;
}

/* The other rank of the communicator calls nothing more */
static void *idle_rank(void *arg)
{
	HcclComm comm;

	aclrtSetDevice(0);
	HcclCommInitRootInfo(2, arg, 1, &comm);
	pause();
	return NULL;
}

static void hccl_missing(void)
{
	HcclRootInfo root;
	pthread_t thread;
	aclrtStream s;
	HcclComm comm;
	void *p;

	rank_zero(&comm, &s);
	HcclGetRootInfo(&root);
	pthread_create(&thread, NULL, idle_rank, &root);
	HcclCommInitRootInfo(2, &root, 0, &comm);
	aclrtMalloc(&p, 8192, ACL_MEM_MALLOC_HUGE_FIRST);
	HcclAllReduce(p, (char *)p + 4096, 64, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, s); /* BUG hccl_missing */
	/* the stream comes to its wait after some tasks */
	for (int i = 0; i < 100; i++) {
		int ret = aclrtSynchronizeStreamWithTimeout(s, 500);
		const char *text = aclGetRecentErrMsg();

		if (i < 99 && !strstr(text, "waits for rank"))
			continue;
		printf("CODE %d\n%s\n", ret, text);
		break;
	}
	fflush(stdout);
	_exit(0);
}

/* A rank that comes alone */
static void hccl_alone(void)
{
	HcclRootInfo root;
	aclrtStream s;
	HcclComm comm;

	rank_zero(&comm, &s);
	HcclGetRootInfo(&root);
	ask_in_thread("HcclCommInitRootInfo");
	HcclCommInitRootInfo(2, &root, 0, &comm); /* BUG hccl_alone */
}

#include "seeds.h"

#define CASE(name) { #name, name }

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	CASE(cu_wait_value), CASE(cu_and_acl), CASE(hccl_missing), CASE(hccl_alone),
	SEEDS_CASES
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc == 2 && !strcmp(cases[i].name, argv[1])) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "usage: %s NAME\n", argv[0]);
	return 2;
}
