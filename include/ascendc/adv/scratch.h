/* SPDX-License-Identifier: MIT */
/* Working memory of the high-level functions: what the caller gives, or the end of UB. */
#ifndef ASCENDC_ADV_SCRATCH_H
#define ASCENDC_ADV_SCRATCH_H

#include "../core/queue.h"
#include "../vector/reduce.h"
#include "../vector/scalar.h"
#include "../vector/unary.h"

namespace AscendC {

namespace detail {

/* Bytes of UB that no buffer of the TPipe reaches */
ASCENDC_FN uint32_t scratch_left()
{
	uint32_t end = detail::ub_end() / ANPU_LOCAL_ALIGN * ANPU_LOCAL_ALIGN - ANPU_UB_BASE;
	TPipe *pipe = state()->pipe;
	uint32_t used = pipe ? static_cast<uint32_t>(pipe->GetQueueEndAddress(TPosition::VECCALC)) : 0;

	return end > used ? end - used : 0;
}

/* The last ones of these */
template <class T> ASCENDC_FN LocalTensor<T> scratch(uint32_t elements)
{
	uint32_t bytes = round_up(static_cast<uint32_t>(elements * sizeof(T)));
	uint32_t end = detail::ub_end() / ANPU_LOCAL_ALIGN * ANPU_LOCAL_ALIGN;

	if (scratch_left() < bytes)
		anpu_trap("a function of the high-level API needs working memory behind the buffers of UB; give it a tensor, or use less");
	return LocalTensor<T>(end - bytes - ANPU_UB_BASE);
}

/* The caller's, if it is large enough */
template <class T> ASCENDC_FN LocalTensor<T> scratch(const LocalTensor<uint8_t> &given, uint32_t elements)
{
	if (given.bytes >= elements * sizeof(T))
		return given.ReinterpretCast<T>();
	return scratch<T>(elements);
}

/* The scalar unit looks at what the vector unit has computed */
ASCENDC_FN void settle()
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

} // namespace detail

/** PopStackBuffer() - all of UB that no buffer of the TPipe reaches; functions of the high-level API may use it, too */
template <class T, TPosition pos> ASCENDC_FN bool PopStackBuffer(LocalTensor<T> &tensor)
{
	static_assert(detail::hardware_of(pos) == Hardware::UB, "AscendC::PopStackBuffer is for positions in UB here");
	uint32_t bytes = detail::scratch_left(), end = detail::ub_end() / ANPU_LOCAL_ALIGN * ANPU_LOCAL_ALIGN - ANPU_UB_BASE;

	tensor = LocalTensor<T>(pos, end - bytes, bytes / sizeof(T));
	return bytes > 0;
}

} // namespace AscendC

#endif
