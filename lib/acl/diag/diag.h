/* SPDX-License-Identifier: MIT */
/*
 * The room diag: what a failure is called, who is told of it, and notes of overflow.
 *
 * Uses: util, core, device, memory, stream, copy, sync, launch.
 */
#ifndef ANPU_DIAG_H
#define ANPU_DIAG_H

#include <stdio.h>

#include "launch/launch.h"
#include "sync/sync.h"

/* fault.c: from a fault record to a code and a sentence */
aclError anpu_fault_code(const struct anpu_fault *fault);
/* @task: the stream's record of the task, or NULL if it has none any more */
void anpu_fault_text(struct anpu_device *dev, const struct anpu_fault *fault,
		     const struct anpu_task *task, char *buf, size_t n);

/*
 * hang.c: "; stream 3: 4 of 9 tasks have run; the next ... waits for ..." of a stream that is not idle, and of
 * those that it waits for; else an empty text
 */
void anpu_hang_text(struct anpu_stream *s, char *buf, size_t size);
/* Streams of all devices that are not idle, and threads of the program that wait in the library, a line each */
void anpu_hang_report(FILE *to);

/* hangask.c: a device is opened, so reports can be asked for; it ends. With ANPU_HANG_SIGNAL the signal is handled meanwhile */
aclError anpu_hang_watch(struct anpu_device *dev);
void anpu_hang_watch_end(struct anpu_device *dev);

/*
 * Questions to other rooms, whose functions rooms.c has.
 * @graph_waits	the graph that task @seq of the stream executes, and the waits in it; false: it is none
 */
struct anpu_diag_hooks {
	bool (*graph_waits)(struct anpu_stream *s, uint64_t seq, char *buf, size_t size);
};
extern const struct anpu_diag_hooks anpu_diag_hooks;

/* timeline.c: tells STREAM_CREATE where the device is to record, if a timeline is wanted. 0 or -errno */
int anpu_timeline_start(struct anpu_device *dev, struct drm_anpu_stream_create *create);
void anpu_timeline_free(struct anpu_device *dev);
/* Takes what the device has recorded so far, @now or only if it is much; that of all devices */
void anpu_timeline_read(struct anpu_device *dev, bool now);
void anpu_timeline_collect(void);
/* A stream is to end, is about to; a binary ends */
void anpu_timeline_stream_leaves(struct anpu_stream *s);
void anpu_timeline_stream_ends(struct anpu_stream *s, uint64_t completed);
void anpu_timeline_forget(struct anpu_binary *bin);

/* mark.c: the text of a mark that aclrtProfTrace() has queued as this task; NULL if the task is none */
const char *anpu_mark_of(uint32_t task);

/* exception.c --------------------------------------------------------------------------------- */

/* Is an exception callback registered */
bool anpu_exceptions_wanted(void);
/* A device was opened: starts the thread that runs its hooks, if there is any hook */
aclError anpu_exceptions_opened(struct anpu_device *dev);
/* A binary ends: unregisters its exception callback */
void anpu_exception_forget(struct anpu_binary *bin);
/*
 * A task of the stream failed; with @s NULL the device did. Calls the hooks in the device's thread.
 * Its events_lock is held
 */
void anpu_exception_tell(struct anpu_device *dev, const struct anpu_stream *s,
			 const struct anpu_fault *fault);

#endif /* ANPU_DIAG_H */
