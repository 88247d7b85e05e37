/* SPDX-License-Identifier: MIT */
/*
 * Instructions of the cube unit as functions that take addresses. In their operands an address below the size of a scratchpad
 * is a place in it, counted from its beginning, as on cores whose scratchpads begin at 0. anpucc defines ANPU_RAW_NAMES for
 * sources that call them, since others use such names for functions of their own.
 */
#ifndef ASCENDC_CUBE_BUILTINS_H
#define ASCENDC_CUBE_BUILTINS_H

#include "../core/builtins.h"
#include "../move/copy.h"
#include "fixpipe.h"
#include "load.h"
#include "mmad.h"


/* Whether fractals follow each other upwards */
enum addr_cal_mode_t { inc, dec };

namespace AscendC {
namespace detail {

template <class T> using RawElement = std::conditional_t<std::is_same_v<T, __fp16>, half, T>;

template <TPosition position, class T> ASCENDC_FN LocalTensor<RawElement<T>> raw_tensor(const T *address)
{
	constexpr Hardware where = hardware_of(position);
	constexpr uint32_t size = where == Hardware::UB ? ANPU_UB_SIZE : where == Hardware::L1 ? ANPU_L1_SIZE :
				  where == Hardware::L0A ? ANPU_L0A_SIZE : where == Hardware::L0B ? ANPU_L0B_SIZE : ANPU_L0C_SIZE;
	LocalTensor<RawElement<T>> tensor(position, 0, size / sizeof(T));

	tensor.address = static_cast<uint32_t>(scratchpad_place(address, base_of(where), size));
	return tensor;
}

template <class T> ASCENDC_FN GlobalTensor<RawElement<T>> raw_global(const T *address)
{
	GlobalTensor<RawElement<T>> tensor;

	tensor.SetGlobalBuffer(reinterpret_cast<RawElement<T> *>(reinterpret_cast<uintptr_t>(address)));
	return tensor;
}

} // namespace detail
} // namespace AscendC

/* Row-major matrices in global memory to fractals in L1; b32s is of 32 bits */
#define ASCENDC_ND2NZ_BUILTIN(name, bytes) \
	template <class T> \
	ASCENDC_FN void name(__cbuf__ T *dst, const __gm__ T *src, uint8_t, uint16_t ndNum, uint16_t nValue, uint16_t dValue, \
			     uint16_t srcNdMatrixStride, uint16_t srcDValue, uint16_t dstNzC0Stride, uint16_t dstNzNStride, \
			     uint16_t dstNzMatrixStride) \
	{ \
		static_assert(sizeof(T) == (bytes), #name " does not exist for this type of elements"); \
		AscendC::DataCopy(AscendC::detail::raw_tensor<AscendC::TPosition::A1>(dst), AscendC::detail::raw_global(src), \
				  AscendC::Nd2NzParams(ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, \
						       dstNzNStride, dstNzMatrixStride)); \
	}
ASCENDC_ND2NZ_BUILTIN(copy_gm_to_cbuf_multi_nd2nz_b8, 1)
ASCENDC_ND2NZ_BUILTIN(copy_gm_to_cbuf_multi_nd2nz_b16, 2)
ASCENDC_ND2NZ_BUILTIN(copy_gm_to_cbuf_multi_nd2nz_b32s, 4)
#undef ASCENDC_ND2NZ_BUILTIN

/* Fractals from L1 to L0A and L0B, as they are or transposed */
#define ASCENDC_LOAD_BUILTIN(name, position) \
	template <class T> \
	ASCENDC_FN void name(T *dst, const __cbuf__ T *src, uint16_t baseIdx, uint8_t repeat, uint16_t srcStride, uint16_t dstGap, \
			     uint8_t sid, bool transpose, addr_cal_mode_t mode) \
	{ \
		AscendC::LoadData(AscendC::detail::raw_tensor<AscendC::TPosition::position>(dst), \
				  AscendC::detail::raw_tensor<AscendC::TPosition::A1>(src), \
				  AscendC::LoadData2DParams(baseIdx, repeat, srcStride, sid, dstGap, transpose, mode)); \
	} \
	/* squares of fractals, each of which is transposed */ \
	template <class T> \
	ASCENDC_FN void name##_transpose(T *dst, const __cbuf__ T *src, uint16_t baseIdx, uint8_t repeat, uint16_t srcStride, \
					 uint16_t dstGap, addr_cal_mode_t mode, uint16_t dstFracGap) \
	{ \
		AscendC::LoadDataWithTranspose(AscendC::detail::raw_tensor<AscendC::TPosition::position>(dst), \
					       AscendC::detail::raw_tensor<AscendC::TPosition::A1>(src), \
					       AscendC::LoadData2dTransposeParams(baseIdx, repeat, srcStride, dstGap, dstFracGap, \
										  mode)); \
	}
ASCENDC_LOAD_BUILTIN(load_cbuf_to_ca, A2)
ASCENDC_LOAD_BUILTIN(load_cbuf_to_cb, B2)
#undef ASCENDC_LOAD_BUILTIN

/* c = a * b, or c += a * b without init */
template <class D, class A, class B>
ASCENDC_FN void mad(__cc__ D *c, const __ca__ A *a, const __cb__ B *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag,
		    bool kDirectionAlign, bool cmatrixSource, bool init)
{
	AscendC::MmadParams p(m, n, k, unitFlag, cmatrixSource, init);

	p.kDirectionAlign = kDirectionAlign;
	AscendC::Mmad(AscendC::detail::raw_tensor<AscendC::TPosition::CO1>(c), AscendC::detail::raw_tensor<AscendC::TPosition::A2>(a),
		      AscendC::detail::raw_tensor<AscendC::TPosition::B2>(b), p);
}

/* Matrices that a row-major copy_matrix_cc_to_gm() stores: their number, and from one to the next in L0C and in global memory */
ASCENDC_FN void set_nd_para(uint64_t config)
{
	AscendC::SetFixpipeNz2ndFlag(config & 0xffff, config >> 16 & 0xffff, config >> 32 & 0xffff);
}

template <class T> ASCENDC_FN void set_padding(T value) { AscendC::SetLoadDataPaddingValue(value); }

template <class T, class U>
ASCENDC_FN void copy_matrix_cc_to_gm(__gm__ T *dst, const __cc__ U *src, uint8_t, uint16_t nSize, uint16_t mSize, uint32_t dstStride,
				     uint16_t srcStride, uint8_t unitFlag, QuantMode_t quant, uint8_t relu, bool split, bool rows)
{
	AscendC::FixpipeParamsV220 p(nSize, mSize, srcStride, dstStride, relu);
	const AscendC::detail::State &s = *AscendC::detail::state();
	auto to = AscendC::detail::raw_global(dst);
	auto from = AscendC::detail::raw_tensor<AscendC::TPosition::CO1>(src);

	if (AscendC::detail::quant_kind(quant) != ANPU_FIX_QUANT_NONE)
		anpu_trap("copy_matrix_cc_to_gm: scales are not built for this function; use Fixpipe()");
	p.unitFlag = unitFlag;
	p.quantPre = quant;
	p.isChannelSplit = split;
	if (!rows) {
		AscendC::Fixpipe<AscendC::detail::RawElement<T>, U, AscendC::CFG_NZ>(to, from, p);
		return;
	}
	p.ndNum = s.nd_num ? s.nd_num : 1;
	p.srcNdStride = s.src_nd;
	p.dstNdStride = s.dst_nd;
	AscendC::Fixpipe<AscendC::detail::RawElement<T>, U, AscendC::CFG_ROW_MAJOR>(to, from, p);
}

#endif
