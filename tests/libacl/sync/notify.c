// SPDX-License-Identifier: MIT
/* Notifies, and those that count. */
#include "../acltest.h"

static void notify_passes_a_baton(void)
{
	aclrtNotify there, back;
	aclrtStream a, b;
	uint64_t *count;

	start();
	a = new_stream();
	b = new_stream();
	count = dev_alloc(8);
	write_u64(count, 0);
	ACL(aclrtCreateNotify(&there, ACL_NOTIFY_DEFAULT));
	ACL(aclrtCreateNotify(&back, ACL_NOTIFY_DEFAULT));
	for (int i = 0; i < 100; i++) {
		LAUNCH(op("increment"), 1, a, U64(count));
		ACL(aclrtRecordNotify(there, a));
		ACL(aclrtWaitAndResetNotify(back, a, 0));
		ACL(aclrtWaitAndResetNotify(there, b, 0));
		LAUNCH(op("increment"), 1, b, U64(count));
		ACL(aclrtRecordNotify(back, b));
	}
	ACL(aclrtSynchronizeStream(a));
	ACL(aclrtSynchronizeStream(b));
	CHECK_EQ(read_u64(count), 200);
	ACL(aclrtDestroyNotify(there));
	ACL(aclrtDestroyNotify(back));
}

static void notify_is_taken_once(void)
{
	aclrtStream stream;
	aclrtNotify notify;
	uint32_t id = 0;

	start();
	stream = new_stream();
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtGetNotifyId(notify, &id));
	ACL(aclrtRecordNotify(notify, NULL));
	ACL(aclrtWaitAndResetNotify(notify, stream, 0));
	ACL(aclrtSynchronizeStream(stream));
	/* The second wait has nothing to take: its limit of a second expires */
	ACL(aclrtWaitAndResetNotify(notify, stream, 1));
	CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "wait", NULL);
	ACL(aclrtDestroyNotify(notify));
	FAILS(aclrtRecordNotify(notify, stream), ACL_ERROR_RT_INVALID_HANDLE, "notify",
	      "destroyed");
	FAILS(aclrtDestroyNotify(NULL), ACL_ERROR_INVALID_PARAM, "notify");
	FAILS(aclrtCreateNotify(&notify, 77), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtRecordNotify(stream, stream), ACL_ERROR_RT_INVALID_HANDLE, "stream");
}

static void batch_reset_clears_all_or_none(void)
{
	aclrtNotify notify[3];
	aclrtStream stream;

	start();
	stream = new_stream();
	for (int i = 0; i < 3; i++) {
		ACL(aclrtCreateNotify(&notify[i], 0));
		ACL(aclrtRecordNotify(notify[i], NULL));
	}
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtNotifyBatchReset(notify, 2));
	ACL(aclrtWaitAndResetNotify(notify[2], stream, 0));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtWaitAndResetNotify(notify[0], stream, 1));
	CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
	ACL(aclrtRecordNotify(notify[0], NULL));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtDestroyNotify(notify[1]));
	FAILS(aclrtNotifyBatchReset(notify, 3), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	ACL(aclrtWaitAndResetNotify(notify[0], stream, 0));
	ACL(aclrtSynchronizeStream(stream));
	FAILS(aclrtNotifyBatchReset(NULL, 3), ACL_ERROR_INVALID_PARAM, "notifies");
	FAILS(aclrtNotifyBatchReset(notify, 0), ACL_ERROR_INVALID_PARAM, "num");
}

static aclrtCntNotify counter;
static aclrtStream waiter;

static void record(aclrtCntNotifyRecordMode mode, uint32_t value)
{
	aclrtCntNotifyRecordInfo info = { .mode = mode, .value = value };

	ACL(aclrtCntNotifyRecord(counter, NULL, &info));
	ACL(aclrtSynchronizeStream(NULL));
}

/* Whether a wait is satisfied by what the number is now */
static bool satisfied(aclrtCntNotifyWaitMode mode, uint32_t value, bool clear)
{
	aclrtCntNotifyWaitInfo info = { .mode = mode, .value = value, .timeout = 1, .isClear = clear };

	ACL(aclrtCntNotifyWaitWithTimeout(counter, waiter, &info));
	return aclrtSynchronizeStream(waiter) == ACL_SUCCESS;
}

static void count(void)
{
	start();
	waiter = new_stream();
	ACL(aclrtCntNotifyCreate(&counter, ACL_NOTIFY_DEFAULT));
}

static bool is_number(uint32_t value)
{
	return satisfied(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, value, false);
}

static void records_change_the_number(void)
{
	count();
	CHECK(is_number(0));
	record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0xfffffff0);
	CHECK(is_number(0xfffffff0));
	record(ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 0x1f);
	CHECK(is_number(0xf));
	record(ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 0x30);
	CHECK(is_number(0x3f));
	record(ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 0x14);
	CHECK(is_number(0x14));
	ACL(aclrtCntNotifyReset(counter, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK(is_number(0));
}

static void waits_compare_the_number(void)
{
	count();
	record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0x80000005);
	CHECK(satisfied(ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 0x80000006, false));
	CHECK(!satisfied(ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 0x80000005, false));
	CHECK(!satisfied(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 5, false));
	CHECK(satisfied(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 0x80000004, false));
	CHECK(!satisfied(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 0x80000005, false));
	CHECK(satisfied(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 0x80000005, false));
	CHECK(satisfied(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 0x7fffffff, false));
	CHECK(!satisfied(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 0x80000006, false));
	CHECK(satisfied(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 0x80000001, false));
	CHECK(!satisfied(ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 0x80000003, false));
	CHECK(satisfied(ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 1, true));
	CHECK(is_number(0));
}

static void count_joins_streams(void)
{
	aclrtCntNotifyRecordInfo one = { .mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, .value = 1 };
	aclrtCntNotifyWaitInfo four = { .mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 4 };
	uint64_t *word;

	count();
	word = dev_alloc(32);
	for (int i = 0; i < 4; i++)
		write_u64(word + i, 0);
	ACL(aclrtCntNotifyWaitWithTimeout(counter, waiter, &four));
	LAUNCH(op("increment"), 1, waiter, U64(word));
	for (int i = 0; i < 4; i++) {
		aclrtStream s = new_stream();

		CHECK_EQ(read_u64(word), 0);
		ACL(aclrtCntNotifyRecord(counter, s, &one));
		ACL(aclrtSynchronizeStream(s));
	}
	ACL(aclrtSynchronizeStream(waiter));
	CHECK_EQ(read_u64(word), 1);
}

/* A notify says that something was, and not how often */
static void two_records_are_one(void)
{
	aclrtStream stream;
	aclrtNotify notify;
	uint32_t id = 0, next = 0;

	start();
	stream = new_stream();
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtGetNotifyId(notify, &id));
	for (int i = 0; i < 3; i++)
		ACL(aclrtRecordNotify(notify, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtWaitAndResetNotify(notify, stream, 30));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtWaitAndResetNotify(notify, stream, 1));
	CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
	ACL(aclrtDestroyNotify(notify));
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtGetNotifyId(notify, &next));
	CHECK(next != id);
	FAILS(aclrtGetNotifyId(notify, NULL), ACL_ERROR_INVALID_PARAM, "notifyId");
}

static bool stands(aclrtStream stream)
{
	aclrtStreamStatus status;

	usleep(60000);
	ACL(aclrtStreamQuery(stream, &status));
	return status == ACL_STREAM_STATUS_NOT_READY;
}

/* 4295 s are more than 32 bits of microseconds */
static void long_limits(void)
{
	aclrtCntNotifyWaitInfo wait = { .mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 1, .timeout = 4295 };
	aclrtNotify notify;
	aclrtStream stream;

	count();
	stream = new_stream();
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtWaitAndResetNotify(notify, stream, 4295));
	ACL(aclrtCntNotifyWaitWithTimeout(counter, waiter, &wait));
	CHECK(stands(stream) && stands(waiter));
	ACL(aclrtRecordNotify(notify, NULL));
	record(ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 1);
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtSynchronizeStream(waiter));
}

static void counting_notifies_are_checked(void)
{
	aclrtCntNotifyRecordInfo info = { .mode = (aclrtCntNotifyRecordMode)3 };
	aclrtCntNotifyWaitInfo wait = { .mode = (aclrtCntNotifyWaitMode)5 };
	uint32_t id = 0, other = 0;
	aclrtNotify plain;

	FAILS(aclrtCntNotifyCreate(&counter, 0), ACL_ERROR_RT_CONTEXT_NULL);
	count();
	ACL(aclrtCreateNotify(&plain, 0));
	ACL(aclrtCntNotifyGetId(counter, &id));
	ACL(aclrtGetNotifyId(plain, &other));
	CHECK(id != other);
	FAILS(aclrtCntNotifyRecord(counter, NULL, &info), ACL_ERROR_INVALID_PARAM, "3");
	FAILS(aclrtCntNotifyRecord(counter, NULL, NULL), ACL_ERROR_INVALID_PARAM, "info");
	FAILS(aclrtCntNotifyWaitWithTimeout(counter, NULL, &wait), ACL_ERROR_INVALID_PARAM, "5");
	FAILS(aclrtCntNotifyWaitWithTimeout(counter, NULL, NULL), ACL_ERROR_INVALID_PARAM, "info");
	wait = (aclrtCntNotifyWaitInfo){ .isClear = 2 };
	FAILS(aclrtCntNotifyWaitWithTimeout(counter, NULL, &wait), ACL_ERROR_INVALID_PARAM,
	      "isClear");
	FAILS(aclrtCntNotifyReset(plain, NULL), ACL_ERROR_RT_INVALID_HANDLE, "cntNotify", "a notify");
	FAILS(aclrtRecordNotify(counter, NULL), ACL_ERROR_RT_INVALID_HANDLE, "a counting notify");
	FAILS(aclrtCntNotifyGetId(counter, NULL), ACL_ERROR_INVALID_PARAM, "notifyId");
	FAILS(aclrtCntNotifyCreate(NULL, 0), ACL_ERROR_INVALID_PARAM, "cntNotify");
	FAILS(aclrtCntNotifyCreate(&plain, ACL_NOTIFY_DEVICE_USE_ONLY),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	ACL(aclrtCntNotifyDestroy(counter));
	FAILS(aclrtCntNotifyDestroy(counter), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	FAILS(aclrtCntNotifyDestroy(NULL), ACL_ERROR_INVALID_PARAM, "cntNotify");
	/* the name of the function has the word, too */
	FAILS(aclrtCntNotifyDestroy(NULL), ACL_ERROR_INVALID_PARAM, ": cntNotify is NULL");
	FAILS(aclrtRecordNotify(NULL, NULL), ACL_ERROR_INVALID_PARAM, ": notify is NULL");
	FAILS(aclrtDestroyNotify(NULL), ACL_ERROR_INVALID_PARAM, ": notify is NULL");
}

TAP_MAIN(TEST(notify_passes_a_baton),
	 TEST(notify_is_taken_once),
	 TEST(batch_reset_clears_all_or_none),
	 TEST(records_change_the_number),
	 TEST(waits_compare_the_number),
	 TEST(count_joins_streams),
	 TEST(two_records_are_one), TEST(long_limits),
	 TEST(counting_notifies_are_checked))
