// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The driver is unbound under a program's feet, and bound again. */
#include <dirent.h>
#include <sys/sysinfo.h>

#include "anpu_test.h"
#include "hold.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu"

FIXTURE(unbind) {
	char device[64];
	int fd;
	struct stream s;
	uint64_t *hbm;
	uint64_t *sys;
};

FIXTURE_SETUP(unbind)
{
	struct dirent *entry;
	DIR *dir = opendir(DRIVER);

	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '0')
			snprintf(self->device, sizeof(self->device), "%.60s", entry->d_name);
	}
	closedir(dir);
	ASSERT_NE(0, self->device[0]);
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->hbm = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	self->sys = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, MIB, VA(1), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->hbm);
	ASSERT_NE(MAP_FAILED, self->sys);
	self->hbm[0] = 1234;
	self->sys[0] = 5678;
}

/* In the parent: only when the child is gone is nothing left of the old device, not even its number. */
FIXTURE_TEARDOWN_PARENT(unbind)
{
	write_file(DRIVER "/unbind", self->device);
	write_file(DRIVER "/bind", self->device);
	SOON(!access(anpu_node(), F_OK));
}

TEST_F(unbind, calls_fail_and_mappings_stay)
{
	union anpu_packet nop = pkt_nop();
	struct drm_anpu_memory_info info;
	struct pollfd pfd = { .fd = self->fd, .events = POLLIN };
	uint32_t handle;
	struct stream s;
	char buf[64];

	ASSERT_EQ(0, run(self->fd, self->s.id, &nop, 1));
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device));
	EXPECT_EQ(-ENODEV, submit(self->fd, self->s.id, &nop, 1, NULL));
	EXPECT_EQ(-ENODEV, wait_seq(self->fd, self->s.id, 1));
	EXPECT_EQ(-ENODEV, stream_create(self->fd, 0, 0, &s));
	EXPECT_EQ(-ENODEV, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &handle));
	EXPECT_EQ(-ENODEV, vm_unmap(self->fd, VA(0), MIB));
	EXPECT_EQ(-ENODEV, memory_info(self->fd, &info));
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_TRUE(pfd.revents & POLLHUP);
	EXPECT_EQ(-1, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(ENODEV, errno);
	/* No SIGBUS: device memory reads as zero, system memory is still there. */
	EXPECT_EQ(0, self->hbm[0]);
	self->hbm[1] = 1;
	EXPECT_EQ(5678, self->sys[0]);
	EXPECT_EQ(0, self->s.status->completed);
}

TEST_F(unbind, what_is_gone_is_nobodys)
{
	union anpu_packet nop = pkt_nop();
	int other = anpu_open();
	struct user_queue *q;
	uint64_t *theirs;
	struct stream s;

	theirs = make_buffer(other, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, theirs);
	stream_mode = DRM_ANPU_STREAM_USER_QUEUE;
	ASSERT_EQ(0, stream_create(self->fd, 0, 64, &s));
	ASSERT_EQ(0, run(self->fd, s.id, &nop, 1));
	q = user_queue_find(self->fd, s.id);
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device));
	/* Memory of a device that is gone can still be written and read by the process, and reaches nobody else. */
	self->hbm[0] = 1;
	q->ring[0] = nop;
	q->control->wptr = 2;
	*q->doorbell = 2;
	EXPECT_EQ(0, theirs[0]);
	EXPECT_EQ(0, s.status->completed);
	EXPECT_EQ(0, s.status->state);
	EXPECT_EQ(-ENODEV, wait_seq(self->fd, s.id, 2));
	close(other);
}

TEST_F(unbind, sleepers_are_woken)
{
	union anpu_packet block = pkt_wait(VA(0), ~0ULL);
	struct drm_anpu_wait_item memory = { .type = DRM_ANPU_WAIT_MEMORY, .handle = 1,
		.mask = ~0ULL, .value = 99, .width = 8 };
	char buf[64];
	pid_t pids[4];
	int status;

	ASSERT_EQ(0, submit(self->fd, self->s.id, &block, 1, NULL));
	pids[0] = fork();
	if (!pids[0])
		_exit(wait_seq(self->fd, self->s.id, 1) == -ENODEV ? 0 : 1);
	pids[1] = fork();
	if (!pids[1])
		_exit(wait_items(self->fd, &memory, 1, 0, INT64_MAX, NULL) == -ENODEV ? 0 : 1);
	pids[2] = fork();
	if (!pids[2])
		_exit(read(self->fd, buf, sizeof(buf)) == -1 && errno == ENODEV ? 0 : 1);
	pids[3] = fork();
	if (!pids[3]) {
		union anpu_packet pkts[2048];

		for (int i = 0; i < 2048; i++)
			pkts[i] = pkt_nop();
		submit(self->fd, self->s.id, pkts, 2048, NULL);
		status = submit(self->fd, self->s.id, pkts, 2048, NULL);
		_exit(status == -EIO || status == -ENODEV ? 0 : 1);
	}
	usleep(100000);
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device));
	for (int i = 0; i < 4; i++) {
		waitpid(pids[i], &status, 0);
		EXPECT_EQ(0, status) {
			TH_LOG("sleeper %d", i);
		}
	}
}

/* All of them are woken by one event, which one of them gets: the others sleep on, and are woken again. */
TEST_F(unbind, readers_are_woken)
{
	struct drm_anpu_event_subscribe sub = { .mask = DRM_ANPU_SUBSCRIBE_NOTIFY };
	union anpu_packet notify = pkt_notify(1, 2);
	struct drm_anpu_event_notify ev;
	enum { READERS = 6 };
	pid_t pids[READERS];
	int status, got = 0;

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub));
	for (int i = 0; i < READERS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			ssize_t len = read(self->fd, &ev, sizeof(ev));

			_exit(len == sizeof(ev) ? 1 : len < 0 && errno == ENODEV ? 0 : 2);
		}
	}
	usleep(200000);
	ASSERT_EQ(0, run(self->fd, self->s.id, &notify, 1));
	usleep(200000);
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device));
	for (int i = 0; i < READERS; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2);
		got += WEXITSTATUS(status) == 1;
	}
	EXPECT_EQ(1, got);
}

/* A file of the device that is bound now; files of earlier ones are other nodes. */
static int open_bound(void)
{
	struct stream s;
	char node[32];
	int fd;

	for (int n = 0; n < 8; n++) {
		snprintf(node, sizeof(node), "/dev/accel/accel%d", n);
		fd = open(node, O_RDWR);
		if (fd >= 0 && !stream_create(fd, 0, 0, &s) && !stream_destroy(fd, s.id))
			return fd;
		close(fd);
	}
	return -1;
}

TEST_F(unbind, memory_is_zero_for_the_next_driver)
{
	uint64_t size = 128 * MIB, sum = 0, *p;
	uint32_t bo;
	int fd;

	for (uint64_t i = 0; i < MIB / 8; i++)
		self->hbm[i] = 0x5ec7e7;
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device));
	ASSERT_EQ(0, write_file(DRIVER "/bind", self->device));
	fd = open_bound();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, bo_create(fd, DRM_ANPU_BO_HBM, size, 0, 0, &bo));
	p = bo_map(fd, bo, size);
	ASSERT_NE(MAP_FAILED, p);
	for (uint64_t i = 0; i < size / 8; i += 512)
		sum |= p[i];
	EXPECT_EQ(0, sum);
}

TEST_F(unbind, under_load_and_back)
{
	union anpu_packet fill = pkt_fill(VA(0), MIB, 1), nop = pkt_nop();
	struct stream s;
	int fd;

	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			while (!submit(self->fd, self->s.id, &fill, 1, NULL))
				;
			_exit(0);
		}
		usleep(50000);
		ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device));
		waitpid(pid, NULL, 0);
		ASSERT_EQ(0, write_file(DRIVER "/bind", self->device));
		fd = open_bound();
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, stream_create(fd, 0, 0, &s));
		EXPECT_EQ(0, run(fd, s.id, &nop, 1));
		close(self->fd);
		self->fd = fd;
		self->s = s;
		ASSERT_NE(MAP_FAILED, make_buffer(fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL));
	}
}

struct held_bind {
	int fd;
	struct drm_anpu_vm_bind_op *ops;
	_Atomic pid_t tid;
	int ret;
};

/* Is inside the driver for long: makes 4096 page tables, with the processor when nobody else wants it. */
static void *bind_held(void *arg)
{
	struct held_bind *b = arg;

	b->ret = set_last(0);
	b->tid = gettid();
	if (!b->ret)
		b->ret = vm_bind(b->fd, b->ops, DRM_ANPU_MAX_BIND_OPS, NULL);
	return NULL;
}

struct unbinder {
	const char *device;
	_Atomic pid_t tid;
	_Atomic bool done;
	int ret;
};

static void *unbind_now(void *arg)
{
	struct unbinder *u = arg;

	u->tid = gettid();
	u->ret = write_file(DRIVER "/unbind", u->device);
	u->done = true;
	return NULL;
}

/*
 * Removal waits for an ioctl that is inside, and meanwhile another file is closed, whose operator writes to
 * memory for ever: when that memory is nobody's any more, the device must have stopped.
 */
TEST_F(unbind, closed_while_it_is_removed)
{
	const uint32_t code[] = { RV_ADDI(R_A1, R_A1, 1), RV_SD(R_A1, 0, R_A0), 0xff9ff06f /* j .-8 */ };
	union anpu_packet endless = pkt_kernel(VA(0), VA(1), 64, ANPU_TIMEOUT_NEVER);
	struct unbinder unbinder = { .device = self->device };
	struct held_bind bind = { .fd = self->fd };
	volatile uint64_t *count;
	int doomed = anpu_open(), ret;
	pthread_t threads[2];
	char stack[64];
	struct hog hog;
	struct stream s;
	uint32_t h, *at;
	uint64_t last;

	if (get_nprocs() != 1)
		SKIP(return, "on several processors nobody is held inside the driver");
	count = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)count);
	at = make_buffer(doomed, DRM_ANPU_BO_HBM, PAGE, VA(0), RX, NULL);
	ASSERT_NE(MAP_FAILED, at);
	memcpy(at, code, sizeof(code));
	ASSERT_EQ(0, munmap(at, PAGE));
	ret = bo_create(doomed, DRM_ANPU_BO_USERPTR, PAGE, 0, (uintptr_t)count, &h);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "DMA goes through bounce buffers");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, vm_map(doomed, VA(1), PAGE, h, RW));
	ASSERT_EQ(0, stream_create(doomed, 0, 0, &s));
	ASSERT_EQ(0, munmap((void *)s.status, PAGE));
	ASSERT_EQ(0, submit(doomed, s.id, &endless, 1, NULL));
	ASSERT_TRUE(SOON(*count));

	bind.ops = calloc(DRM_ANPU_MAX_BIND_OPS, sizeof(*bind.ops));
	ASSERT_NE(NULL, bind.ops);
	for (int i = 0; i < DRM_ANPU_MAX_BIND_OPS; i++)
		bind.ops[i] = (struct drm_anpu_vm_bind_op){ .op = DRM_ANPU_VM_UNMAP,
			.va = VA(5) + i * 2 * MIB, .size = PAGE };
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, bind_held, &bind));
	ASSERT_TRUE(SOON(bind.tid));
	snprintf(stack, sizeof(stack), "/proc/self/task/%d/stack", bind.tid);
	ASSERT_TRUE(SOON(stack_has(stack, "anpu_mmu_")));
	ASSERT_EQ(0, hog_start(&hog));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, unbind_now, &unbinder));
	ASSERT_TRUE(SOON(asleep_in(unbinder.tid, "drm_dev_unplug")));
	ASSERT_FALSE(unbinder.done);
	ASSERT_EQ(0, close(doomed));
	last = *count;
	for (int i = 0; i < 100; i++) {
		usleep(1000);
		ASSERT_EQ(last, *count);
	}
	hog_stop(&hog);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	free(bind.ops);
	EXPECT_EQ(0, unbinder.ret);
	EXPECT_EQ(0, bind.ret);
}

TEST_HARNESS_MAIN
