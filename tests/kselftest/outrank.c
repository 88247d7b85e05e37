// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Packets that take for minutes at the lowest priority, on each of the device's threads: who is above does not wait. */
#include "anpu_test.h"

#define SIZE	(64 * MIB)
#define SOURCE	VA(0)
/* the same memory, as often as there is room in these addresses */
#define ALIASES	64
#define DEST	VA(128)
#define LOW	8

FIXTURE(outrank) {
	int low_fd, high_fd;
	struct stream low[LOW], high;
};

static int stream_of(int fd, uint32_t priority, struct stream *s)
{
	struct drm_anpu_stream_set args = { .flags = DRM_ANPU_STREAM_SET_PRIORITY, .priority = priority };
	int ret = stream_create(fd, 0, 64, s);

	args.stream = s->id;
	return ret ?: do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_SET, &args);
}

static void end_task(int fd, uint32_t stream, uint64_t seq)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_END_TASK, .stream = stream, .seq = seq };

	do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &args);
}

FIXTURE_SETUP(outrank)
{
	uint32_t handle;

	self->low_fd = anpu_open();
	self->high_fd = anpu_open();
	ASSERT_GE(self->low_fd, 0);
	ASSERT_GE(self->high_fd, 0);
	ASSERT_EQ(0, bo_create(self->low_fd, DRM_ANPU_BO_HBM, SIZE, 0, 0, &handle));
	for (uint64_t i = 0; i < ALIASES; i++) {
		ASSERT_EQ(0, vm_map(self->low_fd, SOURCE + i * SIZE, SIZE, handle, RW));
		ASSERT_EQ(0, vm_map(self->low_fd, DEST + i * SIZE, SIZE, handle, RW));
	}
	for (int i = 0; i < LOW; i++)
		ASSERT_EQ(0, stream_of(self->low_fd, DRM_ANPU_PRIORITIES - 1, &self->low[i]));
	ASSERT_EQ(0, stream_of(self->high_fd, 0, &self->high));
}

FIXTURE_TEARDOWN(outrank)
{
	close(self->low_fd);
	close(self->high_fd);
}

/* 4 GiB by rows of one byte each, or at once; the driver's own tests end it. */
static union anpu_packet flood(int kind)
{
	union anpu_packet p = { .copy_2d = { .hdr.opcode = ANPU_OP_COPY_2D, .src = SOURCE, .dst = DEST,
		.src_pitch = 2, .dst_pitch = 2, .width = 1, .height = ALIASES * SIZE / 2 } };

	if (kind == 1)
		return (union anpu_packet){ .reduce = { .hdr.opcode = ANPU_OP_REDUCE, .src = SOURCE,
			.dst = DEST, .size = ALIASES * SIZE, .op = ANPU_REDUCE_MAX,
			.type = ANPU_REDUCE_BF16 } };
	return p;
}

TEST_F_TIMEOUT(outrank, neither_packets_nor_the_driver_wait, 200)
{
	union anpu_packet nop = pkt_nop();
	uint64_t seq[LOW];

	for (int i = 0; i < LOW; i++) {
		union anpu_packet p = flood(i % 2);

		ASSERT_EQ(0, submit(self->low_fd, self->low[i].id, &p, 1, &seq[i]));
	}
	/* they take turns, so each begins; END_TASK ends no packet that has not begun */
	for (int i = 0; i < LOW; i++)
		while (*(volatile const __u64 *)&self->low[i].status->started < 1)
			usleep(100);
	for (int i = 0; i < 32; i++)
		ASSERT_EQ(0, run(self->high_fd, self->high.id, &nop, 1));
	/* who closes an object has the driver clear it, and who wants one waits for that */
	for (int i = 0; i < 8; i++) {
		uint32_t handle;

		ASSERT_EQ(0, bo_create(self->high_fd, DRM_ANPU_BO_HBM, 2 * SIZE, 0, 0, &handle));
		ASSERT_EQ(0, bo_close(self->high_fd, handle));
	}
	/* all of it came before what is less urgent, and no reset was needed for it */
	for (int i = 0; i < LOW; i++) {
		EXPECT_EQ(0, *(volatile const __u64 *)&self->low[i].status->completed);
		EXPECT_EQ(ANPU_QUEUE_RUNNING, self->low[i].status->state);
		end_task(self->low_fd, self->low[i].id, seq[i]);
		if (wait_seq(self->low_fd, self->low[i].id, seq[i]))
			TH_LOG("stream %d was reset", i);
		else
			EXPECT_EQ(1, self->low[i].status->errors);
	}
	EXPECT_EQ(0, run(self->low_fd, self->low[0].id, &nop, 1));
}

TEST_HARNESS_MAIN
