// SPDX-License-Identifier: MIT
/*
 * Shared by the blocks of a kernel: the decoded code they start with, barriers, cross-core flags.
 *
 * Nothing here blocks a thread. An operation whose condition does not hold yet answers "blocked",
 * the scheduler runs other blocks and executes the same instruction again after progress. All of it
 * is under one lock: a kernel synchronises thousands of times a second, not millions.
 *
 * A flag is a pair of counts, sets and waits. The n-th wait of a sub-block passes when every
 * partner has set the flag at least n times, so that no set is lost and none is used twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/blocks.h"
#include "check/check.h"
#include "sync_int.h"

/* Kinds of flags: ANPU_CROSS_ALL, PEERS and GROUP by their numbers, then PAIR with each of two vector sub-blocks */
#define PAIRS	2
#define PAIR	3
#define MODES	(PAIR + PAIRS)

/**
 * struct cross - the flags of one sub-block, by kind
 * @set: sets by this sub-block
 * @waited: waits of this sub-block that have passed
 * @pc: checking mode: of the latest set
 */
struct cross {
	uint32_t set[MODES][ANPU_CROSS_FLAGS];
	uint32_t waited[MODES][ANPU_CROSS_FLAGS];
	uint64_t pc[MODES][ANPU_CROSS_FLAGS];
};

/**
 * struct level - ANPU_CROSS_ALL of one kind and flag
 * @reached: sub-blocks whose count of sets has reached a level, by level modulo the ring's size
 * @complete: the level that all have reached
 */
struct level {
	uint32_t reached[ANPU_FLAG_MAX + 1];
	uint32_t complete;
};

/** struct cross_state - made when the kernel's first cross-core flag is used */
struct cross_state {
	struct level level[KINDS][ANPU_CROSS_FLAGS];
	struct cross sub[];
};

static void sync_free(struct code_cache *code, struct core_sync *s)
{
	code_gen_put(code, s->gen);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void core_spare_drop(struct core_spare *spare)
{
	if (spare->block)
		block_pool(spare->code, spare->block);
	if (spare->sync)
		sync_free(spare->code, spare->sync);
	*spare = (struct core_spare){ 0 };
}

/*
 * Take what the thread's last kernel has left, if it is of this address space and its code is
 * valid.
 */
static struct core_sync *take_spare(struct core_kernel *k)
{
	struct core_spare *spare = k->spare;
	struct core_sync *s;

	if (!spare)
		return NULL;
	s = spare->sync;
	if (spare->code != k->code || (s && atomic_load(&k->code->serial) != s->serial))
		core_spare_drop(spare);
	s = spare->sync;
	spare->sync = NULL;
	spare->code = k->code;
	if (s)
		memset(s->barrier, 0, sizeof(s->barrier));
	return s;
}

static struct core_sync *new_sync(struct core_kernel *k)
{
	struct core_sync *s = calloc(1, sizeof(*s));

	if (!s || pthread_mutex_init(&s->lock, NULL)) {
		free(s);
		return NULL;
	}
	s->gen = code_gen_get(k->code, &s->serial);
	return s;
}

bool sync_init(struct core_kernel *k, struct core_fault *fault)
{
	struct core_sync *s = take_spare(k);

	if (!s)
		s = new_sync(k);
	if (!s)
		return core_fail(fault, ANPU_FAULT_INTERNAL, "no host memory for a kernel");
	s->blocks = k->pkt.grid_x * k->pkt.grid_y * k->pkt.grid_z;
	s->subs = core_sub_blocks(&k->pkt);
	s->mix = k->pkt.core_type == ANPU_CORE_MIX;
	s->ended = 0;
	if (unlikely(k->pkt.hdr.flags & ANPU_KERNEL_CHECK))
		s->check = check_blocks_new(s->blocks * s->subs);
	atomic_store_explicit(&k->triggered, 0, memory_order_relaxed);
	k->sync = s;
	return cluster_init(k, fault);
}

void sync_fini(struct core_kernel *k)
{
	struct core_sync *s = k->sync;

	if (!s)
		return;
	cluster_fini(k);
	free(s->cross);
	s->cross = NULL;
	check_blocks_free(s->check);
	s->check = NULL;
	if (k->spare)
		k->spare->sync = s;
	else
		sync_free(k->code, s);
	k->sync = NULL;
}

struct code_gen *sync_code(struct core_kernel *k, unsigned int *serial)
{
	struct core_sync *s = k->sync;

	*serial = s->serial;
	return atomic_load(&k->code->serial) == s->serial ? s->gen : NULL;
}

bool sync_kept(const struct core_kernel *k, const struct code_gen *g)
{
	const struct core_sync *s = k->sync;

	return s->gen == g;
}

uint64_t core_kernel_progress(const struct core_kernel *k)
{
	struct core_sync *s = k->sync;

	return atomic_load(&s->progress);
}

/* The list of waiting blocks ----------------------------------------------------------------------- */

enum sys_result sync_blocked(struct core_sync *s, struct core_block *b, uint64_t wait)
{
	if (!b->wait) {
		b->next = s->waiting;
		s->waiting = b;
	}
	b->wait = wait;
	return SYS_BLOCKED;
}

void sync_not_waiting(struct core_sync *s, struct core_block *b)
{
	struct core_block **p = &s->waiting;

	if (!b->wait)
		return;
	while (*p != b)
		p = &(*p)->next;
	*p = b->next;
	b->next = NULL;
	b->wait = 0;
}

void sync_block_gone(struct core_block *b)
{
	struct core_sync *s = b->kernel->sync;

	if (!b->wait)
		return;
	pthread_mutex_lock(&s->lock);
	sync_not_waiting(s, b);
	pthread_mutex_unlock(&s->lock);
}

/* Sort blocks by what they wait for, then by number. */
static int compare_waiting(const void *left, const void *right)
{
	const struct core_block *a = *(struct core_block *const *)left;
	const struct core_block *b = *(struct core_block *const *)right;

	if (a->wait != b->wait)
		return a->wait < b->wait ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	return (a->sub_block > b->sub_block) - (a->sub_block < b->sub_block);
}

/** struct text - a message that grows by whole parts, as long as they fit; @cut: one did not */
struct text {
	char *to;
	size_t size;
	size_t len;
	bool cut;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *format, ...)
{
	char part[64];
	size_t len;
	va_list ap;

	va_start(ap, format);
	vsnprintf(part, sizeof(part), format, ap);
	va_end(ap);
	len = strlen(part);
	/* room is kept for the dots that tell of more */
	t->cut |= t->len + len + sizeof(" ...") > t->size;
	if (t->cut)
		return;
	memcpy(t->to + t->len, part, len + 1);
	t->len += len;
}

/*
 * Name the blocks from @n on that wait for the same, as numbers and ranges. Returns the first one
 * behind them.
 */
static unsigned int add_group(const struct core_sync *s, struct text *t, struct core_block **b,
			      unsigned int n, unsigned int total)
{
	uint64_t wait = b[n]->wait;
	const char *comma = "";

	add(t, n + 1 < total && b[n + 1]->wait == wait ? " blocks" : " block");
	while (n < total && b[n]->wait == wait) {
		unsigned int first = b[n]->block, last = first;

		if (s->mix) {
			add(t, "%s %u.%u", comma, first, b[n]->sub_block);
			n++;
		} else {
			while (++n < total && b[n]->wait == wait && b[n]->block == last + 1)
				last++;
			add(t, last > first ? "%s %u-%u" : "%s %u", comma, first, last);
		}
		comma = ",";
	}
	if ((wait & WAIT_KIND) == WAIT_BARRIER)
		add(t, " in SYNCALL");
	else if ((wait & WAIT_KIND) == WAIT_CLUSTER)
		add(t, " in CLUSTER");
	else if ((wait & WAIT_KIND) == WAIT_FRONT)
		add(t, " in GRIDWAIT");
	else if ((wait & WAIT_KIND) == WAIT_WORD)
		add(t, " for the word at 0x..%08x", (unsigned int)wait);
	else
		add(t, " for cross flag %u", (unsigned int)wait & 0xff);
	if (n < total)
		add(t, ";");
	return n;
}

uint32_t core_kernel_deadlock(struct core_kernel *k, struct core_fault *fault)
{
	struct core_sync *s = k->sync;
	unsigned int n = 0, total = s->blocks * s->subs;
	struct core_block **all, *b;
	struct text t = { .to = fault->message, .size = sizeof(fault->message) };
	uint32_t unit = 0;

	pthread_mutex_lock(&s->lock);
	for (b = s->waiting; b; b = b->next)
		n++;
	core_fail(fault, ANPU_FAULT_DEADLOCK, "deadlock");
	t.len = strlen(fault->message);
	add(&t, ": %u of %u blocks wait%s:", n, total, n < total ? ", the others ended" : "");
	all = n ? malloc(n * sizeof(*all)) : NULL;
	if (all) {
		n = 0;
		for (b = s->waiting; b; b = b->next)
			all[n++] = b;
		qsort(all, n, sizeof(*all), compare_waiting);
		core_block_where(all[0], fault);
		unit = all[0]->block * s->subs + all[0]->sub_block;
		for (unsigned int i = 0; i < n; )
			i = add_group(s, &t, all, i, n);
		free(all);
	}
	if (t.cut)
		strcpy(t.to + t.len, " ...");
	pthread_mutex_unlock(&s->lock);
	return unit;
}

/* SYNCALL --------------------------------------------------------------------------------------------- */

static unsigned int kind_of(const struct core_sync *s, const struct core_block *b)
{
	return s->mix && b->sub_block;
}

static uint32_t members(const struct core_sync *s, unsigned int kind)
{
	if (kind == KINDS)
		return s->blocks * s->subs;
	return kind ? s->blocks * (s->subs - 1) : s->blocks;
}

/* The rounds of a barrier take turns: nobody is still in one when the next but one begins. */
static uint64_t barrier_key(unsigned int group, uint32_t round)
{
	return group * 4 + round % 4;
}

/* Checking mode: the block tells the others of its round what it has done. Lock held. */
static void check_arrives(struct core_block *b, unsigned int group, const struct barrier *r)
{
	if (!r->arrived)
		check_fresh(b, CHECK_SYNC_BARRIER, barrier_key(group, r->round));
	check_tells(b, CHECK_SYNC_BARRIER, barrier_key(group, r->round));
}

enum sys_result sync_all(struct core_block *b, uint64_t which, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	unsigned int group = which == ANPU_SYNC_ALL ? KINDS : kind_of(s, b);
	struct barrier *r = &s->barrier[group];
	enum sys_result result = SYS_NEXT;
	uint32_t round;

	if (which > ANPU_SYNC_ALL) {
		core_fail(fault, ANPU_FAULT_OPERAND, "SYNCALL: %llu is neither 0 (kind) nor 1 (all)",
			  (unsigned long long)which);
		return SYS_FAULT;
	}
	pthread_mutex_lock(&s->lock);
	if (unlikely(s->check) && !b->wait)
		check_arrives(b, group, r);
	round = b->wait ? (uint32_t)b->wait : r->round;
	if (b->wait) {
		if (r->round == (uint32_t)b->wait)
			result = SYS_BLOCKED;
		else
			sync_not_waiting(s, b);
	} else if (++r->arrived == members(s, group)) {
		r->arrived = 0;
		r->round++;
		atomic_fetch_add(&s->progress, 1);
	} else {
		result = sync_blocked(s, b, WAIT_BARRIER | r->round);
	}
	if (unlikely(s->check) && result == SYS_NEXT)
		check_learns(b, CHECK_SYNC_BARRIER, barrier_key(group, round));
	pthread_mutex_unlock(&s->lock);
	return result;
}

/* Neighbouring kernels ----------------------------------------------------------------------------------- */

void core_kernel_front_ended(struct core_kernel *k)
{
	struct core_sync *s = k->sync;

	pthread_mutex_lock(&s->lock);
	k->behind = false;
	pthread_mutex_unlock(&s->lock);
	atomic_fetch_add(&s->progress, 1);
}

enum sys_result sync_front(struct core_block *b)
{
	struct core_sync *s = b->kernel->sync;
	enum sys_result result = SYS_NEXT;

	pthread_mutex_lock(&s->lock);
	if (b->kernel->behind)
		result = sync_blocked(s, b, WAIT_FRONT);
	else
		sync_not_waiting(s, b);
	pthread_mutex_unlock(&s->lock);
	return result;
}

enum sys_result sync_trigger(struct core_block *b)
{
	struct core_kernel *k = b->kernel;
	struct core_sync *s = k->sync;

	if (b->triggered)
		return SYS_NEXT;
	b->triggered = true;
	return atomic_fetch_add(&k->triggered, 1) + 1 == s->blocks * s->subs ? SYS_LEAVE : SYS_NEXT;
}

/* Words in memory ------------------------------------------------------------------------------------------ */

static bool word_check(const char *op, uint64_t va, struct core_fault *fault)
{
	if (va >= ANPU_GM_BASE && va % 4 == 0)
		return true;
	return core_fail(fault, ANPU_FAULT_OPERAND,
			 "%s: 0x%llx is no place of a 32-bit word in global memory", op,
			 (unsigned long long)va);
}

/* The lock orders words with each other: a block that sees one sees what was written before it. */
enum sys_result sync_post(struct core_block *b, uint64_t va, uint64_t value, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	uint32_t word = (uint32_t)value;
	bool ok;

	if (!word_check("POST", va, fault))
		return SYS_FAULT;
	if (value >> 32) {
		core_fail(fault, ANPU_FAULT_OPERAND, "POST: 0x%llx has more than 32 bits",
			  (unsigned long long)value);
		return SYS_FAULT;
	}
	pthread_mutex_lock(&s->lock);
	check_word(b, true);
	ok = mem_store_slow(b, va, 4, &word, fault);
	check_word(b, false);
	if (ok)
		atomic_fetch_add(&s->progress, 1);
	pthread_mutex_unlock(&s->lock);
	return ok ? SYS_NEXT : SYS_FAULT;
}

enum sys_result sync_await(struct core_block *b, uint64_t va, uint64_t operand, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	enum sys_result result = SYS_FAULT;
	uint32_t word;
	bool ok;

	if (!word_check("AWAIT", va, fault))
		return SYS_FAULT;
	if (operand >> 33) {
		core_fail(fault, ANPU_FAULT_OPERAND, "AWAIT: there is no condition %llu",
			  (unsigned long long)operand >> 32);
		return SYS_FAULT;
	}
	pthread_mutex_lock(&s->lock);
	check_word(b, true);
	ok = mem_load_slow(b, va, 4, &word, fault);
	check_word(b, false);
	if (ok) {
		uint32_t ahead = word - (uint32_t)operand;

		if (operand >> 32 ? (int32_t)ahead >= 0 : !ahead) {
			sync_not_waiting(s, b);
			atomic_fetch_add(&s->progress, 1);
			result = SYS_NEXT;
		} else {
			result = sync_blocked(s, b, WAIT_WORD | (uint32_t)va);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return result;
}

/* Cross-core flags ---------------------------------------------------------------------------------------- */

struct cross_op {
	unsigned int flag;
	unsigned int mode;	/* kind of flag, below MODES */
	uint32_t self;		/* index of the sub-block */
	uint32_t first;		/* partners other than ANPU_CROSS_ALL's: first and number */
	uint32_t count;
};

/* ANPU_CROSS_PAIR: the partner is one sub-block, and both count the flag as one of the pair's */
static bool pair_check(const struct core_sync *s, const struct core_block *b, const char *op, struct cross_op *c,
		       struct core_fault *fault)
{
	uint32_t flags = b->sub_block ? ANPU_CROSS_FLAGS : PAIRS * ANPU_CROSS_FLAGS;
	uint32_t vector = b->sub_block ? b->sub_block - 1 : c->flag / ANPU_CROSS_FLAGS;

	if (!s->mix)
		return core_fail(fault, ANPU_FAULT_OPERAND, "%s: mode PAIR needs a MIX kernel, with cube and vector sub-blocks", op);
	if (c->flag >= flags)
		return core_fail(fault, ANPU_FAULT_OPERAND, "%s: flag %u of mode PAIR is not below %u", op, c->flag, flags);
	if (vector >= s->subs - 1)
		return core_fail(fault, ANPU_FAULT_OPERAND,
				 "%s: flag %u of mode PAIR is the second vector sub-block's, and the block has one", op, c->flag);
	c->flag %= ANPU_CROSS_FLAGS;
	c->mode = PAIR + vector;
	c->self = b->block * s->subs + b->sub_block;
	c->first = b->block * s->subs + (b->sub_block ? 0 : 1 + vector);
	c->count = 1;
	return true;
}

static bool cross_check(const struct core_sync *s, const struct core_block *b, const char *op,
			uint64_t operand, struct cross_op *c, struct core_fault *fault)
{
	uint64_t mode = operand >> 8;

	c->flag = operand & 0xff;
	c->mode = (unsigned int)mode;
	if (mode == ANPU_CROSS_PAIR)
		return pair_check(s, b, op, c, fault);
	if (c->flag >= ANPU_CROSS_FLAGS)
		return core_fail(fault, ANPU_FAULT_OPERAND, "%s: flag %u is not below %u", op, c->flag,
				 ANPU_CROSS_FLAGS);
	if (mode > ANPU_CROSS_GROUP)
		return core_fail(fault, ANPU_FAULT_OPERAND, "%s: there is no mode %llu", op,
				 (unsigned long long)mode);
	if (mode == ANPU_CROSS_GROUP && !s->mix)
		return core_fail(fault, ANPU_FAULT_OPERAND,
				 "%s: mode GROUP needs a MIX kernel, with cube and vector sub-blocks",
				 op);
	if (mode == ANPU_CROSS_PEERS && s->mix && !b->sub_block)
		return core_fail(fault, ANPU_FAULT_OPERAND,
				 "%s: mode PEERS is for vector sub-blocks, this is the cube's", op);
	c->self = b->block * s->subs + b->sub_block;
	c->first = b->block * s->subs;
	c->count = 1;
	if (s->mix && (mode == ANPU_CROSS_PEERS || !b->sub_block)) {
		c->first++;
		c->count = s->subs - 1;
	}
	return true;
}

static bool cross_ready(struct core_sync *s, struct core_fault *fault)
{
	if (s->blocks > ANPU_MAX_RELATED_BLOCKS)
		return core_fail(fault, ANPU_FAULT_SYNC, "cross-core flags in a kernel of %u blocks: %u are the most",
				 s->blocks, ANPU_MAX_RELATED_BLOCKS);
	if (!s->cross)
		s->cross = calloc(1, sizeof(*s->cross) +
				  (size_t)s->blocks * s->subs * sizeof(s->cross->sub[0]));
	if (!s->cross)
		core_fail(fault, ANPU_FAULT_INTERNAL, "no host memory for cross-core flags");
	return s->cross;
}

static bool too_many(const struct cross_op *c, struct core_fault *fault)
{
	return core_fail(fault, ANPU_FAULT_SYNC,
			 "XSET of cross flag %u: set %u times and not waited for by every partner",
			 c->flag, ANPU_FLAG_MAX);
}

static bool set_all(struct core_sync *s, const struct cross_op *c, unsigned int kind,
		    struct core_fault *fault)
{
	struct level *l = &s->cross->level[kind][c->flag];
	uint32_t *count = &s->cross->sub[c->self].set[c->mode][c->flag];
	uint32_t *reached = &l->reached[(*count + 1) % (ANPU_FLAG_MAX + 1)];

	if (*count - l->complete >= ANPU_FLAG_MAX)
		return too_many(c, fault);
	++*count;
	if (++*reached == members(s, kind)) {
		*reached = 0;
		l->complete = *count;
	}
	return true;
}

static bool set_partners(struct core_sync *s, const struct cross_op *c, struct core_fault *fault)
{
	uint32_t *count = &s->cross->sub[c->self].set[c->mode][c->flag];

	for (uint32_t n = 0; n < c->count; n++)
		if (*count - s->cross->sub[c->first + n].waited[c->mode][c->flag] >= ANPU_FLAG_MAX &&
		    *count >= s->cross->sub[c->first + n].waited[c->mode][c->flag])
			return too_many(c, fault);
	++*count;
	return true;
}

enum sys_result sync_set(struct core_block *b, uint64_t operand, unsigned int pipe, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	struct cross_op c;
	bool ok;

	if (!cross_check(s, b, "XSET", operand, &c, fault))
		return SYS_FAULT;
	pthread_mutex_lock(&s->lock);
	ok = cross_ready(s, fault);
	if (ok)
		ok = c.mode == ANPU_CROSS_ALL ? set_all(s, &c, kind_of(s, b), fault) :
						set_partners(s, &c, fault);
	if (ok)
		atomic_fetch_add(&s->progress, 1);
	if (unlikely(b->check) && ok) {
		s->cross->sub[c.self].pc[c.mode][c.flag] = b->pc;
		check_cross_set(b, c.mode * ANPU_CROSS_FLAGS + c.flag, s->cross->sub[c.self].set[c.mode][c.flag]);
		check_left_open(b, pipe);
	}
	pthread_mutex_unlock(&s->lock);
	return ok ? SYS_NEXT : SYS_FAULT;
}

/* Checking mode: the block knows what its partners, or all of its kind, had done when they set the flag */
static void check_waited(struct core_block *b, const struct core_sync *s, const struct cross_op *c)
{
	uint32_t slot = c->mode * ANPU_CROSS_FLAGS + c->flag;
	uint32_t nth = s->cross->sub[c->self].waited[c->mode][c->flag];
	unsigned int kind = kind_of(s, b);

	if (c->mode != ANPU_CROSS_ALL) {
		check_cross_wait(b, c->first, c->count, slot, nth);
		return;
	}
	for (uint32_t n = 0; n < s->blocks; n++)
		check_cross_wait(b, n * s->subs + kind, s->mix && kind ? s->subs - 1 : 1, slot, nth);
}

static bool wait_over(const struct core_sync *s, const struct cross_op *c, unsigned int kind)
{
	uint32_t done = s->cross->sub[c->self].waited[c->mode][c->flag];

	if (c->mode == ANPU_CROSS_ALL)
		return s->cross->level[kind][c->flag].complete > done;
	for (uint32_t n = 0; n < c->count; n++)
		if (s->cross->sub[c->first + n].set[c->mode][c->flag] <= done)
			return false;
	return true;
}

/* XWAIT without a mode: the first one whose wait would end, else the last one */
static bool cross_any(struct core_sync *s, const struct core_block *b, uint64_t operand,
		      struct cross_op *c, struct core_fault *fault)
{
	static const uint64_t modes[] = { ANPU_CROSS_GROUP, ANPU_CROSS_PEERS, ANPU_CROSS_ALL };

	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if ((modes[i] == ANPU_CROSS_GROUP && !s->mix) ||
		    (modes[i] == ANPU_CROSS_PEERS && s->mix && !b->sub_block))
			continue;
		if (!cross_check(s, b, "XWAIT", ANPU_CROSS(operand & 0xff, modes[i]), c, fault))
			return false;
		if (wait_over(s, c, kind_of(s, b)))
			break;
	}
	return true;
}

enum sys_result sync_wait(struct core_block *b, uint64_t operand, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	enum sys_result result = SYS_FAULT;
	struct cross_op c;

	bool any = operand >> 8 == ANPU_CROSS_ANY;

	if (!any && !cross_check(s, b, "XWAIT", operand, &c, fault))
		return SYS_FAULT;
	pthread_mutex_lock(&s->lock);
	if (cross_ready(s, fault) && (!any || cross_any(s, b, operand, &c, fault))) {
		if (wait_over(s, &c, kind_of(s, b))) {
			s->cross->sub[c.self].waited[c.mode][c.flag]++;
			if (unlikely(s->check))
				check_waited(b, s, &c);
			sync_not_waiting(s, b);
			atomic_fetch_add(&s->progress, 1);
			result = SYS_NEXT;
		} else {
			result = sync_blocked(s, b, WAIT_CROSS | operand);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return result;
}

/* Checking mode: what is left over at the kernel's end ----------------------------------------------------- */

/* A sub-block has set a flag more often than @waited says that it was waited for */
static bool left(struct core_block *b, const struct cross *by, uint32_t unit, unsigned int mode, unsigned int flag,
		 uint32_t waited, struct core_fault *fault)
{
	static const char *const names[MODES] = {
		[ANPU_CROSS_ALL] = "ALL", [ANPU_CROSS_PEERS] = "PEERS", [ANPU_CROSS_GROUP] = "GROUP",
		[PAIR] = "PAIR", [PAIR + 1] = "PAIR",
	};
	char name[48];

	core_fail(fault, ANPU_FAULT_SYNC,
		  "XSET of cross flag %u, mode %s, by %s: set %u times, waited for %u times at the kernel's end",
		  flag, names[mode], check_unit_name(b, unit, name), by->set[mode][flag], waited);
	fault->pc = by->pc[mode][flag];
	return false;
}

static bool look_at_flag(struct core_block *b, uint32_t unit, unsigned int mode, unsigned int flag,
			 struct core_fault *fault)
{
	const struct core_sync *s = b->kernel->sync;
	const struct cross *sub = s->cross->sub, *by = &sub[unit];
	uint32_t first = unit / s->subs * s->subs, count = 1;

	if (!by->set[mode][flag])
		return true;
	if (mode == ANPU_CROSS_ALL) {
		first = unit;
	} else if (mode >= PAIR) {
		first += unit % s->subs ? 0 : 1 + mode - PAIR;
	} else if (s->mix && (mode == ANPU_CROSS_PEERS || !(unit % s->subs))) {
		first++;
		count = s->subs - 1;
	}
	for (uint32_t n = first; n < first + count; n++)
		if (sub[n].waited[mode][flag] < by->set[mode][flag])
			return left(b, by, unit, mode, flag, sub[n].waited[mode][flag], fault);
	return true;
}

bool sync_left(struct core_block *b, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	uint32_t units = s->blocks * s->subs;
	bool ok = true;

	pthread_mutex_lock(&s->lock);
	if (++s->ended == units && s->cross)
		for (uint32_t n = 0; ok && n < units * MODES * ANPU_CROSS_FLAGS; n++)
			ok = look_at_flag(b, n / (MODES * ANPU_CROSS_FLAGS), n / ANPU_CROSS_FLAGS % MODES,
					  n % ANPU_CROSS_FLAGS, fault);
	pthread_mutex_unlock(&s->lock);
	return ok;
}
