// SPDX-License-Identifier: MIT
/* anpu_printf(): formats into a buffer on the stack and sends it to the host in one piece. */
/* provides: anpu_printf */
#include <stdarg.h>
#include <stdint.h>

#include <anpu/anpu_intrin.h>

#define LINE_MAX 512

struct line {
	char text[LINE_MAX];
	unsigned int length;
};

struct spec {
	int left, zero, plus, width, precision, longs;
};

static void put(struct line *line, char c)
{
	if (line->length < LINE_MAX)
		line->text[line->length++] = c;
}

/* Writes sign and digits, padded to the width. */
static void put_field(struct line *line, const struct spec *spec, const char *sign,
		      const char *digits, int length)
{
	int pad = spec->width - length - (*sign ? 1 : 0);

	if (!spec->left && !spec->zero)
		for (; pad > 0; pad--)
			put(line, ' ');
	if (*sign)
		put(line, *sign);
	if (!spec->left)
		for (; pad > 0; pad--)
			put(line, '0');
	for (; length > 0; length--)
		put(line, *digits++);
	for (; pad > 0; pad--)
		put(line, ' ');
}

static int to_digits(char *end, uint64_t value, unsigned int base, char ten)
{
	int n = 0;

	do {
		unsigned int digit = (unsigned int)(value % base);

		*--end = (char)(digit < 10 ? '0' + digit : ten + digit - 10);
		value /= base;
		n++;
	} while (value);
	return n;
}

static void put_int(struct line *line, const struct spec *spec, uint64_t value, const char *sign,
		    unsigned int base, char ten)
{
	char digits[24];
	int n = to_digits(digits + sizeof(digits), value, base, ten);

	put_field(line, spec, sign, digits + sizeof(digits) - n, n);
}

/* Scales into [1, 10) and returns the decimal exponent. */
static int normalise(double *value)
{
	int exponent = 0;

	if (*value == 0)
		return 0;
	for (; *value >= 1e16; exponent += 16)
		*value /= 1e16;
	for (; *value >= 10; exponent++)
		*value /= 10;
	for (; *value < 1e-15; exponent -= 16)
		*value *= 1e16;
	for (; *value < 1; exponent--)
		*value *= 10;
	return exponent;
}

/* Digits of a value below 2^63, with a point and spec->precision digits after it. */
static int fixed_digits(char *out, double value, int precision)
{
	char digits[24];
	uint64_t whole, part, scale = 1;
	int i, n;

	for (i = 0; i < precision; i++)
		scale *= 10;
	whole = (uint64_t)value;
	value = (value - (double)whole) * (double)scale;
	part = (uint64_t)value;
	value -= (double)part;
	/* To the nearest, ties to even, as printf() does. */
	if (value > 0.5 || (value == 0.5 && ((precision ? part : whole) & 1)))
		part++;
	if (part >= scale) {
		part -= scale;
		whole++;
	}
	n = to_digits(digits + sizeof(digits), whole, 10, 'a');
	for (i = 0; i < n; i++)
		out[i] = digits[sizeof(digits) - (unsigned int)n + (unsigned int)i];
	if (!precision)
		return n;
	out[n++] = '.';
	for (i = precision - 1; i >= 0; i--, part /= 10)
		out[n + i] = (char)('0' + part % 10);
	return n + precision;
}

static void put_float(struct line *line, const struct spec *spec, double value, char form)
{
	int negative = __builtin_signbit(value) != 0, exponent, n;
	int precision = spec->precision < 0 ? 6 : spec->precision > 15 ? 15 : spec->precision;
	const char *sign = negative ? "-" : spec->plus ? "+" : "";
	struct spec plain = *spec;
	double size = negative ? -value : value, mantissa = size;
	char text[64];

	if (value != value || size == __builtin_inf()) {
		plain.zero = 0;
		put_field(line, &plain, sign, value != value ? "nan" : "inf", 3);
		return;
	}
	exponent = normalise(&mantissa);
	if (form == 'f' && size < 9e18) {
		n = fixed_digits(text, size, precision);
	} else if (form == 'g' && size < 9e15 && exponent >= -4) {
		n = fixed_digits(text, size, exponent > 5 ? 0 : 5 - exponent);
	} else {
		n = fixed_digits(text, mantissa, precision);
		if (text[1] == '0' && text[0] == '1' && n > 1 && precision + 2 < n) {
			/* 9.99.. was rounded up to 10.00.. */
			mantissa /= 10;
			exponent++;
			n = fixed_digits(text, mantissa, precision);
		}
		text[n++] = 'e';
		text[n++] = exponent < 0 ? '-' : '+';
		exponent = exponent < 0 ? -exponent : exponent;
		if (exponent >= 100)
			text[n++] = (char)('0' + exponent / 100);
		text[n++] = (char)('0' + exponent / 10 % 10);
		text[n++] = (char)('0' + exponent % 10);
	}
	put_field(line, spec, sign, text, n);
}

static void put_string(struct line *line, const struct spec *spec, const char *text)
{
	struct spec plain = *spec;
	int n = 0;

	if (!text)
		text = "(null)";
	while (text[n] && (spec->precision < 0 || n < spec->precision))
		n++;
	plain.zero = 0;
	put_field(line, &plain, "", text, n);
}

static const char *read_spec(const char *f, struct spec *spec, va_list *args)
{
	*spec = (struct spec){ .precision = -1 };
	for (;; f++) {
		if (*f == '-')
			spec->left = 1;
		else if (*f == '0')
			spec->zero = 1;
		else if (*f == '+')
			spec->plus = 1;
		else if (*f != ' ' && *f != '#')
			break;
	}
	if (*f == '*') {
		spec->width = va_arg(*args, int);
		f++;
	}
	for (; *f >= '0' && *f <= '9'; f++)
		spec->width = spec->width * 10 + *f - '0';
	if (*f == '.')
		for (spec->precision = 0, f++; *f >= '0' && *f <= '9'; f++)
			spec->precision = spec->precision * 10 + *f - '0';
	for (; *f == 'l' || *f == 'h' || *f == 'z' || *f == 'j' || *f == 't'; f++)
		spec->longs += *f == 'h' ? 0 : 1;
	if (spec->left)
		spec->zero = 0;
	return f;
}

/* Formats one conversion; returns the character after it. */
static const char *convert(struct line *line, const char *f, va_list *args)
{
	struct spec spec;
	const char *plus;
	int64_t number;
	char c;

	f = read_spec(f, &spec, args);
	switch (*f) {
	case 'd':
	case 'i':
		number = spec.longs ? va_arg(*args, int64_t) : va_arg(*args, int);
		plus = spec.plus ? "+" : "";
		put_int(line, &spec, number < 0 ? -(uint64_t)number : (uint64_t)number,
			number < 0 ? "-" : plus, 10, 'a');
		break;
	case 'u':
	case 'x':
	case 'X':
		put_int(line, &spec,
			spec.longs ? va_arg(*args, uint64_t) : va_arg(*args, unsigned int), "",
			*f == 'u' ? 10 : 16, *f == 'X' ? 'A' : 'a');
		break;
	case 'p':
		put(line, '0');
		put(line, 'x');
		put_int(line, &spec, (uintptr_t)va_arg(*args, void *), "", 16, 'a');
		break;
	case 'c':
		c = (char)va_arg(*args, int);
		put_field(line, &spec, "", &c, 1);
		break;
	case 's':
		put_string(line, &spec, va_arg(*args, const char *));
		break;
	case 'e':
	case 'f':
	case 'g':
		put_float(line, &spec, va_arg(*args, double), *f);
		break;
	case '\0':
		return f;
	default:
		put(line, *f);
	}
	return f + 1;
}

int anpu_printf(const char *format, ...)
{
	struct line line;
	va_list args;

	line.length = 0;
	va_start(args, format);
	while (*format) {
		if (*format == '%')
			format = convert(&line, format + 1, &args);
		else
			put(&line, *format++);
	}
	va_end(args);
	anpu_print_bytes(line.text, line.length);
	return (int)line.length;
}
