// SPDX-License-Identifier: MIT
/*
 * The runtime's log: the program's own lines (aclAppLog()), and the library's. Environment variables say
 * what goes there and where it goes: standard error, standard output, or a file for each process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"

#define TEXT_MAX      1024
#define DEFAULT_LEVEL ACL_ERROR
#define NO_LOG	      4 /* ASCEND_GLOBAL_LOG_LEVEL for nothing at all */
#define UNKNOWN	      (-1)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int lowest = UNKNOWN;
static int destination = STDERR_FILENO;
static bool chosen; /* the environment names a destination: the library's own lines go there */

/* mkdir -p */
static int make_folders(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(path, 0750) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* FOLDER/debug/plog/plog-PID_TIME.log, as tools that collect logs look for it */
static int open_file(const char *folder)
{
	char path[4096], when[32];
	struct timespec now;
	struct tm tm;
	int fd, err;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y%m%d%H%M%S", &tm);
	snprintf(path, sizeof(path), "%s/debug/plog/plog-%d_%s%03ld.log", folder, getpid(), when,
		 now.tv_nsec / 1000000);
	err = make_folders(path);
	fd = err ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
	if (fd >= 0)
		return fd;
	fprintf(stderr, "anpu: ASCEND_PROCESS_LOG_PATH: '%s' cannot be written: %s; the log goes to standard error\n",
		path, strerror(err ? -err : errno));
	return STDERR_FILENO;
}

static int read_level(void)
{
	const char *text = getenv("ASCEND_GLOBAL_LOG_LEVEL");

	if (!text || !*text)
		return DEFAULT_LEVEL;
	if (text[0] >= '0' && text[0] <= '0' + NO_LOG && !text[1])
		return text[0] - '0';
	fprintf(stderr,
		"anpu: ASCEND_GLOBAL_LOG_LEVEL is '%s' and must be 0 (debug), 1 (info), 2 (warning), 3 (error) "
		"or 4 (nothing): it is ignored\n", text);
	return DEFAULT_LEVEL;
}

static void read_environment(void)
{
	ACL_UNCANCELLED();
	const char *print = getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
	const char *folder = getenv("ASCEND_PROCESS_LOG_PATH");
	int level = read_level();

	if (print && !strcmp(print, "1"))
		destination = STDOUT_FILENO;
	else if (folder && *folder && level < NO_LOG)
		destination = open_file(folder);
	if (print && *print && strcmp(print, "0") && strcmp(print, "1"))
		fprintf(stderr, "anpu: ASCEND_SLOG_PRINT_TO_STDOUT is '%s' and must be 0 or 1: it is ignored\n",
			print);
	chosen = destination != STDERR_FILENO;
	atomic_store(&lowest, level);
}

static int lowest_level(void)
{
	int level = atomic_load_explicit(&lowest, memory_order_relaxed);

	if (level != UNKNOWN)
		return level;
	pthread_once(&once, read_environment);
	return atomic_load(&lowest);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

static const char *const names[] = { "DEBUG", "INFO", "WARNING", "ERROR" };

static __attribute__((noinline)) void write_line(const char *who, int level, const char *place, const char *text, bool cut)
{
	ACL_UNCANCELLED();
	char when[32];
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d-%H:%M:%S", &tm);
	/* what the program has printed before comes before it */
	if (destination == STDOUT_FILENO)
		fflush(stdout);
	/* one call, so that lines of several threads do not mix */
	dprintf(destination, "[%s] %s(%d,%s):%s.%03ld %s: %s%s\n", names[level], who, getpid(),
		program_invocation_short_name, when, now.tv_nsec / 1000000, place, text,
		cut ? "[cut: longer than 1023 bytes]" : "");
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
	       const char *fmt, ...)
{
	char text[TEXT_MAX], place[256];
	va_list args;
	int n;

	if ((size_t)logLevel >= ARRAY_SIZE(names) || !fmt || (int)logLevel < lowest_level())
		return;
	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0)
		return;
	snprintf(place, sizeof(place), "[%s:%u]%s", base_name(file), line, func ? func : "?");
	write_line("APP", (int)logLevel, place, text, (size_t)n >= sizeof(text));
}

bool acl_logs(aclLogLevel level)
{
	return (int)level >= lowest_level() && chosen;
}

void acl_log(aclLogLevel level, const char *text)
{
	char place[96];

	if (!acl_logs(level))
		return;
	snprintf(place, sizeof(place), "[libascendcl]%d %s", gettid(), acl_current_api());
	write_line("RUNTIME", (int)level, place, text, false);
}
