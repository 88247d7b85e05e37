// SPDX-License-Identifier: MIT
/*
 * The end of the process: threads of the library begin no function of the program after exit() was
 * called, because what that function uses may be destroyed already.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "core/core.h"

static atomic_bool exiting;

static void note_exit(void)
{
	atomic_store(&exiting, true);
}

void anpu_watch_exit(void)
{
	static atomic_bool done;

	if (!atomic_exchange(&done, true))
		(void)atexit(note_exit);
}

bool anpu_exiting(void)
{
	return atomic_load(&exiting);
}
