/* SPDX-License-Identifier: MIT */
/* More cases of bugs.c: programs that hang, in every way that a report of hangs has words for. */

#include "ask.h"

static void value_unwritten(void)
{
	aclrtStream s = stream();
	uint64_t *word = zeroed(64);

	aclrtValueWait(word + 2, 7, ACL_STREAM_WAIT_VALUE_EQ, s); /* BUG value_unwritten */
	tell(aclrtSynchronizeStreamWithTimeout(s, 300));
	aclrtStreamAbort(s);
}

static void baton_circle(void)
{
	aclrtStream s[3];
	aclrtNotify n[3];

	for (int i = 0; i < 3; i++) {
		s[i] = stream();
		aclrtCreateNotify(&n[i], 0);
	}
	for (int i = 0; i < 3; i++) {
		aclrtWaitAndResetNotify(n[i], s[i], 0); /* BUG baton_circle */
		aclrtRecordNotify(n[(i + 1) % 3], s[i]); /* CALL baton_circle */
	}
	tell(aclrtSynchronizeStreamWithTimeout(s[0], 300));
	for (int i = 0; i < 3; i++)
		aclrtStreamAbort(s[i]);
}

/* Another process would have to record it */
static void shared_notify(void)
{
	aclrtStream s = stream();
	aclrtNotify n;
	char key[65];

	aclrtCreateNotify(&n, 0);
	aclrtNotifyGetExportKey(n, key, sizeof(key), ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	aclrtWaitAndResetNotify(n, s, 0); /* BUG shared_notify */
	tell(aclrtSynchronizeStreamWithTimeout(s, 300));
	aclrtStreamAbort(s);
}

static void host_never(void)
{
	aclrtEvent e;

	aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC);
	tell(aclrtSynchronizeEventWithTimeout(e, 300));
}

static void host_reset(void)
{
	aclrtStream s = stream();
	aclrtEvent e;

	aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC);
	aclrtRecordEvent(e, s);
	aclrtResetEvent(e, s); /* BUG host_reset */
	aclrtSynchronizeStream(s);
	tell(aclrtSynchronizeEventWithTimeout(e, 300));
}

static void counting_hangs(void)
{
	aclrtCntNotifyRecordInfo one = { .mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, .value = 1 };
	aclrtCntNotifyWaitInfo three = { .mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 3 };
	aclrtStream s = stream();
	aclrtCntNotify n;

	aclrtCntNotifyCreate(&n, 0);
	aclrtCntNotifyRecord(n, s, &one);
	aclrtCntNotifyRecord(n, s, &one);
	aclrtSynchronizeStream(s);
	aclrtCntNotifyWaitWithTimeout(n, s, &three); /* BUG counting_hangs */
	tell(aclrtSynchronizeStreamWithTimeout(s, 300));
	aclrtStreamAbort(s);
}

static void graph_hangs(void)
{
	aclrtStream s = stream();
	void *p = device(64);
	aclrtNotify n;
	aclmdlRI g;

	aclrtCreateNotify(&n, 0);
	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	aclrtMemsetAsync(p, 64, 1, 64, s);
	aclrtWaitAndResetNotify(n, s, 0); /* BUG graph_hangs */
	aclmdlRICaptureEnd(s, &g);
	aclmdlRIExecuteAsync(g, s); /* CALL graph_hangs */
	tell(aclrtSynchronizeStreamWithTimeout(s, 300));
	aclrtStreamAbort(s);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static volatile int taking;

static void take_held(void *arg)
{
	(void)arg;
	__atomic_store_n(&taking, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&held); /* CALL function_hangs */
	pthread_mutex_unlock(&held);
}

static void await_taking(void)
{
	while (!__atomic_load_n(&taking, __ATOMIC_SEQ_CST))
		usleep(1000);
}

/* The report names the function, and the stream that waits behind it */
static void function_hangs(void)
{
	aclrtStream s = stream(), behind = stream();
	aclrtEvent e;

	aclrtCreateEvent(&e);
	pthread_mutex_lock(&held);
	aclrtLaunchHostFunc(s, take_held, NULL); /* BUG function_hangs */
	aclrtRecordEvent(e, s);
	aclrtStreamWaitEvent(behind, e);
	await_taking();
	tell(aclrtSynchronizeStreamWithTimeout(behind, 300));
	pthread_mutex_unlock(&held);
}

static void graph_function_hangs(void)
{
	aclrtStream s = stream();
	aclmdlRI g;

	pthread_mutex_lock(&held);
	aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	aclrtLaunchHostFunc(s, take_held, NULL); /* BUG graph_function_hangs */
	aclmdlRICaptureEnd(s, &g);
	aclmdlRIExecuteAsync(g, s);
	await_taking();
	tell(aclrtSynchronizeStreamWithTimeout(s, 300));
	pthread_mutex_unlock(&held);
}

static void *sync_event(void *event)
{
	aclrtSetDevice(0);
	aclrtSynchronizeEvent(event); /* BUG asked_by_tool */
	return NULL;
}

/* The main thread hangs elsewhere, in a lock of the program; two others in the library */
static void asked_by_tool(void)
{
	aclrtStream s = stream();
	pthread_t thread;
	aclrtNotify n;
	aclrtEvent e;

	aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC);
	aclrtCreateNotify(&n, 0);
	pthread_create(&thread, NULL, sync_event, e);
	aclrtWaitAndResetNotify(n, s, 0); /* CALL asked_by_tool */
	tell(0);
	ask("sync_event");
	aclrtRecordEvent(e, NULL);
	pthread_join(thread, NULL);
	aclrtStreamAbort(s);
}

/* Not hangs: system calls on pinned memory beside what a copy uses are right */
static void host_neighbour(void)
{
	aclrtStream s = stream();
	float *a = tensor(1024);
	uint64_t *word = gate(s);
	char *host = pinned(4096);
	int fds[2];

	aclrtMemcpyAsync(host, 1024, a, 1024, ACL_MEMCPY_DEVICE_TO_HOST, s);
	if (pipe(fds) || write(fds[1], host + 1024, 1024) != 1024 || read(fds[0], host + 2048, 1024) != 1024)
		perror("a system call fails");
	open_gate(word);
	tell(aclrtSynchronizeStream(s));
	close(fds[0]);
	close(fds[1]);
	aclrtDestroyStream(s);
	aclrtFreeHost(host);
	aclrtFree(a);
	aclrtFree(word);
}

/* Two copies have a page together, which is closed then */
static void host_halves(void)
{
	aclrtStream s = stream();
	float *a = tensor(1024);
	uint64_t *word = gate(s);
	char *host = pinned(4096);

	aclrtMemcpyAsync(host, 2048, a, 2048, ACL_MEMCPY_DEVICE_TO_HOST, s);
	aclrtMemcpyAsync(host + 2048, 2048, a, 2048, ACL_MEMCPY_DEVICE_TO_HOST, s); /* CALL host_halves */
	printf("a number is %d\n", host[2052]); /* BUG host_halves */
	open_gate(word);
	tell(aclrtSynchronizeStream(s));
	aclrtDestroyStream(s);
	aclrtFreeHost(host);
	aclrtFree(a);
	aclrtFree(word);
}

#define HANGS_CASES \
	CASE(value_unwritten), CASE(baton_circle), CASE(shared_notify), CASE(host_never), CASE(host_reset), CASE(counting_hangs), \
	CASE(graph_hangs), CASE(function_hangs), CASE(graph_function_hangs), CASE(asked_by_tool), CASE(host_neighbour), \
	CASE(host_halves),
