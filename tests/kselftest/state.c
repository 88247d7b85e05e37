// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* STREAM_GET_STATE: counters and fault records, in both failure modes. */
#include "anpu_test.h"

FIXTURE(state) {
	int fd;
	struct stream s;
};

BOTH_WAYS(state);

FIXTURE_SETUP(state)
{
	stream_mode = variant->mode;
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
}

FIXTURE_TEARDOWN(state)
{
	close(self->fd);
}

TEST_F(state, bad_arguments)
{
	struct drm_anpu_stream_get_state args;
	struct anpu_fault fault;

	EXPECT_EQ(-ENOENT, get_state(self->fd, 99, &args, 0, NULL));
	args = (struct drm_anpu_stream_get_state){ .stream = self->s.id, .flags = 1 };
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_GET_STATE, &args));
	EXPECT_EQ(-EINVAL, get_state(self->fd, self->s.id, &args, 0, &fault));
	EXPECT_EQ(-ENODATA, get_state(self->fd, self->s.id, &args, 1, &fault));
}

TEST_F(state, counters)
{
	union anpu_packet pkts[3] = { pkt_nop(), pkt_nop(), pkt_nop() };
	struct drm_anpu_stream_get_state st;

	ASSERT_EQ(0, get_state(self->fd, self->s.id, &st, 0, NULL));
	EXPECT_EQ(ANPU_QUEUE_RUNNING, st.state);
	EXPECT_EQ(0, st.completed + st.submitted + st.errors + st.first_cause);
	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 3));
	ASSERT_EQ(0, get_state(self->fd, self->s.id, &st, 0, NULL));
	EXPECT_EQ(3, st.completed);
	EXPECT_EQ(3, st.submitted);
}

TEST_F(state, first_and_newest_failures_are_kept)
{
	struct drm_anpu_stream_get_state st;
	struct anpu_fault fault;

	for (uint32_t i = 1; i <= 20; i++) {
		union anpu_packet pkt = pkt_fill(i * 4096, 8, 0);

		pkt.hdr.task_id = i;
		ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
	}
	ASSERT_EQ(0, get_state(self->fd, self->s.id, &st, 0, NULL));
	EXPECT_EQ(20, st.errors);
	EXPECT_EQ(20, st.completed);
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, st.first_cause);
	EXPECT_EQ(ANPU_QUEUE_RUNNING, st.state);
	ASSERT_EQ(0, get_state(self->fd, self->s.id, &st, 1, &fault));
	EXPECT_EQ(1, fault.task_id);
	for (uint32_t i = 15; i <= 20; i++) {
		ASSERT_EQ(0, get_state(self->fd, self->s.id, &st, i, &fault));
		EXPECT_EQ(i, fault.ordinal);
		EXPECT_EQ(i, fault.task_id);
		EXPECT_EQ(i, fault.seq);
		EXPECT_EQ(i * 4096, fault.addr);
		EXPECT_EQ(ANPU_OP_FILL, fault.opcode);
		EXPECT_EQ(ANPU_FAULT_NO_BLOCK, fault.block);
		EXPECT_GT(strnlen(fault.message, sizeof(fault.message)), 0);
	}
	EXPECT_EQ(-ENODATA, get_state(self->fd, self->s.id, &st, 2, &fault));
	EXPECT_EQ(-ENODATA, get_state(self->fd, self->s.id, &st, 21, &fault));
	EXPECT_EQ(-EFAULT, get_state(self->fd, self->s.id, &st, 1, (void *)8));
}

TEST_F(state, stop_on_failure)
{
	union anpu_packet pkts[3] = { pkt_fill(8, 8, 0), pkt_nop(), pkt_nop() };
	struct drm_anpu_stream_get_state st;
	struct stream s;

	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_STOP_ON_FAILURE, 0, &s));
	ASSERT_EQ(0, submit(self->fd, s.id, pkts, 3, NULL));
	EXPECT_EQ(-ECANCELED, wait_seq(self->fd, s.id, 3));
	ASSERT_EQ(0, get_state(self->fd, s.id, &st, 0, NULL));
	EXPECT_EQ(ANPU_QUEUE_HALTED, st.state);
	EXPECT_EQ(1, st.errors);
	EXPECT_LT(st.completed, 2);
	EXPECT_EQ(3, st.submitted);
	/* Others go on. */
	EXPECT_EQ(0, run(self->fd, self->s.id, pkts + 1, 2));
}

TEST_HARNESS_MAIN
