/* SPDX-License-Identifier: MIT */
/*
 * The room core: what a library for any device would have. Errors with their sentences, the registry
 * of handles, aclInit() and aclFinalize(), hooks that other libraries register.
 *
 * Uses: util.
 */
#ifndef ANPU_CORE_H
#define ANPU_CORE_H

#include <pthread.h>

#include "core/base.h"
#include "core/front.h"
#include "core/finding.h"
#include "core/handle.h"
#include "core/node.h"
#include "core/trace.h"
#include "core/waits.h"
#include "util/util.h"

/* error.c: which function of the program the calling thread is inside of ----------------------- */

/* Some calls are refused there, because they would wait for the function itself */
enum acl_callback_kind {
	ACL_IN_NOTHING,
	ACL_IN_CALLBACK, /* aclrtLaunchCallback(), aclrtLaunchHostFunc() */
	ACL_IN_EXCEPTION /* aclrtExceptionInfoCallbackRegister() */
};
void acl_set_callback(enum acl_callback_kind kind);
bool acl_in_callback(void);
/* The stream of such a one may wait for it */
bool acl_in_host_callback(void);

/* copies.c: a sentence if the process has a second copy of the library, else an empty one */
const char *acl_other_copy(char *buf, size_t size);

/* exit.c: to be called before a thread starts that runs functions of the program */
void anpu_watch_exit(void);
/* exit() was called: no function of the program begins from now on */
bool anpu_exiting(void);

/* init.c: what aclFinalize() ends, once; rooms.c names it. The first failure of a task, or 0 */
extern aclError (*const anpu_process_end)(void);

/* misc.c: ANPU_CHECK=1 is in the environment: operators are looked at for mistakes */
bool anpu_checking(void);

/* init.c: the device of threads that set none, from aclInit()'s file, or -1 */
int anpu_default_device(void);
/* The process ends: in the checking mode, tells that aclFinalize() was not called */
void anpu_init_left(void);
/* aclrtSetDevice() begins: in the checking mode, a finding if the program has not called aclInit() */
void anpu_init_missing(void);

/* hooks.c: what other libraries want done at aclInit() and aclFinalize() ------------------------ */

/* Calls the hooks in order, up to the first that fails; with the text of aclInit()'s file or NULL */
aclError anpu_hooks_init(const char *config, size_t size);
/* Calls all hooks, the last one first; the first failure */
aclError anpu_hooks_finalize(void);

/* states.c: calls the hooks of other libraries; no lock held ------------------------------------- */

void anpu_tell_device_state(int32_t id, aclrtDeviceState state);
/* 507000 if a hook returned something else than 0 */
aclError anpu_tell_abort(int32_t id, aclrtDeviceTaskAbortStage stage, uint32_t timeout);
void anpu_tell_stream_state(aclrtStream stream, aclrtStreamState state);

/* front.c: libraries in front of this one, see front.h --------------------------------------- */

/* Does this thread's front want to be asked; does it want the wait to end */
bool anpu_interruptible(void);
bool anpu_interrupted(void);
/* A wait ended because anpu_interrupted() said so */
aclError anpu_fail_interrupted(void);
/* The thread is about to sleep in a call that launches something */
void anpu_about_to_sleep(void);
/* A function of aclrtLaunchCallback() or aclrtLaunchHostFunc() does not run again */
void anpu_call_ended(void (*fn)(void *), void *arg);
/* Tells a front that an allocation or a registration ends */
void anpu_tell_memory_ended(uint64_t addr);
/* Has a front a sentence for a wait that expired, or (@addr is 0) for a stream that was aborted */
bool anpu_explain(uint64_t addr, int32_t stream, char *buf, size_t size);
/* A sentence of @api, a function of a front, in the front's words; and that function's name as programs write it */
void anpu_reword(const char *api, char *text, size_t size);
const char *anpu_api_name(const char *api);
/* The code that such a sentence begins with */
int anpu_shown_code(const char *api, aclError code);

#endif /* ANPU_CORE_H */
