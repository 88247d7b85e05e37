/* SPDX-License-Identifier: MIT */
/* GlobalTensor and LocalTensor: an address, a length and what the elements are. */
#ifndef ASCENDC_CORE_TENSOR_H
#define ASCENDC_CORE_TENSOR_H

#include "expression.h"
#include "state.h"

namespace AscendC {

using TBufHandle = uint8_t *;

namespace detail {

/* anpucc -g: operators look at indices for the checking mode, which loops of GetValue() would pay for without it, too */
#ifdef __ANPU_DEBUG__
constexpr bool looks_at_indices = true;
#else
constexpr bool looks_at_indices = false;
#endif

/*
 * The checking mode's question about @skip bytes behind @address, where a tensor begins: do they lie in the buffer of that
 * address? Answers NULL if so, else the sentence of a trap. Asked only where a tensor has fewer bytes (pipe.h has the buffers).
 */
const char *behind_buffer(uint32_t address, uint64_t skip);

/* Answers NULL without the checking mode, else the sentence of a trap: element @index of a tensor for which SetGlobalBuffer() was told @size */
const char *behind_global(uint64_t index, uint64_t size);

/* Elements from where SetGlobalBuffer() has put a tensor to where it begins, as a part of that; nothing where nobody looks */
struct NoSkip {
	ASCENDC_FN constexpr NoSkip(uint64_t = 0) {}
	ASCENDC_FN constexpr operator uint64_t() const { return 0; }
};
using Skip = std::conditional_t<looks_at_indices, uint64_t, NoSkip>;

/* The address of a part of a tensor; a part that begins outside of the tensor's buffer is at no address that can be used */
uint32_t part_of(uint32_t address, uint32_t skip);

} // namespace detail

/** struct ShapeInfo - sizes that a tensor carries for its user; operations do not look at it */
struct ShapeInfo {
	ShapeInfo() = default;
	ShapeInfo(uint8_t dims, const uint32_t sizes[], uint8_t original_dims,
		  const uint32_t original_sizes[], DataFormat format = DataFormat::ND)
		: shapeDim(dims), originalShapeDim(original_dims), dataFormat(format)
	{
		for (int i = 0; i < dims; i++)
			shape[i] = sizes[i];
		for (int i = 0; i < original_dims; i++)
			originalShape[i] = original_sizes[i];
	}
	ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format = DataFormat::ND)
		: ShapeInfo(dims, sizes, dims, sizes, format)
	{
	}

	uint8_t shapeDim = 0;
	uint8_t originalShapeDim = 0;
	uint32_t shape[8] = {};
	uint32_t originalShape[8] = {};
	DataFormat dataFormat = DataFormat::ND;
};

/*
 * The position of a tensor that sources set by hand. Setting it behind LocalTensor::InitBuffer() moves the tensor to the same
 * offset of that position's scratchpad, because scratchpads have addresses of their own here.
 */
struct LogicPos {
	uint8_t value;

	LogicPos() = default;
	ASCENDC_FN constexpr LogicPos(uint8_t pos) : value(pos) {}
	ASCENDC_FN LogicPos &operator=(uint8_t pos);
	ASCENDC_FN constexpr operator uint8_t() const { return value; }
	ASCENDC_FN constexpr explicit operator TPosition() const { return TPosition(value); }
};

/**
 * struct TBuffAddr - where a LocalTensor is; sources set it by hand
 * @dataLen: bytes
 * @bufferAddr: address
 * @bufferHandle: the buffer of a queue
 * @logicPos: TPosition
 */
struct TBuffAddr {
	uint32_t dataLen;
	uint32_t bufferAddr;
	TBufHandle bufferHandle;
	LogicPos logicPos;
};

ASCENDC_FN LogicPos &LogicPos::operator=(uint8_t pos)
{
	TBuffAddr *where = reinterpret_cast<TBuffAddr *>(reinterpret_cast<uint8_t *>(this) - offsetof(TBuffAddr, logicPos));
	Hardware before = detail::hardware_of(TPosition(value)), now = detail::hardware_of(TPosition(pos));

	if (before != now && where->bufferAddr - detail::base_of(before) < detail::size_of(before))
		where->bufferAddr += detail::base_of(now) - detail::base_of(before);
	value = pos;
	return *this;
}

/** GlobalTensor - elements of T in global memory */
/* Methods of tensors with a layout, which are not built */
#define ASCENDC_NO_LAYOUT(tensor, name) \
	template <class... A> ASCENDC_FN void name(A &&...) const \
	{ \
		static_assert(detail::no<A...>, "AscendC::" #tensor "::" #name " is not supported here: tensors carry no layout; give copies the offsets that Crd2Idx() computes"); \
	}

template <class T> class GlobalTensor {
public:
	using PrimType = T;

	ASCENDC_NO_LAYOUT(GlobalTensor, SetTensorTrait)
	ASCENDC_NO_LAYOUT(GlobalTensor, SetTensorTraitData)
	ASCENDC_NO_LAYOUT(GlobalTensor, GetTensorTrait)
	ASCENDC_NO_LAYOUT(GlobalTensor, GetLayout)

	ASCENDC_FN void SetGlobalBuffer(__gm__ T *buffer, uint64_t elements)
	{
		address_ = buffer;
		size = elements;
		skip = 0;
	}

	ASCENDC_FN void SetGlobalBuffer(__gm__ T *buffer)
	{
		address_ = buffer;
		skip = 0;
	}

	ASCENDC_FN const __gm__ T *GetPhyAddr() const
	{
		return address_;
	}

	ASCENDC_FN __gm__ T *GetPhyAddr(uint64_t offset) const
	{
		return address_of(offset);
	}

	ASCENDC_FN T GetValue(uint64_t offset) const
	{
		return *at(offset);
	}

	ASCENDC_FN __gm__ T &operator()(uint64_t offset) const
	{
		return *at(offset);
	}

	ASCENDC_FN void SetValue(uint64_t offset, T value) const
	{
		*at(offset) = value;
	}

	ASCENDC_FN GlobalTensor operator[](uint64_t offset) const
	{
		GlobalTensor part = *this;

		part.address_ = address_of(offset);
		part.skip = skip + offset;
		return part;
	}

	ASCENDC_FN uint64_t GetSize() const
	{
		return size;
	}

	ASCENDC_FN void SetSize(uint64_t elements)
	{
		size = elements;
		skip = 0;
	}

	template <class U> ASCENDC_FN GlobalTensor<U> ReinterpretCast() const
	{
		GlobalTensor<U> same;

		same.SetGlobalBuffer(reinterpret_cast<U *>(address_),
				     detail::elements_in<U>(detail::bytes_of<T>(size)));
		same.skip = detail::elements_in<U>(detail::bytes_of<T>(skip));
		return same;
	}

	/* For copies: traps in the checking mode if @bytes from the beginning end a block or more behind what SetGlobalBuffer() was told */
	ASCENDC_FN void check_copy(uint64_t bytes) const
	{
		uint64_t end = detail::bytes_of<T>(skip) + bytes;

		if (detail::looks_at_indices && size && end >= detail::bytes_of<T>(size) + ANPU_LOCAL_ALIGN)
			if (const char *text = detail::behind_global(detail::elements_in<T>(end) - 1, size))
				anpu_trap(text);
	}

	ASCENDC_FN void SetShapeInfo(const ShapeInfo &) const {}

	template <CacheRwMode rw = CacheRwMode::RW> ASCENDC_FN void SetL2CacheHint(CacheMode) const {}

	ASCENDC_FN TPosition GetPosition() const
	{
		return TPosition::GM;
	}

	T *address_ = nullptr;

private:
	template <class> friend class GlobalTensor;

	ASCENDC_FN T *at(uint64_t offset) const
	{
		if (detail::looks_at_indices && size && skip + offset >= size)
			if (const char *text = detail::behind_global(skip + offset, size))
				anpu_trap(text);
		return address_of(offset);
	}

	ASCENDC_FN T *address_of(uint64_t offset) const
	{
		if constexpr (std::is_same_v<T, int4b_t>)
			return address_ + offset / 2;
		else
			return address_ + offset;
	}

	uint64_t size = 0;
	[[no_unique_address]] detail::Skip skip = 0;
};

/** LocalTensor - elements of T in a scratchpad */
template <class T> class LocalTensor {
public:
	using PrimType = T;

	LocalTensor() = default;

	ASCENDC_NO_LAYOUT(LocalTensor, SetTensorTrait)
	ASCENDC_NO_LAYOUT(LocalTensor, SetTensorTraitData)
	ASCENDC_NO_LAYOUT(LocalTensor, GetTensorTrait)
	ASCENDC_NO_LAYOUT(LocalTensor, GetLayout)

	/* The static style: a place in a scratchpad that the user has chosen */
	ASCENDC_FN LocalTensor(TPosition pos, uint32_t offset, uint32_t elements)
		: address_{static_cast<uint32_t>(detail::bytes_of<T>(elements)),
			   detail::base_of(detail::hardware_of(pos)) + offset, nullptr,
			   static_cast<uint8_t>(pos)}
	{
	}

	ASCENDC_FN explicit LocalTensor(uint32_t offset)
		: address_{ASCENDC_UB_BYTES - offset, ANPU_UB_BASE + offset, nullptr,
			   static_cast<uint8_t>(TPosition::VECCALC)}
	{
	}

	ASCENDC_FN T GetValue(uint32_t index) const
	{
		if constexpr (std::is_same_v<T, int4b_t>)
			return T{static_cast<uint8_t>(at(index)->bits >> index % 2 * 4 & 15)};
		else
			return *at(index);
	}

	template <class U = T> ASCENDC_FN void SetValue(uint32_t index, const U value) const
	{
		if constexpr (std::is_same_v<T, int4b_t>)
			at(index)->bits = static_cast<uint8_t>((at(index)->bits & 0xf0 >> index % 2 * 4) |
							       (uint8_t(value.bits) & 15) << index % 2 * 4);
		else
			*at(index) = static_cast<T>(value);
	}

	ASCENDC_FN __ubuf__ T &operator()(uint32_t index) const
	{
		return *at(index);
	}

	ASCENDC_FN LocalTensor operator[](uint32_t offset) const
	{
		LocalTensor part = *this;
		uint32_t skip = static_cast<uint32_t>(detail::bytes_of<T>(offset));

		part.address = detail::looks_at_indices && skip >= bytes ? detail::part_of(address, skip) : address + skip;
		part.bytes = bytes - skip;
		return part;
	}

	template <class U> ASCENDC_FN LocalTensor<U> ReinterpretCast() const
	{
		LocalTensor<U> same;

		same.address = address;
		same.bytes = bytes;
		same.handle = handle;
		same.position = position;
		return same;
	}

	ASCENDC_FN uint32_t GetSize() const
	{
		return static_cast<uint32_t>(detail::elements_in<T>(bytes));
	}

	ASCENDC_FN void SetSize(uint32_t elements)
	{
		bytes = static_cast<uint32_t>(detail::bytes_of<T>(elements));
	}

	ASCENDC_FN uint32_t GetLength() const
	{
		return bytes;
	}

	ASCENDC_FN void SetBufferLen(uint32_t elements)
	{
		SetSize(elements);
	}

	ASCENDC_FN int32_t GetPosition() const
	{
		return static_cast<int32_t>(position);
	}

	ASCENDC_FN uint64_t GetPhyAddr() const
	{
		return address;
	}

	ASCENDC_FN uint64_t GetPhyAddr(uint32_t offset) const
	{
		return address + detail::bytes_of<T>(offset);
	}

	ASCENDC_FN TBufHandle GetBufferHandle() const
	{
		return handle;
	}

	template <class U> ASCENDC_FN void SetAddrWithOffset(const LocalTensor<U> &base, uint32_t offset)
	{
		address = base.address + static_cast<uint32_t>(detail::bytes_of<T>(offset));
		bytes = base.bytes - static_cast<uint32_t>(detail::bytes_of<T>(offset));
		handle = base.handle;
		position = base.position;
	}

	ASCENDC_FN void SetAddr(const TBuffAddr &where)
	{
		address_ = where;
		/* scratchpads begin at 0 in the documents */
		if (where.bufferAddr < detail::size_of(detail::hardware_of(TPosition(where.logicPos))))
			address_.bufferAddr += detail::base_of(detail::hardware_of(TPosition(where.logicPos)));
	}

	/* elements from an offset in bytes of the position's scratchpad; address_.logicPos may be set afterwards */
	ASCENDC_FN void InitBuffer(uint32_t offset, uint32_t elements)
	{
		address = detail::base_of(detail::hardware_of(position)) + offset;
		SetSize(elements);
	}

	ASCENDC_FN void SetUserTag(int32_t value)
	{
		tag = value;
	}

	ASCENDC_FN int32_t GetUserTag() const
	{
		return tag;
	}

	ASCENDC_FN void SetShapeInfo(const ShapeInfo &) const {}

	/* dst = a + b and the like run over the elements of dst */
	template <class E, class = typename E::anpu_expression>
	ASCENDC_FN const LocalTensor &operator=(const E &expression) const
	{
		expression.assign(*this);
		return *this;
	}
	LocalTensor(const LocalTensor &) = default;
	LocalTensor &operator=(const LocalTensor &) = default;

	union {
		TBuffAddr address_ = {0, 0, nullptr, static_cast<uint8_t>(TPosition::VECCALC)};
		struct {
			uint32_t bytes;
			uint32_t address;
			TBufHandle handle;
			TPosition position;
		};
	};

private:
	ASCENDC_FN T *at(uint32_t index) const
	{
		uint64_t skip = detail::bytes_of<T>(index);

		if (detail::looks_at_indices && skip >= bytes)
			if (const char *text = detail::behind_buffer(address, skip))
				anpu_trap(text);
		return reinterpret_cast<T *>(static_cast<uintptr_t>(address) + skip);
	}

	int32_t tag = 0;
};

} // namespace AscendC

#endif
