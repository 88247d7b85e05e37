/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_PM_H
#define ANPU_PM_H

#include <linux/mm_types.h>

#include "device/anpu_device.h"

/* For callers from outside: CLASS(anpu_presence, presence)(adev). Not to be nested. */
static inline struct anpu_device *anpu_presence_enter(struct anpu_device *adev)
{
	percpu_down_read(&adev->presence_lock);
	return adev;
}

DEFINE_CLASS(anpu_presence, struct anpu_device *, percpu_up_read(&_T->presence_lock),
	     anpu_presence_enter(adev), struct anpu_device *adev)

extern const struct pci_error_handlers anpu_error_handlers;
extern const struct dev_pm_ops anpu_pm_ops;
long anpu_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
long anpu_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
vm_fault_t anpu_presence_fault(struct anpu_device *adev, struct vm_fault *vmf);
int anpu_pm_test(struct anpu_device *adev);
void anpu_presence_remove(struct anpu_device *adev);
void anpu_lost_work(struct work_struct *work);

#endif /* ANPU_PM_H */
