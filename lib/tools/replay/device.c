// SPDX-License-Identifier: MIT
/* The device of anpu-replay: a driver as small as can be, which knows where everything is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "replay.h"

#define RING_LOG2	4
#define RING_BYTES	4096ULL
#define QUEUE_BYTES	(4096ULL * 3)
#define SPACE_BYTES	(64ULL << 20)
/* How much longer than in the recorded run a task may take */
#define PATIENCE_US	5000000ULL
#define PATIENCE_TIMES	20
#define TABLE_ENTRIES	ANPU_PT_ENTRIES

/* Memory --------------------------------------------------------------------------------------- */

static _Noreturn void no_memory(void)
{
	fputs("anpu-replay: no memory is left\n", stderr);
	exit(2);
}

static struct page *slot_of(struct page *table, uint64_t max, uint64_t addr)
{
	uint64_t i = ((addr / RECORD_PAGE) * 0x9e3779b97f4a7c15ULL) >> 20;

	while (table[i & (max - 1)].used && table[i & (max - 1)].addr != addr)
		i++;
	return &table[i & (max - 1)];
}

static void grow(struct replay *r)
{
	uint64_t max = r->pages_max ? 2 * r->pages_max : 1024;
	struct page *more = calloc(max, sizeof(*more));

	if (!more)
		no_memory();
	for (uint64_t i = 0; i < r->pages_max; i++)
		if (r->page[i].used)
			*slot_of(more, max, r->page[i].addr) = r->page[i];
	free(r->page);
	r->page = more;
	r->pages_max = max;
}

struct page *page_at(struct replay *r, uint64_t addr)
{
	struct page *p;

	if (2 * (r->pages + 1) > r->pages_max)
		grow(r);
	p = slot_of(r->page, r->pages_max, addr);
	if (p->used)
		return p;
	*p = (struct page){ .addr = addr, .used = true, .hash = r->zero };
	r->pages++;
	if (!(addr & RECORD_SYSTEM)) {
		if (addr % RECORD_PAGE || addr >= r->head.hbm_size) {
			fputs("anpu-replay: the file is damaged: a page outside of the memory\n", stderr);
			exit(2);
		}
		p->bytes = r->hbm + addr;
		return p;
	}
	p->bytes = mmap(NULL, RECORD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->bytes == MAP_FAILED)
		no_memory();
	return p;
}

struct space *space_of(struct replay *r, uint32_t asid)
{
	if (asid >= r->head.asids) {
		fputs("anpu-replay: the file is damaged: an address space that there cannot be\n", stderr);
		exit(2);
	}
	return &r->spaces[asid];
}

void set_space(struct replay *r, const uint8_t *bytes, uint64_t size)
{
	struct space *s;
	uint64_t asid;

	memcpy(&asid, bytes, sizeof(asid));
	s = space_of(r, (uint32_t)asid);
	free(s->leaf);
	s->leaves = (size - sizeof(asid)) / sizeof(*s->leaf);
	s->leaf = calloc(s->leaves + 1, sizeof(*s->leaf));
	if (!s->leaf)
		no_memory();
	memcpy(s->leaf, bytes + sizeof(asid), size - sizeof(asid));
	s->stale = true;
}

const uint8_t *byte_at(struct replay *r, uint64_t va)
{
	for (uint64_t i = 0; i < r->space->leaves; i++) {
		const struct record_leaf *leaf = &r->space->leaf[i];
		uint64_t skip = va - leaf->va;

		if (skip < leaf->size)
			return page_at(r, leaf_addr(leaf) + skip - skip % RECORD_PAGE)->bytes + skip % RECORD_PAGE;
	}
	return NULL;
}

/* Address spaces ------------------------------------------------------------------------------- */

static uint64_t take(struct replay *r, uint64_t size)
{
	uint64_t at = r->free;

	if (at + size > r->hbm_size) {
		fputs("anpu-replay: the page tables of this run do not fit\n", stderr);
		exit(2);
	}
	r->free += size;
	memset(r->hbm + at, 0, size);
	return at;
}

static void enter(struct replay *r, uint64_t root, const struct record_leaf *leaf)
{
	uint64_t table = root;
	int last = leaf->size > RECORD_PAGE ? 2 : 3;

	for (int level = 0;; level++) {
		uint64_t *entry = (uint64_t *)(void *)(r->hbm + table) +
				  (leaf->va >> ANPU_PT_SHIFT(level) & (TABLE_ENTRIES - 1));

		if (level == last) {
			*entry = leaf->pte;
			return;
		}
		if (!*entry)
			*entry = take(r, ANPU_PT_SIZE) | ANPU_PTE_VALID;
		table = *entry & ANPU_PTE_ADDR;
	}
}

/* Page tables are made anew when a task's address space is another one than the last task's, or has changed */
static void build_space(struct replay *r, uint32_t asid)
{
	struct space *s = space_of(r, asid);
	uint64_t root, number;

	r->free = r->tables;
	root = take(r, ANPU_PT_SIZE);
	for (uint64_t i = 0; i < s->leaves; i++)
		enter(r, root, &s->leaf[i]);
	memset(r->asids, 0, r->head.asids * sizeof(*r->asids));
	r->asids[asid] = root | ANPU_ASID_VALID;
	anpu_model_write(r->model, ANPU_REG_TLB_INVALIDATE, ANPU_TLB_ALL, 8);
	number = anpu_model_read(r->model, ANPU_REG_TLB_ISSUED, 8);
	while (anpu_model_read(r->model, ANPU_REG_TLB_DONE, 8) < number)
		;
	for (uint32_t i = 0; i < r->head.asids; i++)
		r->spaces[i].stale = true;
	s->stale = false;
}

/* Callbacks of the model ----------------------------------------------------------------------- */

static bool map(void *ctx, uint64_t dma, uint64_t len, bool write, struct anpu_mapping *m)
{
	struct page *p = page_at(ctx, dma | RECORD_SYSTEM);

	(void)len;
	(void)write;
	*m = (struct anpu_mapping){ .ptr = p->bytes, .len = RECORD_PAGE };
	return true;
}

static void raise_nothing(void *ctx, unsigned int vector)
{
	(void)ctx;
	(void)vector;
}

static uint64_t clock_now(void *ctx)
{
	struct timespec t;

	(void)ctx;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Queues --------------------------------------------------------------------------------------- */

static struct anpu_queue_status *status_of(struct replay *r, const struct replay_queue *q)
{
	return (void *)(r->hbm + q->ctx.status);
}

static void command(struct replay *r, uint32_t queue, uint32_t cmd, uint32_t state)
{
	const struct replay_queue *q = &r->queue[queue];

	anpu_model_write(r->model, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(cmd, queue), 8);
	while (__atomic_load_n(&status_of(r, q)->state, __ATOMIC_ACQUIRE) != state)
		nanosleep(&(struct timespec){ .tv_nsec = 10000 }, NULL);
}

/* The queue with the task's number has the task's context */
static void start_queue(struct replay *r, const struct record_task *t)
{
	struct replay_queue *q = &r->queue[t->queue];

	if (q->started && q->ctx.asid == t->asid && q->ctx.print == t->print && q->ctx.overflow == t->overflow)
		return;
	if (q->started) {
		command(r, t->queue, ANPU_QUEUE_STOP, ANPU_QUEUE_STOPPED);
	} else {
		uint64_t at = r->head.hbm_size + t->queue * QUEUE_BYTES;

		q->ctx = (struct anpu_queue_context){ .ring = at, .status = at + RING_BYTES,
						      .control = at + 2 * RING_BYTES, .ring_log2 = RING_LOG2 };
	}
	q->ctx.asid = t->asid;
	q->ctx.print = t->print;
	q->ctx.overflow = t->overflow;
	q->wptr = 0;
	q->errors = 0;
	q->started = true;
	memset(r->hbm + q->ctx.ring, 0, QUEUE_BYTES);
	r->contexts[t->queue] = q->ctx;
	command(r, t->queue, ANPU_QUEUE_START, ANPU_QUEUE_RUNNING);
}

static uint32_t cause_of(struct replay *r, struct replay_queue *q)
{
	const struct anpu_queue_status *st = status_of(r, q);
	uint64_t ordinal = __atomic_load_n(&st->errors, __ATOMIC_ACQUIRE);
	const struct anpu_fault *f;

	if (ordinal == q->errors)
		return 0;
	q->errors = ordinal;
	f = &st->fault[ordinal == 1 ? 0 : 1 + (ordinal - 2) % (ANPU_STATUS_FAULTS - 1)];
	return f->cause;
}

bool replay_task(struct replay *r, char *why, size_t size)
{
	struct record_task *t = &r->task;
	struct replay_queue *q = &r->queue[t->queue];
	struct anpu_queue_control *control;

	if (t->queue >= r->head.queues) {
		snprintf(why, size, "the file is damaged: queue %u", t->queue);
		return false;
	}
	if (space_of(r, t->asid)->stale)
		build_space(r, t->asid);
	start_queue(r, t);
	/* one that waits for something the program wrote while it ran does not end here */
	if (t->pkt.hdr.opcode == ANPU_OP_KERNEL)
		t->pkt.kernel.timeout_us = PATIENCE_US + PATIENCE_TIMES * (r->took / 1000);
	anpu_model_set_clock(r->model, t->clock);
	control = (void *)(r->hbm + q->ctx.control);
	memcpy(r->hbm + q->ctx.ring + (q->wptr & ((1U << RING_LOG2) - 1)) * ANPU_PACKET_SIZE, &t->pkt, sizeof(t->pkt));
	q->wptr++;
	__atomic_store_n(&control->wptr, q->wptr, __ATOMIC_SEQ_CST);
	anpu_model_doorbell(r->model, t->queue, q->wptr);
	while (__atomic_load_n(&status_of(r, q)->completed, __ATOMIC_ACQUIRE) != q->wptr)
		nanosleep(&(struct timespec){ .tv_nsec = 2000 }, NULL);
	r->cause = cause_of(r, q);
	return true;
}

/* Life ----------------------------------------------------------------------------------------- */

static bool place(struct replay *r, char *why, size_t size)
{
	uint64_t need = r->head.queues * QUEUE_BYTES + r->head.asids * 8ULL + SPACE_BYTES +
			r->head.queues * sizeof(struct anpu_queue_context);

	r->hbm_size = ANPU_HBM_MIN;
	while (r->hbm_size < r->head.hbm_size + need)
		r->hbm_size *= 2;
	r->hbm = mmap(NULL, r->hbm_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->hbm == MAP_FAILED) {
		snprintf(why, size, "no addresses for a memory of %llu MiB", (unsigned long long)r->hbm_size >> 20);
		return false;
	}
	r->free = r->head.hbm_size + r->head.queues * QUEUE_BYTES;
	r->asids = (void *)(r->hbm + r->free);
	r->free = (r->free + r->head.asids * 8ULL + 4095) & ~4095ULL;
	r->contexts = (void *)(r->hbm + r->free);
	r->free = (r->free + r->head.queues * sizeof(struct anpu_queue_context) + 4095) & ~4095ULL;
	r->tables = r->free;
	r->queue = calloc(r->head.queues, sizeof(*r->queue));
	r->spaces = calloc(r->head.asids, sizeof(*r->spaces));
	if (!r->queue || !r->spaces)
		no_memory();
	for (uint32_t i = 0; i < r->head.asids; i++)
		r->spaces[i].stale = true;
	return true;
}

bool replay_begin(struct replay *r, char *why, size_t size)
{
	static const uint8_t zeros[RECORD_PAGE];
	static const struct anpu_host_ops ops = { .map = map, .raise = raise_nothing, .clock = clock_now };
	struct anpu_config c;

	anpu_config_default(&c);
	c.cores = r->head.cores;
	c.queues = r->head.queues;
	c.asids = r->head.asids;
	c.check = r->head.check;
	c.jit = r->head.jit;
	c.deterministic = true;
	c.replay = true;
	r->zero = record_hash(zeros);
	if (r->head.queues > ANPU_MAX_QUEUES || r->head.asids > ANPU_MAX_ASIDS || r->head.hbm_size > ANPU_HBM_MAX) {
		snprintf(why, size, "the file is damaged: its device is not possible");
		return false;
	}
	if (!place(r, why, size))
		return false;
	c.hbm = r->hbm;
	c.hbm_size = r->hbm_size;
	if (!anpu_config_check(&c, why, size))
		return false;
	r->model = anpu_model_create(&c, &ops, r, why, size);
	if (!r->model)
		return false;
	anpu_model_write(r->model, ANPU_REG_ASID_TABLE, (uint64_t)((uint8_t *)r->asids - r->hbm), 8);
	anpu_model_write(r->model, ANPU_REG_QUEUE_TABLE, (uint64_t)((uint8_t *)r->contexts - r->hbm), 8);
	anpu_model_write(r->model, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE, 8);
	return true;
}

void replay_end(struct replay *r)
{
	anpu_model_destroy(r->model);
	munmap(r->hbm, r->hbm_size);
}
