// SPDX-License-Identifier: MIT
/*
 * Communicators that are suspended and go on later. Suspending is a matter of one rank: its tasks are dropped and its calls
 * refused. Resuming is one of all ranks: when none has tasks any more, each writes what its words were before
 * the first call, and when all have, calls are possible again. What ranks have to say to each other for that
 * comes over the connection that the watcher listens to, so the watcher does it.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hccl_inside.h"

HcclResult hccl_comm_stopped(struct hccl_comm *c)
{
	HcclResult ret = hccl_comm_broken(c);

	if (ret || !atomic_load(&c->suspended))
		return ret;
	return hccl_fail(HCCL_E_SUSPENDING, "the communicator is suspended: call HcclCommResume() on all ranks before");
}

/* Nothing of this rank writes to others, or waits, from here on */
static HcclResult stop(struct hccl_comm *c)
{
	HcclResult ret = hccl_comm_broken(c);
	aclrtContext before = NULL;

	if (ret)
		return ret;
	atomic_store(&c->suspended, true);
	(void)aclrtGetCurrentContext(&before);
	/* without its context the device is gone, and the tasks with it */
	if (!aclrtSetCurrentContext(c->context))
		hccl_watch_drop(c);
	if (before)
		(void)aclrtSetCurrentContext(before);
	return HCCL_SUCCESS;
}

/* Does something with the communicator of a handle */
static HcclResult with(HcclComm comm, HcclResult (*act)(struct hccl_comm *c))
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c = hccl_comm_get(comm, &ret);

	if (!c)
		return ret;
	ret = act(c);
	hccl_comm_put(c);
	return ret;
}

HcclResult HcclCommSuspend(HcclComm comm)
{
	HCCL_ENTER();
	return with(comm, stop);
}

/* Everybody says which time it resumes: ranks that do not agree would go on with different words */
static HcclResult agree(struct hccl_comm *c)
{
	uint64_t mine = c->resumed + 1, all[HCCL_MAX_RANKS];
	HcclResult ret = hccl_meet_exchange(c->meeting, &mine, sizeof(mine), all);

	for (uint32_t i = 0; i < c->ranks && !ret; i++)
		if (all[i] != mine)
			ret = hccl_fail(HCCL_E_REMOTE, "rank %u has resumed the communicator %llu times before, and this rank %u "
					"%llu times", i, (unsigned long long)all[i] - 1, c->rank,
					(unsigned long long)mine - 1);
	return ret;
}

static HcclResult first_words(struct hccl_comm *c)
{
	struct hccl_public *me = hccl_public_of(c, c->rank);

	/* numbers of calls are compared: all ranks count from the same on */
	atomic_store(&me->called, 0);
	for (unsigned int i = 0; i < HCCL_NOTES; i++)
		atomic_store(&me->notes[i].number, 0);
	for (unsigned int i = 0; i < HCCL_PAIR_NOTES(c->ranks); i++)
		atomic_store(&me->pairs[i].number, 0);
	memset(c->sent, 0, c->ranks * sizeof(*c->sent));
	memset(c->received, 0, c->ranks * sizeof(*c->received));
	return c->wire ? hccl_wire_restart(c) : hccl_write_words(c);
}

static HcclResult rounds(struct hccl_comm *c)
{
	HcclResult ret = agree(c);

	if (!ret)
		ret = first_words(c);
	if (!ret)
		ret = agree(c);
	return ret;
}

/* The watcher has been asked */
void hccl_resume_asked(struct hccl_comm *c)
{
	HcclResult ret;

	hccl_enter("HcclCommResume");
	ret = rounds(c);
	if (ret) {
		hccl_comm_break(c, ret, hccl_last_text());
		hccl_meet_tell(c->meeting, hccl_last_text());
	} else {
		c->resumed++;
	}
	pthread_mutex_lock(&c->news);
	c->asked = false;
	pthread_cond_broadcast(&c->answered);
	pthread_mutex_unlock(&c->news);
}

/* The watcher does it; if it has ended, the communicator is broken */
static HcclResult ask(struct hccl_comm *c)
{
	bool first;

	pthread_mutex_lock(&c->news);
	first = !c->asked;
	c->asked = true;
	if (first)
		hccl_meet_wake(c->meeting);
	while (first && c->asked && !c->deaf)
		pthread_cond_wait(&c->answered, &c->news);
	pthread_mutex_unlock(&c->news);
	return first ? hccl_comm_broken(c) : hccl_fail(HCCL_E_UNAVAIL, "another thread resumes the communicator");
}

static HcclResult resume(struct hccl_comm *c)
{
	HcclResult ret = stop(c);

	if (!ret)
		ret = ask(c);
	if (ret)
		return ret;
	pthread_mutex_lock(&c->lock);
	/* the record of its event was dropped with the tasks */
	c->stream = NULL;
	atomic_store(&c->suspended, false);
	pthread_mutex_unlock(&c->lock);
	return HCCL_SUCCESS;
}

HcclResult HcclCommResume(HcclComm comm)
{
	HCCL_ENTER();
	return with(comm, resume);
}

HcclResult HcclCommGetStatus(const char *commId, HcclCommStatus *status)
{
	HcclResult ret = HCCL_SUCCESS;
	struct hccl_comm *c;
	HcclComm comm;

	HCCL_ENTER();
	if (!commId || !status)
		return hccl_fail(HCCL_E_PTR, "%s is NULL", commId ? "status" : "commId");
	ret = HcclCommGetHandleWithName(commId, &comm);
	hccl_enter(__func__);
	c = ret ? NULL : hccl_comm_get(comm, &ret);
	if (!c)
		return ret;
	*status = atomic_load(&c->broken) ? HCCL_COMM_STATUS_INVALID :
		  atomic_load(&c->suspended) ? HCCL_COMM_STATUS_SUSPENDING : HCCL_COMM_STATUS_READY;
	hccl_comm_put(c);
	return HCCL_SUCCESS;
}
