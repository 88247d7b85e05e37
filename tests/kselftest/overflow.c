// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Overflows of kernels: STREAM_CREATE's overflow table, and what kernels note there. */
#include "anpu_test.h"

#define CODE	VA(10)
#define TABLE	VA(12)	/* 64 entries, as one page is mapped */

/* fdiv.s fa0, fa1, fa1 with all registers zero: 0 / 0, which is NaN */
#define RV_FDIV_S	(0x0cU << 25 | 11 << 20 | 11 << 15 | 7 << 12 | 10 << 7 | 0x53)

FIXTURE(overflow) {
	int fd;
	struct anpu_overflow *table;
};

FIXTURE_SETUP(overflow)
{
	/* what is not NaN-boxed is NaN: so 0 has to be made */
	const uint32_t code[] = { 0xf0000053U | 11 << 7, RV_FDIV_S, RV_RET };
	uint32_t *at;

	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	at = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, CODE, RX, NULL);
	self->table = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, TABLE, RW, NULL);
	ASSERT_NE(MAP_FAILED, at);
	ASSERT_NE(MAP_FAILED, self->table);
	memcpy(at, code, sizeof(code));
}

FIXTURE_TEARDOWN(overflow)
{
	close(self->fd);
}

static int create(int fd, uint64_t overflow, uint32_t flags, uint32_t *stream)
{
	struct drm_anpu_stream_create args = { .flags = flags, .priority = 4, .overflow = overflow };
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);

	*stream = args.stream;
	return ret;
}

static union anpu_packet pkt_noting(unsigned int entry)
{
	union anpu_packet pkt = pkt_kernel(CODE, 0, 0, 0);

	pkt.hdr.flags = ANPU_KERNEL_OVERFLOW | ANPU_KERNEL_OVERFLOW_ENTRY(entry);
	return pkt;
}

TEST_F(overflow, is_announced)
{
	struct drm_anpu_info info = {};
	struct drm_anpu_dev_query q = {
		.type = DRM_ANPU_QUERY_INFO, .size = sizeof(info), .pointer = (uintptr_t)&info,
	};

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &q));
	EXPECT_EQ(DRM_ANPU_INFO_OVERFLOW, info.flags & DRM_ANPU_INFO_OVERFLOW);
}

TEST_F(overflow, bad_addresses)
{
	uint32_t s;

	EXPECT_EQ(-EINVAL, create(self->fd, TABLE + 64, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, TABLE + ANPU_OVERFLOW_ALIGN / 2, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, 4096, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, 1ULL << 48, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, -4096ULL, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, VA_END, 0, &s));
	EXPECT_EQ(-EINVAL, create(self->fd, VA_START - ANPU_OVERFLOW_ALIGN, 0, &s));
	/* Whether anything is mapped there is another question. */
	EXPECT_EQ(0, create(self->fd, VA_START, 0, &s));
	EXPECT_EQ(0, create(self->fd, VA_END - ANPU_OVERFLOW_ALIGN, 0, &s));
	EXPECT_EQ(0, create(self->fd, VA(100), 0, &s));
}

/* A program that was built before there was the field. */
TEST_F(overflow, older_struct)
{
	struct drm_anpu_stream_create args = { .priority = 4, .overflow = 8 };
	unsigned long old = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
				 DRM_COMMAND_BASE + DRM_ANPU_STREAM_CREATE,
				 offsetof(struct drm_anpu_stream_create, overflow));
	union anpu_packet pkt = pkt_noting(0);
	struct anpu_fault fault;

	ASSERT_EQ(0, do_ioctl(self->fd, old, &args));
	EXPECT_EQ(8, args.overflow);
	ASSERT_EQ(0, run(self->fd, args.stream, &pkt, 1));
	EXPECT_EQ(ANPU_FAULT_BAD_PACKET, last_fault(self->fd, args.stream, &fault));
	EXPECT_NE(NULL, strstr(fault.message, "no overflow table"));
}

TEST_F(overflow, kernels_note)
{
	union anpu_packet pkt = pkt_noting(0), none = pkt_kernel(CODE, 0, 0, 0);
	uint32_t s;

	ASSERT_EQ(0, create(self->fd, TABLE, 0, &s));
	ASSERT_EQ(0, run(self->fd, s, &none, 1));
	EXPECT_EQ(0, self->table[0].status);
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(ANPU_OVERFLOW_INVALID, self->table[0].status);
	pkt = pkt_noting(63);
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(ANPU_OVERFLOW_INVALID, self->table[63].status);
	EXPECT_EQ(0, self->table[1].status);
}

TEST_F(overflow, an_entry_that_is_not_mapped_faults_the_operator)
{
	union anpu_packet pkt = pkt_noting(64);
	struct anpu_fault fault;
	uint32_t s;

	ASSERT_EQ(0, create(self->fd, TABLE, 0, &s));
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, s, &fault));
	EXPECT_EQ(TABLE + 4096, fault.addr);
	EXPECT_NE(NULL, strstr(fault.message, "OVERFLOW"));
	ASSERT_EQ(0, create(self->fd, CODE, 0, &s));
	pkt = pkt_noting(0);
	ASSERT_EQ(0, run(self->fd, s, &pkt, 1));
	EXPECT_EQ(ANPU_FAULT_PERMISSION, last_fault(self->fd, s, &fault));
}

TEST_F(overflow, an_entry_needs_the_flag)
{
	union anpu_packet pkt = pkt_noting(5);
	uint64_t seq;
	uint32_t s;

	ASSERT_EQ(0, create(self->fd, TABLE, 0, &s));
	pkt.hdr.flags &= ~ANPU_KERNEL_OVERFLOW;
	EXPECT_EQ(-EINVAL, submit(self->fd, s, &pkt, 1, &seq));
	pkt.hdr.flags = 1 << 5;
	EXPECT_EQ(-EINVAL, submit(self->fd, s, &pkt, 1, &seq));
}

TEST_F(overflow, a_reset_keeps_the_table)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM };
	union anpu_packet pkt = pkt_noting(0);

	ASSERT_EQ(0, create(self->fd, TABLE, 0, &reset.stream));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
	ASSERT_EQ(0, run(self->fd, reset.stream, &pkt, 1));
	EXPECT_EQ(ANPU_OVERFLOW_INVALID, self->table[0].status);
}

TEST_HARNESS_MAIN
