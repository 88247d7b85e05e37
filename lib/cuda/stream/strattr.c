// SPDX-License-Identifier: MIT
/* Attributes of streams: those of launches that a stream can have. */
#include "cuda/context/context.h"
#include "cuda/stream/stream.h"

CUresult cu_check_window(const CUaccessPolicyWindow *w)
{
	if (!(w->hitRatio >= 0 && w->hitRatio <= 1))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "accessPolicyWindow.hitRatio is %g and must be 0 to 1",
			       (double)w->hitRatio);
	if ((unsigned int)w->hitProp > CU_ACCESS_PROPERTY_PERSISTING || (unsigned int)w->missProp > CU_ACCESS_PROPERTY_STREAMING)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "accessPolicyWindow.hitProp is %d and must be 0 to 2, missProp is %d and must be 0 or 1",
			       (int)w->hitProp, (int)w->missProp);
	if (w->num_bytes && !w->base_ptr)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "accessPolicyWindow.base_ptr is NULL and num_bytes %zu",
			       w->num_bytes);
	if (w->num_bytes > INT32_MAX)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "accessPolicyWindow.num_bytes is %zu and must be at most %d, as "
			       "CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE tells",
			       w->num_bytes, INT32_MAX);
	return CUDA_SUCCESS;
}

CUresult cu_check_sync(CUsynchronizationPolicy p)
{
	if (p < CU_SYNC_POLICY_AUTO || p > CU_SYNC_POLICY_BLOCKING_SYNC)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "syncPolicy is %d and must be 1 to 4", (int)p);
	return CUDA_SUCCESS;
}

CUresult cu_check_domain(CUlaunchMemSyncDomain d)
{
	if ((unsigned int)d > CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "memSyncDomain is %d and must be 0 or 1", (int)d);
	return CUDA_SUCCESS;
}

CUresult cu_check_map(const CUlaunchMemSyncDomainMap *m)
{
	if (m->default_ >= CU_SYNC_DOMAINS || m->remote >= CU_SYNC_DOMAINS)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "memSyncDomainMap is %u, %u and each must be below %d, as "
			       "CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT tells",
			       m->default_, m->remote, CU_SYNC_DOMAINS);
	return CUDA_SUCCESS;
}

/* The stream with its record; those of the other front and the default ones get one now */
static CUresult find(CUstream hStream, aclrtStream *stream, struct cu_stream **s)
{
	uint64_t ctx = 0;
	bool is_default = false;
	struct cu_ctx *c;
	CUresult ret = cu_stream_look(hStream, stream, s);

	if (ret || *s)
		return ret;
	ret = cu_code(anpu_front_stream(*stream, &ctx, &is_default));
	if (!ret && !*stream)
		ret = cu_code(aclrtCtxGetCurrentDefaultStream(stream));
	if (!ret)
		ret = cu_ctx_get(CU_PTR(ctx), &c);
	if (ret)
		return ret;
	*s = cu_find(CU_STREAM, *stream);
	if (!*s)
		*s = cu_stream_new(*stream, c, CU_STREAM_NON_BLOCKING);
	if (*s && is_default)
		(*s)->flags = CU_STREAM_DEFAULT;
	return *s ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult get_priority(aclrtStream stream, int *priority)
{
	uint32_t p = 0;
	CUresult ret = cu_code(aclrtStreamGetPriority(stream, &p));

	*priority = (int)p - CU_PRIORITY_BASE;
	return ret;
}

static CUresult set_priority(aclrtStream stream, int priority)
{
	aclrtStreamAttrValue v = { .streamPriority = (uint32_t)(cu_clamp_priority(priority) + CU_PRIORITY_BASE) };

	return cu_code(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v));
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out)
{
	struct cu_stream *s;
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(value_out);
	ret = find(hStream, &stream, &s);
	if (ret)
		return ret;
	switch ((int)attr) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		value_out->accessPolicyWindow = s->window;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		value_out->syncPolicy = s->sync;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		return get_priority(stream, &value_out->priority);
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		value_out->memSyncDomainMap = s->map;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		value_out->memSyncDomain = s->domain;
		return CUDA_SUCCESS;
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attr is %d, which no stream has", (int)attr);
	}
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value)
{
	struct cu_stream *s;
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(value);
	ret = find(hStream, &stream, &s);
	if (ret)
		return ret;
	switch ((int)attr) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		ret = cu_check_window(&value->accessPolicyWindow);
		s->window = ret ? s->window : value->accessPolicyWindow;
		s->hints |= !ret;
		return ret;
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		ret = cu_check_sync(value->syncPolicy);
		s->sync = ret ? s->sync : value->syncPolicy;
		return ret;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		return set_priority(stream, value->priority);
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		ret = cu_check_map(&value->memSyncDomainMap);
		s->map = ret ? s->map : value->memSyncDomainMap;
		s->hints |= !ret;
		return ret;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		ret = cu_check_domain(value->memSyncDomain);
		s->domain = ret ? s->domain : value->memSyncDomain;
		s->hints |= !ret;
		return ret;
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attr is %d, which no stream has", (int)attr);
	}
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src)
{
	struct cu_stream *d, *s;
	aclrtStream to, from;
	int priority = 0;
	CUresult ret;

	CU_ENTER();
	ret = find(src, &from, &s);
	if (!ret)
		ret = get_priority(from, &priority);
	if (!ret)
		ret = find(dst, &to, &d);
	if (!ret && d->ctx != s->ctx)
		ret = cu_fail(CUDA_ERROR_INVALID_HANDLE, "the two streams belong to different contexts");
	if (!ret)
		ret = set_priority(to, priority);
	if (ret)
		return ret;
	d->window = s->window;
	d->sync = s->sync;
	d->map = s->map;
	d->domain = s->domain;
	d->hints |= s->hints;
	return CUDA_SUCCESS;
}
