// SPDX-License-Identifier: MIT
/* Reports the result of a run, for people and as JSON. */
#include <stdlib.h>
#include <string.h>

#include "op/session.h"

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

static const char *access_name(uint32_t access)
{
	if (access & ANPU_ACCESS_WRITE)
		return "write";
	return access & ANPU_ACCESS_FETCH ? "fetch" : "read";
}

static uint64_t file_address(const struct op_session *s, uint64_t pc)
{
	return pc - s->base + s->image->low;
}

/* Faults --------------------------------------------------------------------------------------- */

static void report_place(const struct op_session *s, const struct core_fault *f)
{
	uint64_t at = file_address(s, f->pc);
	const struct op_region *r = op_region_at(&s->memory, f->pc);
	const struct anpu_elf_symbol *function = r && r->access & ANPU_ACCESS_FETCH ? anpu_elf_function_at(s->image, at) : NULL;
	struct op_disasm insn;
	struct op_line line;

	if (!function) {
		fprintf(stderr, "  at pc 0x%llx, in no function of the operator\n",
			(unsigned long long)f->pc);
		return;
	}
	fprintf(stderr, "  at %s+0x%llx, pc 0x%llx (0x%llx in the file)", function->name,
		(unsigned long long)(at - function->value), (unsigned long long)f->pc,
		(unsigned long long)at);
	/*
	 * no instruction is the cause of the end if the run was ended from outside, or before its
	 * first one
	 */
	if (f->insn) {
		op_disassemble(f->insn, at, &insn);
		fprintf(stderr, ", instruction 0x%08x  %s", f->insn, insn.text);
	}
	fputc('\n', stderr);
	if (!op_lines_at(s->lines, at, &line)) {
		fprintf(stderr, "  in %s:%u", line.file, line.line);
		if (line.text)
			fprintf(stderr, ":  %s", line.text + strspn(line.text, " \t"));
		fputc('\n', stderr);
	}
}

/* Messages name the addresses of other instructions, too: say where those are. */
static void report_others(const struct op_session *s, const struct core_fault *f)
{
	char *end;

	for (const char *at = strstr(f->message, "0x"); at; at = strstr(end, "0x")) {
		uint64_t pc = strtoull(at, &end, 16), address = file_address(s, pc);
		const struct op_region *r = op_region_at(&s->memory, pc);
		const struct anpu_elf_symbol *function = anpu_elf_function_at(s->image, address);
		struct op_line line;

		if (!r || !(r->access & ANPU_ACCESS_FETCH) || !function || pc == f->pc)
			continue;
		fprintf(stderr, "  0x%llx is %s+0x%llx", (unsigned long long)pc, function->name,
			(unsigned long long)(address - function->value));
		if (!op_lines_at(s->lines, address, &line)) {
			fprintf(stderr, ", %s:%u", line.file, line.line);
			if (line.text)
				fprintf(stderr, ":  %s", line.text + strspn(line.text, " \t"));
		}
		fputc('\n', stderr);
	}
}

static bool is_mix(const struct op_session *s)
{
	return s->launch.core_type == ANPU_CORE_MIX;
}

void op_report_fault(const struct op_session *s)
{
	const struct core_fault *f = &s->result.fault;
	const char *cause = cause_name(f->cause);
	char sub[16] = "";

	fflush(stdout);
	if (s->good)
		return;
	if (is_mix(s))
		snprintf(sub, sizeof(sub), ".%u", s->result.sub_block);
	fprintf(stderr, "anpu-op: kernel '%s' failed in block %u%s: ", s->options.kernel,
		s->result.block, sub);
	/* Some messages begin with the name of the cause. */
	if (strncmp(f->message, cause, strlen(cause)))
		fprintf(stderr, "%s: ", cause);
	fprintf(stderr, "%s\n", f->message);
	if (f->pc)
		report_place(s, f);
	report_others(s, f);
	if (f->access && f->size)
		fprintf(stderr, "  %s of %u byte%s at 0x%llx\n", access_name(f->access), f->size,
			f->size == 1 ? "" : "s", (unsigned long long)f->addr);
	else if (f->access)
		fprintf(stderr, "  %s at 0x%llx\n", access_name(f->access), (unsigned long long)f->addr);
	for (unsigned int i = 1; s->options.verbose && i < 32; i++)
		fprintf(stderr, "  %-4s 0x%016llx%s", op_xreg_name(i), (unsigned long long)f->x[i],
			i % 4 == 3 ? "\n" : "");
}

/* Results -------------------------------------------------------------------------------------- */

static bool changed(const struct op_arg *arg)
{
	return memcmp(arg->data, arg->before, arg->size) != 0;
}

static void report_tensor(const struct op_session *s, unsigned int i)
{
	const struct op_arg *arg = &s->arg[i];
	char shape[160], text[40];
	size_t n;

	op_arg_shape(arg, shape, sizeof(shape));
	printf("%s: %s[%s]%s:", s->name[i], arg->type->name, shape, changed(arg) ? " changed" : "");
	for (n = 0; n < arg->count && n < s->options.print; n++) {
		op_format(text, sizeof(text), arg->data + n * arg->type->size, arg->type);
		printf(" %s", text);
	}
	printf("%s\n", n < arg->count ? " ..." : "");
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void times(const struct op_session *s, uint64_t *least, uint64_t *median)
{
	uint64_t *sorted = malloc(s->runs * sizeof(*sorted));

	*least = s->ns[0];
	*median = s->ns[0];
	if (!sorted)
		return;
	memcpy(sorted, s->ns, s->runs * sizeof(*sorted));
	qsort(sorted, s->runs, sizeof(*sorted), by_size);
	*least = sorted[0];
	*median = s->runs % 2 ? sorted[s->runs / 2]
			      : (sorted[s->runs / 2 - 1] + sorted[s->runs / 2]) / 2;
	free(sorted);
}

/* Prints the overflows that the device would note in an overflow table */
static void report_overflow(const struct op_session *s)
{
	static const char *const texts[] = {
		"none",
		[ANPU_OVERFLOW_INFINITE] = "infinite from finite operands",
		[ANPU_OVERFLOW_INVALID] = "NaN from numbers",
		[ANPU_OVERFLOW_INFINITE | ANPU_OVERFLOW_INVALID] =
			"infinite from finite operands, NaN from numbers",
	};

	if (s->launch.flags & ANPU_KERNEL_OVERFLOW)
		printf("overflow: %s\n", texts[s->result.overflow]);
}

void op_report(const struct op_session *s)
{
	uint64_t least, median;

	for (unsigned int i = 0; i < s->options.arg_count; i++)
		if (s->arg[i].kind == OP_TENSOR)
			report_tensor(s, i);
	report_overflow(s);
	times(s, &least, &median);
	printf("%s: %u blocks", s->options.kernel, op_blocks(&s->launch));
	if (is_mix(s))
		printf(" of 1 cube and %u vector parts", s->launch.mix_ratio);
	printf(", %llu instructions, %llu tile operations, %.3f ms",
	       (unsigned long long)s->result.insns, (unsigned long long)s->result.tiles,
	       (double)least * 1e-6);
	if (s->runs > 1)
		printf(" at least, %.3f ms median of %u runs", (double)median * 1e-6, s->runs);
	putchar('\n');
	if (s->profile)
		op_profile_print(s->profile, &s->result);
}

/* JSON ----------------------------------------------------------------------------------------- */

static void json_element(struct op_json *j, const char *key, const struct op_arg *arg, size_t i)
{
	const uint8_t *at = arg->data + i * arg->type->size;
	char text[40];

	if (op_type_real(arg->type)) {
		op_json_real(j, key, op_get(at, arg->type), 17);
		return;
	}
	op_format(text, sizeof(text), at, arg->type);
	/* integers of 64 bits must not become doubles on the way */
	op_json_raw(j, key, text);
}

static void json_tensor(struct op_json *j, const struct op_session *s, unsigned int i)
{
	const struct op_arg *arg = &s->arg[i];

	op_json_open(j, NULL, '{');
	op_json_number(j, "argument", i);
	op_json_string(j, "name", s->label[i]);
	op_json_string(j, "type", arg->type->name);
	op_json_open(j, "shape", '[');
	for (unsigned int d = 0; d < arg->dims; d++)
		op_json_number(j, NULL, arg->dim[d]);
	op_json_close(j, '[');
	op_json_bool(j, "changed", changed(arg));
	op_json_open(j, "first", '[');
	for (size_t n = 0; n < arg->count && n < s->options.print; n++)
		json_element(j, NULL, arg, n);
	op_json_close(j, '[');
	op_json_close(j, '{');
}

static void json_check(struct op_json *j, const struct op_session *s, unsigned int i)
{
	const struct op_comparison *c = &s->comparison[i];
	const struct op_check *check = &s->options.check[i];
	int at = op_find_arg(s, "expect", check->arg);
	const struct op_arg *arg = &s->arg[at];
	char place[128];

	op_json_open(j, NULL, '{');
	op_json_number(j, "argument", (uint64_t)at);
	op_json_string(j, "name", s->label[at]);
	op_json_string(j, "expected", check->value);
	op_json_bool(j, "right", !c->wrong);
	op_json_number(j, "elements", c->count);
	op_json_number(j, "different", c->wrong);
	op_json_real(j, "max_difference", c->max_abs, 17);
	op_json_real(j, "max_relative", c->max_rel, 17);
	if (c->max_ulp == UINT64_MAX)
		op_json_string(j, "max_ulp", "nan");
	else
		op_json_number(j, "max_ulp", c->max_ulp);
	op_json_open(j, "mismatches", '[');
	for (unsigned int n = 0; n < c->shown; n++) {
		op_index(arg, c->index[n], place, sizeof(place));
		op_json_open(j, NULL, '{');
		op_json_string(j, "index", place);
		json_element(j, "got", arg, c->index[n]);
		json_element(j, "expected", &c->want, c->index[n]);
		op_json_close(j, '{');
	}
	op_json_close(j, '[');
	op_json_close(j, '{');
}

static void json_count(struct op_json *j, const struct op_count *c, const char *key)
{
	op_json_open(j, NULL, '{');
	op_json_string(j, key, c->what);
	if (strcmp(key, "pipe"))
		op_json_string(j, "pipe", op_pipe_name(c->pipe));
	op_json_number(j, "count", c->count);
	op_json_number(j, "ns", c->ns);
	op_json_number(j, "bytes", c->bytes);
	op_json_number(j, "flops", c->flops);
	op_json_close(j, '{');
}

static void json_profile(struct op_json *j, const struct op_session *s)
{
	struct op_count pipe[ANPU_PIPE_COUNT];
	const struct op_count *kind;
	size_t n;

	kind = op_profile_sum(s->profile, &s->result, pipe, &n);
	op_json_open(j, "pipes", '[');
	for (unsigned int i = 0; i < ANPU_PIPE_COUNT; i++)
		if (i != ANPU_PIPE_ALL && (pipe[i].count || pipe[i].ns))
			json_count(j, &pipe[i], "pipe");
	op_json_close(j, '[');
	op_json_open(j, "operations", '[');
	for (size_t i = 0; i < n; i++)
		json_count(j, &kind[i], "operation");
	op_json_close(j, '[');
}

static void json_fault(struct op_json *j, const struct op_session *s)
{
	const struct core_fault *f = &s->result.fault;
	uint64_t at = file_address(s, f->pc);
	const struct anpu_elf_symbol *function = f->pc ? anpu_elf_function_at(s->image, at) : NULL;
	struct op_line line;

	op_json_open(j, "fault", '{');
	op_json_string(j, "cause", cause_name(f->cause));
	op_json_string(j, "message", f->message);
	op_json_number(j, "block", s->result.block);
	op_json_number(j, "sub_block", s->result.sub_block);
	op_json_number(j, "core", s->result.core);
	if (function) {
		op_json_string(j, "function", function->name);
		op_json_number(j, "offset", at - function->value);
	}
	if (f->pc && !op_lines_at(s->lines, at, &line)) {
		op_json_string(j, "file", line.file);
		op_json_number(j, "line", line.line);
	}
	op_json_number(j, "pc", f->pc);
	op_json_number(j, "instruction", f->insn);
	if (f->access) {
		op_json_string(j, "access", access_name(f->access));
		op_json_number(j, "address", f->addr);
		op_json_number(j, "size", f->size);
	}
	op_json_close(j, '{');
}

static void json_run(struct op_json *j, const struct op_session *s)
{
	uint64_t least, median;

	op_json_number(j, "blocks", op_blocks(&s->launch));
	op_json_number(j, "sub_blocks", is_mix(s) ? 1 + s->launch.mix_ratio : 1);
	op_json_number(j, "threads", s->launch.threads);
	op_json_number(j, "instructions", s->result.insns);
	op_json_number(j, "tile_operations", s->result.tiles);
	op_json_number(j, "runs", s->runs);
	times(s, &least, &median);
	op_json_number(j, "least_ns", least);
	op_json_number(j, "median_ns", median);
	if (!(s->launch.flags & ANPU_KERNEL_OVERFLOW))
		return;
	op_json_open(j, "overflow", '{');
	op_json_bool(j, "infinite", s->result.overflow & ANPU_OVERFLOW_INFINITE);
	op_json_bool(j, "nan", s->result.overflow & ANPU_OVERFLOW_INVALID);
	op_json_close(j, '{');
}

void op_report_json(const struct op_session *s, FILE *out, int status)
{
	static const char *const names[] = { "right", "wrong", "usage", "fault", "output" };
	struct op_json j = { .out = out };

	op_json_open(&j, NULL, '{');
	op_json_string(&j, "operator", s->options.file);
	op_json_string(&j, "kernel", s->options.kernel);
	op_json_string(&j, "status", names[status]);
	op_json_number(&j, "exit_status", (uint64_t)status);
	json_run(&j, s);
	if (!s->good)
		json_fault(&j, s);
	op_json_open(&j, "tensors", '[');
	for (unsigned int i = 0; s->good && i < s->options.arg_count; i++)
		if (s->arg[i].kind == OP_TENSOR)
			json_tensor(&j, s, i);
	op_json_close(&j, '[');
	op_json_open(&j, "checks", '[');
	for (unsigned int i = 0; i < s->options.checks; i++)
		if (s->compared[i])
			json_check(&j, s, i);
	op_json_close(&j, '[');
	if (s->profile && s->good)
		json_profile(&j, s);
	op_json_text(&j, "printed", s->text ? s->text : "", s->text_size);
	op_json_close(&j, '{');
}
