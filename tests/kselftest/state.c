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

static int group_create(int fd, uint32_t flags, uint32_t group, struct stream *s)
{
	return stream_create_group(fd, flags, 0, group, s);
}

#define STOP	DRM_ANPU_STREAM_STOP_ON_FAILURE

/* One fails, and those of its group that stop on failure do, whatever they are at; nobody else. */
TEST_F(state, a_group_halts_together)
{
	union anpu_packet bad = pkt_fill(8, 8, 0), block = pkt_wait(VA(0), 1), nop = pkt_nop();
	struct drm_anpu_stream_set set = { .flags = STOP };
	struct drm_anpu_event_subscribe subscribe = { .mask = DRM_ANPU_SUBSCRIBE_FAULT };
	struct drm_anpu_reset abort = { .scope = DRM_ANPU_ABORT_STREAM };
	struct drm_anpu_event_fault killed;
	enum { IDLE, BLOCKED, LATE, ON, OTHER, FOREIGN, COUNT };
	struct stream failed, s[COUNT];
	int foreign = anpu_open();
	struct anpu_fault fault;
	uint64_t seq;

	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL));
	ASSERT_EQ(0, group_create(self->fd, STOP, 7, &failed));
	ASSERT_EQ(0, group_create(self->fd, STOP, 7, &s[IDLE]));
	ASSERT_EQ(0, group_create(self->fd, STOP, 7, &s[BLOCKED]));
	ASSERT_EQ(0, group_create(self->fd, 0, 7, &s[LATE]));
	ASSERT_EQ(0, group_create(self->fd, 0, 7, &s[ON]));
	ASSERT_EQ(0, group_create(self->fd, STOP, 8, &s[OTHER]));
	ASSERT_EQ(0, group_create(foreign, STOP, 7, &s[FOREIGN]));
	set.stream = s[LATE].id;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &set));
	ASSERT_EQ(0, submit(self->fd, s[BLOCKED].id, &block, 1, NULL));
	ASSERT_EQ(0, submit(self->fd, s[BLOCKED].id, &nop, 1, &seq));
	/* Being killed is no failure. Whoever has its event has what it does to others, too, behind which these are told something. */
	abort.stream = failed.id;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &subscribe));
	ASSERT_EQ(0, submit(self->fd, failed.id, &block, 1, NULL));
	ASSERT_TRUE(SOON(failed.status->state == ANPU_QUEUE_PARKED));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &abort));
	ASSERT_EQ(sizeof(killed), read(self->fd, &killed, sizeof(killed)));
	ASSERT_EQ(ANPU_FAULT_KILLED, killed.cause);
	set.stream = s[IDLE].id;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &set));
	EXPECT_EQ(0, run(self->fd, s[IDLE].id, &nop, 1));
	EXPECT_EQ(0, s[IDLE].status->errors);
	subscribe.mask = 0;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &subscribe));

	ASSERT_EQ(0, submit(self->fd, failed.id, &bad, 1, NULL));
	EXPECT_EQ(-ECANCELED, wait_seq(self->fd, s[BLOCKED].id, seq));
	EXPECT_EQ(ANPU_FAULT_KILLED, last_fault(self->fd, s[BLOCKED].id, &fault));
	EXPECT_EQ(ANPU_OP_INVALID, fault.opcode);
	EXPECT_EQ(2, s[BLOCKED].status->errors);
	for (int i = IDLE; i <= LATE; i++) {
		EXPECT_TRUE(SOON(s[i].status->state == ANPU_QUEUE_HALTED)) {
			TH_LOG("stream %d", i);
		}
		if (!stream_mode)
			EXPECT_EQ(-ECANCELED, submit(self->fd, s[i].id, &nop, 1, NULL));
	}
	EXPECT_EQ(0, run(self->fd, s[ON].id, &nop, 1));
	EXPECT_EQ(0, run(self->fd, s[OTHER].id, &nop, 1));
	EXPECT_EQ(0, run(foreign, s[FOREIGN].id, &nop, 1));
	EXPECT_EQ(0, s[ON].status->errors + s[OTHER].status->errors + s[FOREIGN].status->errors);
	/* Each is let go for itself. */
	abort.stream = s[IDLE].id;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &abort));
	EXPECT_EQ(0, run(self->fd, s[IDLE].id, &nop, 1));
	EXPECT_EQ(ANPU_QUEUE_HALTED, s[BLOCKED].status->state);
	close(foreign);
}

/* The event of one more failure is there, so that what it does to others has begun. */
static bool failure_event(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct drm_anpu_event_fault event;

	return poll(&pfd, 1, 30000 * anpu_slow()) == 1 && read(fd, &event, sizeof(event)) == sizeof(event);
}

/* No group, a failure that its own stream goes on behind, and being ended by the program: nobody else halts. */
TEST_F(state, what_halts_nobody_else)
{
	struct drm_anpu_event_subscribe sub = { .mask = DRM_ANPU_SUBSCRIBE_FAULT };
	struct drm_anpu_reset abort = { .scope = DRM_ANPU_ABORT_STREAM };
	union anpu_packet bad = pkt_fill(8, 8, 0), block = pkt_wait(VA(0), 1), nop = pkt_nop();
	struct drm_anpu_stream_set set = { .flags = STOP };
	struct stream alone, goes_on, killed, s[2];

	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL));
	ASSERT_EQ(0, group_create(self->fd, STOP, 0, &alone));
	ASSERT_EQ(0, group_create(self->fd, 0, 7, &goes_on));
	ASSERT_EQ(0, group_create(self->fd, STOP, 7, &killed));
	ASSERT_EQ(0, group_create(self->fd, STOP, 0, &s[0]));
	ASSERT_EQ(0, group_create(self->fd, STOP, 7, &s[1]));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub));
	ASSERT_EQ(0, submit(self->fd, alone.id, &bad, 1, NULL));
	ASSERT_TRUE(failure_event(self->fd));
	ASSERT_EQ(0, submit(self->fd, goes_on.id, &bad, 1, NULL));
	ASSERT_TRUE(failure_event(self->fd));
	ASSERT_EQ(0, submit(self->fd, killed.id, &block, 1, NULL));
	ASSERT_TRUE(SOON(killed.status->state == ANPU_QUEUE_PARKED));
	abort.stream = killed.id;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &abort));
	ASSERT_TRUE(failure_event(self->fd));
	for (int i = 0; i < 2; i++) {
		/* A command that comes behind one to halt. */
		set.stream = s[i].id;
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &set));
		EXPECT_EQ(ANPU_QUEUE_RUNNING, s[i].status->state) {
			TH_LOG("stream %d", i);
		}
		EXPECT_EQ(0, run(self->fd, s[i].id, &nop, 1));
	}
	EXPECT_EQ(0, run(self->fd, goes_on.id, &nop, 1));
	EXPECT_EQ(0, run(self->fd, killed.id, &nop, 1));
	EXPECT_EQ(ANPU_QUEUE_HALTED, alone.status->state);
}

/* Makes events that the driver has to handle before those of others, of each of its event queues. */
static void flood(struct __test_metadata *_metadata, int fd)
{
	union anpu_packet pkts[16], *list;

	list = make_buffer(fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, list);
	for (uint64_t i = 0; i < MIB / sizeof(*list); i++)
		list[i] = pkt_notify(i, i);
	for (int i = 0; i < 16; i++)
		pkts[i] = (union anpu_packet){ .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
			.addr = VA(0), .count = MIB / sizeof(*list) } };
	for (int i = 0; i < 4; i++) {
		struct stream s;

		ASSERT_EQ(0, stream_create(fd, 0, 64, &s));
		ASSERT_EQ(0, submit(fd, s.id, pkts, 16, NULL));
	}
}

/* A stream that was let go behind a failure that the program saw first is not halted by the driver for that failure. */
TEST_F_TIMEOUT(state, who_was_let_go_behind_a_failure_goes_on, 60)
{
	struct drm_anpu_event_subscribe sub = { .mask = DRM_ANPU_SUBSCRIBE_FAULT };
	struct drm_anpu_reset abort = { .scope = DRM_ANPU_ABORT_STREAM };
	struct drm_anpu_stream_set set = { .flags = STOP };
	union anpu_packet bad = pkt_fill(8, 8, 0), nop = pkt_nop();
	int busy = anpu_open();

	ASSERT_GE(busy, 0);
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub));
	flood(_metadata, busy);
	for (int i = 0; i < 8; i++) {
		struct stream failed, freed;

		ASSERT_EQ(0, group_create(self->fd, STOP, 7, &failed));
		ASSERT_EQ(0, group_create(self->fd, STOP, 7, &freed));
		ASSERT_EQ(0, submit(self->fd, failed.id, &bad, 1, NULL));
		while (!failed.status->errors)
			;
		abort.stream = set.stream = freed.id;
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &abort));
		ASSERT_TRUE(failure_event(self->fd));
		/* A command that comes behind one to halt */
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &set));
		EXPECT_EQ(0, run(self->fd, freed.id, &nop, 1));
		EXPECT_EQ(ANPU_QUEUE_RUNNING, freed.status->state);
		ASSERT_EQ(0, stream_destroy(self->fd, failed.id));
		ASSERT_EQ(0, stream_destroy(self->fd, freed.id));
	}
	close(busy);
}

TEST_HARNESS_MAIN
