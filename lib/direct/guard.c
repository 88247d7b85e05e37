// SPDX-License-Identifier: MIT
/*
 * Memory of the program that may go away while it is used. The kernel's driver pins pages; this engine
 * cannot, so an access that finds no page ends what the thread was doing, and is reported.
 *
 * The engine's handler of SIGSEGV and SIGBUS looks whether its own thread is inside guard_run(); any
 * other signal is given to the handler that was there before. A program that installs its handler
 * later takes the place of the engine's, which guard_rearm() takes back, with the program's behind it.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "direct.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

struct guard {
	sigjmp_buf back;
	uint64_t addr;
};

static __thread struct guard *volatile current HANDLER_TLS;
/* The signal that is being given to the program's handler, and the engine's frame that does it */
static __thread const siginfo_t *passing HANDLER_TLS;
static __thread uintptr_t passing_frame HANDLER_TLS;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const int caught[] = { SIGSEGV, SIGBUS };
/* Handlers of the program: what was there first, and what was there last */
static struct sigaction first[ARRAY_SIZE(caught)], before[ARRAY_SIZE(caught)];

static bool (*_Atomic may_repeat)(const void *addr);

void guard_ask(bool (*repeat)(const void *addr))
{
	atomic_store(&may_repeat, repeat);
}

/* Hands the signal to a handler, or to the default action, as the kernel would have done without the engine. */
static void give_to(const struct sigaction *sa, int sig, siginfo_t *info, void *context)
{
	if (sa->sa_flags & SA_SIGINFO) {
		sa->sa_sigaction(sig, info, context);
	} else if (sa->sa_handler != SIG_DFL && sa->sa_handler != SIG_IGN) {
		sa->sa_handler(sig);
	} else {
		/* the access is repeated when the handler returns, and ends the process */
		struct sigaction dfl = { .sa_handler = SIG_DFL };

		sigaction(sig, &dfl, NULL);
		if (info->si_code <= 0) /* sent by a process: nothing is repeated */
			raise(sig);
	}
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	unsigned int i = sig == caught[0] ? 0 : 1;
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	struct guard *g = current;
	bool (*repeat)(const void *addr) = atomic_load(&may_repeat);

	if (repeat && sig == SIGSEGV && info->si_code > 0 && repeat(info->si_addr))
		return;
	if (g && info->si_code > 0) {
		g->addr = (uintptr_t)info->si_addr;
		current = NULL;
		siglongjmp(g->back, 1);
	}
	/*
	 * A handler of the program that was installed over the engine's may give the signal back: it
	 * is the same one, deeper in the stack. A handler that was left by longjmp() left no trace but
	 * the two variables, and the next signal comes at the same depth or with another record.
	 */
	if (passing == info && frame < passing_frame) {
		give_to(&first[i], sig, info, context);
		return;
	}
	passing = info;
	passing_frame = frame;
	give_to(&before[i], sig, info, context);
	passing = NULL;
}

static void install(unsigned int i)
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	struct sigaction old;

	sa.sa_sigaction = on_fault;
	sigemptyset(&sa.sa_mask);
	if (sigaction(caught[i], NULL, &old))
		return;
	if (old.sa_flags & SA_SIGINFO && old.sa_sigaction == on_fault)
		return;
	before[i] = old;
	/* the program's handler may want the rest of its flags, too */
	sa.sa_flags |= old.sa_flags & SA_RESTART;
	(void)sigaction(caught[i], &sa, NULL);
}

void guard_rearm(void)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < ARRAY_SIZE(caught); i++)
		install(i);
	pthread_mutex_unlock(&lock);
}

void guard_init(void)
{
	guard_rearm();
	memcpy(first, before, sizeof(first));
}

bool guard_run(void *ctx, void (*fn)(void *arg), void *arg, uint64_t *addr)
{
	struct guard g;
	struct guard *outer = current;
#if defined(__x86_64__)
	unsigned int mode = _mm_getcsr();
#endif

	if (sigsetjmp(g.back, 0)) {
#if defined(__x86_64__)
		_mm_setcsr(mode);
#endif
		current = outer;
		*addr = g.addr;
		return false;
	}
	current = &g;
	fn(arg);
	current = outer;
	return true;
}

struct guard *guard_suspend(void)
{
	struct guard *g = current;

	current = NULL;
	return g;
}

void guard_resume(struct guard *g)
{
	current = g;
}

/* Copies of the program's memory ---------------------------------------------------------------- */

struct copy {
	void *to;
	const void *from;
	size_t size;
};

static void do_copy(void *arg)
{
	const struct copy *c = arg;

	memcpy(c->to, c->from, c->size);
}

int guard_copy(void *to, const void *from, size_t size)
{
	struct copy c = { to, from, size };
	uint64_t addr;

	return guard_run(NULL, do_copy, &c, &addr) ? 0 : -EFAULT;
}

struct touch {
	uint8_t *at;
	uint64_t size;
	bool write;
};

static void do_touch(void *arg)
{
	const struct touch *t = arg;

	for (uint64_t i = 0; i < t->size; i += PAGE) {
		/* adding nothing makes the page the process's own, as a pin for writing does */
		if (t->write)
			__atomic_fetch_or(t->at + i, 0, __ATOMIC_RELAXED);
		else
			(void)*(volatile uint8_t *)(t->at + i);
	}
}

int guard_touch(void *at, uint64_t size, bool write)
{
	struct touch t = { at, size, write };
	uint64_t addr;

	return guard_run(NULL, do_touch, &t, &addr) ? 0 : -EFAULT;
}

int guard_element(void *to, size_t size, const struct drm_anpu_array *array, uint32_t i)
{
	const uint8_t *from = (const uint8_t *)(uintptr_t)array->array + (uint64_t)i * array->stride;
	uint8_t all[DRM_ANPU_MAX_STRIDE] = { 0 };

	if (!array->stride)
		return -EINVAL;
	if (array->stride > sizeof(all))
		return -E2BIG;
	if (guard_copy(all, from, array->stride))
		return -EFAULT;
	for (size_t n = size; n < array->stride; n++)
		if (all[n])
			return -E2BIG;
	memcpy(to, all, size);
	return 0;
}

void copy_text(char *to, size_t size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(to, size, fmt, args);
	va_end(args);
}
