// SPDX-License-Identifier: MIT
/*
 * Floating point in integers. Numbers are unpacked to sign, exponent and a 64-bit significand whose
 * top bit is set (value = sig / 2^63 * 2^exp); every operation forms the exact result, or one with
 * all lost bits collected in a sticky last bit, and rounds once in round_pack().
 */
#include "soft_fp.h"

typedef unsigned __int128 u128;

struct format {
	int man;	/* stored significand bits */
	int exp;	/* exponent bits */
};

static const struct format formats[FP_FORMATS] = {
	[FP_S] = { 23, 8 }, [FP_D] = { 52, 11 }, [FP_H] = { 10, 5 },
};

enum kind { ZERO, FINITE, INF, QNAN, SNAN };

struct num {
	enum kind kind;
	bool sign;
	int exp;
	uint64_t sig;
};

static int bias(enum fp_format f)
{
	return (1 << (formats[f].exp - 1)) - 1;
}

static uint64_t inf_bits(enum fp_format f)
{
	return ((1ULL << formats[f].exp) - 1) << formats[f].man;
}

uint64_t soft_sign(enum fp_format f)
{
	return 1ULL << (formats[f].man + formats[f].exp);
}

uint64_t soft_nan(enum fp_format f)
{
	return inf_bits(f) | 1ULL << (formats[f].man - 1);
}

uint64_t soft_neg(enum fp_format f, uint64_t a)
{
	return a ^ soft_sign(f);
}

static struct num unpack(enum fp_format f, uint64_t a)
{
	int man = formats[f].man;
	int e = (int)(a >> man) & ((1 << formats[f].exp) - 1);
	uint64_t m = a & ((1ULL << man) - 1);
	struct num n = { .sign = (a & soft_sign(f)) != 0 };
	int z;

	if (e == (1 << formats[f].exp) - 1) {
		n.kind = !m ? INF : m >> (man - 1) ? QNAN : SNAN;
	} else if (e) {
		n.kind = FINITE;
		n.exp = e - bias(f);
		n.sig = 1ULL << 63 | m << (63 - man);
	} else if (m) {
		z = __builtin_clzll(m);
		n.kind = FINITE;
		n.sig = m << z;
		n.exp = 1 - bias(f) - man + 63 - z;
	} else {
		n.kind = ZERO;
	}
	return n;
}

/* Does rounding a magnitude with this last bit, half bit and rest go away from zero? */
static bool round_up(enum fp_round rm, bool sign, bool odd, bool half, bool rest)
{
	switch (rm) {
	case FP_RNE: return half && (rest || odd);
	case FP_RDN: return sign && (half || rest);
	case FP_RUP: return !sign && (half || rest);
	case FP_RMM: return half;
	default: return false;
	}
}

static uint64_t overflow(enum fp_format f, bool sign, enum fp_round rm, uint32_t *flags)
{
	uint64_t r = inf_bits(f);

	*flags |= FP_OF | FP_NX;
	if (rm == FP_RTZ || (rm == FP_RDN && !sign) || (rm == FP_RUP && sign))
		r--;
	return r | (sign ? soft_sign(f) : 0);
}

/* Shift right, collecting what is lost in the last bit. */
static uint64_t shift_jam(uint64_t v, int n)
{
	if (n <= 0)
		return v;
	if (n > 63)
		return v != 0;
	return v >> n | ((v << (64 - n)) != 0);
}

static u128 shift_jam128(u128 v, int n)
{
	if (n <= 0)
		return v;
	if (n > 127)
		return v != 0;
	return v >> n | ((v << (128 - n)) != 0);
}

/*
 * Round and pack. @sig has its top bit set; its last bit may be sticky, and is far below the
 * precision.
 */
static uint64_t round_pack(enum fp_format f, bool sign, int exp, uint64_t sig, enum fp_round rm,
			   uint32_t *flags)
{
	int man = formats[f].man, drop = 63 - man;
	int e = exp + bias(f);
	uint64_t half = 1ULL << (drop - 1), rest = half - 1, r;
	bool tiny = false, inexact;

	if (e < 1) {
		/* tiny unless rounding with an unbounded exponent reaches the smallest normal */
		r = (sig >> drop) + round_up(rm, sign, sig >> drop & 1, sig & half, sig & rest);
		tiny = e < 0 || !(r >> (man + 1));
		sig = shift_jam(sig, 1 - e);
		e = 1;
	}
	inexact = sig & (half | rest);
	r = (sig >> drop) + round_up(rm, sign, sig >> drop & 1, sig & half, sig & rest);
	if (inexact)
		*flags |= FP_NX | (tiny ? FP_UF : 0);
	/* the hidden bit, or a carry out of the significand, adds to the exponent field */
	r += (uint64_t)(e - 1) << man;
	if (r >= inf_bits(f))
		return overflow(f, sign, rm, flags);
	return r | (sign ? soft_sign(f) : 0);
}

static uint64_t nan_result(enum fp_format f, bool invalid, uint32_t *flags)
{
	if (invalid)
		*flags |= FP_NV;
	return soft_nan(f);
}

static uint64_t signed_bits(enum fp_format f, bool sign, uint64_t magnitude)
{
	return magnitude | (sign ? soft_sign(f) : 0);
}

static uint64_t repack(enum fp_format f, struct num n, enum fp_round rm, uint32_t *flags)
{
	if (n.kind == ZERO)
		return signed_bits(f, n.sign, 0);
	if (n.kind == INF)
		return signed_bits(f, n.sign, inf_bits(f));
	return round_pack(f, n.sign, n.exp, n.sig, rm, flags);
}

/* The exact sum of a product and an addend, both finite and not zero. */
static uint64_t fma_finite(enum fp_format f, struct num a, struct num b, struct num c, bool sign,
			   enum fp_round rm, uint32_t *flags)
{
	u128 p = (u128)a.sig * b.sig, s = (u128)c.sig << 63, r;
	int exp = a.exp + b.exp, d, z;

	/* top bit of both at 126, so that a carry has room; p's low bits are zero */
	if (p >> 127) {
		p >>= 1;
		exp++;
	}
	d = exp - c.exp;
	if (d >= 0) {
		s = shift_jam128(s, d);
	} else {
		p = shift_jam128(p, -d);
		exp = c.exp;
	}
	if (sign == c.sign) {
		r = p + s;
	} else if (p >= s) {
		r = p - s;
	} else {
		r = s - p;
		sign = c.sign;
	}
	if (!r)
		return signed_bits(f, rm == FP_RDN, 0);
	z = r >> 64 ? __builtin_clzll((uint64_t)(r >> 64)) : 64 + __builtin_clzll((uint64_t)r);
	r <<= z;
	return round_pack(f, sign, exp + 1 - z, (uint64_t)(r >> 64) | ((uint64_t)r != 0), rm, flags);
}

uint64_t soft_fma(enum fp_format f, uint64_t ab, uint64_t bb, uint64_t cb, enum fp_round rm,
		  uint32_t *flags)
{
	struct num a = unpack(f, ab), b = unpack(f, bb), c = unpack(f, cb);
	bool sign = a.sign ^ b.sign;
	bool bad = (a.kind == INF && b.kind == ZERO) || (a.kind == ZERO && b.kind == INF);

	if (a.kind >= QNAN || b.kind >= QNAN || c.kind >= QNAN || bad)
		return nan_result(f, bad || a.kind == SNAN || b.kind == SNAN || c.kind == SNAN,
				  flags);
	if (a.kind == INF || b.kind == INF) {
		if (c.kind == INF && c.sign != sign)
			return nan_result(f, true, flags);
		return signed_bits(f, sign, inf_bits(f));
	}
	if (c.kind == INF)
		return cb;
	if (a.kind == ZERO || b.kind == ZERO) {
		if (c.kind == ZERO && c.sign != sign)
			return signed_bits(f, rm == FP_RDN, 0);
		return cb;
	}
	if (c.kind == ZERO) {
		u128 p = (u128)a.sig * b.sig;
		int z = p >> 127 ? 0 : 1;

		p <<= z;
		return round_pack(f, sign, a.exp + b.exp + 1 - z,
				  (uint64_t)(p >> 64) | ((uint64_t)p != 0), rm, flags);
	}
	return fma_finite(f, a, b, c, sign, rm, flags);
}

uint64_t soft_add(enum fp_format f, uint64_t a, uint64_t b, enum fp_round rm, uint32_t *flags)
{
	return soft_fma(f, a, (uint64_t)bias(f) << formats[f].man, b, rm, flags);
}

uint64_t soft_sub(enum fp_format f, uint64_t a, uint64_t b, enum fp_round rm, uint32_t *flags)
{
	/* a NaN's sign does not matter */
	return soft_add(f, a, soft_neg(f, b), rm, flags);
}

uint64_t soft_mul(enum fp_format f, uint64_t a, uint64_t b, enum fp_round rm, uint32_t *flags)
{
	/* a zero with the product's sign changes neither value nor sign */
	return soft_fma(f, a, b, (a ^ b) & soft_sign(f), rm, flags);
}

uint64_t soft_div(enum fp_format f, uint64_t ab, uint64_t bb, enum fp_round rm, uint32_t *flags)
{
	struct num a = unpack(f, ab), b = unpack(f, bb);
	bool sign = a.sign ^ b.sign;
	bool bad = a.kind == b.kind && (a.kind == ZERO || a.kind == INF);
	uint64_t q;
	u128 n;
	int exp;

	if (a.kind >= QNAN || b.kind >= QNAN || bad)
		return nan_result(f, bad || a.kind == SNAN || b.kind == SNAN, flags);
	if (a.kind == INF || b.kind == ZERO) {
		if (a.kind != INF)
			*flags |= FP_DZ;
		return signed_bits(f, sign, inf_bits(f));
	}
	if (a.kind == ZERO || b.kind == INF)
		return signed_bits(f, sign, 0);
	exp = a.exp - b.exp;
	n = (u128)a.sig << 63;
	if (a.sig < b.sig) {
		n <<= 1;
		exp--;
	}
	q = (uint64_t)(n / b.sig);
	return round_pack(f, sign, exp, q | (n % b.sig != 0), rm, flags);
}

uint64_t soft_sqrt(enum fp_format f, uint64_t ab, enum fp_round rm, uint32_t *flags)
{
	struct num a = unpack(f, ab);
	uint64_t root = 0, bit;
	u128 n;

	if (a.kind >= QNAN)
		return nan_result(f, a.kind == SNAN, flags);
	if (a.kind == ZERO || (a.kind == INF && !a.sign))
		return ab;
	if (a.sign)
		return nan_result(f, true, flags);
	/* an even exponent, so that the root of sig * 2^63 (or 2^64) is the significand */
	n = (u128)a.sig << (a.exp & 1 ? 64 : 63);
	for (bit = 1ULL << 63; bit; bit >>= 1) {
		uint64_t t = root | bit;

		if ((u128)t * t <= n)
			root = t;
	}
	return round_pack(f, false, (a.exp - (a.exp & 1)) / 2, root | ((u128)root * root != n), rm,
			  flags);
}

uint64_t soft_convert(enum fp_format to, enum fp_format from, uint64_t ab, enum fp_round rm,
		      uint32_t *flags)
{
	struct num a = unpack(from, ab);

	if (a.kind >= QNAN)
		return nan_result(to, a.kind == SNAN, flags);
	return repack(to, a, rm, flags);
}

uint64_t soft_from_int(enum fp_format to, enum fp_int kind, uint64_t a, enum fp_round rm,
		       uint32_t *flags)
{
	bool sign = false;
	int z;

	switch (kind) {
	case FP_W: a = (uint64_t)(int64_t)(int32_t)a; break;
	case FP_WU: a = (uint32_t)a; break;
	default: break;
	}
	if ((kind == FP_W || kind == FP_L) && (int64_t)a < 0) {
		sign = true;
		a = -a;
	}
	if (!a)
		return 0;
	z = __builtin_clzll(a);
	return round_pack(to, sign, 63 - z, a << z, rm, flags);
}

struct int_range {
	uint64_t max;		/* greatest magnitude of a positive result */
	uint64_t min;		/* greatest magnitude of a negative result */
	bool is_word;
};

uint64_t soft_to_int(enum fp_format from, enum fp_int kind, uint64_t ab, enum fp_round rm,
		     uint32_t *flags)
{
	static const struct int_range ranges[] = {
		[FP_W] = { INT32_MAX, 1ULL << 31, true }, [FP_WU] = { UINT32_MAX, 0, true },
		[FP_L] = { INT64_MAX, 1ULL << 63, false }, [FP_LU] = { UINT64_MAX, 0, false },
	};
	const struct int_range *r = &ranges[kind];
	struct num a = unpack(from, ab);
	bool invalid = a.kind >= INF, inexact = false;
	uint64_t v = 0, low;

	if (a.kind >= QNAN)
		a.sign = false;
	if (a.kind == FINITE) {
		if (a.exp > 63) {
			invalid = true;
		} else {
			int n = 63 - a.exp;	/* bits behind the point */

			v = n > 63 ? 0 : a.sig >> n;
			low = !n ? 0 : n < 64 ? a.sig << (64 - n) : shift_jam(a.sig, n - 64);
			inexact = low != 0;
			if (round_up(rm, a.sign, v & 1, low >> 63, low << 1))
				invalid = !++v;
			invalid |= v > (a.sign ? r->min : r->max);
		}
	}
	if (invalid) {
		*flags |= FP_NV;
		v = a.sign ? -r->min : r->max;
	} else {
		if (inexact)
			*flags |= FP_NX;
		v = a.sign ? -v : v;
	}
	return r->is_word ? (uint64_t)(int64_t)(int32_t)v : v;
}

static bool is_nan(enum fp_format f, uint64_t a)
{
	return (a & ~soft_sign(f)) > inf_bits(f);
}

static bool is_snan(enum fp_format f, uint64_t a)
{
	return is_nan(f, a) && !(a >> (formats[f].man - 1) & 1);
}

static bool less(enum fp_format f, uint64_t a, uint64_t b)
{
	uint64_t s = soft_sign(f);

	if ((a ^ b) & s)
		return a & s && (a | b) & ~s;
	return a & s ? a > b : a < b;
}

uint64_t soft_min(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags)
{
	if (is_snan(f, a) || is_snan(f, b))
		*flags |= FP_NV;
	if (is_nan(f, a))
		return is_nan(f, b) ? soft_nan(f) : b;
	if (is_nan(f, b))
		return a;
	/* -0 is smaller than +0 */
	return less(f, a, b) || (a & soft_sign(f) && !less(f, b, a)) ? a : b;
}

uint64_t soft_max(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags)
{
	if (is_snan(f, a) || is_snan(f, b))
		*flags |= FP_NV;
	if (is_nan(f, a))
		return is_nan(f, b) ? soft_nan(f) : b;
	if (is_nan(f, b))
		return a;
	return less(f, b, a) || (!(a & soft_sign(f)) && !less(f, a, b)) ? a : b;
}

bool soft_eq(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags)
{
	if (is_snan(f, a) || is_snan(f, b))
		*flags |= FP_NV;
	if (is_nan(f, a) || is_nan(f, b))
		return false;
	return a == b || !((a | b) & ~soft_sign(f));
}

bool soft_lt(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags)
{
	if (is_nan(f, a) || is_nan(f, b)) {
		*flags |= FP_NV;
		return false;
	}
	return less(f, a, b);
}

bool soft_le(enum fp_format f, uint64_t a, uint64_t b, uint32_t *flags)
{
	if (is_nan(f, a) || is_nan(f, b)) {
		*flags |= FP_NV;
		return false;
	}
	return !less(f, b, a);
}

unsigned int soft_class(enum fp_format f, uint64_t a)
{
	bool sign = a & soft_sign(f), normal;
	struct num n = unpack(f, a);

	switch (n.kind) {
	case SNAN: return 1u << 8;
	case QNAN: return 1u << 9;
	case INF: return sign ? 1u << 0 : 1u << 7;
	case ZERO: return sign ? 1u << 3 : 1u << 4;
	default: break;
	}
	normal = n.exp >= 1 - bias(f);
	if (sign)
		return normal ? 1u << 1 : 1u << 2;
	return normal ? 1u << 6 : 1u << 5;
}
