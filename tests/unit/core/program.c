// SPDX-License-Identifier: MIT
/* C code for test_program, compiled for the host and for the AI core: both must agree. */
#include <stdint.h>

#ifdef __riscv
#define ENTRY(name) __attribute__((section(".text.start"), used)) void name
#else
#define ENTRY(name) void name
#endif

static uint32_t crc(const uint8_t *p, uint64_t n)
{
	uint32_t c = ~0u;

	while (n--) {
		c ^= *p++;
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
	}
	return ~c;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static void sort(uint64_t *v, int64_t low, int64_t high, int (*cmp)(uint64_t a, uint64_t b))
{
	int64_t i = low, j = high;
	uint64_t pivot = v[low + (high - low) / 2];

	while (i <= j) {
		while (cmp(v[i], pivot) < 0)
			i++;
		while (cmp(v[j], pivot) > 0)
			j--;
		if (i <= j) {
			uint64_t t = v[i];

			v[i++] = v[j];
			v[j--] = t;
		}
	}
	if (low < j)
		sort(v, low, j, cmp);
	if (i < high)
		sort(v, i, high, cmp);
}

static double series(uint64_t n)
{
	double sum = 0;

	for (uint64_t i = 1; i <= n; i++)
		sum += (i & 1 ? 1.0 : -1.0) / (double)(2 * i - 1);
	return 4 * sum;
}

static float norm(const uint64_t *v, uint64_t n)
{
	float s = 0;

	for (uint64_t i = 0; i < n; i++) {
		float x = (float)(int32_t)(v[i] >> 40) * 0.001f;

		s = s * 0.5f + x;
	}
	return __builtin_sqrtf(s < 0 ? -s : s);
}

/* out: 8 words and 256 sorted ones */
ENTRY(program)(uint64_t *out)
{
	uint64_t v[256], s = 42;
	double pi;
	float f;
	uint32_t bits;

	for (int i = 0; i < 256; i++) {
		s = s * 6364136223846793005ull + 1442695040888963407ull;
		v[i] = s;
	}
	out[0] = crc((const uint8_t *)v, sizeof(v));
	f = norm(v, 256);
	__builtin_memcpy(&bits, &f, 4);
	out[1] = bits;
	sort(v, 0, 255, compare);
	for (int i = 0; i < 256; i++)
		out[8 + i] = v[i];
	pi = series(5000);
	__builtin_memcpy(&out[2], &pi, 8);
	out[3] = (uint64_t)(int64_t)(pi * 1e6);
	out[4] = (uint64_t)((int64_t)v[3] / -7) + v[200] % 1000;
	out[5] = (uint64_t)(((unsigned __int128)v[1] * v[250]) >> 64);
	out[6] = (uint64_t)(int64_t)((int32_t)v[7] % 13);
	out[7] = out[2] ^ out[5];
}
