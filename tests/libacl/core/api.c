// SPDX-License-Identifier: MIT
/*
 * All 404 functions of the API exist in the library and can be called; those that are not built say
 * so. The names come from lib/api.list, which is the table that Documentation/status.md is made of.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>

#include "../acltest.h"

#define LIST		"lib/api.list"
#define FUNCTIONS	404

struct function {
	char name[80];
	char state[256];
	char prototype[400];
};

static struct function functions[FUNCTIONS + 100];

static int read_list(void)
{
	char line[1024];
	FILE *f = fopen(LIST, "r");
	int n = 0;

	CHECK(f);
	while (fgets(line, sizeof(line), f)) {
		struct function *fn = &functions[n];
		char category[40], priority[8];

		if (line[0] == '#' || line[0] == '\n')
			continue;
		CHECK(n < FUNCTIONS + 100);
		if (sscanf(line, "%79[^\t]\t%39[^\t]\t%7[^\t]\t%255[^\t]\t%399[^\t]", fn->name, category,
			   priority, fn->state, fn->prototype) != 5)
			FAIL("cannot read %s", line);
		n++;
	}
	fclose(f);
	return n;
}

/* Enough zeros for any of them: six in registers, the rest on the stack; no floats needed */
typedef long any_function(long, long, long, long, long, long, long, long, long, long, long, long,
			  long, long, long, long);

static long call(void *symbol)
{
	any_function *fn;

	memcpy(&fn, &symbol, sizeof(fn));
	return fn(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void all_are_in_the_library(void)
{
	int n = read_list(), missing = 0;

	CHECK_EQ(n, FUNCTIONS);
	for (int i = 0; i < n; i++) {
		if (!dlsym(RTLD_DEFAULT, functions[i].name)) {
			tap_note("missing: %s", functions[i].name);
			missing++;
		}
	}
	CHECK_EQ(missing, 0);
}

static void those_not_built_say_so(void)
{
	int n = read_list(), checked = 0;

	start();
	for (int i = 0; i < n; i++) {
		const struct function *fn = &functions[i];
		bool code = !strncmp(fn->prototype, "aclError ", 9);
		const char *msg;
		long ret;

		if (!strcmp(fn->state, "built"))
			continue;
		aclGetRecentErrMsg();
		ret = call(dlsym(RTLD_DEFAULT, fn->name));
		if (code && (aclError)ret != ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
			FAIL("%s returned %d", fn->name, (aclError)ret);
		if (strchr(fn->prototype, '*') && strchr(fn->prototype, '*') <
		    strchr(fn->prototype, '(') && ret)
			FAIL("%s returned %lx, not NULL", fn->name, ret);
		msg = aclGetRecentErrMsg();
		if (!msg || !strstr(msg, fn->name) || !strstr(msg, "not"))
			FAIL("message of %s: %s", fn->name, msg ? msg : "(none)");
		checked++;
	}
	tap_note("%d functions are not built", checked);
}

/* With nothing but zeros a built function fails in an orderly way, or needs no arguments */
static void built_ones_survive_zeros(void)
{
	static volatile long made; /* what some return; still reachable, so no leak */
	int n = read_list(), checked = 0;

	for (int i = 0; i < n; i++) {
		int status;
		pid_t pid;

		if (strcmp(functions[i].state, "built"))
			continue;
		fflush(stdout);
		pid = fork();
		if (!pid) {
			start();
			made = call(dlsym(RTLD_DEFAULT, functions[i].name));
			(void)made;
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			FAIL("%s(0, ...) ended the process with wait status 0x%x", functions[i].name,
			     status);
		checked++;
	}
	CHECK_OP(checked, >=, 28);
}

static void the_first_part_is_built(void)
{
	static const char *const first[] = {
		"aclInit", "aclFinalize", "aclrtGetDeviceCount", "aclrtSetDevice", "aclrtGetDevice",
		"aclrtResetDevice", "aclrtResetDeviceForce", "aclrtGetRunMode", "aclrtGetSocName",
		"aclrtCreateStream", "aclrtDestroyStream", "aclrtSynchronizeStream",
		"aclrtSynchronizeDevice", "aclrtMalloc", "aclrtFree", "aclrtMallocHost",
		"aclrtFreeHost", "aclrtGetMemInfo", "aclrtMemcpy", "aclrtMemcpyAsync", "aclrtMemset",
		"aclrtMemsetAsync", "aclrtBinaryLoadFromFile", "aclrtBinaryLoadFromData",
		"aclrtBinaryGetFunction", "aclrtBinaryUnLoad", "aclrtLaunchKernel",
		"aclrtLaunchKernelWithHostArgs", "aclGetRecentErrMsg",
	};
	int n = read_list();

	for (size_t k = 0; k < sizeof(first) / sizeof(first[0]); k++) {
		int i = 0;

		while (i < n && strcmp(functions[i].name, first[k]))
			i++;
		if (i == n || strcmp(functions[i].state, "built"))
			FAIL("%s is not built", first[k]);
	}
}

static int is_posix_acl(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (strstr(info->dlpi_name, "libacl.so.1"))
		*(bool *)data = true;
	return 0;
}

static void it_is_not_mistaken_for_posix_acls(void)
{
	bool found = false;

	dl_iterate_phdr(is_posix_acl, &found);
	CHECK(!found);
}

TAP_MAIN(TEST(all_are_in_the_library),
	 TEST(the_first_part_is_built),
	 TEST(those_not_built_say_so),
	 TEST_SECONDS(built_ones_survive_zeros, 120),
	 TEST(it_is_not_mistaken_for_posix_acls))
