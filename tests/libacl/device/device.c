// SPDX-License-Identifier: MIT
/* Devices, the default context, threads and contexts, aclrtGetMemInfo. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <anpu/anpu_hang_report.h>

#include "../acltest.h"

static void count_is_one_here(void)
{
	uint32_t n = 0;

	ACL(aclrtGetDeviceCount(&n));
	CHECK_EQ(n, 1);
	FAILS(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM, "count");
}

static void no_device_before_set(void)
{
	size_t available, total;
	aclrtStream stream;
	int32_t id;
	void *p;

	ACL(aclInit(NULL));
	FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
	FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtMallocHost(&p, 64), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total), ACL_ERROR_RT_CONTEXT_NULL);
}

static void set_makes_current(void)
{
	int32_t id = -1;

	start();
	ACL(aclrtGetDevice(&id));
	CHECK_EQ(id, 0);
	FAILS(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM, "deviceId");
}

static void set_of_unknown_ids_is_107001(void)
{
	int32_t id = -1;

	start();
	FAILS(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID, "-1", "one device, number 0");
	FAILS(aclrtSetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID, "1", "one device, number 0");
	FAILS(aclrtSetDevice(4711), ACL_ERROR_RT_INVALID_DEVICEID, "4711");
	FAILS(aclrtSetDevice(INT32_MIN), ACL_ERROR_RT_INVALID_DEVICEID, "-2147483648");
	/* The thread keeps what it had */
	ACL(aclrtGetDevice(&id));
	CHECK_EQ(id, 0);
}

static void reset_counts(void)
{
	void *p;

	start();
	ACL(aclrtSetDevice(0));
	p = dev_alloc(4096);
	ACL(aclrtResetDevice(0));
	put_pattern(p, 4096, 9);
	CHECK_DEVICE(p, 4096, 9);
	ACL(aclrtResetDevice(0));
	FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtResetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "0", "aclrtSetDevice");
}

static void reset_of_unset_or_unknown_is_107001(void)
{
	ACL(aclInit(NULL));
	FAILS(aclrtResetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
	FAILS(aclrtResetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
	FAILS(aclrtResetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID, "99");
	FAILS(aclrtResetDeviceForce(0), ACL_ERROR_RT_INVALID_DEVICEID);
	FAILS(aclrtResetDeviceForce(99), ACL_ERROR_RT_INVALID_DEVICEID, "99");
}

static void force_ends_whatever_the_count(void)
{
	void *p;

	start();
	ACL(aclrtSetDevice(0));
	ACL(aclrtSetDevice(0));
	ACL(aclrtResetDeviceForce(0));
	FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtResetDeviceForce(0), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void set_set_reset_force_is_legal(void)
{
	start();
	ACL(aclrtSetDevice(0));
	ACL(aclrtResetDevice(0));
	ACL(aclrtResetDeviceForce(0));
}

static void set_after_reset_starts_anew(void)
{
	size_t first = 0;

	ACL(aclInit(NULL));
	for (int i = 0; i < 5; i++) {
		void *p;

		ACL(aclrtSetDevice(0));
		if (!i)
			first = free_hbm();
		CHECK_EQ(free_hbm(), first);
		p = dev_alloc(16 << 20);
		new_stream();
		put_pattern(p, 4096, (unsigned int)i);
		CHECK_DEVICE(p, 4096, (unsigned int)i);
		ACL(aclrtResetDevice(0));
	}
}

static void reset_makes_handles_unknown(void)
{
	char byte = 0;
	aclrtStream stream;
	void *p;

	start();
	p = dev_alloc(4096);
	stream = new_stream();
	ACL(aclrtResetDevice(0));
	ACL(aclrtSetDevice(0));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtMemcpy(p, 1, &byte, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID);
}

static void reset_waits_for_the_default_stream(void)
{
	uint64_t before;

	start();
	op("spin_then_store");
	before = tap_ms();
	LAUNCH(op("spin_then_store"), 1, NULL, 300000, U64(dev_alloc(8)), 1);
	ACL(aclrtResetDevice(0));
	CHECK_OP(tap_ms() - before, >=, DEVICE_MS(300));
}

static void *thread_has_no_device(void *arg)
{
	void **shared = arg;
	int32_t id;
	void *p;

	FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
	ACL(aclrtSetDevice(0));
	CHECK_DEVICE(*shared, 4096, 5);
	put_pattern(*shared, 4096, 6);
	ACL(aclrtMalloc(shared, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	put_pattern(*shared, 4096, 7);
	return NULL;
}

static void threads_share_the_default_context(void)
{
	void *first, *shared;

	start();
	first = dev_alloc(4096);
	shared = first;
	put_pattern(first, 4096, 5);
	in_thread(thread_has_no_device, &shared);
	CHECK_DEVICE(first, 4096, 6);
	CHECK_DEVICE(shared, 4096, 7);
	/* The thread's aclrtSetDevice() counts in the process */
	ACL(aclrtResetDevice(0));
	CHECK_DEVICE(shared, 4096, 7);
	ACL(aclrtResetDevice(0));
	FAILS(aclrtResetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void mem_info_knows_hbm_and_answers_for_ddr(void)
{
	const aclrtMemAttr same[] = { ACL_DDR_MEM, ACL_HBM_MEM, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL, ACL_HBM_MEM_HUGE,
				      ACL_HBM_MEM_NORMAL, ACL_MEM_NORMAL, ACL_MEM_HUGE };
	size_t available = 1, total = 1, ddr_free = 0, ddr_total = 0;

	start();
	ACL(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
	CHECK(total >= 64 << 20);
	CHECK(available <= total && available > 0);
	ACL(aclrtGetMemInfo(ACL_DDR_MEM, &ddr_free, &ddr_total));
	CHECK_EQ(ddr_total, total);
	for (unsigned int i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		ddr_total = 0;
		ACL(aclrtGetMemInfo(same[i], &ddr_free, &ddr_total));
		CHECK_EQ(ddr_total, total);
		CHECK_EQ(ddr_free, available);
	}
	FAILS(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total), ACL_ERROR_INVALID_PARAM, "free");
	FAILS(aclrtGetMemInfo(ACL_HBM_MEM, &available, NULL), ACL_ERROR_INVALID_PARAM, "total");
}

static void mem_info_of_unknown_kinds_is_zero(void)
{
	size_t available = 1, total = 1;

	start();
	ACL(aclrtGetMemInfo((aclrtMemAttr)4711, &available, &total));
	CHECK_EQ(available, 0);
	CHECK_EQ(total, 0);
}

static void synchronize_device_waits_for_every_stream(void)
{
	uint64_t *words;

	start();
	words = pinned_alloc(4 * 8);
	memset(words, 0, 4 * 8);
	for (int i = 0; i < 4; i++)
		LAUNCH(op("spin_then_store"), 1, new_stream(), 100000, U64(&words[i]), 5);
	ACL(aclrtSynchronizeDevice());
	for (int i = 0; i < 4; i++)
		CHECK_EQ(words[i], 5);
}

static void fork_after_set_is_refused_in_the_child(void)
{
	void *p;
	int status;
	pid_t pid;

	start();
	p = dev_alloc(4096);
	put_pattern(p, 4096, 8);
	pid = fork();
	if (!pid) {
		const char *msg;
		void *q;

		CHECK(aclrtMalloc(&q, 64, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS);
		msg = aclGetRecentErrMsg();
		check_facts(msg, "fork", NULL);
		CHECK(aclrtSetDevice(0) != ACL_SUCCESS);
		CHECK(aclrtSynchronizeDevice() != ACL_SUCCESS);
		CHECK(aclrtFree(p) != ACL_SUCCESS);
		tap_end(TAP_OK);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* The parent has lost nothing */
	CHECK_DEVICE(p, 4096, 8);
	ACL(aclrtFree(p));
}

/* The text of the link of a descriptor, empty if there is none */
static void link_of(int fd, char *text, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, text, size - 1);
	text[n < 0 ? 0 : n] = 0;
}

/* A daemon closes all that it has not opened itself; the library then has to leave the new owners of the numbers alone. */
static void closed_descriptors_are_left_alone(void)
{
	char pipe_link[64] = "", text[64];
	int mine = memfd_create("mine", 0), taken[3], n = 0;
	struct stat st;

	CHECK(mine >= 0);
	start();
	for (int fd = 3; fd < 256; fd++) {
		struct anpu_hang_report report;

		link_of(fd, text, sizeof(text));
		if (strncmp(text, "/memfd:" ANPU_HANG_NAME, strlen("/memfd:" ANPU_HANG_NAME)))
			continue;
		CHECK_EQ(pread(fd, &report, sizeof(report), 0), (ssize_t)sizeof(report));
		link_of(report.pipe, pipe_link, sizeof(pipe_link));
		taken[n++] = fd;
		break;
	}
	CHECK_EQ(n, 1);
	for (int fd = 3; fd < 256 && n < 3; fd++) {
		link_of(fd, text, sizeof(text));
		if (!strcmp(text, pipe_link))
			taken[n++] = fd;
	}
	CHECK_EQ(n, 3);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(dup2(mine, taken[i]), taken[i]);
	ACL(aclrtResetDevice(0));
	for (int i = 0; i < 3; i++)
		CHECK(!fstat(taken[i], &st) && !st.st_size);
}

/* The process has addresses for everything but the device's range, of 1 GiB at least */
static void no_addresses_are_left(void)
{
	unsigned long pages;
	struct rlimit few;
	uint32_t n;
	FILE *f;

	ACL(aclInit(NULL));
	ACL(aclrtGetDeviceCount(&n));
	f = fopen("/proc/self/statm", "r");
	CHECK(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	CHECK_EQ(getrlimit(RLIMIT_AS, &few), 0);
	few.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (900UL << 20);
	CHECK_EQ(setrlimit(RLIMIT_AS, &few), 0);
	FAILS(aclrtSetDevice(0), ACL_ERROR_RT_MEMORY_ALLOCATION, "no range of addresses left", "ulimit -v");
	few.rlim_cur = few.rlim_max;
	CHECK_EQ(setrlimit(RLIMIT_AS, &few), 0);
	ACL(aclrtSetDevice(0));
	ACL(aclrtFree(dev_alloc(64)));
}

/* The last reference ends what the first has begun */
static void the_last_reference_ends_the_device(void)
{
	uint64_t left = 5;
	aclrtStream stream;

	start();
	FAILS(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "reference 2");
	stream = new_stream();
	ACL(aclFinalizeReference(&left));
	CHECK_EQ(left, 1);
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclFinalizeReference(&left));
	CHECK_EQ(left, 0);
	CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
	FAILS(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
}

TAP_MAIN(TEST(count_is_one_here),
	 TEST(no_device_before_set),
	 TEST(set_makes_current),
	 TEST(set_of_unknown_ids_is_107001),
	 TEST(reset_counts),
	 TEST(reset_of_unset_or_unknown_is_107001),
	 TEST(force_ends_whatever_the_count),
	 TEST(set_set_reset_force_is_legal),
	 TEST(set_after_reset_starts_anew),
	 TEST(reset_makes_handles_unknown),
	 TEST(reset_waits_for_the_default_stream),
	 TEST(threads_share_the_default_context),
	 TEST(mem_info_knows_hbm_and_answers_for_ddr),
	 TEST(mem_info_of_unknown_kinds_is_zero),
	 TEST(synchronize_device_waits_for_every_stream),
	 TEST(fork_after_set_is_refused_in_the_child),
	 TEST(closed_descriptors_are_left_alone),
	 TEST(no_addresses_are_left),
	 TEST(the_last_reference_ends_the_device))
