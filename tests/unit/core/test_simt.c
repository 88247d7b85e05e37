// SPDX-License-Identifier: MIT
/* Threads of a block: how they begin, barriers, warps, stacks, faults. tests/anpu-op has programs in C. */
#include <stdio.h>

#include "rig.h"

#define THREAD(number, rd, rs1, rs2)	R_TYPE(ANPU_OPC_SYS, 2, number, rd, rs1, rs2)
#define SLLI(rd, rs1, n)		I_TYPE(0x13, 1, rd, rs1, n)
#define SRLI(rd, rs1, n)		I_TYPE(0x13, 5, rd, rs1, n)
#define ADD(rd, rs1, rs2)		R_TYPE(0x33, 0, 0, rd, rs1, rs2)
#define SD(rs2, rs1, imm)		S_TYPE(0x23, 3, rs1, rs2, imm)
#define LD(rd, rs1, imm)		I_TYPE(3, 3, rd, rs1, imm)
/* x28 = linear index in a block of 1 to 3 dimensions whose y and z are 1: gp; x29 = own place in DATA */
#define PLACE	SLLI(29, 3, 3), ADD(29, 29, 10)

static void launch(struct rig *r, uint32_t x, uint32_t y, uint32_t z)
{
	r->k.launch = (struct anpu_kernel_launch){ .size = ANPU_LAUNCH_SIZE, .block_x = x, .block_y = y,
						   .block_z = z };
	memset(rig_data(r), 0, 16384);
}

#define RUN(r, ...) ({ \
	const uint32_t code_[] = { __VA_ARGS__, RET }; \
	rig_code(r, 0, code_, sizeof(code_) / 4); \
	rig_block(r, CODE_VA); \
	rig_run(r); })

static uint64_t at(struct rig *r, unsigned int n)
{
	uint64_t v;

	memcpy(&v, rig_data(r) + 8 * n, 8);
	return v;
}

static bool fault_is(const struct rig *r, uint32_t cause, const char *text)
{
	if (r->fault.cause == cause && strstr(r->fault.message, text))
		return true;
	tap_note("cause %u: %s", r->fault.cause, r->fault.message);
	return false;
}

static void test_begin(struct rig *r)
{
	bool ok = true;
	struct anpu_block_info info;

	launch(r, 5, 7, 3);
	/* number = x + 5 * (y + 7 * z) */
	tap_ok(RUN(r, SLLI(5, 3, 48), SRLI(5, 5, 48), SLLI(6, 3, 32), SRLI(6, 6, 48), SRLI(7, 3, 32),
		   ADDI(8, 0, 7), R_TYPE(0x33, 0, 1, 7, 7, 8), ADD(6, 6, 7), ADDI(8, 0, 5),
		   R_TYPE(0x33, 0, 1, 6, 6, 8), ADD(5, 5, 6), SLLI(5, 5, 3), ADD(5, 5, 10), ADDI(3, 3, 1),
		   SD(3, 5, 0)) == CORE_DONE, "105 threads end: %s", r->fault.message);
	for (unsigned int n = 0; n < 105; n++)
		ok = ok && at(r, n) == 1 + n % 5 + (n / 5 % 7 << 16) + ((uint64_t)(n / 35) << 32);
	tap_ok(ok && !at(r, 105), "each has its index in gp");
	launch(r, 1, 1, 1);
	r->k.pkt.dyn_scratch = 4096;
	tap_ok(RUN(r, SD(2, 10, 0), SD(3, 10, 8), SD(4, 10, 16)) == CORE_DONE && at(r, 0) == ANPU_INFO_BASE &&
	       !at(r, 1) && at(r, 2) == ANPU_UB_BASE, "one thread: sp, gp, tp");
	memcpy(&info, local_ptr(r->b, ANPU_INFO_BASE), sizeof(info));
	tap_ok(info.block_idx[0] == 1 && info.block_idx[1] == 1 && !info.block_idx[2] && info.grid_dim[2] == 2 &&
	       info.threads == 1 && info.cluster_blocks == 1 &&
	       info.dynamic == ANPU_UB_BASE + ANPU_UB_SIZE - 4096 && info.dynamic_size == 4096, "its info");
	r->k.pkt.dyn_scratch = 0;
	launch(r, 1024, 1, 1);
	tap_ok(RUN(r, PLACE, SD(2, 29, 0), SD(0, 2, -8), LD(5, 2, -16)) == CORE_DONE, "1024 threads use their stacks");
	tap_ok(at(r, 0) == ANPU_THREAD_STACKS + 0x5000 && at(r, 1023) == ANPU_THREAD_STACKS + 1024 * 0x5000,
	       "which are their own");
}

/* Thread n stores at n, then all read their neighbour's: wrong without the barrier. */
static void test_barrier(struct rig *r)
{
	bool ok = true;

	launch(r, 256, 1, 1);
	tap_ok(RUN(r, PLACE, ADDI(5, 3, 100), SD(5, 29, 0), THREAD(ANPU_THREAD_BAR, 0, 0, 0),
		   ADDI(6, 3, 1), I_TYPE(0x13, 7, 6, 6, 255), SLLI(6, 6, 3), ADD(6, 6, 10), LD(7, 6, 0),
		   THREAD(ANPU_THREAD_BAR, 0, 0, 0), SD(7, 29, 0)) == CORE_DONE, "two barriers: %s",
	       r->fault.message);
	for (unsigned int n = 0; n < 256; n++)
		ok = ok && at(r, n) == (n + 1) % 256 + 100;
	tap_ok(ok, "what was stored before is read behind");
	launch(r, 96, 1, 1);
	/* odd threads vote; count, and, or */
	tap_ok(RUN(r, PLACE, I_TYPE(0x13, 7, 5, 3, 1), ADDI(6, 0, ANPU_BAR_COUNT << 8),
		   THREAD(ANPU_THREAD_BAR, 7, 6, 5), ADDI(6, 0, ANPU_BAR_AND << 8), THREAD(ANPU_THREAD_BAR, 8, 6, 5),
		   ADDI(6, 0, ANPU_BAR_OR << 8), THREAD(ANPU_THREAD_BAR, 9, 6, 5), SLLI(8, 8, 16), SLLI(9, 9, 20),
		   ADD(7, 7, 8), ADD(7, 7, 9), SD(7, 29, 0)) == CORE_DONE && at(r, 0) == 48 + (1 << 20) &&
	       at(r, 95) == 48 + (1 << 20), "count 48, and 0, or 1");
	/* threads from 40 on end at once; the others meet twice */
	launch(r, 64, 1, 1);
	tap_ok(RUN(r, PLACE, ADDI(5, 0, 40), B_TYPE(4, 3, 5, 8), RET, THREAD(ANPU_THREAD_BAR, 0, 0, 0),
		   THREAD(ANPU_THREAD_BAR, 0, 0, 0), SD(5, 29, 0)) == CORE_DONE && at(r, 39) == 40 && !at(r, 40),
	       "threads that have ended count as arrived");
	r->k.pkt.hdr.flags = ANPU_KERNEL_CHECK;
	tap_ok(RUN(r, PLACE, ADDI(5, 0, 40), B_TYPE(4, 3, 5, 8), RET, THREAD(ANPU_THREAD_BAR, 0, 0, 0)) ==
	       CORE_FAULT && fault_is(r, ANPU_FAULT_SYNC, "ended while 40 threads") &&
	       fault_is(r, ANPU_FAULT_SYNC, "thread (40, 0, 0)"), "which the checking mode takes for a mistake");
	r->k.pkt.hdr.flags = 0;
}

/* Operands that BAR refuses: each is wrong in one field. A thread alone in its block has the same rules. */
static void test_bad_barriers(struct rig *r)
{
	static const struct { unsigned int barrier, mode, threads; } bad[] = {
		{ ANPU_BARRIERS, 0, 0 }, { 255, 0, 0 }, { 0, ANPU_BAR_OR + 1, 0 }, { 0, 255, 0 }, { 1, 0, 1 }, { 1, 0, 33 },
		{ 1, 0, 31 }, { 1, 0, 160 }, { 1, 0, 0xffe0 },
	};

	for (unsigned int i = 0; i < 2 * sizeof(bad) / sizeof(bad[0]); i++) {
		unsigned int k = i / 2, low = bad[k].barrier | bad[k].mode << 8;

		launch(r, i % 2 ? 1 : 128, 1, 1);
		tap_ok(RUN(r, ADDI(5, 0, bad[k].threads >> 5), SLLI(5, 5, 21), ADDI(6, 0, bad[k].threads & 31),
			   SLLI(6, 6, 16), ADD(5, 5, 6), ADDI(6, 0, low >> 5), SLLI(6, 6, 5), ADD(5, 5, 6),
			   ADDI(5, 5, low & 31), THREAD(ANPU_THREAD_BAR, 0, 5, 0)) == CORE_FAULT &&
		       fault_is(r, ANPU_FAULT_OPERAND, "barriers are below 32"),
		       "%u threads: barrier %u, mode %u, for %u is refused", i % 2 ? 1 : 128, bad[k].barrier,
		       bad[k].mode, bad[k].threads);
	}
}

static void test_named(struct rig *r)
{
	/* warp 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2, by their numbers */
	launch(r, 128, 1, 1);
	tap_ok(RUN(r, PLACE, SRLI(5, 3, 6), ADDI(5, 5, 1), U_TYPE(0x37, 6, 64 << 4), ADD(5, 5, 6), SD(5, 29, 0),
		   THREAD(ANPU_THREAD_BAR, 0, 5, 0), I_TYPE(0x13, 4, 7, 3, 63), SLLI(7, 7, 3), ADD(7, 7, 10),
		   LD(8, 7, 0), SD(8, 29, 1024)) == CORE_DONE && at(r, 128 + 3) == (1 | 64 << 16) &&
	       at(r, 128 + 100) == (2 | 64 << 16), "named barriers of two warps each: %s", r->fault.message);
	tap_ok(RUN(r, SRLI(5, 3, 6), THREAD(ANPU_THREAD_BAR, 0, 5, 0)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_SYNC, "no thread can run: 128 in BAR, 0 of 128 ended"),
	       "barriers that not all reach");
	tap_ok(RUN(r, ADDI(5, 0, ANPU_BARRIERS), THREAD(ANPU_THREAD_BAR, 0, 5, 0)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_OPERAND, "barriers are below 32"), "barrier %d", ANPU_BARRIERS);
	tap_ok(RUN(r, SRLI(5, 3, 6), SLLI(5, 5, 21), THREAD(ANPU_THREAD_BAR, 0, 5, 0)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_SYNC, "others wait there"), "different numbers of threads at one barrier");
}

/* Thread number -> result of one operation, mask of all 32 lanes in x5, mode added */
#define WARP_OP(op, mode)	ADDI(5, 0, -1), SLLI(5, 5, 32), SRLI(5, 5, 32), ADDI(6, 0, mode), SLLI(6, 6, 32), \
				ADD(5, 5, 6), THREAD(op, 7, 5, 3), PLACE, SD(7, 29, 0)

static void test_warp(struct rig *r)
{
	bool ok = true;

	launch(r, 64, 1, 1);
	tap_ok(RUN(r, WARP_OP(ANPU_THREAD_REDUCE, ANPU_RED32_ADD)) == CORE_DONE && at(r, 0) == 496 &&
	       at(r, 63) == 496 + 1024, "REDUCE: %s", r->fault.message);
	tap_ok(RUN(r, WARP_OP(ANPU_THREAD_VOTE, ANPU_VOTE_BALLOT)) == CORE_DONE && at(r, 5) == 0xfffffffe &&
	       at(r, 40) == 0xffffffff, "VOTE ballot");
	tap_ok(RUN(r, WARP_OP(ANPU_THREAD_VOTE, ANPU_VOTE_ALL)) == CORE_DONE && !at(r, 5) && at(r, 40) == 1,
	       "VOTE all");
	tap_ok(RUN(r, WARP_OP(ANPU_THREAD_MATCH, ANPU_MATCH_ANY)) == CORE_DONE && at(r, 5) == 32 &&
	       at(r, 33) == 2, "MATCH any");
	/* from the neighbour above, width 8: lane + 1 */
	tap_ok(RUN(r, WARP_OP(ANPU_THREAD_SHFL, ANPU_SHFL_DOWN | 1 << 8)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_OPERAND, "width 0"), "SHFL without a width");
	tap_ok(RUN(r, ADDI(5, 0, -1), SLLI(5, 5, 32), SRLI(5, 5, 32), U_TYPE(0x37, 6, 0x80), ADDI(6, 6, 0x102),
		   SLLI(6, 6, 29), SLLI(6, 6, 0), ADDI(6, 0, 8), SLLI(6, 6, 8), ADDI(6, 6, 1), SLLI(6, 6, 8),
		   ADDI(6, 6, ANPU_SHFL_DOWN), SLLI(6, 6, 32), ADD(5, 5, 6), THREAD(ANPU_THREAD_SHFL, 7, 5, 3), PLACE,
		   SD(7, 29, 0)) == CORE_DONE, "SHFL down by 1 in parts of 8: %s", r->fault.message);
	for (unsigned int n = 0; n < 64; n++)
		ok = ok && at(r, n) == (n % 8 == 7 ? n : n + 1);
	tap_ok(ok, "gives each its neighbour's value");
	tap_ok(RUN(r, ADDI(5, 0, 1), THREAD(ANPU_THREAD_WSYNC, 0, 5, 0)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_OPERAND, "not in its mask"), "a mask without the caller");
	/* even and odd lanes are at different places */
	tap_ok(RUN(r, PLACE, I_TYPE(0x13, 7, 5, 3, 1), B_TYPE(0, 5, 0, 12), THREAD(ANPU_THREAD_ACTIVE, 7, 0, 0),
		   J_TYPE(0, 8), THREAD(ANPU_THREAD_ACTIVE, 7, 0, 0), SD(7, 29, 0)) == CORE_DONE &&
	       at(r, 0) == 0x55555555 && at(r, 63) == 0xaaaaaaaa, "ACTIVE under divergence");
	tap_ok(RUN(r, I_TYPE(0x13, 7, 5, 3, 1), ADDI(6, 0, -1), SLLI(6, 6, 32), SRLI(6, 6, 32), B_TYPE(0, 5, 0, 8),
		   THREAD(ANPU_THREAD_WSYNC, 0, 6, 0), THREAD(ANPU_THREAD_VOTE, 0, 6, 0)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_SYNC, "in WSYNC"), "lanes at different operations");
}

/* The same of the values in x9 */
#define WARP_OP9(op, mode)	ADDI(5, 0, -1), SLLI(5, 5, 32), SRLI(5, 5, 32), ADDI(6, 0, mode), SLLI(6, 6, 32), \
				ADD(5, 5, 6), THREAD(op, 7, 5, 9), PLACE, SD(7, 29, 0)

/* Every reduction of values from -40 on, which have an order with a sign and another one without */
static void test_reductions(struct rig *r)
{
	for (unsigned int op = 0; op <= ANPU_RED32_XOR; op++) {
		bool ok;

		launch(r, 64, 1, 1);
		ok = RUN(r, ADDI(9, 3, -40), WARP_OP9(ANPU_THREAD_REDUCE, op)) == CORE_DONE;
		for (unsigned int w = 0; w < 2 && ok; w++) {
			uint32_t want = 32 * w - 40;

			for (uint32_t v = want + 1; v != 32 * w - 8; v++)
				want = op == ANPU_RED32_ADD ? want + v : op == ANPU_RED32_AND ? want & v : op == ANPU_RED32_OR ? want | v :
				       op == ANPU_RED32_XOR ? want ^ v : op == ANPU_RED32_MINU ? (want < v ? want : v) :
				       op == ANPU_RED32_MAXU ? (want > v ? want : v) :
				       op == ANPU_RED32_MIN ? ((int32_t)want < (int32_t)v ? want : v) :
							      ((int32_t)want > (int32_t)v ? want : v);
			ok = at(r, 32 * w) == (uint64_t)(int64_t)(int32_t)want && at(r, 32 * w + 31) == at(r, 32 * w);
		}
		tap_ok(ok, "REDUCE %u: 0x%llx, 0x%llx %s", op, (unsigned long long)at(r, 0), (unsigned long long)at(r, 32), r->fault.message);
	}
}

/* Votes and matches of values that are the same, that all differ, and of which one does */
static void test_votes(struct rig *r)
{
	static const struct { unsigned int op, mode; uint64_t same, differ, one; } votes[] = {
		{ ANPU_THREAD_VOTE, ANPU_VOTE_EQUAL, 1, 0, 0 }, { ANPU_THREAD_VOTE, ANPU_VOTE_ANY, 1, 1, 1 },
		{ ANPU_THREAD_VOTE, ANPU_VOTE_ALL, 1, 0, 0 }, { ANPU_THREAD_MATCH, ANPU_MATCH_ALL, 0xffffffff, 0, 0 },
	};

	for (unsigned int i = 0; i < sizeof(votes) / sizeof(votes[0]); i++) {
		launch(r, 32, 1, 1);
		tap_ok(RUN(r, ADDI(9, 0, 5), WARP_OP9(votes[i].op, votes[i].mode)) == CORE_DONE && at(r, 0) == votes[i].same &&
		       at(r, 31) == votes[i].same, "operation %u, mode %u: all the same", votes[i].op, votes[i].mode);
		tap_ok(RUN(r, ADDI(9, 3, 0), WARP_OP9(votes[i].op, votes[i].mode)) == CORE_DONE && at(r, 7) == votes[i].differ,
		       "  all another one");
		/* 5 but for the last lane, which has 0 */
		tap_ok(RUN(r, ADDI(9, 3, 1), SRLI(9, 9, 5), ADDI(9, 9, -1), I_TYPE(0x13, 7, 9, 9, 5), WARP_OP9(votes[i].op, votes[i].mode)) ==
		       CORE_DONE && at(r, 7) == votes[i].one, "  one another one");
	}
	launch(r, 32, 1, 1);
	tap_ok(RUN(r, ADDI(9, 0, 0), WARP_OP9(ANPU_THREAD_VOTE, ANPU_VOTE_ANY)) == CORE_DONE && !at(r, 7), "none votes");
}

/*
 * Warp 0 arrives at barrier 1 and goes on to barrier 2, where warp 1 is before it comes to barrier 1: both end only if ARRIVE does
 * not wait. Its result is 0.
 */
static void test_arrive(struct rig *r)
{
	launch(r, 64, 1, 1);
	tap_ok(RUN(r, PLACE, U_TYPE(0x37, 6, 64 << 4), ADDI(7, 0, 77), ADDI(8, 0, 32), ADDI(9, 6, 1), ADDI(10, 6, 2),
		   B_TYPE(5, 3, 8, 32), ADDI(11, 3, 500), SD(11, 29, 0), ADDI(12, 9, ANPU_BAR_ARRIVE << 8), THREAD(ANPU_THREAD_BAR, 7, 12, 0),
		   THREAD(ANPU_THREAD_BAR, 0, 10, 0), SD(7, 29, 1024), RET,
		   THREAD(ANPU_THREAD_BAR, 0, 10, 0), THREAD(ANPU_THREAD_BAR, 0, 9, 0), LD(11, 29, -256), SD(11, 29, 0)) == CORE_DONE &&
	       at(r, 32) == 500 && at(r, 63) == 531 && !at(r, 128), "threads that arrive go on: %s", r->fault.message);
}

static void test_progress(struct rig *r)
{
	/* thread 0 spins until thread 1 has stored; with and without YIELD */
	for (unsigned int yields = 0; yields < 2; yields++) {
		launch(r, 2, 1, 1);
		tap_ok(RUN(r, B_TYPE(1, 3, 0, 16), yields ? THREAD(ANPU_THREAD_YIELD, 0, 0, 0) : ADDI(0, 0, 0),
			   LD(5, 10, 0), B_TYPE(0, 5, 0, -8), ADDI(6, 0, 1), SD(6, 10, 0)) == CORE_DONE,
		       yields ? "a flag of another thread, with YIELD" : "without");
	}
	for (unsigned int n = 1; n < 130; n += 64) {
		launch(r, n, 1, 1);
		tap_ok(RUN(r, PLACE, ADDI(7, 0, 77), THREAD(ANPU_THREAD_YIELD, 7, 0, 0), SD(7, 29, 0),
			   ADDI(8, 0, 5), SD(8, 29, 1040)) == CORE_DONE && !at(r, 0) && !at(r, n - 1) && at(r, 130) == 5,
		       "YIELD of %u threads has the result 0, and each goes on behind it once", n);
	}
}

static void test_faults(struct rig *r)
{
	launch(r, 8, 8, 1);
	/* thread (3, 2) loads from nowhere */
	tap_ok(RUN(r, U_TYPE(0x37, 5, 0x20), ADDI(5, 5, 3), B_TYPE(1, 3, 5, 8), LD(6, 0, 64)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_SCRATCHPAD, "thread (3, 2, 0)") && r->fault.pc == CODE_VA + 12 &&
	       r->fault.x[3] == 0x20003, "a fault names the thread, with its registers");
	tap_ok(RUN(r, U_TYPE(0x37, 5, 4), R_TYPE(0x33, 0, 0x20, 5, 2, 5), SD(0, 5, -8)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_STACK, "stack of thread 0"), "a stack has an end");
	tap_ok(RUN(r, THREAD(ANPU_THREAD_OP_COUNT, 0, 0, 0)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_ILLEGAL, "does not exist"), "an unknown operation");
	tap_ok(RUN(r, SYS_INSN(ANPU_SYS_EXIT, 0, 0)) == CORE_DONE, "EXIT ends a thread");
}

/* A block without threads spawns 40 of them, twice. */
static void test_spawn(struct rig *r)
{
	const uint32_t body[] = { PLACE, SD(3, 29, 0), RET };
	struct anpu_spawn spawn = { CODE_VA + 0x1000, DATA_VA + 4096 };

	memset(&r->k.launch, 0, sizeof(r->k.launch));
	memset(rig_data(r), 0, 16384);
	memcpy(rig_data(r) + 64, &spawn, sizeof(spawn));
	rig_code(r, 0x1000, body, 4);
	tap_ok(RUN(r, ADDI(5, 0, 1), SLLI(5, 5, 16), ADDI(5, 5, 1), SLLI(5, 5, 16), ADDI(5, 5, 40),
		   ADDI(6, 10, 64), THREAD(ANPU_THREAD_SPAWN, 7, 5, 6), ADDI(5, 5, 10),
		   THREAD(ANPU_THREAD_SPAWN, 7, 5, 6), SD(5, 10, 0)) == CORE_DONE && (uint16_t)at(r, 0) == 50 &&
	       at(r, 512 + 39) == 39 && at(r, 512 + 49) == 49 && !at(r, 512 + 50), "SPAWN: %s", r->fault.message);
	/* tests/ascendc/api/threads.cpp spawns 2048, which are more than a launch has */
	tap_ok(RUN(r, ADDI(5, 0, 1), SLLI(5, 5, 16), ADDI(5, 5, 33), SLLI(5, 5, 16), ADDI(5, 5, 64), ADDI(6, 10, 64),
		   THREAD(ANPU_THREAD_SPAWN, 7, 5, 6)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_OPERAND, "64x33x1 threads; 1 to 2048"), "SPAWN of 2112: %s", r->fault.message);
	tap_ok(RUN(r, ADDI(5, 0, 0), THREAD(ANPU_THREAD_SPAWN, 7, 5, 6)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_OPERAND, "0x0x0 threads"), "SPAWN of none");
	tap_ok(RUN(r, THREAD(ANPU_THREAD_BAR, 0, 0, 0), WARP_OP(ANPU_THREAD_REDUCE, 0)) == CORE_DONE,
	       "a block of one thread is a warp of one lane");
	spawn.pc += 2;
	memcpy(rig_data(r) + 64, &spawn, sizeof(spawn));
	tap_ok(RUN(r, ADDI(5, 0, 1), SLLI(5, 5, 16), ADDI(5, 5, 1), SLLI(5, 5, 16), ADDI(5, 5, 40), ADDI(6, 10, 64),
		   THREAD(ANPU_THREAD_SPAWN, 7, 5, 6)) == CORE_FAULT && fault_is(r, ANPU_FAULT_OPERAND, "not 4-byte aligned"),
	       "SPAWN of an entry at an odd address");
	tap_ok(RUN(r, ADDI(5, 0, 1), SLLI(5, 5, 16), ADDI(5, 5, 1), SLLI(5, 5, 16), ADDI(5, 5, 40), ADDI(6, 0, 64),
		   THREAD(ANPU_THREAD_SPAWN, 7, 5, 6)) == CORE_FAULT && r->fault.cause != ANPU_FAULT_OPERAND && r->fault.pc == CODE_VA + 24,
	       "SPAWN with its parameters nowhere: %s", r->fault.message);
	launch(r, 4, 1, 1);
	tap_ok(RUN(r, ADDI(5, 0, 1), SLLI(5, 5, 16), ADDI(5, 5, 1), SLLI(5, 5, 16), ADDI(5, 5, 40), ADDI(6, 10, 64),
		   THREAD(ANPU_THREAD_SPAWN, 7, 5, 6)) == CORE_FAULT && fault_is(r, ANPU_FAULT_OPERAND, "threads do not start"),
	       "SPAWN by a thread");
	tap_ok(RUN(r, ADDI(5, 0, 3), THREAD(ANPU_THREAD_CLUSTER, 7, 5, 0)) == CORE_FAULT && fault_is(r, ANPU_FAULT_OPERAND, "3 is no phase"),
	       "CLUSTER with an unknown phase");
}

/* Each thread stores at its place, and then, behind @sync, loads its right neighbour's; the last one the first's. */
#define NEIGHBOUR(r, sync) RUN(r, PLACE, ADDI(5, 3, 100), SD(5, 29, 0), sync, ADDI(6, 3, 1), I_TYPE(0x13, 7, 6, 6, 63), \
			       SLLI(6, 6, 3), ADD(6, 6, 10), LD(7, 6, 0))
#define AMOADD(rd, rs2, rs1)	R_TYPE(0x2f, 3, 0, rd, rs1, rs2)

/* Thread 1 stores what thread 0 loads: a loop around that load waits for the store, one behind it does not. */
static void test_polls(struct rig *r)
{
	const uint32_t store_or_go_on[] = { B_TYPE(0, 3, 0, 16), ADDI(5, 0, 7), SD(5, 10, 0), RET };
	const uint32_t *c = store_or_go_on;

	launch(r, 2, 1, 1);
	tap_ok(RUN(r, c[0], c[1], c[2], c[3], LD(7, 10, 0), B_TYPE(0, 7, 0, -4)) == CORE_DONE,
	       "a loop that waits for a store: %s", r->fault.message);
	launch(r, 2, 1, 1);
	tap_ok(RUN(r, c[0], c[1], c[2], c[3], LD(7, 10, 0), ADDI(8, 0, 4), ADDI(8, 8, -1), B_TYPE(1, 8, 0, -4)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_RACE, "no barrier orders them"), "a loop behind the load does not wait for it");
}

/* Two pages of the same place in the table of pages, which has 1024 */
static void test_pages(struct rig *r)
{
	static uint8_t page[4096];
	const struct region kept = r->mmu.region[2];
	const uint64_t first = DATA_VA / 4096;
	uint32_t far = 1;

	while ((first * 0x9e3779b1u >> 8) % 1024 != ((first + far) * 0x9e3779b1u >> 8) % 1024)
		far++;
	r->mmu.region[2] = (struct region){ .va = (first + far) * 4096, .size = sizeof(page), .host = page,
					    .rights = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE };
	launch(r, 2, 1, 1);
	tap_ok(RUN(r, ADDI(8, 0, far), R_TYPE(0x33, 0, 1, 8, 8, 3), SLLI(8, 8, 12), ADD(8, 8, 10), SD(3, 8, 0)) == CORE_DONE &&
	       page[0] == 1, "stores to pages that are %u apart are no race: %s", far, r->fault.message);
	r->mmu.region[2] = kept;
}

/*
 * Two words of the same place in the table of places, which has 1024: what a thread knows by an atomic access of one it does not
 * know by that of the other.
 */
static void test_places(struct rig *r)
{
	const uint64_t first = DATA_VA / 8 + 8;
	uint64_t far = 1;

	while ((first * 2 * 0x9e3779b97f4a7c15u >> 40) % 1024 != ((first + far) * 2 * 0x9e3779b97f4a7c15u >> 40) % 1024)
		far++;
	for (unsigned int other = 0; other < 2; other++) {
		/* thread 0: a store, and the sum; thread 1: a sum, and a load of what was stored */
		launch(r, 2, 1, 1);
		r->k.pkt.args = DATA_VA;
		memcpy(rig_data(r) + 8, &(uint64_t){ other ? 8 * far : 0 }, 8);
		tap_ok((RUN(r, ADDI(5, 0, 1), ADDI(6, 10, 64), B_TYPE(1, 3, 0, 16), SD(5, 10, 0), AMOADD(7, 5, 6), RET,
			    LD(8, 10, 8), ADD(6, 6, 8), AMOADD(7, 5, 6), LD(9, 10, 0)) == CORE_FAULT) == other &&
		       (!other || fault_is(r, ANPU_FAULT_RACE, "no barrier orders them")),
		       other ? "sums in another word that is %llu words apart order nothing: %s" : "sums in one word (not %llu apart): %s",
		       (unsigned long long)far, r->fault.message);
	}
}

/* The checking mode: accesses of threads that nothing orders */
static void test_races(struct rig *r)
{
	r->k.pkt.hdr.flags = ANPU_KERNEL_CHECK;
	launch(r, 64, 1, 1);
	tap_ok(NEIGHBOUR(r, ADDI(0, 0, 0)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_RACE, "scalar store writes 0x") &&
	       fault_is(r, ANPU_FAULT_RACE, "which thread (0, 0, 0) reads at 0x") &&
	       fault_is(r, ANPU_FAULT_RACE, "; no barrier orders them; thread (1, 0, 0)") && r->fault.addr == DATA_VA + 8,
	       "a race of threads");
	launch(r, 64, 1, 1);
	tap_ok(NEIGHBOUR(r, THREAD(ANPU_THREAD_BAR, 0, 0, 0)) == CORE_DONE, "a barrier: %s", r->fault.message);
	/* a warp's own: the neighbour of its last lane is another warp's */
	launch(r, 64, 1, 1);
	tap_ok(RUN(r, PLACE, ADDI(9, 0, -1), SLLI(9, 9, 32), SRLI(9, 9, 32), SD(3, 29, 0),
		   THREAD(ANPU_THREAD_WSYNC, 0, 9, 0), I_TYPE(0x13, 4, 6, 3, 1), SLLI(6, 6, 3), ADD(6, 6, 10), LD(7, 6, 0)) ==
	       CORE_DONE, "the lanes of a warp: %s", r->fault.message);
	launch(r, 64, 1, 1);
	tap_ok(NEIGHBOUR(r, THREAD(ANPU_THREAD_WSYNC, 0, 0, 0)) == CORE_FAULT, "a warp's mask without the lane");
	launch(r, 64, 1, 1);
	tap_ok(RUN(r, ADDI(5, 0, 7), SD(5, 10, 0)) == CORE_DONE && at(r, 0) == 7, "all store the same: %s", r->fault.message);
	launch(r, 64, 1, 1);
	tap_ok(RUN(r, SD(3, 10, 0)) == CORE_FAULT && fault_is(r, ANPU_FAULT_RACE, "which thread (0, 0, 0) writes at 0x"),
	       "each stores something else");
	launch(r, 64, 1, 1);
	tap_ok(RUN(r, ADDI(5, 0, 1), AMOADD(6, 5, 10)) == CORE_DONE && at(r, 0) == 64, "atomic sums: %s", r->fault.message);
	launch(r, 64, 1, 1);
	tap_ok(RUN(r, ADDI(5, 0, 1), AMOADD(6, 5, 10), LD(7, 10, 0), ADD(7, 7, 5), SD(7, 10, 0)) == CORE_FAULT &&
	       fault_is(r, ANPU_FAULT_RACE, "which thread (0, 0, 0) writes at 0x"), "and a plain store among them");
	/* what was done before an atomic access is known behind a later one: 62 threads hand a sum on */
	launch(r, 62, 1, 1);
	tap_ok(RUN(r, ADDI(5, 0, 1), AMOADD(6, 0, 10), LD(7, 10, 64), ADD(7, 7, 5), SD(7, 10, 64), AMOADD(6, 5, 10)) ==
	       CORE_DONE && at(r, 8) == 62, "order by atomic accesses: %s", r->fault.message);
	test_polls(r);
	test_pages(r);
	test_places(r);
	r->k.pkt.hdr.flags = 0;
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_begin(&r);
	test_barrier(&r);
	test_bad_barriers(&r);
	test_named(&r);
	test_warp(&r);
	test_reductions(&r);
	test_votes(&r);
	test_arrive(&r);
	test_progress(&r);
	test_faults(&r);
	test_spawn(&r);
	test_races(&r);
	rig_fini(&r);
	return tap_done();
}
