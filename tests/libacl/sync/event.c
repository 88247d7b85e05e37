// SPDX-License-Identifier: MIT
/* Events: three ways to create them with three behaviours, order between streams, time. */
#include <pthread.h>

#include "../acltest.h"

static aclrtEvent new_event(void)
{
	aclrtEvent event = NULL;

	ACL(aclrtCreateEvent(&event));
	CHECK(event);
	return event;
}

static aclrtEvent event_with(uint32_t flag)
{
	aclrtEvent event = NULL;

	ACL(aclrtCreateEventWithFlag(&event, flag));
	return event;
}

static aclrtEvent event_ex(uint32_t flag)
{
	aclrtEvent event = NULL;

	ACL(aclrtCreateEventExWithFlag(&event, flag));
	return event;
}

static int recorded(aclrtEvent event)
{
	aclrtEventRecordedStatus status = 99;

	ACL(aclrtQueryEventStatus(event, &status));
	return (int)status;
}

static void bad_arguments(void)
{
	aclrtEvent event;
	float ms;

	start();
	FAILS(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM, "event");
	FAILS(aclrtCreateEventWithFlag(&event, 0x80000000), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC),
	      ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtDestroyEvent(NULL), ACL_ERROR_INVALID_PARAM, "event");
	FAILS(aclrtDestroyEvent(&event), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtRecordEvent(new_stream(), NULL), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtRecordEvent(NULL, NULL), ACL_ERROR_INVALID_PARAM, "event");
	FAILS(aclrtStreamWaitEvent(NULL, NULL), ACL_ERROR_INVALID_PARAM, "event");
	FAILS(aclrtSynchronizeEvent(NULL), ACL_ERROR_INVALID_PARAM, "event");
	FAILS(aclrtQueryEventStatus(NULL, NULL), ACL_ERROR_INVALID_PARAM);
	event = new_event();
	FAILS(aclrtEventElapsedTime(NULL, event, event), ACL_ERROR_INVALID_PARAM, "ms");
	FAILS(aclrtEventElapsedTime(&ms, NULL, event), ACL_ERROR_INVALID_PARAM, "startEvent");
	FAILS(aclrtEventElapsedTime(&ms, event, NULL), ACL_ERROR_INVALID_PARAM, "endEvent");
	ACL(aclrtDestroyEvent(event));
	FAILS(aclrtRecordEvent(event, NULL), ACL_ERROR_RT_INVALID_HANDLE, "event");
	FAILS(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE, "event");
}

static void a_record_completes_behind_what_was_queued(void)
{
	aclrtStream stream;
	aclrtEvent event;
	uint64_t *word, *gate;

	start();
	stream = new_stream();
	event = new_event();
	word = pinned_alloc(8);
	*word = 0;
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
	gate = close_host_gate(stream);
	LAUNCH(op("spin_then_store"), 1, stream, 300000, U64(word), 1);
	ACL(aclrtRecordEvent(event, stream));
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeEvent(event));
	CHECK_EQ(*word, 1);
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

static void the_old_query_has_the_opposite_numbers(void)
{
	aclrtEventStatus status;
	aclrtEvent event;
	uint64_t *gate;

	start();
	event = new_event();
	gate = close_host_gate(NULL);
	ACL(aclrtRecordEvent(event, NULL));
	ACL(aclrtQueryEvent(event, &status));
	CHECK_EQ(status, ACL_EVENT_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtQueryEvent(event, &status));
	CHECK_EQ(status, ACL_EVENT_STATUS_COMPLETE);
}

/* Both queries agree; the second time the answer may come from what the first one has found */
static bool is_complete(aclrtEvent event, bool plain)
{
	aclrtEventStatus old;
	bool done = false;

	for (int i = 0; i < 3; i++) {
		done = recorded(event) == ACL_EVENT_RECORDED_STATUS_COMPLETE;
		if (plain) {
			ACL(aclrtQueryEvent(event, &old));
			CHECK_EQ(old == ACL_EVENT_STATUS_COMPLETE, done);
		}
	}
	return done;
}

/* Records, resets, recordings and the event's end change what queries say, however often it was complete before */
static void queries_follow_each_change(void)
{
	aclrtEvent events[2];
	aclrtStream stream, side;
	aclmdlRI graph;
	uint64_t *gate;

	start();
	stream = new_stream();
	side = new_stream();
	events[0] = new_event();
	events[1] = event_ex(ACL_EVENT_SYNC);
	for (int round = 0; round < 6; round++) {
		aclrtEvent event = events[round % 2];
		bool plain = round % 2 == 0;

		gate = close_host_gate(stream);
		ACL(aclrtRecordEvent(event, stream));
		CHECK(!is_complete(event, plain));
		open_host_gate(gate);
		ACL(aclrtSynchronizeStream(stream));
		CHECK(is_complete(event, plain));
		if (!plain) {
			FAILS(aclrtQueryEvent(event, &(aclrtEventStatus){ 0 }), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
			continue;
		}
		gate = close_host_gate(stream);
		ACL(aclrtResetEvent(event, stream));
		CHECK(is_complete(event, plain));
		open_host_gate(gate);
		ACL(aclrtSynchronizeStream(stream));
		CHECK(!is_complete(event, plain));
		ACL(aclrtRecordEvent(event, side));
		ACL(aclrtSynchronizeStream(side));
		CHECK(is_complete(event, plain));
	}
	for (int i = 0; i < 2; i++) {
		ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
		ACL(aclrtRecordEvent(events[i], stream));
		FAILS(aclrtQueryEventStatus(events[i], &(aclrtEventRecordedStatus){ 0 }), ACL_ERROR_RT_EVENT_CAPTURED);
		FAILS(aclmdlRICaptureEnd(stream, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
		ACL(aclrtRecordEvent(events[i], stream));
		ACL(aclrtSynchronizeStream(stream));
		CHECK(is_complete(events[i], i == 0));
		ACL(aclrtDestroyEvent(events[i]));
		FAILS(aclrtQueryEventStatus(events[i], &(aclrtEventRecordedStatus){ 0 }), ACL_ERROR_RT_INVALID_HANDLE,
		      "destroyed");
	}
}

static void a_stream_waits_for_another(void)
{
	aclrtStream producer, consumer;
	aclrtEvent event;
	uint64_t *words;

	start();
	producer = new_stream();
	consumer = new_stream();
	words = pinned_alloc(16);
	for (uint64_t i = 0; i < 20; i++) {
		event = new_event();
		memset(words, 0, 16);
		LAUNCH(op("spin_then_store"), 1, producer, 20000, U64(&words[0]), i + 5);
		ACL(aclrtRecordEvent(event, producer));
		ACL(aclrtStreamWaitEvent(consumer, event));
		LAUNCH(op("load_store"), 1, consumer, U64(&words[1]), U64(&words[0]));
		ACL(aclrtSynchronizeStream(consumer));
		CHECK_EQ(words[1], i + 5);
		ACL(aclrtDestroyEvent(event));
	}
}

static void many_streams_wait_for_one(void)
{
	enum { N = 20 };
	aclrtStream producer, consumer[N];
	uint64_t *words;
	aclrtEvent event;

	start();
	producer = new_stream();
	words = pinned_alloc(8 * (N + 1));
	memset(words, 0, 8 * (N + 1));
	event = new_event();
	LAUNCH(op("spin_then_store"), 1, producer, 200000, U64(&words[N]), 9);
	ACL(aclrtRecordEvent(event, producer));
	for (int i = 0; i < N; i++) {
		consumer[i] = new_stream();
		ACL(aclrtStreamWaitEvent(consumer[i], event));
		LAUNCH(op("load_store"), 1, consumer[i], U64(&words[i]), U64(&words[N]));
	}
	for (int i = 0; i < N; i++) {
		ACL(aclrtSynchronizeStream(consumer[i]));
		CHECK_EQ(words[i], 9);
	}
}

/* create, record, wait, reset, and again: the pattern of the older documents */
static void record_wait_reset_can_be_repeated(void)
{
	aclrtStream producer, consumer;
	aclrtEvent event;
	uint64_t *words;

	start();
	producer = new_stream();
	consumer = new_stream();
	event = new_event();
	words = pinned_alloc(16);
	memset(words, 0, 16);
	for (uint64_t i = 1; i <= 20; i++) {
		LAUNCH(op("spin_then_store"), 1, producer, 5000, U64(&words[0]), i);
		ACL(aclrtRecordEvent(event, producer));
		ACL(aclrtStreamWaitEvent(consumer, event));
		ACL(aclrtResetEvent(event, consumer));
		LAUNCH(op("load_store"), 1, consumer, U64(&words[1]), U64(&words[0]));
		ACL(aclrtSynchronizeStream(consumer));
		CHECK_EQ(words[1], i);
	}
}

static void without_sync_nobody_waits_or_resets(void)
{
	aclrtEventWaitStatus status;
	aclrtEvent event;

	start();
	event = event_with(ACL_EVENT_TIME_LINE);
	ACL(aclrtRecordEvent(event, NULL));
	CHECK(aclrtStreamWaitEvent(new_stream(), event) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "ACL_EVENT_SYNC", NULL);
	FAILS(aclrtResetEvent(event, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "ACL_EVENT_SYNC");
	FAILS(aclrtQueryEventWaitStatus(event, &status), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "ACL_EVENT_SYNC");
	event = event_with(ACL_EVENT_CAPTURE_STREAM_PROGRESS);
	FAILS(aclrtQueryEventWaitStatus(event, &status), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "ACL_EVENT_SYNC");
	event = event_ex(ACL_EVENT_TIME_LINE);
	ACL(aclrtRecordEvent(event, NULL));
	FAILS(aclrtStreamWaitEvent(new_stream(), event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "ACL_EVENT_SYNC");
	ACL(aclrtSynchronizeEvent(event));
	/* one for other processes is made for nothing else than waiting, and has this flag alone */
	event = event_ex(ACL_EVENT_IPC);
	ACL(aclrtRecordEvent(event, NULL));
	ACL(aclrtStreamWaitEvent(new_stream(), event));
}

static void ex_events_are_complete_until_recorded(void)
{
	aclrtEventStatus old;
	aclrtEventWaitStatus wait;
	aclrtEvent event;

	start();
	event = event_ex(ACL_EVENT_SYNC);
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
	ACL(aclrtSynchronizeEvent(event));
	FAILS(aclrtResetEvent(event, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	FAILS(aclrtQueryEvent(event, &old), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	CHECK(aclrtQueryEventWaitStatus(event, &wait) != ACL_SUCCESS);
	CHECK(aclGetRecentErrMsg());
}

static void ex_waits_bind_to_the_latest_record(void)
{
	aclrtStream a, b, waiter;
	aclrtEvent event;
	uint64_t *words, *gate;

	start();
	a = new_stream();
	b = new_stream();
	waiter = new_stream();
	words = pinned_alloc(24);
	memset(words, 0, 24);
	event = event_ex(ACL_EVENT_SYNC);
	/* The wait is for the first record; the second, which comes afterwards, does not matter */
	LAUNCH(op("spin_then_store"), 1, a, 100000, U64(&words[0]), 1);
	ACL(aclrtRecordEvent(event, a));
	ACL(aclrtStreamWaitEvent(waiter, event));
	LAUNCH(op("load_store"), 1, waiter, U64(&words[2]), U64(&words[0]));
	gate = close_host_gate(b);
	LAUNCH(op("store"), 1, b, U64(&words[1]), 1);
	ACL(aclrtRecordEvent(event, b));
	ACL(aclrtSynchronizeStream(waiter));
	CHECK_EQ(words[2], 1);
	CHECK_EQ(words[1], 0);
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeEvent(event));
	CHECK_EQ(words[1], 1);
}

static void a_wait_before_any_record_of_an_ex_event_passes(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	ACL(aclrtStreamWaitEvent(stream, event_ex(ACL_EVENT_SYNC)));
	ACL(aclrtSynchronizeStream(stream));
}

/*
 * Kernels read the device's clock before and after what the events stand around: how fast the clocks of
 * the emulated machine go, and how long other programs keep it from running, does not matter
 */
static void elapsed_time_is_what_ran_between(void)
{
	aclrtEvent a, b;
	uint64_t *times;
	float ms = -1;

	start();
	times = pinned_alloc(16);
	a = new_event();
	b = new_event();
	LAUNCH(op("store_time"), 1, NULL, U64(&times[0]));
	ACL(aclrtRecordEvent(a, NULL));
	LAUNCH(op("spin_then_store"), 1, NULL, 250000, U64(dev_alloc(8)), 1);
	ACL(aclrtRecordEvent(b, NULL));
	LAUNCH(op("store_time"), 1, NULL, U64(&times[1]));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtEventElapsedTime(&ms, a, b));
	/* a float has 24 bits, so that a long time is rounded by a microsecond or more */
	if (ms < 250 || ms > (double)(times[1] - times[0]) / 1e6 * 1.000001)
		FAIL("250 ms inside of %g ms took %g ms", (double)(times[1] - times[0]) / 1e6, (double)ms);
	FAILS(aclrtEventElapsedTime(&ms, b, a), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);
}

static void time_stamps_need_a_record_and_the_flag(void)
{
	aclrtEvent plain, no_time;
	uint64_t stamp, later, *time;
	aclError err;
	float ms;

	start();
	time = pinned_alloc(8);
	plain = new_event();
	no_time = event_with(ACL_EVENT_SYNC);
	err = aclrtEventElapsedTime(&ms, plain, plain);
	CHECK(err == ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID || err == ACL_ERROR_RT_INTERNAL_ERROR);
	check_facts(aclGetRecentErrMsg(), "record", NULL);
	ACL(aclrtRecordEvent(no_time, NULL));
	ACL(aclrtRecordEvent(plain, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	FAILS(aclrtEventGetTimestamp(no_time, &stamp), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
	      "ACL_EVENT_TIME_LINE");
	ACL(aclrtEventGetTimestamp(plain, &stamp));
	ACL(aclrtResetEvent(plain, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	FAILS(aclrtEventElapsedTime(&ms, plain, plain), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
	      "reset", "record it again");
	plain = new_event();
	LAUNCH(op("store_time"), 1, NULL, U64(time));
	ACL(aclrtRecordEvent(plain, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtEventGetTimestamp(plain, &later));
	/* microseconds, by the clock that the kernel has read between the two records */
	CHECK_OP(stamp, <=, *time / 1000);
	CHECK_OP(later, >=, *time / 1000);
}

static void destroy_does_not_wait_and_releases_waiters(void)
{
	aclrtStream producer, consumer;
	uint64_t *words, *gate;
	aclrtEvent event;

	start();
	producer = new_stream();
	consumer = new_stream();
	words = pinned_alloc(16);
	memset(words, 0, 16);
	event = new_event();
	gate = close_host_gate(producer);
	LAUNCH(op("store"), 1, producer, U64(&words[0]), 3);
	ACL(aclrtRecordEvent(event, producer));
	ACL(aclrtStreamWaitEvent(consumer, event));
	LAUNCH(op("load_store"), 1, consumer, U64(&words[1]), U64(&words[0]));
	ACL(aclrtDestroyEvent(event)); /* with the gate closed: if it waited, it would for ever */
	CHECK_EQ(words[0], 0);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(consumer));
	CHECK_EQ(words[1], 3);
}

/* Streams wait for records that nobody will call for: their waits end with the events. */
static void a_reset_releases_streams_that_wait(void)
{
	start();
	ACL(aclrtStreamWaitEvent(NULL, new_event()));
	ACL(aclrtStreamWaitEvent(new_stream(), new_event()));
	ACL(aclrtResetDevice(0));
	ACL(aclrtSetDevice(0));
	ACL(aclrtStreamWaitEvent(new_stream(), new_event()));
	ACL(aclFinalize());
}

static void synchronize_with_timeout(void)
{
	aclrtEvent event;
	uint64_t before, *gate;

	start();
	event = new_event();
	gate = close_host_gate(NULL);
	ACL(aclrtRecordEvent(event, NULL));
	before = tap_ms();
	FAILS(aclrtSynchronizeEventWithTimeout(event, 200), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
	CHECK_OP(tap_ms() - before, >=, 200);
	CHECK_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeEventWithTimeout(event, -1));
	FAILS(aclrtSynchronizeEventWithTimeout(event, 0), ACL_ERROR_INVALID_PARAM, "timeout");
}

struct waiter {
	aclrtEvent event;
	atomic_int begun;
	atomic_int recorded;
	int early;
	aclError ret;
	char text[512];
};

static void *wait_in_thread(void *arg)
{
	struct waiter *w = arg;
	const char *msg;

	ACL(aclrtSetDevice(0));
	atomic_store(&w->begun, 1);
	w->ret = aclrtSynchronizeEvent(w->event);
	w->early = !atomic_load(&w->recorded);
	msg = aclGetRecentErrMsg();
	snprintf(w->text, sizeof(w->text), "%s", msg ? msg : "");
	return NULL;
}

/* Comes back when the thread had a good chance to be asleep */
static pthread_t start_waiter(struct waiter *w)
{
	pthread_t thread;

	atomic_init(&w->begun, 0);
	atomic_init(&w->recorded, 0);
	w->early = 0;
	CHECK_EQ(pthread_create(&thread, NULL, wait_in_thread, w), 0);
	wait_for(&w->begun, 1);
	usleep(100000);
	return thread;
}

/* As long as aclrtQueryEvent() says not ready, aclrtSynchronizeEvent() waits */
static void synchronize_waits_for_a_record(void)
{
	struct waiter w = { .event = NULL };
	aclrtEventStatus status;
	pthread_t thread;

	start();
	w.event = new_event();
	for (int round = 0; round < 2; round++) {
		ACL(aclrtQueryEvent(w.event, &status));
		CHECK_EQ(status, ACL_EVENT_STATUS_NOT_READY);
		FAILS(aclrtSynchronizeEventWithTimeout(w.event, 20),
		      ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "no record", "aclrtRecordEvent");
		thread = start_waiter(&w);
		atomic_store(&w.recorded, 1);
		LAUNCH(op("spin_then_store"), 1, NULL, 20000, U64(pinned_alloc(8)), 1);
		ACL(aclrtRecordEvent(w.event, NULL));
		pthread_join(thread, NULL);
		CHECK_EQ(w.ret, ACL_SUCCESS);
		CHECK(!w.early);
		CHECK_EQ(recorded(w.event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
		ACL(aclrtResetEvent(w.event, NULL));
		ACL(aclrtSynchronizeStream(NULL));
	}
	FAILS(aclrtSynchronizeEventWithTimeout(w.event, 1), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
	      "since its reset");
}

/* Nobody is left behind in a wait that cannot end */
static void what_ends_a_wait_without_a_record(void)
{
	struct waiter w = { .event = NULL };
	pthread_t thread;

	start();
	w.event = new_event();
	thread = start_waiter(&w);
	atomic_store(&w.recorded, 1);
	ACL(aclrtDestroyEvent(w.event));
	pthread_join(thread, NULL);
	CHECK_EQ(w.ret, ACL_ERROR_RT_INVALID_HANDLE);
	CHECK(!w.early);
	check_facts(w.text, "destroyed", NULL);
	w.event = new_event();
	thread = start_waiter(&w);
	CHECK_EQ(pthread_cancel(thread), 0);
	pthread_join(thread, NULL);
	ACL(aclrtRecordEvent(w.event, NULL)); /* the thread has left no lock behind */
	ACL(aclrtSynchronizeEvent(w.event));
	w.event = new_event();
	thread = start_waiter(&w);
	atomic_store(&w.recorded, 1);
	ACL(aclrtResetDeviceForce(0));
	pthread_join(thread, NULL);
	CHECK(!w.early);
	CHECK_EQ(w.ret, ACL_ERROR_RT_INVALID_HANDLE);
}

static void a_wait_that_is_never_met_runs_into_its_limit(void)
{
	aclrtStream stream;
	uint64_t before;
	aclError err;

	start();
	stream = new_stream();
	before = tap_ms();
	/* never recorded: seconds */
	ACL(aclrtStreamWaitEventWithTimeout(stream, new_event(), 1));
	err = aclrtSynchronizeStream(stream);
	CHECK(err != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "wait", NULL);
	CHECK_OP(tap_ms() - before, >=, DEVICE_MS(1000));
	ACL(aclrtSynchronizeStream(stream));
}

static void many_events(void)
{
	enum { N = 3000 };
	aclrtEvent *event = host_alloc(N * sizeof(*event));

	start();
	for (int i = 0; i < N; i++) {
		event[i] = new_event();
		ACL(aclrtRecordEvent(event[i], NULL));
	}
	ACL(aclrtSynchronizeStream(NULL));
	for (int i = 0; i < N; i++) {
		CHECK_EQ(recorded(event[i]), ACL_EVENT_RECORDED_STATUS_COMPLETE);
		ACL(aclrtDestroyEvent(event[i]));
	}
}

/* A record that is queued is waited for even if the event was reset since, and is gone */
static void a_record_that_is_queued_outlives_its_event(void)
{
	aclrtStreamStatus status;
	aclrtStream a, b, c;
	aclrtEvent event;
	uint64_t *gate;

	start();
	a = new_stream();
	b = new_stream();
	c = new_stream();
	event = new_event();
	gate = close_host_gate(a);
	ACL(aclrtRecordEvent(event, a));
	ACL(aclrtStreamWaitEvent(b, event));
	ACL(aclrtResetEvent(event, c));
	ACL(aclrtSynchronizeStream(c));
	ACL(aclrtDestroyEvent(event));
	usleep(20000);
	ACL(aclrtStreamQuery(b, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(b));
}

/* Limits that are longer than 32 bits of microseconds, and what is no limit */
static void limits_of_waits(void)
{
	aclrtStreamStatus status;
	aclrtStream a, b;
	aclrtEvent event;

	start();
	a = new_stream();
	b = new_stream();
	event = new_event();
	FAILS(aclrtStreamWaitEventWithTimeout(b, event, -1), ACL_ERROR_INVALID_PARAM, "timeout", "-1");
	ACL(aclrtStreamWaitEventWithTimeout(b, event, 4295));
	usleep(100000);
	ACL(aclrtStreamQuery(b, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	ACL(aclrtRecordEvent(event, a));
	ACL(aclrtSynchronizeStream(b));
}

/* Two streams hand a counter to each other: a lost wake-up or a reordering would show */
static void ping_pong(void)
{
	enum { ROUNDS = 300 };
	aclrtStream stream[2];
	uint64_t *word;

	start();
	stream[0] = new_stream();
	stream[1] = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	for (int i = 0; i < ROUNDS; i++) {
		aclrtEvent event = event_ex(ACL_EVENT_SYNC);

		LAUNCH(op("increment"), 1, stream[i % 2], U64(word));
		ACL(aclrtRecordEvent(event, stream[i % 2]));
		ACL(aclrtStreamWaitEvent(stream[1 - i % 2], event));
		ACL(aclrtDestroyEvent(event));
	}
	ACL(aclrtSynchronizeStream(stream[ROUNDS % 2]));
	CHECK_EQ(*word, ROUNDS);
}

/* The reset waits in the stream, and there was never a record that could count meanwhile */
static void a_reset_without_a_record_completes_nothing(void)
{
	aclrtEventRecordedStatus recorded;
	aclrtEventStatus status;
	aclrtStream stream;
	aclrtEvent event;
	uint64_t *gate;

	start();
	stream = new_stream();
	event = new_event();
	gate = close_host_gate(stream);
	ACL(aclrtResetEvent(event, stream));
	ACL(aclrtQueryEventStatus(event, &recorded));
	CHECK_EQ(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
	ACL(aclrtQueryEvent(event, &status));
	CHECK_EQ(status, ACL_EVENT_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtQueryEventStatus(event, &recorded));
	CHECK_EQ(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
}

/* Milliseconds and microseconds of the same two stamps: a unit of 1000 and not 1024 */
static void time_stamps_agree_with_elapsed_time(void)
{
	uint64_t from, to;
	aclrtEvent a, b;
	double us;
	float ms;

	start();
	a = new_event();
	b = new_event();
	ACL(aclrtRecordEvent(a, NULL));
	LAUNCH(op("spin_then_store"), 1, NULL, 300000, U64(dev_alloc(8)), 1);
	ACL(aclrtRecordEvent(b, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtEventElapsedTime(&ms, a, b));
	ACL(aclrtEventGetTimestamp(a, &from));
	ACL(aclrtEventGetTimestamp(b, &to));
	us = (double)(to - from);
	if (us < (double)ms * 999 || us > (double)ms * 1001)
		FAIL("%g ms and %g us", (double)ms, us);
}

TAP_MAIN(TEST(bad_arguments), TEST(a_reset_without_a_record_completes_nothing),
	 TEST(time_stamps_agree_with_elapsed_time),
	 TEST(a_record_completes_behind_what_was_queued),
	 TEST(the_old_query_has_the_opposite_numbers), TEST(queries_follow_each_change),
	 TEST(a_stream_waits_for_another),
	 TEST(many_streams_wait_for_one),
	 TEST(record_wait_reset_can_be_repeated),
	 TEST(without_sync_nobody_waits_or_resets),
	 TEST(ex_events_are_complete_until_recorded),
	 TEST(ex_waits_bind_to_the_latest_record),
	 TEST(a_wait_before_any_record_of_an_ex_event_passes),
	 TEST(elapsed_time_is_what_ran_between),
	 TEST(time_stamps_need_a_record_and_the_flag),
	 TEST(destroy_does_not_wait_and_releases_waiters),
	 TEST(a_reset_releases_streams_that_wait),
	 TEST(synchronize_with_timeout),
	 TEST(synchronize_waits_for_a_record),
	 TEST(what_ends_a_wait_without_a_record),
	 TEST(a_wait_that_is_never_met_runs_into_its_limit),
	 TEST(a_record_that_is_queued_outlives_its_event), TEST(limits_of_waits),
	 TEST(many_events),
	 TEST(ping_pong))
