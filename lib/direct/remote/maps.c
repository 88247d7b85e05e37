// SPDX-License-Identifier: MIT
/* /proc/self/maps, read without allocating: the heap may be what is asked about. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "direct.h"
#include "remote/maps.h"

/* A line has a path of up to 4096 bytes behind some eighty others */
#define LINE_MAX_BYTES	5120

static uint64_t hex(const char **at)
{
	char *end;
	uint64_t value = strtoull(*at, &end, 16);

	*at = end;
	return value;
}

/* "start-end rwxp offset major:minor inode   name" */
static void parse(const char *line, struct mapped *m)
{
	unsigned int major, minor;
	const char *at = line;
	char *end;

	m->start = hex(&at);
	at++;
	m->end = hex(&at);
	at++;
	m->prot = (at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) | (at[2] == 'x' ? PROT_EXEC : 0);
	m->shared = at[3] == 's';
	at += 5;
	m->offset = hex(&at);
	at++;
	major = (unsigned int)hex(&at);
	at++;
	minor = (unsigned int)hex(&at);
	m->dev = makedev(major, minor);
	m->ino = strtoull(at, &end, 10);
	end += strspn(end, " ");
	copy_text(m->name, sizeof(m->name), "%s", end);
}

bool maps_find(uint64_t addr, struct mapped *m)
{
	char text[LINE_MAX_BYTES + 1], *line, *end;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	bool found = false;
	ssize_t n;

	if (fd < 0)
		return false;
	while (!found && (n = read(fd, text + have, LINE_MAX_BYTES - have)) > 0) {
		have += n;
		text[have] = 0;
		for (line = text; !found && (end = strchr(line, '\n')); line = end + 1) {
			*end = 0;
			parse(line, m);
			found = m->end > addr;
		}
		have -= line - text;
		memmove(text, line, have);
	}
	close(fd);
	return found;
}

/* The descriptor, if it is one of that file; else it is closed */
static int only_that(const struct mapped *m, int fd)
{
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && st.st_dev == m->dev && st.st_ino == m->ino))
		return fd;
	close(fd);
	return -1;
}

/* A file without a name, of which the process may still have a descriptor */
static int among_own(const struct mapped *m, int mode)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	char path[64];
	struct stat st;
	int fd = -1;

	while (dir && fd < 0 && (e = readdir(dir))) {
		if (*e->d_name == '.' || fstat(atoi(e->d_name), &st) || st.st_dev != m->dev || st.st_ino != m->ino)
			continue;
		copy_text(path, sizeof(path), "/proc/self/fd/%d", atoi(e->d_name));
		fd = only_that(m, open(path, mode | O_CLOEXEC));
	}
	if (dir)
		closedir(dir);
	return fd;
}

int maps_open(const struct mapped *m, bool write)
{
	int mode = write ? O_RDWR : O_RDONLY, fd;
	char path[80];

	/* that needs CAP_CHECKPOINT_RESTORE, and works for files without a name, too */
	copy_text(path, sizeof(path), "/proc/self/map_files/%llx-%llx", (unsigned long long)m->start,
		  (unsigned long long)m->end);
	fd = open(path, mode | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && *m->name == '/' && strlen(m->name) < sizeof(m->name) - 1)
		fd = open(m->name, mode | O_CLOEXEC | O_NONBLOCK);
	fd = only_that(m, fd);
	return fd < 0 ? among_own(m, mode) : fd;
}
