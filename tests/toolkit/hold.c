// SPDX-License-Identifier: MIT
/* Holds 64 MiB and two streams of device 0 while npu-smi and anpu-smi look. */
#include <acl/acl.h>
#include <stdlib.h>

int main(void)
{
	aclrtStream s;
	void *p;

	if (aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&p, 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST) ||
	    aclrtCreateStream(&s))
		return 1;
	return system("npu-smi info && anpu-smi --interval 0.1 && anpu-smi --json --interval 0.1 --loop --count 2");
}
