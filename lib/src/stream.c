// SPDX-License-Identifier: MIT
/*
 * Streams: making them, putting packets into them, waiting, and the argument ring.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "anpu_lib.h"

#define STATUS_SIZE	 4096
/* A wait that is usually shorter than this is spun for; the kernel's sleep costs about as much */
#define SPIN_NS	      50000
#define SPIN_SHORT_NS 4000
/* What operators print is shown about this often while somebody waits for them */
#define PRINT_NS      50000000

static atomic_int next_number = 1;
static _Atomic uint32_t next_task = 1;
static __thread uint32_t last_task;
static __thread uint32_t thread_id;

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

static uint64_t completed(const struct anpu_stream *s)
{
	return __atomic_load_n(&s->status->completed, __ATOMIC_ACQUIRE);
}

static void stream_release(struct acl_obj *obj)
{
	struct anpu_stream *s = container_of(obj, struct anpu_stream, obj);

	if (s->status)
		munmap((void *)(uintptr_t)s->status, STATUS_SIZE);
	anpu_ring_unmap(s);
	if (s->args)
		anpu_region_put(s->args);
	anpu_marks_put(s->marks);
	free(s->tasks);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static aclError create_failed(struct anpu_device *dev, int err)
{
	if (err == -ENOSPC)
		return acl_fail(ACL_ERROR_RT_NO_STREAM_RESOURCE,
				"device %d has no queue left of its %u: free what is no longer "
				"used with aclrtDestroyStream(), or end other programs",
				dev->id, dev->info.max_streams);
	if (err == -EBUSY)
		return acl_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
				"device %d is being reset: try again later", dev->id);
	return anpu_fail_ioctl(dev, err, "creating a stream");
}

static int create_queue(struct anpu_stream *s, struct anpu_device *dev, uint32_t flags, uint32_t group)
{
	struct drm_anpu_stream_create create = { .priority = s->priority };
	uint64_t print, overflow = 0;
	void *status;
	int err = anpu_print_start(dev, &print);

	if (!err)
		err = anpu_overflow_start(dev, &overflow);
	if (err)
		return err;
	if (anpu_ring_wanted(dev))
		flags |= DRM_ANPU_STREAM_USER_QUEUE;
	create.print = print;
	create.overflow = overflow;
	create.flags = flags;
	create.group = dev->info.flags & DRM_ANPU_INFO_GROUP ? group : 0;
	err = anpu_ioctl(dev->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &create);
	/* the highest priorities are for privileged processes */
	if (err == -EACCES && s->priority < ANPU_DEFAULT_PRIORITY) {
		create = (struct drm_anpu_stream_create){ .priority = ANPU_DEFAULT_PRIORITY,
							  .flags = flags,
							  .group = create.group,
							  .print = print,
							  .overflow = overflow };
		err = anpu_ioctl(dev->fd, DRM_IOCTL_ANPU_STREAM_CREATE, &create);
	}
	if (err)
		return err;
	s->kernel_id = create.stream;
	s->queue = create.queue;
	status = mmap(NULL, STATUS_SIZE, PROT_READ, MAP_SHARED, dev->fd, create.status_offset);
	/* twice the ring, so that a failure is told in time while others are submitted */
	s->tasks = calloc(2 * create.ring_entries, sizeof(*s->tasks));
	s->task_mask = 2 * create.ring_entries - 1;
	err = status == MAP_FAILED ? -errno : s->tasks ? anpu_ring_map(s, &create) : -ENOMEM;
	if (!err) {
		s->status = status;
		return 0;
	}
	if (status != MAP_FAILED)
		munmap(status, STATUS_SIZE);
	anpu_ioctl(dev->fd, DRM_IOCTL_ANPU_STREAM_DESTROY,
		   &(struct drm_anpu_stream_destroy){ .stream = create.stream });
	return err;
}

/* What else was to be done before the stream belongs to its context */
static aclError join_context(struct anpu_stream *s, struct anpu_context *ctx)
{
	struct acl_obj *obj = acl_obj_find(acl_obj_handle(&ctx->obj), ACL_TYPE_CONTEXT);

	/* it ended, and did not know of this stream, which nobody could destroy */
	if (!obj)
		return acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
				"this thread's context was destroyed, or its device reset, while "
				"the stream was made: call aclrtSetDevice() again");
	acl_obj_put(obj);
	/* another thread may have set the mode of all streams meanwhile */
	return atomic_load(&ctx->stops) && !atomic_load(&s->stops) ?
		       anpu_stream_stop_on_failure(s) :
		       ACL_SUCCESS;
}

struct anpu_stream *anpu_stream_new(struct anpu_context *ctx, struct anpu_device *dev,
				    uint32_t priority, uint32_t flags)
{
	struct anpu_stream *s = calloc(1, sizeof(*s));
	int err;

	if (!s) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a stream");
		return NULL;
	}
	acl_obj_init(&s->obj, ACL_TYPE_STREAM, dev, stream_release);
	pthread_mutex_init(&s->lock, NULL);
	s->priority = priority;
	s->flags = flags;
	s->kernel_flags = atomic_load(&dev->saturate) ? ANPU_KERNEL_SATURATE : 0;
	s->number = atomic_fetch_add(&next_number, 1);
	s->stops = ctx && atomic_load(&ctx->stops);
	err = create_queue(s, dev, s->stops ? DRM_ANPU_STREAM_STOP_ON_FAILURE : 0,
			   ctx ? ctx->group : 0);
	if (err) {
		create_failed(dev, err);
		anpu_stream_put(s);
		return NULL;
	}
	anpu_events_add(s);
	if (!ctx) /* the library's own, without a handle */
		return s;
	s->context = ctx->obj.handle;
	anpu_stream_get(s); /* one reference of the registry, one of the caller */
	if (!acl_obj_publish(&s->obj)) {
		acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			"no handle is left for a stream, or its device was reset");
		anpu_stream_end(s);
		anpu_stream_put(s);
		return NULL;
	}
	if (join_context(s, ctx)) {
		if (acl_obj_remove(acl_obj_handle(&s->obj), ACL_TYPE_STREAM))
			anpu_stream_end(s);
		anpu_stream_put(s);
		return NULL;
	}
	return s;
}

void anpu_stream_end(struct anpu_stream *s)
{
	struct anpu_region *args;
	uint64_t done;

	anpu_graph_drop(s);
	pthread_mutex_lock(&s->lock);
	anpu_graph_update_end(s);
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_lock(&s->lock);
	done = completed(s); /* the page reads as zero afterwards */
	anpu_events_remove(s, done);
	/* before, so that who finds no such stream in the driver knows why */
	atomic_store(&s->dead, true);
	/* fails only when the device is gone, and then so is the stream */
	(void)anpu_ioctl(s->obj.dev->fd, DRM_IOCTL_ANPU_STREAM_DESTROY,
			 &(struct drm_anpu_stream_destroy){ .stream = s->kernel_id });
	args = s->args;
	s->args = NULL;
	pthread_mutex_unlock(&s->lock);
	anpu_marks_dropped(s);
	anpu_allocator_forget(s->obj.handle);
	anpu_calls_end(s);
	if (args)
		anpu_region_end(args);
	anpu_stream_put(s);
}

aclError anpu_stream_find(aclrtStream handle, struct anpu_stream **out)
{
	struct anpu_context *ctx;
	struct anpu_stream *s;
	struct acl_obj *obj;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	if (!handle) {
		anpu_stream_get(ctx->stream);
		*out = ctx->stream;
		anpu_context_put(ctx);
		return ACL_SUCCESS;
	}
	obj = acl_obj_find(handle, ACL_TYPE_STREAM);
	if (!obj) {
		ret = acl_bad_handle(handle, ACL_TYPE_STREAM, "stream");
	} else if (obj->dev != ctx->obj.dev) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "stream %p belongs to device %d and this thread uses device %d: "
			       "switch with aclrtSetDevice() or aclrtSetCurrentContext()",
			       handle, obj->dev->id, ctx->obj.dev->id);
		acl_obj_put(obj);
	} else {
		s = container_of(obj, struct anpu_stream, obj);
		*out = s;
	}
	anpu_context_put(ctx);
	return ret;
}

static aclError submit_failed(struct anpu_stream *s, int err)
{
	switch (err) {
	case -ECANCELED:
		return acl_fail(ACL_ERROR_RT_TASK_ABORT_STOP,
				"stream %d stopped after a task failed and takes no more work",
				s->number);
	case -ENOENT:
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "stream %d was destroyed meanwhile",
				s->number);
	default:
		return anpu_fail_ioctl(s->obj.dev, err, "submitting work");
	}
}

/* Before the packet is submitted, because it can fail before that returns */
static void remember(struct anpu_stream *s, const union anpu_packet *pkt)
{
	uint64_t seq = atomic_load_explicit(&s->last_seq, memory_order_relaxed) + 1;
	struct anpu_task *t = &s->tasks[seq & s->task_mask];

	if (!thread_id)
		thread_id = gettid();
	atomic_store_explicit(&t->seq, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	t->opcode = pkt->hdr.opcode;
	t->task_id = pkt->hdr.task_id;
	t->thread = thread_id;
	t->internal = s->internal;
	t->args = 0;
	t->args_size = 0;
	if (t->opcode == ANPU_OP_KERNEL) {
		t->entry = pkt->kernel.entry;
		t->args = pkt->kernel.args;
		t->args_size = pkt->kernel.args_size;
		t->core_type = pkt->kernel.core_type;
	}
	atomic_store_explicit(&t->seq, seq, memory_order_release);
}

static aclError submit_now(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t *seq)
{
	uint64_t now;
	int err;

	remember(s, pkt);
	err = anpu_ring_submit(s, pkt, &now);
	if (err)
		return submit_failed(s, err);
	atomic_store_explicit(&s->last_seq, now, memory_order_release);
	if (seq)
		*seq = now;
	return ACL_SUCCESS;
}

static void number_task(union anpu_packet *pkt)
{
	last_task = atomic_fetch_add_explicit(&next_task, 1, memory_order_relaxed);
	pkt->hdr.task_id = last_task;
}

aclError anpu_stream_submit_now(struct anpu_stream *s, union anpu_packet *pkt)
{
	if (s->dead)
		return submit_failed(s, -ENOENT);
	number_task(pkt);
	return submit_now(s, pkt, NULL);
}

aclError anpu_stream_submit_locked(struct anpu_stream *s, union anpu_packet *pkt, uint64_t *seq)
{
	if (s->dead)
		return submit_failed(s, -ENOENT);
	number_task(pkt);
	return anpu_graph_records(s) ? anpu_graph_record(s, pkt) : submit_now(s, pkt, seq);
}

aclError anpu_stream_submit_internal(struct anpu_stream *s, union anpu_packet *pkt)
{
	aclError ret;

	s->internal = true;
	ret = anpu_stream_submit_locked(s, pkt, NULL);
	s->internal = false;
	return ret;
}

aclError anpu_stream_submit(struct anpu_stream *s, union anpu_packet *pkt, uint64_t *seq)
{
	aclError ret;

	anpu_stream_enter(s, 0);
	ret = anpu_stream_submit_locked(s, pkt, seq);
	pthread_mutex_unlock(&s->lock);
	return ret;
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
		return completed(s) >= seq;

	do {
		for (i = 0; i < 32; i++) {
			if (completed(s) >= seq)
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
				s->number, (unsigned long long)completed(s),
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

/* WAIT, with what operators print meanwhile */
static int wait_ioctl(struct anpu_stream *s, struct drm_anpu_wait *wait)
{
	int64_t deadline = wait->timeout_ns, slice;
	int err;

	do {
		wait->timeout_ns = deadline;
		if (anpu_print_active(s->obj.dev)) {
			slice = anpu_now() + PRINT_NS;
			wait->timeout_ns = slice < deadline ? slice : deadline;
		}
		err = anpu_ioctl(s->obj.dev->fd, DRM_IOCTL_ANPU_WAIT, wait);
		anpu_print_drain(s->obj.dev);
	} while (err == -ETIME && wait->timeout_ns < deadline);
	return err;
}

aclError anpu_stream_wait(struct anpu_stream *s, uint64_t seq, int64_t deadline,
			  aclError on_timeout)
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
	uint64_t usual;
	int64_t start;
	int err = 0;

	if (completed(s) >= seq) {
		anpu_print_drain(s->obj.dev);
		return ACL_SUCCESS;
	}
	start = anpu_now();
	if (!spin(s, seq))
		err = wait_ioctl(s, &wait);
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
	uint64_t last = atomic_load(&s->last_seq), done = completed(s);

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

/*
 * The ring has segments; a segment is used again when the last packet that used it has completed.
 * So a launch costs a copy and an addition, and only each n-th one looks at the status page.
 */
aclError anpu_stream_ring_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va)
{
	uint64_t need = align_up(size, 64), at;
	aclError ret;
	int err;

	if (!s->args) {
		err = anpu_region_new(s->obj.dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM,
				      ANPU_ARG_SEGMENTS * ANPU_ARG_SEGMENT,
				      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &s->args);
		if (err)
			return anpu_fail_ioctl(s->obj.dev, err,
					       "allocating room for kernel arguments");
	}
	*cpu = anpu_region_window(s->args);
	if (!*cpu)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"room for kernel arguments cannot be mapped");
	if (s->args_used + need > ANPU_ARG_SEGMENT) {
		s->segment_seq[s->segment] = atomic_load(&s->last_seq);
		s->segment = (s->segment + 1) % ANPU_ARG_SEGMENTS;
		s->args_used = 0;
		ret = anpu_stream_wait(s, s->segment_seq[s->segment], ANPU_FOREVER, 0);
		if (ret)
			return ret;
	}
	at = s->segment * ANPU_ARG_SEGMENT + s->args_used;
	*cpu = (char *)*cpu + at;
	*va = s->args->va + at;
	s->args_used += need;
	return ACL_SUCCESS;
}

aclError anpu_stream_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va)
{
	if (size > ANPU_ARGS_MAX)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"argsSize is %llu and a launch can carry %u bytes: pass larger "
				"data in device memory",
				(unsigned long long)size, ANPU_ARGS_MAX);
	return anpu_graph_records(s) ? anpu_graph_args(s, size, cpu, va)
				     : anpu_stream_ring_args(s, size, cpu, va);
}

static aclError create_stream(aclrtStream *stream, uint32_t priority, uint32_t flags)
{
	struct anpu_context *ctx;
	struct anpu_stream *s;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	s = anpu_stream_new(ctx, ctx->obj.dev, priority, flags);
	anpu_context_put(ctx);
	if (!s)
		return acl_last_failure();
	*stream = acl_obj_handle(&s->obj);
	anpu_tell_stream_state(s, ACL_RT_STREAM_STATE_CREATE_POST);
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
	ACL_ENTER();
	ACL_CHECK_PTR(stream);
	return create_stream(stream, ANPU_DEFAULT_PRIORITY, 0);
}

/* Flags that only promise speed change nothing; for the others see anpu_stream_passive() */
aclError anpu_stream_create(aclrtStream *stream, uint32_t priority, uint32_t flags)
{
	if (priority >= DRM_ANPU_PRIORITIES)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"priority is %u and must be 0 (first) to %d", priority,
				DRM_ANPU_PRIORITIES - 1);
	return create_stream(stream, priority, flags);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
	ACL_ENTER();
	ACL_CHECK_PTR(stream);
	return anpu_stream_create(stream, priority, flag);
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(priority);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*priority = s->priority;
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(flags);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*flags = s->flags;
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

static aclError destroy_stream(aclrtStream stream, bool wait)
{
	struct anpu_stream *s;
	bool end = false;
	aclError ret;

	ACL_CHECK_PTR(stream);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	if (!s->is_default)
		anpu_tell_stream_state(s, ACL_RT_STREAM_STATE_DESTROY_PRE);
	if (s->is_default)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "stream %p is a default stream, which ends with its context",
			       stream);
	else if (!acl_obj_remove(stream, ACL_TYPE_STREAM)) /* another thread was faster */
		ret = acl_bad_handle(stream, ACL_TYPE_STREAM, "stream");
	else
		end = true;
	if (end && wait)
		ret = anpu_stream_drain(s);
	if (end)
		anpu_stream_end(s);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	ACL_ENTER();
	return destroy_stream(stream, true);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
	ACL_ENTER();
	return destroy_stream(stream, false);
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
	*status = completed(s) >= atomic_load(&s->last_seq) ? ACL_STREAM_STATUS_COMPLETE
							    : ACL_STREAM_STATUS_NOT_READY;
	anpu_print_drain(s->obj.dev);
	ret = report(s);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(streamId);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*streamId = s->number;
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

bool anpu_streams_idle(struct anpu_device *dev)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_STREAM, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));
	bool idle = list != NULL;

	got = list ? acl_obj_list(dev, ACL_TYPE_STREAM, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		struct anpu_stream *s = container_of(list[i], struct anpu_stream, obj);

		idle = idle && completed(s) >= atomic_load(&s->last_seq);
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

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
	ACL_ENTER();
	ACL_CHECK_PTR(taskId);
	*taskId = last_task;
	return ACL_SUCCESS;
}
