/* SPDX-License-Identifier: MIT */
/* <stdlib.h> for operator code: there is no heap and no process, so this is little. */
#ifndef ANPU_LIBC_STDLIB_H
#define ANPU_LIBC_STDLIB_H

#include <stddef.h>

static inline __attribute__((unused)) int abs(int a)
{
	return a < 0 ? -a : a;
}

static inline __attribute__((unused)) long labs(long a)
{
	return a < 0 ? -a : a;
}

#endif /* ANPU_LIBC_STDLIB_H */
