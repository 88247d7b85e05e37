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
 * memory side by side, or in steps within a page, read with one look-up; those that are not in the group,
 * too, which does no harm.
 */
#define LOADER(name, type, value, element) \
ALWAYS bool load_row_##name(struct lanes *g, const struct lane_insn *i, element *d, const bool whole) \
{ \
	struct warp *w = g->w; \
	const uint64_t *a; \
	\
	if (whole && has_line(w, i->rs1)) { \
		uint64_t va = w->base[i->rs1] + IMM, step = w->step[i->rs1]; \
		const uint8_t *p = step < PAGE_SIZE ? \
				   page_of_line(g, va, va + LAST * step + sizeof(type) - 1) : NULL; \
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
		for (unsigned int l = 0; p && l < LANES; l++) { \
			type v; \
			\
			memcpy(&v, p + l * step, sizeof(v)); \
			d[l] = (element)(value); \
		} \
		if (p) \
			return true; \
	} \
	a = warp_row(w, i->rs1); \
	for (uint32_t left = g->mask; left; left &= left - 1) { \
		unsigned int l = (unsigned int)__builtin_ctz(left); \
		type v; \
		\
		if (unlikely(!load_one(g, l, a[l] + IMM, sizeof(v), &v))) \
			return false; \
		d[l] = (element)(value); \
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
	if (!load_row_##name(g, i, w->x[i->rd], whole)) \
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
	uint32_t *d = whole ? w->s[i->rd].u : other.u; \
	type v; \
	\
	if (whole && same_address(w, i)) { \
		if (!load_one(g, (unsigned int)__builtin_ctz(g->mask), w->base[i->rs1] + IMM, \
			      sizeof(v), &v)) \
			return false; \
		EACH_LANE d[l] = (uint32_t)(value); \
	} else if (!load_row_##name(g, i, d, whole)) { \
		return false; \
	} \
	if (whole) \
		w->place[i->rd] = LANE_F_SINGLES; \
	else \
		put_s(g, i->rd, &other, whole); \
	return true; \
}

#define LOADER_D(name, type, value) \
LOADER(name, type, value, uint64_t) \
ALWAYS bool load_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	if (!load_row_##name(g, i, whole ? g->w->f[i->rd] : warp_f_row(g->w, i->rd), whole)) \
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
 * A store of the lower bytes of @values. The first lane of a line brings its page into the TLB if it is
 * not there.
 */
#define STORER(name, type, values) \
ALWAYS bool store_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	struct warp *w = g->w; \
	union lane_singles space; \
	const __typeof__(*values) *s = values; \
	const uint64_t *a; \
	\
	(void)space; \
	if (whole && g->mask == ALL_LANES && w->line[i->rs1] && w->step[i->rs1] == sizeof(type)) { \
		uint64_t va = w->base[i->rs1] + IMM, last = va + LANES * sizeof(type) - 1; \
		uint8_t *p = page_of(g->b, va, last, true); \
		\
		if (unlikely(!p) && !((va ^ last) >> PAGE_SHIFT)) { \
			type first = (type)s[0]; \
			\
			if (!store_one(g, 0, va, sizeof(first), &first)) \
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
	a = warp_row(w, i->rs1); \
	for (uint32_t left = g->mask; left; left &= left - 1) { \
		unsigned int l = (unsigned int)__builtin_ctz(left); \
		type v = (type)s[l]; \
		\
		if (unlikely(!store_one(g, l, a[l] + IMM, sizeof(v), &v))) \
			return false; \
	} \
	return true; \
}

#define STORES(STORE) \
	STORE(sb, uint8_t, warp_row(w, i->rs2)) \
	STORE(sh, uint16_t, warp_row(w, i->rs2)) \
	STORE(sw, uint32_t, warp_row(w, i->rs2)) \
	STORE(sd, uint64_t, warp_row(w, i->rs2)) \
	STORE(fsh, uint16_t, lower_halves(w, i->rs2, &space)) \
	STORE(fsw, uint32_t, lower_halves(w, i->rs2, &space)) \
	STORE(fsd, uint64_t, warp_f_row(w, i->rs2))

STORES(STORER)

/* Does nobody else access the unified buffer meanwhile? Blocks of a cluster reach each other's. */
ALWAYS bool is_private(const struct core_block *b, uint64_t va)
{
	return va - ANPU_UB_BASE < ANPU_UB_SIZE && core_cluster_blocks(b->kernel) == 1;
}

/* Sums of words in the unified buffer, as those of histograms, lane by lane; @left: lanes for which it is to be done. */
static uint32_t add_words(struct lanes *g, const uint64_t *a, const uint64_t *c, uint64_t *d)
{
	uint32_t left = g->mask;

	for (; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);
		uint8_t *p = a[l] % 4 ? NULL : page_of(g->b, a[l], a[l], true);
		int32_t old;

		if (unlikely(!p || a[l] - ANPU_UB_BASE >= ANPU_UB_SIZE))
			break;
		memcpy(&old, p, sizeof(old));
		d[l] = (uint64_t)(int64_t)old;
		old = (int32_t)((uint32_t)old + (uint32_t)c[l]);
		memcpy(p, &old, sizeof(old));
	}
	return left;
}

/* An atomic instruction, lane by lane, with the operands in registers of the block. */
static bool atomics(struct lanes *g, const struct lane_insn *i)
{
	struct core_block *b = g->b;
	const uint64_t *a = warp_row(g->w, i->rs1), *c = warp_row(g->w, i->rs2);
	uint64_t *d = warp_own(g->w, i->rd);
	/* the result's register is an operand of compare-and-swap; x0 cannot be changed */
	struct insn one = { .rd = i->rd == 32 ? 32 : 5, .rs1 = 6, .rs2 = 7, .imm = i->imm };
	uint32_t left = g->mask;

	if (amo_adds_words(i->imm) && is_private(b, a[__builtin_ctz(left)])) {
		left = add_words(g, a, c, d);
		amo_forget(b);
	}
	for (; left; left &= left - 1) {
		unsigned int l = (unsigned int)__builtin_ctz(left);

		b->x[5] = d[l];
		b->x[6] = a[l];
		b->x[7] = c[l];
		if (unlikely(!amo_exec(b, &one, g->fault))) {
			g->bad = l;
			return false;
		}
		d[l] = b->x[one.rd];
	}
	return true;
}
