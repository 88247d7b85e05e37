/* SPDX-License-Identifier: MIT */
/* The manager: a thread for commands, resets and what waits. */
#ifndef ANPU_MODEL_MANAGER_H
#define ANPU_MODEL_MANAGER_H

#include "base.h"

/* between looks of the manager at what waits: at most and at least */
#define TICK_NS		1000000ULL
#define TICK_LEAST_NS	20000ULL
/* the same at least where devices tell, and only programs' stores are to be seen */
#define TICK_SHARED_NS	100000ULL

void *manager_main(void *arg);
void manager_kick(struct anpu_model *m);
bool manager_command(struct anpu_model *m, unsigned int queue, unsigned int cmd, uint32_t arg);
void manager_begin_reset(struct anpu_model *m);

#endif /* ANPU_MODEL_MANAGER_H */
