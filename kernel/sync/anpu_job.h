/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_JOB_H
#define ANPU_JOB_H

#include <linux/types.h>

struct dma_fence;
struct drm_device;
struct drm_file;

int anpu_fence_find(struct drm_file *drm_file, u32 type, u32 handle, u64 point,
		    struct dma_fence **fence);
int anpu_submit_job_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_JOB_H */
