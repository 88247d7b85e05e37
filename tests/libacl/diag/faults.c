// SPDX-License-Identifier: MIT
/* Operators that fail: code and message at synchronisation, and everything else goes on. */
#include "../acltest.h"

/* The last failure showed, and the device is as good as before */
static void check_alive(void)
{
	uint64_t *word = dev_alloc(8);

	LAUNCH(op("store"), 1, NULL, U64(word), 123);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 123);
	ACL(aclrtFree(word));
}

static void *unmapped(void)
{
	/* Inside the range of device addresses, and far from every allocation */
	return (char *)dev_alloc(64) + (600UL << 20);
}

static const char *hex(uint64_t value)
{
	static char text[32];

	snprintf(text, sizeof(text), "%llx", (unsigned long long)value);
	return text;
}

/* Launches, expects @code and the facts, and that the failure shows once only */
#define FAULTS(code, name, args, ...) do { \
	static const char *const facts_[] = { __VA_ARGS__ }; \
	aclGetRecentErrMsg(); \
	ACL(aclrtLaunchKernelWithHostArgs(op(name), 1, NULL, NULL, (args), sizeof(args), NULL, 0)); \
	check_failure(__FILE__, __LINE__, name, aclrtSynchronizeStream(NULL), (code), facts_, \
		      sizeof(facts_) / sizeof(facts_[0])); \
	ACL(aclrtSynchronizeStream(NULL)); \
	check_alive(); \
} while (0)

static void read_of_unmapped_memory(void)
{
	uint64_t args[1];

	start();
	args[0] = U64(unmapped());
	tap_note("0x%s", hex(args[0]));
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "read_at", args, "read_at", "read", "block 0", "pc",
	       "read_at() at ", "ops.c:", "submitted by aclrtLaunchKernelWithHostArgs()",
	       "in read_of_unmapped_memory()", "faults.c:");
	ACL(aclrtLaunchKernelWithHostArgs(op("read_at"), 1, NULL, NULL, args, 8, NULL, 0));
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	/* The address itself, and the file it happened in */
	check_facts(aclGetRecentErrMsg(), hex(args[0]), "ops.o", NULL);
}

static void write_to_unmapped_memory(void)
{
	uint64_t args[1];

	start();
	args[0] = U64(unmapped());
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "write_at", args, "write_at", "writ");
}

static void null_and_host_pointers_in_arguments(void)
{
	uint64_t args[1], local = 0;

	start();
	args[0] = 0;
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "read_at", args, "read_at", "NULL");
	args[0] = U64(&local);
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "write_at", args, "write_at");
	CHECK_EQ(local, 0);
}

static void freed_memory(void)
{
	uint64_t args[1];
	void *p;

	start();
	p = dev_alloc(8 << 20);
	write_u64(p, 1);
	ACL(aclrtFree(p));
	args[0] = U64(p);
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "read_at", args, "read_at");
}

/* The kernel reads there, and the message has the facts and not @wrong */
static void read_and_tell(const void *where, const char *fact, const char *more, const char *wrong)
{
	char *msg;

	aclGetRecentErrMsg();
	LAUNCH(op("read_at"), 1, NULL, U64(where));
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	msg = strdup(aclGetRecentErrMsg());
	tap_note("%s", msg);
	check_facts(msg, "read_at", fact, more, NULL);
	if (wrong && find_text(msg, wrong))
		FAIL("'%s' in: %s", wrong, msg);
	free(msg);
}

/* Messages about wrong pointers say what the pointer is */
static void a_wrong_pointer_is_told_by_what_it_is(void)
{
	void *big, *pinned, *reserved, *mapped = NULL;
	aclrtStream stream;
	uint64_t local = 0;
	aclrtEvent event;
	char text[32];

	start();
	stream = new_stream();
	read_and_tell(NULL, "at 0x0, NULL", "not set", "scratchpad");
	read_and_tell((void *)40, "NULL", "offset", "scratchpad");
	read_and_tell(&local, "host memory", "aclrtMemcpy", "not allocated");
	read_and_tell(stream, "handle of a stream", "device memory", "not allocated");
	ACL(aclrtCreateEvent(&event));
	read_and_tell(event, "handle of an event", NULL, "not allocated");
	big = dev_alloc((8 << 20) + 4096); /* "8.0 MiB", also in the checking mode, which does not round */
	ACL(aclrtFree(big));
	read_and_tell((char *)big + 4096, "8.0 MiB", "was freed", "nearest");
	pinned = pinned_alloc(8192);
	ACL(aclrtFreeHost(pinned));
	read_and_tell(pinned, "host memory that was freed", "aclrtFreeHost", "not allocated");
	ACL(aclrtReserveMemAddress(&reserved, 4 << 20, 0, NULL, 1));
	read_and_tell(reserved, "aclrtReserveMemAddress", "mapped nothing", "nearest");
	ACL(aclrtReleaseMemAddress(reserved));
	big = dev_alloc((6 << 20) + 4096);
	snprintf(text, sizeof(text), "%s", hex(U64(big)));
	mapped = (char *)big + (600 << 20);
	read_and_tell(mapped, "not allocated", "behind the end of the nearest allocation", NULL);
	LAUNCH(op("read_at"), 1, NULL, U64(mapped));
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	check_facts(aclGetRecentErrMsg(), "6.0 MiB", text, NULL);
	check_alive();
}

/* Of two allocations far from each other the nearer one is told, and on which side of it the address is */
static void the_nearest_allocation_is_told(void)
{
	const size_t mib = 1 << 20, size = 2 << 20;
	char *low, *wanted, *high = NULL;
	aclrtDrvMemHandle handle;
	aclrtPhysicalMemProp prop = { .memAttr = ACL_HBM_MEM_HUGE,
				      .location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE } };

	start();
	op("read_at"); /* its code is in memory, too */
	low = dev_alloc(size);
	wanted = low + 4096 * mib;
	ACL(aclrtReserveMemAddress((void **)&high, size, 0, wanted, 1));
	CHECK(high == wanted);
	ACL(aclrtMallocPhysical(&handle, size, &prop, 0));
	ACL(aclrtMapMem(high, size, 0, handle, 0));
	read_and_tell(high - 40 * mib, "40 MiB before the nearest allocation", "2 MiB at", "behind the end");
	read_and_tell(high - 4096, "4 KiB before the nearest allocation", "2 MiB at", "behind the end");
	read_and_tell(high + size + 1000 * mib, "1000 MiB behind the end of the nearest allocation", "2 MiB at",
		      "before the");
	ACL(aclrtUnmapMem(high));
	ACL(aclrtFreePhysical(handle));
	ACL(aclrtReleaseMemAddress(high));
	check_alive();
}

/* Small allocations share pages: of these the last one that there still is counts, not the place where another one was */
static void the_nearest_small_allocation_is_told(void)
{
	const size_t mib = 1 << 20;
	char *first, *small, *last;

	start();
	op("read_at");
	first = dev_alloc(1900);
	small = dev_alloc(700);
	last = dev_alloc(3000);
	ACL(aclrtFree(last));
	read_and_tell(small + 64 * mib, "behind the end of the nearest allocation, 7", hex(U64(small)), "allocation, 0");
	ACL(aclrtFree(first));
	read_and_tell(small + 64 * mib, "behind the end of the nearest allocation, 7", hex(U64(small)), "allocation, 0");
	check_alive();
}

static void a_binary_that_is_unloaded_while_it_runs(void)
{
	aclrtFuncHandle wait;
	aclrtBinHandle bin;
	uint64_t *words;
	char *msg;

	start();
	words = pinned_alloc(16);
	memset(words, 0, 16);
	bin = load(OPS);
	ACL(aclrtBinaryGetFunction(bin, "begin_and_wait", &wait));
	LAUNCH(wait, 1, NULL, U64(&words[0]), U64(&words[1]));
	while (!__atomic_load_n(&words[0], __ATOMIC_ACQUIRE))
		usleep(1000);
	ACL(aclrtBinaryUnLoad(bin));
	aclGetRecentErrMsg();
	CHECK(aclrtSynchronizeStream(NULL) != ACL_SUCCESS);
	msg = strdup(aclGetRecentErrMsg());
	tap_note("%s", msg);
	check_facts(msg, "unloaded", "aclrtBinaryUnLoad", NULL);
	CHECK(!find_text(msg, "left the operator"));
	free(msg);
	check_alive();
}

static void own_code_is_not_writable(void)
{
	const char *msg, *pc;
	uint64_t args[1];

	start();
	/* The message of a fault tells where the code is */
	args[0] = 0;
	ACL(aclrtLaunchKernelWithHostArgs(op("read_at"), 1, NULL, NULL, args, 8, NULL, 0));
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	msg = aclGetRecentErrMsg();
	pc = find_text(msg, "pc ");
	if (!pc)
		FAIL("no pc in: %s", msg);
	while (*pc && (pc[0] != '0' || pc[1] != 'x'))
		pc++;
	args[0] = strtoull(pc, NULL, 16) & ~7UL;
	CHECK(args[0] > 1UL << 32);
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "write_at", args, "write_at", "writ");
}

static void illegal_instruction(void)
{
	uint64_t args[1] = { 0 };

	start();
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "illegal_instruction", args, "illegal_instruction",
	       "illegal", "ffffffff");
}

static void jump_out_of_the_text(void)
{
	uint64_t args[1];

	start();
	args[0] = U64(dev_alloc(4096));
	tap_note("to data");
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "jump_to", args, "jump_to");
	args[0] = U64(unmapped());
	tap_note("to nowhere");
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "jump_to", args, "jump_to");
	args[0] = 0;
	tap_note("to NULL");
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "jump_to", args, "jump_to");
	args[0] = U64(dev_alloc(64)) + 2;
	tap_note("to an odd place");
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "jump_to", args, "jump_to");
	tap_note("to the stack");
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "jump_to_stack", args, "jump_to_stack");
}

static void stack_overflow(void)
{
	uint64_t args[1];

	start();
	args[0] = U64(dev_alloc(8));
	FAULTS(ACL_ERROR_RT_AICORE_EXCEPTION, "overflow_stack", args, "overflow_stack", "stack");
}

static void trap_with_a_message(void)
{
	uint64_t args[1] = { 0 };

	start();
	FAULTS(ACL_ERROR_RT_AICORE_TRAP_EXCEPTION, "trap", args, "trap", "tiling data is stale");
}

static void failed_assert(void)
{
	uint64_t args[1] = { 0 };

	start();
	FAULTS(ACL_ERROR_RT_AICORE_TRAP_EXCEPTION, "failed_assert", args, "failed_assert",
	       "rows > 0");
}

static void breakpoint(void)
{
	uint64_t args[1] = { 0 };

	start();
	FAULTS(ACL_ERROR_RT_AICORE_TRAP_EXCEPTION, "breakpoint", args, "breakpoint", "ebreak");
}

static uint64_t run_with_limit(aclrtLaunchKernelAttr *attr)
{
	aclrtLaunchKernelCfg cfg = { attr, 1 };
	uint64_t args[1], before;
	void *dev = dev_alloc(8);

	args[0] = U64(dev);
	ACL(aclrtMemset(dev, 8, 0, 8));
	op("run_for_ever");
	aclGetRecentErrMsg();
	before = tap_ms();
	ACL(aclrtLaunchKernelWithHostArgs(op("run_for_ever"), 1, NULL, &cfg, args, 8, NULL, 0));
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TIMEOUT);
	check_facts(aclGetRecentErrMsg(), "run_for_ever", "limit", NULL);
	return tap_ms() - before;
}

static void endless_operators_run_into_their_limit(void)
{
	aclrtLaunchKernelAttr us = { ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
				     { .timeoutUs = { 200000, 0 } } };
	aclrtLaunchKernelAttr s = { ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, { .timeout = 1 } };
	uint64_t ms;

	start();
	ms = run_with_limit(&us);
	CHECK_OP(ms, >=, DEVICE_MS(200));
	check_alive();
	ms = run_with_limit(&s);
	CHECK_OP(ms, >=, DEVICE_MS(1000));
	check_alive();
}

static void only_the_block_that_failed_is_named(void)
{
	enum { BLOCKS = 32 };
	uint64_t args[2];

	start();
	args[0] = U64(unmapped());
	for (uint64_t block = 1; block < BLOCKS; block += 10) {
		char text[32];

		args[1] = block;
		ACL(aclrtLaunchKernelWithHostArgs(op("read_in_block"), BLOCKS, NULL, NULL, args, 16,
						  NULL, 0));
		CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
		snprintf(text, sizeof(text), "block %llu", (unsigned long long)block);
		check_facts(aclGetRecentErrMsg(), text, "read_in_block", NULL);
	}
	check_alive();
}

static void what_was_before_the_fault_stays(void)
{
	uint64_t *word;

	start();
	word = dev_alloc(8);
	LAUNCH(op("store_then_read"), 1, NULL, U64(word), 41, U64(unmapped()));
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(read_u64(word), 41);
}

static void the_stream_goes_on_behind_a_failure(void)
{
	aclrtStream stream;
	uint64_t *words;

	start();
	stream = new_stream();
	words = pinned_alloc(16);
	memset(words, 0, 16);
	LAUNCH(op("store"), 1, stream, U64(&words[0]), 1);
	LAUNCH(op("read_at"), 1, stream, U64(unmapped()));
	LAUNCH(op("store"), 1, stream, U64(&words[1]), 2);
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(words[0], 1);
	CHECK_EQ(words[1], 2);
	ACL(aclrtSynchronizeStream(stream));
}

static void the_first_of_several_failures_is_told_and_counted(void)
{
	aclrtStream stream;
	const char *msg;

	start();
	stream = new_stream();
	LAUNCH(op("trap"), 1, stream, 0);
	for (int i = 0; i < 20; i++)
		LAUNCH(op("read_at"), 1, stream, U64(unmapped()));
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	msg = aclGetRecentErrMsg();
	check_facts(msg, "tiling data is stale", "20 later", NULL);
	ACL(aclrtSynchronizeStream(stream));
	/* A new failure is the first one again */
	LAUNCH(op("illegal_instruction"), 1, stream, 0);
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
	check_facts(aclGetRecentErrMsg(), "illegal_instruction", NULL);
}

static void other_streams_see_nothing(void)
{
	aclrtStream bad, good;
	uint64_t *word;

	start();
	bad = new_stream();
	good = new_stream();
	word = dev_alloc(8);
	LAUNCH(op("read_at"), 1, bad, U64(unmapped()));
	LAUNCH(op("store"), 1, good, U64(word), 8);
	ACL(aclrtSynchronizeStream(good));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 8);
	CHECK_EQ(aclrtSynchronizeStream(bad), ACL_ERROR_RT_AICORE_EXCEPTION);
}

static void synchronize_device_tells_too(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	LAUNCH(op("read_at"), 1, stream, U64(unmapped()));
	FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_EXCEPTION, "read_at");
	ACL(aclrtSynchronizeDevice());
}

static void a_stream_with_a_failure_can_be_destroyed(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	LAUNCH(op("read_at"), 1, stream, U64(unmapped()));
	/* Only synchronising returns results of tasks; destroying still says what it saw */
	ACL(aclrtDestroyStream(stream));
	check_facts(aclGetRecentErrMsg(), "507015", "read_at", NULL);
	FAILS(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
	check_alive();
}

static void many_failures_cost_nothing(void)
{
	size_t before;

	start();
	check_alive();
	before = free_hbm();
	for (int i = 0; i < 300; i++) {
		LAUNCH(op("read_at"), 4, NULL, 0);
		CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
		CHECK(aclGetRecentErrMsg());
	}
	check_alive();
	CHECK_OP(free_hbm() + (2 << 20), >=, before);
}

static void reset_after_a_failure_starts_anew(void)
{
	aclError err;

	start();
	LAUNCH(op("read_at"), 1, NULL, 0);
	/* Whether the failure shows here is not documented; the reset is done */
	err = aclrtResetDevice(0);
	CHECK(err == ACL_SUCCESS || err == ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtSetDevice(0));
	ACL(aclrtSynchronizeDevice());
}

/* @n operators that fail, all in the stream before the first begins; the sentence about them */
static const char *sentence_of(int n, uint64_t mode)
{
	aclrtStream stream = new_stream();
	uint64_t *gate;

	if (mode)
		ACL(aclrtSetStreamFailureMode(stream, mode));
	gate = close_host_gate(stream);
	for (int i = 0; i < n; i++)
		LAUNCH(op("write_at"), 1, stream, 8);
	aclGetRecentErrMsg();
	open_host_gate(gate);
	CHECK(aclrtSynchronizeStream(stream));
	return aclGetRecentErrMsg();
}

static void later_tasks_are_counted(void)
{
	const char *said;

	start();
	said = sentence_of(1, 0);
	CHECK(strstr(said, "write_at") && !strstr(said, "later task") && !strstr(said, "has stopped"));
	CHECK(strstr(sentence_of(2, 0), "(and a later task of the stream failed)"));
	said = sentence_of(4, 0);
	CHECK(strstr(said, "(and 3 later tasks of the stream failed)") && !strstr(said, "has stopped"));
	said = sentence_of(4, 1);
	CHECK(strstr(said, "(the stream has stopped: its 3 tasks behind this one do not run)"));
	CHECK(!strstr(said, "later task"));
	said = sentence_of(1, 1);
	CHECK(strstr(said, "write_at") && !strstr(said, "has stopped"));
}

TAP_MAIN(TEST(later_tasks_are_counted),
	 TEST(read_of_unmapped_memory),
	 TEST(write_to_unmapped_memory),
	 TEST(null_and_host_pointers_in_arguments),
	 TEST(freed_memory),
	 TEST(a_wrong_pointer_is_told_by_what_it_is), TEST(the_nearest_allocation_is_told), TEST(the_nearest_small_allocation_is_told),
	 TEST(a_binary_that_is_unloaded_while_it_runs),
	 TEST(own_code_is_not_writable),
	 TEST(illegal_instruction),
	 TEST(jump_out_of_the_text),
	 TEST(stack_overflow),
	 TEST(trap_with_a_message),
	 TEST(failed_assert),
	 TEST(breakpoint),
	 TEST(endless_operators_run_into_their_limit),
	 TEST(only_the_block_that_failed_is_named),
	 TEST(what_was_before_the_fault_stays),
	 TEST(the_stream_goes_on_behind_a_failure),
	 TEST(the_first_of_several_failures_is_told_and_counted),
	 TEST(other_streams_see_nothing),
	 TEST(synchronize_device_tells_too),
	 TEST(a_stream_with_a_failure_can_be_destroyed),
	 TEST(many_failures_cost_nothing),
	 TEST(reset_after_a_failure_starts_anew))
