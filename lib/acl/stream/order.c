// SPDX-License-Identifier: MIT
/*
 * Streams and each other's progress. A mark is a number that a stream writes to memory when it gets
 * there; another stream can be made to wait for it. Waits for events are remembered, so that what
 * the waiting stream does later is known to come after the event's record.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/stream.h"

struct anpu_marks {
	atomic_uint refs;
	struct anpu_device *dev; /* referenced */
	struct anpu_slot slot;	 /* its value is the last mark reached */
	_Atomic uint64_t count;	 /* marks left */
};

static struct anpu_marks *marks_new(struct anpu_device *dev)
{
	struct anpu_marks *m = calloc(1, sizeof(*m));
	int err = m ? anpu_slot_take(dev, &m->slot) : 0;

	if (!m || err) {
		free(m);
		err ? anpu_fail_ioctl(dev, err, "allocating a mark")
		    : acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the marks of a stream");
		return NULL;
	}
	atomic_init(&m->refs, 1);
	anpu_device_get(dev);
	m->dev = dev;
	return m;
}

void anpu_marks_put(struct anpu_marks *m)
{
	if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
		return;
	anpu_slot_give(m->dev, &m->slot);
	anpu_slot_release(&m->slot);
	anpu_device_put(m->dev);
	free(m);
}

void anpu_marks_get(struct anpu_marks *m)
{
	atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
}

aclError anpu_mark(struct anpu_stream *s, struct anpu_mark *mark)
{
	union anpu_packet pkt;
	aclError ret;

	ret = anpu_stream_enter(s, 0);
	if (ret)
		return ret;
	if (s->graph) {
		pthread_mutex_unlock(&s->lock);
		return acl_fail(ACL_ERROR_RT_STREAM_CAPTURED,
				"stream %d is being recorded by another thread", s->number);
	}
	if (!s->marks)
		s->marks = marks_new(s->obj.dev);
	if (!s->marks) {
		pthread_mutex_unlock(&s->lock);
		return acl_last_failure();
	}
	*mark = (struct anpu_mark){ .marks = s->marks, .value = atomic_load(&s->marks->count) + 1 };
	pkt = anpu_signal_packet(s->marks->slot.va, mark->value, 0, ANPU_SEM_SET);
	ret = anpu_stream_submit_locked(s, &pkt, &mark->seq);
	if (!ret) {
		atomic_store(&s->marks->count, mark->value);
		anpu_marks_get(s->marks);
		anpu_stream_get(s);
		mark->stream = s;
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

void anpu_mark_drop(struct anpu_mark *mark)
{
	if (!mark->stream)
		return;
	anpu_marks_put(mark->marks);
	anpu_stream_put(mark->stream);
	*mark = (struct anpu_mark){ 0 };
}

bool anpu_mark_reached(const struct anpu_mark *mark)
{
	return !mark->stream || anpu_stream_reached(mark->stream, mark->seq);
}

aclError anpu_mark_await(struct anpu_stream *s, const struct anpu_mark *mark)
{
	union anpu_packet pkt = { .sem_wait = {
					  .hdr.opcode = ANPU_OP_SEM_WAIT,
					  .addr = mark->marks->slot.va,
					  .value = mark->value,
					  .mask = UINT64_MAX,
					  .timeout_us = ANPU_TIMEOUT_NEVER,
					  .cond = ANPU_SEM_GE,
					  .width = 8,
				  } };
	aclError ret;

	ret = anpu_stream_enter(s, 0);
	if (ret)
		return ret;
	ret = anpu_stream_submit_internal(s, &pkt);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

void anpu_marks_dropped(struct anpu_stream *s)
{
	struct anpu_marks *m;
	uint64_t reached, last;

	pthread_mutex_lock(&s->lock);
	m = s->marks;
	last = m ? atomic_load(&m->count) : 0;
	reached = m ? __atomic_load_n(&m->slot.cpu->value, __ATOMIC_SEQ_CST) : 0;
	/* the device looks at it within a millisecond */
	while (reached < last &&
	       !__atomic_compare_exchange_n(&m->slot.cpu->value, &reached, last, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	/* waits may have been dropped as well */
	memset(s->follows, 0, sizeof(s->follows));
	pthread_mutex_unlock(&s->lock);
}

void anpu_follow(struct anpu_stream *s, const struct anpu_stream *other, uint64_t seq)
{
	struct anpu_follow *f = NULL;
	uint32_t i;

	if (s == other)
		return;
	pthread_mutex_lock(&s->lock);
	if (s->graph) { /* the wait was recorded into a graph, which may run later or never */
		pthread_mutex_unlock(&s->lock);
		return;
	}
	for (i = 0; i < ANPU_FOLLOWS && !f; i++)
		if (s->follows[i].number == other->number)
			f = &s->follows[i];
	if (!f) {
		f = &s->follows[s->next_follow++ % ANPU_FOLLOWS];
		*f = (struct anpu_follow){ .number = other->number };
	}
	f->seq = max_u64(f->seq, seq);
	if (anpu_checking())
		anpu_races_follow(s->number, other->number, seq, atomic_load(&s->last_seq));
	pthread_mutex_unlock(&s->lock);
}

uint64_t anpu_followed(const struct anpu_stream *s, const struct anpu_stream *other)
{
	uint32_t i;

	for (i = 0; i < ANPU_FOLLOWS; i++)
		if (s->follows[i].number == other->number)
			return s->follows[i].seq;
	return 0;
}
