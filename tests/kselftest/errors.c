// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Errors that no other suite takes; Documentation/uapi-errors.md says which test takes which. */
#include "anpu_test.h"

TEST(no_new_streams_while_the_device_resets)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_DEVICE };
	int fd = anpu_open(), ret = 0, status;
	struct stream s;
	pid_t pid;

	ASSERT_GE(fd, 0);
	pid = fork();
	if (!pid) {
		for (;;) {
			if (do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &reset))
				_exit(1);
		}
	}
	/* One in thousands comes while it is under way; the harness ends this if none does. */
	while (ret != -EBUSY) {
		ret = stream_create(fd, 0, 16, &s);
		if (!ret)
			stream_destroy(fd, s.id);
		else if (ret != -EBUSY)
			ASSERT_EQ(-EIO, ret);
		if (s.status)
			munmap((void *)s.status, PAGE);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	EXPECT_TRUE(WIFSIGNALED(status));
	/* It does not stay so. */
	EXPECT_EQ(0, stream_create(fd, 0, 16, &s));
	close(fd);
}

TEST(waiters_of_a_destroyed_stream)
{
	union anpu_packet block = pkt_wait(VA(0), 1);
	int fd = anpu_open(), status;
	struct stream s;
	pid_t pid;

	ASSERT_GE(fd, 0);
	ASSERT_NE(MAP_FAILED, make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL));
	ASSERT_EQ(0, stream_create(fd, 0, 16, &s));
	ASSERT_EQ(0, submit(fd, s.id, &block, 1, NULL));
	pid = fork();
	if (!pid)
		_exit(wait_seq_until(fd, s.id, 1, INT64_MAX) == -EIO ? 0 : 1);
	until_asleep(pid);
	ASSERT_EQ(0, stream_destroy(fd, s.id));
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(-ENOENT, wait_seq(fd, s.id, 1));
	close(fd);
}

TEST(waiters_of_a_stream_that_is_reset)
{
	union anpu_packet block = pkt_wait(VA(0), 1);
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM };
	int fd = anpu_open(), status;
	struct stream s;
	pid_t pid;

	ASSERT_GE(fd, 0);
	ASSERT_NE(MAP_FAILED, make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL));
	ASSERT_EQ(0, stream_create(fd, 0, 16, &s));
	ASSERT_EQ(0, submit(fd, s.id, &block, 1, NULL));
	pid = fork();
	if (!pid)
		_exit(wait_seq_until(fd, s.id, 1, INT64_MAX) == -EIO ? 0 : 1);
	until_asleep(pid);
	reset.stream = s.id;
	ASSERT_EQ(0, do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &reset));
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	close(fd);
}

/* A pointer that cannot be accessed, in every ioctl that follows one. */
TEST(pointers_that_lead_nowhere)
{
	const uint64_t wild[] = { 8, 1ULL << 47, ~0ULL - 4095 };
	int fd = anpu_open();
	struct stream s;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, stream_create(fd, 0, 16, &s));
	for (int i = 0; i < 3; i++) {
		struct drm_anpu_array array = { .stride = 64, .count = 1, .array = wild[i] };
		struct drm_anpu_dev_query query = { .type = DRM_ANPU_QUERY_INFO, .size = 64,
			.pointer = wild[i] };
		struct drm_anpu_vm_bind bind = { .ops = array };
		struct drm_anpu_submit sub = { .stream = s.id, .packets = array };
		struct drm_anpu_wait wait = { .items = array };

		EXPECT_EQ(-EFAULT, do_ioctl(fd, DRM_IOCTL_ANPU_DEV_QUERY, &query));
		EXPECT_EQ(-EFAULT, do_ioctl(fd, DRM_IOCTL_ANPU_VM_BIND, &bind));
		EXPECT_EQ(-EFAULT, do_ioctl(fd, DRM_IOCTL_ANPU_SUBMIT, &sub));
		EXPECT_EQ(-EFAULT, do_ioctl(fd, DRM_IOCTL_ANPU_WAIT, &wait));
		/* The argument itself */
		EXPECT_EQ(-EFAULT, do_ioctl(fd, DRM_IOCTL_ANPU_BO_CREATE, (void *)wild[i]));
	}
	close(fd);
}

TEST_HARNESS_MAIN
