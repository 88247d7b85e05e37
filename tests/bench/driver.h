/* SPDX-License-Identifier: MIT */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

/**
 * bench_driver() - measure the driver's own calls
 * @node: device file
 * @irq_test: open for writing: the file of that name in the device's debugfs
 *
 * Needs noop_ioctl and guest_memcpy measured before.
 */
void bench_driver(const char *node, int irq_test);

#endif /* BENCH_DRIVER_H */
