/* SPDX-License-Identifier: MIT */
/*
 * The room diag: what a failure is called, who is told of it, and notes of overflow.
 *
 * Uses: core, device, memory, stream, copy, sync, launch.
 */
#ifndef ANPU_DIAG_H
#define ANPU_DIAG_H

#include "launch/launch.h"
#include "sync/sync.h"

/* diag/overflow.c: where the device is to note overflows, for STREAM_CREATE; 0 if it does not */
int anpu_overflow_start(struct anpu_device *dev, uint64_t *va);
void anpu_overflow_free(struct anpu_device *dev);
/* Overflows of the stream's kernels are noted, or not; @name of the value for messages */
aclError anpu_overflow_switch(struct anpu_stream *s, uint32_t on, const char *name);
/* They are noted for the streams of this process that have the same tag; 0 is none */
aclError anpu_overflow_tag(struct anpu_stream *s, uint32_t tag);

/* diag/fault.c: from a fault record to a code and a sentence */
aclError anpu_fault_code(const struct anpu_fault *fault);
void anpu_fault_text(struct anpu_device *dev, const struct anpu_fault *fault, char *buf, size_t n);
/* The oldest failure from @from to @to whose record is still there */
bool anpu_fault_read(struct anpu_stream *s, uint64_t from, uint64_t to, struct anpu_fault *out);

/* diag/exception.c --------------------------------------------------------------------------------- */

/* Is there any hook */
bool anpu_exceptions_wanted(void);
/* A device was opened: starts the thread that runs its hooks, if there is any hook */
aclError anpu_exceptions_opened(struct anpu_device *dev);
/* The binary ends, and its hook with it */
void anpu_exception_forget(struct anpu_binary *bin);
/*
 * A task of the stream failed; with @s NULL the device did. Calls the hooks in the device's thread.
 * Its events_lock is held
 */
void anpu_exception_tell(struct anpu_device *dev, const struct anpu_stream *s,
			 const struct anpu_fault *fault);

#endif /* ANPU_DIAG_H */
