/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory: addresses and memory apart. A vector grows in place: addresses for its largest
 * size are reserved at once, memory is mapped behind its end when it is needed.
 */
#include "sample.h"

static char *base;     /* of the reserved addresses */
static size_t piece;   /* memory comes in multiples of this */
static size_t mapped;  /* bytes behind base */

static void grow(size_t size)
{
	aclrtPhysicalMemProp prop = {
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtDrvMemHandle memory;

	while (mapped < size) {
		CHECK(aclrtMallocPhysical(&memory, piece, &prop, 0));
		CHECK(aclrtMapMem(base + mapped, piece, 0, memory, 0));
		CHECK(aclrtFreePhysical(memory)); /* it lives while it is mapped */
		mapped += piece;
	}
}

int main(void)
{
	aclrtPhysicalMemProp prop = {
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtMemAccessDesc read_only = {
		.flags = ACL_RT_MEM_ACCESS_FLAGS_READ,
		.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	unsigned char bytes[2];
	uint64_t rights;

	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &piece));
	printf("memory comes in pieces of %zu MiB\n", piece >> 20);
	CHECK(aclrtReserveMemAddress((void **)&base, 64 * piece, 0, NULL, 1));

	grow(piece);
	CHECK(aclrtMemset(base, mapped, 1, mapped));
	grow(3 * piece);
	CHECK(aclrtMemset(base + piece, mapped - piece, 2, mapped - piece));
	/* one copy over the border of two pieces */
	CHECK(aclrtMemcpy(bytes, 2, base + piece - 1, 2, ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%zu MiB, and at the first border %d %d\n", mapped >> 20, bytes[0], bytes[1]);

	CHECK(aclrtMemSetAccess(base, piece, &read_only, 1));
	CHECK(aclrtMemGetAccess(base, &prop.location, &rights));
	printf("the first piece is %s\n",
	       rights == ACL_RT_MEM_ACCESS_FLAGS_READ ? "read-only" : "writable");

	while (mapped) {
		mapped -= piece;
		CHECK(aclrtUnmapMem(base + mapped));
	}
	CHECK(aclrtReleaseMemAddress(base));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
