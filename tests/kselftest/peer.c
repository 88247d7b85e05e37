// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Two devices that use each other's memory: HBM exported by one and imported by the other, peer to
 * peer. The exporter may go away meanwhile: then accesses of the importer fault.
 */
#include <glob.h>

#include <anpu/anpu_hw.h>

#include "anpu_test.h"

#define DRIVER	"/sys/bus/pci/drivers/anpu"
#define SIZE	(8 * MIB)
#define SECRET	0x5ec7e75ec7e75ec7ULL

/* One of the machine's devices. */
struct npu {
	char address[16];
	int fd;
	struct stream s;
};

FIXTURE(peer) {
	struct npu exporter;
	struct npu importer;
	uint32_t bo;
	uint64_t *mem;
	int dmabuf;
	uint32_t theirs;
};

/* The node of a device, whatever number it has now: a file or -errno */
static int open_npu(const char *address)
{
	char path[80];
	glob_t found;
	int fd = -ENODEV;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/accel/accel*", address);
	if (!glob(path, 0, NULL, &found)) {
		snprintf(path, sizeof(path), "/dev/accel/%s", strrchr(found.gl_pathv[0], '/') + 1);
		fd = open(path, O_RDWR | O_CLOEXEC);
		globfree(&found);
	}
	return fd < 0 ? -errno : fd;
}

static int export_fd(int fd, uint32_t handle, int *out)
{
	struct drm_prime_handle args = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = do_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	*out = args.fd;
	return ret;
}

static int import_fd(int fd, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int ret = do_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*handle = args.handle;
	return ret;
}

static int bind_driver(const char *address)
{
	int ret = write_file(DRIVER "/bind", address);

	/* It may be bound. */
	return ret == -EBUSY || ret == -EINVAL || ret == -ENODEV ? 0 : ret;
}

static int find_devices(struct npu *first, struct npu *second)
{
	glob_t found;

	if (glob(DRIVER "/0*", 0, NULL, &found) || found.gl_pathc < 2)
		return -ENODEV;
	snprintf(first->address, sizeof(first->address), "%s", strrchr(found.gl_pathv[0], '/') + 1);
	snprintf(second->address, sizeof(second->address), "%s",
		 strrchr(found.gl_pathv[1], '/') + 1);
	globfree(&found);
	return 0;
}

static int write_debugfs(const struct npu *npu, const char *name, const char *text)
{
	char path[100];

	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/%s", npu->address, name);
	return write_file(path, text);
}

static int reset_npu(const struct npu *npu)
{
	return reset_by_bus(npu->address);
}

FIXTURE_SETUP(peer)
{
	if (find_devices(&self->importer, &self->exporter))
		SKIP(return, "this machine has only one NPU");
	self->exporter.fd = open_npu(self->exporter.address);
	self->importer.fd = open_npu(self->importer.address);
	ASSERT_GE(self->exporter.fd, 0);
	ASSERT_GE(self->importer.fd, 0);
	ASSERT_EQ(0, stream_create(self->exporter.fd, 0, 0, &self->exporter.s));
	ASSERT_EQ(0, stream_create(self->importer.fd, 0, 0, &self->importer.s));
	self->mem = make_buffer(self->exporter.fd, DRM_ANPU_BO_HBM, SIZE, VA(0), RW, &self->bo);
	ASSERT_NE(MAP_FAILED, self->mem);
	ASSERT_EQ(0, export_fd(self->exporter.fd, self->bo, &self->dmabuf));
	ASSERT_EQ(0, import_fd(self->importer.fd, self->dmabuf, &self->theirs));
	ASSERT_EQ(0, vm_map(self->importer.fd, VA(1), SIZE, self->theirs, RW));
}

/* Called in the parent, because something of a removed device is left until the child that removed it has ended. */
FIXTURE_TEARDOWN_PARENT(peer)
{
	if (find_devices(&self->importer, &self->exporter)) {
		/* Which one was unbound is not known here: bind all there are. */
		glob_t found;

		if (glob("/sys/bus/pci/devices/0*", 0, NULL, &found))
			return;
		for (size_t i = 0; i < found.gl_pathc; i++)
			bind_driver(strrchr(found.gl_pathv[i], '/') + 1);
		globfree(&found);
	}
}

static int run_on(struct npu *npu, union anpu_packet pkt)
{
	return run(npu->fd, npu->s.id, &pkt, 1);
}

/* The device has no mapping at an address: the packet fails with a fault that names the address. */
static int faults_at(struct npu *npu, uint64_t va)
{
	struct anpu_fault fault;
	int ret = run_on(npu, pkt_fill(va, 8, 0xee));

	if (ret)
		return ret;
	if (last_fault(npu->fd, npu->s.id, &fault) != ANPU_FAULT_UNMAPPED || fault.addr != va)
		return -EPROTO;
	return 0;
}

TEST_F(peer, each_writes_what_the_other_reads)
{
	uint64_t *own = make_buffer(self->importer.fd, DRM_ANPU_BO_HBM, SIZE, VA(2), RW, NULL);

	ASSERT_NE(MAP_FAILED, own);
	for (uint64_t i = 0; i < SIZE / 8; i++)
		self->mem[i] = i * 0x9e3779b97f4a7c15ULL;
	ASSERT_EQ(0, run_on(&self->importer, pkt_copy(VA(2), VA(1), SIZE)));
	EXPECT_EQ(0, memcmp(own, self->mem, SIZE));
	ASSERT_EQ(0, run_on(&self->importer, pkt_fill(VA(1) + PAGE, SIZE - PAGE, 0x42)));
	EXPECT_EQ(0, self->mem[0]);
	EXPECT_EQ(0x4242424242424242ULL, self->mem[PAGE / 8]);
	EXPECT_EQ(0x4242424242424242ULL, self->mem[SIZE / 8 - 1]);
	/* And the exporter's own device, of what the importer has written. */
	ASSERT_EQ(0, run_on(&self->exporter, pkt_copy(VA(0), VA(0) + PAGE, 8)));
	EXPECT_EQ(0x4242424242424242ULL, self->mem[0]);
	EXPECT_EQ(0, self->importer.s.status->errors);
	EXPECT_EQ(0, self->exporter.s.status->errors);
}

TEST_F(peer, parts_of_scattered_objects)
{
	enum { PIECES = 64 };
	uint64_t size = PIECES * PAGE, *mem, *own;
	uint32_t keep[PIECES * 2], bo, theirs, n = 0;
	struct drm_anpu_memory_info info;
	int dmabuf;

	/* Holes of single pages, and nothing else: what comes next is made of them. */
	for (; n < PIECES * 2; n++)
		ASSERT_EQ(0, bo_create(self->exporter.fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &keep[n]));
	memory_info(self->exporter.fd, &info);
	ASSERT_EQ(0, bo_create(self->exporter.fd, DRM_ANPU_BO_HBM, info.hbm_free - 256 * 1024, 0,
			       0, &bo));
	while (!bo_create(self->exporter.fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo))
		;
	for (n = 0; n < PIECES * 2; n += 2)
		ASSERT_EQ(0, bo_close(self->exporter.fd, keep[n]));
	mem = make_buffer(self->exporter.fd, DRM_ANPU_BO_HBM, size - 8 * PAGE, VA(4), RW, &bo);
	size -= 8 * PAGE;
	ASSERT_NE(MAP_FAILED, mem);
	ASSERT_EQ(0, export_fd(self->exporter.fd, bo, &dmabuf));
	ASSERT_EQ(0, import_fd(self->importer.fd, dmabuf, &theirs));
	own = make_buffer(self->importer.fd, DRM_ANPU_BO_HBM, size, VA(2), RW, NULL);
	ASSERT_NE(MAP_FAILED, own);
	for (uint64_t i = 0; i < size / 8; i++)
		mem[i] = i;
	ASSERT_EQ(0, vm_map(self->importer.fd, VA(3), size, theirs, DRM_ANPU_VM_READ));
	ASSERT_EQ(0, run_on(&self->importer, pkt_copy(VA(2), VA(3), size)));
	EXPECT_EQ(0, memcmp(own, mem, size));
	/* From the middle, at another address. */
	ASSERT_EQ(0, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(3), 5 * PAGE, theirs,
			   7 * PAGE, RW));
	ASSERT_EQ(0, run_on(&self->importer, pkt_copy(VA(2), VA(3), 5 * PAGE)));
	EXPECT_EQ(0, memcmp(own, mem + 7 * PAGE / 8, 5 * PAGE));
	EXPECT_EQ(0, self->importer.s.status->errors);
}

TEST_F(peer, semaphores_order_work_of_both)
{
	enum { ROUNDS = 50 };
	uint64_t data = MIB, seq = 0;

	/* Ping in word 0, pong in word 8: each adds one to the number that the other left. */
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		union anpu_packet a[3] = {
			pkt_wait(VA(0) + 64, i - 1), pkt_copy(VA(0) + data, VA(0) + data + 64, 8),
			pkt_signal(VA(0), i, 0),
		};
		union anpu_packet b[4] = {
			pkt_wait(VA(1), i), pkt_copy(VA(1) + data + 64, VA(1) + data, 8),
			{ .sem_signal = { .hdr.opcode = ANPU_OP_SEM_SIGNAL, .addr = VA(1) + data + 64,
					  .value = 1, .op = ANPU_SEM_ADD, .width = 8 } },
			pkt_signal(VA(1) + 64, i, 0),
		};

		ASSERT_EQ(0, submit(self->importer.fd, self->importer.s.id, b, 4, &seq));
		ASSERT_EQ(0, submit(self->exporter.fd, self->exporter.s.id, a, 3, NULL));
	}
	ASSERT_EQ(0, wait_seq(self->importer.fd, self->importer.s.id, seq));
	EXPECT_EQ(ROUNDS, self->mem[(data + 64) / 8]);
	EXPECT_EQ(ROUNDS - 1, self->mem[data / 8]);
	EXPECT_EQ(0, self->importer.s.status->errors);
	EXPECT_EQ(0, self->exporter.s.status->errors);
}

TEST_F(peer, system_memory_of_one_for_both)
{
	union anpu_packet wait = pkt_wait(VA(5), 7);
	uint64_t *mem, seq;
	uint32_t bo, theirs;
	int dmabuf;

	mem = make_buffer(self->exporter.fd, DRM_ANPU_BO_SYSTEM, MIB, VA(5), RW, &bo);
	ASSERT_NE(MAP_FAILED, mem);
	ASSERT_EQ(0, export_fd(self->exporter.fd, bo, &dmabuf));
	ASSERT_EQ(0, import_fd(self->importer.fd, dmabuf, &theirs));
	ASSERT_EQ(0, vm_map(self->importer.fd, VA(6), MIB, theirs, RW));
	ASSERT_EQ(0, submit(self->exporter.fd, self->exporter.s.id, &wait, 1, &seq));
	ASSERT_EQ(0, run_on(&self->importer, pkt_fill(VA(6) + PAGE, PAGE, 9)));
	ASSERT_EQ(0, run_on(&self->importer, pkt_signal(VA(6), 7, 0)));
	ASSERT_EQ(0, wait_seq(self->exporter.fd, self->exporter.s.id, seq));
	EXPECT_EQ(0x0909090909090909ULL, mem[PAGE / 8]);
}

TEST_F(peer, wait_is_woken_by_the_other_device)
{
	/* The waiter sleeps on the exporter, the importer's device signals. */
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_MEMORY, .handle = self->bo, .value = 5, .mask = ~0ULL,
		.cond = ANPU_SEM_EQ, .width = 8,
	};
	pid_t pid = fork();
	int status;

	if (!pid) {
		usleep(200000);
		_exit(run_on(&self->importer, pkt_signal(VA(1), 5, ANPU_SEM_IRQ)) ? 1 : 0);
	}
	EXPECT_EQ(0, wait_items(self->exporter.fd, &item, 1, 0, late(), NULL));
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
}

/* A process can wait for system memory that it has imported, even when the exporter has gone. */
TEST_F(peer, imported_system_memory_can_be_waited_for)
{
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_MEMORY, .mask = ~0ULL, .cond = ANPU_SEM_EQ, .width = 8,
		.offset = PAGE + 8,
	};
	uint64_t *mem;
	int dmabuf, status;
	uint32_t bo;
	pid_t pid;

	mem = make_buffer(self->exporter.fd, DRM_ANPU_BO_SYSTEM, 2 * PAGE, VA(3), RW, &bo);
	ASSERT_NE(MAP_FAILED, mem);
	ASSERT_EQ(0, export_fd(self->exporter.fd, bo, &dmabuf));
	ASSERT_EQ(0, import_fd(self->importer.fd, dmabuf, &item.handle));
	close(dmabuf);
	mem[PAGE / 8 + 1] = 3;
	item.value = 3;
	EXPECT_EQ(0, wait_items(self->importer.fd, &item, 1, 0, 0, NULL));
	item.value = 4;
	EXPECT_EQ(-ETIME, wait_items(self->importer.fd, &item, 1, 0, now_ns() + 1000000, NULL));
	pid = fork();
	if (!pid) {
		usleep(200000);
		_exit(run_on(&self->exporter, pkt_signal(VA(3) + PAGE + 8, 4, ANPU_SEM_IRQ)) ? 1 : 0);
	}
	EXPECT_EQ(0, wait_items(self->importer.fd, &item, 1, 0, late(), NULL));
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	item.offset = 2 * PAGE;
	EXPECT_EQ(-EINVAL, wait_items(self->importer.fd, &item, 1, 0, 0, NULL));
	item.offset = PAGE + 8;
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->exporter.address));
	EXPECT_EQ(0, wait_items(self->importer.fd, &item, 1, 0, 0, NULL));
	item.value = 5;
	EXPECT_EQ(-ETIME, wait_items(self->importer.fd, &item, 1, 0, now_ns() + 1000000, NULL));
}

/* Everything of the exporter that a process has, but what the importer knows of it */
static void forget_exporter(struct npu *exporter, int dmabuf, int other, void *mem, void *mem2)
{
	munmap(mem, SIZE);
	munmap(mem2, 2 * PAGE);
	munmap((void *)exporter->s.status, PAGE);
	close(dmabuf);
	close(other);
	close(exporter->fd);
}

/*
 * A task that waits for memory of another device keeps it when nothing else keeps it any more: no handle, no dma-buf and
 * no file of the exporter, which is unbound. The script machines has the kernel poison memory that is freed.
 */
TEST_F(peer, who_waits_keeps_the_exporter)
{
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_MEMORY, .mask = ~0ULL, .cond = ANPU_SEM_EQ, .width = 8, .value = 1,
	};
	int dmabuf, status;
	uint32_t bo;
	void *mem;
	pid_t pid;

	mem = make_buffer(self->exporter.fd, DRM_ANPU_BO_SYSTEM, 2 * PAGE, VA(3), RW, &bo);
	ASSERT_NE(MAP_FAILED, mem);
	ASSERT_EQ(0, export_fd(self->exporter.fd, bo, &dmabuf));
	ASSERT_EQ(0, import_fd(self->importer.fd, dmabuf, &item.handle));
	pid = fork();
	if (!pid) {
		forget_exporter(&self->exporter, dmabuf, self->dmabuf, self->mem, mem);
		_exit(-wait_items(self->importer.fd, &item, 1, 0, late(), NULL));
	}
	until_asleep(pid);
	ASSERT_EQ(0, bo_close(self->importer.fd, item.handle));
	ASSERT_EQ(0, vm_unmap(self->importer.fd, VA(1), SIZE));
	ASSERT_EQ(0, bo_close(self->importer.fd, self->theirs));
	forget_exporter(&self->exporter, dmabuf, self->dmabuf, self->mem, mem);
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->exporter.address));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(SIGKILL, status);
	self->exporter.fd = -1;
	self->dmabuf = -1;
	ASSERT_EQ(0, bind_driver(self->exporter.address));
	ASSERT_TRUE(SOON((self->exporter.fd = open_npu(self->exporter.address)) >= 0));
	ASSERT_EQ(0, stream_create(self->exporter.fd, 0, 0, &self->exporter.s));
	EXPECT_EQ(0, run_on(&self->exporter, pkt_nop()));
}

TEST_F(peer, one_object_has_one_handle)
{
	uint32_t again, own;

	ASSERT_EQ(0, import_fd(self->importer.fd, self->dmabuf, &again));
	EXPECT_EQ(self->theirs, again);
	ASSERT_EQ(0, import_fd(self->exporter.fd, self->dmabuf, &own));
	EXPECT_EQ(self->bo, own);
}

TEST_F(peer, imports_are_not_for_cpus_and_waits)
{
	struct drm_anpu_bo_mmap_offset offset = { .handle = self->theirs };
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_MEMORY, .handle = self->theirs, .mask = ~0ULL, .width = 8,
	};

	EXPECT_EQ(-EINVAL, do_ioctl(self->importer.fd, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &offset));
	EXPECT_EQ(-EINVAL, wait_items(self->importer.fd, &item, 1, 0, 0, NULL));
}

/* A process reaches no memory of the other device but the object that was shared with it. */
TEST_F(peer, nothing_else_is_reached)
{
	uint64_t *secret = make_buffer(self->exporter.fd, DRM_ANPU_BO_HBM, SIZE, VA(3), RW, NULL);
	struct npu third = self->importer;
	struct anpu_fault fault;
	uint64_t *own;

	ASSERT_NE(MAP_FAILED, secret);
	for (uint64_t i = 0; i < SIZE / 8; i++)
		secret[i] = SECRET;
	own = make_buffer(self->importer.fd, DRM_ANPU_BO_HBM, PAGE, VA(2), RW, NULL);
	ASSERT_NE(MAP_FAILED, own);
	/* Beyond the object, by addresses, by VM_BIND. */
	ASSERT_EQ(0, run_on(&self->importer, pkt_copy(VA(2), VA(1) + SIZE - 64, 128)));
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(self->importer.fd, self->importer.s.id, &fault));
	EXPECT_EQ(VA(1) + SIZE, fault.addr);
	EXPECT_EQ(0, faults_at(&self->importer, VA(1) + SIZE));
	EXPECT_EQ(0, faults_at(&self->importer, VA(1) - 8));
	EXPECT_EQ(0, faults_at(&self->importer, VA(3)));
	EXPECT_EQ(-EINVAL, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(4), SIZE, self->theirs,
				 PAGE, RW));
	EXPECT_EQ(-EINVAL, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(4), SIZE + PAGE,
				 self->theirs, 0, RW));
	/* Another file of the same device, to which nobody has given it: not by handle, not by address. */
	third.fd = open_npu(third.address);
	ASSERT_GE(third.fd, 0);
	ASSERT_EQ(0, stream_create(third.fd, 0, 0, &third.s));
	EXPECT_EQ(-ENOENT, vm_map(third.fd, VA(1), SIZE, self->theirs, RW));
	EXPECT_EQ(0, faults_at(&third, VA(1)));
	close(third.fd);
	/* A mapping for reading is none for writing. */
	ASSERT_EQ(0, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE, self->theirs, 0,
			   DRM_ANPU_VM_READ));
	ASSERT_EQ(0, run_on(&self->importer, pkt_fill(VA(1), 8, 0xee)));
	EXPECT_EQ(ANPU_FAULT_PERMISSION, last_fault(self->importer.fd, self->importer.s.id, &fault));
	EXPECT_EQ(VA(1), fault.addr);
	EXPECT_EQ(0, self->mem[0]);
	/* Given back, it is out of reach, whoever has the memory next. */
	ASSERT_EQ(0, vm_unmap(self->importer.fd, VA(1), SIZE));
	EXPECT_EQ(0, faults_at(&self->importer, VA(1)));
	for (uint64_t i = 0; i < SIZE / 8; i++)
		ASSERT_EQ(SECRET, secret[i]);
	EXPECT_EQ(0, own[0]);
}

TEST_F(peer, memory_lives_until_the_importer_is_done)
{
	uint64_t before, *mine;
	uint32_t bo;
	int fd = open_npu(self->exporter.address);

	ASSERT_GE(fd, 0);
	before = hbm_free(fd);
	self->mem[0] = SECRET;
	munmap(self->mem, SIZE);
	munmap((void *)self->exporter.s.status, PAGE);
	ASSERT_EQ(0, bo_close(self->exporter.fd, self->bo));
	close(self->dmabuf);
	close(self->exporter.fd);
	/* Somebody else takes all the exporter has: not this. */
	ASSERT_EQ(0, bo_create(fd, DRM_ANPU_BO_HBM, hbm_free(fd) - MIB, 0, 0, &bo));
	mine = make_buffer(self->importer.fd, DRM_ANPU_BO_HBM, PAGE, VA(2), RW, NULL);
	ASSERT_NE(MAP_FAILED, mine);
	ASSERT_EQ(0, run_on(&self->importer, pkt_copy(VA(2), VA(1), 8)));
	EXPECT_EQ(SECRET, mine[0]);
	ASSERT_EQ(0, bo_close(fd, bo));
	/* The handle first, then the mapping. */
	ASSERT_EQ(0, bo_close(self->importer.fd, self->theirs));
	ASSERT_EQ(0, run_on(&self->importer, pkt_fill(VA(1), SIZE, 3)));
	EXPECT_EQ(0, self->importer.s.status->errors);
	EXPECT_GT(before + SIZE, hbm_free(fd));
	ASSERT_EQ(0, vm_unmap(self->importer.fd, VA(1), SIZE));
	EXPECT_LE(before + SIZE, hbm_free(fd));
	EXPECT_EQ(0, faults_at(&self->importer, VA(1)));
}

TEST_F(peer, killed_importer_lets_go)
{
	int fd = open_npu(self->exporter.address), status;
	uint64_t before = hbm_free(fd);
	union anpu_packet pkt = pkt_fill(VA(1), SIZE, 1);
	pid_t pid;

	/* The process with the last descriptors dies in the middle of a copy. */
	for (int i = 0; i < 5; i++) {
		pid = fork();
		if (!pid) {
			struct npu a = self->exporter, b = self->importer;
			uint32_t bo, theirs;
			int dmabuf;

			a.fd = open_npu(a.address);
			b.fd = open_npu(b.address);
			if (stream_create(b.fd, 0, 0, &b.s) ||
			    bo_create(a.fd, DRM_ANPU_BO_HBM, SIZE, 0, 0, &bo) ||
			    export_fd(a.fd, bo, &dmabuf) || import_fd(b.fd, dmabuf, &theirs) ||
			    vm_map(b.fd, VA(1), SIZE, theirs, RW))
				_exit(1);
			for (;;)
				submit(b.fd, b.s.id, &pkt, 1, NULL);
		}
		usleep(100000 + i * 10000);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_TRUE(SOON(hbm_free(fd) == before));
}

TEST_F(peer, the_exporter_away_and_back)
{
	uint64_t *own = make_buffer(self->importer.fd, DRM_ANPU_BO_HBM, PAGE, VA(2), RW, NULL);

	ASSERT_NE(MAP_FAILED, own);
	self->mem[3] = SECRET;
	ASSERT_EQ(0, reset_npu(&self->exporter));
	/* The mapping is there and shows nothing. */
	EXPECT_EQ(0, faults_at(&self->importer, VA(1)));
	EXPECT_EQ(0, faults_at(&self->importer, VA(1) + SIZE - 8));
	EXPECT_EQ(-EEXIST, vm_map(self->importer.fd, VA(1), SIZE, self->theirs, RW));
	/* It can be cut, like any other; and bound anew, with what was in the memory. */
	ASSERT_EQ(0, vm_unmap(self->importer.fd, VA(1) + MIB, PAGE));
	EXPECT_EQ(0, faults_at(&self->importer, VA(1) + MIB - 8));
	ASSERT_EQ(0, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE, self->theirs, 0,
			   RW));
	ASSERT_EQ(0, run_on(&self->importer, pkt_copy(VA(2), VA(1) + 24, 8)));
	EXPECT_EQ(SECRET, own[0]);
	EXPECT_EQ(SECRET, self->mem[3]);
	EXPECT_EQ(3, self->importer.s.status->errors);
}

/* Whoever waits for memory looks again when a device goes away: once, and sleeps on if it was another device. */
TEST_F(peer, who_waits_for_own_memory_looks_once)
{
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_MEMORY, .mask = ~0ULL, .cond = ANPU_SEM_EQ, .width = 8, .value = 1,
	};
	uint64_t *own = make_buffer(self->importer.fd, DRM_ANPU_BO_HBM, PAGE, VA(2), RW, &item.handle);
	union anpu_packet signal = pkt_signal(VA(2), 1, ANPU_SEM_IRQ);
	int status;
	long count;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, own);
	pid = fork();
	if (!pid)
		_exit(-wait_items(self->importer.fd, &item, 1, 0, INT64_MAX, NULL));
	until_asleep(pid);
	count = sleeps(pid);
	ASSERT_EQ(0, reset_npu(&self->exporter));
	EXPECT_TRUE(SOON(sleeps(pid) > count));
	EXPECT_TRUE(SOON((count = sleeps(pid), usleep(100000), sleeps(pid) == count)));
	ASSERT_EQ(0, run_on(&self->importer, signal));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* A function level reset takes 100 ms, in which the exporter has nothing to give. */
TEST_F(peer, the_exporter_is_away)
{
	int bind = 0, import = 0, fresh, status;
	uint32_t bo, handle;

	ASSERT_EQ(0, bo_create(self->exporter.fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo));
	ASSERT_EQ(0, export_fd(self->exporter.fd, bo, &fresh));
	while (bind != -EBUSY || import != -EBUSY) {
		pid_t pid = fork();

		if (!pid)
			_exit(reset_npu(&self->exporter) ? 1 : 0);
		while (!waitpid(pid, &status, WNOHANG)) {
			int ret = import_fd(self->importer.fd, fresh, &handle);

			if (ret)
				import = ret;
			else
				bo_close(self->importer.fd, handle);
			ret = vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE,
				    self->theirs, 0, RW);
			bind = ret ? ret : bind;
		}
		ASSERT_EQ(0, status);
	}
	ASSERT_EQ(0, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE, self->theirs, 0,
			   RW));
	EXPECT_EQ(0, run_on(&self->importer, pkt_fill(VA(1), SIZE, 1)));
	EXPECT_EQ(0, self->importer.s.status->errors);
}

TEST_F(peer, the_importer_away_and_back)
{
	struct npu *npu = &self->importer;

	self->mem[0] = 0;
	ASSERT_EQ(0, reset_npu(npu));
	ASSERT_EQ(0, stream_create(npu->fd, 0, 0, &npu->s));
	ASSERT_EQ(0, run_on(npu, pkt_fill(VA(1), 8, 0x77)));
	EXPECT_EQ(0, npu->s.status->errors);
	EXPECT_EQ(0x7777777777777777ULL, self->mem[0]);
	/* Both, one after the other. */
	ASSERT_EQ(0, reset_npu(&self->exporter));
	ASSERT_EQ(0, reset_npu(npu));
	ASSERT_EQ(0, stream_create(npu->fd, 0, 0, &npu->s));
	EXPECT_EQ(0, faults_at(npu, VA(1)));
}

/* A process that goes on writing to memory of the other device, whatever happens to that. */
static pid_t hammer(struct npu *importer, uint64_t va, uint64_t size)
{
	union anpu_packet pkts[64];
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 64; i++)
		pkts[i] = pkt_fill(va + size / 64 * i, size / 64, 0xbd);
	for (;;)
		submit(importer->fd, importer->s.id, pkts, 64, NULL);
}

TEST_F(peer, the_exporter_away_under_load)
{
	pid_t pid = hammer(&self->importer, VA(1), SIZE);
	int status;

	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE,
				   self->theirs, 0, RW));
		usleep(30000);
		ASSERT_EQ(0, reset_npu(&self->exporter));
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ASSERT_EQ(0, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE, self->theirs, 0,
			   RW));
	self->mem[0] = 0;
	ASSERT_EQ(0, run_on(&self->importer, pkt_fill(VA(1), 8, 0x11)));
	EXPECT_EQ(0x1111111111111111ULL, self->mem[0]);
}

TEST_F(peer, the_exporter_unbound_under_load)
{
	pid_t pid = hammer(&self->importer, VA(1), SIZE);
	uint64_t *fresh, size, sum = 0;
	uint32_t bo, handle;
	int status, fd;

	usleep(100000);
	ASSERT_EQ(0, write_file(DRIVER "/unbind", self->exporter.address));
	/* Its memory is given to others, by the next driver. The importer never touches it. */
	ASSERT_EQ(0, write_file(DRIVER "/bind", self->exporter.address));
	ASSERT_TRUE(SOON((fd = open_npu(self->exporter.address)) >= 0));
	size = (hbm_free(fd) - MIB) & ~(PAGE - 1);
	ASSERT_EQ(0, bo_create(fd, DRM_ANPU_BO_HBM, size, 0, 0, &bo));
	fresh = bo_map(fd, bo, size);
	ASSERT_NE(MAP_FAILED, fresh);
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < size / 8; i += 64)
			sum |= fresh[i];
		usleep(50000);
	}
	EXPECT_EQ(0, sum);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ASSERT_EQ(0, stream_create(self->importer.fd, 0, 0, &self->importer.s));
	EXPECT_EQ(0, faults_at(&self->importer, VA(1)));
	EXPECT_EQ(-ENODEV, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE, self->theirs,
				 0, RW));
	EXPECT_EQ(0, vm_unmap(self->importer.fd, VA(1), SIZE));
	EXPECT_EQ(0, bo_close(self->importer.fd, self->theirs));
	/* Memory of a device that is gone cannot be imported any more either. */
	EXPECT_EQ(-ENODEV, import_fd(self->importer.fd, self->dmabuf, &handle));
}

TEST_F(peer, the_importer_unbound)
{
	struct npu *npu = &self->importer;
	uint64_t before;
	int fd = open_npu(self->exporter.address);

	ASSERT_GE(fd, 0);
	before = hbm_free(fd);
	ASSERT_EQ(0, write_file(DRIVER "/unbind", npu->address));
	EXPECT_EQ(-ENODEV, vm_unmap(npu->fd, VA(1), SIZE));
	/* The exporter may go, come back, and free the memory all the same. */
	ASSERT_EQ(0, reset_npu(&self->exporter));
	munmap((void *)npu->s.status, PAGE);
	close(npu->fd);
	munmap(self->mem, SIZE);
	close(self->dmabuf);
	ASSERT_EQ(0, vm_unmap(self->exporter.fd, VA(0), SIZE));
	ASSERT_EQ(0, bo_close(self->exporter.fd, self->bo));
	EXPECT_LE(before + SIZE, hbm_free(fd));
}

/* The exporter vanishes without notice. Its memory still answers, but must not be used any more. */
TEST_F_TIMEOUT(peer, the_exporter_is_gone, 90)
{
	struct drm_anpu_memory_info info;
	char text[64];

	snprintf(text, sizeof(text), "%u %#llx", ANPU_INJECT_GONE,
		 (unsigned long long)ANPU_INJECT(1, ANPU_INJECT_ANY, 10000));
	if (write_debugfs(&self->exporter, "inject", text))
		SKIP(return, "the exporter does not fail on request, see machines");
	ASSERT_EQ(0, write_file("/sys/module/anpu/parameters/watchdog_ms", "400"));
	self->mem[0] = SECRET;
	EXPECT_TRUE(SOON(memory_info(self->exporter.fd, &info) == -ENODEV));
	EXPECT_TRUE(SOON(!faults_at(&self->importer, VA(1))));
	EXPECT_EQ(0, faults_at(&self->importer, VA(1) + SIZE - 8));
	EXPECT_EQ(0, self->mem[0]);
	EXPECT_EQ(-ENODEV, vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE, self->theirs,
				 0, RW));
	write_file("/sys/module/anpu/parameters/watchdog_ms", "10000");
	/* Unbound and back on the bus, it is another one. */
	EXPECT_EQ(0, write_file(DRIVER "/unbind", self->exporter.address));
	EXPECT_TRUE(SOON(!write_file(DRIVER "/bind", self->exporter.address)));
	EXPECT_EQ(0, faults_at(&self->importer, VA(1)));
}

/* Both were away: their streams have ended, and what was shared is there when it is bound again. */
static int back_again(struct npu *importer, struct npu *exporter, uint32_t theirs, uint64_t *mem)
{
	int ret = stream_create(importer->fd, 0, 0, &importer->s);

	if (!ret)
		ret = stream_create(exporter->fd, 0, 0, &exporter->s);
	if (!ret)
		ret = faults_at(importer, VA(1));
	if (!ret)
		ret = vm_op(importer->fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE, theirs, 0, RW);
	if (!ret && mem[3] != SECRET)
		ret = -EPROTO;
	mem[0] = 0;
	if (!ret)
		ret = run_on(importer, pkt_copy(VA(1), VA(1) + 24, 8));
	return ret ? ret : mem[0] != SECRET || exporter->s.status->errors ? -EPROTO : 0;
}

/* Both devices go away and come back at random times, also while the other one does so. */
TEST_F_TIMEOUT(peer, both_suspended_in_any_order, 120)
{
	struct npu *npus[2] = { &self->importer, &self->exporter };
	pid_t pids[2];
	int status;

	self->mem[3] = SECRET;
	for (int round = 0; round < 3; round++) {
		for (int n = 0; n < 2; n++) {
			pids[n] = fork();
			for (int i = 0; !pids[n] && i < 10; i++) {
				if (write_debugfs(npus[n], "pm_test", "1"))
					_exit(1);
				/* As programs do: what is revoked is bound anew. */
				vm_op(self->importer.fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE,
				      self->theirs, 0, RW);
			}
			if (!pids[n])
				_exit(0);
		}
		for (int n = 0; n < 2; n++) {
			ASSERT_EQ(pids[n], waitpid(pids[n], &status, 0));
			ASSERT_EQ(0, status);
		}
		/* The exporter last: the mapping is revoked. */
		ASSERT_EQ(0, write_debugfs(&self->exporter, "pm_test", "1"));
		ASSERT_EQ(0, back_again(&self->importer, &self->exporter, self->theirs, self->mem));
	}
}

TEST_F(peer, others_cannot_have_hbm)
{
	/* A driver that wants pages, or cannot let go of what it has. */
	uint64_t *mem, *theirs;
	uint32_t handle, bo;
	int card, sys;

	load_module("vgem");
	card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
	if (card < 0)
		SKIP(return, "no other DRM driver: this kernel has no vgem");
	EXPECT_EQ(-EOPNOTSUPP, import_fd(card, self->dmabuf, &handle));
	/* System memory is theirs, too. */
	mem = make_buffer(self->exporter.fd, DRM_ANPU_BO_SYSTEM, MIB, VA(5), RW, &bo);
	ASSERT_NE(MAP_FAILED, mem);
	ASSERT_EQ(0, export_fd(self->exporter.fd, bo, &sys));
	ASSERT_EQ(0, import_fd(card, sys, &handle));
	close(sys);
	ASSERT_EQ(0, export_fd(card, handle, &sys));
	theirs = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, sys, 0);
	ASSERT_NE(MAP_FAILED, theirs);
	ASSERT_EQ(0, run_on(&self->exporter, pkt_fill(VA(5), MIB, 0x21)));
	EXPECT_EQ(0x2121212121212121ULL, theirs[MIB / 8 - 1]);
	close(card);
}

TEST_HARNESS_MAIN
