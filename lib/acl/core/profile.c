// SPDX-License-Identifier: MIT
/*
 * "profiler" in aclInit()'s configuration: {"switch": "on", "output": FOLDER} records a timeline from aclInit() to aclFinalize(), as
 * aclprofStart() does for a part of a program.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/profile.h"

static atomic_bool begun;
static char file[PATH_MAX + 64]; /* where it is written, while it is begun */

/* Paths are taken as they stand, but for characters that JSON lets one escape for no reason */
static bool copy_path(char *to, size_t size, struct anpu_json_text from)
{
	size_t i, n = 0;

	for (i = 0; i < from.size && n < size - 1; i++) {
		if (from.at[i] == '\\' && (++i == from.size || !strchr("/\\\"", from.at[i])))
			return false;
		to[n++] = from.at[i];
	}
	to[n] = 0;
	return i == from.size;
}

int anpu_profile_option(struct anpu_profile *p, struct anpu_json_text key, enum anpu_json_kind kind, struct anpu_json_text value,
			char *why, size_t why_size)
{
	if (anpu_json_is(key, "switch")) {
		p->on = kind == ANPU_JSON_STRING && anpu_json_is(value, "on");
	} else if (anpu_json_is(key, "output") && (kind != ANPU_JSON_STRING || !copy_path(p->folder, sizeof(p->folder), value))) {
		snprintf(why, why_size, "profiler.output must be the path of a folder, of at most %zu bytes and without other escapes "
			 "than \\\\, \\\" and \\/", sizeof(p->folder) - 1);
		return -1;
	}
	return 0;
}

static bool writable_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && !access(path, W_OK | X_OK);
}

aclError anpu_profile_begin(const struct anpu_profile *p)
{
	static atomic_uint files;
	const char *folder = *p->folder ? p->folder : ".";
	int err;

	if (!p->on)
		return ACL_SUCCESS;
	if (!writable_folder(folder)) {
		fprintf(stderr, "anpu: profiler.output of aclInit()'s configuration, '%s', is no folder that this program can write to: "
			"the timeline is written to the current folder\n", folder);
		folder = ".";
	}
	snprintf(file, sizeof(file), "%s/anpu_%d_init_%u.json", folder, getpid(), atomic_fetch_add(&files, 1));
	err = anpu_trace_begin(file);
	if (err == -EBUSY) /* that timeline has all that this one would have */
		return ACL_SUCCESS;
	if (err)
		return acl_fail(ACL_ERROR_INVALID_PROFILING_CONFIG, "profiler in aclInit()'s configuration asks for a timeline, and "
				"'%.255s' cannot be written: %s", file, strerror(-err));
	atomic_store(&begun, true);
	return ACL_SUCCESS;
}

aclError anpu_profile_end(void)
{
	int err;

	if (!atomic_exchange(&begun, false))
		return ACL_SUCCESS;
	err = anpu_trace_end();
	return err ? acl_fail(ACL_ERROR_PROFILING_FAILURE, "the timeline '%.255s' cannot be written: %s", file, strerror(-err))
		   : ACL_SUCCESS;
}
