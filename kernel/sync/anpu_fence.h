/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_FENCE_H
#define ANPU_FENCE_H

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/spinlock.h>

struct anpu_stream;
struct work_struct;

/* "anpu-", a number of ten digits, "-", and the program's name */
#define ANPU_FENCE_NAME		32

/**
 * struct anpu_fence - what tells others that a job has ended
 * @base: what others see of it
 * @lock: of @base; its own one, as a fence may outlive its stream and its device
 * @link: in anpu_stream.fences until it is about to signal
 * @from: number of the last packet before the job
 * @seq: number of the job's last packet
 * @error: what became of the job if the driver decides that, else 0
 * @timeline: a name for people, made of the stream's queue and program
 */
struct anpu_fence {
	struct dma_fence base;
	spinlock_t lock; /* of base */
	struct list_head link;
	u64 from;
	u64 seq;
	int error;
	char timeline[ANPU_FENCE_NAME];
};

struct anpu_fence *anpu_fence_alloc(const struct anpu_stream *stream);
void anpu_fence_free(struct anpu_fence *fence);
void anpu_fence_init(struct anpu_fence *fence, struct anpu_stream *stream);
void anpu_fence_add(struct anpu_stream *stream, struct anpu_fence *fence, u64 from, u64 seq);
u64 anpu_fences_next(struct anpu_stream *stream, u64 completed);
void anpu_fences_look(struct anpu_stream *stream, u64 completed);
void anpu_fences_kick(struct anpu_stream *stream);
void anpu_fences_killed(struct anpu_stream *stream);
void anpu_fences_stopped(struct anpu_stream *stream);
void anpu_fences_opened(struct anpu_stream *stream, u64 before, u64 limit);
void anpu_fences_finish(struct anpu_stream *stream);
void anpu_fences_init(struct anpu_stream *stream);
void anpu_fences_end(struct anpu_stream *stream);
int anpu_fence_module_init(void);
void anpu_fence_module_fini(void);

#endif /* ANPU_FENCE_H */
