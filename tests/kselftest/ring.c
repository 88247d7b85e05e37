// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A full ring, and many submitters of one. */
#include <pthread.h>

#include "faulty.h"

FIXTURE(ring) {
	int fd;
	struct stream s;
	volatile uint64_t *mem;
	union anpu_packet nops[64];
};

FIXTURE_SETUP(ring)
{
	union anpu_packet block = pkt_wait(VA(0), 1);

	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 16, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
	for (int i = 0; i < 64; i++)
		self->nops[i] = pkt_nop();
	/* The first packet waits until a test lets it go. */
	ASSERT_EQ(0, submit(self->fd, self->s.id, &block, 1, NULL));
}

FIXTURE_TEARDOWN(ring)
{
	close(self->fd);
}

TEST_F(ring, nonblocking)
{
	uint32_t submitted = 99;
	uint64_t seq;

	EXPECT_EQ(0, submit_flags(self->fd, self->s.id, self->nops, 64, DRM_ANPU_SUBMIT_NONBLOCK,
				  &seq, &submitted));
	EXPECT_EQ(15, submitted);
	EXPECT_EQ(16, seq);
	EXPECT_EQ(-EAGAIN, submit_flags(self->fd, self->s.id, self->nops, 1,
					DRM_ANPU_SUBMIT_NONBLOCK, &seq, &submitted));
	EXPECT_EQ(0, submitted);
	self->mem[0] = 1;
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 16));
	EXPECT_EQ(0, submit_flags(self->fd, self->s.id, self->nops, 16, DRM_ANPU_SUBMIT_NONBLOCK,
				  &seq, &submitted));
	EXPECT_EQ(16, submitted);
}

TEST_F(ring, blocking)
{
	uint32_t submitted;
	uint64_t seq;
	pid_t pid = fork();

	if (!pid) {
		usleep(100000);
		self->mem[0] = 1;
		_exit(0);
	}
	EXPECT_EQ(0, submit_flags(self->fd, self->s.id, self->nops, 64, 0, &seq, &submitted));
	EXPECT_EQ(64, submitted);
	EXPECT_EQ(65, seq);
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, seq));
	waitpid(pid, NULL, 0);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A signal comes as soon as the caller sleeps in the driver, and not before. */
static void interrupt_me(void)
{
	pid_t pid = getpid();

	if (fork())
		return;
	until_asleep(pid);
	kill(pid, SIGALRM);
	_exit(0);
}

TEST_F(ring, interrupted)
{
	struct sigaction action = { .sa_handler = on_alarm };
	uint32_t submitted;
	uint64_t seq;

	sigaction(SIGALRM, &action, NULL);
	interrupt_me();
	/* Packets that are in the ring already count: the call succeeds for that part. */
	EXPECT_EQ(0, submit_flags(self->fd, self->s.id, self->nops, 64, 0, &seq, &submitted));
	EXPECT_EQ(15, submitted);
	interrupt_me();
	EXPECT_EQ(-EINTR, submit_flags(self->fd, self->s.id, self->nops, 1, 0, &seq, &submitted));
	EXPECT_EQ(0, submitted);
	while (wait(NULL) > 0)
		;
}

TEST_F(ring, destroyed_under_a_submitter)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		uint32_t n;
		uint64_t seq;

		submit_flags(self->fd, self->s.id, self->nops, 15, 0, &seq, &n);
		_exit(submit(self->fd, self->s.id, self->nops, 1, NULL) == -EIO ? 0 : 1);
	}
	until_asleep(pid);
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

struct submitter {
	int fd;
	uint32_t stream;
	int error;
};

static void *submit_many(void *arg)
{
	struct submitter *me = arg;
	union anpu_packet add = pkt_signal(VA(0) + 64, 1, 0);

	add.sem_signal.op = ANPU_SEM_ADD;
	for (int i = 0; i < 500 && !me->error; i++)
		me->error = submit(me->fd, me->stream, &add, 1, NULL);
	return NULL;
}

TEST_F(ring, many_submitters)
{
	struct submitter args = { self->fd, self->s.id, 0 };
	pthread_t threads[4];

	self->mem[0] = 1;
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, submit_many, &args));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, args.error);
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 2001));
	EXPECT_EQ(2000, self->mem[8]);
}

/* Two packets that go round and round: whoever executes them looks for other work all the time, and says so. */
static int endless(int fd, union anpu_packet *start)
{
	union anpu_packet *loop = make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(1), RW, NULL);

	if (loop == MAP_FAILED)
		return -ENOMEM;
	loop[0] = pkt_nop();
	loop[1] = (union anpu_packet){ .jump = { .hdr.opcode = ANPU_OP_JUMP, .addr = VA(0) + 8,
		.mask = ~0ULL, .cond = ANPU_SEM_EQ, .width = 8 } };
	*start = (union anpu_packet){ .indirect = { .hdr.opcode = ANPU_OP_INDIRECT, .addr = VA(1), .count = 2 } };
	return 0;
}

TEST_F_TIMEOUT(ring, many_streams_need_no_doorbells, 90)
{
	enum { STREAMS = 32, ROUNDS = 20 };
	struct stream busy, s[STREAMS];
	union anpu_packet nop = pkt_nop(), loop;
	long long rung;
	uint64_t seq;

	if (device_value("shadow_polling") < 0)
		SKIP(return, "the device has no shadow doorbells");
	ASSERT_EQ(0, stream_create(self->fd, 0, 16, &busy));
	for (int i = 0; i < STREAMS; i++)
		ASSERT_EQ(0, stream_create(self->fd, 0, 16, &s[i]));
	ASSERT_EQ(0, endless(self->fd, &loop));
	ASSERT_EQ(0, submit(self->fd, busy.id, &loop, 1, NULL));
	ASSERT_TRUE(SOON(device_value("shadow_polling") == 1));
	rung = device_value("doorbells");
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < STREAMS; i++)
			ASSERT_EQ(0, submit(self->fd, s[i].id, &nop, 1, NULL));
		/* So that nobody is watched because of what came before. */
		for (int i = 0; i < STREAMS; i++)
			ASSERT_EQ(0, wait_seq(self->fd, s[i].id, round + 1));
	}
	rung = device_value("doorbells") - rung;
	/* Some, if another worker takes over. */
	EXPECT_GT(STREAMS * ROUNDS / 10, rung) {
		TH_LOG("%lld doorbells for %d packets", rung, STREAMS * ROUNDS);
	}
	self->mem[1] = 1;
	EXPECT_EQ(0, wait_seq(self->fd, busy.id, 1));
	/* A stream whose queue nobody polls does not wait for ever either. */
	for (int i = 0; i < STREAMS; i++) {
		EXPECT_TRUE(SOON(!device_value("shadow_polling")));
		EXPECT_EQ(0, submit(self->fd, s[i].id, &nop, 1, &seq));
		EXPECT_EQ(0, wait_seq(self->fd, s[i].id, seq));
	}
}

/* SUBMIT looks at how far the device is only if the ring seems full: it sees all the room there is. */
TEST_F(ring, room_that_was_not_looked_for)
{
	uint32_t submitted;
	uint64_t seq;

	EXPECT_EQ(0, submit_flags(self->fd, self->s.id, self->nops, 15, DRM_ANPU_SUBMIT_NONBLOCK, &seq,
				  &submitted));
	self->mem[0] = 1;
	for (int i = 0; i < 50; i++) {
		ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
		/* One, then as many as fit behind it. */
		ASSERT_EQ(0, submit(self->fd, self->s.id, self->nops, 1 + i % 16, &seq));
		ASSERT_EQ(0, wait_seq(self->fd, self->s.id, seq));
		ASSERT_EQ(0, submit_flags(self->fd, self->s.id, self->nops, 16, DRM_ANPU_SUBMIT_NONBLOCK, &seq,
					  &submitted));
		ASSERT_EQ(16, submitted);
	}
}

FIXTURE(idle) {
	int fd;
	struct stream s[2];
	uint32_t random;
};

/* With one stream its own status page says whether the device looks, with several the shadow doorbells do. */
FIXTURE_VARIANT(idle) {
	int streams;
};
FIXTURE_VARIANT_ADD(idle, one_stream) { .streams = 1 };
FIXTURE_VARIANT_ADD(idle, two_streams) { .streams = 2 };

FIXTURE_SETUP(idle)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	for (int i = 0; i < variant->streams; i++)
		ASSERT_EQ(0, stream_create(self->fd, 0, 16, &self->s[i]));
	/* The watchdog repairs what this test looks for. */
	if (set_parameter("watchdog_ms", "0"))
		SKIP(return, "only root can turn the watchdog off");
}

FIXTURE_TEARDOWN(idle)
{
	set_parameter("watchdog_ms", "10000");
	close(self->fd);
}

static void spin(int64_t ns)
{
	int64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

/*
 * The device stops looking at the very moment of a submission: either it sees the packet, or SUBMIT sees
 * that it has stopped, and rings. If neither did, the packet would lie there until the next one. The moment
 * is nanoseconds long: it is tried for many times, and tests/e2e/driver-build.sh looks for the barriers.
 */
TEST_F_TIMEOUT(idle, the_last_moment, 120)
{
	enum { ROUNDS = 5000, LOOKS_FOR_NS = 60000 };
	union anpu_packet nop = pkt_nop();

	for (int i = 0; i < ROUNDS; i++) {
		struct stream *s = &self->s[i % variant->streams];
		uint64_t seq;
		int64_t end;

		ASSERT_EQ(0, submit(self->fd, s->id, &nop, 1, &seq));
		for (end = late(); s->status->completed < seq && now_ns() < end; )
			;
		ASSERT_LE(seq, s->status->completed) {
			TH_LOG("the packet of round %d lies there", i);
		}
		spin(rand_r(&self->random) % LOOKS_FOR_NS);
	}
}

TEST_HARNESS_MAIN
