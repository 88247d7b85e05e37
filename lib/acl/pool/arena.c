// SPDX-License-Identifier: MIT
/*
 * The memory of pools.
 *
 * A pool has arenas, regions of the device, which are lists of blocks. FreeAsync leaves a mark in
 * the stream (stream/order.c) and frees the block at once: the mark says when its memory is quiet. A block
 * with a mark can be allocated for the same stream, for one that waits for an event behind the mark,
 * for any when the mark is reached, or after a wait for the mark, as the pool's attributes allow.
 * A synchronisation makes blocks quiet whose marks were reached, and gives free arenas back.
 *
 * Blocks are under the device's lock, because any address may be looked up at any time.
 */
#include <errno.h>
#include <stdlib.h>

#include "pool/arena.h"

#define GRANULE	  512ULL
#define ARENA_MIN (8ULL << 20)
#define PAGE	  4096ULL

enum state { FREE, USED, FREEING };

struct block {
	struct block *next; /* the one behind it in its arena */
	uint64_t va;
	uint64_t size;
	uint64_t user_size;
	enum state state;
	bool quiet;	       /* FREE: anybody may have it */
	struct anpu_mark mark; /* FREE, not quiet: it will be when this is reached */
};

struct anpu_arena {
	struct anpu_arena *next;
	struct anpu_pool *pool; /* not counted: arenas end before their pool */
	struct anpu_region *region;
	struct block *first;
};

/* What is to be freed without the device's lock */
struct waste {
	struct block *blocks;
	struct anpu_arena *arenas;
	struct anpu_pool *pools;
};

static void free_blocks(struct block *b)
{
	struct block *next;

	for (; b; b = next) {
		next = b->next;
		anpu_mark_drop(&b->mark);
		free(b);
	}
}

static void empty(struct waste *w)
{
	struct anpu_arena *a;
	struct anpu_pool *p;

	free_blocks(w->blocks);
	while ((a = w->arenas)) {
		w->arenas = a->next;
		anpu_region_end(a->region);
		anpu_region_put(a->region);
		free_blocks(a->first);
		free(a);
	}
	while ((p = w->pools)) {
		w->pools = p->next;
		acl_obj_put(&p->obj);
	}
}

/* Blocks; device locked ------------------------------------------------------------------------ */

static struct block *find_block(const struct anpu_region *region, uint64_t va)
{
	struct block *b = region && region->kind == ANPU_REGION_POOL && region->arena
				  ? region->arena->first
				  : NULL;

	while (b && va - b->va >= b->size)
		b = b->next;
	return b;
}

bool anpu_pool_allocation(const struct anpu_region *region, uint64_t va, uint64_t *base,
			  uint64_t *size)
{
	const struct block *b = find_block(region, va);

	if (!b || b->state != USED)
		return false;
	*base = b->va;
	*size = b->user_size;
	return va - b->va < b->user_size;
}

/* May two free neighbours be one: when the later mark of one stream stands for both */
static bool alike(const struct block *a, const struct block *b)
{
	if (a->state != FREE || b->state != FREE || a->quiet != b->quiet)
		return false;
	return a->quiet || a->mark.stream == b->mark.stream;
}

static void merge(struct anpu_arena *arena, struct waste *w)
{
	struct block *b = arena->first, *n;

	while ((n = b->next)) {
		if (!alike(b, n)) {
			b = n;
			continue;
		}
		if (!b->quiet && n->mark.seq > b->mark.seq) {
			struct anpu_mark earlier = b->mark;

			b->mark = n->mark;
			n->mark = earlier;
		}
		b->size += n->size;
		b->next = n->next;
		n->next = w->blocks;
		w->blocks = n;
	}
}

/* The smallest free block of @size bytes that stream @s may have now, or with NULL any stream */
static struct block *find_free(struct anpu_pool *p, const struct anpu_stream *s, uint64_t size)
{
	struct block *best = NULL, *b;
	struct anpu_arena *a;

	for (a = p->arenas; a; a = a->next) {
		for (b = a->first; b; b = b->next) {
			const struct anpu_mark *m = &b->mark;

			if (b->state != FREE || b->size < size || (best && b->size >= best->size))
				continue;
			if (!s || b->quiet || m->stream == s ||
			    (p->follow && anpu_follows(s, m->stream, m->seq)) ||
			    (p->opportunistic && anpu_mark_reached(m)))
				best = b;
		}
	}
	return best;
}

/* Takes the block, what is left of it becomes @rest; its mark goes to @mark */
static void take(struct anpu_pool *p, struct block *b, uint64_t size, uint64_t user_size,
		 struct block **rest, struct anpu_mark *mark)
{
	struct block *r = *rest;

	*mark = b->mark;
	b->mark = (struct anpu_mark){ 0 };
	if (b->size > size) {
		*r = (struct block){ .next = b->next,
				     .va = b->va + size,
				     .size = b->size - size,
				     .state = FREE,
				     .quiet = b->quiet,
				     .mark = *mark };
		if (r->mark.stream) {
			anpu_stream_get(r->mark.stream);
			anpu_marks_get(r->mark.marks);
		}
		b->next = r;
		b->size = size;
		*rest = NULL;
	}
	b->state = USED;
	b->user_size = user_size;
	p->used += size;
	p->used_high = max_u64(p->used_high, p->used);
}

/* Arenas --------------------------------------------------------------------------------------- */

static int add_arena(struct anpu_pool *p, uint64_t size)
{
	struct anpu_arena *a = calloc(1, sizeof(*a));
	struct block *b = calloc(1, sizeof(*b));
	struct anpu_device *dev = p->obj.dev;
	bool ended;
	int err = a && b ? anpu_region_new(dev, ANPU_REGION_POOL, DRM_ANPU_BO_HBM, size,
					   DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &a->region)
			 : -ENOMEM;

	if (err) {
		free(a);
		free(b);
		return err;
	}
	*b = (struct block){ .va = a->region->va, .size = size, .quiet = true };
	a->pool = p;
	a->first = b;
	anpu_region_get(a->region);
	pthread_mutex_lock(&dev->lock);
	ended = p->ended;
	if (!ended) {
		a->region->arena = a;
		a->next = p->arenas;
		p->arenas = a;
	}
	pthread_mutex_unlock(&dev->lock);
	if (ended)
		empty(&(struct waste){ .arenas = a });
	return ended ? -ENODEV : 0;
}

/* Bytes that the pool may still grow by, up to @want; device locked */
static uint64_t room(const struct anpu_pool *p, uint64_t want)
{
	uint64_t left = p->max_size > p->reserved ? p->max_size - p->reserved : 0;

	return p->max_size ? min_u64(want, left & ~(PAGE - 1)) : want;
}

/* More memory, of which @size bytes are one piece; -EDQUOT: the pool has its most */
static int grow(struct anpu_pool *p, uint64_t size)
{
	uint64_t try[] = { max_u64(align_up(size, ANPU_CHUNK_SIZE), ARENA_MIN),
			   align_up(size, PAGE) };
	struct anpu_device *dev = p->obj.dev;
	int err = -EDQUOT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(try) && (err == -EDQUOT || err == -ENOSPC); i++) {
		uint64_t more;

		pthread_mutex_lock(&dev->lock);
		more = room(p, try[i]);
		p->reserved += more;
		pthread_mutex_unlock(&dev->lock);
		if (more >= size && more <= dev->info.hbm_size)
			err = add_arena(p, more);
		else if (more >= size)
			err = -ENOSPC;
		pthread_mutex_lock(&dev->lock);
		if (err || more < size)
			p->reserved -= more;
		p->reserved_high = max_u64(p->reserved_high, p->reserved);
		pthread_mutex_unlock(&dev->lock);
	}
	return err;
}

/* Makes blocks quiet whose marks were reached; device locked */
static void quieten(struct anpu_pool *p, struct waste *w)
{
	struct anpu_arena *a;
	struct block *b;

	for (a = p->arenas; a; a = a->next) {
		for (b = a->first; b; b = b->next)
			if (b->state == FREE && anpu_mark_reached(&b->mark))
				b->quiet = true;
		merge(a, w);
	}
}

/* Gives arenas back that are free, as long as @keep bytes stay; device locked */
static void shrink(struct anpu_pool *p, uint64_t keep, struct waste *w)
{
	struct anpu_arena **at = &p->arenas, *a;

	quieten(p, w);
	while ((a = *at)) {
		uint64_t size = a->first->size;

		if (a->first->next || a->first->state != FREE || !a->first->quiet ||
		    p->reserved < size || p->reserved - size < keep) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		a->region->arena = NULL;
		p->reserved -= size;
		a->next = w->arenas;
		w->arenas = a;
	}
}

void anpu_pool_shrink(struct anpu_pool *p, uint64_t keep)
{
	struct waste w = { 0 };

	pthread_mutex_lock(&p->obj.dev->lock);
	shrink(p, keep, &w);
	pthread_mutex_unlock(&p->obj.dev->lock);
	empty(&w);
}

static void shrink_all(struct anpu_device *dev, bool end)
{
	struct anpu_pool **at, *p;
	struct waste w = { 0 };

	pthread_mutex_lock(&dev->lock);
	for (at = &dev->pools; (p = *at);) {
		shrink(p, p->dying ? 0 : p->threshold, &w);
		p->ended |= end;
		while (end && p->arenas) {
			struct anpu_arena *a = p->arenas;

			p->arenas = a->next;
			a->region->arena = NULL;
			a->next = w.arenas;
			w.arenas = a;
		}
		if (!end && (!p->dying || p->arenas)) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		p->next = w.pools;
		w.pools = p;
	}
	atomic_store(&dev->pools_used, dev->pools != NULL);
	pthread_mutex_unlock(&dev->lock);
	empty(&w);
}

void anpu_pools_settle(struct anpu_device *dev)
{
	if (atomic_load_explicit(&dev->pools_used, memory_order_relaxed))
		shrink_all(dev, false);
}

void anpu_pools_end(struct anpu_device *dev)
{
	shrink_all(dev, true);
}

/* Allocations ---------------------------------------------------------------------------------- */

/* An address, or 0; -errno in @err */
static uint64_t take_now(struct anpu_pool *p, struct anpu_stream *s, uint64_t size,
			 uint64_t user_size, struct block **rest, int *err)
{
	struct anpu_device *dev = p->obj.dev;
	struct anpu_mark mark;
	struct block *b;
	uint64_t va;

	for (;;) {
		pthread_mutex_lock(&s->lock);
		pthread_mutex_lock(&dev->lock);
		b = find_free(p, s, size);
		if (b)
			take(p, b, size, user_size, rest, &mark);
		va = b ? b->va : 0;
		pthread_mutex_unlock(&dev->lock);
		pthread_mutex_unlock(&s->lock);
		if (va) {
			anpu_mark_drop(&mark);
			return va;
		}
		*err = grow(p, size);
		if (*err)
			return 0;
	}
}

/* Another stream's block: the stream waits until that one is done with it */
static aclError take_later(struct anpu_pool *p, struct anpu_stream *s, uint64_t size,
			   uint64_t user_size, struct block **rest, uint64_t *va)
{
	struct anpu_device *dev = p->obj.dev;
	struct anpu_mark mark = { 0 };
	struct block *b;
	aclError ret;

	pthread_mutex_lock(&dev->lock);
	b = p->internal ? find_free(p, NULL, size) : NULL;
	if (b)
		take(p, b, size, user_size, rest, &mark);
	*va = b ? b->va : 0;
	pthread_mutex_unlock(&dev->lock);
	if (!mark.stream)
		return ACL_SUCCESS;
	ret = anpu_mark_await(s, &mark);
	if (ret) {
		pthread_mutex_lock(&dev->lock);
		b = find_block(anpu_region_find_locked(dev, *va), *va);
		if (b) {
			b->state = FREE;
			b->mark = mark;
			b->quiet = false;
			p->used -= b->size;
			mark.stream = NULL;
		}
		pthread_mutex_unlock(&dev->lock);
		*va = 0;
	}
	anpu_mark_drop(&mark);
	return ret;
}

aclError anpu_pool_take(struct anpu_pool *p, struct anpu_stream *s, uint64_t user_size,
			uint64_t *va, int *err)
{
	uint64_t size = align_up(user_size, GRANULE);
	struct block *rest = calloc(1, sizeof(*rest));
	aclError ret = ACL_SUCCESS;

	if (!rest)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a block of a memory pool");
	*va = take_now(p, s, size, user_size, &rest, err);
	if (!*va && (*err == -EDQUOT || *err == -ENOSPC))
		ret = take_later(p, s, size, user_size, &rest, va);
	free(rest);
	return ret;
}

/* The allocation at @va changes its state; false if it is none in state @from. Device locked */
static struct block *change(struct anpu_device *dev, uint64_t va, enum state from, enum state to)
{
	struct block *b = find_block(anpu_region_find_locked(dev, va), va);

	if (!b || b->va != va || b->state != from)
		return NULL;
	b->state = to;
	return b;
}

aclError anpu_pool_give(struct anpu_device *dev, struct anpu_stream *s, uint64_t va)
{
	struct anpu_mark mark = { 0 };
	struct anpu_arena *arena;
	struct waste w = { 0 };
	struct block *b;
	bool dying = false;
	aclError ret;

	pthread_mutex_lock(&dev->lock);
	b = change(dev, va, USED, FREEING);
	pthread_mutex_unlock(&dev->lock);
	if (!b)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"ptr is %#llx, which is no allocation of a memory pool: it was freed "
				"already, or lies inside of one, or aclrtMemPoolMallocAsync() did not "
				"return it",
				(unsigned long long)va);
	ret = anpu_mark(s, &mark);
	pthread_mutex_lock(&dev->lock);
	b = change(dev, va, FREEING, ret ? USED : FREE);
	if (b && !ret) {
		arena = anpu_region_find_locked(dev, va)->arena;
		arena->pool->used -= b->size;
		dying = arena->pool->dying;
		b->mark = mark;
		b->quiet = false;
		mark.stream = NULL;
		merge(arena, &w);
	}
	pthread_mutex_unlock(&dev->lock);
	anpu_mark_drop(&mark);
	empty(&w);
	if (dying)
		anpu_pools_settle(dev);
	return ret;
}
