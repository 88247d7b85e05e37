// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Objects of the process's own memory. */
#include "tracing.h"

FIXTURE(userptr) {
	int fd;
	char *mem;
};

#define SIZE	(4 * MIB)

FIXTURE_SETUP(userptr)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	self->mem = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->mem);
}

FIXTURE_TEARDOWN(userptr)
{
	close(self->fd);
}

static int create(int fd, void *p, uint64_t size, uint32_t flags, uint32_t *handle)
{
	return bo_create(fd, DRM_ANPU_BO_USERPTR, size, flags, (uintptr_t)p, handle);
}

TEST_F(userptr, bad_arguments)
{
	uint32_t h;

	EXPECT_EQ(-EINVAL, create(self->fd, self->mem + 1, PAGE, 0, &h));
	EXPECT_EQ(-EINVAL, create(self->fd, self->mem, PAGE + 1, 0, &h));
	EXPECT_EQ(-EINVAL, create(self->fd, NULL, PAGE, 0, &h));
	EXPECT_EQ(-EINVAL, create(self->fd, (void *)-PAGE, PAGE, 0, &h));
	EXPECT_EQ(-EINVAL, create(self->fd, self->mem, PAGE, DRM_ANPU_BO_CONTIGUOUS, &h));
	EXPECT_EQ(-EFAULT, create(self->fd, (void *)(1ULL << 56), PAGE, 0, &h));
}

TEST_F(userptr, not_mapped)
{
	uint32_t h;

	ASSERT_EQ(0, munmap(self->mem + PAGE, PAGE));
	EXPECT_EQ(-EFAULT, create(self->fd, self->mem, 4 * PAGE, 0, &h));
	EXPECT_EQ(0, create(self->fd, self->mem + 2 * PAGE, 4 * PAGE, 0, &h));
}

TEST_F(userptr, not_writable)
{
	uint32_t h;

	ASSERT_EQ(0, mprotect(self->mem, SIZE, PROT_READ));
	EXPECT_EQ(-EFAULT, create(self->fd, self->mem, SIZE, 0, &h));
	EXPECT_EQ(0, create(self->fd, self->mem, SIZE, DRM_ANPU_BO_READONLY, &h));
	EXPECT_EQ(-EACCES, vm_map(self->fd, VA(0), SIZE, h, RW));
	EXPECT_EQ(-EACCES, vm_op(self->fd, DRM_ANPU_VM_REPLACE, VA(0), SIZE, h, 0, RW));
	EXPECT_EQ(0, vm_map(self->fd, VA(0), SIZE, h, DRM_ANPU_VM_READ));
	EXPECT_EQ(-EACCES, vm_op(self->fd, DRM_ANPU_VM_REPLACE, VA(0), SIZE, h, 0, RW));
	EXPECT_EQ(0, vm_op(self->fd, DRM_ANPU_VM_REPLACE, VA(0), SIZE, h, 0, DRM_ANPU_VM_READ));
}

TEST_F(userptr, device_reads_and_writes_it)
{
	uint64_t va = (uintptr_t)self->mem;
	union anpu_packet pkts[2] = {
		pkt_copy(va + MIB, va, MIB), pkt_fill(va + 2 * MIB, MIB, 0x5a),
	};
	struct stream s;
	uint32_t h;

	for (uint64_t i = 0; i < MIB; i++)
		self->mem[i] = i * 7;
	ASSERT_EQ(0, create(self->fd, self->mem, SIZE, 0, &h));
	/* At the address where the process has it. */
	ASSERT_EQ(0, vm_map(self->fd, va, SIZE, h, RW));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, run(self->fd, s.id, pkts, 2));
	EXPECT_EQ(0, s.status->errors);
	EXPECT_EQ(0, memcmp(self->mem, self->mem + MIB, MIB));
	EXPECT_EQ(0x5a, self->mem[2 * MIB]);
	EXPECT_EQ(0x5a, self->mem[3 * MIB - 1]);
	EXPECT_EQ(0, self->mem[3 * MIB]);
}

/* On a debug kernel the DMA API complains if the driver means to own the pages' cache lines twice. */
TEST_F(userptr, registered_twice)
{
	union anpu_packet pkts[2] = { pkt_fill(VA(0), SIZE, 1), pkt_fill(VA(1), MIB, 2) };
	struct stream s;
	uint32_t h[2];

	ASSERT_EQ(0, create(self->fd, self->mem, SIZE, 0, &h[0]));
	ASSERT_EQ(0, create(self->fd, self->mem, MIB, 0, &h[1]));
	ASSERT_EQ(0, vm_map(self->fd, VA(0), SIZE, h[0], RW));
	ASSERT_EQ(0, vm_map(self->fd, VA(1), MIB, h[1], RW));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, run(self->fd, s.id, pkts, 2));
	EXPECT_EQ(0, s.status->errors);
	EXPECT_EQ(2, self->mem[0]);
	EXPECT_EQ(2, self->mem[MIB - 1]);
	EXPECT_EQ(1, self->mem[MIB]);
	/* The one that goes leaves the other's pages. */
	ASSERT_EQ(0, vm_unmap(self->fd, VA(0), SIZE));
	ASSERT_EQ(0, bo_close(self->fd, h[0]));
	pkts[1] = pkt_fill(VA(1), MIB, 3);
	ASSERT_EQ(0, run(self->fd, s.id, &pkts[1], 1));
	EXPECT_EQ(3, self->mem[MIB - 1]);
}

TEST_F(userptr, pages_stay_when_unmapped)
{
	uint64_t va = (uintptr_t)self->mem;
	union anpu_packet pkt = pkt_copy(VA(1), va, PAGE);
	struct stream s;
	char *copy;
	uint32_t h;

	memset(self->mem, 0x3c, SIZE);
	ASSERT_EQ(0, create(self->fd, self->mem, SIZE, 0, &h));
	ASSERT_EQ(0, vm_map(self->fd, va, SIZE, h, RW));
	ASSERT_EQ(0, munmap(self->mem, SIZE));
	copy = make_buffer(self->fd, DRM_ANPU_BO_SYSTEM, PAGE, VA(1), RW, NULL);
	ASSERT_NE(MAP_FAILED, copy);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, run(self->fd, s.id, &pkt, 1));
	EXPECT_EQ(0, s.status->errors);
	EXPECT_EQ(0x3c, copy[0]);
}

TEST_F(userptr, memlock_limit)
{
	struct rlimit limit = { .rlim_cur = 64 * PAGE, .rlim_max = 64 * PAGE };
	uint32_t h;

	/* Root is above the limit: be somebody else. */
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, create(self->fd, self->mem, SIZE, 0, &h));
	ASSERT_EQ(0, bo_close(self->fd, h));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_EQ(-ENOMEM, create(self->fd, self->mem, SIZE, 0, &h));
	EXPECT_EQ(0, create(self->fd, self->mem, 64 * PAGE, 0, &h));
	EXPECT_EQ(-ENOMEM, create(self->fd, self->mem + MIB, PAGE, 0, &h));
	EXPECT_EQ(0, bo_close(self->fd, 1));
	EXPECT_EQ(0, create(self->fd, self->mem + MIB, PAGE, 0, &h));
}

/* VmPin of this process, in pages. */
static uint64_t pinned(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long long kib = ~0ULL;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmPin: %llu kB", &kib);
	if (file)
		fclose(file);
	return kib * 1024 / PAGE;
}

TEST_F(userptr, pages_are_counted)
{
	uint64_t before = pinned();
	uint32_t h[2];

	/* Each registration counts, also of the same pages; until nothing needs them any more. */
	ASSERT_EQ(0, create(self->fd, self->mem, SIZE, 0, &h[0]));
	EXPECT_EQ(before + SIZE / PAGE, pinned());
	ASSERT_EQ(0, create(self->fd, self->mem, SIZE, DRM_ANPU_BO_READONLY, &h[1]));
	EXPECT_EQ(before + 2 * SIZE / PAGE, pinned());
	ASSERT_EQ(0, bo_close(self->fd, h[1]));
	ASSERT_EQ(0, vm_map(self->fd, VA(0), SIZE, h[0], RW));
	ASSERT_EQ(0, bo_close(self->fd, h[0]));
	EXPECT_EQ(before + SIZE / PAGE, pinned());
	ASSERT_EQ(0, vm_unmap(self->fd, VA(0), SIZE));
	EXPECT_EQ(before, pinned());
	/* A call that fails counts no pages as pinned. */
	ASSERT_EQ(0, munmap(self->mem + SIZE / 2, PAGE));
	EXPECT_EQ(-EFAULT, create(self->fd, self->mem, SIZE, 0, &h[0]));
	EXPECT_EQ(before, pinned());
}

/* The device's view of a page that was pinned while mapped at @p. */
static int device_reads(int fd, struct stream *s, char *p, uint32_t h, char *byte)
{
	union anpu_packet pkt = pkt_copy(VA(1), VA(0), 64);
	char *copy = make_buffer(fd, DRM_ANPU_BO_SYSTEM, PAGE, VA(1), RW, NULL);

	if (copy == MAP_FAILED || vm_map(fd, VA(0), PAGE, h, DRM_ANPU_VM_READ) ||
	    run(fd, s->id, &pkt, 1) || s->status->errors)
		return -1;
	*byte = copy[0];
	return 0;
}

TEST_F(userptr, parent_keeps_its_pages_after_fork)
{
	struct stream s;
	uint32_t h;
	char byte;
	pid_t pid;
	int status;

	self->mem[0] = 1;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, create(self->fd, self->mem, PAGE, 0, &h));
	pid = fork();
	if (!pid) {
		self->mem[0] = 2;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	/* Pinned pages are copied for the child at fork, so that the parent writes to its own. */
	self->mem[0] = 3;
	ASSERT_EQ(0, device_reads(self->fd, &s, self->mem, h, &byte));
	EXPECT_EQ(3, byte);
}

TEST_F(userptr, truncated_file)
{
	int mem = memfd_create("anpu", 0);
	struct stream s;
	uint32_t h;
	char *p, byte;

	ASSERT_GE(mem, 0);
	ASSERT_EQ(0, ftruncate(mem, PAGE));
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, mem, 0);
	ASSERT_NE(MAP_FAILED, p);
	p[0] = 4;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, create(self->fd, p, PAGE, 0, &h));
	/* The file gets new pages; the object still has the old one. */
	ASSERT_EQ(0, ftruncate(mem, 0));
	ASSERT_EQ(0, ftruncate(mem, PAGE));
	EXPECT_EQ(0, p[0]);
	p[0] = 5;
	ASSERT_EQ(0, device_reads(self->fd, &s, p, h, &byte));
	EXPECT_EQ(4, byte);
}

TEST_F(userptr, huge_pages)
{
	struct stream s;
	uint32_t h;
	char *p, byte;

	if (write_file("/proc/sys/vm/nr_hugepages", "2"))
		SKIP(return, "no huge pages in this kernel");
	p = mmap(NULL, 2 * MIB, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (p == MAP_FAILED)
		SKIP(return, "no memory for a huge page");
	p[MIB] = 6;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	/* A part of one can be had, too. */
	ASSERT_EQ(0, create(self->fd, p + MIB, PAGE, 0, &h));
	ASSERT_EQ(0, device_reads(self->fd, &s, p, h, &byte));
	EXPECT_EQ(6, byte);
	ASSERT_EQ(0, munmap(p, 2 * MIB));
	write_file("/proc/sys/vm/nr_hugepages", "0");
}

TEST_F(userptr, not_exported)
{
	struct drm_prime_handle args = { .flags = DRM_CLOEXEC };

	ASSERT_EQ(0, create(self->fd, self->mem, PAGE, 0, &args.handle));
	EXPECT_EQ(-EOPNOTSUPP, do_ioctl(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args));
}

#ifdef __x86_64__
/* The kernel may pin with interrupts off what it is asked to pin at once. */
TEST_F(userptr, pinned_bit_by_bit)
{
	char *text = malloc(MIB), *at;
	unsigned long pages = 0;
	uint32_t h;

	ASSERT_NE(NULL, text);
	memset(self->mem, 1, SIZE);
	ASSERT_EQ(0, tracing_begin());
	if (write_file(TRACING "/kprobe_events", "p:anpu_pin pin_user_pages_fast pages=%si:s32"))
		SKIP(return, "this kernel has no kprobe events");
	ASSERT_EQ(0, write_file(TRACING "/events/kprobes/anpu_pin/enable", "1"));
	EXPECT_EQ(0, create(self->fd, self->mem, SIZE, 0, &h));
	ASSERT_EQ(0, write_file(TRACING "/events/kprobes/anpu_pin/enable", "0"));
	read_some(TRACING "/trace", text, MIB);
	ASSERT_EQ(0, write_file(TRACING "/kprobe_events", ""));
	for (at = text; (at = strstr(at, "pages=")); at++) {
		EXPECT_GE(512, atoi(at + 6));
		pages += atoi(at + 6);
	}
	EXPECT_EQ(SIZE / PAGE, pages);
	free(text);
}
#endif

TEST_HARNESS_MAIN
