/* SPDX-License-Identifier: MIT */
/*
 * The checking mode (ANPU_KERNEL_CHECK): reads of scratchpads that nothing has written, and races
 * between pipes. Documentation/isa.md has the rules.
 *
 * Emulation runs operations in order, so nothing ever goes wrong by itself. The checking mode asks what
 * a core whose engines run side by side may do: each engine has a vector clock, the number of
 * operations of every engine that are certainly over when its next one starts. Two accesses to a byte,
 * one of them a write, by different engines, of which neither is certainly over before the other
 * starts, are a race.
 *
 * The scalar unit issues every operation, so whatever it knows to be over, the operation knows, and
 * what it has read or written itself conflicts with nothing that is issued later. So it has a clock
 * and is checked, but leaves no traces.
 */
#ifndef ANPU_CHECK_H
#define ANPU_CHECK_H

#include "../core_int.h"

/* Engines: the pipes that run beside the scalar unit; the scalar unit itself is the last clock. */
enum check_engine {
	CHECK_V,
	CHECK_M,
	CHECK_MTE1,
	CHECK_MTE2,
	CHECK_MTE3,
	CHECK_FIX,
	CHECK_ENGINES,
	CHECK_S = CHECK_ENGINES
};

#define CHECK_GRANULE	ANPU_LOCAL_ALIGN
/** CHECK_BYTES - of all scratchpads; the stack is not checked */
#define CHECK_BYTES	(ANPU_UB_SIZE + ANPU_L1_SIZE + ANPU_L0A_SIZE + ANPU_L0B_SIZE + \
			 ANPU_L0C_SIZE + ANPU_BT_SIZE + ANPU_FB_SIZE)
#define CHECK_GRANULES	(CHECK_BYTES / CHECK_GRANULE)
#define CHECK_GIVEN_BACK (1u << 31)
/** CHECK_KNOWN - places that are looked up by their address; a power of two */
#define CHECK_KNOWN	16
/** CHECK_OPERANDS - of an operation whose buffers are remembered */
#define CHECK_OPERANDS	4
/** CHECK_STORES - of the scalar unit to global memory that are remembered */
#define CHECK_STORES	64
/** CHECK_RANGES - accesses to global memory that are remembered */
#define CHECK_RANGES	512

/**
 * struct check_touch - who touched some bytes last
 * @wrote: stamp of the last write, 0: none
 * @read: stamps of the last reads since then; no byte is read by more than two engines, see reader()
 * @wrote_pc: instruction of @wrote, in words from the kernel's entry
 * @read_pc: of @read
 *
 * A stamp is an engine (bits 63:56) and the number of its operation.
 */
struct check_touch {
	uint64_t wrote;
	uint64_t read[2];
	int32_t wrote_pc;
	int32_t read_pc[2];
};

/**
 * struct check_granule - 32 bytes of a scratchpad
 * @init: bit for each byte that has been written
 * @split: the bytes have been touched by different operations: see struct check's byte
 * @all: else, what is true for all of them
 */
struct check_granule {
	uint32_t init;
	bool split;
	struct check_touch all;
};

/**
 * struct check_range - accesses of one operation to global memory: @count pieces of @len bytes
 * @step: from one piece to the next
 * @access: ANPU_ACCESS_*; both for an atomic update
 */
struct check_range {
	uint64_t va;
	uint64_t len;
	uint64_t step;
	uint64_t count;
	uint64_t stamp;
	int32_t pc;
	uint32_t access;
};

/**
 * struct check_flag - clocks of the pipe that set a flag, oldest first; the block has their number
 * @stores: of the scalar unit before each of the sets, as they are issued by that
 * @pc: of the latest set
 */
struct check_flag {
	uint32_t first;
	uint32_t stores[ANPU_FLAG_MAX];
	uint64_t pc;
	uint64_t clock[ANPU_FLAG_MAX][CHECK_ENGINES];
};

/**
 * struct check - the checking mode's state of a block; fresh, and zero, for each block
 * @clock: by engine, and the scalar unit's: operations of each engine that are over
 * @stores: runs of stores of the scalar unit, to buffers and, by operators that have buffers, to global memory;
 *	@storing: the last run goes on, as no flag has been set since
 * @stores_known: by engine, those that are over for it
 * @store: the latest runs of neighbours to global memory that the engines may not know, @stores_global in all
 * @atomic_pc: where the CSR atomic was written last; @atomic_copy: the latest copy by it, NULL: none
 * @name: operation that runs, for messages
 * @engine: where it runs
 * @stamp: its stamp
 * @pc: as in struct check_touch
 * @range: ring of accesses to global memory
 * @ranges: accesses ever put there
 * @page: what of some pages is allocated, by their number; @place: which scalar accesses have a fence beside
 *	them; both only save time
 * @asked: @uses has been read: what the runtime wants to know of this kernel, and what it has been told
 * @value: what is about to be written to global memory, or NULL; @value_step: from one piece to the next
 * @team: what its threads did, NULL: it never had several (team.h)
 * @word: accesses of the scalar unit are to a word that sub-blocks wait for
 * @flags: of @flag, those that were ever set, by event
 * @first, @end: the granules that were ever looked at are from @first on, below @end; 0 and 0: none
 * @buffers: BUFFER operations so far; @owner: the buffer that a granule belongs to, by its number, 0: none,
 *	with CHECK_GIVEN_BACK if that was given back once; @owned: one has ever been other than 0
 * @operand: buffers in which the operands of the operation of @stamp begin, by their roles
 * @byte: host memory is used only for granules that are split
 */
struct check {
	uint64_t clock[CHECK_ENGINES + 1][CHECK_ENGINES];
	uint32_t stores;
	bool storing;
	uint32_t stores_known[CHECK_ENGINES];
	struct check_store {
		uint64_t va;
		uint32_t size;
		uint32_t number;
		int32_t pc;
	} store[CHECK_STORES];
	unsigned int stores_global;
	uint64_t atomic_pc;
	uint64_t atomic_copy;
	const char *name;
	unsigned int engine;
	uint64_t stamp;
	int32_t pc;
	bool word;
	bool asked;
	struct check_page {
		uint64_t page;
		unsigned int first, end;
	} page[CHECK_KNOWN];
	struct {
		uint64_t pc;
		bool fenced;
	} place[CHECK_KNOWN];
	struct {
		uint64_t at;
		uint32_t count;
		uint32_t noted[ANPU_CHECK_USES_MAX];
		struct anpu_check_use use[ANPU_CHECK_USES_MAX];
		struct anpu_check_part part[ANPU_CHECK_USES_MAX];
		bool parts;
	} uses;
	const uint8_t *value;
	uint64_t value_step;
	struct check_team *team;
	uint64_t ranges;
	uint8_t flags[ANPU_PIPE_COUNT][ANPU_PIPE_COUNT];
	int64_t first, end;
	uint32_t buffers;
	bool owned;
	struct {
		uint64_t stamp;
		const char *role;
		uint32_t owner;
		uint64_t va;
	} operand[CHECK_OPERANDS];
	struct check_range range[CHECK_RANGES];
	struct check_flag flag[ANPU_PIPE_COUNT][ANPU_PIPE_COUNT][ANPU_EVENT_IDS];
	uint32_t owner[CHECK_GRANULES];
	struct check_granule granule[CHECK_GRANULES];
	struct check_touch byte[CHECK_GRANULES][CHECK_GRANULE];
};

/* The block's life and its synchronisation (check.c) -------------------------------------------- */

/** check_new() - NULL if host memory is exhausted */
struct check *check_new(void);
void check_free(struct check *c);

/** check_begin() - an operation of @pipe (enum anpu_pipe, not S) is issued; b->pc is its address */
void check_begin(struct core_block *b, unsigned int pipe, const char *name);

/** check_set() - a flag was set; @count of its sets wait to be waited for, this one included */
void check_set(struct core_block *b, unsigned int from, unsigned int to, unsigned int event,
	       unsigned int count);
/** check_wait() - a flag was waited for with success */
void check_wait(struct core_block *b, unsigned int from, unsigned int to, unsigned int event);
/** check_barrier() - the scalar unit has waited for all engines */
void check_barrier(struct core_block *b);

/**
 * check_scalar() - an access of the scalar unit, before it happens; also descriptors and texts
 * @name: what it is, for messages
 *
 * An access outside of every window passes here: it will fault for that.
 */
bool check_scalar(struct core_block *b, const char *name, uint64_t va, uint64_t size,
		  uint32_t access, struct core_fault *fault);
/** check_aligned() - is the address of a load or store of the scalar unit a multiple of its size? Not asked of stacks */
bool check_aligned(const char *name, uint64_t va, unsigned int size, uint32_t access, struct core_fault *fault);
/** check_amo() - check_scalar() for an atomic access, which also orders what sub-blocks do */
bool check_amo(struct core_block *b, uint64_t va, uint64_t size, uint32_t access, struct core_fault *fault);
/** check_cached() - may the TLB keep a page, @p for @va, so that accesses to it are not checked any more? */
bool check_cached(const struct core_block *b, uint64_t va, const uint8_t *p, uint32_t access);
/** check_records() - has the page of @va been looked at so that its stores are only to be recorded, until the TLB is flushed? */
bool check_records(struct core_block *b, uint64_t va);
/** check_word() - POST and AWAIT begin or end their access; nothing without the checking mode */
static inline void check_word(struct core_block *b, bool begin)
{
	if (b->check)
		b->check->word = begin;
}
/** check_value() - what the next write to global memory writes there; NULL: it has been done */
static inline void check_value(struct core_block *b, const void *value, uint64_t step)
{
	b->check->value = value;
	b->check->value_step = step;
}
/** check_cache() - DCCI: what the scalar unit has stored in global memory is there */
void check_cache(struct core_block *b);
/**
 * check_left_open() - a cross-core flag has been set, when @pipe had done what it was given: what other pipes may still
 * be doing belongs to the block's next step
 */
void check_left_open(struct core_block *b, unsigned int pipe);
/** check_parts() - the block has ended: tells the runtime which parts of its memory it has used, if that wants to know */
void check_parts(struct core_block *b);
/** check_end() - the block has ended: false, with @fault filled, if it has left flags or atomic copies set */
bool check_end(struct core_block *b, struct core_fault *fault);

/* Scratchpads, by the operation that check_begin() began (local.c) -------------------------- */

/** check_read() - bytes that the operation's result depends on: written before, and no race */
bool check_read(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		struct core_fault *fault);
/** check_write() - bytes that it writes: no race; they count as written from now on */
bool check_write(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		 struct core_fault *fault);
/** check_store_local() - the scalar unit has stored there: reads of engines need a flag, in buffers */
void check_store_local(struct core_block *b, uint64_t va, uint64_t size);
/** check_touch_read(), check_touch_write() - the races only */
bool check_touch_read(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		      struct core_fault *fault);
bool check_touch_write(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		       struct core_fault *fault);
/** check_is_written() - all of the bytes (or with @any at least one) have been written */
bool check_is_written(const struct core_block *b, uint64_t va, uint64_t size, bool any);
/** check_set_written() - from now on they count as written, or as not */
void check_set_written(struct core_block *b, uint64_t va, uint64_t size, bool written);
/** check_carry() - bytes that are copied count as written if their source does */
void check_carry(struct core_block *b, uint64_t dst, uint64_t src, uint64_t size);
/** check_buffer() - BUFFER: operations that begin in these bytes end there */
void check_buffer(struct core_block *b, uint64_t va, uint64_t size);
/** check_unwritten() - the fault for bytes of which one has not been written; returns false */
bool check_unwritten(struct core_block *b, const char *role, uint64_t va, uint64_t size,
		     struct core_fault *fault);

/* Global memory (global.c) ------------------------------------------------------------------- */

/** check_global() - @count pieces of @len bytes, @step apart; @access ANPU_ACCESS_*, both: atomic */
bool check_global(struct core_block *b, const char *role, uint64_t va, uint64_t len, uint64_t step,
		  uint64_t count, uint32_t access, struct core_fault *fault);
/** check_global_scalar() - an access of the scalar unit */
bool check_global_scalar(struct core_block *b, const char *name, uint64_t va, uint64_t size,
			 uint32_t access, struct core_fault *fault);
/** check_allocated() - are all bytes of a range allocated, as far as the runtime tells? (marks.c) */
bool check_allocated(struct core_block *b, uint64_t va, uint64_t size, uint32_t access, struct core_fault *fault);
/** check_page_allocated() - is all of the page of @va allocated? (marks.c) */
bool check_page_allocated(struct core_block *b, uint64_t va);
/** check_updated() - memory to which an atomic operation adds: has it been written? */
bool check_updated(struct core_block *b, uint64_t va, uint64_t size, struct core_fault *fault);
/** check_plain_page() - is all of the page at @p, of @va, allocated and written? */
bool check_plain_page(const uint8_t *p, uint64_t va);
/** check_loaded() - the scalar unit has loaded @size bytes at @p: have they been written? @name: what did it */
bool check_loaded(struct core_block *b, const char *name, uint64_t va, uint64_t size, const uint8_t *p,
		  struct core_fault *fault);
/**
 * check_carry_global() - @size bytes have been copied from global memory @src to a scratchpad, to @dst, at
 * @p: those that nothing has written are not written there, either
 */
void check_carry_global(struct core_block *b, uint64_t dst, uint64_t src, const uint8_t *p, uint64_t size);
/** check_global_left() - what may not be over for @engine belongs to the next step that other sub-blocks see */
void check_global_left(struct core_block *b, unsigned int engine);
/** check_store() - the scalar unit stores now: the number of the run that this belongs to */
static inline uint32_t check_store(struct check *c)
{
	c->stores += !c->storing;
	c->storing = true;
	return c->stores;
}
/** check_store_global() - the scalar unit has stored there; nothing in kernels without buffers */
void check_store_global(struct core_block *b, uint64_t va, uint64_t size);
/** check_global_live() - is there an access to the page of @va that the scalar unit may race with? */
bool check_global_live(const struct core_block *b, uint64_t va);

/* Inside ------------------------------------------------------------------------------------------- */

#define CHECK_COUNT(stamp)	((stamp) & (~0ULL >> 8))
#define CHECK_ENGINE(stamp)	((unsigned int)((stamp) >> 56))
/** CHECK_STORE - stamp of a store of the scalar unit, which only reads of other engines meet */
#define CHECK_STORE(number)	((uint64_t)CHECK_S << 56 | (number))

/** check_open() - is the operation of @stamp perhaps not over when one of @engine's starts? */
static inline bool check_open(const struct check *c, unsigned int engine, uint64_t stamp)
{
	unsigned int from = CHECK_ENGINE(stamp);

	if (unlikely(from == CHECK_S))
		return engine != CHECK_S && CHECK_COUNT(stamp) > c->stores_known[engine];
	return stamp && from != engine && CHECK_COUNT(stamp) > c->clock[engine][from];
}

/**
 * check_race() - the fault for an access that races with an earlier one; returns false
 * @name: of the operation
 * @engine: where it runs
 * @stamp: the earlier operation
 * @pc: of the earlier one
 * @wrote: it wrote, else read
 */
bool check_race(struct core_block *b, const char *name, const char *role, unsigned int engine,
		uint64_t va, uint64_t size, uint32_t access, uint64_t stamp, int32_t pc, bool wrote,
		struct core_fault *fault);

/** check_place() - "UB+0x40" or an address */
void check_place(uint64_t va, char *text, size_t size);

/** check_word_at() - the instruction at @pc, or 0 */
uint32_t check_word_at(struct core_block *b, uint64_t pc);

/** check_use() - @count granules from @n on are looked at, for the first time */
void check_use(struct check *c, int64_t n, int64_t count);
/** check_used() - they are looked at, perhaps again, which is the usual case */
static inline void check_used(struct check *c, int64_t n, int64_t count)
{
	if (unlikely(n < c->first || n + count > c->end))
		check_use(c, n, count);
}

/** check_number() - number of the granule of @va, or -1 if [va, va + size) is not checked */
int64_t check_number(uint64_t va, uint64_t size);

#endif /* ANPU_CHECK_H */
