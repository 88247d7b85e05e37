/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ANPU instruction set: threads of a block and atomic operations. A part of anpu_isa.h, which includes it;
 * the prose is Documentation/isa-threads.md.
 */
#ifndef ANPU_ISA_THREADS_H
#define ANPU_ISA_THREADS_H

/* Atomic operations: custom-1, R-type with a result ---------------------------------------------- *
 *
 * .insn r ANPU_OPC_SYS, 1, number, rd, rs1, rs2
 *
 * Operations that the A extension lacks: rd = the old value of the word at rs1, which becomes its combination with
 * rs2, in one atomic step. Words are 32 bits (results are sign-extended) or 64.
 */

/** ANPU_AMO_OPS(X) - X(name, number, bytes, meaning) */
#define ANPU_AMO_OPS(X) \
	X(FADD_S,	0, 4, "binary32: old + rs2, rounded to nearest even") \
	X(FADD_D,	1, 8, "binary64: old + rs2, rounded to nearest even") \
	X(FMIN_S,	2, 4, "binary32: minimumNumber of old and rs2, -0 below +0") \
	X(FMIN_D,	3, 8, "binary64: the same") \
	X(FMAX_S,	4, 4, "binary32: maximumNumber of old and rs2") \
	X(FMAX_D,	5, 8, "binary64: the same") \
	X(INC_W,	6, 4, "old >= rs2 ? 0 : old + 1, unsigned") \
	X(DEC_W,	7, 4, "old == 0 or old > rs2 ? rs2 : old - 1, unsigned")

/* Threads: custom-1, R-type with a result --------------------------------------------------------- *
 *
 * .insn r ANPU_OPC_SYS, 2, number, rd, rs1, rs2
 *
 * Documentation/isa-threads.md has the prose. Roles: "bar" ANPU_BAR(), "mask" the low 32 bits name lanes of
 * the caller's warp, with a mode above them; "value" any 64 bits; "0" must be zero.
 */

/** ANPU_THREAD_OPS(X) - X(name, number, rs1, rs2, built, meaning) */
#define ANPU_THREAD_OPS(X) \
	X(BAR,		0, "bar", "value", 1, "barrier of threads of a block; rd = count, and, or of rs2 != 0") \
	X(WSYNC,	1, "mask", "0", 1, "lanes of a warp wait for each other") \
	X(SHFL,		2, "mask", "value", 1, "rd = another lane's value, ANPU_SHFL()") \
	X(VOTE,		3, "mask", "value", 1, "rd = any, all, equal or the mask of rs2 != 0, ANPU_VOTE_*") \
	X(MATCH,	4, "mask", "value", 1, "rd = the lanes that have the same value, ANPU_MATCH_*") \
	X(REDUCE,	5, "mask", "value", 1, "rd = 32-bit values of the lanes combined, ANPU_RED32_*") \
	X(ACTIVE,	6, "0", "0", 1, "rd = the lanes of the warp that have come to this instruction together") \
	X(YIELD,	7, "0", "0", 1, "let the block's other threads run") \
	X(SPAWN,	8, "dims", "entry", 1, "run threads of this block from a block of one, and wait for their end") \
	X(CLUSTER,	9, "phase", "0", 1, "barrier of the blocks of a cluster: arrive, wait or both") \
	X(TRIGGER,	10, "0", "0", 1, "the next kernel need not wait for this block, see ANPU_LAUNCH_OVERLAP") \
	X(GRIDWAIT,	11, "0", "0", 1, "wait until the kernel in front of this one has completed")

/** ANPU_BAR - rs1 of BAR: barrier 0 to ANPU_BARRIERS - 1, ANPU_BAR_*, threads (0: all of the block) */
#define ANPU_BAR(number, mode, threads) ((number) | (mode) << 8 | (uint64_t)(threads) << 16)
#define ANPU_BARRIERS		32 /* 16 before 1.9 */
#define ANPU_BAR_SYNC		0	/* arrive and wait */
#define ANPU_BAR_ARRIVE		1	/* arrive, and go on */
#define ANPU_BAR_COUNT		2	/* as SYNC; rd = number of threads with rs2 != 0 */
#define ANPU_BAR_AND		3	/* as SYNC; rd = 1 if all have rs2 != 0 */
#define ANPU_BAR_OR		4	/* as SYNC; rd = 1 if any has */
/** ANPU_WARP - rs1 of VOTE, MATCH, REDUCE: lanes and mode */
#define ANPU_WARP(mask, mode)	((uint64_t)(uint32_t)(mask) | (uint64_t)(mode) << 32)
/** ANPU_SHFL - rs1 of SHFL: lanes, ANPU_SHFL_*, lane or distance, width 1, 2, 4, 8, 16 or 32 */
#define ANPU_SHFL(mask, mode, lane, width) \
	(ANPU_WARP(mask, mode) | (uint64_t)((lane) & 0xff) << 40 | (uint64_t)(width) << 48)
#define ANPU_SHFL_IDX		0	/* lane @lane of the part of @width lanes */
#define ANPU_SHFL_UP		1	/* own lane - distance; beyond the part: own value */
#define ANPU_SHFL_DOWN		2	/* own lane + distance */
#define ANPU_SHFL_XOR		3	/* own lane ^ distance */
#define ANPU_VOTE_ANY		0
#define ANPU_VOTE_ALL		1
#define ANPU_VOTE_EQUAL		2
#define ANPU_VOTE_BALLOT	3
#define ANPU_MATCH_ANY		0	/* lanes whose value is the caller's */
#define ANPU_MATCH_ALL		1	/* all lanes if all values are equal, else 0 */
#define ANPU_RED32_ADD		0
#define ANPU_RED32_MIN		1
#define ANPU_RED32_MAX		2
#define ANPU_RED32_MINU		3
#define ANPU_RED32_MAXU		4
#define ANPU_RED32_AND		5
#define ANPU_RED32_OR		6
#define ANPU_RED32_XOR		7
#define ANPU_CLUSTER_BOTH	0
#define ANPU_CLUSTER_ARRIVE	1
#define ANPU_CLUSTER_WAIT	2

/** ANPU_INFO_BASE - where a block finds its struct anpu_block_info; the stack begins below */
#define ANPU_INFO_BASE		(ANPU_STACK_TOP - 256)
/**
 * ANPU_THREAD_STACKS - stacks of the threads of a block that has more than one: thread t's is the upper
 * ANPU_THREAD_STACK bytes of the t-th piece of ANPU_THREAD_STACK + ANPU_THREAD_GUARD
 */
#define ANPU_THREAD_STACKS	0x02000000
#define ANPU_THREAD_STACK	0x4000
#define ANPU_THREAD_GUARD	0x1000
/** ANPU_PEER_BASE - unified buffer of block r of the cluster, at ANPU_PEER_BASE + r * ANPU_PEER_STRIDE */
#define ANPU_PEER_BASE		0x10000000
#define ANPU_PEER_STRIDE	0x00100000

#ifndef __ASSEMBLER__
#define ANPU_X_(n, num, ...) ANPU_AMO_##n = num,
enum anpu_amo_op { ANPU_AMO_OPS(ANPU_X_) ANPU_AMO_OP_COUNT };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_THREAD_##n = num,
enum anpu_thread_op { ANPU_THREAD_OPS(ANPU_X_) ANPU_THREAD_OP_COUNT };
#undef ANPU_X_

/**
 * struct anpu_block_info - what a block of a kernel with ANPU_KERNEL_LAUNCH finds at ANPU_INFO_BASE
 * @block_idx: x, y, z of the block in its grid
 * @grid_dim: blocks of the grid
 * @block_dim: threads of the block
 * @threads: their product
 * @cluster_dim: blocks of the cluster, at least 1
 * @cluster_idx: x, y, z of the block in its cluster
 * @cluster_rank: number of the block in its cluster, x fastest
 * @cluster_blocks: blocks of the cluster
 * @dynamic: address of the dynamic shared memory, the end of the unified buffer if there is none
 * @dynamic_size: its bytes
 * @reserved: zero
 */
struct anpu_block_info {
	uint32_t block_idx[3];
	uint32_t grid_dim[3];
	uint32_t block_dim[3];
	uint32_t threads;
	uint32_t cluster_dim[3];
	uint32_t cluster_idx[3];
	uint32_t cluster_rank;
	uint32_t cluster_blocks;
	uint32_t dynamic;
	uint32_t dynamic_size;
	uint32_t cooperative;
	uint32_t reserved[43];
};

ANPU_ISA_ASSERT(sizeof(struct anpu_block_info) == 256, "the block's info has 256 bytes");

/** ANPU_MAX_SPAWN - most threads that SPAWN runs; a launch has at most ANPU_MAX_THREADS */
#define ANPU_MAX_SPAWN		2048

/** struct anpu_spawn - rs2 of SPAWN: where the threads begin, and their a0 */
struct anpu_spawn {
	uint64_t pc;
	uint64_t arg;
};
#endif

#endif /* ANPU_ISA_THREADS_H */
