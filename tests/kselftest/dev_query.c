// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* DEV_QUERY, and what DRM says about the driver. */
#include "anpu_test.h"
#include "fdinfo.h"

FIXTURE(query) {
	int fd;
};

FIXTURE_SETUP(query)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(query)
{
	close(self->fd);
}

static int query(int fd, uint32_t type, void *p, uint32_t *size)
{
	struct drm_anpu_dev_query args = { .type = type, .size = *size, .pointer = (uintptr_t)p };
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_DEV_QUERY, &args);

	*size = args.size;
	return ret;
}

TEST_F(query, driver_version)
{
	char name[16] = "", date[16] = "", desc[64] = "";
	struct drm_version v = {
		.name = name, .name_len = sizeof(name) - 1,
		.date = date, .date_len = sizeof(date) - 1,
		.desc = desc, .desc_len = sizeof(desc) - 1,
	};

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_VERSION, &v));
	EXPECT_STREQ(DRM_ANPU_DRIVER_NAME, name);
	EXPECT_EQ(DRM_ANPU_DRIVER_MAJOR, v.version_major);
	EXPECT_EQ(DRM_ANPU_DRIVER_MINOR, v.version_minor);
}

TEST_F(query, info)
{
	/* Every device of this version has these; the other bits depend on its properties. */
	const uint32_t all = DRM_ANPU_INFO_HBM_MMAP | DRM_ANPU_INFO_PRINT | DRM_ANPU_INFO_ABORT | DRM_ANPU_INFO_JUMP |
		DRM_ANPU_INFO_REDUCE | DRM_ANPU_INFO_MAX_CORES | DRM_ANPU_INFO_GROUP | DRM_ANPU_INFO_RANDOM |
		DRM_ANPU_INFO_END_TASK | DRM_ANPU_INFO_BUSY | DRM_ANPU_INFO_PRIORITY | DRM_ANPU_INFO_OVERFLOW |
		DRM_ANPU_INFO_LAUNCH | DRM_ANPU_INFO_TRACE;
	struct drm_anpu_info info;
	uint32_t size = sizeof(info);

	memset(&info, 0xff, sizeof(info));
	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_INFO, &info, &size));
	EXPECT_EQ(sizeof(info), size);
	EXPECT_EQ(0x11e9, info.device_id);
	EXPECT_EQ(1, info.hw_version >> 16);
	EXPECT_GT(info.cores, 0);
	EXPECT_GT(info.max_streams, 0);
	EXPECT_EQ(all, info.flags & all);
	EXPECT_EQ(ANPU_MAX_BLOCKS, info.max_blocks);
	EXPECT_EQ(4096, info.page_size);
	EXPECT_EQ(2 * MIB, info.huge_page_size);
	EXPECT_EQ(1ULL << 32, info.va_start);
	EXPECT_EQ(1ULL << 48, info.va_end);
	EXPECT_GE(info.hbm_size, 16 * MIB);
	EXPECT_EQ(2 * info.cores, info.vector_cores);
	EXPECT_GT(info.default_timeout_us, 0);
}

/* A number that the kernel shows of the device */
static uint64_t shown(const char *name)
{
	char path[100], text[64] = "";

	snprintf(path, sizeof(path), "/sys/class/accel/%s/device/%s", strrchr(anpu_node(), '/') + 1, name);
	read_some(path, text, sizeof(text));
	return strtoull(text, NULL, 0);
}

/* The same device as the kernel's: where it is on the bus, and what it has */
TEST_F(query, info_and_sysfs)
{
	unsigned int domain, bus, slot, function;
	uint32_t size = sizeof(struct drm_anpu_info);
	char path[100], target[200] = "";
	struct drm_anpu_info info;

	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_INFO, &info, &size));
	snprintf(path, sizeof(path), "/sys/class/accel/%s/device", strrchr(anpu_node(), '/') + 1);
	ASSERT_LT(0, readlink(path, target, sizeof(target) - 1));
	ASSERT_EQ(4, sscanf(strrchr(target, '/') + 1, "%x:%x:%x.%x", &domain, &bus, &slot, &function));
	EXPECT_EQ((uint64_t)domain << 32 | bus << 16 | slot << 8 | function, info.pci_address);
	EXPECT_EQ(shown("device"), info.device_id);
	EXPECT_EQ(shown("anpu/cores"), info.cores);
	EXPECT_EQ(shown("anpu/vector_cores"), info.vector_cores);
	EXPECT_EQ(shown("anpu/queues_total"), info.max_streams + 1);
	EXPECT_EQ(shown("anpu/hbm_total"), info.hbm_size);
	EXPECT_EQ(shown("anpu/hw_version"), info.hw_version >> 16);
	EXPECT_EQ(shown("anpu/isa_version"), info.isa_version >> 8);
}

/* As many bytes as there is room for; the texts end inside of their room */
TEST_F(query, names)
{
	struct drm_anpu_names all, part;
	uint32_t size = sizeof(all);

	memset(&all, 0xff, sizeof(all));
	memset(&part, 0xff, sizeof(part));
	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_NAMES, &all, &size));
	EXPECT_EQ(sizeof(all), size);
	EXPECT_TRUE(!all.soc[0] || !strncmp(all.soc, "Ascend", strlen("Ascend")));
	EXPECT_LT(strnlen(all.soc, sizeof(all.soc)), sizeof(all.soc));
	EXPECT_LT(strnlen(all.cann, sizeof(all.cann)), sizeof(all.cann));
	size = 64;
	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_NAMES, &part, &size));
	EXPECT_EQ(sizeof(all), size);
	EXPECT_EQ(0, memcmp(&all, &part, 64));
	EXPECT_EQ((char)0xff, part.cann[0]);
}

TEST_F(query, size_without_a_pointer)
{
	uint32_t size = 0;

	EXPECT_EQ(0, query(self->fd, DRM_ANPU_QUERY_CLOCK, NULL, &size));
	EXPECT_EQ(sizeof(struct drm_anpu_clock_info), size);
}

TEST_F(query, short_buffer_gets_the_beginning)
{
	struct drm_anpu_info all, part;
	uint32_t size = sizeof(all);

	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_INFO, &all, &size));
	memset(&part, 0xee, sizeof(part));
	size = 8;
	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_INFO, &part, &size));
	EXPECT_EQ(all.device_id, part.device_id);
	EXPECT_EQ(all.hw_version, part.hw_version);
	EXPECT_EQ(0xeeeeeeee, part.isa_version);
}

TEST_F(query, memory_follows_objects)
{
	struct drm_anpu_memory_info before, during, after;
	uint32_t hbm, sys;

	ASSERT_EQ(0, memory_info(self->fd, &before));
	EXPECT_LE(before.hbm_free, before.hbm_total);
	EXPECT_EQ(0, before.own_hbm);
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 8 * MIB, 0, 0, &hbm));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_SYSTEM, MIB, 0, 0, &sys));
	ASSERT_EQ(0, memory_info(self->fd, &during));
	EXPECT_EQ(before.hbm_free - 8 * MIB, during.hbm_free);
	EXPECT_EQ(8 * MIB, during.own_hbm);
	EXPECT_EQ(MIB, during.own_system);
	EXPECT_LE(during.hbm_largest, during.hbm_free);
	ASSERT_EQ(0, bo_close(self->fd, hbm));
	ASSERT_EQ(0, bo_close(self->fd, sys));
	ASSERT_EQ(0, memory_info(self->fd, &after));
	EXPECT_EQ(before.hbm_free, after.hbm_free);
	EXPECT_EQ(0, after.own_hbm);
	EXPECT_EQ(0, after.own_system);
}

/* The device's clock as a TIMESTAMP packet writes it, 0 if that cannot be done. */
static uint64_t timestamp(int fd, uint32_t stream, volatile uint64_t *at)
{
	union anpu_packet pkt = { .timestamp = { .hdr.opcode = ANPU_OP_TIMESTAMP, .addr = VA(0) } };

	return run(fd, stream, &pkt, 1) ? 0 : *at;
}

TEST_F(query, clock_agrees_with_monotonic)
{
	struct drm_anpu_clock_info one, two;
	uint32_t size = sizeof(one);
	uint64_t *stamp, before, after;
	struct stream s;
	int64_t drift, passed, begin;

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	stamp = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, stamp);
	before = timestamp(self->fd, s.id, stamp);
	ASSERT_NE(0, before);
	begin = now_ns();
	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_CLOCK, &one, &size));
	usleep(100000);
	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_CLOCK, &two, &size));
	/* They are the clocks that they are said to be, however long anybody had to wait between. */
	EXPECT_LE(begin, one.monotonic_ns);
	EXPECT_LE(one.monotonic_ns + 100000000, two.monotonic_ns);
	EXPECT_GE(now_ns(), two.monotonic_ns);
	after = timestamp(self->fd, s.id, stamp);
	EXPECT_LE(before, one.device_ns - one.error_ns);
	EXPECT_LT(one.device_ns, two.device_ns);
	EXPECT_GE(after, two.device_ns + two.error_ns);
	/*
	 * Both count nanoseconds: what they differ by is what they say they may, and that an
	 * emulated machine's second is not exactly its host's.
	 */
	passed = two.monotonic_ns - one.monotonic_ns;
	drift = (int64_t)(two.device_ns - one.device_ns) - passed;
	EXPECT_LE(llabs(drift), (int64_t)(one.error_ns + two.error_ns) + passed / 4);
}

TEST_F(query, unknown_type)
{
	uint32_t size = 64;
	char buf[64];

	EXPECT_EQ(-EINVAL, query(self->fd, 99, buf, &size));
}

TEST_F(query, bad_pointer)
{
	uint32_t size = sizeof(struct drm_anpu_info);

	EXPECT_EQ(-EFAULT, query(self->fd, DRM_ANPU_QUERY_INFO, (void *)8, &size));
}

TEST_F(query, unknown_ioctl)
{
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IO(DRM_COMMAND_BASE + 60), NULL));
}

/* The driver lets through those of DRM's own ioctls that make sense for an accelerator; some others would crash. */
TEST_F(query, ioctls_of_displays)
{
	static const unsigned int allowed[] = {
		DRM_IOCTL_VERSION, DRM_IOCTL_GET_CAP, DRM_IOCTL_GEM_CLOSE, DRM_IOCTL_PRIME_HANDLE_TO_FD,
		DRM_IOCTL_PRIME_FD_TO_HANDLE, DRM_IOCTL_SYNCOBJ_CREATE, DRM_IOCTL_SYNCOBJ_DESTROY,
		DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, DRM_IOCTL_SYNCOBJ_WAIT,
		DRM_IOCTL_SYNCOBJ_RESET, DRM_IOCTL_SYNCOBJ_SIGNAL, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
		DRM_IOCTL_SYNCOBJ_QUERY, DRM_IOCTL_SYNCOBJ_TRANSFER, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
		/* SYNCOBJ_EVENTFD, which an older libdrm does not name */
		_IOWR('d', 0xcf, uint64_t),
	};
	/* Kernels from 6.14 on have SET_CLIENT_NAME. */
	const unsigned int newer = 0xd1, first_syncobj = _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE);
	uint32_t size = sizeof(struct drm_anpu_info);
	struct drm_anpu_info info;
	uint64_t arg[32] = {};

	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_INFO, &info, &size));
	for (unsigned int nr = 0; nr < 256; nr++) {
		bool through = false;

		if ((nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END) || nr == newer)
			continue;
		/* A device in a process has no fences. */
		if (nr >= first_syncobj && !(info.flags & DRM_ANPU_INFO_FENCES))
			continue;
		for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
			through |= _IOC_NR(allowed[i]) == nr;
		memset(arg, 0, sizeof(arg));
		EXPECT_EQ(through, do_ioctl(self->fd, _IOWR('d', nr, arg), arg) != -EACCES) {
			TH_LOG("ioctl %#x", nr);
		}
	}
	EXPECT_EQ(-EACCES, do_ioctl(self->fd, DRM_IOCTL_GET_UNIQUE, arg));
	EXPECT_EQ(-EACCES, do_ioctl(self->fd, DRM_IOCTL_SET_MASTER, NULL));
}

/* A device without fences refuses each call that needs them. */
TEST_F(query, fences_or_none)
{
	struct drm_anpu_wait_item item = { .type = DRM_ANPU_WAIT_SYNCOBJ, .handle = 12345 };
	union anpu_packet nop = pkt_nop();
	struct drm_anpu_submit_job job = { .stream = 12345, .packets = ARRAY(&nop, 1) };
	uint32_t size = sizeof(struct drm_anpu_info);
	struct drm_anpu_info info;
	struct stream s;
	bool fences;

	ASSERT_EQ(0, query(self->fd, DRM_ANPU_QUERY_INFO, &info, &size));
	fences = info.flags & DRM_ANPU_INFO_FENCES;
	EXPECT_EQ(fences ? 0 : -EOPNOTSUPP, stream_create(self->fd, DRM_ANPU_STREAM_BOUNDED, 0, &s));
	EXPECT_EQ(fences ? -ENOENT : -EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &job));
	EXPECT_EQ(fences ? -ENOENT : -EOPNOTSUPP, wait_items(self->fd, &item, 1, 0, 0, NULL));
	item.type = DRM_ANPU_WAIT_SYNC_FILE;
	EXPECT_EQ(fences ? -EBADF : -EOPNOTSUPP, wait_items(self->fd, &item, 1, 0, 0, NULL));
}

static uint64_t busy_ns(int file)
{
	return fdinfo_number(file, "\ndrm-engine-npu:\t");
}

/* Busy time counts, whatever becomes of the stream. */
TEST_F(query, fdinfo_busy_time_only_grows)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM };
	union anpu_packet fill = pkt_fill(VA(0), MIB, 1);
	uint64_t before;
	struct stream s;

	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, run(self->fd, s.id, &fill, 1));
	before = busy_ns(self->fd);
	EXPECT_LT(0, before);
	reset.stream = s.id;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
	EXPECT_LE(before, busy_ns(self->fd));
	ASSERT_EQ(0, run(self->fd, s.id, &fill, 1));
	EXPECT_LT(before, busy_ns(self->fd));
	before = busy_ns(self->fd);
	ASSERT_EQ(0, stream_destroy(self->fd, s.id));
	EXPECT_LE(before, busy_ns(self->fd));
}

/* A reader of fdinfo sees busy time once, neither twice nor not at all, while a stream ends or is restarted. */
TEST_F_TIMEOUT(query, fdinfo_busy_time_never_goes_backwards, 60)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM };
	union anpu_packet fill = pkt_fill(VA(0), 4 * MIB, 1);
	volatile bool *done = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct stream s;
	int status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)done);
	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, 4 * MIB, VA(0), RW, NULL));
	pid = fork();
	if (!pid) {
		uint64_t seen = 0, now;

		while (!*done) {
			now = busy_ns(self->fd);
			if (now < seen)
				_exit(1);
			seen = now;
		}
		_exit(0);
	}
	for (int i = 0; i < 30; i++) {
		ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
		ASSERT_EQ(0, run(self->fd, s.id, &fill, 1));
		reset.stream = s.id;
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
		ASSERT_EQ(0, run(self->fd, s.id, &fill, 1));
		/* The time until it is stopped counts, too. */
		ASSERT_EQ(0, submit(self->fd, s.id, &fill, 1, NULL));
		ASSERT_EQ(0, stream_destroy(self->fd, s.id));
	}
	*done = true;
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

static uint64_t driver_kib(int file)
{
	return fdinfo_number(file, "\ndrm-total-hbm-driver:\t");
}

/* fdinfo counts rings, status pages and page tables as memory of the file. */
TEST_F(query, fdinfo_shows_rings_and_page_tables)
{
	uint64_t before = driver_kib(self->fd);
	struct stream s;
	uint32_t bo;

	EXPECT_EQ(4, before);
	ASSERT_EQ(0, stream_create(self->fd, 0, 65536, &s));
	EXPECT_LE(before + 4096 + 4, driver_kib(self->fd));
	ASSERT_EQ(0, stream_destroy(self->fd, s.id));
	EXPECT_EQ(before, driver_kib(self->fd));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo));
	ASSERT_EQ(0, vm_map(self->fd, VA(0), PAGE, bo, RW));
	EXPECT_EQ(before + 3 * 4, driver_kib(self->fd));
}

TEST_F(query, fdinfo)
{
	struct drm_prime_handle share = { .flags = DRM_CLOEXEC | DRM_RDWR };
	uint32_t system;
	int other = anpu_open();

	ASSERT_GE(other, 0);
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-driver:\tanpu\n"));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-engine-npu:\t"));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-total-hbm:\t0 KiB\n"));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 4 * MIB, 0, 0, &share.handle));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_SYSTEM, MIB, 0, 0, &system));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-total-hbm:\t4096 KiB\n"));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-resident-hbm:\t4096 KiB\n"));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-shared-hbm:\t0 KiB\n"));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-total-system:\t1024 KiB\n"));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-resident-system:\t1024 KiB\n"));
	/* Shared with another file: both say so, until one lets go. */
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &share));
	ASSERT_EQ(0, do_ioctl(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &share));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-shared-hbm:\t4096 KiB\n"));
	EXPECT_TRUE(fdinfo_has(other, "\ndrm-shared-hbm:\t4096 KiB\n"));
	EXPECT_TRUE(fdinfo_has(other, "\ndrm-total-hbm:\t4096 KiB\n"));
	close(share.fd);
	close(other);
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-shared-hbm:\t0 KiB\n"));
	ASSERT_EQ(0, bo_close(self->fd, system));
	EXPECT_TRUE(fdinfo_has(self->fd, "\ndrm-total-system:\t0 KiB\n"));
	/* The program's memory of two kinds, and the driver's for it */
	EXPECT_EQ(3, fdinfo_count(self->fd, "\ndrm-total-"));
	EXPECT_EQ(3, fdinfo_count(self->fd, "\ndrm-shared-"));
	EXPECT_EQ(3, fdinfo_count(self->fd, "\ndrm-resident-"));
	/* These mean something else, or nothing here. */
	EXPECT_FALSE(fdinfo_has(self->fd, "\ndrm-memory-"));
	EXPECT_FALSE(fdinfo_has(self->fd, "\ndrm-active-"));
	EXPECT_FALSE(fdinfo_has(self->fd, "\ndrm-purgeable-"));
}

/* The first and the last value that each parameter takes, and those beside them, which leave it as it was */
TEST(parameters_have_ends)
{
	const struct {
		const char *name, *before, *least, *most, *after;
	} parameters[] = {
		{ "stop_timeout_ms", "9", "10", "600000", "600001" },
		{ "reset_timeout_ms", "9", "10", "600000", "600001" },
		{ "fence_timeout_ms", "9", "10", "600000", "600001" },
		{ "watchdog_ms", "99", "100", "600000", "600001" },
		{ "watchdog_ms", "1", "0", "600000", "4294967296" },
		{ "unprivileged_priority", "-1", "0", "7", "8" },
	};
	char path[100], usual[20], text[20];

	if (geteuid())
		SKIP(return, "only root can set parameters");
	if (access("/sys/module/anpu/parameters", F_OK))
		SKIP(return, "the direct engine: there is no module");
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		snprintf(path, sizeof(path), "/sys/module/anpu/parameters/%s", parameters[i].name);
		read_some(path, usual, sizeof(usual));
		ASSERT_NE('\0', usual[0]);
		EXPECT_EQ(0, write_file(path, parameters[i].least));
		EXPECT_EQ(0, write_file(path, parameters[i].most));
		EXPECT_GT(0, write_file(path, parameters[i].before)) {
			TH_LOG("%s = %s", parameters[i].name, parameters[i].before);
		}
		EXPECT_GT(0, write_file(path, parameters[i].after)) {
			TH_LOG("%s = %s", parameters[i].name, parameters[i].after);
		}
		read_some(path, text, sizeof(text));
		EXPECT_EQ(atoi(parameters[i].most), atoi(text));
		EXPECT_EQ(0, write_file(path, usual));
	}
}

TEST_HARNESS_MAIN
