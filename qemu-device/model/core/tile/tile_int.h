/* SPDX-License-Identifier: MIT */
/*
 * Inside the tile units: operand checks, the table of operations, the tables of kernels.
 *
 * A tile operation is checked completely before it writes anything. The arithmetic is in kernels,
 * which know nothing of blocks and addresses: they work on host memory. They are compiled three
 * times from the same source (kern.h), for any host, for AVX2 and for AVX-512, and give the same
 * bits.
 */
#ifndef ANPU_TILE_INT_H
#define ANPU_TILE_INT_H

#include "../core_int.h"

/* Kernels -------------------------------------------------------------------------------------- */

#define TILE_BINS	15
#define TILE_UNS	15
#define TILE_TRIS	3
#define TILE_CMPS	6
#define TILE_REDS	3
#define TILE_TYPES	ANPU_TYPE_COUNT

/*
 * A destination may be the same memory as a source, but not overlap it otherwise: the kernels go
 * forward.
 */
typedef void (*tile_bin_fn)(void *d, const void *a, const void *b, size_t n);
typedef void (*tile_un_fn)(void *d, const void *a, size_t n, unsigned int round);
typedef void (*tile_cmp_fn)(uint8_t *d, const void *a, const void *b, size_t n);
typedef void (*tile_sel_fn)(void *d, const void *a, const void *b, const uint8_t *m, size_t n);
typedef void (*tile_sat_fn)(void *d, size_t n);
typedef uint64_t (*tile_red_fn)(const void *a, size_t n);
typedef void (*tile_fold_fn)(void *d, const void *a, size_t groups, size_t group);
typedef size_t (*tile_find_fn)(const void *a, size_t n, uint64_t bits);

/**
 * struct tile_mmad - shape of a matrix multiplication
 * @m1: fractals of rows
 * @n1: fractals of columns
 * @k: depth
 * @flags: ANPU_MMAD_INIT, ANPU_MMAD_BIAS
 * @a_down: of L0A, from a fractal to the one below it, in fractals
 * @a_right: to the one that has the next k
 * @ahead: what may be fetched meanwhile
 */
struct tile_mmad {
	uint32_t m1;
	uint32_t n1;
	uint32_t k;
	uint32_t flags;
	uint32_t a_down;
	uint32_t a_right;
	struct ahead *ahead;
};

typedef void (*tile_mmad_fn)(void *c, const void *a, const void *b, const void *bias,
			     const struct tile_mmad *shape);
typedef void (*tile_l0_fn)(void *d, const void *s);

/**
 * struct tile_kernels - the arithmetic for one kind of host; NULL where the ISA has no such form
 * @bin: by enum anpu_bin_op and type
 * @un: by enum anpu_un_op and type
 * @tri: by enum anpu_tri_op and type; the destination is the third source
 * @cmp: by enum anpu_cmp_op and type; bits of the last byte beyond n become zero
 * @sel: by bytes per element
 * @red: by enum anpu_red_op and type, at least one element; bits of the result
 * @fold: the same for many groups of a power of two elements, at most 128; floating point only
 * @find: by type, position of the first element with given bits, NaN being any NaN
 * @cvt: by type to and type from
 * @mmad: by type of the factors, on whole fractals, in the form that @l0a and @l0b give them
 * @l0a: by type, makes that form of a fractal of L0A, in twice its room; NULL: it is the same
 * @l0b: the same for L0B
 * @sat: by type, replaces infinities and NaN as ANPU_FPCTL_SATURATE says
 */
struct tile_kernels {
	const char *name;
	tile_bin_fn bin[TILE_BINS][TILE_TYPES];
	tile_un_fn un[TILE_UNS][TILE_TYPES];
	tile_bin_fn tri[TILE_TRIS][TILE_TYPES];
	tile_cmp_fn cmp[TILE_CMPS][TILE_TYPES];
	tile_sel_fn sel[9];
	tile_red_fn red[TILE_REDS][TILE_TYPES];
	tile_fold_fn fold[TILE_REDS][TILE_TYPES];
	tile_find_fn find[TILE_TYPES];
	tile_un_fn cvt[TILE_TYPES][TILE_TYPES];
	tile_sat_fn sat[TILE_TYPES];
	tile_mmad_fn mmad[TILE_TYPES];
	tile_l0_fn l0a[TILE_TYPES];
	tile_l0_fn l0b[TILE_TYPES];
};

extern const struct tile_kernels tile_kernels_plain;
#if defined(__x86_64__)
extern const struct tile_kernels tile_kernels_avx2;
extern const struct tile_kernels tile_kernels_avx512;
#endif

/** tile_kernels() - the fastest that this host can run, or what tile_force() says */
const struct tile_kernels *tile_kernels(void);
/** tile_kernel_set() - set @i of those that this host can run, the plain one last; then NULL */
const struct tile_kernels *tile_kernel_set(unsigned int i);
/** tile_force() - for tests: use set @i from now on; 0 is the fastest, which is also the default */
void tile_force(unsigned int i);

/* Operations ----------------------------------------------------------------------------------- */

/* bits of window sets; the order is that of ANPU_WINDOWS */
enum tile_window {
	WIN_UB = 1 << 0,
	WIN_L1 = 1 << 1,
	WIN_L0A = 1 << 2,
	WIN_L0B = 1 << 3,
	WIN_L0C = 1 << 4,
	WIN_BT = 1 << 5,
	WIN_FB = 1 << 6,
	WIN_STACK = 1 << 7,
	WIN_GM = 1 << 8
};

/**
 * struct tile - a tile operation while it runs
 * @name: of the operation, for messages
 * @sub: name of the sub-operation or "", for messages
 */
struct tile {
	struct core_block *b;
	const struct tile_args *a;
	struct core_fault *fault;
	const struct tile_kernels *k;
	const char *name;
	const char *sub;
};

typedef bool (*tile_run_fn)(struct tile *t);

bool tile_dma_lin(struct tile *t);
bool tile_dma_burst(struct tile *t);
bool tile_dma_pad(struct tile *t);
bool tile_dma_fill(struct tile *t);
bool tile_dma_atom(struct tile *t);
bool tile_vbin(struct tile *t);
bool tile_vbins(struct tile *t);
bool tile_vun(struct tile *t);
bool tile_vtri(struct tile *t);
bool tile_vcvt(struct tile *t);
bool tile_vdup(struct tile *t);
bool tile_vcmp(struct tile *t);
bool tile_vsel(struct tile *t);
bool tile_vrep(struct tile *t);
bool tile_vred(struct tile *t);
bool tile_vgather(struct tile *t);
bool tile_vscatter(struct tile *t);
bool tile_vgmask(struct tile *t);
bool tile_vbrc(struct tile *t);
bool tile_vtrans(struct tile *t);
bool tile_vtransb(struct tile *t);
bool tile_viota(struct tile *t);
bool tile_vsort(struct tile *t);
bool tile_vmrg(struct tile *t);
bool tile_dma_nd2nz(struct tile *t);
bool tile_load2d(struct tile *t);
bool tile_load3d(struct tile *t);
bool tile_mmad(struct tile *t);
bool tile_fixpipe(struct tile *t);

/* Checks (arg.c): each fills the fault and returns false if something is wrong ---------------- */

/** tile_fail() - ANPU_FAULT_OPERAND; the message begins with the operation's name */
bool tile_fail(struct tile *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** tile_window_of() - the window that @va is in, WIN_GM, or 0 */
unsigned int tile_window_of(uint64_t va);
const char *tile_window_name(unsigned int window);

bool tile_local_slow(struct tile *t, const char *role, uint64_t va, uint64_t size, uint32_t align,
		     unsigned int windows, uint32_t access, uint8_t **p);
bool tile_bad_ctl(struct tile *t, const char *role, uint64_t word, uint64_t allowed);

/**
 * tile_local() - check a scratchpad operand and find its memory
 * @role: its name in the table of operations
 * @va: address
 * @size: bytes, at least 1
 * @align: of the address, a power of two
 * @windows: it must be inside one of these
 * @access: ANPU_ACCESS_*, for the fault record
 * @p: out: host memory
 */
static inline bool tile_local(struct tile *t, const char *role, uint64_t va, uint64_t size,
			      uint32_t align, unsigned int windows, uint32_t access, uint8_t **p)
{
	uint64_t at, room;

	/* the likely window comes first: it is a constant nearly everywhere */
	switch (windows) {
	case WIN_L0A: at = va - ANPU_L0A_BASE; room = ANPU_L0A_SIZE; break;
	case WIN_L0B: at = va - ANPU_L0B_BASE; room = ANPU_L0B_SIZE; break;
	case WIN_L0C: at = va - ANPU_L0C_BASE; room = ANPU_L0C_SIZE; break;
	case WIN_L1: at = va - ANPU_L1_BASE; room = ANPU_L1_SIZE; break;
	default: at = va - ANPU_UB_BASE; room = windows & WIN_UB ? ANPU_UB_SIZE : 0; break;
	}
	if (likely(at < room && size <= room - at && !(va & (align - 1)))) {
		*p = local_ptr(t->b, va);
		return true;
	}
	return tile_local_slow(t, role, va, size, align, windows, access, p);
}

/** tile_src() - a vector operand that is read */
static inline bool tile_src(struct tile *t, const char *role, uint64_t va, uint64_t size,
			    uint8_t **p)
{
	return tile_local(t, role, va, size, ANPU_LOCAL_ALIGN, WIN_UB, ANPU_ACCESS_READ, p);
}

/** tile_dst() - a vector operand that is written */
static inline bool tile_dst(struct tile *t, uint64_t va, uint64_t size, uint8_t **p)
{
	return tile_local(t, "dst", va, size, ANPU_LOCAL_ALIGN, WIN_UB, ANPU_ACCESS_WRITE, p);
}

/** tile_ctl() - no bits of a control word but @allowed ones may be set */
static inline bool tile_ctl(struct tile *t, const char *role, uint64_t word, uint64_t allowed)
{
	return likely(!(word & ~allowed)) || tile_bad_ctl(t, role, word, allowed);
}

/* fields of a control word, for tile_ctl() */
#define CTL_COUNT	0xffffffffULL
#define CTL_TYPE	(15ULL << ANPU_CTL_TYPE_SHIFT)
#define CTL_TYPE2	(15ULL << ANPU_CTL_TYPE2_SHIFT)
#define CTL_SUB		(63ULL << ANPU_CTL_SUB_SHIFT)
#define CTL_ROUND	(7ULL << ANPU_CTL_ROUND_SHIFT)

bool tile_overlaps(struct tile *t, uint64_t dst, uint64_t dst_size, const char *role, uint64_t src,
		   uint64_t src_size);

/** tile_overlap() - refuse operands that overlap, but for a source that begins where dst does */
static inline bool tile_overlap(struct tile *t, uint64_t dst, uint64_t dst_size, const char *role,
				uint64_t src, uint64_t src_size)
{
	return likely(dst >= src + src_size || src >= dst + dst_size ||
		      (dst == src && dst_size <= src_size)) ||
	       tile_overlaps(t, dst, dst_size, role, src, src_size);
}

extern const uint8_t tile_type_bits[16];
const char *tile_type_name(unsigned int type);

/** tile_bytes() - bytes of @count elements */
static inline uint64_t tile_bytes(uint64_t count, unsigned int type)
{
	return (count * tile_type_bits[type] + 7) / 8;
}

/* Global memory (dma.c, atomic.c); spans are crossed, faults are precise */
bool tile_gm_range(struct tile *t, const char *role, uint64_t va, uint64_t size);
bool tile_gm_read(struct tile *t, uint8_t *d, uint64_t va, uint64_t size);
bool tile_gm_write(struct tile *t, uint64_t va, const uint8_t *s, uint64_t size);

/**
 * struct tile_span - global memory that can be reached without asking again, in one operation
 * @va: its first address
 * @size: bytes; 0: nothing yet
 */
struct tile_span {
	uint8_t *host;
	uint64_t va;
	uint64_t size;
};

/**
 * tile_span() - host memory of [va, va + size)
 * Return: NULL if it is not reachable, or not in one piece: tile_gm_read() and tile_gm_write() tell
 */
static inline uint8_t *tile_span(struct tile *t, struct tile_span *s, uint64_t va, uint64_t size,
				 uint32_t access)
{
	if (unlikely(va - s->va >= s->size || size > s->size - (va - s->va))) {
		s->host = mmu_access(t->b->mmu, va, access, &s->size, t->fault);
		s->va = va;
		if (!s->host)
			s->size = 0;
		if (size > s->size)
			return NULL;
	}
	return s->host + (va - s->va);
}

/**
 * struct tile_atomic - an atomic operation
 * @fn: combines old values and new ones; NULL: plain stores
 * @sat: saturates the result, NULL if it need not
 * @watch: whose overflows are to be noted, NULL: nobody's
 * @type: of an element
 * @bytes: of an element
 */
struct tile_atomic {
	tile_bin_fn fn;
	tile_sat_fn sat;
	struct core_block *watch;
	unsigned int type;
	unsigned int bytes;
};

bool tile_atomic_find(struct tile *t, uint64_t op, uint64_t type, struct tile_atomic *at);
bool tile_gm_atomic(struct tile *t, uint64_t va, const uint8_t *s, uint64_t size,
		    const struct tile_atomic *at);

/** tile_splat() - @n elements of @bytes each, all @value */
void tile_splat(void *d, uint64_t value, unsigned int bytes, size_t n);

/**
 * l0_wide() - fractals of L0A or L0B as MMAD's kernels for a type take them (l0.c)
 * @va: of the first one, checked
 */
const void *l0_wide(struct tile *t, uint64_t va, uint64_t fractals, unsigned int type);
/** l0_row() - the first row of @k1 fractals of L0A is at @va in one piece, checked; the fractals as MMAD's kernels take them */
const void *l0_row(struct tile *t, uint64_t va, uint64_t k1, unsigned int type);

/* Vector operations (vec.c), as one operation and as the repeats of VREP (rep.c) ------------------ */

/* bytes of a scalar operand spread out, so that scalar forms can use the vector kernels */
#define TILE_SPLAT	1024

/**
 * struct tile_vop - an operation element by element, ready to run
 * @run: works on @n elements; @p, @q and @mask are NULL if the operation has no such operand
 * @fn: the kernel
 * @mid: VCVT with quantisation: conversion of the source to fp32, NULL if it is fp32
 * @count: of the control word
 * @dst_type: for saturation
 * @dst_bits: per element
 * @src_bits: per element of src0 and src1, 0: it has none in memory
 * @round: rounding mode
 * @cost: of a byte, relative to a copy
 * @has_scalar: an operand stands in @splat instead of memory
 * @reverse: the scalar is the first operand
 * @dst_is_src: the destination is also read
 * @no_sat: results stay as they are even if fpctl asks for saturation, and are no overflows
 * @lanes: mask of the elements that count, NULL: all
 * @sel_op: VSEL: enum anpu_sel_op
 */
struct tile_vop {
	void (*run)(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		    const uint8_t *q, const uint8_t *mask, size_t n);
	union {
		tile_bin_fn bin;
		tile_un_fn un;
		tile_cmp_fn cmp;
		tile_sel_fn sel;
	} fn;
	tile_un_fn mid;
	const uint64_t *lanes;
	uint32_t count;
	uint8_t dst_type;
	uint8_t src_type;
	uint8_t dst_bits;
	uint8_t src_bits[2];
	uint8_t round;
	uint8_t cost;
	uint8_t sel_op;
	bool has_scalar;
	bool reverse;
	bool dst_is_src;
	bool no_sat;
	bool has_mask;
	bool quant;
	_Alignas(32) uint8_t splat[TILE_SPLAT];
};

/**
 * tile_vop_find() - look up a vector operation and check its control word
 * @flags: bits of the control word that the caller takes care of
 */
bool tile_vop_find(struct tile *t, unsigned int op, uint64_t ctl, uint64_t flags,
		   struct tile_vop *v);
/** tile_vop_scalar() - make the scalar operand ready for runs of up to @n elements */
void tile_vop_scalar(struct tile_vop *v, uint64_t value, size_t n);
/** tile_vop_run() - @n elements, overflows, saturation; sources as @v->src_bits and @v->has_mask say */
void tile_vop_run(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		  const uint8_t *q, const uint8_t *mask, size_t n);

/* Overflows (overflow.c), while block->watch ------------------------------------------------------- */

static inline bool tile_is_float(unsigned int type)
{
	return type <= ANPU_TYPE_BF16;
}

/* How bad numbers are: 0 finite, else ANPU_OVERFLOW_*; those that are not floating point are finite */

/** tile_worst() - @worst[i] becomes the class of element i of @p, if that is worse */
void tile_worst(uint8_t *worst, const void *p, unsigned int type, size_t n);
/** tile_worst_of() - the class of the worst of @n elements */
uint8_t tile_worst_of(const void *p, unsigned int type, size_t n);
/** tile_worse() - classes of those floating-point elements of @d that are worse than @worst says */
uint8_t tile_worse(const uint8_t *worst, const void *d, unsigned int type, size_t n);

/** tile_vop_watch() - as v->run, for results of floating point, and note their overflows */
void tile_vop_watch(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		    const uint8_t *q, size_t n);

/**
 * struct tile_watch_mmad - what a floating-point MMAD is made of
 * @bias: NULL: none
 * @accumulate: of @c, too
 * @row: @a is one row of k elements
 */
struct tile_watch_mmad {
	const uint8_t *a;
	const uint8_t *b;
	const uint8_t *bias;
	uint8_t *c;
	uint32_t m;
	uint32_t n;
	uint32_t k;
	unsigned int type;
	bool accumulate;
	bool row;
};

/** tile_mmad_watch() - call @fn with @left and @right, and note the overflows */
void tile_mmad_watch(struct tile *t, const struct tile_watch_mmad *w, tile_mmad_fn fn,
		     const void *left, const void *right, const struct tile_mmad *shape);

/* Checking mode (check_vec.c, check_cube.c), of operands that have been accepted ------------------ */

/** tile_check_flat() - an operation over contiguous operands; @mask: VSEL's in memory, or NULL */
bool tile_check_flat(struct tile *t, const struct tile_vop *v, const uint8_t *mask);
bool tile_check_nd2nz(struct tile *t, const struct anpu_nd2nz_desc *n, unsigned int bytes);
void tile_carry_nd2nz(struct tile *t, const uint8_t *d, const struct anpu_nd2nz_desc *n, unsigned int bytes);
bool tile_check_square(struct tile *t, uint64_t dst, uint64_t dst_next, uint64_t src, uint64_t src_next,
		       unsigned int bits, bool l0b);
bool tile_check_load2d(struct tile *t, uint64_t src, uint64_t count, uint64_t src_step,
		       uint64_t dst_step, unsigned int bits);
bool tile_check_mmad(struct tile *t, uint32_t m, uint32_t n, uint32_t k, unsigned int type,
		     uint32_t flags);

/** bits_bytes() - bytes of @n elements of @bits each */
static inline uint64_t bits_bytes(uint64_t n, unsigned int bits)
{
	return (n * bits + 7) / 8;
}

/** tile_desc() - read a descriptor of 32 bytes */
bool tile_desc(struct tile *t, uint64_t va, void *desc);

/* sentences that several files need */
bool tile_no_sub(struct tile *t, unsigned int sub);
bool tile_no_type(struct tile *t, unsigned int type);

/**
 * tile_time() - tell the interpreter how long an operation took, by the @bytes that it moved or
 * worked on
 */
static inline void tile_time(struct tile *t, uint64_t bytes)
{
	t->b->tile_cost += (uint32_t)(bytes / 32);
}

/** tile_finish() - note what was written and saturate floating-point results if fpctl says so */
static inline void tile_finish(struct tile *t, uint64_t va, uint8_t *d, uint64_t size,
			       unsigned int type, size_t n)
{
	local_dirty(t->b, va, size);
	if (unlikely(t->b->csr.fpctl & ANPU_FPCTL_SATURATE) && t->k->sat[type])
		t->k->sat[type](d, n);
}

#endif /* ANPU_TILE_INT_H */
