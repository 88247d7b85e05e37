// SPDX-License-Identifier: MIT
/* Several processes on one device, and processes that are killed. */
#include <fcntl.h>

#include "../acltest.h"

#define MIB (1UL << 20)

static void work(void)
{
	aclrtStream stream;
	uint64_t *word;

	start();
	stream = new_stream();
	word = dev_alloc(8);
	for (uint64_t i = 0; i < 200; i++) {
		unsigned int seed = (unsigned int)(getpid() + (int)i);
		void *dev = dev_alloc(10000);

		put_pattern(dev, 10000, seed);
		LAUNCH(op("store"), 1, stream, U64(word), i);
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(read_u64(word), i);
		CHECK_DEVICE(dev, 10000, seed);
		ACL(aclrtFree(dev));
	}
}

static void two_at_once(void)
{
	pid_t a = child(work), b = child(work);

	expect_success(a);
	expect_success(b);
}

static void eight_at_once(void)
{
	pid_t pid[8];

	for (int i = 0; i < 8; i++)
		pid[i] = child(work);
	for (int i = 0; i < 8; i++)
		expect_success(pid[i]);
}

static void one_at_a_time(void)
{
	for (int i = 0; i < 10; i++)
		expect_success(child(work));
}

/* Tells through a pipe that it has begun, then never ends by itself */
static int ready[2];

static void tell_and_wait(void)
{
	CHECK_EQ(write(ready[1], "x", 1), 1);
	for (;;)
		pause();
}

static void busy_launching(void)
{
	aclrtLaunchKernelAttr attr = { ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, { .timeout = 0 } };
	aclrtLaunchKernelCfg cfg = { &attr, 1 };
	uint64_t args[1];

	start();
	for (int i = 0; i < 10; i++) {
		put_pattern(dev_alloc(4 * MIB), 4096, 1);
		pinned_alloc(MIB);
		args[0] = U64(dev_alloc(8));
		ACL(aclrtLaunchKernelWithHostArgs(op("run_for_ever"), 2, new_stream(), &cfg, args, 8,
						  NULL, 0));
	}
	tell_and_wait();
}

static void busy_copying(void)
{
	const size_t n = 64 * MIB;
	aclrtStream stream;
	void *dev, *pinned;

	start();
	stream = new_stream();
	dev = dev_alloc(n);
	pinned = pinned_alloc(n);
	for (int i = 0; i < 50; i++) {
		ACL(aclrtMemcpyAsync(dev, n, pinned, n, ACL_MEMCPY_HOST_TO_DEVICE, stream));
		ACL(aclrtMemcpyAsync(pinned, n, dev, n, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	}
	tell_and_wait();
}

static void waiting_in_synchronize(void)
{
	start();
	op("spin_then_store");
	LAUNCH(op("spin_then_store"), 1, NULL, 50000000, U64(dev_alloc(8)), 1);
	CHECK_EQ(write(ready[1], "x", 1), 1);
	ACL(aclrtSynchronizeStream(NULL));
}

/* Free memory as a process of its own sees it, since a process that is set uses some itself */
static size_t free_memory(void)
{
	int pipe_fd[2];
	size_t value;
	pid_t pid;

	CHECK_EQ(pipe(pipe_fd), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		start();
		value = free_hbm();
		CHECK_EQ(write(pipe_fd[1], &value, sizeof(value)), sizeof(value));
		tap_end(TAP_OK);
	}
	close(pipe_fd[1]);
	CHECK_EQ(read(pipe_fd[0], &value, sizeof(value)), sizeof(value));
	close(pipe_fd[0]);
	expect_success(pid);
	return value;
}

static void kill_in_the_middle_of(void (*run)(void), int sig)
{
	size_t before = free_memory(), after;

	for (int i = 0; i < 3; i++) {
		char c;
		pid_t pid;

		CHECK_EQ(pipe(ready), 0);
		pid = child(run);
		close(ready[1]);
		CHECK_EQ(read(ready[0], &c, 1), 1);
		close(ready[0]);
		usleep(20000);
		/* Nobody waits for what the device runs: all of it takes longer than a test may */
		kill(pid, sig);
		waitpid(pid, NULL, 0);
	}
	after = free_memory();
	CHECK_EQ(after, before);
	/* Queues and cores came back too */
	expect_success(child(work));
}

static void killed_in_the_middle_of_launches(void)
{
	kill_in_the_middle_of(busy_launching, SIGKILL);
}

static void killed_in_the_middle_of_copies(void)
{
	kill_in_the_middle_of(busy_copying, SIGKILL);
}

static void killed_in_synchronize(void)
{
	kill_in_the_middle_of(waiting_in_synchronize, SIGKILL);
}

static void terminated_in_synchronize(void)
{
	kill_in_the_middle_of(waiting_in_synchronize, SIGTERM);
}

static void crash(void)
{
	start();
	LAUNCH(op("spin_then_store"), 1, NULL, 5000000, U64(dev_alloc(32 * MIB)), 1);
	CHECK_EQ(write(ready[1], "x", 1), 1);
	abort();
}

static void crashed_with_work_queued(void)
{
	kill_in_the_middle_of(crash, 0);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static void signals_do_not_end_a_wait(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	uint64_t *word, before;

	start();
	sigaction(SIGALRM, &action, NULL);
	word = pinned_alloc(8);
	*word = 0;
	op("spin_then_store");
	before = tap_ms();
	LAUNCH(op("spin_then_store"), 1, NULL, 600000, U64(word), 6);
	ualarm(20000, 20000);
	ACL(aclrtSynchronizeStream(NULL));
	ualarm(0, 0);
	CHECK_EQ(*word, 6);
	CHECK_OP(tap_ms() - before, >=, DEVICE_MS(600));
	CHECK_OP(alarms, >=, 3);
}

/* One process's pointer means nothing in another, not even in an operator */
static void pointers_of_another_process(void)
{
	enum { SIZE = 32 << 20 };
	uint64_t *theirs;
	char byte = 0;
	pid_t pid;
	int fd[2];

	CHECK_EQ(pipe(fd), 0);
	CHECK_EQ(pipe(ready), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		uint64_t *mine;

		start();
		mine = dev_alloc(SIZE);
		ACL(aclrtMemset(mine, SIZE, 0x77, SIZE));
		CHECK_EQ(write(fd[1], &mine, sizeof(mine)), sizeof(mine));
		CHECK_EQ(read(ready[0], &byte, 1), 1);
		for (int i = 0; i < 8; i++)
			CHECK_EQ(read_u64(&mine[(SIZE - 4096) / 8 + i]), 0x7777777777777777);
		tap_end(TAP_OK);
	}
	CHECK_EQ(read(fd[0], &theirs, sizeof(theirs)), sizeof(theirs));
	start();
	FAILS(aclrtFree(theirs), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemcpy(theirs, 8, &byte, 1, ACL_MEMCPY_HOST_TO_DEVICE),
	      ACL_ERROR_RT_PARAM_INVALID);
	/* both have the same range of addresses: far from what the library itself has at its begin */
	LAUNCH(op("write_at"), 1, NULL, U64(theirs) + SIZE - 4096);
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(write(ready[1], "x", 1), 1);
	expect_success(pid);
}

static void handles_of_another_process(void)
{
	aclrtStream theirs;
	pid_t pid;
	int fd[2];

	CHECK_EQ(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		aclrtStream mine = NULL;

		start();
		for (int i = 0; i < 20; i++)
			mine = new_stream();
		CHECK_EQ(write(fd[1], &mine, sizeof(mine)), sizeof(mine));
		pause();
	}
	CHECK_EQ(read(fd[0], &theirs, sizeof(theirs)), sizeof(theirs));
	start();
	FAILS(aclrtSynchronizeStream(theirs), ACL_ERROR_RT_INVALID_HANDLE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void exec_after_use_starts_a_new_program(void)
{
	pid_t pid;
	int status;

	start();
	put_pattern(dev_alloc(4096), 4096, 1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		/* Open descriptors must not leak into the new program */
		execl("/bin/sh", "sh", "-c", "! ls -l /proc/self/fd | grep accel", NULL);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_fault_of_one_is_not_the_others(void)
{
	pid_t pid = child(work);

	start();
	for (int i = 0; i < 50; i++) {
		LAUNCH(op("illegal_instruction"), 2, NULL, 0);
		CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	}
	expect_success(pid);
}

TAP_MAIN(TEST(two_at_once),
	 TEST(eight_at_once),
	 TEST(one_at_a_time),
	 TEST(killed_in_the_middle_of_launches),
	 TEST(killed_in_the_middle_of_copies),
	 TEST(killed_in_synchronize),
	 TEST(terminated_in_synchronize),
	 TEST(crashed_with_work_queued),
	 TEST(signals_do_not_end_a_wait),
	 TEST(pointers_of_another_process),
	 TEST(handles_of_another_process),
	 TEST(exec_after_use_starts_a_new_program),
	 TEST(a_fault_of_one_is_not_the_others))
