/* SPDX-License-Identifier: MIT */
/* The thread that reads a device's events, and the output of operators. */
#ifndef ANPU_EVENTS_H
#define ANPU_EVENTS_H

#include "stream/stream.h"

/* There are threads now: exit() quietens hooks */
void anpu_watch_exit(void);
/* Starts it if it does not run */
aclError anpu_events_start(struct anpu_device *dev);
/* The same, with the thread that runs exception callbacks */
aclError anpu_events_start_faults(struct anpu_device *dev);
/* The same, with the thread that runs host functions */
aclError anpu_events_start_host(struct anpu_device *dev);
/* The same, with the stream that makes the device look at slots again */
aclError anpu_events_start_wake(struct anpu_device *dev);
/* Ends all of them, after everything that has happened was told; the device's streams have ended */
void anpu_events_end(struct anpu_device *dev);
/* A stream begins; ends: @completed is the last packet that had completed before */
void anpu_events_add(struct anpu_stream *s);
void anpu_events_remove(struct anpu_stream *s, uint64_t completed);
/* A failure of the stream is going to be returned: the hooks for it run first */
void anpu_events_await_hooks(struct anpu_stream *s);
/* They have run for one failure */
void anpu_events_hooks_done(struct anpu_device *dev);
/* What the stream remembers of a packet; false if it was overwritten */
bool anpu_task_find(const struct anpu_stream *s, uint64_t seq, struct anpu_task *out);

/* launch/print.c: output of operators ---------------------------------------------------------------- */

/* Where the device is to put it, for STREAM_CREATE; 0 if the driver knows no print buffers */
int anpu_print_start(struct anpu_device *dev, uint64_t *va);
/* Operators may run from now on: makes the ring for their texts. 0 or -errno */
int anpu_print_ring(struct anpu_device *dev);
/* Is there a ring */
bool anpu_print_active(struct anpu_device *dev);
/* Writes what has arrived to stdout */
void anpu_print_drain(struct anpu_device *dev);
void anpu_print_free(struct anpu_device *dev);

#endif /* ANPU_EVENTS_H */
