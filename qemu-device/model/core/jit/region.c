// SPDX-License-Identifier: MIT
/* Regions: which instructions belong together, where their blocks are, which of them are loops. */
#include <stdlib.h>

#include "jit_int.h"

#define HASH_SIZE	(4 * MAX_INSNS)
#define MAX_LEADERS	(2 * MAX_INSNS)

/* A set of addresses of instructions; the table is never more than half full. */
struct pc_set {
	uint64_t pc[HASH_SIZE];		/* 0: free */
	bool leader[HASH_SIZE];
};

struct search {
	struct region *r;
	struct code_page *page;
	struct pc_set seen;
	uint64_t todo[MAX_LEADERS];
	unsigned int todos;
	unsigned int marked;	/* addresses in seen */
	bool apart;		/* what has translated code already is left out */
};

static unsigned int slot(const struct pc_set *s, uint64_t pc)
{
	unsigned int n = (unsigned int)(pc >> 2) * 0x9e3779b1u >> 16 & (HASH_SIZE - 1);

	while (s->pc[n] && s->pc[n] != pc)
		n = (n + 1) % HASH_SIZE;
	return n;
}

static struct code_page *page_of(struct search *s, uint64_t pc)
{
	if (!s->page || (pc ^ s->page->va) >> PAGE_SHIFT)
		s->page = code_page_lookup(s->r->gen, pc & ~(uint64_t)(PAGE_SIZE - 1));
	return s->page;
}

/* The word at @pc if its page has been decoded. */
static bool fetch(struct search *s, uint64_t pc, uint32_t *word)
{
	const struct code_page *page = page_of(s, pc);

	if (!page)
		return false;
	*word = page->raw[(pc & (PAGE_SIZE - 1)) / 4];
	return true;
}

static bool left_out(struct search *s, uint64_t pc)
{
	struct code_page *page = s->apart ? page_of(s, pc) : NULL;

	return page && jit_entry_at(page, (unsigned int)(pc & (PAGE_SIZE - 1)) / 4);
}

static void lead(struct search *s, uint64_t pc)
{
	unsigned int n = slot(&s->seen, pc);

	if ((s->seen.pc[n] && s->seen.leader[n]) || left_out(s, pc))
		return;
	if (!s->seen.pc[n]) {
		/* leaders without code of their own must not fill the table */
		if (s->marked >= HASH_SIZE / 2 || s->todos == MAX_LEADERS)
			return;
		s->seen.pc[n] = pc;
		s->marked++;
		s->todo[s->todos++] = pc;
	}
	s->seen.leader[n] = true;
}

static uint64_t target_of(const struct jinsn *i)
{
	return i->pc + (uint64_t)(int64_t)i->d.imm;
}

static bool is_branch(unsigned int op)
{
	return op == OP_beq_far || op == OP_bne_far || op == OP_blt_far || op == OP_bge_far ||
	       op == OP_bltu_far || op == OP_bgeu_far;
}

/*
 * auipc and jalr: compilers call functions at an unknown distance so. If both are in one block, the
 * second is as good as jal.
 */
static bool is_far_call(const struct jinsn *i, int64_t *distance)
{
	const struct jinsn *before = i - 1;

	if ((i->op != OP_jalr && i->op != OP_ret) || before->op != OP_auipc ||
	    before->pc + 4 != i->pc || before->d.rd != i->d.rs1)
		return false;
	*distance = ((int64_t)before->d.imm + i->d.imm - 4) & ~1ll;
	return *distance == (int32_t)*distance;
}

/* Where code may go from the last instruction of a block; @first: it is the only one so far. */
static void follow(struct search *s, const struct jinsn *i, bool first)
{
	bool direct = is_branch(i->op) || i->op == OP_jal_far;
	int64_t distance;

	if (!first && is_far_call(i, &distance) && !(distance & 3))
		lead(s, i->pc + (uint64_t)distance);
	if (direct && !(target_of(i) & 3))
		lead(s, target_of(i));
	/* a call returns behind itself, and so does the interpreter from what is left to it */
	if (i->op != OP_ret && i->op != OP_illegal && i->op != OP_ebreak &&
	    !((i->op == OP_jal_far || i->op == OP_jalr) && !is_x(i->d.rd)))
		lead(s, i->pc + 4);
}

/* Take the instructions from a leader on, up to the end of its block or to ones taken before. */
static void scan(struct search *s, uint64_t pc)
{
	struct region *r = s->r;
	unsigned int start = r->insns;

	while (r->insns < MAX_INSNS) {
		struct jinsn *i = &r->insn[r->insns];

		i->pc = pc;
		if (!fetch(s, pc, &i->word))
			return;
		jinsn_decode(i);
		r->insns++;
		if (jinsn_flags(i) & OP_END) {
			follow(s, i, i == &r->insn[start]);
			return;
		}
		pc += 4;
		if (left_out(s, pc))
			return;
		if (s->seen.pc[slot(&s->seen, pc)]) {
			s->seen.leader[slot(&s->seen, pc)] = true;
			return;
		}
		if (s->marked >= HASH_SIZE / 2)
			return;
		s->seen.pc[slot(&s->seen, pc)] = pc;
		s->marked++;
	}
}

static int by_pc(const void *a, const void *b)
{
	const struct jinsn *i = a, *k = b;

	return i->pc < k->pc ? -1 : i->pc > k->pc;
}

static int block_at(const struct region *r, uint64_t pc)
{
	unsigned int low = 0, high = r->blocks;

	while (low < high) {
		unsigned int mid = (low + high) / 2;
		uint64_t at = r->insn[r->block[mid].first].pc;

		if (at == pc)
			return (int)mid;
		if (at < pc)
			low = mid + 1;
		else
			high = mid;
	}
	return NO_BLOCK;
}

static void cut(struct search *s)
{
	struct region *r = s->r;
	unsigned int n;

	for (n = 0; n < r->insns; n++) {
		const struct jinsn *i = &r->insn[n];
		bool start = !n || i[-1].pc + 4 != i->pc || jinsn_flags(&i[-1]) & OP_END ||
			     s->seen.leader[slot(&s->seen, i->pc)];

		if (start)
			r->block[r->blocks++] = (struct jblock){ .first = n };
		r->block[r->blocks - 1].count++;
	}
}

/*
 * A return most likely goes behind one of the region's calls. The translation compares the address
 * with them; more than four are not worth it.
 */
static void add_returns(struct region *r, struct jblock *b)
{
	unsigned int n;

	for (n = 0; n < r->blocks && b->succs < MAX_SUCC; n++) {
		const struct jinsn *call = &r->insn[r->block[n].first + r->block[n].count - 1];
		int to;

		if (call->op != OP_jal_far || !is_x(call->d.rd))
			continue;
		to = block_at(r, call->pc + 4);
		if (to != NO_BLOCK)
			b->succ[b->succs++] = to;
	}
}

/* Write calls by auipc and jalr as if they were jal. */
static void direct_calls(struct region *r)
{
	unsigned int n;

	for (n = 0; n < r->blocks; n++) {
		struct jblock *b = &r->block[n];
		struct jinsn *last = &r->insn[b->first + b->count - 1];
		int64_t distance;

		if (b->count < 2 || !is_far_call(last, &distance))
			continue;
		last->op = OP_jal_far;
		last->d.imm = (int32_t)distance;
	}
}

static void link(struct region *r)
{
	unsigned int n;

	for (n = 0; n < r->blocks; n++) {
		struct jblock *b = &r->block[n];
		const struct jinsn *last = &r->insn[b->first + b->count - 1];

		b->succ[0] = is_branch(last->op) || last->op == OP_jal_far ?
			     block_at(r, target_of(last)) : NO_BLOCK;
		b->succ[1] = is_branch(last->op) || !(jinsn_flags(last) & OP_END) ?
			     block_at(r, last->pc + 4) : NO_BLOCK;
		b->succs = 2;
		if (last->op == OP_ret)
			add_returns(r, b);
	}
}

/* A jump backwards makes a loop of all blocks in between; every cycle has one. */
static void find_loops(struct region *r)
{
	int last[MAX_BLOCKS];
	unsigned int n, k;

	for (n = 0; n < r->blocks; n++)
		last[n] = NO_BLOCK;
	for (n = 0; n < r->blocks; n++)
		for (k = 0; k < r->block[n].succs; k++)
			if (r->block[n].succ[k] != NO_BLOCK && r->block[n].succ[k] <= (int)n)
				last[r->block[n].succ[k]] = (int)n;
	for (n = 0; n < r->blocks; n++) {
		r->block[n].header = last[n] != NO_BLOCK;
		for (k = n; (int)k <= last[n]; k++)
			r->block[k].depth++;
	}
}

bool region_find(struct region *r, struct code_gen *gen, uint64_t pc, bool apart)
{
	struct search *s = calloc(1, sizeof(*s));
	unsigned int n;

	if (!s)
		return false;
	r->gen = gen;
	r->insns = 0;
	r->blocks = 0;
	s->r = r;
	s->apart = apart;
	lead(s, pc);
	for (n = 0; n < s->todos && r->insns < MAX_INSNS; n++)
		scan(s, s->todo[n]);
	qsort(r->insn, r->insns, sizeof(r->insn[0]), by_pc);
	cut(s);
	free(s);
	direct_calls(r);
	link(r);
	find_loops(r);
	return r->insns;
}
