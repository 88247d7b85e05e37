// SPDX-License-Identifier: MIT
/* The command line of anpu-op, and its manual page. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anpu/anpu_isa.h>

#include "op/options.h"
#include "op/view/trace.h"

static const char op_help[] =
	"NAME\n"
	"  anpu-op - run, check and measure an operator on this machine, without VM or driver\n"
	"\n"
	"SYNOPSIS\n"
	"  anpu-op [options] OPERATOR.o KERNEL [ARGUMENT...]\n"
	"  anpu-op --list OPERATOR.o\n"
	"  anpu-op --disassemble OPERATOR.o [FUNCTION]\n"
	"\n"
	"DESCRIPTION\n"
	"  Loads an operator file made by anpucc, gives every tensor memory of its own, beside\n"
	"  which no byte can be read or written, runs all blocks on the model of the AI core, and prints what the tensors\n"
	"  are then, with counts and the time. Kernels for the cube unit, for the vector unit and\n"
	"  pairs of both (NAME_mix_aic and NAME_mix_aiv: say NAME) run as on the device.\n"
	"\n"
	"ARGUMENTS, in the order of the kernel's parameters\n"
	"  TYPE[SHAPE]=SOURCE   a tensor. TYPE is f16 bf16 f32 f64 s8 s16 s32 s64 u8 u16 u32 u64;\n"
	"                       SHAPE is the number of elements, or dimensions: f16[4,128];\n"
	"                       SOURCE is zero, iota (0 1 2 ...), rand (-1 to 1, integers 0 to 99),\n"
	"                       a number, a list of numbers with commas, @FILE with raw elements, or\n"
	"                       @FILE.npy from numpy.save(). [SHAPE] may be left out with a list or\n"
	"                       a file; =SOURCE may be left out for zeroes\n"
	"  @FILE.npy            a tensor with the file's type and shape\n"
	"  NUMBER, TYPE:NUMBER  a value; without TYPE it has the parameter's type\n"
	"  {TYPE:NUMBER,...}    a structure\n"
	"  null, 0xADDRESS      a pointer to nothing, or to an address of your choice\n"
	"  same:N               the tensor of argument N, from 0, which stands before this one\n"
	"  list:N,M,...         a list of tensors, for ListTensorDesc: arguments N, M ..., which\n"
	"                       stand behind those that the kernel has parameters for\n"
	"  A tensor has the type that the parameter points to. void *, GM_ADDR and pointers to\n"
	"  bytes take any tensor, uint16_t * takes bf16, too; see --cast.\n"
	"\n"
	"THE LAUNCH\n"
	"  --blocks=N           blocks (default 1)\n"
	"  --grid=X[,Y[,Z]]     blocks in up to three dimensions\n"
	"  --cores=N            AI cores that the operator sees (default 8)\n"
	"  --block=X[,Y[,Z]]    threads of a block, of kernels with threads\n"
	"  --cluster=X[,Y[,Z]]  blocks of a cluster, at most 16\n"
	"  --dyn-scratch=BYTES  end of UB that the launch reserves\n"
	"  --saturate           overflow gives the largest number, as a launch can ask for\n"
	"  --overflow           tell whether finite operands gave an infinite result or NaN\n"
	"  --check              the checking mode: uninitialised reads, races between pipes\n"
	"  --cast               pass arguments of other types than the parameters' as they are\n"
	"  --slack=BYTES        bytes behind each tensor that may be used, too (default 0): aclrtMalloc() gives 32\n"
	"  --timeout=SECONDS    give up after that (default 60, 0 never)\n"
	"  --output=BYTES       give up when the operator has printed more than that (default 0: any number)\n"
	"  --threads=N          threads of this machine (default 1, 0: one per CPU)\n"
	"  --deterministic      the clock that the operator reads ticks by itself, so that nothing\n"
	"                       differs from run to run; not with more than one thread\n"
	"  --seed=N             for rand (default 1)\n"
	"  --repeat=N           run N times from the same state; show the least and median time\n"
	"\n"
	"RESULTS\n"
	"  --print=N            elements of each tensor to show (default 8)\n"
	"  --expect=ARG=SOURCE  argument ARG, a number from 0 or a parameter's name, must then be\n"
	"                       SOURCE, anything but rand\n"
	"  --rtol=R --atol=A    for --expect: |got - want| may be A + R * |want|\n"
	"  --ulp=N              for --expect: so many numbers of the type may lie between them\n"
	"  --tolerance=T        for --expect: |got - want| may be T * max(1, |want|)\n"
	"  --mismatches=N       differences to show (default 5, at most 64)\n"
	"  --write=ARG=FILE     write an argument to a file: raw, or NumPy's format if it is *.npy\n"
	"  --json[=FILE]        write results, checks, counts, times and faults as JSON, to standard\n"
	"                       output instead of everything else, or to a file\n"
	"  -q                   print only what the operator prints\n"
	"  -v                   show the registers after a fault\n"
	"\n"
	"LOOKING INSIDE\n"
	"  --list               kernels with their parameters\n"
	"  --disassemble        the code of a function, or all, with source lines\n"
	"  --profile            time, operations and bytes by pipe and by kind of tile operation\n"
	"  --trace[=WHAT,...]   every instruction with what it reads and writes. WHAT is\n"
	"                       tiles: only tile operations and synchronisation; block=N: only that\n"
	"                       block; function=NAME; limit=N: so many lines (default 10000);\n"
	"                       file=NAME: there instead of standard output\n"
	"  --gdb[=PORT]         wait for gdb-multiarch at a port of this machine (default: any that is free,\n"
	"                       which is told); blocks are threads, scratchpads are memory.\n"
	"                       --gdb=- is for: target remote | anpu-op --gdb=- OPERATOR.o KERNEL ...\n"
	"  Source lines are there if the operator was compiled with anpucc -g.\n"
	"\n"
	"EXIT STATUS\n"
	"  0 right; 1 an --expect failed or a file could not be written; 2 the command line or the\n"
	"  operator file is faulty; 3 the operator faulted; 4 it printed more than --output\n"
	"\n"
	"EXAMPLE\n"
	"  anpu-op --blocks=4 --expect=z=3 vadd.o vadd_f32 'f32[1000]=1' 'f32[1000]=2' 'f32[1000]' 1000\n";

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
	fprintf(stderr, "anpu-op: --%s=%s: give a number from %.15g to %.15g\n", option, text, min,
		max);
	return -1;
}

static int parse_integer(const char *option, const char *text, double min, double max,
			 double *value)
{
	if (parse_number(option, text, min, max, value))
		return -1;
	return *value == floor(*value) ? 0 : complain(option, text, "give a whole number");
}

static int parse_grid(struct op_launch *l, const char *text)
{
	char tail;
	int n = sscanf(text, "%u,%u,%u%c", &l->grid[0], &l->grid[1], &l->grid[2], &tail);
	uint64_t blocks = 1;

	for (int i = 0; i < 3; i++) {
		if (l->grid[i] < 1 || l->grid[i] > ANPU_MAX_RELATED_BLOCKS)
			n = 0;
		blocks *= l->grid[i];
	}
	if (n >= 1 && n <= 3 && !text[strspn(text, "0123456789,")] &&
	    text[strlen(text) - 1] != ',' && blocks <= ANPU_MAX_RELATED_BLOCKS)
		return 0;
	return complain("grid", text,
			"give X,Y,Z, each at least 1, with a product of at most 65535");
}

static int parse_block(struct op_launch *l, const char *text)
{
	uint32_t block[3] = { 1, 1, 1 };
	char tail;
	int n = sscanf(text, "%u,%u,%u%c", &block[0], &block[1], &block[2], &tail);

	if (n < 1 || n > 3 || text[strspn(text, "0123456789,")] || text[strlen(text) - 1] == ',' ||
	    !block[0] || !block[1] || !block[2] || block[0] > ANPU_MAX_THREADS ||
	    block[1] > ANPU_MAX_THREADS || block[2] > ANPU_MAX_THREADS ||
	    (uint64_t)block[0] * block[1] * block[2] > ANPU_MAX_THREADS)
		return complain("block", text,
				"give X,Y,Z, each at least 1, with a product of at most 1024");
	memcpy(l->block, block, sizeof(block));
	return 0;
}

static int parse_cluster(struct op_launch *l, const char *text)
{
	uint32_t n[3] = { 1, 1, 1 };
	char tail;
	int axes = sscanf(text, "%u,%u,%u%c", &n[0], &n[1], &n[2], &tail);

	if (axes < 1 || axes > 3 || text[strspn(text, "0123456789,")] || text[strlen(text) - 1] == ',' || !n[0] ||
	    !n[1] || !n[2] || n[0] > ANPU_MAX_CLUSTER || n[1] > ANPU_MAX_CLUSTER || n[2] > ANPU_MAX_CLUSTER ||
	    n[0] * n[1] * n[2] > ANPU_MAX_CLUSTER)
		return complain("cluster", text, "give X,Y,Z, each at least 1, with a product of at most 16");
	memcpy(l->cluster, n, sizeof(n));
	return 0;
}

int op_check_cluster(const struct op_launch *l)
{
	for (int n = 0; n < 3; n++) {
		if (!l->cluster[n] || !(l->grid[n] % l->cluster[n]))
			continue;
		fprintf(stderr, "anpu-op: --cluster=%u,%u,%u: the grid of %ux%ux%u blocks is not made of whole clusters\n",
			l->cluster[0], l->cluster[1], l->cluster[2], l->grid[0], l->grid[1], l->grid[2]);
		return -1;
	}
	return 0;
}

static int add_check(struct op_options *o, const char *option, const char *text)
{
	struct op_check *c = &o->check[o->checks];
	const char *equals = strchr(text, '=');

	if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= sizeof(c->arg))
		return complain(option, text,
				"write the number or name of an argument and = before it");
	if (o->checks == OP_MAX_CHECKS)
		return complain(option, text, "too many of them");
	memset(c, 0, sizeof(*c));
	memcpy(c->arg, text, (size_t)(equals - text));
	c->value = equals + 1;
	c->write = !strcmp(option, "write");
	o->checks++;
	return 0;
}

/* One word of --trace */
static int trace_word(struct op_options *o, char *word)
{
	char *value = strchr(word, '=');
	double number;

	if (!strcmp(word, "tiles")) {
		o->trace_tiles = true;
		return 0;
	}
	if (!value || !value[1])
		return complain("trace", word,
				"write tiles, block=N, function=NAME, limit=N or file=NAME");
	*value++ = 0;
	if (!strcmp(word, "block")) {
		if (parse_integer("trace=block", value, 0, ANPU_MAX_RELATED_BLOCKS - 1, &number))
			return -1;
		o->trace_block = (uint32_t)number;
	} else if (!strcmp(word, "limit")) {
		if (parse_integer("trace=limit", value, 1, 1e15, &number))
			return -1;
		o->trace_limit = (uint64_t)number;
	} else if (!strcmp(word, "function")) {
		o->trace_function = value;
	} else if (!strcmp(word, "file")) {
		o->trace_file = value;
	} else {
		return complain("trace", word,
				"write tiles, block=N, function=NAME, limit=N or file=NAME");
	}
	return 0;
}

static int parse_trace(struct op_options *o, char *text)
{
	char *next;

	o->trace = true;
	for (; text; text = next) {
		next = strchr(text, ',');
		if (next)
			*next++ = 0;
		if (trace_word(o, text))
			return -1;
	}
	return 0;
}

enum { FLAG_NONE, FLAG_HELP = 'h', FLAG_QUIET = 'q', FLAG_VERBOSE = 'v' };

static const struct option known[] = {
	{ "blocks", 1, NULL, 0 },	 { "grid", 1, NULL, 0 },
	{ "block", 1, NULL, 0 },	 { "cluster", 1, NULL, 0 },
	{ "cores", 1, NULL, 0 },	 { "timeout", 1, NULL, 0 },
	{ "dyn-scratch", 1, NULL, 0 },	 { "saturate", 0, NULL, 0 },
	{ "check", 0, NULL, 0 },	 { "threads", 1, NULL, 0 },
	{ "deterministic", 0, NULL, 0 }, { "seed", 1, NULL, 0 },
	{ "repeat", 1, NULL, 0 },	 { "print", 1, NULL, 0 },
	{ "expect", 1, NULL, 0 },	 { "rtol", 1, NULL, 0 },
	{ "atol", 1, NULL, 0 },		 { "ulp", 1, NULL, 0 },
	{ "tolerance", 1, NULL, 0 },	 { "mismatches", 1, NULL, 0 },
	{ "write", 1, NULL, 0 },	 { "json", 2, NULL, 0 },
	{ "list", 0, NULL, 0 },		 { "disassemble", 0, NULL, 0 },
	{ "profile", 0, NULL, 0 },	 { "trace", 2, NULL, 0 },
	{ "overflow", 0, NULL, 0 },	 { "cast", 0, NULL, 0 },
	{ "slack", 1, NULL, 0 },	 { "gdb", 2, NULL, 0 },
	{ "output", 1, NULL, 0 },	 { "help", 0, NULL, FLAG_HELP },
	{ 0 },
};

/* Options without a number; returns 1 if @name is none of them */
static int word_option(struct op_options *o, const char *name, char *text)
{
	if (!strcmp(name, "grid"))
		return parse_grid(&o->launch, text);
	if (!strcmp(name, "block"))
		return parse_block(&o->launch, text);
	if (!strcmp(name, "cluster"))
		return parse_cluster(&o->launch, text);
	if (!strcmp(name, "expect") || !strcmp(name, "write"))
		return add_check(o, name, text);
	if (!strcmp(name, "trace"))
		return parse_trace(o, text);
	if (!strcmp(name, "gdb")) {
		o->gdb = text ? text : "0";
	} else if (!strcmp(name, "json")) {
		o->json = true;
		o->json_file = text;
	} else if (!strcmp(name, "saturate")) {
		o->launch.flags |= ANPU_KERNEL_SATURATE;
	} else if (!strcmp(name, "overflow")) {
		o->launch.flags |= ANPU_KERNEL_OVERFLOW;
	} else if (!strcmp(name, "check")) {
		o->launch.flags |= ANPU_KERNEL_CHECK;
	} else if (!strcmp(name, "cast")) {
		o->cast = true;
	} else if (!strcmp(name, "deterministic")) {
		o->launch.deterministic = true;
	} else if (!strcmp(name, "list")) {
		o->list = true;
	} else if (!strcmp(name, "disassemble")) {
		o->disassemble = true;
	} else if (!strcmp(name, "profile")) {
		o->profile = true;
	} else {
		return 1;
	}
	return 0;
}

static int number_option(struct op_options *o, const char *name, const char *text)
{
	static const struct {
		const char *name;
		double min, max;
		bool real;
	} ranges[] = {
		{ "blocks", 1, ANPU_MAX_RELATED_BLOCKS, false },
		{ "cores", 1, 1024, false },
		{ "timeout", 0, 1e6, true },
		{ "dyn-scratch", 0, ANPU_UB_SIZE, false },
		{ "threads", 0, 1024, false },
		{ "seed", 0, 1e15, false },
		{ "repeat", 1, 1e6, false },
		{ "print", 0, 1e15, false },
		{ "mismatches", 0, OP_MISMATCHES, false },
		{ "rtol", 0, 1e300, true },
		{ "atol", 0, 1e300, true },
		{ "ulp", 0, 1e15, false },
		{ "slack", 0, 4096, false },
		{ "output", 0, 1e15, false },
		{ "tolerance", 0, 1e300, true },
	};
	double v = 0;
	size_t i = 0;

	while (strcmp(ranges[i].name, name))
		i++;
	if (ranges[i].real ? parse_number(name, text, ranges[i].min, ranges[i].max, &v) :
			     parse_integer(name, text, ranges[i].min, ranges[i].max, &v))
		return -1;
	switch (i) {
	case 0:
		o->launch.grid[0] = (uint32_t)v;
		o->launch.grid[1] = 1;
		o->launch.grid[2] = 1;
		break;
	case 1: o->launch.cores = (uint32_t)v; break;
	case 2: o->launch.timeout = v; break;
	case 3: o->launch.dyn_scratch = (uint32_t)v; break;
	case 4: o->launch.threads = (unsigned int)v; break;
	case 5: o->seed = (uint64_t)v; break;
	case 6: o->repeat = (unsigned int)v; break;
	case 7: o->print = (size_t)v; break;
	case 8: o->mismatches = (unsigned int)v; break;
	case 9: o->tolerance.rtol = v; break;
	case 10: o->tolerance.atol = v; break;
	case 11: o->tolerance.ulp = (uint64_t)v; break;
	case 12: o->slack = (uint64_t)v; break;
	case 13: o->output = (size_t)v; break;
	default: o->tolerance.relative = v;
	}
	return 0;
}

/* Refuses options that contradict each other */
static int check_options(struct op_options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (o->launch.deterministic && o->launch.threads != 1) {
		fprintf(stderr,
			"anpu-op: --deterministic is for one thread; leave --threads out\n");
		return -1;
	}
	if (o->gdb && (o->launch.threads != 1 || o->trace || o->profile || o->repeat > 1)) {
		fprintf(stderr, "anpu-op: --gdb runs an operator once, on one thread; leave --threads, --trace, --profile and "
				"--repeat out\n");
		return -1;
	}
	if (o->trace && o->launch.threads != 1) {
		fprintf(stderr, "anpu-op: --trace is for one thread; leave --threads out\n");
		return -1;
	}
	if (o->trace && o->repeat > 1) {
		fprintf(stderr, "anpu-op: --trace and --repeat do not go together: a trace takes "
				"a hundred times as long\n");
		return -1;
	}
	if (op_check_cluster(&o->launch))
		return -1;
	if (!o->launch.threads)
		o->launch.threads = cpus > 0 ? (unsigned int)cpus : 1;
	return 0;
}

int op_options_parse(int argc, char **argv, struct op_options *o)
{
	int c, index, r;

	*o = (struct op_options){ .launch = { .grid = { 1, 1, 1 },
					      .cores = 8,
					      .threads = 1,
					      .timeout = 60 },
				  .seed = 1,
				  .repeat = 1,
				  .print = 8,
				  .mismatches = 5,
				  .trace_block = OP_ALL_BLOCKS,
				  .trace_limit = 10000 };
	/* Arguments of the kernel may begin with a minus sign. */
	while ((c = getopt_long(argc, argv, "+hqv", known, &index)) != -1) {
		if (c == FLAG_HELP) {
			fputs(op_help, stdout);
			exit(0);
		}
		if (c == '?')
			return -1;
		o->quiet |= c == FLAG_QUIET;
		o->verbose |= c == FLAG_VERBOSE;
		if (c != FLAG_NONE)
			continue;
		r = word_option(o, known[index].name, optarg);
		if (r == 1)
			r = number_option(o, known[index].name, optarg);
		if (r)
			return -1;
	}
	if (optind == argc) {
		fprintf(stderr, "usage: anpu-op [options] OPERATOR.o [KERNEL [ARGUMENT...]]; "
				"anpu-op --help has all of it\n");
		return -1;
	}
	o->file = argv[optind++];
	o->kernel = optind < argc ? argv[optind++] : NULL;
	o->args = argv + optind;
	o->arg_count = (unsigned int)(argc - optind);
	if (o->arg_count > OP_MAX_ARGS) {
		fprintf(stderr, "anpu-op: %u arguments are more than the %d a kernel can have\n",
			o->arg_count, OP_MAX_ARGS);
		return -1;
	}
	return check_options(o);
}
