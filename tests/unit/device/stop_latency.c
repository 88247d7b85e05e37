// SPDX-License-Identifier: MIT
/*
 * How soon a STOP ends an operator, wherever it is: from the register write to the state STOPPED,
 * several times per operator, with the host's kernels for tiles and with the plain ones. A figure
 * for the reader, not a test: the host decides when threads run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/tile/tile_int.h"
#include "rig.h"

static const char *const ops[] = { "forever", "long_copy", "long_atomic", "long_sin", "long_sort", "long_mmad",
	"long_vrep_sin", "long_vrep_div", "long_load3d", "long_print", "long_sync" };

static uint64_t stop_once(struct dev *d, struct tq *q, union anpu_packet *p, unsigned int wait_us)
{
	uint64_t start;

	tq_push(q, p);
	tq_ring(q);
	if (!eventually(load64(&q->st->started) == q->wptr))
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

/* Processor time of one operation, ns: what a STOP may have to wait for. */
static uint64_t one_operation(struct dev *d, struct tq *q, const char *name, uint64_t gm)
{
	uint64_t least = ~0ULL, took;
	struct timespec from, to;

	for (unsigned int i = 0; i < 5; i++) {
		union anpu_packet none = KERNEL(d, name, 1, va(gm), 0), some = KERNEL(d, name, 1, va(gm), 20);

		tq_run(q, &none);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		tq_run(q, &some);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		took = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000 + (uint64_t)(to.tv_nsec - from.tv_nsec);
		least = took < least ? took : least;
	}
	return least / 20;
}

static void measure(struct dev *d, struct tq *q, const char *name, uint64_t gm, unsigned int times)
{
	uint64_t worst = 0, least = ~0ULL;

	for (unsigned int i = 0; i < times; i++) {
		union anpu_packet p = KERNEL(d, name, 2, va(gm), ~0ULL);
		uint64_t took;

		p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
		took = stop_once(d, q, &p, 1000 + i * 337 % 4000);
		worst = took > worst ? took : worst;
		least = took < least ? took : least;
	}
	printf("%-16s %8.0f %8.0f", name, (double)least / 1000, (double)worst / 1000);
	if (strcmp(name, "forever") && strcmp(name, "long_sync"))
		printf(" %8.0f", (double)one_operation(d, q, name, gm) / 1000);
	printf("\n");
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
	for (unsigned int set = 0; tile_kernel_set(set); set++) {
		tile_force(set);
		printf("STOP, us         %8s %8s  the operation alone; kernels: %s\n", "least", "most",
		       tile_kernel_set(set)->name);
		for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
			measure(d, q, ops[i], gm, times);
	}
	tq_free(q);
	rig_free(d);
	return 0;
}
