/* SPDX-License-Identifier: MIT */
#ifndef BENCH_COPIES_H
#define BENCH_COPIES_H

/**
 * bench_copies() - measure aclrtMemcpy() of 4 KiB, 1 MiB and 64 MiB
 * @floor_4k: floor of the copies of 4 KiB, in nanoseconds
 * @floor_1m: of 1 MiB, in MB/s
 * @floor_64m: of 64 MiB, in MB/s
 *
 * The calling thread has a device.
 */
void bench_copies(const char *floor_4k, const char *floor_1m, const char *floor_64m);

#endif /* BENCH_COPIES_H */
