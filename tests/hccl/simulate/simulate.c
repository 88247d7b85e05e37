// SPDX-License-Identifier: MIT
/*
 * The algorithms with more ranks than a machine can hold, without a device: link.c and what is above it as they are, and
 * in place of the tasks that they queue, a tape for each rank. All tapes are played at the same time, as devices would: words
 * that are waited for, chunks in slots, sums. So results, deadlocks and the two slots' limits are the real ones.
 *
 * Each message is given a step, one more than those that its sender had to wait for, and a time by a simple model: a
 * message takes 1 us, and a byte of it, copied or summed up, 0.1 ns. Steps and bytes must be those of the table in
 * Documentation/hccl.md.
 *
 *	usage: simulate [RANKS BYTES]	a table; without arguments the test
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "copy/front.h"
#include "hccl_inside.h"

#define LATENCY_US 1.0
#define BYTE_US	   1e-4
/* Of those algorithms that know of several */
#define MACHINES   4

enum kind { TAKE, SET, COPY, SUM };

struct entry {
	enum kind kind;
	void *at;
	const void *from;
	uint64_t n; /* bytes, or the value */
};

/* The tasks of a rank, in place of a stream */
struct tape {
	struct entry *entries;
	size_t count, room, next;
	uint32_t step;
	double us;
	uint64_t sent; /* bytes that went to other ranks, or were read by them */
};

/* Beside each word of a rank's memory: when it was set */
struct mark {
	double us;
	uint32_t step;
};

static uint32_t ranks;
static struct hccl_comm *comms;
static struct tape *tapes;
static char *memory; /* of all ranks */
static size_t stride;
static struct mark *marks;
static size_t words;

static void fail(const char *what, uint32_t rank)
{
	fprintf(stderr, "%u ranks, rank %u: %s\n", ranks, rank, what);
	exit(1);
}

/* In place of the device ------------------------------------------------------------------------- */

static aclError record(aclrtStream stream, struct entry e)
{
	struct tape *t = stream;

	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->entries = realloc(t->entries, t->room * sizeof(*t->entries));
		if (!t->entries)
			exit(2);
	}
	t->entries[t->count++] = e;
	return ACL_SUCCESS;
}

aclError anpu_front_await(uint64_t *addr, uint64_t limit_us, aclrtStream stream)
{
	(void)limit_us;
	return record(stream, (struct entry){ TAKE, addr, NULL, 1 });
}

aclError anpu_front_add(uint64_t *addr, uint64_t n, aclrtStream stream)
{
	(void)addr;
	(void)n;
	(void)stream;
	return ACL_SUCCESS;
}

void anpu_front_gather(bool on)
{
	(void)on;
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
	(void)flag;
	return record(stream, (struct entry){ SET, devAddr, NULL, value });
}

aclError anpu_front_copy(void *dst, const void *src, size_t bytes, aclrtStream stream)
{
	return record(stream, (struct entry){ COPY, dst, src, bytes });
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
			  aclrtStream stream)
{
	(void)destMax;
	(void)kind;
	return anpu_front_copy(dst, src, count, stream);
}

void hccl_reduce(struct hccl_run *r, void *dst, const void *src, uint64_t bytes)
{
	record(r->stream, (struct entry){ SUM, dst, src, bytes });
}

HcclResult hccl_fail(HcclResult code, const char *fmt, ...)
{
	fprintf(stderr, "%s\n", fmt);
	return code;
}

HcclResult hccl_fail_acl(aclError err, const char *what)
{
	(void)err;
	return hccl_fail(HCCL_E_RUNTIME, "%s", what);
}

/* Playing ---------------------------------------------------------------------------------------- */

static struct mark *mark_of(const void *word)
{
	size_t at = (size_t)((const char *)word - memory);

	return at % stride / 8 < words ? &marks[at / stride * words + at % stride / 8] : NULL;
}

static uint32_t owner(const void *at)
{
	size_t offset = (size_t)((const char *)at - memory);

	return offset / stride < ranks ? (uint32_t)(offset / stride) : UINT32_MAX;
}

static bool take(struct tape *t, const struct entry *e)
{
	uint64_t *word = e->at;
	struct mark *m = mark_of(word);

	if (*word != e->n)
		return false;
	*word = 0;
	t->us = m->us > t->us ? m->us : t->us;
	t->step = m->step > t->step ? m->step : t->step;
	return true;
}

static void put(uint32_t rank, struct tape *t, const struct entry *e)
{
	uint64_t *word = e->at;
	struct mark *m = mark_of(word);
	uint32_t to = owner(word);
	/* the first words say that a message has come or can be read, the others that there is room */
	bool message = to != rank && word < hccl_word_free(memory + to * stride, ranks, 0, 0);

	/* what is shown to the watcher has no reader here */
	if ((void *)word < (void *)(hccl_state_of(memory + to * stride) + 1))
		return;
	if (*word)
		fail("a word is set that nobody has taken", rank);
	*word = e->n;
	m->us = t->us + LATENCY_US;
	m->step = message ? t->step + 1 : 0;
}

static void move(uint32_t rank, struct tape *t, const struct entry *e)
{
	uint32_t to = owner(e->at), from = owner(e->from);

	t->us += (double)e->n * BYTE_US;
	if (to != UINT32_MAX && to != rank)
		t->sent += e->n;
	else if (from != UINT32_MAX && from != rank)
		tapes[from].sent += e->n;
	if (e->kind == COPY) {
		memmove(e->at, e->from, e->n);
		return;
	}
	for (uint64_t i = 0; i < e->n / 4; i++)
		((int32_t *)e->at)[i] += ((const int32_t *)e->from)[i];
}

/* As far as the rank gets */
static size_t play(uint32_t rank)
{
	struct tape *t = &tapes[rank];
	size_t from = t->next;

	for (; t->next < t->count; t->next++) {
		const struct entry *e = &t->entries[t->next];

		if (e->kind == TAKE && !take(t, e))
			break;
		if (e->kind == SET)
			put(rank, t, e);
		else if (e->kind != TAKE)
			move(rank, t, e);
	}
	return t->next - from;
}

static void play_all(void)
{
	size_t done;

	do {
		done = 0;
		for (uint32_t i = 0; i < ranks; i++)
			done += play(i);
	} while (done);
	for (uint32_t i = 0; i < ranks; i++)
		if (tapes[i].next < tapes[i].count)
			fail("waits for ever", i);
}

/* Ranks ------------------------------------------------------------------------------------------ */

static void *map(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		exit(2);
	return at;
}

/* Ranks are dealt out to the machines one by one, if there are several */
static void place(struct hccl_comm *c, uint32_t n, uint32_t machines)
{
	uint64_t where[HCCL_MAX_RANKS];

	for (uint32_t k = 0; k < n; k++)
		where[k] = k % machines;
	c->places = calloc(2 * (size_t)n, sizeof(*c->places));
	hccl_find_groups(c, where);
}

static void make_ranks(uint32_t n, uint64_t slot_bytes, uint32_t machines)
{
	ranks = n;
	words = hccl_words_bytes(n) / 8;
	stride = words * 8 + (n - 1) * HCCL_SLOTS * slot_bytes;
	memory = map(stride * n);
	marks = map(words * n * sizeof(*marks));
	comms = calloc(n, sizeof(*comms));
	tapes = calloc(n, sizeof(*tapes));
	for (uint32_t i = 0; i < n; i++) {
		struct hccl_comm *c = &comms[i];

		*c = (struct hccl_comm){ .rank = i, .ranks = n, .slot_bytes = slot_bytes, .base = memory + i * stride };
		place(c, n, machines);
		c->peers = calloc(n, sizeof(*c->peers));
		c->tx = calloc(n, sizeof(*c->tx));
		c->rx = calloc(n, sizeof(*c->rx));
		for (uint32_t k = 0; k < n; k++) {
			c->peers[k].base = memory + k * stride;
			c->peers[k].slots = c->peers[k].base + hccl_slots_offset(c, k, i);
			for (uint32_t s = 0; s < HCCL_SLOTS; s++)
				*hccl_word_free(c->base, n, k, s) = 1;
		}
	}
}

static void free_ranks(void)
{
	for (uint32_t i = 0; i < ranks; i++) {
		free(comms[i].peers);
		free(comms[i].tx);
		free(comms[i].rx);
		free(comms[i].places);
		free(tapes[i].entries);
	}
	free(comms);
	free(tapes);
	munmap(memory, stride * ranks);
	munmap(marks, words * ranks * sizeof(*marks));
}

/* Calls ------------------------------------------------------------------------------------------ */

struct call {
	const char *name;
	void (*queue)(struct hccl_run *r, char *send, char *recv, uint64_t bytes);
	/* is element @i of @n of rank @rank's result to be *@want; false: it has no result there */
	bool (*result)(uint32_t rank, uint64_t i, uint64_t n, int32_t *want);
	uint64_t (*steps)(uint32_t n);
	double (*bytes)(uint32_t n); /* that the busiest rank sends, by the size of a message */
	bool parts;		     /* slots for a part of the message do */
	uint32_t machines;	     /* 0: one; else numbers of ranks that are not multiples of it are left out */
};

/* The size of a message is that of a rank's larger buffer; its parts are equal */
static struct hccl_part *cut(const struct hccl_run *r, uint64_t bytes)
{
	static struct hccl_part parts[HCCL_MAX_RANKS];

	for (uint32_t i = 0; i < r->c->ranks; i++)
		parts[i] = (struct hccl_part){ bytes / 4 / r->c->ranks * 4 * i, bytes / 4 / r->c->ranks * 4 };
	return parts;
}

static int32_t value(uint32_t rank, uint64_t i)
{
	return (int32_t)(rank * 3 + i * 7 + 1);
}

static int32_t total(uint64_t i)
{
	/* of value(), whose ranks' parts are 0, 3, 6, ... */
	return (int32_t)(ranks * (uint32_t)value(0, i) + 3 * (ranks * (ranks - 1) / 2));
}

static bool sum(uint32_t rank, uint64_t i, uint64_t n, int32_t *want)
{
	(void)rank;
	(void)n;
	*want = total(i);
	return true;
}

static bool sum_of_root(uint32_t rank, uint64_t i, uint64_t n, int32_t *want)
{
	return !rank && sum(rank, i, n, want);
}

static bool of_root(uint32_t rank, uint64_t i, uint64_t n, int32_t *want)
{
	(void)rank;
	(void)n;
	*want = value(0, i);
	return true;
}

static bool sum_of_part(uint32_t rank, uint64_t i, uint64_t n, int32_t *want)
{
	uint64_t each = n / ranks;

	*want = total(i);
	return i >= rank * each && i < (rank + 1) * each;
}

static bool of_all(uint32_t rank, uint64_t i, uint64_t n, int32_t *want)
{
	uint64_t each = n / ranks;

	(void)rank;
	*want = each ? value((uint32_t)(i / each), i) : 0;
	return i < each * ranks;
}

static bool part_of_root(uint32_t rank, uint64_t i, uint64_t n, int32_t *want)
{
	uint64_t each = n / ranks;

	*want = value(0, i);
	return i >= rank * each && i < (rank + 1) * each;
}

static bool nothing(uint32_t rank, uint64_t i, uint64_t n, int32_t *want)
{
	(void)rank;
	(void)i;
	(void)n;
	(void)want;
	return false;
}

static bool from_all(uint32_t rank, uint64_t i, uint64_t n, int32_t *want)
{
	uint64_t each = n / ranks;

	*want = each ? value((uint32_t)(i / each), rank * each + i % each) : 0;
	return i < each * ranks;
}

static void ring(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	ring_allreduce(r, send, recv, bytes);
}

static void halving(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	link_copy(r, recv, send, bytes);
	halving_allreduce(r, recv, bytes);
}

static void doubling(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	link_copy(r, recv, send, bytes);
	doubling_allreduce(r, recv, bytes);
}

static void broadcast(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	link_copy(r, recv, send, bytes);
	tree_broadcast(r, recv, bytes, 0);
}

static void reduce(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	tree_reduce(r, send, r->c->rank ? NULL : recv, bytes, 0);
}

static void chain(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	link_copy(r, recv, send, bytes);
	ring_broadcast(r, recv, bytes, 0);
}

static void reduce_ring(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	ring_reduce(r, send, recv, bytes, 0);
}

static void mesh(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	mesh_allreduce(r, send, recv, bytes);
}

static void machines(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	machines_allreduce(r, send, recv, bytes);
}

static void scatter_ring(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	const struct hccl_part *parts = cut(r, bytes);

	ring_reducescatter(r, send, parts, recv + parts[r->c->rank].at);
}

static void scatter_mesh(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	const struct hccl_part *parts = cut(r, bytes);

	mesh_reducescatter(r, &r->c->all, send, parts, recv + parts[r->c->rank].at);
}

static void scatter_machines(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	const struct hccl_part *parts = cut(r, bytes);

	machines_reducescatter(r, send, parts, recv + parts[r->c->rank].at);
}

static const struct hccl_part *own_part(struct hccl_run *r, const char *send, char *recv, uint64_t bytes)
{
	const struct hccl_part *parts = cut(r, bytes), *mine = &parts[r->c->rank];

	link_copy(r, recv + mine->at, send + mine->at, mine->bytes);
	return parts;
}

static void gather_ring(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	ring_allgather(r, recv, own_part(r, send, recv, bytes));
}

static void gather_mesh(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	mesh_allgather(r, &r->c->all, recv, own_part(r, send, recv, bytes));
}

static void gather_machines(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	machines_allgather(r, recv, own_part(r, send, recv, bytes));
}

static void exchange(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	static struct hccl_piece tx[HCCL_MAX_RANKS], rx[HCCL_MAX_RANKS], *to[HCCL_MAX_RANKS], *from[HCCL_MAX_RANKS];
	static uint32_t ones[HCCL_MAX_RANKS];
	const struct hccl_part *parts = cut(r, bytes);

	for (uint32_t i = 0; i < r->c->ranks; i++) {
		tx[i] = (struct hccl_piece){ send + parts[i].at, parts[i].bytes };
		rx[i] = (struct hccl_piece){ recv + parts[i].at, parts[i].bytes };
		to[i] = &tx[i];
		from[i] = &rx[i];
		ones[i] = 1;
	}
	pairwise(r, to, ones, from, ones);
}

static void scatter_root(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	const struct hccl_part *mine = &cut(r, bytes)[r->c->rank];

	scatter(r, send, recv + mine->at, mine->bytes, 0);
}

static void barrier(struct hccl_run *r, char *send, char *recv, uint64_t bytes)
{
	(void)send;
	(void)recv;
	(void)bytes;
	tree_barrier(r);
}

/* Messages one after the other, if they fit into slots */
static uint64_t log_up(uint32_t n)
{
	uint64_t steps = 0;

	for (uint32_t p = 1; p < n; p *= 2)
		steps++;
	return steps;
}

static uint64_t log_down(uint32_t n)
{
	return n & (n - 1) ? log_up(n) - 1 : log_up(n);
}

static bool folds(uint32_t n)
{
	return n & (n - 1);
}

static uint64_t ring_steps(uint32_t n)
{
	return 2ULL * (n - 1);
}

static uint64_t halving_steps(uint32_t n)
{
	return 2 * log_down(n) + 2 * folds(n);
}

static uint64_t doubling_steps(uint32_t n)
{
	/* of 3, the one with a pair's element waits for one message only */
	return n == 3 ? 2 : log_down(n) + 2 * folds(n);
}

static uint64_t chain_steps(uint32_t n)
{
	return n - 1;
}

/* A rank sends without having waited for what it sends, but after what it has received before */
static uint64_t pairwise_steps(uint32_t n)
{
	return n - 1;
}

static uint64_t two(uint32_t n)
{
	(void)n;
	return 2;
}

static uint64_t one(uint32_t n)
{
	(void)n;
	return 1;
}

/* Inside, between, inside; one rank alone in its machine has nothing to do there */
static uint64_t machines_steps(uint32_t n)
{
	return n > MACHINES ? 4 : 2;
}

static uint64_t gather_machines_steps(uint32_t n)
{
	return n > MACHINES ? 1 + MACHINES : 1;
}

/* One after the other inside; what goes between machines is on its way meanwhile */
static uint64_t scatter_machines_steps(uint32_t n)
{
	return n > MACHINES ? MACHINES : 1;
}

static double ring_bytes(uint32_t n)
{
	return 2.0 * (n - 1) / n;
}

static double round_bytes(uint32_t n)
{
	return (n - 1.0) / n;
}

static double machines_bytes(uint32_t n)
{
	double each = n / MACHINES;

	return 2 * (each - 1) / each + 2.0 * (MACHINES - 1) / n;
}

/* Its own part to the other machines, and all parts that have its place to the others of its own; or the other way round */
static double gather_machines_bytes(uint32_t n)
{
	double each = n / MACHINES;

	return (MACHINES - 1.0) / n + (each - 1) * MACHINES / n;
}

static double halving_bytes(uint32_t n)
{
	double p = (double)(1ULL << log_down(n));

	return 2 * (p - 1) / p + folds(n);
}

static double doubling_bytes(uint32_t n)
{
	return (double)log_down(n) + folds(n);
}

static double tree_bytes(uint32_t n)
{
	return (double)log_up(n);
}

static double none(uint32_t n)
{
	(void)n;
	return 0;
}

static double once(uint32_t n)
{
	(void)n;
	return 1;
}

static const struct call calls[] = {
	{ "all-reduce, ring", ring, sum, ring_steps, ring_bytes, true, 0 },
	{ "all-reduce, mesh", mesh, sum, two, ring_bytes, true, 0 },
	{ "all-reduce, machines", machines, sum, machines_steps, machines_bytes, false, MACHINES },
	{ "all-reduce, halving", halving, sum, halving_steps, halving_bytes, false, 0 },
	{ "all-reduce, doubling", doubling, sum, doubling_steps, doubling_bytes, false, 0 },
	{ "broadcast, tree", broadcast, of_root, log_down, tree_bytes, false, 0 },
	{ "broadcast, ring", chain, of_root, chain_steps, once, false, 0 },
	{ "reduce, tree", reduce, sum_of_root, log_down, once, false, 0 },
	{ "reduce, ring", reduce_ring, sum_of_root, chain_steps, once, false, 0 },
	{ "reduce-scatter, ring", scatter_ring, sum_of_part, chain_steps, round_bytes, true, 0 },
	{ "reduce-scatter, mesh", scatter_mesh, sum_of_part, one, round_bytes, true, 0 },
	{ "reduce-scatter, machines", scatter_machines, sum_of_part, scatter_machines_steps, gather_machines_bytes, false, MACHINES },
	{ "all-gather, ring", gather_ring, of_all, chain_steps, round_bytes, true, 0 },
	{ "all-gather, mesh", gather_mesh, of_all, one, round_bytes, true, 0 },
	{ "all-gather, machines", gather_machines, of_all, gather_machines_steps, gather_machines_bytes, false, MACHINES },
	{ "all-to-all, pairwise", exchange, from_all, pairwise_steps, round_bytes, true, 0 },
	{ "scatter", scatter_root, part_of_root, one, round_bytes, true, 0 },
	{ "barrier", barrier, nothing, log_up, none, true, 0 },
};

struct cost {
	uint64_t steps, bytes;
	double us;
};

static void check_result(const struct call *call, const char *recv, uint64_t n)
{
	int32_t want;

	for (uint32_t r = 0; r < ranks; r++)
		for (uint64_t i = 0; i < n; i++)
			if (call->result(r, i, n, &want) && ((const int32_t *)recv)[r * n + i] != want)
				fail(call->name, r);
}

static struct cost run(const struct call *call, uint32_t n, uint64_t bytes, uint64_t slot_bytes)
{
	char *send = map(bytes * n), *recv = map(bytes * n);
	struct cost cost = { 0 };

	make_ranks(n, slot_bytes, call->machines ? call->machines : 1);
	for (uint32_t i = 0; i < n; i++) {
		struct hccl_run r = { .c = &comms[i], .stream = &tapes[i], .type = HCCL_DATA_TYPE_INT32,
				      .op = HCCL_REDUCE_SUM, .elem = 4 };

		for (uint64_t k = 0; k < bytes / 4; k++)
			((int32_t *)(send + i * bytes))[k] = value(i, k);
		call->queue(&r, send + i * bytes, recv + i * bytes, bytes);
		if (r.ret)
			fail("the call failed", i);
	}
	play_all();
	check_result(call, recv, bytes / 4);
	for (uint32_t i = 0; i < n; i++) {
		cost.steps = tapes[i].step > cost.steps ? tapes[i].step : cost.steps;
		cost.bytes = tapes[i].sent > cost.bytes ? tapes[i].sent : cost.bytes;
		cost.us = tapes[i].us > cost.us ? tapes[i].us : cost.us;
	}
	free_ranks();
	munmap(send, bytes * n);
	munmap(recv, bytes * n);
	return cost;
}

/* Steps and bytes are those stated, if each part of a message is as long as the others and fits into a slot */
static bool as_stated(const struct call *call, uint32_t n, uint64_t bytes)
{
	/* a slot for each pair of 1,024 ranks is much memory */
	struct cost cost = run(call, n, bytes, call->parts ? bytes / n : call->machines ? bytes / (n / call->machines) : bytes);
	uint64_t want = (uint64_t)((double)bytes * call->bytes(n));

	if (cost.steps == call->steps(n) && cost.bytes >= want - want / 50 && cost.bytes <= want + want / 50)
		return true;
	fprintf(stderr, "%s, %u ranks, %llu bytes: %llu steps instead of %llu, %llu bytes of a rank instead of %llu\n", call->name, n,
		(unsigned long long)bytes, (unsigned long long)cost.steps, (unsigned long long)call->steps(n),
		(unsigned long long)cost.bytes, (unsigned long long)want);
	return false;
}

/* Each part of HCCL_ALGO says what it says and nothing of the others */
static bool choices_are_as_asked_for(void)
{
	static const struct {
		const char *text;
		enum hccl_algo allreduce, broadcast, allgather;
	} cases[] = {
		{ "level0:NA;level1:ring", HCCL_ALGO_RING, HCCL_ALGO_RING, HCCL_ALGO_RING },
		{ "level0:ring;level1:H-D_R", HCCL_ALGO_HD, HCCL_ALGO_HD, HCCL_ALGO_HD },
		{ "allreduce=level0:NA;level1:ring/broadcast=level0:NA", HCCL_ALGO_RING, HCCL_ALGO_AUTO, HCCL_ALGO_AUTO },
		{ "others=level1:fullmesh/broadcast=level1:tree", HCCL_ALGO_MESH, HCCL_ALGO_TREE, HCCL_ALGO_MESH },
		{ "broadcast=level1:tree/others=level1:ring", HCCL_ALGO_RING, HCCL_ALGO_TREE, HCCL_ALGO_RING },
	};
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum hccl_algo algo[CALLS] = { HCCL_ALGO_AUTO };

		if (hccl_algo_read(cases[i].text, algo) || algo[CALL_ALLREDUCE] != cases[i].allreduce ||
		    algo[CALL_BROADCAST] != cases[i].broadcast || algo[CALL_ALLGATHER] != cases[i].allgather) {
			fprintf(stderr, "HCCL_ALGO='%s' is taken for something else\n", cases[i].text);
			good = false;
		}
	}
	return good;
}

static int test(void)
{
	static const uint32_t numbers[] = { 2, 3, 4, 7, 8, 61, 64, 1024 };
	/* seconds each with 1,024 ranks: of those with a message for each pair, one does */
	const uint32_t most[] = { 256, 1024 };
	bool good = choices_are_as_asked_for();

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
			uint32_t n = numbers[k], limit = most[(!calls[i].parts && !calls[i].machines) || calls[i].queue == ring];

			n = n < limit ? n : limit;
			if (calls[i].machines && n % calls[i].machines)
				continue;
			/* a multiple of the number of ranks, in cache lines */
			good = as_stated(&calls[i], n, 64ULL * n) && good;
			/* in many chunks, of which the last are shorter: neither wrong nor for ever */
			if (n < 1000)
				run(&calls[i], n, 4 * 1031, 128);
			/* and so much that results are read where they are */
			if (n < 10)
				run(&calls[i], n, (n << 19) + 4 * 1031, 100 << 10);
		}
	}
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	uint64_t bytes = argc == 3 ? strtoull(argv[2], NULL, 10) / 4 * 4 : 0, slot;

	if (argc == 1)
		return test();
	if (n < 2 || n > HCCL_MAX_RANKS || !bytes) {
		fprintf(stderr, "usage: simulate [RANKS, 2 to %d BYTES]\n", HCCL_MAX_RANKS);
		return 2;
	}
	slot = bytes < 2 << 20 ? bytes : 2 << 20;
	printf("# %u ranks, %llu bytes; a message %.1f us, a byte %.1f ns\n%-24s %10s %14s %12s\n", n, (unsigned long long)bytes,
	       LATENCY_US, BYTE_US * 1e3, "", "steps", "bytes of rank", "us");
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct cost cost;

		if (calls[i].machines && n % calls[i].machines)
			continue;
		cost = run(&calls[i], n, bytes, slot);

		printf("%-24s %10llu %14llu %12.1f\n", calls[i].name, (unsigned long long)cost.steps, (unsigned long long)cost.bytes,
		       cost.us);
	}
	return 0;
}
