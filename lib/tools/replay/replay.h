/* SPDX-License-Identifier: MIT */
/* The device of anpu-replay: memory by physical address, address spaces, and a task at a time. */
#ifndef ANPU_REPLAY_H
#define ANPU_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include <anpu/anpu_hw.h>
#include <anpu/anpu_packet.h>

#include "anpu_model.h"
#include "diag/record_file.h"

/**
 * struct page - a page of memory
 * @addr: physical, with RECORD_SYSTEM
 * @bytes: where it is
 * @hash: of what it had when the task began
 * @expected: of what the task left there in the recorded run, if @told
 */
struct page {
	uint64_t addr;
	uint8_t *bytes;
	uint64_t hash;
	uint64_t expected;
	bool used, told;
};

struct space {
	struct record_leaf *leaf;
	uint64_t leaves;
	bool stale;		/* its page tables are older than @leaf */
};

struct replay_queue {
	bool started;
	uint64_t wptr;
	uint64_t errors;
	struct anpu_queue_context ctx;
};

struct replay {
	struct record_head head;
	struct anpu_model *model;
	uint8_t *hbm;
	uint64_t hbm_size;
	uint64_t free;		/* first byte of the HBM that nothing has yet */
	uint64_t tables;	/* where page tables begin; they are made anew from there */
	uint64_t *asids;
	struct anpu_queue_context *contexts;
	struct replay_queue *queue;
	struct space *spaces;
	struct page *page;	/* by address, a table of @pages_max with @pages in use */
	uint64_t pages, pages_max;
	uint64_t zero;

	/* the task in hand */
	struct record_task task;
	struct space *space;
	bool runs;
	uint64_t took;		/* by the task, then */
	uint32_t cause;
	unsigned int wrong_here;

	uint64_t tasks, syncs, wrong, skipped, overlapped;
	uint64_t to;
	bool verbose, keep_going, cut;
};

static inline uint64_t leaf_addr(const struct record_leaf *leaf)
{
	return (leaf->pte & ANPU_PTE_ADDR) | (leaf->pte & ANPU_PTE_SYSTEM ? RECORD_SYSTEM : 0);
}

bool replay_begin(struct replay *r, char *why, size_t size);
void replay_end(struct replay *r);
/* Runs @r->task; @r->cause is then why it failed, or 0. False and a sentence: it cannot be run */
bool replay_task(struct replay *r, char *why, size_t size);

/* The page with a physical address; made if it is not there yet. Ends the program if there is no memory */
struct page *page_at(struct replay *r, uint64_t addr);
/* The byte at a virtual address of the task's address space, NULL if it has none */
const uint8_t *byte_at(struct replay *r, uint64_t va);
struct space *space_of(struct replay *r, uint32_t asid);
/* The bytes of a RECORD_MAP */
void set_space(struct replay *r, const uint8_t *bytes, uint64_t size);

#endif
