/* SPDX-License-Identifier: MIT */
/*
 * Hello: initialise, take a device, run an operator, give everything back.
 *
 * The output of an operator appears when its stream is synchronised.
 */
#include "sample.h"

int main(int argc, char **argv)
{
	struct {
		uint32_t number;
		uint32_t pad; /* every argument has 8 bytes */
	} args = { 42, 0 };
	aclrtBinHandle binary;
	uint32_t devices;

	(void)argc;
	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&devices));
	printf("there is %s device\n", devices ? "a" : "no");
	CHECK(aclrtSetDevice(0));

	binary = sample_load(argv[0], "hello");
	CHECK(aclrtLaunchKernelWithHostArgs(sample_function(binary, "hello"), 1, NULL, NULL, &args,
					    sizeof(args), NULL, 0));
	CHECK(aclrtSynchronizeStream(NULL)); /* NULL: the default stream */

	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	printf("done\n");
	return 0;
}
