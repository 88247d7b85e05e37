// SPDX-License-Identifier: MIT
/*
 * VREP of VRED with masks and strides, VREP of VCMP to the compare mask, and VGMASK to places between
 * blocks, against references written from Documentation/isa-tiles.md. Numbers are small eighths, so
 * that sums are exact in any order.
 */
#include <string.h>

#include "tile_test.h"

#define A	0x1000
#define D	0x10000
#define E	0x20000
#define ROOM	0x4000

static const unsigned int scopes[] = { ANPU_RED_REPEAT, ANPU_RED_BLOCK, ANPU_RED_PAIR };

struct shape {
	unsigned int op, type, scope, count, repeat, block, step, to;
	bool index;
};

static bool lane(const struct shape *s, unsigned int i)
{
	return s->count || (test_block->csr.vmask[i / 64] >> (i % 64) & 1);
}

static double value(unsigned int type, uint64_t bits)
{
	return type_float(type) ? (double)real(bits, type) : (double)(int64_t)(int16_t)bits;
}

static uint64_t bits_of(unsigned int type, double v)
{
	return type_float(type) ? round_to(v, type, ANPU_ROUND_RINT) :
				  (uint64_t)(int64_t)v & (type_size(type) == 4 ? 0xffffffff : 0xffff);
}

/* what one group of a repeat gives, or false if the mask selects nothing of it */
static bool reference(const struct shape *s, unsigned int r, unsigned int first, unsigned int n, double *best,
		      unsigned int *at)
{
	unsigned int size = type_size(s->type), per = 32 / size;
	bool found = false;

	for (unsigned int i = first; i < first + n; i++) {
		double v = value(s->type, get(ub(A + (r * s->step + i / per * s->block) * 32), s->type, i % per));

		if (!lane(s, i))
			continue;
		if (!found || (s->op == ANPU_RED_MAX && v > *best) || (s->op == ANPU_RED_MIN && v < *best)) {
			*best = v;
			*at = i - first;
		} else if (s->op == ANPU_RED_SUM) {
			*best += v;
		}
		found = true;
	}
	return found;
}

static bool one(const struct shape *s)
{
	struct anpu_rep_desc desc = { .op = ANPU_TILE_VRED, .repeat = (uint16_t)s->repeat,
		.src0_block = (uint16_t)s->block, .src0_repeat = (uint16_t)s->step,
		.dst_repeat = (uint16_t)s->to,
		.ctl = ANPU_CTL(s->count, s->type, s->op | s->scope) |
		       (s->count ? 0 : ANPU_CTL_MASK) | (s->index ? ANPU_CTL_INDEX : 0) };
	unsigned int size = type_size(s->type), all = 256 / size, n = s->count ? s->count : all;
	unsigned int group = s->scope == ANPU_RED_REPEAT ? all : s->scope == ANPU_RED_BLOCK ? 32 / size : 2;
	static uint8_t want[ROOM];

	for (uint32_t i = 0; i < ROOM / size; i++)
		put(ub(A), s->type, i, bits_of(s->type, (double)((int)(rnd() % 33) - 16)));
	test_block->csr.vmask[0] = rnd() & rnd();
	test_block->csr.vmask[1] = rnd();
	memcpy(ub(E), &desc, sizeof(desc));
	memset(ub(D), 0x5a, ROOM);
	for (unsigned int r = 0; r < s->repeat; r++)
		for (unsigned int g = 0; g * group < n; g++) {
			unsigned int m = n - g * group < group ? n - g * group : group, at = 0;
			unsigned int k = (r * s->to * (all / group) + g) * (s->index ? 2 : 1);
			double best = 0;

			if (!reference(s, r, g * group, m, &best, &at))
				continue;
			put(ub(D), s->type, k, bits_of(s->type, best));
			if (s->index)
				put(ub(D), s->type, k + 1, at);
		}
	memcpy(want, ub(D), ROOM);
	memset(ub(D), 0x5a, ROOM);
	return run(ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E)) && !memcmp(want, ub(D), ROOM);
}

static void test_type(unsigned int type)
{
	unsigned int all = 256 / type_size(type);
	bool ok = true;

	for (unsigned int k = 0; ok && k < 3 * 3 * 40; k++) {
		struct shape s = { .op = k % 3, .type = type, .scope = scopes[k / 3 % 3],
			.count = k % 2 ? 0 : 1 + rnd() % all, .repeat = 1 + rnd() % 9,
			.block = 1 + rnd() % 2, .step = rnd() % 20, .to = rnd() % 3,
			.index = k % 3 && k / 9 % 2 };

		ok = one(&s);
		if (!ok)
			tap_diag("op %u scope %u count %u repeat %u block %u step %u to %u index %d: %s", s.op,
				 s.scope, s.count, s.repeat, s.block, s.step, s.to, s.index, test_fault.message);
	}
	tap_ok(ok, "VREP VRED %s", tile_type_name(type));
}

static void put_desc(uint64_t ctl, unsigned int op, unsigned int repeat, unsigned int dst_block)
{
	struct anpu_rep_desc desc = { .op = (uint8_t)op, .ctl = ctl, .repeat = (uint16_t)repeat,
		.dst_block = (uint16_t)dst_block, .src0_block = 1, .src0_repeat = 8 };

	memcpy(ub(E), &desc, sizeof(desc));
}

static void test_refused(void)
{
	put_desc(ANPU_CTL(64, ANPU_TYPE_F32, ANPU_RED_SUM), ANPU_TILE_VRED, 1, 0);
	refuse(ANPU_FAULT_OPERAND, "WHOLE", ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E));
	put_desc(ANPU_CTL(65, ANPU_TYPE_F32, ANPU_RED_REPEAT), ANPU_TILE_VRED, 1, 0);
	refuse(ANPU_FAULT_OPERAND, "count 65", ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E));
	put_desc(ANPU_CTL(64, ANPU_TYPE_F32, ANPU_RED_REPEAT), ANPU_TILE_VRED, 1, 1);
	refuse(ANPU_FAULT_OPERAND, "block stride of dst", ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E));
	put_desc(ANPU_CTL(0, ANPU_TYPE_U8, ANPU_RED_REPEAT) | ANPU_CTL_MASK, ANPU_TILE_VRED, 1, 0);
	refuse(ANPU_FAULT_OPERAND, "4 or 8 bits", ANPU_TILE_VREP, UB(D), UB(A), 0, UB(E));
	put_desc(ANPU_CTL(64, ANPU_TYPE_F32, ANPU_RED_REPEAT), ANPU_TILE_VRED, 1, 0);
	refuse(ANPU_FAULT_OPERAND, "dst", ANPU_TILE_VREP, UB(D) + 2, UB(A), 0, UB(E));
	put_desc(ANPU_CTL(64, ANPU_TYPE_F32, ANPU_CMP_LT) | ANPU_CTL_CMPMASK | ANPU_CTL_SCALAR, ANPU_TILE_VCMP, 2, 0);
	refuse(ANPU_FAULT_OPERAND, "CMPMASK", ANPU_TILE_VREP, 0, UB(A), 0, UB(E));
	put_desc(ANPU_CTL(256, ANPU_TYPE_U8, ANPU_CMP_LT) | ANPU_CTL_CMPMASK | ANPU_CTL_SCALAR, ANPU_TILE_VCMP, 1, 0);
	refuse(ANPU_FAULT_OPERAND, "count 256", ANPU_TILE_VREP, 0, UB(A), 0, UB(E));
}

static void test_cmpmask(void)
{
	bool ok;

	for (uint32_t i = 0; i < 128; i++)
		put(ub(A), ANPU_TYPE_S16, i, i);
	test_block->csr.cmpmask[0] = test_block->csr.cmpmask[1] = ~0ULL;
	put_desc(ANPU_CTL(104, ANPU_TYPE_S16, ANPU_CMP_LT) | ANPU_CTL_CMPMASK | ANPU_CTL_SCALAR, ANPU_TILE_VCMP, 1, 0);
	ok = run(ANPU_TILE_VREP, 0, UB(A), 70, UB(E));
	tap_ok(ok && test_block->csr.cmpmask[0] == ~0ULL && test_block->csr.cmpmask[1] == 0x3f,
	       "VREP VCMP to the compare mask");
	put_desc(ANPU_CTL(0, ANPU_TYPE_S16, ANPU_CMP_LT) | ANPU_CTL_CMPMASK | ANPU_CTL_SCALAR, ANPU_TILE_VCMP, 1, 0);
	ok = run(ANPU_TILE_VREP, 0, UB(A), 70, UB(E));
	tap_ok(ok && test_block->csr.cmpmask[0] == ~0ULL && test_block->csr.cmpmask[1] == 0x3f, "  of no elements leaves it as it was");
}

static void test_gmask_between(void)
{
	bool ok = true;

	for (uint32_t i = 0; i < 64; i++)
		put(ub(A), ANPU_TYPE_U16, i, i);
	memset(ub(D), 0x5a, 256);
	ok = run(ANPU_TILE_VGMASK, UB(D) + 6, UB(A), 0, ANPU_CTL(64, ANPU_TYPE_U16, ANPU_GMASK_QUAD1));
	for (uint32_t i = 0; i < 24; i++)
		ok = ok && get(ub(D), ANPU_TYPE_U16, i) == (i < 3 || i >= 19 ? 0x5a5a : (i - 3) * 4 + 1);
	tap_ok(ok && test_block->csr.vcount == 16, "VGMASK to a place between blocks");
	refuse(ANPU_FAULT_OPERAND, "dst", ANPU_TILE_VGMASK, UB(D) + 1, UB(A), 0,
	       ANPU_CTL(64, ANPU_TYPE_U16, ANPU_GMASK_QUAD1));
}

int main(void)
{
	static const unsigned int types[] = { ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_TYPE_S16 };

	test_init();
	for (unsigned int i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		test_type(types[i]);
	test_refused();
	test_cmpmask();
	test_gmask_between();
	return tap_end();
}
