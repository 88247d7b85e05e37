/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions in streams: what callback.c (launches), calls.c (lists), turn.c (the threads that run
 * them) and report.c (the program's threads) share.
 */
#ifndef ANPU_CALLS_H
#define ANPU_CALLS_H

#include "sync/sync.h"

struct anpu_reporter {
	struct anpu_reporter *next; /* reporters of the program's threads */
	uint64_t thread_id;	    /* pthread_self(); 0 for a thread of the runtime */
	pthread_t thread;	    /* of the runtime; another one when a function has ended it */
	struct anpu_device *dev;    /* a device of its streams; compared, never followed */
	pthread_cond_t cond;
	_Atomic unsigned int signals; /* threads that signal cond without the lock */
	struct anpu_call *first, *last;
	struct anpu_call *running;
	uint32_t streams; /* bound to it */
	uint32_t calls;	  /* in streams' lists and its queue */
	bool busy;	  /* its thread is in aclrtProcessReport() */
	bool lost;	  /* its device is gone: nothing more will come */
	bool stop;
	bool ended; /* its thread runs no more calls, and has no successor */
};

/* Protects reporters, their calls, and the last part of struct anpu_stream */
extern pthread_mutex_t anpu_calls_lock;

/* calls.c -------------------------------------------------------------------------------------- */

/* A reporter in no list; NULL without memory */
struct anpu_reporter *anpu_reporter_new(void);
void anpu_reporter_free(struct anpu_reporter *r);

/* The reporter of a thread of the program, or NULL; lock held */
struct anpu_reporter *anpu_reporter_find(uint64_t thread_id);
/* A new one for a thread that has none; NULL after acl_fail(); lock held */
struct anpu_reporter *anpu_reporter_add(uint64_t thread_id);
/* Frees the reporter of a thread of the program that has no streams and nothing to do; lock held */
void anpu_reporter_drop_if_idle(struct anpu_reporter *r);

/* Puts a call behind the stream's others, before its NOTIFY is submitted, which may execute at once */
aclError anpu_call_add(struct anpu_stream *s, struct anpu_call *call, bool block, uint64_t *done);
/* Takes back the newest call, whose packet was not submitted */
void anpu_call_take_back(struct anpu_stream *s, struct anpu_call *call);
/* Frees a call that has returned or never runs; lock held */
void anpu_call_release(struct anpu_call *call);

/* turn.c --------------------------------------------------------------------------------------- */

/* Waits for a call and runs it in this thread; lock held, and released whichever way this ends */
aclError anpu_reporter_serve(struct anpu_reporter *r, int64_t deadline);

#endif /* ANPU_CALLS_H */
