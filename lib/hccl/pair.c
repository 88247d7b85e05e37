// SPDX-License-Identifier: MIT
/*
 * Sends and receives between two ranks.
 */
#include <stdio.h>
#include <stdlib.h>

#include "calls.h"

#define SITE __builtin_return_address(0)

/* Pieces by rank, from the items in their order */
struct lists {
	struct hccl_piece *pieces;  /* of all items */
	struct hccl_piece **tx, **rx; /* by rank, into pieces */
	uint32_t *ntx, *nrx;
};

static void free_lists(struct lists *l)
{
	free(l->pieces);
	free(l->tx);
	free(l->ntx);
}

static bool make_lists(struct lists *l, uint32_t ranks, uint32_t items)
{
	l->pieces = calloc(items, sizeof(*l->pieces));
	l->tx = calloc(2 * (size_t)ranks, sizeof(*l->tx));
	l->ntx = calloc(2 * (size_t)ranks, sizeof(*l->ntx));
	if (!l->pieces || !l->tx || !l->ntx) {
		free_lists(l);
		return false;
	}
	l->rx = l->tx + ranks;
	l->nrx = l->ntx + ranks;
	return true;
}

static void sort(struct lists *l, uint32_t ranks, const HcclSendRecvItem *items, uint32_t n)
{
	struct hccl_piece *at = l->pieces;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		for (int type = HCCL_SEND; type <= HCCL_RECV; type++) {
			struct hccl_piece *first = at;

			for (uint32_t i = 0; i < n; i++)
				if (items[i].remoteRank == rank && items[i].sendRecvType == (HcclSendRecvType)type)
					*at++ = (struct hccl_piece){ items[i].buf,
								     items[i].count * hccl_type_size(items[i].dataType) };
			(type == HCCL_SEND ? l->tx : l->rx)[rank] = first;
			(type == HCCL_SEND ? l->ntx : l->nrx)[rank] = (uint32_t)(at - first);
		}
	}
}

/* Nobody else would receive what a rank sends to itself */
static bool matches_itself(const struct lists *l, uint32_t rank)
{
	if (l->ntx[rank] != l->nrx[rank])
		return false;
	for (uint32_t i = 0; i < l->ntx[rank]; i++)
		if (l->tx[rank][i].bytes != l->rx[rank][i].bytes)
			return false;
	return true;
}

static void queue_items(struct hccl_run *r, const struct args *a)
{
	struct lists l;

	if (!make_lists(&l, r->c->ranks, a->n_items)) {
		r->ret = hccl_fail(HCCL_E_MEMORY, "no memory for %u items", a->n_items);
		return;
	}
	sort(&l, r->c->ranks, a->items, a->n_items);
	pairwise(r, l.tx, l.ntx, l.rx, l.nrx);
	free_lists(&l);
}

static HcclResult check_item(const HcclSendRecvItem *item, uint32_t i, uint32_t ranks)
{
	uint32_t size = hccl_type_size(item->dataType);
	char name[32];

	if ((unsigned int)item->sendRecvType > HCCL_RECV)
		return hccl_fail(HCCL_E_PARA, "item %u has sendRecvType %d, which is neither HCCL_SEND nor HCCL_RECV", i,
				 (int)item->sendRecvType);
	if (!size)
		return hccl_fail(HCCL_E_PARA, "item %u has dataType %d, which is none of HCCL_DATA_TYPE_*", i,
				 (int)item->dataType);
	if (item->remoteRank >= ranks)
		return hccl_fail(HCCL_E_PARA, "item %u is for rank %u and the communicator has %u ranks", i, item->remoteRank,
				 ranks);
	if (item->count > (UINT64_MAX >> 2) / size)
		return hccl_fail(HCCL_E_PARA, "item %u has %llu elements, which no memory has", i,
				 (unsigned long long)item->count);
	if (!item->count)
		return HCCL_SUCCESS;
	snprintf(name, sizeof(name), "the buffer of item %u", i);
	return item->buf ? hccl_check_place(name, item->buf, item->count * size) : hccl_fail(HCCL_E_PTR, "%s is NULL", name);
}

static HcclResult check_items(const struct hccl_comm *c, const HcclSendRecvItem *items, uint32_t n)
{
	HcclResult ret = HCCL_SUCCESS;
	struct lists l;

	for (uint32_t i = 0; i < n && !ret; i++)
		ret = check_item(&items[i], i, c->ranks);
	if (ret)
		return ret;
	if (!make_lists(&l, c->ranks, n))
		return hccl_fail(HCCL_E_MEMORY, "no memory for %u items", n);
	sort(&l, c->ranks, items, n);
	if (!matches_itself(&l, c->rank))
		ret = hccl_fail(HCCL_E_PARA, "rank %u sends itself something else than it receives from itself in the same "
				"call: it would wait for ever", c->rank);
	free_lists(&l);
	return ret;
}

HcclResult hccl_batch(const HcclSendRecvItem *items, uint32_t n, const char *api, HcclComm comm, aclrtStream stream,
		      const void *site)
{
	struct args a = { .call = CALL_PAIR, .queue = queue_items, .items = items, .n_items = n, .root = UINT32_MAX };
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c = hccl_comm_get(comm, &ret);

	if (!c)
		return ret;
	ret = check_items(c, items, n);
	hccl_comm_put(c);
	return ret ? ret : hccl_call_now(&a, api, comm, stream, site);
}

/* In a group: together with the others of it */
static HcclResult put_off(const HcclSendRecvItem *items, uint32_t n, const char *api, HcclComm comm, aclrtStream stream,
			  const void *site)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c = hccl_comm_get(comm, &ret);
	uint32_t ranks;

	if (!c)
		return ret;
	ranks = c->ranks;
	hccl_comm_put(c);
	if (!stream)
		return hccl_fail(HCCL_E_PTR, "stream is NULL");
	for (uint32_t i = 0; i < n && !ret; i++) {
		struct hccl_later *l = calloc(1, sizeof(*l));

		ret = l ? check_item(&items[i], i, ranks) : hccl_fail(HCCL_E_MEMORY, "no memory for a call in a group");
		if (ret) {
			free(l);
			return ret;
		}
		l->pair = true;
		l->item = items[i];
		l->comm = comm;
		l->stream = stream;
		l->site = site;
		for (unsigned int k = 0; api[k] && k + 1 < sizeof(l->api); k++)
			l->api[k] = api[k];
		ret = hccl_put_off(l);
	}
	return ret;
}

static HcclResult one(HcclSendRecvType type, void *buf, uint64_t count, HcclDataType dataType, uint32_t rank,
		      const char *api, HcclComm comm, aclrtStream stream, const void *site)
{
	HcclSendRecvItem item = { type, buf, count, dataType, rank };

	return hccl_grouped() ? put_off(&item, 1, api, comm, stream, site) : hccl_batch(&item, 1, api, comm, stream, site);
}

HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType, uint32_t destRank, HcclComm comm,
		    aclrtStream stream)
{
	HCCL_ENTER();
	return one(HCCL_SEND, sendBuf, count, dataType, destRank, __func__, comm, stream, SITE);
}

HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType, uint32_t srcRank, HcclComm comm,
		    aclrtStream stream)
{
	HCCL_ENTER();
	return one(HCCL_RECV, recvBuf, count, dataType, srcRank, __func__, comm, stream, SITE);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum, HcclComm comm, aclrtStream stream)
{
	HCCL_ENTER();
	if (!sendRecvInfo)
		return hccl_fail(HCCL_E_PTR, "sendRecvInfo is NULL");
	if (!itemNum)
		return hccl_fail(HCCL_E_PARA, "itemNum is 0 and must be at least 1");
	return hccl_grouped() ? put_off(sendRecvInfo, itemNum, __func__, comm, stream, SITE) :
		hccl_batch(sendRecvInfo, itemNum, __func__, comm, stream, SITE);
}
