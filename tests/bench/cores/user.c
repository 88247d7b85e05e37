// SPDX-License-Identifier: MIT
/*
 * The plain C kernels of tests/operators/scalar.c as a program of RISC-V Linux, for qemu-riscv64:
 * compiled from the same source with the same options as for the AI core.
 *
 * usage: scalar.user KERNEL [cpu]; prints the nanoseconds of one run of a kernel, or its CPU time.
 */
#include <stddef.h>
#include <stdint.h>

#include "../../operators/scalar.c"
#include "sizes.h"

#define SYS_WRITE		64
#define SYS_EXIT		93
#define SYS_CLOCK_GETTIME	113
#define CLOCK_MONOTONIC		1
#define CLOCK_PROCESS_CPUTIME	2

static uint8_t memory[2][8 * SCALAR_SUMS];
static uint64_t result[8];

static long call(long number, long a, long b, long c)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c;
	register long a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

static uint64_t now(long clock)
{
	int64_t t[2];

	call(SYS_CLOCK_GETTIME, clock, (long)t, 0);
	return (uint64_t)t[0] * 1000000000 + (uint64_t)t[1];
}

static int same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static int run(const char *kernel)
{
	if (same(kernel, "saxpy"))
		saxpy(2, (const float *)memory[0], (float *)memory[1], SCALAR_SAXPY);
	else if (same(kernel, "dsum"))
		dsum((const double *)memory[0], (double *)result, SCALAR_SUMS);
	else if (same(kernel, "int_loop"))
		int_loop(result, SCALAR_LOOPS);
	else if (same(kernel, "crc32"))
		crc32(memory[0], (uint32_t *)result, SCALAR_BYTES);
	else if (same(kernel, "sieve"))
		sieve(memory[0], (uint32_t *)result, SCALAR_BYTES);
	else if (same(kernel, "tiling"))
		tiling(result, (uint64_t)memory[0], SCALAR_ROWS, SCALAR_COLS);
	else
		return -1;
	/* somebody may look at the results: none of the work is for nothing */
	__asm__ volatile("" : : "r"(memory), "r"(result) : "memory");
	return 0;
}

static void print(uint64_t n)
{
	char text[24];
	int at = sizeof(text);

	text[--at] = '\n';
	do {
		text[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	call(SYS_WRITE, 1, (long)(text + at), (long)sizeof(text) - at);
}

__attribute__((used)) static void begin(uint64_t *stack)
{
	long clock = stack[0] == 3 ? CLOCK_PROCESS_CPUTIME : CLOCK_MONOTONIC;
	uint64_t start;

	/* the first run translates the code and touches the memory */
	if (stack[0] < 2 || run((const char *)stack[2]))
		call(SYS_EXIT, 2, 0, 0);
	start = now(clock);
	run((const char *)stack[2]);
	print(now(clock) - start);
	call(SYS_EXIT, 0, 0, 0);
}

__asm__(".globl _start\n"
	"_start:\n"
	"	mv a0, sp\n"
	"	andi sp, sp, -16\n"
	"	j begin\n");
