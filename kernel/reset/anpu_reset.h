/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_RESET_H
#define ANPU_RESET_H

#include "device/anpu_device.h"

void anpu_streams_kill_all(struct anpu_device *adev);
int anpu_device_restart(struct anpu_device *adev);
int anpu_reset_device(struct anpu_device *adev, u32 gen, const char *why);
void anpu_stream_end(struct anpu_stream *stream, const char *why);
void anpu_stream_end_dead(struct anpu_stream *stream, const char *why);
bool anpu_reset_queue(struct anpu_stream *stream, u32 gen);
void anpu_quarantine_end(struct anpu_device *adev);
void anpu_quarantine_reap(struct anpu_device *adev);
void anpu_device_quiesce(struct anpu_device *adev, bool reset, enum anpu_state end);
void anpu_device_kill(struct anpu_device *adev);
int anpu_reset_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_RESET_H */
