// SPDX-License-Identifier: MIT
/* Loads and stores: widths, alignment, page and window borders, rights, and what blocks see. */
#include <stdlib.h>

#include "rig.h"

struct access {
	uint64_t addr;
	uint64_t value;
};

static void set_access(struct core_block *b, void *ctx)
{
	const struct access *a = ctx;

	b->x[10] = a->addr;
	b->x[11] = a->value;
	b->f[11] = a->value;
	b->x[13] = 0x5555;
	b->f[13] = 0x5555;
}

static enum core_result load(struct rig *r, unsigned int opcode, unsigned int f3, uint64_t addr,
			     int imm)
{
	struct access a = { addr - (uint64_t)(int64_t)imm, 0 };

	return rig_one(r, I_TYPE(opcode, f3, 13, 10, imm), set_access, &a);
}

static enum core_result store(struct rig *r, unsigned int opcode, unsigned int f3, uint64_t addr,
			      uint64_t value, int imm)
{
	struct access a = { addr - (uint64_t)(int64_t)imm, value };

	return rig_one(r, S_TYPE(opcode, f3, 10, 11, imm), set_access, &a);
}

static const struct {
	const char *name;
	unsigned int opcode, f3, bytes;
	bool sign, fp;
} loads[] = {
	{ "lb", 3, 0, 1, true, false }, { "lh", 3, 1, 2, true, false }, { "lw", 3, 2, 4, true, false },
	{ "ld", 3, 3, 8, false, false }, { "lbu", 3, 4, 1, false, false },
	{ "lhu", 3, 5, 2, false, false }, { "lwu", 3, 6, 4, false, false },
	{ "flh", 7, 1, 2, false, true }, { "flw", 7, 2, 4, false, true },
	{ "fld", 7, 3, 8, false, true },
};

static uint64_t expected(const uint8_t *p, unsigned int bytes, bool sign, bool fp)
{
	uint64_t v = 0, high;

	for (unsigned int n = 0; n < bytes; n++)
		v |= (uint64_t)p[n] << (8 * n);
	high = bytes == 8 ? 0 : ~0ULL << (8 * bytes);
	return (sign && v >> (8 * bytes - 1)) || fp ? v | high : v;
}

static void test_loads(struct rig *r)
{
	static const unsigned int offsets[] = { 0, 1, 3, 8, 4091, 4093, 4095, 8184, 8189 };

	for (unsigned int n = 0; n < 0x4000; n++)
		rig_data(r)[n] = (uint8_t)rnd();
	for (unsigned int k = 0; k < sizeof(loads) / sizeof(loads[0]); k++) {
		unsigned int bad = 0;

		for (unsigned int j = 0; j < sizeof(offsets) / sizeof(offsets[0]); j++) {
			for (int imm = -2048; imm <= 2047; imm += 1365) {
				uint64_t want = expected(rig_data(r) + offsets[j], loads[k].bytes,
							 loads[k].sign, loads[k].fp), got;

				if (load(r, loads[k].opcode, loads[k].f3, DATA_VA + offsets[j], imm))
					bad++;
				got = loads[k].fp ? r->b->f[13] : r->b->x[13];
				bad += got != want;
			}
		}
		tap_ok(!bad, "%s: aligned, misaligned, across pages", loads[k].name);
	}
}

static void test_stores(struct rig *r)
{
	static const char *const names[2][4] = { { "sb", "sh", "sw", "sd" }, { "", "fsh", "fsw", "fsd" } };
	static const unsigned int offsets[] = { 16, 17, 4090, 4093, 4095, 8186 };

	for (unsigned int k = 0; k < 8; k++) {
		unsigned int bad = 0, f3 = k % 4, bytes = 1u << f3;

		if (k == 4)
			continue;
		for (unsigned int j = 0; j < sizeof(offsets) / sizeof(offsets[0]); j++) {
			uint8_t *p = rig_data(r) + offsets[j], before = p[-1], after = p[bytes];
			uint64_t v = rnd();

			bad += store(r, k < 4 ? 0x23 : 0x27, f3, DATA_VA + offsets[j], v, (int)j - 3) !=
			       CORE_DONE;
			bad += memcmp(p, &v, bytes) || p[-1] != before || p[bytes] != after;
		}
		tap_ok(!bad, "%s: aligned, misaligned, across pages", names[k / 4][f3]);
	}
}

static bool fault_is(struct rig *r, enum core_result result, uint32_t cause, uint64_t addr,
		     uint32_t access)
{
	bool ok = result == CORE_FAULT && r->fault.cause == cause && r->fault.addr == addr &&
		  r->fault.access == access && r->fault.pc == CODE_VA && r->fault.message[0] &&
		  r->b->x[13] == 0x5555 && r->fault.x[13] == 0x5555 && r->fault.x[0] == 0;

	if (!ok)
		tap_note("result %d cause %u addr 0x%llx access %u pc 0x%llx: %s", result,
			 r->fault.cause, (unsigned long long)r->fault.addr, r->fault.access,
			 (unsigned long long)r->fault.pc, r->fault.message);
	return ok;
}

/* Memory that is given by the byte, as anpu-op does: the page of the last bytes is never remembered as a whole. */
static void test_part_of_page(struct rig *r)
{
	const uint64_t end = DATA_VA + 5 * PAGE_SIZE + 77;
	uint64_t whole = r->mmu.region[1].size;
	unsigned int bad = 0;

	r->mmu.region[1].size = end - DATA_VA;
	r->mmu.part = end;
	for (unsigned int k = 0; k < sizeof(loads) / sizeof(loads[0]); k++) {
		unsigned int n = loads[k].bytes;

		for (unsigned int i = 0; i < n; i++) {
			bad += load(r, loads[k].opcode, loads[k].f3, end - n, 0) != CORE_DONE;
			bad += !fault_is(r, load(r, loads[k].opcode, loads[k].f3, end - i, 0),
					 ANPU_FAULT_UNMAPPED, end, ANPU_ACCESS_READ);
		}
	}
	tap_ok(!bad, "loads up to the last byte of memory that ends within a page");
	bad = 0;
	for (unsigned int f3 = 0; f3 < 4; f3++) {
		unsigned int n = 1U << f3;

		for (unsigned int i = 0; i < n; i++) {
			bad += store(r, 0x23, f3, end - n, ~0ULL, 0) != CORE_DONE;
			r->mmu.region[1].host[end - DATA_VA - 1] = 0x77;
			bad += !fault_is(r, store(r, 0x23, f3, end - i, 0, 0), ANPU_FAULT_UNMAPPED, end,
					 ANPU_ACCESS_WRITE);
			bad += r->mmu.region[1].host[end - DATA_VA - 1] != 0x77;
		}
	}
	tap_ok(!bad, "stores, of which none is done in part");
	r->mmu.region[1].size = whole;
	r->mmu.part = 0;
}

static void test_faults(struct rig *r)
{
	uint8_t *end = rig_data(r) + REGION_BYTES - 4, saved[4];

	tap_ok(fault_is(r, load(r, 3, 3, 0, 0), ANPU_FAULT_SCRATCHPAD, 0, ANPU_ACCESS_READ) &&
	       strstr(r->fault.message, "null pointer"), "load from a null pointer");
	tap_ok(fault_is(r, store(r, 0x23, 0, 8, 1, 0), ANPU_FAULT_SCRATCHPAD, 8, ANPU_ACCESS_WRITE) &&
	       strstr(r->fault.message, "null pointer"), "store through a null pointer");
	tap_ok(fault_is(r, load(r, 3, 2, 0x60000, 0), ANPU_FAULT_SCRATCHPAD, 0x60000, ANPU_ACCESS_READ),
	       "load between scratchpads");
	tap_ok(fault_is(r, load(r, 3, 3, 0xfffffff8, 0), ANPU_FAULT_SCRATCHPAD, 0xfffffff8,
			ANPU_ACCESS_READ), "load just below global memory");
	tap_ok(fault_is(r, store(r, 0x23, 3, ANPU_STACK_BASE - 8, 1, 0), ANPU_FAULT_STACK,
			ANPU_STACK_BASE - 8, ANPU_ACCESS_WRITE), "store below the stack");
	tap_ok(fault_is(r, load(r, 3, 0, ANPU_STACK_BASE - ANPU_STACK_GUARD, 0), ANPU_FAULT_STACK,
			ANPU_STACK_BASE - ANPU_STACK_GUARD, ANPU_ACCESS_READ), "load at the guard's start");
	tap_ok(fault_is(r, load(r, 3, 0, ANPU_STACK_TOP, 0), ANPU_FAULT_SCRATCHPAD, ANPU_STACK_TOP,
			ANPU_ACCESS_READ), "load above the stack");
	tap_ok(fault_is(r, load(r, 3, 3, DATA_VA + REGION_BYTES, 0), ANPU_FAULT_UNMAPPED,
			DATA_VA + REGION_BYTES, ANPU_ACCESS_READ), "load from unmapped memory");
	tap_ok(fault_is(r, store(r, 0x23, 3, RO_VA + 8, 1, 0), ANPU_FAULT_PERMISSION, RO_VA + 8,
			ANPU_ACCESS_WRITE), "store to read-only memory");
	tap_ok(fault_is(r, load(r, 3, 3, ~0ULL - 3, 0), ANPU_FAULT_UNMAPPED, ~0ULL - 3,
			ANPU_ACCESS_READ), "load that wraps around the address space");
	memcpy(saved, end, 4);
	tap_ok(fault_is(r, store(r, 0x23, 3, DATA_VA + REGION_BYTES - 4, rnd(), 0), ANPU_FAULT_UNMAPPED,
			DATA_VA + REGION_BYTES, ANPU_ACCESS_WRITE) && !memcmp(saved, end, 4),
	       "store half into unmapped memory changes nothing");
	tap_ok(load(r, 3, 3, RO_VA, 0) == CORE_DONE, "load from read-only memory");
}

/* a page that was read must still be checked for writing, and the other way round */
static void test_rights_after_read(struct rig *r)
{
	const uint32_t code[] = { I_TYPE(3, 3, 12, 10, 0), S_TYPE(0x23, 3, 10, 11, 8), RET };

	rig_code(r, 0, code, 3);
	rig_block(r, CODE_VA);
	r->b->x[10] = RO_VA;
	tap_ok(rig_run(r) == CORE_FAULT && r->fault.cause == ANPU_FAULT_PERMISSION &&
	       r->fault.pc == CODE_VA + 4 && r->fault.x[0] == 1 && r->fault.insn == code[1] &&
	       r->fault.size == 8, "a page read before still refuses writes; the fault is precise");
}

static void test_windows(struct rig *r)
{
	static const struct { const char *name; uint64_t base, size; } w[] = {
#define ROW(n, base, bytes, ...) { #n, base, bytes },
		ANPU_WINDOWS(ROW)
	};

	for (unsigned int k = 0; k < sizeof(w) / sizeof(w[0]); k++) {
		uint64_t last = w[k].base + w[k].size - 8, v = rnd();
		bool ok = store(r, 0x23, 3, w[k].base, v, 0) == CORE_DONE &&
			  *(uint64_t *)(void *)local_ptr(r->b, w[k].base) == v &&
			  store(r, 0x23, 3, last, v, 0) == CORE_DONE &&
			  load(r, 3, 3, last, 0) == CORE_DONE && r->b->x[13] == 0;
		uint32_t below = w[k].base == ANPU_STACK_BASE ? ANPU_FAULT_STACK : ANPU_FAULT_SCRATCHPAD;

		tap_ok(ok, "%s: first and last word; a new block reads zero", w[k].name);
		tap_ok(fault_is(r, load(r, 3, 3, w[k].base + w[k].size, 0), ANPU_FAULT_SCRATCHPAD,
				w[k].base + w[k].size, ANPU_ACCESS_READ) &&
		       fault_is(r, load(r, 3, 0, w[k].base - 1, 0), below, w[k].base - 1,
				ANPU_ACCESS_READ), "%s: nothing before and behind it", w[k].name);
		tap_ok(fault_is(r, store(r, 0x23, 3, w[k].base + w[k].size - 4, 1, 0),
				ANPU_FAULT_SCRATCHPAD, w[k].base + w[k].size - 4, ANPU_ACCESS_WRITE),
		       "%s: store across its end", w[k].name);
	}
}

/* blocks come from a pool: whatever one wrote, the next must not see */
static void test_clean(struct rig *r)
{
	uint64_t n, dirty = 0;

	rig_block(r, CODE_VA);
	local_dirty(r->b, ANPU_UB_BASE, ANPU_UB_SIZE);
	memset(local_ptr(r->b, ANPU_UB_BASE), 0xaa, ANPU_UB_SIZE);
	local_dirty(r->b, ANPU_L0C_BASE + 4095, 2);
	memset(local_ptr(r->b, ANPU_L0C_BASE + 4095), 0xbb, 2);
	rig_block(r, CODE_VA);
	for (n = LOCAL_BASE; n < LOCAL_END; n++)
		dirty += *local_ptr(r->b, n) != 0;
	tap_ok(!dirty, "a pooled block is clean: %llu bytes left over", (unsigned long long)dirty);
	n = 0;
	for (unsigned int k = 0; k < 33; k++)
		n += k != 1 && k != 2 && k != 10 && k != 11 && r->b->x[k];
	for (unsigned int k = 0; k < 32; k++)
		n += r->b->f[k] != 0;
	tap_ok(!n && r->b->x[1] == ANPU_EXIT_PC && r->b->x[2] == ANPU_STACK_TOP &&
	       r->b->x[10] == DATA_VA && r->b->x[11] == 64, "registers at entry");
}

/* pages that share a slot of the soft TLB */
static void test_tlb(struct rig *r)
{
	const uint32_t code[] = {
		I_TYPE(3, 3, 12, 10, 0), I_TYPE(3, 3, 13, 11, 0), I_TYPE(3, 3, 14, 10, 0),
		S_TYPE(0x23, 3, 11, 12, 0), I_TYPE(3, 3, 15, 11, 0), RET
	};
	/* 256 entries of 4 KiB: local and global pages with equal low bits */
	uint64_t v = rnd();

	rig_code(r, 0, code, 6);
	rig_block(r, CODE_VA);
	memcpy(rig_data(r), &v, 8);
	r->b->x[10] = DATA_VA;
	r->b->x[11] = ANPU_UB_BASE;
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[12] == v && !r->b->x[13] && r->b->x[14] == v &&
	       r->b->x[15] == v, "pages that share a TLB slot");
	tap_ok(!r->b->tlb_count, "no translation is kept between runs");
}

/* across pages with both translations at hand: still two pages, of which one may be missing */
static void test_warm(struct rig *r)
{
	const uint32_t code[] = {
		S_TYPE(0x23, 3, 10, 11, 0), I_TYPE(3, 3, 12, 10, 0),	/* warm the page */
		S_TYPE(0x23, 3, 13, 11, 0), RET
	};
	const uint32_t load[] = { I_TYPE(3, 3, 12, 10, 0), I_TYPE(3, 3, 14, 13, 0), RET };
	uint64_t last = DATA_VA + REGION_BYTES - 4;

	for (unsigned int k = 0; k < 2; k++) {
		rig_code(r, 0, k ? load : code, k ? 3 : 4);
		rig_block(r, CODE_VA);
		r->b->x[10] = DATA_VA + REGION_BYTES - 64;
		r->b->x[13] = last;
		tap_ok(rig_run(r) == CORE_FAULT && r->fault.cause == ANPU_FAULT_UNMAPPED &&
		       r->fault.addr == DATA_VA + REGION_BYTES && r->fault.pc == CODE_VA + (k ? 4 : 8),
		       "%s past the end of a page that is in the TLB", k ? "load" : "store");
	}
}

/* Runs a block that loads a word of global memory; returns how often it has asked for translations. */
static unsigned int asks(struct rig *r, uint64_t *value)
{
	unsigned int before = r->mmu.accesses;

	rig_block(r, CODE_VA);
	r->b->x[10] = DATA_VA;
	if (rig_run(r) != CORE_DONE)
		return ~0u;
	*value = r->b->x[11];
	return r->mmu.accesses - before;
}

/* Translations of global memory stay from block to block while the MMU says that they are good. */
static void test_kept(struct rig *r)
{
	const uint32_t load[] = { I_TYPE(3, 3, 11, 10, 0), RET };
	uint8_t *old = r->mmu.region[1].host, *other = calloc(1, REGION_BYTES);
	unsigned int first, again, code;
	uint64_t v = 0;

	rig_code(r, 0, load, 2);
	r->mmu.stamp = 0;
	(void)asks(r, &v);
	code = asks(r, &v) - 1;		/* what the code itself asks for */
	tap_ok(asks(r, &v) == code + 1, "without a stamp each block translates");
	r->mmu.stamp = 1;
	(void)asks(r, &v);
	first = asks(r, &v);
	tap_ok(first == code, "with the same stamp the next block does not");
	memcpy(old, &(uint64_t){ 11 }, 8);
	memcpy(other, &(uint64_t){ 22 }, 8);
	(void)asks(r, &v);
	tap_ok(v == 11, "it reads the memory");
	r->mmu.region[1].host = other;
	r->mmu.stamp = 2;
	again = asks(r, &v);
	tap_ok(again == code + 1 && v == 22, "with another stamp it translates, and reads the new memory");
	r->k.pkt.hdr.flags = ANPU_KERNEL_CHECK;
	tap_ok(asks(r, &v) > code, "the checking mode sees every access, also behind blocks without it");
	r->k.pkt.hdr.flags = 0;
	r->mmu.stamp = 0;
	r->mmu.region[1].host = old;
	(void)asks(r, &v);
	tap_ok(v == 11, "without a stamp nothing is left of earlier ones");
	free(other);
}

/* What is kept is nothing of a block's own memory: that is clean in the next block, and what it writes is noted. */
static void test_kept_clean(struct rig *r)
{
	const uint32_t code[] = { I_TYPE(3, 3, 11, 10, 0), S_TYPE(0x23, 3, 10, 12, 0), I_TYPE(3, 3, 13, 14, 0), RET };
	static const uint64_t places[] = { ANPU_UB_BASE + 64, ANPU_STACK_TOP - 4096 };
	unsigned int bad = 0;

	rig_code(r, 0, code, 4);
	r->mmu.stamp = 3;
	for (unsigned int n = 0; n < 6; n++) {
		rig_block(r, CODE_VA);
		r->b->x[10] = places[n % 2];
		r->b->x[12] = ~0ULL;
		r->b->x[14] = DATA_VA;
		bad += rig_run(r) != CORE_DONE || r->b->x[11];
	}
	r->mmu.stamp = 0;
	tap_ok(!bad, "local memory is zero in each block, also with translations kept");
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_loads(&r);
	test_stores(&r);
	test_part_of_page(&r);
	test_faults(&r);
	test_rights_after_read(&r);
	test_windows(&r);
	test_clean(&r);
	test_tlb(&r);
	test_warm(&r);
	test_kept(&r);
	test_kept_clean(&r);
	rig_fini(&r);
	return tap_done();
}
