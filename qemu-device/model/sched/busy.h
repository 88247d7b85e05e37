/* SPDX-License-Identifier: MIT */
/* How busy the AI cores are. */
#ifndef ANPU_MODEL_BUSY_H
#define ANPU_MODEL_BUSY_H

#include <anpu/anpu_packet.h>

#include "base.h"

struct job;

enum busy_unit {
	BUSY_CUBE,
	BUSY_VECTOR,
	BUSY_UNITS
};

/**
 * struct queue_busy - a queue's part of struct busy
 * @blocks: blocks of the queue's kernels that have an AI core now
 * @seen: what struct busy's @share was when the status page was last brought up to date
 * @rest: what was then left of a nanosecond
 */
struct queue_busy {
	unsigned int blocks[BUSY_UNITS];
	uint64_t seen[BUSY_UNITS];
	uint64_t rest[BUSY_UNITS];
};

/**
 * struct busy - how long AI cores have had blocks, without those of struct busy_single; under lock
 * @since: device clock up to which @total counts
 * @blocks: blocks that have an AI core now
 * @total: nanoseconds of AI cores until @since
 * @share: nanoseconds << BUSY_SHIFT of an AI core that one block would have had until @since
 * @left_out: nanoseconds of @total and of the workers' that @taken leaves out
 * @taken: values of the registers BUSY_CUBE and BUSY_VECTOR
 * @taken_at: device clock of the read of BUSY_AT that stored them
 */
struct busy {
	uint64_t since;
	unsigned int blocks[BUSY_UNITS];
	uint64_t total[BUSY_UNITS];
	uint64_t share[BUSY_UNITS];
	uint64_t left_out[BUSY_UNITS];
	_Atomic uint64_t taken[BUSY_UNITS];
	uint64_t taken_at;
};

/**
 * struct busy_single - the same for kernels of one block; written by the worker that executes them
 * @turn: odd while the other fields change
 * @units: 1 << enum busy_unit for each unit of the block that it executes now, 0: none
 * @since: device clock when that block began
 * @told: device clock up to which the block's queue has its time
 * @total: nanoseconds of blocks that have ended
 */
struct busy_single {
	unsigned int turn;
	unsigned int units;
	uint64_t since;
	uint64_t told;
	uint64_t total[BUSY_UNITS];
};

void busy_begins(struct anpu_model *m, const struct job *job, uint32_t unit, uint64_t now);
void busy_ends(struct anpu_model *m, const struct job *job, uint32_t unit, uint64_t now);
void busy_goes_on(struct anpu_model *m, const struct job *job, uint64_t now);
void busy_single_begins(struct worker *w, const struct anpu_pkt_kernel *p);
void busy_single_goes_on(struct worker *w, struct queue *q, uint64_t now);
void busy_single_ends(struct worker *w, struct queue *q, uint64_t now);
uint64_t busy_take(struct anpu_model *m);

#endif /* ANPU_MODEL_BUSY_H */
