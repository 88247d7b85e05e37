// SPDX-License-Identifier: MIT
/*
 * A program that loads libacl with dlopen(): loading does nothing but load, and loading again and
 * again leaves nothing behind. It is not linked with the library.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/ptrace.h>

#include <acl/acl.h>
#include <linux/ptrace.h>

#include "../tap.h"

#define LIBRARY "libascendcl.so"

static void *library;

static void open_library(void)
{
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		FAIL("%s", dlerror());
}

static void close_library(void)
{
	if (dlclose(library))
		FAIL("%s", dlerror());
}

/* Of the function's type */
#define F(name) ((__typeof__(&name))find(#name))

static void *find(const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		FAIL("%s", dlerror());
	return symbol;
}

#define OK(call) CHECK_EQ((call), ACL_SUCCESS)

/* Counts a process's files, mappings, threads and keys of thread-specific data */
struct usage {
	int files, mappings, threads, keys;
};

static int entries(const char *directory)
{
	DIR *dir = opendir(directory);
	int n = 0;

	CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int lines(const char *path)
{
	FILE *f = fopen(path, "r");
	int n = 0, c;

	CHECK(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static int free_keys(void)
{
	static pthread_key_t key[4096];
	int n = 0;

	while (n < 4096 && !pthread_key_create(&key[n], NULL))
		n++;
	for (int i = 0; i < n; i++)
		pthread_key_delete(key[i]);
	return n;
}

static struct usage measure(void)
{
	return (struct usage){ entries("/proc/self/fd"), lines("/proc/self/maps"),
			       entries("/proc/self/task"), free_keys() };
}

static void unchanged(const struct usage *before)
{
	struct usage now;

	/* The kernel lists a thread for a moment after it was joined; it may have at the first look, too. */
	UNTIL(entries("/proc/self/task") <= before->threads);
	now = measure();
	CHECK_EQ(now.files, before->files);
	CHECK_OP(now.threads, <=, before->threads);
	CHECK_EQ(now.keys, before->keys);
	/* the allocator may have grown once; a sanitizer's grows again and again */
	if (!getenv("ANPU_VARIANT"))
		CHECK_OP(now.mappings, <=, before->mappings + 2);
}

/* Calls of the system while the library is loaded -------------------------------------------------- */

static void load_between_marks(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	open_library();
	close_library();
	_exit(0);
}

static void read_text(pid_t pid, uint64_t at, char *text, size_t size)
{
	size_t n = 0;

	for (; n + 8 < size; n += 8) {
		long word = ptrace(PTRACE_PEEKDATA, pid, at + n, NULL);

		memcpy(text + n, &word, 8);
		if (memchr(&word, 0, 8))
			return;
	}
	text[n] = 0;
}

/* One call that the loading process has begun */
static void judge(pid_t pid, const struct ptrace_syscall_info *info)
{
	char path[256] = "";

	switch (info->entry.nr) {
	case SYS_ioctl:
	case SYS_socket:
	case SYS_clone:
	case SYS_clone3:
		FAIL("loading makes system call %d", (int)info->entry.nr);
	case SYS_openat:
		read_text(pid, info->entry.args[1], path, sizeof(path));
		break;
	case SYS_open:
		read_text(pid, info->entry.args[0], path, sizeof(path));
		break;
	default:
		return;
	}
	if (!strncmp(path, "/dev", 4) || !strncmp(path, "/sys", 4))
		FAIL("loading opens %s", path);
	tap_note("opens %s", path);
}

static void loading_touches_no_device(void)
{
	struct ptrace_syscall_info info;
	int status, seen = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		load_between_marks();
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status))
		SKIP("ptrace() is not allowed here");
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status))
			break;
		CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80));
		CHECK(ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0);
		if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
			continue;
		judge(pid, &info);
		seen++;
	}
	CHECK_EQ(WEXITSTATUS(status), 0);
	CHECK_OP(seen, >, 3);
}

/* Again and again ---------------------------------------------------------------------------------- */

static void loading_100_times_leaves_nothing(void)
{
	struct usage before;

	for (int i = 0; i <= 100; i++) {
		open_library();
		CHECK(F(aclrtFree)(NULL) != ACL_SUCCESS);
		CHECK(F(aclGetRecentErrMsg)());
		close_library();
		if (!i)
			before = measure();
	}
	unchanged(&before);
}

/* A program that uses everything, and threads of the runtime, between loading and unloading */
static void exception(aclrtExceptionInfo *info)
{
	(void)info;
}

static void use_and_end(void)
{
	aclrtStream stream;
	void *p;

	open_library();
	OK(F(aclInit)(NULL));
	OK(F(aclrtSetDevice)(0));
	OK(F(aclrtCreateStream)(&stream));
	OK(F(aclrtExceptionInfoCallbackRegister)(exception));
	OK(F(aclrtMalloc)(&p, 4 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(F(aclrtMemsetAsync)(p, 4 << 20, 1, 4 << 20, stream));
	OK(F(aclrtSynchronizeStream)(stream));
	OK(F(aclrtFree)(p));
	OK(F(aclrtExceptionInfoCallbackUnregister)(exception));
	OK(F(aclrtDestroyStream)(stream));
	OK(F(aclrtResetDevice)(0));
	OK(F(aclFinalize)());
	close_library();
}

static void using_it_100_times_leaves_nothing(void)
{
	struct usage before;

#ifdef M_ARENA_MAX
	/* Threads that allocate at once get arenas of their own from glibc, two mappings each, sooner or later */
	mallopt(M_ARENA_MAX, 1);
#endif
	use_and_end();
	use_and_end();
	before = measure();
	for (int i = 0; i < 100; i++)
		use_and_end();
	unchanged(&before);
}

/* A thread whose data the library has made ends after the library was unloaded */
static pthread_barrier_t used, closed;

static void *use_then_outlive(void *arg)
{
	(void)arg;
	CHECK(F(aclrtFree)(NULL) != ACL_SUCCESS);
	pthread_barrier_wait(&used);
	pthread_barrier_wait(&closed);
	return NULL;
}

static void threads_may_end_after_unloading(void)
{
	pthread_t thread;

	pthread_barrier_init(&used, NULL, 2);
	pthread_barrier_init(&closed, NULL, 2);
	for (int i = 0; i < 20; i++) {
		open_library();
		CHECK_EQ(pthread_create(&thread, NULL, use_then_outlive, NULL), 0);
		pthread_barrier_wait(&used);
		close_library();
		pthread_barrier_wait(&closed);
		CHECK_EQ(pthread_join(thread, NULL), 0);
	}
}

/* Unloading without an end of the use; and then the process ends in order */
static void unload_in_use(void)
{
	void *p;

	open_library();
	OK(F(aclInit)(NULL));
	OK(F(aclrtSetDevice)(0));
	OK(F(aclrtExceptionInfoCallbackRegister)(exception));
	OK(F(aclrtMalloc)(&p, 4 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(F(aclrtMemsetAsync)(p, 4 << 20, 1, 4 << 20, NULL));
	close_library();
}

static void unloading_in_use_is_harmless(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		void *p;

		unload_in_use();
		/* it was never really gone, and neither is the device */
		open_library();
		OK(F(aclrtMalloc)(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
		close_library();
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* The same file under the same name in another directory, as a program with its own copy has it */
static void a_second_copy_is_told(void)
{
	char dir[] = "/tmp/copy-XXXXXX", path[64], buf[65536];
	__typeof__(&aclGetRecentErrMsg) message;
	int (*get)(int32_t *device);
	Dl_info first;
	int32_t id;
	FILE *from, *to;
	void *second;
	size_t n;

	open_library();
	CHECK(dladdr(find("aclInit"), &first));
	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/libascendcl.so", dir);
	from = fopen(first.dli_fname, "r");
	to = fopen(path, "w");
	CHECK(from && to);
	while ((n = fread(buf, 1, sizeof(buf), from)))
		CHECK(fwrite(buf, 1, n, to) == n);
	fclose(from);
	CHECK(!fclose(to));
	second = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!second)
		FAIL("%s", dlerror());
	OK(F(aclrtSetDevice)(0));
	OK(F(aclrtGetDevice)(&id));
	get = (__typeof__(get))dlsym(second, "aclrtGetDevice");
	message = (__typeof__(message))dlsym(second, "aclGetRecentErrMsg");
	CHECK(get && message);
	CHECK_EQ(get(&id), ACL_ERROR_RT_CONTEXT_NULL);
	n = snprintf(buf, sizeof(buf), "%s", message());
	CHECK(strstr(buf, "second copy") && strstr(buf, path) && strstr(buf, first.dli_fname));
	unlink(path);
	rmdir(dir);
	OK(F(aclrtResetDevice)(0));
}

TAP_MAIN(TEST(a_second_copy_is_told),
	 TEST(loading_touches_no_device),
	 TEST(loading_100_times_leaves_nothing),
	 TEST(using_it_100_times_leaves_nothing),
	 TEST(threads_may_end_after_unloading),
	 TEST(unloading_in_use_is_harmless))
