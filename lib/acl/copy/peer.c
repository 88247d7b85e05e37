// SPDX-License-Identifier: MIT
/*
 * Copies between devices, by the one of them that has the other's memory in its address space.
 */
#include "copy/copy.h"

/* Up to here two copies by the CPU beat a packet */
#define PEER_MIN (32 << 10)

aclError anpu_peer_copy(const struct anpu_mem *dst, const struct anpu_mem *src, uint64_t count,
			bool *done)
{
	union anpu_packet pkt = {
		.copy = { .hdr.opcode = ANPU_OP_COPY, .dst = dst->addr, .src = src->addr,
			  .size = count },
	};
	struct anpu_device *by = NULL;

	if (count <= PEER_MIN)
		by = NULL;
	else if (anpu_peer_reaches(dst->dev, src, DRM_ANPU_VM_READ))
		by = dst->dev;
	else if (anpu_peer_reaches(src->dev, dst, DRM_ANPU_VM_WRITE))
		by = src->dev;
	*done = by != NULL;
	return by ? anpu_run_packet(by, pkt) : ACL_SUCCESS;
}
