// SPDX-License-Identifier: MIT
/* Conversions that have no instruction: 128-bit integers from and to floats, bfloat16. */
/* provides: __floattidf __floattisf __floattihf __floatuntidf __floatuntisf __floatuntihf __fixdfti
 * __fixsfti __fixhfti __fixunsdfti __fixunssfti __fixunshfti __truncsfbf2 __truncdfbf2
 */
#include <stdint.h>

typedef __int128 ti;
typedef unsigned __int128 uti;

/* Keeps 62 bits of the magnitude with a sticky last bit, so that only the core rounds. */
static uint64_t squeeze(uti a, int *shift)
{
	uint64_t high = (uint64_t)(a >> 64), low = (uint64_t)a;
	uti kept;

	*shift = high ? 66 - __builtin_clzll(high) : low >> 62 ? 2 : 0;
	if (!*shift)
		return low;
	kept = a >> *shift;
	return (uint64_t)kept | (kept << *shift != a);
}

static double power(int n)
{
	union {
		uint64_t bits;
		double value;
	} u = { (uint64_t)(1023 + n) << 52 };

	return u.value;
}

double __floatuntidf(uti a)
{
	int shift;
	uint64_t part = squeeze(a, &shift);

	return (double)part * power(shift);
}

float __floatuntisf(uti a)
{
	int shift;
	uint64_t part = squeeze(a, &shift);

	/* 2^66 times a float of at most 2^62 is in range, except for the last step to infinity. */
	return (float)part * (float)power(shift);
}

_Float16 __floatuntihf(uti a)
{
	return a >> 64 ? (_Float16)__builtin_inff() : (_Float16)(uint64_t)a;
}

static uti magnitude(ti a)
{
	return a < 0 ? -(uti)a : (uti)a;
}

double __floattidf(ti a)
{
	double d = __floatuntidf(magnitude(a));

	return a < 0 ? -d : d;
}

float __floattisf(ti a)
{
	float f = __floatuntisf(magnitude(a));

	return a < 0 ? -f : f;
}

_Float16 __floattihf(ti a)
{
	_Float16 f = __floatuntihf(magnitude(a));

	return a < 0 ? -f : f;
}

uti __fixunsdfti(double a)
{
	uint64_t high;

	if (!(a >= 0))
		return 0;
	if (a >= power(64) * power(64))
		return ~(uti)0;
	high = (uint64_t)(a * power(-64));
	return (uti)high << 64 | (uint64_t)(a - (double)high * power(64));
}

ti __fixdfti(double a)
{
	uti most = ~(uti)0 >> 1;

	if (a != a)
		return 0;
	if (a >= power(127))
		return (ti)most;
	if (a <= -power(127))
		return -(ti)most - 1;
	return a < 0 ? -(ti)__fixunsdfti(-a) : (ti)__fixunsdfti(a);
}

ti __fixsfti(float a)
{
	return __fixdfti((double)a);
}

ti __fixhfti(_Float16 a)
{
	return __fixdfti((double)a);
}

uti __fixunssfti(float a)
{
	return __fixunsdfti((double)a);
}

uti __fixunshfti(_Float16 a)
{
	return __fixunsdfti((double)a);
}

/* A bfloat16 travels in a floating-point register like a _Float16 with the same bits. */
_Float16 __truncsfbf2(float a)
{
	union {
		float f;
		uint32_t bits;
	} u = { a };
	union {
		uint16_t bits;
		_Float16 h;
	} r;

	if (a != a)
		r.bits = (uint16_t)(u.bits >> 16 | 0x40);
	else
		r.bits = (uint16_t)((u.bits + 0x7fff + (u.bits >> 16 & 1)) >> 16);
	return r.h;
}

_Float16 __truncdfbf2(double a)
{
	union {
		float f;
		uint32_t bits;
	} u = { (float)a };
	double back = (double)u.f;

	/* Rounded to odd first, so that the second rounding is the only one that counts. */
	if (a == a && back != a) {
		if ((back < 0 ? -back : back) > (a < 0 ? -a : a))
			u.bits--;
		u.bits |= 1;
	}
	return __truncsfbf2(u.f);
}
