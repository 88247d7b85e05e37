/* SPDX-License-Identifier: MIT */
/* Used by every file: small macros, and errors with their sentences. */
#ifndef ANPU_BASE_H
#define ANPU_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl.h>

#include "core/trace.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define min_u64(a, b)                        \
	({                                   \
		uint64_t a_ = (a), b_ = (b); \
		a_ < b_ ? a_ : b_;           \
	})
#define max_u64(a, b)                        \
	({                                   \
		uint64_t a_ = (a), b_ = (b); \
		a_ > b_ ? a_ : b_;           \
	})
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

static inline uint64_t align_up(uint64_t v, uint64_t a)
{
	return (v + a - 1) & ~(a - 1);
}

/* error.c: what went wrong, per thread ------------------------------------------------------- */

/*
 * A thread is not cancelled inside of the library, where it may hold locks, but in the few places that
 * wait for another thread of the program, or run its functions: between acl_cancel_allow() and
 * acl_cancel_forbid(), with the state that the program had set. A short function, which can reach no
 * cancellation point of the C library, does not change the thread's state: that costs two atomic
 * operations. What it shares with long functions, and needs only when something fails or ends, changes
 * the state for itself (ACL_UNCANCELLED()). tests/unit/lib/cancel.py looks for what short functions reach.
 */
int acl_no_cancel(void);
int acl_uncancelled(void);
void acl_leave(const int *state);
void acl_cancel_allow(void);
void acl_cancel_forbid(void);

/*
 * Notes the public function that runs, for messages; fails in the child of a process that had used
 * a device
 */
aclError acl_enter_from(const char *api, const void *caller);
#define acl_enter(api) acl_enter_from(api, __builtin_return_address(0))
/* The function's time goes into the timeline, if one is recorded */
static inline int acl_traced_enter(const char *api)
{
	if (!anpu_traces())
		return 0;
	anpu_trace_enter(api);
	return 1;
}
static inline void acl_traced_leave(const int *entered)
{
	if (__builtin_expect(*entered, 0))
		anpu_trace_leave();
}
#define ACL_ENTER_SHORT()                                                       \
	int acl_traced_ __attribute__((cleanup(acl_traced_leave), unused)) =    \
		acl_traced_enter(__func__);                                     \
	do {                                           \
		aclError enter_ = acl_enter(__func__); \
		if (enter_)                            \
			return enter_;                 \
	} while (0)
#define ACL_ENTER()                                                            \
	int acl_cancel_ __attribute__((cleanup(acl_leave), unused)) = acl_no_cancel(); \
	ACL_ENTER_SHORT()
#define ACL_UNCANCELLED() \
	int acl_cancel_ __attribute__((cleanup(acl_leave), unused)) = acl_uncancelled()

/* Records code and sentence for this thread; a macro, so that the compiler sees it is not 0 */
#define acl_fail(code, ...)                     \
	({                                      \
		aclError code_ = (code);        \
		acl_record(code_, __VA_ARGS__); \
		code_;                          \
	})
void acl_record(aclError code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A sentence of a library in front of this one, whose codes are its own: aclrtGetLastError() has none */
void acl_record_for(const char *api, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The public function that this thread runs, or ran last, and the address in the program behind the call */
const char *acl_current_api(void);
/* That of a library in front of this one, or NULL; and this library's own, whatever a front calls it */
const char *acl_front_api(void);
const char *acl_own_api(void);
const void *acl_current_caller(void);
/* The function that goes with that address */
const char *acl_site_api(void);
/* The code of this thread's last acl_fail(), for callers of helpers that return a pointer */
aclError acl_last_failure(void);
/* The newest sentence of the thread that it has not read; "" if there is none */
void acl_latest_sentence(char *buf, size_t size);
/* Fails with 207000 for a function that lib/api.list does not call built */
aclError acl_unbuilt(const char *api);
/* Fails with 207000 for a function that lib/api.list says the device cannot have */
aclError acl_refused(const char *api, const char *why);
/*
 * log.c: a line of the library's own for the log, if the environment says where that is; at DEBUG each call
 * is a line, at ERROR each failure
 */
bool acl_logs(aclLogLevel level);
void acl_log(aclLogLevel level, const char *text);
/* Sentences are kept for the process and not for each thread */
void acl_error_mode(bool process);
/* This process is the child of one that used a device: all its calls fail from now on */
void acl_error_forked(void);
/* "12.5 MiB" for messages; buf of at least 16 bytes */
const char *acl_bytes(uint64_t n, char *buf);

#define ACL_CHECK_PTR(p)                                                            \
	do {                                                                        \
		if (!(p))                                                           \
			return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", #p); \
	} while (0)

#endif /* ANPU_BASE_H */
