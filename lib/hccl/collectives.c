// SPDX-License-Identifier: MIT
/*
 * The collectives that programs call.
 */
#include <stdlib.h>

#include "calls.h"

#define SITE __builtin_return_address(0)

/* Counts by rank come as void *, and arrays of them belong to the program */
static bool missing(const char *name, const void *array, HcclResult *ret)
{
	if (!array)
		*ret = hccl_fail(HCCL_E_PTR, "%s is NULL", name);
	return !array;
}

static HcclResult ranks_of(HcclComm comm, uint32_t *ranks, uint32_t *rank)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c = hccl_comm_get(comm, &ret);

	*ranks = 0;
	*rank = 0;
	if (!c)
		return ret;
	*ranks = c->ranks;
	*rank = c->rank;
	hccl_comm_put(c);
	return HCCL_SUCCESS;
}

/* Elements up to the end of the last part; UINT64_MAX if that is no number */
static uint64_t span(const uint64_t *counts, const uint64_t *at, uint32_t ranks)
{
	uint64_t most = 0, end;

	for (uint32_t i = 0; i < ranks; i++) {
		if (!counts[i])
			continue;
		if (__builtin_add_overflow(at[i], counts[i], &end))
			return UINT64_MAX;
		most = end > most ? end : most;
	}
	return most;
}

static uint64_t times(uint64_t count, uint32_t ranks)
{
	uint64_t all;

	return __builtin_mul_overflow(count, ranks, &all) ? UINT64_MAX : all;
}

static struct hccl_part *parts_of(struct hccl_run *r, const uint64_t *counts, const uint64_t *at, uint64_t count)
{
	struct hccl_part *parts = calloc(r->c->ranks, sizeof(*parts));

	if (!parts)
		r->ret = hccl_fail(HCCL_E_MEMORY, "no memory for a call of %u ranks", r->c->ranks);
	for (uint32_t i = 0; parts && i < r->c->ranks; i++) {
		parts[i].at = (counts ? at[i] : count * i) * r->elem;
		parts[i].bytes = (counts ? counts[i] : count) * r->elem;
	}
	return parts;
}

/* Reductions ------------------------------------------------------------------------------------ */

static void queue_allreduce(struct hccl_run *r, const struct args *a)
{
	uint64_t bytes = a->count * r->elem;

	if (r->c->ranks == 1) {
		link_copy(r, a->recv, a->send, bytes);
		return;
	}
	switch (hccl_algo_of(r, CALL_ALLREDUCE, bytes)) {
	case HCCL_ALGO_HD:
		link_copy(r, a->recv, a->send, bytes);
		if (a->count < r->c->ranks || bytes <= 4096)
			doubling_allreduce(r, a->recv, bytes);
		else
			halving_allreduce(r, a->recv, bytes);
		break;
	case HCCL_ALGO_TREE:
		/* in place, because ranks that are no root have a buffer for the result here, too */
		tree_reduce(r, a->send, r->c->rank ? NULL : a->recv, bytes, 0);
		tree_broadcast(r, a->recv, bytes, 0);
		break;
	case HCCL_ALGO_MESH:
		mesh_allreduce(r, a->send, a->recv, bytes);
		break;
	case HCCL_ALGO_MACHINES:
		machines_allreduce(r, a->send, a->recv, bytes);
		break;
	default:
		ring_allreduce(r, a->send, a->recv, bytes);
	}
}

HcclResult HcclAllReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op,
			 HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_ALLREDUCE, .queue = queue_allreduce, .send = sendBuf, .recv = recvBuf, .count = count,
			  .type = dataType, .op = op, .reduces = true, .root = UINT32_MAX, .send_span = count,
			  .recv_span = count };

	HCCL_ENTER();
	return hccl_call(&a, __func__, comm, stream, SITE);
}

static void queue_reduce(struct hccl_run *r, const struct args *a)
{
	uint64_t bytes = a->count * r->elem;

	if (r->c->ranks == 1)
		link_copy(r, a->recv, a->send, bytes);
	else if (hccl_algo_of(r, CALL_REDUCE, bytes) == HCCL_ALGO_RING)
		ring_reduce(r, a->send, a->recv, bytes, a->root);
	else
		tree_reduce(r, a->send, a->recv, bytes, a->root);
}

HcclResult HcclReduce(void *sendBuf, void *recvBuf, uint64_t count, HcclDataType dataType, HcclReduceOp op, uint32_t root,
		      HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_REDUCE, .queue = queue_reduce, .send = sendBuf, .recv = recvBuf, .count = count,
			  .type = dataType, .op = op, .reduces = true, .root = root, .send_span = count };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	/* nobody else gets a result */
	a.recv_span = rank == root ? count : 0;
	return hccl_call(&a, __func__, comm, stream, SITE);
}

static void queue_reducescatter(struct hccl_run *r, const struct args *a)
{
	struct hccl_part *parts = parts_of(r, a->send_counts, a->send_at, a->count);

	if (!parts)
		return;
	switch (r->c->ranks > 1 ? hccl_algo_of(r, CALL_REDUCESCATTER, 0) : HCCL_ALGO_AUTO) {
	case HCCL_ALGO_AUTO:
		link_copy(r, a->recv, a->send + parts[0].at, parts[0].bytes);
		break;
	case HCCL_ALGO_MESH:
		mesh_reducescatter(r, &r->c->all, a->send, parts, a->recv);
		break;
	case HCCL_ALGO_MACHINES:
		machines_reducescatter(r, a->send, parts, a->recv);
		break;
	default:
		ring_reducescatter(r, a->send, parts, a->recv);
	}
	free(parts);
}

HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
			     HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_REDUCESCATTER, .queue = queue_reducescatter, .send = sendBuf, .recv = recvBuf,
			  .count = recvCount, .type = dataType, .op = op, .reduces = true, .root = UINT32_MAX,
			  .recv_span = recvCount, .no_overlap = true };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	a.send_span = times(recvCount, ranks);
	return hccl_call(&a, __func__, comm, stream, SITE);
}

HcclResult HcclReduceScatterV(void *sendBuf, const void *sendCounts, const void *sendDispls, void *recvBuf,
			      uint64_t recvCount, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
			      aclrtStream stream)
{
	struct args a = { .call = CALL_REDUCESCATTER, .queue = queue_reducescatter, .send = sendBuf, .recv = recvBuf,
			  .count = recvCount, .type = dataType, .op = op, .reduces = true, .root = UINT32_MAX,
			  .recv_span = recvCount, .no_overlap = true, .send_counts = sendCounts, .send_at = sendDispls };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	if (missing("sendCounts", sendCounts, &ret) || missing("sendDispls", sendDispls, &ret))
		return ret;
	ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	if (recvCount != a.send_counts[rank])
		return hccl_fail(HCCL_E_PARA, "recvCount is %llu and sendCounts[%u], this rank's, %llu: they must be equal",
				 (unsigned long long)recvCount, rank, (unsigned long long)a.send_counts[rank]);
	a.send_span = span(a.send_counts, a.send_at, ranks);
	return hccl_call(&a, __func__, comm, stream, SITE);
}

/* Moving data ------------------------------------------------------------------------------------- */

static void queue_broadcast(struct hccl_run *r, const struct args *a)
{
	uint64_t bytes = a->count * r->elem;

	if (r->c->ranks == 1)
		return;
	if (hccl_algo_of(r, CALL_BROADCAST, bytes) == HCCL_ALGO_RING)
		ring_broadcast(r, a->send, bytes, a->root);
	else
		tree_broadcast(r, a->send, bytes, a->root);
}

HcclResult HcclBroadcast(void *buf, uint64_t count, HcclDataType dataType, uint32_t root, HcclComm comm,
			 aclrtStream stream)
{
	struct args a = { .call = CALL_BROADCAST, .queue = queue_broadcast, .send = buf, .count = count, .type = dataType,
			  .root = root, .send_span = count };

	HCCL_ENTER();
	return hccl_call(&a, __func__, comm, stream, SITE);
}

static void queue_allgather(struct hccl_run *r, const struct args *a)
{
	struct hccl_part *parts = parts_of(r, a->recv_counts, a->recv_at, a->count), *mine;

	if (!parts)
		return;
	mine = &parts[r->c->rank];
	link_copy(r, a->recv + mine->at, a->send, mine->bytes);
	switch (r->c->ranks > 1 ? hccl_algo_of(r, CALL_ALLGATHER, 0) : HCCL_ALGO_AUTO) {
	case HCCL_ALGO_AUTO:
		break;
	case HCCL_ALGO_MESH:
		mesh_allgather(r, &r->c->all, a->recv, parts);
		break;
	case HCCL_ALGO_MACHINES:
		machines_allgather(r, a->recv, parts);
		break;
	default:
		ring_allgather(r, a->recv, parts);
	}
	free(parts);
}

HcclResult HcclAllGather(void *sendBuf, void *recvBuf, uint64_t sendCount, HcclDataType dataType, HcclComm comm,
			 aclrtStream stream)
{
	struct args a = { .call = CALL_ALLGATHER, .queue = queue_allgather, .send = sendBuf, .recv = recvBuf,
			  .count = sendCount, .type = dataType, .root = UINT32_MAX, .send_span = sendCount,
			  .no_overlap = true };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	a.recv_span = times(sendCount, ranks);
	return hccl_call(&a, __func__, comm, stream, SITE);
}

HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount, void *recvBuf, const void *recvCounts,
			  const void *recvDispls, HcclDataType dataType, HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_ALLGATHER, .queue = queue_allgather, .send = sendBuf, .recv = recvBuf,
			  .count = sendCount, .type = dataType, .root = UINT32_MAX, .send_span = sendCount,
			  .no_overlap = true, .recv_counts = recvCounts, .recv_at = recvDispls };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	if (missing("recvCounts", recvCounts, &ret) || missing("recvDispls", recvDispls, &ret))
		return ret;
	ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	if (sendCount != a.recv_counts[rank])
		return hccl_fail(HCCL_E_PARA, "sendCount is %llu and recvCounts[%u], this rank's, %llu: they must be equal",
				 (unsigned long long)sendCount, rank, (unsigned long long)a.recv_counts[rank]);
	a.recv_span = span(a.recv_counts, a.recv_at, ranks);
	hccl_check_apart(comm, a.recv_counts, a.recv_at, ranks);
	return hccl_call(&a, __func__, comm, stream, SITE);
}

static void queue_scatter(struct hccl_run *r, const struct args *a)
{
	scatter(r, a->send, a->recv, a->count * r->elem, a->root);
}

HcclResult HcclScatter(void *sendBuf, void *recvBuf, uint64_t recvCount, HcclDataType dataType, uint32_t root,
		       HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_SCATTER, .queue = queue_scatter, .send = sendBuf, .recv = recvBuf, .count = recvCount,
			  .type = dataType, .root = root, .recv_span = recvCount, .no_overlap = true };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	a.send_span = rank == root ? times(recvCount, ranks) : 0;
	return hccl_call(&a, __func__, comm, stream, SITE);
}

/* Everybody to everybody ---------------------------------------------------------------------------- */

/* The piece that goes to rank @peer, or comes from it */
static struct hccl_piece piece_of(const struct hccl_run *r, const struct args *a, bool out, uint32_t peer)
{
	uint32_t n = r->c->ranks, me = r->c->rank;
	char *base = out ? a->send : a->recv;
	const uint64_t *counts = out ? a->send_counts : a->recv_counts, *at = out ? a->send_at : a->recv_at;
	uint64_t before = 0;

	if (counts)
		return (struct hccl_piece){ base + at[peer] * r->elem, counts[peer] * r->elem };
	if (!a->matrix)
		return (struct hccl_piece){ base + a->count * peer * r->elem, a->count * r->elem };
	for (uint32_t i = 0; i < peer; i++)
		before += out ? a->matrix[(uint64_t)me * n + i] : a->matrix[(uint64_t)i * n + me];
	return (struct hccl_piece){ base + before * r->elem,
				    (out ? a->matrix[(uint64_t)me * n + peer] : a->matrix[(uint64_t)peer * n + me]) *
				    r->elem };
}

static void queue_alltoall(struct hccl_run *r, const struct args *a)
{
	uint32_t n = r->c->ranks;
	struct hccl_piece *pieces = calloc(2 * n, sizeof(*pieces));
	struct hccl_piece **lists = calloc(2 * n, sizeof(*lists));
	uint32_t *ones = calloc(n, sizeof(*ones));

	if (pieces && lists && ones) {
		for (uint32_t i = 0; i < n; i++) {
			pieces[i] = piece_of(r, a, true, i);
			pieces[n + i] = piece_of(r, a, false, i);
			lists[i] = &pieces[i];
			lists[n + i] = &pieces[n + i];
			ones[i] = 1;
		}
		pairwise(r, lists, ones, lists + n, ones);
	} else {
		r->ret = hccl_fail(HCCL_E_MEMORY, "no memory for a call of %u ranks", n);
	}
	free(pieces);
	free(lists);
	free(ones);
}

/* The calls have a type for each direction, which are the same */
static HcclResult same_types(HcclDataType sends, HcclDataType recvs)
{
	return sends == recvs ? HCCL_SUCCESS :
		hccl_fail(HCCL_E_PARA, "sendType is %s and recvType %s, and both must be the same", hccl_type_name(sends),
			  hccl_type_name(recvs));
}

HcclResult HcclAlltoAll(const void *sendBuf, uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
			uint64_t recvCount, HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_ALLTOALL, .queue = queue_alltoall, .send = (char *)(uintptr_t)sendBuf,
			  .recv = (char *)(uintptr_t)recvBuf, .count = sendCount, .type = sendType, .root = UINT32_MAX,
			  .no_overlap = true };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	ret = same_types(sendType, recvType);
	if (!ret)
		ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	if (sendCount != recvCount)
		return hccl_fail(HCCL_E_PARA, "sendCount is %llu and recvCount %llu, and both must be the same",
				 (unsigned long long)sendCount, (unsigned long long)recvCount);
	a.send_span = times(sendCount, ranks);
	a.recv_span = a.send_span;
	return hccl_call(&a, __func__, comm, stream, SITE);
}

HcclResult HcclAlltoAllV(const void *sendBuf, const void *sendCounts, const void *sdispls, HcclDataType sendType,
			 const void *recvBuf, const void *recvCounts, const void *rdispls, HcclDataType recvType,
			 HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_ALLTOALL, .queue = queue_alltoall, .send = (char *)(uintptr_t)sendBuf,
			  .recv = (char *)(uintptr_t)recvBuf, .type = sendType, .root = UINT32_MAX, .no_overlap = true,
			  .send_counts = sendCounts, .send_at = sdispls, .recv_counts = recvCounts, .recv_at = rdispls };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	if (missing("sendCounts", sendCounts, &ret) || missing("sdispls", sdispls, &ret) ||
	    missing("recvCounts", recvCounts, &ret) || missing("rdispls", rdispls, &ret))
		return ret;
	ret = same_types(sendType, recvType);
	if (!ret)
		ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	if (a.send_counts[rank] != a.recv_counts[rank])
		return hccl_fail(HCCL_E_PARA, "sendCounts[%u] is %llu and recvCounts[%u] %llu: what a rank sends to itself, it "
				 "receives", rank, (unsigned long long)a.send_counts[rank], rank,
				 (unsigned long long)a.recv_counts[rank]);
	a.send_span = span(a.send_counts, a.send_at, ranks);
	a.recv_span = span(a.recv_counts, a.recv_at, ranks);
	hccl_check_apart(comm, a.recv_counts, a.recv_at, ranks);
	return hccl_call(&a, __func__, comm, stream, SITE);
}

HcclResult HcclAlltoAllVC(const void *sendBuf, const void *sendCountMatrix, HcclDataType sendType, const void *recvBuf,
			  HcclDataType recvType, HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_ALLTOALL, .queue = queue_alltoall, .send = (char *)(uintptr_t)sendBuf,
			  .recv = (char *)(uintptr_t)recvBuf, .type = sendType, .root = UINT32_MAX, .no_overlap = true,
			  .matrix = sendCountMatrix };
	uint32_t ranks, rank;
	HcclResult ret;

	HCCL_ENTER();
	if (missing("sendCountMatrix", sendCountMatrix, &ret))
		return ret;
	ret = same_types(sendType, recvType);
	if (!ret)
		ret = ranks_of(comm, &ranks, &rank);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < ranks; i++) {
		if (__builtin_add_overflow(a.send_span, a.matrix[(uint64_t)rank * ranks + i], &a.send_span))
			a.send_span = UINT64_MAX;
		if (__builtin_add_overflow(a.recv_span, a.matrix[(uint64_t)i * ranks + rank], &a.recv_span))
			a.recv_span = UINT64_MAX;
	}
	return hccl_call(&a, __func__, comm, stream, SITE);
}

static void queue_barrier(struct hccl_run *r, const struct args *a)
{
	(void)a;
	tree_barrier(r);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
	struct args a = { .call = CALL_BARRIER, .queue = queue_barrier, .root = UINT32_MAX };

	HCCL_ENTER();
	return hccl_call(&a, __func__, comm, stream, SITE);
}
