/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sizes and offsets of everything that only driver and device share, as numbers. Both include this,
 * so a compiler or an edit that moves a field is noticed on either side when it is built.
 */
#ifndef ANPU_HW_CHECK_H
#define ANPU_HW_CHECK_H

#include <anpu/anpu_hw.h>
#include <anpu/anpu_packet_check.h>

ANPU_CHECK_SIZE(struct anpu_queue_context, 128);
ANPU_CHECK_OFFSET(struct anpu_queue_context, ring, 0);
ANPU_CHECK_OFFSET(struct anpu_queue_context, status, 8);
ANPU_CHECK_OFFSET(struct anpu_queue_context, control, 16);
ANPU_CHECK_OFFSET(struct anpu_queue_context, ring_log2, 24);
ANPU_CHECK_OFFSET(struct anpu_queue_context, asid, 28);
ANPU_CHECK_OFFSET(struct anpu_queue_context, priority, 32);
ANPU_CHECK_OFFSET(struct anpu_queue_context, event_queue, 36);
ANPU_CHECK_OFFSET(struct anpu_queue_context, flags, 40);
ANPU_CHECK_OFFSET(struct anpu_queue_context, reserved0, 44);
ANPU_CHECK_OFFSET(struct anpu_queue_context, cookie, 48);
ANPU_CHECK_OFFSET(struct anpu_queue_context, print, 56);
ANPU_CHECK_OFFSET(struct anpu_queue_context, overflow, 64);
ANPU_CHECK_OFFSET(struct anpu_queue_context, trace, 72);
ANPU_CHECK_OFFSET(struct anpu_queue_context, reserved, 80);

ANPU_CHECK_SIZE(struct anpu_shadow_doorbells, 4224);
ANPU_CHECK_OFFSET(struct anpu_shadow_doorbells, polling, 0);
ANPU_CHECK_OFFSET(struct anpu_shadow_doorbells, reserved, 4);
ANPU_CHECK_OFFSET(struct anpu_shadow_doorbells, group, 64);
ANPU_CHECK_OFFSET(struct anpu_shadow_doorbells, rung, 128);

ANPU_CHECK_SIZE(struct anpu_event, 64);
ANPU_CHECK_OFFSET(struct anpu_event, type, 0);
ANPU_CHECK_OFFSET(struct anpu_event, queue, 2);
ANPU_CHECK_OFFSET(struct anpu_event, code, 4);
ANPU_CHECK_OFFSET(struct anpu_event, seq, 8);
ANPU_CHECK_OFFSET(struct anpu_event, cookie, 16);
ANPU_CHECK_OFFSET(struct anpu_event, data0, 24);
ANPU_CHECK_OFFSET(struct anpu_event, data1, 32);
ANPU_CHECK_OFFSET(struct anpu_event, reserved, 40);

ANPU_CHECK_SIZE(struct anpu_event_header, 128);
ANPU_CHECK_OFFSET(struct anpu_event_header, wptr, 0);
ANPU_CHECK_OFFSET(struct anpu_event_header, reserved0, 8);
ANPU_CHECK_OFFSET(struct anpu_event_header, rptr, 64);
ANPU_CHECK_OFFSET(struct anpu_event_header, reserved1, 72);

#endif /* ANPU_HW_CHECK_H */
