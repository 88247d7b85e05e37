// SPDX-License-Identifier: MIT
/*
 * anpu-op: run an operator on the AI core of the model, on this machine, without VM, driver or
 * runtime. For trying out and debugging operators; Documentation/operators.md has examples.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <anpu/anpu_isa.h>

#include "../src/anpu_elf.h"
#include "op_run.h"
#include "op_tensor.h"

#define MAX_ARGS   128
#define MAX_CHECKS 128
/* Tensors begin at a multiple of this, as aclrtMalloc() has it. */
#define TENSOR_ALIGN 64

static const char usage[] =
	"usage: anpu-op [options] OPERATOR.o [KERNEL [ARGUMENT...]]\n"
	"Runs a kernel on this machine's model of the AI core; without KERNEL lists them.\n"
	"An ARGUMENT is\n"
	"  TYPE[COUNT]=SOURCE   a tensor; TYPE is f16 f32 f64 bf16 s8 ... u64; SOURCE is\n"
	"                       zero, iota (0 1 2 ...), rand, a number, a list of numbers\n"
	"                       with commas, or @FILE with raw elements; with a list or a\n"
	"                       file [COUNT] may be left out\n"
	"  NUMBER, TYPE:NUMBER  a value\n"
	"  {TYPE:NUMBER,...}    a structure\n"
	"  null, 0xADDRESS      a pointer to nothing, or to an address of your choice\n"
	"options\n"
	"  --blocks=N           blocks (default 1); --grid=X,Y,Z for more dimensions\n"
	"  --cores=N            AI cores that the operator sees (default 8)\n"
	"  --timeout=SECONDS    give up after that (default 60, 0 never)\n"
	"  --dyn-scratch=BYTES  part of UB that the launch reserves\n"
	"  --seed=N             for rand (default 1)\n"
	"  --print=N            elements of each tensor to show (default 8)\n"
	"  --expect=I=WANT      argument I (from 0) must then be WANT: a SOURCE but rand\n"
	"  --tolerance=T        for --expect (default 0)\n"
	"  --write=I=FILE       write argument I to a file\n"
	"  -q                   print only what the operator prints\n"
	"  -v                   show the registers after a fault\n"
	"The exit status is 0, 1 for a failed --expect, 2 for a faulty command line, 3 for a\n"
	"fault of the operator.\n";

struct check {
	unsigned int arg;
	const char *value;
	bool write;
};

struct options {
	struct op_launch launch;
	uint64_t seed;
	size_t print;
	double tolerance;
	struct check check[MAX_CHECKS];
	unsigned int checks;
	bool quiet, verbose;
	const char *file, *kernel;
	char **args;
	unsigned int arg_count;
};

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_FAULT = 3 };

static int complain(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "anpu-op: --%s=%s: %s\n", option, value, why);
	return -1;
}

static int parse_number(const char *option, const char *text, double min, double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && *value >= min && *value <= max)
		return 0;
	fprintf(stderr, "anpu-op: --%s=%s: give a number from %g to %g\n", option, text, min, max);
	return -1;
}

static int parse_grid(struct op_launch *l, const char *text)
{
	char tail;
	int n = sscanf(text, "%u,%u,%u%c", &l->grid[0], &l->grid[1], &l->grid[2], &tail);
	uint64_t blocks = 1;

	for (int i = 0; i < 3; i++) {
		if (l->grid[i] < 1 || l->grid[i] > ANPU_MAX_BLOCKS)
			n = 0;
		blocks *= l->grid[i];
	}
	return n < 1 || n > 3 || blocks > ANPU_MAX_BLOCKS
		       ? complain("grid", text,
				  "give X,Y,Z, each at least 1, with a product of at most 65535")
		       : 0;
}

static int add_check(struct options *o, const char *option, const char *text)
{
	struct check *c = &o->check[o->checks];
	char *end;
	unsigned long arg = strtoul(text, &end, 10);

	if (end == text || *end != '=' || !end[1] || arg >= MAX_ARGS || o->checks == MAX_CHECKS)
		return complain(option, text,
				"write the number of an argument, counted from 0, and = before it");
	*c = (struct check){ .arg = (unsigned int)arg,
			     .value = end + 1,
			     .write = !strcmp(option, "write") };
	o->checks++;
	return 0;
}

static const struct option known[] = {
	{ "blocks", 1, NULL, 0 },
	{ "grid", 1, NULL, 0 },
	{ "cores", 1, NULL, 0 },
	{ "timeout", 1, NULL, 0 },
	{ "dyn-scratch", 1, NULL, 0 },
	{ "seed", 1, NULL, 0 },
	{ "print", 1, NULL, 0 },
	{ "expect", 1, NULL, 0 },
	{ "tolerance", 1, NULL, 0 },
	{ "write", 1, NULL, 0 },
	{ "help", 0, NULL, 'h' },
	{ 0 },
};

static int long_option(struct options *o, const char *name, const char *text)
{
	double value = 0;
	int bad = 0;

	if (!strcmp(name, "grid"))
		return parse_grid(&o->launch, text);
	if (!strcmp(name, "expect") || !strcmp(name, "write"))
		return add_check(o, name, text);
	if (!strcmp(name, "blocks")) {
		bad = parse_number(name, text, 1, ANPU_MAX_BLOCKS, &value);
		o->launch.grid[0] = (uint32_t)value;
	} else if (!strcmp(name, "cores")) {
		bad = parse_number(name, text, 1, 1024, &value);
		o->launch.cores = (uint32_t)value;
	} else if (!strcmp(name, "timeout")) {
		bad = parse_number(name, text, 0, 1e6, &o->launch.timeout);
	} else if (!strcmp(name, "dyn-scratch")) {
		bad = parse_number(name, text, 0, ANPU_UB_SIZE, &value);
		o->launch.dyn_scratch = (uint32_t)value;
	} else if (!strcmp(name, "seed")) {
		bad = parse_number(name, text, 0, 1e15, &value);
		o->seed = (uint64_t)value;
	} else if (!strcmp(name, "print")) {
		bad = parse_number(name, text, 0, 1e15, &value);
		o->print = (size_t)value;
	} else {
		bad = parse_number(name, text, 0, 1e300, &o->tolerance);
	}
	return bad;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	int c, index;

	/* Arguments of the kernel may begin with a minus sign. */
	while ((c = getopt_long(argc, argv, "+hqv", known, &index)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			exit(0);
		}
		if (c == 'q')
			o->quiet = true;
		else if (c == 'v')
			o->verbose = true;
		else if (c == '?' || long_option(o, known[index].name, optarg))
			return -1;
	}
	if (optind == argc) {
		fputs(usage, stderr);
		return -1;
	}
	o->file = argv[optind++];
	o->kernel = optind < argc ? argv[optind++] : NULL;
	o->args = argv + optind;
	o->arg_count = (unsigned int)(argc - optind);
	if (o->arg_count <= MAX_ARGS)
		return 0;
	fprintf(stderr, "anpu-op: %u arguments are more than the %d a kernel can have\n",
		o->arg_count, MAX_ARGS);
	return -1;
}

static struct anpu_image *load_image(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct anpu_image *image = NULL;
	char why[256] = "cannot be read";
	void *data = NULL;
	long size = -1;

	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	if (size < 0) {
		fprintf(stderr, "anpu-op: cannot open '%s': %s\n", path, strerror(errno));
		goto out;
	}
	rewind(file);
	data = malloc((size_t)size + 1);
	if (data && fread(data, 1, (size_t)size, file) == (size_t)size)
		image = anpu_elf_parse(data, (size_t)size, why, sizeof(why));
	if (!image)
		fprintf(stderr, "anpu-op: '%s' %s\n", path, why);
out:
	free(data);
	if (file)
		fclose(file);
	return image;
}

/* Parameter i of a kernel, false if the file does not tell. */
static bool get_param(const struct anpu_elf_kernel *kernel, unsigned int i,
		      struct anpu_meta_param *param)
{
	if (!kernel->meta || !kernel->meta->params || i >= kernel->meta->param_count)
		return false;
	memcpy(param, kernel->meta->params + i * sizeof(*param), sizeof(*param));
	return true;
}

static int list_kernels(const struct anpu_image *image)
{
	for (size_t i = 0; i < image->meta_count; i++) {
		struct anpu_elf_kernel kernel = { .meta = &image->meta[i] };
		struct anpu_meta_param param;

		printf("%s:", image->meta[i].name);
		for (unsigned int p = 0; get_param(&kernel, p, &param); p++)
			printf("%s %s of %u bytes", p ? "," : "",
			       param.kind == ANPU_PARAM_POINTER ? "pointer" : "value", param.size);
		printf("%s\n", image->meta[i].param_count ? "" : " no parameters");
	}
	if (!image->meta_count)
		printf("no kernel is described in this file; compile it with anpucc\n");
	return 0;
}

static int parse_args(const struct options *o, const struct anpu_elf_kernel *kernel,
		      struct op_arg *args)
{
	bool known = kernel->meta && (kernel->meta->params || kernel->meta->param_count == 0);

	if (known && kernel->meta->param_count != o->arg_count) {
		fprintf(stderr, "anpu-op: kernel '%s' takes %u arguments, %u are given\n",
			o->kernel, kernel->meta->param_count, o->arg_count);
		return -1;
	}
	for (unsigned int i = 0; i < o->arg_count; i++) {
		struct anpu_meta_param param = { 0 };
		bool pointer = get_param(kernel, i, &param) && param.kind == ANPU_PARAM_POINTER;

		if (op_arg_parse(&args[i], o->args[i], param.size, pointer, o->seed + i))
			return -1;
	}
	return 0;
}

static struct op_region *map(struct op_machine *m, const char *name, uint64_t size, uint64_t align,
			     uint32_t access)
{
	struct op_region *region = op_map(m, name, size, align, access);

	if (!region)
		fprintf(stderr, "anpu-op: out of memory for %s of %llu bytes\n", name,
			(unsigned long long)size);
	return region;
}

/* The operator's image: every segment with its own rights, at the distances that the file wants. */
static int place_image(struct op_machine *m, const struct anpu_image *image, uint64_t *base)
{
	uint8_t *mem = malloc(image->high - image->low);

	if (!mem) {
		fprintf(stderr, "anpu-op: out of memory for the operator\n");
		return -1;
	}
	*base = m->next;
	anpu_elf_place(image, *base, mem);
	for (unsigned int i = 0; i < image->segment_count; i++) {
		const struct anpu_elf_segment *s = &image->segment[i];
		uint64_t low = s->vaddr & ~(ANPU_ELF_PAGE - 1);
		uint64_t high = (s->vaddr + s->memsz + ANPU_ELF_PAGE - 1) & ~(ANPU_ELF_PAGE - 1);
		uint32_t access = (s->flags & ANPU_ELF_R ? ANPU_ACCESS_READ : 0) |
				  (s->flags & ANPU_ELF_W ? ANPU_ACCESS_WRITE : 0) |
				  (s->flags & ANPU_ELF_X ? ANPU_ACCESS_FETCH : 0);
		struct op_region *region;

		m->next = *base + (low - image->low);
		region = map(m,
			     s->flags & ANPU_ELF_X ? "the operator's code" : "the operator's data",
			     high - low, ANPU_ELF_PAGE, access);
		if (!region) {
			free(mem);
			return -1;
		}
		memcpy(op_host(region), mem + (low - image->low), high - low);
	}
	free(mem);
	return 0;
}

static int place_args(struct op_machine *m, struct op_arg *args, const struct options *o,
		      char names[][32])
{
	struct op_region *region;
	uint32_t size = 0, at = 0;

	for (unsigned int i = 0; i < o->arg_count; i++) {
		size += args[i].kind == OP_TENSOR ? 8 : (uint32_t)(args[i].size + 7) / 8 * 8;
		if (args[i].kind == OP_VALUE)
			continue;
		snprintf(names[i], sizeof(names[i]), "argument %u", i);
		region = map(m, names[i], args[i].size, TENSOR_ALIGN,
			     ANPU_ACCESS_READ | ANPU_ACCESS_WRITE);
		if (!region)
			return -1;
		args[i].address = region->start;
		memcpy(op_host(region), args[i].data, args[i].size);
	}
	region = map(m, "the argument block", size, 8, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE);
	if (!region)
		return -1;
	m->args = region->start;
	m->args_size = size;
	memset(op_host(region), 0, size);
	for (unsigned int i = 0; i < o->arg_count; i++) {
		if (args[i].kind == OP_TENSOR)
			memcpy(op_host(region) + at, &args[i].address, 8);
		else
			memcpy(op_host(region) + at, args[i].data, args[i].size);
		at += args[i].kind == OP_TENSOR ? 8 : (uint32_t)(args[i].size + 7) / 8 * 8;
	}
	return 0;
}

static const char *cause_name(uint32_t cause)
{
	static const char *const names[] = {
		[ANPU_FAULT_UNMAPPED] = "unmapped memory",
		[ANPU_FAULT_PERMISSION] = "access not allowed",
		[ANPU_FAULT_MISALIGNED] = "misaligned address",
		[ANPU_FAULT_FETCH] = "jump out of the code",
		[ANPU_FAULT_ILLEGAL] = "illegal instruction",
		[ANPU_FAULT_BREAKPOINT] = "breakpoint",
		[ANPU_FAULT_TRAP] = "trap",
		[ANPU_FAULT_ASSERT] = "failed assertion",
		[ANPU_FAULT_TIMEOUT] = "timeout",
		[ANPU_FAULT_SCRATCHPAD] = "access outside of the scratchpads",
		[ANPU_FAULT_STACK] = "stack overflow",
		[ANPU_FAULT_OPERAND] = "refused operand",
		[ANPU_FAULT_SYNC] = "faulty synchronisation",
		[ANPU_FAULT_DEADLOCK] = "deadlock",
		[ANPU_FAULT_UNINITIALISED] = "uninitialised memory",
		[ANPU_FAULT_RACE] = "race",
		[ANPU_FAULT_INTERNAL] = "out of host resources",
		[ANPU_FAULT_BAD_PACKET] = "refused launch",
	};

	return cause < sizeof(names) / sizeof(names[0]) && names[cause] ? names[cause] : "fault";
}

static void print_fault(const struct options *o, const struct op_machine *m,
			const struct anpu_image *image, uint64_t base, const struct core_fault *f)
{
	const char *access = "read";
	uint64_t at = f->pc - base + image->low;
	const struct anpu_elf_symbol *function = f->pc ? anpu_elf_function_at(image, at) : NULL;

	fflush(stdout);
	fprintf(stderr, "anpu-op: kernel '%s' failed in block %u: ", o->kernel, m->block);
	/* Some messages begin with the name of the cause. */
	if (strncmp(f->message, cause_name(f->cause), strlen(cause_name(f->cause))))
		fprintf(stderr, "%s: ", cause_name(f->cause));
	fprintf(stderr, "%s\n", f->message);
	if (f->pc && function)
		fprintf(stderr,
			"  at %s+0x%llx, pc 0x%llx (0x%llx in the file), instruction 0x%08x\n",
			function->name, (unsigned long long)(at - function->value),
			(unsigned long long)f->pc, (unsigned long long)at, f->insn);
	else if (f->pc)
		fprintf(stderr, "  at pc 0x%llx, in no function of the operator\n",
			(unsigned long long)f->pc);
	if (f->access & ANPU_ACCESS_WRITE)
		access = "write";
	else if (f->access & ANPU_ACCESS_FETCH)
		access = "fetch";
	if (f->access)
		fprintf(stderr, "  %s of %u bytes at 0x%llx\n", access, f->size,
			(unsigned long long)f->addr);
	for (int i = 1; o->verbose && i < 32; i++)
		fprintf(stderr, "  x%-2d 0x%016llx%s", i, (unsigned long long)f->x[i],
			i % 4 == 3 ? "\n" : "");
}

/* Takes the tensors back from the operator's memory and looks for writes beside them. */
static int fetch_tensors(const struct op_machine *m, struct op_arg *args, unsigned int count)
{
	int bad = 0;

	for (unsigned int i = 0; i < count; i++)
		for (unsigned int r = 0; args[i].kind == OP_TENSOR && r < m->regions; r++) {
			const struct op_region *region = &m->region[r];
			uint64_t stray;

			if (region->start != args[i].address)
				continue;
			memcpy(args[i].data, op_host(region), args[i].size);
			stray = op_stray(region);
			if (!stray)
				continue;
			fprintf(stderr,
				"anpu-op: the operator wrote outside of %s of %zu bytes: %lld "
				"bytes from its start\n",
				region->name, args[i].size, (long long)(stray - region->start));
			bad = EXIT_FAULT;
		}
	return bad;
}

static int run_checks(const struct options *o, const struct op_arg *args)
{
	int bad = 0;

	for (unsigned int i = 0; i < o->checks; i++) {
		const struct check *c = &o->check[i];

		if (c->arg >= o->arg_count || args[c->arg].kind != OP_TENSOR) {
			fprintf(stderr, "anpu-op: --%s=%u=...: argument %u is not a tensor\n",
				c->write ? "write" : "expect", c->arg, c->arg);
			return EXIT_USAGE;
		}
		if (c->write ? op_arg_write(&args[c->arg], c->value)
			     : op_arg_expect(&args[c->arg], c->arg, c->value, o->tolerance))
			bad = EXIT_WRONG;
	}
	return bad;
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static int run_kernel(const struct options *o, const struct anpu_image *image,
		      const struct anpu_elf_kernel *kernel, struct op_machine *m,
		      struct op_arg *args)
{
	char names[MAX_ARGS][32];
	struct core_fault fault = { 0 };
	uint64_t base;
	double start;
	int bad;

	if (place_image(m, image, &base) || place_args(m, args, o, names))
		return EXIT_USAGE;
	m->entry = base + (kernel->entry->value - image->low);
	start = seconds();
	if (!op_run(m, &o->launch, &fault)) {
		print_fault(o, m, image, base, &fault);
		return EXIT_FAULT;
	}
	start = seconds() - start;
	bad = fetch_tensors(m, args, o->arg_count);
	for (unsigned int i = 0; i < o->arg_count && !o->quiet; i++)
		if (args[i].kind == OP_TENSOR)
			op_arg_print(&args[i], i, o->print);
	if (!o->quiet)
		printf("%s: %u blocks, %llu instructions, %llu tile operations, %.3f ms\n",
		       o->kernel, o->launch.grid[0] * o->launch.grid[1] * o->launch.grid[2],
		       (unsigned long long)m->insns, (unsigned long long)m->tiles, start * 1e3);
	return bad ? bad : run_checks(o, args);
}

static int run_file(struct options *o, const struct anpu_image *image)
{
	static const uint32_t core_types[] = {
		[ANPU_META_TYPE_AICORE] = ANPU_CORE_ANY,
		[ANPU_META_TYPE_AIC] = ANPU_CORE_AIC,
		[ANPU_META_TYPE_AIV] = ANPU_CORE_AIV,
	};
	struct op_arg args[MAX_ARGS] = { 0 };
	struct anpu_elf_kernel kernel;
	struct op_machine machine;
	char names[256];
	int status = EXIT_USAGE;

	if (anpu_elf_find(image, o->kernel, &kernel)) {
		anpu_elf_names(image, names, sizeof(names));
		fprintf(stderr, "anpu-op: '%s' has no kernel '%s'; it has %s\n", o->file, o->kernel,
			names);
		return status;
	}
	if (kernel.aiv) {
		fprintf(stderr,
			"anpu-op: '%s' is a pair of cube and vector kernels, which anpu-op does "
			"not run; name one of them\n",
			o->kernel);
		return status;
	}
	if (kernel.meta && kernel.meta->kernel_type < sizeof(core_types) / sizeof(core_types[0]))
		o->launch.core_type = core_types[kernel.meta->kernel_type];
	op_machine_init(&machine);
	if (!parse_args(o, &kernel, args))
		status = run_kernel(o, image, &kernel, &machine, args);
	for (unsigned int i = 0; i < o->arg_count; i++)
		op_arg_free(&args[i]);
	op_machine_free(&machine);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { .launch = { .grid = { 1, 1, 1 }, .cores = 8, .timeout = 60 },
			     .seed = 1,
			     .print = 8 };
	struct anpu_image *image;
	int status;

	if (parse_options(argc, argv, &o))
		return EXIT_USAGE;
	image = load_image(o.file);
	if (!image)
		return EXIT_USAGE;
	status = o.kernel ? run_file(&o, image) : list_kernels(image);
	anpu_elf_free(image);
	return status;
}
