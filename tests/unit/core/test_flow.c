// SPDX-License-Identifier: MIT
/* Control flow: branches, jumps, pages of code, illegal words, stop, budget, decoded code. */
#include "rig.h"

static enum core_result run_at(struct rig *r, uint64_t pc)
{
	rig_block(r, pc);
	return rig_run(r);
}

/* x13 = taken ? 1 : 2, with the branch forwards and backwards, inside a page and across pages */
static bool branch(struct rig *r, unsigned int f3, uint64_t a, uint64_t b, bool taken)
{
	static const int distances[] = { 16, -16, 4092, -4096 };

	for (unsigned int k = 0; k < 4; k++) {
		unsigned int at = 0x2000, to = at + (unsigned int)distances[k];
		const uint32_t yes[] = { ADDI(13, 0, 1), RET };
		const uint32_t no[] = { B_TYPE(f3, 10, 11, distances[k]), ADDI(13, 0, 2), RET };

		rig_code(r, to, yes, 2);
		rig_code(r, at, no, 3);
		rig_block(r, CODE_VA + at);
		r->b->x[10] = a;
		r->b->x[11] = b;
		if (rig_run(r) != CORE_DONE || r->b->x[13] != (taken ? 1 : 2) || r->b->retired != 3)
			return false;
	}
	return true;
}

static void test_branches(struct rig *r)
{
	static const uint64_t v[] = { 0, 1, ~0ULL, 1ULL << 63, (1ULL << 63) - 1 };
	static const char *const names[] = { "beq", "bne", "", "", "blt", "bge", "bltu", "bgeu" };

	for (unsigned int f3 = 0; f3 < 8; f3++) {
		unsigned int bad = 0;

		if (f3 == 2 || f3 == 3)
			continue;
		for (unsigned int i = 0; i < 5; i++) {
			for (unsigned int j = 0; j < 5; j++) {
				bool lt = f3 >= 6 ? v[i] < v[j] : (int64_t)v[i] < (int64_t)v[j];
				bool c = f3 < 2 ? v[i] == v[j] : lt;

				bad += !branch(r, f3, v[i], v[j], c != (f3 & 1));
			}
		}
		tap_ok(!bad, "%s: all orders, near and across pages", names[f3]);
	}
}

static void test_jumps(struct rig *r)
{
	const uint32_t target[] = { ADDI(13, 0, 9), I_TYPE(0x67, 0, 0, 5, 0) };
	const uint32_t ret[] = { RET };
	uint32_t code[2];

	for (unsigned int k = 0; k < 2; k++) {
		unsigned int to = k ? 0x5000 : 0x40;

		code[0] = J_TYPE(5, (int)to);
		code[1] = RET;
		rig_code(r, to, target, 2);
		rig_code(r, 0, code, 2);
		tap_ok(run_at(r, CODE_VA) == CORE_DONE && r->b->x[13] == 9 &&
		       r->b->x[5] == CODE_VA + 4 && r->b->retired == 4, "jal %s and back",
		       k ? "to another page" : "in the page");
	}
	code[0] = I_TYPE(0x67, 0, 5, 10, -1);	/* jalr clears the lowest bit */
	rig_code(r, 0, code, 2);
	rig_block(r, CODE_VA);
	r->b->x[10] = CODE_VA + 0x5000 + 2;
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == 9, "jalr with offset and odd sum");
	code[0] = I_TYPE(0x67, 0, 0, 10, 8);	/* a return has no offset, this has one */
	rig_code(r, 0, code, 2);
	rig_block(r, CODE_VA);
	r->b->x[10] = CODE_VA + 0x5000 - 8;
	r->b->x[5] = CODE_VA + 4;	/* where the code there goes back to */
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == 9, "jalr with offset and without link");
	code[0] = I_TYPE(0x67, 0, 10, 10, 0);	/* destination is the base */
	code[1] = I_TYPE(0x67, 0, 0, 1, 0);
	rig_code(r, 0, code, 2);
	rig_code(r, 0x5000, ret, 1);
	rig_block(r, CODE_VA);
	r->b->x[10] = CODE_VA + 0x5000;
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[10] == CODE_VA + 4, "jalr whose link is its base");
	code[0] = ADDI(13, 0, 3);
	rig_code(r, 0x1ffc, code, 1);
	rig_code(r, 0x2000, ret, 1);
	tap_ok(run_at(r, CODE_VA + 0x1ffc) == CORE_DONE && r->b->x[13] == 3 && r->b->retired == 2,
	       "code runs on from one page into the next");
}

static bool fetch_fault(struct rig *r, enum core_result result, uint64_t pc)
{
	bool ok = result == CORE_FAULT && r->fault.cause == ANPU_FAULT_FETCH && r->fault.pc == pc &&
		  r->fault.access == ANPU_ACCESS_FETCH && r->fault.message[0];

	if (!ok)
		tap_note("result %d cause %u pc 0x%llx: %s", result, r->fault.cause,
			 (unsigned long long)r->fault.pc, r->fault.message);
	return ok;
}

static enum core_result jump_to(struct rig *r, uint64_t to)
{
	const uint32_t code[] = { I_TYPE(0x67, 0, 5, 10, 0) };

	rig_code(r, 0, code, 1);
	rig_block(r, CODE_VA);
	r->b->x[10] = to;
	r->b->x[5] = 0x1234;
	return rig_run(r);
}

static void test_fetch_faults(struct rig *r)
{
	const uint32_t nop[] = { ADDI(0, 0, 0) };
	uint64_t end = CODE_VA + REGION_BYTES;

	tap_ok(fetch_fault(r, jump_to(r, 0), 0) && strstr(r->fault.message, "null"),
	       "jump to null names it");
	tap_ok(fetch_fault(r, jump_to(r, ANPU_UB_BASE), ANPU_UB_BASE), "jump into a scratchpad");
	tap_ok(fetch_fault(r, jump_to(r, DATA_VA), DATA_VA) && r->fault.x[5] == CODE_VA + 4 &&
	       r->fault.x[0] == 1, "jump into data: the jump has retired, pc is the target");
	tap_ok(fetch_fault(r, jump_to(r, end), end), "jump behind the code");
	tap_ok(fetch_fault(r, jump_to(r, CODE_VA + 6), CODE_VA) && r->fault.addr == CODE_VA + 6 &&
	       r->fault.x[5] == 0x1234 && r->fault.x[0] == 0,
	       "a misaligned target faults at the jump, without a link");
	rig_code(r, REGION_BYTES - 4, nop, 1);
	tap_ok(fetch_fault(r, run_at(r, end - 4), end), "running off the end of the code");
	tap_ok(fetch_fault(r, run_at(r, DATA_VA), DATA_VA), "an entry that is not executable");
}

static void test_illegal(struct rig *r)
{
	static const struct { const char *name; uint32_t word; } words[] = {
		{ "all zeros", 0 }, { "all ones", ~0u }, { "a compressed instruction", 0x4501 },
		{ "ecall", 0x73 }, { "mret", 0x30200073 }, { "wfi", 0x10500073 },
		{ "amo of 2 bytes", 0x0000152f }, { "load of funct3 7", I_TYPE(3, 7, 13, 10, 0) },
		{ "store of funct3 4", S_TYPE(0x23, 4, 10, 11, 0) },
		{ "branch of funct3 2", B_TYPE(2, 10, 11, 8) }, { "jalr of funct3 1", I_TYPE(0x67, 1, 0, 1, 0) },
		{ "slli with a bad high part", I_TYPE(0x13, 1, 13, 10, 0x401) },
		{ "srai with a bad high part", I_TYPE(0x13, 5, 13, 10, 0x801) },
		{ "slliw by 32", I_TYPE(0x1b, 1, 13, 10, 32) }, { "op of funct7 0x10", R_TYPE(0x33, 0, 0x10, 13, 10, 11) },
		{ "op-32 mulh", R_TYPE(0x3b, 1, 1, 13, 10, 11) }, { "flq", I_TYPE(7, 4, 13, 10, 0) },
		{ "fadd.q", R_TYPE(0x53, 7, 3, 13, 10, 11) }, { "fadd.s with rounding mode 5", R_TYPE(0x53, 5, 0, 13, 10, 11) },
		{ "fmadd.s with rounding mode 6", R4_TYPE(0x43, 6, 0, 13, 10, 11, 12) },
		{ "fsqrt.d with rs2", R_TYPE(0x53, 7, 0x2d, 13, 10, 1) },
		{ "fcvt.s.s", R_TYPE(0x53, 7, 0x20, 13, 10, 0) }, { "custom-1 with funct3", R_TYPE(0x2b, 1, 9, 0, 0, 0) },
		{ "custom-1 with rd", R_TYPE(0x2b, 0, 9, 1, 0, 0) }, { "custom-1 number 100", R_TYPE(0x2b, 0, 100, 0, 0, 0) },
		{ "tile operation 31", TILE_INSN(31, 0, 0, 0, 0) },
	};

	for (unsigned int k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		tap_ok(rig_one(r, words[k].word, NULL, NULL) == CORE_FAULT &&
		       r->fault.cause == ANPU_FAULT_ILLEGAL && r->fault.pc == CODE_VA &&
		       r->fault.insn == words[k].word && r->fault.x[0] == 0 && r->fault.message[0],
		       "illegal: %s", words[k].name);
	tap_ok(rig_one(r, 0x00100073, NULL, NULL) == CORE_FAULT &&
	       r->fault.cause == ANPU_FAULT_BREAKPOINT, "ebreak");
	tap_ok(rig_one(r, 0x0ff0000f, NULL, NULL) == CORE_DONE, "fence");
}

static void test_stop(struct rig *r)
{
	const uint32_t forever[] = { J_TYPE(0, 0) };
	const uint32_t straight[] = { ADDI(13, 13, 1), B_TYPE(0, 0, 0, -4) };
	uint64_t before;

	rig_code(r, 0, forever, 1);
	rig_block(r, CODE_VA);
	atomic_store(&r->k.stop, 1);
	tap_ok(rig_run(r) == CORE_MORE && r->b->pc == CODE_VA, "stop ends an endless loop");
	tap_ok(r->b->retired <= 50000, "soon: after %llu instructions",
	       (unsigned long long)r->b->retired);
	atomic_store(&r->k.stop, 0);

	rig_code(r, 0, straight, 2);
	rig_block(r, CODE_VA);
	r->mmu.polls = 0;
	tap_ok(core_block_run(r->b, &r->mmu, 20000, &r->fault) == CORE_MORE && r->mmu.polls > 3,
	       "the budget ends a run, polling on the way");
	before = r->b->retired;
	tap_ok(r->b->x[13] == before / 2 + before % 2, "counts exactly: %llu instructions, x13 = %llu",
	       (unsigned long long)before, (unsigned long long)r->b->x[13]);
	core_block_run(r->b, &r->mmu, 20000, &r->fault);
	tap_ok(r->b->retired > before && r->b->x[13] == r->b->retired / 2 + r->b->retired % 2,
	       "and goes on where it was");
}

/* translations dropped in the middle of a loop that uses them */
static void test_drops(struct rig *r)
{
	const uint32_t code[] = {
		I_TYPE(3, 3, 13, 10, 0), ADDI(13, 13, 1), S_TYPE(0x23, 3, 10, 13, 0),
		ADDI(12, 12, -1), B_TYPE(1, 12, 0, -16), RET
	};

	static uint8_t spare[REGION_BYTES];
	uint8_t *first = rig_data(r);

	rig_code(r, 0, code, 6);
	rig_block(r, CODE_VA);
	memset(rig_data(r), 0, 8);
	r->mmu.spare = spare;
	r->b->x[12] = 100000;
	r->mmu.drops = 50;
	tap_ok(rig_run(r) == CORE_DONE && r->b->x[13] == 100000 && !r->mmu.drops,
	       "dropped translations are looked up again, and the data has moved");
	tap_ok(rig_data(r)[0] == (100000 & 255) && rig_data(r)[1] == (100000 >> 8 & 255),
	       "no store went to the old place");
	memcpy(first, rig_data(r), REGION_BYTES);
	r->mmu.region[1].host = first;
	r->mmu.spare = NULL;
}

static void test_code_cache(struct rig *r)
{
	const uint32_t loop[] = { ADDI(13, 13, 1), B_TYPE(0, 0, 0, -4) };
	const uint32_t leave[] = { ADDI(13, 0, 77), RET };
	uint32_t self[] = { 0x0000100f, ADDI(13, 0, 1), RET };

	rig_code(r, 0, loop, 2);
	rig_block(r, CODE_VA);
	core_block_run(r->b, &r->mmu, 20000, &r->fault);
	/* new code at the same place: old decoding until the cache is told */
	memcpy(r->mmu.region[0].host, leave, 8);
	tap_ok(core_block_run(r->b, &r->mmu, 20000, &r->fault) == CORE_MORE,
	       "decoded code is kept between runs");
	code_cache_invalidate(r->k.code);
	tap_ok(rig_run(r) == CORE_DONE, "and decoded again after invalidation");
	tap_ok(run_at(r, CODE_VA) == CORE_DONE && r->b->x[13] == 77, "new code runs");
	rig_code(r, 0, self, 3);
	tap_ok(run_at(r, CODE_VA) == CORE_DONE && r->b->x[13] == 1 && r->b->retired == 3,
	       "fence.i forgets decoded code and goes on");
	for (unsigned int n = 0; n < REGION_BYTES; n += 4096) {
		const uint32_t hop[] = { n + 4096 < REGION_BYTES ? J_TYPE(0, 4096) : RET };

		rig_code(r, n, hop, 1);
	}
	tap_ok(run_at(r, CODE_VA) == CORE_DONE && r->b->retired == REGION_BYTES / 4096,
	       "code over many pages");
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_branches(&r);
	test_jumps(&r);
	test_fetch_faults(&r);
	test_illegal(&r);
	test_stop(&r);
	test_drops(&r);
	test_code_cache(&r);
	rig_fini(&r);
	return tap_done();
}
