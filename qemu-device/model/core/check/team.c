// SPDX-License-Identifier: MIT
/* Races between the threads of a block. See team.h. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "blocks.h"
#include "team.h"
#include "../threads.h"

#define GRANULE		8
#define PAGE_GRANULES	(PAGE_SIZE / GRANULE)
#define ENTRIES		4	/* accesses that are remembered of a granule; more are forgotten */
#define BUCKETS		1024
#define PAGES_MAX	4096	/* 16 MiB for a block: what lies beyond is not looked at */
#define PLACES_MAX	1024

enum { WORD, BARRIER };

/**
 * struct entry - accesses of one thread in one of its steps
 * @step: 0: no entry
 * @mask: bytes of the granule
 * @kind: READ or WRITE, perhaps with ATOMIC
 */
struct entry {
	uint32_t era;
	uint32_t step;
	int32_t pc;
	uint16_t thread;
	uint8_t mask;
	uint8_t kind;
};

struct page {
	struct page *next;
	uint64_t number;
	struct entry entry[PAGE_GRANULES][ENTRIES];
};

/** struct clock - steps of each thread; @used: warps of which some are not 0 */
struct clock {
	uint32_t era;
	uint64_t used;
	uint32_t *step;
};

/** struct place - a clock that threads give to each other */
struct place {
	struct place *next;
	uint64_t key;
	struct clock clock;
	uint32_t step[];
};

/* @blind: there were more places than can be remembered, so that nothing is known of the order any more */
struct check_team {
	unsigned int threads;
	uint32_t era;
	uint32_t pages;
	uint32_t places;
	bool blind;
	struct page *page[BUCKETS];
	struct place *place[BUCKETS];
	struct clock clock[ANPU_MAX_SPAWN];
	uint32_t step[];	/* of all clocks */
};

_Static_assert(MAX_WARPS <= 64, "struct clock.used has a bit for each warp");

static size_t bytes_of(unsigned int threads)
{
	return sizeof(struct check_team) + (size_t)threads * threads * sizeof(uint32_t);
}

/* Threads of a started warp have room in each clock */
static unsigned int room(unsigned int threads)
{
	return (threads + LANES - 1) / LANES * LANES;
}

void check_team_begin(struct core_block *b, unsigned int threads)
{
	struct check_team *s = b->check->team;
	unsigned int n = room(threads);

	if (s && s->threads == n) {
		s->era++;
		return;
	}
	check_team_free(s);
	b->check->team = NULL;
	if (threads < 2)
		return;
	/* mapped memory is zero and takes host memory only where it is touched */
	s = mmap(NULL, bytes_of(n), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s == MAP_FAILED)
		return;
	s->threads = n;
	s->era = 1;
	for (unsigned int t = 0; t < n; t++)
		s->clock[t].step = s->step + (size_t)t * n;
	b->check->team = s;
	/* pages that were kept before are to be looked at */
	tlb_flush(b);
}

void check_team_free(struct check_team *s)
{
	if (!s)
		return;
	for (unsigned int n = 0; n < BUCKETS; n++) {
		for (struct page *p = s->page[n], *next; p; p = next) {
			next = p->next;
			free(p);
		}
		for (struct place *p = s->place[n], *next; p; p = next) {
			next = p->next;
			free(p);
		}
	}
	munmap(s, bytes_of(s->threads));
}

/* Order -------------------------------------------------------------------------------------------- */

/* Clocks of earlier eras know nothing of this one. */
static struct clock *now(struct check_team *s, struct clock *c)
{
	if (c->era != s->era) {
		for (; c->used; c->used &= c->used - 1)
			memset(c->step + (size_t)__builtin_ctzll(c->used) * LANES, 0, LANES * sizeof(*c->step));
		c->era = s->era;
	}
	return c;
}

static struct clock *clock_of(struct check_team *s, unsigned int t)
{
	return now(s, &s->clock[t]);
}

static void join(struct clock *to, const struct clock *from)
{
	to->used |= from->used;
	for (uint64_t left = from->used; left; left &= left - 1) {
		size_t first = (size_t)__builtin_ctzll(left) * LANES;

		for (size_t n = first; n < first + LANES; n++)
			if (to->step[n] < from->step[n])
				to->step[n] = from->step[n];
	}
}

/* The step that thread @t is in */
static uint32_t step_of(struct check_team *s, unsigned int t)
{
	return clock_of(s, t)->step[t] + 1;
}

/* Threads that join the clock later know this step of the thread's, and the thread begins another one. */
static void tell(struct check_team *s, unsigned int t, struct clock *to)
{
	struct clock *c = clock_of(s, t);

	c->step[t]++;
	c->used |= 1ULL << t / LANES;
	join(to, c);
}

static struct place *place_at(struct check_team *s, unsigned int kind, uint64_t where)
{
	uint64_t key = where << 1 | kind;
	struct place **to = &s->place[(key * 0x9e3779b97f4a7c15u >> 40) % BUCKETS], *p;

	for (p = *to; p; p = p->next)
		if (p->key == key)
			return p;
	p = s->places < PLACES_MAX ? calloc(1, sizeof(*p) + s->threads * sizeof(p->step[0])) : NULL;
	if (!p) {
		s->blind = true;
		return NULL;
	}
	s->places++;
	p->key = key;
	p->clock.step = p->step;
	p->next = *to;
	*to = p;
	return p;
}

static struct check_team *team_of(const struct core_block *b)
{
	struct check_team *s = check_team_looks(b) ? b->check->team : NULL;

	return s && !s->blind ? s : NULL;
}

void check_team_arrives(struct core_block *b, unsigned int barrier)
{
	struct check_team *s = team_of(b);
	struct place *p = s ? place_at(s, BARRIER, barrier) : NULL;

	if (p)
		tell(s, b->threads->current, now(s, &p->clock));
}

void check_team_leaves(struct core_block *b, unsigned int barrier, unsigned int t)
{
	struct check_team *s = team_of(b);
	struct place *p = s ? place_at(s, BARRIER, barrier) : NULL;

	if (p)
		join(clock_of(s, t), now(s, &p->clock));
}

void check_team_meets(struct core_block *b)
{
	struct check_team *s = team_of(b);

	if (s)
		s->era++;
}

void check_team_warp(struct core_block *b, unsigned int w, uint32_t lanes)
{
	struct check_team *s = team_of(b);
	unsigned int first = w * LANES;
	struct clock *all;

	if (!s || !(lanes & (lanes - 1)))
		return;
	all = clock_of(s, first + (unsigned int)__builtin_ctz(lanes));
	for (uint32_t left = lanes; left; left &= left - 1)
		tell(s, first + (unsigned int)__builtin_ctz(left), all);
	for (uint32_t left = lanes; left; left &= left - 1)
		join(clock_of(s, first + (unsigned int)__builtin_ctz(left)), all);
}

/* Accesses ------------------------------------------------------------------------------------------- */

static struct page *page_at(struct check_team *s, uint64_t number)
{
	struct page **to = &s->page[(number * 0x9e3779b1u >> 8) % BUCKETS], *p;

	for (p = *to; p; p = p->next)
		if (p->number == number)
			return p;
	p = s->pages < PAGES_MAX ? calloc(1, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	s->pages++;
	p->number = number;
	p->next = *to;
	*to = p;
	return p;
}

/* Is the access over for the thread? */
static bool done(struct check_team *s, const struct entry *e, unsigned int t)
{
	return !e->step || e->era != s->era || e->step <= clock_of(s, t)->step[e->thread];
}

static struct entry *find_conflict(struct check_team *s, struct entry *list, const struct entry *mine)
{
	for (unsigned int n = 0; n < ENTRIES; n++) {
		struct entry *e = &list[n];

		if (e->thread != mine->thread && e->mask & mine->mask && (e->kind | mine->kind) & WRITE &&
		    !(e->kind & mine->kind & ATOMIC) && !done(s, e, mine->thread))
			return e;
	}
	return NULL;
}

/* Is nothing lost if @mine takes the place of @e? */
static bool replaces(struct check_team *s, const struct entry *e, const struct entry *mine)
{
	if (!e->step || e->era != s->era)
		return true;
	return !(e->mask & ~mine->mask) && (mine->kind & WRITE || !(e->kind & WRITE)) &&
	       (mine->kind & ATOMIC) <= (e->kind & ATOMIC) && (e->thread == mine->thread || done(s, e, mine->thread));
}

static void remember(struct check_team *s, struct entry *list, const struct entry *mine)
{
	struct entry *to = NULL;

	for (unsigned int n = 0; n < ENTRIES && !to; n++)
		if (replaces(s, &list[n], mine))
			to = &list[n];
	/* if there is no room, a read is forgotten rather than a write */
	for (unsigned int n = 0; n < ENTRIES && !to; n++)
		if (!(list[n].kind & WRITE))
			to = &list[n];
	if (!to)
		to = &list[(uint32_t)mine->pc % ENTRIES];
	*to = *mine;
}

/* Is what is about to be written there already? Then it does not matter who comes first. */
static bool same_value(struct core_block *b, uint64_t va, uint64_t size, uint32_t access)
{
	struct core_fault ignored = { 0 };
	uint64_t span;
	const void *p;

	if (access != ANPU_ACCESS_WRITE || !b->check->value)
		return false;
	if (va < ANPU_GM_BASE)
		return !memcmp(local_ptr(b, va), b->check->value, size);
	p = mmu_access(b->mmu, va, ANPU_ACCESS_READ, &span, &ignored);
	return p && span >= size && !memcmp(p, b->check->value, size);
}

static bool report(struct core_block *b, const char *name, uint64_t va, uint64_t size, uint32_t access,
		   const struct entry *e, struct core_fault *fault)
{
	uint64_t pc = b->kernel->pkt.entry + (uint64_t)((int64_t)e->pc * 4);
	uint64_t gp = thread_index(e->thread, b->threads->dim);
	char place[32];

	check_place(va, place, sizeof(place));
	core_fail(fault, ANPU_FAULT_RACE,
		  "%s %s %s, which thread (%u, %u, %u) %s at 0x%llx; no barrier orders them", name,
		  access & ANPU_ACCESS_WRITE ? "writes" : "reads", place, (unsigned int)gp & 0xffff,
		  (unsigned int)(gp >> 16) & 0xffff, (unsigned int)(gp >> 32) & 0xffff,
		  e->kind & WRITE ? "writes" : "reads", (unsigned long long)pc);
	fault->addr = va;
	fault->size = (uint32_t)size;
	fault->access = access & ANPU_ACCESS_WRITE ? ANPU_ACCESS_WRITE : ANPU_ACCESS_READ;
	return false;
}

/*
 * A loop that waits for another thread's plain store is no race: a thread that has seen the store knows what came
 * before it.
 */
static bool excused(struct core_block *b, struct check_team *s, struct entry *e, const struct entry *mine)
{
	if (!(mine->kind & WRITE) && check_polls(b, mine->pc)) {
		join(clock_of(s, mine->thread), clock_of(s, e->thread));
		e->step = 0;
		return true;
	}
	if (!check_harmless(b, (struct check_place){ e->kind, e->pc }, (struct check_place){ mine->kind, mine->pc }))
		return false;
	e->step = 0;
	return true;
}

static bool touch(struct core_block *b, struct check_team *s, const char *name, uint64_t va, uint64_t size,
		  uint32_t access, struct entry *mine, struct core_fault *fault)
{
	uint64_t at = va, end = va + size;

	while (at < end) {
		struct page *p = page_at(s, at / PAGE_SIZE);
		uint64_t stop = (at / GRANULE + 1) * GRANULE;
		struct entry *list = p ? p->entry[at % PAGE_SIZE / GRANULE] : NULL, *e;

		if (stop > end)
			stop = end;
		mine->mask = (uint8_t)(((1u << (stop - at)) - 1) << at % GRANULE);
		if (!list)
			return true;
		for (e = find_conflict(s, list, mine); e && excused(b, s, e, mine);)
			e = find_conflict(s, list, mine);
		if (e && !same_value(b, va, size, access))
			return report(b, name, at, end - at, access, e, fault);
		if (!e)
			remember(s, list, mine);
		at = stop;
	}
	return true;
}

bool check_team_access(struct core_block *b, const char *name, uint64_t va, uint64_t size, uint32_t access,
		       bool atomic, struct core_fault *fault)
{
	struct check_team *s = team_of(b);
	struct place *p = s && atomic ? place_at(s, WORD, va / 8) : NULL;
	unsigned int t = b->threads->current;
	struct entry mine = {
		.thread = (uint16_t)t,
		.kind = (uint8_t)((access & ANPU_ACCESS_WRITE ? WRITE : READ) | (atomic ? ATOMIC : 0)),
		.pc = (int32_t)((int64_t)(b->pc - b->kernel->pkt.entry) >> 2),
	};

	if (!s || s->blind)
		return true;
	mine.era = s->era;
	mine.step = step_of(s, t);
	/* before it learns from the place's earlier accesses: a plain store of another thread there must be known otherwise */
	if (!touch(b, s, name, va, size, access, &mine, fault))
		return false;
	if (p && access & ANPU_ACCESS_READ)
		join(clock_of(s, t), now(s, &p->clock));
	if (p && access & ANPU_ACCESS_WRITE)
		tell(s, t, now(s, &p->clock));
	return true;
}
