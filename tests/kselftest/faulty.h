/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Shared by the suites about failing devices: injecting faults, the driver's reports of them. */
#ifndef ANPU_TEST_FAULTY_H
#define ANPU_TEST_FAULTY_H

#include <glob.h>

#include <anpu/anpu_hw.h>

#include "anpu_test.h"

#define PARAMETERS	"/sys/module/anpu/parameters/"
#define DEVICE_FILES	"/sys/kernel/debug/accel/*/"

/* The first file that matches, or "" */
static inline void find_file(const char *pattern, char *path, size_t size)
{
	glob_t found;

	path[0] = '\0';
	if (glob(pattern, 0, NULL, &found))
		return;
	snprintf(path, size, "%s", found.gl_pathv[0]);
	globfree(&found);
}

/* A whole file, or an empty string. */
static inline char *read_text(const char *pattern)
{
	enum { MAX = 4 << 20 };
	char path[300], *text = calloc(1, MAX);
	ssize_t n, at = 0;
	int fd;

	find_file(pattern, path, sizeof(path));
	fd = open(path, O_RDONLY);
	while (fd >= 0 && at < MAX - 1 && (n = read(fd, text + at, MAX - 1 - at)) > 0)
		at += n;
	if (fd >= 0)
		close(fd);
	return text;
}

static inline int reset_device(int fd)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_RESET_DEVICE };

	return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &args);
}

static inline bool can_inject(void)
{
	char path[300];

	find_file(DEVICE_FILES "inject", path, sizeof(path));
	return path[0];
}

static inline int inject(enum anpu_inject fault, uint64_t value)
{
	char path[300], text[64];

	find_file(DEVICE_FILES "inject", path, sizeof(path));
	snprintf(text, sizeof(text), "%u %#llx", fault, (unsigned long long)value);
	return write_file(path, text);
}

static inline void inject_nothing(void)
{
	for (int i = 0; i < ANPU_INJECT_COUNT; i++)
		inject(i, 0);
}

/* A number of debugfs' file device, -1 if it cannot be read. */
static inline long long device_value(const char *name)
{
	char *text = read_text(DEVICE_FILES "device"), *line, *next;
	long long value = -1;

	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ' ')
			value = atoll(line + strlen(name));
	}
	free(text);
	return value;
}

/* A number in debugfs' description of the HBM: the one behind a word. */
static inline uint64_t hbm_says(const char *word)
{
	char *text = read_text(DEVICE_FILES "hbm"), *at = strstr(text, word);
	uint64_t n = at ? strtoull(at + strlen(word), NULL, 10) : 0;

	free(text);
	return n;
}

static inline int set_parameter(const char *name, const char *value)
{
	char path[100];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return write_file(path, value);
}

/* Does the coredump that there is say all this? It is forgotten. */
static inline bool dump_says(const char *reason, const char *more)
{
	char *text = read_text("/sys/class/devcoredump/devcd*/data"), line[200];
	bool good;

	snprintf(line, sizeof(line), "anpu-coredump 1\nreason %s\n", reason);
	good = !strncmp(text, line, strlen(line)) && strstr(text, more);
	if (!good)
		fprintf(stderr, "# no '%s' with '%s' in:\n%.2000s\n", reason, more, text);
	free(text);
	forget_dumps();
	return good;
}

/* Does a device that was just bound run packets, in another process: 0, or its wait status */
static inline int try_anew(void)
{
	union anpu_packet nop = pkt_nop();
	int fd, status = -1;
	struct stream s;
	pid_t pid;

	if (!SOON(!access(anpu_node(), F_OK)))
		return -1;
	pid = fork();
	if (!pid) {
		fd = anpu_open();
		_exit(fd < 0 ? 1 : stream_create(fd, 0, 0, &s) ? 2 : run(fd, s.id, &nop, 1) ? 3 : 0);
	}
	waitpid(pid, &status, 0);
	return status;
}

#endif /* ANPU_TEST_FAULTY_H */
