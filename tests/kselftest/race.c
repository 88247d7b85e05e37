// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Threads of one program that destroy what others are using: errors are welcome, damage is not. */
#include <pthread.h>

#include "anpu_test.h"

#define STREAMS		8
#define THREADS		8

struct arena {
	int fd;
	int64_t end;
	uint32_t ids[STREAMS];
	uint32_t bos[STREAMS];
	unsigned int seed;
	uint64_t calls[16];
	uint64_t unexpected;
};

static uint32_t rnd(unsigned int *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 8;
}

/* Anything the header allows when somebody else pulls the object away. */
static void note(struct arena *a, int which, int ret)
{
	__atomic_add_fetch(&a->calls[which], 1, __ATOMIC_RELAXED);
	switch (ret) {
	case 0:
	case -ENOENT:
	case -EIO:
	case -EINVAL:
	case -ETIME:
	case -EEXIST:
	case -EAGAIN:
	case -ENOSPC:
	case -ECANCELED:
	case -ENODATA:
		return;
	}
	fprintf(stderr, "# call %d gave %d\n", which, ret);
	__atomic_add_fetch(&a->unexpected, 1, __ATOMIC_RELAXED);
}

static void touch(void *p)
{
	if (p == MAP_FAILED)
		return;
	(void)*(volatile uint64_t *)p;
	munmap(p, PAGE);
}

static void streams(struct arena *a, uint32_t r)
{
	struct drm_anpu_stream_create args = { .priority = 4, .ring_entries = 16,
		.flags = r >> 8 & DRM_ANPU_STREAM_STOP_ON_FAILURE };
	uint32_t slot = r % STREAMS, old = a->ids[slot];

	if (!do_ioctl(a->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &args)) {
		touch(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, a->fd, args.status_offset));
		a->ids[slot] = args.stream;
		note(a, 0, stream_destroy(a->fd, old));
	}
}

static void submits(struct arena *a, uint32_t r)
{
	union anpu_packet pkts[8];
	uint64_t va = VA(r % 4), seq;
	uint32_t id = a->ids[r % STREAMS];
	int ret;

	pkts[0] = pkt_fill(va, PAGE << (r & 7), r);
	pkts[1] = pkt_copy(va + MIB, va, PAGE << (r >> 3 & 7));
	pkts[2] = pkt_wait_us(va, r, 200);
	pkts[3] = pkt_notify(r, r);
	pkts[4] = pkt_signal(va, r, r & ANPU_SEM_IRQ);
	pkts[5] = pkts[6] = pkts[7] = pkt_nop();
	ret = submit_flags(a->fd, id, pkts, 8, r >> 4 & DRM_ANPU_SUBMIT_NONBLOCK, &seq, NULL);
	note(a, 1, ret);
	if (!ret)
		note(a, 2, wait_seq_until(a->fd, id, seq, now_ns() + 1000000 * (r % 4)));
}

static void binds(struct arena *a, uint32_t r)
{
	struct drm_anpu_vm_bind_op ops[3] = {
		{ .op = DRM_ANPU_VM_UNMAP, .va = VA(r % 4), .size = PAGE * (1 + r % 600) },
		{ .op = DRM_ANPU_VM_REPLACE, .flags = RW, .va = VA(r >> 3 & 3) + MIB,
		  .size = 2 * MIB, .handle = a->bos[r % STREAMS] },
		{ .op = DRM_ANPU_VM_MAP, .flags = RW, .va = VA(r % 4), .size = PAGE << (r & 7),
		  .handle = a->bos[r >> 4 & 7] },
	};

	note(a, 3, vm_bind(a->fd, ops, 3, NULL));
}

static void objects(struct arena *a, uint32_t r)
{
	uint32_t slot = r % STREAMS, old = a->bos[slot], handle;

	if (bo_create(a->fd, r & 1 ? DRM_ANPU_BO_SYSTEM : DRM_ANPU_BO_HBM, 4 * MIB, 0, 0, &handle))
		return;
	touch(bo_map(a->fd, handle, PAGE));
	a->bos[slot] = handle;
	note(a, 4, bo_close(a->fd, old));
}

static void looks(struct arena *a, uint32_t r)
{
	struct drm_anpu_wait_item items[2] = {
		{ .type = DRM_ANPU_WAIT_SEQ, .stream = a->ids[r % STREAMS], .value = r & 7 },
		{ .type = DRM_ANPU_WAIT_MEMORY, .handle = a->bos[r >> 3 & 7], .mask = ~0ULL,
		  .value = r, .width = 8 },
	};
	struct drm_anpu_stream_get_state st;
	struct anpu_fault fault;

	note(a, 5, get_state(a->fd, a->ids[r % STREAMS], &st, 1 + (r & 3), &fault));
	note(a, 6, wait_items(a->fd, items, 2, r & 1, now_ns() + 500000, NULL));
}

static void resets(struct arena *a, uint32_t r)
{
	struct drm_anpu_reset args = { .scope = DRM_ANPU_RESET_STREAM,
		.stream = a->ids[r % STREAMS] };
	char buf[4096];

	/* Seldom enough that others get something done. */
	if (!(r & 1023)) {
		args.scope = DRM_ANPU_RESET_DEVICE;
		args.stream = 0;
	}
	note(a, 7, do_ioctl(a->fd, DRM_IOCTL_ANPU_RESET, &args));
	if (read(a->fd, buf, sizeof(buf)) < 0 && errno != EAGAIN)
		note(a, 8, -errno);
}

static void *thread(void *arg)
{
	static void (* const acts[])(struct arena *, uint32_t) = {
		streams, submits, submits, binds, objects, looks, resets,
	};
	struct arena *a = arg;
	unsigned int seed = __atomic_add_fetch(&a->seed, 7919, __ATOMIC_RELAXED);

	while (now_ns() < a->end)
		acts[rnd(&seed) % (sizeof(acts) / sizeof(acts[0]))](a, rnd(&seed));
	return NULL;
}

FIXTURE(race) {
	char unused;
};

FIXTURE_SETUP(race)
{
}

FIXTURE_TEARDOWN(race)
{
}

TEST_F_TIMEOUT(race, everything_at_once, 3600)
{
	struct drm_anpu_event_subscribe sub = { .mask = 7 };
	/* Longer on request: ANPU_RACE_SECONDS. */
	const char *seconds = getenv("ANPU_RACE_SECONDS");
	struct arena a = { .end = now_ns() + SECONDS(seconds ? atoi(seconds) : 3),
		.seed = now_ns() };
	int watcher = anpu_open();
	uint64_t before = hbm_free(watcher);
	pthread_t threads[THREADS];
	union anpu_packet nop = pkt_nop();
	struct stream s;

	ASSERT_GE(watcher, 0);
	TH_LOG("seed %u", a.seed);
	a.fd = open(anpu_node(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
	ASSERT_GE(a.fd, 0);
	ASSERT_EQ(0, do_ioctl(a.fd, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub));
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, thread, &a));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, a.unexpected);
	for (int i = 0; i < 8; i++)
		EXPECT_GT(a.calls[i], 0);
	close(a.fd);
	EXPECT_TRUE(SOON(hbm_free(watcher) == before));
	/* The device works as before. */
	ASSERT_EQ(0, stream_create(watcher, 0, 0, &s));
	EXPECT_EQ(0, run(watcher, s.id, &nop, 1));
	close(watcher);
}

struct commands {
	int fd;
	uint32_t stream;
	_Atomic bool stop;
	_Atomic uint64_t done;
	uint64_t unexpected;
};

static void *command(void *arg)
{
	struct commands *c = arg;
	struct drm_anpu_stream_set set = { .stream = c->stream };
	struct drm_anpu_reset abort = { .scope = DRM_ANPU_ABORT_STREAM, .stream = c->stream };

	while (!c->stop) {
		int ret;

		set.flags ^= DRM_ANPU_STREAM_STOP_ON_FAILURE;
		ret = set.flags ? do_ioctl(c->fd, DRM_IOCTL_ANPU_STREAM_SET, &set) :
			do_ioctl(c->fd, DRM_IOCTL_ANPU_RESET, &abort);
		c->done += !ret;
		/* While it is being reset it is dead. */
		c->unexpected += ret && ret != -EIO;
	}
	return NULL;
}

/* A command that comes while the queue starts anew is not lost: then the stream would end. */
TEST_F_TIMEOUT(race, commands_and_resets, 3600)
{
	const char *seconds = getenv("ANPU_RACE_SECONDS");
	int64_t end = now_ns() + SECONDS(seconds ? atoi(seconds) : 3);
	struct commands c = { .fd = anpu_open() };
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_RESET_STREAM };
	union anpu_packet nop = pkt_nop();
	uint64_t resets = 0;
	pthread_t thread;
	struct stream s;

	ASSERT_GE(c.fd, 0);
	ASSERT_EQ(0, stream_create(c.fd, 0, 16, &s));
	c.stream = reset.stream = s.id;
	ASSERT_EQ(0, pthread_create(&thread, NULL, command, &c));
	while (now_ns() < end) {
		uint64_t done = c.done;

		ASSERT_EQ(0, do_ioctl(c.fd, DRM_IOCTL_ANPU_RESET, &reset));
		/* One that comes now is obeyed, or would never be. */
		ASSERT_TRUE(SOON(c.done != done));
		resets++;
	}
	c.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	TH_LOG("%llu resets, %llu commands", (unsigned long long)resets, (unsigned long long)c.done);
	EXPECT_EQ(0, c.unexpected);
	EXPECT_EQ(0, run(c.fd, s.id, &nop, 1));
	close(c.fd);
}

TEST_HARNESS_MAIN
