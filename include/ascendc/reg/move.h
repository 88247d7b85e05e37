/* SPDX-License-Identifier: MIT */
/*
 * Between UB and registers: LoadAlign(), StoreAlign() and DataCopy(), which is both; the forms that are not aligned; gather
 * and scatter; masks. Template arguments come in any order that the interface has: each form picks what it knows.
 */
#ifndef ASCENDC_REG_MOVE_H
#define ASCENDC_REG_MOVE_H

#include "mask.h"

namespace AscendC {
namespace MicroAPI {
namespace detail {

template <class R> inline constexpr bool is_reg = false;
template <class T, const RegTrait &trait> inline constexpr bool is_reg<RegTensor<T, trait>> = true;
template <class R> using if_reg = std::enable_if_t<is_reg<std::decay_t<R>>>;
template <class P> using element = std::remove_cv_t<std::remove_pointer_t<std::decay_t<P>>>;

/* Bytes of a slot whose lower part is an element of UB */
constexpr ASCENDC_FN uint32_t slot_of(LoadDist d)
{
	return d == LoadDist::DIST_UNPACK_B8 ? 2 : d == LoadDist::DIST_UNPACK_B16 || d == LoadDist::DIST_UNPACK4_B8 ? 4 : 8;
}

constexpr ASCENDC_FN uint32_t part_of(LoadDist d)
{
	return d == LoadDist::DIST_UNPACK_B8 || d == LoadDist::DIST_UNPACK4_B8 ? 1 : d == LoadDist::DIST_UNPACK_B16 ? 2 : 4;
}

constexpr ASCENDC_FN uint32_t slot_of(StoreDist d)
{
	return d == StoreDist::DIST_PACK_B16 ? 2 : d == StoreDist::DIST_PACK_B64 ? 8 : 4;
}

constexpr ASCENDC_FN uint32_t part_of(StoreDist d)
{
	return d == StoreDist::DIST_PACK_B16 || d == StoreDist::DIST_PACK4_B32 ? 1 : d == StoreDist::DIST_PACK_B32 ? 2 : 4;
}

template <LoadDist d> inline constexpr bool unpacks =
	d == LoadDist::DIST_UNPACK_B8 || d == LoadDist::DIST_UNPACK_B16 || d == LoadDist::DIST_UNPACK_B32 || d == LoadDist::DIST_UNPACK4_B8;
template <StoreDist d> inline constexpr bool packs =
	d == StoreDist::DIST_PACK_B16 || d == StoreDist::DIST_PACK_B32 || d == StoreDist::DIST_PACK_B64 || d == StoreDist::DIST_PACK4_B32;

template <LoadDist d, class R, class T> ASCENDC_FN void load(R &dst, const T *src)
{
	using E = typename R::Alias;
	constexpr uint32_t n = R::count, block = 32 / sizeof(E);
	const E *from = reinterpret_cast<const E *>(src);

	if constexpr (unpacks<d>) {
		const uint8_t *at = reinterpret_cast<const uint8_t *>(src);

		for (uint32_t i = 0; i < sizeof(dst.bytes); i++)
			dst.bytes[i] = i % slot_of(d) < part_of(d) ? at[i / slot_of(d) * part_of(d) + i % slot_of(d)] : 0;
	}
	for (uint32_t i = 0; !unpacks<d> && i < n; i++) {
		if constexpr (d == LoadDist::DIST_NORM || unpacks<d>)
			dst.put(i, from[i]);
		else if constexpr (d == LoadDist::DIST_BRC_B8 || d == LoadDist::DIST_BRC_B16 || d == LoadDist::DIST_BRC_B32)
			dst.put(i, from[0]);
		else if constexpr (d == LoadDist::DIST_US_B8 || d == LoadDist::DIST_US_B16)
			dst.put(i, from[i / 2]);
		else if constexpr (d == LoadDist::DIST_DS_B8 || d == LoadDist::DIST_DS_B16)
			dst.put(i, from[2 * i]);
		else if constexpr (d == LoadDist::DIST_BLK)
			dst.put(i, from[i % block]);
		else if constexpr (d == LoadDist::DIST_E2B_B16 || d == LoadDist::DIST_E2B_B32)
			dst.put(i, from[i / block]);
		else
			static_assert(d == LoadDist::DIST_NORM, "AscendC::MicroAPI: this LoadDist takes two registers");
	}
}

template <LoadDist d, class R, class T> ASCENDC_FN void load(R &dst0, R &dst1, const T *src)
{
	using E = typename R::Alias;
	const E *from = reinterpret_cast<const E *>(src);

	static_assert(d == LoadDist::DIST_DINTLV_B8 || d == LoadDist::DIST_DINTLV_B16 || d == LoadDist::DIST_DINTLV_B32 ||
		      d == LoadDist::DIST_BDINTLV, "AscendC::MicroAPI: two registers are for DIST_DINTLV and DIST_BDINTLV");
	for (uint32_t i = 0; i < R::count; i++) {
		constexpr uint32_t block = 32 / sizeof(E);
		uint32_t at = d == LoadDist::DIST_BDINTLV ? i / block * 2 * block + i % block : 2 * i;

		dst0.put(i, from[at]);
		dst1.put(i, from[at + (d == LoadDist::DIST_BDINTLV ? block : 1)]);
	}
}

template <StoreDist d, class T, class R> ASCENDC_FN void store(T *dst, const R &src, const MaskReg &mask)
{
	using E = typename R::Alias;
	E *to = reinterpret_cast<E *>(dst);

	if constexpr (d == StoreDist::DIST_FIRST_ELEMENT_B8 || d == StoreDist::DIST_FIRST_ELEMENT_B16 ||
		      d == StoreDist::DIST_FIRST_ELEMENT_B32) {
		to[0] = src.get(0);
	} else if constexpr (packs<d>) {
		uint8_t *at = reinterpret_cast<uint8_t *>(dst);

		for (uint32_t i = 0; i < sizeof(src.bytes) / slot_of(d); i++)
			for (uint32_t b = 0; b < part_of(d) && mask.get(i * slot_of(d)); b++)
				at[i * part_of(d) + b] = src.bytes[i * slot_of(d) + b];
	} else {
		static_assert(d <= StoreDist::DIST_NORM_B32, "AscendC::MicroAPI: DIST_INTLV takes two registers");
		for (uint32_t i = 0; i < R::count; i++)
			if (R::on(mask, i))
				to[i] = src.get(i);
	}
}

template <StoreDist d, class T, class R> ASCENDC_FN void store(T *dst, const R &src0, const R &src1, const MaskReg &mask)
{
	using E = typename R::Alias;
	E *to = reinterpret_cast<E *>(dst);

	static_assert(d == StoreDist::DIST_INTLV_B8 || d == StoreDist::DIST_INTLV_B16 || d == StoreDist::DIST_INTLV_B32,
		      "AscendC::MicroAPI: two registers are for DIST_INTLV");
	for (uint32_t i = 0; i < R::count; i++) {
		if (!R::on(mask, i))
			continue;
		to[2 * i] = src0.get(i);
		to[2 * i + 1] = src1.get(i);
	}
}

/* Blocks of 32 bytes, @stride blocks from one to the next; a block is moved if the mask has its first element */
template <class R, class T> ASCENDC_FN void load_blocks(R &dst, const T *src, uint32_t stride, const MaskReg &mask)
{
	using E = typename R::Alias;
	constexpr uint32_t block = 32 / sizeof(E);

	for (uint32_t i = 0; i < R::count; i++)
		dst.put(i, R::on(mask, i / block * block) ?
				   reinterpret_cast<const E *>(src)[i / block * stride * block + i % block] : typename R::ActualT(0));
}

template <class T, class R> ASCENDC_FN void store_blocks(T *dst, const R &src, uint32_t stride, const MaskReg &mask)
{
	using E = typename R::Alias;
	constexpr uint32_t block = 32 / sizeof(E);

	for (uint32_t i = 0; i < R::count; i++)
		if (R::on(mask, i))
			reinterpret_cast<E *>(dst)[i / block * stride * block + i % block] = src.get(i);
}

} // namespace detail

/*
 * The forms, for both names. T is the type of elements in UB when it is given; it is that of the pointer always.
 */
#define ASCENDC_REG_LOADS(name) \
	template <class T = void, LoadDist d = LoadDist::DIST_NORM, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst, const P *src) { detail::load<d>(dst, src); } \
	template <class T = void, LoadDist d = LoadDist::DIST_NORM, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst, const P *src, AddrReg at) { detail::load<d>(dst, src + at.offset); } \
	template <class T, PostLiteral post, LoadDist d = LoadDist::DIST_NORM, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst, P *&src, int32_t stride) \
	{ \
		detail::load<d>(dst, src); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			src += stride; \
	} \
	template <class T = void, LoadDist d = LoadDist::DIST_DINTLV_B32, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst0, R &dst1, const P *src) { detail::load<d>(dst0, dst1, src); } \
	template <class T = void, LoadDist d = LoadDist::DIST_DINTLV_B32, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst0, R &dst1, const P *src, AddrReg at) { detail::load<d>(dst0, dst1, src + at.offset); } \
	template <class T, PostLiteral post, LoadDist d, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst0, R &dst1, P *&src, int32_t stride) \
	{ \
		detail::load<d>(dst0, dst1, src); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			src += stride; \
	} \
	template <class T, DataCopyMode mode, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst, const P *src, uint32_t blockStride, const MaskReg &mask) \
	{ \
		detail::load_blocks(dst, src, blockStride, mask); \
	} \
	template <class T, DataCopyMode mode, PostLiteral post, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst, P *&src, uint32_t blockStride, uint32_t repeatStride, const MaskReg &mask) \
	{ \
		detail::load_blocks(dst, src, blockStride, mask); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			src += repeatStride * (32 / sizeof(P)); \
	} \
	template <class T = void, MaskDist d = MaskDist::DIST_NORM, class P> ASCENDC_FN void name(MaskReg &dst, const P *src) \
	{ \
		detail::load_mask<d>(dst, src); \
	} \
	template <class T, PostLiteral post, MaskDist d = MaskDist::DIST_NORM, class P> \
	ASCENDC_FN void name(MaskReg &dst, P *&src, int32_t stride) \
	{ \
		detail::load_mask<d>(dst, src); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			src += stride; \
	} \
	template <class T = void, MaskDist d = MaskDist::DIST_NORM, class P> \
	ASCENDC_FN void name(MaskReg &dst, const P *src, AddrReg at) { detail::load_mask<d>(dst, src + at.offset); }

#define ASCENDC_REG_STORES(name) \
	template <class T = void, StoreDist d = StoreDist::DIST_NORM, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void name(P *dst, const R &src, const MaskReg &mask) { detail::store<d>(dst, src, mask); } \
	template <class T = void, StoreDist d = StoreDist::DIST_NORM, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void name(P *dst, const R &src, AddrReg at, const MaskReg &mask) { detail::store<d>(dst + at.offset, src, mask); } \
	template <class T, PostLiteral post, StoreDist d = StoreDist::DIST_NORM, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void name(P *&dst, const R &src, int32_t stride, const MaskReg &mask) \
	{ \
		detail::store<d>(dst, src, mask); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			dst += stride; \
	} \
	template <class T = void, StoreDist d = StoreDist::DIST_INTLV_B32, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void name(P *dst, const R &src0, const R &src1, const MaskReg &mask) { detail::store<d>(dst, src0, src1, mask); } \
	template <class T = void, StoreDist d = StoreDist::DIST_INTLV_B32, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void name(P *dst, const R &src0, const R &src1, AddrReg at, const MaskReg &mask) \
	{ \
		detail::store<d>(dst + at.offset, src0, src1, mask); \
	} \
	template <class T, PostLiteral post, StoreDist d, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void name(P *&dst, const R &src0, const R &src1, int32_t stride, const MaskReg &mask) \
	{ \
		detail::store<d>(dst, src0, src1, mask); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			dst += stride; \
	} \
	template <class T, DataCopyMode mode, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void name(P *dst, const R &src, uint32_t blockStride, const MaskReg &mask) \
	{ \
		detail::store_blocks(dst, src, blockStride, mask); \
	} \
	template <class T, DataCopyMode mode, PostLiteral post, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void name(P *&dst, const R &src, uint32_t blockStride, uint32_t repeatStride, const MaskReg &mask) \
	{ \
		detail::store_blocks(dst, src, blockStride, mask); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			dst += repeatStride * (32 / sizeof(P)); \
	} \
	template <class T = void, MaskDist d = MaskDist::DIST_NORM, class P> ASCENDC_FN void name(P *dst, const MaskReg &src) \
	{ \
		detail::store_mask<d>(dst, src); \
	} \
	template <class T, PostLiteral post, MaskDist d = MaskDist::DIST_NORM, class P> \
	ASCENDC_FN void name(P *&dst, const MaskReg &src, int32_t stride) \
	{ \
		detail::store_mask<d>(dst, src); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			dst += stride; \
	} \
	template <class T = void, MaskDist d = MaskDist::DIST_NORM, class P> \
	ASCENDC_FN void name(P *dst, const MaskReg &src, AddrReg at) { detail::store_mask<d>(dst + at.offset, src); }

namespace detail {

/* A mask in memory: 32 bytes; DIST_US: 16, each bit twice; DIST_DS: 64, every second bit; DIST_PACK: every second one in 16 */
template <MaskDist d, class P> ASCENDC_FN void load_mask(MaskReg &dst, const P *src)
{
	const uint8_t *from = reinterpret_cast<const uint8_t *>(src);

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t at = d == MaskDist::DIST_US ? i / 2 : d == MaskDist::DIST_DS ? 2 * i : i;

		dst.put(i, from[at / 8] >> at % 8 & 1);
	}
}

template <MaskDist d, class P> ASCENDC_FN void store_mask(P *dst, const MaskReg &src)
{
	uint8_t *to = reinterpret_cast<uint8_t *>(dst);
	constexpr uint32_t every = d == MaskDist::DIST_PACK ? 2 : 1;

	for (uint32_t byte = 0; byte < 32 / every; byte++) {
		uint8_t bits = 0;

		for (uint32_t i = 0; i < 8; i++)
			bits |= uint8_t(src.get((byte * 8 + i) * every)) << i;
		to[byte] = bits;
	}
}

} // namespace detail

ASCENDC_REG_LOADS(LoadAlign)
ASCENDC_REG_LOADS(DataCopy)
ASCENDC_REG_STORES(StoreAlign)
ASCENDC_REG_STORES(DataCopy)
#undef ASCENDC_REG_LOADS
#undef ASCENDC_REG_STORES

/* A stream that is not aligned: each load and store is complete by itself here, so that the first and last step are empty */
#define ASCENDC_REG_STREAM(pre, in, out, post_name) \
	template <class T = void, class P> ASCENDC_FN void pre(UnalignReg &, const P *) {} \
	template <class T = void, class P> ASCENDC_FN void pre(UnalignReg &, const P *, AddrReg) {} \
	template <class T = void, PostLiteral post = PostLiteral::POST_MODE_UPDATE, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void in(R &dst, UnalignReg &, P *&src, uint32_t stride) \
	{ \
		detail::load<LoadDist::DIST_NORM>(dst, src); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			src += stride; \
	} \
	template <class T = void, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void in(R &dst, UnalignReg &, const P *src) \
	{ \
		detail::load<LoadDist::DIST_NORM>(dst, src); \
	} \
	template <class T = void, class R, class P, class = detail::if_reg<R>> \
	ASCENDC_FN void in(R &dst, UnalignReg &, const P *src, AddrReg at, uint32_t) \
	{ \
		detail::load<LoadDist::DIST_NORM>(dst, src + at.offset); \
	} \
	template <class T = void, PostLiteral post = PostLiteral::POST_MODE_UPDATE, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void out(P *&dst, const R &src, UnalignReg &, uint32_t n) \
	{ \
		for (uint32_t i = 0; i < n && i < R::count; i++) \
			reinterpret_cast<typename R::Alias *>(dst)[i] = src.get(i); \
		if constexpr (post == PostLiteral::POST_MODE_UPDATE) \
			dst += n; \
	} \
	/* what the last Squeeze() has made */ \
	template <class T = void, class P, class R, class = detail::if_reg<R>> \
	ASCENDC_FN void out(P *&dst, const R &src, UnalignReg &ureg) \
	{ \
		out(dst, src, ureg, detail::state()->last_squeezed); \
	} \
	template <class T = void, PostLiteral post = PostLiteral::POST_MODE_UPDATE, class P> \
	ASCENDC_FN void post_name(P *, UnalignReg &, int32_t = 0) {} \
	template <class T = void, class P> ASCENDC_FN void post_name(P *, UnalignReg &, AddrReg) {}
ASCENDC_REG_STREAM(LoadUnAlignPre, LoadUnAlign, StoreUnAlign, StoreUnAlignPost)
ASCENDC_REG_STREAM(DataCopyUnAlignPre, DataCopyUnAlign, DataCopyUnAlign, DataCopyUnAlignPost)
#undef ASCENDC_REG_STREAM

/** DataCopyGather() - the elements of UB whose numbers @index has; bytes become elements of 16 bits */
template <class T = void, class R, class P, class I, class = detail::if_reg<R>>
ASCENDC_FN void DataCopyGather(R &dst, const P *base, const I &index, const MaskReg &mask)
{
	constexpr uint32_t n = R::count < I::count ? R::count : I::count;

	for (uint32_t i = 0; i < R::count; i++) {
		bool on = i < n && (R::count < I::count ? R::on(mask, i) : I::on(mask, i));

		dst.put(i, on ? static_cast<typename R::ActualT>(base[index.get(i)]) : typename R::ActualT(0));
	}
}

/* The first @count elements */
template <class T = void, class R, class P, class I, class = detail::if_reg<R>>
ASCENDC_FN void DataCopyGather(R &dst, const P *base, const I &index, uint32_t count)
{
	constexpr uint32_t n = R::count < I::count ? R::count : I::count;

	for (uint32_t i = 0; i < R::count; i++)
		dst.put(i, i < n && i < count ? static_cast<typename R::ActualT>(base[index.get(i)]) : typename R::ActualT(0));
}

template <class T = void, class R, class P, class I, class = detail::if_reg<R>>
ASCENDC_FN void Gather(R &dst, const P *base, const I &index, const MaskReg &mask)
{
	DataCopyGather(dst, base, index, mask);
}

/** DataCopyGatherB() - blocks of 32 bytes at these offsets in bytes */
template <class T = void, class R, class P, class I, class = detail::if_reg<R>>
ASCENDC_FN void DataCopyGatherB(R &dst, const P *base, const I &index, const MaskReg &mask)
{
	constexpr uint32_t block = 32 / sizeof(typename R::ActualT);

	for (uint32_t i = 0; i < R::count; i++) {
		const uint8_t *at = reinterpret_cast<const uint8_t *>(base) + index.get(i / block);

		dst.put(i, mask.get(i / block * I::step) ? reinterpret_cast<const typename R::Alias *>(at)[i % block] : typename R::ActualT(0));
	}
}

/** DataCopyScatter() - writes elements to the places in UB whose numbers @index has, in the order of the elements */
template <class T = void, class P, class R, class I, class = detail::if_reg<R>>
ASCENDC_FN void DataCopyScatter(P *base, const R &src, const I &index, const MaskReg &mask)
{
	constexpr uint32_t n = R::count < I::count ? R::count : I::count;

	for (uint32_t i = 0; i < n; i++)
		if (I::on(mask, i))
			base[index.get(i)] = static_cast<P>(src.get(i * (R::count / n)));
}

template <class T = void, class P, class R, class I, class = detail::if_reg<R>>
ASCENDC_FN void Scatter(P *base, const R &src, const I &index, const MaskReg &mask)
{
	DataCopyScatter(base, src, index, mask);
}

} // namespace MicroAPI
} // namespace AscendC

#endif
