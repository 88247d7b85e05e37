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

#endif /* ANPU_ORDER_H */
