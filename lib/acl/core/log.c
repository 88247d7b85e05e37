// SPDX-License-Identifier: MIT
/*
 * The program's own lines in the runtime's log, which is standard error.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"

#define TEXT_MAX      1024
#define DEFAULT_LEVEL ACL_ERROR
#define NO_LOG	      4 /* ASCEND_GLOBAL_LOG_LEVEL for nothing at all */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int lowest;

static void read_level(void)
{
	const char *text = getenv("ASCEND_GLOBAL_LOG_LEVEL");

	lowest = DEFAULT_LEVEL;
	if (text && text[0] >= '0' && text[0] <= '0' + NO_LOG && !text[1])
		lowest = text[0] - '0';
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line,
	       const char *fmt, ...)
{
	static const char *const names[] = { "DEBUG", "INFO", "WARNING", "ERROR" };
	char text[TEXT_MAX], when[32];
	struct timespec now;
	struct tm tm;
	va_list args;
	int n;

	pthread_once(&once, read_level);
	if ((int)logLevel < lowest || (size_t)logLevel >= ARRAY_SIZE(names) || !fmt)
		return;
	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d-%H:%M:%S", &tm);
	/* one call, so that lines of several threads do not mix */
	fprintf(stderr, "[%s] APP(%d,%s):%s.%03ld [%s:%u]%s: %s%s\n", names[logLevel], getpid(),
		program_invocation_short_name, when, now.tv_nsec / 1000000, base_name(file), line,
		func ? func : "?", text,
		(size_t)n >= sizeof(text) ? "[cut: longer than 1023 bytes]" : "");
}
