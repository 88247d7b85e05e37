// SPDX-License-Identifier: MIT
/*
 * Calls, as ranks see them of each other. Each rank's program counts its collectives in shared memory; in the
 * checking mode (ANPU_CHECK=1) it also notes what it calls, and compares that with the notes of those who were there
 * before it. Whoever comes second tells both sides.
 */
#include <stdio.h>
#include <string.h>

#include "core/front.h"
#include "hccl_inside.h"

uint64_t hccl_mix(uint64_t seed, const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		seed = (seed ^ values[i]) * 0x9e3779b97f4a7c15 + 0x7f4a7c15;
	return seed;
}

#define SITES 64

/* Finding a source line takes much longer than a call, and programs call from few places */
void hccl_name_site(const void *site, char *buf, size_t size)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct {
		const void *site;
		char text[96];
	} known[SITES];
	unsigned int i = (unsigned int)((uintptr_t)site >> 2) % SITES;

	pthread_mutex_lock(&lock);
	if (known[i].site != site) {
		char text[640];

		anpu_front_place(site, text, sizeof(text));
		snprintf(known[i].text, sizeof(known[i].text), "%.95s", text);
		if (!*text)
			snprintf(known[i].text, sizeof(known[i].text), "%p", site);
		known[i].site = site;
	}
	snprintf(buf, size, "%s", known[i].text);
	pthread_mutex_unlock(&lock);
}

static void describe(const struct hccl_note *n, char *buf, size_t size)
{
	static const char *const ops[] = { "sum", "prod", "max", "min" };
	char root[24] = "";

	if (n->root != UINT32_MAX)
		snprintf(root, sizeof(root), ", root %u", n->root);
	snprintf(buf, size, "%s(%llu %s%s%s) at %.95s", n->call, (unsigned long long)n->count,
		 hccl_type_name((HcclDataType)n->type), n->op < ARRAY_SIZE(ops) ? " " : "",
		 n->op < ARRAY_SIZE(ops) ? ops[n->op] : "", n->site);
	if (*root && size > strlen(buf) + strlen(root))
		strcat(buf, root);
}

/*
 * Runs of recorded calls have no numbers, and a rank may run a graph where another one calls: numbers mean the same call
 * while both have recorded as many.
 */
static bool differ(const struct hccl_note *a, const struct hccl_note *b)
{
	if (a->recorded != b->recorded)
		return false;
	return strcmp(a->call, b->call) || a->count != b->count || a->more != b->more || a->type != b->type ||
	       a->op != b->op || a->root != b->root;
}

HcclResult hccl_check_failed(struct hccl_comm *c, const char *text)
{
	hccl_comm_break(c, HCCL_E_PARA, text);
	hccl_meet_tell(c->meeting, text);
	return hccl_fail(HCCL_E_PARA, "%s", text);
}

static HcclResult complain(struct hccl_comm *c, uint64_t number, uint32_t other, const struct hccl_note *mine,
			   const struct hccl_note *theirs)
{
	char here[192], there[192], text[HCCL_TEXT];

	describe(mine, here, sizeof(here));
	describe(theirs, there, sizeof(there));
	snprintf(text, sizeof(text), "collective %llu: rank %u calls %.140s, rank %u %.140s: all must call the same%s",
		 (unsigned long long)number, c->rank, here, other, there,
		 strcmp(mine->call, theirs->call) || mine->more == theirs->more ? "" : ", with the same counts");
	return hccl_check_failed(c, text);
}

static HcclResult compare(struct hccl_comm *c, uint64_t number, const struct hccl_note *mine)
{
	for (uint32_t i = 0; i < c->ranks; i++) {
		struct hccl_note *n = &hccl_public_of(c, i)->notes[number % HCCL_NOTES], copy;

		if (i == c->rank || atomic_load(&n->number) != number)
			continue;
		memcpy(&copy, n, sizeof(copy));
		copy.call[sizeof(copy.call) - 1] = 0;
		copy.site[sizeof(copy.site) - 1] = 0;
		/* it may have gone on and used the place again */
		if (atomic_load(&n->number) == number && differ(mine, &copy))
			return complain(c, number, i, mine, &copy);
	}
	return HCCL_SUCCESS;
}

HcclResult hccl_check(struct hccl_comm *c, const struct hccl_what *w)
{
	struct hccl_public *me = hccl_public_of(c, c->rank);
	uint64_t number = atomic_load(&me->called) + 1;
	struct hccl_note *n = &me->notes[number % HCCL_NOTES];

	snprintf(me->call, sizeof(me->call), "%s", w->call);
	atomic_store(&me->called, number);
	if (!c->set.check)
		return HCCL_SUCCESS;
	atomic_store(&n->number, 0);
	n->count = w->count;
	n->more = w->more;
	n->type = w->type;
	n->op = w->op;
	n->root = w->root;
	c->recorded += w->recorded;
	n->recorded = c->recorded;
	snprintf(n->call, sizeof(n->call), "%s", w->call);
	hccl_name_site(w->site, n->site, sizeof(n->site));
	/* the one of two who comes second sees the other's */
	atomic_store(&n->number, number);
	if (c->wire)
		hccl_wire_note_all(c, n);
	return compare(c, number, n);
}

HcclResult hccl_note_came(struct hccl_comm *c, uint32_t from, const struct hccl_note *came)
{
	uint64_t number = atomic_load(&came->number);
	struct hccl_note *n = &hccl_public_of(c, from)->notes[number % HCCL_NOTES];
	struct hccl_note *mine = &hccl_public_of(c, c->rank)->notes[number % HCCL_NOTES], copy;

	/* the number comes last: this rank's own calls compare with it from then on */
	atomic_store(&n->number, 0);
	memcpy((char *)n + sizeof(n->number), (const char *)came + sizeof(n->number), sizeof(*n) - sizeof(n->number));
	n->call[sizeof(n->call) - 1] = 0;
	n->site[sizeof(n->site) - 1] = 0;
	atomic_store(&n->number, number);
	memcpy(&copy, mine, sizeof(copy));
	if (!number || atomic_load(&mine->number) != number || !differ(&copy, n))
		return HCCL_SUCCESS;
	return complain(c, number, from, &copy, n);
}

void hccl_check_apart(HcclComm comm, const uint64_t *counts, const uint64_t *at, uint32_t ranks)
{
	HcclResult ret;
	struct hccl_comm *c = hccl_comm_get(comm, &ret);
	char text[HCCL_TEXT];

	for (uint32_t i = 1; c && c->set.check && i < ranks; i++)
		for (uint32_t k = 0; k < i; k++) {
			if (!counts[i] || !counts[k] || at[i] >= at[k] + counts[k] || at[k] >= at[i] + counts[i])
				continue;
			snprintf(text, sizeof(text),
				 "recvBuf gets %llu elements of rank %u at element %llu and %llu of rank %u at %llu: these overlap, look at the "
				 "displacements", (unsigned long long)counts[k], k, (unsigned long long)at[k], (unsigned long long)counts[i],
				 i, (unsigned long long)at[i]);
			anpu_front_finding("overlap", text);
			i = ranks;
			break;
		}
	if (c)
		hccl_comm_put(c);
}
