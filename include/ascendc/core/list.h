/* SPDX-License-Identifier: MIT */
/*
 * ListTensorDesc: a list of tensors in global memory. Word 0 is the offset of the pointers in bytes; then for each
 * tensor its number of dimensions (32 bits) and index (32 bits), and its dimensions in words of 64 bits.
 */
#ifndef ASCENDC_CORE_LIST_H
#define ASCENDC_CORE_LIST_H

#include "tensor.h"

namespace AscendC {

template <class T> class TensorDesc {
public:
	ASCENDC_FN void SetShapeAddr(uint64_t *shape) { dims = shape; }
	ASCENDC_FN uint64_t GetDim() const { return dim; }
	ASCENDC_FN uint64_t GetIndex() const { return index; }
	ASCENDC_FN uint64_t GetShape(uint32_t i) const { return dims[i]; }
	ASCENDC_FN T *GetDataPtr() const { return data; }
	ASCENDC_FN GlobalTensor<T> GetDataObj() const
	{
		GlobalTensor<T> tensor;

		tensor.SetGlobalBuffer(data);
		return tensor;
	}

	uint64_t *dims = nullptr;
	T *data = nullptr;
	uint64_t dim = 0, index = 0;
};

class ListTensorDesc {
public:
	ListTensorDesc() = default;
	ASCENDC_FN ListTensorDesc(void *data, uint32_t = 0xffffffff, uint32_t = 0xffffffff) { Init(data); }

	ASCENDC_FN void Init(void *data, uint32_t = 0xffffffff, uint32_t = 0xffffffff)
	{
		base = static_cast<uint64_t *>(data);
	}

	template <class T> ASCENDC_FN void GetDesc(TensorDesc<T> &desc, uint32_t i) const
	{
		uint64_t *at = base + 1;

		for (uint32_t k = 0; k < i; k++)
			at += 1 + (*at & 0xffffffff);
		desc.dim = *at & 0xffffffff;
		desc.index = *at >> 32;
		if (desc.dims)
			for (uint64_t d = 0; d < desc.dim; d++)
				desc.dims[d] = at[1 + d];
		desc.data = GetDataPtr<T>(i);
	}

	template <class T> ASCENDC_FN T *GetDataPtr(uint32_t i) const
	{
		return reinterpret_cast<T *>(base[*base / sizeof(uint64_t) + i]);
	}

	ASCENDC_FN uint32_t GetSize() const
	{
		const uint64_t *at = base + 1, *end = base + *base / sizeof(uint64_t);
		uint32_t n = 0;

		for (; at < end; n++)
			at += 1 + (*at & 0xffffffff);
		return n;
	}

private:
	uint64_t *base = nullptr;
};

} // namespace AscendC

#endif
