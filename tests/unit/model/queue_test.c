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

int main(void)
{
	test_nops();
	return done_testing();
}
