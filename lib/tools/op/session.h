/* SPDX-License-Identifier: MIT */
/* One use of anpu-op: an operator, a kernel of it, its arguments, and the results. */
#ifndef OP_SESSION_H
#define OP_SESSION_H

#include "acl/launch/elf.h"
#include "op/json.h"
#include "op/options.h"
#include "op/view/profile.h"
#include "op/view/trace.h"

/**
 * struct op_session - everything
 * @launch: options.launch with what the kernel adds
 * @base: address of the image
 * @name: of the arguments, "argument 2 (z)", and @label "z"
 * @region: of each tensor
 * @ns: of each run
 * @runs: that have been made
 * @text: what the operator printed, if it is wanted later; @text_size bytes
 * @text_out: where it goes to; @printed: bytes of the first run, with those that are beyond options.output
 * @good: the last run did not fault; else @result has the fault
 * @param_count: arguments of the kernel; behind them stand the members of lists
 * @comparison: by options.check; @compared: those that have been made
 */
struct op_session {
	struct op_options options;
	struct op_launch launch;
	struct anpu_image *image;
	struct op_lines *lines;
	struct anpu_elf_kernel kernel;
	struct op_memory memory;
	uint64_t base;
	struct op_arg arg[OP_MAX_ARGS];
	char name[OP_MAX_ARGS][96];
	char label[OP_MAX_ARGS][64];
	struct op_region *region[OP_MAX_ARGS];
	unsigned int param_count;
	struct op_profile *profile;
	struct op_trace trace;
	struct gdb *gdb;
	struct op_result result;
	uint64_t *ns;
	unsigned int runs;
	char *text;
	size_t text_size;
	FILE *text_out;
	size_t printed;
	bool good;
	struct op_comparison comparison[OP_MAX_CHECKS];
	bool compared[OP_MAX_CHECKS];
};

/* place.c: operator and arguments into the operator's memory */

/** op_kernel_param() - parameter @i of a kernel, false if the file does not tell */
bool op_kernel_param(const struct anpu_elf_kernel *kernel, unsigned int i,
		     struct anpu_meta_param *param);
/** op_parse_args() - the command line's arguments; 0 or -1 after printing why not */
int op_parse_args(struct op_session *s);
/** op_place() - image and arguments into memory; 0 or -1 after printing why not */
int op_place(struct op_session *s);
/** op_fetch() - the tensors back from memory */
void op_fetch(struct op_session *s);

/* kernels.c: the kernels of the file */

/** op_list_kernels() - print them with their parameters */
void op_list_kernels(const struct anpu_image *image, bool json);
/** op_no_kernel() - print that there is no such kernel, and which ones there are */
void op_no_kernel(const struct anpu_image *image, const char *file, const char *name);
/** op_find_arg() - the argument that a number or a parameter's name means, or -1 with a message */
int op_find_arg(const struct op_session *s, const char *option, const char *text);
/** op_nearest() - the one of @count words that is likely to be meant, or NULL */
const char *op_nearest(const char *word, const char *const *words, size_t count);

/* report.c: results */

void op_report_fault(const struct op_session *s);
/** op_report() - tensors, counts, times, profile */
void op_report(const struct op_session *s);
/** op_report_json() - everything; @status: the exit status */
void op_report_json(const struct op_session *s, FILE *out, int status);

#endif /* OP_SESSION_H */
