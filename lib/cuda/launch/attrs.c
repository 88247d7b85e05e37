// SPDX-License-Identifier: MIT
/* Attributes of launches: what each asks for, and what it may be. */
#include "cuda/stream/stream.h"
#include "cuda/launch/launch.h"

CUresult cu_apply_cluster(const CUlaunchAttributeValue *v, struct anpu_front_launch *l)
{
	unsigned int i, dim[3] = { v->clusterDim.x, v->clusterDim.y, v->clusterDim.z };

	if (!dim[0] || !dim[1] || !dim[2])
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "clusterDim is %ux%ux%u and none may be 0", dim[0], dim[1],
			       dim[2]);
	for (i = 0; i < 3; i++) {
		if (l->grid[i] % dim[i])
			return cu_fail(CUDA_ERROR_INVALID_CLUSTER_SIZE,
				       "the grid of %ux%ux%u blocks is not made of whole clusters of %ux%ux%u", l->grid[0],
				       l->grid[1], l->grid[2], dim[0], dim[1], dim[2]);
		if (l->cluster[i] && l->cluster[i] != dim[i])
			return cu_fail(CUDA_ERROR_INVALID_VALUE,
				       "clusterDim is %ux%ux%u and the kernel is for clusters of %ux%ux%u", dim[0], dim[1],
				       dim[2], l->cluster[0], l->cluster[1], l->cluster[2]);
	}
	for (i = 0; i < 3; i++)
		l->cluster[i] = dim[i];
	return CUDA_SUCCESS;
}

/* Events of launches have no time, and are for this process alone */
static CUresult check_event(CUevent event, int flags, const char *name)
{
	struct anpu_front_event_info is;
	CUresult ret;

	if (!event)
		return cu_fail(CUDA_ERROR_INVALID_HANDLE, "%s.event is NULL", name);
	if (flags & ~(int)CU_EVENT_RECORD_EXTERNAL)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s.flags is %#x and must be 0 or CU_EVENT_RECORD_EXTERNAL", name,
			       flags);
	ret = cu_code(anpu_front_event(event, &is));
	if (ret)
		return ret;
	if (is.flags & ACL_EVENT_IPC)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s.event was made with CU_EVENT_INTERPROCESS", name);
	if (is.flags & ACL_EVENT_TIME_LINE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s.event was made without CU_EVENT_DISABLE_TIMING", name);
	if (!is.rerecord)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s.event is of the other front and can be recorded once only: "
							 "make it with cuEventCreate() or aclrtCreateEventExWithFlag()",
			       name);
	return CUDA_SUCCESS;
}

static CUresult apply_programmatic_event(const CUlaunchAttributeValue *v, struct anpu_front_launch *l,
					 struct cu_launch_events *e)
{
	CUresult ret = check_event(v->programmaticEvent.event, v->programmaticEvent.flags, "programmaticEvent");

	if (ret)
		return ret;
	e->triggered = v->programmaticEvent.event;
	l->trigger_at_start = v->programmaticEvent.triggerAtBlockStart != 0;
	return CUDA_SUCCESS;
}

static CUresult apply_completion_event(const CUlaunchAttributeValue *v, struct cu_launch_events *e)
{
	CUresult ret = check_event(v->launchCompletionEvent.event, v->launchCompletionEvent.flags,
				   "launchCompletionEvent");

	if (!ret)
		e->begun = v->launchCompletionEvent.event;
	return ret;
}

static CUresult apply_updatable(CUlaunchAttributeValue *v, struct anpu_front_launch *l, struct cu_launch_events *e)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclmdlRI graph = NULL;
	int on = v->deviceUpdatableKernelNode.deviceUpdatable;
	CUresult ret;

	if (on != 0 && on != 1)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "deviceUpdatable is %d and must be 0 or 1", on);
	ret = cu_code(aclmdlRICaptureGetInfo(l->stream, &status, &graph));
	if (ret)
		return ret;
	if (status == ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "deviceUpdatableKernelNode is for launches in a stream that is being recorded");
	if (on)
		e->node = &v->deviceUpdatableKernelNode.devNode;
	return CUDA_SUCCESS;
}

static CUresult apply(CUlaunchAttribute *a, struct anpu_front_launch *l, struct cu_launch_events *e)
{
	CUlaunchAttributeValue *v = &a->value;

	switch ((int)a->id) {
	case CU_LAUNCH_ATTRIBUTE_IGNORE:
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: /* a hint about a cache that there is not */
		e->hints = true;
		return cu_check_window(&v->accessPolicyWindow);
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		l->cooperative = v->cooperative != 0;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: /* waits look up and sleep as it pays, whatever is asked for */
		return cu_check_sync(v->syncPolicy);
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		return cu_apply_cluster(v, l);
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		e->hints = true;
		if ((unsigned int)v->clusterSchedulingPolicyPreference > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "clusterSchedulingPolicyPreference is %d and must be 0 to 2",
				       (int)v->clusterSchedulingPolicyPreference);
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		l->overlap = v->programmaticStreamSerializationAllowed != 0;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
		return apply_programmatic_event(v, l, e);
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		l->has_priority = true;
		l->priority = (uint32_t)(cu_clamp_priority(v->priority) + CU_PRIORITY_BASE);
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: /* all memory is coherent: each domain is every domain */
		e->hints = true;
		return cu_check_map(&v->memSyncDomainMap);
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		e->hints = true;
		return cu_check_domain(v->memSyncDomain);
	case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
		return apply_completion_event(v, e);
	case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
		return apply_updatable(v, l, e);
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "the id of a launch attribute is %d, which is none", (int)a->id);
	}
}

CUresult cu_apply_attributes(const CUlaunchConfig *c, struct anpu_front_launch *l, struct cu_launch_events *e)
{
	CUresult ret = CUDA_SUCCESS;
	unsigned int i;

	for (i = 0; i < c->numAttrs && !ret; i++)
		ret = apply(&c->attrs[i], l, e);
	return ret;
}
