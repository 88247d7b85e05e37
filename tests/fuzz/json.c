// SPDX-License-Identifier: MIT
/* libFuzzer target: the configuration that aclInit() reads. */
#include "fuzz.h"
#include "util/json.h"

struct seen {
	const char *text;
	size_t size;
	unsigned int values;
	unsigned int refuse_at;
};

static bool inside(const struct seen *s, struct anpu_json_text t)
{
	return !t.size || (t.at >= s->text && t.at + t.size <= s->text + s->size);
}

static int look(void *user, const struct anpu_json_text *keys, unsigned int depth,
		enum anpu_json_kind kind, struct anpu_json_text value)
{
	struct seen *s = user;

	require(depth <= ANPU_JSON_DEPTH, "depth %u", depth);
	require(kind <= ANPU_JSON_WORD, "kind %d", kind);
	require(inside(s, value), "a value outside the text");
	for (unsigned int i = 0; i < depth; i++)
		require(inside(s, keys[i]), "a key outside the text");
	return ++s->values == s->refuse_at ? -1 : 0;
}

/* The first byte says at which value the caller gives up, the rest is the text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen s = { 0 };
	char why[200] = "", cut[8];
	char *text;
	int full, quiet;

	if (!size)
		return 0;
	/* a copy of its own, so that the sanitizer sees a read past the end */
	text = malloc(size - 1 ? size - 1 : 1);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	s.text = text;
	s.size = size - 1;
	s.refuse_at = data[0];
	full = anpu_json_read(text, size - 1, look, &s, why, sizeof(why));
	require(full == 0 || full == -1, "result %d", full);
	require(memchr(why, 0, sizeof(why)), "a reason without end");
	quiet = anpu_json_read(text, size - 1, NULL, NULL, cut, sizeof(cut));
	require(quiet == full || s.refuse_at, "accepted only with a listener, or only without");
	require(!quiet || memchr(cut, 0, sizeof(cut)), "a reason longer than its buffer");
	require(quiet || s.values || s.refuse_at, "accepted without a value");
	free(text);
	return 0;
}
