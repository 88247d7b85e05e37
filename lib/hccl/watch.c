// SPDX-License-Identifier: MIT
/*
 * A thread of each rank that hears of failures of the others, and what synchronising says of them.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "copy/front.h"
#include "core/front.h"
#include "hccl_inside.h"

/* Who kept the others waiting ------------------------------------------------------------------- */

/* The rank whose program has called the fewest collectives, or this rank if all have called as many */
static uint32_t slowest(const struct hccl_comm *c)
{
	uint32_t who = c->rank;

	for (uint32_t i = 0; i < c->ranks; i++)
		if (atomic_load(&hccl_public_of(c, i)->called) < atomic_load(&hccl_public_of(c, who)->called))
			who = i;
	return who;
}

struct question {
	uint64_t addr;
	int32_t stream;
	char *buf;
	size_t size;
};

/* A watcher looks once in a period; one that has not for so many of them does not run */
#define SILENT_PERIODS	3

/* How often: an eighth of the limit, but not so often that it costs anything; in ms */
static int period(const struct hccl_comm *c)
{
	int64_t ms = c->set.seconds * 1000 / 8;

	return !c->set.seconds ? -1 : ms < 50 ? 50 : ms > 1000 ? 1000 : (int)ms;
}

/* The rank whose process was stopped for most of the time that this one has waited, or this rank */
static uint32_t stopped(const struct hccl_comm *c)
{
	int64_t seen, oldest = hccl_now_ms() - c->set.seconds * 750;
	uint32_t who = c->rank;

	for (uint32_t i = 0; i < c->ranks; i++) {
		seen = atomic_load(&hccl_public_of(c, i)->seen);
		if (seen && seen < oldest) {
			oldest = seen;
			who = i;
		}
	}
	return who;
}

/* Rank @who may wait for another one, and so on: the one that waits for none; @who if they wait in a circle */
static uint32_t last_of_chain(const struct hccl_comm *c, uint32_t who)
{
	uint32_t at = who, next;

	for (uint32_t i = 0; i < c->ranks; i++) {
		next = atomic_load(&hccl_public_of(c, at)->waits_for);
		if (!next || next > c->ranks)
			return at;
		at = next - 1;
	}
	return who;
}

/* Is the rank's process one that does not run? Also one that was stopped later than stopped() asks for */
static bool silent(const struct hccl_comm *c, uint32_t who)
{
	int64_t seen = atomic_load(&hccl_public_of(c, who)->seen);

	return who != c->rank && seen && hccl_now_ms() - seen > SILENT_PERIODS * period(c);
}

static void name_missing(struct hccl_comm *c, uint32_t peer, char *buf, size_t size)
{
	const struct hccl_public *mine = hccl_public_of(c, c->rank), *late;
	uint32_t who = stopped(c);

	if (who == c->rank) {
		who = slowest(c);
		who = last_of_chain(c, who == c->rank ? peer : who);
	}
	if (silent(c, who)) {
		snprintf(buf, size, "rank %u (process %lld, device %d) did not come within %lld s (HCCL_EXEC_TIMEOUT): its process does "
			 "not run, and has not for %lld ms%s", who, (long long)c->peers[who].pid, c->peers[who].device,
			 (long long)c->set.seconds, (long long)(hccl_now_ms() - atomic_load(&hccl_public_of(c, who)->seen)),
			 c->wire ? ", or what it sends to other machines does not arrive" : "");
		return;
	}
	late = hccl_public_of(c, who);
	if (atomic_load(&late->called) < atomic_load(&mine->called))
		snprintf(buf, size, "rank %u (process %lld, device %d) has called %llu collectives "
			 "and this rank %u %llu, the last %.23s: it did not come within %lld s (HCCL_EXEC_TIMEOUT)",
			 who, (long long)c->peers[who].pid, c->peers[who].device,
			 (unsigned long long)atomic_load(&late->called), c->rank,
			 (unsigned long long)atomic_load(&mine->called), mine->call, (long long)c->set.seconds);
	else
		snprintf(buf, size, "rank %u (process %lld, device %d) did not answer rank %u within "
			 "%lld s (HCCL_EXEC_TIMEOUT): its stream has not come to the same call", who,
			 (long long)c->peers[who].pid, c->peers[who].device, c->rank, (long long)c->set.seconds);
}

/* The wait that hccl_watch_abort() lets fail */
static bool explain_wait(struct hccl_comm *c, const struct question *q)
{
	if (q->addr != (uintptr_t)&hccl_state_of(c->base)->never)
		return false;
	pthread_mutex_lock(&c->news);
	snprintf(q->buf, q->size, "communicator %.40s: %s", c->name, c->why);
	pthread_mutex_unlock(&c->news);
	return true;
}

static bool explain_abort(struct hccl_comm *c, const struct question *q)
{
	bool ours = false;

	if (!atomic_load(&c->broken) && !atomic_load(&c->suspended))
		return false;
	pthread_mutex_lock(&c->news);
	for (size_t i = 0; i < c->n_dropped; i++)
		ours = ours || c->dropped[i] == q->stream;
	if (ours)
		snprintf(q->buf, q->size, "communicator %.40s: %s", c->name,
			 atomic_load(&c->broken) ? c->why : "HcclCommSuspend() or HcclCommResume() has dropped its tasks");
	pthread_mutex_unlock(&c->news);
	return ours;
}

/* A word by which ranks wait for each other: which of them has come less far than the others */
static bool explain_word(struct hccl_comm *c, const struct question *q)
{
	const struct hccl_public *mine = hccl_public_of(c, c->rank);
	uint32_t who = slowest(c);

	if (q->addr - (uintptr_t)c->base >= c->base_size)
		return false;
	if (who == c->rank)
		snprintf(q->buf, q->size, "another rank of communicator %.40s, all of which have called %llu collectives, the last %.23s: "
			 "the stream of another rank has not come to the same call", c->name,
			 (unsigned long long)atomic_load(&mine->called), mine->call);
	else
		snprintf(q->buf, q->size, "rank %u of communicator %.40s (process %lld, device %d), which has called %llu collectives, "
			 "and this rank %u %llu, the last %.23s", who, c->name, (long long)c->peers[who].pid, c->peers[who].device,
			 (unsigned long long)atomic_load(&hccl_public_of(c, who)->called), c->rank,
			 (unsigned long long)atomic_load(&mine->called), mine->call);
	return true;
}

static bool explain_one(struct hccl_comm *c, void *arg)
{
	struct question *q = arg;

	if (!q->addr)
		return explain_abort(c, q);
	return explain_wait(c, q) || explain_word(c, q);
}

static bool explain(uint64_t addr, int32_t stream, char *buf, size_t size)
{
	struct question q = { addr, stream, buf, size };

	return hccl_comm_each(explain_one, &q);
}

/* News ------------------------------------------------------------------------------------------ */

/* From now on, explain_abort() has the sentence for those who synchronise the stream */
static void note_dropped(struct hccl_comm *c, int32_t number)
{
	int32_t *more;

	pthread_mutex_lock(&c->news);
	for (size_t i = 0; i < c->n_dropped; i++) {
		if (c->dropped[i] == number) {
			pthread_mutex_unlock(&c->news);
			return;
		}
	}
	more = realloc(c->dropped, (c->n_dropped + 1) * sizeof(*more));
	if (more) {
		more[c->n_dropped++] = number;
		c->dropped = more;
	}
	pthread_mutex_unlock(&c->news);
}

/* Before its memory goes, the communicator waits for its event, also when its first call has failed */
static void note_last(struct hccl_comm *c, aclrtStream stream)
{
	pthread_mutex_lock(&c->lock);
	c->stream = stream;
	pthread_mutex_unlock(&c->lock);
}

/*
 * Tasks that wait for a rank that is gone would wait for ever, and those behind must not run. A thread that waits for the
 * stream is told; for one that comes later, a wait is left behind that fails.
 */
static void abort_stream(struct hccl_comm *c, aclrtStream stream, bool finally)
{
	int32_t number;

	if (aclrtStreamGetId(stream, &number))
		return;
	note_dropped(c, number);
	if (!finally)
		(void)aclrtStreamAbort(stream);
	else if (!anpu_front_abort(&hccl_state_of(c->base)->never, stream) && !aclrtRecordEvent(c->done, stream))
		note_last(c, stream);
}

static void abort_all(struct hccl_comm *c, bool finally)
{
	size_t n = hccl_busy_streams(c, NULL, 0), got;
	aclrtStream *list = calloc(n + 1, sizeof(*list));

	got = list ? hccl_busy_streams(c, list, n) : 0;
	for (size_t i = 0; i < got && i < n; i++)
		abort_stream(c, list[i], finally);
	free(list);
}

/* No call of this rank queues tasks any more */
static void end_calls(struct hccl_comm *c)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	/*
	 * A call that is queueing tasks sees that the communicator is broken or suspended when it looks next; but it may be
	 * waiting for room in a stream, whose tasks wait for a rank that is gone, or does not go on
	 */
	while (pthread_mutex_trylock(&c->lock)) {
		abort_all(c, false);
		nanosleep(&pause, NULL);
	}
	pthread_mutex_unlock(&c->lock);
}

void hccl_watch_drop(struct hccl_comm *c)
{
	end_calls(c);
	abort_all(c, false);
}

/* Once only, as a stream without tasks is left alone: then no failing wait would be left behind for who synchronises later */
void hccl_watch_abort(struct hccl_comm *c)
{
	end_calls(c);
	abort_all(c, true);
}

/* The limit of waits ---------------------------------------------------------------------------- */

/* The tasks' state as the watcher saw it last, and since when it is that */
struct moment {
	struct hccl_state state;
	int64_t since;
};

static bool read_state(const struct hccl_comm *c, struct hccl_state *s)
{
	if (!c->window)
		return !aclrtMemcpy(s, sizeof(*s), hccl_state_of(c->base), sizeof(*s), ACL_MEMCPY_DEVICE_TO_HOST);
	memcpy(s, hccl_state_of(c->base), sizeof(*s));
	return true;
}

/* Does the stream wait for a rank, and for the same as at @m */
static bool waits_still(const struct hccl_state *s, const struct moment *m)
{
	return (s->waits & 0xffff) && s->waits == m->state.waits && s->turns == m->state.turns;
}

/*
 * A rank that is done with its part of a call may end while others are not. They need not fail for that, if they have what they need of it:
 * until they wait for the same for LOST_MS, or FINISH_MS are over
 */
#define LOST_MS	  200
#define FINISH_MS 600

static void let_finish(struct hccl_comm *c)
{
	int64_t until = hccl_now_ms() + FINISH_MS;
	struct timespec pause = { .tv_nsec = 2000000 };
	struct moment m = { .since = hccl_now_ms() };
	struct hccl_state s;

	while (hccl_now_ms() < until && !atomic_load(&c->suspended) && hccl_busy_streams(c, NULL, 0) && read_state(c, &s)) {
		if (!waits_still(&s, &m))
			m = (struct moment){ s, hccl_now_ms() };
		else if (hccl_now_ms() - m.since > LOST_MS)
			return;
		nanosleep(&pause, NULL);
	}
}

/* The rank for which this one waits has left, so that it waits for nothing: @text says so */
static bool has_left(const struct hccl_comm *c, uint32_t who, char *text)
{
	if (c->wire || who >= c->ranks || atomic_load(&hccl_public_of(c, who)->left) != HCCL_LEFT)
		return false;
	snprintf(text, HCCL_TEXT, "rank %u (process %lld) has left the communicator after %llu collectives, by HcclCommDestroy() or with its "
		 "program, and rank %u waits for it in number %llu, %.23s", who, (long long)c->peers[who].pid,
		 (unsigned long long)atomic_load(&hccl_public_of(c, who)->called), c->rank,
		 (unsigned long long)atomic_load(&hccl_public_of(c, c->rank)->called), hccl_public_of(c, c->rank)->call);
	return true;
}

/* A rank that does not come within the limit, or never will */
static void look(struct hccl_comm *c, struct moment *m)
{
	struct hccl_public *me = hccl_public_of(c, c->rank);
	HcclResult why = HCCL_E_REMOTE;
	struct hccl_state s;
	char text[HCCL_TEXT];

	if (atomic_load(&c->broken) || atomic_load(&c->suspended) || !read_state(c, &s))
		return;
	atomic_store(&me->waits_for, (uint32_t)(s.waits & 0xffff));
	atomic_store(&me->seen, hccl_now_ms());
	if (!waits_still(&s, m)) {
		*m = (struct moment){ s, hccl_now_ms() };
		return;
	}
	if (!has_left(c, (uint32_t)(s.waits & 0xffff) - 1, text)) {
		if (hccl_now_ms() - m->since < c->set.seconds * 1000)
			return;
		name_missing(c, (uint32_t)(s.waits & 0xffff) - 1, text, sizeof(text));
		why = HCCL_E_TIMEOUT;
	}
	hccl_comm_break(c, why, text);
	hccl_meet_tell(c->meeting, text);
	hccl_watch_abort(c);
}

void hccl_thread_begins(struct hccl_comm *c)
{
	/* what the thread looks at is no business of recordings by others */
	aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

	hccl_enter("HcclCommInitRootInfo");
	(void)aclmdlRICaptureThreadExchangeMode(&mode);
	/* without its context the device is gone, and nothing is to be ended */
	(void)aclrtSetCurrentContext(c->context);
}

static void *watch(void *arg)
{
	struct hccl_comm *c = arg;
	struct moment m = { .since = hccl_now_ms() };
	char text[HCCL_TEXT];
	int news;

	hccl_thread_begins(c);
	atomic_store(&hccl_public_of(c, c->rank)->seen, m.since);
	do {
		news = hccl_meet_news(c->meeting, period(c), text);
		if (news == 2) {
			look(c, &m);
			continue;
		}
		if (news == 3) {
			hccl_resume_asked(c);
			continue;
		}
		if (news < 0)
			hccl_meet_name_root(c->meeting, text);
		if (news < 0 || news == 4)
			let_finish(c);
		if (news) {
			hccl_comm_break(c, HCCL_E_REMOTE, text);
			hccl_watch_abort(c);
		}
	} while (news > 0);
	pthread_mutex_lock(&c->news);
	c->deaf = true;
	pthread_cond_broadcast(&c->answered);
	pthread_mutex_unlock(&c->news);
	return NULL;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void install(void)
{
	anpu_front_explain(explain);
}

HcclResult hccl_watch(struct hccl_comm *c)
{
	sigset_t all, before;
	int err;

	pthread_once(&once, install);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&c->watcher, NULL, watch, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return hccl_fail(HCCL_E_SYSCALL, "a thread that watches other ranks cannot be made: %s", strerror(err));
	c->watched = true;
	return HCCL_SUCCESS;
}

void hccl_watch_end(struct hccl_comm *c)
{
	hccl_meet_end(c->meeting);
	if (c->watched)
		pthread_join(c->watcher, NULL);
	c->watched = false;
}
