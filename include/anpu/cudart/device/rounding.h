/* SPDX-License-Identifier: MIT */
/* Numbers rounded towards zero (_rz), up (_ru) and down (_rd), which instructions say. Those of the nearest are in functions.h. */
#pragma once

#define ANPU_DIRECTIONS(X, ...) X(_rz, "rtz", __VA_ARGS__) X(_ru, "rup", __VA_ARGS__) X(_rd, "rdn", __VA_ARGS__)

#define ANPU_X_(direction, mode, type, name, insn) \
	static inline type name##direction(type a, type b) \
	{ \
		type r; \
		__asm__(insn " %0, %1, %2, " mode : "=f"(r) : "f"(a), "f"(b)); \
		return r; \
	}
ANPU_DIRECTIONS(ANPU_X_, float, __fadd, "fadd.s")
ANPU_DIRECTIONS(ANPU_X_, float, __fsub, "fsub.s")
ANPU_DIRECTIONS(ANPU_X_, float, __fmul, "fmul.s")
ANPU_DIRECTIONS(ANPU_X_, float, __fdiv, "fdiv.s")
ANPU_DIRECTIONS(ANPU_X_, double, __dadd, "fadd.d")
ANPU_DIRECTIONS(ANPU_X_, double, __dsub, "fsub.d")
ANPU_DIRECTIONS(ANPU_X_, double, __dmul, "fmul.d")
ANPU_DIRECTIONS(ANPU_X_, double, __ddiv, "fdiv.d")
#undef ANPU_X_

#define ANPU_X_(direction, mode, type, name, insn) \
	static inline type name##direction(type a, type b, type c) \
	{ \
		type r; \
		__asm__(insn " %0, %1, %2, %3, " mode : "=f"(r) : "f"(a), "f"(b), "f"(c)); \
		return r; \
	}
ANPU_DIRECTIONS(ANPU_X_, float, __fmaf, "fmadd.s")
ANPU_DIRECTIONS(ANPU_X_, float, __fmaf_ieee, "fmadd.s")
ANPU_DIRECTIONS(ANPU_X_, double, __fma, "fmadd.d")
#undef ANPU_X_

/* @in: "f" or "r", the kind of register that @from is in */
#define ANPU_X_(direction, mode, to, from, in, name, insn) \
	static inline to name##direction(from a) \
	{ \
		to r; \
		__asm__(insn " %0, %1, " mode : "=f"(r) : in(a)); \
		return r; \
	}
ANPU_DIRECTIONS(ANPU_X_, float, float, "f", __fsqrt, "fsqrt.s")
ANPU_DIRECTIONS(ANPU_X_, double, double, "f", __dsqrt, "fsqrt.d")
ANPU_DIRECTIONS(ANPU_X_, float, double, "f", __double2float, "fcvt.s.d")
ANPU_DIRECTIONS(ANPU_X_, float, int, "r", __int2float, "fcvt.s.w")
ANPU_DIRECTIONS(ANPU_X_, float, unsigned int, "r", __uint2float, "fcvt.s.wu")
ANPU_DIRECTIONS(ANPU_X_, float, long long, "r", __ll2float, "fcvt.s.l")
ANPU_DIRECTIONS(ANPU_X_, float, unsigned long long, "r", __ull2float, "fcvt.s.lu")
ANPU_DIRECTIONS(ANPU_X_, double, long long, "r", __ll2double, "fcvt.d.l")
ANPU_DIRECTIONS(ANPU_X_, double, unsigned long long, "r", __ull2double, "fcvt.d.lu")
#undef ANPU_X_

#define ANPU_X_(direction, mode, ...) \
	static inline float __frcp##direction(float a) { return __fdiv##direction(1.0f, a); } \
	static inline double __drcp##direction(double a) { return __ddiv##direction(1.0, a); }
ANPU_DIRECTIONS(ANPU_X_, )
#undef ANPU_X_
#undef ANPU_DIRECTIONS
