/* SPDX-License-Identifier: MIT */
/* Shared by the tests of libacl: checks of codes and messages, memory with a pattern, operators. */
#ifndef ACLTEST_H
#define ACLTEST_H

#include <stdatomic.h>

#include <acl/acl.h>

#include "tap.h"

/* Programs run in the top directory */
#define OPS		"build/tests/libacl/ops.o"
#define VADD		"build/operators/vadd.o"

/* The call succeeds */
#define ACL(call) do { \
	aclError err_ = (call); \
	if (err_ != ACL_SUCCESS) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		FAIL("%s returned %d: %s", #call, err_, msg_ ? msg_ : "(no message)"); \
	} \
} while (0)

/*
 * The call fails with @code, and the message has each of the strings that follow, in any order and
 * in upper or lower case. Older messages of the thread are dropped first.
 */
#define FAILS(call, code, ...) do { \
	static const char *const facts_[] = { __VA_ARGS__ }; \
	aclGetRecentErrMsg(); \
	check_failure(__FILE__, __LINE__, #call, (call), (code), facts_, \
		      sizeof(facts_) / sizeof(facts_[0])); \
} while (0)

/*
 * At least what the program's clock shows when @ms have passed by the device's: an emulated
 * machine finds out its speed at boot, and on a busy host it is wrong by more than a little
 */
#define DEVICE_MS(ms) ((ms) * 3 / 4)

/* strcasestr() without _GNU_SOURCE's declaration */
const char *find_text(const char *text, const char *part);
void check_failure(const char *file, int line, const char *call, aclError got, aclError code,
		   const char *const *facts, size_t n);
/* The last message of the thread has all of these; @n is ended by NULL */
void check_facts(const char *msg, ...) __attribute__((sentinel));

/* Init and device 0 */
void start(void);
void *dev_alloc(size_t size);
void *pinned_alloc(size_t size);
/* Comes back when that thread of the process sleeps in the driver */
void until_in_driver(pid_t tid);
/* Waits until the counter has come to @value, which it must not pass */
void wait_for(atomic_int *n, int value);
/* The stream runs nothing from here on until the gate, in memory of the host, is opened */
uint64_t *close_host_gate(aclrtStream stream);
void open_host_gate(uint64_t *gate);
/*
 * Zeroed memory of the process, which a test need not free: it stays reachable, so leaks that a
 * sanitizer finds are the library's
 */
void *host_alloc(size_t size);
/* Is the device a node of the kernel's, and not the model in a process (Documentation/direct.md) */
static inline bool has_driver(void)
{
	const char *engine = getenv("ANPU_DEVICE");

	return !engine || (strcmp(engine, "direct") && strncmp(engine, "server", 6));
}

/* The device model runs in this process: for what only the driver can have */
#define SKIP_IN_DIRECT(reason) do {                                              \
	const char *engine_ = getenv("ANPU_DEVICE");                            \
	if (engine_ && !strcmp(engine_, "direct"))                              \
		SKIP("the direct engine: " reason);                             \
} while (0)

/* ANPU_CHECK=1 (Documentation/operators.md): for what that mode takes for a mistake */
#define SKIP_IN_CHECK(reason) do {                                               \
	const char *check_ = getenv("ANPU_CHECK");                              \
	if (check_ && !strcmp(check_, "1"))                                     \
		SKIP("the checking mode: " reason);                             \
} while (0)

/* Before a fork() while other threads allocate: AddressSanitizer's allocator may stay locked in it */
#define SKIP_IN_ASAN_FORK() do { \
	const char *variant_ = getenv("ANPU_VARIANT"); \
\
	if (variant_ && !strcmp(variant_, "asan")) \
		SKIP("AddressSanitizer's allocator may be locked in the child for ever"); \
} while (0)
aclrtStream new_stream(void);
aclrtBinHandle load(const char *path);
/* Kernel of build/tests/libacl/ops.o; loaded once per process */
aclrtFuncHandle op(const char *name);
/* Launches with slots of 8 bytes as arguments */
#define LAUNCH(func, blocks, stream, ...) do { \
	uint64_t args_[] = { __VA_ARGS__ }; \
	ACL(aclrtLaunchKernelWithHostArgs((func), (blocks), (stream), NULL, args_, \
					  sizeof(args_), NULL, 0)); \
} while (0)
#define U64(p) ((uint64_t)(uintptr_t)(p))

size_t free_hbm(void);

/* Bytes that depend on position and seed, and never repeat with a small period */
void fill_pattern(void *mem, size_t n, unsigned int seed);
/* Offset of the first byte that differs from the pattern, or -1 */
long find_difference(const void *mem, size_t n, unsigned int seed);
#define CHECK_PATTERN(mem, n, seed) do { \
	long at_ = find_difference((mem), (n), (seed)); \
	if (at_ >= 0) \
		FAIL("%s differs from pattern %u at byte %ld", #mem, (unsigned int)(seed), at_); \
} while (0)
/* A reproducible sequence */
uint32_t next_random(uint64_t *state);

/* Device memory to and from the pattern, by plain synchronous copies */
void put_pattern(void *dev, size_t n, unsigned int seed);
void check_device(const char *file, int line, const void *dev, size_t n, unsigned int seed);
#define CHECK_DEVICE(dev, n, seed) check_device(__FILE__, __LINE__, (dev), (n), (seed))
uint64_t read_u64(const void *dev);
void write_u64(void *dev, uint64_t value);
/* The name of a file for aclInit(), which has @text and ends with the process */
const char *config_file(const char *text);

/* Runs @run in a process of its own; fork before the first call, so that it has no state of ours */
pid_t child(void (*run)(void));
/* Waits for it */
void expect_success(pid_t pid);

/*
 * The test ends in the midst of something, so nobody looks at what it leaves behind. After all others aclFinalize() ends everything,
 * and the library keeps nothing then (left.c)
 */
extern bool test_leaves;

/* Runs @fn in another thread and waits */
void in_thread(void *(*fn)(void *), void *arg);

#endif /* ACLTEST_H */
