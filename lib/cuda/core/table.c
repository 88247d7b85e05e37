// SPDX-License-Identifier: MIT
/*
 * Records of handles. A thread keeps the record that it found last of each type, and looks at its key before it uses it:
 * records are never given back, so that look is always allowed.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/core/core.h"

#define BUCKETS 1024
/* Handles of this front's own objects; libacl's begin with 0xac1 */
#define MARK	0xcdaULL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cu_rec *bucket[BUCKETS];
static struct cu_rec *free_records[CU_TYPES];
static uint64_t last_number;
static __thread struct cu_rec *latest[CU_TYPES];

struct cu_kernel;
struct cu_library;
extern const size_t cu_record_size[CU_TYPES];

static unsigned int bucket_of(uint64_t key)
{
	/* the slot number of libacl's handles begins at bit 8 */
	return (key >> 8) % BUCKETS;
}

void *cu_find(enum cu_type type, const void *handle)
{
	uint64_t key = (uintptr_t)handle;
	struct cu_rec *r = latest[type];

	if (!key)
		return NULL;
	if (r && __atomic_load_n(&r->key, __ATOMIC_ACQUIRE) == key)
		return r;
	pthread_mutex_lock(&lock);
	for (r = bucket[bucket_of(key)]; r && (r->key != key || r->type != type); r = r->next)
		;
	pthread_mutex_unlock(&lock);
	if (r)
		latest[type] = r;
	return r;
}

void *cu_add(enum cu_type type, const void *handle)
{
	struct cu_rec *r;
	uint64_t key;

	pthread_mutex_lock(&lock);
	r = free_records[type];
	if (r)
		free_records[type] = r->next;
	key = handle ? (uintptr_t)handle : MARK << 52 | ++last_number << 8 | type;
	pthread_mutex_unlock(&lock);
	if (!r)
		r = malloc(cu_record_size[type]);
	if (!r)
		return NULL;
	memset(r, 0, cu_record_size[type]);
	r->type = type;
	pthread_mutex_lock(&lock);
	r->next = bucket[bucket_of(key)];
	bucket[bucket_of(key)] = r;
	__atomic_store_n(&r->key, key, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return r;
}

void cu_drop(void *record)
{
	struct cu_rec *r = record, **at;

	pthread_mutex_lock(&lock);
	for (at = &bucket[bucket_of(r->key)]; *at && *at != r; at = &(*at)->next)
		;
	if (*at) {
		*at = r->next;
		__atomic_store_n(&r->key, 0, __ATOMIC_RELEASE);
		r->next = free_records[r->type];
		free_records[r->type] = r;
	}
	pthread_mutex_unlock(&lock);
}

void cu_each(enum cu_type type, void (*fn)(void *record, void *arg), void *arg)
{
	struct cu_rec *list[64], *r;
	unsigned int i, n, at;

	for (i = 0; i < BUCKETS; i++) {
		n = 0;
		pthread_mutex_lock(&lock);
		for (r = bucket[i]; r && n < CU_COUNT(list); r = r->next)
			if (r->type == type)
				list[n++] = r;
		pthread_mutex_unlock(&lock);
		for (at = 0; at < n; at++)
			fn(list[at], arg);
	}
}
