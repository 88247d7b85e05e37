/* SPDX-License-Identifier: MIT */
/* Words that are not this device's own. */
#ifndef ANPU_MODEL_OTHERS_H
#define ANPU_MODEL_OTHERS_H

#include "base.h"

void others_add(struct anpu_model *m);
void others_remove(struct anpu_model *m);
bool others_own(const struct anpu_model *m, const void *word);
bool others_share(const struct anpu_model *m, const void *word);
void others_tell(struct anpu_model *m, const void *word, bool taken);
bool others_look(struct worker *w);
void others_waited_for(struct anpu_model *m, const void *word);
uint64_t others_spin(struct anpu_model *m, uint64_t ns);
void others_sleep(struct worker *w, unsigned int seq);
uint64_t others_tick(struct anpu_model *m);

#endif /* ANPU_MODEL_OTHERS_H */
