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

template <class T> ASCENDC_FN uint64_t place(const GlobalTensor<T> &tensor)
{
	return reinterpret_cast<uintptr_t>(tensor.address_);
}

template <class D, class S> ASCENDC_FN void copy_bursts(const D &dst, const S &src, const DataCopyParams &p)
{
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

/* Bytes behind the last whole block are left out, as hardware does; the checking mode tells the author so. */
template <class T, class D, class S> ASCENDC_FN void copy_blocks(const D &dst, const S &src, uint64_t count)
{
	uint64_t bytes = bytes_of<T>(count);

	if (bytes % ONE_BLK_SIZE && anpu_csr_checking()) {
		print_odd_bytes(bytes);
		anpu_trap("DataCopy: only whole blocks of 32 bytes are copied, and this leaves some bytes out; use DataCopyPad()");
	}
	anpu_tile_DMA_LIN(place(dst), place(src), bytes / ONE_BLK_SIZE * ONE_BLK_SIZE, 0);
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

template <class T, class U>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &p)
{
	static_assert(std::is_same_v<T, U> || sizeof(T) == sizeof(U),
		      "AscendC::DataCopy: conversions on the way from CO1 are Fixpipe() on this core");
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

/* Row-major global memory to fractals in L1 */
template <class T>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p)
{
	anpu_nd2nz_desc desc = {
		p.ndNum, p.nValue, p.dValue, uint32_t(p.srcNdMatrixStride), uint32_t(p.srcDValue),
		p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride,
	};

	anpu_tile_DMA_ND2NZ(detail::place(dst), detail::place(src), ANPU_ADDR(&desc),
			    ANPU_CTL(0, detail::bits_type<T>, 0));
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
