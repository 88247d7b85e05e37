// SPDX-License-Identifier: MIT
/* A stream that runs nothing and has no room: the thread that waits for some keeps no other from working. */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "acltest.h"

struct filler {
	pthread_t thread;
	aclrtStream stream;
	aclrtEvent event; /* recorded in turn with launches */
	uint64_t *word;
	uint64_t *gate;
	atomic_int calls;
	atomic_bool stop;
	aclError end;
};

static char payload[8192];

static aclError one_call(struct filler *f, int i)
{
	if (f->event && i % 2)
		return aclrtRecordEvent(f->event, f->stream);
	memcpy(payload, &f->word, sizeof(f->word));
	return aclrtLaunchKernelWithHostArgs(op("increment"), 1, f->stream, NULL, payload,
					     i % 3 ? 8 : sizeof(payload), NULL, 0);
}

static void *fill(void *arg)
{
	struct filler *f = arg;

	ACL(aclrtSetDevice(0));
	while (!atomic_load(&f->stop) && !f->end)
		f->end = one_call(f, atomic_fetch_add(&f->calls, 1));
	return NULL;
}

/* Starts a thread that fills the stream, and comes back when that makes no progress any more */
static void fill_up(struct filler *f, bool with_event)
{
	int before, now = -1;

	op("increment");
	f->stream = new_stream();
	if (with_event)
		ACL(aclrtCreateEventExWithFlag(&f->event, ACL_EVENT_SYNC));
	f->gate = pinned_alloc(8);
	f->word = pinned_alloc(8);
	*f->gate = 0;
	ACL(aclrtValueWait(f->gate, 1, ACL_STREAM_WAIT_VALUE_EQ, f->stream));
	CHECK(!pthread_create(&f->thread, NULL, fill, f));
	do {
		before = now;
		usleep(300000);
		now = atomic_load(&f->calls);
	} while (before != now || now < 8);
}

static void let_go(struct filler *f)
{
	atomic_store(&f->stop, true);
	__atomic_store_n(f->gate, 1, __ATOMIC_RELEASE);
	pthread_join(f->thread, NULL);
}

static void check_questions(struct filler *f)
{
	aclrtEventRecordedStatus recorded;
	aclrtStreamStatus status;

	ACL(aclrtStreamQuery(f->stream, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	FAILS(aclrtSynchronizeStreamWithTimeout(f->stream, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	FAILS(aclrtSynchronizeDeviceWithTimeout(20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	if (!f->event)
		return;
	ACL(aclrtQueryEventStatus(f->event, &recorded));
	CHECK_EQ(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
	FAILS(aclrtSynchronizeEventWithTimeout(f->event, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
}

static void others_can_ask_and_wait(void)
{
	start();
	for (int with_event = 0; with_event < 2; with_event++) {
		struct filler f = { 0 };

		fill_up(&f, with_event);
		check_questions(&f);
		let_go(&f);
		CHECK_EQ(f.end, ACL_SUCCESS);
		ACL(aclrtSynchronizeStream(f.stream));
	}
}

static void others_can_abort_it(void)
{
	struct filler f = { 0 };
	int before;

	start();
	fill_up(&f, true);
	before = atomic_load(&f.calls);
	ACL(aclrtStreamAbort(f.stream));
	while (atomic_load(&f.calls) == before)
		usleep(1000);
	let_go(&f);
	CHECK_EQ(f.end, ACL_SUCCESS);
	(void)aclrtSynchronizeStream(f.stream);
}

static void others_can_destroy_it(void)
{
	struct filler f = { 0 };

	start();
	fill_up(&f, false);
	ACL(aclrtDestroyStreamForce(f.stream));
	pthread_join(f.thread, NULL);
	/* destroyed, or dropped just before */
	CHECK(f.end == ACL_ERROR_RT_INVALID_HANDLE || f.end == ACL_ERROR_RT_STREAM_ABORT);
}

/*
 * The thread that waited for room goes on when the stream has ended: it must not give it new memory for
 * arguments, which the device would still list when it is reset. Freed memory is overwritten, so that
 * whoever reads it is caught.
 */
static void a_destroyed_stream_gets_no_memory(void)
{
	mallopt(M_PERTURB, 0x55);
	start();
	for (int i = 0; i < 4; i++) {
		struct filler f = { 0 };

		fill_up(&f, false);
		ACL(aclrtDestroyStreamForce(f.stream));
		pthread_join(f.thread, NULL);
	}
	ACL(aclrtResetDeviceForce(0));
	ACL(aclrtSetDevice(0));
	ACL(aclrtFree(dev_alloc(64)));
	ACL(aclFinalize());
}

TAP_MAIN(TEST(others_can_ask_and_wait),
	 TEST(others_can_abort_it),
	 TEST(others_can_destroy_it),
	 TEST(a_destroyed_stream_gets_no_memory))
