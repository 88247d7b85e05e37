/* SPDX-License-Identifier: MIT */
/* For op_host: copies that are told how much room there is. What does not fit is not copied, and the answer is not EOK. */
#ifndef ASCENDC_SECUREC_H
#define ASCENDC_SECUREC_H
#ifndef __riscv
#include <cerrno>
#include <cstddef>
#include <cstring>

#ifndef EOK
#define EOK	0
#endif
typedef int errno_t;

static inline errno_t memcpy_s(void *dst, size_t room, const void *src, size_t count)
{
	if (!dst || !src)
		return EINVAL;
	if (count > room)
		return ERANGE;
	memmove(dst, src, count);
	return EOK;
}

static inline errno_t memmove_s(void *dst, size_t room, const void *src, size_t count)
{
	return memcpy_s(dst, room, src, count);
}

static inline errno_t memset_s(void *dst, size_t room, int value, size_t count)
{
	if (!dst)
		return EINVAL;
	if (count > room)
		return ERANGE;
	memset(dst, value, count);
	return EOK;
}

static inline errno_t strcpy_s(char *dst, size_t room, const char *src)
{
	return src ? memcpy_s(dst, room, src, strlen(src) + 1) : EINVAL;
}
#endif
#endif
