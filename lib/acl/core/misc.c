// SPDX-License-Identifier: MIT
/*
 * Small things that need no device: element sizes, half precision, data buffers, ANPU_CHECK.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

#define HALF_MAX_BITS 0x7bff /* 65504 */

struct aclDataBuffer {
	void *data;
	size_t size;
};

size_t aclDataTypeSize(aclDataType dataType)
{
	switch (dataType) {
	case ACL_INT8:
	case ACL_UINT8:
	case ACL_BOOL:
	case ACL_HIFLOAT8:
	case ACL_FLOAT8_E5M2:
	case ACL_FLOAT8_E4M3FN:
	case ACL_FLOAT8_E8M0:
		return 1;
	case ACL_FLOAT16:
	case ACL_BF16:
	case ACL_INT16:
	case ACL_UINT16:
		return 2;
	case ACL_FLOAT:
	case ACL_INT32:
	case ACL_UINT32:
	case ACL_COMPLEX32:
		return 4;
	case ACL_DOUBLE:
	case ACL_INT64:
	case ACL_UINT64:
	case ACL_COMPLEX64:
		return 8;
	case ACL_COMPLEX128:
		return 16;
	default:
		return 0;
	}
}

float aclFloat16ToFloat(aclFloat16 value)
{
	uint32_t sign = (uint32_t)(value & 0x8000) << 16, exponent = value >> 10 & 0x1f;
	uint32_t mantissa = value & 0x3ff, bits;
	float f;

	if (!exponent) {
		f = (float)mantissa * 0x1p-24f;
		return sign ? -f : f;
	}
	/* the largest exponent is no infinity or NaN here: such values become finite numbers */
	bits = sign | (exponent + 112) << 23 | mantissa << 13;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

aclFloat16 aclFloatToFloat16(float value)
{
	uint32_t bits, sign, rest, shift, half;
	int exponent;

	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	bits &= 0x7fffffff;
	/* what rounds to 65520 or more, and NaN, becomes the largest half */
	if (bits >= 0x477ff000)
		return sign | HALF_MAX_BITS;
	exponent = (int)(bits >> 23) - 112;
	if (exponent <= 0) { /* subnormal: shift the mantissa with its leading one */
		if (exponent < -10)
			return sign;
		bits = (bits & 0x7fffff) | 0x800000;
		shift = 14 - exponent;
	} else {
		bits -= 112U << 23;
		shift = 13;
	}
	half = bits >> shift;
	rest = bits & ((1U << shift) - 1);
	if (rest > 1U << (shift - 1) || (rest == 1U << (shift - 1) && (half & 1)))
		half++;
	return sign | half;
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
	aclDataBuffer *buffer;

	if (acl_enter(__func__))
		return NULL;
	buffer = malloc(sizeof(*buffer));
	if (!buffer) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a data buffer");
		return NULL;
	}
	buffer->data = data;
	buffer->size = size;
	return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(dataBuffer);
	free((void *)(uintptr_t)dataBuffer);
	return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(dataBuffer);
	dataBuffer->data = data;
	dataBuffer->size = size;
	return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
	return dataBuffer ? dataBuffer->data : NULL;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
	return dataBuffer ? (uint32_t)dataBuffer->size : 0;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
	return dataBuffer ? dataBuffer->size : 0;
}

/* The checking mode ---------------------------------------------------------------------------- */

static bool checking;
static pthread_once_t check_once = PTHREAD_ONCE_INIT;

static void read_check(void)
{
	ACL_UNCANCELLED();
	const char *env = getenv("ANPU_CHECK");

	if (!env || !*env || !strcmp(env, "0"))
		return;
	checking = !strcmp(env, "1");
	if (!checking)
		fprintf(stderr,
			"anpu: ANPU_CHECK is '%s' and must be 1 (look for mistakes of the program "
			"and its operators) or 0: it is "
			"ignored\n",
			env);
}

bool anpu_checking(void)
{
	pthread_once(&check_once, read_check);
	return checking;
}

bool anpu_front_checking(void)
{
	return anpu_checking();
}
