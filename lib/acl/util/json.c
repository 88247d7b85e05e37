// SPDX-License-Identifier: MIT
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/json.h"

struct reader {
	const char *start;
	const char *at;
	const char *end;
	anpu_json_value value;
	void *user;
	char *why;
	size_t why_size;
	struct anpu_json_text keys[ANPU_JSON_DEPTH];
	unsigned int depth;
};

static int refuse(struct reader *r, const char *what)
{
	unsigned int line = 1, column = 1;
	const char *p;

	for (p = r->start; p < r->at; p++) {
		column = *p == '\n' ? 1 : column + 1;
		line += *p == '\n';
	}
	snprintf(r->why, r->why_size, "line %u, column %u: %s", line, column, what);
	return -1;
}

static int peek(const struct reader *r)
{
	return r->at < r->end ? (unsigned char)*r->at : -1;
}

static void skip_space(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(int c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int read_escape(struct reader *r)
{
	int c = peek(r), i;

	if (c < 0 || !c || !strchr("\"\\/bfnrtu", c))
		return refuse(r, "unknown escape in a string");
	r->at++;
	for (i = 0; c == 'u' && i < 4; i++, r->at++)
		if (!is_hex(peek(r)))
			return refuse(r, "\\u needs four hexadecimal digits");
	return 0;
}

/* At the opening quote; leaves the text between the quotes in @out */
static int read_string(struct reader *r, struct anpu_json_text *out)
{
	out->at = ++r->at;
	for (;;) {
		int c = peek(r);

		if (c < 0)
			return refuse(r, "the file ends inside a string");
		if (c < 0x20)
			return refuse(r, "a string contains a control character");
		r->at++;
		if (c == '"')
			break;
		if (c == '\\' && read_escape(r))
			return -1;
	}
	out->size = r->at - 1 - out->at;
	return 0;
}

static int read_digits(struct reader *r)
{
	if (!is_digit(peek(r)))
		return refuse(r, "a digit is missing in a number");
	while (is_digit(peek(r)))
		r->at++;
	return 0;
}

static int read_number(struct reader *r, struct anpu_json_text *out)
{
	out->at = r->at;
	if (peek(r) == '-')
		r->at++;
	if (peek(r) == '0')
		r->at++;
	else if (read_digits(r))
		return -1;
	if (peek(r) == '.') {
		r->at++;
		if (read_digits(r))
			return -1;
	}
	if (peek(r) == 'e' || peek(r) == 'E') {
		r->at++;
		if (peek(r) == '+' || peek(r) == '-')
			r->at++;
		if (read_digits(r))
			return -1;
	}
	out->size = r->at - out->at;
	return 0;
}

static int read_word(struct reader *r, struct anpu_json_text *out)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		out->at = r->at;
		out->size = strlen(words[i]);
		if ((size_t)(r->end - r->at) >= out->size && !memcmp(r->at, words[i], out->size)) {
			r->at += out->size;
			return 0;
		}
	}
	return refuse(r, peek(r) < 0 ? "the file ends where a value should be"
				     : "this is no JSON value");
}

static int read_value(struct reader *r);

static int read_member(struct reader *r)
{
	if (peek(r) != '"')
		return refuse(r, "a name in double quotes should be here");
	if (read_string(r, &r->keys[r->depth - 1]))
		return -1;
	skip_space(r);
	if (peek(r) != ':')
		return refuse(r, "a colon is missing behind a name");
	r->at++;
	return 0;
}

/* An object or an array, at its opening bracket */
static int read_group(struct reader *r, bool object)
{
	int close = object ? '}' : ']';

	if (r->depth == ANPU_JSON_DEPTH)
		return refuse(r, "the file is nested more than 10 deep");
	r->keys[r->depth++] = (struct anpu_json_text){ "", 0 };
	r->at++;
	skip_space(r);
	if (peek(r) != close) {
		for (;;) {
			skip_space(r);
			if (object && read_member(r))
				return -1;
			if (read_value(r))
				return -1;
			skip_space(r);
			if (peek(r) != ',')
				break;
			r->at++;
		}
	}
	if (peek(r) != close)
		return refuse(r, peek(r) < 0 ? "the file ends before a closing bracket"
					     : "a comma or a closing bracket is missing");
	r->at++;
	r->depth--;
	return 0;
}

static int read_value(struct reader *r)
{
	struct anpu_json_text text = { "", 0 };
	enum anpu_json_kind kind;
	int c, err = 0;

	skip_space(r);
	c = peek(r);
	kind = c == '{'			 ? ANPU_JSON_OBJECT
	       : c == '['		 ? ANPU_JSON_ARRAY
	       : c == '"'		 ? ANPU_JSON_STRING
	       : c == '-' || is_digit(c) ? ANPU_JSON_NUMBER
					 : ANPU_JSON_WORD;
	if (kind == ANPU_JSON_STRING)
		err = read_string(r, &text);
	else if (kind == ANPU_JSON_NUMBER)
		err = read_number(r, &text);
	else if (kind == ANPU_JSON_WORD)
		err = read_word(r, &text);
	if (!err && r->value)
		err = r->value(r->user, r->keys, r->depth, kind, text);
	if (!err && kind <= ANPU_JSON_ARRAY)
		err = read_group(r, kind == ANPU_JSON_OBJECT);
	return err;
}

int anpu_json_read(const char *text, size_t size, anpu_json_value value, void *user, char *why,
		   size_t why_size)
{
	struct reader r = {
		.start = text,
		.at = text,
		.end = text + size,
		.value = value,
		.user = user,
		.why = why,
		.why_size = why_size,
	};

	if (read_value(&r))
		return -1;
	skip_space(&r);
	if (r.at != r.end)
		return refuse(&r, "something follows the end of the JSON text");
	return 0;
}
