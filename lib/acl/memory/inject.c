// SPDX-License-Identifier: MIT
/*
 * Allocations that fail because the user asks for it: the faults alloc@FIRST[-[LAST]] of the plan in ANPU_INJECT. The device
 * takes the plan's other faults (Documentation/inject.md); memory is given out by libacl and the driver, so these are here.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory/memory.h"

#define PLAN_MAX 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char plan[PLAN_MAX]; /* under lock, as what follows */
static uint64_t seen;
static struct timespec changed;

/* A plan in a file begins anew when the file changes */
static void read_file(const char *path)
{
	struct stat st;
	FILE *f;
	size_t n;

	if (stat(path, &st) || (st.st_mtim.tv_sec == changed.tv_sec && st.st_mtim.tv_nsec == changed.tv_nsec))
		return;
	f = fopen(path, "re");
	if (!f)
		return;
	changed = st.st_mtim;
	n = fread(plan, 1, sizeof(plan) - 1, f);
	plan[n] = 0;
	seen = 0;
	fclose(f);
}

/* Has the plan a fault for allocation @n? A plan that is wrong is told by the device */
static bool planned(const char *at, uint64_t n)
{
	while (at && *at) {
		unsigned long long first, last;
		char dash = 0;
		int got = sscanf(at, "alloc@%llu%c%llu", &first, &dash, &last);

		if (got >= 1 && dash != '-')
			last = first;
		else if (got == 2)
			last = UINT64_MAX;
		if (got >= 1 && n >= first && n <= last)
			return true;
		at = strchr(at, '+');
		at += at != NULL;
	}
	return false;
}

aclError anpu_planned_failure(uint64_t size)
{
	const char *text = getenv("ANPU_INJECT");
	char want[16];
	uint64_t n;
	bool fails;

	if (!text)
		return ACL_SUCCESS;
	pthread_mutex_lock(&lock);
	if (*text == '@')
		read_file(text + 1);
	else if (!*plan)
		snprintf(plan, sizeof(plan), "%s", text);
	n = ++seen;
	fails = planned(plan, n);
	pthread_mutex_unlock(&lock);
	if (!fails)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"allocation %llu, of %s, fails because ANPU_INJECT has alloc@ with this number",
			(unsigned long long)n, acl_bytes(size, want));
}
