// SPDX-License-Identifier: MIT
/* The reader of aclInit()'s configuration. */
#include "util/json.h"
#include "tap.h"

static char why[200];

static int read_text(const char *text)
{
	*why = 0;
	return anpu_json_read(text, strlen(text), NULL, NULL, why, sizeof(why));
}

static void accepts(void)
{
	static const char *const good[] = {
		"{}",
		" { } ",
		"[]",
		"0",
		"-1.5e+3",
		"true",
		"null",
		"\"\\u00e4\\n\"",
		"\"\\u0aAf\\uF9a0\"",
		"[1,2,[3,{\"a\":false}]]",
		"{\"a\":{\"b\":[{}]},\"c\":\"\"}",
		"[[[[[[[[[[]]]]]]]]]]",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (read_text(good[i]))
			FAIL("%s: %s", good[i], why);
}

static void refuses(void)
{
	static const char *const bad[] = {
		"",
		" ",
		"{",
		"}",
		"[1,]",
		"{\"a\"}",
		"{\"a\":}",
		"{a:1}",
		"01",
		"1.",
		"-",
		"1e",
		"+1",
		"\"",
		"\"\n\"",
		"\"\\x\"",
		"\"\\u12g4\"",
		"\"\\u12G4\"",
		"\"\\u12@4\"",
		"tru",
		"nul",
		"{} {}",
		"[1 2]",
		"{\"a\":1,}",
		"[[[[[[[[[[[]]]]]]]]]]]",
		"'a'",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!read_text(bad[i]))
			FAIL("'%s' was accepted", bad[i]);
		if (strncmp(why, "line ", 5))
			FAIL("'%s' gives no place: %s", bad[i], why);
	}
}

static void tells_the_place(void)
{
	CHECK(read_text("{\n  \"a\": 1,\n  \"b\": x\n}"));
	CHECK(strstr(why, "line 3, column 8"));
}

static int collect(void *user, const struct anpu_json_text *keys, unsigned int depth,
		   enum anpu_json_kind kind, struct anpu_json_text value)
{
	char *out = user;

	for (unsigned int i = 0; i < depth; i++)
		sprintf(out + strlen(out), "%.*s.", (int)keys[i].size, keys[i].at);
	sprintf(out + strlen(out), "=%d:%.*s;", kind, (int)value.size, value.at);
	return 0;
}

static void shows_values_with_keys(void)
{
	static const char text[] = "{\"a\":{\"b\":\"x\"},\"c\":[1,true]}";
	char out[200] = "";

	CHECK(!anpu_json_read(text, sizeof(text) - 1, collect, out, why, sizeof(why)));
	if (strcmp(out, "=0:;a.=0:;a.b.=2:x;c.=1:;c..=3:1;c..=4:true;"))
		FAIL("got %s", out);
}

static void survives_every_prefix(void)
{
	static const char text[] = "{\"a\":[1,-2.5e7,\"\\u1234\\\"\",{\"b\":null}],\"c\":false}";

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n + 1); /* so that the sanitizer sees a read past the end */

		memcpy(copy, text, n);
		CHECK(anpu_json_read(copy, n, NULL, NULL, why, sizeof(why)));
		free(copy);
	}
}

TAP_MAIN(TEST(accepts), TEST(refuses), TEST(tells_the_place), TEST(shows_values_with_keys),
	 TEST(survives_every_prefix))
