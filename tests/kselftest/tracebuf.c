// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Trace buffers: STREAM_CREATE's trace, and what packets and blocks leave there. */
#include "anpu_test.h"

#define CODE	VA(10)
#define BUFFER	VA(12)
#define RING	VA(14)
#define RECORDS	64

FIXTURE(tracebuf) {
	int fd;
	struct anpu_trace_buffer *buf;
	struct anpu_trace_record *ring;
};

FIXTURE_SETUP(tracebuf)
{
	uint32_t *code;

	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	code = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, CODE, RX, NULL);
	self->buf = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, BUFFER, RW, NULL);
	self->ring = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, RING, RW, NULL);
	ASSERT_NE(MAP_FAILED, code);
	ASSERT_NE(MAP_FAILED, self->buf);
	ASSERT_NE(MAP_FAILED, self->ring);
	*code = RV_RET;
	self->buf->ring = RING;
	self->buf->size = RECORDS;
}

FIXTURE_TEARDOWN(tracebuf)
{
	close(self->fd);
}

static int create(int fd, uint64_t trace, uint32_t *stream)
{
	struct drm_anpu_stream_create args = { .priority = 4, .trace = trace };
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);

	*stream = args.stream;
	return ret;
}

TEST_F(tracebuf, is_announced)
{
	struct drm_anpu_info info = {};
	struct drm_anpu_dev_query q = {
		.type = DRM_ANPU_QUERY_INFO, .size = sizeof(info), .pointer = (uintptr_t)&info,
	};

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &q));
	EXPECT_EQ(DRM_ANPU_INFO_TRACE, info.flags & DRM_ANPU_INFO_TRACE);
}

TEST_F(tracebuf, bad_addresses)
{
	uint32_t s;

	EXPECT_EQ(-EINVAL, create(self->fd, BUFFER + ANPU_TRACE_ALIGN / 2, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, 4096, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, 1ULL << 48, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, VA_END, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, VA_START - ANPU_TRACE_ALIGN, &s));
	/* Whether anything is mapped there is another question. */
	EXPECT_EQ(0, create(self->fd, VA_START, &s));
	EXPECT_EQ(0, create(self->fd, VA_END - ANPU_TRACE_ALIGN, &s));
	EXPECT_EQ(0, create(self->fd, VA(100), &s));
}

/* A program that was built before there was the field. */
TEST_F(tracebuf, older_struct)
{
	struct drm_anpu_stream_create args = { .priority = 4, .trace = 8 };
	unsigned long old = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
				 DRM_COMMAND_BASE + DRM_ANPU_STREAM_CREATE,
				 offsetof(struct drm_anpu_stream_create, trace));

	ASSERT_EQ(0, do_ioctl(self->fd, old, &args));
	EXPECT_EQ(8, args.trace);
}

TEST_F(tracebuf, a_kernel_and_its_blocks)
{
	union anpu_packet pkt = pkt_kernel(CODE, 0, 0, 0);
	unsigned int packets = 0, blocks = 0, i;
	uint32_t s;

	pkt.kernel.grid_x = 3;
	pkt.hdr.task_id = 99;
	ASSERT_EQ(0, create(self->fd, BUFFER, &s));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	for (i = 0; i < self->buf->head; i++) {
		const struct anpu_trace_record *r = &self->ring[i];

		EXPECT_EQ(i + 1, r->turn);
		EXPECT_EQ(99, r->task_id);
		EXPECT_EQ(1, r->seq);
		EXPECT_LE(r->begin_ns, r->end_ns);
		packets += r->kind == ANPU_TRACE_PACKET;
		blocks += r->kind == ANPU_TRACE_BLOCK && r->amount == CODE + 1;
	}
	EXPECT_EQ(1, packets);
	EXPECT_EQ(3, blocks);
}

TEST_F(tracebuf, nothing_fails_without_it)
{
	union anpu_packet pkt = pkt_kernel(CODE, 0, 0, 0);
	uint32_t s;

	ASSERT_EQ(0, create(self->fd, VA(100), &s));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	self->buf->size = 2;
	ASSERT_EQ(0, create(self->fd, BUFFER, &s));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(2, self->buf->head);
	EXPECT_EQ(2, self->buf->lost);
}

TEST_HARNESS_MAIN
