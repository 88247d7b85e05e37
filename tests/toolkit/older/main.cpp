// SPDX-License-Identifier: MIT
/* The operator by its launcher, and with an argument from a file. */
#include <acl/acl.h>
#include <cstdio>
#include <vector>

#include "aclrtlaunch_scale_all.h"

int main(int argc, char **argv)
{
	std::vector<float> host(100);
	aclrtStream stream;
	void *x;
	int err;

	for (size_t i = 0; i < host.size(); i++)
		host[i] = (float)i;
	aclInit(nullptr);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtMalloc(&x, host.size() * 4, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMemcpy(x, host.size() * 4, host.data(), host.size() * 4, ACL_MEMCPY_HOST_TO_DEVICE);
	if (argc > 1) {
		struct { void *x; uint32_t n, unused; } args = { x, 100, 0 };
		aclrtBinHandle bin;
		aclrtFuncHandle func;

		err = aclrtBinaryLoadFromFile(argv[1], nullptr, &bin);
		if (!err)
			err = aclrtBinaryGetFunction(bin, "scale_all", &func);
		if (!err)
			err = aclrtLaunchKernelWithHostArgs(func, 8, stream, nullptr, &args, sizeof(args), nullptr, 0);
	} else {
		err = ACLRT_LAUNCH_KERNEL(scale_all)(8, stream, x, 100);
	}
	if (!err)
		err = aclrtSynchronizeStream(stream);
	aclrtMemcpy(host.data(), host.size() * 4, x, host.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST);
	std::printf("%d %g %g\n", err, host[1], host[99]);
	aclrtFree(x);
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	return aclFinalize() || err;
}
