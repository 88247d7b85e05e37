// SPDX-License-Identifier: MIT
/*
 * Instructions as functions that take addresses: places in scratchpads that begin at 0, as sources for the compiler's own functions have
 * them, and addresses of tensors.
 */
#include "unit.h"

#ifndef ANPU_RAW_NAMES
#error "anpucc did not see that this source calls instructions by address"
#endif

constexpr uint32_t M = 32, K = 48, N = 64;

template <class T> inline T *from_zero(uint32_t offset)
{
	return reinterpret_cast<T *>(uintptr_t(offset));
}

static half a[M * K], b[K * N];
static float c[3 * M * N];

inline float a_of(uint32_t i, uint32_t k) { return float(int32_t((i * 5 + k * 3) % 13) - 6); }
inline float b_of(uint32_t k, uint32_t j) { return float(int32_t((k * 7 + j * 2) % 11) - 5); }

/* B is n by k in memory, or k by n, whose fractals are transposed on their way to L0B */
template <bool transposed> inline void product(half *l1a, half *l1b, half *l0a, half *l0b, float *l0c, float *out)
{
	for (uint32_t i = 0; i < M; i++)
		for (uint32_t k = 0; k < K; k++)
			a[i * K + k] = half(a_of(i, k));
	for (uint32_t k = 0; k < K; k++)
		for (uint32_t j = 0; j < N; j++)
			b[transposed ? k * N + j : j * K + k] = half(b_of(k, j));
	pipe_barrier(PIPE_ALL);
	copy_gm_to_cbuf_multi_nd2nz_b16(l1a, a, 0, 1, M, K, 0, K, M, 1, 0);
	copy_gm_to_cbuf_multi_nd2nz_b16(l1b, b, 0, 1, transposed ? K : N, transposed ? N : K, 0, transposed ? N : K, transposed ? K : N, 1, 0);
	set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
	wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
	for (uint32_t i = 0; i < M / 16; i++)
		load_cbuf_to_ca(l0a + i * K * 16, l1a + i * 256, 0, K / 16, M / 16, 0, 0, false, inc);
	if (transposed)
		for (uint32_t k = 0; k < K / 16; k++)
			load_cbuf_to_cb(l0b + k * N * 16, l1b + k * 256, 0, N / 16, K / 16, 0, 0, true, inc);
	else
		load_cbuf_to_cb(l0b, l1b, 0, K / 16 * N / 16, 1, 0, 0, false, inc);
	set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
	wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
	mad(l0c, l0a, l0b, M, K, N, 0, false, false, true);
	pipe_barrier(PIPE_M);
	mad(l0c, l0a, l0b, M, K, N, 0, false, false, false);
	set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
	wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
	set_nd_para(1);
	copy_matrix_cc_to_gm(out, l0c, 0, N, M, N, M, 0, NoQuant, 0, false, true);
	pipe_barrier(PIPE_ALL);
	for (uint32_t i = 0; i < M; i++)
		for (uint32_t j = 0; j < N; j++) {
			float sum = 0;

			for (uint32_t k = 0; k < K; k++)
				sum += a_of(i, k) * b_of(k, j);
			assert(out[i * N + j] == 2 * sum, "%u %u", i, j);
		}
}

TEST(product_from_zero)
{
	product<false>(from_zero<half>(0), from_zero<half>(64 * 1024), from_zero<half>(0), from_zero<half>(0), from_zero<float>(0), c);
	product<true>(from_zero<half>(128 * 1024), from_zero<half>(0), from_zero<half>(32 * 1024), from_zero<half>(8192), from_zero<float>(65536), c);
}

TEST(product_of_tensors)
{
	product<false>((half *)uintptr_t(ANPU_L1_BASE), (half *)uintptr_t(ANPU_L1_BASE + 4096), (half *)uintptr_t(ANPU_L0A_BASE),
		       (half *)uintptr_t(ANPU_L0B_BASE), (float *)uintptr_t(ANPU_L0C_BASE), c);
}

/* Two matrices of 16 rows that lie one behind the other in L0C, to places that are far from each other */
TEST(matrices_of_a_result)
{
	product<false>(from_zero<half>(0), from_zero<half>(64 * 1024), from_zero<half>(0), from_zero<half>(0), from_zero<float>(0), c);
	set_nd_para(2 | 1ull << 16 | uint64_t(2 * N * 16) << 32);
	copy_matrix_cc_to_gm(c + M * N, from_zero<float>(0), 0, 16, 16, 16, M, 0, NoQuant, 1, false, true);
	pipe_barrier(PIPE_ALL);
	for (uint32_t i = 0; i < 16; i++)
		for (uint32_t j = 0; j < 16; j++) {
			float first = c[i * N + j], second = c[(i + 16) * N + j];

			assert(c[M * N + i * 16 + j] == (first > 0 ? first : 0) && c[M * N + 2 * N * 16 + i * 16 + j] == (second > 0 ? second : 0));
		}
}

/* 16 rows of a block each, whose addresses are in pairs of registers, and a whole matrix */
TEST(rows_become_columns)
{
	static uint16_t in[16][16], out[2][16][16];
	uint16_t *from = from_zero<uint16_t>(0), *to = from_zero<uint16_t>(512), *matrix = from_zero<uint16_t>(1024);
	uint64_t rows[4][8];

	for (uint32_t i = 0; i < 256; i++)
		in[i / 16][i % 16] = uint16_t(i * 3);
	for (uint32_t i = 0; i < 16; i++) {
		rows[i / 8][i % 8] = uint64_t(reinterpret_cast<uintptr_t>(from + i * 16));
		rows[2 + i / 8][i % 8] = uint64_t(reinterpret_cast<uintptr_t>(to + (15 - i) * 16));
	}
	pipe_barrier(PIPE_ALL);
	copy_gm_to_ubuf(from, &in[0][0], 0, 1, 16, 0, 0);
	set_va_reg_sb(VA2, rows[0]);
	set_va_reg_sb(VA3, rows[1]);
	set_va_reg_sb(VA0, rows[2]);
	set_va_reg_sb(VA1, rows[3]);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	scatter_vnchwconv_b16(VA0, VA2, 1, 0, 0);
	vtranspose(matrix, from);
	set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
	wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
	copy_ubuf_to_gm(&out[0][0][0], to, 0, 1, 32, 0, 0);
	pipe_barrier(PIPE_ALL);
	for (uint32_t i = 0; i < 256; i++)
		assert(out[0][15 - i / 16][i % 16] == in[i % 16][i / 16] && out[1][i / 16][i % 16] == in[i % 16][i / 16]);
}

/* Elements beyond the mask keep what they have */
TEST(vectors_from_zero)
{
	static float in[3][64], out[8][64];
	float *x = from_zero<float>(0), *y = from_zero<float>(256), *z = from_zero<float>(512);

	for (uint32_t i = 0; i < 64; i++) {
		in[0][i] = float(i) - 20;
		in[1][i] = float(i % 7 + 1);
		in[2][i] = 100;
	}
	pipe_barrier(PIPE_ALL);
	copy_gm_to_ubuf(x, in, 0, 1, 24, 0, 0);
	pipe_barrier(PIPE_ALL);
	set_mask_norm();
	set_vector_mask(0, (1ull << 40) - 1);
	vadd(z, x, y, 1, 1, 1, 1, 8, 8, 8);
	pipe_barrier(PIPE_V);
	vmuls(z, z, 2.0f, 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	set_vector_mask(uint64_t(-1), uint64_t(-1));
	vmax(from_zero<float>(768), x, y, 1, 1, 1, 1, 8, 8, 8);
	vector_dup(from_zero<float>(1024), 3.0f, 2, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	vcadd(from_zero<float>(1024), x, 1, 1, 1, 8, false);
	vcmax(from_zero<float>(1056), x, 1, 1, 1, 8, Order_t::ONLY_VALUE);
	vbrcb(from_zero<uint32_t>(1280), from_zero<uint32_t>(32), 1, 8, 1);
	vconv_f322f16(from_zero<half>(2048), x, 1, 1, 1, 4, 8);
	pipe_barrier(PIPE_V);
	vconv_f162f32(from_zero<float>(1536), from_zero<half>(2048), 1, 1, 1, 8, 4);
	pipe_barrier(PIPE_ALL);
	/* rows of 64 and of 5 elements: sums that have no place but accval */
	vcadd(nullptr, y, 1, 1, 1, 8, true);
	set_flag(PIPE_V, PIPE_S, EVENT_ID0);
	wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
	uint64_t sum = AscendC::GetAccVal();
	assert(*reinterpret_cast<float *>(&sum) == 253, "%f", *reinterpret_cast<float *>(&sum));
	set_vector_mask(0, (1ull << 5) - 1);
	vcadd(from_zero<float>(1024), y, 3, 1, 1, 1, true);
	sum = get_acc_val();
	assert(*reinterpret_cast<float *>(&sum) == 60, "%f", *reinterpret_cast<float *>(&sum));
	set_vector_mask(uint64_t(-1), uint64_t(-1));
	copy_ubuf_to_gm(out, z, 0, 1, 40, 0, 0);
	pipe_barrier(PIPE_ALL);
	set_atomic_f32();
	set_atomic_add();
	copy_ubuf_to_gm(out[5], x, 0, 1, 8, 0, 0);
	copy_ubuf_to_gm(out[5], x, 0, 1, 8, 0, 0);
	set_atomic_none();
	copy_ubuf_to_gm(out[6], x, 0, 1, 8, 0, 0);
	pipe_barrier(PIPE_ALL);
	for (uint32_t i = 0; i < 64; i++) {
		float sum = 2 * (in[0][i] + in[1][i]), most = in[0][i] > in[1][i] ? in[0][i] : in[1][i];

		assert(out[0][i] == (i < 40 ? sum : 100.0f) && out[1][i] == most, "%u", i);
		assert(out[2][i] == (i == 0 ? 64 * 63 / 2 - 20 * 64 : i == 8 ? 43.0f : 3.0f), "%u", i);
		assert(out[3][i] == in[0][8 + i / 8] && out[4][i] == in[0][i] && out[5][i] == 2 * in[0][i] && out[6][i] == in[0][i], "%u", i);
	}
}
