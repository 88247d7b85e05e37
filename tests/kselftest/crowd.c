// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Two devices and many processes in every kind of work and sleep: one device is unbound. All who use it
 * learn it, nobody gets SIGBUS, and who uses the other notices nothing. See machines.
 */
#include <dirent.h>

#include "anpu_test.h"
#include "bystander.h"
#include "census.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu"

enum { COPIES, FAULTS, USER_QUEUE, SPINS, WAITS_SEQ, WAITS_MEMORY, READS, POLLS, BINDS, OPENS, KINDS };

/* A device that is gone says one of these; user space that only looks sees the queue stopped, or zeros. */
static bool gone(int ret)
{
	return ret == -ENODEV || ret == -EIO || ret == -ENOENT || ret == -ENXIO;
}

static int never_ends(int fd, struct stream *s, int kind)
{
	union anpu_packet block = pkt_wait(VA(0), ~0ULL);
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_MEMORY, .handle = 1,
		.offset = 8, .value = 99, .mask = ~0ULL, .width = 8 };
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char buf[64];
	uint64_t seq;
	int ret = submit(fd, s->id, &block, 1, &seq);

	if (ret)
		return ret;
	switch (kind) {
	case WAITS_SEQ:
		return wait_seq_until(fd, s->id, seq, INT64_MAX);
	case WAITS_MEMORY:
		return wait_items(fd, &item, 1, 0, INT64_MAX, NULL);
	case READS:
		return read(fd, buf, sizeof(buf)) < 0 ? -errno : 0;
	case SPINS:
		/* Zeros and STOPPED are the same number. */
		while (s->status->state != ANPU_QUEUE_STOPPED)
			;
		return -EIO;
	default:
		return poll(&pfd, 1, -1) == 1 && pfd.revents & POLLHUP ? -ENODEV : 0;
	}
}

static int work_on(int fd, struct stream *s, int kind, volatile uint64_t *mem)
{
	union anpu_packet pkts[3] = { pkt_fill(VA(0), MIB, 1), pkt_copy(VA(1), VA(0), MIB), pkt_nop() };
	uint64_t seq;
	int ret;

	if (kind == FAULTS)
		pkts[1] = pkt_fill(8, 8, 0);
	do {
		ret = submit(fd, s->id, pkts, 3, &seq);
		if (!ret)
			ret = wait_seq(fd, s->id, seq);
		if (!ret && kind == BINDS)
			ret = vm_op(fd, DRM_ANPU_VM_REPLACE, VA(2), MIB, 1, 0, RW);
		/* A mapping that could be touched once can be touched until the end. */
		mem[17]++;
	} while (!ret);
	return ret;
}

static int opens(void)
{
	struct stream s;
	int fd, ret;

	do {
		fd = anpu_open();
		ret = fd < 0 ? fd : stream_create(fd, 0, 16, &s);
		if (!ret)
			munmap((void *)s.status, PAGE);
		close(fd);
	} while (!ret || ret == -ENOSPC);
	return ret;
}

/* Exit status 0: it has learnt that the device is gone, and could touch its memory afterwards. */
static int member(int kind, uint32_t *ready)
{
	struct stream s;
	volatile uint64_t *mem, *sys;
	int fd, ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (kind == OPENS)
		__atomic_add_fetch(ready, 1, __ATOMIC_RELEASE);
	if (kind == OPENS)
		return gone(opens()) ? 0 : 1;
	stream_mode = kind == USER_QUEUE ? DRM_ANPU_STREAM_USER_QUEUE : 0;
	fd = anpu_open();
	mem = make_buffer(fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	sys = make_buffer(fd, DRM_ANPU_BO_SYSTEM, MIB, VA(1), RW, NULL);
	if (mem == MAP_FAILED || sys == MAP_FAILED || stream_create(fd, 0, 64, &s))
		return 2;
	sys[5] = 1234;
	__atomic_add_fetch(ready, 1, __ATOMIC_RELEASE);
	ret = kind >= SPINS && kind <= POLLS ? never_ends(fd, &s, kind) : work_on(fd, &s, kind, mem);
	if (!gone(ret)) {
		fprintf(stderr, "# member of kind %d: %s\n", kind, strerror(-ret));
		return 3;
	}
	/* In the end calls say so, and the mapping is of memory that is nobody else's. */
	while (memory_info(fd, &(struct drm_anpu_memory_info){}) != -ENODEV)
		usleep(1000);
	while (mem[3] != 7)
		mem[3] = 7;
	(void)s.status->completed;
	return sys[5] ? 0 : 4;
}

FIXTURE(crowd) {
	char device[2][64];
	struct census before;
	int log;
};

static int of_node(int n, char *device, size_t size)
{
	char path[64], target[256], *name;
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/class/accel/accel%d/device", n);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	target[len] = 0;
	name = strrchr(target, '/');
	snprintf(device, size, "%.60s", name ? name + 1 : target);
	return 0;
}

FIXTURE_SETUP(crowd)
{
	if (of_node(0, self->device[0], 64) || of_node(1, self->device[1], 64))
		SKIP(return, "there are no two devices");
	self->log = klog_open();
	ASSERT_EQ(0, census_take(&self->before));
}

FIXTURE_TEARDOWN(crowd)
{
	census_free(&self->before);
}

static pid_t watch(int stop[2])
{
	struct bystander b;
	pid_t pid = fork();
	int ret;
	char c;

	if (pid)
		return pid;
	close(stop[1]);
	setenv("ANPU_NODE", "/dev/accel/accel0", 1);
	ret = bystander_init(&b);
	for (uint64_t n = 1; !ret && read(stop[0], &c, 1) < 0; n++)
		ret = bystander_work(&b, n);
	_exit(ret || bystander_damage(&b) ? 1 : 0);
}

TEST_F_TIMEOUT(crowd, one_device_goes_the_other_works, 600)
{
	enum { EACH = 2 };
	pid_t pids[KINDS * EACH], by;
	int status, stop[2];
	uint32_t *ready = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)ready);
	for (int round = 0; round < 3; round++) {
		ASSERT_EQ(0, pipe2(stop, O_NONBLOCK | O_CLOEXEC));
		by = watch(stop);
		setenv("ANPU_NODE", "/dev/accel/accel1", 1);
		*ready = 0;
		for (int i = 0; i < KINDS * EACH; i++) {
			pids[i] = fork();
			if (!pids[i])
				_exit(member(i % KINDS, ready));
		}
		ASSERT_TRUE(SOON(__atomic_load_n(ready, __ATOMIC_ACQUIRE) == KINDS * EACH));
		/* And a moment to fall asleep in. */
		usleep(200000);
		ASSERT_EQ(0, write_file(DRIVER "/unbind", self->device[1]));
		for (int i = 0; i < KINDS * EACH; i++) {
			ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
			EXPECT_EQ(0, status) {
				TH_LOG("round %d, kind %d", round, i % KINDS);
			}
		}
		close(stop[1]);
		ASSERT_EQ(by, waitpid(by, &status, 0));
		EXPECT_EQ(0, status);
		close(stop[0]);
		/* All files are closed: it has its number again. */
		ASSERT_EQ(0, write_file(DRIVER "/bind", self->device[1]));
		EXPECT_TRUE(SOON(!access("/dev/accel/accel1", F_OK)));
		EXPECT_EQ(0, bystander_try());
	}
	EXPECT_EQ(0, klog_check(self->log));
	EXPECT_EQ(0, census_compare(&self->before, 3 * KINDS * EACH));
}

TEST_HARNESS_MAIN
