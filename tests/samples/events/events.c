/* SPDX-License-Identifier: MIT */
/*
 * Events: a stream waits for another one without the host, and the time between two events of a
 * stream is measured.
 */
#include "sample.h"

static aclrtFuncHandle wait_then_store, add_one;

static void queue_store(aclrtStream stream, void *to, uint64_t value, uint64_t microseconds)
{
	struct {
		void *to;
		uint64_t value, microseconds;
	} args = { to, value, microseconds };

	CHECK(aclrtLaunchKernelWithHostArgs(wait_then_store, 1, stream, NULL, &args, sizeof(args),
					    NULL, 0));
}

static void queue_add(aclrtStream stream, void *to, void *from)
{
	void *args[] = { to, from };

	CHECK(aclrtLaunchKernelWithHostArgs(add_one, 1, stream, NULL, args, sizeof(args), NULL, 0));
}

/* The consumer's operator reads what the producer's writes, so it has to come later */
static void order(aclrtStream producer, aclrtStream consumer, uint64_t *words)
{
	aclrtEventRecordedStatus after;
	uint64_t result;
	aclrtEvent ready;

	CHECK(aclrtCreateEvent(&ready));
	queue_store(producer, &words[0], 41, 20000);
	CHECK(aclrtRecordEvent(ready, producer));
	CHECK(aclrtStreamWaitEvent(consumer, ready));
	queue_add(consumer, &words[1], &words[0]);
	CHECK(aclrtResetEvent(ready, consumer)); /* runs behind the wait: usable again */
	CHECK(aclrtSynchronizeStream(consumer));
	CHECK(aclrtQueryEventStatus(ready, &after));
	CHECK(aclrtMemcpy(&result, sizeof(result), &words[1], sizeof(result),
			  ACL_MEMCPY_DEVICE_TO_HOST));
	printf("the consumer got %llu\n", (unsigned long long)result);
	printf("the event is %s after its reset\n",
	       after == ACL_EVENT_RECORDED_STATUS_NOT_READY ? "not recorded" : "recorded");
	CHECK(aclrtSynchronizeStream(producer));
	CHECK(aclrtDestroyEvent(ready));
}

static void measure(aclrtStream stream, uint64_t *words)
{
	aclrtEvent begin, end;
	float ms;

	CHECK(aclrtCreateEventWithFlag(&begin, ACL_EVENT_TIME_LINE));
	CHECK(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));
	CHECK(aclrtRecordEvent(begin, stream));
	queue_store(stream, &words[0], 1, 5000);
	CHECK(aclrtRecordEvent(end, stream));
	CHECK(aclrtSynchronizeStream(stream));
	CHECK(aclrtEventElapsedTime(&ms, begin, end));
	printf("the operator took %s\n", ms >= 5 ? "at least its 5 ms" : "too little time");
	CHECK(aclrtDestroyEvent(end));
	CHECK(aclrtDestroyEvent(begin));
}

int main(int argc, char **argv)
{
	aclrtStream producer, consumer;
	aclrtBinHandle binary;
	uint64_t *words;

	(void)argc;
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	binary = sample_load(argv[0], "events");
	wait_then_store = sample_function(binary, "wait_then_store");
	add_one = sample_function(binary, "add_one");
	CHECK(aclrtCreateStream(&producer));
	CHECK(aclrtCreateStream(&consumer));
	words = sample_device_memory(2 * sizeof(*words));

	order(producer, consumer, words);
	measure(producer, words);

	CHECK(aclrtFree(words));
	CHECK(aclrtDestroyStream(consumer));
	CHECK(aclrtDestroyStream(producer));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
