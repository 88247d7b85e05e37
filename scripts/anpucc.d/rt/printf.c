// SPDX-License-Identifier: MIT
/*
 * anpu_printf(): what C's printf() prints, sent to the host in one piece as long as it fits into
 * the buffer, else in as many as it needs.
 */
/* provides: anpu_printf */
#include <stdarg.h>
#include <stdint.h>

#include <anpu/anpu_intrin.h>

#include "decimal.h"

struct line {
	char text[1024];
	unsigned int length;
	int total;
	uintptr_t caller; /* behind the call of anpu_printf() */
};

/**
 * struct spec - one conversion
 * @plus: the sign of what is not negative: '+', ' ' or 0
 * @precision: -1 if there is none
 * @size: bytes of the integer
 */
struct spec {
	int left, zero, alternate;
	char plus;
	int width, precision, size;
};

static void flush(struct line *line)
{
	if (line->length)
		anpu_print_bytes(line->text, line->length);
	line->length = 0;
}

static void put(struct line *line, char c)
{
	if (line->length == sizeof(line->text))
		flush(line);
	line->text[line->length++] = c;
	line->total++;
}

static void put_text(struct line *line, const char *text)
{
	while (*text)
		put(line, *text++);
}

static void put_times(struct line *line, char c, int times)
{
	for (; times > 0; times--)
		put(line, c);
}

/* What stands before @length characters of a field; put_after() is its other half. */
static void put_before(struct line *line, const struct spec *spec, const char *prefix, int length)
{
	int pad = spec->width - length - (int)__builtin_strlen(prefix);

	if (!spec->left && !spec->zero)
		put_times(line, ' ', pad);
	put_text(line, prefix);
	if (!spec->left && spec->zero)
		put_times(line, '0', pad);
}

static void put_after(struct line *line, const struct spec *spec, const char *prefix, int length)
{
	if (spec->left)
		put_times(line, ' ', spec->width - length - (int)__builtin_strlen(prefix));
}

static void put_chars(struct line *line, const struct spec *spec, const char *text, int length)
{
	struct spec plain = *spec;
	int i;

	plain.zero = 0;
	put_before(line, &plain, "", length);
	for (i = 0; i < length; i++)
		put(line, text[i]);
	put_after(line, &plain, "", length);
}

/* @base 16 with capital letters is written as 'X' */
static void put_int(struct line *line, const struct spec *spec, uint64_t value, const char *prefix,
		    int base)
{
	const char *letters = base == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned int divisor = base == 'X' ? 16 : (unsigned int)base;
	struct spec field = *spec;
	char digits[24];
	int n = 0, length;

	for (; value; value /= divisor)
		digits[n++] = letters[value % divisor];
	length = n;
	if (spec->precision >= 0)
		field.zero = 0;
	if (length < (spec->precision < 0 ? 1 : spec->precision))
		length = spec->precision < 0 ? 1 : spec->precision;
	if (spec->alternate && base == 8 && length == n)
		length++;
	put_before(line, &field, prefix, length);
	put_times(line, '0', length - n);
	while (n)
		put(line, digits[--n]);
	put_after(line, &field, prefix, length);
}

/* Digits from 10^first down to 10^last, and the point after 10^point. */
static void put_digits(struct line *line, const struct decimal *d, int first, int last, int point,
		       int dot)
{
	int place;

	for (place = first; place >= last; place--) {
		put(line, (char)('0' + decimal_digit(d, place)));
		if (place == point && dot)
			put(line, '.');
	}
}

static void put_exponent(struct line *line, char letter, int exponent, int digits)
{
	struct spec spec = { .precision = digits };

	put(line, letter);
	put(line, exponent < 0 ? '-' : '+');
	put_int(line, &spec, (uint64_t)(exponent < 0 ? -exponent : exponent), "", 10);
}

/* %e, with @precision digits behind the point */
static void put_e(struct line *line, const struct spec *spec, const struct decimal *d,
		  const char *sign, int precision, char letter)
{
	int dot = precision > 0 || spec->alternate;
	int wide = d->exponent >= 100 || d->exponent <= -100;
	int length = 1 + dot + precision + 4 + wide;

	put_before(line, spec, sign, length);
	put_digits(line, d, d->exponent, d->exponent - precision, d->exponent, dot);
	put_exponent(line, letter, d->exponent, 2);
	put_after(line, spec, sign, length);
}

static void put_f(struct line *line, const struct spec *spec, const struct decimal *d,
		  const char *sign, int precision)
{
	int first = d->exponent > 0 ? d->exponent : 0;
	int dot = precision > 0 || spec->alternate;
	int length = first + 1 + dot + precision;

	put_before(line, spec, sign, length);
	put_digits(line, d, first, -precision, 0, dot);
	put_after(line, spec, sign, length);
}

/* The last digit of @d that is not 0, as a power of ten. */
static int last_place(const struct decimal *d)
{
	int n = d->count;

	while (n > 1 && !d->digit[n - 1])
		n--;
	return d->exponent - (n - 1);
}

static void put_g(struct line *line, const struct spec *spec, struct decimal *d, const char *sign,
		  int precision, char letter)
{
	int digits = precision ? precision : 1, behind;

	decimal_round(d, digits);
	if (d->exponent < -4 || d->exponent >= digits) {
		behind = spec->alternate ? digits - 1 : d->exponent - last_place(d);
		put_e(line, spec, d, sign, behind, letter);
	} else {
		behind = spec->alternate ? digits - 1 - d->exponent : -last_place(d);
		put_f(line, spec, d, sign, behind > 0 ? behind : 0);
	}
}

/* %a: the bits, so nothing is rounded unless a precision asks for it */
static void put_a(struct line *line, const struct spec *spec, double value, char letter)
{
	const char *prefix[2][4] = { { "0x", "-0x", "+0x", " 0x" }, { "0X", "-0X", "+0X", " 0X" } };
	int capital = letter == 'P', exponent, digits, i, length, dot;
	int sign = __builtin_signbit(value) ? 1 : spec->plus == '+' ? 2 : spec->plus ? 3 : 0;
	uint64_t bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	exponent = (int)(bits >> 52 & 0x7ff);
	bits &= (1ull << 52) - 1;
	if (exponent)
		bits |= 1ull << 52;
	else
		exponent = bits ? 1 : 1023;
	exponent -= 1023;
	digits = 13;
	if (spec->precision >= 0 && spec->precision < 13) {
		int drop = 4 * (13 - spec->precision);
		uint64_t rest = bits & ((1ull << drop) - 1), half = 1ull << (drop - 1);

		bits -= rest;
		if (rest > half || (rest == half && (bits >> drop & 1)))
			bits += 1ull << drop;
	}
	while (digits && !(bits >> (4 * (13 - digits)) & 15))
		digits--;
	if (spec->precision >= 0)
		digits = spec->precision;
	dot = digits > 0 || spec->alternate;
	length = 1 + dot + digits + 3;
	for (i = exponent < 0 ? -exponent : exponent; i >= 10; i /= 10)
		length++;
	put_before(line, spec, prefix[capital][sign], length);
	put(line, (char)('0' + (bits >> 52)));
	if (dot)
		put(line, '.');
	for (i = 0; i < digits; i++) {
		int nibble = i < 13 ? (int)(bits >> (48 - 4 * i) & 15) : 0;

		put(line, (capital ? "0123456789ABCDEF" : "0123456789abcdef")[nibble]);
	}
	put_exponent(line, letter, exponent, 1);
	put_after(line, spec, prefix[capital][sign], length);
}

static void put_float(struct line *line, const struct spec *spec, double value, char form)
{
	int capital = form < 'a', precision = spec->precision < 0 ? 6 : spec->precision;
	char sign[2] = { __builtin_signbit(value) ? '-' : spec->plus, '\0' };
	struct spec plain = *spec;
	struct decimal d;

	if (value != value || __builtin_fabs(value) == __builtin_inf()) {
		const char *name = value != value ? "nanNAN" : "infINF";

		plain.zero = 0;
		put_before(line, &plain, sign, 3);
		for (int i = 0; i < 3; i++)
			put(line, name[3 * capital + i]);
		put_after(line, &plain, sign, 3);
		return;
	}
	if ((form | 32) == 'a') {
		put_a(line, spec, value, capital ? 'P' : 'p');
		return;
	}
	decimal_of(&d, __builtin_fabs(value));
	switch (form | 32) {
	case 'e':
		decimal_round(&d, precision < DECIMAL_DIGITS ? precision + 1 : DECIMAL_DIGITS);
		put_e(line, spec, &d, sign, precision, capital ? 'E' : 'e');
		break;
	case 'f':
		if (precision < DECIMAL_DIGITS)
			decimal_round(&d, d.exponent + 1 + precision);
		put_f(line, spec, &d, sign, precision);
		break;
	default:
		put_g(line, spec, &d, sign, precision, capital ? 'E' : 'e');
	}
}

/* Length of @text, of which @most bytes are wanted; a fault has the @caller in its register, see ANPU_PRINTF_CALLER */
static int length_of(const char *text, unsigned int most, uintptr_t caller) __asm__(ANPU_PRINTF_READS);

static __attribute__((noinline)) int length_of(const char *text, unsigned int most, uintptr_t caller)
{
	register uintptr_t kept __asm__("a2") = caller;
	unsigned int n;

	_Static_assert(ANPU_PRINTF_CALLER == 12, "a2");
	for (n = 0; n < most; n++) {
		__asm__ volatile("" : "+r"(kept));
		if (!text[n])
			break;
	}
	return (int)n;
}

static void put_string(struct line *line, const struct spec *spec, const char *text)
{
	unsigned int most = spec->precision < 0 ? INT32_MAX : (unsigned int)spec->precision;

	if (!text)
		text = "(null)";
	put_chars(line, spec, text, length_of(text, most, line->caller));
}

/* Digits of a width or precision; more than anybody means is cut */
static const char *read_number(const char *f, int *number)
{
	for (*number = 0; *f >= '0' && *f <= '9'; f++)
		*number = *number < 100000 ? *number * 10 + *f - '0' : *number;
	return f;
}

static const char *read_width(const char *f, struct spec *spec, va_list *args)
{
	if (*f == '*') {
		spec->width = va_arg(*args, int);
		if (spec->width < 0) {
			spec->left = 1;
			spec->width = -spec->width;
		}
		f++;
	} else {
		f = read_number(f, &spec->width);
	}
	if (*f != '.')
		return f;
	if (f[1] == '*') {
		spec->precision = va_arg(*args, int);
		return f + 2;
	}
	return read_number(f + 1, &spec->precision);
}

static const char *read_spec(const char *f, struct spec *spec, va_list *args)
{
	*spec = (struct spec){ .precision = -1, .size = 4 };
	for (;; f++) {
		if (*f == '-')
			spec->left = 1;
		else if (*f == '0')
			spec->zero = 1;
		else if (*f == '#')
			spec->alternate = 1;
		else if (*f == '+' || (*f == ' ' && !spec->plus))
			spec->plus = *f;
		else if (*f != ' ')
			break;
	}
	f = read_width(f, spec, args);
	for (; *f == 'l' || *f == 'h' || *f == 'z' || *f == 'j' || *f == 't'; f++)
		spec->size = *f == 'h' ? spec->size / 2 : 8;
	return f;
}

static int64_t signed_arg(const struct spec *spec, va_list *args)
{
	int64_t value = spec->size == 8 ? va_arg(*args, int64_t) : va_arg(*args, int);

	return spec->size == 1 ? (signed char)value : spec->size == 2 ? (short)value : value;
}

static uint64_t unsigned_arg(const struct spec *spec, va_list *args)
{
	uint64_t value = spec->size == 8 ? va_arg(*args, uint64_t) : va_arg(*args, unsigned int);

	return spec->size == 1 ? (uint8_t)value : spec->size == 2 ? (uint16_t)value : value;
}

static void convert_int(struct line *line, const struct spec *spec, char form, va_list *args)
{
	char sign[2] = { spec->plus, '\0' };
	int64_t number;
	uint64_t value;

	if (form == 'd' || form == 'i') {
		number = signed_arg(spec, args);
		if (number < 0)
			sign[0] = '-';
		put_int(line, spec, number < 0 ? -(uint64_t)number : (uint64_t)number, sign, 10);
		return;
	}
	value = unsigned_arg(spec, args);
	switch (form) {
	case 'u':
		put_int(line, spec, value, "", 10);
		break;
	case 'o':
		put_int(line, spec, value, "", 8);
		break;
	case 'x':
		put_int(line, spec, value, spec->alternate && value ? "0x" : "", 16);
		break;
	default:
		put_int(line, spec, value, spec->alternate && value ? "0X" : "", 'X');
	}
}

/* Formats the conversion at @f, behind its '%'; returns the character after it. */
static const char *convert(struct line *line, const char *f, va_list *args)
{
	const char *begin = f;
	struct spec spec;
	char c;

	f = read_spec(f, &spec, args);
	switch (*f) {
	case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
		convert_int(line, &spec, *f, args);
		break;
	case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
		put_float(line, &spec, va_arg(*args, double), *f);
		break;
	case 'p':
		put_int(line, &spec, (uintptr_t)va_arg(*args, void *), "0x", 16);
		break;
	case 'c':
		c = (char)va_arg(*args, int);
		put_chars(line, &spec, &c, 1);
		break;
	case 's':
		put_string(line, &spec, va_arg(*args, const char *));
		break;
	case '%':
		put(line, '%');
		break;
	default:
		/* what is no conversion is text, so that the mistake can be seen */
		put(line, '%');
		for (; begin < f; begin++)
			put(line, *begin);
		if (!*f)
			return f;
		put(line, *f);
	}
	return f + 1;
}

int anpu_printf(const char *format, ...)
{
	struct line line;
	va_list args;

	line.length = 0;
	line.total = 0;
	line.caller = (uintptr_t)__builtin_return_address(0);
	va_start(args, format);
	while (*format) {
		if (*format == '%')
			format = convert(&line, format + 1, &args);
		else
			put(&line, *format++);
	}
	va_end(args);
	flush(&line);
	return line.total;
}
