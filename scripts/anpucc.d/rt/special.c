// SPDX-License-Identifier: MIT
/*
 * More functions of <math.h> for the scalar unit: powers and the error function in double precision, within
 * 4 units in the last place (pow, log1p, hypot, asinh, acosh: 2; erf and erfc: 8, erfc near 1: 32), and rarer
 * functions of single precision, which are calculated in double and rounded once.
 */
/* provides: pow erf erfc expm1 log1p cbrt hypot fmod ldexp frexp modf asinh acosh atanh erfcf ldexpf
 * frexpf modff asinhf acoshf atanhf exp10 exp10f tgammaf lgammaf fdim fdimf remainderf remainder sincos scalbn scalbnf
 * logbf ilogbf */
#include <math.h>
#include <stdint.h>

#define LN2_HI	0x1.62e42fefa39efp-1
#define LN2_LO	0x1.abc9e3b39803fp-56

/* A number as the sum of two, the second of which is what rounding took from the first */
struct pair {
	double hi, lo;
};

static uint64_t bits_of(double v)
{
	uint64_t u;

	__builtin_memcpy(&u, &v, 8);
	return u;
}

static double of_bits(uint64_t u)
{
	double v;

	__builtin_memcpy(&v, &u, 8);
	return v;
}

static struct pair sum(double a, double b)
{
	struct pair r = { .hi = a + b };
	double t = r.hi - a;

	r.lo = (a - (r.hi - t)) + (b - t);
	return r;
}

static struct pair add(struct pair a, struct pair b)
{
	struct pair r = sum(a.hi, b.hi);

	return sum(r.hi, r.lo + a.lo + b.lo);
}

static struct pair times(struct pair a, struct pair b)
{
	double hi = a.hi * b.hi;

	return sum(hi, __builtin_fma(a.hi, b.hi, -hi) + a.hi * b.lo + a.lo * b.hi);
}

static struct pair over(struct pair a, struct pair b)
{
	double q = a.hi / b.hi;
	double left = __builtin_fma(-q, b.hi, a.hi) + a.lo - q * b.lo;

	return sum(q, left / b.hi);
}

/* The logarithm of a positive number */
static struct pair log_pair(double a)
{
	struct pair s, square, cube, r;
	double p = 0;
	long k = 0;
	int n;

	if (a < 0x1p-1022) {
		a *= 0x1p54;
		k = -54;
	}
	k += (long)(bits_of(a) >> 52) - 1023;
	a = of_bits((bits_of(a) & 0xfffffffffffffUL) | 0x3ff0000000000000UL);
	if (a > 1.41421356237309504880) {
		a /= 2;
		k++;
	}
	s = over(sum(a, -1), sum(a, 1));
	square = times(s, s);
	cube = times(times(s, square), over((struct pair){ 2, 0 }, (struct pair){ 3, 0 }));
	/* 2 s^5 / 5 + 2 s^7 / 7 + ... */
	for (n = 25; n >= 5; n -= 2)
		p = p * square.hi + 2.0 / n;
	p *= square.hi * square.hi * s.hi;
	r = add((struct pair){ 2 * s.hi, 2 * s.lo }, cube);
	r = add(r, (struct pair){ p, 0 });
	return add(add((struct pair){ (double)k * LN2_HI, __builtin_fma((double)k, LN2_HI, -((double)k * LN2_HI)) },
		       (struct pair){ (double)k * LN2_LO, 0 }), r);
}

double pow(double x, double y)
{
	double a = __builtin_fabs(x), whole = __builtin_trunc(y), r;
	int odd = whole == y && __builtin_fabs(y) < 0x1p53 && ((long)y & 1);
	struct pair e;

	if (y == 0 || x == 1)
		return 1;
	if (x != x || y != y)
		return x + y;
	if (x == -1 && __builtin_isinf(y))
		return 1;
	if (a == 0 || __builtin_isinf(x)) {
		a = (a == 0) == (y > 0) ? 0 : __builtin_inf();
		return __builtin_signbit(x) && odd ? -a : a;
	}
	if (x < 0 && whole != y)
		return __builtin_nan("");
	if (a == 1)
		r = 1;
	else if (__builtin_isinf(y) || __builtin_fabs(y) > 0x1p65)
		r = (a > 1) == (y > 0) ? __builtin_inf() : 0;
	else {
		e = log_pair(a);
		e = times(e, (struct pair){ y, 0 });
		r = exp(e.hi);
		if (r < __builtin_inf() && r > 0)
			r += r * e.lo;
	}
	return x < 0 && odd ? -r : r;
}

double expm1(double x)
{
	double term = x, all = x;
	int n;

	if (__builtin_fabs(x) > 0.5 || x == 0 || x != x)
		return x == 0 ? x : exp(x) - 1;
	for (n = 2; n < 20; n++) {
		term *= x / n;
		all += term;
	}
	return all;
}

double log1p(double x)
{
	double u = 1 + x;

	if (u == 1 || x != x || x == __builtin_inf())
		return x;
	return u <= 0 ? log(u) : log(u) + (x - (u - 1)) / u;
}

double cbrt(double x)
{
	double a = __builtin_fabs(x), r;

	if (a == 0 || !(a < __builtin_inf()))
		return x;
	r = exp(log(a) / 3);
	r -= (r - a / (r * r)) / 3;
	return __builtin_copysign(r, x);
}

double hypot(double x, double y)
{
	double a = __builtin_fmax(__builtin_fabs(x), __builtin_fabs(y)), b = __builtin_fmin(__builtin_fabs(x), __builtin_fabs(y));

	if (__builtin_isinf(x) || __builtin_isinf(y))
		return __builtin_inf();
	if (x != x || y != y || a == 0)
		return x != x || y != y ? x + y : 0;
	if (a > 0x1p500)
		return 0x1p600 * __builtin_sqrt(a * 0x1p-600 * (a * 0x1p-600) + b * 0x1p-600 * (b * 0x1p-600));
	if (a < 0x1p-500)
		return 0x1p-600 * __builtin_sqrt(a * 0x1p600 * (a * 0x1p600) + b * 0x1p600 * (b * 0x1p600));
	return __builtin_sqrt(__builtin_fma(a, a, b * b));
}

double scalbn(double x, int n)
{
	for (; n > 1023; n -= 1023)
		x *= 0x1p1023;
	for (; n < -969; n += 969)
		x *= 0x1p-969;
	return x * of_bits((uint64_t)(n + 1023) << 52);
}

double ldexp(double x, int n)
{
	return scalbn(x, n);
}

double frexp(double x, int *e)
{
	int k = 0;

	*e = 0;
	if (x == 0 || !(__builtin_fabs(x) < __builtin_inf()))
		return x;
	if (__builtin_fabs(x) < 0x1p-1022) {
		x *= 0x1p54;
		k = -54;
	}
	*e = k + (int)(bits_of(x) >> 52 & 0x7ff) - 1022;
	return of_bits((bits_of(x) & 0x800fffffffffffffUL) | 0x3fe0000000000000UL);
}

double modf(double x, double *whole)
{
	*whole = __builtin_trunc(x);
	return __builtin_copysign(__builtin_isinf(x) ? 0 : x - *whole, x);
}

/* @a without multiples of @b, both positive: exact, as each difference is */
static double rest(double a, double b, unsigned int *quotient)
{
	int ea, eb, n;
	double t;

	*quotient = 0;
	(void)frexp(a, &ea);
	(void)frexp(b, &eb);
	for (n = ea - eb; n >= 0; n--) {
		t = scalbn(b, n);
		*quotient <<= 1;
		if (a >= t) {
			a -= t;
			*quotient |= 1;
		}
	}
	return a;
}

double fmod(double x, double y)
{
	double a = __builtin_fabs(x), b = __builtin_fabs(y);
	unsigned int q;

	if (!(a < __builtin_inf()) || b != b || b == 0)
		return __builtin_nan("");
	return a < b ? x : __builtin_copysign(rest(a, b, &q), x);
}

double remainder(double x, double y)
{
	double a = __builtin_fabs(x), b = __builtin_fabs(y);
	unsigned int q = 0;

	if (!(a < __builtin_inf()) || b != b || b == 0)
		return __builtin_nan("");
	if (a >= b)
		a = rest(a, b, &q);
	/* half of b may be too small to be exact, b - a is exact */
	if (a > b - a || (a == b - a && (q & 1)))
		a -= b;
	return __builtin_signbit(x) ? -a : a;
}

/* exp(-a * a), whose argument is taken in two parts because exp() multiplies its error */
static double bell(double a)
{
	double high = of_bits(bits_of(a) & 0xffffffff00000000UL);

	return exp(-high * high) * exp(-(a - high) * (a + high));
}

/* The error function by a series without differences */
static double erf_series(double a)
{
	double term = a, all = a;
	int n;

	for (n = 1; n < 120 && term > all * 0x1p-56; n++) {
		term *= 2 * a * a / (2 * n + 1);
		all += term;
	}
	return all * bell(a) * 1.12837916709551257390;
}

/* The rest of it from 1 on, by a continued fraction, which needs more steps for small numbers */
static double erfc_fraction(double a)
{
	double r = 0;
	int n;

	for (n = a < 2 ? 400 : 120; n >= 1; n--)
		r = n / 2.0 / (a + r);
	return bell(a) / ((a + r) * 1.77245385090551602730);
}

double erf(double x)
{
	double a = __builtin_fabs(x);

	if (x != x)
		return x;
	return __builtin_copysign(a > 6 ? 1 : a < 1 ? erf_series(a) : 1 - erfc_fraction(a), x);
}

double erfc(double x)
{
	if (x != x)
		return x;
	return x < 1 ? 1 - erf(x) : x > 28 ? 0 : erfc_fraction(x);
}

double asinh(double x)
{
	double a = __builtin_fabs(x);

	if (!(a < __builtin_inf()))
		return x;
	return __builtin_copysign(a > 0x1p28 ? log(a) + LN2_HI : log1p(a + a * a / (1 + __builtin_sqrt(a * a + 1))), x);
}

double acosh(double x)
{
	double t = x - 1;

	return x > 0x1p28 ? log(x) + LN2_HI : log1p(t + __builtin_sqrt(2 * t + t * t));
}

double atanh(double x)
{
	double a = __builtin_fabs(x);

	return __builtin_copysign(log1p(2 * a / (1 - a)) / 2, x);
}

double exp10(double x)
{
	return pow(10, x);
}

/* For results of single precision: Stirling's series from 10 on, and the product of what lies below */
static double log_gamma(double x)
{
	static const double c[] = { 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156 };
	double below = 1, s = 0, t;
	int n;

	if (__builtin_isinf(x) || x != x)
		return x * x;
	if (x <= 0) {
		if (x == __builtin_trunc(x))
			return __builtin_inf();
		return log(3.14159265358979323846 / __builtin_fabs(sin(3.14159265358979323846 * fmod(x, 2)))) - log_gamma(1 - x);
	}
	for (; x < 10; x += 1)
		below *= x;
	t = 1 / (x * x);
	for (n = 6; n >= 0; n--)
		s = s * t + c[n];
	return (x - 0.5) * log(x) - x + 0.91893853320467274178 + s / x - log(below);
}

static double gamma_of(double x)
{
	double below = 1;

	if (x == 0)
		return 1 / x;
	if (x < 0) {
		if (x == __builtin_trunc(x) || __builtin_isinf(x))
			return __builtin_nan("");
		return 3.14159265358979323846 / (sin(3.14159265358979323846 * fmod(x, 2)) * gamma_of(1 - x));
	}
	if (x > 172)
		return __builtin_inf();
	if (x < 24) {
		for (; x >= 2; x -= 1)
			below *= x - 1;
		return below * exp(log_gamma(x));
	}
	return exp(log_gamma(x));
}

double fdim(double a, double b) { return a > b ? a - b : a <= b ? 0 : a + b; }
void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
float fdimf(float a, float b) { return a > b ? a - b : a <= b ? 0 : a + b; }
float erfcf(float x) { return (float)erfc((double)x); }
float ldexpf(float x, int n) { return (float)scalbn((double)x, n); }
float scalbnf(float x, int n) { return (float)scalbn((double)x, n); }
float frexpf(float x, int *e) { return (float)frexp((double)x, e); }
float asinhf(float x) { return (float)asinh((double)x); }
float acoshf(float x) { return (float)acosh((double)x); }
float atanhf(float x) { return (float)atanh((double)x); }
float exp10f(float x) { return (float)pow(10, (double)x); }
float tgammaf(float x) { return (float)gamma_of((double)x); }
float lgammaf(float x) { return (float)log_gamma((double)x); }
float remainderf(float x, float y) { return (float)remainder((double)x, (double)y); }
float modff(float x, float *whole)
{
	*whole = __builtin_truncf(x);
	return __builtin_copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}

int ilogbf(float x)
{
	int e;

	if (x == 0 || x != x)
		return -2147483647 - 1;
	if (__builtin_isinf(x))
		return 2147483647;
	(void)frexp((double)x, &e);
	return e - 1;
}

float logbf(float x)
{
	if (x == 0)
		return -__builtin_inff();
	if (!(__builtin_fabsf(x) < __builtin_inff()))
		return x * x;
	return (float)ilogbf(x);
}
