// SPDX-License-Identifier: MIT
/*
 * anpu-replay: runs the tasks of a recorded run again, on a device of its own, and compares memory behind each.
 *
 * The device has the recorded HBM and, above it, as much again for what a driver has there: page tables, contexts, rings.
 * So all physical addresses are the recorded ones. Pages of the host are buffers of this process, found by their DMA address.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "replay.h"

static const char usage[] =
	"usage: anpu-replay [OPTION]... FILE\n"
	"\n"
	"Runs the tasks that ANPU_RECORD=FILE, or the device's property record=FILE, has recorded, one by one, and says\n"
	"whether each leaves memory as it did then, bit for bit.\n"
	"\n"
	"  -v, --verbose           a line for each task\n"
	"  -t, --to N              end behind task N\n"
	"  -d, --dump VA:SIZE=FILE write memory of the last task's address space, as it then is, to FILE\n"
	"  -k, --keep-going        go on behind a task that leaves something else\n"
	"\n"
	"exit status: 0 all is the same, 1 something differs, 2 wrong usage or no recording\n";

static _Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static _Noreturn void die(const char *fmt, ...)
{
	va_list ap;

	fputs("anpu-replay: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

/* Reading -------------------------------------------------------------------------------------- */

/* NULL at the end; a run that was killed may have left a part of a record: *@cut, it ends there */
static void *read_part(FILE *f, struct record_part *part, bool *cut)
{
	size_t got = fread(part, 1, sizeof(*part), f);
	void *bytes;

	*cut = got && got < sizeof(*part);
	if (got < sizeof(*part))
		return NULL;
	if (part->size > 1ULL << 32)
		die("the file is damaged: a record of %llu bytes", (unsigned long long)part->size);
	bytes = malloc(part->size + 1);
	if (!bytes)
		die("no memory for a record of %llu bytes", (unsigned long long)part->size);
	if (part->size && fread(bytes, part->size, 1, f) != 1) {
		*cut = true;
		free(bytes);
		return NULL;
	}
	return bytes;
}

static void expect(const struct record_part *part, uint64_t least, uint64_t unit)
{
	if (part->size < least || (part->size - least) % unit)
		die("the file is damaged: record of kind %u with %llu bytes", part->kind, (unsigned long long)part->size);
}

/* Telling -------------------------------------------------------------------------------------- */

static const char *task_name(const union anpu_packet *p)
{
	switch (p->hdr.opcode) {
	case ANPU_OP_KERNEL:
		return "kernel";
	case ANPU_OP_COPY:
	case ANPU_OP_COPY_2D:
	case ANPU_OP_COPY_DESC:
		return "copy";
	case ANPU_OP_FILL:
		return "fill";
	case ANPU_OP_REDUCE:
		return "reduction";
	case ANPU_OP_RANDOM:
		return "random numbers";
	}
	return "task";
}

static void tell_task(const struct replay *r, const char *what)
{
	const struct record_task *t = &r->task;

	printf("task %llu: %s (number %u) of queue %u", (unsigned long long)r->tasks, task_name(&t->pkt), t->pkt.hdr.task_id,
	       t->queue);
	if (t->pkt.hdr.opcode == ANPU_OP_KERNEL)
		printf(", entry 0x%llx, grid %u x %u x %u", (unsigned long long)t->pkt.kernel.entry,
		       t->pkt.kernel.grid_x, t->pkt.kernel.grid_y, t->pkt.kernel.grid_z);
	printf(": %s\n", what);
}

/* Comparing ------------------------------------------------------------------------------------ */

static void differs(struct replay *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void differs(struct replay *r, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	if (r->wrong_here++)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tell_task(r, text);
}

/*
 * Every page that the task has changed, then or now, must be what it was then. The page with the head of the print buffer is left
 * out, as the program writes there while tasks run
 */
static void compare(struct replay *r, const struct record_change *c, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct page *p = page_at(r, c[i].addr);

		p->expected = c[i].hash;
		p->told = true;
	}
	for (uint64_t i = 0; i < r->space->leaves; i++) {
		const struct record_leaf *leaf = &r->space->leaf[i];

		if (!(leaf->pte & ANPU_PTE_WRITE))
			continue;
		for (uint64_t at = 0; at < leaf->size; at += RECORD_PAGE) {
			struct page *p = page_at(r, leaf_addr(leaf) + at);
			uint64_t hash = record_hash(p->bytes);

			if (r->task.print && leaf->va + at == (r->task.print & ~(RECORD_PAGE - 1)))
				continue;

			if (hash != (p->told ? p->expected : p->hash))
				differs(r, "the page at 0x%llx is %s", (unsigned long long)(leaf->va + at),
					p->told ? "not what it was then" : "changed, which it was not then");
			p->hash = p->told ? p->expected : p->hash;
			p->told = false;
		}
	}
}

static void end_task(struct replay *r, const struct record_done *done)
{
	if (done->flags & RECORD_UNREPEATABLE) {
		r->skipped++;
		if (r->verbose)
			tell_task(r, "not run, as time ended it; memory is what it had left");
		return;
	}
	if (done->flags & RECORD_OVERLAPPED)
		r->overlapped++;
	if (r->cause == ANPU_FAULT_TIMEOUT)
		differs(r, "does not end, as if it waited for something that the program or another task did while it ran");
	else if (r->cause != done->cause)
		differs(r, "ends with cause %u, which was %u then", r->cause, done->cause);
	if (r->wrong_here)
		r->wrong++;
	else if (r->verbose)
		tell_task(r, r->cause ? "fails as it did then" : "the same");
}

/* Replaying ------------------------------------------------------------------------------------ */

/* The part behind a TASK that tells whether it can be run again is behind the task, so it is looked for first */
static bool repeatable(FILE *f, uint64_t *took)
{
	long at = ftell(f);
	struct record_part part;
	struct record_done done = { .flags = RECORD_UNREPEATABLE };

	while (fread(&part, sizeof(part), 1, f) == 1) {
		if (part.kind == RECORD_DONE && fread(&done, sizeof(done), 1, f) == 1)
			break;
		if (part.kind == RECORD_TASK || fseek(f, (long)part.size, SEEK_CUR))
			break;
	}
	if (fseek(f, at, SEEK_SET))
		die("the file cannot be read twice: %s", strerror(errno));
	*took = done.took;
	return !(done.flags & RECORD_UNREPEATABLE);
}

static void begin_task(struct replay *r, FILE *f, const struct record_task *t)
{
	char why[200];

	r->task = *t;
	r->tasks++;
	r->wrong_here = 0;
	r->space = space_of(r, t->asid);
	r->runs = repeatable(f, &r->took);
	if (r->runs && !replay_task(r, why, sizeof(why)))
		die("task %llu: %s", (unsigned long long)r->tasks, why);
}

static void set_page(struct replay *r, const uint8_t *bytes, uint64_t size)
{
	struct page *p;
	uint64_t addr;

	memcpy(&addr, bytes, sizeof(addr));
	p = page_at(r, addr);
	if (size > sizeof(addr))
		memcpy(p->bytes, bytes + sizeof(addr), RECORD_PAGE);
	else
		memset(p->bytes, 0, RECORD_PAGE);
	p->hash = record_hash(p->bytes);
}

/* One record. Return: false at the end of what is to be replayed */
static bool step(struct replay *r, FILE *f)
{
	struct record_part part;
	uint8_t *bytes = read_part(f, &part, &r->cut);
	bool go_on = true;

	if (!bytes)
		return false;
	switch (part.kind) {
	case RECORD_MAP:
		expect(&part, 8, sizeof(struct record_leaf));
		set_space(r, bytes, part.size);
		break;
	case RECORD_PAGE_IS:
		expect(&part, 8, RECORD_PAGE);
		set_page(r, bytes, part.size);
		break;
	case RECORD_SYNC:
		r->syncs++;
		break;
	case RECORD_TASK:
		expect(&part, sizeof(struct record_task), 1);
		begin_task(r, f, (const struct record_task *)(const void *)bytes);
		break;
	case RECORD_CHANGED:
		expect(&part, 0, sizeof(struct record_change));
		if (r->runs)
			compare(r, (const struct record_change *)(const void *)bytes, part.size / sizeof(struct record_change));
		break;
	case RECORD_DONE:
		expect(&part, sizeof(struct record_done), 1);
		end_task(r, (const struct record_done *)(const void *)bytes);
		go_on = r->tasks != r->to && (!r->wrong || r->keep_going);
		break;
	default:
		die("the file has a record of kind %u, which this version does not know", part.kind);
	}
	free(bytes);
	return go_on;
}

static void dump(struct replay *r, const char *what)
{
	unsigned long long va, size;
	int n = 0;
	FILE *out;

	if (sscanf(what, "%lli:%lli=%n", &va, &size, &n) != 2 || !n || !what[n])
		die("--dump %s: write VA:SIZE=FILE", what);
	out = fopen(what + n, "wb");
	if (!out)
		die("%s cannot be written: %s", what + n, strerror(errno));
	for (uint64_t at = va; at < va + size;) {
		uint64_t part = RECORD_PAGE - at % RECORD_PAGE;
		const uint8_t *p = r->space ? byte_at(r, at) : NULL;

		if (!p)
			die("--dump: address space %u has no memory at 0x%llx", r->task.asid, (unsigned long long)at);
		if (part > va + size - at)
			part = va + size - at;
		if (fwrite(p, part, 1, out) != 1)
			die("%s cannot be written: %s", what + n, strerror(errno));
		at += part;
	}
	if (fclose(out))
		die("%s cannot be written: %s", what + n, strerror(errno));
}

static void summary(const struct replay *r)
{
	printf("%llu tasks, %llu packets that synchronise: ", (unsigned long long)r->tasks, (unsigned long long)r->syncs);
	if (r->wrong)
		printf("%llu left something else than they did then", (unsigned long long)r->wrong);
	else
		printf("memory is the same behind each");
	if (r->skipped)
		printf("; %llu were not run, as time or an abort had ended them", (unsigned long long)r->skipped);
	if (r->overlapped)
		printf("; %llu had begun while another one was under way", (unsigned long long)r->overlapped);
	if (r->cut)
		printf("; the file ends in the middle of a record, as of a program that was killed");
	printf("\n");
}

static void options(struct replay *r, int argc, char **argv, const char **what)
{
	static const struct option list[] = {
		{ "verbose", no_argument, NULL, 'v' }, { "to", required_argument, NULL, 't' },
		{ "dump", required_argument, NULL, 'd' }, { "keep-going", no_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 },
	};
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "vt:d:kh", list, NULL)) >= 0) {
		switch (c) {
		case 'v':
			r->verbose = true;
			break;
		case 't':
			r->to = strtoull(optarg, &end, 0);
			if (*end || !r->to)
				die("--to %s: write a task's number, from 1 on", optarg);
			break;
		case 'd':
			*what = optarg;
			break;
		case 'k':
			r->keep_going = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	if (argc - optind != 1) {
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static struct replay r;
	const char *what = NULL;
	char why[300];
	FILE *f;

	options(&r, argc, argv, &what);
	f = fopen(argv[optind], "rb");
	if (!f)
		die("%s cannot be read: %s", argv[optind], strerror(errno));
	if (fread(&r.head, sizeof(r.head), 1, f) != 1 || memcmp(r.head.magic, RECORD_MAGIC, sizeof(r.head.magic)))
		die("%s is no recorded run of this version", argv[optind]);
	if (!replay_begin(&r, why, sizeof(why)))
		die("%s", why);
	while (step(&r, f))
		;
	if (r.to && r.tasks < r.to)
		die("--to %llu: the run has %llu tasks", (unsigned long long)r.to, (unsigned long long)r.tasks);
	if (what)
		dump(&r, what);
	summary(&r);
	fclose(f);
	replay_end(&r);
	return r.wrong ? 1 : 0;
}
