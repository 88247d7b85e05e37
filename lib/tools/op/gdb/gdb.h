/* SPDX-License-Identifier: MIT */
/* A remote stub for gdb (--gdb): the operator stops where gdb says; blocks are threads. */
#ifndef OP_GDB_H
#define OP_GDB_H

#include "op/run.h"

struct op_gdb;

/**
 * op_gdb_new() - wait for a gdb to connect
 * @where: "-": standard input and output are the connection, and standard output becomes standard error; or a port of this
 *	machine
 * @subs: parts of a block
 * @offset: address of the operator's code minus its address in the file
 *
 * Return: NULL after printing why not
 */
struct op_gdb *op_gdb_new(const char *where, unsigned int subs, uint64_t offset);
const struct op_watcher *op_gdb_watcher(struct op_gdb *g);
/** op_gdb_end() - tell gdb that the operator has ended with @status; NULL is nobody */
void op_gdb_end(struct op_gdb *g, int status);

/* gdb_link.c: packets over a connection */

struct gdb_link {
	int in, out;
	bool no_ack;
	bool closed;
	char text[16400];	/* the packet that has come, terminated */
	size_t size;
};

bool gdb_link_open(struct gdb_link *l, const char *where);
void gdb_link_close(struct gdb_link *l);
/* The next packet is in l->text; false: the connection has ended. A packet "\3" asks for a stop */
bool gdb_receive(struct gdb_link *l);
void gdb_send(struct gdb_link *l, const char *text, size_t size);
/* Has gdb sent that the operator is to stop? */
bool gdb_interrupted(struct gdb_link *l);

#endif
