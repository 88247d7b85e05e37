// SPDX-License-Identifier: MIT
/*
 * dst = dst op src on the device: tasks of the device where it has them, else the operator in ops/reduce.c.
 */
#include "hccl_inside.h"

extern const char hccl_ops[], hccl_ops_end[];

/* @prod and so on: kernels, or NULL: the device's own reduction with the type @acl */
static const struct type {
	const char *name;
	uint32_t size;
	aclDataType acl;
	const char *kernel[4]; /* by HcclReduceOp */
	bool moved_only;
} types[] = {
	[HCCL_DATA_TYPE_INT8] = { "int8", 1, ACL_INT8, { NULL, "prod_8", NULL, NULL }, false },
	[HCCL_DATA_TYPE_INT16] = { "int16", 2, ACL_INT16, { NULL, "prod_16", NULL, NULL }, false },
	[HCCL_DATA_TYPE_INT32] = { "int32", 4, ACL_INT32, { NULL, "prod_32", NULL, NULL }, false },
	[HCCL_DATA_TYPE_FP16] = { "fp16", 2, ACL_FLOAT16, { NULL, "prod_f16", NULL, NULL }, false },
	[HCCL_DATA_TYPE_FP32] = { "fp32", 4, ACL_FLOAT, { NULL, "prod_f32", NULL, NULL }, false },
	[HCCL_DATA_TYPE_INT64] = { "int64", 8, ACL_INT64, { "sum_64", "prod_64", "max_s64", "min_s64" }, false },
	[HCCL_DATA_TYPE_UINT64] = { "uint64", 8, ACL_UINT64, { "sum_64", "prod_64", "max_u64", "min_u64" }, false },
	/* sums of unsigned numbers are those of signed ones */
	[HCCL_DATA_TYPE_UINT8] = { "uint8", 1, ACL_INT8, { NULL, "prod_8", "max_u8", "min_u8" }, false },
	[HCCL_DATA_TYPE_UINT16] = { "uint16", 2, ACL_INT16, { NULL, "prod_16", "max_u16", "min_u16" }, false },
	[HCCL_DATA_TYPE_UINT32] = { "uint32", 4, ACL_INT32, { NULL, "prod_32", "max_u32", "min_u32" }, false },
	[HCCL_DATA_TYPE_FP64] = { "fp64", 8, ACL_DOUBLE, { "sum_f64", "prod_f64", "max_f64", "min_f64" }, false },
	[HCCL_DATA_TYPE_BFP16] = { "bfp16", 2, ACL_BF16, { NULL, "prod_bf16", NULL, NULL }, false },
	[HCCL_DATA_TYPE_INT128] = { .name = "int128", .size = 16, .moved_only = true },
	[HCCL_DATA_TYPE_HIF8] = { .name = "hif8", .size = 1, .moved_only = true },
	[HCCL_DATA_TYPE_FP8E4M3] = { .name = "fp8e4m3", .size = 1, .moved_only = true },
	[HCCL_DATA_TYPE_FP8E5M2] = { .name = "fp8e5m2", .size = 1, .moved_only = true },
	[HCCL_DATA_TYPE_FP8E8M0] = { .name = "fp8e8m0", .size = 1, .moved_only = true },
};

/* Elements of one block of the operator, at least */
#define SHARE	   4096
#define BLOCKS_MAX 8

uint32_t hccl_type_size(HcclDataType type)
{
	return (unsigned int)type < ARRAY_SIZE(types) ? types[type].size : 0;
}

const char *hccl_type_name(HcclDataType type)
{
	return hccl_type_size(type) ? types[type].name : "unknown";
}

bool hccl_can_reduce(HcclDataType type)
{
	return hccl_type_size(type) && !types[type].moved_only;
}

HcclResult hccl_reduce_load(struct hccl_comm *c)
{
	aclError err = aclrtBinaryLoadFromData(hccl_ops, (size_t)(hccl_ops_end - hccl_ops), NULL, &c->binary);

	return err ? hccl_fail_acl(err, "aclrtBinaryLoadFromData() of the operator that reduces") : HCCL_SUCCESS;
}

static aclError launch(struct hccl_run *r, const char *kernel, void *dst, const void *src, uint64_t n)
{
	uint64_t args[] = { (uintptr_t)dst, (uintptr_t)src, n };
	uint64_t blocks = (n + SHARE - 1) / SHARE;
	aclrtFuncHandle func;
	aclError err = aclrtBinaryGetFunction(r->c->binary, kernel, &func);

	if (err)
		return err;
	return aclrtLaunchKernelWithHostArgs(func, (uint32_t)(blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX), r->stream, NULL,
					     args, sizeof(args), NULL, 0);
}

void hccl_reduce(struct hccl_run *r, void *dst, const void *src, uint64_t bytes)
{
	static const aclrtReduceKind kind[] = {
		[HCCL_REDUCE_SUM] = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
		[HCCL_REDUCE_MAX] = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX,
		[HCCL_REDUCE_MIN] = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN,
	};
	const struct type *t = &types[r->type];
	const char *kernel = t->kernel[r->op];
	aclError err;

	if (!bytes || r->ret)
		return;
	err = kernel ? launch(r, kernel, dst, src, bytes / t->size) :
		aclrtReduceAsync(dst, src, bytes, kind[r->op], t->acl, r->stream, NULL);
	if (err)
		r->ret = hccl_fail_acl(err, kernel ? kernel : "aclrtReduceAsync()");
}
