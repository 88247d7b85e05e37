// SPDX-License-Identifier: MIT
/*
 * Verdicts on operators for programs: one JSON object for each case. A case is compiled if it is a source, runs
 * once as it is and once in the checking mode.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op/json.h"
#include "op/judge/judge.h"
#include "op/options.h"

#define WORDS	  256
#define LINE_MAX_ 65536

/** struct judge - options; @lock: for standard output, shared by the processes */
struct judge {
	const char *batch;
	const char *compiler;
	unsigned int jobs;
	struct op_limits limits;
	sem_t *lock;
	op_operate *operate;
};

/* A case ---------------------------------------------------------------------------------------- */

static bool is_source(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && (!strcmp(dot, ".c") || !strcmp(dot, ".cpp") || !strcmp(dot, ".cc") || !strcmp(dot, ".cxx") ||
		       !strcmp(dot, ".asc"));
}

static const char *verdict_of(const struct op_output *run, const struct op_output *check)
{
	static const char *const names[] = { "right", "wrong", "refused", "fault", "output" };

	if (run->status < 0)
		return run->why;
	if (run->status)
		return run->status <= OP_EXIT_OUTPUT ? names[run->status] : "crash";
	if (check->status < 0)
		return check->why;
	if (check->status == OP_EXIT_OUTPUT)
		return names[OP_EXIT_OUTPUT];
	/* right by luck: on a core whose pipes run side by side it may not be */
	return check->status == OP_EXIT_FAULT ? "findings" : "right";
}

static void put_part(struct op_json *out, const char *key, const struct op_output *o)
{
	size_t n = o->json_size;

	while (n && (o->json[n - 1] == '\n' || o->json[n - 1] == ' '))
		n--;
	if (o->status >= 0 && n && o->json[0] == '{' && o->json[n - 1] == '}') {
		o->json[n] = 0;
		/* one verdict is one line */
		for (char *c = o->json; *c; c++)
			if (*c == '\n')
				*c = ' ';
		op_json_raw(out, key, o->json);
	} else if (o->status < 0) {
		op_json_open(out, key, '{');
		op_json_string(out, "status", o->why);
		op_json_close(out, '{');
	}
}

static void put_text(struct op_json *out, const char *key, const struct op_output *o)
{
	if (o->errors_size)
		op_json_text(out, key, o->errors, o->errors_size);
}

/* Compiles @source to @object; false if it does not compile. The diagnostics go into the verdict */
static bool compile(const struct judge *j, const char *source, char *object, struct op_json *out)
{
	char *argv[] = { (char *)(uintptr_t)j->compiler, "-g", "-o", object, (char *)(uintptr_t)source, NULL };
	struct op_output o;
	uint64_t begun = op_now();
	bool good;

	op_process_run(&j->limits, NULL, 5, argv, &o);
	good = o.status == 0;
	op_json_open(out, "compile", '{');
	op_json_string(out, "status", good ? "compiled" : o.status < 0 ? o.why : "failed");
	op_json_real(out, "seconds", (double)(op_now() - begun) * 1e-9, 3);
	put_text(out, "diagnostics", &o);
	op_json_close(out, '{');
	op_output_free(&o);
	return good;
}

/* Whether the checking mode, which takes longer, can say more of a case that ended like this */
static bool worth_checking(const struct op_output *run)
{
	return run->status >= 0 && run->status != OP_EXIT_OUTPUT;
}

/* Runs the case, and again in the checking mode if that can say more; returns the verdict */
static const char *run_case(const struct judge *j, char **words, unsigned int count, struct op_json *out)
{
	char *argv[WORDS + 8], timeout[32], output[40];
	struct op_output run, check = { .status = -1 };
	const char *verdict;
	unsigned int n = 0;
	bool checked;

	snprintf(timeout, sizeof(timeout), "--timeout=%u", j->limits.seconds > 1 ? j->limits.seconds - 1 : 1);
	snprintf(output, sizeof(output), "--output=%zu", j->limits.print);
	argv[n++] = "anpu-op";
	argv[n++] = "--json";
	argv[n++] = timeout;
	argv[n++] = output;
	argv[n++] = "--profile";
	memcpy(&argv[n], words, count * sizeof(*words));
	argv[n + count] = NULL;
	op_process_run(&j->limits, j->operate, (int)(n + count), argv, &run);
	argv[n - 1] = "--check";
	checked = worth_checking(&run);
	if (checked)
		op_process_run(&j->limits, j->operate, (int)(n + count), argv, &check);
	verdict = verdict_of(&run, &check);
	put_part(out, "run", &run);
	if (checked)
		put_part(out, "check", &check);
	put_text(out, "messages", &run);
	if (check.status != run.status)
		put_text(out, "check_messages", &check);
	op_output_free(&run);
	op_output_free(&check);
	return verdict;
}

/* The first word that is no option: the operator's file */
static int find_file(char **words, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (words[i][0] != '-')
			return (int)i;
	return -1;
}

static bool judge_case(const struct judge *j, unsigned int number, char **words, unsigned int count)
{
	char object[] = "/tmp/anpu-judge-XXXXXX.o", *text = NULL;
	const char *verdict = "refused";
	int file = find_file(words, count), fd = -1;
	uint64_t begun = op_now();
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	struct op_json out = { .out = memory };
	bool good = true;

	if (!memory)
		return false;
	op_json_open(&out, NULL, '{');
	op_json_number(&out, "case", number);
	op_json_string(&out, "file", file < 0 ? "" : words[file]);
	if (file >= 0 && is_source(words[file])) {
		fd = mkstemps(object, 2);
		good = fd >= 0 && compile(j, words[file], object, &out);
		verdict = "compile";
		words[file] = object;
	}
	if (good && file >= 0)
		verdict = run_case(j, words, count, &out);
	op_json_string(&out, "verdict", verdict);
	op_json_real(&out, "seconds", (double)(op_now() - begun) * 1e-9, 6);
	op_json_close(&out, '{');
	fclose(memory);
	for (char *c = text; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	sem_wait(j->lock);
	printf("%s\n", text ? text : "{}");
	fflush(stdout);
	sem_post(j->lock);
	free(text);
	if (fd >= 0) {
		close(fd);
		unlink(object);
	}
	return !strcmp(verdict, "right");
}

/* Many cases -------------------------------------------------------------------------------------- */

/* Splits a line at blanks that are not in quotes */
static unsigned int split(char *line, char **words)
{
	unsigned int count = 0;
	char *to = line, quote = 0;
	bool inside = false;

	for (char *from = line;; from++) {
		char c = *from;

		if (!c || (!quote && (c == ' ' || c == '\t' || c == '\n'))) {
			if (inside)
				*to++ = 0;
			inside = false;
			if (!c)
				break;
			continue;
		}
		if (!inside && count == WORDS)
			break;
		if (!inside)
			words[count++] = to;
		inside = true;
		if (quote ? c == quote : c == '\'' || c == '"')
			quote = quote ? 0 : c;
		else
			*to++ = c;
	}
	return count;
}

/* The cases of one job: each @jobs-th from @first on. Returns how many are not right */
static unsigned int run_share(const struct judge *j, unsigned int first)
{
	FILE *f = strcmp(j->batch, "-") ? fopen(j->batch, "r") : stdin;
	static char line[LINE_MAX_];
	char *words[WORDS];
	unsigned int number = 0, bad = 0, count;

	if (!f) {
		fprintf(stderr, "anpu-op: '%s' cannot be read: %s\n", j->batch, strerror(errno));
		return 1;
	}
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#' || !line[strspn(line, " \t\n")])
			continue;
		if (number++ % j->jobs != first)
			continue;
		count = split(line, words);
		bad += !judge_case(j, number, words, count);
	}
	fclose(f);
	return bad;
}

static int run_batch(const struct judge *j)
{
	unsigned int bad = 0;
	int status;

	for (unsigned int i = 0; i < j->jobs; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(run_share(j, i) != 0);
		bad += pid < 0;
	}
	while (wait(&status) > 0)
		bad += status != 0;
	return bad != 0;
}

static int usage(void)
{
	fputs("usage: anpu-op judge [--seconds=N] [--memory=MIB] [--output=BYTES] [--compiler=ANPUCC]\n"
	      "                     [OPTION...] FILE KERNEL [ARGUMENT...]\n"
	      "       anpu-op judge ... --batch=CASES [--jobs=N]\n"
	      "FILE is a source (*.c, *.cpp) or an operator (*.o); OPTION and ARGUMENT are those of anpu-op. CASES has\n"
	      "such a line for each case. Each gives one line of JSON; the exit status is 0 if all are right.\n", stderr);
	return 2;
}

static bool number_of(const char *text, const char *name, unsigned int *value)
{
	size_t n = strlen(name);
	char *end;
	long v;

	if (strncmp(text, name, n))
		return false;
	v = strtol(text + n, &end, 10);
	if (*end || v < 1 || v > 1 << 20) {
		fprintf(stderr, "anpu-op: judge: '%s' needs a number above 0\n", text);
		exit(2);
	}
	*value = (unsigned int)v;
	return true;
}

int op_judge(int argc, char **argv, op_operate *operate)
{
	struct judge j = { .compiler = "anpucc", .jobs = 1, .limits = { .seconds = 10, .megabytes = 4096 }, .operate = operate };
	unsigned int print = 1 << 20;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--batch=", 8))
			j.batch = argv[i] + 8;
		else if (!strncmp(argv[i], "--compiler=", 11))
			j.compiler = argv[i] + 11;
		else if (!number_of(argv[i], "--jobs=", &j.jobs) && !number_of(argv[i], "--seconds=", &j.limits.seconds) &&
			 !number_of(argv[i], "--memory=", &j.limits.megabytes) && !number_of(argv[i], "--output=", &print))
			break;
	}
	j.limits.print = print;
	j.lock = mmap(NULL, sizeof(*j.lock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (j.lock == MAP_FAILED || sem_init(j.lock, 1, 1)) {
		fprintf(stderr, "anpu-op: judge: no shared memory: %s\n", strerror(errno));
		return 2;
	}
	if (j.batch ? i < argc : argc - i < 2)
		return usage();
	if (j.batch && !strcmp(j.batch, "-") && j.jobs > 1) {
		fprintf(stderr, "anpu-op: judge: cases from standard input are for one job\n");
		return 2;
	}
	return j.batch ? run_batch(&j) : !judge_case(&j, 1, argv + i, (unsigned int)(argc - i));
}
