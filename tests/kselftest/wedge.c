// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device does not come out of reset, or has left without a word: every call says so, udev is told,
 * and to bind it anew helps. Needs a device that fails on request (inject=on).
 */
#include <linux/netlink.h>
#include <sys/socket.h>

#include "faulty.h"
#include "tracing.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu/"
#define ONCE	ANPU_INJECT(1, ANPU_INJECT_ANY, 0)

FIXTURE(wedge) {
	char device[64];
	int uevents;
	int fd;
	struct stream s;
	uint64_t *mem;
	uint32_t bo;
};

/* The device's address on the bus, whether it is bound or not */
static void find_device(char *name, size_t size)
{
	char path[300];

	find_file("/sys/bus/pci/devices/*/anpu", path, sizeof(path));
	if (!path[0])
		return;
	*strrchr(path, '/') = '\0';
	snprintf(name, size, "%s", strrchr(path, '/') + 1);
}

/* Once it is there again. */
static int bind_again(const char *device)
{
	int error;

	SOON(!(error = write_file(DRIVER "bind", device)));
	return error;
}

FIXTURE_SETUP(wedge)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	union anpu_packet block = pkt_wait(VA(0), ~0ULL);

	if (!can_inject())
		SKIP(return, "this device does not fail on request, see machines");
	find_device(self->device, sizeof(self->device));
	ASSERT_NE(0, self->device[0]);
	ASSERT_EQ(0, set_parameter("watchdog_ms", "500"));
	self->uevents = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	ASSERT_EQ(0, bind(self->uevents, (struct sockaddr *)&addr, sizeof(addr)));
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, &self->bo);
	ASSERT_NE(MAP_FAILED, self->mem);
	/* Somebody waits for the device to do something. */
	ASSERT_EQ(0, submit(self->fd, self->s.id, &block, 1, NULL));
}

/* Bound anew, the device works. In the parent: nobody has the old one open any more. */
FIXTURE_TEARDOWN_PARENT(wedge)
{
	if (!self->device[0])
		return;
	write_file(DRIVER "unbind", self->device);
	EXPECT_EQ(0, bind_again(self->device));
	EXPECT_EQ(0, try_anew());
	set_parameter("watchdog_ms", "10000");
	forget_dumps();
}

/* Waits until udev is told that a device of drivers/accel is wedged, and how to get it back. */
static bool told_wedged(int uevents)
{
	struct pollfd pfd = { .fd = uevents, .events = POLLIN };
	char buf[4096];
	ssize_t len;

	while (poll(&pfd, 1, 30000) == 1) {
		bool accel = false, wedged = false;

		len = recv(uevents, buf, sizeof(buf) - 1, 0);
		if (len < 0)
			return false;
		buf[len] = '\0';
		for (char *at = buf; at < buf + len; at += strlen(at) + 1) {
			accel |= !strncmp(at, "DEVNAME=accel/accel", 19);
			wedged |= !strcmp(at, "WEDGED=rebind,bus-reset");
		}
		if (accel && wedged)
			return true;
	}
	return false;
}

static bool bus_master(const char *device)
{
	char path[300];
	uint16_t command = 0;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", device);
	fd = open(path, O_RDONLY);
	if (pread(fd, &command, sizeof(command), 4) != sizeof(command))
		command = 0xffff;
	close(fd);
	return command & 4;
}

/* The result of every call until the device is bound anew */
#define EVERY_CALL_SAYS(error) do { \
	union anpu_packet nop_ = pkt_nop(); \
	struct drm_anpu_memory_info info_; \
	struct drm_anpu_stream_set set_ = { .stream = self->s.id }; \
	struct drm_anpu_bo_mmap_offset map_ = { .handle = self->bo }; \
	struct stream s_; \
	uint32_t bo_; \
	EXPECT_EQ(error, anpu_open()); \
	EXPECT_EQ(error, memory_info(self->fd, &info_)); \
	EXPECT_EQ(error, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo_)); \
	EXPECT_EQ(error, do_ioctl(self->fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &map_)); \
	EXPECT_EQ(error, vm_unmap(self->fd, VA(0), MIB)); \
	EXPECT_EQ(error, stream_create(self->fd, 0, 0, &s_)); \
	EXPECT_EQ(error, submit(self->fd, self->s.id, &nop_, 1, NULL)); \
	EXPECT_EQ(error, wait_seq(self->fd, self->s.id, 1)); \
	EXPECT_EQ(error, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &set_)); \
	EXPECT_EQ(error, reset_device(self->fd)); \
} while (0)

TEST_F_TIMEOUT(wedge, a_reset_that_does_not_end, 60)
{
	struct drm_anpu_stream_get_state st;
	struct drm_anpu_event_reset ev;
	struct drm_anpu_event_subscribe sub = { .mask = DRM_ANPU_SUBSCRIBE_RESET };
	int status;
	pid_t pid;

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub));
	pid = fork();
	if (!pid)
		_exit(wait_seq_until(self->fd, self->s.id, 1, INT64_MAX) == -EIO ? 0 : 1);
	until_asleep(pid);
	self->mem[0] = 77;
	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ONCE));
	EXPECT_TRUE(bus_master(self->device));
	EXPECT_EQ(-ETIMEDOUT, reset_device(self->fd));
	EXPECT_TRUE(told_wedged(self->uevents));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_FALSE(bus_master(self->device));
	EVERY_CALL_SAYS(-EIO);
	/* Events, memory and states can still be read and given back. */
	EXPECT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
	EXPECT_EQ(77, self->mem[0]);
	EXPECT_EQ(0, get_state(self->fd, self->s.id, &st, 0, NULL));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	EXPECT_EQ(0, bo_close(self->fd, self->bo));
}

/* Files that were open stay open over the whole affair, and are closed when all is over. */
TEST_F_TIMEOUT(wedge, bound_anew_under_open_files, 60)
{
	union anpu_packet nop = pkt_nop();
	struct stream s;
	int fd = -1;

	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ONCE));
	EXPECT_EQ(-ETIMEDOUT, reset_device(self->fd));
	ASSERT_EQ(0, write_file(DRIVER "unbind", self->device));
	EXPECT_EQ(-ENODEV, submit(self->fd, self->s.id, &nop, 1, NULL));
	ASSERT_EQ(0, write_file(DRIVER "bind", self->device));
	/* Another number, as the old one is open still. */
	for (int i = 0; i < 2 && fd < 0; i++) {
		fd = open(i ? "/dev/accel/accel1" : "/dev/accel/accel0", O_RDWR | O_CLOEXEC);
		if (fd >= 0 && stream_create(fd, 0, 0, &s)) {
			close(fd);
			fd = -1;
		}
	}
	ASSERT_GE(fd, 0);
	EXPECT_EQ(0, run(fd, s.id, &nop, 1));
	close(fd);
}

/* Nobody clears the HBM of a device whose bus may be down: it stays to be cleared for the next owner. */
TEST_F_TIMEOUT(wedge, what_is_freed_stays_dirty, 60)
{
	uint64_t dirty, used, sum = 0, *p;
	const uint64_t all = 128 * MIB;
	int other = anpu_open();
	uint32_t bo;

	ASSERT_EQ(0, bo_create(other, DRM_ANPU_BO_HBM, 16 * MIB, 0, 0, &bo));
	p = bo_map(other, bo, 16 * MIB);
	ASSERT_NE(MAP_FAILED, p);
	memset(p, 0x5a, 16 * MIB);
	ASSERT_EQ(0, munmap(p, 16 * MIB));
	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ONCE));
	EXPECT_EQ(-ETIMEDOUT, reset_device(self->fd));
	dirty = hbm_says("dirty ");
	used = hbm_says("used ");
	ASSERT_GE(dirty, 16 * MIB);
	ASSERT_EQ(0, close(other));
	EXPECT_TRUE(SOON(hbm_says("used ") + 16 * MIB <= used));
	EXPECT_EQ(dirty, hbm_says("dirty "));
	/* Then the device comes back, with all of its memory. */
	ASSERT_EQ(0, reset_by_bus(self->device));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, all, 0, 0, &bo));
	p = bo_map(self->fd, bo, all);
	ASSERT_NE(MAP_FAILED, p);
	for (uint64_t i = 0; i < all / 8; i += 64)
		sum |= p[i];
	EXPECT_EQ(0, sum);
}

/* Memory that could not be cleared, as the device has vanished meanwhile, is not handed out. */
TEST_F_TIMEOUT(wedge, what_cannot_be_cleared_is_not_handed_out, 90)
{
	const uint64_t size = 8 * PAGE;
	uint32_t bo[3], again;
	uint64_t *p;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, size, 0, 0, &bo[i]));
	p = bo_map(self->fd, bo[1], size);
	ASSERT_NE(MAP_FAILED, p);
	memset(p, 0x5a, size);
	ASSERT_EQ(0, munmap(p, size));
	/* Freed while nobody can clear it, it stays dirty: a hole that fits best for what comes next. */
	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ONCE));
	EXPECT_EQ(-ETIMEDOUT, reset_device(self->fd));
	ASSERT_EQ(0, bo_close(self->fd, bo[1]));
	ASSERT_EQ(0, reset_by_bus(self->device));
	ASSERT_EQ(0, set_parameter("watchdog_ms", "0"));
	ASSERT_EQ(0, inject(ANPU_INJECT_GONE, ANPU_INJECT(1, ANPU_INJECT_ANY, 15000)));
	EXPECT_EQ(-ENODEV, bo_create(self->fd, DRM_ANPU_BO_HBM, size, 0, 0, &again));
	EVERY_CALL_SAYS(-ENODEV);
}

/* Is one function called before another? By the kernel's trace of functions. */
static bool called_before(const char *first, const char *second)
{
	char *text = read_text(TRACING "/trace"), *a = strstr(text, first), *b = strstr(text, second);
	bool before = a && b && a < b;

	if (!before)
		fprintf(stderr, "# %s does not come before %s in:\n%.1000s\n", first, second, text);
	free(text);
	return before;
}

/* Nobody has the memory of a queue before the device that has not stopped can reach it no more. */
TEST_F_TIMEOUT(wedge, memory_is_free_when_bus_mastering_is_off, 60)
{
	ASSERT_EQ(0, tracing_begin());
	if (trace_functions("pci_clear_master\n", "anpu_quarantine_end\n"))
		SKIP(return, "the kernel does not trace functions");
	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ONCE));
	EXPECT_EQ(-ETIMEDOUT, reset_device(self->fd));
	EXPECT_TRUE(called_before("pci_clear_master", "anpu_quarantine_end"));
	write_file(TRACING "/current_tracer", "nop");
	write_file(TRACING "/set_ftrace_filter", "\n");
	EXPECT_FALSE(bus_master(self->device));
}

/*
 * HBM that the device was clearing when a reset began is nobody's until that is over: the device may
 * go on with it.
 */
TEST_F_TIMEOUT(wedge, what_is_being_cleared_waits_for_the_reset, 60)
{
	struct stream s;
	int status, fd;
	uint32_t bo;
	pid_t pid;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 16 * MIB, 0, 0, &bo));
	/* The driver's own queue. */
	ASSERT_EQ(0, inject(ANPU_INJECT_HANG, ANPU_INJECT(1, 0, 0)));
	ASSERT_EQ(0, bo_close(self->fd, bo));
	pid = fork();
	if (!pid) {
		/* All memory and that of the closed object, which a wedged device cannot clear: none is to be had. */
		fd = anpu_open();
		if (bo_create(fd, DRM_ANPU_BO_HBM, hbm_free(fd), 0, 0, &bo) != -EIO)
			_exit(2);
		_exit(stream_create(fd, 0, 0, &s) == -EBUSY);
	}
	until_asleep(pid);
	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ONCE));
	EXPECT_EQ(-ETIMEDOUT, reset_device(self->fd));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	/* The reset was not going on any more. */
	EXPECT_EQ(0, status);
}

/* A reset by the bus that somebody asks for helps as well, without binding anew. */
TEST_F_TIMEOUT(wedge, a_reset_by_the_bus_helps, 60)
{
	union anpu_packet copy = pkt_copy(VA(0) + 8, VA(0), 8);
	struct stream s;

	self->mem[0] = 78;
	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ONCE));
	EXPECT_EQ(-ETIMEDOUT, reset_device(self->fd));
	ASSERT_EQ(0, reset_by_bus(self->device));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, run(self->fd, s.id, &copy, 1));
	EXPECT_EQ(78, self->mem[1]);
	EXPECT_TRUE(bus_master(self->device));
}

TEST_F_TIMEOUT(wedge, a_device_that_is_gone, 90)
{
	struct pollfd pfd = { .fd = self->fd, .events = POLLIN };
	int status;
	pid_t pids[2];
	char buf[64];

	pids[0] = fork();
	if (!pids[0])
		_exit(wait_seq_until(self->fd, self->s.id, 1, INT64_MAX) == -ENODEV ? 0 : 1);
	pids[1] = fork();
	if (!pids[1])
		_exit(read(self->fd, buf, sizeof(buf)) < 0 && errno == ENODEV ? 0 : 2);
	self->mem[0] = 79;
	self->mem[MIB / 8 - 1] = 79;
	usleep(50000);
	/* Nobody says that it goes; it is back, as another one, when it has been found missing. */
	ASSERT_EQ(0, inject(ANPU_INJECT_GONE, ANPU_INJECT(1, ANPU_INJECT_ANY, 20000)));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_TRUE(told_wedged(self->uevents));
	EVERY_CALL_SAYS(-ENODEV);
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_TRUE(pfd.revents & POLLHUP);
	EXPECT_EQ(-ENODEV, stream_destroy(self->fd, self->s.id));
	/* Its memory is gone with it: there may be another device now where it was. */
	EXPECT_TRUE(SOON(self->mem[0] == 0));
	EXPECT_EQ(0, self->mem[MIB / 8 - 1]);
	self->mem[1] = 5;
	EXPECT_EQ(0, self->s.status->completed);
	/* The driver lets go of what is not there, and takes what comes back. */
	ASSERT_EQ(0, write_file(DRIVER "unbind", self->device));
	EXPECT_EQ(0, bind_again(self->device));
}

/* Found missing by a call, whoever comes first. */
TEST_F_TIMEOUT(wedge, a_call_finds_the_device_gone, 90)
{
	struct drm_anpu_clock_info clock;
	struct drm_anpu_dev_query query = { .type = DRM_ANPU_QUERY_CLOCK, .size = sizeof(clock),
		.pointer = (uintptr_t)&clock };

	ASSERT_EQ(0, set_parameter("watchdog_ms", "0"));
	ASSERT_EQ(0, inject(ANPU_INJECT_GONE, ANPU_INJECT(1, ANPU_INJECT_ANY, 15000)));
	/* All ones are no time. */
	EXPECT_EQ(-ENODEV, do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &query));
	EXPECT_EQ(0, vm_unmap(self->fd, VA(0), MIB));
	EXPECT_TRUE(told_wedged(self->uevents));
	EVERY_CALL_SAYS(-ENODEV);
}

/* Nobody has noticed before it is unbound. */
TEST_F_TIMEOUT(wedge, gone_until_it_is_unbound, 90)
{
	ASSERT_EQ(0, set_parameter("watchdog_ms", "0"));
	ASSERT_EQ(0, inject(ANPU_INJECT_GONE, ANPU_INJECT(1, ANPU_INJECT_ANY, 3000)));
	ASSERT_EQ(0, write_file(DRIVER "unbind", self->device));
}

/* A reset that fails while the device is away for a moment. */
TEST_F_TIMEOUT(wedge, a_reset_fails_after_suspend, 60)
{
	char path[300];

	find_file(DEVICE_FILES "pm_test", path, sizeof(path));
	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ANPU_INJECT(2, ANPU_INJECT_ANY, 0)));
	EXPECT_NE(0, write_file(path, "1"));
	EXPECT_TRUE(told_wedged(self->uevents));
	EVERY_CALL_SAYS(-EIO);
}

TEST_HARNESS_MAIN
