// SPDX-License-Identifier: MIT
/* Names what a stream waits for: the event, notify, or functions of the program whose word it looks at. */
#include <stdio.h>
#include <stdlib.h>

#include "sync/event.h"

static bool in_slot(const struct anpu_slot *slot, uint64_t addr, uint64_t size)
{
	return slot->va && addr - slot->va < size;
}

/* Was the event reset, and not recorded since */
static bool is_reset(const struct event *e)
{
	return !e->set && e->reset_in;
}

static void describe_shared(const struct event *e, struct anpu_text *t)
{
	uint64_t number = records_of(e), process = number ? process_of(e, number) : 0;

	if (!process) {
		anpu_text_add(t, "which processes share, and none of them has recorded");
		return;
	}
	anpu_text_add(t, "which processes share; the latest record that any of them called for is number %llu, of process %d",
		      (unsigned long long)number, (int)(uint32_t)process);
	if (anpu_process_ended(process))
		anpu_text_add(t, ", which has ended: what its streams had not done by then will not happen");
}

/*
 * The event as one that somebody waits for, up to the record of number @value. The events lock may be held by a thread that
 * waits for a stream: an event that is busy is looked at as it is
 */
static void describe(const struct event *e, uint64_t value, char *buf, size_t size)
{
	struct anpu_text t = { .buf = buf, .size = size };
	char where[400];

	anpu_text_add(&t, "event %u, ", e->number);
	if (e->shared) {
		describe_shared(e, &t);
	} else if (!e->records) {
		anpu_text_add(&t, "which was never recorded");
	} else if (value > e->records && is_reset(e)) {
		anpu_site_text(&e->reset_site, where, sizeof(where));
		anpu_text_add(&t, "which was reset by %s, and not recorded since", *where ? where : "aclrtResetEvent()");
	} else if (value > e->records) {
		anpu_text_add(&t, "which was recorded before only, and not again since");
	} else {
		anpu_text_add(&t, "whose record has not run");
	}
}

static bool event_text(struct event *e, uint64_t addr, uint64_t value, char *buf, size_t size)
{
	uint64_t bytes = e->shared ? SHARED_PAGE : sizeof(struct anpu_slot_memory);

	if (!in_slot(&e->mark, addr, bytes) && !in_slot(&e->slot, addr, bytes))
		return false;
	describe(e, value, buf, size);
	return true;
}

void anpu_event_text(const struct event *e, char *buf, size_t size)
{
	describe(e, e->set || e->shared ? e->records : e->records + 1, buf, size);
}

bool anpu_event_number_text(struct anpu_device *dev, uint32_t number, char *buf, size_t size)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_EVENT, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	bool found = false;

	got = list ? acl_obj_list(dev, ACL_TYPE_EVENT, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		const struct event *e = container_of(list[i], struct event, obj);

		if (e->number == number) {
			anpu_event_text(e, buf, size);
			found = true;
		}
		acl_obj_put(list[i]);
	}
	free(list);
	return found;
}

static bool find_event(struct anpu_device *dev, uint64_t addr, uint64_t value, char *buf, size_t size)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_EVENT, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	bool found = false;

	got = list ? acl_obj_list(dev, ACL_TYPE_EVENT, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		if (!found)
			found = event_text(container_of(list[i], struct event, obj), addr, value, buf, size);
		acl_obj_put(list[i]);
	}
	free(list);
	return found;
}

/* Notifies of either kind */
static bool find_notify(struct anpu_device *dev, enum acl_type type, uint64_t addr, uint64_t value, char *buf, size_t size)
{
	size_t n = acl_obj_list(dev, type, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	bool found = false;

	got = list ? acl_obj_list(dev, type, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		uint32_t number;
		uint64_t has;
		bool shared;

		if (!found && anpu_notify_at(list[i], addr, &number, &has, &shared)) {
			if (type == ACL_TYPE_NOTIFY)
				snprintf(buf, size, "notify %u, which %s has recorded, or not again since a wait took its record",
					 number, shared ? "processes share, and none of them" : "nothing");
			else
				snprintf(buf, size, "counting notify %u, which is %llu, to be compared with %llu", number,
					 (unsigned long long)has, (unsigned long long)value);
			found = true;
		}
		acl_obj_put(list[i]);
	}
	free(list);
	return found;
}

/* Notifies that have ended: tasks may still wait for their words, which no other object gets until these have run */
#define ENDED 64
static struct {
	uint64_t va;
	uint32_t number;
	struct anpu_site site;
} ended[ENDED];
static uint64_t ended_count;
static pthread_mutex_t ended_lock = PTHREAD_MUTEX_INITIALIZER;

void anpu_notify_ended(uint32_t number, uint64_t va)
{
	uint64_t n;

	pthread_mutex_lock(&ended_lock);
	n = ended_count++ % ENDED;
	ended[n].va = va;
	ended[n].number = number;
	anpu_site_here(&ended[n].site);
	pthread_mutex_unlock(&ended_lock);
}

static bool find_ended(uint64_t addr, char *buf, size_t size)
{
	struct anpu_site site;
	uint32_t number = 0;
	bool found = false;
	char where[400];
	uint64_t n;

	pthread_mutex_lock(&ended_lock);
	for (n = ended_count; n && !found && ended_count - n < ENDED; n--) {
		found = ended[(n - 1) % ENDED].va == addr;
		number = ended[(n - 1) % ENDED].number;
		site = ended[(n - 1) % ENDED].site;
	}
	pthread_mutex_unlock(&ended_lock);
	if (!found)
		return false;
	anpu_site_text(&site, where, sizeof(where));
	snprintf(buf, size, "notify %u, which was destroyed by %s before anything had recorded it", number,
		 *where ? where : "the program");
	return true;
}

bool anpu_sync_text(struct anpu_device *dev, struct anpu_stream *s, uint64_t addr, uint64_t value, char *buf, size_t size)
{
	if (s && in_slot(&s->call_slot, addr, sizeof(struct anpu_slot_memory))) {
		anpu_calls_text(s, buf, size);
		return true;
	}
	return find_event(dev, addr, value, buf, size) || find_notify(dev, ACL_TYPE_NOTIFY, addr, value, buf, size) ||
	       find_notify(dev, ACL_TYPE_CNT_NOTIFY, addr, value, buf, size) || find_ended(addr, buf, size);
}
