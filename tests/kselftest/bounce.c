// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A machine whose DMA goes through bounce buffers (swiotlb=force): system objects work, the rest is refused. */
#include "anpu_test.h"

TEST(system_objects_are_the_same_memory_for_both)
{
	enum { SIZE = 8 * MIB };
	union anpu_packet copy = pkt_copy(VA(1), VA(0), SIZE / 2), fill = pkt_fill(VA(0), SIZE, 0x5a);
	uint64_t *a, *b, bad = 0;
	int fd = anpu_open();
	struct stream s;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, stream_create(fd, 0, 0, &s));
	a = make_buffer(fd, DRM_ANPU_BO_SYSTEM, SIZE, VA(0), RW, NULL);
	b = make_buffer(fd, DRM_ANPU_BO_SYSTEM, SIZE, VA(1), RW, NULL);
	ASSERT_NE(MAP_FAILED, a);
	ASSERT_NE(MAP_FAILED, b);
	for (uint64_t i = 0; i < SIZE / 8; i++) {
		bad += a[i];
		a[i] = i * 3 + 1;
	}
	EXPECT_EQ(0, bad);
	ASSERT_EQ(0, run(fd, s.id, &copy, 1));
	for (uint64_t i = 0; i < SIZE / 16; i++)
		bad += b[i] != i * 3 + 1;
	EXPECT_EQ(0, bad);
	ASSERT_EQ(0, run(fd, s.id, &fill, 1));
	for (uint64_t i = 0; i < SIZE / 8; i++)
		bad += a[i] != 0x5a5a5a5a5a5a5a5aULL;
	EXPECT_EQ(0, bad);
	EXPECT_EQ(0, s.status->errors);
	close(fd);
}

TEST(user_memory_is_refused)
{
	void *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = anpu_open();
	uint32_t handle;

	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EOPNOTSUPP, bo_create(fd, DRM_ANPU_BO_USERPTR, MIB, 0, (uintptr_t)p, &handle));
	close(fd);
}

TEST_HARNESS_MAIN
