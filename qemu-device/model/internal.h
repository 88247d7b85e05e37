/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the model. Documentation/model.md has the picture of threads and holders.
 *
 * Locks, in the order in which they may be taken: cmd_lock, lock, eq.lock. No thread holds one of
 * them while it calls a host function, executes a packet or copies guest memory.
 */
#ifndef ANPU_MODEL_INTERNAL_H
#define ANPU_MODEL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <anpu/anpu_hw_check.h>
#include <anpu/anpu_hw.h>
#include <anpu/anpu_packet.h>

#include "anpu_model.h"
#include "core.h"
#include "gdb/gdb.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the model shares memory with the guest as it is: the host must be little-endian"
#endif

struct queue;
struct worker;

/* Data that different threads write all the time is kept so many bytes apart. */
#define CACHE_LINE	64

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* Words in guest-visible memory. seq_cst where the datasheet asks for a full barrier. */
#define shared_load(p)		__atomic_load_n(p, __ATOMIC_SEQ_CST)
#define shared_store(p, v)	__atomic_store_n(p, v, __ATOMIC_SEQ_CST)
#define shared_read(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define shared_write(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define shared_or(p, v)		((void)__atomic_fetch_or(p, v, __ATOMIC_SEQ_CST))

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* MMU (mmu.c) ---------------------------------------------------------------------------------- */

#define TLB_ENTRIES	512
/* An invalidation number counts the guest's in the high part and the host's in the low part. */
#define INVAL_GUEST_SHIFT	24
#define INVAL_GUEST	(1ULL << INVAL_GUEST_SHIFT)
#define INVAL_HOST	1ULL
#define MMU_IDLE	(~0ULL)

/**
 * struct tlb_entry - translation of a run of pages
 * @va: first address
 * @len: bytes, 0 for an empty entry
 * @gen: generation of the address space it was made in
 * @bind: 0, or the struct mmu.bind it is good for (transient mappings)
 * @host: host address of @va
 * @asid: address space
 * @rights: ANPU_ACCESS_*
 */
struct tlb_entry {
	uint64_t va;
	uint64_t len;
	uint64_t gen;
	uint64_t bind;
	uint8_t *host;
	uint32_t asid;
	uint32_t rights;
};

struct transient_map {
	struct anpu_mapping map;
	uint64_t len;
	bool write;
};

/**
 * struct mmu - one thread's MMU front end
 * @epoch: MMU_IDLE, or the newest invalidation this thread has acted on; while it is not idle the
 *	thread may hold pointers into guest memory
 * @asking: inside the host's map function, which may wait for a thread that resets the device
 * @bind: counts mmu_enter() calls
 */
struct mmu {
	_Atomic uint64_t epoch;
	_Atomic uint64_t asking;
	struct anpu_model *m;
	_Atomic uint64_t turns;		/* grows with mmu_enter() and mmu_poll(): progress */
	uint64_t gen;
	uint64_t bind;
	uint32_t asid;
	unsigned int n_maps;
	unsigned int max_maps;
	struct transient_map *maps;
	struct tlb_entry tlb[TLB_ENTRIES];
};

struct address_space {
	_Atomic uint64_t gen;		/* invalidation that made the present generation */
	_Atomic uint64_t code_gen;	/* generation the decoded code belongs to */
	_Atomic(struct code_cache *) code;
};

bool mmu_init(struct mmu *mmu, struct anpu_model *m);
void mmu_fini(struct mmu *mmu);
void mmu_enter(struct mmu *mmu, uint32_t asid);
void mmu_exit(struct mmu *mmu);
uint64_t mmu_invalidate(struct anpu_model *m, uint32_t asid, bool all, uint64_t step);
uint64_t mmu_done(struct anpu_model *m);
bool mmu_reset_done(struct anpu_model *m, uint64_t number);
/* Calls @fn for each leaf of an address space, none for space 0; 2 MiB leaves are one, 64 KiB leaves sixteen */
void mmu_each_leaf(struct anpu_model *m, uint32_t asid,
		   void (*fn)(void *arg, uint64_t va, uint64_t pte, uint64_t size), void *arg);
/* The byte of the HBM that has this address; NULL: none has */
uint8_t *mmu_hbm_of(struct anpu_model *m, uint32_t asid, uint64_t va);
bool mmu_read_mem(struct mmu *mmu, void *buf, uint64_t va, uint64_t len, struct core_fault *f);
/* is a pointer that was got in generation @gen still good? The thread is inside mmu_enter() */
bool mmu_pointer_valid(struct anpu_model *m, uint32_t asid, uint64_t gen);
uint64_t mmu_generation(struct anpu_model *m, uint32_t asid);
struct code_cache *mmu_code(struct anpu_model *m, uint32_t asid);
static inline bool mmu_transient(const struct mmu *mmu)
{
	return mmu->n_maps != 0;
}

/* Memory of the host that may go away (guard.c) ------------------------------------------------ */

#define GUARD_GONE	"the program's memory at 0x%llx, which the device was using, is not there any more"

bool guard_call(struct anpu_model *m, void (*fn)(void *arg), void *arg, uint64_t *addr);
void guard_fault(struct worker *w, uint64_t addr);

/* Faults (fault.c) ----------------------------------------------------------------------------- */

void fault_set(struct core_fault *f, uint32_t cause, uint32_t access, uint64_t addr,
	       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Queues --------------------------------------------------------------------------------------- */

/* Which thread may touch a queue. Changed under lock. */
enum queue_hold {
	HOLD_NONE,	/* nobody: idle, halted or stopped */
	HOLD_READY,	/* in a ready list */
	HOLD_OWNED,	/* a worker, a job or the manager */
	HOLD_PARKED	/* in the parked list */
};

enum queue_phase {
	PHASE_IDLE,	/* no packet in hand */
	PHASE_EXEC,	/* the packet in hand is to be executed, or again after parking */
	PHASE_END,	/* executed: its events are to be sent, then it completes */
	PHASE_FLUSH	/* completed: its completion event is to be sent */
};

enum park_kind {
	PARK_SEM,
	PARK_EVENT
};

enum exec_result {
	EXEC_DONE,
	EXEC_FAULT,	/* worker.fault and worker.where say what */
	EXEC_PARK,
	EXEC_ASYNC	/* a job has the queue now */
};

#define INTERRUPT_CMD	1U	/* the manager wants the queue at the next packet boundary */
#define INTERRUPT_KILL	2U	/* and the running packet shall end at once */
#define INTERRUPT_END	4U	/* and so shall the packet queue.end, if it is the running one */

#define QUEUE_CMDS_MAX	256
#define QUEUE_OWED_MAX	6

/**
 * struct queue_cmd - a command that has not been carried out
 * @cmd: enum anpu_queue_cmd
 * @arg: its argument
 */
struct queue_cmd {
	uint32_t cmd;
	uint32_t arg;
};

/**
 * struct fault_where - the block of a kernel that has failed
 * @core_type: enum anpu_core_type of the sub-block
 */
struct fault_where {
	uint32_t block;
	uint32_t sub_block;
	uint32_t core;
	uint8_t core_type;
};

#include "job.h"

enum busy_unit {
	BUSY_CUBE,
	BUSY_VECTOR,
	BUSY_UNITS
};

/**
 * struct queue_busy - a queue's part of struct busy
 * @blocks: blocks of the queue's kernels that have an AI core now
 * @seen: what struct busy's @share was when the status page was last brought up to date
 * @rest: what was then left of a nanosecond
 */
struct queue_busy {
	unsigned int blocks[BUSY_UNITS];
	uint64_t seen[BUSY_UNITS];
	uint64_t rest[BUSY_UNITS];
};

struct queue {
	struct anpu_model *m;
	unsigned int id;

	/* of any thread */
	_Alignas(CACHE_LINE)
	_Atomic uint64_t doorbell;
	_Atomic uint64_t bad_doorbell;		/* 0, or a refused doorbell value + 1 */
	_Atomic unsigned int kicked;
	_Atomic unsigned int live;
	_Atomic unsigned int interrupt;
	_Atomic uint64_t begun;			/* the newest packet that has begun; no lock */
	_Atomic uint64_t end;			/* the packet to end, with INTERRUPT_END */
	struct queue *kick_next;

	/* under cmd_lock */
	_Alignas(CACHE_LINE)
	struct queue_cmd cmds[QUEUE_CMDS_MAX];
	unsigned int n_cmds;
	bool cmd_listed;
	struct queue *cmd_next;

	/* the manager's */
	bool manager_has;
	bool stopping;				/* its STOPPED event is still owed */

	/* under lock */
	enum queue_hold hold;
	struct queue *next, *prev;
	uint64_t ready_since;			/* when it was made ready, 0: no job was waiting then */
	enum park_kind park;
	_Atomic uint64_t *park_sem;
	bool park_shared;	/* it may be written by other processes */
	uint64_t park_gen;
	uint64_t park_deadline;

	/* the holder's */
	struct anpu_queue_context ctx;
	uint8_t *ring;
	struct anpu_queue_status *status;
	struct anpu_queue_control *control;
	enum anpu_queue_state state;
	uint64_t mask;
	uint64_t avail;
	uint64_t completed;
	uint64_t errors;
	uint64_t busy_since;
	uint64_t began;				/* device clock when the packet in hand was taken */
	uint64_t wrote;				/* copy_bytes up to the last traced packet's end */
	uint32_t polling;
	bool brief;				/* its last kernel took less than BRIEF_NS */
	bool halting;
	bool halts;				/* the packet in hand halts it if it fails */
	enum queue_phase phase;
	union anpu_packet pkt;
	struct anpu_pkt_header ring_hdr;
	bool ib_active;
	uint64_t ib_addr;
	uint32_t ib_count;
	uint32_t ib_index;
	uint32_t ib_next;			/* behind the packet in hand */
	bool waiting;				/* the SEM_WAIT in hand has begun */
	uint64_t wait_deadline;
	struct anpu_event owed[QUEUE_OWED_MAX];
	unsigned int n_owed;
	struct queue_busy busy;			/* under lock */

	struct job *job;			/* of the packet in hand; one of @jobs */

	/* early.c; under lock, but for the holder's reads */
	struct job *early;			/* of the packet behind that, if it has begun; or NULL */
	uint64_t not_early;			/* packet that is known to wait for the one in front */
	union anpu_packet early_pkt;
	struct job jobs[2];
};

#define WORD_BEGUN	1U
#define WORD_TRIGGERED	2U

/** struct event_queue - device side of an event queue */
struct event_queue {
	pthread_mutex_t lock;
	uint64_t base;
	unsigned int log2;		/* 0: disabled */
	uint64_t wptr;
	struct anpu_event_header *header;
	struct anpu_event *entries;
};

/**
 * struct busy - how long AI cores have had blocks, without those of struct busy_single; under lock
 * @since: device clock up to which @total counts
 * @blocks: blocks that have an AI core now
 * @total: nanoseconds of AI cores until @since
 * @share: nanoseconds << BUSY_SHIFT of an AI core that one block would have had until @since
 * @left_out: nanoseconds of @total and of the workers' that @taken leaves out
 * @taken: values of the registers BUSY_CUBE and BUSY_VECTOR
 * @taken_at: device clock of the read of BUSY_AT that stored them
 */
struct busy {
	uint64_t since;
	unsigned int blocks[BUSY_UNITS];
	uint64_t total[BUSY_UNITS];
	uint64_t share[BUSY_UNITS];
	uint64_t left_out[BUSY_UNITS];
	_Atomic uint64_t taken[BUSY_UNITS];
	uint64_t taken_at;
};

/**
 * struct busy_single - the same for kernels of one block; written by the worker that executes them
 * @turn: odd while the other fields change
 * @units: 1 << enum busy_unit for each unit of the block that it executes now, 0: none
 * @since: device clock when that block began
 * @told: device clock up to which the block's queue has its time
 * @total: nanoseconds of blocks that have ended
 */
struct busy_single {
	unsigned int turn;
	unsigned int units;
	uint64_t since;
	uint64_t told;
	uint64_t total[BUSY_UNITS];
};

struct worker {
	struct anpu_model *m;
	unsigned int id;
	pthread_t thread;
	bool started;
	_Atomic unsigned int busy;	/* number + 1 of the queue whose packet it executes, or 0 */
	uint64_t seen_turns;		/* the manager's: mmu.turns when it last changed, and when */
	uint64_t seen_at;
	struct queue *linger;		/* idle queue that it holds and watches while it spins */
	unsigned int streak;		/* packets executed since it last looked for other work */
	uint64_t clock;			/* when it last read the device's clock */
	uint64_t looked;		/* device clock when it last looked for other work */
	uint64_t backlog;		/* since when more is ready than it takes, or 0 */
	struct busy_single single;
	uint64_t pipe_ns[ANPU_PIPE_COUNT]; /* of the turn that it gives a block; see core_block_pipes() */
	struct core_spare spare;	/* kept from its last kernel of one block, until it sleeps */
	struct core_fault fault;
	struct fault_where where;
	struct mmu mmu;
};

struct counters {
	_Alignas(CACHE_LINE)
	_Atomic uint64_t packets, kernels, blocks, insns, tiles, faults, copy_bytes, interrupts,
			 events, preemptions;
	/* written by the host's threads */
	_Alignas(CACHE_LINE)
	_Atomic uint64_t doorbells, bad_access, wakeups;
};

struct anpu_model {
	struct anpu_config cfg;
	struct anpu_host_ops ops;
	void *ctx;
	uint8_t *hbm;
	uint64_t clock_base;

	/* registers */
	_Atomic uint64_t control, resetting, resets, asid_table, queue_table, timeout, calibrate;
	_Atomic uint64_t calibrate_request;
	_Atomic unsigned int calibrating;
	struct counters count, base;	/* base: values at the last reset */
	_Atomic uint64_t inval_base;

	/* invalidation */
	pthread_mutex_t inval_lock;
	_Atomic uint64_t inval_issued;
	_Atomic uint64_t inval_done;
	_Atomic uint64_t all_gen;
	struct address_space *spaces;
	pthread_mutex_t code_lock;

	/* scheduler */
	pthread_mutex_t lock;
	struct queue *ready_head[ANPU_PRIORITIES], *ready_tail[ANPU_PRIORITIES];
	struct job *jobs;
	struct queue *parked;
	_Atomic unsigned int n_parked;
	_Atomic unsigned int n_shared;	/* of these for words that other processes may write */
	_Atomic unsigned int n_work;	/* ready queues and jobs with something to hand out */
	_Alignas(CACHE_LINE)
	_Atomic(struct queue *) kicks;
	/* a doorbell only reads these, and they change seldom */
	_Alignas(CACHE_LINE)
	_Atomic(struct anpu_shadow_doorbells *) shadow;	/* in the HBM, or NULL; see shadow.c */
	_Atomic unsigned int shadow_polling;	/* value of shadow->polling */
	_Atomic unsigned int watcher;	/* a worker's id + 1, WATCHER_CALLED, or 0; see pool.c */
	_Atomic unsigned int sleepers;
	_Atomic unsigned int wake;
	_Atomic unsigned int exiting;
	unsigned int n_workers;
	struct busy busy;
	uint64_t spin_ns;
	_Atomic uint64_t spin_now;	/* adapted to how the guest behaves */
	struct worker *workers;
	struct queue *queues;
	struct event_queue *eqs;
	pthread_mutex_t print_lock;	/* queues may share a print buffer; see print.c */

	/* manager */
	pthread_mutex_t cmd_lock;
	struct queue *cmd_list;
	bool reset_begun;
	pthread_t manager;
	bool manager_started;
	_Atomic unsigned int manager_wake;
	_Atomic unsigned int manager_deep;	/* it sleeps without a time limit */
	_Atomic unsigned int manager_slow;	/* it sleeps for a whole tick, or longer */
	_Atomic unsigned int told;	/* by another device: a word that this one waits for may have changed */
	_Atomic uint64_t foreign_since;	/* others_waited_for() */
	_Atomic uint64_t shared_since;	/* the same for a word that other processes may write */
	_Atomic uintptr_t shared_low, shared_high;	/* anpu_model_shared(): there are all of these; 0: none */
	struct anpu_model *next_model;	/* of all in this process, see others.c */
	_Atomic uint64_t heartbeat;
	struct mmu manager_mmu;

	/* the manager's interrupts, see event.c */
	pthread_t raiser;
	bool raiser_started;
	_Atomic unsigned int raiser_wake;
	_Atomic unsigned int raises[ANPU_MAX_EVENT_QUEUES];	/* not yet sent, by vector */

	struct gdb *gdb;		/* debug.c, or NULL */
	struct mmu debug_mmu;		/* of gdb's thread */

	char *core_file;		/* postmortem.c, or NULL */
	_Atomic unsigned int core_written;
	struct recording *recording;	/* record.c, or NULL */

	/* injected faults, see inject.c and plan.c */
	struct plan *plan;
	bool injecting;				/* by registers or by a plan */
	_Atomic uint64_t late[ANPU_MAX_EVENT_QUEUES];	/* when a late interrupt is due, 0: none; device clock */
	_Atomic uint64_t inject[ANPU_INJECT_COUNT];
	_Atomic uint64_t inject_stuck;		/* TLB_DONE stays below it, 0: no */
	_Atomic uint64_t inject_hold;		/* a reset does not go on before, device clock */
	_Atomic uint64_t inject_gone;		/* the device is gone until then, 0: it is there */
	_Atomic uint64_t inject_thaw;		/* the scheduler stands still until then */
	_Atomic unsigned int inject_frozen;
};

/**
 * queue_ends() - shall the packet in hand end at once? Asked by those who execute it
 *
 * Return: the cause, ANPU_FAULT_KILLED or ANPU_FAULT_ENDED, or 0.
 */
static inline uint32_t queue_ends(struct queue *q)
{
	unsigned int wanted = atomic_load_explicit(&q->interrupt, memory_order_acquire);

	if (likely(!(wanted & (INTERRUPT_KILL | INTERRUPT_END))))
		return 0;
	if (wanted & INTERRUPT_KILL)
		return ANPU_FAULT_KILLED;
	return atomic_load(&q->end) == q->completed + 1 ? ANPU_FAULT_ENDED : 0;
}

static inline uint64_t model_clock(struct anpu_model *m)
{
	return m->ops.clock(m->ctx) - m->clock_base;
}

static inline void count_add(_Atomic uint64_t *c, uint64_t n)
{
	atomic_fetch_add_explicit(c, n, memory_order_relaxed);
}

/* is [addr, addr + len) inside the HBM? */
static inline bool hbm_contains(const struct anpu_model *m, uint64_t addr, uint64_t len)
{
	return addr <= m->cfg.hbm_size && len <= m->cfg.hbm_size - addr;
}

/* ANPU_QUEUE_PRIORITY may change it at any time, under lock */
static inline uint32_t queue_priority(const struct queue *q)
{
	return __atomic_load_n(&q->ctx.priority, __ATOMIC_RELAXED);
}

/* Registers (regs.c) */
void regs_reset(struct anpu_model *m);

/* Shadow doorbells (shadow.c) */
void shadow_set(struct anpu_model *m, uint64_t addr);
uint64_t shadow_get(struct anpu_model *m);
void shadow_promise(struct anpu_model *m);
void shadow_leave(struct anpu_model *m, unsigned int watcher);
void shadow_forget(struct anpu_model *m, unsigned int id);
void shadow_take(struct anpu_model *m);				/* lock held */

/* May a shadow doorbell have rung? Cheap, as a worker that spins asks all the time. */
static inline bool shadow_rung(struct anpu_model *m)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->shadow);
	const uint64_t *group;
	uint64_t any = 0;

	if (!b)
		return false;
	group = (const uint64_t *)(const void *)b->group;
	for (unsigned int i = 0; i < sizeof(b->group) / 8; i++)
		any |= shared_load(&group[i]);
	return any;
}

/* Queues: state and completion (queue.c), for the commands (queue_cmd.c) */
void queue_set_state(struct queue *q, enum anpu_queue_state state);
void queue_owe(struct queue *q, uint16_t type, uint64_t seq);
uint64_t queue_account(struct queue *q, uint64_t now);
void queue_advance(struct queue *q);
void queue_show_halt(struct queue *q);
void queue_enter_halt(struct queue *q);
/* Queues (queue.c, queue_cmd.c): state, completion, commands */
void queue_run(struct worker *w, struct queue *q);
void queue_job_done(struct worker *w, struct queue *q, enum exec_result r);
bool queue_has_work(struct queue *q);
void queue_stop_polling(struct queue *q);
void queue_start(struct queue *q);
bool queue_stop(struct queue *q, bool with_event);
void queue_resume(struct queue *q);
bool queue_abort(struct queue *q);
bool queue_halt(struct queue *q);
void queue_set_halting(struct queue *q, bool halt);
void queue_count_command(struct queue *q);
void queue_end(struct queue *q, uint32_t seq);
void queue_refresh(struct queue *q);
void queue_forget(struct queue *q);
void queue_kick(struct anpu_model *m, unsigned int id);
void queue_rung(struct queue *q);				/* lock held */
void queue_doorbell(struct anpu_model *m, unsigned int id, uint64_t wptr);
bool queue_flush(struct queue *q);

/* Fault records (fault.c) */
void fault_record(struct queue *q, const struct core_fault *f, const struct fault_where *where,
		  uint64_t seq, bool of_packet);

/* Output of operators (print.c) */
bool print_text(struct mmu *mmu, const struct job *job, const struct core_text *text,
		struct core_fault *f);

/* Records of when packets and blocks ran (trace.c) */
void trace_packet(struct worker *w, struct queue *q, uint32_t cause);
void trace_block(struct worker *w, struct job *job, const struct unit *u, uint64_t begin,
		 enum core_result r);

/* Packets (packet.c) */
bool packet_check(const struct anpu_model *m, const struct queue *q, const union anpu_packet *p,
		  struct core_fault *f);
enum exec_result packet_exec(struct worker *w, struct queue *q);

/* Semaphores (sema.c) */
enum exec_result sema_signal(struct worker *w, struct queue *q);
enum exec_result sema_wait(struct worker *w, struct queue *q);
enum exec_result sema_jump(struct worker *w, struct queue *q);
bool sema_satisfied(const struct anpu_pkt_sem_wait *p, const _Atomic uint64_t *sem);

/* DMA (dma.c) */
enum exec_result dma_copy(struct worker *w, struct queue *q, uint64_t src, uint64_t dst,
			  uint64_t size);
enum exec_result dma_copy_2d(struct worker *w, struct queue *q);
enum exec_result dma_copy_desc(struct worker *w, struct queue *q);
enum exec_result dma_fill(struct worker *w, struct queue *q);
enum exec_result dma_reduce(struct worker *w, struct queue *q);
enum exec_result dma_random(struct worker *w, struct queue *q);
enum core_result dma_unit(struct worker *w, struct job *job, struct unit *u, struct core_fault *f);

/**
 * struct dma_slice - one worker's turn with a range of memory
 * @q: whose packet it is
 * @until: device clock when others may want to run; ~0: it ends with the range
 * @since: what has been moved since the last look at invalidations, kills and the clock
 * @written: bytes of the range that are done
 * @over: the clock has reached @until
 */
struct dma_slice {
	struct mmu *mmu;
	struct queue *q;
	uint64_t until;
	uint64_t since;
	uint64_t written;
	bool over;
};

/**
 * struct dma_pass - what dma_walk() does
 * @work: is given each run of both ranges
 * @poll: bytes between two looks at invalidations, kills and the clock
 * @access: ANPU_ACCESS_* of the destination
 * @combine: for @work of a REDUCE, whose elements have @element bytes
 */
struct dma_pass {
	void (*work)(const struct dma_pass *pass, void *to, const void *from, uint64_t n);
	uint64_t poll;
	unsigned int access;
	core_combine_fn combine;
	uint64_t element;
};

bool dma_look(struct dma_slice *s, uint64_t poll, uint64_t addr, struct core_fault *f);
bool dma_walk(struct dma_slice *s, const struct dma_pass *pass, uint64_t src, uint64_t dst,
	      uint64_t size, struct core_fault *f);

/* Reductions (reduce.c) */
bool reduce_range(struct dma_slice *s, uint64_t src, uint64_t dst, uint64_t size,
		  struct core_fault *f);

/* Random numbers (random.c) */
void random_block(uint32_t out[4], const uint64_t counter[2], uint64_t seed);
bool random_prepare(struct worker *w, struct queue *q, struct random_job *r);
bool random_range(struct dma_slice *s, const struct random_job *r, uint64_t at, uint64_t size,
		  struct core_fault *f);

/* Jobs (job.c) */
bool launch_read(struct worker *w, struct job *job);
enum exec_result job_start_kernel(struct worker *w, struct queue *q);
enum exec_result job_start_dma(struct worker *w, struct queue *q);
enum exec_result job_work(struct worker *w, struct job *job, struct queue **finished);
bool job_abort(struct queue *q);

/* for kernel.c; lock held: job_set_aside(), job_over() */
enum core_result job_run_unit(struct worker *w, struct job *job, struct unit *u, uint64_t slice);
void job_set_aside(struct worker *w, struct job *job, const struct unit *u, bool blocked, uint64_t now);
bool job_over(struct job *job);
void job_end_block(struct anpu_model *m, struct unit *u, bool completed);
uint32_t job_ends(const struct job *job);
void job_set_where(struct worker *w, const struct job *job, const struct unit *u);
enum exec_result job_begin(struct worker *w, struct job *job);
void job_reset(struct job *job, enum job_type type, uint32_t total, uint32_t cores);
uint64_t job_limit_of(struct anpu_model *m, uint64_t timeout_us);

/* Kernels (kernel.c) */
bool job_make_kernel(struct worker *w, struct job *job, const struct anpu_pkt_kernel *pkt);
void job_set_deadline(const struct worker *w, struct job *job);
void job_update_listing(struct anpu_model *m, struct job *job);		/* lock held */
void job_drop(struct job *job);
enum exec_result job_end(struct worker *w, struct job *job);

/* A kernel that begins before the one in front of it has completed (early.c) */
bool early_wanted(struct job *job);				/* lock held, or nobody else has it */
struct job *early_begin(struct worker *w, struct queue *q);
enum exec_result early_take_over(struct worker *w, struct queue *q);
bool early_ends(struct queue *q);
bool early_kill(struct queue *q);
void early_forget(struct queue *q);

/* The words of a launch (launch.c) */
bool launch_words(struct anpu_model *m, struct mmu *mmu, struct job *job, bool end, struct core_fault *f);
void launch_abandoned(struct anpu_model *m, struct mmu *mmu, struct job *job);

/* Worker pool (pool.c) */

/* A worker that executes something no longer than this stays the watcher. */
#define BRIEF_NS	8000ULL
/* The same for copies and fills, in bytes. */
#define BRIEF_BYTES	(64ULL << 10)
/* How long a block or copy runs at most while others of its priority want to run, too. */
#define SLICE_NS	1000000ULL

void *pool_worker(void *arg);
void pool_ready(struct anpu_model *m, struct queue *q);		/* lock held */
void pool_list_job(struct anpu_model *m, struct job *job);	/* lock held */
void pool_unlist_job(struct anpu_model *m, struct job *job);	/* lock held */
void pool_kicked(struct queue *q);				/* lock held */
void pool_drain_kicks(struct anpu_model *m);			/* lock held */
void pool_wake(struct anpu_model *m, unsigned int n);
bool pool_watching(const struct worker *w);
void pool_unwatch(struct worker *w);
bool pool_look(struct worker *w, uint32_t priority);
bool pool_urgent(struct worker *w, uint32_t priority, const struct job *job);
bool pool_outranked(struct anpu_model *m, const struct job *job);	/* lock held */
void pool_release(struct queue *q);
bool pool_park(struct worker *w, struct queue *q, enum park_kind kind);
void pool_unpark(struct anpu_model *m, struct queue *q);	/* lock held */
void pool_memory_written(struct worker *w, const void *sem);
void pool_word_written(struct anpu_model *m, struct mmu *mmu, const void *sem);
unsigned int pool_examine_parked(struct anpu_model *m, struct mmu *mmu, const void *sem);
/* words of parked queues that a worker sleeps on, at most */
#define POOL_WORDS_MAX	16
struct pool_word {
	const void *at;
	uint32_t value; /* of its lower half, with which the queue has to wait */
};
bool pool_shared_words(struct worker *w, struct pool_word words[POOL_WORDS_MAX], unsigned int *n);
bool pool_take(struct queue *q);
void pool_set_priority(struct queue *q, uint32_t priority);

/* Manager (manager.c) */
void *manager_main(void *arg);
void manager_kick(struct anpu_model *m);

/* others.c: words that are not this device's own */
/* between looks of the manager at what waits: at most and at least */
#define TICK_NS		1000000ULL
#define TICK_LEAST_NS	20000ULL
/* the same at least where devices tell, and only programs' stores are to be seen */
#define TICK_SHARED_NS	100000ULL
void others_add(struct anpu_model *m);
void others_remove(struct anpu_model *m);
bool others_own(const struct anpu_model *m, const void *word);
bool others_share(const struct anpu_model *m, const void *word);
void others_tell(struct anpu_model *m, const void *word);
bool others_look(struct worker *w);
void others_waited_for(struct anpu_model *m, const void *word);
uint64_t others_spin(struct anpu_model *m, uint64_t ns);
void others_sleep(struct worker *w, unsigned int seq);
uint64_t others_tick(struct anpu_model *m);
bool manager_command(struct anpu_model *m, unsigned int queue, unsigned int cmd, uint32_t arg);
void manager_begin_reset(struct anpu_model *m);

/* Injected faults (inject.c) */
bool inject_write(struct anpu_model *m, unsigned int fault, uint64_t value);
bool inject_slow(struct anpu_model *m, enum anpu_inject fault, unsigned int queue, uint32_t *ms);
bool inject_armed_slow(struct anpu_model *m, enum anpu_inject fault, unsigned int queue);
enum exec_result inject_hang(struct worker *w, struct queue *q, uint64_t until);
bool inject_holds_reset(struct anpu_model *m);
void inject_reset_begins(struct anpu_model *m);
void inject_reset_done(struct anpu_model *m);
void inject_pci_reset(struct anpu_model *m);
bool inject_gone_slow(struct anpu_model *m);

/* Does this fault happen now? */
static inline bool inject(struct anpu_model *m, enum anpu_inject fault, unsigned int queue)
{
	return unlikely(m->injecting) && inject_slow(m, fault, queue, NULL);
}

static inline bool inject_armed(struct anpu_model *m, enum anpu_inject fault, unsigned int queue)
{
	return unlikely(m->injecting) && inject_armed_slow(m, fault, queue);
}

static inline bool inject_gone(struct anpu_model *m)
{
	return unlikely(m->injecting) && inject_gone_slow(m);
}

/* Operators in gdb (debug.c) */
bool debug_begin(struct anpu_model *m, char *err, size_t size);
void debug_end(struct anpu_model *m);
void debug_begins(struct worker *w, const struct job *job, const struct unit *u);
bool debug_turn_slow(struct worker *w, struct job *job, struct unit *u);
void debug_failed_slow(struct worker *w, struct job *job, struct core_block *b, const struct core_fault *fault);
bool debug_attends_slow(struct anpu_model *m);

/* May the block run? Waits while gdb has stopped it; false: not now. Outside of mmu_enter() */
static inline bool debug_turn(struct worker *w, struct job *job, struct unit *u)
{
	return likely(!w->m->gdb) || debug_turn_slow(w, job, u);
}

/* The block is about to end with this fault: gdb looks at it. Outside of mmu_enter() */
static inline void debug_failed(struct worker *w, struct job *job, struct core_block *b, const struct core_fault *fault)
{
	if (unlikely(w->m->gdb != NULL) && b)
		debug_failed_slow(w, job, b, fault);
}

/* Does time not count, as a person looks at operators? */
static inline bool debug_attends(struct anpu_model *m)
{
	return unlikely(m->gdb != NULL) && debug_attends_slow(m);
}

/* Core files (postmortem.c) */
void postmortem(struct worker *w, struct job *job, struct unit *u);
void postmortem_of_deadlock(struct worker *w, struct job *job);

/* Recorded runs (record.c) */
#define RECORD_TICK	64
bool record_begin(struct anpu_model *m, char *err, size_t size);
void record_end(struct anpu_model *m);
void record_task_slow(struct queue *q);
void record_ended_slow(struct queue *q, uint32_t cause);
uint64_t record_clock(struct anpu_model *m);

static inline void record_task(struct queue *q)
{
	if (unlikely(q->m->recording != NULL))
		record_task_slow(q);
}

/* The clock that operators and what they print have: it can be repeated where the run is recorded */
static inline uint64_t operator_clock(struct anpu_model *m)
{
	return unlikely(m->recording != NULL) ? record_clock(m) : model_clock(m);
}

/* Plans of faults (plan.c) */
bool plan_begin(struct anpu_model *m);
void plan_end(struct anpu_model *m);
bool plan_task_slow(struct worker *w, struct queue *q, enum exec_result *r);
bool plan_interrupt_slow(struct anpu_model *m, uint64_t *late_ms);

/* Is the packet in hand not to be executed as usual? *@r is then what has become of it */
static inline bool plan_task(struct worker *w, struct queue *q, enum exec_result *r)
{
	return unlikely(q->m->plan != NULL) && !q->early && plan_task_slow(w, q, r);
}

/* Is an interrupt lost? If not, it may come *@late_ms later */
static inline bool plan_interrupt(struct anpu_model *m, uint64_t *late_ms)
{
	return unlikely(m->plan != NULL) && plan_interrupt_slow(m, late_ms);
}

bool inject_frozen_slow(struct anpu_model *m);

static inline bool inject_frozen(struct anpu_model *m)
{
	return unlikely(m->injecting) && atomic_load(&m->inject_frozen) && inject_frozen_slow(m);
}

/* How busy the AI cores are (busy.c) */
void busy_begins(struct anpu_model *m, const struct job *job, uint32_t unit, uint64_t now);
void busy_ends(struct anpu_model *m, const struct job *job, uint32_t unit, uint64_t now);
void busy_goes_on(struct anpu_model *m, const struct job *job, uint64_t now);
void busy_single_begins(struct worker *w, const struct anpu_pkt_kernel *p);
void busy_single_goes_on(struct worker *w, struct queue *q, uint64_t now);
void busy_single_ends(struct worker *w, struct queue *q, uint64_t now);
uint64_t busy_take(struct anpu_model *m);

/* Event queues (event.c) */
bool event_send(struct anpu_model *m, unsigned int eq, const struct anpu_event *e, bool manager);
void *event_raiser(void *arg);
bool event_has_room(struct anpu_model *m, unsigned int eq, uint16_t type);
bool event_enabled(struct anpu_model *m, unsigned int eq);
bool event_set_base(struct anpu_model *m, unsigned int eq, uint64_t base);
bool event_set_size(struct anpu_model *m, unsigned int eq, uint64_t log2);
uint64_t event_get_base(struct anpu_model *m, unsigned int eq);
uint64_t event_get_size(struct anpu_model *m, unsigned int eq);
void event_reset(struct anpu_model *m);

/* Futex (pool.c) */
void futex_wait(_Atomic unsigned int *word, unsigned int value, uint64_t timeout_ns);
unsigned int futex_wake(_Atomic unsigned int *word, unsigned int n);

#endif /* ANPU_MODEL_INTERNAL_H */
