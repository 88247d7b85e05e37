/* SPDX-License-Identifier: MIT */
/* Inside the stub. The door is gdb.h. */
#ifndef ANPU_GDB_STUB_H
#define ANPU_GDB_STUB_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <anpu/anpu_hw.h>

#include "gdb.h"

#define GDB_PACKET	16384	/* bytes of a packet that gdb may send */
#define WATCHES		8
#define WATCH_BYTES	8
#define REGS		65	/* x0 to x31, pc, f0 to f31 */
#define IDLE_THREAD	1	/* gdb's number of a thread that stands for a device without blocks */

#define SIG_INT		2
#define SIG_ILL		4
#define SIG_TRAP	5
#define SIG_ABRT	6
#define SIG_SEGV	11
#define SIG_XCPU	24

/* The connection (link.c) ------------------------------------------------------------------------ */

/**
 * struct gdb_link - packets over a connection, $TEXT#SUM
 * @listener: socket that waits for gdb, -1: none
 * @in, @out: the connection, -1: there is none
 * @no_ack: gdb has asked for no acknowledgements
 * @state: of the packet that comes, @sum of its bytes and @told what it is to be
 * @text: the packet, terminated; @size bytes
 * @sent: the last packet that was sent whole, to be repeated
 */
struct gdb_link {
	int listener;
	int in, out;
	bool no_ack;
	enum { LINK_IDLE, LINK_TEXT, LINK_HIGH, LINK_LOW } state;
	unsigned char sum, told;
	char text[GDB_PACKET + 1];
	size_t size;
	char sent[2 * GDB_PACKET + 300];
	size_t sent_size;
};

enum link_news { LINK_NOTHING, LINK_PACKET, LINK_INTERRUPT, LINK_CLOSED };

bool link_open(struct gdb_link *l, const struct gdb_config *config, unsigned int *port);
void link_accept(struct gdb_link *l);
/* Takes one byte of what has come */
enum link_news link_take(struct gdb_link *l);
/* Sends a packet; what gdb does not take within seconds is dropped with the connection */
void link_send(struct gdb_link *l, const char *text, size_t size);
void link_close(struct gdb_link *l);	/* the connection */
void link_end(struct gdb_link *l);	/* and the listener */

/* Blocks (blocks.c) ------------------------------------------------------------------------------ */

enum action { ACT_GO, ACT_STEP, ACT_STAND };

/**
 * struct gdb_block - a block that has begun and not ended
 * @number: gdb's number of its first thread, of @threads
 * @action: what gdb wants of it; of ACT_STEP: thread @step alone, as long as its pc is in [@from, @to), at least once
 * @free: nobody attended when its run began
 * @inside: it is in the core
 * @fresh: it has not run, and is the first block of a launch
 * @fault: that it is about to end with, else NULL
 */
struct gdb_block {
	struct gdb *g;
	struct gdb_block *next, *prev;
	struct core_block *b;
	struct gdb_place place;
	unsigned int number;
	unsigned int threads;
	enum action action;
	unsigned int step;
	uint64_t from, to;
	bool free;
	bool inside;
	bool fresh;
	const struct core_fault *fault;
};

/**
 * struct watch - a word that is watched
 * @of: the block whose own memory it is in, NULL: it is in global memory
 */
struct watch {
	const struct core_block *of;
	uint64_t va;
	uint64_t size;		/* 0: free */
	uint8_t old[WATCH_BYTES];
};

/**
 * struct gdb_code - a file of operators
 * @serial: of the process's list; @seen: it is still there
 * @address: where gdb is to put its first segment
 */
struct gdb_code {
	struct gdb_code *next;
	uint32_t number;
	uint32_t space;
	uint64_t serial;
	bool seen;
	uint64_t base;
	uint64_t address;
	char name[100];
	uint8_t *image;
	size_t size;
};

/**
 * struct gdb - a stub; all under @lock but for @link, which its thread has
 * @changed: blocks may run, or those that ran have come out
 * @ending: the stub's thread is to end; @ended: it has
 * @wake: eventfd: there is news for the stub's thread
 * @connected: a gdb is there; @waits: no gdb has been there, and blocks wait for the first one
 * @told: the user knows
 * @stopped: blocks stand; @announce: gdb has not been told yet
 * @each_launch: the first block of each launch stops
 * @rest: what blocks do that begin while gdb lets the others go on
 * @inside: blocks that are in the core
 * @at: block of the last stop, NULL: none; @at_thread of it
 * @shown: block that gdb looks at, likewise
 * @signal: of the last stop; @hit: address whose contents have changed, @broke: at a breakpoint
 * @why: text for gdb's console
 * @news: files of operators that gdb does not know; @library: the stop tells that
 * @next_launch: the first block of the next launch stops
 * @serial: of the last change of @breaks
 * @next_number: of gdb's threads
 * @space: address space of the last block or file, for memory that is read while there is no block
 * @program: of several, the address space of the one that gdb has, 0: none; @over: it has ended, and gdb is to be told
 * @listed: address space whose list was read last, 0: none, and @list_serial its serial
 * @gone: address spaces that have ended, a bit each; without the lock, as @any_gone
 */
struct gdb {
	struct gdb_ops ops;
	void *ctx;
	struct gdb_config config;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	int wake;
	struct gdb_link link;
	bool ending, ended;
	bool connected, waits, told;
	bool stopped, announce;
	bool each_launch;
	bool swbreak;
	enum action rest;
	unsigned int inside;
	struct gdb_block *blocks, *last;
	struct gdb_block *at, *shown;
	unsigned int at_thread, shown_thread;
	int signal;
	uint64_t hit;
	bool broke;
	char why[400];
	struct gdb_code *code;
	uint32_t codes;
	bool news, library, next_launch;
	unsigned int next_number;
	uint32_t space;
	uint32_t program;
	bool over;
	uint32_t listed;
	uint64_t list_serial;
	_Atomic uint64_t gone[ANPU_MAX_ASIDS / 64];
	_Atomic unsigned int any_gone;
	uint64_t serial;
	struct core_breaks breaks;
	struct watch watch[WATCHES];
	unsigned int watches;
	char reply[GDB_PACKET * 2];
	size_t size;
};

/* All with the lock */
void gdb_wake(struct gdb *g);
/* The signal that a fault is for gdb */
int gdb_signal(uint32_t cause);
/* Stops all blocks; if they are stopped already that is what counts */
void gdb_stop(struct gdb *g, struct gdb_block *u, int signal, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Blocks go on as they are told by their actions */
void gdb_resume(struct gdb *g);
/* gdb has gone: everything runs */
void gdb_release(struct gdb *g);
/* The block and its thread that have gdb's number @n; NULL: none */
struct gdb_block *gdb_find(struct gdb *g, unsigned int n, unsigned int *thread);
/* Takes notice of address spaces that have gone */
void gdb_look_gone(struct gdb *g);
/* The files of an address space are not there any more */
void gdb_drop_code(struct gdb *g, uint32_t space);
/* Gives the block's threads numbers if they have none */
void gdb_number(struct gdb *g, struct gdb_block *u);

/* Commands (stub.c, answers.c, files.c) ---------------------------------------------------------- */

void say(struct gdb *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void say_bytes(struct gdb *g, const void *bytes, size_t n);		/* as hexadecimal digits */
/* A part of a text that gdb asks for by offset and length */
void say_part(struct gdb *g, const char *text, size_t size, const char *range);
bool from_hex(const char *text, size_t n, uint8_t *to);
bool begins(const char *text, const char *with, const char **rest);
void say_stop(struct gdb *g);

/* Answers a packet into g->reply. Return: true: there is no reply, as blocks go on */
bool gdb_command(struct gdb *g, const char *text);
void gdb_registers(struct gdb *g, const char *text);	/* g, p, P */
void gdb_memory(struct gdb *g, const char *text);	/* m, M */
void gdb_breaks(struct gdb *g, const char *text);	/* Z, z */
void gdb_question(struct gdb *g, const char *text);	/* q */
void gdb_file(struct gdb *g, const char *text);		/* vFile: */
void gdb_libraries(struct gdb *g, const char *range);
/* Reads memory as the shown block sees it, or global memory if there is none */
bool gdb_peek(struct gdb *g, uint64_t va, uint64_t size, void *to);
bool gdb_poke(struct gdb *g, uint64_t va, uint64_t size, const void *from);

#endif /* ANPU_GDB_STUB_H */
