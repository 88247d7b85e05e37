// SPDX-License-Identifier: MIT
/*
 * Launching kernels: the checks, the attributes, and the three ways to pass arguments that need no
 * argument list (args.c has that).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "launch/launch.h"

#define TIMEOUT_UNSET UINT64_MAX
/* The device counts a kernel's time in microseconds */
#define TIMEOUT_UNIT_US 1

/* Limit for launches without an attribute, in microseconds; 0 for none */
static _Atomic uint64_t default_timeout = TIMEOUT_UNSET;

static uint64_t packet_timeout(uint64_t us)
{
	return us ? us : ANPU_TIMEOUT_NEVER;
}

struct anpu_func *anpu_func_find(aclrtFuncHandle handle)
{
	struct acl_obj *obj = acl_obj_find(handle, ACL_TYPE_FUNC);

	if (!obj) {
		acl_bad_handle(handle, ACL_TYPE_FUNC, "funcHandle");
		return NULL;
	}
	return container_of(obj, struct anpu_func, obj);
}

static aclError unsupported(size_t i, const char *what)
{
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "launch attribute %zu: %s", i, what);
}

/* One attribute; @timeouts counts those that set a limit */
static aclError apply(struct anpu_pkt_kernel *pkt, const aclrtLaunchKernelAttr *a, size_t i,
		      unsigned int *timeouts)
{
	const aclrtLaunchKernelAttrValue *v = &a->value;
	uint64_t us;

	switch (a->id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
		if (v->schemMode > 1)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"launch attribute %zu: schemMode is %u and must be 0 "
					"(normal) or 1 (batch)",
					i, v->schemMode);
		pkt->sched_mode = v->schemMode ? ANPU_SCHED_BATCH : ANPU_SCHED_NORMAL;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
		if (v->dynUBufSize)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"launch attribute %zu: dynUBufSize is %u and must be 0 for "
					"a SIMD kernel",
					i, v->dynUBufSize);
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE:
		return unsupported(
			i, "engineType is of one old chip; the kernel's own type decides here");
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET:
		if (v->blockDimOffset)
			return unsupported(i, "blockDimOffset is of one old chip");
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
		return ACL_SUCCESS; /* only a hint: this device prefetches nothing across tasks */
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
		return v->isDataDump ? unsupported(i, "dumping data is not built yet")
				     : ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		return v->enableProfiling ? unsupported(i, "profiling is not built yet")
					  : ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
		us = a->id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT
			     ? v->timeout * 1000000ULL
			     : v->timeoutUs.timeoutLow | (uint64_t)v->timeoutUs.timeoutHigh << 32;
		pkt->timeout_us = packet_timeout(us);
		if ((*timeouts)++)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"launch attribute %zu: the timeout is given twice: give it "
					"in seconds or in microseconds, not both",
					i);
		return ACL_SUCCESS;
	default:
		if (a->id >= ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_COOPERATIVE && a->id <= ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_UPDATABLE)
			return unsupported(i, "this library's own attributes are for aclrtLaunchSIMTKernelWithArgsArray() "
					      "and ...WithHostArgs(), which take kernels without threads, too");
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"launch attribute %zu has the unknown id %d", i, (int)a->id);
	}
}

static aclError apply_all(struct anpu_pkt_kernel *pkt, const aclrtLaunchKernelCfg *cfg)
{
	unsigned int timeouts = 0;
	aclError ret;
	size_t i;

	if (!cfg || !cfg->numAttrs)
		return ACL_SUCCESS;
	if (!cfg->attrs)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cfg->attrs is NULL and numAttrs is %zu",
				cfg->numAttrs);
	for (i = 0; i < cfg->numAttrs; i++) {
		ret = apply(pkt, &cfg->attrs[i], i, &timeouts);
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

static aclError check_blocks(struct anpu_launch *l, uint32_t blocks)
{
	const struct drm_anpu_info *info = &l->stream->obj.dev->info;

	if (blocks > info->max_blocks)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"numBlocks is %u and one launch of '%s' can have %u: let each "
				"block do more",
				blocks, l->func->name, info->max_blocks);
	if (l->func->core_type == ANPU_CORE_MIX && blocks > ANPU_MAX_RELATED_BLOCKS)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"numBlocks is %u and '%s', which has cube and vector parts, can have %u: let each "
				"block do more",
				blocks, l->func->name, ANPU_MAX_RELATED_BLOCKS);
	if (l->pkt.sched_mode == ANPU_SCHED_BATCH && blocks > info->cores)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"numBlocks is %u and '%s' starts all its blocks together, for "
				"which device %d has %u cores",
				blocks, l->func->name, l->stream->obj.dev->id, info->cores);
	return ACL_SUCCESS;
}

aclError anpu_launch_check_limit(const struct anpu_pkt_kernel *pkt, const char *name)
{
	if (pkt->sched_mode != ANPU_SCHED_BATCH || !pkt->max_cores || pkt->grid_x <= pkt->max_cores)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"numBlocks is %u and '%s' starts all its blocks together, for which it is "
			"limited to %u cores: see aclrtSetStreamResLimit() and "
			"aclrtSetDeviceResLimit()",
			pkt->grid_x, name, pkt->max_cores);
}

static void prepare(struct anpu_launch *l, uint32_t blocks)
{
	uint64_t us = atomic_load_explicit(&default_timeout, memory_order_relaxed);

	l->pkt = (struct anpu_pkt_kernel){
		.hdr.opcode = ANPU_OP_KERNEL,
		.hdr.flags = (anpu_checking() ? ANPU_KERNEL_CHECK : 0) | anpu_overflow_flags(l->stream),
		.entry = l->func->entry,
		.grid_x = blocks,
		.grid_y = 1,
		.grid_z = 1,
		.sched_mode = l->func->sched_mode,
		.timeout_us = us == TIMEOUT_UNSET ? ANPU_TIMEOUT_DEFAULT : packet_timeout(us),
		.core_type = l->func->core_type,
		.mix_ratio = l->func->mix_ratio,
		.priority = l->stream->priority,
		.max_cores = anpu_limit_cores(l->stream, l->func->core_type),
		.aiv_entry = l->func->aiv_entry,
	};
}

aclError anpu_launch_prepare(struct anpu_launch *l, aclrtFuncHandle func, uint32_t blocks,
			     const aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	aclError ret = ACL_SUCCESS;

	*l = (struct anpu_launch){ 0 };
	if (!func)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "funcHandle is NULL");
	if (!blocks)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"numBlocks is 0: a launch needs at least one block");
	ret = anpu_stream_find(stream, &l->stream);
	if (ret)
		return ret;
	l->func = anpu_func_find(func);
	if (!l->func) {
		ret = ACL_ERROR_RT_INVALID_HANDLE;
	} else if (l->func->obj.dev != l->stream->obj.dev) {
		ret = acl_fail(
			ACL_ERROR_RT_STREAM_CONTEXT,
			"kernel '%s' was loaded onto device %d and the stream belongs to device %d",
			l->func->name, l->func->obj.dev->id, l->stream->obj.dev->id);
	} else {
		prepare(l, blocks);
		ret = apply_all(&l->pkt, cfg);
	}
	if (!ret)
		ret = check_blocks(l, blocks);
	if (ret)
		anpu_launch_end(l);
	return ret;
}

aclError anpu_launch_begin(struct anpu_launch *l, aclrtFuncHandle func, uint32_t blocks,
			   const aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	aclError ret = anpu_launch_prepare(l, func, blocks, cfg, stream);

	if (ret)
		return ret;
	ret = anpu_launch_check_limit(&l->pkt, l->func->name);
	if (!ret)
		ret = anpu_launch_check_plain(l);
	if (ret)
		anpu_launch_end(l);
	return ret;
}

void anpu_launch_end(struct anpu_launch *l)
{
	if (l->func)
		acl_obj_put(&l->func->obj);
	if (l->stream)
		anpu_stream_put(l->stream);
	l->func = NULL;
	l->stream = NULL;
}

static aclError check_size(const struct anpu_launch *l, size_t size)
{
	if (size >= l->func->args_size)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"argsSize is %zu and kernel '%s' has %u parameters that take %u bytes: "
			"each starts at a multiple of 8",
			size, l->func->name, l->func->param_count, l->func->args_size);
}

/* Arguments in device memory: the address and the size go into the packet as they are */
static aclError device_args(struct anpu_launch *l, const void *args, size_t size)
{
	struct anpu_mem mem;
	aclError ret = anpu_mem_look(args, size, "argsData", &mem);

	if (ret)
		return ret;
	if (mem.place != ANPU_PLACE_DEVICE)
		ret = acl_fail(
			ACL_ERROR_RT_PARAM_INVALID,
			"argsData is %p, a host pointer (%s), and this call wants the arguments in "
			"device memory: copy them to memory of aclrtMalloc(), or launch with "
			"aclrtLaunchKernelWithHostArgs()",
			args, mem.place == ANPU_PLACE_PINNED ? "pinned memory" : "pageable memory");
	else if (mem.dev != l->stream->obj.dev)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "argsData is %p on device %d and the stream belongs to device %d",
			       args, mem.dev->id, l->stream->obj.dev->id);
	else if ((uintptr_t)args % 8)
		ret = acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
			       "argsData is %p and must be a multiple of 8", args);
	else
		ret = check_size(l, size);
	anpu_mem_done(&mem);
	l->pkt.args = (uintptr_t)args;
	l->pkt.args_size = size;
	return ret;
}

static pthread_once_t blocking_once = PTHREAD_ONCE_INIT;
static bool blocking;

static void read_blocking(void)
{
	const char *env = getenv("ASCEND_LAUNCH_BLOCKING");

	if (!env || !*env || !strcmp(env, "0"))
		return;
	blocking = !strcmp(env, "1");
	if (!blocking)
		fprintf(stderr,
			"anpu: ASCEND_LAUNCH_BLOCKING is '%s' and must be 1 (each launch waits for its kernel "
			"and returns its failure) or 0: it is ignored\n", env);
}

/*
 * With ASCEND_LAUNCH_BLOCKING=1 a launch ends with its kernel. A kernel that is recorded does not run, so
 * there is nothing to wait for; functions of the runtime's threads never wait for streams.
 */
static aclError settle(struct anpu_stream *s)
{
	static atomic_bool told;
	bool recorded;

	pthread_once(&blocking_once, read_blocking);
	if (!blocking || acl_in_callback())
		return ACL_SUCCESS;
	anpu_stream_lock(s);
	recorded = anpu_stream_recorded(s);
	pthread_mutex_unlock(&s->lock);
	if (!recorded) {
		(void)anpu_stream_wait_told(s, atomic_load(&s->last_seq), "its kernel in");
		return anpu_stream_sync(s, ANPU_FOREVER);
	}
	if (!atomic_exchange(&told, true))
		fprintf(stderr,
			"anpu: ASCEND_LAUNCH_BLOCKING=1 has no effect on launches into stream %d, which is being "
			"recorded: the kernels run with the graph, and its execution returns at once; "
			"synchronise behind it to see failures\n", s->number);
	return ACL_SUCCESS;
}

static aclError launch_device_args(aclrtFuncHandle func, uint32_t blocks, const void *args,
				   size_t size, const aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	union anpu_packet pkt;
	struct anpu_launch l;
	uint64_t seq = 0;
	aclError ret;

	if (!args)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "argsData is NULL");
	if (!size || size > UINT32_MAX)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "argsSize is %zu and must be 1 to %u",
				size, UINT32_MAX);
	ret = anpu_launch_begin(&l, func, blocks, cfg, stream);
	if (ret)
		return ret;
	ret = device_args(&l, args, size);
	if (!ret) {
		pkt.kernel = l.pkt;
		ret = anpu_stream_submit(l.stream, &pkt, &seq);
	}
	if (seq && anpu_checking())
		anpu_launch_reads(&l, seq);
	if (!ret)
		ret = settle(l.stream);
	anpu_launch_end(&l);
	return ret;
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
			   size_t argsSize, aclrtStream stream)
{
	ACL_ENTER();
	return launch_device_args(funcHandle, numBlocks, argsData, argsSize, NULL, stream);
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
			     size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	ACL_ENTER();
	return launch_device_args(funcHandle, numBlocks, argsData, argsSize, cfg, stream);
}

aclError anpu_launch_check_plain(const struct anpu_launch *l)
{
	if (!l->func->threads && !l->func->cluster[0])
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"kernel '%s' has threads or clusters, and this launch has no place for how many: use "
			"aclrtLaunchSIMTKernelWithArgsArray(), aclrtLaunchSIMTKernelWithHostArgs() or cuLaunchKernel()",
			l->func->name);
}

static aclError check_holders(const aclrtPlaceHolderInfo *holders, size_t count, size_t size)
{
	size_t i;

	if (count && !holders)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"placeHolderArray is NULL and placeHolderNum is %zu", count);
	for (i = 0; i < count; i++) {
		if (holders[i].addrOffset % 8)
			return acl_fail(
				ACL_ERROR_RT_PARAM_INVALID,
				"placeholder %zu: addrOffset is %u and must be a multiple of 8", i,
				holders[i].addrOffset);
		if (size < 8 || holders[i].addrOffset > size - 8 || holders[i].dataOffset >= size)
			return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
					"placeholder %zu: addrOffset %u or dataOffset %u lies "
					"outside the %zu bytes of arguments",
					i, holders[i].addrOffset, holders[i].dataOffset, size);
	}
	return ACL_SUCCESS;
}

aclError anpu_launch_check_args(const struct anpu_launch *l, size_t size, const aclrtPlaceHolderInfo *holders, size_t count)
{
	aclError ret = check_holders(holders, count, size);

	return ret ? ret : check_size(l, size);
}

aclError anpu_launch_host_args(struct anpu_launch *l, const void *args, size_t size,
			       const aclrtPlaceHolderInfo *holders, size_t count)
{
	const struct anpu_kernel_args known = { args, size, holders, count };
	union anpu_packet pkt;
	/* the checking mode has a question to the device behind the arguments */
	const size_t asked = align_up(size, 8) + sizeof(struct anpu_check_ask);
	const size_t room = size && anpu_checking() && size < ANPU_ARGS_MAX && asked <= ANPU_ARGS_MAX ? asked : size;
	uint64_t va = 0, slot, seq = 0, ticket = 0;
	char *copy;
	aclError ret;
	size_t i;

	ret = anpu_launch_check_args(l, size, holders, count);
	if (ret)
		return ret;
	if (anpu_checking())
		anpu_launch_check(l, &known);
	ret = anpu_stream_enter(l->stream, room);
	if (ret)
		return ret;
	if (size)
		ret = anpu_stream_args(l->stream, room, (void **)&copy, &va);
	if (!ret) {
		if (size)
			memcpy(copy, args, size);
		for (i = 0; i < count; i++) {
			slot = va + holders[i].dataOffset;
			memcpy(copy + holders[i].addrOffset, &slot, sizeof(slot));
		}
		l->pkt.args = va;
		l->pkt.args_size = size;
		if (room > size && !anpu_launch_ask(l, &known, va, copy + align_up(size, 8), &ticket))
			ticket = 0;
		pkt.kernel = l->pkt;
		ret = anpu_stream_submit_locked(l->stream, &pkt, &seq);
	}
	pthread_mutex_unlock(&l->stream->lock);
	if (seq && anpu_checking())
		anpu_launch_races(l, &known, seq, ticket);
	else if (!ret && va && anpu_checking())
		anpu_launch_recorded(l, &known, va);
	return ret ? ret : settle(l->stream);
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
				       aclrtStream stream, aclrtLaunchKernelCfg *cfg,
				       void *hostArgs, size_t argsSize,
				       aclrtPlaceHolderInfo *placeHolderArray,
				       size_t placeHolderNum)
{
	struct anpu_launch l;
	aclError ret;

	ACL_ENTER();
	if (!hostArgs && argsSize)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "hostArgs is NULL and argsSize is %zu",
				argsSize);
	if (anpu_in_device_range(hostArgs))
		return acl_fail(
			ACL_ERROR_RT_PARAM_INVALID,
			"hostArgs is %p, an address of device memory, and this call wants a host "
			"pointer: use aclrtLaunchKernel() for arguments in device memory",
			hostArgs);
	ret = anpu_launch_begin(&l, funcHandle, numBlocks, cfg, stream);
	if (ret)
		return ret;
	ret = anpu_launch_host_args(&l, hostArgs, argsSize, placeHolderArray, placeHolderNum);
	anpu_launch_end(&l);
	return ret;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
	ACL_ENTER_SHORT();
	atomic_store(&default_timeout, timeout * 1000000ULL);
	return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
	ACL_ENTER_SHORT();
	atomic_store(&default_timeout, timeout * 1000ULL);
	return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(actualTimeout);
	if (timeout == TIMEOUT_UNSET)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"timeout is larger than any limit; 0 means none");
	atomic_store(&default_timeout, timeout);
	*actualTimeout = timeout;
	return ACL_SUCCESS;
}

aclError aclrtGetOpTimeOutInterval(uint64_t *interval)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(interval);
	*interval = TIMEOUT_UNIT_US;
	return ACL_SUCCESS;
}

aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
	uint64_t us = atomic_load(&default_timeout);
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(timeoutMs);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	if (us == TIMEOUT_UNSET)
		us = ctx->obj.dev->info.default_timeout_us;
	anpu_context_put(ctx);
	*timeoutMs = min_u64(us / 1000, UINT32_MAX);
	return ACL_SUCCESS;
}
