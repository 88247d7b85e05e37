/* SPDX-License-Identifier: MIT */
/* Writing JSON, with commas where they belong. */
#ifndef OP_JSON_H
#define OP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** struct op_json - a document that is being written; @comma: something stands before */
struct op_json {
	FILE *out;
	unsigned int depth;
	bool comma;
};

/* @key is NULL inside of arrays; @bracket is { or [ */
void op_json_open(struct op_json *j, const char *key, char bracket);
void op_json_close(struct op_json *j, char bracket);
void op_json_text(struct op_json *j, const char *key, const char *text, size_t length);
void op_json_string(struct op_json *j, const char *key, const char *text);
void op_json_number(struct op_json *j, const char *key, uint64_t value);
/** op_json_real() - "inf", "-inf" and "nan" are strings: JSON has no such numbers */
void op_json_real(struct op_json *j, const char *key, double value, int digits);
/** op_json_raw() - text that is a JSON value already */
void op_json_raw(struct op_json *j, const char *key, const char *text);
void op_json_bool(struct op_json *j, const char *key, bool value);

#endif /* OP_JSON_H */
