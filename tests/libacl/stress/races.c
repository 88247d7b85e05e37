// SPDX-License-Identifier: MIT
/*
 * Threads that use what others end at the same time. Calls then fail in a documented way or succeed;
 * nothing crashes, hangs or stays behind.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "../acltest.h"

enum { THREADS = 6, ROUNDS = 60 };

struct shared {
	aclrtContext context;
	aclrtStream stream;
	aclrtEvent event;
	aclrtBinHandle binary;
	uint64_t *words;
	int number;
	atomic_int ended;
	pthread_barrier_t begin, end;
};

/* The codes that a call may return when another thread has ended the object it uses */
static void may_be_gone(const char *file, int line, aclError err)
{
	const char *msg = aclGetRecentErrMsg();

	switch (err) {
	case ACL_SUCCESS:
	case ACL_ERROR_RT_INVALID_HANDLE:
	case ACL_ERROR_RT_STREAM_CONTEXT:
	case ACL_ERROR_RT_CONTEXT_NULL:
	case ACL_ERROR_RT_PARAM_INVALID:
	case ACL_ERROR_RT_STREAM_ABORT:
	case ACL_ERROR_RT_AICORE_EXCEPTION:
		return;
	default:
		printf("# %s:%d: returned %d: %s\n", file, line, err, msg ? msg : "(no message)");
		tap_end(TAP_FAILED);
	}
}

#define MAY(call) may_be_gone(__FILE__, __LINE__, (call))

struct worker {
	void (*run)(struct shared *shared, int thread);
	struct shared *shared;
	int thread;
};

static void *enter(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&w->shared->begin);
		MAY(aclrtSetCurrentContext(w->shared->context));
		w->run(w->shared, w->thread);
		aclGetRecentErrMsg();
		pthread_barrier_wait(&w->shared->end);
	}
	return NULL;
}

/* In each round @make prepares, all threads run at once, @clear makes sure that all has ended */
static void rounds(void (*make)(struct shared *), void (*run)(struct shared *, int),
		   void (*clear)(struct shared *))
{
	struct worker worker[THREADS];
	struct shared shared = { 0 };
	pthread_t thread[THREADS];

	start();
	shared.words = dev_alloc(8 * THREADS);
	ACL(aclrtGetCurrentContext(&shared.context));
	pthread_barrier_init(&shared.begin, NULL, THREADS + 1);
	pthread_barrier_init(&shared.end, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		worker[i] = (struct worker){ run, &shared, i };
		CHECK_EQ(pthread_create(&thread[i], NULL, enter, &worker[i]), 0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		shared.number = i;
		make(&shared);
		pthread_barrier_wait(&shared.begin);
		pthread_barrier_wait(&shared.end);
		clear(&shared);
	}
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

/* A stream --------------------------------------------------------------------------------------- */

static void make_stream(struct shared *s)
{
	op("store");
	s->stream = new_stream();
}

static void use_stream(struct shared *s, int thread)
{
	uint64_t args[2] = { U64(&s->words[thread]), 7 };
	aclrtStreamStatus status;

	if (thread == s->number % THREADS) {
		MAY(s->number & 1 ? aclrtDestroyStream(s->stream)
				  : aclrtDestroyStreamForce(s->stream));
		return;
	}
	for (int i = 0; i < 10; i++) {
		MAY(aclrtLaunchKernelWithHostArgs(op("store"), 1, s->stream, NULL, args,
						  sizeof(args), NULL, 0));
		MAY(aclrtMemsetAsync(&s->words[thread], 8, i, 8, s->stream));
		MAY(aclrtStreamQuery(s->stream, &status));
		if (i == thread)
			MAY(aclrtStreamAbort(s->stream));
	}
	MAY(aclrtSynchronizeStream(s->stream));
}

static void stream_is_gone(struct shared *s)
{
	CHECK_EQ(aclrtSynchronizeStream(s->stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static void a_stream_is_destroyed_while_it_is_used(void)
{
	rounds(make_stream, use_stream, stream_is_gone);
}

/* An event --------------------------------------------------------------------------------------- */

static void make_event(struct shared *s)
{
	if (!s->stream)
		s->stream = new_stream();
	ACL(aclrtCreateEvent(&s->event));
}

static void use_event(struct shared *s, int thread)
{
	aclrtEventRecordedStatus recorded;

	for (int i = 0; i < 10; i++) {
		if (thread == s->number % THREADS && i == 5)
			MAY(aclrtDestroyEvent(s->event));
		MAY(aclrtRecordEvent(s->event, s->stream));
		MAY(aclrtStreamWaitEvent(s->stream, s->event));
		MAY(aclrtQueryEventStatus(s->event, &recorded));
		if (thread & 1)
			MAY(aclrtSynchronizeEvent(s->event));
	}
}

static void event_is_gone(struct shared *s)
{
	ACL(aclrtSynchronizeStream(s->stream));
	CHECK_EQ(aclrtRecordEvent(s->event, s->stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static void an_event_is_destroyed_while_it_is_used(void)
{
	rounds(make_event, use_event, event_is_gone);
}

/* A binary --------------------------------------------------------------------------------------- */

static void make_binary(struct shared *s)
{
	s->binary = load(OPS);
}

static void use_binary(struct shared *s, int thread)
{
	uint64_t args[2] = { U64(&s->words[thread]), 7 };
	aclrtFuncHandle func;

	for (int i = 0; i < 10; i++) {
		aclError err;

		if (thread == s->number % THREADS && i == 5)
			MAY(aclrtBinaryUnLoad(s->binary));
		err = aclrtBinaryGetFunction(s->binary, i & 1 ? "store" : "increment", &func);
		MAY(err);
		if (!err)
			MAY(aclrtLaunchKernelWithHostArgs(func, 1, NULL, NULL, args, sizeof(args),
							  NULL, 0));
	}
	/* what was unloaded under a running kernel faults, and harms nothing else */
	MAY(aclrtSynchronizeStream(NULL));
}

static void binary_is_gone(struct shared *s)
{
	MAY(aclrtSynchronizeDevice());
	CHECK_EQ(aclrtBinaryUnLoad(s->binary), ACL_ERROR_RT_INVALID_HANDLE);
}

static void a_binary_is_unloaded_while_it_is_used(void)
{
	rounds(make_binary, use_binary, binary_is_gone);
}

/* A context -------------------------------------------------------------------------------------- */

static void make_context(struct shared *s)
{
	ACL(aclrtCreateContext(&s->context, 0));
}

static void use_context(struct shared *s, int thread)
{
	if (thread == s->number % THREADS) {
		MAY(aclrtDestroyContext(s->context));
		return;
	}
	for (int i = 0; i < 10; i++) {
		aclrtStream stream;
		aclError err = aclrtCreateStream(&stream);

		MAY(err);
		if (!err)
			MAY(aclrtMemsetAsync(&s->words[thread], 8, i, 8, stream));
		MAY(aclrtSynchronizeStream(NULL));
		if (!err)
			MAY(aclrtDestroyStream(stream));
	}
}

static void context_is_gone(struct shared *s)
{
	CHECK_EQ(aclrtSetCurrentContext(s->context), ACL_ERROR_RT_INVALID_HANDLE);
}

static void a_context_is_destroyed_while_it_is_used(void)
{
	rounds(make_context, use_context, context_is_gone);
}

/* Memory ----------------------------------------------------------------------------------------- */

static void nothing(struct shared *s)
{
	(void)s;
}

static void *_Atomic victim;

static void make_memory(struct shared *s)
{
	(void)s;
	atomic_store(&victim, dev_alloc(s->number & 1 ? 4096 : 4 << 20));
}

static void use_memory(struct shared *s, int thread)
{
	void *p = atomic_load(&victim);
	char bytes[4096];

	for (int i = 0; i < 10; i++) {
		if (thread == s->number % THREADS && i == 5)
			ACL(aclrtFree(p));
		MAY(aclrtMemcpy(p, 4096, bytes, sizeof(bytes), ACL_MEMCPY_HOST_TO_DEVICE));
		MAY(aclrtMemcpy(bytes, sizeof(bytes), p, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
		MAY(aclrtMemset(p, 4096, 1, 4096));
	}
}

static void memory_is_freed_while_it_is_copied(void)
{
	rounds(make_memory, use_memory, nothing);
}

/* The whole runtime ------------------------------------------------------------------------------ */

static void *init_and_finalize(void *arg)
{
	int thread = *(int *)arg;

	for (int i = 0; i < 40; i++) {
		aclError err = aclInit(NULL);
		void *p = NULL;

		CHECK(err == ACL_SUCCESS || err == ACL_ERROR_REPEAT_INITIALIZE);
		/* others may finalise at any time: then the device is gone */
		MAY(aclrtSetDevice(0));
		if (!aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST)) {
			MAY(aclrtMemset(p, 4096, thread, 4096));
			MAY(aclrtSynchronizeStream(NULL));
			MAY(aclrtFree(p));
		}
		err = aclFinalize();
		CHECK(err == ACL_SUCCESS || err == ACL_ERROR_REPEAT_FINALIZE);
		aclGetRecentErrMsg();
	}
	return NULL;
}

static void init_and_finalize_at_the_same_time(void)
{
	int number[THREADS];
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		CHECK_EQ(pthread_create(&thread[i], NULL, init_and_finalize, &number[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
	/* and works as ever afterwards */
	start();
	ACL(aclrtFree(dev_alloc(64)));
	ACL(aclFinalize());
}

static atomic_int using, working;

static void *work_for_ever(void *arg)
{
	aclrtStream stream;
	uint64_t *word;

	if (aclrtSetDevice(0) || aclrtCreateStream(&stream) ||
	    aclrtMalloc((void **)&word, 8, ACL_MEM_MALLOC_HUGE_FIRST))
		return NULL;
	atomic_fetch_add(&using, 1);
	for (;;) {
		if (aclrtLaunchKernelWithHostArgs(arg, 1, stream, NULL, &word, 8, NULL, 0) ||
		    aclrtMemset(word, 8, 0, 8) || aclrtSynchronizeStream(stream))
			return NULL;
		atomic_fetch_add(&working, 1);
	}
}

static void end_in_the_middle(void)
{
	pthread_t thread;

	start();
	for (int i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&thread, NULL, work_for_ever, op("increment")), 0);
	usleep(20000);
	fflush(stdout);
	exit(0); /* with everything in use, and handlers that run */
}

static void exit_while_others_work(void)
{
	for (int i = 0; i < 8; i++)
		expect_success(child(end_in_the_middle));
}

/* A reset ends what the others use; the device works again afterwards */
static void reset_under_use(void)
{
	pthread_t thread[THREADS];

	start();
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, work_for_ever, op("increment")), 0);
	/* one that asks for the device after the reset has it, and would work for ever */
	UNTIL(atomic_load(&using) == THREADS && atomic_load(&working) >= 10 * THREADS);
	ACL(aclrtResetDeviceForce(0));
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
	ACL(aclrtSetDevice(0));
	ACL(aclrtFree(dev_alloc(64)));
}

/* A recording is ended by one of those that try, and its stream may end before ------------------- */

static void record_and_end(struct shared *s, int thread)
{
	aclrtStream stream = s->stream;
	aclmdlRI graph = NULL;

	if (thread == 0)
		(void)aclrtMemsetAsync(s->words, 8, 1, 8, stream);
	if (thread == 1 && s->number & 1)
		MAY(aclrtDestroyStream(stream));
	else if (!aclmdlRICaptureEnd(stream, &graph)) {
		CHECK(graph);
		atomic_fetch_add(&s->ended, 1);
		MAY(aclmdlRIDestroy(graph));
	}
}

static void begin_recording(struct shared *s)
{
	s->stream = new_stream();
	atomic_store(&s->ended, 0);
	ACL(aclmdlRICaptureBegin(s->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
}

static void recording_is_ended(struct shared *s)
{
	CHECK_OP(atomic_load(&s->ended), <=, 1);
	if (s->number & 1)
		return;
	ACL(aclrtSynchronizeStream(s->stream));
	ACL(aclrtDestroyStream(s->stream));
}

static void a_recording_is_ended_by_one(void)
{
	rounds(begin_recording, record_and_end, recording_is_ended);
}

/* Objects are made while the device is reset ------------------------------------------------------ */

static atomic_bool enough;

/* Another thread may end an object at any moment, so each of these codes is right */
static void *make_objects(void *arg)
{
	(void)arg;
	while (!atomic_load(&enough)) {
		aclrtLabel label = NULL;
		aclrtLabelList list;
		aclrtStream stream;
		aclmdlRI graph;

		(void)aclrtSetDevice(0);
		if (!aclrtCreateLabel(&label) && !aclrtCreateLabelList(&label, 1, &list))
			(void)aclrtDestroyLabelList(list);
		if (label)
			(void)aclrtDestroyLabel(label);
		if (!aclmdlRIBuildBegin(&graph, 0))
			(void)aclmdlRIDestroy(graph);
		if (!aclrtCreateStream(&stream)) {
			if (!aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED) &&
			    !aclmdlRICaptureEnd(stream, &graph))
				(void)aclmdlRIDestroy(graph);
			(void)aclrtDestroyStream(stream);
		}
		aclGetRecentErrMsg();
	}
	return NULL;
}

static void objects_are_made_during_resets(void)
{
	pthread_t thread[THREADS];
	aclError err;

	start();
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, make_objects, NULL), 0);
	for (int i = 0; i < 2 * ROUNDS; i++) {
		usleep(2000);
		err = aclrtResetDeviceForce(0);
		CHECK(err == ACL_SUCCESS || err == ACL_ERROR_RT_INVALID_DEVICEID);
	}
	atomic_store(&enough, true);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
	ACL(aclrtSetDevice(0));
	ACL(aclrtFree(dev_alloc(64)));
}

/* aclFinalize() waits for callbacks, which may query and initialise ------------------------------- */

struct asking {
	aclrtStream stream;
	atomic_bool runs, go_on;
	aclError init, state;
};

static void ask(void *arg)
{
	struct asking *a = arg;
	uint32_t flags;
	int32_t active;

	atomic_store(&a->runs, true);
	while (!atomic_load(&a->go_on))
		usleep(1000);
	usleep(100000); /* aclFinalize() is in the middle; were it not, nothing wrong is found */
	a->state = aclrtGetPrimaryCtxState(0, &flags, &active);
	a->init = aclInit(NULL);
}

static void *finalize(void *arg)
{
	atomic_store(&((struct asking *)arg)->go_on, true);
	ACL(aclFinalize());
	return NULL;
}

static void callbacks_ask_during_finalize(void)
{
	struct asking a = { .init = -1, .state = -1 };
	pthread_t thread;

	start();
	a.stream = new_stream();
	ACL(aclrtLaunchHostFunc(a.stream, ask, &a));
	while (!atomic_load(&a.runs))
		usleep(1000);
	CHECK_EQ(pthread_create(&thread, NULL, finalize, &a), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0); /* each would wait for the other */
	ACL(a.state);
	ACL(a.init);
	ACL(aclFinalize());
}

TAP_MAIN(TEST(a_stream_is_destroyed_while_it_is_used),
	 TEST(an_event_is_destroyed_while_it_is_used),
	 TEST(a_binary_is_unloaded_while_it_is_used),
	 TEST(a_context_is_destroyed_while_it_is_used),
	 TEST(memory_is_freed_while_it_is_copied),
	 TEST(init_and_finalize_at_the_same_time),
	 TEST(exit_while_others_work),
	 TEST(reset_under_use),
	 TEST(a_recording_is_ended_by_one),
	 TEST(objects_are_made_during_resets),
	 TEST(callbacks_ask_during_finalize))
