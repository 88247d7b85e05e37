/* SPDX-License-Identifier: MIT */
/* Decoding the operands of tile operations, for traces and profiles. */
#ifndef OP_TILE_H
#define OP_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct op_viewer - how to look at the operator's memory
 * @peek: reads memory; false if it cannot be read
 * @name: writes a short name of a GM address
 */
struct op_viewer {
	void *ctx;
	bool (*peek)(void *ctx, uint64_t va, uint64_t size, void *to);
	void (*name)(void *ctx, uint64_t va, char *text, size_t size);
};

/**
 * struct op_tile - one tile operation
 * @what: operation, sub-operation and type, "VBIN ADD F32"
 * @pipe: enum anpu_pipe
 * @bytes: that are copied, or that the result of a vector or cube operation has
 * @flops: of MMAD
 */
struct op_tile {
	char what[40];
	unsigned int pipe;
	uint64_t bytes;
	uint64_t flops;
};

/** op_tile_decode() - @operand are the values of rs1, rs2, rs3, rd */
void op_tile_decode(unsigned int op, const uint64_t operand[4], const struct op_viewer *view,
		    struct op_tile *t);

/** op_tile_text() - the operands with their roles: "dst=UB+0x40 src=UB+0x0 F32 x16" */
void op_tile_text(unsigned int op, const uint64_t operand[4], const struct op_viewer *view,
		  char *text, size_t size);

/** op_sys_text() - the same for a custom-1 operation: "MTE2 to V, event 3" */
void op_sys_text(unsigned int op, const uint64_t operand[2], const struct op_viewer *view,
		 char *text, size_t size);

/** op_sys_name() - "SETFLAG", or NULL */
const char *op_sys_name(unsigned int op);
/** op_pipe_name() - "MTE2" */
const char *op_pipe_name(unsigned int pipe);

/** op_address() - an address as window+offset, or as @view names it */
void op_address(uint64_t va, const struct op_viewer *view, char *text, size_t size);

#endif /* OP_TILE_H */
