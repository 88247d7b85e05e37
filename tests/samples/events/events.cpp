/* SPDX-License-Identifier: MIT */
/* The same in C++: streams and events are owned by unique_ptr. */
#include "sample.h"

#include <memory>
#include <type_traits>

struct DestroyStream {
	void operator()(aclrtStream stream) const
	{
		CHECK(aclrtDestroyStream(stream));
	}
};

struct DestroyEvent {
	void operator()(aclrtEvent event) const
	{
		CHECK(aclrtDestroyEvent(event));
	}
};

using Stream = std::unique_ptr<std::remove_pointer<aclrtStream>::type, DestroyStream>;
using Event = std::unique_ptr<std::remove_pointer<aclrtEvent>::type, DestroyEvent>;

static Stream new_stream()
{
	aclrtStream stream = nullptr;
	CHECK(aclrtCreateStream(&stream));
	return Stream(stream);
}

static Event new_event(uint32_t flags)
{
	aclrtEvent event = nullptr;
	CHECK(aclrtCreateEventWithFlag(&event, flags));
	return Event(event);
}

template <typename... Args>
static void launch(aclrtFuncHandle function, const Stream &stream, Args... values)
{
	uint64_t args[] = { (uint64_t)values... };

	CHECK(aclrtLaunchKernelWithHostArgs(function, 1, stream.get(), nullptr, args, sizeof(args),
					    nullptr, 0));
}

static void run(aclrtBinHandle binary, uint64_t *words)
{
	aclrtFuncHandle wait_then_store = sample_function(binary, "wait_then_store");
	aclrtFuncHandle add_one = sample_function(binary, "add_one");
	Stream producer = new_stream(), consumer = new_stream();
	Event ready = new_event(ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status;
	uint64_t result = 0;

	launch(wait_then_store, producer, &words[0], 41, 20000);
	CHECK(aclrtRecordEvent(ready.get(), producer.get()));
	CHECK(aclrtStreamWaitEvent(consumer.get(), ready.get()));
	launch(add_one, consumer, &words[1], &words[0]);
	CHECK(aclrtResetEvent(ready.get(), consumer.get()));
	CHECK(aclrtSynchronizeStream(consumer.get()));
	CHECK(aclrtQueryEventStatus(ready.get(), &status));
	CHECK(aclrtMemcpy(&result, sizeof(result), &words[1], sizeof(result),
			  ACL_MEMCPY_DEVICE_TO_HOST));
	printf("the consumer got %llu\n", static_cast<unsigned long long>(result));
	printf("the event is %s after its reset\n",
	       status == ACL_EVENT_RECORDED_STATUS_NOT_READY ? "not recorded" : "recorded");

	Event begin = new_event(ACL_EVENT_TIME_LINE), end = new_event(ACL_EVENT_TIME_LINE);
	float ms = 0;
	CHECK(aclrtRecordEvent(begin.get(), producer.get()));
	launch(wait_then_store, producer, &words[0], 1, 5000);
	CHECK(aclrtRecordEvent(end.get(), producer.get()));
	CHECK(aclrtSynchronizeEvent(end.get()));
	CHECK(aclrtEventElapsedTime(&ms, begin.get(), end.get()));
	printf("the operator took %s\n", ms >= 5 ? "at least its 5 ms" : "too little time");
}

int main(int, char **argv)
{
	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(0));
	aclrtBinHandle binary = sample_load(argv[0], "events");
	void *words = sample_device_memory(2 * sizeof(uint64_t));

	run(binary, static_cast<uint64_t *>(words));
	CHECK(aclrtFree(words));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
