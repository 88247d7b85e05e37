// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device fails, and the driver gets over it: queues that do not stop, start or go on, what gets
 * lost on its way, a device that stands still. Needs a device that fails on request (inject=on).
 */
#include "faulty.h"

#define CODE	VA(10)
#define DATA	VA(11)

#define ONCE(queue)	ANPU_INJECT(1, queue, 0)
#define ALWAYS(queue)	ANPU_INJECT(ANPU_INJECT_ALWAYS, queue, 0)
#define ANY		ANPU_INJECT_ANY

FIXTURE(faults) {
	int fd;
	int other_fd;
	struct stream s;
	struct stream other;		/* another program's */
	uint64_t *mem;
	long long resets;
	long long queue_resets;
};

FIXTURE_SETUP(faults)
{
	if (!can_inject())
		SKIP(return, "this device does not fail on request, see machines");
	/* Once in a while, so that it is noticed soon. */
	ASSERT_EQ(0, set_parameter("watchdog_ms", "1000"));
	forget_dumps();
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	self->other_fd = anpu_open();
	ASSERT_GE(self->other_fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	ASSERT_EQ(0, stream_create(self->other_fd, 0, 0, &self->other));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, self->mem);
	self->resets = device_value("driver_resets");
	self->queue_resets = device_value("queue_resets");
	ASSERT_GE(self->resets, 0);
	ASSERT_GE(self->queue_resets, 0);
}

FIXTURE_TEARDOWN(faults)
{
	union anpu_packet nop = pkt_nop();
	struct stream s;
	int fd;

	inject_nothing();
	close(self->fd);
	close(self->other_fd);
	/* Whatever it was, it is over. */
	fd = anpu_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, stream_create(fd, 0, 0, &s));
	EXPECT_EQ(0, run(fd, s.id, &nop, 1));
	close(fd);
	forget_dumps();
	set_parameter("watchdog_ms", "10000");
}

/* The device was not reset, and who had nothing to do with it did not notice. */
#define OTHERS_GO_ON() do { \
	union anpu_packet nop_ = pkt_nop(); \
	EXPECT_EQ(self->resets, device_value("driver_resets")); \
	EXPECT_EQ(0, run(self->other_fd, self->other.id, &nop_, 1)); \
	EXPECT_EQ(0, self->other.status->errors); \
} while (0)

/* It was: all streams are dead, memory is not. */
#define DEVICE_WAS_RESET() do { \
	union anpu_packet nop_ = pkt_nop(), copy_ = pkt_copy(VA(0) + 8, VA(0), 8); \
	struct stream fresh_; \
	EXPECT_EQ(self->resets + 1, device_value("driver_resets")); \
	EXPECT_EQ(-EIO, submit(self->other_fd, self->other.id, &nop_, 1, NULL)); \
	self->mem[0] = 0x1234; \
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &fresh_)); \
	EXPECT_EQ(0, run(self->fd, fresh_.id, &copy_, 1)); \
	EXPECT_EQ(0, fresh_.status->errors); \
	EXPECT_EQ(0x1234, self->mem[1]); \
} while (0)

static int reset(int fd, uint32_t scope, uint32_t stream)
{
	struct drm_anpu_reset args = { .scope = scope, .stream = stream };

	return do_ioctl(fd, DRM_IOCTL_ANPU_RESET, &args);
}

static int subscribe(int fd, uint32_t mask)
{
	struct drm_anpu_event_subscribe args = { .mask = mask };

	return do_ioctl(fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &args);
}

/* An operator that counts in memory until it is killed. */
static int counting_operator(int fd, union anpu_packet *pkt)
{
	uint32_t *code = make_buffer(fd, DRM_ANPU_BO_HBM, PAGE, CODE, RX, NULL);

	if (code == MAP_FAILED)
		return -ENOMEM;
	code[0] = RV_SD(R_A1, 0, R_A0);
	code[1] = RV_ADDI(R_A1, R_A1, 1);
	code[2] = 0xff9ff06f; /* j -8 */
	*pkt = pkt_kernel(CODE, DATA, 64, ANPU_TIMEOUT_NEVER);
	return 0;
}

/* Stop, reset of the queue, reset of the device ------------------------------------------------ */

TEST_F_TIMEOUT(faults, a_queue_that_does_not_stop_is_reset, 60)
{
	struct drm_anpu_event_fault ev;
	union anpu_packet nop = pkt_nop();
	char line[100];

	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_FAULT | DRM_ANPU_SUBSCRIBE_RESET));
	ASSERT_EQ(0, inject(ANPU_INJECT_HANG, ONCE(self->s.queue)));
	ASSERT_EQ(0, inject(ANPU_INJECT_STOP, ALWAYS(self->s.queue)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, NULL));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, NULL));
	ASSERT_TRUE(SOON(self->s.status->started == 1));
	EXPECT_EQ(0, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	EXPECT_EQ(self->queue_resets + 1, device_value("queue_resets"));
	snprintf(line, sizeof(line), "queue %u asid ", self->s.queue);
	EXPECT_TRUE(dump_says("a queue does not stop and is reset", line));
	/* The owner is told of the killed task as of any other failure. */
	ASSERT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
	EXPECT_EQ(DRM_ANPU_EVENT_FAULT, ev.base.type);
	EXPECT_EQ(ANPU_FAULT_KILLED, ev.cause);
	/* The stream begins again. */
	inject_nothing();
	EXPECT_EQ(0, run(self->fd, self->s.id, &nop, 1));
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, destroy_resets_a_stuck_queue, 60)
{
	union anpu_packet nop = pkt_nop();

	ASSERT_EQ(0, inject(ANPU_INJECT_HANG, ONCE(self->s.queue)));
	ASSERT_EQ(0, inject(ANPU_INJECT_STOP, ONCE(self->s.queue)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, NULL));
	ASSERT_TRUE(SOON(self->s.status->started == 1));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	EXPECT_EQ(self->queue_resets + 1, device_value("queue_resets"));
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, then_the_device_is_reset, 60)
{
	struct drm_anpu_event_reset ev;
	union anpu_packet nop = pkt_nop();
	int status;
	pid_t pid;

	ASSERT_EQ(0, subscribe(self->other_fd, DRM_ANPU_SUBSCRIBE_RESET));
	ASSERT_EQ(0, inject(ANPU_INJECT_HANG, ALWAYS(self->s.queue)));
	ASSERT_EQ(0, inject(ANPU_INJECT_STOP, ALWAYS(self->s.queue)));
	ASSERT_EQ(0, inject(ANPU_INJECT_QUEUE_RESET, ALWAYS(self->s.queue)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, NULL));
	ASSERT_TRUE(SOON(self->s.status->started == 1));
	pid = fork();
	if (!pid)
		_exit(wait_seq_until(self->fd, self->s.id, 1, INT64_MAX) == -EIO ? 0 : 1);
	until_asleep(pid);
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	inject_nothing();
	ASSERT_EQ(sizeof(ev), read(self->other_fd, &ev, sizeof(ev)));
	EXPECT_EQ(DRM_ANPU_EVENT_RESET, ev.base.type);
	EXPECT_TRUE(dump_says("a queue does not stop and is reset", "queue_resets"));
	DEVICE_WAS_RESET();
}

/* An operator goes on writing until the device is reset: its memory is nobody else's before that. */
TEST_F_TIMEOUT(faults, memory_of_what_does_not_stop_is_not_reused, 90)
{
	int ready[2], status, fd;
	uint32_t queue = 0, bo;
	struct drm_anpu_memory_info info;
	uint64_t *mem, bad = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		union anpu_packet pkt;
		struct stream s;

		close(self->fd);
		close(self->other_fd);
		fd = anpu_open();
		mem = make_buffer(fd, DRM_ANPU_BO_HBM, 64 * MIB, DATA, RW, NULL);
		if (mem == MAP_FAILED || counting_operator(fd, &pkt) || stream_create(fd, 0, 16, &s))
			_exit(1);
		if (inject(ANPU_INJECT_STOP, ALWAYS(s.queue)) ||
		    inject(ANPU_INJECT_QUEUE_RESET, ALWAYS(s.queue)) ||
		    submit(fd, s.id, &pkt, 1, NULL) || !SOON(*(volatile uint64_t *)mem > 1000) ||
		    write(ready[1], &s.queue, sizeof(s.queue)) < 0)
			_exit(2);
		pause();
	}
	ASSERT_EQ(sizeof(queue), read(ready[0], &queue, sizeof(queue)));
	kill(pid, SIGKILL);
	/* While the process is being taken down, and after that. */
	fd = anpu_open();
	ASSERT_GE(fd, 0);
	for (int round = 0; round < 20; round++) {
		ASSERT_EQ(0, memory_info(fd, &info));
		if (info.hbm_free < 16 * MIB)
			continue;
		ASSERT_EQ(0, bo_create(fd, DRM_ANPU_BO_HBM, info.hbm_free - 8 * MIB, 0, 0, &bo));
		mem = bo_map(fd, bo, info.hbm_free - 8 * MIB);
		ASSERT_NE(MAP_FAILED, mem);
		for (int again = 0; again < 3; again++, usleep(30000)) {
			for (uint64_t i = 0; i < (info.hbm_free - 8 * MIB) / 8; i += PAGE / 8)
				bad += mem[i] != 0;
		}
		munmap(mem, info.hbm_free - 8 * MIB);
		bo_close(fd, bo);
	}
	close(fd);
	EXPECT_EQ(0, bad);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(SOON(device_value("driver_resets") == self->resets + 1));
	inject_nothing();
	DEVICE_WAS_RESET();
}

TEST_F_TIMEOUT(faults, a_queue_that_does_not_obey_ends, 60)
{
	union anpu_packet nop = pkt_nop();

	/* The command and the STOP that follows. */
	ASSERT_EQ(0, inject(ANPU_INJECT_STOP, ANPU_INJECT(2, self->s.queue, 0)));
	EXPECT_EQ(-EIO, reset(self->fd, DRM_ANPU_ABORT_STREAM, self->s.id));
	EXPECT_EQ(self->queue_resets + 1, device_value("queue_resets"));
	EXPECT_EQ(-EIO, submit(self->fd, self->s.id, &nop, 1, NULL));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	OTHERS_GO_ON();
}

/* Start ---------------------------------------------------------------------------------------- */

TEST_F_TIMEOUT(faults, a_queue_that_does_not_start_is_set_aside, 60)
{
	struct stream s, next, again;

	ASSERT_EQ(0, inject(ANPU_INJECT_START, ONCE(ANY)));
	EXPECT_EQ(-EIO, stream_create(self->fd, 0, 0, &s));
	OTHERS_GO_ON();
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &next));
	ASSERT_EQ(0, stream_destroy(self->fd, next.id));
	/* A reset of the device gives it back. */
	ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_DEVICE, 0));
	ASSERT_EQ(0, stream_destroy(self->fd, self->s.id));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &again));
	EXPECT_LT(again.queue, next.queue);
}

/* The device gets no processor of its host for longer than it may take to acknowledge something. */
TEST_F_TIMEOUT(faults, a_late_device_has_not_failed, 60)
{
	union anpu_packet nop = pkt_nop();
	struct stream s;

	ASSERT_EQ(0, set_parameter("watchdog_ms", "10000"));
	ASSERT_EQ(0, set_parameter("stop_timeout_ms", "100"));
	ASSERT_EQ(0, inject(ANPU_INJECT_FREEZE, ANPU_INJECT(1, ANY, 1500)));
	EXPECT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, set_parameter("stop_timeout_ms", "1000"));
	EXPECT_EQ(0, run(self->fd, s.id, &nop, 1));
	EXPECT_EQ(self->resets, device_value("driver_resets"));
	OTHERS_GO_ON();
}

/* It is later than that: the stream fails, and its queue can be had again when the device has gone on. */
TEST_F_TIMEOUT(faults, a_queue_that_starts_too_late_is_given_back, 60)
{
	struct stream s, first = {};

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	ASSERT_EQ(0, stream_destroy(self->fd, s.id));
	ASSERT_EQ(0, set_parameter("watchdog_ms", "0"));
	ASSERT_EQ(0, set_parameter("stop_timeout_ms", "100"));
	ASSERT_EQ(0, inject(ANPU_INJECT_FREEZE, ANPU_INJECT(1, ANY, 1500)));
	EXPECT_EQ(-EIO, stream_create(self->fd, 0, 0, &first));
	ASSERT_EQ(0, set_parameter("stop_timeout_ms", "1000"));
	EXPECT_TRUE(SOON(!stream_create(self->fd, 0, 0, &first) && !stream_destroy(self->fd, first.id) &&
			 first.queue == s.queue));
	ASSERT_EQ(0, set_parameter("watchdog_ms", "10000"));
	EXPECT_EQ(self->resets, device_value("driver_resets"));
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, a_refused_queue_hurts_nobody, 60)
{
	struct stream s, next;

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &next));
	ASSERT_EQ(0, stream_destroy(self->fd, next.id));
	ASSERT_EQ(0, inject(ANPU_INJECT_REFUSE, ONCE(ANY)));
	EXPECT_EQ(-EIO, stream_create(self->fd, 0, 0, &s));
	EXPECT_EQ(self->queue_resets, device_value("queue_resets"));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
	/* The same queue again: it was given back. */
	EXPECT_EQ(next.queue, s.queue);
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, a_queue_that_does_not_start_again, 60)
{
	/* Its process can fill the ring, so waiting for an answer that may come is no choice. */
	ASSERT_EQ(0, inject(ANPU_INJECT_START, ONCE(self->s.queue)));
	EXPECT_EQ(-EIO, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	EXPECT_TRUE(dump_says("a queue does not start", "\nqueue "));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	DEVICE_WAS_RESET();
}

TEST_F_TIMEOUT(faults, a_refused_restart, 60)
{
	ASSERT_EQ(0, inject(ANPU_INJECT_REFUSE, ONCE(self->s.queue)));
	EXPECT_EQ(-EIO, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	EXPECT_EQ(self->queue_resets, device_value("queue_resets"));
	OTHERS_GO_ON();
}

/* The whole device ----------------------------------------------------------------------------- */

TEST_F_TIMEOUT(faults, an_invalidation_that_is_not_done, 60)
{
	uint32_t bo;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_SYSTEM, MIB, 0, 0, &bo));
	ASSERT_EQ(0, vm_map(self->fd, VA(3), MIB, bo, RW));
	ASSERT_EQ(0, inject(ANPU_INJECT_INVALIDATE, ONCE(ANY)));
	/* The mapping is gone when it returns: a reset makes the device forget it as well. */
	EXPECT_EQ(0, vm_unmap(self->fd, VA(3), MIB));
	EXPECT_TRUE(dump_says("it does not acknowledge a TLB invalidation", "\ntlb_issued "));
	DEVICE_WAS_RESET();
}

TEST_F_TIMEOUT(faults, a_slow_reset, 60)
{
	ASSERT_EQ(0, inject(ANPU_INJECT_RESET, ANPU_INJECT(1, ANY, 700)));
	EXPECT_EQ(0, reset(self->fd, DRM_ANPU_RESET_DEVICE, 0));
	DEVICE_WAS_RESET();
}

TEST_F_TIMEOUT(faults, a_broken_event_queue, 60)
{
	union anpu_packet notify = pkt_notify(1, 1);

	ASSERT_EQ(0, inject(ANPU_INJECT_EVENT, ONCE(ANY)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &notify, 1, NULL));
	ASSERT_TRUE(SOON(device_value("driver_resets") == self->resets + 1));
	EXPECT_TRUE(dump_says("an event queue is broken", "\nevent_queue 0: "));
	DEVICE_WAS_RESET();
}

TEST_F_TIMEOUT(faults, a_device_that_stands_still, 60)
{
	union anpu_packet nop = pkt_nop();
	uint64_t seq;

	ASSERT_EQ(0, inject(ANPU_INJECT_FREEZE, ONCE(ANY)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, &seq));
	EXPECT_EQ(-EIO, wait_seq_until(self->fd, self->s.id, seq, late()));
	EXPECT_TRUE(SOON(device_value("driver_resets") == self->resets + 1));
	EXPECT_TRUE(dump_says("its heartbeat has stopped", " submitted 1 completed 0 "));
	DEVICE_WAS_RESET();
}

/* Clearing memory is the driver's own work, on a queue of its own. */
TEST_F_TIMEOUT(faults, the_drivers_own_queue_hangs, 90)
{
	uint64_t *mem, bad = 0;
	uint32_t bo;

	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, 32 * MIB, 0, 0, &bo));
	mem = bo_map(self->fd, bo, 32 * MIB);
	ASSERT_NE(MAP_FAILED, mem);
	memset(mem, 0xff, 32 * MIB);
	ASSERT_EQ(0, inject(ANPU_INJECT_HANG, ONCE(0)));
	munmap(mem, 32 * MIB);
	ASSERT_EQ(0, bo_close(self->fd, bo));
	/* All there is, so that it waits for what is being cleared. */
	ASSERT_EQ(0, bo_create(self->fd, DRM_ANPU_BO_HBM, hbm_free(self->fd) & ~(PAGE - 1), 0, 0,
			       &bo));
	mem = bo_map(self->fd, bo, 64 * MIB);
	ASSERT_NE(MAP_FAILED, mem);
	for (uint64_t i = 0; i < 64 * MIB / 8; i++)
		bad += mem[i] != 0;
	EXPECT_EQ(0, bad);
	munmap(mem, 64 * MIB);
	ASSERT_EQ(0, bo_close(self->fd, bo));
	EXPECT_TRUE(dump_says("its packet makes no progress", "\nqueue 0 asid 0 "));
	DEVICE_WAS_RESET();
}

/* Lost messages -------------------------------------------------------------------------------- */

TEST_F_TIMEOUT(faults, lost_interrupts, 60)
{
	union anpu_packet wait = pkt_wait_us(VA(0), 1, 200000);
	long long lost = device_value("lost_interrupts");
	uint64_t seq;

	ASSERT_EQ(0, inject(ANPU_INJECT_INTERRUPT, ALWAYS(ANY)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &wait, 1, &seq));
	EXPECT_EQ(0, wait_seq_until(self->fd, self->s.id, seq, INT64_MAX));
	EXPECT_LT(lost, device_value("lost_interrupts"));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	EXPECT_EQ(self->queue_resets, device_value("queue_resets"));
	inject_nothing();
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, a_lost_notification_comes_late, 60)
{
	struct pollfd pfd = { .fd = self->fd, .events = POLLIN };
	union anpu_packet notify = pkt_notify(5, 6);
	struct drm_anpu_event_notify ev;

	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_NOTIFY));
	ASSERT_EQ(0, inject(ANPU_INJECT_INTERRUPT, ALWAYS(ANY)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &notify, 1, NULL));
	ASSERT_EQ(1, poll(&pfd, 1, 30000));
	ASSERT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
	EXPECT_EQ(5, ev.cookie);
	inject_nothing();
	OTHERS_GO_ON();
}

/*
 * An event that arrives just before the watchdog looks is not late: only one that it has seen
 * before is. So a lost one takes a whole interval at least, however fast the machine is.
 */
TEST_F_TIMEOUT(faults, an_event_is_late_only_if_it_was_there_before, 60)
{
	struct pollfd pfd = { .fd = self->fd, .events = POLLIN };
	union anpu_packet notify = pkt_notify(5, 6);
	struct drm_anpu_event_notify ev;

	ASSERT_EQ(0, set_parameter("watchdog_ms", "2000"));
	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_NOTIFY));
	for (int i = 0; i < 4; i++) {
		int64_t begin;

		/* It has looked, and there was nothing. */
		usleep(1300000);
		ASSERT_EQ(0, inject(ANPU_INJECT_INTERRUPT, ONCE(ANY)));
		begin = now_ns();
		ASSERT_EQ(0, submit(self->fd, self->s.id, &notify, 1, NULL));
		ASSERT_EQ(1, poll(&pfd, 1, 30000));
		EXPECT_LE(SECONDS(1) / 2 - 20000000, now_ns() - begin);
		ASSERT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
	}
	OTHERS_GO_ON();
}

/* The status page tells of a failure before its event has come: a program may abort or reset and go on by then. */
TEST_F_TIMEOUT(faults, a_late_failure_does_not_halt_what_was_aborted, 60)
{
	static const uint32_t ways[] = { DRM_ANPU_ABORT_STREAM, DRM_ANPU_RESET_STREAM };
	struct drm_anpu_stream_set stop = { .flags = DRM_ANPU_STREAM_STOP_ON_FAILURE };
	union anpu_packet bad = pkt_fill(8, 8, 0), nop = pkt_nop();
	struct drm_anpu_event_fault ev;
	struct stream s[2];

	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_FAULT));
	for (int way = 0; way < 2; way++) {
		for (int i = 0; i < 2; i++)
			ASSERT_EQ(0, stream_create_group(self->fd, stop.flags, 16, 1 + way, &s[i]));
		/* Interrupts are lost: the event comes when the watchdog looks, whose period this test shortens later. */
		ASSERT_EQ(0, set_parameter("watchdog_ms", "600000"));
		ASSERT_EQ(0, inject(ANPU_INJECT_INTERRUPT, ALWAYS(ANY)));
		ASSERT_EQ(0, submit(self->fd, s[0].id, &bad, 1, NULL));
		ASSERT_TRUE(SOON(s[0].status->state == ANPU_QUEUE_HALTED));
		ASSERT_EQ(0, reset(self->fd, ways[way], s[1].id));
		inject_nothing();
		ASSERT_EQ(0, set_parameter("watchdog_ms", "400"));
		ASSERT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
		EXPECT_EQ(s[0].id, ev.stream);
		/* Commands run in order: if the driver had told the device to halt this queue, that would be done. */
		stop.stream = s[1].id;
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &stop));
		EXPECT_EQ(0, run(self->fd, s[1].id, &nop, 1));
		EXPECT_EQ(0, s[1].status->errors);
	}
	OTHERS_GO_ON();
}

/* How many event queues the driver has, by its interrupts */
static unsigned int event_queues(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned int n = 0;
	char line[4096];

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "anpu-") != NULL;
	if (f)
		fclose(f);
	return n;
}

/*
 * With several event queues the failure of a stream can also come when another stream of its group has been reset, and its STOPPED
 * has come by another event queue.
 */
TEST_F_TIMEOUT(faults, a_late_failure_of_another_event_queue, 60)
{
	struct drm_anpu_stream_set stop = { .flags = DRM_ANPU_STREAM_STOP_ON_FAILURE };
	union anpu_packet bad = pkt_fill(8, 8, 0), nop = pkt_nop();
	unsigned int queues = event_queues(), n = 0;
	struct drm_anpu_event_fault ev;
	struct stream s[3];

	if (queues < 2)
		SKIP(return, "one event queue, see machines");
	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_FAULT));
	ASSERT_EQ(0, stream_create_group(self->fd, stop.flags, 16, 1, &s[0]));
	do {
		ASSERT_GT(3, ++n);
		ASSERT_EQ(0, stream_create_group(self->fd, stop.flags, 16, 1, &s[n]));
	} while (s[n].queue % queues == s[0].queue % queues);
	ASSERT_NE(s[0].queue % queues, s[n].queue % queues);
	ASSERT_EQ(0, set_parameter("watchdog_ms", "600000"));
	ASSERT_EQ(0, inject(ANPU_INJECT_INTERRUPT, ALWAYS(s[0].queue % queues)));
	ASSERT_EQ(0, submit(self->fd, s[0].id, &bad, 1, NULL));
	ASSERT_TRUE(SOON(s[0].status->state == ANPU_QUEUE_HALTED));
	ASSERT_EQ(0, reset(self->fd, DRM_ANPU_RESET_STREAM, s[n].id));
	inject_nothing();
	ASSERT_EQ(0, set_parameter("watchdog_ms", "400"));
	ASSERT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
	EXPECT_EQ(s[0].id, ev.stream);
	/* Behind a HALT, if the driver had told the device to. */
	stop.stream = s[n].id;
	ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_STREAM_SET, &stop));
	EXPECT_EQ(0, run(self->fd, s[n].id, &nop, 1));
	EXPECT_EQ(0, s[n].status->errors);
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, a_completion_that_comes_late, 60)
{
	union anpu_packet nop = pkt_nop();
	uint64_t seq;

	ASSERT_EQ(0, inject(ANPU_INJECT_COMPLETED, ONCE(self->s.queue)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, &seq));
	EXPECT_EQ(0, wait_seq_until(self->fd, self->s.id, seq, INT64_MAX));
	EXPECT_EQ(0, run(self->fd, self->s.id, &nop, 1));
	EXPECT_EQ(self->queue_resets, device_value("queue_resets"));
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, completions_that_never_come, 60)
{
	union anpu_packet nop = pkt_nop();
	uint64_t seq;

	ASSERT_EQ(0, inject(ANPU_INJECT_COMPLETED, ALWAYS(self->s.queue)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &nop, 1, &seq));
	EXPECT_EQ(-EIO, wait_seq_until(self->fd, self->s.id, seq, late()));
	EXPECT_EQ(-EIO, submit(self->fd, self->s.id, &nop, 1, &seq));
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, lost_doorbells, 60)
{
	union anpu_packet nop = pkt_nop();
	struct stream s;
	uint64_t seq;

	for (int mode = 0; mode < 2; mode++) {
		stream_mode = mode ? DRM_ANPU_STREAM_USER_QUEUE : 0;
		ASSERT_EQ(0, stream_create(self->fd, 0, 64, &s));
		/* A worker that polls the queue would see the packet without a doorbell. */
		ASSERT_TRUE(SOON(!s.status->polling));
		ASSERT_EQ(0, inject(ANPU_INJECT_DOORBELL, ONCE(s.queue)));
		ASSERT_EQ(0, submit(self->fd, s.id, &nop, 1, &seq));
		EXPECT_EQ(0, wait_seq_until(self->fd, s.id, seq, INT64_MAX));
		EXPECT_EQ(0, run(self->fd, s.id, &nop, 1));
	}
	stream_mode = 0;
	EXPECT_EQ(self->queue_resets, device_value("queue_resets"));
	OTHERS_GO_ON();
}

/* The watchdog --------------------------------------------------------------------------------- */

/* The number by which the device names a queue that stands still is that of its last one, too. */
TEST_F_TIMEOUT(faults, a_packet_in_the_last_queue_hangs, 60)
{
	struct drm_anpu_stream_create args = { .priority = 4, .ring_entries = 16 };
	union anpu_packet fill = pkt_fill(VA(0), 64, 1);
	struct drm_anpu_info info = {};
	struct drm_anpu_dev_query ask = {
		.type = DRM_ANPU_QUERY_INFO, .size = sizeof(info), .pointer = (uintptr_t)&info,
	};
	uint32_t bo, queue = 0;
	int fd = anpu_open();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, do_ioctl(fd, DRM_IOCTL_ANPU_DEV_QUERY, &ask));
	ASSERT_EQ(0, bo_create(fd, DRM_ANPU_BO_HBM, PAGE, 0, 0, &bo));
	ASSERT_EQ(0, vm_map(fd, VA(0), PAGE, bo, RW));
	while (!do_ioctl(fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args))
		queue = args.queue;
	/* Number 0 is the driver's. */
	EXPECT_EQ(info.max_streams, queue);
	ASSERT_EQ(0, inject(ANPU_INJECT_HANG, ONCE(queue)));
	ASSERT_EQ(0, submit(fd, args.stream, &fill, 1, NULL));
	EXPECT_EQ(-EIO, wait_seq_until(fd, args.stream, 1, late()));
	EXPECT_EQ(0, close(fd));
	OTHERS_GO_ON();
}

TEST_F_TIMEOUT(faults, a_packet_that_hangs_ends_its_stream, 60)
{
	union anpu_packet fill = pkt_fill(VA(0), 64, 1);
	uint64_t seq;

	ASSERT_EQ(0, inject(ANPU_INJECT_HANG, ONCE(self->s.queue)));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &fill, 1, &seq));
	EXPECT_EQ(-EIO, wait_seq_until(self->fd, self->s.id, seq, late()));
	EXPECT_TRUE(SOON(self->s.status->state == ANPU_QUEUE_STOPPED));
	EXPECT_EQ(ANPU_FAULT_KILLED, self->s.status->first_cause);
	/* It obeyed STOP. */
	EXPECT_EQ(self->queue_resets, device_value("queue_resets"));
	EXPECT_EQ(-EIO, reset(self->fd, DRM_ANPU_RESET_STREAM, self->s.id));
	EXPECT_EQ(0, stream_destroy(self->fd, self->s.id));
	OTHERS_GO_ON();
}

/* There are streams already, and none is made: whoever changes it need not wait for one. */
TEST_F_TIMEOUT(faults, a_watchdog_that_is_turned_on_looks, 90)
{
	static const char * const before[] = { "0", "600000" };
	union anpu_packet fill = pkt_fill(VA(0), 64, 1);
	struct stream s;
	uint64_t seq;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
		ASSERT_EQ(0, set_parameter("watchdog_ms", before[i]));
		ASSERT_EQ(0, inject(ANPU_INJECT_HANG, ONCE(s.queue)));
		ASSERT_EQ(0, submit(self->fd, s.id, &fill, 1, &seq));
		EXPECT_EQ(-ETIME, wait_seq_until(self->fd, s.id, seq, now_ns() + SECONDS(2)));
		ASSERT_EQ(0, set_parameter("watchdog_ms", "1000"));
		EXPECT_EQ(-EIO, wait_seq_until(self->fd, s.id, seq, now_ns() + SECONDS(30)));
		EXPECT_EQ(0, stream_destroy(self->fd, s.id));
	}
	OTHERS_GO_ON();
}

/* A packet that takes long, but within its limit, is left alone. */
TEST_F_TIMEOUT(faults, long_work_is_no_fault, 60)
{
	union anpu_packet pkt, nop = pkt_nop(), wait = pkt_wait_us(VA(0), 1, 6000000);
	struct stream behind[6], low;
	uint64_t *data, seq, low_seq;

	ASSERT_EQ(0, set_parameter("watchdog_ms", "400"));
	data = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, DATA, RW, NULL);
	ASSERT_NE(MAP_FAILED, data);
	ASSERT_EQ(0, counting_operator(self->fd, &pkt));
	pkt.kernel.timeout_us = 6000000;
	/* As many as occupy all the device, one that waits, and one that gets no turn. */
	for (int i = 0; i < 6; i++) {
		ASSERT_EQ(0, stream_create(self->fd, 0, 16, &behind[i]));
		ASSERT_EQ(0, submit(self->fd, behind[i].id, &pkt, 1, NULL));
		ASSERT_EQ(0, submit(self->fd, behind[i].id, &nop, 1, NULL));
	}
	ASSERT_EQ(0, stream_create(self->fd, 0, 16, &low));
	ASSERT_EQ(0, submit(self->fd, low.id, &nop, 1, &low_seq));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &wait, 1, &seq));
	for (int i = 0; i < 6; i++) {
		EXPECT_EQ(0, wait_seq_until(self->fd, behind[i].id, 2, INT64_MAX));
		/* Its limit ended it, and nothing else. */
		EXPECT_EQ(1, behind[i].status->errors);
		EXPECT_EQ(ANPU_FAULT_TIMEOUT, behind[i].status->first_cause);
	}
	EXPECT_EQ(0, wait_seq_until(self->fd, self->s.id, seq, INT64_MAX));
	EXPECT_EQ(ANPU_FAULT_WAIT_TIMEOUT, self->s.status->first_cause);
	EXPECT_EQ(0, wait_seq_until(self->fd, low.id, low_seq, INT64_MAX));
	EXPECT_EQ(0, low.status->errors);
	EXPECT_EQ(self->queue_resets, device_value("queue_resets"));
	OTHERS_GO_ON();
}

TEST_F(faults, parameters_have_ranges)
{
	static const char * const names[] = { "stop_timeout_ms", "reset_timeout_ms" };
	static const char * const bad[] = { "9", "600001", "-1", "x" };

	for (int i = 0; i < 4; i++) {
		for (int n = 0; n < 2; n++)
			EXPECT_NE(0, set_parameter(names[n], bad[i]));
		EXPECT_NE(0, set_parameter("watchdog_ms", bad[i]));
	}
	EXPECT_EQ(-EINVAL, set_parameter("watchdog_ms", "99"));
	EXPECT_EQ(0, set_parameter("watchdog_ms", "0"));
}

TEST_HARNESS_MAIN
