/* SPDX-License-Identifier: MIT */
/* <assert.h> for operator code: a failed assert ends the kernel with ANPU_FAULT_ASSERT. */
#include <anpu/anpu_intrin.h>

#undef assert
#ifdef NDEBUG
#define assert(cond)	((void)0)
#else
#define assert(cond)	anpu_assert(cond)
#endif

#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert	_Static_assert
#endif
