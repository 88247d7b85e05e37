// SPDX-License-Identifier: MIT
/* Races between the sub-blocks of a kernel. See blocks.h. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "blocks.h"
#include "../sync_int.h"

#define UNITS_MAX	256	/* with more, one clock for all */
#define ENTRIES		8	/* accesses that are remembered of a granule; more are forgotten */
#define GRANULE		32
#define PAGE_GRANULES	(PAGE_SIZE / GRANULE)
#define BUCKETS		4096
#define PAGES_MAX	(64 * 1024)	/* 256 MiB of global memory: what lies beyond is not looked at */
#define RING		(ANPU_FLAG_MAX + 1)

/* LATE: a flag was set that does not wait for it */

/**
 * struct entry - accesses of one sub-block in one of its steps
 * @mask: bytes of the granule
 * @pc: the latest one's, in words from the kernel's entry
 * @unit: number of the sub-block plus 1, 0: no entry
 * @kind: READ or WRITE, perhaps with ATOMIC and LATE
 */
struct entry {
	uint32_t mask;
	uint32_t step;
	int32_t pc;
	uint16_t unit;
	uint16_t kind;
};

struct page {
	struct page *next;
	uint64_t number;
	struct entry entry[PAGE_GRANULES][ENTRIES];
};

/** struct place - a clock that sub-blocks give to each other */
struct place {
	struct place *next;
	uint64_t key[2];
	uint32_t clock[];
};

struct check_blocks {
	pthread_mutex_t lock;	/* nests inside of core_sync.lock */
	uint32_t units;
	bool coarse;
	uint32_t era;
	uint32_t pages;
	struct page *page[BUCKETS];
	struct place *place[BUCKETS];
	uint32_t *clock;	/* units x units */
};

struct check_blocks *check_blocks_new(uint32_t units)
{
	struct check_blocks *s;

	if (units < 2 || units >= UINT16_MAX)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->units = units;
	s->coarse = units > UNITS_MAX;
	s->era = 1;
	s->clock = s->coarse ? NULL : calloc((size_t)units * units, sizeof(*s->clock));
	if ((!s->coarse && !s->clock) || pthread_mutex_init(&s->lock, NULL)) {
		free(s->clock);
		free(s);
		return NULL;
	}
	for (uint32_t n = 0; !s->coarse && n < units; n++)
		s->clock[(size_t)n * units + n] = 1;
	return s;
}

void check_blocks_free(struct check_blocks *s)
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
	pthread_mutex_destroy(&s->lock);
	free(s->clock);
	free(s);
}

/* Order -------------------------------------------------------------------------------------------- */

static uint32_t unit_of(const struct core_block *b)
{
	const struct core_sync *s = b->kernel->sync;

	return b->block * s->subs + b->sub_block;
}

static uint32_t *clock_of(const struct check_blocks *s, uint32_t unit)
{
	return s->clock + (size_t)unit * s->units;
}

static void join(const struct check_blocks *s, uint32_t *clock, const uint32_t *other)
{
	for (uint32_t n = 0; n < s->units; n++)
		if (clock[n] < other[n])
			clock[n] = other[n];
}

static struct place *place_at(struct check_blocks *s, uint64_t a, uint64_t b, bool make)
{
	struct place **to = &s->place[((a ^ b * 0x9e3779b1u) * 0x9e3779b97f4a7c15u >> 40) % BUCKETS];
	struct place *p;

	for (p = *to; p; p = p->next)
		if (p->key[0] == a && p->key[1] == b)
			return p;
	if (!make)
		return NULL;
	p = calloc(1, sizeof(*p) + s->units * sizeof(p->clock[0]));
	if (!p)
		return NULL;
	p->key[0] = a;
	p->key[1] = b;
	p->next = *to;
	*to = p;
	return p;
}

/* Lock held. Without host memory everything counts as ordered. */
static void tells(struct check_blocks *s, uint32_t unit, struct place *p)
{
	uint32_t *clock = clock_of(s, unit);

	if (!p) {
		s->coarse = true;
		return;
	}
	join(s, p->clock, clock);
	clock[unit]++;
}

static struct check_blocks *begin(const struct core_block *b)
{
	const struct core_sync *sync = b->kernel->sync;
	struct check_blocks *s = sync->check;

	if (!s)
		return NULL;
	pthread_mutex_lock(&s->lock);
	s->era++;
	if (!s->coarse)
		return s;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

void check_tells(struct core_block *b, enum check_sync kind, uint64_t key)
{
	struct check_blocks *s = begin(b);

	if (!s)
		return;
	tells(s, unit_of(b), place_at(s, kind, key, true));
	pthread_mutex_unlock(&s->lock);
}

void check_learns(struct core_block *b, enum check_sync kind, uint64_t key)
{
	struct check_blocks *s = begin(b);
	struct place *p;

	if (!s)
		return;
	p = place_at(s, kind, key, false);
	if (p)
		join(s, clock_of(s, unit_of(b)), p->clock);
	pthread_mutex_unlock(&s->lock);
}

void check_fresh(struct core_block *b, enum check_sync kind, uint64_t key)
{
	struct check_blocks *s = begin(b);
	struct place *p;

	if (!s)
		return;
	p = place_at(s, kind, key, false);
	if (p)
		memset(p->clock, 0, s->units * sizeof(p->clock[0]));
	pthread_mutex_unlock(&s->lock);
}

/* Key of a set of a cross-core flag: the flag's place in a ring, and who has set it */
static uint64_t cross_key(uint32_t slot, uint32_t nth)
{
	return 1ULL << 32 | (uint64_t)slot * RING | nth % RING;
}

void check_cross_set(struct core_block *b, uint32_t slot, uint32_t nth)
{
	struct check_blocks *s = begin(b);
	struct place *p;

	if (!s)
		return;
	p = place_at(s, cross_key(slot, nth), unit_of(b), true);
	if (p)
		memset(p->clock, 0, s->units * sizeof(p->clock[0]));
	tells(s, unit_of(b), p);
	pthread_mutex_unlock(&s->lock);
}

void check_cross_wait(struct core_block *b, uint32_t first, uint32_t count, uint32_t slot, uint32_t nth)
{
	struct check_blocks *s = begin(b);

	if (!s)
		return;
	for (uint32_t n = first; n < first + count; n++) {
		struct place *p = place_at(s, cross_key(slot, nth), n, false);

		if (p)
			join(s, clock_of(s, unit_of(b)), p->clock);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Accesses ------------------------------------------------------------------------------------------- */

static struct page *page_at(struct check_blocks *s, uint64_t number)
{
	struct page **to = &s->page[(number * 0x9e3779b1u >> 8) % BUCKETS], *p;

	for (p = *to; p; p = p->next)
		if (p->number == number)
			return p;
	if (s->pages == PAGES_MAX)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	s->pages++;
	p->number = number;
	p->next = *to;
	*to = p;
	return p;
}

static bool done(const struct check_blocks *s, const struct entry *e, uint32_t unit)
{
	if (s->coarse)
		return e->step < s->era;
	return e->step <= clock_of(s, unit)[e->unit - 1];
}

static bool conflict(const struct entry *e, const struct entry *now)
{
	return (e->mask & now->mask) && (e->kind | now->kind) & WRITE && !(e->kind & now->kind & ATOMIC);
}

/* Is nothing lost if @now takes the place of @e? */
static bool replaces(const struct check_blocks *s, const struct entry *e, const struct entry *now)
{
	if (!e->unit)
		return true;
	return !(e->mask & ~now->mask) && (now->kind & WRITE || !(e->kind & WRITE)) && (now->kind & ATOMIC) <= (e->kind & ATOMIC) &&
	       (e->unit == now->unit || done(s, e, now->unit - 1u));
}

static bool alike(const struct entry *e, const struct entry *now)
{
	return e->unit == now->unit && e->step == now->step && e->kind == now->kind;
}

/* Do all sub-blocks know that the access is over? */
static bool over(const struct check_blocks *s, const struct entry *e)
{
	for (uint32_t n = 0; n < s->units; n++)
		if (n != e->unit - 1u && !done(s, e, n))
			return false;
	return true;
}

/* Where @now is to be remembered; if there is no room, a read is forgotten rather than a write */
static struct entry *slot_for(const struct check_blocks *s, struct entry *list, const struct entry *now)
{
	for (unsigned int n = 0; n < ENTRIES; n++)
		if (alike(&list[n], now))
			return &list[n];
	for (unsigned int n = 0; n < ENTRIES; n++)
		if (replaces(s, &list[n], now))
			return &list[n];
	for (unsigned int n = 0; n < ENTRIES; n++)
		if (over(s, &list[n]))
			return &list[n];
	for (unsigned int n = 0; n < ENTRIES; n++)
		if (!(list[n].kind & WRITE))
			return &list[n];
	return &list[(uint32_t)now->pc % ENTRIES];
}

static struct entry *find_conflict(const struct check_blocks *s, struct entry *list, const struct entry *now)
{
	for (unsigned int n = 0; n < ENTRIES; n++) {
		struct entry *e = &list[n];

		if (e->unit && e->unit != now->unit && conflict(e, now) && !done(s, e, now->unit - 1u))
			return e;
	}
	return NULL;
}

static void remember(const struct check_blocks *s, struct entry *list, const struct entry *now)
{
	struct entry *to = slot_for(s, list, now);

	if (alike(to, now)) {
		to->mask |= now->mask;
		to->pc = now->pc;
	} else {
		*to = *now;
	}
}

/* Loops that look at a word until another sub-block has written it ----------------------------------- */

#define LOOP_WORDS	12

/* The load's opcode, width, base register and offset: the same for all loads of that place in a loop */
#define SAME_PLACE	0xfffff07fu

static bool is_load(uint32_t word)
{
	return (word & 0x7f) == 0x03;
}

/* A conditional branch: its distance in words, or 0 for other instructions */
static int branch(uint32_t word)
{
	int32_t sign = (int32_t)word >> 31;

	if ((word & 0x7f) != 0x63)
		return 0;
	return (int)((sign * 4096) | (int32_t)(word << 4 & 0x800) | (int32_t)(word >> 20 & 0x7e0) |
		     (int32_t)(word >> 7 & 0x1e)) / 4;
}

/* Does a loop that begins in front of the load do more than look at the load's place there? */
static bool works_before(struct core_block *b, uint64_t at, int first, uint32_t load)
{
	for (int n = first; n < 0; n++) {
		uint32_t word = check_word_at(b, at + 4u * (uint64_t)n), op = word & 0x7f;

		if (op == 0x23 || op == 0x27 || op == 0x2f || (is_load(word) && (word & SAME_PLACE) != (load & SAME_PLACE)))
			return true;
	}
	return false;
}

/*
 * Is the instruction at @pc a load whose loop does nothing but look at that place again? Compilers often make
 * two loads of it, one before the loop: then the later one counts.
 */
bool check_polls(struct core_block *b, int32_t pc)
{
	uint64_t at = b->kernel->pkt.entry + (uint64_t)((int64_t)pc * 4);
	uint32_t load = check_word_at(b, at), word;
	int since = 0;

	if (!is_load(load))
		return false;
	for (int n = 1; n <= LOOP_WORDS; n++) {
		word = check_word_at(b, at + 4u * (unsigned int)n);
		if ((word & SAME_PLACE) == (load & SAME_PLACE))
			since = n;
		else if (is_load(word) || (word & 0x7f) == 0x23)
			return false;
		else if (!branch(word) && (word >> 7 & 31) == (load >> 15 & 31))
			return false;	/* it goes on to another place */
		if (branch(word) < 0)
			return n + branch(word) <= since && !works_before(b, at, n + branch(word), load);
	}
	return false;
}

#define AHEAD	96	/* instructions */

/*
 * Does a load begin a loop of compare-and-swap: is there an atomic instruction on its place soon behind it? What it has
 * loaded is then compared with what is there, so it does not matter when. Loops are made of load-reserved, whose address
 * is often in another register than the load's: a half's loop, for example, is about the word around it.
 */
static bool feeds_atomic(struct core_block *b, int32_t pc)
{
	uint64_t at = b->kernel->pkt.entry + (uint64_t)((int64_t)pc * 4);
	uint32_t load = check_word_at(b, at), word;

	if ((load & 0x7f) != 0x03)
		return false;
	for (unsigned int n = 1; n <= AHEAD; n++) {
		bool amo, same_place;

		word = check_word_at(b, at + 4u * n);
		amo = (word & 0x7f) == 0x2f;
		same_place = !(load >> 20) && !((word ^ load) >> 15 & 31);
		if (amo && word >> 27 == 2) /* lr.w, lr.d */
			return true;
		if ((amo || (word & 0x707f) == (ANPU_OPC_SYS | 1 << 12)) && same_place)
			return true;
	}
	return false;
}

bool check_harmless(struct core_block *b, struct check_place before, struct check_place now)
{
	if (!(now.kind & WRITE))
		return before.kind & ATOMIC && feeds_atomic(b, now.pc);
	if (!(before.kind & WRITE))
		return check_polls(b, before.pc) || (now.kind & ATOMIC && feeds_atomic(b, before.pc));
	return false;
}

/* Is what is about to be written to the granule's bytes there already? Then it does not matter who comes first. */
static bool same_value(struct core_block *b, const struct entry *now, uint64_t at, uint64_t offset)
{
	unsigned int bytes = (unsigned int)__builtin_popcount(now->mask);
	struct core_fault ignored = { 0 };
	const void *p;
	uint64_t span;

	if (!b->check->value || !(now->kind & WRITE))
		return false;
	p = mmu_access(b->mmu, at, ANPU_ACCESS_READ, &span, &ignored);
	return p && span >= bytes && !memcmp(p, b->check->value + offset, bytes);
}

/*
 * A loop that waits for a plain store is no race, though it is one by the letter: who has seen the store knows
 * what came before it. Nor is a load in front of a compare-and-swap, beside other atomic accesses.
 * Return: is this such a pair? Then it is in order, or forgotten. Lock held.
 */
static bool excused(struct core_block *b, struct check_blocks *s, struct entry *e, const struct entry *now)
{
	if (s->coarse)
		return false;
	if (!(now->kind & WRITE) && check_polls(b, now->pc)) {
		join(s, clock_of(s, now->unit - 1u), clock_of(s, e->unit - 1u));
		return true;
	}
	if (!check_harmless(b, (struct check_place){ e->kind, e->pc }, (struct check_place){ now->kind, now->pc }))
		return false;
	e->unit = 0;
	return true;
}

/*
 * Returns the earlier access that @now races with, or NULL. @at: the first byte of the granule that it touches, and
 * where that is in all of the access. Lock held
 */
static const struct entry *touch(struct core_block *b, struct check_blocks *s, struct entry *list,
				 const struct entry *now, uint64_t at, uint64_t offset)
{
	struct entry *e = find_conflict(s, list, now);

	while (e && excused(b, s, e, now))
		e = find_conflict(s, list, now);
	if (e && same_value(b, now, at, offset))
		e = NULL;
	if (!e)
		remember(s, list, now);
	return e;
}

/* Accesses of the program ---------------------------------------------------------------------------- */

const char *check_unit_name(const struct core_block *b, uint32_t unit, char text[48])
{
	const struct core_sync *s = b->kernel->sync;
	uint32_t block = unit / s->subs, sub = unit % s->subs;

	if (!s->mix)
		snprintf(text, 48, "block %u", block);
	else if (!sub)
		snprintf(text, 48, "block %u's cube part", block);
	else
		snprintf(text, 48, "block %u's vector part %u", block, sub - 1);
	return text;
}

static bool report(const struct core_block *b, const char *name, uint64_t va, uint64_t len, uint32_t access,
		   const struct entry *e, struct core_fault *fault)
{
	uint64_t pc = b->kernel->pkt.entry + (uint64_t)((int64_t)e->pc * 4);
	char other[48];

	core_fail(fault, ANPU_FAULT_RACE, "%s %s 0x%llx, which %s %s at 0x%llx; %s", name,
		  access & ANPU_ACCESS_WRITE ? "writes" : "reads", (unsigned long long)va,
		  check_unit_name(b, e->unit - 1u, other), e->kind & WRITE ? "writes" : "reads", (unsigned long long)pc,
		  e->kind & LATE ? "its flag is for another pipe" :
				   "no barrier or flag orders them");
	fault->addr = va;
	fault->size = len > UINT32_MAX ? UINT32_MAX : (uint32_t)len;
	fault->access = access & ANPU_ACCESS_WRITE ? ANPU_ACCESS_WRITE : ANPU_ACCESS_READ;
	return false;
}

bool check_has_others(const struct core_block *b)
{
	return ((const struct core_sync *)b->kernel->sync)->check;
}

void check_blocks_again(struct core_block *b, int32_t pc, uint64_t va, uint64_t len, uint32_t access, bool atomic)
{
	struct check_blocks *s = begin(b);
	uint64_t at = va, end = va + len, stop;
	uint32_t unit = unit_of(b);
	struct entry now = {
		.unit = (uint16_t)(unit + 1),
		.kind = (access & ANPU_ACCESS_WRITE ? WRITE : READ) | (atomic ? ATOMIC : 0) | LATE,
		.pc = pc,
	};

	if (!s)
		return;
	now.step = clock_of(s, unit)[unit];
	for (; at < end; at = stop) {
		struct page *p = page_at(s, at / PAGE_SIZE);

		stop = (at / GRANULE + 1) * GRANULE;
		if (stop > end)
			stop = end;
		now.mask = (uint32_t)((1ULL << (stop - at)) - 1) << at % GRANULE;
		if (p)
			remember(s, p->entry[at % PAGE_SIZE / GRANULE], &now);
	}
	pthread_mutex_unlock(&s->lock);
}

bool check_blocks_access(struct core_block *b, const char *name, uint64_t pc, uint64_t va, uint64_t len,
			 uint32_t access, bool atomic, struct core_fault *fault)
{
	struct check_blocks *s = ((struct core_sync *)b->kernel->sync)->check;
	uint64_t at = va, end = va + len;
	const struct entry *with = NULL;
	uint32_t unit = unit_of(b);
	struct entry now = {
		.unit = (uint16_t)(unit + 1),
		.kind = (access & ANPU_ACCESS_WRITE ? WRITE : READ) | (atomic ? ATOMIC : 0),
		.pc = (int32_t)((int64_t)(pc - b->kernel->pkt.entry) >> 2),
	};
	struct entry found;

	if (!s)
		return true;
	pthread_mutex_lock(&s->lock);
	now.step = s->coarse ? s->era : clock_of(s, unit)[unit];
	while (at < end && !with) {
		struct page *p = page_at(s, at / PAGE_SIZE);
		uint64_t stop = (at / GRANULE + 1) * GRANULE;
		unsigned int skip = at % GRANULE;

		if (stop > end)
			stop = end;
		now.mask = (uint32_t)((1ULL << (stop - at)) - 1) << skip;
		with = p ? touch(b, s, p->entry[at % PAGE_SIZE / GRANULE], &now, at, at - va) : NULL;
		if (with) {
			at += (unsigned int)__builtin_ctz(now.mask & with->mask) - skip;
			found = *with;
		} else {
			at = stop;
		}
	}
	pthread_mutex_unlock(&s->lock);
	return !with || report(b, name, at, end - at, access, &found, fault);
}
