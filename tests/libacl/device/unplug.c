// SPDX-License-Identifier: MIT
/* The driver is taken from the device: whoever waits, in whatever way, is woken by an error. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../acltest.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu"

static aclrtStream stuck;
static aclrtEvent never;
static aclrtNotify notify;
static atomic_int sleeping;

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text)) < 0 ? -1 : 0;
	close(fd);
	return ret;
}

static void find_device(char *name, size_t size)
{
	DIR *dir = opendir(DRIVER);
	struct dirent *entry;

	CHECK(dir);
	*name = 0;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] == '0')
			snprintf(name, size, "%.60s", entry->d_name);
	closedir(dir);
	CHECK(*name);
}

static aclError wait_stream(void)
{
	return aclrtSynchronizeStream(stuck);
}

static aclError wait_stream_for_long(void)
{
	return aclrtSynchronizeStreamWithTimeout(stuck, 1000000);
}

static aclError wait_device(void)
{
	return aclrtSynchronizeDevice();
}

static aclError wait_event(void)
{
	return aclrtSynchronizeEvent(never);
}

static aclError wait_report(void)
{
	aclError ret = aclrtSubscribeReport((uint64_t)pthread_self(), stuck);

	return ret ? ret : aclrtProcessReport(-1);
}

struct waiter {
	const char *name;
	aclError (*wait)(void);
	pthread_t thread;
	aclError ret;
	char message[400];
};

static void *wait_in_thread(void *arg)
{
	struct waiter *w = arg;
	const char *msg;

	ACL(aclrtSetDevice(0));
	atomic_fetch_add(&sleeping, 1);
	w->ret = w->wait();
	msg = aclGetRecentErrMsg();
	snprintf(w->message, sizeof(w->message), "%s", msg ? msg : "");
	return NULL;
}

static void all_waiters_are_woken(void)
{
	struct waiter waiters[] = {
		{ .name = "aclrtSynchronizeStream", .wait = wait_stream },
		{ .name = "aclrtSynchronizeStreamWithTimeout", .wait = wait_stream_for_long },
		{ .name = "aclrtSynchronizeDevice", .wait = wait_device },
		{ .name = "aclrtSynchronizeEvent", .wait = wait_event },
		{ .name = "aclrtProcessReport", .wait = wait_report },
	};
	const int n = sizeof(waiters) / sizeof(waiters[0]);
	char device[64];
	void *mem;

	find_device(device, sizeof(device));
	start();
	stuck = new_stream();
	mem = dev_alloc(4096);
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtCreateEvent(&never));
	ACL(aclrtWaitAndResetNotify(notify, stuck, 0));
	ACL(aclrtRecordEvent(never, stuck));
	for (int i = 0; i < n; i++)
		CHECK_EQ(pthread_create(&waiters[i].thread, NULL, wait_in_thread, &waiters[i]), 0);
	while (atomic_load(&sleeping) < n)
		usleep(1000);
	usleep(200000);
	CHECK_EQ(write_file(DRIVER "/unbind", device), 0);
	for (int i = 0; i < n; i++) {
		CHECK_EQ(pthread_join(waiters[i].thread, NULL), 0);
		tap_note("%s: %d: %s", waiters[i].name, waiters[i].ret, waiters[i].message);
		CHECK(waiters[i].ret != ACL_SUCCESS);
		CHECK(waiters[i].message[0]);
	}
	/* Later calls fail at once, and the program ends in good order. */
	CHECK(aclrtMemset(mem, 4096, 0, 4096) != ACL_SUCCESS);
	CHECK(aclrtSynchronizeStream(stuck) != ACL_SUCCESS);
	aclrtDestroyStream(stuck);
	aclrtFree(mem);
	aclrtResetDeviceForce(0);
	ACL(aclFinalize());
	CHECK_EQ(write_file(DRIVER "/bind", device), 0);
}

static void the_next_program_works(void)
{
	uint64_t *word;

	start();
	word = pinned_alloc(4096);
	LAUNCH(op("store"), 1, NULL, U64(word), 5);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(*word, 5);
}

TAP_MAIN(TEST(all_waiters_are_woken), TEST(the_next_program_works))
