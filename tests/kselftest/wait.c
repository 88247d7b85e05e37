// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* WAIT: sequence numbers and memory, any and all, timeouts, signals. */
#include "anpu_test.h"

FIXTURE(wait) {
	int fd;
	struct stream a;
	struct stream b;
	uint32_t bo;
	volatile uint64_t *mem;
};

BOTH_WAYS(wait);

FIXTURE_SETUP(wait)
{
	stream_mode = variant->mode;
	self->fd = anpu_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->a));
	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &self->b));
	self->mem = make_buffer(self->fd, DRM_ANPU_BO_HBM, PAGE, VA(0), RW, &self->bo);
	ASSERT_NE(MAP_FAILED, self->mem);
}

FIXTURE_TEARDOWN(wait)
{
	close(self->fd);
}

static struct drm_anpu_wait_item seq_item(uint32_t stream, uint64_t seq)
{
	return (struct drm_anpu_wait_item){ .type = DRM_ANPU_WAIT_SEQ, .stream = stream,
		.value = seq };
}

static struct drm_anpu_wait_item mem_item(uint32_t handle, uint64_t offset, uint32_t cond,
					  uint64_t value)
{
	return (struct drm_anpu_wait_item){ .type = DRM_ANPU_WAIT_MEMORY, .value = value,
		.mask = ~0ULL, .offset = offset, .handle = handle, .cond = cond, .width = 8 };
}

/* Runs packets on a stream after some milliseconds, from another process. */
static pid_t later(int fd, uint32_t stream, union anpu_packet pkt, int ms)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	usleep(ms * 1000);
	_exit(submit(fd, stream, &pkt, 1, NULL) ? 1 : 0);
}

TEST_F(wait, bad_arguments)
{
	struct drm_anpu_wait_item item = seq_item(self->a.id, 0), bad;
	struct drm_anpu_wait args = { .items = ARRAY(&item, 1), .flags = 2 };

	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &args));
	args = (struct drm_anpu_wait){ .items = ARRAY(&item, 1), .pad = 1 };
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &args));
	args = (struct drm_anpu_wait){ .items = ARRAY(&item, 1), .pad2 = 1 };
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &args));
	args = (struct drm_anpu_wait){ .items = ARRAY(&item, 0) };
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &args));
	args = (struct drm_anpu_wait){ .items = ARRAY(&item, DRM_ANPU_MAX_WAIT_ITEMS + 1) };
	EXPECT_EQ(-E2BIG, do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &args));
	/* so many are right */
	struct drm_anpu_wait_item *most = calloc(DRM_ANPU_MAX_WAIT_ITEMS, sizeof(item));

	ASSERT_NE(NULL, most);
	for (int i = 0; i < DRM_ANPU_MAX_WAIT_ITEMS; i++)
		most[i] = item;
	args = (struct drm_anpu_wait){ .items = ARRAY(most, DRM_ANPU_MAX_WAIT_ITEMS), .flags = DRM_ANPU_WAIT_ALL };
	EXPECT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &args));
	free(most);
	args = (struct drm_anpu_wait){ .items = { .stride = 48, .count = 1, .array = 8 } };
	EXPECT_EQ(-EFAULT, do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &args));
	args.items.stride = 0;
	EXPECT_EQ(-EINVAL, do_ioctl(self->fd, DRM_IOCTL_ANPU_WAIT, &args));

#define BAD(error, base, field, value) do { \
	bad = base; \
	bad.field = value; \
	EXPECT_EQ(error, wait_items(self->fd, &bad, 1, 0, 0, NULL)) { \
		TH_LOG("%s = %s", #field, #value); \
	} \
} while (0)
	BAD(-EINVAL, seq_item(self->a.id, 0), type, DRM_ANPU_WAIT_SYNC_FILE + 1);
	BAD(-ENOENT, seq_item(self->a.id, 0), stream, 77);
	/* The driver does not know how far a process has submitted to its user queue, so this waits. */
	BAD(stream_mode ? -ETIME : -EINVAL, seq_item(self->a.id, 0), value, 1);
	BAD(-EINVAL, seq_item(self->a.id, 0), mask, 1);
	BAD(-EINVAL, seq_item(self->a.id, 0), offset, 1);
	BAD(-EINVAL, seq_item(self->a.id, 0), handle, 1);
	BAD(-EINVAL, seq_item(self->a.id, 0), cond, 1);
	BAD(-EINVAL, seq_item(self->a.id, 0), width, 8);
	BAD(-EINVAL, seq_item(self->a.id, 0), pad, 1);
	BAD(-EINVAL, mem_item(self->bo, 0, 0, 0), stream, self->a.id);
	BAD(-EINVAL, mem_item(self->bo, 0, 0, 0), cond, ANPU_SEM_COND_COUNT);
	BAD(-EINVAL, mem_item(self->bo, 0, 0, 0), width, 2);
	BAD(-EINVAL, mem_item(self->bo, 0, 0, 0), offset, 4);
	BAD(-EINVAL, mem_item(self->bo, 0, 0, 0), offset, PAGE);
	BAD(-EINVAL, mem_item(self->bo, 0, 0, 0), pad, 1);
	BAD(-ENOENT, mem_item(self->bo, 0, 0, 0), handle, 88);
}

TEST_F(wait, poll_and_completed)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1), nop = pkt_nop();
	uint64_t seq;

	EXPECT_EQ(0, wait_seq_until(self->fd, self->a.id, 0, 0));
	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, &seq));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->a.id, seq, 0));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->a.id, seq, -1));
	ASSERT_EQ(0, run(self->fd, self->b.id, &nop, 1));
	EXPECT_EQ(0, wait_seq_until(self->fd, self->b.id, 1, 0));
}

TEST_F(wait, timeout_is_kept)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1);
	int64_t until = now_ns() + 100000000;

	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	EXPECT_EQ(-ETIME, wait_seq_until(self->fd, self->a.id, 1, until));
	EXPECT_GE(now_ns(), until);
}

TEST_F(wait, sleeper_is_woken)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1);
	pid_t pid;

	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	pid = later(self->fd, self->b.id, pkt_signal(VA(0), 1, 0), 100);
	EXPECT_EQ(0, wait_seq_until(self->fd, self->a.id, 1, INT64_MAX));
	waitpid(pid, NULL, 0);
}

TEST_F(wait, many_waiters_of_one_stream)
{
	union anpu_packet pkts[8];
	pid_t pids[8];
	int status;

	for (int i = 0; i < 8; i++)
		pkts[i] = pkt_wait(VA(0), i + 1);
	ASSERT_EQ(0, submit(self->fd, self->a.id, pkts, 8, NULL));
	/* Each waits for another number, the last first. */
	for (int i = 7; i >= 0; i--) {
		pids[i] = fork();
		if (!pids[i])
			_exit(wait_seq(self->fd, self->a.id, i + 1) ? 1 :
			      self->a.status->completed >= (uint64_t)i + 1 ? 0 : 2);
	}
	usleep(50000);
	for (int i = 0; i < 8; i++) {
		union anpu_packet signal = pkt_signal(VA(0), i + 1, 0);

		EXPECT_EQ(0, waitpid(pids[i], &status, WNOHANG));
		ASSERT_EQ(0, run(self->fd, self->b.id, &signal, 1));
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
}

TEST_F(wait, any)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1);
	struct drm_anpu_wait_item items[2];
	uint32_t signaled = 9;
	pid_t pid;

	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	ASSERT_EQ(0, submit(self->fd, self->b.id, &pkt, 1, NULL));
	items[0] = seq_item(self->a.id, 1);
	items[1] = seq_item(self->b.id, 1);
	EXPECT_EQ(-ETIME, wait_items(self->fd, items, 2, 0, now_ns() + 10000000, &signaled));
	items[1].value = 0;
	EXPECT_EQ(0, wait_items(self->fd, items, 2, 0, 0, &signaled));
	EXPECT_EQ(1, signaled);
	items[1].value = 1;
	self->mem[8] = 0;
	pid = fork();
	if (!pid) {
		usleep(50000);
		self->mem[0] = 1;
		_exit(0);
	}
	EXPECT_EQ(0, wait_items(self->fd, items, 2, 0, late(), &signaled));
	EXPECT_LT(signaled, 2);
	waitpid(pid, NULL, 0);
}

TEST_F(wait, all)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1), nop = pkt_nop();
	struct drm_anpu_wait_item items[8];
	uint32_t signaled = 0;
	pid_t pid;

	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	ASSERT_EQ(0, run(self->fd, self->b.id, &nop, 1));
	for (int i = 0; i < 8; i++)
		items[i] = seq_item(i % 2 ? self->a.id : self->b.id, 1);
	EXPECT_EQ(-ETIME, wait_items(self->fd, items, 8, DRM_ANPU_WAIT_ALL, now_ns() + 10000000,
				     NULL));
	pid = later(self->fd, self->b.id, pkt_signal(VA(0), 1, 0), 50);
	EXPECT_EQ(0, wait_items(self->fd, items, 8, DRM_ANPU_WAIT_ALL, late(),
				&signaled));
	EXPECT_EQ(8, signaled);
	waitpid(pid, NULL, 0);
}

/* How often a process has gone to sleep; 0 if it is not asleep now. */
static unsigned long sleeps_of(pid_t pid)
{
	unsigned long sleeps = 0;
	char path[64], line[128], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "voluntary_ctxt_switches: %lu", &sleeps);
	}
	if (f)
		fclose(f);
	return state == 'S' ? sleeps : 0;
}

/* A thread that waits for all of many streams is not woken for each. */
/* An item that was reached stays reached, even if its stream is reset before the others are done. */
TEST_F(wait, all_counts_what_was_reached)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1), nop = pkt_nop();
	struct drm_anpu_wait_item items[2];
	struct stream c;
	uint64_t seq;
	int status;
	pid_t pid;

	ASSERT_EQ(0, stream_create(self->fd, 0, 0, &c));
	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	ASSERT_EQ(0, run(self->fd, self->b.id, &nop, 1));
	items[0] = seq_item(self->b.id, 1);
	items[1] = seq_item(self->a.id, 1);
	for (int lost = 0; lost < 2; lost++) {
		struct drm_anpu_reset reset = {
			.scope = DRM_ANPU_RESET_STREAM, .stream = lost ? self->a.id : self->b.id,
		};

		pid = fork();
		if (!pid)
			_exit(-wait_items(self->fd, items, 2, DRM_ANPU_WAIT_ALL, INT64_MAX, NULL));
		until_asleep(pid);
		ASSERT_EQ(0, do_ioctl(self->fd, DRM_IOCTL_ANPU_RESET, &reset));
		pkt = pkt_signal(VA(0), 1, 0);
		ASSERT_EQ(0, run(self->fd, c.id, &pkt, 1));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(lost ? EIO : 0, WEXITSTATUS(status));
		if (lost)
			break;
		/* The same with the other one. */
		pkt = pkt_signal(VA(0), 0, 0);
		ASSERT_EQ(0, run(self->fd, c.id, &pkt, 1));
		ASSERT_EQ(0, run(self->fd, self->b.id, &nop, 1));
		pkt = pkt_wait(VA(0), 1);
		ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, &seq));
		items[1].value = seq;
	}
}

TEST_F(wait, all_wakes_for_the_last)
{
	enum { STREAMS = 24 };
	struct drm_anpu_wait_item items[STREAMS];
	unsigned long before = 0, after = 0;
	union anpu_packet pkt;
	int status;
	pid_t pid;

	for (int i = 0; i < STREAMS; i++) {
		struct stream s;

		ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
		pkt = pkt_wait(VA(0), i + 1);
		ASSERT_EQ(0, submit(self->fd, s.id, &pkt, 1, NULL));
		items[i] = seq_item(s.id, 1);
	}
	pid = fork();
	if (!pid)
		_exit(!!wait_items(self->fd, items, STREAMS, DRM_ANPU_WAIT_ALL, INT64_MAX, NULL));
	while (!before) {
		usleep(50000);
		before = sleeps_of(pid);
	}
	for (int i = 0; i < STREAMS - 1; i++) {
		pkt = pkt_signal(VA(0), i + 1, 0);
		ASSERT_EQ(0, run(self->fd, self->b.id, &pkt, 1));
		ASSERT_EQ(0, wait_seq(self->fd, items[i].stream, 1));
		/* It could run now. */
		usleep(1000);
	}
	while (!after)
		after = sleeps_of(pid);
	EXPECT_LT(after - before, 4);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	pkt = pkt_signal(VA(0), STREAMS, 0);
	ASSERT_EQ(0, run(self->fd, self->b.id, &pkt, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/*
 * All are let go at once, each time a bit later: some complete before they are looked at, some
 * while others are, some after.
 */
TEST_F(wait, all_while_they_complete)
{
	enum { STREAMS = 40, ROUNDS = 1500, DELAYS = 150 };
	struct drm_anpu_wait_item items[STREAMS];
	union anpu_packet pkt, delayed[DELAYS];

	for (int i = 0; i < DELAYS; i++)
		delayed[i] = pkt_nop();
	for (int i = 0; i < STREAMS; i++) {
		struct stream s;

		ASSERT_EQ(0, stream_create(self->fd, 0, 0, &s));
		items[i] = seq_item(s.id, 0);
	}
	for (int n = 0; n < ROUNDS; n++) {
		pkt = pkt_wait(VA(0), n + 1);
		for (int i = 0; i < STREAMS; i++) {
			ASSERT_EQ(0, submit(self->fd, items[i].stream, &pkt, 1, NULL));
			items[i].value++;
		}
		delayed[n % DELAYS] = pkt_signal(VA(0), n + 1, 0);
		ASSERT_EQ(0, submit(self->fd, self->b.id, delayed, n % DELAYS + 1, NULL));
		delayed[n % DELAYS] = pkt_nop();
		ASSERT_EQ(0, wait_items(self->fd, items, STREAMS, DRM_ANPU_WAIT_ALL,
					late(), NULL));
	}
}

TEST_F(wait, memory_conditions)
{
	const struct {
		uint32_t cond;
		uint64_t value;
		bool met;
	} cases[] = {
		{ ANPU_SEM_EQ, 10, true }, { ANPU_SEM_EQ, 11, false }, { ANPU_SEM_NE, 11, true },
		{ ANPU_SEM_NE, 10, false }, { ANPU_SEM_GT, 9, true }, { ANPU_SEM_GT, 10, false },
		{ ANPU_SEM_GE, 10, true }, { ANPU_SEM_GE, 11, false }, { ANPU_SEM_LT, 11, true },
		{ ANPU_SEM_LT, 10, false }, { ANPU_SEM_LE, 10, true }, { ANPU_SEM_LE, 9, false },
		{ ANPU_SEM_ANY, 2, true }, { ANPU_SEM_ANY, 5, false }, { ANPU_SEM_NOR, 0, true },
		{ ANPU_SEM_NOR, ~10ULL, false }, { ANPU_SEM_AFTER, 10, true },
		{ ANPU_SEM_AFTER, ~0ULL, true }, { ANPU_SEM_AFTER, 11, false },
	};

	self->mem[0] = 10;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct drm_anpu_wait_item item = mem_item(self->bo, 0, cases[i].cond,
							  cases[i].value);

		EXPECT_EQ(cases[i].met ? 0 : -ETIME, wait_items(self->fd, &item, 1, 0, 0, NULL)) {
			TH_LOG("case %zu", i);
		}
		item.width = 4;
		EXPECT_EQ(cases[i].met ? 0 : -ETIME, wait_items(self->fd, &item, 1, 0, 0, NULL)) {
			TH_LOG("case %zu, 4 bytes", i);
		}
	}
	/* the mask is the memory's, not the value's */
	for (uint32_t width = 4; width <= 8; width += 4) {
		struct drm_anpu_wait_item item = mem_item(self->bo, 0, ANPU_SEM_EQ, 0x1a);

		item.width = width;
		item.mask = 0xf;
		EXPECT_EQ(-ETIME, wait_items(self->fd, &item, 1, 0, 0, NULL));
		item.cond = ANPU_SEM_LT;
		EXPECT_EQ(0, wait_items(self->fd, &item, 1, 0, 0, NULL));
		item.value = 0xa;
		item.cond = ANPU_SEM_EQ;
		EXPECT_EQ(0, wait_items(self->fd, &item, 1, 0, 0, NULL));
	}
	/* numbers that only one width has, and half a turn ahead */
	const struct {
		uint64_t word, value;
		uint32_t cond;
		bool met8, met4;
	} wide[] = {
		{ 0x100000000, 0, ANPU_SEM_EQ, false, true }, { 0x100000000, 0, ANPU_SEM_NE, true, false },
		{ 0x100000000, 5, ANPU_SEM_GT, true, false }, { 5, 0x100000000, ANPU_SEM_GE, false, true },
		{ 5, 0x100000006, ANPU_SEM_LT, true, true }, { 0x100000006, 7, ANPU_SEM_LE, false, true },
		{ 0x100000000, 0x100000000, ANPU_SEM_ANY, true, false },
		{ 0x00000000ffffffff, 0, ANPU_SEM_NOR, true, false },
		{ 0x8000000080000000, 0, ANPU_SEM_AFTER, false, false },
		{ 0x7fffffff7fffffff, 0, ANPU_SEM_AFTER, true, true },
		{ 0x80000000, 0, ANPU_SEM_AFTER, true, false }, { 0, 0x80000001, ANPU_SEM_AFTER, false, true },
		{ ~0ULL, 0, ANPU_SEM_GT, true, true }, { ~0ULL, 0, ANPU_SEM_LT, false, false },
	};

	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		struct drm_anpu_wait_item item = mem_item(self->bo, 0, wide[i].cond, wide[i].value);

		self->mem[0] = wide[i].word;
		EXPECT_EQ(wide[i].met8 ? 0 : -ETIME, wait_items(self->fd, &item, 1, 0, 0, NULL)) {
			TH_LOG("wide case %zu", i);
		}
		item.width = 4;
		EXPECT_EQ(wide[i].met4 ? 0 : -ETIME, wait_items(self->fd, &item, 1, 0, 0, NULL)) {
			TH_LOG("wide case %zu, 4 bytes", i);
		}
	}
	/* the last word of the memory is a place to wait for, with each width */
	self->mem[PAGE / 8 - 1] = 0x700000006;
	struct drm_anpu_wait_item last = mem_item(self->bo, PAGE - 8, ANPU_SEM_EQ, 0x700000006);

	EXPECT_EQ(0, wait_items(self->fd, &last, 1, 0, 0, NULL));
	last = mem_item(self->bo, PAGE - 4, ANPU_SEM_EQ, 7);
	last.width = 4;
	EXPECT_EQ(0, wait_items(self->fd, &last, 1, 0, 0, NULL));
	self->mem[0] = 0x500000003;
	struct drm_anpu_wait_item masked = mem_item(self->bo, 0, ANPU_SEM_EQ, 1);

	masked.mask = 1;
	EXPECT_EQ(0, wait_items(self->fd, &masked, 1, 0, 0, NULL));
	struct drm_anpu_wait_item high = mem_item(self->bo, 4, ANPU_SEM_EQ, 5);

	high.width = 4;
	EXPECT_EQ(0, wait_items(self->fd, &high, 1, 0, 0, NULL));
}

/* Signals that change other memory wake nobody, however many there are. */
TEST_F(wait, memory_of_others_wakes_nobody)
{
	union anpu_packet other = pkt_signal(VA(0) + 128, 1, ANPU_SEM_IRQ);
	union anpu_packet mine = pkt_signal(VA(0) + 64, 1, ANPU_SEM_IRQ);
	struct drm_anpu_wait_item items[2] = { mem_item(self->bo, 64, ANPU_SEM_EQ, 1),
		mem_item(self->bo, 128, ANPU_SEM_NE, 77) };

	for (int all = 0; all < 2; all++) {
		int status;
		long before;
		pid_t pid;

		self->mem[8] = 0;
		pid = fork();
		if (!pid)
			_exit(-wait_items(self->fd, items, 1 + all, all ? DRM_ANPU_WAIT_ALL : 0, late(), NULL));
		until_asleep(pid);
		before = sleeps(pid);
		ASSERT_LT(0, before);
		for (int i = 0; i < 50; i++)
			ASSERT_EQ(0, run(self->fd, self->a.id, &other, 1));
		EXPECT_EQ(before, sleeps(pid));
		ASSERT_EQ(0, run(self->fd, self->a.id, &mine, 1));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
	}
}

TEST_F(wait, memory_woken_by_signal)
{
	for (uint32_t type = DRM_ANPU_BO_HBM; type <= DRM_ANPU_BO_SYSTEM; type++) {
		struct drm_anpu_wait_item item;
		uint32_t bo, signaled = 5;
		pid_t pid;

		ASSERT_NE(MAP_FAILED, make_buffer(self->fd, type, PAGE, VA(1 + type), RW, &bo));
		item = mem_item(bo, 64, ANPU_SEM_EQ, 3);
		EXPECT_EQ(-ETIME, wait_items(self->fd, &item, 1, 0, 0, NULL));
		pid = later(self->fd, self->a.id, pkt_signal(VA(1 + type) + 64, 3, ANPU_SEM_IRQ), 100);
		EXPECT_EQ(0, wait_items(self->fd, &item, 1, 0, late(), &signaled));
		EXPECT_EQ(0, signaled);
		waitpid(pid, NULL, 0);
	}
}

TEST_F(wait, memory_and_sequence_together)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1);
	struct drm_anpu_wait_item items[2];
	uint32_t signaled = 5;
	pid_t pid;

	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	items[0] = seq_item(self->a.id, 1);
	items[1] = mem_item(self->bo, 128, ANPU_SEM_NE, 0);
	pid = later(self->fd, self->b.id, pkt_signal(VA(0) + 128, 1, ANPU_SEM_IRQ), 50);
	EXPECT_EQ(0, wait_items(self->fd, items, 2, 0, late(), &signaled));
	EXPECT_EQ(1, signaled);
	waitpid(pid, NULL, 0);
}

static void on_signal(int sig)
{
	(void)sig;
}

/* Waits with a signal every 20 ms, for as long as it takes. */
static int interrupted(int fd, uint32_t stream, int flags, int64_t timeout)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };
	pid_t parent = getpid(), pid;
	int ret;

	sigaction(SIGUSR1, &action, NULL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			usleep(20000);
			kill(parent, SIGUSR1);
		}
	}
	ret = wait_seq_until(fd, stream, 1, timeout);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return ret;
}

TEST_F(wait, interrupted_by_a_signal)
{
	union anpu_packet pkt = pkt_wait(VA(0), 1);
	int64_t until = now_ns() + 300000000;

	ASSERT_EQ(0, submit(self->fd, self->a.id, &pkt, 1, NULL));
	EXPECT_EQ(-EINTR, interrupted(self->fd, self->a.id, 0, INT64_MAX));
	/* Restarted, the absolute timeout still holds: one that began anew each time would never end. */
	EXPECT_EQ(-ETIME, interrupted(self->fd, self->a.id, SA_RESTART, until));
	EXPECT_GE(now_ns(), until);
}

TEST_F(wait, halted_stream)
{
	union anpu_packet pkts[3] = { pkt_nop(), pkt_fill(8, 8, 0), pkt_nop() };
	struct stream s;
	uint64_t seq;

	ASSERT_EQ(0, stream_create(self->fd, DRM_ANPU_STREAM_STOP_ON_FAILURE, 0, &s));
	ASSERT_EQ(0, submit(self->fd, s.id, pkts, 3, &seq));
	EXPECT_EQ(-ECANCELED, wait_seq(self->fd, s.id, seq));
	EXPECT_EQ(0, wait_seq(self->fd, s.id, 1));
	EXPECT_EQ(ANPU_QUEUE_HALTED, s.status->state);
	EXPECT_EQ(-ECANCELED, submit(self->fd, s.id, pkts, 1, NULL));
}

TEST_HARNESS_MAIN
