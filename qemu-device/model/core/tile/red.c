// SPDX-License-Identifier: MIT
/*
 * VRED: reductions to sums and extremes over all elements or groups of them.
 */
#include "../check/check.h"
#include "red.h"

bool red_group(struct tile *t, struct red *r, unsigned int scope)
{
	switch (scope) {
	case ANPU_RED_WHOLE: r->group = r->count; break;
	case ANPU_RED_REPEAT: r->group = ANPU_REPEAT_BYTES / r->bytes; break;
	case ANPU_RED_BLOCK: r->group = ANPU_LOCAL_ALIGN / r->bytes; break;
	default: r->group = 2; break;
	}
	r->groups = r->count / r->group + !!(r->count % r->group);
	if (r->find && r->bytes == 2 && r->group > 0x10000)
		return tile_fail(t, "count %u: a 16-bit index ends at 65535", r->count);
	return true;
}

bool red_find(struct tile *t, uint64_t ctl, uint64_t flags, struct red *r)
{
	unsigned int sub = ANPU_CTL_GET_SUB(ctl);
	bool index = ctl & ANPU_CTL_INDEX;

	r->type = ANPU_CTL_GET_TYPE(ctl);
	r->count = ANPU_CTL_GET_COUNT(ctl);
	if (!tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE | CTL_SUB | ANPU_CTL_INDEX | flags) ||
	    !tile_ctl(t, "rs3", t->a->rs3, 0))
		return false;
	if ((sub & 15) > ANPU_RED_MIN)
		return tile_no_sub(t, sub);
	r->fn = r->type < TILE_TYPES ? t->k->red[sub & 15][r->type] : NULL;
	if (!r->fn)
		return tile_no_type(t, r->type);
	r->bytes = tile_type_bits[r->type] / 8;
	r->find = index ? t->k->find[r->type] : NULL;
	r->fold = index || (sub & 0x30) == ANPU_RED_WHOLE ? NULL : t->k->fold[sub & 15][r->type];
	if (index && (sub & 15) == ANPU_RED_SUM)
		return tile_fail(t, "a sum has no index");
	if (index && !r->find)
		return tile_fail(t, "type %s is too narrow for an index", tile_type_name(r->type));
	return true;
}

static uint64_t saturate(struct tile *t, unsigned int type, uint64_t bits)
{
	if (unlikely(t->b->csr.fpctl & ANPU_FPCTL_SATURATE) && t->k->sat[type])
		t->k->sat[type](&bits, 1);
	return bits;
}

uint64_t red_one(struct tile *t, const struct red *r, const uint8_t *from, uint32_t n,
		 uint64_t *index)
{
	uint64_t value = r->fn(from, n);

	if (r->find)
		*index = r->find(from, n, value);
	if (unlikely(t->b->watch) && tile_is_float(r->type)) {
		uint8_t worst = tile_worst_of(from, r->type, n);

		t->b->overflow |= tile_worse(&worst, &value, r->type, 1);
	}
	return saturate(t, r->type, value);
}

/* groups that are looked at together */
#define CHUNK	256

/* r->fold() part by part, so that a result is not yet written where elements are still to be seen */
static void fold_watched(struct tile *t, const struct red *r, uint8_t *d, const uint8_t *p,
			 uint32_t groups)
{
	uint8_t worst[CHUNK];

	for (uint32_t i = 0, n; i < groups; i += n) {
		const uint8_t *from = p + (uint64_t)i * r->group * r->bytes;

		n = groups - i < CHUNK ? groups - i : CHUNK;
		for (uint32_t j = 0; j < n; j++)
			worst[j] = tile_worst_of(from + (uint64_t)j * r->group * r->bytes, r->type,
						 r->group);
		r->fold(d + (uint64_t)i * r->bytes, from, n, r->group);
		t->b->overflow |= tile_worse(worst, d + (uint64_t)i * r->bytes, r->type, n);
	}
}

bool tile_vred(struct tile *t)
{
	uint64_t size, value = 0, index = 0;
	uint32_t first = 0;
	unsigned int step;
	uint8_t *d, *p;
	struct red r = { 0 };

	if (!red_find(t, t->a->rd, 0, &r))
		return false;
	if (!r.count)
		return true;
	if (!red_group(t, &r, ANPU_CTL_GET_SUB(t->a->rd) & 0x30))
		return false;
	step = r.bytes * (r.find ? 2 : 1);
	size = (uint64_t)r.groups * step;
	if (!tile_local(t, "dst", t->a->rs1, size, step, WIN_UB, ANPU_ACCESS_WRITE, &d) ||
	    !tile_src(t, "src", t->a->rs2, (uint64_t)r.count * r.bytes, &p) ||
	    !tile_overlap(t, t->a->rs1, size, "src", t->a->rs2, (uint64_t)r.count * r.bytes))
		return false;
	if (unlikely(t->b->check) &&
	    (!check_read(t->b, "src", t->a->rs2, (uint64_t)r.count * r.bytes, t->fault) ||
	     !check_write(t->b, "dst", t->a->rs1, size, t->fault)))
		return false;
	local_dirty(t->b, t->a->rs1, size);
	if (r.fold) {
		/* all groups but a last one that is shorter */
		first = r.count / r.group;
		if (unlikely(t->b->watch))
			fold_watched(t, &r, d, p, first);
		else
			r.fold(d, p, first, r.group);
		if (unlikely(t->b->csr.fpctl & ANPU_FPCTL_SATURATE))
			t->k->sat[r.type](d, first);
	}
	for (uint32_t i = first; i < r.groups; i++) {
		const uint8_t *from = p + (uint64_t)i * r.group * r.bytes;
		uint32_t left = r.count - i * r.group;
		uint32_t n = left < r.group ? left : r.group;

		value = red_one(t, &r, from, n, &index);
		/* a result is never behind the elements that are still to be read */
		memcpy(d + (uint64_t)i * step, &value, r.bytes);
		if (r.find)
			memcpy(d + (uint64_t)i * step + r.bytes, &index, r.bytes);
	}
	if (r.groups == 1 && (ANPU_CTL_GET_SUB(t->a->rd) & 0x30) == ANPU_RED_WHOLE)
		t->b->csr.accval = (uint32_t)value | index << 32;
	tile_time(t, 2 * (uint64_t)r.count * r.bytes + 512 * (uint64_t)r.groups);
	return true;
}
