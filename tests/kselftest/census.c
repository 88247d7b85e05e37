// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "census.h"

/* Long enough for everything that the kernel puts off. */
#define SETTLE_TRIES	300
#define SETTLE_US	50000
/* The kernel frees its caches late, so slabs and memory are counted up to COUNT_TRIES times. */
#define COUNT_TRIES	50
#define COUNT_US	200000
/* Page caches and the like make free memory vary by so much. */
#define MEMORY_KB	(12 << 10)
/* Each takes an eighth of the free pages that a processor keeps, an eighth of all at most. */
#define REFRESHES	40
/* So many lines of a difference are told, and so many complaints of the kernel. */
#define LINES_TOLD	24
#define COMPLAINTS_TOLD	3

/* Reading -------------------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
	size_t size = 1 << 20, used = 0;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	while (fd >= 0 && text && used < size - 1 && (n = read(fd, text + used, size - 1 - used)) > 0)
		used += n;
	if (fd >= 0)
		close(fd);
	if (!text || n < 0) {
		free(text);
		return NULL;
	}
	text[used] = 0;
	return text;
}

static long long number_after(const char *path, const char *key)
{
	char *text = read_text(path), *at = text ? strstr(text, key) : NULL;
	long long n = at ? atoll(at + strlen(key)) : -1;

	free(text);
	return n;
}

/* A queue's counters and the dirty bytes of the HBM are history, not state. */
static void append_line(FILE *out, const char *path, const char *line)
{
	unsigned int queue, asid, prio;
	unsigned long long total, rest;

	if (strstr(path, "/queues") && sscanf(line, "%u %u %u", &queue, &asid, &prio) == 3)
		fprintf(out, "queue %u: address space %u, priority %u\n", queue, asid, prio);
	else if (strstr(path, "/hbm") && sscanf(line, "total %llu free %llu dirty", &total, &rest) == 2)
		fprintf(out, "total %llu, free %llu\n", total, rest);
	else
		fprintf(out, "%s\n", line);
}

static int append_files(FILE *out, const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *text = read_text(found.gl_pathv[i]), *rest = text, *line;

		fprintf(out, "%s:\n", found.gl_pathv[i]);
		while (rest && (line = strsep(&rest, "\n")))
			append_line(out, found.gl_pathv[i], line);
		free(text);
	}
	globfree(&found);
	return 0;
}

static char *driver_state(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		return NULL;
	ret = append_files(out, "/sys/bus/pci/drivers/anpu/0*/anpu/hbm_free") ||
	      append_files(out, "/sys/kernel/debug/accel/0*/hbm") ||
	      append_files(out, "/sys/kernel/debug/accel/0*/queues") ||
	      append_files(out, "/sys/kernel/debug/accel/0*/address_spaces");
	fclose(out);
	if (ret) {
		free(text);
		return NULL;
	}
	return text;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	/* Without it the numbers have more noise, that is all. */
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		errno = 0;
	if (fd >= 0)
		close(fd);
}

static void write_texts(const char *pattern, const char *text)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		write_text(found.gl_pathv[i], text);
	globfree(&found);
}

/*
 * Frees memory that is kept until it is needed or asked for: caches, a coredump, each processor's pages
 * and counters.
 */
static void give_back(void)
{
	write_texts("/sys/class/devcoredump/devcd*/data", "1");
	write_text("/proc/sys/vm/drop_caches", "3");
	write_texts("/sys/kernel/slab/*/shrink", "1");
	for (int i = 0; i < REFRESHES; i++)
		free(read_text("/proc/sys/vm/stat_refresh"));
}

static void count_slabs(struct census *census)
{
	char *text, *rest, *line;

	text = rest = read_text("/proc/slabinfo");
	census->n_slabs = 0;
	while (rest && (line = strsep(&rest, "\n")) && census->n_slabs < CENSUS_SLABS) {
		int n = census->n_slabs;

		if (sscanf(line, "%47[^ #] %ld %*d %*d %ld", census->slabs[n].name,
			   &census->slabs[n].objects, &census->slabs[n].per_slab) == 3)
			census->n_slabs++;
	}
	free(text);
}

static long long pins(void)
{
	/* A processor may have counted the one and not the other yet. */
	free(read_text("/proc/sys/vm/stat_refresh"));
	return number_after("/proc/vmstat", "nr_foll_pin_acquired ") -
	       number_after("/proc/vmstat", "nr_foll_pin_released ");
}

int census_take(struct census *census)
{
	memset(census, 0, sizeof(*census));
	give_back();
	census->driver = driver_state();
	census->references = number_after("/sys/module/anpu/refcnt", "");
	census->pinned = pins();
	count_slabs(census);
	census->available = number_after("/proc/meminfo", "MemAvailable:");
	return census->driver && census->references >= 0 && census->available > 0 ? 0 : -1;
}

void census_free(struct census *census)
{
	free(census->driver);
	census->driver = NULL;
}

/* Comparing ------------------------------------------------------------------------------------ */

static bool same_state(const struct census *before)
{
	char *now = driver_state();
	bool same = now && !strcmp(now, before->driver) &&
		    number_after("/sys/module/anpu/refcnt", "") == before->references &&
		    pins() == before->pinned;

	free(now);
	return same;
}

static bool has_line(const char *text, const char *line, size_t length)
{
	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, line, length) && (text[length] == '\n' || !text[length]))
			return true;
	}
	return false;
}

/* The lines of one text that the other does not have. */
static void tell_lines(FILE *out, const char *sign, const char *text, const char *other)
{
	int told = 0;
	size_t n;

	for (; *text; text += n + !!text[n]) {
		n = strcspn(text, "\n");
		if (!has_line(other, text, n) && told++ < LINES_TOLD)
			fprintf(out, "#   %s %.*s\n", sign, (int)n, text);
	}
	if (told > LINES_TOLD)
		fprintf(out, "#   %s %d lines more\n", sign, told - LINES_TOLD);
}

static int compare_exact(FILE *out, const struct census *before, const struct census *now)
{
	int differ = 0;

	if (strcmp(before->driver, now->driver)) {
		fprintf(out, "# the driver's state is another one (- before, + now):\n");
		tell_lines(out, "-", before->driver, now->driver);
		tell_lines(out, "+", now->driver, before->driver);
		differ++;
	}
	if (before->references != now->references) {
		fprintf(out, "# references to the module: %ld, now %ld\n", before->references,
			now->references);
		differ++;
	}
	if (before->pinned != now->pinned) {
		fprintf(out, "# pinned pages: %lld, now %lld\n", before->pinned, now->pinned);
		differ++;
	}
	return differ;
}

/* The kernel frees the first by thousands; the others are what debug kernels note down. */
static bool kept_for_long(const char *name)
{
	return !strcmp(name, "vmap_area") || !strcmp(name, "debug_objects_cache") ||
	       !strncmp(name, "kmemleak_", 9);
}

/*
 * Something leaked in every other life shows; what the kernel keeps does not. A slab that a
 * processor allocates from counts as full.
 */
static int compare_slabs(FILE *out, const struct census *before, const struct census *now,
			 long lives)
{
	int differ = 0;

	for (int i = 0; i < now->n_slabs; i++) {
		long allowed = 64 + lives / 2 + 2 * now->slabs[i].per_slab;

		for (int k = 0; k < before->n_slabs; k++) {
			long more = now->slabs[i].objects - before->slabs[k].objects;

			if (strcmp(now->slabs[i].name, before->slabs[k].name) || more <= allowed)
				continue;
			if (kept_for_long(now->slabs[i].name))
				continue;
			fprintf(out, "# slab %s: %ld objects, now %ld, allowed %ld after %ld lives\n",
				now->slabs[i].name, before->slabs[k].objects,
				now->slabs[i].objects, before->slabs[k].objects + allowed, lives);
			differ++;
		}
	}
	return differ;
}

static int compare_all(FILE *out, const struct census *before, const struct census *now, long lives)
{
	int differ = compare_exact(out, before, now) + compare_slabs(out, before, now, lives);

	if (now->available < before->available - MEMORY_KB) {
		fprintf(out, "# memory available: %lld kB, now %lld kB\n", before->available,
			now->available);
		differ++;
	}
	return differ;
}

int census_settle(const struct census *before)
{
	for (int i = 0; i < SETTLE_TRIES; i++) {
		if (same_state(before))
			return 0;
		usleep(SETTLE_US);
	}
	return -1;
}

/* The number of differences, and in @text, to be freed, their names; -1 if they cannot be found out. */
static int compare_now(const struct census *before, long lives, char **text)
{
	struct census now;
	size_t size;
	FILE *out;
	int differ;

	*text = NULL;
	if (census_take(&now)) {
		census_free(&now);
		return -1;
	}
	out = open_memstream(text, &size);
	differ = out ? compare_all(out, before, &now, lives) : -1;
	if (out)
		fclose(out);
	census_free(&now);
	return differ;
}

int census_compare(const struct census *before, long lives)
{
	int differ = 1;
	char *text;

	census_settle(before);
	/* Some memory is freed late, behind a grace period, by work items or timers; a leak stays. */
	for (int i = 0; i < COUNT_TRIES; i++) {
		differ = compare_now(before, lives, &text);
		if (!differ || i == COUNT_TRIES - 1)
			break;
		free(text);
		usleep(COUNT_US);
	}
	if (differ)
		fputs(text ?: "# the driver's state cannot be read\n", stderr);
	free(text);
	return !!differ;
}

/* The kernel's log ----------------------------------------------------------------------------- */

int klog_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

static bool says_one_of(const char *line, const char * const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strstr(line, texts[i]))
			return true;
	}
	return false;
}

static bool is_complaint(const char *line, bool of_the_device)
{
	static const char * const kernel[] = {
		"BUG:", "WARNING:", "Oops", "general protection fault", "refcount_t:", "UBSAN:",
		"KASAN:", "possible circular locking", "inconsistent lock state", "Call Trace",
		"blocked for more than", "scheduling while atomic", "bad page",
	};
	/* The driver's, about a device that does not obey. */
	static const char * const driver[] = {
		"an interrupt was lost", "does not stop", "does not start", "does not obey",
		"does not come out of reset", "the device refuses queue", "takes too long",
		"invalidation",
	};

	return says_one_of(line, kernel, sizeof(kernel) / sizeof(*kernel)) ||
	       (of_the_device && says_one_of(line, driver, sizeof(driver) / sizeof(*driver)));
}

static int check_log(int log, bool of_the_device)
{
	static char line[8192], before[256];
	int found = 0, more = 0;

	for (;;) {
		ssize_t n = read(log, line, sizeof(line) - 1);
		bool bad;

		/* EPIPE: messages were overwritten before they were read; go on with the oldest. */
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			return found;
		line[n] = 0;
		bad = is_complaint(line, of_the_device);
		found += bad;
		/* Of the first ones also what stands around: what a WARNING is about, a stack. */
		if (bad && found <= COMPLAINTS_TOLD) {
			if (!more)
				fprintf(stderr, "# the kernel says: %s\n", before);
			more = 1 + LINES_TOLD / 2;
		}
		line[strcspn(line, "\n")] = 0;
		if (more && more--)
			fprintf(stderr, "# the kernel says: %s\n", line);
		snprintf(before, sizeof(before), "%.*s", (int)sizeof(before) - 1, line);
	}
}

int klog_check(int log)
{
	return check_log(log, true);
}

int klog_check_kernel(int log)
{
	return check_log(log, false);
}
