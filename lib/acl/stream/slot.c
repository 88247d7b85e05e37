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

/* Have all tasks run that could touch the slot; device locked */
static bool slot_is_quiet(const struct anpu_free_slot *f)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (!anpu_stream_reached(f->pending[i].stream, f->pending[i].seq))
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

/* The slot is quiet and its region lives as long as the pools: no lock is needed to clear it */
static bool reuse_slot(struct anpu_device *dev, struct anpu_slot *slot)
{
	struct anpu_free_slot **p, *f;

	pthread_mutex_lock(&dev->lock);
	for (p = &dev->free_slots; *p && ((*p)->slot.own || !slot_is_quiet(*p)); p = &(*p)->next)
		;
	f = *p;
	if (f)
		*p = f->next;
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

/* Remembers what every stream of the device has queued up to now */
void anpu_slot_give(struct anpu_device *dev, const struct anpu_slot *slot)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_STREAM, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	struct anpu_free_slot *f = calloc(1, sizeof(*f) + n * sizeof(f->pending[0]));

	got = list ? acl_obj_list(dev, ACL_TYPE_STREAM, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		struct anpu_stream *s = container_of(list[i], struct anpu_stream, obj);

		if (f)
			f->pending[f->count++] = (struct pending){ s, atomic_load(&s->last_seq) };
		else
			anpu_stream_put(s);
	}
	/* more streams than a moment ago, or no memory: the slot is left alone for good */
	if (f && list && got <= n) {
		f->slot = *slot;
		pthread_mutex_lock(&dev->lock);
		if (!dev->slots_ended) { /* else its pool has ended, and nobody looks for it */
			f->next = dev->free_slots;
			dev->free_slots = f;
			f = NULL;
		}
		pthread_mutex_unlock(&dev->lock);
	}
	if (f)
		free_slot_entry(f);
	free(list);
}

/* Slots with memory of their own end when they are quiet, because others may still have it */
static void end_own(struct anpu_device *dev)
{
	struct anpu_free_slot **p, *f, *done = NULL;

	pthread_mutex_lock(&dev->lock);
	for (p = &dev->free_slots; (f = *p);) {
		if (!f->slot.own || !slot_is_quiet(f)) {
			p = &f->next;
			continue;
		}
		*p = f->next;
		f->next = done;
		done = f;
	}
	pthread_mutex_unlock(&dev->lock);
	while ((f = done)) {
		done = f->next;
		anpu_region_end(f->slot.region);
		if (f->slot.reserve)
			(void)anpu_region_release(f->slot.reserve);
		free_slot_entry(f);
	}
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

void anpu_slots_end(struct anpu_device *dev)
{
	struct anpu_free_slot *f, *next_slot;
	struct anpu_slot_pool *pool, *next;

	pthread_mutex_lock(&dev->lock);
	f = dev->free_slots;
	dev->free_slots = NULL;
	dev->slots_ended = true;
	pthread_mutex_unlock(&dev->lock);
	for (; f; f = next_slot) {
		next_slot = f->next;
		free_slot_entry(f);
	}
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
