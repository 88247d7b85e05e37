/* SPDX-License-Identifier: MIT */
/*
 * Sizes and offsets of the driver's uAPI, as numbers. The driver and libacl both include this, so a
 * compiler or an edit that moves a field is noticed on either side when it is built.
 */
#ifndef ANPU_ACCEL_CHECK_H
#define ANPU_ACCEL_CHECK_H

#include <anpu/anpu_packet_check.h>
#include <drm/anpu_accel.h>

ANPU_CHECK_SIZE(struct drm_anpu_array, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_array, stride, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_array, count, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_array, array, 8);

ANPU_CHECK_SIZE(struct drm_anpu_info, 80);
ANPU_CHECK_OFFSET(struct drm_anpu_info, device_id, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_info, hw_version, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_info, isa_version, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_info, cores, 12);
ANPU_CHECK_OFFSET(struct drm_anpu_info, vector_cores, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_info, max_streams, 20);
ANPU_CHECK_OFFSET(struct drm_anpu_info, flags, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_info, max_blocks, 28);
ANPU_CHECK_OFFSET(struct drm_anpu_info, hbm_size, 32);
ANPU_CHECK_OFFSET(struct drm_anpu_info, va_start, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_info, va_end, 48);
ANPU_CHECK_OFFSET(struct drm_anpu_info, page_size, 56);
ANPU_CHECK_OFFSET(struct drm_anpu_info, huge_page_size, 60);
ANPU_CHECK_OFFSET(struct drm_anpu_info, default_timeout_us, 64);
ANPU_CHECK_OFFSET(struct drm_anpu_info, pci_address, 72);

ANPU_CHECK_SIZE(struct drm_anpu_memory_info, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_memory_info, hbm_total, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_memory_info, hbm_free, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_memory_info, hbm_largest, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_memory_info, own_hbm, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_memory_info, own_system, 32);

ANPU_CHECK_SIZE(struct drm_anpu_clock_info, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_clock_info, device_ns, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_clock_info, monotonic_ns, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_clock_info, error_ns, 16);

ANPU_CHECK_SIZE(struct drm_anpu_busy_info, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_busy_info, device_ns, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_busy_info, cube_ns, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_busy_info, vector_ns, 16);

ANPU_CHECK_SIZE(struct drm_anpu_dev_query, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_dev_query, type, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_dev_query, size, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_dev_query, pointer, 8);

ANPU_CHECK_SIZE(struct drm_anpu_bo_create, 32);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_create, size, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_create, type, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_create, flags, 12);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_create, user_ptr, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_create, handle, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_create, pad, 28);

ANPU_CHECK_SIZE(struct drm_anpu_bo_mmap_offset, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_mmap_offset, handle, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_mmap_offset, pad, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_bo_mmap_offset, offset, 8);

ANPU_CHECK_SIZE(struct drm_anpu_vm_bind_op, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind_op, op, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind_op, flags, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind_op, va, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind_op, size, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind_op, handle, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind_op, pad, 28);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind_op, offset, 32);

ANPU_CHECK_SIZE(struct drm_anpu_vm_bind, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind, ops, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind, pad, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_vm_bind, failed, 20);

ANPU_CHECK_SIZE(struct drm_anpu_stream_create, 80);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, flags, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, priority, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, ring_entries, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, stream, 12);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, queue, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, group, 20);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, status_offset, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, ring_offset, 32);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, control_offset, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, doorbell_offset, 48);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, print, 56);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, overflow, 64);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_create, trace, 72);

ANPU_CHECK_SIZE(struct drm_anpu_stream_set, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_set, stream, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_set, flags, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_set, priority, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_set, pad, 12);

ANPU_CHECK_SIZE(struct drm_anpu_stream_destroy, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_destroy, stream, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_destroy, pad, 4);

ANPU_CHECK_SIZE(struct drm_anpu_submit, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_submit, stream, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_submit, flags, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_submit, packets, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_submit, submitted, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_submit, pad, 28);
ANPU_CHECK_OFFSET(struct drm_anpu_submit, seq, 32);

ANPU_CHECK_SIZE(struct drm_anpu_fence, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_fence, type, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_fence, handle, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_fence, point, 8);

ANPU_CHECK_SIZE(struct drm_anpu_job_object, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_job_object, handle, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_job_object, flags, 4);

ANPU_CHECK_SIZE(struct drm_anpu_submit_job, 80);
ANPU_CHECK_OFFSET(struct drm_anpu_submit_job, stream, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_submit_job, flags, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_submit_job, packets, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_submit_job, in, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_submit_job, out, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_submit_job, objects, 56);
ANPU_CHECK_OFFSET(struct drm_anpu_submit_job, seq, 72);

ANPU_CHECK_SIZE(struct drm_anpu_wait_item, 48);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, type, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, stream, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, value, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, mask, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, offset, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, handle, 32);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, cond, 36);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, width, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_wait_item, pad, 44);

ANPU_CHECK_SIZE(struct drm_anpu_wait, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_wait, flags, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_wait, pad, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_wait, timeout_ns, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_wait, items, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_wait, signaled, 32);
ANPU_CHECK_OFFSET(struct drm_anpu_wait, pad2, 36);

ANPU_CHECK_SIZE(struct drm_anpu_stream_get_state, 56);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, stream, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, flags, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, state, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, first_cause, 12);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, completed, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, submitted, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, errors, 32);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, fault_ordinal, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_stream_get_state, fault, 48);

ANPU_CHECK_SIZE(struct drm_anpu_event_subscribe, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_event_subscribe, mask, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_event_subscribe, pad, 4);

ANPU_CHECK_SIZE(struct drm_anpu_event_fault, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_event_fault, base, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_event_fault, stream, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_event_fault, cause, 12);
ANPU_CHECK_OFFSET(struct drm_anpu_event_fault, seq, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_event_fault, ordinal, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_event_fault, task_id, 32);
ANPU_CHECK_OFFSET(struct drm_anpu_event_fault, pad, 36);

ANPU_CHECK_SIZE(struct drm_anpu_event_notify, 40);
ANPU_CHECK_OFFSET(struct drm_anpu_event_notify, base, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_event_notify, stream, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_event_notify, pad, 12);
ANPU_CHECK_OFFSET(struct drm_anpu_event_notify, seq, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_event_notify, cookie, 24);
ANPU_CHECK_OFFSET(struct drm_anpu_event_notify, value, 32);

ANPU_CHECK_SIZE(struct drm_anpu_event_reset, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_event_reset, base, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_event_reset, resets, 8);
ANPU_CHECK_OFFSET(struct drm_anpu_event_reset, pad, 12);

ANPU_CHECK_SIZE(struct drm_anpu_event_lost, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_event_lost, base, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_event_lost, count, 8);

ANPU_CHECK_SIZE(struct drm_anpu_reset, 16);
ANPU_CHECK_OFFSET(struct drm_anpu_reset, scope, 0);
ANPU_CHECK_OFFSET(struct drm_anpu_reset, stream, 4);
ANPU_CHECK_OFFSET(struct drm_anpu_reset, seq, 8);

#endif /* ANPU_ACCEL_CHECK_H */
