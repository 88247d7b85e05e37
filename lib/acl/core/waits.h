/* SPDX-License-Identifier: MIT */
/* Which threads of the program sleep in a call of this library, and for what: reports of hangs tell it. */
#ifndef ANPU_WAITS_H
#define ANPU_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

enum anpu_wait_kind {
	ANPU_WAITS_FOR_STREAM, /* its task @seq */
	ANPU_WAITS_FOR_EVENT,  /* to be recorded, or to be complete */
	ANPU_WAITS_FOR_CALLS,  /* a thread of aclrtProcessReport() and its like: for functions to run */
	ANPU_WAITS_FOR_FRONT,  /* what a library in front of this one says in @what */
};

/**
 * struct anpu_waiting - a thread that sleeps
 * @tid: the kernel's number of the thread
 * @device: number of the device
 * @number: of the stream or event
 * @since: when it began, anpu_now()
 * @what: of a library in front; a text that stays
 */
struct anpu_waiting {
	int32_t tid;
	enum anpu_wait_kind kind;
	int32_t device;
	int64_t number;
	uint64_t seq;
	int64_t since;
	const char *what;
	struct anpu_site site;
};

/* This thread is about to sleep; the result is for anpu_wait_over(), which is called when it does not any more */
unsigned int anpu_wait_begins(enum anpu_wait_kind kind, int32_t device, int64_t number, uint64_t seq);
/* The same in a library in front: anpu_front_wait_begins(), front.h */
void anpu_wait_over(unsigned int place);
/* Copies of those that sleep now, at most @max; their number */
size_t anpu_waits_list(struct anpu_waiting *list, size_t max);

#endif /* ANPU_WAITS_H */
