// SPDX-License-Identifier: MIT
/* A process that is forked from one that uses a device may not use it, and harms nobody. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../acltest.h"

static void expect_code(aclError got, const char *name)
{
	const char *msg = aclGetRecentErrMsg();

	if (got != ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
		FAIL("%s returned %d in the child", name, got);
	check_facts(msg, "fork", "exec", name, NULL);
}

/* Enough zeros for any of them */
typedef aclError any_function(long, long, long, long, long, long, long, long, long, long, long, long);

/* These ask or set what belongs to the process and needs no device */
static bool needs_nothing(const char *name)
{
	static const char *const list[] = { "aclrtPeekAtLastError", "aclrtGetLastError" };

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static void call_all(void)
{
	char line[1024], name[80], state[16], prototype[400];
	FILE *f = fopen("lib/api.list", "r");
	int checked = 0;

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		any_function *fn;
		void *symbol;

		if (sscanf(line, "%79[^\t]\t%*[^\t]\t%*[^\t]\t%15[^\t]\t%399[^\t]", name, state,
			   prototype) != 3 ||
		    line[0] == '#' || strcmp(state, "built") ||
		    strncmp(prototype, "aclError ", 9) || needs_nothing(name))
			continue;
		symbol = dlsym(RTLD_DEFAULT, name);
		CHECK(symbol);
		memcpy(&fn, &symbol, sizeof(fn));
		aclGetRecentErrMsg();
		expect_code(fn(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), name);
		checked++;
	}
	fclose(f);
	CHECK_OP(checked, >, 150);
}

static void every_function_is_refused_in_the_child(void)
{
	aclrtStream stream;
	uint64_t *word;

	start();
	stream = new_stream();
	word = dev_alloc(8);
	LAUNCH(op("store"), 1, stream, U64(word), 1);
	expect_success(child(call_all));
	/* the parent's are as they were */
	LAUNCH(op("increment"), 1, stream, U64(word));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(word), 2);
	ACL(aclrtDestroyStream(stream));
	ACL(aclrtFree(word));
	ACL(aclFinalize());
}

static void end_in_order(void)
{
	CHECK(aclFinalize() != ACL_SUCCESS);
	fflush(stdout);
	exit(0); /* handlers run */
}

static void the_child_ends_in_order(void)
{
	uint64_t *word;

	start();
	word = dev_alloc(8);
	ACL(aclrtExceptionInfoCallbackRegister((aclrtExceptionInfoCallback)(uintptr_t)abort));
	for (int i = 0; i < 5; i++) {
		LAUNCH(op("spin_then_store"), 1, NULL, 20000, U64(word), (uint64_t)i);
		expect_success(child(end_in_order));
		ACL(aclrtSynchronizeStream(NULL));
		CHECK_EQ(read_u64(word), i);
	}
}

static atomic_bool stop;

/* Holds the library's locks at any moment */
static void *keep_busy(void *arg)
{
	uint64_t *word = arg;

	ACL(aclrtSetDevice(0));
	while (!atomic_load(&stop)) {
		void *p = dev_alloc(100);
		aclrtStream stream = new_stream();

		LAUNCH(op("increment"), 1, stream, U64(word));
		aclrtFree(NULL);
		aclGetRecentErrMsg();
		ACL(aclrtDestroyStream(stream));
		ACL(aclrtFree(p));
	}
	return NULL;
}

static void call_some(void)
{
	void *p;

	expect_code(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
	expect_code(aclrtSetDevice(0), "aclrtSetDevice");
	expect_code(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
	expect_code(aclInit(NULL), "aclInit");
	expect_code(aclFinalize(), "aclFinalize");
}

static void a_fork_in_the_middle_of_other_threads_calls(void)
{
	pthread_t thread[3];
	uint64_t *word;

	SKIP_IN_ASAN_FORK();
	start();
	word = dev_alloc(8);
	op("increment");
	for (int i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, keep_busy, word), 0);
	for (int i = 0; i < 40; i++)
		expect_success(child(call_some));
	atomic_store(&stop, true);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

#define EIGHT_TIMES(x) x x x x x x x x
#define A_MISTAKE                                                                                  \
	if (atomic_load(&stop))                                                                    \
		return NULL;                                                                       \
	aclrtFree(NULL);

/* At 512 places, each of which is told of once, with its line */
static void *make_mistakes(void *arg)
{
	(void)arg;
	for (;;) {
		EIGHT_TIMES(EIGHT_TIMES(EIGHT_TIMES(A_MISTAKE)))
	}
}

/* In the checking mode a child looks for lines of its own, which takes locks that threads of its parent had. */
static void a_fork_while_others_are_told_of_mistakes(void)
{
	pthread_t thread;
	int nowhere = open("/dev/null", O_WRONLY);

	SKIP_IN_ASAN_FORK();
	setenv("ANPU_CHECK", "1", 1);
	CHECK_OP(dup2(nowhere, 2), ==, 2);
	start();
	CHECK_EQ(pthread_create(&thread, NULL, make_mistakes, NULL), 0);
	for (int i = 0; i < 10; i++)
		expect_success(child(call_some));
	atomic_store(&stop, true);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void use_it(void)
{
	start();
	ACL(aclrtFree(dev_alloc(64)));
	ACL(aclFinalize());
}

static void a_fork_before_the_first_device_is_fine(void)
{
	uint32_t n;

	ACL(aclInit(NULL));
	ACL(aclrtGetDeviceCount(&n));
	FAILS(aclrtSetDevice(5), ACL_ERROR_RT_INVALID_DEVICEID);
	for (int i = 0; i < 3; i++) {
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			ACL(aclFinalize()); /* the child has the parent's reference, too */
			use_it();
			tap_end(TAP_OK);
		}
		expect_success(pid);
	}
	ACL(aclFinalize());
	use_it();
}

TAP_MAIN(TEST(every_function_is_refused_in_the_child),
	 TEST(the_child_ends_in_order),
	 TEST(a_fork_in_the_middle_of_other_threads_calls),
	 TEST(a_fork_while_others_are_told_of_mistakes),
	 TEST(a_fork_before_the_first_device_is_fine))
