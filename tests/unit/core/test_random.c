// SPDX-License-Identifier: MIT
/*
 * Random programs against a plain interpreter written here: straight and branching code, pairs that
 * the core fuses, loads and stores, faults. Registers, memory, pc, cause and the count of
 * instructions must agree wherever a program ends. Then random words, which must only not break it.
 */
#include "rig.h"

#define PROGRAMS	3000
#define WORDS		64
#define DATA_BYTES	4096

/* The reference ------------------------------------------------------------------------------------ */

struct ref {
	uint64_t x[32];
	uint64_t pc;
	uint64_t retired;
	uint32_t code[WORDS];
	uint8_t data[DATA_BYTES];
	uint32_t cause;		/* of a fault, or 0 */
	bool done;
	bool strayed;		/* into memory that this interpreter does not have */
};

static uint64_t field(uint32_t w, int low, int n)
{
	return w >> low & ((1ULL << n) - 1);
}

static uint64_t sext(uint64_t v, int bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

static uint64_t ref_mulh(uint64_t a, uint64_t b, bool as, bool bs)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	uint64_t h = (uint64_t)(p >> 64);

	if (as && (int64_t)a < 0)
		h -= b;
	if (bs && (int64_t)b < 0)
		h -= a;
	return h;
}

static uint64_t ref_divide(uint64_t a, uint64_t b, int f3)
{
	bool sign = !(f3 & 1), rem = f3 & 2;
	bool na = sign && (int64_t)a < 0, nb = sign && (int64_t)b < 0;
	uint64_t ua = na ? -a : a, ub = nb ? -b : b, q;

	if (!b)
		return rem ? a : ~0ULL;
	q = rem ? ua % ub : ua / ub;
	return rem ? (na ? -q : q) : (na != nb ? -q : q);
}

static uint64_t ref_alu(uint64_t a, uint64_t b, int f3, int f7, bool w)
{
	int mask = w ? 31 : 63;

	if (f7 == 1) {
		uint64_t sa = w ? sext(a, 32) : a, sb = w ? sext(b, 32) : b;

		if (w && (f3 & 1)) {	/* divuw, remuw */
			sa = (uint32_t)a;
			sb = (uint32_t)b;
		}
		switch (f3) {
		case 0: return a * b;
		case 1: return ref_mulh(a, b, true, true);
		case 2: return ref_mulh(a, b, true, false);
		case 3: return ref_mulh(a, b, false, false);
		default: return ref_divide(sa, sb, f3);
		}
	}
	switch (f3) {
	case 0: return f7 == 0x20 ? a - b : a + b;
	case 1: return a << (b & mask);
	case 2: return (int64_t)a < (int64_t)b;
	case 3: return a < b;
	case 4: return a ^ b;
	case 5:
		if (f7 == 0x20)
			return (uint64_t)((int64_t)(w ? sext(a, 32) : a) >> (b & mask));
		return (w ? (uint32_t)a : a) >> (b & mask);
	case 6: return a | b;
	default: return a & b;
	}
}

static bool ref_branch(uint64_t a, uint64_t b, int f3)
{
	bool r = f3 < 2 ? a == b : f3 < 6 ? (int64_t)a < (int64_t)b : a < b;

	return r != (f3 & 1);
}

static bool ref_memory(struct ref *r, uint32_t w, uint64_t addr, int f3, bool store)
{
	unsigned int bytes = 1u << (f3 & 3), rd = field(w, 7, 5);
	uint64_t v = 0;

	if (addr - DATA_VA > DATA_BYTES - bytes) {
		r->strayed = addr - LOCAL_BASE < LOCAL_END - LOCAL_BASE || addr - CODE_VA < REGION_BYTES ||
			     addr - RO_VA < REGION_BYTES;
		r->cause = addr < ANPU_GM_BASE ? ANPU_FAULT_SCRATCHPAD : ANPU_FAULT_UNMAPPED;
		return false;
	}
	if (store) {
		memcpy(r->data + (addr - DATA_VA), &r->x[field(w, 20, 5)], bytes);
		return true;
	}
	memcpy(&v, r->data + (addr - DATA_VA), bytes);
	if (rd)
		r->x[rd] = f3 & 4 ? v : sext(v, 8 * (int)bytes);
	return true;
}

/* One instruction; false if it faulted. */
static bool ref_step(struct ref *r)
{
	uint32_t w = r->code[(r->pc - CODE_VA) / 4];
	int f3 = (int)field(w, 12, 3), f7 = (int)field(w, 25, 7), rd = (int)field(w, 7, 5);
	uint64_t a = r->x[field(w, 15, 5)], b = r->x[field(w, 20, 5)], next = r->pc + 4, v = 0;
	uint64_t imm = sext(w >> 20, 12);
	bool word = w & 8;

	switch (w & 0x7f) {
	case 0x37: v = sext(w & 0xfffff000, 32); break;
	case 0x17: v = r->pc + sext(w & 0xfffff000, 32); break;
	case 0x13: case 0x1b:
		v = ref_alu(a, imm, f3, f3 == 5 ? f7 & 0x20 : 0, word);
		break;
	case 0x33: case 0x3b: v = ref_alu(a, b, f3, f7, word); break;
	case 0x03:
		if (!ref_memory(r, w, a + imm, f3, false))
			return false;
		rd = 0;
		break;
	case 0x23:
		imm = sext(field(w, 25, 7) << 5 | field(w, 7, 5), 12);
		if (!ref_memory(r, w, a + imm, f3, true))
			return false;
		rd = 0;
		break;
	case 0x63:
		imm = sext(field(w, 31, 1) << 12 | field(w, 7, 1) << 11 | field(w, 25, 6) << 5 |
			   field(w, 8, 4) << 1, 13);
		if (ref_branch(a, b, f3))
			next = r->pc + imm;
		rd = 0;
		break;
	case 0x6f:
		imm = sext(field(w, 31, 1) << 20 | field(w, 12, 8) << 12 | field(w, 20, 1) << 11 |
			   field(w, 21, 10) << 1, 21);
		v = next;
		next = r->pc + imm;
		break;
	case 0x67:
		v = next;
		next = (a + imm) & ~1ULL;
		break;
	default:
		r->cause = ANPU_FAULT_ILLEGAL;
		return false;
	}
	if (rd)
		r->x[rd] = (w & 0x7f) == 0x1b || (w & 0x7f) == 0x3b ? sext(v, 32) : v;
	r->retired++;
	r->pc = next;
	return true;
}

/* Programs ----------------------------------------------------------------------------------------- */

static unsigned int reg(void)
{
	return 5 + rnd() % 11;
}

static uint32_t random_alu(void)
{
	static const uint8_t w_f3s[] = { 0, 1, 5 };
	static const uint8_t mw_f3s[] = { 0, 4, 5, 6, 7 };
	uint32_t f3 = rnd() % 8, alt = rnd() % 2 ? 0x20 : 0;

	switch (rnd() % 6) {
	case 0: return R_TYPE(0x33, f3, f3 == 0 || f3 == 5 ? alt : 0, reg(), reg(), reg());
	case 1: f3 = w_f3s[rnd() % 3]; return R_TYPE(0x3b, f3, f3 != 1 ? alt : 0, reg(), reg(), reg());
	case 2: return R_TYPE(0x33, f3, 1, reg(), reg(), reg());
	case 3: return R_TYPE(0x3b, mw_f3s[rnd() % 5], 1, reg(), reg(), reg());
	case 4:
		if (f3 == 1 || f3 == 5)
			return I_TYPE(0x13, f3, reg(), reg(), (rnd() & 63) | (f3 == 5 && alt ? 0x400 : 0));
		return I_TYPE(0x13, f3, reg(), reg(), rnd());
	default:
		f3 = w_f3s[rnd() % 3];
		return I_TYPE(0x1b, f3, reg(), reg(), f3 ? (rnd() & 31) | (f3 == 5 && alt ? 0x400 : 0) : rnd());
	}
}

/* 3 and 4 keep pointing into the data; sometimes a base goes astray, and the program faults */
static uint32_t random_memory(void)
{
	static const uint8_t loads[] = { 0, 1, 2, 3, 4, 5, 6 };
	uint32_t base = rnd() % 64 ? 3 + rnd() % 2 : reg();
	int imm = (int)(rnd() % 2048);

	if (rnd() % 2)
		return I_TYPE(0x03, loads[rnd() % 7], reg(), base, imm);
	return S_TYPE(0x23, rnd() % 4, base, reg(), imm);
}

/* links go where no address is made from them: code can be read as data */
static uint32_t random_jump(unsigned int at)
{
	static const uint8_t f3s[] = { 0, 1, 4, 5, 6, 7 };
	int to = (int)(rnd() % WORDS), distance = (to - (int)at) * 4;

	return rnd() % 8 ? B_TYPE(f3s[rnd() % 6], reg(), reg(), distance) : J_TYPE(rnd() % 2 ? 0 : 17, distance);
}

static void random_program(uint32_t *code)
{
	unsigned int n = 0;

	while (n < WORDS - 4) {
		unsigned int d = reg();
		int to;

		switch (rnd() % 8) {
		case 0: code[n++] = random_memory(); break;
		case 1: code[n] = random_jump(n); n++; break;
		case 2:	/* the pairs that are fused */
			code[n++] = R_TYPE(0x33, 0, 0, d, 3, 0);
			code[n++] = I_TYPE(0x03, rnd() % 7, rnd() % 2 ? d : reg(), d, rnd() % 2000);
			break;
		case 3:
			code[n++] = ADDI(d, reg(), (int)(rnd() % 16) - 8);
			to = ((int)(rnd() % WORDS) - (int)n) * 4;
			code[n++] = B_TYPE(rnd() % 2 ? 1 : 4, d, reg(), to);
			break;
		case 4:
			code[n++] = I_TYPE(0x13, 1, d, reg(), rnd() & 63);
			code[n++] = R_TYPE(0x33, 0, 0, reg(), d, reg());
			break;
		default: code[n++] = random_alu(); break;
		}
	}
	while (n < WORDS)
		code[n++] = RET;
}

static bool same(struct rig *r, struct ref *ref, enum core_result result)
{
	uint64_t pc = result == CORE_FAULT ? r->fault.pc : r->b->pc;

	if (ref->cause ? result != CORE_FAULT || r->fault.cause != ref->cause || r->fault.x[0] != ref->retired :
			 result != (ref->done ? CORE_DONE : CORE_MORE))
		return false;
	for (unsigned int n = 1; n < 32; n++)
		if (ref->x[n] != r->b->x[n])
			return false;
	return r->b->retired == ref->retired && pc == ref->pc && !memcmp(ref->data, rig_data(r), DATA_BYTES);
}

static bool one_program(struct rig *r, struct ref *ref)
{
	enum core_result result;

	random_program(ref->code);
	rig_code(r, 0, ref->code, WORDS);
	rig_block(r, CODE_VA);
	for (unsigned int n = 5; n < 16; n++)
		r->b->x[n] = rnd() % 3 ? rnd() : rnd() % 64 - 32;
	r->b->x[3] = DATA_VA;
	r->b->x[4] = DATA_VA + 1024;
	for (unsigned int n = 0; n < DATA_BYTES; n++)
		rig_data(r)[n] = (uint8_t)rnd();
	memcpy(ref->x, r->b->x, sizeof(ref->x));
	memcpy(ref->data, rig_data(r), DATA_BYTES);
	ref->pc = CODE_VA;
	ref->retired = 0;
	ref->cause = 0;
	ref->done = false;
	ref->strayed = false;
	/* endless ones end by the budget: go as far with the reference */
	result = core_block_run(r->b, &r->mmu, 5000, &r->fault);
	while (!ref->done && ref_step(ref)) {
		ref->done = ref->pc == ANPU_EXIT_PC;
		if (!ref->done && result == CORE_MORE && ref->retired == r->b->retired)
			break;
		if (!ref->done && ref->retired > 1000000)
			break;
	}
	return ref->strayed || same(r, ref, result);
}

static void test_programs(struct rig *r)
{
	static struct ref ref;
	unsigned int bad = 0, ends[3] = { 0 };

	r->mmu.region[1].size = DATA_BYTES;
	for (unsigned int n = 0; n < PROGRAMS; n++) {
		if (!one_program(r, &ref) && !bad++)
			tap_note("program %u: fault %u/%u %s, retired %llu/%llu", n, r->fault.cause, ref.cause,
				 r->fault.message, (unsigned long long)r->b->retired,
				 (unsigned long long)ref.retired);
		ends[ref.cause ? 2 : ref.done ? 0 : 1]++;
	}
	r->mmu.region[1].size = REGION_BYTES;
	tap_ok(!bad, "%u random programs: %u returned, %u endless, %u faulted", PROGRAMS, ends[0], ends[1],
	       ends[2]);
	tap_ok(ends[0] > PROGRAMS / 20 && ends[1] > PROGRAMS / 20 && ends[2] > 10,
	       "and enough of each kind");
}

/* words of random bits, most with a valid opcode; registers point into every kind of memory */
static void test_words(struct rig *r)
{
	static const uint8_t opcodes[] = { 0x03, 0x07, 0x0b, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x2b, 0x33,
					   0x37, 0x3b, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x63, 0x67, 0x6f, 0x73 };
	static const uint64_t places[] = { DATA_VA, CODE_VA, RO_VA, ANPU_UB_BASE, ANPU_L1_BASE, ANPU_L0C_BASE,
					   ANPU_STACK_BASE, 0, ~0ULL, DATA_VA + REGION_BYTES - 4 };
	unsigned int bad = 0, results[4] = { 0 };

	for (unsigned int n = 0; n < 4 * PROGRAMS; n++) {
		uint32_t code[WORDS];
		enum core_result result;

		for (unsigned int k = 0; k < WORDS; k++) {
			code[k] = (uint32_t)rnd();
			/* mostly code that goes on, so that the rest is reached in many states */
			if (rnd() % 4)
				code[k] = rnd() % 8 ? random_alu() : random_jump(k);
			else if (rnd() % 16)
				code[k] = (code[k] & ~0x7fu) | opcodes[rnd() % sizeof(opcodes)];
		}
		rig_code(r, 0, code, WORDS);
		rig_block(r, CODE_VA);
		for (unsigned int k = 1; k < 32; k++) {
			r->b->x[k] = rnd() % 2 ? places[rnd() % 10] + rnd() % 4096 : rnd() % 100000;
			r->b->f[k] = rnd();
		}
		result = core_block_run(r->b, &r->mmu, 3000, &r->fault);
		results[result]++;
		bad += r->b->x[0] || (result == CORE_FAULT &&
				      (!r->fault.cause || r->fault.cause >= ANPU_FAULT_COUNT || !r->fault.message[0] ||
				       r->fault.x[0] != r->b->retired));
	}
	tap_ok(!bad, "%u programs of random words: %u done, %u endless, %u blocked, %u faulted with a reason",
	       4 * PROGRAMS, results[0], results[1], results[2], results[3]);
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_programs(&r);
	test_words(&r);
	rig_fini(&r);
	return tap_done();
}
