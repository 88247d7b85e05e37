// SPDX-License-Identifier: MIT
/* Writing JSON. */
#include <math.h>
#include <string.h>

#include "op/json.h"

/* Bytes of the UTF-8 character that begins here, 0 if none does */
static size_t utf8_length(const char *text, size_t left)
{
	unsigned char c = (unsigned char)*text;
	size_t n = c < 0x80		   ? 1
		   : c >= 0xc2 && c < 0xe0 ? 2
		   : c >= 0xe0 && c < 0xf0 ? 3
		   : c >= 0xf0 && c < 0xf5 ? 4
					   : 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void quote(FILE *out, const char *text, size_t length)
{
	fputc('"', out);
	for (size_t i = 0, n; i < length; i += n ? n : 1) {
		unsigned char c = (unsigned char)text[i];

		n = utf8_length(text + i, length - i);
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c < ' ')
			fprintf(out, "\\u%04x", c);
		else if (n)
			fwrite(text + i, 1, n, out);
		else /* not text; a byte for a character */
			fprintf(out, "\\u00%02x", c);
	}
	fputc('"', out);
}

static void begin(struct op_json *j, const char *key)
{
	if (j->comma)
		fputc(',', j->out);
	if (j->depth)
		fprintf(j->out, "\n%*s", (int)j->depth, "");
	j->comma = true;
	if (key) {
		quote(j->out, key, strlen(key));
		fputs(": ", j->out);
	}
}

void op_json_open(struct op_json *j, const char *key, char bracket)
{
	begin(j, key);
	fputc(bracket, j->out);
	j->depth++;
	j->comma = false;
}

void op_json_close(struct op_json *j, char bracket)
{
	j->depth--;
	if (j->comma)
		fprintf(j->out, "\n%*s", (int)j->depth, "");
	fputc(bracket == '{' ? '}' : ']', j->out);
	j->comma = true;
	if (!j->depth)
		fputc('\n', j->out);
}

void op_json_text(struct op_json *j, const char *key, const char *text, size_t length)
{
	begin(j, key);
	quote(j->out, text, length);
}

void op_json_string(struct op_json *j, const char *key, const char *text)
{
	op_json_text(j, key, text, strlen(text));
}

void op_json_number(struct op_json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->out, "%llu", (unsigned long long)value);
}

void op_json_real(struct op_json *j, const char *key, double value, int digits)
{
	if (isnan(value)) {
		op_json_string(j, key, "nan");
	} else if (isinf(value)) {
		op_json_string(j, key, value > 0 ? "inf" : "-inf");
	} else {
		begin(j, key);
		fprintf(j->out, "%.*g", digits, value);
	}
}

void op_json_raw(struct op_json *j, const char *key, const char *text)
{
	begin(j, key);
	fputs(text, j->out);
}

void op_json_bool(struct op_json *j, const char *key, bool value)
{
	op_json_raw(j, key, value ? "true" : "false");
}
