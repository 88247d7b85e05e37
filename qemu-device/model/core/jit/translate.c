// SPDX-License-Identifier: MIT
/*
 * From a region to host code: its entries, blocks, jumps, rarely executed code, ways out. What single
 * instructions become is in translate_int.c, translate_memory.c and translate_fp.c, pairs in translate_pair.c.
 *
 * A block begins by counting all its instructions; whoever leaves in its middle gives the rest back.
 * The header of a loop leaves for a poll when the count has run out.
 */
#include "jit_int.h"

/* Homes ------------------------------------------------------------------------------------------ */

static struct rm x_memory(unsigned int r)
{
	return rm_mem(R_BLOCK, (int32_t)(offsetof(struct core_block, x) + 8 * r) - BLOCK_BIAS);
}

static struct rm f_memory(unsigned int r)
{
	return rm_mem(R_BLOCK, (int32_t)(offsetof(struct core_block, f) + 8 * r) - BLOCK_BIAS);
}

struct rm x_rm(const struct trans *t, unsigned int r)
{
	unsigned int home = t->r->x_home[r];

	return home == IN_MEMORY ? x_memory(r) : rm_reg(home);
}

/*
 * Get a host register with the value of x[r]: its home, or @scratch loaded. Changes the host's
 * flags.
 */
unsigned int x_use(struct trans *t, unsigned int r, unsigned int scratch)
{
	unsigned int home = t->r->x_home[r];

	if (!r)
		zero(&t->c, scratch);
	else if (home == IN_MEMORY)
		mov_load(&t->c, scratch, x_memory(r));
	else
		return home;
	return scratch;
}

/* Get a host register to compute x[r] in; x_done() afterwards. */
unsigned int x_def(const struct trans *t, unsigned int r, unsigned int scratch)
{
	return is_x(r) && t->r->x_home[r] != IN_MEMORY ? t->r->x_home[r] : scratch;
}

void x_done(struct trans *t, unsigned int r, unsigned int host)
{
	if (!is_x(r))
		return;
	if (t->r->x_home[r] == IN_MEMORY)
		mov_store(&t->c, x_memory(r), host);
	else
		mov_reg(&t->c, t->r->x_home[r], host);
}

struct rm f_rm(const struct trans *t, unsigned int r)
{
	unsigned int home = t->r->f_home[r];

	return home == IN_MEMORY ? f_memory(r) : rm_reg(home);
}

unsigned int f_use(struct trans *t, unsigned int r, unsigned int scratch)
{
	unsigned int home = t->r->f_home[r];

	if (home != IN_MEMORY)
		return home;
	fload(&t->c, false, scratch, f_memory(r));
	return scratch;
}

unsigned int f_def(const struct trans *t, unsigned int r, unsigned int scratch)
{
	return t->r->f_home[r] != IN_MEMORY ? t->r->f_home[r] : scratch;
}

void f_done(struct trans *t, unsigned int r, unsigned int xmm)
{
	if (t->r->f_home[r] == IN_MEMORY)
		fstore(&t->c, false, f_memory(r), xmm);
	else
		fmov(&t->c, t->r->f_home[r], xmm);
}

struct rm konst(const struct trans *t, enum jit_const k)
{
	return rm_rip(t->arena->k + 16 * (unsigned int)k);
}

/* Rarely executed code --------------------------------------------------------------------------- */

struct stub *stub(struct trans *t, enum stub_kind kind, enum cond cc)
{
	uint8_t *from = jump(&t->c, cc);

	if (t->stubs == MAX_STUBS) {
		t->c.full = true;
		t->stubs--;
	}
	t->stub[t->stubs] = (struct stub){ .kind = kind, .from = from, .pc = t->i->pc };
	return &t->stub[t->stubs++];
}

unsigned int site_here(struct trans *t)
{
	if (!t->sites || t->site[t->sites - 1].i.pc != t->i->pc)
		t->site[t->sites++] = (struct jit_site){ .i = *t->i, .left = t->left };
	return t->sites - 1;
}

void call_on(struct trans *t, enum cond cc)
{
	stub(t, STUB_CALL, cc)->site = site_here(t);
}

void step_on(struct trans *t, enum cond cc)
{
	stub(t, STUB_STEP, cc)->arg = t->left;
}

/* Ways out --------------------------------------------------------------------------------------- */

static void spill(struct trans *t)
{
	unsigned int n;

	for (n = 0; n < 32; n++) {
		if (t->r->x_written >> n & 1)
			mov_store(&t->c, x_memory(n), t->r->x_home[n]);
		if (t->r->f_written >> n & 1)
			fstore(&t->c, false, f_memory(n), t->r->f_home[n]);
	}
}

static void reload(struct trans *t)
{
	unsigned int n;

	for (n = 0; n < 32; n++) {
		if (n && t->r->x_home[n] != IN_MEMORY)
			mov_load(&t->c, t->r->x_home[n], x_memory(n));
		if (t->r->f_home[n] != IN_MEMORY)
			fload(&t->c, false, t->r->f_home[n], f_memory(n));
	}
}

/* code that all stubs of the region share */
struct tails {
	const uint8_t *go;	/* on to the pc in rax */
	const uint8_t *leave;	/* pc in rax, reason in edx */
	const uint8_t *reload;	/* load the homes and return */
	const uint8_t *call;	/* site in rax; returns to the stub */
};

static void write_tails(struct trans *t, struct tails *to)
{
	struct code *c = &t->c;
	uint8_t *leaves;

	to->go = c->p;
	spill(t);
	jump_to(c, CC_ALWAYS, t->arena->dispatch);
	to->leave = c->p;
	spill(t);
	jump_to(c, CC_ALWAYS, t->arena->leave);

	to->call = c->p;
	spill(t);
	mov_store(c, BLOCK_AT(jit.credit), R_CREDIT);
	lea(c, true, RDI, rm_mem(R_BLOCK, -BLOCK_BIAS));
	mov_reg(c, RSI, RAX);
	alu_imm(c, ALU_SUB, true, rm_reg(RSP), 8);	/* the ABI's alignment */
	call_mem(c, rm_rip(t->arena->call));
	alu_imm(c, ALU_ADD, true, rm_reg(RSP), 8);
	mov_load(c, R_CREDIT, BLOCK_AT(jit.credit));
	test_reg(c, false, RAX);
	leaves = jump(c, CC_NE);
	to->reload = c->p;
	reload(t);
	emit_byte(c, 0xc3);
	jump_here(c, leaves);
	alu_imm(c, ALU_ADD, true, rm_reg(RSP), 8);
	mov_reg(c, RDX, RAX);
	mov_load(c, RAX, BLOCK_AT(pc));
	jump_to(c, CC_ALWAYS, t->arena->leave);
}

static void write_stub(struct trans *t, const struct stub *s, const struct tails *to)
{
	struct code *c = &t->c;

	jump_here(c, s->from);
	switch (s->kind) {
	case STUB_READ:
	case STUB_WRITE:
		translate_look_up(t, s);
		/* fall through */
	case STUB_CALL:
		mov_imm(c, RAX, (uintptr_t)&t->site[s->site]);
		call_to(c, to->call);
		jump_to(c, CC_ALWAYS, s->done);
		return;
	case STUB_NAN_S:
	case STUB_NAN_D:
		fload(c, false, s->arg, konst(t, s->kind == STUB_NAN_S ? K_NAN_S : K_NAN_D));
		jump_to(c, CC_ALWAYS, s->back);
		return;
	case STUB_GO:
		mov_imm(c, RAX, s->pc);
		jump_to(c, CC_ALWAYS, to->go);
		return;
	case STUB_STEP:
	case STUB_POLL:
		lea(c, true, R_CREDIT, rm_mem(R_CREDIT, (int32_t)s->arg));
		mov_imm(c, RAX, s->pc);
		mov_imm(c, RDX, s->kind == STUB_POLL ? JIT_POLL : JIT_STEP);
		jump_to(c, CC_ALWAYS, to->leave);
		return;
	}
}

/* Blocks ----------------------------------------------------------------------------------------- */

/* Go to the block @n, or out of the region to @pc. */
static void go(struct trans *t, enum cond cc, int n, uint64_t pc)
{
	if (n == NO_BLOCK) {
		stub(t, STUB_GO, cc)->pc = pc;
		return;
	}
	if (t->branches == MAX_BRANCHES) {
		t->c.full = true;
		return;
	}
	t->branch[t->branches++] = (struct branch){ jump(&t->c, cc), n };
}

static void translate_branch(struct trans *t, const struct jblock *b)
{
	static const uint8_t cc[] = {
		[OP_beq_far] = CC_E, [OP_bne_far] = CC_NE, [OP_blt_far] = CC_L,
		[OP_bge_far] = CC_GE, [OP_bltu_far] = CC_B, [OP_bgeu_far] = CC_AE,
	};
	const struct jinsn *i = t->i;
	uint64_t target = i->pc + (uint64_t)(int64_t)i->d.imm;

	if (!i->d.rs2 && is_x(i->d.rs1) && t->r->x_home[i->d.rs1] != IN_MEMORY)
		test_reg(&t->c, true, t->r->x_home[i->d.rs1]);
	else if (!i->d.rs2 && is_x(i->d.rs1))
		alu_imm(&t->c, ALU_CMP, true, x_rm(t, i->d.rs1), 0);
	else if (!i->d.rs2)
		alu_rm(&t->c, ALU_CMP, true, RAX, rm_reg(RAX));
	else
		alu_rm(&t->c, ALU_CMP, true, x_use(t, i->d.rs1, RAX), x_rm(t, i->d.rs2));
	if (target & 3)
		step_on(t, (enum cond)cc[i->op]);	/* the interpreter reports it */
	else
		go(t, (enum cond)cc[i->op], b->succ[0], target);
}

/* jalr: the address in rax, checked; the link written */
static void translate_indirect(struct trans *t, const struct jblock *b)
{
	const struct jinsn *i = t->i;
	struct code *c = &t->c;
	unsigned int n;

	if (is_x(i->d.rs1) && t->r->x_home[i->d.rs1] != IN_MEMORY)
		lea(c, true, RAX, rm_mem(t->r->x_home[i->d.rs1], i->d.imm));
	else {
		x_use(t, i->d.rs1, RAX);
		if (i->d.imm)
			alu_imm(c, ALU_ADD, true, rm_reg(RAX), i->d.imm);
	}
	alu_imm(c, ALU_AND, true, rm_reg(RAX), ~1);
	op_rm(c, 0xf6, false, 0, rm_reg(RAX));	/* test al, 3 */
	emit_byte(c, 3);
	step_on(t, CC_NE);
	if (is_x(i->d.rd)) {
		mov_imm(c, RCX, i->pc + 4);
		x_done(t, i->d.rd, RCX);
	}
	for (n = 2; n < b->succs; n++) {
		mov_imm(c, RCX, t->r->insn[t->r->block[b->succ[n]].first].pc);
		alu_rm(c, ALU_CMP, true, RAX, rm_reg(RCX));
		go(t, CC_E, b->succ[n], 0);
	}
}

static void translate_insn(struct trans *t, unsigned int flags)
{
	if (flags & OP_CALL)
		call_on(t, CC_ALWAYS);
	else if (flags & (OP_F1 | OP_FD) && t->i->op != OP_flh && t->i->op != OP_flw &&
		 t->i->op != OP_fld)
		translate_fp(t);
	else if (t->i->op >= OP_lb && t->i->op <= OP_sd)
		translate_memory(t);
	else if (t->i->op >= OP_flh && t->i->op <= OP_fsd)
		translate_memory(t);
	else
		translate_int(t);
}

/* Translate the instruction that ends a block; false if code runs on behind it. */
static bool translate_end(struct trans *t, const struct jblock *b, const struct tails *to)
{
	const struct jinsn *i = t->i;
	unsigned int flags = jinsn_flags(i);

	if (flags & OP_LEAVE) {
		step_on(t, CC_ALWAYS);
		return true;
	}
	switch (i->op) {
	case OP_jal_far: {
		uint64_t target = i->pc + (uint64_t)(int64_t)i->d.imm;

		if (target & 3) {
			step_on(t, CC_ALWAYS);
			return true;
		}
		if (is_x(i->d.rd)) {
			mov_imm(&t->c, RCX, i->pc + 4);
			x_done(t, i->d.rd, RCX);
		}
		go(t, CC_ALWAYS, b->succ[0], target);
		return true;
	}
	case OP_jalr:
	case OP_ret:
		translate_indirect(t, b);
		jump_to(&t->c, CC_ALWAYS, to->go);
		return true;
	default:
		translate_branch(t, b);
		return false;
	}
}

static void translate_body(struct trans *t, const struct jblock *b, const struct tails *to)
{
	bool ended = false;
	unsigned int k;

	for (k = 0; k < b->count; k++) {
		unsigned int stubs = t->stubs, flags;

		t->i = &t->r->insn[b->first + k];
		t->left = b->count - k;
		if (k + 1 < b->count && translate_pair(t, t->i + 1)) {
			memory_written(t, jinsn_flags(t->i));
			t->i++;
			k++;
			continue;
		}
		flags = jinsn_flags(t->i);
		if (flags & OP_END)
			ended = translate_end(t, b, to);
		else
			translate_insn(t, flags);
		if (flags & OP_FD && flags & OP_DST_S)
			t->boxed |= 1u << (t->i->d.rd & 31);
		else if (flags & OP_FD)
			t->boxed &= ~(1u << (t->i->d.rd & 31));
		memory_written(t, flags);
		for (; stubs < t->stubs; stubs++)
			t->stub[stubs].done = t->c.p;
	}
	if (ended)
		return;
	/* on to the next one, usually the block that follows here */
	if (b->succ[1] != (int)(b - t->r->block) + 1)
		go(t, CC_ALWAYS, b->succ[1], t->i->pc + 4);
}

static void translate_block(struct trans *t, struct jblock *b, const struct tails *to)
{
	struct stub *s;

	t->i = &t->r->insn[b->first];
	t->boxed = b->boxed_in;
	memory_block(t);
	b->at = t->c.p;
	alu_imm(&t->c, ALU_SUB, true, rm_reg(R_CREDIT), (int32_t)b->count);
	if (b->header) {
		s = stub(t, STUB_POLL, CC_LE);
		s->arg = b->count;
	}
	translate_body(t, b, to);
}

/*
 * Enter a block from outside: check its singles, load the homes. If a value is no single, the
 * interpreter executes the first instruction, and those that follow until it comes to another
 * entry.
 */
static void write_entry(struct trans *t, unsigned int n, const struct tails *to)
{
	const struct jblock *b = &t->r->block[n];
	struct code *c = &t->c;
	uint8_t *bad[32];
	unsigned int k, bads = 0;

	emit_align(c, 16);
	t->entry[n] = c->p;
	for (k = 0; k < 32; k++) {
		struct rm high = f_memory(k);

		if (!(b->boxed_need >> k & 1))
			continue;
		high.disp += 4;
		alu_imm(c, ALU_CMP, false, high, -1);
		bad[bads++] = jump(c, CC_NE);
	}
	call_to(c, to->reload);
	jump_to(c, CC_ALWAYS, b->at);
	if (!bads)
		return;
	for (k = 0; k < bads; k++)
		jump_here(c, bad[k]);
	mov_imm(c, RAX, t->r->insn[b->first].pc);
	mov_imm(c, RDX, JIT_STEP);
	jump_to(c, CC_ALWAYS, t->arena->leave);
}

bool translate(struct trans *t)
{
	struct tails to;
	unsigned int n;

	t->stubs = 0;
	t->branches = 0;
	t->sites = 0;
	t->next_slot = 0;
	write_tails(t, &to);
	emit_align(&t->c, 64);
	for (n = 0; n < t->r->blocks; n++)
		translate_block(t, &t->r->block[n], &to);
	for (n = 0; n < t->branches && !t->c.full; n++)
		jump_patch(t->branch[n].from, t->r->block[t->branch[n].block].at);
	for (n = 0; n < t->stubs; n++)
		write_stub(t, &t->stub[n], &to);
	for (n = 0; n < t->r->blocks; n++)
		write_entry(t, n, &to);
	return !t->c.full;
}
