/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_WAIT_H
#define ANPU_WAIT_H

struct drm_device;
struct drm_file;

int anpu_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_WAIT_H */
