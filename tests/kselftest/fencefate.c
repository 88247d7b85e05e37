// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What becomes of fences when a stream, a process or the device ends, and when a job takes too long:
 * they signal, with an error, and never stay.
 */
#include "fence.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu"
#define LIMIT	"/sys/module/anpu/parameters/fence_timeout_ms"
#define HELD	VA(1)
/* A packet that ends when somebody stores 1, and else after eight seconds. */
#define HOLD	pkt_wait_us(HELD, 1, 8000000)

enum end { RESET_STREAM, ABORT, END_TASK, DESTROY, CLOSE, RESET_DEVICE, AWAY, PCI_RESET, EXPIRE, UNBIND };

FIXTURE(fate) {
	int fd;
	int witness;
	struct stream s;
	struct stream other;
	uint64_t *held;
};

FIXTURE_VARIANT(fate) {
	enum end how;
	int running;
	int waiting;
	int behind;
};

/* Of the job that is being executed, of one that waits for it in another stream, and of one behind it. */
FIXTURE_VARIANT_ADD(fate, reset_stream) { RESET_STREAM, -EIO, -EIO, -EIO };
FIXTURE_VARIANT_ADD(fate, abort) { ABORT, -ECANCELED, -ECANCELED, -ECANCELED };
FIXTURE_VARIANT_ADD(fate, end_task) { END_TASK, -ECANCELED, -ECANCELED, 1 };
FIXTURE_VARIANT_ADD(fate, destroy) { DESTROY, -EIO, -EIO, -EIO };
FIXTURE_VARIANT_ADD(fate, close) { CLOSE, -EIO, -EIO, -EIO };
FIXTURE_VARIANT_ADD(fate, reset_device) { RESET_DEVICE, -EIO, -EIO, -EIO };
FIXTURE_VARIANT_ADD(fate, away) { AWAY, -EIO, -EIO, -EIO };
FIXTURE_VARIANT_ADD(fate, pci_reset) { PCI_RESET, -EIO, -EIO, -EIO };
FIXTURE_VARIANT_ADD(fate, expire) { EXPIRE, -EIO, -EIO, -EIO };
FIXTURE_VARIANT_ADD(fate, unbind) { UNBIND, -ENODEV, -ENODEV, -ENODEV };

FIXTURE_SETUP(fate)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &self->s));
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &self->other));
	self->held = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, MIB, HELD, RW, NULL);
	ASSERT_NE(MAP_FAILED, self->held);
}

FIXTURE_TEARDOWN(fate)
{
	write_file(LIMIT, "10000");
	close(self->fd);
}

static int write_first(const char *pattern, const char *text)
{
	glob_t found;
	int ret;

	if (glob(pattern, 0, NULL, &found))
		return -ENOENT;
	ret = write_file(found.gl_pathv[0], text);
	globfree(&found);
	return ret;
}

static int device_name(char *name, size_t size)
{
	glob_t found;

	if (glob(DRIVER "/0*", 0, NULL, &found))
		return -ENOENT;
	snprintf(name, size, "%s", strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	return 0;
}

static int end_it(int fd, uint32_t stream, enum end how, const char *device)
{
	struct drm_anpu_reset reset = { .stream = stream };

	switch (how) {
	case RESET_STREAM:
		reset.scope = DRM_ANPU_RESET_STREAM;
		return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &reset);
	case ABORT:
		reset.scope = DRM_ANPU_ABORT_STREAM;
		return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &reset);
	case END_TASK:
		reset.scope = DRM_ANPU_END_TASK;
		reset.seq = 1;
		return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &reset);
	case RESET_DEVICE:
		reset.scope = DRM_ANPU_RESET_DEVICE;
		reset.stream = 0;
		return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &reset);
	case DESTROY:
		return stream_destroy(fd, stream);
	case CLOSE:
		return close(fd);
	case AWAY:
		return write_first("/sys/kernel/debug/accel/0*/pm_test", "1");
	case PCI_RESET:
		return write_first(DRIVER "/0*/reset", "1");
	case EXPIRE:
		return 0;
	case UNBIND:
		return write_file(DRIVER "/unbind", device);
	}
	return -EINVAL;
}

/* None of them waits until the packet ends by itself: that would be -ETIME. */
TEST_F(fate, fences_end)
{
	union anpu_packet hold = HOLD, nop[2] = { pkt_nop(), pkt_nop() };
	int running, waiting, behind, own;
	char device[64];

	ASSERT_EQ(0, device_name(device, sizeof(device)));
	/* Mappings keep a file open; the node's name is free again when the last file is closed. */
	if (variant->how == CLOSE || variant->how == UNBIND) {
		munmap(self->held, MIB);
		munmap((void *)self->s.status, PAGE);
		munmap((void *)self->other.status, PAGE);
	}
	if (variant->how == EXPIRE)
		ASSERT_EQ(0, write_file(LIMIT, "300"));
	running = job_after(self->fd, self->s.id, &hold, 1, -1);
	waiting = job_after(self->fd, self->other.id, nop, 2, running);
	behind = job_after(self->fd, self->s.id, nop, 2, -1);
	/* And one behind a gate in the stream itself: its fence comes of a job that waits, too. */
	own = job_after(self->fd, self->s.id, nop, 1, waiting);
	ASSERT_GE(own, 0);
	ASSERT_EQ(0, file_status(running));
	/* A packet that has not begun is not ended, and the device may take its time to begin with it. */
	if (variant->how == END_TASK)
		ASSERT_TRUE(SOON(self->s.status->started == 1));
	ASSERT_EQ(0, end_it(self->fd, self->s.id, variant->how, device));
	EXPECT_EQ(variant->running, file_wait(running));
	EXPECT_EQ(variant->waiting, file_wait(waiting));
	EXPECT_EQ(variant->behind, file_wait(behind));
	EXPECT_GT(0, file_wait(own));
	close(waiting);
	close(behind);
	close(own);
	if (variant->how == UNBIND) {
		close(self->fd);
		ASSERT_EQ(0, write_file(DRIVER "/bind", device));
	}
	/* The device and, if it lives on, the stream work. */
	if (variant->how == CLOSE || variant->how == UNBIND)
		self->fd = anpu_open();
	if (variant->how != ABORT && variant->how != RESET_STREAM && variant->how != END_TASK)
		ASSERT_EQ(0, SOON(!stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &self->s)) ? 0 : 1);
	waiting = job_after(self->fd, self->s.id, nop, 2, -1);
	EXPECT_EQ(1, file_wait(waiting));
	/* A fence of which somebody has a descriptor can be asked for its name, whatever has gone. */
	EXPECT_EQ(variant->running, file_status(running));
	close(waiting);
	close(running);
}

/* A process that is killed leaves no fences behind that others wait for, nor memory. */
TEST_F(fate, processes_die)
{
	union anpu_packet hold = HOLD, nop = pkt_nop();
	struct drm_syncobj_handle pass = {};
	struct drm_anpu_fence out = { .type = DRM_ANPU_FENCE_SYNCOBJ };
	struct drm_anpu_submit_job args = { .packets = ARRAY(&nop, 1), .out = ARRAY(&out, 1) };
	uint64_t before;
	uint32_t ours;
	int status, ready[2], file;
	char c;
	pid_t pid;

	if (variant->how != CLOSE)
		return;
	ASSERT_EQ(0, syncobj_create(self->fd, 0, &ours));
	pass.handle = ours;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &pass));
	ASSERT_EQ(0, pipe(ready));
	before = hbm_free(self->fd);
	pid = fork();
	if (!pid) {
		int fd = anpu_open();
		struct stream s, t;

		pass.handle = 0;
		if (fd < 0 || do_ioctl(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &pass) ||
		    stream_create(fd, DRM_ANPU_STREAM_BOUNDED, 0, &s) ||
		    stream_create(fd, DRM_ANPU_STREAM_BOUNDED, 0, &t) ||
		    make_buffer(fd, DRM_ANPU_BO_HBM, MIB, HELD, RW, NULL) == MAP_FAILED)
			_exit(1);
		file = job_after(fd, s.id, &hold, 1, -1);
		for (int i = 0; i < 200; i++)
			close(job_after(fd, i & 1 ? s.id : t.id, &nop, 1, file));
		args.stream = t.id;
		out.handle = pass.handle;
		if (file < 0 || do_ioctl(fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args) ||
		    write(ready[1], "r", 1) != 1)
			_exit(2);
		pause();
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	file = syncobj_file(self->fd, ours);
	ASSERT_GE(file, 0);
	EXPECT_EQ(0, file_status(file));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(-EIO, file_wait(file));
	EXPECT_TRUE(SOON(hbm_free(self->fd) == before));
	close(file);
	close(pass.fd);
}

FIXTURE(hostile) {
	int fd;
	struct stream s;
	uint64_t *held;
};

FIXTURE_SETUP(hostile)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &self->s));
	self->held = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, MIB, HELD, RW, NULL);
	ASSERT_NE(MAP_FAILED, self->held);
}

FIXTURE_TEARDOWN(hostile)
{
	close(self->fd);
}

TEST_F(hostile, no_descriptors_left)
{
	struct rlimit old, none;
	union anpu_packet nop = pkt_nop();
	int file;

	getrlimit(RLIMIT_NOFILE, &old);
	none = (struct rlimit){ .rlim_cur = 3, .rlim_max = old.rlim_max };
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(-EMFILE, job_after(self->fd, self->s.id, &nop, 1, -1));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	/* The job was not submitted. */
	file = job_after(self->fd, self->s.id, &nop, 1, -1);
	EXPECT_EQ(1, file_wait(file));
	EXPECT_EQ(1, self->s.status->completed);
	close(file);
}

/*
 * As many fences as a job may have, and a stream full of jobs that wait. All of it is submitted while one packet is held,
 * which ends by itself in the end: a debug kernel took longer than that for 256 jobs.
 */
TEST_F(hostile, many_fences)
{
	enum { RING = 64 };
	static struct drm_anpu_fence in[DRM_ANPU_MAX_JOB_FENCES];
	union anpu_packet hold = HOLD, nop = pkt_nop();
	struct drm_anpu_fence out = { .type = DRM_ANPU_FENCE_SYNC_FILE };
	struct drm_anpu_submit_job args = {
		.packets = ARRAY(&nop, 1), .in = ARRAY(in, DRM_ANPU_MAX_JOB_FENCES),
		.flags = DRM_ANPU_SUBMIT_NONBLOCK,
	};
	struct stream t;
	uint32_t point;
	int first, last = -1;

	first = job_after(self->fd, self->s.id, &hold, 1, -1);
	ASSERT_GE(first, 0);
	ASSERT_EQ(0, syncobj_create(self->fd, 0, &point));
	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, RING, &t));
	for (int i = 0; i < DRM_ANPU_MAX_JOB_FENCES; i++)
		in[i] = (struct drm_anpu_fence){ DRM_ANPU_FENCE_SYNC_FILE, first, 0 };
	args.stream = t.id;
	for (int i = 0; i < RING; i++) {
		if (i == RING - 1)
			args.out = (struct drm_anpu_array)ARRAY(&out, 1);
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args));
	}
	last = out.handle;
	EXPECT_EQ(-EAGAIN, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args));
	EXPECT_EQ(0, file_status(last));
	EXPECT_EQ(0, t.status->completed);
	__atomic_store_n(self->held, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(1, file_wait(last));
	EXPECT_EQ(RING, t.status->completed);
	/* A stream that goes while its jobs wait takes all of that with it. */
	__atomic_store_n(self->held, 0, __ATOMIC_RELEASE);
	close(first);
	first = job_after(self->fd, self->s.id, &hold, 1, -1);
	for (int i = 0; i < DRM_ANPU_MAX_JOB_FENCES; i++)
		in[i].handle = first;
	args.out.count = 0;
	for (int i = 0; i < RING; i++)
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args));
	ASSERT_EQ(0, stream_destroy(self->fd, t.id));
	__atomic_store_n(self->held, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(1, file_wait(first));
	close(first);
	close(last);
}

/* The limit is one job's: that of the jobs behind it begins when it has ended. */
TEST_F(hostile, the_limit_is_one_jobs)
{
	union anpu_packet slow = pkt_wait_us(HELD, 1, 400000);
	int file = -1;

	/* Longer than one of them by far, also on a busy machine, and shorter than all of them. */
	ASSERT_EQ(0, write_file(LIMIT, "2500"));
	for (int i = 0; i < 8; i++) {
		if (file >= 0)
			close(file);
		file = job_after(self->fd, self->s.id, &slow, 1, -1);
		ASSERT_GE(file, 0);
	}
	EXPECT_EQ(-ETIME, file_wait(file));
	EXPECT_EQ(8, self->s.status->completed);
	EXPECT_EQ(0, write_file(LIMIT, "10000"));
	close(file);
}

TEST_HARNESS_MAIN
