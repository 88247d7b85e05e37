// SPDX-License-Identifier: MIT
/* Names what a stream waits for: the event, notify, or functions of the program whose word it looks at. */
#include <stdio.h>
#include <stdlib.h>

#include "sync/event.h"

static bool in_slot(const struct anpu_slot *slot, uint64_t addr, uint64_t size)
{
	return slot->va && addr - slot->va < size;
}

/* The events lock may be held by a thread that waits for a stream: an event that is busy is looked at as it is */
static bool event_text(struct event *e, uint64_t addr, uint64_t value, char *buf, size_t size)
{
	uint64_t bytes = e->shared ? SHARED_PAGE : sizeof(struct anpu_slot_memory);
	const char *state;

	if (!in_slot(&e->mark, addr, bytes) && !in_slot(&e->slot, addr, bytes))
		return false;
	if (e->shared)
		state = "which processes share";
	else if (!e->records)
		state = "which was never recorded";
	else if (value > e->records)
		state = "which was reset behind its latest record, or recorded before only, and not again since";
	else
		state = "whose record has not run";
	snprintf(buf, size, "event %u, %s", e->number, state);
	return true;
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

static bool find_notify(struct anpu_device *dev, uint64_t addr, char *buf, size_t size)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_NOTIFY, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	bool found = false;

	got = list ? acl_obj_list(dev, ACL_TYPE_NOTIFY, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		uint32_t number;

		if (!found && anpu_notify_at(list[i], addr, &number)) {
			snprintf(buf, size, "notify %u, which nothing has recorded, or not again since a wait took its record", number);
			found = true;
		}
		acl_obj_put(list[i]);
	}
	free(list);
	return found;
}

bool anpu_sync_text(struct anpu_device *dev, struct anpu_stream *s, uint64_t addr, uint64_t value, char *buf, size_t size)
{
	if (s && in_slot(&s->call_slot, addr, sizeof(struct anpu_slot_memory))) {
		anpu_calls_text(s, buf, size);
		return true;
	}
	return find_event(dev, addr, value, buf, size) || find_notify(dev, addr, buf, size);
}
