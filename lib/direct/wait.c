// SPDX-License-Identifier: MIT
/*
 * Waiting: WAIT, and submitters that wait for room.
 *
 * A waiter is in one list of the process while it sleeps, because memory of one device may be signalled
 * by another. Conditions are looked at by the waiter alone; an event only wakes it to look again.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "direct.h"

/* WAITs of up to this many items need no allocation, and so many waiters are woken when locks are free again */
#define FEW	8
/* How long a waiter sleeps on a device that fails on request before it looks again */
#define LOOK_AGAIN_NS	100000000LL

/**
 * struct item - an item of a WAIT
 * @s: SEQ: the stream, referenced; @epoch: of it when the WAIT began
 * @reached: SEQ: it has completed, which is for good
 * @bo: MEMORY: the object that has the memory, referenced by @held
 */
struct item {
	struct drm_anpu_wait_item args;
	struct stream *s;
	uint32_t epoch;
	bool reached;
	struct bo *held;
	const struct bo *bo;
};

/**
 * struct waiter - a thread that waits
 * @word: grows with each wake-up; the futex on which the thread sleeps
 */
struct waiter {
	struct waiter *next, *prev;
	_Atomic uint32_t word;
	struct item *items;
	uint32_t count;
};

static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static struct waiter *waiters;

/* Sleeping and waking ---------------------------------------------------------------------------- */

/* 0 or -ETIME. Signals do not end it: a call that one interrupts would begin anew with the same time */
static int sleep_on(struct waiter *w, uint32_t word, int64_t until)
{
	struct timespec t = { until / 1000000000, until % 1000000000 };

	if (syscall(SYS_futex, &w->word, FUTEX_WAIT_BITSET_PRIVATE, word, until == INT64_MAX ? NULL : &t,
		    NULL, FUTEX_BITSET_MATCH_ANY) &&
	    errno == ETIMEDOUT)
		return -ETIME;
	return 0;
}

static void wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static bool waits_for(const struct waiter *w, const struct stream *s)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (s ? w->items[i].s == s : !w->items[i].s)
			return true;
	return false;
}

void wait_wake(struct stream *s)
{
	_Atomic uint32_t *words[FEW];
	unsigned int n = 0;

	pthread_mutex_lock(&wait_lock);
	for (struct waiter *w = waiters; w; w = w->next) {
		if (!waits_for(w, s))
			continue;
		atomic_fetch_add(&w->word, 1);
		if (n < FEW)
			words[n++] = &w->word;
		else
			wake(&w->word);
	}
	pthread_mutex_unlock(&wait_lock);
	/* without the lock, which they take first. One that has left meanwhile does not mind: its word is only an address */
	while (n)
		wake(words[--n]);
}

void wait_wake_all(void)
{
	pthread_mutex_lock(&wait_lock);
	for (struct waiter *w = waiters; w; w = w->next) {
		atomic_fetch_add(&w->word, 1);
		wake(&w->word);
	}
	pthread_mutex_unlock(&wait_lock);
}

static void enlist(struct waiter *w)
{
	pthread_mutex_lock(&wait_lock);
	w->next = waiters;
	if (w->next)
		w->next->prev = w;
	waiters = w;
	pthread_mutex_unlock(&wait_lock);
}

static void delist(struct waiter *w)
{
	pthread_mutex_lock(&wait_lock);
	*(w->prev ? &w->prev->next : &waiters) = w->next;
	if (w->next)
		w->next->prev = w->prev;
	pthread_mutex_unlock(&wait_lock);
}

/* The stream's life ------------------------------------------------------------------------------ */

bool wait_kill(struct stream *s)
{
	bool alive;

	pthread_mutex_lock(&wait_lock);
	alive = !atomic_load(&s->dead);
	if (alive) {
		s->final = stream_completed(s);
		atomic_store(&s->dead, true);
	}
	pthread_mutex_unlock(&wait_lock);
	if (alive)
		wait_wake(s);
	return alive;
}

void wait_revive(struct stream *s)
{
	pthread_mutex_lock(&wait_lock);
	atomic_store(&s->wptr, 0);
	atomic_fetch_add(&s->epoch, 1);
	atomic_store(&s->dead, false);
	pthread_mutex_unlock(&wait_lock);
}

/* Conditions ------------------------------------------------------------------------------------- */

/* Wait lock held: asks the device for an interrupt at the smallest number above @completed that a thread waits for */
static void arm(struct stream *s, uint64_t completed)
{
	uint64_t at = UINT64_MAX;

	for (struct waiter *w = waiters; w; w = w->next)
		for (uint32_t i = 0; i < w->count; i++)
			if (w->items[i].s == s && !w->items[i].reached && w->items[i].args.value > completed)
				at = min_u64(at, w->items[i].args.value);
	if (at == UINT64_MAX || atomic_load(&s->dead))
		return;
	__atomic_store_n(&s->control->irq_at, at, __ATOMIC_RELEASE);
	/* the device stores completed, and then looks at irq_at */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* 1: completed, 0: not yet, else an error; @armed: an interrupt will tell when it completes */
static int check_seq(struct item *item, bool armed)
{
	struct stream *s = item->s;
	uint64_t target = item->args.value, completed;
	bool dead;

	pthread_mutex_lock(&wait_lock);
	dead = atomic_load(&s->dead);
	if (atomic_load(&s->epoch) != item->epoch) {
		pthread_mutex_unlock(&wait_lock);
		return -EIO;
	}
	completed = dead ? s->final : stream_completed(s);
	if (!dead && armed && completed < target) {
		arm(s, completed);
		completed = stream_completed(s);
	}
	pthread_mutex_unlock(&wait_lock);
	if (completed >= target)
		return 1;
	if (dead)
		return -EIO;
	if (stream_state(s) != ANPU_QUEUE_HALTED)
		return 0;
	/* it has halted behind the last packet that counts: look once more */
	return stream_completed(s) < target ? -ECANCELED : 1;
}

static int check_memory(const struct drm_anpu_wait_item *args, const struct bo *bo)
{
	uint64_t s = bo_read(bo, args->offset, args->width) & args->mask;

	return anpu_model_compare(args->cond, s, args->value, args->width);
}

static int check_item(struct item *item, bool armed)
{
	int ret;

	if (item->reached)
		return 1;
	if (!item->s)
		return check_memory(&item->args, item->bo);
	ret = check_seq(item, armed);
	item->reached = ret == 1;
	return ret;
}

/* 1: enough are satisfied, 0: not yet, else an error */
static int check_all(struct waiter *w, bool all, bool armed, uint32_t *signaled)
{
	uint32_t first = w->count, done = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		int ret = check_item(&w->items[i], armed);

		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		done++;
		if (first == w->count)
			first = i;
		if (!all)
			break;
	}
	*signaled = all ? w->count : first;
	return all ? done == w->count : done != 0;
}

/*
 * A device that fails on request may lose interrupts and completions, so its waiters look again now and then, as the
 * driver's do. 0, or -ENODEV when the device is gone
 */
static int look_again(const struct waiter *w, const struct file *file)
{
	if (anpu_model_gone(file->dev->model)) {
		device_wedge(file->dev);
		return -ENODEV;
	}
	for (uint32_t i = 0; i < w->count; i++)
		if (w->items[i].s)
			stream_refresh(w->items[i].s);
	event_drain(file->dev);
	return 0;
}

static int sleep_patiently(struct waiter *w, struct file *file, uint32_t word, int64_t until)
{
	struct timespec now;
	int64_t look;
	int ret;

	if (!file->dev->config.plan)
		return sleep_on(w, word, until);
	clock_gettime(CLOCK_MONOTONIC, &now);
	look = now.tv_sec * 1000000000LL + now.tv_nsec + LOOK_AGAIN_NS;
	ret = sleep_on(w, word, look < until ? look : until);
	if (ret == -ETIME) {
		int err = look_again(w, file);

		ret = err || look < until ? err : -ETIME;
	}
	return ret;
}

static int sleep_until(struct waiter *w, struct file *file, bool all, int64_t until,
		       uint32_t *signaled)
{
	int ret = check_all(w, all, false, signaled);

	if (ret)
		return ret;
	if (!until)
		return -ETIME;
	enlist(w);
	while (!ret) {
		uint32_t word = atomic_load(&w->word);

		ret = check_all(w, all, true, signaled);
		if (!ret && atomic_load(&file->dev->wedged))
			ret = -EIO;
		if (!ret && atomic_load(&file->gone))
			ret = -EINTR;
		if (!ret)
			ret = sleep_patiently(w, file, word, until);
	}
	delist(w);
	return ret;
}

int wait_seq(struct stream *s, uint64_t seq)
{
	struct item item = { .args.value = seq, .s = s, .epoch = atomic_load(&s->epoch) };
	struct waiter w = { .items = &item, .count = 1 };
	uint32_t signaled;
	int ret = sleep_until(&w, s->file, false, INT64_MAX, &signaled);

	return ret < 0 ? ret : 0;
}

/* WAIT ------------------------------------------------------------------------------------------- */

static int begin_seq(struct item *item, struct file *file)
{
	const struct drm_anpu_wait_item *args = &item->args;

	if (args->mask || args->offset || args->handle || args->cond || args->width || args->pad)
		return -EINVAL;
	item->s = stream_find(file, args->stream);
	if (!item->s)
		return -ENOENT;
	item->epoch = atomic_load(&item->s->epoch);
	return args->value > atomic_load(&item->s->wptr) && !(item->s->flags & DRM_ANPU_STREAM_USER_QUEUE)
		       ? -EINVAL : 0;
}

static int begin_memory(struct item *item, struct file *file)
{
	const struct drm_anpu_wait_item *args = &item->args;

	if (args->stream || args->pad || args->cond >= ANPU_SEM_COND_COUNT ||
	    (args->width != 4 && args->width != 8) || args->offset & (args->width - 1))
		return -EINVAL;
	item->held = bo_lookup(file, args->handle);
	if (!item->held)
		return -ENOENT;
	item->bo = item->held;
	if (item->held->origin && item->held->origin->type == DRM_ANPU_BO_SYSTEM)
		item->bo = item->held->origin;
	if ((item->bo->type != DRM_ANPU_BO_HBM && item->bo->type != DRM_ANPU_BO_SYSTEM) ||
	    args->offset >= item->bo->size)
		return -EINVAL;
	return 0;
}

static int begin(struct item *item, struct file *file, const struct drm_anpu_array *array, uint32_t i)
{
	int err = guard_element(&item->args, sizeof(item->args), array, i);

	if (err)
		return err;
	if (item->args.type == DRM_ANPU_WAIT_SEQ)
		return begin_seq(item, file);
	/* There are no syncobjs and no sync files in a process. */
	if (item->args.type == DRM_ANPU_WAIT_SYNCOBJ || item->args.type == DRM_ANPU_WAIT_SYNC_FILE)
		return -EOPNOTSUPP;
	return item->args.type == DRM_ANPU_WAIT_MEMORY ? begin_memory(item, file) : -EINVAL;
}

int wait_ioctl(struct file *file, void *data)
{
	struct drm_anpu_wait *args = data;
	struct item few[FEW] = { 0 };
	struct waiter w = { .items = few, .count = args->items.count };
	int ret = 0;

	if (args->flags & ~DRM_ANPU_WAIT_ALL || args->pad || args->pad2 || !args->items.count)
		return -EINVAL;
	if (args->items.count > DRM_ANPU_MAX_WAIT_ITEMS)
		return -E2BIG;
	if (w.count > FEW)
		w.items = calloc(w.count, sizeof(*w.items));
	if (!w.items)
		return -ENOMEM;
	for (uint32_t i = 0; !ret && i < w.count; i++)
		ret = begin(&w.items[i], file, &args->items, i);
	if (!ret)
		ret = sleep_until(&w, file, args->flags & DRM_ANPU_WAIT_ALL,
				  args->timeout_ns < 0 ? 0 : args->timeout_ns, &args->signaled);
	for (uint32_t i = 0; i < w.count; i++) {
		stream_put(w.items[i].s);
		bo_put(w.items[i].held);
	}
	if (w.items != few)
		free(w.items);
	return ret < 0 ? ret : 0;
}
