// SPDX-License-Identifier: MIT
/*
 * Groups: calls of one thread that HcclGroupEnd() does together. Calls that have a communicator or a stream in common are
 * done in their order, or two ranks could have those of two communicators in their streams the other way round and wait
 * for each other for ever. Sends and receives of a communicator without another call of it between them are one batch. What has
 * nothing in common gets threads of its own, because ranks wait for each other when one is made, and when a stream has no
 * room for more tasks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/front.h"
#include "hccl_inside.h"

static __thread unsigned int depth;
static __thread struct hccl_later *first, **end;

bool hccl_grouped(void)
{
	return depth != 0;
}

HcclResult hccl_put_off(struct hccl_later *l)
{
	aclError err = aclrtGetCurrentContext(&l->context);

	if (err) {
		free(l->kept);
		free(l);
		return hccl_fail(HCCL_E_RUNTIME, "the thread has no device: call aclrtSetDevice() before");
	}
	l->name = hccl_api();
	if (!l->api[0])
		snprintf(l->api, sizeof(l->api), "%s", hccl_api());
	l->next = NULL;
	*end = l;
	end = &l->next;
	return HCCL_SUCCESS;
}

void hccl_check_held_back(HcclComm comm)
{
	const struct hccl_later *l;
	char site[160], text[HCCL_TEXT];

	if (!depth)
		return;
	for (l = first; l && l->comm != comm; l = l->next)
		;
	if (!l)
		return;
	hccl_name_site(l->site, site, sizeof(site));
	snprintf(text, sizeof(text), "%s() at %s has not been done yet, as HcclGroupStart() holds it back and HcclGroupEnd() has not been called",
		 l->name, site);
	anpu_front_finding("group", text);
}

HcclResult HcclGroupStart(void)
{
	HCCL_ENTER();
	if (!depth++) {
		first = NULL;
		end = &first;
	}
	return HCCL_SUCCESS;
}

/* Calls that are done one behind the other, or one that makes a communicator */
struct work {
	struct work *next;
	struct hccl_later *calls, **end;
	pthread_t thread;
	bool started;
	HcclResult ret;
	char api[40], text[HCCL_TEXT];
};

/* A stream in which a communicator has calls, and where those are */
struct lane {
	struct lane *next;
	HcclComm comm;
	aclrtStream stream;
	struct work *work;
};

/* Is @l of the batch that @first begins */
static bool same_batch(const struct hccl_later *l, const struct hccl_later *first)
{
	return l->comm == first->comm && l->stream == first->stream && l->pair;
}

/* The batch that @l begins, whose other calls are not done again */
static void run_batch(struct hccl_later *l, HcclResult *ret)
{
	HcclSendRecvItem *items;
	struct hccl_later *i;
	uint32_t n = 0;

	for (i = l; i && (i->comm != l->comm || same_batch(i, l)); i = i->next)
		n += i->comm == l->comm;
	items = calloc(n, sizeof(*items));
	if (!items) {
		*ret = hccl_fail(HCCL_E_MEMORY, "no memory for a group of %u calls", n);
		return;
	}
	n = 0;
	for (i = l; i && (i->comm != l->comm || same_batch(i, l)); i = i->next) {
		if (i->comm == l->comm) {
			items[n++] = i->item;
			i->done = true;
		}
	}
	*ret = hccl_batch(items, n, l->api, l->comm, l->stream, l->site);
	free(items);
}

static void *run(void *arg)
{
	struct work *w = arg;

	for (struct hccl_later *l = w->calls; l && !w->ret; l = l->next) {
		if (l->done)
			continue;
		hccl_enter(l->api);
		anpu_front_site(l->name, l->site);
		snprintf(w->api, sizeof(w->api), "%s", l->api);
		if (aclrtSetCurrentContext(l->context))
			w->ret = hccl_fail(HCCL_E_RUNTIME, "the context that the call was made with is gone");
		else if (l->pair)
			run_batch(l, &w->ret);
		else
			w->ret = l->run(l);
	}
	anpu_front_site(NULL, NULL);
	if (w->ret)
		snprintf(w->text, sizeof(w->text), "%s", hccl_last_text());
	return NULL;
}

static struct work *add_work(struct work **all)
{
	struct work *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->end = &w->calls;
	while (*all)
		all = &(*all)->next;
	*all = w;
	return w;
}

/* The calls of @from go between those of @to, each in its place */
static void merge(struct work *to, struct work *from)
{
	struct hccl_later **at = &to->calls, *rest = from->calls, *later;

	while (rest) {
		while (*at && (*at)->number < rest->number)
			at = &(*at)->next;
		later = *at;
		*at = rest;
		rest = later;
	}
	while (*at)
		at = &(*at)->next;
	to->end = at;
	from->calls = NULL;
}

/* The work that @l belongs to; NULL: no memory */
static struct work *work_of(const struct hccl_later *l, struct work **all, struct lane **lanes)
{
	struct work *w = NULL, *other;
	bool known = !l->comm;
	struct lane *i;

	for (i = *lanes; i && l->comm; i = i->next) {
		if (i->comm != l->comm && i->stream != l->stream)
			continue;
		known = known || (i->comm == l->comm && i->stream == l->stream);
		other = i->work;
		w = w ? w : other;
		if (other == w)
			continue;
		merge(w, other);
		for (struct lane *k = *lanes; k; k = k->next)
			k->work = k->work == other ? w : k->work;
	}
	w = w ? w : add_work(all);
	if (!w || known)
		return w;
	i = calloc(1, sizeof(*i));
	if (!i)
		return NULL;
	*i = (struct lane){ *lanes, l->comm, l->stream, w };
	*lanes = i;
	return w;
}

/* By what they have in common, in the order in which they came; @lost: calls for which there was no memory */
static struct work *sort(struct hccl_later *calls, unsigned int *lost)
{
	struct lane *lanes = NULL, *lane;
	struct work *all = NULL, *w;
	struct hccl_later *l, *next;
	uint64_t number = 0;

	for (l = calls; l; l = next) {
		next = l->next;
		l->next = NULL;
		l->number = number++;
		w = work_of(l, &all, &lanes);
		if (!w) {
			free(l->kept);
			free(l);
			(*lost)++;
			continue;
		}
		*w->end = l;
		w->end = &l->next;
	}
	for (; lanes; lanes = lane) {
		lane = lanes->next;
		free(lanes);
	}
	return all;
}

static HcclResult finish(struct work *all)
{
	HcclResult ret = HCCL_SUCCESS;
	struct work *next;

	for (struct work *w = all; w; w = next) {
		struct hccl_later *later;

		next = w->next;
		if (w->ret && !ret)
			ret = hccl_fail(w->ret, "%s: %s", w->api, w->text);
		for (struct hccl_later *l = w->calls; l; l = later) {
			later = l->next;
			free(l->kept);
			free(l);
		}
		free(w);
	}
	return ret;
}

static HcclResult run_all(struct work *all)
{
	struct work *w;

	for (w = all; w; w = w->next) {
		if (!w->calls) /* they have gone to another's */
			continue;
		w->started = !pthread_create(&w->thread, NULL, run, w);
		if (!w->started) {
			w->ret = HCCL_E_SYSCALL;
			snprintf(w->text, sizeof(w->text), "a thread for the calls of a group cannot be made");
		}
	}
	for (w = all; w; w = w->next)
		if (w->started)
			pthread_join(w->thread, NULL);
	hccl_enter("HcclGroupEnd");
	return finish(all);
}

HcclResult HcclGroupEnd(void)
{
	aclrtContext before = NULL;
	unsigned int lost = 0;
	struct work *all;

	HCCL_ENTER();
	if (!depth)
		return hccl_fail(HCCL_E_UNAVAIL, "HcclGroupStart() was not called before");
	if (--depth || !first)
		return HCCL_SUCCESS;
	all = sort(first, &lost);
	first = NULL;
	if (lost) {
		(void)finish(all);
		return hccl_fail(HCCL_E_MEMORY, "no memory for a group: nothing of it was done");
	}
	if (all->next)
		return run_all(all);
	(void)aclrtGetCurrentContext(&before);
	run(all);
	if (before)
		(void)aclrtSetCurrentContext(before);
	hccl_enter("HcclGroupEnd");
	return finish(all);
}
