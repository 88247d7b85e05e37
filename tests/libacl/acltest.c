// SPDX-License-Identifier: MIT
#include "acltest.h"

#include <ctype.h>
#include <dlfcn.h>
#include <linux/memfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

bool test_leaves;

const char *find_text(const char *text, const char *part)
{
	for (; *text; text++) {
		size_t i = 0;

		while (part[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
			i++;
		if (!part[i])
			return text;
	}
	return NULL;
}

/* "E107000 aclrtFree: ..." for a call that is written as "aclrtFree(p)" */
static bool names_the_call(const char *msg, const char *call)
{
	size_t n = strcspn(call, "(");

	msg += strcspn(msg, " ");
	return strncmp(call, "acl", 3) || (!strncmp(msg + 1, call, n) && msg[1 + n] == ':');
}

void check_failure(const char *file, int line, const char *call, aclError got, aclError code,
		   const char *const *facts, size_t n)
{
	const char *msg = aclGetRecentErrMsg();

	if (got != code) {
		printf("# %s:%d: %s returned %d, expected %d; message: %s\n", file, line, call, got,
		       code, msg ? msg : "(none)");
		tap_end(TAP_FAILED);
	}
	if (!msg || !*msg) {
		printf("# %s:%d: %s left no message\n", file, line, call);
		tap_end(TAP_FAILED);
	}
	if (!names_the_call(msg, call)) {
		printf("# %s:%d: %s: the message names another function: %s\n", file, line, call,
		       msg);
		tap_end(TAP_FAILED);
	}
	for (size_t i = 0; i < n; i++) {
		if (!find_text(msg, facts[i])) {
			printf("# %s:%d: %s: the message has no \"%s\": %s\n", file, line, call,
			       facts[i], msg);
			tap_end(TAP_FAILED);
		}
	}
}

void check_facts(const char *msg, ...)
{
	const char *fact;
	va_list ap;

	if (!msg)
		FAIL("no message");
	va_start(ap, msg);
	while ((fact = va_arg(ap, const char *)))
		if (!find_text(msg, fact))
			FAIL("the message has no \"%s\": %s", fact, msg);
	va_end(ap);
}

void start(void)
{
	ACL(aclInit(NULL));
	ACL(aclrtSetDevice(0));
}

void *dev_alloc(size_t size)
{
	void *p = NULL;

	ACL(aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(p);
	return p;
}

void *pinned_alloc(size_t size)
{
	void *p = NULL;

	ACL(aclrtMallocHost(&p, size));
	CHECK(p);
	return p;
}

void until_in_driver(pid_t tid)
{
	const char *engine = getenv("ANPU_DEVICE");
	long sleeps = SYS_ioctl;
	char path[64], call[32];
	FILE *f;

	/* a thread that waits for the direct engine is in a futex, one that waits for anpu-server in its socket */
	if (engine && !strcmp(engine, "direct"))
		sleeps = SYS_futex;
	else if (engine && !strncmp(engine, "server", 6))
		sleeps = SYS_recvmsg;
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	do {
		usleep(1000);
		f = fopen(path, "r");
		CHECK(f && fgets(call, sizeof(call), f));
		fclose(f);
		/* of a thread that runs the file says "running" */
	} while (strtol(call, NULL, 10) != sleeps);
}

void wait_for(atomic_int *n, int value)
{
	UNTIL(atomic_load(n) >= value);
	CHECK_EQ(atomic_load(n), value);
}

uint64_t *close_host_gate(aclrtStream stream)
{
	uint64_t *gate = pinned_alloc(8);

	*gate = 0;
	ACL(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
	return gate;
}

void open_host_gate(uint64_t *gate)
{
	__atomic_store_n(gate, 1, __ATOMIC_RELEASE);
}

void *host_alloc(size_t size)
{
	static struct kept {
		struct kept *next;
		void *p;
	} *_Atomic kept;
	struct kept *k = malloc(sizeof(*k));
	void *p = calloc(1, size);

	CHECK(k && p);
	*k = (struct kept){ .next = atomic_load(&kept), .p = p };
	while (!atomic_compare_exchange_weak(&kept, &k->next, k))
		;
	return p;
}

aclrtStream new_stream(void)
{
	aclrtStream stream = NULL;

	ACL(aclrtCreateStream(&stream));
	CHECK(stream);
	return stream;
}

aclrtBinHandle load(const char *path)
{
	aclrtBinHandle bin = NULL;

	ACL(aclrtBinaryLoadFromFile(path, NULL, &bin));
	CHECK(bin);
	return bin;
}

aclrtFuncHandle op(const char *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static aclrtBinHandle bin;
	aclrtFuncHandle func = NULL;

	pthread_mutex_lock(&lock);
	if (!bin)
		bin = load(OPS);
	pthread_mutex_unlock(&lock);
	ACL(aclrtBinaryGetFunction(bin, name, &func));
	CHECK(func);
	return func;
}

size_t free_hbm(void)
{
	size_t available, total;

	ACL(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
	CHECK(available <= total);
	return available;
}

static inline uint64_t pattern_word(size_t index, unsigned int seed)
{
	return (index + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xd1b54a32d192ed03ULL;
}

static inline uint8_t pattern_byte(size_t i, unsigned int seed)
{
	return (uint8_t)(pattern_word(i / 8, seed) >> (8 * (i % 8)));
}

void fill_pattern(void *mem, size_t n, unsigned int seed)
{
	uint8_t *b = mem;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t w = pattern_word(i / 8, seed);

		memcpy(b + i, &w, 8);
	}
	for (; i < n; i++)
		b[i] = pattern_byte(i, seed);
}

long find_difference(const void *mem, size_t n, unsigned int seed)
{
	const uint8_t *b = mem;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t w = pattern_word(i / 8, seed);

		if (memcmp(b + i, &w, 8))
			break;
	}
	for (; i < n; i++)
		if (b[i] != pattern_byte(i, seed))
			return (long)i;
	return -1;
}

uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33);
}

void put_pattern(void *dev, size_t n, unsigned int seed)
{
	void *host = malloc(n);

	CHECK(host);
	fill_pattern(host, n, seed);
	ACL(aclrtMemcpy(dev, n, host, n, ACL_MEMCPY_HOST_TO_DEVICE));
	free(host);
}

void check_device(const char *file, int line, const void *dev, size_t n, unsigned int seed)
{
	void *host = malloc(n);
	long at;

	CHECK(host);
	ACL(aclrtMemcpy(host, n, dev, n, ACL_MEMCPY_DEVICE_TO_HOST));
	at = find_difference(host, n, seed);
	free(host);
	if (at < 0)
		return;
	printf("# %s:%d: device memory differs from pattern %u at byte %ld of %zu\n", file, line,
	       seed, at, n);
	tap_end(TAP_FAILED);
}

uint64_t read_u64(const void *dev)
{
	uint64_t value = 0;

	ACL(aclrtMemcpy(&value, sizeof(value), dev, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
	return value;
}

void write_u64(void *dev, uint64_t value)
{
	ACL(aclrtMemcpy(dev, sizeof(value), &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE));
}

const char *config_file(const char *text)
{
	static char path[32];
	int fd = (int)syscall(SYS_memfd_create, "acl.json", MFD_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

void in_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, fn, arg), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

pid_t child(void (*run)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		run();
		tap_end(TAP_OK);
	}
	return pid;
}

void expect_success(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		FAIL("the other process ended with wait status 0x%x", status);
}
