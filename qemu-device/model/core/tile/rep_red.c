// SPDX-License-Identifier: MIT
/*
 * VREP of VRED: reductions in repeats of up to eight blocks, with strides and a mask. An element that
 * the mask leaves out keeps its place but takes no part: where sums are added in the order of places,
 * a sum of masked elements is that of the same elements with nothing in the gaps.
 */
#include "../check/check.h"
#include "red.h"

#define BLOCK	ANPU_LOCAL_ALIGN
#define BLOCKS	(ANPU_REPEAT_BYTES / BLOCK)

/**
 * struct rep_red - one operation
 * @lanes: the vector mask, NULL: all
 * @src_block: bytes from one block of a repeat to the next
 * @src_repeat: bytes from one repeat to the next
 * @dst_repeat: the same for dst
 * @step: bytes of one result
 */
struct rep_red {
	struct red r;
	const uint64_t *lanes;
	uint8_t *d, *s;
	uint64_t src_block, src_repeat, dst_repeat;
	uint32_t step;
	uint32_t repeat;
};

static bool selected(const struct rep_red *o, uint32_t i)
{
	return !o->lanes || (o->lanes[i / 64] >> (i % 64) & 1);
}

/* the first element of the n from i on that the mask selects, n if there is none */
static uint32_t first_of(const struct rep_red *o, uint32_t i, uint32_t n)
{
	uint32_t k = 0;

	while (k < n && !selected(o, i + k))
		k++;
	return k;
}

/* gives what the mask leaves out a value that changes no result: -0 or 0 for sums, else a selected one */
static void neutral(const struct rep_red *o, uint8_t *from, uint32_t i, uint32_t n, uint32_t first,
		    unsigned int op)
{
	unsigned int bytes = o->r.bytes;
	uint8_t value[8] = { 0 };

	if (op != ANPU_RED_SUM)
		memcpy(value, from + (size_t)first * bytes, bytes);
	else if (tile_is_float(o->r.type))
		value[bytes - 1] = 0x80;
	for (uint32_t k = 0; k < n; k++)
		if (!selected(o, i + k))
			memcpy(from + (size_t)k * bytes, value, bytes);
}

static void run_repeat(struct tile *t, const struct rep_red *o, uint32_t i, unsigned int op)
{
	_Alignas(32) uint8_t src[ANPU_REPEAT_BYTES];
	const struct red *r = &o->r;
	const uint8_t *s = o->s + i * o->src_repeat;
	uint32_t size = r->count * r->bytes, done = 0;

	for (; done + BLOCK <= size; done += BLOCK, s += o->src_block)
		memcpy(src + done, s, BLOCK);
	if (done < size)
		memcpy(src + done, s, size - done);
	for (uint32_t g = 0; g < r->groups; g++) {
		uint32_t at = g * r->group, left = r->count - at;
		uint32_t n = left < r->group ? left : r->group;
		uint8_t *d = o->d + i * o->dst_repeat + (uint64_t)g * o->step;
		uint32_t first = first_of(o, at, n);
		uint64_t value, index = 0;

		if (first == n)
			continue;
		if (o->lanes)
			neutral(o, src + (size_t)at * r->bytes, at, n, first, op);
		value = red_one(t, r, src + (size_t)at * r->bytes, n, &index);
		memcpy(d, &value, r->bytes);
		if (!r->find)
			continue;
		/* what was filled in before the first selected element has its value */
		index = index < first ? first : index;
		memcpy(d + r->bytes, &index, r->bytes);
	}
}

static bool check_repeats(struct tile *t, const struct rep_red *o)
{
	const struct red *r = &o->r;
	uint32_t per_block = BLOCK / r->bytes;

	for (uint32_t i = 0; i < o->repeat; i++) {
		for (uint32_t j = 0; j < r->count; j++) {
			uint64_t va = t->a->rs2 + i * o->src_repeat + j / per_block * o->src_block +
				      j % per_block * r->bytes;

			if (selected(o, j) && !check_read(t->b, "src0", va, r->bytes, t->fault))
				return false;
		}
		for (uint32_t g = 0; g < r->groups; g++) {
			uint32_t at = g * r->group, left = r->count - at;
			uint32_t n = left < r->group ? left : r->group;

			if (first_of(o, at, n) < n &&
			    !check_write(t->b, "dst", t->a->rs1 + i * o->dst_repeat + g * o->step,
					 o->step, t->fault))
				return false;
		}
	}
	return true;
}

static bool find_operands(struct tile *t, const struct anpu_rep_desc *desc, struct rep_red *o)
{
	const struct red *r = &o->r;
	uint64_t size = (uint64_t)r->count * r->bytes, blocks = (size + BLOCK - 1) / BLOCK;

	o->step = r->bytes * (r->find ? 2 : 1);
	o->repeat = desc->repeat;
	o->src_block = desc->src0_block * (uint64_t)BLOCK;
	o->src_repeat = desc->src0_repeat * (uint64_t)BLOCK;
	o->dst_repeat = desc->dst_repeat * (uint64_t)(ANPU_REPEAT_BYTES / r->bytes / r->group) *
			o->step;
	size = (o->repeat - 1) * o->src_repeat + (blocks - 1) * o->src_block + size -
	       (blocks - 1) * BLOCK;
	if (!tile_src(t, "src0", t->a->rs2, size, &o->s))
		return false;
	size = (o->repeat - 1) * o->dst_repeat + (uint64_t)r->groups * o->step;
	if (!tile_local(t, "dst", t->a->rs1, size, o->step, WIN_UB, ANPU_ACCESS_WRITE, &o->d))
		return false;
	local_dirty(t->b, t->a->rs1, size);
	return true;
}

static bool find_count(struct tile *t, uint64_t ctl, struct rep_red *o)
{
	struct red *r = &o->r;
	uint32_t most = ANPU_REPEAT_BYTES / r->bytes;

	if (!(ctl & ANPU_CTL_MASK))
		return r->count <= most ||
		       tile_fail(t, "count %u is more than a repeat of %u bytes holds", r->count,
				 ANPU_REPEAT_BYTES);
	if (r->count)
		return tile_fail(t, "count %u must be 0, since the mask selects", r->count);
	if (r->bytes < 2)
		return tile_fail(t, "the vector mask is not for types of 4 or 8 bits");
	r->count = most;
	o->lanes = t->b->csr.vmask;
	return true;
}

bool tile_vrep_red(struct tile *t, const struct anpu_rep_desc *desc)
{
	unsigned int sub = ANPU_CTL_GET_SUB(desc->ctl);
	struct rep_red o = { .lanes = NULL };

	if (!red_find(t, desc->ctl, ANPU_CTL_MASK, &o.r))
		return false;
	if ((sub & 0x30) == ANPU_RED_WHOLE)
		return tile_fail(t, "scope WHOLE: a repeat is reduced by REPEAT, BLOCK or PAIR");
	if (desc->dst_block || desc->src1_block || desc->src1_repeat)
		return tile_fail(t, "strides of src1 and the block stride of dst must be 0");
	if (!find_count(t, desc->ctl, &o))
		return false;
	if (!o.r.count)
		return true;
	if (!red_group(t, &o.r, sub & 0x30) || !find_operands(t, desc, &o) ||
	    (unlikely(t->b->check) && !check_repeats(t, &o)))
		return false;
	for (uint32_t i = 0; i < o.repeat; i++)
		run_repeat(t, &o, i, sub & 15);
	tile_time(t, o.repeat * 1024ULL);
	return true;
}
