/* SPDX-License-Identifier: MIT */
/*
 * Threads in a vector kernel: asc_vf_call<function>(dim3(threads), arguments...) runs the function in that many threads of
 * the block and returns when all have ended. Without a dim3 the function is called as it is: code on vector registers.
 */
#ifndef ASCENDC_SIMT_CALL_H
#define ASCENDC_SIMT_CALL_H

#include <anpu/threads.h>

#include "../core/state.h"

#define __simt_vf__
#define __simt_callee__
#define __SIMT_DEVICE_FUNCTIONS_DECL__ inline __attribute__((always_inline))
#define __simd_vf__
#define __simd_callee__
#define LAUNCH_BOUND(...)
#ifndef __launch_bounds__
#define __launch_bounds__(...)
#endif

#ifndef ACL_DIM3_DEFINED
#define ACL_DIM3_DEFINED
struct dim3 {
	unsigned int x, y, z;
	constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
};
#endif

namespace AscendC {
namespace detail {

template <class Body> void thread_enter(uint64_t body)
{
	(*reinterpret_cast<const Body *>(body))();
}

/* The arguments stay where they are: the caller waits, and each thread makes the function's own copies. */
template <auto function, class... A> ASCENDC_FN void spawn(dim3 threads, A &...args)
{
	auto body = [&] { function(args...); };
	struct anpu_spawn entry = {
		reinterpret_cast<uint64_t>(&thread_enter<decltype(body)>), reinterpret_cast<uint64_t>(&body),
	};
	uint32_t *dim = state()->thread_dim;

	if (threads.x > 0xffff || threads.y > 0xffff || threads.z > 0xffff ||
	    uint64_t(threads.x) * threads.y * threads.z > ANPU_MAX_SPAWN)
		anpu_trap("asc_vf_call: more than 2048 threads");
	dim[0] = threads.x;
	dim[1] = threads.y;
	dim[2] = threads.z;
	if (threads.x && threads.y && threads.z)
		anpu_thread_SPAWN(threads.x | uint64_t(threads.y) << 16 | uint64_t(threads.z) << 32,
				  reinterpret_cast<uint64_t>(&entry));
}

} // namespace detail

namespace Simt {

using Dim3 = ::dim3;

template <auto function, class... A> ASCENDC_FN void VF_CALL(Dim3 threads, A &&...args)
{
	detail::spawn<function>(threads, args...);
}

} // namespace Simt

/** VF_CALL() - calls a function on vector registers */
template <auto function, class... A> ASCENDC_FN void VF_CALL(A &&...args)
{
	function(static_cast<A &&>(args)...);
}

} // namespace AscendC

template <auto function, class... A> ASCENDC_FN void asc_vf_call(dim3 threads, A &&...args)
{
	AscendC::detail::spawn<function>(threads, args...);
}

template <auto function, class First, class... A,
	  class = std::enable_if_t<!std::is_same_v<std::decay_t<First>, dim3>>>
ASCENDC_FN void asc_vf_call(First &&first, A &&...args)
{
	function(static_cast<First &&>(first), static_cast<A &&>(args)...);
}

template <auto function> ASCENDC_FN void asc_vf_call()
{
	function();
}

#endif
