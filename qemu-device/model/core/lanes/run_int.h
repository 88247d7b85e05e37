/* SPDX-License-Identifier: MIT */
/*
 * Integers of lanes that are no line: rows of 64 bits, or of words, which are sign-extended. A row of words is half as
 * long, and twice as many of them are in a vector of the host. Part of run.h.
 */

/* x[@r] in the warp whose first lane is @first, where it is or in @space */
ALWAYS const uint64_t *get_x(const struct warp *w, unsigned int r, size_t first, uint64_t *space)
{
	const uint32_t *word = word_row(w, r) + first;
	uint64_t v = w->base[r] + first * w->step[r], step = w->step[r];

	if (likely(w->row[r]))
		return x_row(w, r) + first;
	if (w->word[r]) {
		EACH_LANE space[l] = (uint64_t)(int64_t)(int32_t)word[l];
	} else {
		EACH_LANE {
			space[l] = v;
			v += step;
		}
	}
	return space;
}

/* the lower halves of the same */
ALWAYS const uint32_t *get_words(const struct warp *w, unsigned int r, size_t first, uint32_t *space)
{
	const uint64_t *x = x_row(w, r) + first;
	uint32_t v = (uint32_t)(w->base[r] + first * w->step[r]), step = (uint32_t)w->step[r];

	if (likely(w->word[r]))
		return word_row(w, r) + first;
	if (w->line[r]) {
		EACH_LANE {
			space[l] = v;
			v += step;
		}
	} else {
		EACH_LANE space[l] = (uint32_t)x[l];
	}
	return space;
}

/* Is x[@r] sign-extended from 32 bits in all lanes, as far as that is known? */
ALWAYS bool is_word(const struct warp *w, unsigned int r)
{
	int64_t first = (int64_t)w->base[r], by = (int64_t)w->step[r], last = first + (int64_t)w->last * by;

	return w->word[r] || (w->line[r] && first == (int32_t)first && by == (int32_t)by && last == (int32_t)last);
}

ALWAYS bool are_words(const struct warp *w, const struct lane_insn *i)
{
	return is_word(w, i->rs1) && is_word(w, i->rs2);
}

/* The number as one with a sign, whether it is a word or has 64 bits. */
#define SIGNED(v)	((__typeof__(_Generic((v), uint32_t: (int32_t)0, default: (int64_t)0)))(v))

/* x[rd] = @expression of A and B, which are x[@r1] and x[@r2], in each lane */
#define PUT_X(r1, r2, expression) do { \
	if (whole) { \
		uint64_t *d = x_row(w, i->rd); \
		\
		EACH_WARP(n) { \
			lane_row a_, c_; \
			const uint64_t *a = get_x(w, r1, first, a_), *c = get_x(w, r2, first, c_); \
			\
			EACH_LANE { \
				const uint64_t A = a[l], B = c[l]; \
				\
				(void)A; \
				(void)B; \
				d[first + l] = (uint64_t)(expression); \
			} \
		} \
		has_row(w, i->rd); \
	} else { \
		const uint64_t *a = warp_row(w, r1), *c = warp_row(w, r2); \
		uint64_t *d = warp_own(w, i->rd); \
		\
		EACH_LANE { \
			const uint64_t A = a[l], B = c[l]; \
			\
			(void)A; \
			(void)B; \
			d[l] = KEEP((uint64_t)(expression), d[l]); \
		} \
	} \
} while (0)

/* The same in groups that are all their warp has, if the result is a word that depends on the lower halves only. */
#define PUT_WORDS(r1, r2, expression) do { \
	uint32_t *d = word_row(w, i->rd); \
	\
	EACH_WARP(n) { \
		union lane_singles a_, c_; \
		const uint32_t *a = get_words(w, r1, first, a_.u), *c = get_words(w, r2, first, c_.u); \
		\
		EACH_LANE { \
			const uint32_t A = a[l], B = c[l]; \
			\
			(void)A; \
			(void)B; \
			d[first + l] = (uint32_t)(expression); \
		} \
	} \
	has_words(w, i->rd); \
} while (0)

/* Words for integers; set_words() when that has been done for each warp. */
ALWAYS void put_words(struct lanes *g, unsigned int rd, size_t first, const union lane_singles *v, const bool whole)
{
	uint32_t *word = word_row(g->w, rd) + first;
	uint64_t *d;

	if (whole) {
		EACH_LANE word[l] = v->u[l];
		return;
	}
	d = warp_own(g->w, rd);
	EACH_LANE d[l] = KEEP((uint64_t)(int64_t)(int32_t)v->u[l], d[l]);
}

ALWAYS void set_words(struct lanes *g, unsigned int rd, const bool whole)
{
	if (whole)
		has_words(g->w, rd);
}

ALWAYS unsigned int bits_in(uint32_t v)
{
	return 32 - (unsigned int)__builtin_clz(v | 1);
}

ALWAYS unsigned int larger(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* How many bits x[@r] has, if it is known to be a word that is not negative; else 32. */
ALWAYS unsigned int bits_of(const struct warp *w, unsigned int r)
{
	uint64_t first = w->base[r], last = first + w->last * w->step[r];

	if (!w->line[r])
		return w->word[r] ? w->bits[r] : 32;
	return first < 1u << 31 && last < 1u << 31 ? bits_in((uint32_t)(first | last)) : 32;
}

/*
 * The instructions of @op that make words of words; false: it is none, or the operands are not known to be words. @op is
 * known when this is compiled.
 */
ALWAYS bool words_of(enum insn_op op, struct warp *w, const struct lane_insn *i, size_t n)
{
#define WORDS_IF(condition, second, expression) do { \
		if (!(condition)) \
			return false; \
		PUT_WORDS(i->rs1, second, expression); \
		return true; \
	} while (0)
#define BITS_IF(condition, second, expression, sum) do { \
		const unsigned int bits = (sum); \
		\
		if (!(condition) || bits > 31) \
			return false; \
		PUT_WORDS(i->rs1, second, expression); \
		w->bits[i->rd] = (uint8_t)bits; \
		return true; \
	} while (0)
	const unsigned int x = i->rs1, y = i->rs2;

	switch (op) {
	case OP_slti: WORDS_IF(is_word(w, x), x, (int32_t)A < i->imm);
	case OP_sltiu: WORDS_IF(is_word(w, x), x, A < (uint32_t)i->imm);
	case OP_xori: WORDS_IF(is_word(w, x), x, A ^ (uint32_t)i->imm);
	case OP_ori: WORDS_IF(is_word(w, x), x, A | (uint32_t)i->imm);
	case OP_andi:
		if (i->imm >= 0)	/* few bits, whatever the others are */
			BITS_IF(true, x, A & (uint32_t)i->imm, bits_in((uint32_t)i->imm));
		WORDS_IF(is_word(w, x), x, A & (uint32_t)i->imm);
	/* as far as no lane loses bits: indices and addresses of local memory */
	case OP_slli: BITS_IF(w->word[x], x, A << (i->imm & 31), bits_of(w, x) + (unsigned int)i->imm);
	case OP_addi:
		BITS_IF(w->word[x] && i->imm >= 0, x, A + (uint32_t)i->imm, larger(bits_of(w, x), bits_in((uint32_t)i->imm)) + 1);
	case OP_add:
		BITS_IF(w->word[x] | w->word[y], y, A + B, larger(bits_of(w, x), bits_of(w, y)) + 1);
	case OP_srai: WORDS_IF(is_word(w, x), x, (int32_t)A >> (i->imm < 31 ? i->imm : 31));
	case OP_slt: WORDS_IF(are_words(w, i), y, (int32_t)A < (int32_t)B);
	case OP_sltu: WORDS_IF(are_words(w, i), y, A < B);
	case OP_xor: WORDS_IF(are_words(w, i), y, A ^ B);
	case OP_or: WORDS_IF(are_words(w, i), y, A | B);
	case OP_and: WORDS_IF(are_words(w, i), y, A & B);
	default: return false;
	}
}
