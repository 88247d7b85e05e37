/* SPDX-License-Identifier: MIT */
/*
 * The device's state, shared by the files of the model. Documentation/model.md has the picture of threads and holders.
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
#include "queue/event.h"
#include "queue/queue.h"
#include "sched/pool.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the model shares memory with the guest as it is: the host must be little-endian"
#endif

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
	_Atomic int caller_cpu;		/* of the thread that has called a worker last */
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
	_Atomic uint64_t told_at;	/* when that was; 0: never */
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
	pthread_mutex_t list_lock;	/* codelist.c: a process's list is read by one thread at a time */

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

/* Processors that the process may use (model.c) */
unsigned int host_cpus(void);
/* Registers (regs.c) */
void regs_reset(struct anpu_model *m);

#endif /* ANPU_MODEL_INTERNAL_H */
