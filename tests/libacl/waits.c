// SPDX-License-Identifier: MIT
/*
 * Threads that wait, and what others do meanwhile: destroy streams, abort them, wait for the same one.
 * A thread is known to wait when it sleeps in the driver, so no test depends on luck.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "acltest.h"

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

/* What it runs is work of the device, although its handle is about to end */
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
	for (int i = 0; i < 2; i++) {
		begin_destroying(&destroy, &stream);
		ACL(with[i](stream));
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

TAP_MAIN(TEST(a_finished_stream_is_destroyed_meanwhile),
	 TEST(a_stream_that_is_being_destroyed_is_waited_for),
	 TEST(and_by_the_end_of_everything),
	 TEST(aborts_reach_a_stream_that_is_being_destroyed),
	 TEST(it_takes_no_more_work),
	 TEST(each_of_those_who_wait_is_told_of_a_failure))
