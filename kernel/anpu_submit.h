/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_SUBMIT_H
#define ANPU_SUBMIT_H

#include <linux/types.h>

struct anpu_stream;
struct drm_device;
struct drm_file;
union anpu_packet;

void anpu_submit_locked(struct anpu_stream *stream, const union anpu_packet *pkts, u32 count);
int anpu_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_SUBMIT_H */
