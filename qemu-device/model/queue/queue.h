/* SPDX-License-Identifier: MIT */
/* Queues: their state, packets one after the other, completion, commands. */
#ifndef ANPU_MODEL_QUEUE_H
#define ANPU_MODEL_QUEUE_H

#include "anpu_model.h"
#include "launch/job.h"
#include "sched/busy.h"

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

/* ANPU_QUEUE_PRIORITY may change it at any time, under lock */
static inline uint32_t queue_priority(const struct queue *q)
{
	return __atomic_load_n(&q->ctx.priority, __ATOMIC_RELAXED);
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

#endif /* ANPU_MODEL_QUEUE_H */
