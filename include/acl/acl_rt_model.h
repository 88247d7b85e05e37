/* SPDX-License-Identifier: MIT */
/*
 * Graphs of recorded tasks, jumps within streams.
 */
#ifndef _ACL_RT_MODEL_H_
#define _ACL_RT_MODEL_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start another bound stream */
ACL_FUNC_VISIBILITY aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);

/* Jump target object */
ACL_FUNC_VISIBILITY aclError aclrtCreateLabel(aclrtLabel *label);

/* Jump table */
ACL_FUNC_VISIBILITY aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num,
		aclrtLabelList *labelList);

/* Free */
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabel(aclrtLabel label);

/* Free */
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabelList(aclrtLabelList labelList);

/* Place it in a stream */
ACL_FUNC_VISIBILITY aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);

/* Queued jump by a device index */
ACL_FUNC_VISIBILITY aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue,
		aclrtLabelList labelList, aclrtStream stream);

/* Conditional start */
ACL_FUNC_VISIBILITY aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond,
		void *rightValue, aclrtCompareDataType dataType, aclrtStream trueStream,
		aclrtStream falseStream, aclrtStream stream);

/**
 * aclmdlRICaptureBegin - start to record a stream's tasks into a graph instead of running them
 * @stream: a stream of the current context's device; NULL means its default stream
 * @mode: which calls are refused meanwhile, and for whom
 *
 * Kernels, fills, copies of device and pinned memory, and value waits and writes are recorded, with a
 * copy of host arguments. What is not (events, notifies, callbacks, graphs) is refused with 207000 and
 * makes the recording void. Synchronising the stream and copies of pageable memory are refused with
 * 107027. Other streams and threads go on as usual in all modes; in ACL_MODEL_RI_CAPTURE_MODE_RELAXED
 * another thread may end it.
 *
 * Return: ACL_SUCCESS; 100000 for another mode; 107027 if it is being recorded; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/**
 * aclmdlRICaptureEnd - end a recording
 * @stream: a stream of the current context's device; NULL means its default stream
 * @modelRI: out, the graph
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107029 if it is not being recorded; 107038 in another thread;
 * 507903 if a task was refused; 107002, 107003, 107017, 207001.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);

/**
 * aclmdlRICaptureGetInfo - is a stream being recorded
 * @stream: a stream of the current context's device; NULL means its default stream
 * @status: out
 * @modelRI: out, the graph so far
 *
 * modelRI may be NULL.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureGetInfo(aclrtStream stream,
		aclmdlRICaptureStatus *status, aclmdlRI *modelRI);

/**
 * aclmdlRIDestroy - free a graph
 * @modelRI: the graph
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107037 while it is executed; 107026 while it is recorded; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

/**
 * aclmdlRIExecuteAsync - queue a run of a graph
 * @modelRI: the graph
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous.
 *
 * Memory, operators and functions that its tasks use must still be there. Of tasks that fail the
 * stream tells as of others.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107026 while it is recorded; 107005 for a stream of another
 * device; 207000 in a stream that is being recorded; 107002, 107003, 107017, 107035.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/* Kill a replay */
ACL_FUNC_VISIBILITY aclError aclmdlRIAbort(aclmdlRI modelRI);

/* If/while/switch node */
ACL_FUNC_VISIBILITY aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream,
		uint32_t flags);

/* Attach stream */
ACL_FUNC_VISIBILITY aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream,
		uint32_t flag);

/* Build graph by hand */
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag);

/* Finish */
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve);

/* Mark group of tasks to be updated */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

/* End of it */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);

/* Begin re-submitting group */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream,
		aclrtTaskGrp handle);

/* End */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/* Swap thread's capture strictness */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/* Record into an existing graph */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
		aclmdlRICaptureMode mode);

/* Condition variable of graph */
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,
		aclmdlRICondHandleFlag flag, aclmdlRICondHandle *handle);

/* Its address */
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle,
		uint64_t **ptr);

/* Dump graph to JSON */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path,
		uint32_t flags);

/* [deprecated] print graph (old) */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

/* Hook at destroy */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func,
		void *userData);

/* Remove hook */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI,
		aclrtCallback func);

/* End mark */
ACL_FUNC_VISIBILITY aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);

/**
 * aclmdlRIExecute - run a graph in the default stream, and wait
 * @modelRI: the graph
 * @timeout: milliseconds above 0, or -1 for no limit
 *
 * Return: as aclmdlRIExecuteAsync() and aclrtSynchronizeStreamWithTimeout().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/* Id */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId);

/* Read name */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name);

/* Streams of a graph */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams,
		uint32_t *numStreams);

/* Tasks of one */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks,
		uint32_t *numTasks);

/* Launch attribute of a captured kernel */
ACL_FUNC_VISIBILITY aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task,
		aclrtLaunchKernelAttrId attrId, aclrtLaunchKernelAttrValue *attrValue);

/* Name */
ACL_FUNC_VISIBILITY aclError aclmdlRISetName(aclmdlRI modelRI, const char *name);

/* Turn a captured task off */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskDisable(aclmdlRITask task);

/* Parameters of a captured task */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params);

/* Order number */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id);

/* Kind of a task */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type);

/* Change them */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params);

/* Detach */
ACL_FUNC_VISIBILITY aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);

/* Apply changes */
ACL_FUNC_VISIBILITY aclError aclmdlRIUpdate(aclmdlRI modelRI);

/* Patch a task of a bound stream from device memory */
ACL_FUNC_VISIBILITY aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId,
		aclrtTaskUpdateInfo *info, aclrtStream execStream);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_MODEL_H_ */
