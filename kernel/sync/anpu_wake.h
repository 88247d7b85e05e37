/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_WAKE_H
#define ANPU_WAKE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

struct anpu_stream;
struct task_struct;
struct work_struct;

/**
 * struct anpu_sleeper - a task in a list of those to be woken
 * @link: in the list
 * @round: the list's when it was last woken, or came
 * @task: to be woken
 */
struct anpu_sleeper {
	struct list_head link;
	u32 round;
	struct task_struct *task;
};

/**
 * struct anpu_waiter - a task that waits for a sequence number of a stream
 * @sleeper: in the stream's list while armed
 * @node: in the stream's tree while armed and not found to be there
 * @stream: the stream, a reference is held
 * @target: sequence number
 * @epoch: of the stream when the wait began
 * @armed: the task is woken; used by that task alone
 * @counted: it has been taken off @missing; under the stream's wait_lock
 * @missing: if the task waits for several at once, how many of them have not been counted; or NULL
 */
struct anpu_waiter {
	struct anpu_sleeper sleeper;
	struct rb_node node;
	struct anpu_stream *stream;
	u64 target;
	u32 epoch;
	bool armed;
	bool counted;
	atomic_t *missing;
};

/**
 * struct anpu_memory_waiter - a task that waits for memory to change
 * @sleeper: in the list of all while armed
 * @ready: is it to be woken? Called with a spinlock held, from interrupts too
 */
struct anpu_memory_waiter {
	struct anpu_sleeper sleeper;
	bool (*ready)(struct anpu_memory_waiter *waiter);
};

void anpu_stream_wake(struct anpu_stream *stream, bool all);
void anpu_wake_work(struct work_struct *work);
bool anpu_waiter_count(struct anpu_waiter *waiter);
void anpu_waiter_init(struct anpu_waiter *waiter, struct anpu_stream *stream, u64 target);
void anpu_waiter_arm(struct anpu_waiter *waiter);
void anpu_waiter_disarm(struct anpu_waiter *waiter);
int anpu_waiter_check(struct anpu_waiter *waiter);
bool anpu_stream_rearm(struct anpu_stream *stream, u64 completed);
int anpu_sleep(s64 timeout_ns, bool interruptible);
int anpu_stream_wait(struct anpu_stream *stream, u64 target, s64 timeout_ns, bool interruptible);
void anpu_memory_wake(bool all);
void anpu_memory_arm(struct anpu_memory_waiter *waiter);
void anpu_memory_disarm(struct anpu_memory_waiter *waiter);
void anpu_wake_module_fini(void);

#endif /* ANPU_WAKE_H */
