// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A device that lacks what came later (x-hide-caps): what needs that says so, the rest works. */
#include "faulty.h"

FIXTURE(old) {
	int fd;
	struct stream s;
};

FIXTURE_SETUP(old)
{
	struct drm_anpu_info info;
	struct drm_anpu_dev_query query = {
		.type = DRM_ANPU_QUERY_INFO, .size = sizeof(info), .pointer = (uintptr_t)&info,
	};

	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &query));
	if (info.flags & (DRM_ANPU_INFO_USER_QUEUES | DRM_ANPU_INFO_PRINT | DRM_ANPU_INFO_ABORT |
			  DRM_ANPU_INFO_MAX_CORES | DRM_ANPU_INFO_OVERFLOW | DRM_ANPU_INFO_TRACE))
		SKIP(return, "this device has everything");
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
}

FIXTURE_TEARDOWN(old)
{
	close(self->fd);
}

TEST_F(old, what_it_lacks)
{
	struct drm_anpu_stream_create user = { .priority = 4, .flags = DRM_ANPU_STREAM_USER_QUEUE };
	struct drm_anpu_stream_create print = { .priority = 4, .print = VA(0) };
	struct drm_anpu_stream_create overflow = { .priority = 4, .overflow = VA(0) };
	struct drm_anpu_stream_create trace = { .priority = 4, .trace = VA(0) };
	struct drm_anpu_stream_create group = { .priority = 4, .group = 1 };
	struct drm_anpu_stream_set set = { .stream = self->s.id };
	struct drm_anpu_stream_set priority = { .stream = self->s.id, .flags = DRM_ANPU_STREAM_SET_PRIORITY,
						.priority = 3 };
	struct drm_anpu_reset abort = { .scope = DRM_ANPU_ABORT_STREAM, .stream = self->s.id };
	struct drm_anpu_reset end = { .scope = DRM_ANPU_END_TASK, .stream = self->s.id, .seq = 1 };
	struct drm_anpu_dev_query busy = { .type = DRM_ANPU_QUERY_BUSY };

	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &user));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &print));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &overflow));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &trace));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &group));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &set));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &priority));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &abort));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &end));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &busy));
}

TEST_F(old, tools_of_benchmarks_that_it_lacks)
{
	char path[300], text[32];
	int fd;

	find_file(DEVICE_FILES "calibrate", path, sizeof(path));
	EXPECT_EQ(-EOPNOTSUPP, write_file(path, "4096"));
	fd = open(path, O_RDONLY);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-1, read(fd, text, sizeof(text)));
	EXPECT_EQ(EOPNOTSUPP, errno);
	close(fd);
}

TEST_F(old, a_limit_of_cores_is_a_reserved_byte)
{
	union anpu_packet pkt = { .kernel = { .hdr.opcode = ANPU_OP_KERNEL, .entry = VA(0),
		.grid_x = 1, .grid_y = 1, .grid_z = 1, .max_cores = 1 } };
	struct anpu_fault fault;

	ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
	EXPECT_EQ(ANPU_FAULT_BAD_PACKET, last_fault(self->fd, self->s.id, &fault));
	EXPECT_NE(NULL, strstr(fault.message, "reserved byte 59"));
}

TEST_F(old, what_it_has)
{
	union anpu_packet pkts[2] = { pkt_fill(VA(0), PAGE, 7), pkt_copy(VA(1), VA(0), PAGE) };
	unsigned char *hbm, *system;

	/* Its HBM is mapped uncached; what it computes is the same. */
	hbm = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL);
	system = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, VA(1), RW, NULL);
	ASSERT_NE(MAP_FAILED, hbm);
	ASSERT_NE(MAP_FAILED, system);
	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 2));
	EXPECT_EQ(0, self->s.status->errors);
	EXPECT_EQ(7, hbm[PAGE - 1]);
	EXPECT_EQ(7, system[PAGE - 1]);
}

TEST_F(old, hbm_of_others_is_out_of_reach)
{
	struct drm_prime_handle share = { .flags = DRM_CLOEXEC | DRM_RDWR };
	int other = open("/dev/accel/accel1", O_RDWR);

	if (other < 0)
		SKIP(return, "this machine has only one NPU");
	ASSERT_EQ(0, bo_create(other, DRM_ANPU_BO_HBM, PAGE, 0, 0, &share.handle));
	ASSERT_EQ(0, do_ioctl(other, DRM_IOCTL_PRIME_HANDLE_TO_FD, &share));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &share));
	close(other);
}

TEST_HARNESS_MAIN
