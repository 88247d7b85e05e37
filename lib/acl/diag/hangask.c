// SPDX-License-Identifier: MIT
/*
 * Reports of hangs on request: by the signal that ANPU_HANG_SIGNAL names, to standard error, and by `anpu-smi hang PID`, into the
 * file of <anpu/anpu_hang_report.h>. A thread sleeps for both while the process has a device open. It is for people who look: a
 * process that cannot have it, for want of descriptors or memory, works without.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anpu/anpu_hang_report.h>

#include "diag/diag.h"

#define STACK_BYTES (1U << 20)

enum request { BY_TOOL = 't', BY_SIGNAL = 's', TO_END = 'e' };

/**
 * struct asker - what the thread has
 * @users: devices that are open
 * @pid: of the process that has started the thread: a child of fork() has none
 * @pipe: requests are written to [1]; @pipe_file: which file it is
 * @fd: of @file; @fd_file: which file it is
 * @signal: that is handled, or 0; @before: how it was before
 */
static struct {
	pthread_mutex_t lock;
	unsigned int users;
	pid_t pid;
	bool running;
	pthread_t thread;
	int pipe[2];
	struct stat pipe_file;
	int fd;
	struct stat fd_file;
	struct anpu_hang_report *file;
	int signal;
	struct sigaction before;
} asker = { .lock = PTHREAD_MUTEX_INITIALIZER, .pipe = { -1, -1 }, .fd = -1 };

/* The same as asker.pipe[1], for the handler of the signal */
static atomic_int signalled = -1;

/* A report as a text to be freed, and its size; NULL: no memory */
static char *make_report(const char *why, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	if (!to)
		return NULL;
	fprintf(to, "anpu: report of process %d, on request by %s\n", getpid(), why);
	anpu_hang_report(to);
	fprintf(to, "anpu: end of the report\n");
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static void answer_signal(void)
{
	char *line, *next, *text;
	size_t size;

	text = make_report("a signal", &size);
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n') + 1;
		fprintf(stderr, "%s%.*s", strncmp(line, "anpu: ", 6) ? "anpu: " : "", (int)(next - line), line);
	}
	free(text);
}

static void answer_tool(void)
{
	struct anpu_hang_report *file = asker.file;
	size_t size = 0, room = ANPU_HANG_SIZE - sizeof(*file);
	char *text = make_report("anpu-smi", &size);

	__atomic_store_n(&file->turn, file->turn + 1, __ATOMIC_SEQ_CST);
	file->size = (uint32_t)(size < room ? size : room);
	if (text)
		memcpy(file + 1, text, file->size);
	__atomic_store_n(&file->turn, file->turn + 1, __ATOMIC_RELEASE);
	free(text);
}

static void *answer(void *arg)
{
	char requests[64];
	ssize_t n;

	for (;;) {
		bool signal = false, tool = false;

		n = read(asker.pipe[0], requests, sizeof(requests));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return arg;
		for (ssize_t i = 0; i < n; i++) {
			if (requests[i] == TO_END)
				return arg;
			signal = signal || requests[i] == BY_SIGNAL;
			tool = tool || requests[i] == BY_TOOL;
		}
		if (signal)
			answer_signal();
		if (tool)
			answer_tool();
	}
}

static void on_signal(int number)
{
	const char request = BY_SIGNAL;
	int err = errno;

	(void)number;
	(void)!write(atomic_load(&signalled), &request, 1);
	errno = err;
}

/* "QUIT", "SIGQUIT" or a number; 0 if it is none */
static int signal_of(const char *text)
{
	/* not every C library has sigabbrev_np() */
	static const struct { const char *name; int number; } known[] = {
		{ "HUP", SIGHUP }, { "INT", SIGINT }, { "QUIT", SIGQUIT }, { "ILL", SIGILL }, { "TRAP", SIGTRAP },
		{ "ABRT", SIGABRT }, { "BUS", SIGBUS }, { "FPE", SIGFPE }, { "KILL", SIGKILL }, { "USR1", SIGUSR1 },
		{ "SEGV", SIGSEGV }, { "USR2", SIGUSR2 }, { "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
		{ "CHLD", SIGCHLD }, { "CONT", SIGCONT }, { "STOP", SIGSTOP }, { "TSTP", SIGTSTP }, { "TTIN", SIGTTIN },
		{ "TTOU", SIGTTOU }, { "URG", SIGURG }, { "XCPU", SIGXCPU }, { "XFSZ", SIGXFSZ }, { "PROF", SIGPROF },
		{ "VTALRM", SIGVTALRM }, { "WINCH", SIGWINCH }, { "IO", SIGIO }, { "POLL", SIGIO }, { "PWR", SIGPWR },
		{ "SYS", SIGSYS },
	};
	int number = atoi(text);

	if (!strncmp(text, "SIG", 3))
		text += 3;
	for (unsigned int i = 0; i < ARRAY_SIZE(known) && !number; i++)
		if (!strcmp(known[i].name, text))
			number = known[i].number;
	return number > 0 && number < NSIG ? number : 0;
}

/* Lock held: the signal that ANPU_HANG_SIGNAL names is handled from now on */
static void handle_signal(void)
{
	const char *env = getenv("ANPU_HANG_SIGNAL");
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	int number;

	if (!env || !*env)
		return;
	number = signal_of(env);
	if (!number) {
		fprintf(stderr, "anpu: ANPU_HANG_SIGNAL is '%s' and must be a signal's name or number, as QUIT: "
				"it is ignored\n", env);
		return;
	}
	if (sigaction(number, &sa, &asker.before))
		fprintf(stderr, "anpu: ANPU_HANG_SIGNAL: no report can be made: %s\n", strerror(errno));
	else
		asker.signal = number;
}

static bool make_pipe(void)
{
	return !pipe2(asker.pipe, O_CLOEXEC) && !fstat(asker.pipe[0], &asker.pipe_file);
}

static bool make_file(void)
{
	void *p = MAP_FAILED;

	asker.fd = memfd_create(ANPU_HANG_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (asker.fd >= 0 && !fstat(asker.fd, &asker.fd_file) && !ftruncate(asker.fd, ANPU_HANG_SIZE) &&
	    !fcntl(asker.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		p = mmap(NULL, ANPU_HANG_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, asker.fd, 0);
	if (p == MAP_FAILED)
		return false;
	(void)madvise(p, ANPU_HANG_SIZE, MADV_DONTFORK);
	asker.file = p;
	*asker.file = (struct anpu_hang_report){ .version = ANPU_HANG_VERSION, .pid = getpid(), .pipe = asker.pipe[1] };
	__atomic_store_n(&asker.file->magic, ANPU_HANG_MAGIC, __ATOMIC_RELEASE);
	return true;
}

/* Is the descriptor still that of a file? A program that closes descriptors which it does not know may have its number again */
static bool is_of(int fd, const struct stat *file)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

static void drop(void)
{
	if (asker.file)
		munmap(asker.file, ANPU_HANG_SIZE);
	for (int i = 0; i < 2; i++)
		if (is_of(asker.pipe[i], &asker.pipe_file))
			close(asker.pipe[i]);
	if (is_of(asker.fd, &asker.fd_file))
		close(asker.fd);
	asker.file = NULL;
	asker.pipe[0] = asker.pipe[1] = asker.fd = -1;
}

static void start(void)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int err;

	if (!make_pipe() || !make_file()) {
		drop();
		return;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* signals of the program are for its own threads */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = pthread_create(&asker.thread, &attr, answer, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (err) {
		drop();
		return;
	}
	asker.running = true;
	asker.pid = getpid();
	atomic_store(&signalled, asker.pipe[1]);
	handle_signal();
}

static void stop(void)
{
	const char request = TO_END;

	/* a child of fork() has neither the thread nor the mapping */
	if (!asker.running || asker.pid != getpid())
		return;
	if (asker.signal)
		(void)sigaction(asker.signal, &asker.before, NULL);
	asker.signal = 0;
	atomic_store(&signalled, -1);
	if (is_of(asker.pipe[1], &asker.pipe_file))
		(void)!write(asker.pipe[1], &request, 1);
	pthread_join(asker.thread, NULL);
	asker.running = false;
	drop();
}

aclError anpu_hang_watch(struct anpu_device *dev)
{
	pthread_mutex_lock(&asker.lock);
	if (!dev->hang_watched && !asker.users++)
		start();
	dev->hang_watched = true;
	pthread_mutex_unlock(&asker.lock);
	return ACL_SUCCESS;
}

void anpu_hang_watch_end(struct anpu_device *dev)
{
	pthread_mutex_lock(&asker.lock);
	if (dev->hang_watched && !--asker.users)
		stop();
	dev->hang_watched = false;
	pthread_mutex_unlock(&asker.lock);
}
