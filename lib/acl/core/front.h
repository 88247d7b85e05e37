/* SPDX-License-Identifier: MIT */
/*
 * The private door for libraries that put another API in front of this one (lib/python, lib/kit, lib/hccl, lib/cuda). It is
 * not installed. Tasks that they queue are declared in copy/front.h; rooms define what they have for it in a file front.c.
 */
#ifndef ANPU_FRONT_H
#define ANPU_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl.h>

#define ANPU_FRONT_CALL __attribute__((visibility("default")))

/* Is it one of the codes that diag/fault.c gives tasks that failed */
static inline bool anpu_is_task_code(int code)
{
	switch (code) {
	case ACL_ERROR_RT_AICORE_TIMEOUT:
	case ACL_ERROR_RT_AICORE_EXCEPTION:
	case ACL_ERROR_RT_AICORE_TRAP_EXCEPTION:
	case ACL_ERROR_RT_VECTOR_CORE_TIMEOUT:
	case ACL_ERROR_RT_VECTOR_CORE_EXCEPTION:
	case ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION:
	case ACL_ERROR_RT_SYS_DMA:
	case ACL_ERROR_RT_TS_ERROR:
		return true;
	default:
		return false;
	}
}

/*
 * A timeline may be recorded later: streams that are made from now on can be in it. It begins, into a file of that
 * name, or with NULL ends and is written: 0 or -errno, -EBUSY if one is recorded already. A mark of this thread in it,
 * with times of CLOCK_MONOTONIC in ns.
 */
ANPU_FRONT_CALL void anpu_front_trace_prepare(void);
ANPU_FRONT_CALL int anpu_front_trace(const char *path);
ANPU_FRONT_CALL void anpu_front_mark(const char *text, uint64_t begin, uint64_t end);

/*
 * From now on, calls of this thread that wait for streams, events or callbacks ask @wanted about every 50 ms whether
 * they are to end. They return ACL_ERROR_RT_WAIT_TIMEOUT then, and what they waited for goes on. NULL: none asks.
 */
ANPU_FRONT_CALL void anpu_front_interrupt(bool (*wanted)(void));

/*
 * @about runs before a thread sleeps in a launch: for room in a stream, or for a lock that a thread may hold while it
 * waits for room. A front can keep a lock of its own through a launch and give it back there. It may run with locks
 * held, so it calls nothing of the library and waits for nothing. Other calls may sleep without running it.
 */
ANPU_FRONT_CALL void anpu_front_sleep(void (*about)(void));

/*
 * @ended is told of each function that aclrtLaunchCallback() or aclrtLaunchHostFunc() queued, in a stream or in a
 * graph, when it will not run again: it has, or its task was dropped. It runs with locks held, so it calls nothing of
 * the library and waits for nothing.
 */
ANPU_FRONT_CALL void anpu_front_call_ended(void (*ended)(void (*fn)(void *), void *arg));

/*
 * Records a failure of @api, a function of the library in front, as one of this thread's: aclGetRecentErrMsg() has the
 * sentence. @api has to stay in memory. Returns @code.
 */
ANPU_FRONT_CALL aclError anpu_front_fail(const char *api, aclError code, const char *sentence);

/* Adds a sentence to those of aclGetRecentErrMsg(), as one of function @api with that API's own code */
ANPU_FRONT_CALL void anpu_front_say(const char *api, int code, const char *sentence);
/* The newest of those sentences, which stays among them; "" if there is none */
ANPU_FRONT_CALL void anpu_front_latest(char *buf, size_t size);

/*
 * A wait of stream number @stream for the word at @addr expired, or (@addr is 0) the stream was aborted. @explain
 * writes a sentence that takes the place of the library's own and returns true, or returns false. It runs in the
 * thread that synchronises, calls nothing of the library and waits for nothing but short locks of its own.
 */
ANPU_FRONT_CALL void anpu_front_explain(bool (*explain)(uint64_t addr, int32_t stream, char *buf, size_t size));

/*
 * A front's function that hears of each allocation or registration that ends, by its first address, before the address
 * can be given away again. Locks are held: it calls nothing of libacl.
 */
ANPU_FRONT_CALL void anpu_front_memory_ended(void (*ended)(uint64_t addr));
/*
 * Pinned memory that tasks and a thread of the front use in an order that they tell each other by words in memory: the
 * checking mode does not close its pages, which would also make system calls fail
 */
ANPU_FRONT_CALL void anpu_front_ordered(const void *pinned);
/*
 * Registered memory in which, from that address on, devices of other processes write words, or wait for them: such devices wake each
 * other
 */
ANPU_FRONT_CALL void anpu_front_shared(const void *registered);
/* As aclrtMallocAlign32(), of which the program was promised no more than @size bytes: the checking mode knows that */
ANPU_FRONT_CALL aclError anpu_front_malloc(void **devPtr, size_t size);
/* As aclrtMemImportFromShareableHandle(), which refuses what this process has exported: here that is one more use of its handle */
ANPU_FRONT_CALL aclError anpu_front_physical_import(uint64_t number, int32_t device, aclrtDrvMemHandle *handle);
/* Device of a memory pool, -1 if it has ended */
ANPU_FRONT_CALL int anpu_front_pool_device(aclrtMemPool pool);

/*
 * For a front whose programs are no machine code: @where tells where this thread's call comes from, the innermost place
 * first, then NULL: "f() at prog.py:3". The texts stay for ever, the list until it is called again. NULL: the return address
 * of the call tells. It runs in the middle of calls with locks held, so it calls nothing of libacl.
 */
ANPU_FRONT_CALL void anpu_front_at(const char *const *(*where)(void));

/* As anpu_front_at(), for a thread that is not in a call of the library: it is asked when the program itself has done something wrong */
ANPU_FRONT_CALL void anpu_front_now(const char *const *(*where)(void));

/*
 * For a front whose programs have objects: in the checking mode @find is asked about @size bytes of the host at @at that a copy is
 * about to use. It returns true and writes what is there, "the address of 'h', ...", if an object of the program is smaller than that.
 */
ANPU_FRONT_CALL void anpu_front_objects(bool (*find)(const void *at, size_t size, char *buf, size_t room));

/* In the checking mode: @api, a function of the front, gives the program @size bytes at @ptr to look at. Has it got these? */
ANPU_FRONT_CALL void anpu_front_looks(const char *api, const void *ptr, size_t size);

/*
 * In sentences of functions whose names begin with @prefix, @other has another word for a word of @n characters, or NULL:
 * programs of the front are told its own functions. Names of its functions are looked up everywhere. @code is the front's
 * code for one of this library, which such a sentence begins with.
 */
ANPU_FRONT_CALL void anpu_front_words(const char *prefix, const char *(*other)(const char *word, size_t n),
				      int (*code)(aclError code));

/* Refuses the call that runs if a stream is being recorded in a mode that forbids this thread calls that may wait */
ANPU_FRONT_CALL aclError anpu_front_unsafe(void);

/*
 * Tells the device of all tasks that this thread has queued. With @on it may leave the device untold of later ones, of one stream,
 * until this is called again, before the thread returns to the program or waits: so a device is woken once for all of them
 */
ANPU_FRONT_CALL void anpu_front_gather(bool on);

/* The tasks that the front has queued until now use this memory: the checking mode looks whether the program does, too. @what: "call()" */
ANPU_FRONT_CALL void anpu_front_used(aclrtStream stream, const char *what, const void *ptr, size_t size, bool write);

/*
 * Tasks that the front is about to queue read all of this memory: the checking mode tells if nothing has written a part of it. It
 * does not if tasks are queued that may write there; and memory that nothing has written at all is told of when a call of
 * anpu_front_used() that reads it is over
 */
ANPU_FRONT_CALL void anpu_front_reads(aclrtStream stream, const char *what, const void *ptr, size_t size);

/* Is this the checking mode */
ANPU_FRONT_CALL bool anpu_front_checking(void);

/* In the checking mode: a finding of the front, about the call that this thread is in; @kind has to stay in memory */
ANPU_FRONT_CALL void anpu_front_finding(const char *kind, const char *text);

/* The checking mode's finding about memory that ends with what it belongs to, and was not freed by the program */
ANPU_FRONT_CALL void anpu_front_leak(const void *ptr);

/* The process ends: the same about streams, events, graphs and so on that functions have made whose names begin with @prefix */
ANPU_FRONT_CALL void anpu_front_left(const char *prefix);

/* As aclrtBinaryLoadFromData(), of an image that sentences call @name */
ANPU_FRONT_CALL aclError anpu_front_binary(const void *data, size_t length, const char *name, aclrtBinHandle *binHandle);

/* The source line of a return address in the program, or what else is known of it: "main() at prog.c:30" */
ANPU_FRONT_CALL void anpu_front_place(const void *pc, char *buf, size_t size);

/* Sentences of this thread name that function instead of the one that is called; NULL: they do not */
ANPU_FRONT_CALL void anpu_front_name(const char *name);
/*
 * From now on messages say of this thread's calls that the program has made them by calling @api, and that @caller, a return
 * address, is behind that call. NULL: they are the program's own. @api has to stay in memory
 */
ANPU_FRONT_CALL void anpu_front_site(const char *api, const void *caller);
/*
 * The thread is about to sleep in the library in front, for @what, a text that stays; reports of hangs tell it. The result is for
 * anpu_front_wait_over(), which says that it does not any more
 */
ANPU_FRONT_CALL unsigned int anpu_front_wait_begins(const char *what);
ANPU_FRONT_CALL void anpu_front_wait_over(unsigned int place);
/*
 * Was the latest wrong handle of this thread one where a graph, a task of one, a pool or physical memory was wanted? Other APIs have
 * the code of a wrong value for these, and not that of a wrong handle
 */
ANPU_FRONT_CALL bool anpu_front_bad_value(void);
/* Is the thread inside of a function that aclrtLaunchCallback() or aclrtLaunchHostFunc() has queued */
ANPU_FRONT_CALL bool anpu_front_in_callback(void);

/* Handle of the thread's context, 0 if it has none; it may have ended */
ANPU_FRONT_CALL uint64_t anpu_front_context(void);
/* Makes it the thread's; 0: none */
ANPU_FRONT_CALL void anpu_front_set_context(uint64_t context);
/* Device of a context, -1 if it has ended; @primary: is it the one of aclrtSetDevice() */
ANPU_FRONT_CALL int anpu_front_context_device(uint64_t context, bool *primary);
/* Waits for all streams of the thread's context, and reports as aclrtSynchronizeStream() */
ANPU_FRONT_CALL aclError anpu_front_context_sync(void);

/* Context and kind of a stream; NULL: the default one of the thread's context */
ANPU_FRONT_CALL aclError anpu_front_stream(aclrtStream stream, uint64_t *context, bool *is_default);
/* ANPU_FAULT_* of the task whose failure this thread was told last, 0 if that has no record */
ANPU_FRONT_CALL uint32_t anpu_front_fault(void);

/**
 * struct anpu_front_event_info - what an event is
 * @flags: ACL_EVENT_* bits
 * @rerecord: it is of aclrtCreateEventExWithFlag()
 * @recorded: a record of it was called for, ever
 */
struct anpu_front_event_info {
	uint32_t flags;
	bool rerecord;
	bool recorded;
};
ANPU_FRONT_CALL aclError anpu_front_event(aclrtEvent event, struct anpu_front_event_info *info);

/*
 * A launch in @stream is to record the event while it runs: its address and value are those of a word of struct anpu_front_launch.
 * A success is followed by the launch and anpu_front_event_end(); until then the event is locked, so of two events the
 * one with the lower handle comes first. 207000 for events that only a task of their own records: of several
 * processes, and those recorded in a stream that is being recorded. @seq: of the launch, 0: there was none.
 */
struct anpu_front_record {
	void *event, *stream; /* the door's own */
	uint64_t addr;
	uint64_t value;
};
ANPU_FRONT_CALL aclError anpu_front_event_begin(aclrtEvent event, aclrtStream stream, struct anpu_front_record *r);
ANPU_FRONT_CALL void anpu_front_event_end(struct anpu_front_record *r, uint64_t seq);

/* Queues a fill of @count numbers of @width bytes (1, 2, 4, 8), and of @rows rows @pitch bytes apart */
ANPU_FRONT_CALL aclError anpu_front_fill(void *dst, uint64_t value, uint32_t width, size_t count, size_t pitch,
					 size_t rows, aclrtStream stream);

/*
 * A launch with a configuration: what aclrtLaunchKernel() and its like have no parameter for.
 * @func	a function of aclrtBinaryGetFunction()
 * @stream	as everywhere
 * @grid	blocks in x, y, z
 * @block	threads in x, y, z
 * @cluster	blocks of a cluster in x, y, z; 0: none
 * @shared	bytes of dynamic shared memory
 * @cooperative	all blocks are there at the same time
 * @overlap	it may begin when the kernel in front of it has triggered
 * @trigger_at_start  each of its blocks triggers when it begins
 * @begun, @triggered  address and value of a word that the device writes when all blocks have begun, and have
 *		triggered; address 0: none
 * @has_priority, @priority  0 (first) to 7 instead of the stream's
 * @params	a pointer to each parameter, or NULL
 * @packed, @packed_size  the argument block instead, if @params is NULL
 * @slots, @slots_size, @holders, @holder_count  the block as aclrtLaunchKernelWithHostArgs() has it, if @slots is not NULL
 * @cfg		NULL, or attributes of aclrtLaunchKernelWithConfig()
 */
struct anpu_front_launch {
	aclrtFuncHandle func;
	aclrtStream stream;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t cluster[3];
	uint32_t shared;
	bool cooperative;
	bool overlap;
	bool trigger_at_start;
	uint64_t begun[2];
	uint64_t triggered[2];
	bool has_priority;
	uint32_t priority;
	void **params;
	const void *packed;
	size_t packed_size;
	const void *slots;
	size_t slots_size;
	const aclrtPlaceHolderInfo *holders;
	size_t holder_count;
	const aclrtLaunchKernelCfg *cfg;
};

/* The part of a launch that was wrong, for fronts that have codes for it */
enum anpu_front_why {
	ANPU_FRONT_OTHER,	   /* the code tells */
	ANPU_FRONT_TOO_LARGE,	   /* the blocks of a cooperative launch, or of a cluster, do not fit */
	ANPU_FRONT_CLUSTER,	   /* the cluster is too large, or the grid is not made of whole ones */
	ANPU_FRONT_RESOURCES,	   /* more threads or shared memory than the function or the device can have */
};
/* @seq: of the task, 0: it was recorded; may be NULL. The clusters of @l become those that the kernel is written for */
ANPU_FRONT_CALL aclError anpu_front_launch(struct anpu_front_launch *l, enum anpu_front_why *why, uint64_t *seq);

/*
 * A launch that records events while it runs; each may be NULL. @begun: when all blocks have begun, @triggered: when all
 * have triggered or ended. In a recording they are recorded behind the kernel.
 */
ANPU_FRONT_CALL aclError anpu_front_launch_events(struct anpu_front_launch *l, aclrtEvent begun, aclrtEvent triggered,
						  enum anpu_front_why *why);

/*
 * Resources that the device gives a function.
 * @threads	most threads of a block; 1 for a function without threads
 * @static_shared, @dynamic_shared  bytes of shared variables, and most that a launch may ask for
 * @cores	cores that run its blocks
 * @cluster	blocks of a cluster that it is written for; 0: none
 * @max_cluster	most blocks of a cluster
 */
struct anpu_front_func {
	uint32_t threads;
	uint32_t static_shared;
	uint32_t dynamic_shared;
	uint32_t cores;
	uint32_t cluster[3];
	uint32_t max_cluster;
};
ANPU_FRONT_CALL aclError anpu_front_function(aclrtFuncHandle func, struct anpu_front_func *out);
/* Name of kernel @n of a binary; 500002, as for a name that is unknown: it has fewer */
ANPU_FRONT_CALL aclError anpu_front_kernel(aclrtBinHandle binary, size_t n, char *name, size_t size);
/* Place of parameter @i in @packed of a launch, and its size */
ANPU_FRONT_CALL aclError anpu_front_param(aclrtFuncHandle func, size_t i, size_t *offset, size_t *size);

#endif
