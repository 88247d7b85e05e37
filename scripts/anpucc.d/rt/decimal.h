/* SPDX-License-Identifier: MIT */
/*
 * The exact decimal digits of a double, for anpu_printf().
 *
 * A double is m * 2^e with a whole m, so it has finitely many decimal digits. They are kept in
 * words of nine, in memory for the longest numbers there are: 2^1023 has 309 digits before the
 * point, 2^-1074 has 1074 behind it.
 */
#ifndef ANPU_RT_DECIMAL_H
#define ANPU_RT_DECIMAL_H

#include <stdint.h>

#define WORD_DIGITS	9
#define WORD_BASE	1000000000u
#define WHOLE_WORDS	35
#define PART_WORDS	120
#define DECIMAL_DIGITS	((WHOLE_WORDS + PART_WORDS) * WORD_DIGITS)

/**
 * struct decimal - a number, digit[0] . digit[1] digit[2] ... * 10^exponent
 * @digit: values 0 to 9, the first one not 0 unless the number is
 * @count: digits that there are; all behind them are 0
 * @exponent: of the first digit
 */
struct decimal {
	uint8_t digit[DECIMAL_DIGITS];
	int count;
	int exponent;
};

/* word[0 .. count) is a whole number, the highest word first; the result has room to grow ahead */
static void words_shift_up(uint32_t *word, int count, int bits)
{
	while (bits > 0) {
		int step = bits < 29 ? bits : 29;
		uint64_t carry = 0;
		int i;

		for (i = count - 1; i >= 0; i--) {
			carry += (uint64_t)word[i] << step;
			word[i] = (uint32_t)(carry % WORD_BASE);
			carry /= WORD_BASE;
		}
		bits -= step;
	}
}

/* Divides by 2^bits, exactly: 10^9 is a multiple of 2^9, so each step needs one word more. */
static int words_shift_down(uint32_t *word, int count, int bits)
{
	while (bits > 0) {
		int step = bits < 9 ? bits : 9;
		uint32_t carry = 0;
		int i;

		for (i = 0; i < count; i++) {
			uint32_t rest = word[i] & ((1u << step) - 1);

			word[i] = (word[i] >> step) + carry;
			carry = (WORD_BASE >> step) * rest;
		}
		if (carry)
			word[count++] = carry;
		bits -= step;
	}
	return count;
}

/* Digits of @value, which is finite and not negative. */
static void decimal_of(struct decimal *d, double value)
{
	uint32_t word[WHOLE_WORDS + PART_WORDS + 1] = { 0 };
	uint64_t bits;
	int count = WHOLE_WORDS, power, i, first = 0;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	power = (int)(bits >> 52 & 0x7ff);
	bits &= (1ull << 52) - 1;
	if (power)
		bits |= 1ull << 52;
	else
		power = 1;
	power -= 1075;
	word[WHOLE_WORDS - 1] = (uint32_t)(bits % WORD_BASE);
	word[WHOLE_WORDS - 2] = (uint32_t)(bits / WORD_BASE);
	if (power > 0)
		words_shift_up(word, count, power);
	else
		count = words_shift_down(word, count, -power);

	while (first < count && !word[first])
		first++;
	d->count = 0;
	d->exponent = (WHOLE_WORDS - first) * WORD_DIGITS - 1;
	for (i = first; i < count; i++) {
		uint32_t scale;

		for (scale = WORD_BASE / 10; scale; scale /= 10) {
			uint8_t digit = (uint8_t)(word[i] / scale % 10);

			if (d->count || digit)
				d->digit[d->count++] = digit;
			else
				d->exponent--;
		}
	}
	if (!d->count) {
		d->digit[d->count++] = 0;
		d->exponent = 0;
	}
}

/* Rounds to the first @keep digits, to the nearest, ties to even; @keep may be 0 or negative. */
static void decimal_round(struct decimal *d, int keep)
{
	int i, up = 0;

	if (keep >= d->count)
		return;
	if (keep >= 0) {
		int next = d->digit[keep], more = 0;

		for (i = keep + 1; i < d->count; i++)
			more |= d->digit[i];
		up = next > 5 || (next == 5 && (more || (keep && (d->digit[keep - 1] & 1))));
	}
	d->count = keep > 0 ? keep : 0;
	for (i = d->count - 1; up && i >= 0; i--) {
		up = d->digit[i] == 9;
		d->digit[i] = up ? 0 : d->digit[i] + 1;
	}
	if (up) {
		/* 9.99 became 10.0: the digits that follow are zeroes and need no place */
		d->digit[0] = 1;
		d->exponent++;
		d->count = 1;
	} else if (!d->count) {
		d->digit[d->count++] = 0;
		d->exponent = 0;
	}
}

/* The digit that stands for 10^@place. */
static int decimal_digit(const struct decimal *d, int place)
{
	int i = d->exponent - place;

	return i >= 0 && i < d->count ? d->digit[i] : 0;
}

#endif /* ANPU_RT_DECIMAL_H */
