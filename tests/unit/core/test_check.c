// SPDX-License-Identifier: MIT
/* The checking mode's rules: which bytes count as written, and which events order two accesses. */
#include <stdio.h>

#include "check_rig.h"

#define ADD(n)		ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_ADD)

/* the text of a fault must fit into its record, with the longest names that there are */
static void fits(struct rig *r)
{
	if (strlen(r->fault.message) > sizeof(r->fault.message) - 2)
		tap_ok(false, "message of %zu bytes: %s", strlen(r->fault.message), r->fault.message);
}

/* Scalar unit ------------------------------------------------------------------------------------- */

static void test_scalar(struct rig *r)
{
	static const struct { const char *name; uint64_t base, size; } windows[] = {
#define X(name, base, bytes, ...) { #name, base, bytes },
		ANPU_WINDOWS(X)
#undef X
	};
	char text[64];

	for (unsigned int n = 0; n < sizeof(windows) / sizeof(windows[0]); n++) {
		uint64_t at = windows[n].base + windows[n].size - 16;
		bool stack = windows[n].base == ANPU_STACK_BASE, ok;

		ck_block(r, true);
		snprintf(text, sizeof(text), "scalar load: %s+0x%llx, byte 0 of 8, was never written",
			 windows[n].name, (unsigned long long)windows[n].size - 16);
		ok = ck_load(r, at, 3);
		if (stack) {
			tap_ok(ok, "the stack is not checked");
			continue;
		}
		tap_ok(!ok && ck_fault(r, ANPU_FAULT_UNINITIALISED, CK_LOAD(3), at, text) &&
		       r->fault.size == 8 && r->fault.access == ANPU_ACCESS_READ,
		       "a load of %s before any store", windows[n].name);
		tap_ok(ck_store(r, at, 3, 5) && ck_load(r, at, 3) && r->b->x[10] == 5 &&
		       ck_load(r, at + 4, 2), "%s: and after it", windows[n].name);
		ck_block(r, true);
		tap_ok(!ck_load(r, at, 3), "%s: the next block starts anew", windows[n].name);
	}
}

static void test_scalar_bytes(struct rig *r)
{
	unsigned int bad = 0;

	/* every size at every place of its own around granules and pages, every other byte unwritten */
	ck_block(r, true);
	for (uint64_t at = UB(0xfe0); at < UB(0x1020); at++)
		for (unsigned int log = 0; log < 4; log++)
			for (unsigned int hole = 0; !(at % (1u << log)) && hole < 1u << log; hole++) {
				ck_mark(r, UB(0xf00), 0x200, true);
				bad += !ck_load(r, at, log);
				ck_mark(r, at + hole, 1, false);
				bad += ck_load(r, at, log) || r->fault.addr != at + hole ||
				       r->fault.size != (1u << log) - hole;
				ck_mark(r, at, 1u << log, false);
				bad += !ck_store(r, at, log, 1) || !ck_load(r, at, log);
				ck_mark(r, at, 1u << log, true);
				ck_mark(r, at - 1, 1, false);
				ck_mark(r, at + (1u << log), 1, false);
				bad += !ck_load(r, at, log) || ck_load(r, at - 1, 0) ||
				       ck_load(r, at + (1u << log), 0);
			}
	tap_ok(!bad, "loads need exactly their bytes, stores write exactly theirs (%u wrong)", bad);
	/* a page that has been read and written is looked at again */
	ck_block(r, true);
	tap_ok(ck_store(r, UB(0), 3, 7) && ck_load(r, UB(0), 3) && !ck_load(r, UB(8), 3) &&
	       ck_fault(r, ANPU_FAULT_UNINITIALISED, CK_LOAD(3), UB(8), "UB+0x8"),
	       "no page of a scratchpad escapes in the TLB");
	tap_ok(!ck_load(r, UB(ANPU_UB_SIZE - 4), 3) && r->fault.cause == ANPU_FAULT_SCRATCHPAD &&
	       !ck_load(r, ANPU_UB_BASE - 8, 3) && r->fault.cause == ANPU_FAULT_SCRATCHPAD,
	       "addresses outside the windows fault as ever");
}

static void test_alignment(struct rig *r)
{
	unsigned int bad = 0;

	ck_block(r, true);
	for (uint64_t at = UB(0xff0); at < UB(0x1010); at++)
		for (unsigned int log = 0; log < 4; log++) {
			bool fits = !(at % (1u << log));

			ck_mark(r, UB(0xf00), 0x200, true);
			bad += ck_load(r, at, log) != fits || (!fits && (r->fault.cause != ANPU_FAULT_MISALIGNED || r->fault.addr != at ||
									r->fault.access != ANPU_ACCESS_READ));
			bad += ck_store(r, at, log, 1) != fits || (!fits && (r->fault.cause != ANPU_FAULT_MISALIGNED ||
									   r->fault.size != 1u << log));
		}
	tap_ok(!bad, "loads and stores at multiples of their size (%u wrong)", bad);
	tap_ok(!ck_store(r, UB(2), 2, 1) && ck_fault(r, ANPU_FAULT_MISALIGNED, CK_STORE(2), UB(2),
						     "scalar store: UB+0x2 is no multiple of the 4 bytes"), "and the sentence");
	ck_block(r, false);
	tap_ok(ck_store(r, UB(1), 3, 1) && ck_load(r, UB(1), 3), "elsewhere they work at any address");
}

static void test_services(struct rig *r)
{
	ck_block(r, true);
	tap_ok(!ck_sys(r, ANPU_SYS_PRINT, UB(0), 4) &&
	       ck_fault(r, ANPU_FAULT_UNINITIALISED, CK_SYS(ANPU_SYS_PRINT), UB(0), "text: UB+0x0"),
	       "PRINT of a text that nothing has written");
	tap_ok(ck_store(r, UB(0), 2, 0x21212121) && ck_sys(r, ANPU_SYS_PRINT, UB(0), 4), "and of one");
	tap_ok(!ck_sys(r, ANPU_SYS_TRAP, UB(8), 4) && r->fault.cause == ANPU_FAULT_UNINITIALISED,
	       "TRAP with a text that nothing has written");
	tap_ok(!ck_tile(r, ANPU_TILE_VREP, UB(0), UB(0), UB(0), UB(64)) &&
	       ck_fault(r, ANPU_FAULT_UNINITIALISED, CK_TILE(ANPU_TILE_VREP), UB(64),
			"descriptor: UB+0x40"), "a descriptor that nothing has written");
	tap_ok(ck_sys(r, ANPU_SYS_PRINT, UB(0), 0), "a text of no bytes");
}

/*
 * A hot loop, translated or not: writes and reads 5000 bytes, from x5 to x6; then one that is not
 * written; then the scalar unit reads what VDUP may not have written.
 */
static void test_loop(struct rig *r)
{
	const uint32_t code[] = {
		S_TYPE(0x23, 0, 5, 6, 0),	/* 0x300: sb x6, 0(x5) */
		I_TYPE(0x03, 4, 8, 5, 0),	/* lbu x8, 0(x5) */
		R_TYPE(0x33, 0, 0, 7, 7, 8),
		ADDI(5, 5, 1),
		B_TYPE(4, 5, 6, -16),		/* blt x5, x6 */
		I_TYPE(0x03, 4, 8, 5, 0),	/* 0x314: lbu x8, 0(x5) */
		TILE_INSN(ANPU_TILE_VDUP, 10, 11, 12, 0),
		ADDI(0, 0, 0),
		I_TYPE(0x03, 4, 8, 11, 0),	/* 0x320: lbu x8, 0(x11) */
		RET,
	};
	unsigned int bad = 0;

	rig_code(r, 0x300, code, sizeof(code) / 4);
	for (unsigned int n = 0; n < 3; n++) {
		ck_block(r, true);
		r->b->pc = CODE_VA + 0x300;
		r->b->x[5] = UB(0);
		r->b->x[6] = UB(5000);
		bad += rig_run(r) != CORE_FAULT ||
		       !ck_fault(r, ANPU_FAULT_UNINITIALISED, CODE_VA + 0x314, UB(5000), "UB+0x1388") ||
		       r->fault.x[0] != 5 * 5000;
	}
	tap_ok(!bad, "a loop of scalar accesses");
	for (unsigned int n = 0; n < 3; n++) {
		ck_block(r, true);
		r->b->pc = CODE_VA + 0x300;
		r->b->x[5] = UB(0);
		r->b->x[6] = UB(5000);
		ck_mark(r, UB(5000), 1, true);
		r->b->x[10] = ADD(8);
		r->b->x[11] = UB(0x2000);
		bad += rig_run(r) != CORE_FAULT ||
		       !ck_fault(r, ANPU_FAULT_RACE, CODE_VA + 0x320, UB(0x2000), "VDUP at 0x200000318 has");
	}
	tap_ok(!bad, "and an operation behind it, whose address is known");
	ck_code(r);
}

/* Off ---------------------------------------------------------------------------------------------- */

static void test_off(struct rig *r)
{
	ck_block(r, false);
	tap_ok(!r->b->check && ck_load(r, UB(0), 3) &&
	       ck_tile(r, ANPU_TILE_VBIN, UB(0), UB(64), UB(128), ADD(8)) &&
	       ck_tile(r, ANPU_TILE_DMA_LIN, GM(0), UB(0), 32, 0) &&
	       ck_tile(r, ANPU_TILE_DMA_LIN, UB(0), GM(0), 32, 0), "without the flag nothing is checked");
	tap_ok(r->b->tlb[tlb_index(UB(0))].rtag == UB(0) >> PAGE_SHIFT ||
	       ck_load(r, UB(0), 3), "and pages are remembered");
	ck_block(r, true);
	tap_ok(r->b->check, "a block from the pool, with the flag");
	ck_block(r, false);
	tap_ok(!r->b->check && ck_load(r, UB(0), 3), "and without it again");
}

/* Engines ------------------------------------------------------------------------------------------ */

static const unsigned int pipes[] = { ANPU_PIPE_V, ANPU_PIPE_M, ANPU_PIPE_MTE1, ANPU_PIPE_MTE2,
				      ANPU_PIPE_MTE3, ANPU_PIPE_FIX, ANPU_PIPE_S };
#define PIPES 7

/* an access as an operation of any pipe makes it, whatever operations there are */
static bool act(struct rig *r, unsigned int p, uint64_t va, uint64_t size, bool write)
{
	memset(&r->fault, 0, sizeof(r->fault));
	r->b->mmu = &r->mmu;
	r->b->pc = CODE_VA + 0x40 + p * 4;
	if (pipes[p] == ANPU_PIPE_S)
		return check_scalar(r->b, write ? "scalar store" : "scalar load", va, size,
				    write ? ANPU_ACCESS_WRITE : ANPU_ACCESS_READ, &r->fault);
	check_begin(r->b, pipes[p], "DMA_BURST");
	return write ? check_write(r->b, "CSR selmask", va, size, &r->fault) :
		       check_read(r->b, "CSR selmask", va, size, &r->fault);
}

static bool act_gm(struct rig *r, unsigned int p, uint64_t va, uint64_t size, uint32_t access)
{
	memset(&r->fault, 0, sizeof(r->fault));
	r->b->mmu = &r->mmu;
	r->b->pc = CODE_VA + 0x40 + p * 4;
	if (pipes[p] == ANPU_PIPE_S)
		return check_scalar(r->b, "scalar", va, size, access, &r->fault);
	check_begin(r->b, pipes[p], "DMA_BURST");
	return check_global(r->b, "CSR selmask", va, size, size, 1, access, &r->fault);
}

enum between { NOTHING, FLAG, OTHER_EVENT, BACK, NOT_WAITED, BARRIER, BARRIER_FROM, BARRIER_TO };

static void put_between(struct rig *r, enum between what, unsigned int from, unsigned int to)
{
	switch (what) {
	case FLAG:
		ck_flag(r, pipes[from], pipes[to], 3);
		ck_wait(r, pipes[from], pipes[to], 3);
		break;
	case BACK:
		ck_flag(r, pipes[to], pipes[from], 3);
		ck_wait(r, pipes[to], pipes[from], 3);
		break;
	case NOT_WAITED:
		ck_flag(r, pipes[from], pipes[to], 3);
		break;
	case BARRIER:
		ck_bar(r, ANPU_PIPE_ALL);
		break;
	case BARRIER_FROM:
		ck_bar(r, pipes[from]);
		break;
	case BARRIER_TO:
		ck_bar(r, pipes[to]);
		break;
	default:
		break;
	}
}

/* all pairs of pipes, the three conflicts, everything that may or may not order them */
static void test_pairs(struct rig *r)
{
	static const struct { enum between what; bool orders; const char *name; } ways[] = {
		{ NOTHING, false, "nothing between" }, { FLAG, true, "a flag" },
		{ BACK, false, "a flag the other way round" }, { NOT_WAITED, false, "a flag without wait" },
		{ BARRIER, true, "PIPEBAR ALL" }, { BARRIER_FROM, false, "a PIPEBAR of the first" },
		{ BARRIER_TO, false, "a PIPEBAR of the second" },
	};

	for (unsigned int w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
		unsigned int bad = 0, cases = 0;

		for (unsigned int from = 0; from < PIPES; from++)
			for (unsigned int to = 0; to < PIPES; to++)
				for (unsigned int kind = 0; kind < 4; kind++) {
					bool first = kind & 1, second = kind & 2, ok;
					bool free = from == to || pipes[from] == ANPU_PIPE_S ||
						    (!first && !second) || ways[w].orders;
					uint64_t at = UB(0x20);

					if (from == to && ways[w].what != NOTHING &&
					    ways[w].what != BARRIER)
						continue;
					ck_block(r, true);
					ck_mark(r, UB(0), 0x100, true);
					act(r, from, at, 64, first);
					put_between(r, ways[w].what, from, to);
					ok = act(r, to, at + 32, 8, second);
					cases++;
					bad += ok != free;
					if (ok)
						continue;
					fits(r);
					bad += r->fault.cause != ANPU_FAULT_RACE ||
					       r->fault.addr != at + 32 || r->fault.size != 8 ||
					       !strstr(r->fault.message, first ? "written" : "read") ||
					       !strstr(r->fault.message, "0x2000000") ||
					       !strstr(r->fault.message, "UB+0x40");
				}
		tap_ok(!bad, "all pairs of pipes with %s: %u cases, %u wrong", ways[w].name, cases, bad);
	}
}

static void test_clocks(struct rig *r)
{
	enum { V, M, MTE1, MTE2, MTE3, FIX, S };
	const uint64_t a = UB(0), b = UB(0x100);

	ck_block(r, true);
	act(r, MTE2, a, 32, true);
	put_between(r, FLAG, MTE2, V);
	put_between(r, FLAG, V, MTE3);
	tap_ok(act(r, MTE3, a, 32, true), "order is transitive");
	ck_block(r, true);
	act(r, MTE2, a, 32, true);
	put_between(r, FLAG, MTE2, S);
	tap_ok(act(r, FIX, a, 32, true), "what the scalar unit has waited for, later operations know");
	ck_block(r, true);
	act(r, V, a, 32, true);
	put_between(r, FLAG, V, MTE3);
	act(r, MTE3, a, 32, false);
	tap_ok(!act(r, MTE2, a, 32, true) && strstr(r->fault.message, "from MTE3 to MTE2"),
	       "of a write and the read behind it, the read is what to wait for");
	ck_block(r, true);
	put_between(r, FLAG, MTE2, V);
	act(r, MTE2, a, 32, true);
	tap_ok(!act(r, V, a, 32, false), "a flag tells nothing of what comes after it");
	ck_block(r, true);
	act(r, MTE2, a, 32, true);
	ck_flag(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	act(r, MTE2, b, 32, true);
	ck_flag(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	ck_wait(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	tap_ok(act(r, V, a, 32, false) && !act(r, V, b, 32, false), "a wait takes the first of two sets");
	ck_block(r, true);
	act(r, MTE2, a, 32, true);
	ck_flag(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	act(r, MTE2, b, 32, true);
	ck_flag(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	ck_wait(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	ck_wait(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	tap_ok(act(r, V, a, 32, false) && act(r, V, b, 32, false), "a second wait takes the second");
	ck_block(r, true);
	act(r, MTE2, b, 32, true);
	act(r, MTE2, a, 32, true);
	ck_flag(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	ck_wait(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	for (unsigned int n = 0; n < 40; n++) {
		act(r, MTE2, a, 32, true);
		ck_flag(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
		if (n >= ANPU_FLAG_MAX - 1)
			ck_wait(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	}
	tap_ok(act(r, V, b, 32, false) && !act(r, V, a, 32, false), "fifteen sets wait their turn");
	for (unsigned int n = 0; n < ANPU_FLAG_MAX - 1; n++)
		ck_wait(r, ANPU_PIPE_MTE2, ANPU_PIPE_V, 0);
	tap_ok(act(r, V, a, 32, false), "and all come");
	ck_block(r, true);
	act(r, MTE2, a, 32, true);
	put_between(r, FLAG, MTE2, V);
	tap_ok(act(r, V, a, 32, false) && act(r, V, a, 32, true) && !act(r, MTE2, a, 32, true),
	       "a load into a buffer that is still in use");
	ck_block(r, true);
	act(r, MTE2, a, 32, true);
	ck_sys(r, ANPU_SYS_SYNCALL, ANPU_SYNC_KIND, 0);
	tap_ok(act(r, V, a, 32, false), "SYNCALL is a barrier of all pipes, too");
	ck_block(r, true);
	act(r, MTE2, a, 32, true);
	ck_sys(r, ANPU_SYS_XSET, ANPU_CROSS(1, ANPU_CROSS_PEERS), 0);
	tap_ok(act(r, V, a, 32, false), "so is XSET");
	act(r, MTE3, b, 32, true);
	ck_sys(r, ANPU_SYS_XWAIT, ANPU_CROSS(1, ANPU_CROSS_PEERS), 0);
	tap_ok(act(r, V, b, 32, false), "so is XWAIT");
}

/* bytes of one granule may have different pasts */
static void test_bytes(struct rig *r)
{
	enum { V, M, MTE1, MTE2, MTE3, FIX, S };

	ck_block(r, true);
	act(r, V, UB(0), 4, true);
	put_between(r, FLAG, V, S);
	act(r, V, UB(4), 4, true);
	tap_ok(act(r, S, UB(0), 4, false) && !act(r, S, UB(4), 4, false) &&
	       r->fault.addr == UB(4), "two results of V in one block of 32 bytes, one waited for");
	tap_ok(!act(r, S, UB(2), 4, false) && r->fault.addr == UB(4) && r->fault.size == 2,
	       "the first byte that races is named");
	tap_ok(act(r, MTE2, UB(8), 24, true) && !act(r, MTE2, UB(7), 24, true),
	       "another pipe beside them");
	ck_bar(r, ANPU_PIPE_ALL);
	tap_ok(act(r, MTE2, UB(0), 32, true) && !r->b->check->granule[0].split,
	       "a whole write makes one of them again");
	ck_bar(r, ANPU_PIPE_ALL);
	act(r, V, UB(0), 16, false);
	act(r, V, UB(16), 16, false);
	tap_ok(r->b->check->granule[0].split && act(r, V, UB(0), 32, false) &&
	       !r->b->check->granule[0].split, "a whole read, too, if all are equal");
	act(r, MTE3, UB(30), 4, false);
	tap_ok(!act(r, MTE2, UB(31), 1, true) && act(r, MTE2, UB(34), 30, true),
	       "reads at the border of two");
}

/* Global memory ------------------------------------------------------------------------------------ */

static void test_global(struct rig *r)
{
	enum { V, M, MTE1, MTE2, MTE3, FIX, S };
	const uint32_t rd = ANPU_ACCESS_READ, wr = ANPU_ACCESS_WRITE;
	unsigned int n;

	ck_block(r, true);
	act_gm(r, MTE3, GM(100), 10, wr);
	tap_ok(!act_gm(r, MTE2, GM(109), 50, rd) && r->fault.cause == ANPU_FAULT_RACE &&
	       r->fault.addr == GM(109) && strstr(r->fault.message, "reads") &&
	       act_gm(r, MTE2, GM(110), 50, rd) && act_gm(r, MTE2, GM(90), 10, rd),
	       "a load of what a store may not have written yet");
	fits(r);
	tap_ok(!act_gm(r, S, GM(104), 4, rd) && !act_gm(r, S, GM(104), 4, wr) &&
	       act_gm(r, S, GM(96), 4, rd), "the scalar unit is checked, too");
	tap_ok(!act_gm(r, MTE3, GM(110), 1, wr), "a store over what a load may not have read yet");
	tap_ok(act_gm(r, MTE3, GM(100), 10, wr) && act_gm(r, MTE2, GM(110), 50, rd),
	       "the same pipe is in order");
	put_between(r, FLAG, MTE3, MTE2);
	tap_ok(act_gm(r, MTE2, GM(100), 10, rd), "a flag orders accesses to global memory");
	ck_block(r, true);
	act_gm(r, MTE3, GM(0), 64, rd | wr);
	tap_ok(act_gm(r, FIX, GM(0), 64, rd | wr) && !act_gm(r, MTE2, GM(0), 4, rd),
	       "atomic updates may overlap, but not loads");
	ck_block(r, true);
	act_gm(r, MTE3, GM(0), 64, wr);
	for (n = 1; n < CHECK_RANGES; n++)
		act_gm(r, MTE3, GM(4096 + n), 1, wr);
	tap_ok(!act_gm(r, MTE2, GM(0), 1, rd), "%u accesses are remembered", CHECK_RANGES);
	act_gm(r, MTE3, GM(4096 + n), 1, wr);
	tap_ok(act_gm(r, MTE2, GM(0), 1, rd), "and no more");
}

/* pieces with gaps, beside a plain list of bytes */
static void test_pieces(struct rig *r)
{
	unsigned int bad = 0, races = 0;

	for (unsigned int n = 0; n < 20000; n++) {
		uint64_t va[2], len[2], step[2], count[2];
		uint8_t map[2][512] = { { 0 } };
		bool race = false, ok;

		for (unsigned int k = 0; k < 2; k++) {
			va[k] = rnd() % 64;
			len[k] = 1 + rnd() % 12;
			step[k] = rnd() % 32;
			count[k] = 1 + rnd() % 10;
			for (uint64_t i = 0; i < count[k] * len[k]; i++)
				map[k][va[k] + i / len[k] * step[k] + i % len[k]] = 1;
		}
		for (unsigned int i = 0; i < 512; i++)
			race |= map[0][i] && map[1][i];
		r->b->check->ranges = 0;
		check_begin(r->b, ANPU_PIPE_MTE3, "a");
		r->b->mmu = &r->mmu;
		check_global(r->b, "dst", GM(va[0]), len[0], step[0], count[0], ANPU_ACCESS_WRITE,
			     &r->fault);
		check_begin(r->b, ANPU_PIPE_MTE2, "b");
		ok = check_global(r->b, "src", GM(va[1]), len[1], step[1], count[1], ANPU_ACCESS_READ,
				  &r->fault);
		bad += ok == race;
		races += race;
	}
	tap_ok(!bad && races > 1000, "pieces with gaps: 20000 pairs, %u races, %u wrong", races, bad);
}

static void test_global_scalar(struct rig *r)
{
	ck_block(r, true);
	tap_ok(ck_load(r, GM(0x1000), 3) && ck_load(r, GM(0), 3), "loads of global memory");
	ck_store(r, UB(0), 3, 1);
	ck_store(r, UB(8), 3, 1);
	ck_store(r, UB(16), 3, 1);
	ck_store(r, UB(24), 3, 1);
	tap_ok(ck_tile(r, ANPU_TILE_DMA_LIN, GM(0x20), UB(0), 32, 0), "a copy to it");
	tap_ok(!ck_load(r, GM(0x38), 3) &&
	       ck_fault(r, ANPU_FAULT_RACE, CK_LOAD(3), GM(0x38), "DMA_LIN at 0x200000000 has surely "
			"written it; wait for a flag from MTE3 to S"),
	       "a page in the TLB does not hide that the scalar unit reads too early");
	tap_ok(ck_load(r, GM(0x40), 3) && ck_load(r, GM(0x18), 3), "neighbours on that page are free");
	tap_ok(ck_flag(r, ANPU_PIPE_MTE3, ANPU_PIPE_S, 0) && ck_wait(r, ANPU_PIPE_MTE3, ANPU_PIPE_S, 0) &&
	       ck_load(r, GM(0x38), 3) && r->b->x[10] == 1, "after a flag it is right");
}

/* Against plain reasoning -------------------------------------------------------------------------- */

#define EVENTS	120
#define ARENA	96

struct event {
	unsigned int kind;	/* 0 read, 1 write, 2 flag, 3 barrier */
	unsigned int from, to;
	unsigned int at, size;
};

/*
 * reach[i][j]: event j is certainly over when event i starts. Engines are in order; each event is
 * issued after the scalar unit's earlier ones; a flag of j waited for in i, a barrier after all.
 */
static int first_race(const struct event *e, unsigned int count)
{
	static bool before[2 * EVENTS][2 * EVENTS];
	unsigned int i, j, k;

	/* two nodes per event: 2i is its access, set or barrier (on pipe from), 2i + 1 the wait (on to) */
	memset(before, 0, sizeof(before));
	for (i = 0; i < count; i++) {
		for (unsigned int half = 0; half < 2; half++) {
			unsigned int x = 2 * i + half, pipe = half ? e[i].to : e[i].from;

			if (half && e[i].kind != 2)
				continue;
			for (j = 0; j < x; j++) {
				unsigned int other = j & 1 ? e[j / 2].to : e[j / 2].from;

				if ((j & 1) && e[j / 2].kind != 2)
					continue;
				before[x][j] |= pipe == other || other == PIPES - 1;
				before[x][j] |= e[i].kind == 3;
			}
			before[x][2 * i] |= half;
			for (j = x; j-- > 0;)
				for (k = 0; before[x][j] && k < j; k++)
					before[x][k] |= before[j][k];
		}
		if (e[i].kind > 1)
			continue;
		for (j = 0; j < i; j++)
			if (e[j].kind < 2 && e[i].kind + e[j].kind && !before[2 * i][2 * j] &&
			    e[i].at < e[j].at + e[j].size && e[j].at < e[i].at + e[i].size)
				return (int)i;
	}
	return -1;
}

/* only what the paths allow: V, M and MTE1 never read the same window, nor do MTE3 and FIX */
static void make_events(struct event *e, unsigned int count, unsigned int calm)
{
	static const unsigned int readers[] = { 0, 4, 6 };

	for (unsigned int i = 0; i < count; i++) {
		e[i].kind = rnd() % 8 < calm ? 2 + (rnd() % 8 == 0) : rnd() % 2;
		e[i].from = (unsigned int)(rnd() % PIPES);
		e[i].to = (e[i].from + 1 + (unsigned int)(rnd() % (PIPES - 1))) % PIPES;
		if (e[i].kind == 3)
			e[i].from = PIPES - 1;
		if (e[i].kind == 0)
			e[i].from = readers[rnd() % 3];
		e[i].size = rnd() % 3 ? 32 : 1 + (unsigned int)(rnd() % 64);
		e[i].at = (unsigned int)(rnd() % (ARENA - 32));
		if (e[i].size == 32)
			e[i].at &= ~31u;
	}
}

static int model_race(struct rig *r, const struct event *e, unsigned int count)
{
	ck_block(r, true);
	ck_mark(r, UB(0), 0x1000, true);
	for (unsigned int i = 0; i < count; i++) {
		if (e[i].kind == 3)
			check_barrier(r->b);
		else if (e[i].kind == 2) {
			check_set(r->b, pipes[e[i].from], pipes[e[i].to], 1, 1);
			check_wait(r->b, pipes[e[i].from], pipes[e[i].to], 1);
		} else if (!act(r, e[i].from, UB(e[i].at), e[i].size, e[i].kind)) {
			return (int)i;
		}
	}
	return -1;
}

static void test_reasoning(struct rig *r)
{
	unsigned int bad = 0, free = 0, late = 0, runs = 6000;
	struct event e[EVENTS];

	for (unsigned int n = 0; n < runs; n++) {
		unsigned int count = 4 + (unsigned int)(rnd() % (EVENTS - 4));
		int want, got;

		make_events(e, count, 1 + n % 7);
		want = first_race(e, count);
		got = model_race(r, e, count);
		if (want != got && !bad++)
			tap_note("run %u of %u events: race at %d, found at %d", n, count, want, got);
		free += want < 0;
		late += want > 20;
	}
	tap_ok(!bad && free > 20 && late > 50,
	       "random events beside plain reasoning: %u runs, %u without a race, %u with a late one, "
	       "%u wrong", runs, free, late, bad);
}

/* Buffers ------------------------------------------------------------------------------------------ */

static void test_buffers(struct rig *r)
{
	const uint64_t eight = ADD(8), sixteen = ADD(16);

	ck_block(r, true);
	ck_mark(r, UB(0), 0x400, true);
	tap_ok(ck_tile(r, ANPU_TILE_VBIN, UB(0x100), UB(0), UB(0x20), sixteen), "without buffers nothing is left");
	tap_ok(ck_sys(r, ANPU_SYS_BUFFER, UB(0x100), 0x20) && ck_sys(r, ANPU_SYS_BUFFER, UB(0x120), 0x40), "two buffers");
	ck_bar(r, ANPU_PIPE_ALL);
	tap_ok(!ck_tile(r, ANPU_TILE_VBIN, UB(0x100), UB(0), UB(0x20), sixteen) &&
	       ck_fault(r, ANPU_FAULT_OPERAND, CK_TILE(ANPU_TILE_VBIN), UB(0x120),
			"dst UB+0x100 leaves its buffer, which ends at UB+0x120") && r->fault.access == ANPU_ACCESS_WRITE,
	       "a result leaves the first one");
	tap_ok(!ck_tile(r, ANPU_TILE_VBIN, UB(0x200), UB(0x140), UB(0), ADD(24)) &&
	       ck_fault(r, ANPU_FAULT_OPERAND, CK_TILE(ANPU_TILE_VBIN), UB(0x160), "src0 UB+0x140 leaves its buffer") &&
	       r->fault.access == ANPU_ACCESS_READ,
	       "an operand leaves the second one for memory of none");
	tap_ok(!ck_tile(r, ANPU_TILE_DMA_LIN, UB(0xe0), GM(0), 64, 0) &&
	       ck_fault(r, ANPU_FAULT_OPERAND, CK_TILE(ANPU_TILE_DMA_LIN), UB(0x100), "leaves its buffer"),
	       "a copy comes into one from memory of none");
	tap_ok(ck_tile(r, ANPU_TILE_VBIN, UB(0x100), UB(0x120), UB(0x140), eight), "operations inside");
	ck_bar(r, ANPU_PIPE_ALL);
	tap_ok(ck_load(r, UB(0x118), 3), "the scalar unit is not looked at");
	tap_ok(ck_sys(r, ANPU_SYS_BUFFER, UB(0x100), 0x60) && ck_tile(r, ANPU_TILE_VBIN, UB(0x100), UB(0), UB(0x20), sixteen),
	       "a buffer takes the place of those that it overlaps");
	tap_ok(ck_sys(r, ANPU_SYS_BUFFER, GM(0), 64) && ck_sys(r, ANPU_SYS_BUFFER, UB(ANPU_UB_SIZE), 64) &&
	       ck_sys(r, ANPU_SYS_BUFFER, GM(0), 0), "ranges that are in no scratchpad are ignored");
	ck_block(r, true);
	ck_mark(r, UB(0), 0x400, true);
	tap_ok(ck_tile(r, ANPU_TILE_VBIN, UB(0x100), UB(0), UB(0x20), sixteen), "the next block has none");
	ck_block(r, false);
	tap_ok(ck_sys(r, ANPU_SYS_BUFFER, UB(0), 32) && ck_tile(r, ANPU_TILE_VBIN, UB(0x100), UB(0), UB(0x20), sixteen),
	       "nor has one that is not checked");
}

/* A kernel with shared variables: it has these and its dynamic shared memory, and nothing between them. */
static void test_shared_variables(struct rig *r)
{
	const uint64_t dynamic = ANPU_UB_SIZE - 252;

	r->k.launch.static_scratch = 100;
	r->k.pkt.dyn_scratch = 252;
	ck_block(r, true);
	tap_ok(ck_store(r, UB(0), 3, 1) && ck_store(r, UB(96), 2, 1), "shared variables, up to their last word");
	tap_ok(!ck_store(r, UB(100), 2, 1) && ck_fault(r, ANPU_FAULT_SCRATCHPAD, CK_STORE(2), UB(100), "right behind the 100 bytes") &&
	       r->fault.access == ANPU_ACCESS_WRITE && r->fault.size == 4, "the word behind them");
	tap_ok(!ck_store(r, UB(104), 3, 1) && strstr(r->fault.message, ", behind the 100 bytes"), "further behind: %s", r->fault.message);
	tap_ok(!ck_store(r, UB(dynamic - 4), 2, 1) && strstr(r->fault.message, "behind the 100 bytes"), "the last word of the gap");
	tap_ok(!ck_load(r, UB(dynamic - 4), 3) && strstr(r->fault.message, "before the dynamic shared memory") &&
	       r->fault.access == ANPU_ACCESS_READ, "one that begins before dynamic shared memory: %s", r->fault.message);
	tap_ok(ck_store(r, UB(dynamic), 2, 1) && ck_store(r, UB(ANPU_UB_SIZE - 8), 3, 1), "dynamic shared memory, up to its end");
	r->k.pkt.dyn_scratch = 0;
	ck_block(r, true);
	tap_ok(!ck_store(r, UB(ANPU_UB_SIZE - 8), 3, 1), "without any, all behind the variables is a gap");
	r->k.launch.static_scratch = 0;
	ck_block(r, true);
	tap_ok(ck_store(r, UB(100), 2, 1), "a kernel without shared variables has all");
}

/* A kernel that has buffers, as Ascend C has, ends what SetAtomicAdd() has begun. */
static void test_atomic_end(struct rig *r)
{
	ck_block(r, true);
	r->b->pc = CODE_VA + 0x40;
	csr_write(r->b, ANPU_CSR_atomic, ANPU_ATOM_ADD);
	tap_ok(check_end(r->b, &r->fault), "without buffers it need not");
	ck_sys(r, ANPU_SYS_BUFFER, UB(0), 64);
	memset(&r->fault, 0, sizeof(r->fault));
	tap_ok(!check_end(r->b, &r->fault) && r->fault.cause == ANPU_FAULT_SYNC && r->fault.pc == CODE_VA + 0x40 &&
	       strstr(r->fault.message, "SetAtomicNone() is missing: copies are still atomic"), "with one it has to: %s", r->fault.message);
	ck_mark(r, UB(0), 64, true);
	r->b->csr.atomic |= ANPU_TYPE_F32 << 8;
	tap_ok(ck_tile(r, ANPU_TILE_DMA_LIN, GM(0), UB(0), 32, 0), "a copy that adds: %s", r->fault.message);
	tap_ok(!check_end(r->b, &r->fault) && strstr(r->fault.message, "the last one at 0x") && r->fault.pc == CODE_VA + 0x40,
	       "is named: %s", r->fault.message);
	csr_write(r->b, ANPU_CSR_atomic, ANPU_ATOM_NONE);
	tap_ok(check_end(r->b, &r->fault), "SetAtomicNone() ends it");
}

/* The scalar unit just behind a buffer, and buffers that are given back */
static void test_ends_of_buffers(struct rig *r)
{
	ck_block(r, true);
	tap_ok(ck_store(r, UB(0x120), 2, 1), "no buffers, and a store");
	tap_ok(ck_sys(r, ANPU_SYS_BUFFER, UB(0), ANPU_UB_SIZE) && ck_sys(r, ANPU_SYS_BUFFER, UB(0x100), 0x20) &&
	       ck_sys(r, ANPU_SYS_BUFFER, UB(0x140), 0x40), "none in all of it, then two");
	tap_ok(ck_store(r, UB(0x11c), 2, 1) && ck_store(r, UB(0x140), 2, 1), "stores into them");
	tap_ok(ck_store(r, UB(0x120), 2, 1), "a store behind one, where something was written before");
	tap_ok(!ck_store(r, UB(0x180), 2, 1) &&
	       ck_fault(r, ANPU_FAULT_SCRATCHPAD, CK_STORE(2), UB(0x180), "UB+0x180 is behind the end of a buffer") &&
	       r->fault.access == ANPU_ACCESS_WRITE && r->fault.size == 4, "a store behind one");
	tap_ok(ck_store(r, UB(0x1c0), 2, 1), "a store far from all buffers");
	ck_mark(r, UB(0x100), 0xa0, true);
	tap_ok(ck_sys(r, ANPU_SYS_BUFFER, UB(0x140), 0) && !ck_written(r, UB(0x140)) && !ck_written(r, UB(0x17f)) &&
	       ck_written(r, UB(0x13f)) && ck_written(r, UB(0x180)), "a buffer is given back, and no byte more");
	tap_ok(!ck_tile(r, ANPU_TILE_VBIN, UB(0x200), UB(0x140), UB(0x140), ADD(8)) &&
	       ck_fault(r, ANPU_FAULT_UNINITIALISED, CK_TILE(ANPU_TILE_VBIN), UB(0x140), "was given back by FreeTensor()"),
	       "it is read");
	tap_ok(ck_sys(r, ANPU_SYS_BUFFER, UB(0x200), 0) && ck_sys(r, ANPU_SYS_BUFFER, GM(0), 0),
	       "there is no buffer to be given back");
	ck_mark(r, UB(0x140), 0x40, true);
	ck_sys(r, ANPU_SYS_PIPEBAR, ANPU_PIPE_ALL, 0);
	tap_ok(ck_tile(r, ANPU_TILE_VBIN, UB(0x140), UB(0x140), UB(0x140), ADD(16)), "it is one buffer still");
}

/* An engine reads what the scalar unit has stored: in buffers that needs a flag */
static void test_stores_in_buffers(struct rig *r)
{
	ck_block(r, true);
	ck_mark(r, UB(0x100), 0x40, true);
	tap_ok(ck_store(r, UB(0x104), 2, 1) && ck_tile(r, ANPU_TILE_VBIN, UB(0x200), UB(0x100), UB(0x100), ADD(16)),
	       "no buffer: a store comes before what is issued behind it");
	ck_sys(r, ANPU_SYS_PIPEBAR, ANPU_PIPE_ALL, 0);
	ck_sys(r, ANPU_SYS_BUFFER, UB(0x100), 0x40);
	ck_sys(r, ANPU_SYS_BUFFER, UB(0x200), 0x40);
	tap_ok(ck_store(r, UB(0x104), 2, 1) && !ck_tile(r, ANPU_TILE_VBIN, UB(0x200), UB(0x100), UB(0x100), ADD(16)) &&
	       ck_fault(r, ANPU_FAULT_RACE, CK_TILE(ANPU_TILE_VBIN), UB(0x104), "before the store at"), "a buffer, and no flag");
	ck_flag(r, ANPU_PIPE_S, ANPU_PIPE_V, 0);
	tap_ok(!ck_tile(r, ANPU_TILE_VBIN, UB(0x200), UB(0x100), UB(0x100), ADD(16)), "the flag is set, and not waited for");
	ck_wait(r, ANPU_PIPE_S, ANPU_PIPE_V, 0);
	tap_ok(ck_tile(r, ANPU_TILE_VBIN, UB(0x200), UB(0x100), UB(0x100), ADD(16)), "a flag");
	ck_sys(r, ANPU_SYS_PIPEBAR, ANPU_PIPE_ALL, 0);
	tap_ok(ck_store(r, UB(0x104), 2, 1) && ck_tile(r, ANPU_TILE_VDUP, UB(0x100), 0, 0, 16), "an operation may write over it");
	ck_sys(r, ANPU_SYS_PIPEBAR, ANPU_PIPE_ALL, 0);
	tap_ok(ck_store(r, GM(0x40), 2, 1) && !ck_tile(r, ANPU_TILE_DMA_LIN, UB(0x100), GM(0x40), 32, 0) &&
	       ck_fault(r, ANPU_FAULT_RACE, CK_TILE(ANPU_TILE_DMA_LIN), GM(0x40), "from S to MTE2"), "a store to global memory");
	ck_sys(r, ANPU_SYS_DCCI, GM(0x40), 64);
	tap_ok(ck_tile(r, ANPU_TILE_DMA_LIN, UB(0x100), GM(0x40), 32, 0), "the cache is cleaned");
}

int main(void)
{
	static struct rig r;

	ck_init(&r);
	core_kernel_fini(&r.k);
	r.k.pkt.grid_x = r.k.pkt.grid_y = r.k.pkt.grid_z = 1;
	if (!core_kernel_init(&r.k, &r.fault))
		return 1;
	test_scalar(&r);
	test_scalar_bytes(&r);
	test_alignment(&r);
	test_services(&r);
	test_loop(&r);
	test_off(&r);
	test_pairs(&r);
	test_clocks(&r);
	test_bytes(&r);
	test_global(&r);
	test_pieces(&r);
	test_global_scalar(&r);
	test_reasoning(&r);
	test_buffers(&r);
	test_shared_variables(&r);
	test_atomic_end(&r);
	test_ends_of_buffers(&r);
	test_stores_in_buffers(&r);
	rig_fini(&r);
	return tap_done();
}
