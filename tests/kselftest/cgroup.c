// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Memory that the driver takes for a process is charged to the process's cgroup. */
#include <sys/mount.h>
#include <sys/stat.h>

#include "faulty.h"

#define ROOT	"/tmp/anpu-cgroup"
#define GROUP	ROOT "/test"
#define NOBODY	65534

FIXTURE(cgroup) {
	int fd;
};

/* A number in a file of the group, behind @key if there is one; -1 if it is not there. */
static int64_t group_read(const char *name, const char *key)
{
	char path[128], line[128];
	int64_t value = -1;
	FILE *file;

	snprintf(path, sizeof(path), GROUP "/%s", name);
	file = fopen(path, "r");
	while (file && value < 0 && fgets(line, sizeof(line), file)) {
		size_t len = strlen(key);

		if (!strncmp(line, key, len) && (!len || line[len] == ' '))
			value = strtoll(line + len, NULL, 10);
	}
	if (file)
		fclose(file);
	return value;
}

FIXTURE_SETUP(cgroup)
{
	char pid[16];

	mkdir(ROOT, 0700);
	if (mount("none", ROOT, "cgroup2", 0, NULL) && errno != EBUSY)
		SKIP(return, "this kernel has no cgroup2");
	if (write_file(ROOT "/cgroup.subtree_control", "+memory"))
		SKIP(return, "this kernel has no memory cgroup");
	mkdir(GROUP, 0700);
	snprintf(pid, sizeof(pid), "%d", getpid());
	ASSERT_EQ(0, write_file(GROUP "/cgroup.procs", pid));
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(cgroup)
{
	close(self->fd);
	write_file(ROOT "/cgroup.procs", "0");
	rmdir(GROUP);
	umount(ROOT);
}

TEST_F(cgroup, system_objects)
{
	int64_t before = group_read("memory.current", "");
	uint32_t bo;

	ASSERT_GE(before, 0);
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_SYSTEM, 64 * MIB, 0, 0, &bo));
	EXPECT_LE(before + 60 * (int64_t)MIB, group_read("memory.current", ""));
	ASSERT_EQ(0, bo_close(self->fd, bo));
	EXPECT_GT(before + 32 * (int64_t)MIB, group_read("memory.current", ""));
}

TEST_F(cgroup, what_the_driver_keeps_about_objects)
{
	enum { COUNT = 4000 };
	int64_t before = group_read("memory.stat", "kernel");

	ASSERT_GE(before, 0);
	for (int i = 0; i < COUNT; i++) {
		uint32_t bo;

		ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo));
		ASSERT_EQ(0, vm_map(self->fd, VA(i), PAGE, bo, RW));
	}
	/*
	 * An object with its chunk and mapping has more than half a KiB, and a page table of level
	 * 2, of which there is one for each 16 of them, has 4 KiB of pointers.
	 */
	EXPECT_LE(before + COUNT * 512 + COUNT / 16 * (int64_t)PAGE,
		  group_read("memory.stat", "kernel"));
}

/* After a reset each user queue that its process still writes to has a page that takes it. */
TEST_F(cgroup, what_takes_the_place_of_queues)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_DEVICE };
	enum { COUNT = 500 };
	volatile struct anpu_queue_control *control[COUNT];
	int64_t before;

	for (int i = 0; i < COUNT; i++) {
		struct drm_anpu_stream_create args = {
			.flags = DRM_ANPU_STREAM_USER_QUEUE, .priority = 4, .ring_entries = 16,
		};

		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args));
		control[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
				  args.control_offset);
		ASSERT_NE(MAP_FAILED, (void *)control[i]);
		control[i]->wptr = 0;
	}
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
	before = group_read("memory.stat", "kernel");
	ASSERT_GE(before, 0);
	for (int i = 0; i < COUNT; i++)
		control[i]->wptr = 1;
	/* Each has one of its own. */
	for (int i = 0; i < COUNT; i++)
		control[i]->wptr += i;
	for (int i = 0; i < COUNT; i++)
		ASSERT_EQ(i + 1, control[i]->wptr);
	EXPECT_LE(before + COUNT * (int64_t)PAGE * 9 / 10, group_read("memory.stat", "kernel"));
}

TEST_F(cgroup, a_limit_is_a_limit)
{
	uint32_t bo;
	int status;
	pid_t pid;

	/* A process over the limit may be killed; the memory is never charged to another group. */
	ASSERT_EQ(0, write_file(GROUP "/memory.max", "100M"));
	pid = fork();
	if (!pid)
		_exit(bo_create(self->fd, DRM_ANPU_BO_SYSTEM, 300 * MIB, 0, 0, &bo) ? 1 : 0);
	waitpid(pid, &status, 0);
	EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 1);
	EXPECT_GT(100 * (int64_t)MIB, group_read("memory.current", ""));
	EXPECT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_SYSTEM, 8 * MIB, 0, 0, &bo));
	write_file(GROUP "/memory.max", "max");
}

/* Calls that are refused, as a user has as much as a limit allows */
static int one_file_more(int fd)
{
	return anpu_open();
}

static int one_queue_more(int fd)
{
	struct drm_anpu_stream_create args = { .priority = 4, .ring_entries = 16 };

	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);
}

static int one_object_more(int fd)
{
	uint32_t bo;

	return bo_create(fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo);
}

static int one_table_more(int fd)
{
	return vm_map(fd, VA(0) + (1ULL << 40), PAGE, 1, RW);
}

static const struct {
	const char *limit;
	const char *value;
	int (*call)(int fd);
} refused[] = {
	{ "max_files_per_user", "1", one_file_more },
	{ "max_queues_per_user", "1", one_queue_more },
	/* An address space, a ring, an object, a table of pages: each needs HBM. */
	{ "max_hbm_per_user", "4", one_file_more },
	{ "max_hbm_per_user", "4", one_queue_more },
	{ "max_hbm_per_user", "4", one_object_more },
	{ "max_hbm_per_user", "4", one_table_more },
};

/* A user who has a file, a queue and 4 MiB: as soon as there is a limit, each call is refused. Never returns. */
static void be_refused(int ready, int go, int (*call)(int fd), int count)
{
	uint32_t bo;
	struct stream s;
	char byte;
	int fd;

	if (setresuid(NOBODY, NOBODY, NOBODY))
		_exit(1);
	fd = anpu_open();
	if (stream_create(fd, 0, 16, &s) || bo_create(fd, DRM_ANPU_BO_HBM, 4 * MIB, 0, 0, &bo) || bo != 1)
		_exit(2);
	while (write(ready, "", 1) == 1 && read(go, &byte, 1) == 1) {
		for (int i = 0; i < count; i++) {
			if (call(fd) != -ENOSPC)
				_exit(3);
		}
	}
	_exit(0);
}

/*
 * The least that the kernel's memory for the group grows by in any of some rounds of refused calls; -1 if one is not
 * refused. What is freed later than in its round grows in one round and not in the next.
 */
static int64_t least_growth(int ready, int go)
{
	int64_t least = INT64_MAX, before = 0, now;
	char byte;

	for (int round = 0; round < 6; round++) {
		if (write(go, "", 1) != 1 || read(ready, &byte, 1) != 1)
			return -1;
		now = group_read("memory.stat", "slab_unreclaimable");
		if (round && now - before < least)
			least = now - before;
		before = now;
	}
	return least > 0 ? least : 0;
}

TEST_F(cgroup, what_is_refused_keeps_no_memory)
{
	enum { COUNT = 1500 };
	struct stat st;

	ASSERT_EQ(0, stat(anpu_node(), &st));
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		int ready[2], go[2], status, fd;
		struct stream s;
		int64_t growth;
		char byte;
		pid_t pid;

		ASSERT_EQ(0, pipe(ready) | pipe(go));
		ASSERT_EQ(0, chmod(anpu_node(), 0666));
		pid = fork();
		if (!pid) {
			close(ready[0]);
			close(go[1]);
			be_refused(ready[1], go[0], refused[i].call, COUNT);
		}
		close(ready[1]);
		close(go[0]);
		EXPECT_EQ(1, read(ready[0], &byte, 1));
		EXPECT_EQ(0, set_parameter(refused[i].limit, refused[i].value));
		growth = least_growth(ready[0], go[1]);
		/* And others still get what the user was refused. */
		fd = anpu_open();
		EXPECT_LE(0, fd);
		EXPECT_EQ(0, stream_create(fd, 0, 16, &s));
		EXPECT_EQ(0, munmap((void *)s.status, PAGE));
		close(fd);
		close(go[1]);
		waitpid(pid, &status, 0);
		set_parameter(refused[i].limit, "0");
		chmod(anpu_node(), st.st_mode & 07777);
		close(ready[0]);
		EXPECT_EQ(0, status);
		EXPECT_LE(0, growth);
		/* No part of anything that the driver makes has less than 48 bytes. */
		EXPECT_GT(COUNT * 48, growth) {
			TH_LOG("each call of row %zu keeps %lld bytes", i, (long long)growth / COUNT);
		}
	}
}

TEST_HARNESS_MAIN
