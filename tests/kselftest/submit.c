// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* SUBMIT: every packet, every rule for constants and reserved fields, wild addresses. */
#include "anpu_test.h"

FIXTURE(submit) {
	int fd;
	struct stream s;
	unsigned char *mem;
};

#define SIZE	(4 * MIB)

FIXTURE_SETUP(submit)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, SIZE, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
}

FIXTURE_TEARDOWN(submit)
{
	close(self->fd);
}

static union anpu_packet pkt_random(uint64_t dst, uint64_t count, uint64_t counter, uint8_t dist,
				    uint8_t type)
{
	return (union anpu_packet){ .random = { .hdr.opcode = ANPU_OP_RANDOM, .dst = dst,
						.count = count, .counter = counter,
						.dist = dist, .type = type } };
}

static union anpu_packet pkt_reduce(uint64_t src, uint64_t dst, uint64_t size, uint32_t op,
				    uint32_t type)
{
	return (union anpu_packet){ .reduce = { .hdr.opcode = ANPU_OP_REDUCE, .src = src,
		.dst = dst, .size = size, .op = op, .type = type } };
}

#define RUN(pkts, n)	run(self->fd, self->s.id, pkts, n)

TEST_F(submit, bad_arguments)
{
	union anpu_packet nop = pkt_nop();
	struct drm_anpu_submit good = { .stream = self->s.id, .packets = ARRAY(&nop, 1) }, args;

	args = good;
	args.flags = 2;
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, &args));
	args = good;
	args.pad = 1;
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, &args));
	args = good;
	args.packets.stride = 128;
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, &args));
	args = good;
	args.packets.count = 0;
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, &args));
	args = good;
	args.stream = 9999;
	EXPECT_EQ(-ENOENT, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, &args));
	args = good;
	args.packets.array = 64;
	EXPECT_EQ(-EFAULT, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, &args));
	EXPECT_EQ(0, self->s.status->completed);
	args = good;
	EXPECT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, &args));
	EXPECT_EQ(1, args.submitted);
	EXPECT_EQ(1, args.seq);
}

TEST_F(submit, foreign_stream)
{
	union anpu_packet nop = pkt_nop();
	int other = anpu_open();

	ASSERT_GE(other, 0);
	EXPECT_EQ(-ENOENT, submit(other, self->s.id, &nop, 1, NULL));
	close(other);
}

TEST_F(submit, reserved_words_of_every_packet)
{
	/* The first reserved word of each opcode that has one; each word from there to the end. */
	const struct {
		uint8_t opcode;
		int from;
	} ops[] = {
		{ ANPU_OP_NOP, 1 }, { ANPU_OP_COPY, 4 }, { ANPU_OP_COPY_2D, 7 },
		{ ANPU_OP_COPY_DESC, 2 }, { ANPU_OP_FILL, 5 }, { ANPU_OP_SEM_SIGNAL, 5 },
		{ ANPU_OP_SEM_WAIT, 6 }, { ANPU_OP_TIMESTAMP, 2 }, { ANPU_OP_NOTIFY, 3 },
		{ ANPU_OP_INDIRECT, 3 }, { ANPU_OP_REDUCE, 5 }, { ANPU_OP_RANDOM, 7 },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		union anpu_packet good = { .hdr.opcode = ops[i].opcode }, pkt;

		if (ops[i].opcode == ANPU_OP_FILL)
			good.fill.pattern_size = 8;
		if (ops[i].opcode == ANPU_OP_SEM_SIGNAL)
			good.sem_signal.width = 8;
		if (ops[i].opcode == ANPU_OP_SEM_WAIT)
			good.sem_wait.width = 8;
		if (ops[i].opcode == ANPU_OP_INDIRECT)
			good.indirect.count = 1;
		if (ops[i].opcode == ANPU_OP_RANDOM)
			good.random.type = ANPU_RANDOM_F32;
		for (int word = ops[i].from; word < 8; word++) {
			pkt = good;
			pkt.qword[word] = 1ULL << 40;
			EXPECT_EQ(-EINVAL, submit(self->fd, self->s.id, &pkt, 1, NULL)) {
				TH_LOG("opcode %u word %d", ops[i].opcode, word);
			}
		}
		pkt = good;
		pkt.hdr.flags = 1 << 15;
		EXPECT_EQ(-EINVAL, submit(self->fd, self->s.id, &pkt, 1, NULL));
		pkt = good;
		pkt.hdr.reserved = 1;
		EXPECT_EQ(-EINVAL, submit(self->fd, self->s.id, &pkt, 1, NULL));
	}
	EXPECT_EQ(0, self->s.status->completed);
}

TEST_F(submit, bad_opcodes)
{
	for (int op = 0; op < 256; op++) {
		union anpu_packet pkt = { .hdr.opcode = op };

		/* a JUMP is for an INDIRECT's array, which the driver never sees */
		if (op > 0 && op < ANPU_OP_COUNT && op != ANPU_OP_JUMP)
			continue;
		EXPECT_EQ(-EINVAL, submit(self->fd, self->s.id, &pkt, 1, NULL));
	}
}

#define REFUSED(make, field, value) do { \
	union anpu_packet pkt = make; \
	pkt.field = value; \
	EXPECT_EQ(-EINVAL, submit(self->fd, self->s.id, &pkt, 1, NULL)) { \
		TH_LOG("%s = %s", #field, #value); \
	} \
} while (0)

TEST_F(submit, bad_constants)
{
	union anpu_packet fill = pkt_fill(VA(0), 64, 0), kernel = pkt_kernel(VA(0), VA(0), 8, 0);
	union anpu_packet two_d = { .copy_2d = { .hdr.opcode = ANPU_OP_COPY_2D, .src_pitch = 64,
		.dst_pitch = 64, .width = 64, .height = 2 } };
	union anpu_packet ind = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT, .count = 1 } };

	union anpu_packet reduce = pkt_reduce(VA(0), VA(0) + PAGE, 64, ANPU_REDUCE_SUM,
					      ANPU_REDUCE_F32);
	union anpu_packet random = pkt_random(VA(0), 8, VA(0) + PAGE, ANPU_RANDOM_UNIFORM,
					      ANPU_RANDOM_F32);

	REFUSED(random, random.dist, ANPU_RANDOM_DIST_COUNT);
	REFUSED(random, random.type, ANPU_RANDOM_TYPE_COUNT);
	REFUSED(random, random.dst, VA(0) + 2);
	REFUSED(random, random.reserved[0], 1);
	REFUSED(random, random.reserved[5], 1);
	REFUSED(random, hdr.flags, ANPU_RANDOM_FLAGS + 1);
	random.random.dist = ANPU_RANDOM_NORMAL;
	REFUSED(random, random.type, ANPU_RANDOM_U64);
	random.random.dist = ANPU_RANDOM_BITMASK;
	REFUSED(random, random.b, 1);
	REFUSED(random, hdr.flags, ANPU_RANDOM_B_AT);
	REFUSED(random, random.type, ANPU_RANDOM_S32);
	REFUSED(reduce, reduce.op, ANPU_REDUCE_OP_COUNT);
	REFUSED(reduce, reduce.type, ANPU_REDUCE_TYPE_COUNT);
	REFUSED(reduce, reduce.src, VA(0) + 2);
	REFUSED(reduce, reduce.dst, VA(0) + 2);
	REFUSED(reduce, reduce.size, 62);
	reduce.reduce.type = ANPU_REDUCE_BF16;
	REFUSED(reduce, reduce.dst, VA(0) + 1);
	REFUSED(reduce, reduce.size, 63);
	REFUSED(fill, fill.pattern_size, 0);
	REFUSED(fill, fill.pattern_size, 3);
	REFUSED(fill, fill.pattern_size, 16);
	fill.fill.pattern_size = 8;
	REFUSED(fill, fill.size, 60);
	REFUSED(fill, fill.dst, VA(0) + 4);
	REFUSED(two_d, copy_2d.src_pitch, 63);
	REFUSED(two_d, copy_2d.dst_pitch, 63);
	REFUSED(two_d, copy_2d.height, 1ULL << 60);
	REFUSED(pkt_signal(VA(0), 1, 0), sem_signal.width, 2);
	REFUSED(pkt_signal(VA(0), 1, 0), sem_signal.op, ANPU_SEM_OP_COUNT);
	REFUSED(pkt_signal(VA(0), 1, 0), sem_signal.addr, VA(0) + 4);
	REFUSED(pkt_signal(VA(0), 1, 0), sem_signal.timestamp, VA(0) + 4);
	REFUSED(pkt_wait(VA(0), 1), sem_wait.width, 16);
	REFUSED(pkt_wait(VA(0), 1), sem_wait.cond, ANPU_SEM_COND_COUNT);
	REFUSED(pkt_wait(VA(0), 1), sem_wait.addr, VA(0) + 2);
	REFUSED(ind, indirect.addr, VA(0) + 8);
	REFUSED(ind, indirect.count, 0);
	REFUSED(ind, indirect.count, ANPU_MAX_INDIRECT + 1);
	REFUSED(ind, indirect.reserved0, 1);
	REFUSED(fill, fill.reserved0, 1);
	REFUSED(kernel, kernel.entry, VA(0) + 2);
	REFUSED(kernel, kernel.args, VA(0) + 4);
	REFUSED(kernel, kernel.args_size, 0);
	REFUSED(kernel, kernel.grid_x, 0);
	REFUSED(kernel, kernel.grid_y, 0);
	REFUSED(kernel, kernel.grid_z, 0);
	REFUSED(kernel, kernel.grid_x, ANPU_MAX_BLOCKS + 1u);
	REFUSED(kernel, kernel.sched_mode, ANPU_SCHED_COUNT);
	REFUSED(kernel, kernel.core_type, ANPU_CORE_COUNT);
	REFUSED(kernel, kernel.core_type, ANPU_CORE_MIX);
	REFUSED(kernel, kernel.mix_ratio, 1);
	REFUSED(kernel, kernel.priority, 8);
	REFUSED(kernel, kernel.aiv_entry, 4);
	REFUSED(kernel, kernel.cluster_x, 2);
	REFUSED(kernel, hdr.flags, 1 << 5);
	REFUSED(kernel, hdr.flags, ANPU_KERNEL_OVERFLOW_ENTRY(1));
	kernel.kernel.grid_x = 1 << 16;
	REFUSED(kernel, kernel.grid_y, 1 << 15);
	kernel.kernel.grid_x = 1;
	kernel.kernel.core_type = ANPU_CORE_MIX;
	REFUSED(kernel, kernel.mix_ratio, 3);
	EXPECT_EQ(0, self->s.status->completed);
}

/* Each bit of @mask alone, added to a packet that is right without it */
#define REFUSED_BITS(make, field, mask) do { \
	for (uint64_t bit = 1; bit; bit <<= 1) { \
		union anpu_packet pkt = make; \
		if (!(bit & (uint64_t)(mask))) \
			continue; \
		pkt.field |= bit; \
		EXPECT_EQ(-EINVAL, submit(self->fd, self->s.id, &pkt, 1, NULL)) { \
			TH_LOG("%s with bit 0x%llx", #field, (unsigned long long)bit); \
		} \
	} \
} while (0)

TEST_F(submit, every_bit_that_must_be_zero)
{
	union anpu_packet kernel = pkt_kernel(VA(0), VA(0), 8, 0), mix = kernel, none = kernel;
	union anpu_packet fill = pkt_fill(VA(0), 64, 0), mask = { .random = {
		.hdr.opcode = ANPU_OP_RANDOM, .dst = VA(0), .dist = ANPU_RANDOM_BITMASK,
		.type = ANPU_RANDOM_F32 } };
	union anpu_packet desc = { .copy_desc = { .hdr.opcode = ANPU_OP_COPY_DESC,
						  .desc = VA(0) } };
	union anpu_packet stamp = { .timestamp = { .hdr.opcode = ANPU_OP_TIMESTAMP,
						   .addr = VA(0) } };
	union anpu_packet ind = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT, .addr = VA(0),
						.count = 1 } };

	mix.kernel.core_type = ANPU_CORE_MIX;
	mix.kernel.mix_ratio = 1;
	none.kernel.args = 0;
	none.kernel.args_size = 0;
	REFUSED_BITS(kernel, hdr.flags, 0xffff & ~(ANPU_KERNEL_FLAGS & 0xff));
	REFUSED_BITS(kernel, kernel.entry, 3);
	REFUSED_BITS(kernel, kernel.args, 7);
	REFUSED_BITS(none, kernel.args, ~0ULL);
	REFUSED_BITS(kernel, kernel.aiv_entry, UINT32_MAX);
	REFUSED_BITS(mix, kernel.aiv_entry, 3);
	REFUSED_BITS(kernel, kernel.mix_ratio, 0xff);
	REFUSED_BITS(desc, copy_desc.desc, 7);
	REFUSED_BITS(stamp, timestamp.addr, 7);
	REFUSED_BITS(ind, indirect.addr, ANPU_PACKET_SIZE - 1);
	REFUSED_BITS(ind, hdr.flags, 0xffff);
	REFUSED_BITS(mask, hdr.flags, 0xffff & ~(ANPU_RANDOM_FLAGS & ~ANPU_RANDOM_B_AT));
	REFUSED_BITS(mask, random.b, ~0ULL);
	REFUSED_BITS(pkt_signal(VA(0), 1, 0), sem_signal.addr, 7);
	REFUSED_BITS(pkt_signal(VA(0), 1, 0), sem_signal.timestamp, 7);
	REFUSED_BITS(pkt_signal(VA(0), 1, 0), hdr.flags, 0xffff & ~ANPU_SEM_SIGNAL_FLAGS);
	REFUSED_BITS(pkt_wait(VA(0), 1), sem_wait.addr, 7);
	REFUSED_BITS(pkt_wait(VA(0), 1), hdr.flags, 0xffff & ~ANPU_SEM_WAIT_FLAGS);
	for (unsigned int size = 2; size <= 8; size *= 2) {
		fill.fill.pattern_size = size;
		REFUSED_BITS(fill, fill.dst, size - 1);
		REFUSED_BITS(fill, fill.size, size - 1);
	}
	for (unsigned int type = 0; type < ANPU_REDUCE_TYPE_COUNT; type++) {
		unsigned int low = ANPU_REDUCE_SIZE(type) - 1;

		REFUSED_BITS(pkt_reduce(VA(0), VA(1), 64, 0, type), reduce.src, low);
		REFUSED_BITS(pkt_reduce(VA(0), VA(1), 64, 0, type), reduce.dst, low);
		REFUSED_BITS(pkt_reduce(VA(0), VA(1), 64, 0, type), reduce.size, low);
	}
	for (unsigned int type = 0; type < ANPU_RANDOM_TYPE_COUNT; type++)
		REFUSED_BITS(pkt_random(VA(0), 8, VA(1), ANPU_RANDOM_UNIFORM, type), random.dst,
			     ANPU_RANDOM_SIZE(type) - 1);
	EXPECT_EQ(0, self->s.status->completed);
}

#define TAKEN(make, field, value) do { \
	union anpu_packet pkt = make; \
	pkt.field = value; \
	EXPECT_EQ(0, submit(self->fd, self->s.id, &pkt, 1, NULL)) { \
		TH_LOG("%s = %s", #field, #value); \
	} \
} while (0)

/* The last value of each range is accepted. All of these wait behind what nobody signals. */
TEST_F(submit, the_ends_of_ranges)
{
	union anpu_packet kernel = pkt_kernel(VA(0), VA(0), 8, 0), fill = pkt_fill(VA(0), 64, 0);
	union anpu_packet two_d = { .copy_2d = { .hdr.opcode = ANPU_OP_COPY_2D, .src_pitch = 1 << 20,
		.dst_pitch = 1 << 20, .width = 1, .height = 1 } };
	union anpu_packet never = pkt_wait(VA(0), 1), wide, list = { .indirect = {
		.hdr.opcode = ANPU_OP_INDIRECT, .addr = VA(0) } };

	ASSERT_EQ(0, submit(self->fd, self->s.id, &never, 1, NULL));
	TAKEN(kernel, kernel.grid_x, ANPU_MAX_BLOCKS);
	TAKEN(kernel, kernel.grid_y, ANPU_MAX_BLOCKS);
	TAKEN(kernel, kernel.grid_z, ANPU_MAX_BLOCKS);
	TAKEN(kernel, kernel.sched_mode, ANPU_SCHED_COUNT - 1);
	TAKEN(kernel, kernel.priority, 7);
	TAKEN(kernel, kernel.args_size, 0xffffffff);
	TAKEN(kernel, kernel.cluster_x, 1);
	TAKEN(kernel, kernel.cluster_y, 1);
	TAKEN(kernel, kernel.cluster_z, 1);
	for (unsigned int type = 0; type < ANPU_CORE_COUNT; type++) {
		wide = kernel;
		wide.kernel.mix_ratio = type == ANPU_CORE_MIX ? 2 : 0;
		TAKEN(wide, kernel.core_type, type);
	}
	wide = kernel;
	wide.kernel.core_type = ANPU_CORE_MIX;
	wide.kernel.mix_ratio = 1;
	wide.kernel.grid_x = 255;
	TAKEN(wide, kernel.grid_y, 257);
	REFUSED(wide, kernel.grid_y, 258);
	wide = kernel;
	wide.kernel.grid_x = 1 << 16;
	TAKEN(wide, kernel.grid_y, (1 << 15) - 1);
	REFUSED(wide, kernel.grid_y, 1 << 15);
	REFUSED(wide, kernel.grid_y, 0x80000000);
	REFUSED(wide, kernel.cluster_x, 2);
	wide.kernel.cluster_x = 5;
	TAKEN(wide, kernel.grid_x, 10);
	REFUSED(wide, kernel.grid_x, 11);
	REFUSED(kernel, kernel.cluster_y, 2);
	REFUSED(kernel, kernel.cluster_z, 2);
	REFUSED(kernel, kernel.grid_y, ANPU_MAX_BLOCKS + 1u);
	REFUSED(kernel, kernel.grid_z, ANPU_MAX_BLOCKS + 1u);
	for (unsigned int size = 1; size <= 8; size *= 2)
		TAKEN(fill, fill.pattern_size, size);
	TAKEN(two_d, copy_2d.width, 1 << 20);
	TAKEN(two_d, copy_2d.height, 0);
	TAKEN(two_d, copy_2d.height, 1ULL << 43);
	REFUSED(two_d, copy_2d.height, (1ULL << 43) + 1);
	/* the longer pitch counts, whichever it is */
	wide = two_d;
	wide.copy_2d.height = 1ULL << 43;
	REFUSED(wide, copy_2d.src_pitch, (1 << 20) + 1);
	REFUSED(wide, copy_2d.dst_pitch, (1 << 20) + 1);
	for (unsigned int op = 0; op < ANPU_SEM_OP_COUNT; op++)
		TAKEN(pkt_signal(VA(0), 1, 0), sem_signal.op, op);
	TAKEN(pkt_signal(VA(0) + 4, 1, 0), sem_signal.width, 4);
	for (unsigned int cond = 0; cond < ANPU_SEM_COND_COUNT; cond++)
		TAKEN(pkt_wait(VA(0), 1), sem_wait.cond, cond);
	TAKEN(pkt_wait(VA(0) + 4, 1), sem_wait.width, 4);
	for (unsigned int op = 0; op < ANPU_REDUCE_OP_COUNT; op++)
		for (unsigned int type = 0; type < ANPU_REDUCE_TYPE_COUNT; type++)
			TAKEN(pkt_reduce(VA(0), VA(1), ANPU_REDUCE_SIZE(type), op, 0), reduce.type,
			      type);
	for (unsigned int dist = 0; dist < ANPU_RANDOM_DIST_COUNT; dist++)
		TAKEN(pkt_random(VA(0), 8, VA(1), 0, ANPU_RANDOM_F32), random.dist, dist);
	TAKEN(pkt_random(VA(0), 8, VA(1), ANPU_RANDOM_NORMAL, 0), random.type, ANPU_RANDOM_F16);
	TAKEN(pkt_random(VA(0), 8, VA(1), ANPU_RANDOM_BITMASK, ANPU_RANDOM_F32), random.dst, VA(0) + 1);
	TAKEN(list, indirect.count, ANPU_MAX_INDIRECT);
	/* a kernel with a launch may have no arguments besides */
	wide = kernel;
	wide.kernel.hdr.flags = ANPU_KERNEL_LAUNCH;
	TAKEN(wide, kernel.args_size, 0);
	EXPECT_EQ(0, self->s.status->completed);
}

TEST_F(submit, the_longest_packets_of_a_bounded_stream)
{
	union anpu_packet kernel = pkt_kernel(VA(0), VA(0), 8, DRM_ANPU_BOUNDED_US), list = { .indirect = {
		.hdr.opcode = ANPU_OP_INDIRECT, .addr = VA(0), .count = 1 } };
	union anpu_packet wait = pkt_wait_us(VA(0), ~0ULL, DRM_ANPU_BOUNDED_US);
	struct stream s;

	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &s));
	EXPECT_EQ(0, submit(self->fd, s.id, &wait, 1, NULL));
	EXPECT_EQ(0, submit(self->fd, s.id, &kernel, 1, NULL));
	wait.sem_wait.timeout_us++;
	kernel.kernel.timeout_us++;
	EXPECT_EQ(-EINVAL, submit(self->fd, s.id, &wait, 1, NULL));
	EXPECT_EQ(-EINVAL, submit(self->fd, s.id, &kernel, 1, NULL));
	EXPECT_EQ(-EINVAL, submit(self->fd, s.id, &list, 1, NULL));
	EXPECT_EQ(0, stream_destroy(self->fd, s.id));
}

/* A submission with NONBLOCK does not wait behind another one that waits for room, and goes through when that is over. */
TEST_F(submit, nonblock_beside_who_waits_for_room)
{
	union anpu_packet pkts[24] = { pkt_wait(VA(0), 1) };
	struct stream s;
	int status;
	pid_t pid;

	for (int i = 1; i < 24; i++)
		pkts[i] = pkt_nop();
	ASSERT_EQ(0, stream_create(self->fd, 0, 16, &s));
	pid = fork();
	if (!pid)
		_exit(submit(self->fd, s.id, pkts, 24, NULL) != 0);
	until_asleep(pid);
	EXPECT_EQ(-EAGAIN, submit_flags(self->fd, s.id, pkts + 1, 1, DRM_ANPU_SUBMIT_NONBLOCK, NULL, NULL));
	*(volatile uint64_t *)self->mem = 1;
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, wait_seq(self->fd, s.id, 24));
	EXPECT_EQ(0, submit_flags(self->fd, s.id, pkts + 1, 1, DRM_ANPU_SUBMIT_NONBLOCK, NULL, NULL));
}

TEST_F(submit, those_before_a_bad_one_are_submitted)
{
	union anpu_packet pkts[40];
	uint32_t submitted;
	uint64_t seq;

	for (int i = 0; i < 40; i++)
		pkts[i] = pkt_nop();
	pkts[37].hdr.opcode = 200;
	EXPECT_EQ(0, submit_flags(self->fd, self->s.id, pkts, 40, 0, &seq, &submitted));
	EXPECT_EQ(37, submitted);
	EXPECT_EQ(37, seq);
	EXPECT_EQ(-EINVAL, submit_flags(self->fd, self->s.id, pkts + 37, 3, 0, &seq, &submitted));
	EXPECT_EQ(0, submitted);
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 37));
	EXPECT_EQ(-EINVAL, wait_seq(self->fd, self->s.id, 38));
}

TEST_F(submit, unreadable_tail)
{
	union anpu_packet *pkts = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t submitted;
	uint64_t seq;

	ASSERT_NE(MAP_FAILED, pkts);
	ASSERT_EQ(0, munmap((char *)pkts + PAGE, PAGE));
	for (int i = 0; i < 64; i++)
		pkts[i] = pkt_nop();
	EXPECT_EQ(0, submit_flags(self->fd, self->s.id, pkts, 80, 0, &seq, &submitted));
	EXPECT_EQ(64, submitted);
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 64));
}

/* Packets do the same however they are submitted. */
FIXTURE(packets) {
	int fd;
	struct stream s;
	unsigned char *mem;
};

BOTH_WAYS(packets);

FIXTURE_SETUP(packets)
{
	stream_mode = variant->mode;
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, SIZE, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
}

FIXTURE_TEARDOWN(packets)
{
	close(self->fd);
}

TEST_F(packets, copy_fill)
{
	union anpu_packet pkts[3] = {
		pkt_fill(VA(0), MIB, 0xab),
		pkt_copy(VA(0) + MIB, VA(0), MIB - 3),
		pkt_copy(VA(0) + 3 * MIB, VA(0), 0),
	};

	ASSERT_EQ(0, RUN(pkts, 3));
	EXPECT_EQ(0, self->s.status->errors);
	EXPECT_EQ(0xab, self->mem[MIB - 1]);
	EXPECT_EQ(0xab, self->mem[2 * MIB - 4]);
	EXPECT_EQ(0, self->mem[2 * MIB - 3]);
}

TEST_F(packets, copy_2d)
{
	union anpu_packet pkt = { .copy_2d = { .hdr.opcode = ANPU_OP_COPY_2D, .src = VA(0),
		.dst = VA(0) + MIB, .src_pitch = 100, .dst_pitch = 64, .width = 10, .height = 50 } };

	for (int i = 0; i < 5000; i++)
		self->mem[i] = i % 100;
	ASSERT_EQ(0, RUN(&pkt, 1));
	for (int y = 0; y < 50; y++) {
		ASSERT_EQ(9, self->mem[MIB + y * 64 + 9]);
		ASSERT_EQ(0, self->mem[MIB + y * 64 + 10]);
	}
}

TEST_F(packets, copy_desc_is_read_when_it_executes)
{
	struct anpu_copy_desc desc = { .src = VA(0), .dst = VA(0) + MIB, .size = 100 };
	union anpu_packet pkts[2] = {
		pkt_copy(VA(0) + 2 * MIB, VA(0) + 3 * MIB, sizeof(desc)),
		{ .copy_desc = { .hdr.opcode = ANPU_OP_COPY_DESC, .desc = VA(0) + 2 * MIB } },
	};

	memset(self->mem, 0x44, 200);
	memcpy(self->mem + 3 * MIB, &desc, sizeof(desc));
	ASSERT_EQ(0, RUN(pkts, 2));
	EXPECT_EQ(0, self->s.status->errors);
	EXPECT_EQ(0x44, self->mem[MIB + 99]);
	EXPECT_EQ(0, self->mem[MIB + 100]);
}

TEST_F(packets, semaphores_between_streams)
{
	union anpu_packet wait[2] = { pkt_wait(VA(0), 5), pkt_fill(VA(0) + PAGE, 8, 1) };
	union anpu_packet signal[2] = { pkt_fill(VA(0) + 2 * PAGE, 8, 2), pkt_signal(VA(0), 5, 0) };
	struct stream other;
	uint64_t seq;

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &other));
	ASSERT_EQ(0, submit(self->fd, self->s.id, wait, 2, &seq));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->s.id, seq, now_ns() + 20000000));
	EXPECT_EQ(0, self->mem[PAGE]);
	ASSERT_EQ(0, run(self->fd, other.id, signal, 2));
	ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
	EXPECT_EQ(1, self->mem[PAGE]);
	EXPECT_EQ(2, self->mem[2 * PAGE]);
}

TEST_F(packets, semaphore_wait_expires)
{
	union anpu_packet pkt = pkt_wait_us(VA(0), 5, 5000);
	struct anpu_fault fault;

	ASSERT_EQ(0, RUN(&pkt, 1));
	EXPECT_EQ(ANPU_FAULT_WAIT_TIMEOUT, last_fault(self->fd, self->s.id, &fault));
}

TEST_F(packets, timestamps_are_in_order)
{
	union anpu_packet pkts[2] = {
		{ .timestamp = { .hdr.opcode = ANPU_OP_TIMESTAMP, .addr = VA(0) } },
		{ .timestamp = { .hdr.opcode = ANPU_OP_TIMESTAMP, .addr = VA(0) + 8 } },
	};
	uint64_t *stamps = (uint64_t *)self->mem;

	ASSERT_EQ(0, RUN(pkts, 2));
	EXPECT_GT(stamps[0], 0);
	EXPECT_GE(stamps[1], stamps[0]);
}

TEST_F(packets, indirect)
{
	union anpu_packet *list = (union anpu_packet *)(self->mem + 2 * MIB);
	union anpu_packet pkt = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
		.addr = VA(0) + 2 * MIB, .count = 3 } };

	list[0] = pkt_fill(VA(0), 16, 1);
	list[1] = pkt_copy(VA(0) + PAGE, VA(0), 16);
	list[2] = pkt_fill(VA(0), 16, 9);
	ASSERT_EQ(0, RUN(&pkt, 1));
	EXPECT_EQ(0, self->s.status->errors);
	EXPECT_EQ(1, self->mem[PAGE]);
	EXPECT_EQ(9, self->mem[0]);
}

/* The limit of cores reaches the device, in rings as in arrays that the driver never sees */
TEST_F(packets, max_cores)
{
	union anpu_packet *list = (union anpu_packet *)(self->mem + 2 * MIB);
	union anpu_packet pkts[2] = { { .kernel = { .hdr.opcode = ANPU_OP_KERNEL, .entry = VA(0),
		.grid_x = 2, .grid_y = 1, .grid_z = 1, .sched_mode = ANPU_SCHED_BATCH,
		.max_cores = 1 } }, { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
		.addr = VA(0) + 2 * MIB, .count = 1 } } };
	struct anpu_fault fault;

	*list = *pkts;
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, RUN(&pkts[i], 1));
		EXPECT_EQ(ANPU_FAULT_BAD_PACKET, last_fault(self->fd, self->s.id, &fault));
		EXPECT_NE(NULL, strstr(fault.message, "max_cores is 1"));
	}
}

TEST_F(packets, jumps)
{
	union anpu_packet *list = (union anpu_packet *)(self->mem + 2 * MIB);
	union anpu_packet pkt = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
		.addr = VA(0) + 2 * MIB, .count = 2 } };
	struct anpu_fault fault;

	list[0] = pkt_signal(VA(0), 1, 0);
	list[0].sem_signal.op = ANPU_SEM_ADD;
	list[1] = (union anpu_packet){ .jump = { .hdr.opcode = ANPU_OP_JUMP, .addr = VA(0),
		.value = 1000, .mask = ~0ULL, .cond = ANPU_SEM_LT, .width = 8, .target = 0 } };
	ASSERT_EQ(0, RUN(&pkt, 1));
	EXPECT_EQ(0, self->s.status->errors);
	EXPECT_EQ(1000, *(uint64_t *)self->mem);
	/* as everything, a word is found in the process's own address space only */
	list[1].jump.addr = VA(0) + SIZE;
	ASSERT_EQ(0, RUN(&pkt, 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(1, fault.ib_index);
}

/* A loop without an end is a running packet like any other: the stream can be destroyed */
TEST_F(packets, endless_jumps)
{
	union anpu_packet *list = (union anpu_packet *)(self->mem + 2 * MIB);
	union anpu_packet pkt = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
		.addr = VA(0) + 2 * MIB, .count = 2 } };
	struct stream other;
	union anpu_packet nop = pkt_nop();
	uint64_t seq;

	list[0] = pkt_signal(VA(0), 1, 0);
	list[0].sem_signal.op = ANPU_SEM_ADD;
	list[1] = (union anpu_packet){ .jump = { .hdr = { .opcode = ANPU_OP_JUMP,
		.flags = ANPU_JUMP_ALWAYS }, .target = 0 } };
	ASSERT_EQ(0, submit(self->fd, self->s.id, &pkt, 1, NULL));
	while (*(volatile uint64_t *)self->mem < 1000)
		;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &other));
	ASSERT_EQ(0, submit(self->fd, other.id, &nop, 1, &seq));
	ASSERT_EQ(0, wait_seq(self->fd, other.id, seq));
	EXPECT_EQ(0, self->s.status->completed);
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
}

TEST_F(packets, reduce)
{
	union anpu_packet pkts[3] = {
		pkt_reduce(VA(0), VA(0) + MIB, 4 * 1000, ANPU_REDUCE_SUM, ANPU_REDUCE_S32),
		pkt_reduce(VA(0), VA(0) + 2 * MIB, 4 * 1000, ANPU_REDUCE_MAX, ANPU_REDUCE_F32),
		pkt_reduce(VA(0), VA(0) + 3 * MIB, 1000, ANPU_REDUCE_MIN, ANPU_REDUCE_S8),
	};
	union anpu_packet over = pkt_reduce(VA(0), VA(0) + SIZE - PAGE, 2 * PAGE,
					    ANPU_REDUCE_SUM, ANPU_REDUCE_S8);
	int32_t *src = (int32_t *)self->mem, *sum = (int32_t *)(self->mem + MIB);
	float *max = (float *)(self->mem + 2 * MIB);
	int8_t *min = (int8_t *)(self->mem + 3 * MIB);
	struct anpu_fault fault;

	for (int i = 0; i < 1000; i++) {
		src[i] = 0x3f800000 + i;
		sum[i] = 0x7fffff00 - i;
		max[i] = i & 1 ? 2 : -2;
		min[i] = 5;
	}
	ASSERT_EQ(0, RUN(pkts, 3));
	EXPECT_EQ(0, self->s.status->errors);
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ((int32_t)0xbf7fff00, sum[i]);
		ASSERT_TRUE(i & 1 ? max[i] == 2 : max[i] >= 1 && max[i] < 1.1);
		ASSERT_EQ(((int8_t *)src)[i] < 5 ? ((int8_t *)src)[i] : 5, min[i]);
	}
	EXPECT_EQ(0, sum[1000]);
	ASSERT_EQ(0, RUN(&over, 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(VA(0) + SIZE, fault.addr);
}

TEST_F(packets, random)
{
	union anpu_packet pkts[3] = {
		pkt_random(VA(0) + MIB, 1000, VA(0) + 3, ANPU_RANDOM_UNIFORM, ANPU_RANDOM_S32),
		pkt_random(VA(0) + 2 * MIB, 996, VA(0) + 19, ANPU_RANDOM_UNIFORM, ANPU_RANDOM_S32),
		pkt_random(VA(0) + 3 * MIB, 1001, VA(0) + 3, ANPU_RANDOM_BITMASK, ANPU_RANDOM_F32),
	};
	int32_t *first = (int32_t *)(self->mem + MIB), *second = (int32_t *)(self->mem + 2 * MIB);
	uint8_t *mask = self->mem + 3 * MIB;
	unsigned int ones = 0, differ = 0;
	struct anpu_fault fault;
	float half = 0.5f;

	memset(self->mem, 0, PAGE);
	memset(mask, 0xff, 200);
	self->mem[3] = 200;
	self->mem[19] = 201; /* one block further */
	pkts[0].random.a = (uint32_t)-10;
	pkts[0].random.b = 10;
	pkts[1].random.a = VA(0) + 100;
	pkts[1].random.b = VA(0) + 104;
	pkts[1].hdr.flags = ANPU_RANDOM_A_AT | ANPU_RANDOM_B_AT;
	memcpy(self->mem + 100, &(int32_t){ -10 }, 4);
	memcpy(self->mem + 104, &(int32_t){ 10 }, 4);
	memcpy(&pkts[2].random.a, &half, 4);
	ASSERT_EQ(0, RUN(pkts, 3));
	EXPECT_EQ(0, self->s.status->errors);
	for (int i = 0; i < 1000; i++) {
		ASSERT_TRUE(first[i] >= -10 && first[i] < 10);
		differ += first[i] != first[0];
	}
	EXPECT_GT(differ, 800);
	EXPECT_EQ(0, memcmp(first + 4, second, 996 * 4));
	EXPECT_EQ(0, second[996]);
	for (int i = 0; i < 126; i++)
		ones += __builtin_popcount(mask[i]);
	EXPECT_TRUE(ones > 400 && ones < 600);
	EXPECT_EQ(0, mask[125] & ~1);
	EXPECT_EQ(0xff, mask[126]);
	EXPECT_EQ(200, self->mem[3]);
	pkts[0].random.counter = VA(0) + SIZE - 8;
	ASSERT_EQ(0, RUN(pkts, 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(ANPU_ACCESS_READ, fault.access);
	EXPECT_EQ(VA(0) + SIZE, fault.addr);
	pkts[2].random.dst = VA(0) + SIZE - 8;
	ASSERT_EQ(0, RUN(&pkts[2], 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(ANPU_ACCESS_WRITE, fault.access);
}

TEST_F(packets, wild_addresses_are_precise_faults)
{
	const uint64_t wild[] = { 0, 8, 0x1000, (1ULL << 32) - 8, VA(0) + SIZE, VA(40), 1ULL << 47,
		1ULL << 48, 0xffff888000000000, ~15ULL };
	struct anpu_fault fault;

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		union anpu_packet from = pkt_copy(VA(0), wild[i], 8);
		union anpu_packet to = pkt_copy(wild[i], VA(0), 8);

		from.hdr.task_id = 1000 + i;
		ASSERT_EQ(0, RUN(&from, 1));
		EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault)) {
			TH_LOG("address %#llx", (unsigned long long)wild[i]);
		}
		EXPECT_EQ(wild[i], fault.addr);
		EXPECT_EQ(ANPU_ACCESS_READ, fault.access);
		EXPECT_EQ(1000 + i, fault.task_id);
		EXPECT_EQ(self->s.queue, fault.queue);
		ASSERT_EQ(0, RUN(&to, 1));
		EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
		EXPECT_EQ(wild[i], fault.addr);
		EXPECT_EQ(ANPU_ACCESS_WRITE, fault.access);
	}
	/* Across the end of what is mapped: the first byte outside is named. */
	union anpu_packet over = pkt_copy(VA(0) + SIZE - PAGE, VA(0), 2 * PAGE);

	ASSERT_EQ(0, RUN(&over, 1));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, self->s.id, &fault));
	EXPECT_EQ(VA(0) + SIZE, fault.addr);
}

TEST_HARNESS_MAIN
