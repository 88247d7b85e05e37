/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A program that minds its own business: its memory must stay, its results must be right. */
#ifndef ANPU_TEST_BYSTANDER_H
#define ANPU_TEST_BYSTANDER_H

#include <stdint.h>

struct bystander {
	int fd;
	uint32_t stream;
	const volatile struct anpu_queue_status *status;
	uint64_t *hbm;
	uint64_t *sys;
	uint64_t *work;
};

/* 0, or an error. */
int bystander_init(struct bystander *b);
/* Another stream, after the device was reset: waits while there is none to be had. */
int bystander_stream(struct bystander *b);
/* Round n of work: 0, an error, or 1 if the result is wrong. */
int bystander_work(struct bystander *b, uint64_t n);
/* How many numbers of its memory are not what it has written. */
uint64_t bystander_damage(const struct bystander *b);
/* All of that for a short time, in a process of its own: 0 if all is well. */
int bystander_try(void);

#endif /* ANPU_TEST_BYSTANDER_H */
