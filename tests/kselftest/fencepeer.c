// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Two devices whose jobs wait for each other. Needs a machine with two: see machines. */
#include "fence.h"

#define HELD	VA(1)
#define HOLD	pkt_wait_us(HELD, 1, 8000000)

struct npu {
	int fd;
	struct stream s;
	volatile uint64_t *held;
};

FIXTURE(pair) {
	struct npu npus[2];
};

static int begin(struct npu *npu, const char *node)
{
	npu->fd = open(node, O_RDWR | O_CLOEXEC);
	if (npu->fd < 0)
		return -errno;
	npu->held = make_buffer(npu->fd, DRM_ANPU_BO_SYSTEM, MIB, HELD, RW, NULL);
	return npu->held == MAP_FAILED ? -ENOMEM :
		stream_create(npu->fd, DRM_ANPU_STREAM_BOUNDED, 0, &npu->s);
}

FIXTURE_SETUP(pair)
{
	if (access("/dev/accel/accel1", F_OK))
		SKIP(return, "this machine has only one NPU");
	ASSERT_EQ(0, begin(&self->npus[0], "/dev/accel/accel0"));
	ASSERT_EQ(0, begin(&self->npus[1], "/dev/accel/accel1"));
}

FIXTURE_TEARDOWN(pair)
{
	close(self->npus[0].fd);
	close(self->npus[1].fd);
}

/* One device writes its HBM and the other one reads that: nobody but the driver orders them. */
TEST_F(pair, hbm_is_read_behind_who_writes_it)
{
	struct npu *writer = &self->npus[0], *reader = &self->npus[1];
	union anpu_packet write[2] = { HOLD, pkt_fill(VA(0), 8, 0x42) }, read = pkt_copy(VA(2), VA(0), 8);
	struct job job = { .n_objects = 1, .quiet = true };
	volatile uint64_t *result;
	uint32_t bo, theirs;
	int dmabuf;

	ASSERT_NE(MAP_FAILED, make_buffer(writer->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, &bo));
	dmabuf = export_fd(writer->fd, bo);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(0, import_fd(reader->fd, dmabuf, &theirs));
	ASSERT_EQ(0, vm_map(reader->fd, VA(0), MIB, theirs, RW));
	result = make_buffer(reader->fd, DRM_ANPU_BO_SYSTEM, MIB, VA(2), RW, NULL);
	ASSERT_NE(MAP_FAILED, (void *)result);
	job.objects[0] = (struct drm_anpu_job_object){ bo, DRM_ANPU_OBJECT_WRITE };
	ASSERT_EQ(0, job_submit(writer->fd, writer->s.id, write, 2, &job));
	job.objects[0] = (struct drm_anpu_job_object){ theirs, 0 };
	ASSERT_EQ(0, job_submit(reader->fd, reader->s.id, &read, 1, &job));
	EXPECT_EQ(-ETIME, wait_seq_until(reader->fd, reader->s.id, 1, now_ns() + 20000000));
	EXPECT_FALSE(polls(dmabuf, POLLIN));
	writer->held[0] = 1;
	EXPECT_EQ(0, wait_seq(reader->fd, reader->s.id, 1));
	EXPECT_EQ(0x4242424242424242ULL, result[0]);
	EXPECT_TRUE(SOON(polls(dmabuf, POLLOUT)));
	close(dmabuf);
}

/* A chain that goes to and fro; WAIT of either device takes a fence of the other. */
TEST_F(pair, to_and_fro)
{
	union anpu_packet hold = HOLD, nop = pkt_nop();
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_SYNC_FILE };
	int file = job_after(self->npus[0].fd, self->npus[0].s.id, &hold, 1, -1);

	for (int i = 1; i < 200; i++) {
		struct npu *npu = &self->npus[i & 1];
		int next = job_after(npu->fd, npu->s.id, &nop, 1, file);

		ASSERT_GE(next, 0);
		close(file);
		file = next;
	}
	EXPECT_EQ(0, self->npus[1].s.status->completed);
	self->npus[0].held[0] = 1;
	item.handle = file;
	EXPECT_EQ(0, wait_items(self->npus[0].fd, &item, 1, 0, late(), NULL));
	EXPECT_EQ(1, file_status(file));
	EXPECT_EQ(100, self->npus[0].s.status->completed);
	EXPECT_EQ(100, self->npus[1].s.status->completed);
	close(file);
}

/* The one that goes takes nothing of the other with it: its fences end with an error. */
TEST_F(pair, one_is_reset_while_the_other_waits)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_DEVICE };
	struct npu *gone = &self->npus[0], *left = &self->npus[1];
	union anpu_packet hold = HOLD, fill = pkt_fill(HELD + 64, 8, 0x33), nop = pkt_nop();
	int first, second, third;

	first = job_after(gone->fd, gone->s.id, &hold, 1, -1);
	second = job_after(left->fd, left->s.id, &fill, 1, first);
	/* The other way, too: a job of the one that goes waits for one of the other. */
	third = job_after(gone->fd, gone->s.id, &nop, 1, second);
	ASSERT_GE(third, 0);
	ASSERT_EQ(0, do_ioctl(gone->fd, DRM_IOCTL_ANPU_RESET, &reset));
	EXPECT_EQ(-EIO, file_wait(first));
	EXPECT_EQ(-EIO, file_wait(second));
	EXPECT_EQ(-EIO, file_wait(third));
	EXPECT_EQ(0, left->held[8]);
	close(second);
	second = job_after(left->fd, left->s.id, &fill, 1, -1);
	EXPECT_EQ(1, file_wait(second));
	EXPECT_EQ(0x3333333333333333ULL, left->held[8]);
	close(first);
	close(second);
	close(third);
}

/* Both submit jobs with the same objects, named in different orders. */
TEST_F(pair, objects_in_any_order)
{
	enum { OBJECTS = 3, ROUNDS = 300 };
	pid_t pids[2];
	int status, dmabuf[OBJECTS];
	uint32_t bo;

	for (int i = 0; i < OBJECTS; i++) {
		ASSERT_EQ(0, bo_create(self->npus[0].fd, DRM_ANPU_BO_SYSTEM, PAGE, 0, 0, &bo));
		dmabuf[i] = export_fd(self->npus[0].fd, bo);
		ASSERT_GE(dmabuf[i], 0);
	}
	for (int n = 0; n < 2; n++) {
		struct job job = { .n_objects = OBJECTS, .quiet = true };
		union anpu_packet nop = pkt_nop();
		struct npu npu;
		uint32_t mine[OBJECTS];

		pids[n] = fork();
		if (pids[n])
			continue;
		if (begin(&npu, n ? "/dev/accel/accel1" : "/dev/accel/accel0"))
			_exit(1);
		for (int i = 0; i < OBJECTS; i++) {
			if (import_fd(npu.fd, dmabuf[i], &mine[i]))
				_exit(2);
		}
		for (int round = 0; round < ROUNDS; round++) {
			for (int i = 0; i < OBJECTS; i++)
				job.objects[i] = (struct drm_anpu_job_object){
					mine[n ? i : OBJECTS - 1 - i], (round + i) & 1 };
			if (job_submit(npu.fd, npu.s.id, &nop, 1, &job))
				_exit(3);
		}
		_exit(wait_seq(npu.fd, npu.s.id, ROUNDS) ? 4 : 0);
	}
	for (int n = 0; n < 2; n++) {
		ASSERT_EQ(pids[n], waitpid(pids[n], &status, 0));
		EXPECT_EQ(0, status);
	}
	for (int i = 0; i < OBJECTS; i++)
		EXPECT_TRUE(SOON(polls(dmabuf[i], POLLOUT)));
}

TEST_HARNESS_MAIN
