// SPDX-License-Identifier: MIT
/*
 * The memory of pools.
 *
 * A pool has arenas, regions of the device, which are divided into blocks. FreeAsync leaves a mark in
 * the stream (stream/order.c) and frees the block at once: the mark says when its memory is quiet. A
 * block with a mark can be allocated for the same stream, for one that waits for an event behind the
 * mark, for any when the mark is reached, or after a wait for the mark, as the pool's attributes allow.
 * A synchronisation makes blocks quiet whose marks were reached, and gives free arenas back.
 *
 * A block is found by its address in its arena's tree. Free blocks are in a tree by size besides: the
 * pool's if they are quiet, else that of the lane of the mark's stream, where the values are the
 * marks' places in the stream.
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
	struct acl_node by_va;	     /* in its arena; the key is the address */
	struct acl_node by_size;     /* FREE: in the pool's tree or a lane's */
	struct block *next, *prev;   /* its neighbours in the arena */
	struct anpu_lane *lane;	     /* FREE, not quiet: whose tree has it */
	uint64_t size;
	uint64_t user_size;
	enum state state;
	bool quiet;	       /* FREE: any stream may have it */
	bool given;	       /* the checking mode: it was allocated once */
	struct anpu_mark mark; /* FREE, not quiet: it will be when this is reached */
};

/* Free blocks behind tasks of one stream; those of a lane that is empty can be another's */
struct anpu_lane {
	struct anpu_lane *next;
	const struct anpu_stream *stream; /* the marks of its blocks have references */
	struct acl_node *blocks;
};

struct anpu_arena {
	struct anpu_arena *next;
	struct anpu_pool *pool; /* not counted: arenas end before their pool */
	struct anpu_region *region;
	struct block *first;
	struct acl_node *blocks;
};

/* Objects that are freed without the device's lock */
struct waste {
	struct block *blocks;
	struct anpu_arena *arenas;
	struct anpu_pool *pools;
};

/* Objects that an operation may need, made before the lock is taken */
struct spare {
	struct block *block;
	struct anpu_lane *lane;
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

static aclError make_spare(struct spare *spare)
{
	*spare = (struct spare){ calloc(1, sizeof(*spare->block)), calloc(1, sizeof(*spare->lane)) };
	if (spare->block && spare->lane)
		return ACL_SUCCESS;
	free(spare->block);
	free(spare->lane);
	return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a block of a memory pool");
}

static void drop_spare(struct spare *spare)
{
	free(spare->block);
	free(spare->lane);
}

/* Blocks; device locked ------------------------------------------------------------------------ */

static struct block *find_block(const struct anpu_region *region, uint64_t va)
{
	struct acl_node *n = region && region->kind == ANPU_REGION_POOL && region->arena
				     ? acl_tree_floor(region->arena->blocks, va)
				     : NULL;

	/* blocks lie side by side, from the arena's begin to its end */
	return n ? container_of(n, struct block, by_va) : NULL;
}

bool anpu_pool_allocation(const struct anpu_region *region, uint64_t va, uint64_t *base,
			  uint64_t *size)
{
	const struct block *b = find_block(region, va);

	if (!b || b->state != USED)
		return false;
	*base = b->by_va.key;
	*size = b->user_size;
	return va - b->by_va.key < b->user_size;
}

static struct anpu_arena *arena_of(struct anpu_device *dev, const struct block *b)
{
	return anpu_region_find_locked(dev, b->by_va.key)->arena;
}

/* The lane of a stream; one that was not there becomes the spare one if none is empty */
static struct anpu_lane *lane_of(struct anpu_pool *p, const struct anpu_stream *s, struct spare *spare)
{
	struct anpu_lane *lane, *unused = NULL;

	for (lane = p->lanes; lane && lane->stream != s; lane = lane->next)
		if (!lane->blocks)
			unused = lane;
	if (lane)
		return lane;
	lane = unused;
	if (!lane) {
		lane = spare->lane;
		spare->lane = NULL;
		lane->next = p->lanes;
		p->lanes = lane;
	}
	lane->stream = s;
	return lane;
}

/* The tree by size that a free block belongs to */
static struct acl_node **tree_of(struct anpu_pool *p, const struct block *b)
{
	return b->quiet ? &p->quiet : &b->lane->blocks;
}

/* Can two free neighbours be joined: the later of two marks in one stream stands for both */
static bool alike(const struct block *a, const struct block *b)
{
	if (a->state != FREE || b->state != FREE || a->quiet != b->quiet)
		return false;
	return a->quiet || a->mark.stream == b->mark.stream;
}

/* The block @n behind @b, in no tree by size, becomes part of it */
static void absorb(struct anpu_arena *arena, struct block *b, struct block *n, struct waste *w)
{
	if (!b->quiet && n->mark.seq > b->mark.seq) {
		struct anpu_mark earlier = b->mark;

		b->mark = n->mark;
		n->mark = earlier;
	}
	b->size += n->size;
	b->next = n->next;
	if (b->next)
		b->next->prev = b;
	acl_tree_remove(&arena->blocks, &n->by_va);
	n->next = w->blocks;
	w->blocks = n;
}

/* Enters a block that is FREE, with a lane unless it is quiet, as one with neighbours like it */
static void enter(struct anpu_arena *arena, struct block *b, struct waste *w)
{
	struct anpu_pool *p = arena->pool;
	struct block *other = b->next;

	if (other && alike(b, other)) {
		acl_tree_remove(tree_of(p, other), &other->by_size);
		absorb(arena, b, other, w);
	}
	other = b->prev;
	if (other && alike(other, b)) {
		acl_tree_remove(tree_of(p, other), &other->by_size);
		absorb(arena, other, b, w);
		b = other;
	}
	b->by_size = (struct acl_node){ .key = b->size,
					.tie = b->by_va.key,
					.value = b->quiet ? 0 : b->mark.seq };
	acl_tree_add(tree_of(p, b), &b->by_size);
}

/* Up to which of its tasks a stream has come */
static uint64_t reached(const struct anpu_stream *s)
{
	return atomic_load(&s->dead) ? UINT64_MAX : anpu_stream_completed(s);
}

/* Stream @s may have blocks of the lane whose marks are up to this one */
static uint64_t limit_of(const struct anpu_pool *p, const struct anpu_lane *lane,
			 const struct anpu_stream *s)
{
	uint64_t limit = 0;

	if (!s || lane->stream == s)
		return UINT64_MAX;
	if (p->follow)
		limit = anpu_followed(s, lane->stream);
	return p->opportunistic ? max_u64(limit, reached(lane->stream)) : limit;
}

/* The smallest free block of @size bytes that stream @s may have now, or with NULL any stream */
static struct block *find_free(struct anpu_pool *p, const struct anpu_stream *s, uint64_t size)
{
	struct acl_node *best = acl_tree_find_below(p->quiet, size, 0), *n;
	struct anpu_lane *lane;

	for (lane = p->lanes; lane; lane = lane->next) {
		if (!lane->blocks)
			continue;
		n = acl_tree_find_below(lane->blocks, size, limit_of(p, lane, s));
		if (n && (!best || n->key < best->key))
			best = n;
	}
	return best ? container_of(best, struct block, by_size) : NULL;
}

/* Takes the block, what is left of it becomes @spare's; its mark goes to @mark */
static void take(struct anpu_arena *arena, struct block *b, uint64_t size, uint64_t user_size,
		 struct spare *spare, struct anpu_mark *mark)
{
	struct anpu_pool *p = arena->pool;
	struct acl_node **tree = tree_of(p, b);

	acl_tree_remove(tree, &b->by_size);
	*mark = b->mark;
	b->mark = (struct anpu_mark){ 0 };
	if (b->size > size) {
		struct block *r = spare->block;

		*r = (struct block){ .by_va.key = b->by_va.key + size,
				     .next = b->next,
				     .prev = b,
				     .lane = b->lane,
				     .size = b->size - size,
				     .state = FREE,
				     .quiet = b->quiet,
				     .mark = *mark };
		if (r->mark.stream) {
			anpu_stream_get(r->mark.stream);
			anpu_marks_get(r->mark.marks);
		}
		if (r->next)
			r->next->prev = r;
		b->next = r;
		b->size = size;
		acl_tree_add(&arena->blocks, &r->by_va);
		r->by_size = (struct acl_node){ .key = r->size,
						.tie = r->by_va.key,
						.value = r->quiet ? 0 : r->mark.seq };
		acl_tree_add(tree, &r->by_size);
		spare->block = NULL;
	}
	b->state = USED;
	b->user_size = user_size;
	p->used += size;
	p->used_high = max_u64(p->used_high, p->used);
}

/* Pools of a device; locked -------------------------------------------------------------------- */

static void list_filled(struct anpu_pool *p)
{
	struct anpu_device *dev = p->obj.dev;

	p->prev_filled = NULL;
	p->next_filled = dev->filled;
	if (dev->filled)
		dev->filled->prev_filled = p;
	dev->filled = p;
	atomic_store(&dev->pools_used, true);
}

static void unlist_filled(struct anpu_pool *p)
{
	struct anpu_device *dev = p->obj.dev;

	*(p->prev_filled ? &p->prev_filled->next_filled : &dev->filled) = p->next_filled;
	if (p->next_filled)
		p->next_filled->prev_filled = p->prev_filled;
	atomic_store(&dev->pools_used, dev->filled != NULL);
}

/* The device forgets the pool, which has no arenas */
static void forget(struct anpu_pool *p, struct waste *w)
{
	struct anpu_device *dev = p->obj.dev;

	*(p->prev ? &p->prev->next : &dev->pools) = p->next;
	if (p->next)
		p->next->prev = p->prev;
	p->next = w->pools;
	w->pools = p;
}

void anpu_pool_begin(struct anpu_pool *p)
{
	struct anpu_device *dev = p->obj.dev;

	acl_obj_get(&p->obj); /* the list's */
	pthread_mutex_lock(&dev->lock);
	p->next = dev->pools;
	if (dev->pools)
		dev->pools->prev = p;
	dev->pools = p;
	pthread_mutex_unlock(&dev->lock);
}

void anpu_pool_free(struct anpu_pool *p)
{
	struct anpu_lane *lane;

	while ((lane = p->lanes)) {
		p->lanes = lane->next;
		free(lane);
	}
	free(p);
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
	*b = (struct block){ .by_va.key = a->region->va, .size = size, .quiet = true };
	a->pool = p;
	a->first = b;
	acl_tree_add(&a->blocks, &b->by_va);
	anpu_region_get(a->region);
	pthread_mutex_lock(&dev->lock);
	ended = p->ended;
	if (!ended) {
		a->region->arena = a;
		if (!p->arenas)
			list_filled(p);
		a->next = p->arenas;
		p->arenas = a;
		enter(a, b, &(struct waste){ 0 });
	}
	pthread_mutex_unlock(&dev->lock);
	if (ended)
		empty(&(struct waste){ .arenas = a });
	return ended ? -ENODEV : 0;
}

/*
 * Bytes that the pool may still grow by, up to @want; device locked. In the checking mode, blocks that were freed
 * are kept apart until their tasks have run and never used again: they do not count.
 */
static uint64_t room(const struct anpu_pool *p, uint64_t want)
{
	uint64_t held = anpu_checking() ? p->used : p->reserved;
	uint64_t left = p->max_size > held ? p->max_size - held : 0;

	return p->max_size ? min_u64(want, left & ~(PAGE - 1)) : want;
}

/* More memory, of which @size bytes are one piece; -EDQUOT: the pool has its most */
static int grow(struct anpu_pool *p, uint64_t size)
{
	uint64_t try[] = { anpu_checking() ? size : max_u64(align_up(size, ANPU_CHUNK_SIZE), ARENA_MIN),
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
	struct anpu_lane *lane;
	struct acl_node *n;

	for (lane = p->lanes; lane; lane = lane->next) {
		uint64_t limit = lane->blocks ? reached(lane->stream) : 0;

		while ((n = acl_tree_find_below(lane->blocks, 0, limit))) {
			struct block *b = container_of(n, struct block, by_size);

			acl_tree_remove(&lane->blocks, n);
			b->quiet = true;
			enter(arena_of(p->obj.dev, b), b, w);
		}
	}
}

/*
 * Gives arenas back that are free, while the pool has more than @above bytes, and as long as @keep
 * stay; device locked
 */
static void shrink(struct anpu_pool *p, uint64_t above, uint64_t keep, struct waste *w)
{
	struct anpu_arena **at = &p->arenas, *a;
	bool filled = p->arenas;

	quieten(p, w);
	while ((a = *at)) {
		uint64_t size = a->first->size;

		if (a->first->next || a->first->state != FREE || !a->first->quiet ||
		    p->reserved <= above || p->reserved < size || p->reserved - size < keep) {
			at = &a->next;
			continue;
		}
		acl_tree_remove(&p->quiet, &a->first->by_size);
		*at = a->next;
		a->region->arena = NULL;
		p->reserved -= size;
		a->next = w->arenas;
		w->arenas = a;
	}
	if (filled && !p->arenas)
		unlist_filled(p);
}

void anpu_pool_shrink(struct anpu_pool *p, uint64_t keep)
{
	struct waste w = { 0 };

	pthread_mutex_lock(&p->obj.dev->lock);
	shrink(p, keep, keep, &w);
	pthread_mutex_unlock(&p->obj.dev->lock);
	empty(&w);
}

/* Gives back what a pool is not to keep, and forgets it if it was destroyed and has nothing left */
static void settle(struct anpu_pool *p, struct waste *w)
{
	if (p->ended)
		return;
	shrink(p, p->dying ? 0 : p->threshold, 0, w);
	if (p->dying && !p->arenas) {
		p->ended = true;
		forget(p, w);
	}
}

void anpu_pool_die(struct anpu_pool *p)
{
	struct waste w = { 0 };

	pthread_mutex_lock(&p->obj.dev->lock);
	p->dying = true;
	settle(p, &w);
	pthread_mutex_unlock(&p->obj.dev->lock);
	empty(&w);
}

void anpu_pools_settle(struct anpu_device *dev)
{
	struct anpu_pool *p, *next;
	struct waste w = { 0 };

	if (!atomic_load_explicit(&dev->pools_used, memory_order_relaxed))
		return;
	pthread_mutex_lock(&dev->lock);
	for (p = dev->filled; p; p = next) {
		next = p->next_filled;
		settle(p, &w);
	}
	pthread_mutex_unlock(&dev->lock);
	empty(&w);
}

void anpu_pools_end(struct anpu_device *dev)
{
	struct anpu_lane *lane;
	struct waste w = { 0 };
	struct anpu_arena *a;
	struct anpu_pool *p;

	pthread_mutex_lock(&dev->lock);
	while ((p = dev->pools)) {
		p->ended = true;
		if (p->arenas)
			unlist_filled(p);
		while ((a = p->arenas)) {
			p->arenas = a->next;
			if (a->first->given && a->first->state == USED)
				anpu_finding("leak", &a->region->site,
					     "an allocation of a memory pool was never freed: see aclrtMemPoolFreeAsync(); the "
					     "call that made it is");
			a->region->arena = NULL;
			a->next = w.arenas;
			w.arenas = a;
		}
		p->quiet = NULL;
		for (lane = p->lanes; lane; lane = lane->next)
			lane->blocks = NULL;
		forget(p, &w);
	}
	pthread_mutex_unlock(&dev->lock);
	empty(&w);
}

/* Allocations ---------------------------------------------------------------------------------- */

/* An address, or 0; -errno in @err */
static uint64_t take_now(struct anpu_pool *p, struct anpu_stream *s, uint64_t size,
			 uint64_t user_size, struct spare *spare, int *err)
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
			take(arena_of(dev, b), b, size, user_size, spare, &mark);
		va = b ? b->by_va.key : 0;
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

/* An allocation becomes free behind a mark, which it takes over; device locked */
static void free_block(struct anpu_arena *arena, struct block *b, struct anpu_mark *mark,
		       struct spare *spare, struct waste *w)
{
	arena->pool->used -= b->size;
	b->state = FREE;
	b->quiet = false;
	b->mark = *mark;
	b->lane = lane_of(arena->pool, mark->stream, spare);
	enter(arena, b, w);
	mark->stream = NULL;
}

/* Another stream's block: the stream waits until that one is done with it */
static aclError take_later(struct anpu_pool *p, struct anpu_stream *s, uint64_t size,
			   uint64_t user_size, struct spare *spare, uint64_t *va)
{
	struct anpu_device *dev = p->obj.dev;
	struct anpu_mark mark = { 0 };
	struct waste w = { 0 };
	struct block *b;
	aclError ret;

	pthread_mutex_lock(&dev->lock);
	b = p->internal ? find_free(p, NULL, size) : NULL;
	if (b)
		take(arena_of(dev, b), b, size, user_size, spare, &mark);
	*va = b ? b->by_va.key : 0;
	pthread_mutex_unlock(&dev->lock);
	if (!mark.stream)
		return ACL_SUCCESS;
	ret = anpu_mark_await(s, &mark);
	if (ret) {
		pthread_mutex_lock(&dev->lock);
		b = find_block(anpu_region_find_locked(dev, *va), *va);
		if (b) /* else the device has ended */
			free_block(arena_of(dev, b), b, &mark, spare, &w);
		pthread_mutex_unlock(&dev->lock);
		empty(&w);
		*va = 0;
	}
	anpu_mark_drop(&mark);
	return ret;
}

/* A place in the stream, which allocation is known to be behind and which the program may synchronise, also if no task follows */
static uint64_t place_in(struct anpu_stream *s)
{
	const union anpu_packet nop = { .hdr = { .opcode = ANPU_OP_NOP, .task_id = anpu_task_number() } };

	if (!s->status->first_seq) /* else a task has failed, and the stream may take no more */
		(void)anpu_stream_submit_numbered(s, &nop);
	return atomic_load(&s->last_seq);
}

/*
 * The checking mode: each allocation has an arena of its own, which nobody gets again, so that it has guards and is
 * nowhere when it has been given back. Reuse would hide mistakes. 0 and -errno in @err if there is not enough for that
 */
static uint64_t take_guarded(struct anpu_pool *p, struct anpu_stream *s, uint64_t user_size, int *err)
{
	struct anpu_access a = { .size = user_size, .write = true, .life = true, .what = "the allocation" };
	struct anpu_device *dev = p->obj.dev;
	struct spare spare = { NULL, NULL };
	struct anpu_region *region = NULL;
	struct anpu_arena *arena;
	struct anpu_mark mark;

	*err = grow(p, align_up(user_size, PAGE));
	if (*err == -ENOSPC) {
		anpu_pool_shrink(p, 0);
		*err = grow(p, align_up(user_size, PAGE));
	}
	if (*err)
		return 0;
	pthread_mutex_lock(&dev->lock);
	for (arena = p->arenas; arena; arena = arena->next)
		if (arena->first->state == FREE && !arena->first->given && arena->first->size == align_up(user_size, PAGE))
			break;
	if (arena) {
		take(arena, arena->first, arena->first->size, user_size, &spare, &mark);
		arena->first->given = true;
		region = arena->region;
		anpu_region_get(region);
		a.va = region->va;
	}
	pthread_mutex_unlock(&dev->lock);
	if (a.va) {
		anpu_guard_around(region, user_size);
		anpu_region_put(region);
		anpu_races_forget(a.va, user_size);
		anpu_races_task(s, place_in(s), &a, 1);
	}
	return a.va;
}

/* Tasks of other streams must be known to come before the end of an allocation. Nothing is told of its guards any more */
static void look_at_end(struct anpu_device *dev, struct anpu_stream *s, uint64_t va)
{
	struct anpu_access a = { .va = va, .write = true, .life = true, .what = "the end of the allocation" };
	struct anpu_region *region;
	struct anpu_site made;
	struct block *b;

	pthread_mutex_lock(&dev->lock);
	region = anpu_region_find_locked(dev, va);
	b = find_block(region, va);
	a.size = b && b->given ? b->user_size : 0;
	if (a.size) {
		made = region->site;
		region->user_size = 0;
	}
	pthread_mutex_unlock(&dev->lock);
	if (!a.size)
		return;
	anpu_races_task(s, atomic_load(&s->last_seq), &a, 1);
	anpu_ended_note(va, a.size, ANPU_ENDED_POOL, &made);
}

aclError anpu_pool_take(struct anpu_pool *p, struct anpu_stream *s, uint64_t user_size,
			uint64_t *va, int *err)
{
	uint64_t size = align_up(user_size, GRANULE);
	struct spare spare;
	bool full; /* with what is in use, not with what was freed */
	aclError ret = make_spare(&spare);

	if (ret)
		return ret;
	*va = anpu_checking() ? take_guarded(p, s, user_size, err) : 0;
	full = anpu_checking() && !*va && *err == -EDQUOT;
	if (!*va && !full)
		*va = take_now(p, s, size, user_size, &spare, err);
	if (!*va && !full && (*err == -EDQUOT || *err == -ENOSPC))
		ret = take_later(p, s, size, user_size, &spare, va);
	drop_spare(&spare);
	return ret;
}

/* The allocation at @va changes its state; NULL if it is none in state @from. Device locked */
static struct block *change(struct anpu_device *dev, uint64_t va, enum state from, enum state to)
{
	struct block *b = find_block(anpu_region_find_locked(dev, va), va);

	if (!b || b->by_va.key != va || b->state != from)
		return NULL;
	b->state = to;
	return b;
}

/* The mark is there: frees the block, and returns the pool if it was destroyed, with a reference */
static struct anpu_pool *give(struct anpu_device *dev, uint64_t va, struct anpu_mark *mark,
			      struct spare *spare)
{
	struct anpu_pool *dying = NULL;
	struct anpu_arena *arena;
	struct waste w = { 0 };
	struct block *b;

	pthread_mutex_lock(&dev->lock);
	b = change(dev, va, FREEING, mark->stream ? FREE : USED);
	if (b && mark->stream) {
		arena = arena_of(dev, b);
		dying = arena->pool->dying ? arena->pool : NULL;
		if (dying)
			acl_obj_get(&dying->obj);
		free_block(arena, b, mark, spare, &w);
	}
	pthread_mutex_unlock(&dev->lock);
	empty(&w);
	return dying;
}

aclError anpu_pool_give(struct anpu_device *dev, struct anpu_stream *s, uint64_t va)
{
	struct anpu_mark mark = { 0 };
	struct anpu_pool *dying;
	struct spare spare;
	struct block *b;
	aclError ret = make_spare(&spare);

	if (ret)
		return ret;
	pthread_mutex_lock(&dev->lock);
	b = change(dev, va, USED, FREEING);
	pthread_mutex_unlock(&dev->lock);
	if (!b) {
		drop_spare(&spare);
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"ptr is %#llx, which is no allocation of a memory pool: it was freed "
				"already, or lies inside of one, or aclrtMemPoolMallocAsync() did not "
				"return it",
				(unsigned long long)va);
	}
	if (anpu_checking())
		look_at_end(dev, s, va);
	ret = anpu_mark(s, &mark);
	dying = give(dev, va, &mark, &spare);
	if (dying) {
		anpu_pool_die(dying);
		acl_obj_put(&dying->obj);
	}
	anpu_mark_drop(&mark);
	drop_spare(&spare);
	return ret;
}
