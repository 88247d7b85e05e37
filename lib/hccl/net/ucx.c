// SPDX-License-Identifier: MIT
/*
 * Loads UCX. By itself it takes SIGSEGV and its like to print where a program has failed; the device model of
 * ANPU_DEVICE=direct needs them, so they are given back at once.
 */
#include <dlfcn.h>

#include "net/ucx.h"

#ifdef HCCL_HAVE_UCX

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct hccl_ucx table;
static const char *missing;

static void *find(void *lib, const char *name)
{
	void *at = dlsym(lib, name);

	if (!at && !missing)
		missing = name;
	return at;
}

static void load(void)
{
	void *lib = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
	void (*give_back)(void);

	if (!lib) {
		missing = "libucp.so.0";
		return;
	}
	/* POSIX lets functions be void pointers, and C does not */
#define LOAD(name) *(void **)&table.name = find(lib, "ucp_" #name);
	HCCL_UCP_CALLS(LOAD)
	*(void **)&table.status_string = find(lib, "ucs_status_string");
	*(void **)&give_back = dlsym(lib, "ucs_debug_disable_signals");
	if (give_back)
		give_back();
}

const struct hccl_ucx *hccl_ucx_load(void)
{
	pthread_once(&once, load);
	if (!missing)
		return &table;
	hccl_fail(HCCL_E_NOT_SUPPORT, "ranks are on several machines, which needs UCX, and %s is not there: install Debian's "
		  "libucx0", missing);
	return NULL;
}

#endif
