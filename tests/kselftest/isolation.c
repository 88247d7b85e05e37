// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Two processes: neither reaches the other's memory, streams or handles, by any way there is. */
#include "anpu_test.h"

#define SECRET	0x5ec7e7ULL

FIXTURE(isolation) {
	int victim;
	int fd;
	uint32_t bo;
	uint64_t *secret;
	struct stream s;
	uint64_t *mem;
};

BOTH_WAYS(isolation);

FIXTURE_SETUP(isolation)
{
	stream_mode = variant->mode;
	self->victim = anpu_open();
	self->fd = anpu_open();
	ASSERT_GE(self->victim, 0);
	ASSERT_GE(self->fd, 0);
	self->secret = make_buffer(self->victim, DRM_ANPU_BO_HBM, MIB, VA(0), RW, &self->bo);
	ASSERT_NE(MAP_FAILED, self->secret);
	for (uint64_t i = 0; i < MIB / 8; i++)
		self->secret[i] = SECRET;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(1), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
}

FIXTURE_TEARDOWN(isolation)
{
	close(self->fd);
	close(self->victim);
}

TEST_F(isolation, the_same_address_is_not_the_same_memory)
{
	union anpu_packet pkts[2] = { pkt_copy(VA(1), VA(0), 8), pkt_fill(VA(0), MIB, 0) };
	struct anpu_fault fault;

	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 2));
	EXPECT_EQ(2, self->s.status->errors);
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(0, self->mem[0]);
	EXPECT_EQ(SECRET, self->secret[0]);
	EXPECT_EQ(SECRET, self->secret[MIB / 8 - 1]);
}

TEST_F(isolation, foreign_handles)
{
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_MEMORY, .mask = ~0ULL,
		.width = 8 };
	struct drm_anpu_bo_mmap_offset offset = {};

	/* Whatever small numbers the victim's handles have, here they are not its objects. */
	for (uint32_t handle = 2; handle < 64; handle++) {
		item.handle = handle;
		offset.handle = handle;
		EXPECT_EQ(-ENOENT, vm_map(self->fd, VA(2), PAGE, handle, RW));
		EXPECT_EQ(-ENOENT, wait_items(self->fd, &item, 1, 0, 0, NULL));
		EXPECT_EQ(-ENOENT, do_ioctl(self->fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &offset));
		EXPECT_EQ(-EINVAL, bo_close(self->fd, handle));
	}
}

TEST_F(isolation, hbm_addresses_mean_nothing)
{
	/* In ASID 0 addresses are HBM addresses: no process is in ASID 0. */
	struct anpu_fault fault;

	for (uint64_t addr = 0; addr < 256 * MIB; addr += 8 * MIB) {
		union anpu_packet pkt = pkt_copy(VA(1), addr, 8);

		ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
		ASSERT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	}
	EXPECT_EQ(0, self->mem[0]);
}

TEST_F(isolation, descriptors_and_indirect_packets)
{
	struct anpu_copy_desc *desc = (void *)self->mem;
	union anpu_packet *list = (void *)(self->mem + 64);
	union anpu_packet pkts[2] = {
		{ .copy_desc = { .hdr.opcode = ANPU_OP_COPY_DESC, .desc = VA(1) } },
		{ .indirect = { .hdr.opcode = ANPU_OP_INDIRECT, .addr = VA(1) + 512, .count = 1 } },
	};
	struct anpu_fault fault;

	*desc = (struct anpu_copy_desc){ .src = VA(0), .dst = VA(1) + 2048, .size = 8 };
	list[0] = pkt_copy(VA(1) + 2048, VA(0), 8);
	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 2));
	EXPECT_EQ(2, self->s.status->errors);
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(VA(0), fault.addr);
	EXPECT_EQ(0, fault.ib_index);
	EXPECT_EQ(0, self->mem[256]);
}

TEST_F(isolation, memory_of_a_dead_process_is_zero)
{
	uint64_t *p, sum = 0, size = hbm_free(self->fd) / 2;
	uint32_t bo;

	munmap(self->secret, MIB);
	close(self->victim);
	/* Much of the HBM, what the victim had among it. */
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, size & ~(PAGE - 1), 0, 0, &bo));
	p = bo_map(self->fd, bo, size & ~(PAGE - 1));
	ASSERT_NE(MAP_FAILED, p);
	for (uint64_t i = 0; i < (size & ~(PAGE - 1)) / 8; i += PAGE / 16)
		sum |= p[i];
	EXPECT_EQ(0, sum);
	self->victim = anpu_open();
}

TEST_F(isolation, recycled_address_space)
{
	/* The number of the victim's address space is given to somebody new: he sees nothing. */
	for (int i = 0; i < 30; i++) {
		int fd = anpu_open();
		union anpu_packet pkts[2] = { pkt_copy(VA(3), VA(0), 8), pkt_fill(VA(0), 8, 1) };
		struct anpu_fault fault;
		uint64_t *mem;
		struct stream s;

		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, stream_create(fd, 0, 0, &s));
		mem = make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(3), RW, NULL);
		ASSERT_NE(MAP_FAILED, mem);
		ASSERT_EQ(0, run(fd, s.id, pkts, 2));
		EXPECT_EQ(2, s.status->errors);
		EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(fd, s.id, &fault));
		EXPECT_EQ(0, mem[0]);
		/* Leaves something for the next. */
		ASSERT_NE(MAP_FAILED, make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL));
		pkts[1] = pkt_fill(VA(0), PAGE, 0xee);
		ASSERT_EQ(0, run(fd, s.id, &pkts[1], 1));
		munmap(mem, PAGE);
		munmap((void *)s.status, PAGE);
		close(fd);
	}
}

TEST_F(isolation, without_permission_on_the_node)
{
	ASSERT_EQ(0, setresgid(65534, 65534, 65534));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_EQ(-EACCES, anpu_open());
}

TEST_HARNESS_MAIN
