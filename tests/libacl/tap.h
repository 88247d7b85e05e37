/* SPDX-License-Identifier: MIT */
/*
 * Named tests with TAP output. Each test runs in a process of its own, so that one that crashes,
 * hangs or exits is one failure and the next starts with a clean libacl; that the device takes its
 * resources back after every one of them is tested on the way.
 *
 * A check that does not hold ends its test at once, from any function and any thread.
 */
#ifndef TAP_H
#define TAP_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TAP_SECONDS 60

/* A test that may take longer than TAP_SECONDS says so in @seconds */
struct tap_test {
	const char *name;
	void (*run)(void);
	int seconds;
};

#define TEST(fn) { #fn, fn, TAP_SECONDS }
#define TEST_SECONDS(fn, seconds) { #fn, fn, seconds }

enum tap_exit { TAP_OK = 0, TAP_FAILED = 1, TAP_SKIPPED = 77 };

/* Reason of a skip, shared with the process of the test */
static char *tap_reason;

/* A program may look at something here after each test that returns, in the test's process */
void tap_after(void) __attribute__((weak));

static inline void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline void tap_note(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		printf("# %s\n", line);
}

static inline void tap_end(enum tap_exit status) __attribute__((noreturn));
static inline void tap_end(enum tap_exit status)
{
	fflush(stdout);
	_exit(status);
}

#define FAIL(...) do { \
	printf("# %s:%d: ", __FILE__, __LINE__); \
	printf(__VA_ARGS__); \
	printf("\n"); \
	tap_end(TAP_FAILED); \
} while (0)

#define CHECK(cond) do { if (!(cond)) FAIL("%s does not hold", #cond); } while (0)

/* Both values are shown: as numbers, for everything that fits a long long */
#define CHECK_OP(a, op, b) do { \
	long long a_ = (long long)(a), b_ = (long long)(b); \
	if (!(a_ op b_)) \
		FAIL("%s %s %s does not hold: %lld and %lld", #a, #op, #b, a_, b_); \
} while (0)
#define CHECK_EQ(a, b) CHECK_OP(a, ==, b)

#define SKIP(...) do { \
	snprintf(tap_reason, 256, __VA_ARGS__); \
	tap_end(TAP_SKIPPED); \
} while (0)

static inline uint64_t tap_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Waits until that holds, for 20 s at most: what is checked next shows it */
#define UNTIL(condition) do {							\
	uint64_t end_ = tap_ms() + 20000;					\
	while (!(condition) && tap_ms() < end_)					\
		usleep(1000);							\
} while (0)

/* Limits are for a kernel of usual speed: ANPU_SLOW says how much slower this one is. */
static inline int tap_limit(const struct tap_test *test)
{
	const char *slow = getenv("ANPU_SLOW");

	return slow && atoi(slow) > 1 ? test->seconds * atoi(slow) : test->seconds;
}

static inline bool tap_run(const struct tap_test *test, int number)
{
	int status, seconds = tap_limit(test);
	struct pollfd end;
	pid_t pid;

	*tap_reason = 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		test->run();
		if (tap_after)
			tap_after();
		tap_end(TAP_OK);
	}
	setpgid(pid, pid);
	end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	end.events = POLLIN;
	if (poll(&end, 1, seconds * 1000) == 0) {
		tap_note("did not end within %d s", seconds);
		kill(pid, SIGKILL);
	}
	close(end.fd);
	waitpid(pid, &status, 0);
	/* Processes that the test started must not disturb the next one */
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(status))
		tap_note("ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == TAP_SKIPPED)
		printf("ok %d - %s # SKIP %s\n", number, test->name, tap_reason);
	else if (WEXITSTATUS(status) == TAP_OK)
		printf("ok %d - %s\n", number, test->name);
	if (WIFSIGNALED(status) ||
	    (WEXITSTATUS(status) != TAP_OK && WEXITSTATUS(status) != TAP_SKIPPED)) {
		printf("not ok %d - %s\n", number, test->name);
		return false;
	}
	return true;
}

/* With an argument, only tests whose name contains it run; with ANPU_TAP_STOP, none after one that failed */
static inline int tap_main(const struct tap_test *tests, int count, int argc, char **argv)
{
	const char *filter = argc > 1 ? argv[1] : "";
	int chosen = 0, failed = 0, number = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	tap_reason = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tap_reason == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	for (int i = 0; i < count; i++)
		chosen += !!strstr(tests[i].name, filter);
	printf("1..%d\n", chosen);
	for (int i = 0; i < count && !(failed && getenv("ANPU_TAP_STOP")); i++)
		if (strstr(tests[i].name, filter))
			failed += !tap_run(&tests[i], ++number);
	return failed ? 1 : 0;
}

#define TAP_MAIN(...) \
int main(int argc, char **argv) \
{ \
	static const struct tap_test tests[] = { __VA_ARGS__ }; \
	return tap_main(tests, sizeof(tests) / sizeof(tests[0]), argc, argv); \
}

#endif /* TAP_H */
