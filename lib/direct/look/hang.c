// SPDX-License-Identifier: MIT
/* Asks a process for a report of what it waits for, and prints it: <anpu/anpu_hang_report.h>. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anpu/anpu_hang_report.h>

#include "look/look.h"

/* A process that does not answer so long is stopped, or hangs in a way that nothing of it can report */
#define PATIENCE_MS	10000
#define LOOK_MS		5

/* The process's file, mapped; NULL: it has none */
static const struct anpu_hang_report *find_file(int pid, DIR *dir)
{
	const struct anpu_hang_report *file = NULL;
	struct dirent *entry;

	while (!file && (entry = readdir(dir))) {
		int fd = open_memory(dirfd(dir), entry->d_name, ANPU_HANG_NAME);
		int seals = fd < 0 ? 0 : fcntl(fd, F_GET_SEALS);
		struct stat st;
		void *p = MAP_FAILED;

		if (seals > 0 && seals & F_SEAL_SHRINK && !fstat(fd, &st) && st.st_size == ANPU_HANG_SIZE)
			p = mmap(NULL, ANPU_HANG_SIZE, PROT_READ, MAP_SHARED, fd, 0);
		if (fd >= 0)
			close(fd);
		if (p == MAP_FAILED)
			continue;
		file = p;
		/* a child of fork() has its parent's file, too */
		if (__atomic_load_n(&file->magic, __ATOMIC_ACQUIRE) == ANPU_HANG_MAGIC &&
		    file->version == ANPU_HANG_VERSION && file->pid == own_number(pid))
			continue;
		munmap(p, ANPU_HANG_SIZE);
		file = NULL;
	}
	return file;
}

/* 0: a request was written */
static int request(DIR *dir, const struct anpu_hang_report *file)
{
	char number[16];
	struct stat st;
	int fd, err = 0;

	snprintf(number, sizeof(number), "%d", file->pipe);
	/* nothing but a pipe is opened: the number is the other process's word */
	if (fstatat(dirfd(dir), number, &st, 0) || !S_ISFIFO(st.st_mode))
		return -EBADF;
	fd = openat(dirfd(dir), number, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || write(fd, "t", 1) != 1)
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Prints the report that follows number @before; false: none came */
static bool print_report(const struct anpu_hang_report *file, uint32_t before)
{
	char *text = malloc(ANPU_HANG_SIZE);
	bool done = false;

	for (int ms = 0; text && !done && ms < PATIENCE_MS; ms += LOOK_MS) {
		uint32_t turn = __atomic_load_n(&file->turn, __ATOMIC_ACQUIRE), size = file->size;

		if (turn != before && !(turn & 1) && size <= ANPU_HANG_SIZE - sizeof(*file)) {
			memcpy(text, file + 1, size);
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			done = __atomic_load_n(&file->turn, __ATOMIC_RELAXED) == turn;
			if (done)
				(void)fwrite(text, 1, size, stdout);
		}
		if (!done)
			usleep(LOOK_MS * 1000);
	}
	free(text);
	return done;
}

static bool is_stopped(int pid)
{
	char path[PATH_MAX], text[512] = "", *state;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/%d/stat", root, pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	(void)!fgets(text, sizeof(text), file);
	fclose(file);
	state = strrchr(text, ')');
	return state && (!strncmp(state, ") T", 3) || !strncmp(state, ") t", 3));
}

static int fail(int pid, const char *why)
{
	fprintf(stderr, "anpu-devices: process %d %s\n", pid, why);
	return 1;
}

int print_hang(const char *process)
{
	const struct anpu_hang_report *file;
	char path[PATH_MAX], *end;
	long pid = strtol(process, &end, 10);
	uint32_t before;
	int err;
	DIR *dir;

	if (*end || pid <= 0 || pid > INT_MAX) {
		fprintf(stderr, "anpu-devices: '%s' is not the number of a process\n", process);
		return 2;
	}
	snprintf(path, sizeof(path), "%s/proc/%ld/fd", root, pid);
	dir = opendir(path);
	if (!dir)
		return fail(pid, errno == ENOENT ? "does not exist" : "belongs to another user, or lets nobody look into it");
	file = find_file(pid, dir);
	if (!file) {
		closedir(dir);
		return fail(pid, "has no device open by libascendcl, or one of another version");
	}
	before = __atomic_load_n(&file->turn, __ATOMIC_ACQUIRE) & ~1U;
	err = request(dir, file);
	closedir(dir);
	if (err)
		return fail(pid, "does not take requests: it has closed the library's descriptors");
	if (print_report(file, before))
		return 0;
	return fail(pid, is_stopped(pid) ? "does not answer: it is stopped, by a signal or a debugger"
					 : "does not answer: it is very busy, or the thread that reports waits, too");
}
