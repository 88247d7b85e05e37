// SPDX-License-Identifier: MIT
/* Single steps end where running ends, one instruction at a time; observers see every operation. */
#include "model/core/jit/jit.h"
#include "rig.h"

struct seen {
	struct core_block *b;
	unsigned int begun;
	unsigned int done;
	unsigned int not_done;
	unsigned int op[8];
	uint64_t operand[4];
	uint64_t peeked;
};

static void on_begin(void *ctx, struct core_block *b, unsigned int op, const uint64_t operand[4])
{
	struct seen *s = ctx;

	s->b = b;
	if (s->begun < 8)
		s->op[s->begun] = op;
	s->begun++;
	memcpy(s->operand, operand, sizeof(s->operand));
	if (!core_block_peek(b, NULL, DATA_VA, 8, &s->peeked))
		s->peeked = 0;
}

static void on_end(void *ctx, struct core_block *b, unsigned int op, bool done)
{
	struct seen *s = ctx;

	if (b != s->b || (s->begun <= 8 && op != s->op[s->begun - 1]))
		s->begun = 1000;
	if (done)
		s->done++;
	else
		s->not_done++;
}

/* Steps until the block ends; the number of steps, 0 if one of them was not one instruction. */
static unsigned int walk(struct rig *r, enum core_result *last)
{
	struct core_counts before = { 0 }, after;
	unsigned int n = 0;

	do {
		*last = core_block_step(r->b, &r->mmu, &r->fault);
		core_block_counts(r->b, &after);
		if (after.insns - before.insns != (*last == CORE_MORE || *last == CORE_DONE))
			return 0;
		before = after;
		n++;
	} while (*last == CORE_MORE && n < 100000);
	return n;
}

static void compare(struct rig *r, const char *name, uint64_t pc)
{
	struct core_fault fault;
	struct core_state want, got;
	struct core_counts ran, walked;
	enum core_result a, b;
	unsigned int n;

	rig_block(r, pc);
	a = rig_run(r);
	fault = r->fault;
	core_block_state(r->b, &want);
	core_block_counts(r->b, &ran);
	rig_block(r, pc);
	memset(&r->fault, 0, sizeof(r->fault));
	n = walk(r, &b);
	core_block_state(r->b, &got);
	core_block_counts(r->b, &walked);
	tap_ok(a == b && n == ran.insns + (a == CORE_FAULT) && walked.insns == ran.insns &&
	       walked.tiles == ran.tiles, "%s: as many steps as instructions", name);
	tap_ok(!memcmp(&want, &got, sizeof(want)), "%s: the same registers and pc", name);
	tap_ok(a != CORE_FAULT || (fault.cause == r->fault.cause && fault.pc == r->fault.pc &&
				   fault.insn == r->fault.insn &&
				   !strcmp(fault.message, r->fault.message)),
	       "%s: the same fault", name);
}

static void test_programs(struct rig *r)
{
	/* pairs that the decoder fuses, a loop, a tile operation, a barrier, floating point */
	const uint32_t loop[] = {
		ADDI(5, 0, 100),
		I_TYPE(0x13, 1, 6, 5, 3),			/* slli x6, x5, 3 */
		R_TYPE(0x33, 0, 0, 7, 6, 10),			/* add x7, x6, x10 */
		I_TYPE(0x03, 3, 8, 7, 8),			/* ld x8, 8(x7) */
		R_TYPE(0x33, 0, 0, 9, 9, 8),			/* add x9, x9, x8 */
		S_TYPE(0x23, 3, 10, 9, 0),			/* sd x9, 0(x10) */
		R_TYPE(0x53, 7, 0x69, 1, 9, 0),			/* fcvt.d.w f1, x9 */
		R_TYPE(0x53, 7, 0x01, 2, 2, 1),			/* fadd.d f2, f2, f1 */
		U_TYPE(0x37, 11, ANPU_UB_BASE >> 12),		/* lui x11, UB */
		ADDI(12, 0, 64),
		TILE_INSN(ANPU_TILE_DMA_FILL, 0, 11, 12, 9),
		ADDI(13, 0, ANPU_PIPE_V),
		SYS_INSN(ANPU_SYS_PIPEBAR, 13, 0),
		ADDI(5, 5, -1),
		B_TYPE(1, 5, 0, -52),				/* bne x5, x0, the slli */
		RET };
	const uint32_t far[] = { J_TYPE(0, 4096) };
	const uint32_t back[] = { J_TYPE(0, -4092) };
	const uint32_t last[] = { ADDI(14, 0, 5) };
	const uint32_t bad[] = { ADDI(5, 0, 1), I_TYPE(0x03, 3, 8, 0, 8), RET };

	for (unsigned int n = 0; n < 200; n++)
		((uint64_t *)rig_data(r))[n] = rnd() % 1000;
	rig_code(r, 0x2000, loop, sizeof(loop) / 4);
	compare(r, "loop", CODE_VA + 0x2000);
	/* to the next page and back to the instruction behind */
	rig_code(r, 0x3000, far, 1);
	rig_code(r, 0x4000, back, 1);
	rig_code(r, 0x3004, last, 1);
	rig_code(r, 0x3008, (const uint32_t[]){ RET }, 1);
	compare(r, "jumps between pages", CODE_VA + 0x3000);
	/* off the end of a page */
	rig_code(r, 0x4ffc, last, 1);
	rig_code(r, 0x5000, (const uint32_t[]){ RET }, 1);
	compare(r, "from page to page", CODE_VA + 0x4ffc);
	rig_code(r, 0x6000, bad, 3);
	compare(r, "a fault", CODE_VA + 0x6000);
	compare(r, "no code", 0x1000);
}

/* Registers that a debugger may set */
static void test_set_registers(struct rig *r)
{
	struct core_state s;
	bool good = true;

	rig_block(r, CODE_VA);
	for (unsigned int n = 0; n < 70; n++)
		core_block_set_reg(r->b, n, 0x1003 + n);
	core_block_state(r->b, &s);
	for (unsigned int n = 0; n < 32; n++)
		good = good && s.x[n] == (n ? 0x1003 + n : 0) && s.f[n] == 0x1003 + 33 + n;
	tap_ok(good, "each register can be set, but for x0");
	tap_ok(s.pc == ((0x1003 + 32) & ~3u), "pc is a multiple of 4");
}

static void test_endless(struct rig *r)
{
	const uint32_t self[] = { J_TYPE(0, 0) };
	struct core_counts c;

	rig_code(r, 0x2000, self, 1);
	rig_block(r, CODE_VA + 0x2000);
	for (unsigned int n = 0; n < 5; n++)
		core_block_step(r->b, &r->mmu, &r->fault);
	core_block_counts(r->b, &c);
	tap_ok(c.insns == 5, "a jump to itself: five steps are five instructions");
}

static void test_mixed(struct rig *r)
{
	const uint32_t code[] = { ADDI(5, 0, 7), ADDI(5, 5, 1), ADDI(6, 5, 1), RET };
	struct core_state s;

	rig_code(r, 0x2000, code, 4);
	rig_block(r, CODE_VA + 0x2000);
	core_block_step(r->b, &r->mmu, &r->fault);
	core_block_step(r->b, &r->mmu, &r->fault);
	core_block_state(r->b, &s);
	tap_ok(s.pc == CODE_VA + 0x2008 && s.x[5] == 8 && !s.x[6], "two steps");
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[6] == 9, "then the rest at once");
}

static void test_observer(struct rig *r)
{
	const uint32_t code[] = { TILE_INSN(ANPU_TILE_DMA_FILL, 0, 11, 12, 9),
				  SYS_INSN(ANPU_SYS_PIPEBAR, 0, 0),
				  TILE_INSN(ANPU_TILE_DMA_FILL, 8, 11, 12, 9), RET };
	struct seen seen = { 0 };
	const struct core_observer o = { &seen, on_begin, on_end };
	uint64_t word = 0;

	rig_code(r, 0x2000, code, 4);
	((uint64_t *)rig_data(r))[0] = 0x1122334455667788;
	rig_block(r, CODE_VA + 0x2000);
	r->b->x[11] = ANPU_UB_BASE;
	r->b->x[12] = 64;
	r->b->x[9] = 0x55;
	r->b->x[8] = 3;
	r->k.observer = &o;
	tap_ok(rig_run(r) == CORE_FAULT, "an operand that must be zero");
	r->k.observer = NULL;
	tap_ok(seen.begun == 3 && seen.done == 2 && seen.not_done == 1,
	       "an observer sees each operation begin and end");
	tap_ok(seen.op[0] == ANPU_TILE_DMA_FILL &&
	       seen.op[1] == CORE_OBSERVE_SYS + ANPU_SYS_PIPEBAR && seen.op[2] == seen.op[0],
	       "their numbers");
	tap_ok(seen.operand[0] == ANPU_UB_BASE && seen.operand[1] == 64 && seen.operand[2] == 0x55 &&
	       seen.operand[3] == 3, "their operands");
	tap_ok(seen.peeked == 0x1122334455667788, "it can read memory");
	tap_ok(core_block_peek(r->b, &r->mmu, ANPU_UB_BASE + 60, 4, &word) && !word &&
	       core_block_peek(r->b, &r->mmu, ANPU_UB_BASE, 8, &word) && word == 0x55,
	       "so can a tool between runs");
	tap_ok(!core_block_peek(r->b, &r->mmu, 0x700000000, 8, &word), "unmapped memory");
}

/* The rig's clock goes on by a tick whenever it is read: twice in each operation that is measured */
static void test_pipes(struct rig *r)
{
	const uint32_t code[] = { TILE_INSN(ANPU_TILE_DMA_FILL, 0, 11, 12, 9), TILE_INSN(ANPU_TILE_DMA_LIN, 0, 11, 10, 12),
				  TILE_INSN(ANPU_TILE_DMA_LIN, 0, 11, 10, 12), TILE_INSN(ANPU_TILE_DMA_LIN, 0, 10, 11, 12),
				  TILE_INSN(ANPU_TILE_DMA_FILL, 8, 11, 12, 9), RET };
	uint64_t ns[ANPU_PIPE_COUNT] = { 0 }, none[ANPU_PIPE_COUNT] = { 0 };

	rig_code(r, 0x2000, code, 6);
	for (int measured = 1; measured >= 0; measured--) {
		r->k.time_pipes = measured;
		rig_block(r, CODE_VA + 0x2000);
		r->b->x[10] = DATA_VA;
		r->b->x[11] = ANPU_UB_BASE;
		r->b->x[12] = 64;
		r->b->x[8] = 3;
		tap_ok(rig_run(r) == CORE_FAULT, "fills, copies, and an operation that fails");
		core_block_pipes(r->b, measured ? ns : none);
	}
	tap_ok(ns[ANPU_PIPE_V] == 2 * r->tick && ns[ANPU_PIPE_MTE2] == 2 * r->tick && ns[ANPU_PIPE_MTE3] == r->tick &&
	       !ns[ANPU_PIPE_S] && !ns[ANPU_PIPE_M] && !ns[ANPU_PIPE_MTE1] && !ns[ANPU_PIPE_FIX], "the time of each pipe");
	for (unsigned int i = 1; i < ANPU_PIPE_COUNT; i++)
		none[0] += none[i];
	tap_ok(!none[0], "nothing if nobody wants it");
}

/* A loop of 4000 fills: they are noted with place and time, and the run ends before their room does */
static void test_operations(struct rig *r)
{
	const uint32_t code[] = { TILE_INSN(ANPU_TILE_DMA_FILL, 0, 11, 12, 9), ADDI(10, 10, -1), B_TYPE(1, 10, 0, -8), RET };
	static struct core_operations seen;
	enum core_result first;
	bool right = true;

	rig_code(r, 0x2000, code, 4);
	r->k.time_pipes = true;
	rig_block(r, CODE_VA + 0x2000);
	r->b->x[10] = 4000;
	r->b->x[11] = ANPU_UB_BASE;
	r->b->x[12] = 64;
	seen.count = 0;
	core_block_note(r->b, &seen);
	first = rig_run(r);
	tap_ok(first == CORE_MORE && seen.count >= CORE_OPERATIONS * 3 / 4 && seen.count < CORE_OPERATIONS && !seen.lost,
	       "a run ends when the room for operations runs short");
	for (unsigned int i = 0; i < seen.count; i++)
		right &= seen.list[i].op == ANPU_TILE_DMA_FILL && seen.list[i].pipe == ANPU_PIPE_V &&
			 seen.list[i].pc == CODE_VA + 0x2000 && seen.list[i].end == seen.list[i].begin + r->tick &&
			 (!i || seen.list[i].begin >= seen.list[i - 1].end);
	tap_ok(right, "each with its kind, pipe, place and time");
	core_block_note(r->b, NULL);
	tap_ok(rig_run(r) == CORE_DONE && seen.count < CORE_OPERATIONS, "and no longer");
	r->k.time_pipes = false;
}

static void test_blocked(struct rig *r)
{
	const uint32_t code[] = { SYS_INSN(ANPU_SYS_SYNCALL, 0, 0), RET };
	struct core_state s;

	rig_code(r, 0x2000, code, 2);
	rig_block(r, CODE_VA + 0x2000);
	tap_ok(core_block_step(r->b, &r->mmu, &r->fault) == CORE_BLOCKED &&
	       core_block_step(r->b, &r->mmu, &r->fault) == CORE_BLOCKED, "a block that waits");
	core_block_state(r->b, &s);
	tap_ok(s.pc == CODE_VA + 0x2000, "its pc stays");
}

/* Where a debugger stops blocks, also between two instructions that the decoder makes one of, and in translated code */
static void test_breaks(struct rig *r)
{
	const uint32_t code[] = {
		ADDI(5, 0, 3),
		ADDI(5, 5, -1),				/* a pair with the branch */
		B_TYPE(1, 5, 0, -4),
		RET };
	const uint64_t branch = CODE_VA + 0x2008;
	struct core_breaks breaks = { .serial = 1, .n = 2, .pc = { branch, CODE_VA + 0x9000 } };
	struct core_state s;
	unsigned int met = 0;

	rig_code(r, 0x2000, code, 4);
	code_cache_set_jit(r->k.code, CORE_JIT_EAGER);
	rig_block(r, CODE_VA + 0x2000);
	core_block_attend(r->b, &breaks);
	while (rig_run(r) == CORE_MORE && met < 100) {
		core_block_state(r->b, &s);
		met += s.pc == branch && s.x[5] == 2 - met;
		if (core_block_step(r->b, &r->mmu, &r->fault) != CORE_MORE)
			break;
	}
	tap_ok(met == 3 && r->b->x[5] == 0, "a breakpoint is met each time, in front of its instruction");
	breaks.n = 1;
	breaks.serial = 2;
	breaks.pc[0] = CODE_VA + 0x2000;
	rig_block(r, CODE_VA + 0x2000);
	core_block_attend(r->b, &breaks);
	tap_ok(rig_run(r) == CORE_MORE && core_block_step(r->b, &r->mmu, &r->fault) == CORE_MORE && rig_run(r) == CORE_DONE,
	       "the first instruction; others are no places any more");
	breaks.serial = 0;
	rig_block(r, CODE_VA + 0x2000);
	core_block_attend(r->b, &breaks);
	tap_ok(code_cache_jit(r->k.code) != CORE_JIT_OFF || jit_mode_default() == CORE_JIT_OFF, "code is translated again");
	tap_ok(rig_run(r) == CORE_DONE, "and nothing stops without a debugger");
}

int main(void)
{
	struct rig r;

	rig_init(&r);
	test_programs(&r);
	test_set_registers(&r);
	test_endless(&r);
	test_mixed(&r);
	test_observer(&r);
	test_pipes(&r);
	test_operations(&r);
	test_blocked(&r);
	test_breaks(&r);
	rig_fini(&r);
	return tap_done();
}
