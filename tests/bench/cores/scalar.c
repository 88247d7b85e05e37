// SPDX-License-Identifier: MIT
/* The scalar unit beside qemu-riscv64, which runs the same code as an ordinary program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "sizes.h"

/**
 * struct user - a kernel as a program under qemu-riscv64
 * @program: the program's path
 * @kernel: its argument
 * @cpu_time: it measures that
 */
struct user {
	const char *program;
	const char *kernel;
	bool cpu_time;
};

/* Return: nanoseconds of one run, 0 if it did not work */
static uint64_t run_user(const struct user *u)
{
	unsigned long long ns = 0;
	char command[4096];
	FILE *f;

	snprintf(command, sizeof(command), "qemu-riscv64 '%s' %s %s 2>/dev/null", u->program,
		 u->kernel, u->cpu_time ? "cpu" : "");
	f = popen(command, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &ns) != 1)
		ns = 0;
	return pclose(f) ? 0 : ns;
}

static uint64_t measure_user(const void *ctx)
{
	const struct user *u = ctx;
	uint64_t ns = run_user(u);

	if (!ns)
		die("qemu-riscv64 %s %s failed", u->program, u->kernel);
	return ns;
}

/* Instructions of a launch, by the device's own count */
static uint64_t count_insns(const struct launch *l)
{
	uint64_t before = device_insns(l->device);

	measure_launch(l);
	return device_insns(l->device) - before;
}

struct scalar_case {
	const char *kernel;
	uint64_t args[4];
	size_t slots;
};

void bench_scalar(const struct bench *b)
{
	uint64_t x = memory_va(memory_alloc(8 * SCALAR_SUMS));
	uint64_t y = memory_va(memory_alloc(8 * SCALAR_SUMS)), two = 0x40000000;
	const struct scalar_case cases[] = {
		{ "saxpy", { two, x, y, SCALAR_SAXPY }, 4 },
		{ "dsum", { x, y, SCALAR_SUMS }, 3 },
		{ "int_loop", { y, SCALAR_LOOPS }, 2 },
		{ "crc32", { x, y, SCALAR_BYTES }, 3 },
		{ "sieve", { x, y, SCALAR_BYTES }, 3 },
		{ "tiling", { y, x, SCALAR_ROWS, SCALAR_COLS }, 4 },
	};
	enum { N = sizeof(cases) / sizeof(cases[0]) };
	const char *why = "there is no qemu-riscv64 (apt-get install qemu-user)";
	bool user = run_user(&(struct user){ b->user, "dsum", false }) != 0;
	struct launch launches[N] = { 0 };
	struct user users[N];
	struct row rows[2 * N];
	size_t n = 0;

	for (size_t i = 0; i < N; i++) {
		struct launch *l = &launches[i];
		char name[2][64];
		uint64_t insns;

		snprintf(name[0], sizeof(name[0]), "qemu_riscv64_%s", cases[i].kernel);
		snprintf(name[1], sizeof(name[1]), "scalar_%s", cases[i].kernel);
		*l = (struct launch){ .device = b->one, .blocks = 1, .slots = cases[i].slots,
				      .launches = 1 };
		l->kernel = bench_kernel(b, "scalar", cases[i].kernel);
		memcpy(l->args, cases[i].args, sizeof(cases[i].args));
		users[i] = (struct user){ b->user, cases[i].kernel, b->cpu_time };
		insns = count_insns(l);
		if (user)
			rows[n++] = (struct row){ strdup(name[0]), BENCH_MIPS, NULL, insns,
						  measure_user, &users[i], .foreign = true };
		else
			bench_skip(strdup(name[0]), why);
		rows[n++] = (struct row){ strdup(name[1]), BENCH_MIPS, strdup(name[0]), insns,
					  measure_launch, l, .threads = 1 };
	}
	measure_rows(rows, n, b->quick ? 1 : 9);
}
