// SPDX-License-Identifier: MIT
/* The checking mode finds these mistakes to the byte, and does not find others: the catalogue of mistakes is tests/diagnosis. */
#include <linux/memfd.h>
#include <sys/syscall.h>

#include "../acltest.h"

static int said;

/* In the checking mode, whose findings are kept instead of shown */
static void start_checking(void)
{
	setenv("ANPU_CHECK", "1", 1);
	said = (int)syscall(SYS_memfd_create, "said", MFD_CLOEXEC);
	CHECK(said >= 0);
	CHECK_EQ(dup2(said, STDERR_FILENO), STDERR_FILENO);
	start();
}

/* The sentences that were said since the last time */
static const char *findings(void)
{
	static char text[1 << 16];
	ssize_t n = pread(said, text, sizeof(text) - 1, 0);

	CHECK(n >= 0);
	text[n] = 0;
	CHECK_EQ(ftruncate(said, 0), 0);
	CHECK_EQ(lseek(said, 0, SEEK_SET), 0);
	return text;
}

static void finds_nothing(void)
{
	const char *text = findings();

	if (*text)
		FAIL("this was found: %s", text);
}

#define FINDS(...) check_facts(findings(), __VA_ARGS__, NULL)

/* Of the two streams none waits for the other */
static aclrtStream one, two;

static void start_two(void)
{
	start_checking();
	one = new_stream();
	two = new_stream();
}

static void settle(void)
{
	ACL(aclrtSynchronizeStream(one));
	ACL(aclrtSynchronizeStream(two));
}

static void fill(char *p, size_t size, aclrtStream stream)
{
	ACL(aclrtMemsetAsync(p, size, 1, size, stream));
}

static void ranges_that_touch_are_no_race(void)
{
	char *p;

	start_two();
	p = dev_alloc(1024);
	fill(p, 256, one);
	fill(p + 256, 256, two);
	settle();
	fill(p + 256, 256, one);
	fill(p, 256, two);
	settle();
	/* of a kernel's pointer nobody knows how far it goes */
	fill(p, 256, one);
	LAUNCH(op("store"), 1, two, U64(p + 256), 1);
	settle();
	LAUNCH(op("store"), 1, two, U64(p + 256), 1);
	fill(p, 256, one);
	settle();
	finds_nothing();
}

static void one_byte_of_both_is_a_race(void)
{
	char *p;

	start_two();
	p = dev_alloc(1024);
	fill(p, 257, one);
	fill(p + 256, 256, two);
	settle();
	FINDS("race", "writes memory");
	fill(p + 256, 256, one);
	fill(p, 257, two);
	settle();
	FINDS("race", "writes memory");
	fill(p, 256, one);
	LAUNCH(op("store"), 1, two, U64(p + 248), 1);
	settle();
	FINDS("race", "kernel 'store'");
	LAUNCH(op("store"), 1, one, U64(p), 1);
	fill(p, 8, two);
	settle();
	FINDS("race", "kernel 'store'");
}

static void two_readers_are_no_race(void)
{
	uint64_t *in, *out;

	start_two();
	in = dev_alloc(8);
	out = dev_alloc(128);
	write_u64(in, 5);
	LAUNCH(op("load_store"), 1, one, U64(&out[0]), U64(in));
	LAUNCH(op("load_store"), 1, two, U64(&out[8]), U64(in));
	settle();
	finds_nothing();
}

static void copy(void *dst, const void *src, size_t size, aclrtStream stream)
{
	ACL(aclrtMemcpyAsync(dst, size, src, size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

/* @stream waits for what @other has to do by now */
static void follow(aclrtStream stream, aclrtStream other)
{
	aclrtEvent e;

	ACL(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
	ACL(aclrtRecordEvent(e, other));
	ACL(aclrtStreamWaitEvent(stream, e));
}

static void copies_read_and_write(void)
{
	char *p, *q, *r;

	start_two();
	p = dev_alloc(64);
	q = dev_alloc(64);
	r = dev_alloc(64);
	fill(p, 64, one);
	copy(q, p, 64, two);
	settle();
	FINDS("a copy of stream 3 reads memory at", "and a fill of stream 2, which writes it, has no order");
	copy(q, p, 64, one);
	fill(p, 64, two);
	settle();
	FINDS("a fill of stream 3 writes memory at", "and a copy of stream 2, which reads it");
	copy(q, p, 64, one);
	fill(q, 64, two);
	settle();
	FINDS("a fill of stream 3 writes memory at", "and a copy of stream 2, which writes it");
	/* both read p */
	copy(q, p, 64, one);
	copy(r, p, 64, two);
	settle();
	ACL(aclrtReduceAsync(q, p, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, one, NULL));
	copy(r, p, 64, two);
	settle();
	finds_nothing();
	ACL(aclrtReduceAsync(q, p, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, one, NULL));
	copy(r, q, 64, two);
	settle();
	FINDS("a copy of stream 3 reads memory at", "and a reduction of stream 2, which writes it");
}

static void an_order_of_any_length_is_one(void)
{
	aclrtStream three, four;
	char *p;

	start_two();
	three = new_stream();
	four = new_stream();
	p = dev_alloc(64);
	/* one after the other in a stream, and behind an event */
	fill(p, 64, one);
	fill(p, 64, one);
	follow(two, one);
	fill(p, 64, two);
	/* through two others that have no task */
	follow(three, two);
	follow(four, three);
	fill(p, 64, four);
	finds_nothing();
	/* what comes behind the record is not waited for */
	follow(one, four);
	fill(p, 64, four);
	fill(p, 64, one);
	FINDS("a fill of stream 2 writes memory at", "and a fill of stream 5, which writes it, has no order");
	/* an order with another stream is none with this one */
	follow(two, three);
	fill(p, 64, two);
	FINDS("a fill of stream 3 writes memory at", "has no order");
	ACL(aclrtSynchronizeDevice());
	fill(p, 64, two);
	ACL(aclrtSynchronizeStream(two));
	fill(p, 64, three);
	ACL(aclrtSynchronizeStream(three));
	/* three has waited for two, so the program knows of both */
	fill(p, 64, two);
	follow(three, two);
	ACL(aclrtSynchronizeStream(three));
	ACL(aclrtMemset(p, 64, 0, 64));
	finds_nothing();
}

static void the_program_itself(void)
{
	volatile uint64_t *over;
	char *p, *q, to[64];

	start_two();
	p = dev_alloc(64);
	q = dev_alloc(64);
	fill(p, 64, one);
	fill(q, 64, two);
	ACL(aclrtSynchronizeStream(two));
	ACL(aclrtMemcpy(to, 64, q, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	finds_nothing();
	ACL(aclrtMemcpy(to, 64, p, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	FINDS("this copy reads memory at", "and a fill of stream 2, which writes it, is not known to be done");
	ACL(aclrtSynchronizeStream(one));
	ACL(aclrtMemcpy(to, 64, p, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	finds_nothing();
	/* the kernel is over, and the library has not been asked */
	over = pinned_alloc(8);
	*over = 0;
	LAUNCH(op("store"), 1, one, U64(p), 5);
	LAUNCH(op("store"), 1, one, U64(over), 1);
	UNTIL(*over);
	ACL(aclrtFree(q));
	finds_nothing();
	ACL(aclrtFree(p));
	FINDS("use-after-free", "is freed, and kernel 'store' of stream 2");
	ACL(aclrtSynchronizeStream(one));
}

/* The library knows what kernels have touched when they are done */
static void kernels_that_use_different_parts(void)
{
	uint64_t *p;

	start_two();
	p = dev_alloc(256);
	ACL(aclrtMemset(p, 256, 1, 256));
	op("store");
	LAUNCH(op("store"), 1, one, U64(&p[0]), 5);
	LAUNCH(op("store"), 1, two, U64(&p[1]), 5);
	settle();
	LAUNCH(op("load_store"), 1, one, U64(&p[8]), U64(&p[0]));
	LAUNCH(op("load_store"), 1, two, U64(&p[16]), U64(&p[0]));
	settle();
	/* the same pointers, and 4 bytes of each: the other kernel is told of the second half */
	LAUNCH(op("block_numbers"), 1, one, U64(&p[0]));
	LAUNCH(op("read_at"), 1, two, U64((char *)p + 8));
	settle();
	finds_nothing();
	LAUNCH(op("block_numbers"), 1, one, U64(&p[0]));
	LAUNCH(op("read_at"), 1, two, U64(&p[0]));
	settle();
	FINDS("kernel 'read_at' of stream 3 reads memory at", "and kernel 'block_numbers' of stream 2, which writes it");
	LAUNCH(op("read_at"), 1, one, U64(&p[0]));
	LAUNCH(op("block_numbers"), 1, two, U64(&p[0]));
	settle();
	FINDS("kernel 'block_numbers' of stream 3 writes memory at", "and kernel 'read_at' of stream 2, which reads it");
}

static void what_was_never_freed(void)
{
	char at[32];
	void *p;

	start_checking();
	p = dev_alloc(1000);
	ACL(aclrtFree(dev_alloc(500)));
	snprintf(at, sizeof(at), "%p were never freed", p);
	ACL(aclFinalize());
	FINDS("leak: 1000 B of device memory at", at);
}

/* A byte before and behind, and the last of an allocation, which is the program's own */
static void bytes_around_an_allocation(void)
{
	char *p;

	start_checking();
	for (size_t size = 33; size < 130; size += 32) {
		p = dev_alloc(size);
		ACL(aclrtMemset(p, size, 1, size));
		ACL(aclrtFree(p));
	}
	finds_nothing();
	p = dev_alloc(40);
	FAILS(aclrtMemset(p, 41, 1, 41), ACL_ERROR_RT_PARAM_INVALID);
}

/* An allocation in the same place is another one: what was done to the first is forgotten with it */
static void freed_memory_has_no_past(void)
{
	char *p, *again;

	start_two();
	p = dev_alloc(4096);
	fill(p, 4096, one);
	ACL(aclrtSynchronizeStream(one));
	ACL(aclrtFree(p));
	again = dev_alloc(4096);
	fill(again, 4096, two);
	settle();
	finds_nothing();
}

/* Two tasks of a graph, in streams that do not wait for each other */
static void record(void (*first)(aclrtStream stream), void (*second)(aclrtStream stream))
{
	aclrtEvent begun, done;
	aclmdlRI graph;

	ACL(aclrtCreateEventExWithFlag(&begun, ACL_EVENT_SYNC));
	ACL(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));
	ACL(aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	ACL(aclrtRecordEvent(begun, one));
	ACL(aclrtStreamWaitEvent(two, begun));
	first(one);
	second(two);
	ACL(aclrtRecordEvent(done, two));
	ACL(aclrtStreamWaitEvent(one, done));
	ACL(aclmdlRICaptureEnd(one, &graph));
	ACL(aclmdlRIExecuteAsync(graph, one));
	settle();
	ACL(aclmdlRIDestroy(graph));
	ACL(aclrtDestroyEvent(begun));
	ACL(aclrtDestroyEvent(done));
}

static uint64_t *word[4];

static void copy_to_1(aclrtStream stream)
{
	ACL(aclrtMemcpyAsync(word[1], 8, word[0], 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void copy_to_3(aclrtStream stream)
{
	ACL(aclrtMemcpyAsync(word[3], 8, word[0], 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void load_1_store_2(aclrtStream stream)
{
	LAUNCH(op("load_store"), 1, stream, U64(word[2]), U64(word[1]));
}

static void store_1(aclrtStream stream)
{
	LAUNCH(op("store"), 1, stream, U64(word[1]), 5);
}

static void load_2_store_1(aclrtStream stream)
{
	LAUNCH(op("load_store"), 1, stream, U64(word[1]), U64(word[2]));
}

static void start_with_words(void)
{
	start_two();
	op("store");
	for (int i = 0; i < 4; i++) {
		word[i] = dev_alloc(8);
		write_u64(word[i], 0);
	}
}

static void every_use_of_a_graphs_tasks_counts(void)
{
	start_with_words();
	record(copy_to_1, load_1_store_2);
	FINDS("race", "kernel 'load_store'", "no order with it in the graph");
	record(load_1_store_2, copy_to_1);
	FINDS("race", "kernel 'load_store'", "no order with it in the graph");
	record(store_1, load_1_store_2);
	FINDS("race", "kernel 'load_store'", "no order with it in the graph");
	record(load_2_store_1, load_1_store_2);
	FINDS("race", "kernel 'load_store'", "no order with it in the graph");
	record(store_1, copy_to_3);
	finds_nothing();
	record(copy_to_3, load_1_store_2);
	finds_nothing();
}

/* More uses than are looked at: the rest of the graph runs as well, and nothing else is touched. */
static void large_graphs_are_looked_at_in_part(void)
{
	aclmdlRI graph;

	start_with_words();
	ACL(aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	LAUNCH(op("store"), 1, one, U64(word[0]), 5);
	for (int i = 0; i < 1023; i++)
		LAUNCH(op("load_store"), 1, one, U64(word[1 + i % 3]), U64(word[i % 3]));
	ACL(aclmdlRICaptureEnd(one, &graph));
	ACL(aclmdlRIExecuteAsync(graph, one));
	settle();
	CHECK_EQ(read_u64(word[3]), 5);
	finds_nothing();
}

/* Memory is known to be unwritten by words of 4 bytes: what is less is not looked at */
static void unwritten_words(void)
{
	uint8_t to[16];
	char *p;

	start_checking();
	p = dev_alloc(64);
	ACL(aclrtMemcpy(p, 4, "word", 4, ACL_MEMCPY_HOST_TO_DEVICE));
	memset(to, 0xff, sizeof(to));
	ACL(aclrtMemcpy(to, sizeof(to), p, 7, ACL_MEMCPY_DEVICE_TO_HOST));
	finds_nothing();
	ACL(aclrtMemcpy(to, sizeof(to), p, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	FINDS("this copy reads 4 bytes that nothing has written", "the first at byte 4 of the allocation of 64 B");
	/* from the middle of a word on */
	ACL(aclrtMemcpy(to, sizeof(to), p + 5, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	FINDS("this copy reads 4 bytes that nothing has written", "the first at byte 8 of the allocation of 64 B");
	ACL(aclrtMemcpy2d(to, 8, p, 32, 8, 2, ACL_MEMCPY_DEVICE_TO_HOST));
	FINDS("this copy reads");
}

/* A kernel's input of which the last word alone is left */
static void the_last_unwritten_word_of_an_input(void)
{
	uint64_t *out;
	char *p;

	start_checking();
	p = dev_alloc(12);
	out = dev_alloc(8);
	ACL(aclrtMemcpy(p, 8, "two word", 8, ACL_MEMCPY_HOST_TO_DEVICE));
	LAUNCH(op("load_store"), 1, NULL, U64(out), U64(p + 8));
	FINDS("uninitialised", "kernel 'load_store'", "'src'", "reads 4 bytes", "the first at byte 8 of the allocation of 12 B");
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
}

/* Half of it is written: what the kernel reads of the rest is the device's to find */
static void a_part_that_is_written(void)
{
	uint64_t *out;
	char *p;

	start_checking();
	p = dev_alloc(16);
	out = dev_alloc(8);
	ACL(aclrtMemcpy(p + 8, 8, "two word", 8, ACL_MEMCPY_HOST_TO_DEVICE));
	LAUNCH(op("load_store"), 1, NULL, U64(out), U64(p + 8));
	ACL(aclrtSynchronizeStream(NULL));
	LAUNCH(op("load_store"), 1, NULL, U64(out), U64(p));
	finds_nothing();
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
}

/* Sources and results of copies that overlap, by one byte and by none */
static void copies_that_overlap(void)
{
	char *p;

	start_checking();
	p = dev_alloc(256);
	ACL(aclrtMemset(p, 256, 1, 256));
	ACL(aclrtMemcpy(p + 64, 64, p, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
	ACL(aclrtMemcpy(p, 64, p + 64, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
	ACL(aclrtMemcpy(p, 64, p, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
	finds_nothing();
	ACL(aclrtMemcpy(p + 63, 64, p, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
	FINDS("overlap");
	ACL(aclrtMemcpy(p, 64, p + 63, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
	FINDS("overlap");
}

TAP_MAIN(TEST(ranges_that_touch_are_no_race),
	 TEST(one_byte_of_both_is_a_race),
	 TEST(two_readers_are_no_race),
	 TEST(copies_read_and_write),
	 TEST(an_order_of_any_length_is_one),
	 TEST(the_program_itself),
	 TEST(kernels_that_use_different_parts),
	 TEST(what_was_never_freed),
	 TEST(bytes_around_an_allocation),
	 TEST(freed_memory_has_no_past),
	 TEST(every_use_of_a_graphs_tasks_counts),
	 TEST(large_graphs_are_looked_at_in_part),
	 TEST(unwritten_words),
	 TEST(the_last_unwritten_word_of_an_input),
	 TEST(a_part_that_is_written),
	 TEST(copies_that_overlap))
