// SPDX-License-Identifier: MIT
/*
 * Byte pair encoding: a word begins as its characters; then the pair of neighbours that became a token
 * first is put together, again and again.
 */
#include "story.h"

static int character_token(const struct model *m, char c)
{
	for (unsigned int i = 0; i < m->characters; i++)
		if (m->token[i][0] == (unsigned char)c)
			return (int)i;
	return -1;
}

/* The token that two tokens make, or TOKENS */
static uint32_t pair_token(const struct model *m, uint32_t a, uint32_t b)
{
	uint32_t i;

	for (i = m->characters; i < TOKENS; i++)
		if (m->token[i][0] == a && m->token[i][1] == b)
			break;
	return i;
}

static int merge(const struct model *m, uint32_t *tokens, int count)
{
	for (;;) {
		uint32_t best = TOKENS;
		int at = 0;

		for (int i = 0; i + 1 < count; i++) {
			uint32_t made = pair_token(m, tokens[i], tokens[i + 1]);

			if (made < best) {
				best = made;
				at = i;
			}
		}
		if (best == TOKENS)
			return count;
		tokens[at] = best;
		memmove(&tokens[at + 1], &tokens[at + 2], (count - at - 2) * sizeof(*tokens));
		count--;
	}
}

/* A word has the blank before it; a line's end, or a blank that no word follows, is one by itself */
static size_t word_length(const char *text)
{
	size_t blank = *text == ' ', rest = strcspn(text + blank, " \n");

	return rest ? blank + rest : 1;
}

int to_tokens(const struct model *m, const char *text, uint32_t *tokens, int room)
{
	int count = 0;

	while (*text) {
		size_t length = word_length(text);

		if (length > (size_t)(room - count))
			return count;
		for (size_t i = 0; i < length; i++) {
			int token = character_token(m, text[i]);

			if (token < 0)
				return -1;
			tokens[count + i] = (uint32_t)token;
		}
		count += merge(m, tokens + count, (int)length);
		text += length;
	}
	return count;
}

void print_token(const struct model *m, uint32_t token)
{
	if (token < m->characters) {
		putchar(m->token[token][0]);
		return;
	}
	print_token(m, m->token[token][0]);
	print_token(m, m->token[token][1]);
}
