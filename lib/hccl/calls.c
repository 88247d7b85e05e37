// SPDX-License-Identifier: MIT
/*
 * From a call of the program to tasks of its stream.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "core/front.h"

/* Arguments ------------------------------------------------------------------------------------- */

static HcclResult check_type(const struct args *a)
{
	if (!hccl_type_size(a->type))
		return hccl_fail(HCCL_E_PARA, "dataType is %d, which is none of HCCL_DATA_TYPE_*", (int)a->type);
	if (!a->reduces)
		return HCCL_SUCCESS;
	if ((unsigned int)a->op > HCCL_REDUCE_MIN)
		return hccl_fail(HCCL_E_PARA, "op is %d and must be HCCL_REDUCE_SUM, _PROD, _MAX or _MIN (0 to 3)",
				 (int)a->op);
	if (!hccl_can_reduce(a->type))
		return hccl_fail(HCCL_E_NOT_SUPPORT, "data of type %s are moved and not reduced: convert them before",
				 hccl_type_name(a->type));
	return HCCL_SUCCESS;
}

/* Copies would take memory of malloc(), too, but hardware does not, and documents of the API do not allow it */
HcclResult hccl_check_place(const char *name, const void *at, uint64_t bytes)
{
	aclrtPtrAttributes where;
	uint64_t left;
	size_t size = 0;
	void *base;
	aclError err = aclrtPointerGetAttributes(at, &where);

	if (err)
		return hccl_fail_acl(err, "aclrtPointerGetAttributes()");
	if (where.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED)
		return hccl_fail(HCCL_E_PARA,
				 "%s is %p, memory of the host that devices do not reach: pass memory of aclrtMalloc()", name, at);
	err = aclrtMemGetAddressRange((void *)at, &base, &size);
	if (err)
		return hccl_fail_acl(err, "aclrtMemGetAddressRange()");
	left = size - (uint64_t)((const char *)at - (const char *)base);
	if (bytes <= left)
		return HCCL_SUCCESS;
	return hccl_fail(HCCL_E_PARA, "%s is %p with %llu bytes, and the allocation there, of %zu bytes at %p, has %llu from that "
			 "address on", name, at, (unsigned long long)bytes, size, base, (unsigned long long)left);
}

HcclResult hccl_check_device(const struct hccl_comm *c)
{
	int32_t device = -1;

	if (!aclrtGetDevice(&device) && device == c->device)
		return HCCL_SUCCESS;
	return hccl_fail(HCCL_E_PARA, "rank %u has device %d, and the thread's is %d: call aclrtSetDevice(%d) before", c->rank,
			 c->device, device, c->device);
}

static HcclResult check_buffer(const struct args *a, const char *name, const char *at, uint64_t elements)
{
	uint32_t size = hccl_type_size(a->type);

	if (!elements)
		return HCCL_SUCCESS;
	if (!at)
		return hccl_fail(HCCL_E_PTR, "%s is NULL", name);
	if (elements > (UINT64_MAX >> 2) / size)
		return hccl_fail(HCCL_E_PARA, "%s would have %llu elements of %u bytes, which no memory has", name,
				 (unsigned long long)elements, size);
	if (a->reduces && (uintptr_t)at % size)
		return hccl_fail(HCCL_E_PARA, "%s is %p and must be a multiple of the type's %u bytes", name, at, size);
	return hccl_check_place(name, at, elements * size);
}

/* The whole buffers may be the same where the call allows it, or one may be this rank's part of the other */
static HcclResult check_overlap(const struct hccl_comm *c, const struct args *a)
{
	uint64_t size = hccl_type_size(a->type), sends = a->send_span * size, recvs = a->recv_span * size;
	uint64_t part = a->count * size * c->rank;

	if (!sends || !recvs || a->send >= a->recv + recvs || a->recv >= a->send + sends)
		return HCCL_SUCCESS;
	if (!a->no_overlap && a->send == a->recv)
		return HCCL_SUCCESS;
	if (a->call == CALL_ALLGATHER && !a->recv_at && a->send == a->recv + part)
		return HCCL_SUCCESS;
	if (a->call == CALL_ALLGATHER && a->recv_at && a->send == a->recv + a->recv_at[c->rank] * size)
		return HCCL_SUCCESS;
	if (a->call == CALL_REDUCESCATTER && !a->send_at && a->recv == a->send + part)
		return HCCL_SUCCESS;
	if (a->call == CALL_REDUCESCATTER && a->send_at && a->recv == a->send + a->send_at[c->rank] * size)
		return HCCL_SUCCESS;
	if (a->call == CALL_SCATTER && a->recv == a->send + part)
		return HCCL_SUCCESS;
	return hccl_fail(HCCL_E_PARA, "sendBuf %p with %llu bytes and recvBuf %p with %llu bytes overlap", (void *)a->send,
			 (unsigned long long)sends, (void *)a->recv, (unsigned long long)recvs);
}

static HcclResult check(const struct hccl_comm *c, const struct args *a)
{
	HcclResult ret = check_type(a);

	if (!ret && a->root != UINT32_MAX && a->root >= c->ranks)
		ret = hccl_fail(HCCL_E_PARA, "root is %u and the communicator has %u ranks", a->root, c->ranks);
	if (!ret)
		ret = check_buffer(a, a->call == CALL_BROADCAST ? "buf" : "sendBuf", a->send, a->send_span);
	if (!ret)
		ret = check_buffer(a, "recvBuf", a->recv, a->recv_span);
	return ret ? ret : check_overlap(c, a);
}

/* Queueing -------------------------------------------------------------------------------------- */

/* Tasks of the stream go into a graph, and events of the outside have no meaning there */
static bool recorded(aclrtStream stream)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	uint32_t flags = 0;

	if (!aclrtStreamGetFlags(stream, &flags) && flags & ACL_STREAM_PERSISTENT)
		return true;
	return !aclmdlRICaptureGetInfo(stream, &status, NULL) && status != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
}

/* Collectives of one communicator use the same slots: one in another stream comes behind those before */
static HcclResult order(struct hccl_comm *c, aclrtStream stream)
{
	aclError err = ACL_SUCCESS;

	if (c->stream && c->stream != stream)
		err = aclrtStreamWaitEvent(stream, c->done);
	return err ? hccl_fail_acl(err, "aclrtStreamWaitEvent()") : HCCL_SUCCESS;
}

/* Messages to and from each rank, of calls in which ranks only know their own part of that */
static HcclResult compare_pairs(struct hccl_comm *c, const struct args *a)
{
	struct hccl_pair_what w = { .call = a->l.api, .site = a->l.site, .type = a->type };
	HcclResult ret = HCCL_SUCCESS;

	for (uint32_t i = 0; i < a->n_items && !ret; i++) {
		w.sends = a->items[i].sendRecvType == HCCL_SEND;
		w.peer = a->items[i].remoteRank;
		w.type = a->items[i].dataType;
		w.count = a->items[i].count;
		ret = hccl_check_pair(c, &w);
	}
	for (uint32_t i = 0; a->call == CALL_ALLTOALL && a->send_counts && i < 2 * c->ranks && !ret; i++) {
		w.peer = i / 2;
		w.sends = !(i % 2);
		w.count = (w.sends ? a->send_counts : a->recv_counts)[w.peer];
		ret = hccl_check_pair(c, &w);
	}
	return ret;
}

/* Arguments that all ranks must have in common; sizes that belong to one rank alone are left out */
static HcclResult compare(struct hccl_comm *c, const struct args *a, bool graph)
{
	struct hccl_what w = { .call = a->l.api, .count = a->count, .type = a->type, .root = a->root, .site = a->l.site,
			       .op = a->reduces ? a->op : UINT32_MAX, .recorded = graph };

	HcclResult ret;

	if (a->call == CALL_PAIR)
		return compare_pairs(c, a);
	if (a->call == CALL_REDUCESCATTER && a->send_counts) {
		w.count = 0;
		w.more = hccl_mix(1, a->send_counts, c->ranks);
	} else if (a->call == CALL_ALLGATHER && a->recv_counts) {
		w.count = 0;
		w.more = hccl_mix(1, a->recv_counts, c->ranks);
	} else if (a->matrix) {
		w.count = 0;
		w.more = hccl_mix(1, a->matrix, (size_t)c->ranks * c->ranks);
	} else if (a->call == CALL_ALLTOALL && a->send_counts) {
		w.count = 0;
	}
	ret = hccl_check(c, &w);
	return ret ? ret : compare_pairs(c, a);
}

/* For the checking mode: what the program must not touch before it has synchronised the stream */
static void tell_buffers(const struct hccl_comm *c, const struct args *a, uint32_t elem)
{
	char what[sizeof(a->l.api) + 2];

	snprintf(what, sizeof(what), "%s()", a->l.api);
	for (uint32_t i = 0; i < a->n_items; i++)
		anpu_front_used(a->l.stream, what, a->items[i].buf, a->items[i].count * hccl_type_size(a->items[i].dataType),
				a->items[i].sendRecvType == HCCL_RECV);
	anpu_front_used(a->l.stream, what, a->send, a->send_span * elem, a->call == CALL_BROADCAST && a->root != c->rank);
	anpu_front_used(a->l.stream, what, a->recv, a->recv_span * elem, true);
}

/* The same for gaps that nothing has written in what is reduced; displacements may leave some */
static void look_at_source(const struct args *a, uint32_t elem)
{
	char what[sizeof(a->l.api) + 2];

	if (!a->reduces || a->send_counts)
		return;
	snprintf(what, sizeof(what), "%s()", a->l.api);
	anpu_front_reads(a->l.stream, what, a->send, a->send_span * elem);
}

/*
 * The device is told of the tasks together: a worker that was woken for each would take the processor from this thread each time.
 * The communicator's next call comes behind them in whatever stream, but for graphs
 */
static HcclResult queue_tasks(struct hccl_run *r, const struct args *a, bool graph)
{
	struct hccl_comm *c = r->c;
	aclError err = ACL_SUCCESS;

	memset(c->tx, 0, c->ranks * sizeof(*c->tx));
	memset(c->rx, 0, c->ranks * sizeof(*c->rx));
	if (!graph)
		look_at_source(a, r->elem);
	anpu_front_gather(true);
	link_begin(r);
	a->queue(r, a);
	link_end(r);
	if (!r->ret && !graph) {
		tell_buffers(c, a, r->elem);
		err = aclrtRecordEvent(c->done, r->stream);
		c->stream = r->stream;
	}
	anpu_front_gather(false);
	return err ? hccl_fail_acl(err, "aclrtRecordEvent()") : HCCL_SUCCESS;
}

/* @half: some tasks of a call that failed are in its stream */
static HcclResult queue_locked(struct hccl_comm *c, const struct args *a, bool *half)
{
	struct hccl_run r = { .c = c, .stream = a->l.stream, .type = a->type, .op = a->op,
			      .elem = hccl_type_size(a->type) };
	bool graph = recorded(r.stream);
	HcclResult ret = hccl_comm_stopped(c), done;

	if (!ret)
		ret = compare(c, a, graph);
	if (!ret && !graph)
		ret = order(c, r.stream);
	if (ret)
		return ret;
	c->graphs = c->graphs || graph;
	done = queue_tasks(&r, a, graph);
	ret = hccl_comm_stopped(c);
	if (ret)
		return ret;
	if (!r.ret)
		return done;
	/* other ranks wait for tasks that are not there */
	*half = true;
	hccl_comm_break(c, r.ret, hccl_last_text());
	hccl_meet_tell(c->meeting, hccl_last_text());
	return r.ret;
}

static HcclResult do_call(struct hccl_later *l)
{
	const struct args *a = (void *)l;
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;
	bool half = false;

	c = hccl_comm_get(l->comm, &ret);
	if (!c)
		return ret;
	ret = check(c, a);
	if (!ret)
		ret = hccl_check_device(c);
	if (!ret) {
		pthread_mutex_lock(&c->lock);
		ret = queue_locked(c, a, &half);
		pthread_mutex_unlock(&c->lock);
	}
	if (half)
		hccl_watch_abort(c);
	hccl_comm_put(c);
	return ret;
}

/* In a group the arrays may be gone when the group ends */
static HcclResult keep_arrays(struct args *a, uint32_t ranks)
{
	const uint64_t **arrays[] = { &a->send_counts, &a->send_at, &a->recv_counts, &a->recv_at };
	size_t n = ranks;
	uint64_t *at;

	a->kept = calloc(4 * n + n * n, sizeof(*a->kept));
	if (!a->kept)
		return hccl_fail(HCCL_E_MEMORY, "no memory for a call in a group");
	at = a->kept;
	for (unsigned int i = 0; i < ARRAY_SIZE(arrays); i++, at += n) {
		if (!*arrays[i])
			continue;
		memcpy(at, *arrays[i], n * sizeof(*at));
		*arrays[i] = at;
	}
	if (a->matrix)
		a->matrix = memcpy(at, a->matrix, n * n * sizeof(*at));
	return HCCL_SUCCESS;
}

HcclResult hccl_call_now(struct args *a, const char *api, HcclComm comm, aclrtStream stream, const void *site)
{
	a->l.comm = comm;
	a->l.stream = stream;
	a->l.site = site;
	snprintf(a->l.api, sizeof(a->l.api), "%s", api);
	return stream ? do_call(&a->l) : hccl_fail(HCCL_E_PTR, "stream is NULL");
}

static HcclResult put_off(const struct args *a, uint32_t ranks)
{
	struct args *copy = malloc(sizeof(*copy));
	HcclResult ret;

	if (!copy)
		return hccl_fail(HCCL_E_MEMORY, "no memory for a call in a group");
	*copy = *a;
	ret = keep_arrays(copy, ranks);
	if (ret) {
		free(copy);
		return ret;
	}
	copy->l.kept = copy->kept;
	return hccl_put_off(&copy->l);
}

HcclResult hccl_call(struct args *a, const char *api, HcclComm comm, aclrtStream stream, const void *site)
{
	struct hccl_comm *c;
	HcclResult ret = HCCL_SUCCESS;
	uint32_t ranks;

	a->l.run = do_call;
	a->l.comm = comm;
	a->l.stream = stream;
	a->l.site = site;
	snprintf(a->l.api, sizeof(a->l.api), "%s", api);
	if (!stream)
		return hccl_fail(HCCL_E_PTR, "stream is NULL");
	if (!hccl_grouped())
		return do_call(&a->l);
	/* what is wrong with the arguments is said at once, and where it is */
	c = hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	ranks = c->ranks;
	ret = check(c, a);
	hccl_comm_put(c);
	return ret ? ret : put_off(a, ranks);
}
