/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A count of everything that must not leak, and the kernel's log: taken before a test
 * that many processes die in, and compared after it. To be used by a process that has no file of the
 * device open.
 */
#ifndef ANPU_TEST_CENSUS_H
#define ANPU_TEST_CENSUS_H

#include <stdint.h>

#define CENSUS_SLABS	512

/**
 * struct census - how much there is of everything
 * @driver: hbm_free, the HBM's map, the queues, the address spaces of all devices, as text
 * @references: to the driver's module: open files, dma-bufs
 * @pinned: pages pinned for long
 * @available: kB of memory
 * @slabs: objects in each of the kernel's caches
 */
struct census {
	char *driver;
	long references;
	long long pinned;
	long long available;
	struct {
		char name[48];
		long objects;
		long per_slab;
	} slabs[CENSUS_SLABS];
	int n_slabs;
};

/* 0, or -1 if /sys or /proc does not have what is needed. */
int census_take(struct census *census);
/* Waits until the driver's state, references and pins are the same again: 0, or -1 if they never are. */
int census_settle(const struct census *before);
/*
 * Takes another one and compares. The driver's state, references and pins must be the same to the last
 * one; slabs and memory may differ by what the kernel keeps, but not by something for each of @lives
 * processes. It is repeated for as long as work items, RCU, timers and the like may need. Returns
 * whether anything differs; what, is told in standard error.
 */
int census_compare(const struct census *before, long lives);
void census_free(struct census *census);

/* The kernel's log from here on. */
int klog_open(void);
/* How many messages there were since that tell of something that must never be; each is told. */
int klog_check(int log);
/* The same where the device is meant to disobey: only the kernel's own complaints count. */
int klog_check_kernel(int log);

#endif /* ANPU_TEST_CENSUS_H */
