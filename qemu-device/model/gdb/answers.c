// SPDX-License-Identifier: MIT
/* Answers to gdb: registers, memory, breakpoints, threads, what the target is. All with the stub's lock, while blocks stand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "stub.h"

#define CHUNK	8192	/* bytes of memory in a packet */

/* The block that gdb looks at, and its thread; NULL: there is none */
static struct gdb_block *shown(struct gdb *g, unsigned int *thread)
{
	struct gdb_block *u = g->shown ? g->shown : g->at ? g->at : g->blocks;

	if (!u)
		*thread = 0;
	else
		*thread = u == g->shown ? g->shown_thread : u == g->at ? g->at_thread : core_block_current(u->b);
	return u;
}

/* Registers -------------------------------------------------------------------------------------- */

static uint64_t reg(const struct core_state *s, unsigned int n)
{
	return n < 32 ? s->x[n] : n == 32 ? s->pc : s->f[n - 33];
}

static void set_register(struct gdb *g, const char *text)
{
	unsigned int thread;
	struct gdb_block *u = shown(g, &thread);
	char *eq;
	unsigned long n = strtoul(text, &eq, 16);
	uint64_t v;

	if (!u || u->fault || thread != core_block_current(u->b) || n >= REGS || *eq != '=' ||
	    !from_hex(eq + 1, sizeof(v), (uint8_t *)&v)) {
		say(g, "E01");
		return;
	}
	core_block_set_reg(u->b, (unsigned int)n, v);
	say(g, "OK");
}

void gdb_registers(struct gdb *g, const char *text)
{
	struct core_state s = { 0 };
	unsigned int thread, first = 0, last = REGS;
	struct gdb_block *u = shown(g, &thread);

	if (*text == 'P') {
		set_register(g, text + 1);
		return;
	}
	if (*text == 'p') {
		unsigned long n = strtoul(text + 1, NULL, 16);

		first = n < REGS ? (unsigned int)n : REGS;
		last = first + 1;
	}
	if (first == REGS) {
		say(g, "E01");
		return;
	}
	if (u)
		core_block_thread(u->b, thread, &s);
	for (unsigned int i = first; i < last; i++) {
		uint64_t v = reg(&s, i);

		say_bytes(g, &v, sizeof(v));
	}
}

/* Memory ----------------------------------------------------------------------------------------- */

struct access {
	struct core_block *b;
	uint64_t va;
	uint64_t size;
	uint8_t *to;
	const uint8_t *from;
	bool good;
};

static void access_global(struct access *a, struct mmu *mmu)
{
	uint64_t done = 0, span;
	struct core_fault fault;

	while (done < a->size) {
		uint8_t *p = mmu_access(mmu, a->va + done, a->from ? ANPU_ACCESS_WRITE : ANPU_ACCESS_READ, &span, &fault);

		if (!p)
			return;
		if (span > a->size - done)
			span = a->size - done;
		memcpy(a->from ? p : a->to + done, a->from ? a->from + done : p, span);
		done += span;
	}
	a->good = true;
}

static void do_access(void *arg, struct mmu *mmu)
{
	struct access *a = arg;

	if (!a->b)
		access_global(a, mmu);
	else if (a->from)
		a->good = core_block_poke(a->b, mmu, a->va, a->size, a->from);
	else
		a->good = core_block_peek(a->b, mmu, a->va, a->size, a->to);
}

static bool access_memory(struct gdb *g, struct access *a)
{
	unsigned int thread;
	struct gdb_block *u = shown(g, &thread);

	if (a->va + a->size < a->va)
		return false;
	a->b = u ? u->b : NULL;
	return g->ops.inside(g->ctx, u ? u->place.space : g->space, do_access, a) && a->good;
}

bool gdb_peek(struct gdb *g, uint64_t va, uint64_t size, void *to)
{
	struct access a = { .va = va, .size = size, .to = to };

	return access_memory(g, &a);
}

bool gdb_poke(struct gdb *g, uint64_t va, uint64_t size, const void *from)
{
	struct access a = { .va = va, .size = size, .from = from };

	return access_memory(g, &a);
}

static void read_memory(struct gdb *g, const char *text)
{
	unsigned long long va, n;
	uint8_t byte[CHUNK];
	size_t done = 0;

	if (sscanf(text, "%llx,%llx", &va, &n) != 2) {
		say(g, "E01");
		return;
	}
	/* gdb asks for the rest */
	if (n > sizeof(byte))
		n = sizeof(byte);
	if (gdb_peek(g, va, n, byte))
		done = n;
	while (done < n && gdb_peek(g, va + done, 1, byte + done))
		done++;
	if (done || !n)
		say_bytes(g, byte, done);
	else
		say(g, "E0e");
}

void gdb_memory(struct gdb *g, const char *text)
{
	const char *colon = strchr(text, ':');
	unsigned long long va, n;
	uint8_t byte[CHUNK];

	if (*text == 'm') {
		read_memory(g, text + 1);
		return;
	}
	if (colon && sscanf(text + 1, "%llx,%llx", &va, &n) == 2 && n <= sizeof(byte) && from_hex(colon + 1, n, byte) &&
	    gdb_poke(g, va, n, byte))
		say(g, "OK");
	else
		say(g, "E0e");
}

/* Breakpoints ------------------------------------------------------------------------------------ */

static void set_watch(struct gdb *g, bool insert, uint64_t va, uint64_t size)
{
	struct watch *w = g->watch;
	unsigned int thread;
	const struct gdb_block *u = shown(g, &thread);

	while (w < g->watch + WATCHES && (insert ? w->size != 0 : w->va != va || w->size != size))
		w++;
	if (w == g->watch + WATCHES || !size || size > WATCH_BYTES || (insert && !gdb_peek(g, va, size, w->old))) {
		say(g, "E01");
		return;
	}
	w->va = va;
	w->of = u && va < ANPU_GM_BASE ? u->b : NULL;
	w->size = insert ? size : 0;
	g->watches += insert ? 1U : -1U;
	say(g, "OK");
}

void gdb_breaks(struct gdb *g, const char *text)
{
	struct core_breaks *b = &g->breaks;
	unsigned long long va, kind;
	bool insert = *text == 'Z';
	unsigned int i = 0;

	if (text[1] < '0' || text[1] > '2' || sscanf(text + 2, ",%llx,%llx", &va, &kind) != 2)
		return;
	if (text[1] == '2') {
		set_watch(g, insert, va, kind);
		return;
	}
	while (i < b->n && b->pc[i] != va)
		i++;
	if (insert && (i == CORE_BREAKS_MAX || va & 3)) {
		say(g, "E01");
		return;
	}
	if (insert && i == b->n)
		b->pc[b->n++] = va;
	else if (!insert && i < b->n)
		b->pc[i] = b->pc[--b->n];
	b->serial = ++g->serial;
	say(g, "OK");
}

/* Threads ---------------------------------------------------------------------------------------- */

static void list_threads(struct gdb *g)
{
	struct core_state s;
	char mark = 'm';

	if (!g->blocks)
		say(g, "m%x", IDLE_THREAD);
	for (struct gdb_block *u = g->blocks; u; u = u->next) {
		gdb_number(g, u);
		for (unsigned int t = 0; t < u->threads; t++) {
			/* a list that does not fit is cut: gdb shows those that stop in any case */
			if (g->size > GDB_PACKET || !core_block_thread(u->b, t, &s))
				continue;
			say(g, "%c%x", mark, u->number + t);
			mark = ',';
		}
	}
}

static void name_thread(struct gdb *g, const char *text)
{
	unsigned int thread;
	struct gdb_block *u = gdb_find(g, (unsigned int)strtoul(text, NULL, 16), &thread);
	char name[160] = "no operator runs";
	struct core_state s;
	size_t n;

	if (u) {
		core_block_state(u->b, &s);
		n = (size_t)snprintf(name, sizeof(name), "block %u", s.block);
		if (u->place.parts > 1 && s.sub_block)
			n += (size_t)snprintf(name + n, sizeof(name) - n, ", vector part %u", s.sub_block - 1);
		else if (u->place.parts > 1)
			n += (size_t)snprintf(name + n, sizeof(name) - n, ", cube part");
		if (u->threads > 1)
			n += (size_t)snprintf(name + n, sizeof(name) - n, ", thread %u", thread);
		/* one that is told by its file runs alone */
		if (!g->config.offset)
			snprintf(name + n, sizeof(name) - n, ", queue %u, task %u", u->place.queue, u->place.task);
	}
	say_bytes(g, name, strlen(name));
}

/* Questions -------------------------------------------------------------------------------------- */

static const char *const xname[] = {
	"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
	"s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc",
};

static const char *const fname[] = {
	"ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
	"fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

static void describe_target(struct gdb *g, const char *range)
{
	char xml[12000];
	size_t n = 0;

	n += (size_t)snprintf(xml, sizeof(xml), "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
			      "<architecture>riscv:rv64</architecture><osabi>none</osabi>"
			      "<feature name=\"org.gnu.gdb.riscv.cpu\">");
	for (unsigned int i = 0; i < 33; i++)
		n += (size_t)snprintf(xml + n, sizeof(xml) - n, "<reg name=\"%s\" bitsize=\"64\" type=\"%s\" regnum=\"%u\"/>",
				      xname[i], i == 32 ? "code_ptr" : i == 2 ? "data_ptr" : "int", i);
	n += (size_t)snprintf(xml + n, sizeof(xml) - n, "</feature><feature name=\"org.gnu.gdb.riscv.fpu\">"
			      "<union id=\"riscv_double\"><field name=\"float\" type=\"ieee_single\"/>"
			      "<field name=\"double\" type=\"ieee_double\"/></union>");
	for (unsigned int i = 0; i < 32; i++)
		n += (size_t)snprintf(xml + n, sizeof(xml) - n,
				      "<reg name=\"%s\" bitsize=\"64\" type=\"riscv_double\" regnum=\"%u\"/>", fname[i], 33 + i);
	n += (size_t)snprintf(xml + n, sizeof(xml) - n, "</feature></target>");
	say_part(g, xml, n, range);
}

static void help(struct gdb *g)
{
	char text[1000];
	size_t n;

	n = (size_t)snprintf(text, sizeof(text), "scratchpads: UB 0x%llx (%u bytes), L1 0x%llx (%u), L0A 0x%llx (%u), "
			     "L0B 0x%llx (%u), L0C 0x%llx (%u); stack up to 0x%llx\n",
			     (unsigned long long)ANPU_UB_BASE, (unsigned int)ANPU_UB_SIZE, (unsigned long long)ANPU_L1_BASE,
			     (unsigned int)ANPU_L1_SIZE, (unsigned long long)ANPU_L0A_BASE, (unsigned int)ANPU_L0A_SIZE,
			     (unsigned long long)ANPU_L0B_BASE, (unsigned int)ANPU_L0B_SIZE, (unsigned long long)ANPU_L0C_BASE,
			     (unsigned int)ANPU_L0C_SIZE, (unsigned long long)ANPU_STACK_TOP);
	if (g->config.offset)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "the operator's code is 0x%llx behind its addresses in the file\n",
				      (unsigned long long)g->config.offset);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "monitor launches: stop at each launch (%s); monitor launches off\n",
			      g->each_launch ? "on" : "off");
	if (*g->why)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\n", g->why);
	say_bytes(g, text, n);
}

static void monitor(struct gdb *g, const char *hex)
{
	char word[64] = "";
	size_t n = strlen(hex) / 2;

	if (n < sizeof(word) && from_hex(hex, n, (uint8_t *)word) && begins(word, "launches", &hex))
		g->each_launch = strcmp(hex, " off");
	help(g);
}

static void say_features(struct gdb *g, const char *theirs)
{
	g->swbreak = strstr(theirs, "swbreak+") != NULL;
	say(g, "PacketSize=%x;qXfer:features:read+;vContSupported+;QStartNoAckMode+;swbreak+%s", GDB_PACKET,
	    g->config.offset ? "" : ";qXfer:libraries:read+");
}

void gdb_question(struct gdb *g, const char *text)
{
	unsigned long long offset = g->config.offset;
	const char *rest;

	if (begins(text, "qSupported", &rest))
		say_features(g, rest);
	else if (begins(text, "qXfer:features:read:target.xml:", &rest))
		describe_target(g, rest);
	else if (begins(text, "qXfer:libraries:read::", &rest) && !offset)
		gdb_libraries(g, rest);
	else if (begins(text, "qfThreadInfo", &rest))
		list_threads(g);
	else if (begins(text, "qsThreadInfo", &rest))
		say(g, "l");
	else if (begins(text, "qThreadExtraInfo,", &rest))
		name_thread(g, rest);
	else if (!strcmp(text, "qC"))
		say(g, "QC%x", g->at ? g->at->number + g->at_thread : IDLE_THREAD);
	else if (begins(text, "qAttached", &rest))
		say(g, "%d", g->config.streams ? 0 : 1);
	else if (begins(text, "qOffsets", &rest) && offset)
		say(g, "Text=%llx;Data=%llx;Bss=%llx", offset, offset, offset);
	else if (begins(text, "qRcmd,", &rest))
		monitor(g, rest);
	else if (begins(text, "qSymbol", &rest))
		say(g, "OK");
}
