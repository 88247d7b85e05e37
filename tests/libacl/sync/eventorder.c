// SPDX-License-Identifier: MIT
/* Events that are recorded, waited for and reset while earlier records have not run. */
#include "../acltest.h"

static int recorded(aclrtEvent event)
{
	aclrtEventRecordedStatus status = 99;

	ACL(aclrtQueryEventStatus(event, &status));
	return (int)status;
}

static int runs(aclrtStream stream)
{
	aclrtStreamStatus status = 99;

	ACL(aclrtStreamQuery(stream, &status));
	return status == ACL_STREAM_STATUS_NOT_READY;
}

static aclrtEvent new_event(bool rerecord)
{
	aclrtEvent event = NULL;

	if (rerecord)
		ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
	else
		ACL(aclrtCreateEvent(&event));
	return event;
}

/* The producer may be a record ahead of the consumer's reset */
static void a_reset_does_not_undo_a_later_record(void)
{
	aclrtStream producer, consumer;
	uint64_t *word, *gate;
	aclrtEvent event;

	start();
	producer = new_stream();
	consumer = new_stream();
	event = new_event(false);
	word = pinned_alloc(8);
	*word = 0;
	gate = close_host_gate(consumer);
	for (int i = 0; i < 3; i++) {
		ACL(aclrtRecordEvent(event, producer));
		ACL(aclrtStreamWaitEvent(consumer, event));
		ACL(aclrtResetEvent(event, consumer));
		LAUNCH(op("increment"), 1, consumer, U64(word));
	}
	ACL(aclrtSynchronizeStream(producer));
	open_host_gate(gate);
	ACL(aclrtSynchronizeStreamWithTimeout(consumer, 30000));
	CHECK_EQ(*word, 3);
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
}

static void an_event_is_complete_until_its_reset_has_run(void)
{
	aclrtEvent event;
	uint64_t *gate;

	start();
	event = new_event(false);
	ACL(aclrtRecordEvent(event, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	gate = close_host_gate(NULL);
	ACL(aclrtResetEvent(event, NULL));
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
}

static void a_later_record_elsewhere_does_not_satisfy_a_wait(void)
{
	aclrtStream first, second, waiter;
	aclrtEvent event;
	uint64_t *gate;

	start();
	first = new_stream();
	second = new_stream();
	waiter = new_stream();
	for (int rerecord = 0; rerecord < 2; rerecord++) {
		event = new_event(rerecord);
		gate = close_host_gate(first);
		ACL(aclrtRecordEvent(event, first));
		ACL(aclrtStreamWaitEvent(waiter, event));
		ACL(aclrtRecordEvent(event, second));
		ACL(aclrtSynchronizeStream(second));
		FAILS(aclrtSynchronizeStreamWithTimeout(waiter, 20),
		      ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
		CHECK(runs(waiter));
		open_host_gate(gate);
		ACL(aclrtSynchronizeStreamWithTimeout(waiter, 30000));
		ACL(aclrtDestroyEvent(event));
	}
}

static void an_older_record_that_runs_last_changes_nothing(void)
{
	uint64_t before = 0, after = 0, *gate;
	aclrtStream first, second, waiter;
	aclrtEvent event;

	start();
	first = new_stream();
	second = new_stream();
	waiter = new_stream();
	event = new_event(true);
	gate = close_host_gate(first);
	ACL(aclrtRecordEvent(event, first));
	ACL(aclrtRecordEvent(event, second));
	ACL(aclrtSynchronizeEvent(event));
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
	ACL(aclrtEventGetTimestamp(event, &before));
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(first));
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
	ACL(aclrtEventGetTimestamp(event, &after));
	CHECK_EQ(before, after);
	ACL(aclrtStreamWaitEvent(waiter, event));
	ACL(aclrtSynchronizeStreamWithTimeout(waiter, 30000));
}

/* A wait behind a reset is for the next record, not for the one that was reset and has not run */
static void a_wait_behind_a_reset_is_for_the_next_record(void)
{
	aclrtEventWaitStatus status;
	aclrtStream first, second, waiter;
	aclrtEvent event;
	uint64_t *gate;

	start();
	first = new_stream();
	second = new_stream();
	waiter = new_stream();
	event = new_event(false);
	gate = close_host_gate(first);
	ACL(aclrtRecordEvent(event, first));
	ACL(aclrtResetEvent(event, second));
	ACL(aclrtStreamWaitEvent(waiter, event));
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(first));
	CHECK(runs(waiter));
	gate = close_host_gate(first);
	ACL(aclrtRecordEvent(event, first));
	ACL(aclrtRecordEvent(event, second));
	ACL(aclrtSynchronizeStream(second));
	CHECK(runs(waiter));
	ACL(aclrtQueryEventWaitStatus(event, &status));
	CHECK_EQ(status, ACL_EVENT_WAIT_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStreamWithTimeout(waiter, 30000));
	ACL(aclrtQueryEventWaitStatus(event, &status));
	CHECK_EQ(status, ACL_EVENT_WAIT_STATUS_COMPLETE);
}

/* One event, recorded and waited for in turn by streams that are all busy */
static void an_event_may_order_many_streams(void)
{
	enum { STREAMS = 5, ROUNDS = 200 };
	aclrtStream stream[STREAMS];
	aclrtEvent event;
	uint64_t *word;

	start();
	event = new_event(true);
	word = pinned_alloc(8);
	*word = 0;
	for (int i = 0; i < STREAMS; i++)
		stream[i] = new_stream();
	for (int i = 0; i < ROUNDS; i++) {
		LAUNCH(op("increment"), 1, stream[i % STREAMS], U64(word));
		ACL(aclrtRecordEvent(event, stream[i % STREAMS]));
		ACL(aclrtStreamWaitEvent(stream[(i + 1) % STREAMS], event));
	}
	ACL(aclrtSynchronizeStream(stream[ROUNDS % STREAMS]));
	CHECK_EQ(*word, ROUNDS);
	ACL(aclrtDestroyEvent(event));
}

TAP_MAIN(TEST(a_reset_does_not_undo_a_later_record),
	 TEST(an_event_is_complete_until_its_reset_has_run),
	 TEST(a_later_record_elsewhere_does_not_satisfy_a_wait),
	 TEST(an_older_record_that_runs_last_changes_nothing),
	 TEST(a_wait_behind_a_reset_is_for_the_next_record),
	 TEST(an_event_may_order_many_streams))
