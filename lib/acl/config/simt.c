// SPDX-License-Identifier: MIT
/*
 * Launches with a grid and blocks in three axes, and their attributes: the driver API's front and AscendCL's calls
 * lead to the same launch (launch/front.c).
 */
#include <string.h>

#include <anpu/anpu_isa.h>

#include "config/config.h"

#define MAX_ATTRS 32

/* Attributes may ask for these things besides the launch. */
struct wanted {
	aclrtEvent begun, triggered;
	aclrtLaunchKernelAttr *updatable; /* gets the handle */
	aclrtLaunchKernelAttr others[MAX_ATTRS];
	aclrtLaunchKernelCfg cfg; /* of those that each launch knows */
};

/* Events ----------------------------------------------------------------------------------------- */

/* In a recording the events are tasks behind the launch: the driver API lets them be seen as late as that */
static aclError record_behind(struct anpu_front_launch *l, aclrtEvent begun, aclrtEvent triggered,
			      enum anpu_front_why *why)
{
	aclError ret = anpu_launch_grid(l, why, NULL);

	if (!ret && begun)
		ret = aclrtRecordEvent(begun, l->stream);
	if (!ret && triggered)
		ret = aclrtRecordEvent(triggered, l->stream);
	return ret;
}

/* The device writes the events' words while the kernel runs */
static aclError record_within(struct anpu_front_launch *l, aclrtEvent begun, aclrtEvent triggered,
			      enum anpu_front_why *why)
{
	struct anpu_front_record b = { 0 }, t = { 0 };
	bool swap = (uintptr_t)begun > (uintptr_t)triggered;
	aclError ret = ACL_SUCCESS;
	uint64_t seq = 0;

	/* events are locked in the order of their handles */
	if (triggered && swap)
		ret = anpu_front_event_begin(triggered, l->stream, &t);
	if (!ret && begun)
		ret = anpu_front_event_begin(begun, l->stream, &b);
	if (!ret && triggered && !swap)
		ret = anpu_front_event_begin(triggered, l->stream, &t);
	if (!ret) {
		l->begun[0] = b.addr;
		l->begun[1] = b.value;
		l->triggered[0] = t.addr;
		l->triggered[1] = t.value;
		ret = anpu_launch_grid(l, why, &seq);
	}
	if (b.event)
		anpu_front_event_end(&b, ret ? 0 : seq);
	if (t.event)
		anpu_front_event_end(&t, ret ? 0 : seq);
	return ret;
}

static aclError launch_events(struct anpu_front_launch *l, aclrtEvent begun, aclrtEvent triggered,
			      enum anpu_front_why *why)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclError ret;

	*why = ANPU_FRONT_OTHER;
	ret = aclmdlRICaptureGetInfo(l->stream, &status, NULL);
	if (ret)
		return ret;
	if (status != ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		return record_behind(l, begun, triggered, why);
	/* the same event for both: the later record is the one that counts */
	return record_within(l, begun == triggered ? NULL : begun, triggered, why);
}

aclError anpu_front_launch_events(struct anpu_front_launch *l, aclrtEvent begun, aclrtEvent triggered,
				  enum anpu_front_why *why)
{
	ACL_ENTER();
	return launch_events(l, begun, triggered, why);
}

/* AscendCL's calls --------------------------------------------------------------------------------- */

static aclrtEvent event_of(const aclrtLaunchKernelAttr *a)
{
	return (aclrtEvent)(uintptr_t)(a->value.rsv[0] | (uint64_t)a->value.rsv[1] << 32);
}

/* Events of launches have no time, and are for this process alone */
static aclError check_event(aclrtEvent event, size_t i)
{
	struct anpu_front_event_info is;
	aclError ret;

	if (!event)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "launch attribute %zu: the event in rsv[0] and rsv[1] is NULL", i);
	ret = anpu_front_event(event, &is);
	if (ret)
		return ret;
	if (is.flags & (ACL_EVENT_IPC | ACL_EVENT_TIME_LINE) || !is.rerecord)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"launch attribute %zu: the event %s: make it with aclrtCreateEventExWithFlag() and ACL_EVENT_SYNC",
				i,
				is.flags & ACL_EVENT_IPC	 ? "is for several processes"
				: is.flags & ACL_EVENT_TIME_LINE ? "has a time"
								 : "can be recorded once only");
	return ACL_SUCCESS;
}

static aclError check_updatable(const aclrtLaunchKernelAttr *a, const struct anpu_front_launch *f, size_t i)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclError ret = aclmdlRICaptureGetInfo(f->stream, &status, NULL);

	if (!ret && a->value.rsv[0] > 1)
		ret = acl_fail(ACL_ERROR_INVALID_PARAM, "launch attribute %zu: rsv[0] is %u and must be 0 or 1", i,
			       a->value.rsv[0]);
	if (!ret && status == ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		ret = acl_fail(ACL_ERROR_INVALID_PARAM,
			       "launch attribute %zu is for launches in a stream that is being recorded", i);
	return ret;
}

/* One attribute; those that each launch knows are gathered */
static aclError apply(aclrtLaunchKernelAttr *a, struct anpu_front_launch *f, struct wanted *w, size_t i)
{
	const uint32_t *v = a->value.rsv;
	aclError ret;

	switch (a->id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_COOPERATIVE:
		f->cooperative = v[0] != 0;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_CLUSTER:
		if (!v[0] || !v[1] || !v[2])
			return acl_fail(ACL_ERROR_INVALID_PARAM, "launch attribute %zu: the cluster is %ux%ux%u and none may be 0",
					i, v[0], v[1], v[2]);
		memcpy(f->cluster, v, sizeof(f->cluster));
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_OVERLAP:
		f->overlap = v[0] != 0;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_TRIGGER_EVENT:
		w->triggered = event_of(a);
		f->trigger_at_start = v[2] != 0;
		return check_event(w->triggered, i);
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_BEGUN_EVENT:
		w->begun = event_of(a);
		return check_event(w->begun, i);
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_PRIORITY:
		if (v[0] > 7)
			return acl_fail(ACL_ERROR_INVALID_PARAM, "launch attribute %zu: the priority is %u and must be 0 to 7", i,
					v[0]);
		f->has_priority = true;
		f->priority = v[0];
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_UPDATABLE:
		ret = check_updatable(a, f, i);
		w->updatable = v[0] ? a : NULL;
		return ret;
	default:
		w->others[w->cfg.numAttrs++] = *a;
		return ACL_SUCCESS;
	}
}

static aclError apply_all(const aclrtLaunchKernelCfg *cfg, struct anpu_front_launch *f, struct wanted *w)
{
	aclError ret = ACL_SUCCESS;
	size_t i;

	w->cfg.attrs = w->others;
	if (!cfg || !cfg->numAttrs)
		return ACL_SUCCESS;
	if (!cfg->attrs || cfg->numAttrs > MAX_ATTRS)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cfg->attrs is %p and numAttrs is %zu, of at most %d",
				(void *)cfg->attrs, cfg->numAttrs, MAX_ATTRS);
	for (i = 0; i < cfg->numAttrs && !ret; i++)
		ret = apply(&cfg->attrs[i], f, w, i);
	f->cfg = &w->cfg;
	return ret;
}

/* The launch that was recorded becomes one that kernels change */
static aclError make_updatable(aclrtLaunchKernelAttr *a)
{
	aclmdlRITask task = NULL;
	uint64_t node = 0;
	aclError ret = anpu_front_node_last(&task);

	if (!ret)
		ret = anpu_front_node_updatable(task, true, &node);
	a->value.rsv[2] = (uint32_t)node;
	a->value.rsv[3] = (uint32_t)(node >> 32);
	return ret;
}

static aclError launch(struct anpu_front_launch *f, size_t shared, const aclrtLaunchKernelCfg *cfg)
{
	enum anpu_front_why why = ANPU_FRONT_OTHER;
	struct wanted w = { 0 };
	aclError ret;

	if (shared > ANPU_UB_SIZE)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "dynUbufSize is %zu and a core has %u bytes", shared, ANPU_UB_SIZE);
	f->shared = (uint32_t)shared;
	ret = apply_all(cfg, f, &w);
	if (ret)
		return ret;
	if (!w.updatable)
		return w.begun || w.triggered ? launch_events(f, w.begun, w.triggered, &why)
					: anpu_launch_grid(f, &why, NULL);
	ret = anpu_launch_grid(f, &why, NULL);
	if (!ret)
		ret = make_updatable(w.updatable);
	if (!ret && w.begun)
		ret = aclrtRecordEvent(w.begun, f->stream);
	if (!ret && w.triggered)
		ret = aclrtRecordEvent(w.triggered, f->stream);
	return ret;
}

aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
					    aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args)
{
	struct anpu_front_launch f = {
		.func = func,
		.stream = stream,
		.grid = { gridDim.x, gridDim.y, gridDim.z },
		.block = { blockDim.x, blockDim.y, blockDim.z },
		.params = args,
	};

	ACL_ENTER();
	return launch(&f, dynUbufSize, cfg);
}

aclError aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
					   aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs,
					   size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray,
					   size_t placeHolderNum)
{
	static const uint64_t none;
	struct anpu_front_launch f = {
		.func = func,
		.stream = stream,
		.grid = { gridDim.x, gridDim.y, gridDim.z },
		.block = { blockDim.x, blockDim.y, blockDim.z },
		.slots = hostArgs ? hostArgs : &none,
		.slots_size = argsSize,
		.holders = placeHolderArray,
		.holder_count = placeHolderNum,
	};

	ACL_ENTER();
	if (!hostArgs && argsSize)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "hostArgs is NULL and argsSize is %zu", argsSize);
	if (argsSize > ANPU_ARGS_MAX)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "argsSize is %zu and a launch can carry %u bytes", argsSize,
				ANPU_ARGS_MAX);
	if (anpu_in_device_range(hostArgs))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"hostArgs is %p, an address of device memory, and this call wants a host pointer", hostArgs);
	return launch(&f, dynUbufSize, cfg);
}
