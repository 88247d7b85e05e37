// SPDX-License-Identifier: MIT
/*
 * Questions and news for a library in front of this one.
 */
#include <stdatomic.h>
#include <string.h>

#include "core/core.h"

static __thread bool (*interrupt_wanted)(void);
/* Once wanted, the rest of the call's waits end without asking */
static __thread bool interrupt_pending;
static _Atomic(void (*)(void)) sleeps;
static _Atomic(void (*)(void (*)(void *), void *)) call_ended;
static _Atomic(bool (*)(uint64_t, int32_t, char *, size_t)) explainer;
static _Atomic(void (*)(uint64_t)) memory_ended;
static _Atomic(const char *(*)(const char *, size_t)) words;
static const char *words_prefix; /* written once, before words, as what follows */
static int (*words_code)(aclError);

void anpu_front_interrupt(bool (*wanted)(void))
{
	interrupt_wanted = wanted;
	interrupt_pending = false;
}

void anpu_front_call_ended(void (*ended)(void (*fn)(void *), void *arg))
{
	atomic_store(&call_ended, ended);
}

void anpu_front_sleep(void (*about)(void))
{
	atomic_store(&sleeps, about);
}

void anpu_about_to_sleep(void)
{
	void (*about)(void) = atomic_load(&sleeps);

	if (about)
		about();
}

bool anpu_interruptible(void)
{
	return interrupt_wanted != NULL;
}

bool anpu_interrupted(void)
{
	if (interrupt_wanted && !interrupt_pending)
		interrupt_pending = interrupt_wanted();
	return interrupt_pending;
}

aclError anpu_fail_interrupted(void)
{
	return acl_fail(ACL_ERROR_RT_WAIT_TIMEOUT,
			"a signal ended the wait; what it waited for goes on, and can be waited for again");
}

void anpu_call_ended(void (*fn)(void *), void *arg)
{
	void (*ended)(void (*)(void *), void *) = atomic_load(&call_ended);

	if (ended)
		ended(fn, arg);
}

void anpu_front_say(const char *api, int code, const char *sentence)
{
	acl_record_for(api, code, "%s", sentence);
}

void anpu_front_latest(char *buf, size_t size)
{
	acl_latest_sentence(buf, size);
}

void anpu_front_explain(bool (*explain)(uint64_t addr, int32_t stream, char *buf, size_t size))
{
	atomic_store(&explainer, explain);
}

void anpu_front_memory_ended(void (*ended)(uint64_t addr))
{
	atomic_store(&memory_ended, ended);
}

void anpu_tell_memory_ended(uint64_t addr)
{
	void (*ended)(uint64_t) = atomic_load(&memory_ended);

	if (ended)
		ended(addr);
}

bool anpu_explain(uint64_t addr, int32_t stream, char *buf, size_t size)
{
	bool (*explain)(uint64_t, int32_t, char *, size_t) = atomic_load(&explainer);

	return explain && explain(addr, stream, buf, size);
}

void anpu_front_words(const char *prefix, const char *(*other)(const char *word, size_t n), int (*code)(aclError code))
{
	words_prefix = prefix;
	words_code = code;
	atomic_store(&words, other);
}

/* The front's words, if @api is a function of it */
static const char *(*words_of(const char *api))(const char *, size_t)
{
	const char *(*other)(const char *, size_t) = atomic_load(&words);

	return other && !strncmp(api, words_prefix, strlen(words_prefix)) ? other : NULL;
}

void anpu_reword(const char *api, char *text, size_t size)
{
	const char *(*other)(const char *, size_t) = words_of(api);

	if (other)
		anpu_text_reword(text, size, other);
}

const char *anpu_api_name(const char *api)
{
	const char *(*other)(const char *, size_t) = words_of(api);
	const char *name = other ? other(api, strlen(api)) : NULL;

	return name ? name : api;
}

int anpu_shown_code(const char *api, aclError code)
{
	return words_of(api) ? words_code(code) : code;
}
