/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reading fdinfo, which the kernel has of each open file of this process. */
#ifndef FDINFO_H
#define FDINFO_H

#include "anpu_test.h"

/* Returns a line of a file's fdinfo, which stays until the next call, or NULL. */
static inline const char *fdinfo_find(int file, const char *line)
{
	static char text[4096];
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", file);
	text[0] = '\n';
	read_some(path, text + 1, sizeof(text) - 1);
	return strstr(text, line);
}

static inline bool fdinfo_has(int file, const char *line)
{
	return fdinfo_find(file, line);
}

/* The number behind a line's tab; 0 without such a line. */
static inline uint64_t fdinfo_number(int file, const char *line)
{
	const char *found = fdinfo_find(file, line);

	return found ? strtoull(strchr(found, '\t'), NULL, 10) : 0;
}

/* How many lines begin so; @line begins with the end of the line before. */
static inline int fdinfo_count(int file, const char *line)
{
	const char *at = fdinfo_find(file, line);
	int n;

	for (n = 0; at; n++)
		at = strstr(at + 1, line);
	return n;
}

#endif /* FDINFO_H */
