// SPDX-License-Identifier: MIT
/*
 * Texts of several pieces.
 */
#include <stdarg.h>
#include <stdio.h>

#include "core/text.h"

void anpu_text_add(struct anpu_text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	if (t->used >= t->size)
		return;
	va_start(args, fmt);
	n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, args);
	va_end(args);
	t->used += n > 0 ? (size_t)n : 0;
}
