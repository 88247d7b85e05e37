/* SPDX-License-Identifier: MIT */
/*
 * Callbacks in a thread of the program: it subscribes to a stream and loops in
 * aclrtProcessReport(), which calls the functions that the stream reaches.
 *
 * A blocking callback holds the stream until it has returned, so it may prepare what the next task
 * reads. Functions in a callback must not allocate, launch or synchronise.
 */
#include "sample.h"

#include <pthread.h>
#include <stdatomic.h>

struct state {
	uint64_t *word; /* pinned: operators reach it under the same address */
	int rounds;
};

static atomic_int stop;

static void *process(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		aclError err = aclrtProcessReport(100);

		/* nothing came in 100 ms; nothing is subscribed yet */
		if (err == ACL_ERROR_RT_REPORT_TIMEOUT || err == ACL_ERROR_RT_THREAD_SUBSCRIBE)
			aclGetRecentErrMsg();
		else
			CHECK(err);
	}
	return NULL;
}

static void next_round(void *data)
{
	struct state *state = data;

	printf("round %d: the word is %llu\n", ++state->rounds, (unsigned long long)*state->word);
	*state->word += 1;
}

int main(int argc, char **argv)
{
	struct state state = { 0 };
	aclrtFuncHandle square;
	aclrtBinHandle binary;
	aclrtStream stream;
	pthread_t thread;

	(void)argc;
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	binary = sample_load(argv[0], "callbacks");
	square = sample_function(binary, "square");
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtMallocHost((void **)&state.word, sizeof(*state.word)));
	if (pthread_create(&thread, NULL, process, NULL))
		return EXIT_FAILURE;
	CHECK(aclrtSubscribeReport((uint64_t)thread, stream));

	*state.word = 2;
	for (int i = 0; i < 3; i++) {
		CHECK(aclrtLaunchKernelWithHostArgs(square, 1, stream, NULL, &state.word,
						    sizeof(state.word), NULL, 0));
		CHECK(aclrtLaunchCallback(next_round, &state, ACL_CALLBACK_BLOCK, stream));
	}
	CHECK(aclrtSynchronizeStream(stream));
	printf("after %d rounds the word is %llu\n", state.rounds,
	       (unsigned long long)*state.word);

	CHECK(aclrtUnSubscribeReport((uint64_t)thread, stream));
	atomic_store(&stop, 1);
	pthread_join(thread, NULL);
	CHECK(aclrtFreeHost(state.word));
	CHECK(aclrtDestroyStream(stream));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
