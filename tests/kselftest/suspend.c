// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The machine is suspended, up to where things would be turned off: all devices go, and then come back, in the
 * kernel's order. Two NPUs use each other's memory over it. Files of the host are out of reach afterwards (virtio
 * of 9p does not do this), so machines runs a copy of this program, alone.
 */
#include <glob.h>

#include "fence.h"

#define SIZE	(4 * MIB)
#define SECRET	0x5ec7e75ec7e75ec7ULL

struct npu {
	int fd;
	struct stream s;
	uint64_t *mem;
	uint32_t bo;
};

FIXTURE(suspend) {
	struct npu npus[2];
	uint32_t theirs;
};

static int begin(struct npu *npu, const char *node)
{
	npu->fd = open(node, O_RDWR | O_CLOEXEC);
	if (npu->fd < 0)
		return -errno;
	npu->mem = make_buffer(npu->fd, DRM_ANPU_BO_HBM, SIZE, VA(0), RW, &npu->bo);
	return npu->mem == MAP_FAILED ? -ENOMEM : stream_create(npu->fd, 0, 0, &npu->s);
}

FIXTURE_SETUP(suspend)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };

	if (write_file("/sys/power/pm_test", "devices"))
		SKIP(return, "this kernel cannot try a suspend");
	write_file("/sys/module/suspend/parameters/pm_test_delay", "0");
	if (access("/dev/accel/accel1", F_OK))
		SKIP(return, "this machine has only one NPU");
	ASSERT_EQ(0, begin(&self->npus[0], "/dev/accel/accel0"));
	ASSERT_EQ(0, begin(&self->npus[1], "/dev/accel/accel1"));
	/* Each has what the other one has. */
	for (int n = 0; n < 2; n++) {
		prime.handle = self->npus[n].bo;
		ASSERT_EQ(0, do_ioctl(self->npus[n].fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
		ASSERT_EQ(0, do_ioctl(self->npus[!n].fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
		ASSERT_EQ(0, vm_map(self->npus[!n].fd, VA(1), SIZE, prime.handle, RW));
		self->theirs = prime.handle;
		close(prime.fd);
	}
}

FIXTURE_TEARDOWN(suspend)
{
	write_file("/sys/power/pm_test", "none");
	close(self->npus[0].fd);
	close(self->npus[1].fd);
}

static int run_on(struct npu *npu, union anpu_packet pkt)
{
	return run(npu->fd, npu->s.id, &pkt, 1);
}

/* Goes on writing to memory of the other one, as long as its stream lives. */
static pid_t hammer(struct npu *npu)
{
	union anpu_packet pkt = pkt_fill(VA(1) + PAGE, SIZE - PAGE, 0xbd);
	pid_t pid = fork();

	if (pid)
		return pid;
	while (!submit(npu->fd, npu->s.id, &pkt, 1, NULL))
		;
	_exit(0);
}

TEST_F_TIMEOUT(suspend, both_and_what_they_share, 120)
{
	union anpu_packet hold = pkt_wait_us(VA(0), ~0ULL, 9000000);
	struct anpu_fault fault;
	struct stream bounded;
	int status, files[2];

	for (int round = 0; round < 3; round++) {
		pid_t pids[2];

		for (int n = 0; n < 2; n++) {
			self->npus[n].mem[3] = SECRET + n;
			pids[n] = hammer(&self->npus[n]);
			ASSERT_EQ(0, stream_create(self->npus[n].fd, DRM_ANPU_STREAM_BOUNDED, 0, &bounded));
			files[n] = job_after(self->npus[n].fd, bounded.id, &hold, 1, -1);
			ASSERT_GE(files[n], 0);
		}
		usleep(50000);
		ASSERT_EQ(0, write_file("/sys/power/state", "freeze"));
		for (int n = 0; n < 2; n++) {
			ASSERT_EQ(pids[n], waitpid(pids[n], &status, 0));
			EXPECT_EQ(0, status);
			EXPECT_EQ(-EIO, file_wait(files[n]));
			close(files[n]);
			EXPECT_EQ(-EIO, run_on(&self->npus[n], pkt_nop()));
			ASSERT_EQ(0, stream_destroy(self->npus[n].fd, self->npus[n].s.id));
			ASSERT_EQ(0, stream_create(self->npus[n].fd, 0, 0, &self->npus[n].s));
		}
		for (int n = 0; n < 2; n++) {
			struct npu *npu = &self->npus[n];

			/* Shared objects are not bound any more; they can be bound again, with their contents. */
			ASSERT_EQ(0, run_on(npu, pkt_fill(VA(1), 8, 0xee)));
			EXPECT_EQ(ANPU_FAULT_UNMAPPED, last_fault(npu->fd, npu->s.id, &fault));
			EXPECT_EQ(VA(1), fault.addr);
			ASSERT_EQ(0, vm_op(npu->fd, DRM_ANPU_VM_REPLACE, VA(1), SIZE, self->theirs, 0, RW));
			ASSERT_EQ(0, run_on(npu, pkt_copy(VA(0), VA(1) + 24, 8)));
			EXPECT_EQ(SECRET + !n, npu->mem[0]);
			EXPECT_EQ(1, npu->s.status->errors);
		}
	}
}

/* Page tables and programs' memory would not come back. */
TEST_F_TIMEOUT(suspend, hibernation_is_refused, 120)
{
	int ret = write_file("/sys/power/state", "disk");

	if (ret == -EINVAL || ret == -EPERM || ret == -ENOSYS)
		SKIP(return, "this kernel does not hibernate");
	EXPECT_EQ(-EOPNOTSUPP, ret);
	/* As if nothing had happened. */
	self->npus[0].mem[0] = 4711;
	ASSERT_EQ(0, run_on(&self->npus[0], pkt_copy(VA(0) + 8, VA(0), 8)));
	EXPECT_EQ(4711, self->npus[0].mem[1]);
	ASSERT_EQ(0, run_on(&self->npus[1], pkt_copy(VA(0), VA(1) + 8, 8)));
	EXPECT_EQ(4711, self->npus[1].mem[0]);
}

TEST_HARNESS_MAIN
