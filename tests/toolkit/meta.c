// SPDX-License-Identifier: MIT
/* The objects of aclnn/acl_meta.h, and the functions of the other libraries that are not built; no device is used. */
#include <acl/acl.h>
#include <acl/acl_op_compiler.h>
#include <acl/acl_prof.h>
#include <acl/ops/acl_dvpp.h>
#include <aclnn/aclnn_base.h>

#include "tap.h"

#define SAYS(word)                                                      \
	do {                                                             \
		const char *text_ = aclGetRecentErrMsg();                \
		CHECK(text_ && strstr(text_, word));                     \
	} while (0)

static const int64_t view[] = { 2, 3, 4 }, storage[] = { 24 };

static aclTensor *tensor(const int64_t *strides)
{
	return aclCreateTensor(view, 3, ACL_FLOAT16, strides, 5, ACL_FORMAT_NCHW, storage, 1, (void *)0x1234);
}

static void check_numbers(int64_t *got, uint64_t n, const int64_t *want, uint64_t want_n)
{
	CHECK_EQ(n, want_n);
	CHECK(!memcmp(got, want, n * sizeof(*want)));
	free(got);
}

static void a_tensor_says_what_it_was_made_of(void)
{
	static const int64_t strides[] = { 100, 10, 2 };
	aclTensor *t = tensor(strides);
	aclDataType type;
	aclFormat format;
	int64_t *numbers, offset;
	uint64_t n;
	void *data;

	CHECK(t);
	CHECK_EQ(aclGetViewShape(t, &numbers, &n), 0);
	check_numbers(numbers, n, view, 3);
	CHECK_EQ(aclGetStorageShape(t, &numbers, &n), 0);
	check_numbers(numbers, n, storage, 1);
	CHECK_EQ(aclGetViewStrides(t, &numbers, &n), 0);
	check_numbers(numbers, n, strides, 3);
	CHECK_EQ(aclGetViewOffset(t, &offset), 0);
	CHECK_EQ(offset, 5);
	CHECK_EQ(aclGetDataType(t, &type), 0);
	CHECK_EQ(type, ACL_FLOAT16);
	CHECK_EQ(aclGetFormat(t, &format), 0);
	CHECK_EQ(format, ACL_FORMAT_NCHW);
	CHECK_EQ(aclGetRawTensorAddr(t, &data), 0);
	CHECK(data == (void *)0x1234);
	CHECK_EQ(aclSetRawTensorAddr(t, &numbers), 0);
	CHECK_EQ(aclGetRawTensorAddr(t, &data), 0);
	CHECK(data == &numbers);
	CHECK_EQ(aclDestroyTensor(t), 0);
}

static void strides_that_are_not_given_are_dense(void)
{
	static const int64_t dense[] = { 12, 4, 1 };
	aclTensor *t = tensor(NULL);
	int64_t *numbers;
	uint64_t n;

	CHECK_EQ(aclGetViewStrides(t, &numbers, &n), 0);
	check_numbers(numbers, n, dense, 3);
	CHECK_EQ(aclDestroyTensor(t), 0);
}

static void a_tensor_of_no_dimension_is_one(void)
{
	aclTensor *t = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
	int64_t *numbers = (int64_t *)1;
	uint64_t n = 1;

	CHECK(t);
	CHECK_EQ(aclGetViewShape(t, &numbers, &n), 0);
	CHECK(!numbers && !n);
	CHECK_EQ(aclDestroyTensor(t), 0);
}

static void a_tensor_can_be_described_anew(void)
{
	static const int64_t other[] = { 7 };
	aclTensor *t = tensor(NULL);
	int64_t *numbers;
	uint64_t n;

	CHECK_EQ(aclInitTensor(t, other, 1, ACL_INT8, NULL, 0, ACL_FORMAT_ND, other, 1, NULL), 0);
	CHECK_EQ(aclGetViewShape(t, &numbers, &n), 0);
	check_numbers(numbers, n, other, 1);
	/* a refused description leaves the tensor as it is */
	CHECK_EQ(aclInitTensor(t, NULL, 2, ACL_INT8, NULL, 0, ACL_FORMAT_ND, other, 1, NULL),
		 ACLNN_ERR_PARAM_NULLPTR);
	CHECK_EQ(aclGetViewShape(t, &numbers, &n), 0);
	check_numbers(numbers, n, other, 1);
	CHECK_EQ(aclDestroyTensor(t), 0);
}

static void wrong_shapes_are_refused(void)
{
	static const int64_t negative[] = { 2, -1 };

	CHECK(!aclCreateTensor(negative, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, storage, 1, NULL));
	SAYS("viewDims[1] is -1");
	CHECK(!aclCreateTensor(view, 1000, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, storage, 1, NULL));
	SAYS("viewDimsNum is 1000");
	CHECK(!aclCreateTensor(NULL, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, storage, 1, NULL));
	SAYS("viewDims is NULL");
	CHECK(!aclCreateTensor(view, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 1, NULL));
	SAYS("storageDims is NULL");
	CHECK(!aclCreateTensor(view, 3, ACL_FLOAT, NULL, -1, ACL_FORMAT_ND, storage, 1, NULL));
	SAYS("offset is -1");
}

static void what_is_destroyed_is_refused(void)
{
	aclTensor *t = tensor(NULL);
	aclIntArray *a = aclCreateIntArray(view, 3);
	int64_t offset;
	uint64_t n;

	CHECK_EQ(aclDestroyTensor(t), 0);
	CHECK_EQ(aclDestroyTensor(t), ACLNN_ERR_PARAM_INVALID);
	SAYS("was destroyed");
	CHECK_EQ(aclGetViewOffset(t, &offset), ACLNN_ERR_PARAM_INVALID);
	CHECK_EQ(aclDestroyTensor(NULL), ACLNN_ERR_PARAM_NULLPTR);
	/* another kind */
	CHECK_EQ(aclDestroyTensor((aclTensor *)a), ACLNN_ERR_PARAM_INVALID);
	SAYS("no aclTensor");
	CHECK_EQ(aclGetFloatArraySize((aclFloatArray *)a, &n), ACLNN_ERR_PARAM_INVALID);
	CHECK_EQ(aclDestroyIntArray(a), 0);
}

static void arrays_know_their_size(void)
{
	static const float floats[] = { 1, 2 };
	static const bool bools[] = { true, false, true, true };
	aclIntArray *i = aclCreateIntArray(view, 3);
	aclFloatArray *f = aclCreateFloatArray(floats, 2);
	aclBoolArray *b = aclCreateBoolArray(bools, 4);
	aclIntArray *none = aclCreateIntArray(NULL, 0);
	uint64_t n;

	CHECK_EQ(aclGetIntArraySize(i, &n), 0);
	CHECK_EQ(n, 3);
	CHECK_EQ(aclGetFloatArraySize(f, &n), 0);
	CHECK_EQ(n, 2);
	CHECK_EQ(aclGetBoolArraySize(b, &n), 0);
	CHECK_EQ(n, 4);
	CHECK_EQ(aclGetIntArraySize(none, &n), 0);
	CHECK_EQ(n, 0);
	CHECK_EQ(aclGetIntArraySize(i, NULL), ACLNN_ERR_PARAM_NULLPTR);
	CHECK(!aclCreateIntArray(NULL, 2));
	CHECK(!aclCreateIntArray(view, UINT64_MAX));
	SAYS("size is 18446744073709551615");
	CHECK_EQ(aclDestroyIntArray(i), 0);
	CHECK_EQ(aclDestroyIntArray(none), 0);
	CHECK_EQ(aclDestroyFloatArray(f), 0);
	CHECK_EQ(aclDestroyBoolArray(b), 0);
}

static void a_list_owns_its_tensors(void)
{
	const aclTensor *in[] = { tensor(NULL), NULL, tensor(NULL) };
	aclTensorList *list = aclCreateTensorList(in, 3);
	uint64_t n;

	CHECK(list);
	CHECK_EQ(aclGetTensorListSize(list, &n), 0);
	CHECK_EQ(n, 3);
	CHECK_EQ(aclDestroyTensor(in[0]), ACLNN_ERR_PARAM_INVALID);
	SAYS("belongs to the aclTensorList");
	CHECK(!aclCreateTensorList(in, 1));
	SAYS("in another list already");
	CHECK_EQ(aclDestroyTensorList(list), 0);
	CHECK_EQ(aclDestroyTensor(in[0]), ACLNN_ERR_PARAM_INVALID);
	CHECK_EQ(aclDestroyTensorList(list), ACLNN_ERR_PARAM_INVALID);
}

static void a_refused_list_leaves_its_tensors(void)
{
	const aclTensor *t = tensor(NULL), *twice[] = { t, t }, *wrong[] = { t, (aclTensor *)&t };

	CHECK(!aclCreateTensorList(twice, 2));
	SAYS("in this list already");
	CHECK(!aclCreateTensorList(wrong, 2));
	SAYS("no aclTensor");
	CHECK_EQ(aclDestroyTensor(t), 0);
}

static void scalars_and_their_lists(void)
{
	float value = 1.5f;
	const aclScalar *in[] = { aclCreateScalar(&value, ACL_FLOAT), aclCreateScalar(&value, ACL_INT32) };
	aclScalarList *list = aclCreateScalarList(in, 2);
	aclScalar *alone = aclCreateScalar(&value, ACL_BOOL);
	uint64_t n;

	CHECK(list && alone);
	CHECK_EQ(aclGetScalarListSize(list, &n), 0);
	CHECK_EQ(n, 2);
	CHECK_EQ(aclDestroyScalar(in[1]), ACLNN_ERR_PARAM_INVALID);
	CHECK_EQ(aclDestroyScalarList(list), 0);
	CHECK_EQ(aclDestroyScalar(alone), 0);
	CHECK(!aclCreateScalar(NULL, ACL_FLOAT));
	CHECK(!aclCreateScalar(&value, ACL_INT4));
	SAYS("no whole number of bytes");
}

static void what_is_not_built_says_so(void)
{
	CHECK_EQ(aclnnInit(NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	SAYS("aclnnInit is not supported");
	CHECK_EQ(aclSetCompileopt(ACL_PRECISION_MODE, "x"), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	SAYS("anpucc compiles sources");
	CHECK_EQ(aclGetCompileoptSize(ACL_PRECISION_MODE), 0);
	CHECK(!acldvppCreateChannelDesc());
	SAYS("no units for pictures");
	CHECK_EQ(aclSetAclOpExecutorRepeatable(NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

static void profiling_without_a_device(void)
{
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, 0);
	void *stamp = aclprofCreateStamp();
	uint32_t range;

	CHECK(config && stamp);
	CHECK_EQ(aclprofStart(config), ACL_ERROR_PROF_NOT_RUN);
	SAYS("aclprofInit() was not called");
	CHECK_EQ(aclprofInit("/nonexistent", 12), ACL_ERROR_INVALID_FILE);
	SAYS("'/nonexistent' is no folder");
	CHECK_EQ(aclprofInit(NULL, 1), ACL_ERROR_INVALID_PARAM);
	CHECK_EQ(aclprofInit("/tmp", 4), 0);
	CHECK_EQ(aclprofInit("/tmp", 4), ACL_ERROR_PROF_ALREADY_RUN);
	CHECK_EQ(aclprofStop(config), ACL_ERROR_PROF_NOT_RUN);
	CHECK_EQ(aclprofSetStampTraceMessage(stamp, "work", 4), 0);
	CHECK_EQ(aclprofPop(), ACL_ERROR_PROFILING_FAILURE);
	CHECK_EQ(aclprofPush(stamp), 0);
	CHECK_EQ(aclprofPop(), 0);
	CHECK_EQ(aclprofRangeStart(stamp, &range), 0);
	CHECK_EQ(aclprofRangeStop(range), 0);
	CHECK_EQ(aclprofRangeStop(range), ACL_ERROR_INVALID_PARAM);
	CHECK_EQ(aclprofFinalize(), 0);
	CHECK_EQ(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
	CHECK(!aclprofCreateConfig(NULL, 1, ACL_AICORE_NONE, NULL, 0));
	aclprofDestroyStamp(stamp);
	CHECK_EQ(aclprofDestroyConfig(config), 0);
}

TAP_MAIN(TEST(a_tensor_says_what_it_was_made_of),
	 TEST(strides_that_are_not_given_are_dense),
	 TEST(a_tensor_of_no_dimension_is_one),
	 TEST(a_tensor_can_be_described_anew),
	 TEST(wrong_shapes_are_refused),
	 TEST(what_is_destroyed_is_refused),
	 TEST(arrays_know_their_size),
	 TEST(a_list_owns_its_tensors),
	 TEST(a_refused_list_leaves_its_tensors),
	 TEST(scalars_and_their_lists),
	 TEST(profiling_without_a_device),
	 TEST(what_is_not_built_says_so))
