// SPDX-License-Identifier: MIT
/*
 * Is what a rank receives from another what that one sends: as many elements, of the same type, and between the same
 * collectives. Both note what they call, and whoever comes second tells both sides.
 */
#include <stdio.h>
#include <string.h>

#include "core/front.h"
#include "hccl_inside.h"

static void describe(const struct hccl_pair_note *n, uint32_t rank, char *buf, size_t size)
{
	snprintf(buf, size, "rank %u %s %llu %s with %s at %.95s", rank, n->sends ? "sends" : "receives",
		 (unsigned long long)n->count, hccl_type_name((HcclDataType)n->type), n->call, n->site);
}

static HcclResult complain(struct hccl_comm *c, const struct hccl_pair_note *mine, uint32_t other,
			   const struct hccl_pair_note *theirs)
{
	char here[160], there[160], text[HCCL_TEXT];

	describe(mine, c->rank, here, sizeof(here));
	describe(theirs, other, there, sizeof(there));
	if (mine->count == theirs->count && mine->type == theirs->type)
		snprintf(text, sizeof(text), "%s after %llu collectives, %s after %llu: ranks must call in the same order", here,
			 (unsigned long long)mine->after, there, (unsigned long long)theirs->after);
	else
		snprintf(text, sizeof(text), "number %llu from rank %u to rank %u: %s, %s: both must be the same",
			 (unsigned long long)mine->number, mine->sends ? c->rank : other, mine->sends ? other : c->rank, here,
			 there);
	return hccl_check_failed(c, text);
}

static bool differ(const struct hccl_pair_note *a, const struct hccl_pair_note *b)
{
	return a->count != b->count || a->type != b->type || a->after != b->after;
}

static bool is_other_side(const struct hccl_pair_note *mine, const struct hccl_pair_note *theirs, uint32_t me)
{
	return atomic_load(&theirs->number) == mine->number && theirs->peer == me && theirs->sends != mine->sends;
}

/* In the notes of rank @of, the other side of @mine, which rank @who has; false: it has not come, or is forgotten */
static bool find(struct hccl_comm *c, uint32_t of, const struct hccl_pair_note *mine, uint32_t who,
		 struct hccl_pair_note *out)
{
	struct hccl_public *theirs = hccl_public_of(c, of);

	for (uint32_t i = 0; i < HCCL_PAIR_NOTES(c->ranks); i++) {
		if (!is_other_side(mine, &theirs->pairs[i], who))
			continue;
		memcpy(out, &theirs->pairs[i], sizeof(*out));
		out->call[sizeof(out->call) - 1] = 0;
		out->site[sizeof(out->site) - 1] = 0;
		/* it may have gone on and used the place again */
		if (is_other_side(mine, &theirs->pairs[i], who))
			return true;
	}
	return false;
}

static struct hccl_pair_note *next_place(struct hccl_comm *c, uint32_t rank)
{
	struct hccl_public *p = hccl_public_of(c, rank);

	return &p->pairs[p->pairs_noted++ % HCCL_PAIR_NOTES(c->ranks)];
}

/* The number comes last: others compare from then on */
static void write_down(struct hccl_pair_note *place, const struct hccl_pair_note *n)
{
	size_t head = sizeof(n->number);

	atomic_store(&place->number, 0);
	memcpy((char *)place + head, (const char *)n + head, sizeof(*n) - head);
	atomic_store(&place->number, atomic_load(&n->number));
}

HcclResult hccl_check_pair(struct hccl_comm *c, const struct hccl_pair_what *w)
{
	struct hccl_pair_note mine = { .count = w->count, .peer = w->peer, .type = w->type, .sends = w->sends }, theirs;

	/* runs of recorded calls have no numbers, so the numbers behind one say nothing */
	if (!c->set.check || w->peer == c->rank || c->graphs)
		return HCCL_SUCCESS;
	mine.number = ++(w->sends ? c->sent : c->received)[w->peer];
	mine.after = atomic_load(&hccl_public_of(c, c->rank)->called);
	snprintf(mine.call, sizeof(mine.call), "%s", w->call);
	hccl_name_site(w->site, mine.site, sizeof(mine.site));
	write_down(next_place(c, c->rank), &mine);
	if (c->wire)
		hccl_wire_note_pair(c, &mine);
	if (find(c, w->peer, &mine, c->rank, &theirs) && differ(&mine, &theirs))
		return complain(c, &mine, w->peer, &theirs);
	return HCCL_SUCCESS;
}

/* The sends of rank @from to rank @to that it has not received */
static void tell_unreceived(struct hccl_comm *c, uint32_t from, uint32_t to)
{
	struct hccl_public *sender = hccl_public_of(c, from), *receiver = hccl_public_of(c, to);
	const uint32_t most = HCCL_PAIR_NOTES(c->ranks);
	struct hccl_pair_note theirs;
	char what[160], text[HCCL_TEXT];

	/* some are forgotten */
	if (sender->pairs_noted > most || receiver->pairs_noted > most)
		return;
	for (uint32_t i = 0; i < most; i++) {
		const struct hccl_pair_note *n = &sender->pairs[i];

		if (!atomic_load(&n->number) || !n->sends || n->peer != to || find(c, to, n, from, &theirs))
			continue;
		describe(n, from, what, sizeof(what));
		snprintf(text, sizeof(text), "number %llu from rank %u to rank %u: %s, and rank %u has not received it: each send needs a receive",
			 (unsigned long long)n->number, from, to, what, to);
		anpu_front_finding("unreceived", text);
	}
}

void hccl_check_left(struct hccl_comm *c)
{
	if (!c->set.check || c->graphs || c->wire || atomic_load(&c->broken))
		return;
	atomic_store(&hccl_public_of(c, c->rank)->left, HCCL_LEAVING);
	for (uint32_t i = 0; i < c->ranks; i++) {
		if (i == c->rank || !atomic_load(&hccl_public_of(c, i)->left))
			continue;
		tell_unreceived(c, i, c->rank);
		tell_unreceived(c, c->rank, i);
	}
}

HcclResult hccl_pair_note_came(struct hccl_comm *c, uint32_t from, const struct hccl_pair_note *came)
{
	struct hccl_pair_note theirs = *came, mine;

	if (theirs.peer != c->rank || !theirs.number)
		return HCCL_SUCCESS;
	theirs.call[sizeof(theirs.call) - 1] = 0;
	theirs.site[sizeof(theirs.site) - 1] = 0;
	theirs.sends = theirs.sends != 0;
	write_down(next_place(c, from), &theirs);
	if (find(c, c->rank, &theirs, from, &mine) && differ(&mine, &theirs))
		return complain(c, &mine, from, &theirs);
	return HCCL_SUCCESS;
}
