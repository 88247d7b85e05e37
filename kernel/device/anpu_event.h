/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_EVENT_H
#define ANPU_EVENT_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct anpu_device;
struct anpu_event;
struct anpu_event_header;
struct anpu_file;
struct anpu_region;
struct drm_device;
struct drm_file;
struct file;
struct task_struct;
struct work_struct;

/**
 * struct anpu_eq - an event queue and its interrupt
 * @adev: device
 * @index: number of the queue and its MSI-X vector
 * @irq: Linux interrupt, 0 if none
 * @mem: HBM of header and entries
 * @hdr: its header
 * @ring: its entries
 * @mask: number of entries - 1
 * @lock: serialises consumers
 * @rptr: events consumed
 * @looked: events that anpu_eq_look_ahead() has looked at
 * @flooded: the interrupt's thread consumes the events, not the handler
 * @halt_next: queue at which halting a group goes on for the event at @rptr, 0 if it has not begun
 * @halt_at: when the failure was for which it is halted, by the device's clock
 * @broken: its indices make no sense: the device is to be reset
 * @seen: @rptr when the watchdog last looked and there were events, else U64_MAX
 * @interrupts: how often the interrupt came
 * @test_task: a writer of debugfs' irq_test that waits for the interrupt
 */
struct anpu_eq {
	struct anpu_device *adev;
	u32 index;
	int irq;
	struct anpu_region *mem;
	struct anpu_event_header *hdr;
	struct anpu_event *ring;
	u64 mask;
	spinlock_t lock; /* of rptr, looked, flooded and halt_* */
	u64 rptr;
	u64 looked;
	bool flooded;
	u32 halt_next;
	u64 halt_at;
	bool broken;
	u64 seen;
	u64 interrupts;
	struct task_struct *test_task;
};

int anpu_eqs_init(struct anpu_device *adev);
void anpu_eqs_enable(struct anpu_device *adev);
void anpu_eqs_fini(struct anpu_device *adev);
int anpu_irqs_init(struct anpu_device *adev);
void anpu_irqs_fini(struct anpu_device *adev);
void anpu_eqs_poll(struct anpu_device *adev);
bool anpu_eqs_check(struct anpu_device *adev);

void anpu_send_reset(struct anpu_device *adev);
void anpu_file_events_off(struct anpu_file *file);
ssize_t anpu_event_read(struct file *filp, char __user *buf, size_t count, loff_t *offset);
int anpu_event_subscribe_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);
const char *anpu_cause_name(u32 cause);
void anpu_fault_work(struct work_struct *work);

#endif /* ANPU_EVENT_H */
