/* SPDX-License-Identifier: MIT */
/* A process of its own for each run of an operator or of the compiler. */
#ifndef OP_JUDGE_PROCESS_H
#define OP_JUDGE_PROCESS_H

#include <stddef.h>

/**
 * struct op_limits - what a process may take
 * @seconds: on the clock, and of a processor; @megabytes: of address space
 * @print: bytes that the operator may print
 */
struct op_limits {
	unsigned int seconds, megabytes;
	size_t print;
};

/**
 * struct op_output - what a process wrote
 * @json: its standard output, @errors: its standard error; both end with a zero
 * @status: exit status, or -1 with @why
 */
struct op_output {
	char *json, *errors;
	size_t json_size, errors_size;
	int status;
	const char *why;
};

/** op_operate - what anpu-op does with a command line; returns the exit status */
typedef int op_operate(int argc, char **argv);

/**
 * op_process_run() - run @operate in a process with limits, and keep what it writes
 * @operate: or NULL, then the program that argv[0] names is run
 */
void op_process_run(const struct op_limits *l, op_operate *operate, int argc, char **argv, struct op_output *o);
/** op_output_free() - free what op_process_run() kept */
void op_output_free(struct op_output *o);

#endif /* OP_JUDGE_PROCESS_H */
