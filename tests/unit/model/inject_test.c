// SPDX-License-Identifier: MIT
/* Faults that a test asks for, the heartbeat, and the queue commands RESET and REFRESH. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define ONCE(queue)	ANPU_INJECT(1, queue, 0)

static struct dev *faulty(void)
{
	struct anpu_config c = config_small();

	c.inject = true;
	return dev_new(&c);
}

static void arm(struct dev *d, enum anpu_inject fault, uint64_t value)
{
	set_reg(d, ANPU_REG_INJECT(fault), value);
}

static uint64_t left(struct dev *d, enum anpu_inject fault)
{
	return reg(d, ANPU_REG_INJECT(fault));
}

/* Without an injected fault the device behaves as usual. */
static void works(struct dev *d, unsigned int id, const char *when)
{
	struct tq *q = tq_started(d, id, 0, 0);
	union anpu_packet nop = p_nop();

	tq_run(q, &nop);
	ok(tq_errors(q) == 0, "%s: a queue works", when);
	tq_free(q);
}

static void host_reset(struct dev *d)
{
	anpu_model_reset(d->m);
	ok(eventually(reg(d, ANPU_REG_STATUS) == ANPU_STATUS_READY), "a PCI reset ends");
	dev_setup(d);
}

static void test_registers(void)
{
	struct dev *d = dev_default();

	is(reg(d, ANPU_REG_CAPS) & ANPU_CAP_INJECT, 0, "an ordinary device does not fail on request");
	for (int i = 0; i < ANPU_INJECT_COUNT; i++)
		arm(d, i, ONCE(ANPU_INJECT_ANY));
	is(reg(d, ANPU_REG_BAD_ACCESS), ANPU_INJECT_COUNT, "it has no such registers");
	is(left(d, ANPU_INJECT_HANG), 0, "what is written is lost");
	works(d, 1, "and it had no effect");
	dev_free(d);

	d = faulty();
	ok(reg(d, ANPU_REG_CAPS) & ANPU_CAP_INJECT, "a device for tests says so");
	arm(d, ANPU_INJECT_COUNT, 1);
	arm(d, ANPU_INJECT_HANG, ONCE(64));
	is(reg(d, ANPU_REG_BAD_ACCESS), 2, "unknown faults and queues are refused");
	arm(d, ANPU_INJECT_HANG, ANPU_INJECT(3, 63, 7));
	is(left(d, ANPU_INJECT_HANG), ANPU_INJECT(3, 63, 7), "what is armed can be read");
	works(d, 1, "another queue's fault is armed");
	host_reset(d);
	is(left(d, ANPU_INJECT_HANG), 0, "a PCI reset takes all back");
	dev_free(d);
}

static bool stopped(struct tq *q, struct teq *e)
{
	struct anpu_event ev;

	return teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED && ev.queue == q->id &&
	       tq_state(q) == ANPU_QUEUE_STOPPED;
}

/* A packet that hangs, a queue that does not stop, and RESET which helps. Others go on. */
static void test_queue_reset(void)
{
	struct dev *d = faulty();
	struct teq *e = teq_new(d, 0, 6);
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop();
	struct anpu_event ev;

	arm(d, ANPU_INJECT_HANG, ONCE(3));
	arm(d, ANPU_INJECT_STOP, ONCE(3));
	tq_push(q, &nop);
	tq_push(q, &nop);
	tq_ring(q);
	ok(eventually(load64(&q->st->started) == 1), "the packet begins");
	works(d, 4, "one queue hangs");
	while (teq_pop(e, &ev))
		;
	tq_command(q, ANPU_QUEUE_STOP);
	is(left(d, ANPU_INJECT_STOP), ANPU_INJECT(0, 3, 0), "STOP is lost");
	works(d, 5, "one queue does not stop");
	while (teq_pop(e, &ev))
		;
	is(load64(&q->st->completed), 0, "the packet hangs still");
	arm(d, ANPU_INJECT_QUEUE_RESET, ONCE(3));
	tq_command(q, ANPU_QUEUE_RESET);
	is(load64(&q->st->completed), 0, "RESET can be lost as well");
	tq_command(q, ANPU_QUEUE_RESET);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_FAULT && ev.code == ANPU_FAULT_KILLED,
	   "RESET kills the packet");
	ok(stopped(q, e), "and stops the queue");
	is(load64(&q->st->completed), 1, "the next packet is dropped");
	tq_free(q);
	works(d, 3, "after its RESET");
	teq_free(e);
	dev_free(d);
}

static void test_start(void)
{
	struct dev *d = faulty();
	struct tq *q = tq_new(d, 3, 4);
	union anpu_packet nop = p_nop();

	arm(d, ANPU_INJECT_START, ONCE(3));
	tq_command(q, ANPU_QUEUE_START);
	sleep_us(5000);
	is(tq_state(q), ANPU_QUEUE_STOPPED, "START is lost");
	arm(d, ANPU_INJECT_REFUSE, ONCE(ANPU_INJECT_ANY));
	tq_command(q, ANPU_QUEUE_START);
	ok(tq_wait_state(q, ANPU_QUEUE_REFUSED), "START is refused");
	is(q->st->first_cause, ANPU_FAULT_BAD_CONTEXT, "with a fault record");
	tq_start(q);
	tq_run(q, &nop);
	is(tq_errors(q), 0, "then it works");
	tq_free(q);
	dev_free(d);
}

/* Sends REFRESH and returns its status when it has been carried out */
static uint64_t refresh(struct tq *q)
{
	uint64_t before = load64(&q->st->refresh);

	tq_command(q, ANPU_QUEUE_REFRESH);
	if (!eventually(load64(&q->st->refresh) >> 1 == (before >> 1) + 1))
		die("REFRESH is not carried out");
	return load64(&q->st->refresh) & 1;
}

static void test_refresh(void)
{
	struct dev *d = faulty();
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop(), wait;
	uint64_t sem = hbm_alloc(d, 8, 8), commands = load64(&q->st->commands);

	store64(hbm_ptr(d, sem), 0);
	is(refresh(q), 1, "an empty queue has nothing to do");
	arm(d, ANPU_INJECT_DOORBELL, ONCE(3));
	/* a worker that polls the control page sees the packet without a doorbell */
	ok(eventually(!tq_polling(q)), "nobody watches the queue");
	tq_push(q, &nop);
	anpu_model_doorbell(d->m, 3, q->wptr);
	store64(&q->ctl->wptr, q->wptr);
	sleep_us(5000);
	is(load64(&q->st->completed), 0, "without its doorbell nothing happens");
	is(refresh(q), 0, "REFRESH finds the packet");
	ok(tq_wait(q, 1), "and it is executed");

	arm(d, ANPU_INJECT_COMPLETED, ONCE(3));
	tq_push(q, &nop);
	tq_ring(q);
	ok(eventually(reg(d, ANPU_REG_PACKETS) == 2), "a packet completes");
	is(load64(&q->st->completed), 1, "without saying so");
	is(refresh(q), 1, "REFRESH finds nothing to do");
	is(load64(&q->st->completed), 2, "and says so");

	arm(d, ANPU_INJECT_COMPLETED, ANPU_INJECT(ANPU_INJECT_ALWAYS, 3, 0));
	tq_push(q, &nop);
	tq_ring(q);
	ok(eventually(reg(d, ANPU_REG_PACKETS) == 3), "a packet completes");
	ok(refresh(q) == 1 && load64(&q->st->completed) == 2, "and never says so");
	arm(d, ANPU_INJECT_COMPLETED, 0);
	ok(refresh(q) == 1 && load64(&q->st->completed) == 3, "until that is over");

	wait = p_wait(sem, 1, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER);
	tq_push(q, &wait);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a packet waits");
	is(refresh(q), 0, "which is something to do");
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "it goes on waiting");
	is(load64(&q->st->completed), 3, "and was not disturbed");
	store64(hbm_ptr(d, sem), 1);
	ok(tq_wait(q, 4), "until what it waits for is there");
	is(load64(&q->st->commands), commands, "REFRESH does not count as a command");
	is(tq_errors(q), 0, "nothing failed");
	tq_free(q);
	dev_free(d);
}

static void test_events(void)
{
	struct dev *d = faulty();
	struct teq *e = teq_new(d, 2, 6);
	struct tq *q = tq_new(d, 3, 4);
	union anpu_packet notify = p_notify(1, 2);
	unsigned int irqs;
	struct anpu_event ev;

	tq_context(q)->event_queue = 2;
	tq_start(q);
	arm(d, ANPU_INJECT_INTERRUPT, ONCE(1));
	irqs = atomic_load(&d->irqs[2]);
	tq_run(q, &notify);
	is(atomic_load(&d->irqs[2]), irqs + 1, "another vector's interrupt is to be lost");
	ok(teq_pop(e, &ev), "its event is there");
	arm(d, ANPU_INJECT_INTERRUPT, ONCE(2));
	tq_run(q, &notify);
	is(atomic_load(&d->irqs[2]), irqs + 1, "an interrupt is lost");
	ok(teq_pop(e, &ev) && ev.type == ANPU_EVENT_NOTIFY, "its event is not");
	arm(d, ANPU_INJECT_EVENT, ONCE(2));
	tq_run(q, &notify);
	ok(load64(&e->hdr->wptr) - load64(&e->hdr->rptr) > 64, "an event queue runs over");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

static void test_invalidate(void)
{
	struct dev *d = faulty();

	invalidate(d, 1);
	arm(d, ANPU_INJECT_INVALIDATE, ONCE(ANPU_INJECT_ANY));
	set_reg(d, ANPU_REG_TLB_INVALIDATE, 1);
	set_reg(d, ANPU_REG_TLB_INVALIDATE, 2);
	is(reg(d, ANPU_REG_TLB_ISSUED), 3, "invalidations are counted");
	sleep_us(5000);
	is(reg(d, ANPU_REG_TLB_DONE), 1, "but not done");
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	ok(eventually(!(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET)), "a reset ends");
	is(reg(d, ANPU_REG_TLB_DONE), 0, "and the fault with it");
	dev_setup(d);
	invalidate(d, 1);
	ok(true, "invalidations work again");
	dev_free(d);
}

static void test_reset(void)
{
	struct dev *d = faulty();
	uint64_t start = now_ns();

	arm(d, ANPU_INJECT_RESET, ANPU_INJECT(1, ANPU_INJECT_ANY, 500));
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	ok(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET, "a reset takes long");
	ok(eventually(!(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET)), "but ends");
	ok(now_ns() - start >= 500000000, "not before its time");
	dev_setup(d);
	works(d, 1, "after a slow reset");
	arm(d, ANPU_INJECT_RESET, ONCE(ANPU_INJECT_ANY));
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	sleep_us(5000);
	is(reg(d, ANPU_REG_STATUS), 0, "a reset does not end");
	host_reset(d);
	works(d, 1, "after a PCI reset");
	/* and a device in such a state can be destroyed */
	arm(d, ANPU_INJECT_RESET, ONCE(ANPU_INJECT_ANY));
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	dev_free(d);
}

static bool beats(struct dev *d)
{
	uint32_t n = ANPU_HEARTBEAT_BEATS(reg(d, ANPU_REG_HEARTBEAT));

	for (int i = 0; i < 500; i++) {
		if (ANPU_HEARTBEAT_BEATS(reg(d, ANPU_REG_HEARTBEAT)) != n)
			return true;
		sleep_us(1000);
	}
	return false;
}

/* Each worker is looked at, the first and the last one, too: both of them hang here. */
static void test_every_worker(void)
{
	struct anpu_config c = config_small();
	union anpu_packet nop = p_nop();
	unsigned int told = 0;
	struct tq *q[2];
	struct dev *d;

	c.inject = true;
	c.threads = 2;
	d = dev_new(&c);
	for (unsigned int i = 0; i < 2; i++) {
		q[i] = tq_started(d, i + 1, 0, 0);
		arm(d, ANPU_INJECT_HANG, ONCE(i + 1));
		tq_push(q[i], &nop);
		tq_ring(q[i]);
		ok(eventually(!(left(d, ANPU_INJECT_HANG) & 0xffff)), "a worker hangs");
	}
	/* told is one queue, by its number + 1 */
	ok(eventually((told = ANPU_HEARTBEAT_STALLED(reg(d, ANPU_REG_HEARTBEAT)))), "one of two stalls is told");
	tq_command(q[told - 2], ANPU_QUEUE_STOP);
	ok(eventually(ANPU_HEARTBEAT_STALLED(reg(d, ANPU_REG_HEARTBEAT)) == 5 - told), "the other one when that has been stopped");
	tq_command(q[3 - told], ANPU_QUEUE_STOP);
	ok(eventually(!ANPU_HEARTBEAT_STALLED(reg(d, ANPU_REG_HEARTBEAT))), "and none when both have");
	tq_free(q[0]);
	tq_free(q[1]);
	dev_free(d);
}

static void test_heartbeat(void)
{
	struct dev *d = faulty();
	struct tq *q = tq_started(d, 3, 0, 0), *other = tq_started(d, 4, 0, 0);
	union anpu_packet nop = p_nop(), copy = p_copy(0x100000, 0x200000, 64), kernel;
	uint64_t end;

	ok(beats(d), "the heart beats");
	sleep_us(200000);
	ok(beats(d), "when it has been asleep, too");
	/* workers that stand still have done something before */
	for (unsigned int i = 0; i < 300; i++) {
		tq_push(q, &copy);
		tq_push(other, &copy);
		tq_ring(q);
		tq_ring(other);
		tq_wait(q, q->wptr);
		tq_wait(other, other->wptr);
	}
	/* an operator that runs for long is no stall */
	kernel = p_kernel(PROGRAM(d, { FAKE_FOREVER, 0, 0 }), 1);
	kernel.kernel.timeout_us = 4000000;
	tq_push(other, &kernel);
	tq_ring(other);
	arm(d, ANPU_INJECT_HANG, ONCE(3));
	tq_push(q, &nop);
	tq_ring(q);
	ok(eventually(ANPU_HEARTBEAT_STALLED(reg(d, ANPU_REG_HEARTBEAT)) == 4),
	   "a packet that hangs is told");
	ok(load64(&other->st->completed) == 300 || tq_errors(other) == 1, "not a long kernel");
	ok(beats(d), "the heart beats on");
	tq_command(q, ANPU_QUEUE_STOP);
	ok(tq_wait_state(q, ANPU_QUEUE_STOPPED), "STOP ends it");
	ok(eventually(ANPU_HEARTBEAT_STALLED(reg(d, ANPU_REG_HEARTBEAT)) == 0), "it is forgotten");
	ok(tq_wait(other, 301), "the kernel runs until its limit");
	is(other->st->first_cause, ANPU_FAULT_TIMEOUT, "and ends by it");

	tq_free(q);
	q = tq_started(d, 3, 0, 0);
	arm(d, ANPU_INJECT_FREEZE, ONCE(ANPU_INJECT_ANY));
	/* a beat that had begun may come still */
	end = now_ns() + 5000000000ULL;
	while (now_ns() < end && beats(d))
		;
	ok(!beats(d), "a frozen heart does not beat");
	tq_push(q, &nop);
	tq_ring(q);
	tq_command(other, ANPU_QUEUE_STOP);
	sleep_us(20000);
	is(load64(&q->st->completed), 0, "no packet begins");
	is(tq_state(other), ANPU_QUEUE_RUNNING, "no command is carried out");
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	ok(eventually(!(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET)), "a reset ends that");
	ok(beats(d), "the heart beats");
	dev_setup(d);
	works(d, 5, "after it");
	tq_free(q);
	tq_free(other);
	dev_free(d);
}

/*
 * A reset ends commands that wait for the manager: the queue is as if they had not been written, and later ones are
 * carried out.
 */
static void test_commands_before_reset(void)
{
	struct dev *d = faulty();
	struct teq *e = teq_new(d, 0, 6);
	struct tq *q = tq_started(d, 3, 0, 0), *idle = tq_new(d, 4, 4);
	union anpu_packet nop = p_nop();
	struct anpu_event ev;

	arm(d, ANPU_INJECT_FREEZE, ONCE(ANPU_INJECT_ANY));
	tq_command(q, ANPU_QUEUE_STOP);
	for (int i = 0; i < 256; i++)
		tq_command(idle, ANPU_QUEUE_STOP);
	is(reg(d, ANPU_REG_BAD_ACCESS), 0, "256 commands may wait for a queue");
	tq_command(idle, ANPU_QUEUE_STOP);
	is(reg(d, ANPU_REG_BAD_ACCESS), 1, "another one is refused");
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	ok(eventually(!(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET)), "a reset while commands wait");
	dev_setup(d);
	set_reg(d, ANPU_REG_EQ_BASE(0), (uint8_t *)e->hdr - d->hbm);
	set_reg(d, ANPU_REG_EQ_SIZE(0), 6);
	tq_start(q);
	tq_start(idle);
	tq_run(q, &nop);
	tq_run(idle, &nop);
	is(tq_errors(q) + tq_errors(idle), 0, "then their queues start and work");
	ok(!teq_pop(e, &ev), "and nobody is told that they have stopped");
	teq_free(e);
	tq_free(q);
	tq_free(idle);
	dev_free(d);
}

static void test_gone(void)
{
	struct dev *d = faulty();
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop();

	arm(d, ANPU_INJECT_GONE, ONCE(ANPU_INJECT_ANY));
	is(reg(d, ANPU_REG_ID), ~0ULL, "registers read as all ones");
	is(anpu_model_read(d->m, ANPU_REG_ID, 4), 0xffffffff, "narrow ones as well");
	ok(anpu_model_gone(d->m), "and the host is told");
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	tq_push(q, &nop);
	tq_ring(q);
	sleep_us(5000);
	is(reg(d, ANPU_REG_PACKETS), ~0ULL, "nothing else happens");
	host_reset(d);
	tq_free(q);
	works(d, 3, "after a PCI reset");
	arm(d, ANPU_INJECT_GONE, ANPU_INJECT(1, ANPU_INJECT_ANY, 30));
	is(reg(d, ANPU_REG_ID), ~0ULL, "it goes again");
	ok(eventually(reg(d, ANPU_REG_ID) == ANPU_ID_VALUE), "and comes back");
	ok(eventually(reg(d, ANPU_REG_STATUS) == ANPU_STATUS_READY), "as after a reset");
	is(reg(d, ANPU_REG_QUEUE_TABLE), 0, "knowing nothing");
	dev_setup(d);
	works(d, 3, "after that");
	dev_free(d);
}

/* A device can be destroyed whatever it is doing. */
static void test_destroy(void)
{
	struct dev *d = faulty();
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop();

	arm(d, ANPU_INJECT_HANG, ANPU_INJECT(ANPU_INJECT_ALWAYS, ANPU_INJECT_ANY, 0));
	arm(d, ANPU_INJECT_STOP, ANPU_INJECT(ANPU_INJECT_ALWAYS, ANPU_INJECT_ANY, 0));
	arm(d, ANPU_INJECT_QUEUE_RESET, ANPU_INJECT(ANPU_INJECT_ALWAYS, ANPU_INJECT_ANY, 0));
	tq_push(q, &nop);
	tq_ring(q);
	ok(eventually(load64(&q->st->started) == 1), "a packet hangs");
	tq_command(q, ANPU_QUEUE_RESET);
	dev_free(d);
	free(q);
	ok(true, "the device can be destroyed all the same");
}

static struct dev *planned(const char *plan)
{
	struct anpu_config c = config_small();

	c.plan = plan;
	return dev_new(&c);
}

static bool possible(const char *plan)
{
	struct anpu_config c = config_small();
	char err[400] = "";

	c.plan = plan;
	return anpu_config_check(&c, err, sizeof(err)) || !strstr(err, "is no fault");
}

/* What a user plans: tasks are counted, synchronisation is not. */
static void test_plan(void)
{
	static const char *const wrong[] = {
		"fail", "fail@0", "fail@3-2", "foo@1", "fail@1:of=wait", "fail@1:cause=", "skip@1+", "hang@1:ms", "flip@1:bit=8",
	};
	struct dev *d = planned("skip@2+fail@3:cause=bus+flip@4:va=0x100005:bit=3");
	union anpu_packet nop = p_nop(), fill = p_fill(0x100000, 64, 0x11, 1);
	struct tq *q = tq_started(d, 1, 0, 0);
	uint8_t *at = d->hbm + 0x100000;

	is(reg(d, ANPU_REG_CAPS) & ANPU_CAP_INJECT, 0, "a planned device has no registers for faults");
	tq_run(q, &nop);
	tq_run(q, &fill);
	is(at[5], 0x11, "the first task is done");
	at[5] = 0;
	tq_run(q, &fill);
	is(at[5], 0, "the second completes and has done nothing");
	is(tq_errors(q), 0, "and has not failed");
	tq_run(q, &fill);
	is(tq_errors(q), 1, "the third fails");
	fill = p_fill(0x100000, 4, 0x22, 1);
	tq_run(q, &fill);
	is(at[5], 8, "before the fourth a bit changes");
	tq_run(q, &fill);
	is(tq_errors(q), 1, "later ones are as usual");
	tq_free(q);
	dev_free(d);
	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(!possible(wrong[i]), "'%s' is refused", wrong[i]);
	ok(possible("irq-late@1-:ms=5+alloc@2") && possible("@/no/such/file") && possible(NULL), "others are not");
}

/* A byte by its address in an address space, one that is nowhere, and system memory, which is not the HBM's */
static void test_flips(void)
{
	const uint64_t va = 0x7f0000000000ULL;
	struct dev *d = planned("flip@1:va=0x7f0000001234:bit=7+flip@2:va=0x7f0000002000+flip@3:va=0x7f0000010008+flip@4:va=0xffff000000001000");
	uint64_t at = hbm_alloc(d, 8192, 4096);
	union anpu_packet fill = p_fill(va, 8, 0, 8);
	struct tq *q;

	as_map(d, 1, va, 8192, at, PTE_RW, ANPU_PAGE_4K);
	as_map(d, 1, va + 0x10000, 4096, DMA_PLAIN, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	q = tq_started(d, 1, 1, 0);
	memset(hbm_ptr(d, at), 0x11, 8192);
	memset(d->ram, 0x11, 4096);
	tq_run(q, &fill);
	is(*(uint8_t *)hbm_ptr(d, at + 0x1234), 0x91, "a bit of a byte changes, by its virtual address");
	for (int i = 0; i < 3; i++)
		tq_run(q, &fill);
	is(tq_errors(q), 0, "addresses that are nowhere change nothing");
	ok(d->ram[8] == 0x11 && ((uint8_t *)hbm_ptr(d, at))[8] == 0x11, "nor do those of system memory");
	tq_free(q);
	dev_free(d);
}

/* An interrupt that is late comes a tenth of a second later, if nothing else is said. */
static void test_late(void)
{
	struct dev *d = planned("irq-late@1");
	struct teq *e = teq_new(d, 0, 4);
	struct tq *q = tq_started(d, 1, 0, 0);
	union anpu_packet notify = p_notify(1, 2);
	uint64_t before = now_ns();

	tq_run(q, &notify);
	ok(eventually(atomic_load(&d->irqs[0])), "a late interrupt comes");
	ok(now_ns() - before >= 100000000, "but not before its time");
	tq_free(q);
	teq_free(e);
	dev_free(d);
}

/* As many faults as a plan may have, and one more */
static void test_many_faults(void)
{
	char text[1000] = "skip@1:of=fill", err[200];
	struct anpu_config c = config_small();
	unsigned int n = 1;

	c.plan = text;
	while (anpu_config_check(&c, err, sizeof(err)) && n < 60) {
		strcat(text, "+skip@1:of=copy");
		n++;
	}
	ok(strstr(err, "more than") && n == 1 + (unsigned int)atoi(strstr(err, "more than ") + 10), "%u faults: %s", n, err);
	strcpy(text, "skip@99999999999999999999");
	ok(!anpu_config_check(&c, err, sizeof(err)), "a number of more than 64 bits: %s", err);
}

static void test_registers_read(void)
{
	struct dev *d = faulty();
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop();

	arm(d, ANPU_INJECT_COMPLETED, ANPU_INJECT(2, 3, 7));
	is(left(d, ANPU_INJECT_COMPLETED), ANPU_INJECT(2, 3, 7), "what is armed can be read");
	tq_push(q, &nop);
	tq_ring(q);
	ok(eventually(left(d, ANPU_INJECT_COMPLETED) == ANPU_INJECT(1, 3, 7)), "and how often it will happen still");
	tq_free(q);
	dev_free(d);
}

int main(void)
{
	test_flips();
	test_late();
	test_many_faults();
	test_registers_read();
	test_registers();
	test_plan();
	test_queue_reset();
	test_start();
	test_refresh();
	test_events();
	test_invalidate();
	test_reset();
	test_heartbeat();
	test_every_worker();
	test_commands_before_reset();
	test_gone();
	test_destroy();
	return done_testing();
}
