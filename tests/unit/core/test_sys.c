// SPDX-License-Identifier: MIT
/*
 * custom-1: flags between pipes, text to the host, ends of a block, and synchronisation of blocks,
 * with a scheduler of the simplest kind.
 */
#include "rig.h"

#define MAX_BLOCKS 64

static void set_regs(struct core_block *b, void *ctx)
{
	const uint64_t *v = ctx;

	b->x[10] = v[0];
	b->x[11] = v[1];
}

static enum core_result sys(struct rig *r, unsigned int op, uint64_t rs1, uint64_t rs2)
{
	uint64_t v[2] = { rs1, rs2 };

	return rig_one(r, SYS_INSN(op, 10, 11), set_regs, v);
}

static bool fault_is(struct rig *r, enum core_result result, uint32_t cause, const char *text)
{
	bool ok = result == CORE_FAULT && r->fault.cause == cause && strstr(r->fault.message, text);

	if (!ok)
		tap_note("result %d cause %u: %s", result, r->fault.cause, r->fault.message);
	return ok;
}

/* set @sets times, then wait @waits times */
static enum core_result flags(struct rig *r, uint64_t operand, unsigned int sets, unsigned int waits)
{
	uint32_t code[64];
	unsigned int n = 0;

	while (sets--)
		code[n++] = SYS_INSN(ANPU_SYS_SETFLAG, 10, 0);
	while (waits--)
		code[n++] = SYS_INSN(ANPU_SYS_WAITFLAG, 10, 0);
	code[n++] = RET;
	rig_code(r, 0, code, n);
	rig_block(r, CODE_VA);
	r->b->x[10] = operand;
	return rig_run(r);
}

static void test_flags(struct rig *r)
{
	uint64_t f = ANPU_FLAG(ANPU_PIPE_MTE2, ANPU_PIPE_V, 3);
	const uint32_t other[] = { SYS_INSN(ANPU_SYS_SETFLAG, 10, 0), SYS_INSN(ANPU_SYS_WAITFLAG, 11, 0) };

	tap_ok(flags(r, f, 1, 1) == CORE_DONE, "set, wait");
	tap_ok(flags(r, f, 15, 15) == CORE_DONE, "fifteen sets and waits");
	tap_ok(fault_is(r, flags(r, f, 0, 1), ANPU_FAULT_SYNC, "MTE2 to V event 3: nothing has set it"),
	       "a wait that nothing set names the flag");
	tap_ok(fault_is(r, flags(r, f, 2, 3), ANPU_FAULT_SYNC, "nothing"), "the third of two");
	tap_ok(fault_is(r, flags(r, f, 16, 0), ANPU_FAULT_SYNC, "set 15 times"), "the sixteenth set");
	tap_ok(flags(r, f, 1, 0) == CORE_DONE &&
	       fault_is(r, flags(r, f, 0, 1), ANPU_FAULT_SYNC, "nothing"),
	       "flags of one block are gone in the next");
	rig_code(r, 0, other, 2);
	rig_block(r, CODE_VA);
	r->b->x[10] = f;
	r->b->x[11] = ANPU_FLAG(ANPU_PIPE_MTE2, ANPU_PIPE_V, 4);
	tap_ok(fault_is(r, rig_run(r), ANPU_FAULT_SYNC, "event 4"), "another event is another flag");
	tap_ok(fault_is(r, flags(r, ANPU_FLAG(1, 1, 0), 1, 0), ANPU_FAULT_OPERAND, "two different") &&
	       fault_is(r, flags(r, ANPU_FLAG(1, 6, 0), 1, 0), ANPU_FAULT_OPERAND, "pipes") &&
	       fault_is(r, flags(r, ANPU_FLAG(8, 1, 0), 1, 0), ANPU_FAULT_OPERAND, "pipes") &&
	       fault_is(r, flags(r, ANPU_FLAG(200, 1, 0), 1, 0), ANPU_FAULT_OPERAND, "pipes"),
	       "pipes that do not exist, or all, or one twice");
	tap_ok(fault_is(r, flags(r, ANPU_FLAG(1, 2, 8), 1, 0), ANPU_FAULT_OPERAND, "event 8"),
	       "an event that does not exist");
	tap_ok(sys(r, ANPU_SYS_PIPEBAR, ANPU_PIPE_ALL, 0) == CORE_DONE &&
	       fault_is(r, sys(r, ANPU_SYS_PIPEBAR, 9, 0), ANPU_FAULT_OPERAND, "no pipe"), "PIPEBAR");
	tap_ok(fault_is(r, sys(r, ANPU_SYS_PIPEBAR, 1, 5), ANPU_FAULT_OPERAND, "unused operand"),
	       "unused operands must be zero");
}

static void test_text(struct rig *r)
{
	static const char text[] = "block says 42\n";
	static const char odd[] = "a\tb\x80";

	memcpy(rig_data(r) + 4090, text, sizeof(text));
	tap_ok(sys(r, ANPU_SYS_PRINT, DATA_VA + 4090, sizeof(text) - 1) == CORE_DONE &&
	       r->printed_len == sizeof(text) - 1 && !memcmp(r->printed, text, r->printed_len),
	       "PRINT, across pages");
	r->print_fails = true;
	tap_ok(fault_is(r, sys(r, ANPU_SYS_PRINT, DATA_VA + 4090, 4), ANPU_FAULT_UNMAPPED, "no buffer") &&
	       r->fault.pc == CODE_VA && r->fault.addr == 0x1234,
	       "PRINT that the device cannot deliver");
	r->print_fails = false;
	tap_ok(sys(r, ANPU_SYS_PRINT, 0, 0) == CORE_DONE, "PRINT of nothing touches nothing");
	tap_ok(fault_is(r, sys(r, ANPU_SYS_PRINT, DATA_VA, ANPU_TEXT_MAX + 1), ANPU_FAULT_OPERAND, "4097"),
	       "PRINT of too much");
	tap_ok(fault_is(r, sys(r, ANPU_SYS_PRINT, 0x1000, 4), ANPU_FAULT_SCRATCHPAD, "0x1000"),
	       "PRINT of text that cannot be read");
	tap_ok(fault_is(r, sys(r, ANPU_SYS_TRAP, DATA_VA + 4090, 10), ANPU_FAULT_TRAP, "block says") &&
	       r->fault.pc == CODE_VA, "TRAP carries its message");
	tap_ok(fault_is(r, sys(r, ANPU_SYS_ASSERT, DATA_VA + 4090, 10), ANPU_FAULT_ASSERT, "block says"),
	       "ASSERT carries its text");
	tap_ok(fault_is(r, sys(r, ANPU_SYS_TRAP, 0, 0), ANPU_FAULT_TRAP, "no message"), "TRAP without one");
	memcpy(rig_data(r), odd, sizeof(odd));
	tap_ok(fault_is(r, sys(r, ANPU_SYS_TRAP, DATA_VA, 4), ANPU_FAULT_TRAP, "a?b?"),
	       "a message is printable ASCII");
	memset(rig_data(r), 'x', 4096);
	tap_ok(fault_is(r, sys(r, ANPU_SYS_TRAP, DATA_VA, 4096), ANPU_FAULT_TRAP, "xxx") &&
	       strlen(r->fault.message) == 127, "a long message is cut");
	tap_ok(sys(r, ANPU_SYS_EXIT, 0, 0) == CORE_DONE && r->b->retired == 1, "EXIT");
	tap_ok(sys(r, ANPU_SYS_DCCI, DATA_VA, 64) == CORE_DONE, "DCCI");
}

/* Several blocks -------------------------------------------------------------------------------- */

/*
 * Run all sub-blocks of the kernel, @batch at a time in turn, each for one budget; blocked ones
 * again after progress. Returns the first result that is not DONE, or DEADLOCK as CORE_BLOCKED.
 */
static enum core_result run_all(struct rig *r, unsigned int running, bool backwards)
{
	struct core_block *b[MAX_BLOCKS] = { NULL };
	unsigned int subs = core_sub_blocks(&r->k.pkt);
	unsigned int total = r->k.pkt.grid_x * r->k.pkt.grid_y * r->k.pkt.grid_z * subs;
	unsigned int started = 0, ended = 0;
	enum core_result result = CORE_DONE;
	uint64_t before;

	while (ended < total && result == CORE_DONE) {
		bool moved = false;

		before = core_kernel_progress(&r->k);
		/* as many as run at once, and more while those all wait */
		while (started < total && (started - ended < running || !started)) {
			b[started] = core_block_new(&r->k, started / subs, started % subs, 0);
			started++;
		}
		for (unsigned int n = 0; n < started && result == CORE_DONE; n++) {
			unsigned int i = backwards ? started - 1 - n : n;
			enum core_result one;

			if (!b[i])
				continue;
			one = core_block_run(b[i], &r->mmu, 1000000, &r->fault);
			if (one == CORE_BLOCKED)
				continue;
			moved = true;
			if (one == CORE_DONE || one == CORE_FAULT) {
				core_block_free(b[i]);
				b[i] = NULL;
				ended++;
			}
			if (one == CORE_FAULT)
				result = one;
		}
		if (!moved && before == core_kernel_progress(&r->k)) {
			if (started < total) {
				running++;
				continue;
			}
			core_kernel_deadlock(&r->k, &r->fault);
			result = CORE_BLOCKED;
		}
	}
	for (unsigned int n = 0; n < started; n++)
		core_block_free(b[n]);
	return result;
}

static void kernel(struct rig *r, unsigned int blocks, unsigned int mix)
{
	core_block_free(r->b);
	r->b = NULL;
	core_kernel_fini(&r->k);
	r->k.pkt.entry = CODE_VA;
	r->k.pkt.grid_x = blocks;
	r->k.pkt.grid_y = 1;
	r->k.pkt.grid_z = 1;
	r->k.pkt.core_type = mix ? ANPU_CORE_MIX : ANPU_CORE_ANY;
	r->k.pkt.mix_ratio = (uint8_t)mix;
	r->k.pkt.aiv_entry = mix ? 0x1000 : 0;
	if (!core_kernel_init(&r->k, &r->fault))
		tap_note("core_kernel_init: %s", r->fault.message);
	memset(&r->fault, 0, sizeof(r->fault));
	memset(rig_data(r), 0, 4096);
}

/* data[0]++, wait for all, data[8 + block * 8] = data[0], and again */
static void barrier_code(struct rig *r)
{
	uint32_t code[64];
	unsigned int n = 0;

	code[n++] = CSRR(12, ANPU_CSR_blockidx);
	code[n++] = I_TYPE(0x13, 1, 12, 12, 4);
	code[n++] = R_TYPE(0x33, 0, 0, 12, 12, 10);
	for (unsigned int round = 0; round < 2; round++) {
		code[n++] = I_TYPE(3, 3, 13, 10, 0);
		code[n++] = ADDI(13, 13, 1);
		code[n++] = S_TYPE(0x23, 3, 10, 13, 0);
		code[n++] = SYS_INSN(ANPU_SYS_SYNCALL, 0, 0);
		code[n++] = I_TYPE(3, 3, 13, 10, 0);
		code[n++] = S_TYPE(0x23, 3, 12, 13, 8 + 8 * (int)round);
		code[n++] = SYS_INSN(ANPU_SYS_SYNCALL, 0, 0);
	}
	code[n++] = RET;
	rig_code(r, 0, code, n);
}

static void test_syncall(struct rig *r)
{
	static const unsigned int counts[] = { 1, 2, 7, 64 };

	barrier_code(r);
	for (unsigned int k = 0; k < 4; k++) {
		for (unsigned int backwards = 0; backwards < 2; backwards++) {
			const uint64_t *d = (const uint64_t *)(const void *)rig_data(r);
			unsigned int bad = 0, n = counts[k];

			kernel(r, n, 0);
			bad += run_all(r, 2, backwards) != CORE_DONE;
			for (unsigned int i = 0; i < n; i++)
				bad += d[1 + 2 * i] != n || d[2 + 2 * i] != 2 * n;
			tap_ok(!bad, "SYNCALL of %u blocks, two at a time%s", n,
			       backwards ? ", backwards" : "");
		}
	}
	tap_ok(fault_is(r, sys(r, ANPU_SYS_SYNCALL, 2, 0), ANPU_FAULT_OPERAND, "SYNCALL"),
	       "SYNCALL of an unknown kind");
}

static void test_deadlock(struct rig *r)
{
	/* block 0 ends, the others wait for it at a barrier */
	const uint32_t code[] = {
		CSRR(12, ANPU_CSR_blockidx), B_TYPE(0, 12, 0, 8), SYS_INSN(ANPU_SYS_SYNCALL, 0, 0), RET
	};
	const uint32_t cross[] = { SYS_INSN(ANPU_SYS_XWAIT, 10, 0), RET };
	const uint32_t setup[] = { ADDI(10, 0, ANPU_CROSS(5, ANPU_CROSS_ALL)) };

	rig_code(r, 0, code, 4);
	kernel(r, 3, 0);
	tap_ok(run_all(r, 4, false) == CORE_BLOCKED && r->fault.cause == ANPU_FAULT_DEADLOCK &&
	       strstr(r->fault.message, "2 of 3 blocks") &&
	       strstr(r->fault.message, "blocks 1-2 in SYNCALL") && r->fault.pc == CODE_VA + 8,
	       "a block that leaves before a barrier: %s", r->fault.message);
	rig_code(r, 0, setup, 1);
	rig_code(r, 4, cross, 2);
	kernel(r, 40, 0);
	tap_ok(run_all(r, 4, false) == CORE_BLOCKED && strstr(r->fault.message, "40 of 40") &&
	       strstr(r->fault.message, "cross flag 5") && strlen(r->fault.message) < 128,
	       "flags nobody sets: %s", r->fault.message);
}

/* Blocks hand a word on: block n waits until it is n, and makes it n + 1. The last ones start first. Then all meet. */
static void test_words(struct rig *r)
{
	const uint32_t code[] = {
		CSRR(12, ANPU_CSR_blockidx), I_TYPE(3, 3, 13, 10, 8), R_TYPE(0x33, 6, 0, 14, 12, 13),
		SYS_INSN(ANPU_SYS_AWAIT, 10, 14), ADDI(12, 12, 1), SYS_INSN(ANPU_SYS_POST, 10, 12),
		SYS_INSN(ANPU_SYS_SYNCALL, 0, 0), RET
	};
	uint64_t *d = (uint64_t *)(void *)rig_data(r);

	for (uint64_t least = 0; least < 2; least++)
		for (unsigned int backwards = 0; backwards < 2; backwards++) {
			rig_code(r, 0, code, 8);
			kernel(r, 20, 0);
			d[0] = 0;
			d[1] = least << 32;
			tap_ok(run_all(r, 20, backwards) == CORE_DONE && d[0] == 20,
			       "20 blocks hand a word on%s%s: %s", backwards ? ", backwards" : "",
			       least ? ", at least" : "", r->fault.message);
		}
	kernel(r, 3, 0);
	d[0] = 7;
	d[1] = 0;
	tap_ok(run_all(r, 3, false) == CORE_BLOCKED && strstr(r->fault.message, "blocks 0-2 for the word at"),
	       "a word that nobody writes: %s", r->fault.message);
	tap_ok(fault_is(r, sys(r, ANPU_SYS_POST, ANPU_UB_BASE, 0), ANPU_FAULT_OPERAND, "global memory") &&
	       fault_is(r, sys(r, ANPU_SYS_AWAIT, DATA_VA + 2, 0), ANPU_FAULT_OPERAND, "32-bit word") &&
	       fault_is(r, sys(r, ANPU_SYS_AWAIT, DATA_VA, 2ULL << 32), ANPU_FAULT_OPERAND, "condition 2") &&
	       fault_is(r, sys(r, ANPU_SYS_POST, DATA_VA, 1ULL << 32), ANPU_FAULT_OPERAND, "32 bits"),
	       "words that are none");
}

/* cube: data[0] = 1, set; wait; data[8] = data[16] + data[24]. vectors: wait; data[16 or 24] = data[0] + n; set */
static void test_mix(struct rig *r)
{
	const uint32_t cube[] = {
		ADDI(13, 0, 1), S_TYPE(0x23, 3, 10, 13, 0), ADDI(14, 0, ANPU_CROSS(1, 2) & 0x7ff),
		SYS_INSN(ANPU_SYS_XSET, 14, 0), ADDI(14, 14, 1), SYS_INSN(ANPU_SYS_XWAIT, 14, 0),
		I_TYPE(3, 3, 15, 10, 16), I_TYPE(3, 3, 16, 10, 24), R_TYPE(0x33, 0, 0, 15, 15, 16),
		S_TYPE(0x23, 3, 10, 15, 8), RET
	};
	const uint32_t vec[] = {
		ADDI(14, 0, ANPU_CROSS(1, ANPU_CROSS_ANY) & 0x7ff), SYS_INSN(ANPU_SYS_XWAIT, 14, 0),
		ADDI(14, 0, ANPU_CROSS(1, 2) & 0x7ff), I_TYPE(3, 3, 13, 10, 0), CSRR(15, ANPU_CSR_subblockidx), R_TYPE(0x33, 0, 0, 13, 13, 15),
		I_TYPE(0x13, 1, 15, 15, 3), R_TYPE(0x33, 0, 0, 15, 15, 10), S_TYPE(0x23, 3, 15, 13, 16),
		ADDI(14, 14, 1), SYS_INSN(ANPU_SYS_XSET, 14, 0), RET
	};
	const uint64_t *d = (const uint64_t *)(const void *)rig_data(r);

	for (unsigned int backwards = 0; backwards < 2; backwards++) {
		rig_code(r, 0, cube, sizeof(cube) / 4);
		rig_code(r, 0x1000, vec, sizeof(vec) / 4);
		kernel(r, 1, 2);
		tap_ok(run_all(r, 3, backwards) == CORE_DONE && d[1] == 3,
		       "cube and vector sub-blocks hand over by flags%s", backwards ? ", backwards" : "");
	}
	kernel(r, 1, 0);
	tap_ok(fault_is(r, sys(r, ANPU_SYS_XSET, ANPU_CROSS(1, ANPU_CROSS_GROUP), 0), ANPU_FAULT_OPERAND,
			"MIX"), "mode GROUP outside a MIX kernel");
	tap_ok(fault_is(r, sys(r, ANPU_SYS_XSET, ANPU_CROSS(16, 0), 0), ANPU_FAULT_OPERAND, "flag 16") &&
	       fault_is(r, sys(r, ANPU_SYS_XWAIT, ANPU_CROSS(0, 5), 0), ANPU_FAULT_OPERAND, "mode 5") &&
	       fault_is(r, sys(r, ANPU_SYS_XSET, ANPU_CROSS(0, ANPU_CROSS_ANY), 0), ANPU_FAULT_OPERAND, "mode 3") &&
	       fault_is(r, sys(r, ANPU_SYS_XSET, ANPU_CROSS(0, 0), ANPU_CROSS_PIPE(7)), ANPU_FAULT_OPERAND, "XSET: 7 is no pipe"),
	       "flags, modes and pipes that do not exist");
	kernel(r, ANPU_MAX_RELATED_BLOCKS + 1, 0);
	tap_ok(fault_is(r, sys(r, ANPU_SYS_XSET, ANPU_CROSS(0, ANPU_CROSS_ALL), 0), ANPU_FAULT_SYNC, "65535 are the most"),
	       "flags in a kernel of too many blocks");
}

/* Partners that a sub-block of a MIX kernel cannot name; each is the whole program of cube or vector sub-blocks */
static void test_wrong_partners(struct rig *r)
{
	static const struct { bool cube; uint32_t flag; unsigned int mode; const char *text; } wrong[] = {
		{ true, 0, ANPU_CROSS_PEERS, "mode PEERS is for vector sub-blocks" }, { true, 32, ANPU_CROSS_PAIR, "flag 32 of mode PAIR is not below 32" },
		{ false, 16, ANPU_CROSS_PAIR, "flag 16 of mode PAIR is not below 16" }, { false, 16, ANPU_CROSS_PEERS, "flag 16 is not below 16" },
	};
	const uint32_t nothing[] = { RET };

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const uint32_t code[] = {
			ADDI(14, 0, ANPU_CROSS(wrong[i].flag, wrong[i].mode)), SYS_INSN(ANPU_SYS_XSET, 14, 0), RET
		};

		rig_code(r, 0, wrong[i].cube ? code : nothing, wrong[i].cube ? 3 : 1);
		rig_code(r, 0x1000, wrong[i].cube ? nothing : code, wrong[i].cube ? 1 : 3);
		kernel(r, 1, 2);
		tap_ok(fault_is(r, run_all(r, 3, false), ANPU_FAULT_OPERAND, wrong[i].text), "%s: %s", wrong[i].cube ? "cube" : "vector",
		       wrong[i].text);
	}
}

/* Runs a sub-block of the kernel's first block until it ends, fails or waits. */
static enum core_result run_sub(struct rig *r, struct core_block *b[3], unsigned int sub)
{
	if (!b[sub])
		b[sub] = core_block_new(&r->k, 0, sub, 0);
	return core_block_run(b[sub], &r->mmu, 1000000, &r->fault);
}

static void drop_subs(struct core_block *b[3])
{
	for (unsigned int sub = 0; sub < 3; sub++) {
		core_block_free(b[sub]);
		b[sub] = NULL;
	}
}

/* A flag between a cube and two vector sub-blocks is complete with the second of them, whichever that is. */
static void test_partners(struct rig *r)
{
	const uint32_t waits[] = { ADDI(14, 0, ANPU_CROSS(2, ANPU_CROSS_GROUP) & 0x7ff), SYS_INSN(ANPU_SYS_XWAIT, 14, 0), RET };
	const uint32_t sets[] = { ADDI(14, 0, ANPU_CROSS(2, ANPU_CROSS_GROUP) & 0x7ff), SYS_INSN(ANPU_SYS_XSET, 14, 0), RET };
	const uint32_t peers[] = {
		ADDI(14, 0, ANPU_CROSS(3, ANPU_CROSS_PEERS) & 0x7ff), SYS_INSN(ANPU_SYS_XSET, 14, 0), SYS_INSN(ANPU_SYS_XWAIT, 14, 0), RET
	};
	struct core_block *b[3] = { NULL };

	for (unsigned int first = 1; first <= 2; first++) {
		rig_code(r, 0, waits, sizeof(waits) / 4);
		rig_code(r, 0x1000, sets, sizeof(sets) / 4);
		kernel(r, 1, 2);
		tap_ok(run_sub(r, b, 0) == CORE_BLOCKED && run_sub(r, b, first) == CORE_DONE && run_sub(r, b, 0) == CORE_BLOCKED &&
		       run_sub(r, b, 3 - first) == CORE_DONE && run_sub(r, b, 0) == CORE_DONE,
		       "a cube waits for the second of two that set its flag, here vector sub-block %u", 2 - first);
		drop_subs(b);
		rig_code(r, 0x1000, peers, sizeof(peers) / 4);
		kernel(r, 1, 2);
		tap_ok(run_sub(r, b, first) == CORE_BLOCKED && run_sub(r, b, 3 - first) == CORE_DONE && run_sub(r, b, first) == CORE_DONE,
		       "and a vector sub-block for its peer");
		drop_subs(b);
	}
}

/* The cube sets a flag fifteen times, and once more when both vector sub-blocks have waited for it, or one of them. */
static void test_lagging(struct rig *r)
{
	uint32_t cube[24], vec[20];
	struct core_block *b[3] = { NULL };
	unsigned int n = 0, v = 0;

	cube[n++] = ADDI(14, 0, ANPU_CROSS(1, ANPU_CROSS_GROUP) & 0x7ff);
	vec[v++] = cube[0];
	while (v <= ANPU_FLAG_MAX) {
		cube[n++] = SYS_INSN(ANPU_SYS_XSET, 14, 0);
		vec[v++] = SYS_INSN(ANPU_SYS_XWAIT, 14, 0);
	}
	cube[n++] = ADDI(15, 0, 1);
	cube[n++] = SYS_INSN(ANPU_SYS_AWAIT, 10, 15);
	cube[n++] = SYS_INSN(ANPU_SYS_XSET, 14, 0);
	cube[n++] = RET;
	vec[v++] = RET;
	for (unsigned int which = 1; which <= 3; which++) {
		enum core_result last;

		rig_code(r, 0, cube, n);
		rig_code(r, 0x1000, vec, v);
		kernel(r, 1, 2);
		tap_ok(run_sub(r, b, 0) == CORE_BLOCKED && (!(which & 1) || run_sub(r, b, 1) == CORE_DONE) &&
		       (!(which & 2) || run_sub(r, b, 2) == CORE_DONE), "a flag that is set fifteen times");
		rig_data(r)[0] = 1;
		last = run_sub(r, b, 0);
		tap_ok(which == 3 ? last == CORE_DONE : fault_is(r, last, ANPU_FAULT_SYNC, "set 15 times"), "and once more: %s",
		       which == 3 ? "both have waited" : which == 2 ? "the first lags behind" : "the second lags behind");
		drop_subs(b);
	}
}

/*
 * Mode PAIR. cube: set flag 16; wait for flag 1; set flag 0; wait for flag 17; data[0] = 1. vectors: wait for flag 0; set flag 1. The
 * second vector sub-block's flag is set first, so that both orders of running end only if each wait has its own flag.
 */
static void test_pairs(struct rig *r)
{
	const uint32_t cube[] = {
		ADDI(14, 0, ANPU_CROSS(16, ANPU_CROSS_PAIR)), SYS_INSN(ANPU_SYS_XSET, 14, 0),
		ADDI(14, 14, 1), SYS_INSN(ANPU_SYS_XWAIT, 14, 0),
		ADDI(14, 0, ANPU_CROSS(0, ANPU_CROSS_PAIR)), SYS_INSN(ANPU_SYS_XSET, 14, 0),
		ADDI(14, 14, 1), SYS_INSN(ANPU_SYS_XWAIT, 14, 0), ADDI(13, 0, 1), S_TYPE(0x23, 3, 10, 13, 0), RET
	};
	const uint32_t vec[] = {
		ADDI(14, 0, ANPU_CROSS(0, ANPU_CROSS_PAIR)), SYS_INSN(ANPU_SYS_XWAIT, 14, 0),
		ADDI(14, 14, 1), SYS_INSN(ANPU_SYS_XSET, 14, 0), RET
	};
	const uint64_t *d = (const uint64_t *)(const void *)rig_data(r);

	for (unsigned int backwards = 0; backwards < 2; backwards++) {
		rig_code(r, 0, cube, sizeof(cube) / 4);
		rig_code(r, 0x1000, vec, sizeof(vec) / 4);
		kernel(r, 1, 2);
		tap_ok(run_all(r, 3, backwards) == CORE_DONE && d[0] == 1,
		       "a cube and each of its vector sub-blocks hand over%s", backwards ? ", backwards" : "");
	}
	kernel(r, 1, 1);
	tap_ok(fault_is(r, run_all(r, 2, false), ANPU_FAULT_OPERAND, "second vector sub-block's"),
	       "flag 16 of a block with one vector sub-block: %s", r->fault.message);
	kernel(r, 1, 0);
	tap_ok(fault_is(r, sys(r, ANPU_SYS_XSET, ANPU_CROSS(1, ANPU_CROSS_PAIR), 0), ANPU_FAULT_OPERAND, "MIX"),
	       "mode PAIR outside a MIX kernel");
}

/* every block sets flag 0 ten times and waits for it ten times: fine in any order */
static void test_cross_all(struct rig *r)
{
	uint32_t code[32];
	unsigned int n = 0;

	code[n++] = ADDI(14, 0, ANPU_CROSS(0, ANPU_CROSS_ALL));
	for (unsigned int k = 0; k < 10; k++) {
		code[n++] = SYS_INSN(ANPU_SYS_XSET, 14, 0);
		code[n++] = SYS_INSN(ANPU_SYS_XWAIT, 14, 0);
	}
	/* whoever has waited for a flag waits no more */
	code[n++] = SYS_INSN(ANPU_SYS_SYNCALL, 0, 0);
	code[n++] = RET;
	rig_code(r, 0, code, n);
	for (unsigned int blocks = 1; blocks <= 33; blocks += 16) {
		kernel(r, blocks, 0);
		tap_ok(run_all(r, 3, blocks & 16) == CORE_DONE, "cross flags as a barrier of %u blocks", blocks);
	}
	for (n = 1; n < 17; n++)
		code[n] = SYS_INSN(ANPU_SYS_XSET, 14, 0);
	code[n] = RET;
	rig_code(r, 0, code, n + 1);
	kernel(r, 2, 0);
	tap_ok(fault_is(r, run_all(r, 1, false), ANPU_FAULT_SYNC, "set 15 times"),
	       "a flag that is set sixteen times while others lag behind");
}

static void test_init(struct rig *r)
{
	struct core_kernel k = r->k;

	k.pkt.entry = CODE_VA + 2;
	tap_ok(!core_kernel_init(&k, &r->fault) && strstr(r->fault.message, "not 4-byte aligned"),
	       "an entry that is not aligned is refused");
	k.pkt = r->k.pkt;
	k.pkt.dyn_scratch = ANPU_UB_SIZE + 1;
	tap_ok(!core_kernel_init(&k, &r->fault) && strstr(r->fault.message, "dyn_scratch"),
	       "more dynamic scratchpad than there is");
	k.pkt.dyn_scratch = ANPU_UB_SIZE - 64;
	k.launch.static_scratch = 65;
	tap_ok(!core_kernel_init(&k, &r->fault) && strstr(r->fault.message, "65 bytes of static"),
	       "more scratchpad than there is, static and dynamic together");
	k.launch.static_scratch = 64;
	tap_ok(core_kernel_init(&k, &r->fault), "all the scratchpad, static and dynamic together");
	core_kernel_fini(&k);
	k.pkt.dyn_scratch = ANPU_UB_SIZE;
	k.launch.static_scratch = 0;
	tap_ok(core_kernel_init(&k, &r->fault), "all the scratchpad is dynamic");
	core_kernel_fini(&k);
}

/* what one address space can take of the host's memory is bounded */
static void test_limit(struct rig *r)
{
	static struct core_block *b[5000];
	unsigned int n = 0;

	core_block_free(r->b);
	r->b = NULL;
	while (n < 5000 && (b[n] = core_block_new(&r->k, n, 0, 0)))
		n++;
	tap_ok(n == 4096, "%u blocks at once and no more", n);
	core_block_free(b[--n]);
	b[n] = core_block_new(&r->k, n, 0, 0);
	tap_ok(b[n], "one that ends makes room");
	for (unsigned int k = 0; k <= n; k++)
		core_block_free(b[k]);
}

/* A kernel of one block: x12, what it finds on the stack, where it leaves something; x15 by @last. */
static uint64_t run_spare(struct rig *r, struct core_spare *spare, uint32_t last)
{
	const uint32_t code[] = {
		I_TYPE(0x03, 3, 12, 2, -16), S_TYPE(0x23, 3, 2, 10, -16),
		SYS_INSN(ANPU_SYS_SYNCALL, 0, 0), last, RET,
	};
	uint64_t found = ~0ULL;
	struct core_block *b;

	memcpy(r->mmu.region[0].host, code, sizeof(code));
	r->k.pkt.grid_x = r->k.pkt.grid_y = r->k.pkt.grid_z = 1;
	r->k.pkt.entry = CODE_VA;
	r->k.spare = spare;
	if (!core_kernel_init(&r->k, &r->fault))
		return found;
	b = core_block_new(&r->k, 0, 0, 0);
	if (b && core_block_run(b, &r->mmu, ~0ULL >> 1, &r->fault) == CORE_DONE)
		found = b->x[12] | b->x[15] << 32;
	core_block_free(b);
	core_kernel_fini(&r->k);
	return found;
}

/* the spare block of a thread is clean for the next kernel, and never from another address space */
static void test_spare(struct rig *r)
{
	struct code_cache *first = r->k.code, *second = code_cache_new();
	struct core_spare spare = { 0 };
	struct core_block *b;
	void *sync;

	core_block_free(r->b);
	r->b = NULL;
	core_kernel_fini(&r->k);
	code_cache_invalidate(first);
	tap_ok(run_spare(r, &spare, ADDI(15, 0, 1)) == 1ULL << 32, "a kernel that leaves a spare");
	b = spare.block;
	sync = spare.sync;
	tap_ok(b && sync && first->live == 1, "block and synchronisation are kept");
	tap_ok(run_spare(r, &spare, ADDI(15, 0, 1)) == 1ULL << 32 && spare.block == b && spare.sync == sync &&
	       first->live == 1, "the next kernel has them, with a clean stack and a barrier nobody is at");
	code_cache_invalidate(first);
	tap_ok(run_spare(r, &spare, ADDI(15, 0, 2)) == 2ULL << 32, "code that was invalidated is decoded again");
	r->k.code = second;
	tap_ok(run_spare(r, &spare, ADDI(15, 0, 3)) == 3ULL << 32 && !first->live && second->live == 1,
	       "a kernel of another address space gives back what is the first one's");
	tap_ok(run_spare(r, NULL, ADDI(15, 0, 3)) == 3ULL << 32 && second->live == 1,
	       "a kernel of several threads touches no spare");
	core_spare_drop(&spare);
	tap_ok(!second->live && !spare.block && !spare.sync, "nothing is left when it is dropped");
	core_spare_drop(&spare);
	code_cache_free(second);
	r->k.code = first;
	r->k.spare = NULL;
	core_kernel_init(&r->k, &r->fault);
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_flags(&r);
	test_text(&r);
	test_syncall(&r);
	test_deadlock(&r);
	test_words(&r);
	test_mix(&r);
	test_wrong_partners(&r);
	test_partners(&r);
	test_lagging(&r);
	test_pairs(&r);
	test_cross_all(&r);
	test_init(&r);
	test_limit(&r);
	test_spare(&r);
	rig_fini(&r);
	return tap_done();
}
