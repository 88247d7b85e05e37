// SPDX-License-Identifier: MIT
/* Operators in plain C, which use nothing of the AI core but its scalar unit. */
#include <stdint.h>

#include <anpu/anpu_intrin.h>

/* y = a * x + y in fp32; one rounding per element, as fmaf() on the host. */
ANPU_KERNEL void saxpy(float a, const float *x, float *y, uint32_t n)
{
	uint64_t first, count = anpu_share(n, 1, &first), i;

	for (i = first; i < first + count; i++)
		y[i] = __builtin_fmaf(a, x[i], y[i]);
}

/* The sum of n doubles in their order, in out[block]: each block adds up its own share. */
ANPU_KERNEL void dsum(const double *x, double *out, uint32_t n)
{
	uint64_t first, count = anpu_share(n, 1, &first), i;
	double sum = 0;

	for (i = first; i < first + count; i++)
		sum += x[i];
	out[anpu_block_idx()] = sum;
}

static const uint32_t *crc_table(uint32_t table[256])
{
	uint32_t i, bit, c;

	for (i = 0; i < 256; i++) {
		for (c = i, bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
		table[i] = c;
	}
	return table;
}

/* CRC-32 as in zip and Ethernet; block i checks the i-th of blocks equal parts into out[i]. */
ANPU_KERNEL void crc32(const uint8_t *data, uint32_t *out, uint32_t bytes)
{
	uint32_t memory[256], crc = 0xffffffff;
	const uint32_t *table = crc_table(memory);
	uint64_t first, count = anpu_share(bytes, 1, &first), i;

	for (i = first; i < first + count; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	out[anpu_block_idx()] = ~crc;
}

/* The sieve of Eratosthenes: flags[i] is 1 if i is prime, *primes counts them. One block works. */
ANPU_KERNEL void sieve(uint8_t *flags, uint32_t *primes, uint32_t n)
{
	uint32_t i, found = 0;
	uint64_t k;

	if (anpu_block_idx())
		return;
	for (i = 0; i < n; i++)
		flags[i] = i >= 2;
	for (i = 2; (uint64_t)i * i < n; i++)
		if (flags[i])
			for (k = (uint64_t)i * i; k < n; k += i)
				flags[k] = 0;
	for (i = 0; i < n; i++)
		found += flags[i];
	*primes = found;
}

/* Integer arithmetic with an unpredictable branch; *out depends on every round, so that none is optimised away. */
ANPU_KERNEL void int_loop(uint64_t *out, uint64_t rounds)
{
	uint64_t x = 88172645463325252, sum = 0;

	if (anpu_block_idx())
		return;
	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x & 1)
			sum += x * 3;
		else
			sum -= i;
	}
	*out = sum;
}

/* What a copy of a tile needs; a tile operation would take it. */
struct tile_copy {
	uint64_t from;
	uint32_t rows, bytes, pitch, buffer;
};

/* Stands for the tile operation: it is called with the descriptor in memory. */
static __attribute__((noinline)) uint64_t take(const struct tile_copy *c)
{
	return c->from + (uint64_t)c->rows * c->pitch + c->bytes + c->buffer;
}

/*
 * What operators do between their tile operations, here for a matrix of m x n numbers in tiles of 16 x 64: which tile is
 * next, how much of it lies inside of the matrix, its address, its descriptor, which buffer. *out depends on all of it.
 */
ANPU_KERNEL void tiling(uint64_t *out, uint64_t from, uint32_t m, uint32_t n)
{
	uint32_t across = (n + 63) / 64, tiles = (m + 15) / 16 * across, i, buffer = 0;
	uint64_t sum = 0;

	for (i = anpu_block_idx(); i < tiles; i += anpu_block_num()) {
		uint32_t row = i / across * 16, col = i % across * 64;
		struct tile_copy c = {
			.from = from + ((uint64_t)row * n + col) * 4,
			.rows = m - row < 16 ? m - row : 16,
			.bytes = (n - col < 64 ? n - col : 64) * 4,
			.pitch = n * 4,
			.buffer = buffer,
		};

		sum += take(&c);
		buffer = (buffer + 1) % 3;
	}
	out[anpu_block_idx()] = sum;
}
