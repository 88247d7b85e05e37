/* SPDX-License-Identifier: MIT */
/* Shared by the tests of libhccl: ranks as threads or processes, data of all types and what becomes of them. */
#ifndef HCCLTEST_H
#define HCCLTEST_H

#include <hccl/hccl.h>

#include "../libacl/acltest.h"

#define HCCL(call) do { \
	HcclResult res_ = (call); \
	if (res_ != HCCL_SUCCESS) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		FAIL("%s returned %d (%s): %s", #call, res_, HcclGetErrorString(res_), \
		     msg_ ? msg_ : "(no message)"); \
	} \
} while (0)

/* As FAILS() of acltest.h */
#define HFAILS(call, code, ...) FAILS((aclError)(call), (aclError)(code), __VA_ARGS__)

enum { RANKS_MAX = 64 };

/* One rank: what a test's function gets */
struct rank {
	uint32_t rank, ranks;
	HcclComm comm;
	aclrtStream stream;
	const void *arg;
	/* of with_ranks() */
	void (*fn)(struct rank *r);
	const HcclRootInfo *root;
	const HcclCommConfig *config;
	pthread_t thread;
};

/* Rank i has device i modulo the number of devices */
int32_t device_of(uint32_t rank);
/* Runs @fn in @n threads, each a rank of one communicator; @config may be NULL. Destroys the communicators */
void with_ranks(uint32_t n, const HcclCommConfig *config, void (*fn)(struct rank *r), const void *arg);
/* A configuration with the smallest buffers, so that data go in many chunks, and an algorithm or NULL */
HcclCommConfig small_buffers(const char *algo);
/* aclInit() */
void begin(void);
/* All ranks of the process have come here */
void meet(struct rank *r);
/* For how many, outside of with_ranks() */
void meet_count(uint32_t n);

/* Network namespaces stand for machines: goes to number @number of those that tests/hccl/machines has made */
void enter_machine(int number);

size_t type_size(HcclDataType type);
extern const HcclDataType reduced_types[12];
/* Element @i of rank @rank: small numbers, so that sums and products of 16 ranks are exact in all types */
void put_small(void *buf, HcclDataType type, size_t i, uint32_t rank);
/* Any bits that are numbers */
void put_any(void *buf, HcclDataType type, size_t n, uint64_t seed);
/* acc = acc op x as the manual says it; @n elements */
void apply(void *acc, const void *x, HcclDataType type, HcclReduceOp op, size_t n);

/* Memory of the thread's device with these bytes; NULL: zeros */
void *dev_with(const void *data, size_t bytes);
void dev_read(void *host, const void *dev, size_t bytes);

#endif
