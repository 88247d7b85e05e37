// SPDX-License-Identifier: MIT
/*
 * The choice of an engine: the kernel's driver, or the device model in this process (lib/direct), which
 * is a library of its own, so that programs that do not use it do not map it.
 *
 * ANPU_DEVICE chooses: driver, direct, or server, the same model in a process for several. Without, a machine whose kernel has a node for this
 * driver uses that, and so does one where the direct engine is not installed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <drm/anpu_accel.h>

#include "core/core.h"
#include "core/engine.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct anpu_engine *chosen;
static char missing[640]; /* why the engine that ANPU_DEVICE asks for cannot be had */

/* The engine of a process that asks for one that it cannot have: it has no devices ------------- */

static uint64_t none_nodes(void)
{
	return 0;
}

static void none_why(char *text, size_t size)
{
	snprintf(text, size, "%s", missing);
}

static const struct anpu_engine none_engine = { .nodes = none_nodes, .why = none_why };

/* The direct engine ----------------------------------------------------------------------------- */

static void *open_beside(const char *file)
{
	const char *slash = strrchr(file, '/');
	char path[PATH_MAX];

	if (!slash || (size_t)(slash - file) + sizeof("/" ANPU_DIRECT_LIBRARY) > sizeof(path))
		return NULL;
	snprintf(path, sizeof(path), "%.*s/" ANPU_DIRECT_LIBRARY, (int)(slash - file), file);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Beside this library, or beside the file that it is a link to, and then wherever libraries are found */
static void *open_library(char *why, size_t size)
{
	char file[PATH_MAX];
	void *library = NULL;
	Dl_info here;

	if (dladdr(&chosen, &here) && here.dli_fname) {
		library = open_beside(here.dli_fname);
		if (!library && realpath(here.dli_fname, file))
			library = open_beside(file);
	}
	if (!library)
		library = dlopen(ANPU_DIRECT_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		snprintf(why, size, "%s", dlerror());
	return library;
}

static const struct anpu_engine *direct_engine(const char *symbol, char *why, size_t size)
{
	const struct anpu_engine *engine, *(*get)(void);
	void *library = open_library(why, size);

	if (!library)
		return NULL;
	get = (const struct anpu_engine *(*)(void))dlsym(library, symbol);
	engine = get ? get() : NULL;
	if (engine && engine->version == ANPU_ENGINE_VERSION)
		return engine;
	snprintf(why, size, ANPU_DIRECT_LIBRARY " is of another version than this library");
	return NULL;
}

/* The choice ------------------------------------------------------------------------------------ */

/* A node that may not be opened counts as this driver's if it is, which sysfs tells */
static bool is_ours(unsigned int number)
{
	char path[64], vendor[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/accel/accel%u/device/vendor", number);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(vendor, sizeof(vendor), f))
		vendor[0] = 0;
	fclose(f);
	return !strncmp(vendor, "0x1234", 6);
}

static bool driver_has_node(void)
{
	uint64_t nodes = anpu_driver_engine.nodes();
	struct anpu_node node;

	for (; nodes; nodes &= nodes - 1) {
		unsigned int number = __builtin_ctzll(nodes);
		int err = anpu_node_open_by(&anpu_driver_engine, &node, number);

		if (!err)
			anpu_node_close(&node);
		if (!err || err == -EPROTO || (err != -ENXIO && is_ours(number)))
			return true;
	}
	return false;
}

/* NULL: the wish is for none of the engines in the library */
static const char *symbol_of(const char *wish)
{
	if (!strcmp(wish, "direct"))
		return ANPU_DIRECT_SYMBOL;
	return !strcmp(wish, "server") || !strncmp(wish, "server:", 7) ? ANPU_SERVER_SYMBOL : NULL;
}

static void choose(void)
{
	const char *wish = getenv("ANPU_DEVICE"), *symbol = wish ? symbol_of(wish) : NULL;
	char why[400] = "";

	if (symbol) {
		chosen = direct_engine(symbol, why, sizeof(why));
		snprintf(missing, sizeof(missing),
			 "ANPU_DEVICE is %.60s, and the device model cannot be had: %s", wish, why);
		if (!chosen)
			chosen = &none_engine;
		return;
	}
	if (wish && *wish && strcmp(wish, "driver"))
		fprintf(stderr,
			"anpu: ANPU_DEVICE is '%s' and must be driver (the kernel's), direct (the device "
			"model in this process) or server (in anpu-server): it is ignored\n",
			wish);
	chosen = &anpu_driver_engine;
	if ((wish && !strcmp(wish, "driver")) || driver_has_node())
		return;
	chosen = direct_engine(ANPU_DIRECT_SYMBOL, why, sizeof(why));
	if (chosen)
		fprintf(stderr,
			"anpu: no NPU driver on this machine: the device model runs in this process "
			"(ANPU_DEVICE=direct asks for that, ANPU_DEVICE=driver turns it off)\n");
	else
		chosen = &anpu_driver_engine;
}

const struct anpu_engine *anpu_engine(void)
{
	pthread_once(&once, choose);
	return chosen;
}
