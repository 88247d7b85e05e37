// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* EVENT_SUBSCRIBE, and reading events from the file. */
#include <glob.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include "faulty.h"
#include "tracing.h"

#define EVENTS	TRACING "/events/anpu/"

FIXTURE(event) {
	int fd;
	struct stream s;
};

BOTH_WAYS(event);

FIXTURE_SETUP(event)
{
	stream_mode = variant->mode;
	self->fd = open(anpu_node(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->s));
}

FIXTURE_TEARDOWN(event)
{
	close(self->fd);
}

static int subscribe(int fd, uint32_t mask)
{
	struct drm_anpu_event_subscribe args = { .mask = mask };

	return do_ioctl(fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &args);
}

/* Waits for one event and reads it. */
static ssize_t next_event(int fd, void *buf, size_t size, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t len;

	if (poll(&pfd, 1, ms) != 1 || !(pfd.revents & POLLIN))
		return 0;
	len = read(fd, buf, size);
	return len < 0 ? -errno : len;
}

TEST_F(event, bad_arguments)
{
	struct drm_anpu_event_subscribe args = { .pad = 1 };

	EXPECT_EQ(-EINVAL, subscribe(self->fd, 8));
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &args));
	EXPECT_EQ(0, subscribe(self->fd, 7));
	EXPECT_EQ(0, subscribe(self->fd, 0));
}

TEST_F(event, none_without_subscription)
{
	union anpu_packet pkts[2] = { pkt_notify(1, 2), pkt_fill(8, 8, 0) };
	char buf[256];

	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 2));
	EXPECT_EQ(0, next_event(self->fd, buf, sizeof(buf), 50));
	EXPECT_EQ(-1, read(self->fd, buf, sizeof(buf)));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(event, notify)
{
	union anpu_packet pkts[2] = { pkt_nop(), pkt_notify(0x1122334455667788, 42) };
	struct drm_anpu_event_notify ev;

	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_NOTIFY));
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 2, NULL));
	ASSERT_EQ(sizeof(ev), next_event(self->fd, &ev, sizeof(ev), 5000));
	EXPECT_EQ(DRM_ANPU_EVENT_NOTIFY, ev.base.type);
	EXPECT_EQ(sizeof(ev), ev.base.length);
	EXPECT_EQ(self->s.id, ev.stream);
	EXPECT_EQ(2, ev.seq);
	EXPECT_EQ(0x1122334455667788, ev.cookie);
	EXPECT_EQ(42, ev.value);
	EXPECT_EQ(0, ev.pad);
}

TEST_F(event, fault)
{
	union anpu_packet pkt = pkt_fill(0x5000, 8, 0);
	struct drm_anpu_stream_get_state st;
	struct drm_anpu_event_fault ev;
	struct anpu_fault fault;

	pkt.hdr.task_id = 77;
	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_FAULT));
	ASSERT_EQ(0, submit(self->fd, self->s.id, &pkt, 1, NULL));
	ASSERT_EQ(sizeof(ev), next_event(self->fd, &ev, sizeof(ev), 5000));
	EXPECT_EQ(DRM_ANPU_EVENT_FAULT, ev.base.type);
	EXPECT_EQ(self->s.id, ev.stream);
	EXPECT_EQ(ANPU_FAULT_UNMAPPED, ev.cause);
	EXPECT_EQ(1, ev.seq);
	EXPECT_EQ(1, ev.ordinal);
	EXPECT_EQ(77, ev.task_id);
	ASSERT_EQ(0, get_state(self->fd, self->s.id, &st, ev.ordinal, &fault));
	EXPECT_EQ(0x5000, fault.addr);
}

TEST_F(event, only_to_the_owner)
{
	int other = open(anpu_node(), O_RDWR | O_NONBLOCK);
	union anpu_packet pkts[2] = { pkt_notify(1, 2), pkt_fill(8, 8, 0) };
	char buf[256];

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, subscribe(other, 7));
	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 2));
	EXPECT_EQ(0, next_event(other, buf, sizeof(buf), 50));
	close(other);
}

TEST_F(event, order_is_kept)
{
	union anpu_packet pkts[500];
	struct drm_anpu_event_notify ev;

	for (int i = 0; i < 500; i++)
		pkts[i] = pkt_notify(i, 0);
	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_NOTIFY));
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 500, NULL));
	for (int i = 0; i < 500; i++) {
		ASSERT_EQ(sizeof(ev), next_event(self->fd, &ev, sizeof(ev), 5000));
		ASSERT_EQ(i, ev.cookie);
	}
}

TEST_F(event, overflow_is_told)
{
	enum { COUNT = 20000, BATCH = 500 };
	uint64_t got = 0, lost = 0, next = 0;
	static union anpu_packet pkts[BATCH];
	union {
		struct drm_event base;
		struct drm_anpu_event_notify notify;
		struct drm_anpu_event_lost lost;
		char buf[2 * sizeof(struct drm_anpu_event_lost)];
	} ev;

	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_NOTIFY));
	for (int i = 0; i < COUNT; i += BATCH) {
		for (int n = 0; n < BATCH; n++)
			pkts[n] = pkt_notify(i + n, 0);
		ASSERT_EQ(0, run(self->fd, self->s.id, pkts, BATCH));
	}
	while (got + lost < COUNT) {
		ssize_t len = next_event(self->fd, &ev, sizeof(ev), 5000), at;

		ASSERT_LT(0, len) {
			TH_LOG("%llu events, %llu lost", (unsigned long long)got,
			       (unsigned long long)lost);
		}
		if (ev.base.type == DRM_ANPU_EVENT_LOST) {
			/* One read gives as many events as fit: perhaps two of these. */
			for (at = 0; at < len; at += sizeof(ev.lost)) {
				struct drm_anpu_event_lost *one = (void *)(ev.buf + at);

				ASSERT_EQ(DRM_ANPU_EVENT_LOST, one->base.type);
				lost += one->count;
				next += one->count;
			}
			continue;
		}
		ASSERT_EQ(DRM_ANPU_EVENT_NOTIFY, ev.base.type);
		ASSERT_EQ(next, ev.notify.cookie);
		next++;
		got++;
	}
	EXPECT_GT(lost, 0);
	EXPECT_GT(got, 1000);
	/* And it works again. */
	pkts[0] = pkt_notify(7, 7);
	ASSERT_EQ(0, run(self->fd, self->s.id, pkts, 1));
	ASSERT_EQ(sizeof(ev.notify), next_event(self->fd, &ev, sizeof(ev), 5000));
	EXPECT_EQ(7, ev.notify.cookie);
}

TEST_F(event, blocking_read)
{
	union anpu_packet pkt = pkt_notify(5, 6);
	struct drm_anpu_event_notify ev;
	pid_t pid;

	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, 0));
	ASSERT_EQ(0, subscribe(self->fd, DRM_ANPU_SUBSCRIBE_NOTIFY));
	pid = fork();
	if (!pid) {
		usleep(50000);
		_exit(submit(self->fd, self->s.id, &pkt, 1, NULL) ? 1 : 0);
	}
	ASSERT_EQ(sizeof(ev), read(self->fd, &ev, sizeof(ev)));
	EXPECT_EQ(5, ev.cookie);
	waitpid(pid, NULL, 0);
}

TEST_F(event, unread_events_at_close)
{
	union anpu_packet pkts[64];

	for (int i = 0; i < 64; i++)
		pkts[i] = pkt_notify(i, 0);
	ASSERT_EQ(0, subscribe(self->fd, 7));
	ASSERT_EQ(0, submit(self->fd, self->s.id, pkts, 64, NULL));
	/* Closed with events unread and more on their way. */
}

/* Does an interrupt thread of the driver run as programs do? */
static bool fair_thread(void)
{
	bool fair = false;
	glob_t found;

	if (glob("/proc/[0-9]*/comm", 0, NULL, &found))
		return false;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char name[32] = "";
		int fd = open(found.gl_pathv[i], O_RDONLY);

		if (fd >= 0 && read(fd, name, sizeof(name) - 1) > 0 && !strncmp(name, "irq/", 4) &&
		    strstr(name, "-anpu-"))
			fair |= sched_getscheduler(atoi(found.gl_pathv[i] + 6)) == SCHED_OTHER;
		close(fd);
	}
	globfree(&found);
	return fair;
}

/* How often the driver's interrupt threads have slept. */
static long long thread_sleeps(void)
{
	long long sum = 0;
	glob_t found;

	if (glob("/proc/[0-9]*/comm", 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char text[4096], path[64], *at;

		read_some(found.gl_pathv[i], text, sizeof(text));
		if (strncmp(text, "irq/", 4) || !strstr(text, "-anpu-"))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/status", atoi(found.gl_pathv[i] + 6));
		read_some(path, text, sizeof(text));
		at = strstr(text, "\nvoluntary_ctxt_switches:");
		sum += at ? atoll(at + strlen("\nvoluntary_ctxt_switches:")) : 0;
	}
	globfree(&found);
	return sum;
}

/* Does the handler of interrupts handle what little there is by itself? */
static bool threads_rest(int fd, const struct stream *s)
{
	union anpu_packet notify = pkt_notify(1, 2);
	long long before = thread_sleeps();

	/* Each has an event, and an interrupt, behind which a thread could run. */
	for (int i = 0; i < 64; i++) {
		if (run(fd, s->id, &notify, 1))
			return false;
		usleep(300);
	}
	return thread_sleeps() - before < 16;
}

/* More events than one interrupt handles are all handled, but not before everybody else's. */
TEST_F_TIMEOUT(event, a_flood_comes_before_nobody, 60)
{
	union anpu_packet pkt = { .indirect = { .hdr.opcode = ANPU_OP_INDIRECT, .addr = VA(0),
		.count = MIB / sizeof(pkt) } };
	union anpu_packet *list = make_buffer(self->fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	int64_t end = late();

	ASSERT_NE(MAP_FAILED, list);
	for (uint64_t i = 0; i < MIB / sizeof(pkt); i++)
		list[i] = pkt_notify(i, i);
	do {
		ASSERT_EQ(0, run(self->fd, self->s.id, &pkt, 1));
	} while (!fair_thread() && now_ns() < end);
	EXPECT_TRUE(fair_thread());
	/* And behind the flood it is as before. */
	EXPECT_TRUE(SOON(threads_rest(self->fd, &self->s)));
}

/* Makes 4 million NOTIFYs, with lists of 16384, in streams of all event queues. */
static void make_flood(struct __test_metadata *_metadata, int fd)
{
	union anpu_packet pkts[64], *list;

	list = make_buffer(fd, DRM_ANPU_BO_HBM, MIB, VA(0), RW, NULL);
	ASSERT_NE(MAP_FAILED, list);
	for (uint64_t i = 0; i < MIB / sizeof(*list); i++)
		list[i] = pkt_notify(i, i);
	for (int i = 0; i < 64; i++)
		pkts[i] = (union anpu_packet){ .indirect = { .hdr.opcode = ANPU_OP_INDIRECT,
			.addr = VA(0), .count = MIB / sizeof(*list) } };
	ASSERT_EQ(0, subscribe(fd, DRM_ANPU_SUBSCRIBE_NOTIFY));
	for (int i = 0; i < 4; i++) {
		struct stream s;

		ASSERT_EQ(0, stream_create(fd, 0, 64, &s));
		ASSERT_EQ(0, submit(fd, s.id, pkts, 64, NULL));
	}
}

/* Has the driver consumed the event of that packet's completion? *at: where in the trace */
static bool consumed(const char *trace, const struct stream *s, int seq, const char **at)
{
	char line[64];

	snprintf(line, sizeof(line), "stream=%u type=completed seq=%d ", s->id, seq);
	*at = strstr(trace, line);
	return *at;
}

static bool has_consumed(const struct stream *s, int seq)
{
	char *trace = read_text(TRACING "/trace");
	const char *at;
	bool has = consumed(trace, s, seq, &at);

	free(trace);
	return has;
}

/*
 * QEMU before version 8 translates code without a lock against a processor that writes it. With two
 * processors a breakpoint that the kernel has already taken back may stay translated for good: the
 * first interrupt that reaches it then is a panic of the kernel, so no hot code is patched there.
 */
static bool patching_is_safe(void)
{
	char *cpus = read_text("/proc/cpuinfo");
	bool safe = get_nprocs() == 1 || !strstr(cpus, "QEMU TCG");

	free(cpus);
	return safe;
}

/*
 * Thousands of NOTIFYs of others are in the event queue before the event for which a task sleeps:
 * it is woken before the driver has consumed them. The task may need a while until it runs, so one
 * of some attempts is enough.
 */
TEST_F_TIMEOUT(event, a_flood_of_others_delays_no_wait, 120)
{
	enum { TRIES = 20 };
	int flood = open(anpu_node(), O_RDWR | O_CLOEXEC | O_NONBLOCK), early = 0, status;
	const char *trace, *at, *woken;
	int64_t end = late();
	struct stream signal;
	union anpu_packet pkt;
	char text[32];

	if (tracing_begin())
		SKIP(return, "the kernel has no trace");
	if (!patching_is_safe())
		SKIP(return, "emulated processors may keep the breakpoints of tracing");
	ASSERT_GE(flood, 0);
	ASSERT_NE(MAP_FAILED, make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, NULL));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &signal));
	ASSERT_EQ(0, write_file(EVENTS "anpu_event/filter", "type == 1"));
	ASSERT_EQ(0, write_file(EVENTS "anpu_event/enable", "1"));
	make_flood(_metadata, flood);
	while (!fair_thread() && now_ns() < end)
		usleep(1000);
	for (int i = 1; i <= TRIES; i++) {
		pid_t pid;

		pkt = pkt_wait(VA(0), i);
		ASSERT_EQ(0, submit(self->fd, self->s.id, &pkt, 1, NULL));
		snprintf(text, sizeof(text), "woken %d.", i);
		pid = fork();
		if (!pid)
			_exit(wait_seq(self->fd, self->s.id, i) ||
			      write_file(TRACING "/trace_marker", text));
		until_asleep(pid);
		pkt = pkt_signal(VA(0), i, 0);
		ASSERT_EQ(0, submit(self->fd, signal.id, &pkt, 1, NULL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
	EXPECT_TRUE(SOON(has_consumed(&self->s, TRIES)));
	trace = read_text(TRACING "/trace");
	for (int i = 1; i <= TRIES; i++) {
		snprintf(text, sizeof(text), "woken %d.", i);
		woken = strstr(trace, text);
		early += woken && consumed(trace, &self->s, i, &at) && woken < at;
	}
	EXPECT_LT(0, early);
	close(flood);
	write_file(EVENTS "anpu_event/enable", "0");
	write_file(EVENTS "anpu_event/filter", "0");
}

TEST_HARNESS_MAIN
