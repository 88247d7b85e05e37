// SPDX-License-Identifier: MIT
/*
 * A remote stub for gdb. Blocks that have begun and not ended are threads; all of them stop together, as one thread of this
 * machine runs them in turn, instruction by instruction. Scratchpads are memory at their addresses.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "op/gdb/gdb.h"

#define BREAKS_MAX	64
#define LOOK_EVERY	4096
#define REGS		65
#define WATCHES	8
#define WATCH_BYTES	8
#define NOBODY		(~0U)
#define SIG_INT		2
#define SIG_ILL		4
#define SIG_TRAP	5
#define SIG_ABRT	6
#define SIG_SEGV	11

struct watch {
	uint64_t va;
	uint64_t size;		/* 0: free */
	uint8_t old[WATCH_BYTES];
};

struct unit {
	struct core_block *b;	/* NULL: it has not begun, or has ended */
	struct core_state state;
};

/**
 * struct op_gdb - the stub
 * @unit: parts of blocks by number, @units of them have been seen
 * @now: the one whose instruction is next
 * @shown: the one that gdb looks at
 * @stepping: the one that is to execute one instruction, or NOBODY; @stepped: it has
 * @skip: it goes on from a breakpoint at @skip_pc, which does not count again
 * @free: gdb has gone: nothing stops any more
 * @signal: of the last stop; @dead: a fault has ended the operator
 */
struct op_gdb {
	struct gdb_link link;
	struct op_watcher watcher;
	unsigned int subs;
	uint64_t offset;
	struct unit *unit;
	unsigned int units;
	unsigned int now, shown, stepping, skip;
	uint64_t skip_pc;
	bool begun, stepped, free, dead;
	int signal;
	struct mmu *mmu;
	uint64_t brk[BREAKS_MAX];
	unsigned int breaks;
	struct watch watch[WATCHES];
	unsigned int watches;	/* in use */
	uint64_t hit;		/* address that a watched store has changed, 0: none */
	unsigned int looks;
	char reply[33000];
	size_t size;
};

/* Replies -------------------------------------------------------------------------------------- */

static void say(struct op_gdb *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct op_gdb *g, const char *fmt, ...)
{
	size_t room = sizeof(g->reply) - g->size;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(g->reply + g->size, room, fmt, ap);
	va_end(ap);
	g->size += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static void say_bytes(struct op_gdb *g, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		say(g, "%02x", ((const uint8_t *)bytes)[i]);
}

static void flush(struct op_gdb *g)
{
	gdb_send(&g->link, g->reply, g->size);
	g->size = 0;
}

/* Text on gdb's console, while the operator runs as gdb sees it */
static void tell(struct op_gdb *g, const char *text)
{
	g->size = 0;
	say(g, "O");
	say_bytes(g, text, strlen(text));
	flush(g);
}

static bool from_hex(const char *text, size_t n, uint8_t *to)
{
	for (size_t i = 0; i < n; i++) {
		unsigned int byte;

		if (sscanf(text + 2 * i, "%2x", &byte) != 1)
			return false;
		to[i] = (uint8_t)byte;
	}
	return true;
}

/* Registers and memory ------------------------------------------------------------------------- */

static struct unit *shown(struct op_gdb *g)
{
	return g->shown < g->units && g->unit[g->shown].b ? &g->unit[g->shown] : &g->unit[g->now];
}

static uint64_t reg(const struct core_state *s, unsigned int n)
{
	return n < 32 ? s->x[n] : n == 32 ? s->pc : s->f[n - 33];
}

/* A block that stands in front of an instruction is what it is; one that has failed, what it was before that */
static void look_at(struct op_gdb *g, struct unit *u)
{
	if (!g->dead || u != &g->unit[g->now])
		core_block_state(u->b, &u->state);
}

static void all_registers(struct op_gdb *g)
{
	struct unit *u = shown(g);

	look_at(g, u);
	for (unsigned int i = 0; i < REGS; i++) {
		uint64_t v = reg(&u->state, i);

		say_bytes(g, &v, sizeof(v));
	}
}

static void one_register(struct op_gdb *g, const char *args)
{
	unsigned long n = strtoul(args, NULL, 16);
	struct unit *u = shown(g);
	uint64_t v;

	look_at(g, u);
	v = n < REGS ? reg(&u->state, (unsigned int)n) : 0;
	if (n < REGS)
		say_bytes(g, &v, sizeof(v));
	else
		say(g, "E01");
}

static void set_register(struct op_gdb *g, const char *args)
{
	char *eq;
	unsigned long n = strtoul(args, &eq, 16);
	uint64_t v;

	if (g->dead || n >= REGS || *eq != '=' || !from_hex(eq + 1, sizeof(v), (uint8_t *)&v)) {
		say(g, "E01");
		return;
	}
	core_block_set_reg(shown(g)->b, (unsigned int)n, v);
	say(g, "OK");
}

static void read_memory(struct op_gdb *g, const char *args)
{
	unsigned long long va, n;
	uint8_t byte[8192];
	size_t done = 0;

	if (sscanf(args, "%llx,%llx", &va, &n) != 2 || n > sizeof(byte)) {
		say(g, "E01");
		return;
	}
	if (core_block_peek(shown(g)->b, g->mmu, va, n, byte))
		done = n;
	while (done < n && core_block_peek(shown(g)->b, g->mmu, va + done, 1, byte + done))
		done++;
	if (done)
		say_bytes(g, byte, done);
	else
		say(g, n ? "E0e" : "OK");
}

static void write_memory(struct op_gdb *g, const char *args)
{
	const char *colon = strchr(args, ':');
	unsigned long long va, n;
	uint8_t byte[8192];

	if (colon && sscanf(args, "%llx,%llx", &va, &n) == 2 && n <= sizeof(byte) && from_hex(colon + 1, n, byte) &&
	    core_block_poke(shown(g)->b, g->mmu, va, n, byte))
		say(g, "OK");
	else
		say(g, "E0e");
}

/* Breakpoints ---------------------------------------------------------------------------------- */

static unsigned int find_break(const struct op_gdb *g, uint64_t pc)
{
	unsigned int i = 0;

	while (i < g->breaks && g->brk[i] != pc)
		i++;
	return i;
}

static void set_watch(struct op_gdb *g, bool insert, uint64_t va, uint64_t size)
{
	struct watch *w = g->watch;

	while (w < g->watch + WATCHES && (insert ? w->size != 0 : w->va != va || w->size != size))
		w++;
	if (w == g->watch + WATCHES || !size || size > WATCH_BYTES ||
	    (insert && !core_block_peek(shown(g)->b, g->mmu, va, size, w->old))) {
		say(g, "E01");
		return;
	}
	w->va = va;
	w->size = insert ? size : 0;
	g->watches += insert ? 1U : -1U;
	say(g, "OK");
}

static void set_break(struct op_gdb *g, bool insert, const char *args)
{
	unsigned long long va, kind;
	int type = *args;
	unsigned int i;

	if (sscanf(args + 1, ",%llx,%llx", &va, &kind) != 2 || (type != '0' && type != '1' && type != '2'))
		return;
	if (type == '2') {
		set_watch(g, insert, va, kind);
		return;
	}
	i = find_break(g, va);
	if (insert && i == BREAKS_MAX) {
		say(g, "E01");
		return;
	}
	if (insert && i == g->breaks)
		g->brk[g->breaks++] = va;
	else if (!insert && i < g->breaks)
		g->brk[i] = g->brk[--g->breaks];
	say(g, "OK");
}

/* Questions ------------------------------------------------------------------------------------ */

static const char *const xname[] = {
	"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
	"s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc",
};

static const char *const fname[] = {
	"ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
	"fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

static void describe_target(struct op_gdb *g, const char *range)
{
	static char xml[12000];
	size_t n = 0;
	unsigned long at, size;

	if (!*xml) {
		n += (size_t)snprintf(xml, sizeof(xml), "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
				      "<architecture>riscv:rv64</architecture><feature name=\"org.gnu.gdb.riscv.cpu\">");
		for (unsigned int i = 0; i < 33; i++)
			n += (size_t)snprintf(xml + n, sizeof(xml) - n, "<reg name=\"%s\" bitsize=\"64\" type=\"%s\" regnum=\"%u\"/>",
					      xname[i], i == 32 ? "code_ptr" : i == 2 ? "data_ptr" : "int", i);
		n += (size_t)snprintf(xml + n, sizeof(xml) - n, "</feature><feature name=\"org.gnu.gdb.riscv.fpu\">"
				      "<union id=\"riscv_double\"><field name=\"float\" type=\"ieee_single\"/>"
				      "<field name=\"double\" type=\"ieee_double\"/></union>");
		for (unsigned int i = 0; i < 32; i++)
			n += (size_t)snprintf(xml + n, sizeof(xml) - n,
					      "<reg name=\"%s\" bitsize=\"64\" type=\"riscv_double\" regnum=\"%u\"/>", fname[i], 33 + i);
		snprintf(xml + n, sizeof(xml) - n, "</feature></target>");
	}
	if (sscanf(range, "%lx,%lx", &at, &size) != 2 || at > strlen(xml))
		say(g, "E01");
	else if (size >= strlen(xml) - at)
		say(g, "l%s", xml + at);
	else
		say(g, "m%.*s", (int)size, xml + at);
}

static void list_threads(struct op_gdb *g)
{
	char mark = 'm';

	for (unsigned int i = 0; i < g->units; i++) {
		if (!g->unit[i].b)
			continue;
		say(g, "%c%x", mark, i + 1);
		mark = ',';
	}
}

static void name_thread(struct op_gdb *g, const char *args)
{
	unsigned int n = (unsigned int)strtoul(args, NULL, 16) - 1;
	char text[64];

	if (g->subs == 1)
		snprintf(text, sizeof(text), "block %u", n);
	else if (n % g->subs)
		snprintf(text, sizeof(text), "block %u, vector part %u", n / g->subs, n % g->subs - 1);
	else
		snprintf(text, sizeof(text), "block %u, cube part", n / g->subs);
	say_bytes(g, text, strlen(text));
}

static void monitor(struct op_gdb *g)
{
	char text[600];

	snprintf(text, sizeof(text), "scratchpads: UB 0x%llx (%u bytes), L1 0x%llx (%u), L0A 0x%llx (%u), L0B 0x%llx (%u), "
		 "L0C 0x%llx (%u); stack up to 0x%llx; the operator's code is 0x%llx behind its addresses in the file\n",
		 (unsigned long long)ANPU_UB_BASE, (unsigned int)ANPU_UB_SIZE, (unsigned long long)ANPU_L1_BASE,
		 (unsigned int)ANPU_L1_SIZE, (unsigned long long)ANPU_L0A_BASE, (unsigned int)ANPU_L0A_SIZE,
		 (unsigned long long)ANPU_L0B_BASE, (unsigned int)ANPU_L0B_SIZE, (unsigned long long)ANPU_L0C_BASE,
		 (unsigned int)ANPU_L0C_SIZE, (unsigned long long)ANPU_STACK_TOP, (unsigned long long)g->offset);
	say_bytes(g, text, strlen(text));
}

static bool begins(const char *text, const char *with, const char **rest)
{
	size_t n = strlen(with);

	if (strncmp(text, with, n))
		return false;
	*rest = text + n;
	return true;
}

static void question(struct op_gdb *g, const char *text)
{
	const char *rest;

	if (begins(text, "qSupported", &rest))
		say(g, "PacketSize=4000;qXfer:features:read+;vContSupported+;QStartNoAckMode+;swbreak+");
	else if (begins(text, "qXfer:features:read:target.xml:", &rest))
		describe_target(g, rest);
	else if (begins(text, "qfThreadInfo", &rest))
		list_threads(g);
	else if (begins(text, "qsThreadInfo", &rest))
		say(g, "l");
	else if (begins(text, "qThreadExtraInfo,", &rest))
		name_thread(g, rest);
	else if (begins(text, "qC", &rest) && !*rest)
		say(g, "QC%x", g->now + 1);
	else if (begins(text, "qAttached", &rest))
		say(g, "0");
	else if (begins(text, "qOffsets", &rest))
		say(g, "Text=%llx;Data=%llx;Bss=%llx", (unsigned long long)g->offset, (unsigned long long)g->offset,
		    (unsigned long long)g->offset);
	else if (begins(text, "qRcmd,", &rest))
		monitor(g);
	else if (begins(text, "qSymbol", &rest))
		say(g, "OK");
}

/* Stops ---------------------------------------------------------------------------------------- */

static void say_stop(struct op_gdb *g)
{
	say(g, "T%02xthread:%x;", g->signal, g->now + 1);
	if (g->hit)
		say(g, "watch:%llx;", (unsigned long long)g->hit);
}

static unsigned int thread_of(const char *text, unsigned int otherwise)
{
	unsigned long n = strtoul(text, NULL, 16);

	return *text == '-' || !n ? otherwise : (unsigned int)n - 1;
}

/* vCont;s:1;c and such: which block steps, and that all others run until it has. Return: it goes on */
static bool resume(struct op_gdb *g, const char *text)
{
	const char *s = strstr(text, ";s"), *t = strstr(text, ";S");

	s = s ? s : t;
	g->stepping = NOBODY;
	if (s) {
		const char *colon = strchr(s, ':'), *next = strchr(s + 1, ';');

		g->stepping = colon && (!next || colon < next) ? thread_of(colon + 1, g->now) : g->now;
	}
	g->stepped = false;
	g->skip = g->now;
	g->skip_pc = g->unit[g->now].b && !g->dead ? g->unit[g->now].state.pc : 0;
	return true;
}

/* Return: true if the operator goes on */
static bool command(struct op_gdb *g, const char *text)
{
	switch (*text) {
	case '?': say_stop(g); break;
	case 'g': all_registers(g); break;
	case 'p': one_register(g, text + 1); break;
	case 'P': set_register(g, text + 1); break;
	case 'm': read_memory(g, text + 1); break;
	case 'M': write_memory(g, text + 1); break;
	case 'Z': set_break(g, true, text + 1); break;
	case 'z': set_break(g, false, text + 1); break;
	case 'q': question(g, text); break;
	case 'c': return resume(g, "");
	case 's': return resume(g, ";s");
	case 'H':
		if (text[1] == 'g')
			g->shown = thread_of(text + 2, g->now);
		say(g, "OK");
		break;
	case 'T': {
		unsigned int n = thread_of(text + 1, g->now);

		say(g, n < g->units && g->unit[n].b ? "OK" : "E01");
		break;
	}
	case 'D':
		g->free = true;
		say(g, "OK");
		flush(g);
		return true;
	case 'k':
		exit(3);
	case 'Q':
		if (!strcmp(text, "QStartNoAckMode")) {
			say(g, "OK");
			flush(g);
			g->link.no_ack = true;
			return false;
		}
		break;
	case 'v':
		if (!strcmp(text, "vCont?")) {
			say(g, "vCont;c;C;s;S");
		} else if (!strncmp(text, "vCont;", 6)) {
			return resume(g, text + 5);
		} else if (!strncmp(text, "vKill", 5)) {
			say(g, "OK");
			flush(g);
			exit(3);
		}
		break;
	}
	flush(g);
	return false;
}

/* The operator stands until gdb lets it go on */
static void stop(struct op_gdb *g, int signal)
{
	g->signal = signal;
	g->shown = g->now;
	g->size = 0;
	if (g->begun) {
		say_stop(g);
		flush(g);
	}
	g->begun = true;
	g->hit = 0;
	do {
		if (!gdb_receive(&g->link)) {
			g->free = true;
			return;
		}
		g->size = 0;
	} while (!command(g, g->link.text));
}

/* Instructions --------------------------------------------------------------------------------- */

static bool note_unit(struct op_gdb *g, struct core_block *b)
{
	struct core_state s;
	unsigned int n;

	core_block_state(b, &s);
	n = s.block * g->subs + s.sub_block;
	if (n >= g->units) {
		struct unit *more = realloc(g->unit, (n + 1) * sizeof(*more));

		if (!more)
			return false;
		memset(more + g->units, 0, (n + 1 - g->units) * sizeof(*more));
		g->unit = more;
		g->units = n + 1;
	}
	g->unit[n] = (struct unit){ b, s };
	g->now = n;
	return true;
}

static bool before(void *ctx, struct core_block *b, struct mmu *mmu)
{
	struct op_gdb *g = ctx;
	uint64_t pc;

	if (g->free || !note_unit(g, b))
		return false;
	g->mmu = mmu;
	pc = g->unit[g->now].state.pc;
	if (!g->begun || g->stepped || g->hit)
		stop(g, SIG_TRAP);
	else if (g->breaks && find_break(g, pc) < g->breaks && !(g->skip == g->now && g->skip_pc == pc))
		stop(g, SIG_TRAP);
	else if (!(++g->looks % LOOK_EVERY) && gdb_interrupted(&g->link))
		stop(g, SIG_INT);
	return !g->free;
}

static int signal_of(uint32_t cause)
{
	switch (cause) {
	case ANPU_FAULT_ILLEGAL:
		return SIG_ILL;
	case ANPU_FAULT_BREAKPOINT:
	case ANPU_FAULT_TRAP:
		return SIG_TRAP;
	case ANPU_FAULT_ASSERT:
		return SIG_ABRT;
	default:
		return SIG_SEGV;
	}
}

static void look_for_change(struct op_gdb *g, struct core_block *b, struct mmu *mmu)
{
	uint8_t now[WATCH_BYTES];

	for (struct watch *w = g->watch; w < g->watch + WATCHES; w++) {
		if (!w->size || !core_block_peek(b, mmu, w->va, w->size, now) || !memcmp(now, w->old, w->size))
			continue;
		memcpy(w->old, now, w->size);
		g->hit = w->va;
	}
}

static void after(void *ctx, struct core_block *b, struct mmu *mmu, enum core_result result, const struct core_fault *fault)
{
	struct op_gdb *g = ctx;
	char text[400];

	if (result != CORE_BLOCKED) {
		g->stepped |= g->stepping == g->now;
		g->skip = NOBODY;
	}
	if (g->watches && result != CORE_DONE)
		look_for_change(g, b, mmu);
	if (result == CORE_FAULT) {
		snprintf(text, sizeof(text), "anpu-op: the operator fails in block %u: %s\n", g->unit[g->now].state.block,
			 fault->message);
		tell(g, text);
		g->dead = true;
		g->stepped = false;
		stop(g, signal_of(fault->cause));
	}
	if (result == CORE_FAULT || result == CORE_DONE)
		g->unit[g->now].b = NULL;
}

/* Life ----------------------------------------------------------------------------------------- */

struct op_gdb *op_gdb_new(const char *where, unsigned int subs, uint64_t offset)
{
	struct op_gdb *g = calloc(1, sizeof(*g));

	if (!g || !gdb_link_open(&g->link, where)) {
		free(g);
		return NULL;
	}
	g->watcher = (struct op_watcher){ .ctx = g, .before = before, .after = after };
	g->subs = subs;
	g->offset = offset;
	g->stepping = NOBODY;
	g->skip = NOBODY;
	g->signal = SIG_TRAP;
	return g;
}

const struct op_watcher *op_gdb_watcher(struct op_gdb *g)
{
	return &g->watcher;
}

void op_gdb_end(struct op_gdb *g, int status)
{
	if (!g)
		return;
	g->size = 0;
	say(g, "W%02x", status);
	if (!g->free)
		flush(g);
	gdb_link_close(&g->link);
	free(g->unit);
	free(g);
}
