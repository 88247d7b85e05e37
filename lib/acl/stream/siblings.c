// SPDX-License-Identifier: MIT
/*
 * The streams of one context. What ends a context, or changes all of its streams, finds them here, so
 * that its cost does not depend on how many streams other contexts have. The list is apart from the
 * context: a stream that another thread destroys may leave it after the context is gone.
 */
#include <stdlib.h>

#include "stream/stream.h"

/* Everything under the device's lock */
struct anpu_siblings {
	unsigned int refs; /* the context's, and one of each stream */
	struct anpu_stream *first;
};

bool anpu_siblings_begin(struct anpu_context *ctx)
{
	ctx->streams = calloc(1, sizeof(*ctx->streams));
	if (ctx->streams)
		ctx->streams->refs = 1;
	return ctx->streams;
}

/* Device locked */
static void put(struct anpu_siblings *all)
{
	if (!--all->refs)
		free(all);
}

void anpu_siblings_release(struct anpu_context *ctx)
{
	struct anpu_device *dev = ctx->obj.dev;

	pthread_mutex_lock(&dev->lock);
	if (ctx->streams)
		put(ctx->streams);
	pthread_mutex_unlock(&dev->lock);
}

bool anpu_siblings_publish(struct anpu_context *ctx, struct anpu_stream *s)
{
	struct anpu_siblings *all = ctx->streams;
	struct anpu_device *dev = s->obj.dev;
	bool published;

	/* a thread that finds the stream by its handle and ends it gets no further than to the lock */
	pthread_mutex_lock(&dev->lock);
	published = acl_obj_publish(&s->obj);
	if (published) {
		s->siblings = all;
		s->next_sibling = all->first;
		if (all->first)
			all->first->prev_sibling = s;
		all->first = s;
		all->refs++;
	}
	pthread_mutex_unlock(&dev->lock);
	return published;
}

void anpu_siblings_leave(struct anpu_stream *s)
{
	struct anpu_device *dev = s->obj.dev;
	struct anpu_siblings *all;

	pthread_mutex_lock(&dev->lock);
	all = s->siblings;
	if (all) {
		*(s->prev_sibling ? &s->prev_sibling->next_sibling : &all->first) = s->next_sibling;
		if (s->next_sibling)
			s->next_sibling->prev_sibling = s->prev_sibling;
		s->siblings = NULL;
		put(all);
	}
	pthread_mutex_unlock(&dev->lock);
}

struct anpu_stream *anpu_siblings_unclaimed(struct anpu_context *ctx)
{
	struct anpu_device *dev = ctx->obj.dev;
	struct anpu_stream *s;

	pthread_mutex_lock(&dev->lock);
	for (s = ctx->streams->first; s && atomic_load(&s->claimed); s = s->next_sibling)
		;
	if (s)
		anpu_stream_get(s);
	pthread_mutex_unlock(&dev->lock);
	return s;
}

struct anpu_stream **anpu_siblings_list(struct anpu_context *ctx, size_t *count)
{
	struct anpu_device *dev = ctx->obj.dev;
	struct anpu_stream **list, *s;
	size_t n = 0;

	pthread_mutex_lock(&dev->lock);
	for (s = ctx->streams->first; s; s = s->next_sibling)
		n++;
	list = calloc(n + 1, sizeof(*list));
	n = 0;
	for (s = ctx->streams->first; s && list; s = s->next_sibling) {
		anpu_stream_get(s);
		list[n++] = s;
	}
	pthread_mutex_unlock(&dev->lock);
	*count = n;
	if (!list)
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of the context's streams");
	return list;
}
