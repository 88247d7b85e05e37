// SPDX-License-Identifier: MIT
/* See fake_core.h. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core.h"
#include "fake_core.h"

#define FLAGS	64

static atomic_uint live_blocks, block_limit, behind_burns;

void fake_core_limit(unsigned int blocks)
{
	atomic_store(&block_limit, blocks);
}

struct sync {
	pthread_mutex_t lock;
	uint32_t total;
	uint32_t arrived;
	uint64_t round;
	bool flag[FLAGS];
	_Atomic uint64_t progress;
};

struct core_block {
	struct core_kernel *k;
	uint32_t block, sub, core;
	uint64_t pc;
	uint64_t insns;
	uint64_t burn_end;
	uint64_t burns;
	uint64_t round;
	bool arrived;
	uint32_t overflow;
	uint64_t pipe_ns[ANPU_PIPE_COUNT];
	struct core_operations *operations;
	bool triggered;
	void *tool;
};

struct code_cache {
	_Atomic uint64_t invalidations;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

bool core_kernel_init(struct core_kernel *k, struct core_fault *fault)
{
	struct sync *s = calloc(1, sizeof(*s));

	if (!s) {
		memset(fault, 0, sizeof(*fault));
		fault->cause = ANPU_FAULT_INTERNAL;
		return false;
	}
	pthread_mutex_init(&s->lock, NULL);
	s->total = k->pkt.grid_x * k->pkt.grid_y * k->pkt.grid_z * core_sub_blocks(&k->pkt);
	atomic_store(&k->triggered, 0);
	k->sync = s;
	return true;
}

/* Nothing is kept here. */
void core_spare_drop(struct core_spare *spare)
{
	(void)spare;
}

void core_kernel_fini(struct core_kernel *k)
{
	struct sync *s = k->sync;

	pthread_mutex_destroy(&s->lock);
	free(s);
	k->sync = NULL;
}

uint64_t core_kernel_progress(const struct core_kernel *k)
{
	struct sync *s = k->sync;

	return atomic_load(&s->progress);
}

uint32_t core_kernel_deadlock(struct core_kernel *k, struct core_fault *fault)
{
	(void)k;
	memset(fault, 0, sizeof(*fault));
	fault->cause = ANPU_FAULT_DEADLOCK;
	snprintf(fault->message, sizeof(fault->message), "fake core: all blocks wait");
	return 0;
}

void core_kernel_front_ended(struct core_kernel *k)
{
	struct sync *s = k->sync;

	pthread_mutex_lock(&s->lock);
	k->behind = false;
	atomic_fetch_add(&s->progress, 1);
	pthread_mutex_unlock(&s->lock);
}

uint32_t core_kernel_block(const struct core_kernel *k, uint32_t n)
{
	(void)k;
	return n;
}

uint32_t core_cluster_blocks(const struct core_kernel *k)
{
	return k->launch.size && k->pkt.cluster_x ? k->pkt.cluster_x : 1;
}

/* Is it the last one of its kernel? */
static bool trigger(struct core_block *b)
{
	struct sync *s = b->k->sync;

	if (b->triggered)
		return false;
	b->triggered = true;
	return atomic_fetch_add(&b->k->triggered, 1) + 1 == s->total;
}

static bool may_go_on(struct core_block *b)
{
	struct sync *s = b->k->sync;
	bool behind;

	pthread_mutex_lock(&s->lock);
	behind = b->k->behind;
	pthread_mutex_unlock(&s->lock);
	return !behind;
}

unsigned int core_sub_blocks(const struct anpu_pkt_kernel *pkt)
{
	return pkt->core_type == ANPU_CORE_MIX ? 1 + pkt->mix_ratio : 1;
}

struct core_block *core_block_new(struct core_kernel *k, uint32_t block, uint32_t sub_block,
				  uint32_t core)
{
	unsigned int limit = atomic_load(&block_limit);
	struct core_block *b;

	if (limit && atomic_load(&live_blocks) >= limit)
		return NULL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	atomic_fetch_add(&live_blocks, 1);
	b->k = k;
	b->block = block;
	b->sub = sub_block;
	b->core = core;
	b->pc = k->pkt.entry + (sub_block ? (int64_t)k->pkt.aiv_entry : 0);
	if (k->launch.size && k->launch.flags & ANPU_LAUNCH_TRIGGER_AT_START)
		trigger(b);
	return b;
}

void core_block_free(struct core_block *b)
{
	trigger(b);
	atomic_fetch_sub(&live_blocks, 1);
	free(b);
}

void core_block_again(struct core_block *b, uint32_t block)
{
	struct core_kernel *k = b->k;
	uint32_t sub = b->sub, core = b->core;

	if (b->burns)
		atomic_fetch_add(&behind_burns, 1);
	trigger(b);
	*b = (struct core_block){ .k = k, .block = block, .sub = sub, .core = core, .pc = k->pkt.entry };
	if (k->launch.size && k->launch.flags & ANPU_LAUNCH_TRIGGER_AT_START)
		trigger(b);
}

void core_block_counts(const struct core_block *b, struct core_counts *counts)
{
	counts->insns = b->insns;
	counts->tiles = b->burns;
}

uint32_t core_block_overflow(struct core_block *b)
{
	uint32_t seen = b->overflow;

	b->overflow = 0;
	return seen;
}

void core_block_pipes(struct core_block *b, uint64_t ns[ANPU_PIPE_COUNT])
{
	for (unsigned int i = 0; i < ANPU_PIPE_COUNT; i++)
		ns[i] += b->pipe_ns[i];
	memset(b->pipe_ns, 0, sizeof(b->pipe_ns));
}

void core_block_note(struct core_block *b, struct core_operations *to)
{
	b->operations = to;
}

void core_block_where(const struct core_block *b, struct core_fault *fault)
{
	fault->pc = b->pc;
	fault->x[0] = b->insns;
	fault->x[10] = b->block;
}

void core_block_state(const struct core_block *b, struct core_state *s)
{
	memset(s, 0, sizeof(*s));
	s->block = b->block;
	s->pc = b->pc;
}

/* A block of this core has no memory to be looked at. */
bool core_block_peek(struct core_block *b, struct mmu *mmu, uint64_t va, uint64_t size, void *to)
{
	struct core_fault ignored;
	uint64_t span;

	(void)b;
	for (uint64_t done = 0; done < size; done += span) {
		const void *from = mmu_access(mmu, va + done, ANPU_ACCESS_READ, &span, &ignored);

		if (!from)
			return false;
		if (span > size - done)
			span = size - done;
		memcpy((char *)to + done, from, span);
	}
	return true;
}

/* Debuggers can change nothing of a block of this core, either. */
bool core_block_poke(struct core_block *b, struct mmu *mmu, uint64_t va, uint64_t size, const void *from)
{
	(void)b;
	(void)mmu;
	(void)va;
	(void)size;
	(void)from;
	return false;
}

void core_block_set_reg(struct core_block *b, unsigned int n, uint64_t value)
{
	(void)b;
	(void)n;
	(void)value;
}

unsigned int core_block_threads(const struct core_block *b)
{
	(void)b;
	return 0;
}

bool core_block_thread(struct core_block *b, unsigned int t, struct core_state *s)
{
	core_block_state(b, s);
	return !t;
}

unsigned int core_block_current(const struct core_block *b)
{
	(void)b;
	return 0;
}

bool core_block_choose(struct core_block *b, unsigned int t)
{
	(void)b;
	return !t;
}

void core_block_yield(struct core_block *b)
{
	(void)b;
}

void core_block_attend(struct core_block *b, const struct core_breaks *breaks)
{
	(void)b;
	(void)breaks;
}

void core_block_set_tool(struct core_block *b, void *tool)
{
	b->tool = tool;
}

void *core_block_tool(const struct core_block *b)
{
	return b->tool;
}

enum core_result core_block_step(struct core_block *b, struct mmu *mmu, struct core_fault *fault)
{
	return core_block_run(b, mmu, 0, fault);
}

static enum core_result op_fault(struct core_block *b, uint32_t cause, struct core_fault *f)
{
	memset(f, 0, sizeof(*f));
	f->cause = cause;
	f->pc = b->pc;
	f->insn = 0xdead;
	f->x[0] = b->insns;
	f->x[10] = b->block;
	snprintf(f->message, sizeof(f->message), "fake core: illegal instruction in block %u",
		 b->block);
	return CORE_FAULT;
}

static void *word(struct core_block *b, struct mmu *mmu, uint64_t va, uint32_t access,
		  struct core_fault *f)
{
	uint64_t span;
	void *p;

	if (va % (access == ANPU_ACCESS_FETCH ? sizeof(struct fake_insn) : 8)) {
		op_fault(b, ANPU_FAULT_MISALIGNED, f);
		return NULL;
	}
	p = mmu_access(mmu, va, access, &span, f);
	if (!p) {
		f->pc = b->pc;
		f->size = 8;
	}
	return p;
}

static enum core_result sync_all(struct core_block *b)
{
	struct sync *s = b->k->sync;
	enum core_result r = CORE_MORE;

	pthread_mutex_lock(&s->lock);
	if (!b->arrived) {
		b->arrived = true;
		b->round = s->round;
		if (++s->arrived == s->total) {
			s->arrived = 0;
			s->round++;
		}
		atomic_fetch_add(&s->progress, 1);
	}
	if (b->round == s->round)
		r = CORE_BLOCKED;
	else
		b->arrived = false;
	pthread_mutex_unlock(&s->lock);
	return r;
}

static enum core_result flag(struct core_block *b, uint32_t nr, bool set)
{
	struct sync *s = b->k->sync;
	enum core_result r = CORE_MORE;

	pthread_mutex_lock(&s->lock);
	if (set) {
		s->flag[nr % FLAGS] = true;
		atomic_fetch_add(&s->progress, 1);
	} else if (!s->flag[nr % FLAGS]) {
		r = CORE_BLOCKED;
	}
	pthread_mutex_unlock(&s->lock);
	return r;
}

/* Instructions that touch memory. CORE_MORE: done, go on. */
static enum core_result memory_op(struct core_block *b, struct mmu *mmu,
				  const struct fake_insn *i, struct core_fault *f)
{
	bool load = i->op == FAKE_LOAD;
	bool rmw = i->op == FAKE_INC || i->op == FAKE_SUB;
	uint64_t va = i->val;
	uint64_t *p;

	if (i->op == FAKE_STORE || i->op == FAKE_CORE || i->op == FAKE_FLAGS || i->op == FAKE_CLOCK)
		va += 8ULL * b->block;
	if (i->op == FAKE_SUB)
		va += 8ULL * b->sub;
	p = word(b, mmu, va, load ? ANPU_ACCESS_READ : rmw ? ANPU_ACCESS_READ | ANPU_ACCESS_WRITE
							   : ANPU_ACCESS_WRITE, f);
	if (!p)
		return CORE_FAULT;
	if (rmw)
		__atomic_add_fetch(p, 1, __ATOMIC_SEQ_CST);
	else if (load)
		(void)__atomic_load_n(p, __ATOMIC_RELAXED);
	else if (i->op == FAKE_CLOCK)
		__atomic_store_n(p, b->k->clock(b->k->clock_ctx), __ATOMIC_RELAXED);
	else if (i->op == FAKE_FLAGS)
		__atomic_store_n(p, b->k->pkt.hdr.flags, __ATOMIC_RELAXED);
	else
		__atomic_store_n(p, i->op == FAKE_CORE ? b->core : b->block + 1ULL,
				 __ATOMIC_RELAXED);
	return CORE_MORE;
}

/* CORE_MORE: done, go on; CORE_DONE: the budget is used up at this instruction. */
static enum core_result wait_op(struct core_block *b, struct mmu *mmu, const struct fake_insn *i,
				uint64_t end, struct core_fault *f)
{
	if (i->op == FAKE_BURN && !b->burn_end)
		b->burn_end = now_ns() + i->val;
	for (;;) {
		if (i->op == FAKE_BURN && now_ns() >= b->burn_end) {
			b->burn_end = 0;
			b->burns++;
			return CORE_MORE;
		}
		if (i->op == FAKE_UNTIL) {
			uint64_t *p = word(b, mmu, i->val, ANPU_ACCESS_READ, f);

			if (!p)
				return CORE_FAULT;
			if (__atomic_load_n(p, __ATOMIC_ACQUIRE))
				return CORE_MORE;
		}
		if (atomic_load(&b->k->stop) || now_ns() >= end)
			return CORE_DONE;
		mmu_poll(mmu);
	}
}

static enum core_result print(struct core_block *b, struct mmu *mmu, const struct fake_insn *i,
			      struct core_fault *f)
{
	struct core_text t = { b->block, b->sub, b->core, "hello", 5 };
	uint64_t span;

	if (i->arg) {
		t.text = mmu_access(mmu, i->val, ANPU_ACCESS_READ, &span, f);
		t.len = i->arg;
		if (!t.text)
			return CORE_FAULT;
	}
	if (b->k->print && !b->k->print(b->k->print_ctx, mmu, &t, f))
		return CORE_FAULT;
	return CORE_MORE;
}

/* The operation has begun at 1000 */
static void note(struct core_block *b, const struct fake_insn *i)
{
	struct core_operations *to = b->operations;

	if (!to)
		return;
	if (to->count == CORE_OPERATIONS)
		to->lost++;
	else
		to->list[to->count++] = (struct core_operation){ 1000, 1000 + i->val, b->pc, ANPU_TILE_VBIN, (uint8_t)i->arg };
}

static enum core_result run_block(struct core_block *b, struct mmu *mmu, uint64_t budget_ns,
				  struct core_fault *fault)
{
	uint64_t end = now_ns() + budget_ns;
	enum core_result r;

	for (;;) {
		struct fake_insn i;
		struct fake_insn *at = word(b, mmu, b->pc, ANPU_ACCESS_FETCH, fault);

		if (!at)
			return CORE_FAULT;
		i = *at;
		r = CORE_MORE;
		switch (i.op) {
		case FAKE_END:
			return CORE_DONE;
		case FAKE_STORE:
		case FAKE_INC:
		case FAKE_LOAD:
		case FAKE_CORE:
		case FAKE_SUB:
		case FAKE_FLAGS:
		case FAKE_CLOCK:
			r = memory_op(b, mmu, &i, fault);
			break;
		case FAKE_BURN:
		case FAKE_FOREVER:
		case FAKE_UNTIL:
			r = wait_op(b, mmu, &i, end, fault);
			if (r == CORE_DONE)
				return CORE_MORE;
			break;
		case FAKE_FROM:
			if (b->block < i.arg)
				return CORE_DONE;
			break;
		case FAKE_ILLEGAL:
			if (i.arg == b->block || i.arg == 0xffffffff)
				return op_fault(b, ANPU_FAULT_ILLEGAL, fault);
			break;
		case FAKE_SYNCALL:
			r = sync_all(b);
			break;
		case FAKE_SET:
		case FAKE_WAIT:
			r = flag(b, i.arg, i.op == FAKE_SET);
			break;
		case FAKE_TRIGGER:
			if (!trigger(b))
				break;
			b->pc += sizeof(i);
			return CORE_MORE;
		case FAKE_GRIDWAIT:
			r = may_go_on(b) ? CORE_MORE : CORE_BLOCKED;
			break;
		case FAKE_OVERFLOW:
			b->overflow |= i.arg;
			r = CORE_MORE;
			break;
		case FAKE_PIPE:
			b->pipe_ns[i.arg] += i.val;
			note(b, &i);
			r = CORE_MORE;
			break;
		case FAKE_PRINT:
			r = print(b, mmu, &i, fault);
			break;
		default:
			return op_fault(b, ANPU_FAULT_ILLEGAL, fault);
		}
		if (r != CORE_MORE)
			return r;
		b->pc += sizeof(i);
		b->insns++;
		if (atomic_load(&b->k->stop) || now_ns() >= end)
			return CORE_MORE;
		mmu_poll(mmu);
	}
}

struct code_cache *code_cache_new(void)
{
	return calloc(1, sizeof(struct code_cache));
}

static atomic_uint running, most_running;

enum core_result core_block_run(struct core_block *b, struct mmu *mmu, uint64_t budget_ns,
				struct core_fault *fault)
{
	unsigned int now = atomic_fetch_add(&running, 1) + 1, most = atomic_load(&most_running);
	enum core_result r;

	while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now))
		;
	r = run_block(b, mmu, budget_ns, fault);
	atomic_fetch_sub(&running, 1);
	return r;
}

unsigned int fake_core_behind_burns(void)
{
	return atomic_load(&behind_burns);
}

unsigned int fake_core_most_running(void)
{
	return atomic_exchange(&most_running, 0);
}

static atomic_uint untranslated;

unsigned int fake_core_untranslated(void)
{
	return atomic_load(&untranslated);
}

void code_cache_set_jit(struct code_cache *c, enum core_jit mode)
{
	(void)c;
	if (mode == CORE_JIT_OFF)
		atomic_fetch_add(&untranslated, 1);
}

void code_cache_invalidate(struct code_cache *c)
{
	atomic_fetch_add(&c->invalidations, 1);
}

void code_cache_free(struct code_cache *c)
{
	free(c);
}
