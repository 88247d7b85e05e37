/* SPDX-License-Identifier: MIT */
/* Functions of the program that threads run: callbacks, host functions, exception hooks. */
#ifndef ANPU_CALLBACK_H
#define ANPU_CALLBACK_H

#include "stream/stream.h"

/* What the calling thread is inside of; some functions are refused there, because they would wait
 * for the callback itself */
enum acl_callback_kind {
	ACL_IN_NOTHING,
	ACL_IN_CALLBACK, /* aclrtLaunchCallback(), aclrtLaunchHostFunc() */
	ACL_IN_EXCEPTION /* aclrtExceptionInfoCallbackRegister() */
};
void acl_set_callback(enum acl_callback_kind kind);
bool acl_in_callback(void);

/* callback.c: functions that threads run ------------------------------------------------------ */

struct anpu_call {
	struct anpu_call *next;
	struct anpu_reporter *reporter;
	struct anpu_stream *stream; /* NULL once it has ended, and for exceptions */
	uint64_t context;	    /* for threads of the runtime */
	uint64_t seq;		    /* of the NOTIFY packet */
	uint64_t done;		    /* value of the slot when it has returned; 0: does not block */
	void (*fn)(void *arg);
	void *arg;
	enum acl_callback_kind kind;
};

/* A thread of the runtime that runs calls; NULL if none can be made */
struct anpu_reporter *anpu_reporter_start(void);
/* Runs what is queued, then ends the thread, if there is one, and stores NULL */
void anpu_reporter_end(struct anpu_reporter **where);
/* Queues a call, which the thread frees */
void anpu_reporter_push(struct anpu_reporter *r, struct anpu_call *call);
/* The device is gone: the program's threads that wait for its callbacks are told */
void anpu_reporters_lost(struct anpu_device *dev);
/* The stream has executed packets up to @seq: its calls until there are due */
void anpu_calls_reached(struct anpu_stream *s, uint64_t seq);
/* Packets from @first to @last were dropped: their calls never run */
void anpu_calls_drop(struct anpu_stream *s, uint64_t first, uint64_t last);
/* The stream ends: calls that were not reached never run */
void anpu_calls_end(struct anpu_stream *s);

/* diag/exception.c --------------------------------------------------------------------------------- */

struct anpu_binary;

/* Is there any hook */
bool anpu_exceptions_wanted(void);
/* The binary ends, and its hook with it */
void anpu_exception_forget(struct anpu_binary *bin);
/* The process exits: no hook begins from now on, because what it uses may be destroyed */
void anpu_exceptions_stop(void);
/*
 * A task of the stream failed; with @s NULL the device did. Calls the hooks in the device's thread.
 * Its events_lock is held
 */
void anpu_exception_tell(struct anpu_device *dev, const struct anpu_stream *s,
			 const struct anpu_fault *fault);

#endif /* ANPU_CALLBACK_H */
