/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_MAP_H
#define ANPU_MAP_H

#include <linux/types.h>

struct anpu_stream;
struct file;
struct page;
struct vm_area_struct;

/**
 * enum anpu_map_kind - what of a stream a process can map
 * @ANPU_MAP_STATUS: the status page, read-only
 * @ANPU_MAP_CONTROL: user queues: the control page
 * @ANPU_MAP_DOORBELL: user queues: the doorbell page
 * @ANPU_MAP_RING: user queues: the ring
 * @ANPU_MAP_COUNT: number of kinds
 */
enum anpu_map_kind {
	ANPU_MAP_STATUS,
	ANPU_MAP_CONTROL,
	ANPU_MAP_DOORBELL,
	ANPU_MAP_RING,
	ANPU_MAP_COUNT
};

struct page *anpu_dummy_page(struct page **slot);
int anpu_stream_mmap(struct file *filp, struct vm_area_struct *vma);
u64 anpu_map_offset(const struct anpu_stream *stream, enum anpu_map_kind kind);
void anpu_stream_revoke(struct anpu_stream *stream, bool status);

#endif /* ANPU_MAP_H */
