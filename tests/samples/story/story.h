/* SPDX-License-Identifier: MIT */
/* What the files of this program offer to each other. */
#ifndef STORY_H
#define STORY_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"
#include "sample.h"

/* weights.c: the file that train.py writes ---------------------------------------------------- */

/* A layer's matrices, in half precision, row by row, and gains */
struct layer {
	float norm1[WIDTH], norm2[WIDTH];
	uint16_t qkv[WIDTH][QKV], out[WIDTH][WIDTH];
	uint16_t gate_up[WIDTH][GATE_UP], down[HIDDEN][WIDTH];
};

/* Below the first @characters tokens each is a character; each other one is two tokens together */
struct model {
	unsigned int characters;
	uint16_t token[TOKENS][2];
	uint16_t embedding[TOKENS][WIDTH];
	uint16_t unembedding[WIDTH][TOKENS]; /* the same, transposed */
	struct layer layer[LAYERS];
	float norm[WIDTH];
	float angle[CONTEXT][2][PAIRS]; /* cosines and sines by which a position rotates the pairs */
};

/* Ends the program if the file is not what it should be */
void load_model(struct model *m, const char *path);

/* text.c: text and tokens --------------------------------------------------------------------- */

/* At most @room tokens of the text; -1 if it has a character that the model does not know */
int to_tokens(const struct model *m, const char *text, uint32_t *tokens, int room);
void print_token(const struct model *m, uint32_t token);

/* npu.c: the model on the device -------------------------------------------------------------- */

struct npu;

/* @noise: for each position what is added to its logits before the greatest is chosen */
struct npu *npu_open(const struct model *m, const char *argv0, float sharpness, const float (*noise)[TOKENS]);
/* Takes the prompt, at least one token, and chooses the one after it */
uint32_t npu_prompt(struct npu *npu, const uint32_t *tokens, int count);
/* Takes the token chosen last and chooses the next one; by a graph if that was recorded */
uint32_t npu_next(struct npu *npu);
void npu_record(struct npu *npu);
/* Milliseconds that the device took for all steps so far */
double npu_milliseconds(const struct npu *npu);
void npu_close(struct npu *npu);

/* reference.c: the same model in plain C ------------------------------------------------------ */

struct reference;

struct reference *reference_open(const struct model *m, float sharpness, const float (*noise)[TOKENS]);
/* Takes the token at the next position and returns which one follows it */
uint32_t reference_next(struct reference *r, uint32_t token);
void reference_close(struct reference *r);

#endif /* STORY_H */
