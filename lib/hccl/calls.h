/* SPDX-License-Identifier: MIT */
/*
 * The common part of the calls of programs: arguments as the program gave them, looked at, and done now or by
 * HcclGroupEnd().
 */
#ifndef HCCL_CALLS_H
#define HCCL_CALLS_H

#include "hccl_inside.h"

struct args {
	struct hccl_later l;
	enum hccl_call call;
	void (*queue)(struct hccl_run *r, const struct args *a);
	char *send, *recv;
	uint64_t count;	      /* of elements; what it counts depends on the call */
	HcclDataType type;
	HcclReduceOp op;
	uint32_t root;	      /* UINT32_MAX: none */
	bool reduces;
	/* by rank, in elements; of the calls that have them */
	const uint64_t *send_counts, *send_at, *recv_counts, *recv_at, *matrix;
	const HcclSendRecvItem *items; /* of CALL_PAIR */
	uint32_t n_items;
	uint64_t *kept;	      /* copies of those in a group */
	uint64_t send_span, recv_span; /* elements that the buffers have, 0: not looked at */
	bool no_overlap;      /* the buffers must not share memory, but for this rank's own part */
};

/* Is buffer @name memory that a device reaches, and has it as many bytes */
HcclResult hccl_check_place(const char *name, const void *at, uint64_t bytes);

/* Has the thread the communicator's device */
HcclResult hccl_check_device(const struct hccl_comm *c);

/* With the first sentence of what is wrong; @site: where the program called from */
HcclResult hccl_call(struct args *a, const char *api, HcclComm comm, aclrtStream stream, const void *site);
/* The same, but never put off */
HcclResult hccl_call_now(struct args *a, const char *api, HcclComm comm, aclrtStream stream, const void *site);

#endif
