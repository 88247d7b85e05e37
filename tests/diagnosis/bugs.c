// SPDX-License-Identifier: MIT
/*
 * Host programs of the catalogue, one function each, with one mistake. The line of the mistake has a comment
 * BUG with the case's name. They ignore what calls return, as hasty programs do, but for the line "CODE n" of
 * the call that a program would look at, and the text of aclGetRecentErrMsg() behind it.
 *
 * usage: bugs NAME
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <acl/acl.h>

#define KERNELS "build/tests/diagnosis/kernels.o"

static void tell(aclError code)
{
	const char *text = aclGetRecentErrMsg();

	printf("CODE %d\n%s\n", code, text ? text : "");
}

static void *device(size_t size)
{
	void *p = NULL;

	if (aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST))
		exit(3);
	return p;
}

static void *zeroed(size_t size)
{
	void *p = device(size);

	aclrtMemset(p, size, 0, size);
	return p;
}

static aclrtStream stream(void)
{
	aclrtStream s = NULL;

	if (aclrtCreateStream(&s))
		exit(3);
	return s;
}

static aclrtFuncHandle kernel(const char *name)
{
	static aclrtBinHandle bin;
	aclrtFuncHandle f = NULL;

	if (!bin && aclrtBinaryLoadFromFile(KERNELS, NULL, &bin))
		tell(1);
	if (aclrtBinaryGetFunction(bin, name, &f))
		tell(2);
	return f;
}

/* Up to three arguments of 8 bytes */
#define LAUNCH(name, blocks, stream, ...) do { \
	uint64_t args_[] = { __VA_ARGS__ }; \
	aclrtLaunchKernelWithHostArgs(kernel(name), blocks, stream, NULL, args_, sizeof(args_), NULL, 0); \
} while (0)
#define A(p) ((uint64_t)(uintptr_t)(p))

/* Operators that fail ------------------------------------------------------------------------------- */

static void op_read_behind(void)
{
	float *in = device(4 << 20), *out = device(8 << 20);

	LAUNCH("copy", 1, NULL, A(out), A(in) + (4 << 20) - 64, 1 << 20); /* CALL op_read_behind */
	tell(aclrtSynchronizeStream(NULL));
}

static void op_inlined(void)
{
	float *out = device(4 << 20);

	LAUNCH("far_store", 1, NULL, A(out), 1 << 22); /* CALL op_inlined */
	tell(aclrtSynchronizeStream(NULL));
}

static void op_null(void)
{
	LAUNCH("null_store", 1, NULL, 0); /* CALL op_null */
	tell(aclrtSynchronizeStream(NULL));
}

static void op_host_pointer(void)
{
	float local = 0;

	LAUNCH("null_store", 1, NULL, A(&local)); /* CALL op_host_pointer */
	tell(aclrtSynchronizeStream(NULL));
}

/* Programs that are not position-independent have their heap there */
static void op_low_host_pointer(void)
{
	void *low = mmap((void *)0x02400000, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	LAUNCH("null_store", 1, NULL, A(low)); /* CALL op_low_host_pointer */
	tell(aclrtSynchronizeStream(NULL));
}

static void op_freed(void)
{
	float *out = device(4 << 20); /* MADE op_freed */

	aclrtFree(out); /* FREED op_freed */
	LAUNCH("null_store", 1, NULL, A(out)); /* CALL op_freed */
	tell(aclrtSynchronizeStream(NULL));
}

static void op_handle(void)
{
	aclrtStream s = stream();

	LAUNCH("null_store", 1, s, A(s)); /* CALL op_handle */
	tell(aclrtSynchronizeStream(s));
}

static void op_assert(void)
{
	LAUNCH("divide", 1, NULL, A(device(64)), 0); /* CALL op_assert */
	tell(aclrtSynchronizeStream(NULL));
}

static void op_trap(void)
{
	LAUNCH("give_up", 1, NULL, 1); /* CALL op_trap */
	tell(aclrtSynchronizeStream(NULL));
}

static void op_timeout(void)
{
	uint32_t *flag = zeroed(64);

	aclrtSetOpExecuteTimeOutWithMs(300);
	LAUNCH("endless", 1, NULL, A(flag)); /* CALL op_timeout */
	tell(aclrtSynchronizeStream(NULL));
}

static void op_deadlock(void)
{
	LAUNCH("one_leaves", 4, NULL, 3); /* CALL op_deadlock */
	tell(aclrtSynchronizeStream(NULL));
}

static void blocking(void)
{
	uint64_t args[] = { 0 };

	tell(aclrtLaunchKernelWithHostArgs(kernel("null_store"), 1, NULL, NULL, args, 8, NULL, 0)); /* BUG blocking */
}

static void later_failures(void)
{
	aclrtStream s = stream();

	aclrtSetStreamFailureMode(s, ACL_STOP_ON_FAILURE);
	LAUNCH("null_store", 1, s, 0); /* CALL later_failures */
	for (int i = 0; i < 5; i++)
		LAUNCH("fill", 1, s, A(device(64)), 0, 1);
	tell(aclrtSynchronizeStream(s));
}

/* Calls with wrong arguments ----------------------------------------------------------------------- */

static void double_free(void)
{
	void *p = device(4096); /* MADE double_free */

	aclrtFree(p);		/* FREED double_free */
	tell(aclrtFree(p));	/* BUG double_free */
}

static void copy_too_long(void)
{
	char host[256], *p = device(128);

	tell(aclrtMemcpy(host, sizeof(host), p + 100, 128, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG copy_too_long */
}

static void use_after_free_copy(void)
{
	char host[64], *p = device(4096);

	aclrtFree(p); /* FREED use_after_free_copy */
	tell(aclrtMemcpy(host, 64, p, 64, ACL_MEMCPY_DEVICE_TO_HOST)); /* BUG use_after_free_copy */
}

static void few_arguments(void)
{
	uint64_t args[] = { 0 };

	tell(aclrtLaunchKernelWithHostArgs(kernel("copy"), 1, NULL, NULL, args, 8, NULL, 0)); /* BUG few_arguments */
}

static void wrong_handle(void)
{
	aclrtStream s = stream();

	aclrtDestroyStream(s);
	tell(aclrtSynchronizeStream(s)); /* BUG wrong_handle */
}

static void *no_context(void *arg)
{
	aclrtStream s;

	tell(aclrtCreateStream(&s)); /* BUG thread_without_device */
	return arg;
}

static void thread_without_device(void)
{
	pthread_t t;

	pthread_create(&t, NULL, no_context, NULL);
	pthread_join(t, NULL);
}

static void in_callback(void *arg)
{
	tell(aclrtSynchronizeStream(arg)); /* BUG sync_in_callback */
}

static void sync_in_callback(void)
{
	aclrtStream s = stream();

	aclrtLaunchHostFunc(s, in_callback, s);
	aclrtSynchronizeStream(s);
}

/* Hangs ---------------------------------------------------------------------------------------------- */

static void never_recorded(void)
{
	aclrtStream s = stream();
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtStreamWaitEvent(s, e); /* BUG never_recorded */
	tell(aclrtSynchronizeStreamWithTimeout(s, 300));
	aclrtStreamAbort(s);
}

static void circle(void)
{
	aclrtStream a = stream(), b = stream();
	aclrtEvent of_a, of_b;
	uint64_t *gate;

	aclrtCreateEventExWithFlag(&of_a, ACL_EVENT_SYNC);
	aclrtCreateEvent(&of_b);
	aclrtMallocHost((void **)&gate, 64);
	*gate = 0;
	aclrtStreamWaitEvent(a, of_b); /* BUG circle */
	aclrtCreateEvent(&of_a);
	aclrtStreamWaitEvent(b, of_a); /* BUG circle */
	aclrtRecordEvent(of_a, a);
	aclrtRecordEvent(of_b, b);
	tell(aclrtSynchronizeStreamWithTimeout(a, 300));
	aclrtStreamAbort(a);
	aclrtStreamAbort(b);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void no_report_thread(void)
{
	aclrtStream s = stream();

	aclrtSubscribeReport(pthread_self(), s);
	aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, s); /* BUG no_report_thread */
	tell(aclrtSynchronizeStreamWithTimeout(s, 300));
	aclrtStreamAbort(s);
}

static void wait_expired(void)
{
	aclrtStream s = stream();
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtSetOpWaitTimeout(1);
	aclrtStreamWaitEvent(s, e); /* BUG wait_expired */
	tell(aclrtSynchronizeStream(s));
}

static void by_signal(void)
{
	aclrtStream s = stream();
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtStreamWaitEvent(s, e); /* BUG by_signal */
	usleep(100000);
	kill(getpid(), SIGQUIT);
	tell(aclrtSynchronizeStreamWithTimeout(s, 1000));
	aclrtStreamAbort(s);
}

/* The default stream and others are in the report, each with what it waits for. */
static void several_hang(void)
{
	aclrtStream b = stream(), c = stream();
	aclrtNotify first, second;
	aclrtEvent e;

	aclrtCreateEvent(&e);
	aclrtCreateNotify(&first, 0);
	aclrtCreateNotify(&second, 0);
	aclrtWaitAndResetNotify(second, NULL, 0); /* CALL several_hang */
	aclrtWaitAndResetNotify(first, b, 0); /* MADE several_hang */
	aclrtStreamWaitEvent(c, e); /* BUG several_hang */
	usleep(100000);
	kill(getpid(), SIGQUIT);
	tell(aclrtSynchronizeStreamWithTimeout(c, 1000));
	aclrtStreamAbort(NULL);
	aclrtStreamAbort(b);
	aclrtStreamAbort(c);
}

#include "checked.h"
#include "hosts.h"
#include "habits.h"
#include "tricks.h"
#include "launches.h"
#include "hangs.h"
#include "orders.h"

#define CASE(name) { #name, name }
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	CASE(op_read_behind), CASE(op_inlined), CASE(op_null), CASE(op_host_pointer), CASE(op_low_host_pointer), CASE(op_freed),
	CASE(op_handle), CASE(op_assert), CASE(op_trap), CASE(op_timeout), CASE(op_deadlock),
	CASE(blocking), CASE(later_failures),
	CASE(double_free), CASE(copy_too_long), CASE(use_after_free_copy), CASE(few_arguments),
	CASE(wrong_handle), CASE(thread_without_device), CASE(sync_in_callback),
	CASE(never_recorded), CASE(circle), CASE(no_report_thread), CASE(wait_expired), CASE(by_signal),
	CASE(several_hang),
	CHECKED_CASES
	HOST_CASES
	HABITS_CASES
	TRICKS_CASES
	LAUNCHES_CASES
	HANGS_CASES
	ORDERS_CASES
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	aclInit(NULL);
	if (aclrtSetDevice(0)) {
		tell(3);
		return 3;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc == 2 && !strcmp(cases[i].name, argv[1])) {
			cases[i].run();
			aclFinalize();
			return 0;
		}
	fprintf(stderr, "usage: %s NAME\n", argv[0]);
	return 2;
}
