/* SPDX-License-Identifier: MIT */
/*
 * Intrinsics for operator code in C and C++, which scripts/anpucc compiles for the AI core.
 *
 * Three layers. The functions anpu_tile_NAME(), anpu_sys_NAME() and anpu_csr_name() come straight
 * from the tables of anpu_isa.h. Above them every operation has a function in lower case with named
 * parameters: anpu_vbin(), anpu_dma_pad(). A few helpers at the end do what most operators need.
 * tests/anpucc/intrin.py checks every encoding against the tables. Documentation/operators.md is
 * the manual; Documentation/isa.md tells exactly what each operation does.
 */
#ifndef ANPU_INTRIN_H
#define ANPU_INTRIN_H

#include <stddef.h>
#include <stdint.h>

#include <anpu/anpu_isa.h>

#if (!defined(__riscv) || __riscv_xlen != 64) && !defined(__ANPU_HOST__)
#error "anpu_intrin.h is for operator code: compile it with scripts/anpucc"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels -------------------------------------------------------------------------------------- */

/*
 * How anpucc finds kernels; do not use it for anything else. The host's code calls them (anpucc
 * --host).
 */
#ifdef __ANPU_HOST__
#define ANPU_KERNEL_ATTR	__attribute__((global))
#else
#define ANPU_KERNEL_ATTR \
	__attribute__((section(".anpu.kernel"), used, noinline, visibility("default")))
#endif

/**
 * ANPU_KERNEL - marks the entry function of an operator: ANPU_KERNEL void add(const float *x, ...)
 *
 * The function returns void; its parameters are numbers, pointers to global memory, enumerations or
 * plain structures. Its name is what aclrtBinaryGetFunction() takes.
 */
#ifdef __cplusplus
#define ANPU_KERNEL	extern "C" ANPU_KERNEL_ATTR
#else
#define ANPU_KERNEL	ANPU_KERNEL_ATTR
#endif

/**
 * ANPU_KERNEL_META() - statement in a kernel's body: sets a 32-bit record of .ascend.meta
 * @record: number of the record, for example ANPU_META_BLOCK_COUNT
 * @value: constant
 */
#define ANPU_KERNEL_META(record, value) \
	__asm__ volatile(".Lanpu_meta%=:\n" \
			 ".pushsection .anpu.attr,\"\",@progbits\n" \
			 ".dword .Lanpu_meta%=\n.half %0, 4\n.word %1\n" \
			 ".popsection" : : "i"(record), "i"(value))

/* nodebug: code that was inlined from here has the line of its caller */
#define ANPU_INLINE static inline __attribute__((always_inline, unused, nodebug))

/* The tables as functions ---------------------------------------------------------------------- */

#define ANPU_TILE_INSN(number, rs1, rs2, rs3, rd) \
	__asm__ volatile(".insn r4 %4, %5, %6, %z0, %z1, %z2, %z3" \
			 : : "rJ"((uint64_t)(rd)), "rJ"((uint64_t)(rs1)), "rJ"((uint64_t)(rs2)), \
			     "rJ"((uint64_t)(rs3)), "i"(ANPU_OPC_TILE), "i"((number) & 7), \
			     "i"((number) >> 3) : "memory")

#define ANPU_SYS_INSN(number, rs1, rs2) \
	__asm__ volatile(".insn r %2, 0, %3, x0, %z0, %z1" \
			 : : "rJ"((uint64_t)(rs1)), "rJ"((uint64_t)(rs2)), "i"(ANPU_OPC_SYS), \
			     "i"(number) : "memory")

#define ANPU_X_(name, number, ...) \
	ANPU_INLINE void anpu_tile_##name(uint64_t rs1, uint64_t rs2, uint64_t rs3, uint64_t rd) \
	{ \
		ANPU_TILE_INSN(number, rs1, rs2, rs3, rd); \
	}
ANPU_TILE_OPS(ANPU_X_)
#undef ANPU_X_

#define ANPU_X_(name, number, ...) \
	ANPU_INLINE void anpu_sys_##name(uint64_t rs1, uint64_t rs2) \
	{ \
		ANPU_SYS_INSN(number, rs1, rs2); \
	}
ANPU_SYS_OPS(ANPU_X_)
#undef ANPU_X_

#define ANPU_CSR_SETTER_RO(name, number)
#define ANPU_CSR_SETTER_RW(name, number) \
	ANPU_INLINE void anpu_set_csr_##name(uint64_t value) \
	{ \
		__asm__ volatile("csrw %0, %z1" : : "i"(number), "rJ"(value) : "memory"); \
	}
#define ANPU_X_(name, number, access, ...) \
	ANPU_INLINE uint64_t anpu_csr_##name(void) \
	{ \
		uint64_t value; \
		__asm__ volatile("csrr %0, %1" : "=r"(value) : "i"(number) : "memory"); \
		return value; \
	} \
	ANPU_CSR_SETTER_##access(name, number)
ANPU_CSRS(ANPU_X_)
#undef ANPU_X_

/* Where a block is ----------------------------------------------------------------------------- */

/* These never change while a block runs, so the compiler may read them once. */
#define ANPU_ID_READER(function, csr) \
	ANPU_INLINE uint32_t function(void) \
	{ \
		uint64_t value; \
		__asm__("csrr %0, %1" : "=r"(value) : "i"(csr)); \
		return (uint32_t)value; \
	}
ANPU_ID_READER(anpu_block_idx, ANPU_CSR_blockidx)
ANPU_ID_READER(anpu_block_num, ANPU_CSR_blocknum)
ANPU_ID_READER(anpu_sub_block_idx, ANPU_CSR_subblockidx)
ANPU_ID_READER(anpu_sub_block_num, ANPU_CSR_subblocknum)
ANPU_ID_READER(anpu_core_id, ANPU_CSR_coreid)
ANPU_ID_READER(anpu_core_num, ANPU_CSR_cores)
ANPU_ID_READER(anpu_grid_x, ANPU_CSR_gridx)
ANPU_ID_READER(anpu_grid_y, ANPU_CSR_gridy)
ANPU_ID_READER(anpu_grid_z, ANPU_CSR_gridz)
ANPU_ID_READER(anpu_task_id, ANPU_CSR_taskid)
/** anpu_ub_end() - first address of UB that the launch reserved for dynamic use, or UB's end */
ANPU_ID_READER(anpu_ub_end, ANPU_CSR_dynbase)

/** anpu_cycles() - instructions and tile operations done by this block so far */
ANPU_INLINE uint64_t anpu_cycles(void)
{
	return anpu_csr_cycle();
}

/** anpu_time_ns() - the device clock in nanoseconds */
ANPU_INLINE uint64_t anpu_time_ns(void)
{
	return anpu_csr_time();
}

/* Scratchpad addresses as pointers; tile operands need offsets that ANPU_LOCAL_ALIGN divides. */
#define ANPU_LOCAL(base, offset) ((void *)(uintptr_t)((base) + (offset)))
#define ANPU_UB(offset)		ANPU_LOCAL(ANPU_UB_BASE, offset)
#define ANPU_L1(offset)		ANPU_LOCAL(ANPU_L1_BASE, offset)
#define ANPU_L0A(offset)	ANPU_LOCAL(ANPU_L0A_BASE, offset)
#define ANPU_L0B(offset)	ANPU_LOCAL(ANPU_L0B_BASE, offset)
#define ANPU_L0C(offset)	ANPU_LOCAL(ANPU_L0C_BASE, offset)
#define ANPU_BT(offset)		ANPU_LOCAL(ANPU_BT_BASE, offset)
#define ANPU_FB(offset)		ANPU_LOCAL(ANPU_FB_BASE, offset)

#define ANPU_ADDR(p)		((uint64_t)(uintptr_t)(p))

/* Memory engines ------------------------------------------------------------------------------- */

/** anpu_dma_lin() - copy @bytes, a multiple of 32 */
ANPU_INLINE void anpu_dma_lin(void *dst, const void *src, uint64_t bytes)
{
	anpu_tile_DMA_LIN(ANPU_ADDR(dst), ANPU_ADDR(src), bytes, 0);
}

/** anpu_dma_burst() - copy bursts of 32-byte blocks; @bursts is ANPU_BURSTS() */
ANPU_INLINE void anpu_dma_burst(void *dst, const void *src, uint64_t bursts)
{
	anpu_tile_DMA_BURST(ANPU_ADDR(dst), ANPU_ADDR(src), bursts, 0);
}

/** anpu_dma_pad() - copy bursts of any length; ANPU_PAD_BURSTS() and ANPU_PAD_GAPS() */
ANPU_INLINE void anpu_dma_pad(void *dst, const void *src, uint64_t bursts, uint64_t gaps)
{
	anpu_tile_DMA_PAD(ANPU_ADDR(dst), ANPU_ADDR(src), bursts, gaps);
}

/** anpu_dma_nd2nz() - row-major GM to fractals in L1 */
ANPU_INLINE void anpu_dma_nd2nz(void *dst, const void *src, const struct anpu_nd2nz_desc *desc,
				uint64_t ctl)
{
	anpu_tile_DMA_ND2NZ(ANPU_ADDR(dst), ANPU_ADDR(src), ANPU_ADDR(desc), ctl);
}

/** anpu_dma_atom() - UB to GM, atomic by element; sub-operation ANPU_ATOM_* in @ctl */
ANPU_INLINE void anpu_dma_atom(void *dst, const void *src, uint64_t ctl)
{
	anpu_tile_DMA_ATOM(ANPU_ADDR(dst), ANPU_ADDR(src), 0, ctl);
}

/** anpu_dma_fill() - fill a scratchpad with an 8-byte pattern */
ANPU_INLINE void anpu_dma_fill(void *dst, uint64_t bytes, uint64_t pattern)
{
	anpu_tile_DMA_FILL(ANPU_ADDR(dst), bytes, pattern, 0);
}

/* Vector unit ---------------------------------------------------------------------------------- */

/** anpu_vbin() - dst = src0 op src1; @ctl is ANPU_CTL(count, ANPU_TYPE_*, ANPU_BIN_*) */
ANPU_INLINE void anpu_vbin(void *dst, const void *src0, const void *src1, uint64_t ctl)
{
	anpu_tile_VBIN(ANPU_ADDR(dst), ANPU_ADDR(src0), ANPU_ADDR(src1), ctl);
}

/** anpu_vbins() - dst = src0 op scalar, given by its bits: anpu_bits_f32(), anpu_bits_f16() */
ANPU_INLINE void anpu_vbins(void *dst, const void *src0, uint64_t scalar, uint64_t ctl)
{
	anpu_tile_VBINS(ANPU_ADDR(dst), ANPU_ADDR(src0), scalar, ctl);
}

/** anpu_vun() - dst = op src; ANPU_UN_* */
ANPU_INLINE void anpu_vun(void *dst, const void *src, uint64_t ctl)
{
	anpu_tile_VUN(ANPU_ADDR(dst), ANPU_ADDR(src), 0, ctl);
}

/** anpu_vtri() - dst = op (dst, src0, src1); ANPU_TRI_*; a scalar src1 with ANPU_CTL_SCALAR */
ANPU_INLINE void anpu_vtri(void *dst, const void *src0, uint64_t src1, uint64_t ctl)
{
	anpu_tile_VTRI(ANPU_ADDR(dst), ANPU_ADDR(src0), src1, ctl);
}

/** anpu_vcvt() - convert; @ctl is ANPU_CTL_CVT(count, to, from, ANPU_ROUND_*) */
ANPU_INLINE void anpu_vcvt(void *dst, const void *src, uint64_t ctl)
{
	anpu_tile_VCVT(ANPU_ADDR(dst), ANPU_ADDR(src), 0, ctl);
}

/** anpu_vdup() - fill with a scalar */
ANPU_INLINE void anpu_vdup(void *dst, uint64_t scalar, uint64_t ctl)
{
	anpu_tile_VDUP(ANPU_ADDR(dst), scalar, 0, ctl);
}

/** anpu_vcmp() - dst = bits of (src0 cond src1); ANPU_CMP_*; a scalar src1 with ANPU_CTL_SCALAR */
ANPU_INLINE void anpu_vcmp(void *dst, const void *src0, uint64_t src1, uint64_t ctl)
{
	anpu_tile_VCMP(ANPU_ADDR(dst), ANPU_ADDR(src0), src1, ctl);
}

/** anpu_vsel() - dst = mask bit ? src0 : src1; ANPU_SEL_*; a scalar src1 with ANPU_CTL_SCALAR */
ANPU_INLINE void anpu_vsel(void *dst, const void *src0, uint64_t src1, uint64_t ctl)
{
	anpu_tile_VSEL(ANPU_ADDR(dst), ANPU_ADDR(src0), src1, ctl);
}

/** anpu_vred() - reduce; ANPU_RED_* operation | scope */
ANPU_INLINE void anpu_vred(void *dst, const void *src, uint64_t ctl)
{
	anpu_tile_VRED(ANPU_ADDR(dst), ANPU_ADDR(src), 0, ctl);
}

/** anpu_vgather() - dst[i] = element at src + index[i] bytes; ANPU_GATHER_* */
ANPU_INLINE void anpu_vgather(void *dst, const void *src, const uint32_t *index, uint64_t ctl)
{
	anpu_tile_VGATHER(ANPU_ADDR(dst), ANPU_ADDR(src), ANPU_ADDR(index), ctl);
}

/** anpu_vscatter() - element at dst + index[i] bytes = src[i] */
ANPU_INLINE void anpu_vscatter(void *dst, const void *src, const uint32_t *index, uint64_t ctl)
{
	anpu_tile_VSCATTER(ANPU_ADDR(dst), ANPU_ADDR(src), ANPU_ADDR(index), ctl);
}

/** anpu_vgmask() - gather the elements a mask or pattern selects; ANPU_GMASK_* */
ANPU_INLINE void anpu_vgmask(void *dst, const void *src, const void *mask, uint64_t ctl)
{
	anpu_tile_VGMASK(ANPU_ADDR(dst), ANPU_ADDR(src), ANPU_ADDR(mask), ctl);
}

/** anpu_vbrc() - broadcast; ANPU_BRC_*, @shape is ANPU_SHAPE() or 0 */
ANPU_INLINE void anpu_vbrc(void *dst, const void *src, uint64_t shape, uint64_t ctl)
{
	anpu_tile_VBRC(ANPU_ADDR(dst), ANPU_ADDR(src), shape, ctl);
}

/** anpu_vtrans() - transpose; @shape is ANPU_SHAPE() */
ANPU_INLINE void anpu_vtrans(void *dst, const void *src, uint64_t shape, uint64_t ctl)
{
	anpu_tile_VTRANS(ANPU_ADDR(dst), ANPU_ADDR(src), shape, ctl);
}

/** anpu_vtransb() - transpose 16 blocks of 32 bytes; @dst and @src are lists of 16 addresses; @repeats is ANPU_REPEATS() */
ANPU_INLINE void anpu_vtransb(const uint64_t *dst, const uint64_t *src, uint64_t repeats, uint64_t ctl)
{
	anpu_tile_VTRANSB(ANPU_ADDR(dst), ANPU_ADDR(src), repeats, ctl);
}

/** anpu_viota() - dst[i] = first + i * step */
ANPU_INLINE void anpu_viota(void *dst, uint64_t first, uint64_t step, uint64_t ctl)
{
	anpu_tile_VIOTA(ANPU_ADDR(dst), first, step, ctl);
}

/** anpu_vsort() - sort groups of 32, descending, with index */
ANPU_INLINE void anpu_vsort(void *dst, const void *src, const uint32_t *index, uint64_t ctl)
{
	anpu_tile_VSORT(ANPU_ADDR(dst), ANPU_ADDR(src), ANPU_ADDR(index), ctl);
}

/** anpu_vmrg() - merge up to four sorted lists */
ANPU_INLINE void anpu_vmrg(void *dst, const struct anpu_mrg_desc *desc, uint64_t ctl)
{
	anpu_tile_VMRG(ANPU_ADDR(dst), 0, ANPU_ADDR(desc), ctl);
}

/** anpu_vrep() - a vector operation with repeats, strides and mask; src1 address or scalar */
ANPU_INLINE void anpu_vrep(void *dst, const void *src0, uint64_t src1,
			   const struct anpu_rep_desc *desc)
{
	anpu_tile_VREP(ANPU_ADDR(dst), ANPU_ADDR(src0), src1, ANPU_ADDR(desc));
}

/* Cube unit ------------------------------------------------------------------------------------ */

/** anpu_load2d() - fractals to L0A or L0B; @load is ANPU_LOAD2D() */
ANPU_INLINE void anpu_load2d(void *dst, const void *src, uint64_t load, uint64_t ctl)
{
	anpu_tile_LOAD2D(ANPU_ADDR(dst), ANPU_ADDR(src), load, ctl);
}

/** anpu_load3d() - image to column, L1 to L0A */
ANPU_INLINE void anpu_load3d(void *dst, const void *src, const struct anpu_load3d_desc *desc,
			     uint64_t ctl)
{
	anpu_tile_LOAD3D(ANPU_ADDR(dst), ANPU_ADDR(src), ANPU_ADDR(desc), ctl);
}

/** anpu_mmad() - matrix multiply and add; @mmad is ANPU_MMAD() */
ANPU_INLINE void anpu_mmad(void *dst, const void *src0, const void *src1, uint64_t mmad)
{
	anpu_tile_MMAD(ANPU_ADDR(dst), ANPU_ADDR(src0), ANPU_ADDR(src1), mmad);
}

/** anpu_fixpipe() - L0C to GM, L1 or UB */
ANPU_INLINE void anpu_fixpipe(void *dst, const void *src, const struct anpu_fix_desc *desc,
			      uint64_t ctl)
{
	anpu_tile_FIXPIPE(ANPU_ADDR(dst), ANPU_ADDR(src), ANPU_ADDR(desc), ctl);
}

/* Synchronisation and services ----------------------------------------------------------------- */

/** anpu_setflag() - pipe @from sets event @event (0 to 7) for pipe @to */
ANPU_INLINE void anpu_setflag(enum anpu_pipe from, enum anpu_pipe to, uint32_t event)
{
	anpu_sys_SETFLAG(ANPU_FLAG((uint64_t)from, (uint64_t)to, (uint64_t)event), 0);
}

/** anpu_waitflag() - pipe @to waits for what anpu_setflag() set */
ANPU_INLINE void anpu_waitflag(enum anpu_pipe from, enum anpu_pipe to, uint32_t event)
{
	anpu_sys_WAITFLAG(ANPU_FLAG((uint64_t)from, (uint64_t)to, (uint64_t)event), 0);
}

/** anpu_pipebar() - later operations of @pipe wait for its earlier ones */
ANPU_INLINE void anpu_pipebar(enum anpu_pipe pipe)
{
	anpu_sys_PIPEBAR((uint64_t)pipe, 0);
}

/** anpu_xset() - set cross-core flag @flag; ANPU_CROSS_ALL, _PEERS, _GROUP */
ANPU_INLINE void anpu_xset(uint32_t flag, uint32_t mode)
{
	anpu_sys_XSET(ANPU_CROSS((uint64_t)flag, (uint64_t)mode), 0);
}

/** anpu_xwait() - wait for cross-core flag @flag */
ANPU_INLINE void anpu_xwait(uint32_t flag, uint32_t mode)
{
	anpu_sys_XWAIT(ANPU_CROSS((uint64_t)flag, (uint64_t)mode), 0);
}

/** anpu_syncall() - wait until all blocks have arrived; ANPU_SYNC_KIND or ANPU_SYNC_ALL */
ANPU_INLINE void anpu_syncall(uint32_t which)
{
	anpu_sys_SYNCALL(which, 0);
}

/** anpu_post() - store a 32-bit word to global memory, and let blocks look that wait for it */
ANPU_INLINE void anpu_post(uint64_t addr, uint32_t value)
{
	anpu_sys_POST(addr, value);
}

/**
 * anpu_await() - wait until a 32-bit word in global memory is @value
 * @least: 1: or, as a number that may wrap around, at least that
 */
ANPU_INLINE void anpu_await(uint64_t addr, uint32_t value, uint32_t least)
{
	anpu_sys_AWAIT(addr, ANPU_AWAIT(value, least != 0));
}

/** anpu_print_bytes() - send @bytes of text, at most ANPU_TEXT_MAX, to the host */
ANPU_INLINE void anpu_print_bytes(const char *text, uint64_t bytes)
{
	anpu_sys_PRINT(ANPU_ADDR(text), bytes);
}

/** anpu_print() - send a string to the host */
ANPU_INLINE void anpu_print(const char *text)
{
	anpu_sys_PRINT(ANPU_ADDR(text), __builtin_strlen(text));
}

/**
 * anpu_printf() - print to the host program
 *
 * What C's printf() prints, decimal digits of floating-point numbers exactly; no %n, no long
 * double, no wide characters. Up to 1024 characters arrive as one text that no other block's is
 * mixed with, longer output as several. A text of a %s that cannot be read fails with the line of
 * the call, which is no tail call for that reason.
 *
 * Return: characters printed.
 */
int anpu_printf(const char *format, ...) __attribute__((format(printf, 1, 2), not_tail_called));

/** anpu_trap() - fail the kernel with a message, of which 127 bytes arrive */
ANPU_INLINE __attribute__((noreturn)) void anpu_trap(const char *message)
{
	anpu_sys_TRAP(ANPU_ADDR(message), __builtin_strlen(message));
	__builtin_unreachable();
}

/** anpu_assert_text() - fail the kernel with an asserted text; anpu_assert() calls it */
ANPU_INLINE __attribute__((noreturn)) void anpu_assert_text(const char *text, uint64_t bytes)
{
	anpu_sys_ASSERT(ANPU_ADDR(text), bytes);
	__builtin_unreachable();
}

#define ANPU_STR_(x)	#x
#define ANPU_STR(x)	ANPU_STR_(x)
#define ANPU_ASSERT_TEXT(cond)	__FILE_NAME__ ":" ANPU_STR(__LINE__) ": " #cond
/** anpu_assert() - fail the kernel with file, line and text if @cond is false */
#define anpu_assert(cond) \
	((cond) ? (void)0 : \
		  anpu_assert_text(ANPU_ASSERT_TEXT(cond), sizeof(ANPU_ASSERT_TEXT(cond)) - 1))

/** anpu_exit() - end the block at once */
ANPU_INLINE __attribute__((noreturn)) void anpu_exit(void)
{
	anpu_sys_EXIT(0, 0);
	__builtin_unreachable();
}

/** anpu_dcci() - clean and invalidate the data cache; without effect here, caches are coherent */
ANPU_INLINE void anpu_dcci(const void *addr, uint64_t bytes)
{
	anpu_sys_DCCI(ANPU_ADDR(addr), bytes);
}

/**
 * anpu_buffer() - these bytes of a scratchpad are a buffer of their own
 *
 * In the checking mode an operation whose operand begins in a buffer and does not end in it is a fault. A later buffer
 * takes the place of those that it overlaps; a whole scratchpad means that there are none. With 0 bytes the buffer that
 * begins there is given back: what it has counts as unwritten. Without effect on anything else.
 */
ANPU_INLINE void anpu_buffer(const void *addr, uint64_t bytes)
{
	anpu_sys_BUFFER(ANPU_ADDR(addr), bytes);
}

/* Helpers -------------------------------------------------------------------------------------- */

/** anpu_bits_f32() - the bits of a float, for scalar operands */
ANPU_INLINE uint64_t anpu_bits_f32(float value)
{
	uint32_t bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/** anpu_bits_f16() - the bits of a _Float16, for scalar operands */
ANPU_INLINE uint64_t anpu_bits_f16(_Float16 value)
{
	uint16_t bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/** anpu_copy() - copy any number of bytes between GM and a scratchpad; whole blocks are faster */
ANPU_INLINE void anpu_copy(void *dst, const void *src, uint32_t bytes)
{
	if (bytes % ANPU_LOCAL_ALIGN == 0)
		anpu_dma_lin(dst, src, bytes);
	else
		anpu_dma_pad(dst, src, ANPU_PAD_BURSTS(1, bytes, 0, 0), 0);
}

/**
 * anpu_share() - the part of @n items that belongs to this block
 * @n: items
 * @unit: blocks get multiples of this many items, except the last one
 * @first: first item of this block
 *
 * Return: the number of items, 0 if the block has nothing to do.
 */
ANPU_INLINE uint64_t anpu_share(uint64_t n, uint64_t unit, uint64_t *first)
{
	uint64_t units = (n + unit - 1) / unit;
	uint64_t blocks = anpu_block_num(), me = anpu_block_idx();
	uint64_t from = units * me / blocks * unit, to = units * (me + 1) / blocks * unit;

	*first = from;
	return (to < n ? to : n) - from;
}

#ifdef __cplusplus
}
#endif

#endif /* ANPU_INTRIN_H */
