// SPDX-License-Identifier: MIT
/* The translator's run time: when to translate, publishing what was translated, running it. */
#include <stdlib.h>

#include "jit_int.h"

#define HOT	2	/* so many polls at the same code make it hot */

#if HOST_JIT

static bool host_can(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
	       __builtin_cpu_supports("fma");
}

enum core_jit jit_mode_default(void)
{
	const char *mode = getenv("ANPU_JIT");

	if (!host_can() || (mode && !strcmp(mode, "off")))
		return CORE_JIT_OFF;
	return mode && !strcmp(mode, "eager") ? CORE_JIT_EAGER : CORE_JIT_ON;
}

bool jit_eager(const struct code_cache *c)
{
	return atomic_load_explicit(&c->jit, memory_order_relaxed) == CORE_JIT_EAGER;
}

enum jit_exit jit_run(struct core_block *b, const struct jit_entry *e)
{
	const struct gen_jit *j = atomic_load_explicit(&b->gen->jit, memory_order_acquire);
	const uint8_t *enter = j->arena.enter - j->arena.write + j->arena.run;

	return ((enum jit_exit (*)(struct core_block *, const void *))(uintptr_t)enter)(b, e->code);
}

/* Generations ------------------------------------------------------------------------------------ */

static struct gen_jit *gen_jit_new(void)
{
	static const struct jit_entry none = { .pc = 1 };
	struct gen_jit *j = calloc(1, sizeof(*j));
	unsigned int n;

	if (!j)
		return NULL;
	if (pthread_mutex_init(&j->lock, NULL)) {
		free(j);
		return NULL;
	}
	for (n = 0; n < JUMP_SLOTS; n++)
		atomic_init(&j->jump[n], &none);
	if (!arena_init(j)) {
		pthread_mutex_destroy(&j->lock);
		free(j);
		return NULL;
	}
	return j;
}

static void gen_jit_free(struct gen_jit *j)
{
	while (j->regions) {
		struct jit_region *next = j->regions->next;

		free(j->regions->entry);
		free(j->regions->site);
		free(j->regions);
		j->regions = next;
	}
	arena_fini(&j->arena);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

void jit_gen_free(struct code_gen *g)
{
	struct gen_jit *j = atomic_load_explicit(&g->jit, memory_order_relaxed);

	if (j)
		gen_jit_free(j);
}

/* Get the generation's translator, which is made when it is first needed. */
static struct gen_jit *gen_jit(struct core_block *b)
{
	struct code_cache *c = b->kernel->code;
	struct gen_jit *j = atomic_load_explicit(&b->gen->jit, memory_order_acquire), *mine;

	if (j)
		return j;
	mine = gen_jit_new();
	if (!mine) {
		atomic_store_explicit(&c->jit, CORE_JIT_REFUSED, memory_order_relaxed);
		return NULL;
	}
	if (atomic_compare_exchange_strong(&b->gen->jit, &j, mine))
		return mine;
	gen_jit_free(mine);
	return j;
}

/* Publishing ------------------------------------------------------------------------------------- */

static struct jit_page *jit_page(struct code_page *page)
{
	struct jit_page *j = atomic_load_explicit(&page->jit, memory_order_relaxed);

	if (j)
		return j;
	j = calloc(1, sizeof(*j));
	if (j)
		atomic_store_explicit(&page->jit, j, memory_order_release);
	return j;
}

/* From here on the interpreter, in any thread, goes to the translated code of @e. */
static void publish(struct gen_jit *j, struct code_gen *gen, struct jit_entry *e,
		    const void *handler)
{
	struct code_page *page = code_page_lookup(gen, e->pc & ~(uint64_t)(PAGE_SIZE - 1));
	unsigned int n = (unsigned int)(e->pc & (PAGE_SIZE - 1)) / 4;
	struct jit_page *jp = page ? jit_page(page) : NULL;

	if (!jp)
		return;
	atomic_store_explicit(&j->jump[e->pc >> 2 & (JUMP_SLOTS - 1)], e, memory_order_release);
	if (atomic_load_explicit(&jp->entry[n], memory_order_relaxed))
		return;		/* it is part of another region, too */
	e->go = page->insn[n].go;
	atomic_store_explicit(&jp->entry[n], e, memory_order_release);
	insn_set_go(&page->insn[n], handler);
}

static void publish_region(struct gen_jit *j, struct trans *t, struct jit_region *kept,
			   const void *handler)
{
	const struct region *r = t->r;
	unsigned int n;

	kept->next = j->regions;
	j->regions = kept;
	atomic_fetch_add_explicit(&j->regions_made, 1, memory_order_release);
	for (n = 0; n < r->blocks; n++) {
		const struct jinsn *first = &r->insn[r->block[n].first];
		struct jit_entry *e = &kept->entry[n];

		if (jinsn_flags(first) & OP_LEAVE)
			continue;
		e->pc = first->pc;
		e->code = t->entry[n] - j->arena.write + j->arena.run;
		publish(j, r->gen, e, handler);
	}
}

/* Called with the lock held. */
static void translate_region(struct gen_jit *j, struct region *r, const void *handler)
{
	struct jit_region *kept = calloc(1, sizeof(*kept));
	struct trans *t = malloc(sizeof(*t));

	if (kept) {
		kept->entry = calloc(r->blocks, sizeof(kept->entry[0]));
		kept->site = calloc(r->insns, sizeof(kept->site[0]));
	}
	if (t && kept && kept->entry && kept->site) {
		t->r = r;
		t->arena = &j->arena;
		t->site = kept->site;
		t->c = (struct code){ .start = j->arena.write + j->arena.used,
				      .p = j->arena.write + j->arena.used,
				      .end = j->arena.write + ARENA_BYTES };
		emit_align(&t->c, 64);
		region_allocate(r);
		region_boxes(r);
		if (translate(t)) {
			j->arena.used = (size_t)(t->c.p - j->arena.write);
			publish_region(j, t, kept, handler);
			kept = NULL;
		} else {
			j->full = true;
		}
	}
	if (kept) {
		free(kept->entry);
		free(kept->site);
	}
	free(kept);
	free(t);
}

/* The first instruction from @n on that can be translated; entries are made for no others. */
static unsigned int skip(const struct code_page *page, unsigned int n)
{
	struct jinsn i;

	for (; n < PAGE_INSNS; n++) {
		i.word = page->raw[n];
		jinsn_decode(&i);
		if (!(jinsn_flags(&i) & OP_LEAVE))
			break;
	}
	return n;
}

void jit_sample(struct core_block *b, struct code_page *page, uint64_t pc, bool left, const void *handler)
{
	unsigned int mode = atomic_load_explicit(&b->kernel->code->jit, memory_order_relaxed);
	unsigned int n = (unsigned int)(pc & (PAGE_SIZE - 1)) / 4;
	struct gen_jit *j;
	struct region *r;

	if (mode != CORE_JIT_ON && mode != CORE_JIT_EAGER)
		return;
	n = skip(page, n);
	if (n == PAGE_INSNS || jit_entry_at(page, n))
		return;
	pc = page->va + 4ull * n;
	j = gen_jit(b);
	if (!j)
		return;
	if (mode == CORE_JIT_ON &&
	    atomic_fetch_add_explicit(&j->heat[pc >> 2 & 255], 1, memory_order_relaxed) + 1 < HOT)
		return;
	/* a thread that comes second interprets until the first has translated */
	if (pthread_mutex_trylock(&j->lock))
		return;
	r = j->full || jit_entry_at(page, n) ? NULL : malloc(sizeof(*r));
	if (r && region_find(r, b->gen, pc, left))
		translate_region(j, r, handler);
	free(r);
	pthread_mutex_unlock(&j->lock);
}

#else

enum core_jit jit_mode_default(void)
{
	return CORE_JIT_OFF;
}

bool jit_eager(const struct code_cache *c)
{
	return false;
}

enum jit_exit jit_run(struct core_block *b, const struct jit_entry *e)
{
	return JIT_STEP;
}

void jit_gen_free(struct code_gen *g)
{
}

void jit_sample(struct core_block *b, struct code_page *page, uint64_t pc, bool left, const void *handler)
{
}

#endif
