// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Output of operators: STREAM_CREATE's print buffer, and what operators put there. */
#include "anpu_test.h"

#define CODE	VA(10)
#define TEXT	VA(11)
#define BUF	VA(12)
#define RING	VA(13)

/* PRINT: custom-1, R-type, funct7 is the operation; a0 = text, a1 = bytes */
#define SYS_PRINT	6
#define RV_PRINT	((uint32_t)SYS_PRINT << 25 | R_A1 << 20 | R_A0 << 15 | 0x2b)

FIXTURE(print) {
	int fd;
	uint32_t *code;
	uint64_t *args;
	struct anpu_print_buffer *buf;
	uint8_t *ring;
};

FIXTURE_SETUP(print)
{
	const uint32_t code[] = { RV_LD(R_A1, 8, R_A0), RV_LD(R_A0, 0, R_A0), RV_PRINT, RV_RET };

	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	self->code = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, CODE, RX, NULL);
	self->args = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, TEXT, RW, NULL);
	self->buf = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, BUF, RW, NULL);
	self->ring = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, RING, RW, NULL);
	ASSERT_NE(MAP_FAILED, self->code);
	ASSERT_NE(MAP_FAILED, self->args);
	ASSERT_NE(MAP_FAILED, self->buf);
	ASSERT_NE(MAP_FAILED, self->ring);
	memcpy(self->code, code, sizeof(code));
	self->args[0] = TEXT + 64;
	self->args[1] = 5;
	memcpy(self->args + 8, "hello", 5);
	self->buf->ring = RING;
	self->buf->size = PAGE;
}

FIXTURE_TEARDOWN(print)
{
	close(self->fd);
}

static int create(int fd, uint64_t print, uint32_t flags, uint32_t *stream)
{
	struct drm_anpu_stream_create args = { .flags = flags, .priority = 4, .print = print };
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);

	*stream = args.stream;
	return ret;
}

static union anpu_packet pkt_print(uint32_t blocks)
{
	union anpu_packet pkt = pkt_kernel(CODE, TEXT, 64, 0);

	pkt.kernel.grid_x = blocks;
	pkt.hdr.task_id = 77;
	return pkt;
}

TEST_F(print, is_announced)
{
	struct drm_anpu_info info = {};
	struct drm_anpu_dev_query q = {
		.type = DRM_ANPU_QUERY_INFO, .size = sizeof(info), .pointer = (uintptr_t)&info,
	};

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &q));
	EXPECT_EQ(DRM_ANPU_INFO_PRINT, info.flags & DRM_ANPU_INFO_PRINT);
}

TEST_F(print, bad_addresses)
{
	uint32_t s;

	EXPECT_EQ(-EINVAL, create(self->fd, BUF + 8, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, BUF + ANPU_PRINT_ALIGN / 2, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, 4096, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, 1ULL << 48, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, -4096ULL, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, VA_END, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, VA_START - ANPU_PRINT_ALIGN, 0, &s));
	/* Whether anything is mapped there is another question. */
	EXPECT_EQ(0, create(self->fd, VA_START, 0, &s));
	EXPECT_EQ(0, create(self->fd, VA_END - ANPU_PRINT_ALIGN, 0, &s));
	EXPECT_EQ(0, create(self->fd, VA(100), 0, &s));
}

/* A program that was built before there was the field. */
TEST_F(print, older_struct)
{
	struct drm_anpu_stream_create args = { .priority = 4, .print = 8 };
	unsigned long old = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
				 DRM_COMMAND_BASE + DRM_ANPU_STREAM_CREATE,
				 offsetof(struct drm_anpu_stream_create, print));
	union anpu_packet pkt = pkt_print(1);

	ASSERT_EQ(0, do_ioctl(self->fd, old, &args));
	EXPECT_EQ(8, args.print);
	ASSERT_EQ(0, run(self->fd, args.stream, &pkt, 1));
	EXPECT_EQ(0, self->buf->head);
}

TEST_F(print, texts_arrive)
{
	struct anpu_print_record *rec = (void *)self->ring;
	union anpu_packet pkt = pkt_print(3);
	uint32_t s;

	ASSERT_EQ(0, create(self->fd, BUF, 0, &s));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	ASSERT_EQ(3 * (sizeof(*rec) + 8), self->buf->head);
	EXPECT_EQ(0, self->buf->lost);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(5, rec->size);
		EXPECT_EQ(77, rec->task_id);
		EXPECT_EQ(0, memcmp(rec + 1, "hello\0\0", 8));
		rec = (void *)((char *)(rec + 1) + 8);
	}
}

TEST_F(print, what_has_no_room_is_counted)
{
	union anpu_packet pkt = pkt_print(1000);
	uint32_t s;

	ASSERT_EQ(0, create(self->fd, BUF, 0, &s));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(PAGE / 40, self->buf->head / 40);
	EXPECT_EQ(1000 - PAGE / 40, self->buf->lost);
	EXPECT_EQ(5 * (1000 - PAGE / 40), self->buf->lost_bytes);
}

TEST_F(print, two_streams_share_a_buffer)
{
	union anpu_packet pkt = pkt_print(10);
	uint32_t a, b;
	uint64_t seq;

	ASSERT_EQ(0, create(self->fd, BUF, 0, &a));
	ASSERT_EQ(0, create(self->fd, BUF, 0, &b));
	ASSERT_EQ(0, submit(self->fd, a, &pkt, 1, &seq));
	ASSERT_EQ(0, run(self->fd, b, &pkt, 1));
	ASSERT_EQ(0, wait_seq(self->fd, a, seq));
	EXPECT_EQ(20 * 40, self->buf->head);
}

/* The kernel survives, and so do all others, whatever the buffer says. */
TEST_F(print, a_wild_buffer_faults_the_operator)
{
	union anpu_packet pkt = pkt_print(1);
	struct anpu_fault fault;
	uint32_t s;

	ASSERT_EQ(0, create(self->fd, VA(100), 0, &s));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, s, &fault));
	EXPECT_EQ(VA(100), fault.addr);
	EXPECT_NE(NULL, strstr(fault.message, "PRINT"));

	ASSERT_EQ(0, create(self->fd, CODE, 0, &s));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(ANPU_FAULT_PERMISSION, last_fault(self->fd, s, &fault));

	ASSERT_EQ(0, create(self->fd, BUF, 0, &s));
	self->buf->ring = 0x1000;
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, s, &fault));
	EXPECT_EQ(0x1000, fault.addr);
	self->buf->ring = RING;
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(40, self->buf->head);
}

TEST_F(print, a_reset_keeps_the_buffer)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM };
	union anpu_packet pkt = pkt_print(1);

	ASSERT_EQ(0, create(self->fd, BUF, 0, &reset.stream));
	ASSERT_EQ(0, run(self->fd, reset.stream, &pkt, 1));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
	ASSERT_EQ(0, run(self->fd, reset.stream, &pkt, 1));
	EXPECT_EQ(80, self->buf->head);
}

TEST_HARNESS_MAIN
