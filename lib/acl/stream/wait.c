// SPDX-License-Identifier: MIT
/*
 * Waiting for streams, and asking whether they have completed.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "stream/stream.h"

/* A wait that is usually shorter than this is spun for; the kernel's sleep costs about as much */
#define SPIN_NS	      50000
#define SPIN_SHORT_NS 4000
/* From then on a thread that spins lets others have the processor, which may be a device's */
#define SPIN_ALONE_NS 2000
/* The output of operators is shown, and signals are looked for, about this often while a thread waits */
#define SLICE_NS      50000000
/* A device that is reset by force waits so long for a task: an endless one would take its limit of time */
#define BRIEF_NS      5000000000LL

int64_t anpu_now(void)
{
	return (int64_t)anpu_trace_now();
}

int64_t anpu_wait_slice(int64_t deadline, bool looks)
{
	int64_t slice;

	if (!looks && !anpu_interruptible())
		return deadline;
	slice = anpu_now() + SLICE_NS;
	return slice < deadline ? slice : deadline;
}

aclError anpu_deadline(int32_t timeout_ms, int64_t *deadline)
{
	if (timeout_ms < -1 || !timeout_ms)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"timeout is %d: it must be a number of milliseconds above 0, or -1 "
				"for no limit",
				timeout_ms);
	*deadline = timeout_ms < 0 ? ANPU_FOREVER : anpu_now() + timeout_ms * 1000000LL;
	return ACL_SUCCESS;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/*
 * Watches the status page for a while; true when the packet has completed. A stream that waits for a
 * function of the program would keep the processor from the thread that runs it.
 */
static bool spin(struct anpu_stream *s, uint64_t seq)
{
	uint64_t usual = atomic_load_explicit(&s->wait_ns, memory_order_relaxed);
	int64_t start = anpu_now(), now, end = start + (usual > 4 * SPIN_NS ? SPIN_SHORT_NS : SPIN_NS);
	unsigned int i;

	if (atomic_load_explicit(&s->calls_blocking, memory_order_relaxed))
		return anpu_stream_completed(s) >= seq;

	do {
		for (i = 0; i < 32; i++) {
			if (anpu_stream_completed(s) >= seq)
				return true;
			relax();
		}
		now = anpu_now();
		if (now - start > SPIN_ALONE_NS)
			sched_yield();
	} while (now < end);
	return false;
}

aclError anpu_stream_may_wait(const struct anpu_stream *s)
{
	if (!acl_in_host_callback() || !s->context) /* the library's own streams wait for nobody */
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"a callback does not wait for stream %d, because its tasks may wait for this "
			"callback: let another thread call this after the callback has returned",
			s->number);
}

static aclError wait_failed(struct anpu_stream *s, int err, aclError on_timeout)
{
	char hang[1800], by[1100];

	switch (err) {
	case -ETIME:
		anpu_stream_hooks.hang_text(s, hang, sizeof(hang));
		return acl_fail(on_timeout,
				"the time is up and stream %d has run %llu of its %llu tasks; they "
				"go on running%s",
				s->number, (unsigned long long)anpu_stream_completed(s),
				(unsigned long long)atomic_load(&s->last_seq), hang);
	case -EDEADLK:
		return anpu_stream_may_wait(s);
	case -EINTR:
		return anpu_fail_interrupted();
	case -ECANCELED:
		return ACL_SUCCESS; /* halted after a failure, which the report tells */
	case -ENOENT:
	case -EIO:
		if (s->dead) {
			anpu_site_text(&s->end_site, by, sizeof(by));
			return acl_fail(ACL_ERROR_RT_STREAM_ABORT,
					"stream %d was destroyed by %s while this thread waited for it",
					s->number, *by ? by : "another thread");
		}
		/* fall through */
	default:
		return anpu_fail_ioctl(s->obj.dev, err, "waiting for a stream");
	}
}

int anpu_stream_wait_seq(struct anpu_stream *s, uint64_t seq, int64_t deadline)
{
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_SEQ,
		.stream = s->kernel_id,
		.value = seq,
	};
	struct drm_anpu_wait wait = {
		.flags = DRM_ANPU_WAIT_ALL,
		.timeout_ns = deadline,
		.items = { .stride = sizeof(item), .count = 1, .array = (uintptr_t)&item },
	};

	if (deadline)
		anpu_about_to_sleep();
	return anpu_ioctl(s->obj.dev, DRM_IOCTL_ANPU_WAIT, &wait);
}

/* The same, with what operators print meanwhile; -EINTR when a front wants the wait to end */
static int wait_and_print(struct anpu_stream *s, uint64_t seq, int64_t deadline)
{
	unsigned int noted = anpu_wait_begins(ANPU_WAITS_FOR_STREAM, s->obj.dev->id, s->number, seq);
	int64_t until;
	int err;

	do {
		until = anpu_wait_slice(deadline, anpu_stream_hooks.prints(s->obj.dev));
		err = anpu_stream_wait_seq(s, seq, until);
		anpu_stream_hooks.progress(s->obj.dev);
		if (err == -ETIME && until < deadline && anpu_interrupted())
			err = -EINTR;
	} while (err == -ETIME && until < deadline);
	anpu_wait_over(noted);
	return err;
}

/* Waits for a packet: 0 or -errno as of WAIT */
static int await(struct anpu_stream *s, uint64_t seq, int64_t deadline)
{
	uint64_t usual;
	int64_t start;
	int err = 0;

	if (anpu_traces())
		anpu_trace_waited(seq == atomic_load_explicit(&s->last_seq, memory_order_relaxed));
	if (anpu_stream_completed(s) >= seq) {
		if (anpu_checking())
			anpu_races_synced(s->number, seq);
		anpu_stream_hooks.progress(s->obj.dev);
		return 0;
	}
	if (acl_in_host_callback() && s->context)
		return -EDEADLK;
	start = anpu_now();
	if (!spin(s, seq))
		err = wait_and_print(s, seq, deadline);
	else
		anpu_stream_hooks.progress(s->obj.dev);
	if (!err && anpu_checking())
		anpu_races_synced(s->number, seq);
	if (anpu_traces())
		anpu_stream_hooks.traced(s->obj.dev, false);
	usual = atomic_load_explicit(&s->wait_ns, memory_order_relaxed);
	atomic_store_explicit(&s->wait_ns, (usual * 7 + (anpu_now() - start)) / 8,
			      memory_order_relaxed);
	return err;
}

aclError anpu_stream_wait(struct anpu_stream *s, uint64_t seq, int64_t deadline,
			  aclError on_timeout)
{
	int err = await(s, seq, deadline);

	return err ? wait_failed(s, err, on_timeout) : ACL_SUCCESS;
}

/*
 * Where a stream is when a thread begins to wait for it. A failure that another thread is told of
 * meanwhile is told to this one, too.
 */
struct moment {
	uint64_t seq;	     /* of its last packet */
	uint64_t errors;     /* failures that had been told */
	unsigned int aborts;
};

static struct moment moment_of(struct anpu_stream *s)
{
	/* read in this order, because an abort first counts itself and then its failures as told */
	unsigned int aborts = atomic_load(&s->aborts_over);
	uint64_t errors = atomic_load(&s->errors_seen);

	return (struct moment){
		.seq = atomic_load_explicit(&s->last_seq, memory_order_acquire),
		.errors = errors,
		.aborts = aborts,
	};
}

/* A stream that has stopped tells its failure once, and then that it has stopped */
static aclError report(struct anpu_stream *s, uint64_t told)
{
	aclError ret = anpu_stream_report(s, told);
	uint64_t last = atomic_load(&s->last_seq), done = anpu_stream_completed(s);

	if (ret)
		anpu_stream_hooks.failed(s);
	if (ret || done >= last || !anpu_stream_halted(s))
		return ret;
	return acl_fail(ACL_ERROR_RT_TASK_ABORT_STOP,
			"stream %d stopped after a task failed, and its %llu tasks behind that one "
			"do not run: end it with aclrtDestroyStream(), or call aclrtStreamAbort()",
			s->number, (unsigned long long)(last - done));
}

/* The checking mode: has a task written beside its memory; the latest kernel is the first suspect */
static void look_at_guards(struct anpu_stream *s, uint64_t seq)
{
	uint64_t first = seq > s->task_mask ? seq - s->task_mask : 1;
	struct anpu_noticed noticed = { .when = "behind this synchronisation", .stream = s->number };
	struct anpu_task task;

	for (; seq >= first && seq; seq--)
		if (anpu_task_find(s, seq, &task) && task.opcode == ANPU_OP_KERNEL)
			break;
	if (seq >= first && seq)
		noticed.site = task.site;
	anpu_guards_look(s->obj.dev, &noticed);
}

/* The result to return when the wait that began at @since is over */
static aclError tell(struct anpu_stream *s, const struct moment *since)
{
	char why[512];

	if (atomic_load(&s->aborts) != since->aborts) {
		if (anpu_explain(0, s->number, why, sizeof(why)))
			return acl_fail(ACL_ERROR_RT_STREAM_ABORT, "stream %d was aborted: %s", s->number, why);
		return acl_fail(ACL_ERROR_RT_STREAM_ABORT,
				"stream %d was aborted while this thread waited for it", s->number);
	}
	anpu_stream_hooks.synchronised(s->obj.dev);
	if (anpu_checking()) {
		look_at_guards(s, since->seq);
		anpu_races_settle(s->obj.dev);
	}
	return report(s, since->errors);
}

aclError anpu_stream_sync(struct anpu_stream *s, int64_t deadline)
{
	struct moment since = moment_of(s);
	aclError ret = anpu_stream_wait(s, since.seq, deadline, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);

	anpu_finding_waited(s, ret);
	return ret ? ret : tell(s, &since);
}

/* Nothing runs on a stream when its end in the driver has returned, for which its lock is held */
static void await_end(struct anpu_stream *s)
{
	pthread_mutex_lock(&s->lock);
	pthread_mutex_unlock(&s->lock);
}

/* Waits for what was queued at @since, whether or not it fails; a stream that ended meanwhile has nothing left to wait for */
static aclError await_since(struct anpu_stream *s, const struct moment *since)
{
	int err = await(s, since->seq, anpu_now() + anpu_long_wait());

	if (err == -ETIME) {
		anpu_tell_long_wait(s, "the tasks of");
		err = await(s, since->seq, ANPU_FOREVER);
	}
	if (err && atomic_load(&s->dead)) {
		await_end(s);
		return ACL_SUCCESS;
	}
	/* on a device that was reset nothing runs any more, which is as good as done */
	return err && !anpu_stream_stopped(s) ? wait_failed(s, err, 0) : ACL_SUCCESS;
}

/* The same for a stream that ends */
static aclError drain_since(struct anpu_stream *s, const struct moment *since)
{
	aclError ret = await_since(s, since);

	if (!ret && !atomic_load(&s->dead))
		(void)anpu_stream_report(s, since->errors); /* for aclGetRecentErrMsg() only */
	return ret;
}

aclError anpu_stream_drain(struct anpu_stream *s)
{
	struct moment since = moment_of(s);

	return drain_since(s, &since);
}

/* The same, and returns failures */
static aclError sync_since(struct anpu_stream *s, const struct moment *since, int64_t deadline)
{
	int err = await(s, since->seq, deadline);
	aclError ret;

	if (err && err != -ETIME && atomic_load(&s->dead)) {
		await_end(s);
		return ACL_SUCCESS;
	}
	ret = err ? wait_failed(s, err, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) : ACL_SUCCESS;
	anpu_finding_waited(s, ret);
	return ret ? ret : tell(s, since);
}

/* Streams that are waited for, and where each was at first */
struct group {
	struct anpu_stream **list;
	struct moment *since;
	size_t n;
};

static uint64_t tasks_done(const struct group *g)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < g->n; i++)
		sum += anpu_stream_completed(g->list[i]);
	return sum;
}

/* Comes back when all is done, or when no stream has ended a task for a while */
static void drain_briefly(const struct group *g)
{
	uint64_t before;
	size_t i;
	int err;

	for (i = 0; i < g->n; i++) {
		do {
			before = tasks_done(g);
			err = await(g->list[i], g->since[i].seq, anpu_now() + BRIEF_NS);
		} while (err == -ETIME && tasks_done(g) != before);
		if (err == -ETIME)
			return;
		(void)anpu_stream_report(g->list[i], g->since[i].errors); /* for aclGetRecentErrMsg() */
	}
}

aclError anpu_streams_sync(struct anpu_device *dev, struct anpu_context *ctx, int64_t deadline,
			   enum anpu_sync how)
{
	aclError first = ACL_SUCCESS;
	struct group g = { 0 };
	struct anpu_stream *s;
	size_t i;

	g.list = ctx ? anpu_siblings_list(ctx, &g.n) : anpu_stream_list(dev, &g.n);
	if (!g.list)
		return acl_last_failure();
	g.since = calloc(g.n + 1, sizeof(*g.since));
	/* all of them before the first wait: what is queued later is not waited for */
	for (i = 0; i < g.n && g.since; i++)
		g.since[i] = moment_of(g.list[i]);
	if (g.since && how == ANPU_DRAIN_BRIEFLY)
		drain_briefly(&g);
	for (i = 0; i < g.n; i++) {
		s = g.list[i];
		if (g.since && how != ANPU_DRAIN_BRIEFLY) {
			aclError ret = how == ANPU_DRAIN   ? drain_since(s, &g.since[i])
				       : how == ANPU_AWAIT ? await_since(s, &g.since[i])
							   : sync_since(s, &g.since[i], deadline);

			first = first ? first : ret;
		}
		anpu_stream_put(s);
	}
	if (!g.since)
		first = acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of %zu streams", g.n);
	free(g.since);
	free(g.list);
	return first;
}

static aclError sync_stream(aclrtStream stream, int64_t deadline)
{
	struct anpu_stream *s;
	aclError ret = anpu_stream_find(stream, &s);

	if (ret)
		return ret;
	ret = anpu_recorder.illegal(s, ACL_ERROR_RT_STREAM_CAPTURED, "there is nothing to wait for");
	if (!ret)
		ret = anpu_stream_sync(s, deadline);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
	ACL_ENTER();
	return sync_stream(stream, ANPU_FOREVER);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
	int64_t deadline;
	aclError ret;

	ACL_ENTER();
	ret = anpu_deadline(timeout, &deadline);
	return ret ? ret : sync_stream(stream, deadline);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(status);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = anpu_recorder.illegal(s, ACL_ERROR_RT_STREAM_CAPTURED, "there is nothing to ask for");
	if (ret) {
		anpu_stream_put(s);
		return ret;
	}
	*status = anpu_stream_completed(s) >= atomic_load(&s->last_seq) ? ACL_STREAM_STATUS_COMPLETE
							    : ACL_STREAM_STATUS_NOT_READY;
	if (*status == ACL_STREAM_STATUS_COMPLETE && anpu_checking()) {
		anpu_finding_waited(s, ACL_SUCCESS);
		anpu_races_synced(s->number, atomic_load(&s->last_seq));
	}
	anpu_stream_hooks.progress(s->obj.dev);
	ret = report(s, atomic_load(&s->errors_seen));
	anpu_stream_put(s);
	return ret;
}

bool anpu_streams_idle(struct anpu_device *dev)
{
	size_t n = 0, i;
	struct anpu_stream **list = anpu_stream_list(dev, &n);
	bool idle = list != NULL;

	for (i = 0; i < n; i++) {
		idle = idle && anpu_stream_reached(list[i], atomic_load(&list[i]->last_seq));
		anpu_stream_put(list[i]);
	}
	free(list);
	return idle;
}

aclError anpu_sync_current_device(void)
{
	struct anpu_context *ctx;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	ret = anpu_streams_sync(ctx->obj.dev, NULL, ANPU_FOREVER, ANPU_AWAIT);
	anpu_context_put(ctx);
	return ret;
}

static aclError sync_device(int64_t deadline)
{
	struct anpu_context *ctx;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	ret = anpu_recorder.device(ctx->obj.dev, "this call");
	if (!ret)
		ret = anpu_streams_sync(ctx->obj.dev, NULL, deadline, ANPU_SYNC);
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtSynchronizeDevice(void)
{
	ACL_ENTER();
	return sync_device(ANPU_FOREVER);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
	int64_t deadline;
	aclError ret;

	ACL_ENTER();
	ret = anpu_deadline(timeout, &deadline);
	return ret ? ret : sync_device(deadline);
}
