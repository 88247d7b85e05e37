// SPDX-License-Identifier: MIT
/*
 * The timeline's view of the device: the trace buffer that streams name to the device, and what is read from it.
 *
 * Records are read by threads of the program: when they have waited for a stream and there are many, after each
 * quarter of a stream's ring that they submit, and when a stream, a device or the recording ends. So the stream's own notes about a packet,
 * which are kept for twice the ring, are there when its record is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "diag/diag.h"

#define RECORDS	  (1U << 16) /* 4 MiB */
#define WITH_OPERATIONS (1U << 19) /* 32 MiB */
#define PAGE	  4096
#define BATCH	  128
#define NAMES	  256
#define PLACES	  1024
#define GRAPHS	  64
#define CLOCK_NS  100000000 /* how long a relation of the two clocks is good */

/* An INDIRECT whose packets are being read: it has no record of its own */
struct replay {
	bool open;
	uint32_t queue;
	struct anpu_traced e;
};

struct anpu_timeline {
	pthread_mutex_t lock; /* of readers; nests inside of a stream's */
	struct anpu_region *page, *ring;
	struct anpu_trace_buffer *buf;
	struct anpu_trace_record *records;
	uint32_t size; /* of them; a power of two */
	uint64_t lost;
	uint64_t asked;	     /* when the clocks were compared */
	int64_t ahead;	     /* CLOCK_MONOTONIC less the device's clock */
	struct { uint64_t entry; const char *name; } names[NAMES];
	struct { uint64_t pc; const char *text; } places[PLACES]; /* of operations */
	struct replay replay[GRAPHS];
	struct anpu_trace_pipes pipes; /* of the next BLOCK, if its kind says so */
};

/* A record with what its stream knows of it */
struct seen {
	struct anpu_trace_record r;
	struct anpu_task task; /* of a packet */
	bool known;  /* @task is filled */
	bool newest; /* of its stream */
	uint32_t stream;
};

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

static struct anpu_timeline *timeline_of(struct anpu_device *dev)
{
	return __atomic_load_n(&dev->timeline, __ATOMIC_ACQUIRE);
}

static void *make_region(struct anpu_device *dev, uint64_t size, struct anpu_region **region, int *err)
{
	void *cpu;

	*err = anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM, size,
			       DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, region);
	if (*err)
		return NULL;
	cpu = anpu_region_window(*region);
	if (cpu) {
		anpu_region_get(*region); /* the other reference is the table of regions' */
		return cpu;
	}
	anpu_region_end(*region);
	*err = -ENOMEM;
	return NULL;
}

static int make_timeline(struct anpu_device *dev)
{
	struct anpu_timeline *t = calloc(1, sizeof(*t));
	bool operations = anpu_trace_operations();
	int err = -ENOMEM;

	if (!t)
		return err;
	t->buf = make_region(dev, PAGE, &t->page, &err);
	t->size = operations ? WITH_OPERATIONS : RECORDS;
	t->records = err ? NULL : make_region(dev, t->size * sizeof(*t->records), &t->ring, &err);
	if (err) {
		if (t->page) {
			anpu_region_end(t->page);
			anpu_region_put(t->page);
		}
		free(t);
		return err;
	}
	pthread_mutex_init(&t->lock, NULL);
	t->buf->ring = t->ring->va;
	t->buf->flags = operations ? ANPU_TRACE_OPERATIONS : 0;
	__atomic_store_n(&t->buf->size, anpu_traces() ? t->size : 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&dev->timeline, t, __ATOMIC_RELEASE);
	return 0;
}

int anpu_timeline_start(struct anpu_device *dev, struct drm_anpu_stream_create *create)
{
	int err = 0;

	if (!(dev->info.flags & DRM_ANPU_INFO_TRACE) || !anpu_trace_wanted())
		return 0;
	pthread_mutex_lock(&start_lock);
	if (!timeline_of(dev))
		err = make_timeline(dev);
	pthread_mutex_unlock(&start_lock);
	if (!err)
		create->trace = timeline_of(dev)->page->va;
	return err;
}

void anpu_timeline_free(struct anpu_device *dev)
{
	struct anpu_timeline *t = dev->timeline;

	if (!t)
		return;
	anpu_region_put(t->ring);
	anpu_region_put(t->page);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* Reading ----------------------------------------------------------------------------------------- */

static void compare_clocks(struct anpu_device *dev, struct anpu_timeline *t)
{
	struct drm_anpu_clock_info clock = { 0 };
	struct drm_anpu_dev_query q = { .type = DRM_ANPU_QUERY_CLOCK, .size = sizeof(clock),
					.pointer = (uintptr_t)&clock };
	uint64_t now = anpu_trace_now();

	if (t->asked && now - t->asked < CLOCK_NS)
		return;
	/* a device that was reset or is gone: the last relation has to do */
	if (anpu_ioctl(dev, DRM_IOCTL_ANPU_DEV_QUERY, &q))
		return;
	t->asked = now;
	t->ahead = (int64_t)(clock.monotonic_ns - clock.device_ns);
}

/* Up to @max complete records; timeline locked */
static unsigned int take(struct anpu_timeline *t, struct seen *out, unsigned int max)
{
	uint64_t tail = t->buf->tail;
	unsigned int n;

	for (n = 0; n < max; n++) {
		struct anpu_trace_record *r = &t->records[tail & (t->size - 1)];

		if (__atomic_load_n(&r->turn, __ATOMIC_ACQUIRE) != tail + 1)
			break;
		/* the device's thread has written it: the line is in another processor's cache */
		__builtin_prefetch(&t->records[(tail + 4) & (t->size - 1)]);
		out[n].r = *r;
		out[n].known = false;
		out[n].newest = false;
		out[n].stream = 0;
		tail++;
	}
	__atomic_store_n(&t->buf->tail, tail, __ATOMIC_RELEASE);
	return n;
}

static void ask_streams(struct anpu_device *dev, struct seen *list, unsigned int n)
{
	struct anpu_stream *s = NULL;
	unsigned int i;

	pthread_mutex_lock(&dev->events_lock);
	for (i = 0; i < n; i++) {
		struct seen *x = &list[i];

		if (x->r.kind != ANPU_TRACE_PACKET && x->r.kind != ANPU_TRACE_BLOCK && x->r.kind != ANPU_TRACE_OPERATION)
			continue;
		if (!s || s->queue != x->r.queue)
			for (s = dev->watched; s && s->queue != x->r.queue; s = s->next_watched)
				;
		if (!s)
			continue;
		x->stream = (uint32_t)s->number;
		if (x->r.kind != ANPU_TRACE_PACKET)
			continue;
		x->known = anpu_task_find(s, x->r.seq, &x->task);
		x->newest = x->r.seq == atomic_load_explicit(&s->last_seq, memory_order_relaxed);
	}
	pthread_mutex_unlock(&dev->events_lock);
}

static const char *name_of(struct anpu_device *dev, struct anpu_timeline *t, uint64_t entry)
{
	unsigned int i = (unsigned int)(entry >> 2) % NAMES;
	char name[256];

	if (t->names[i].entry == entry)
		return t->names[i].name;
	anpu_symbolise(dev, entry, name, sizeof(name), true);
	t->names[i].entry = entry;
	t->names[i].name = *name ? anpu_trace_text(name) : NULL;
	return t->names[i].name;
}

/* The place of an instruction in the operator's source, else in its file */
static const char *place_of(struct anpu_device *dev, struct anpu_timeline *t, uint64_t pc)
{
	unsigned int i = (unsigned int)(pc >> 2) % PLACES;
	char text[512];

	if (t->places[i].pc == pc)
		return t->places[i].text;
	anpu_code_lines(dev, pc, text, sizeof(text));
	if (!*text)
		anpu_symbolise(dev, pc, text, sizeof(text), false);
	t->places[i].pc = pc;
	t->places[i].text = *text ? anpu_trace_text(text) : NULL;
	return t->places[i].text;
}

/* 1 the host, 2 the device */
static uint64_t place(uint64_t va)
{
	return anpu_in_device_range((void *)(uintptr_t)va) ? 2 : 1;
}

/* Turns last milliseconds; those of the deterministic mode may be longer, and a pipe's time in one ends at 4.29 s */
static uint32_t narrow(uint64_t ns)
{
	return (uint32_t)min_u64(ns, UINT32_MAX);
}

static void add_block(struct anpu_device *dev, struct anpu_timeline *t, const struct seen *x, struct anpu_traced *e)
{
	const struct anpu_trace_pipes *p = &t->pipes;

	e->what = ANPU_TRACED_BLOCK;
	e->name = name_of(dev, t, x->r.amount & ~3ULL);
	e->track = x->r.core;
	e->block.number = x->r.block;
	e->block.part = x->r.sub_block;
	e->block.stream = x->stream;
	e->block.goes_on = !(x->r.amount & 1);
	if (p->kind == ANPU_TRACE_PIPES) {
		e->block.pipe_ns[ANPU_TRACED_V] = narrow(p->vector_ns);
		e->block.pipe_ns[ANPU_TRACED_M] = narrow(p->cube_ns);
		e->block.pipe_ns[ANPU_TRACED_MTE1] = narrow(p->mte1_ns);
		e->block.pipe_ns[ANPU_TRACED_MTE2] = narrow(p->mte2_ns);
		e->block.pipe_ns[ANPU_TRACED_MTE3] = narrow(p->mte3_ns);
		e->block.pipe_ns[ANPU_TRACED_FIX] = narrow(p->fix_ns);
	}
	t->pipes.kind = 0;
	anpu_trace_add(e);
}

static void add_operation(struct anpu_device *dev, struct anpu_timeline *t, const struct seen *x, struct anpu_traced *e)
{
	static const char *const names[ANPU_TILE_OP_COUNT] = {
#define ANPU_X_(name, number, ...) [number] = #name,
		ANPU_TILE_OPS(ANPU_X_)
#undef ANPU_X_
	};
	static const uint8_t pipes[ANPU_PIPE_COUNT] = {
		[ANPU_PIPE_V] = ANPU_TRACED_V, [ANPU_PIPE_M] = ANPU_TRACED_M, [ANPU_PIPE_MTE1] = ANPU_TRACED_MTE1,
		[ANPU_PIPE_MTE2] = ANPU_TRACED_MTE2, [ANPU_PIPE_MTE3] = ANPU_TRACED_MTE3, [ANPU_PIPE_FIX] = ANPU_TRACED_FIX,
	};
	uint64_t op = ANPU_TRACE_AMOUNT_OP(x->r.amount);

	e->what = ANPU_TRACED_OPERATION;
	e->name = op < ARRAY_SIZE(names) && names[op] ? names[op] : "operation";
	e->track = x->r.core;
	e->operation.where = place_of(dev, t, ANPU_TRACE_AMOUNT_PC(x->r.amount));
	e->operation.number = x->r.block;
	e->operation.part = x->r.sub_block;
	e->operation.stream = x->stream;
	e->operation.pipe = x->r.code < ARRAY_SIZE(pipes) ? pipes[x->r.code] : ANPU_TRACED_V;
	anpu_trace_add(e);
}

static void close_replay(struct replay *p)
{
	if (p->open)
		anpu_trace_add(&p->e);
	p->open = false;
}

/* A packet of an INDIRECT: the replay that it belongs to begins or grows */
static void grow_replay(struct anpu_timeline *t, const struct seen *x, const struct anpu_traced *e)
{
	struct replay *p = &t->replay[x->r.queue % GRAPHS];
	bool first = !p->open || p->queue != x->r.queue || p->e.a != x->r.seq;

	if (first) {
		close_replay(p);
		p->open = true;
		p->queue = x->r.queue;
		p->e = *e;
		p->e.what = ANPU_TRACED_TASK;
		p->e.code = ANPU_OP_INDIRECT;
		p->e.task = x->task.task_id;
		p->e.cause = 0;
	}
	p->e.end = max_u64(p->e.end, e->end);
}

static void add_packet(struct anpu_device *dev, struct anpu_timeline *t, const struct seen *x, struct anpu_traced *e)
{
	bool inside = x->known && x->task.opcode == ANPU_OP_INDIRECT;

	e->what = ANPU_TRACED_TASK;
	e->track = x->stream;
	e->a = x->r.seq;
	if (x->known)
		e->submitted = x->task.submitted;
	if (inside) {
		grow_replay(t, x, e);
		e->submitted = 0;
	} else {
		close_replay(&t->replay[x->r.queue % GRAPHS]);
	}
	if (e->code == ANPU_OP_KERNEL)
		e->name = name_of(dev, t, x->r.amount);
	else if (e->code == ANPU_OP_NOP)
		e->name = anpu_mark_of(e->task);
	else
		e->b = x->r.amount;
	if (!inside && x->known && (e->code == ANPU_OP_SEM_SIGNAL || e->code == ANPU_OP_SEM_WAIT)) {
		e->c = x->task.args;
		e->d = x->task.entry;
	} else if (!inside && x->known && e->code == ANPU_OP_COPY) {
		e->c = place(x->task.entry);
		e->d = place(x->task.args);
	}
	e->thread = x->newest;
	anpu_trace_add(e);
}

static void add(struct anpu_device *dev, struct anpu_timeline *t, const struct seen *x)
{
	struct anpu_traced e = {
		.begin = x->r.begin_ns + (uint64_t)t->ahead,
		.end = x->r.end_ns + (uint64_t)t->ahead,
		.task = x->r.task_id,
		.cause = (uint16_t)x->r.cause,
		.code = x->r.code,
		.device = (uint32_t)dev->id,
	};

	if (x->r.kind == ANPU_TRACE_PIPES)
		memcpy(&t->pipes, &x->r, sizeof(t->pipes));
	else if (x->r.kind == ANPU_TRACE_BLOCK)
		add_block(dev, t, x, &e);
	else if (x->r.kind == ANPU_TRACE_OPERATION)
		add_operation(dev, t, x, &e);
	else if (x->r.kind == ANPU_TRACE_PACKET && !(x->known && x->task.internal && e.code != ANPU_OP_KERNEL))
		add_packet(dev, t, x, &e);
}

static void drain(struct anpu_device *dev, bool all)
{
	ACL_UNCANCELLED();
	struct anpu_timeline *t = timeline_of(dev);
	struct seen list[BATCH];
	uint64_t missing;
	unsigned int n, i;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	__atomic_store_n(&t->buf->size, anpu_traces() ? t->size : 0, __ATOMIC_SEQ_CST);
	compare_clocks(dev, t);
	do {
		n = take(t, list, BATCH);
		ask_streams(dev, list, n);
		for (i = 0; i < n; i++)
			add(dev, t, &list[i]);
	} while (n == BATCH);
	for (i = 0; all && i < GRAPHS; i++)
		close_replay(&t->replay[i]);
	missing = t->buf->lost;
	anpu_trace_lose(missing - t->lost);
	t->lost = missing;
	pthread_mutex_unlock(&t->lock);
}

void anpu_timeline_read(struct anpu_device *dev, bool now)
{
	const struct anpu_timeline *t = timeline_of(dev);

	if (!t || !anpu_traces())
		return;
	if (now || __atomic_load_n(&t->buf->head, __ATOMIC_RELAXED) -
		   __atomic_load_n(&t->buf->tail, __ATOMIC_RELAXED) > t->size / 8)
		drain(dev, false);
}

void anpu_timeline_stream_leaves(struct anpu_stream *s)
{
	if (anpu_traces())
		drain(s->obj.dev, false);
}

void anpu_timeline_stream_ends(struct anpu_stream *s, uint64_t completed)
{
	(void)completed;
	if (anpu_traces())
		drain(s->obj.dev, true);
}

/* Addresses of its kernels may be another binary's from now on */
void anpu_timeline_forget(struct anpu_binary *bin)
{
	struct anpu_device *dev = bin->obj.dev;
	struct anpu_timeline *t = timeline_of(dev);

	if (!t)
		return;
	anpu_timeline_read(dev, true);
	pthread_mutex_lock(&t->lock);
	memset(t->names, 0, sizeof(t->names));
	memset(t->places, 0, sizeof(t->places));
	pthread_mutex_unlock(&t->lock);
}

void anpu_timeline_collect(void)
{
	int id;

	for (id = 0; id < ANPU_MAX_DEVICES; id++) {
		struct anpu_device *dev = anpu_device_find(id);

		if (!dev)
			continue;
		drain(dev, true);
		anpu_device_put(dev);
	}
}
