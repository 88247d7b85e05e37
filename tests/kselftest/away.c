// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device goes away for a while under its users: function level reset, and what a suspend of the
 * machine does (debugfs pm_test). Streams end, memory stays, and nobody hangs or crashes.
 */
#include <dirent.h>
#include <glob.h>
#include <sys/sysinfo.h>

#include "fence.h"
#include "hold.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu"

FIXTURE(away) {
	char file[300];
	int fd;
	struct stream s;
	uint64_t *mem;
	uint32_t bo;
};

FIXTURE_VARIANT(away) {
	bool suspend;
};

FIXTURE_VARIANT_ADD(away, reset) { .suspend = false };
FIXTURE_VARIANT_ADD(away, suspend) { .suspend = true };

FIXTURE_SETUP(away)
{
	const char *pattern = variant->suspend ? "/sys/kernel/debug/accel/*/pm_test" :
		DRIVER "/0*/reset";
	glob_t found;

	ASSERT_EQ(0, glob(pattern, 0, NULL, &found)) {
		TH_LOG("no %s", pattern);
	}
	snprintf(self->file, sizeof(self->file), "%s", found.gl_pathv[0]);
	globfree(&found);
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, 4 * MIB, VA(0), RW, &self->bo);
	ASSERT_NE(MAP_FAILED, self->mem);
}

FIXTURE_TEARDOWN(away)
{
	close(self->fd);
}

#define GO_AWAY() ASSERT_EQ(0, write_file(self->file, "1"))

TEST_F(away, streams_end_and_memory_stays)
{
	struct drm_anpu_event_subscribe sub = { .mask = DRM_ANPU_SUBSCRIBE_RESET };
	union anpu_packet nop = pkt_nop(), copy = pkt_copy(VA(0) + PAGE, VA(0), PAGE);
	struct pollfd pfd = { .fd = self->fd, .events = POLLIN };
	struct drm_anpu_event_reset ev;
	struct stream s;
	uint32_t bo;

	for (int i = 0; i < 512; i++)
		self->mem[i] = i + 1;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub));
	ASSERT_EQ(0, run(self->fd, self->s.id, &nop, 1));
	GO_AWAY();
	EXPECT_EQ(-EIO, submit(self->fd, self->s.id, &nop, 1, NULL));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 1));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	ASSERT_EQ(1, poll(&pfd, 1, 1000));
	ASSERT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
	EXPECT_EQ(DRM_ANPU_EVENT_RESET, ev.base.type);
	/* The CPU's and the device's view of memory and mappings are as they were. */
	EXPECT_EQ(512, self->mem[511]);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, run(self->fd, s.id, &copy, 1));
	EXPECT_EQ(0, s.status->errors);
	EXPECT_EQ(512, self->mem[1023]);
	/* Interrupts come, clearing works, address spaces can be changed. */
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 32 * MIB, 0, 0, &bo));
	ASSERT_EQ(0, vm_map(self->fd, VA(2), 32 * MIB, bo, RW));
	ASSERT_EQ(0, vm_unmap(self->fd, VA(2), 32 * MIB));
	ASSERT_EQ(0, bo_close(self->fd, bo));
}

TEST_F(away, sleepers_are_woken)
{
	union anpu_packet block = pkt_wait(VA(0), ~0ULL);
	struct drm_anpu_wait_item memory = { .type = DRM_ANPU_WAIT_MEMORY, .handle = self->bo,
		.mask = ~0ULL, .value = 99, .width = 8 };
	struct drm_anpu_wait_item fence = { .type = DRM_ANPU_WAIT_SYNC_FILE };
	int status, file, sleepers = 3;
	struct vgem v;
	pid_t pids[4];

	ASSERT_EQ(0, submit(self->fd, self->s.id, &block, 1, NULL));
	/* One that came when the device is back would wait for ever. */
	pids[0] = fork();
	if (!pids[0])
		_exit(wait_seq_until(self->fd, self->s.id, 1, INT64_MAX) == -EIO ? 0 : 1);
	pids[1] = fork();
	if (!pids[1])
		_exit(wait_items(self->fd, &memory, 1, 0, INT64_MAX, NULL) == -EIO ? 0 : 1);
	pids[2] = fork();
	if (!pids[2]) {
		union anpu_packet pkts[2048];

		for (int i = 0; i < 2048; i++)
			pkts[i] = pkt_nop();
		submit(self->fd, self->s.id, pkts, 2048, NULL);
		_exit(submit(self->fd, self->s.id, pkts, 2048, NULL) == -EIO ? 0 : 1);
	}
	/* A fence of another driver, which is not signalled when this device leaves. */
	file = vgem_pending_file(&v);
	if (file != -ENODEV) {
		ASSERT_GE(file, 0);
		fence.handle = file;
		pids[sleepers] = fork();
		if (!pids[sleepers++])
			_exit(wait_items(self->fd, &fence, 1, 0, INT64_MAX, NULL) == -EIO ? 0 : 1);
	}
	for (int i = 0; i < sleepers; i++)
		until_asleep(pids[i]);
	GO_AWAY();
	for (int i = 0; i < sleepers; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status) {
			TH_LOG("sleeper %d", i);
		}
	}
}

/* Somebody in each of the threads of the next test, and whether it is through */
struct actor {
	int fd;
	const char *file;
	uint64_t offset;
	volatile uint64_t *_Atomic mem;
	int ret;
	_Atomic pid_t tid;
	_Atomic bool done;
};

static void *send_away(void *arg)
{
	struct actor *a = arg;

	do
		a->ret = write_file(a->file, "1");
	while (!a->ret && !a->done);
	return NULL;
}

static void *touch(void *arg)
{
	struct actor *a = arg;

	a->tid = gettid();
	/* Again and again, until the device is away: then it takes until it is back. */
	do {
		if (a->mem)
			munmap((void *)a->mem, PAGE);
		a->mem = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, a->fd, a->offset);
		if (a->mem == MAP_FAILED)
			return NULL;
	} while (*a->mem != 77);
	a->done = true;
	return NULL;
}

static void *close_file(void *arg)
{
	struct actor *a = arg;

	a->tid = gettid();
	a->ret = close(a->fd);
	a->done = true;
	return NULL;
}

/*
 * A page fault waits until the device is back, and meanwhile the mapping goes that it is about, and
 * the file: that stays until the page fault is over.
 */
TEST_F_TIMEOUT(away, the_file_of_a_page_fault_stays, 120)
{
	struct actor away = { .file = self->file }, closer = { .fd = anpu_open() };
	struct actor fault = { .fd = closer.fd };
	struct drm_anpu_bo_mmap_offset map = {};
	pthread_t threads[3];
	uint64_t *there;

	if (get_nprocs() != 1)
		SKIP(return, "on several processors the device cannot be kept from coming back");
	ASSERT_EQ(0, bo_create(closer.fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &map.handle));
	ASSERT_EQ(0, do_ioctl(closer.fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &map));
	fault.offset = map.offset;
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, send_away, &away));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, touch, &fault));
	/* From when this task has seen that, until it sleeps, no other one has the processor. */
	ASSERT_EQ(0, set_first(0, 1));
	ASSERT_TRUE(SOON(asleep_in(fault.tid, "anpu_presence_fault")));
	/* Another mapping takes the place of the device's memory while the fault waits. */
	there = mmap((void *)fault.mem, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT_EQ((void *)fault.mem, there);
	*there = 77;
	away.done = true;
	ASSERT_EQ(0, pthread_create(&threads[2], NULL, close_file, &closer));
	ASSERT_TRUE(SOON(closer.done || asleep_in(closer.tid, "anpu_postclose")));
	EXPECT_TRUE(closer.done);
	ASSERT_EQ(0, set_first(0, 0));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	EXPECT_EQ(0, away.ret);
	EXPECT_TRUE(fault.done);
	EXPECT_EQ(0, closer.ret);
}

/* Puts what is in HBM into a pipe, again and again: 0, or the first error. */
static void *send_hbm(void *arg)
{
	struct actor *a = arg;
	int pipes[2];
	char byte;

	if (pipe(pipes))
		return NULL;
	while (!a->done && !a->ret) {
		void *mem = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, a->fd, a->offset);

		/* The kernel touches the page first. */
		if (mem == MAP_FAILED || write(pipes[1], mem, 1) != 1 || read(pipes[0], &byte, 1) != 1)
			a->ret = -errno;
		else if (byte != 42)
			a->ret = -EBADE;
		if (mem != MAP_FAILED)
			munmap(mem, PAGE);
	}
	close(pipes[0]);
	close(pipes[1]);
	return NULL;
}

/* A system call that reads HBM waits until the device is back, as the process itself does. */
TEST_F_TIMEOUT(away, the_kernel_waits_for_memory, 120)
{
	struct drm_anpu_bo_mmap_offset map = { .handle = self->bo };
	struct actor sender = { .fd = self->fd };
	pthread_t thread;

	*(char *)self->mem = 42;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &map));
	sender.offset = map.offset;
	ASSERT_EQ(0, pthread_create(&thread, NULL, send_hbm, &sender));
	for (int i = 0; i < 5; i++)
		GO_AWAY();
	sender.done = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, sender.ret);
}

struct writer {
	uint64_t *mem;
	volatile uint64_t count;
	volatile bool stop;
};

/* Stores of a process are not lost while the device is away. */
static void *write_on(void *arg)
{
	struct writer *w = arg;

	while (!w->stop) {
		uint64_t n = w->count + 1;

		w->mem[n % (MIB / 8)] = n;
		w->count = n;
	}
	return NULL;
}

TEST_F(away, no_store_is_lost)
{
	struct writer w = { .mem = self->mem };
	uint64_t bad = 0;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, write_on, &w));
	while (w.count < MIB / 8)
		usleep(1000);
	for (int i = 0; i < 3; i++)
		GO_AWAY();
	w.stop = true;
	pthread_join(thread, NULL);
	for (uint64_t n = w.count; n > w.count - MIB / 8; n--)
		bad += self->mem[n % (MIB / 8)] != n;
	EXPECT_EQ(0, bad);
}

/* Everything that a program does, while the device goes and comes. */
static int program(int seed)
{
	union anpu_packet pkts[4] = { pkt_fill(VA(1), MIB, seed), pkt_nop(), pkt_fill(8, 8, 0),
		pkt_signal(VA(1), seed, ANPU_SEM_IRQ) };

	for (;;) {
		struct stream s;
		uint32_t bo;
		int fd = anpu_open(), ret;
		void *mem;

		if (fd < 0)
			return 1;
		stream_mode = seed & 1 ? DRM_ANPU_STREAM_USER_QUEUE : 0;
		mem = make_buffer(fd, DRM_ANPU_BO_HBM, MIB, VA(1), RW, &bo);
		if (mem == MAP_FAILED)
			return 2;
		for (int i = 0; i < 20; i++) {
			ret = stream_create(fd, 0, 64, &s);
			if (ret && ret != -EBUSY)
				return 3;
			if (ret)
				continue;
			do {
				ret = run(fd, s.id, pkts, 4);
				if (ret && ret != -EIO && ret != -ETIME)
					return 4;
			} while (!ret && ++i < 20);
			if (stream_destroy(fd, s.id))
				return 5;
			munmap((void *)s.status, PAGE);
		}
		munmap(mem, MIB);
		close(fd);
	}
}

TEST_F(away, under_load)
{
	enum { PROGRAMS = 4 };
	pid_t pids[PROGRAMS];
	int status;

	for (int i = 0; i < PROGRAMS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(program(i));
		}
	}
	for (int i = 0; i < 10; i++) {
		GO_AWAY();
		usleep(30000);
	}
	for (int i = 0; i < PROGRAMS; i++) {
		kill(pids[i], SIGKILL);
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status)) {
			TH_LOG("program %d ended: %d", i, WEXITSTATUS(status));
		}
	}
}

TEST_HARNESS_MAIN
