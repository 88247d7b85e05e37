// SPDX-License-Identifier: MIT
/* Operators that multiply matrices, and the transposition. Sums are exact in fp32, so that their order does not matter. */
#include <math.h>
#include <string.h>

#include "../../../../include/ascendc/kernel_tiling/kernel_tiling.h"
#include "job.h"

#define MOST	(1 << 20)	/* elements of a matrix */
#define SLOPE	0.25f

/* The operands of a loop in fp32 */
static float operand[3][MOST];

static const float *numbers(const struct job *j, int tensor)
{
	numbers_of(operand[tensor], &j->tensor[tensor], 0, j->tensor[tensor].count);
	return operand[tensor];
}

/* c += a b for m x k times k x n; four rows of b at a time, which go once over a row of c */
static void product(float *restrict c, const float *restrict a, const float *restrict b, size_t m, size_t n, size_t k)
{
	for (size_t i = 0; i < m; i++, a += k, c += n) {
		size_t whole = k / 4 * 4;

		for (size_t p = 0; p < whole; p += 4)
			for (size_t x = 0; x < n; x++)
				c[x] += a[p] * b[p * n + x] + a[p + 1] * b[(p + 1) * n + x] + a[p + 2] * b[(p + 2) * n + x] +
					a[p + 3] * b[(p + 3) * n + x];
		for (size_t p = whole; p < k; p++)
			for (size_t x = 0; x < n; x++)
				c[x] += a[p] * b[p * n + x];
	}
}

/* Each of @rows rows of @c is the bias, or zeroes */
static void set_rows(float *c, const float *bias, size_t rows, size_t n)
{
	for (size_t i = 0; i < rows; i++)
		if (bias)
			memcpy(c + i * n, bias, n * sizeof(*c));
		else
			memset(c + i * n, 0, n * sizeof(*c));
}

static void leaky(float *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		c[i] = c[i] > 0 ? c[i] : c[i] * SLOPE;
}

static uint64_t operations(uint64_t m, uint64_t n, uint64_t k)
{
	return 2 * m * n * k;
}

static void make_transpose(struct job *j)
{
	size_t n = (size_t)j->shape.n[0] * j->shape.n[1];

	job_reals(j, F16, n, -4, 4);
	job_result(j, F16, n);
	job_number(j, j->shape.n[0]);
	job_number(j, j->shape.n[1]);
	j->work = n;
}

/* In squares that the first-level cache holds */
static void loop_transpose(const struct job *j)
{
	const uint16_t *restrict x = j->tensor[0].data;
	uint16_t *restrict y = j->tensor[1].want;
	size_t rows = j->shape.n[0], cols = j->shape.n[1];

	for (size_t top = 0; top < rows; top += 32)
		for (size_t left = 0; left < cols; left += 32)
			for (size_t c = left; c < cols && c < left + 32; c++)
				for (size_t r = top; r < rows && r < top + 32; r++)
					y[c * rows + r] = x[r * cols + c];
}

/* matmul: m, n, k, multiples of 16; one block */

static void make_matmul(struct job *j)
{
	const uint32_t *n = j->shape.n;

	job_steps(j, F16, (size_t)n[0] * n[2], 0.25f);
	job_steps(j, F16, (size_t)n[2] * n[1], 0.25f);
	job_result(j, F32, (size_t)n[0] * n[1]);
	for (int i = 0; i < 3; i++)
		job_number(j, n[i]);
	j->work = operations(n[0], n[1], n[2]);
}

/* The operator with intrinsics has the same arguments. */
static void same_matmul(struct job *j)
{
	(void)j;
}

static void loop_matmul(const struct job *j)
{
	const uint32_t *n = j->shape.n;

	set_rows(j->tensor[2].want, NULL, n[0], n[1]);
	product(j->tensor[2].want, numbers(j, 0), numbers(j, 1), n[0], n[1], n[2]);
}

/* Matmul<>: the sizes are m, n, k, the edge of a block's share of C, and the height of a tile, which is twice as wide */

static struct TCubeTiling cube_tiling(const uint32_t *n, uint32_t k_of_tile)
{
	return (struct TCubeTiling){
		.usedCoreNum = 1, .M = (int)n[0], .N = (int)n[1], .Ka = (int)n[2], .Kb = (int)n[2],
		.singleCoreM = (int)n[3], .singleCoreN = (int)n[3], .singleCoreK = (int)n[2],
		.baseM = (int)n[4], .baseN = 2 * (int)n[4], .baseK = (int)k_of_tile,
		.depthA1 = 1, .depthB1 = 1, .stepM = 1, .stepN = 1, .stepKa = 1, .stepKb = 1, .isBias = 1,
	};
}

static uint32_t shares(const uint32_t *n)
{
	return (n[0] + n[3] - 1) / n[3] * ((n[1] + n[3] - 1) / n[3]);
}

enum { HOW_QUANT_EACH = 32 };	/* as in matmul_types.cpp */

static void make_types(struct job *j, enum kind kind, enum kind result, float step, uint32_t k_of_tile, uint32_t how)
{
	const uint32_t *n = j->shape.n;
	struct TCubeTiling tiling = cube_tiling(n, k_of_tile);
	uint64_t scales[1024] = { 0 };

	j->shape.blocks = shares(n);
	job_steps(j, kind, (size_t)n[0] * n[2], step);
	job_steps(j, kind, (size_t)n[2] * n[1], step);
	job_steps(j, kind == S8 ? S32 : F32, n[1], kind == S8 ? 1 : step);
	job_result(j, result, (size_t)n[0] * n[1]);
	for (uint32_t i = 0; i < n[1]; i++) {
		float scale = ldexpf(1, (int)(i % 3) - 5);

		memcpy(&scales[i], &scale, sizeof(scale));
		scales[i] |= 1ULL << 46;	/* results have a sign */
	}
	job_bytes(j, U64, n[1], scales);
	job_number(j, how);
	job_number(j, 0);
	job_bytes(j, U8, sizeof(tiling), &tiling);
	j->work = operations(n[0], n[1], n[2]);
}

static void make_matmul_f16(struct job *j)
{
	make_types(j, F16, F32, 0.25f, 64, 0);
}

static void make_matmul_bf16(struct job *j)
{
	make_types(j, BF16, F32, 0.25f, 64, 0);
}

static void make_matmul_s8(struct job *j)
{
	make_types(j, S8, S8, 1, 128, HOW_QUANT_EACH);
}

/* The operator with intrinsics has no bias. */
static void same_matmul_types(struct job *j)
{
	static const int tensors[] = { 0, 1, 3 };

	job_no_args(j);
	for (int i = 0; i < 3; i++)
		job_again(j, tensors[i]);
	for (int i = 0; i < 3; i++)
		job_number(j, j->shape.n[i]);
}

static void loop_matmul_types(const struct job *j)
{
	const uint32_t *n = j->shape.n;

	set_rows(j->tensor[3].want, j->tensor[2].data, n[0], n[1]);
	product(j->tensor[3].want, numbers(j, 0), numbers(j, 1), n[0], n[1], n[2]);
}

static void loop_matmul_s8(const struct job *j)
{
	static float sums[MOST];
	const uint32_t *n = j->shape.n;
	const int32_t *bias = j->tensor[2].data;
	int8_t *out = j->tensor[3].want;

	for (int t = 0; t < 2; t++)
		for (size_t i = 0; i < j->tensor[t].count; i++)
			operand[t][i] = ((const int8_t *)j->tensor[t].data)[i];
	for (size_t i = 0; i < n[1]; i++)
		operand[2][i] = (float)bias[i];
	set_rows(sums, operand[2], n[0], n[1]);
	product(sums, operand[0], operand[1], n[0], n[1], n[2]);
	for (size_t row = 0; row < n[0]; row++)
		for (size_t i = 0; i < n[1]; i++) {
			float x = rintf(sums[row * n[1] + i] / (float)(32 >> i % 3));

			out[row * n[1] + i] = (int8_t)(int32_t)(x < -128 ? -128 : x > 127 ? 127 : x);
		}
}

/* matmul + leaky relu, MIX. By cross-core flags: k is the size, a block has 32 x 32 of C; by Matmul<>: sizes as above */

static void make_matmul_leaky(struct job *j)
{
	uint32_t m = 32 * j->shape.blocks, k = j->shape.n[0];

	job_steps(j, F16, (size_t)m * k, 0.25f);
	job_steps(j, F16, (size_t)k * 32, 0.25f);
	job_result(j, F32, (size_t)m * 32);
	job_number(j, k);
	job_real(j, SLOPE);
	j->work = operations(m, 32, k);
}

static void loop_matmul_leaky(const struct job *j)
{
	size_t m = 32 * (size_t)j->shape.blocks;

	set_rows(j->tensor[2].want, NULL, m, 32);
	product(j->tensor[2].want, numbers(j, 0), numbers(j, 1), m, 32, j->shape.n[0]);
	leaky(j->tensor[2].want, m * 32);
}

static void make_matmul_leaky_api(struct job *j)
{
	const uint32_t *n = j->shape.n;
	struct TCubeTiling tiling = cube_tiling(n, 64);

	/* vector cores, of which a block has two, each have a share of C */
	tiling.usedCoreNum = (int)shares(n);
	j->shape.blocks = (shares(n) + 1) / 2;
	job_steps(j, F16, (size_t)n[0] * n[2], 0.25f);
	job_steps(j, F16, (size_t)n[2] * n[1], 0.25f);
	job_steps(j, F32, n[1], 0.25f);
	job_result(j, F32, (size_t)n[0] * n[1]);
	job_real(j, SLOPE);
	job_number(j, 0);
	job_bytes(j, U8, sizeof(tiling), &tiling);
	j->work = operations(n[0], n[1], n[2]);
}

static void loop_matmul_leaky_api(const struct job *j)
{
	loop_matmul_types(j);
	leaky(j->tensor[3].want, (size_t)j->shape.n[0] * j->shape.n[1]);
}

/* matmul_batch: matrices, m, n, k; the cube cores multiply while the vector cores add the bias of the matrix before */

static void make_matmul_batch(struct job *j)
{
	uint32_t count = j->shape.n[0], m = j->shape.n[1], n = j->shape.n[2], k = j->shape.n[3];
	uint32_t sizes[] = { m, n, k, 0, 32 };
	struct TCubeTiling tiling = cube_tiling(sizes, 64);

	tiling.singleCoreM = (int)m;
	tiling.singleCoreN = (int)n;
	tiling.isBias = 0;
	job_steps(j, F16, (size_t)count * m * k, 0.25f);
	job_steps(j, F16, (size_t)count * k * n, 0.25f);
	job_steps(j, F32, n, 0.25f);
	job_result(j, F32, (size_t)count * m * n);
	job_number(j, count);
	job_bytes(j, U8, sizeof(tiling), &tiling);
	j->work = count * operations(m, n, k);
}

static void loop_matmul_batch(const struct job *j)
{
	size_t count = j->shape.n[0], m = j->shape.n[1], n = j->shape.n[2], k = j->shape.n[3];
	const float *a = numbers(j, 0), *b = numbers(j, 1);

	set_rows(j->tensor[3].want, j->tensor[2].data, count * m, n);
	for (size_t i = 0; i < count; i++)
		product((float *)j->tensor[3].want + i * m * n, a + i * m * k, b + i * k * n, m, n, k);
}

/* convolution: an image for each block; planes of 16 channels, height, width, channels of the result; the last size has four bytes */

struct conv { uint16_t c1, h, w, cout; uint8_t kh, kw, stride, pad; };

#define FILTER(kh, kw, stride, pad) ((kh) | (kw) << 8 | (stride) << 16 | (uint32_t)(pad) << 24)

static struct conv conv_of(const struct job *j)
{
	const uint32_t *n = j->shape.n;

	return (struct conv){ (uint16_t)n[0], (uint16_t)n[1], (uint16_t)n[2], (uint16_t)n[3], n[4] & 255, n[4] >> 8 & 255,
			      n[4] >> 16 & 255, (uint8_t)(n[4] >> 24) };
}

static void make_conv(struct job *j)
{
	struct conv t = conv_of(j);
	uint32_t k = t.c1 * t.kh * t.kw * 16u, pixels = ((t.h + 2u * t.pad - t.kh) / t.stride + 1) * ((t.w + 2u * t.pad - t.kw) / t.stride + 1);

	job_steps(j, F16, (size_t)j->shape.blocks * t.c1 * t.h * t.w * 16, 0.25f);
	job_steps(j, F16, (size_t)k * t.cout, 0.25f);
	job_result(j, F32, (size_t)j->shape.blocks * pixels * t.cout);
	job_bytes(j, U8, sizeof(t), &t);
	j->work = j->shape.blocks * operations(pixels, t.cout, k);
}

/* One pixel of the result: rows of the filter, which are as long as the result has channels, times numbers of the image */
static void conv_pixel(float *restrict out, const float *image, const float *filter, const struct conv *t, int top, int left)
{
	for (int c = 0; c < t->c1; c++)
		for (int i = 0; i < t->kh; i++)
			for (int k = 0; k < t->kw; k++) {
				const float *f = filter + ((c * t->kh + i) * t->kw + k) * 16 * t->cout;

				if (top + i < 0 || top + i >= t->h || left + k < 0 || left + k >= t->w)
					continue;
				product(out, image + ((c * t->h + top + i) * t->w + left + k) * 16, f, 1, t->cout, 16);
			}
}

static void loop_conv(const struct job *j)
{
	struct conv t = conv_of(j);
	const float *x = numbers(j, 0), *f = numbers(j, 1);
	float *y = j->tensor[2].want;

	memset(y, 0, j->tensor[2].count * sizeof(*y));
	for (uint32_t i = 0; i < j->shape.blocks; i++, x += t.c1 * t.h * t.w * 16)
		for (int top = -t.pad; top + t.kh <= t.h + t.pad; top += t.stride)
			for (int left = -t.pad; left + t.kw <= t.w + t.pad; left += t.stride, y += t.cout)
				conv_pixel(y, x, f, &t, top, left);
}

/* flash attention: heads, rows of q, rows of k and v, their length */

enum { ATTENTION_ROWS = 32, ATTENTION_COLS = 64, MAX_KEYS = 1024 };	/* the first two as in flash_attention.cpp */

static void make_attention(struct job *j, enum kind kind)
{
	uint32_t heads = j->shape.n[0], s1 = j->shape.n[1], s2 = j->shape.n[2], d = j->shape.n[3];
	struct { uint32_t heads, s1, s2, d; float scale; struct TCubeTiling scores, values; } tiling = {
		heads, s1, s2, d, 1 / sqrtf((float)d),
		{ .M = (int)s1, .N = (int)s2, .Ka = (int)d, .baseN = ATTENTION_COLS, .baseK = (int)d },
		{ .M = ATTENTION_ROWS, .N = (int)d, .Ka = ATTENTION_COLS, .baseN = (int)d, .baseK = ATTENTION_COLS },
	};

	for (struct TCubeTiling *t = &tiling.scores; t <= &tiling.values; t++) {
		t->usedCoreNum = t->depthA1 = t->depthB1 = t->stepM = t->stepN = t->stepKa = t->stepKb = 1;
		t->Kb = t->singleCoreK = t->Ka;
		t->baseM = t->singleCoreM = ATTENTION_ROWS;
		t->singleCoreN = t->baseN;
	}
	job_steps(j, kind, (size_t)heads * s1 * d, 0.25f);
	job_steps(j, kind, (size_t)heads * s2 * d, 0.25f);
	job_steps(j, kind, (size_t)heads * s2 * d, 0.25f);
	job_result(j, kind, (size_t)heads * s1 * d);
	/* the probabilities of one step, for each of a block's two vector cores */
	job_steps(j, kind, (size_t)j->shape.blocks * 2 * ATTENTION_ROWS * ATTENTION_COLS, 0);
	job_bytes(j, U8, sizeof(tiling), &tiling);
	j->work = 2 * heads * operations(s1, s2, d);
}

static void make_attention_f16(struct job *j)
{
	make_attention(j, F16);
}

static void make_attention_bf16(struct job *j)
{
	make_attention(j, BF16);
}

/* One row of q */
static void attend(float *restrict out, const float *restrict q, const float *restrict k, const float *restrict v, size_t s2, size_t d)
{
	float weight[MAX_KEYS], most = -INFINITY, total = 0, scale = 1 / sqrtf((float)d);

	for (size_t i = 0; i < s2; i++) {
		float sum = 0;

		for (size_t x = 0; x < d; x++)
			sum += q[x] * k[i * d + x];
		weight[i] = sum * scale;
		most = weight[i] > most ? weight[i] : most;
	}
	for (size_t i = 0; i < s2; i++) {
		weight[i] = expf(weight[i] - most);
		total += weight[i];
	}
	memset(out, 0, d * sizeof(*out));
	product(out, weight, v, 1, d, s2);
	for (size_t x = 0; x < d; x++)
		out[x] /= total;
}

static void loop_attention(const struct job *j)
{
	size_t heads = j->shape.n[0], s1 = j->shape.n[1], s2 = j->shape.n[2], d = j->shape.n[3];
	const float *q = numbers(j, 0), *k = numbers(j, 1), *v = numbers(j, 2);

	for (size_t row = 0; row < heads * s1; row++) {
		size_t keys = row / s1 * s2 * d;
		float out[256];

		attend(out, q + row * d, k + keys, v + keys, s2, d);
		to_kind(j->tensor[3].want, j->tensor[3].kind, row * d, out, d);
	}
}

const struct operator matrix_operators[] = {
	{ "transpose", "transpose_custom", "transpose_custom", make_transpose, loop_transpose, 0, false, NULL, NULL,
	  { { 8, { 1000, 1000 } }, { 2, { 33, 17 } }, { 3, { 5, 100 } } } },
	{ "matmul", "matmul_custom", "matmul_custom", make_matmul, loop_matmul, 0, true, "matmul matmul_f16", same_matmul,
	  { { 1, { 128, 128, 128 } }, { 1, { 16, 16, 16 } }, { 1, { 64, 32, 128 } } } },
	{ "matmul_api_f16", "matmul_types", "matmul_f16", make_matmul_f16, loop_matmul_types, 0, true, "matmul matmul_f16", same_matmul_types,
	  { { 1, { 512, 512, 512, 512, 128 } }, { 1, { 50, 70, 100, 32, 16 } } } },
	{ "matmul_api_bf16", "matmul_types", "matmul_bf16", make_matmul_bf16, loop_matmul_types, 0, true, "matmul matmul_bf16",
	  same_matmul_types, { { 1, { 512, 512, 512, 512, 128 } }, { 1, { 37, 45, 75, 64, 32 } } } },
	{ "matmul_quantised", "matmul_types", "matmul_s8_s8", make_matmul_s8, loop_matmul_s8, 0, true, NULL, NULL,
	  { { 1, { 512, 512, 512, 512, 128 } }, { 1, { 35, 50, 64, 32, 16 } } } },
	{ "matmul_leaky_relu", "matmul_leaky_relu", "matmul_leaky_relu", make_matmul_leaky, loop_matmul_leaky, 0, true, NULL, NULL,
	  { { 64, { 512 } }, { 1, { 16 } }, { 3, { 64 } } } },
	{ "matmul_leaky_relu_api", "matmul_leaky_relu_api", "matmul_leaky_relu_api", make_matmul_leaky_api, loop_matmul_leaky_api, 0, true,
	  NULL, NULL, { { 1, { 512, 512, 512, 256, 64 } }, { 1, { 64, 32, 40, 32, 16 } }, { 1, { 96, 64, 64, 32, 16 } } } },
	{ "matmul_batch", "matmul_batch", "batch_steps", make_matmul_batch, loop_matmul_batch, 0, true, NULL, NULL,
	  { { 4, { 32, 64, 64, 128 } }, { 1, { 3, 20, 24, 33 } }, { 3, { 7, 20, 24, 33 } } } },
	{ "convolution", "conv_custom", "conv_custom", make_conv, loop_conv, 0, true, NULL, NULL,
	  { { 32, { 1, 12, 12, 64, FILTER(3, 3, 1, 1) } }, { 1, { 1, 5, 7, 16, FILTER(3, 3, 1, 1) } },
	    { 2, { 2, 6, 5, 32, FILTER(2, 3, 2, 0) } } } },
	{ "flash_attention_f16", "flash_attention", "flash_attention_f16", make_attention_f16, loop_attention, 2e-3, true, NULL, NULL,
	  { { 4, { 4, 256, 512, 64 } }, { 2, { 2, 40, 150, 32 } }, { 1, { 1, 5, 7, 64 } } } },
	{ "flash_attention_bf16", "flash_attention", "flash_attention_bf16", make_attention_bf16, loop_attention, 2e-2, true, NULL, NULL,
	  { { 4, { 4, 256, 512, 64 } }, { 1, { 3, 33, 64, 16 } } } },
	{ 0 },
};
