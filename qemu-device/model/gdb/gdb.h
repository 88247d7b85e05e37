/* SPDX-License-Identifier: MIT */
/*
 * A remote stub for gdb: blocks of operators, and threads of these, are gdb's threads. All of them stop together.
 *
 * A thread of the stub's own has the connection. Whoever runs blocks asks gdb_turn() before each run of one, which waits
 * while gdb has stopped them, and runs it by gdb_run(). So no block is inside of the core, and no thread uses memory of
 * operators, while gdb looks at them. Documentation/debugging.md has what users see.
 *
 * The lock of a stub is the last one that a thread may take; the stub holds it while it calls gdb_ops.inside.
 */
#ifndef ANPU_GDB_H
#define ANPU_GDB_H

#include "core.h"

struct gdb;
struct gdb_block;

/**
 * struct gdb_ops - what the stub asks of who runs blocks
 * @inside: run @fn(@arg, mmu) with an MMU that is bound to address space @space; false: memory went away meanwhile
 * @note: a sentence for the user, who need not have a gdb yet
 * @kill: gdb's user wants the program with that address space to end; NULL: that cannot be, and it goes on without gdb
 */
struct gdb_ops {
	bool (*inside)(void *ctx, uint32_t space, void (*fn)(void *arg, struct mmu *mmu), void *arg);
	void (*note)(void *ctx, const char *text);
	void (*kill)(void *ctx, uint32_t space);
};

/** enum gdb_wait - for what blocks wait until a gdb has connected for the first time */
enum gdb_wait { GDB_WAIT_LAUNCH, GDB_WAIT_FAULT };

/**
 * struct gdb_config - a stub
 * @port: it listens at on this machine only, 0: a free one, which @note tells
 * @streams: standard input and output are the connection, and @port means nothing
 * @wait: see there
 * @several: address spaces are programs. gdb has the first one that launches, or that fails if it waits for that, and when
 *	the address space goes, gdb is told that the program has ended; then the next one's turn has come
 * @offset: address of the code minus that in the file that the user gives to gdb, 0: gdb is told by gdb_code_loaded()
 */
struct gdb_config {
	unsigned int port;
	bool streams;
	bool several;
	enum gdb_wait wait;
	uint64_t offset;
};

/** gdb_parse() - [launch:|fault:][:]PORT, or -; false: it is none of these */
bool gdb_parse(const char *text, struct gdb_config *config);

/** gdb_new() - start a stub; NULL: @err has the reason */
struct gdb *gdb_new(const struct gdb_config *config, const struct gdb_ops *ops, void *ctx, char *err, size_t size);
/** gdb_end() - end the stub's thread, which looks at blocks and memory; blocks may still be there */
void gdb_end(struct gdb *g);
/** gdb_free() - there are no blocks any more; gdb is told that the program has ended with @status */
void gdb_free(struct gdb *g, int status);
/** gdb_bye() - the same for a process that ends at once, with its threads where they are */
void gdb_bye(struct gdb *g, int status);
/** gdb_forked() - in a child of fork(), which has neither the device nor a right to the connection */
void gdb_forked(struct gdb *g);

/**
 * struct gdb_place - where a block belongs, for names and memory
 * @space: its address space
 * @queue: queue of its launch, and @task its number there
 * @parts: sub-blocks of a block
 * @first: it is the first one of its launch
 * @fails: it is about to end with a fault
 */
struct gdb_place {
	uint32_t space;
	uint32_t queue;
	uint32_t task;
	uint32_t parts;
	bool first;
	bool fails;
};

/** gdb_port() - where gdb can come */
unsigned int gdb_port(const struct gdb *g);
/** gdb_begins() - a block that has not run, or fails; one of another program, or without memory, is no thread for gdb and runs to its end */
void gdb_begins(struct gdb *g, struct core_block *b, const struct gdb_place *place);
/** gdb_ends() - it is about to be freed */
void gdb_ends(struct core_block *b);

/**
 * gdb_turn() - wait until the block may run; outside of any use of memory
 * @ends: asked now and then: has it to end, so that nobody waits? Called with the stub's lock
 *
 * Return: false: it is not to run now, and others may. True: gdb_run() or gdb_left() has to follow.
 */
bool gdb_turn(struct core_block *b, bool (*ends)(void *arg), void *arg);
/** gdb_run() - as core_block_run(), for as long as gdb wants it */
enum core_result gdb_run(struct core_block *b, struct mmu *mmu, uint64_t budget, struct core_fault *fault);
/** gdb_left() - gdb_run() was left by a jump, or is not called after all */
void gdb_left(struct core_block *b);
/** gdb_failed() - the block is about to end with this fault: gdb looks at it first. Waits as gdb_turn() */
void gdb_failed(struct core_block *b, const struct core_fault *fault, bool (*ends)(void *arg), void *arg);
/** gdb_attends() - is a gdb there, or waited for by a block? Then nothing has a time limit */
bool gdb_attends(struct gdb *g);

/*
 * Files of operators. What a process has is told anew when it has changed: gdb_code_begin(), of each file gdb_code_known() or, if
 * it is not, gdb_code_loaded(), and gdb_code_end(), when what was not told is gone. By one thread at a time.
 */
/** gdb_code_listed() - is this what has been told of the address space last? */
bool gdb_code_listed(struct gdb *g, uint32_t space, uint64_t serial);
void gdb_code_begin(struct gdb *g, uint32_t space);
bool gdb_code_known(struct gdb *g, uint32_t space, uint64_t serial);
/** gdb_code_loaded() - an ELF file, which is copied, is at @base + its addresses */
void gdb_code_loaded(struct gdb *g, uint32_t space, uint64_t serial, uint64_t base, const char *name, const void *image, size_t size);
void gdb_code_end(struct gdb *g, uint32_t space, uint64_t serial);
/** gdb_space_gone() - an address space has ended, and its number may be another one's now. Takes no lock */
void gdb_space_gone(struct gdb *g, uint32_t space);

#endif /* ANPU_GDB_H */
