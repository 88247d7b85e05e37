/* SPDX-License-Identifier: MIT */
/*
 * The timeline: what calls, tasks, blocks and callbacks did and when, kept in memory while the program runs and
 * written as a Chrome trace when it ends (tracefile.c). Times are CLOCK_MONOTONIC in ns; times of a device are
 * translated by diag/timeline.c, which reads what the device has recorded.
 */
#ifndef ANPU_TRACE_H
#define ANPU_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum anpu_trace_what {
	ANPU_TRACED_CALL,     /* a function of the API; with @submitted, it has queued a packet: @track, @a, @b as below */
	ANPU_TRACED_SUBMIT,   /* a further packet was queued; @a: sequence number, @b: packets in the queue then */
	ANPU_TRACED_TASK,     /* a packet on the device; @a: as above, @b: bytes written, @c, @d: see tracefile.c */
	ANPU_TRACED_BLOCK,    /* a turn of a block; @track: AI core, @block */
	ANPU_TRACED_OPERATION, /* a tile operation of a block; @name: its, @track: AI core, @operation */
	ANPU_TRACED_CALLBACK, /* a function of the program; @a: its address */
	ANPU_TRACED_MEMORY,   /* @a: bytes of device memory that the process uses now */
	ANPU_TRACED_MARK,     /* a mark of the program; @name: its text; a range if @end is not @begin */
};

/* Pipes of an AI core whose time a block's turn has, in the order of its @pipe_ns */
#define ANPU_TRACED_PIPES(X) X(V) X(M) X(MTE1) X(MTE2) X(MTE3) X(FIX)
enum anpu_traced_pipe {
#define ANPU_X_(name) ANPU_TRACED_##name,
	ANPU_TRACED_PIPES(ANPU_X_)
#undef ANPU_X_
	ANPU_TRACED_PIPE_COUNT
};

/* A turn of a block: @part of a MIX block; @goes_on: this is not its last turn */
struct anpu_traced_block {
	uint32_t number;
	uint32_t stream;
	uint16_t part;
	bool goes_on;
	uint32_t pipe_ns[ANPU_TRACED_PIPE_COUNT];
};

/* A tile operation of @part of the block @number, on @pipe; @where: the place in the operator's source, which stays for ever */
struct anpu_traced_operation {
	const char *where;
	uint32_t number;
	uint32_t stream;
	uint16_t part;
	uint8_t pipe;
};

/**
 * struct anpu_traced - one thing that happened
 * @name: of a call, a kernel, or NULL; it stays for ever
 * @thread: kernel id of the thread
 * @track: number of a stream, or an AI core
 * @task: task id
 * @cause: ANPU_FAULT_* of a task or a block that failed
 * @what: enum anpu_trace_what
 * @code: opcode of a packet, core type of a block
 * @device: number of the device
 * @submitted: when a task was queued, 0 if that is not known (of a call: if it has queued none)
 */
struct anpu_traced {
	uint64_t begin, end;
	const char *name;
	union {
		struct {
			uint64_t submitted;
			uint64_t a, b, c, d;
		};
		struct anpu_traced_block block;
		struct anpu_traced_operation operation;
	};
	uint32_t thread;
	uint32_t track;
	uint32_t task;
	uint16_t cause;
	uint8_t what;
	uint8_t code;
	uint32_t device;
};

/* Things that happened are recorded now; read it by anpu_traces() */
extern _Bool anpu_trace_on;
static inline bool anpu_traces(void)
{
	return __builtin_expect(__atomic_load_n(&anpu_trace_on, __ATOMIC_RELAXED), 0);
}

/* Recording is on, or may be turned on later: streams that are made now get a trace buffer */
bool anpu_trace_wanted(void);
/* From now on it may be turned on, by aclprofInit() */
void anpu_trace_prepare(void);
/* The user wants single tile operations, too */
bool anpu_trace_operations(void);
/* Turns it on, for a file that is written by anpu_trace_end(), and at the end of the process. 0 or -errno */
int anpu_trace_begin(const char *path);
int anpu_trace_end(void);
/* Writes what there is so far: the program may end by _exit() from now on, or be killed */
void anpu_trace_save(void);

/* Time as all of these have it */
uint64_t anpu_trace_now(void);
uint32_t anpu_trace_thread(void);
/* Keeps a copy of @e */
void anpu_trace_add(const struct anpu_traced *e);
/* So many things are missing, for lack of room */
void anpu_trace_lose(uint64_t n);
/* A text that stays for ever, equal to @text */
const char *anpu_trace_text(const char *text);
/*
 * When the calling thread queues a packet: the begin of the API call that runs, unless that has waited for a stream meanwhile. This
 * saves a reading of the clock, which is a tenth of a launch.
 */
uint64_t anpu_trace_submitted(void);
/* A packet was queued, as of ANPU_TRACED_SUBMIT; the first one of a call becomes a part of the call's record */
void anpu_trace_submit(const struct anpu_traced *e);
/* A public function of the library begins, and ends: in this order for each thread */
void anpu_trace_enter(const char *api);
void anpu_trace_leave(void);
/*
 * That function has waited for a stream. If that is @empty then, what there is so far is written when the function ends, unless
 * that takes too much time. A launch that has waited for room writes nothing.
 */
void anpu_trace_waited(bool empty);

/* rooms.c: takes what the devices have recorded so far, before the file is written */
extern void (*const anpu_trace_collect)(void);

/* tracefile.c: the beginning of the file, one thing, the end with what was @lost */
void anpu_trace_file_begin(FILE *f);
void anpu_trace_file_add(FILE *f, const struct anpu_traced *e);
void anpu_trace_file_end(FILE *f, uint64_t lost);

#endif /* ANPU_TRACE_H */
