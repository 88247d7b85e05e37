// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Memory and the numbers of address spaces are used again. The device must have forgotten what
 * they meant before anybody else gets them.
 */
#include "anpu_test.h"

#define SECRET	0x5ec7e75ec7e75ec7ULL
#define SIZE	(4 * MIB)

FIXTURE(recycle) {
	int victim;
	int fd;
	struct stream s;
	uint64_t *sink;
};

BOTH_WAYS(recycle);

FIXTURE_SETUP(recycle)
{
	struct rlimit files = { .rlim_cur = 8192, .rlim_max = 8192 };

	stream_mode = variant->mode;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	self->victim = anpu_open();
	self->fd = anpu_open();
	ASSERT_GE(self->victim, 0);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->sink = make_buffer(self->fd, DRM_ANPU_BO_HBM, SIZE, VA(1), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->sink);
}

FIXTURE_TEARDOWN(recycle)
{
	close(self->fd);
	close(self->victim);
}

/* The device's accesses of the attacker never pause while its memory becomes another's. */
static pid_t hammer(int fd, uint32_t stream)
{
	union anpu_packet pkts[64];
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Reads into the sink, and writes that would be seen, page by page. */
	for (uint64_t i = 0; i < 64; i++)
		pkts[i] = i & 1 ? pkt_fill(VA(0) + i * SIZE / 64, 64, 0xbd) :
				  pkt_copy(VA(1) + i * SIZE / 64, VA(0) + i * SIZE / 64, SIZE / 64);
	for (;;)
		submit(fd, stream, pkts, 64, NULL);
}

static int secrets(const uint64_t *p, uint64_t size)
{
	int n = 0;

	for (uint64_t i = 0; i < size / 8; i++)
		n += p[i] == SECRET;
	return n;
}

TEST_F_TIMEOUT(recycle, unmapped_memory_is_somebody_elses, 120)
{
	uint64_t *theirs, size = (hbm_free(self->victim) - 4 * SIZE) & ~(PAGE - 1);
	uint32_t bo, mine;
	int status;
	pid_t pid;

	/* Little is left, so that who takes all of it has what the attacker had. */
	ASSERT_EQ(0, bo_create(self->victim, DRM_ANPU_BO_HBM, size, 0, 0, &bo));
	pid = hammer(self->fd, self->s.id);
	for (int round = 0; round < 20; round++) {
		ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, SIZE, 0, 0, &mine));
		ASSERT_EQ(0, vm_map(self->fd, VA(0), SIZE, mine, RW));
		ASSERT_EQ(0, bo_close(self->fd, mine));
		/* The device gets to know it; then it is unmapped in different ways. */
		usleep(5000);
		for (uint64_t at = 0, part = round % 3 ? SIZE / 4 : SIZE; at < SIZE; at += part)
			ASSERT_EQ(0, vm_unmap(self->fd, VA(0) + at, part));
		size = hbm_free(self->victim) & ~(PAGE - 1);
		ASSERT_EQ(0, bo_create(self->victim, DRM_ANPU_BO_HBM, size, 0, 0, &bo));
		theirs = bo_map(self->victim, bo, size);
		ASSERT_NE(MAP_FAILED, theirs);
		for (uint64_t i = 0; i < size / 8; i += 8)
			theirs[i] = SECRET;
		usleep(5000);
		for (uint64_t i = 0; i < size / 8; i += 8)
			ASSERT_EQ(SECRET, theirs[i]);
		EXPECT_EQ(0, secrets(self->sink, SIZE));
		munmap(theirs, size);
		ASSERT_EQ(0, bo_close(self->victim, bo));
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	EXPECT_LT(0, self->s.status->errors);
}

TEST_F_TIMEOUT(recycle, more_processes_at_once_than_address_spaces, 120)
{
	enum { MOST = 4096 };
	union anpu_packet nop = pkt_nop();
	int fd[MOST], n = 0, ret;
	struct stream s;

	for (ret = 0; n < MOST; n++) {
		fd[n] = ret = anpu_open();
		if (ret < 0)
			break;
	}
	EXPECT_EQ(-ENOSPC, ret);
	ASSERT_LT(100, n);
	/* One goes, one comes; the newest works like the first. */
	close(fd[n / 2]);
	fd[n / 2] = anpu_open();
	ASSERT_GE(fd[n / 2], 0);
	ASSERT_EQ(0, stream_create(fd[n / 2], 0, 16, &s));
	EXPECT_EQ(0, run(fd[n / 2], s.id, &nop, 1));
	munmap((void *)s.status, PAGE);
	while (n)
		close(fd[--n]);
	EXPECT_EQ(0, run(self->fd, self->s.id, &nop, 1));
}

TEST_F_TIMEOUT(recycle, more_processes_one_after_the_other, 120)
{
	/* The device has translated VA(0) for each: the next owner of the number sees nothing. */
	for (int i = 0; i < 1200; i++) {
		int fd = anpu_open();
		union anpu_packet pkts[2] = { pkt_fill(VA(0), 8, 1), pkt_fill(VA(0), 8, 2) };
		struct user_queue *q;
		struct stream s;
		uint32_t bo;

		ASSERT_GE(fd, 0);
		ASSERT_EQ(0, stream_create(fd, 0, 16, &s));
		ASSERT_EQ(0, run(fd, s.id, &pkts[0], 1));
		ASSERT_EQ(1, s.status->errors);
		ASSERT_EQ(0, bo_create(fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo));
		ASSERT_EQ(0, vm_map(fd, VA(0), PAGE, bo, RW));
		ASSERT_EQ(0, run(fd, s.id, &pkts[1], 1));
		ASSERT_EQ(1, s.status->errors);
		/* As long as a page is mapped, the file is open. */
		munmap((void *)s.status, PAGE);
		q = user_queue_find(fd, s.id);
		if (q) {
			munmap(q->ring, PAGE);
			munmap((void *)q->control, PAGE);
			munmap((void *)q->doorbell, PAGE);
			user_queue_forget(fd, s.id);
		}
		close(fd);
	}
}

/* Takes all HBM that there is, as objects. Returns how many words of it are not 0. */
static int take_all(int fd)
{
	uint64_t size = hbm_free(fd) & ~(PAGE - 1);
	uint64_t *p;
	uint32_t bo;
	int n = 0;

	while (size && bo_create(fd, DRM_ANPU_BO_HBM, size, 0, 0, &bo))
		size -= PAGE;
	p = size ? bo_map(fd, bo, size) : MAP_FAILED;
	if (p == MAP_FAILED)
		return -1;
	for (uint64_t i = 0; i < size / 8; i++)
		n += !!p[i];
	munmap(p, size);
	return bo_close(fd, bo) ? -1 : n;
}

/* What stood in a ring is not in the memory that somebody else gets: also if that was clear before the ring was there. */
TEST_F_TIMEOUT(recycle, rings_are_cleared_for_others, 120)
{
	union anpu_packet pkts[64];
	struct stream s;

	for (int i = 0; i < 64; i++)
		pkts[i] = pkt_signal(VA(1), SECRET, 0);
	/* All of it is cleared, and known to be. */
	ASSERT_EQ(0, take_all(self->fd));
	ASSERT_EQ(0, take_all(self->fd));
	ASSERT_EQ(0, stream_create(self->victim, 0, 64, &s));
	ASSERT_EQ(0, submit(self->victim, s.id, pkts, 64, NULL));
	wait_seq(self->victim, s.id, 64);
	munmap((void *)s.status, PAGE);
	close(self->victim);
	EXPECT_EQ(0, take_all(self->fd));
	self->victim = anpu_open();
}

/* Memory that was given back and is being cleared is not missing when a ring needs it. */
TEST_F_TIMEOUT(recycle, a_ring_waits_for_memory_that_is_being_cleared, 120)
{
	uint64_t size = hbm_free(self->fd) & ~(PAGE - 1), *p;
	uint32_t bo = 0;
	struct stream s;

	for (int i = 0; i < 5; i++) {
		size = hbm_free(self->fd) & ~(PAGE - 1);
		while (size && bo_create(self->fd, DRM_ANPU_BO_HBM, size, 0, 0, &bo))
			size -= PAGE;
		p = bo_map(self->fd, bo, size);
		ASSERT_NE(MAP_FAILED, p);
		munmap(p, size);
		ASSERT_EQ(0, bo_close(self->fd, bo));
		ASSERT_EQ(0, stream_create(self->fd, 0, 65536, &s));
		munmap((void *)s.status, PAGE);
		ASSERT_EQ(0, stream_destroy(self->fd, s.id));
	}
}

TEST_HARNESS_MAIN
