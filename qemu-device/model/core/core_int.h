/* SPDX-License-Identifier: MIT */
/*
 * Inside the AI core: blocks, their memory, decoded code. The door to the rest of the model is
 * ../core.h.
 */
#ifndef ANPU_CORE_INT_H
#define ANPU_CORE_INT_H

#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "../core.h"
#include <anpu/anpu_isa.h>

#include "tile/ahead.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define PAGE_SHIFT	12
#define PAGE_SIZE	4096u
#define PAGE_INSNS	1024u

/* Core-local addresses that any window can have, and the host memory behind them. */
#define LOCAL_BASE	ANPU_UB_BASE
#define LOCAL_END	(ANPU_STACK_BASE + ANPU_STACK_SIZE)
#define LOCAL_PAGES	((LOCAL_END - LOCAL_BASE) >> PAGE_SHIFT)

/* Decoded code --------------------------------------------------------------------------------- */

/**
 * struct insn - one decoded instruction
 * @go: address of the handler in exec.c
 * @rd: destination register; 32 stands for "nowhere" when the encoding says x0
 * @imm: immediate, byte offset inside the decoded page for near branches, or rounding mode
 */
struct insn {
	const void *go;
	uint8_t rd;
	uint8_t rs1;
	uint8_t rs2;
	uint8_t rs3;
	int32_t imm;
};

/**
 * struct code_page - a decoded page of code; immutable once it can be found, but for what is atomic
 * @jit: its instructions with translated code, or NULL; @insn[].go of these leads there
 * @lanes: its instructions as lanes have them, or NULL
 * @insn: one per word, then one that leads to the next page
 * @raw: the words, for fault records
 */
struct code_page {
	struct code_page *next;
	_Atomic(struct jit_page *) jit;
	_Atomic(struct lane_page *) lanes;
	uint64_t va;
	struct insn insn[PAGE_INSNS + 1];
	uint32_t raw[PAGE_INSNS];
};

#define CODE_BUCKETS	256
#define CODE_MAX_PAGES	4096

/**
 * struct code_gen - decoded code between two invalidations; lives until the last block lets go
 */
struct code_gen {
	unsigned int refs;
	unsigned int pages;
	_Atomic(struct gen_jit *) jit;
	_Atomic(struct code_page *) bucket[CODE_BUCKETS];
};

struct code_cache {
	pthread_mutex_t lock;
	struct code_gen *gen;
	atomic_uint serial;
	atomic_uint jit;	/* enum core_jit */
	unsigned int jit_before;	/* what @jit was when a debugger came */
	struct core_breaks breaks;	/* changes while no block runs */
	struct core_block *pool;
	unsigned int pooled;
	unsigned int live;
};

/** code_cache_attend() - a debugger's wishes for this address space; none of its blocks runs if they have changed */
void code_cache_attend(struct code_cache *c, const struct core_breaks *breaks);
struct code_gen *code_gen_get(struct code_cache *c, unsigned int *serial);
void code_gen_put(struct code_cache *c, struct code_gen *g);
struct code_page *code_page_find(struct code_cache *c, struct code_gen *g, struct mmu *mmu,
				 uint64_t va, struct core_fault *fault);
/** code_page_lookup() - the page at @va, aligned, if it has been decoded */
struct code_page *code_page_lookup(struct code_gen *g, uint64_t va);

/*
 * The handler of an instruction changes once: when it gets translated code, while others run. Both
 * handlers do the same thing, so it does not matter which of them a thread sees.
 */
static inline const void *insn_go(const struct insn *i)
{
	return __atomic_load_n(&i->go, __ATOMIC_RELAXED);
}

static inline void insn_set_go(struct insn *i, const void *go)
{
	__atomic_store_n(&i->go, go, __ATOMIC_RELEASE);
}

/** decode_page() - decode the words in @page->raw; @go maps enum insn_op to handlers */
void decode_page(struct code_page *page, const void *const *go);
/**
 * step_page_new() - a page on which every instruction is "return to who asked for one step"
 * step_page_set() - put instruction @n of @from there, or with @from NULL take it away again
 */
struct code_page *step_page_new(const void *const *go);
void step_page_set(struct code_page *step, const struct code_page *from, unsigned int n,
		   const void *const *go);
/** page_break() - before instruction @n of a decoded page, return to who runs the block */
void page_break(struct code_page *page, unsigned int n, const void *const *go);
/**
 * decode_far() - decode one word: enum insn_op, operands in @i
 *
 * As if every jump left its page: no pairs, immediates of jumps and branches in bytes.
 */
unsigned int decode_far(uint32_t word, struct insn *i);
/** exec_handlers() - the table for decode_page() */
const void *const *exec_handlers(void);

/**
 * clear() - zero some hundred bytes
 *
 * If gcc knows the size, it makes of memset() a string instruction, which takes longer to start
 * than the whole call of memset() does.
 */
static inline void clear(void *to, size_t size)
{
	__asm__("" : "+r"(size));
	memset(to, 0, size);
}

/** copy() - the same for memcpy() */
static inline void copy(void *to, const void *from, size_t size)
{
	__asm__("" : "+r"(size));
	memcpy(to, from, size);
}

/* Blocks --------------------------------------------------------------------------------------- */

#define TLB_BITS	12
#define TLB_SIZE	(1u << TLB_BITS)

/**
 * struct tlb_entry - one page of data
 * @rtag: page number if reads may take the fast path, else TLB_NONE
 * @wtag: the same for writes
 * @off: host address minus virtual address
 * @lists: TLB_IN_*: the lists that have the entry's slot; also makes the size a power of two, so that an index is a shift
 */
struct tlb_entry {
	uint64_t rtag;
	uint64_t wtag;
	uintptr_t off;
	uint64_t lists;
};

#define TLB_IN_USED	1ULL
#define TLB_IN_LOCAL	2ULL

#define TLB_NONE	(~0ULL)

/*
 * Arrays are often a multiple of 2 MiB apart, and an operator walks through several of them at
 * once: their pages' numbers have the same low bits. The upper bits of the product with this number
 * differ.
 */
#define TLB_HASH	0x9e3779b1u

/** tlb_index() - the only slot of the TLB that the page of @va can be in */
static inline unsigned int tlb_index(uint64_t va)
{
	return (uint32_t)(va >> PAGE_SHIFT) * TLB_HASH >> (32 - TLB_BITS);
}

/**
 * struct tlb_near - the page that a place in translated code has used last
 * @rbase: its address if reads may take the fast path, else NEAR_NONE
 * @wbase: the same for writes
 * @off: host address minus virtual address
 *
 * Filled from the TLB by translated code, so that the host address of most accesses does not depend on
 * a look-up by address.
 */
struct tlb_near {
	uint64_t rbase;
	uint64_t wbase;
	uintptr_t off;
	uint64_t unused;
};

#define NEAR_SLOTS	64u
#define NEAR_NONE	0x800	/* equals no address whose bits 3 to 11 are zero */

/** L0_FRACTALS - fractals of 512 bytes of L0A, then of L0B */
#define L0_FRACTALS	((ANPU_L0A_SIZE + ANPU_L0B_SIZE) / 512)

/**
 * struct block_jit - what a block and its translated code tell each other
 * @credit: instructions until the next poll
 * @total: instructions retired when @credit is zero
 * @fault: to be filled when an instruction faults
 */
struct block_jit {
	int64_t credit;
	uint64_t total;
	struct core_fault *fault;
};

/** struct core_csrs - the writable custom CSRs */
struct core_csrs {
	uint64_t fpctl;
	uint64_t vmask[2];
	uint64_t padval;
	uint64_t atomic;
	uint64_t quant;
	uint64_t selmask;
	uint64_t cmpmask[2];
	uint64_t bias;
	uint64_t vcount;
	uint64_t accval;
	uint64_t cubeuse;
};

/**
 * struct core_block - a block: the whole state of its scalar unit and its scratchpads
 * @x: integer registers; x[32] takes writes to x0
 * @f: floating-point registers, narrower values NaN-boxed
 * @frm: dynamic rounding mode
 * @fflags: exceptions raised by software or before the last run; the host has the others
 * @fp_hot: host arithmetic does for the rounding mode in @frm
 * @fma_hot: fused multiply-add, too
 * @pc: next instruction while the block is not running; in a tile operation its address
 * @retired: instructions retired up to the last entry into the interpreter or poll
 * @credit: what was left to the next poll when the block, or one before it, ended
 * @jit_exits: how often translated code has ended at code that has no translation, since the last sample of that
 * @local: host memory for LOCAL_BASE to LOCAL_END; address v is at local + v - LOCAL_BASE
 * @dirty: pages of @local that may be other than zero
 * @wait: what a blocked block waits for, see sync.c
 * @reserved_va: address of lr's reservation, or ~0; @reserved_bytes wide, with @reserved_value
 * @triggered: it has executed TRIGGER, or counts as if it had
 * @cluster: its cluster, NULL if that has one block; see cluster.c
 * @rank: its number there
 * @arrivals: how often it has arrived at the cluster's barrier; @arrived: and has not waited since
 * @threads: the block's threads, NULL if it has one
 * @spare_threads: memory for them that an earlier block has left
 * @launched: local memory has a struct anpu_block_info
 * @tlb_stamp: mmu_stamp() of @tlb_mmu when the last run ended, which has left translations of global memory; else 0
 * @tlb_used: slots of @tlb that may not be empty; @tlb_local: those that may have a page of core-local memory
 * @near: pages that translated code has used last, by place
 * @near_used: some of @near are not empty
 * @tile_cost: set by tile operations, instructions' worth of time they took
 * @ahead: what the memory engines will probably read next
 * @written: bytes that copies have written to global memory in one run, up to @written_to
 * @l0_type: per fractal of L0A and L0B: type that its wide form is kept of (tile/l0.c), 0: none
 * @check: state of the checking mode, NULL: it is off
 * @watch: results are looked at for overflows
 * @overflow: ANPU_OVERFLOW_* of tile operations since core_block_overflow() was asked; only if @watch
 * @pipe_ns: time of the pipes since core_block_pipes() was asked; only if the kernel wants it
 * @operations: where tile operations are noted, or NULL; see core_block_note()
 * @crowded: there is little room left: the run ends at the next poll
 * @fflags_told: those of @fflags that core_block_overflow() has told, or that software has set
 * @stepping: exec_run() executes one instruction, on @step_page
 * @attended: a debugger watches: threads run alone
 * @tool: core_block_set_tool()
 */
struct core_block {
	uint64_t x[33];
	uint64_t f[32];
	uint64_t pc;
	uint64_t retired;
	int64_t credit;
	uint64_t tiles;
	uint32_t jit_exits;
	struct block_jit jit;
	uint32_t frm;
	uint32_t fflags;
	uint32_t tile_cost;
	bool fp_hot;
	bool fma_hot;
	struct core_csrs csr;

	struct core_kernel *kernel;
	struct mmu *mmu;
	struct check *check;
	bool watch;
	uint8_t overflow;
	uint8_t fflags_told;
	uint32_t block;
	uint32_t sub_block;
	uint32_t core;
	uint32_t core_type;
	bool no_cube;
	uint8_t *local;
	uint64_t dirty[(LOCAL_PAGES + 63) / 64];
	uint64_t pipe_ns[ANPU_PIPE_COUNT];
	struct core_operations *operations;
	bool crowded;
	uint8_t flag[ANPU_PIPE_COUNT][ANPU_PIPE_COUNT][ANPU_EVENT_IDS];
	bool flags_used;
	struct ahead ahead;
	uint64_t written;
	uint64_t written_to;
	uint8_t l0_type[L0_FRACTALS];
	uint64_t wait;
	uint64_t reserved_va;
	uint64_t reserved_value;
	unsigned int reserved_bytes;
	bool triggered;
	struct cluster *cluster;
	uint32_t rank;
	uint32_t arrivals;
	bool arrived;
	struct threads *threads;
	struct threads *spare_threads;
	bool launched;

	struct code_gen *gen;
	unsigned int gen_serial;
	bool stepping;
	bool attended;
	void *tool;
	struct code_page *step_page;
	struct core_block *next;

	const struct mmu *tlb_mmu;
	uint64_t tlb_stamp;
	unsigned int tlb_count;
	unsigned int tlb_locals;
	uint16_t tlb_used[TLB_SIZE];
	uint16_t tlb_local[TLB_SIZE];
	struct tlb_entry tlb[TLB_SIZE];
	uint64_t near_used;
	struct tlb_near near[NEAR_SLOTS];
};

/**
 * core_lacks_cube() - whether cube operations are refused: on a vector core, unless it is part of
 * a MIX kernel and has asked for a cube unit in CSR cubeuse
 */
static inline bool core_lacks_cube(const struct core_block *b)
{
	return b->core_type == ANPU_CORE_AIV &&
	       (b->kernel->pkt.core_type != ANPU_CORE_MIX || !(b->csr.cubeuse & 1));
}

/** block_pool() - give a clean block that is not needed back to the pool of its address space */
void block_pool(struct code_cache *c, struct core_block *b);
/** core_block_destroy() - free a block that is in no pool */
void core_block_destroy(struct core_block *b);

/** exec_run() - interpret until something ends it; see core_block_run() */
enum core_result exec_run(struct core_block *b, uint64_t budget, struct core_fault *fault);

/**
 * block_note_fflags() - note exceptions in @flags as overflows, but for those that have been told
 */
void block_note_fflags(struct core_block *b, uint32_t flags);

/* Memory (mem.c) ------------------------------------------------------------------------------- */

void tlb_flush(struct core_block *b);
void tlb_near_clear(struct core_block *b);
/** tlb_keep() - a run has ended: keep translations of global memory, if @mmu allows it, for the next one */
void tlb_keep(struct core_block *b, const struct mmu *mmu);
bool mem_load_slow(struct core_block *b, uint64_t va, unsigned int size, void *to,
		   struct core_fault *fault);
bool mem_store_slow(struct core_block *b, uint64_t va, unsigned int size, const void *from,
		    struct core_fault *fault);
/** mem_read() - read any memory, local or global, of any length */
bool mem_read(struct core_block *b, uint64_t va, uint64_t size, void *to, struct core_fault *fault);
/** mem_atomic() - host address of an aligned word for an atomic access; NULL: @fault is filled */
void *mem_atomic(struct core_block *b, uint64_t va, unsigned int size, uint32_t access,
		 struct core_fault *fault);

/** local_ptr() - host address of a core-local address that has been checked */
static inline uint8_t *local_ptr(const struct core_block *b, uint64_t va)
{
	return b->local + (va - LOCAL_BASE);
}

/** l0_fractal() - number of the fractal that an address in L0A or L0B is in */
static inline uint64_t l0_fractal(uint64_t va)
{
	return va >= ANPU_L0B_BASE ? (va - ANPU_L0B_BASE + ANPU_L0A_SIZE) / 512 :
	       (va - ANPU_L0A_BASE) / 512;
}

/** local_is_l0() - whether an address is in L0A or L0B, or in no window */
static inline bool local_is_l0(uint64_t va)
{
	return va - ANPU_L0A_BASE < ANPU_L0B_BASE + ANPU_L0B_SIZE - ANPU_L0A_BASE;
}

/** local_dirty() - note that [va, va + size), in one window, is about to be written */
static inline void local_dirty(struct core_block *b, uint64_t va, uint64_t size)
{
	uint64_t first = (va - LOCAL_BASE) >> PAGE_SHIFT;
	uint64_t last = (va - LOCAL_BASE + size - 1) >> PAGE_SHIFT;

	for (; first <= last; first++)
		b->dirty[first / 64] |= 1ULL << (first % 64);
	if (unlikely(local_is_l0(va)))
		memset(b->l0_type + l0_fractal(va), 0, l0_fractal(va + size - 1) - l0_fractal(va) + 1);
}

/** local_window() - name of the window that holds all of [va, va + size), else NULL */
const char *local_window(uint64_t va, uint64_t size);
void local_clean(struct core_block *b);
/** local_fault() - @fault for an access below 4 GiB outside the windows */
void local_fault(uint64_t va, uint64_t size, uint32_t access, struct core_fault *fault);

/* Faults --------------------------------------------------------------------------------------- */

/** core_fail() - fill cause and message; returns false for the caller to pass on */
bool core_fail(struct core_fault *fault, uint32_t cause, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* CSRs (csr.c) --------------------------------------------------------------------------------- */

bool csr_read(struct core_block *b, unsigned int csr, uint64_t instret, uint64_t *value);
bool csr_write(struct core_block *b, unsigned int csr, uint64_t value);

/* Tile operations and system operations (tile.c, sys.c) ----------------------------------------- */

/** struct tile_args - register values of a tile operation */
struct tile_args {
	uint64_t rs1;
	uint64_t rs2;
	uint64_t rs3;
	uint64_t rd;
};

/** tile_exec() - run tile operation @op; false: @fault is filled and nothing else happened */
bool tile_exec(struct core_block *b, unsigned int op, const struct tile_args *a,
	       struct core_fault *fault);

/** tile_run() - execute the operation itself, without observers */
bool tile_run(struct core_block *b, unsigned int op, const struct tile_args *a,
	      struct core_fault *fault);
/** tile_pipe() - the pipe of an operation that exists; for operands that it refuses anyway any pipe will do */
unsigned int tile_pipe(unsigned int op, const struct tile_args *a);
/* Instructions from one poll to the next: 5 us of ordinary code */
#define POLL_INSNS	4096

/** observed_tile() - the same for kernels with an observer, or whose pipes' time is measured */
bool observed_tile(struct core_block *b, unsigned int op, const struct tile_args *a,
		   struct core_fault *fault);

enum sys_result {
	SYS_NEXT,
	SYS_EXIT,
	SYS_BLOCKED,
	SYS_FAULT,
	SYS_SWITCH,	/* the block has another thread's registers and pc */
	SYS_LEAVE	/* done, and the scheduler is to have a look before the block goes on */
};

enum sys_result sys_exec(struct core_block *b, unsigned int op, uint64_t rs1, uint64_t rs2,
			 struct core_fault *fault);
enum sys_result sys_run(struct core_block *b, unsigned int op, uint64_t rs1, uint64_t rs2,
			struct core_fault *fault);
enum sys_result observed_sys(struct core_block *b, unsigned int op, uint64_t rs1, uint64_t rs2,
			     struct core_fault *fault);

/* kernel-wide synchronisation (sync.c) */
bool sync_init(struct core_kernel *k, struct core_fault *fault);
void sync_fini(struct core_kernel *k);

#endif /* ANPU_CORE_INT_H */
