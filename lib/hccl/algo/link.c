// SPDX-License-Identifier: MIT
/*
 * Chunks from rank to rank. Each rank has HCCL_SLOTS slots for each other one. The sender waits for the word "free" of
 * the slot, which is in its own memory, copies, and sets "filled" in the receiver's; the receiver waits for that, uses
 * the chunk, and sets "free" again. A wait takes the 1 away that it sees, and every call begins with slot 0: so a call
 * depends on nothing that the host knows, and a graph with it can run as often as wanted, with ranks for which it
 * is a graph and ranks for which it is not.
 *
 * Other ranks can read a rank's result for a chunk in that rank's slot, without a copy in their own: the rank sets "shown"
 * in their memory, and they wait for it, read the slot, and set "seen" in the rank's memory. A reader that alone reads the slot, and
 * has filled it, sets "free" in its own memory instead: whoever shows is done with the slot before.
 */
#include <string.h>

#include "copy/front.h"
#include "core/front.h"
#include "hccl_inside.h"

/* Kinds of words in their order in memory; those that say that there is something come first */
enum { FILLED, SHOWN, FREE, SEEN, KINDS };

/* Bytes of a copy that takes longer than telling the device of it before the rest of the call is queued */
#define AHEAD_LEAST (32 << 10)

static uint64_t *word(char *base, uint32_t ranks, uint32_t kind, uint32_t rank, uint32_t slot)
{
	return (uint64_t *)(hccl_state_of(base) + 1) + ((uint64_t)kind * ranks + rank) * HCCL_SLOTS + slot;
}

size_t hccl_words_bytes(uint32_t ranks)
{
	return (KINDS * sizeof(uint64_t) * HCCL_SLOTS * (size_t)ranks + sizeof(struct hccl_state) + 4095) / 4096 * 4096;
}

struct hccl_state *hccl_state_of(char *base)
{
	return (struct hccl_state *)(uintptr_t)base;
}

uint64_t *hccl_word_filled(char *base, uint32_t ranks, uint32_t from, uint32_t slot)
{
	return word(base, ranks, FILLED, from, slot);
}

uint64_t *hccl_word_free(char *base, uint32_t ranks, uint32_t to, uint32_t slot)
{
	return word(base, ranks, FREE, to, slot);
}

uint64_t *hccl_word_shown(char *base, uint32_t ranks, uint32_t owner, uint32_t slot)
{
	return word(base, ranks, SHOWN, owner, slot);
}

uint64_t *hccl_word_seen(char *base, uint32_t ranks, uint32_t by, uint32_t slot)
{
	return word(base, ranks, SEEN, by, slot);
}

/* The slots are behind the words, those for the rank itself left out */
uint64_t hccl_slots_offset(const struct hccl_comm *c, uint32_t owner, uint32_t from)
{
	uint64_t n = from > owner ? from - 1 : from;

	return hccl_words_bytes(c->ranks) + n * HCCL_SLOTS * c->slot_bytes;
}

static void acl(struct hccl_run *r, aclError err, const char *what)
{
	if (err && !r->ret)
		r->ret = hccl_fail_acl(err, what);
}

static void set(struct hccl_run *r, uint64_t *at, uint64_t value)
{
	if (!r->ret)
		acl(r, aclrtValueWrite(at, value, 0, r->stream), "aclrtValueWrite()");
}

static void show(struct hccl_run *r, uint64_t peer)
{
	set(r, &hccl_state_of(r->c->base)->waits, ++r->c->serial << 16 | peer);
}

/*
 * The wait has no limit on the device: a task behind one that failed would go on with data that are not there, and pass
 * them to other ranks. watch.c has the limit, and drops all that is behind.
 */
static void await(struct hccl_run *r, uint32_t peer, uint64_t *at)
{
	/* nothing is queued any more that would wait for a rank that is gone */
	if (!r->ret)
		r->ret = (HcclResult)atomic_load(&r->c->broken);
	if (!r->ret && atomic_load(&r->c->suspended))
		r->ret = HCCL_E_SUSPENDING;
	show(r, peer + 1);
	if (!r->ret)
		acl(r, anpu_front_await(at, UINT64_MAX, r->stream), "a wait for a rank");
}

void link_begin(struct hccl_run *r)
{
	acl(r, anpu_front_add(&hccl_state_of(r->c->base)->turns, 1, r->stream), "counting a call");
}

void link_end(struct hccl_run *r)
{
	show(r, 0);
}

void link_copy(struct hccl_run *r, void *dst, const void *src, uint64_t bytes)
{
	if (!bytes || dst == src || r->ret)
		return;
	/* from slot to slot is from host memory to host memory there */
	if (r->c->window)
		acl(r, anpu_front_copy(dst, src, bytes, r->stream), "a copy");
	else
		acl(r, aclrtMemcpyAsync(dst, bytes, src, bytes, ACL_MEMCPY_DEFAULT, r->stream), "aclrtMemcpyAsync()");
	/* the device copies while this thread queues what comes behind */
	if (bytes >= AHEAD_LEAST)
		anpu_front_gather(true);
}

void link_send(struct hccl_run *r, uint32_t to, const void *src, uint64_t bytes)
{
	struct hccl_comm *c = r->c;
	uint32_t slot = c->tx[to]++ % HCCL_SLOTS;

	await(r, to, hccl_word_free(c->base, c->ranks, to, slot));
	link_copy(r, c->peers[to].slots + slot * c->slot_bytes, src, bytes);
	/* what carries the chunk to another machine has to know how long it is */
	set(r, hccl_word_filled(c->peers[to].base, c->ranks, c->rank, slot), c->wire ? bytes + 1 : 1);
}

void *link_wait(struct hccl_run *r, uint32_t from)
{
	struct hccl_comm *c = r->c;
	uint32_t slot = c->rx[from] % HCCL_SLOTS;

	await(r, from, hccl_word_filled(c->base, c->ranks, from, slot));
	return c->base + hccl_slots_offset(c, c->rank, from) + slot * c->slot_bytes;
}

void link_release(struct hccl_run *r, uint32_t from)
{
	struct hccl_comm *c = r->c;
	uint32_t slot = c->rx[from]++ % HCCL_SLOTS;

	set(r, hccl_word_free(c->peers[from].base, c->ranks, c->rank, slot), 1);
}

void link_recv(struct hccl_run *r, uint32_t from, void *dst, uint64_t bytes)
{
	link_copy(r, dst, link_wait(r, from), bytes);
	link_release(r, from);
}

void link_recv_reduce(struct hccl_run *r, uint32_t from, void *dst, uint64_t bytes)
{
	hccl_reduce(r, dst, link_wait(r, from), bytes);
	link_release(r, from);
}

void link_show(struct hccl_run *r, uint32_t from, uint32_t to)
{
	struct hccl_comm *c = r->c;

	set(r, hccl_word_shown(c->peers[to].base, c->ranks, c->rank, c->rx[from] % HCCL_SLOTS), 1);
}

void link_shown(struct hccl_run *r, uint32_t from, uint32_t to)
{
	await(r, to, hccl_word_seen(r->c->base, r->c->ranks, to, r->c->rx[from] % HCCL_SLOTS));
}

/* The chunk that @owner shows in its slot for @from */
static void copy_shown(struct hccl_run *r, uint32_t owner, uint32_t from, uint32_t slot, void *dst, uint64_t bytes)
{
	struct hccl_comm *c = r->c;

	await(r, owner, hccl_word_shown(c->base, c->ranks, owner, slot));
	link_copy(r, dst, c->peers[owner].base + hccl_slots_offset(c, owner, from) + slot * c->slot_bytes, bytes);
}

void link_see(struct hccl_run *r, uint32_t owner, uint32_t from, uint64_t turn, void *dst, uint64_t bytes)
{
	struct hccl_comm *c = r->c;
	uint32_t slot = turn % HCCL_SLOTS;

	copy_shown(r, owner, from, slot, dst, bytes);
	set(r, hccl_word_seen(c->peers[owner].base, c->ranks, c->rank, slot), 1);
}

void link_see_own(struct hccl_run *r, uint32_t owner, uint64_t turn, void *dst, uint64_t bytes)
{
	struct hccl_comm *c = r->c;
	uint32_t slot = turn % HCCL_SLOTS;

	copy_shown(r, owner, c->rank, slot, dst, bytes);
	set(r, hccl_word_free(c->base, c->ranks, owner, slot), 1);
}

void link_pass(struct hccl_run *r, uint32_t from)
{
	r->c->rx[from]++;
}

/* The next chunk of a flow; chunks end where pieces do, which both ranks know */
static uint64_t take(const struct hccl_run *r, struct hccl_flow *f, char **at)
{
	uint64_t n;

	while (f->pieces && f->at == f->piece->bytes) {
		f->piece++;
		f->pieces--;
		f->at = 0;
	}
	if (!f->pieces)
		return 0;
	n = f->piece->bytes - f->at;
	n = n < r->c->slot_bytes ? n : r->c->slot_bytes;
	*at = f->piece->at + f->at;
	f->at += n;
	return n;
}

void link_exchange(struct hccl_run *r, struct hccl_flow tx, struct hccl_flow rx, bool reduce)
{
	uint64_t out, in;
	char *at;

	do {
		out = take(r, &tx, &at);
		if (out)
			link_send(r, tx.peer, at, out);
		in = take(r, &rx, &at);
		if (in && reduce)
			link_recv_reduce(r, rx.peer, at, in);
		else if (in)
			link_recv(r, rx.peer, at, in);
	} while ((out || in) && !r->ret);
}
