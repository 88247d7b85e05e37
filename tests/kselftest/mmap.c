// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* BO_MMAP_OFFSET and mmap() of objects and status pages. */
#include "anpu_test.h"

FIXTURE(map) {
	int fd;
};

FIXTURE_SETUP(map)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(map)
{
	close(self->fd);
}

static int mmap_offset(int fd, uint32_t handle, uint32_t pad, uint64_t *offset)
{
	struct drm_anpu_bo_mmap_offset args = { .handle = handle, .pad = pad };
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &args);

	*offset = args.offset;
	return ret;
}

TEST_F(map, bad_arguments)
{
	uint32_t handle, user;
	uint64_t offset;
	void *p;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &handle));
	EXPECT_EQ(-ENOENT, mmap_offset(self->fd, handle + 100, 0, &offset));
	EXPECT_EQ(-EINVAL, mmap_offset(self->fd, handle, 1, &offset));
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_USERPTR, PAGE, 0, (uintptr_t)p, &user));
	EXPECT_EQ(-EINVAL, mmap_offset(self->fd, user, 0, &offset));
}

TEST_F(map, contents_stay_and_are_shared)
{
	for (uint32_t type = DRM_ANPU_BO_HBM; type <= DRM_ANPU_BO_SYSTEM; type++) {
		uint32_t handle;
		char *a, *b;

		ASSERT_EQ(0, bo_create(self->fd, type, 5 * MIB, 0, 0, &handle));
		a = bo_map(self->fd, handle, 5 * MIB);
		b = bo_map(self->fd, handle, 5 * MIB);
		ASSERT_NE(MAP_FAILED, a);
		ASSERT_NE(MAP_FAILED, b);
		for (uint64_t i = 0; i < 5 * MIB; i += PAGE)
			a[i] = i / PAGE;
		for (uint64_t i = 0; i < 5 * MIB; i += PAGE)
			ASSERT_EQ((char)(i / PAGE), b[i]);
		munmap(a, 5 * MIB);
		/* The mapping keeps the object. */
		ASSERT_EQ(0, bo_close(self->fd, handle));
		EXPECT_EQ(7, b[7 * PAGE]);
		munmap(b, 5 * MIB);
	}
}

TEST_F(map, a_part_of_an_object)
{
	uint32_t handle;
	uint64_t offset;
	char *all, *part;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_SYSTEM, 16 * PAGE, 0, 0, &handle));
	ASSERT_EQ(0, mmap_offset(self->fd, handle, 0, &offset));
	all = bo_map(self->fd, handle, 16 * PAGE);
	ASSERT_NE(MAP_FAILED, all);
	all[0] = 42;
	part = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, self->fd, offset);
	ASSERT_NE(MAP_FAILED, part);
	EXPECT_EQ(42, part[0]);
	/* Longer than the object, and behind it. */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 17 * PAGE, PROT_READ, MAP_SHARED, self->fd, offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
}

/* Pages that a process has dropped come back, each where it was, also in a mapping that has lost its front. */
TEST_F(map, dropped_pages_come_back)
{
	for (uint32_t type = DRM_ANPU_BO_HBM; type <= DRM_ANPU_BO_SYSTEM; type++) {
		uint32_t handle;
		char *all, *part;

		ASSERT_EQ(0, bo_create(self->fd, type, 16 * PAGE, 0, 0, &handle));
		all = bo_map(self->fd, handle, 16 * PAGE);
		part = bo_map(self->fd, handle, 16 * PAGE);
		ASSERT_NE(MAP_FAILED, all);
		ASSERT_NE(MAP_FAILED, part);
		ASSERT_EQ(0, munmap(part, 5 * PAGE));
		for (int i = 0; i < 16; i++)
			all[i * PAGE] = 1 + i;
		for (int i = 5; i < 16; i++)
			ASSERT_EQ(1 + i, part[i * PAGE]);
		/* Of HBM, which has no struct page, the kernel refuses it. */
		if (madvise(part + 8 * PAGE, PAGE, MADV_DONTNEED)) {
			ASSERT_EQ(EINVAL, errno);
			ASSERT_EQ(DRM_ANPU_BO_HBM, type);
		}
		part[8 * PAGE + 1] = 99;
		for (int i = 5; i < 16; i++)
			EXPECT_EQ(1 + i, part[i * PAGE]);
		EXPECT_EQ(99, all[8 * PAGE + 1]);
		ASSERT_EQ(0, munmap(all, 16 * PAGE));
		ASSERT_EQ(0, munmap(part + 5 * PAGE, 11 * PAGE));
	}
}

TEST_F(map, private_writable_is_refused)
{
	uint32_t handle;
	uint64_t offset;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &handle));
	ASSERT_EQ(0, mmap_offset(self->fd, handle, 0, &offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->fd,
				   offset));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(map, foreign_offset)
{
	int other = anpu_open();
	uint32_t handle;
	uint64_t offset;

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, bo_create(other, DRM_ANPU_BO_HBM, PAGE, 0, 0, &handle));
	ASSERT_EQ(0, mmap_offset(other, handle, 0, &offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, offset));
	EXPECT_EQ(EACCES, errno);
	close(other);
}

TEST_F(map, status_page)
{
	struct stream s;
	void *p;

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	EXPECT_EQ(ANPU_QUEUE_RUNNING, s.status->state);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
				   s.offset));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect((void *)s.status, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, self->fd, s.offset));
	EXPECT_EQ(EINVAL, errno);
	/* A queue that is nobody's. */
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, s.offset + 64 * PAGE);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(map, foreign_status_page)
{
	int other = anpu_open();
	struct stream s;

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, stream_create(other, 0, 0, &s));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, s.offset));
	EXPECT_EQ(EINVAL, errno);
	close(other);
}

TEST_F(map, status_page_is_zero_after_destroy)
{
	union anpu_packet nop = pkt_nop();
	struct stream s, next;

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, run(self->fd, s.id, &nop, 1));
	EXPECT_EQ(1, s.status->completed);
	ASSERT_EQ(0, stream_destroy(self->fd, s.id));
	EXPECT_EQ(0, s.status->completed);
	EXPECT_EQ(0, s.status->state);
	/* The queue's next life does not show there. */
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &next));
	ASSERT_EQ(0, run(self->fd, next.id, &nop, 1));
	EXPECT_EQ(0, s.status->completed);
	EXPECT_EQ(1, next.status->completed);
}

TEST_F(map, touched_by_read_and_write)
{
	/* System memory can be the buffer of a system call, also through get_user_pages(). */
	uint32_t handle;
	char *p;
	int fd;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_SYSTEM, 4 * MIB, 0, 0, &handle));
	p = bo_map(self->fd, handle, 4 * MIB);
	ASSERT_NE(MAP_FAILED, p);
	fd = open("/dev/zero", O_RDONLY);
	ASSERT_GE(fd, 0);
	memset(p, 1, 4 * MIB);
	ASSERT_EQ(4 * MIB, read(fd, p, 4 * MIB));
	EXPECT_EQ(0, p[MIB]);
	close(fd);
}

/* The flags of the mapping that begins at an address, as smaps lists them, each behind a blank; "" if they are not there */
static void vm_flags(const void *at, char *flags, size_t size)
{
	char line[512], begin[32];
	bool mine = false;
	FILE *f = fopen("/proc/self/smaps", "r");

	flags[0] = '\0';
	snprintf(begin, sizeof(begin), "%lx-", (unsigned long)at);
	while (f && fgets(line, sizeof(line), f)) {
		if (strchr("0123456789abcdef", line[0]) && strchr(line, '-'))
			mine = !strncmp(line, begin, strlen(begin));
		if (mine && !strncmp(line, "VmFlags:", 8))
			snprintf(flags, size, "%.*s", (int)strcspn(line + 8, "\n"), line + 8);
	}
	if (f)
		fclose(f);
}

/* A mapping that grew would show what is behind the object: memory of others. A core dump does not read the device's. */
TEST_F(map, mappings_do_not_grow)
{
	const char *dumped = " dd", *fixed = " de";
	char flags[200];
	struct stream s;
	void *status;

	for (uint32_t type = DRM_ANPU_BO_HBM; type <= DRM_ANPU_BO_SYSTEM; type++) {
		uint32_t handle;
		void *p;

		ASSERT_EQ(0, bo_create(self->fd, type, 4 * PAGE, 0, 0, &handle));
		p = bo_map(self->fd, handle, 4 * PAGE);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_EQ(MAP_FAILED, mremap(p, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE));
		EXPECT_EQ(EFAULT, errno);
		vm_flags(p, flags, sizeof(flags));
		if (!flags[0])
			continue;
		EXPECT_NE(NULL, strstr(flags, fixed));
		EXPECT_EQ(type == DRM_ANPU_BO_HBM, !!strstr(flags, dumped));
		EXPECT_EQ(type == DRM_ANPU_BO_HBM, !!strstr(flags, " io"));
	}
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	status = (void *)s.status;
	EXPECT_EQ(MAP_FAILED, mremap(status, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	vm_flags(status, flags, sizeof(flags));
	if (flags[0]) {
		EXPECT_NE(NULL, strstr(flags, fixed));
		EXPECT_NE(NULL, strstr(flags, dumped));
	}
}

/* A private mapping is refused even if it is only read: it could be made writable. A file that is only read can share. */
TEST_F(map, only_to_read)
{
	int fd = open(anpu_node(), O_RDONLY | O_CLOEXEC);

	ASSERT_GE(fd, 0);
	for (uint32_t type = DRM_ANPU_BO_HBM; type <= DRM_ANPU_BO_SYSTEM; type++) {
		uint32_t handle;
		uint64_t offset;
		char *p;

		ASSERT_EQ(0, bo_create(self->fd, type, PAGE, 0, 0, &handle));
		ASSERT_EQ(0, mmap_offset(self->fd, handle, 0, &offset));
		EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, self->fd, offset));
		EXPECT_EQ(EINVAL, errno);
		ASSERT_EQ(0, bo_create(fd, type, PAGE, 0, 0, &handle));
		ASSERT_EQ(0, mmap_offset(fd, handle, 0, &offset));
		EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, offset));
		EXPECT_EQ(EINVAL, errno);
		p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, offset);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_EQ(0, p[PAGE - 1]);
	}
	close(fd);
}

TEST_HARNESS_MAIN
