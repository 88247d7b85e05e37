// SPDX-License-Identifier: MIT
/*
 * The profile: each thread counts for itself in a small hash table of kinds of operations; after
 * the run the tables are added. The time of an operation is the host's, from before to after it,
 * without the time of the profile itself.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op/view/profile.h"

#define KINDS 512

/**
 * struct counter - one thread's counts
 * @kind: hash table
 * @now: the operation that is being carried out, @now_what its kind
 * @start: since when
 * @overhead: nanoseconds that this file took
 */
struct counter {
	struct counter *next;
	struct op_count kind[KINDS];
	struct op_count now;
	uint64_t start;
	uint64_t overhead;
};

struct op_profile {
	struct core_observer observer;
	pthread_mutex_t lock;
	struct counter *counters;
	unsigned int serial;
	struct op_count sum[KINDS];
};

/* A thread may live longer than a profile, and a later profile may lie at the same address. */
static _Thread_local struct counter *mine;
static _Thread_local unsigned int mine_serial;
static unsigned int serials;

static struct counter *counter_of(struct op_profile *p)
{
	struct counter *c = mine;

	if (c && mine_serial == p->serial)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c) {
		fprintf(stderr, "anpu-op: out of memory for --profile\n");
		abort();
	}
	pthread_mutex_lock(&p->lock);
	c->next = p->counters;
	p->counters = c;
	pthread_mutex_unlock(&p->lock);
	mine = c;
	mine_serial = p->serial;
	return c;
}

static bool peek(void *ctx, uint64_t va, uint64_t size, void *to)
{
	return core_block_peek(ctx, NULL, va, size, to);
}

static void on_begin(void *ctx, struct core_block *b, unsigned int op, const uint64_t operand[4])
{
	uint64_t entered = op_now();
	struct counter *c = counter_of(ctx);
	struct op_viewer view = { .ctx = b, .peek = peek };
	struct op_tile t;

	memset(&c->now, 0, sizeof(c->now));
	if (op >= CORE_OBSERVE_SYS) {
		const char *name = op_sys_name(op - CORE_OBSERVE_SYS);

		snprintf(c->now.what, sizeof(c->now.what), "%s", name ? name : "?");
		c->now.pipe = ANPU_PIPE_S;
	} else {
		op_tile_decode(op, operand, &view, &t);
		memcpy(c->now.what, t.what, sizeof(t.what));
		c->now.pipe = t.pipe;
		c->now.bytes = t.bytes;
		c->now.flops = t.flops;
	}
	c->start = op_now();
	c->overhead += c->start - entered;
}

static void add(struct op_count *to, const struct op_count *from)
{
	to->count += from->count;
	to->ns += from->ns;
	to->bytes += from->bytes;
	to->flops += from->flops;
}

/* The entry of a kind; when the table is full, its last entry counts all further kinds. */
static struct op_count *find(struct op_count *table, const struct op_count *kind)
{
	unsigned int hash = kind->pipe;

	for (const char *s = kind->what; *s; s++)
		hash = hash * 31 + (unsigned char)*s;
	for (unsigned int n = 0; n < KINDS - 1; n++) {
		struct op_count *k = &table[(hash + n) % (KINDS - 1)];

		if (!k->what[0]) {
			memcpy(k->what, kind->what, sizeof(k->what));
			k->pipe = kind->pipe;
			return k;
		}
		if (k->pipe == kind->pipe && !strcmp(k->what, kind->what))
			return k;
	}
	snprintf(table[KINDS - 1].what, sizeof(table[0].what), "(other kinds)");
	table[KINDS - 1].pipe = kind->pipe;
	return &table[KINDS - 1];
}

static void on_end(void *ctx, struct core_block *b, unsigned int op, bool done)
{
	uint64_t now = op_now();
	struct counter *c = counter_of(ctx);

	(void)b;
	(void)op;
	c->now.ns = now - c->start;
	c->now.count = 1;
	if (!done) {
		/* a faulting operation took time, but does not count as carried out */
		c->now.count = 0;
		c->now.bytes = 0;
		c->now.flops = 0;
	}
	add(find(c->kind, &c->now), &c->now);
	c->overhead += op_now() - now;
}

struct op_profile *op_profile_new(void)
{
	struct op_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	p->observer = (struct core_observer){ .ctx = p, .begin = on_begin, .end = on_end };
	p->serial = ++serials;
	return p;
}

void op_profile_free(struct op_profile *p)
{
	struct counter *next;

	if (!p)
		return;
	for (struct counter *c = p->counters; c; c = next) {
		next = c->next;
		free(c);
	}
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void op_profile_reset(struct op_profile *p)
{
	for (struct counter *c = p ? p->counters : NULL; c; c = c->next) {
		memset(c->kind, 0, sizeof(c->kind));
		c->overhead = 0;
	}
}

const struct core_observer *op_profile_observer(struct op_profile *p)
{
	return &p->observer;
}

static int costliest(const void *a, const void *b)
{
	const struct op_count *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->what, y->what);
}

const struct op_count *op_profile_sum(struct op_profile *p, const struct op_result *result,
				      struct op_count pipe[ANPU_PIPE_COUNT], size_t *count)
{
	/* time that operations of the other pipes took */
	uint64_t others = 0;
	size_t n = 0;

	memset(p->sum, 0, sizeof(p->sum));
	memset(pipe, 0, ANPU_PIPE_COUNT * sizeof(*pipe));
	for (struct counter *c = p->counters; c; c = c->next) {
		others += c->overhead;
		for (unsigned int i = 0; i < KINDS; i++)
			if (c->kind[i].what[0])
				add(find(p->sum, &c->kind[i]), &c->kind[i]);
	}
	for (unsigned int i = 0; i < KINDS; i++) {
		if (!p->sum[i].what[0])
			continue;
		add(&pipe[p->sum[i].pipe], &p->sum[i]);
		if (p->sum[i].pipe != ANPU_PIPE_S)
			others += p->sum[i].ns;
		p->sum[n++] = p->sum[i];
	}
	for (unsigned int i = 0; i < ANPU_PIPE_COUNT; i++) {
		pipe[i].pipe = i;
		snprintf(pipe[i].what, sizeof(pipe[i].what), "%s", op_pipe_name(i));
	}
	/* the scalar unit's operations are its instructions, its time what is left */
	pipe[ANPU_PIPE_S].count = result->insns - result->tiles;
	pipe[ANPU_PIPE_S].bytes = 0;
	pipe[ANPU_PIPE_S].ns = result->busy_ns > others ? result->busy_ns - others : 0;
	qsort(p->sum, n, sizeof(p->sum[0]), costliest);
	*count = n;
	return p->sum;
}

/* Printing ------------------------------------------------------------------------------------- */

static void print_rate(double amount, uint64_t ns)
{
	if (amount > 0 && ns)
		printf(" %10.3g", amount / (double)ns);
	else
		printf(" %10s", "");
}

static void print_row(const char *name, const struct op_count *c, uint64_t total)
{
	printf("  %-24s %-5s %12llu %12.3f %5.1f%% %14llu", name, op_pipe_name(c->pipe),
	       (unsigned long long)c->count, (double)c->ns * 1e-3,
	       total ? 100.0 * (double)c->ns / (double)total : 0.0, (unsigned long long)c->bytes);
	print_rate((double)c->bytes, c->ns);
	print_rate((double)c->flops, c->ns);
	putchar('\n');
}

void op_profile_print(struct op_profile *p, const struct op_result *result)
{
	struct op_count pipe[ANPU_PIPE_COUNT];
	const struct op_count *kind;
	uint64_t total = 0;
	size_t kinds;

	kind = op_profile_sum(p, result, pipe, &kinds);
	for (unsigned int i = 0; i < ANPU_PIPE_COUNT; i++)
		total += pipe[i].ns;
	printf("profile\n  %-24s %-5s %12s %12s %6s %14s %10s %10s\n", "", "pipe", "operations",
	       "host us", "share", "bytes", "GB/s", "GFLOP/s");
	for (unsigned int i = 0; i < ANPU_PIPE_COUNT; i++)
		if (i != ANPU_PIPE_ALL && (pipe[i].count || pipe[i].ns))
			print_row("all", &pipe[i], total);
	for (size_t i = 0; i < kinds; i++)
		print_row(kind[i].what, &kind[i], total);
}
