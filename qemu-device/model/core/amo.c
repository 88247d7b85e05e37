// SPDX-License-Identifier: MIT
/*
 * Atomic instructions: the A extension, amocas, and what custom-1 adds for floating point. Each is one
 * atomic instruction of the host, or a loop of compare-and-exchange, on the memory itself.
 */
#include <math.h>

#include "amo.h"
#include "fp.h"

#define NO_RESERVATION	(~0ULL)

static const uint8_t own_bytes[ANPU_AMO_OP_COUNT] = {
#define ROW(name, number, bytes, ...) [number] = bytes,
	ANPU_AMO_OPS(ROW)
#undef ROW
};

bool amo_decode(uint32_t word, struct insn *i)
{
	unsigned int f3 = word >> 12 & 7, f5 = word >> 27, f7 = word >> 25;

	if ((word & 0x7f) == ANPU_OPC_SYS) {
		i->imm = (int32_t)(AMO_OWN | f7);
		return f7 < ANPU_AMO_OP_COUNT;
	}
	i->imm = (int32_t)(f5 | (f3 == 3 ? AMO_DOUBLE : 0));
	if (f3 != 2 && f3 != 3)
		return false;
	switch (f5) {
	case A_LR: return !i->rs2;
	case A_ADD: case A_SWAP: case A_SC: case A_XOR: case A_CAS: case A_OR: case A_AND:
	case A_MIN: case A_MAX: case A_MINU: case A_MAXU: return true;
	default: return false;
	}
}

static uint32_t float_bits(float v)
{
	uint32_t u;

	memcpy(&u, &v, 4);
	return v != v ? NAN_S : u;
}

static float bits_float(uint32_t u)
{
	float v;

	memcpy(&v, &u, 4);
	return v;
}

/* IEEE's minimumNumber and maximumNumber: a NaN loses against a number, -0 is below +0. */
static bool first_wins(double a, double b, bool max)
{
	if (b != b)
		return true;
	if (a != a)
		return false;
	if (a == b)
		return !signbit(a) == max;
	return max ? a > b : a < b;
}

static uint64_t own_new(unsigned int op, uint64_t old, uint64_t v)
{
	double a = to_double(old), c = to_double(v);

	switch (op) {
	case ANPU_AMO_FADD_S: return float_bits(bits_float((uint32_t)old) + bits_float((uint32_t)v));
	case ANPU_AMO_FADD_D: return box_double(a + c);
	case ANPU_AMO_FMIN_S:
	case ANPU_AMO_FMAX_S:
		a = (double)bits_float((uint32_t)old);
		c = (double)bits_float((uint32_t)v);
		if (a != a && c != c)
			return NAN_S;
		return (uint32_t)(first_wins(a, c, op == ANPU_AMO_FMAX_S) ? old : v);
	case ANPU_AMO_FMIN_D:
	case ANPU_AMO_FMAX_D:
		if (a != a && c != c)
			return NAN_D;
		return first_wins(a, c, op == ANPU_AMO_FMAX_D) ? old : v;
	case ANPU_AMO_INC_W: return (uint32_t)old >= (uint32_t)v ? 0 : (uint32_t)old + 1;
	default: return !(uint32_t)old || (uint32_t)old > (uint32_t)v ? (uint32_t)v : (uint32_t)old - 1;
	}
}

/* Operations that the host has no instruction for. */
#define LOOP(type, p, expression) ({ \
	type old = __atomic_load_n((type *)(p), __ATOMIC_RELAXED); \
	while (!__atomic_compare_exchange_n((type *)(p), &old, (type)(expression), true, \
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) \
		; \
	old; })

static uint64_t own(unsigned int op, void *p, uint64_t v)
{
	uint32_t guest = host_fp_get();
	uint64_t r;

	host_fp_set(HOST_FP_CLEAN);
	if (own_bytes[op] == 4)
		r = (uint64_t)(int64_t)(int32_t)LOOP(uint32_t, p, own_new(op, old, v));
	else
		r = LOOP(uint64_t, p, own_new(op, old, v));
	host_fp_set(guest);
	return r;
}

#define STANDARD(type, stype) \
static type standard_##type(unsigned int op, type *p, type v, type expected) \
{ \
	switch (op) { \
	case A_ADD: return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); \
	case A_SWAP: return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); \
	case A_XOR: return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST); \
	case A_OR: return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); \
	case A_AND: return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); \
	case A_MIN: return LOOP(type, p, (stype)old < (stype)v ? old : v); \
	case A_MAX: return LOOP(type, p, (stype)old > (stype)v ? old : v); \
	case A_MINU: return LOOP(type, p, old < v ? old : v); \
	case A_MAXU: return LOOP(type, p, old > v ? old : v); \
	default: /* A_CAS */ \
		__atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, \
					    __ATOMIC_SEQ_CST); \
		return expected; \
	} \
}
STANDARD(uint32_t, int32_t)
STANDARD(uint64_t, int64_t)

static uint64_t load_reserved(struct core_block *b, const void *p, uint64_t va, unsigned int bytes)
{
	uint64_t v = bytes == 4 ? (uint64_t)(int64_t)__atomic_load_n((const int32_t *)p, __ATOMIC_SEQ_CST) :
				  __atomic_load_n((const uint64_t *)p, __ATOMIC_SEQ_CST);

	b->reserved_va = va;
	b->reserved_bytes = bytes;
	b->reserved_value = v;
	return v;
}

/* Returns 0 if the store has been done. A word that was changed and changed back counts as untouched. */
static uint64_t store_conditional(struct core_block *b, void *p, uint64_t va, unsigned int bytes, uint64_t v)
{
	uint64_t expected = b->reserved_value;
	uint32_t expected32 = (uint32_t)expected;
	bool done;

	if (b->reserved_va != va || b->reserved_bytes != bytes)
		done = false;
	else if (bytes == 4)
		done = __atomic_compare_exchange_n((uint32_t *)p, &expected32, (uint32_t)v, false,
						   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	else
		done = __atomic_compare_exchange_n((uint64_t *)p, &expected, v, false,
						   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	b->reserved_va = NO_RESERVATION;
	return !done;
}

void amo_forget(struct core_block *b)
{
	b->reserved_va = NO_RESERVATION;
}

bool amo_exec(struct core_block *b, const struct insn *i, struct core_fault *fault)
{
	unsigned int op = (unsigned int)i->imm & 31, bytes = i->imm & AMO_DOUBLE ? 8 : 4;
	uint64_t va = b->x[i->rs1], v = b->x[i->rs2];
	bool reads = !(i->imm & AMO_OWN) && op == A_LR;
	void *p;

	if (i->imm & AMO_OWN)
		bytes = own_bytes[op];
	if (va & (bytes - 1)) {
		core_fail(fault, ANPU_FAULT_MISALIGNED,
			  "atomic access to 0x%llx, which is not aligned to its %u bytes",
			  (unsigned long long)va, bytes);
		fault->addr = va;
		fault->size = bytes;
		fault->access = ANPU_ACCESS_WRITE;
		return false;
	}
	p = mem_atomic(b, va, bytes, reads ? ANPU_ACCESS_READ : ANPU_ACCESS_WRITE, fault);
	if (!p)
		return false;
	if (i->imm & AMO_OWN) {
		b->x[i->rd] = own(op, p, v);
	} else if (op == A_LR) {
		b->x[i->rd] = load_reserved(b, p, va, bytes);
		return true;
	} else if (op == A_SC) {
		b->x[i->rd] = store_conditional(b, p, va, bytes, v);
	} else if (bytes == 4) {
		uint32_t old = standard_uint32_t(op, p, (uint32_t)v, (uint32_t)b->x[i->rd & 31]);

		b->x[i->rd] = (uint64_t)(int64_t)(int32_t)old;
	} else {
		b->x[i->rd] = standard_uint64_t(op, p, v, b->x[i->rd & 31]);
	}
	b->reserved_va = NO_RESERVATION;
	return true;
}
