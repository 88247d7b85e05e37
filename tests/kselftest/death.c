// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Processes that die at any moment leave nothing behind, and nobody else notices. */
#include "anpu_test.h"

FIXTURE(death) {
	int fd;
	uint64_t free_before;
};

BOTH_WAYS(death);

FIXTURE_SETUP(death)
{
	stream_mode = variant->mode;
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	self->free_before = hbm_free(self->fd);
}

FIXTURE_TEARDOWN(death)
{
	close(self->fd);
}

/* The kinds of work that a victim does until it is killed. */
static void work(int how)
{
	static union anpu_packet pkts[64];
	struct drm_anpu_event_subscribe sub = { .mask = 7 };
	uint32_t *code;
	struct stream s;
	int fd = anpu_open();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || stream_create(fd, 0, 64, &s) ||
	    make_buffer(fd, DRM_ANPU_BO_HBM, 16 * MIB, VA(0), RW, NULL) == MAP_FAILED ||
	    make_buffer(fd, DRM_ANPU_BO_SYSTEM, 8 * MIB, VA(1), RW, NULL) == MAP_FAILED)
		_exit(1);
	code = make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(2), RX, NULL);
	if (code == MAP_FAILED)
		_exit(1);
	code[0] = RV_LOOP;
	do_ioctl(fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub);
	for (int i = 0; i < 64; i++) {
		switch (how) {
		case 0:		/* copies in both directions */
			pkts[i] = i % 2 ? pkt_copy(VA(0), VA(1), 8 * MIB) :
				  pkt_copy(VA(1), VA(0), 8 * MIB);
			break;
		case 1:		/* an operator that never ends */
			pkts[i] = pkt_kernel(VA(2), 0, 0, ANPU_TIMEOUT_NEVER);
			break;
		case 2:		/* a semaphore that nobody signals */
			pkts[i] = pkt_wait(VA(0), 1);
			break;
		case 3:		/* faults and events that nobody reads */
			pkts[i] = i % 2 ? pkt_fill(8, 8, 0) : pkt_notify(i, 0);
			break;
		default:	/* binding and creating */
			pkts[i] = pkt_fill(VA(0), MIB, i);
			break;
		}
	}
	for (;;) {
		if (how < 4) {
			submit(fd, s.id, pkts, 64, NULL);
			continue;
		}
		submit(fd, s.id, pkts, 4, NULL);
		vm_unmap(fd, VA(0) + MIB, 2 * MIB);
		make_buffer(fd, DRM_ANPU_BO_HBM, 2 * MIB, VA(0) + MIB, RW, NULL);
		struct stream t;

		if (!stream_create(fd, 0, 16, &t))
			stream_destroy(fd, t.id);
	}
}

static int die(int how, int ms)
{
	int status, ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		close(ready[0]);
		close(ready[1]);
		work(how);
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) < 0)
		return -1;
	close(ready[0]);
	usleep(ms * 1000);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : -1;
}

#define KILLED_WHILE(name, how) \
TEST_F(death, killed_while_##name) \
{ \
	for (int i = 0; i < 4; i++) \
		ASSERT_EQ(0, die(how, 20 + i * 23)); \
	EXPECT_TRUE(SOON(hbm_free(self->fd) == self->free_before)); \
}

KILLED_WHILE(copying, 0)
KILLED_WHILE(an_operator_runs, 1)
KILLED_WHILE(waiting_for_a_semaphore, 2)
KILLED_WHILE(faulting, 3)
KILLED_WHILE(binding, 4)

TEST_F(death, others_go_on)
{
	union anpu_packet fill;
	struct stream s;
	unsigned char *p;

	p = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, die(i % 5, 10));
		fill = pkt_fill(VA(0), MIB, i + 1);
		ASSERT_EQ(0, run(self->fd, s.id, &fill, 1));
		ASSERT_EQ(i + 1, p[0]);
		ASSERT_EQ(i + 1, p[MIB - 1]);
	}
	EXPECT_EQ(0, s.status->errors);
}

TEST_F(death, many_at_once)
{
	pid_t pids[12];
	int status;

	for (int i = 0; i < 12; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			work(i % 4);
			_exit(1);
		}
	}
	usleep(300000);
	for (int i = 0; i < 12; i++)
		kill(pids[i], SIGKILL);
	for (int i = 0; i < 12; i++) {
		waitpid(pids[i], &status, 0);
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_TRUE(SOON(hbm_free(self->fd) == self->free_before));
}

TEST_F(death, exit_without_closing_anything)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			struct stream s;
			union anpu_packet nop = pkt_nop();
			int fd = anpu_open();

			_exit(fd < 0 || stream_create(fd, 0, 0, &s) ||
			      submit(fd, s.id, &nop, 1, NULL) ? 1 : 0);
		}
		int status;

		waitpid(pid, &status, 0);
		ASSERT_EQ(0, status);
	}
	EXPECT_TRUE(SOON(hbm_free(self->fd) == self->free_before));
}

TEST_HARNESS_MAIN
