// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Two processes: neither reaches the other's memory, streams or handles, by any way there is. */
#include <pthread.h>

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

/* A packet that tries to reach what is not mapped, and the first address that is not; 0: a bad packet. */
struct attempt {
	const char *what;
	union anpu_packet pkt;
	uint64_t addr;
};

#define OWN	VA(1)
#define END	(VA(1) + PAGE)
#define THEIRS	VA(0)
#define TOP	(~0ULL - 63)

TEST_F(isolation, every_packet_faults_at_the_first_foreign_byte)
{
	const struct attempt attempts[] = {
		{ "copy from", pkt_copy(OWN, THEIRS, 8), THEIRS },
		{ "copy to", pkt_copy(THEIRS, OWN, 8), THEIRS },
		{ "copy from, beyond the end", pkt_copy(OWN, END - 64, 128), END },
		{ "copy to, beyond the end", pkt_copy(END - 64, OWN, 128), END },
		{ "copy from before the beginning", pkt_copy(OWN, OWN - 64, 128), OWN - 64 },
		{ "copy around the end of all addresses", pkt_copy(OWN, TOP, 128), 0 },
		{ "copy of all there is", pkt_copy(OWN, OWN, 1ULL << 40), END },
		{ "fill", pkt_fill(THEIRS, MIB, 0), THEIRS },
		{ "fill beyond the end", pkt_fill(END - 64, 128, 0), END },
		{ "fill around the end of all addresses", pkt_fill(TOP, 128, 0), 0 },
		{ "2D copy from", { .copy_2d = { .hdr.opcode = ANPU_OP_COPY_2D, .src = OWN,
			.dst = OWN, .src_pitch = PAGE, .dst_pitch = 64, .width = 8,
			.height = 2 } }, END },
		{ "2D copy to", { .copy_2d = { .hdr.opcode = ANPU_OP_COPY_2D, .src = OWN,
			.dst = OWN, .src_pitch = 64, .dst_pitch = PAGE, .width = 8,
			.height = 2 } }, END },
		{ "copy by descriptor", { .copy_desc = { .hdr.opcode = ANPU_OP_COPY_DESC,
			.desc = THEIRS } }, THEIRS },
		{ "signal", pkt_signal(THEIRS, 1, 0), THEIRS },
		{ "signal's time stamp", { .sem_signal = { .hdr.opcode = ANPU_OP_SEM_SIGNAL,
			.addr = OWN, .timestamp = THEIRS, .width = 8 } }, THEIRS },
		{ "wait", pkt_wait_us(THEIRS, SECRET, 1000), THEIRS },
		{ "time stamp", { .timestamp = { .hdr.opcode = ANPU_OP_TIMESTAMP,
			.addr = THEIRS } }, THEIRS },
		{ "indirect", { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT, .addr = THEIRS,
			.count = 1 } }, THEIRS },
		{ "kernel's code", pkt_kernel(THEIRS, 0, 0, 0), THEIRS },
		{ "sum from", { .reduce = { .hdr.opcode = ANPU_OP_REDUCE, .src = THEIRS,
			.dst = OWN, .size = 64 } }, THEIRS },
		{ "sum to", { .reduce = { .hdr.opcode = ANPU_OP_REDUCE, .src = OWN,
			.dst = THEIRS, .size = 64 } }, THEIRS },
		{ "sum from beyond the end", { .reduce = { .hdr.opcode = ANPU_OP_REDUCE,
			.src = END - 64, .dst = OWN, .size = 128 } }, END },
		{ "random to", { .random = { .hdr.opcode = ANPU_OP_RANDOM, .dst = THEIRS,
			.counter = OWN, .count = 8, .dist = ANPU_RANDOM_UNIFORM } }, THEIRS },
		{ "random's counter", { .random = { .hdr.opcode = ANPU_OP_RANDOM, .dst = OWN,
			.counter = THEIRS, .count = 8, .dist = ANPU_RANDOM_UNIFORM } }, THEIRS },
		{ "random's number", { .random = { .hdr = { .opcode = ANPU_OP_RANDOM,
			.flags = ANPU_RANDOM_COUNT_AT }, .dst = OWN, .counter = OWN,
			.count = THEIRS, .dist = ANPU_RANDOM_UNIFORM } }, THEIRS },
	};
	struct anpu_fault fault;

	for (unsigned int i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		memset(self->mem, 0, PAGE);
		ASSERT_EQ(0, run(self->fd, self->s.id, &attempts[i].pkt, 1));
		EXPECT_EQ(i + 1, self->s.status->errors);
		last_fault(self->fd, self->s.id, &fault);
		/* A range that wraps around is refused before any address of it is used. */
		EXPECT_TRUE(attempts[i].addr ? fault.cause == ANPU_FAULT_UNMAPPED ||
					       fault.cause == ANPU_FAULT_FETCH :
					       fault.cause == ANPU_FAULT_BAD_PACKET) {
			TH_LOG("%s: cause %u", attempts[i].what, fault.cause);
		}
		EXPECT_EQ(attempts[i].addr, fault.addr) {
			TH_LOG("%s: %.128s", attempts[i].what, fault.message);
		}
		for (uint64_t n = 0; n < PAGE / 8; n++)
			ASSERT_NE(SECRET, self->mem[n]);
	}
	for (uint64_t i = 0; i < MIB / 8; i++)
		ASSERT_EQ(SECRET, self->secret[i]);
}

/* The word that decides about a jump is memory like any other: a jump does not tell what foreign memory holds. */
TEST_F(isolation, jumps_read_nothing_else)
{
	const struct anpu_pkt_jump jumps[] = {
		{ .addr = THEIRS, .value = SECRET, .mask = ~0ULL, .cond = ANPU_SEM_EQ, .width = 8,
		  .target = 2 },
		{ .hdr.flags = ANPU_JUMP_MEMORY, .addr = OWN, .value = THEIRS, .mask = ~0ULL,
		  .cond = ANPU_SEM_EQ, .width = 8, .target = 2 },
		{ .hdr.flags = ANPU_JUMP_TABLE, .addr = OWN, .value = THEIRS, .width = 4, .target = 1 },
		{ .hdr.flags = ANPU_JUMP_TABLE, .addr = THEIRS, .value = OWN, .width = 4, .target = 1 },
	};
	union anpu_packet *list = (void *)(self->mem + 64), pkt = {
		.indirect = { .hdr.opcode = ANPU_OP_INDIRECT, .addr = OWN + 512, .count = 3 },
	};
	struct anpu_fault fault;

	for (unsigned int i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		list[0].jump = jumps[i];
		list[0].hdr.opcode = ANPU_OP_JUMP;
		list[1] = pkt_fill(OWN + 2048, 8, 1);
		list[2] = pkt_fill(OWN + 2056, 8, 1);
		ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
		EXPECT_EQ(i + 1, self->s.status->errors);
		EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault)) {
			TH_LOG("jump %u: %.128s", i, fault.message);
		}
		EXPECT_EQ(THEIRS, fault.addr);
		EXPECT_EQ(0, fault.ib_index);
		EXPECT_EQ(0, self->mem[256] | self->mem[257]);
	}
}

/* Memory that a process gave back is another's now: neither handle nor address leads there. */
TEST_F(isolation, what_was_given_back)
{
	uint64_t size = 4 * MIB, rest, *theirs;
	struct anpu_fault fault;
	uint32_t bo, all;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, size, 0, 0, &bo));
	ASSERT_EQ(0, vm_map(self->fd, VA(2), size, bo, RW));
	for (int i = 0; i < 4; i++) {
		union anpu_packet pkts[2] = { pkt_fill(VA(2), size, 1), pkt_copy(OWN, VA(2) + i * MIB, 64) };

		ASSERT_EQ(0, run(self->fd, self->s.id, &pkts[0], 1));
		EXPECT_EQ(i, self->s.status->errors);
		ASSERT_EQ(0, vm_unmap(self->fd, VA(2), size));
		ASSERT_EQ(0, bo_close(self->fd, bo));
		rest = (hbm_free(self->victim) - MIB) & ~(PAGE - 1);
		ASSERT_EQ(0, bo_create(self->victim, DRM_ANPU_BO_HBM, rest, 0, 0, &all));
		theirs = bo_map(self->victim, all, rest);
		ASSERT_NE(MAP_FAILED, theirs);
		for (uint64_t n = 0; n < rest / 8; n += PAGE / 8)
			theirs[n] = SECRET;
		EXPECT_EQ(-ENOENT, vm_map(self->fd, VA(2), size, bo, RW));
		ASSERT_EQ(0, run(self->fd, self->s.id, &pkts[1], 1));
		EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
		EXPECT_EQ(VA(2) + i * MIB, fault.addr);
		EXPECT_NE(SECRET, self->mem[0]);
		munmap(theirs, rest);
		ASSERT_EQ(0, bo_close(self->victim, all));
		/* A new object is empty. */
		ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, size, 0, 0, &bo));
		ASSERT_EQ(0, vm_map(self->fd, VA(2), size, bo, RW));
		ASSERT_EQ(0, run(self->fd, self->s.id, &pkts[1], 1));
		EXPECT_EQ(0, self->mem[0]);
	}
}

/* All of one's own doorbell page, with any number: other queues, and the driver's KICK, are not there. */
TEST_F(isolation, a_doorbell_is_one_queues)
{
	struct drm_anpu_stream_create mine = { .priority = 4, .ring_entries = 64,
		.flags = DRM_ANPU_STREAM_USER_QUEUE };
	union anpu_packet nop = pkt_nop();
	volatile uint64_t *doorbell;
	struct stream s[2];

	/* One that rings by its page, and one that the driver kicks. */
	for (uint32_t n = 0; n < 2; n++) {
		stream_mode = n ? DRM_ANPU_STREAM_USER_QUEUE : 0;
		ASSERT_EQ(0, stream_create(self->victim, DRM_ANPU_STREAM_STOP_ON_FAILURE, 64, &s[n]));
	}
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &mine));
	doorbell = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, self->fd, mine.doorbell_offset);
	ASSERT_NE(MAP_FAILED, doorbell);
	for (uint64_t value = 0; value < 8; value++) {
		for (uint64_t n = 0; n < PAGE / 8; n++)
			doorbell[n] = value == 7 ? ~0ULL : value == 6 ? 1ULL << 40 : value;
	}
	for (uint64_t k = 1; k < 64; k++) {
		EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, self->fd,
					   mine.doorbell_offset + k * PAGE));
		/* The fixture's own stream may be the neighbour. */
		if (mine.queue - k != self->s.queue)
			EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, self->fd,
						   mine.doorbell_offset - k * PAGE));
	}
	for (int n = 0; n < 2; n++) {
		ASSERT_EQ(0, run(self->victim, s[n].id, &nop, 1));
		EXPECT_EQ(1, s[n].status->completed);
		EXPECT_EQ(0, s[n].status->errors);
	}
}

TEST_F(isolation, operators_reach_nothing_else)
{
	static const uint32_t code[] = {
		RV_LD(R_A1, 0, R_A0), RV_LD(R_A2, 0, R_A1), RV_SD(R_A2, 8, R_A0), RV_RET,
		RV_LD(R_A1, 0, R_A0), RV_SD(R_ZERO, 0, R_A1), RV_RET,
	};
	uint64_t args[3] = { THEIRS };
	struct anpu_fault fault;
	uint32_t bo;
	void *p;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo));
	p = bo_map(self->fd, bo, PAGE);
	ASSERT_NE(MAP_FAILED, p);
	memcpy(p, code, sizeof(code));
	ASSERT_EQ(0, vm_map(self->fd, VA(2), PAGE, bo, RX));
	for (int store = 0; store < 2; store++) {
		union anpu_packet pkt = pkt_kernel(VA(2) + store * 16, OWN, sizeof(args), 0);

		memcpy(self->mem, args, sizeof(args));
		ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
		EXPECT_EQ(store + 1, self->s.status->errors);
		last_fault(self->fd, self->s.id, &fault);
		EXPECT_EQ(THEIRS, fault.addr) {
			TH_LOG("%.128s", fault.message);
		}
		EXPECT_EQ(0, self->mem[1]);
	}
	EXPECT_EQ(SECRET, self->secret[0]);
}

struct flipper {
	struct anpu_copy_desc *desc;
	volatile bool stop;
};

/* Rewrites a descriptor and a packet all the time: now they name own memory, now another's. */
static void *flip(void *arg)
{
	struct flipper *f = arg;
	union anpu_packet *pkt = (void *)(f->desc + 2);

	for (uint64_t i = 0; !f->stop; i++) {
		uint64_t there = i & 1 ? THEIRS : OWN + 1024;

		__atomic_store_n(i & 2 ? &f->desc->src : &f->desc->dst, there, __ATOMIC_RELAXED);
		__atomic_store_n(&f->desc->size, i & 4 ? 8 : 512 * 1024, __ATOMIC_RELAXED);
		__atomic_store_n(i & 2 ? &pkt->copy.src : &pkt->copy.dst, there, __ATOMIC_RELAXED);
		__atomic_store_n(&pkt->copy.size, i & 4 ? 8 : MIB, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_F(isolation, descriptors_that_change_while_they_execute)
{
	struct flipper f = { .desc = (void *)self->mem };
	union anpu_packet pkts[64];
	struct anpu_fault fault;
	pthread_t thread;

	f.desc[0] = (struct anpu_copy_desc){ .src = OWN + 512, .dst = OWN + 1024, .size = 8 };
	*(union anpu_packet *)(f.desc + 2) = pkt_copy(OWN + 1024, OWN + 512, 8);
	for (int i = 0; i < 64; i++)
		pkts[i] = i & 1 ?
			(union anpu_packet){ .copy_desc = { .hdr.opcode = ANPU_OP_COPY_DESC,
							    .desc = OWN } } :
			(union anpu_packet){ .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
							   .addr = OWN + 64, .count = 1 } };
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &f));
	/* On one processor the other thread may not have run yet when 50 rounds are over. */
	for (int i = 0; i < 50 || (!self->s.status->errors && i < 5000); i++) {
		ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 64));
		for (uint64_t n = 0; n < PAGE / 8; n++)
			ASSERT_NE(SECRET, self->mem[n]);
	}
	f.stop = true;
	pthread_join(thread, NULL);
	EXPECT_LT(0, self->s.status->errors);
	last_fault(self->fd, self->s.id, &fault);
	/* Nothing but this: it did reach beyond its own. */
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, fault.cause);
	for (uint64_t i = 0; i < MIB / 8; i++)
		ASSERT_EQ(SECRET, self->secret[i]);
}

TEST_F(isolation, offsets_of_anothers_pages)
{
	struct drm_anpu_bo_mmap_offset offset = { .handle = self->bo };
	struct drm_anpu_stream_create args = { .priority = 4, .ring_entries = 64,
		.flags = DRM_ANPU_STREAM_USER_QUEUE };
	uint64_t offsets[5];

	ASSERT_EQ(0, do_ioctl(self->victim, DRM_IOCTL_ANPU_STREAM_CREATE, &args));
	ASSERT_EQ(0, do_ioctl(self->victim, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &offset));
	offsets[0] = offset.offset;
	offsets[1] = args.status_offset;
	offsets[2] = args.ring_offset;
	offsets[3] = args.control_offset;
	offsets[4] = args.doorbell_offset;
	for (int i = 0; i < 5; i++) {
		for (int prot = PROT_READ; prot <= (PROT_READ | PROT_WRITE); prot++)
			EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, prot, MAP_SHARED, self->fd,
						   offsets[i]));
	}
	/* And in the neighbourhood of the victim's object. */
	for (uint64_t i = 1; i < 256; i++)
		EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd,
					   offset.offset + i * PAGE));
}

TEST_F(isolation, where_the_driver_keeps_page_tables)
{
	/* The last MiB of the HBM, as if it were mapped one to one at the beginnings of ranges. */
	const uint64_t bases[] = { 0, 1ULL << 32, 1ULL << 39, (1ULL << 48) - 256 * MIB };
	struct anpu_fault fault;

	for (int b = 0; b < 4; b++) {
		for (uint64_t addr = 255 * MIB; addr < 256 * MIB; addr += 64 * 1024) {
			union anpu_packet pkt = pkt_fill(bases[b] + addr, 8, 0xff);

			ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
			ASSERT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
			ASSERT_EQ(bases[b] + addr, fault.addr);
		}
	}
	EXPECT_EQ(SECRET, self->secret[0]);
}

TEST_F(isolation, without_permission_on_the_node)
{
	ASSERT_EQ(0, setresgid(65534, 65534, 65534));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_EQ(-EACCES, anpu_open());
}

TEST_HARNESS_MAIN
