// SPDX-License-Identifier: MIT
/* aclrtMalloc, aclrtFree, aclrtMallocHost, aclrtFreeHost. */
#include <setjmp.h>

#include "../acltest.h"

#define MIB (1UL << 20)

static void malloc_refuses_bad_arguments(void)
{
	void *p;

	start();
	FAILS(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM, "devPtr",
	      "NULL");
	FAILS(aclrtMalloc(&p, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM, "size", "0");
}

static void malloc_aligns_to_64(void)
{
	start();
	for (size_t size = 1; size < 9 * MIB; size = size * 3 / 2 + 1) {
		void *p = dev_alloc(size);

		CHECK_EQ(U64(p) % 64, 0);
		/* Below 4 GiB an operator sees its core's own memory */
		CHECK(U64(p) >= 1UL << 32);
	}
}

static void every_policy_gives_memory(void)
{
	static const aclrtMemMallocPolicy policies[] = {
		ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY,
		ACL_MEM_MALLOC_HUGE_FIRST_P2P, ACL_MEM_MALLOC_HUGE_ONLY_P2P,
		ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
		/* those that do not exist are no error */
		(aclrtMemMallocPolicy)4711, (aclrtMemMallocPolicy)-1,
	};

	start();
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		static const size_t sizes[] = { 1, 4096, 3 * MIB + 5 };

		for (size_t k = 0; k < 3; k++) {
			void *p = NULL;

			ACL(aclrtMalloc(&p, sizes[k], policies[i]));
			put_pattern(p, sizes[k], (unsigned int)i);
			CHECK_DEVICE(p, sizes[k], (unsigned int)i);
			ACL(aclrtFree(p));
		}
	}
}

static void gigabyte_pages_round_up_or_tell(void)
{
	size_t before;
	aclError err;
	void *p;

	SKIP_IN_CHECK("allocations have guards, and what was freed stays away for a while");
	start();
	before = free_hbm();
	err = aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE1G_ONLY);
	if (err == ACL_SUCCESS) {
		CHECK(before - free_hbm() >= 1024 * MIB);
		ACL(aclrtFree(p));
		return;
	}
	CHECK_EQ(err, ACL_ERROR_RT_MEMORY_ALLOCATION);
	CHECK(aclGetRecentErrMsg());
}

/* Sizes that any rounding would turn into a small one */
static void sizes_near_the_end_of_numbers(void)
{
	static const aclrtMemMallocPolicy policies[] = {
		ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE1G_ONLY,
		ACL_MEM_MALLOC_HUGE1G_ONLY_P2P,
	};
	static const size_t below[] = { 1, 31, 32, 64, 4096, 2 * MIB, 1024 * MIB, 1024 * MIB + 1 };
	void *p = &p;

	start();
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		for (size_t j = 0; j < sizeof(below) / sizeof(*below); j++) {
			FAILS(aclrtMalloc(&p, -below[j], policies[i]), ACL_ERROR_RT_MEMORY_ALLOCATION);
			FAILS(aclrtMallocAlign32(&p, -below[j], policies[i]),
			      ACL_ERROR_RT_MEMORY_ALLOCATION);
			FAILS(aclrtMallocWithCfg(&p, -below[j], policies[i], NULL),
			      ACL_ERROR_RT_MEMORY_ALLOCATION);
		}
	}
	CHECK(p == &p);
}

static void allocations_never_overlap(void)
{
	enum { N = 400 };
	void *p[N];
	size_t size[N];
	uint64_t random = 1;

	start();
	for (int i = 0; i < N; i++) {
		size[i] = next_random(&random) % (i % 7 ? 3000 : 3 * MIB) + 1;
		p[i] = dev_alloc(size[i]);
		ACL(aclrtMemset(p[i], size[i], i, size[i]));
	}
	for (int i = 0; i < N; i++)
		put_pattern(p[i], size[i], (unsigned int)i);
	for (int i = 0; i < N; i++)
		CHECK_DEVICE(p[i], size[i], (unsigned int)i);
}

static void size_is_rounded_so_that_blocks_of_32_fit(void)
{
	static const size_t sizes[] = { 1, 31, 32, 33, 4095, 4096, 2 * MIB, 2 * MIB + 1 };

	SKIP_IN_CHECK("an allocation has the bytes that were asked for, and what is behind them is guarded");
	start();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t rounded = (sizes[i] + 31) / 32 * 32 + 32;
		void *p = dev_alloc(sizes[i]);

		put_pattern(p, rounded, 4);
		CHECK_DEVICE(p, rounded, 4);
	}
}

static void mem_info_follows_large_allocations(void)
{
	size_t before, during;
	void *p;

	start();
	before = free_hbm();
	p = dev_alloc(32 * MIB);
	during = free_hbm();
	CHECK(before - during >= 32 * MIB && before - during < 40 * MIB);
	ACL(aclrtFree(p));
	CHECK_EQ(free_hbm(), before);
}

static void mem_info_counts_small_allocations(void)
{
	enum { N = 100 };
	void *p[N];
	size_t before, now, size;

	start();
	before = free_hbm();
	for (size = 1; size <= 4 * MIB; size *= 3) {
		p[0] = dev_alloc(size);
		CHECK_OP(free_hbm() + size, <=, before);
		ACL(aclrtFree(p[0]));
		CHECK_EQ(free_hbm(), before);
	}
	now = before;
	for (int i = 0; i < N; i++) {
		p[i] = dev_alloc(40000);
		CHECK_OP(free_hbm() + 40000, <=, now);
		now = free_hbm();
	}
	for (int i = 0; i < N; i++)
		ACL(aclrtFree(p[i * 37 % N]));
	CHECK_EQ(free_hbm(), before);
}

/* When the device is full of small allocations, room is where one of them is freed */
static void holes_are_used_again(void)
{
	enum { MOST = 1 << 20, SIZE = 40000 };
	void **p = calloc(MOST, sizeof(*p));
	size_t before, n = 0;

	SKIP_IN_CHECK("allocations have guards, and what was freed stays away for a while");
	start();
	before = free_hbm();
	while (n < MOST && !aclrtMalloc(&p[n], SIZE, ACL_MEM_MALLOC_HUGE_FIRST))
		n++;
	CHECK(n > 100 && n < MOST);
	for (size_t i = 0; i < n; i += 2)
		ACL(aclrtFree(p[i]));
	for (size_t i = 0; i < n; i += 2)
		p[i] = dev_alloc(SIZE);
	for (size_t i = 0; i < n; i++)
		ACL(aclrtFree(p[i]));
	CHECK_EQ(free_hbm(), before);
	free(p);
}

/* How many pieces of 2 MiB there are */
static int fill(void)
{
	enum { MAX = 4096 };
	static void *p[MAX];
	int n = 0, i;

	while (n < MAX && !aclrtMalloc(&p[n], 2 * MIB - 64, ACL_MEM_MALLOC_HUGE_FIRST))
		n++;
	CHECK_OP(n, <, MAX);
	for (i = 0; i < n; i++)
		ACL(aclrtFree(p[i]));
	return n;
}

/* Memory that is kept for small allocations goes to large ones that need it */
static void memory_for_small_ones_serves_large_ones(void)
{
	int n;

	start();
	n = fill();
	ACL(aclrtFree(dev_alloc(64)));
	CHECK_EQ(fill(), n);
}

static void more_than_there_is_is_207001(void)
{
	size_t available, total;
	void *p;

	start();
	ACL(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
	FAILS(aclrtMalloc(&p, available + 64 * MIB, ACL_MEM_MALLOC_HUGE_FIRST),
	      ACL_ERROR_RT_MEMORY_ALLOCATION, "free", "iB");
	FAILS(aclrtMalloc(&p, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION, "are -1 as a number with a sign");
	FAILS(aclrtMalloc(&p, SIZE_MAX - 4096, ACL_MEM_MALLOC_NORMAL_ONLY),
	      ACL_ERROR_RT_MEMORY_ALLOCATION);
	FAILS(aclrtMalloc(&p, 1UL << 62, ACL_MEM_MALLOC_HUGE_ONLY), ACL_ERROR_RT_MEMORY_ALLOCATION);
	CHECK_EQ(free_hbm(), available);
}

static void exhausted_device_recovers(void)
{
	enum { MAX = 65536 };
	static void *p[MAX];
	size_t before;
	aclError err = 0;
	int n = 0;

	start();
	before = free_hbm();
	for (; n < MAX; n++) {
		err = aclrtMalloc(&p[n], 64 * MIB, ACL_MEM_MALLOC_HUGE_FIRST);
		if (err)
			break;
	}
	CHECK_EQ(err, ACL_ERROR_RT_MEMORY_ALLOCATION);
	check_facts(aclGetRecentErrMsg(), "64 MiB", "aclrtFree", NULL);
	CHECK_OP((size_t)n * 64 * MIB, >=, before - 192 * MIB);
	/* Every one of them is usable, the first and the last byte included */
	for (int i = 0; i < n; i++) {
		write_u64(p[i], (uint64_t)i);
		write_u64((char *)p[i] + 64 * MIB - 8, (uint64_t)i);
	}
	for (int i = 0; i < n; i++) {
		CHECK_EQ(read_u64(p[i]), i);
		CHECK_EQ(read_u64((char *)p[i] + 64 * MIB - 8), i);
		ACL(aclrtFree(p[i]));
	}
	CHECK_EQ(free_hbm(), before);
	ACL(aclrtFree(dev_alloc(64 * MIB)));
}

static void small_memory_fills_what_is_left(void)
{
	enum { MAX = 4096 };
	static void *p[MAX];
	size_t before;
	aclError err = 0;
	int n = 0;

	start();
	before = free_hbm();
	for (size_t size = 256 * MIB; size >= 2 * MIB; size /= 2) {
		while (n < MAX) {
			err = aclrtMalloc(&p[n], size, ACL_MEM_MALLOC_NORMAL_ONLY);
			if (err)
				break;
			n++;
		}
		CHECK_EQ(err, ACL_ERROR_RT_MEMORY_ALLOCATION);
	}
	CHECK_OP(free_hbm(), <=, 8 * MIB);
	while (n)
		ACL(aclrtFree(p[--n]));
	CHECK_EQ(free_hbm(), before);
}

static void many_small_allocations(void)
{
	enum { N = 20000 };
	static void *p[N];
	uint64_t random = 7;
	size_t before;

	start();
	before = free_hbm();
	for (int i = 0; i < N; i++) {
		p[i] = dev_alloc(8 + next_random(&random) % 300);
		if (i % 100 == 0)
			write_u64(p[i], (uint64_t)i);
	}
	for (int i = 0; i < N; i += 100)
		CHECK_EQ(read_u64(p[i]), i);
	for (int i = N - 1; i > 0; i--) {
		int k = (int)(next_random(&random) % (uint32_t)(i + 1));
		void *t = p[i];

		p[i] = p[k];
		p[k] = t;
	}
	for (int i = 0; i < N; i++)
		ACL(aclrtFree(p[i]));
	CHECK_EQ(free_hbm(), before);
}

/*
 * Small allocations share chunks of 2 MiB in pieces of 512 bytes, of which 32 are behind the end: each takes no more than it
 * needs, and in a chunk of which every other piece is free there is no place for two together.
 */
static void small_allocations_take_what_they_need(void)
{
	enum { N = 8192, LARGE = 2000, PIECE = 512, ROOM = PIECE - 32 };
	static char *p[N], *large[LARGE];
	size_t before;

	SKIP_IN_CHECK("allocations have guards, and what was freed stays away for a while");
	start();
	before = free_hbm();
	for (int i = 0; i < N; i++) {
		p[i] = dev_alloc(ROOM);
		ACL(aclrtMemset(p[i], ROOM, i & 127, ROOM));
	}
	CHECK_OP(before - free_hbm(), <=, N * PIECE + 2 * MIB);
	for (int i = 0; i < N; i += 2)
		ACL(aclrtFree(p[i]));
	for (int i = 0; i < LARGE; i++) {
		large[i] = dev_alloc(PIECE + ROOM);
		ACL(aclrtMemset(large[i], PIECE + ROOM, 255, PIECE + ROOM));
	}
	for (int i = 1; i < N; i += 2) {
		unsigned char last[ROOM];

		ACL(aclrtMemcpy(last, ROOM, p[i], ROOM, ACL_MEMCPY_DEVICE_TO_HOST));
		for (int k = 0; k < ROOM; k++)
			CHECK_EQ(last[k], i & 127);
		ACL(aclrtFree(p[i]));
	}
	for (int i = 0; i < LARGE; i++)
		ACL(aclrtFree(large[i]));
	CHECK_EQ(free_hbm(), before);
}

static void churn_does_not_leak(void)
{
	enum { N = 64 };
	void *p[N] = { NULL };
	uint64_t random = 3;
	size_t before;

	start();
	before = free_hbm();
	for (int i = 0; i < 5000; i++) {
		uint32_t k = next_random(&random) % N;

		if (p[k])
			ACL(aclrtFree(p[k]));
		p[k] = dev_alloc(1 + next_random(&random) % (1U << (6 + next_random(&random) % 16)));
	}
	for (int i = 0; i < N; i++)
		if (p[i])
			ACL(aclrtFree(p[i]));
	CHECK_EQ(free_hbm(), before);
}

static void free_refuses_what_is_no_allocation(void)
{
	void *p, *big, *pinned, *heap = host_alloc(4096);
	int local;

	start();
	p = dev_alloc(4096);
	big = dev_alloc(4 * MIB);
	pinned = pinned_alloc(4096);
	FAILS(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
	FAILS(aclrtFree((char *)p + 64), ACL_ERROR_RT_PARAM_INVALID, "start");
	FAILS(aclrtFree((char *)big + 2 * MIB), ACL_ERROR_RT_PARAM_INVALID, "start");
	FAILS(aclrtFree(heap), ACL_ERROR_RT_PARAM_INVALID, "host");
	FAILS(aclrtFree(&local), ACL_ERROR_RT_PARAM_INVALID, "host");
	FAILS(aclrtFree(pinned), ACL_ERROR_RT_PARAM_INVALID, "aclrtFreeHost");
	FAILS(aclrtFree((void *)0x1234), ACL_ERROR_RT_PARAM_INVALID, "0x1234");
	FAILS(aclrtFree((void *)-64L), ACL_ERROR_RT_PARAM_INVALID);
	/* None of that did anything */
	put_pattern(p, 4096, 1);
	CHECK_DEVICE(p, 4096, 1);
	ACL(aclrtFree(p));
	ACL(aclrtFree(big));
	ACL(aclrtFreeHost(pinned));
}

static void free_twice_is_told(void)
{
	static const size_t sizes[] = { 64, 4096, 4 * MIB };

	start();
	for (size_t i = 0; i < 3; i++) {
		void *p = dev_alloc(sizes[i]);

		ACL(aclrtFree(p));
		FAILS(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID, "free");
	}
}

static void malloc_host_is_ordinary_memory(void)
{
	start();
	for (size_t size = 1; size < 20 * MIB; size = size * 7 + 3) {
		void *p = pinned_alloc(size);

		CHECK_EQ(U64(p) % 64, 0);
		fill_pattern(p, size, 2);
		CHECK_PATTERN(p, size, 2);
		ACL(aclrtFreeHost(p));
	}
}

static void malloc_host_refuses_bad_arguments(void)
{
	void *p;

	start();
	FAILS(aclrtMallocHost(NULL, 64), ACL_ERROR_INVALID_PARAM, "hostPtr");
	FAILS(aclrtMallocHost(&p, 0), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMallocHost(&p, 1UL << 50), ACL_ERROR_RT_MEMORY_ALLOCATION, "1024 TiB", "in all",
	      "anpu-run --mem");
	FAILS(aclrtMallocHost(&p, SIZE_MAX), ACL_ERROR_RT_MEMORY_ALLOCATION);
}

static void free_host_refuses_what_is_not_pinned(void)
{
	void *dev, *pinned, *heap = host_alloc(64);

	start();
	dev = dev_alloc(4096);
	pinned = pinned_alloc(8192);
	FAILS(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
	FAILS(aclrtFreeHost(heap), ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost");
	FAILS(aclrtFreeHost(dev), ACL_ERROR_RT_PARAM_INVALID, "aclrtFree");
	FAILS(aclrtFreeHost((char *)pinned + 64), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtFreeHost((char *)pinned + 4096), ACL_ERROR_RT_PARAM_INVALID);
	memset(pinned, 1, 8192);
	ACL(aclrtFreeHost(pinned));
	FAILS(aclrtFreeHost(pinned), ACL_ERROR_RT_PARAM_INVALID);
}

static void pinned_memory_is_the_devices_under_the_same_address(void)
{
	uint64_t *p;

	start();
	p = pinned_alloc(4096);
	memset(p, 0, 4096);
	LAUNCH(op("store"), 1, NULL, U64(&p[17]), 0x1122334455667788);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(p[17], 0x1122334455667788);
	CHECK_EQ(p[16], 0);
	CHECK_EQ(p[18], 0);
}

static sigjmp_buf after_fault;

static void on_fault(int sig)
{
	siglongjmp(after_fault, sig);
}

static void host_access_to_device_memory_faults_at_once(void)
{
	volatile char *p;

	start();
	p = dev_alloc(4096);
	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	if (!sigsetjmp(after_fault, 1)) {
		*p = 1;
		FAIL("the host could write device memory");
	}
	if (!sigsetjmp(after_fault, 1)) {
		char c = *p;

		FAIL("the host could read device memory: %d", c);
	}
	put_pattern((void *)p, 4096, 1);
	CHECK_DEVICE((void *)p, 4096, 1);
}

static void new_process_sees_no_others_data(void)
{
	enum { SIZE = 8 << 20 };
	uint64_t *host = host_alloc(SIZE);

	/* Fill memory in a process that ends */
	if (!fork()) {
		start();
		for (int i = 0; i < 8; i++)
			ACL(aclrtMemset(dev_alloc(SIZE), SIZE, 0xa5, SIZE));
		tap_end(TAP_OK);
	}
	wait(NULL);
	start();
	for (int i = 0; i < 8; i++) {
		ACL(aclrtMemcpy(host, SIZE, dev_alloc(SIZE), SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
		for (size_t k = 0; k < SIZE / 8; k++)
			CHECK(host[k] != 0xa5a5a5a5a5a5a5a5);
	}
}

TAP_MAIN(TEST(malloc_refuses_bad_arguments),
	 TEST(malloc_aligns_to_64),
	 TEST(every_policy_gives_memory),
	 TEST(gigabyte_pages_round_up_or_tell),
	 TEST(sizes_near_the_end_of_numbers),
	 TEST(allocations_never_overlap),
	 TEST(size_is_rounded_so_that_blocks_of_32_fit),
	 TEST(mem_info_follows_large_allocations),
	 TEST(mem_info_counts_small_allocations),
	 TEST(holes_are_used_again),
	 TEST(memory_for_small_ones_serves_large_ones),
	 TEST(more_than_there_is_is_207001),
	 TEST(exhausted_device_recovers),
	 TEST(small_memory_fills_what_is_left),
	 TEST(many_small_allocations),
	 TEST(small_allocations_take_what_they_need),
	 TEST(churn_does_not_leak),
	 TEST(free_refuses_what_is_no_allocation),
	 TEST(free_twice_is_told),
	 TEST(malloc_host_is_ordinary_memory),
	 TEST(malloc_host_refuses_bad_arguments),
	 TEST(free_host_refuses_what_is_not_pinned),
	 TEST(pinned_memory_is_the_devices_under_the_same_address),
	 TEST(host_access_to_device_memory_faults_at_once),
	 TEST(new_process_sees_no_others_data))
