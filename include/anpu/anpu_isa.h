/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ANPU instruction set: the contract between operator code and the AI core.
 *
 * Included by operator code (freestanding clang for riscv64, C and C++), by the compiler driver and
 * by the device model. It needs only <stdint.h>; with __ASSEMBLER__ only the macros are seen. The
 * tables are X-macros: the decoder of the model, the operator intrinsics and the tables in
 * Documentation/isa-tables.md all come from them. The prose is Documentation/isa.md.
 *
 * Scalar instructions: RV64 I, M, A, F, D, Zfh, Zicsr, Zifencei, amocas; no C. All code is made of
 * 4-byte instructions at 4-byte aligned addresses; the ABI is lp64d. Tile operations stand in
 * custom-0, synchronisation and host services in custom-1.
 *
 * Rule for adding: new operations, sub-operations, CSRs and flags take unused numbers and
 * ANPU_ISA_VERSION's low byte goes up. Unused bits and operands must be zero in operator code; the
 * core refuses others, so that a later version can give them a meaning.
 */
#ifndef ANPU_ISA_H
#define ANPU_ISA_H

#ifndef __ASSEMBLER__
#include <stdint.h>
#endif

/** ANPU_ISA_VERSION - bits 15:8 major, 7:0 minor; CSR isaver, bits 47:32 of ANPU_REG_VERSION */
#define ANPU_ISA_VERSION	0x010a

/* Core-local memory ---------------------------------------------------------------------------- *
 *
 * Virtual addresses below 4 GiB are core-local: each block has its own, zero when it starts.
 * Addresses from 4 GiB on are global memory (GM), translated by the page tables.
 */

/** ANPU_GM_BASE - first address of global memory */
#define ANPU_GM_BASE		0x100000000

/**
 * ANPU_WINDOWS(X) - the windows; X(name, base, bytes, meaning)
 */
#define ANPU_WINDOWS(X) \
	X(UB,	 0x00100000, 0x40000, "unified buffer: operands of the vector unit") \
	X(L1,	 0x00200000, 0x80000, "staging buffer of the cube unit") \
	X(L0A,	 0x00300000, 0x10000, "left matrix of MMAD") \
	X(L0B,	 0x00380000, 0x10000, "right matrix of MMAD") \
	X(L0C,	 0x00400000, 0x20000, "result matrix of MMAD") \
	X(BT,	 0x00440000, 0x01000, "bias table of MMAD") \
	X(FB,	 0x00450000, 0x02000, "quantisation parameters of FIXPIPE") \
	X(STACK, 0x00500000, 0x08000, "stack of the scalar unit, grows down")

#define ANPU_UB_BASE		0x00100000
#define ANPU_UB_SIZE		0x40000
/*
 * Bytes of UB that code of Ascend C uses, by the generation that it is compiled for (__NPU_ARCH__): there, a kernel with
 * buffers for more is refused as on such a device.
 */
#define ANPU_UB_2201		0x30000
#define ANPU_UB_3510		0x3e000
#define ANPU_UB_2002		0x40000
#define ANPU_L1_BASE		0x00200000
#define ANPU_L1_SIZE		0x80000
#define ANPU_L0A_BASE		0x00300000
#define ANPU_L0A_SIZE		0x10000
#define ANPU_L0B_BASE		0x00380000
#define ANPU_L0B_SIZE		0x10000
#define ANPU_L0C_BASE		0x00400000
#define ANPU_L0C_SIZE		0x20000
#define ANPU_BT_BASE		0x00440000
#define ANPU_BT_SIZE		0x01000
#define ANPU_FB_BASE		0x00450000
#define ANPU_FB_SIZE		0x02000
#define ANPU_STACK_BASE		0x00500000
#define ANPU_STACK_SIZE		0x08000
/** ANPU_STACK_TOP - the stack pointer at kernel entry, 16-byte aligned */
#define ANPU_STACK_TOP		(ANPU_STACK_BASE + ANPU_STACK_SIZE)
/** ANPU_STACK_GUARD - an access to this many bytes below the stack is a stack overflow */
#define ANPU_STACK_GUARD	0x10000

/** ANPU_LOCAL_ALIGN - alignment of scratchpad operands of tile operations, bytes: one data block */
#define ANPU_LOCAL_ALIGN	32
/** ANPU_REPEAT_BYTES - bytes that one repeat of VREP works on: eight data blocks */
#define ANPU_REPEAT_BYTES	256

/* Checking mode --------------------------------------------------------------------------------- *
 *
 * What a runtime writes into global memory for launches with ANPU_KERNEL_CHECK; memory without it is checked
 * like that of a runtime which does not know of it.
 */

/** ANPU_UNWRITTEN - word of memory that nothing has written, a signalling NaN in each format */
#define ANPU_UNWRITTEN		0xffa5ffa5u

/**
 * struct anpu_check_mark - says which bytes of a page of 4 KiB are allocated
 * @key: ANPU_MARK_KEY() of the page's address
 * @bound: @key plus a number of bytes
 *
 * In the first 16 bytes of a page @bound is where the allocated bytes begin, at 16 or more; in its last 16
 * bytes it is where they end.
 */
struct anpu_check_mark {
	uint64_t key;
	uint64_t bound;
};

/** ANPU_CHECK_USES_MAX - ranges that a struct anpu_check_uses has at most */
#define ANPU_CHECK_USES_MAX	32

/**
 * struct anpu_check_ask - behind the arguments, at the next multiple of 8
 * @key: ANPU_MARK_KEY() of the arguments' address
 * @uses: address of a struct anpu_check_uses, which the device may write
 */
struct anpu_check_ask {
	uint64_t key;
	uint64_t uses;
};

/** ANPU_CHECK_PARTS - flag: behind all struct anpu_check_use are as many struct anpu_check_part */
#define ANPU_CHECK_PARTS	1u

/**
 * struct anpu_check_uses - ranges of global memory; @count times struct anpu_check_use follow
 * @count: of ranges, at most ANPU_CHECK_USES_MAX
 * @flags: ANPU_CHECK_PARTS or 0
 * @ticket: the runtime's
 */
struct anpu_check_uses {
	uint32_t count;
	uint32_t flags;
	uint64_t ticket;
};

/** struct anpu_check_use - the device sets ANPU_ACCESS_READ or _WRITE in @access when the kernel does that there */
struct anpu_check_use {
	uint64_t va;
	uint64_t size;
	uint32_t access;
	uint32_t reserved;
};

/**
 * struct anpu_check_part - which part of a range the blocks that have ended have used; all 0: that is not known
 * @low: the complement of the first byte's offset in the range
 * @high: the offset behind the last byte
 * @write_low: as @low, of what they have written
 * @write_high: as @high, of that
 *
 * The device only ever raises them.
 */
struct anpu_check_part {
	uint64_t low;
	uint64_t high;
	uint64_t write_low;
	uint64_t write_high;
};

#define ANPU_MARK_KEY(page)	(((uint64_t)(page) ^ 0xa5c3d18e279bf046u) * 0x9e3779b97f4a7c15u)

/* Kernel entry --------------------------------------------------------------------------------- *
 *
 * A block starts with pc = the packet's entry, a0 = address of the argument block, a1 = its size in
 * bytes, sp = ANPU_STACK_TOP, ra = ANPU_EXIT_PC, every other integer and floating-point register 0,
 * fcsr 0, custom CSRs at their reset values, core-local memory zero. Returning, that is, jumping to
 * ANPU_EXIT_PC, ends the block, and so does EXIT. Every parameter of a kernel takes one 8-byte slot
 * of the argument block (larger ones as many as they need); a thunk made by the compiler driver,
 * ANPU_ENTRY_PREFIX + kernel name, loads them into the C function's registers.
 */
#define ANPU_EXIT_PC		0xfffffffffffff000
#define ANPU_ENTRY_PREFIX	"__anpu_entry_"

/*
 * The function of anpu_printf() that reads a text first, which has the address behind the call of anpu_printf() in this register: a
 * text that is not there is told with the line of that call.
 */
#define ANPU_PRINTF_READS	"__anpu_printf_reads"
#define ANPU_PRINTF_CALLER	12 /* a2 */
#define ANPU_ARG_SLOT		8

/* Operator files ------------------------------------------------------------------------------- *
 *
 * ELF64, little-endian, ET_DYN, EM_RISCV, float ABI double, no RVC. Only R_RISCV_RELATIVE
 * relocations. Every kernel is a STT_FUNC symbol in .symtab, with its entry thunk beside it, and
 * has a section .ascend.meta.<kernel>: records {uint16_t type, uint16_t length, value[length]},
 * each following the other without padding. Unknown record types are skipped.
 */
#define ANPU_META_PREFIX	".ascend.meta."

/*
 * Variables in a section of this name, in a writable segment, are for the host's program, too: whoever loads the file puts
 * their pages where both have them at one address. The device makes no difference between these and other variables.
 */
#define ANPU_MANAGED_SECTION	".ascend.managed"

/** ANPU_META_RECORDS(X) - X(name, type, value, meaning) */
#define ANPU_META_RECORDS(X) \
	X(KERNEL_TYPE,	1,	"uint32_t", "ANPU_META_TYPE_*: which part of the core runs it") \
	X(CROSS_SYNC,	2,	"uint32_t", "1: the kernel uses cross-core synchronisation") \
	X(MIX_RATIO,	3,	"uint16_t[2]", "cube and vector sub-blocks per block") \
	X(STACK_SIZE,	8,	"uint32_t", "bytes of stack needed, at most ANPU_STACK_SIZE") \
	X(TILING_KEY,	14,	"uint64_t", "tiling key that selects this entry") \
	X(BLOCK_COUNT,	15,	"uint32_t", "number of blocks the kernel wants, 0: any") \
	X(SCHED_MODE,	18,	"uint32_t", "enum anpu_sched_mode") \
	X(ISA_VERSION,	0x8000,	"uint32_t", "ANPU_ISA_VERSION the code was built for") \
	X(PARAMS,	0x8001,	"struct anpu_meta_param[]", "layout of the argument block") \
	X(PARAM_NAMES,	0x8002,	"char[]", "parameter names, each zero-terminated, in order") \
	X(PRODUCER,	0x8003,	"char[]", "name and version of the compiler driver") \
	X(PARAM_TYPES,	0x8004,	"char[]", "parameter types as in the source, each zero-terminated, in order") \
	X(THREADS,	0x8005,	"uint32_t", "the kernel has threads: most of a block, 1 to ANPU_MAX_THREADS; launched with ANPU_KERNEL_LAUNCH only") \
	X(SHARED_SIZE,	0x8006,	"uint32_t", "bytes of static shared variables, struct anpu_kernel_launch's static_scratch") \
	X(CLUSTER,	0x8007,	"uint32_t[3]", "blocks of a cluster in x, y, z that the kernel is written for")

/* values of the KERNEL_TYPE record */
#define ANPU_META_TYPE_AICORE	1
#define ANPU_META_TYPE_AIC	2
#define ANPU_META_TYPE_AIV	3
#define ANPU_META_TYPE_MIX_AIC	4
#define ANPU_META_TYPE_MIX_AIV	5
/* the two halves of a MIX kernel */
#define ANPU_MIX_AIC_SUFFIX	"_mix_aic"
#define ANPU_MIX_AIV_SUFFIX	"_mix_aiv"

/* CSRs ----------------------------------------------------------------------------------------- */

/** ANPU_CSRS(X) - X(name, number, access, reset, meaning) */
#define ANPU_CSRS(X) \
	X(fflags,	0x001, RW, "0", "floating-point exception flags NX UF OF DZ NV") \
	X(frm,		0x002, RW, "0", "dynamic rounding mode of the scalar unit") \
	X(fcsr,		0x003, RW, "0", "frm << 5 | fflags") \
	X(cycle,	0xc00, RO, "-", "instructions retired by the block plus tile operations") \
	X(time,		0xc01, RO, "-", "device clock in nanoseconds") \
	X(instret,	0xc02, RO, "-", "instructions retired by the block") \
	X(blockidx,	0xcc0, RO, "-", "linear block number, x fastest") \
	X(blocknum,	0xcc1, RO, "-", "number of blocks: gridx * gridy * gridz") \
	X(subblockidx,	0xcc2, RO, "-", "MIX: number among the vector sub-blocks; else 0") \
	X(coreid,	0xcc3, RO, "-", "AI core the block started on") \
	X(subblocknum,	0xcc4, RO, "-", "MIX: vector sub-blocks per block; else 1") \
	X(args,		0xcc5, RO, "-", "address of the argument block") \
	X(argssize,	0xcc6, RO, "-", "bytes of the argument block") \
	X(gridx,	0xcc7, RO, "-", "blocks in x") \
	X(gridy,	0xcc8, RO, "-", "blocks in y") \
	X(gridz,	0xcc9, RO, "-", "blocks in z") \
	X(dynbase,	0xcca, RO, "-", "first address of the dynamic part of UB (its end)") \
	X(dynsize,	0xccb, RO, "-", "bytes of UB reserved for dynamic use by the launch") \
	X(cores,	0xccc, RO, "-", "AI cores of the device") \
	X(taskid,	0xccd, RO, "-", "task number of the launch") \
	X(coretype,	0xcce, RO, "-", "0 whole core, 1 cube sub-block, 2 vector sub-block") \
	X(isaver,	0xccf, RO, "-", "ANPU_ISA_VERSION of the device") \
	X(clusterx,	0xcd0, RO, "-", "cluster size in x, at least 1") \
	X(clustery,	0xcd1, RO, "-", "cluster size in y, at least 1") \
	X(clusterz,	0xcd2, RO, "-", "cluster size in z, at least 1") \
	X(checking,	0xcd3, RO, "-", "1: the launch is in the checking mode; else 0") \
	X(fpctl,	0x800, RW, "launch flag", "ANPU_FPCTL_*: overflow behaviour of tile operations") \
	X(vmask0,	0x801, RW, "all ones", "vector mask, elements 0 to 63 of a repeat") \
	X(vmask1,	0x802, RW, "all ones", "vector mask, elements 64 to 127 of a repeat") \
	X(padval,	0x803, RW, "0", "8-byte pattern that padding copies fill with") \
	X(atomic,	0x804, RW, "0", "ANPU_ATOMIC(): what copies to GM do to the destination") \
	X(quant,	0x805, RW, "0", "fp32 scale (bits 31:0) and s16 offset (47:32) of FIXPIPE, VCVT") \
	X(selmask,	0x806, RW, "0", "UB address of the bit mask that VSEL reads") \
	X(cmpmask0,	0x807, RW, "0", "compare mask, elements 0 to 63") \
	X(cmpmask1,	0x808, RW, "0", "compare mask, elements 64 to 127") \
	X(bias,		0x809, RW, "0", "BT address of the bias row that MMAD adds") \
	X(vcount,	0x80a, RW, "0", "elements written by the last VGMASK; records the last VMRG took from each list, 16 bits each") \
	X(accval,	0x80b, RW, "0", "result of the last whole reduction: value 31:0, index 63:32") \
	X(cubeuse,	0x80c, RW, "0", "vector sub-block of a MIX kernel: 1 lets it use a cube unit")

/** ANPU_FPCTL_SATURATE - overflow gives the largest finite number and NaN gives 0, not INF/NAN */
#define ANPU_FPCTL_SATURATE	0x1
#define ANPU_FPCTL_MASK		0x1

/** ANPU_ATOMIC - value of CSR atomic: operation (ANPU_ATOM_*) and data type */
#define ANPU_ATOMIC(op, type)	((op) | (type) << 8)

/* Data types ----------------------------------------------------------------------------------- */

/** ANPU_TYPES(X) - X(name, number, bits, meaning) */
#define ANPU_TYPES(X) \
	X(F32,	0, 32, "IEEE binary32") \
	X(F16,	1, 16, "IEEE binary16") \
	X(BF16,	2, 16, "bfloat16: the upper half of binary32") \
	X(S8,	4, 8, "signed integer") \
	X(U8,	5, 8, "unsigned integer") \
	X(S16,	6, 16, "signed integer") \
	X(U16,	7, 16, "unsigned integer") \
	X(S32,	8, 32, "signed integer") \
	X(U32,	9, 32, "unsigned integer") \
	X(S64,	10, 64, "signed integer") \
	X(U64,	11, 64, "unsigned integer") \
	X(S4,	12, 4, "signed integer, two in a byte, low half first")
#define ANPU_TYPE_COUNT		13

/** ANPU_ROUNDS(X) - rounding modes of tile operations; X(name, number, meaning) */
#define ANPU_ROUNDS(X) \
	X(NONE,	0, "exact conversions; else as RINT to floating point, as TRUNC to integers") \
	X(RINT,	1, "to nearest, ties to even") \
	X(FLOOR, 2, "towards minus infinity") \
	X(CEIL,	3, "towards plus infinity") \
	X(ROUND, 4, "to nearest, ties away from zero") \
	X(TRUNC, 5, "towards zero") \
	X(ODD,	6, "to odd (von Neumann): towards zero, then the last bit set if inexact")

/* Pipes ---------------------------------------------------------------------------------------- */

/** ANPU_PIPES(X) - X(name, number, meaning) */
#define ANPU_PIPES(X) \
	X(S,	0, "scalar unit") \
	X(V,	1, "vector unit") \
	X(M,	2, "cube unit") \
	X(MTE1,	3, "L1 to L0A, L0B, BT, FB, UB") \
	X(MTE2,	4, "GM to scratchpads") \
	X(MTE3,	5, "UB to GM and L1") \
	X(ALL,	6, "every pipe") \
	X(FIX,	10, "L0C to GM, L1, UB")
/** ANPU_PIPE_DIR - in the table of operations: the pipe follows from source and destination */
#define ANPU_PIPE_DIR		31
#define ANPU_PIPE_COUNT		11
/** ANPU_EVENT_IDS - events per pair of pipes */
#define ANPU_EVENT_IDS		8
/** ANPU_FLAG_MAX - a flag counts up to this many sets that nobody has waited for */
#define ANPU_FLAG_MAX		15
/** ANPU_CROSS_FLAGS - cross-core flags */
#define ANPU_CROSS_FLAGS	16

/* Tile operations: custom-0, R4-type ------------------------------------------------------------ *
 *
 * .insn r4 ANPU_OPC_TILE, number & 7, number >> 3, rd, rs1, rs2, rs3
 *
 * All four registers are sources. Roles in the table: "dst", "src", "src0", "src1", "index" and
 * "mask" are addresses; "scalar" is a value of the operation's type in the low bits; "ctl" is
 * a control word (below); "desc" is the address of a 32-byte descriptor, 8-byte aligned, in any
 * readable memory; "0" must be zero; others are packed words, below.
 */
#define ANPU_OPC_TILE		0x0b

/**
 * ANPU_TILE_OPS(X) - X(name, number, pipe, rs1, rs2, rs3, rd, built, meaning); "built" is 1 if this
 * version implements it, else it traps with ANPU_FAULT_ILLEGAL
 */
#define ANPU_TILE_OPS(X) \
	X(DMA_LIN,	0,  DIR, "dst", "src", "bytes", "0", 1, "copy, a multiple of 32 bytes") \
	X(DMA_BURST,	1,  DIR, "dst", "src", "bursts", "0", 1, "copy bursts of 32-byte blocks with gaps") \
	X(DMA_PAD,	2,  DIR, "dst", "src", "padbursts", "gaps", 1, "copy bursts of any length, padding to blocks") \
	X(DMA_ND2NZ,	3,  MTE2, "dst", "src", "desc", "ctl", 1, "GM to L1, row-major to fractal layout") \
	X(DMA_ATOM,	4,  MTE3, "dst", "src", "0", "ctl", 1, "UB to GM, atomic add, max or min per element") \
	X(DMA_FILL,	5,  DIR, "dst", "bytes", "pattern", "0", 1, "fill a scratchpad with an 8-byte pattern") \
	X(VBIN,		6,  V, "dst", "src0", "src1", "ctl", 1, "dst = src0 op src1") \
	X(VBINS,	7,  V, "dst", "src0", "scalar", "ctl", 1, "dst = src0 op scalar") \
	X(VUN,		8,  V, "dst", "src", "0", "ctl", 1, "dst = op src") \
	X(VTRI,		9,  V, "dst", "src0", "src1", "ctl", 1, "dst = op (dst, src0, src1)") \
	X(VCVT,		10, V, "dst", "src", "0", "ctl", 1, "convert from type2 to type") \
	X(VDUP,		11, V, "dst", "scalar", "0", "ctl", 1, "dst = scalar") \
	X(VCMP,		12, V, "dst", "src0", "src1", "ctl", 1, "dst = bits of (src0 cond src1)") \
	X(VSEL,		13, V, "dst", "src0", "src1", "ctl", 1, "dst = mask bit ? src0 : src1") \
	X(VRED,		14, V, "dst", "src", "0", "ctl", 1, "reduce to sum, max or min, with index if wanted") \
	X(VGATHER,	15, V, "dst", "src", "index", "ctl", 1, "dst[i] = element at src + index[i] bytes") \
	X(VSCATTER,	16, V, "dst", "src", "index", "ctl", 1, "element at dst + index[i] bytes = src[i]") \
	X(VGMASK,	17, V, "dst", "src", "mask", "ctl", 1, "gather the elements whose mask bit is set") \
	X(VBRC,		18, V, "dst", "src", "shape", "ctl", 1, "broadcast elements to blocks, rows or columns") \
	X(VTRANS,	19, V, "dst", "src", "shape", "ctl", 1, "transpose a matrix") \
	X(VIOTA,	20, V, "dst", "scalar", "scalar", "ctl", 1, "dst[i] = first + i * step") \
	X(VSORT,	21, V, "dst", "src", "index", "ctl", 1, "sort groups of 32, descending, with index") \
	X(VMRG,		22, V, "dst", "0", "desc", "ctl", 1, "merge up to four sorted lists") \
	X(VREP,		23, V, "dst", "src0", "src1", "desc", 1, "a vector operation with repeats, strides and mask") \
	X(LOAD2D,	24, MTE1, "dst", "src", "load2d", "ctl", 1, "fractals from L1 or GM to L0A or L0B") \
	X(LOAD3D,	25, MTE1, "dst", "src", "desc", "ctl", 1, "image to column from L1 to L0A") \
	X(MMAD,		26, M, "dst", "src0", "src1", "mmad", 1, "L0C = [L0C +] L0A x L0B [+ bias]") \
	X(FIXPIPE,	27, FIX, "dst", "src", "desc", "ctl", 1, "L0C to GM, L1 or UB with conversion and layout") \
	X(VTRANSB,	28, V, "dsts", "srcs", "repeats", "ctl", 1, "transpose 16 blocks that lie anywhere, with repeats (since 1.10)")
#define ANPU_TILE_OP_COUNT	32

/*
 * Control word, 64 bits: count 31:0 | type 35:32 | type2 39:36 | sub-operation 45:40 |
 * rounding 48:46 | flags 55:49 | zero 63:56
 */
#define ANPU_CTL_TYPE_SHIFT	32
#define ANPU_CTL_TYPE2_SHIFT	36
#define ANPU_CTL_SUB_SHIFT	40
#define ANPU_CTL_ROUND_SHIFT	46
/** ANPU_CTL_SCALAR - VTRI, VCMP, VSEL: the src1 register holds a scalar, not an address */
#define ANPU_CTL_SCALAR		(1ULL << 49)
/** ANPU_CTL_REVERSE - VBINS: scalar op src0 instead of src0 op scalar */
#define ANPU_CTL_REVERSE	(1ULL << 50)
/** ANPU_CTL_INDEX - VRED max and min: every result is a pair, value then index */
#define ANPU_CTL_INDEX		(1ULL << 51)
/** ANPU_CTL_MASK - VREP: the vector mask selects elements; without it count elements per repeat */
#define ANPU_CTL_MASK		(1ULL << 52)
/** ANPU_CTL_TRANSPOSE - LOAD2D: transpose each fractal, 16 rows of 32 bytes */
#define ANPU_CTL_TRANSPOSE	(1ULL << 53)
/** ANPU_CTL_QUANT - VCVT: multiply by the scale and add the offset of CSR quant */
#define ANPU_CTL_QUANT		(1ULL << 54)
/** ANPU_CTL_CMPMASK - VREP of VCMP, one repeat: the bits go to CSRs cmpmask0 and cmpmask1, rs1 is 0 */
#define ANPU_CTL_CMPMASK	(1ULL << 55)
#define ANPU_CTL_FLAGS		(0x7fULL << 49)

/** ANPU_CTL - a control word from its parts; OR flags to it */
#define ANPU_CTL(count, type, sub) \
	((uint64_t)(uint32_t)(count) | (uint64_t)(type) << ANPU_CTL_TYPE_SHIFT | \
	 (uint64_t)(sub) << ANPU_CTL_SUB_SHIFT)
/** ANPU_CTL_CVT - the control word of VCVT */
#define ANPU_CTL_CVT(count, to, from, round) \
	(ANPU_CTL(count, to, 0) | (uint64_t)(from) << ANPU_CTL_TYPE2_SHIFT | \
	 (uint64_t)(round) << ANPU_CTL_ROUND_SHIFT)
#define ANPU_CTL_GET_COUNT(c)	((uint32_t)(c))
#define ANPU_CTL_GET_TYPE(c)	((unsigned int)((c) >> ANPU_CTL_TYPE_SHIFT) & 15)
#define ANPU_CTL_GET_TYPE2(c)	((unsigned int)((c) >> ANPU_CTL_TYPE2_SHIFT) & 15)
#define ANPU_CTL_GET_SUB(c)	((unsigned int)((c) >> ANPU_CTL_SUB_SHIFT) & 63)
#define ANPU_CTL_GET_ROUND(c)	((unsigned int)((c) >> ANPU_CTL_ROUND_SHIFT) & 7)

/**
 * ANPU_REPEATS - VTRANSB rs3: 0 to 255 repeats; from one to the next, blocks of dst and of src lie so many blocks of 32 bytes farther.
 * OR ANPU_REPEATS_DST_HIGH, ANPU_REPEATS_SRC_HIGH to it for elements of 8 bits: the upper 16 bytes of the blocks
 */
#define ANPU_REPEATS(count, dst_stride, src_stride) \
	((uint64_t)(uint16_t)(count) | (uint64_t)(uint16_t)(dst_stride) << 16 | (uint64_t)(uint16_t)(src_stride) << 32)
#define ANPU_REPEATS_DST_HIGH	(1ULL << 48)
#define ANPU_REPEATS_SRC_HIGH	(1ULL << 49)

/** ANPU_BURSTS - DMA_BURST rs3: bursts of len blocks of 32 bytes, gaps between them in blocks */
#define ANPU_BURSTS(count, len, src_gap, dst_gap) \
	((uint64_t)(uint16_t)(count) | (uint64_t)(uint16_t)(len) << 16 | \
	 (uint64_t)(uint16_t)(src_gap) << 32 | (uint64_t)(uint16_t)(dst_gap) << 48)
/** ANPU_PAD_BURSTS - DMA_PAD rs3: bursts of len bytes; pad bytes (at most 32, below 32 before 1.10) left and right */
#define ANPU_PAD_BURSTS(count, len, left, right) \
	((uint64_t)(uint32_t)(len) | (uint64_t)(uint16_t)(count) << 32 | \
	 (uint64_t)(uint8_t)(left) << 48 | (uint64_t)(uint8_t)(right) << 56)
/**
 * ANPU_PAD_FIRST - right of ANPU_PAD_BURSTS, left is 0 then: the rest of a burst's last block repeats the burst's first element, of
 * 1 << log2 bytes (0 to 3)
 */
#define ANPU_PAD_FIRST(log2)	(0x80 | (log2))
/** ANPU_PAD_GAPS - DMA_PAD rd: gaps between bursts: in bytes on the GM side, else in blocks */
#define ANPU_PAD_GAPS(src_gap, dst_gap) \
	((uint64_t)(uint32_t)(src_gap) | (uint64_t)(uint32_t)(dst_gap) << 32)
/** ANPU_SHAPE - VBRC and VTRANS rs3 */
#define ANPU_SHAPE(rows, cols)	((uint64_t)(uint32_t)(rows) | (uint64_t)(uint32_t)(cols) << 32)
/** ANPU_LOAD2D - LOAD2D rs3: first fractal of the source, number, strides in fractals */
#define ANPU_LOAD2D(first, count, src_stride, dst_stride) \
	((uint64_t)(uint16_t)(first) | (uint64_t)(uint16_t)(count) << 16 | \
	 (uint64_t)(uint16_t)(src_stride) << 32 | (uint64_t)(uint16_t)(dst_stride) << 48)
/** ANPU_LOAD_PAIR - LOAD2D SQUARE, count of ctl: from each fractal of a square to its next one, in fractals */
#define ANPU_LOAD_PAIR(src, dst)	((uint32_t)(uint16_t)(src) | (uint32_t)(uint16_t)(dst) << 16)
/**
 * ANPU_MMAD - MMAD rd: m, n 1 to 4095, k 1 to 65535, type F16, BF16, F32, S8 or S4 (since 1.7), flags
 * ANPU_MMAD_*. The result is F32, for S8 and S4 S32.
 */
#define ANPU_MMAD(m, n, k, type, flags) \
	((uint64_t)(uint16_t)(m) | (uint64_t)(uint16_t)(n) << 16 | \
	 (uint64_t)(uint16_t)(k) << 32 | (uint64_t)(type) << 48 | (uint64_t)(flags) << 56)
/** ANPU_MMAD_INIT - start from zero instead of the contents of L0C */
#define ANPU_MMAD_INIT		1
/** ANPU_MMAD_BIAS - start from the bias row that CSR bias points to, with INIT or without */
#define ANPU_MMAD_BIAS		2
/** ANPU_MMAD_COLS - fractals of L0A lie column by column, not row by row (since 1.7) */
#define ANPU_MMAD_COLS		4
/** ANPU_MMAD_ROW - L0A has one row of k elements one behind the other; m is 1 (since 1.7) */
#define ANPU_MMAD_ROW		8

/* Sub-operations ------------------------------------------------------------------------------- */

/** ANPU_BIN_OPS(X) - VBIN and VBINS; X(name, number, meaning) */
#define ANPU_BIN_OPS(X) \
	X(ADD,	0, "a + b") \
	X(SUB,	1, "a - b") \
	X(MUL,	2, "a * b") \
	X(DIV,	3, "a / b") \
	X(MAX,	4, "greater") \
	X(MIN,	5, "smaller") \
	X(AND,	6, "bitwise and") \
	X(OR,	7, "bitwise or") \
	X(XOR,	8, "bitwise exclusive or") \
	X(SHL,	9, "shift left") \
	X(SHR,	10, "shift right, arithmetic for signed types") \
	X(LRELU, 11, "a > 0 ? a : a * b") \
	X(ADDRELU, 12, "max(a + b, 0)") \
	X(SUBRELU, 13, "max(a - b, 0)") \
	X(ABSDIFF, 14, "|a - b|")

/** ANPU_UN_OPS(X) - VUN */
#define ANPU_UN_OPS(X) \
	X(COPY,	0, "a") \
	X(ABS,	1, "|a|") \
	X(NEG,	2, "-a") \
	X(NOT,	3, "bitwise complement") \
	X(RELU,	4, "max(a, 0)") \
	X(SQRT,	5, "square root") \
	X(RSQRT, 6, "1 / square root") \
	X(REC,	7, "1 / a") \
	X(EXP,	8, "e to the a") \
	X(LN,	9, "natural logarithm") \
	X(TANH,	10, "hyperbolic tangent") \
	X(SIN,	11, "sine") \
	X(COS,	12, "cosine") \
	X(ERF,	13, "error function") \
	X(ROUND, 14, "to an integral value by the control word's rounding mode")

/** ANPU_TRI_OPS(X) - VTRI; d is dst before the operation */
#define ANPU_TRI_OPS(X) \
	X(MLA,	0, "d + a * b, one rounding (Axpy, MulAddDst)") \
	X(MAD,	1, "d * a + b, one rounding (FusedMulAdd)") \
	X(MADRELU, 2, "max(d * a + b, 0), one rounding")

/** ANPU_CMP_OPS(X) - VCMP */
#define ANPU_CMP_OPS(X) \
	X(LT, 0, "a < b") \
	X(GT, 1, "a > b") \
	X(EQ, 2, "a == b") \
	X(LE, 3, "a <= b") \
	X(GE, 4, "a >= b") \
	X(NE, 5, "a != b")

/** ANPU_SEL_OPS(X) - VSEL: where the mask is */
#define ANPU_SEL_OPS(X) \
	X(TENSOR, 0, "bits at the UB address in CSR selmask, bit i for element i") \
	X(CMPMASK, 1, "bit i mod (256 / element bytes) of CSRs cmpmask0 and cmpmask1")

/** ANPU_RED_OPS(X) - VRED: operation, OR-ed with a scope */
#define ANPU_RED_OPS(X) \
	X(SUM,	0, "sum") \
	X(MAX,	1, "greatest") \
	X(MIN,	2, "smallest")
/** ANPU_RED_SCOPES(X) - VRED: elements per result */
#define ANPU_RED_SCOPES(X) \
	X(WHOLE,  0x00, "all count elements") \
	X(REPEAT, 0x10, "256 bytes") \
	X(BLOCK,  0x20, "32 bytes") \
	X(PAIR,	  0x30, "two elements")

/** ANPU_ATOM_OPS(X) - DMA_ATOM and CSR atomic */
#define ANPU_ATOM_OPS(X) \
	X(NONE,	0, "store (CSR atomic only)") \
	X(ADD,	1, "add") \
	X(MAX,	2, "greater") \
	X(MIN,	3, "smaller")

/** ANPU_GATHER_OPS(X) - VGATHER */
#define ANPU_GATHER_OPS(X) \
	X(ELEMENT, 0, "one element per 32-bit byte offset") \
	X(BLOCK,   1, "one 32-byte block per 32-bit byte offset; count is blocks")

/** ANPU_GMASK_OPS(X) - VGMASK: which elements */
#define ANPU_GMASK_OPS(X) \
	X(BITS,	  0, "rs3 is the UB address of a bit mask, bit i for element i") \
	X(EVEN,	  1, "0, 2, 4 ...") \
	X(ODD,	  2, "1, 3, 5 ...") \
	X(QUAD0,  3, "0, 4, 8 ...") \
	X(QUAD1,  4, "1, 5, 9 ...") \
	X(QUAD2,  5, "2, 6, 10 ...") \
	X(QUAD3,  6, "3, 7, 11 ...") \
	X(ALL,	  7, "all")

/** ANPU_LOAD_OPS(X) - LOAD2D */
#define ANPU_LOAD_OPS(X) \
	X(FRACTAL, 0, "fractals one by one, each as it is or transposed; count of ctl is 0") \
	X(SQUARE,  1, "fractals that form squares, two of 8-bit and 32-bit types, four of S4: a matrix with k in its rows")

/** ANPU_MRG_OPS(X) - VMRG: when to stop */
#define ANPU_MRG_OPS(X) \
	X(ALL,	   0, "when all lists are merged") \
	X(SUSPEND, 1, "as soon as one of the lists is exhausted")

/** ANPU_BRC_OPS(X) - VBRC */
#define ANPU_BRC_OPS(X) \
	X(BLOCK, 0, "each of count elements fills one 32-byte block; rs3 is 0") \
	X(COLS,	 1, "dst[r][c] = src[r], shape in rs3") \
	X(ROWS,	 2, "dst[r][c] = src[c], shape in rs3")

#ifndef __ASSEMBLER__

#define ANPU_X_(n, num, ...) ANPU_TYPE_##n = num,
enum anpu_type { ANPU_TYPES(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_ROUND_##n = num,
enum anpu_round { ANPU_ROUNDS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_PIPE_##n = num,
enum anpu_pipe { ANPU_PIPES(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_TILE_##n = num,
enum anpu_tile_op { ANPU_TILE_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_BIN_##n = num,
enum anpu_bin_op { ANPU_BIN_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_UN_##n = num,
enum anpu_un_op { ANPU_UN_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_TRI_##n = num,
enum anpu_tri_op { ANPU_TRI_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_CMP_##n = num,
enum anpu_cmp_op { ANPU_CMP_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_SEL_##n = num,
enum anpu_sel_op { ANPU_SEL_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_RED_##n = num,
enum anpu_red_op { ANPU_RED_OPS(ANPU_X_) ANPU_RED_SCOPES(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_ATOM_##n = num,
enum anpu_atom_op { ANPU_ATOM_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_GATHER_##n = num,
enum anpu_gather_op { ANPU_GATHER_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_GMASK_##n = num,
enum anpu_gmask_op { ANPU_GMASK_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_LOAD_##n = num,
enum anpu_load_op { ANPU_LOAD_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_MRG_##n = num,
enum anpu_mrg_op { ANPU_MRG_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_BRC_##n = num,
enum anpu_brc_op { ANPU_BRC_OPS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_META_##n = num,
enum anpu_meta_record { ANPU_META_RECORDS(ANPU_X_) };
#undef ANPU_X_
#define ANPU_X_(n, num, ...) ANPU_CSR_##n = num,
enum anpu_csr { ANPU_CSRS(ANPU_X_) };
#undef ANPU_X_

/* Descriptors: 32 bytes, 8-byte aligned -------------------------------------------------------- */

/**
 * struct anpu_rep_desc - VREP
 * @ctl: control word of the operation; count is the number of elements per repeat unless
 *	ANPU_CTL_MASK is set, then 0; at most 256 bytes of the wider type
 * @op: enum anpu_tile_op: VBIN, VBINS, VUN, VTRI, VCVT, VDUP, VCMP, VSEL or VRED
 * @reserved0: zero
 * @repeat: 1 to 4095
 * @dst_block: distance of the eight blocks of a repeat, in blocks of 32 bytes; 1 is contiguous
 * @src0_block: the same for src0
 * @src1_block: the same for src1; strides of operands that are not in memory, and of VCMP's dst,
 *	and VRED's dst, are 0
 * @dst_repeat: distance of repeats, in blocks; for VRED in results of a full repeat
 * @src0_repeat: the same for src0
 * @src1_repeat: the same for src1
 * @reserved: zero
 */
struct anpu_rep_desc {
	uint64_t ctl;
	uint8_t op;
	uint8_t reserved0;
	uint16_t repeat;
	uint16_t dst_block;
	uint16_t src0_block;
	uint16_t src1_block;
	uint16_t dst_repeat;
	uint16_t src0_repeat;
	uint16_t src1_repeat;
	uint64_t reserved;
};

/**
 * struct anpu_nd2nz_desc - DMA_ND2NZ: nd_num row-major matrices of n rows and d columns
 * @nd_num: matrices
 * @n: rows
 * @d: columns
 * @src_nd_stride: elements from one source matrix to the next
 * @src_d: elements from one source row to the next
 * @dst_c0_stride: blocks of 32 bytes from one column of fractals to the next
 * @dst_n_stride: blocks from one row to the next inside a column of fractals
 * @dst_nz_stride: elements from one destination matrix to the next
 */
struct anpu_nd2nz_desc {
	uint32_t nd_num;
	uint32_t n;
	uint32_t d;
	uint32_t src_nd_stride;
	uint32_t src_d;
	uint32_t dst_c0_stride;
	uint32_t dst_n_stride;
	uint32_t dst_nz_stride;
};

/**
 * struct anpu_mrg_desc - VMRG: sorted lists of 8-byte {value, index} records in UB
 * @list: address and records of each list; unused lists have 0 records
 */
struct anpu_mrg_desc {
	struct {
		uint32_t addr;
		uint32_t count;
	} list[4];
};

/**
 * struct anpu_load3d_desc - LOAD3D: image to column of an NC1HWC0 image in L1
 * @height: of the image
 * @width: of the image
 * @channels: of the image, a multiple of 32 bytes / element
 * @k_step: columns of the result to load, a multiple of 32 bytes / element
 * @m_step: rows of the result to load
 * @k_start: first column
 * @m_start: first row
 * @pad: left, right, top, bottom padding
 * @kernel_w: of the filter
 * @kernel_h: of the filter
 * @stride_w: of the filter
 * @stride_h: of the filter
 * @dilation_w: of the filter
 * @dilation_h: of the filter
 * @reserved: zero
 */
struct anpu_load3d_desc {
	uint16_t height;
	uint16_t width;
	uint16_t channels;
	uint16_t k_step;
	uint16_t m_step;
	uint16_t k_start;
	uint16_t m_start;
	uint8_t pad[4];
	uint8_t kernel_w;
	uint8_t kernel_h;
	uint8_t stride_w;
	uint8_t stride_h;
	uint8_t dilation_w;
	uint8_t dilation_h;
	uint8_t reserved[8];
};

/**
 * struct anpu_fix_desc - FIXPIPE: an m x n matrix out of L0C; type2 of the control word is L0C's
 *	(F32 or S32), type is the destination's
 * @m: rows
 * @n: columns
 * @src_stride: rows of L0C from one column of fractals to the next, a multiple of 16, at least m
 * @dst_stride: row-major: elements from one row to the next; fractals: blocks from one column of
 *	fractals to the next
 * @quant: ANPU_FIX_QUANT_*
 * @relu: 1 applies max(x, 0) before quantisation and conversion
 * @layout: ANPU_FIX_ND or ANPU_FIX_NZ
 * @nd_num: ND: number of matrices, at least 1
 * @src_nd_stride: ND: fractals from one source matrix to the next
 * @dst_nd_stride: ND: elements from one destination matrix to the next
 * @quant_addr: ANPU_FIX_QUANT_VECTOR: FB address of n 8-byte words like CSR quant
 */
struct anpu_fix_desc {
	uint16_t m;
	uint16_t n;
	uint32_t src_stride;
	uint32_t dst_stride;
	uint8_t quant;
	uint8_t relu;
	uint8_t layout;
	uint8_t nd_num;
	uint32_t src_nd_stride;
	uint32_t dst_nd_stride;
	uint32_t quant_addr;
	uint32_t reserved;
};

/** struct anpu_meta_param - one parameter in the PARAMS record */
struct anpu_meta_param {
	uint16_t offset;	/* in the argument block */
	uint16_t size;		/* bytes of the value */
	uint8_t kind;		/* ANPU_PARAM_* */
	uint8_t align;		/* alignment of its type in bytes; 0: not told */
	uint8_t reserved[2];
};

#endif /* __ASSEMBLER__ */

#define ANPU_FIX_QUANT_NONE	0	/* plain conversion */
#define ANPU_FIX_QUANT_SCALAR	1	/* multiply by CSR quant's scale, add its offset */
#define ANPU_FIX_QUANT_VECTOR	2	/* the same, with a word per column from FB */
#define ANPU_FIX_ND		0	/* row-major */
#define ANPU_FIX_NZ		1	/* fractals, column by column */

#define ANPU_PARAM_VALUE	0	/* passed by value */
#define ANPU_PARAM_POINTER	1	/* address in global memory */

/* Synchronisation and services: custom-1, R-type ------------------------------------------------ *
 *
 * .insn r ANPU_OPC_SYS, 0, number, x0, rs1, rs2
 */
#define ANPU_OPC_SYS		0x2b

/** ANPU_SYS_OPS(X) - X(name, number, rs1, rs2, built, meaning) */
#define ANPU_SYS_OPS(X) \
	X(SETFLAG,	0, "flag", "0", 1, "pipe \"from\" sets an event for pipe \"to\"") \
	X(WAITFLAG,	1, "flag", "0", 1, "pipe \"to\" waits for the event; faults if nothing set it") \
	X(PIPEBAR,	2, "pipe", "0", 1, "later operations of the pipe wait for earlier ones") \
	X(XSET,		3, "cross", "pipe", 1, "cross-core flag: set, behind what a pipe has done") \
	X(XWAIT,	4, "cross", "0", 1, "cross-core flag: wait") \
	X(SYNCALL,	5, "which", "0", 1, "wait until all blocks have arrived") \
	X(PRINT,	6, "text", "bytes", 1, "send text to the host") \
	X(TRAP,		7, "text", "bytes", 1, "fault ANPU_FAULT_TRAP with a message") \
	X(ASSERT,	8, "text", "bytes", 1, "fault ANPU_FAULT_ASSERT with the asserted text") \
	X(EXIT,		9, "0", "0", 1, "end the block") \
	X(DCCI,		10, "addr", "bytes", 1, "clean and invalidate the data cache: no effect, caches are coherent") \
	X(POST,		11, "addr", "value", 1, "store a 32-bit word to global memory, and let blocks look that wait for it") \
	X(AWAIT,	12, "addr", "await", 1, "wait until a 32-bit word in global memory is a value, or at least that") \
	X(BUFFER,	13, "addr", "bytes", 1, "these bytes of a scratchpad are a buffer of their own: a hint for the checking mode")

/** ANPU_FLAG - rs1 of SETFLAG and WAITFLAG */
#define ANPU_FLAG(from, to, event) ((from) | (to) << 8 | (event) << 16)
/** ANPU_AWAIT - rs2 of AWAIT: the value; least: the difference of word and value, as a signed number, is 0 or more */
#define ANPU_AWAIT(value, least)	((uint64_t)(uint32_t)(value) | (uint64_t)(least) << 32)
/** ANPU_CROSS - rs1 of XSET and XWAIT: flag 0 to ANPU_CROSS_FLAGS - 1 (PAIR: the cube has as many more), ANPU_CROSS_* mode */
#define ANPU_CROSS(flag, mode)	((flag) | (mode) << 8)
/** ANPU_CROSS_PIPE - rs2 of XSET: the flag is set when @pipe has done what it was given before; 0: when all pipes have */
#define ANPU_CROSS_PIPE(pipe)	((pipe) + 1)
/** ANPU_CROSS_ALL - all sub-blocks of this kind: the wait ends when every one has set */
#define ANPU_CROSS_ALL		0
/** ANPU_CROSS_PEERS - the vector sub-blocks of one block */
#define ANPU_CROSS_PEERS	1
/** ANPU_CROSS_GROUP - between the cube sub-block and the vector sub-blocks of one block */
#define ANPU_CROSS_GROUP	2
/** ANPU_CROSS_ANY - XWAIT only: the first of GROUP, PEERS and ALL whose partners have set the flag */
#define ANPU_CROSS_ANY		3
/**
 * ANPU_CROSS_PAIR - MIX only: between the cube sub-block and one vector sub-block of its block. The cube's flags 0 to 15 are those of
 * the first vector sub-block, 16 to 31 flags 0 to 15 of the second.
 */
#define ANPU_CROSS_PAIR		4
/** ANPU_SYNC_KIND - rs1 of SYNCALL: all sub-blocks of the caller's kind */
#define ANPU_SYNC_KIND		0
/** ANPU_SYNC_ALL - rs1 of SYNCALL: all sub-blocks of the kernel */
#define ANPU_SYNC_ALL		1
/** ANPU_TEXT_MAX - longest text of PRINT in bytes; TRAP and ASSERT keep the first 127 */
#define ANPU_TEXT_MAX		4096

#ifndef __ASSEMBLER__
#define ANPU_X_(n, num, ...) ANPU_SYS_##n = num,
enum anpu_sys_op { ANPU_SYS_OPS(ANPU_X_) };
#undef ANPU_X_

#if defined(__cplusplus)
#define ANPU_ISA_ASSERT(cond, text) static_assert(cond, text)
#else
#define ANPU_ISA_ASSERT(cond, text) _Static_assert(cond, text)
#endif
ANPU_ISA_ASSERT(sizeof(struct anpu_rep_desc) == 32, "descriptors are 32 bytes");
ANPU_ISA_ASSERT(sizeof(struct anpu_nd2nz_desc) == 32, "descriptors are 32 bytes");
ANPU_ISA_ASSERT(sizeof(struct anpu_mrg_desc) == 32, "descriptors are 32 bytes");
ANPU_ISA_ASSERT(sizeof(struct anpu_load3d_desc) == 32, "descriptors are 32 bytes");
ANPU_ISA_ASSERT(sizeof(struct anpu_fix_desc) == 32, "descriptors are 32 bytes");
ANPU_ISA_ASSERT(sizeof(struct anpu_meta_param) == 8, "parameter records are 8 bytes");
#define ANPU_X_(n, base, bytes, ...) \
	ANPU_ISA_ASSERT(ANPU_##n##_BASE == base && ANPU_##n##_SIZE == bytes, "window " #n);
ANPU_WINDOWS(ANPU_X_)
#undef ANPU_X_
#endif

/* Traps ---------------------------------------------------------------------------------------- *
 *
 * A fault ends the block and the kernel. It is precise: pc is the instruction's address, the
 * registers are those before it, earlier instructions have taken effect. A faulting load or store
 * changes nothing; a faulting tile operation may have written part of its destination if the cause
 * is an access to global memory, and nothing if it is its operands.
 */

/** ANPU_TRAPS(X) - X(cause (enum anpu_fault_cause), when) */
#define ANPU_TRAPS(X) \
	X(ANPU_FAULT_FETCH, "pc outside executable memory, below 4 GiB, or not 4-byte aligned") \
	X(ANPU_FAULT_ILLEGAL, "undefined encoding, unknown CSR, write to a read-only CSR, reserved rounding mode, operation not built or not of this core type") \
	X(ANPU_FAULT_BREAKPOINT, "ebreak (ecall is illegal)") \
	X(ANPU_FAULT_UNMAPPED, "load, store or tile operation on unmapped global memory") \
	X(ANPU_FAULT_PERMISSION, "access that the page does not allow") \
	X(ANPU_FAULT_SCRATCHPAD, "access below 4 GiB outside the windows, or across a window's end") \
	X(ANPU_FAULT_STACK, "access to the guard below the stack") \
	X(ANPU_FAULT_OPERAND, "operand of a tile operation with a wrong window, alignment, length, type, sub-operation or reserved bit; the message names it") \
	X(ANPU_FAULT_TRAP, "TRAP") \
	X(ANPU_FAULT_ASSERT, "ASSERT") \
	X(ANPU_FAULT_SYNC, "WAITFLAG on a flag nothing has set, SETFLAG or XSET on a full one") \
	X(ANPU_FAULT_DEADLOCK, "all blocks wait for each other") \
	X(ANPU_FAULT_UNINITIALISED, "checking mode: read of a scratchpad byte that the block has not written") \
	X(ANPU_FAULT_RACE, "checking mode: access that another pipe's access is not ordered with") \
	X(ANPU_FAULT_TIMEOUT, "the kernel's time limit (reported by the scheduler)")

#include <anpu/anpu_isa_threads.h>

#endif /* ANPU_ISA_H */
