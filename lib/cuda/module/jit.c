// SPDX-License-Identifier: MIT
/*
 * Options of the run-time compiler. There is nothing to compile, so what they ask for has no effect, times are 0 and the
 * log of information is empty; the error log has the sentence that tells why an image was refused.
 */
#include <stdio.h>
#include <string.h>

#include "cuda/module/module.h"

/* A result takes the place of the option's value */
static void answer(void **value, CUjit_option option)
{
	const float none = 0;

	if (option == CU_JIT_WALL_TIME)
		memcpy(value, &none, sizeof(none));
	else if (option == CU_JIT_INFO_LOG_BUFFER && *value)
		*(char *)*value = '\0';
	else if (option == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
		*value = NULL;
}

CUresult cu_jit_begin(struct cu_jit *jit, unsigned int n, const CUjit_option *options, void **values)
{
	unsigned int i;

	*jit = (struct cu_jit){ 0 };
	if (n && (!options || !values))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%u options are announced, and options or values are NULL", n);
	for (i = 0; i < n; i++)
		if ((unsigned int)options[i] >= CU_JIT_NUM_OPTIONS)
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "option %u is %d, which is none", i, (int)options[i]);
	for (i = 0; i < n; i++) {
		answer(&values[i], options[i]);
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			jit->log = values[i];
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
			/* programs write an unsigned int there, in the whole word or in its first half */
			jit->room = (unsigned int)(uintptr_t)values[i];
			jit->used = &values[i];
		}
	}
	return cu_jit_end(jit, CUDA_SUCCESS);
}

CUresult cu_jit_end(const struct cu_jit *jit, CUresult ret)
{
	char text[1024] = "";

	if (ret)
		anpu_front_latest(text, sizeof(text));
	if (jit->log && jit->room)
		snprintf(jit->log, jit->room, "%s", text);
	if (jit->used)
		*jit->used = jit->log && jit->room ? CU_PTR(strlen(jit->log)) : NULL;
	return ret;
}
