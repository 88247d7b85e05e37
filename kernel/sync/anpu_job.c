// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * SUBMIT_JOB: packets that wait for fences of others and have a fence of their own.
 *
 * All that can fail comes first, and everything is allocated before others see the job's fence:
 * from then on it signals whatever happens. Packets are copied into memory of the kernel and
 * checked there, because all of them are submitted or none. What the call takes from the process,
 * and gives to it, is copied before any lock is taken.
 */
#include <linux/dma-fence-chain.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/dma-resv.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/sync_file.h>

#include <drm/drm_gem.h>
#include <drm/drm_syncobj.h>

#include "anpu_fence.h"
#include "anpu_gate.h"
#include "anpu_job.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "reset/anpu_pm.h"
#include "stream/anpu_stream.h"
#include "stream/anpu_submit.h"

/* Fences that a job waits for, when those that are made of several are counted as these. */
#define ANPU_MAX_JOB_WAITS	65536

/**
 * struct anpu_job_out - where a job's fence goes
 * @syncobj: to this one, with a reference; or NULL
 * @chain: for a point of its timeline, or NULL
 * @point: the point
 * @fd: descriptor of a sync file, or -1
 * @file: the sync file, or NULL
 */
struct anpu_job_out {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
	int fd;
	struct file *file;
};

/**
 * struct anpu_job - a job that is being submitted
 * @args: what userspace asked for
 * @drm_file: whose job
 * @stream: stream, with a reference
 * @packets: packets, checked
 * @waits: fences that it waits for, with references
 * @n_waits: how many
 * @room: how many there is room for
 * @named: so many of them were named by the program
 * @error: one of these has signalled with an error already
 * @out: where its fence goes
 * @n_out: how many are complete enough to be undone
 * @objects: its objects, with references
 * @flags: DRM_ANPU_OBJECT_* of each
 * @n_objects: how many there are
 * @fence: its fence, or NULL
 * @begun: @fence was initialised
 * @gate: what holds up its packets, or NULL
 */
struct anpu_job {
	struct drm_anpu_submit_job *args;
	struct drm_file *drm_file;
	struct anpu_stream *stream;
	union anpu_packet *packets;
	struct dma_fence **waits;
	u32 n_waits;
	u32 room;
	u32 named;
	int error;
	struct anpu_job_out *out;
	u32 n_out;
	struct drm_gem_object **objects;
	u32 *flags;
	u32 n_objects;
	struct anpu_fence *fence;
	bool begun;
	struct anpu_gate *gate;
};

/* Fences that a job waits for ------------------------------------------------------------------ */

/**
 * anpu_fence_find() - find a fence that userspace names
 * @drm_file: whose syncobjs
 * @type: enum drm_anpu_fence_type, or anything
 * @handle: handle or descriptor
 * @point: point of a timeline, or 0
 * @fence: out: with a reference; NULL if there is none
 *
 * Return: 0, -EINVAL, -ENOENT, -EBADF.
 */
int anpu_fence_find(struct drm_file *drm_file, u32 type, u32 handle, u64 point,
		    struct dma_fence **fence)
{
	int ret;

	*fence = NULL;
	if (type == DRM_ANPU_FENCE_SYNCOBJ) {
		ret = drm_syncobj_find_fence(drm_file, handle, point, 0, fence);
		/* DRM leaves a fence there whose reference it has put. */
		if (ret)
			*fence = NULL;
		return ret;
	}
	if (type != DRM_ANPU_FENCE_SYNC_FILE || point)
		return -EINVAL;
	*fence = sync_file_get_fence(handle);
	return *fence ? 0 : -EBADF;
}

static int anpu_job_grow(struct anpu_job *job)
{
	u32 room = max(2 * job->room, 8u);
	struct dma_fence **waits;

	if (job->n_waits < job->room)
		return 0;
	if (room > ANPU_MAX_JOB_WAITS)
		return -E2BIG;
	waits = kvrealloc(job->waits, room * sizeof(*waits), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!waits)
		return -ENOMEM;
	job->waits = waits;
	job->room = room;
	return 0;
}

/*
 * A fence may be made of others: a point of a timeline, or several that were merged. These do not
 * pass on errors, so the job waits for each of those that they are made of.
 */
static int anpu_job_wait_for(struct anpu_job *job, struct dma_fence *fence, bool named)
{
	struct dma_fence_unwrap iter;
	struct dma_fence *part;
	int ret = 0;

	dma_fence_unwrap_for_each(part, &iter, fence) {
		if (dma_fence_is_signaled(part)) {
			if (named && part->error)
				job->error = part->error;
			continue;
		}
		ret = anpu_job_grow(job);
		if (ret)
			break;
		job->waits[job->n_waits++] = dma_fence_get(part);
	}
	/* The walk has a reference to the whole, and puts it when it is at its end. */
	if (ret)
		dma_fence_put(iter.chain);
	return ret;
}

static int anpu_job_in(struct anpu_job *job)
{
	const struct drm_anpu_array *array = &job->args->in;
	int ret = 0;

	for (u32 i = 0; !ret && i < array->count; i++) {
		struct drm_anpu_fence in = {};
		struct dma_fence *fence;

		ret = anpu_copy_element(&in, sizeof(in), array, i);
		if (!ret)
			ret = anpu_fence_find(job->drm_file, in.type, in.handle, in.point, &fence);
		if (ret)
			break;
		ret = anpu_job_wait_for(job, fence, true);
		dma_fence_put(fence);
	}
	job->named = job->n_waits;
	return ret;
}

/* Where its fence goes ------------------------------------------------------------------------- */

static int anpu_job_out_syncobj(struct anpu_job *job, struct anpu_job_out *out,
				const struct drm_anpu_fence *arg)
{
	out->syncobj = drm_syncobj_find(job->drm_file, arg->handle);
	if (!out->syncobj)
		return -ENOENT;
	out->point = arg->point;
	if (!arg->point)
		return 0;
	out->chain = dma_fence_chain_alloc();
	return out->chain ? 0 : -ENOMEM;
}

static int anpu_job_out_file(struct anpu_job *job, struct anpu_job_out *out,
			     struct drm_anpu_fence *arg, u32 index)
{
	const struct drm_anpu_array *array = &job->args->out;
	struct drm_anpu_fence __user *to = u64_to_user_ptr(array->array +
							    (u64)index * array->stride);

	if (arg->point)
		return -EINVAL;
	/* The handle may be of a call that a signal has interrupted, or that had no room. */
	if (array->stride < offsetofend(struct drm_anpu_fence, handle))
		return -EINVAL;
	out->fd = get_unused_fd_flags(O_CLOEXEC);
	if (out->fd < 0)
		return out->fd;
	return put_user((u32)out->fd, &to->handle) ? -EFAULT : 0;
}

static int anpu_job_outs(struct anpu_job *job)
{
	const struct drm_anpu_array *array = &job->args->out;
	int ret = 0;

	if (!array->count)
		return 0;
	job->out = kvcalloc(array->count, sizeof(*job->out), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!job->out)
		return -ENOMEM;
	for (u32 i = 0; !ret && i < array->count; i++) {
		struct anpu_job_out *out = &job->out[job->n_out++];
		struct drm_anpu_fence arg = {};

		out->fd = -1;
		ret = anpu_copy_element(&arg, sizeof(arg), array, i);
		if (ret)
			break;
		if (arg.type == DRM_ANPU_FENCE_SYNCOBJ)
			ret = anpu_job_out_syncobj(job, out, &arg);
		else if (arg.type == DRM_ANPU_FENCE_SYNC_FILE)
			ret = anpu_job_out_file(job, out, &arg, i);
		else
			ret = -EINVAL;
	}
	return ret;
}

static int anpu_job_files(struct anpu_job *job)
{
	for (u32 i = 0; i < job->n_out; i++) {
		struct sync_file *file;

		if (job->out[i].fd < 0)
			continue;
		file = sync_file_create(&job->fence->base);
		if (!file)
			return -ENOMEM;
		job->out[i].file = file->file;
	}
	return 0;
}

/* The job is submitted: its fence goes where it was asked for. */
static void anpu_job_hand_out(struct anpu_job *job)
{
	for (u32 i = 0; i < job->n_out; i++) {
		struct anpu_job_out *out = &job->out[i];

		if (out->chain)
			drm_syncobj_add_point(out->syncobj, out->chain, &job->fence->base,
					      out->point);
		else if (out->syncobj)
			drm_syncobj_replace_fence(out->syncobj, &job->fence->base);
		else
			fd_install(out->fd, out->file);
		out->chain = NULL;
		out->file = NULL;
		out->fd = -1;
	}
}

/* Objects -------------------------------------------------------------------------------------- */

static int anpu_job_objects(struct anpu_job *job)
{
	const struct drm_anpu_array *array = &job->args->objects;

	if (!array->count)
		return 0;
	job->objects = kvcalloc(array->count, sizeof(*job->objects), GFP_KERNEL_ACCOUNT);
	job->flags = kvcalloc(array->count, sizeof(*job->flags), GFP_KERNEL_ACCOUNT);
	if (!job->objects || !job->flags)
		return -ENOMEM;
	for (u32 i = 0; i < array->count; i++) {
		struct drm_anpu_job_object arg = {};
		int ret;

		ret = anpu_copy_element(&arg, sizeof(arg), array, i);
		if (ret)
			return ret;
		if (arg.flags & ~DRM_ANPU_OBJECT_WRITE)
			return -EINVAL;
		job->objects[i] = drm_gem_object_lookup(job->drm_file, arg.handle);
		if (!job->objects[i])
			return -ENOENT;
		job->flags[i] = arg.flags;
		job->n_objects++;
	}
	return 0;
}

/* Under the locks of all objects: what others do with them comes before the job. */
static int anpu_job_reserve(struct anpu_job *job)
{
	for (u32 i = 0; i < job->n_objects; i++) {
		struct dma_resv *resv = job->objects[i]->resv;
		bool write = job->flags[i] & DRM_ANPU_OBJECT_WRITE;
		struct dma_resv_iter cursor;
		struct dma_fence *fence;
		int ret;

		ret = dma_resv_reserve_fences(resv, 1);
		if (ret)
			return ret;
		dma_resv_for_each_fence(&cursor, resv, dma_resv_usage_rw(write), fence) {
			/* The stream's own jobs are in order anyway. */
			if (fence->context == job->stream->fence_context)
				continue;
			ret = anpu_job_wait_for(job, fence, false);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static void anpu_job_share(struct anpu_job *job)
{
	for (u32 i = 0; i < job->n_objects; i++)
		dma_resv_add_fence(job->objects[i]->resv, &job->fence->base,
				   job->flags[i] & DRM_ANPU_OBJECT_WRITE ? DMA_RESV_USAGE_WRITE :
									   DMA_RESV_USAGE_READ);
}

/* Submitting ----------------------------------------------------------------------------------- */

/* The gate takes over the references to the fences. */
static int anpu_job_gate(struct anpu_job *job)
{
	if (!job->n_waits && !job->error)
		return 0;
	job->gate = anpu_gate_alloc(job->stream, job->n_waits);
	if (!job->gate)
		return -ENOMEM;
	for (u32 i = 0; i < job->n_waits; i++)
		job->gate->fences[i].fence = job->waits[i];
	job->gate->named = job->named;
	job->gate->error = job->error;
	job->n_waits = 0;
	if (job->fence) {
		dma_fence_get(&job->fence->base);
		job->gate->job = job->fence;
	}
	return 0;
}

/* From here on the job's fence is to signal. */
static int anpu_job_enter(struct anpu_job *job, u64 from, u64 to)
{
	struct anpu_stream *stream = job->stream;
	int ret;

	guard(spinlock_irqsave)(&stream->wait_lock);
	ret = anpu_submit_state(stream);
	if (ret)
		return ret;
	if (job->fence)
		anpu_fence_add(stream, job->fence, from, to);
	if (job->gate)
		anpu_gate_add(stream, job->gate, from, to);
	return 0;
}

static int anpu_job_commit(struct anpu_job *job)
{
	struct anpu_stream *stream = job->stream;
	u64 from = stream->wptr, to = from + job->args->packets.count;
	int ret;

	ret = anpu_job_gate(job);
	if (ret)
		return ret;
	anpu_ring_put(stream, from, job->packets, job->args->packets.count);
	ret = anpu_job_enter(job, from, to);
	if (ret)
		return ret;
	if (job->gate)
		anpu_gate_attach(job->gate);
	else
		anpu_ring_publish(stream, to);
	job->gate = NULL;
	if (job->fence)
		anpu_fences_kick(stream);
	job->args->seq = to;
	anpu_job_share(job);
	anpu_job_hand_out(job);
	return 0;
}

static int anpu_job_wait_room(struct anpu_job *job)
{
	struct anpu_stream *stream = job->stream;
	u32 count = job->args->packets.count;
	int ret = anpu_submit_state(stream);

	while (!ret && anpu_ring_room(stream, count) < count) {
		ret = anpu_submit_wait(stream, count, job->args->flags & DRM_ANPU_SUBMIT_NONBLOCK);
		if (!ret)
			ret = anpu_submit_state(stream);
	}
	return ret;
}

/* With the stream's lock held, so that fences have their numbers in the order of jobs. */
static int anpu_job_run(struct anpu_job *job)
{
	struct ww_acquire_ctx ctx;
	int ret;

	ret = anpu_job_wait_room(job);
	if (ret)
		return ret;
	if (job->fence) {
		anpu_fence_init(job->fence, job->stream);
		job->begun = true;
		ret = anpu_job_files(job);
		if (ret)
			return ret;
	}
	if (!job->n_objects)
		return anpu_job_commit(job);
	ret = drm_gem_lock_reservations(job->objects, job->n_objects, &ctx);
	/* An object that is named twice, or two objects that are the same memory */
	if (ret == -EALREADY)
		return -EINVAL;
	if (ret)
		return ret;
	ret = anpu_job_reserve(job) ?: anpu_job_commit(job);
	drm_gem_unlock_reservations(job->objects, job->n_objects, &ctx);
	return ret;
}

static int anpu_job_submit(struct anpu_device *adev, struct anpu_job *job)
{
	int ret;

	CLASS(anpu_presence, presence)(adev);
	/* If the device has not left yet, it stays as long as the lock is held: anpu_remove(). */
	if (anpu_gone(adev))
		return -ENODEV;
	ret = mutex_lock_interruptible(&job->stream->lock);
	if (ret)
		return ret;
	ret = anpu_job_run(job);
	mutex_unlock(&job->stream->lock);
	return ret;
}

/* SUBMIT_JOB ----------------------------------------------------------------------------------- */

static int anpu_job_check(const struct anpu_job *job)
{
	const struct drm_anpu_submit_job *args = job->args;

	if (job->stream->flags & DRM_ANPU_STREAM_USER_QUEUE)
		return -EPERM;
	if ((args->out.count || args->objects.count) &&
	    !(job->stream->flags & DRM_ANPU_STREAM_BOUNDED))
		return -EINVAL;
	if (args->packets.count > job->stream->ring_mask + 1 ||
	    args->in.count > DRM_ANPU_MAX_JOB_FENCES ||
	    args->out.count > DRM_ANPU_MAX_JOB_FENCES ||
	    args->objects.count > DRM_ANPU_MAX_JOB_FENCES)
		return -E2BIG;
	return 0;
}

static int anpu_job_packets(struct anpu_job *job)
{
	u32 count = job->args->packets.count;

	job->packets = kvmalloc_array(count, sizeof(*job->packets),
				      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!job->packets)
		return -ENOMEM;
	if (copy_from_user(job->packets, u64_to_user_ptr(job->args->packets.array),
			   count * sizeof(*job->packets)))
		return -EFAULT;
	for (u32 i = 0; i < count; i++) {
		if (anpu_packet_check(job->stream, &job->packets[i]))
			continue;
		drm_dbg_driver(&job->stream->adev->drm,
			       "SUBMIT_JOB: packet %u, opcode %u, is bad, or not bounded\n",
			       i, job->packets[i].hdr.opcode);
		return -EINVAL;
	}
	return 0;
}

static int anpu_job_prepare(struct anpu_job *job)
{
	int ret;

	ret = anpu_job_check(job) ?: anpu_job_packets(job) ?: anpu_job_in(job) ?:
	      anpu_job_objects(job) ?: anpu_job_outs(job);
	if (ret)
		return ret;
	if (!job->n_out && !job->n_objects)
		return 0;
	job->fence = anpu_fence_alloc(job->stream);
	return job->fence ? 0 : -ENOMEM;
}

/* Frees what the submitted job does not need any more, or all of one that is not submitted. */
static void anpu_job_fini(struct anpu_job *job)
{
	anpu_gate_free(job->gate);
	for (u32 i = 0; i < job->n_waits; i++)
		dma_fence_put(job->waits[i]);
	kvfree(job->waits);
	for (u32 i = 0; i < job->n_out; i++) {
		struct anpu_job_out *out = &job->out[i];

		dma_fence_chain_free(out->chain);
		if (out->syncobj)
			drm_syncobj_put(out->syncobj);
		if (out->file)
			fput(out->file);
		if (out->fd >= 0)
			put_unused_fd(out->fd);
	}
	kvfree(job->out);
	for (u32 i = 0; i < job->n_objects; i++)
		drm_gem_object_put(job->objects[i]);
	kvfree(job->objects);
	kvfree(job->flags);
	if (job->begun)
		dma_fence_put(&job->fence->base);
	else
		anpu_fence_free(job->fence);
	kvfree(job->packets);
	anpu_stream_put(job->stream);
}

int anpu_submit_job_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_anpu_submit_job *args = data;
	struct anpu_job job = { .args = args, .drm_file = drm_file };
	int ret;

	if (args->flags & ~DRM_ANPU_SUBMIT_NONBLOCK ||
	    args->packets.stride != ANPU_PACKET_SIZE || !args->packets.count)
		return -EINVAL;
	job.stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
	if (!job.stream)
		return -ENOENT;
	args->seq = 0;
	ret = anpu_job_prepare(&job);
	if (!ret)
		ret = anpu_job_submit(to_anpu_device(drm), &job);
	anpu_job_fini(&job);
	return ret;
}
