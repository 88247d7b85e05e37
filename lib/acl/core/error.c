// SPDX-License-Identifier: MIT
/*
 * Errors: for every thread the last code, and the sentences since they were last read. With
 * err_msg_mode 1 in aclInit()'s file the sentences are the process's.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/front.h"

#define MESSAGES     8
#define MESSAGE_SIZE 2560
#define DROPPED_SIZE 80

/*
 * Unread sentences. The first one is kept, as it is often the cause of all others; behind it, the oldest
 * make room for new ones.
 */
struct messages {
	unsigned int count;
	unsigned int next;     /* slot of the next sentence; the first one is in slot 0 */
	unsigned long dropped; /* sentences that had to make room */
	char message[MESSAGES][MESSAGE_SIZE];
};

struct error_state {
	aclError last;
	struct messages own;
	/* what aclGetRecentErrMsg() returned */
	char text[MESSAGES * MESSAGE_SIZE + DROPPED_SIZE];
};

static struct messages shared; /* under the lock; in process mode */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool process_mode;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread struct error_state *state;
static __thread const char *current_api = "libacl";
static __thread const void *current_caller;
/* The function of a library in front of this one, which the program has called */
static __thread const char *front_api;
/* The same for places of calls: the function, and the address in the program behind the call; NULL: the library's own */
static __thread const char *site_api;
static __thread const void *site_caller;
static __thread bool not_built; /* the failure says what the library lacks, which is no mistake */
static __thread enum acl_callback_kind callback_kind;
static atomic_bool forked;
/* Calls have nothing to look at but whether they come from a callback: no call is logged, and no fork was */
static atomic_bool plain_calls;

static void make_key(void)
{
	/* Without a key a thread's messages are not freed when it ends; nothing else is lost */
	(void)pthread_key_create(&key, free);
}

static struct error_state *get_state(void)
{
	if (!state) {
		state = calloc(1, sizeof(*state));
		if (state && !pthread_once(&key_once, make_key))
			(void)pthread_setspecific(key, state);
	}
	return state;
}

static __thread int program_cancel = PTHREAD_CANCEL_ENABLE; /* when it called the library */

int acl_uncancelled(void)
{
	int state;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

int acl_no_cancel(void)
{
	return program_cancel = acl_uncancelled();
}

void acl_leave(const int *state)
{
	int now;

	(void)pthread_setcancelstate(*state, &now);
}

void acl_cancel_allow(void)
{
	int now;

	(void)pthread_setcancelstate(program_cancel, &now);
}

void acl_cancel_forbid(void)
{
	(void)acl_uncancelled();
}

void acl_set_callback(enum acl_callback_kind kind)
{
	callback_kind = kind;
}

bool acl_in_callback(void)
{
	return callback_kind != ACL_IN_NOTHING;
}

bool acl_in_host_callback(void)
{
	return callback_kind == ACL_IN_CALLBACK;
}

const char *acl_current_api(void)
{
	return front_api ? front_api : current_api;
}

/*
 * Functions by the start of their names. The API's documents forbid memory, launches and
 * synchronisation in host callbacks, and whoever ends a device, or destroys a stream, waits for
 * callbacks. Other functions are refused by themselves when they would have to wait for a stream, or
 * for room in one.
 */
static aclError refuse_in_callback(const char *api)
{
	static const char *const host[] = {
		"aclrtMalloc",	     "aclrtFree",	  "aclrtSynchronize",
		"aclrtLaunch",	     "aclrtDestroyStream", "aclrtProcess",
		"aclrtHostRegister", "aclrtHostUnregister", "anpu_front_malloc",
	};
	static const char *const any[] = { "aclrtResetDevice", "aclrtDestroyContext",
					   "aclFinalize" };
	bool refuse = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(any); i++)
		refuse |= !strncmp(api, any[i], strlen(any[i]));
	for (i = 0; i < ARRAY_SIZE(host) && callback_kind == ACL_IN_CALLBACK; i++)
		refuse |= !strncmp(api, host[i], strlen(host[i]));
	if (!refuse)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"it was called from inside a callback of the runtime, where it could wait "
			"for that callback itself: let another thread call it after the callback "
			"has returned");
}

const char *acl_front_api(void)
{
	return front_api;
}

const char *acl_own_api(void)
{
	return current_api;
}

const void *acl_current_caller(void)
{
	return site_caller ? site_caller : current_caller;
}

static __attribute__((noinline)) aclError enter_with_checks(const char *api)
{
	if (acl_logs(ACL_DEBUG))
		acl_log(ACL_DEBUG, "called");
	else if (!atomic_load(&forked))
		atomic_store(&plain_calls, true);
	if (atomic_load(&forked))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"this process was forked from one that had used a device, and a "
				"device cannot be used from both sides of a fork(); call fork() "
				"before the first acl call, or exec() a new program");
	return callback_kind ? refuse_in_callback(api) : ACL_SUCCESS;
}

aclError acl_enter_from(const char *api, const void *caller)
{
	current_api = api;
	current_caller = caller;
	if (atomic_load_explicit(&plain_calls, memory_order_relaxed) && !callback_kind)
		return ACL_SUCCESS;
	return enter_with_checks(api);
}

void acl_error_forked(void)
{
	/* another thread may have had the lock, and is not there any more */
	atomic_store(&process_mode, false);
	atomic_store(&forked, true);
	atomic_store(&plain_calls, false);
}

void acl_error_mode(bool process)
{
	atomic_store(&process_mode, process);
}

/* The sentences of the calling thread or of the process, which are locked then */
static struct messages *take_messages(struct error_state *s)
{
	if (!atomic_load(&process_mode))
		return &s->own;
	pthread_mutex_lock(&shared_lock);
	return &shared;
}

static void give_messages(const struct messages *m)
{
	if (m == &shared)
		pthread_mutex_unlock(&shared_lock);
}

/* @shown: the code that the program gets for @code */
static void add_sentence(struct error_state *s, const char *api, int code, int shown, const char *fmt, va_list args)
{
	struct messages *m = take_messages(s);
	char *slot;
	int used;

	if (!m->count)
		m->next = 0;
	slot = m->message[m->next];
	used = snprintf(slot, MESSAGE_SIZE, "E%d %s: ", shown, api);
	vsnprintf(slot + used, MESSAGE_SIZE - used, fmt, args);
	anpu_reword(api, slot, MESSAGE_SIZE);
	m->next = m->next + 1 < MESSAGES ? m->next + 1 : 1;
	if (m->count < MESSAGES)
		m->count++;
	else
		m->dropped++;
	if (acl_logs(ACL_ERROR))
		acl_log(ACL_ERROR, slot);
	if (!not_built)
		anpu_finding_call(code, slot);
	give_messages(m);
}

void acl_latest_sentence(char *buf, size_t size)
{
	ACL_UNCANCELLED();
	struct error_state *s = get_state();
	struct messages *m;
	unsigned int newest;

	*buf = 0;
	if (!s)
		return;
	m = take_messages(s);
	newest = m->next > 1 ? m->next - 1 : m->count < MESSAGES ? 0 : MESSAGES - 1;
	if (m->count)
		snprintf(buf, size, "%s", m->message[newest]);
	give_messages(m);
}

void acl_record(aclError code, const char *fmt, ...)
{
	ACL_UNCANCELLED();
	struct error_state *s = get_state();
	const char *api = acl_current_api();
	va_list args;

	if (!s)
		return;
	va_start(args, fmt);
	add_sentence(s, api, code, anpu_shown_code(api, code), fmt, args);
	va_end(args);
	s->last = code;
}

void acl_record_for(const char *api, int code, const char *fmt, ...)
{
	ACL_UNCANCELLED();
	struct error_state *s = get_state();
	va_list args;

	if (!s)
		return;
	va_start(args, fmt);
	add_sentence(s, api, code, code, fmt, args);
	va_end(args);
}

void anpu_front_name(const char *name)
{
	front_api = name;
}

void anpu_front_site(const char *api, const void *caller)
{
	site_api = api;
	site_caller = caller;
}

const char *acl_site_api(void)
{
	return site_caller ? site_api : acl_current_api();
}

bool anpu_front_in_callback(void)
{
	return acl_in_host_callback();
}

aclError acl_last_failure(void)
{
	/* without memory for the state there is no place for the code either */
	return state ? state->last : ACL_ERROR_BAD_ALLOC;
}

aclError acl_unbuilt(const char *api)
{
	current_api = api;
	not_built = true;
	acl_record(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"%s is declared but not built in this version; Documentation/status.md "
			"lists what is",
			api);
	not_built = false;
	return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

aclError anpu_front_fail(const char *api, aclError code, const char *sentence)
{
	current_api = api;
	return acl_fail(code, "%s", sentence);
}

aclError acl_refused(const char *api, const char *why)
{
	current_api = api;
	not_built = true;
	acl_record(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s is not supported: %s", api, why);
	not_built = false;
	return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

const char *acl_bytes(uint64_t n, char *buf)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)n;
	unsigned int u = 0;

	while (v >= 1024 && u + 1 < ARRAY_SIZE(unit)) {
		v /= 1024;
		u++;
	}
	snprintf(buf, 16, v == (uint64_t)v ? "%.0f %s" : "%.1f %s", v, unit[u]);
	return buf;
}

/* The newest first, the first one last; false if there are none */
static bool read_messages(struct messages *m, char *text)
{
	bool some = m->count != 0;
	unsigned int i, slot = m->next;

	for (i = 1; i < m->count; i++) {
		slot = slot > 1 ? slot - 1 : MESSAGES - 1;
		text += sprintf(text, "%s\n", m->message[slot]);
	}
	if (m->dropped)
		text += snprintf(text, DROPPED_SIZE, "(%lu messages between these were dropped)\n",
				 m->dropped);
	if (some)
		strcpy(text, m->message[0]);
	m->count = 0;
	m->dropped = 0;
	return some;
}

const char *aclGetRecentErrMsg(void)
{
	/* in process mode a thread that has not failed reads what others have left */
	struct error_state *s = atomic_load(&process_mode) ? get_state() : state;
	struct messages *m;
	bool some;

	if (!s)
		return NULL;
	m = take_messages(s);
	some = read_messages(m, s->text);
	give_messages(m);
	return some ? s->text : NULL;
}

static aclError last_error(aclrtLastErrLevel level, bool clear)
{
	aclError last;

	if (level != ACL_RT_THREAD_LEVEL)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"level is %d and only ACL_RT_THREAD_LEVEL (0) exists", (int)level);
	if (!state)
		return ACL_SUCCESS;
	last = state->last;
	if (clear)
		state->last = ACL_SUCCESS;
	return last;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
	current_api = __func__;
	return last_error(level, false);
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
	current_api = __func__;
	return last_error(level, true);
}
