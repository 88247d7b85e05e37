// SPDX-License-Identifier: MIT
/*
 * anpu-devices: devices of the direct engine, in whichever processes they live, as one JSON document. It reads their lists
 * (<anpu/anpu_device_list.h>) by /proc/PID/fd and needs nothing of those processes, which may be busy, stopped or hanging.
 * hang.c: what a process that uses libacl waits for.
 *
 * Processes that it may not look into have no devices for it. It believes nothing of what it reads: every number is checked
 * before it is used as an index or a size, and the only files that it opens are files in memory.
 */
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

#include <anpu/anpu_device_list.h>
#include <anpu/anpu_hw.h>

#include "look/look.h"

/* A list is read until it did not change meanwhile, this many times at most: its process may have been stopped at a change */
#define TRIES		200
#define TRY_US		500
#define FILES_MAX	ANPU_MAX_ASIDS

/**
 * struct copy - a list as it was at one moment
 * @map: the file, mapped; @size of it
 * @pid: of the process, as this one sees its number; @fds: its directory of descriptors
 * @whole: nothing changed while it was copied
 */
struct copy {
	const uint8_t *map;
	size_t size;
	int pid;
	int fds;
	bool whole;
	struct anpu_list_device device;
	struct anpu_list_file *files;
	struct anpu_list_queue *queues;
	struct anpu_queue_status *status;
	uint64_t *submitted;
};

const char *root = "";
static bool first_device = true;

int open_memory(int fds, const char *number, const char *name)
{
	char link[128] = "", wish[64];

	snprintf(wish, sizeof(wish), "/memfd:%s", name);
	if (readlinkat(fds, number, link, sizeof(link) - 1) < 0 || strncmp(link, wish, strlen(wish)))
		return -1;
	return openat(fds, number, O_RDONLY | O_CLOEXEC);
}

static void read_place(const struct copy *c, const struct anpu_list_place *place, void *to, size_t size)
{
	char number[16];
	int fd;

	snprintf(number, sizeof(number), "%d", place->fd);
	fd = place->fd < 0 || place->at > INT64_MAX - size ? -1 : open_memory(c->fds, number, "anpu-");
	if (fd < 0 || pread(fd, to, size, place->at) != (ssize_t)size)
		memset(to, 0, size);
	if (fd >= 0)
		close(fd);
}

static uint32_t turn_of(const struct copy *c)
{
	return __atomic_load_n(&((const struct anpu_list_device *)c->map)->turn, __ATOMIC_ACQUIRE);
}

/* The queues in use, with what their pages say */
static void copy_queues(struct copy *c)
{
	for (uint32_t i = 0; i < c->device.queues; i++) {
		struct anpu_queue_control control;

		if (!c->queues[i].file || c->queues[i].file > c->device.files)
			continue;
		read_place(c, &c->queues[i].status, &c->status[i], sizeof(c->status[i]));
		read_place(c, &c->queues[i].control, &control, sizeof(control));
		c->submitted[i] = control.wptr;
	}
}

static void copy_list(struct copy *c)
{
	size_t files = c->device.files * sizeof(*c->files), queues = c->device.queues * sizeof(*c->queues);

	for (int i = 0; i < TRIES && !c->whole; i++) {
		uint32_t turn = turn_of(c);
		uint32_t n_files = c->device.files, n_queues = c->device.queues;

		if (i)
			usleep(TRY_US);
		memcpy(&c->device, c->map, sizeof(c->device));
		/* these do not change, unless somebody writes to the file */
		c->device.files = n_files;
		c->device.queues = n_queues;
		memcpy(c->files, c->map + sizeof(c->device), files);
		memcpy(c->queues, c->map + sizeof(c->device) + files, queues);
		copy_queues(c);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		c->whole = !(turn & 1) && turn_of(c) == turn;
	}
}

/* JSON ----------------------------------------------------------------------------------------- */

/* Text of another process: what JSON would need to escape becomes a question mark */
static void print_text(const char *name, const char *text, size_t size)
{
	printf("\"%s\": \"", name);
	for (size_t i = 0; i < size && text[i]; i++)
		putchar(text[i] >= ' ' && text[i] < 0x7f && text[i] != '"' && text[i] != '\\' ? text[i] : '?');
	putchar('"');
}

static void print_work(const struct anpu_list_work *w)
{
	printf("\"cube_ns\": %llu, \"vector_ns\": %llu, \"busy_ns\": %llu, \"completed\": %llu, \"failed\": %llu",
	       (unsigned long long)w->cube_ns, (unsigned long long)w->vector_ns, (unsigned long long)w->busy_ns,
	       (unsigned long long)w->completed, (unsigned long long)w->errors);
}

static struct anpu_list_work work_of(const struct anpu_queue_status *s)
{
	return (struct anpu_list_work){ s->cube_ns, s->vector_ns, s->busy_ns, s->completed, s->errors };
}

/* The latest of a queue's failures whose record is whole */
static const struct anpu_fault *last_fault(const struct anpu_queue_status *s)
{
	const struct anpu_fault *last = NULL;

	for (int i = 0; i < ANPU_STATUS_FAULTS; i++)
		if (s->fault[i].ordinal && (!last || s->fault[i].ordinal > last->ordinal))
			last = &s->fault[i];
	return last;
}

static void print_queue(const struct copy *c, uint32_t i)
{
	static const char *const states[] = { "stopped", "running", "waiting", "halted", "refused" };
	const struct anpu_queue_status *s = &c->status[i];
	bool idle = s->state == ANPU_QUEUE_RUNNING && c->submitted[i] <= s->completed;
	const struct anpu_fault *fault = last_fault(s);

	printf("{\"stream\": %u, \"queue\": %u, \"priority\": %u, \"state\": \"%s\", \"submitted\": %llu, "
	       "\"completed\": %llu, \"failed\": %llu, \"busy_ns\": %llu, ", c->queues[i].stream, i,
	       c->queues[i].priority, idle ? "idle" : s->state < 5 ? states[s->state] : "?", (unsigned long long)c->submitted[i],
	       (unsigned long long)s->completed, (unsigned long long)s->errors, (unsigned long long)s->busy_ns);
	if (fault)
		print_text("last_fault", fault->message, sizeof(fault->message));
	else
		printf("\"last_fault\": null");
	putchar('}');
}

static void print_file(const struct copy *c, uint32_t n, struct anpu_list_work *sum)
{
	const struct anpu_list_file *f = &c->files[n];
	struct anpu_list_work work = f->past;
	bool first = true;

	printf("{\"pid\": %u, \"hbm\": %llu, \"host\": %llu, \"streams\": [", f->pid, (unsigned long long)f->hbm,
	       (unsigned long long)f->system);
	for (uint32_t i = 0; i < c->device.queues; i++) {
		struct anpu_list_work more;

		if (c->queues[i].file != n + 1)
			continue;
		more = work_of(&c->status[i]);
		anpu_list_work_add(&work, &more);
		printf("%s", first ? "" : ", ");
		print_queue(c, i);
		first = false;
	}
	printf("], ");
	print_work(&work);
	putchar('}');
	anpu_list_work_add(sum, &work);
}

static void print_list(const struct copy *c)
{
	static const char *const states[] = { "ok", "wedged", "gone" };
	const struct anpu_list_device *d = &c->device;
	struct anpu_list_work sum = d->past;
	uint32_t in_use = 0;
	bool first = true;

	for (uint32_t i = 0; i < d->queues; i++)
		in_use += c->queues[i].file != 0;
	printf("%s{\"pid\": %d, \"kind\": \"%s\", \"number\": %u, \"state\": \"%s\", \"whole\": %s, ", first_device ? "" : ", ",
	       c->pid, d->server ? "server" : "direct", d->number, d->state < 3 ? states[d->state] : "?",
	       c->whole ? "true" : "false");
	print_text("soc", d->soc, sizeof(d->soc));
	printf(", \"hw_version\": \"%u.%u\", \"cores\": %u, \"vector_cores\": %u, \"queues_total\": %u, \"queues_used\": %u, "
	       "\"resets\": %u, \"hbm_total\": %llu, \"hbm_free\": %llu, \"processes\": [",
	       (unsigned int)(d->hw_version >> 16 & 0xffff), (unsigned int)(d->hw_version & 0xffff), d->cores, d->vector_cores,
	       d->queues, in_use, d->resets, (unsigned long long)d->hbm_total, (unsigned long long)d->hbm_free);
	for (uint32_t i = 0; i < d->files; i++) {
		if (!c->files[i].used)
			continue;
		printf("%s", first ? "" : ", ");
		print_file(c, i, &sum);
		first = false;
	}
	printf("], ");
	print_work(&sum);
	putchar('}');
	first_device = false;
}

/* Processes ------------------------------------------------------------------------------------ */

uint32_t own_number(int pid)
{
	char path[PATH_MAX], line[256];
	uint32_t number = pid;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/%d/status", root, pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			number = strtoul(last + 1, NULL, 10);
	}
	if (file)
		fclose(file);
	return number;
}

/* false: it is no list of a device of this process */
static bool check_list(const struct copy *c)
{
	const struct anpu_list_device *d = (const void *)c->map;
	uint64_t size;

	if (c->size < sizeof(*d) || __atomic_load_n(&d->magic, __ATOMIC_ACQUIRE) != ANPU_LIST_MAGIC)
		return false;
	if (d->version != ANPU_LIST_VERSION) {
		fprintf(stderr, "anpu-devices: process %d has a library of another version: its devices are not shown\n", c->pid);
		return false;
	}
	size = sizeof(*d) + (uint64_t)d->files * sizeof(struct anpu_list_file) +
	       (uint64_t)d->queues * sizeof(struct anpu_list_queue);
	/* a child of fork() has the descriptor of its parent, too */
	return d->files <= FILES_MAX && d->queues <= ANPU_MAX_QUEUES && size <= c->size && d->pid == own_number(c->pid);
}

static void show_list(int pid, int fds, int fd)
{
	struct copy c = { .pid = pid, .fds = fds };
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	/* a file that could shrink meanwhile would be a SIGBUS */
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) || st.st_size <= 0)
		return;
	c.size = st.st_size;
	c.map = mmap(NULL, c.size, PROT_READ, MAP_SHARED, fd, 0);
	if (c.map == MAP_FAILED)
		return;
	if (check_list(&c)) {
		memcpy(&c.device, c.map, sizeof(c.device));
		c.device.files = c.device.files < FILES_MAX ? c.device.files : FILES_MAX;
		c.device.queues = c.device.queues < ANPU_MAX_QUEUES ? c.device.queues : ANPU_MAX_QUEUES;
		c.files = calloc(c.device.files + 1, sizeof(*c.files));
		c.queues = calloc(c.device.queues + 1, sizeof(*c.queues));
		c.status = calloc(c.device.queues + 1, sizeof(*c.status));
		c.submitted = calloc(c.device.queues + 1, sizeof(*c.submitted));
		if (c.files && c.queues && c.status && c.submitted) {
			copy_list(&c);
			print_list(&c);
		}
		free(c.files);
		free(c.queues);
		free(c.status);
		free(c.submitted);
	}
	munmap((void *)(uintptr_t)c.map, c.size);
}

static void show_process(int pid)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc/%d/fd", root, pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		int fd = open_memory(dirfd(dir), entry->d_name, ANPU_LIST_NAME);

		if (fd < 0)
			continue;
		show_list(pid, dirfd(dir), fd);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
	return atoi((*a)->d_name) - atoi((*b)->d_name);
}

static int is_process(const struct dirent *entry)
{
	return *entry->d_name >= '1' && *entry->d_name <= '9';
}

static int print_devices(void)
{
	struct dirent **list;
	char path[PATH_MAX];
	int n;

	snprintf(path, sizeof(path), "%s/proc", root);
	n = scandir(path, &list, is_process, by_number);
	if (n < 0) {
		fprintf(stderr, "anpu-devices: %s: %s\n", path, strerror(errno));
		return 1;
	}
	printf("{\"devices\": [");
	for (int i = 0; i < n; i++) {
		show_process(atoi(list[i]->d_name));
		free(list[i]);
	}
	free(list);
	printf("]}\n");
	return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "--root")) {
		root = argv[2];
		argc -= 2;
		argv += 2;
	}
	if (argc == 1)
		return print_devices();
	if (argc == 3 && !strcmp(argv[1], "--hang"))
		return print_hang(argv[2]);
	fprintf(stderr, "usage: anpu-devices [--root DIR] [--hang PID]\n\n"
			"Prints the devices of the direct engine that live in processes of this user, as JSON; or what the streams "
			"and threads\nof a process wait for.\n");
	return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
}
