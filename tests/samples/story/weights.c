// SPDX-License-Identifier: MIT
/*
 * Reads the weights: a header, the tokens as pairs of 16 bits, the embedding, per layer norm1, qkv, out,
 * norm2, gate_up and down, and the last norm. Matrices are in half precision, norms in float.
 */
#include <math.h>

#include "story.h"

#define ROTARY_BASE 10000.0

struct header {
	char magic[8];
	uint32_t version, tokens, width, heads, layers, hidden, context, characters;
};

static void read_part(FILE *file, void *part, size_t size, const char *path)
{
	if (fread(part, 1, size, file) == size)
		return;
	fprintf(stderr, "story: %s ends early: train.py makes a new one\n", path);
	exit(EXIT_FAILURE);
}

static void check_header(const struct header *h, const char *path)
{
	const struct header want = { "ANPUSTRY", 1, TOKENS, WIDTH, HEADS, LAYERS, HIDDEN, CONTEXT, h->characters };

	if (!memcmp(h, &want, sizeof(want)) && h->characters && h->characters <= TOKENS)
		return;
	fprintf(stderr, "story: %s does not have the weights of the model in model.h\n", path);
	exit(EXIT_FAILURE);
}

/* Tokens are made of those before them, so that their text is found without end */
static void check_tokens(const struct model *m, const char *path)
{
	for (unsigned int i = m->characters; i < TOKENS; i++) {
		if (m->token[i][0] < i && m->token[i][1] < i)
			continue;
		fprintf(stderr, "story: %s says that token %u is made of tokens after it\n", path, i);
		exit(EXIT_FAILURE);
	}
}

static void derive(struct model *m)
{
	for (int row = 0; row < TOKENS; row++)
		for (int i = 0; i < WIDTH; i++)
			m->unembedding[i][row] = m->embedding[row][i];
	for (int at = 0; at < CONTEXT; at++) {
		for (int i = 0; i < PAIRS; i++) {
			double angle = at * pow(ROTARY_BASE, -(double)i / PAIRS);

			m->angle[at][0][i] = (float)cos(angle);
			m->angle[at][1][i] = (float)sin(angle);
		}
	}
}

void load_model(struct model *m, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct header h;

	if (!file) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	read_part(file, &h, sizeof(h), path);
	check_header(&h, path);
	m->characters = h.characters;
	read_part(file, m->token, sizeof(m->token), path);
	check_tokens(m, path);
	read_part(file, m->embedding, sizeof(m->embedding), path);
	for (int i = 0; i < LAYERS; i++) {
		struct layer *l = &m->layer[i];

		read_part(file, l->norm1, sizeof(l->norm1), path);
		read_part(file, l->qkv, sizeof(l->qkv), path);
		read_part(file, l->out, sizeof(l->out), path);
		read_part(file, l->norm2, sizeof(l->norm2), path);
		read_part(file, l->gate_up, sizeof(l->gate_up), path);
		read_part(file, l->down, sizeof(l->down), path);
	}
	read_part(file, m->norm, sizeof(m->norm), path);
	fclose(file);
	derive(m);
}
