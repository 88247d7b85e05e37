// SPDX-License-Identifier: MIT
/*
 * Recording a run (cfg.record): the tasks in their order, and what memory has when each begins and ends, so that
 * anpu-replay can run them again.
 *
 * The device is not told when a program writes into memory, so it compares memory: before and after each task, all pages
 * of the task's address space are read and compared with the hashes of the last look. A recorded device is deterministic,
 * with one worker, which is the only thread that comes here but for record_begin() and record_end(). Effects of
 * synchronisation (semaphores, time stamps) are recorded with the memory that the next task finds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "diag/record.h"
#include "diag/record_file.h"
#include "memory/guard.h"
#include "queue/packet.h"

#define FIRST_SLOTS	1024

struct slot {
	uint64_t addr;		/* + 1, 0: free */
	uint64_t hash;
};

/**
 * struct recording - of a device
 * @file: NULL where a run is replayed, of which only the clock is here
 * @slot: hashes of the pages that have been seen, by address; @n of @max
 * @zero: hash of a page of zeros, which pages have that have not been seen
 * @leaf: of the address space that was looked at last, @leaves of @leaf_room
 * @map_hash: of @leaf as it was last written, by address space
 * @queue: whose task is under way, with number + 1; 0: none
 * @print: page with the head of the queue's print buffer, which the program writes while tasks run, too; ~0: none
 * @reads: of the clock by this task
 */
struct recording {
	FILE *file;
	struct slot *slot;
	uint64_t n, max;
	uint64_t zero;
	struct record_leaf *leaf;
	uint64_t leaves, leaf_room;
	uint64_t *map_hash;
	uint32_t queue;
	uint32_t flags;
	uint64_t print;
	uint64_t clock, reads;
	struct record_change *change;
	uint64_t changes, change_room;
	bool broken, told;
};

/* Writing -------------------------------------------------------------------------------------- */

static void put(struct recording *r, enum record_kind kind, const void *a, size_t na, const void *b, size_t nb)
{
	struct record_part part = { .kind = kind, .size = na + nb };

	if (r->broken)
		return;
	r->broken = fwrite(&part, sizeof(part), 1, r->file) != 1 || (na && fwrite(a, na, 1, r->file) != 1) ||
		    (nb && fwrite(b, nb, 1, r->file) != 1);
}

static void tell_broken(struct anpu_model *m)
{
	struct recording *r = m->recording;

	if (!r->broken || r->told || !m->ops.note)
		return;
	m->ops.note(m->ctx, "record: there is no memory, or no room in the file; what it has until now can be replayed");
	r->told = true;
}

/* Hashes of pages ------------------------------------------------------------------------------ */

static struct slot *find(struct recording *r, uint64_t addr)
{
	uint64_t i = ((addr / RECORD_PAGE) * 0x9e3779b97f4a7c15ULL) >> 20;

	while (r->slot[i & (r->max - 1)].addr && r->slot[i & (r->max - 1)].addr != addr + 1)
		i++;
	return &r->slot[i & (r->max - 1)];
}

static bool grow(struct recording *r)
{
	struct slot *old = r->slot;
	uint64_t n = r->max;

	if (2 * r->n < r->max)
		return true;
	r->slot = calloc(2 * n, sizeof(*r->slot));
	if (!r->slot) {
		r->slot = old;
		return false;
	}
	r->max = 2 * n;
	for (uint64_t i = 0; i < n; i++)
		if (old[i].addr)
			*find(r, old[i].addr - 1) = old[i];
	free(old);
	return true;
}

/* Remembers a page's hash. Return: whether it is another one than before. */
static bool changed(struct recording *r, uint64_t addr, uint64_t hash)
{
	struct slot *s = find(r, addr);
	uint64_t old = s->addr ? s->hash : r->zero;

	if (!s->addr) {
		if (hash == r->zero)
			return false;
		r->n++;
	}
	*s = (struct slot){ addr + 1, hash };
	return hash != old;
}

static bool room(void *list, uint64_t n, uint64_t *max, size_t size)
{
	void **at = list, *more;

	if (n < *max)
		return true;
	more = realloc(*at, 2 * (*max + 64) * size);
	if (!more)
		return false;
	*at = more;
	*max = 2 * (*max + 64);
	return true;
}

/* Looking at memory ---------------------------------------------------------------------------- */

static void take_leaf(void *arg, uint64_t va, uint64_t pte, uint64_t size)
{
	struct recording *r = arg;

	if (!room(&r->leaf, r->leaves, &r->leaf_room, sizeof(*r->leaf)))
		r->broken = true;
	else
		r->leaf[r->leaves++] = (struct record_leaf){ va, pte, size };
}

static uint64_t map_hash(const struct recording *r)
{
	const uint64_t *w = (const uint64_t *)(const void *)r->leaf;
	uint64_t h = 1 + r->leaves;

	for (uint64_t i = 0; i < r->leaves * sizeof(*r->leaf) / 8; i++)
		h = (h ^ w[i]) * 0x9e3779b97f4a7c15ULL + (h >> 29);
	return h;
}

struct look {
	struct anpu_model *m;
	struct recording *r;
	uint64_t addr;
	const uint8_t *page;
	uint8_t copy[RECORD_PAGE];
};

static void copy_page(void *arg)
{
	struct look *l = arg;

	memcpy(l->copy, l->page, sizeof(l->copy));
}

/* Brings the page into @l->copy, as the program may change it at any time. Memory of the host may be gone */
static bool read_page(struct look *l)
{
	struct anpu_model *m = l->m;
	struct anpu_mapping map;
	uint64_t gone;
	bool ok;

	if (!(l->addr & RECORD_SYSTEM)) {
		l->page = m->hbm + l->addr;
		copy_page(l);
		return true;
	}
	if (!m->ops.map(m->ctx, l->addr & ~RECORD_SYSTEM, RECORD_PAGE, false, &map))
		return false;
	l->page = map.ptr;
	ok = map.len >= RECORD_PAGE && guard_call(m, copy_page, l, &gone);
	if (map.transient)
		m->ops.unmap(m->ctx, &map, false, 0);
	return ok;
}

/* A page that is not what it was: before a task it is written down, behind it its hash is */
static void page_changed(struct look *l, uint64_t hash, bool behind)
{
	struct recording *r = l->r;

	if (!behind || r->flags & RECORD_UNREPEATABLE)
		put(r, RECORD_PAGE_IS, &l->addr, sizeof(l->addr), l->copy, hash == r->zero ? 0 : RECORD_PAGE);
	else if (room(&r->change, r->changes, &r->change_room, sizeof(*r->change)))
		r->change[r->changes++] = (struct record_change){ l->addr, hash };
	else
		r->broken = true;
}

static void look(struct anpu_model *m, uint32_t asid, bool behind)
{
	struct recording *r = m->recording;
	struct look l = { .m = m, .r = r };

	if (!behind) {
		uint64_t n = asid;

		r->leaves = 0;
		mmu_each_leaf(m, asid, take_leaf, r);
		if (map_hash(r) != r->map_hash[asid])
			put(r, RECORD_MAP, &n, sizeof(n), r->leaf, r->leaves * sizeof(*r->leaf));
		r->map_hash[asid] = map_hash(r);
	}
	for (uint64_t i = 0; i < r->leaves && !r->broken; i++) {
		const struct record_leaf *leaf = &r->leaf[i];
		uint64_t base = leaf->pte & ANPU_PTE_ADDR;

		/* nothing that a task does changes memory that it may only read */
		if (behind && !(leaf->pte & ANPU_PTE_WRITE))
			continue;
		for (uint64_t at = 0; at < leaf->size; at += RECORD_PAGE) {
			uint64_t hash;

			if (behind && leaf->va + at == r->print)
				continue;
			l.addr = (base + at) | (leaf->pte & ANPU_PTE_SYSTEM ? RECORD_SYSTEM : 0);
			if (!read_page(&l))
				continue;
			hash = record_hash(l.copy);
			if (!grow(r))
				r->broken = true;
			else if (changed(r, l.addr, hash))
				page_changed(&l, hash, behind);
		}
	}
}

/* Tasks ---------------------------------------------------------------------------------------- */

static bool is_task(const struct queue *q)
{
	return q->pkt.hdr.opcode < 32 && 1U << q->pkt.hdr.opcode & PACKET_TASKS;
}

/** record_task_slow() - the packet in the queue's hand is about to be executed */
void record_task_slow(struct queue *q)
{
	struct recording *r = q->m->recording;
	struct record_task t = {
		.seq = q->completed + 1, .clock = q->began, .print = q->ctx.print, .overflow = q->ctx.overflow,
		.queue = q->id, .asid = q->ctx.asid, .pkt = q->pkt,
	};

	if (!r->file || q->waiting)
		return;
	if (!is_task(q)) {
		put(r, RECORD_SYNC, &t, sizeof(t), NULL, 0);
		return;
	}
	r->flags = r->queue ? RECORD_OVERLAPPED : 0;
	look(q->m, q->ctx.asid, false);
	put(r, RECORD_TASK, &t, sizeof(t), NULL, 0);
	r->queue = q->id + 1;
	r->print = q->ctx.print ? q->ctx.print & ~(RECORD_PAGE - 1) : ~0ULL;
	r->clock = q->began;
	r->reads = 0;
}

/** record_ended_slow() - it has been executed, and failed if there is a @cause */
void record_ended_slow(struct queue *q, uint32_t cause)
{
	struct recording *r = q->m->recording;
	struct record_done done = { .cause = cause };

	if (!r->file || r->queue != q->id + 1 || !is_task(q))
		return;
	if (cause == ANPU_FAULT_TIMEOUT || cause == ANPU_FAULT_KILLED || cause == ANPU_FAULT_ENDED)
		r->flags |= RECORD_UNREPEATABLE;
	r->changes = 0;
	look(q->m, q->ctx.asid, true);
	put(r, RECORD_CHANGED, r->change, r->changes * sizeof(*r->change), NULL, 0);
	done.flags = r->flags;
	done.took = model_clock(q->m) - r->clock;
	put(r, RECORD_DONE, &done, sizeof(done), NULL, 0);
	r->queue = 0;
	/* the process may end at any time */
	r->broken = fflush(r->file) || r->broken;
	tell_broken(q->m);
}

void anpu_model_set_clock(struct anpu_model *m, uint64_t ns)
{
	if (!m->recording)
		return;
	m->recording->clock = ns;
	m->recording->reads = 0;
}

uint64_t record_clock(struct anpu_model *m)
{
	struct recording *r = m->recording;

	return r->clock + RECORD_TICK * ++r->reads;
}

/* Life ----------------------------------------------------------------------------------------- */

bool record_begin(struct anpu_model *m, char *err, size_t size)
{
	static const uint8_t zeros[RECORD_PAGE];
	struct record_head head = {
		.magic = RECORD_MAGIC, .hbm_size = m->cfg.hbm_size, .cores = m->cfg.cores, .queues = m->cfg.queues,
		.asids = m->cfg.asids, .check = m->cfg.check, .jit = m->cfg.jit,
	};
	struct recording *r;

	if (!m->cfg.record && !m->cfg.replay)
		return true;
	r = calloc(1, sizeof(*r));
	m->recording = r;
	if (!r)
		return false;
	if (!m->cfg.record)
		return true;
	r->max = FIRST_SLOTS;
	r->slot = calloc(r->max, sizeof(*r->slot));
	r->map_hash = calloc(m->cfg.asids, sizeof(*r->map_hash));
	r->zero = record_hash(zeros);
	r->file = fopen(m->cfg.record, "wbe");
	if (!r->file || fwrite(&head, sizeof(head), 1, r->file) != 1) {
		snprintf(err, size, "record=%s cannot be written", m->cfg.record);
		return false;
	}
	m->cfg.record = NULL;
	return r->slot && r->map_hash;
}

void record_end(struct anpu_model *m)
{
	struct recording *r = m->recording;

	if (!r)
		return;
	if (r->file)
		fclose(r->file);
	free(r->slot);
	free(r->map_hash);
	free(r->leaf);
	free(r->change);
	free(r);
	m->recording = NULL;
}
