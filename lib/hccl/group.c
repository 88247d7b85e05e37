// SPDX-License-Identifier: MIT
/*
 * Groups: calls of one thread that HcclGroupEnd() does together. Calls of one communicator are done in their order,
 * sends and receives that stand side by side as one batch. Each communicator gets a thread, because ranks wait for each
 * other when one is made, and when a stream has no room for more tasks.
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

HcclResult HcclGroupStart(void)
{
	HCCL_ENTER();
	if (!depth++) {
		first = NULL;
		end = &first;
	}
	return HCCL_SUCCESS;
}

/* The calls of one communicator, or one that makes a communicator */
struct work {
	struct work *next;
	struct hccl_later *calls, **end;
	HcclComm comm;
	pthread_t thread;
	bool started;
	HcclResult ret;
	char api[40], text[HCCL_TEXT];
};

/* Those from @l on that make one batch; what is behind them */
static struct hccl_later *run_batch(struct hccl_later *l, HcclResult *ret)
{
	struct hccl_later *behind = l;
	HcclSendRecvItem *items;
	uint32_t n = 0;

	while (behind && behind->pair && behind->stream == l->stream) {
		behind = behind->next;
		n++;
	}
	items = calloc(n, sizeof(*items));
	if (!items) {
		*ret = hccl_fail(HCCL_E_MEMORY, "no memory for a group of %u calls", n);
		return NULL;
	}
	n = 0;
	for (struct hccl_later *i = l; i != behind; i = i->next)
		items[n++] = i->item;
	*ret = hccl_batch(items, n, l->api, l->comm, l->stream, l->site);
	free(items);
	return behind;
}

static void *run(void *arg)
{
	struct work *w = arg;
	struct hccl_later *l = w->calls;

	while (l && !w->ret) {
		hccl_enter(l->api);
		anpu_front_site(l->name, l->site);
		snprintf(w->api, sizeof(w->api), "%s", l->api);
		if (aclrtSetCurrentContext(l->context)) {
			w->ret = hccl_fail(HCCL_E_RUNTIME, "the context that the call was made with is gone");
		} else if (l->pair) {
			l = run_batch(l, &w->ret);
		} else {
			w->ret = l->run(l);
			l = l->next;
		}
	}
	anpu_front_site(NULL, NULL);
	if (w->ret)
		snprintf(w->text, sizeof(w->text), "%s", hccl_last_text());
	return NULL;
}

/* By communicators, in the order in which they came; @lost: calls for which there was no memory */
static struct work *sort(struct hccl_later *calls, unsigned int *lost)
{
	struct work *all = NULL, **last = &all, *w;
	struct hccl_later *l, *next;

	for (l = calls; l; l = next) {
		next = l->next;
		l->next = NULL;
		for (w = all; w && (!l->comm || w->comm != l->comm); w = w->next)
			;
		if (!w) {
			w = calloc(1, sizeof(*w));
			if (!w) {
				free(l->kept);
				free(l);
				(*lost)++;
				continue;
			}
			w->comm = l->comm;
			w->end = &w->calls;
			*last = w;
			last = &w->next;
		}
		*w->end = l;
		w->end = &l->next;
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
