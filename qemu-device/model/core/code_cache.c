// SPDX-License-Identifier: MIT
/*
 * Decoded code of one address space. Pages are decoded once, under the lock, and found without it;
 * invalidation starts a new generation, and the old one is freed when its last block lets go.
 * The cache also keeps the address space's pool of idle blocks, so that blocks never move between
 * processes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core_int.h"
#include "jit/jit.h"

struct code_cache *code_cache_new(void)
{
	struct code_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->gen = calloc(1, sizeof(*c->gen));
	if (!c->gen || pthread_mutex_init(&c->lock, NULL)) {
		free(c->gen);
		free(c);
		return NULL;
	}
	c->gen->refs = 1;
	atomic_init(&c->jit, jit_mode_default());
	return c;
}

static void gen_free(struct code_gen *g)
{
	unsigned int n;

	jit_gen_free(g);
	for (n = 0; n < CODE_BUCKETS; n++) {
		struct code_page *p = atomic_load_explicit(&g->bucket[n], memory_order_relaxed);

		while (p) {
			struct code_page *next = p->next;

			free(atomic_load_explicit(&p->jit, memory_order_relaxed));
			free(atomic_load_explicit(&p->lanes, memory_order_relaxed));
			free(p);
			p = next;
		}
	}
	free(g);
}

struct code_gen *code_gen_get(struct code_cache *c, unsigned int *serial)
{
	struct code_gen *g;

	pthread_mutex_lock(&c->lock);
	g = c->gen;
	g->refs++;
	*serial = atomic_load_explicit(&c->serial, memory_order_relaxed);
	pthread_mutex_unlock(&c->lock);
	return g;
}

static bool gen_drop(struct code_gen *g)
{
	return --g->refs == 0;
}

void code_gen_put(struct code_cache *c, struct code_gen *g)
{
	bool last;

	pthread_mutex_lock(&c->lock);
	last = gen_drop(g);
	pthread_mutex_unlock(&c->lock);
	if (last)
		gen_free(g);
}

/*
 * Give up a generation, lock held. Without memory its pages are dropped as soon as no block uses
 * them.
 */
static struct code_gen *gen_replace(struct code_cache *c)
{
	struct code_gen *old = c->gen, *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->refs = 1;
	c->gen = g;
	atomic_fetch_add(&c->serial, 1);
	return gen_drop(old) ? old : NULL;
}

/*
 * If no block has the generation, nothing need be forgotten: a block that takes it from now on
 * decodes what memory has now. A block that has it may be decoding a page of old code.
 */
static bool gen_used(const struct code_gen *g)
{
	if (g->refs > 1)
		return true;
	for (unsigned int n = 0; n < CODE_BUCKETS; n++)
		if (atomic_load_explicit(&g->bucket[n], memory_order_relaxed))
			return true;
	return false;
}

void code_cache_invalidate(struct code_cache *c)
{
	struct code_gen *dead = NULL;
	struct code_gen *g;

	pthread_mutex_lock(&c->lock);
	g = c->gen;
	if (gen_used(g)) {
		dead = gen_replace(c);
		if (c->gen == g) {
			/* no memory for a new generation: running blocks must not see stale code */
			pthread_mutex_unlock(&c->lock);
			fprintf(stderr, "anpu: out of memory while forgetting decoded code\n");
			abort();
		}
	}
	pthread_mutex_unlock(&c->lock);
	if (dead)
		gen_free(dead);
}

void code_cache_set_jit(struct code_cache *c, enum core_jit mode)
{
	bool can = jit_mode_default() != CORE_JIT_OFF;

	if (mode == CORE_JIT_OFF || can)
		atomic_store_explicit(&c->jit, mode, memory_order_relaxed);
}

enum core_jit code_cache_jit(const struct code_cache *c)
{
	return (enum core_jit)atomic_load_explicit(&c->jit, memory_order_relaxed);
}

void code_cache_attend(struct code_cache *c, const struct core_breaks *breaks)
{
	if (c->breaks.serial == breaks->serial)
		return;
	if (!c->breaks.serial) {
		c->jit_before = atomic_load(&c->jit);
		atomic_store(&c->jit, CORE_JIT_OFF);
	}
	c->breaks = *breaks;
	if (!breaks->serial) {
		c->breaks.n = 0;
		atomic_store(&c->jit, c->jit_before);
	}
	code_cache_invalidate(c);
}

static void pool_free(struct core_block *b)
{
	while (b) {
		struct core_block *next = b->next;

		core_block_destroy(b);
		b = next;
	}
}

void code_cache_free(struct code_cache *c)
{
	if (!c)
		return;
	pool_free(c->pool);
	gen_free(c->gen);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

struct code_page *code_page_lookup(struct code_gen *g, uint64_t va)
{
	struct code_page *p;

	p = atomic_load_explicit(&g->bucket[(va >> PAGE_SHIFT) % CODE_BUCKETS],
				 memory_order_acquire);
	while (p && p->va != va)
		p = p->next;
	return p;
}

static struct code_page *fetch_fault(uint64_t pc, struct core_fault *fault)
{
	if (fault->cause == ANPU_FAULT_UNMAPPED || fault->cause == ANPU_FAULT_PERMISSION)
		core_fail(fault, ANPU_FAULT_FETCH,
			  "the program counter 0x%llx is outside executable memory",
			  (unsigned long long)pc);
	fault->addr = pc;
	fault->pc = pc;
	fault->size = 4;
	fault->access = ANPU_ACCESS_FETCH;
	return NULL;
}

/* Read and decode a page that nobody has decoded in this generation. */
static struct code_page *decode(const struct core_breaks *breaks, struct mmu *mmu, uint64_t pc, struct core_fault *fault)
{
	struct code_page *p;
	const uint8_t *code;
	uint64_t span;

	if (pc < ANPU_GM_BASE) {
		core_fail(fault, ANPU_FAULT_FETCH,
			  "jump to 0x%llx%s: code must be in global memory", (unsigned long long)pc,
			  pc < PAGE_SIZE ? ", a null function pointer" : "");
		return fetch_fault(pc, fault);
	}
	code = mmu_access(mmu, pc, ANPU_ACCESS_FETCH, &span, fault);
	if (!code)
		return fetch_fault(pc, fault);
	p = malloc(sizeof(*p));
	if (!p) {
		core_fail(fault, ANPU_FAULT_INTERNAL, "no host memory to decode code");
		return fetch_fault(pc, fault);
	}
	p->va = pc & ~(uint64_t)(PAGE_SIZE - 1);
	atomic_init(&p->jit, NULL);
	atomic_init(&p->lanes, NULL);
	memcpy(p->raw, code - pc % PAGE_SIZE, sizeof(p->raw));
	decode_page(p, exec_handlers());
	for (unsigned int i = 0; i < breaks->n; i++)
		if (breaks->pc[i] - p->va < PAGE_SIZE)
			page_break(p, (unsigned int)(breaks->pc[i] - p->va) / 4, exec_handlers());
	return p;
}

struct code_page *code_page_find(struct code_cache *c, struct code_gen *g, struct mmu *mmu,
				 uint64_t va, struct core_fault *fault)
{
	uint64_t base = va & ~(uint64_t)(PAGE_SIZE - 1);
	struct code_page *p = code_page_lookup(g, base), *mine;
	struct code_gen *dead = NULL;

	if (likely(p))
		return p;
	mine = decode(&c->breaks, mmu, va, fault);
	if (!mine)
		return NULL;
	pthread_mutex_lock(&c->lock);
	p = code_page_lookup(g, base);
	if (!p) {
		_Atomic(struct code_page *) *head = &g->bucket[(base >> PAGE_SHIFT) % CODE_BUCKETS];

		mine->next = atomic_load_explicit(head, memory_order_relaxed);
		atomic_store_explicit(head, mine, memory_order_release);
		p = mine;
		mine = NULL;
		/* limit the memory that the code of one address space takes */
		if (++g->pages >= CODE_MAX_PAGES && c->gen == g)
			dead = gen_replace(c);
	}
	pthread_mutex_unlock(&c->lock);
	free(mine);
	if (dead)
		gen_free(dead);
	return p;
}
