// SPDX-License-Identifier: MIT
/* Other words for words of a sentence (util/text.h). */
#include <stdlib.h>
#include <string.h>

#include "util/text.h"
#include "tap.h"

static const char *other(const char *word, size_t n)
{
	if (n == 4 && !memcmp(word, "free", n))
		return "release_it";
	if (n == 10 && !memcmp(word, "release_it", n))
		return "free";
	return n == 6 && !memcmp(word, "freeze", n) ? "ice" : NULL;
}

/* Rewords @text in a buffer of @size bytes, in memory that ends there */
static void becomes(const char *text, size_t size, const char *want)
{
	char *buf = malloc(size);

	CHECK(buf && strlen(text) < size);
	strcpy(buf, text);
	anpu_text_reword(buf, size, other);
	if (strcmp(buf, want))
		FAIL("'%s' became '%s'", text, buf);
	free(buf);
}

static void whole_words_are_replaced_once(void)
{
	becomes("", 1, "");
	becomes("free", 20, "release_it");
	becomes("release_it()", 20, "free()");
	becomes("call free(), not freed or un_free; freeze", 60, "call release_it(), not freed or un_free; ice");
	becomes("free free release_it.", 60, "release_it release_it free.");
}

static void what_has_no_room_is_cut(void)
{
	becomes("free them", 10, "free them");
	becomes("free them", 11, "release_it");
	becomes("free them", 13, "release_it t");
	becomes("a free b free", 16, "a release_it b ");
	becomes("a free b free", 20, "a release_it b free");
}

TAP_MAIN(TEST(whole_words_are_replaced_once), TEST(what_has_no_room_is_cut))
