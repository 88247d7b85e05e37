/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Jobs, syncobjs, sync files and vgem's fences: short forms that return 0 or -errno. */
#ifndef ANPU_TEST_FENCE_H
#define ANPU_TEST_FENCE_H

#include <linux/dma-buf.h>
#include <linux/sync_file.h>

#include "anpu_test.h"

/* What vgem's uAPI header has, which libdrm does not install. */
struct vgem_fence_attach {
	__u32 handle;
	__u32 flags;
	__u32 out_fence;
	__u32 pad;
};

struct vgem_fence_signal {
	__u32 fence;
	__u32 flags;
};

#define VGEM_WRITE	1
#define VGEM_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)

static inline int syncobj_create(int fd, uint32_t flags, uint32_t *handle)
{
	struct drm_syncobj_create args = { .flags = flags };
	int ret = do_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);

	*handle = args.handle;
	return ret;
}

/* 0 when it has signalled, -ETIME after so many nanoseconds */
static inline int syncobj_wait(int fd, uint32_t handle, uint64_t point, int64_t ns)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
		.timeout_nsec = ns ? now_ns() + ns : 0,
	};

	return do_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

/* The sync file of a syncobj's fence, or -errno */
static inline int syncobj_file(int fd, uint32_t handle)
{
	struct drm_syncobj_handle args = {
		.handle = handle, .fd = -1,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	int ret = do_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);

	return ret ? ret : args.fd;
}

/* 1: it has signalled, 0: not yet, else the error that it has signalled with */
static inline int file_status(int file)
{
	struct sync_fence_info fence = {};
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };

	return ioctl(file, SYNC_IOC_FILE_INFO, &info) ? -errno : fence.status;
}

/* Waits until it has signalled: 1, or the error; 0 if it has not after half a minute */
static inline int file_wait(int file)
{
	struct pollfd pfd = { .fd = file, .events = POLLIN };

	return poll(&pfd, 1, 30000 * anpu_slow()) == 1 ? file_status(file) : 0;
}

/* A job's fences: what it waits for, and a sync file of its own. */
struct job {
	struct drm_anpu_fence in[4];
	uint32_t n_in;
	struct drm_anpu_job_object objects[4];
	uint32_t n_objects;
	bool quiet;
	uint64_t seq;
};

/* Submits it: the descriptor of its sync file, 0 if it is quiet, or -errno. */
static inline int job_submit(int fd, uint32_t stream, const union anpu_packet *pkts, uint32_t count,
			     struct job *job)
{
	struct drm_anpu_fence out = { .type = DRM_ANPU_FENCE_SYNC_FILE };
	struct drm_anpu_submit_job args = {
		.stream = stream, .packets = ARRAY(pkts, count),
	};
	int ret;

	if (!job->quiet)
		args.out = (struct drm_anpu_array)ARRAY(&out, 1);
	args.in = (struct drm_anpu_array)ARRAY(job->in, job->n_in);
	args.objects = (struct drm_anpu_array)ARRAY(job->objects, job->n_objects);
	ret = do_ioctl(fd, DRM_IOCTL_ANPU_SUBMIT_JOB, &args);
	job->seq = args.seq;
	return ret || job->quiet ? ret : (int)out.handle;
}

/* The same for a job that waits for one sync file, or for none (-1). */
static inline int job_after(int fd, uint32_t stream, const union anpu_packet *pkts, uint32_t count,
			    int file)
{
	struct job job = { .n_in = file >= 0 };

	job.in[0] = (struct drm_anpu_fence){ .type = DRM_ANPU_FENCE_SYNC_FILE, .handle = file };
	return job_submit(fd, stream, pkts, count, &job);
}

static inline int export_fd(int fd, uint32_t handle)
{
	struct drm_prime_handle args = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = do_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	return ret ? ret : args.fd;
}

static inline int import_fd(int fd, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int ret = do_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*handle = args.handle;
	return ret;
}

/* poll() on a dma-buf or a sync file, without waiting */
static inline bool polls(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	return poll(&pfd, 1, 0) == 1 && pfd.revents & events;
}

/* vgem ----------------------------------------------------------------------------------------- */

struct vgem {
	int card;
	uint32_t handle;
	int dmabuf;
};

/* An object of vgem, as a dma-buf: -ENODEV if this kernel has no vgem. */
static inline int vgem_create(struct vgem *v, uint64_t size)
{
	struct drm_mode_create_dumb dumb = { .width = size / 4, .height = 1, .bpp = 32 };
	int ret;

	load_module("vgem");
	v->card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
	if (v->card < 0)
		return -ENODEV;
	ret = do_ioctl(v->card, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
	if (ret)
		return ret;
	v->handle = dumb.handle;
	v->dmabuf = export_fd(v->card, v->handle);
	return v->dmabuf < 0 ? v->dmabuf : 0;
}

/* The object is being written, or read, from now on: vgem's fence ends with an error after ten seconds. */
static inline int vgem_begin(struct vgem *v, uint32_t flags, uint32_t *fence)
{
	struct vgem_fence_attach args = { .handle = v->handle, .flags = flags };
	int ret = do_ioctl(v->card, VGEM_ATTACH, &args);

	*fence = args.out_fence;
	return ret;
}

static inline int vgem_end(struct vgem *v, uint32_t fence)
{
	struct vgem_fence_signal args = { .fence = fence };

	return do_ioctl(v->card, VGEM_SIGNAL, &args);
}

/* The fences of a dma-buf as a sync file, or -errno */
static inline int dmabuf_file(int dmabuf)
{
	struct dma_buf_export_sync_file args = { .flags = DMA_BUF_SYNC_RW };

	return ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &args) ? -errno : args.fd;
}

/* A sync file of a fence that nobody signals before vgem does, or -errno: -ENODEV if this kernel has no vgem. */
static inline int vgem_pending_file(struct vgem *v)
{
	uint32_t fence;
	int ret = vgem_create(v, PAGE);

	if (!ret)
		ret = vgem_begin(v, VGEM_WRITE, &fence);
	return ret ? ret : dmabuf_file(v->dmabuf);
}

#endif /* ANPU_TEST_FENCE_H */
