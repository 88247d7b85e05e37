// SPDX-License-Identifier: MIT
/*
 * The checking mode's look at ordinary memory of the program that asynchronous copies use. Such a copy is done here when the call
 * returns, as the newest documents of the API say; with others the device may still use the memory, which has to stay until the
 * program knows that the copy is done. Nothing stands in front of free(): the block of malloc() is looked at whenever the
 * program uses the device meanwhile, and memory that another allocation has got by then is not found.
 */
#include <string.h>

#include "memory/memory.h"

#define COPIES 64 /* of which the program does not know that they are done; more are not looked at */

struct copy {
	int32_t stream;
	uint64_t seq; /* of the stream's last task when the copy was made */
	uint64_t va, size;
	struct anpu_heap_block block;
	bool used, writes;
	struct anpu_site site;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* nests inside of all others */
static struct copy copies[COPIES];
static atomic_uint n_used;

/* A copy of another call waits for what stands before it in the stream, which tells the program nothing */
static bool by_copy(void)
{
	const char *api = acl_own_api();

	return api && !strncmp(api, "aclrtMemcpyAsync", strlen("aclrtMemcpyAsync"));
}

void anpu_pageable_copy(int32_t stream, uint64_t seq, uint64_t va, uint64_t size, bool writes)
{
	struct copy c = { .stream = stream, .seq = seq, .va = va, .size = size, .used = true, .writes = writes };
	unsigned int i;

	if (!size || !anpu_heap_find(va, &c.block))
		return;
	anpu_site_here(&c.site);
	pthread_mutex_lock(&lock);
	for (i = 0; i < COPIES && copies[i].used; i++)
		;
	if (i < COPIES) {
		copies[i] = c;
		atomic_fetch_add(&n_used, 1);
	}
	pthread_mutex_unlock(&lock);
}

static void tell(const struct copy *c)
{
	struct anpu_site here;
	char seen[1000];

	anpu_site_here(&here);
	anpu_site_text(&here, seen, sizeof(seen));
	anpu_finding("use-after-free", &c->site,
		     "the %llu bytes of malloc() at %#llx that a copy of stream %d %s were freed before the program knew that the copy is done, "
		     "and other devices may use them until then: synchronise the stream before free(), which came before %s. The copy was submitted by",
		     (unsigned long long)c->size, (unsigned long long)c->va, c->stream, c->writes ? "writes" : "reads", seen);
}

/* Takes the next copy away whose block was freed, or if the stream's tasks up to @seq are done, any of those */
static bool take(int32_t stream, uint64_t seq, struct copy *out, bool *freed)
{
	bool done = false;

	*freed = false;
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < COPIES && !done && !*freed; i++) {
		if (!copies[i].used)
			continue;
		done = copies[i].stream == stream && copies[i].seq <= seq;
		*freed = anpu_heap_ended(&copies[i].block, copies[i].va + copies[i].size, done);
		*out = copies[i];
		if (!done && !*freed)
			continue;
		copies[i].used = false;
		atomic_fetch_sub(&n_used, 1);
	}
	pthread_mutex_unlock(&lock);
	return done || *freed;
}

static void look(int32_t stream, uint64_t seq)
{
	struct copy c;
	bool freed;

	while (atomic_load(&n_used) && take(stream, seq, &c, &freed))
		if (freed)
			tell(&c);
}

void anpu_pageable_look(void)
{
	look(-1, 0);
}

void anpu_pageable_done(int32_t stream, uint64_t seq)
{
	if (!by_copy())
		look(stream, seq);
}
