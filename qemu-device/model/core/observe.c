// SPDX-License-Identifier: MIT
/* For tools that watch a block: single steps, its registers, its memory, its operations. */
#include <stdlib.h>

#include "threads.h"

enum core_result core_block_step(struct core_block *b, struct mmu *mmu, struct core_fault *fault)
{
	unsigned int n = (unsigned int)(b->pc % PAGE_SIZE / 4);
	enum core_result r;

	if (!b->step_page)
		b->step_page = step_page_new(exec_handlers());
	if (!b->step_page) {
		core_fail(fault, ANPU_FAULT_INTERNAL, "no host memory for single steps");
		core_block_where(b, fault);
		return CORE_FAULT;
	}
	b->stepping = true;
	/* no stop before the instruction, however long it takes */
	r = core_block_run(b, mmu, UINT64_MAX / 2, fault);
	b->stepping = false;
	step_page_set(b->step_page, NULL, n, exec_handlers());
	return r;
}

void core_block_state(const struct core_block *b, struct core_state *s)
{
	s->block = b->block;
	s->sub_block = b->sub_block;
	s->core = b->core;
	s->core_type = b->core_type;
	s->pc = b->pc;
	memcpy(s->x, b->x, sizeof(s->x));
	s->x[0] = 0;
	memcpy(s->f, b->f, sizeof(s->f));
}

bool core_block_peek(struct core_block *b, struct mmu *mmu, uint64_t va, uint64_t size, void *to)
{
	struct mmu *running = b->mmu;
	struct core_fault fault = { 0 };
	bool ok;

	if (!running)
		b->mmu = mmu;
	ok = mem_read(b, va, size, to, &fault);
	if (!running) {
		tlb_flush(b);
		b->mmu = NULL;
	}
	return ok;
}

static void note(struct core_block *b, const struct core_operation *operation)
{
	struct core_operations *to = b->operations;

	if (to->count == CORE_OPERATIONS) {
		to->lost++;
		return;
	}
	to->list[to->count++] = *operation;
	/* operations that follow each other without a jump still have room */
	if (to->count == CORE_OPERATIONS * 3 / 4) {
		b->crowded = true;
		b->tile_cost = POLL_INSNS;
	}
}

static bool timed_tile(struct core_block *b, unsigned int op, const struct tile_args *a, struct core_fault *fault)
{
	const struct core_kernel *k = b->kernel;
	uint64_t begin = k->clock(k->clock_ctx), end;
	bool ok = tile_run(b, op, a, fault);
	unsigned int pipe;

	if (unlikely(op >= ANPU_TILE_OP_COUNT))
		return ok;
	end = k->clock(k->clock_ctx);
	pipe = tile_pipe(op, a);
	b->pipe_ns[pipe] += end - begin;
	if (b->operations)
		note(b, &(struct core_operation){ begin, end, b->pc, (uint8_t)op, (uint8_t)pipe });
	return ok;
}

bool observed_tile(struct core_block *b, unsigned int op, const struct tile_args *a,
		   struct core_fault *fault)
{
	const struct core_observer *o = b->kernel->observer;
	const uint64_t operand[4] = { a->rs1, a->rs2, a->rs3, a->rd };
	bool ok;

	if (o)
		o->begin(o->ctx, b, op, operand);
	ok = b->kernel->time_pipes ? timed_tile(b, op, a, fault) : tile_run(b, op, a, fault);
	if (o)
		o->end(o->ctx, b, op, ok);
	return ok;
}

void core_block_pipes(struct core_block *b, uint64_t ns[ANPU_PIPE_COUNT])
{
	for (unsigned int i = 0; i < ANPU_PIPE_COUNT; i++)
		ns[i] += b->pipe_ns[i];
	memset(b->pipe_ns, 0, sizeof(b->pipe_ns));
}

void core_block_note(struct core_block *b, struct core_operations *to)
{
	b->operations = to;
	b->crowded = false;
}

enum sys_result observed_sys(struct core_block *b, unsigned int op, uint64_t rs1, uint64_t rs2,
			     struct core_fault *fault)
{
	const struct core_observer *o = b->kernel->observer;
	const uint64_t operand[4] = { rs1, rs2 };
	enum sys_result r;

	o->begin(o->ctx, b, CORE_OBSERVE_SYS + op, operand);
	r = sys_run(b, op, rs1, rs2, fault);
	o->end(o->ctx, b, CORE_OBSERVE_SYS + op, r == SYS_NEXT || r == SYS_EXIT);
	return r;
}

void core_block_set_reg(struct core_block *b, unsigned int n, uint64_t value)
{
	if (n == 32)
		b->pc = value & ~3ULL;
	else if (n > 32 && n <= 64)
		b->f[n - 33] = value;
	else if (n && n < 32)
		b->x[n] = value;
}

bool core_block_poke(struct core_block *b, struct mmu *mmu, uint64_t va, uint64_t size, const void *from)
{
	struct core_fault fault = { 0 };
	bool ok = true;

	if (b->mmu)
		return false;
	b->mmu = mmu;
	for (uint64_t i = 0; ok && i < size; i++)
		ok = mem_store_slow(b, va + i, 1, (const uint8_t *)from + i, &fault);
	tlb_flush(b);
	b->mmu = NULL;
	return ok;
}

/* Threads and breakpoints ---------------------------------------------------------------------- */

unsigned int core_block_threads(const struct core_block *b)
{
	return b->threads ? b->threads->count : 0;
}

bool core_block_thread(struct core_block *b, unsigned int t, struct core_state *s)
{
	core_block_state(b, s);
	return b->threads ? threads_registers(b, t, s) : !t;
}

unsigned int core_block_current(const struct core_block *b)
{
	return b->threads ? b->threads->current : 0;
}

bool core_block_choose(struct core_block *b, unsigned int t)
{
	return b->threads ? threads_choose(b, t) : !t;
}

void core_block_yield(struct core_block *b)
{
	if (b->threads && b->threads->loaded)
		thread_yield(b);
}

void core_block_attend(struct core_block *b, const struct core_breaks *breaks)
{
	code_cache_attend(b->kernel->code, breaks);
	b->attended = breaks->serial != 0;
	if (b->attended && b->threads && b->threads->lanes && threads_ready(b->threads) >= 0)
		threads_alone(b);
}

void core_block_set_tool(struct core_block *b, void *tool)
{
	b->tool = tool;
}

void *core_block_tool(const struct core_block *b)
{
	return b->tool;
}
