// SPDX-License-Identifier: MIT
/* Two ranks, in a process each, add up what they have: a program that links libhccl. Prints what each rank gets. */
#include <acl/acl.h>
#include <hccl/hccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRY(call) do {                                                         \
	int ret_ = (call);                                                     \
	if (ret_) {                                                            \
		fprintf(stderr, "%s: %d %s\n", #call, ret_, aclGetRecentErrMsg()); \
		exit(1);                                                       \
	}                                                                      \
} while (0)

struct meeting {
	HcclRootInfo root;
	volatile int ready;
};

static int rank(struct meeting *m, uint32_t me)
{
	float sum = 0, mine = 1.5f + (float)me;
	aclrtStream stream;
	HcclComm comm;
	void *device;

	TRY(aclInit(NULL));
	TRY(aclrtSetDevice(0));
	if (!me)
		TRY(HcclGetRootInfo(&m->root));
	__sync_synchronize();
	if (!me)
		m->ready = 1;
	while (!m->ready)
		usleep(1000);
	TRY(HcclCommInitRootInfo(2, &m->root, me, &comm));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&device, sizeof(mine), ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemcpy(device, sizeof(mine), &mine, sizeof(mine), ACL_MEMCPY_HOST_TO_DEVICE));
	TRY(HcclAllReduce(device, device, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(&sum, sizeof(sum), device, sizeof(sum), ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%g\n", sum);
	TRY(HcclCommDestroy(comm));
	return aclFinalize();
}

int main(void)
{
	struct meeting *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;

	if (m == MAP_FAILED)
		return 1;
	for (uint32_t me = 0; me < 2; me++)
		if (!fork())
			exit(rank(m, me));
	for (int i = 0, one; i < 2; i++)
		if (wait(&one) > 0 && one)
			status = 1;
	return status;
}
