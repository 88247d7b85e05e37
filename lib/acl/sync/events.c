// SPDX-License-Identifier: MIT
/*
 * Events of a device: one thread per device reads what the driver tells (failed tasks, NOTIFY
 * packets, resets) and hands it to the threads that run the program's functions. It runs none
 * itself, so a slow callback delays no other. It is started when something first needs it.
 *
 * Events only say that something has happened. What it was stands in the streams' status pages and
 * lists of calls, so nothing is lost when the driver has to drop events.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "sync/sync.h"

#define WAKE_PRIORITY 2
/*
 * An event comes microseconds after its failure; the limit is for a machine on which the reader
 * hardly runs
 */
#define CATCH_UP_NS 1000000000LL
/*
 * How long a call that returns a failure waits for the hooks, which may need a lock that its caller
 * holds
 */
#define HOOKS_NS    10000000000LL

struct anpu_events {
	struct anpu_device *dev; /* not counted: the thread ends before its device */
	pthread_t thread;
	int stop;
};

/* Starting and ending threads */
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* Tells failures whose records are there, up to @last; events_lock held */
static void tell_faults(struct anpu_stream *s, uint64_t last)
{
	struct anpu_fault fault;

	while (s->faults_told < last && anpu_fault_read(s, s->faults_told + 1, last, &fault)) {
		s->faults_told = fault.ordinal;
		anpu_sync_hooks.failed(s->obj.dev, s, &fault);
	}
	s->faults_told = max_u64(s->faults_told, last);
}

static struct timespec time_in(int64_t ns)
{
	int64_t end = anpu_now() + ns;

	return (struct timespec){ end / 1000000000, end % 1000000000 };
}

/* Lets the reader catch up: status pages keep few records, the events have all. events_lock held */
static void await_faults(struct anpu_stream *s)
{
	struct anpu_device *dev = s->obj.dev;
	struct timespec t = time_in(CATCH_UP_NS);
	int err = 0;

	while (s->faults_told < anpu_stream_errors(s) && !err && !atomic_load(&dev->lost))
		err = pthread_cond_timedwait(&dev->events_cond, &dev->events_lock, &t);
}

void anpu_events_await_hooks(struct anpu_stream *s)
{
	struct anpu_device *dev = s->obj.dev;
	struct timespec t = time_in(HOOKS_NS);
	uint64_t told;
	int err = 0;

	if (!anpu_sync_hooks.wanted() || acl_in_callback())
		return;
	pthread_mutex_lock(&dev->events_lock);
	if (dev->events) {
		await_faults(s);
		tell_faults(s, anpu_stream_errors(s));
	}
	told = dev->hooks_told;
	while (dev->hooks_done < told && !err)
		err = pthread_cond_timedwait(&dev->events_cond, &dev->events_lock, &t);
	pthread_mutex_unlock(&dev->events_lock);
}

void anpu_events_hooks_done(struct anpu_device *dev)
{
	pthread_mutex_lock(&dev->events_lock);
	dev->hooks_done++;
	pthread_cond_broadcast(&dev->events_cond);
	pthread_mutex_unlock(&dev->events_lock);
}

void anpu_events_leave(struct anpu_stream *s, uint64_t completed)
{
	struct anpu_device *dev = s->obj.dev;

	pthread_mutex_lock(&dev->events_lock);
	if (dev->events && anpu_sync_hooks.wanted())
		await_faults(s);
	if (dev->events) {
		tell_faults(s, anpu_stream_errors(s));
		anpu_calls_reached(s, completed);
	}
	pthread_mutex_unlock(&dev->events_lock);
}

/* A record may have been overwritten by newer ones: the event and the stream's memory have more */
static void on_fault(struct anpu_device *dev, const struct drm_anpu_event_fault *ev)
{
	struct anpu_fault fault;
	struct anpu_stream *s;
	struct anpu_task task;

	for (s = dev->watched; s && s->kernel_id != ev->stream; s = s->next_watched)
		;
	if (!s || ev->ordinal <= s->faults_told || ev->ordinal > anpu_stream_errors(s))
		/*
		 * the failure was told already, or belongs to an earlier stream of the same number
		 */
		return;
	if (anpu_fault_read(s, ev->ordinal, ev->ordinal, &fault)) {
		anpu_sync_hooks.failed(dev, s, &fault);
	} else {
		fault = (struct anpu_fault){ .ordinal = ev->ordinal,
					     .seq = ev->seq,
					     .cause = ev->cause,
					     .task_id = ev->task_id };
		if (anpu_task_find(s, ev->seq, &task)) {
			fault.task_id = task.task_id;
			fault.opcode = task.opcode;
			fault.core_type = task.core_type;
			fault.entry = task.entry;
		}
		anpu_sync_hooks.failed(dev, s, &fault);
	}
	s->faults_told = ev->ordinal;
}

static void on_notify(struct anpu_device *dev, const struct drm_anpu_event_notify *ev)
{
	struct anpu_stream *s;

	for (s = dev->watched; s && (uintptr_t)s != ev->cookie; s = s->next_watched)
		;
	if (s)
		anpu_calls_reached(s, ev->seq);
	else
		anpu_sync_hooks.notified(dev, ev->cookie);
}

/* Events were dropped: looks at everything */
static void on_lost(struct anpu_device *dev)
{
	struct anpu_stream *s;

	for (s = dev->watched; s; s = s->next_watched) {
		tell_faults(s, anpu_stream_errors(s));
		anpu_calls_reached(s, anpu_stream_completed(s));
	}
	anpu_sync_hooks.notified(dev, 0);
}

static void handle(struct anpu_device *dev, const char *buf, size_t size)
{
	struct drm_event head;
	size_t at;

	pthread_mutex_lock(&dev->events_lock);
	for (at = 0; at + sizeof(head) <= size; at += head.length) {
		union {
			struct drm_anpu_event_fault fault;
			struct drm_anpu_event_notify notify;
		} ev = { 0 };

		memcpy(&head, buf + at, sizeof(head));
		if (head.length < sizeof(head) || head.length > size - at)
			break;
		memcpy(&ev, buf + at, min_u64(head.length, sizeof(ev)));
		if (head.type == DRM_ANPU_EVENT_FAULT)
			on_fault(dev, &ev.fault);
		else if (head.type == DRM_ANPU_EVENT_NOTIFY)
			on_notify(dev, &ev.notify);
		else if (head.type == DRM_ANPU_EVENT_RESET)
			anpu_sync_hooks.failed(dev, NULL, NULL);
		else if (head.type == DRM_ANPU_EVENT_LOST)
			on_lost(dev);
	}
	pthread_cond_broadcast(&dev->events_cond);
	pthread_mutex_unlock(&dev->events_lock);
}

static void *read_events(void *arg)
{
	struct anpu_events *e = arg;
	char buf[4096] __attribute__((aligned(8)));
	ssize_t n;

	while ((n = anpu_read_events(e->dev, e->stop, buf, sizeof(buf))) > 0)
		handle(e->dev, buf, n);
	if (!n)
		return NULL;
	/* unplugged */
	pthread_mutex_lock(&e->dev->events_lock);
	atomic_store(&e->dev->lost, true);
	anpu_sync_hooks.failed(e->dev, NULL, NULL);
	pthread_cond_broadcast(&e->dev->events_cond);
	pthread_mutex_unlock(&e->dev->events_lock);
	anpu_reporters_lost(e->dev);
	return NULL;
}

static int start_thread(struct anpu_events *e)
{
	sigset_t all, old;
	int err;

	/* signals are for the program's own threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&e->thread, NULL, read_events, e);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

/* start_lock held */
static aclError start(struct anpu_device *dev)
{
	struct drm_anpu_event_subscribe sub = { .mask = DRM_ANPU_SUBSCRIBE_FAULT |
							DRM_ANPU_SUBSCRIBE_NOTIFY |
							DRM_ANPU_SUBSCRIBE_RESET };
	struct anpu_stream *s;
	struct anpu_events *e;
	int err;

	if (dev->events_ended)
		return acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
				"device %d is being reset by another thread", dev->id);
	if (dev->events)
		return ACL_SUCCESS;
	e = calloc(1, sizeof(*e));
	if (!e)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the events of device %d",
				dev->id);
	anpu_watch_exit();
	e->dev = dev;
	e->stop = eventfd(0, EFD_CLOEXEC);
	err = e->stop < 0 ? -errno : anpu_ioctl(dev, DRM_IOCTL_ANPU_EVENT_SUBSCRIBE, &sub);
	pthread_mutex_lock(&dev->events_lock);
	for (s = dev->watched; s && !err; s = s->next_watched)
		/* failures from before the thread are not told */
		s->faults_told = anpu_stream_errors(s);
	if (!err)
		err = start_thread(e);
	if (!err)
		dev->events = e;
	pthread_mutex_unlock(&dev->events_lock);
	if (!err)
		return ACL_SUCCESS;
	if (e->stop >= 0)
		close(e->stop);
	free(e);
	if (err == -EAGAIN)
		return acl_fail(ACL_ERROR_BAD_ALLOC,
				"no memory for the thread that reads device %d's events, or the limit "
				"of threads (ulimit -u) is reached", dev->id);
	return anpu_fail_ioctl(dev, err, "starting the thread for events");
}

static aclError start_reporter(struct anpu_device *dev, struct anpu_reporter **r)
{
	aclError ret;

	pthread_mutex_lock(&start_lock);
	ret = start(dev);
	if (!ret && !__atomic_load_n(r, __ATOMIC_ACQUIRE)) {
		struct anpu_reporter *new = anpu_reporter_start();

		if (!new)
			ret = acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
				       "no thread for the callbacks of device %d can be made: the "
				       "limit of threads (ulimit -u) or memory is exhausted",
				       dev->id);
		__atomic_store_n(r, new, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&start_lock);
	return ret;
}

aclError anpu_events_start_faults(struct anpu_device *dev)
{
	return start_reporter(dev, &dev->faults);
}

aclError anpu_events_start_host(struct anpu_device *dev)
{
	return start_reporter(dev, &dev->host);
}

aclError anpu_events_start(struct anpu_device *dev)
{
	aclError ret;

	pthread_mutex_lock(&start_lock);
	ret = start(dev);
	pthread_mutex_unlock(&start_lock);
	return ret;
}

aclError anpu_events_start_wake(struct anpu_device *dev)
{
	aclError ret;

	pthread_mutex_lock(&start_lock);
	ret = start(dev);
	if (!ret && !__atomic_load_n(&dev->wake, __ATOMIC_ACQUIRE)) {
		struct anpu_stream *s = anpu_stream_new(NULL, dev, WAKE_PRIORITY, 0);

		if (!s)
			ret = acl_last_failure();
		__atomic_store_n(&dev->wake, s, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&start_lock);
	return ret;
}

void anpu_events_end(struct anpu_device *dev)
{
	struct anpu_stream *wake;
	struct anpu_events *e;
	uint64_t one = 1;

	pthread_mutex_lock(&start_lock);
	dev->events_ended = true;
	e = dev->events;
	if (e) {
		while (write(e->stop, &one, sizeof(one)) < 0 && errno == EINTR)
			;
		pthread_join(e->thread, NULL);
		close(e->stop);
	}
	pthread_mutex_unlock(&start_lock);
	anpu_reporter_end(&dev->faults);
	anpu_reporter_end(&dev->host);
	wake = __atomic_exchange_n(&dev->wake, NULL, __ATOMIC_ACQ_REL);
	if (wake)
		anpu_stream_end(wake);
	pthread_mutex_lock(&dev->events_lock); /* streams that end later look at it */
	dev->events = NULL;
	pthread_mutex_unlock(&dev->events_lock);
	free(e);
}
