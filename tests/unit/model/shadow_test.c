// SPDX-License-Identifier: MIT
/*
 * Shadow doorbells, in memory. What rings there while the device promises to look is served without a
 * register, nothing gets lost when the promise ends, and whatever a guest writes there harms nobody else.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define QUEUES	1000
/* the watcher keeps looking for the whole of a test, and for none of it */
#define AWAKE	1000000
#define ASLEEP	0

static struct anpu_shadow_doorbells *shadow;

static uint64_t use_board(struct dev *d)
{
	uint64_t at = hbm_alloc(d, sizeof(*shadow), 4096);

	shadow = hbm_ptr(d, at);
	memset(shadow, 0, sizeof(*shadow));
	set_reg(d, ANPU_REG_CONTROL, 0);
	set_reg(d, ANPU_REG_SHADOW_DOORBELLS, at);
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE);
	if (reg(d, ANPU_REG_SHADOW_DOORBELLS) != at)
		die("the address of the shadow doorbells was not accepted");
	return at;
}

static struct dev *new_dev(unsigned int threads, unsigned int queues, unsigned int spin_us)
{
	struct anpu_config c = config_small();
	struct dev *d;

	c.threads = threads;
	c.queues = queues;
	c.spin_us = spin_us;
	c.inject = true;
	d = dev_new(&c);
	use_board(d);
	return d;
}

static struct tq *started(struct dev *d, unsigned int id, uint32_t priority)
{
	struct tq *q = tq_new(d, id, 6);

	tq_context(q)->priority = priority;
	tq_start(q);
	return q;
}

static void post(unsigned int id)
{
	__atomic_store_n(&shadow->rung[id], 1, __ATOMIC_RELEASE);
	__atomic_store_n(&shadow->group[id / ANPU_SHADOW_GROUP], 1, __ATOMIC_SEQ_CST);
}

static bool polling(void)
{
	return __atomic_load_n(&shadow->polling, __ATOMIC_SEQ_CST);
}

/* As a driver does it; the barrier is in the last store of post(). */
static void ring(struct tq *q)
{
	post(q->id);
	if (!polling())
		tq_kick(q);
}

/*
 * A worker that has just had something to do looks for more, as long as @spin_us says. On a busy host that may be over before this
 * thread goes on.
 */
static void wake(struct tq *q)
{
	union anpu_packet nop = p_nop();

	for (int i = 0; i < 50; i++) {
		tq_push(q, &nop);
		tq_kick(q);
		if (!tq_wait(q, q->wptr))
			die("a packet does not complete");
		for (int j = 0; j < 1000; j++) {
			if (polling())
				return;
			sleep_us(20);
		}
	}
	die("nobody looks at the shadow doorbells");
}

static bool clear(void)
{
	const uint64_t *group = (const void *)shadow->group;
	uint64_t any = 0;

	for (unsigned int i = 0; i < sizeof(shadow->group) / 8; i++)
		any |= load64(&group[i]);
	return !any;
}

static void test_no_register(void)
{
	struct dev *d = new_dev(2, QUEUES, AWAKE);
	static struct tq *q[QUEUES];
	union anpu_packet nop = p_nop();
	uint64_t doorbells;
	bool good = true;

	for (unsigned int i = 0; i < QUEUES; i++)
		q[i] = started(d, i, i % ANPU_PRIORITIES);
	wake(q[7]);
	doorbells = reg(d, ANPU_REG_DOORBELLS_RUNG);
	for (unsigned int round = 0; round < 5; round++)
		for (unsigned int i = 0; i < QUEUES; i++) {
			tq_push(q[i], &nop);
			post(i);
		}
	for (unsigned int i = 0; i < QUEUES; i++)
		good = good && tq_wait(q[i], q[i]->wptr) && !tq_errors(q[i]);
	ok(good, "%u queues ring their shadow doorbells alone", QUEUES);
	is(reg(d, ANPU_REG_DOORBELLS_RUNG), doorbells, "and no register is written");
	ok(eventually(clear()), "what has rung is taken");
	for (unsigned int i = 0; i < QUEUES; i++)
		tq_free(q[i]);
	dev_free(d);
}

static void test_as_a_doorbell(void)
{
	struct dev *d = new_dev(2, 6, AWAKE);
	struct tq *q[5];
	union anpu_packet nop = p_nop(), p;
	uint64_t sem = hbm_alloc(d, 8, 8);

	for (unsigned int i = 0; i < 5; i++)
		q[i] = started(d, i, 0);
	wake(q[4]);
	p = p_wait(sem, 1, ANPU_SEM_EQ, ANPU_TIMEOUT_NEVER);
	tq_push(q[0], &p);
	post(0);
	ok(tq_wait_state(q[0], ANPU_QUEUE_PARKED), "a packet waits");
	store64(hbm_ptr(d, sem), 1);
	post(0);
	ok(tq_wait(q[0], 1), "its queue is looked at again");

	tq_stop(q[1]);
	store64(&q[1]->ctl->wptr, 1000);
	post(1);
	memset(shadow->rung + 6, 0xff, sizeof(shadow->rung) - 6);
	memset(shadow->group, 0xff, sizeof(shadow->group));
	ok(eventually(clear()), "queues that do not run, or are not there, are taken");
	tq_push(q[2], &nop);
	post(2);
	ok(tq_wait(q[2], 1), "others are served");
	is(tq_state(q[1]), ANPU_QUEUE_STOPPED, "and nothing happens to those");
	is(load64(&q[1]->st->completed), 0, "nothing at all");

	tq_push(q[3], &nop);
	post(3);
	tq_wait(q[3], 1);
	/* another one is watched by itself now */
	wake(q[4]);
	store64(&q[3]->ctl->wptr, 0);
	post(3);
	ok(tq_wait_state(q[3], ANPU_QUEUE_HALTED), "an index that moves backwards halts");
	is(tq_last_fault(q[3])->cause, ANPU_FAULT_BAD_DOORBELL, "with cause BAD_DOORBELL");
	is(reg(d, ANPU_REG_BAD_ACCESS), 0, "none of these is a bad access");
	for (unsigned int i = 0; i < 5; i++)
		tq_free(q[i]);
	dev_free(d);
}

/* The byte that was stored before the register was written is the same doorbell, and is lost with it. */
static void test_injected(unsigned int spin_us)
{
	struct dev *d = new_dev(2, 4, spin_us);
	struct tq *q = started(d, 3, 0), *other = started(d, 2, 0);
	union anpu_packet nop = p_nop();

	tq_push(other, &nop);
	tq_kick(other);
	ok(tq_wait(other, 1) && eventually(polling() == !!spin_us), "somebody looks, or nobody");
	set_reg(d, ANPU_REG_INJECT(ANPU_INJECT_DOORBELL), ANPU_INJECT(1, 3, 0));
	tq_push(q, &nop);
	ring(q);
	ok(eventually(!(reg(d, ANPU_REG_INJECT(ANPU_INJECT_DOORBELL)) & 0xffff)), "a doorbell gets lost");
	sleep_us(5000);
	is(load64(&q->st->completed), 0, "nothing happens without it");
	tq_command(q, ANPU_QUEUE_REFRESH);
	ok(tq_wait(q, 1), "REFRESH finds the packet");
	tq_push(q, &nop);
	ring(q);
	ok(tq_wait(q, 2), "the next one arrives");
	tq_free(q);
	tq_free(other);
	dev_free(d);
}

/* The guest writes `polling` itself: then a doorbell in memory is lost like one that was never rung. */
static void test_false_promise(void)
{
	struct dev *d = new_dev(2, 4, ASLEEP);
	struct tq *q = started(d, 1, 0);
	union anpu_packet nop = p_nop();

	tq_run(q, &nop);
	eventually(!polling() && !tq_polling(q));
	__atomic_store_n(&shadow->polling, 1, __ATOMIC_SEQ_CST);
	tq_push(q, &nop);
	ring(q);
	tq_command(q, ANPU_QUEUE_REFRESH);
	ok(tq_wait(q, 2), "REFRESH finds what rang where nobody looks");
	for (int i = 0; i < 50; i++) {
		tq_push(q, &nop);
		tq_kick(q);
		tq_wait(q, q->wptr);
	}
	ok(eventually(!polling()), "and the device says again what is so");
	/* without its group's byte nobody else looks at the queue's */
	__atomic_store_n(&shadow->rung[q->id], 1, __ATOMIC_SEQ_CST);
	tq_push(q, &nop);
	tq_kick(q);
	ok(tq_wait(q, q->wptr) && eventually(!__atomic_load_n(&shadow->rung[q->id], __ATOMIC_SEQ_CST)),
	   "a doorbell register that is written takes back what the byte says");
	tq_free(q);
	dev_free(d);
}

/* A kernel that may be long begins on the watching worker: another worker must watch the doorbells then. */
static void test_long(unsigned int spin_us, uint32_t priority)
{
	struct dev *d = new_dev(2, 4, spin_us);
	struct tq *a = started(d, 1, 1), *b = started(d, 2, priority);
	uint64_t flag = hbm_alloc(d, 8, 8);
	union anpu_packet quick = p_kernel(PROGRAM(d, { FAKE_END, 0, 0 }), 1);
	union anpu_packet until = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }), 1);
	union anpu_packet set = p_signal(flag, 1, ANPU_SEM_SET);
	bool good = true;

	until.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	for (int round = 0; round < 30 && good; round++) {
		store64(hbm_ptr(d, flag), 0);
		for (int i = 0; i < 3; i++) {
			tq_push(a, &quick);
			ring(a);
			tq_wait(a, a->wptr);
		}
		tq_push(a, &until);
		ring(a);
		if (round % 2)
			eventually(load64(&a->st->started) == a->wptr);
		tq_push(b, &set);
		ring(b);
		good = tq_wait(a, a->wptr) && tq_wait(b, b->wptr);
	}
	ok(good && !tq_errors(a), "spin %u: a kernel waits for a queue of priority %u that rings its shadow doorbell",
	   spin_us, priority);
	tq_free(a);
	tq_free(b);
	dev_free(d);
}

/* An endless queue on the only worker gives way to a queue that rings in memory. */
static void test_busy(uint32_t priority)
{
	struct dev *d = new_dev(1, 4, 50);
	struct tq *a = started(d, 1, 4), *b = started(d, 2, priority);
	uint64_t packets = hbm_alloc(d, 128, 64), flag = hbm_alloc(d, 8, 8);
	union anpu_packet *p = hbm_ptr(d, packets), loop = p_indirect(packets, 2);
	union anpu_packet set = p_signal(flag, 1, ANPU_SEM_SET);
	uint64_t doorbells;

	p[0] = p_nop();
	p[1] = (union anpu_packet){ .jump = { .hdr.opcode = ANPU_OP_JUMP, .addr = flag, .mask = ~0ULL,
					      .cond = ANPU_SEM_EQ, .width = 8 } };
	store64(hbm_ptr(d, flag), 0);
	tq_push(a, &loop);
	ring(a);
	ok(eventually(load64(&a->st->started) == 1 && polling()), "who is busy with short packets looks");
	doorbells = reg(d, ANPU_REG_DOORBELLS_RUNG);
	tq_push(b, &set);
	ring(b);
	ok(tq_wait(b, 1) && tq_wait(a, 1), "a queue of priority %u ends the loop of one of 4", priority);
	is(reg(d, ANPU_REG_DOORBELLS_RUNG), doorbells, "without a register");
	tq_free(a);
	tq_free(b);
	dev_free(d);
}

static void test_reset(bool by_host)
{
	struct dev *d = new_dev(2, 4, AWAKE);
	struct tq *q = started(d, 1, 0);
	union anpu_packet nop = p_nop();
	struct anpu_shadow_doorbells *old = shadow, pattern;
	uint64_t next;

	wake(q);
	if (by_host)
		anpu_model_reset(d->m);
	else
		set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	ok(eventually(reg(d, ANPU_REG_STATUS) & ANPU_STATUS_READY), "a reset");
	is(reg(d, ANPU_REG_SHADOW_DOORBELLS), 0, "ends the shadow doorbells");
	is(old->polling, 0, "and the promise");
	memset(old, 0xa5, sizeof(*old));
	pattern = *old;
	next = d->hbm_next;
	dev_setup(d);
	d->hbm_next = next;
	tq_free(q);
	q = started(d, 1, 0);
	for (int i = 0; i < 20; i++)
		tq_run(q, &nop);
	ok(!memcmp(old, &pattern, sizeof(pattern)), "the device does not touch what it has been");
	use_board(d);
	ok(shadow != old, "there are others now");
	tq_free(q);
	q = started(d, 2, 0);
	wake(q);
	tq_push(q, &nop);
	post(2);
	ok(tq_wait(q, 2), "which works");
	ok(!memcmp(old, &pattern, sizeof(pattern)), "and the old one is left alone still");
	tq_free(q);
	dev_free(d);
}

static void test_register(void)
{
	struct anpu_config c = config_small();
	struct dev *d = dev_new(&c);
	const uint64_t bad[] = { 64, 4095, d->hbm_size, d->hbm_size - 4096, ~0ULL - 4095, 1ULL << 63 };
	uint64_t last = d->hbm_size - 8192;

	is(reg(d, ANPU_REG_SHADOW_DOORBELLS), 0, "there are none at first");
	set_reg(d, ANPU_REG_SHADOW_DOORBELLS, 4096);
	is(reg(d, ANPU_REG_BAD_ACCESS), 1, "it is refused while ENABLE is set");
	set_reg(d, ANPU_REG_CONTROL, 0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		set_reg(d, ANPU_REG_SHADOW_DOORBELLS, bad[i]);
	is(reg(d, ANPU_REG_BAD_ACCESS), 1 + sizeof(bad) / sizeof(bad[0]), "and where it does not fit");
	is(reg(d, ANPU_REG_SHADOW_DOORBELLS), 0, "there is none still");
	set_reg(d, ANPU_REG_SHADOW_DOORBELLS, last);
	is(reg(d, ANPU_REG_SHADOW_DOORBELLS), last, "the last pages of the HBM can be one");
	set_reg(d, ANPU_REG_SHADOW_DOORBELLS, 0);
	is(reg(d, ANPU_REG_SHADOW_DOORBELLS), 0, "0 takes it away");
	is(reg(d, ANPU_REG_BAD_ACCESS), 1 + sizeof(bad) / sizeof(bad[0]), "which is allowed");
	dev_free(d);

	for (int n = 0; n < 2; n++) {
		c = config_small();
		if (n) {
			c.deterministic = true;
			c.threads = 1;
		} else {
			c.hide_caps = ANPU_CAP_SHADOW_DOORBELLS;
		}
		d = dev_new(&c);
		is(reg(d, ANPU_REG_CAPS) & ANPU_CAP_SHADOW_DOORBELLS, 0, n ? "not in deterministic mode" : "an older device");
		set_reg(d, ANPU_REG_CONTROL, 0);
		set_reg(d, ANPU_REG_SHADOW_DOORBELLS, 4096);
		reg(d, ANPU_REG_SHADOW_DOORBELLS);
		is(reg(d, ANPU_REG_BAD_ACCESS), 2, "does not have the register");
		dev_free(d);
	}
}

/* Many submitters ------------------------------------------------------------------------------- */

static bool ring_and_look(struct tq *q, unsigned int *seed)
{
	if (!tq_polling(q))
		ring(q);
	nap(seed);
	/* another queue's doorbell must not make the device find the lost one by chance */
	return next_random(seed) % 32 || tq_wait(q, q->wptr);
}

/* Anything at any time: no promise can be relied on, so who submits writes the register. */
static void *scribbler(void *arg)
{
	atomic_bool *stop = arg;
	unsigned int seed = 5;

	while (!atomic_load(stop)) {
		uint8_t *byte = (uint8_t *)shadow + next_random(&seed) % (next_random(&seed) % 4 ? 256 : sizeof(*shadow));

		__atomic_store_n(byte, next_random(&seed), __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static bool ring_register(struct tq *q, unsigned int *seed)
{
	(void)seed;
	tq_kick(q);
	return true;
}

static void test_many(unsigned int threads, unsigned int spin_us, bool hostile)
{
	enum { ROUNDS = 6000 };
	struct dev *d = new_dev(threads, QUEUES, spin_us);
	union anpu_packet nop = p_nop();
	static struct tq *q[QUEUES];
	atomic_bool stop = false;
	pthread_t scribble;
	bool good;

	for (unsigned int i = 0; i < QUEUES; i++)
		q[i] = started(d, i, i % ANPU_PRIORITIES);
	if (hostile)
		pthread_create(&scribble, NULL, scribbler, &stop);
	good = tq_submit_many(q, QUEUES, ROUNDS, hostile ? ring_register : ring_and_look);
	atomic_store(&stop, true);
	if (hostile)
		pthread_join(scribble, NULL);
	/* Then the device looks at the shadow doorbells once more. */
	for (unsigned int i = 0; i < QUEUES; i++) {
		tq_push(q[i], &nop);
		tq_kick(q[i]);
	}
	for (unsigned int i = 0; i < QUEUES; i++) {
		good = good && tq_wait(q[i], q[i]->wptr) && !tq_errors(q[i]);
		tq_free(q[i]);
	}
	ok(good, "%u threads, spin %u: %u packets over %u queues, %s", threads, spin_us,
	   SUBMITTERS * ROUNDS + QUEUES, QUEUES, hostile ? "noise in the shadow doorbells" : "none is forgotten");
	ok(eventually(clear()), "nothing is left in the shadow doorbells");
	dev_free(d);
}

int main(void)
{
	test_register();
	test_no_register();
	test_as_a_doorbell();
	test_injected(ASLEEP);
	test_injected(AWAKE);
	test_false_promise();
	for (unsigned int spin = 0; spin <= 50; spin += 50) {
		test_long(spin, 1);
		test_long(spin, 7);
	}
	test_busy(4);
	test_busy(1);
	test_reset(false);
	test_reset(true);
	test_many(1, 0, false);
	test_many(2, 0, false);
	test_many(3, 50, false);
	test_many(2, 0, true);
	test_many(3, 50, true);
	return done_testing();
}
