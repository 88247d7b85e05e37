// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Errors on the bus, as Advanced Error Reporting tells them. Needs a device behind a root port, and
 * somebody who has QEMU inject errors, see machines.
 */
#include <linux/pci_regs.h>

#include "bar.h"
#include "faulty.h"
#include "plug.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu/"

FIXTURE(aer) {
	char device[64];
	int fd;
	struct stream s;
	uint64_t *mem;
	uint64_t *sys;
};

/* The device that has the capability, of those that the driver has. */
static void find_device(char *name, size_t size)
{
	char path[300];

	find_file(DRIVER "0*/aer_dev_fatal", path, sizeof(path));
	if (!path[0])
		return;
	*strrchr(path, '/') = '\0';
	snprintf(name, size, "%s", strrchr(path, '/') + 1);
}

/*
 * QEMU 7.2 drops what a device without SERR reports (pcie_aer_msg_alldev()), although the bits in
 * Device Control are enough. The firmware sets it, but not of what is put in later.
 */
static int enable_serr(const char *device)
{
	char path[300];
	uint16_t cmd;
	int fd, ret;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = pread(fd, &cmd, sizeof(cmd), PCI_COMMAND) == sizeof(cmd) ? 0 : -EIO;
	cmd |= PCI_COMMAND_SERR;
	if (!ret && pwrite(fd, &cmd, sizeof(cmd), PCI_COMMAND) != sizeof(cmd))
		ret = -EIO;
	close(fd);
	return ret;
}

FIXTURE_SETUP(aer)
{
	char service[300];

	find_device(self->device, sizeof(self->device));
	if (!self->device[0])
		SKIP(return, "this device has no AER, see machines");
	find_file("/sys/bus/pci_express/drivers/aer/0*", service, sizeof(service));
	if (!service[0])
		SKIP(return, "the kernel has left errors on the bus to the firmware");
	ASSERT_EQ(0, enable_serr(self->device));
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	self->sys = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, MIB, VA(1), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
	ASSERT_NE(MAP_FAILED, self->sys);
}

FIXTURE_TEARDOWN(aer)
{
	close(self->fd);
}

/* How many errors the kernel has been told of: the last line's number */
static int errors(const char *device, const char *kind)
{
	char path[300], *text, *at;
	int n = -1;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/aer_dev_%s", device, kind);
	text = read_text(path);
	at = strstr(text, "TOTAL_ERR_");
	if (at && (at = strchr(at, ' ')))
		n = atoi(at);
	free(text);
	return n;
}

#define RECOVERS(error) do { \
	struct drm_anpu_event_subscribe sub_ = { .mask = DRM_ANPU_SUBSCRIBE_RESET }; \
	union anpu_packet nop_ = pkt_nop(), block_ = pkt_wait(VA(0) + 64, ~0ULL); \
	union anpu_packet copies_[2] = { pkt_copy(VA(0) + 8, VA(0), 8), \
		pkt_copy(VA(1) + 8, VA(1), 8) }; \
	int status_, ret_ = -EBUSY; \
	struct drm_anpu_event_reset ev_; \
	struct stream fresh_; \
	uint32_t bo_; \
	pid_t pid_; \
	self->mem[0] = 0x1111; \
	self->sys[0] = 0x2222; \
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub_)); \
	ASSERT_EQ(0, submit(self->fd, self->s.id, &block_, 1, NULL)); \
	pid_ = fork(); \
	if (!pid_) \
		_exit(wait_seq_until(self->fd, self->s.id, 1, INT64_MAX) == -EIO ? 0 : 1); \
	until_asleep(pid_); \
	ASSERT_EQ(0, ask_host("aer", error)); \
	ASSERT_EQ(pid_, waitpid(pid_, &status_, 0)); \
	EXPECT_EQ(0, status_); \
	/* Until the bus is back there may be none: -EBUSY, -EIO. */ \
	ASSERT_TRUE(SOON((ret_ = stream_create(self->fd, 0, 0, &fresh_)) == 0)); \
	ASSERT_EQ(sizeof(ev_), read(self->fd, &ev_, sizeof(ev_))); \
	EXPECT_EQ(DRM_ANPU_EVENT_RESET, ev_.base.type); \
	EXPECT_EQ(-EIO, submit(self->fd, self->s.id, &nop_, 1, NULL)); \
	EXPECT_EQ(0, run(self->fd, fresh_.id, copies_, 2)); \
	EXPECT_EQ(0, fresh_.status->errors); \
	EXPECT_EQ(0x1111, self->mem[1]); \
	EXPECT_EQ(0x2222, self->sys[1]); \
	/* Interrupts come, and memory is cleared by the device. */ \
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 16 * MIB, 0, 0, &bo_)); \
	ASSERT_EQ(0, bo_close(self->fd, bo_)); \
} while (0)

TEST_F_TIMEOUT(aer, non_fatal, 60)
{
	int before = errors(self->device, "nonfatal");

	RECOVERS("COMP_TIME");
	EXPECT_EQ(before + 1, errors(self->device, "nonfatal"));
}

TEST_F_TIMEOUT(aer, fatal, 60)
{
	RECOVERS("DLP");
}

/* The state of the configuration space is there for the second time as well. */
TEST_F_TIMEOUT(aer, fatal_again, 60)
{
	RECOVERS("MALF_TLP");
}

/* A device whose bus is down acknowledges nothing, and nobody waits for it to stop a queue. */
TEST_F_TIMEOUT(aer, closed_while_the_bus_is_down, 60)
{
	union anpu_packet block = pkt_wait(VA(0), ~0ULL), nop = pkt_nop();
	struct stream s;
	int status, fd;
	pid_t pid;

	if (!can_inject())
		SKIP(return, "this device does not fail on request, see machines");
	pid = fork();
	if (!pid) {
		fd = anpu_open();
		if (stream_create(fd, 0, 0, &s) ||
		    make_buffer(fd, DRM_ANPU_BO_HBM, 4096, VA(0), RW, NULL) == MAP_FAILED ||
		    submit(fd, s.id, &block, 1, NULL))
			_exit(1);
		_exit(wait_seq_until(fd, s.id, 1, INT64_MAX) == -EIO ? 0 : 2);
	}
	until_asleep(pid);
	ASSERT_EQ(0, set_parameter("stop_timeout_ms", "600000"));
	ASSERT_EQ(0, inject(ANPU_INJECT_STOP, ANPU_INJECT(ANPU_INJECT_ALWAYS, ANPU_INJECT_ANY, 0)));
	ASSERT_EQ(0, ask_host("aer", "DLP"));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, set_parameter("stop_timeout_ms", "1000"));
	ASSERT_TRUE(SOON(stream_create(self->fd, 0, 0, &s) == 0));
	inject_nothing();
	EXPECT_EQ(0, run(self->fd, s.id, &nop, 1));
}

/* The table of the last level for an address of the only address space that there is. NULL: none */
static uint64_t *last_table(char *bar, uint64_t va)
{
	char path[300], *text, *top;
	uint64_t at;

	/* Of two devices this is the one that fails on request. */
	find_file(DEVICE_FILES "inject", path, sizeof(path) - sizeof("address_spaces"));
	if (!path[0])
		return NULL;
	strcpy(strrchr(path, '/') + 1, "address_spaces");
	text = read_text(path);
	top = strstr(text, "top at 0x");
	at = top ? strtoull(top + strlen("top at "), NULL, 16) : 0;
	free(text);
	for (int level = 0; at && level < ANPU_PT_LEVELS - 1; level++) {
		uint64_t index = va >> ANPU_PT_SHIFT(level) & (ANPU_PT_ENTRIES - 1);
		uint64_t pte = ((uint64_t *)(bar + at))[index];

		at = pte & ANPU_PTE_VALID && !(pte & ANPU_PTE_LEAF) ? pte & ANPU_PTE_ADDR : 0;
	}
	return at ? (uint64_t *)(bar + at) : NULL;
}

/* Writes to HBM may get lost while the bus is down, also those to page tables. */
TEST_F_TIMEOUT(aer, page_tables_are_what_they_were, 60)
{
	union anpu_packet stale = pkt_copy(VA(0), VA(0) + MIB, 8);
	union anpu_packet lost = pkt_copy(VA(0) + 8, VA(0) + 4096, 8);
	union anpu_packet block = pkt_wait(VA(0) + 64, ~0ULL);
	const char *errors[] = { "DLP", "COMP_TIME" };
	struct stream s = self->s;
	uint64_t *table, size;
	char *bar;

	map_bar(self->device, &bar, &size);
	if (bar == MAP_FAILED)
		SKIP(return, "the kernel does not let root have the BAR: iomem=relaxed");
	table = last_table(bar, VA(0));
	ASSERT_NE(NULL, table);
	for (int i = 0; i < 2; i++) {
		struct anpu_fault fault;
		uint64_t seq;

		/* The recovery brings back what was there when the driver came. */
		ASSERT_EQ(0, enable_serr(self->device));
		/* Behind the object is what was mapped there before: it was not cleared. */
		ASSERT_EQ(0, table[MIB / 4096]);
		table[MIB / 4096] = table[0] & ~ANPU_PTE_CONT;
		ASSERT_EQ(0, run(self->fd, s.id, &stale, 1));
		ASSERT_EQ(i, s.status->errors);
		/* And a page of it is missing. */
		ASSERT_NE(0, table[1]);
		table[1] = 0;
		self->mem[512] = 0x3333 + i;
		ASSERT_EQ(0, submit(self->fd, s.id, &block, 1, &seq));
		ASSERT_EQ(0, ask_host("aer", errors[i]));
		ASSERT_EQ(-EIO, wait_seq_until(self->fd, s.id, seq, INT64_MAX));
		ASSERT_TRUE(SOON(stream_create(self->fd, 0, 0, &s) == 0));
		EXPECT_EQ(0, run(self->fd, s.id, &lost, 1));
		EXPECT_EQ(0, s.status->errors);
		EXPECT_EQ(0x3333 + i, self->mem[1]);
		EXPECT_EQ(0, run(self->fd, s.id, &stale, 1));
		EXPECT_EQ(1, s.status->errors);
		EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->fd, s.id, &fault));
	}
	munmap(bar, size);
}

/* The record that is written to /dev/aer_inject. */
struct aer_report {
	uint8_t bus;
	uint8_t dev;
	uint8_t fn;
	uint32_t uncorrectable;
	uint32_t correctable;
	uint32_t header_log[4];
	uint32_t domain;
};

_Static_assert(sizeof(struct aer_report) == 32, "as the kernel's module has it");

/* The kernel pretends that the device has reported it. */
static int report(const char *device, uint32_t correctable)
{
	struct aer_report error = { .correctable = correctable };
	unsigned int domain, bus, dev, fn;
	int file, ret;

	if (sscanf(device, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) != 4)
		return -EINVAL;
	error.domain = domain;
	error.bus = bus;
	error.dev = dev;
	error.fn = fn;
	file = open("/dev/aer_inject", O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	ret = write(file, &error, sizeof(error)) == sizeof(error) ? 0 : -errno;
	close(file);
	return ret;
}

/*
 * By the kernel: QEMU's pcie_aer_msg_alldev() passes on uncorrectable errors alone, as of 7.2. The last
 * one: from then on the module shows made-up registers in place of the device's.
 */
TEST_F_TIMEOUT(aer, correctable, 60)
{
	int before = errors(self->device, "correctable");
	union anpu_packet nop = pkt_nop();

	load_module("aer_inject");
	if (access("/dev/aer_inject", F_OK))
		SKIP(return, "this kernel injects no errors: there is no module aer_inject");
	ASSERT_GE(before, 0);
	ASSERT_EQ(0, report(self->device, PCI_ERR_COR_RCVR));
	EXPECT_TRUE(SOON(errors(self->device, "correctable") == before + 1));
	/* That is all: streams go on. */
	EXPECT_EQ(0, run(self->fd, self->s.id, &nop, 1));
	EXPECT_EQ(0, self->s.status->errors);
}

TEST_HARNESS_MAIN
