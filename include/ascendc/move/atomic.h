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

namespace detail {

/* By AtomicDtype and AtomicOp */
constexpr uint64_t atomic_types[] = {0, ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_TYPE_S16, ANPU_TYPE_S32, ANPU_TYPE_S8, ANPU_TYPE_BF16};
constexpr uint64_t atomic_ops[] = {ANPU_ATOM_ADD, ANPU_ATOM_MAX, ANPU_ATOM_MIN};

} // namespace detail

template <AtomicDtype type, AtomicOp op> ASCENDC_FN void SetStoreAtomicConfig()
{
	anpu_set_csr_atomic(type == AtomicDtype::ATOMIC_NONE ? 0 :
			    ANPU_ATOMIC(detail::atomic_ops[static_cast<int>(op)], detail::atomic_types[static_cast<int>(type)]));
}

/** GetStoreAtomicConfig() - what is set, as numbers of AtomicDtype and AtomicOp; 0 and 0 without an atomic operation */
ASCENDC_FN void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp)
{
	uint64_t set = anpu_csr_atomic();

	atomicType = atomicOp = 0;
	if (!(set & 0xff))
		return;
	for (uint16_t i = 1; i < sizeof(detail::atomic_types) / sizeof(*detail::atomic_types); i++)
		if (detail::atomic_types[i] == set >> 8)
			atomicType = i;
	for (uint16_t i = 0; i < sizeof(detail::atomic_ops) / sizeof(*detail::atomic_ops); i++)
		if (detail::atomic_ops[i] == (set & 0xff))
			atomicOp = i;
}

} // namespace AscendC

#endif
