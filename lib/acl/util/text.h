/* SPDX-License-Identifier: MIT */
/* A text that is put together piece by piece in a buffer of the caller. */
#ifndef ANPU_TEXT_H
#define ANPU_TEXT_H

#include <stddef.h>

/** struct anpu_text - @used bytes of @size are the text; what does not fit is cut */
struct anpu_text {
	char *buf;
	size_t size;
	size_t used;
};

void anpu_text_add(struct anpu_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Puts other words in the place of words of letters, digits and underscores: @other has the one for a word of @n
 * characters, or NULL if that stays. What does not fit into @size bytes any more is cut.
 */
void anpu_text_reword(char *text, size_t size, const char *(*other)(const char *word, size_t n));

#endif /* ANPU_TEXT_H */
