/* SPDX-License-Identifier: MIT */
/*
 * The private door for libraries that put another API in front of this one (lib/python, lib/kit, lib/hccl). It is not
 * installed. Tasks that they queue are declared in copy/front.h.
 */
#ifndef ANPU_FRONT_H
#define ANPU_FRONT_H

#include <stdbool.h>

#include <acl/acl.h>

#define ANPU_FRONT_CALL __attribute__((visibility("default")))

/*
 * From now on, calls of this thread that wait for streams, events or callbacks ask @wanted about every 50 ms whether
 * they are to end. They return ACL_ERROR_RT_WAIT_TIMEOUT then, and what they waited for goes on. NULL: none asks.
 */
ANPU_FRONT_CALL void anpu_front_interrupt(bool (*wanted)(void));

/*
 * @ended is told of each function that aclrtLaunchCallback() or aclrtLaunchHostFunc() queued, in a stream or in a
 * graph, when it will not run again: it has, or its task was dropped. It runs with locks held, so it calls nothing of
 * the library and waits for nothing.
 */
ANPU_FRONT_CALL void anpu_front_call_ended(void (*ended)(void (*fn)(void *), void *arg));

/*
 * Records a failure of @api, a function of the library in front, as one of this thread's: aclGetRecentErrMsg() has the
 * sentence. @api has to stay in memory. Returns @code.
 */
ANPU_FRONT_CALL aclError anpu_front_fail(const char *api, aclError code, const char *sentence);

/* Adds a sentence to those of aclGetRecentErrMsg(), as one of function @api with that API's own code */
ANPU_FRONT_CALL void anpu_front_say(const char *api, int code, const char *sentence);

/*
 * A wait of stream number @stream for the word at @addr expired, or (@addr is 0) the stream was aborted. @explain
 * writes a sentence that takes the place of the library's own and returns true, or returns false. It runs in the
 * thread that synchronises, calls nothing of the library and waits for nothing but short locks of its own.
 */
ANPU_FRONT_CALL void anpu_front_explain(bool (*explain)(uint64_t addr, int32_t stream, char *buf, size_t size));

#endif
