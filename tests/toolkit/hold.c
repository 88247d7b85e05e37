// SPDX-License-Identifier: MIT
/* Holds 64 MiB of device 0 while npu-smi looks. */
#include <acl/acl.h>
#include <stdlib.h>

int main(void)
{
	void *p;

	if (aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&p, 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST))
		return 1;
	return system("npu-smi info");
}
