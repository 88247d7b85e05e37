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
	/* parts of words: these are in the same page, as they are aligned */ \
	if (p && step == 4 && va % 4 + sizeof(type) <= 4) { \
		p -= va % 4; \
		EACH_LANE { \
			uint32_t word; \
			type v; \
			\
			memcpy(&word, p + l * 4, sizeof(word)); \
			v = (type)(word >> va % 4 * 8); \
			d[l] = (element)(value); \
		} \
		return true; \
	} \
	for (size_t l = 0; p && l < LANES; l++, p += step) { \
		type v; \
		\
		memcpy(&v, p, sizeof(v)); \
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
	const size_t n = width(g, whole); \
	const uint8_t *p; \
	\
	if (!a && step == sizeof(type)) { \
		p = page_of_line(g, va, va + n * sizeof(type) - 1); \
		if (likely(p)) { \
			EACH_OF(n) { \
				type v; \
				\
				memcpy(&v, p + l * sizeof(type), sizeof(v)); \
				d[l] = (element)(value); \
			} \
			return true; \
		} \
	} \
	if (!a && step == STACK_PIECE && va - ANPU_THREAD_STACKS < THREAD_STACKS_BYTES) { \
		p = threads_stack_line(g->b, va, n, sizeof(type), false); \
		if (likely(p)) { \
			for (size_t l = 0; l < n; l++) { \
				type v; \
				\
				memcpy(&v, p + l * STACK_STRIDE, sizeof(v)); \
				d[l] = (element)(value); \
			} \
			return true; \
		} \
	} \
	EACH_WARP(n) { \
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

#define LOADER_OF_X(name, type, value, element, loader, get_row, set_row) \
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
	if (!load_row_##loader(g, i, get_row(w, i->rd), whole)) \
		return false; \
	set_row(w, i->rd); \
	if (sizeof(type) < 4 && (type)-1 > 0) \
		w->bits[i->rd] = 8 * sizeof(type); \
	return true; \
}
#define LOADER_X(name, type, value) \
LOADER(name, type, value, uint64_t) \
LOADER_OF_X(name, type, value, uint64_t, name, x_row, has_row)
#define LOADER_WORD(name, type, value) \
LOADER(name, type, value, uint64_t) \
LOADER(word_##name, type, value, uint32_t) \
LOADER_OF_X(name, type, value, uint32_t, word_##name, word_row, has_words)

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

#define LOADS_WORD(LOAD) \
	LOAD(lb, int8_t, (int64_t)v) \
	LOAD(lh, int16_t, (int64_t)v) \
	LOAD(lw, int32_t, (int64_t)v) \
	LOAD(lbu, uint8_t, v) \
	LOAD(lhu, uint16_t, v)
#define LOADS_X(LOAD) \
	LOAD(ld, uint64_t, v) \
	LOAD(lwu, uint32_t, v)
#define LOADS_S(LOAD) \
	LOAD(flh, uint16_t, (uint32_t)BOX_H | v) \
	LOAD(flw, uint32_t, v)
#define LOADS_D(LOAD) \
	LOAD(fld, uint64_t, v)

LOADS_WORD(LOADER_WORD)
LOADS_X(LOADER_X)
LOADS_S(LOADER_S)
LOADS_D(LOADER_D)

/*
 * Host address of what all lanes of a line write, from @va to @last, to where the first of them, @l, writes @bytes;
 * NULL: not in one page, or *@ok is false. The first lane brings its page into the TLB if it is not there.
 */
ALWAYS uint8_t *written_line(struct lanes *g, size_t l, uint64_t va, uint64_t last, unsigned int bytes, const void *from,
			     bool *ok)
{
	uint8_t *p = page_of(g->b, va, last, true);

	if (likely(p) || (va ^ last) >> PAGE_SHIFT)
		return p;
	*ok = store_one(g, (unsigned int)l, va, bytes, from);
	return *ok ? page_of(g->b, va, last, true) : NULL;
}

/* Do all lanes store to the same place of their stacks? */
ALWAYS bool on_stacks(const struct lanes *g, const struct lane_insn *i, const bool whole)
{
	const struct warp *w = g->w;

	return whole && g->mask == ALL_LANES && has_line(w, i->rs1) && w->step[i->rs1] == STACK_PIECE &&
	       w->base[i->rs1] + IMM - ANPU_THREAD_STACKS < THREAD_STACKS_BYTES;
}

/*
 * A store of the lower bytes of @values, elements of the type @element; @get finds them for each warp of the group.
 * The lanes of a line write with one look-up, all at once or those of each warp.
 */
#define STORER(name, type, element, get) \
ALWAYS void store_row_##name(struct warp *w, const struct lane_insn *i, size_t first, uint8_t *p) \
{ \
	element space[LANES]; \
	const element *s = get(w, i->rs2, first, space); \
	\
	EACH_LANE { \
		type v = (type)s[l]; \
		\
		memcpy(p + l * sizeof(type), &v, sizeof(v)); \
	} \
} \
ALWAYS bool store_warp_##name(struct lanes *g, const struct lane_insn *i, size_t first, const bool line) \
{ \
	struct warp *w = g->w; \
	element space[LANES]; \
	const element *s = get(w, i->rs2, first, space); \
	uint64_t va = w->base[i->rs1] + IMM + first * sizeof(type); \
	type v = (type)s[0]; \
	const uint64_t *a; \
	bool ok = true; \
	uint8_t *p; \
	\
	if (line) { \
		p = written_line(g, first, va, va + LANES * sizeof(type) - 1, sizeof(v), &v, &ok); \
		if (likely(p)) \
			store_row_##name(w, i, first, p); \
		if (likely(p) || !ok) \
			return ok; \
	} \
	a = warp_row(w, i->rs1) + first; \
	for (uint32_t left = g->mask; left; left &= left - 1) { \
		unsigned int l = (unsigned int)__builtin_ctz(left); \
		\
		v = (type)s[l]; \
		if (unlikely(!store_one(g, (unsigned int)first + l, a[l] + IMM, sizeof(v), &v))) \
			return false; \
	} \
	return true; \
} \
ALWAYS bool store_##name(struct lanes *g, const struct lane_insn *i, const bool whole) \
{ \
	struct warp *w = g->w; \
	const size_t n = width(g, whole); \
	const bool line = whole && g->mask == ALL_LANES && has_line(w, i->rs1) && w->step[i->rs1] == sizeof(type); \
	uint64_t va = w->base[i->rs1] + IMM; \
	uint8_t *p = line ? page_of(g->b, va, va + n * sizeof(type) - 1, true) : NULL; \
	\
	if (likely(p)) { \
		EACH_WARP(n) store_row_##name(w, i, first, p + first * sizeof(type)); \
		return true; \
	} \
	if (on_stacks(g, i, whole)) { \
		p = threads_stack_line(g->b, va, n, sizeof(type), true); \
		for (size_t first = 0; p && first < n; first += LANES) { \
			element space[LANES]; \
			const element *s = get(w, i->rs2, first, space); \
			\
			for (size_t l = 0; l < LANES; l++, p += STACK_STRIDE) { \
				type v = (type)s[l]; \
				\
				memcpy(p, &v, sizeof(v)); \
			} \
		} \
		if (likely(p)) \
			return true; \
	} \
	EACH_WARP(n) \
		if (unlikely(!store_warp_##name(g, i, first, line))) \
			return false; \
	return true; \
}

ALWAYS const uint64_t *get_f(struct warp *w, unsigned int r, size_t first, uint64_t *space)
{
	(void)space;
	return warp_f_row(w, r) + first;
}

#define STORES(STORE) \
	STORE(sb, uint8_t, uint32_t, get_words) \
	STORE(sh, uint16_t, uint32_t, get_words) \
	STORE(sw, uint32_t, uint32_t, get_words) \
	STORE(sd, uint64_t, uint64_t, get_x) \
	STORE(fsh, uint16_t, uint32_t, lower_halves) \
	STORE(fsw, uint32_t, uint32_t, lower_halves) \
	STORE(fsd, uint64_t, uint64_t, get_f)

STORES(STORER)

/*
 * Do all lanes name aligned words of the unified buffer with x[@r], and does nobody else access that meanwhile, as blocks
 * of a cluster do? Then @at has the words' distances from its begin, and their pages count as written.
 */
static bool unified_words(struct lanes *g, unsigned int r, size_t n, uint32_t *at)
{
	struct core_block *b = g->b;
	const uint64_t one = warp_value(g->w, r, (unsigned int)__builtin_ctz(g->mask));
	union lane_singles low, high, odd;
	uint32_t first_word = ~0u, last_word = 0, bad = 0;

	if (one - ANPU_UB_BASE >= ANPU_UB_SIZE || core_cluster_blocks(b->kernel) > 1)
		return false;
	EACH_LANE {
		low.u[l] = ~0u;
		high.u[l] = 0;
		odd.u[l] = 0;
	}
	EACH_WARP(n) {
		union lane_singles v;
		lane_row a_;
		const uint64_t *a;

		if (g->w->word[r] && likely(g->mask == ALL_LANES)) {
			const uint32_t *word = word_row(g->w, r) + first;

			EACH_LANE v.u[l] = word[l] - ANPU_UB_BASE;
		} else {
			a = get_x(g->w, r, first, a_);
			if (unlikely(g->mask != ALL_LANES)) {
				EACH_LANE a_[l] = KEEP(a[l], one);
				a = a_;
			}
			EACH_LANE odd.u[l] |= (uint32_t)(a[l] >> 32);
			EACH_LANE v.u[l] = (uint32_t)a[l] - ANPU_UB_BASE;
		}
		EACH_LANE {
			low.u[l] = v.u[l] < low.u[l] ? v.u[l] : low.u[l];
			high.u[l] = v.u[l] > high.u[l] ? v.u[l] : high.u[l];
			odd.u[l] |= v.u[l] & 3;
			at[first + l] = v.u[l];
		}
	}
	EACH_LANE {
		first_word = low.u[l] < first_word ? low.u[l] : first_word;
		last_word = high.u[l] > last_word ? high.u[l] : last_word;
		bad |= odd.u[l];
	}
	if (unlikely(bad || last_word >= ANPU_UB_SIZE))
		return false;
	local_dirty(b, ANPU_UB_BASE + first_word, last_word - first_word + 4);
	return true;
}

/* amoadd.w of the group, lane after lane, to words that unified_words() has found */
static void add_words(struct lanes *g, const struct lane_insn *i, size_t n, const uint32_t *at, const bool whole)
{
	uint8_t *ub = local_ptr(g->b, ANPU_UB_BASE);

	EACH_WARP(n) {
		union lane_singles c_, old;
		const uint32_t *c = get_words(g->w, i->rs2, first, c_.u), *p = at + first;
		uint32_t v;

		if (whole && likely(g->mask == ALL_LANES)) {
			uint32_t *d = word_row(g->w, i->rd) + first;

			/* @c may be @d, which gets its elements after they have been read */
			UNROLLED for (size_t l = 0; l < LANES; l++) {
				memcpy(&v, ub + p[l], sizeof(v));
				old.u[0] = v + c[l];
				d[l] = v;
				memcpy(ub + p[l], &old.u[0], sizeof(v));
			}
			continue;
		}
		for (uint32_t left = g->mask; left; left &= left - 1) {
			unsigned int l = (unsigned int)__builtin_ctz(left);

			memcpy(&v, ub + p[l], sizeof(v));
			old.u[l] = v;
			v += c[l];
			memcpy(ub + p[l], &v, sizeof(v));
		}
		put_words(g, i->rd, first, &old, whole);
	}
	set_words(g, i->rd, whole);
}

/* An atomic instruction of @n lanes, lane by lane, with the operands in registers of the block. */
static bool atomics(struct lanes *g, const struct lane_insn *i, size_t n, const bool whole)
{
	struct core_block *b = g->b;
	/* the result's register is an operand of compare-and-swap; x0 cannot be changed */
	struct insn one = { .rd = i->rd == 32 ? 32 : 5, .rs1 = 6, .rs2 = 7, .imm = i->imm };
	uint32_t at[ANPU_MAX_SPAWN];
	const uint64_t *a, *c;
	uint64_t *d;

	amo_forget(b);
	if (amo_adds_words(i->imm) && unified_words(g, i->rs1, n, at)) {
		add_words(g, i, n, at, whole);
		g->delay += COST_AMO;
		return true;
	}
	g->delay += COST_AMO * 8 * (int64_t)(n / LANES);
	a = warp_row(g->w, i->rs1);
	c = warp_row(g->w, i->rs2);
	d = warp_own(g->w, i->rd);
	EACH_WARP(n) {
		for (uint32_t left = g->mask; left; left &= left - 1) {
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
