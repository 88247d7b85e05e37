// SPDX-License-Identifier: MIT
/*
 * Questions and news for a library in front of this one.
 */
#include <stdatomic.h>

#include "core/core.h"
#include "core/front.h"

static __thread bool (*interrupt_wanted)(void);
/* Once wanted, the rest of the call's waits end without asking */
static __thread bool interrupt_pending;
static _Atomic(void (*)(void (*)(void *), void *)) call_ended;

void anpu_front_interrupt(bool (*wanted)(void))
{
	interrupt_wanted = wanted;
	interrupt_pending = false;
}

void anpu_front_call_ended(void (*ended)(void (*fn)(void *), void *arg))
{
	atomic_store(&call_ended, ended);
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
