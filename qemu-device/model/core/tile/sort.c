// SPDX-License-Identifier: MIT
/*
 * Sorting: groups of 32 values with their indexes to records, and merging of sorted lists. Both
 * are stable, and descending; +0 and -0 are equal, NaN is greater than everything.
 *
 * A record is 8 bytes: the value (4 bytes, or 2 bytes and 2 zero bytes), then the index.
 */
#include "../check/check.h"
#include "tile_int.h"

#define GROUP	32
#define RECORD	8
#define LISTS	4

/* a number whose unsigned order is the order of the values */
static inline uint32_t key_of(uint32_t bits, bool half)
{
	uint32_t mag, key;

	if (half)
		bits <<= 16;
	mag = bits & 0x7fffffff;
	bits = mag ? bits : 0;
	key = bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
	return mag > (half ? 0x7c000000u : 0x7f800000u) ? UINT32_MAX : key;
}

static inline uint32_t value_at(const uint8_t *p, bool half)
{
	uint16_t narrow;
	uint32_t wide;

	if (half) {
		memcpy(&narrow, p, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, p, sizeof(wide));
	return wide;
}

static bool sort_type(struct tile *t, uint64_t ctl, bool *half)
{
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);

	*half = type == ANPU_TYPE_F16;
	return type == ANPU_TYPE_F32 || type == ANPU_TYPE_F16 || tile_no_type(t, type);
}

/* A vector that any x86-64 has, and other hosts; keys in it are signed */
#define LANES 4
typedef int32_t lanes __attribute__((vector_size(4 * LANES)));

/*
 * Each element's place is the number of elements that come before it: those with a greater key, and in front of it those with an
 * equal one, for which the key less 1 is compared. No key is the least number.
 */
static void find_places(const int32_t *key, lanes *place)
{
	static const lanes behind[LANES] = { { 0, -1, -1, -1 }, { 0, 0, -1, -1 }, { 0, 0, 0, -1 }, { 0, 0, 0, 0 } };
	lanes of[GROUP / LANES];

	memcpy(of, key, sizeof(of));
	memset(place, 0, sizeof(of));
	for (unsigned int j = 0; j < GROUP; j++) {
		lanes one = { key[j], key[j], key[j], key[j] };
		unsigned int at = j / LANES;

		for (unsigned int i = 0; i < at; i++)
			place[i] -= one > of[i];
		place[at] -= one > of[at] + behind[j % LANES];
		for (unsigned int i = at + 1; i < GROUP / LANES; i++)
			place[i] -= one > of[i] - 1;
	}
}

static inline __attribute__((always_inline)) void sort_group(uint8_t *d, const uint8_t *s, const uint8_t *index, bool half)
{
	uint32_t value[GROUP];
	int32_t key[GROUP];
	lanes place[GROUP / LANES];

	for (unsigned int i = 0; i < GROUP; i++) {
		value[i] = value_at(s + i * (half ? 2 : 4), half);
		key[i] = (int32_t)(key_of(value[i], half) ^ 0x80000000u);
	}
	find_places(key, place);
	for (unsigned int i = 0; i < GROUP; i++) {
		uint8_t *to = d + (uint32_t)place[i / LANES][i % LANES] * RECORD;

		memcpy(to, &value[i], 4);
		memcpy(to + 4, index + i * 4, 4);
	}
}

static bool disjoint(struct tile *t, uint64_t dst, uint64_t dst_size, const char *role,
		     uint64_t src, uint64_t src_size)
{
	if (dst >= src + src_size || src >= dst + dst_size)
		return true;
	return tile_fail(t, "dst 0x%llx + %llu overlaps %s 0x%llx + %llu",
			 (unsigned long long)dst, (unsigned long long)dst_size, role,
			 (unsigned long long)src, (unsigned long long)src_size);
}

bool tile_vsort(struct tile *t)
{
	uint64_t ctl = t->a->rd;
	uint64_t n = ANPU_CTL_GET_COUNT(ctl), bytes;
	uint8_t *d, *s, *index;
	bool half;

	if (!tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE) || !sort_type(t, ctl, &half))
		return false;
	if (n % GROUP)
		return tile_fail(t, "count %llu is not a multiple of %d", (unsigned long long)n,
				 GROUP);
	if (!n)
		return true;
	bytes = half ? 2 : 4;
	if (!tile_dst(t, t->a->rs1, n * RECORD, &d) || !tile_src(t, "src", t->a->rs2, n * bytes, &s) ||
	    !tile_src(t, "index", t->a->rs3, n * 4, &index) ||
	    !disjoint(t, t->a->rs1, n * RECORD, "src", t->a->rs2, n * bytes) ||
	    !disjoint(t, t->a->rs1, n * RECORD, "index", t->a->rs3, n * 4))
		return false;
	if (unlikely(t->b->check) &&
	    (!check_read(t->b, "src", t->a->rs2, n * bytes, t->fault) ||
	     !check_read(t->b, "index", t->a->rs3, n * 4, t->fault) ||
	     !check_write(t->b, "dst", t->a->rs1, n * RECORD, t->fault)))
		return false;
	local_dirty(t->b, t->a->rs1, n * RECORD);
	for (uint64_t i = 0; i < n && half; i += GROUP)
		sort_group(d + i * RECORD, s + i * 2, index + i * 4, true);
	for (uint64_t i = 0; i < n && !half; i += GROUP)
		sort_group(d + i * RECORD, s + i * 4, index + i * 4, false);
	tile_time(t, 512 * n);
	return true;
}

/* Merging ------------------------------------------------------------------------------------------ */

struct list {
	const uint8_t *p;
	uint32_t left;
	uint64_t rank; /* of the next record: its key, then the earlier list is greater; 0 if there is none */
};

static inline void look(struct list *lists, unsigned int i, bool half)
{
	struct list *l = &lists[i];

	l->rank = l->left ? (uint64_t)key_of(value_at(l->p, half), half) << 3 | (LISTS - i) : 0;
}

static inline uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* merges until all lists are empty, or with @suspend until one is */
static void merge(struct list *lists, uint8_t *d, bool half, bool suspend)
{
	for (;;) {
		uint64_t rank = greater(greater(lists[0].rank, lists[1].rank), greater(lists[2].rank, lists[3].rank));
		unsigned int i = LISTS - (unsigned int)(rank & 7);

		if (!rank)
			return;
		memcpy(d, lists[i].p, RECORD);
		d += RECORD;
		lists[i].p += RECORD;
		if (!--lists[i].left && suspend)
			return;
		look(lists, i, half);
	}
}

/*
 * Checking mode, after merging: elements that a suspended merge has not looked at may be unwritten.
 */
static bool check_merge(struct tile *t, const struct anpu_mrg_desc *desc, const struct list *lists)
{
	uint64_t written = 0;

	for (int i = 0; i < LISTS; i++) {
		uint64_t taken = desc->list[i].count - lists[i].left;
		uint64_t seen = taken + !!lists[i].left;

		written += taken;
		if (seen && !check_read(t->b, "list", desc->list[i].addr, seen * RECORD, t->fault))
			return false;
	}
	return !written || check_write(t->b, "dst", t->a->rs1, written * RECORD, t->fault);
}

bool tile_vmrg(struct tile *t)
{
	uint64_t ctl = t->a->rd, total = 0, taken = 0;
	struct anpu_mrg_desc desc;
	struct list lists[LISTS];
	bool half;
	uint8_t *d;

	if (!tile_ctl(t, "ctl", ctl, CTL_TYPE | CTL_SUB) || !sort_type(t, ctl, &half) ||
	    !tile_ctl(t, "rs2", t->a->rs2, 0))
		return false;
	if (ANPU_CTL_GET_SUB(ctl) > ANPU_MRG_SUSPEND)
		return tile_no_sub(t, ANPU_CTL_GET_SUB(ctl));
	if (!tile_desc(t, t->a->rs3, &desc))
		return false;
	for (int i = 0; i < LISTS; i++) {
		uint8_t *p = NULL;

		lists[i].left = desc.list[i].count;
		if (lists[i].left &&
		    !tile_local(t, "list", desc.list[i].addr, (uint64_t)lists[i].left * RECORD, RECORD,
				WIN_UB, ANPU_ACCESS_READ, &p))
			return false;
		lists[i].p = p;
		look(lists, i, half);
		total += lists[i].left;
	}
	if (total && !tile_dst(t, t->a->rs1, total * RECORD, &d))
		return false;
	for (int i = 0; i < LISTS; i++)
		if (lists[i].left && !disjoint(t, t->a->rs1, total * RECORD, "list", desc.list[i].addr,
					       (uint64_t)lists[i].left * RECORD))
			return false;
	if (total) {
		local_dirty(t->b, t->a->rs1, total * RECORD);
		merge(lists, d, half, ANPU_CTL_GET_SUB(ctl) == ANPU_MRG_SUSPEND);
	}
	if (unlikely(t->b->check) && !check_merge(t, &desc, lists))
		return false;
	for (int i = 0; i < LISTS; i++)
		taken |= (uint64_t)(desc.list[i].count - lists[i].left) << (16 * i);
	t->b->csr.vcount = taken;
	tile_time(t, 160 * total);
	return true;
}
