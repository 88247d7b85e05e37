// SPDX-License-Identifier: MIT
/*
 * Where kernels note that a floating-point operation has overflowed: a table of the process for each
 * device, with an entry for each tag of streams; the first entry is for streams without a tag.
 */
#include <errno.h>
#include <stdlib.h>

#include "stream/stream.h"

#define ENTRY	    sizeof(struct anpu_overflow)
#define TABLE_SIZE  (ANPU_OVERFLOW_ENTRIES * ENTRY)

/* Entry n is for tag[n], from 1 on; given out once, because recorded kernels name it, too */
struct anpu_overflows {
	struct anpu_region *table;
	pthread_mutex_t lock;
	uint32_t tags; /* entries in use, the one without a tag included */
	uint32_t tag[ANPU_OVERFLOW_ENTRIES];
};

/* Protects making a device's table; using the table takes no lock */
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* The table ------------------------------------------------------------------------------------ */

static struct anpu_overflows *overflows_of(struct anpu_device *dev)
{
	return __atomic_load_n(&dev->overflows, __ATOMIC_ACQUIRE);
}

static int make_table(struct anpu_device *dev)
{
	struct anpu_overflows *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return -ENOMEM;
	err = anpu_region_new(dev, ANPU_REGION_STATUS, DRM_ANPU_BO_SYSTEM, TABLE_SIZE,
			      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &o->table);
	if (err) {
		free(o);
		return err;
	}
	/* the program may copy the first entry, whose address it can get, and no other */
	pthread_mutex_lock(&dev->lock);
	o->table->user_size = ENTRY;
	pthread_mutex_unlock(&dev->lock);
	anpu_region_get(o->table); /* the other reference is the table of regions' */
	pthread_mutex_init(&o->lock, NULL);
	o->tags = 1;
	__atomic_store_n(&dev->overflows, o, __ATOMIC_RELEASE);
	return 0;
}

int anpu_overflow_start(struct anpu_device *dev, struct drm_anpu_stream_create *create)
{
	struct anpu_overflows *o;
	int err = 0;

	if (!(dev->info.flags & DRM_ANPU_INFO_OVERFLOW))
		return 0;
	pthread_mutex_lock(&start_lock);
	if (!overflows_of(dev))
		err = make_table(dev);
	pthread_mutex_unlock(&start_lock);
	o = overflows_of(dev);
	if (o)
		create->overflow = o->table->va;
	return err;
}

void anpu_overflow_free(struct anpu_device *dev)
{
	struct anpu_overflows *o = dev->overflows;

	if (!o)
		return;
	anpu_region_put(o->table);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

static aclError unsupported(const struct anpu_device *dev)
{
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"device %d or its driver does not note overflows (since 1.5)", dev->id);
}

/* Streams -------------------------------------------------------------------------------------- */

aclError anpu_overflow_switch(struct anpu_stream *s, uint32_t on, const char *name)
{
	if (on > 1)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is %u and must be 0 or 1", name, on);
	if (on && !overflows_of(s->obj.dev))
		return unsupported(s->obj.dev);
	if (on)
		atomic_fetch_or(&s->kernel_flags, ANPU_KERNEL_OVERFLOW);
	else
		atomic_fetch_and(&s->kernel_flags, (uint16_t)~ANPU_KERNEL_OVERFLOW);
	return ACL_SUCCESS;
}

/* The entry of a tag; 0 after acl_fail() */
static uint32_t entry_of(struct anpu_overflows *o, uint32_t tag)
{
	uint32_t n;

	pthread_mutex_lock(&o->lock);
	for (n = 1; n < o->tags && o->tag[n] != tag; n++)
		;
	if (n == ANPU_OVERFLOW_ENTRIES) {
		n = 0;
	} else if (n == o->tags) {
		o->tag[n] = tag;
		o->tags++;
	}
	pthread_mutex_unlock(&o->lock);
	if (!n)
		acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			 "userCustomTag is %u, and a device has room for %d tags, which the streams "
			 "of this process have had already",
			 tag, ANPU_OVERFLOW_ENTRIES - 1);
	return n;
}

aclError anpu_overflow_tag(struct anpu_stream *s, uint32_t tag)
{
	struct anpu_overflows *o = overflows_of(s->obj.dev);
	uint16_t old = atomic_load(&s->kernel_flags), new;
	uint32_t entry = 0;

	if (tag && o) {
		entry = entry_of(o, tag);
		if (!entry)
			return acl_last_failure();
	}
	do {
		new = (uint16_t)((old & 0xff) | ANPU_KERNEL_OVERFLOW_ENTRY(entry));
	} while (!atomic_compare_exchange_weak(&s->kernel_flags, &old, new));
	atomic_store(&s->tag, tag);
	return ACL_SUCCESS;
}

uint64_t anpu_overflow_table(struct anpu_device *dev)
{
	const struct anpu_overflows *o = overflows_of(dev);

	return o ? o->table->va : 0;
}

uint64_t anpu_overflow_va(const struct anpu_stream *s)
{
	uint64_t table = anpu_overflow_table(s->obj.dev);

	return table ? table + ANPU_KERNEL_GET_OVERFLOW_ENTRY(atomic_load(&s->kernel_flags)) * ENTRY
		     : 0;
}
