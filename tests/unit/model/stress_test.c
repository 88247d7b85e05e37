// SPDX-License-Identifier: MIT
/* Many things at once: semaphores across queues, reset under load, thousands of queues, churn. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define PAIRS	4
#define ROUNDS	300

/* Two queues that hand a token to and fro, each fed by its own thread. */
struct player {
	struct tq *q;
	uint64_t mine, theirs;
	bool first;
};

static void *play(void *arg)
{
	struct player *p = arg;

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		union anpu_packet wait = p_wait(p->mine, i, ANPU_SEM_GE, 10000000);
		union anpu_packet signal = p_signal(p->theirs, 1, ANPU_SEM_ADD);

		if (!p->first || i > 1)
			wait.sem_wait.value = p->first ? i - 1 : i;
		else
			wait = p_nop();
		tq_push(p->q, &wait);
		tq_push(p->q, &signal);
		tq_ring(p->q);
	}
	tq_wait(p->q, p->q->wptr);
	return NULL;
}

static void test_ping_pong(unsigned int threads)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct player p[2 * PAIRS];
	pthread_t t[2 * PAIRS];
	bool good = true;

	c.threads = threads;
	d = dev_new(&c);
	for (int i = 0; i < 2 * PAIRS; i++) {
		p[i].q = tq_started(d, i, 0, 0);
		p[i].mine = hbm_alloc(d, 64, 64);
		p[i].first = !(i & 1);
	}
	for (int i = 0; i < 2 * PAIRS; i++)
		p[i].theirs = p[i ^ 1].mine;
	for (int i = 0; i < 2 * PAIRS; i++)
		pthread_create(&t[i], NULL, play, &p[i]);
	for (int i = 0; i < 2 * PAIRS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 2 * PAIRS; i++) {
		good = good && !tq_errors(p[i].q) && load64(hbm_ptr(d, p[i].mine)) == ROUNDS;
		tq_free(p[i].q);
	}
	ok(good, "%u threads: %d pairs of queues play %d rounds", threads, PAIRS, ROUNDS);
	dev_free(d);
}

/* Eight queues take a lock made of SEM_WAIT with CLEAR; what it guards is never torn. */
static void *locker(void *arg)
{
	struct player *p = arg;

	for (int i = 0; i < 200; i++) {
		union anpu_packet take = p_wait(p->mine, 1, ANPU_SEM_EQ, 10000000);
		union anpu_packet copy = p_copy(p->theirs, p->theirs + 8, 8);
		union anpu_packet add = p_signal(p->theirs + 8, 1, ANPU_SEM_ADD);
		union anpu_packet back = p_copy(p->theirs + 8, p->theirs, 8);
		union anpu_packet give = p_signal(p->mine, 1, ANPU_SEM_SET);

		take.hdr.flags = ANPU_SEM_CLEAR;
		tq_push(p->q, &take);
		tq_push(p->q, &copy);
		tq_push(p->q, &add);
		tq_push(p->q, &back);
		tq_push(p->q, &give);
		tq_ring(p->q);
	}
	tq_wait(p->q, p->q->wptr);
	return NULL;
}

static void test_lock(void)
{
	struct dev *d = dev_default();
	struct player p[8];
	pthread_t t[8];
	uint64_t lock = hbm_alloc(d, 64, 64), data = hbm_alloc(d, 64, 64), errors = 0;

	store64(hbm_ptr(d, lock), 1);
	for (int i = 0; i < 8; i++) {
		p[i] = (struct player){ tq_started(d, i, 0, 0), lock, data, false };
		pthread_create(&t[i], NULL, locker, &p[i]);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], NULL);
		errors += tq_errors(p[i].q);
		tq_free(p[i].q);
	}
	ok(!errors && load64(hbm_ptr(d, data)) == 1600, "a lock of SEM_WAIT with CLEAR excludes");
	dev_free(d);
}

#define SIGNALS	20000

/* A CPU adds to the upper half of a word, the device to the lower one: no addition is lost. */
static void test_contended(uint32_t width)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 0, 0, 0);
	uint64_t sem = hbm_alloc(d, 64, 64), at = hbm_alloc(d, 64ULL * SIGNALS, 64), rounds = 0;
	struct contender c = { .at = hbm_ptr(d, sem), .words = 1, .width = width,
			       .step = width == 8 ? 1ULL << 32 : 1 << 24 };
	union anpu_packet *add = hbm_ptr(d, at), p = p_indirect(at, SIGNALS);

	for (unsigned int i = 0; i < SIGNALS; i++) {
		add[i] = p_signal(sem, 1, ANPU_SEM_ADD);
		add[i].sem_signal.width = width;
	}
	contender_start(&c);
	/* 2^24 additions would reach the upper half of 4 bytes */
	for (rounds = 0; rounds < 400 && atomic_load(&c.conflicts) < CONFLICTS; rounds++)
		tq_run(q, &p);
	contender_stop(&c);
	if (width == 8)
		is(load64(hbm_ptr(d, sem)), (atomic_load(&c.added) << 32) + rounds * SIGNALS,
		   "SEM_SIGNAL ADD of 8 bytes loses nothing to a CPU that adds, too");
	else
		is((uint32_t)load64(hbm_ptr(d, sem)), (uint32_t)((atomic_load(&c.added) << 24) + rounds * SIGNALS),
		   "nor of 4 bytes");
	is(tq_errors(q), 0, "  without a failure");
	tq_free(q);
	dev_free(d);
}

/* Writes by the CPU are seen within a tick; the doorbell makes it faster. */
static void test_cpu_signal(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 0, 0, 0);
	uint64_t sem = hbm_alloc(d, 8, 8), start;
	union anpu_packet p;

	for (int bell = 0; bell < 2; bell++) {
		store64(hbm_ptr(d, sem), 0);
		p = p_wait(sem, 1, ANPU_SEM_EQ, ANPU_TIMEOUT_NEVER);
		tq_push(q, &p);
		tq_ring(q);
		tq_wait_state(q, ANPU_QUEUE_PARKED);
		sleep_us(80000);
		start = now_ns();
		store64(hbm_ptr(d, sem), 1);
		if (bell)
			anpu_model_doorbell(d->m, 0, q->wptr);
		ok(tq_wait(q, q->wptr), "a CPU's write ends a wait%s, %llu us",
		   bell ? " with a doorbell" : "", (unsigned long long)(now_ns() - start) / 1000);
	}
	tq_free(q);
	dev_free(d);
}

static void test_many_queues(void)
{
	struct anpu_config c = config_small();
	struct tq **q = calloc(ANPU_MAX_QUEUES, sizeof(*q));
	union anpu_packet nop = p_nop();
	struct dev *d;
	uint64_t start, idle, errors = 0;
	bool good = true;

	c.queues = ANPU_MAX_QUEUES;
	d = dev_new(&c);
	for (int i = 0; i < ANPU_MAX_QUEUES; i++) {
		q[i] = tq_new(d, i, 4);
		tq_command(q[i], ANPU_QUEUE_START);
	}
	for (int i = 0; i < ANPU_MAX_QUEUES; i++)
		good = good && tq_wait_state(q[i], ANPU_QUEUE_RUNNING);
	ok(good, "4096 queues start");
	start = now_ns();
	for (int i = 0; i < 2000; i++) {
		uint64_t seq = tq_push(q[77], &nop);

		tq_ring(q[77]);
		tq_wait(q[77], seq);
	}
	idle = (now_ns() - start) / 2000;
	printf("# %llu ns per NOP and wait with 4095 idle queues\n", (unsigned long long)idle);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < ANPU_MAX_QUEUES; i++) {
			tq_push(q[i], &nop);
			tq_ring(q[i]);
		}
	for (int i = 0; i < ANPU_MAX_QUEUES; i++) {
		good = good && tq_wait(q[i], q[i]->wptr);
		errors += tq_errors(q[i]);
	}
	ok(good && !errors, "all 4096 queues run packets");
	for (int i = 0; i < ANPU_MAX_QUEUES; i++)
		tq_command(q[i], ANPU_QUEUE_STOP);
	for (int i = 0; i < ANPU_MAX_QUEUES; i++) {
		good = good && tq_wait_state(q[i], ANPU_QUEUE_STOPPED);
		tq_free(q[i]);
	}
	ok(good, "and stop");
	dev_free(d);
	free(q);
}

/* One of everything, again and again. */
static void load_queue(struct dev *d, struct tq *q, uint64_t mem, uint64_t entry)
{
	union anpu_packet p[] = {
		p_nop(), p_copy(mem, mem + 65536, 65536), p_fill(mem, 4096, q->id, 8),
		p_copy(mem, mem + (6 << 20), 5 << 20), p_kernel(entry, 6), p_notify(q->id, 1),
		p_signal(mem, 1, ANPU_SEM_ADD), p_wait(mem + 8, 1, ANPU_SEM_EQ, 2000),
		p_timestamp(mem + 16),
	};

	for (unsigned int i = 0; i < sizeof(p) / sizeof(p[0]); i++) {
		q->ring[q->wptr & ((1ULL << q->log2) - 1)] = p[i];
		store64(&q->ctl->wptr, ++q->wptr);
	}
	anpu_model_doorbell(d->m, q->id, q->wptr);
}

static void test_reset_under_load(bool by_host)
{
	struct dev *d = dev_default();
	struct anpu_config c = d->cfg;
	unsigned int rounds = 25;

	for (unsigned int r = 0; r < rounds; r++) {
		struct teq *e = teq_new(d, 0, 4);
		uint64_t forever = PROGRAM(d, { FAKE_FOREVER, 0, 0 });
		struct tq *q[4];

		for (int i = 0; i < 4; i++) {
			q[i] = tq_started(d, i, 0, 0);
			load_queue(d, q[i], hbm_alloc(d, 12 << 20, 4096), forever);
		}
		sleep_us(r * 150);
		if (by_host)
			anpu_model_reset(d->m);
		else
			set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
		if (!eventually(reg(d, ANPU_REG_STATUS) & ANPU_STATUS_READY))
			die("reset %u under load does not end", r);
		for (int i = 0; i < 4; i++)
			tq_free(q[i]);
		teq_free(e);
		/* everything may be reused now: ThreadSanitizer watches */
		memset(d->hbm, 0, d->hbm_next);
		dev_setup(d);
	}
	is(reg(d, ANPU_REG_RESETS), rounds, by_host ? "25 resets by the host under load"
						     : "25 resets by register under load");
	(void)c;
	dev_free(d);
}

/* A reset that begins while a START is being carried out ends what that starts. */
static void test_reset_while_starting(void)
{
	struct dev *d = dev_default();
	unsigned int r;

	for (r = 0; r < 400; r++) {
		union anpu_packet p = p_kernel(PROGRAM(d, { FAKE_FOREVER, 0, 0 }), 1 + r % 3);
		struct tq *q[4];

		p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
		for (int i = 0; i < 4; i++) {
			q[i] = tq_new(d, i, 4);
			q[i]->ring[0] = p;
			store64(&q[i]->ctl->wptr, 1);
		}
		for (int i = 0; i < 4; i++)
			tq_command(q[i], ANPU_QUEUE_START);
		for (unsigned int spin = 0; spin < r % 100 * 20; spin++)
			(void)reg(d, ANPU_REG_ID);
		anpu_model_reset(d->m);
		if (!eventually(reg(d, ANPU_REG_STATUS) & ANPU_STATUS_READY))
			die("reset %u, with queues starting, does not end", r);
		for (int i = 0; i < 4; i++)
			tq_free(q[i]);
		memset(d->hbm, 0, d->hbm_next);
		dev_setup(d);
	}
	ok(true, "%u resets while queues are being started", r);
	dev_free(d);
}

/* Power off at any moment. */
static void test_destroy_under_load(void)
{
	for (int r = 0; r < 20; r++) {
		struct dev *d = dev_default();
		struct teq *e = teq_new(d, 0, 4);
		uint64_t forever = PROGRAM(d, { FAKE_FOREVER, 0, 0 });
		struct tq *q[4];

		for (int i = 0; i < 4; i++) {
			q[i] = tq_started(d, i, 0, 0);
			load_queue(d, q[i], hbm_alloc(d, 12 << 20, 4096), forever);
		}
		sleep_us(r * 100);
		dev_free(d);
		for (int i = 0; i < 4; i++)
			tq_free(q[i]);
		teq_free(e);
	}
	ok(true, "20 times power off under load");
}

/* A reset waits for no interrupt: this one lasts longer than the reset, or it would never return. */
static void test_slow_interrupts(void)
{
	struct dev *d = dev_default();
	struct teq *e = teq_new(d, 0, 8);
	struct tq *q = tq_started(d, 0, 0, 0);
	union anpu_packet p = p_notify(1, 1);

	atomic_store(&d->raise_held, 1);
	tq_push(q, &p);
	tq_ring(q);
	ok(eventually(atomic_load(&d->raises_waiting) == 1), "the host takes its time for an interrupt");
	anpu_model_reset(d->m);
	is(atomic_load(&d->raises_waiting), 1, "anpu_model_reset() does not wait for it");
	atomic_store(&d->raise_held, 0);
	ok(eventually(reg(d, ANPU_REG_STATUS) & ANPU_STATUS_READY), "the reset ends");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

/* Commands of all queues are the manager's: it sends STOPPED and goes on while the host takes its time. */
static void test_slow_stopped(void)
{
	struct dev *d = dev_default();
	struct teq *e = teq_new(d, 0, 8);
	struct tq *a = tq_started(d, 0, 0, 0), *b = tq_started(d, 1, 0, 0);
	union anpu_packet p = p_nop();
	struct anpu_event event;

	atomic_store(&d->raise_held, 1);
	tq_stop(a);
	ok(eventually(atomic_load(&d->raises_waiting) == 1), "the host takes its time for an event STOPPED");
	tq_stop(b);
	tq_start(b);
	tq_start(a);
	tq_run(b, &p);
	tq_run(a, &p);
	is(atomic_load(&d->raises_waiting), 1, "queues stop, start and run meanwhile");
	anpu_model_reset(d->m);
	ok(eventually(reg(d, ANPU_REG_STATUS) & ANPU_STATUS_READY), "the device is reset");
	is(atomic_load(&d->irqs[0]), 0, "and no interrupt yet");
	atomic_store(&d->raise_held, 0);
	ok(eventually(atomic_load(&d->irqs[0]) == 2), "both come when the host takes them");
	ok(teq_pop(e, &event) && event.type == ANPU_EVENT_STOPPED && event.queue == 0 &&
	   teq_pop(e, &event) && event.type == ANPU_EVENT_STOPPED && event.queue == 1, "as their events have");
	tq_free(a);
	tq_free(b);
	teq_free(e);
	dev_free(d);
}

/* The host's map function may need a lock of who resets the device. */
static atomic_bool reset_returned;

static void *reset_thread(void *arg)
{
	struct dev *d = arg;

	anpu_model_reset(d->m);
	atomic_store(&reset_returned, true);
	return NULL;
}

static void test_slow_maps(uint64_t window)
{
	const uint64_t va = 0x10000000;
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 0, 1, 0);
	union anpu_packet p = p_fill(va, 4096, 0x77, 1);
	pthread_t thread;

	as_map(d, 1, va, 4096, window, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	d->ram[0] = 0x11;
	atomic_store(&reset_returned, false);
	atomic_store(&d->map_held, 1);
	tq_push(q, &p);
	tq_ring(q);
	ok(eventually(atomic_load(&d->maps_waiting) == 1), "a packet waits for the host to map memory");
	if (pthread_create(&thread, NULL, reset_thread, d))
		die("no thread");
	ok(eventually(atomic_load(&reset_returned)), "anpu_model_reset() does not wait for that");
	atomic_store(&d->map_held, 0);
	pthread_join(thread, NULL);
	ok(eventually(reg(d, ANPU_REG_STATUS) & ANPU_STATUS_READY), "the reset ends");
	is(d->ram[0], 0x11, "what was mapped too late is not written");
	is(atomic_load(&d->transient), 0, "and given back");
	tq_free(q);
	dev_free(d);
}

/* START and STOP from one thread, doorbells from another, for a while. */
static atomic_bool stop_bells;

static void *bells(void *arg)
{
	struct dev *d = arg;
	uint64_t i;

	for (i = 0; !atomic_load(&stop_bells); i++)
		anpu_model_doorbell(d->m, i & 3, i & 15);
	return NULL;
}

static void test_start_stop(void)
{
	struct dev *d = dev_default();
	struct teq *e = teq_new(d, 0, 5);
	struct anpu_event ev;
	struct tq *q[4];
	pthread_t t;

	for (int i = 0; i < 4; i++) {
		q[i] = tq_new(d, i, 4);
		for (int n = 0; n < 16; n++)
			q[i]->ring[n] = n & 1 ? p_nop() : p_notify(n, n);
	}
	pthread_create(&t, NULL, bells, d);
	for (int r = 0; r < 200; r++) {
		for (int i = 0; i < 4; i++)
			tq_command(q[i], ANPU_QUEUE_START);
		for (int i = 0; i < 4; i++) {
			tq_command(q[i], ANPU_QUEUE_RESUME);
			tq_command(q[i], ANPU_QUEUE_STOP);
		}
		/* the state says STOPPED before START, too: only the event tells */
		for (int stopped = 0; stopped < 4; stopped += ev.type == ANPU_EVENT_STOPPED)
			if (!teq_wait(e, &ev))
				die("round %d: only %d queues have stopped", r, stopped);
	}
	atomic_store(&stop_bells, true);
	pthread_join(t, NULL);
	ok(true, "200 rounds of START, RESUME, STOP under wild doorbells");
	for (int i = 0; i < 4; i++)
		tq_free(q[i]);
	teq_free(e);
	dev_free(d);
}

int main(void)
{
	test_ping_pong(1);
	test_ping_pong(3);
	test_lock();
	test_contended(8);
	test_contended(4);
	test_cpu_signal();
	test_many_queues();
	test_reset_under_load(false);
	test_reset_under_load(true);
	test_reset_while_starting();
	test_destroy_under_load();
	test_slow_interrupts();
	test_slow_stopped();
	test_slow_maps(DMA_PLAIN);
	test_slow_maps(DMA_TRANSIENT);
	test_start_stop();
	return done_testing();
}
