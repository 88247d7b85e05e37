/* SPDX-License-Identifier: MIT */
/* Event queues and the interrupts that tell of them. */
#ifndef ANPU_MODEL_EVENT_H
#define ANPU_MODEL_EVENT_H

#include <pthread.h>

#include <anpu/anpu_hw.h>

#include "base.h"

/** struct event_queue - device side of an event queue */
struct event_queue {
	pthread_mutex_t lock;
	uint64_t base;
	unsigned int log2;		/* 0: disabled */
	uint64_t wptr;
	struct anpu_event_header *header;
	struct anpu_event *entries;
};

bool event_send(struct anpu_model *m, unsigned int eq, const struct anpu_event *e, bool manager);
void *event_raiser(void *arg);
bool event_has_room(struct anpu_model *m, unsigned int eq, uint16_t type);
bool event_enabled(struct anpu_model *m, unsigned int eq);
bool event_set_base(struct anpu_model *m, unsigned int eq, uint64_t base);
bool event_set_size(struct anpu_model *m, unsigned int eq, uint64_t log2);
uint64_t event_get_base(struct anpu_model *m, unsigned int eq);
uint64_t event_get_size(struct anpu_model *m, unsigned int eq);
void event_reset(struct anpu_model *m);

#endif /* ANPU_MODEL_EVENT_H */
