// SPDX-License-Identifier: MIT
/*
 * Plans of faults: what a user asks a device to do wrong from outside of any program (cfg.plan).
 *
 * A plan is faults joined by '+', each NAME@FIRST[-LAST][:KEY=VALUE]... Tasks, or interrupts, are counted from the
 * plan's beginning on. "@PATH" instead is the name of a file that is looked at while the device runs; each new
 * contents are a new plan. Documentation/inject.md has the table of faults.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "diag/fault.h"
#include "diag/inject.h"
#include "diag/plan.h"
#include "queue/packet.h"
#include "sched/futex.h"

#define FILE_LOOK_NS	20000000ULL
static const char *const kind_name[PLAN_KINDS] = {
	[PLAN_FAIL] = "fail", [PLAN_HANG] = "hang", [PLAN_SKIP] = "skip", [PLAN_UNTOLD] = "untold",
	[PLAN_FLIP] = "flip", [PLAN_GONE] = "gone", [PLAN_IRQ_LOST] = "irq-lost", [PLAN_IRQ_LATE] = "irq-late",
	[PLAN_ALLOC] = "alloc",
};

static const struct { const char *name; uint32_t cause; } causes[] = {
	{ "trap", ANPU_FAULT_TRAP }, { "timeout", ANPU_FAULT_TIMEOUT }, { "bus", ANPU_FAULT_BUS },
	{ "internal", ANPU_FAULT_INTERNAL },
};

#define N_CAUSES (sizeof(causes) / sizeof(causes[0]))

/* Parsing -------------------------------------------------------------------------------------- */

static bool number(const char **at, uint64_t *value)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 0);
	*at = end;
	return !errno;
}

static bool word(const char *text, size_t n, const char *name)
{
	return n == strlen(name) && !memcmp(text, name, n);
}

static bool set_of(struct plan_fault *f, const char *v, size_t n)
{
	if (word(v, n, "kernel"))
		f->of = 1U << ANPU_OP_KERNEL;
	else if (word(v, n, "copy"))
		f->of = 1U << ANPU_OP_COPY | 1U << ANPU_OP_COPY_2D | 1U << ANPU_OP_COPY_DESC;
	else if (word(v, n, "fill"))
		f->of = 1U << ANPU_OP_FILL;
	else
		return false;
	return true;
}

static bool set_cause(struct plan_fault *f, const char *v, size_t n)
{
	for (unsigned int i = 0; i < N_CAUSES; i++)
		if (word(v, n, causes[i].name)) {
			f->cause = causes[i].cause;
			return true;
		}
	return false;
}

/* KEY=VALUE, @n bytes; false: there is no such key, or the value is none of its values */
static bool set_key(struct plan_fault *f, const char *text, size_t n)
{
	const struct { const char *key; uint64_t *to; uint64_t max; } keys[] = {
		{ "ms", &f->ms, UINT32_MAX }, { "bits", &f->bits, 1 << 20 }, { "seed", &f->seed, ~0ULL },
		{ "va", &f->va, ~0ULL }, { "bit", &f->bit, 7 },
	};
	const char *eq = memchr(text, '=', n), *v = eq ? eq + 1 : NULL, *end = text + n;

	if (!eq)
		return false;
	if (word(text, eq - text, "of"))
		return set_of(f, v, end - v);
	if (word(text, eq - text, "cause"))
		return set_cause(f, v, end - v);
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (word(text, eq - text, keys[i].key))
			return number(&v, keys[i].to) && v == end && *keys[i].to <= keys[i].max;
	return false;
}

/* NAME@FIRST[-[LAST]]; returns what is behind it, or NULL */
static const char *parse_head(struct plan_fault *f, const char *text)
{
	const char *at = text + strcspn(text, "@:+");

	*f = (struct plan_fault){ .of = PACKET_TASKS, .bits = 1, .cause = ANPU_FAULT_TRAP, .va = PLAN_ANYWHERE };
	while (f->kind < PLAN_KINDS && !word(text, at - text, kind_name[f->kind]))
		f->kind++;
	if (f->kind == PLAN_KINDS || *at++ != '@' || !number(&at, &f->first) || !f->first)
		return NULL;
	f->last = f->first;
	if (*at != '-')
		return at;
	at++;
	f->last = ~0ULL;
	if (*at && *at != ':' && *at != '+' && !number(&at, &f->last))
		return NULL;
	return f->last < f->first ? NULL : at;
}

static bool wrong(const char *text, char *err, size_t size)
{
	snprintf(err, size, "inject: '%.*s' is no fault: NAME@FIRST[-[LAST]][:KEY=VALUE]... with fail, hang, skip, "
		 "untold, flip, gone, irq-lost, irq-late or alloc, joined by '+', or @FILE; see inject.md",
		 (int)strcspn(text, "+"), text);
	return false;
}

bool plan_parse(const char *text, struct plan_fault *faults, unsigned int *n, char *err, size_t size)
{
	const char *one = text;

	for (*n = 0; *one; (*n)++) {
		const char *at;

		if (*n == PLAN_FAULTS_MAX) {
			snprintf(err, size, "inject: more than %d faults", PLAN_FAULTS_MAX);
			return false;
		}
		at = parse_head(&faults[*n], one);
		while (at && *at == ':') {
			size_t len = strcspn(++at, ":+");

			at = set_key(&faults[*n], at, len) ? at + len : NULL;
		}
		if (!at || (*at && (*at != '+' || !at[1])))
			return wrong(one, err, size);
		one = *at ? at + 1 : at;
	}
	return true;
}

/* Faults --------------------------------------------------------------------------------------- */

static void note(struct anpu_model *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void note(struct anpu_model *m, const char *fmt, ...)
{
	char text[240];
	va_list ap;

	if (!m->ops.note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	m->ops.note(m->ctx, text);
}

/* Counts one more task or interrupt for a fault, whose turn it may be; plan.lock held */
static bool turn(struct plan_fault *f)
{
	f->seen++;
	return f->seen >= f->first && f->seen <= f->last;
}

struct flip {
	struct anpu_model *m;
	uint64_t bytes;		/* of all pages that may be hit */
	uint64_t at;		/* which of these is the one */
	uint64_t va;
	uint8_t *found;
};

/* Operators' code is left out: a device has that in memory which only it writes */
static bool may_hit(uint64_t pte)
{
	return pte & ANPU_PTE_WRITE && !(pte & ANPU_PTE_SYSTEM);
}

static void count_leaf(void *arg, uint64_t va, uint64_t pte, uint64_t size)
{
	struct flip *f = arg;

	if (may_hit(pte))
		f->bytes += size;
}

static void find_leaf(void *arg, uint64_t va, uint64_t pte, uint64_t size)
{
	struct flip *f = arg;

	if (f->found || !may_hit(pte))
		return;
	if (f->at < size) {
		f->found = f->m->hbm + (pte & ANPU_PTE_ADDR) + f->at;
		f->va = va + f->at;
	} else {
		f->at -= size;
	}
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Address space 0, which has no page tables, is the HBM as it is */
static void find_byte(struct flip *f, uint32_t asid)
{
	f->found = NULL;
	if (asid) {
		mmu_each_leaf(f->m, asid, find_leaf, f);
	} else {
		f->found = f->m->hbm + f->at;
		f->va = f->at;
	}
}

/* Looks for a byte of a line that is not all zero: most of what is allocated is not in use */
static bool pick(struct flip *f, uint32_t asid, uint64_t *state)
{
	for (unsigned int tries = 0; tries < 4096; tries++) {
		static const uint8_t zeros[64];

		f->at = next_random(state) % f->bytes;
		find_byte(f, asid);
		if (!f->found)
			return false;
		if (memcmp((void *)((uintptr_t)f->found & ~63ULL), zeros, sizeof(zeros)))
			return true;
	}
	return f->found;
}

static void flip_bits(struct anpu_model *m, const struct plan_fault *p, const struct queue *q)
{
	uint64_t state = p->seed + p->seen;
	struct flip f = { .m = m, .bytes = q->ctx.asid ? 0 : m->cfg.hbm_size };

	mmu_each_leaf(m, q->ctx.asid, count_leaf, &f);
	for (uint64_t i = 0; i < p->bits && (f.bytes || p->va != PLAN_ANYWHERE); i++) {
		unsigned int bit = (unsigned int)(p->va == PLAN_ANYWHERE ? next_random(&state) % 8 : p->bit);

		if (p->va == PLAN_ANYWHERE) {
			if (!pick(&f, q->ctx.asid, &state))
				break;
		} else {
			f.found = mmu_hbm_of(m, q->ctx.asid, p->va);
			f.va = p->va;
			if (!f.found) {
				note(m, "inject: flip: the HBM has no byte 0x%llx of address space %u", ull(p->va),
				     q->ctx.asid);
				return;
			}
		}
		__atomic_fetch_xor(f.found, (uint8_t)(1U << bit), __ATOMIC_RELAXED);
		if (i < 8)
			note(m, "inject: flip: bit %u of the byte at 0x%llx", bit, ull(f.va));
	}
}

static void armed(struct anpu_model *m, enum anpu_inject fault, unsigned int queue, uint64_t ms)
{
	(void)inject_write(m, fault, ANPU_INJECT(1, queue, ms));
}

/* A hang ends as that of an operator: at its time limit, or when it is killed, or after @ms */
static bool hang(struct worker *w, struct queue *q, uint64_t ms, enum exec_result *r)
{
	uint64_t us = q->pkt.hdr.opcode == ANPU_OP_KERNEL ? job_limit_of(q->m, q->pkt.kernel.timeout_us) :
							     job_limit_of(q->m, ANPU_TIMEOUT_DEFAULT);
	uint64_t now = model_clock(q->m), end = us > (~0ULL - now) / 1000 ? ~0ULL : now + us * 1000;

	if (ms) {
		uint64_t over = now + ms * 1000000;

		if (over < end) {
			*r = inject_hang(w, q, over);
			return *r != EXEC_DONE;
		}
	}
	*r = inject_hang(w, q, end);
	if (*r == EXEC_DONE) {
		fault_set(&w->fault, ANPU_FAULT_TIMEOUT, 0, 0,
			  "limit of %llu us; the hang was injected", ull(us));
		*r = EXEC_FAULT;
	}
	return true;
}

static bool act(struct worker *w, struct queue *q, const struct plan_fault *f, enum exec_result *r)
{
	struct anpu_model *m = q->m;

	note(m, "inject: %s: task %llu, number %u of queue %u (opcode %u)", kind_name[f->kind], ull(f->seen),
	     q->pkt.hdr.task_id, q->id, q->pkt.hdr.opcode);
	switch (f->kind) {
	case PLAN_FAIL:
		fault_set(&w->fault, f->cause, 0, 0, "the failure was injected (fail@%llu)", ull(f->seen));
		*r = EXEC_FAULT;
		return true;
	case PLAN_HANG:
		return hang(w, q, f->ms, r);
	case PLAN_SKIP:
		*r = EXEC_DONE;
		return true;
	case PLAN_UNTOLD:
		armed(m, ANPU_INJECT_COMPLETED, q->id, 0);
		return false;
	case PLAN_FLIP:
		flip_bits(m, f, q);
		return false;
	case PLAN_GONE:
		armed(m, ANPU_INJECT_GONE, ANPU_INJECT_ANY, f->ms);
		*r = inject_hang(w, q, ~0ULL);
		return true;
	default:
		return false;
	}
}

bool plan_task_slow(struct worker *w, struct queue *q, enum exec_result *r)
{
	struct plan_fault todo[PLAN_FAULTS_MAX];
	struct plan *p = q->m->plan;
	unsigned int n = 0;

	if (!(PACKET_TASKS >> q->pkt.hdr.opcode & 1))
		return false;
	pthread_mutex_lock(&p->lock);
	for (unsigned int i = 0; i < p->n; i++) {
		struct plan_fault *f = &p->fault[i];

		if (f->kind < PLAN_IRQ_LOST && f->of >> q->pkt.hdr.opcode & 1 && turn(f))
			todo[n++] = *f;
	}
	pthread_mutex_unlock(&p->lock);
	for (unsigned int i = 0; i < n; i++)
		if (act(w, q, &todo[i], r))
			return true;
	return false;
}

bool plan_interrupt_slow(struct anpu_model *m, uint64_t *late_ms)
{
	struct plan *p = m->plan;
	bool lost = false;

	pthread_mutex_lock(&p->lock);
	for (unsigned int i = 0; i < p->n; i++) {
		struct plan_fault *f = &p->fault[i];

		if ((f->kind != PLAN_IRQ_LOST && f->kind != PLAN_IRQ_LATE) || !turn(f))
			continue;
		if (f->kind == PLAN_IRQ_LOST)
			lost = true;
		else
			*late_ms = f->ms ? f->ms : 100;
	}
	pthread_mutex_unlock(&p->lock);
	if (lost || *late_ms)
		note(m, "inject: an interrupt is %s", lost ? "lost" : "late");
	return lost;
}

/* Life ----------------------------------------------------------------------------------------- */

/* A file without faults takes back what was planned */
static void read_plan(struct anpu_model *m, const char *path)
{
	struct plan_fault faults[PLAN_FAULTS_MAX];
	struct plan *p = m->plan;
	char text[1024], err[400];
	unsigned int n = 0;
	FILE *f = fopen(path, "re");
	size_t got;

	if (!f)
		return;
	got = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	while (got && strchr(" \t\r\n", text[got - 1]))
		got--;
	text[got] = 0;
	if (!plan_parse(text, faults, &n, err, sizeof(err))) {
		note(m, "%s", err);
		return;
	}
	pthread_mutex_lock(&p->lock);
	memcpy(p->fault, faults, n * sizeof(*faults));
	p->n = n;
	pthread_mutex_unlock(&p->lock);
	note(m, "inject: the plan is now '%s'", text);
}

/* Reads the file if its contents may be others than the last time */
static void look_at_file(struct anpu_model *m)
{
	struct plan *p = m->plan;
	struct stat st;

	if (stat(p->path, &st) || !st.st_size ||
	    (st.st_mtim.tv_sec == p->changed.tv_sec && st.st_mtim.tv_nsec == p->changed.tv_nsec))
		return;
	p->changed = st.st_mtim;
	read_plan(m, p->path);
}

static void *watch_file(void *arg)
{
	struct anpu_model *m = arg;

	while (!atomic_load(&m->plan->ends)) {
		look_at_file(m);
		futex_wait(&m->plan->ends, 0, FILE_LOOK_NS);
	}
	return NULL;
}

/*
 * A plan that is in the file at power-on counts from the first task on. The file may come later, but its name may also be
 * misspelt: so a line says that it is missing.
 */
static bool begin_file(struct anpu_model *m)
{
	struct plan *p = m->plan;

	if (access(p->path, R_OK))
		note(m, "inject: '%s' cannot be read: %s; there are no faults until it can", p->path, strerror(errno));
	else
		look_at_file(m);
	p->watched = !pthread_create(&p->watcher, NULL, watch_file, m);
	return p->watched;
}

bool plan_begin(struct anpu_model *m)
{
	const char *text = m->cfg.plan;
	char err[400];
	struct plan *p;

	if (!text)
		return true;
	p = calloc(1, sizeof(*p));
	m->plan = p;
	m->cfg.plan = NULL;
	if (!p)
		return false;
	pthread_mutex_init(&p->lock, NULL);
	if (*text != '@')
		return plan_parse(text, p->fault, &p->n, err, sizeof(err));
	p->path = strdup(text + 1);
	return p->path && begin_file(m);
}

void plan_end(struct anpu_model *m)
{
	struct plan *p = m->plan;

	if (!p)
		return;
	atomic_store(&p->ends, 1);
	futex_wake(&p->ends, 1);
	if (p->watched)
		pthread_join(p->watcher, NULL);
	pthread_mutex_destroy(&p->lock);
	free(p->path);
	free(p);
	m->plan = NULL;
}
