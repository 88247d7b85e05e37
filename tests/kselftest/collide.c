// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Work that reaches the driver from several sides at once: each test holds one side at a
 * certain place until the other has passed. Needs a device that fails on request (inject=on) and one
 * processor, which whoever is held back does not get.
 */
#include <sys/sysinfo.h>

#include "faulty.h"
#include "hold.h"

#define ONCE(queue)	ANPU_INJECT(1, queue, 0)
#define ALWAYS(queue)	ANPU_INJECT(ANPU_INJECT_ALWAYS, queue, 0)

FIXTURE(collide) {
	int fd;
	uint64_t *mem;
};

FIXTURE_SETUP(collide)
{
	if (!can_inject())
		SKIP(return, "this device does not fail on request, see machines");
	if (get_nprocs() != 1)
		SKIP(return, "work of the kernel cannot be held back on several processors");
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
}

FIXTURE_TEARDOWN(collide)
{
	inject_nothing();
	set_parameter("watchdog_ms", "10000");
	set_parameter("stop_timeout_ms", "1000");
	close(self->fd);
	forget_dumps();
}

/* Closing a file and the watchdog ------------------------------------------------------------- */

struct closer {
	int fd;
	uint32_t stream;
	int next_fd;
	struct stream next;
	int ret;
	_Atomic pid_t tid;
	_Atomic bool done;
};

static void *submit_and_close(void *arg)
{
	struct closer *c = arg;
	union anpu_packet block = pkt_wait(VA(0), 1), nops[32];
	uint32_t submitted = 0;

	for (int i = 0; i < 32; i++)
		nops[i] = pkt_nop();
	c->ret = set_last(0);
	c->tid = gettid();
	/* It sleeps until there is room. The file is closed when it comes back, and the queue is the next stream's. */
	if (!c->ret)
		c->ret = submit_flags(c->fd, c->stream, nops, 32, 0, NULL, &submitted);
	if (!c->ret && submitted != 15)
		c->ret = -EBADE;
	if (!c->ret)
		c->ret = stream_create(c->next_fd, 0, 16, &c->next);
	if (!c->ret)
		c->ret = submit(c->next_fd, c->next.id, &block, 1, NULL);
	c->done = true;
	return NULL;
}

/*
 * The watchdog ends a stream that stands still, and waits for somebody who submits to it. Before
 * its turn comes the file is closed: then the queue is not the stream's any more.
 */
TEST_F_TIMEOUT(collide, a_closed_file_and_the_watchdog, 120)
{
	struct closer c;
	union anpu_packet nop = pkt_nop();
	pthread_t thread;
	struct hog hog;
	struct stream s;

	/* Another thread of the kernel may have the queue for a moment longer: then the next stream has another one. */
	for (int i = 0; i < 5; i++) {
		c = (struct closer){ .fd = anpu_open(), .next_fd = self->fd };
		ASSERT_GE(c.fd, 0);
		ASSERT_EQ(0, set_parameter("watchdog_ms", "600000"));
		ASSERT_EQ(0, stream_create(c.fd, 0, 16, &s));
		c.stream = s.id;
		ASSERT_EQ(0, munmap((void *)s.status, PAGE));
		ASSERT_EQ(0, inject(ANPU_INJECT_COMPLETED, ALWAYS(s.queue)));
		ASSERT_EQ(0, submit(c.fd, c.stream, &nop, 1, NULL));
		ASSERT_EQ(0, pthread_create(&thread, NULL, submit_and_close, &c));
		ASSERT_TRUE(SOON(asleep_in(c.tid, "anpu_submit_ioctl")));
		/* The submitter is woken when the stream is dead, and goes on when it has a priority. */
		ASSERT_EQ(0, hog_start(&hog));
		ASSERT_EQ(0, set_first(0, 1));
		ASSERT_EQ(0, set_parameter("watchdog_ms", "400"));
		ASSERT_TRUE(SOON(stack_has("/proc/[0-9]*/stack", "anpu_stream_end")));
		inject_nothing();
		/* The file goes with the submitter's reference. */
		ASSERT_EQ(0, close(c.fd));
		ASSERT_EQ(0, set_first(c.tid, 2));
		EXPECT_TRUE(hog_until(&c.done));
		ASSERT_EQ(0, set_first(0, 0));
		hog_stop(&hog);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, c.ret);
		if (s.queue == c.next.queue)
			break;
		self->mem[0] = 1;
		ASSERT_EQ(0, stream_destroy(self->fd, c.next.id));
		self->mem[0] = 0;
	}
	ASSERT_EQ(s.queue, c.next.queue);
	ASSERT_TRUE(SOON(!stack_has("/proc/[0-9]*/stack", "anpu_stream_end")));
	self->mem[0] = 1;
	EXPECT_EQ(0, run(self->fd, c.next.id, &nop, 1));
	EXPECT_EQ(0, c.next.status->errors);
}

/* STREAM_SET and RESET ------------------------------------------------------------------------- */

struct setter {
	int fd;
	uint32_t stream;
	int ret;
	_Atomic pid_t tid;
	_Atomic bool done;
};

static void *let_go_on(void *arg)
{
	struct setter *s = arg;
	struct drm_anpu_stream_set args = { .stream = s->stream };

	s->tid = gettid();
	s->ret = do_ioctl(s->fd, DRM_IOCTL_ANPU_STREAM_SET, &args);
	return NULL;
}

static void *reset_stream(void *arg)
{
	struct setter *s = arg;
	struct drm_anpu_reset args = { .scope = DRM_ANPU_RESET_STREAM, .stream = s->stream };

	/* The thread that started this one keeps the other processor. */
	s->ret = set_first(0, 2) ?: do_ioctl(s->fd, DRM_IOCTL_ANPU_RESET, &args);
	s->done = true;
	return NULL;
}

/* The command GO_ON has been given, and before the driver has the new mode the queue starts anew. */
TEST_F_TIMEOUT(collide, a_new_mode_and_a_reset, 120)
{
	struct drm_anpu_stream_set stop = { .flags = DRM_ANPU_STREAM_STOP_ON_FAILURE };
	union anpu_packet pkts[2] = { pkt_fill(8, 8, 0), pkt_nop() };
	struct setter setter = { .fd = self->fd }, resetter = { .fd = self->fd };
	pthread_t threads[2];
	struct stream s;

	ASSERT_EQ(0, stream_create(self->fd, 0, 16, &s));
	setter.stream = resetter.stream = stop.stream = s.id;
	/* The number of commands begins again with a reset: it is another one then. */
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &stop));
	ASSERT_EQ(0, set_parameter("stop_timeout_ms", "600000"));
	ASSERT_EQ(0, inject(ANPU_INJECT_STOP, ONCE(s.queue)));
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, let_go_on, &setter));
	ASSERT_TRUE(SOON(asleep_in(setter.tid, "anpu_stream_command")));
	ASSERT_EQ(0, set_first(0, 1));
	/* It inherits that. */
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, reset_stream, &resetter));
	EXPECT_TRUE(hog_until(&resetter.done));
	ASSERT_EQ(0, set_first(0, 0));
	ASSERT_EQ(0, pthread_join(threads[1], NULL));
	ASSERT_EQ(0, pthread_join(threads[0], NULL));
	ASSERT_EQ(0, resetter.ret);
	EXPECT_EQ(0, setter.ret);
	EXPECT_EQ(0, run(self->fd, s.id, pkts, 2));
	EXPECT_EQ(1, s.status->errors);
}

TEST_HARNESS_MAIN
