// SPDX-License-Identifier: MIT
/* See hccltest.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>

#include "hccltest.h"

const HcclDataType reduced_types[12] = {
	HCCL_DATA_TYPE_INT8, HCCL_DATA_TYPE_INT16, HCCL_DATA_TYPE_INT32, HCCL_DATA_TYPE_FP16,
	HCCL_DATA_TYPE_FP32, HCCL_DATA_TYPE_INT64, HCCL_DATA_TYPE_UINT64, HCCL_DATA_TYPE_UINT8,
	HCCL_DATA_TYPE_UINT16, HCCL_DATA_TYPE_UINT32, HCCL_DATA_TYPE_FP64, HCCL_DATA_TYPE_BFP16,
};

static pthread_barrier_t barrier;
static uint32_t devices;

int32_t device_of(uint32_t rank)
{
	return (int32_t)(rank % devices);
}

void begin(void)
{
	ACL(aclInit(NULL));
	ACL(aclrtGetDeviceCount(&devices));
	CHECK(devices);
}

void meet(struct rank *r)
{
	(void)r;
	pthread_barrier_wait(&barrier);
}

void meet_count(uint32_t n)
{
	pthread_barrier_init(&barrier, NULL, n);
}

void enter_machine(int number)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/hccl-test-%d", number);
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	CHECK_EQ(setns(fd, CLONE_NEWNET), 0);
	close(fd);
	/* UCX looks for interfaces there. Where it may not be mounted, those that are there already may have the same names */
	if (!unshare(CLONE_NEWNS))
		(void)mount("none", "/sys", "sysfs", 0, NULL);
}

static void *one_rank(void *arg)
{
	struct rank *r = arg;

	ACL(aclrtSetDevice(device_of(r->rank)));
	if (r->config)
		HCCL(HcclCommInitRootInfoConfig(r->ranks, r->root, r->rank, r->config, &r->comm));
	else
		HCCL(HcclCommInitRootInfo(r->ranks, r->root, r->rank, &r->comm));
	ACL(aclrtCreateStream(&r->stream));
	r->fn(r);
	HCCL(HcclCommDestroy(r->comm));
	ACL(aclrtDestroyStream(r->stream));
	return NULL;
}

void with_ranks(uint32_t n, const HcclCommConfig *config, void (*fn)(struct rank *r), const void *arg)
{
	struct rank all[RANKS_MAX] = { 0 };
	HcclRootInfo root;

	CHECK_OP(n, <=, RANKS_MAX);
	meet_count(n);
	HCCL(HcclGetRootInfo(&root));
	for (uint32_t i = 0; i < n; i++) {
		all[i] = (struct rank){ .rank = i, .ranks = n, .arg = arg, .fn = fn, .root = &root, .config = config };
		CHECK_EQ(pthread_create(&all[i].thread, NULL, one_rank, &all[i]), 0);
	}
	for (uint32_t i = 0; i < n; i++)
		pthread_join(all[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
}

HcclCommConfig small_buffers(const char *algo)
{
	HcclCommConfig c;

	HcclCommConfigInit(&c);
	c.hcclBufferSize = 1;
	if (algo)
		snprintf(c.hcclAlgo, sizeof(c.hcclAlgo), "level0:NA;level1:%s", algo);
	return c;
}

size_t type_size(HcclDataType type)
{
	static const size_t size[] = { 1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2, 16, 0, 1, 1, 1, 1 };

	return size[type];
}

static float from_bf16(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float f;

	memcpy(&f, &wide, 4);
	return f;
}

static uint16_t to_bf16(float f)
{
	uint32_t bits;

	if (f != f)
		return 0x7fc0;
	memcpy(&bits, &f, 4);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void put_number(void *buf, HcclDataType type, size_t i, int v)
{
	switch (type) {
	case HCCL_DATA_TYPE_FP16:
		((_Float16 *)buf)[i] = (_Float16)v;
		break;
	case HCCL_DATA_TYPE_FP32:
		((float *)buf)[i] = (float)v;
		break;
	case HCCL_DATA_TYPE_FP64:
		((double *)buf)[i] = v;
		break;
	case HCCL_DATA_TYPE_BFP16:
		((uint16_t *)buf)[i] = to_bf16((float)v);
		break;
	case HCCL_DATA_TYPE_INT64:
	case HCCL_DATA_TYPE_UINT64:
		((int64_t *)buf)[i] = v;
		break;
	case HCCL_DATA_TYPE_INT32:
	case HCCL_DATA_TYPE_UINT32:
		((int32_t *)buf)[i] = v;
		break;
	case HCCL_DATA_TYPE_INT16:
	case HCCL_DATA_TYPE_UINT16:
		((int16_t *)buf)[i] = (int16_t)v;
		break;
	default:
		((int8_t *)buf)[i] = (int8_t)v;
	}
}

void put_small(void *buf, HcclDataType type, size_t i, uint32_t rank)
{
	/* 1, 2 or -1, and mostly 1, so that products stay small */
	size_t k = i + 3 * rank;

	put_number(buf, type, i, k % 7 == 0 ? 2 : k % 5 == 0 ? -1 : 1);
}

void put_any(void *buf, HcclDataType type, size_t n, uint64_t seed)
{
	unsigned char *at = buf;

	for (size_t i = 0; i < n; i++) {
		float f = (float)((int32_t)next_random(&seed) >> 8) / 65536.0f;

		if (type == HCCL_DATA_TYPE_FP16)
			((_Float16 *)buf)[i] = (_Float16)(f / 16);
		else if (type == HCCL_DATA_TYPE_FP32)
			((float *)buf)[i] = f;
		else if (type == HCCL_DATA_TYPE_FP64)
			((double *)buf)[i] = f * 1.1;
		else if (type == HCCL_DATA_TYPE_BFP16)
			((uint16_t *)buf)[i] = to_bf16(f);
		else
			for (size_t k = 0; k < type_size(type); k++)
				at[i * type_size(type) + k] = (unsigned char)(next_random(&seed) >> 16);
	}
}

#define APPLY(type_t, widen, narrow) do { \
	type_t *a_ = acc; \
	const type_t *b_ = x; \
	for (size_t i_ = 0; i_ < n; i_++) { \
		__typeof__(widen(a_[0])) p_ = widen(a_[i_]), q_ = widen(b_[i_]); \
		a_[i_] = op == HCCL_REDUCE_SUM ? (type_t)narrow(p_ + q_) : \
			 op == HCCL_REDUCE_PROD ? (type_t)narrow(p_ * q_) : \
			 op == HCCL_REDUCE_MAX ? (p_ > q_ ? a_[i_] : b_[i_]) : \
						 (p_ < q_ ? a_[i_] : b_[i_]); \
	} \
} while (0)

#define SAME(v) (v)
#define WRAP(v) ((uint64_t)(v))
#define FLOAT(v) ((float)(v))

static void apply_signed(void *acc, const void *x, HcclDataType type, HcclReduceOp op, size_t n)
{
	if (type == HCCL_DATA_TYPE_INT8)
		APPLY(int8_t, (int64_t), SAME);
	else if (type == HCCL_DATA_TYPE_INT16)
		APPLY(int16_t, (int64_t), SAME);
	else if (type == HCCL_DATA_TYPE_INT32)
		APPLY(int32_t, (int64_t), SAME);
	else
		APPLY(int64_t, SAME, SAME);
}

void apply(void *acc, const void *x, HcclDataType type, HcclReduceOp op, size_t n)
{
	bool order = op == HCCL_REDUCE_MAX || op == HCCL_REDUCE_MIN;

	if (type == HCCL_DATA_TYPE_FP16) {
		APPLY(_Float16, FLOAT, SAME);
	} else if (type == HCCL_DATA_TYPE_BFP16) {
		APPLY(uint16_t, from_bf16, to_bf16);
	} else if (type == HCCL_DATA_TYPE_FP32) {
		APPLY(float, SAME, SAME);
	} else if (type == HCCL_DATA_TYPE_FP64) {
		APPLY(double, SAME, SAME);
	} else if (order && (type <= HCCL_DATA_TYPE_INT32 || type == HCCL_DATA_TYPE_INT64)) {
		apply_signed(acc, x, type, op, n);
	} else if (type_size(type) == 1) {
		APPLY(uint8_t, WRAP, SAME);
	} else if (type_size(type) == 2) {
		APPLY(uint16_t, WRAP, SAME);
	} else if (type_size(type) == 4) {
		APPLY(uint32_t, WRAP, SAME);
	} else {
		APPLY(uint64_t, WRAP, SAME);
	}
}

void *dev_with(const void *data, size_t bytes)
{
	void *p = dev_alloc(bytes ? bytes : 1);

	if (data && bytes)
		ACL(aclrtMemcpy(p, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	else if (bytes)
		ACL(aclrtMemset(p, bytes, 0, bytes));
	return p;
}

void dev_read(void *host, const void *dev, size_t bytes)
{
	if (bytes)
		ACL(aclrtMemcpy(host, bytes, dev, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}
