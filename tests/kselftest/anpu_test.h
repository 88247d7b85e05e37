/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Shared by the suites: short forms of the ioctls that return 0 or -errno, packets, a few RV64
 * instructions.
 */
#ifndef ANPU_TEST_H
#define ANPU_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <anpu/anpu_accel_check.h>
#include <anpu/anpu_packet.h>
#include <drm/anpu_accel.h>

/* Limits are for a kernel of usual speed: ANPU_SLOW says how much slower this one is. */
static inline unsigned int anpu_slow(void)
{
	const char *slow = getenv("ANPU_SLOW");

	return slow && atoi(slow) > 1 ? atoi(slow) : 1;
}

/* Parts of a program of several files have no tests of their own. */
#ifndef ANPU_TEST_PART
static inline unsigned int anpu_test_alarm(unsigned int seconds)
{
	return (alarm)(seconds * anpu_slow());
}

#define alarm(seconds) anpu_test_alarm(seconds)
#include "kselftest_harness.h"
#undef alarm
#endif
#include "userq.h"

#define PAGE		4096ULL
#define MIB		(1ULL << 20)
/* Where address spaces begin and end */
#define VA_START	(1ULL << 32)
#define VA_END		(1ULL << 48)
/* A place in every address space of the tests, above the cores' local windows. */
#define VA(n)		(0x200000000ULL + (uint64_t)(n) * 64 * MIB)
#define RW		(DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE)
#define RX		(DRM_ANPU_VM_READ | DRM_ANPU_VM_EXEC)
#define ARRAY(p, n)	{ .stride = sizeof(*(p)), .count = (n), .array = (uintptr_t)(p) }
#define SECONDS(n)	((n) * 1000000000LL)

struct stream {
	uint32_t id;
	uint32_t queue;
	uint64_t offset;
	const volatile struct anpu_queue_status *status;
};

static inline const char *anpu_node(void)
{
	const char *node = getenv("ANPU_NODE");

	return node ? node : "/dev/accel/accel0";
}

static inline int anpu_open(void)
{
	int fd = open(anpu_node(), O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static inline int do_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

static inline int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* When what comes sooner or later must have come: a limit against hanging, not a promise of speed. */
static inline int64_t late(void)
{
	return now_ns() + SECONDS(30) * anpu_slow();
}

/* Waits until something holds; it may take as long as the watchdog does. Returns whether it does. */
#define SOON(expr) ({ \
	int64_t end_ = late(); \
	bool there_; \
	while (!(there_ = (expr)) && now_ns() < end_) \
		usleep(2000); \
	there_; \
})

/* Buffer objects ------------------------------------------------------------------------------- */

static inline int bo_create(int fd, uint32_t type, uint64_t size, uint32_t flags, uint64_t ptr,
			    uint32_t *handle)
{
	struct drm_anpu_bo_create args = {
		.size = size, .type = type, .flags = flags, .user_ptr = ptr,
	};
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static inline int bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return do_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

static inline void *bo_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_anpu_bo_mmap_offset args = { .handle = handle };

	if (do_ioctl(fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &args))
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args.offset);
}

static inline int memory_info(int fd, struct drm_anpu_memory_info *info)
{
	struct drm_anpu_dev_query args = {
		.type = DRM_ANPU_QUERY_MEMORY, .size = sizeof(*info), .pointer = (uintptr_t)info,
	};

	return do_ioctl(fd, DRM_IOCTL_ANPU_DEV_QUERY, &args);
}

/* The driver may hold what a process had for a moment longer, to tell of its faults or to look after it: SOON(). */
static inline uint64_t hbm_free(int fd)
{
	struct drm_anpu_memory_info info = {};

	memory_info(fd, &info);
	return info.hbm_free;
}

/* Address space -------------------------------------------------------------------------------- */

static inline int vm_bind(int fd, struct drm_anpu_vm_bind_op *ops, uint32_t count, uint32_t *failed)
{
	struct drm_anpu_vm_bind args = { .ops = ARRAY(ops, count) };
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_VM_BIND, &args);

	if (failed)
		*failed = args.failed;
	return ret;
}

static inline int vm_op(int fd, uint32_t op, uint64_t va, uint64_t size, uint32_t handle,
			uint64_t offset, uint32_t flags)
{
	struct drm_anpu_vm_bind_op one = {
		.op = op, .flags = flags, .va = va, .size = size, .handle = handle,
		.offset = offset,
	};

	return vm_bind(fd, &one, 1, NULL);
}

static inline int vm_map(int fd, uint64_t va, uint64_t size, uint32_t handle, uint32_t flags)
{
	return vm_op(fd, DRM_ANPU_VM_MAP, va, size, handle, 0, flags);
}

static inline int vm_unmap(int fd, uint64_t va, uint64_t size)
{
	return vm_op(fd, DRM_ANPU_VM_UNMAP, va, size, 0, 0, 0);
}

/* An object of HBM or system memory, mapped for the device at va and for the CPU. */
static inline void *make_buffer(int fd, uint32_t type, uint64_t size, uint64_t va, uint32_t flags,
				uint32_t *handle)
{
	uint32_t mine;

	if (!handle)
		handle = &mine;
	if (bo_create(fd, type, size, 0, 0, handle) || vm_map(fd, va, size, *handle, flags))
		return MAP_FAILED;
	return bo_map(fd, *handle, size);
}

/* Streams -------------------------------------------------------------------------------------- */

/* Added to the flags of all streams: a fixture that runs both ways sets it from its variant. */
static uint32_t stream_mode;

#define BOTH_WAYS(fixture) \
	FIXTURE_VARIANT(fixture) { \
		uint32_t mode; \
	}; \
	FIXTURE_VARIANT_ADD(fixture, ioctl) { .mode = 0 }; \
	FIXTURE_VARIANT_ADD(fixture, user_queue) { .mode = DRM_ANPU_STREAM_USER_QUEUE }

static inline int stream_create_group(int fd, uint32_t flags, uint32_t entries, uint32_t group,
				      struct stream *stream)
{
	struct drm_anpu_stream_create args = {
		.flags = flags | stream_mode, .priority = 4, .ring_entries = entries, .group = group,
	};
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args);
	void *status;

	memset(stream, 0, sizeof(*stream));
	if (ret)
		return ret;
	stream->id = args.stream;
	stream->queue = args.queue;
	stream->offset = args.status_offset;
	status = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, args.status_offset);
	if (status == MAP_FAILED)
		return -errno;
	stream->status = status;
	if (args.flags & DRM_ANPU_STREAM_USER_QUEUE)
		return user_queue_map(fd, &args, status);
	user_queue_forget(fd, args.stream);
	return 0;
}

static inline int stream_create(int fd, uint32_t flags, uint32_t entries, struct stream *stream)
{
	return stream_create_group(fd, flags, entries, 0, stream);
}

static inline int stream_destroy(int fd, uint32_t id)
{
	struct drm_anpu_stream_destroy args = { .stream = id };

	user_queue_forget(fd, id);
	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_DESTROY, &args);
}

static inline int submit_flags(int fd, uint32_t stream, const union anpu_packet *pkts,
			       uint32_t count, uint32_t flags, uint64_t *seq, uint32_t *submitted)
{
	struct drm_anpu_submit args = {
		.stream = stream, .flags = flags, .packets = ARRAY(pkts, count),
	};
	struct user_queue *queue = user_queue_find(fd, stream);
	int ret;

	if (queue)
		return user_queue_submit(queue, pkts, count, flags & DRM_ANPU_SUBMIT_NONBLOCK, seq,
					 submitted);
	ret = do_ioctl(fd, DRM_IOCTL_ANPU_SUBMIT, &args);
	if (seq)
		*seq = args.seq;
	if (submitted)
		*submitted = args.submitted;
	return ret;
}

static inline int submit(int fd, uint32_t stream, const union anpu_packet *pkts, uint32_t count,
			 uint64_t *seq)
{
	return submit_flags(fd, stream, pkts, count, 0, seq, NULL);
}

static inline int wait_items(int fd, struct drm_anpu_wait_item *items, uint32_t count,
			     uint32_t flags, int64_t timeout, uint32_t *signaled)
{
	struct drm_anpu_wait args = {
		.flags = flags, .timeout_ns = timeout, .items = ARRAY(items, count),
	};
	int ret = do_ioctl(fd, DRM_IOCTL_ANPU_WAIT, &args);

	if (signaled)
		*signaled = args.signaled;
	return ret;
}

static inline int wait_seq_until(int fd, uint32_t stream, uint64_t seq, int64_t timeout)
{
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_SEQ, .stream = stream, .value = seq,
	};

	return wait_items(fd, &item, 1, 0, timeout, NULL);
}

static inline int wait_seq(int fd, uint32_t stream, uint64_t seq)
{
	return wait_seq_until(fd, stream, seq, late());
}

/* Submits and waits: 0, or the first error. */
static inline int run(int fd, uint32_t stream, const union anpu_packet *pkts, uint32_t count)
{
	uint64_t seq;
	int ret = submit(fd, stream, pkts, count, &seq);

	return ret ? ret : wait_seq(fd, stream, seq);
}

static inline int get_state(int fd, uint32_t stream, struct drm_anpu_stream_get_state *state,
			    uint64_t ordinal, struct anpu_fault *fault)
{
	memset(state, 0, sizeof(*state));
	state->stream = stream;
	state->fault_ordinal = ordinal;
	state->fault = (uintptr_t)fault;
	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_GET_STATE, state);
}

/* The cause of the stream's newest failure, ANPU_FAULT_NONE if there is none. */
static inline uint32_t last_fault(int fd, uint32_t stream, struct anpu_fault *fault)
{
	struct drm_anpu_stream_get_state state;

	memset(fault, 0, sizeof(*fault));
	if (get_state(fd, stream, &state, 0, NULL) || !state.errors)
		return ANPU_FAULT_NONE;
	if (get_state(fd, stream, &state, state.errors, fault))
		return ~0u;
	return fault->cause;
}

/* Packets -------------------------------------------------------------------------------------- */

static inline union anpu_packet pkt_nop(void)
{
	return (union anpu_packet){ .hdr.opcode = ANPU_OP_NOP };
}

static inline union anpu_packet pkt_copy(uint64_t dst, uint64_t src, uint64_t size)
{
	return (union anpu_packet){
		.copy = { .hdr.opcode = ANPU_OP_COPY, .src = src, .dst = dst, .size = size },
	};
}

static inline union anpu_packet pkt_fill(uint64_t dst, uint64_t size, uint8_t value)
{
	return (union anpu_packet){
		.fill = { .hdr.opcode = ANPU_OP_FILL, .dst = dst, .size = size, .pattern = value,
			  .pattern_size = 1 },
	};
}

static inline union anpu_packet pkt_signal(uint64_t addr, uint64_t value, uint16_t flags)
{
	return (union anpu_packet){
		.sem_signal = { .hdr = { .opcode = ANPU_OP_SEM_SIGNAL, .flags = flags },
				.addr = addr, .value = value, .op = ANPU_SEM_SET, .width = 8 },
	};
}

static inline union anpu_packet pkt_wait_us(uint64_t addr, uint64_t value, uint64_t timeout_us)
{
	return (union anpu_packet){
		.sem_wait = { .hdr.opcode = ANPU_OP_SEM_WAIT, .addr = addr, .value = value,
			      .mask = ~0ULL, .timeout_us = timeout_us, .cond = ANPU_SEM_GE,
			      .width = 8 },
	};
}

static inline union anpu_packet pkt_wait(uint64_t addr, uint64_t value)
{
	return pkt_wait_us(addr, value, ANPU_TIMEOUT_NEVER);
}

static inline union anpu_packet pkt_notify(uint64_t cookie, uint64_t value)
{
	return (union anpu_packet){
		.notify = { .hdr.opcode = ANPU_OP_NOTIFY, .cookie = cookie, .value = value },
	};
}

static inline union anpu_packet pkt_kernel(uint64_t entry, uint64_t args, uint32_t args_size,
					   uint64_t timeout_us)
{
	return (union anpu_packet){
		.kernel = { .hdr.opcode = ANPU_OP_KERNEL, .entry = entry, .args = args,
			    .args_size = args_size, .grid_x = 1, .grid_y = 1, .grid_z = 1,
			    .timeout_us = timeout_us },
	};
}

/* RV64 ----------------------------------------------------------------------------------------- */

enum { R_ZERO = 0, R_RA = 1, R_A0 = 10, R_A1 = 11, R_A2 = 12 };

#define RV_I(op, f3, rd, rs1, imm) \
	((uint32_t)((imm) & 0xfff) << 20 | (rs1) << 15 | (f3) << 12 | (rd) << 7 | (op))
#define RV_LI(rd, imm)		RV_I(0x13, 0, rd, R_ZERO, imm)
#define RV_ADDI(rd, rs, imm)	RV_I(0x13, 0, rd, rs, imm)
#define RV_LD(rd, imm, rs)	RV_I(0x03, 3, rd, rs, imm)
#define RV_SD(rs2, imm, rs1) \
	((uint32_t)(((imm) >> 5) & 0x7f) << 25 | (rs2) << 20 | (rs1) << 15 | 3 << 12 | \
	 ((imm) & 0x1f) << 7 | 0x23)
/* bnez to an even distance from -64 to -2 */
#define RV_BNEZ_BACK(rs, by) \
	(0x80000000u | 0x3fu << 25 | (rs) << 15 | 1 << 12 | ((by) & 0x1e) << 7 | 1 << 7 | 0x63)
#define RV_RET			0x00008067u
#define RV_LOOP			0x0000006fu
#define RV_ILLEGAL		0x00000000u
#define RV_EBREAK		0x00100073u

/* Replaces what is in a file of sysfs or debugfs: 0 or -errno */
static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* A reset by the bus of a device of that name there. */
static inline int reset_by_bus(const char *device)
{
	char path[300];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", device);
	return write_file(path, "1");
}

/* Reads a file, as far as it fits: an empty text if it cannot be read. */
static inline void read_some(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* How often a process has gone to sleep, -1 if it is gone */
static inline long sleeps(pid_t pid)
{
	char path[64], text[4096], *at;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	read_some(path, text, sizeof(text));
	at = strstr(text, "\nvoluntary_ctxt_switches:");
	return at ? atol(strchr(at, ':') + 1) : -1;
}

/* Loads a module of the VM's kernel; whether it is there, its device file shows. */
static inline void load_module(const char *name)
{
	char *argv[] = { "modprobe", "-q", (char *)name, NULL };
	pid_t pid;

	if (!posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ))
		waitpid(pid, NULL, 0);
}

/*
 * Does that process sleep in the driver? An ioctl of another process than the last one on the same
 * file sleeps before that: DRM notes the process and waits for RCU.
 */
static inline bool asleep(pid_t pid)
{
	char path[64], call[64], stack[4096], *at;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	read_some(path, stack, sizeof(stack));
	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	read_some(path, call, sizeof(call));
	/* The number of the call; of a process that is not asleep it is a word. */
	if (strtol(call, NULL, 10) != SYS_ioctl)
		return false;
	for (at = stack; (at = strstr(at, "anpu_")); at++) {
		if (strncmp(at, "anpu_ioctl", strlen("anpu_ioctl")))
			return true;
	}
	return false;
}

/* Comes back when that process sleeps in the driver; after 30 s all the same, and what follows shows it. */
static inline void until_asleep(pid_t pid)
{
	for (int i = 0; i < 30000 && !asleep(pid); i++)
		usleep(1000);
}

/* Coredumps that there are go. That happens in the background; while a device's link is there, no other is made. */
static inline void forget_dumps(void)
{
	glob_t found;

	if (!glob("/sys/class/devcoredump/devcd*/data", 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			write_file(found.gl_pathv[i], "1");
		globfree(&found);
	}
	for (int i = 0; i < 10000; i++) {
		if (glob("/sys/bus/pci/drivers/anpu/0*/devcoredump", 0, NULL, &found))
			return;
		globfree(&found);
		usleep(1000);
	}
}

#endif /* ANPU_TEST_H */
