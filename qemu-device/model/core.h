/* SPDX-License-Identifier: MIT */
/*
 * The border inside the model between the device (queues, scheduler, MMU) and the AI core (scalar
 * unit, tile units).
 *
 * The device side turns a KERNEL packet into a struct core_kernel, gives blocks to its worker
 * threads and asks core_block_run() to run each one for a while. The core side never starts a
 * thread, never blocks and never looks at queues; it reaches memory only through mmu_access().
 */
#ifndef ANPU_MODEL_CORE_H
#define ANPU_MODEL_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anpu/anpu_isa.h>
#include <anpu/anpu_packet.h>

struct mmu;
struct core_block;
struct code_cache;

/**
 * struct core_fault - what a block or an access did wrong, in the terms of struct anpu_fault
 * @cause: enum anpu_fault_cause
 * @access: ANPU_ACCESS_* or 0
 * @size: bytes of the access or 0
 * @insn: instruction word or 0
 * @pc: address of the instruction or 0
 * @addr: faulting address or 0
 * @message: a sentence
 * @x: integer registers, x[0] = instructions retired (filled for operator faults)
 */
struct core_fault {
	uint32_t cause;
	uint32_t access;
	uint32_t size;
	uint32_t insn;
	uint64_t pc;
	uint64_t addr;
	char message[128];
	uint64_t x[32];
};

/* MMU, implemented by the device side (memory/mmu.c) -------------------------------------------- */

/**
 * mmu_access() - translate a virtual address of the address space @mmu is bound to
 * @mmu: a worker's MMU front end (its TLB); used by one thread at a time
 * @va: virtual address
 * @access: ANPU_ACCESS_READ, _WRITE (may be OR-ed) or _FETCH
 * @span: out: bytes from @va on that the pointer is good for, at least 1, up to the end of the page
 *	or of the run of pages that happen to be contiguous
 * @fault: filled (cause, access, addr, message) when NULL is returned
 *
 * If mmu_page_whole() says so, the whole 4 KiB page around @va can be reached from the pointer, also before it.
 * The pointer stays valid until the next mmu_poll() of the same @mmu that returns true.
 */
void *mmu_access(struct mmu *mmu, uint64_t va, uint32_t access, uint64_t *span,
		 struct core_fault *fault);

/**
 * mmu_page_whole() - whether the whole 4 KiB page around @va, to which mmu_access() has just given a pointer, may be
 * accessed in the same way. It is false only where tools give an operator memory by the byte.
 */
bool mmu_page_whole(struct mmu *mmu, uint64_t va);

/**
 * mmu_poll() - take part in TLB invalidation; call it at least every 50 us of running
 *
 * Return: true if translations have been dropped: forget every pointer from mmu_access(). Must not
 * be called while such a pointer is in use.
 */
bool mmu_poll(struct mmu *mmu);

/**
 * mmu_stamp() - which translations @mmu gives at present
 *
 * Return: 0, or a number. While the number is the same, pointers from mmu_access() of the same @mmu stay valid from
 * one run of a block to the next one.
 */
uint64_t mmu_stamp(const struct mmu *mmu);

/* Kernels and blocks, implemented by the core side ---------------------------------------------- */

/** CORE_OBSERVE_SYS - added to the number of a custom-1 operation, for struct core_observer */
#define CORE_OBSERVE_SYS 256

/**
 * struct core_observer - who wants to see every tile and custom-1 operation, for tools
 * @ctx: argument of both
 * @begin: before an operation: enum anpu_tile_op, or enum anpu_sys_op + CORE_OBSERVE_SYS; @operand
 *	are the values of rs1, rs2, rs3, rd
 * @end: after it; @done is false if it faulted or has to wait and will be tried again
 *
 * Called in the thread that runs the block; core_block_peek() works inside of both.
 */
struct core_observer {
	void *ctx;
	void (*begin)(void *ctx, struct core_block *b, unsigned int op, const uint64_t operand[4]);
	void (*end)(void *ctx, struct core_block *b, unsigned int op, bool done);
};

/**
 * struct core_text - what one PRINT says
 * @block: the block that prints
 * @sub_block: its sub-block
 * @core: AI core it runs on
 * @text: the text, without a terminator
 * @len: its bytes, 1 to ANPU_TEXT_MAX
 */
struct core_text {
	uint32_t block;
	uint32_t sub_block;
	uint32_t core;
	const char *text;
	size_t len;
};

/**
 * struct core_spare - what a thread keeps from one kernel of a single block for its next one
 * @code: decoded code it belongs to
 * @block: a clean block, or NULL
 * @sync: a struct core_kernel.sync, or NULL
 *
 * With it such a kernel needs neither lock nor memory. All zero it is empty; the core fills it.
 */
struct core_spare {
	struct code_cache *code;
	struct core_block *block;
	void *sync;
};

/** struct core_operation - a tile operation that a block has executed: times of core_kernel.clock, enum anpu_tile_op, pipe */
struct core_operation {
	uint64_t begin, end;
	uint64_t pc;
	uint8_t op;
	uint8_t pipe;
};

#define CORE_OPERATIONS	4096

/**
 * struct core_operations - room for those of a block's turn; see core_block_note()
 * @count: that there are
 * @lost: that had no room
 */
struct core_operations {
	unsigned int count;
	uint64_t lost;
	struct core_operation list[CORE_OPERATIONS];
};

/** core_spare_drop() - give back what it holds, so that memory of outdated code does not stay */
void core_spare_drop(struct core_spare *spare);

/**
 * struct core_kernel - one launch, shared by all its blocks
 * @pkt: the packet, checked by the device side except for what only the core knows
 * @launch: of a kernel with ANPU_KERNEL_LAUNCH, checked; then pkt.args is the argument block. For others
 *	its size is 0.
 * @stop: set by the device side to end all blocks soon (timeout, kill); polled at least every 50 us
 * @code: decoded code of the address space
 * @clock: nanoseconds of the device clock, for the time CSR
 * @clock_ctx: argument of @clock
 * @cores: AI cores of the device, for the core-count CSR
 * @print: sink of operator output, one call per PRINT, from the block's thread with the mmu it runs
 *	through; may be NULL. Return false with @fault filled (cause, access, addr, message) to end
 *	the block.
 * @print_ctx: argument of @print
 * @observer: NULL: nobody watches, which costs nothing
 * @time_pipes: measure for how long pipes are at work, for core_block_pipes()
 * @spare: of the thread that makes, runs and ends the kernel; NULL if that may be several. It may
 *	become NULL at any time.
 * @triggered: sub-blocks that have executed TRIGGER or ended; counted by the core. A block that is the last
 *	one to execute TRIGGER leaves core_block_run() behind it, with CORE_MORE.
 * @behind: the kernel in front of it in its queue has not completed, so GRIDWAIT waits; set before
 *	core_kernel_init() and taken back by core_kernel_front_ended()
 * @sync: the core side's state for barriers and flags between blocks, made by core_kernel_init()
 */
struct core_kernel {
	struct anpu_pkt_kernel pkt;
	struct anpu_kernel_launch launch;
	atomic_uint stop;
	struct code_cache *code;
	uint64_t (*clock)(void *ctx);
	void *clock_ctx;
	unsigned int cores;
	bool (*print)(void *ctx, struct mmu *mmu, const struct core_text *text,
		      struct core_fault *fault);
	void *print_ctx;
	const struct core_observer *observer;
	bool time_pipes;
	struct core_spare *spare;
	atomic_uint triggered;
	bool behind;
	void *sync;
};

/**
 * enum core_result - why core_block_run() returned
 * @CORE_DONE: the block has ended
 * @CORE_MORE: the budget is used up or stop is set; run it again or destroy it
 * @CORE_BLOCKED: the block waits for another block of its kernel; run it again when
 *	core_kernel_progress() has changed
 * @CORE_FAULT: the block has failed, see the fault
 */
enum core_result {
	CORE_DONE,
	CORE_MORE,
	CORE_BLOCKED,
	CORE_FAULT
};

/** core_kernel_init() - check what only the core knows and make @k->sync; false: @fault is filled */
bool core_kernel_init(struct core_kernel *k, struct core_fault *fault);
void core_kernel_fini(struct core_kernel *k);

/**
 * core_kernel_progress() - a counter that changes whenever a block of @k does something that others
 * may wait for. When all started blocks are CORE_BLOCKED, all blocks have been started and it no
 * longer changes, the kernel is deadlocked: core_kernel_deadlock() fills @fault with who waits, and with
 * pc and registers of the unit whose number it returns (block * sub-blocks + sub-block).
 */
uint64_t core_kernel_progress(const struct core_kernel *k);
uint32_t core_kernel_deadlock(struct core_kernel *k, struct core_fault *fault);

/** core_kernel_front_ended() - the kernel in front has completed: GRIDWAIT ends */
void core_kernel_front_ended(struct core_kernel *k);

/**
 * core_kernel_block() - linear number of the block that is started as the @n-th, from 0 on: the blocks of a
 * cluster are started one behind the other
 */
uint32_t core_kernel_block(const struct core_kernel *k, uint32_t n);
/** core_cluster_blocks() - blocks of a cluster; 1 for kernels without ANPU_KERNEL_LAUNCH */
uint32_t core_cluster_blocks(const struct core_kernel *k);

/** core_sub_blocks() - sub-blocks per block: 1, or 1 + mix_ratio for ANPU_CORE_MIX */
unsigned int core_sub_blocks(const struct anpu_pkt_kernel *pkt);

/**
 * core_block_new() - make a block ready to run: registers, stack and scratchpads cleared
 * @k: its kernel
 * @block: linear number, x fastest
 * @sub_block: 0 to core_sub_blocks() - 1
 * @core: AI core it runs on, for the core-number CSR
 *
 * Return: NULL if memory is exhausted. Blocks are pooled, so that new/free costs no system call.
 */
struct core_block *core_block_new(struct core_kernel *k, uint32_t block, uint32_t sub_block,
				  uint32_t core);
void core_block_free(struct core_block *b);
/**
 * core_block_again() - the same as to free a block and to make block @block of its kernel, on the same core
 *
 * The block is of no cluster, has one sub-block, and nothing watches it.
 */
void core_block_again(struct core_block *b, uint32_t block);

/**
 * core_block_run() - run a block for about @budget_ns at most, through @mmu
 *
 * May be called from different threads in turn, with that thread's @mmu bound to the kernel's
 * address space. A block never keeps pointers from mmu_access() between two calls.
 */
enum core_result core_block_run(struct core_block *b, struct mmu *mmu, uint64_t budget_ns,
				struct core_fault *fault);

/**
 * core_block_step() - execute exactly one instruction; for tools, it is a hundred times slower
 *
 * Return: as core_block_run(); CORE_MORE: the instruction has been executed
 */
enum core_result core_block_step(struct core_block *b, struct mmu *mmu, struct core_fault *fault);

/**
 * struct core_state - what a block is and its registers
 * @pc: next instruction
 * @f: narrower values are NaN-boxed
 */
struct core_state {
	uint32_t block;
	uint32_t sub_block;
	uint32_t core;
	uint32_t core_type;
	uint64_t pc;
	uint64_t x[32];
	uint64_t f[32];
};

/** core_block_state() - of a block that is not running; inside of an observer pc is outdated */
void core_block_state(const struct core_block *b, struct core_state *s);

/**
 * core_block_peek() - read memory as the block sees it, local or global; changes nothing
 * @mmu: used if the block is not running
 *
 * Return: false if some of it cannot be read
 */
bool core_block_peek(struct core_block *b, struct mmu *mmu, uint64_t va, uint64_t size, void *to);

/** core_block_set_reg() - of a block that is not running: @n 0 to 31: x, 32: pc, 33 to 64: f */
void core_block_set_reg(struct core_block *b, unsigned int n, uint64_t value);

/** core_block_poke() - write memory as the block sees it; false: some of it cannot be written, or the block is running */
bool core_block_poke(struct core_block *b, struct mmu *mmu, uint64_t va, uint64_t size, const void *from);

/**
 * core_block_threads() - how many threads a block that is not running has; 0: it is one thread itself
 * core_block_thread() - registers of one of them; false: it has ended
 * core_block_current() - the one that runs next
 * core_block_choose() - let thread @t run next; false: it waits or has ended
 * core_block_yield() - let another thread run next, if one can
 */
unsigned int core_block_threads(const struct core_block *b);
bool core_block_thread(struct core_block *b, unsigned int t, struct core_state *s);
unsigned int core_block_current(const struct core_block *b);
bool core_block_choose(struct core_block *b, unsigned int t);
void core_block_yield(struct core_block *b);

/** CORE_BREAKS_MAX - breakpoints that an address space can have at a time */
#define CORE_BREAKS_MAX	64

/**
 * struct core_breaks - what a debugger wants of the code of an address space
 * @serial: new with each change; 0: there is no debugger
 * @n: places at which blocks leave core_block_run() with CORE_MORE, in front of the instruction
 */
struct core_breaks {
	uint64_t serial;
	unsigned int n;
	uint64_t pc[CORE_BREAKS_MAX];
};

/**
 * core_block_attend() - make a block that is not running do what a debugger wants
 *
 * With breakpoints nothing is translated, and threads run one by one. To be called before each run. If @breaks has changed
 * since the last call, no block of the address space may be running.
 */
void core_block_attend(struct core_block *b, const struct core_breaks *breaks);

/** core_block_set_tool() - keep a pointer for a tool; NULL in a new block. core_block_tool() returns it */
void core_block_set_tool(struct core_block *b, void *tool);
void *core_block_tool(const struct core_block *b);

/**
 * struct core_counts - work done by a block so far
 * @insns: scalar instructions retired
 * @tiles: tile operations
 */
struct core_counts {
	uint64_t insns;
	uint64_t tiles;
};

void core_block_counts(const struct core_block *b, struct core_counts *counts);

/**
 * core_block_overflow() - ANPU_OVERFLOW_* of what a block that is not running has calculated since
 * the last call; 0 without ANPU_KERNEL_OVERFLOW
 */
uint32_t core_block_overflow(struct core_block *b);

/**
 * core_block_pipes() - add to @ns, by enum anpu_pipe, for how long the pipes of a block that is not running have
 * been at work since the last call; nothing without core_kernel.time_pipes, nor for the scalar unit
 */
void core_block_pipes(struct core_block *b, uint64_t ns[ANPU_PIPE_COUNT]);

/**
 * core_block_note() - from now on a block that is not running notes its tile operations in @to, which others may have filled
 * in part; NULL: no longer. Needs core_kernel.time_pipes. When the room runs short core_block_run() returns soon, with CORE_MORE.
 */
void core_block_note(struct core_block *b, struct core_operations *to);

/**
 * core_block_where() - where a block stands that is not being run: fills pc and x of @fault, for
 * kernels that are ended from outside (time limit, kill)
 */
void core_block_where(const struct core_block *b, struct core_fault *fault);

/**
 * enum core_jit - are operators translated to host code?
 * @CORE_JIT_OFF: no; the only mode of hosts that the translator does not know
 * @CORE_JIT_ON: what runs often
 * @CORE_JIT_EAGER: everything at once, for tests
 * @CORE_JIT_REFUSED: no: the host gives no memory to execute. Read only.
 *
 * The mode of a new cache comes from the environment variable ANPU_JIT: "off", "on" (default) or
 * "eager".
 */
enum core_jit {
	CORE_JIT_OFF,
	CORE_JIT_ON,
	CORE_JIT_EAGER,
	CORE_JIT_REFUSED
};

/** code_cache_set_jit() - for blocks that have not begun to run; ignored if the host cannot */
void code_cache_set_jit(struct code_cache *c, enum core_jit mode);
enum core_jit code_cache_jit(const struct code_cache *c);

/**
 * code_cache_new() - decoded code of one address space, shared by all threads
 * code_cache_invalidate() - forget it all; safe against running blocks, which re-decode
 */
struct code_cache *code_cache_new(void);
void code_cache_invalidate(struct code_cache *c);
void code_cache_free(struct code_cache *c);

/** core_combine_fn - d[i] = a[i] op b[i] for @n elements; d may be a or b */
typedef void (*core_combine_fn)(void *d, const void *a, const void *b, size_t n);

/**
 * core_combine() - the tile units' arithmetic for the device's own reductions
 * @op: enum anpu_reduce_op
 * @type: enum anpu_reduce_type
 */
core_combine_fn core_combine(uint32_t op, uint32_t type);

#endif /* ANPU_MODEL_CORE_H */
