/* SPDX-License-Identifier: MIT */
/* Traces of an operator, instruction by instruction, and listings of its code. */
#ifndef OP_TRACE_H
#define OP_TRACE_H

#include <stdio.h>

#include "acl/launch/elf.h"
#include "op/view/disasm.h"
#include "op/view/lines.h"
#include "op/run.h"

#define OP_ALL_BLOCKS (~0u)

/**
 * struct op_trace - a trace that is being written
 * @out: where to
 * @tiles: only tile operations and custom-1 operations
 * @block: only this one, or OP_ALL_BLOCKS
 * @function: only code of this function, or NULL
 * @limit: instructions to show, then the rest runs at full speed
 * @image: for symbols; it lies at @base
 * @lines: or NULL
 * @memory: for the names of addresses
 *
 * The rest is op_trace's own.
 */
struct op_trace {
	FILE *out;
	bool tiles;
	uint32_t block;
	const char *function;
	uint64_t limit;
	const struct anpu_image *image;
	uint64_t base;
	struct op_lines *lines;
	const struct op_memory *memory;

	uint64_t shown;
	bool show;
	bool mix;
	uint32_t last_block;
	uint32_t last_sub;
	const char *last_file;
	unsigned int last_line;
	struct core_state state;
	struct op_disasm insn;
	char operands[512];
	struct op_watcher watcher;
};

/** op_trace_watcher() - for op_launch.watcher; @mix: blocks have sub-blocks */
const struct op_watcher *op_trace_watcher(struct op_trace *t, bool mix);

/**
 * op_list_code() - disassemble with source lines
 * @name: a function, or NULL for all
 *
 * Return: functions listed
 */
unsigned int op_list_code(FILE *out, const struct anpu_image *image, struct op_lines *lines,
			  const char *name);

#endif /* OP_TRACE_H */
