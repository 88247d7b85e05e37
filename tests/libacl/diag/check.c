// SPDX-License-Identifier: MIT
/* ANPU_CHECK=1: kernels that work because the NPU is emulated in order fail, and say why. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../acltest.h"
#include "far.h"

#define BAD "build/operators/bad.o"

static float *numbers(void)
{
	float x[16], *dev = dev_alloc(sizeof(x));

	for (int i = 0; i < 16; i++)
		x[i] = (float)i;
	ACL(aclrtMemcpy(dev, sizeof(x), x, sizeof(x), ACL_MEMCPY_HOST_TO_DEVICE));
	return dev;
}

static aclrtFuncHandle bad(const char *name)
{
	aclrtFuncHandle func;

	ACL(aclrtBinaryGetFunction(load(BAD), name, &func));
	return func;
}

/* x + x, and what synchronising says */
static aclError twice(const char *name, float *y)
{
	float *in = numbers(), *out = dev_alloc(64);
	aclError err;

	LAUNCH(bad(name), 1, NULL, U64(in), U64(out));
	err = aclrtSynchronizeStream(NULL);
	ACL(aclrtMemcpy(y, 64, out, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	return err;
}

/* The environment says no; with -device anpu,check=on (the suite libacl-checked) the device says yes */
static void goes_through(const char *name)
{
	float y[16];
	aclError err = twice(name, y);

	if (getenv("DEVICE_CHECKS")) {
		CHECK_EQ(err, ACL_ERROR_RT_AICORE_EXCEPTION);
		return;
	}
	ACL(err);
	if (!strcmp(name, "bad_race"))
		for (int i = 0; i < 8; i++)
			CHECK(y[i] == (float)(2 * i));
}

static void off_by_default(void)
{
	unsetenv("ANPU_CHECK");
	start();
	goes_through("bad_race");
	goes_through("bad_unwritten");
	goes_through("bad_early");
}

static void off_by_zero(void)
{
	setenv("ANPU_CHECK", "0", 1);
	start();
	goes_through("bad_race");
}

static void a_race(void)
{
	float y[16];

	setenv("ANPU_CHECK", "1", 1);
	start();
	FAILS(twice("bad_race", y), ACL_ERROR_RT_AICORE_EXCEPTION, "bad_race", "block 0",
	      "two pipes, threads or blocks touched the same memory without synchronisation", "bad.o",
	      "VBIN reads src0 UB+0x0 before DMA_LIN at 0x", "wait for a flag from MTE2 to V");
	FAILS(twice("bad_reuse", y), ACL_ERROR_RT_AICORE_EXCEPTION,
	      "DMA_LIN writes dst UB+0x0 before VBIN", "surely read it", "flag from V to MTE2");
	FAILS(twice("bad_early", y), ACL_ERROR_RT_AICORE_EXCEPTION,
	      "scalar load reads UB+0x20 before VRED", "flag from V to S");
}

static void an_unwritten_operand(void)
{
	float y[16];

	setenv("ANPU_CHECK", "1", 1);
	start();
	FAILS(twice("bad_unwritten", y), ACL_ERROR_RT_AICORE_EXCEPTION, "bad_unwritten",
	      "memory was read before it was written",
	      "VBIN: src0 UB+0x1c, byte 28 of 32, was never written");
}

static atomic_int called;
static uint32_t code;

static void hook(aclrtExceptionInfo *info)
{
	code = aclrtGetErrorCodeFromExceptionInfo(info);
	atomic_fetch_add(&called, 1);
}

static void the_exception_callback_is_told(void)
{
	uint64_t end = tap_ms() + 20000;
	float y[16];

	setenv("ANPU_CHECK", "1", 1);
	start();
	ACL(aclrtSetExceptionInfoCallback(hook));
	CHECK_EQ(twice("bad_race", y), ACL_ERROR_RT_AICORE_EXCEPTION);
	while (!atomic_load(&called) && tap_ms() < end)
		usleep(1000);
	CHECK_EQ(atomic_load(&called), 1);
	CHECK_EQ(code, ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtSetExceptionInfoCallback(NULL));
}

/* right operators give the same results with it */
static void right_operators_pass(void)
{
	enum { N = 100003 };
	float *x = malloc(N * 4), *y = malloc(N * 4), *a, *b, *c;
	aclrtFuncHandle add;

	setenv("ANPU_CHECK", "1", 1);
	start();
	for (int i = 0; i < N; i++)
		x[i] = (float)i;
	a = dev_alloc(N * 4);
	b = dev_alloc(N * 4);
	c = dev_alloc(N * 4);
	ACL(aclrtMemcpy(a, N * 4, x, N * 4, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtMemcpy(b, N * 4, x, N * 4, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtBinaryGetFunction(load(VADD), "vadd_f32", &add));
	LAUNCH(add, 8, NULL, U64(a), U64(b), U64(c), N);
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpy(y, N * 4, c, N * 4, ACL_MEMCPY_DEVICE_TO_HOST));
	for (int i = 0; i < N; i++)
		if (y[i] != 2 * x[i])
			FAIL("element %d is %g", i, (double)y[i]);
	free(x);
	free(y);
}

/* The result of a kernel of bad.o that accesses four bytes at @at, in a stream of its own */
static aclError touch(const char *kernel, uint64_t at, void *out)
{
	bool reads = !strcmp(kernel, "bad_read");
	aclrtStream stream;
	aclError err;

	ACL(aclrtCreateStream(&stream));
	LAUNCH(bad(kernel), 1, stream, at, reads ? U64(out) : 7);
	err = aclrtSynchronizeStream(stream);
	ACL(aclrtDestroyStream(stream));
	return err;
}

/* An allocation begins and ends where it does, to the byte, for reads and writes. */
static void an_access_behind_an_allocation_faults(void)
{
	static const size_t sizes[] = { 4, 64, 100, 4032, 4096, 70016, (2 << 20) - 32, 2 << 20, (4 << 20) + 4096 };
	size_t i, size, n = sizeof(sizes) / sizeof(sizes[0]);
	uint64_t at[sizeof(sizes) / sizeof(sizes[0])];
	char back[100], bytes[100];
	void *out, *base;

	setenv("ANPU_CHECK", "1", 1);
	start();
	out = dev_alloc(4);
	for (i = 0; i < n; i++)
		at[i] = U64(dev_alloc(sizes[i]));
	for (i = 0; i < n; i++) {
		CHECK_EQ(at[i] % 64, 0);
		ACL(aclrtMemGetAddressRange((void *)at[i], &base, &size));
		CHECK_EQ(U64(base), at[i]);
		CHECK_EQ(size, sizes[i]);
		ACL(touch("bad_write", at[i] + sizes[i] - 4, NULL));
		ACL(touch("bad_read", at[i] + sizes[i] - 4, out));
		ACL(touch("bad_write", at[i], NULL));
		ACL(touch("bad_read", at[i], out));
		CHECK_EQ(touch("bad_read", at[i] + sizes[i], out), ACL_ERROR_RT_AICORE_EXCEPTION);
		CHECK_EQ(touch("bad_write", at[i] + sizes[i], NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
		CHECK_EQ(touch("bad_read", at[i] - 4, out), ACL_ERROR_RT_AICORE_EXCEPTION);
		CHECK_EQ(touch("bad_write", at[i] - 4, NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
		CHECK_EQ(aclrtMemset((void *)at[i], sizes[i] + 1, 0, sizes[i] + 1) != ACL_SUCCESS, 1);
	}
	fill_pattern(bytes, sizeof(bytes), 3);
	ACL(aclrtMemcpy((void *)at[2], 100, bytes, 100, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtMemcpy(back, 100, (void *)at[2], 100, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK_EQ(memcmp(bytes, back, 100), 0);
	for (i = 0; i < n; i++)
		ACL(aclrtFree((void *)at[i]));
	CHECK_EQ(aclrtFree((void *)at[0]) != ACL_SUCCESS, 1);
}

/* A pipe in the place of standard error, with the one that was there before */
struct ear {
	int pipe[2];
	int err;
};

static void listen_to_errors(struct ear *ear)
{
	CHECK_EQ(pipe(ear->pipe), 0);
	ear->err = dup(2);
	fflush(stderr);
	dup2(ear->pipe[1], 2);
	close(ear->pipe[1]);
}

static char *heard(struct ear *ear)
{
	static char text[4096];
	ssize_t n;

	dup2(ear->err, 2);
	close(ear->err);
	n = read(ear->pipe[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	close(ear->pipe[0]);
	return text;
}

/* A copy whose descriptor something has changed writes @bytes to @dst: what standard error has when that is noticed */
static char *told_of_copy(aclrtStream stream, void *desc, char *dst, uint64_t bytes)
{
	uint64_t words[4];
	struct ear ear;

	ACL(aclrtMemcpy(words, sizeof(words), desc, sizeof(words), ACL_MEMCPY_DEVICE_TO_HOST));
	words[1] = U64(dst);
	words[2] = bytes;
	ACL(aclrtMemcpy(desc, sizeof(words), words, sizeof(words), ACL_MEMCPY_HOST_TO_DEVICE));
	listen_to_errors(&ear);
	ACL(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
	ACL(aclrtSynchronizeStream(stream));
	return heard(&ear);
}

static const struct {
	int at, bytes;
	const char *told;
} around[] = {
	{ 0, 101, "1 byte behind the end of an allocation, from 1 byte behind its last one, were written" },
	{ 0, 103, "3 bytes behind the end of an allocation, from 1 byte behind its last one, were written" },
	{ 103, 2, "2 bytes behind the end of an allocation, from 4 bytes behind its last one, were written" },
	{ -1, 1, "1 byte before an allocation, from 1 byte before its first one, were written" },
	{ -8, 3, "3 bytes before an allocation, from 6 bytes before its first one, were written" },
}, *row;

static void write_around(void)
{
	aclrtStream stream;
	void *desc, *src;
	char *dst, at[40];

	start();
	stream = new_stream();
	desc = dev_alloc(64);
	src = dev_alloc(4096);
	dst = dev_alloc(100);
	snprintf(at, sizeof(at), "100 B at %p", (void *)dst);
	ACL(aclrtMemset(src, 4096, 1, 4096));
	ACL(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, src, dst, 100, NULL));
	/* the whole allocation is the program's, and what was told is not told again */
	CHECK(!*told_of_copy(stream, desc, dst, 100));
	check_facts(told_of_copy(stream, desc, dst + row->at, (uint64_t)row->bytes), row->told, at, "out-of-bounds",
		    "noticed behind this synchronisation", NULL);
	CHECK(!*told_of_copy(stream, desc, dst, 100));
}

/* Writes of the device around an allocation are told when the host waits, with how many bytes and where. */
static void writes_around_an_allocation_are_told_to_the_byte(void)
{
	setenv("ANPU_CHECK", "1", 1);
	for (row = around; row < around + sizeof(around) / sizeof(around[0]); row++)
		expect_success(child(write_around));
}

static atomic_uint ended;

static void *allocate_and_free(void *arg)
{
	(void)arg;
	ACL(aclrtSetDevice(0));
	while (atomic_fetch_add(&ended, 1) < 1500) {
		void *p = dev_alloc(20000);

		ACL(aclrtFree(p));
	}
	return NULL;
}

/* A thread that looks whether anything has been written around allocations leaves those alone that others free. */
static void allocations_end_while_others_look(void)
{
	pthread_t thread;
	aclrtStream stream;
	uint64_t *word;

	setenv("ANPU_CHECK", "1", 1);
	start();
	stream = new_stream();
	word = dev_alloc(8);
	CHECK_EQ(pthread_create(&thread, NULL, allocate_and_free, NULL), 0);
	LAUNCH(op("store"), 1, stream, U64(word), 1);
	while (atomic_load(&ended) < 1500)
		ACL(aclrtSynchronizeStream(stream));
	pthread_join(thread, NULL);
	ACL(aclrtDestroyStream(stream));
	ACL(aclrtFree(word));
	ACL(aclFinalize());
}

/* The address is looked at before it is found not to be aligned, which this mode asks for. */
static void a_handle_as_an_address_is_told(void)
{
	aclrtStream stream;

	setenv("ANPU_CHECK", "1", 1);
	start();
	stream = new_stream();
	LAUNCH(op("store"), 1, stream, U64(stream), 1);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, "handle of a stream");
}

/* Memory of a pool that was freed is kept apart in this mode, but does not count against the pool's most. */
static void a_full_pool_has_room_for_other_sizes(void)
{
	aclrtMemPoolProps props = {
		.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
		.maxSize = 8 << 20,
	};
	aclrtMemPool pool;
	aclrtStream stream;
	void *p[8];

	setenv("ANPU_CHECK", "1", 1);
	start();
	stream = new_stream();
	ACL(aclrtMemPoolCreate(&pool, &props));
	for (int i = 0; i < 8; i++)
		ACL(aclrtMemPoolMallocAsync(&p[i], 1 << 20, pool, stream));
	for (int i = 1; i < 8; i++)
		ACL(aclrtMemPoolFreeAsync(p[i], stream));
	ACL(aclrtMemPoolMallocAsync(&p[1], 7 << 20, pool, stream));
	FAILS(aclrtMemPoolMallocAsync(&p[2], 1, pool, stream), ACL_ERROR_RT_MEMORY_ALLOCATION, "8 MiB", "in use");
}

/* Of a path that is too long the end is told, which says more than the beginning. */
static void the_end_of_a_long_path_is_told(void)
{
	int p[2], err = dup(2);
	char text[4096];
	ssize_t n;

	setenv("ANPU_CHECK", "1", 1);
	CHECK_EQ(pipe(p), 0);
	dup2(p[1], 2);
	close(p[1]);
	start();
	a_mistake_far_away();
	dup2(err, 2);
	n = read(p[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	check_facts(text, "devPtr is NULL", NULL);
	if (strstr(text, "a_mistake_far_away() at")) /* where libdw is */
		check_facts(text, "the_end_of_the_path.c:7", NULL);
}

static void another_value_is_told_and_ignored(void)
{
	int p[2], err = dup(2);
	char text[512];
	ssize_t n;

	setenv("ANPU_CHECK", "yes", 1);
	CHECK_EQ(pipe(p), 0);
	dup2(p[1], 2);
	close(p[1]);
	start();
	goes_through("bad_race");
	dup2(err, 2);
	n = read(p[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	check_facts(text, "ANPU_CHECK", "'yes'", "must be 1", "ignored", NULL);
}

/* Types of elements that a parameter may point to, with their sizes: those that the checking mode knows */
static const struct {
	const char *name, *type;
	unsigned int size;
} types[] = {
	{ "char", "char", 1 }, { "void", "void", 1 }, { "int8_t", "int8_t", 1 },
	{ "half", "half", 2 }, { "float16", "_Float16", 2 }, { "cuda_half", "__half", 2 }, { "bfloat16_t", "bfloat16_t", 2 },
	{ "short", "short", 2 }, { "unsigned_short", "unsigned short", 2 }, { "int16_t", "int16_t", 2 },
	{ "uint16_t", "uint16_t", 2 }, { "float", "float", 4 }, { "int", "int", 4 }, { "unsigned_int", "unsigned int", 4 },
	{ "int32_t", "int32_t", 4 }, { "uint32_t", "uint32_t", 4 }, { "const_float", "const float", 4 },
	{ "const_volatile_int", "const volatile int", 4 }, { "double", "double", 8 }, { "volatile_double", "volatile double", 8 },
	{ "long", "long", 8 }, { "unsigned_long", "unsigned long", 8 }, { "int64_t", "int64_t", 8 }, { "uint64_t", "uint64_t", 8 },
}, *type;

static void between_two_elements(void)
{
	char name[64], told[160];
	aclrtFuncHandle func;
	struct ear ear;
	char *p;

	start();
	snprintf(name, sizeof(name), "takes_%s", type->name);
	snprintf(told, sizeof(told), "of type %s *, which is no multiple of %u: ", type->type, type->size);
	ACL(aclrtBinaryGetFunction(load("build/operators/types.o"), name, &func));
	p = dev_alloc(256);
	ACL(aclrtMemset(p, 256, 0, 256));
	/* Where an element begins, and the first place behind that where none does */
	listen_to_errors(&ear);
	LAUNCH(func, 1, NULL, U64(p + type->size));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK(!*heard(&ear));
	listen_to_errors(&ear);
	LAUNCH(func, 1, NULL, U64(p + type->size + 1));
	ACL(aclrtSynchronizeStream(NULL));
	if (type->size == 1)
		CHECK(!*heard(&ear));
	else
		check_facts(heard(&ear), name, "alignment", told, NULL);
}

/* Each in a process of its own, as one place in a program is told of once. */
static void an_address_between_two_elements_is_told(void)
{
	setenv("ANPU_CHECK", "1", 1);
	for (type = types; type < types + sizeof(types) / sizeof(types[0]); type++)
		expect_success(child(between_two_elements));
}

TAP_MAIN(TEST(off_by_default),
	 TEST(off_by_zero),
	 TEST(the_end_of_a_long_path_is_told),
	 TEST(a_race),
	 TEST(an_unwritten_operand),
	 TEST(the_exception_callback_is_told),
	 TEST(right_operators_pass),
	 TEST(an_access_behind_an_allocation_faults),
	 TEST(writes_around_an_allocation_are_told_to_the_byte),
	 TEST(allocations_end_while_others_look),
	 TEST(a_handle_as_an_address_is_told),
	 TEST(an_address_between_two_elements_is_told),
	 TEST(a_full_pool_has_room_for_other_sizes),
	 TEST(another_value_is_told_and_ignored))
