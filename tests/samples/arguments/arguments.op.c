/* SPDX-License-Identifier: MIT */
/* y[i] = the polynomial with these coefficients at x[i] */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void polynomial(const float *x, float *y, const float *coefficients, uint32_t degree,
			    uint32_t n)
{
	uint64_t first, count = anpu_share(n, 8, &first);

	for (uint64_t i = first; i < first + count; i++) {
		float sum = 0;

		for (uint32_t d = degree + 1; d-- > 0;)
			sum = sum * x[i] + coefficients[d];
		y[i] = sum;
	}
}
