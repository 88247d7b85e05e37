// SPDX-License-Identifier: MIT
/* Rounding to integral values, two conversions for the core; anpu/libc/math.h declares them. */
/* provides: floorf ceilf truncf roundf roundevenf rintf nearbyintf floor ceil trunc round roundeven
 * rint nearbyint lroundf lround lrintf lrint
 */
#include <stdint.h>

/* Values of 2^23 and 2^52 on are integral; below, a conversion is exact. Keeps the sign of 0. */
#define ROUND(name, type, limit, to, from, suffix, mode)					\
	type name##suffix(type a)								\
	{											\
		type size = a < 0 ? -a : a, r;							\
		int64_t n;									\
												\
		if (!(size < limit))								\
			return a + (type)0;							\
		__asm__(to " %0, %1, " mode : "=r"(n) : "f"(a));				\
		r = (type)n;									\
		__asm__(from " %0, %1, %2" : "=f"(r) : "f"(r), "f"(a));			\
		return r;									\
	}											\

#define BOTH(name, mode)									\
	ROUND(name, float, 0x1p23f, "fcvt.l.s", "fsgnj.s", f, mode)				\
	ROUND(name, double, 0x1p52, "fcvt.l.d", "fsgnj.d", , mode)

BOTH(floor, "rdn")
BOTH(ceil, "rup")
BOTH(trunc, "rtz")
BOTH(round, "rmm")
BOTH(roundeven, "rne")
BOTH(rint, "dyn")
BOTH(nearbyint, "dyn")

#define LONG(name, type, insn, mode)								\
	long name(type a)									\
	{											\
		long n;										\
												\
		__asm__(insn " %0, %1, " mode : "=r"(n) : "f"(a));				\
		return n;									\
	}

LONG(lroundf, float, "fcvt.l.s", "rmm")
LONG(lround, double, "fcvt.l.d", "rmm")
LONG(lrintf, float, "fcvt.l.s", "dyn")
LONG(lrint, double, "fcvt.l.d", "dyn")
