/* SPDX-License-Identifier: MIT */
/*
 * The room sync: events, notifies, functions of the program that threads run, and the thread that
 * reads a device's events.
 *
 * Uses: util, core, device, memory, stream.
 * Private: calls.h, event.h
 */
#ifndef ANPU_SYNC_H
#define ANPU_SYNC_H

#include "stream/stream.h"

/*
 * News from the thread that reads events to other rooms; rooms.c has their functions. The device's
 * events_lock is held.
 * @wanted	does anybody want to be told of failures
 * @failed	a task of the stream failed; with @s NULL the whole device did
 * @notified	a NOTIFY of no stream's calls was executed, its cookie; 0: some may have been
 */
struct anpu_sync_hooks {
	bool (*wanted)(void);
	void (*failed)(struct anpu_device *dev, const struct anpu_stream *s,
		       const struct anpu_fault *fault);
	void (*notified)(struct anpu_device *dev, uint64_t cookie);
};
extern const struct anpu_sync_hooks anpu_sync_hooks;

/* event.c: what an execution of a graph waits for, or records; and that it was submitted */
uint64_t anpu_event_value(struct acl_obj *event, bool record);
void anpu_event_recorded(struct acl_obj *event, struct anpu_stream *s, uint64_t seq);
/* The device ends, and so do its events: streams that wait for a record which nobody called for go on */
void anpu_event_waits_release(struct anpu_device *dev);

/* calls.c, turn.c: functions that threads run -------------------------------------------------- */

struct anpu_call {
	struct anpu_call *next;
	struct anpu_reporter *reporter;
	struct anpu_stream *stream; /* NULL once it has ended, and for exceptions */
	uint64_t context;	    /* for threads of the runtime */
	uint64_t seq;		    /* of the NOTIFY packet */
	uint64_t done;		    /* value of the slot when it has returned; 0: does not block */
	void (*fn)(void *arg);
	void *arg;
	enum acl_callback_kind kind;
};

/* A thread of the runtime that runs calls; NULL if none can be made */
struct anpu_reporter *anpu_reporter_start(void);
/* Runs what is queued, then ends the thread, if there is one, and stores NULL */
void anpu_reporter_end(struct anpu_reporter **where);
/* Queues a call, which the thread frees */
void anpu_reporter_push(struct anpu_reporter *r, struct anpu_call *call);
/* The device is gone: the program's threads that wait for its callbacks are told */
void anpu_reporters_lost(struct anpu_device *dev);
/* The stream has executed packets up to @seq: its calls until there are due */
void anpu_calls_reached(struct anpu_stream *s, uint64_t seq);
/* Packets from @first to @last were dropped: their calls never run */
void anpu_calls_drop(struct anpu_stream *s, uint64_t first, uint64_t last);
/* The stream ends: calls that were not reached never run */
void anpu_calls_end(struct anpu_stream *s);

/* What blocks the stream in its wait for functions of the program */
void anpu_calls_text(struct anpu_stream *s, char *buf, size_t size);

/* notify.c: is the address the notify's word; what it is now, and whether other processes may have it, too */
bool anpu_notify_at(struct acl_obj *notify, uint64_t addr, uint32_t *number, uint64_t *value, bool *shared);

/* who.c: a notify of this number has ended, whose word was there */
void anpu_notify_ended(uint32_t number, uint64_t va);
/* "event 3, which was never recorded", for a wait of @s (or NULL) for a value there; false: unknown */
bool anpu_sync_text(struct anpu_device *dev, struct anpu_stream *s, uint64_t addr, uint64_t value, char *buf, size_t size);
/* The same of an event of the device, by its number; false: it has ended */
bool anpu_event_number_text(struct anpu_device *dev, uint32_t number, char *buf, size_t size);

/* events.c: the thread that reads a device's events -------------------------------------------- */

/* Starts the thread that reads events if it does not run */
aclError anpu_events_start(struct anpu_device *dev);
/* The same, with the thread that runs exception callbacks */
aclError anpu_events_start_faults(struct anpu_device *dev);
/* The same, with the thread that runs host functions */
aclError anpu_events_start_host(struct anpu_device *dev);
/* The same, with the stream that makes the device look at slots again */
aclError anpu_events_start_wake(struct anpu_device *dev);
/*
 * Ends all these threads after they have told everything that happened; the device's streams have
 * ended
 */
void anpu_events_end(struct anpu_device *dev);
/* A stream ends: tells what has happened in it, up to packet @completed */
void anpu_events_leave(struct anpu_stream *s, uint64_t completed);
/* A failure of the stream is going to be returned: the hooks for it run first */
void anpu_events_await_hooks(struct anpu_stream *s);
/* The hooks have run for one failure */
void anpu_events_hooks_done(struct anpu_device *dev);

/* sync/ipcsync.c: words that processes share, for events and notifies */

/* A key for a slot of anpu_slot_take_own() */
aclError anpu_sync_export(struct anpu_device *dev, const struct anpu_slot *slot,
			  enum anpu_share_kind kind, bool anybody, uint64_t *number);
/* The slot of a key; @name of it for messages; @peer: opens access to the device of its maker */
aclError anpu_sync_import(struct anpu_device *dev, uint64_t number, enum anpu_share_kind kind,
			  const char *name, bool peer, struct anpu_slot *slot);

#endif /* ANPU_SYNC_H */
