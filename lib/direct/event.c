// SPDX-License-Identifier: MIT
/*
 * Events: from the device's event queue to those who wait, and to what programs read from the file.
 * One of the model's threads calls event_drain() for each interrupt.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "direct.h"

/* Events that programs read ---------------------------------------------------------------------- */

/* Event lock held, as in what follows. The descriptor is readable while there are events */
static bool queue_event(struct file *file, const struct drm_event *event)
{
	struct file_event *e;
	uint64_t one = 1;

	if (event->length > file->space)
		return false;
	e = malloc(sizeof(*e) + event->length);
	if (!e)
		return false;
	e->next = NULL;
	memcpy(&e->base, event, event->length);
	file->space -= event->length;
	*file->last = e;
	file->last = &e->next;
	/* a counter of 1 is enough, and more does no harm: event_read() takes all of it */
	(void)!write(file->fd, &one, sizeof(one));
	return true;
}

/* No event may pass a LOST event, or programs would see a wrong order */
static void flush_lost(struct file *file)
{
	struct drm_anpu_event_lost lost = {
		.base = { .type = DRM_ANPU_EVENT_LOST, .length = sizeof(lost) },
		.count = file->lost,
	};

	if (file->lost && queue_event(file, &lost.base))
		file->lost = 0;
}

static void send_event(struct file *file, uint32_t mask, const struct drm_event *event)
{
	if (!(file->subscribed & mask))
		return;
	flush_lost(file);
	if (file->lost || !queue_event(file, event))
		file->lost++;
}

static void send_fault(struct stream *s, const struct anpu_event *ev)
{
	const struct anpu_fault *rec = stream_fault(s, ev->data0);
	struct drm_anpu_event_fault event = {
		.base = { .type = DRM_ANPU_EVENT_FAULT, .length = sizeof(event) },
		.stream = s->id,
		.cause = ev->code,
		.seq = ev->seq,
		.ordinal = ev->data0,
		.task_id = rec ? rec->task_id : 0,
	};

	send_event(s->file, DRM_ANPU_SUBSCRIBE_FAULT, &event.base);
}

static void send_notify(struct stream *s, const struct anpu_event *ev)
{
	struct drm_anpu_event_notify event = {
		.base = { .type = DRM_ANPU_EVENT_NOTIFY, .length = sizeof(event) },
		.stream = s->id,
		.seq = ev->seq,
		.cookie = ev->data0,
		.value = ev->data1,
	};

	send_event(s->file, DRM_ANPU_SUBSCRIBE_NOTIFY, &event.base);
}

void event_reset_all(struct device *dev)
{
	struct drm_anpu_event_reset event = {
		.base = { .type = DRM_ANPU_EVENT_RESET, .length = sizeof(event) },
		.resets = atomic_load(&dev->resets),
	};

	pthread_mutex_lock(&dev->event_lock);
	for (unsigned int i = 0; i < ARRAY_SIZE(dev->files); i++)
		if (dev->files[i])
			send_event(dev->files[i], DRM_ANPU_SUBSCRIBE_RESET, &event.base);
	pthread_mutex_unlock(&dev->event_lock);
}

int event_subscribe(struct file *file, void *data)
{
	const struct drm_anpu_event_subscribe *args = data;

	if (args->mask & ~(DRM_ANPU_SUBSCRIBE_FAULT | DRM_ANPU_SUBSCRIBE_NOTIFY | DRM_ANPU_SUBSCRIBE_RESET) ||
	    args->pad)
		return -EINVAL;
	pthread_mutex_lock(&file->dev->event_lock);
	file->subscribed = args->mask;
	pthread_mutex_unlock(&file->dev->event_lock);
	return 0;
}

/* As many events as fit; -EAGAIN if there is none */
static ssize_t take_events(struct file *file, uint8_t *buf, size_t size)
{
	struct pollfd fd = { .fd = file->fd, .events = POLLIN };
	struct file_event *e;
	uint64_t counter;
	size_t done = 0;
	int err = 0;

	pthread_mutex_lock(&file->dev->event_lock);
	if (!file->first)
		err = -EAGAIN;
	while (!err && (e = file->first) && e->base.length <= size - done) {
		err = guard_copy(buf + done, &e->base, e->base.length);
		if (err)
			break;
		done += e->base.length;
		file->space += e->base.length;
		file->first = e->next;
		if (!file->first)
			file->last = &file->first;
		free(e);
	}
	flush_lost(file);
	/* nobody else takes the counter, so it is still there if it was */
	if (!file->first && poll(&fd, 1, 0) > 0)
		(void)!read(file->fd, &counter, sizeof(counter));
	pthread_mutex_unlock(&file->dev->event_lock);
	return done ? (ssize_t)done : err;
}

ssize_t event_read(struct file *file, void *buf, size_t size)
{
	struct pollfd fd = { .fd = file->fd, .events = POLLIN };
	ssize_t n;

	while ((n = take_events(file, buf, size)) == -EAGAIN) {
		if (atomic_load(&file->gone) || fcntl(file->fd, F_GETFL) & O_NONBLOCK)
			break;
		if (poll(&fd, 1, -1) < 0)
			return -errno;
	}
	return n;
}

void event_file_end(struct file *file)
{
	struct file_event *e;

	pthread_mutex_lock(&file->dev->event_lock);
	file->subscribed = 0;
	file->lost = 0;
	while ((e = file->first)) {
		file->first = e->next;
		free(e);
	}
	file->last = &file->first;
	pthread_mutex_unlock(&file->dev->event_lock);
}

/* The device's events ---------------------------------------------------------------------------- */

/* Event lock held: NULL if the event belongs to the queue's earlier life */
static struct stream *stream_of(struct device *dev, const struct anpu_event *ev)
{
	struct stream *s = ev->queue < dev->config.queues ? dev->streams[ev->queue] : NULL;

	return s && s->cookie == ev->cookie ? s : NULL;
}

/*
 * Event lock held: streams of the group of one that has failed halt, too. A stream that was killed has
 * not failed, and failures from before a stream was started or aborted do not concern it.
 */
static void halt_group(struct device *dev, const struct stream *failed, const struct anpu_event *ev)
{
	const struct anpu_fault *rec = stream_fault(failed, ev->data0);
	uint64_t at = rec ? rec->time_ns : UINT64_MAX;

	if (!failed->group || !(failed->flags & DRM_ANPU_STREAM_STOP_ON_FAILURE))
		return;
	for (unsigned int i = 1; i < dev->config.queues; i++) {
		struct stream *s = dev->streams[i];

		if (!s || s == failed || s->file != failed->file || s->group != failed->group ||
		    !(s->flags & DRM_ANPU_STREAM_STOP_ON_FAILURE) || s->released_ns > at ||
		    stream_state(s) == ANPU_QUEUE_HALTED)
			continue;
		device_write(dev, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD(ANPU_QUEUE_HALT, i));
	}
}

/**
 * handle() - what an event means; event lock held
 * @s: its stream, or NULL
 *
 * Return: waiters are to look again. Those who wait for packets behind a failure learn that the queue has halted, too.
 */
static bool handle(struct device *dev, struct stream *s, const struct anpu_event *ev)
{
	if (ev->type == ANPU_EVENT_SIGNAL)
		return true;
	if (!s)
		return false;
	switch (ev->type) {
	case ANPU_EVENT_COMPLETED:
		return true;
	case ANPU_EVENT_FAULT:
		if (ev->code != ANPU_FAULT_KILLED)
			halt_group(dev, s, ev);
		send_fault(s, ev);
		return true;
	case ANPU_EVENT_NOTIFY:
		send_notify(s, ev);
		break;
	case ANPU_EVENT_STOPPED:
		atomic_store(&s->stopped, true);
		break;
	}
	return false;
}

void event_drain(struct device *dev)
{
	struct event_queue *eq = &dev->eq;

	pthread_mutex_lock(&eq->lock);
	while (__atomic_load_n(&eq->header->wptr, __ATOMIC_SEQ_CST) != eq->rptr) {
		struct anpu_event ev = eq->ring[eq->rptr % EVENT_ENTRIES];
		struct stream *s;
		bool wake;

		eq->rptr++;
		pthread_mutex_lock(&dev->event_lock);
		s = stream_of(dev, &ev);
		wake = handle(dev, s, &ev);
		pthread_mutex_unlock(&dev->event_lock);
		/* waiters take the lock first. The stream may have ended meanwhile: it is only compared */
		if (wake)
			wait_wake(ev.type == ANPU_EVENT_SIGNAL ? NULL : s);
		/* the device may write over the entry from here on */
		__atomic_store_n(&eq->header->rptr, eq->rptr, __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&eq->lock);
}

/* Gives an empty event queue to a device fresh from reset */
void event_enable(struct device *dev)
{
	struct event_queue *eq = &dev->eq;

	pthread_mutex_lock(&eq->lock);
	memset(eq->header, 0, sizeof(*eq->header) + EVENT_ENTRIES * sizeof(*eq->ring));
	eq->rptr = 0;
	pthread_mutex_unlock(&eq->lock);
	device_write(dev, ANPU_REG_EQ_BASE(0), eq->addr);
	device_write(dev, ANPU_REG_EQ_SIZE(0), __builtin_ctz(EVENT_ENTRIES));
}

int event_init(struct device *dev)
{
	struct event_queue *eq = &dev->eq;

	pthread_mutex_init(&eq->lock, NULL);
	eq->addr = hbm_take(&dev->hbm, sizeof(*eq->header) + EVENT_ENTRIES * sizeof(*eq->ring));
	if (!eq->addr)
		return -ENOMEM;
	eq->header = (void *)(dev->hbm.cpu + eq->addr);
	eq->ring = (void *)(eq->header + 1);
	return 0;
}
