// SPDX-License-Identifier: MIT
/* gdb and this device (cfg.gdb): which blocks gdb has, when they run, and how it reaches their memory. See gdb/gdb.h. */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "diag/debug.h"
#include "memory/guard.h"

struct visit {
	struct anpu_model *m;
	uint32_t space;
	void (*fn)(void *arg, struct mmu *mmu);
	void *arg;
};

static void do_visit(void *arg)
{
	struct visit *v = arg;

	mmu_enter(&v->m->debug_mmu, v->space);
	v->fn(v->arg, &v->m->debug_mmu);
	mmu_exit(&v->m->debug_mmu);
}

static bool in_space(void *ctx, uint32_t space, void (*fn)(void *arg, struct mmu *mmu), void *arg)
{
	struct visit v = { ctx, space, fn, arg };
	uint64_t addr;

	if (guard_call(v.m, do_visit, &v, &addr))
		return true;
	guard_leave(&v.m->debug_mmu);
	return false;
}

static void note(void *ctx, const char *text)
{
	struct anpu_model *m = ctx;

	if (m->ops.note)
		m->ops.note(m->ctx, text);
}

static void kill_program(void *ctx, uint32_t space)
{
	struct anpu_model *m = ctx;

	m->ops.kill(m->ctx, space);
}

bool debug_begin(struct anpu_model *m, char *err, size_t size)
{
	struct gdb_ops ops = { .inside = in_space, .note = note, .kill = m->ops.kill ? kill_program : NULL };
	struct gdb_config config;
	char why[200];

	if (!m->cfg.gdb)
		return true;
	/* anpu_config_check() has parsed it */
	(void)gdb_parse(m->cfg.gdb, &config);
	config.several = m->cfg.several;
	m->gdb = gdb_new(&config, &ops, m, why, sizeof(why));
	if (!m->gdb)
		snprintf(err, size, "gdb=%s: nothing can listen at that port: %s", m->cfg.gdb, why);
	m->cfg.gdb = NULL;
	return m->gdb != NULL;
}

void debug_end(struct anpu_model *m)
{
	gdb_free(m->gdb, 0);
}

static void register_block(struct worker *w, const struct job *job, const struct unit *u, bool fails)
{
	struct gdb_place place = {
		.space = job->q->ctx.asid,
		.queue = job->q->id,
		.task = job->k.pkt.hdr.task_id,
		.parts = job->subs,
		.first = !u->number,
		.fails = fails,
	};

	gdb_begins(w->m->gdb, u->b, &place);
	if (core_block_tool(u->b))
		codelist_read(w, place.space);
}

void debug_begins(struct worker *w, const struct job *job, const struct unit *u)
{
	register_block(w, job, u, false);
}

struct standing {
	struct worker *w;
	struct job *job;
};

/* Is the block that stands to be ended? The manager sees that its worker is alive */
static bool ends(void *arg)
{
	struct standing *s = arg;
	struct mmu *mmu = &s->w->mmu;

	atomic_store_explicit(&mmu->turns, atomic_load_explicit(&mmu->turns, memory_order_relaxed) + 1, memory_order_relaxed);
	return job_ends(s->job) || atomic_load(&s->job->k.stop) || atomic_load(&s->w->m->exiting);
}

bool debug_turn_slow(struct worker *w, struct job *job, struct unit *u)
{
	struct standing s = { w, job };
	bool go = gdb_turn(u->b, ends, &s);

	/* a person who debugs takes time */
	if (core_block_tool(u->b) && gdb_attends(w->m->gdb))
		job->deadline = ~0ULL;
	return go;
}

void debug_failed_slow(struct worker *w, struct job *job, const struct unit *u, const struct core_fault *fault)
{
	struct standing s = { w, job };

	if (!core_block_tool(u->b))
		register_block(w, job, u, true);
	gdb_failed(u->b, fault, ends, &s);
}

bool debug_attends_slow(struct anpu_model *m)
{
	return gdb_attends(m->gdb);
}

void debug_flushed(struct anpu_model *m, uint32_t asid)
{
	uint64_t at = atomic_load(&m->asid_table) + 8ULL * asid, entry = 0;

	if (hbm_contains(m, at, 8))
		memcpy(&entry, m->hbm + at, sizeof(entry));
	if (!(entry & ANPU_ASID_VALID))
		gdb_space_gone(m->gdb, asid);
}

unsigned int anpu_model_gdb_port(const struct anpu_model *m)
{
	return m->gdb ? gdb_port(m->gdb) : 0;
}

void anpu_model_exits(struct anpu_model *m, int status)
{
	if (m->gdb)
		gdb_bye(m->gdb, status);
}

void anpu_model_forked(struct anpu_model *m)
{
	if (m->gdb)
		gdb_forked(m->gdb);
}
