// SPDX-License-Identifier: MIT
/*
 * The four functions that a compiler may call in any program. Eight bytes at a time where both
 * sides are aligned, for the scalar unit pays per instruction.
 */
/* provides: memcpy memmove memset memcmp */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) word;

static int aligned(const void *a, const void *b)
{
	return (((uintptr_t)a | (uintptr_t)b) & 7) == 0;
}

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if (aligned(d, s)) {
		for (; n >= 32; n -= 32, d += 32, s += 32) {
			const word *from = (const word *)s;
			word *to = (word *)d;
			word a = from[0], b = from[1], c = from[2], e = from[3];

			to[0] = a;
			to[1] = b;
			to[2] = c;
			to[3] = e;
		}
		for (; n >= 8; n -= 8, d += 8, s += 8)
			*(word *)d = *(const word *)s;
	}
	for (; n; n--)
		*d++ = *s++;
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if ((uintptr_t)d - (uintptr_t)s >= n)
		return memcpy(dst, src, n);
	d += n;
	s += n;
	if (aligned(d, s))
		for (; n >= 8; n -= 8) {
			d -= 8;
			s -= 8;
			*(word *)d = *(const word *)s;
		}
	for (; n; n--)
		*--d = *--s;
	return dst;
}

void *memset(void *dst, int value, size_t n)
{
	unsigned char *d = dst;
	word pattern = (unsigned char)value * 0x0101010101010101ULL;

	for (; n && (uintptr_t)d & 7; n--)
		*d++ = (unsigned char)value;
	for (; n >= 8; n -= 8, d += 8)
		*(word *)d = pattern;
	for (; n; n--)
		*d++ = (unsigned char)value;
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}
