// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* STREAM_CREATE and STREAM_DESTROY. */
#include "faulty.h"

FIXTURE(streams) {
	int fd;
};

FIXTURE_SETUP(streams)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(streams)
{
	close(self->fd);
}

static int create(int fd, struct drm_anpu_stream_create args)
{
	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);
}

TEST_F(streams, bad_arguments)
{
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_anpu_stream_create){ .flags = 1 << 7 }));
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_anpu_stream_create){ .priority = 8 }));
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_anpu_stream_create){ .priority = 4,
				  .ring_entries = 8 }));
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_anpu_stream_create){ .priority = 4,
				  .ring_entries = 100 }));
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_anpu_stream_create){ .priority = 4,
				  .ring_entries = 131072 }));
	/* the ends of what is right */
	EXPECT_EQ(0, create(self->fd, (struct drm_anpu_stream_create){ .priority = 7,
				  .ring_entries = 16 }));
	EXPECT_EQ(0, create(self->fd, (struct drm_anpu_stream_create){ .priority = 4,
				  .ring_entries = 65536 }));
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_anpu_stream_create){ .priority = 4,
				  .ring_entries = 65535 }));
	EXPECT_EQ(-EINVAL, create(self->fd, (struct drm_anpu_stream_create){ .priority = 4,
				  .ring_entries = 17 }));
}

TEST_F(streams, result)
{
	struct drm_anpu_stream_create a = { .priority = 4 }, b = { .priority = 7,
		.ring_entries = 16 };

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &a));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &b));
	EXPECT_NE(0, a.stream);
	EXPECT_NE(a.stream, b.stream);
	EXPECT_NE(a.queue, b.queue);
	EXPECT_NE(a.status_offset, b.status_offset);
	EXPECT_GE(a.ring_entries, 16);
	EXPECT_EQ(16, b.ring_entries);
	EXPECT_EQ(0, a.ring_offset | a.control_offset | a.doorbell_offset);
}

/* How many packets the ring of a program has that does not say: a parameter, made what a ring can be */
TEST_F(streams, default_ring)
{
	const struct {
		const char *parameter;
		uint32_t entries;
	} rings[] = { { "1", 16 }, { "100", 128 }, { "4096", 4096 }, { "1000000", 65536 }, { "1024", 1024 } };

	if (set_parameter("ring_entries", "1024"))
		SKIP(return, "only root can set parameters");
	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
		struct drm_anpu_stream_create args = { .priority = 4 };

		ASSERT_EQ(0, set_parameter("ring_entries", rings[i].parameter));
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args));
		EXPECT_EQ(rings[i].entries, args.ring_entries);
	}
}

TEST_F(streams, high_priority_needs_a_capability)
{
	EXPECT_EQ(0, create(self->fd, (struct drm_anpu_stream_create){ .priority = 0 }));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_EQ(-EACCES, create(self->fd, (struct drm_anpu_stream_create){ .priority = 1 }));
	EXPECT_EQ(0, create(self->fd, (struct drm_anpu_stream_create){ .priority = 2 }));
}

TEST_F(streams, largest_ring)
{
	union anpu_packet pkts[64];
	struct stream s;

	for (int i = 0; i < 64; i++)
		pkts[i] = pkt_nop();
	ASSERT_EQ(0, stream_create(self->fd, 0, 65536, &s));
	EXPECT_EQ(0, run(self->fd, s.id, pkts, 64));
	EXPECT_EQ(64, s.status->completed);
}

TEST_F(streams, destroy)
{
	struct drm_anpu_stream_destroy args;
	union anpu_packet nop = pkt_nop();
	struct stream s;

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	args = (struct drm_anpu_stream_destroy){ .stream = s.id, .pad = 1 };
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_DESTROY, &args));
	EXPECT_EQ(0, stream_destroy(self->fd, s.id));
	EXPECT_EQ(-ENOENT, stream_destroy(self->fd, s.id));
	EXPECT_EQ(-ENOENT, stream_destroy(self->fd, 0));
	EXPECT_EQ(-ENOENT, submit(self->fd, s.id, &nop, 1, NULL));
	EXPECT_EQ(-ENOENT, wait_seq(self->fd, s.id, 0));
}

TEST_F(streams, stale_identifier_is_not_the_next_stream)
{
	struct stream old, next;

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &old));
	ASSERT_EQ(0, stream_destroy(self->fd, old.id));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &next));
	EXPECT_NE(old.id, next.id);
	EXPECT_EQ(-ENOENT, wait_seq(self->fd, old.id, 0));
}

TEST_F(streams, all_queues)
{
	uint64_t free_before = hbm_free(self->fd);
	uint32_t count = 0, *ids = calloc(4096, sizeof(*ids));
	struct drm_anpu_info info = {};
	struct drm_anpu_dev_query ask = {
		.type = DRM_ANPU_QUERY_INFO, .size = sizeof(info), .pointer = (uintptr_t)&info,
	};
	struct drm_anpu_stream_create args;
	union anpu_packet nop = pkt_nop();
	int ret;

	for (;;) {
		args = (struct drm_anpu_stream_create){ .priority = 4, .ring_entries = 16 };
		ret = do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);
		if (ret || count == 4096)
			break;
		ids[count++] = args.stream;
	}
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_GT(count, 100);
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &ask));
	EXPECT_EQ(info.max_streams, count);
	for (uint32_t i = 0; i < count; i += 50)
		EXPECT_EQ(0, run(self->fd, ids[i], &nop, 1));
	EXPECT_EQ(0, run(self->fd, ids[count - 1], &nop, 1));
	for (uint32_t i = 0; i < count; i++)
		ASSERT_EQ(0, stream_destroy(self->fd, ids[i]));
	EXPECT_TRUE(SOON(hbm_free(self->fd) == free_before));
	free(ids);
}

/* A mapping of the status page keeps that page and no ring. */
TEST_F(streams, destroyed_streams_keep_no_ring)
{
	enum { COUNT = 40 };
	uint64_t before = hbm_free(self->fd), ring = 65536 * ANPU_PACKET_SIZE;
	struct stream s[COUNT];

	for (int i = 0; i < COUNT; i++)
		ASSERT_EQ(0, stream_create(self->fd, 0, 65536, &s[i]));
	EXPECT_GE(before - COUNT * ring, hbm_free(self->fd));
	for (int i = 0; i < COUNT; i++)
		ASSERT_EQ(0, stream_destroy(self->fd, s[i].id));
	EXPECT_TRUE(SOON(hbm_free(self->fd) + COUNT * PAGE >= before));
	for (int i = 0; i < COUNT; i++) {
		EXPECT_EQ(0, s[i].status->state);
		munmap((void *)s[i].status, PAGE);
	}
	EXPECT_TRUE(SOON(hbm_free(self->fd) == before));
}

TEST_F(streams, destroy_while_parked)
{
	union anpu_packet pkts[2];
	struct stream s;

	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	pkts[0] = pkt_wait(VA(0), 1);
	pkts[1] = pkt_nop();
	ASSERT_EQ(0, submit(self->fd, s.id, pkts, 2, NULL));
	while (s.status->state != ANPU_QUEUE_PARKED)
		usleep(1000);
	/* It ends although nobody signals. */
	EXPECT_EQ(0, stream_destroy(self->fd, s.id));
}

TEST_F(streams, destroy_wakes_waiters)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1);
	struct stream s;
	pid_t pid;
	int status;

	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, submit(self->fd, s.id, &pkt, 1, NULL));
	pid = fork();
	if (!pid)
		_exit(wait_seq(self->fd, s.id, 1) == -EIO ? 0 : 1);
	until_asleep(pid);
	EXPECT_EQ(0, stream_destroy(self->fd, s.id));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* The memory of a status page is given back when its last mapping goes. */
TEST_F(streams, status_pages_are_given_back)
{
	uint64_t before = hbm_free(self->fd);
	struct stream s;

	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, stream_create(self->fd, 0, 64, &s));
		ASSERT_EQ(0, stream_destroy(self->fd, s.id));
		ASSERT_EQ(0, munmap((void *)s.status, PAGE));
	}
	EXPECT_TRUE(SOON(hbm_free(self->fd) == before));
}

TEST_HARNESS_MAIN
