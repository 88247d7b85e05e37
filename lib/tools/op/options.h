/* SPDX-License-Identifier: MIT */
/* The command line of anpu-op. */
#ifndef OP_OPTIONS_H
#define OP_OPTIONS_H

#include "op/tensor/compare.h"
#include "op/run.h"

#define OP_MAX_ARGS   128
#define OP_MAX_CHECKS 128

/* exit statuses */
enum { OP_EXIT_RIGHT, OP_EXIT_WRONG, OP_EXIT_USAGE, OP_EXIT_FAULT, OP_EXIT_OUTPUT };

/**
 * struct op_check - an --expect or --write
 * @arg: number or name of the argument
 * @value: what it must be, or the file
 * @tolerance: of --expect
 */
struct op_check {
	char arg[64];
	const char *value;
	bool write;
};

/**
 * struct op_options - what the command line says
 * @launch: the part that says how to run
 * @repeat: runs
 * @print: elements of each tensor to show
 * @output: bytes that the operator may print, 0 for any number
 * @mismatches: differences to show
 * @cast: arguments may have other types than the parameters
 * @trace_tiles: and the rest: see struct op_trace
 */
struct op_options {
	struct op_launch launch;
	uint64_t seed;
	unsigned int repeat;
	size_t print, output;
	unsigned int mismatches;
	struct op_tolerance tolerance;
	struct op_check check[OP_MAX_CHECKS];
	unsigned int checks;
	bool quiet, verbose, profile, json, list, disassemble, trace, cast;
	bool trace_tiles;
	uint32_t trace_block;
	uint64_t trace_limit;
	uint64_t slack;
	const char *trace_function, *trace_file, *json_file, *gdb;
	const char *file, *kernel;
	char **args;
	unsigned int arg_count;
};

/** op_options_parse() - 0, or -1 after printing what is wrong; ends the program after --help */
int op_options_parse(int argc, char **argv, struct op_options *o);
/* Refuses a cluster that does not divide the grid: -1, and says why */
int op_check_cluster(const struct op_launch *l);

#endif /* OP_OPTIONS_H */
