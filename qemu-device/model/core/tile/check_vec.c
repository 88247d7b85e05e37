// SPDX-License-Identifier: MIT
/* The checking mode of the vector unit's operations over contiguous operands. */
#include "../check/check.h"
#include "tile_int.h"

/* does VSEL take element @i from src0? */
static bool selects(const struct tile *t, const struct tile_vop *v, const uint8_t *mask, uint64_t i)
{
	if (!mask)
		i %= 2048 / v->dst_bits;
	else
		return mask[i / 8] >> (i % 8) & 1;
	return t->b->csr.cmpmask[i / 64] >> (i % 64) & 1;
}

/* VSEL: the elements that are taken from an operand, in runs */
static bool check_selected(struct tile *t, const struct tile_vop *v, const uint8_t *mask,
			   const char *role, uint64_t va, bool first)
{
	uint64_t bytes = v->dst_bits / 8, end;

	for (uint64_t i = 0; i < v->count; i = end) {
		end = i + 1;
		if (selects(t, v, mask, i) != first)
			continue;
		while (end < v->count && selects(t, v, mask, end) == first)
			end++;
		if (!check_read(t->b, role, va + i * bytes, (end - i) * bytes, t->fault))
			return false;
	}
	return true;
}

bool tile_check_flat(struct tile *t, const struct tile_vop *v, const uint8_t *mask)
{
	const uint64_t va[2] = { t->a->rs2, t->a->rs3 };
	const char *const roles[2] = { v->src_bits[1] || v->has_scalar ? "src0" : "src", "src1" };
	uint64_t size = bits_bytes(v->count, v->dst_bits);

	if (mask && !check_read(t->b, "CSR selmask", t->b->csr.selmask, bits_bytes(v->count, 1),
				t->fault))
		return false;
	for (unsigned int k = 0; k < 2; k++) {
		if (!v->src_bits[k])
			continue;
		if (v->has_mask ? !check_selected(t, v, mask, roles[k], va[k], !k) :
		    !check_read(t->b, roles[k], va[k], bits_bytes(v->count, v->src_bits[k]), t->fault))
			return false;
	}
	return (!v->dst_is_src || check_read(t->b, "dst", t->a->rs1, size, t->fault)) &&
	       check_write(t->b, "dst", t->a->rs1, size, t->fault);
}
