// SPDX-License-Identifier: MIT
/*
 * Reports of hangs: which stream is where, what it waits for and who would have to do that; streams that wait
 * for each other in a circle; threads of the program that wait. A wait that times out has the report about its stream in
 * its sentence; hangask.c gives a report about everything on request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag/diag.h"

#define WAITERS_MAX 64

/* Streams of all devices: what one waits for may be done by one of another device */
struct group {
	struct anpu_stream **list;
	size_t n;
	unsigned int devices;
};

static void gather(struct group *g)
{
	*g = (struct group){ .n = 0 };
	for (int id = 0; id < ANPU_MAX_DEVICES; id++) {
		struct anpu_device *dev = anpu_device_find(id);
		size_t n = 0;
		struct anpu_stream **more = dev ? anpu_stream_list(dev, &n) : NULL;
		struct anpu_stream **both = more ? realloc(g->list, (g->n + n + 1) * sizeof(*both)) : NULL;

		for (size_t i = 0; i < n && more; i++) {
			if (both)
				both[g->n + i] = more[i];
			else
				anpu_stream_put(more[i]);
		}
		if (both) {
			g->list = both;
			g->n += n;
			g->devices++;
		}
		free(more);
		if (dev)
			anpu_device_put(dev);
	}
}

static void let_go(struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		anpu_stream_put(g->list[i]);
	free(g->list);
}

/* "stream 3", with its device if the process has several */
static void add_name(struct anpu_text *t, const struct group *g, const struct anpu_stream *s)
{
	anpu_text_add(t, "stream %d", s->number);
	if (g->devices > 1)
		anpu_text_add(t, " of device %d", s->obj.dev->id);
}

/* The reason why a stream does not go on: the task at its head, and the other stream's task that would let it go on */
struct stop {
	struct anpu_task task;
	struct anpu_stream *on; /* whose task that is, or NULL */
	struct anpu_task signal;
};

static bool idle(const struct anpu_stream *s)
{
	return anpu_stream_reached(s, atomic_load(&s->last_seq));
}

/* A task that has not run and stores what is waited for */
static bool find_signal(const struct group *g, const struct anpu_task *wait, struct stop *stop)
{
	struct anpu_task t;
	size_t i;

	for (i = 0; i < g->n; i++) {
		struct anpu_stream *s = g->list[i];
		uint64_t seq = anpu_stream_completed(s) + 1, last = atomic_load(&s->last_seq);

		for (; seq <= last; seq++) {
			if (!anpu_task_find(s, seq, &t) || t.opcode != ANPU_OP_SEM_SIGNAL ||
			    t.args != wait->args || t.entry < wait->entry)
				continue;
			stop->on = s;
			stop->signal = t;
			return true;
		}
	}
	return false;
}

static bool look(const struct group *g, struct anpu_stream *s, struct stop *stop)
{
	*stop = (struct stop){ .on = NULL };
	if (idle(s) || !anpu_task_find(s, anpu_stream_completed(s) + 1, &stop->task))
		return false;
	if (stop->task.opcode == ANPU_OP_SEM_WAIT)
		(void)find_signal(g, &stop->task, stop);
	return true;
}

static void add_wait(struct anpu_text *t, const struct group *g, struct anpu_stream *s, const struct stop *stop)
{
	char what[900], where[500];
	struct anpu_mem mem;
	bool value = false; /* in memory of the program */

	if (anpu_sync_text(s->obj.dev, s, stop->task.args, stop->task.entry, what, sizeof(what)) ||
	    anpu_explain(stop->task.args, s->number, what, sizeof(what))) {
		anpu_text_add(t, "waits for %s", what);
	} else {
		anpu_text_add(t, "waits for the value %llu at %#llx", (unsigned long long)stop->task.entry,
		    (unsigned long long)stop->task.args);
		if (anpu_mem_at((const void *)(uintptr_t)stop->task.args, &mem)) {
			anpu_text_add(t, ", byte %llu of the device memory at %#llx",
				      (unsigned long long)(stop->task.args - mem.base), (unsigned long long)mem.base);
			anpu_mem_done(&mem);
			value = true;
		}
	}
	if (!stop->on) {
		if (value)
			anpu_text_add(t, "; no task that is queued writes it by aclrtValueWrite()");
		return;
	}
	anpu_site_text(&stop->signal.site, where, sizeof(where));
	anpu_text_add(t, "; what it waits for is task %llu of ", (unsigned long long)stop->signal.seq);
	add_name(t, g, stop->on);
	anpu_text_add(t, ", queued by %s", where);
}

static void add_stream(struct anpu_text *t, const struct group *g, struct anpu_stream *s)
{
	uint64_t done = anpu_stream_completed(s), last = atomic_load(&s->last_seq);
	struct stop stop;
	char name[128], where[500], inside[900] = "";
	size_t begin = min_u64(t->used, t->size - 1); /* @used goes on where the text is cut off */

	add_name(t, g, s);
	anpu_text_add(t, ": %llu of %llu tasks have run", (unsigned long long)done, (unsigned long long)last);
	if (anpu_stream_halted(s)) {
		anpu_text_add(t, "; it has stopped after a failure, until aclrtStreamAbort() or aclrtDestroyStream()");
		return;
	}
	if (!look(g, s, &stop))
		return;
	anpu_site_text(&stop.task.site, where, sizeof(where));
	anpu_text_add(t, "; the next, queued by %s, ", where);
	if (stop.task.opcode == ANPU_OP_SEM_WAIT) {
		add_wait(t, g, s, &stop);
	} else if (stop.task.opcode == ANPU_OP_KERNEL) {
		anpu_symbolise(s->obj.dev, stop.task.entry, name, sizeof(name), true);
		anpu_text_add(t, "runs kernel '%s'", *name ? name : "?");
	} else if (stop.task.opcode == ANPU_OP_INDIRECT &&
		   anpu_diag_hooks.graph_waits(s, stop.task.seq, inside, sizeof(inside))) {
		anpu_text_add(t, "executes %s", inside);
	} else {
		anpu_text_add(t, "is running, or is about to");
	}
	if (!stop.task.site.api)
		return;
	anpu_reword(stop.task.site.api, t->buf + begin, t->size - begin);
	t->used = begin + strlen(t->buf + begin);
}

/* Follows who waits for whom from @s on; a stream that comes again closes a circle */
static void add_circle(struct anpu_text *t, const struct group *g, struct anpu_stream *s)
{
	struct anpu_stream *path[16];
	struct stop stop;
	size_t n = 0, i;

	while (s && n < ARRAY_SIZE(path)) {
		for (i = 0; i < n && path[i] != s; i++)
			;
		if (i < n)
			break;
		path[n++] = s;
		s = look(g, s, &stop) ? stop.on : NULL;
	}
	if (!s || n == ARRAY_SIZE(path))
		return;
	anpu_text_add(t, "; this is a circle: ");
	add_name(t, g, path[i]);
	for (i++; i < n; i++) {
		anpu_text_add(t, " waits for ");
		add_name(t, g, path[i]);
		anpu_text_add(t, ", which");
	}
	anpu_text_add(t, " waits for ");
	add_name(t, g, s);
	anpu_text_add(t, ", and none of them can go on");
}

void anpu_hang_text(struct anpu_stream *s, char *buf, size_t size)
{
	struct anpu_text t = { .buf = buf, .size = size };
	struct anpu_stream *at = s;
	unsigned int hops;
	struct stop stop;
	struct group g;

	*buf = 0;
	gather(&g);
	/* this stream, and those that it waits for, one after the other */
	for (hops = 0; at && hops < 4 && !idle(at); hops++) {
		anpu_text_add(&t, "; ");
		add_stream(&t, &g, at);
		at = look(&g, at, &stop) && stop.on != s && stop.on != at ? stop.on : NULL;
	}
	add_circle(&t, &g, s);
	let_go(&g);
}

/* On request ----------------------------------------------------------------------------------------- */

static void report_waiter(FILE *to, const struct anpu_waiting *w)
{
	struct anpu_device *dev = w->device >= 0 ? anpu_device_find(w->device) : NULL;
	char where[500], what[900];

	anpu_site_text(&w->site, where, sizeof(where));
	fprintf(to, "thread %d has slept for %lld ms in %s: it waits for ", w->tid,
		(long long)((anpu_now() - w->since) / 1000000), where);
	if (w->kind == ANPU_WAITS_FOR_STREAM)
		fprintf(to, "stream %lld of device %d, up to its task %llu\n", (long long)w->number, w->device,
			(unsigned long long)w->seq);
	else if (w->kind == ANPU_WAITS_FOR_FRONT)
		fprintf(to, "%s\n", w->what);
	else if (w->kind == ANPU_WAITS_FOR_CALLS)
		fprintf(to, "functions of the program to run, which is usual\n");
	else if (dev && anpu_event_number_text(dev, (uint32_t)w->number, what, sizeof(what)))
		fprintf(to, "%s\n", what);
	else
		fprintf(to, "event %lld\n", (long long)w->number);
	if (dev)
		anpu_device_put(dev);
}

void anpu_hang_report(FILE *to)
{
	struct anpu_waiting waiting[WAITERS_MAX];
	size_t waiters = anpu_waits_list(waiting, WAITERS_MAX), busy = 0;
	struct group g;
	char line[4000];

	gather(&g);
	for (size_t i = 0; i < g.n; i++) {
		struct anpu_text t = { .buf = line, .size = sizeof(line) };

		if (idle(g.list[i]))
			continue;
		add_stream(&t, &g, g.list[i]);
		add_circle(&t, &g, g.list[i]);
		fprintf(to, "device %d: %s\n", g.list[i]->obj.dev->id, line);
		busy++;
	}
	if (!busy)
		fprintf(to, "all of the %zu streams are idle\n", g.n);
	let_go(&g);
	for (size_t i = 0; i < waiters; i++)
		report_waiter(to, &waiting[i]);
	if (!waiters)
		fprintf(to, "no thread of the program sleeps in a call of the library\n");
}
