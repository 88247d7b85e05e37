/* SPDX-License-Identifier: MIT */
/*
 * Objects that describe arguments of operators by name: tensors, scalars, arrays, lists. libnnopbase.so
 * has the functions. An object keeps copies of what it is made of, but never of a tensor's data.
 */
#ifndef ACLNN_ACL_META_H_
#define ACLNN_ACL_META_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl_base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0, or one of the codes below */
typedef int32_t aclnnStatus;

#define ACLNN_SUCCESS 0
#define ACLNN_ERR_PARAM_NULLPTR 161001
#define ACLNN_ERR_PARAM_INVALID 161002
#define ACLNN_ERR_RUNTIME_ERROR 361001
#define ACLNN_ERR_INNER 561000

typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
/* The first of an operator's two calls gives an executor to the second; no operator is built, so nothing makes one */
typedef struct aclOpExecutor aclOpExecutor;

/**
 * aclCreateTensor - describe a tensor
 * @viewDims: the shape that operators see, @viewDimsNum numbers that are not negative; NULL for a tensor
 *	of no dimension
 * @viewDimsNum: number of dimensions
 * @dataType: type of an element
 * @stride: elements from one index of a dimension to the next, one for each dimension; NULL for a tensor
 *	without gaps, the last dimension first in memory
 * @offset: elements from the data's begin to the first element of the view
 * @format: meaning of the dimensions
 * @storageDims: shape of the memory
 * @storageDimsNum: its number of dimensions
 * @tensorData: the data on the device, which is not looked at and may be NULL
 *
 * Return: the tensor, to be freed with aclDestroyTensor(); NULL with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum,
		aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format,
		const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData);

/**
 * aclInitTensor - describe another tensor in place of the one that was described
 * @tensor: a tensor of aclCreateTensor(); the others as there
 *
 * Return: ACLNN_SUCCESS or a code.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims,
		uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride, int64_t offset,
		aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
		void *tensorDataAddr);

/**
 * aclCreateScalar - a value of a type
 * @value: host memory with the value, as many bytes as the type has
 * @dataType: type, with a whole number of bytes
 *
 * Return: the scalar, to be freed with aclDestroyScalar(), or NULL.
 */
ACL_FUNC_VISIBILITY aclScalar *aclCreateScalar(void *value, aclDataType dataType);

/**
 * aclCreateIntArray - an array of 64-bit integers
 * @value: @size numbers, which are copied; NULL if @size is 0
 * @size: how many
 *
 * Return: the array, to be freed with aclDestroyIntArray(), or NULL.
 */
ACL_FUNC_VISIBILITY aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size);
/* The same of floats */
ACL_FUNC_VISIBILITY aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size);
/* The same of truth values */
ACL_FUNC_VISIBILITY aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size);

/**
 * aclCreateTensorList - a list of tensors, which belong to the list from now on
 * @value: @size tensors; entries may be NULL
 * @size: how many
 *
 * Return: the list, to be freed with aclDestroyTensorList(), or NULL; then the tensors stay the caller's.
 */
ACL_FUNC_VISIBILITY aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size);
/* The same of scalars */
ACL_FUNC_VISIBILITY aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size);

/**
 * aclDestroyTensor - free a tensor, not its data
 * @tensor: a tensor that is in no list
 *
 * Return: ACLNN_SUCCESS; ACLNN_ERR_PARAM_NULLPTR; ACLNN_ERR_PARAM_INVALID for what is no tensor (any more).
 */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensor(const aclTensor *tensor);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalar(const aclScalar *scalar);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyIntArray(const aclIntArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyFloatArray(const aclFloatArray *array);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyBoolArray(const aclBoolArray *array);
/* Frees the list and the tensors in it */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyTensorList(const aclTensorList *array);
/* Frees the list and the scalars in it */
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyScalarList(const aclScalarList *array);

/**
 * aclGetViewShape - the shape that operators see
 * @tensor: tensor
 * @viewDims: where to put the address of a new array, which the caller frees with delete[] or free(); NULL
 *	for a tensor of no dimension
 * @viewDimsNum: where to put its length
 *
 * Return: ACLNN_SUCCESS or a code.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims,
		uint64_t *viewDimsNum);
/* The same with the shape of the memory */
ACL_FUNC_VISIBILITY aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,
		uint64_t *storageDimsNum);
/* The same with the strides, also where aclCreateTensor() was given none */
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,
		uint64_t *stridesNum);
ACL_FUNC_VISIBILITY aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format);
ACL_FUNC_VISIBILITY aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType);
/* The data's address, as it was given */
ACL_FUNC_VISIBILITY aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr);

ACL_FUNC_VISIBILITY aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size);
ACL_FUNC_VISIBILITY aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size);

/* Of executors: not built, as no operator is */
ACL_FUNC_VISIBILITY aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);
ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);
ACL_FUNC_VISIBILITY aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index,
		aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
		const size_t relativeIndex, aclTensorList *tensors, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index,
		aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index,
		aclTensor *tensor, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex,
		const size_t relativeIndex, aclTensorList *tensors, void *addr);
ACL_FUNC_VISIBILITY aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex,
		const size_t relativeIndex, aclTensorList *tensors, void *addr);

#ifdef __cplusplus
}
#endif

#endif /* ACLNN_ACL_META_H_ */
