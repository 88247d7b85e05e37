// SPDX-License-Identifier: MIT
/*
 * Threads that wait, and what others do meanwhile: destroy streams, abort them, wait for the same one.
 * A thread is known to wait when it sleeps in the driver, so no test depends on luck.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../acltest.h"

/* A call in another thread */
struct call {
	pthread_t thread;
	_Atomic pid_t tid;
	aclError (*run)(aclrtStream stream);
	aclrtStream stream;
	aclError ret;
	char message[4096];
	atomic_bool done;
};

static void *enter(void *arg)
{
	struct call *c = arg;
	const char *message;

	ACL(aclrtSetDevice(0));
	atomic_store(&c->tid, gettid());
	c->ret = c->run(c->stream);
	message = aclGetRecentErrMsg();
	snprintf(c->message, sizeof(c->message), "%s", message ? message : "");
	atomic_store(&c->done, true);
	return NULL;
}

/* Comes back when it sleeps in the driver */
static void begin(struct call *c, aclError (*run)(aclrtStream), aclrtStream stream)
{
	*c = (struct call){ .run = run, .stream = stream };
	CHECK_EQ(pthread_create(&c->thread, NULL, enter, c), 0);
	UNTIL(atomic_load(&c->tid));
	until_in_driver(atomic_load(&c->tid));
}

static aclError end(struct call *c)
{
	CHECK_EQ(pthread_join(c->thread, NULL), 0);
	return c->ret;
}

static aclError sync_device(aclrtStream stream)
{
	(void)stream;
	return aclrtSynchronizeDevice();
}

/* The device, and streams that end ------------------------------------------------------------- */

static void a_finished_stream_is_destroyed_meanwhile(void)
{
	aclrtStream busy, done[20];
	uint64_t *gate, *word;
	struct call wait;

	start();
	word = dev_alloc(8);
	busy = new_stream();
	gate = close_host_gate(busy);
	for (int i = 0; i < 20; i++) {
		done[i] = new_stream();
		ACL(aclrtMemsetAsync(word, 8, 1, 8, done[i]));
		ACL(aclrtSynchronizeStream(done[i]));
	}
	begin(&wait, sync_device, NULL);
	for (int i = 0; i < 20; i++)
		ACL(i % 2 ? aclrtDestroyStream(done[i]) : aclrtDestroyStreamForce(done[i]));
	CHECK(!atomic_load(&wait.done));
	open_host_gate(gate);
	if (end(&wait))
		FAIL("aclrtSynchronizeDevice() returned %d: %s", wait.ret, wait.message);
}

/* Its tasks are work of the device, although its handle is about to end */
static void a_stream_that_is_being_destroyed_is_waited_for(void)
{
	aclrtStream stream;
	struct call destroy;
	uint64_t *gate;

	start();
	stream = new_stream();
	gate = close_host_gate(stream);
	begin(&destroy, aclrtDestroyStream, stream);
	FAILS(aclrtSynchronizeDeviceWithTimeout(50), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	CHECK(!atomic_load(&destroy.done));
	open_host_gate(gate);
	ACL(aclrtSynchronizeDevice());
	ACL(end(&destroy));
	FAILS(aclrtStreamAbort(stream), ACL_ERROR_RT_INVALID_HANDLE, "destroyed already");
}

static aclError finalize(aclrtStream stream)
{
	(void)stream;
	return aclFinalize();
}

/* Both wait for the same tasks, and one of the two ends the stream */
static void and_by_the_end_of_everything(void)
{
	struct call destroy, all;
	aclrtStream stream;
	uint64_t *gate;

	start();
	stream = new_stream();
	gate = close_host_gate(stream);
	begin(&destroy, aclrtDestroyStream, stream);
	begin(&all, finalize, NULL);
	CHECK(!atomic_load(&destroy.done));
	open_host_gate(gate);
	ACL(end(&destroy));
	ACL(end(&all));
}

/* Aborts meet a stream that is being destroyed --------------------------------------------------- */

static void begin_destroying(struct call *destroy, aclrtStream *stream)
{
	uint64_t *go = pinned_alloc(16);

	go[0] = go[1] = 0;
	*stream = new_stream();
	LAUNCH(op("begin_and_wait"), 1, *stream, U64(&go[0]), U64(&go[1]));
	UNTIL(__atomic_load_n(&go[0], __ATOMIC_ACQUIRE));
	begin(destroy, aclrtDestroyStream, *stream);
}

static void aborts_reach_a_stream_that_is_being_destroyed(void)
{
	aclError (*const with[])(aclrtStream) = { aclrtStreamAbort, aclrtStreamStop };
	struct call destroy;
	aclrtStream stream;

	start();
	/* often: the stream may end before the call that has ended its task comes back */
	for (int i = 0; i < 20; i++) {
		begin_destroying(&destroy, &stream);
		ACL(with[i % 2](stream));
		ACL(end(&destroy));
	}
	begin_destroying(&destroy, &stream);
	ACL(aclrtDeviceTaskAbort(0, 1000));
	ACL(end(&destroy));
	begin_destroying(&destroy, &stream);
	ACL(aclrtDestroyStreamForce(stream));
	ACL(end(&destroy));
	FAILS(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_INVALID_HANDLE, "destroyed already");
}

static void it_takes_no_more_work(void)
{
	uint64_t word = 0, *gate;
	struct call destroy;
	aclrtStream stream;
	aclrtEvent event;

	start();
	ACL(aclrtCreateEvent(&event));
	stream = new_stream();
	gate = close_host_gate(stream);
	begin(&destroy, aclrtDestroyStream, stream);
	FAILS(aclrtRecordEvent(event, stream), ACL_ERROR_RT_INVALID_HANDLE, "being destroyed");
	FAILS(aclrtLaunchKernelWithHostArgs(op("store"), 1, stream, NULL, &word, 8, NULL, 0),
	      ACL_ERROR_RT_INVALID_HANDLE, "being destroyed");
	FAILS(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "being destroyed");
	open_host_gate(gate);
	ACL(end(&destroy));
}

/* One failure, several who wait ------------------------------------------------------------------ */

static void check_told(struct call *c)
{
	CHECK_EQ(end(c), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	check_facts(c->message, "trap", NULL);
}

static void each_of_those_who_wait_is_told_of_a_failure(void)
{
	struct call stream_wait[3], device_wait;
	aclrtStream stream;
	uint64_t *gate;

	start();
	stream = new_stream();
	op("trap");
	for (int round = 0; round < 5; round++) {
		gate = close_host_gate(stream);
		ACL(aclrtLaunchKernelWithHostArgs(op("trap"), 1, stream, NULL, NULL, 0, NULL, 0));
		for (int i = 0; i < 3; i++)
			begin(&stream_wait[i], aclrtSynchronizeStream, stream);
		begin(&device_wait, sync_device, NULL);
		open_host_gate(gate);
		for (int i = 0; i < 3; i++)
			check_told(&stream_wait[i]);
		check_told(&device_wait);
		/* who begins to wait now is told of newer failures */
		ACL(aclrtSynchronizeStream(stream));
		ACL(aclrtSynchronizeDevice());
	}
}

/* Waits that nobody is going to meet ------------------------------------------------------------- */

/* A store behind a wait for an event that is not recorded */
static volatile uint64_t *store_behind(aclrtEvent event, aclrtStream stream)
{
	uint64_t *word = pinned_alloc(8);

	*word = 0;
	ACL(aclrtStreamWaitEvent(stream, event));
	LAUNCH(op("store"), 1, stream, U64(word), 7);
	return word;
}

static void the_end_of_an_event_ends_waits_for_it(void)
{
	volatile uint64_t *word;
	aclrtStream stream, other;
	aclrtEvent event;
	uint64_t *gate;

	start();
	stream = new_stream();
	other = new_stream();
	ACL(aclrtCreateEvent(&event));
	word = store_behind(event, stream);
	FAILS(aclrtSynchronizeStreamWithTimeout(stream, 50), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	ACL(aclrtDestroyEvent(event));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, 7);
	/* and after a reset: the wait was for the next record */
	ACL(aclrtCreateEvent(&event));
	ACL(aclrtRecordEvent(event, stream));
	ACL(aclrtResetEvent(event, stream));
	word = store_behind(event, stream);
	ACL(aclrtDestroyEvent(event));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, 7);
	/* one that was called for is waited for, although the event is gone */
	ACL(aclrtCreateEvent(&event));
	gate = close_host_gate(other);
	ACL(aclrtRecordEvent(event, other));
	word = store_behind(event, stream);
	ACL(aclrtResetEvent(event, stream));
	ACL(aclrtDestroyEvent(event));
	FAILS(aclrtSynchronizeStreamWithTimeout(stream, 50), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	CHECK_EQ(*word, 0);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, 7);
}

static aclError (*end_with)(int32_t device);

static aclError finalize_all(int32_t device)
{
	(void)device;
	return aclFinalize();
}

static void end_with_waits(void)
{
	volatile uint64_t *word[2];
	aclrtEvent event;

	start();
	ACL(aclrtCreateEvent(&event));
	word[0] = store_behind(event, new_stream());
	word[1] = store_behind(event, NULL);
	ACL(end_with(0));
	(void)word;
}

static void and_the_end_of_the_device(void)
{
	aclError (*const with[])(int32_t) = { finalize_all, aclrtResetDevice, aclrtResetDeviceForce };

	for (int i = 0; i < 3; i++) {
		end_with = with[i];
		expect_success(child(end_with_waits));
	}
}

/* The operator's limit of time is far beyond that of the test */
static void a_forced_reset_ends_an_endless_operator(void)
{
	uint64_t before, *go;

	start();
	go = pinned_alloc(16);
	go[0] = go[1] = 0;
	ACL(aclrtSetOpExecuteTimeOut(600));
	LAUNCH(op("begin_and_wait"), 1, NULL, U64(&go[0]), U64(&go[1]));
	UNTIL(__atomic_load_n(&go[0], __ATOMIC_ACQUIRE));
	before = tap_ms();
	ACL(aclrtResetDeviceForce(0));
	tap_note("aclrtResetDeviceForce() took %llu ms", (unsigned long long)(tap_ms() - before));
	ACL(aclFinalize());
}

static void a_forced_reset_waits_for_what_gets_on(void)
{
	uint64_t *words;

	start();
	words = pinned_alloc(16);
	words[0] = words[1] = 0;
	op("spin_then_store");
	for (int i = 0; i < 14; i++) /* 7 s of work */
		LAUNCH(op("spin_then_store"), 1, NULL, 500000, U64(&words[0]), i + 1);
	ACL(aclrtResetDeviceForce(0));
	CHECK_EQ(words[0], 14);
}

/* A wait that is over tells what the stream waits for, and what has become of that */
static void what_a_stream_waits_for_is_told(void)
{
	aclrtStream before, behind;
	aclrtNotify notify;
	aclrtEvent event;
	uint64_t *gate;

	start();
	before = new_stream();
	behind = new_stream();
	ACL(aclrtCreateEvent(&event));
	ACL(aclrtStreamWaitEvent(behind, event));
	FAILS(aclrtSynchronizeStreamWithTimeout(behind, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "and stream", "has run 0 of its",
	      "which was never recorded");
	ACL(aclrtRecordEvent(event, before));
	ACL(aclrtSynchronizeStream(behind));
	gate = close_host_gate(before);
	ACL(aclrtRecordEvent(event, before));
	ACL(aclrtStreamWaitEvent(behind, event));
	FAILS(aclrtSynchronizeStreamWithTimeout(behind, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "whose record has not run");
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(behind));
	ACL(aclrtResetEvent(event, before));
	ACL(aclrtSynchronizeStream(before));
	ACL(aclrtStreamWaitEvent(behind, event));
	FAILS(aclrtSynchronizeStreamWithTimeout(behind, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "which was reset by",
	      "not recorded since");
	ACL(aclrtRecordEvent(event, before));
	ACL(aclrtSynchronizeStream(behind));
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtWaitAndResetNotify(notify, behind, 0));
	FAILS(aclrtSynchronizeStreamWithTimeout(behind, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "for notify",
	      "which nothing has recorded");
	ACL(aclrtRecordNotify(notify, before));
	ACL(aclrtSynchronizeStream(behind));
}

TAP_MAIN(TEST(what_a_stream_waits_for_is_told),
	 TEST(a_finished_stream_is_destroyed_meanwhile),
	 TEST(a_stream_that_is_being_destroyed_is_waited_for),
	 TEST(and_by_the_end_of_everything),
	 TEST(aborts_reach_a_stream_that_is_being_destroyed),
	 TEST(it_takes_no_more_work),
	 TEST(each_of_those_who_wait_is_told_of_a_failure),
	 TEST(the_end_of_an_event_ends_waits_for_it),
	 TEST(and_the_end_of_the_device),
	 TEST(a_forced_reset_ends_an_endless_operator),
	 TEST(a_forced_reset_waits_for_what_gets_on))
