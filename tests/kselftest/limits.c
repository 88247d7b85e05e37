// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Limits on the share of a user without privileges, by module parameters. Root has no limit. */
#include <sys/stat.h>

#include "faulty.h"

#define NOBODY	65534

FIXTURE(limits) {
	int fd;
	mode_t mode;
};

FIXTURE_SETUP(limits)
{
	struct stat st;

	ASSERT_EQ(0, stat(anpu_node(), &st));
	self->mode = st.st_mode;
	ASSERT_EQ(0, chmod(anpu_node(), 0666));
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(limits)
{
	chmod(anpu_node(), self->mode & 07777);
	set_parameter("max_files_per_user", "0");
	set_parameter("max_queues_per_user", "0");
	set_parameter("max_hbm_per_user", "0");
	set_parameter("unprivileged_priority", "2");
	close(self->fd);
}

/* How many files an ordinary user can open, up to 8; the error of the next one. */
static int open_some(int *error)
{
	int n = 0, fd;

	while (n < 8 && (fd = anpu_open()) >= 0)
		n++;
	*error = n < 8 ? fd : 0;
	return n;
}

TEST_F(limits, files)
{
	int status, error;
	pid_t pid;

	ASSERT_EQ(0, set_parameter("max_files_per_user", "3"));
	pid = fork();
	if (!pid) {
		setresuid(NOBODY, NOBODY, NOBODY);
		_exit(open_some(&error) == 3 && error == -ENOSPC ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(8, open_some(&error));
}

/* Of all files of a user together, and given back with each. */
TEST_F(limits, queues)
{
	struct stream s[8];
	int status, fds[2];
	pid_t pid;

	ASSERT_EQ(0, set_parameter("max_queues_per_user", "4"));
	pid = fork();
	if (!pid) {
		setresuid(NOBODY, NOBODY, NOBODY);
		fds[0] = anpu_open();
		fds[1] = anpu_open();
		for (int i = 0; i < 4; i++) {
			if (stream_create(fds[i & 1], 0, 0, &s[i]))
				_exit(1);
		}
		if (stream_create(fds[0], 0, 0, &s[4]) != -ENOSPC)
			_exit(2);
		if (stream_destroy(fds[1], s[1].id) || stream_create(fds[0], 0, 0, &s[4]))
			_exit(3);
		/* Passed on by root, a file is root's. */
		_exit(stream_create(self->fd, 0, 0, &s[5]) ? 4 : 0);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(0, stream_create(self->fd, 0, 0, &s[i]));
}

/* A queue that is refused, as the device has no more, counts for nobody. */
TEST_F(limits, refused_queues)
{
	struct drm_anpu_stream_create args = { .priority = 4, .ring_entries = 16 };
	int status, fd, count = 0, got = 0, tried[2], lowered[2];
	char text[16];
	pid_t pid;

	while (!do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args))
		count++;
	close(self->fd);
	snprintf(text, sizeof(text), "%d", count + 8);
	ASSERT_EQ(0, set_parameter("max_queues_per_user", text));
	ASSERT_EQ(0, pipe(tried));
	ASSERT_EQ(0, pipe(lowered));
	pid = fork();
	if (!pid) {
		setresuid(NOBODY, NOBODY, NOBODY);
		fd = anpu_open();
		for (int i = 0; i < count + 8; i++)
			got += !do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);
		/* A lowered limit counts the streams in use: a new one may take the place of an old one. */
		if (got != count || write(tried[1], "", 1) != 1 || read(lowered[0], text, 1) != 1)
			_exit(1);
		_exit(stream_destroy(fd, args.stream) || do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args) ? 2 : 0);
	}
	close(tried[1]);
	snprintf(text, sizeof(text), "%d", count);
	EXPECT_EQ(1, read(tried[0], &status, 1));
	EXPECT_EQ(0, set_parameter("max_queues_per_user", text));
	EXPECT_EQ(1, write(lowered[1], "", 1));
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
}

/* Objects, rings and page tables together. */
TEST_F(limits, hbm)
{
	uint32_t bo, other;
	int status, fd;
	struct stream s;
	pid_t pid;

	ASSERT_EQ(0, set_parameter("max_hbm_per_user", "16"));
	pid = fork();
	if (!pid) {
		setresuid(NOBODY, NOBODY, NOBODY);
		fd = anpu_open();
		if (bo_create(fd, DRM_ANPU_BO_HBM, 16 * MIB, 0, 0, &bo) != -ENOSPC)
			_exit(1);
		if (bo_create(fd, DRM_ANPU_BO_HBM, 12 * MIB, 0, 0, &bo))
			_exit(2);
		/* A ring of 4 MiB is too much beside that and the address space. */
		if (stream_create(fd, 0, 65536, &s) != -ENOSPC || stream_create(fd, 0, 16384, &s))
			_exit(3);
		if (bo_create(fd, DRM_ANPU_BO_HBM, 3 * MIB, 0, 0, &other) != -ENOSPC)
			_exit(4);
		if (bo_close(fd, bo) || bo_create(fd, DRM_ANPU_BO_HBM, 12 * MIB, 0, 0, &bo))
			_exit(5);
		/* A ring is given back with its stream. */
		for (int i = 0; i < 40; i++) {
			if (stream_create(fd, 0, 16384, &s) || munmap((void *)s.status, PAGE) || stream_destroy(fd, s.id))
				_exit(7);
		}
		/* Page tables for as many places as it takes: 8 KiB for each. */
		for (uint64_t i = 0; i < 1024; i++) {
			status = vm_map(fd, VA(0) + (i << 30), PAGE, bo, RW);
			if (status)
				break;
		}
		_exit(status == -ENOSPC ? 0 : 6);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 64 * MIB, 0, 0, &bo));
}

static int create_with_priority(int fd, uint32_t priority)
{
	struct drm_anpu_stream_create args = { .priority = priority };

	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);
}

static int set_priority(int fd, uint32_t stream, uint32_t priority)
{
	struct drm_anpu_stream_set args = { .stream = stream, .priority = priority,
		.flags = DRM_ANPU_STREAM_SET_PRIORITY };

	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_SET, &args);
}

/* Returns 0 if that priority is the most urgent one that an ordinary user can have. */
static int most_urgent_is(uint32_t priority)
{
	struct stream s;
	int fd;

	setresuid(NOBODY, NOBODY, NOBODY);
	fd = anpu_open();
	if (fd < 0 || stream_create(fd, 0, 0, &s))
		return 1;
	if (create_with_priority(fd, priority) || set_priority(fd, s.id, priority))
		return 2;
	if (priority && create_with_priority(fd, priority - 1) != -EACCES)
		return 3;
	if (priority && set_priority(fd, s.id, priority - 1) != -EACCES)
		return 4;
	return 0;
}

TEST_F(limits, priorities)
{
	static const uint32_t most_urgent[] = { 2, 4, 0, 1 };
	char text[8];
	int status;

	EXPECT_GT(0, set_parameter("unprivileged_priority", "8"));
	EXPECT_GT(0, set_parameter("unprivileged_priority", "-1"));
	for (int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "%u", most_urgent[i]);
		if (i)
			ASSERT_EQ(0, set_parameter("unprivileged_priority", text));
		if (!fork())
			_exit(most_urgent_is(most_urgent[i]));
		wait(&status);
		EXPECT_EQ(0, status) {
			TH_LOG("priority %u", most_urgent[i]);
		}
		/* Root has all of them. */
		EXPECT_EQ(0, create_with_priority(self->fd, 0));
	}
}

TEST_HARNESS_MAIN
