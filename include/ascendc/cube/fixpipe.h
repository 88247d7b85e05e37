/* SPDX-License-Identifier: MIT */
/* Fixpipe: results out of L0C, with conversion, quantisation, relu and layout. */
#ifndef ASCENDC_CUBE_FIXPIPE_H
#define ASCENDC_CUBE_FIXPIPE_H

#include "load.h"

namespace AscendC {

namespace detail {

/* Ascend C packs an offset of 9 bits at bit 37, this core one of 16 bits at bit 32. */
ASCENDC_FN uint64_t quant_word(uint64_t word)
{
	int64_t offset = static_cast<int64_t>(word << 18) >> 55;

	return uint32_t(word) | (static_cast<uint64_t>(offset) & 0xffff) << 32;
}

ASCENDC_FN bool quant_is_vector(QuantMode_t mode)
{
	return mode == VREQ8 || mode == VDEQF16 || mode == VQF322B8_PRE || mode == VQF322HIF8_PRE ||
	       mode == VQF322F16_PRE || mode == VQF322BF16_PRE || mode == VQF322F32_PRE;
}

ASCENDC_FN uint8_t quant_kind(QuantMode_t mode)
{
	if (mode == NoQuant || mode == F322F16 || mode == F322BF16)
		return ANPU_FIX_QUANT_NONE;
	return quant_is_vector(mode) ? ANPU_FIX_QUANT_VECTOR : ANPU_FIX_QUANT_SCALAR;
}

template <class D, class S, class P>
ASCENDC_FN void fix(uint64_t dst, uint64_t src, const P &p, CO2Layout layout, QuantMode_t quant, bool split,
		    bool relu, uint32_t nd_num, uint32_t src_nd, uint32_t dst_nd)
{
	anpu_fix_desc desc = {
		uint16_t(p.mSize), uint16_t(p.nSize), p.srcStride, uint32_t(p.dstStride), quant_kind(quant), relu,
		ANPU_FIX_ND, uint8_t(nd_num ? nd_num : 1), src_nd, dst_nd,
		quant_is_vector(quant) ? ANPU_FB_BASE : 0u, 0,
	};

	static_assert(type_of<D> >= 0, "AscendC::Fixpipe does not exist for this type of elements");
	if (layout == CO2Layout::NZ && sizeof(D) == 4 && !split) {
		/* fractals of 16 columns of 32 bits: each column of fractals is a matrix of its own */
		desc.n = 16;
		desc.nd_num = uint8_t((p.nSize + 15) / 16);
		desc.src_nd_stride = p.srcStride / 16;
		desc.dst_nd_stride = uint32_t(p.dstStride) * 8;
		desc.dst_stride = 16;
	} else if (layout == CO2Layout::NZ) {
		desc.layout = ANPU_FIX_NZ;
		desc.nd_num = 1;
		desc.src_nd_stride = desc.dst_nd_stride = 0;
	} else if (desc.nd_num == 1) {
		desc.src_nd_stride = desc.dst_nd_stride = 0;
	}
	anpu_tile_FIXPIPE(dst, src, ANPU_ADDR(&desc),
			  ANPU_CTL(0, type_of<D>, 0) | uint64_t(type_of<S>) << ANPU_CTL_TYPE2_SHIFT);
}

/* Words for each column, from L1 to FB in this core's form */
ASCENDC_FN void fix_words(const LocalTensor<uint64_t> &words, uint32_t n)
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	for (uint32_t j = 0; j < n; j++)
		reinterpret_cast<uint64_t *>(uintptr_t(ANPU_FB_BASE))[j] = quant_word(words.GetValue(j));
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

template <class D, class S, class Out, const FixpipeConfig &config>
ASCENDC_FN void fixpipe(const Out &dst, const LocalTensor<S> &src, const FixpipeParamsV220 &p)
{
	static_assert(config.format != CO2Layout::COLUMN_MAJOR, "AscendC::Fixpipe: CO2Layout::COLUMN_MAJOR is not supported here: the core stores rows");
	if (quant_kind(p.quantPre) == ANPU_FIX_QUANT_SCALAR)
		anpu_set_csr_quant(quant_word(p.deqScalar));
	fix<D, Co1Type<S>>(place(dst), co1_address(src), p, config.format, p.quantPre, p.isChannelSplit, p.reluEn, p.ndNum,
		  p.srcNdStride, p.dstNdStride);
}

} // namespace detail

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR>
ASCENDC_FN void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &params)
{
	detail::fixpipe<T, U, GlobalTensor<T>, config>(dst, src, params);
}

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR>
ASCENDC_FN void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &params)
{
	detail::fixpipe<T, U, LocalTensor<T>, config>(dst, src, params);
}

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR>
ASCENDC_FN void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
			const LocalTensor<uint64_t> &words, const FixpipeParamsV220 &params)
{
	detail::fix_words(words, params.nSize);
	detail::fixpipe<T, U, GlobalTensor<T>, config>(dst, src, params);
}

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR>
ASCENDC_FN void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
			const LocalTensor<uint64_t> &words, const FixpipeParamsV220 &params)
{
	detail::fix_words(words, params.nSize);
	detail::fixpipe<T, U, LocalTensor<T>, config>(dst, src, params);
}

namespace detail {

template <class T, CO2Layout format> ASCENDC_FN FixpipeParamsV220 fix_params(const FixpipeParamsArch3510<format> &newer)
{
	FixpipeParamsV220 p(newer.nSize, newer.mSize, newer.srcStride, newer.dstStride, newer.reluEn);

	static_assert(format != CO2Layout::COLUMN_MAJOR, "AscendC::Fixpipe: CO2Layout::COLUMN_MAJOR is not supported here: the core stores rows");
	if (newer.dualDstCtl || newer.subBlockId)
		anpu_trap("Fixpipe: dualDstCtl and subBlockId name the UB of a vector core, which a cube core cannot reach here; write to global memory");
	if (format == CO2Layout::NZ) {
		if (newer.dstStride * sizeof(T) % ONE_BLK_SIZE)
			anpu_trap("Fixpipe: columns of fractals begin at multiples of 32 bytes: look at dstStride, which counts elements");
		p.dstStride = newer.dstStride * uint32_t(sizeof(T)) / ONE_BLK_SIZE;
	}
	p.quantPre = newer.quantPre;
	p.deqScalar = newer.deqScalar;
	p.unitFlag = newer.unitFlag;
	p.isChannelSplit = newer.isChannelSplit;
	if constexpr (format == CO2Layout::ROW_MAJOR) {
		p.ndNum = newer.params.ndNum;
		p.srcNdStride = newer.params.srcNdStride;
		p.dstNdStride = uint16_t(newer.params.dstNdStride);
		if (newer.params.ndNum > 1 && newer.params.dstNdStride > 65535)
			anpu_trap("Fixpipe: matrices lie at most 65535 elements apart (params.dstNdStride)");
	}
	return p;
}

/* The layout is that of the configuration, and the parameters have the same */
template <const FixpipeConfig &config, CO2Layout format> ASCENDC_FN void same_format()
{
	static_assert(config.format == format, "AscendC::Fixpipe: FixpipeParamsArch3510 has another layout than the FixpipeConfig");
}

} // namespace detail

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR, CO2Layout format>
ASCENDC_FN void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsArch3510<format> &params)
{
	detail::same_format<config, format>();
	Fixpipe<T, U, config>(dst, src, detail::fix_params<T>(params));
}

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR, CO2Layout format>
ASCENDC_FN void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsArch3510<format> &params)
{
	detail::same_format<config, format>();
	Fixpipe<T, U, config>(dst, src, detail::fix_params<T>(params));
}

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR, CO2Layout format>
ASCENDC_FN void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint64_t> &words,
			const FixpipeParamsArch3510<format> &params)
{
	detail::same_format<config, format>();
	Fixpipe<T, U, config>(dst, src, words, detail::fix_params<T>(params));
}

template <class T, class U, const FixpipeConfig &config = CFG_ROW_MAJOR, CO2Layout format>
ASCENDC_FN void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint64_t> &words,
			const FixpipeParamsArch3510<format> &params)
{
	detail::same_format<config, format>();
	Fixpipe<T, U, config>(dst, src, words, detail::fix_params<T>(params));
}

namespace detail {

/* The older parameters in the newer ones' words: a fractal has 16 rows, so columns of them start at whole fractals in CO1 */
template <class T, class U> ASCENDC_FN FixpipeParamsV220 fix_params(const FixpipeParams<U> &old)
{
	FixpipeParamsV220 p;

	p.mSize = uint16_t(old.burstLen * ONE_BLK_SIZE / (16 * sizeof(U)));
	p.nSize = old.nz2ndParams.nz2ndEn ? old.nz2ndParams.originalNSize : uint16_t(old.cburstNum * 16);
	p.srcStride = uint16_t((p.mSize + 15) / 16 * 16 + old.srcStride * 16);
	p.dstStride = old.nz2ndParams.nz2ndEn ? old.dstStride : p.mSize * 16 * sizeof(T) / ONE_BLK_SIZE + old.dstStride;
	p.quantPre = old.quantParams.quantPre;
	p.deqScalar = old.quantParams.deqScalar;
	p.ndNum = old.nz2ndParams.ndNum;
	p.srcNdStride = old.nz2ndParams.srcNdStride;
	p.dstNdStride = old.nz2ndParams.dstNdStride;
	p.reluEn = old.reluEn;
	return p;
}

} // namespace detail

template <class T, class U>
ASCENDC_FN void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParams<U> &params)
{
	if (params.nz2ndParams.nz2ndEn)
		Fixpipe<T, U, CFG_ROW_MAJOR>(dst, src, detail::fix_params<T>(params));
	else
		Fixpipe<T, U, CFG_NZ>(dst, src, detail::fix_params<T>(params));
}

template <class T, class U>
ASCENDC_FN void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParams<U> &params)
{
	if (params.nz2ndParams.nz2ndEn)
		Fixpipe<T, U, CFG_ROW_MAJOR>(dst, src, detail::fix_params<T>(params));
	else
		Fixpipe<T, U, CFG_NZ>(dst, src, detail::fix_params<T>(params));
}

/* The same with a word of quantisation for each column */
template <class T, class U>
ASCENDC_FN void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint64_t> &words, const FixpipeParams<U> &params)
{
	detail::fix_words(words, detail::fix_params<T>(params).nSize);
	Fixpipe(dst, src, params);
}

template <class T, class U>
ASCENDC_FN void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint64_t> &words, const FixpipeParams<U> &params)
{
	detail::fix_words(words, detail::fix_params<T>(params).nSize);
	Fixpipe(dst, src, params);
}

/*
 * Results as they lie in CO1, to UB: lengths and gaps of the source in fractals of 256 elements, gaps of the destination
 * in blocks of 32 bytes; BLOCK_MODE_VECTOR copies the first row of each fractal. Only a kernel that runs on a whole core has both scratchpads.
 */
template <class T, class U>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &p,
			 const DataCopyEnhancedParams &how)
{
	if (src.address - ANPU_L0C_BASE >= ANPU_L0C_SIZE) {
		DataCopy(dst, src, p);
		return;
	}
	bool vector = how.blockMode == BlockMode::BLOCK_MODE_VECTOR;

	if ((how.blockMode != BlockMode::BLOCK_MODE_MATRIX && !vector) || (how.deqScale != DeqScale::DEQ && how.deqScale != DeqScale::DEQ_NONE) ||
	    how.padMode != pad_t::PAD_NONE)
		anpu_trap("DataCopy from CO1: only BLOCK_MODE_MATRIX and BLOCK_MODE_VECTOR with plain conversion are built");
	for (uint32_t i = 0; i < p.blockCount; i++) {
		struct {
			uint32_t mSize, nSize, srcStride, dstStride;
		} part = {p.blockLen * 16u, 16, p.blockLen * 16u, 16};

		if (vector)
			part = {1, p.blockLen * 16u, 16, p.blockLen * 16u};
		detail::fix<T, detail::Co1Type<U>>(
			dst.address + i * (p.blockLen * (vector ? 16u : 256u) * sizeof(T) + p.dstGap * ONE_BLK_SIZE),
			detail::co1_address(src) + i * (p.blockLen + p.srcGap) * 1024u, part, CO2Layout::ROW_MAJOR, NoQuant, false,
			how.isRelu, 1, 0, 0);
	}
}

/* The same by DataCopy(), with the matrices of SetFixpipeNz2ndFlag() */
ASCENDC_FN void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride)
{
	detail::State *state = detail::state();

	state->nd_num = ndNum;
	state->src_nd = srcNdStride;
	state->dst_nd = dstNdStride;
}

ASCENDC_FN void SetFixpipePreQuantFlag(uint64_t config)
{
	anpu_set_csr_quant(detail::quant_word(config));
}

template <class T, bool setRelu = false> ASCENDC_FN void SetFixPipeConfig(const LocalTensor<T> &preQuant, bool = false)
{
	static_assert(!setRelu, "AscendC::SetFixPipeConfig: slopes of a ReLU by column are not built");
	detail::fix_words(preQuant, ANPU_FB_SIZE / 8 < preQuant.GetSize() ? ANPU_FB_SIZE / 8 : preQuant.GetSize());
}

/* The name that sources take from the library's inside; slopes of a ReLU by column are not built */
template <class T, bool setRelu = false> ASCENDC_FN void SetFixPipeConfigImpl(const LocalTensor<T> &preQuant, bool unitFlag = false)
{
	SetFixPipeConfig<T, setRelu>(preQuant, unitFlag);
}

template <class T> ASCENDC_FN void SetFixPipeConfigImpl(const LocalTensor<T> &, const LocalTensor<T> &, bool = false)
{
	static_assert(detail::no<T>, "AscendC::SetFixPipeConfigImpl: slopes of a ReLU by column are not built");
}

template <class T, class U>
ASCENDC_FN void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &p)
{
	detail::State *state = detail::state();

	detail::fix<T, detail::Co1Type<U>>(detail::place(dst), detail::co1_address(src), p,
			  p.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ, p.quantPre, p.channelSplit, p.reluPre,
			  state->nd_num, state->src_nd, state->dst_nd);
}

template <class T, class U>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyCO12DstParams &p)
{
	detail::State *state = detail::state();

	detail::fix<T, detail::Co1Type<U>>(dst.address, detail::co1_address(src), p, p.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ, p.quantPre,
			  p.channelSplit, p.reluPre, state->nd_num, state->src_nd, state->dst_nd);
}

} // namespace AscendC

#endif
