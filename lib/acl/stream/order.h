/* SPDX-License-Identifier: MIT */
/* Marks, by which streams know of each other's progress. */
#ifndef ANPU_ORDER_H
#define ANPU_ORDER_H

#include "core/core.h"

struct anpu_marks;
struct anpu_stream;

struct anpu_mark {
	struct anpu_stream *stream; /* referenced; NULL: no mark */
	struct anpu_marks *marks;   /* referenced */
	uint64_t value;
	uint64_t seq;
};

/* Leaves a mark behind everything that is queued, to be dropped with anpu_mark_drop() */
aclError anpu_mark(struct anpu_stream *s, struct anpu_mark *mark);
void anpu_mark_drop(struct anpu_mark *mark);
bool anpu_mark_reached(const struct anpu_mark *mark);
/* Makes the stream wait for another one's mark */
aclError anpu_mark_await(struct anpu_stream *s, const struct anpu_mark *mark);
/* The stream's tasks were dropped: nobody waits for its marks any longer */
void anpu_marks_dropped(struct anpu_stream *s);
void anpu_marks_get(struct anpu_marks *m);
void anpu_marks_put(struct anpu_marks *m);
/* The stream waits for the other one's tasks up to @seq */
void anpu_follow(struct anpu_stream *s, const struct anpu_stream *other, uint64_t seq);
/* Up to which of the other one's tasks it does, 0 for none; with its lock held */
uint64_t anpu_followed(const struct anpu_stream *s, const struct anpu_stream *other);

/* races.c: the checking mode's look at tasks of several streams ------------------------------- */

/* Memory that a task uses; @size 0: a kernel's pointer */
struct anpu_access {
	uint64_t va;
	uint64_t size;
	bool write;
	bool life;	    /* it begins or ends, and is not used */
	unsigned int index; /* a kernel's pointer: which of them, see memory/uses.c */
	uint64_t ticket;    /* 0: what it does with this memory is not to be learned */
	char what[64]; /* "kernel 'scale'" */
};

/* The stream's task @seq uses this memory, and so does the program itself, now */
void anpu_races_task(struct anpu_stream *s, uint64_t seq, const struct anpu_access *list, unsigned int n);
/* Tasks up to @seq, whose order with other streams is not known, use it: what the program does with it is compared */
void anpu_races_call(struct anpu_stream *s, uint64_t seq, const struct anpu_access *a);
void anpu_races_host(uint64_t va, uint64_t size, bool write, const char *what);
/*
 * A task of the stream is going to read it: looks whether anything has written it, unless a task may be about to. @parts: it is not told here
 * if nothing has written any of it
 */
void anpu_races_unwritten(struct anpu_stream *s, const char *what, uint64_t va, uint64_t size, bool parts);
/* Have two kernels of the device that are over used the same bytes, and one has written them; false also if that is not known */
bool anpu_races_met(struct anpu_device *dev, const struct anpu_access *first, const struct anpu_access *second);
/* Memory is allocated: earlier uses of these addresses are forgotten */
void anpu_races_forget(uint64_t va, uint64_t size);
/* Memory ends: a task that uses it must be known to be done */
void anpu_races_freed(uint64_t va, uint64_t size);
/* The program has waited for the tasks of @stream up to @seq: all that comes later is ordered behind them */
void anpu_races_synced(int32_t stream, uint64_t seq);
void anpu_races_all_synced(struct anpu_device *dev);
/* Reports races between tasks whose uses of memory became known after they were submitted */
void anpu_races_settle(struct anpu_device *dev);
/* Tasks of @stream behind its task @at are ordered behind those of @other up to @seq, for which @stream waits */
void anpu_races_follow(int32_t stream, int32_t other, uint64_t seq, uint64_t at);
/* The stream's task @seq waits for something that is not tracked: it may be ordered behind any task */
void anpu_races_wait(int32_t stream, uint64_t seq);

#endif /* ANPU_ORDER_H */
