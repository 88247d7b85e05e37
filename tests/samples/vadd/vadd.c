// SPDX-License-Identifier: MIT
/*
 * vadd: adds two files of numbers on the NPU, checks the sums on the CPU and writes them to a file.
 *
 * The part that talks to the NPU, run() and what it calls, is plain AscendCL as any program has it.
 */
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

#include "numbers.h"

struct options {
	enum type type;
	uint32_t blocks;
	int32_t device;
	const char *operator_file;
	const char *x, *y, *result;
};

/* Elements from which on a rate says something of the copies and of the device */
#define MEANINGFUL 100000

/* Device memory and handles; zero means not there */
struct npu {
	void *x, *y, *z;
	aclrtStream stream;
	aclrtEvent begin, end;
	aclrtBinHandle binary;
	aclrtFuncHandle function;
	int initialised, device_set;
};

/* Seconds; @kernel is the device's own time, @launch that of the calls on the host. */
struct times {
	double to_device, launch, kernel, to_host;
};

/* The kernel's parameters: each begins at a multiple of 8 bytes. */
struct arguments {
	void *x, *y, *z;
	uint32_t n;
	uint32_t pad;
};

static const char usage[] =
	"usage: vadd [options] X Y RESULT\n"
	"Adds the numbers of two files on the NPU.\n"
	"  --type=fp32|fp16   element type (default: what the files are, fp32 for text)\n"
	"  --blocks=N         blocks the operator is spread over (default 8)\n"
	"  --device=N         NPU (default 0)\n"
	"  --operator=FILE    the compiled operator (default: vadd.o beside this program)\n"
	"Files: *.f32 and *.f16 are raw little-endian elements, all others text: numbers\n"
	"between blanks, lines or commas, '#' begins a comment. RESULT is written likewise.\n";

static int failed(const char *call, aclError code)
{
	const char *text = aclGetRecentErrMsg();

	fprintf(stderr, "vadd: %s failed with %d%s%s\n", call, code, text && *text ? ": " : "",
		text ? text : "");
	return -1;
}

/* Calls an AscendCL function; on failure prints its error and returns from the function. */
#define TRY(call)                                    \
	do {                                         \
		aclError code_ = (call);             \
		if (code_ != ACL_SUCCESS)            \
			return failed(#call, code_); \
	} while (0)

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static int open_device(struct npu *npu, const struct options *opts)
{
	TRY(aclInit(NULL));
	npu->initialised = 1;
	TRY(aclrtSetDevice(opts->device));
	npu->device_set = 1;
	TRY(aclrtCreateStream(&npu->stream));
	TRY(aclrtCreateEventWithFlag(&npu->begin, ACL_EVENT_TIME_LINE));
	TRY(aclrtCreateEventWithFlag(&npu->end, ACL_EVENT_TIME_LINE));
	TRY(aclrtBinaryLoadFromFile(opts->operator_file, NULL, &npu->binary));
	TRY(aclrtBinaryGetFunction(npu->binary, opts->type == FP16 ? "vadd_f16" : "vadd_f32",
				   &npu->function));
	return 0;
}

/* Launches the operator between two events, which know the device's time. */
static int launch(struct npu *npu, const struct options *opts, uint32_t n, struct times *times)
{
	struct arguments args = { npu->x, npu->y, npu->z, n, 0 };
	double start = now();
	float ms;

	TRY(aclrtRecordEvent(npu->begin, npu->stream));
	TRY(aclrtLaunchKernelWithHostArgs(npu->function, opts->blocks, npu->stream, NULL, &args,
					  sizeof(args), NULL, 0));
	TRY(aclrtRecordEvent(npu->end, npu->stream));
	TRY(aclrtSynchronizeStream(npu->stream));
	times->launch = now() - start;
	TRY(aclrtEventElapsedTime(&ms, npu->begin, npu->end));
	times->kernel = (double)ms / 1e3;
	return 0;
}

static int compute(struct npu *npu, const struct options *opts, const struct tensor *x,
		   const struct tensor *y, struct tensor *z, struct times *times)
{
	size_t bytes = x->count * type_size(x->type);
	double start;

	TRY(aclrtMalloc(&npu->x, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMalloc(&npu->y, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMalloc(&npu->z, bytes, ACL_MEM_MALLOC_HUGE_FIRST));

	start = now();
	TRY(aclrtMemcpy(npu->x, bytes, x->data, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	TRY(aclrtMemcpy(npu->y, bytes, y->data, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	times->to_device = now() - start;

	if (launch(npu, opts, (uint32_t)x->count, times))
		return -1;

	start = now();
	TRY(aclrtMemcpy(z->data, bytes, npu->z, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
	times->to_host = now() - start;
	return 0;
}

/* Gives everything back, also after a failure half-way. */
static int close_device(struct npu *npu, const struct options *opts)
{
	void *memory[] = { npu->x, npu->y, npu->z };

	for (int i = 0; i < 3; i++)
		if (memory[i])
			TRY(aclrtFree(memory[i]));
	if (npu->binary)
		TRY(aclrtBinaryUnLoad(npu->binary));
	if (npu->begin)
		TRY(aclrtDestroyEvent(npu->begin));
	if (npu->end)
		TRY(aclrtDestroyEvent(npu->end));
	if (npu->stream)
		TRY(aclrtDestroyStream(npu->stream));
	if (npu->device_set)
		TRY(aclrtResetDevice(opts->device));
	if (npu->initialised)
		TRY(aclFinalize());
	return 0;
}

/* A number with the prefix of a unit that suits it */
static const char *amount(char text[32], double number)
{
	static const char *const prefixes[] = { "", "K", "M", "G" };
	int prefix = 0;

	for (; number >= 1000 && prefix < 3; prefix++)
		number /= 1000;
	snprintf(text, 32, "%.3g %s", number, prefixes[prefix]);
	return text;
}

/* Speed of something that took @seconds; of a few elements it would only tell how long a call takes. */
static void print_time(const char *what, double seconds, double many, const char *unit, size_t count)
{
	char text[32];

	printf("  %-15s %10.3f ms", what, seconds * 1e3);
	if (count >= MEANINGFUL && seconds > 0)
		printf("  (%s%s/s)", amount(text, many / seconds), unit);
	putchar('\n');
}

static void print_summary(const struct options *opts, const struct tensor *z,
			  const struct times *times, const char *soc)
{
	double bytes = (double)(z->count * type_size(z->type));
	char text[32];

	printf("vadd: %zu elements of %s, %sB in each tensor\n", z->count, type_name(z->type),
	       amount(text, bytes));
	printf("  device %d: %s, operator %s in %" PRIu32 " blocks\n", opts->device,
	       soc ? soc : "unknown", opts->type == FP16 ? "vadd_f16" : "vadd_f32", opts->blocks);
	print_time("copy to device", times->to_device, 2 * bytes, "B", z->count);
	print_time("launch and wait", times->launch, 3 * bytes, "B", z->count);
	print_time("  on the device", times->kernel, 3 * bytes, "B", z->count);
	print_time("copy to host", times->to_host, bytes, "B", z->count);
}

/* Both sides round each sum once, so the results must be the same numbers. */
static int check(const struct tensor *x, const struct tensor *y, const struct tensor *z)
{
	struct tensor want;
	size_t i, wrong = 0;
	double worst = 0;

	if (tensor_new(&want, x->type, 1))
		return -1;
	for (i = 0; i < x->count; i++) {
		double got = tensor_get(z, i), sum;

		tensor_set(&want, 0, tensor_get(x, i) + tensor_get(y, i));
		sum = tensor_get(&want, 0);
		if (got == sum || (isnan(got) && isnan(sum)))
			continue;
		if (!wrong++)
			printf("  element %zu is wrong: %.9g + %.9g is %.9g, the NPU says %.9g\n",
			       i, tensor_get(x, i), tensor_get(y, i), sum, got);
		if (!(fabs(got - sum) <= worst))
			worst = fabs(got - sum);
	}
	tensor_free(&want);
	printf("  maximal error   %10g  (%zu of %zu elements differ from the CPU's)\n", worst,
	       wrong, x->count);
	return wrong ? -1 : 0;
}

static int run(const struct options *opts, const struct tensor *x, const struct tensor *y,
	       struct tensor *z)
{
	struct npu npu = { 0 };
	struct times times = { 0 };
	int bad = open_device(&npu, opts) || compute(&npu, opts, x, y, z, &times);

	if (!bad)
		print_summary(opts, z, &times, aclrtGetSocName());
	if (close_device(&npu, opts))
		bad = 1;
	return bad ? -1 : 0;
}

static int parse_count(const char *text, const char *option, long min, long max, long *value)
{
	char *end;

	*value = strtol(text, &end, 10);
	if (end != text && !*end && *value >= min && *value <= max)
		return 0;
	fprintf(stderr, "vadd: --%s=%s: give a number from %ld to %ld\n", option, text, min, max);
	return -1;
}

static int parse_options(int argc, char **argv, struct options *opts)
{
	static const struct option known[] = {
		{ "type", 1, NULL, 't' },
		{ "blocks", 1, NULL, 'b' },
		{ "device", 1, NULL, 'd' },
		{ "operator", 1, NULL, 'o' },
		{ "help", 0, NULL, 'h' },
		{ 0 },
	};
	long value;
	int c;

	while ((c = getopt_long(argc, argv, "h", known, NULL)) != -1) {
		if (c == 't' && (!strcmp(optarg, "fp32") || !strcmp(optarg, "fp16"))) {
			opts->type = strcmp(optarg, "fp16") ? FP32 : FP16;
		} else if (c == 'b' && !parse_count(optarg, "blocks", 1, 65535, &value)) {
			opts->blocks = (uint32_t)value;
		} else if (c == 'd' && !parse_count(optarg, "device", 0, INT_MAX, &value)) {
			opts->device = (int32_t)value;
		} else if (c == 'o') {
			opts->operator_file = optarg;
		} else if (c == 'h') {
			fputs(usage, stdout);
			exit(0);
		} else {
			if (c == 't')
				fprintf(stderr, "vadd: --type=%s: the types are fp32 and fp16\n",
					optarg);
			return -1;
		}
	}
	if (argc - optind != 3) {
		fputs(usage, stderr);
		return -1;
	}
	opts->x = argv[optind];
	opts->y = argv[optind + 1];
	opts->result = argv[optind + 2];
	return 0;
}

/* The type that is left open follows from the files. */
static int choose_type(struct options *opts)
{
	enum type x = file_type(opts->x), y = file_type(opts->y), result = file_type(opts->result);

	if (opts->type == NO_TYPE)
		opts->type = x;
	if (opts->type == NO_TYPE)
		opts->type = y;
	if (opts->type == NO_TYPE)
		opts->type = result;
	if (opts->type == NO_TYPE)
		opts->type = FP32;
	if (result == NO_TYPE || result == opts->type)
		return 0;
	fprintf(stderr,
		"vadd: the sums are %s, so '%s' would have a misleading name; call it .%s\n",
		type_name(opts->type), opts->result, opts->type == FP16 ? "f16" : "f32");
	return -1;
}

static const char *default_operator(void)
{
	static char path[PATH_MAX + 8];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (n <= 0)
		return "vadd.o";
	path[n] = '\0';
	dirname(path);
	strcat(path, "/vadd.o");
	return path;
}

static int add_files(const struct options *opts, struct tensor *x, struct tensor *y,
		     struct tensor *z)
{
	if (tensor_read(x, opts->type, opts->x) || tensor_read(y, opts->type, opts->y))
		return -1;
	if (x->count != y->count) {
		fprintf(stderr,
			"vadd: '%s' has %zu numbers and '%s' has %zu: the files must be of one "
			"length\n",
			opts->x, x->count, opts->y, y->count);
		return -1;
	}
	if (x->count > UINT32_MAX) {
		fprintf(stderr,
			"vadd: '%s' has %zu numbers, the operator adds at most %" PRIu32 "\n",
			opts->x, x->count, UINT32_MAX);
		return -1;
	}
	if (tensor_new(z, opts->type, x->count) || run(opts, x, y, z))
		return -1;
	if (check(x, y, z) || tensor_write(z, opts->result))
		return -1;
	printf("  result          %s\n", opts->result);
	return 0;
}

int main(int argc, char **argv)
{
	struct options opts = { .type = NO_TYPE, .blocks = 8, .operator_file = default_operator() };
	struct tensor x = { 0 }, y = { 0 }, z = { 0 };
	int bad;

	if (parse_options(argc, argv, &opts) || choose_type(&opts))
		return 2;
	bad = add_files(&opts, &x, &y, &z);
	tensor_free(&x);
	tensor_free(&y);
	tensor_free(&z);
	return bad ? 1 : 0;
}
