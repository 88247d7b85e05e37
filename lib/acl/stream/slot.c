// SPDX-License-Identifier: MIT
/*
 * Slots: 64 bytes each that device and CPU share, for events and notifies. A slot that is given
 * back is used again when no task can touch it that was queued before.
 */
#include <errno.h>
#include <stdlib.h>

#include "stream/stream.h"

#define SLOTS_PER_POOL 1024

struct anpu_slot_pool {
	struct anpu_region *region;
	struct anpu_slot_pool *next;
	uint32_t used; /* slots given out from the start */
};

struct pending {
	struct anpu_stream *stream; /* referenced */
	uint64_t seq;
};

struct anpu_free_slot {
	struct anpu_free_slot *next;
	struct anpu_slot slot; /* its region is that of a pool, which lives longer */
	size_t count;
	struct pending pending[]; /* tasks that were queued when it was given back */
};

/* Device locked. The status page of a stream that has ended in the driver reads as zero */
static bool is_done(const struct pending *p)
{
	return p->stream->gone || anpu_stream_completed(p->stream) >= p->seq;
}

/* Have all tasks run that could touch the slot; device locked */
static bool slot_is_quiet(const struct anpu_free_slot *f)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (!is_done(&f->pending[i]))
			return false;
	return true;
}

static void free_slot_entry(struct anpu_free_slot *f)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		anpu_stream_put(f->pending[i].stream);
	free(f);
}

/*
 * The oldest slot if it is quiet, or NULL; device locked. If it is not, no younger one is: streams
 * only go forward, so what keeps one slot from being used keeps those that were given back later.
 */
static struct anpu_free_slot *take_oldest(struct anpu_free_slots *slots)
{
	struct anpu_free_slot *f = slots->first;

	if (!f || !slot_is_quiet(f))
		return NULL;
	slots->first = f->next;
	if (!f->next)
		slots->last = NULL;
	return f;
}

/* The slot is quiet and its region lives as long as the pools: no lock is needed to clear it */
static bool reuse_slot(struct anpu_device *dev, struct anpu_slot *slot)
{
	struct anpu_free_slot *f;

	pthread_mutex_lock(&dev->lock);
	f = take_oldest(&dev->free_slots);
	pthread_mutex_unlock(&dev->lock);
	if (!f)
		return false;
	*slot = f->slot;
	anpu_region_get(slot->region);
	*slot->cpu = (struct anpu_slot_memory){ 0 };
	free_slot_entry(f);
	return true;
}

static int fresh_slot(struct anpu_device *dev, struct anpu_slot *slot)
{
	struct anpu_slot_pool *pool;
	char *window;
	int err;

	pthread_mutex_lock(&dev->slots_lock);
	if (dev->slots_ended) {
		pthread_mutex_unlock(&dev->slots_lock);
		return -ESHUTDOWN; /* another thread resets the device */
	}
	pool = dev->slot_pools;
	if (!pool || pool->used == SLOTS_PER_POOL) {
		pool = calloc(1, sizeof(*pool));
		err = pool ? anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM,
					     SLOTS_PER_POOL * sizeof(struct anpu_slot_memory),
					     DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &pool->region)
			   : -ENOMEM;
		if (err) {
			pthread_mutex_unlock(&dev->slots_lock);
			free(pool);
			return err;
		}
		pool->next = dev->slot_pools;
		dev->slot_pools = pool;
	}
	window = anpu_region_window(pool->region);
	if (window) {
		*slot = (struct anpu_slot){
			.cpu = (struct anpu_slot_memory *)window + pool->used,
			.va = pool->region->va + pool->used * sizeof(struct anpu_slot_memory),
			.region = pool->region,
		};
		anpu_region_get(slot->region);
		pool->used++;
	}
	pthread_mutex_unlock(&dev->slots_lock);
	return window ? 0 : -ENOMEM;
}

void anpu_slots_watch(struct anpu_stream *s)
{
	struct anpu_device *dev = s->obj.dev;

	pthread_mutex_lock(&dev->lock);
	s->prev_running = NULL;
	s->next_running = dev->running;
	if (dev->running)
		dev->running->prev_running = s;
	dev->running = s;
	pthread_mutex_unlock(&dev->lock);
}

void anpu_slots_unwatch(struct anpu_stream *s)
{
	struct anpu_device *dev = s->obj.dev;

	pthread_mutex_lock(&dev->lock);
	*(s->prev_running ? &s->prev_running->next_running : &dev->running) = s->next_running;
	if (s->next_running)
		s->next_running->prev_running = s->prev_running;
	s->gone = true;
	pthread_mutex_unlock(&dev->lock);
}

bool anpu_slots_passed(struct anpu_device *dev, int32_t number, uint64_t seq)
{
	struct anpu_stream *s;
	bool passed;

	pthread_mutex_lock(&dev->lock);
	for (s = dev->running; s && s->number != number; s = s->next_running)
		;
	passed = !s || is_done(&(struct pending){ s, seq });
	pthread_mutex_unlock(&dev->lock);
	return passed;
}

/*
 * For each stream of the device that is not idle the newest task: when all of these are done, nothing that
 * is queued now can touch the slot. Streams that other threads destroy are among them. Device locked.
 * NULL: no memory
 */
static struct anpu_free_slot *remember_pending(struct anpu_device *dev)
{
	size_t room = 4;
	struct anpu_free_slot *f = malloc(sizeof(*f) + room * sizeof(f->pending[0])), *more;
	struct anpu_stream *s;

	if (!f)
		return NULL;
	*f = (struct anpu_free_slot){ 0 };
	for (s = dev->running; s; s = s->next_running) {
		struct pending p = { s, atomic_load(&s->last_seq) };

		if (is_done(&p))
			continue;
		if (f->count == room) {
			room *= 2;
			more = realloc(f, sizeof(*f) + room * sizeof(f->pending[0]));
			if (!more)
				goto fail;
			f = more;
		}
		anpu_stream_get(s);
		f->pending[f->count++] = p;
	}
	return f;
fail:
	free_slot_entry(f);
	return NULL;
}

void anpu_slot_give(struct anpu_device *dev, const struct anpu_slot *slot)
{
	struct anpu_free_slots *slots = slot->own ? &dev->own_slots : &dev->free_slots;
	struct anpu_free_slot *f = NULL;

	pthread_mutex_lock(&dev->lock);
	/* otherwise the slot's pool has ended and nobody takes the slot again */
	if (!dev->slots_ended)
		f = remember_pending(dev);
	if (f) { /* else there is no memory, and the slot is left alone for good */
		f->slot = *slot;
		*(slots->last ? &slots->last->next : &slots->first) = f;
		slots->last = f;
	}
	pthread_mutex_unlock(&dev->lock);
}

/* Slots with memory of their own end when they are quiet, because others may still have it */
static void end_own(struct anpu_device *dev)
{
	struct anpu_free_slot *f;

	do {
		pthread_mutex_lock(&dev->lock);
		f = take_oldest(&dev->own_slots);
		pthread_mutex_unlock(&dev->lock);
		if (f) {
			anpu_region_end(f->slot.region);
			if (f->slot.reserve)
				(void)anpu_region_release(f->slot.reserve);
			free_slot_entry(f);
		}
	} while (f);
}

int anpu_slot_take_own(struct anpu_device *dev, struct anpu_slot *slot)
{
	struct anpu_region *region;
	int err;

	end_own(dev);
	err = anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM, 4096,
			      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &region);
	if (err)
		return err;
	*slot = (struct anpu_slot){ .cpu = anpu_region_window(region),
				    .va = region->va,
				    .region = region,
				    .own = true };
	if (!slot->cpu) {
		anpu_region_end(region);
		return -ENOMEM;
	}
	anpu_region_get(region);
	*slot->cpu = (struct anpu_slot_memory){ 0 };
	return 0;
}

int anpu_slot_open(struct anpu_device *dev, struct anpu_physical *p, struct anpu_slot *slot)
{
	struct anpu_region *reserve, *region;
	int err;

	end_own(dev);
	err = anpu_region_reserve(dev, ANPU_CHUNK_SIZE, 0, &reserve);
	if (err)
		return err;
	err = anpu_region_map(reserve, reserve->va, p->size, p->handle, &p->obj, 0, true);
	region = err ? NULL : anpu_region_find(dev, reserve->va);
	if (!region) {
		(void)anpu_region_release(reserve);
		return err ? err : -ENOMEM;
	}
	*slot = (struct anpu_slot){ .cpu = anpu_region_window(region),
				    .va = region->va,
				    .region = region,
				    .reserve = reserve,
				    .own = true };
	if (slot->cpu)
		return 0;
	anpu_region_end(region);
	anpu_region_put(region);
	(void)anpu_region_release(reserve);
	return -ENOMEM;
}

int anpu_slot_take(struct anpu_device *dev, struct anpu_slot *slot)
{
	return reuse_slot(dev, slot) ? 0 : fresh_slot(dev, slot);
}

void anpu_slot_release(struct anpu_slot *slot)
{
	if (slot->region)
		anpu_region_put(slot->region);
	slot->region = NULL;
}

static void free_entries(struct anpu_free_slots *slots)
{
	struct anpu_free_slot *f;

	while ((f = slots->first)) {
		slots->first = f->next;
		free_slot_entry(f);
	}
}

void anpu_slots_end(struct anpu_device *dev)
{
	struct anpu_slot_pool *pool, *next;
	struct anpu_free_slots lists[2];

	pthread_mutex_lock(&dev->lock);
	lists[0] = dev->free_slots;
	lists[1] = dev->own_slots;
	dev->free_slots = (struct anpu_free_slots){ 0 };
	dev->own_slots = (struct anpu_free_slots){ 0 };
	dev->slots_ended = true;
	pthread_mutex_unlock(&dev->lock);
	free_entries(&lists[0]);
	free_entries(&lists[1]);
	pthread_mutex_lock(&dev->slots_lock);
	for (pool = dev->slot_pools; pool; pool = next) {
		next = pool->next;
		anpu_region_end(pool->region);
		free(pool);
	}
	dev->slot_pools = NULL;
	pthread_mutex_unlock(&dev->slots_lock);
}

union anpu_packet anpu_signal_packet(uint64_t addr, uint64_t value, uint64_t time, uint32_t op)
{
	return (union anpu_packet){ .sem_signal = {
					    .hdr.opcode = ANPU_OP_SEM_SIGNAL,
					    .addr = addr,
					    .value = value,
					    .timestamp = time,
					    .op = op,
					    .width = 8,
				    } };
}
