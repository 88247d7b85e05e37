/* SPDX-License-Identifier: MIT */
/* One step of x = a * x + b */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void step(int64_t *x, int64_t a, int64_t b)
{
	*x = a * *x + b;
}
