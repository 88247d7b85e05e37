// SPDX-License-Identifier: MIT
/*
 * The run-time library against the host's: this file is compiled for both, and what the operator
 * computes is compared with what the host program computed.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __riscv
#include <anpu/anpu_intrin.h>
#else
#include <stdio.h>
#include <stdlib.h>
#define ANPU_KERNEL
#define anpu_printf printf
#endif

typedef __int128 ti;
typedef unsigned __int128 uti;

static ti wide(const uint64_t *in)
{
	return (ti)((uti)in[1] << 64 | in[0]);
}

static uint64_t *put(uint64_t *out, uti value)
{
	*out++ = (uint64_t)value;
	*out++ = (uint64_t)(value >> 64);
	return out;
}

/* Pairs of 128-bit numbers, 22 words of results for each */
ANPU_KERNEL void int128(const uint64_t *in, uint64_t *out, uint32_t pairs)
{
	for (uint32_t i = 0; i < pairs; i++, in += 4) {
		ti a = wide(in), b = wide(in + 2);
		unsigned int shift = in[2] % 128;

		out = put(out, (uti)(a * b));
		if (!b)
			b = 3;
		out = put(out, (uti)a / (uti)b);
		out = put(out, (uti)a % (uti)b);
		if (b == -1)
			b = 7;
		out = put(out, (uti)(a / b));
		out = put(out, (uti)(a % b));
		out = put(out, (uti)a << shift);
		out = put(out, (uti)a >> shift);
		out = put(out, (uti)(a >> shift));
		out = put(out, a < b);
		out = put(out, (uti)a >= (uti)b);
		out = put(out, (uti)(a - b));
	}
}

static uint64_t bits(double value)
{
	uint64_t u;

	/* The sign of a NaN that an operation makes is the machine's choice. */
	if (value != value)
		return 0x7ff8000000000000;
	memcpy(&u, &value, 8);
	return u;
}

/* 8 words of results for each 128-bit number */
ANPU_KERNEL void convert(const uint64_t *in, uint64_t *out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, in += 2, out += 8) {
		ti a = wide(in);
		double d = (double)a, u = (double)(uti)a;
		float f = (float)a, g = (float)(uti)a;

		out[0] = bits(d);
		out[1] = bits(u);
		out[2] = bits((double)f);
		out[3] = bits((double)g);
		/* Back again, where that is defined */
		d = d < 0x1p126 && d > -0x1p126 ? d * 1.0000001 : 5.5;
		put(out + 4, (uti)(ti)d);
		put(out + 6, (uti)(d < 0 ? -d : d));
	}
}

/* 16 words of results for each double */
ANPU_KERNEL void rounding(const double *in, uint64_t *out, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, out += 16) {
		double d = in[i];
		float f = (float)d;

		out[0] = bits(floor(d));
		out[1] = bits(ceil(d));
		out[2] = bits(trunc(d));
		out[3] = bits(round(d));
		out[4] = bits(rint(d));
		out[5] = bits(nearbyint(d));
		out[6] = bits((double)floorf(f));
		out[7] = bits((double)ceilf(f));
		out[8] = bits((double)truncf(f));
		out[9] = bits((double)roundf(f));
		out[10] = bits((double)rintf(f));
		out[11] = bits(sqrt(d < 0 ? -d : d));
		out[12] = bits((double)sqrtf(f < 0 ? -f : f));
		out[13] = bits(fmin(d, 1.0) + fmax(d, 2.0) + fabs(d) + copysign(3.0, d));
		out[14] = (uint64_t)(d < 1e15 && d > -1e15 ? lround(d) + lrint(d) + lroundf(f) : 0);
		out[15] = bits(fma(d, d, 1.0));
	}
}

static uint64_t sum(const unsigned char *p, size_t n)
{
	uint64_t s = 1;

	for (size_t i = 0; i < n; i++)
		s = s * 31 + p[i];
	return s;
}

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

/* Copies of every size and alignment, one word for each, then the string functions */
ANPU_KERNEL void memory(const unsigned char *in, uint64_t *out)
{
	unsigned char area[512];
	volatile size_t size;
	char text[64];

	for (unsigned int to = 0; to < 9; to++)
		for (unsigned int from = 0; from < 9; from++)
			for (size = 0; size < 100; size += size < 40 ? 1 : 7) {
				memset(area, (int)size + 300, sizeof(area));
				memcpy(area + 200 + to, in + from, size);
				memmove(area + 100 + to, area + 100 + from, size);
				memmove(area + 210 + from, area + 200 + to, size);
				memset(area + 400 + from, (int)to - 5, size);
				*out++ = sum(area, sizeof(area));
				*out++ = (uint64_t)sign(memcmp(area + 200 + to, in + from, size));
				*out++ = (uint64_t)sign(memcmp(area + to, in + from, size));
			}
	size = 5;
	strcpy(text, "operator");
	strcat(text, " code");
	*out++ = strlen(text) + 100 * strnlen(text, size);
	*out++ = (uint64_t)sign(strcmp(text, "operator coda")) +
		 3 * (uint64_t)sign(strcmp("a", text)) +
		 9 * (uint64_t)sign(strncmp(text, "opera house", size));
	*out++ = (uint64_t)(strchr(text, 'r') - text) + 100 * (strchr(text, 'z') == NULL) +
		 1000 * (uint64_t)((char *)memchr(text, ' ', 13) - text);
	strncpy(text, "ab", 10);
	*out++ = sum((unsigned char *)text, 14);
}

ANPU_KERNEL void print(const char *word)
{
	const char *narrow = "%hhd|%hd|%hhu|%hx\n";	/* clang warns about the numbers that this cuts */

	anpu_printf("%d|%5d|%-5d|%05d|%+d|%u|%x|%X|%08x\n", -3, 42, 42, 42, 7, 4000000000u, 48879,
		    48879, 48879);
	anpu_printf("%ld|%lu|%lx|%lld|%zu|%c|%%|%s|%10s|%-10s|%.3s\n", -5000000000,
		    18446744073709551615ul, 0x123456789abcdeful, -9223372036854775807ll - 1,
		    (size_t)77, 'q', word, word, word, word);
	anpu_printf("%.3d|%8.5d|%-8.5d|%08.5d|%.0d|% d|%+.2d|% 05d\n", 7, 42, -42, 42, 0, 5, 5, 5);
	anpu_printf("%#x|%#X|%#o|%o|%#x|%#010x|%*d|%-*d|%*d|%.*f|%.*d\n", 255, 255, 8,
		    8, 0, 255, 6, 42, 6, 42, -6, 42, 2, 3.14159, -1, 7);
	anpu_printf(narrow, 511, 70000, 511, 70000);
	anpu_printf("%5c|%-5c|%5.1s|%p\n", 'a', 'b', word, (void *)0x123456789a);
	anpu_printf("%f|%.2f|%10.3f|%-10.1f|%.0f|%f|%f\n", 3.25, -2.5, 1.0625, 8.75, 123456789.0,
		    1e15, 0.0);
	anpu_printf("%e|%.3e|%e|%e|%e\n", 12345.678, -0.00012345, 0.0, 9.9999999e99, 1e-300);
	anpu_printf("%f|%e|%f|%F|%10f|%-10e|%010f\n", (double)INFINITY, -(double)INFINITY, (double)NAN,
		    (double)INFINITY, (double)NAN, -(double)INFINITY, (double)INFINITY);
	anpu_printf("%#.0f|%#.0e|%#g|%+f|% f|%012f|%-12f|%+012.3e|%.0f|%.0f|%.0f\n", 3.0, 3.0, 3.0, 1.5,
		    1.5, -1.5, 1.5, 1.5, 0.5, 1.5, 2.5);
	anpu_printf("%a|%A|%.0a|%.3a|%a|%.20a|%#.0a|%20a|%-20a|%020a|%a\n", 1.0, -0.1, 1.5, 1.999999,
		    4.9e-324, 0.1, 2.0, 0.5, 0.5, -0.5, 0.0);
	anpu_printf("%.1100f\n", 4.9406564584124654e-324);
}

/* Every form of each number, and two lines that are longer than what is sent at once */
ANPU_KERNEL void print_reals(const double *in, int n)
{
	for (int i = 0; i < n; i++) {
		anpu_printf("%f|%e|%g|%a|%.0f|%.17g\n", in[i], in[i], in[i], in[i], in[i], in[i]);
		anpu_printf("%.3f|%.1e|%.3g|%.2a|%12.4G|%-12.0E|\n", in[i], in[i], in[i], in[i],
			    in[i], in[i]);
	}
	anpu_printf("%2000d|\n%-1500.1f|\n", n, (double)n);
}

#ifndef __riscv

static void *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	void *data = malloc(1 << 20);

	if (!file || !data)
		exit(2);
	*size = fread(data, 1, 1 << 20, file);
	fclose(file);
	return data;
}

int main(int argc, char **argv)
{
	uint64_t *out = calloc(1 << 20, 1);
	size_t size, words = 0;
	void *in;
	FILE *file;

	if (argc == 2) {
		print(argv[1]);
		return 0;
	}
	if (argc == 3) {
		in = slurp(argv[2], &size);
		print_reals(in, (int)(size / sizeof(double)));
		return 0;
	}
	if (argc != 4 || !out)
		return 2;
	in = slurp(argv[2], &size);
	if (!strcmp(argv[1], "int128")) {
		int128(in, out, (uint32_t)(size / 32));
		words = size / 32 * 22;
	} else if (!strcmp(argv[1], "convert")) {
		convert(in, out, (uint32_t)(size / 16));
		words = size / 16 * 8;
	} else if (!strcmp(argv[1], "rounding")) {
		rounding(in, out, (uint32_t)(size / 8));
		words = size / 8 * 16;
	} else {
		memory(in, out);
		words = 9 * 9 * 49 * 3 + 4;
	}
	file = fopen(argv[3], "wb");
	return !file || fwrite(out, 8, words, file) != words || fclose(file);
}

#endif
