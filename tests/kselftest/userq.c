// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * User queues: what can be mapped by whom, what a hostile process can do with it (nothing but to hurt
 * its own stream), and how it is taken back. What packets do is tested by the other suites, both ways.
 */
#include <pthread.h>

#include "anpu_test.h"

#define SECRET	0x5ec7e7ULL

FIXTURE(userq) {
	int fd;
	struct drm_anpu_stream_create args;
	struct stream s;
	struct user_queue *q;
	uint64_t *mem;
	/* Somebody else, who must not notice anything. */
	int other;
	struct stream innocent;
	uint64_t *secret;
};

static int create(int fd, uint32_t flags, struct drm_anpu_stream_create *args)
{
	*args = (struct drm_anpu_stream_create){ .priority = 4, .ring_entries = 64,
		.flags = flags | DRM_ANPU_STREAM_USER_QUEUE };
	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, args);
}

static void *map(int fd, uint64_t offset, uint64_t size, int prot)
{
	return mmap(NULL, size, prot, MAP_SHARED, fd, offset);
}

FIXTURE_SETUP(userq)
{
	self->fd = anpu_open();
	self->other = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_GE(self->other, 0);
	ASSERT_EQ(0, create(self->fd, 0, &self->args));
	self->s.id = self->args.stream;
	self->s.queue = self->args.queue;
	self->s.status = map(self->fd, self->args.status_offset, PAGE, PROT_READ);
	ASSERT_NE(MAP_FAILED, (void *)self->s.status);
	ASSERT_EQ(0, user_queue_map(self->fd, &self->args, self->s.status));
	self->q = user_queue_find(self->fd, self->s.id);
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(1), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);

	ASSERT_EQ(0, stream_create(self->other, 0, 0, &self->innocent));
	self->secret = make_buffer(self->other, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->secret);
	for (uint64_t i = 0; i < MIB / 8; i++)
		self->secret[i] = SECRET;
}

FIXTURE_TEARDOWN(userq)
{
	union anpu_packet nop = pkt_nop();
	uint64_t sum = 0;

	EXPECT_EQ(0, run(self->other, self->innocent.id, &nop, 1));
	EXPECT_EQ(0, self->innocent.status->errors);
	for (uint64_t i = 0; i < MIB / 8; i++)
		sum += self->secret[i] != SECRET;
	EXPECT_EQ(0, sum);
	close(self->fd);
	close(self->other);
}

static int wait_state(const struct stream *s, uint32_t state)
{
	return SOON(s->status->state == state) ? 0 : -1;
}

static int reset_stream(int fd, uint32_t id)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_RESET_STREAM, .stream = id };

	return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &args);
}

/* Mapping the queue --------------------------------------------------------------------------- */

TEST_F(userq, the_driver_says_that_it_has_them)
{
	struct drm_anpu_info info = {};
	struct drm_anpu_dev_query query = {
		.type = DRM_ANPU_QUERY_INFO, .size = sizeof(info), .pointer = (uintptr_t)&info,
	};

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_DEV_QUERY, &query));
	EXPECT_TRUE(info.flags & DRM_ANPU_INFO_USER_QUEUES);
	EXPECT_NE(0, self->args.ring_offset);
	EXPECT_NE(0, self->args.control_offset);
	EXPECT_NE(0, self->args.doorbell_offset);
}

TEST_F(userq, submit_is_refused)
{
	union anpu_packet nop = pkt_nop();
	struct drm_anpu_submit args = { .stream = self->s.id, .packets = ARRAY(&nop, 1) };

	struct drm_anpu_submit_job job = { .stream = self->s.id, .packets = ARRAY(&nop, 1) };
	int ret;

	EXPECT_EQ(-EPERM, do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT, &args));
	ret = do_ioctl(self->fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &job);
	/* The direct engine has no fences. */
	EXPECT_TRUE(ret == -EPERM || ret == -EOPNOTSUPP);
}

TEST_F(userq, mappings_are_whole_shared_and_the_owners)
{
	const int rw = PROT_READ | PROT_WRITE;
	const uint64_t offsets[3] = { self->args.ring_offset, self->args.control_offset,
		self->args.doorbell_offset };

	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(MAP_FAILED, map(self->fd, offsets[i], 2 * PAGE, rw));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, rw, MAP_PRIVATE, self->fd, offsets[i]));
		EXPECT_EQ(EINVAL, errno);
		EXPECT_EQ(MAP_FAILED, map(self->other, offsets[i], PAGE, rw));
		EXPECT_EQ(EINVAL, errno);
		/* Neighbours: queues of others, of nobody, and the driver's own. */
		for (uint64_t n = 1; n < 16; n++) {
			EXPECT_EQ(MAP_FAILED, map(self->fd, offsets[i] + n * PAGE, PAGE, rw));
			EXPECT_EQ(MAP_FAILED, map(self->fd, offsets[i] - n * PAGE, PAGE, rw));
		}
	}
	EXPECT_EQ(MAP_FAILED, map(self->fd, self->args.status_offset, PAGE, rw));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect((void *)self->s.status, PAGE, rw));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(userq, other_streams_have_no_such_pages)
{
	struct stream s;

	ASSERT_EQ(0, stream_create(self->fd, 0, 64, &s));
	EXPECT_EQ(MAP_FAILED, map(self->fd, self->args.control_offset + (s.queue - self->s.queue) *
				  PAGE, PAGE, PROT_READ));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, map(self->fd, self->args.doorbell_offset + (s.queue - self->s.queue) *
				  PAGE, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(userq, rings_of_every_size)
{
	union anpu_packet nops[100];

	for (int i = 0; i < 100; i++)
		nops[i] = pkt_nop();
	stream_mode = DRM_ANPU_STREAM_USER_QUEUE;
	for (uint32_t entries = 16; entries <= 65536; entries *= 4) {
		struct stream s;

		ASSERT_EQ(0, stream_create(self->fd, 0, entries, &s));
		EXPECT_EQ(0, run(self->fd, s.id, nops, 100));
		EXPECT_EQ(0, s.status->errors);
		EXPECT_EQ(100, s.status->completed);
		EXPECT_EQ(0, stream_destroy(self->fd, s.id));
	}
}

TEST_F(userq, no_doorbell_while_polling)
{
	union anpu_packet nop = pkt_nop(), block = pkt_wait_us(VA(1), 1, 20000);
	uint64_t seq = 0;

	/* The protocol of the header, many times: nothing may get lost. */
	for (int i = 0; i < 20000; i++) {
		ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, &seq));
		if (i % 50 == 0)
			ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
		if (i % 1000 == 0)
			usleep(1000);
	}
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, seq));
	/* Parked, and asleep after it. */
	ASSERT_EQ(0, submit(self->fd, self->s.id, &block, 1, &seq));
	usleep(5000);
	ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, &seq));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, seq));
}

/* Hostile processes ---------------------------------------------------------------------------- */

TEST_F(userq, wild_indices_halt_the_stream_alone)
{
	const uint64_t wild[] = { 65, 1000, 1ULL << 32, 1ULL << 63, ~0ULL };
	union anpu_packet nop = pkt_nop();
	struct anpu_fault fault;

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		self->q->control->wptr = wild[i];
		*self->q->doorbell = wild[i];
		ASSERT_EQ(0, wait_state(&self->s, ANPU_QUEUE_HALTED));
		EXPECT_EQ(ANPU_FAULT_BAD_DOORBELL, last_fault(self->fd, self->s.id, &fault));
		EXPECT_EQ(-ECANCELED, wait_seq(self->fd, self->s.id, 1));
		EXPECT_EQ(0, run(self->other, self->innocent.id, &nop, 1));
		ASSERT_EQ(0, reset_stream(self->fd, self->s.id));
		EXPECT_EQ(0, self->q->control->wptr);
		EXPECT_EQ(0, run(self->fd, self->s.id, &nop, 1));
		/* Backwards. */
		self->q->control->wptr = 0;
		*self->q->doorbell = 0;
		ASSERT_EQ(0, wait_state(&self->s, ANPU_QUEUE_HALTED));
		ASSERT_EQ(0, reset_stream(self->fd, self->s.id));
	}
}

TEST_F(userq, wild_doorbell_accesses)
{
	volatile unsigned char *page = (void *)self->q->doorbell;
	union anpu_packet nop = pkt_nop();

	for (int i = 0; i < 4096; i += 7) {
		page[i] = 0xff;
		*(volatile uint16_t *)(page + (i & ~1)) = 0xffff;
		*(volatile uint32_t *)(page + (i & ~3)) = ~0u;
		if (i >= 8)
			*(volatile uint64_t *)(page + (i & ~7)) = ~0ULL;
	}
	EXPECT_EQ(0, run(self->fd, self->s.id, &nop, 1));
}

TEST_F(userq, random_packets)
{
	uint64_t seed = 0x9e3779b97f4a7c15ULL + getpid(), done = 0;

	TH_LOG("seed %#llx", (unsigned long long)seed);
	for (int round = 0; round < 50; round++) {
		union anpu_packet pkts[64];

		for (int i = 0; i < 64; i++) {
			for (int w = 0; w < 8; w++) {
				seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
				pkts[i].qword[w] = seed ^ seed >> 29;
			}
			/* Real opcodes, small flags, and addresses near those of both sides. */
			pkts[i].hdr.opcode = seed % ANPU_OP_COUNT;
			pkts[i].hdr.reserved = 0;
			pkts[i].hdr.flags &= 1;
			if (round % 2)
				pkts[i].qword[1] = VA(seed % 3) + (seed >> 40 & 0xff8);
			if (pkts[i].hdr.opcode == ANPU_OP_SEM_WAIT)
				pkts[i].sem_wait.timeout_us = 10;
			/* An operator from nowhere faults at once; a copy of 2^60 bytes, too. */
		}
		ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 64, &done));
		ASSERT_EQ(0, wait_seq(self->fd, self->s.id, done));
	}
	EXPECT_EQ(done, self->s.status->completed);
	EXPECT_GT(self->s.status->errors, 0);
}

struct scribbler {
	union anpu_packet *ring;
	volatile bool stop;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	uint64_t n = 1;

	while (!s->stop) {
		for (int i = 0; i < 64; i++) {
			n = n * 6364136223846793005ULL + 1;
			s->ring[i].qword[n >> 61] = n >> 3;
			s->ring[i] = n >> 62 ? pkt_copy(VA(1), VA(n >> 60 & 3), 8) : pkt_nop();
		}
	}
	return NULL;
}

/* Packets change while the device reads, checks and executes them. */
TEST_F(userq, packets_change_while_they_execute)
{
	struct scribbler args = { .ring = self->q->ring };
	int64_t end = now_ns() + SECONDS(1);
	pthread_t thread;
	uint64_t wptr = 0;

	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, &args));
	while (now_ns() < end) {
		wptr += 32;
		user_queue_publish(self->q, wptr);
		if (wait_seq_until(self->fd, self->s.id, wptr, late()))
			break;
	}
	args.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(wptr, self->s.status->completed);
}

TEST_F(userq, irq_at_is_anybodys)
{
	union anpu_packet nop = pkt_nop(), block = pkt_wait_us(VA(1), 1, 300000);
	uint64_t seq;
	pid_t pid;
	int status;

	/* An interrupt for each packet. */
	for (int i = 0; i < 2000; i++) {
		self->q->control->irq_at = i + 1;
		ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, &seq));
	}
	ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
	/* The driver's own number is overwritten under a sleeper, who can be killed all the same. */
	ASSERT_EQ(0, submit(self->fd, self->s.id, &block, 1, &seq));
	pid = fork();
	if (!pid)
		_exit(wait_seq_until(self->fd, self->s.id, seq, INT64_MAX) ? 1 : 0);
	for (int i = 0; i < 100; i++) {
		self->q->control->irq_at = 0;
		usleep(1000);
	}
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	/* The next WAIT writes the word anew. */
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, seq));
}

/* How it ends ---------------------------------------------------------------------------------- */

static void touch(struct user_queue *q)
{
	union anpu_packet nop = pkt_nop();

	for (int i = 0; i < 64; i++)
		q->ring[i] = nop;
	q->control->wptr = 64;
	*q->doorbell = 64;
}

TEST_F(userq, destroyed_pages_lead_nowhere)
{
	struct user_queue *q = self->q, old = *q;
	union anpu_packet nop = pkt_nop();
	struct stream next[4];
	int fd = anpu_open();

	ASSERT_EQ(0, run(self->fd, self->s.id, &nop, 1));
	ASSERT_EQ(0, stream_destroy(self->fd, self->s.id));
	EXPECT_EQ(0, self->s.status->completed);
	EXPECT_EQ(0, old.control->wptr);
	EXPECT_EQ(0, old.ring[0].qword[0]);
	/* Others get the queue: nothing of what is written to the old pages reaches them. */
	stream_mode = DRM_ANPU_STREAM_USER_QUEUE;
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, stream_create(fd, 0, 64, &next[i]));
	touch(&old);
	usleep(20000);
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, next[i].status->completed);
		EXPECT_EQ(0, user_queue_find(fd, next[i].id)->control->wptr);
		EXPECT_EQ(0, user_queue_find(fd, next[i].id)->ring[0].qword[0]);
		EXPECT_EQ(0, run(fd, next[i].id, &nop, 1));
	}
	EXPECT_EQ(0, self->s.status->completed);
	close(fd);
}

TEST_F(userq, pages_of_a_closed_file)
{
	struct user_queue old = *self->q;
	union anpu_packet nop = pkt_nop();
	struct stream s;

	/* The mappings keep the file open; only when they are gone, too, its queues are. */
	close(self->fd);
	touch(&old);
	EXPECT_TRUE(SOON(self->s.status->completed == 64));
	munmap(old.ring, PAGE);
	munmap((void *)old.control, PAGE);
	munmap((void *)old.doorbell, PAGE);
	self->fd = anpu_open();
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	EXPECT_EQ(0, run(self->fd, s.id, &nop, 1));
}

TEST_F(userq, reset_of_the_device)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_RESET_DEVICE };
	const volatile struct anpu_queue_status *status;
	union anpu_packet nop = pkt_nop();
	struct stream s;

	ASSERT_EQ(0, run(self->fd, self->s.id, &nop, 1));
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &args));
	/* The status page tells, the others are zero and lead nowhere. */
	EXPECT_EQ(ANPU_QUEUE_STOPPED, self->s.status->state);
	EXPECT_EQ(1, self->s.status->completed);
	EXPECT_EQ(0, self->q->control->wptr);
	touch(self->q);
	EXPECT_EQ(64, self->q->control->wptr);
	EXPECT_EQ(-EIO, wait_seq(self->fd, self->s.id, 2));
	EXPECT_EQ(1, self->s.status->completed);
	status = map(self->fd, self->args.status_offset, PAGE, PROT_READ);
	ASSERT_NE(MAP_FAILED, (void *)status);
	EXPECT_EQ(1, status->completed);
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	stream_mode = DRM_ANPU_STREAM_USER_QUEUE;
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	EXPECT_EQ(0, run(self->fd, s.id, &nop, 1));
	/* The fixture looks whether others still work: they have to begin again. */
	EXPECT_EQ(0, stream_destroy(self->other, self->innocent.id));
	stream_mode = 0;
	ASSERT_EQ(0, stream_create(self->other, 0, 0, &self->innocent));
}

TEST_F(userq, killed_while_submitting)
{
	uint64_t before = hbm_free(self->other);

	for (int i = 0; i < 10; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			union anpu_packet pkts[8];
			struct stream s;
			int fd = anpu_open();

			for (int n = 0; n < 8; n++)
				pkts[n] = n & 1 ? pkt_fill(VA(0), MIB, n) : pkt_fill(8, 8, 0);
			stream_mode = DRM_ANPU_STREAM_USER_QUEUE;
			if (stream_create(fd, 0, 0, &s) ||
			    make_buffer(fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL) == MAP_FAILED)
				_exit(1);
			while (!submit(fd, s.id, pkts, 8, NULL))
				;
			_exit(2);
		}
		usleep(20000 + i * 3000);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	EXPECT_TRUE(SOON(hbm_free(self->other) == before));
}

/* A part of a ring is no ring. */
TEST_F(userq, rings_are_mapped_whole)
{
	struct drm_anpu_stream_create args = { .priority = 4, .ring_entries = 128, .flags = DRM_ANPU_STREAM_USER_QUEUE };

	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args));
	EXPECT_EQ(MAP_FAILED, map(self->fd, args.ring_offset, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(MAP_FAILED, map(self->fd, args.ring_offset, 3 * PAGE, PROT_READ | PROT_WRITE));
	EXPECT_NE(MAP_FAILED, map(self->fd, args.ring_offset, 2 * PAGE, PROT_READ | PROT_WRITE));
}

/* Whatever a process writes where the driver tells the device the next number, who waits is woken. */
TEST_F(userq, waits_behind_a_number_that_was_overwritten)
{
	union anpu_packet block = pkt_wait(VA(1), 1);
	int status;
	pid_t pid;

	ASSERT_EQ(0, submit(self->fd, self->s.id, &block, 1, NULL));
	/* The driver has told that number, and then it is another one. */
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->s.id, 1, now_ns() + 1000000));
	self->q->control->irq_at = ~0ULL;
	pid = fork();
	if (!pid)
		_exit(-wait_seq_until(self->fd, self->s.id, 1, INT64_MAX));
	until_asleep(pid);
	EXPECT_EQ(1, self->q->control->irq_at);
	*(volatile uint64_t *)self->mem = 1;
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
