// SPDX-License-Identifier: MIT
/*
 * Giving packets to the device.
 *
 * A stream is a user queue where the driver has them: the library writes packets into the ring and
 * rings the doorbell itself, by the rules of DRM_ANPU_STREAM_USER_QUEUE, so that a launch needs no
 * system call. ANPU_SUBMIT=ioctl in the environment makes streams that use SUBMIT instead, where the
 * driver checks packets and its tracepoints see each of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "stream/stream.h"

/* Packets that are submitted under one lock, at most, and room for which others are kept out */
#define TOGETHER 16
#define APART	 64
#define PAGE	  4096UL
#define REFUSE_NS 1000000000LL

static bool user_queues = true;
static pthread_once_t user_queues_once = PTHREAD_ONCE_INIT;

static void read_submit(void)
{
	const char *env = getenv("ANPU_SUBMIT");

	if (!env || !*env || !strcmp(env, "user"))
		return;
	if (!strcmp(env, "ioctl"))
		user_queues = false;
	else
		fprintf(stderr,
			"anpu: ANPU_SUBMIT is '%s' and must be user (write packets into the "
			"device's ring) or ioctl (let the driver do it): it is ignored\n",
			env);
}

bool anpu_ring_wanted(const struct anpu_device *dev)
{
	pthread_once(&user_queues_once, read_submit);
	return user_queues && dev->info.flags & DRM_ANPU_INFO_USER_QUEUES;
}

/* A child of fork() must not submit in its parent's name: it does not have the pages */
static void *map(const struct anpu_stream *s, uint64_t offset, size_t size, int prot)
{
	void *p = anpu_map(s->obj.dev, offset, size, prot);

	if (p)
		(void)madvise(p, size, MADV_DONTFORK);
	return p;
}

static size_t ring_bytes(const struct anpu_ring *r)
{
	return align_up(r->size * sizeof(union anpu_packet), PAGE);
}

int anpu_ring_map(struct anpu_stream *s, const struct drm_anpu_stream_create *create)
{
	struct anpu_ring *r = &s->ring;
	bool rings = anpu_rings(s->obj.dev);
	int err;

	r->size = create->ring_entries;
	if (!(create->flags & DRM_ANPU_STREAM_USER_QUEUE))
		return 0;
	r->packets = map(s, create->ring_offset, ring_bytes(r), PROT_READ | PROT_WRITE);
	r->control = map(s, create->control_offset, PAGE, PROT_READ | PROT_WRITE);
	if (!rings)
		r->doorbell = map(s, create->doorbell_offset, PAGE, PROT_READ | PROT_WRITE);
	if (r->packets && r->control && (r->doorbell || rings))
		return 0;
	err = -errno;
	anpu_ring_unmap(s);
	return err;
}

void anpu_ring_unmap(struct anpu_stream *s)
{
	struct anpu_ring *r = &s->ring;

	if (r->packets)
		anpu_unmap(s->obj.dev, r->packets, ring_bytes(r));
	if (r->control)
		anpu_unmap(s->obj.dev, r->control, PAGE);
	if (r->doorbell)
		anpu_unmap(s->obj.dev, r->doorbell, PAGE);
	*r = (struct anpu_ring){ 0 };
}

static int submit_ioctl(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t *seq)
{
	struct drm_anpu_submit submit = {
		.stream = s->kernel_id,
		.packets = { .stride = sizeof(*pkt), .count = 1, .array = (uintptr_t)pkt },
	};
	int err;

	anpu_about_to_sleep(); /* the driver waits for room, if there is none */
	err = anpu_ioctl(s->obj.dev, DRM_IOCTL_ANPU_SUBMIT, &submit);
	*seq = submit.seq;
	return err;
}

/* Why the queue does not run: only the driver knows whether the device is gone or was reset */
static int why_stopped(struct anpu_stream *s, uint64_t next)
{
	int err = anpu_stream_wait_seq(s, next, 0);

	return err && err != -ETIME ? err : -EIO;
}

/* The device sees packets up to @used without this only while it says that it looks at the ring */
static void ring_doorbell(struct anpu_stream *s, uint64_t used)
{
	struct anpu_ring *r = &s->ring;

	if (s->status->polling)
		return;
	if (r->doorbell)
		*r->doorbell = used;
	else
		anpu_doorbell(s->obj.dev, s->queue, used);
}

/*
 * Gathering: a thread that queues several tasks tells the device of all of them at once. A thread that waits for room
 * rings first, also for what others have gathered.
 */
static __thread bool gathers;
static __thread struct anpu_stream *gathered; /* has packets that the device was not told of; referenced */

void anpu_ring_gather(bool on)
{
	struct anpu_stream *s = gathered;

	gathers = on;
	gathered = NULL;
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	if (!atomic_load(&s->dead))
		ring_doorbell(s, atomic_load_explicit(&s->last_seq, memory_order_relaxed));
	pthread_mutex_unlock(&s->lock);
	anpu_stream_put(s);
}

/* Puts the doorbell off, of one stream; stream locked */
static bool gather(struct anpu_stream *s)
{
	if (!gathers || (gathered && gathered != s))
		return false;
	if (!gathered)
		anpu_stream_get(s);
	gathered = s;
	return true;
}

/* Room for a packet behind @used; waits for half of the ring, so that a fast thread wakes rarely */
static int make_room(struct anpu_stream *s, uint64_t used)
{
	struct anpu_ring *r = &s->ring;

	while (used - anpu_stream_completed(s) >= r->size) {
		int err;

		ring_doorbell(s, used);
		err = acl_in_host_callback() && s->context ? -EDEADLK
						 : anpu_stream_wait_told(s, used - r->size / 2,
									 "room in");
		if (err)
			return err;
	}
	return 0;
}

static bool runs(const struct anpu_stream *s)
{
	return !atomic_load(&s->dead) && s->status->state != ANPU_QUEUE_HALTED &&
	       s->status->state != ANPU_QUEUE_STOPPED;
}

/* The number to complete before @packets and @args bytes of arguments have room; 0: none */
static uint64_t missing_room(struct anpu_stream *s, uint64_t packets, uint64_t args)
{
	uint64_t used = atomic_load_explicit(&s->last_seq, memory_order_relaxed);
	uint64_t done = anpu_stream_completed(s), seq;

	if (used - done + packets > s->ring.size)
		return runs(s) ? used - s->ring.size / 2 : 0;
	if (s->args_used + align_up(args, 64) <= ANPU_ARG_SEGMENT)
		return 0;
	seq = s->segment_seq[(s->segment + 1) % ANPU_ARG_SEGMENTS];
	return seq > done && runs(s) ? seq : 0;
}

/* A stream can wait for a callback itself, or for another stream that does, and so would never have room */
static aclError refuse_full(const struct anpu_stream *s)
{
	uint64_t last = atomic_load(&s->last_seq), done = anpu_stream_completed(s);

	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"stream %d is full, with %llu tasks that have not run, and a callback does not "
			"wait for room, because the stream may wait for this callback: let another "
			"thread submit the task, or submit fewer tasks in callbacks",
			s->number, (unsigned long long)(last > done ? last - done : 0));
}

void anpu_stream_lock(struct anpu_stream *s)
{
	if (!pthread_mutex_trylock(&s->lock))
		return;
	anpu_about_to_sleep(); /* the thread that has it may wait for room */
	pthread_mutex_lock(&s->lock);
}

static aclError lock_with_room(struct anpu_stream *s, uint64_t packets, uint64_t args)
{
	uint64_t seq;
	int err = 0;

	anpu_stream_lock(s);
	if (s->graph)
		anpu_about_to_sleep(); /* for the graph's lock */
	/* after an error the caller's submission fails and returns it */
	while (!err && !s->graph && (seq = missing_room(s, packets, args))) {
		if (s->ring.packets)
			ring_doorbell(s, atomic_load_explicit(&s->last_seq, memory_order_relaxed));
		pthread_mutex_unlock(&s->lock);
		if (acl_in_host_callback() && s->context) /* the library's own streams wait for nobody */
			return refuse_full(s);
		err = anpu_stream_wait_told(s, seq, "room in");
		anpu_stream_lock(s);
	}
	return ACL_SUCCESS;
}

aclError anpu_stream_enter(struct anpu_stream *s, uint64_t args)
{
	return lock_with_room(s, TOGETHER, args);
}

aclError anpu_stream_await_room(struct anpu_stream *s)
{
	uint64_t done = anpu_stream_completed(s);
	aclError ret;

	if (atomic_load(&s->last_seq) - done + APART <= s->ring.size)
		return ACL_SUCCESS;
	ret = lock_with_room(s, APART, 0);
	if (!ret)
		pthread_mutex_unlock(&s->lock);
	return ret;
}

/*
 * Does a stream that has stopped after a failure refuse work? Not before the program can know: whether
 * the next call comes before or after the failure is nobody's choice. What it takes until then is
 * dropped, as what was queued before. A program that never asks is told after a second.
 */
static bool refuses(struct anpu_stream *s, uint64_t used)
{
	struct anpu_ring *r = &s->ring;
	int64_t now = anpu_now();

	if (!r->halted_at)
		r->halted_at = now;
	return atomic_load(&s->errors_seen) == s->status->errors || now - r->halted_at > REFUSE_NS ||
	       used - anpu_stream_completed(s) >= r->size;
}

static void put(struct anpu_ring *r, uint64_t used, const union anpu_packet *pkt)
{
	r->packets[used % r->size] = *pkt;
	__atomic_store_n(&r->control->wptr, used + 1, __ATOMIC_RELEASE);
}

int anpu_ring_submit(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t *seq)
{
	uint64_t used = atomic_load_explicit(&s->last_seq, memory_order_relaxed);
	struct anpu_ring *r = &s->ring;
	int err;

	if (!r->packets)
		return submit_ioctl(s, pkt, seq);
	*seq = used + 1;
	switch (s->status->state) {
	case ANPU_QUEUE_HALTED:
		if (refuses(s, used))
			return -ECANCELED;
		put(r, used, pkt);
		return 0;
	case ANPU_QUEUE_STOPPED: /* also what the page reads when the device is gone */
		return why_stopped(s, used + 1);
	}
	r->halted_at = 0;
	err = make_room(s, used);
	if (err)
		return err;
	put(r, used, pkt);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!gather(s))
		ring_doorbell(s, used + 1);
	return 0;
}
