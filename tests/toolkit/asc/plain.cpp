// SPDX-License-Identifier: MIT
/* Host code only, compiled by the host's compiler */
#include <acl/acl.h>
#include <cstdio>
#include <vector>

int add_one_do(aclrtStream stream, uint8_t *x, uint32_t n);
int twice(void *stream, uint8_t *x, uint32_t n);

int main()
{
	std::vector<float> host(100, 20.0f);
	size_t size = host.size() * sizeof(float);
	aclrtStream stream = nullptr;
	uint8_t *x = nullptr;

	aclInit(nullptr);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtMalloc((void **)&x, size, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMemcpy(x, size, host.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
	int err = add_one_do(stream, x, 100);
	err |= twice(stream, x, 100);
	err |= aclrtSynchronizeStream(stream);
	aclrtMemcpy(host.data(), size, x, size, ACL_MEMCPY_DEVICE_TO_HOST);
	std::printf("%d %g %g\n", err, host[0], host[99]);
	aclrtFree(x);
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	return aclFinalize() || err;
}
