// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* One packet is ended; what is set while an operator runs. */
#include "anpu_test.h"

#define CODE	VA(10)
#define DATA	VA(11)
#define PARTS	VA(12)

FIXTURE(endtask) {
	int fd;
	struct stream s;
	uint32_t *code;
	uint64_t *data;
	union anpu_packet *parts;
};

BOTH_WAYS(endtask);

FIXTURE_SETUP(endtask)
{
	/* Says that it has begun, in the first word of its arguments, and never ends. */
	const uint32_t code[] = { RV_LI(R_A1, 1), RV_SD(R_A1, 0, R_A0), RV_LOOP };

	stream_mode = variant->mode;
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->code = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, CODE, RX, NULL);
	ASSERT_NE(MAP_FAILED, self->code);
	memcpy(self->code, code, sizeof(code));
	self->data = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, DATA, RW, NULL);
	ASSERT_NE(MAP_FAILED, self->data);
	self->parts = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, PARTS, RW, NULL);
	ASSERT_NE(MAP_FAILED, self->parts);
}

FIXTURE_TEARDOWN(endtask)
{
	close(self->fd);
}

static int end_task(int fd, uint32_t stream, uint64_t seq)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_END_TASK, .stream = stream, .seq = seq };

	return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &args);
}

static int stream_set(int fd, uint32_t stream, uint32_t flags, uint32_t priority)
{
	struct drm_anpu_stream_set args = { .stream = stream, .flags = flags, .priority = priority };

	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_SET, &args);
}

static void wait_started(const struct stream *s, uint64_t seq)
{
	while (*(volatile const __u64 *)&s->status->started < seq)
		usleep(100);
}

static void wait_begun(const uint64_t *word)
{
	while (!*(volatile const uint64_t *)word)
		usleep(100);
}

static union anpu_packet endless(void)
{
	return pkt_kernel(CODE, DATA, 64, ANPU_TIMEOUT_NEVER);
}

/* A packet and one behind it: the one is ended, the other has run. */
#define ENDS(packet) ({ \
	union anpu_packet pkts_[2] = { packet, pkt_signal(DATA + 64, 1, 0) }; \
	pkts_[1].sem_signal.op = ANPU_SEM_ADD; \
	uint64_t errors_ = self->s.status->errors, word_ = self->data[8], seq_; \
	struct anpu_fault fault_; \
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts_, 2, &seq_)); \
	wait_started(&self->s, seq_ - 1); \
	ASSERT_EQ(0, end_task(self->fd, self->s.id, seq_ - 1)); \
	ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq_)); \
	EXPECT_EQ(errors_ + 1, self->s.status->errors); \
	EXPECT_EQ(ANPU_FAULT_ENDED, last_fault(self->fd, self->s.id, &fault_)); \
	EXPECT_EQ(seq_ - 1, fault_.seq); \
	EXPECT_EQ(word_ + 1, self->data[8]); \
})

TEST_F(endtask, kernel_wait_and_indirect)
{
	union anpu_packet many = endless(), list = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
		.addr = PARTS, .count = 3 } };

	self->parts[0] = pkt_nop();
	self->parts[1] = endless();
	self->parts[2] = pkt_signal(DATA + 128, 1, 0);
	many.kernel.grid_x = 100;
	for (int i = 0; i < 10; i++) {
		ENDS(endless());
		ENDS(many);
		ENDS(pkt_wait(DATA + 256, 1));
		ENDS(list);
	}
	EXPECT_EQ(0, self->data[16]);
	EXPECT_EQ(ANPU_QUEUE_RUNNING, self->s.status->state);
}

TEST_F(endtask, nothing_else_is_ended)
{
	union anpu_packet pkts[3] = { pkt_nop(), endless(), pkt_nop() };
	uint64_t seq;

	ASSERT_EQ(0, end_task(self->fd, self->s.id, 1));
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 3, &seq));
	wait_started(&self->s, 2);
	EXPECT_EQ(0, end_task(self->fd, self->s.id, 1));
	EXPECT_EQ(0, end_task(self->fd, self->s.id, 3));
	EXPECT_EQ(0, end_task(self->fd, self->s.id, 2 + (1ULL << 32)));
	EXPECT_EQ(0, end_task(self->fd, self->s.id, UINT64_MAX));
	EXPECT_EQ(0, self->s.status->errors);
	EXPECT_EQ(1, self->s.status->completed);
	EXPECT_EQ(0, end_task(self->fd, self->s.id, 2));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 3));
	EXPECT_EQ(1, self->s.status->errors);
	EXPECT_EQ(0, end_task(self->fd, self->s.id, 2));
	EXPECT_EQ(0, end_task(self->fd, self->s.id, 3));
	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 1));
	EXPECT_EQ(1, self->s.status->errors);
}

TEST_F(endtask, bad_arguments)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_RESET_STREAM, .stream = self->s.id, .seq = 1 };

	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &args));
	EXPECT_EQ(-EINVAL, end_task(self->fd, self->s.id, 0));
	EXPECT_EQ(-ENOENT, end_task(self->fd, self->s.id + 1, 1));
	ASSERT_EQ(0, stream_destroy(self->fd, self->s.id));
	EXPECT_EQ(-ENOENT, end_task(self->fd, self->s.id, 1));
}

/* It is a failure as any: the stream halts, and others of its group with it. */
TEST_F(endtask, a_stream_that_stops_on_failure)
{
	union anpu_packet pkts[2] = { endless(), pkt_nop() };
	struct stream other;
	uint64_t seq;

	ASSERT_EQ(0, stream_destroy(self->fd, self->s.id));
	ASSERT_EQ(0, stream_create_group(self->fd, DRM_ANPU_STREAM_STOP_ON_FAILURE, 0, 1, &other));
	ASSERT_EQ(0, stream_create_group(self->fd, DRM_ANPU_STREAM_STOP_ON_FAILURE, 0, 1, &self->s));
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 2, &seq));
	wait_started(&self->s, 1);
	ASSERT_EQ(0, end_task(self->fd, self->s.id, 1));
	EXPECT_EQ(-ECANCELED, wait_seq(self->fd, self->s.id, 2));
	EXPECT_EQ(ANPU_QUEUE_HALTED, self->s.status->state);
	EXPECT_EQ(1, self->s.status->completed);
	while (*(volatile const __u32 *)&other.status->state != ANPU_QUEUE_HALTED)
		usleep(100);
	EXPECT_EQ(0, end_task(self->fd, self->s.id, 2));
	EXPECT_EQ(1, self->s.status->completed);
}

/* At any moment, by another process: each packet that fails was named. */
TEST_F(endtask, while_packets_come_and_go)
{
	union anpu_packet pkts[4] = { pkt_nop(), pkt_wait_us(DATA + 256, 1, 200), pkt_nop(),
				      pkt_wait_us(DATA + 256, 1, 1000) };
	uint64_t seq, named = 0, ended = 0, errors;
	struct anpu_fault fault;

	for (int i = 0; i < 300; i++) {
		errors = self->s.status->errors;
		ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 4, &seq));
		usleep(i % 50 * 20);
		named = *(volatile const __u64 *)&self->s.status->started;
		ASSERT_EQ(0, named ? end_task(self->fd, self->s.id, named) : 0);
		ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
		/* Both waits fail in any case, and a NOP that was named before it was done. */
		ASSERT_LE(errors + 2, self->s.status->errors);
		for (uint64_t n = errors + 1; n <= self->s.status->errors; n++) {
			struct drm_anpu_stream_get_state state = { .stream = self->s.id,
				.fault_ordinal = n, .fault = (uintptr_t)&fault };

			ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_GET_STATE, &state));
			if (fault.cause == ANPU_FAULT_WAIT_TIMEOUT)
				continue;
			ASSERT_EQ(ANPU_FAULT_ENDED, fault.cause);
			ASSERT_EQ(named, fault.seq);
			ended++;
		}
	}
	TH_LOG("%llu packets have been ended", (unsigned long long)ended);
}

/* Neither waits for the operator's end, or takes what the device needs for that for a failure. */
TEST_F(endtask, modes_and_priority_while_an_operator_runs)
{
	union anpu_packet loop = endless(), bad[2] = { pkt_copy(VA(9), VA(9), 4), pkt_nop() };
	uint64_t seq;

	ASSERT_EQ(0, submit(self->fd, self->s.id, &loop, 1, &seq));
	wait_begun(self->data);
	ASSERT_EQ(0, stream_set(self->fd, self->s.id, DRM_ANPU_STREAM_STOP_ON_FAILURE, 0));
	ASSERT_EQ(0, stream_set(self->fd, self->s.id, DRM_ANPU_STREAM_SET_PRIORITY, 7));
	ASSERT_EQ(0, stream_set(self->fd, self->s.id, DRM_ANPU_STREAM_SET_PRIORITY, 0));
	EXPECT_EQ(0, self->s.status->completed);
	/* From the next packet on. */
	ASSERT_EQ(0, end_task(self->fd, self->s.id, seq));
	ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
	EXPECT_EQ(ANPU_QUEUE_RUNNING, self->s.status->state);
	/* The priority does not change the mode. */
	ASSERT_EQ(0, stream_set(self->fd, self->s.id, DRM_ANPU_STREAM_SET_PRIORITY, 5));
	ASSERT_EQ(0, submit(self->fd, self->s.id, bad, 2, &seq));
	EXPECT_EQ(-ECANCELED, wait_seq(self->fd, self->s.id, seq));
}

TEST_F(endtask, priorities)
{
	EXPECT_EQ(-EINVAL, stream_set(self->fd, self->s.id, DRM_ANPU_STREAM_SET_PRIORITY, 8));
	EXPECT_EQ(-EINVAL, stream_set(self->fd, self->s.id, 0, 1));
	EXPECT_EQ(-EINVAL, stream_set(self->fd, self->s.id, DRM_ANPU_STREAM_SET_PRIORITY |
				      DRM_ANPU_STREAM_STOP_ON_FAILURE, 1));
	EXPECT_EQ(-ENOENT, stream_set(self->fd, self->s.id + 1, DRM_ANPU_STREAM_SET_PRIORITY, 7));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_EQ(-EACCES, stream_set(self->fd, self->s.id, DRM_ANPU_STREAM_SET_PRIORITY, 1));
	EXPECT_EQ(0, stream_set(self->fd, self->s.id, DRM_ANPU_STREAM_SET_PRIORITY, 2));
}

TEST_HARNESS_MAIN
