/* SPDX-License-Identifier: MIT */
/* Loads, stores and atomic instructions of lanes. Part of run.h. */

/* Host address of [@va, @last] if that is in one page which may be read, or written, without a look-up. */
ALWAYS uint8_t *page_of(const struct core_block *b, uint64_t va, uint64_t last, const bool write)
{
	const struct tlb_entry *e = &b->tlb[tlb_index(va)];

	if ((write ? e->wtag : e->rtag) != va >> PAGE_SHIFT || (va ^ last) >> PAGE_SHIFT)
		return NULL;
	return (uint8_t *)(uintptr_t)(va + e->off);
}

/* @bytes of @va for lane @l; false: it has faulted */
ALWAYS bool load_one(struct lanes *g, unsigned int l, uint64_t va, unsigned int bytes, void *to)
{
	const uint8_t *p = page_of(g->b, va, va + bytes - 1, false);

	if (likely(p)) {
		memcpy(to, p, bytes);
		return true;
	}
	g->delay += COST_SLOW_MEM;
	if (likely(mem_load_slow(g->b, va, bytes, to, g->fault)))
		return true;
	g->bad = l;
	return false;
}

ALWAYS bool store_one(struct lanes *g, unsigned int l, uint64_t va, unsigned int bytes, const void *from)
{
	uint8_t *p = page_of(g->b, va, va + bytes - 1, true);

	if (likely(p)) {
		memcpy(p, from, bytes);
		return true;
	}
	g->delay += COST_SLOW_MEM;
	if (likely(mem_store_slow(g->b, va, bytes, from, g->fault)))
		return true;
	g->bad = l;
	return false;
}

/*
 * Host address of what all lanes of a line read, from @va to @last; NULL: not in one page. The first byte
 * brings the page into the TLB if it is not there. If that fails, the lanes tell why in their turn.
 */
ALWAYS const uint8_t *page_of_line(struct lanes *g, uint64_t va, uint64_t last)
{
	const uint8_t *p = page_of(g->b, va, last, false);
	uint8_t byte;

	if (likely(p) || (va ^ last) >> PAGE_SHIFT)
		return p;
	g->delay += COST_SLOW_MEM;
	return mem_load_slow(g->b, va, 1, &byte, g->fault) ? page_of(g->b, va, last, false) : NULL;
}

/*
 * A load into the row @d, of elements of the type @element; @value is made of v. Lanes that walk through
 * memory side by side, or in steps within a page, read with one look-up for each warp; those that are not in
 * the group, too, which does no harm.
 */
#define LOADER(name, type, value, element) \
ALWAYS bool load_line_##name(struct lanes *g, uint64_t va, uint64_t step, element *d) \
{ \
	const uint8_t *p = page_of_line(g, va, va + (LANES - 1) * step + sizeof(type) - 1); \
	\
	if (p && step == sizeof(type)) { \
		EACH_LANE { \
			type v; \
			\
			memcpy(&v, p + l * sizeof(type), sizeof(v)); \
			d[l] = (element)(value); \
		} \
		return true; \
	} \
	for (size_t l = 0; p && l < LANES; l++) { \
		type v; \
		\
		memcpy(&v, p + l * step, sizeof(v)); \
		d[l] = (element)(value); \
	} \
	return p; \
} \
ALWAYS bool load_row_##name(struct lanes *g, const struct lane_insn *i, element *d, const bool whole) \
{ \
	struct warp *w = g->w; \
	/* the row of a line is not made, as @d may be in its place */ \
	const uint64_t *a = whole && has_line(w, i->rs1) ? NULL : warp_row(w, i->rs1); \
	uint64_t step = w->step[i->rs1], va = w->base[i->rs1] + IMM; \
	\
	EACH_WARP(width(g, whole)) { \
		if (!a && step < PAGE_SIZE && load_line_##name(g, va + first * step, step, d + first)) \
			continue; \
		for (uint32_t left = g->mask; left; left &= left - 1) { \
			size_t l = first + (unsigned int)__builtin_ctz(left); \
			uint64_t at = a ? a[l] + IMM : va + l * step; \
			type v; \
			\
			if (unlikely(!load_one(g, (unsigned int)l, at, sizeof(v), &v))) \
				return false; \
			d[l] = (element)(value); \
		} \
	} \
	return true; \
}

/* The address is the same in all lanes, as that of a parameter is. */
ALWAYS bool same_address(const struct warp *w, const struct lane_insn *i)
{
	return has_line(w, i->rs1) && !w->step[i->rs1];
}

#define LOADER_X(name, type, value) \
LOADER(name, type, value, uint64_t) \
ALWAYS bool load_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	struct warp *w = g->w; \
	type v; \
	\
	if (!whole) \
		return load_row_##name(g, i, warp_own(w, i->rd), whole); \
	if (same_address(w, i)) { \
		if (!load_one(g, (unsigned int)__builtin_ctz(g->mask), w->base[i->rs1] + IMM, \
			      sizeof(v), &v)) \
			return false; \
		set_line(w, i->rd, (uint64_t)(value), 0); \
		return true; \
	} \
	if (!load_row_##name(g, i, x_row(w, i->rd), whole)) \
		return false; \
	has_row(w, i->rd); \
	return true; \
}

/* Into the lower halves of boxed singles; those that are wider than @type have ones in between. */
#define LOADER_S(name, type, value) \
LOADER(name, type, value, uint32_t) \
ALWAYS bool load_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	struct warp *w = g->w; \
	union lane_singles other; \
	uint32_t *d = whole ? s_row(w, i->rd) : other.u; \
	const size_t n = width(g, whole); \
	type v; \
	\
	if (whole && same_address(w, i)) { \
		if (!load_one(g, (unsigned int)__builtin_ctz(g->mask), w->base[i->rs1] + IMM, \
			      sizeof(v), &v)) \
			return false; \
		EACH_OF(n) d[l] = (uint32_t)(value); \
	} else if (!load_row_##name(g, i, d, whole)) { \
		return false; \
	} \
	if (!whole) \
		put_s(g, i->rd, 0, &other, whole, false); \
	set_singles(g, i->rd, whole); \
	return true; \
}

#define LOADER_D(name, type, value) \
LOADER(name, type, value, uint64_t) \
ALWAYS bool load_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	if (!load_row_##name(g, i, whole ? f_row(g->w, i->rd) : warp_f_row(g->w, i->rd), whole)) \
		return false; \
	g->w->place[i->rd] = LANE_F_ROW; \
	return true; \
}

#define LOADS_X(LOAD) \
	LOAD(lb, int8_t, (int64_t)v) \
	LOAD(lh, int16_t, (int64_t)v) \
	LOAD(lw, int32_t, (int64_t)v) \
	LOAD(ld, uint64_t, v) \
	LOAD(lbu, uint8_t, v) \
	LOAD(lhu, uint16_t, v) \
	LOAD(lwu, uint32_t, v)
#define LOADS_S(LOAD) \
	LOAD(flh, uint16_t, (uint32_t)BOX_H | v) \
	LOAD(flw, uint32_t, v)
#define LOADS_D(LOAD) \
	LOAD(fld, uint64_t, v)

LOADS_X(LOADER_X)
LOADS_S(LOADER_S)
LOADS_D(LOADER_D)

/*
 * A store of the lower bytes of @values, for each warp of the group. The first lane of a line brings its page
 * into the TLB if it is not there.
 */
#define STORER(name, type, values) \
ALWAYS bool store_warp_##name(struct lanes *g, const struct lane_insn *i, size_t first, const bool whole) \
{ \
	struct warp *w = g->w; \
	union lane_singles space; \
	const __typeof__(*values) *s = values; \
	const uint64_t *a; \
	\
	(void)space; \
	if (whole && g->mask == ALL_LANES && has_line(w, i->rs1) && w->step[i->rs1] == sizeof(type)) { \
		uint64_t va = w->base[i->rs1] + IMM + first * sizeof(type), last = va + LANES * sizeof(type) - 1; \
		uint8_t *p = page_of(g->b, va, last, true); \
		\
		if (unlikely(!p) && !((va ^ last) >> PAGE_SHIFT)) { \
			type v = (type)s[0]; \
			\
			if (!store_one(g, (unsigned int)first, va, sizeof(v), &v)) \
				return false; \
			p = page_of(g->b, va, last, true); \
		} \
		if (p) { \
			EACH_LANE { \
				type v = (type)s[l]; \
				\
				memcpy(p + l * sizeof(type), &v, sizeof(v)); \
			} \
			return true; \
		} \
	} \
	a = warp_row(w, i->rs1) + first; \
	for (uint32_t left = g->mask; left; left &= left - 1) { \
		unsigned int l = (unsigned int)__builtin_ctz(left); \
		type v = (type)s[l]; \
		\
		if (unlikely(!store_one(g, (unsigned int)first + l, a[l] + IMM, sizeof(v), &v))) \
			return false; \
	} \
	return true; \
} \
ALWAYS bool store_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	EACH_WARP(width(g, whole)) \
		if (unlikely(!store_warp_##name(g, i, first, whole))) \
			return false; \
	return true; \
}

#define STORES(STORE) \
	STORE(sb, uint8_t, warp_row(w, i->rs2) + first) \
	STORE(sh, uint16_t, warp_row(w, i->rs2) + first) \
	STORE(sw, uint32_t, warp_row(w, i->rs2) + first) \
	STORE(sd, uint64_t, warp_row(w, i->rs2) + first) \
	STORE(fsh, uint16_t, lower_halves(w, i->rs2, first, &space)) \
	STORE(fsw, uint32_t, lower_halves(w, i->rs2, first, &space)) \
	STORE(fsd, uint64_t, warp_f_row(w, i->rs2) + first)

STORES(STORER)

/* Does nobody else access the unified buffer meanwhile? Blocks of a cluster reach each other's. */
ALWAYS bool is_private(const struct core_block *b, uint64_t va)
{
	return va - ANPU_UB_BASE < ANPU_UB_SIZE && core_cluster_blocks(b->kernel) == 1;
}

/* Sums of words in the unified buffer, as those of histograms. Return: the lanes for which it is to be done. */
ALWAYS uint32_t add_words(struct lanes *g, const uint64_t *a, const uint64_t *c, uint64_t *d)
{
	uint32_t left = g->mask;

	for (; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);
		uint8_t *p = a[l] % 4 ? NULL : page_of(g->b, a[l], a[l], true);
		int32_t old;
		uint32_t sum;

		if (unlikely(!p || a[l] - ANPU_UB_BASE >= ANPU_UB_SIZE))
			break;
		memcpy(&old, p, sizeof(old));
		sum = (uint32_t)old + (uint32_t)c[l];
		memcpy(p, &sum, sizeof(sum));
		d[l] = (uint64_t)(int64_t)old;
	}
	return left;
}

/* An atomic instruction of @n lanes, lane by lane, with the operands in registers of the block. */
static bool atomics(struct lanes *g, const struct lane_insn *i, size_t n)
{
	struct core_block *b = g->b;
	const uint64_t *a = warp_row(g->w, i->rs1), *c = warp_row(g->w, i->rs2);
	uint64_t *d = warp_own(g->w, i->rd);
	/* the result's register is an operand of compare-and-swap; x0 cannot be changed */
	struct insn one = { .rd = i->rd == 32 ? 32 : 5, .rs1 = 6, .rs2 = 7, .imm = i->imm };
	bool adds = amo_adds_words(i->imm) && is_private(b, a[__builtin_ctz(g->mask)]);

	amo_forget(b);
	EACH_WARP(n) {
		uint32_t left = adds ? add_words(g, a + first, c + first, d + first) : g->mask;

		for (; left; left &= left - 1) {
			size_t l = first + (unsigned int)__builtin_ctz(left);

			b->x[5] = d[l];
			b->x[6] = a[l];
			b->x[7] = c[l];
			if (unlikely(!amo_exec(b, &one, g->fault))) {
				g->bad = (unsigned int)l;
				return false;
			}
			d[l] = b->x[one.rd];
		}
	}
	return true;
}
