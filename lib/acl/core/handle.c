// SPDX-License-Identifier: MIT
/*
 * The registry of live handles. A handle is a number, not a pointer: a mark, the generation of its
 * slot, the slot and the type. So a stale handle, one of another type and a stray pointer are all
 * told apart without touching any memory they may name.
 *
 *	63      52 51         28 27      8 7    0
 *	| 0xac1   | generation  | slot    | type |
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/front.h"

#define MARK	    0xac1ULL
#define MARKLESS    ((1ULL << 52) - 1)
#define GENERATIONS (1U << 24)
#define SLOTS	    (1U << 20)
#define NO_SLOT	    UINT32_MAX

struct slot {
	struct acl_obj *obj;
	uint32_t generation;
	uint32_t next_free;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots;
static uint32_t slot_count;
static uint32_t live;
static uint32_t first_free = NO_SLOT;
static _Atomic uint64_t removed[ACL_TYPE_COUNT]; /* written under the lock */
/*
 * Notes about live objects, by slot: the handle with the note in the place of the mark, or 0. Their memory is never
 * given back, so a thread can read them without the lock. Objects in the slots behind these have none.
 */
#define NOTES (1U << 14)
static _Atomic uint64_t notes[NOTES];

/* In the checking mode: where the latest handles were destroyed. Under the lock */
#define ENDED 512
static struct ended {
	uint64_t handle;
	struct anpu_site site;
} ended[ENDED];
static uint64_t ended_count;

static const char *const type_name[ACL_TYPE_COUNT] = {
	[ACL_TYPE_CONTEXT] = "a context",
	[ACL_TYPE_STREAM] = "a stream",
	[ACL_TYPE_EVENT] = "an event",
	[ACL_TYPE_NOTIFY] = "a notify",
	[ACL_TYPE_CNT_NOTIFY] = "a counting notify",
	[ACL_TYPE_BINARY_DESC] = "a description of a binary",
	[ACL_TYPE_BINARY] = "a binary",
	[ACL_TYPE_FUNC] = "a function",
	[ACL_TYPE_PHYSICAL] = "physical memory",
	[ACL_TYPE_GRAPH] = "a graph",
	[ACL_TYPE_LANE] = "a stream of a graph",
	[ACL_TYPE_TASK] = "a task of a graph",
	[ACL_TYPE_TASK_GROUP] = "a group of tasks",
	[ACL_TYPE_COND] = "a condition of a graph",
	[ACL_TYPE_LABEL] = "a label",
	[ACL_TYPE_LABEL_LIST] = "a list of labels",
	[ACL_TYPE_MEM_POOL] = "a memory pool",
	[ACL_TYPE_ALLOCATOR] = "a description of an allocator",
};

static uint32_t slot_of(uint64_t handle)
{
	return (handle >> 8) & (SLOTS - 1);
}

static bool grow(void)
{
	uint32_t count = slot_count ? slot_count * 2 : 64;
	struct slot *more;
	uint32_t i;

	if (count > SLOTS)
		return false;
	more = realloc(slots, count * sizeof(*more));
	if (!more)
		return false;
	slots = more;
	for (i = slot_count; i < count; i++)
		slots[i] = (struct slot){ .generation = 1,
					  .next_free = i + 1 < count ? i + 1 : NO_SLOT };
	first_free = slot_count;
	slot_count = count;
	return true;
}

void acl_obj_init(struct acl_obj *obj, enum acl_type type, struct anpu_device *dev,
		  void (*release)(struct acl_obj *obj))
{
	obj->type = type;
	obj->handle = 0;
	obj->dev = dev;
	obj->release = release;
	atomic_init(&obj->refs, 1);
	if (dev)
		anpu_device_get(dev);
}

/* The device's list of the object's type, lock held; objects of no device are in none */
static void list_add(struct acl_obj *obj)
{
	struct acl_obj_list *list = obj->dev ? &anpu_node_of(obj->dev)->handles[obj->type] : NULL;

	if (!list)
		return;
	obj->next = NULL;
	obj->prev = list->last;
	*(list->last ? &list->last->next : &list->first) = obj;
	list->last = obj;
}

static void list_remove(struct acl_obj *obj)
{
	struct acl_obj_list *list = obj->dev ? &anpu_node_of(obj->dev)->handles[obj->type] : NULL;

	if (!list)
		return;
	*(obj->prev ? &obj->prev->next : &list->first) = obj->next;
	*(obj->next ? &obj->next->prev : &list->last) = obj->prev;
}

bool acl_obj_give(struct acl_obj *obj, void **handle)
{
	struct slot *s;
	uint32_t i;

	if (anpu_checking())
		anpu_site_here(&obj->site);
	pthread_mutex_lock(&lock);
	if ((obj->dev && anpu_node_of(obj->dev)->handles_ended) || (first_free == NO_SLOT && !grow())) {
		pthread_mutex_unlock(&lock);
		return false;
	}
	i = first_free;
	s = &slots[i];
	first_free = s->next_free;
	live++;
	s->obj = obj;
	list_add(obj);
	obj->handle = MARK << 52 | (uint64_t)s->generation << 28 | (uint64_t)i << 8 | obj->type;
	*handle = acl_obj_handle(obj);
	pthread_mutex_unlock(&lock);
	return true;
}

uint32_t acl_obj_room(void)
{
	uint32_t room;

	pthread_mutex_lock(&lock);
	room = SLOTS - live;
	pthread_mutex_unlock(&lock);
	return room;
}

bool acl_obj_publish(struct acl_obj *obj)
{
	void *handle;

	return acl_obj_give(obj, &handle);
}

/* The slot that holds the live object of this handle, or NULL; lock held */
static struct slot *find(uint64_t handle, enum acl_type type)
{
	uint32_t i = slot_of(handle);

	if (handle >> 52 != MARK || (handle & 0xff) != type || i >= slot_count)
		return NULL;
	if (!slots[i].obj || slots[i].obj->handle != handle)
		return NULL;
	return &slots[i];
}

/* Walks the stack, where the thread must not be cancelled: calls that are short do not see to that. Lock held */
static __attribute__((noinline)) void note_end(uint64_t handle)
{
	ACL_UNCANCELLED();

	ended[ended_count % ENDED].handle = handle;
	anpu_site_here(&ended[ended_count++ % ENDED].site);
}

static struct acl_obj *take(struct slot *s)
{
	struct acl_obj *obj = s->obj;

	list_remove(obj);
	live--;
	atomic_store_explicit(&removed[obj->type], removed[obj->type] + 1, memory_order_release);
	s->obj = NULL;
	if (anpu_checking())
		note_end(obj->handle);
	if (slot_of(obj->handle) < NOTES)
		atomic_store(&notes[slot_of(obj->handle)], 0);
	s->generation = (s->generation + 1) % GENERATIONS;
	s->next_free = first_free;
	first_free = s - slots;
	return obj;
}

uint64_t acl_obj_removed(enum acl_type type)
{
	return atomic_load_explicit(&removed[type], memory_order_acquire);
}

struct acl_obj *acl_obj_find(const void *handle, enum acl_type type)
{
	struct acl_obj *obj = NULL;
	struct slot *s;

	pthread_mutex_lock(&lock);
	s = find((uintptr_t)handle, type);
	if (s) {
		obj = s->obj;
		acl_obj_get(obj);
	}
	pthread_mutex_unlock(&lock);
	return obj;
}

void acl_obj_note(struct acl_obj *obj, uint8_t note)
{
	uint32_t i = slot_of(obj->handle);

	if (i >= NOTES)
		return;
	pthread_mutex_lock(&lock);
	if (i < slot_count && slots[i].obj == obj)
		atomic_store(&notes[i], (obj->handle & MARKLESS) | (uint64_t)note << 52);
	pthread_mutex_unlock(&lock);
}

void acl_obj_forget_note(struct acl_obj *obj)
{
	uint32_t i = slot_of(obj->handle);
	uint64_t note = i < NOTES ? atomic_load(&notes[i]) : 0;

	/* the slot may be another object's meanwhile, and the note with it */
	if ((note & MARKLESS) == (obj->handle & MARKLESS))
		atomic_compare_exchange_strong(&notes[i], &note, 0);
}

uint8_t acl_obj_noted(const void *handle, enum acl_type type)
{
	uint64_t h = (uintptr_t)handle, note;

	if (h >> 52 != MARK || (h & 0xff) != type || slot_of(h) >= NOTES)
		return 0;
	note = atomic_load_explicit(&notes[slot_of(h)], memory_order_acquire);
	return (note & MARKLESS) == (h & MARKLESS) ? note >> 52 : 0;
}

struct acl_obj *acl_obj_remove(const void *handle, enum acl_type type)
{
	struct acl_obj *obj = NULL;
	struct slot *s;

	pthread_mutex_lock(&lock);
	s = find((uintptr_t)handle, type);
	if (s)
		obj = take(s);
	pthread_mutex_unlock(&lock);
	return obj;
}

void acl_obj_end_device(struct anpu_device *dev)
{
	pthread_mutex_lock(&lock);
	anpu_node_of(dev)->handles_ended = true;
	pthread_mutex_unlock(&lock);
}

struct acl_obj *acl_obj_remove_of(struct anpu_device *dev, enum acl_type type)
{
	struct acl_obj *obj = NULL;
	enum acl_type t;

	pthread_mutex_lock(&lock);
	for (t = type; t < ACL_TYPE_COUNT && !obj; t++) {
		obj = anpu_node_of(dev)->handles[t].first;
		if (type)
			break;
	}
	if (obj)
		take(&slots[slot_of(obj->handle)]);
	pthread_mutex_unlock(&lock);
	return obj;
}

struct acl_obj *acl_obj_find_if(struct anpu_device *dev, enum acl_type type,
				bool (*wanted)(const struct acl_obj *obj))
{
	struct acl_obj *obj;

	pthread_mutex_lock(&lock);
	for (obj = anpu_node_of(dev)->handles[type].first; obj && !wanted(obj); obj = obj->next)
		;
	if (obj)
		acl_obj_get(obj);
	pthread_mutex_unlock(&lock);
	return obj;
}

void acl_obj_drop_device(struct anpu_device *dev)
{
	struct acl_obj *obj;

	while ((obj = acl_obj_remove_of(dev, 0)))
		acl_obj_put(obj);
}

/* Handles that programs make and have to end: beginning of the making function's name, and what is told. A front's words come later. */
static const struct {
	enum acl_type type;
	const char *made_by, *end;
} left[] = {
	{ ACL_TYPE_STREAM, "aclrtCreateStream", "a stream was never destroyed: see aclrtDestroyStream()" },
	{ ACL_TYPE_EVENT, "aclrtCreateEvent", "an event was never destroyed: see aclrtDestroyEvent()" },
	{ ACL_TYPE_NOTIFY, "aclrtCreateNotify", "a notify was never destroyed: see aclrtDestroyNotify()" },
	{ ACL_TYPE_GRAPH, "aclmdlRI", "a graph was never destroyed: see aclmdlRIDestroy()" },
	{ ACL_TYPE_STREAM, "cuStreamCreate", "a stream was never destroyed: see cuStreamDestroy()" },
	{ ACL_TYPE_EVENT, "cuEventCreate", "an event was never destroyed: see cuEventDestroy()" },
	{ ACL_TYPE_GRAPH, "cuGraphCreate", "a graph was never destroyed: see cuGraphDestroy()" },
	{ ACL_TYPE_GRAPH, "cuGraphClone", "a graph was never destroyed: see cuGraphDestroy()" },
	{ ACL_TYPE_GRAPH, "cuStreamBeginCapture", "a recorded graph was never destroyed: see cuGraphDestroy()" },
	{ ACL_TYPE_GRAPH, "cuGraphInstantiate", "an instantiated graph was never destroyed: see cuGraphExecDestroy()" },
	{ ACL_TYPE_BINARY, "cuModuleLoad", "a module was never unloaded: see cuModuleUnload()" },
	{ ACL_TYPE_CONTEXT, "cuCtxCreate", "a context was never destroyed: see cuCtxDestroy()" },
};

void acl_obj_tell_left(const struct acl_obj *obj)
{
	const char *api = obj->site.api;
	size_t i;

	for (i = 0; api && i < ARRAY_SIZE(left); i++)
		if (obj->type == left[i].type && !strncmp(api, left[i].made_by, strlen(left[i].made_by)))
			anpu_finding("leak", &obj->site, "%s; the call that made it is", left[i].end);
}

void acl_obj_tell_left_by(struct anpu_device *dev, const char *prefix)
{
	enum { MOST = 32 };
	struct acl_obj *list[MOST];
	const char *api;
	size_t n, i;

	for (int type = 1; anpu_checking() && type < ACL_TYPE_COUNT; type++) {
		n = acl_obj_list(dev, type, list, MOST);
		for (i = 0; i < n && i < MOST; i++) {
			api = list[i]->site.api;
			if (api && !strncmp(api, prefix, strlen(prefix)))
				acl_obj_tell_left(list[i]);
			acl_obj_put(list[i]);
		}
	}
}

void acl_obj_tell_all_left(struct anpu_device *dev)
{
	acl_obj_tell_left_by(dev, "");
}

size_t acl_obj_list(struct anpu_device *dev, enum acl_type type, struct acl_obj **list, size_t max)
{
	struct acl_obj *obj;
	size_t n = 0;

	pthread_mutex_lock(&lock);
	for (obj = anpu_node_of(dev)->handles[type].first; obj; obj = obj->next) {
		if (n < max) {
			acl_obj_get(obj);
			list[n] = obj;
		}
		n++;
	}
	pthread_mutex_unlock(&lock);
	return n;
}

void acl_obj_get(struct acl_obj *obj)
{
	atomic_fetch_add_explicit(&obj->refs, 1, memory_order_relaxed);
}

bool acl_obj_try_get(struct acl_obj *obj)
{
	unsigned int refs = atomic_load(&obj->refs);

	while (refs && !atomic_compare_exchange_weak(&obj->refs, &refs, refs + 1))
		;
	return refs;
}

/* Nobody has the object any more; a short function may be the last one to put it back */
static __attribute__((noinline)) void release(struct acl_obj *obj)
{
	ACL_UNCANCELLED();
	struct anpu_device *dev = obj->dev;

	obj->release(obj);
	if (dev)
		anpu_device_put(dev);
}

void acl_obj_put(struct acl_obj *obj)
{
	if (atomic_fetch_sub_explicit(&obj->refs, 1, memory_order_acq_rel) == 1)
		release(obj);
}

const char *acl_handle_type(uint64_t number)
{
	unsigned int type = number & 0xff;

	if (number >> 52 != MARK)
		return NULL;
	return type && type < ACL_TYPE_COUNT ? type_name[type] : "an object of this library";
}

void acl_handle_ended(uint64_t handle, char *buf, size_t size)
{
	ACL_UNCANCELLED();
	struct anpu_site site;
	char where[1000];
	bool found = false;
	uint64_t n;

	*buf = 0;
	pthread_mutex_lock(&lock);
	for (n = ended_count; n && !found && ended_count - n < ENDED; n--) {
		found = ended[(n - 1) % ENDED].handle == handle;
		if (found)
			site = ended[(n - 1) % ENDED].site;
	}
	pthread_mutex_unlock(&lock);
	if (!found)
		return;
	anpu_site_text(&site, where, sizeof(where));
	if (*where)
		snprintf(buf, size, " (by %s)", where);
}

static __thread enum acl_type bad_type; /* of the handle that the thread's latest failed search was for */

bool anpu_front_bad_value(void)
{
	return bad_type == ACL_TYPE_GRAPH || bad_type == ACL_TYPE_TASK || bad_type == ACL_TYPE_MEM_POOL ||
	       bad_type == ACL_TYPE_PHYSICAL;
}

void acl_record_bad_handle(const void *handle, enum acl_type wanted, const char *param)
{
	uint64_t h = (uintptr_t)handle;
	unsigned int type = h & 0xff;
	uint32_t i = slot_of(h);
	bool ours = h >> 52 == MARK && type && type < ACL_TYPE_COUNT, live = false;
	char by[1100];

	bad_type = wanted;
	pthread_mutex_lock(&lock);
	if (ours && i < slot_count)
		live = slots[i].obj && slots[i].obj->handle == h;
	pthread_mutex_unlock(&lock);
	if (!ours)
		acl_record(ACL_ERROR_RT_INVALID_HANDLE,
			   "%s is %p, which is no handle that this library has given out: pass the "
			   "handle of %s, as the create or load call returned it",
			   param, handle, type_name[wanted]);
	else if (live)
		acl_record(ACL_ERROR_RT_INVALID_HANDLE, "%s is %p, which is %s and not %s", param,
			   handle, type_name[type], type_name[wanted]);
	if (!ours || live)
		return;
	acl_handle_ended(h, by, sizeof(by));
	acl_record(ACL_ERROR_RT_INVALID_HANDLE,
		   "%s is %p, %s that was destroyed already, or whose device was reset%s: use it only before",
		   param, handle, type_name[type], by);
}
