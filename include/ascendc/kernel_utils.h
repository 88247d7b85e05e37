/* SPDX-License-Identifier: MIT */
/* A name by which sources include Ascend C; it also has roundings of integers that kernel_operator.h has under other names. */
#ifndef ASCENDC_KERNEL_UTILS_H
#define ASCENDC_KERNEL_UTILS_H
#include "kernel_operator.h"

namespace AscendC {

template <class A, class B> ASCENDC_FN constexpr auto RoundUp(A a, B b)
{
	return DivCeil(a, b) * b;
}

} // namespace AscendC
#endif
