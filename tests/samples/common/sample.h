/* SPDX-License-Identifier: MIT */
/*
 * Shared by the samples, for C and C++: a check of every call, and where their operators are.
 *
 * A failed call ends the program with what the runtime says about it. Nothing has to be given back
 * for that: the driver takes everything back from a process that ends.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>

static inline void sample_failed(const char *file, int line, const char *call, aclError code)
{
	/* The newest sentence of this thread comes first; reading clears them */
	const char *text = aclGetRecentErrMsg();

	fprintf(stderr, "%s:%d: %s failed with %d: %s\n", file, line, call, code,
		text && *text ? text : "(no message)");
	exit(EXIT_FAILURE);
}

#define CHECK(call)                                                              \
	do {                                                                     \
		aclError code_ = (call);                                         \
		if (code_ != ACL_SUCCESS)                                        \
			sample_failed(__FILE__, __LINE__, #call, code_);         \
	} while (0)

/* Loads the operator file NAME.o that lies beside the program */
static inline aclrtBinHandle sample_load(const char *argv0, const char *name)
{
	const char *slash = strrchr(argv0, '/');
	int directory = slash ? (int)(slash - argv0) + 1 : 0;
	aclrtBinHandle binary = NULL;
	char path[4096];

	snprintf(path, sizeof(path), "%.*s%s.o", directory, argv0, name);
	CHECK(aclrtBinaryLoadFromFile(path, NULL, &binary));
	return binary;
}

static inline aclrtFuncHandle sample_function(aclrtBinHandle binary, const char *name)
{
	aclrtFuncHandle function = NULL;

	CHECK(aclrtBinaryGetFunction(binary, name, &function));
	return function;
}

static inline void *sample_device_memory(size_t size)
{
	void *memory = NULL;

	CHECK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
	return memory;
}

#endif /* SAMPLE_H */
