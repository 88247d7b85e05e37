// SPDX-License-Identifier: MIT
/*
 * The model in plain C, a token at a time. It rounds to half precision where the operators do, so that
 * the two differ by no more than the order of their additions.
 */
#include <math.h>

#include "story.h"

struct reference {
	const struct model *model;
	const float (*noise)[TOKENS];
	float sharpness;
	int position;
	float keys[LAYERS][CONTEXT][WIDTH], values[LAYERS][CONTEXT][WIDTH];
};

static float rounded(float x)
{
	return aclFloat16ToFloat(aclFloatToFloat16(x));
}

static void norm(const float *x, const float *gain, float *a)
{
	float sum = 0;

	for (int i = 0; i < WIDTH; i++)
		sum += x[i] * x[i];
	for (int i = 0; i < WIDTH; i++)
		a[i] = rounded(x[i] * (1.0f / sqrtf(sum / WIDTH + EPSILON)) * gain[i]);
}

/* y = a * w, w of k rows and n columns */
static void linear(const float *a, const uint16_t *w, float *y, int k, int n)
{
	memset(y, 0, n * sizeof(*y));
	for (int i = 0; i < k; i++)
		for (int j = 0; j < n; j++)
			y[j] += a[i] * aclFloat16ToFloat(w[i * n + j]);
}

static void add(float *x, const float *y)
{
	for (int i = 0; i < WIDTH; i++)
		x[i] += y[i];
}

static void rotate(float *head, const float (*angle)[PAIRS])
{
	for (int i = 0; i < PAIRS; i++) {
		float a = head[i], b = head[i + PAIRS];

		head[i] = a * angle[0][i] - b * angle[1][i];
		head[i + PAIRS] = a * angle[1][i] + b * angle[0][i];
	}
}

static void attend(struct reference *r, int layer, float *qkv, float *mixed)
{
	float *q = qkv, *keys = r->keys[layer][r->position], *values = r->values[layer][r->position];
	float weight[CONTEXT];

	memcpy(keys, qkv + WIDTH, WIDTH * sizeof(float));
	memcpy(values, qkv + 2 * WIDTH, WIDTH * sizeof(float));
	for (int first = 0; first < WIDTH; first += HEAD) {
		float most = -INFINITY, sum = 0;

		rotate(q + first, r->model->angle[r->position]);
		rotate(keys + first, r->model->angle[r->position]);
		for (int at = 0; at <= r->position; at++) {
			weight[at] = 0;
			for (int i = first; i < first + HEAD; i++)
				weight[at] += q[i] / sqrtf(HEAD) * r->keys[layer][at][i];
			most = fmaxf(most, weight[at]);
		}
		for (int at = 0; at <= r->position; at++)
			sum += weight[at] = expf(weight[at] - most);
		for (int i = first; i < first + HEAD; i++) {
			mixed[i] = 0;
			for (int at = 0; at <= r->position; at++)
				mixed[i] += weight[at] * r->values[layer][at][i];
			mixed[i] = rounded(mixed[i] * (1.0f / sum));
		}
	}
}

static void run_layer(struct reference *r, int number, float *x)
{
	const struct layer *l = &r->model->layer[number];
	float a[WIDTH], qkv[QKV], mixed[WIDTH], y[WIDTH], gate_up[GATE_UP], hidden[HIDDEN];

	norm(x, l->norm1, a);
	linear(a, &l->qkv[0][0], qkv, WIDTH, QKV);
	attend(r, number, qkv, mixed);
	linear(mixed, &l->out[0][0], y, WIDTH, WIDTH);
	add(x, y);
	norm(x, l->norm2, a);
	linear(a, &l->gate_up[0][0], gate_up, WIDTH, GATE_UP);
	for (int i = 0; i < HIDDEN; i++)
		hidden[i] = rounded(gate_up[i] / (1 + expf(-gate_up[i])) * gate_up[HIDDEN + i]);
	linear(hidden, &l->down[0][0], y, HIDDEN, WIDTH);
	add(x, y);
}

uint32_t reference_next(struct reference *r, uint32_t token)
{
	float x[WIDTH], a[WIDTH], logits[TOKENS], most = -INFINITY;
	uint32_t next = 0;

	for (int i = 0; i < WIDTH; i++)
		x[i] = aclFloat16ToFloat(r->model->embedding[token][i]);
	for (int i = 0; i < LAYERS; i++)
		run_layer(r, i, x);
	norm(x, r->model->norm, a);
	linear(a, &r->model->unembedding[0][0], logits, WIDTH, TOKENS);
	for (uint32_t i = 0; i < TOKENS; i++) {
		float now = logits[i] * r->sharpness + r->noise[r->position][i];

		if (now > most) {
			most = now;
			next = i;
		}
	}
	r->position++;
	return next;
}

struct reference *reference_open(const struct model *m, float sharpness, const float (*noise)[TOKENS])
{
	struct reference *r = calloc(1, sizeof(*r));

	if (!r) {
		perror("story");
		exit(EXIT_FAILURE);
	}
	r->model = m;
	r->sharpness = sharpness;
	r->noise = noise;
	return r;
}

void reference_close(struct reference *r)
{
	free(r);
}
