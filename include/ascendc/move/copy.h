/* SPDX-License-Identifier: MIT */
/* DataCopy between global memory and scratchpads, and between scratchpads. */
#ifndef ASCENDC_MOVE_COPY_H
#define ASCENDC_MOVE_COPY_H

#include "../core/params.h"
#include "../core/tensor.h"

namespace AscendC {

namespace detail {

template <class T> ASCENDC_FN uint64_t place(const LocalTensor<T> &tensor)
{
	return tensor.address;
}

__attribute__((noinline)) inline void print_odd_place(uint64_t address, uint32_t size)
{
	anpu_printf("the tensor's part begins at 0x%llx, which is no multiple of the %u bytes of its elements\n",
		    static_cast<unsigned long long>(address), size);
}

/* Copies by bytes work at any address here; elements of other addresses are refused by the checking mode */
template <class T> ASCENDC_FN uint64_t place(const GlobalTensor<T> &tensor)
{
	uint64_t address = reinterpret_cast<uintptr_t>(tensor.address_);

	if (address % sizeof(T) && anpu_csr_checking()) {
		print_odd_place(address, sizeof(T));
		anpu_trap("global memory is used at an address that is no multiple of the element's size; look at the pointer and the offset");
	}
	return address;
}

constexpr const char *type_name(uint64_t type)
{
	switch (type) {
#define X(name, number, ...) \
	case number: \
		return #name;
	ANPU_TYPES(X)
#undef X
	default:
		return "?";
	}
}

__attribute__((noinline)) inline void print_atomic_type(uint64_t set, uint64_t copied)
{
	anpu_printf("SetAtomicAdd() or the like was told the type %s, and this copy's elements are %s\n", type_name(set), type_name(copied));
}

/*
 * The checking mode looks at a copy's tensors. An atomic operation may be for elements of another type than the tensor's if that is one of
 * integers without a sign or of bytes, as these are views of others.
 */
template <class T> ASCENDC_FN void check_to(const GlobalTensor<T> &dst, uint64_t bytes)
{
	dst.check_copy(bytes);
	if constexpr (looks_at_indices && (is_float<T> || std::is_same_v<T, int32_t> || std::is_same_v<T, int16_t>)) {
		uint64_t atomic = anpu_csr_atomic();

		if (atomic & 0xff && atomic >> 8 != uint64_t(type_of<T>) && anpu_csr_checking()) {
			print_atomic_type(atomic >> 8, uint64_t(type_of<T>));
			anpu_trap("the atomic copy's elements are of another type than SetAtomicAdd(), SetAtomicMax() or SetAtomicMin() was told");
		}
	}
}

template <class T> ASCENDC_FN void check_to(const LocalTensor<T> &, uint64_t) {}
template <class T> ASCENDC_FN void check_from(const LocalTensor<T> &, uint64_t) {}

template <class T> ASCENDC_FN void check_from(const GlobalTensor<T> &src, uint64_t bytes)
{
	src.check_copy(bytes);
}

/* Bytes from the beginning of the first of @count pieces to the end of the last one */
ASCENDC_FN uint64_t extent(uint64_t count, uint64_t len, uint64_t gap)
{
	return count ? count * (len + gap) - gap : 0;
}

/* In a copy to C2 lengths and gaps of the destination are units of 64 bytes (on the newest cores 32), to C2PIPE2GM of 128; elsewhere blocks. */
#if defined(__NPU_ARCH__) && __NPU_ARCH__ >= 3510
constexpr uint32_t bias_unit = 1;
#else
constexpr uint32_t bias_unit = 2;
#endif

template <class T> ASCENDC_FN uint32_t copy_unit(const GlobalTensor<T> &)
{
	return 1;
}

template <class T> ASCENDC_FN uint32_t copy_unit(const LocalTensor<T> &dst)
{
	return dst.address - ANPU_BT_BASE < ANPU_BT_SIZE ? bias_unit : dst.address - ANPU_FB_BASE < ANPU_FB_SIZE ? 4 : 1;
}

/* Blocks in ascending order, so that a part of a scratchpad may move towards the beginning within a buffer */
ASCENDC_FN void copy_down(uint64_t dst, uint64_t src, uint64_t bytes)
{
	uint64_t step = src - dst;

	if (dst < src)
		for (; bytes > step; bytes -= step) {
			anpu_tile_DMA_LIN(dst, src, step, 0);
			dst += step;
			src += step;
		}
	anpu_tile_DMA_LIN(dst, src, bytes, 0);
}

/* A core's instruction has 12 bits for the number of bursts */
constexpr uint32_t burst_limit = 4095;

ASCENDC_FN void check_bursts(uint32_t count)
{
	if (count > burst_limit && anpu_csr_checking())
		anpu_trap("DataCopy: blockCount is greater than 4095, and a core would copy its lowest 12 bits; copy in several steps");
}

template <class D, class S> ASCENDC_FN void copy_bursts(const D &dst, const S &src, const DataCopyParams &given)
{
	uint32_t unit = copy_unit(dst);
	DataCopyParams p = given;

	check_bursts(p.blockCount);
	p.blockLen = static_cast<uint16_t>(p.blockLen * unit);
	if (unit == 4 && p.blockCount > 1)
		p.srcGap = static_cast<uint16_t>(p.srcGap - p.blockLen);	/* from the beginning of a burst to that of the next */
	p.dstGap = static_cast<uint16_t>(p.dstGap * unit);
	check_to(dst, extent(p.blockCount, p.blockLen, p.dstGap) * ONE_BLK_SIZE);
	check_from(src, extent(p.blockCount, p.blockLen, p.srcGap) * ONE_BLK_SIZE);
	if constexpr (std::is_same_v<D, S>) {
		uint64_t to = place(dst), from = place(src);

		if (to < from && from < to + uint64_t(p.blockCount) * (p.blockLen + p.dstGap) * ONE_BLK_SIZE) {
			for (uint32_t i = 0; i < p.blockCount; i++)
				copy_down(to + uint64_t(i) * (p.blockLen + p.dstGap) * ONE_BLK_SIZE,
					  from + uint64_t(i) * (p.blockLen + p.srcGap) * ONE_BLK_SIZE, uint64_t(p.blockLen) * ONE_BLK_SIZE);
			return;
		}
	}
	if (p.blockCount == 1)
		anpu_tile_DMA_LIN(place(dst), place(src), uint64_t(p.blockLen) * ONE_BLK_SIZE, 0);
	else
		anpu_tile_DMA_BURST(place(dst), place(src),
				    ANPU_BURSTS(p.blockCount, p.blockLen, p.srcGap, p.dstGap), 0);
}

__attribute__((noinline)) inline void print_odd_bytes(uint64_t bytes)
{
	anpu_printf("DataCopy: %llu bytes are no multiple of 32: the first %llu would be copied\n",
		    static_cast<unsigned long long>(bytes),
		    static_cast<unsigned long long>(bytes / ONE_BLK_SIZE * ONE_BLK_SIZE));
}

/*
 * Bytes behind the last whole block are left out, as hardware does; the checking mode tells the author so. Elements of 4 bits
 * count as a byte each for the question how many blocks there are, so half a block of them is a block.
 */
template <class T, class D, class S> ASCENDC_FN void copy_blocks(const D &dst, const S &src, uint64_t count)
{
	uint64_t bytes = bytes_of<T>(count);

	if constexpr (std::is_same_v<T, int4b_t>)
		bytes = (bytes + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
	if (bytes % ONE_BLK_SIZE && anpu_csr_checking()) {
		print_odd_bytes(bytes);
		anpu_trap("DataCopy: only whole blocks of 32 bytes are copied, and this leaves some bytes out; use DataCopyPad()");
	}
	bytes = bytes / ONE_BLK_SIZE * ONE_BLK_SIZE;
	check_to(dst, bytes);
	check_from(src, bytes);
	if constexpr (std::is_same_v<D, S>)
		copy_down(place(dst), place(src), bytes);
	else
		anpu_tile_DMA_LIN(place(dst), place(src), bytes, 0);
}

} // namespace detail

/* count elements; their bytes are a multiple of 32, or those behind the last whole block are not copied */
template <class T>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count)
{
	detail::copy_blocks<T>(dst, src, count);
}

template <class T>
ASCENDC_FN void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
	detail::copy_blocks<T>(dst, src, count);
}

template <class T>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
	detail::copy_blocks<T>(dst, src, count);
}

template <class T>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p)
{
	detail::copy_bursts(dst, src, p);
}

template <class T>
ASCENDC_FN void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
	detail::copy_bursts(dst, src, p);
}

namespace detail {

/* A bias of half in L1 becomes float on its way to C2, on the scalar unit; lengths are those of the source */
__attribute__((noinline)) inline void copy_bias(const LocalTensor<float> &dst, const LocalTensor<half> &src, const DataCopyParams &p)
{
	if (dst.address - ANPU_BT_BASE >= ANPU_BT_SIZE)
		anpu_trap("DataCopy from half to float is for a bias on its way to C2; conversions on the way from CO1 are Fixpipe() on this core");
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	for (uint32_t burst = 0; burst < p.blockCount; burst++) {
		uint32_t n = p.blockLen * bias_unit * ONE_BLK_SIZE / uint32_t(sizeof(half));
		uint32_t to = burst * (n + p.dstGap * bias_unit * 8), from = burst * (n + p.srcGap * 16u);

		for (uint32_t i = 0; i < n; i++)
			dst.SetValue(to + i, static_cast<float>(src.GetValue(from + i)));
	}
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

} // namespace detail

template <class T, class U>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &p)
{
	static_assert(std::is_same_v<T, U> || sizeof(T) == sizeof(U) || (std::is_same_v<T, float> && std::is_same_v<U, half>),
		      "AscendC::DataCopy: conversions on the way from CO1 are Fixpipe() on this core");
	if constexpr (sizeof(T) != sizeof(U))
		detail::copy_bias(dst, src, p);
	else
		detail::copy_bursts(dst, src, p);
}

/* The same with what copies from CO1 need; others have nothing to say there */
struct DataCopyEnhancedParams;

template <class T>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p, const DataCopyEnhancedParams &)
{
	detail::copy_bursts(dst, src, p);
}

template <class T>
ASCENDC_FN void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p, const DataCopyEnhancedParams &)
{
	detail::copy_bursts(dst, src, p);
}

namespace detail {

/* The same to UB: each block of columns as bursts of one block, whose rest is zero */
template <class T> ASCENDC_FN void nd2nz_pads(uint64_t dst, uint64_t src, const Nd2NzParams &p)
{
	constexpr uint32_t c0 = ONE_BLK_SIZE / sizeof(T);

	for (uint32_t nd = 0; nd < p.ndNum; nd++)
		for (uint32_t at = 0; at < p.dValue; at += c0) {
			uint64_t bytes = (p.dValue - at < c0 ? p.dValue - at : c0) * sizeof(T);
			uint64_t from = src + (nd * p.srcNdMatrixStride + at) * sizeof(T);
			uint64_t to = dst + nd * p.dstNzMatrixStride * sizeof(T) + uint64_t(at / c0) * p.dstNzC0Stride * ONE_BLK_SIZE;

			anpu_tile_DMA_PAD(to, from, ANPU_PAD_BURSTS(uint64_t(p.nValue), bytes, 0ull, 0ull),
					  ANPU_PAD_GAPS(p.srcDValue * sizeof(T) - bytes, uint64_t(p.dstNzNStride) - 1));
		}
}

} // namespace detail

/* Row-major global memory to fractals in L1 or UB */
template <class T>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p)
{
	if (dst.address - ANPU_UB_BASE < ANPU_UB_SIZE) {
		detail::nd2nz_pads<T>(dst.address, detail::place(src), p);
		return;
	}
	anpu_nd2nz_desc desc = {
		p.ndNum, p.nValue, p.dValue, uint32_t(p.srcNdMatrixStride), uint32_t(p.srcDValue),
		p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride,
	};

	anpu_tile_DMA_ND2NZ(detail::place(dst), detail::place(src), ANPU_ADDR(&desc),
			    ANPU_CTL(0, detail::bits_type<T>, 0));
}

/**
 * struct Nz2NdParamsFull - @ndNum matrices of @nValue rows of @dValue elements in UB, in columns of 16 elements: @srcNdMatrixStride is from
 * matrix to matrix in 256 elements, @srcNStride from column to column in 16 elements, strides of dst in elements
 */
struct Nz2NdParamsFull {
	ASCENDC_FN constexpr Nz2NdParamsFull() {}
	ASCENDC_FN constexpr Nz2NdParamsFull(uint16_t nds, uint16_t n, uint16_t d, uint16_t src_nd, uint16_t src_n, uint16_t dst_d,
					     uint16_t dst_nd)
		: ndNum(nds), nValue(n), dValue(d), srcNdMatrixStride(src_nd), srcNStride(src_n), dstDStride(dst_d), dstNdMatrixStride(dst_nd)
	{
	}

	uint16_t ndNum = 1;
	uint16_t nValue = 0;
	uint16_t dValue = 0;
	uint16_t srcNdMatrixStride = 1;
	uint16_t srcNStride = 0;
	uint16_t dstDStride = 0;
	uint16_t dstNdMatrixStride = 1;
};

/* Columns of 16 elements in UB to row-major global memory */
template <class T>
ASCENDC_FN void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const Nz2NdParamsFull &p)
{
	static_assert(sizeof(T) >= 2, "AscendC::DataCopy from fractals in UB is for types of 16 bits and more");
	constexpr uint64_t bytes = 16 * sizeof(T);

	for (uint32_t nd = 0; nd < p.ndNum; nd++)
		for (uint32_t at = 0; at < p.dValue; at += 16)
			anpu_tile_DMA_PAD(detail::place(dst) + (uint64_t(nd) * p.dstNdMatrixStride + at) * sizeof(T),
					  src.address + (uint64_t(nd) * p.srcNdMatrixStride * 256 + at * uint64_t(p.srcNStride)) * sizeof(T),
					  ANPU_PAD_BURSTS(uint64_t(p.nValue), bytes, 0ull, 0ull),
					  ANPU_PAD_GAPS(0ull, p.dstDStride * sizeof(T) - bytes));
}

namespace detail {

/* The parts of a tensor of several dimensions, the last one in bursts of blocks */
template <class D, class S>
ASCENDC_FN void copy_slices(const D &dst, const S &src, const SliceInfo *to, const SliceInfo *from,
			    uint32_t dims, uint32_t size)
{
	uint32_t bursts = (from[0].endIndex - from[0].startIndex + 1 + from[0].stride) /
			  (from[0].burstLen * ONE_BLK_SIZE / size + from[0].stride);
	uint32_t rows = 1;

	for (uint32_t d = 1; d < dims; d++)
		rows *= (from[d].endIndex - from[d].startIndex + 1 + from[d].stride) / (1 + from[d].stride);
	for (uint32_t r = 0; r < rows; r++) {
		uint64_t at[2] = {to[0].startIndex, from[0].startIndex}, rest[2] = {r, r}, unit[2] = {1, 1};
		const SliceInfo *of[2] = {to, from};

		for (uint32_t d = 1; d < dims; d++) {
			for (int side = 0; side < 2; side++) {
				const SliceInfo &part = of[side][d];
				uint64_t n = (part.endIndex - part.startIndex + 1 + part.stride) / (1 + part.stride);

				unit[side] *= of[side][d - 1].shapeValue;
				at[side] += (part.startIndex + rest[side] % n * (1 + part.stride)) * unit[side];
				rest[side] /= n;
			}
		}
		anpu_tile_DMA_BURST(place(dst) + at[0] * size, place(src) + at[1] * size,
				    ANPU_BURSTS(bursts, from[0].burstLen, from[0].stride * size / ONE_BLK_SIZE,
						to[0].stride * size / ONE_BLK_SIZE), 0);
	}
}

} // namespace detail

template <class T>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo to[],
			 const SliceInfo from[], uint32_t dims = 1)
{
	detail::copy_slices(dst, src, to, from, dims, sizeof(T));
}

template <class T>
ASCENDC_FN void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo to[],
			 const SliceInfo from[], uint32_t dims = 1)
{
	detail::copy_slices(dst, src, to, from, dims, sizeof(T));
}

/** Copy() - within UB by the vector unit, with mask, repeats and strides: vector/unary.h */

template <class T, CacheLine whole = CacheLine::SINGLE_CACHE_LINE, DcciDst where = DcciDst::CACHELINE_ALL, class Tensor>
ASCENDC_FN void DataCacheCleanAndInvalid(const Tensor &tensor)
{
	anpu_sys_DCCI(detail::place(tensor), 64);
}

template <class T, CacheLine whole, class Tensor>
ASCENDC_FN void DataCachePreload(const Tensor &, int64_t)
{
}

template <class T> ASCENDC_FN void DataCachePreload(const GlobalTensor<uint64_t> &, const T) {}

} // namespace AscendC

#endif
