/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ioctl fuzzer. Workers (processes) run lives (their children, one after the other) of steps; a
 * life may have threads. What a step does is drawn from the seed and the numbers of worker, life,
 * thread and step alone, so that it can be done again; what it does it to depends on the others.
 */
#ifndef ANPU_TEST_FUZZ_H
#define ANPU_TEST_FUZZ_H

#include <setjmp.h>
#include <stdint.h>

#include "errnos.h"

#define FUZZ_WORKERS	16
#define FUZZ_THREADS	3
#define FUZZ_FILES	4
#define FUZZ_STREAMS	8
#define FUZZ_BOS	12
#define FUZZ_BUFS	4
#define FUZZ_MAPS	8
#define FUZZ_AREAS	3
#define FUZZ_GOSSIP	64
#define FUZZ_TRACE	16
#define FUZZ_FINDINGS	32
#define FUZZ_STEPS	250

#define FUZZ_AREA_SIZE	(1ULL << 20)

/* Where the process's own mappings are; what is mapped for the device is below. */
#define FUZZ_OWN_BEGIN	(1ULL << 40)
#define FUZZ_OWN_END	(1ULL << 47)

/* Where a thread is and what it has done, in memory that outlives it. */
struct fuzz_trace {
	uint32_t life;
	uint32_t step;
	struct {
		uint32_t step;
		uint16_t act;
		int16_t result;
	} last[FUZZ_TRACE];
};

/* Shared by all processes. */
struct fuzz_shared {
	uint64_t seed;
	int64_t end;
	uint32_t privileged;
	uint32_t stop;
	/* Numbers that mean something to somebody: handles, streams, addresses, offsets. */
	uint64_t gossip[FUZZ_GOSSIP];
	uint32_t gossiped;
	/* ioctls by result: how many succeeded, how many were refused. */
	uint64_t done[IOCTL_COUNT];
	uint64_t refused[IOCTL_COUNT];
	uint64_t acts;
	uint32_t lives;
	uint32_t n_findings;
	char findings[FUZZ_FINDINGS][320];
	struct fuzz_trace trace[FUZZ_WORKERS][FUZZ_THREADS];
};

struct fuzz_map {
	uint8_t *ptr;
	uint64_t size;
	int writable;
};

/* Shared by the threads of a life, which race on these numbers on purpose. */
struct fuzz_life {
	struct fuzz_shared *shared;
	uint32_t worker;
	uint32_t life;
	int post[2];
	volatile int files[FUZZ_FILES];
	/* Number, and in the upper half the place in files where it means something. */
	volatile uint64_t streams[FUZZ_STREAMS];
	volatile uint64_t bos[FUZZ_BOS];
	volatile int bufs[FUZZ_BUFS];
	uint8_t *areas[FUZZ_AREAS];
	int memfd;
};

/* A thread. */
struct fuzz_actor {
	struct fuzz_life *life;
	struct fuzz_trace *trace;
	uint64_t rng;
	uint32_t step;
	uint32_t act;
	uint32_t file;		/* whose objects this step is about */
	struct fuzz_map maps[FUZZ_MAPS];
	uint8_t *args;		/* FUZZ_ARGS bytes, then a page that nobody can access */
	sigjmp_buf escape;
	volatile int touching;
};

#define FUZZ_ARGS	(32ULL << 10)

/* fuzz_lives.c */
void fuzz_life_run(struct fuzz_shared *shared, uint32_t worker, uint32_t life, const int post[2]);
void fuzz_finding(struct fuzz_shared *shared, const char *format, ...);

#define FINDING(a, format, ...) \
	fuzz_finding((a)->life->shared, "worker %u life %u step %u (%s): " format, \
		     (a)->life->worker, (a)->life->life, (a)->step, fuzz_act_name((a)->act), \
		     ##__VA_ARGS__)

/* fuzz_acts.c */
extern const char *fuzz_act_name(uint32_t act);
uint32_t fuzz_draw_act(struct fuzz_actor *a);
void fuzz_act(struct fuzz_actor *a);
uint64_t fuzz_mix(uint64_t a, uint64_t b);

/* fuzz_packets.c */
uint64_t fuzz_random(struct fuzz_actor *a);
uint32_t fuzz_below(struct fuzz_actor *a, uint32_t n);
uint64_t fuzz_va(struct fuzz_actor *a);
uint64_t fuzz_hostile(struct fuzz_actor *a);
void fuzz_mutate(struct fuzz_actor *a, void *p, uint32_t bytes);
void fuzz_code(struct fuzz_actor *a, uint32_t *code, uint32_t words);
void fuzz_packet(struct fuzz_actor *a, union anpu_packet *pkt);

#endif /* ANPU_TEST_FUZZ_H */
