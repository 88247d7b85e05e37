// SPDX-License-Identifier: MIT
/*
 * What the blocks of a kernel share: the decoded code they start with, barriers, cross-core flags.
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

#include "sync.h"

#define KINDS	2	/* cube (or the only kind), vector */
#define MODES	3

/** struct barrier - SYNCALL among one group of sub-blocks */
struct barrier {
	uint32_t arrived;
	uint32_t round;
};

/**
 * struct cross - the flags of one sub-block
 * @set: sets by this sub-block
 * @waited: waits of this sub-block that have passed
 */
struct cross {
	uint32_t set[MODES][ANPU_CROSS_FLAGS];
	uint32_t waited[MODES][ANPU_CROSS_FLAGS];
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

/**
 * struct core_sync - per launch; every launch makes one, so it is small
 * @gen: decoded code, held for the kernel's life
 * @serial: its number
 * @progress: see core_kernel_progress()
 * @barrier: by kind, and the one for all
 * @cross: flags between sub-blocks
 * @waiting: list of blocks that are blocked
 */
struct core_sync {
	struct code_gen *gen;
	unsigned int serial;
	uint32_t blocks;
	uint32_t subs;
	bool mix;
	_Atomic uint64_t progress;
	pthread_mutex_t lock;
	struct barrier barrier[KINDS + 1];
	struct cross_state *cross;
	struct core_block *waiting;
};

/* b->wait: what a blocked block waits for */
#define WAIT_BARRIER	(1ULL << 32)	/* OR the round */
#define WAIT_CROSS	(2ULL << 32)	/* OR the operand */
#define WAIT_KIND	(3ULL << 32)

bool sync_init(struct core_kernel *k, struct core_fault *fault)
{
	struct core_sync *s = calloc(1, sizeof(*s));

	if (!s || pthread_mutex_init(&s->lock, NULL)) {
		free(s);
		return core_fail(fault, ANPU_FAULT_INTERNAL, "no host memory for a kernel");
	}
	s->blocks = k->pkt.grid_x * k->pkt.grid_y * k->pkt.grid_z;
	s->subs = core_sub_blocks(&k->pkt);
	s->mix = k->pkt.core_type == ANPU_CORE_MIX;
	s->gen = code_gen_get(k->code, &s->serial);
	k->sync = s;
	return true;
}

void sync_fini(struct core_kernel *k)
{
	struct core_sync *s = k->sync;

	if (!s)
		return;
	code_gen_put(k->code, s->gen);
	pthread_mutex_destroy(&s->lock);
	free(s->cross);
	free(s);
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

static enum sys_result blocked(struct core_sync *s, struct core_block *b, uint64_t wait)
{
	if (!b->wait) {
		b->next = s->waiting;
		s->waiting = b;
	}
	b->wait = wait;
	return SYS_BLOCKED;
}

static void not_waiting(struct core_sync *s, struct core_block *b)
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
	not_waiting(s, b);
	pthread_mutex_unlock(&s->lock);
}

static int describe(const struct core_sync *s, const struct core_block *b, char *to, size_t size)
{
	char name[32];

	if (s->mix)
		snprintf(name, sizeof(name), "block %u.%u", b->block, b->sub_block);
	else
		snprintf(name, sizeof(name), "block %u", b->block);
	if ((b->wait & WAIT_KIND) == WAIT_BARRIER)
		return snprintf(to, size, " %s in SYNCALL,", name);
	return snprintf(to, size, " %s for cross flag %u,", name, (unsigned int)b->wait & 0xff);
}

void core_kernel_deadlock(struct core_kernel *k, struct core_fault *fault)
{
	struct core_sync *s = k->sync;
	struct core_block *b;
	uint32_t n = 0, len;
	char *text = fault->message;

	pthread_mutex_lock(&s->lock);
	for (b = s->waiting; b; b = b->next)
		n++;
	core_fail(fault, ANPU_FAULT_DEADLOCK, "deadlock: %u of %u blocks wait, the others ended:", n,
		  s->blocks * s->subs);
	for (b = s->waiting; b; b = b->next) {
		len = (uint32_t)strlen(text);
		/* a description that does not fit whole is left out */
		if (describe(s, b, text + len, sizeof(fault->message) - len) >=
		    (int)(sizeof(fault->message) - len))
			text[len] = 0;
		fault->pc = b->pc;
	}
	pthread_mutex_unlock(&s->lock);
	len = (uint32_t)strlen(text);
	if (len && text[len - 1] == ',')
		text[len - 1] = 0;
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

enum sys_result sync_all(struct core_block *b, uint64_t which, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	unsigned int group = which == ANPU_SYNC_ALL ? KINDS : kind_of(s, b);
	struct barrier *r = &s->barrier[group];
	enum sys_result result = SYS_NEXT;

	if (which > ANPU_SYNC_ALL) {
		core_fail(fault, ANPU_FAULT_OPERAND, "SYNCALL: %llu is neither 0 (kind) nor 1 (all)",
			  (unsigned long long)which);
		return SYS_FAULT;
	}
	pthread_mutex_lock(&s->lock);
	if (b->wait) {
		if (r->round == (uint32_t)b->wait)
			result = SYS_BLOCKED;
		else
			not_waiting(s, b);
	} else if (++r->arrived == members(s, group)) {
		r->arrived = 0;
		r->round++;
		atomic_fetch_add(&s->progress, 1);
	} else {
		result = blocked(s, b, WAIT_BARRIER | r->round);
	}
	pthread_mutex_unlock(&s->lock);
	return result;
}

/* Cross-core flags ---------------------------------------------------------------------------------------- */

struct cross_op {
	unsigned int flag;
	unsigned int mode;
	uint32_t self;		/* index of the sub-block */
	uint32_t first;		/* partners other than ANPU_CROSS_ALL's: first and number */
	uint32_t count;
};

static bool cross_check(const struct core_sync *s, const struct core_block *b, const char *op,
			uint64_t operand, struct cross_op *c, struct core_fault *fault)
{
	uint64_t mode = operand >> 8;

	c->flag = operand & 0xff;
	c->mode = (unsigned int)mode;
	if (c->flag >= ANPU_CROSS_FLAGS)
		return core_fail(fault, ANPU_FAULT_OPERAND, "%s: flag %u is not below %u", op, c->flag,
				 ANPU_CROSS_FLAGS);
	if (mode >= MODES)
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

enum sys_result sync_set(struct core_block *b, uint64_t operand, struct core_fault *fault)
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
	pthread_mutex_unlock(&s->lock);
	return ok ? SYS_NEXT : SYS_FAULT;
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

enum sys_result sync_wait(struct core_block *b, uint64_t operand, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	enum sys_result result = SYS_FAULT;
	struct cross_op c;

	if (!cross_check(s, b, "XWAIT", operand, &c, fault))
		return SYS_FAULT;
	pthread_mutex_lock(&s->lock);
	if (cross_ready(s, fault)) {
		if (wait_over(s, &c, kind_of(s, b))) {
			s->cross->sub[c.self].waited[c.mode][c.flag]++;
			not_waiting(s, b);
			atomic_fetch_add(&s->progress, 1);
			result = SYS_NEXT;
		} else {
			result = blocked(s, b, WAIT_CROSS | operand);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return result;
}
