// SPDX-License-Identifier: MIT
/* Recording streams: begin, end, and what programs ask and change meanwhile. */
#include <stdlib.h>

#include "cuda/memory/memory.h"
#include "cuda/stream/stream.h"
#include "cuda/graph/graph.h"

bool cu_is_recorded(aclrtStream stream)
{
	aclmdlRICaptureStatus is = ACL_MODEL_RI_CAPTURE_STATUS_NONE;

	return !aclmdlRICaptureGetInfo(stream, &is, NULL) && is != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
}

CUresult cu_check_recorded(const struct cu_graph *g, const char *what)
{
	if (!g->recording)
		return CUDA_SUCCESS;
	return cu_fail(CUDA_ERROR_INVALID_VALUE,
		       "the graph is being recorded, and cannot be %s: call cuStreamEndCapture() first", what);
}

bool cu_copy_wants_node(CUstream hStream, const void *dst, const void *src)
{
	aclrtStream stream;

	return !cu_stream_look(hStream, &stream, NULL) && cu_is_recorded(stream) &&
	       (cu_is_place(dst, ACL_MEM_LOCATION_TYPE_UNREGISTERED) || cu_is_place(src, ACL_MEM_LOCATION_TYPE_UNREGISTERED));
}

CUresult cu_recorded(CUstream hStream, struct cu_recorded *out)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUresult ret;

	*out = (struct cu_recorded){ 0 };
	ret = cuStreamGetCaptureInfo(hStream, &status, NULL, &out->graph, &out->ends, &out->n);
	if (!ret && status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
		ret = cu_fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the recording is void: call cuStreamEndCapture()");
	return ret;
}

CUresult cu_record_copy(CUstream hStream, const CUDA_MEMCPY3D *c)
{
	CUgraphNode node = NULL;
	struct cu_recorded r;
	CUresult ret = cu_recorded(hStream, &r);

	if (!ret)
		ret = cuGraphAddMemcpyNode(&node, r.graph, r.ends, r.n, c, CU_PTR(anpu_front_context()));
	return ret ? ret : cuStreamUpdateCaptureDependencies(hStream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

void cu_told_end(struct cu_graph *g)
{
	struct cu_told *t;

	while ((t = g->told)) {
		g->told = t->next;
		free(t->nodes);
		free(t->data);
		free(t);
	}
}

static CUresult check_mode(CUstreamCaptureMode mode)
{
	if ((unsigned int)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "mode is %d and must be 0 to 2", (int)mode);
	return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream hStream, CUstreamCaptureMode mode)
{
	aclrtStream stream;
	CUresult ret;
	aclError err;

	CU_ENTER();
	ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret)
		ret = check_mode(mode);
	if (ret)
		return ret;
	/* both APIs have the same numbers for modes */
	err = aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)mode);
	return err == ACL_ERROR_RT_STREAM_CAPTURED ? CUDA_ERROR_ILLEGAL_STATE : cu_code(err);
}

/* Records into a graph, behind nodes of it */
static CUresult begin_into(aclrtStream stream, struct cu_graph *g, const CUgraphNode *dependencies, size_t n,
			   CUstreamCaptureMode mode)
{
	CUresult ret = cu_check_recorded(g, "recorded into by another stream");
	aclError err;

	if (!ret && g->inside && !g->outer)
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			      "the graph belongs to a node of another one: record into a graph of its own, and add that");
	if (!ret)
		ret = cu_check_dependencies(g, dependencies, n);
	if (!ret)
		ret = cu_graph_sort(g);
	if (ret)
		return ret;
	err = anpu_front_capture_into(stream, g->ri, (aclmdlRICaptureMode)mode);
	if (err)
		return err == ACL_ERROR_RT_STREAM_CAPTURED ? CUDA_ERROR_ILLEGAL_STATE : cu_code(err);
	g->recording = true;
	g->pairs = 0;
	return cu_node_code(anpu_front_capture_set_ends(stream, (const aclmdlRITask *)dependencies, (uint32_t)n, false));
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
				     const CUgraphEdgeData *dependencyData, size_t numDependencies,
				     CUstreamCaptureMode mode)
{
	struct cu_graph *g = NULL;
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret)
		ret = check_mode(mode);
	if (!ret)
		ret = cu_check_edge_data(dependencyData, numDependencies);
	if (ret)
		return ret;
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = begin_into(stream, g, dependencies, numDependencies, mode);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* The recording has ended: its graph, if the program has asked for that, takes over the last dependencies */
static CUresult finish(CUresult ret, aclmdlRI ri, struct cu_graph *g, CUgraph *out)
{
	bool goes_on = false;

	if (!ret && !g) {
		ret = cu_graph_new(ri, out);
		g = ret ? NULL : cu_find(CU_GRAPH, *out);
		if (g)
			g->recording = true; /* for its dependencies */
	}
	if (!g)
		return ret;
	if (ret && !anpu_front_graph_recording(g->ri, &goes_on)) {
		cu_graph_drop(g);
		return ret;
	}
	if (!goes_on)
		cu_told_end(g);
	if (ret) {
		(void)cu_edges_recorded(g);
		return ret;
	}
	*out = cu_handle(g);
	return cu_edges_recorded(g);
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
	aclmdlRICaptureStatus is = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclmdlRI graph = NULL, recorded = NULL;
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(phGraph);
	ret = cu_stream_look(hStream, &stream, NULL);
	if (ret)
		return ret;
	*phGraph = NULL;
	(void)aclmdlRICaptureGetInfo(stream, &is, &recorded);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_code(aclmdlRICaptureEnd(stream, &graph));
	ret = finish(ret, graph, recorded ? cu_graph_with(recorded) : NULL, phGraph);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

static CUresult status_of(aclrtStream stream, CUstreamCaptureStatus *status, aclmdlRI *ri)
{
	aclmdlRICaptureStatus is = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	CUresult ret = cu_code(aclmdlRICaptureGetInfo(stream, &is, ri));

	*status = is == ACL_MODEL_RI_CAPTURE_STATUS_NONE     ? CU_STREAM_CAPTURE_STATUS_NONE
		  : is == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE ? CU_STREAM_CAPTURE_STATUS_ACTIVE
							     : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
	return ret;
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(captureStatus);
	ret = cu_stream_look(hStream, &stream, NULL);
	return ret ? ret : status_of(stream, captureStatus, NULL);
}

/* The graph of a recording that goes on, which is libacl's @ri */
static CUresult graph_of_recording(aclmdlRI ri, struct cu_graph **out)
{
	struct cu_graph *g = cu_graph_with(ri);

	if (!g) {
		g = cu_add(CU_GRAPH, NULL);
		if (!g)
			return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
		g->ri = ri;
		g->recording = true;
	}
	*out = g;
	return cu_edges_recorded(g);
}

/* The place for answers about the stream; the answer that the program got before ends now */
static struct cu_told *told_about(struct cu_graph *g, aclrtStream stream)
{
	struct cu_told *t;

	for (t = g->told; t && t->stream != stream; t = t->next)
		;
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return NULL;
		t->stream = stream;
		t->next = g->told;
		g->told = t;
	}
	free(t->nodes);
	free(t->data);
	t->nodes = NULL;
	t->data = NULL;
	return t;
}

static CUresult tell_ends(struct cu_graph *g, aclrtStream stream, struct cu_told **told, uint32_t *n)
{
	struct cu_told *t = told_about(g, stream);
	CUresult ret = cu_code(anpu_front_capture_ends(stream, NULL, 0, n));
	uint32_t room = *n;

	if (ret)
		return ret;
	if (t) {
		t->nodes = calloc(room + 1, sizeof(*t->nodes));
		t->data = calloc(room + 1, sizeof(*t->data)); /* nodes wait for the end of others, which is all zeros */
	}
	if (!t || !t->nodes || !t->data)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the dependencies of a stream");
	*told = t;
	ret = cu_code(anpu_front_capture_ends(stream, (aclmdlRITask *)t->nodes, room, n));
	if (*n > room)
		*n = room;
	return ret;
}

/* The places for answers about a recording; each of these may be NULL but for @status */
struct question {
	CUstreamCaptureStatus *status;
	cuuint64_t *id;
	CUgraph *graph;
	const CUgraphNode **ends;
	const CUgraphEdgeData **data;
	size_t *count;
};

static CUresult answer(aclrtStream stream, aclmdlRI ri, const struct question *q)
{
	struct cu_graph *g = NULL;
	struct cu_told *t = NULL;
	uint32_t n = 0;
	CUresult ret;

	pthread_mutex_lock(&cu_graph_lock);
	ret = graph_of_recording(ri, &g);
	if (!ret)
		ret = tell_ends(g, stream, &t, &n);
	if (!ret && q->graph)
		*q->graph = cu_handle(g);
	if (!ret && q->ends)
		*q->ends = t->nodes;
	if (!ret && q->data)
		*q->data = t->data;
	if (!ret && q->count)
		*q->count = n;
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

static CUresult ask(CUstream hStream, const struct question *q)
{
	aclmdlRI ri = NULL;
	aclrtStream stream;
	CUresult ret;

	if (!q->status)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "captureStatus_out is NULL");
	ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret)
		ret = status_of(stream, q->status, &ri);
	if (ret || *q->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return ret;
	/* libacl does not use a handle again, and one recording has one graph */
	if (q->id)
		*q->id = (uintptr_t)ri;
	return q->graph || q->ends || q->data || q->count ? answer(stream, ri, q) : CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
				CUgraph *graph_out, const CUgraphNode **dependencies_out, size_t *numDependencies_out)
{
	const struct question q = { captureStatus_out, id_out, graph_out, dependencies_out, NULL, numDependencies_out };

	CU_ENTER();
	return ask(hStream, &q);
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
				   CUgraph *graph_out, const CUgraphNode **dependencies_out,
				   const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
	const struct question q = { captureStatus_out, id_out,	    graph_out, dependencies_out,
				    edgeData_out,      numDependencies_out };

	CU_ENTER();
	return ask(hStream, &q);
}

static CUresult set_ends(CUstream hStream, const CUgraphNode *dependencies, const CUgraphEdgeData *data, size_t n,
			 unsigned int flags)
{
	aclrtStream stream;
	CUresult ret;

	if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0 (ADD) or 1 (SET)", flags);
	if (n && !dependencies)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "dependencies is NULL and numDependencies is %zu", n);
	ret = cu_check_edge_data(data, n);
	if (!ret)
		ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret && !cu_is_recorded(stream))
		ret = cu_fail(CUDA_ERROR_ILLEGAL_STATE, "stream %p is not being recorded", (void *)hStream);
	return ret ? ret
		   : cu_node_code(anpu_front_capture_set_ends(stream, (const aclmdlRITask *)dependencies, (uint32_t)n,
							      flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
					   unsigned int flags)
{
	CU_ENTER();
	return set_ends(hStream, dependencies, NULL, numDependencies, flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
					      const CUgraphEdgeData *dependencyData, size_t numDependencies,
					      unsigned int flags)
{
	CU_ENTER();
	return set_ends(hStream, dependencies, dependencyData, numDependencies, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	aclmdlRICaptureMode m;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(mode);
	m = (aclmdlRICaptureMode)*mode;
	ret = cu_code(aclmdlRICaptureThreadExchangeMode(&m));
	if (!ret)
		*mode = (CUstreamCaptureMode)m;
	return ret;
}
