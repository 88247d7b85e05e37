// SPDX-License-Identifier: MIT
/*
 * Random numbers: a task that the device makes by itself. Parameters lie in the task, or in memory
 * that is read when it runs.
 */
#include <string.h>

#include "copy/copy.h"

#define ull(x) ((unsigned long long)(x))

/* The task that is being built, and the memory that it uses */
struct task {
	const struct anpu_stream *s;
	struct anpu_pkt_random *p;
	struct anpu_mem mem[6]; /* result, counter, count, seed, two parameters */
	unsigned int n;
};

static aclError find_type(aclDataType type, uint8_t *out)
{
	static const struct {
		aclDataType acl;
		uint8_t anpu;
	} types[] = {
		{ ACL_INT32, ANPU_RANDOM_S32 },	  { ACL_INT64, ANPU_RANDOM_S64 },
		{ ACL_UINT32, ANPU_RANDOM_U32 },  { ACL_UINT64, ANPU_RANDOM_U64 },
		{ ACL_FLOAT16, ANPU_RANDOM_F16 }, { ACL_BF16, ANPU_RANDOM_BF16 },
		{ ACL_FLOAT, ANPU_RANDOM_F32 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].acl == type) {
			*out = types[i].anpu;
			return ACL_SUCCESS;
		}
	}
	return acl_fail(ACL_ERROR_INVALID_PARAM,
			"taskInfo->dataType is %d and random numbers are ACL_INT32, ACL_INT64, "
			"ACL_UINT32, ACL_UINT64, ACL_FLOAT16, ACL_BF16 or ACL_FLOAT",
			(int)type);
}

static aclError find_dist(aclrtRandomNumFuncType func, struct anpu_pkt_random *p)
{
	static const uint8_t dists[] = {
		[ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK] = ANPU_RANDOM_BITMASK,
		[ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS] = ANPU_RANDOM_UNIFORM,
		[ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS] = ANPU_RANDOM_NORMAL,
		[ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS] = ANPU_RANDOM_TRUNCATED_NORMAL,
	};

	if ((unsigned int)func >= ARRAY_SIZE(dists))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"funcType is %d and must be 0 (mask), 1 (uniform), 2 (normal) or 3 "
				"(truncated normal)",
				(int)func);
	p->dist = dists[func];
	if (p->dist == ANPU_RANDOM_UNIFORM || p->type >= ANPU_RANDOM_F16)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"funcType is %d, which has the types ACL_FLOAT16, ACL_BF16 and ACL_FLOAT: only "
			"uniform numbers are integers, too",
			(int)func);
}

/* Memory that the stream's device reads or writes when the task runs */
static aclError use(struct task *t, const void *ptr, uint64_t size, const char *name)
{
	aclError ret = anpu_mem_look_reached(ptr, size, name, t->s, &t->mem[t->n]);

	if (!ret)
		t->n++;
	return ret;
}

/* A value of @size bytes, or the address of one, which sets @flag in the packet */
static aclError take(struct task *t, const aclrtRandomParaInfo *info, uint32_t size,
		     const char *name, __u64 *field, uint16_t flag)
{
	uint32_t bytes = info->isAddr ? 8 : size;
	void *ptr;

	if (info->isAddr > 1)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"%s.isAddr is %u and must be 0 for a value or 1 for its address", name,
				info->isAddr);
	if (info->size != bytes)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%s.size is %u and must be %u, the bytes of %s", name, info->size,
				bytes, info->isAddr ? "an address" : "the value");
	memcpy(field, info->valueOrAddr, bytes);
	if (!info->isAddr)
		return ACL_SUCCESS;
	t->p->hdr.flags |= flag;
	ptr = (void *)(uintptr_t)*field;
	return ptr ? use(t, ptr, size, name)
		   : acl_fail(ACL_ERROR_INVALID_PARAM, "%s is the address NULL", name);
}

static aclError take_values(struct task *t, const aclrtRandomNumTaskInfo *info)
{
	const aclrtUniformDisInfo *values = &info->randomNumFuncParaInfo.paramInfo.uniformDisInfo;
	struct anpu_pkt_random *p = t->p;
	bool uniform = p->dist == ANPU_RANDOM_UNIFORM, mask = p->dist == ANPU_RANDOM_BITMASK;
	uint32_t size = ANPU_RANDOM_SIZE(p->type);
	aclError ret;

	/* a mean and a ratio stand where a minimum does, a deviation where a maximum does */
	ret = take(t, &values->min, size, uniform ? "min" : mask ? "dropoutRation" : "mean", &p->a,
		   ANPU_RANDOM_A_AT);
	if (!ret && !mask)
		ret = take(t, &values->max, size, uniform ? "max" : "stddev", &p->b,
			   ANPU_RANDOM_B_AT);
	if (!ret)
		ret = take(t, &info->randomSeed, 8, "randomSeed", &p->seed, ANPU_RANDOM_SEED_AT);
	if (!ret)
		ret = take(t, &info->randomNum, 8, "randomNum", &p->count, ANPU_RANDOM_COUNT_AT);
	return ret;
}

/* If the number of elements lies in memory, only the device knows how much is written */
static aclError take_result(struct task *t, void *ptr)
{
	struct anpu_pkt_random *p = t->p;
	uint64_t count = p->hdr.flags & ANPU_RANDOM_COUNT_AT ? 1 : p->count;
	uint32_t size = ANPU_RANDOM_SIZE(p->type);
	bool mask = p->dist == ANPU_RANDOM_BITMASK;

	if (!mask && (uintptr_t)ptr % size)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"randomResultAddr is %p and must be a multiple of the type's %u bytes",
				ptr, size);
	if (!mask && count > UINT64_MAX / size)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"randomNum is %llu, more than any memory has room for", ull(count));
	p->dst = (uintptr_t)ptr;
	return use(t, ptr, mask ? count / 8 + !!(count % 8) : count * size, "randomResultAddr");
}

static aclError check(const aclrtRandomNumTaskInfo *info, void *reserve)
{
	if (reserve)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "reserve is %p and must be NULL", reserve);
	if (!info->randomResultAddr || !info->randomCounterAddr)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"randomResultAddr is %p and randomCounterAddr is %p: both are needed",
				info->randomResultAddr, info->randomCounterAddr);
	if (info->randomParaAddr)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"randomParaAddr is %p and must be NULL: how parameters lie there is "
				"documented nowhere; give their addresses by isAddr",
				info->randomParaAddr);
	return ACL_SUCCESS;
}

static aclError submit(const aclrtRandomNumTaskInfo *info, struct anpu_stream *s)
{
	union anpu_packet pkt = { .random = { .hdr.opcode = ANPU_OP_RANDOM,
					      .counter = (uintptr_t)info->randomCounterAddr } };
	struct task t = { .s = s, .p = &pkt.random };
	aclError ret;

	if (!(s->obj.dev->info.flags & DRM_ANPU_INFO_RANDOM))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"device %d or its driver does not know random numbers (RANDOM, since "
				"1.4)",
				s->obj.dev->id);
	ret = find_type(info->dataType, &pkt.random.type);
	if (!ret)
		ret = find_dist(info->randomNumFuncParaInfo.funcType, &pkt.random);
	if (!ret)
		ret = take_values(&t, info);
	if (!ret)
		ret = take_result(&t, info->randomResultAddr);
	if (!ret)
		ret = use(&t, info->randomCounterAddr, 16, "randomCounterAddr");
	if (!ret)
		ret = anpu_stream_submit(s, &pkt, NULL);
	while (t.n)
		anpu_mem_done(&t.mem[--t.n]);
	return ret;
}

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo, const aclrtStream stream,
			     void *reserve)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(taskInfo);
	ret = check(taskInfo, reserve);
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = submit(taskInfo, s);
	anpu_stream_put(s);
	return ret;
}
