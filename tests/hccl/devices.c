// SPDX-License-Identifier: MIT
/* A device for each rank, up to 64 of them, and what becomes of a rank's memory when its device is reset. */
#include <pthread.h>

#include "hccltest.h"

enum { N = 1000 };

static uint32_t count_devices(void)
{
	uint32_t n;

	ACL(aclrtGetDeviceCount(&n));
	return n < RANKS_MAX ? n : RANKS_MAX;
}

static void sum(struct rank *r)
{
	int32_t *host = host_alloc(N * 4);
	void *buf;

	for (int i = 0; i < N; i++)
		host[i] = (int32_t)r->rank + i;
	buf = dev_with(host, N * 4);
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, buf, N * 4);
	for (uint32_t i = 0; i < N; i++)
		CHECK_EQ(host[i], (int32_t)(r->ranks * i + r->ranks * (r->ranks - 1) / 2));
	ACL(aclrtFree(buf));
}

static void a_device_for_each_rank(void)
{
	begin();
	with_ranks(count_devices(), NULL, sum, NULL);
}

/* Highest device, host and NUMA nodes have different places in the list of who reaches managed memory */
static void managed_memory_of_the_last_device(void)
{
	aclrtMemManagedLocation device = { ACL_MEM_LOCATIONTYPE_DEVICE, 0 }, host = { ACL_MEM_LOCATIONTYPE_HOST, 0 },
				node = { ACL_MEM_LOCATIONTYPE_HOST_NUMA, 0 };
	int32_t who[5];
	void *p;

	begin();
	device.id = (int32_t)count_devices() - 1;
	ACL(aclrtSetDevice(device.id));
	ACL(aclrtMemAllocManaged(&p, 1 << 21, ACL_RT_MEM_ATTACH_GLOBAL));
	ACL(aclrtMemManagedAdvise(p, 1 << 21, ACL_MEM_ADVISE_SET_ACCESSED_BY, device));
	ACL(aclrtMemManagedAdvise(p, 1 << 21, ACL_MEM_ADVISE_SET_ACCESSED_BY, host));
	ACL(aclrtMemManagedAdvise(p, 1 << 21, ACL_MEM_ADVISE_SET_ACCESSED_BY, node));
	ACL(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 1 << 21, who, sizeof(who)));
	CHECK_EQ(who[0], device.id);
	CHECK_EQ(who[1], -1);
	CHECK_EQ(who[2], 0);
	CHECK_EQ(who[3], -2);
	CHECK_EQ(who[4], -2);
	ACL(aclrtFree(p));
}

/* The first rank leaves and resets its device; the second one receives, and tells the first one's memory so, later */
static void *send_and_go(void *arg)
{
	struct rank *r = arg;
	void *buf;

	ACL(aclrtSetDevice(device_of(r->rank)));
	HCCL(HcclCommInitRootInfo(2, r->root, r->rank, &r->comm));
	ACL(aclrtCreateStream(&r->stream));
	buf = dev_with(NULL, N);
	if (r->rank) {
		meet(r);
		HCCL(HcclRecv(buf, N, HCCL_DATA_TYPE_INT8, 0, r->comm, r->stream));
	} else {
		HCCL(HcclSend(buf, N, HCCL_DATA_TYPE_INT8, 1, r->comm, r->stream));
	}
	ACL(aclrtSynchronizeStream(r->stream));
	HCCL(HcclCommDestroy(r->comm));
	ACL(aclrtDestroyStream(r->stream));
	ACL(aclrtFree(buf));
	ACL(aclrtResetDevice(device_of(r->rank)));
	if (!r->rank)
		meet(r);
	return NULL;
}

static void a_rank_that_left_resets_its_device(void)
{
	struct rank all[2] = { { .rank = 0 }, { .rank = 1 } };
	HcclRootInfo root;
	size_t before;

	begin();
	for (int round = 0; round < 3; round++) {
		HCCL(HcclGetRootInfo(&root));
		meet_count(2);
		for (int i = 0; i < 2; i++) {
			all[i].root = &root;
			CHECK_EQ(pthread_create(&all[i].thread, NULL, send_and_go, &all[i]), 0);
		}
		for (int i = 0; i < 2; i++)
			pthread_join(all[i].thread, NULL);
		ACL(aclrtSetDevice(0));
		if (!round)
			before = free_hbm();
		CHECK_EQ(free_hbm(), before);
		ACL(aclrtResetDevice(0));
	}
}

TAP_MAIN(TEST(a_device_for_each_rank),
	 TEST(managed_memory_of_the_last_device),
	 TEST(a_rank_that_left_resets_its_device))
