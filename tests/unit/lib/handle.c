// SPDX-License-Identifier: MIT
/* The registry of handles, with the devices left out. */
#include "core/core.h"
#include "tap.h"

/* The registry uses no other field of a device */
struct anpu_device {
	struct anpu_node node;
};

static atomic_int released;

/* The test calls no aclInit() */
void anpu_init_left(void)
{
}

void anpu_device_get(struct anpu_device *dev)
{
	(void)dev;
}

void anpu_device_put(struct anpu_device *dev)
{
	(void)dev;
}

static void collect(void)
{
}

void (*const anpu_trace_collect)(void) = collect;

static void count_release(struct acl_obj *obj)
{
	atomic_fetch_add(&released, 1);
	free(obj);
}

static struct acl_obj *make(enum acl_type type, struct anpu_device *dev)
{
	struct acl_obj *obj = calloc(1, sizeof(*obj));

	acl_obj_init(obj, type, dev, count_release);
	CHECK(acl_obj_publish(obj));
	return obj;
}

static void message_has(aclError code, const char *part)
{
	const char *text = aclGetRecentErrMsg();

	CHECK_EQ(code, ACL_ERROR_RT_INVALID_HANDLE);
	CHECK(text);
	if (!strstr(text, part))
		FAIL("'%s' does not say '%s'", text, part);
}

static void found_by_handle_and_type(void)
{
	struct acl_obj *obj = make(ACL_TYPE_STREAM, NULL);
	void *h = acl_obj_handle(obj);

	CHECK(h);
	CHECK(acl_obj_find(h, ACL_TYPE_STREAM) == obj);
	CHECK(!acl_obj_find(h, ACL_TYPE_EVENT));
	acl_obj_put(obj);
	CHECK(acl_obj_remove(h, ACL_TYPE_STREAM) == obj);
	CHECK(!acl_obj_remove(h, ACL_TYPE_STREAM));
	acl_obj_put(obj);
	CHECK_EQ(released, 1);
}

static void stale_handle_stays_unknown(void)
{
	struct acl_obj *obj = make(ACL_TYPE_STREAM, NULL);
	void *h = acl_obj_handle(obj);

	acl_obj_put(acl_obj_remove(h, ACL_TYPE_STREAM));
	for (int i = 0; i < 1000; i++) {
		obj = make(ACL_TYPE_STREAM, NULL); /* in the same slot */
		CHECK(acl_obj_handle(obj) != h);
		CHECK(!acl_obj_find(h, ACL_TYPE_STREAM));
		acl_obj_put(acl_obj_remove(acl_obj_handle(obj), ACL_TYPE_STREAM));
	}
	message_has(acl_bad_handle(h, ACL_TYPE_STREAM, "stream"), "destroyed");
}

static void foreign_values_are_told_apart(void)
{
	struct acl_obj *obj = make(ACL_TYPE_EVENT, NULL);
	int local;

	message_has(acl_bad_handle(&local, ACL_TYPE_STREAM, "stream"), "no handle");
	message_has(acl_bad_handle((void *)1, ACL_TYPE_STREAM, "stream"), "no handle");
	message_has(acl_bad_handle((void *)-1, ACL_TYPE_STREAM, "stream"), "no handle");
	message_has(acl_bad_handle(acl_obj_handle(obj), ACL_TYPE_STREAM, "stream"),
		    "which is an event and not a stream");
	CHECK(!acl_obj_find(&local, ACL_TYPE_STREAM));
}

static void every_object_of_a_device(void)
{
	static struct anpu_device device[2];
	struct anpu_device *one = &device[0], *two = &device[1];
	struct acl_obj *list[8];

	for (int i = 0; i < 200; i++)
		make(i % 2 ? ACL_TYPE_STREAM : ACL_TYPE_EVENT, i % 4 < 2 ? one : two);
	CHECK_EQ(acl_obj_list(one, ACL_TYPE_STREAM, list, 8), 50);
	for (int i = 0; i < 8; i++) {
		CHECK(list[i]->dev == one && list[i]->type == ACL_TYPE_STREAM);
		acl_obj_put(list[i]);
	}
	for (int i = 0; i < 100; i++)
		acl_obj_put(acl_obj_remove_of(one, 0));
	CHECK(!acl_obj_remove_of(one, 0));
	CHECK_EQ(acl_obj_list(two, ACL_TYPE_EVENT, NULL, 0), 50);
	CHECK_EQ(released, 100);
}

/* A thread that was making an object while its device ended would leave it there for ever */
static void no_handles_of_a_device_that_ended(void)
{
	static struct anpu_device device[2];
	struct acl_obj *late = calloc(1, sizeof(*late));
	void *handle = NULL;

	acl_obj_init(late, ACL_TYPE_EVENT, &device[0], count_release);
	acl_obj_end_device(&device[0]);
	CHECK(!acl_obj_give(late, &handle) && !handle);
	acl_obj_put(late);
	CHECK_EQ(released, 1);
	make(ACL_TYPE_EVENT, &device[1]);
	CHECK_EQ(acl_obj_list(&device[1], ACL_TYPE_EVENT, NULL, 0), 1);
}

/* A note is about one live object of the type that is asked for, and never outlives its handle */
static void notes_are_of_live_objects(void)
{
	struct acl_obj *obj = make(ACL_TYPE_EVENT, NULL), *next;
	void *h = acl_obj_handle(obj), *later;

	CHECK_EQ(acl_obj_noted(h, ACL_TYPE_EVENT), 0);
	acl_obj_note(obj, 2);
	CHECK_EQ(acl_obj_noted(h, ACL_TYPE_EVENT), 2);
	CHECK_EQ(acl_obj_noted(h, ACL_TYPE_STREAM), 0);
	CHECK_EQ(acl_obj_noted((char *)h - ACL_TYPE_EVENT + 2, 2), 0);
	CHECK_EQ(acl_obj_noted(NULL, ACL_TYPE_EVENT), 0);
	acl_obj_forget_note(obj);
	CHECK_EQ(acl_obj_noted(h, ACL_TYPE_EVENT), 0);
	acl_obj_note(obj, 1);
	CHECK(acl_obj_remove(h, ACL_TYPE_EVENT) == obj);
	CHECK_EQ(acl_obj_noted(h, ACL_TYPE_EVENT), 0);
	acl_obj_note(obj, 1); /* by a thread that has found it before */
	CHECK_EQ(acl_obj_noted(h, ACL_TYPE_EVENT), 0);
	next = make(ACL_TYPE_EVENT, NULL); /* in the same slot */
	later = acl_obj_handle(next);
	acl_obj_note(next, 1);
	acl_obj_note(obj, 2);
	acl_obj_forget_note(obj);
	CHECK_EQ(acl_obj_noted(later, ACL_TYPE_EVENT), 1);
	CHECK_EQ(acl_obj_noted(h, ACL_TYPE_EVENT), 0);
	acl_obj_put(obj);
	for (int i = 0; i < 20000; i++) {
		obj = make(ACL_TYPE_EVENT, NULL);
		acl_obj_note(obj, 1);
		CHECK(acl_obj_noted(acl_obj_handle(obj), ACL_TYPE_EVENT) <= 1);
		acl_obj_forget_note(obj);
		CHECK_EQ(acl_obj_noted(acl_obj_handle(obj), ACL_TYPE_EVENT), 0);
	}
}

/* One thread destroys what others look up */
static _Atomic(void *) shared[16];
static atomic_bool stop;

static void *looker(void *arg)
{
	unsigned long found = 0;

	(void)arg;
	while (!stop) {
		for (int i = 0; i < 16; i++) {
			struct acl_obj *obj = acl_obj_find(shared[i], ACL_TYPE_STREAM);

			if (obj) {
				CHECK_EQ(obj->type, ACL_TYPE_STREAM);
				acl_obj_put(obj);
				found++;
			}
		}
	}
	return (void *)found;
}

static void threads(void)
{
	pthread_t t[3];
	void *found;
	unsigned long total = 0;

	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&t[i], NULL, looker, NULL));
	for (int i = 0; i < 50000; i++) {
		struct acl_obj *obj = make(ACL_TYPE_STREAM, NULL);
		void *old = atomic_exchange(&shared[i % 16], acl_obj_handle(obj));

		if (old)
			acl_obj_put(acl_obj_remove(old, ACL_TYPE_STREAM));
	}
	stop = true;
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &found);
		total += (unsigned long)found;
	}
	CHECK(total > 0);
	CHECK_EQ(released, 50000 - 16);
}

TAP_MAIN(TEST(found_by_handle_and_type), TEST(stale_handle_stays_unknown),
	 TEST(foreign_values_are_told_apart), TEST(every_object_of_a_device),
	 TEST(no_handles_of_a_device_that_ended), TEST(notes_are_of_live_objects), TEST(threads))
