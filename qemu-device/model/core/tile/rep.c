// SPDX-License-Identifier: MIT
/*
 * VREP: a vector operation in repeats of up to eight blocks, with strides and a mask. Repeats run
 * one after the other, and each reads all its sources before it writes: results are as if the
 * repeats were separate operations.
 */
#include "../check/check.h"
#include "red.h"

#define BLOCKS	8
#define BLOCK	ANPU_LOCAL_ALIGN
/* a repeat's elements in a row; VCMP has at most 256 bits */
#define REPEAT	ANPU_REPEAT_BYTES
/** MAX_REPEAT - bounds the time of one operation */
#define MAX_REPEAT	4095

/**
 * struct strided - one operand
 * @p: host address of its first block
 * @block: bytes from one block to the next
 * @repeat: bytes from one repeat to the next
 * @size: bytes per repeat
 * @bits: per element, 0: no such operand
 */
struct strided {
	uint8_t *p;
	uint64_t va;
	uint64_t block;
	uint64_t repeat;
	uint32_t size;
	uint32_t bits;
};

struct rep {
	struct tile_vop v;
	struct strided d;
	struct strided s[2];
	uint8_t *sel_mask;
	const uint64_t *lanes;
	uint32_t count;
	uint32_t repeat;
	bool dense;
	bool to_csr;
};

static void gather(uint8_t *to, const uint8_t *p, const struct strided *o)
{
	uint32_t left = o->size;

	for (; left > BLOCK; left -= BLOCK, to += BLOCK, p += o->block)
		memcpy(to, p, BLOCK);
	memcpy(to, p, left);
}

/* writes the elements whose bit in lanes is set; NULL: all */
static void scatter(uint8_t *p, const uint8_t *from, const struct strided *o,
		    const uint64_t *lanes)
{
	uint32_t bytes = o->bits / 8, per_block = BLOCK / bytes;
	uint32_t n = o->size / bytes;

	if (!lanes) {
		uint32_t left = o->size;

		for (; left > BLOCK; left -= BLOCK, from += BLOCK, p += o->block)
			memcpy(p, from, BLOCK);
		memcpy(p, from, left);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (lanes[i / 64] >> (i % 64) & 1)
			memcpy(p + i / per_block * o->block + i % per_block * bytes,
			       from + i * bytes, bytes);
}

static void run_repeat(struct tile *t, const struct rep *r, uint32_t i)
{
	_Alignas(32) uint8_t src[2][REPEAT], dst[REPEAT];
	const uint8_t *mask = r->sel_mask;
	uint8_t *d = r->d.p + i * r->d.repeat;

	for (int k = 0; k < 2; k++)
		if (r->s[k].bits)
			gather(src[k], r->s[k].p + i * r->s[k].repeat, &r->s[k]);
	if (r->v.dst_is_src)
		gather(dst, d, &r->d);
	if (r->v.has_mask && r->v.sel_op == ANPU_SEL_TENSOR)
		mask += i * (r->count / 8);
	tile_vop_run(t, &r->v, dst, src[0], src[1], mask, r->count);
	if (r->d.bits != 1) {
		scatter(d, dst, &r->d, r->lanes);
		return;
	}
	for (uint32_t j = 0; j < r->d.size; j++)
		d[j] = dst[j] & (r->lanes ? (uint8_t)(r->lanes[j / 8] >> (j % 8 * 8)) : 0xff);
}

/* Checking mode ------------------------------------------------------------------------------------ */

typedef bool (*check_fn)(struct core_block *b, const char *role, uint64_t va, uint64_t size,
			 struct core_fault *fault);

/* whole blocks of repeat i */
static bool check_blocks(struct tile *t, const struct strided *o, const char *role, uint32_t i,
			 check_fn fn)
{
	uint64_t va = o->va + i * o->repeat;

	for (uint32_t done = 0; done < o->size; done += BLOCK, va += o->block)
		if (!fn(t->b, role, va, o->size - done < BLOCK ? o->size - done : BLOCK, t->fault))
			return false;
	return true;
}

/* elements of repeat i that the vector mask selects, and VSEL if @sel is 0 or 1 */
static bool check_lanes(struct tile *t, const struct rep *r, const struct strided *o,
			const char *role, uint32_t i, int sel, check_fn fn)
{
	uint32_t bytes = o->bits / 8, per_block = BLOCK / bytes;
	const uint8_t *mask = r->sel_mask;

	if (r->v.has_mask && r->v.sel_op == ANPU_SEL_TENSOR)
		mask += i * (r->count / 8);
	for (uint32_t j = 0; j < r->count; j++) {
		uint64_t va = o->va + i * o->repeat + j / per_block * o->block + j % per_block * bytes;

		if ((r->lanes && !(r->lanes[j / 64] >> (j % 64) & 1)) ||
		    (sel >= 0 && (mask[j / 8] >> (j % 8) & 1) != sel))
			continue;
		if (!fn(t->b, role, va, bytes, t->fault))
			return false;
	}
	return true;
}

static bool check_operand(struct tile *t, const struct rep *r, const struct strided *o,
			  const char *role, uint32_t i, int sel, check_fn fn)
{
	/* VCMP writes whole bytes, and zeros for what is not selected */
	if ((!r->lanes && sel < 0) || o->bits < 8)
		return check_blocks(t, o, role, i, fn);
	return check_lanes(t, r, o, role, i, sel, fn);
}

static bool check_repeats(struct tile *t, const struct rep *r)
{
	bool sel = r->v.has_mask, tensor = sel && r->v.sel_op == ANPU_SEL_TENSOR;

	for (uint32_t i = 0; i < r->repeat; i++) {
		uint64_t mask = t->b->csr.selmask + i * (r->count / 8);

		if ((tensor && !check_read(t->b, "CSR selmask", mask, r->count / 8, t->fault)) ||
		    (r->s[0].bits && !check_operand(t, r, &r->s[0], "src0", i, sel ? 1 : -1,
						    check_read)) ||
		    (r->s[1].bits && !check_operand(t, r, &r->s[1], "src1", i, sel ? 0 : -1,
						    check_read)) ||
		    (r->v.dst_is_src && !check_operand(t, r, &r->d, "dst", i, -1, check_read)) ||
		    (!r->to_csr && !check_operand(t, r, &r->d, "dst", i, -1, check_write)))
			return false;
	}
	return true;
}

/* Checks ------------------------------------------------------------------------------------------- */

static bool find_operand(struct tile *t, struct rep *r, struct strided *o, const char *role,
			 uint32_t access)
{
	uint64_t blocks = (o->size + BLOCK - 1) / BLOCK;
	uint64_t size = (r->repeat - 1) * o->repeat + (blocks - 1) * o->block +
			(o->size - (blocks - 1) * BLOCK);

	if (!tile_local(t, role, o->va, size, ANPU_LOCAL_ALIGN, WIN_UB, access, &o->p))
		return false;
	if (access == ANPU_ACCESS_WRITE)
		local_dirty(t->b, o->va, size);
	return true;
}

static bool find_lanes(struct tile *t, struct rep *r, const struct anpu_rep_desc *desc)
{
	unsigned int widest = r->d.bits;

	for (int k = 0; k < 2; k++)
		if (r->s[k].bits > widest)
			widest = r->s[k].bits;
	r->lanes = NULL;
	if (!(desc->ctl & ANPU_CTL_MASK)) {
		r->count = r->v.count;
		return bits_bytes(r->count, widest) <= REPEAT ||
		       tile_fail(t, "count %u is more than a repeat of %u bytes holds", r->count,
				 REPEAT);
	}
	if (r->v.count)
		return tile_fail(t, "count %u must be 0, since the mask selects", r->v.count);
	if (widest < 16 || r->d.bits == 4)
		return tile_fail(t, "the vector mask is not for types of 4 or 8 bits");
	r->count = REPEAT * 8 / widest;
	r->lanes = t->b->csr.vmask;
	r->v.lanes = r->lanes;
	return true;
}

static bool find_strides(struct tile *t, struct rep *r, const struct anpu_rep_desc *desc)
{
	r->d.va = t->a->rs1;
	r->d.block = desc->dst_block * (uint64_t)BLOCK;
	r->d.repeat = desc->dst_repeat * (uint64_t)BLOCK;
	r->s[0].va = t->a->rs2;
	r->s[0].block = desc->src0_block * (uint64_t)BLOCK;
	r->s[0].repeat = desc->src0_repeat * (uint64_t)BLOCK;
	r->s[1].va = t->a->rs3;
	r->s[1].block = desc->src1_block * (uint64_t)BLOCK;
	r->s[1].repeat = desc->src1_repeat * (uint64_t)BLOCK;
	for (int k = 0; k < 2; k++) {
		r->s[k].size = (uint32_t)bits_bytes(r->count, r->s[k].bits);
		if (!r->s[k].bits && (r->s[k].block || r->s[k].repeat))
			return tile_fail(t, "strides of src%d must be 0, it is not in memory", k);
	}
	r->d.size = (uint32_t)bits_bytes(r->count, r->d.bits);
	if (r->d.bits != 1)
		return true;
	if (r->d.block || r->d.repeat)
		return tile_fail(t, "strides of dst must be 0: bits of repeats follow each other");
	if (r->count % 8)
		return tile_fail(t, "count %u is not a multiple of 8", r->count);
	r->d.block = BLOCK;
	r->d.repeat = r->d.size;
	return true;
}

static bool find_mask(struct tile *t, struct rep *r)
{
	if (!r->v.has_mask) {
		r->sel_mask = NULL;
		return true;
	}
	if (r->v.sel_op == ANPU_SEL_CMPMASK) {
		r->sel_mask = (uint8_t *)t->b->csr.cmpmask;
		return true;
	}
	if (r->count % 8)
		return tile_fail(t, "count %u is not a multiple of 8", r->count);
	return tile_src(t, "CSR selmask", t->b->csr.selmask, (uint64_t)r->repeat * r->count / 8,
			&r->sel_mask);
}

static bool check_desc(struct tile *t, const struct anpu_rep_desc *desc)
{
	if (desc->reserved0 || desc->reserved)
		return tile_fail(t, "a reserved field of the descriptor is not zero");
	if (!desc->repeat || desc->repeat > MAX_REPEAT)
		return tile_fail(t, "repeat %u is not from 1 to %u", desc->repeat, MAX_REPEAT);
	return true;
}

/* whether the repeats of an operand lie one behind the other, full and without gaps */
static bool is_dense(const struct strided *o)
{
	return !o->bits || (o->block == BLOCK && o->repeat == o->size && o->size % BLOCK == 0);
}

static bool apart(const struct rep *r, const struct strided *s)
{
	uint64_t d_size = (uint64_t)r->repeat * r->d.size, s_size = (uint64_t)r->repeat * s->size;

	return !s->bits || r->d.va + d_size <= s->va || s->va + s_size <= r->d.va ||
	       (r->d.va == s->va && r->d.bits == s->bits);
}

/* VCMP to the compare mask, which holds the bits of one repeat */
static bool find_csr(struct tile *t, struct rep *r, const struct anpu_rep_desc *desc)
{
	if (desc->op != ANPU_TILE_VCMP || r->repeat != 1 || t->a->rs1)
		return tile_fail(t, "the flag CMPMASK is for one repeat of VCMP with dst 0");
	if (r->count > sizeof(t->b->csr.cmpmask) * 8)
		return tile_fail(t, "count %u is more than the bits of the compare mask", r->count);
	r->d.p = (uint8_t *)t->b->csr.cmpmask;
	return true;
}

static bool prepare(struct tile *t, struct rep *r, const struct anpu_rep_desc *desc)
{
	const uint64_t scalar = desc->op == ANPU_TILE_VDUP ? t->a->rs2 : t->a->rs3;

	if (!tile_vop_find(t, desc->op, desc->ctl, ANPU_CTL_MASK | ANPU_CTL_CMPMASK, &r->v))
		return false;
	r->to_csr = desc->ctl & ANPU_CTL_CMPMASK;
	r->repeat = desc->repeat;
	r->d.bits = r->v.dst_bits;
	r->s[0].bits = r->v.src_bits[0];
	r->s[1].bits = r->v.src_bits[1];
	if (!find_lanes(t, r, desc) || !find_strides(t, r, desc))
		return false;
	if (!r->count)
		return true;
	if ((desc->op == ANPU_TILE_VUN || desc->op == ANPU_TILE_VCVT || desc->op == ANPU_TILE_VDUP) &&
	    !tile_ctl(t, "rs3", t->a->rs3, 0))
		return false;
	if ((!r->to_csr && !find_operand(t, r, &r->d, "dst", ANPU_ACCESS_WRITE)) ||
	    (r->s[0].bits && !find_operand(t, r, &r->s[0], "src0", ANPU_ACCESS_READ)) ||
	    (r->s[1].bits && !find_operand(t, r, &r->s[1], "src1", ANPU_ACCESS_READ)) ||
	    !find_mask(t, r) || (r->to_csr && !find_csr(t, r, desc)))
		return false;
	r->dense = !r->lanes && !r->v.has_mask && r->d.bits != 1 && is_dense(&r->d) &&
		   is_dense(&r->s[0]) && is_dense(&r->s[1]) && apart(r, &r->s[0]) &&
		   apart(r, &r->s[1]);
	if (r->v.has_scalar)
		tile_vop_scalar(&r->v, scalar, r->dense ? TILE_SPLAT : r->count);
	return true;
}

bool tile_vrep(struct tile *t)
{
	struct anpu_rep_desc desc;
	struct rep r;

	if (!tile_desc(t, t->a->rd, &desc) || !check_desc(t, &desc))
		return false;
	if (desc.op == ANPU_TILE_VRED)
		return tile_vrep_red(t, &desc);
	if (!prepare(t, &r, &desc))
		return false;
	if (!r.count)
		return true;
	if (unlikely(t->b->check) && !check_repeats(t, &r))
		return false;
	if (r.to_csr)
		memset(t->b->csr.cmpmask, 0, sizeof(t->b->csr.cmpmask));
	if (r.dense)
		tile_vop_run(t, &r.v, r.d.p, r.s[0].p, r.s[1].p, NULL,
			     (size_t)r.count * r.repeat);
	else
		for (uint32_t i = 0; i < r.repeat; i++)
			run_repeat(t, &r, i);
	tile_time(t, (uint64_t)r.repeat * r.v.cost * REPEAT * 2);
	return true;
}
