/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ANPU queue packets: the part of the uAPI that is the device's datasheet, too.
 *
 * Userspace hands packets to the driver (SUBMIT, see anpu_accel.h) or writes them into a ring it
 * owns, and the device executes them (see anpu/anpu_hw.h). Both sides therefore include this one
 * header. Documentation/device.md has the prose.
 *
 * All fields are little-endian. All addresses are virtual addresses of the queue's address space.
 * Reserved fields and undefined flag bits must be zero: driver and device both refuse a packet
 * where they are not, so that a later version can give them a meaning.
 */
#ifndef ANPU_PACKET_H
#define ANPU_PACKET_H

#include <linux/types.h>

/** ANPU_PACKET_SIZE - size and alignment of every packet, in bytes */
#define ANPU_PACKET_SIZE	64

/**
 * ANPU_MAX_BLOCKS - largest product grid_x * grid_y * grid_z of one KERNEL packet (since 1.8,
 * ANPU_CAP_BLOCKS; other devices have ANPU_MAX_RELATED_BLOCKS)
 */
#define ANPU_MAX_BLOCKS		0x7fffffff

/**
 * ANPU_MAX_RELATED_BLOCKS - the same for blocks that know of each other, of which the device keeps
 * a record each: those of ANPU_CORE_MIX and of clusters, and those that set cross-core flags
 */
#define ANPU_MAX_RELATED_BLOCKS	65535

/** ANPU_MAX_INDIRECT - largest number of packets that one INDIRECT packet may run */
#define ANPU_MAX_INDIRECT	65536

/** ANPU_TIMEOUT_DEFAULT - kernel timeout field: use the device's default limit */
#define ANPU_TIMEOUT_DEFAULT	0ULL

/** ANPU_TIMEOUT_NEVER - timeout field: no limit */
#define ANPU_TIMEOUT_NEVER	(~0ULL)

/**
 * enum anpu_opcode - what a packet does
 * @ANPU_OP_INVALID: never executes, so that zeroed memory is not a program
 * @ANPU_OP_NOP: completes at once
 * @ANPU_OP_KERNEL: run an operator over a grid of blocks (struct anpu_pkt_kernel)
 * @ANPU_OP_COPY: linear copy (struct anpu_pkt_copy)
 * @ANPU_OP_COPY_2D: copy of rows with pitches (struct anpu_pkt_copy_2d)
 * @ANPU_OP_COPY_DESC: linear copy, addresses and size read from memory when the packet executes
 *	(struct anpu_pkt_copy_desc, struct anpu_copy_desc)
 * @ANPU_OP_FILL: fill memory with a pattern (struct anpu_pkt_fill)
 * @ANPU_OP_SEM_SIGNAL: update a semaphore in memory (struct anpu_pkt_sem_signal)
 * @ANPU_OP_SEM_WAIT: park the queue until a semaphore meets a condition (struct anpu_pkt_sem_wait)
 * @ANPU_OP_TIMESTAMP: write the device clock to memory (struct anpu_pkt_timestamp)
 * @ANPU_OP_NOTIFY: send an event to the host (struct anpu_pkt_notify)
 * @ANPU_OP_INDIRECT: run an array of packets from memory (struct anpu_pkt_indirect)
 * @ANPU_OP_JUMP: inside an INDIRECT, go on at another packet of it (struct anpu_pkt_jump)
 * @ANPU_OP_REDUCE: combine memory with memory, element by element (struct anpu_pkt_reduce)
 * @ANPU_OP_RANDOM: fill memory with random numbers (struct anpu_pkt_random)
 * @ANPU_OP_COUNT: number of opcodes, not an opcode
 */
enum anpu_opcode {
	ANPU_OP_INVALID = 0,
	ANPU_OP_NOP,
	ANPU_OP_KERNEL,
	ANPU_OP_COPY,
	ANPU_OP_COPY_2D,
	ANPU_OP_COPY_DESC,
	ANPU_OP_FILL,
	ANPU_OP_SEM_SIGNAL,
	ANPU_OP_SEM_WAIT,
	ANPU_OP_TIMESTAMP,
	ANPU_OP_NOTIFY,
	ANPU_OP_INDIRECT,
	ANPU_OP_JUMP,
	ANPU_OP_REDUCE,
	ANPU_OP_RANDOM,
	ANPU_OP_COUNT
};

/**
 * struct anpu_pkt_header - first eight bytes of every packet
 * @opcode: enum anpu_opcode
 * @reserved: must be zero
 * @flags: flags of the opcode; zero where the opcode defines none
 * @task_id: chosen by the submitter, reported in fault records and never interpreted
 */
struct anpu_pkt_header {
	__u8 opcode;
	__u8 reserved;
	__u16 flags;
	__u32 task_id;
};

/** ANPU_KERNEL_CODE_SYNC - forget decoded code of this address space before running */
#define ANPU_KERNEL_CODE_SYNC	(1 << 0)
/** ANPU_KERNEL_SATURATE - start with saturating instead of INF/NAN overflow (CSR fpctl) */
#define ANPU_KERNEL_SATURATE	(1 << 1)
/**
 * ANPU_KERNEL_CHECK - checking mode: reads of scratchpads that the block has not written fault with
 * ANPU_FAULT_UNINITIALISED, accesses of two pipes that nothing orders with ANPU_FAULT_RACE;
 * Documentation/isa.md has the rules. A kernel without such mistakes has the same results.
 */
#define ANPU_KERNEL_CHECK	(1 << 2)
/**
 * ANPU_KERNEL_OVERFLOW - results are looked at for overflows, which are noted in an entry of the
 * queue's overflow table; Documentation/isa.md says what an overflow is. Results are the same
 * (since 1.5, ANPU_CAP_OVERFLOW; other devices refuse it)
 */
#define ANPU_KERNEL_OVERFLOW	(1 << 3)
/** ANPU_KERNEL_OVERFLOW_ENTRY() - which entry of the table, 0 to ANPU_OVERFLOW_ENTRIES - 1 */
#define ANPU_KERNEL_OVERFLOW_ENTRY(n)	((n) << 8)
#define ANPU_KERNEL_GET_OVERFLOW_ENTRY(flags)	((flags) >> 8 & 0xff)
/**
 * ANPU_KERNEL_LAUNCH - @args names a struct anpu_kernel_launch, and the argument block follows it,
 * at @args + ANPU_LAUNCH_SIZE (since 1.6, ANPU_CAP_LAUNCH; other devices refuse it)
 */
#define ANPU_KERNEL_LAUNCH	(1 << 4)
#define ANPU_KERNEL_FLAGS	0xff1f

/** ANPU_LAUNCH_SIZE - bytes of a struct anpu_kernel_launch */
#define ANPU_LAUNCH_SIZE	128
/** ANPU_MAX_THREADS - most threads of a block */
#define ANPU_MAX_THREADS	1024
/** ANPU_WARP_SIZE - threads of a warp: those with neighbouring numbers, x fastest */
#define ANPU_WARP_SIZE		32
/** ANPU_MAX_CLUSTER - most blocks of a cluster of a kernel with ANPU_KERNEL_LAUNCH */
#define ANPU_MAX_CLUSTER	16

/**
 * ANPU_LAUNCH_OVERLAP - the kernel may begin before the KERNEL in front of it in its queue has
 * completed: as soon as each block of that has ended or executed TRIGGER. Its GRIDWAIT waits for
 * that kernel's completion and sees all it has written. Packets complete in order as ever.
 */
#define ANPU_LAUNCH_OVERLAP	(1 << 0)
/** ANPU_LAUNCH_TRIGGER_AT_START - each block counts as having executed TRIGGER when it begins */
#define ANPU_LAUNCH_TRIGGER_AT_START	(1 << 1)
#define ANPU_LAUNCH_FLAGS	0x3

/**
 * struct anpu_kernel_launch - what a KERNEL with ANPU_KERNEL_LAUNCH says beyond its packet
 * @size: ANPU_LAUNCH_SIZE
 * @flags: ANPU_LAUNCH_*
 * @block_x: threads of a block in x, at least 1
 * @block_y: threads in y, at least 1
 * @block_z: threads in z, at least 1; the product is at most ANPU_MAX_THREADS
 * @static_scratch: bytes at the beginning of the unified buffer that the operator's static shared
 *	variables take (its SHARED_SIZE record); with the packet's dyn_scratch, the dynamic shared
 *	memory, at most the unified buffer
 * @begun: 0, or address, aligned to 8, of a word that becomes @begun_value when all blocks have
 *	begun
 * @begun_value: its value
 * @triggered: 0, or the same for when each block has ended or executed TRIGGER
 * @triggered_value: its value
 * @reserved: must be zero
 *
 * Aligned to 8. The device reads it when the packet begins. A word is written as SEM_SIGNAL writes
 * it, and queues that wait for it go on; both are written at the latest before the packet
 * completes, also if the kernel fails. Blocks of a cluster (the packet's cluster_x, _y, _z, at most
 * ANPU_MAX_CLUSTER, and at most the AI cores; not of ANPU_CORE_MIX) are there together. A grid that
 * is to be there as a whole (a cooperative launch) has ANPU_SCHED_BATCH.
 */
struct anpu_kernel_launch {
	__u32 size;
	__u32 flags;
	__u32 block_x;
	__u32 block_y;
	__u32 block_z;
	__u32 static_scratch;
	__u64 begun;
	__u64 begun_value;
	__u64 triggered;
	__u64 triggered_value;
	__u64 reserved[9];
};

/** ANPU_OVERFLOW_INFINITE - a result is infinite and none of its operands is infinite or NaN */
#define ANPU_OVERFLOW_INFINITE	(1 << 0)
/** ANPU_OVERFLOW_INVALID - a result is NaN and none of its operands is NaN */
#define ANPU_OVERFLOW_INVALID	(1 << 1)

/**
 * struct anpu_overflow - entry of a queue's overflow table: what kernels have noted
 * @status: ANPU_OVERFLOW_*, which the device only sets, atomically, before the kernel completes;
 *	any packet and the process may read and clear it
 * @reserved: the device does not touch it
 */
struct anpu_overflow {
	__u32 status;
	__u32 reserved[15];
};

/** ANPU_OVERFLOW_ENTRIES - entries of an overflow table; those that are used must be mapped */
#define ANPU_OVERFLOW_ENTRIES	256
/** ANPU_OVERFLOW_ALIGN - alignment of the table */
#define ANPU_OVERFLOW_ALIGN	4096

/**
 * ANPU_CODE_LIST_VA - where a process keeps its struct anpu_code_list, if it has one (since 1.10,
 * ANPU_CAP_CODE_LIST): beyond all addresses that a process of the host has
 */
#define ANPU_CODE_LIST_VA	0xffffffe00000ULL
/** ANPU_CODE_LIST_MAGIC - "ANPUCODE" */
#define ANPU_CODE_LIST_MAGIC	0x45444f4355504e41ULL
/** ANPU_CODE_LIST_MAX - files that a debugger looks at, at most */
#define ANPU_CODE_LIST_MAX	4096
/** ANPU_CODE_NAME_SIZE - bytes of a file's name, zero at the end included */
#define ANPU_CODE_NAME_SIZE	88
/** ANPU_CODE_SIZE_MAX - bytes of a file that a debugger takes, at most */
#define ANPU_CODE_SIZE_MAX	(1ULL << 28)

/**
 * struct anpu_code_list - tells a debugger of the device where a process has put its files of
 *	operators
 * @magic: ANPU_CODE_LIST_MAGIC
 * @serial: grows with each change, which is complete before
 * @first: address of the first struct anpu_code_file, 0: there is none
 * @reserved: zero
 *
 * The list is mapped readable at ANPU_CODE_LIST_VA. The device reads it when a kernel begins whose
 * process has changed @serial. No kernel depends on it: a list that is missing or makes no sense
 * leaves the debugger without names.
 */
struct anpu_code_list {
	__u64 magic;
	__u64 serial;
	__u64 first;
	__u64 reserved;
};

/**
 * struct anpu_code_file - an ELF file of operators, aligned to 8
 * @next: address of the next one, 0: this is the last
 * @serial: another one for each file that the process has put into the list, not 0
 * @base: address of the file's address 0
 * @image: address of a copy of the whole file, debug information included
 * @size: bytes there, at most ANPU_CODE_SIZE_MAX
 * @name: its path or what people call it; what does not fit is cut off at the front
 */
struct anpu_code_file {
	__u64 next;
	__u64 serial;
	__u64 base;
	__u64 image;
	__u64 size;
	char name[ANPU_CODE_NAME_SIZE];
};

/** ANPU_TRACE_ALIGN - alignment of a struct anpu_trace_buffer and of its ring */
#define ANPU_TRACE_ALIGN	64
/** ANPU_TRACE_MAX - records of a ring at most */
#define ANPU_TRACE_MAX		(1U << 20)

/** ANPU_TRACE_OPERATIONS - in a trace buffer's flags: record tile operations, too (since 1.9) */
#define ANPU_TRACE_OPERATIONS	(1ULL << 0)

/**
 * struct anpu_trace_buffer - where the device records when packets and blocks ran (since 1.7)
 * @ring: the process's: virtual address of @size records, aligned to ANPU_TRACE_ALIGN
 * @size: the process's: a power of two, at most ANPU_TRACE_MAX; with any other value nothing is
 *	recorded. Ring and size may change while no queue that has the buffer runs
 * @head: the device's: number of records that were begun so far; record n is in slot n % @size
 * @tail: the process's: number of records that it has read
 * @lost: the device's: number of records for which the ring had no room
 * @flags: the process's: ANPU_TRACE_OPERATIONS; read when a kernel begins. Devices before 1.9 do
 *	not look at it
 * @reserved: the device does not touch it
 *
 * Queues of one address space may share a buffer. Buffer and ring must be mapped readable and
 * writable; what is not is not recorded, and nothing fails.
 */
struct anpu_trace_buffer {
	__u64 ring;
	__u64 size;
	__u64 head;
	__u64 tail;
	__u64 lost;
	__u64 flags;
	__u64 reserved[2];
};

/**
 * enum anpu_trace_kind - what a record is about
 * @ANPU_TRACE_PACKET: a packet of a ring, or inside of an INDIRECT: from when it was taken in hand,
 *	waiting included, to its end. A packet that was dropped has none, nor has an INDIRECT, whose
 *	packets have the sequence number of it
 * @ANPU_TRACE_BLOCK: a turn of a block of a KERNEL on an AI core; a block that was set aside for
 *	others, or waited for them, has several
 * @ANPU_TRACE_PIPES: time of the pipes in a turn, whose BLOCK is the next record (since 1.8).
 *	A turn without tile operations has none
 * @ANPU_TRACE_OPERATION: a tile operation of a block's turn, whose BLOCK comes later; only if the
 *	buffer's flags want them (since 1.9)
 *
 * Whoever reads ignores kinds that it does not know.
 */
enum anpu_trace_kind {
	ANPU_TRACE_PACKET = 1,
	ANPU_TRACE_BLOCK = 2,
	ANPU_TRACE_PIPES = 3,
	ANPU_TRACE_OPERATION = 4,
};

/** ANPU_TRACE_AMOUNT - an OPERATION's amount: address of the instruction, enum anpu_tile_op */
#define ANPU_TRACE_AMOUNT(pc, op)	((__u64)(op) << 56 | (pc))
/** ANPU_TRACE_AMOUNT_PC - the address in it */
#define ANPU_TRACE_AMOUNT_PC(amount)	((amount) & ((1ULL << 56) - 1))
/** ANPU_TRACE_AMOUNT_OP - the operation in it */
#define ANPU_TRACE_AMOUNT_OP(amount)	((amount) >> 56)

/**
 * struct anpu_trace_record - a record of a trace buffer
 * @turn: number of the record + 1, written last: a record that has it is complete
 * @begin_ns: device clock when it began
 * @end_ns: device clock when it ended
 * @seq: sequence number of the ring's packet
 * @queue: queue
 * @task_id: of the packet's header
 * @block: BLOCK, OPERATION: the block's number, else 0
 * @sub_block: BLOCK, OPERATION: the block's part of a MIX block, else 0
 * @kind: enum anpu_trace_kind
 * @code: PACKET: opcode; BLOCK: enum anpu_core_type of the kernel; OPERATION: the pipe, a number of
 *	ANPU_PIPES
 * @core: BLOCK, OPERATION: AI core, else 0
 * @cause: 0, or ANPU_FAULT_* if a packet or a block failed
 * @amount: PACKET: bytes that it wrote, of copies, fills, reductions and random numbers, and of a
 *	KERNEL its entry; BLOCK: the entry of its kernel, plus 1 if the block ended; OPERATION:
 *	ANPU_TRACE_AMOUNT()
 *
 * Records of a packet are complete before completed of the queue's status page counts it.
 */
struct anpu_trace_record {
	__u64 turn;
	__u64 begin_ns;
	__u64 end_ns;
	__u64 seq;
	__u32 queue;
	__u32 task_id;
	__u32 block;
	__u16 sub_block;
	__u8 kind;
	__u8 code;
	__u32 core;
	__u32 cause;
	__u64 amount;
};

/**
 * struct anpu_trace_pipes - a record of ANPU_TRACE_PIPES: for how long the pipes of an AI core
 *	were at work in a turn of a block, in ns of the device's clock
 * @turn: as in struct anpu_trace_record
 * @vector_ns: V
 * @cube_ns: M
 * @mte1_ns: MTE1
 * @mte2_ns: MTE2
 * @block: as in the BLOCK
 * @sub_block: as in the BLOCK
 * @kind: ANPU_TRACE_PIPES, where struct anpu_trace_record has it
 * @reserved: 0
 * @mte3_ns: MTE3
 * @fix_ns: FIX
 *
 * The scalar unit had the rest of the turn.
 */
struct anpu_trace_pipes {
	__u64 turn;
	__u64 vector_ns;
	__u64 cube_ns;
	__u64 mte1_ns;
	__u64 mte2_ns;
	__u32 block;
	__u16 sub_block;
	__u8 kind;
	__u8 reserved;
	__u64 mte3_ns;
	__u64 fix_ns;
};

/**
 * enum anpu_core_type - the part of an AI core that runs a kernel's blocks
 * @ANPU_CORE_ANY: whole AI core, cube and vector units
 * @ANPU_CORE_AIC: cube unit; vector operations fault
 * @ANPU_CORE_AIV: vector unit; cube operations fault
 * @ANPU_CORE_MIX: each block is one cube sub-block at @entry and @mix_ratio vector sub-blocks at
 *	@entry + @aiv_entry
 * @ANPU_CORE_COUNT: number of core types
 */
enum anpu_core_type {
	ANPU_CORE_ANY = 0,
	ANPU_CORE_AIC,
	ANPU_CORE_AIV,
	ANPU_CORE_MIX,
	ANPU_CORE_COUNT
};

/**
 * enum anpu_sched_mode - how the blocks of a kernel are started
 * @ANPU_SCHED_NORMAL: as cores become free
 * @ANPU_SCHED_BATCH: all blocks together; refused if the device, or max_cores, has fewer cores than
 *	blocks
 * @ANPU_SCHED_COUNT: number of modes
 */
enum anpu_sched_mode {
	ANPU_SCHED_NORMAL = 0,
	ANPU_SCHED_BATCH,
	ANPU_SCHED_COUNT
};

/**
 * struct anpu_pkt_kernel - ANPU_OP_KERNEL
 * @hdr: header; flags ANPU_KERNEL_*
 * @entry: address of the first instruction, 4-byte aligned
 * @args: address of the argument block, 8-byte aligned; 0 if @args_size is 0
 * @args_size: bytes of the argument block
 * @grid_x: blocks in x, at least 1
 * @grid_y: blocks in y, at least 1
 * @grid_z: blocks in z, at least 1; the product is at most ANPU_MAX_BLOCKS, or
 *	ANPU_MAX_RELATED_BLOCKS for ANPU_CORE_MIX and with clusters
 * @cluster_x: blocks in x that share a cluster, 0 and 1 mean none; must divide grid_x
 * @cluster_y: the same in y
 * @cluster_z: the same in z
 * @sched_mode: enum anpu_sched_mode
 * @dyn_scratch: bytes of the unified buffer reserved for dynamic use, reported to the operator in
 *	a CSR; at most the size of the unified buffer
 * @timeout_us: limit of the kernel's running time in microseconds, ANPU_TIMEOUT_DEFAULT or
 *	ANPU_TIMEOUT_NEVER
 * @core_type: enum anpu_core_type
 * @mix_ratio: vector sub-blocks per cube sub-block, 1 or 2 for ANPU_CORE_MIX, else 0
 * @priority: 0 (highest) to 7 among kernels that compete for cores
 * @max_cores: most AI cores that run blocks of this kernel at any time, of ANPU_CORE_MIX
 *	sub-blocks; 0 for all that the device has, as has more than these (since 1.3,
 *	ANPU_CAP_MAX_CORES; other devices refuse what is not 0)
 * @aiv_entry: ANPU_CORE_MIX only: signed distance in bytes from @entry to the vector entry, a
 *	multiple of 4; else 0
 *
 * The device does not copy the argument block: it must stay valid and unchanged until the packet
 * completes.
 */
struct anpu_pkt_kernel {
	struct anpu_pkt_header hdr;
	__u64 entry;
	__u64 args;
	__u32 args_size;
	__u32 grid_x;
	__u32 grid_y;
	__u32 grid_z;
	__u8 cluster_x;
	__u8 cluster_y;
	__u8 cluster_z;
	__u8 sched_mode;
	__u32 dyn_scratch;
	__u64 timeout_us;
	__u8 core_type;
	__u8 mix_ratio;
	__u8 priority;
	__u8 max_cores;
	__s32 aiv_entry;
};

/**
 * struct anpu_pkt_copy - ANPU_OP_COPY
 * @hdr: header; no flags
 * @src: source address
 * @dst: destination address
 * @size: bytes; 0 copies nothing and touches nothing
 * @reserved: must be zero
 *
 * If the ranges overlap, the destination's contents are unspecified.
 */
struct anpu_pkt_copy {
	struct anpu_pkt_header hdr;
	__u64 src;
	__u64 dst;
	__u64 size;
	__u64 reserved[4];
};

/**
 * struct anpu_pkt_copy_2d - ANPU_OP_COPY_2D
 * @hdr: header; no flags
 * @src: address of the first source row
 * @dst: address of the first destination row
 * @src_pitch: bytes from one source row to the next, at least @width
 * @dst_pitch: bytes from one destination row to the next, at least @width
 * @width: bytes per row
 * @height: rows
 * @reserved: must be zero
 *
 * pitch * height must not exceed 2^63.
 */
struct anpu_pkt_copy_2d {
	struct anpu_pkt_header hdr;
	__u64 src;
	__u64 dst;
	__u64 src_pitch;
	__u64 dst_pitch;
	__u64 width;
	__u64 height;
	__u64 reserved;
};

/**
 * struct anpu_copy_desc - the descriptor that ANPU_OP_COPY_DESC reads, 8-byte aligned
 * @src: source address
 * @dst: destination address
 * @size: bytes
 * @reserved: must be zero
 */
struct anpu_copy_desc {
	__u64 src;
	__u64 dst;
	__u64 size;
	__u64 reserved;
};

/**
 * struct anpu_pkt_copy_desc - ANPU_OP_COPY_DESC
 * @hdr: header; no flags
 * @desc: address of a struct anpu_copy_desc, read once when the packet executes
 * @reserved: must be zero
 */
struct anpu_pkt_copy_desc {
	struct anpu_pkt_header hdr;
	__u64 desc;
	__u64 reserved[6];
};

/**
 * struct anpu_pkt_fill - ANPU_OP_FILL
 * @hdr: header; no flags
 * @dst: destination address, a multiple of @pattern_size
 * @size: bytes, a multiple of @pattern_size
 * @pattern: the low @pattern_size bytes are repeated
 * @pattern_size: 1, 2, 4 or 8
 * @reserved0: must be zero
 * @reserved: must be zero
 */
struct anpu_pkt_fill {
	struct anpu_pkt_header hdr;
	__u64 dst;
	__u64 size;
	__u64 pattern;
	__u32 pattern_size;
	__u32 reserved0;
	__u64 reserved[3];
};

/** ANPU_SEM_IRQ - SEM_SIGNAL: also send an ANPU_EVENT_SIGNAL to the host */
#define ANPU_SEM_IRQ		(1 << 0)
#define ANPU_SEM_SIGNAL_FLAGS	0x1
/** ANPU_SEM_CLEAR - SEM_WAIT: in the same atomic step that satisfies the wait, write zero */
#define ANPU_SEM_CLEAR		(1 << 0)
#define ANPU_SEM_WAIT_FLAGS	0x1

/**
 * enum anpu_sem_op - how SEM_SIGNAL changes the semaphore, atomically
 * @ANPU_SEM_SET: store the value
 * @ANPU_SEM_ADD: add, wrapping
 * @ANPU_SEM_OR: bitwise or
 * @ANPU_SEM_AND: bitwise and
 * @ANPU_SEM_OP_COUNT: number of operations
 */
enum anpu_sem_op {
	ANPU_SEM_SET = 0,
	ANPU_SEM_ADD,
	ANPU_SEM_OR,
	ANPU_SEM_AND,
	ANPU_SEM_OP_COUNT
};

/**
 * enum anpu_sem_cond - when a SEM_WAIT is satisfied; s is (semaphore & mask), v the packet's value
 * @ANPU_SEM_EQ: s == v
 * @ANPU_SEM_NE: s != v
 * @ANPU_SEM_GT: s > v, unsigned
 * @ANPU_SEM_GE: s >= v, unsigned
 * @ANPU_SEM_LT: s < v, unsigned
 * @ANPU_SEM_LE: s <= v, unsigned
 * @ANPU_SEM_ANY: (s & v) != 0
 * @ANPU_SEM_NOR: ~(s | v) != 0 within the semaphore's width
 * @ANPU_SEM_AFTER: s - v, as a signed number of the semaphore's width, is not negative: "at or
 *	after" for counters that wrap
 * @ANPU_SEM_COND_COUNT: number of conditions
 */
enum anpu_sem_cond {
	ANPU_SEM_EQ = 0,
	ANPU_SEM_NE,
	ANPU_SEM_GT,
	ANPU_SEM_GE,
	ANPU_SEM_LT,
	ANPU_SEM_LE,
	ANPU_SEM_ANY,
	ANPU_SEM_NOR,
	ANPU_SEM_AFTER,
	ANPU_SEM_COND_COUNT
};

/**
 * struct anpu_pkt_sem_signal - ANPU_OP_SEM_SIGNAL
 * @hdr: header; flags ANPU_SEM_IRQ
 * @addr: address of the semaphore, aligned to @width
 * @value: operand
 * @timestamp: if not 0, the 8-byte aligned address that receives the device clock before the
 *	semaphore changes
 * @op: enum anpu_sem_op
 * @width: 4 or 8 bytes
 * @reserved: must be zero
 *
 * Everything that earlier packets of the queue wrote is visible before the semaphore changes.
 */
struct anpu_pkt_sem_signal {
	struct anpu_pkt_header hdr;
	__u64 addr;
	__u64 value;
	__u64 timestamp;
	__u32 op;
	__u32 width;
	__u64 reserved[3];
};

/**
 * struct anpu_pkt_sem_wait - ANPU_OP_SEM_WAIT
 * @hdr: header; flags ANPU_SEM_CLEAR
 * @addr: address of the semaphore, aligned to @width
 * @value: reference value
 * @mask: ANDed with the semaphore before the comparison; all ones for none
 * @timeout_us: microseconds, ANPU_TIMEOUT_NEVER for no limit; 0 tests once
 * @cond: enum anpu_sem_cond
 * @width: 4 or 8 bytes
 * @reserved: must be zero
 *
 * An expired wait is a fault of cause ANPU_FAULT_WAIT_TIMEOUT. The device re-examines a parked
 * queue when a SEM_SIGNAL, COPY, FILL, REDUCE or RANDOM of any queue or a kernel has written
 * memory, when the queue's doorbell rings, and at least every millisecond for writes by the CPU.
 */
struct anpu_pkt_sem_wait {
	struct anpu_pkt_header hdr;
	__u64 addr;
	__u64 value;
	__u64 mask;
	__u64 timeout_us;
	__u32 cond;
	__u32 width;
	__u64 reserved[2];
};

/**
 * struct anpu_pkt_timestamp - ANPU_OP_TIMESTAMP
 * @hdr: header; no flags
 * @addr: 8-byte aligned address that receives the device clock in nanoseconds
 * @reserved: must be zero
 */
struct anpu_pkt_timestamp {
	struct anpu_pkt_header hdr;
	__u64 addr;
	__u64 reserved[6];
};

/**
 * struct anpu_pkt_notify - ANPU_OP_NOTIFY
 * @hdr: header; no flags
 * @cookie: delivered in the event, never interpreted
 * @value: delivered in the event, never interpreted
 * @reserved: must be zero
 *
 * Completes when the event is in the event queue; while that is full the queue parks, so no
 * notification is lost.
 */
struct anpu_pkt_notify {
	struct anpu_pkt_header hdr;
	__u64 cookie;
	__u64 value;
	__u64 reserved[5];
};

/**
 * struct anpu_pkt_indirect - ANPU_OP_INDIRECT
 * @hdr: header; no flags
 * @addr: address of the first packet, 64-byte aligned
 * @count: packets, 1 to ANPU_MAX_INDIRECT
 * @reserved0: must be zero
 * @reserved: must be zero
 *
 * Runs the packets in order as if they stood in the ring; the INDIRECT packet completes after the
 * last. Each packet is read and checked when it executes. An INDIRECT inside is refused. A fault
 * record's ib_index tells which packet failed; by the queue's failure mode the rest goes on or not.
 */
struct anpu_pkt_indirect {
	struct anpu_pkt_header hdr;
	__u64 addr;
	__u32 count;
	__u32 reserved0;
	__u64 reserved[5];
};

/** ANPU_JUMP_ALWAYS - JUMP: without a condition; @addr, @value, @mask, @cond and @width are zero */
#define ANPU_JUMP_ALWAYS	(1 << 0)
/** ANPU_JUMP_TABLE - JUMP: to the entry of a table that the word at @addr selects */
#define ANPU_JUMP_TABLE		(1 << 1)
/** ANPU_JUMP_MEMORY - JUMP: @value is the address of the reference value */
#define ANPU_JUMP_MEMORY	(1 << 2)
/** ANPU_JUMP_SIGNED - JUMP: GT, GE, LT and LE compare signed numbers of the word's width */
#define ANPU_JUMP_SIGNED	(1 << 3)
#define ANPU_JUMP_FLAGS		0xf

/**
 * struct anpu_pkt_jump - ANPU_OP_JUMP (since 1.2, ANPU_CAP_JUMP)
 * @hdr: header; flags ANPU_JUMP_*. ALWAYS and TABLE stand alone
 * @addr: address of the word that decides, aligned to @width
 * @value: reference value; with MEMORY its address, aligned to @width; with TABLE the address of
 *	the table, 4-byte aligned
 * @mask: ANDed with the word and with a reference value from memory; all ones for none. TABLE: zero
 * @cond: enum anpu_sem_cond. TABLE: zero
 * @width: 4 or 8 bytes. TABLE: 4
 * @target: where to go on if the condition holds: a number of a packet of the INDIRECT, or its
 *	count for its end. TABLE: entries of the table, at least 1
 * @reserved0: must be zero
 * @reserved: must be zero
 *
 * If the condition does not hold, the next packet is executed. The table has __u32 numbers as
 * @target has; a word beyond the last entry selects the last one. Words are read once, when the
 * packet executes. A JUMP outside of an INDIRECT is refused. A JUMP that fails or is refused ends
 * its INDIRECT, because what stands behind it may not be meant. Nothing limits how often packets
 * are executed again: a queue that goes in circles gives way to others as between any two packets,
 * and ends with STOP and ABORT.
 */
struct anpu_pkt_jump {
	struct anpu_pkt_header hdr;
	__u64 addr;
	__u64 value;
	__u64 mask;
	__u32 cond;
	__u32 width;
	__u32 target;
	__u32 reserved0;
	__u64 reserved[2];
};

/**
 * enum anpu_reduce_op - what REDUCE does to two elements
 * @ANPU_REDUCE_SUM: their sum. Integers wrap; floating-point sums are the exact sum rounded once,
 *	to nearest even, with infinity beyond the largest finite number; subnormal numbers are kept
 * @ANPU_REDUCE_MAX: the greater
 * @ANPU_REDUCE_MIN: the smaller
 * @ANPU_REDUCE_OP_COUNT: number of operations
 *
 * If an element is NaN, so is the result of each, and NaN results are 0x7fc00000 (F32), 0x7e00
 * (F16) and 0x7fc0 (BF16). +0 is greater than -0; their sum is +0, that of -0 and -0 is -0.
 */
enum anpu_reduce_op {
	ANPU_REDUCE_SUM = 0,
	ANPU_REDUCE_MAX,
	ANPU_REDUCE_MIN,
	ANPU_REDUCE_OP_COUNT
};

/**
 * enum anpu_reduce_type - elements of REDUCE
 * @ANPU_REDUCE_S8: signed integers of 8 bits
 * @ANPU_REDUCE_S16: signed integers of 16 bits
 * @ANPU_REDUCE_S32: signed integers of 32 bits
 * @ANPU_REDUCE_F16: IEEE binary16
 * @ANPU_REDUCE_BF16: bfloat16, the upper half of binary32
 * @ANPU_REDUCE_F32: IEEE binary32
 * @ANPU_REDUCE_TYPE_COUNT: number of types
 */
enum anpu_reduce_type {
	ANPU_REDUCE_S8 = 0,
	ANPU_REDUCE_S16,
	ANPU_REDUCE_S32,
	ANPU_REDUCE_F16,
	ANPU_REDUCE_BF16,
	ANPU_REDUCE_F32,
	ANPU_REDUCE_TYPE_COUNT
};

/**
 * ANPU_REDUCE_SIZE() - bytes of an element
 * @type: enum anpu_reduce_type
 */
#define ANPU_REDUCE_SIZE(type) \
	((type) == ANPU_REDUCE_S8 ? 1U : \
	 (type) == ANPU_REDUCE_S32 || (type) == ANPU_REDUCE_F32 ? 4U : 2U)

/**
 * struct anpu_pkt_reduce - ANPU_OP_REDUCE (since 1.3, ANPU_CAP_REDUCE)
 * @hdr: header; no flags
 * @src: address of the first source element, a multiple of the element's size
 * @dst: address of the first destination element, a multiple of the element's size
 * @size: bytes, a multiple of the element's size; 0 does nothing and touches nothing
 * @op: enum anpu_reduce_op
 * @type: enum anpu_reduce_type
 * @reserved: must be zero
 *
 * Each element of the destination, which must be readable and writable, becomes what the operation
 * makes of it and of the source's. @src may be @dst; if the ranges overlap in another way, the
 * destination's contents are unspecified. Elements are read and written without regard to what
 * others do to the destination meanwhile: who reduces to the same place waits for each other. Of a
 * REDUCE that fails, some elements may have been combined and others not.
 */
struct anpu_pkt_reduce {
	struct anpu_pkt_header hdr;
	__u64 src;
	__u64 dst;
	__u64 size;
	__u32 op;
	__u32 type;
	__u64 reserved[3];
};

/** ANPU_RANDOM_COUNT_AT - count is the address of the number, 8 bytes */
#define ANPU_RANDOM_COUNT_AT	(1 << 0)
/** ANPU_RANDOM_SEED_AT - seed is the address of the seed, 8 bytes */
#define ANPU_RANDOM_SEED_AT	(1 << 1)
/** ANPU_RANDOM_A_AT - a is the address of an element */
#define ANPU_RANDOM_A_AT	(1 << 2)
/** ANPU_RANDOM_B_AT - b is the address of an element */
#define ANPU_RANDOM_B_AT	(1 << 3)
#define ANPU_RANDOM_FLAGS	(ANPU_RANDOM_COUNT_AT | ANPU_RANDOM_SEED_AT | ANPU_RANDOM_A_AT | \
				 ANPU_RANDOM_B_AT)

/**
 * enum anpu_random_dist - distributions of RANDOM
 * @ANPU_RANDOM_BITMASK: bits, the lowest one of a byte first, that are 0 with probability @a (0 to
 *	1) and else 1; bits of the last byte that are not asked for are 0
 * @ANPU_RANDOM_UNIFORM: from @a up to and without @b; if they are equal, @a
 * @ANPU_RANDOM_NORMAL: mean @a, standard deviation @b
 * @ANPU_RANDOM_TRUNCATED_NORMAL: the same without what is more than 2 @b from @a
 * @ANPU_RANDOM_DIST_COUNT: number of distributions
 *
 * All are made of a sequence of words of 32 bits: word i is word i mod 4 of Philox4x32-10 under the
 * key @seed (its lower half first) for the number of 128 bits at @counter, plus i / 4. With w(i)
 * for that, element n is
 *
 * - BITMASK: bit n is 0 if w(n) < @a * 2^32;
 * - UNIFORM of 32 bits: @a + floor(w(n) * (@b - @a) / 2^32), of 64 bits likewise with
 *   w(2n) + w(2n + 1) * 2^32; floating point: @a + (@b - @a) * w(n) / 2^32, and if rounding makes
 *   it
 *   @b, the greatest number below;
 * - NORMAL: @a + @b * z(n), where z is sqrt(-2 ln u) cos v for even n and sqrt(-2 ln u) sin v for
 *   odd n, u = (w(m) + 1) / 2^32, v = 2 pi w(m + 1) / 2^32, m = n without its lowest bit;
 * - TRUNCATED_NORMAL: the same with the first z(n) of at most 2 among those of @counter,
 *   @counter + 2^64, @counter + 2 * 2^64, ...
 *
 * Floating-point elements are calculated in binary64, by the host's functions, and rounded to
 * binary32 and then to their type.
 */
enum anpu_random_dist {
	ANPU_RANDOM_BITMASK = 0,
	ANPU_RANDOM_UNIFORM,
	ANPU_RANDOM_NORMAL,
	ANPU_RANDOM_TRUNCATED_NORMAL,
	ANPU_RANDOM_DIST_COUNT
};

/**
 * enum anpu_random_type - elements of RANDOM; integers only of UNIFORM
 * @ANPU_RANDOM_S32: signed integers of 32 bits
 * @ANPU_RANDOM_S64: signed integers of 64 bits
 * @ANPU_RANDOM_U32: unsigned integers of 32 bits
 * @ANPU_RANDOM_U64: unsigned integers of 64 bits
 * @ANPU_RANDOM_F16: IEEE binary16
 * @ANPU_RANDOM_BF16: bfloat16, the upper half of binary32
 * @ANPU_RANDOM_F32: IEEE binary32
 * @ANPU_RANDOM_TYPE_COUNT: number of types
 */
enum anpu_random_type {
	ANPU_RANDOM_S32 = 0,
	ANPU_RANDOM_S64,
	ANPU_RANDOM_U32,
	ANPU_RANDOM_U64,
	ANPU_RANDOM_F16,
	ANPU_RANDOM_BF16,
	ANPU_RANDOM_F32,
	ANPU_RANDOM_TYPE_COUNT
};

/**
 * ANPU_RANDOM_SIZE() - bytes of an element
 * @type: enum anpu_random_type
 */
#define ANPU_RANDOM_SIZE(type) \
	((type) == ANPU_RANDOM_S64 || (type) == ANPU_RANDOM_U64 ? 8U : \
	 (type) == ANPU_RANDOM_F16 || (type) == ANPU_RANDOM_BF16 ? 2U : 4U)

/**
 * struct anpu_pkt_random - ANPU_OP_RANDOM (since 1.4, ANPU_CAP_RANDOM)
 * @hdr: header; ANPU_RANDOM_*_AT
 * @dst: address of the result, a multiple of the element's size; of a mask any
 * @count: elements, of a mask bits; 0 writes nothing
 * @counter: address of 16 bytes, which are read only
 * @seed: seed
 * @a: bits of the first parameter, an element, in the lowest bytes
 * @b: bits of the second parameter, likewise; 0 for a mask
 * @dist: enum anpu_random_dist
 * @type: enum anpu_random_type; of a mask that of its parameter
 * @reserved: must be zero
 *
 * Addresses need not be aligned. What lies in memory is read when the packet executes, and before
 * anything is written; parameters that make no sense are a fault of cause ANPU_FAULT_BAD_PACKET.
 */
struct anpu_pkt_random {
	struct anpu_pkt_header hdr;
	__u64 dst;
	__u64 count;
	__u64 counter;
	__u64 seed;
	__u64 a;
	__u64 b;
	__u8 dist;
	__u8 type;
	__u8 reserved[6];
};

/**
 * union anpu_packet - any packet
 * @hdr: header
 * @kernel: ANPU_OP_KERNEL
 * @copy: ANPU_OP_COPY
 * @copy_2d: ANPU_OP_COPY_2D
 * @copy_desc: ANPU_OP_COPY_DESC
 * @fill: ANPU_OP_FILL
 * @sem_signal: ANPU_OP_SEM_SIGNAL
 * @sem_wait: ANPU_OP_SEM_WAIT
 * @timestamp: ANPU_OP_TIMESTAMP
 * @notify: ANPU_OP_NOTIFY
 * @indirect: ANPU_OP_INDIRECT
 * @jump: ANPU_OP_JUMP
 * @reduce: ANPU_OP_REDUCE
 * @random: ANPU_OP_RANDOM
 * @qword: the 64 bytes as words
 */
union anpu_packet {
	struct anpu_pkt_header hdr;
	struct anpu_pkt_kernel kernel;
	struct anpu_pkt_copy copy;
	struct anpu_pkt_copy_2d copy_2d;
	struct anpu_pkt_copy_desc copy_desc;
	struct anpu_pkt_fill fill;
	struct anpu_pkt_sem_signal sem_signal;
	struct anpu_pkt_sem_wait sem_wait;
	struct anpu_pkt_timestamp timestamp;
	struct anpu_pkt_notify notify;
	struct anpu_pkt_indirect indirect;
	struct anpu_pkt_jump jump;
	struct anpu_pkt_reduce reduce;
	struct anpu_pkt_random random;
	__u64 qword[8];
};

/**
 * enum anpu_fault_cause - why a packet or an operator failed
 *
 * Packet faults (no operator was running)
 * @ANPU_FAULT_NONE: no fault
 * @ANPU_FAULT_BAD_OPCODE: unknown opcode
 * @ANPU_FAULT_BAD_PACKET: a flag, reserved field or parameter is out of range; the message names it
 * @ANPU_FAULT_BAD_DOORBELL: the write index moved backwards or past the ring; the queue halts
 * @ANPU_FAULT_BAD_CONTEXT: the queue context was refused at START
 * @ANPU_FAULT_WAIT_TIMEOUT: a SEM_WAIT expired
 * @ANPU_FAULT_KILLED: the queue was stopped or the device reset while the packet ran
 * @ANPU_FAULT_ENDED: the packet alone was ended, on request (since 1.5)
 *
 * Memory faults (packets and operators)
 * @ANPU_FAULT_UNMAPPED: the address space does not map the address
 * @ANPU_FAULT_PERMISSION: the mapping does not allow the access
 * @ANPU_FAULT_BAD_PTE: a page table entry is malformed or leaves the HBM
 * @ANPU_FAULT_BUS: the system memory behind a mapping cannot be reached
 * @ANPU_FAULT_MISALIGNED: the address is not aligned as the access needs
 *
 * Operator faults
 * @ANPU_FAULT_FETCH: the program counter left executable memory
 * @ANPU_FAULT_ILLEGAL: illegal or unsupported instruction
 * @ANPU_FAULT_BREAKPOINT: ebreak
 * @ANPU_FAULT_TRAP: the operator executed TRAP; the message is its reason
 * @ANPU_FAULT_ASSERT: the operator's assert failed; the message is the asserted text
 * @ANPU_FAULT_TIMEOUT: the kernel, or another long packet, ran longer than its limit
 * @ANPU_FAULT_SCRATCHPAD: an access outside a scratchpad window
 * @ANPU_FAULT_STACK: the stack overflowed into its guard
 * @ANPU_FAULT_OPERAND: a tile operation's operand is refused; the message names it
 * @ANPU_FAULT_SYNC: a flag or barrier was waited for that nothing has set, or set too often
 * @ANPU_FAULT_DEADLOCK: all running blocks wait for each other
 * @ANPU_FAULT_UNINITIALISED: checking mode: a scratchpad location was read before it was written
 * @ANPU_FAULT_RACE: checking mode: two pipes touched a location without synchronisation
 * @ANPU_FAULT_INTERNAL: the device ran out of host resources; not the program's mistake
 * @ANPU_FAULT_COUNT: number of causes
 */
enum anpu_fault_cause {
	ANPU_FAULT_NONE = 0,
	ANPU_FAULT_BAD_OPCODE,
	ANPU_FAULT_BAD_PACKET,
	ANPU_FAULT_BAD_DOORBELL,
	ANPU_FAULT_BAD_CONTEXT,
	ANPU_FAULT_WAIT_TIMEOUT,
	ANPU_FAULT_KILLED,
	ANPU_FAULT_ENDED,
	ANPU_FAULT_UNMAPPED = 16,
	ANPU_FAULT_PERMISSION,
	ANPU_FAULT_BAD_PTE,
	ANPU_FAULT_BUS,
	ANPU_FAULT_MISALIGNED,
	ANPU_FAULT_FETCH = 32,
	ANPU_FAULT_ILLEGAL,
	ANPU_FAULT_BREAKPOINT,
	ANPU_FAULT_TRAP,
	ANPU_FAULT_ASSERT,
	ANPU_FAULT_TIMEOUT,
	ANPU_FAULT_SCRATCHPAD,
	ANPU_FAULT_STACK,
	ANPU_FAULT_OPERAND,
	ANPU_FAULT_SYNC,
	ANPU_FAULT_DEADLOCK,
	ANPU_FAULT_UNINITIALISED,
	ANPU_FAULT_RACE,
	ANPU_FAULT_INTERNAL,
	ANPU_FAULT_COUNT
};

/** ANPU_ACCESS_READ - the faulting access read memory */
#define ANPU_ACCESS_READ	1
/** ANPU_ACCESS_WRITE - the faulting access wrote memory */
#define ANPU_ACCESS_WRITE	2
/** ANPU_ACCESS_FETCH - the faulting access fetched an instruction */
#define ANPU_ACCESS_FETCH	4

/** ANPU_FAULT_NO_BLOCK - block number of a fault outside an operator */
#define ANPU_FAULT_NO_BLOCK	0xffffffffU
/** ANPU_FAULT_NO_INDIRECT - ib_index of a packet that stood in the ring itself */
#define ANPU_FAULT_NO_INDIRECT	0xffffffffU

/**
 * struct anpu_fault - one failure, as the device writes it
 * @ordinal: 1 for the queue's first failure, 2 for the second and so on; written last, so that a
 *	reader who sees it change sees the whole record
 * @seq: sequence number of the packet in its queue
 * @time_ns: device clock
 * @task_id: of the packet
 * @cause: enum anpu_fault_cause
 * @queue: number of the queue
 * @asid: address space
 * @opcode: of the packet
 * @core_type: enum anpu_core_type of the faulting sub-block
 * @reserved0: zero
 * @ib_index: index inside an INDIRECT packet or ANPU_FAULT_NO_INDIRECT
 * @args_size: bytes of a kernel's argument block, 0 for other packets
 * @entry: kernel entry address, 0 for other packets
 * @pc: address of the faulting instruction, 0 outside an operator
 * @addr: faulting address, 0 if none
 * @access: ANPU_ACCESS_* or 0
 * @size: bytes of the access or 0
 * @block: linear block number or ANPU_FAULT_NO_BLOCK
 * @sub_block: 0 for the cube or only sub-block, 1 and up for vector sub-blocks
 * @core: AI core
 * @insn: the instruction word, 0 if none
 * @args: address of a kernel's argument block, 0 for other packets
 * @reserved: zero
 * @message: a sentence in ASCII, zero-terminated, made by the device or the operator
 * @x: the block's integer registers; x[0] holds instructions retired by the block
 */
struct anpu_fault {
	__u64 ordinal;
	__u64 seq;
	__u64 time_ns;
	__u32 task_id;
	__u32 cause;
	__u16 queue;
	__u16 asid;
	__u8 opcode;
	__u8 core_type;
	__u16 reserved0;
	__u32 ib_index;
	__u32 args_size;
	__u64 entry;
	__u64 pc;
	__u64 addr;
	__u32 access;
	__u32 size;
	__u32 block;
	__u32 sub_block;
	__u32 core;
	__u32 insn;
	__u64 args;
	__u64 reserved[3];
	char message[128];
	__u64 x[32];
};

/**
 * enum anpu_queue_state - state of a queue
 * @ANPU_QUEUE_STOPPED: not started, or stopped by the driver
 * @ANPU_QUEUE_RUNNING: executing packets or empty
 * @ANPU_QUEUE_PARKED: the oldest packet waits (SEM_WAIT, NOTIFY)
 * @ANPU_QUEUE_HALTED: a failure stopped it (failure mode STOP, or a bad doorbell)
 * @ANPU_QUEUE_REFUSED: START refused the context
 */
enum anpu_queue_state {
	ANPU_QUEUE_STOPPED = 0,
	ANPU_QUEUE_RUNNING,
	ANPU_QUEUE_PARKED,
	ANPU_QUEUE_HALTED,
	ANPU_QUEUE_REFUSED
};

/** ANPU_STATUS_FAULTS - fault records in a status page */
#define ANPU_STATUS_FAULTS	7

/**
 * struct anpu_queue_status - a queue's status page, 4096 bytes, written only by the device
 * @completed: packets completed since START: the read index of the ring, and the sequence number
 *	of the newest completed packet
 * @started: sequence number of the newest packet that began to execute
 * @errors: packets that failed
 * @state: enum anpu_queue_state
 * @first_cause: enum anpu_fault_cause of the first failure, 0 if none
 * @first_seq: sequence number of the first failed packet
 * @polling: not 0 while the device promises to look at struct anpu_queue_control's wptr again
 *	before it sleeps, so that a doorbell may be left out
 * @reserved0: zero
 * @busy_ns: time spent executing packets (not parked)
 * @kernels: KERNEL packets executed
 * @copy_bytes: bytes written by COPY packets, FILL, REDUCE and RANDOM
 * @commands: commands ABORT, HALT_ON_FAILURE, GO_ON, END_TASK, PRIORITY that have taken effect
 *	(since 1.1, the latter two since 1.5)
 * @refresh: commands REFRESH carried out times 2, plus 1 if the queue had nothing to do then: no
 *	packet in hand and none to fetch (since 1.2)
 * @cube_ns: time that AI cores have had blocks of this queue's operators, as BUSY_CUBE counts it,
 *	which is the sum over all queues; a block that executes adds to it now and then (since 1.7,
 *	ANPU_CAP_QUEUE_BUSY)
 * @vector_ns: the same of the vector unit
 * @reserved: zero
 * @fault: record 0 is the first failure and is kept; later failures n (from 2) overwrite record
 *	1 + (n - 2) % (ANPU_STATUS_FAULTS - 1)
 */
struct anpu_queue_status {
	__u64 completed;
	__u64 started;
	__u64 errors;
	__u32 state;
	__u32 first_cause;
	__u64 first_seq;
	__u32 polling;
	__u32 reserved0;
	__u64 busy_ns;
	__u64 kernels;
	__u64 copy_bytes;
	__u64 commands;
	__u64 refresh;
	__u64 cube_ns;
	__u64 vector_ns;
	__u64 reserved[51];
	struct anpu_fault fault[ANPU_STATUS_FAULTS];
};

/**
 * struct anpu_queue_control - a queue's control page, 4096 bytes, written only by the submitter
 * @wptr: packets ever written into the ring; store it (release) before the doorbell
 * @reserved0: zero
 * @irq_at: send one ANPU_EVENT_COMPLETED when completed reaches this value; 0 for none
 * @reserved: zero
 *
 * To wait by interrupt: store irq_at, issue a full memory barrier, read completed; sleep only if it
 * is still smaller. The device stores completed, issues a full barrier, then reads irq_at.
 *
 * To leave out the doorbell: store wptr, issue a full memory barrier, read polling; ring only if it
 * is zero. The device clears polling, issues a full barrier, then reads wptr once more.
 */
struct anpu_queue_control {
	__u64 wptr;
	__u64 reserved0[7];
	__u64 irq_at;
	__u64 reserved[503];
};

/* Output of operators ------------------------------------------------------------------------- */

/**
 * struct anpu_print_buffer - where the device puts the texts that operators print
 * @ring: virtual address of the ring of records
 * @size: bytes of the ring, 0 for none: a multiple of 8, at most ANPU_PRINT_MAX
 * @head: bytes ever written into the ring, by the device; stored (release) after the record
 * @lost: texts for which there was no room
 * @lost_bytes: their bytes
 * @reserved0: zero
 * @tail: bytes ever read from the ring, by the reader; stored (release) after the reading
 * @reserved1: zero
 *
 * Byte i of the stream of records stands at ring + i mod size. The device looks at all of it anew
 * for each text, so the reader may give it another ring at a time when no operator runs. A buffer
 * whose numbers make no sense (a size that is not allowed, head or tail not a multiple of 8, more
 * than size bytes between them) has no room. Queues of one address space may share a buffer.
 */
struct anpu_print_buffer {
	__u64 ring;
	__u64 size;
	__u64 head;
	__u64 lost;
	__u64 lost_bytes;
	__u64 reserved0[3];
	__u64 tail;
	__u64 reserved1[7];
};

/** ANPU_PRINT_MAX - most bytes of its ring */
#define ANPU_PRINT_MAX		(1ULL << 30)
/** ANPU_PRINT_ALIGN - alignment of the buffer */
#define ANPU_PRINT_ALIGN	128

/**
 * struct anpu_print_record - one PRINT of an operator; the text follows, then zeros up to 8 bytes
 * @size: bytes of the text, without a terminator
 * @queue: the device's queue
 * @reserved: zero
 * @task_id: of the KERNEL packet
 * @block: block that printed it
 * @sub_block: sub-block of a MIX kernel, else zero
 * @core: AI core it ran on
 * @time_ns: device clock
 */
struct anpu_print_record {
	__u32 size;
	__u16 queue;
	__u16 reserved;
	__u32 task_id;
	__u32 block;
	__u32 sub_block;
	__u32 core;
	__u64 time_ns;
};

/* Sizes and offsets are asserted by anpu_packet_check.h. */
#if defined(__cplusplus)
#define ANPU_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define ANPU_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

#define ANPU_CHECK_SIZE(type, size) \
	ANPU_STATIC_ASSERT(sizeof(type) == (size), "sizeof(" #type ") is not " #size)
#define ANPU_CHECK_OFFSET(type, field, offset) \
	ANPU_STATIC_ASSERT(__builtin_offsetof(type, field) == (offset), \
			   #type "." #field " is not at " #offset)

#endif /* ANPU_PACKET_H */
