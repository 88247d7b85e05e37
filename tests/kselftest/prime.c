// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sharing by dma-buf: between files of this device, and from udmabuf. */
#include <linux/udmabuf.h>

#include "anpu_test.h"

FIXTURE(prime) {
	int a;
	int b;
};

FIXTURE_SETUP(prime)
{
	self->a = anpu_open();
	self->b = anpu_open();
	ASSERT_GE(self->a, 0);
	ASSERT_GE(self->b, 0);
}

FIXTURE_TEARDOWN(prime)
{
	close(self->a);
	close(self->b);
}

static int export_fd(int fd, uint32_t handle, int *out)
{
	struct drm_prime_handle args = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = do_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	*out = args.fd;
	return ret;
}

static int import_fd(int fd, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int ret = do_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*handle = args.handle;
	return ret;
}

TEST_F(prime, between_two_files)
{
	for (uint32_t type = DRM_ANPU_BO_HBM; type <= DRM_ANPU_BO_SYSTEM; type++) {
		union anpu_packet fill = pkt_fill(VA(0), MIB, 0x11 + type);
		uint32_t mine, theirs;
		struct stream s;
		char *p, *q;
		int dmabuf;

		p = make_buffer(self->a, type, MIB, VA(0) + type * MIB, RW, &mine);
		ASSERT_NE(MAP_FAILED, p);
		ASSERT_EQ(0, export_fd(self->a, mine, &dmabuf));
		ASSERT_EQ(0, import_fd(self->b, dmabuf, &theirs));
		fill.fill.dst += type * MIB;
		ASSERT_EQ(0, vm_map(self->b, fill.fill.dst, MIB, theirs, RW));
		ASSERT_EQ(0, stream_create(self->b, 0, 0, &s));
		ASSERT_EQ(0, run(self->b, s.id, &fill, 1));
		EXPECT_EQ(0, s.status->errors);
		EXPECT_EQ(0x11 + type, p[0]);
		EXPECT_EQ(0x11 + type, p[MIB - 1]);
		/* And by the dma-buf's own mmap(). */
		q = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
		ASSERT_NE(MAP_FAILED, q);
		EXPECT_EQ(0x11 + type, q[PAGE]);
		q[5] = 99;
		EXPECT_EQ(99, p[5]);
		/* It outlives the exporter's handle. */
		ASSERT_EQ(0, bo_close(self->a, mine));
		close(dmabuf);
		ASSERT_EQ(0, run(self->b, s.id, &fill, 1));
		EXPECT_EQ(0, s.status->errors);
	}
}

/* The offset that mappings of the dma-buf count from must not come into being behind them. */
TEST_F(prime, mapped_before_the_object_has_an_offset)
{
	for (uint32_t type = DRM_ANPU_BO_HBM; type <= DRM_ANPU_BO_SYSTEM; type++) {
		uint32_t handle;
		int dmabuf;
		char *p, *q;

		ASSERT_EQ(0, bo_create(self->a, type, MIB, 0, 0, &handle));
		ASSERT_EQ(0, export_fd(self->a, handle, &dmabuf));
		q = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
		ASSERT_NE(MAP_FAILED, q);
		p = bo_map(self->a, handle, MIB);
		ASSERT_NE(MAP_FAILED, p);
		for (uint64_t i = 0; i < MIB; i += PAGE)
			p[i] = i / PAGE;
		for (uint64_t i = 0; i < MIB; i += PAGE)
			ASSERT_EQ((char)(i / PAGE), q[i]);
		close(dmabuf);
	}
}

TEST_F(prime, same_file_gets_the_same_handle)
{
	uint32_t handle, again;
	int dmabuf;

	ASSERT_EQ(0, bo_create(self->a, DRM_ANPU_BO_HBM, PAGE, 0, 0, &handle));
	ASSERT_EQ(0, export_fd(self->a, handle, &dmabuf));
	ASSERT_EQ(0, import_fd(self->a, dmabuf, &again));
	EXPECT_EQ(handle, again);
}

TEST_F(prime, bad_arguments)
{
	uint32_t handle;
	int fd;

	EXPECT_EQ(-ENOENT, export_fd(self->a, 77, &fd));
	EXPECT_EQ(-EBADF, import_fd(self->a, -1, &handle));
	EXPECT_EQ(-EINVAL, import_fd(self->a, STDIN_FILENO, &handle));
}

TEST_F(prime, udmabuf)
{
	struct drm_anpu_bo_mmap_offset offset = {};
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_MEMORY, .width = 8 };
	struct udmabuf_create create = { .size = MIB, .flags = UDMABUF_FLAGS_CLOEXEC };
	union anpu_packet fill = pkt_fill(VA(3), MIB, 0x77);
	int dev = open("/dev/udmabuf", O_RDWR), mem, dmabuf;
	struct stream s;
	uint32_t handle;
	char *p;

	if (dev < 0)
		SKIP(return, "no /dev/udmabuf in this kernel");
	mem = memfd_create("anpu", MFD_ALLOW_SEALING);
	ASSERT_GE(mem, 0);
	ASSERT_EQ(0, ftruncate(mem, MIB));
	ASSERT_EQ(0, fcntl(mem, F_ADD_SEALS, F_SEAL_SHRINK));
	create.memfd = mem;
	dmabuf = ioctl(dev, UDMABUF_CREATE, &create);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(0, import_fd(self->a, dmabuf, &handle));
	offset.handle = handle;
	item.handle = handle;
	EXPECT_EQ(-EINVAL, do_ioctl(self->a, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &offset));
	ASSERT_EQ(0, vm_map(self->a, VA(3), MIB, handle, RW));
	ASSERT_EQ(0, stream_create(self->a, 0, 0, &s));
	ASSERT_EQ(0, run(self->a, s.id, &fill, 1));
	EXPECT_EQ(0, s.status->errors);
	p = mmap(NULL, MIB, PROT_READ, MAP_SHARED, mem, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(0x77, p[0]);
	EXPECT_EQ(0x77, p[MIB - 1]);
	EXPECT_EQ(-EINVAL, wait_items(self->a, &item, 1, 0, 0, NULL));
}

TEST_HARNESS_MAIN
