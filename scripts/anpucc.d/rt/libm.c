// SPDX-License-Identifier: MIT
/*
 * Functions of <math.h> for the scalar unit, in double precision: exp, log and their bases, sine and
 * cosine, within 1.5 units in the last place (sine and cosine: for arguments below 2^30); arc functions within 4;
 * those of single precision are calculated in double and rounded once.
 */
/* provides: exp log exp2 log2 log10 sin cos tan tanh expf exp2f logf log2f log10f sinf cosf tanf sincosf powf
 * tanhf sinhf coshf atanf atan2f asinf acosf fmodf cbrtf hypotf erff expm1f log1pf sinh cosh
 * atan atan2 asin acos */
#include <math.h>
#include <stdint.h>

#define LN2_HI	0x1.62e42fefa3800p-1
#define LN2_LO	0x1.ef35793c76730p-45
#define PIO2_1	0x1.921fb54442d18p+0
#define PIO2_2	0x1.1a62633145c07p-54
#define PIO2_3	-0x1.f1976b7ed8fbcp-110
#define PI	3.14159265358979323846

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

/* 2^k for k of a normal number */
static double power2(long k)
{
	return of_bits((uint64_t)(k + 1023) << 52);
}

/* v * 2^k, through subnormal numbers with one rounding more */
static double scale(double v, long k)
{
	long half = k / 2;

	return v * power2(half) * power2(k - half);
}

/* e^r - 1 for |r| <= ln 2 / 2 */
static double small_expm1(double r)
{
	double p = 1.0 / 6227020800.0;

	p = p * r + 1.0 / 479001600.0;
	p = p * r + 1.0 / 39916800.0;
	p = p * r + 1.0 / 3628800.0;
	p = p * r + 1.0 / 362880.0;
	p = p * r + 1.0 / 40320.0;
	p = p * r + 1.0 / 5040.0;
	p = p * r + 1.0 / 720.0;
	p = p * r + 1.0 / 120.0;
	p = p * r + 1.0 / 24.0;
	p = p * r + 1.0 / 6.0;
	p = p * r + 0.5;
	return p * r * r + r;
}

double exp(double x)
{
	double k;

	if (x != x || x > 709.8)
		return x != x ? x : __builtin_inf();
	if (x < -745.2)
		return 0;
	k = __builtin_rint(x * 0x1.71547652b82fep+0);
	x = __builtin_fma(-k, LN2_LO, __builtin_fma(-k, LN2_HI, x));
	return scale(1.0 + small_expm1(x), (long)k);
}

/* The natural logarithm as *k * ln 2 + the value, of a positive finite number */
static double log_parts(double x, double *k)
{
	long e = 0;
	double f, s, p;

	if (x < 0x1p-1022) {
		x *= 0x1p54;
		e = -54;
	}
	e += (long)(bits_of(x) >> 52) - 1023;
	x = of_bits((bits_of(x) & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
	if (x > 0x1.6a09e667f3bcdp+0) {
		x /= 2;
		e++;
	}
	*k = (double)e;
	f = (x - 1) / (x + 1);
	s = f * f;
	p = 2.0 / 23;
	p = p * s + 2.0 / 21;
	p = p * s + 2.0 / 19;
	p = p * s + 2.0 / 17;
	p = p * s + 2.0 / 15;
	p = p * s + 2.0 / 13;
	p = p * s + 2.0 / 11;
	p = p * s + 2.0 / 9;
	p = p * s + 2.0 / 7;
	p = p * s + 2.0 / 5;
	p = p * s + 2.0 / 3;
	return 2 * f + p * s * f;
}

static int log_special(double x, double *r)
{
	if (x > 0 && x < __builtin_inf())
		return 0;
	*r = x == 0 ? -__builtin_inf() : x > 0 ? x : x != x ? x : __builtin_nan("");
	return 1;
}

double log(double x)
{
	double k, r;

	if (log_special(x, &r))
		return r;
	r = log_parts(x, &k);
	return k * LN2_HI + (r + k * LN2_LO);
}

double log2(double x)
{
	double k, r;

	if (log_special(x, &r))
		return r;
	r = log_parts(x, &k);
	return k + r * 0x1.71547652b82fep+0;
}

double log10(double x)
{
	return log(x) * 0x1.bcb7b1526e50ep-2;
}

double exp2(double x)
{
	double k = __builtin_rint(x);

	if (x != x || x >= 1024)
		return x != x ? x : __builtin_inf();
	if (x < -1080)
		return 0;
	return scale(1.0 + small_expm1((x - k) * 0x1.62e42fefa39efp-1), (long)k);
}

/* x minus a multiple of pi / 2, within +- pi / 4; *quarter is the multiple's last two bits */
static double reduce(double x, unsigned int *quarter)
{
	double k;

	/* beyond, the multiple has more bits than this reduction keeps */
	if (__builtin_fabs(x) >= 0x1p30) {
		k = __builtin_rint(x * (0.5 / PI));
		x = __builtin_fma(-k, 4 * PIO2_2, __builtin_fma(-k, 4 * PIO2_1, x));
	}
	k = __builtin_rint(x * (2 / PI));
	*quarter = (unsigned int)(long)k & 3;
	x = __builtin_fma(-k, PIO2_1, x);
	x = __builtin_fma(-k, PIO2_2, x);
	return __builtin_fma(-k, PIO2_3, x);
}

static double small_sin(double x)
{
	double s = x * x, p = -1.0 / 1307674368000.0;

	p = p * s + 1.0 / 6227020800.0;
	p = p * s - 1.0 / 39916800.0;
	p = p * s + 1.0 / 362880.0;
	p = p * s - 1.0 / 5040.0;
	p = p * s + 1.0 / 120.0;
	p = p * s - 1.0 / 6.0;
	return x + x * s * p;
}

static double small_cos(double x)
{
	double s = x * x, p = 1.0 / 20922789888000.0;

	p = p * s - 1.0 / 87178291200.0;
	p = p * s + 1.0 / 479001600.0;
	p = p * s - 1.0 / 3628800.0;
	p = p * s + 1.0 / 40320.0;
	p = p * s - 1.0 / 720.0;
	p = p * s + 1.0 / 24.0;
	return 1.0 - (0.5 * s - s * s * p);
}

static double turned(double x, unsigned int by)
{
	unsigned int quarter;
	double r;

	if (x - x != 0)
		return __builtin_nan("");
	r = reduce(x, &quarter);
	quarter = (quarter + by) & 3;
	r = quarter & 1 ? small_cos(r) : small_sin(r);
	return quarter & 2 ? -r : r;
}

double sin(double x)
{
	return x == 0 ? x : turned(x, 0);
}

double cos(double x)
{
	return turned(x, 1);
}

double tan(double x)
{
	return x == 0 ? x : turned(x, 0) / turned(x, 1);
}

static double expm1_of(double x)
{
	return __builtin_fabs(x) < 0.34 ? small_expm1(x) : exp(x) - 1;
}

double tanh(double x)
{
	double t = expm1_of(2 * __builtin_fabs(x));

	return __builtin_copysign(__builtin_fabs(x) > 20 ? 1 : x != x ? x : t / (t + 2), x);
}

double sinh(double x)
{
	double t = expm1_of(__builtin_fabs(x));

	return __builtin_copysign(t == __builtin_inf() ? t : (t + t / (t + 1)) / 2, x);
}

double cosh(double x)
{
	double t = exp(__builtin_fabs(x));

	return t / 2 + 0.5 / t;
}

/* An angle up to pi / 8 by the series, after halving it twice */
static double arctan(double x)
{
	double a = __builtin_fabs(x), s, p = 0, factor = 4;
	int inverse = a > 1, n;

	if (x != x)
		return x;
	if (inverse)
		a = 1 / a;
	for (n = 0; n < 2; n++)
		a = a / (1 + __builtin_sqrt(1 + a * a));
	s = -a * a;
	for (n = 25; n >= 1; n -= 2)
		p = p * s + 1.0 / n;
	a *= p * factor;
	return __builtin_copysign(inverse ? PI / 2 - a : a, x);
}

static double arctan2(double y, double x)
{
	double r;

	if (x != x || y != y)
		return x + y;
	if (x == 0 && y == 0)
		return __builtin_copysign(__builtin_signbit(x) ? PI : 0, y);
	if (__builtin_isinf(x) && __builtin_isinf(y))
		return __builtin_copysign(x > 0 ? PI / 4 : 3 * PI / 4, y);
	r = arctan(__builtin_fabs(y) / __builtin_fabs(x));
	return __builtin_copysign(x < 0 || (x == 0 && __builtin_signbit(x)) ? PI - r : r, y);
}

double atan(double x) { return arctan(x); }
double atan2(double y, double x) { return arctan2(y, x); }
double asin(double x) { return arctan2(x, __builtin_sqrt((1 - x) * (1 + x))); }
double acos(double x) { return arctan2(__builtin_sqrt((1 - x) * (1 + x)), x); }

/* x^y of floats; the product has 24 bits more than are needed */
static double power(double x, double y)
{
	double a = __builtin_fabs(x), whole = __builtin_trunc(y);
	int odd = whole == y && __builtin_fabs(y) < 0x1p53 && ((long)y & 1);

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
	a = exp(y * log(a));
	return x < 0 && odd ? -a : a;
}

float expf(float x) { return (float)exp((double)x); }
float exp2f(float x) { return (float)exp2((double)x); }
float expm1f(float x) { return (float)expm1_of((double)x); }
float logf(float x) { return (float)log((double)x); }
float log2f(float x) { return (float)log2((double)x); }
float log10f(float x) { return (float)log10((double)x); }
float log1pf(float x) { return x == 0 ? x : (float)log(1 + (double)x); }
float sinf(float x) { return (float)sin((double)x); }
float cosf(float x) { return (float)cos((double)x); }
float tanf(float x) { return (float)tan((double)x); }
void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
float tanhf(float x) { return (float)tanh((double)x); }
float sinhf(float x) { return (float)sinh((double)x); }
float coshf(float x) { return (float)cosh((double)x); }
float atanf(float x) { return (float)arctan((double)x); }
float atan2f(float y, float x) { return (float)arctan2((double)y, (double)x); }
float asinf(float x) { return (float)arctan2((double)x, __builtin_sqrt((1 - (double)x) * (1 + (double)x))); }
float acosf(float x) { return (float)arctan2(__builtin_sqrt((1 - (double)x) * (1 + (double)x)), (double)x); }
float powf(float x, float y) { return (float)power((double)x, (double)y); }
float hypotf(float x, float y)
{
	if (__builtin_isinf(x) || __builtin_isinf(y))
		return __builtin_inff();
	return (float)__builtin_sqrt((double)x * (double)x + (double)y * (double)y);
}

float cbrtf(float x)
{
	double a = __builtin_fabs((double)x), r;

	if (a == 0 || !(a < __builtin_inf()))
		return x;
	r = exp(log(a) / 3);
	r -= (r * r * r - a) / (3 * r * r);
	return (float)__builtin_copysign(r, (double)x);
}

/* The remainder bit by bit; exact. */
float fmodf(float x, float y)
{
	double a = __builtin_fabs((double)x), b = __builtin_fabs((double)y), t;

	if (!(a < __builtin_inf()) || b != b || b == 0)
		return __builtin_nanf("");
	while (a >= b) {
		for (t = b; t * 2 <= a; t *= 2)
			;
		a -= t;
	}
	return (float)__builtin_copysign(a, (double)x);
}

/* The series up to 3, beyond that the continued fraction of erfc */
float erff(float x)
{
	double a = __builtin_fabs((double)x), sum = a, term = a, r;
	int n;

	if (x != x)
		return x;
	if (a > 4)
		return __builtin_copysignf(1.0f, x);
	if (a < 3) {
		for (n = 1; n < 60; n++) {
			term *= -a * a / n;
			sum += term / (2 * n + 1);
		}
		r = sum * 1.12837916709551257390;
	} else {
		r = 0;
		for (n = 60; n >= 1; n--)
			r = n / 2.0 / (a + r);
		r = 1 - exp(-a * a) / ((a + r) * 1.77245385090551602730);
	}
	return (float)__builtin_copysign(r, (double)x);
}
