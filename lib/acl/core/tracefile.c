// SPDX-License-Identifier: MIT
/*
 * The timeline as a file: Chrome's trace format in JSON, which Perfetto's viewer and trace_processor read. One
 * line is one event, so that a file whose end is missing can be read as well.
 *
 *	process 1	the program: a track for each thread
 *	process 10+2d	device d: a track for each stream, counters for memory and queues
 *	process 11+2d	the AI cores of device d: a track for each core, and how many of them and of their pipes are in use
 *	process 50+d	tile operations of device d, if they are wanted: a track for each pipe of each core
 *
 * Arrows lead from the call that queued a task to the task, and from a record or a value that is written to the
 * wait that it ends.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anpu/anpu_packet.h>

#include "core/core.h"

#define HOST	    1
#define STREAMS(d)  (10 + 2 * (d))
#define CORES(d)    (11 + 2 * (d))
#define PIPES(d)    (50 + (d))
#define TRACKS	    4096
#define DEVICES	    16
#define BUCKETS	    16384
#define BUCKET_NS   100000ULL
#define US	    "%" PRIu64 ".%03" PRIu64
#define us(ns)	    (ns) / 1000, (ns) % 1000

/* Time of something in use, in steps of @width from @start */
struct use {
	uint64_t start, width;
	uint64_t busy[BUCKETS];
	unsigned int used;
};

/* All of this is under the lock of trace.c */
static uint64_t tracks[TRACKS]; /* process << 32 | track, of those that have a name */
static unsigned int track_count;
/* For each device its AI cores, and each of their pipes; NULL: not used yet */
static struct {
	struct use *cores, *pipe[ANPU_TRACED_PIPE_COUNT];
} uses[DEVICES];
static uint64_t began;

static const char *const pipe_names[] = {
#define ANPU_X_(name) [ANPU_TRACED_##name] = #name,
	ANPU_TRACED_PIPES(ANPU_X_)
#undef ANPU_X_
};

static void put_text(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < ' ')
			fprintf(f, "\\u%04x", c);
		else
			putc(c, f);
	}
	putc('"', f);
}

static void put_name(FILE *f, uint32_t process, uint32_t track, const char *what, const char *name)
{
	fprintf(f, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":", process, track, what);
	put_text(f, name);
	fputs("}},\n", f);
}

static bool is_new(uint32_t process, uint32_t track)
{
	uint64_t id = (uint64_t)process << 32 | track;
	unsigned int i;

	for (i = 0; i < track_count; i++)
		if (tracks[i] == id)
			return false;
	if (track_count < TRACKS)
		tracks[track_count++] = id;
	return true;
}

/* The name of a thread that still runs */
static void thread_name(uint32_t thread, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(name, size, "thread %u", thread);
	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", thread);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(name, (int)size, f))
		name[strcspn(name, "\n")] = 0;
	fclose(f);
}

static void device_name(uint32_t process, uint32_t device, char *name, size_t size)
{
	const char *part = process % 2 ? "AI cores" : "streams";

	snprintf(name, size, "device %u: %s", device, process >= PIPES(0) ? "pipes" : part);
}

static void device_track(uint32_t process, uint32_t track, char *name, size_t size)
{
	if (process >= PIPES(0))
		snprintf(name, size, "core %u %s", track / ANPU_TRACED_PIPE_COUNT, pipe_names[track % ANPU_TRACED_PIPE_COUNT]);
	else
		snprintf(name, size, process % 2 ? "core %u" : "stream %u", track);
}

static void name_track(FILE *f, uint32_t process, uint32_t track, uint32_t device)
{
	char name[64];

	if (!is_new(process, track))
		return;
	if (process == HOST) {
		thread_name(track, name, sizeof(name));
	} else {
		if (is_new(process, UINT32_MAX)) {
			device_name(process, device, name, sizeof(name));
			put_name(f, process, 0, "process_name", name);
		}
		device_track(process, track, name, sizeof(name));
	}
	put_name(f, process, track, "thread_name", name);
}

/* The common part of a slice, without the end of its object */
static void put_slice(FILE *f, const struct anpu_traced *e, uint32_t process, uint32_t track, const char *cat,
		      const char *name)
{
	uint64_t took = e->end > e->begin ? e->end - e->begin : 0;

	name_track(f, process, track, e->device);
	fprintf(f, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":" US ",\"dur\":" US ",\"cat\":\"%s\",\"name\":",
		process, track, us(e->begin), us(took), cat);
	put_text(f, name);
	fputs(",\"args\":{", f);
}

static void put_flow(FILE *f, char phase, uint32_t process, uint32_t track, uint64_t when, const char *kind,
		     uint64_t id, uint64_t more)
{
	fprintf(f, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":" US ",\"cat\":\"%s\",\"name\":\"%s\",\"id\":\"%s%" PRIx64
		".%" PRIx64 "\"%s},\n", phase, process, track, us(when), kind, kind, kind, id, more,
		phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void put_counter(FILE *f, uint32_t process, uint64_t when, const char *name, uint32_t number, const char *unit,
			double value)
{
	char text[64];

	snprintf(text, sizeof(text), name, number);
	fprintf(f, "{\"ph\":\"C\",\"pid\":%u,\"tid\":0,\"ts\":" US ",\"name\":\"%s\",\"args\":{\"%s\":%.15g}},\n",
		process, us(when), text, unit, value);
}

/* AI cores and pipes in use ------------------------------------------------------------------------- */

static void widen(struct use *u)
{
	unsigned int i;

	for (i = 0; i < BUCKETS / 2; i++)
		u->busy[i] = u->busy[2 * i] + u->busy[2 * i + 1];
	memset(u->busy + BUCKETS / 2, 0, sizeof(u->busy) / 2);
	u->used = (u->used + 1) / 2;
	u->width *= 2;
}

/* @busy of a turn's time, spread over all of it */
static void add_use(struct use **which, const struct anpu_traced *e, uint64_t busy)
{
	struct use *u = *which;
	uint64_t at = e->begin, end, i;
	double share = e->end > e->begin ? (double)busy / (double)(e->end - e->begin) : 0;

	if (!u && busy) {
		u = *which = calloc(1, sizeof(*u));
		if (u) {
			u->start = began;
			u->width = BUCKET_NS;
		}
	}
	if (!u || !busy)
		return;
	if (at < u->start)
		at = u->start;
	while (e->end > u->start && e->end - u->start >= BUCKETS * u->width)
		widen(u);
	for (; at < e->end; at = end) {
		i = (at - u->start) / u->width;
		end = min_u64(e->end, u->start + (i + 1) * u->width);
		u->busy[i] += (uint64_t)((double)(end - at) * share);
		if (i >= u->used)
			u->used = (unsigned int)i + 1;
	}
}

static void put_use(FILE *f, struct use **which, uint32_t device, const char *name, const char *unit)
{
	struct use *u = *which;
	uint64_t before = 0;
	unsigned int i;

	for (i = 0; u && i <= u->used && i < BUCKETS; i++) {
		uint64_t now = i < u->used ? u->busy[i] : 0;

		if (now != before)
			put_counter(f, CORES(device), u->start + i * u->width, name, 0, unit,
				    (double)now / (double)u->width);
		before = now;
	}
	free(u);
	*which = NULL;
}

static void put_uses(FILE *f, uint32_t device)
{
	char name[32];
	unsigned int i;

	put_use(f, &uses[device].cores, device, "AI cores in use", "cores");
	for (i = 0; i < ANPU_TRACED_PIPE_COUNT; i++) {
		snprintf(name, sizeof(name), "pipe %s in use", pipe_names[i]);
		put_use(f, &uses[device].pipe[i], device, name, "pipes");
	}
}

/* Tasks --------------------------------------------------------------------------------------------- */

static const char *copy_name(const struct anpu_traced *e)
{
	/* @c: from where, @d: to where, as far as it is known: 1 the host, 2 the device */
	static const char *const names[3][3] = {
		{ "copy", "copy to host", "copy to device" },
		{ "copy from host", "copy host to host", "copy host to device" },
		{ "copy from device", "copy device to host", "copy device to device" },
	};

	return names[e->c % 3][e->d % 3];
}

static const char *task_name(const struct anpu_traced *e, const char **cat)
{
	static const struct { const char *cat, *name; } known[] = {
		[ANPU_OP_NOP] = { "sync", "nothing" },
		[ANPU_OP_KERNEL] = { "kernel", "kernel" },
		[ANPU_OP_COPY] = { "copy", NULL },
		[ANPU_OP_COPY_2D] = { "copy", "copy of rows" },
		[ANPU_OP_COPY_DESC] = { "copy", "copy by descriptor" },
		[ANPU_OP_FILL] = { "copy", "fill" },
		[ANPU_OP_SEM_SIGNAL] = { "sync", "signal" },
		[ANPU_OP_SEM_WAIT] = { "wait", "wait" },
		[ANPU_OP_TIMESTAMP] = { "sync", "timestamp" },
		[ANPU_OP_NOTIFY] = { "sync", "tell host" },
		[ANPU_OP_INDIRECT] = { "graph", "graph" },
		[ANPU_OP_REDUCE] = { "copy", "reduce" },
		[ANPU_OP_RANDOM] = { "copy", "random numbers" },
		[ANPU_OP_JUMP] = { "sync", "jump" },
	};

	*cat = e->code < ARRAY_SIZE(known) && known[e->code].cat ? known[e->code].cat : "sync";
	if (e->name && e->code == ANPU_OP_NOP)
		*cat = "mark";
	if (e->name)
		return e->name;
	if (e->code == ANPU_OP_COPY)
		return copy_name(e);
	return e->code < ARRAY_SIZE(known) && known[e->code].name ? known[e->code].name : "packet";
}

static void put_task(FILE *f, const struct anpu_traced *e)
{
	uint32_t process = STREAMS(e->device);
	const char *cat, *name = task_name(e, &cat);

	put_slice(f, e, process, e->track, cat, name);
	fprintf(f, "\"task\":%u,\"packet\":%" PRIu64, e->task, e->a);
	if (e->submitted && e->begin >= e->submitted)
		fprintf(f, ",\"queued_us\":" US, us(e->begin - e->submitted));
	if (e->b)
		fprintf(f, ",\"bytes\":%" PRIu64 ",\"GB_per_s\":%.3f", e->b,
			e->end > e->begin ? (double)e->b / (double)(e->end - e->begin) : 0.0);
	if (e->cause)
		fprintf(f, ",\"failed\":%u", e->cause);
	fputs("}},\n", f);
	if (e->submitted)
		put_flow(f, 'f', process, e->track, e->begin, "submit", e->device, (uint64_t)e->track << 40 | e->a);
	if (e->code == ANPU_OP_SEM_SIGNAL && e->c)
		put_flow(f, 's', process, e->track, e->begin, "sync", e->c, e->d);
	if (e->code == ANPU_OP_SEM_WAIT && e->c)
		put_flow(f, 'f', process, e->track, max_u64(e->begin, e->end - 1), "sync", e->c, e->d);
}

static void put_pipes(FILE *f, const struct anpu_traced_block *b)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < ANPU_TRACED_PIPE_COUNT; i++) {
		if (!b->pipe_ns[i])
			continue;
		fprintf(f, "%s\"%s\":%u.%03u", any ? "," : ",\"pipes_us\":{", pipe_names[i], us(b->pipe_ns[i]));
		any = true;
	}
	if (any)
		putc('}', f);
}

static void put_block(FILE *f, const struct anpu_traced *e)
{
	const struct anpu_traced_block *b = &e->block;
	unsigned int i;

	put_slice(f, e, CORES(e->device), e->track, "block", e->name ? e->name : "kernel");
	fprintf(f, "\"block\":%u,\"part\":%u,\"stream\":%u,\"task\":%u%s", b->number, b->part, b->stream, e->task,
		b->goes_on ? ",\"goes_on\":true" : "");
	if (e->cause)
		fprintf(f, ",\"failed\":%u", e->cause);
	put_pipes(f, b);
	fputs("}},\n", f);
	if (e->device >= DEVICES)
		return;
	add_use(&uses[e->device].cores, e, e->end > e->begin ? e->end - e->begin : 0);
	for (i = 0; i < ANPU_TRACED_PIPE_COUNT; i++)
		add_use(&uses[e->device].pipe[i], e, b->pipe_ns[i]);
}

static void put_operation(FILE *f, const struct anpu_traced *e)
{
	const struct anpu_traced_operation *o = &e->operation;

	put_slice(f, e, PIPES(e->device), e->track * ANPU_TRACED_PIPE_COUNT + o->pipe, "operation", e->name);
	fprintf(f, "\"block\":%u,\"part\":%u,\"stream\":%u,\"task\":%u,\"pipe\":\"%s\"", o->number, o->part, o->stream, e->task,
		pipe_names[o->pipe]);
	if (o->where) {
		fputs(",\"where\":", f);
		put_text(f, o->where);
	}
	fputs("}},\n", f);
}

static void put_callback(FILE *f, const struct anpu_traced *e)
{
	Dl_info info;
	const char *name = dladdr((void *)(uintptr_t)e->a, &info) && info.dli_sname ? info.dli_sname : "callback";

	put_slice(f, e, HOST, e->thread, "callback", name);
	fprintf(f, "\"function\":\"%#" PRIx64 "\",\"stream\":%u}},\n", e->a, e->track);
}

/* A packet was queued at @when */
static void put_submit(FILE *f, const struct anpu_traced *e, uint64_t when)
{
	put_flow(f, 's', HOST, e->thread, when, "submit", e->device, (uint64_t)e->track << 40 | e->a);
	put_counter(f, STREAMS(e->device), when, "queue of stream %u", e->track, "packets", (double)e->b);
}

void anpu_trace_file_add(FILE *f, const struct anpu_traced *e)
{
	switch ((enum anpu_trace_what)e->what) {
	case ANPU_TRACED_CALL:
		put_slice(f, e, HOST, e->thread, "call", e->name);
		fputs("}},\n", f);
		if (e->submitted)
			put_submit(f, e, e->submitted);
		break;
	case ANPU_TRACED_SUBMIT:
		put_submit(f, e, e->begin);
		break;
	case ANPU_TRACED_TASK:
		put_task(f, e);
		if (e->thread) /* it was the newest */
			put_counter(f, STREAMS(e->device), e->end, "queue of stream %u", e->track, "packets", 0);
		break;
	case ANPU_TRACED_BLOCK:
		put_block(f, e);
		break;
	case ANPU_TRACED_OPERATION:
		put_operation(f, e);
		break;
	case ANPU_TRACED_CALLBACK:
		put_callback(f, e);
		break;
	case ANPU_TRACED_MEMORY:
		put_counter(f, STREAMS(e->device), e->begin, "device memory", 0, "bytes", (double)e->a);
		break;
	case ANPU_TRACED_MARK:
		put_slice(f, e, HOST, e->thread, "mark", e->name);
		fputs("}},\n", f);
		break;
	}
}

void anpu_trace_file_begin(FILE *f)
{
	track_count = 0;
	began = anpu_trace_now();
	fputs("[\n", f);
	put_name(f, HOST, 0, "process_name", program_invocation_short_name);
}

void anpu_trace_file_end(FILE *f, uint64_t missing)
{
	uint32_t d;

	for (d = 0; d < DEVICES; d++)
		put_uses(f, d);
	fprintf(f, "{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"anpu_trace\",\"args\":{\"version\":1,\"lost\":%" PRIu64
		"}}\n]\n", HOST, missing);
	if (missing)
		fprintf(stderr, "anpu: the trace lacks %" PRIu64 " events for which there was no memory or no room in the "
			"device's trace buffer\n", missing);
}
