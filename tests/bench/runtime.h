/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RUNTIME_H
#define BENCH_RUNTIME_H

/**
 * struct bench_floors - names of the figures that those of libacl's calls stand beside, on one engine
 * @call: the cheapest call of the engine
 * @submit: the engine's call that submits a packet
 * @sync: what a thread that waits for the device cannot go below
 * @driver_sync: a kernel submitted and waited for without libacl, NULL if that was not measured
 * @round_trip: what a callback cannot go below
 * @launches: the figure launch_100 of this engine
 */
struct bench_floors {
	const char *call;
	const char *submit;
	const char *sync;
	const char *driver_sync;
	const char *round_trip;
	const char *launches;
};

/**
 * bench_runtime() - measure libacl's calls: launches, events, graphs, callbacks
 * @operators: folder with empty.o
 * @floors: measured by the same make bench
 *
 * The calling thread has a device.
 */
void bench_runtime(const char *operators, const struct bench_floors *floors);

#endif /* BENCH_RUNTIME_H */
