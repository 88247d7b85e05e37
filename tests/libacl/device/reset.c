// SPDX-License-Identifier: MIT
/*
 * The device is reset under a program: nothing hangs, every call says so, and setting the device again
 * makes it work. And ANPU_SUBMIT, as what is in the way of a packet differs.
 */
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../acltest.h"

/* A function-level reset of the machine's first NPU, as its owner would do it */
static void reset_device(void)
{
	glob_t found;
	int fd;

	CHECK_EQ(glob("/sys/bus/pci/drivers/anpu/0000:*/reset", 0, NULL, &found), 0);
	fd = open(found.gl_pathv[0], O_WRONLY);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, "1", 1), 1);
	close(fd);
	globfree(&found);
}

/* With an operator that is loaded anew */
static void works(void)
{
	uint64_t *word = dev_alloc(8);
	aclrtFuncHandle func;

	ACL(aclrtBinaryGetFunction(load(OPS), "increment", &func));
	write_u64(word, 41);
	LAUNCH(func, 1, NULL, U64(word));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 42);
}

static void set_again(void)
{
	ACL(aclrtResetDeviceForce(0));
	ACL(aclrtSetDevice(0));
	works();
}

static void idle_streams_refuse_work(void)
{
	aclrtFuncHandle func;
	aclrtStream stream;
	uint64_t *word;

	start();
	works();
	stream = new_stream();
	word = dev_alloc(8);
	write_u64(word, 0);
	func = op("increment");
	reset_device();
	FAILS(aclrtLaunchKernel(func, 1, word, 8, stream), ACL_ERROR_RT_DRV_INTERNAL_ERROR, "reset",
	      "aclrtResetDeviceForce");
	FAILS(aclrtMemsetAsync(word, 8, 0, 8, stream), ACL_ERROR_RT_DRV_INTERNAL_ERROR, "reset");
	/* memory outlives a reset, so that results can be saved */
	CHECK_EQ(read_u64(word), 0);
	set_again();
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static void *launches(void *ready)
{
	uint64_t *word;
	aclrtFuncHandle func;
	aclrtStream stream;
	aclError err;

	ACL(aclrtSetDevice(0));
	stream = new_stream();
	word = dev_alloc(8);
	func = op("increment");
	atomic_fetch_add((atomic_int *)ready, 1);
	do {
		uint64_t args[] = { U64(word) };

		err = aclrtLaunchKernelWithHostArgs(func, 1, stream, NULL, args, sizeof(args), NULL,
						    0);
	} while (!err);
	CHECK_EQ(err, ACL_ERROR_RT_DRV_INTERNAL_ERROR);
	/* what was taken may have ended before the reset */
	err = aclrtSynchronizeStream(stream);
	CHECK(!err || err == ACL_ERROR_RT_DRV_INTERNAL_ERROR);
	return NULL;
}

static void *waits(void *ready)
{
	aclrtStream stream;
	uint64_t *go;

	ACL(aclrtSetDevice(0));
	go = pinned_alloc(8);
	stream = new_stream();
	*go = 0;
	LAUNCH(op("wait_for_word"), 1, stream, U64(go));
	atomic_fetch_add((atomic_int *)ready, 1);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_DRV_INTERNAL_ERROR, "reset");
	return NULL;
}

/* Full rings, sleepers, and submitters in the middle of it */
static void busy_threads_are_told(void)
{
	enum { THREADS = 8 };
	pthread_t thread[THREADS];
	atomic_int ready = 0;

	start();
	works();
	op("wait_for_word");
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, i % 2 ? launches : waits, &ready), 0);
	while (atomic_load(&ready) < THREADS)
		usleep(1000);
	usleep(50000);
	reset_device();
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
	set_again();
}

static void it_works_again_many_times(void)
{
	for (int i = 0; i < 10; i++) {
		start();
		reset_device();
		set_again();
		ACL(aclFinalize());
	}
}

static void run_bad_variable(void)
{
	setenv("ANPU_SUBMIT", "fast", 1);
	start();
	works();
}

static void submit_variable(void)
{
	int fds[2], err = dup(2);
	char text[512] = "";

	CHECK_EQ(pipe(fds), 0);
	dup2(fds[1], 2);
	expect_success(child(run_bad_variable));
	dup2(err, 2);
	close(fds[1]);
	CHECK(read(fds[0], text, sizeof(text) - 1) > 0);
	CHECK(find_text(text, "ANPU_SUBMIT is 'fast'"));
	CHECK(find_text(text, "ioctl"));
	close(fds[0]);
	close(err);
}

TAP_MAIN(TEST(submit_variable),
	 TEST(idle_streams_refuse_work),
	 TEST(busy_threads_are_told),
	 TEST(it_works_again_many_times))
