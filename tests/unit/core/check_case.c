// SPDX-License-Identifier: MIT
/* Making and running the cases of the checking mode: see check_case.h. */
#include <stdio.h>

#include "check_case.h"

const uint64_t bases[WINDOWS] = { ANPU_UB_BASE, ANPU_L1_BASE, ANPU_L0A_BASE, ANPU_L0B_BASE,
				  ANPU_L0C_BASE, ANPU_BT_BASE, ANPU_FB_BASE };

struct tcase c;
struct tried every[100];
unsigned int everies;

static unsigned int window(uint64_t va)
{
	for (unsigned int w = 0; w < WINDOWS; w++)
		if (va - bases[w] < AREA)
			return w;
	tap_ok(false, "%s: 0x%llx is outside of the test's area", c.name, (unsigned long long)va);
	return 0;
}

void need(const char *role, uint64_t va, uint64_t size)
{
	for (unsigned int w = window(va); size--; va++)
		c.role[w][va - bases[w]] = role;
}

void will(uint64_t va, uint64_t size)
{
	for (unsigned int w = window(va); size--; va++)
		c.will[w][va - bases[w]] = true;
}

void put(uint64_t va, const void *p, uint64_t size)
{
	memcpy(&c.data[window(va)][va - bases[window(va)]], p, size);
}

void operation(const char *name, unsigned int op, unsigned int pipe, uint64_t rs1, uint64_t rs2,
	       uint64_t rs3, uint64_t rd)
{
	memset(&c, 0, sizeof(c));
	c.name = name;
	c.op = op;
	c.pipe = pipe;
	c.rs1 = rs1;
	c.rs2 = rs2;
	c.rs3 = rs3;
	c.rd = rd;
	c.csr.vmask[0] = ~0ULL;
	c.csr.vmask[1] = ~0ULL;
}

/* Running a case ----------------------------------------------------------------------------------- */

void prepare(struct rig *r)
{
	ck_block(r, true);
	r->b->csr = c.csr;
	memcpy(rig_data(r) + (DESC - DATA_VA), c.desc, sizeof(c.desc));
	for (unsigned int w = 0; w < WINDOWS; w++) {
		uint64_t room = w == 5 ? ANPU_BT_SIZE : AREA;

		memcpy(ck_host(r, bases[w]), c.data[w], room);
		for (uint64_t i = 0; i < room; i++)
			if (c.role[w][i])
				ck_mark(r, bases[w] + i, 1, true);
	}
}

bool go(struct rig *r)
{
	return ck_tile(r, c.op, c.rs1, c.rs2, c.rs3, c.rd);
}

uint64_t area(unsigned int w)
{
	return w == 5 ? ANPU_BT_SIZE : AREA;
}

/* is byte i the first or last of a run, or one in eleven? */
static bool sample(unsigned int w, uint64_t i)
{
	const char *role = c.role[w][i];

	return !i || i + 1 == area(w) || c.role[w][i - 1] != role || c.role[w][i + 1] != role ||
	       c.will[w][i - 1] != c.will[w][i] || c.will[w][i + 1] != c.will[w][i] ||
	       (i % 11 == 0 && (role || c.will[w][i]));
}

static bool unchanged(struct rig *r)
{
	for (unsigned int w = 0; w < WINDOWS; w++)
		if (memcmp(ck_host(r, bases[w]), c.data[w], area(w)))
			return false;
	return true;
}

void try_right(struct rig *r)
{
	unsigned int bad = 0;

	prepare(r);
	if (!tap_ok(go(r), "%s: all that it needs is there", c.name)) {
		tap_note("%s", r->fault.message);
		return;
	}
	for (unsigned int w = 0; w < WINDOWS; w++)
		for (uint64_t i = 0; i < area(w); i++)
			if (ck_written(r, bases[w] + i) != (c.role[w][i] || c.will[w][i]) && !bad++)
				tap_note("window %u byte %llu", w, (unsigned long long)i);
	tap_ok(!bad, "%s: writes what it should and no more (%u wrong)", c.name, bad);
}

void try_unwritten(struct rig *r)
{
	unsigned int bad = 0, n = 0;

	for (unsigned int w = 0; w < WINDOWS; w++)
		for (uint64_t i = 0; i < area(w); i++) {
			uint64_t va = bases[w] + i;

			if (!c.role[w][i] || !sample(w, i) || c.moves)
				continue;
			prepare(r);
			ck_mark(r, va, 1, false);
			n++;
			if (go(r) || !ck_fault(r, ANPU_FAULT_UNINITIALISED, CK_TILE(c.op), va, c.role[w][i]) ||
			    (!c.late && !unchanged(r)))
				bad++;
		}
	tap_ok(!bad, "%s: %u bytes unwritten in turn (%u wrong)", c.name, n, bad);
}

/* another pipe's access to a byte without synchronisation */
void intrude(struct rig *r, uint64_t va, bool write)
{
	r->b->mmu = &r->mmu;
	r->b->pc = CODE_VA + 0x100;
	/* reads are remembered of two engines; be one that the window can have */
	check_begin(r->b, c.pipe == ANPU_PIPE_MTE3 ? ANPU_PIPE_V : ANPU_PIPE_MTE3, "other");
	(write ? check_touch_write : check_touch_read)(r->b, "dst", va, 1, &r->fault);
}

static void try_races(struct rig *r)
{
	unsigned int bad = 0, n = 0;

	for (unsigned int w = 0; w < WINDOWS; w++)
		for (uint64_t i = 0; i < area(w); i++)
			for (unsigned int write = 0; write < 2; write++) {
				bool races = c.will[w][i] || (c.role[w][i] && write), ok;

				if (!sample(w, i))
					continue;
				prepare(r);
				intrude(r, bases[w] + i, write);
				n++;
				ok = go(r);
				if (ok == races || (!ok && !c.moves &&
				    !ck_fault(r, ANPU_FAULT_RACE, CK_TILE(c.op), bases[w] + i, "")) ||
				    (!ok && r->fault.cause != ANPU_FAULT_RACE)) {
					bad++;
					tap_note("window %u byte %llu, %s", w, (unsigned long long)i,
						 write ? "written" : "read");
				}
			}
	tap_ok(!bad, "%s: %u bytes touched by another pipe in turn (%u wrong)", c.name, n, bad);
}

/* which pipe it runs on: no race with the same one, one with the others */
void try_pipe(struct rig *r)
{
	static const unsigned int pipes[] = { ANPU_PIPE_V, ANPU_PIPE_M, ANPU_PIPE_MTE1, ANPU_PIPE_MTE2,
					      ANPU_PIPE_MTE3, ANPU_PIPE_FIX };
	uint64_t va = 0;

	for (unsigned int w = 0; w < WINDOWS; w++)
		for (uint64_t i = 0; i < area(w); i++)
			if (c.role[w][i] || c.will[w][i])
				va = bases[w] + i;
	for (unsigned int p = 0; p < 6; p++) {
		prepare(r);
		r->b->mmu = &r->mmu;
		check_begin(r->b, pipes[p], "other");
		check_touch_write(r->b, "dst", va, 1, &r->fault);
		if (go(r) != (pipes[p] == c.pipe))
			tap_ok(false, "%s: runs on pipe %u, not on %u", c.name, c.pipe, pipes[p]);
	}
}

void remember(void)
{
	every[everies].op = c.op;
	every[everies].rs1 = c.rs1;
	every[everies].rs2 = c.rs2;
	every[everies].rs3 = c.rs3;
	every[everies].rd = c.rd;
	every[everies].csr = c.csr;
	memcpy(every[everies++].desc, c.desc, sizeof(c.desc));
}

void try(struct rig *r)
{
	remember();
	try_right(r);
	try_unwritten(r);
	try_races(r);
	try_pipe(r);
}
