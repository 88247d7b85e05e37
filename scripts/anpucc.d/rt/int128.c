// SPDX-License-Identifier: MIT
/* What clang calls for 128-bit integers on a 64-bit core, with the semantics of GCC's manual. */
/* provides: __multi3 __udivti3 __umodti3 __udivmodti4 __divti3 __modti3 __divmodti4 __ashlti3
 * __lshrti3 __ashrti3 __clzti2 __ctzti2 __popcountti2
 */
#include <stdint.h>

typedef __int128 ti;
typedef unsigned __int128 uti;

static uti join(uint64_t high, uint64_t low)
{
	union {
		struct {
			uint64_t low, high;
		} part;
		uti whole;
	} u = { { low, high } };

	return u.whole;
}

#define HIGH(x) ((uint64_t)((x) >> 64))
#define LOW(x)	((uint64_t)(x))

/* Products of 32-bit halves, so that clang does not call this function for its own body. */
ti __multi3(ti a, ti b)
{
	uint64_t al = LOW(a), bl = LOW(b), mask = 0xffffffff;
	uint64_t ll = (al & mask) * (bl & mask), lh = (al & mask) * (bl >> 32);
	uint64_t hl = (al >> 32) * (bl & mask), hh = (al >> 32) * (bl >> 32);
	uint64_t middle = (ll >> 32) + (lh & mask) + (hl & mask);
	uint64_t high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);

	high += HIGH(a) * bl + al * HIGH(b);
	return (ti)join(high, middle << 32 | (ll & mask));
}

uti __udivmodti4(uti a, uti b, uti *rest)
{
	uti quotient = 0, remainder = 0;
	int bit;

	if (!HIGH(a) && !HIGH(b)) {
		/* As the divide instruction does: x / 0 is all ones, x % 0 is x. */
		*rest = LOW(b) ? LOW(a) % LOW(b) : LOW(a);
		return LOW(b) ? LOW(a) / LOW(b) : ~(uti)0;
	}
	for (bit = 127; bit >= 0; bit--) {
		uint64_t carry = HIGH(remainder) >> 63;

		remainder = remainder << 1 | (uint64_t)(a >> bit & 1);
		if (carry || remainder >= b) {
			remainder -= b;
			quotient |= (uti)1 << bit;
		}
	}
	*rest = remainder;
	return quotient;
}

uti __udivti3(uti a, uti b)
{
	uti rest;

	return __udivmodti4(a, b, &rest);
}

uti __umodti3(uti a, uti b)
{
	uti rest;

	__udivmodti4(a, b, &rest);
	return rest;
}

ti __divmodti4(ti a, ti b, ti *rest)
{
	uti r, q = __udivmodti4(a < 0 ? -(uti)a : (uti)a, b < 0 ? -(uti)b : (uti)b, &r);

	*rest = (ti)(a < 0 ? -r : r);
	return (ti)((a < 0) != (b < 0) ? -q : q);
}

ti __divti3(ti a, ti b)
{
	ti rest;

	return __divmodti4(a, b, &rest);
}

ti __modti3(ti a, ti b)
{
	ti rest;

	__divmodti4(a, b, &rest);
	return rest;
}

ti __ashlti3(ti a, int n)
{
	uint64_t high = HIGH(a), low = LOW(a);

	if (n & 64)
		return (ti)join(low << (n & 63), 0);
	return n ? (ti)join(high << n | low >> (64 - n), low << n) : a;
}

ti __lshrti3(ti a, int n)
{
	uint64_t high = HIGH(a), low = LOW(a);

	if (n & 64)
		return (ti)join(0, high >> (n & 63));
	return n ? (ti)join(high >> n, low >> n | high << (64 - n)) : a;
}

ti __ashrti3(ti a, int n)
{
	int64_t high = (int64_t)HIGH(a);
	uint64_t low = LOW(a);

	if (n & 64)
		return (ti)join((uint64_t)(high >> 63), (uint64_t)(high >> (n & 63)));
	return n ? (ti)join((uint64_t)(high >> n), low >> n | (uint64_t)high << (64 - n)) : a;
}

int __clzti2(ti a)
{
	return HIGH(a) ? __builtin_clzll(HIGH(a)) : 64 + __builtin_clzll(LOW(a));
}

int __ctzti2(ti a)
{
	return LOW(a) ? __builtin_ctzll(LOW(a)) : 64 + __builtin_ctzll(HIGH(a));
}

int __popcountti2(ti a)
{
	return __builtin_popcountll(HIGH(a)) + __builtin_popcountll(LOW(a));
}
