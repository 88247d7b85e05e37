// SPDX-License-Identifier: MIT
/*
 * anpu-op: run an operator on the AI core of the model, on this machine, without VM, driver or
 * runtime. For testing, debugging and measuring operators; Documentation/operators.md has examples.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "op/judge/judge.h"
#include "op/session.h"

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

/* Opens the debug information; with @say a file without lines is told, and why */
static void load_lines(struct op_session *s, bool say)
{
	char why[4300];

	s->lines = op_lines_open(s->options.file, why, sizeof(why));
	if (!s->lines && say)
		fprintf(stderr, "anpu-op: %s\n", why);
}

static int disassemble(struct op_session *s)
{
	load_lines(s, true);
	if (op_list_code(stdout, s->image, s->lines, s->options.kernel))
		return OP_EXIT_RIGHT;
	if (s->options.kernel)
		fprintf(stderr, "anpu-op: '%s' has no function '%s'\n", s->options.file,
			s->options.kernel);
	else
		fprintf(stderr, "anpu-op: '%s' has no functions\n", s->options.file);
	return OP_EXIT_USAGE;
}

/* Preparing a run ------------------------------------------------------------------------------ */

static int set_up_launch(struct op_session *s)
{
	static const uint32_t core_types[] = {
		[ANPU_META_TYPE_AICORE] = ANPU_CORE_ANY,  [ANPU_META_TYPE_AIC] = ANPU_CORE_AIC,
		[ANPU_META_TYPE_AIV] = ANPU_CORE_AIV,	  [ANPU_META_TYPE_MIX_AIC] = ANPU_CORE_AIC,
		[ANPU_META_TYPE_MIX_AIV] = ANPU_CORE_AIV,
	};
	const struct anpu_elf_meta *meta = s->kernel.meta;

	s->launch = s->options.launch;
	if (s->kernel.aiv) {
		s->launch.core_type = ANPU_CORE_MIX;
		s->launch.mix_ratio = meta && meta->mix_vector ? meta->mix_vector : 1;
		if (s->launch.mix_ratio > 2) {
			fprintf(stderr,
				"anpu-op: '%s' wants %u vector parts for one cube part; a core has "
				"at most 2\n",
				s->options.kernel, s->launch.mix_ratio);
			return -1;
		}
	} else if (meta && meta->kernel_type < sizeof(core_types) / sizeof(core_types[0])) {
		s->launch.core_type = core_types[meta->kernel_type];
	}
	if (meta && meta->cluster[0] && !s->launch.cluster[0])
		memcpy(s->launch.cluster, meta->cluster, sizeof(s->launch.cluster));
	if (meta && meta->cluster[0] && memcmp(s->launch.cluster, meta->cluster, sizeof(s->launch.cluster))) {
		fprintf(stderr, "anpu-op: '%s' is written for clusters of %ux%ux%u blocks, see --cluster\n",
			s->options.kernel, meta->cluster[0], meta->cluster[1], meta->cluster[2]);
		return -1;
	}
	if (op_check_cluster(&s->launch))
		return -1;
	if (s->launch.cluster[0] && !(meta && meta->threads)) {
		fprintf(stderr, "anpu-op: '%s' has no threads, and only kernels that have them have clusters\n",
			s->options.kernel);
		return -1;
	}
	if (s->launch.block[0] && !(meta && meta->threads)) {
		fprintf(stderr, "anpu-op: '%s' has no threads, which --block is for; kernels of a source NAME.cu have them\n",
			s->options.kernel);
		return -1;
	}
	if (meta && meta->threads && !s->launch.block[0])
		s->launch.block[0] = s->launch.block[1] = s->launch.block[2] = 1;
	/* there is no option for it, and a kernel that does not wait for its grid notices nothing */
	s->launch.cooperative = meta && meta->threads && op_blocks(&s->launch) <= s->launch.cores;
	s->launch.static_scratch = meta ? meta->shared_size : 0;
	if (meta && meta->sched_mode == ANPU_SCHED_BATCH &&
	    op_blocks(&s->launch) > s->launch.cores) {
		fprintf(stderr,
			"anpu-op: '%s' starts all blocks together, %u of them need as many cores, "
			"and "
			"there are %u; see --cores\n",
			s->options.kernel, op_blocks(&s->launch), s->launch.cores);
		return -1;
	}
	return 0;
}

static bool printed_too_much(const struct op_session *s)
{
	return s->options.output && s->printed > s->options.output;
}

static bool on_print(void *ctx, const struct core_text *text)
{
	struct op_session *s = ctx;

	/* the operator prints the same in every run: only the first one's text is shown */
	if (s->runs)
		return true;
	s->printed += text->len;
	if (printed_too_much(s))
		return false;
	fwrite(text->text, 1, text->len, s->text_out);
	return true;
}

/* The operator's memory is there for the whole run */
static bool in_memory(void *ctx, uint32_t space, void (*fn)(void *arg, struct mmu *mmu), void *arg)
{
	struct op_session *s = ctx;
	struct mmu mmu = { .memory = &s->memory };

	(void)space;
	fn(arg, &mmu);
	return true;
}

static void note(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "anpu-op: %s\n", text);
}

static void kill_run(void *ctx, uint32_t space)
{
	(void)ctx;
	(void)space;
	exit(OP_EXIT_FAULT);
}

static bool start_gdb(struct op_session *s)
{
	static const struct gdb_ops ops = { .inside = in_memory, .note = note, .kill = kill_run };
	struct gdb_config config;
	char why[200] = "give a port, or - for standard input and output";

	if (gdb_parse(s->options.gdb, &config)) {
		config.offset = s->base - s->image->low;
		s->gdb = gdb_new(&config, &ops, s, why, sizeof(why));
	}
	if (!s->gdb)
		fprintf(stderr, "anpu-op: --gdb=%s: %s\n", s->options.gdb, why);
	s->launch.gdb = s->gdb;
	return s->gdb;
}

static int set_up_watching(struct op_session *s)
{
	const struct op_options *o = &s->options;

	if (o->profile) {
		s->profile = op_profile_new();
		if (!s->profile) {
			fprintf(stderr, "anpu-op: out of memory for --profile\n");
			return -1;
		}
		s->launch.observer = op_profile_observer(s->profile);
		s->launch.timed = true;
	}
	if (o->gdb) {
		if (!start_gdb(s))
			return -1;
		/* a person who debugs takes time */
		s->launch.timeout = 0;
		return 0;
	}
	if (!o->trace)
		return 0;
	s->trace = (struct op_trace){ .out = o->json && !o->json_file ? stderr : stdout,
				      .tiles = o->trace_tiles,
				      .block = o->trace_block,
				      .function = o->trace_function,
				      .limit = o->trace_limit,
				      .image = s->image,
				      .base = s->base,
				      .lines = s->lines,
				      .memory = &s->memory };
	if (o->trace_file)
		s->trace.out = fopen(o->trace_file, "w");
	if (!s->trace.out) {
		fprintf(stderr, "anpu-op: cannot write '%s': %s\n", o->trace_file, strerror(errno));
		return -1;
	}
	s->launch.watcher = op_trace_watcher(&s->trace, s->launch.core_type == ANPU_CORE_MIX);
	return 0;
}

/* The trace of a function that does not exist would be empty. */
static int check_filters(const struct op_session *s)
{
	const struct op_options *o = &s->options;
	bool found = !o->trace_function;

	for (size_t i = 0; !found && i < s->image->symbol_count; i++)
		found = s->image->symbol[i].func &&
			!strcmp(s->image->symbol[i].name, o->trace_function);
	if (!found) {
		fprintf(stderr,
			"anpu-op: --trace=function=%s: '%s' has no such function; it may have been "
			"inlined\n",
			o->trace_function, o->file);
		return -1;
	}
	if (o->trace_block == OP_ALL_BLOCKS || o->trace_block < op_blocks(&s->launch))
		return 0;
	fprintf(stderr, "anpu-op: --trace=block=%u: the blocks are 0 to %u\n", o->trace_block,
		op_blocks(&s->launch) - 1);
	return -1;
}

static int prepare(struct op_session *s)
{
	const struct op_options *o = &s->options;

	if (anpu_elf_find(s->image, o->kernel, &s->kernel)) {
		op_no_kernel(s->image, o->file, o->kernel);
		return -1;
	}
	if (set_up_launch(s) || op_parse_args(s))
		return -1;
	for (unsigned int i = 0; i < o->checks; i++)
		if (op_find_arg(s, o->check[i].write ? "write" : "expect", o->check[i].arg) < 0)
			return -1;
	if (check_filters(s) || op_place(s) || set_up_watching(s))
		return -1;
	s->ns = calloc(o->repeat, sizeof(*s->ns));
	s->text_out = o->json && !o->json_file ? open_memstream(&s->text, &s->text_size) : stdout;
	if (!s->ns || !s->text_out || (o->repeat > 1 && !op_memory_save(&s->memory))) {
		fprintf(stderr, "anpu-op: out of memory\n");
		return -1;
	}
	s->launch.print = on_print;
	s->launch.print_ctx = s;
	return 0;
}

/* Running -------------------------------------------------------------------------------------- */

static bool run(struct op_session *s)
{
	struct code_cache *code = code_cache_new();

	s->good = true;
	while (s->good && s->runs < s->options.repeat) {
		if (s->runs) {
			op_memory_restore(&s->memory);
			/* the profile of the last run is shown */
			op_profile_reset(s->profile);
		}
		s->good = op_run(&s->memory, code, &s->launch, &s->result);
		s->ns[s->runs++] = s->result.ns;
	}
	code_cache_free(code);
	if (s->text_out != stdout) {
		fclose(s->text_out);
		s->text_out = stdout;
	}
	if (s->options.trace_file && fclose(s->trace.out)) {
		fprintf(stderr, "anpu-op: cannot write '%s': %s\n", s->options.trace_file,
			strerror(errno));
		s->trace.out = NULL;
	}
	return s->good;
}

static int run_checks(struct op_session *s)
{
	const struct op_options *o = &s->options;
	int status = OP_EXIT_RIGHT;

	fflush(stdout);
	for (unsigned int i = 0; i < o->checks; i++) {
		const struct op_check *c = &o->check[i];
		int at = op_find_arg(s, "expect", c->arg);

		if (c->write) {
			if (op_arg_write(&s->arg[at], c->value) && status == OP_EXIT_RIGHT)
				status = OP_EXIT_WRONG;
			continue;
		}
		if (op_compare(&s->arg[at], c->value, &o->tolerance, o->mismatches,
			       &s->comparison[i]))
			return OP_EXIT_USAGE;
		s->compared[i] = true;
		if (!s->comparison[i].wrong)
			continue;
		op_comparison_print(&s->comparison[i], &s->arg[at], s->name[at]);
		status = OP_EXIT_WRONG;
	}
	return status;
}

static int write_json(const struct op_session *s, int status)
{
	const char *path = s->options.json_file;
	FILE *out = path ? fopen(path, "w") : stdout;
	bool bad = !out;

	if (out) {
		op_report_json(s, out, status);
		bad = ferror(out);
		bad |= path ? fclose(out) != 0 : fflush(out) != 0;
	}
	if (!bad)
		return status;
	fprintf(stderr, "anpu-op: cannot write '%s': %s\n", path ? path : "standard output",
		strerror(errno));
	return status == OP_EXIT_RIGHT ? OP_EXIT_WRONG : status;
}

static int run_kernel(struct op_session *s)
{
	const struct op_options *o = &s->options;
	bool text = !o->quiet && !(o->json && !o->json_file);
	int status = OP_EXIT_FAULT;

	/* lines are read when a fault or a trace needs them: it takes longer than many operators */
	if (o->trace)
		load_lines(s, true);
	if (prepare(s))
		return OP_EXIT_USAGE;
	if (run(s)) {
		op_fetch(s);
		if (text)
			op_report(s);
		status = run_checks(s);
	} else if (!s->lines) {
		load_lines(s, false);
	}
	if (!s->good && printed_too_much(s))
		status = OP_EXIT_OUTPUT;
	gdb_free(s->gdb, status);
	if (!s->good)
		op_report_fault(s);
	if (status == OP_EXIT_RIGHT && o->trace_file && !s->trace.out)
		status = OP_EXIT_WRONG;
	return o->json && status != OP_EXIT_USAGE ? write_json(s, status) : status;
}

static void close_session(struct op_session *s)
{
	for (unsigned int i = 0; i < s->options.arg_count; i++)
		op_arg_free(&s->arg[i]);
	for (unsigned int i = 0; i < s->options.checks; i++)
		op_comparison_free(&s->comparison[i]);
	op_profile_free(s->profile);
	op_memory_free(&s->memory);
	op_lines_close(s->lines);
	anpu_elf_free(s->image);
	if (s->text_out && s->text_out != stdout)
		fclose(s->text_out);
	free(s->ns);
	free(s->text);
}

static int operate(int argc, char **argv)
{
	static struct op_session session;
	struct op_session *s = &session;
	int status = OP_EXIT_RIGHT;

	if (op_options_parse(argc, argv, &s->options))
		return OP_EXIT_USAGE;
	op_memory_init(&s->memory);
	s->image = load_image(s->options.file);
	if (!s->image)
		return OP_EXIT_USAGE;
	if (s->options.disassemble)
		status = disassemble(s);
	else if (s->options.list || !s->options.kernel)
		op_list_kernels(s->image, s->options.json);
	else
		status = run_kernel(s);
	close_session(s);
	return status;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "judge"))
		return op_judge(argc - 1, argv + 1, operate);
	return operate(argc, argv);
}
