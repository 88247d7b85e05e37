// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A device that lies: what it has told in its memory (numbers in status pages, events, tables) is not what is so.
 * Root plays the device, by writing to BAR2; the kernel must let him (iomem=relaxed), and an IOMMU must be in the
 * way, as page tables are written to, too. See machines.
 */
#include "bar.h"
#include "census.h"
#include "faulty.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu/"

FIXTURE(hostile) {
	char device[64];
	int fd;
	int log;
	struct stream s;
	uint64_t *mem;
	char *bar;
	uint64_t bar_size;
};

FIXTURE_SETUP(hostile)
{
	char path[300], *name;

	find_file(DRIVER "0*", path, sizeof(path));
	name = strrchr(path, '/');
	ASSERT_NE(NULL, name);
	snprintf(self->device, sizeof(self->device), "%.60s", name + 1);
	map_bar(self->device, &self->bar, &self->bar_size);
	if (self->bar == MAP_FAILED)
		SKIP(return, "the kernel does not let root have the BAR: iomem=relaxed");
	if (access("/sys/class/iommu/dmar0", F_OK))
		SKIP(return, "needs an IOMMU: intel_iommu=on");
	self->log = klog_open();
	ASSERT_GE(self->log, 0);
	ASSERT_EQ(0, set_parameter("watchdog_ms", "400"));
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 64, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
}

/* Whatever it was told: bound anew, the driver works. In the parent: nobody has the old one open any more. */
FIXTURE_TEARDOWN_PARENT(hostile)
{
	if (!self->device[0])
		return;
	set_parameter("watchdog_ms", "10000");
	EXPECT_EQ(0, write_file(DRIVER "unbind", self->device));
	EXPECT_EQ(0, write_file(DRIVER "bind", self->device));
	EXPECT_EQ(0, try_anew());
	forget_dumps();
}

/* The status page of a stream that has been busy, as the device has it: by what is in it. Or NULL */
static volatile struct anpu_queue_status *as_the_device(const struct stream *s, char *bar, uint64_t size)
{
	volatile struct anpu_queue_status *found = NULL;

	for (uint64_t at = size - PAGE; at && !found; at -= PAGE) {
		if (!memcmp(bar + at, (const void *)s->status, PAGE))
			found = (void *)(bar + at);
	}
	return s->status->busy_ns ? found : NULL;
}

static bool queues_say(const char *line)
{
	char *text = read_text(DEVICE_FILES "queues");
	bool says = strstr(text, line);

	free(text);
	return says;
}

/* Where something of the driver is in HBM, by debugfs' file device. */
static long long device_address(const char *name)
{
	char *text = read_text(DEVICE_FILES "device"), line[40], *found;
	long long at = -1;

	snprintf(line, sizeof(line), "\n%s 0x", name);
	found = strstr(text, line);
	if (found)
		at = strtoll(found + strlen(line), NULL, 16);
	free(text);
	return at;
}

/* A ring that is full for ever, or never: a SUBMIT must not go round and round in the kernel. */
TEST_F_TIMEOUT(hostile, more_completed_than_submitted, 90)
{
	const uint64_t lies[] = { ~0ULL, 1000000, 65 };
	union anpu_packet nops[65], fill = pkt_fill(VA(0), 8, 7);
	volatile struct anpu_queue_status *status;
	struct stream other;
	char line[40];

	ASSERT_EQ(0, stream_create(self->fd, 0, 64, &other));
	for (int i = 0; i < 65; i++)
		nops[i] = pkt_nop();
	for (unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct stream s;

		ASSERT_EQ(0, stream_create(self->fd, 0, 64, &s));
		ASSERT_EQ(0, run(self->fd, s.id, nops, 64));
		status = as_the_device(&s, self->bar, self->bar_size);
		ASSERT_NE(NULL, status);
		ASSERT_EQ(64, status->completed);
		status->completed = lies[i];
		EXPECT_EQ(-EIO, submit(self->fd, s.id, nops, 65, NULL));
		/* It ends. */
		snprintf(line, sizeof(line), " stream %u dead\n", s.id);
		EXPECT_TRUE(SOON(queues_say(line)));
		EXPECT_EQ(0, stream_destroy(self->fd, s.id));
	}
	/* Others have not noticed. */
	EXPECT_EQ(0, run(self->fd, other.id, &fill, 1));
	EXPECT_EQ(0x0707070707070707ULL, self->mem[0]);
	EXPECT_EQ(0, klog_check_kernel(self->log));
}

/* All ones are what reads of a device return that is not there: by them nothing has completed. */
TEST_F_TIMEOUT(hostile, all_ones_have_completed_nothing, 90)
{
	const uint32_t modes[] = { 0, DRM_ANPU_STREAM_USER_QUEUE };
	union anpu_packet nop = pkt_nop(), block = pkt_wait(VA(0), ~0ULL);
	volatile struct anpu_queue_status *status;

	for (unsigned int i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct stream s;
		uint64_t seq;
		int ret;
		pid_t pid;

		ASSERT_EQ(0, stream_create(self->fd, modes[i], 64, &s));
		ASSERT_EQ(0, run(self->fd, s.id, &nop, 1));
		status = as_the_device(&s, self->bar, self->bar_size);
		ASSERT_NE(NULL, status);
		ASSERT_EQ(0, submit(self->fd, s.id, &block, 1, &seq));
		pid = fork();
		if (!pid)
			_exit(wait_seq_until(self->fd, s.id, seq, INT64_MAX) == -EIO ? 0 : 1);
		until_asleep(pid);
		status->completed = ~0ULL;
		ASSERT_EQ(0, reset_device(self->fd));
		ASSERT_EQ(pid, waitpid(pid, &ret, 0));
		EXPECT_EQ(0, ret);
		EXPECT_EQ(-EIO, wait_seq(self->fd, s.id, seq));
		EXPECT_EQ(0, stream_destroy(self->fd, s.id));
		munmap((void *)s.status, PAGE);
	}
	EXPECT_EQ(0, klog_check_kernel(self->log));
}

/* The coredump counts failures; what the device says is their number may be anything. */
TEST_F_TIMEOUT(hostile, any_number_of_failures, 90)
{
	const uint64_t lies[] = { ~0ULL, 1ULL << 63, 1, 2, 7, 8 };
	volatile struct anpu_queue_status *status;

	for (unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct drm_anpu_stream_get_state st;
		union anpu_packet nop = pkt_nop();
		struct anpu_fault fault;
		struct stream s;

		ASSERT_EQ(0, stream_create(self->fd, 0, 64, &s));
		ASSERT_EQ(0, run(self->fd, s.id, &nop, 1));
		status = as_the_device(&s, self->bar, self->bar_size);
		ASSERT_NE(NULL, status);
		status->errors = lies[i];
		EXPECT_EQ(-ENODATA, get_state(self->fd, s.id, &st, lies[i], &fault));
		for (int n = 0; n < ANPU_STATUS_FAULTS; n++) {
			memset((void *)&status->fault[n], 0xff, sizeof(fault));
			status->fault[n].ordinal = n ? lies[i] : 1;
		}
		ASSERT_EQ(0, reset_device(self->fd));
		EXPECT_TRUE(dump_says("asked to by a process", "fault 1 seq 18446744073709551615 "));
		EXPECT_EQ(0, stream_destroy(self->fd, s.id));
		munmap((void *)s.status, PAGE);
	}
	EXPECT_EQ(0, klog_check_kernel(self->log));
}

/* A promise to look at the shadow doorbells that nobody has made: as a doorbell that got lost. */
TEST_F_TIMEOUT(hostile, nobody_looks_at_the_shadow_doorbells, 90)
{
	long long at = device_value("shadow_polling") < 0 ? -1 : device_address("shadow_doorbells");
	union anpu_packet nop = pkt_nop();
	volatile struct anpu_shadow_doorbells *shadow;
	struct stream s;
	uint64_t seq;

	if (at < 0)
		SKIP(return, "the device has no shadow doorbells");
	shadow = (void *)(self->bar + at);
	ASSERT_EQ(0, stream_create(self->fd, 0, 64, &s));
	for (int i = 0; i < 5; i++) {
		/* A device that polls would find the packet without a doorbell. */
		ASSERT_TRUE(SOON(!shadow->polling && !s.status->polling));
		shadow->polling = 1;
		EXPECT_EQ(0, submit(self->fd, s.id, &nop, 1, &seq));
		EXPECT_EQ(0, wait_seq_until(self->fd, s.id, seq, INT64_MAX));
		shadow->polling = 0;
	}
	EXPECT_EQ(0, klog_check_kernel(self->log));
}

/* Does what programs do, as long as that works, and begins anew when it does not. */
static void program(uint64_t seed)
{
	union anpu_packet pkts[4] = { pkt_fill(VA(1), MIB, seed), pkt_nop(), pkt_notify(1, seed),
		pkt_signal(VA(1), seed, ANPU_SEM_IRQ) };

	for (;;) {
		struct drm_anpu_event_subscribe sub = { .mask = 7 };
		int fd = open(anpu_node(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
		char buf[4096];
		uint32_t bo;

		if (fd < 0) {
			usleep(1000);
			continue;
		}
		stream_mode = seed & 1 ? DRM_ANPU_STREAM_USER_QUEUE : 0;
		do_ioctl(fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub);
		bo_create(fd, seed & 2 ? DRM_ANPU_BO_HBM : DRM_ANPU_BO_SYSTEM, 4 * MIB, 0, 0, &bo);
		for (int i = 0; i < 20; i++) {
			struct stream s;
			uint64_t seq;

			vm_op(fd, DRM_ANPU_VM_REPLACE, VA(1), 3 * MIB - i * PAGE, bo, i * PAGE, RW);
			if (!stream_create(fd, 0, 16, &s)) {
				/* Bounded: what is waited for may never come. */
				for (int n = 0; n < 4 && !submit_flags(fd, s.id, pkts, 4,
								       DRM_ANPU_SUBMIT_NONBLOCK, &seq, NULL); n++)
					wait_seq_until(fd, s.id, seq, now_ns() + 20000000);
				stream_destroy(fd, s.id);
				munmap((void *)s.status, PAGE);
			}
			vm_unmap(fd, VA(1) + MIB + i * PAGE, MIB);
			while (read(fd, buf, sizeof(buf)) > 0)
				;
		}
		close(fd);
	}
}

static uint32_t rnd(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 33) % below;
}

/*
 * Noise in all that the driver keeps in HBM: rings, status pages, event queues, page tables. Results are not to be
 * expected, but that all of this ends.
 */
TEST_F_TIMEOUT(hostile, noise, 240)
{
	enum { PROGRAMS = 4 };
	const char *seconds = getenv("ANPU_HOSTILE_SECONDS"), *given = getenv("ANPU_HOSTILE_SEED");
	int64_t end = now_ns() + SECONDS(seconds ? atoi(seconds) : 8);
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)now_ns(), top = 4 * MIB;
	pid_t pids[PROGRAMS];
	int status;

	TH_LOG("seed %#llx", (unsigned long long)seed);
	for (int i = 0; i < PROGRAMS; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			program(i);
		}
	}
	while (now_ns() < end && !klog_check_kernel(self->log)) {
		for (int i = 0; i < 20; i++) {
			/* The driver's own memory is at the end of HBM. */
			volatile uint64_t *word = (void *)(self->bar + self->bar_size - top + rnd(&seed, top / 8) * 8ULL);

			*word = !rnd(&seed, 3) ? ~0ULL : !rnd(&seed, 2) ? *word ^ 1ULL << rnd(&seed, 64) :
				(uint64_t)rnd(&seed, ~0u) << 32 | rnd(&seed, ~0u);
		}
		usleep(500);
	}
	for (int i = 0; i < PROGRAMS; i++) {
		kill(pids[i], SIGKILL);
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_EQ(0, klog_check_kernel(self->log));
}

/* The entry of the page tables that maps an address, as the device reads it; 0: none */
static uint64_t entry_of(const char *bar, uint64_t top, uint64_t va)
{
	uint64_t entry = top | ANPU_PTE_VALID;

	for (int level = 0; level < ANPU_PT_LEVELS && entry & ANPU_PTE_VALID && !(entry & ANPU_PTE_LEAF); level++)
		entry = *(const volatile uint64_t *)(bar + (entry & ANPU_PTE_ADDR) +
						     8 * (va >> ANPU_PT_SHIFT(level) & (ANPU_PT_ENTRIES - 1)));
	return entry;
}

/* Of sixteen pages from an address on: how many are mapped, and how many of these are parts of one of 64 KiB */
static void count_entries(const char *bar, uint64_t top, uint64_t va, int *mapped, int *parts)
{
	*mapped = 0;
	*parts = 0;
	for (int i = 0; i < 16; i++) {
		uint64_t entry = entry_of(bar, top, va + i * PAGE);

		*mapped += (entry & ANPU_PTE_VALID) != 0;
		*parts += (entry & ANPU_PTE_CONT) != 0;
	}
}

/*
 * A page of 64 KiB that is cut, at its begin, amid and at its end, is sixteen small ones from then on: a device that took one entry
 * for all would go on using what was unmapped. The others stay as they were.
 */
TEST_F_TIMEOUT(hostile, a_page_that_is_cut_is_no_big_one, 60)
{
	static const struct { uint64_t at, size; } cuts[] = {
		{ 16 * PAGE, PAGE }, { 32 * PAGE + 5 * PAGE, PAGE }, { 48 * PAGE + 15 * PAGE, PAGE }, { 64 * PAGE + 12 * PAGE, 8 * PAGE },
	};
	static const int left[] = { 16, 15, 15, 15, 12, 12, 16 }, big[] = { 16, 0, 0, 0, 0, 0, 16 };
	char *text = read_text(DEVICE_FILES "address_spaces"), *found = NULL;
	int mapped, parts;
	uint64_t top;
	uint32_t bo;

	for (char *at = text; (at = strstr(at, "top at 0x")); at++)
		found = at;
	ASSERT_NE(NULL, found);
	top = strtoull(found + 7, NULL, 16);
	free(text);
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, MIB, 0, 0, &bo));
	ASSERT_EQ(0, vm_map(self->fd, VA(4), MIB, bo, RW));
	for (int i = 0; i < 16; i++) {
		count_entries(self->bar, top, VA(4) + i * 16 * PAGE, &mapped, &parts);
		EXPECT_EQ(16, mapped);
		EXPECT_EQ(16, parts);
	}
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, vm_unmap(self->fd, VA(4) + cuts[i].at, cuts[i].size));
	for (int i = 0; i < 7; i++) {
		count_entries(self->bar, top, VA(4) + i * 16 * PAGE, &mapped, &parts);
		EXPECT_EQ(left[i], mapped);
		EXPECT_EQ(big[i], parts);
	}
	/* A small page is put into one of them by REPLACE. */
	ASSERT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_REPLACE, VA(4) + 96 * PAGE + 3 * PAGE, PAGE, bo, 0, RW));
	count_entries(self->bar, top, VA(4) + 96 * PAGE, &mapped, &parts);
	EXPECT_EQ(16, mapped);
	EXPECT_EQ(0, parts);
}

TEST_HARNESS_MAIN
