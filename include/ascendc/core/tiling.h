/* SPDX-License-Identifier: MIT */
/* Tiling data, tiling keys, types of kernels and the workspace. */
#ifndef ASCENDC_CORE_TILING_H
#define ASCENDC_CORE_TILING_H

#include "where.h"

namespace AscendC {

namespace detail {

/* Tiling data lies in global memory at any address; words are the unit of what hosts write. */
template <class T> ASCENDC_FN void read_tiling(T *to, const uint8_t *from)
{
	__builtin_memcpy(to, from, sizeof(T));
}

[[noreturn]] ASCENDC_FN void no_tiling_key()
{
	anpu_trap("TILING_KEY_IS: the key is not known; compile with -DANPU_TILING_KEY=KEY");
}

} // namespace detail

ASCENDC_FN void SetSysWorkspace(GM_ADDR workspace)
{
	detail::state()->workspace = workspace;
}

ASCENDC_FN void SetSysWorkSpace(GM_ADDR workspace)
{
	SetSysWorkspace(workspace);
}

template <class T> ASCENDC_FN void SetSysWorkspaceForce(T workspace)
{
	detail::state()->workspace = reinterpret_cast<uint8_t *>(workspace);
}

/** GetUserWorkspace() - the system needs no part of a workspace here: all of it is the user's */
ASCENDC_FN GM_ADDR GetUserWorkspace(GM_ADDR workspace)
{
	return workspace;
}

/*
 * GetSysWorkSpacePtr() - what SetSysWorkspace() was told, or the argument of a kernel with (..., workspace, tiling). The library needs no workspace, but operators give up if they are
 * told that there is none: an address then that no memory has, so that its use is a fault.
 */
ASCENDC_FN GM_ADDR GetSysWorkSpacePtr()
{
	uint8_t *told = detail::state()->workspace;

	return told ? told : reinterpret_cast<uint8_t *>(uintptr_t(0x1000));
}

ASCENDC_FN GM_ADDR GetSysWorkspace()
{
	return GetSysWorkSpacePtr();
}

} // namespace AscendC

using AscendC::GetSysWorkSpacePtr;

/*
 * REGISTER_TILING_DEFAULT(S) in a kernel names the structure of the tiling data for the
 * GET_TILING_DATA(name, tiling) that follows. Each macro ends its statement, because some operators call it without a semicolon.
 */
#define REGISTER_TILING_DEFAULT(...)	using AnpuTilingData [[maybe_unused]] = __VA_ARGS__
#define REGISTER_TILING_FOR_TILINGKEY(condition, ...)	static_assert(true)
#define REGISTER_NONE_TILING		static_assert(true)
#define GET_TILING_DATA_WITH_STRUCT(type, name, tiling) \
	type name; \
	AscendC::detail::read_tiling(&name, reinterpret_cast<const uint8_t *>(tiling));
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, tiling) \
	const __gm__ type *name = reinterpret_cast<const __gm__ type *>(tiling);
#define GET_TILING_DATA(name, tiling)	GET_TILING_DATA_WITH_STRUCT(AnpuTilingData, name, tiling)
#define GET_TILING_DATA_MEMBER(type, member, name, tiling) \
	decltype(type::member) name; \
	AscendC::detail::read_tiling(&name, reinterpret_cast<const uint8_t *>(tiling) + \
				     __builtin_offsetof(type, member));
#define COPY_TILING_WITH_STRUCT(type, source, pointer) \
	type anpu_copied_tiling; \
	AscendC::detail::read_tiling(&anpu_copied_tiling, reinterpret_cast<const uint8_t *>(source)); \
	pointer = &anpu_copied_tiling;

#if defined(ANPU_TILING_KEY)
#define TILING_KEY_IS(key)	((uint64_t)(ANPU_TILING_KEY) == (uint64_t)(key))
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR		ANPU_TILING_KEY	/* sources also ask for it by #if */
#endif
#elif defined(ASCENDC_CPU_DEBUG) && !defined(__ANPU_HOST__)
/* ICPU_SET_TILING_KEY() writes this variable in the operator's file before that is loaded */
extern "C" __attribute__((weak, section(".data.anpu_key"))) volatile uint64_t anpu_key_of_file = 0;
#define TILING_KEY_IS(key)	(anpu_key_of_file == (uint64_t)(key))
#elif defined(TILING_KEY_VAR)
#define TILING_KEY_IS(key)	((uint64_t)(TILING_KEY_VAR) == (uint64_t)(key))
#else
#define TILING_KEY_IS(key)	(AscendC::detail::no_tiling_key(), ((void)(key), false))
#endif

/* Types of kernels, which say on what part of a core the kernel runs */
#define KERNEL_TYPE_AIV_ONLY		ANPU_META_TYPE_AIV
#define KERNEL_TYPE_AIC_ONLY		ANPU_META_TYPE_AIC
#define KERNEL_TYPE_AICORE		ANPU_META_TYPE_AICORE
#define KERNEL_TYPE_VECTORCORE		ANPU_META_TYPE_AIV
#define KERNEL_TYPE_MIX_AIV_1_0		ANPU_META_TYPE_AIV
#define KERNEL_TYPE_MIX_AIC_1_0		ANPU_META_TYPE_AIC
#define KERNEL_TYPE_MIX_AICORE		ANPU_META_TYPE_AICORE
#define KERNEL_TYPE_MIX_VECTOR_CORE	ANPU_META_TYPE_AIV
/* anpucc compiles a source with these for both units and sets the records of the halves. */
#define KERNEL_TYPE_MIX_AIC_1_1		0
#define KERNEL_TYPE_MIX_AIC_1_2		0
#define KERNEL_TYPE_MIX_AIV_1_1		0
#define KERNEL_TYPE_MIX_AIV_1_2		0
#if defined(__DAV_C220_CUBE__) || defined(__DAV_C220_VEC__)
/* In a source with MIX kernels, those that run on one unit say so. */
#define KERNEL_TASK_TYPE_DEFAULT(type) \
	do { \
		if constexpr ((type) == ANPU_META_TYPE_AIC || (type) == ANPU_META_TYPE_AIV) \
			ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, type); \
	} while (0)
#else
#define KERNEL_TASK_TYPE_DEFAULT(type)	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, type)
#endif
#define KERNEL_TASK_TYPE(key, type)	static_assert(true)
#define ENABLE_DETERMINISTIC()		static_assert(true)
#define ENABLE_PRINTF()			static_assert(true)
#define ENABLE_PRINTF_DUMP_SIZE()	static_assert(true)

#endif
