// SPDX-License-Identifier: MIT
/*
 * The AI cores' part of `make bench`, on the host: kernels on the model's own scheduler, without a
 * VM, beside what this machine can do at all. Documentation/bench.md explains every name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rows.h"

#define HBM_BYTES	(2ULL << 30)
#define MAX_ROWS	64

/* Count the CPU time of this process, not the time that passes: see usage(). */
static bool cpu_time;

/* Only rows with this in their name are measured. */
static const char *only = "";

static uint64_t sample(const struct row *r)
{
	uint64_t start = bench_cpu_now(), ns = r->measure(r->ctx);

	if (cpu_time && !r->foreign)
		ns = (bench_cpu_now() - start) / (r->threads ? r->threads : 1);
	return ns / (r->parts ? r->parts : 1);
}

void measure_rows(const struct row *all, size_t count, unsigned int rounds)
{
	uint64_t *ns = malloc(count * rounds * sizeof(*ns));
	struct row rows[MAX_ROWS];
	size_t n = 0;

	if (!ns || count > MAX_ROWS)
		die("%zu rows are too many", count);
	for (size_t i = 0; i < count; i++)
		if (strstr(all[i].name, only))
			rows[n++] = all[i];
	for (size_t i = 0; i < n; i++)
		rows[i].measure(rows[i].ctx);
	for (unsigned int round = 0; round < rounds; round++)
		for (size_t i = 0; i < n; i++)
			ns[i * rounds + round] = sample(&rows[i]);
	for (size_t i = 0; i < n; i++)
		bench_add(rows[i].name, rows[i].unit, ns + i * rounds, rounds, rows[i].work,
			  rows[i].floor);
	free(ns);
}

uint64_t measure_launch(const void *ctx)
{
	const struct launch *l = ctx;

	return device_run(l->device, &l->kernel, l->blocks, l->args, l->slots, l->launches);
}

struct kernel bench_kernel(const struct bench *b, const char *file, const char *kernel)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.o", b->operators, file);
	return kernel_load(path, kernel);
}

static const struct {
	const char *name;
	void (*run)(const struct bench *b);
} groups[] = {
	{ "matmul", bench_matmul },
	{ "vectors", bench_vectors },
	{ "scalar", bench_scalar },
	{ "blocks", bench_blocks },
	{ "threads", bench_threads },
};

static void usage(void)
{
	fprintf(stderr,
		"usage: cores [options] [GROUP...]\n"
		"Groups are matmul, vectors, scalar, blocks and threads; all by default. Options are\n"
		"  --quick          one sample of everything, to see that it works\n"
		"  --cpu-time       CPU time instead of time, for a machine that is busy otherwise\n"
		"  --only TEXT      only rows with that in their name, and no ratios\n"
		"  --json FILE      where the results go, else to standard output\n"
		"  --operators DIR  default build/operators\n"
		"  --user PROGRAM   default build/tests/bench/scalar.user\n");
	exit(2);
}

static bool chosen(const char *name, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return n == 0;
}

int main(int argc, char **argv)
{
	struct bench b = { .operators = "build/operators", .user = "build/tests/bench/scalar.user",
			   .threads_file = "build/tests/bench/threads.o" };
	const char *json = NULL;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		bool more = i + 1 < argc;

		if (!strcmp(argv[i], "--quick"))
			b.quick = true;
		else if (!strcmp(argv[i], "--cpu-time"))
			b.cpu_time = cpu_time = true;
		else if (!strcmp(argv[i], "--only") && more)
			only = argv[++i];
		else if (!strcmp(argv[i], "--json") && more)
			json = argv[++i];
		else if (!strcmp(argv[i], "--operators") && more)
			b.operators = argv[++i];
		else if (!strcmp(argv[i], "--user") && more)
			b.user = argv[++i];
		else
			usage();
	}
	b.threads = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	memory_init(HBM_BYTES);
	b.one = device_new(1);
	b.all = device_new(b.threads);
	for (size_t k = 0; k < sizeof(groups) / sizeof(groups[0]); k++) {
		if (!chosen(groups[k].name, argv + i, argc - i))
			continue;
		fprintf(stderr, "measuring the AI cores: %s\n", groups[k].name);
		groups[k].run(&b);
	}
	device_free(b.one);
	device_free(b.all);
	return bench_report(json) ? 1 : 0;
}
