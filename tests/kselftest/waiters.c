// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* More waiters than an interrupt wakes, or looks at. */
#include <pthread.h>

#include "anpu_test.h"

#define TASKS	200

/* The kinds of waiting threads; each returns the result of WAIT. */
struct waiters {
	int fd;
	struct drm_anpu_wait_item items[DRM_ANPU_MAX_WAIT_ITEMS];
	uint32_t count;
	uint32_t flags;
	uint32_t begun;
	uint32_t ended;
	pthread_t threads[TASKS];
	uint32_t n_threads;
};

static void *waits(void *arg)
{
	struct waiters *w = arg;
	long ret;

	__atomic_add_fetch(&w->begun, 1, __ATOMIC_SEQ_CST);
	ret = wait_items(w->fd, w->items, w->count, w->flags, INT64_MAX, NULL);
	__atomic_add_fetch(&w->ended, 1, __ATOMIC_SEQ_CST);
	return (void *)ret;
}

static int waiters_start(struct waiters *w, uint32_t n)
{
	w->begun = 0;
	w->ended = 0;
	for (w->n_threads = 0; w->n_threads < n; w->n_threads++) {
		if (pthread_create(&w->threads[w->n_threads], NULL, waits, w))
			return -EAGAIN;
	}
	while (__atomic_load_n(&w->begun, __ATOMIC_SEQ_CST) < n)
		usleep(1000);
	/* And a moment to fall asleep in. */
	usleep(100000);
	return 0;
}

/* How many of them have ended with that. */
static uint32_t waiters_join(struct waiters *w, long wanted)
{
	uint32_t right = 0;
	void *ret;

	for (uint32_t i = 0; i < w->n_threads; i++) {
		if (!pthread_join(w->threads[i], &ret))
			right += (long)ret == wanted;
	}
	return right;
}

FIXTURE(waiters) {
	int fd;
	struct stream a;
	struct stream b;
	uint32_t bo;
	struct waiters *w;
};

FIXTURE_SETUP(waiters)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	/* With a user queue a program can wait for a packet before it submits it. */
	stream_mode = DRM_ANPU_STREAM_USER_QUEUE;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->a));
	stream_mode = 0;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->b));
	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, &self->bo));
	self->w = calloc(1, sizeof(*self->w));
	ASSERT_NE(NULL, self->w);
	self->w->fd = self->fd;
	self->w->count = 1;
}

FIXTURE_TEARDOWN(waiters)
{
	free(self->w);
	close(self->fd);
}

static struct drm_anpu_wait_item seq_item(uint32_t stream, uint64_t seq)
{
	return (struct drm_anpu_wait_item){ .type = DRM_ANPU_WAIT_SEQ, .stream = stream,
		.value = seq };
}

TEST_F(waiters, all_are_woken_by_a_packet)
{
	union anpu_packet pkt = pkt_nop();

	self->w->items[0] = seq_item(self->a.id, 1);
	ASSERT_EQ(0, waiters_start(self->w, TASKS));
	EXPECT_EQ(0, self->w->ended);
	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	EXPECT_EQ(TASKS, waiters_join(self->w, 0));
}

TEST_F(waiters, all_are_woken_by_the_last_of_several_packets)
{
	union anpu_packet pkt = pkt_nop();

	self->w->items[0] = seq_item(self->a.id, 2);
	self->w->items[1] = seq_item(self->a.id, 1);
	self->w->items[2] = seq_item(self->b.id, 0);
	self->w->count = 3;
	self->w->flags = DRM_ANPU_WAIT_ALL;
	ASSERT_EQ(0, waiters_start(self->w, TASKS));
	ASSERT_EQ(0, run(self->fd, self->a.id, &pkt, 1));
	EXPECT_EQ(0, __atomic_load_n(&self->w->ended, __ATOMIC_SEQ_CST));
	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	EXPECT_EQ(TASKS, waiters_join(self->w, 0));
}

TEST_F(waiters, all_are_woken_by_a_signal)
{
	union anpu_packet pkt = pkt_signal(VA(0), 1, ANPU_SEM_IRQ);

	self->w->items[0] = (struct drm_anpu_wait_item){ .type = DRM_ANPU_WAIT_MEMORY, .value = 1,
		.mask = ~0ULL, .handle = self->bo, .cond = ANPU_SEM_GE, .width = 8 };
	ASSERT_EQ(0, waiters_start(self->w, TASKS));
	EXPECT_EQ(0, self->w->ended);
	ASSERT_EQ(0, submit(self->fd, self->b.id, &pkt, 1, NULL));
	EXPECT_EQ(TASKS, waiters_join(self->w, 0));
}

TEST_F(waiters, all_are_woken_by_a_halt)
{
	union anpu_packet bad = pkt_fill(8, 8, 0);
	struct stream s;

	stream_mode = DRM_ANPU_STREAM_USER_QUEUE;
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_STOP_ON_FAILURE, 0, &s));
	self->w->items[0] = seq_item(s.id, 9);
	ASSERT_EQ(0, waiters_start(self->w, TASKS));
	ASSERT_EQ(0, submit(self->fd, s.id, &bad, 1, NULL));
	EXPECT_EQ(TASKS, waiters_join(self->w, -ECANCELED));
}

TEST_F(waiters, all_are_woken_by_the_end_of_the_stream)
{
	self->w->items[0] = seq_item(self->a.id, 1);
	ASSERT_EQ(0, waiters_start(self->w, TASKS));
	EXPECT_EQ(0, self->w->ended);
	ASSERT_EQ(0, stream_destroy(self->fd, self->a.id));
	EXPECT_EQ(TASKS, waiters_join(self->w, -EIO));
}

TEST_F(waiters, all_are_woken_by_a_reset_of_the_stream)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM, .stream = self->a.id };

	self->w->items[0] = seq_item(self->a.id, 1);
	ASSERT_EQ(0, waiters_start(self->w, TASKS));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
	EXPECT_EQ(TASKS, waiters_join(self->w, -EIO));
}

/* Each interrupt would look at them all, and with them this would not end in time. */
TEST_F(waiters, those_whose_time_has_not_come_cost_others_nothing)
{
	union anpu_packet pkt = pkt_nop();

	for (uint32_t i = 0; i < DRM_ANPU_MAX_WAIT_ITEMS; i++)
		self->w->items[i] = seq_item(self->a.id, 1000000 - i);
	self->w->count = DRM_ANPU_MAX_WAIT_ITEMS;
	ASSERT_EQ(0, waiters_start(self->w, TASKS));
	for (int i = 0; i < 3000; i++)
		ASSERT_EQ(0, run(self->fd, self->a.id, &pkt, 1));
	EXPECT_EQ(0, __atomic_load_n(&self->w->ended, __ATOMIC_SEQ_CST));
	ASSERT_EQ(0, stream_destroy(self->fd, self->a.id));
	EXPECT_EQ(TASKS, waiters_join(self->w, -EIO));
}

TEST_HARNESS_MAIN
