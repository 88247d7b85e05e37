/* SPDX-License-Identifier: MIT */
/* A tile of C: multiplied in L0C, and copied out in the form that the operator asks for. */
#ifndef ASCENDC_ADV_MATMUL_TILE_H
#define ASCENDC_ADV_MATMUL_TILE_H

#include "load.h"

namespace AscendC {

namespace detail {

/**
 * struct Tile - a part of C
 * @row, @col: its place in the C of this core, in elements
 * @m, @n: its size
 */
struct Tile {
	uint32_t row, col, m, n;
};

/* An element of a bias, whose type may be narrower than the sums */
template <class T> ASCENDC_FN auto wide_bias(T value)
{
	if constexpr (std::is_integral_v<T>)
		return int32_t(value);
	else
		return float(value);
}

/* The bias of a tile's columns, by the scalar unit, since copies to the bias table do not convert */
template <class T> ASCENDC_FN void fill_bias(uint64_t place, uint32_t n)
{
	auto table = reinterpret_cast<decltype(wide_bias(T())) *>(uintptr_t(ANPU_BT_BASE));

	if (n > ANPU_BT_SIZE / 4)
		anpu_trap("Matmul: a tile with a bias has at most 1024 columns (baseN)");
	for (uint32_t j = 0; j < n; j++)
		table[j] = wide_bias(reinterpret_cast<const T *>(place)[j]);
}

/**
 * struct TileOut - how a tile leaves L0C
 * @place: address of C, or of the tile
 * @pitch: elements from one row of C to the next (ND); rows of a column of fractals (NZ)
 * @row, @col: place of the tile in what @place points to
 * @mode: of the conversion
 * @words: of SetQuantVector()
 * @scalar: of SetQuantScalar()
 */
struct TileOut {
	uint64_t place;
	uint32_t pitch;
	uint32_t row, col;
	QuantMode_t mode;
	const uint64_t *words;
	uint64_t scalar;
};

/* In UB the rows of the last fractals that C does not have are zero, so that whole fractals can be read. */
ASCENDC_FN void clear_rows(uint32_t place, uint32_t step, uint32_t bytes, uint32_t columns)
{
	settle();
	for (uint32_t j = 0; j < columns; j++)
		anpu_tile_DMA_FILL(place + j * step, bytes, 0, 0);
}

template <class D, class S, bool nz>
ASCENDC_FN void tile_out(const TileOut &out, uint32_t from, const Tile &tile)
{
	constexpr uint32_t c0 = sizeof(D) == 1 ? 32 : 16;
	uint32_t m1 = div_up(tile.m, BLOCK_CUBE) * BLOCK_CUBE;
	struct {
		uint32_t mSize, nSize, srcStride, dstStride;
	} shape = {tile.m, tile.n, m1, nz ? out.pitch * c0 * uint32_t(sizeof(D)) / ONE_BLK_SIZE : out.pitch};
	uint64_t at = nz ? uint64_t(out.col) * out.pitch + uint64_t(out.row) * c0 :
			   uint64_t(out.row) * out.pitch + out.col;

	if (quant_is_vector(out.mode)) {
		if (tile.n > ANPU_FB_SIZE / 8)
			anpu_trap("Matmul: a tile with a vector of scales has at most 1024 columns (baseN)");
		for (uint32_t j = 0; j < tile.n; j++)
			reinterpret_cast<uint64_t *>(uintptr_t(ANPU_FB_BASE))[j] = quant_word(out.words[j]);
	} else if (quant_kind(out.mode) == ANPU_FIX_QUANT_SCALAR) {
		anpu_set_csr_quant(quant_word(out.scalar));
	}
	fix<D, S>(out.place + at * sizeof(D), from, shape, nz ? CO2Layout::NZ : CO2Layout::ROW_MAJOR, out.mode, false,
		  false, 1, 0, 0);
	if constexpr (nz) {
		if (out.place - ANPU_UB_BASE < ANPU_UB_SIZE && tile.m % BLOCK_CUBE)
			clear_rows(uint32_t(out.place + (at + tile.m * c0) * sizeof(D)), out.pitch * c0 * uint32_t(sizeof(D)),
				   (m1 - tile.m) * c0 * uint32_t(sizeof(D)), div_up(tile.n, c0));
	}
}

template <class T> ASCENDC_FN void set_atomic(uint8_t how)
{
	if (how == 1)
		SetAtomicAdd<T>();
	else if (how == 2)
		SetAtomicMax<T>();
	else if (how == 3)
		SetAtomicMin<T>();
	else if (how)
		anpu_trap("Matmul: enAtomic is 0 (store), 1 (add), 2 (max) or 3 (min)");
}

} // namespace detail

} // namespace AscendC

#endif
