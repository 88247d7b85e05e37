// SPDX-License-Identifier: MIT
/* Queues: start, doorbells, ring wrap, completion, interrupts, halting, stopping, resuming. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static void test_nops(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop();
	uint64_t seq = 0;

	is(tq_run(q, &nop), 1, "the first packet is number 1");
	for (int i = 0; i < 1000; i++) {
		seq = tq_push(q, &nop);
		if (i % 7 == 0)
			tq_ring(q);
	}
	tq_ring(q);
	ok(tq_wait(q, seq), "1000 NOPs wrap the ring of 64 many times");
	is(load64(&q->st->started), 1001, "started counts them");
	is(tq_errors(q), 0, "without an error");
	is(reg(d, ANPU_REG_PACKETS), 1001, "the device counts them");
	tq_free(q);
	dev_free(d);
}

/* A full ring without a doorbell in between, in the smallest and the largest ring. */
static void test_ring_sizes(void)
{
	static const unsigned int sizes[] = { ANPU_RING_LOG2_MIN, ANPU_RING_LOG2_MAX };
	struct dev *d = dev_default();

	for (int i = 0; i < 2; i++) {
		struct tq *q = tq_new(d, i, sizes[i]);
		union anpu_packet nop = p_nop();
		uint64_t seq = 0;

		tq_start(q);
		for (uint64_t n = 0; n < 1ULL << sizes[i]; n++)
			seq = tq_push(q, &nop);
		anpu_model_doorbell(d->m, i, q->wptr);
		ok(tq_wait(q, seq), "a full ring of 2^%u packets", sizes[i]);
		tq_free(q);
	}
	dev_free(d);
}

/* Any field of the context wrong: REFUSED, and the message names it. */
static void refused(struct tq *q, const char *text)
{
	bool good;

	tq_command(q, ANPU_QUEUE_START);
	good = tq_wait_state(q, ANPU_QUEUE_REFUSED) && tq_errors(q) == 1 &&
	       q->st->fault[0].cause == ANPU_FAULT_BAD_CONTEXT &&
	       q->st->first_cause == ANPU_FAULT_BAD_CONTEXT &&
	       strstr(q->st->fault[0].message, text);
	ok(good, "START refuses: %s", text);
	if (!good)
		printf("# state %u, '%s'\n", tq_state(q), q->st->fault[0].message);
	tq_stop(q);
}

static void test_refused(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_new(d, 5, 6);
	struct anpu_queue_context *c = tq_context(q), good = *c;
	bool untouched = true;
	struct anpu_event ev;
	struct teq *e;

#define TRY(field, value, text) do { c->field = (value); refused(q, text); *c = good; } while (0)
	TRY(ring, good.ring + 64, "ring");
	TRY(ring, d->hbm_size, "ring");
	TRY(ring, d->hbm_size - 2048, "ring");
	TRY(control, good.control + 8, "control");
	TRY(control, good.control + 64, "control");
	TRY(control, d->hbm_size - 64, "control");
	TRY(control, ~4095ULL, "control");
	TRY(ring_log2, 3, "ring_log2");
	TRY(ring_log2, 17, "ring_log2");
	TRY(ring_log2, 64 + 6, "ring_log2");
	TRY(asid, 16, "asid");
	TRY(priority, 8, "priority");
	TRY(event_queue, 4, "event_queue");
	TRY(flags, 2, "flags");
	TRY(reserved0, 1, "reserved0");
	TRY(reserved[0], 1, "reserved");
	TRY(reserved[5], 1ULL << 63, "reserved");
	TRY(print, 64, "print");
	TRY(print, 1ULL << 48, "print");
	TRY(overflow, 64, "overflow");
	TRY(overflow, 1ULL << 48, "overflow");
#undef TRY
	set_reg(d, ANPU_REG_CONTROL, 0);
	refused(q, "not enabled");
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE);

	/* no event tells of a refusal, not even later */
	e = teq_new(d, 0, 4);
	c->priority = 8;
	refused(q, "priority");
	*c = good;
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED, "STOP behind a refusal sends one event: %u", ev.type);

	/* without a usable status page there is nowhere to answer, but nothing breaks either */
	c->status = d->hbm_size;
	tq_command(q, ANPU_QUEUE_START);
	c->status = hbm_alloc(d, 8192, 4096) + 2048;
	memset(hbm_ptr(d, c->status), 0xa5, 4096);
	tq_command(q, ANPU_QUEUE_START);
	tq_command(q, ANPU_QUEUE_STOP);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED, "a status page that is not aligned");
	for (int i = 0; i < 4096; i++)
		untouched &= ((uint8_t *)hbm_ptr(d, c->status))[i] == 0xa5;
	ok(untouched, "is left alone");
	*c = good;
	tq_start(q);
	ok(true, "a good context is accepted after all refusals");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

static void test_doorbells(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 1, 0, 0);
	struct teq *e = teq_new(d, 0, 4);
	union anpu_packet nop = p_nop(), notify = p_notify(7, 8);
	const struct anpu_fault *f;
	struct anpu_event ev;

	tq_run(q, &nop);
	anpu_model_doorbell(d->m, 1, 1);
	tq_run(q, &nop);
	anpu_model_doorbell(d->m, 1, 2);
	anpu_model_doorbell(d->m, 1, 1);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "a doorbell that moves backwards halts");
	f = tq_last_fault(q);
	is(f->cause, ANPU_FAULT_BAD_DOORBELL, "with cause BAD_DOORBELL");
	ok(strstr(f->message, "write index 1 moved backwards: 2 written before, 2 completed") != NULL,
	   "and a sentence: %s", f->message);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_FAULT &&
	   ev.code == ANPU_FAULT_BAD_DOORBELL && ev.data0 == 1 && ev.cookie == 0xc0de0001 &&
	   ev.queue == 1, "and an event");
	tq_command(q, ANPU_QUEUE_RESUME);
	ok(tq_wait_state(q, ANPU_QUEUE_RUNNING), "RESUME goes on");
	tq_run(q, &nop);
	is(load64(&q->st->completed), 3, "at the next packet");

	anpu_model_doorbell(d->m, 1, 3 + 65);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "a doorbell past the ring halts");
	ok(strstr(tq_last_fault(q)->message, "68") != NULL, "the message has the value: %s",
	   tq_last_fault(q)->message);
	tq_command(q, ANPU_QUEUE_RESUME);
	ok(tq_wait_state(q, ANPU_QUEUE_RUNNING), "RESUME goes on here, too");
	is(tq_run(q, &nop), 4, "with the next packet");
	is(tq_errors(q), 2, "and has forgotten that index");
	tq_stop(q);
	tq_start(q);
	anpu_model_doorbell(d->m, 1, ~0ULL);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "so does the largest number");
	tq_stop(q);
	tq_start(q);
	store64(&q->ctl->wptr, 66);
	anpu_model_doorbell(d->m, 1, 0);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "and a control page past the ring");
	is(load64(&q->st->completed), 0, "nothing of it was executed");

	/* a ring may be full, from its first packet as behind its end */
	for (int turn = 0; turn < 2; turn++) {
		tq_stop(q);
		tq_start(q);
		for (int i = 0; i < 64; i++)
			q->ring[i] = nop;
		for (uint64_t wptr = turn ? 1 : 64; wptr <= 65; wptr += 64) {
			anpu_model_doorbell(d->m, 1, wptr);
			if (!tq_wait(q, wptr))
				die("a full ring does not complete");
		}
		ok(!tq_errors(q) && load64(&q->st->completed) == (turn ? 65 : 64), "a full ring is no failure");
	}

	/* the device takes the greater of doorbell and control page */
	tq_stop(q);
	tq_start(q);
	q->ring[0] = nop;
	q->ring[1] = nop;
	store64(&q->ctl->wptr, 2);
	anpu_model_doorbell(d->m, 1, 1);
	ok(tq_wait(q, 2), "the control page's index counts if it is greater");
	tq_stop(q);
	anpu_model_doorbell(d->m, 1, 5);
	anpu_model_doorbell(d->m, 63, 1);
	is(reg(d, ANPU_REG_BAD_ACCESS), 0, "doorbells of stopped queues are ignored");
	anpu_model_doorbell(d->m, 64, 1);
	is(reg(d, ANPU_REG_BAD_ACCESS), 1, "a doorbell of no queue is a refused access");

	/* another one that moves backwards while the first one's event waits for room */
	while (teq_pop(e, &ev))
		;
	tq_start(q);
	for (int i = 0; i < 12; i++)
		tq_run(q, &notify);
	anpu_model_doorbell(d->m, 1, 12);
	anpu_model_doorbell(d->m, 1, 11);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a bad doorbell's event waits for room");
	anpu_model_doorbell(d->m, 1, 10);
	for (int i = 0; i < 13; i++)
		if (!teq_wait(e, &ev))
			die("event %d does not come", i);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "then the queue halts");
	tq_command(q, ANPU_QUEUE_RESUME);
	ok(tq_wait_state(q, ANPU_QUEUE_RUNNING), "and goes on");
	is(tq_run(q, &nop), 13, "with the next packet");
	is(tq_errors(q), 1, "however often it was rung backwards");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

static void test_interrupts(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 2, 0, 0);
	struct teq *e = teq_new(d, 0, 4);
	union anpu_packet nop = p_nop();
	struct anpu_event ev;
	uint64_t seq;

	store64(&q->ctl->irq_at, 3);
	for (int i = 0; i < 5; i++)
		seq = tq_push(q, &nop);
	tq_ring(q);
	ok(teq_wait(e, &ev), "an event arrives");
	ok(ev.type == ANPU_EVENT_COMPLETED && ev.seq == 3 && ev.queue == 2 &&
	   ev.cookie == 0xc0de0002, "COMPLETED of number 3");
	ok(eventually(atomic_load(&d->irqs[0]) == 1), "with one interrupt");
	tq_wait(q, seq);
	tq_stop(q);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED, "then only STOPPED");
	tq_command(q, ANPU_QUEUE_STOP);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED && ev.queue == 2 &&
	   ev.cookie == 0xc0de0002, "STOP of a stopped queue sends the event again");
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_STOP, 40));
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED && ev.queue == 40,
	   "even of one that was never started");

	/* waiting by interrupt the documented way, against the device's completion */
	tq_start(q);
	for (int i = 0; i < 300; i++) {
		seq = tq_push(q, &nop);
		tq_ring(q);
		store64(&q->ctl->irq_at, seq);
		if (load64(&q->st->completed) >= seq) {
			while (teq_pop(e, &ev))
				;
			continue;
		}
		do {
			if (!teq_wait(e, &ev))
				die("the completion event of %d got lost", i);
		} while (ev.seq != seq);
	}
	ok(true, "300 waits by interrupt: none lost");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

static void test_failure_modes(void)
{
	struct dev *d = dev_default();
	struct tq *go = tq_started(d, 1, 0, 0), *halt = tq_started(d, 2, 0,
								   ANPU_QUEUE_STOP_ON_FAILURE);
	union anpu_packet bad = p_nop(), nop = p_nop();

	bad.hdr.opcode = 0x77;
	for (int i = 0; i < 10; i++) {
		tq_push(go, &bad);
		tq_push(go, &nop);
	}
	tq_ring(go);
	ok(tq_wait(go, 20), "default mode: failures do not stop the queue");
	is(tq_errors(go), 10, "all are counted");
	is(go->st->first_seq, 1, "the first is remembered");
	is(go->st->fault[0].ordinal, 1, "record 0 keeps the first");
	is(go->st->fault[1 + (10 - 2) % 6].ordinal, 10, "the others take turns");
	is(go->st->fault[1 + (9 - 2) % 6].seq, 17, "each with its sequence number");

	tq_push(halt, &nop);
	tq_push(halt, &bad);
	tq_push(halt, &nop);
	tq_ring(halt);
	ok(tq_wait_state(halt, ANPU_QUEUE_HALTED), "stop on failure: halted");
	is(load64(&halt->st->completed), 2, "the failed packet is the last one completed");
	sleep_us(3000);
	is(load64(&halt->st->completed), 2, "and stays so");
	tq_command(halt, ANPU_QUEUE_RESUME);
	ok(tq_wait(halt, 3), "RESUME goes on behind it");
	tq_free(go);
	tq_free(halt);
	dev_free(d);
}

/* An event is there before the interrupt is, and whoever sees it may look at the status page. */
static void test_halt_is_seen_with_its_event(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 2, 0, ANPU_QUEUE_STOP_ON_FAILURE);
	struct teq *e = teq_new(d, 0, 4);
	union anpu_packet bad = p_nop(), nop = p_nop();
	struct anpu_event ev;

	bad.hdr.opcode = 0x77;
	atomic_store(&d->raise_held, 1);
	tq_push(q, &nop);
	tq_push(q, &bad);
	tq_ring(q);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_FAULT, "a failure that halts sends its event");
	is(load64(&q->st->completed), 2, "  when the packet has completed");
	is(tq_state(q), ANPU_QUEUE_HALTED, "  and the state says so");
	/* and the command finds it so */
	tq_command(q, ANPU_QUEUE_RESUME);
	atomic_store(&d->raise_held, 0);
	ok(tq_wait_state(q, ANPU_QUEUE_RUNNING), "  RESUME goes on");

	atomic_store(&d->raise_held, 1);
	anpu_model_doorbell(d->m, 2, 1);
	ok(teq_wait(e, &ev) && ev.code == ANPU_FAULT_BAD_DOORBELL, "so does a bad doorbell");
	is(tq_state(q), ANPU_QUEUE_HALTED, "  when the state says so");
	atomic_store(&d->raise_held, 0);
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

/* A message for each event, also of those that the host takes slowly; the size of an event queue begins it anew. */
static void test_events_and_messages(void)
{
	struct dev *d = dev_default();
	struct teq *e = teq_new(d, 0, 4);
	uint64_t events = reg(d, ANPU_REG_EVENTS), sent = reg(d, ANPU_REG_INTERRUPTS);
	unsigned int irqs = atomic_load(&d->irqs[0]);
	struct tq *q = tq_started(d, 2, 0, 0);
	struct anpu_event ev;

	atomic_store(&d->raise_held, 1);
	for (int i = 0; i < 5; i++) {
		tq_command(q, ANPU_QUEUE_STOP);
		if (!teq_wait(e, &ev) || ev.type != ANPU_EVENT_STOPPED)
			die("no event STOPPED");
	}
	atomic_store(&d->raise_held, 0);
	ok(eventually(atomic_load(&d->irqs[0]) == irqs + 5), "five events are five messages");
	is(reg(d, ANPU_REG_EVENTS) - events, 5, "which are counted as events");
	is(reg(d, ANPU_REG_INTERRUPTS) - sent, 5, "and as messages");
	set_reg(d, ANPU_REG_EQ_SIZE(0), 0);
	set_reg(d, ANPU_REG_EQ_SIZE(0), 4);
	is(load64(&e->hdr->wptr), 0, "an event queue begins at index 0");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

/* The packets that are stopped here would run for ever; stop_latency measures how long that takes. */
static bool stops(struct tq *q)
{
	tq_command(q, ANPU_QUEUE_STOP);
	return tq_wait_state(q, ANPU_QUEUE_STOPPED);
}

static void test_stop(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 1, 0, 0);
	struct teq *e = teq_new(d, 0, 4);
	uint64_t sem = hbm_alloc(d, 8, 8), big = hbm_alloc(d, 24 << 20, 4096);
	uint64_t loop = PROGRAM(d, { FAKE_FOREVER, 0, 0 });
	union anpu_packet wait = p_wait(sem, 1, ANPU_SEM_EQ, ANPU_TIMEOUT_NEVER);
	union anpu_packet kernel = p_kernel(loop, 1), grid = p_kernel(loop, 9), nop = p_nop();
	union anpu_packet notify = p_notify(1, 2);
	struct anpu_event ev;

	kernel.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	grid.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	ok(stops(q), "STOP of an idle queue");
	is(tq_errors(q), 0, "is no error");
	/* the state is told before the event */
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED, "its event");

	const union anpu_packet *victims[] = { &wait, &kernel, &grid };
	static const char *const names[] = { "a waiting queue", "a kernel", "nine blocks" };

	for (int i = 0; i < 3; i++) {
		uint64_t packets = reg(d, ANPU_REG_PACKETS);

		while (teq_pop(e, &ev))
			;
		tq_start(q);
		tq_push(q, victims[i]);
		tq_push(q, &nop);
		tq_ring(q);
		eventually(load64(&q->st->started) == 1);
		sleep_us(2000);
		ok(stops(q), "STOP of %s", names[i]);
		ok(tq_errors(q) == 1 && q->st->fault[0].cause == ANPU_FAULT_KILLED &&
		   q->st->fault[0].seq == 1 && load64(&q->st->completed) == 1,
		   "kills its packet: %s", q->st->fault[0].message);
		is(load64(&q->st->started), 1, "and drops the next one");
		is(reg(d, ANPU_REG_PACKETS) - packets, 1, "one packet has completed");
		ok(!tq_polling(q), "nobody polls");
		ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_FAULT && teq_wait(e, &ev) &&
		   ev.type == ANPU_EVENT_STOPPED, "events: FAULT, then STOPPED");
	}

	/* during large copies: whatever has begun ends */
	for (int i = 0; i < 20; i++) {
		union anpu_packet copy = p_copy(big, big + (12 << 20), 12 << 20);

		tq_start(q);
		tq_push(q, &copy);
		tq_push(q, &copy);
		tq_ring(q);
		sleep_us(i * 100);
		if (!stops(q))
			die("STOP during a copy");
		/* the state is stored before the event, which must not take a place further down */
		do {
			if (!eventually(teq_pop(e, &ev)))
				die("no event STOPPED");
		} while (ev.type != ANPU_EVENT_STOPPED);
	}
	ok(true, "STOP during copies, 20 times");

	/* parked because its event queue is full: the events come when there is room */
	tq_start(q);
	for (int i = 0; i < 20; i++)
		tq_push(q, &notify);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a full event queue parks the queue");
	is(load64(&q->st->completed), 12, "after as many NOTIFYs as fit in three quarters of it");
	ok(stops(q), "STOP of that");
	for (int i = 0; i < 12; i++)
		teq_wait(e, &ev);
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_FAULT && ev.code == ANPU_FAULT_KILLED &&
	   ev.seq == 13, "the 13th was killed");
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_STOPPED, "STOPPED comes last");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

static void test_commands(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_new(d, 9, 6);
	struct teq *e = teq_new(d, 0, 12);
	union anpu_packet nop = p_nop();
	struct anpu_event ev;
	unsigned int n = 0;

	for (int i = 0; i < 50; i++) {
		tq_command(q, ANPU_QUEUE_START);
		tq_command(q, ANPU_QUEUE_RESUME);
		tq_command(q, ANPU_QUEUE_STOP);
	}
	while (n < 50 && teq_wait(e, &ev))
		n += ev.type == ANPU_EVENT_STOPPED;
	is(n, 50, "50 times START, RESUME, STOP in a row: 50 events");
	tq_start(q);
	tq_run(q, &nop);
	tq_command(q, ANPU_QUEUE_START);
	tq_run(q, &nop);
	is(load64(&q->st->completed), 2, "START of a running queue is ignored");
	for (int i = 0; i < 400; i++)
		tq_command(q, ANPU_QUEUE_START);
	tq_run(q, &nop);
	is(load64(&q->st->completed), 3, "however often");

	n = reg(d, ANPU_REG_BAD_ACCESS);
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(0, 9));
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_CMD_COUNT, 9));
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(1, 64));
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(1, 9) | 1ULL << 40);
	is(reg(d, ANPU_REG_BAD_ACCESS), n + 4, "unknown commands are refused accesses");
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(ANPU_QUEUE_PRIORITY, 9, 8));
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(ANPU_QUEUE_REFRESH, 9, 1));
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(ANPU_QUEUE_STOP, 9, 1));
	is(reg(d, ANPU_REG_BAD_ACCESS), n + 7, "and arguments that a command has not");
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(ANPU_QUEUE_PRIORITY, 9, 7));
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(ANPU_QUEUE_END_TASK, 9, 0xffffffff));
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_STOP, 63));
	is(reg(d, ANPU_REG_BAD_ACCESS), n + 7, "but not the last priority, any packet's number, the last queue");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

static void test_event_queue(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_new(d, 0, 6);
	struct teq *e;
	union anpu_packet notify;
	struct anpu_event ev;
	bool good = true;

	tq_context(q)->event_queue = 3;
	tq_start(q);
	notify = p_notify(1, 1);
	tq_fails(q, &notify, ANPU_FAULT_BAD_PACKET, "disabled", "NOTIFY needs an event queue");
	e = teq_new(d, 3, 4);
	for (uint64_t i = 0; i < 100; i++) {
		notify = p_notify(i, ~i);
		tq_push(q, &notify);
		tq_ring(q);
		if (i < 40)
			continue;
		good = good && teq_wait(e, &ev) && ev.type == ANPU_EVENT_NOTIFY &&
		       ev.data0 == i - 40 && ev.data1 == ~(i - 40);
	}
	for (uint64_t i = 60; i < 100; i++)
		good = good && teq_wait(e, &ev) && ev.data0 == i && ev.seq == i + 2;
	ok(good, "100 NOTIFYs through a queue of 16: none lost, in order");
	ok(eventually(atomic_load(&d->irqs[3]) == 100), "one interrupt each");
	ok(tq_wait(q, 101), "all complete");

	/* an rptr that makes no sense reads as full, and heals */
	store64(&e->hdr->rptr, 5000);
	notify = p_notify(7, 7);
	tq_push(q, &notify);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a wild rptr parks the queue");
	store64(&e->hdr->rptr, 100);
	ok(tq_wait(q, 102) && teq_wait(e, &ev) && ev.data0 == 7, "a good one lets it go on");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

/* A NOTIFY waits when four entries of sixteen are free: packets that complete may still fill these, up to the last one. */
static void test_last_entry(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 0, 0, 0), *other = tq_started(d, 1, 0, 0);
	struct teq *e = teq_new(d, 0, 4);
	union anpu_packet notify = p_notify(1, 1), nop = p_nop();
	struct anpu_event ev;

	for (int i = 0; i < 13; i++)
		tq_push(q, &notify);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED) && load64(&e->hdr->wptr) == 12, "the 13th NOTIFY of 16 entries waits");
	for (int i = 0; i < 5; i++) {
		store64(&other->ctl->irq_at, tq_push(other, &nop));
		tq_ring(other);
		if (i < 4)
			ok(eventually(load64(&e->hdr->wptr) == 13u + (unsigned int)i), "a COMPLETED does not");
	}
	ok(tq_wait_state(other, ANPU_QUEUE_PARKED), "until there is no entry left");
	ok(teq_pop(e, &ev) && ev.type == ANPU_EVENT_NOTIFY, "one is read");
	ok(eventually(load64(&e->hdr->wptr) == 17) && tq_wait(other, 5), "which the COMPLETED gets");
	is(tq_state(q), ANPU_QUEUE_PARKED, "the NOTIFY waits on");
	for (int i = 0; i < 16; i++)
		ok(teq_wait(e, &ev) && ev.type == (i < 11 ? ANPU_EVENT_NOTIFY : ANPU_EVENT_COMPLETED), "entry %d: type %u", i, ev.type);
	ok(tq_wait(q, 13) && teq_wait(e, &ev) && ev.type == ANPU_EVENT_NOTIFY, "until others are read");
	teq_free(e);
	tq_free(q);
	tq_free(other);
	dev_free(d);
}

/* Two queues that make as many events as they can leave room for what others wait for. */
static void test_event_flood(void)
{
	struct dev *d = dev_default();
	struct tq *notify = tq_started(d, 1, 0, 0), *fault = tq_started(d, 2, 0, 0);
	struct tq *other = tq_started(d, 3, 0, 0);
	struct teq *e = teq_new(d, 0, 4);
	union anpu_packet p;
	struct anpu_event ev;
	unsigned int floods = 0;

	for (int i = 0; i < 20; i++) {
		p = p_notify(i, i);
		tq_push(notify, &p);
		p = p_copy(~7ULL, 0, 4);
		tq_push(fault, &p);
	}
	tq_ring(notify);
	tq_ring(fault);
	ok(tq_wait_state(notify, ANPU_QUEUE_PARKED) && tq_wait_state(fault, ANPU_QUEUE_PARKED),
	   "NOTIFYs and failures wait for room");
	is(load64(&e->hdr->wptr), 12, "when three quarters of the entries are full");
	store64(&other->ctl->irq_at, 1);
	p = p_nop();
	tq_push(other, &p);
	tq_ring(other);
	ok(eventually(load64(&e->hdr->wptr) == 13), "COMPLETED of another queue has room");
	tq_command(other, ANPU_QUEUE_STOP);
	ok(eventually(load64(&e->hdr->wptr) == 14), "and so has STOPPED");
	is(load64(&notify->st->completed) + load64(&fault->st->completed), 12,
	   "before any other of the flood");
	for (int i = 0; i < 42; i++) {
		if (!teq_wait(e, &ev))
			die("event %d does not come", i);
		if (ev.queue != 3)
			floods++;
		else if (i != (ev.type == ANPU_EVENT_STOPPED ? 13 : 12))
			die("event %d of the other queue has type %u", i, ev.type);
	}
	is(floods, 40, "all of the flood comes when there is room");
	teq_free(e);
	tq_free(other);
	tq_free(fault);
	tq_free(notify);
	dev_free(d);
}

/* Leaving out doorbells while the device polls must never lose a packet. */
static void test_polling(unsigned int spin_us)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q;
	union anpu_packet nop = p_nop();
	unsigned int saved = 0;

	c.spin_us = spin_us;
	d = dev_new(&c);
	q = tq_started(d, 7, 0, 0);
	for (int i = 0; i < 3000; i++) {
		uint64_t seq = tq_push(q, &nop);

		if (tq_polling(q))
			saved++;
		else
			anpu_model_doorbell(d->m, 7, seq);
		if (i % 3 == 0 && !tq_wait(q, seq))
			die("packet %d got lost", i);
		if (i % 100 == 0)
			sleep_us(i / 10);
	}
	ok(tq_wait(q, 3000), "spin %u us: 3000 packets, %u doorbells left out", spin_us, saved);
	tq_free(q);
	dev_free(d);
}

/* A long kernel: packets behind it need no doorbell. */
static void test_polling_while_executing(unsigned int spin_us)
{
	struct anpu_config c = config_small();
	union anpu_packet p, nop = p_nop();
	struct dev *d;
	struct tq *q;
	uint64_t flag;

	c.spin_us = spin_us;
	d = dev_new(&c);
	q = tq_started(d, 7, 0, 0);
	flag = hbm_alloc(d, 8, 8);
	p = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }), 1);
	anpu_model_doorbell(d->m, 7, tq_push(q, &p));
	for (int i = 0; i < 5000 && load64(&q->st->started) != 1; i++)
		sleep_us(1000);
	ok(tq_polling(q), "spin %u us: polling while a packet executes", spin_us);
	tq_push(q, &nop);
	store64((uint64_t *)(d->hbm + flag), 1);
	ok(tq_wait(q, 2), "spin %u us: what comes meanwhile needs no doorbell", spin_us);
	tq_free(q);
	dev_free(d);
}

static uint64_t command(struct tq *q, enum anpu_queue_cmd cmd)
{
	uint64_t before = load64(&q->st->commands);

	tq_command(q, cmd);
	ok(eventually(load64(&q->st->commands) == before + 1), "a command takes effect");
	return load64(&q->st->completed);
}

static void test_abort(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 3, 0, 0);
	struct teq *e = teq_new(d, 0, 4);
	union anpu_packet nop = p_nop(), p;
	uint64_t word = hbm_alloc(d, 8, 8), seq;
	struct anpu_event ev;

	is(command(q, ANPU_QUEUE_ABORT), 0, "  of an idle queue");
	is(tq_errors(q), 0, "  is no failure");
	seq = tq_run(q, &nop);
	is(seq, 1, "  and the queue goes on");

	/* an operator, and packets behind it */
	p = p_kernel(PROGRAM(d, { FAKE_FOREVER, 0, 0 }), 3);
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_push(q, &p);
	for (int i = 0; i < 10; i++)
		seq = tq_push(q, &nop);
	store64(&q->ctl->irq_at, seq - 3);
	tq_ring(q);
	eventually(load64(&q->st->started) == 2);
	is(command(q, ANPU_QUEUE_ABORT), seq, "  and drops what is behind an operator");
	is(tq_errors(q), 2, "  the operator and the others have failed");
	is(q->st->fault[0].cause, ANPU_FAULT_KILLED, "  by being killed");
	is(q->st->fault[0].opcode, ANPU_OP_KERNEL, "  first the operator");
	is(tq_last_fault(q)->cause, ANPU_FAULT_KILLED, "  then the others");
	ok(strstr(tq_last_fault(q)->message, "10 packets were dropped"), "  with their number");
	is(tq_last_fault(q)->addr, 10, "  as its address");
	is(tq_last_fault(q)->seq, seq, "  up to the last");
	is(tq_last_fault(q)->opcode, ANPU_OP_INVALID, "  and is no packet's");
	is(load64(&q->st->state), ANPU_QUEUE_RUNNING | (uint64_t)ANPU_FAULT_KILLED << 32,
	   "  it runs");
	for (int i = 0; i < 3; i++)
		ok(teq_wait(e, &ev) && ev.type == (i < 2 ? ANPU_EVENT_FAULT : ANPU_EVENT_COMPLETED),
		   "  event %d: type %u", i, ev.type);
	is(ev.seq, seq, "  who waits is told");
	is(tq_run(q, &nop), seq + 1, "  and the numbers go on");
	is(tq_errors(q), 2, "  without failures");

	/* a packet that is parked */
	p = p_wait(word, 1, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER);
	seq = tq_push(q, &p);
	tq_ring(q);
	tq_wait_state(q, ANPU_QUEUE_PARKED);
	is(command(q, ANPU_QUEUE_ABORT), seq, "  of a parked queue");
	is(tq_last_fault(q)->cause, ANPU_FAULT_KILLED, "  kills the wait");
	is(tq_run(q, &nop), seq + 1, "  and it goes on");
	is(tq_errors(q), 3, "  nothing else fails");

	/* a ring that is full, of a queue that has halted; who waits, waits for the last packet */
	tq_command(q, ANPU_QUEUE_HALT);
	tq_wait_state(q, ANPU_QUEUE_HALTED);
	while (teq_pop(e, &ev))
		;
	p = p_signal(word, 1, ANPU_SEM_ADD);
	for (int i = 0; i < 64; i++)
		seq = tq_push(q, &p);
	store64(&q->ctl->irq_at, seq);
	is(command(q, ANPU_QUEUE_ABORT), seq, "  of a full ring");
	is(tq_last_fault(q)->addr, 64, "  drops all of it");
	ok(teq_wait(e, &ev) && ev.type == ANPU_EVENT_FAULT && teq_wait(e, &ev) && ev.type == ANPU_EVENT_COMPLETED,
	   "  and who waits for its last packet is told");
	tq_run(q, &nop);
	is(load64(hbm_ptr(d, word)), 0, "  none has run");

	/* an index that makes no sense drops no packets, and is refused when it is looked at next */
	tq_command(q, ANPU_QUEUE_HALT);
	tq_wait_state(q, ANPU_QUEUE_HALTED);
	seq = load64(&q->st->completed);
	store64(&q->ctl->wptr, seq + 65);
	is(command(q, ANPU_QUEUE_ABORT), seq, "  of an index behind the ring drops nothing");
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED) && tq_last_fault(q)->cause == ANPU_FAULT_BAD_DOORBELL, "  and halts the queue: %s",
	   tq_last_fault(q)->message);

	/* stopped queues count nothing */
	tq_stop(q);
	tq_command(q, ANPU_QUEUE_REFRESH);
	tq_command(q, ANPU_QUEUE_ABORT);
	tq_command(q, ANPU_QUEUE_HALT_ON_FAILURE);
	tq_start(q);
	is(load64(&q->st->commands), 0, "commands to a stopped queue are ignored");
	teq_free(e);
	tq_free(q);
	dev_free(d);
}

/* ABORT with an index that went back, but not before what has completed: packets that the device has seen are dropped, too. */
static void test_abort_of_a_small_index(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop(), wait = p_wait(hbm_alloc(d, 8, 8), 1, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER);
	uint64_t seq;

	tq_push(q, &nop);
	tq_push(q, &wait);
	for (int i = 0; i < 8; i++)
		seq = tq_push(q, &nop);
	/* by the register that names no index */
	tq_kick(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a queue waits with packets behind");
	store64(&q->ctl->wptr, 5);
	is(command(q, ANPU_QUEUE_ABORT), seq, "  ABORT drops all that it has seen");
	tq_kick(q);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED) && tq_last_fault(q)->cause == ANPU_FAULT_BAD_DOORBELL, "  and the index is refused");
	tq_free(q);
	dev_free(d);
}

/* A failure that waits for room in its event queue would halt the queue: ABORT lets that go on, too. */
static void test_abort_of_a_failure(void)
{
	struct dev *d = dev_default();
	struct tq *filler = tq_started(d, 2, 0, 0), *q = tq_started(d, 3, 0, ANPU_QUEUE_STOP_ON_FAILURE);
	struct teq *e = teq_new(d, 0, 4);
	union anpu_packet notify = p_notify(7, 8), bad = p_copy(~7ULL, 0, 4), nop = p_nop();
	struct anpu_event ev;

	for (int i = 0; i < 12; i++)
		tq_run(filler, &notify);
	tq_push(q, &bad);
	tq_push(q, &nop);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a failure waits for room");
	tq_command(q, ANPU_QUEUE_ABORT);
	for (int i = 0; i < 14; i++)
		if (!teq_wait(e, &ev))
			die("event %d does not come", i);
	ok(eventually(load64(&q->st->commands) == 1), "ABORT takes effect meanwhile");
	is(load64(&q->st->completed), 2, "  drops what is behind it");
	is(tq_errors(q), 2, "  as a failure more");
	tq_run(q, &nop);
	is(tq_run(q, &nop), 4, "  and the queue goes on");
	is(tq_state(q), ANPU_QUEUE_RUNNING, "  without halting");
	teq_free(e);
	tq_free(q);
	tq_free(filler);
	dev_free(d);
}

static void test_halt(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop(), p;
	uint64_t word = hbm_alloc(d, 8, 8), seq;

	tq_command(q, ANPU_QUEUE_HALT);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "an idle queue that is told to halt");
	is(tq_errors(q), 1, "  has a failure");
	is(tq_last_fault(q)->cause, ANPU_FAULT_KILLED, "  by which it is known");
	is(tq_last_fault(q)->opcode, ANPU_OP_INVALID, "  and which is no packet's");
	is(tq_last_fault(q)->addr | tq_last_fault(q)->size | tq_last_fault(q)->access, 0, "  and has no address");
	tq_command(q, ANPU_QUEUE_HALT);
	is(command(q, ANPU_QUEUE_ABORT), 0, "  ABORT lets it go");
	is(tq_errors(q), 1, "  halting twice is once");
	is(tq_run(q, &nop), 1, "  and it goes on");

	p = p_kernel(PROGRAM(d, { FAKE_FOREVER, 0, 0 }), 3);
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	for (int parked = 0; parked < 2; parked++) {
		uint64_t errors = tq_errors(q);

		if (parked)
			p = p_wait(word, 1, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER);
		seq = tq_push(q, &p);
		tq_push(q, &nop);
		tq_ring(q);
		eventually(load64(&q->st->started) == seq);
		tq_command(q, ANPU_QUEUE_HALT);
		ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "a queue halts that %s",
		   parked ? "is parked" : "runs an operator");
		is(load64(&q->st->completed), seq, "  behind what it was at");
		is(tq_errors(q), errors + 2, "  which was killed");
		is(tq_last_fault(q)->seq, seq, "  as the record says");
		is(command(q, ANPU_QUEUE_ABORT), seq + 1, "  ABORT drops the rest");
		is(tq_run(q, &nop), seq + 2, "  and it goes on");
	}
	tq_free(q);
	dev_free(d);
}

static void test_failure_mode(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 3, 0, 0);
	union anpu_packet nop = p_nop(), bad = p_copy(~7ULL, 0, 4);
	uint64_t seq;

	command(q, ANPU_QUEUE_HALT_ON_FAILURE);
	tq_push(q, &nop);
	tq_push(q, &bad);
	seq = tq_push(q, &nop);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "a queue halts that was told to after its start");
	ok(eventually(!tq_polling(q)), "  and polls no more");
	is(load64(&q->st->completed), seq - 1, "  behind the packet that failed");
	command(q, ANPU_QUEUE_GO_ON);
	is(tq_state(q), ANPU_QUEUE_HALTED, "the other mode does not wake it");
	is(command(q, ANPU_QUEUE_ABORT), seq, "ABORT does");
	is(tq_state(q), ANPU_QUEUE_RUNNING, "  it runs");
	tq_run(q, &bad);
	is(tq_run(q, &nop), seq + 2, "  and goes on after a failure");
	is(tq_state(q), ANPU_QUEUE_RUNNING, "  without halting");
	tq_free(q);
	dev_free(d);
}

/* ABORT at any moment, with a submitter that never rests */
static void test_abort_race(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 1, 0, 0);
	union anpu_packet p = p_kernel(PROGRAM(d, { FAKE_BURN, 0, 3000 }), 2), nop = p_nop();
	uint64_t seq = 0;

	for (int i = 0; i < 300; i++) {
		for (int k = 0; k < 8; k++)
			seq = tq_push(q, k & 1 ? &nop : &p);
		tq_ring(q);
		sleep_us(i % 40);
		tq_command(q, ANPU_QUEUE_ABORT);
		if (!eventually(load64(&q->st->commands) == (uint64_t)i + 1) ||
		    load64(&q->st->completed) != seq)
			die("ABORT %d: %llu of %llu", i, (unsigned long long)load64(&q->st->completed),
			    (unsigned long long)seq);
	}
	ok(true, "300 aborts at any moment");
	tq_free(q);
	dev_free(d);
}

int main(void)
{
	test_nops();
	test_ring_sizes();
	test_refused();
	test_doorbells();
	test_interrupts();
	test_failure_modes();
	test_halt_is_seen_with_its_event();
	test_events_and_messages();
	test_stop();
	test_commands();
	test_event_queue();
	test_last_entry();
	test_event_flood();
	test_polling(50);
	test_polling(0);
	test_polling(3);
	test_polling_while_executing(50);
	test_polling_while_executing(0);
	test_abort();
	test_abort_of_a_failure();
	test_abort_of_a_small_index();
	test_halt();
	test_failure_mode();
	test_abort_race();
	return done_testing();
}
