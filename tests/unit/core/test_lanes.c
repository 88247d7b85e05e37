// SPDX-License-Identifier: MIT
/*
 * Random programs of threads that run in lockstep, with each set of vectors that this host has, against the
 * same threads one by one: memory, registers, exceptions and the count of instructions must agree. Threads
 * share nothing but sums, so that the order in which they run does not matter.
 */
#include <stdio.h>

#include "model/core/lanes/lanes.h"
#include "rig.h"

#define PROGRAMS	3000
#define WORDS		900
#define OWN_BYTES	1024		/* where a thread puts its registers at the end, and what it changes */
#define SIDE		0x20000		/* elements of all threads side by side: 8 bytes of each, four times */
#define SIDE_STEP	2048
#define NEXT		0x28000		/* words side by side, of each thread one */
#define SUMS		0x30000		/* all threads add to these */
#define USED		0x30100

/* in the unified buffer */
#define UB_SUMS		64		/* 64 words that all threads add to */
#define UB_OWN		4096		/* of each thread a word */

/* x5 to x8 and x11 to x27 are changed; x28 is the thread's own place, x29 the one side by side, x30 the sums */
static const uint8_t targets[] = { 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 0 };
static const uint8_t sources[] = { 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 3, 2, 0, 28, 29, 9 };

static uint32_t code[WORDS];
static unsigned int length;

static void emit(uint32_t word)
{
	if (length < WORDS)
		code[length++] = word;
}

static uint32_t rd(void)
{
	return targets[rnd() % sizeof(targets)];
}

static uint32_t rs(void)
{
	return sources[rnd() % sizeof(sources)];
}

static uint32_t f(void)
{
	return rnd() % 10;
}

static uint32_t rounding(void)
{
	static const uint8_t modes[] = { 7, 7, 7, 7, 0, 1, 2, 3, 4 };

	return modes[rnd() % sizeof(modes)];
}

static void integer(void)
{
	static const uint8_t w_imm[] = { 0, 1, 5 }, w_mul[] = { 0, 4, 5, 6, 7 };
	uint32_t f3 = rnd() % 8, alt = rnd() % 2 ? 0x20 : 0, n = rnd() & 63;

	switch (rnd() % 8) {
	case 0: emit(R_TYPE(0x33, f3, f3 == 0 || f3 == 5 ? alt : 0, rd(), rs(), rs())); break;
	case 1: emit(R_TYPE(0x33, f3, 1, rd(), rs(), rs())); break;
	case 2: f3 = w_imm[rnd() % 3]; emit(R_TYPE(0x3b, f3, f3 != 1 ? alt : 0, rd(), rs(), rs())); break;
	case 3: emit(R_TYPE(0x3b, w_mul[rnd() % 5], 1, rd(), rs(), rs())); break;
	case 4: f3 = w_imm[rnd() % 3];
		emit(f3 ? I_TYPE(0x1b, f3, rd(), rs(), (n & 31) | (f3 == 5 && alt ? 0x400 : 0)) :
		     I_TYPE(0x1b, 0, rd(), rs(), rnd()));
		break;
	case 5: emit(U_TYPE(rnd() % 2 ? 0x37 : 0x17, rd(), rnd())); break;
	case 6: emit(I_TYPE(0x13, 7, rd(), rs(), (1u << rnd() % 11) - 1)); break;	/* the lower bits */
	default:
		if (f3 == 1 || f3 == 5)
			emit(I_TYPE(0x13, f3, rd(), rs(), n | (f3 == 5 && alt ? 0x400 : 0)));
		else
			emit(I_TYPE(0x13, f3, rd(), rs(), rnd()));
		break;
	}
}

/* Of its own memory, of its part of memory side by side, or of its stack. */
static void memory(void)
{
	unsigned int kind = rnd() % 3, log = rnd() % 4;
	uint32_t base = kind == 0 ? 28 : kind == 1 ? 29 : 2;
	int32_t at = kind == 0 ? (int32_t)(rnd() % 200) : kind == 1 ?
		     (int32_t)(rnd() % (8u >> log) << log) : -(int32_t)(rnd() % 20 * 8) - 8;

	switch (rnd() % 4) {
	case 0: emit(I_TYPE(3, log == 3 ? 3 : rnd() % 2 ? log : log | 4, rd(), base, at)); break;
	case 1: emit(S_TYPE(0x23, log, base, rs(), at)); break;
	case 2: emit(I_TYPE(7, log ? log : 2, f(), base, log ? at : at & ~3)); break;
	default: emit(S_TYPE(0x27, log ? log : 2, base, f(), log ? at : at & ~3)); break;
	}
}

static void atomic(void)
{
	static const uint8_t ops[] = { 0x00, 0x01, 0x04, 0x05, 0x08, 0x0c, 0x10, 0x14, 0x18, 0x1c };
	uint32_t width = 2 + rnd() % 2;

	if (rnd() % 3 == 0)	/* into a sum; its value before depends on the others */
		emit(R_TYPE(0x2f, 3, 0, 0, 30, rs()));
	else
		emit(R_TYPE(0x2f, width, ops[rnd() % sizeof(ops)] << 2, rd(), 29, rs()));
}

/* All threads add to a word in the unified buffer. */
static void shared_sum(void)
{
	emit(U_TYPE(0x37, 4, ANPU_UB_BASE >> 12));
	emit(R_TYPE(0x2f, 2, 0, 0, 4, rs()));
}

/* Threads add to words of the unified buffer that depend on their registers, or to their own, and see what that was. */
static void shared_sums(void)
{
	emit(U_TYPE(0x37, 4, ANPU_UB_BASE >> 12));
	if (rnd() % 2) {
		emit(I_TYPE(0x13, 7, 27, rs(), 0xfc));
		emit(R_TYPE(0x33, 0, 0, 4, 4, 27));
		emit(ADDI(4, 4, UB_SUMS));
		emit(R_TYPE(0x2f, 2, 0, 0, 4, rs()));
		return;
	}
	emit(I_TYPE(0x13, 1, 27, 3, 2));
	emit(R_TYPE(0x33, 0, 0, 4, 4, 27));
	emit(U_TYPE(0x37, 27, UB_OWN >> 12));
	emit(R_TYPE(0x33, 0, 0, 4, 4, 27));
	emit(R_TYPE(0x2f, 2, 0, rd(), 4, rs()));
}

/* Of the thread's word among those side by side, all or a part. */
static void next_to_others(void)
{
	static const uint8_t kinds[] = { 0, 1, 2, 4, 5, 6 };
	unsigned int kind = kinds[rnd() % 6], log = kind & 3;
	int32_t at = (int32_t)(rnd() % (4u >> log) << log);

	emit(I_TYPE(0x13, 1, 27, 3, 2));
	emit(R_TYPE(0x33, 0, 0, 27, 27, 10));
	emit(U_TYPE(0x37, 4, NEXT >> 12));
	emit(R_TYPE(0x33, 0, 0, 27, 27, 4));
	switch (rnd() % 4) {
	case 0: emit(S_TYPE(0x23, log, 27, rs(), at)); break;
	case 1: emit(I_TYPE(7, 1, f(), 27, at & 2)); break;
	default: emit(I_TYPE(3, kind, rd(), 27, at)); break;
	}
}

/* A small number, shifted and added to others: as far as words do for it, and a step further. */
static void small_numbers(void)
{
	uint32_t d = rd(), other = rs(), shift = rnd() % 40;

	if (d == 0)
		return;
	emit(I_TYPE(0x13, 7, d, rs(), (1u << rnd() % 11) - 1));
	emit(I_TYPE(0x13, 1, d, d, shift));
	switch (rnd() % 4) {
	case 0: emit(R_TYPE(0x33, 0, 0, rd(), d, d)); break;
	case 1: emit(R_TYPE(0x33, 0, 0, rd(), d, other)); break;
	case 2: emit(ADDI(rd(), d, (int32_t)(rnd() % 4096) - 2048)); break;
	default: emit(R_TYPE(0x3b, 0, 0, rd(), d, other)); break;
	}
}

static void floating(void)
{
	static const uint8_t arithmetic[] = { 0x00, 0x04, 0x08, 0x0c };
	uint32_t fmt = rnd() % 8 == 0 ? 2 : rnd() % 2, rm = rounding();

	switch (rnd() % 10) {
	case 0: case 1: emit(R_TYPE(0x53, rm, arithmetic[rnd() % 4] | fmt, f(), f(), f())); break;
	case 2: case 3: emit(R4_TYPE(0x43 | rnd() % 4 << 2, rm, fmt, f(), f(), f(), f())); break;
	case 4: emit(R_TYPE(0x53, rnd() % 3, 0x10 | fmt, f(), f(), f())); break;
	case 5: emit(R_TYPE(0x53, rnd() % 2, 0x14 | fmt, f(), f(), f())); break;
	case 6: emit(R_TYPE(0x53, rnd() % 3, 0x50 | fmt, rd(), f(), f())); break;
	case 7: emit(R_TYPE(0x53, rm, 0x68 | fmt, f(), rs(), rnd() % 4)); break;
	case 8: emit(R_TYPE(0x53, rnd() % 2 ? 1 : rm, 0x60 | fmt, rd(), f(), rnd() % 4)); break;
	default:
		switch (rnd() % 5) {
		case 0: emit(R_TYPE(0x53, rm, 0x2c | fmt, f(), f(), 0)); break;
		case 1: emit(R_TYPE(0x53, 0, 0x70 | fmt, rd(), f(), 0)); break;
		case 2: emit(R_TYPE(0x53, 0, 0x78 | fmt, f(), rs(), 0)); break;
		case 3: emit(R_TYPE(0x53, 1, 0x70 | fmt, rd(), f(), 0)); break;
		default: emit(R_TYPE(0x53, rm, 0x20 | (fmt & 1), f(), f(), !(fmt & 1))); break;
		}
	}
}

/* A quotient of all sizes up to what does not fit, to an integer of any kind */
static void fractions(void)
{
	uint32_t d = rd(), fmt = rnd() % 2, a = f(), c = f();

	if (d == 0)
		return;
	emit(I_TYPE(0x13, 7, d, rs(), (1u << rnd() % 11) - 1));
	emit(I_TYPE(0x13, 1, d, d, rnd() % 56));
	if (rnd() % 2)
		emit(R_TYPE(0x33, 0, 0x20, d, 0, d));
	emit(R_TYPE(0x53, 7, 0x68 | fmt, a, d, 2));
	emit(ADDI(d, 0, 2 + (int32_t)(rnd() % 15)));
	emit(R_TYPE(0x53, 7, 0x68 | fmt, c, d, 2));
	emit(R_TYPE(0x53, 7, 0x0c | fmt, a, a, c));
	emit(R_TYPE(0x53, rnd() % 2 ? 7 : 1, 0x60 | fmt, rd(), a, rnd() % 4));
}

static void one(void)
{
	switch (rnd() % 13) {
	case 0: case 1: case 2: integer(); break;
	case 3: small_numbers(); break;
	case 4: case 5: memory(); break;
	case 6: next_to_others(); break;
	case 7: atomic(); break;
	case 8: fractions(); break;
	default: floating(); break;
	}
}

static void branch_to(unsigned int from, uint32_t f3, uint32_t a, uint32_t b, unsigned int to)
{
	if (from < WORDS)
		code[from] = B_TYPE(f3, a, b, ((int32_t)to - (int32_t)from) * 4);
}

/* Some instructions, among them branches over others, loops that the lanes leave at different times, calls. */
static void block(unsigned int depth)
{
	static const uint8_t f3s[] = { 0, 1, 4, 5, 6, 7 };
	unsigned int n = 2 + rnd() % 6, from, top;
	uint32_t counter = 31 - depth % 2 * 22;		/* x31, x9 */

	while (n--) {
		switch (depth < 2 ? rnd() % 10 : 9) {
		case 0: case 1:
			from = length;
			emit(0);
			block(depth + 1);
			branch_to(from, f3s[rnd() % 6], rs(), rs(), length);
			break;
		case 2:
			emit(I_TYPE(0x13, 7, counter, rs(), 3));
			emit(ADDI(counter, counter, 1));
			top = length;
			block(depth + 1);
			emit(ADDI(counter, counter, -1));
			from = length;
			emit(0);
			branch_to(from, 1, counter, 0, top);
			break;
		case 3:		/* to one of two places, by a register */
			emit(U_TYPE(0x17, 4, 0));
			emit(I_TYPE(0x13, 7, 27, rs(), 4));
			emit(R_TYPE(0x33, 0, 0, 4, 4, 27));
			emit(I_TYPE(0x67, 0, rnd() % 2 ? 4 : 0, 4, 16));
			integer();	/* an instruction each */
			floating();
			break;
		case 4:
			if (rnd() % 2)
				shared_sum();
			else
				shared_sums();
			break;
		default:
			one();
			break;
		}
	}
}

/* Operations of threads, which all threads come to. */
static void together(void)
{
	static const uint32_t ops[] = { ANPU_THREAD_WSYNC, ANPU_THREAD_SHFL, ANPU_THREAD_VOTE, ANPU_THREAD_MATCH,
					ANPU_THREAD_REDUCE };
	static const uint8_t modes[] = { ANPU_BAR_SYNC, ANPU_BAR_COUNT, ANPU_BAR_AND, ANPU_BAR_OR };
	uint32_t op = ops[rnd() % 5];
	unsigned int mode = rnd() % (op == ANPU_THREAD_MATCH || op == ANPU_THREAD_WSYNC ? 2 : 4);

	if (rnd() % 2) {
		emit(ADDI(31, 0, (int32_t)modes[rnd() % 4] << 8));
		emit(R_TYPE(ANPU_OPC_SYS, 2, ANPU_THREAD_BAR, rd(), 31, rs()));
		return;
	}
	if (op == ANPU_THREAD_WSYNC)
		mode = 0;
	emit(ADDI(31, 0, op == ANPU_THREAD_SHFL ? (int32_t)(1u << rnd() % 6) : 0));	/* the width */
	emit(I_TYPE(0x13, 1, 31, 31, 8));
	emit(ADDI(31, 31, op == ANPU_THREAD_SHFL ? (int32_t)(rnd() % 32) : 0));	/* the lane */
	emit(I_TYPE(0x13, 1, 31, 31, 8));
	emit(ADDI(31, 31, (int32_t)mode));
	emit(I_TYPE(0x13, 1, 31, 31, 32));
	emit(ADDI(4, 0, -1));
	emit(I_TYPE(0x13, 1, 4, 4, 32));
	emit(I_TYPE(0x13, 5, 4, 4, 32));
	emit(R_TYPE(0x33, 0, 0, 31, 31, 4));
	emit(R_TYPE(ANPU_OPC_SYS, 2, op, rd(), 31, rs()));
}

static void program(void)
{
	unsigned int n;

	do {
		length = 0;
		if (rnd() % 3 == 0) {	/* a mode of the block; then threads run alone until they meet */
			emit(I_TYPE(0x73, 5, 0, 1 + rnd() % 3, 2));
			emit(R_TYPE(ANPU_OPC_SYS, 2, ANPU_THREAD_BAR, 0, 0, 0));
		}
		emit(I_TYPE(0x13, 1, 28, 3, 10));		/* x28 = x10 + thread * OWN_BYTES */
		emit(R_TYPE(0x33, 0, 0, 28, 28, 10));
		emit(I_TYPE(0x13, 1, 29, 3, 3));		/* x29 = x10 + SIDE + thread * 8 */
		emit(U_TYPE(0x37, 30, SIDE >> 12));
		emit(R_TYPE(0x33, 0, 0, 29, 29, 30));
		emit(R_TYPE(0x33, 0, 0, 29, 29, 10));
		emit(U_TYPE(0x37, 30, SUMS >> 12));
		emit(R_TYPE(0x33, 0, 0, 30, 30, 10));
		for (n = 0; n < 10; n++) {
			emit(I_TYPE(7, 2 + rnd() % 2, n, 28, (int32_t)(512 + 8 * n)));
			emit(I_TYPE(3, 3, 11 + n, rnd() % 2 ? 28 : 10, (int32_t)(600 + 8 * n)));
		}
		n = 1 + rnd() % 5;
		while (n--) {
			block(0);
			together();
		}
		for (n = 0; n < sizeof(targets) - 1; n++)
			emit(S_TYPE(0x23, 3, 28, targets[n], (int32_t)(256 + 8 * n)));
		for (n = 0; n < 10; n++)
			emit(S_TYPE(0x27, 3, 28, n, (int32_t)(440 + 8 * n)));
		emit(R_TYPE(ANPU_OPC_SYS, 2, ANPU_THREAD_BAR, 0, 0, 0));
		emit(U_TYPE(0x37, 4, ANPU_UB_BASE >> 12));
		emit(I_TYPE(3, 2, 4, 4, 0));
		emit(S_TYPE(0x23, 3, 28, 4, 248));
		emit(I_TYPE(0x13, 7, 31, 3, 63));		/* one of the sums, too */
		emit(I_TYPE(0x13, 1, 31, 31, 2));
		emit(U_TYPE(0x37, 4, ANPU_UB_BASE >> 12));
		emit(R_TYPE(0x33, 0, 0, 4, 4, 31));
		emit(I_TYPE(3, 2, 4, 4, UB_SUMS));
		emit(S_TYPE(0x23, 3, 28, 4, 240));
		emit(RET);
	} while (length == WORDS);
}

struct outcome {
	enum core_result result;
	uint64_t retired;
	uint32_t flags;
	uint8_t data[USED];
};

static void execute(struct rig *r, const uint8_t *data, int set, struct outcome *out)
{
	lanes_force(set);
	memcpy(rig_data(r), data, USED);
	rig_block(r, CODE_VA);
	out->result = rig_run(r);
	out->retired = r->b->retired;
	out->flags = r->b->fflags;
	memcpy(out->data, rig_data(r), USED);
}

static void fill(uint8_t *data)
{
	static const uint64_t special[] = { 0xffffffff7f800000, 0xffffffff80000000, 0xffffffff7fc00000, 0xffffffff7fa00000,
					    0xffffffff00000001, 0x7ff0000000000000, 0x7ff4000000000000, 0, ~0ULL,
					    0x8000000000000000, 0xffffffff3f800000, 0x3ff0000000000000 };

	for (unsigned int n = 0; n < USED / 8; n++) {
		uint64_t v = rnd() % 4 ? rnd() : special[rnd() % (sizeof(special) / 8)];

		if (rnd() % 3 == 0)
			v |= 0xffffffff00000000;
		memcpy(data + 8 * n, &v, 8);
	}
}

static bool agree(struct rig *r, const struct outcome *a, const struct outcome *b, unsigned int p, unsigned int set)
{
	unsigned int n = 0;

	while (n < USED && a->data[n] == b->data[n])
		n++;
	if (a->result == b->result && a->retired == b->retired && a->flags == b->flags && n == USED)
		return true;
	tap_note("program %u, set %u: result %d, %d; %llu, %llu instructions; flags %x, %x; first difference at 0x%x: %s",
		 p, set, a->result, b->result, (unsigned long long)a->retired, (unsigned long long)b->retired,
		 a->flags, b->flags, n, r->fault.message);
	return false;
}

static void test_random(struct rig *r)
{
	static const uint16_t sizes[] = { 32, 64, 96, 128, 33, 47, 1, 7 };
	static struct outcome alone, lanes;
	static uint8_t data[USED];
	unsigned int p, set, done = 0, bad = 0;

	for (p = 0; p < PROGRAMS && bad < 5; p++) {
		uint32_t threads = sizes[rnd() % (sizeof(sizes) / sizeof(sizes[0]))];

		program();
		fill(data);
		rig_code(r, 0, code, length);
		r->k.launch = (struct anpu_kernel_launch){ .size = ANPU_LAUNCH_SIZE, .block_x = threads, .block_y = 1,
							   .block_z = 1 };
		execute(r, data, -1, &alone);
		done += alone.result == CORE_DONE;
		for (set = 0; set < lanes_sets(); set++) {
			execute(r, data, (int)set, &lanes);
			bad += !agree(r, &alone, &lanes, p, set);
		}
	}
	tap_ok(!bad, "%u programs agree", p);
	tap_ok(done == p, "all of them come to their end (%u)", done);
}

/* Each thread accesses a page of its own, and the memory ends at some thread's. */
static void test_faults(struct rig *r)
{
	static const uint32_t access[] = { I_TYPE(3, 2, 5, 5, 0), I_TYPE(7, 2, 1, 5, 0), S_TYPE(0x23, 2, 5, 6, 0),
					   S_TYPE(0x27, 2, 5, 1, 0), R_TYPE(0x2f, 2, 0, 7, 5, 6) };
	static struct outcome alone, lanes;
	static uint8_t data[USED];
	char message[sizeof(r->fault.message)];

	for (unsigned int n = 0; n < sizeof(access) / sizeof(access[0]); n++) {
		bool same = true;

		length = 0;
		emit(I_TYPE(0x13, 1, 5, 3, 12));
		emit(R_TYPE(0x33, 0, 0, 5, 5, 10));
		emit(access[n]);
		emit(RET);
		rig_code(r, 0, code, length);
		r->k.launch = (struct anpu_kernel_launch){ .size = ANPU_LAUNCH_SIZE, .block_x = 1024, .block_y = 1,
							   .block_z = 1 };
		execute(r, data, -1, &alone);
		memcpy(message, r->fault.message, sizeof(message));
		for (unsigned int set = 0; set < lanes_sets(); set++) {
			execute(r, data, (int)set, &lanes);
			same &= lanes.result == CORE_FAULT && !strcmp(message, r->fault.message);
		}
		tap_ok(alone.result == CORE_FAULT && strstr(message, "; thread (") && same,
		       "access %u outside of memory fails in the same thread: %s", n, message);
	}
}

int main(void)
{
	static struct rig r;

	rig_init(&r);
	test_random(&r);
	test_faults(&r);
	rig_fini(&r);
	return tap_done();
}
