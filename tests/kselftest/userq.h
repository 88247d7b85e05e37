/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Submission without system calls, as DRM_ANPU_STREAM_USER_QUEUE wants it done, under the same names
 * and results as with SUBMIT: so one test runs both ways.
 */
#ifndef ANPU_TEST_USERQ_H
#define ANPU_TEST_USERQ_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <anpu/anpu_packet.h>
#include <drm/anpu_accel.h>

struct user_queue {
	int fd;
	uint32_t id;
	uint64_t size;
	union anpu_packet *ring;
	volatile struct anpu_queue_control *control;
	volatile uint64_t *doorbell;
	const volatile struct anpu_queue_status *status;
};

/* The user queues of this process; a closed file's are overwritten by a new file's of the same number. */
static struct user_queue user_queues[64];

static inline struct user_queue *user_queue_find(int fd, uint32_t id)
{
	for (int i = 0; i < 64; i++) {
		if (user_queues[i].id == id && user_queues[i].fd == fd)
			return &user_queues[i];
	}
	return NULL;
}

static inline void user_queue_forget(int fd, uint32_t id)
{
	struct user_queue *q = user_queue_find(fd, id);

	if (q)
		memset(q, 0, sizeof(*q));
}

/* Maps what STREAM_CREATE has given. 0 or -errno. */
static inline int user_queue_map(int fd, const struct drm_anpu_stream_create *args,
				 const volatile struct anpu_queue_status *status)
{
	static unsigned int next;
	struct user_queue *q = user_queue_find(fd, args->stream);
	uint64_t bytes = (args->ring_entries * 64ULL + 4095) & ~4095ULL;
	void *ring, *control, *doorbell;

	/* the place of a stream that is gone, or that of the oldest one */
	for (int i = 0; !q && i < 64; i++)
		if (!user_queues[i].ring)
			q = &user_queues[i];
	if (!q)
		q = &user_queues[next++ % 64];
	ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args->ring_offset);
	control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args->control_offset);
	doorbell = mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, args->doorbell_offset);
	if (ring == MAP_FAILED || control == MAP_FAILED || doorbell == MAP_FAILED)
		return -errno;
	*q = (struct user_queue){ fd, args->stream, args->ring_entries, ring, control, doorbell,
				  status };
	return 0;
}

static inline void user_queue_publish(struct user_queue *q, uint64_t wptr)
{
	__atomic_store_n(&q->control->wptr, wptr, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!q->status->polling)
		*q->doorbell = wptr;
}

static inline int user_queue_state(const struct user_queue *q)
{
	if (q->status->state == ANPU_QUEUE_STOPPED)
		return -EIO;
	return q->status->state == ANPU_QUEUE_HALTED ? -ECANCELED : 0;
}

static inline bool user_queue_full(const struct user_queue *q, uint64_t wptr)
{
	return wptr - __atomic_load_n(&q->status->completed, __ATOMIC_ACQUIRE) >= q->size;
}

static inline int user_queue_submit(struct user_queue *q, const union anpu_packet *pkts,
				    uint32_t count, bool nonblock, uint64_t *seq, uint32_t *submitted)
{
	uint64_t wptr = q->control->wptr;
	int ret = user_queue_state(q);
	uint32_t done = 0;

	while (!ret && done < count) {
		if (!user_queue_full(q, wptr)) {
			q->ring[wptr++ % q->size] = pkts[done++];
			continue;
		}
		user_queue_publish(q, wptr);
		if (nonblock)
			break;
		usleep(50);
		ret = user_queue_state(q);
	}
	if (done)
		user_queue_publish(q, wptr);
	if (seq)
		*seq = wptr;
	if (submitted)
		*submitted = done;
	return done ? 0 : ret ? ret : -EAGAIN;
}

#endif /* ANPU_TEST_USERQ_H */
