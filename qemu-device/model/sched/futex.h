/* SPDX-License-Identifier: MIT */
/* Sleep until a word changes. */
#ifndef ANPU_MODEL_FUTEX_H
#define ANPU_MODEL_FUTEX_H

#include "base.h"

void futex_wait(_Atomic unsigned int *word, unsigned int value, uint64_t timeout_ns);
unsigned int futex_wake(_Atomic unsigned int *word, unsigned int n);

#endif /* ANPU_MODEL_FUTEX_H */
