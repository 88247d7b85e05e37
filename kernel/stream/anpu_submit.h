/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_SUBMIT_H
#define ANPU_SUBMIT_H

#include <linux/types.h>

struct anpu_stream;
struct drm_device;
struct drm_file;
union anpu_packet;

bool anpu_packet_check(const struct anpu_stream *stream, union anpu_packet *pkt);
u64 anpu_ring_room(struct anpu_stream *stream, u64 wanted);
void anpu_ring_give(struct anpu_stream *stream, u64 wptr);
void anpu_ring_put(struct anpu_stream *stream, u64 wptr, const union anpu_packet *pkts, u32 count);
void anpu_ring_publish(struct anpu_stream *stream, u64 wptr);
int anpu_submit_state(struct anpu_stream *stream);
int anpu_submit_wait(struct anpu_stream *stream, u64 part, bool nonblock);
void anpu_submit_locked(struct anpu_stream *stream, const union anpu_packet *pkts, u32 count);
int anpu_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_SUBMIT_H */
