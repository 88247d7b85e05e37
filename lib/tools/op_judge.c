// SPDX-License-Identifier: MIT
/*
 * Verdicts on operators for programs: one JSON object for each case. A case is compiled if it is a source, runs
 * once in the checking mode and once without, each in a process of its own with limits of time, memory and
 * output, so that an operator which never ends, or fills the memory, costs its own verdict only.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "op_judge.h"
#include "op_json.h"
#include "op_options.h"

#define WORDS	  256
#define LINE_MAX_ 65536
#define PIECE	  65536

/* What anpu-op itself writes, in JSON, and how long a byte that the operator prints can get there */
#define OWN_TEXT  (1 << 20)
#define PER_BYTE  8

/**
 * struct output - what a process wrote
 * @json: its standard output, @errors: its standard error; both end with a zero
 * @status: exit status, or -1 with @why
 */
struct output {
	char *json, *errors;
	size_t json_size, errors_size;
	int status;
	const char *why;
};

/** struct judge - options; @lock: for standard output, shared by the processes */
struct judge {
	const char *batch;
	const char *compiler;
	unsigned int jobs;
	unsigned int seconds;
	unsigned int megabytes;
	size_t print;
	sem_t *lock;
	int (*operate)(int argc, char **argv);
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Processes ------------------------------------------------------------------------------------- */

static void limit(int resource, rlim_t value)
{
	struct rlimit r = { value, value };

	(void)setrlimit(resource, &r);
}

/* In the child: runs anpu-op, or the compiler if there is no @operate */
static void run_child(const struct judge *j, int argc, char **argv, int out, int errors, bool compile)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0); /* so that programs which the compiler starts end with it */
	dup2(null, 0);
	dup2(out, 1);
	dup2(errors, 2);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, j->seconds + 1);
	limit(RLIMIT_AS, (rlim_t)j->megabytes << 20);
	limit(RLIMIT_FSIZE, 64 << 20);
	if (compile) {
		execvp(argv[0], argv);
		fprintf(stderr, "%s cannot be started: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	int status = j->operate(argc, argv);

	/* exit() would move the file of cases, which the parent reads, back */
	fflush(stdout);
	fflush(stderr);
	_exit(status);
}

/* Reads one more piece of output; false at the end, or when that is more than the limit */
static bool take(int fd, char **text, size_t *size, size_t most)
{
	char piece[PIECE];
	ssize_t n = read(fd, piece, sizeof(piece));
	char *more;

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0 || *size + (size_t)n > most)
		return false;
	more = realloc(*text, *size + (size_t)n + 1);
	if (!more)
		return false;
	memcpy(more + *size, piece, (size_t)n);
	*text = more;
	*size += (size_t)n;
	more[*size] = 0;
	return true;
}

/* Reads until both pipes are closed, too much has come, or the time is up */
static const char *collect(const struct judge *j, struct pollfd *p, struct output *o)
{
	size_t most = OWN_TEXT + PER_BYTE * j->print;
	double end = now() + j->seconds;
	unsigned int open_pipes = 2;

	while (open_pipes) {
		double left = end - now();

		if (left <= 0)
			return "timeout";
		if (poll(p, 2, (int)(left * 1000) + 1) <= 0)
			continue;
		for (unsigned int i = 0; i < 2; i++) {
			char **text = i ? &o->errors : &o->json;
			size_t *size = i ? &o->errors_size : &o->json_size;

			if (!p[i].revents)
				continue;
			if (take(p[i].fd, text, size, most))
				continue;
			if (*size + PIECE > most)
				return "output";
			p[i].fd = -1;
			open_pipes--;
		}
	}
	return NULL;
}

static void run_process(const struct judge *j, int argc, char **argv, bool compile, struct output *o)
{
	int out[2], errors[2], status = 0;
	struct pollfd p[2];
	pid_t pid;

	*o = (struct output){ .status = -1, .why = "host" };
	if (pipe(out))
		return;
	if (pipe(errors)) {
		close(out[0]);
		close(out[1]);
		return;
	}
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(out[0]);
		close(errors[0]);
		run_child(j, argc, argv, out[1], errors[1], compile);
	}
	close(out[1]);
	close(errors[1]);
	if (pid > 0) {
		p[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
		p[1] = (struct pollfd){ .fd = errors[0], .events = POLLIN };
		o->why = collect(j, p, o);
		if (o->why)
			kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (!o->why && WIFEXITED(status))
			o->status = WEXITSTATUS(status);
		else if (!o->why)
			o->why = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "timeout" : "crash";
	}
	close(out[0]);
	close(errors[0]);
}

static void free_output(struct output *o)
{
	free(o->json);
	free(o->errors);
}

/* A case ---------------------------------------------------------------------------------------- */

static bool is_source(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && (!strcmp(dot, ".c") || !strcmp(dot, ".cpp") || !strcmp(dot, ".cc") || !strcmp(dot, ".cxx") ||
		       !strcmp(dot, ".asc"));
}

static const char *verdict_of(const struct output *run, const struct output *check)
{
	static const char *const names[] = { "right", "wrong", "refused", "fault", "output" };

	if (run->status < 0)
		return run->why;
	if (run->status)
		return run->status < 5 ? names[run->status] : "crash";
	if (check->status < 0)
		return check->why;
	if (check->status == OP_EXIT_OUTPUT)
		return names[OP_EXIT_OUTPUT];
	/* right by luck: on a core whose pipes run side by side it may not be */
	return check->status == OP_EXIT_FAULT ? "findings" : "right";
}

static void put_part(struct op_json *out, const char *key, const struct output *o)
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

static void put_text(struct op_json *out, const char *key, const struct output *o)
{
	if (o->errors_size)
		op_json_text(out, key, o->errors, o->errors_size);
}

/* Compiles @source to @object; false if it does not compile. The diagnostics go into the verdict */
static bool compile(const struct judge *j, const char *source, char *object, struct op_json *out)
{
	char *argv[] = { (char *)(uintptr_t)j->compiler, "-g", "-o", object, (char *)(uintptr_t)source, NULL };
	struct output o;
	double begun = now();
	bool good;

	run_process(j, 5, argv, true, &o);
	good = o.status == 0;
	op_json_open(out, "compile", '{');
	op_json_string(out, "status", good ? "compiled" : o.status < 0 ? o.why : "failed");
	op_json_real(out, "seconds", now() - begun, 3);
	put_text(out, "diagnostics", &o);
	op_json_close(out, '{');
	free_output(&o);
	return good;
}

/* Whether the checking mode, which takes longer, can say more of a case that ended like this */
static bool worth_checking(const struct output *run)
{
	return run->status >= 0 && run->status != OP_EXIT_OUTPUT;
}

/* Runs the case twice; returns the verdict */
static const char *run_case(const struct judge *j, char **words, unsigned int count, struct op_json *out)
{
	char *argv[WORDS + 8], timeout[32], output[40];
	struct output run, check = { .status = -1 };
	const char *verdict;
	unsigned int n = 0;

	snprintf(timeout, sizeof(timeout), "--timeout=%u", j->seconds > 1 ? j->seconds - 1 : 1);
	snprintf(output, sizeof(output), "--output=%zu", j->print);
	argv[n++] = "anpu-op";
	argv[n++] = "--json";
	argv[n++] = timeout;
	argv[n++] = output;
	argv[n++] = "--profile";
	memcpy(&argv[n], words, count * sizeof(*words));
	argv[n + count] = NULL;
	run_process(j, (int)(n + count), argv, false, &run);
	argv[n - 1] = "--check";
	if (worth_checking(&run))
		run_process(j, (int)(n + count), argv, false, &check);
	verdict = verdict_of(&run, &check);
	put_part(out, "run", &run);
	if (worth_checking(&run))
		put_part(out, "check", &check);
	put_text(out, "messages", &run);
	if (check.status != run.status)
		put_text(out, "check_messages", &check);
	free_output(&run);
	free_output(&check);
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
	double begun = now();
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
	op_json_real(&out, "seconds", now() - begun, 6);
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

int op_judge(int argc, char **argv, int (*operate)(int argc, char **argv))
{
	struct judge j = { .compiler = "anpucc", .jobs = 1, .seconds = 10, .megabytes = 4096, .operate = operate };
	unsigned int print = 1 << 20;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--batch=", 8))
			j.batch = argv[i] + 8;
		else if (!strncmp(argv[i], "--compiler=", 11))
			j.compiler = argv[i] + 11;
		else if (!number_of(argv[i], "--jobs=", &j.jobs) && !number_of(argv[i], "--seconds=", &j.seconds) &&
			 !number_of(argv[i], "--memory=", &j.megabytes) && !number_of(argv[i], "--output=", &print))
			break;
	}
	j.print = print;
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
