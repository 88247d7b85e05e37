// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* RESET of a stream and of the device. */
#include <pthread.h>
#include <sched.h>

#include "anpu_test.h"

FIXTURE(reset) {
	int fd;
	struct stream s;
	uint64_t *mem;
};

FIXTURE_SETUP(reset)
{
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
}

FIXTURE_TEARDOWN(reset)
{
	close(self->fd);
}

static int reset(int fd, uint32_t scope, uint32_t stream)
{
	struct drm_anpu_reset args = { .scope = scope, .stream = stream };

	return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &args);
}

TEST_F(reset, bad_arguments)
{
	EXPECT_EQ(-EINVAL, reset(self->fd, DRM_ANPU_END_TASK + 1, 0));
	EXPECT_EQ(-ENOENT, reset(self->fd, DRM_ANPU_RESET_STREAM, 99));
	EXPECT_EQ(-EINVAL, reset(self->fd, DRM_ANPU_RESET_DEVICE, 1));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_EQ(-EPERM, reset(self->fd, DRM_ANPU_RESET_DEVICE, 0));
}

TEST_F(reset, stream_starts_again_empty)
{
	union anpu_packet pkts[3] = { pkt_fill(8, 8, 0), pkt_wait(VA(0), 1), pkt_nop() };
	uint64_t seq;

	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 3, &seq));
	EXPECT_EQ(3, seq);
	ASSERT_TRUE(SOON(self->s.status->errors));
	EXPECT_EQ(1, self->s.status->errors);
	ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	EXPECT_EQ(0, self->s.status->completed);
	EXPECT_EQ(0, self->s.status->errors);
	EXPECT_EQ(ANPU_QUEUE_RUNNING, self->s.status->state);
	ASSERT_EQ(0, submit(self->fd, self->s.id, &pkts[2], 1, &seq));
	EXPECT_EQ(1, seq);
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 1));
}

TEST_F(reset, halted_stream_comes_back)
{
	union anpu_packet pkts[2] = { pkt_fill(8, 8, 0), pkt_nop() };
	struct stream s;

	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_STOP_ON_FAILURE, 0, &s));
	ASSERT_EQ(0, submit(self->fd, s.id, pkts, 2, NULL));
	EXPECT_EQ(-ECANCELED, wait_seq(self->fd, s.id, 2));
	ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_STREAM, s.id));
	EXPECT_EQ(0, run(self->fd, s.id, &pkts[1], 1));
}

TEST_F(reset, stream_waiters_are_woken)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1);
	int status;
	pid_t pid;

	ASSERT_EQ(0, submit(self->fd, self->s.id, &pkt, 1, NULL));
	pid = fork();
	if (!pid)
		_exit(wait_seq(self->fd, self->s.id, 1) == -EIO ? 0 : 1);
	until_asleep(pid);
	EXPECT_EQ(0, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* What was completed before a reset was completed, to the last packet; what was not is lost. */
TEST_F(reset, what_was_completed_before)
{
	union anpu_packet pkts[3] = { pkt_nop(), pkt_nop(), pkt_wait(VA(0), 1) };
	const volatile struct anpu_queue_status *status;

	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 3, NULL));
	ASSERT_EQ(0, wait_seq(self->fd, self->s.id, 2));
	ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_DEVICE, 0));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 1));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 2));
	EXPECT_EQ(-EIO, wait_seq(self->fd, self->s.id, 3));
	/* The status page has kept its numbers, also for who maps it only now. */
	status = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, self->s.offset);
	ASSERT_NE(MAP_FAILED, (void *)status);
	EXPECT_LE(2, status->completed);
	EXPECT_EQ(self->s.status->completed, status->completed);
	forget_dumps();
}

TEST_F(reset, device)
{
	struct pollfd pfd = { .fd = self->fd, .events = POLLIN };
	struct drm_anpu_event_subscribe sub = { .mask = DRM_ANPU_SUBSCRIBE_RESET };
	union anpu_packet pkt = pkt_wait(VA(0), 1), nop = pkt_nop();
	union anpu_packet copy = pkt_copy(VA(0) + 8, VA(0) + 16, 8);
	struct drm_anpu_event_reset ev;
	struct stream fresh;
	uint32_t bo;
	int status;
	pid_t pid;

	self->mem[2] = 0x1234;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &pkt, 1, NULL));
	pid = fork();
	if (!pid)
		_exit(wait_seq(self->fd, self->s.id, 1) == -EIO ? 0 : 1);
	until_asleep(pid);
	ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_DEVICE, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* The stream is dead and says so. */
	EXPECT_EQ(-EIO, submit(self->fd, self->s.id, &nop, 1, NULL));
	EXPECT_EQ(-EIO, wait_seq(self->fd, self->s.id, 1));
	EXPECT_EQ(-EIO, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	ASSERT_EQ(1, poll(&pfd, 1, 1000));
	ASSERT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
	EXPECT_EQ(DRM_ANPU_EVENT_RESET, ev.base.type);
	EXPECT_GT(ev.resets, 0);
	/* Memory and mappings are as they were, and new streams work. */
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &fresh));
	ASSERT_EQ(0, run(self->fd, fresh.id, &copy, 1));
	EXPECT_EQ(0, fresh.status->errors);
	EXPECT_EQ(0x1234, self->mem[1]);
	/* Clearing memory needs the driver's own queue. */
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 32 * MIB, 0, 0, &bo));
	ASSERT_EQ(0, bo_close(self->fd, bo));
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 32 * MIB, 0, 0, &bo));
}

TEST_F(reset, device_again_and_again)
{
	union anpu_packet nop = pkt_nop();
	struct stream s;

	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
		ASSERT_EQ(0, run(self->fd, s.id, &nop, 1));
		ASSERT_EQ(0, submit(self->fd, s.id, &nop, 1, NULL));
		ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_DEVICE, 0));
		ASSERT_EQ(0, stream_destroy(self->fd, s.id));
	}
}

/* What had completed has, for who asks later; what had not never will. */
TEST_F(reset, what_had_completed)
{
	union anpu_packet pkts[3] = { pkt_nop(), pkt_nop(), pkt_wait(VA(0), 1) };

	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 3, NULL));
	ASSERT_TRUE(SOON(self->s.status->state == ANPU_QUEUE_PARKED));
	ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_DEVICE, 0));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 0));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 1));
	EXPECT_EQ(0, wait_seq(self->fd, self->s.id, 2));
	EXPECT_EQ(-EIO, wait_seq(self->fd, self->s.id, 3));
	forget_dumps();
}

/* A task sleeps for the number that another one slept for in the stream's last life: the device is asked anew. */
TEST_F(reset, sleepers_of_each_life)
{
	union anpu_packet pkt;
	int status;
	pid_t pid;

	/* The watchdog repairs what this test looks for. */
	if (write_file("/sys/module/anpu/parameters/watchdog_ms", "0"))
		SKIP(return, "only root can turn the watchdog off");
	for (uint64_t life = 1; life < 4; life++) {
		pkt = pkt_wait(VA(0), life);
		ASSERT_EQ(0, submit(self->fd, self->s.id, &pkt, 1, NULL));
		pid = fork();
		if (!pid)
			_exit(wait_seq(self->fd, self->s.id, 1) ? 1 : 0);
		until_asleep(pid);
		*(volatile uint64_t *)self->mem = life;
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	}
	EXPECT_EQ(0, write_file("/sys/module/anpu/parameters/watchdog_ms", "10000"));
}

/* A thread that waits for a packet, and what has become of it */
struct sleeper {
	int fd;
	uint32_t stream;
	uint64_t seq;
	int ret;
	_Atomic pid_t tid;
};

static void *sleep_for(void *arg)
{
	struct sleeper *sleeper = arg;

	sleeper->tid = gettid();
	sleeper->ret = wait_seq_until(sleeper->fd, sleeper->stream, sleeper->seq, INT64_MAX);
	return NULL;
}

/* A thread that keeps the processor from those without such a priority */
struct hog {
	_Atomic bool runs;
	_Atomic bool enough;
};

static void *keep_the_processor(void *arg)
{
	struct sched_param param = { .sched_priority = 1 };
	struct hog *hog = arg;

	pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	hog->runs = true;
	while (!hog->enough)
		;
	return NULL;
}

/*
 * A thread slept for a packet that a reset has taken away, and gets no processor before the stream has completed a packet
 * of the same number in its next life: that is another one.
 */
TEST_F(reset, a_sleeper_that_comes_late)
{
	struct sleeper sleeper = { .fd = self->fd, .stream = self->s.id, .seq = 2, .ret = 1 };
	union anpu_packet pkts[2] = { pkt_wait(VA(0), 1), pkt_nop() };
	struct sched_param param = { .sched_priority = 2 };
	pthread_t threads[2];
	struct hog hog = {};
	cpu_set_t cpus;

	/* All threads are on one processor. */
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpus), &cpus));
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 2, NULL));
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, sleep_for, &sleeper));
	ASSERT_TRUE(SOON(sleeper.tid));
	until_asleep(sleeper.tid);
	EXPECT_EQ(0, pthread_setschedparam(pthread_self(), SCHED_FIFO, &param));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, keep_the_processor, &hog));
	EXPECT_TRUE(SOON(hog.runs));
	EXPECT_EQ(0, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	pkts[0] = pkts[1];
	EXPECT_EQ(0, submit(self->fd, self->s.id, pkts, 2, NULL));
	EXPECT_TRUE(SOON(self->s.status->completed == 2));
	hog.enough = true;
	pthread_join(threads[1], NULL);
	pthread_join(threads[0], NULL);
	EXPECT_EQ(-EIO, sleeper.ret);
}

static int do_reset(int fd, uint32_t scope, uint32_t stream)
{
	struct drm_anpu_reset args = { .scope = scope, .stream = stream };

	return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &args);
}

static int stream_set(int fd, uint32_t stream, uint32_t flags)
{
	struct drm_anpu_stream_set args = { .stream = stream, .flags = flags };

	return do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_SET, &args);
}

/* The mode of a stream can change while somebody waits for room in its ring, for however long. */
TEST(set_while_the_ring_is_full)
{
	union anpu_packet pkts[40] = { pkt_wait(VA(1), 1) };
	struct drm_anpu_stream_get_state state;
	int status, fd = anpu_open();
	struct stream s;
	pid_t pid;

	ASSERT_GE(fd, 0);
	for (int i = 1; i < 40; i++)
		pkts[i] = pkt_nop();
	ASSERT_NE(MAP_FAILED, make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(1), RW, NULL));
	ASSERT_EQ(0, stream_create(fd, 0, 16, &s));
	pid = fork();
	if (!pid)
		_exit(submit(fd, s.id, pkts, 40, NULL) ? 1 : 0);
	/* Then the ring is full. */
	do {
		usleep(1000);
		ASSERT_EQ(0, get_state(fd, s.id, &state, 0, NULL));
	} while (state.submitted < 16);
	EXPECT_EQ(0, stream_set(fd, s.id, DRM_ANPU_STREAM_STOP_ON_FAILURE));
	EXPECT_EQ(0, stream_set(fd, s.id, 0));
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(0, do_reset(fd, DRM_ANPU_ABORT_STREAM, s.id));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(fd);
}

/* The running packet is killed, those behind it are dropped, the numbers go on. */
TEST(abort_of_a_stream)
{
	union anpu_packet pkts[9] = { pkt_wait(VA(1), 1) };
	struct stream s;
	uint64_t seq;
	int fd = anpu_open();

	ASSERT_GE(fd, 0);
	for (int i = 1; i < 9; i++)
		pkts[i] = pkt_nop();
	ASSERT_NE(MAP_FAILED, make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(1), RW, NULL));
	ASSERT_EQ(0, stream_create(fd, 0, 16, &s));
	EXPECT_EQ(0, do_reset(fd, DRM_ANPU_ABORT_STREAM, s.id));
	EXPECT_EQ(0, s.status->errors);
	ASSERT_EQ(0, submit(fd, s.id, pkts, 9, &seq));
	/* Only a packet that has begun is killed for itself. */
	ASSERT_TRUE(SOON(s.status->started));
	EXPECT_EQ(0, do_reset(fd, DRM_ANPU_ABORT_STREAM, s.id));
	EXPECT_EQ(9, s.status->completed);
	EXPECT_EQ(2, s.status->errors);
	EXPECT_EQ(ANPU_FAULT_KILLED, s.status->fault[0].cause);
	EXPECT_EQ(0, wait_seq(fd, s.id, seq));
	ASSERT_EQ(0, run(fd, s.id, &pkts[1], 8));
	EXPECT_EQ(17, s.status->completed);
	EXPECT_EQ(2, s.status->errors);
	EXPECT_EQ(-ENOENT, do_reset(fd, DRM_ANPU_ABORT_STREAM, s.id + 1));
	EXPECT_EQ(-EINVAL, do_reset(fd, DRM_ANPU_END_TASK + 1, s.id));
	close(fd);
}

/* An abort wakes threads that wait for packets, and those that wait for room in the ring. */
TEST(abort_wakes_waiters)
{
	union anpu_packet hang = pkt_wait(VA(1), 1), nop = pkt_nop();
	struct stream s;
	uint64_t seq;
	pid_t pid;
	int status, fd = anpu_open();

	ASSERT_GE(fd, 0);
	ASSERT_NE(MAP_FAILED, make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, VA(1), RW, NULL));
	ASSERT_EQ(0, stream_create(fd, 0, 16, &s));
	for (int i = 0; i < 50; i++) {
		ASSERT_EQ(0, submit(fd, s.id, &hang, 1, &seq));
		pid = fork();
		if (!pid) {
			for (int k = 0; k < 40; k++)
				if (submit(fd, s.id, &nop, 1, &seq))
					_exit(1);
			_exit(wait_seq(fd, s.id, seq) ? 2 : 0);
		}
		usleep(i * 100);
		EXPECT_EQ(0, do_reset(fd, DRM_ANPU_ABORT_STREAM, s.id));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
	}
	close(fd);
}

TEST(failure_mode_of_a_running_stream)
{
	union anpu_packet pkts[3] = { pkt_nop(), pkt_copy(VA(9), VA(9), 4), pkt_nop() };
	struct stream s;
	uint64_t seq;
	int fd = anpu_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, stream_create(fd, 0, 16, &s));
	ASSERT_EQ(0, run(fd, s.id, pkts, 3));
	EXPECT_EQ(-EINVAL, stream_set(fd, s.id, DRM_ANPU_STREAM_USER_QUEUE));
	EXPECT_EQ(-ENOENT, stream_set(fd, s.id + 1, 0));
	ASSERT_EQ(0, stream_set(fd, s.id, DRM_ANPU_STREAM_STOP_ON_FAILURE));
	ASSERT_EQ(0, submit(fd, s.id, pkts, 3, &seq));
	EXPECT_EQ(-ECANCELED, wait_seq(fd, s.id, seq));
	EXPECT_EQ(ANPU_QUEUE_HALTED, s.status->state);
	/* It stays halted, is woken by ABORT, and keeps the mode through a RESET. */
	ASSERT_EQ(0, stream_set(fd, s.id, 0));
	EXPECT_EQ(-ECANCELED, submit(fd, s.id, pkts, 1, &seq));
	EXPECT_EQ(0, do_reset(fd, DRM_ANPU_ABORT_STREAM, s.id));
	ASSERT_EQ(0, run(fd, s.id, pkts, 3));
	ASSERT_EQ(0, stream_set(fd, s.id, DRM_ANPU_STREAM_STOP_ON_FAILURE));
	EXPECT_EQ(0, do_reset(fd, DRM_ANPU_RESET_STREAM, s.id));
	ASSERT_EQ(0, submit(fd, s.id, pkts, 3, &seq));
	EXPECT_EQ(-ECANCELED, wait_seq(fd, s.id, seq));
	/* The stream keeps the other mode over a reset, too. */
	EXPECT_EQ(0, do_reset(fd, DRM_ANPU_ABORT_STREAM, s.id));
	ASSERT_EQ(0, stream_set(fd, s.id, 0));
	EXPECT_EQ(0, do_reset(fd, DRM_ANPU_RESET_STREAM, s.id));
	EXPECT_EQ(0, run(fd, s.id, pkts, 3));
	EXPECT_EQ(1, s.status->errors);
	close(fd);
}

TEST_HARNESS_MAIN
