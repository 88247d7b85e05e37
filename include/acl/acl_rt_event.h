/* SPDX-License-Identifier: MIT */
/*
 * Events: order between streams, and time.
 */
#ifndef _ACL_RT_EVENT_H_
#define _ACL_RT_EVENT_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtCreateEvent - make an event for timing and for waiting
 * @event: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);

/**
 * aclrtCreateEventWithFlag - make an event with chosen properties
 * @event: out
 * @flag: ACL_EVENT_* bits, ACL_EVENT_EXTERNAL only alone
 *
 * Without ACL_EVENT_SYNC no stream can wait for it, it cannot be reset, and
 * aclrtQueryEventWaitStatus() refuses it; without ACL_EVENT_TIME_LINE it has no time stamp.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or unknown bits; ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/**
 * aclrtDestroyEvent - free an event
 * @event: event handle
 *
 * It may be pending: streams that wait for it are still released, when its record has run; those that
 * wait for a record which was not called for go on at once.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no event.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/**
 * aclrtEventElapsedTime - time between two events that were recorded in one stream and have
 *	completed
 * @ms: out, milliseconds
 * @startEvent: the earlier one
 * @endEvent: the later one
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID when one has no time stamp;
 *	ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL when the end lies before the start.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent,
		aclrtEvent endEvent);

/**
 * aclrtQueryEvent - old form of aclrtQueryEventStatus(), with the opposite numbers
 * @event: event handle
 * @status: out, ACL_EVENT_STATUS_COMPLETE is 0
 *
 * Deprecated.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT for events of aclrtCreateEventExWithFlag().
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);

/**
 * aclrtQueryEventStatus - has an event's record run
 * @event: event handle
 * @status: out, ACL_EVENT_RECORDED_STATUS_COMPLETE is 1
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event,
		aclrtEventRecordedStatus *status);

/**
 * aclrtRecordEvent - queue a record: the event completes when all that was queued before has run
 * @event: event handle
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/**
 * aclrtResetEvent - queue a reset, to run after the tasks queued before it in the stream
 * @event: event handle
 * @stream: the stream that waited for the event; NULL means the default stream
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT for events that cannot be waited for, and for those of
 *	aclrtCreateEventExWithFlag().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/**
 * aclrtStreamWaitEvent - queue a wait: later tasks of the stream start after the event completed
 * @stream: a stream of the current context's device; NULL means its default stream
 * @event: event handle
 *
 * Asynchronous; many streams may wait for one event.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an event that was made without ACL_EVENT_SYNC.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/**
 * aclrtSynchronizeEvent - block this thread until an event completed
 * @event: event handle
 *
 * Waits for the latest record. An event of aclrtCreateEvent() or aclrtCreateEventWithFlag() that was
 * never recorded, or was reset, is waited for until another thread has recorded it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_INVALID_HANDLE when it was destroyed, or its device reset, before any record;
 *	ACL_ERROR_RT_IPC_ERROR when the record is of another process, which has ended before it ran.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/**
 * aclrtCreateEventExWithFlag - make an event that may be recorded again and again: a wait binds to
 *	the latest record at the time of the call, and a never recorded event counts as complete
 * @event: out
 * @flag: ACL_EVENT_* bits, ACL_EVENT_IPC included
 *
 * It cannot be reset. Without ACL_EVENT_SYNC or ACL_EVENT_IPC no stream can wait for it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/**
 * aclrtEventGetTimestamp - time at which an event completed
 * @event: event handle
 * @timestamp: out, microseconds since the device started
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID when there is none.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/**
 * aclrtQueryEventWaitStatus - have all waits for an event been satisfied
 * @event: event handle
 * @status: out, 0 when they have
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT for events without ACL_EVENT_SYNC, and for those of
 *	aclrtCreateEventExWithFlag().
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event,
		aclrtEventWaitStatus *status);

/**
 * aclrtSetOpWaitTimeout - default limit of waits for events in this process
 * @timeout: seconds, 0 for no limit
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/**
 * aclrtSynchronizeEventWithTimeout - as aclrtSynchronizeEvent(), for a limited time
 * @event: event handle
 * @timeout: milliseconds above 0, or -1 for no limit
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_EVENT_SYNC_TIMEOUT when it expires.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/**
 * aclrtGetEventAvailNum - how many more events can be made
 * @eventCount: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/**
 * aclrtGetEventId - number of an event in this process
 * @event: event handle
 * @eventId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId);

/**
 * aclrtRecordEventWithFlag - record an event, also as one outside of a graph
 * @event: event handle
 * @stream: a stream of the current context's device; NULL means its default stream
 * @flag: ACL_EVENT_RECORD_DEFAULT: as aclrtRecordEvent(); ACL_EVENT_RECORD_EXTERNAL: in a
 * 	stream that is
 *	being recorded, so that each execution of the graph records the event anew, and streams
 *	outside of it, or other graphs, can wait for that
 *
 * Return: as aclrtRecordEvent(); ACL_ERROR_INVALID_PARAM for other flags, or an external record of
 * an
 *	event that was not made by aclrtCreateEventExWithFlag() with ACL_EVENT_SYNC, or that and
 *	ACL_EVENT_TIME_LINE, alone;
 *	ACL_ERROR_RT_STREAM_NOT_CAPTURED for a stream that is not being recorded;
 *	ACL_ERROR_RT_EVENT_CAPTURED for an event of the recording itself;
 *	ACL_ERROR_STREAM_CAPTURE_CONFLICT if the same graph waits for it.
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream,
		uint32_t flag);

/**
 * aclrtStreamWaitEventWithFlag - wait for an event, also for one outside of a graph
 * @stream: a stream of the current context's device; NULL means its default stream
 * @event: event handle
 * @timeout: seconds, 0 for no limit; 0 with ACL_EVENT_WAIT_EXTERNAL
 * @flag: ACL_EVENT_WAIT_DEFAULT: as aclrtStreamWaitEventWithTimeout();
 * 	ACL_EVENT_WAIT_EXTERNAL: in a
 *	stream that is being recorded, so that each execution of the graph waits for the latest
 *	record that was called for before it
 *
 * Return: as aclrtStreamWaitEvent(); the codes of aclrtRecordEventWithFlag().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,
		uint32_t timeout, uint32_t flag);

/**
 * aclrtStreamWaitEventWithTimeout - as aclrtStreamWaitEvent(), for a limited time
 * @stream: a stream of the current context's device; NULL means its default stream
 * @event: event handle
 * @timeout: seconds, 0 for no limit
 *
 * Asynchronous. A wait that expires is a failure of the stream, which aclrtSynchronizeStream()
 * reports.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or a negative timeout; ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an event that cannot be
 *	waited for.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
		int32_t timeout);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_EVENT_H_ */
