/* SPDX-License-Identifier: MIT */
/*
 * Recording: tasks of a stream that do not run, because somebody takes them. The stream asks before a
 * task goes into its ring, and other rooms before they do something that a recording forbids. The
 * room graph is the one that takes tasks; rooms.c has its functions.
 */
#ifndef ANPU_RECORDER_H
#define ANPU_RECORDER_H

#include <anpu/anpu_packet.h>

#include "device/device.h"

struct anpu_graph;
struct anpu_stream;

/* Where in a recording an event was recorded: what its stream had waited for up to there */
struct anpu_capture_point {
	struct anpu_graph *graph; /* referenced */
	uint32_t *known;
	uint32_t lanes;
	uint32_t *ends; /* tasks behind which what waits for the event comes */
	uint32_t end_count;
};

/* A task of an event in a graph */
struct anpu_event_task {
	aclmdlRITaskType type;
	aclrtEvent event;
	uint32_t event_flags, flag;
	struct acl_obj *obj; /* the event, if each execution is to record it or wait for it anew */
	const union anpu_packet *packets;
	uint32_t count;
};

struct anpu_recorder {
	/* Tasks of a stream for which anpu_stream_recorded() holds; stream locked */

	/* a packet */
	aclError (*packet)(struct anpu_stream *s, const union anpu_packet *pkt);
	/* room for its arguments */
	aclError (*args)(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va);
	/* a host function */
	aclError (*host_func)(struct anpu_stream *s, void (*fn)(void *), void *arg);
	/* 207000, because it cannot be recorded: the recording is void */
	aclError (*cannot)(struct anpu_stream *s, const char *what);

	/* Calls that a recording forbids; nothing locked */

	/* 107027 if the stream is recorded */
	aclError (*refuse)(struct anpu_stream *s, const char *what);
	/* @code if it is being recorded; the recording is void then */
	aclError (*illegal)(struct anpu_stream *s, aclError code, const char *what);
	/* 107030 if a recording forbids the calling thread what is done at once; it is void then */
	aclError (*unsafe)(const char *what);
	/* 107027 if a stream of the device is being recorded; the recording is void then */
	aclError (*device)(struct anpu_device *dev, const char *what);

	/* Events; called with the event locked */

	/* Records the task if the stream does; with @p the event is there from now on */
	aclError (*event)(struct anpu_stream *s, const struct anpu_event_task *info,
			  struct anpu_capture_point *p, bool *recorded);
	/* The stream waits for an event of a recording, and joins that if it is not recorded itself */
	aclError (*wait)(struct anpu_stream *s, const struct anpu_event_task *info,
			 struct anpu_capture_point *p);
	/* 107024 if the stream is being recorded, because the event was not recorded there */
	aclError (*dependency)(struct anpu_stream *s, aclrtEvent event, bool *captured);
	/* Is the recording that the event belongs to still going on */
	bool (*live)(const struct anpu_capture_point *p);
	void (*forget)(struct anpu_capture_point *p);
	/* 107028 if the event belongs to a recording, which is void then */
	aclError (*refuse_event)(struct anpu_capture_point *p, const char *what);
};
extern const struct anpu_recorder anpu_recorder;

#endif /* ANPU_RECORDER_H */
