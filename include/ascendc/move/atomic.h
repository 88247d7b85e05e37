/* SPDX-License-Identifier: MIT */
/* Atomic copies: what DataCopy, DataCopyPad and Fixpipe to global memory do to what is there. */
#ifndef ASCENDC_MOVE_ATOMIC_H
#define ASCENDC_MOVE_ATOMIC_H

#include "../core/enums.h"

namespace AscendC {

#define ASCENDC_ATOMIC(name, op) \
	template <class T> ASCENDC_FN void name() \
	{ \
		static_assert(detail::type_of<T> >= 0, "AscendC::" #name ": no atomic copy of this type"); \
		anpu_set_csr_atomic(ANPU_ATOMIC(uint64_t(op), uint64_t(detail::type_of<T>))); \
	}
ASCENDC_ATOMIC(SetAtomicAdd, ANPU_ATOM_ADD)
ASCENDC_ATOMIC(SetAtomicMax, ANPU_ATOM_MAX)
ASCENDC_ATOMIC(SetAtomicMin, ANPU_ATOM_MIN)
#undef ASCENDC_ATOMIC

ASCENDC_FN void SetAtomicNone()
{
	anpu_set_csr_atomic(0);
}

ASCENDC_FN void DisableDmaAtomic()
{
	anpu_set_csr_atomic(0);
}

/* The type alone: the operation stays */
template <class T> ASCENDC_FN void SetAtomicType()
{
	uint64_t op = anpu_csr_atomic() & 0xff;

	if (op)
		anpu_set_csr_atomic(ANPU_ATOMIC(op, uint64_t(detail::type_of<T>)));
}

template <AtomicDtype type, AtomicOp op> ASCENDC_FN void SetStoreAtomicConfig()
{
	constexpr uint64_t types[] = {0, ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_TYPE_S16, ANPU_TYPE_S32,
				      ANPU_TYPE_S8, ANPU_TYPE_BF16};
	constexpr uint64_t ops[] = {ANPU_ATOM_ADD, ANPU_ATOM_MAX, ANPU_ATOM_MIN};

	anpu_set_csr_atomic(type == AtomicDtype::ATOMIC_NONE ? 0 :
			    ANPU_ATOMIC(ops[static_cast<int>(op)], types[static_cast<int>(type)]));
}

} // namespace AscendC

#endif
