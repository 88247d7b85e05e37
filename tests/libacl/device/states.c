// SPDX-License-Identifier: MIT
/* States of whole devices and calls that act on them; hooks around devices and streams. */
#include <acl/acl.h>
#include <pthread.h>

#include "../acltest.h"

static void identity(void)
{
	aclrtUuid a, b;
	char bus[32];
	unsigned int domain, where, slot, function;

	start();
	memset(&a, 1, sizeof(a));
	memset(&b, 2, sizeof(b));
	ACL(aclrtDeviceGetUuid(0, &a));
	ACL(aclrtDeviceGetUuid(0, &b));
	CHECK(!memcmp(&a, &b, sizeof(a)));
	CHECK(!memcmp(a.bytes, "ANPU", 4));
	ACL(aclrtDeviceGetPCIBusId(0, bus, sizeof(bus)));
	CHECK_EQ(sscanf(bus, "%x:%x:%x.%x", &domain, &where, &slot, &function), 4);
	CHECK_EQ((uint8_t)a.bytes[13], where);
	CHECK_EQ((uint8_t)a.bytes[14], slot);
	CHECK_EQ((uint8_t)a.bytes[15], function);
	FAILS(aclrtDeviceGetUuid(0, NULL), ACL_ERROR_INVALID_PARAM, "uuid");
	FAILS(aclrtDeviceGetUuid(4, &a), ACL_ERROR_RT_INVALID_DEVICEID, "4");
	FAILS(aclrtDeviceGetUuid(-1, &a), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
}

static void features(void)
{
	aclrtAtomicOperation ops[2] = { ACL_RT_ATOMIC_OPERATION_CAS, ACL_RT_ATOMIC_OPERATION_DMA_ADD };
	uint32_t caps[2] = { 9, 9 };
	int32_t value = 7;

	start();
	ACL(aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &value));
	CHECK_EQ(value, ACL_DEV_FEATURE_NOT_SUPPORT);
	ACL(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &value));
	CHECK_EQ(value, ACL_DEV_FEATURE_NOT_SUPPORT);
	FAILS(aclrtGetDeviceCapability(0, (aclrtDevFeatureType)2, &value), ACL_ERROR_INVALID_PARAM,
	      "devFeatureType");
	FAILS(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, NULL),
	      ACL_ERROR_INVALID_PARAM, "value");
	FAILS(aclrtGetDeviceCapability(3, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &value),
	      ACL_ERROR_RT_INVALID_DEVICEID, "3");
	ACL(aclrtDeviceGetHostAtomicCapabilities(caps, ops, 2, 0));
	CHECK(caps[0] == 0 && caps[1] == 0);
	FAILS(aclrtDeviceGetHostAtomicCapabilities(NULL, ops, 2, 0), ACL_ERROR_INVALID_PARAM,
	      "capabilities");
	FAILS(aclrtDeviceGetHostAtomicCapabilities(caps, NULL, 2, 0), ACL_ERROR_INVALID_PARAM,
	      "operations");
	FAILS(aclrtDeviceGetHostAtomicCapabilities(caps, ops, 0, 0), ACL_ERROR_INVALID_PARAM,
	      "count");
	FAILS(aclrtDeviceGetHostAtomicCapabilities(caps, ops, 2, 8), ACL_ERROR_RT_INVALID_DEVICEID,
	      "8");
	ops[1] = (aclrtAtomicOperation)20;
	FAILS(aclrtDeviceGetHostAtomicCapabilities(caps, ops, 2, 0), ACL_ERROR_INVALID_PARAM,
	      "operations[1]", "20");
	FAILS(aclrtDeviceGetP2PAtomicCapabilities(caps, ops, 1, 0, 0), ACL_ERROR_RT_PARAM_INVALID,
	      "two devices");
	FAILS(aclrtDeviceGetP2PAtomicCapabilities(caps, ops, 1, 0, 5), ACL_ERROR_RT_INVALID_DEVICEID,
	      "5");
	FAILS(aclrtDeviceGetP2PAtomicCapabilities(caps, ops, 1, 5, 0), ACL_ERROR_RT_INVALID_DEVICEID,
	      "5");
}

static void what_has_no_effect_is_checked(void)
{
	uint32_t flag = 9;
	uint64_t topo;

	FAILS(aclrtSetTsDevice(ACL_TS_ID_AICORE), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtDeviceL2CacheFlush(NULL), ACL_ERROR_RT_CONTEXT_NULL);
	start();
	ACL(aclrtSetTsDevice(ACL_TS_ID_AICORE));
	ACL(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
	FAILS(aclrtSetTsDevice(ACL_TS_ID_RESERVED), ACL_ERROR_INVALID_PARAM, "tsId");
	ACL(aclrtDeviceL2CacheFlush(NULL));
	FAILS(aclrtDeviceL2CacheFlush(&flag), ACL_ERROR_INVALID_PARAM, "rsv");
	FAILS(aclrtGetDevicesTopo(0, 0, &topo), ACL_ERROR_RT_PARAM_INVALID, "two devices");
	FAILS(aclrtGetDevicesTopo(0, 1, &topo), ACL_ERROR_RT_INVALID_DEVICEID, "1");
	FAILS(aclrtGetDevicesTopo(UINT32_MAX, 0, &topo), ACL_ERROR_RT_INVALID_DEVICEID);
	FAILS(aclrtGetDevicesTopo(0, 1, NULL), ACL_ERROR_INVALID_PARAM, "value");
}

static void what_is_left(void)
{
	uint32_t streams = 0, fewer = 0, events = 0, after = 0, a = 0, b = 0;
	aclrtEvent one, two;
	aclrtStream stream;

	FAILS(aclrtGetStreamAvailableNum(&streams), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtGetEventAvailNum(&events), ACL_ERROR_RT_CONTEXT_NULL);
	start();
	ACL(aclrtGetStreamAvailableNum(&streams));
	CHECK(streams > 0);
	stream = new_stream();
	ACL(aclrtGetStreamAvailableNum(&fewer));
	CHECK_EQ(fewer, streams - 1);
	ACL(aclrtDestroyStream(stream));
	ACL(aclrtGetStreamAvailableNum(&fewer));
	CHECK_EQ(fewer, streams);
	ACL(aclrtGetEventAvailNum(&events));
	ACL(aclrtCreateEvent(&one));
	ACL(aclrtCreateEventExWithFlag(&two, ACL_EVENT_SYNC));
	ACL(aclrtGetEventAvailNum(&after));
	CHECK_EQ(after, events - 2);
	ACL(aclrtGetEventId(one, &a));
	ACL(aclrtGetEventId(two, &b));
	CHECK(a != b);
	ACL(aclrtDestroyEvent(one));
	ACL(aclrtDestroyEvent(two));
	ACL(aclrtGetEventAvailNum(&after));
	CHECK_EQ(after, events);
	FAILS(aclrtGetEventId(one, &a), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	FAILS(aclrtGetEventId(NULL, &a), ACL_ERROR_INVALID_PARAM, "event");
	FAILS(aclrtGetEventId(one, NULL), ACL_ERROR_INVALID_PARAM, "eventId");
	FAILS(aclrtGetStreamAvailableNum(NULL), ACL_ERROR_INVALID_PARAM, "streamCount");
	FAILS(aclrtGetEventAvailNum(NULL), ACL_ERROR_INVALID_PARAM, "eventCount");
}

static void all_tasks_of_a_device_are_aborted(void)
{
	aclrtLaunchKernelAttr attr = { ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, { .timeout = 0 } };
	aclrtLaunchKernelCfg cfg = { &attr, 1 };
	aclrtStream stream[4];
	uint64_t *p, args[1];

	FAILS(aclrtDeviceTaskAbort(0, 0), ACL_ERROR_RT_INVALID_DEVICEID, "does not use");
	start();
	p = dev_alloc(8);
	write_u64(p, 0);
	args[0] = U64(p);
	for (int i = 0; i < 4; i++) {
		stream[i] = i ? new_stream() : NULL;
		ACL(aclrtLaunchKernelWithHostArgs(op("run_for_ever"), 1, stream[i], &cfg, args, 8,
						  NULL, 0));
		LAUNCH(op("store"), 1, stream[i], U64(p), 1);
	}
	ACL(aclrtDeviceTaskAbort(0, 1000));
	for (int i = 0; i < 4; i++)
		ACL(aclrtSynchronizeStream(stream[i]));
	CHECK(read_u64(p) != 1);
	LAUNCH(op("store"), 1, stream[3], U64(p), 2);
	ACL(aclrtSynchronizeStream(stream[3]));
	CHECK_EQ(read_u64(p), 2);
	FAILS(aclrtDeviceTaskAbort(1, 0), ACL_ERROR_RT_INVALID_DEVICEID, "1");
	FAILS(aclrtDeviceTaskAbort(-1, 0), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
}

static struct {
	int32_t device;
	aclrtDeviceTaskAbortStage stage;
	uint32_t timeout;
	uint64_t completed;
} aborts[4];
static unsigned int abort_count;
static int32_t abort_result;

static int32_t note_abort(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void *args)
{
	CHECK_OP(abort_count, <, 4);
	aborts[abort_count].device = device;
	aborts[abort_count].stage = stage;
	aborts[abort_count].timeout = timeout;
	aborts[abort_count++].completed = aclrtStreamQuery(NULL, args) == ACL_SUCCESS &&
					  *(aclrtStreamStatus *)args == ACL_STREAM_STATUS_COMPLETE;
	return stage == ACL_RT_DEVICE_TASK_ABORT_PRE ? abort_result : 0;
}

static void hooks_around_aborts(void)
{
	aclrtStreamStatus status;
	char long_name[129];
	uint64_t *gate;

	start();
	memset(long_name, 'x', 128);
	long_name[128] = 0;
	FAILS(aclrtSetDeviceTaskAbortCallback(NULL, note_abort, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtSetDeviceTaskAbortCallback("", note_abort, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtSetDeviceTaskAbortCallback(long_name, note_abort, NULL),
	      ACL_ERROR_INVALID_PARAM, "128");
	FAILS(aclrtSetDeviceTaskAbortCallback("mine", NULL, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "none is registered");
	ACL(aclrtSetDeviceTaskAbortCallback("mine", note_abort, &status));
	FAILS(aclrtSetDeviceTaskAbortCallback("mine", note_abort, &status),
	      ACL_ERROR_RT_PARAM_INVALID, "'mine' already");
	gate = dev_alloc(8);
	write_u64(gate, 0);
	ACL(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, NULL));
	ACL(aclrtDeviceTaskAbort(0, 1234));
	CHECK_EQ(abort_count, 2);
	CHECK(aborts[0].stage == ACL_RT_DEVICE_TASK_ABORT_PRE && !aborts[0].completed);
	CHECK(aborts[1].stage == ACL_RT_DEVICE_TASK_ABORT_POST && aborts[1].completed);
	for (int i = 0; i < 2; i++)
		CHECK(!aborts[i].device && aborts[i].timeout == 1234);
	/* what it returns is told, and the tasks are aborted all the same */
	abort_result = 9;
	ACL(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, NULL));
	FAILS(aclrtDeviceTaskAbort(0, 0), ACL_ERROR_RT_INTERNAL_ERROR, "'mine' returned 9 before the abort of device 0");
	CHECK_EQ(abort_count, 4);
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtSetDeviceTaskAbortCallback("mine", NULL, NULL));
	ACL(aclrtDeviceTaskAbort(0, 0));
	CHECK_EQ(abort_count, 4);
	ACL(aclrtSetDeviceTaskAbortCallback("mine", note_abort, &status));
}

static void failures_in_detail(void)
{
	aclrtErrorInfo info;

	FAILS(aclrtGetErrorVerbose(0, &info), ACL_ERROR_RT_INVALID_DEVICEID, "does not use");
	start();
	ACL(aclrtGetErrorVerbose(0, &info));
	CHECK(info.errorType == ACL_RT_NO_ERROR && !info.hasDetail && !info.tryRepair);
	LAUNCH(op("illegal_instruction"), 1, NULL, 0);
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtGetErrorVerbose(0, &info));
	CHECK_EQ(info.errorType, ACL_RT_ERROR_AICORE);
	CHECK(info.hasDetail && !info.tryRepair);
	CHECK_EQ(info.detail.aicoreErrType, ACL_RT_AICORE_ERROR_SW);
	FAILS(aclrtGetErrorVerbose(0, NULL), ACL_ERROR_INVALID_PARAM, "errorInfo");
	FAILS(aclrtGetErrorVerbose(9, &info), ACL_ERROR_RT_INVALID_DEVICEID, "9");
}

/* Hooks ---------------------------------------------------------------------------------------- */

static char story[400];

static void note(const char *what, long a, long b)
{
	size_t used = strlen(story);

	snprintf(story + used, sizeof(story) - used, "%s%ld:%ld ", what, a, b);
}

static void on_device(int32_t id, aclrtDeviceState state, void *args)
{
	note(args, id, state);
}

static aclrtStream last_stream;

static void on_stream(aclrtStream stream, aclrtStreamState state, void *args)
{
	int32_t id;

	note(args, state, 0);
	last_stream = stream;
	/* it exists on either side, and the library may be used */
	ACL(aclrtStreamGetId(stream, &id));
}

static void hooks_around_devices(void)
{
	ACL(aclInit(NULL));
	ACL(aclrtRegDeviceStateCallback("one", on_device, "a"));
	ACL(aclrtRegDeviceStateCallback("two", on_device, "b"));
	ACL(aclrtSetDevice(0));
	CHECK(!strcmp(story, "a0:0 b0:0 a0:1 b0:1 "));
	story[0] = 0;
	/* the same name again replaces the hook; NULL ends it */
	ACL(aclrtRegDeviceStateCallback("one", on_device, "c"));
	ACL(aclrtRegDeviceStateCallback("two", NULL, NULL));
	ACL(aclrtResetDevice(0));
	CHECK(!strcmp(story, "c0:2 c0:3 "));
	story[0] = 0;
	/* what fails has no state after it */
	CHECK_EQ(aclrtSetDevice(5), ACL_ERROR_RT_INVALID_DEVICEID);
	CHECK(!strcmp(story, "c5:0 "));
	ACL(aclrtRegDeviceStateCallback("one", NULL, NULL));
	ACL(aclrtSetDevice(0));
	CHECK(!strcmp(story, "c5:0 "));
	FAILS(aclrtRegDeviceStateCallback("one", NULL, NULL), ACL_ERROR_RT_PARAM_INVALID, "one");
	FAILS(aclrtRegDeviceStateCallback(NULL, on_device, NULL), ACL_ERROR_INVALID_PARAM, "name");
	FAILS(aclrtRegDeviceStateCallback("", on_device, NULL), ACL_ERROR_INVALID_PARAM, "regName");
}

static void hooks_around_streams(void)
{
	char name[200];
	aclrtStream stream, other;

	start();
	ACL(aclrtRegStreamStateCallback("s", on_stream, "x"));
	stream = new_stream();
	CHECK(last_stream == stream);
	other = new_stream();
	ACL(aclrtDestroyStream(stream));
	CHECK(last_stream == stream);
	CHECK(!strcmp(story, "x1:0 x1:0 x2:0 "));
	ACL(aclrtRegStreamStateCallback("s", NULL, NULL));
	ACL(aclrtDestroyStreamForce(other));
	CHECK(last_stream == stream);
	memset(name, 'n', sizeof(name));
	name[199] = 0;
	FAILS(aclrtRegStreamStateCallback(name, on_stream, NULL), ACL_ERROR_INVALID_PARAM, "199");
	FAILS(aclrtRegStreamStateCallback(NULL, on_stream, NULL), ACL_ERROR_INVALID_PARAM, "name");
	FAILS(aclrtRegStreamStateCallback("s", NULL, NULL), ACL_ERROR_RT_PARAM_INVALID, "s");
}

static void what_the_device_cannot_have_says_why(void)
{
	start();
	FAILS(aclrtCmoWaitBarrier(NULL, NULL, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "memory is coherent");
}

TAP_MAIN(TEST(identity),
	 TEST(features),
	 TEST(what_has_no_effect_is_checked),
	 TEST(what_is_left),
	 TEST(all_tasks_of_a_device_are_aborted),
	 TEST(failures_in_detail),
	 TEST(hooks_around_aborts),
	 TEST(hooks_around_devices),
	 TEST(hooks_around_streams),
	 TEST(what_the_device_cannot_have_says_why))
