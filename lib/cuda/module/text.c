// SPDX-License-Identifier: MIT
/*
 * Images as text, which anpucc -ptx writes: PTX is text, and programs read it into strings, which end at the first zero. The first line is
 * MARK and the number of bytes, each further one has up to 57 of them in base 64, as RFC 4648 has it.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/module/module.h"

#define MARK	 "// operator file of anpucc as text: "
#define MOST	 (1ull << 31)

static int digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Decodes up to @n bytes; returns how many there were */
static size_t decode(const char *text, const char *end, uint8_t *out, size_t n)
{
	unsigned int bits = 0, have = 0;
	size_t count = 0;

	for (; text < end && count < n; text++) {
		int d = digit(*text);

		if (*text == '\n' || *text == '\r')
			continue;
		if (d < 0)
			break;
		bits = bits << 6 | (unsigned int)d;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		out[count++] = (uint8_t)(bits >> have);
	}
	return count;
}

CUresult cu_text_image(const void *image, size_t room, struct cu_image *out)
{
	const char *text = image;
	unsigned long long size;
	size_t length, got;
	char *number;

	*out = (struct cu_image){ 0 };
	if (room < sizeof(MARK) || strncmp(text, MARK, sizeof(MARK) - 1))
		return CUDA_SUCCESS;
	length = room == SIZE_MAX ? strlen(text) : strnlen(text, room);
	size = length < room ? strtoull(text + sizeof(MARK) - 1, &number, 10) : 0;
	if (!size || size > MOST)
		return cu_fail(CUDA_ERROR_INVALID_IMAGE, "the image is text of anpucc -ptx without a number of bytes in its first line, or "
							 "without a zero at its end");
	out->data = calloc(1, size + CU_IMAGE_HEADER);
	if (!out->data)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an image of %llu bytes", size);
	out->size = size;
	got = decode(number, text + length, out->data, size);
	if (got == size)
		return CUDA_SUCCESS;
	free(out->data);
	*out = (struct cu_image){ 0 };
	return cu_fail(CUDA_ERROR_INVALID_IMAGE, "the image is text of anpucc -ptx for %llu bytes, of which it has %zu", size, got);
}
