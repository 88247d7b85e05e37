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

/**
 * aclrtActiveStream - start another stream of the same graph
 * @activeStream: a stream that is bound to the graph that @stream is bound to
 * @stream: a stream of aclmdlRIBindStream()
 *
 * A task of @stream. The tasks of a graph run one after the other: those of @activeStream run when
 * @stream's have, before the execution ends.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107005 for a stream that is bound to no graph, to another,
 * or takes no more tasks; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);

/**
 * aclrtCreateLabel - make a place to jump to
 * @label: out
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 207012 beyond 65535 labels; 107002.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateLabel(aclrtLabel *label);

/**
 * aclrtCreateLabelList - make a list of labels to choose from
 * @labels: labels
 * @num: how many, 1 to 65535
 * @labelList: out
 *
 * Return: ACL_SUCCESS; 100000 for NULL or another number; 107002, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num,
		aclrtLabelList *labelList);

/**
 * aclrtDestroyLabel - free a label
 * @label: the label
 *
 * Lists and graphs that have it keep it.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabel(aclrtLabel label);

/**
 * aclrtDestroyLabelList - free a list of labels
 * @labelList: the list
 *
 * Graphs that have it keep it.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabelList(aclrtLabelList labelList);

/**
 * aclrtSetLabel - put a label behind the tasks that a stream has now
 * @label: a label that was not set
 * @stream: a stream of aclmdlRIBindStream()
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 if it was set before; 107005 for a stream that is
 * bound to no graph or takes no more tasks; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);

/**
 * aclrtSwitchLabelByIndex - go on at one of several labels
 * @ptr: a number of 32 bits in device memory, read when the graph gets there
 * @maxValue: how many labels of the list take part, from the first on
 * @labelList: labels that are set in the same graph before its end
 * @stream: a stream of aclmdlRIBindStream()
 *
 * A number that is too large chooses the last label. The label may be in another stream of the
 * graph. Jumps may form loops, which only aclmdlRIAbort() ends then.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 for another maxValue or memory that the device does
 * not reach; 107008 if ptr is no multiple of 4; 107005 for a stream that is bound to no graph or
 * takes no more tasks; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue,
		aclrtLabelList labelList, aclrtStream stream);

/**
 * aclrtSwitchStream - go on in another stream if two numbers compare so
 * @leftValue: the left number in device memory, read when the graph gets there
 * @cond: how they compare
 * @rightValue: the right number, likewise
 * @dataType: signed numbers of 32 or 64 bits
 * @trueStream: where to go if so
 * @falseStream: where to go if not; NULL: @stream goes on
 * @stream: a stream of aclmdlRIBindStream()
 *
 * The stream that is gone to runs from its first task; tasks of @stream behind the switch do not
 * run then.
 *
 * Return: ACL_SUCCESS; 100000 for NULL, another cond or type; 107000 for memory that the device
 * does not reach; 107008 for unaligned numbers; 107005 for streams that are not bound to the same
 * graph; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond,
		void *rightValue, aclrtCompareDataType dataType, aclrtStream trueStream,
		aclrtStream falseStream, aclrtStream stream);

/**
 * aclmdlRICaptureBegin - start to record a stream's tasks into a graph instead of running them
 * @stream: a stream of the current context's device, not a default one
 * @mode: which calls are refused meanwhile, and for whom
 *
 * All tasks are recorded, with a copy of host arguments: kernels, fills, copies of device and
 * pinned memory, value waits and writes, notifies, events, and host functions of
 * aclrtLaunchHostFunc(), which run in each execution. A stream that waits for an event that was
 * recorded in a stream that is being recorded is recorded into the same graph from there on, and
 * its last task must be waited for by the first stream before the end. In an execution the tasks
 * of all streams run one after the other, in the order in which they were called for.
 *
 * Some calls are refused meanwhile, and make the recording void, so that aclmdlRICaptureEnd()
 * fails: waiting for the recorded streams, their device or events, or asking whether they have
 * completed; asynchronous copies of pageable memory in such a stream (107041); callbacks of
 * aclrtLaunchCallback(), executions of graphs (207000). Synchronous copies and fills (107030) are
 * refused in ACL_MODEL_RI_CAPTURE_MODE_GLOBAL to all threads, in
 * ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL to the one that records, in
 * ACL_MODEL_RI_CAPTURE_MODE_RELAXED to none; see aclmdlRICaptureThreadExchangeMode().
 *
 * Return: ACL_SUCCESS; 100000 for another mode; 107027 if it is being recorded; 107031 for a
 * default stream; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/**
 * aclmdlRICaptureEnd - end a recording
 * @stream: the stream in which it was begun
 * @modelRI: out, the graph; may be NULL for the body of a conditional task
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107029 if it is not being recorded; 107036 for a stream
 * that has joined; 107038 in another thread, except in ACL_MODEL_RI_CAPTURE_MODE_RELAXED; 507903
 * if a call was refused or a group of tasks was not ended; 107025 if a stream that joined is not
 * waited for; 107045 if a body of a conditional task is missing; 107002, 107003, 107017, 207001,
 * 207012.
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
 * Streams that are bound to it are let go. Functions of aclmdlRIDestroyRegisterCallback() are
 * called.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107037 while it is executed; 107026 while it is recorded;
 * 107000 for the body of a conditional task; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

/**
 * aclmdlRIExecuteAsync - queue a run of a graph
 * @modelRI: the graph
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous. Executions of a graph with conditions, host functions or events of its outside, or
 * that was built by hand, run one after the other, also in several streams.
 *
 * Memory, operators and functions that its tasks use must still be there. Of tasks that fail the
 * stream tells as of others.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107026 while it is recorded or built; 107005 for a stream
 * of another device; 107000 for the body of a conditional task; 207000 in a stream that is being
 * recorded; 107002, 107003, 107017, 107035.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/**
 * aclmdlRIAbort - end the executions of a graph
 * @modelRI: the graph
 *
 * Streams in which it is executed, or is queued, drop all their tasks as by aclrtStreamAbort(). It
 * can be executed again.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107026 while it is recorded or built; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIAbort(aclmdlRI modelRI);

/**
 * aclmdlRIAddCondTask - record a task that runs one of several graphs, or one as often as wanted
 * @params: what decides, how, and how many graphs; modelRIArray receives them
 * @stream: a stream that is being recorded
 * @flags: 0
 *
 * ACL_MODEL_RI_COND_TYPE_IF runs the first graph if the condition is not 0, else the second, if
 * there is one; ACL_MODEL_RI_COND_TYPE_WHILE runs its graph as long as the condition is not 0;
 * ACL_MODEL_RI_COND_TYPE_SWITCH runs the graph with the condition's number, if there is one. The
 * device reads the condition when it gets there. Each graph is to be recorded, by
 * aclmdlRICaptureToModelRIBegin() and aclmdlRICaptureEnd(), before the end of this recording; it
 * ends with the graph that has the task. A loop whose condition never becomes 0 is ended by
 * aclmdlRIAbort().
 *
 * Return: ACL_SUCCESS; 100000 for other flags, types, sizes (1 or 2 for IF, 1 for WHILE) or NULL;
 * 107029 for a stream that is not being recorded; 107032 for a condition of another graph; 207012
 * for more than 64 conditional tasks inside each other; 207000 if device or driver are too old;
 * 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream,
		uint32_t flags);

/**
 * aclmdlRIBindStream - let a stream's tasks go into a graph that is being built
 * @modelRI: a graph of aclmdlRIBuildBegin()
 * @stream: a stream that was made with ACL_STREAM_PERSISTENT, not NULL
 * @flag: ACL_MODEL_STREAM_FLAG_HEAD for one that runs from the start of the graph,
 *	ACL_MODEL_STREAM_FLAG_DEFAULT for one that others start: aclrtActiveStream(),
 *	aclrtSwitchStream()
 *
 * Return: ACL_SUCCESS; 100000 for NULL or another flag; 107000 for another kind of stream or
 * graph; 107005 if it is bound, the graph is finished, or they belong to two devices; 107002,
 * 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream,
		uint32_t flag);

/**
 * aclmdlRIBuildBegin - start to build a graph by hand
 * @modelRI: out
 * @flag: 0
 *
 * Bind streams to it, give them tasks, call aclmdlRIEndTask() and aclmdlRIBuildEnd(), and execute
 * it.
 *
 * Return: ACL_SUCCESS; 100000 for NULL or another flag; 107002.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag);

/**
 * aclmdlRIBuildEnd - finish a graph
 * @modelRI: a graph of aclmdlRIBuildBegin()
 * @reserve: NULL
 *
 * Return: ACL_SUCCESS; 100000 for NULL or another reserve; 107000 for a graph that was recorded,
 * or a switch with a label that is not set in it; 107005 if it is finished, or none of its streams
 * is a first one; 207000 for events between streams that start each other; 507903 if a task was
 * refused; 107017, 207001, 207012.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve);

/**
 * aclmdlRICaptureTaskGrpBegin - tasks from now on form a group, which can be changed later
 * @stream: a stream that is being recorded
 *
 * Only kernels may follow (507009), and only in this stream (107034); the recording is void else.
 *
 * Return: ACL_SUCCESS; 107029 for a stream that is not being recorded; 107033 inside of another
 * group; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

/**
 * aclmdlRICaptureTaskGrpEnd - end a group of tasks
 * @stream: the stream in which it was begun
 * @handle: out; it ends with its graph
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107029 for a stream that is not being recorded; 107033 if
 * no group was begun; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);

/**
 * aclmdlRICaptureTaskUpdateBegin - the stream's next kernels replace those of a group
 * @stream: a stream that is not being recorded
 * @handle: a group of a recording that has ended
 *
 * As many kernels as the group has must follow, one for each. They do not run: a task of the
 * stream changes the graph, so that executions behind it run the new ones. Order it with
 * executions in other streams by events.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107027 for a stream that is being recorded; 107026 while
 * the graph is; 107033 if the stream or the group is being updated; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream,
		aclrtTaskGrp handle);

/**
 * aclmdlRICaptureTaskUpdateEnd - the stream's tasks run again
 * @stream: the stream
 *
 * Return: ACL_SUCCESS; 107033 if it updates no group, or had fewer kernels than that has, which
 * changes those; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/**
 * aclmdlRICaptureThreadExchangeMode - which unsafe calls are refused to the calling thread
 * @mode: the new mode; out, the old one, at first ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
 *
 * Unsafe calls are aclrtMemcpy(), aclrtMemset(), aclrtMemcpy2d(), aclrtMemcpyBatch() and
 * aclrtMemsetD32(). A recording in ACL_MODEL_RI_CAPTURE_MODE_GLOBAL refuses them to the thread
 * that began it unless that is in ACL_MODEL_RI_CAPTURE_MODE_RELAXED, and to other threads unless
 * they are in that or ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL.
 *
 * Return: ACL_SUCCESS; 100000 for NULL or another mode.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/**
 * aclmdlRICaptureToModelRIBegin - record a stream's tasks into the body of a conditional task
 * @stream: a stream of the current context's device, not a default one
 * @modelRI: a graph that aclmdlRIAddCondTask() made, and that was not recorded
 * @mode: as for aclmdlRICaptureBegin()
 *
 * Return: ACL_SUCCESS; as aclmdlRICaptureBegin(); 100000 for NULL; 107026 for another graph;
 * 107005 for a stream of another device.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
		aclmdlRICaptureMode mode);

/**
 * aclmdlRICondHandleCreate - make a condition for conditional tasks of a graph
 * @modelRI: a graph that is being recorded
 * @defaultLaunchValue: what it is at first
 * @flag: ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT: and again at the start of each execution; or 0
 * @handle: out; it ends with the graph
 *
 * Return: ACL_SUCCESS; 100000 for NULL or another flag; 107029 for a graph that is not being
 * recorded; 207012 for more than 512 in a graph; 107017, 207001.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,
		aclmdlRICondHandleFlag flag, aclmdlRICondHandle *handle);

/**
 * aclmdlRICondHandleGetCondPtr - where a condition is
 * @handle: the condition
 * @ptr: out, 8 bytes of device memory, for kernels, copies and fills; not to be freed
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle,
		uint64_t **ptr);

/**
 * aclmdlRIDebugJsonPrint - write a graph's tasks as JSON
 * @modelRI: the graph
 * @path: the file
 * @flags: ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY, or ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE with
 * 	blocks, code and
 *	arguments of kernels
 *
 * Tracing pages of browsers (chrome://tracing) show it.
 *
 * Return: ACL_SUCCESS; 100000 for NULL or other flags; 107026 while it is recorded or built;
 * 107009, 107010 if the file cannot be opened, written; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path,
		uint32_t flags);

/**
 * aclmdlRIDebugPrint - print a graph's tasks to the standard output
 * @modelRI: the graph
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107026 while it is recorded or built; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

/**
 * aclmdlRIDestroyRegisterCallback - have a function called when a graph is destroyed
 * @modelRI: the graph
 * @func: called by the thread that destroys it, after those that were registered before
 * @userData: for func
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func,
		void *userData);

/**
 * aclmdlRIDestroyUnregisterCallback - have it not called
 * @modelRI: the graph
 * @func: of several registrations, the first is undone
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 if it is not registered; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI,
		aclrtCallback func);

/**
 * aclmdlRIEndTask - a stream's tasks are complete
 * @modelRI: a graph of aclmdlRIBuildBegin()
 * @stream: a stream that is bound to it
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 for a graph that was recorded; 107005 for a stream
 * that is not bound to it, or was ended; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);

/**
 * aclmdlRIExecute - run a graph in the default stream, and wait
 * @modelRI: the graph
 * @timeout: milliseconds above 0, or -1 for no limit
 *
 * Return: as aclmdlRIExecuteAsync() and aclrtSynchronizeStreamWithTimeout().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/**
 * aclmdlRIGetId - number of a graph, unique in the process
 * @modelRI: the graph
 * @modelRIId: out
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId);

/**
 * aclmdlRIGetName - name of a graph
 * @modelRI: the graph
 * @maxLen: bytes at @name
 * @name: out; as much of it as there is room for, ended by zero; "" if it has none
 *
 * Return: ACL_SUCCESS; 100000 for NULL or 0; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name);

/**
 * aclmdlRIGetStreams - streams that a graph was made from
 * @modelRI: the graph
 * @streams: out, or NULL to ask for the number
 * @numStreams: room at @streams; out, how many there are
 *
 * Of a recorded graph they stand for its parts, the first stream's first, and are good for
 * aclmdlRIGetTasksByStream() only; of one that was built they are the bound streams.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107039 if there is too little room; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams,
		uint32_t *numStreams);

/**
 * aclmdlRIGetTasksByStream - tasks of one stream of a graph
 * @stream: of aclmdlRIGetStreams(), or a stream that records into a graph
 * @tasks: out, or NULL to ask for the number
 * @numTasks: room at @tasks; out, how many there are
 *
 * The handles end with the graph.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107005 for a stream of no graph; 107039 if there is too
 * little room; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks,
		uint32_t *numTasks);

/**
 * aclmdlRIKernelTaskGetAttribute - launch attribute of a kernel in a graph
 * @task: the task
 * @attrId: which; not the engine type, the offset of blocks, prefetching, or events
 * @attrValue: out
 *
 * Return: ACL_SUCCESS; 100000 for NULL or another attribute; 107000 if the task is no kernel;
 * 107017; 207000 for a kernel whose arguments are device memory, if one of this library's own is asked for.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task,
		aclrtLaunchKernelAttrId attrId, aclrtLaunchKernelAttrValue *attrValue);

/**
 * aclmdlRISetName - name a graph
 * @modelRI: the graph
 * @name: up to 511 bytes count; the last call counts
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRISetName(aclmdlRI modelRI, const char *name);

/**
 * aclmdlRITaskDisable - leave a task out
 * @task: the task; not a label, a switch or the end of a stream (207000)
 *
 * From the next aclmdlRIUpdate() on, for good.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107026 while the graph is recorded or built; 207000;
 * 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskDisable(aclmdlRITask task);

/**
 * aclmdlRITaskGetParams - parameters of a task
 * @task: the task
 * @params: out, by its type; of a kernel, args is in device memory, and cfg lives as long
 * 	as the graph
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params);

/**
 * aclmdlRITaskGetSeqId - place of a task in the order of its graph
 * @task: the task
 * @id: out, from 0
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id);

/**
 * aclmdlRITaskGetType - kind of a task
 * @task: the task
 * @type: out, ACL_MODEL_RI_TASK_DEFAULT for what has no type of its own
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type);

/**
 * aclmdlRITaskSetParams - change a task's parameters
 * @task: a kernel, a value write or a value wait
 * @params: of the same type, as aclmdlRITaskGetParams() gives them; isHostArgs says that
 * 	args is in host
 *	memory, which is copied
 *
 * From the next aclmdlRIUpdate() on.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 for another type, sizes that do not fit; 107026
 * while the graph is recorded or built; 207000 for other tasks; codes of aclrtLaunchKernelV2();
 * 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params);

/**
 * aclmdlRIUnbindStream - let a stream go from its graph
 * @modelRI: a graph of aclmdlRIBuildBegin()
 * @stream: a stream that is bound to it
 *
 * Tasks that the graph has from it stay.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 for a graph that was recorded; 107005 for a stream
 * that is not bound to it; 107037 while it is executed; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);

/**
 * aclmdlRIUpdate - make changes of tasks effective
 * @modelRI: the graph
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107026 while it is recorded or built; 107040 while it is
 * executed, or for the body of a conditional task, which the graph around it updates; 107017,
 * 207001.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIUpdate(aclmdlRI modelRI);

/* Patch a task of a bound stream from device memory */
ACL_FUNC_VISIBILITY aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId,
		aclrtTaskUpdateInfo *info, aclrtStream execStream);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_MODEL_H_ */
