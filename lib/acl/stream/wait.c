// SPDX-License-Identifier: MIT
/*
 * Waiting for streams, and asking whether they have completed.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "graph/graph.h"
#include "pool/pool.h"
#include "stream/stream.h"

/* A wait that is usually shorter than this is spun for; the kernel's sleep costs about as much */
#define SPIN_NS	      50000
#define SPIN_SHORT_NS 4000
/* What operators print is shown about this often while somebody waits for them */
#define PRINT_NS      50000000

int64_t anpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
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
	int64_t start = anpu_now(), end = start + (usual > 4 * SPIN_NS ? SPIN_SHORT_NS : SPIN_NS);
	unsigned int i;

	if (atomic_load_explicit(&s->calls_blocking, memory_order_relaxed))
		return anpu_stream_completed(s) >= seq;

	do {
		for (i = 0; i < 32; i++) {
			if (anpu_stream_completed(s) >= seq)
				return true;
			relax();
		}
	} while (anpu_now() < end);
	return false;
}

static aclError wait_failed(struct anpu_stream *s, int err, aclError on_timeout)
{
	switch (err) {
	case -ETIME:
		return acl_fail(on_timeout,
				"the time is up and stream %d has run %llu of its %llu tasks; they "
				"go on running",
				s->number, (unsigned long long)anpu_stream_completed(s),
				(unsigned long long)atomic_load(&s->last_seq));
	case -ECANCELED:
		return ACL_SUCCESS; /* halted after a failure, which the report tells */
	case -ENOENT:
	case -EIO:
		if (s->dead)
			return acl_fail(ACL_ERROR_RT_STREAM_ABORT,
					"stream %d was destroyed while this thread waited for it",
					s->number);
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

	return anpu_ioctl(s->obj.dev, DRM_IOCTL_ANPU_WAIT, &wait);
}

/* The same, with what operators print meanwhile */
static int wait_and_print(struct anpu_stream *s, uint64_t seq, int64_t deadline)
{
	int64_t slice, until;
	int err;

	do {
		until = deadline;
		if (anpu_print_active(s->obj.dev)) {
			slice = anpu_now() + PRINT_NS;
			until = slice < deadline ? slice : deadline;
		}
		err = anpu_stream_wait_seq(s, seq, until);
		anpu_print_drain(s->obj.dev);
	} while (err == -ETIME && until < deadline);
	return err;
}

aclError anpu_stream_wait(struct anpu_stream *s, uint64_t seq, int64_t deadline,
			  aclError on_timeout)
{
	uint64_t usual;
	int64_t start;
	int err = 0;

	if (anpu_stream_completed(s) >= seq) {
		anpu_print_drain(s->obj.dev);
		return ACL_SUCCESS;
	}
	start = anpu_now();
	if (!spin(s, seq))
		err = wait_and_print(s, seq, deadline);
	else
		anpu_print_drain(s->obj.dev);
	usual = atomic_load_explicit(&s->wait_ns, memory_order_relaxed);
	atomic_store_explicit(&s->wait_ns, (usual * 7 + (anpu_now() - start)) / 8,
			      memory_order_relaxed);
	return err ? wait_failed(s, err, on_timeout) : ACL_SUCCESS;
}

/* A stream that has stopped tells its failure once, and then that it has stopped */
static aclError report(struct anpu_stream *s)
{
	aclError ret = anpu_stream_report(s);
	uint64_t last = atomic_load(&s->last_seq), done = anpu_stream_completed(s);

	if (ret)
		anpu_events_await_hooks(s);
	if (ret || done >= last || !anpu_stream_halted(s))
		return ret;
	return acl_fail(ACL_ERROR_RT_TASK_ABORT_STOP,
			"stream %d stopped after a task failed, and its %llu tasks behind that one "
			"do not run: end it with aclrtDestroyStream(), or call aclrtStreamAbort()",
			s->number, (unsigned long long)(last - done));
}

aclError anpu_stream_sync(struct anpu_stream *s, int64_t deadline)
{
	uint64_t seq = atomic_load_explicit(&s->last_seq, memory_order_acquire);
	unsigned int aborts = atomic_load(&s->aborts);
	aclError ret = anpu_stream_wait(s, seq, deadline, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);

	if (!ret && atomic_load(&s->aborts) != aborts)
		return acl_fail(ACL_ERROR_RT_STREAM_ABORT,
				"stream %d was aborted while this thread waited for it", s->number);

	if (!ret)
		anpu_pools_settle(s->obj.dev);
	return ret ? ret : report(s);
}

aclError anpu_stream_drain(struct anpu_stream *s)
{
	aclError ret = anpu_stream_wait(s, atomic_load_explicit(&s->last_seq, memory_order_acquire),
					ANPU_FOREVER, 0);

	(void)anpu_stream_report(s); /* for aclGetRecentErrMsg() only */
	/* on a device that was reset nothing runs any more, which is as good as done */
	return anpu_stream_stopped(s) ? ACL_SUCCESS : ret;
}

static aclError sync_one(struct anpu_stream *s, int64_t deadline, bool drain)
{
	return drain ? anpu_stream_drain(s) : anpu_stream_sync(s, deadline);
}

aclError anpu_streams_sync(struct anpu_device *dev, uint64_t context, int64_t deadline, bool drain)
{
	aclError first = ACL_SUCCESS;
	struct acl_obj **list;
	size_t n = acl_obj_list(dev, ACL_TYPE_STREAM, NULL, 0), got, i;

	list = calloc(n + 1, sizeof(*list));
	if (!list)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of %zu streams", n);
	got = acl_obj_list(dev, ACL_TYPE_STREAM, list, n);
	for (i = 0; i < got && i < n; i++) {
		struct anpu_stream *s = container_of(list[i], struct anpu_stream, obj);

		if (!context || s->context == context) {
			aclError ret = sync_one(s, deadline, drain);

			first = first ? first : ret;
		}
		anpu_stream_put(s);
	}
	free(list);
	return first;
}

static aclError sync_stream(aclrtStream stream, int64_t deadline)
{
	struct anpu_stream *s;
	aclError ret = anpu_stream_find(stream, &s);

	if (ret)
		return ret;
	ret = anpu_graph_illegal(s, ACL_ERROR_RT_STREAM_CAPTURED, "there is nothing to wait for");
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
	ret = anpu_graph_illegal(s, ACL_ERROR_RT_STREAM_CAPTURED, "there is nothing to ask for");
	if (ret) {
		anpu_stream_put(s);
		return ret;
	}
	*status = anpu_stream_completed(s) >= atomic_load(&s->last_seq) ? ACL_STREAM_STATUS_COMPLETE
							    : ACL_STREAM_STATUS_NOT_READY;
	anpu_print_drain(s->obj.dev);
	ret = report(s);
	anpu_stream_put(s);
	return ret;
}

bool anpu_streams_idle(struct anpu_device *dev)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_STREAM, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	bool idle = list != NULL;

	got = list ? acl_obj_list(dev, ACL_TYPE_STREAM, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		struct anpu_stream *s = container_of(list[i], struct anpu_stream, obj);

		idle = idle && anpu_stream_completed(s) >= atomic_load(&s->last_seq);
		anpu_stream_put(s);
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
	ret = anpu_streams_sync(ctx->obj.dev, 0, ANPU_FOREVER, true);
	anpu_context_put(ctx);
	return ret;
}

static aclError sync_device(int64_t deadline)
{
	struct anpu_context *ctx;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	ret = anpu_capture_device(ctx->obj.dev, "this call");
	if (!ret)
		ret = anpu_streams_sync(ctx->obj.dev, 0, deadline, false);
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
