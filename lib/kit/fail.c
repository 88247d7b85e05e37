// SPDX-License-Identifier: MIT
/* Sentences of failures. */
#include <stdarg.h>
#include <stdio.h>

#include "front.h"

int kit_fail(const char *api, int code, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return anpu_front_fail(api, code, text);
}
