/* SPDX-License-Identifier: MIT */
/* Two processes that take turns: each reads what the other has written */
#ifndef TURNS_H
#define TURNS_H

#include "acltest.h"

static int to_child[2], to_parent[2];

static inline void tell(int *pipe, const void *data, size_t n)
{
	CHECK_EQ(write(pipe[1], data, n), (ssize_t)n);
}

static inline void hear(int *pipe, void *data, size_t n)
{
	CHECK_EQ(read(pipe[0], data, n), (ssize_t)n);
}

static inline void turn(int *pipe)
{
	tell(pipe, "x", 1);
}

static inline void await(int *pipe)
{
	char c;

	hear(pipe, &c, 1);
}

static void (*partner_runs)(void);

static void run_partner(void)
{
	const char *device = getenv("PARTNER_DEVICE");

	if (device)
		setenv("ASCEND_RT_VISIBLE_DEVICES", device, 1);
	partner_runs();
}

/* Another process; with PARTNER_DEVICE=1 its device 0 is the machine's second one */
static inline pid_t partner(void (*run)(void))
{
	CHECK_EQ(pipe(to_child), 0);
	CHECK_EQ(pipe(to_parent), 0);
	partner_runs = run;
	return child(run_partner);
}

#endif /* TURNS_H */
