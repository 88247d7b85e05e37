// SPDX-License-Identifier: MIT
/* Recording streams. */
#include "cuda/stream/stream.h"
#include "cuda/graph/graph.h"

static _Atomic cuuint64_t last_capture;

CUresult cuStreamBeginCapture(CUstream hStream, CUstreamCaptureMode mode)
{
	struct cu_stream *s;
	aclrtStream stream;
	CUresult ret;
	aclError err;

	CU_ENTER();
	ret = cu_stream_look(hStream, &stream, &s);
	if (ret)
		return ret;
	if ((unsigned int)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "mode is %d and must be 0 to 2", (int)mode);
	/* both APIs have the same numbers for modes */
	err = aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)mode);
	if (err == ACL_ERROR_RT_STREAM_CAPTURED)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (!err && s) {
		s->capturing = true;
		s->capture_id = atomic_fetch_add(&last_capture, 1) + 1;
	}
	return cu_code(err);
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
	struct cu_stream *s;
	aclrtStream stream;
	aclmdlRI graph = NULL;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(phGraph);
	ret = cu_stream_look(hStream, &stream, &s);
	if (ret)
		return ret;
	*phGraph = NULL;
	ret = cu_code(aclmdlRICaptureEnd(stream, &graph));
	/* in these cases the recording goes on */
	if (s && ret != CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD && ret != CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)
		s->capturing = false;
	if (!ret)
		ret = cu_graph_new(graph, phGraph);
	if (ret)
		return ret;
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_edges_chain(cu_find(CU_GRAPH, *phGraph));
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

static CUresult status_of(aclrtStream stream, CUstreamCaptureStatus *status)
{
	aclmdlRICaptureStatus is = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	CUresult ret = cu_code(aclmdlRICaptureGetInfo(stream, &is, NULL));

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
	return ret ? ret : status_of(stream, captureStatus);
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
				CUgraph *graph_out, const CUgraphNode **dependencies_out, size_t *numDependencies_out)
{
	struct cu_stream *s;
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(captureStatus_out);
	if (graph_out || dependencies_out || numDependencies_out)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			       "the graph of a recording cannot be looked at before its end: pass NULL for graph_out, "
			       "dependencies_out and numDependencies_out");
	ret = cu_stream_look(hStream, &stream, &s);
	if (!ret)
		ret = status_of(stream, captureStatus_out);
	if (!ret && id_out && *captureStatus_out != CU_STREAM_CAPTURE_STATUS_NONE)
		*id_out = s ? s->capture_id : 0;
	return ret;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
				   CUgraph *graph_out, const CUgraphNode **dependencies_out,
				   const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
	CU_ENTER();
	if (edgeData_out)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "the graph of a recording cannot be looked at before its end: pass "
							 "NULL for edgeData_out");
	return cuStreamGetCaptureInfo(hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out);
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
