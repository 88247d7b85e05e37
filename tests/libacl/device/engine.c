// SPDX-License-Identifier: MIT
/*
 * Behaviour of the direct engine alone: the device model in this process, and memory of the program that goes
 * away while the device has it. With the driver every test here is skipped.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../acltest.h"

#define PAGE 4096UL
#define ONLY_DIRECT() do {                                              \
	const char *wish_ = getenv("ANPU_DEVICE");                      \
	if (!wish_ || strcmp(wish_, "direct"))                          \
		SKIP("the driver pins memory, and is in no process"); \
} while (0)

static sigjmp_buf back;
static volatile int caught;

static uint64_t *pages(size_t n)
{
	void *p = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

/* A kernel and a copy still work, so the device has survived */
static void works(void)
{
	uint64_t *word = dev_alloc(8);

	write_u64(word, 0);
	LAUNCH(op("increment"), 1, NULL, U64(word));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 1);
	ACL(aclrtFree(word));
}

/*
 * The device must find nothing where the memory was: whatever the library maps for itself is mapped
 * before the test unmaps it
 */
static uint64_t *registered(size_t n)
{
	uint64_t *mem = pages(n);
	void *dev;

	op("increment");
	op("store");
	works();
	ACL(aclrtHostRegister(mem, n * PAGE, ACL_HOST_REGISTER_MAPPED, &dev));
	CHECK(dev == mem);
	return mem;
}

static void an_operator_stores_to_memory_that_went_away(void)
{
	uint64_t *mem;

	ONLY_DIRECT();
	start();
	mem = registered(4);
	LAUNCH(op("store"), 1, NULL, U64(&mem[512]), 5);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(mem[512], 5);
	CHECK_EQ(munmap(mem, 4 * PAGE), 0);
	for (int i = 0; i < 3; i++) {
		LAUNCH(op("store"), 1, NULL, U64(&mem[512]), 6);
		FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "is not there any more");
		works();
	}
	ACL(aclrtHostUnregister(mem));
	works();
}

static void many_blocks_fault_at_once(void)
{
	uint64_t *mem;

	ONLY_DIRECT();
	start();
	mem = registered(4);
	CHECK_EQ(munmap(mem, 4 * PAGE), 0);
	for (int i = 0; i < 20; i++) {
		LAUNCH(op("increment"), 64, NULL, U64(mem));
		FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "is not there any more");
	}
	works();
}

static void a_copy_from_memory_that_went_away(void)
{
	uint64_t *mem, *dev;

	ONLY_DIRECT();
	start();
	dev = dev_alloc(1 << 20);
	mem = registered(256);
	CHECK_EQ(munmap(mem + 64 * 512, 64 * PAGE), 0);
	ACL(aclrtMemcpyAsync(dev, 1 << 20, mem, 1 << 20, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	CHECK(aclrtSynchronizeStream(NULL) != ACL_SUCCESS);
	CHECK(strstr(aclGetRecentErrMsg(), "is not there any more"));
	works();
}

static void memory_that_may_not_be_written_any_more(void)
{
	uint64_t *mem;

	ONLY_DIRECT();
	start();
	mem = registered(1);
	*mem = 41;
	CHECK_EQ(mprotect(mem, PAGE, PROT_READ), 0);
	LAUNCH(op("increment"), 1, NULL, U64(mem));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "is not there any more");
	CHECK_EQ(*mem, 41);
	CHECK_EQ(mprotect(mem, PAGE, PROT_READ | PROT_WRITE), 0);
	LAUNCH(op("increment"), 1, NULL, U64(mem));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(*mem, 42);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	caught = sig;
	siglongjmp(back, 1);
}

/* The program's own faults reach its own handler, many times, as it may leave that by longjmp() */
static void fault_of_the_program(volatile uint64_t *p)
{
	for (int i = 0; i < 3; i++) {
		caught = 0;
		if (!sigsetjmp(back, 1))
			*p = 1;
		CHECK_EQ(caught, SIGSEGV);
	}
}

static void handler(void)
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO };

	sa.sa_sigaction = on_fault;
	CHECK_EQ(sigaction(SIGSEGV, &sa, NULL), 0);
}

static void the_program_keeps_its_handler(void)
{
	uint64_t *mem, *none = pages(1);

	ONLY_DIRECT();
	CHECK_EQ(mprotect(none, PAGE, PROT_NONE), 0);
	handler();
	start();
	fault_of_the_program(none);
	mem = registered(1);
	CHECK_EQ(munmap(mem, PAGE), 0);
	LAUNCH(op("store"), 1, NULL, U64(mem), 5);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "is not there any more");
	CHECK_EQ(caught, SIGSEGV);
	fault_of_the_program(none);
}

static void a_handler_that_is_installed_later(void)
{
	uint64_t *mem, *none = pages(1);

	ONLY_DIRECT();
	CHECK_EQ(mprotect(none, PAGE, PROT_NONE), 0);
	start();
	works();
	handler();
	mem = registered(1);
	CHECK_EQ(munmap(mem, PAGE), 0);
	LAUNCH(op("store"), 1, NULL, U64(mem), 5);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "is not there any more");
	fault_of_the_program(none);
}

/* Without a handler a fault of the program ends it as it would anyway */
static void the_default_is_still_to_die(void)
{
	uint64_t *none = pages(1);
	int status;
	pid_t pid;

	ONLY_DIRECT();
	CHECK_EQ(mprotect(none, PAGE, PROT_NONE), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		start();
		works();
		*(volatile uint64_t *)none = 1;
		_exit(1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void exit_with_work_in_flight(void)
{
	int status;

	ONLY_DIRECT();
	for (int i = 0; i < 5; i++) {
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			uint64_t *go;

			start();
			go = pinned_alloc(8);
			*go = 0;
			LAUNCH(op("wait_for_word"), 8, NULL, U64(go));
			usleep(1000 * i);
			exit(7);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	}
}

/* ANPU_DEVICE chooses; each process chooses once, at its first question about devices */
static void the_driver_can_be_asked_for(void)
{
	uint32_t n = 99;

	ONLY_DIRECT();
	if (!access("/dev/accel", F_OK))
		SKIP("this machine may have the driver");
	setenv("ANPU_DEVICE", "driver", 1);
	ACL(aclInit(NULL));
	CHECK_EQ(aclrtGetDeviceCount(&n), ACL_ERROR_RT_NO_DEVICE);
	check_facts(aclGetRecentErrMsg(), "no ANPU on its PCI bus", NULL);
	setenv("ANPU_DEVICE", "direct", 1);
	CHECK_EQ(aclrtGetDeviceCount(&n), ACL_ERROR_RT_NO_DEVICE);
}

/* The line on standard error, once, and what ANPU_DEVICE could be if it is something else */
static void without_a_choice_a_line_says_so(void)
{
	char text[2048] = "";
	uint32_t n = 0;
	FILE *f = tmpfile();

	ONLY_DIRECT();
	if (!access("/dev/accel", F_OK))
		SKIP("this machine may have the driver");
	CHECK(f);
	setenv("ANPU_DEVICE", "sideways", 1);
	fflush(stderr);
	CHECK(dup2(fileno(f), 2) == 2);
	ACL(aclInit(NULL));
	ACL(aclrtGetDeviceCount(&n));
	ACL(aclrtGetDeviceCount(&n));
	fflush(stderr);
	rewind(f);
	CHECK(fread(text, 1, sizeof(text) - 1, f) > 0);
	CHECK_EQ(n, 1);
	check_facts(text, "'sideways'", "driver", "direct", "the device model runs in this process", NULL);
	CHECK(strstr(text, "in this process (") == strrchr(text, '(') - strlen("in this process "));
}

static void bad_descriptions(void)
{
	static const struct { const char *text, *what; } bad[] = {
		{ "cores=many", "cores=many" }, { "hbm=2", "hbm=2 " }, { "hbm=2X", "hbm=2X" },
		{ "colour=red", "colour" }, { "cores", "PROPERTY=VALUE" }, { "cores=2;jit=maybe", "jit=maybe" },
	};

	ONLY_DIRECT();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			setenv("ANPU_DIRECT", bad[i].text, 1);
			ACL(aclInit(NULL));
			CHECK_EQ(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
			check_facts(aclGetRecentErrMsg(), bad[i].what, NULL);
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
}

TAP_MAIN(TEST(an_operator_stores_to_memory_that_went_away),
	 TEST(many_blocks_fault_at_once),
	 TEST(a_copy_from_memory_that_went_away),
	 TEST(memory_that_may_not_be_written_any_more),
	 TEST(the_program_keeps_its_handler),
	 TEST(a_handler_that_is_installed_later),
	 TEST(the_default_is_still_to_die),
	 TEST(exit_with_work_in_flight),
	 TEST(the_driver_can_be_asked_for),
	 TEST(without_a_choice_a_line_says_so),
	 TEST(bad_descriptions))
