// SPDX-License-Identifier: MIT
/* A stream that runs nothing and has no room: the thread that waits for some keeps no other from working. */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "../acltest.h"

struct filler {
	pthread_t thread;
	aclrtStream stream;
	aclrtEvent event; /* recorded in turn with launches */
	aclrtNotify notify; /* recorded instead of launches */
	bool plain;	  /* tasks without arguments: packets run out, not room for those */
	_Atomic pid_t tid;
	uint64_t *word;
	uint64_t *gate;
	atomic_int calls;
	atomic_bool stop;
	aclError end;
};

static char payload[8192];

static aclError one_call(struct filler *f, int i)
{
	if (f->plain)
		return aclrtMemsetAsync(f->word, 8, 0, 8, f->stream);
	if (f->notify)
		return aclrtRecordNotify(f->notify, f->stream);
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
	atomic_store(&f->tid, gettid());
	while (!atomic_load(&f->stop) && !f->end)
		f->end = one_call(f, atomic_fetch_add(&f->calls, 1));
	return NULL;
}

/* Has the thread slept each time it is looked at: one that only has no processor is runnable */
static bool sleeps(pid_t tid)
{
	char path[64], line[512];
	const char *state;
	int looks;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	for (looks = 0; looks < 30; looks++) {
		usleep(10000);
		f = fopen(path, "r");
		CHECK(f && fgets(line, sizeof(line), f));
		fclose(f);
		state = strrchr(line, ')');
		CHECK(state);
		if (strncmp(state, ") S", 3))
			return false;
	}
	return true;
}

/* Starts a thread that fills the stream, and comes back when that makes no progress any more */
static void fill_behind(struct filler *f)
{
	int before, now = -1;

	atomic_store(&f->tid, 0);
	CHECK(!pthread_create(&f->thread, NULL, fill, f));
	UNTIL(atomic_load(&f->tid));
	do {
		before = now;
		until_in_driver(atomic_load(&f->tid));
		now = sleeps(atomic_load(&f->tid)) ? atomic_load(&f->calls) : -1;
	} while (before != now || now < 8);
}

/* The same with a stream that runs nothing */
static void fill_up(struct filler *f, bool with_event)
{
	op("increment");
	f->stream = new_stream();
	if (with_event)
		ACL(aclrtCreateEventExWithFlag(&f->event, ACL_EVENT_SYNC));
	f->gate = pinned_alloc(8);
	f->word = pinned_alloc(8);
	*f->gate = 0;
	ACL(aclrtValueWait(f->gate, 1, ACL_STREAM_WAIT_VALUE_EQ, f->stream));
	fill_behind(f);
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

/* The record may be what the full stream needs: who waits for room keeps the notify from nobody */
static void others_can_use_its_notify(void)
{
	struct filler f = { 0 };
	uint32_t id;

	start();
	ACL(aclrtCreateNotify(&f.notify, ACL_NOTIFY_DEFAULT));
	fill_up(&f, false);
	ACL(aclrtGetNotifyId(f.notify, &id));
	ACL(aclrtRecordNotify(f.notify, NULL));
	ACL(aclrtWaitAndResetNotify(f.notify, NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	let_go(&f);
	CHECK_EQ(f.end, ACL_SUCCESS);
	ACL(aclrtSynchronizeStream(f.stream));
	ACL(aclrtDestroyNotify(f.notify));
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

/* Callbacks ------------------------------------------------------------------------------------ */

static struct {
	atomic_int go;
	aclrtStream full, room;
	aclrtEvent event;
	aclrtNotify notify;
	uint64_t *word;
	atomic_int done;
} in;

/* A callback that waited for room here would wait for itself: the stream goes on when it returns */
static void check_full(aclrtStream full)
{
	uint64_t *word = in.word, pageable = 0;

#define REFUSED(call) \
	FAILS(call, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "is full", "callback", "another thread")
	const char *said;

	/* what waits for room leaves that for a few packets, which calls of one packet may still take */
	while (!aclrtValueWrite(word + 1, 1, 0, full))
		;
	CHECK(aclrtRecordEvent(in.event, full));
	said = aclGetRecentErrMsg();
	CHECK(said && strstr(said, "is full, with "));
	/* about as many as the stream has room for */
	CHECK_OP(atoi(strstr(said, "is full, with ") + strlen("is full, with ")), >, 500);
	CHECK_OP(atoi(strstr(said, "is full, with ") + strlen("is full, with ")), <=, 1024);
	REFUSED(aclrtRecordEvent(in.event, full));
	REFUSED(aclrtStreamWaitEvent(full, in.event));
	REFUSED(aclrtResetEvent(in.event, full));
	REFUSED(aclrtRecordNotify(in.notify, full));
	REFUSED(aclrtWaitAndResetNotify(in.notify, full, 0));
	REFUSED(aclrtValueWrite(word, 1, 0, full));
	REFUSED(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, full));
	REFUSED(aclrtMemsetAsync(word, 8, 1, 8, full));
	REFUSED(aclrtReduceAsync(word, word + 1, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT,
				 full, NULL));
	REFUSED(aclrtMemcpyAsync(word, 8, word + 1, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, full));
	/* done in the stream's order before the call returns */
	FAILS(aclrtMemcpyAsync(word, 8, &pageable, 8, ACL_MEMCPY_HOST_TO_DEVICE, full),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "does not wait for stream", "another thread");
}

static void submit_much(void *arg)
{
	(void)arg;
	while (!atomic_load(&in.go))
		usleep(1000);
	ACL(aclrtSetDevice(0));
	check_full(in.full);
	/* where there is room, there is nothing to wait for */
	ACL(aclrtRecordEvent(in.event, in.room));
	ACL(aclrtValueWrite(in.word, 5, 0, in.room));
	ACL(aclrtMemsetAsync(in.word + 1, 8, 1, 8, in.room));
	FAILS(aclrtLaunchHostFunc(in.full, submit_much, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "callback");
	atomic_fetch_add(&in.done, 1);
}

static void check_callback(struct filler *f)
{
	in.full = f->stream;
	fill_behind(f);
	atomic_store(&in.go, 1);
	UNTIL(atomic_load(&in.done));
	CHECK_EQ(atomic_exchange(&in.done, 0), 1);
	atomic_store(&in.go, 0); /* the next one waits until its stream is full */
	atomic_store(&f->stop, true);
	CHECK_EQ(pthread_join(f->thread, NULL), 0);
	CHECK_EQ(f->end, ACL_SUCCESS);
	ACL(aclrtSynchronizeDevice());
	CHECK_EQ(read_u64(in.word), 5);
}

static void callbacks_do_not_wait_for_room(void)
{
	struct filler own = { .plain = true }, other = { .plain = true };

	start();
	op("increment");
	in.room = new_stream();
	in.word = dev_alloc(16);
	ACL(aclrtCreateEvent(&in.event));
	ACL(aclrtRecordEvent(in.event, in.room));
	ACL(aclrtCreateNotify(&in.notify, 0));
	own.stream = new_stream();
	own.word = pinned_alloc(8);
	ACL(aclrtLaunchHostFunc(own.stream, submit_much, NULL));
	check_callback(&own);
	/* another stream, which waits for the callback's */
	other.stream = new_stream();
	other.word = own.word;
	write_u64(in.word, 0);
	ACL(aclrtLaunchHostFunc(own.stream, submit_much, NULL));
	ACL(aclrtRecordEvent(in.event, own.stream));
	ACL(aclrtStreamWaitEvent(other.stream, in.event));
	check_callback(&other);
}

/* Waits without end ---------------------------------------------------------------------------- */

static aclrtEvent never;

/* Behind a wait for an event that the same thread would record later, there is no room at some time */
static void *fills_before_it_records(void *arg)
{
	struct filler *f = arg;

	ACL(aclrtSetDevice(0));
	ACL(aclrtStreamWaitEvent(f->stream, never));
	for (int i = 0; i < 3000; i++)
		ACL(aclrtMemsetAsync(f->word, 8, 0, 8, f->stream));
	return NULL;
}

static void check_told(FILE *said, const char *call)
{
	char text[1024];

	/* nothing else than this line would come: a test that hangs here has failed */
	CHECK(fgets(text, sizeof(text), said));
	check_facts(text, call, "stream", "aclrtStreamWaitEvent()", "aclrtStreamAbort()", NULL);
}

static void *destroys(void *arg)
{
	ACL(aclrtSetDevice(0));
	ACL(aclrtDestroyStream(((struct filler *)arg)->stream));
	return NULL;
}

static void a_wait_without_end_is_told(void)
{
	struct filler f = { 0 };
	pthread_t thread;
	FILE *said;
	int fds[2];

	CHECK_EQ(pipe(fds), 0);
	dup2(fds[1], 2);
	said = fdopen(fds[0], "r");
	start();
	f.stream = new_stream();
	f.word = pinned_alloc(8);
	ACL(aclrtCreateEvent(&never));
	CHECK_EQ(pthread_create(&thread, NULL, fills_before_it_records, &f), 0);
	check_told(said, "aclrtMemsetAsync");
	ACL(aclrtRecordEvent(never, NULL)); /* and it goes on */
	CHECK_EQ(pthread_join(thread, NULL), 0);
	ACL(aclrtResetEvent(never, f.stream));
	ACL(aclrtStreamWaitEvent(f.stream, never));
	CHECK_EQ(pthread_create(&thread, NULL, destroys, &f), 0);
	check_told(said, "aclrtDestroyStream");
	ACL(aclrtRecordEvent(never, NULL));
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

TAP_MAIN(TEST(others_can_ask_and_wait),
	 TEST(others_can_use_its_notify),
	 TEST(others_can_abort_it),
	 TEST(others_can_destroy_it),
	 TEST(a_destroyed_stream_gets_no_memory),
	 TEST(callbacks_do_not_wait_for_room),
	 TEST(a_wait_without_end_is_told))
