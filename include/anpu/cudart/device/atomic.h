/* SPDX-License-Identifier: MIT */
/* atomicAdd() and its relatives; all return the old value. The forms _block and _system are the same. */
#pragma once

#define ANPU_INTEGER(type) \
	ANPU_INLINE type atomicAdd(type *p, type v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); } \
	ANPU_INLINE type atomicExch(type *p, type v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); } \
	ANPU_INLINE type atomicAnd(type *p, type v) { return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); } \
	ANPU_INLINE type atomicOr(type *p, type v) { return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); } \
	ANPU_INLINE type atomicXor(type *p, type v) { return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST); } \
	ANPU_INLINE type atomicMin(type *p, type v) { return __atomic_fetch_min(p, v, __ATOMIC_SEQ_CST); } \
	ANPU_INLINE type atomicMax(type *p, type v) { return __atomic_fetch_max(p, v, __ATOMIC_SEQ_CST); } \
	ANPU_INLINE type atomicCAS(type *p, type compare, type v) \
	{ \
		__atomic_compare_exchange_n(p, &compare, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		return compare; \
	}
ANPU_INTEGER(int)
ANPU_INTEGER(unsigned int)
ANPU_INTEGER(long long)
ANPU_INTEGER(unsigned long long)
ANPU_INTEGER(unsigned long)
#undef ANPU_INTEGER

ANPU_INLINE int atomicSub(int *p, int v) { return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); }
ANPU_INLINE unsigned int atomicSub(unsigned int *p, unsigned int v)
{
	return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);
}
ANPU_INLINE unsigned int atomicInc(unsigned int *p, unsigned int limit)
{
	return (unsigned int)anpu_amo_INC_W(p, limit);
}
ANPU_INLINE unsigned int atomicDec(unsigned int *p, unsigned int limit)
{
	return (unsigned int)anpu_amo_DEC_W(p, limit);
}
/* The device compares words, so a half of one is compared with the other as it is */
ANPU_INLINE unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short v)
{
	unsigned int *word = (unsigned int *)((uintptr_t)p & ~(uintptr_t)3), shift = (uintptr_t)p & 2 ? 16 : 0;
	unsigned int seen = __atomic_load_n(word, __ATOMIC_SEQ_CST), wanted;

	do {
		if ((unsigned short)(seen >> shift) != compare)
			break;
		wanted = (seen & ~(0xffffu << shift)) | (unsigned int)v << shift;
	} while (!__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return (unsigned short)(seen >> shift);
}

ANPU_INLINE float anpu_as_float(uint64_t bits)
{
	return __builtin_bit_cast(float, (uint32_t)bits);
}
ANPU_INLINE uint32_t anpu_float_bits(float v)
{
	return __builtin_bit_cast(uint32_t, v);
}
ANPU_INLINE float atomicAdd(float *p, float v) { return anpu_as_float(anpu_amo_FADD_S(p, anpu_float_bits(v))); }
ANPU_INLINE float atomicMin(float *p, float v) { return anpu_as_float(anpu_amo_FMIN_S(p, anpu_float_bits(v))); }
ANPU_INLINE float atomicMax(float *p, float v) { return anpu_as_float(anpu_amo_FMAX_S(p, anpu_float_bits(v))); }
ANPU_INLINE float atomicExch(float *p, float v)
{
	return anpu_as_float(__atomic_exchange_n((uint32_t *)p, anpu_float_bits(v), __ATOMIC_SEQ_CST));
}
ANPU_INLINE double atomicAdd(double *p, double v)
{
	return __builtin_bit_cast(double, anpu_amo_FADD_D(p, __builtin_bit_cast(uint64_t, v)));
}
ANPU_INLINE double atomicMin(double *p, double v)
{
	return __builtin_bit_cast(double, anpu_amo_FMIN_D(p, __builtin_bit_cast(uint64_t, v)));
}
ANPU_INLINE double atomicMax(double *p, double v)
{
	return __builtin_bit_cast(double, anpu_amo_FMAX_D(p, __builtin_bit_cast(uint64_t, v)));
}

/* Each number of a vector by itself */
ANPU_INLINE float2 atomicAdd(float2 *p, float2 v) { return { atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y) }; }
ANPU_INLINE float4 atomicAdd(float4 *p, float4 v)
{
	return { atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w) };
}

#define ANPU_SCOPES(name) \
	template <class T, class... V> ANPU_INLINE T name##_block(T *p, V... v) { return name(p, (T)v...); } \
	template <class T, class... V> ANPU_INLINE T name##_system(T *p, V... v) { return name(p, (T)v...); }
ANPU_SCOPES(atomicAdd)
ANPU_SCOPES(atomicSub)
ANPU_SCOPES(atomicExch)
ANPU_SCOPES(atomicMin)
ANPU_SCOPES(atomicMax)
ANPU_SCOPES(atomicAnd)
ANPU_SCOPES(atomicOr)
ANPU_SCOPES(atomicXor)
ANPU_SCOPES(atomicInc)
ANPU_SCOPES(atomicDec)
ANPU_SCOPES(atomicCAS)
#undef ANPU_SCOPES
