// SPDX-License-Identifier: MIT
/*
 * How soon a STOP ends an operator, wherever it is: from the register write to the state STOPPED,
 * several times per operator, with the host's kernels for tiles and with the plain ones. A figure
 * for the reader, not a test: the host decides when threads run.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rig.h"

/* of the AI core's tile unit: 0 is its fastest set of kernels, the plain ones are the last */
void tile_force(unsigned int set);

static const char *const ops[] = { "forever", "long_copy", "long_atomic", "long_sin", "long_sort", "long_mmad",
	"long_vrep_sin", "long_vrep_div", "long_load3d", "long_print", "long_sync" };

static uint64_t stop_once(struct dev *d, struct tq *q, union anpu_packet *p, unsigned int wait_us)
{
	uint64_t start;

	tq_push(q, p);
	tq_ring(q);
	if (!eventually(load64(&q->st->started) == 1))
		die("a kernel does not start");
	sleep_us(wait_us);
	start = now_ns();
	tq_command(q, ANPU_QUEUE_STOP);
	while (__atomic_load_n(&q->st->state, __ATOMIC_ACQUIRE) != ANPU_QUEUE_STOPPED)
		sleep_us(5);
	start = now_ns() - start;
	tq_start(q);
	return start;
}

static void measure(struct dev *d, struct tq *q, const char *name, uint64_t gm, unsigned int times)
{
	uint64_t worst = 0, least = ~0ULL;

	for (unsigned int i = 0; i < times; i++) {
		union anpu_packet p = KERNEL(d, name, 2, va(gm));
		uint64_t took;

		p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
		took = stop_once(d, q, &p, 1000 + i * 337 % 4000);
		worst = took > worst ? took : worst;
		least = took < least ? took : least;
	}
	printf("%-16s %8.0f %8.0f\n", name, (double)least / 1000, (double)worst / 1000);
}

int main(int argc, char **argv)
{
	unsigned int times = argc > 1 ? (unsigned int)atoi(argv[1]) : 20;
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q;
	uint64_t gm;

	c.threads = 2;
	d = rig_new(&c);
	gm = rig_alloc(d, 1 << 20);
	q = rig_queue(d, 1, 0);
	for (int plain = 0; plain < 2; plain++) {
		tile_force_plain(plain);
		printf("STOP, us, %s kernels%8s %8s\n", plain ? "plain" : "host's", "least", "most");
		for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
			measure(d, q, ops[i], gm, times);
	}
	tq_free(q);
	rig_free(d);
	return 0;
}
