// SPDX-License-Identifier: MIT
/*
 * The checking mode's look at tasks of several streams that use the same memory. Two accesses, one of which
 * writes, are in order if they are of one stream, if the later stream waits for an event that was recorded behind
 * the earlier task (or for one that waits for that), or if the program has synchronised the earlier task before
 * it submits the later one. Otherwise only luck decides which comes first, however the run went.
 *
 * Copies and fills are known byte by byte. Of a kernel only the pointers are known, so it counts as using the
 * memory where they point: as reading it if the parameter is a pointer to const, else as writing it. Whether it
 * does, and from where to where, the device tells when it has run (memory/uses.c): what looks like a race is told when
 * both are over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/stream.h"

#define ACCESSES 4096
#define CALLS	 256
#define STREAMS	 512
#define EDGES	 32
#define DEPTH	 6  /* streams of which one waits for the next that are followed */
#define ROWS	 32 /* of a rectangle that are looked at */
#define PENDING	 256
#define EACH	 8 /* pairs that one access makes at most */

struct access {
	struct anpu_device *dev; /* to compare, and to ask while it exists */
	int32_t stream;
	uint64_t seq;
	struct anpu_access a;
	bool looked; /* at what a call of a library in front has read */
	struct anpu_site site;
};

/* The order of a stream, as far as it is known */
struct line {
	int32_t number;
	uint64_t synced; /* the program has synchronised tasks up to there */
	uint64_t waits;	 /* its last wait for something that is not known in detail */
	struct edge {
		int32_t number; /* of the stream that it waits for, up to task @seq */
		uint64_t seq;
		uint64_t at; /* its own last task when the wait had been queued */
	} edge[EDGES];
	uint32_t edges;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* nests inside of a stream's */
static struct access accesses[ACCESSES];
static uint64_t count;
/* Accesses that tasks of libraries in front make to the program's memory. They are compared with the program's own only */
static struct access calls[CALLS];
static uint64_t call_count;
static struct line lines[STREAMS];
/* Pairs without order of which it is not known yet what their kernels do; stream 0 in both: none */
static struct pair {
	struct access before, now;
	bool used;
} pending[PENDING];

static struct line *line_of(int32_t number)
{
	struct line *l = &lines[(uint32_t)number % STREAMS];

	if (l->number != number)
		*l = (struct line){ .number = number };
	return l;
}

/* Streams of which the program has learned that tasks are done, and up to which */
struct learned {
	int32_t stream[EDGES];
	uint64_t seq[EDGES];
	unsigned int n;
};

/* So are those of other streams that they had waited for; lock held */
static void synced(int32_t stream, uint64_t seq, unsigned int depth, struct learned *all)
{
	struct line *l = line_of(stream);
	uint32_t i, n = l->edges < EDGES ? l->edges : EDGES;
	struct edge edge[EDGES];

	if (l->synced >= seq || all->n == EDGES)
		return;
	all->stream[all->n] = stream;
	all->seq[all->n++] = seq;
	/* any task that was submitted until now may have been what a wait that is not known in detail waited for */
	if (l->waits > l->synced && l->waits <= seq)
		count = 0;
	l->synced = seq;
	memcpy(edge, l->edge, sizeof(edge)); /* streams with like numbers share a line */
	for (i = 0; depth && i < n; i++)
		if (edge[i].at <= seq)
			synced(edge[i].number, edge[i].seq, depth - 1, all);
}

/* A call of a library in front that is over, and read what nothing had written: it is as it was */
static void tell_unwritten(const struct access *call)
{
	uint64_t size = call->a.size;
	struct anpu_mem mem;

	if (!anpu_in_device_range((void *)(uintptr_t)call->a.va) || !anpu_mem_at((void *)(uintptr_t)call->a.va, &mem))
		return;
	size = min_u64(size, mem.base + mem.size - mem.addr);
	if (anpu_is_unwritten(&mem, size))
		anpu_unwritten_look(&mem, anpu_window_of(&mem), size, call->a.what, &call->site);
	anpu_mem_done(&mem);
}

static void look_at_sources(int32_t stream, uint64_t seq)
{
	struct access call;
	bool take;

	for (unsigned int i = 0; i < CALLS; i++) {
		pthread_mutex_lock(&lock);
		call = calls[i];
		take = call.a.size && !call.a.write && call.stream == stream && call.seq <= seq && !call.looked;
		calls[i].looked |= take;
		pthread_mutex_unlock(&lock);
		if (take)
			tell_unwritten(&call);
	}
}

void anpu_races_synced(int32_t stream, uint64_t seq)
{
	struct learned all = { .n = 0 };
	unsigned int i;

	pthread_mutex_lock(&lock);
	synced(stream, seq, DEPTH, &all);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < all.n; i++)
		anpu_touch_done(all.stream[i], all.seq[i]);
	anpu_pageable_done(stream, seq);
	for (i = 0; i < all.n; i++) {
		anpu_pageable_done(all.stream[i], all.seq[i]);
		look_at_sources(all.stream[i], all.seq[i]);
	}
}

void anpu_races_follow(int32_t stream, int32_t other, uint64_t seq, uint64_t at)
{
	struct line *l;

	pthread_mutex_lock(&lock);
	l = line_of(stream);
	/* a wait that is not known in detail is the follower's, too */
	if (line_of(other)->waits > line_of(other)->synced && line_of(other)->waits <= seq)
		l->waits = max_u64(l->waits, at);
	l->edge[l->edges++ % EDGES] = (struct edge){ .number = other, .seq = seq, .at = at };
	pthread_mutex_unlock(&lock);
}

/* Does everything that stream @number does from now on come behind the access; lock held */
static bool behind(int32_t number, const struct access *before, unsigned int depth)
{
	struct line *l = line_of(number);
	uint32_t i, n = l->edges < EDGES ? l->edges : EDGES;

	for (i = 0; i < n; i++) {
		if (l->edge[i].number == before->stream ? l->edge[i].seq >= before->seq
							: depth && behind(l->edge[i].number, before, depth - 1))
			return true;
	}
	return false;
}

static bool ordered(const struct access *before, int32_t stream)
{
	if (before->stream == stream || line_of(before->stream)->synced >= before->seq)
		return true;
	return stream >= 0 && behind(stream, before, DEPTH);
}

/* A kernel's pointer is a place without a size; two kernels conflict if both have said what they do there */
bool anpu_races_meet(const struct anpu_access *a, const struct anpu_access *b)
{
	if ((!a->write && !b->write) || (a->life && b->life))
		return false;
	if (!a->size && !b->size)
		return a->va == b->va && (a->write != b->write || (a->ticket && b->ticket));
	if (!a->size)
		return a->va - b->va < b->size;
	if (!b->size)
		return b->va - a->va < a->size;
	return a->va < b->va + b->size && b->va < a->va + a->size;
}

static void tell(const struct access *before, const struct access *now)
{
	char where[1000];

	anpu_site_text(&before->site, where, sizeof(where));
	if (now->stream < 0)
		anpu_finding("race", &now->site,
			     "%s %s memory at %#llx, and %s of stream %d, which %s it, is not known to be done: "
			     "synchronise the stream before. That was submitted by %s; this call is",
			     now->a.what, now->a.write ? "writes" : "reads", (unsigned long long)now->a.va,
			     before->a.what, before->stream, before->a.write ? "writes" : "reads", where);
	else
		anpu_finding("race", &now->site,
			     "%s of stream %d %s memory at %#llx, and %s of stream %d, which %s it, has no order with "
			     "it: record an event behind that one and let this stream wait for it. That was submitted "
			     "by %s; this call is",
			     now->a.what, now->stream, now->a.write ? "writes" : "reads",
			     (unsigned long long)now->a.va, before->a.what, before->stream,
			     before->a.write ? "writes" : "reads", where);
}

/* Tells how a task uses that memory, as far as it is known. False: it does not, or the device's note is lost. */
static bool learn(struct access *a)
{
	uint32_t access;

	if (!a->a.ticket)
		return true;
	if (!anpu_uses_read(a->dev, a->a.ticket, a->a.index, &access) || !access)
		return false;
	a->a.write = access & ANPU_ACCESS_WRITE;
	return true;
}

/* The parts of its memory that a task that is over has used and written. False: they are not known */
static bool parts(const struct access *a, struct anpu_span *any, struct anpu_span *written)
{
	if (a->a.ticket)
		return anpu_uses_parts(a->dev, a->a.ticket, a->a.index, any, written);
	*any = (struct anpu_span){ a->a.va, a->a.va + a->a.size };
	*written = a->a.write ? *any : (struct anpu_span){ 0 };
	return a->a.size;
}

static bool overlap(const struct anpu_span *a, const struct anpu_span *b)
{
	return a->first < b->end && b->first < a->end;
}

/* Have two tasks that are over used different parts of the memory, or only read what both have used */
static bool apart(const struct access *a, const struct access *b)
{
	struct anpu_span any[2], written[2];

	return parts(a, &any[0], &written[0]) && parts(b, &any[1], &written[1]) && !overlap(&written[0], &any[1]) &&
	       !overlap(&any[0], &written[1]);
}

bool anpu_races_met(struct anpu_device *dev, const struct anpu_access *first, const struct anpu_access *second)
{
	struct access a = { .dev = dev, .a = *first }, b = { .dev = dev, .a = *second };

	return a.a.ticket && b.a.ticket && learn(&a) && learn(&b) && (a.a.write || b.a.write) && !apart(&a, &b);
}

/* Keeps a pair until both tasks are over. Lock held */
static void postpone(const struct access *before, const struct access *now)
{
	unsigned int i;

	for (i = 0; i < PENDING && pending[i].used; i++)
		;
	if (i < PENDING)
		pending[i] = (struct pair){ *before, *now, true };
}

/* The program itself has done what it does when it is asked; lock held */
static bool over(const struct access *a)
{
	return a->stream < 0 || line_of(a->stream)->synced >= a->seq;
}

/* The next pair of which both tasks are known to be over; lock held */
static bool next_settled(const struct anpu_device *dev, struct pair *p)
{
	unsigned int i;

	for (i = 0; i < PENDING; i++) {
		if (!pending[i].used || pending[i].before.dev != dev || !over(&pending[i].before) ||
		    !over(&pending[i].now))
			continue;
		*p = pending[i];
		pending[i].used = false;
		return true;
	}
	return false;
}

void anpu_races_settle(struct anpu_device *dev)
{
	struct pair p;
	bool more;

	do {
		pthread_mutex_lock(&lock);
		more = next_settled(dev, &p);
		pthread_mutex_unlock(&lock);
		if (more && learn(&p.before) && learn(&p.now) && (p.before.a.write || p.now.a.write) && !apart(&p.before, &p.now))
			tell(&p.before, &p.now);
	} while (more);
}

/* Does a library in front of this one queue its own tasks, whose order it knows better */
static bool in_front_call(void)
{
	const char *api = acl_site_api();

	return api && !strncmp(api, "Hccl", 4);
}

/* A call of a library in front that is not known to be done, and uses what the program uses now; lock held */
static bool meets_call(const struct access *now, struct access *found)
{
	uint64_t i;

	for (i = 0; i < CALLS && i < call_count; i++) {
		*found = calls[(call_count - 1 - i) % CALLS];
		if (anpu_races_meet(&found->a, &now->a) && !ordered(found, now->stream))
			return true;
	}
	return false;
}

static void look(const struct access *now, bool keep)
{
	unsigned int postponed = 0;
	struct access found;
	bool race;
	uint64_t i;

	pthread_mutex_lock(&lock);
	race = !in_front_call() && meets_call(now, &found);
	for (i = 0; i < ACCESSES && i < count && !race; i++) {
		const struct access *b = &accesses[(count - 1 - i) % ACCESSES];

		if (!anpu_races_meet(&b->a, &now->a) || ordered(b, now->stream))
			continue;
		found = *b;
		if ((now->stream < 0 || b->dev == now->dev) && (b->a.ticket || now->a.ticket) &&
		    !(now->stream < 0 && learn(&found) && anpu_races_meet(&found.a, &now->a) && found.a.write)) {
			if (postponed++ < EACH)
				postpone(b, now);
			continue;
		}
		race = true;
	}
	if (keep)
		accesses[count++ % ACCESSES] = *now;
	pthread_mutex_unlock(&lock);
	if (race)
		tell(&found, now);
}

void anpu_races_unwritten(struct anpu_stream *s, const char *what, uint64_t va, uint64_t size, bool parts)
{
	struct anpu_device *dev = s->obj.dev;
	const void *window;
	struct anpu_mem mem;

	if (!size || !anpu_in_device_range((void *)(uintptr_t)va) || !anpu_streams_idle(dev) || !anpu_mem_at((void *)(uintptr_t)va, &mem))
		return;
	size = min_u64(size, mem.base + mem.size - va);
	window = mem.dev == dev && mem.region->guarded ? anpu_window_of(&mem) : NULL;
	if (window && !(parts && anpu_is_unwritten(&mem, size)))
		anpu_unwritten_look(&mem, window, size, what, NULL);
	anpu_mem_done(&mem);
}

/*
 * Is the stream behind a wait that is not known in detail? What it does then may be in order with what other
 * streams do, and with what the program does before it lets the wait end: nothing is told of it until the
 * program has synchronised the wait.
 */
static bool waits(int32_t stream)
{
	const struct line *l;
	bool yes;

	pthread_mutex_lock(&lock);
	l = line_of(stream);
	yes = l->waits > l->synced;
	pthread_mutex_unlock(&lock);
	return yes;
}

/* Nothing is told any more of what came before such a wait, either */
void anpu_races_wait(int32_t stream, uint64_t seq)
{
	pthread_mutex_lock(&lock);
	line_of(stream)->waits = seq;
	count = 0;
	if (!in_front_call())
		call_count = 0;
	pthread_mutex_unlock(&lock);
}

void anpu_races_task(struct anpu_stream *s, uint64_t seq, const struct anpu_access *list, unsigned int n)
{
	struct access now = { .dev = s->obj.dev, .stream = s->number, .seq = seq };
	unsigned int i;

	anpu_pageable_look();
	if (waits(s->number))
		return;
	anpu_site_here(&now.site);
	for (i = 0; i < n; i++) {
		now.a = list[i];
		look(&now, true);
	}
}

void anpu_races_call(struct anpu_stream *s, uint64_t seq, const struct anpu_access *a)
{
	struct access now = { .dev = s->obj.dev, .stream = s->number, .seq = seq, .a = *a };

	struct access found;
	bool race;

	anpu_site_here(&now.site);
	pthread_mutex_lock(&lock);
	race = meets_call(&now, &found);
	calls[call_count++ % CALLS] = now;
	pthread_mutex_unlock(&lock);
	if (race)
		tell(&found, &now);
}

void anpu_races_host(uint64_t va, uint64_t size, bool write, const char *what)
{
	struct access now = { .stream = -1, .a = { .va = va, .size = size, .write = write } };

	snprintf(now.a.what, sizeof(now.a.what), "%s", what);
	anpu_site_here(&now.site);
	anpu_pageable_look();
	look(&now, false);
}

void anpu_races_forget(uint64_t va, uint64_t size)
{
	const struct anpu_access all = { .va = va, .size = size, .write = true };
	uint64_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < ACCESSES && i < count; i++)
		if (anpu_races_meet(&accesses[i].a, &all))
			accesses[i].a = (struct anpu_access){ .va = 0 };
	for (i = 0; i < CALLS && i < call_count; i++)
		if (anpu_races_meet(&calls[i].a, &all))
			calls[i].a = (struct anpu_access){ .va = 0 };
	pthread_mutex_unlock(&lock);
}

/* Forgets an access to memory that ends, and keeps it in @found if it is the first that is not known to be done; lock held */
static void end_access(struct access *a, const struct anpu_access *freed, struct access *found, bool *used)
{
	if (!anpu_races_meet(&a->a, freed))
		return;
	if (!*used && line_of(a->stream)->synced < a->seq) {
		*found = *a;
		*used = true;
	}
	a->a = (struct anpu_access){ .va = 0 }; /* the next allocation there is another one */
}

void anpu_races_freed(uint64_t va, uint64_t size)
{
	const struct anpu_access freed = { .va = va, .size = size, .write = true };
	struct access found;
	bool used = false;
	char where[1000];
	uint64_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < ACCESSES && i < count; i++)
		end_access(&accesses[i], &freed, &found, &used);
	for (i = 0; i < CALLS && i < call_count; i++)
		end_access(&calls[i], &freed, &found, &used);
	pthread_mutex_unlock(&lock);
	if (!used)
		return;
	anpu_site_text(&found.site, where, sizeof(where));
	anpu_finding("use-after-free", NULL,
		     "memory at %#llx is freed, and %s of stream %d, which uses it, is not known to be done: "
		     "synchronise the stream before. That was submitted by %s; this call is",
		     (unsigned long long)va, found.a.what, found.stream, where);
}

void anpu_races_all_synced(struct anpu_device *dev)
{
	size_t n = 0, i;
	struct anpu_stream **list = anpu_stream_list(dev, &n);

	for (i = 0; i < n; i++) {
		anpu_races_synced(list[i]->number, anpu_stream_completed(list[i]));
		anpu_stream_put(list[i]);
	}
	free(list);
}

/* The pages of pinned memory are watched as well until the copy is known to be done */
static void copy_touches(struct anpu_stream *s, uint64_t dst, uint64_t src, uint64_t size, uint64_t seq)
{
	bool to = anpu_in_device_range((void *)(uintptr_t)dst), from = anpu_in_device_range((void *)(uintptr_t)src);

	if (from && !to)
		anpu_touch_copy(s->number, seq, dst, size, src);
	else if (to && !from)
		anpu_touch_copy(s->number, seq, src, size, 0);
}

void anpu_races_row(const struct anpu_pkt_copy_2d *p, uint64_t row, struct anpu_access a[2])
{
	a[0] = (struct anpu_access){ .va = p->dst + row * p->dst_pitch, .size = p->width, .write = true, .what = "a copy of rows" };
	a[1] = (struct anpu_access){ .va = p->src + row * p->src_pitch, .size = p->width, .what = "a copy of rows" };
}

static void rows_packet(struct anpu_stream *s, const struct anpu_pkt_copy_2d *p, uint64_t seq)
{
	struct anpu_access a[2];
	uint64_t row;

	for (row = 0; row < p->height && row < ROWS; row++) {
		anpu_races_row(p, row, a);
		anpu_races_task(s, seq, a, 2);
		copy_touches(s, a[0].va, a[1].va, p->width, seq);
	}
}

unsigned int anpu_races_uses(const union anpu_packet *pkt, struct anpu_access *a)
{
	bool one = pkt->hdr.opcode == ANPU_OP_FILL;
	const char *what;

	a[0] = (struct anpu_access){ .write = true };
	a[1] = (struct anpu_access){ .write = false };
	switch (pkt->hdr.opcode) {
	case ANPU_OP_COPY:
		what = "a copy";
		a[0].va = pkt->copy.dst;
		a[1].va = pkt->copy.src;
		a[0].size = pkt->copy.size;
		break;
	case ANPU_OP_REDUCE:
		what = "a reduction";
		a[0].va = pkt->reduce.dst;
		a[1].va = pkt->reduce.src;
		a[0].size = pkt->reduce.size;
		break;
	case ANPU_OP_FILL:
		what = "a fill";
		a[0].va = pkt->fill.dst;
		a[0].size = pkt->fill.size;
		break;
	default:
		return 0;
	}
	a[1].size = a[0].size;
	snprintf(a[0].what, sizeof(a[0].what), "%s", what);
	snprintf(a[1].what, sizeof(a[1].what), "%s", what);
	return one ? 1 : 2;
}

/* A packet whose memory it names itself; a wait that is not known in detail orders all that came before */
void anpu_races_packet(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t seq)
{
	struct anpu_access a[2];
	unsigned int n = anpu_races_uses(pkt, a);

	if (n)
		anpu_races_task(s, seq, a, n);
	if (pkt->hdr.opcode == ANPU_OP_COPY)
		copy_touches(s, pkt->copy.dst, pkt->copy.src, pkt->copy.size, seq);
	else if (pkt->hdr.opcode == ANPU_OP_COPY_2D)
		rows_packet(s, &pkt->copy_2d, seq);
	/* event.c tells of its own */
	else if (pkt->hdr.opcode == ANPU_OP_SEM_WAIT &&
		 strncmp(acl_own_api(), "aclrtStreamWaitEvent", strlen("aclrtStreamWaitEvent")))
		anpu_races_wait(s->number, seq);
}
