// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Fences: jobs that wait for those of others and have their own, and what becomes of them. */
#include <linux/udmabuf.h>

#include "fence.h"

#define HELD	VA(1)
#define LONG_US	(8 * 1000000ULL)

FIXTURE(fence) {
	int fd;
	struct stream s;
	struct stream other;
	uint64_t *mem;
	uint64_t *held;
	uint32_t bo;
	uint64_t epoch;
};

FIXTURE_SETUP(fence)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &self->s));
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &self->other));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, &self->bo);
	ASSERT_NE(MAP_FAILED, self->mem);
	self->held = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, MIB, HELD, RW, NULL);
	ASSERT_NE(MAP_FAILED, self->held);
}

FIXTURE_TEARDOWN(fence)
{
	close(self->fd);
}

/* A packet that ends when @held has become 1. */
#define HOLD	pkt_wait_us(HELD, 1, LONG_US)
#define RELEASE() __atomic_store_n(self->held, 1, __ATOMIC_RELEASE)
#define FILL(n)	pkt_fill(VA(0) + (n) * PAGE, 8, 0x10 + (n))
#define FILLED(n) (((volatile uint64_t *)self->mem)[(n) * PAGE / 8] == \
		   0x0101010101010101ULL * (0x10 + (n)))

static int wait_fence(int fd, uint32_t type, uint32_t handle, uint64_t point, int64_t timeout)
{
	struct drm_anpu_wait_item item = { .type = type, .handle = handle, .value = point };

	return wait_items(fd, &item, 1, 0, timeout, NULL);
}

TEST_F(fence, wait_takes_syncobjs_and_sync_files)
{
	struct drm_syncobj_timeline_array signal;
	uint64_t point = 5;
	uint32_t done, empty;
	int file;

	ASSERT_EQ(0, syncobj_create(self->fd, DRM_SYNCOBJ_CREATE_SIGNALED, &done));
	ASSERT_EQ(0, syncobj_create(self->fd, 0, &empty));
	EXPECT_EQ(0, wait_fence(self->fd, DRM_ANPU_WAIT_SYNCOBJ, done, 0, 0));
	EXPECT_EQ(-EINVAL, wait_fence(self->fd, DRM_ANPU_WAIT_SYNCOBJ, empty, 0, 0));
	EXPECT_EQ(-EINVAL, wait_fence(self->fd, DRM_ANPU_WAIT_SYNCOBJ, empty, 5, 0));
	EXPECT_EQ(-ENOENT, wait_fence(self->fd, DRM_ANPU_WAIT_SYNCOBJ, 12345, 0, 0));
	EXPECT_EQ(-EBADF, wait_fence(self->fd, DRM_ANPU_WAIT_SYNC_FILE, self->fd, 0, 0));
	EXPECT_EQ(-EBADF, wait_fence(self->fd, DRM_ANPU_WAIT_SYNC_FILE, 12345, 0, 0));
	signal = (struct drm_syncobj_timeline_array){
		.handles = (uintptr_t)&empty, .points = (uintptr_t)&point, .count_handles = 1,
	};
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &signal));
	EXPECT_EQ(0, wait_fence(self->fd, DRM_ANPU_WAIT_SYNCOBJ, empty, 5, 0));
	EXPECT_EQ(-EINVAL, wait_fence(self->fd, DRM_ANPU_WAIT_SYNCOBJ, empty, 6, 0));
	file = syncobj_file(self->fd, done);
	ASSERT_GE(file, 0);
	EXPECT_EQ(0, wait_fence(self->fd, DRM_ANPU_WAIT_SYNC_FILE, file, 0, 0));
	EXPECT_EQ(-EINVAL, wait_fence(self->fd, DRM_ANPU_WAIT_SYNC_FILE, file, 1, 0));
	close(file);
}

TEST_F(fence, wait_sleeps_until_a_fence_signals)
{
	union anpu_packet hold = HOLD;
	struct drm_anpu_wait_item items[2];
	uint32_t signaled;
	pid_t pid;
	int file, status;

	file = job_after(self->fd, self->s.id, &hold, 1, -1);
	ASSERT_GE(file, 0);
	EXPECT_EQ(-ETIME, wait_fence(self->fd, DRM_ANPU_WAIT_SYNC_FILE, file, 0, now_ns() + 20000000));
	pid = fork();
	if (!pid) {
		memset(items, 0, sizeof(items));
		items[0].type = DRM_ANPU_WAIT_SYNC_FILE;
		items[0].handle = file;
		items[1].type = DRM_ANPU_WAIT_SEQ;
		items[1].stream = self->s.id;
		items[1].value = 1;
		_exit(-wait_items(self->fd, items, 2, DRM_ANPU_WAIT_ALL, late(), &signaled));
	}
	until_asleep(pid);
	RELEASE();
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, file_wait(file));
	close(file);
}

TEST_F(fence, a_job_signals_all_that_it_was_asked_to)
{
	union anpu_packet pkts[2] = { FILL(0), HOLD };
	struct drm_anpu_fence out[3] = {
		{ .type = DRM_ANPU_FENCE_SYNCOBJ }, { .type = DRM_ANPU_FENCE_SYNCOBJ, .point = 7 },
		{ .type = DRM_ANPU_FENCE_SYNC_FILE },
	};
	struct drm_anpu_submit_job args = {
		.stream = self->s.id, .packets = ARRAY(pkts, 2), .out = ARRAY(out, 3),
	};
	int file;

	ASSERT_EQ(0, syncobj_create(self->fd, 0, &out[0].handle));
	ASSERT_EQ(0, syncobj_create(self->fd, 0, &out[1].handle));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args));
	EXPECT_EQ(2, args.seq);
	file = out[2].handle;
	ASSERT_GT(file, 2);
	EXPECT_EQ(0, file_status(file));
	EXPECT_FALSE(polls(file, POLLIN));
	EXPECT_EQ(-ETIME, syncobj_wait(self->fd, out[0].handle, 0, 0));
	EXPECT_EQ(-ETIME, syncobj_wait(self->fd, out[1].handle, 7, 0));
	RELEASE();
	EXPECT_EQ(0, syncobj_wait(self->fd, out[0].handle, 0, SECONDS(30)));
	EXPECT_EQ(0, syncobj_wait(self->fd, out[1].handle, 7, SECONDS(30)));
	EXPECT_EQ(1, file_wait(file));
	EXPECT_TRUE(polls(file, POLLIN));
	EXPECT_TRUE(FILLED(0));
	close(file);
}

/* The task submits and goes on: nobody sleeps, and the packets wait. */
TEST_F(fence, a_job_waits_for_a_fence_and_what_is_behind_it_too)
{
	union anpu_packet hold = HOLD, fill[2] = { FILL(0), FILL(1) }, behind = FILL(2);
	struct stream plain;
	uint64_t seq;
	int first, second;

	first = job_after(self->fd, self->s.id, &hold, 1, -1);
	ASSERT_GE(first, 0);
	second = job_after(self->fd, self->other.id, fill, 2, first);
	ASSERT_GE(second, 0);
	ASSERT_EQ(0, submit(self->fd, self->other.id, &behind, 1, &seq));
	EXPECT_EQ(3, seq);
	/* A stream without a bound waits as well; it has no fence of its own. */
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &plain));
	struct job job = { .in = { { DRM_ANPU_FENCE_SYNC_FILE, first, 0 } }, .n_in = 1, .quiet = true };
	behind = FILL(3);
	ASSERT_EQ(0, job_submit(self->fd, plain.id, &behind, 1, &job));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->other.id, 1, now_ns() + 50000000));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, plain.id, 1, now_ns() + 1000000));
	EXPECT_FALSE(FILLED(0) || FILLED(2) || FILLED(3));
	EXPECT_EQ(0, file_status(second));
	RELEASE();
	EXPECT_EQ(1, file_wait(second));
	EXPECT_TRUE(FILLED(0) && FILLED(1));
	EXPECT_EQ(0, wait_seq(self->fd, self->other.id, 3));
	EXPECT_TRUE(FILLED(2));
	EXPECT_EQ(0, wait_seq(self->fd, plain.id, 1));
	EXPECT_TRUE(FILLED(3));
	EXPECT_EQ(0, self->other.status->errors + plain.status->errors);
	close(first);
	close(second);
}

/* A chain through many jobs of two streams, each of which waits for the one before. */
TEST_F(fence, a_chain_of_jobs)
{
	enum { JOBS = 200 };
	union anpu_packet hold = HOLD;
	int file = job_after(self->fd, self->s.id, &hold, 1, -1);
	uint64_t seq = 0;

	self->held[1] = 0;
	for (int i = 0; i < JOBS; i++) {
		/* The job sees memory that the one before has written, or fails at once. */
		union anpu_packet pkts[2] = {
			pkt_wait_us(HELD + 8, i, 0), pkt_signal(HELD + 8, i + 1, 0),
		};
		int next = job_after(self->fd, i & 1 ? self->s.id : self->other.id, pkts, 2, file);

		ASSERT_GE(next, 0);
		close(file);
		file = next;
	}
	RELEASE();
	EXPECT_EQ(1, file_wait(file));
	EXPECT_EQ(JOBS, self->held[1]);
	EXPECT_EQ(0, self->s.status->errors + self->other.status->errors);
	ASSERT_EQ(0, submit(self->fd, self->s.id, (union anpu_packet[]){ pkt_nop() }, 1, &seq));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, seq));
	close(file);
}

TEST_F(fence, a_failure_is_the_fences_error_and_ends_who_waits_for_it)
{
	union anpu_packet bad = pkt_fill(VA(9), 8, 1), good = FILL(0), fill[2] = { FILL(1), FILL(2) };
	union anpu_packet late_wait = pkt_wait_us(HELD, 1, 1000);
	struct anpu_fault fault;
	int first, second, third, fourth;

	first = job_after(self->fd, self->s.id, &bad, 1, -1);
	second = job_after(self->fd, self->other.id, fill, 2, first);
	third = job_after(self->fd, self->s.id, &good, 1, -1);
	fourth = job_after(self->fd, self->s.id, &late_wait, 1, -1);
	ASSERT_GE(first, 0);
	ASSERT_GE(second, 0);
	EXPECT_EQ(-EIO, file_wait(first));
	EXPECT_EQ(-EIO, file_wait(second));
	EXPECT_EQ(1, file_wait(third));
	EXPECT_EQ(-ETIME, file_wait(fourth));
	EXPECT_FALSE(FILLED(1) || FILLED(2));
	EXPECT_EQ(0, wait_seq(self->fd, self->other.id, 2));
	EXPECT_EQ(1, self->other.status->errors);
	EXPECT_EQ(ANPU_FAULT_BAD_OPCODE, last_fault(self->fd, self->other.id, &fault));
	EXPECT_EQ(ANPU_OP_INVALID, fault.opcode);
	EXPECT_EQ(1, fault.seq);
	/* The stream goes on; a fence that has signalled already with an error counts, too. */
	close(second);
	second = job_after(self->fd, self->other.id, fill, 1, first);
	EXPECT_EQ(-EIO, file_wait(second));
	close(third);
	third = job_after(self->fd, self->other.id, fill, 2, -1);
	EXPECT_EQ(1, file_wait(third));
	EXPECT_TRUE(FILLED(1) && FILLED(2));
	close(first);
	close(second);
	close(third);
	close(fourth);
}

/* The ring has gone round before: packets behind a job whose fence fails have the places of older ones, and run. */
TEST_F(fence, a_failure_takes_no_packet_behind_its_job)
{
	union anpu_packet bad[2] = { HOLD, pkt_fill(VA(9), 8, 1) }, nop = pkt_nop();
	union anpu_packet fill[2] = { FILL(1), FILL(2) };
	struct stream small;
	int first, second, third;

	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 64, &small));
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, submit(self->fd, small.id, &nop, 1, NULL));
		ASSERT_EQ(0, wait_seq(self->fd, small.id, i + 1));
	}
	first = job_after(self->fd, self->s.id, bad, 2, -1);
	second = job_after(self->fd, small.id, &fill[0], 1, first);
	third = job_after(self->fd, small.id, &fill[1], 1, -1);
	ASSERT_GE(third, 0);
	RELEASE();
	EXPECT_EQ(-EIO, file_wait(second));
	EXPECT_EQ(1, file_wait(third));
	EXPECT_FALSE(FILLED(1));
	EXPECT_TRUE(FILLED(2));
	close(first);
	close(second);
	close(third);
}

/* The driver may look only when packets behind the job have failed, too: these are not the job's. */
TEST_F(fence, a_failure_behind_a_job_is_not_its_own)
{
	union anpu_packet bad = pkt_fill(VA(9), 8, 1), hold;
	int file;

	for (uint64_t i = 1; i <= 20; i++) {
		hold = pkt_wait_us(HELD, i, LONG_US);
		file = job_after(self->fd, self->s.id, &hold, 1, -1);
		ASSERT_GE(file, 0);
		ASSERT_EQ(0, submit(self->fd, self->s.id, &bad, 1, NULL));
		__atomic_store_n(self->held, i, __ATOMIC_RELEASE);
		EXPECT_EQ(1, file_wait(file));
		ASSERT_TRUE(SOON(self->s.status->errors == i));
		close(file);
	}
}

/* Nothing of a WAIT whose time is over is left at a fence that signals later. */
TEST_F(fence, waits_that_end_before_a_fence)
{
	union anpu_packet hold = HOLD;
	int file = job_after(self->fd, self->s.id, &hold, 1, -1);

	ASSERT_GE(file, 0);
	for (int i = 0; i < 50; i++)
		EXPECT_EQ(-ETIME, wait_fence(self->fd, DRM_ANPU_WAIT_SYNC_FILE, file, 0, now_ns() + 100000));
	RELEASE();
	EXPECT_EQ(1, file_wait(file));
	EXPECT_EQ(0, wait_fence(self->fd, DRM_ANPU_WAIT_SYNC_FILE, file, 0, late()));
	close(file);
}

TEST_F(fence, a_halted_stream_cancels_fences)
{
	union anpu_packet pkts[2] = { HOLD, pkt_fill(VA(9), 8, 1) }, fill = FILL(0);
	struct drm_anpu_reset abort = { .scope = DRM_ANPU_ABORT_STREAM };
	struct stream s;
	int first, second;

	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED | DRM_ANPU_STREAM_STOP_ON_FAILURE,
				   0, &s));
	first = job_after(self->fd, s.id, pkts, 2, -1);
	second = job_after(self->fd, s.id, &fill, 1, -1);
	ASSERT_GE(second, 0);
	RELEASE();
	EXPECT_EQ(-EIO, file_wait(first));
	EXPECT_EQ(-ECANCELED, file_wait(second));
	EXPECT_EQ(-ECANCELED, job_after(self->fd, s.id, &fill, 1, -1));
	close(first);
	close(second);
	abort.stream = s.id;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &abort));
	first = job_after(self->fd, s.id, &fill, 1, -1);
	EXPECT_EQ(1, file_wait(first));
	close(first);
}

TEST_F(fence, bounded_streams_refuse_what_may_never_end)
{
	struct drm_anpu_stream_create create = {
		.flags = DRM_ANPU_STREAM_BOUNDED | DRM_ANPU_STREAM_USER_QUEUE, .priority = 4,
	};
	union anpu_packet pkt = pkt_wait(HELD, 1), fill = FILL(0);
	struct drm_anpu_fence out = { .type = DRM_ANPU_FENCE_SYNC_FILE };
	struct drm_anpu_submit_job args = { .packets = ARRAY(&fill, 1), .out = ARRAY(&out, 1) };
	struct stream plain;
	uint64_t seq;

	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &create));
	EXPECT_EQ(-EINVAL, submit(self->fd, self->s.id, &pkt, 1, &seq));
	EXPECT_EQ(-EINVAL, job_after(self->fd, self->s.id, &pkt, 1, -1));
	pkt = pkt_wait_us(HELD, 1, DRM_ANPU_BOUNDED_US + 1);
	EXPECT_EQ(-EINVAL, job_after(self->fd, self->s.id, &pkt, 1, -1));
	pkt = pkt_kernel(VA(0), 0, 0, ANPU_TIMEOUT_NEVER);
	EXPECT_EQ(-EINVAL, job_after(self->fd, self->s.id, &pkt, 1, -1));
	pkt = (union anpu_packet){ .indirect = { .hdr.opcode = ANPU_OP_INDIRECT, .addr = VA(0), .count = 1 } };
	EXPECT_EQ(-EINVAL, job_after(self->fd, self->s.id, &pkt, 1, -1));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &plain));
	args.stream = plain.id;
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args));
	EXPECT_EQ(0, submit(self->fd, plain.id, (union anpu_packet[]){ pkt_wait_us(HELD, 0, ANPU_TIMEOUT_NEVER) },
			    1, &seq));
}

TEST_F(fence, arguments_of_jobs)
{
	union anpu_packet fill[17];
	struct drm_anpu_fence fence = { .type = 7 };
	struct drm_anpu_job_object object[2] = { { .handle = 999 }, { .handle = self->bo } };
	struct drm_anpu_submit_job good = {
		.stream = self->s.id, .packets = { .stride = 64, .count = 1, .array = (uintptr_t)fill },
	}, args;
	struct stream small;

	for (int i = 0; i < 17; i++)
		fill[i] = pkt_nop();
#define REFUSED(error, ...) do { \
	args = good; \
	__VA_ARGS__; \
	EXPECT_EQ(error, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args)); \
} while (0)
	REFUSED(0, (void)0);
	REFUSED(-EINVAL, args.flags = 2);
	REFUSED(-EINVAL, args.packets.stride = 63);
	REFUSED(-EINVAL, args.packets.count = 0);
	REFUSED(-EFAULT, args.packets.array = 64);
	REFUSED(-ENOENT, args.stream = 999);
	REFUSED(-E2BIG, args.in.count = DRM_ANPU_MAX_JOB_FENCES + 1);
	REFUSED(-E2BIG, args.out.count = DRM_ANPU_MAX_JOB_FENCES + 1);
	REFUSED(-E2BIG, args.objects.count = DRM_ANPU_MAX_JOB_FENCES + 1);
	REFUSED(-EINVAL, args.in = (struct drm_anpu_array)ARRAY(&fence, 1));
	REFUSED(-EINVAL, args.out = (struct drm_anpu_array)ARRAY(&fence, 1));
	fence.type = DRM_ANPU_FENCE_SYNCOBJ;
	REFUSED(-ENOENT, args.in = (struct drm_anpu_array)ARRAY(&fence, 1));
	REFUSED(-ENOENT, args.out = (struct drm_anpu_array)ARRAY(&fence, 1));
	REFUSED(-EFAULT, args.out = (struct drm_anpu_array)ARRAY(&fence, 1); args.out.array = 64);
	fence.type = DRM_ANPU_FENCE_SYNC_FILE;
	fence.handle = self->fd;
	REFUSED(-EBADF, args.in = (struct drm_anpu_array)ARRAY(&fence, 1));
	fence.point = 1;
	REFUSED(-EINVAL, args.out = (struct drm_anpu_array)ARRAY(&fence, 1));
	REFUSED(-ENOENT, args.objects = (struct drm_anpu_array)ARRAY(object, 1));
	object[0] = object[1];
	REFUSED(-EINVAL, args.objects = (struct drm_anpu_array)ARRAY(object, 2));
	object[1].flags = 2;
	REFUSED(-EINVAL, args.objects = (struct drm_anpu_array)ARRAY(&object[1], 1));
	/* As many fences as there may be, all of one object, which has signalled. */
	struct drm_anpu_fence *most = calloc(DRM_ANPU_MAX_JOB_FENCES, sizeof(fence));

	ASSERT_NE(NULL, most);
	fence = (struct drm_anpu_fence){ .type = DRM_ANPU_FENCE_SYNCOBJ };
	ASSERT_EQ(0, syncobj_create(self->fd, DRM_SYNCOBJ_CREATE_SIGNALED, &fence.handle));
	for (int i = 0; i < DRM_ANPU_MAX_JOB_FENCES; i++)
		most[i] = fence;
	REFUSED(0, args.in = (struct drm_anpu_array)ARRAY(most, DRM_ANPU_MAX_JOB_FENCES));
	REFUSED(0, args.out = (struct drm_anpu_array)ARRAY(most, DRM_ANPU_MAX_JOB_FENCES));
	EXPECT_EQ(0, syncobj_wait(self->fd, fence.handle, 0, SECONDS(30)));
	free(most);
	/* All packets or none. */
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 16, &small));
	REFUSED(-E2BIG, args.stream = small.id; args.packets.count = 17);
	REFUSED(0, args.stream = small.id; args.packets.count = 16);
	fill[15].hdr.opcode = 99;
	REFUSED(-EINVAL, args.stream = small.id; args.packets.count = 16);
	EXPECT_EQ(0, wait_seq(self->fd, small.id, 16));
	fill[0] = HOLD;
	REFUSED(0, args.stream = small.id);
	REFUSED(-EAGAIN, args.stream = small.id; args.packets.count = 15; args.packets.array += 64;
		fill[15] = pkt_nop(); args.packets.count = 16; args.flags = DRM_ANPU_SUBMIT_NONBLOCK);
	RELEASE();
	REFUSED(0, args.stream = small.id; args.packets.array += 64; args.packets.count = 16);
}

/* The job waits for work of others on a shared buffer, and they wait for the job. */
TEST_F(fence, objects_are_shared_with_vgem)
{
	union anpu_packet fill = pkt_fill(VA(4), 8, 0x77), hold[2] = { HOLD, fill };
	struct job job = { .n_objects = 1, .quiet = true };
	struct vgem v;
	uint32_t mine, theirs;
	volatile uint64_t *mem;
	int ret, file;

	ret = vgem_create(&v, MIB);
	if (ret == -ENODEV)
		SKIP(return, "this kernel has no vgem");
	ASSERT_EQ(0, ret);
	mem = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, v.dmabuf, 0);
	ASSERT_NE(MAP_FAILED, (void *)mem);
	ASSERT_EQ(0, import_fd(self->fd, v.dmabuf, &mine));
	ASSERT_EQ(0, vm_map(self->fd, VA(4), MIB, mine, RW));
	/* Somebody writes it: the job waits. */
	ASSERT_EQ(0, vgem_begin(&v, VGEM_WRITE, &theirs));
	job.objects[0] = (struct drm_anpu_job_object){ mine, DRM_ANPU_OBJECT_WRITE };
	ASSERT_EQ(0, job_submit(self->fd, self->s.id, &fill, 1, &job));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->s.id, 1, now_ns() + 50000000));
	EXPECT_EQ(0, mem[0]);
	ASSERT_EQ(0, vgem_end(&v, theirs));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 1));
	EXPECT_EQ(0x7777777777777777ULL, mem[0]);
	/* The job writes: poll() on the dma-buf says when it is done. */
	EXPECT_TRUE(SOON(polls(v.dmabuf, POLLIN) && polls(v.dmabuf, POLLOUT)));
	ASSERT_EQ(0, job_submit(self->fd, self->s.id, hold, 2, &job));
	EXPECT_FALSE(polls(v.dmabuf, POLLIN) || polls(v.dmabuf, POLLOUT));
	/* vgem does not let two write. */
	EXPECT_EQ(-EBUSY, vgem_begin(&v, VGEM_WRITE, &theirs));
	file = dmabuf_file(v.dmabuf);
	ASSERT_GE(file, 0);
	EXPECT_EQ(0, file_status(file));
	RELEASE();
	EXPECT_EQ(1, file_wait(file));
	EXPECT_TRUE(SOON(polls(v.dmabuf, POLLOUT)));
	close(file);
	/* Readers do not wait for readers, writers do. */
	ASSERT_EQ(0, vgem_begin(&v, 0, &theirs));
	job.objects[0].flags = 0;
	ASSERT_EQ(0, job_submit(self->fd, self->other.id, &fill, 1, &job));
	EXPECT_EQ(0, wait_seq(self->fd, self->other.id, 1));
	job.objects[0].flags = DRM_ANPU_OBJECT_WRITE;
	ASSERT_EQ(0, job_submit(self->fd, self->other.id, &fill, 1, &job));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->other.id, 2, now_ns() + 50000000));
	ASSERT_EQ(0, vgem_end(&v, theirs));
	EXPECT_EQ(0, wait_seq(self->fd, self->other.id, 2));
	close(v.dmabuf);
	close(v.card);
}

/* Jobs of two streams read an object, and each of them alone keeps the one that writes it waiting. */
TEST_F(fence, who_writes_waits_for_all_who_read)
{
	struct job reads = { .n_objects = 1, .quiet = true }, writes = reads;
	union anpu_packet fill = FILL(1), hold;
	struct stream third, *readers[2] = { &self->s, &third };

	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &third));
	reads.objects[0] = (struct drm_anpu_job_object){ self->bo, 0 };
	writes.objects[0] = (struct drm_anpu_job_object){ self->bo, DRM_ANPU_OBJECT_WRITE };
	for (int first = 0; first < 2; first++) {
		int last = 1 - first, seq = 1 + first;

		for (int i = 0; i < 2; i++) {
			__atomic_store_n(&self->held[i], 0, __ATOMIC_RELEASE);
			hold = pkt_wait_us(HELD + i * 8, 1, LONG_US);
			ASSERT_EQ(0, job_submit(self->fd, readers[i]->id, &hold, 1, &reads));
		}
		ASSERT_EQ(0, job_submit(self->fd, self->other.id, &fill, 1, &writes));
		__atomic_store_n(&self->held[first], 1, __ATOMIC_RELEASE);
		EXPECT_EQ(0, wait_seq(self->fd, readers[first]->id, seq));
		EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->other.id, seq, now_ns() + 50000000));
		__atomic_store_n(&self->held[last], 1, __ATOMIC_RELEASE);
		EXPECT_EQ(0, wait_seq(self->fd, self->other.id, seq));
	}
}

/* Each object of a job has its fence: poll() on its dma-buf says so. */
TEST_F(fence, all_objects_of_a_job_have_its_fence)
{
	struct job job = { .n_objects = 3, .quiet = true };
	union anpu_packet hold = HOLD;
	int dmabuf[3];

	for (int i = 0; i < 3; i++) {
		uint32_t bo;

		ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo));
		dmabuf[i] = export_fd(self->fd, bo);
		ASSERT_GE(dmabuf[i], 0);
		job.objects[i] = (struct drm_anpu_job_object){ bo, i == 2 ? 0 : DRM_ANPU_OBJECT_WRITE };
	}
	ASSERT_EQ(0, job_submit(self->fd, self->s.id, &hold, 1, &job));
	for (int i = 0; i < 3; i++) {
		/* who reads waits for those who write, and who writes for all */
		EXPECT_EQ(i == 2, polls(dmabuf[i], POLLIN));
		EXPECT_FALSE(polls(dmabuf[i], POLLOUT));
	}
	RELEASE();
	for (int i = 0; i < 3; i++) {
		EXPECT_TRUE(SOON(polls(dmabuf[i], POLLOUT)));
		close(dmabuf[i]);
	}
}

/* A program's own memory as a dma-buf: it sees in poll() when the job has written there. */
TEST_F(fence, objects_of_udmabuf)
{
	struct udmabuf_create create = { .size = MIB, .flags = UDMABUF_FLAGS_CLOEXEC };
	union anpu_packet pkts[2] = { HOLD, pkt_fill(VA(4), MIB, 0x55) };
	struct job job = { .n_objects = 1 };
	int dev = open("/dev/udmabuf", O_RDWR), dmabuf, file;
	volatile uint64_t *mem;
	uint32_t bo;

	if (dev < 0)
		SKIP(return, "no /dev/udmabuf in this kernel");
	create.memfd = memfd_create("anpu", MFD_ALLOW_SEALING);
	ASSERT_EQ(0, ftruncate(create.memfd, MIB));
	ASSERT_EQ(0, fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK));
	dmabuf = ioctl(dev, UDMABUF_CREATE, &create);
	ASSERT_GE(dmabuf, 0);
	mem = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, create.memfd, 0);
	ASSERT_NE(MAP_FAILED, (void *)mem);
	ASSERT_EQ(0, import_fd(self->fd, dmabuf, &bo));
	ASSERT_EQ(0, vm_map(self->fd, VA(4), MIB, bo, RW));
	job.objects[0] = (struct drm_anpu_job_object){ bo, DRM_ANPU_OBJECT_WRITE };
	file = job_submit(self->fd, self->s.id, pkts, 2, &job);
	ASSERT_GE(file, 0);
	EXPECT_FALSE(polls(dmabuf, POLLIN));
	RELEASE();
	EXPECT_TRUE(SOON(polls(dmabuf, POLLIN)));
	EXPECT_EQ(0x5555555555555555ULL, mem[MIB / 8 - 1]);
	EXPECT_EQ(1, file_status(file));
	close(file);
	close(dmabuf);
	close(create.memfd);
	close(dev);
}

/* Between two files, as between two processes: by a dma-buf alone, and by a syncobj. */
TEST_F(fence, objects_and_syncobjs_are_shared_between_files)
{
	struct job job = { .n_objects = 1, .quiet = true };
	union anpu_packet hold[2] = { HOLD, FILL(0) }, copy = pkt_copy(VA(2), VA(0), 8);
	struct drm_syncobj_handle pass = {};
	uint32_t theirs, point;
	volatile uint64_t *result;
	struct stream s;
	int fd = anpu_open(), dmabuf = export_fd(self->fd, self->bo);

	ASSERT_GE(fd, 0);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(0, import_fd(fd, dmabuf, &theirs));
	ASSERT_EQ(0, vm_map(fd, VA(0), MIB, theirs, RW));
	ASSERT_EQ(0, stream_create(fd, DRM_ANPU_STREAM_BOUNDED, 0, &s));
	result = make_buffer(fd, DRM_ANPU_BO_SYSTEM, MIB, VA(2), RW, NULL);
	ASSERT_NE(MAP_FAILED, (void *)result);
	job.objects[0] = (struct drm_anpu_job_object){ self->bo, DRM_ANPU_OBJECT_WRITE };
	ASSERT_EQ(0, job_submit(self->fd, self->s.id, hold, 2, &job));
	job.objects[0] = (struct drm_anpu_job_object){ theirs, 0 };
	ASSERT_EQ(0, job_submit(fd, s.id, &copy, 1, &job));
	EXPECT_EQ(-ETIME, wait_seq_until(fd, s.id, 1, now_ns() + 20000000));
	RELEASE();
	EXPECT_EQ(0, wait_seq(fd, s.id, 1));
	EXPECT_EQ(0x1010101010101010ULL, result[0]);
	/* A syncobj's descriptor */
	ASSERT_EQ(0, syncobj_create(self->fd, 0, &pass.handle));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &pass));
	pass.handle = 0;
	ASSERT_EQ(0, do_ioctl(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &pass));
	point = pass.handle;
	struct drm_anpu_fence out = { .type = DRM_ANPU_FENCE_SYNCOBJ, .handle = point, .point = 3 };
	struct drm_anpu_submit_job args = {
		.stream = s.id, .packets = ARRAY(&copy, 1), .out = ARRAY(&out, 1),
	};
	ASSERT_EQ(0, do_ioctl(fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args));
	close(fd);
	/* The other file has gone: its job has ended by now, one way or the other. */
	EXPECT_EQ(0, syncobj_wait(self->fd, 1, 3, SECONDS(30)));
	close(dmabuf);
	close(pass.fd);
}

/* Of failures before a job, as many as there are, none is its own, even if most have no record any more. */
TEST_F(fence, failures_before_a_job)
{
	enum { MANY = 3 * ANPU_STATUS_FAULTS };
	union anpu_packet bad[MANY], fill = FILL(0), late_wait = pkt_wait_us(HELD, 1, 1000);
	int good, failed;
	uint64_t seq;

	for (int i = 0; i < MANY; i++)
		bad[i] = pkt_fill(VA(9), 8, 1);
	for (int n = 0; n <= MANY; n += ANPU_STATUS_FAULTS - 1) {
		if (n)
			ASSERT_EQ(0, submit(self->fd, self->s.id, bad, n, &seq));
		good = job_after(self->fd, self->s.id, &fill, 1, -1);
		EXPECT_EQ(1, file_wait(good)) {
			TH_LOG("behind %d failures", n);
		}
		close(good);
		/* A failure of the job's own is, and has its cause. */
		if (n)
			ASSERT_EQ(0, submit(self->fd, self->s.id, bad, n, &seq));
		failed = job_after(self->fd, self->s.id, &late_wait, 1, -1);
		EXPECT_EQ(-ETIME, file_wait(failed)) {
			TH_LOG("behind %d failures", n);
		}
		close(failed);
	}
	/* Of so many of its own the first has no record. */
	failed = job_after(self->fd, self->s.id, bad, MANY, -1);
	EXPECT_EQ(-EIO, file_wait(failed));
	close(failed);
}

/* A stream that is reset begins anew: neither its failures nor what was aborted count for the jobs of its next life. */
TEST_F(fence, a_reset_forgets_failures_and_aborts)
{
	union anpu_packet bad = pkt_fill(VA(9), 8, 1), hold = HOLD, fill = FILL(0);
	struct drm_anpu_reset args = { .stream = self->s.id };
	int file[3];

	for (int life = 0; life < 2; life++) {
		file[0] = job_after(self->fd, self->s.id, &bad, 1, -1);
		EXPECT_EQ(-EIO, file_wait(file[0]));
		close(file[0]);
		file[0] = job_after(self->fd, self->s.id, &hold, 1, -1);
		file[1] = job_after(self->fd, self->s.id, &fill, 1, -1);
		file[2] = job_after(self->fd, self->s.id, &fill, 1, -1);
		args.scope = DRM_ANPU_ABORT_STREAM;
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &args));
		for (int i = 0; i < 3; i++) {
			EXPECT_EQ(-ECANCELED, file_wait(file[i])) {
				TH_LOG("job %d", i);
			}
			close(file[i]);
		}
		file[0] = job_after(self->fd, self->s.id, &fill, 1, -1);
		EXPECT_EQ(1, file_wait(file[0]));
		close(file[0]);
		args.scope = DRM_ANPU_RESET_STREAM;
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &args));
		/* These have the numbers of those that were aborted. */
		for (int i = 0; i < 4 && life; i++) {
			file[0] = job_after(self->fd, self->s.id, &fill, 1, -1);
			EXPECT_EQ(1, file_wait(file[0])) {
				TH_LOG("job %d", i);
			}
			close(file[0]);
		}
	}
}

/* A fence has names, so that a process that waits for one of another driver can say whose it is. */
TEST_F(fence, names)
{
	struct sync_fence_info fence = {};
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };
	union anpu_packet fill = FILL(0);
	char name[32], comm[16] = "";
	int file;

	ASSERT_EQ(0, prctl(PR_GET_NAME, comm));
	snprintf(name, sizeof(name), "anpu-%u-%s", self->other.queue, comm);
	file = job_after(self->fd, self->other.id, &fill, 1, -1);
	ASSERT_EQ(1, file_wait(file));
	ASSERT_EQ(0, ioctl(file, SYNC_IOC_FILE_INFO, &info));
	EXPECT_EQ(1, info.num_fences);
	EXPECT_STREQ(name, fence.obj_name);
	EXPECT_STREQ("anpu", fence.driver_name);
	EXPECT_NE(0, fence.timestamp_ns);
	close(file);
}

TEST_HARNESS_MAIN
