/* SPDX-License-Identifier: MIT */
/*
 * The room graph: recording streams into graphs, and executing these.
 *
 * Uses: util, core, device, memory, stream, copy, sync, launch.
 * Private: inside.h
 */
#ifndef ANPU_GRAPH_H
#define ANPU_GRAPH_H

#include "launch/launch.h"
#include "sync/sync.h"

#include "graph/front.h"

/* A packet of a stream that records; stream locked */
aclError anpu_graph_record(struct anpu_stream *s, const union anpu_packet *pkt);
/* Room for its arguments; stream locked */
aclError anpu_graph_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va);
/* A host function for a stream that records; stream locked */
aclError anpu_graph_host_func(struct anpu_stream *s, void (*fn)(void *), void *arg);
/* 207000, because it cannot be recorded: the recording is void. Stream locked */
aclError anpu_graph_cannot(struct anpu_stream *s, const char *what);
/* 107027 if the stream records, and the recording is void then; stream not locked */
aclError anpu_graph_refuse(struct anpu_stream *s, const char *what);
/* @code if it is being recorded, which is void then; stream not locked */
aclError anpu_graph_illegal(struct anpu_stream *s, aclError code, const char *what);
/* The stream ends, and with it what it records or updates; not locked */
void anpu_graph_leave(struct anpu_stream *s);
/* 107030 if a recording forbids the calling thread what is done at once; the recording is void then */
aclError anpu_capture_unsafe(const char *what);
/* 107027 if a stream of the device is being recorded; the recording is void then */
aclError anpu_capture_device(struct anpu_device *dev, const char *what);

/* The functions that follow are called with the event locked */
bool anpu_capture_live(const struct anpu_capture_point *p);
void anpu_capture_forget(struct anpu_capture_point *p);
/* 107028 if the event belongs to a recording, which is void then */
aclError anpu_capture_refuse_event(struct anpu_capture_point *p, const char *what);
/* Records the task if the stream does; with @p the event is there from now on */
aclError anpu_capture_event(struct anpu_stream *s, const struct anpu_event_task *info,
			    struct anpu_capture_point *p, bool *recorded);
/* The stream waits for an event of a recording, and joins that if it does not record */
aclError anpu_capture_wait(struct anpu_stream *s, const struct anpu_event_task *info,
			   struct anpu_capture_point *p);
/* 107024 if the stream is being recorded, because the event was not recorded there */
aclError anpu_capture_dependency(struct anpu_stream *s, aclrtEvent event, bool *captured);
/* waits.c: the graph that task @seq of the stream executes, and the waits in it; false: it is none */
bool anpu_graph_waits_text(struct anpu_stream *s, uint64_t seq, char *buf, size_t size);
/* call.c: host functions in graphs. An execution has come to it, and it has not returned; it has begun */
bool anpu_graph_call_pending(const struct anpu_graph_call *call);
bool anpu_graph_call_runs(const struct anpu_graph_call *call);
void anpu_graph_call_end(struct anpu_graph_call *call);
/* A NOTIFY with this cookie was executed; (0) events were lost. The device's events_lock is held */
void anpu_graph_call_reached(struct anpu_device *dev, uint64_t cookie);

#endif /* ANPU_GRAPH_H */
