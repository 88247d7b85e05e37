/* SPDX-License-Identifier: MIT */
/*
 * Callbacks in the runtime's own thread: aclrtLaunchHostFunc() needs no thread and no subscription,
 * and always holds the stream. It prints the same as the sample in C.
 */
#include "sample.h"

#include <functional>

/* Any callable as a host function; it has to live until the stream has run it */
static void host_function(aclrtStream stream, std::function<void()> &f)
{
	CHECK(aclrtLaunchHostFunc(
		stream, [](void *arg) { (*static_cast<std::function<void()> *>(arg))(); }, &f));
}

int main(int, char **argv)
{
	int rounds = 0;
	uint64_t *word = nullptr;
	aclrtStream stream = nullptr;

	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(0));
	aclrtBinHandle binary = sample_load(argv[0], "callbacks");
	aclrtFuncHandle square = sample_function(binary, "square");
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtMallocHost(reinterpret_cast<void **>(&word), sizeof(*word)));

	std::function<void()> next_round = [&] {
		printf("round %d: the word is %llu\n", ++rounds,
		       static_cast<unsigned long long>(*word));
		*word += 1;
	};
	*word = 2;
	for (int i = 0; i < 3; i++) {
		CHECK(aclrtLaunchKernelWithHostArgs(square, 1, stream, nullptr, &word, sizeof(word),
						    nullptr, 0));
		host_function(stream, next_round);
	}
	CHECK(aclrtSynchronizeStream(stream));
	printf("after %d rounds the word is %llu\n", rounds,
	       static_cast<unsigned long long>(*word));

	CHECK(aclrtFreeHost(word));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
