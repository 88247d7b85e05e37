/* SPDX-License-Identifier: MIT */
/* Source lines of an operator's instructions, from its debug information. */
#ifndef OP_LINES_H
#define OP_LINES_H

#include <stddef.h>
#include <stdint.h>

struct op_lines;

/**
 * struct op_line - a place in a source
 * @file: as the compiler saw it
 * @line: from 1
 * @text: the line itself, or NULL if the source was not found
 */
struct op_line {
	const char *file;
	unsigned int line;
	const char *text;
};

/**
 * op_lines_open() - read the lines of an operator file
 * @path: the file; sources with relative names are looked for beside it, too
 * @why: why there are none: a sentence
 *
 * Return: NULL if there are none
 */
struct op_lines *op_lines_open(const char *path, char *why, size_t size);
void op_lines_close(struct op_lines *lines);

/** op_lines_at() - the place of the instruction at @address (as in the file), or -1 */
int op_lines_at(struct op_lines *lines, uint64_t address, struct op_line *line);

#endif /* OP_LINES_H */
