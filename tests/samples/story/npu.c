// SPDX-License-Identifier: MIT
/*
 * The model on the NPU: every layer is operators of story.op.cpp, launched into one stream. Where the
 * generation is lies in device memory, so that the step for one token is the same tasks each time and
 * can be recorded once into a graph.
 */
#include "story.h"

/* In device memory, with what is in struct layer */
struct npu_layer {
	void *norm1, *norm2, *qkv, *out, *gate_up, *down;
	void *keys, *values;
};

struct npu {
	aclrtContext context;
	aclrtStream stream;
	aclrtBinHandle operators;
	aclrtFuncHandle embed, norm, linear, rotate, attention, swiglu, choose;
	struct npu_layer layer[LAYERS];
	void *embedding, *unembedding, *last_norm, *angles, *noise;
	void *tokens, *progress; /* of CONTEXT + 1 tokens, and a struct progress */
	void *x, *a, *wide, *mixed, *hidden, *logits; /* between the operators */
	float sharpness;
	unsigned int position; /* tokens that the device has taken, as the progress on the device says */
	aclmdlRI graph;
	aclrtEvent begin, end;
	double milliseconds;
};

/* Arguments lie in slots of 8 bytes */
static uint64_t pointer(const void *p)
{
	return (uintptr_t)p;
}

static uint64_t number(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

#define launch(npu, operator, blocks, ...)                                                         \
	do {                                                                                       \
		uint64_t arguments_[] = { __VA_ARGS__, pointer((npu)->progress) };                 \
		CHECK(aclrtLaunchKernelWithHostArgs((npu)->operator, blocks, (npu)->stream, NULL,  \
						    arguments_, sizeof(arguments_), NULL, 0));     \
	} while (0)

static void *device_copy(const void *host, size_t size)
{
	void *device = sample_device_memory(size);

	CHECK(aclrtMemcpy(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE));
	return device;
}

/* Matrices have rows for ROWS tokens, of which a step may use fewer: the others are multiplied, too */
static void *device_zeros(size_t size)
{
	void *device = sample_device_memory(size);

	CHECK(aclrtMemset(device, size, 0, size));
	return device;
}

static void open_layer(struct npu_layer *to, const struct layer *from)
{
	to->norm1 = device_copy(from->norm1, sizeof(from->norm1));
	to->norm2 = device_copy(from->norm2, sizeof(from->norm2));
	to->qkv = device_copy(from->qkv, sizeof(from->qkv));
	to->out = device_copy(from->out, sizeof(from->out));
	to->gate_up = device_copy(from->gate_up, sizeof(from->gate_up));
	to->down = device_copy(from->down, sizeof(from->down));
	to->keys = device_zeros(sizeof(float) * CONTEXT * WIDTH);
	to->values = device_zeros(sizeof(float) * CONTEXT * WIDTH);
}

static void open_operators(struct npu *npu, const char *argv0)
{
	npu->operators = sample_load(argv0, "story");
	npu->embed = sample_function(npu->operators, "embed");
	npu->norm = sample_function(npu->operators, "norm");
	npu->linear = sample_function(npu->operators, "linear");
	npu->rotate = sample_function(npu->operators, "rotate");
	npu->attention = sample_function(npu->operators, "attention");
	npu->swiglu = sample_function(npu->operators, "swiglu");
	npu->choose = sample_function(npu->operators, "choose");
}

struct npu *npu_open(const struct model *m, const char *argv0, float sharpness, const float (*noise)[TOKENS])
{
	struct npu *npu = calloc(1, sizeof(*npu));

	if (!npu) {
		perror("story");
		exit(EXIT_FAILURE);
	}
	npu->sharpness = sharpness;
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtCreateStream(&npu->stream));
	CHECK(aclrtCreateEventWithFlag(&npu->begin, ACL_EVENT_TIME_LINE));
	CHECK(aclrtCreateEventWithFlag(&npu->end, ACL_EVENT_TIME_LINE));
	open_operators(npu, argv0);
	for (int i = 0; i < LAYERS; i++)
		open_layer(&npu->layer[i], &m->layer[i]);
	npu->embedding = device_copy(m->embedding, sizeof(m->embedding));
	npu->unembedding = device_copy(m->unembedding, sizeof(m->unembedding));
	npu->last_norm = device_copy(m->norm, sizeof(m->norm));
	npu->angles = device_copy(m->angle, sizeof(m->angle));
	npu->noise = device_copy(noise, sizeof(float) * CONTEXT * TOKENS);
	npu->tokens = device_zeros(sizeof(uint32_t) * (CONTEXT + 1));
	npu->progress = device_zeros(sizeof(struct progress));
	npu->x = device_zeros(sizeof(float) * ROWS * WIDTH);
	npu->a = device_zeros(sizeof(uint16_t) * ROWS * WIDTH);
	npu->wide = device_zeros(sizeof(float) * ROWS * GATE_UP);
	npu->mixed = device_zeros(sizeof(uint16_t) * ROWS * WIDTH);
	npu->hidden = device_zeros(sizeof(uint16_t) * ROWS * HIDDEN);
	npu->logits = device_zeros(sizeof(float) * ROWS * TOKENS);
	return npu;
}

/* y = a * w, or y += a * w; a block has 64 columns */
static void launch_linear(struct npu *npu, const void *a, const void *w, void *y, unsigned int k, unsigned int n, bool add)
{
	launch(npu, linear, n / 64, pointer(a), pointer(w), pointer(y), k, n, add);
}

static void launch_layer(struct npu *npu, const struct npu_layer *l, unsigned int rows)
{
	launch(npu, norm, rows, pointer(npu->x), pointer(l->norm1), pointer(npu->a));
	launch_linear(npu, npu->a, l->qkv, npu->wide, WIDTH, QKV, false);
	launch(npu, rotate, rows, pointer(npu->wide), pointer(npu->angles), pointer(l->keys), pointer(l->values));
	launch(npu, attention, rows * HEADS, pointer(npu->wide), pointer(l->keys), pointer(l->values), pointer(npu->mixed));
	launch_linear(npu, npu->mixed, l->out, npu->x, WIDTH, WIDTH, true);
	launch(npu, norm, rows, pointer(npu->x), pointer(l->norm2), pointer(npu->a));
	launch_linear(npu, npu->a, l->gate_up, npu->wide, WIDTH, GATE_UP, false);
	launch(npu, swiglu, rows, pointer(npu->wide), pointer(npu->hidden));
	launch_linear(npu, npu->hidden, l->down, npu->x, HIDDEN, WIDTH, true);
}

/* @rows tokens, which are there already, and the choice of the next one */
static void launch_step(struct npu *npu, unsigned int rows)
{
	launch(npu, embed, rows, pointer(npu->tokens), pointer(npu->embedding), pointer(npu->x));
	for (int i = 0; i < LAYERS; i++)
		launch_layer(npu, &npu->layer[i], rows);
	launch(npu, norm, rows, pointer(npu->x), pointer(npu->last_norm), pointer(npu->a));
	launch_linear(npu, npu->a, npu->unembedding, npu->logits, WIDTH, TOKENS, false);
	launch(npu, choose, 1, pointer(npu->logits), pointer(npu->noise), pointer(npu->tokens), number(npu->sharpness));
}

/* The token that the last step has chosen */
static uint32_t chosen(struct npu *npu)
{
	uint32_t token = 0;
	float milliseconds = 0;

	CHECK(aclrtSynchronizeStream(npu->stream));
	CHECK(aclrtEventElapsedTime(&milliseconds, npu->begin, npu->end));
	npu->milliseconds += milliseconds;
	CHECK(aclrtMemcpy(&token, sizeof(token), (uint32_t *)npu->tokens + npu->position, sizeof(token),
			  ACL_MEMCPY_DEVICE_TO_HOST));
	return token;
}

uint32_t npu_prompt(struct npu *npu, const uint32_t *tokens, int count)
{
	uint32_t next = 0;

	for (int done = 0; done < count;) {
		unsigned int rows = count - done < ROWS ? count - done : ROWS;
		struct progress progress = { npu->position, rows };

		CHECK(aclrtMemcpy((uint32_t *)npu->tokens + npu->position, rows * sizeof(*tokens), tokens + done,
				  rows * sizeof(*tokens), ACL_MEMCPY_HOST_TO_DEVICE));
		CHECK(aclrtMemcpy(npu->progress, sizeof(progress), &progress, sizeof(progress), ACL_MEMCPY_HOST_TO_DEVICE));
		CHECK(aclrtRecordEvent(npu->begin, npu->stream));
		launch_step(npu, rows);
		CHECK(aclrtRecordEvent(npu->end, npu->stream));
		npu->position += rows;
		done += rows;
		next = chosen(npu);
	}
	return next;
}

void npu_record(struct npu *npu)
{
	CHECK(aclmdlRICaptureBegin(npu->stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	launch_step(npu, 1);
	CHECK(aclmdlRICaptureEnd(npu->stream, &npu->graph));
}

uint32_t npu_next(struct npu *npu)
{
	CHECK(aclrtRecordEvent(npu->begin, npu->stream));
	if (npu->graph)
		CHECK(aclmdlRIExecuteAsync(npu->graph, npu->stream));
	else
		launch_step(npu, 1);
	CHECK(aclrtRecordEvent(npu->end, npu->stream));
	npu->position++;
	return chosen(npu);
}

double npu_milliseconds(const struct npu *npu)
{
	return npu->milliseconds;
}

void npu_close(struct npu *npu)
{
	void *const memory[] = { npu->embedding, npu->unembedding, npu->last_norm, npu->angles, npu->noise,
				 npu->tokens, npu->progress, npu->x, npu->a, npu->wide, npu->mixed, npu->hidden,
				 npu->logits };

	if (npu->graph)
		CHECK(aclmdlRIDestroy(npu->graph));
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		CHECK(aclrtFree(memory[i]));
	for (int i = 0; i < LAYERS; i++) {
		const struct npu_layer *l = &npu->layer[i];
		void *const parts[] = { l->norm1, l->norm2, l->qkv, l->out, l->gate_up, l->down, l->keys, l->values };

		for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++)
			CHECK(aclrtFree(parts[part]));
	}
	CHECK(aclrtDestroyEvent(npu->begin));
	CHECK(aclrtDestroyEvent(npu->end));
	CHECK(aclrtBinaryUnLoad(npu->operators));
	CHECK(aclrtDestroyStream(npu->stream));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	free(npu);
}
