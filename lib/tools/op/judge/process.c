// SPDX-License-Identifier: MIT
/*
 * Processes with limits of time, memory and output, so that an operator which never ends, or fills the memory, costs its own
 * verdict only.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op/judge/process.h"
#include "op/run.h"

#define PIECE	  65536

/* Room for anpu-op's own JSON, and for each byte that the operator prints, which may become an escape there */
#define OWN_TEXT  (1 << 20)
#define PER_BYTE  8

static void limit(int resource, rlim_t value)
{
	struct rlimit r = { value, value };

	(void)setrlimit(resource, &r);
}

/* In the child: runs @operate, or the program that is named first */
static void run_child(const struct op_limits *l, op_operate *operate, int argc, char **argv, int out, int errors)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0); /* so that programs which the compiler starts end with it */
	dup2(null, 0);
	dup2(out, 1);
	dup2(errors, 2);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, l->seconds + 1);
	limit(RLIMIT_AS, (rlim_t)l->megabytes << 20);
	limit(RLIMIT_FSIZE, 64 << 20);
	if (!operate) {
		execvp(argv[0], argv);
		fprintf(stderr, "%s cannot be started: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	int status = operate(argc, argv);

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
static const char *collect(const struct op_limits *l, struct pollfd *p, struct op_output *o)
{
	size_t most = OWN_TEXT + PER_BYTE * l->print;
	uint64_t end = op_now() + l->seconds * 1000000000ULL;
	unsigned int open_pipes = 2;

	while (open_pipes) {
		uint64_t now = op_now();

		if (now >= end)
			return "timeout";
		if (poll(p, 2, (int)((end - now) / 1000000) + 1) <= 0)
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

void op_process_run(const struct op_limits *l, op_operate *operate, int argc, char **argv, struct op_output *o)
{
	int out[2], errors[2], status = 0;
	struct pollfd p[2];
	pid_t pid;

	*o = (struct op_output){ .status = -1, .why = "host" };
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
		run_child(l, operate, argc, argv, out[1], errors[1]);
	}
	close(out[1]);
	close(errors[1]);
	if (pid > 0) {
		p[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
		p[1] = (struct pollfd){ .fd = errors[0], .events = POLLIN };
		o->why = collect(l, p, o);
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

void op_output_free(struct op_output *o)
{
	free(o->json);
	free(o->errors);
}
