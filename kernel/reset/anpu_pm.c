// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device is away for a while and comes back as after a reset: function level reset, suspend,
 * bus errors.
 *
 * While it is away its BARs may not answer, so it is not enough that no queue runs: nobody may
 * touch registers or HBM, or a page table entry or a process's store would be lost. Everybody who
 * comes from outside (ioctls, page faults, open, close, work items, debugfs) holds the presence
 * lock for reading while it touches them; anpu_leave() takes it for writing, anpu_return() releases
 * it.
 *
 * With the presence lock held nobody touches a process's memory: what lies behind that (a file
 * system in userspace, a file server, userfaultfd) would decide when the device can leave.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/pm.h>

#include <drm/drm_ioctl.h>

#include "anpu_pm.h"
#include "anpu_reset.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "device/anpu_event.h"
#include "diag/anpu_trace.h"
#include "memory/anpu_hbm.h"
#include "memory/anpu_peer.h"
#include "memory/anpu_vm.h"
#include "sync/anpu_wake.h"

#define ANPU_RETURN_TRIES	200
#define ANPU_RETURN_SLEEP_US	5000

/* The presence lock ---------------------------------------------------------------------------- */

/*
 * The ioctls of DRM that mean something for this device. The others are about displays and masters,
 * from which DRM keeps render nodes, but not accel nodes: GET_UNIQUE and GET_MAGIC follow a NULL
 * pointer.
 */
static bool anpu_ioctl_allowed(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END)
		return true;
	switch (nr) {
	case _IOC_NR(DRM_IOCTL_VERSION):
	case _IOC_NR(DRM_IOCTL_GET_CAP):
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
	case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_EVENTFD):
#ifdef DRM_IOCTL_SET_CLIENT_NAME
	case _IOC_NR(DRM_IOCTL_SET_CLIENT_NAME):
#endif
		return true;
	}
	return false;
}

/*
 * The calls that a program may still use with a failed device: to look at its state and to give
 * things back.
 */
static int anpu_ioctl_check(struct anpu_device *adev, unsigned int cmd)
{
	unsigned int nr = DRM_IOCTL_NR(cmd);

	if (anpu_gone(adev) && nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END)
		return -ENODEV;
	if (!anpu_cut_off(adev))
		return 0;
	switch (nr - DRM_COMMAND_BASE) {
	case DRM_ANPU_DEV_QUERY:
	case DRM_ANPU_BO_CREATE:
	case DRM_ANPU_BO_MMAP_OFFSET:
	case DRM_ANPU_VM_BIND:
	case DRM_ANPU_STREAM_CREATE:
	case DRM_ANPU_SUBMIT:
	case DRM_ANPU_RESET:
	case DRM_ANPU_STREAM_SET:
	case DRM_ANPU_SUBMIT_JOB:
		return -EIO;
	}
	return 0;
}

/**
 * anpu_ioctl() - drm_ioctl() for what means something on an accelerator
 * @filp: device file
 * @cmd: ioctl
 * @arg: its argument
 *
 * Return: as drm_ioctl(); -EACCES for DRM's ioctls that are not for accelerators.
 */
long anpu_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct drm_file *drm_file = filp->private_data;
	int ret;

	if (!anpu_ioctl_allowed(cmd))
		return -EACCES;
	ret = anpu_ioctl_check(to_anpu_device(drm_file->minor->dev), cmd);
	return ret ?: drm_ioctl(filp, cmd, arg);
}

#ifdef CONFIG_COMPAT
/**
 * anpu_compat_ioctl() - the same for programs of 32 bits
 * @filp: device file
 * @cmd: ioctl
 * @arg: its argument
 *
 * Return: as drm_compat_ioctl().
 */
long anpu_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct drm_file *drm_file = filp->private_data;
	int ret;

	if (!anpu_ioctl_allowed(cmd))
		return -EACCES;
	ret = anpu_ioctl_check(to_anpu_device(drm_file->minor->dev), cmd);
	return ret ?: drm_compat_ioctl(filp, cmd, arg);
}
#endif

/**
 * anpu_presence_fault() - take the presence lock for reading in a page fault
 * @adev: device
 * @vmf: the fault
 *
 * A fault must not wait for the device with the lock of the address space held: an ioctl that the
 * device waits for may want that lock.
 * Return: 0 and the lock is to be released with percpu_up_read(), or what the handler is to return.
 */
vm_fault_t anpu_presence_fault(struct anpu_device *adev, struct vm_fault *vmf)
{
	struct file *file;

	if (percpu_down_read_trylock(&adev->presence_lock))
		return 0;
	/* A caller that cannot release mmap_lock gets an error. */
	if (!(vmf->flags & FAULT_FLAG_ALLOW_RETRY))
		return VM_FAULT_SIGBUS;
	/* The device has left again since the caller began to wait. */
	if (vmf->flags & FAULT_FLAG_TRIED) {
		cond_resched();
		return VM_FAULT_NOPAGE;
	}
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	/* The mapping, the device and the driver may go as soon as the lock is released. */
	file = get_file(vmf->vma->vm_file);
	release_fault_lock(vmf);
	percpu_down_read(&adev->presence_lock);
	percpu_up_read(&adev->presence_lock);
	fput(file);
	return VM_FAULT_RETRY;
}

/* Going and coming ----------------------------------------------------------------------------- */

static void anpu_irqs_enable(struct anpu_device *adev, bool enable)
{
	for (u32 i = 0; i < adev->n_eqs; i++) {
		if (enable)
			enable_irq(adev->eqs[i].irq);
		else
			disable_irq(adev->eqs[i].irq);
	}
}

/**
 * anpu_leave() - nobody touches the device from here on until anpu_return()
 * @adev: device
 * @why: for the log
 * @end: ANPU_AWAY, while registers can be accessed still; or the device is cut off at once, from a
 *	bus that does not answer: ANPU_FROZEN, ANPU_WEDGED
 *
 * All streams die, sleepers are woken.
 */
static void anpu_leave(struct anpu_device *adev, const char *why, enum anpu_state end)
{
	dev_info(&adev->pdev->dev, "%s: all streams end\n", why);
	trace_anpu_reset(adev, why);
	scoped_guard(mutex, &adev->reset_lock) {
		/* From here on no queue starts, whoever asks. */
		if (adev->state == ANPU_RUNNING)
			anpu_set_state(adev, ANPU_LEAVING);
		anpu_streams_kill_all(adev);
		/*
		 * The device acknowledges nothing any more, so tasks that close files must not wait
		 * for it.
		 */
		if (end != ANPU_AWAY)
			anpu_device_quiesce(adev, false, end);
	}
	anpu_memory_wake(true);
	percpu_down_write(&adev->presence_lock);
	adev->absent = true;
	/* The driver's stream may have been restarted by a reset meanwhile. */
	anpu_streams_kill_all(adev);
	anpu_irqs_enable(adev, false);
	scoped_guard(mutex, &adev->import_lock) {
		if (end == ANPU_AWAY && !anpu_cut_off(adev) && anpu_device_reset_hw(adev))
			dev_warn(&adev->pdev->dev, "%s: the device does not stop\n", why);
		pci_clear_master(adev->pdev);
		guard(mutex)(&adev->reset_lock);
		/* A device that was wedged gets another chance. */
		if (end == ANPU_AWAY && adev->state != ANPU_FROZEN && !anpu_gone(adev))
			anpu_set_state(adev, ANPU_AWAY);
	}
	anpu_exports_revoke(adev);
	unmap_mapping_range(adev->drm.anon_inode->i_mapping, 0, 0, 1);
	/* Another task may release it: a suspend has one for each of its phases. */
	percpu_rwsem_release(&adev->presence_lock, _THIS_IP_);
}

/* Tells lockdep that the presence lock that anpu_leave() has taken is now this task's. */
static void anpu_presence_adopt(struct anpu_device *adev)
{
	percpu_rwsem_acquire(&adev->presence_lock, false, _THIS_IP_);
}

/**
 * anpu_lost_work() - the device is gone, and with it its memory: nobody reaches for that any more
 * @work: anpu_device.lost_work
 */
void anpu_lost_work(struct work_struct *work)
{
	struct anpu_device *adev = container_of(work, struct anpu_device, lost_work);

	/* Page faults that have not seen the device leave are over when this lock is taken. */
	percpu_down_write(&adev->presence_lock);
	unmap_mapping_range(adev->drm.anon_inode->i_mapping, 0, 0, 1);
	percpu_up_write(&adev->presence_lock);
	anpu_exports_revoke(adev);
}

/* A device that has just been reset may need some time; one that is gone is noticed later. */
static void anpu_wait_answer(struct anpu_device *adev)
{
	for (u32 i = 0; i < ANPU_RETURN_TRIES; i++) {
		if (anpu_read(adev, ANPU_REG_ID) == ANPU_ID_VALUE)
			return;
		usleep_range(ANPU_RETURN_SLEEP_US, 2 * ANPU_RETURN_SLEEP_US);
	}
}

/* With the presence lock held for writing nobody opens or closes a file. */
static void anpu_restore_tables(struct anpu_device *adev)
{
	struct anpu_file *file;

	list_for_each_entry(file, &adev->files, link)
		anpu_vm_restore(file->vm);
	adev->tables_stale = false;
}

/**
 * anpu_return() - the device is back: streams can be made, memory is as it was
 * @adev: device, after anpu_leave()
 *
 * If it was cut off meanwhile, it stays so.
 * Return: 0, or an error: then every call gives -EIO from now on.
 */
static int anpu_return(struct anpu_device *adev)
{
	int ret = -EIO;

	anpu_presence_adopt(adev);
	/* With the presence lock held for writing nobody else changes the state. */
	if (READ_ONCE(adev->state) == ANPU_AWAY) {
		anpu_wait_answer(adev);
		if (adev->tables_stale)
			anpu_restore_tables(adev);
		anpu_imports_wake(adev);
		guard(mutex)(&adev->reset_lock);
		ret = anpu_device_restart(adev);
		if (!ret)
			anpu_set_state(adev, ANPU_RUNNING);
	}
	anpu_irqs_enable(adev, true);
	adev->absent = false;
	percpu_up_write(&adev->presence_lock);
	anpu_send_reset(adev);
	return ret;
}

/* Function level reset ------------------------------------------------------------------------- */

static void anpu_reset_prepare(struct pci_dev *pdev)
{
	anpu_leave(to_anpu_device(pci_get_drvdata(pdev)), "PCI reset", ANPU_AWAY);
}

static void anpu_reset_done(struct pci_dev *pdev)
{
	anpu_return(to_anpu_device(pci_get_drvdata(pdev)));
}

/* Bus errors ----------------------------------------------------------------------------------- */

/* With the presence lock held for writing: the latest writes to HBM may be lost. */
static void anpu_distrust_memory(struct anpu_device *adev)
{
	adev->tables_stale = true;
	anpu_hbm_distrust(adev);
}

/*
 * Between these callbacks the bus may be down for any time, and the PCI core does not promise a
 * next callback: so the presence lock is released, and the device stays cut off.
 */
static pci_ers_result_t anpu_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct anpu_device *adev = to_anpu_device(pci_get_drvdata(pdev));

	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;
	if (!anpu_cut_off(adev)) {
		anpu_leave(adev, "bus error",
			   state == pci_channel_io_frozen ? ANPU_FROZEN : ANPU_WEDGED);
		anpu_distrust_memory(adev);
		anpu_return(adev);
	}
	return READ_ONCE(adev->state) == ANPU_FROZEN ? PCI_ERS_RESULT_NEED_RESET :
						       PCI_ERS_RESULT_DISCONNECT;
}

/* The bus works, but lost some transaction: it may have been a program's. */
static pci_ers_result_t anpu_mmio_enabled(struct pci_dev *pdev)
{
	struct anpu_device *adev = to_anpu_device(pci_get_drvdata(pdev));

	if (anpu_cut_off(adev))
		return PCI_ERS_RESULT_DISCONNECT;
	anpu_leave(adev, "an error on the bus", ANPU_AWAY);
	anpu_distrust_memory(adev);
	return anpu_return(adev) ? PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_RECOVERED;
}

static pci_ers_result_t anpu_slot_reset(struct pci_dev *pdev)
{
	pci_restore_state(pdev);
	/* For the next time. */
	pci_save_state(pdev);
	return PCI_ERS_RESULT_RECOVERED;
}

static void anpu_error_resume(struct pci_dev *pdev)
{
	struct anpu_device *adev = to_anpu_device(pci_get_drvdata(pdev));

	if (READ_ONCE(adev->state) != ANPU_FROZEN)
		return;
	anpu_leave(adev, "recovery from a bus error", ANPU_FROZEN);
	scoped_guard(mutex, &adev->reset_lock) {
		if (adev->state == ANPU_FROZEN)
			anpu_set_state(adev, ANPU_AWAY);
	}
	anpu_return(adev);
}

const struct pci_error_handlers anpu_error_handlers = {
	.error_detected = anpu_error_detected,
	.mmio_enabled = anpu_mmio_enabled,
	.slot_reset = anpu_slot_reset,
	.resume = anpu_error_resume,
	.reset_prepare = anpu_reset_prepare,
	.reset_done = anpu_reset_done,
};

/* Suspend -------------------------------------------------------------------------------------- */

static int anpu_suspend(struct device *dev)
{
	anpu_leave(to_anpu_device(dev_get_drvdata(dev)), "suspend", ANPU_AWAY);
	return 0;
}

static int anpu_resume(struct device *dev)
{
	return anpu_return(to_anpu_device(dev_get_drvdata(dev)));
}

/* After power-off the HBM is empty: programs' data and page tables are gone. */
static int anpu_freeze(struct device *dev)
{
	dev_err(dev, "hibernation would lose the memory of the NPU: unbind its driver before\n");
	return -EOPNOTSUPP;
}

const struct dev_pm_ops anpu_pm_ops = {
	.suspend = anpu_suspend,
	.resume = anpu_resume,
	.freeze = anpu_freeze,
};

/**
 * anpu_pm_test() - what a suspend and a resume of the machine do with the device
 * @adev: device
 *
 * Return: 0 or an error.
 */
int anpu_pm_test(struct anpu_device *adev)
{
	struct pci_dev *pdev = adev->pdev;
	int ret;

	/* Removal holds this lock and waits for debugfs, where we come from. */
	if (!device_trylock(&pdev->dev))
		return -EBUSY;
	anpu_suspend(&pdev->dev);
	ret = pci_save_state(pdev);
	/* Without the capability (QEMU's device) it has only D0. */
	if (!ret && pdev->pm_cap) {
		ret = pci_set_power_state(pdev, PCI_D3hot);
		pci_set_power_state(pdev, PCI_D0);
	}
	pci_restore_state(pdev);
	ret = anpu_resume(&pdev->dev) ?: ret;
	device_unlock(&pdev->dev);
	return ret;
}

/**
 * anpu_presence_remove() - the device is removed while it is away: nobody waits for it any more
 * @adev: device, after anpu_device_kill()
 */
void anpu_presence_remove(struct anpu_device *adev)
{
	if (!adev->absent)
		return;
	anpu_presence_adopt(adev);
	anpu_irqs_enable(adev, true);
	adev->absent = false;
	percpu_up_write(&adev->presence_lock);
}
