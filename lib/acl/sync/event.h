/* SPDX-License-Identifier: MIT */
/* Events: what event.c and ipcsync.c share. */
#ifndef ANPU_EVENT_H
#define ANPU_EVENT_H

#include "sync/sync.h"

/*
 * A record of an event of several processes. Records of several streams run in any order, so each has a
 * word of its own in the page behind the slot: that of number n is n % SHARED_RECORDS, and a number is
 * given out only when the record that used the word before has run, was dropped with the rest of its stream
 * by an abort, or comes first in the same stream. Of aborts in another process nobody knows here: their
 * words are used again by that process.
 */
struct shared_record {
	uint64_t value;	  /* number of the latest record that has run */
	uint64_t time_ns; /* when that was */
	uint64_t number;  /* of the latest that was called for */
	uint64_t process; /* that called for it: anpu_own_process() */
};

#define SHARED_PAGE    4096
#define SHARED_RECORDS ((SHARED_PAGE - sizeof(struct anpu_slot_memory)) / sizeof(struct shared_record))

/* The records that this process made, with their streams */
struct own_record {
	uint64_t number;
	uint64_t seq;
	int32_t stream;
};

struct event {
	struct acl_obj obj;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* it was recorded or destroyed; CLOCK_MONOTONIC */
	uint32_t flags;
	uint32_t number; /* aclrtGetEventId() */
	bool rerecord;	 /* made by aclrtCreateEventExWithFlag() */
	bool shared;	 /* ACL_EVENT_IPC */
	uint64_t key;	 /* under which others find it, 0: none */
	struct anpu_slot slot;	    /* counts the waits */
	struct anpu_slot mark;	    /* has the value and the time stamp; at first the same */
	uint64_t marked;	    /* number of the latest record there, 0: none */
	bool fixed;		    /* graphs have its address */
	bool destroyed;		    /* both slots were given back */
	uint64_t records;	    /* number of the latest record */
	uint64_t waits;		    /* that were queued */
	bool set;		    /* recorded, and no reset was called for since */
	struct anpu_stream *stream; /* of the latest record, referenced */
	uint64_t seq;
	struct anpu_stream *reset_in; /* of the latest reset, referenced */
	uint64_t reset_seq;
	struct anpu_site reset_site; /* the call of that */
	struct own_record *own; /* shared: SHARED_RECORDS, NULL before the first one */
	struct own_record own_before; /* what the word taken last was used for, here */
	uint64_t word_before;	      /* and by anybody */
	struct anpu_capture_point point; /* where in a recording it was recorded */
};

static inline struct shared_record *shared_record(const struct event *e, uint64_t number)
{
	return (struct shared_record *)(e->slot.cpu + 1) + number % SHARED_RECORDS;
}

/* The process that called for the record of that number of a shared event, 0: none has */
static inline uint64_t process_of(const struct event *e, uint64_t number)
{
	return __atomic_load_n(&shared_record(e, number)->process, __ATOMIC_RELAXED);
}

/* Where in its slot's memory the value of a record stands */
static inline uint64_t value_offset(const struct event *e, uint64_t number)
{
	return e->shared ? (uintptr_t)&shared_record(e, number)->value - (uintptr_t)e->slot.cpu
			 : offsetof(struct anpu_slot_memory, value);
}

/* For graphs, whose packets always store and wait for the same value */
static inline bool is_external(const struct event *e)
{
	return e->flags == ACL_EVENT_EXTERNAL;
}

/*
 * May streams wait for the event; one between processes always can, because it is for nothing else
 */
static inline bool is_for_streams(const struct event *e)
{
	return e->flags & (ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC);
}

static inline uint64_t records_of(const struct event *e)
{
	return e->shared ? __atomic_load_n(&e->slot.cpu->records, __ATOMIC_ACQUIRE) : e->records;
}

/* Number of the latest record that has run, as far as it is the latest that was called for */
static inline uint64_t value_of(const struct event *e)
{
	return __atomic_load_n(e->shared ? &shared_record(e, records_of(e))->value
					 : &e->mark.cpu->value, __ATOMIC_ACQUIRE);
}

static inline bool is_set(const struct event *e)
{
	return e->shared ? records_of(e) != 0 : e->set;
}

/* The latest record has run, and no reset since */
static inline bool complete(const struct event *e)
{
	bool reset_waits = e->reset_in && !anpu_stream_reached(e->reset_in, e->reset_seq);

	if (is_external(e)) /* graphs store and clear it, too */
		return value_of(e) >= 1;
	if (!is_set(e) && !(reset_waits && e->marked))
		return false;
	return value_of(e) >= records_of(e);
}

/*
 * The registry's notes about events that are complete. The first is for events of aclrtCreateEvent(), the second
 * for those of aclrtCreateEventExWithFlag(). Events that other processes or graphs change have none.
 */
enum event_note { EVENT_COMPLETE = 1, EVENT_EX_COMPLETE };

/* The event is about to become something else than complete; event locked */
static inline void uncomplete(struct event *e)
{
	acl_obj_forget_note(&e->obj);
}

/* The event of a handle with a reference */
aclError anpu_event_find(aclrtEvent handle, struct event **out);
/* An event without a slot, not published; NULL after acl_fail() */
struct event *anpu_event_make(uint32_t flags, bool rerecord);
/* Gives it a handle, unless something has failed (@ret): then drops it */
aclError anpu_event_publish(struct event *e, aclError ret, aclrtEvent *out);
/* who.c: "event 3, which was never recorded", of one that the host waits for */
void anpu_event_text(const struct event *e, char *buf, size_t size);
/* Waits for the latest record, which may be another process's */
aclError anpu_event_sync_shared(struct event *e, int64_t deadline);
/* This process, for others of the machine: its number, and that of its PID namespace above it */
uint64_t anpu_own_process(void);
/* false if that cannot be known here */
bool anpu_process_ended(uint64_t process);

#endif /* ANPU_EVENT_H */
