/* SPDX-License-Identifier: MIT */
/*
 * Parts of matrices from where the operator has them to L1, and from there to L0A and L0B. Matmul<> uses the last
 * 128 KiB of L1 for that, and L0A and L0B as a whole while it computes a tile.
 */
#ifndef ASCENDC_ADV_MATMUL_LOAD_H
#define ASCENDC_ADV_MATMUL_LOAD_H

#include "../scratch.h"
#include "types.h"

namespace AscendC {

namespace detail {

/* Elements in a block of 32 bytes */
template <class T> constexpr uint32_t block_elements =
	std::is_same_v<T, int4b_t> ? 2 * ONE_BLK_SIZE : uint32_t(ONE_BLK_SIZE / sizeof(T));

/* Copies know no 4-bit type: they move the pairs as bytes. */
template <class T> using CopyType = std::conditional_t<std::is_same_v<T, int4b_t>, int8_t, T>;

constexpr uint32_t l0_fractals = ANPU_L0A_SIZE / fractal_bytes;
constexpr uint32_t matmul_l1_a = ANPU_L1_BASE + ANPU_L1_SIZE - 2 * ANPU_L0A_SIZE;
constexpr uint32_t matmul_l1_b = ANPU_L1_BASE + ANPU_L1_SIZE - ANPU_L0A_SIZE;

constexpr ASCENDC_FN uint32_t div_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

/**
 * struct MatrixIn - a matrix as it is stored, which is transposed if the multiplication wants it the other way round
 * @place: address of its first element
 * @pitch: elements from one stored row to the next (ND), rows of a column of fractals (NZ)
 * @transposed: its rows are k for A, n for B
 * @scalar: the value that all elements have (CubeFormat::SCALAR)
 */
struct MatrixIn {
	uint64_t place;
	uint32_t pitch;
	bool transposed;
	uint64_t scalar;
};

/**
 * struct Fractals - a part of a matrix in L1: fractal (i, j) of its stored rows and columns is at
 * address + (i * down + j * across) * 512
 */
struct Fractals {
	uint32_t address;
	uint32_t down;
	uint32_t across;
};

/* Rows of a matrix in UB: one burst for each column of blocks */
template <class T>
ASCENDC_FN void rows_from_ub(uint32_t to, uint64_t from, uint32_t pitch, uint32_t rows, uint32_t cols, uint32_t height)
{
	constexpr uint32_t c0 = block_elements<T>;

	if (pitch % c0)
		anpu_trap("Matmul: rows of a matrix in UB begin at multiples of 32 bytes");
	for (uint32_t j = 0; j < div_up(cols, c0); j++)
		anpu_tile_DMA_BURST(to + j * height * ONE_BLK_SIZE, from + j * ONE_BLK_SIZE,
				    ANPU_BURSTS(rows, 1, pitch / c0 - 1, 0), 0);
}

/* Rows of a row-major matrix in global memory; fractals row by row, which is how L0A wants them, or column by column */
template <class T>
ASCENDC_FN Fractals rows_from_gm(uint32_t to, uint64_t from, uint32_t pitch, uint32_t rows, uint32_t cols, bool by_rows,
				 uint32_t height)
{
	constexpr uint32_t c0 = block_elements<T>;
	constexpr uint32_t pair = std::is_same_v<T, int4b_t> ? 2 : 1;
	uint32_t across = div_up(cols, c0), whole = by_rows ? rows / BLOCK_CUBE : 0;
	anpu_nd2nz_desc desc = {whole, BLOCK_CUBE, div_up(cols, pair), BLOCK_CUBE * pitch / pair, pitch / pair, BLOCK_CUBE, 1,
				across * BLOCK_CUBE * (c0 / pair)};

	if (pitch % pair)
		anpu_trap("Matmul: a row of int4b_t in GM has an even number of elements, so that the next one begins in a byte of its own");

	if (whole)
		anpu_tile_DMA_ND2NZ(to, from, ANPU_ADDR(&desc), ANPU_CTL(0, bits_type<CopyType<T>>, 0));
	desc.n = rows - whole * BLOCK_CUBE;
	desc.nd_num = 1;
	desc.dst_c0_stride = by_rows ? BLOCK_CUBE : height * BLOCK_CUBE;
	if (desc.n)
		anpu_tile_DMA_ND2NZ(to + whole * across * fractal_bytes, from + uint64_t(whole) * desc.src_nd_stride * sizeof(T),
				    ANPU_ADDR(&desc), ANPU_CTL(0, bits_type<CopyType<T>>, 0));
	return by_rows ? Fractals{to, across, 1} : Fractals{to, 1, height};
}

/*
 * Rows from @row and columns from @col of a matrix to L1. Squares of 4-bit types are four fractals high, of 8-bit
 * types two, squares of 32-bit types two fractals wide, of which the second may hold anything.
 */
template <class T, class Type>
ASCENDC_FN Fractals to_l1(uint32_t to, const MatrixIn &m, uint32_t row, uint32_t col, uint32_t rows, uint32_t cols,
			  bool by_rows)
{
	constexpr uint32_t c0 = block_elements<T>;
	constexpr Hardware where = Type::format == CubeFormat::SCALAR ? Hardware::GM : hardware_of(Type::pos);
	uint32_t height = div_up(rows, BLOCK_CUBE);

	if constexpr (sizeof(T) == 1)
		height = div_up(height, square_fractals<T>) * square_fractals<T>;
	if constexpr (Type::format == CubeFormat::SCALAR) {
		anpu_tile_DMA_FILL(to, height * div_up(cols, c0) * fractal_bytes, m.scalar, 0);
		return {to, 1, height};
	} else if constexpr (where == Hardware::L1) {
		/* in fractals already */
		return {uint32_t(m.place) + (row / BLOCK_CUBE + col / c0 * (m.pitch / BLOCK_CUBE)) * fractal_bytes, 1,
			m.pitch / BLOCK_CUBE};
	} else if constexpr (Type::format == CubeFormat::NZ) {
		uint32_t room = height * BLOCK_CUBE, len = room < m.pitch - row ? room : m.pitch - row;

		anpu_tile_DMA_BURST(to, m.place + bytes_of<T>(uint64_t(col) * m.pitch + uint64_t(row) * c0),
				    ANPU_BURSTS(div_up(cols, c0), len, m.pitch - len, room - len), 0);
		return {to, 1, height};
	} else if constexpr (where == Hardware::UB) {
		rows_from_ub<T>(to, m.place + bytes_of<T>(uint64_t(row) * m.pitch + col), m.pitch, rows, cols,
				height * BLOCK_CUBE);
		return {to, 1, height};
	} else {
		return rows_from_gm<T>(to, m.place + bytes_of<T>(uint64_t(row) * m.pitch + col), m.pitch, rows, cols,
				       by_rows, height);
	}
}

ASCENDC_FN void load(uint32_t to, uint32_t from, uint32_t count, uint32_t from_step, uint32_t to_step, uint64_t ctl)
{
	anpu_tile_LOAD2D(to, from, ANPU_LOAD2D(0, count, from_step, to_step), ctl);
}

/* A to L0A: fractals of 16 rows of m, row by row */
template <class T> ASCENDC_FN void to_l0a(const Fractals &f, uint32_t m1, uint32_t k, bool transposed)
{
	constexpr uint64_t type = load_type<T>;
	uint32_t k1 = div_up(k, block_elements<T>);

	if (!transposed) {
		for (uint32_t i = 0, all = f.down == k1 && f.across == 1; i < (all ? 1 : m1); i++)
			load(ANPU_L0A_BASE + i * k1 * fractal_bytes, f.address + i * f.down * fractal_bytes,
			     all ? m1 * k1 : k1, f.across, 1, type);
	} else if constexpr (sizeof(T) == 2) {
		for (uint32_t i = 0; i < m1; i++)
			load(ANPU_L0A_BASE + i * k1 * fractal_bytes, f.address + i * f.across * fractal_bytes, k1, f.down,
			     1, type | ANPU_CTL_TRANSPOSE);
	} else if constexpr (sizeof(T) == 4) {
		for (uint32_t i = 0; i < m1; i++)
			load(ANPU_L0A_BASE + i * k1 * fractal_bytes, f.address + 2 * i * f.across * fractal_bytes,
			     div_up(k, BLOCK_CUBE), f.down, 2,
			     ANPU_CTL(ANPU_LOAD_PAIR(f.across, 1), bits_type<T>, ANPU_LOAD_SQUARE));
	} else {
		constexpr uint32_t high = square_fractals<T>;

		for (uint32_t i = 0; i < div_up(m1, high); i++)
			load(ANPU_L0A_BASE + high * i * k1 * fractal_bytes, f.address + i * f.across * fractal_bytes, k1,
			     high * f.down, 1, type | ANPU_CTL(ANPU_LOAD_PAIR(f.down, k1), 0, ANPU_LOAD_SQUARE));
	}
}

/* B to L0B: fractals of 16 columns of n, row by row of k; B that is stored as n x k is transposed on the way */
template <class T> ASCENDC_FN void to_l0b(const Fractals &f, uint32_t n1, uint32_t k, bool transposed)
{
	constexpr uint64_t type = load_type<T>;
	uint32_t k1 = div_up(k, block_elements<T>), row = n1 * fractal_bytes;

	if (transposed) {
		for (uint32_t i = 0; i < k1; i++)
			load(ANPU_L0B_BASE + i * row, f.address + i * f.across * fractal_bytes, n1, f.down, 1,
			     type | ANPU_CTL_TRANSPOSE);
	} else if constexpr (sizeof(T) == 2) {
		for (uint32_t i = 0, all = f.down == n1 && f.across == 1; i < (all ? 1 : k1); i++)
			load(ANPU_L0B_BASE + i * row, f.address + i * f.down * fractal_bytes, all ? k1 * n1 : n1, f.across,
			     1, type);
	} else if constexpr (sizeof(T) == 4) {
		for (uint32_t i = 0; i < div_up(k, BLOCK_CUBE); i++)
			load(ANPU_L0B_BASE + 2 * i * row, f.address + i * f.down * fractal_bytes, n1, 2 * f.across, 1,
			     ANPU_CTL(ANPU_LOAD_PAIR(f.across, n1), bits_type<T>, ANPU_LOAD_SQUARE));
	} else {
		constexpr uint32_t high = square_fractals<T>;

		for (uint32_t i = 0; i < k1; i++)
			load(ANPU_L0B_BASE + i * row, f.address + high * i * f.down * fractal_bytes, div_up(n1, high), f.across,
			     high, type | ANPU_CTL(ANPU_LOAD_PAIR(f.down, 1), 0, ANPU_LOAD_SQUARE));
	}
}

/* How much of k fits into L0A and L0B at once beside @m1 and @n1 fractals, an even number of blocks */
template <class T> ASCENDC_FN uint32_t depth_of(uint32_t m1, uint32_t n1)
{
	uint32_t most = (m1 > n1 ? m1 : n1) + (sizeof(T) == 1 ? square_fractals<T> - 1 : 0);
	uint32_t k1 = l0_fractals / most / 2 * 2;

	if (!k1)
		anpu_trap("Matmul: baseM and baseN are at most 1008");
	return k1 * block_elements<T>;
}

} // namespace detail

} // namespace AscendC

#endif
