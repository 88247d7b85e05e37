// SPDX-License-Identifier: MIT
/*
 * The worker that watches doorbells: it goes on watching while it executes short packets, and is replaced
 * before what may be long. What is tested here hangs if a doorbell or a wake-up gets lost.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define QUEUES	1000

static struct dev *new_dev(unsigned int threads, unsigned int queues, unsigned int spin_us)
{
	struct anpu_config c = config_small();

	c.threads = threads;
	c.queues = queues;
	c.spin_us = spin_us;
	return dev_new(&c);
}

static struct tq *started(struct dev *d, unsigned int id, unsigned int log2, uint32_t priority)
{
	struct tq *q = tq_new(d, id, log2);

	tq_context(q)->priority = priority;
	tq_start(q);
	return q;
}

/* Short kernels so far, then one that needs another queue's packet: somebody must look at its doorbell. */
static void test_long_after_short(unsigned int spin_us, uint32_t blocks, uint32_t other_priority)
{
	/* a worker more than blocks: they may all run at once, and are of a higher priority */
	struct dev *d = new_dev(blocks + 1, 4, spin_us);
	struct tq *a = started(d, 1, 6, 1), *b = started(d, 2, 6, other_priority);
	uint64_t flag = hbm_alloc(d, 8, 8);
	union anpu_packet quick = p_kernel(PROGRAM(d, { FAKE_END, 0, 0 }), blocks);
	union anpu_packet until = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }), blocks);
	union anpu_packet set = p_signal(flag, 1, ANPU_SEM_SET);
	bool good = true;

	until.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	for (int round = 0; round < 10 && good; round++) {
		store64(hbm_ptr(d, flag), 0);
		for (int i = 0; i < 5; i++)
			tq_run(a, &quick);
		tq_push(a, &until);
		tq_ring(a);
		eventually(load64(&a->st->started) == a->wptr);
		tq_push(b, &set);
		tq_ring(b);
		good = tq_wait(a, a->wptr) && tq_wait(b, b->wptr);
	}
	ok(good && !tq_errors(a), "spin %u: a kernel of %u blocks waits for a queue of priority %u",
	   spin_us, blocks, other_priority);
	tq_free(a);
	tq_free(b);
	dev_free(d);
}

/* The same when the doorbell rings before anybody knows that the kernel is a long one. */
static void test_long_and_doorbell(void)
{
	struct dev *d = new_dev(2, 4, 50);
	struct tq *a = started(d, 1, 6, 4), *b = started(d, 2, 6, 4);
	uint64_t flag = hbm_alloc(d, 8, 8);
	union anpu_packet quick = p_kernel(PROGRAM(d, { FAKE_END, 0, 0 }), 1);
	union anpu_packet until = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }), 1);
	union anpu_packet set = p_signal(flag, 1, ANPU_SEM_SET);
	bool good = true;

	until.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	for (int round = 0; round < 300 && good; round++) {
		store64(hbm_ptr(d, flag), 0);
		tq_run(a, &quick);
		if (round % 3 == 0)
			sleep_us(200);
		tq_push(a, &until);
		tq_push(b, &set);
		tq_ring(a);
		tq_ring(b);
		good = tq_wait(a, a->wptr) && tq_wait(b, b->wptr);
	}
	ok(good, "doorbells of a long kernel and of what it waits for, at the same time");
	tq_free(a);
	tq_free(b);
	dev_free(d);
}

struct feeder {
	struct tq *q;
	atomic_bool stop;
};

static void *feed(void *arg)
{
	struct feeder *f = arg;
	union anpu_packet nop = p_nop();

	while (!atomic_load(&f->stop)) {
		for (int i = 0; i < 32; i++)
			tq_push(f->q, &nop);
		tq_ring(f->q);
	}
	return NULL;
}

/* A queue that never runs dry keeps its worker, not the device. */
static void test_busy_queue(unsigned int threads, uint32_t busy, uint32_t other)
{
	struct dev *d = new_dev(threads, 4, 50);
	struct feeder f = { .q = started(d, 1, 10, busy) };
	struct tq *b = started(d, 2, 6, other);
	union anpu_packet nop = p_nop();
	bool good = true;
	pthread_t t;

	pthread_create(&t, NULL, feed, &f);
	eventually(load64(&f.q->st->completed) > 1000);
	for (int i = 0; i < 50 && good; i++) {
		tq_push(b, &nop);
		tq_ring(b);
		good = tq_wait(b, b->wptr);
		sleep_us(100);
	}
	atomic_store(&f.stop, true);
	pthread_join(t, NULL);
	ok(good, "%u threads: a queue of priority %u runs beside a busy one of %u", threads, other, busy);
	tq_wait(f.q, f.q->wptr);
	tq_free(f.q);
	tq_free(b);
	dev_free(d);
}

/* An endless loop of short packets, ended by another queue: its worker must let that run, or have it run. */
static void test_loop(unsigned int threads, uint32_t busy, uint32_t other)
{
	struct dev *d = new_dev(threads, 4, 50);
	struct tq *a = started(d, 1, 6, busy), *b = started(d, 2, 6, other);
	uint64_t flag = hbm_alloc(d, 8, 8), list = hbm_alloc(d, 128, 64);
	union anpu_packet loop = p_indirect(list, 2), *p = hbm_ptr(d, list);
	union anpu_packet set = p_signal(flag, 1, ANPU_SEM_SET);
	bool good = true;

	p[0] = p_nop();
	p[1] = (union anpu_packet){ .jump = { .hdr.opcode = ANPU_OP_JUMP, .addr = flag, .mask = ~0ULL,
					      .cond = ANPU_SEM_EQ, .width = 8 } };
	for (int i = 0; i < 20 && good; i++) {
		store64(hbm_ptr(d, flag), 0);
		tq_push(a, &loop);
		tq_ring(a);
		eventually(load64(&a->st->started) == a->wptr);
		tq_push(b, &set);
		tq_ring(b);
		good = tq_wait(a, a->wptr) && tq_wait(b, b->wptr);
	}
	ok(good && !tq_errors(a), "%u threads: a queue of priority %u ends the loop of one of %u", threads,
	   other, busy);
	tq_free(a);
	tq_free(b);
	dev_free(d);
}

static void test_kick(void)
{
	struct dev *d = new_dev(2, 4, 50);
	uint64_t controls = hbm_alloc(d, 4 * ANPU_CONTROL_SIZE, ANPU_CONTROL_SIZE), sem;
	union anpu_packet nop = p_nop(), p;
	struct tq *q[4];
	bool good = true;

	memset(hbm_ptr(d, controls), 0, 4 * ANPU_CONTROL_SIZE);
	for (unsigned int i = 0; i < 4; i++) {
		q[i] = tq_new(d, i, 6);
		q[i]->control_at = controls + i * ANPU_CONTROL_SIZE;
		q[i]->ctl = hbm_ptr(d, q[i]->control_at);
		tq_context(q[i])->control = q[i]->control_at;
		tq_start(q[i]);
	}
	for (int round = 0; round < 50; round++)
		for (unsigned int i = 0; i < 4; i++) {
			tq_push(q[i], &nop);
			tq_kick(q[i]);
			if (round % 10 == 0)
				good = good && tq_wait(q[i], q[i]->wptr);
		}
	for (unsigned int i = 0; i < 4; i++)
		good = good && tq_wait(q[i], q[i]->wptr) && !tq_errors(q[i]);
	ok(good, "KICK, with control blocks side by side");
	is(reg(d, ANPU_REG_DOORBELLS_RUNG), 200, "counts as a doorbell");

	sem = hbm_alloc(d, 8, 8);
	p = p_wait(sem, 1, ANPU_SEM_EQ, ANPU_TIMEOUT_NEVER);
	tq_push(q[0], &p);
	tq_kick(q[0]);
	tq_wait_state(q[0], ANPU_QUEUE_PARKED);
	store64(hbm_ptr(d, sem), 1);
	tq_kick(q[0]);
	ok(tq_wait(q[0], q[0]->wptr), "of a parked queue");

	tq_stop(q[1]);
	store64(&q[1]->ctl->wptr, 1000);
	tq_kick(q[1]);
	is(reg(d, ANPU_REG_BAD_ACCESS), 0, "of a stopped one it does nothing");
	set_reg(d, ANPU_REG_KICK, 4);
	set_reg(d, ANPU_REG_KICK, 1ULL << 32);
	is(reg(d, ANPU_REG_BAD_ACCESS), 2, "of one that there is not it is refused");
	store64(&q[2]->ctl->wptr, q[2]->wptr - 1);
	tq_kick(q[2]);
	ok(tq_wait_state(q[2], ANPU_QUEUE_HALTED), "an index that moves backwards halts");
	is(tq_last_fault(q[2])->cause, ANPU_FAULT_BAD_DOORBELL, "with cause BAD_DOORBELL");
	for (unsigned int i = 0; i < 4; i++)
		tq_free(q[i]);
	dev_free(d);
}

/* One worker, a thousand queues: all of them have begun before any of them has ended. */
static void test_fair(void)
{
	struct dev *d = new_dev(1, QUEUES + 1, 50);
	struct tq *hold = started(d, QUEUES, 6, 0), *q[QUEUES];
	uint64_t flag = hbm_alloc(d, 8, 8), times = hbm_alloc(d, 16 * QUEUES, 8);
	uint64_t last_begin = 0, first_end = ~0ULL;
	union anpu_packet nop = p_nop(), p;

	p = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }), 1);
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_push(hold, &p);
	tq_ring(hold);
	eventually(load64(&hold->st->started) == 1);
	for (unsigned int i = 0; i < QUEUES; i++) {
		q[i] = started(d, i, 8, 4);
		p = p_timestamp(times + 16 * i);
		tq_push(q[i], &p);
		for (int n = 0; n < 150; n++)
			tq_push(q[i], &nop);
		p = p_timestamp(times + 16 * i + 8);
		tq_push(q[i], &p);
		tq_ring(q[i]);
	}
	store64(hbm_ptr(d, flag), 1);
	for (unsigned int i = 0; i < QUEUES; i++) {
		uint64_t begin, end;

		tq_wait(q[i], q[i]->wptr);
		begin = load64(hbm_ptr(d, times + 16 * i));
		end = load64(hbm_ptr(d, times + 16 * i + 8));
		last_begin = begin > last_begin ? begin : last_begin;
		first_end = end < first_end ? end : first_end;
		tq_free(q[i]);
	}
	ok(last_begin < first_end, "%u queues take turns", QUEUES);
	tq_free(hold);
	dev_free(d);
}

/* As a driver does it: no doorbell while the device says it polls. The barrier is in store64(). */
static bool ring_either_way(struct tq *q, unsigned int *seed)
{
	if (!tq_polling(q)) {
		if (q->id & 1)
			tq_kick(q);
		else
			tq_ring(q);
	}
	nap(seed);
	return true;
}

static void test_lost(unsigned int threads, unsigned int spin_us)
{
	enum { ROUNDS = 6000 };
	struct dev *d = new_dev(threads, QUEUES, spin_us);
	struct tq *q[QUEUES];
	bool good;

	for (unsigned int i = 0; i < QUEUES; i++)
		q[i] = started(d, i, 4, i % ANPU_PRIORITIES);
	good = tq_submit_many(q, QUEUES, ROUNDS, ring_either_way);
	for (unsigned int i = 0; i < QUEUES; i++) {
		good = good && tq_wait(q[i], q[i]->wptr);
		tq_free(q[i]);
	}
	ok(good, "%u threads, spin %u: %u packets over %u queues, none is forgotten", threads, spin_us,
	   SUBMITTERS * ROUNDS, QUEUES);
	dev_free(d);
}

/* All threads of the process */
static void pin(const cpu_set_t *cpus)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *e;

	while (tasks && (e = readdir(tasks)))
		if (*e->d_name != '.' && sched_setaffinity(atoi(e->d_name), sizeof(*cpus), cpus))
			die("a thread cannot be given a processor");
	if (tasks)
		closedir(tasks);
}

/*
 * A worker that would spin for a while, where whoever has called it has the same processor: it would keep the next packet from coming.
 * It has gone to sleep when that comes
 */
static void test_same_processor(void)
{
	enum { ROUNDS = 20 };
	struct dev *d = new_dev(1, 4, 200000);
	struct tq *a = started(d, 1, 6, 1);
	union anpu_packet quick = p_kernel(PROGRAM(d, { FAKE_END, 0, 0 }), 1);
	struct anpu_stats before, after;
	cpu_set_t all, one;

	if (sched_getaffinity(0, sizeof(all), &all))
		die("the processors of this process are not known");
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	pin(&one);
	/* until it has slept and was called once */
	anpu_model_stats(d->m, &before);
	eventually((sleep_us(250000), tq_run(a, &quick), anpu_model_stats(d->m, &after), after.wakeups > before.wakeups));
	sleep_us(3000);
	anpu_model_stats(d->m, &before);
	for (int i = 0; i < ROUNDS; i++) {
		tq_run(a, &quick);
		sleep_us(3000);
	}
	anpu_model_stats(d->m, &after);
	pin(&all);
	ok(after.wakeups - before.wakeups >= ROUNDS / 2, "a worker does not spin on its caller's processor: woken %llu times by %d packets",
	   (unsigned long long)(after.wakeups - before.wakeups), ROUNDS);
	tq_free(a);
	dev_free(d);
}

int main(void)
{
	for (unsigned int spin = 0; spin <= 50; spin += 50) {
		test_long_after_short(spin, 1, 1);
		test_long_after_short(spin, 1, 7);
		test_long_after_short(spin, 3, 1);
		test_long_after_short(spin, 3, 7);
	}
	test_long_and_doorbell();
	test_busy_queue(1, 4, 4);
	test_busy_queue(1, 4, 1);
	test_busy_queue(2, 1, 7);
	test_loop(1, 4, 4);
	test_loop(2, 4, 4);
	test_loop(2, 1, 7);
	test_kick();
	test_fair();
	test_lost(1, 0);
	test_lost(2, 0);
	test_lost(3, 50);
	test_same_processor();
	return done_testing();
}
