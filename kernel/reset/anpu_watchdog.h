/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_WATCHDOG_H
#define ANPU_WATCHDOG_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct anpu_device;
struct anpu_stream;

/**
 * struct anpu_watchdog - looks whether the device does what it has to do
 * @link: in the list of those that are told when anpu_watchdog_ms changes
 * @ms: what that was when it began its last look
 * @work: one look
 * @running: @work looks again and again, as there are streams
 * @beats: heartbeats counted by the device, when they last changed
 * @beats_at: when that was, in jiffies
 * @stalled: queue + 1 that the device says makes no progress
 * @stalled_at: since when, in jiffies
 * @lost_interrupts: events that were found without their interrupt
 */
struct anpu_watchdog {
	struct list_head link;
	unsigned int ms;
	struct delayed_work work;
	bool running;
	u32 beats;
	unsigned long beats_at;
	u32 stalled;
	unsigned long stalled_at;
	atomic_t lost_interrupts;
};

void anpu_watchdog_init(struct anpu_device *adev);
void anpu_watchdog_start(struct anpu_device *adev);
void anpu_watchdog_now(struct anpu_device *adev);
void anpu_watchdog_changed(void);
bool anpu_stream_alive(struct anpu_stream *stream);
void anpu_watchdog_enable(struct anpu_device *adev);
void anpu_watchdog_disable(struct anpu_device *adev);

#endif /* ANPU_WATCHDOG_H */
