/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RUNTIME_H
#define BENCH_RUNTIME_H

/**
 * bench_runtime() - measure libacl's calls: launches, events, graphs, callbacks
 * @operators: folder with empty.o
 *
 * The calling thread has a device. Needs noop_ioctl, submit_one and driver_launch_sync measured before.
 */
void bench_runtime(const char *operators);

#endif /* BENCH_RUNTIME_H */
