// SPDX-License-Identifier: MIT
/*
 * Texts of several pieces.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

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

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n;
}

void anpu_text_reword(char *text, size_t size, const char *(*other)(const char *word, size_t n))
{
	char *at = text;

	while (*at) {
		size_t n = word_length(at), room = size - (size_t)(at - text), m, rest;
		const char *word = n ? other(at, n) : NULL;

		if (!word) {
			at += n ? n : 1;
			continue;
		}
		m = strlen(word);
		if (m >= room)
			break;
		rest = strnlen(at + n, room - m - 1);
		memmove(at + m, at + n, rest);
		at[m + rest] = 0;
		memcpy(at, word, m);
		at += m;
	}
}
