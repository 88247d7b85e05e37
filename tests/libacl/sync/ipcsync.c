// SPDX-License-Identifier: MIT
/* Events and notifies between two processes. */
#include "../turns.h"

static uint64_t *close_gate(aclrtStream stream)
{
	uint64_t *gate = dev_alloc(8);

	write_u64(gate, 0);
	ACL(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
	return gate;
}

/* Events --------------------------------------------------------------------------------------- */

/* Reads memory of the other process when its stream has got to its record */
static void waits_for_the_other(void)
{
	aclrtEventRecordedStatus status;
	aclrtIpcEventHandle handle;
	aclrtEvent event;
	aclrtStream stream;
	uint64_t *theirs, *mine;
	char key[65];
	int32_t pid;

	start();
	pid = getpid();
	tell(to_parent, &pid, sizeof(pid));
	hear(to_child, &handle, sizeof(handle));
	hear(to_child, key, sizeof(key));
	stream = new_stream();
	mine = dev_alloc(8);
	ACL(aclrtIpcMemImportByKey((void **)&theirs, key, 0));
	ACL(aclrtIpcOpenEventHandle(handle, &event));
	/* never recorded: nothing to wait for */
	ACL(aclrtQueryEventStatus(event, &status));
	CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
	ACL(aclrtSynchronizeEvent(event));
	for (uint64_t i = 1; i <= 20; i++) {
		turn(to_parent);
		await(to_child); /* it is recorded, behind a gate */
		ACL(aclrtQueryEventStatus(event, &status));
		CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
		ACL(aclrtStreamWaitEvent(stream, event));
		LAUNCH(op("load_store"), 1, stream, U64(mine), U64(theirs));
		if (i == 1)
			FAILS(aclrtSynchronizeEventWithTimeout(event, 20),
			      ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "time is up");
		turn(to_parent); /* the gate opens */
		if (i % 2)
			ACL(aclrtSynchronizeEvent(event));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(read_u64(mine), i);
		ACL(aclrtQueryEventStatus(event, &status));
		CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
	}
	FAILS(aclrtIpcGetEventHandle(event, &handle), ACL_ERROR_RT_PARAM_INVALID, "maker");
	turn(to_parent);
	await(to_child);
	/* the maker has destroyed it: who has it keeps it, nobody gets it any more */
	ACL(aclrtStreamWaitEvent(stream, event));
	ACL(aclrtSynchronizeStream(stream));
	FAILS(aclrtIpcOpenEventHandle(handle, &event), ACL_ERROR_RT_PARAM_INVALID, "any more");
	ACL(aclrtDestroyEvent(event));
}

static void an_event_orders_two_processes(void)
{
	pid_t pid = partner(waits_for_the_other);
	aclrtIpcEventHandle handle, again;
	aclrtStream stream;
	aclrtEvent event;
	uint64_t *value, *gate;
	char key[65];
	int32_t other;

	start();
	stream = new_stream();
	value = dev_alloc(8);
	write_u64(value, 0);
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_SYNC));
	ACL(aclrtIpcGetEventHandle(event, &handle));
	ACL(aclrtIpcGetEventHandle(event, &again));
	CHECK(!memcmp(&handle, &again, sizeof(handle)));
	ACL(aclrtIpcMemGetExportKey(value, 8, key, sizeof(key), 0));
	hear(to_parent, &other, sizeof(other));
	ACL(aclrtIpcMemSetImportPid(key, &other, 1));
	tell(to_child, &handle, sizeof(handle));
	tell(to_child, key, sizeof(key));
	FAILS(aclrtIpcOpenEventHandle(handle, &event), ACL_ERROR_RT_PARAM_INVALID, "this process");
	for (uint64_t i = 1; i <= 20; i++) {
		await(to_parent);
		gate = close_gate(stream);
		LAUNCH(op("increment"), 1, stream, U64(value));
		ACL(aclrtRecordEvent(event, stream));
		turn(to_child);
		await(to_parent);
		write_u64(gate, 1);
		ACL(aclrtSynchronizeEvent(event));
	}
	await(to_parent);
	ACL(aclrtDestroyEvent(event));
	turn(to_child);
	expect_success(pid);
}

static aclrtEventRecordedStatus status_of(aclrtEvent event)
{
	aclrtEventRecordedStatus status;

	ACL(aclrtQueryEventStatus(event, &status));
	return status;
}

/* The first record is called for, and runs after the second */
static void records_run_in_another_order(void)
{
	aclrtStream first, second, waits_for_first, waits_for_second;
	uint64_t *gate, before, after;
	aclrtEvent event;

	start();
	first = new_stream();
	second = new_stream();
	waits_for_first = new_stream();
	waits_for_second = new_stream();
	ACL(aclrtCreateEventExWithFlag(&event,
				       ACL_EVENT_IPC | ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
	for (int i = 0; i < 300; i++) { /* more than there are words for */
		gate = close_host_gate(first);
		ACL(aclrtRecordEvent(event, first));
		ACL(aclrtStreamWaitEvent(waits_for_first, event));
		ACL(aclrtRecordEvent(event, second));
		ACL(aclrtStreamWaitEvent(waits_for_second, event));
		ACL(aclrtSynchronizeStream(second));
		/* the latest record counts, whatever else has not run */
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
		ACL(aclrtSynchronizeEvent(event));
		ACL(aclrtSynchronizeStream(waits_for_second));
		ACL(aclrtEventGetTimestamp(event, &before));
		/* and does not satisfy a wait for the one before */
		if (i < 3)
			FAILS(aclrtSynchronizeStreamWithTimeout(waits_for_first, 20),
			      ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
		open_host_gate(gate);
		ACL(aclrtSynchronizeStream(waits_for_first));
		/* what ran last is not the latest */
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
		ACL(aclrtSynchronizeEvent(event));
		ACL(aclrtStreamWaitEvent(second, event));
		ACL(aclrtSynchronizeStream(second));
		ACL(aclrtEventGetTimestamp(event, &after));
		CHECK_EQ(after, before);
	}
	ACL(aclrtDestroyEvent(event));
}

/* A stream may have any number of records that have not run; one of another stream needs a word */
static void many_records_that_have_not_run(void)
{
	aclrtStream first, second;
	aclrtEvent event;
	uint64_t *gate;

	start();
	first = new_stream();
	second = new_stream();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_SYNC));
	gate = close_host_gate(first);
	for (int i = 0; i < 300; i++)
		ACL(aclrtRecordEvent(event, first));
	FAILS(aclrtRecordEvent(event, second), ACL_ERROR_RT_OVER_LIMIT, "126", "synchronise");
	CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeEvent(event));
	ACL(aclrtRecordEvent(event, second));
	ACL(aclrtSynchronizeEvent(event));
	CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

/* Records of both processes, of which the earlier one runs last */
static void records_behind_a_gate(void)
{
	aclrtIpcEventHandle handle;
	aclrtStream stream;
	aclrtEvent event;
	uint64_t *gate;

	start();
	hear(to_child, &handle, sizeof(handle));
	ACL(aclrtIpcOpenEventHandle(handle, &event));
	stream = new_stream();
	for (int i = 0; i < 20; i++) {
		gate = close_gate(stream);
		ACL(aclrtRecordEvent(event, stream));
		turn(to_parent);
		await(to_child); /* the other one has recorded it and waited for that */
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
		write_u64(gate, 1);
		ACL(aclrtSynchronizeStream(stream));
		ACL(aclrtSynchronizeEvent(event));
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
		turn(to_parent);
		await(to_child);
	}
}

/* Records that an abort has dropped keep nothing from later ones, of other streams */
static void aborted_records(void)
{
	aclrtStream stream, last;
	aclrtEvent event;

	start();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_SYNC));
	for (int i = 0; i < 150; i++) { /* more than there are words for */
		stream = new_stream();
		close_host_gate(stream);
		ACL(aclrtRecordEvent(event, stream));
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
		ACL(aclrtStreamAbort(stream));
		if (i % 3)
			ACL(aclrtDestroyStreamForce(stream));
	}
	last = new_stream();
	ACL(aclrtRecordEvent(event, last));
	ACL(aclrtSynchronizeEvent(event));
	CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

static void stop_after_a_failure(aclrtStream stream)
{
	ACL(aclrtSetStreamFailureMode(stream, 1));
	LAUNCH(op("write_at"), 1, stream, 8);
	CHECK(aclrtSynchronizeStream(stream));
}

/* A stream that takes no more work refuses the record, and the one before it still is the latest */
static void a_refused_record(void)
{
	aclrtContext own, other;
	aclrtStream stream, stopped;
	aclrtEvent event;
	uint64_t *gate;

	start();
	ACL(aclrtGetCurrentContext(&own));
	stream = new_stream();
	/* all streams of a context stop */
	ACL(aclrtCreateContext(&other, 0));
	stopped = new_stream();
	stop_after_a_failure(stopped);
	ACL(aclrtSetCurrentContext(own));
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_SYNC));
	for (int i = 0; i < 150; i++) { /* more than there are words for */
		gate = close_host_gate(stream);
		ACL(aclrtRecordEvent(event, stream));
		FAILS(aclrtRecordEvent(event, stopped), ACL_ERROR_RT_TASK_ABORT_STOP);
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
		open_host_gate(gate);
		ACL(aclrtSynchronizeEvent(event));
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
	}
}

/* A record that was dropped never happens: who waits for it is told, as for events of one process */
static void dropped_records_are_told(void)
{
	aclrtStream stream;
	aclrtEvent event;

	start();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_SYNC));
	for (int i = 0; i < 3; i++) {
		stream = new_stream();
		close_host_gate(stream);
		ACL(aclrtRecordEvent(event, stream));
		FAILS(aclrtSynchronizeEventWithTimeout(event, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
		ACL(aclrtStreamAbort(stream));
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
		CHECK(aclrtSynchronizeEvent(event));
		CHECK(find_text(aclGetRecentErrMsg(), "dropped"));
		ACL(aclrtRecordEvent(event, stream));
		ACL(aclrtSynchronizeEvent(event));
	}
}

/* Makes an event, records it behind a gate, and stays until it is killed */
static void records_and_stays(void)
{
	aclrtIpcEventHandle handle;
	aclrtStream stream;
	aclrtEvent event;

	start();
	stream = new_stream();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_SYNC));
	ACL(aclrtIpcGetEventHandle(event, &handle));
	close_gate(stream);
	ACL(aclrtRecordEvent(event, stream));
	tell(to_parent, &handle, sizeof(handle));
	for (;;)
		pause();
}

/* A record of a process that has ended never happens: whoever waits for it is told, and by whom it was called for */
static void the_end_of_a_recorder_is_told(void)
{
	pid_t pid = partner(records_and_stays);
	aclrtIpcEventHandle handle;
	aclrtStream stream;
	aclrtEvent event;
	static char name[32];

	start();
	stream = new_stream();
	hear(to_parent, &handle, sizeof(handle));
	ACL(aclrtIpcOpenEventHandle(handle, &event));
	ACL(aclrtStreamWaitEvent(stream, event));
	snprintf(name, sizeof(name), "process %d", (int)pid);
	FAILS(aclrtSynchronizeEventWithTimeout(event, 20), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "time is up", name);
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	FAILS(aclrtSynchronizeEvent(event), ACL_ERROR_RT_IPC_ERROR, "record number 1", name, "has ended");
	FAILS(aclrtSynchronizeStreamWithTimeout(stream, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, name, "has ended");
	ACL(aclrtStreamAbort(stream));
	/* records of the living are as good as ever */
	ACL(aclrtRecordEvent(event, stream));
	ACL(aclrtSynchronizeEvent(event));
}

static void records_of_two_processes_in_another_order(void)
{
	pid_t pid = partner(records_behind_a_gate);
	aclrtIpcEventHandle handle;
	aclrtStream stream;
	aclrtEvent event;

	start();
	stream = new_stream();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_SYNC));
	ACL(aclrtIpcGetEventHandle(event, &handle));
	tell(to_child, &handle, sizeof(handle));
	for (int i = 0; i < 20; i++) {
		await(to_parent);
		CHECK_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
		ACL(aclrtRecordEvent(event, stream));
		ACL(aclrtSynchronizeEvent(event));
		turn(to_child);
		await(to_parent);
		ACL(aclrtSynchronizeEvent(event));
		ACL(aclrtStreamWaitEvent(stream, event));
		ACL(aclrtSynchronizeStream(stream));
		turn(to_child);
	}
	expect_success(pid);
}

static void reads_the_time(void)
{
	aclrtIpcEventHandle handle;
	aclrtEvent event;
	uint64_t theirs, mine = 0;

	start();
	hear(to_child, &handle, sizeof(handle));
	hear(to_child, &theirs, sizeof(theirs));
	ACL(aclrtIpcOpenEventHandle(handle, &event));
	ACL(aclrtEventGetTimestamp(event, &mine));
	CHECK_EQ(mine, theirs);
}

static void time_stamps_are_shared(void)
{
	pid_t pid = partner(reads_the_time);
	aclrtIpcEventHandle handle;
	aclrtEvent event;
	uint64_t time = 0;

	start();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC | ACL_EVENT_TIME_LINE));
	ACL(aclrtRecordEvent(event, NULL));
	ACL(aclrtSynchronizeEvent(event));
	ACL(aclrtEventGetTimestamp(event, &time));
	ACL(aclrtIpcGetEventHandle(event, &handle));
	tell(to_child, &handle, sizeof(handle));
	tell(to_child, &time, sizeof(time));
	expect_success(pid);
}

static void wrong_events(void)
{
	aclrtIpcEventHandle handle = { "nonsense" };
	aclrtEvent event, plain;

	start();
	ACL(aclrtCreateEvent(&plain));
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
	FAILS(aclrtIpcGetEventHandle(NULL, &handle), ACL_ERROR_INVALID_PARAM, "event");
	FAILS(aclrtIpcGetEventHandle(event, NULL), ACL_ERROR_INVALID_PARAM, "handle");
	FAILS(aclrtIpcGetEventHandle(plain, &handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "ACL_EVENT_IPC");
	FAILS(aclrtIpcOpenEventHandle(handle, &event), ACL_ERROR_RT_PARAM_INVALID, "nonsense");
	memset(&handle, 0xff, sizeof(handle));
	FAILS(aclrtIpcOpenEventHandle(handle, &event), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtIpcOpenEventHandle(handle, NULL), ACL_ERROR_INVALID_PARAM, "event");
	/* process 1 makes no keys */
	memset(&handle, 0, sizeof(handle));
	snprintf(handle.reserved, sizeof(handle.reserved), "anpu-%016llx", 1ULL << 42 | 5);
	FAILS(aclrtIpcOpenEventHandle(handle, &event), ACL_ERROR_RT_IPC_ERROR, "process 1");
	FAILS(aclrtResetEvent(event, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "reset");
	FAILS(aclrtIpcGetEventHandle(&plain, &handle), ACL_ERROR_RT_INVALID_HANDLE);
}

/* Memory and addresses come back, also while tasks still use the event */
static void many_events(void)
{
	aclrtIpcEventHandle handle;
	uint64_t *gate;
	aclrtEvent event;

	start();
	for (int i = 0; i < 300; i++) {
		gate = i % 50 ? NULL : close_gate(NULL);
		ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
		ACL(aclrtIpcGetEventHandle(event, &handle));
		ACL(aclrtRecordEvent(event, NULL));
		ACL(aclrtDestroyEvent(event));
		if (gate)
			write_u64(gate, 1);
	}
	ACL(aclrtSynchronizeStream(NULL));
}

/* Notifies ------------------------------------------------------------------------------------- */

static void plays_back(void)
{
	aclrtNotify there, back;
	char key[2][65], memory[65];
	aclrtStream stream;
	uint64_t *count;
	int32_t pid = getpid();

	start();
	stream = new_stream();
	tell(to_parent, &pid, sizeof(pid));
	hear(to_child, key, sizeof(key));
	hear(to_child, memory, sizeof(memory));
	ACL(aclrtNotifyImportByKey(&there, key[0], 0));
	ACL(aclrtNotifyImportByKey(&back, key[1], ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS));
	ACL(aclrtIpcMemImportByKey((void **)&count, memory, 0));
	for (int i = 0; i < 50; i++) {
		ACL(aclrtWaitAndResetNotify(there, stream, 0));
		LAUNCH(op("increment"), 1, stream, U64(count));
		ACL(aclrtRecordNotify(back, stream));
	}
	ACL(aclrtSynchronizeStream(stream));
	FAILS(aclrtNotifyGetExportKey(there, memory, 65, 0), ACL_ERROR_RT_PARAM_INVALID, "maker");
	ACL(aclrtDestroyNotify(there));
	ACL(aclrtDestroyNotify(back));
}

static void notifies_pass_a_baton_between_processes(void)
{
	pid_t pid = partner(plays_back);
	char key[2][65], memory[65];
	aclrtNotify there, back;
	aclrtStream stream;
	uint64_t *count;
	int32_t other;

	start();
	stream = new_stream();
	count = dev_alloc(8);
	write_u64(count, 0);
	hear(to_parent, &other, sizeof(other));
	ACL(aclrtCreateNotify(&there, 0));
	ACL(aclrtCreateNotify(&back, 0));
	ACL(aclrtNotifyGetExportKey(there, key[0], 65, 0));
	ACL(aclrtNotifySetImportPid(there, &other, 1));
	ACL(aclrtNotifyGetExportKey(back, key[1], 65,
				    ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	ACL(aclrtIpcMemGetExportKey(count, 8, memory, 65,
				    ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	tell(to_child, key, sizeof(key));
	tell(to_child, memory, sizeof(memory));
	for (int i = 0; i < 50; i++) {
		LAUNCH(op("increment"), 1, stream, U64(count));
		ACL(aclrtRecordNotify(there, stream));
		ACL(aclrtWaitAndResetNotify(back, stream, 0));
	}
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(count), 100);
	expect_success(pid);
}

static void may_not_have_it(void)
{
	aclrtNotify notify;
	char key[65];

	start();
	hear(to_child, key, sizeof(key));
	FAILS(aclrtNotifyImportByKey(&notify, key, 0), ACL_ERROR_RT_NO_PERMISSION, "does not let");
}

static void only_those_named_may_import(void)
{
	pid_t pid = partner(may_not_have_it);
	aclrtNotify notify;
	int32_t other = 1;
	char key[65];

	start();
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0));
	ACL(aclrtNotifySetImportPid(notify, &other, 1));
	tell(to_child, key, sizeof(key));
	expect_success(pid);
}

/* A record made before the notify's word moved still counts afterwards */
static void a_used_notify_can_be_exported_when_it_is_quiet(void)
{
	uint64_t *gate;
	aclrtNotify notify;
	char key[65];

	start();
	ACL(aclrtCreateNotify(&notify, 0));
	gate = close_gate(NULL);
	ACL(aclrtRecordNotify(notify, NULL));
	FAILS(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "aclrtSynchronizeDevice");
	write_u64(gate, 1);
	ACL(aclrtSynchronizeDevice());
	ACL(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0));
	ACL(aclrtWaitAndResetNotify(notify, NULL, 1));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtDestroyNotify(notify));
}

static void wrong_notifies(void)
{
	aclrtNotify notify, other;
	int32_t pid = 1;
	char key[65];

	start();
	ACL(aclrtCreateNotify(&notify, 0));
	FAILS(aclrtNotifySetImportPid(notify, &pid, 1), ACL_ERROR_RT_PARAM_INVALID, "no key");
	FAILS(aclrtNotifyGetExportKey(NULL, key, 65, 0), ACL_ERROR_INVALID_PARAM, "notify");
	FAILS(aclrtNotifyGetExportKey(notify, NULL, 65, 0), ACL_ERROR_INVALID_PARAM, "key");
	FAILS(aclrtNotifyGetExportKey(notify, key, 21, 0), ACL_ERROR_INVALID_PARAM, "len", "21");
	FAILS(aclrtNotifyGetExportKey(notify, key, 65, 1), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtNotifyGetExportKey(&notify, key, 65, 0), ACL_ERROR_RT_INVALID_HANDLE);
	ACL(aclrtNotifyGetExportKey(notify, key, 65, 0));
	FAILS(aclrtNotifySetImportPid(notify, NULL, 1), ACL_ERROR_INVALID_PARAM, "pid");
	FAILS(aclrtNotifySetImportPid(notify, &pid, 0), ACL_ERROR_INVALID_PARAM, "num");
	FAILS(aclrtNotifySetImportPid(NULL, &pid, 1), ACL_ERROR_INVALID_PARAM, "notify");
	FAILS(aclrtNotifyImportByKey(NULL, key, 0), ACL_ERROR_INVALID_PARAM, "notify");
	FAILS(aclrtNotifyImportByKey(&other, NULL, 0), ACL_ERROR_INVALID_PARAM, "key");
	FAILS(aclrtNotifyImportByKey(&other, key, 1), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtNotifyImportByKey(&other, key, 0), ACL_ERROR_RT_PARAM_INVALID, "this process");
	FAILS(aclrtNotifyImportByKey(&other, "key", 0), ACL_ERROR_RT_PARAM_INVALID,
	      "aclrtNotifyGetExportKey");
}

TAP_MAIN(TEST(an_event_orders_two_processes),
	 TEST(records_run_in_another_order),
	 TEST(many_records_that_have_not_run),
	 TEST(aborted_records),
	 TEST(a_refused_record),
	 TEST(dropped_records_are_told),
	 TEST(the_end_of_a_recorder_is_told),
	 TEST(records_of_two_processes_in_another_order),
	 TEST(time_stamps_are_shared),
	 TEST(wrong_events),
	 TEST(many_events),
	 TEST(notifies_pass_a_baton_between_processes),
	 TEST(only_those_named_may_import),
	 TEST(a_used_notify_can_be_exported_when_it_is_quiet),
	 TEST(wrong_notifies))
