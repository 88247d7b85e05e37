// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device is pulled out under load and put in again. Needs somebody who does that, see machines.
 */
#include "fence.h"
#include "plug.h"

FIXTURE(hotplug) {
	int unused;
};

FIXTURE_SETUP(hotplug)
{
}

FIXTURE_TEARDOWN(hotplug)
{
}

static bool has_node(void)
{
	int fd = anpu_open();

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Submits without end. Exit status 0 if it ended as it must when the device goes. */
static pid_t load(uint32_t mode)
{
	union anpu_packet pkts[3] = { pkt_fill(VA(0), MIB, 1), pkt_fill(8, 8, 0),
		pkt_signal(VA(0), 1, ANPU_SEM_IRQ) };
	struct stream s;
	uint64_t seq;
	int fd, ret;
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stream_mode = mode;
	fd = anpu_open();
	if (fd < 0 || stream_create(fd, 0, 64, &s) ||
	    make_buffer(fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL) == MAP_FAILED)
		_exit(1);
	do {
		ret = submit(fd, s.id, pkts, 3, &seq);
		if (!ret)
			ret = wait_seq(fd, s.id, seq);
	} while (!ret);
	_exit(ret == -ENODEV || ret == -EIO ? 0 : 2);
}

TEST_F_TIMEOUT(hotplug, under_load_and_back, 120)
{
	for (int round = 0; round < 3; round++) {
		union anpu_packet block = pkt_wait(VA(0), ~0ULL), nop = pkt_nop();
		struct drm_anpu_memory_info info;
		volatile uint64_t *hbm, *sys;
		pid_t pids[3];
		union anpu_packet hold = pkt_wait_us(VA(0), ~0ULL, 9000000);
		struct stream s, bounded;
		int fd, status, files[2];

		ASSERT_TRUE(SOON(has_node()));
		fd = anpu_open();
		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, stream_create(fd, 0, 64, &s));
		ASSERT_EQ(0, run(fd, s.id, &nop, 1));
		hbm = make_buffer(fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
		sys = make_buffer(fd, DRM_ANPU_BO_SYSTEM, MIB, VA(1), RW, NULL);
		ASSERT_NE(MAP_FAILED, (void *)hbm);
		ASSERT_NE(MAP_FAILED, (void *)sys);
		hbm[0] = 1234;
		sys[0] = 5678;
		ASSERT_EQ(0, submit(fd, s.id, &block, 1, NULL));
		/* A fence of a job that runs, and one of a job that waits for it */
		ASSERT_EQ(0, stream_create(fd, DRM_ANPU_STREAM_BOUNDED, 64, &bounded));
		files[0] = job_after(fd, bounded.id, &hold, 1, -1);
		files[1] = job_after(fd, bounded.id, &nop, 1, files[0]);
		ASSERT_GE(files[1], 0);
		pids[0] = fork();
		if (!pids[0])
			_exit(wait_seq_until(fd, s.id, 2, INT64_MAX) == -ENODEV ? 0 : 3);
		pids[1] = load(0);
		pids[2] = load(DRM_ANPU_STREAM_USER_QUEUE);
		usleep(200000);
		ASSERT_EQ(0, ask_host("unplug", ""));
		for (int i = 0; i < 3; i++) {
			ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
			EXPECT_EQ(0, status) {
				TH_LOG("process %d", i);
			}
		}
		for (int i = 0; i < 2; i++) {
			EXPECT_EQ(-ENODEV, file_wait(files[i]));
			close(files[i]);
		}
		munmap((void *)bounded.status, PAGE);
		ASSERT_TRUE(SOON(!has_node()));
		EXPECT_EQ(-ENODEV, memory_info(fd, &info));
		EXPECT_EQ(-ENODEV, submit(fd, s.id, &nop, 1, NULL));
		/* The driver may not have got there yet. */
		EXPECT_TRUE(SOON(!hbm[0]));
		EXPECT_EQ(5678, sys[0]);
		EXPECT_EQ(0, s.status->completed);
		munmap((void *)hbm, MIB);
		munmap((void *)sys, MIB);
		munmap((void *)s.status, PAGE);
		close(fd);
		ASSERT_EQ(0, ask_host("plug", ""));
	}
	ASSERT_TRUE(SOON(has_node()));
}

TEST_HARNESS_MAIN
