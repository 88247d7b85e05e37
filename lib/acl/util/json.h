/* SPDX-License-Identifier: MIT */
/*
 * A reader for aclInit()'s configuration: checks a whole JSON text (RFC 8259, nested at most
 * ANPU_JSON_DEPTH deep) and shows every value with the keys that lead to it. It exists because the
 * library depends on nothing but the C library and libdrm, and because a message that says line and
 * column is what the user of a configuration file needs.
 */
#ifndef ANPU_JSON_H
#define ANPU_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ANPU_JSON_DEPTH 10

enum anpu_json_kind {
	ANPU_JSON_OBJECT,
	ANPU_JSON_ARRAY,
	ANPU_JSON_STRING,
	ANPU_JSON_NUMBER,
	ANPU_JSON_WORD /* true, false, null */
};

/* A piece of the text: a string without its quotes, escapes as written; a number; a word */
struct anpu_json_text {
	const char *at;
	size_t size;
};

static inline bool anpu_json_is(struct anpu_json_text t, const char *s)
{
	return t.size == strlen(s) && !memcmp(t.at, s, t.size);
}

/*
 * Called for every value; keys[0 .. depth - 1] lead to it, array elements have empty keys. Returns
 * 0, or -1 after writing a reason.
 */
typedef int (*anpu_json_value)(void *user, const struct anpu_json_text *keys, unsigned int depth,
			       enum anpu_json_kind kind, struct anpu_json_text value);

/* Returns 0, or -1 with a sentence in @why */
int anpu_json_read(const char *text, size_t size, anpu_json_value value, void *user, char *why,
		   size_t why_size);

#endif /* ANPU_JSON_H */
