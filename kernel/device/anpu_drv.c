// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ANPU accel driver: the module, the PCI driver, the DRM driver, open files.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include <drm/drm_accel.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_prime.h>
#include <drm/drm_vma_manager.h>

#include "anpu_device.h"
#include "anpu_drv.h"
#include "anpu_event.h"
#include "diag/anpu_debugfs.h"
#include "diag/anpu_sysfs.h"
#include "memory/anpu_bo.h"
#include "memory/anpu_hbm.h"
#include "memory/anpu_peer.h"
#include "memory/anpu_vm.h"
#include "reset/anpu_pm.h"
#include "reset/anpu_reset.h"
#include "reset/anpu_watchdog.h"
#include "stream/anpu_map.h"
#include "stream/anpu_queue.h"
#include "stream/anpu_stream.h"
#include "stream/anpu_submit.h"
#include "sync/anpu_fence.h"
#include "sync/anpu_job.h"
#include "sync/anpu_wait.h"
#include "sync/anpu_wake.h"

uint anpu_ring_entries = 1024;
module_param_named(ring_entries, anpu_ring_entries, uint, 0644);
MODULE_PARM_DESC(ring_entries,
		 "packets in a stream's ring if the program does not say, 16 to 65536 (default 1024)");

uint anpu_event_entries = 4096;
module_param_named(event_entries, anpu_event_entries, uint, 0444);
MODULE_PARM_DESC(event_entries, "entries of an event queue, 16 to 65536 (default 4096)");

uint anpu_vectors;
module_param_named(vectors, anpu_vectors, uint, 0444);
MODULE_PARM_DESC(vectors,
		 "event queues and MSI-X vectors to use at most (default 0: one per CPU)");

static int anpu_set_timeout(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 10, 600000);
}

static int anpu_set_watchdog(const char *val, const struct kernel_param *kp)
{
	unsigned int ms;
	int ret;

	/* 0 turns it off. */
	if (!kstrtouint(val, 0, &ms) && !ms)
		ret = param_set_uint(val, kp);
	else
		ret = param_set_uint_minmax(val, kp, 100, 600000);
	if (!ret)
		anpu_watchdog_changed();
	return ret;
}

static int anpu_set_priority(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 0, DRM_ANPU_PRIORITIES - 1);
}

static const struct kernel_param_ops anpu_timeout_ops = {
	.set = anpu_set_timeout,
	.get = param_get_uint,
};

static const struct kernel_param_ops anpu_watchdog_ops = {
	.set = anpu_set_watchdog,
	.get = param_get_uint,
};

uint anpu_stop_timeout_ms = 1000;
module_param_cb(stop_timeout_ms, &anpu_timeout_ops, &anpu_stop_timeout_ms, 0644);
MODULE_PARM_DESC(stop_timeout_ms,
		 "milliseconds the device may take to acknowledge something before it is reset, 10 to 600000 (default 1000)");

uint anpu_reset_timeout_ms = 2000;
module_param_cb(reset_timeout_ms, &anpu_timeout_ops, &anpu_reset_timeout_ms, 0644);
MODULE_PARM_DESC(reset_timeout_ms,
		 "milliseconds a reset of the device may take before it is given up, 10 to 600000 (default 2000)");

uint anpu_watchdog_ms = 10000;
module_param_cb(watchdog_ms, &anpu_watchdog_ops, &anpu_watchdog_ms, 0644);
MODULE_PARM_DESC(watchdog_ms,
		 "milliseconds without progress that should be there, 100 to 600000, 0: do not look (default 10000)");

uint anpu_fence_timeout_ms = 10000;
module_param_cb(fence_timeout_ms, &anpu_timeout_ops, &anpu_fence_timeout_ms, 0644);
MODULE_PARM_DESC(fence_timeout_ms,
		 "milliseconds a job with a fence may take before its stream is ended, 10 to 600000 (default 10000)");

static const struct kernel_param_ops anpu_priority_ops = {
	.set = anpu_set_priority,
	.get = param_get_uint,
};

uint anpu_unprivileged_priority = 2;
module_param_cb(unprivileged_priority, &anpu_priority_ops, &anpu_unprivileged_priority, 0644);
MODULE_PARM_DESC(unprivileged_priority,
		 "most urgent priority of a user without CAP_SYS_NICE, 0 (most urgent of all) to 7 (default 2)");

uint anpu_max_files_per_user;
module_param_named(max_files_per_user, anpu_max_files_per_user, uint, 0644);
MODULE_PARM_DESC(max_files_per_user,
		 "open files, and with them address spaces, that a user without CAP_SYS_RESOURCE can have of a device (default 0: no limit)");

uint anpu_max_queues_per_user;
module_param_named(max_queues_per_user, anpu_max_queues_per_user, uint, 0644);
MODULE_PARM_DESC(max_queues_per_user,
		 "queues that a user without CAP_SYS_RESOURCE can have of a device (default 0: no limit)");

uint anpu_max_hbm_per_user;
module_param_named(max_hbm_per_user, anpu_max_hbm_per_user, uint, 0644);
MODULE_PARM_DESC(max_hbm_per_user,
		 "MiB of HBM that a user without CAP_SYS_RESOURCE can have of a device (default 0: no limit)");

ulong anpu_kernel_timeout_us;
module_param_named(kernel_timeout_us, anpu_kernel_timeout_us, ulong, 0444);
MODULE_PARM_DESC(kernel_timeout_us,
		 "default limit of an operator's running time in microseconds (default 0: the device's own default)");

/* Open files ----------------------------------------------------------------------------------- */

static void anpu_file_free(struct anpu_file *file)
{
	anpu_user_close(file->adev, file->user);
	kfree(file->recent);
	kfree(file);
}

static struct anpu_file *anpu_file_new(struct anpu_device *adev, struct drm_file *drm_file)
{
	struct anpu_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return ERR_PTR(-ENOMEM);
	file->recent = kcalloc(ANPU_RECENT, sizeof(*file->recent), GFP_KERNEL_ACCOUNT);
	if (!file->recent) {
		kfree(file);
		return ERR_PTR(-ENOMEM);
	}
	file->user = anpu_user_open(adev);
	if (IS_ERR(file->user)) {
		int ret = PTR_ERR(file->user);

		kfree(file->recent);
		kfree(file);
		return ERR_PTR(ret);
	}
	file->adev = adev;
	file->drm = drm_file;
	spin_lock_init(&file->busy_lock);
	INIT_LIST_HEAD(&file->busy_streams);
	xa_init_flags(&file->streams, XA_FLAGS_ALLOC1);
	mutex_init(&file->read_lock);
	file->pid = task_tgid_nr(current);
	anpu_get_comm(file->comm);
	return file;
}

static int anpu_open(struct drm_device *drm, struct drm_file *drm_file)
{
	struct anpu_device *adev = to_anpu_device(drm);
	struct anpu_file *file;

	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(drm);
	if (idx < 0)
		return idx;
	if (anpu_gone(adev) || anpu_cut_off(adev))
		return anpu_dead_error(adev);
	file = anpu_file_new(adev, drm_file);
	if (IS_ERR(file))
		return PTR_ERR(file);
	file->vm = anpu_vm_create(adev, file->user);
	if (IS_ERR(file->vm)) {
		int ret = PTR_ERR(file->vm);

		anpu_file_free(file);
		return ret;
	}
	drm_file->event_space = ANPU_EVENT_SPACE;
	drm_file->driver_priv = file;
	guard(mutex)(&adev->files_lock);
	list_add_tail(&file->link, &adev->files);
	return 0;
}

static void anpu_postclose(struct drm_device *drm, struct drm_file *drm_file)
{
	struct anpu_file *file = to_anpu_file(drm_file);

	CLASS(anpu_presence, presence)(file->adev);
	scoped_guard(mutex, &file->adev->files_lock)
		list_del(&file->link);
	/* Queues end before the memory that they can reach. */
	anpu_streams_destroy(file);
	anpu_vm_destroy(file->vm);
	anpu_file_free(file);
}

static int anpu_file_release(struct inode *inode, struct file *filp)
{
	struct drm_file *drm_file = filp->private_data;

	/* DRM frees unread events first and expects that no more arrive. */
	anpu_file_events_off(to_anpu_file(drm_file));
	return drm_release(inode, filp);
}

static __poll_t anpu_poll(struct file *filp, struct poll_table_struct *wait)
{
	struct drm_file *drm_file = filp->private_data;
	__poll_t mask = drm_poll(filp, wait);

	if (anpu_gone(to_anpu_file(drm_file)->adev))
		mask |= EPOLLHUP | EPOLLERR;
	return mask;
}

static int anpu_mmap(struct file *filp, struct vm_area_struct *vma)
{
	/* Pages of streams are below and above DRM's range for GEM objects. */
	if (vma->vm_pgoff >= DRM_FILE_PAGE_OFFSET_START &&
	    vma->vm_pgoff - DRM_FILE_PAGE_OFFSET_START < DRM_FILE_PAGE_OFFSET_SIZE)
		return drm_gem_mmap(filp, vma);
	return anpu_stream_mmap(filp, vma);
}

static void anpu_show_engine(struct drm_printer *p, const char *name, u64 ns, u32 capacity)
{
	drm_printf(p, "drm-engine-%s:\t%llu ns\n", name, ns);
	drm_printf(p, "drm-engine-capacity-%s:\t%u\n", name, capacity);
}

static void anpu_show_fdinfo(struct drm_printer *p, struct drm_file *drm_file)
{
	struct anpu_file *file = to_anpu_file(drm_file);
	u64 kib = (atomic64_read(&file->queue_hbm) +
		   READ_ONCE(file->vm->tables) * ANPU_PT_SIZE) >> 10;
	struct anpu_device *adev = file->adev;
	struct anpu_stream *stream;
	struct anpu_busy busy;

	anpu_bo_show_fdinfo(p, drm_file);
	drm_printf(p, "drm-total-hbm-driver:\t%llu KiB\n", kib);
	drm_printf(p, "drm-shared-hbm-driver:\t0 KiB\n");
	drm_printf(p, "drm-resident-hbm-driver:\t%llu KiB\n", kib);
	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return;
	scoped_guard(spinlock, &file->busy_lock) {
		busy = file->busy;
		list_for_each_entry(stream, &file->busy_streams, busy_link)
			anpu_stream_busy(stream, &busy);
	}
	anpu_show_engine(p, "npu", busy.queue_ns, adev->n_queues);
	if (adev->caps & ANPU_CAP_QUEUE_BUSY) {
		anpu_show_engine(p, "cube", busy.cube_ns, adev->n_cores);
		anpu_show_engine(p, "vector", busy.vector_ns, adev->n_cores);
	}
}

/* DRM ------------------------------------------------------------------------------------------ */

static const struct drm_ioctl_desc anpu_ioctls[] = {
	DRM_IOCTL_DEF_DRV(ANPU_DEV_QUERY, anpu_dev_query_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_BO_CREATE, anpu_bo_create_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_BO_MMAP_OFFSET, anpu_bo_mmap_offset_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_VM_BIND, anpu_vm_bind_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_STREAM_CREATE, anpu_stream_create_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_STREAM_DESTROY, anpu_stream_destroy_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_SUBMIT, anpu_submit_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_WAIT, anpu_wait_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_STREAM_GET_STATE, anpu_stream_get_state_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_EVENT_SUBSCRIBE, anpu_event_subscribe_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_RESET, anpu_reset_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_STREAM_SET, anpu_stream_set_ioctl, 0),
	DRM_IOCTL_DEF_DRV(ANPU_SUBMIT_JOB, anpu_submit_job_ioctl, 0),
};

static const struct file_operations anpu_fops = {
	.owner = THIS_MODULE,
	.open = accel_open,
	.release = anpu_file_release,
	.unlocked_ioctl = anpu_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = anpu_compat_ioctl,
#endif
	.poll = anpu_poll,
	.read = anpu_event_read,
	.llseek = noop_llseek,
	.mmap = anpu_mmap,
	.show_fdinfo = drm_show_fdinfo,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

/*
 * The last file is closed and the device is unbound, or was never bound: free everything that is
 * left.
 */
static void anpu_release(struct drm_device *drm)
{
	struct anpu_device *adev = to_anpu_device(drm);

	/*
	 * devm_drm_dev_alloc() failed after making the DRM device: this driver has allocated
	 * nothing yet.
	 */
	if (!adev->pdev)
		return;
	if (adev->driver_stream)
		anpu_stream_put(adev->driver_stream);
	anpu_quarantine_end(adev);
	anpu_eqs_fini(adev);
	anpu_region_destroy(adev, adev->queue_mem);
	anpu_region_destroy(adev, adev->control_mem);
	anpu_region_destroy(adev, adev->shadow_mem);
	anpu_region_destroy(adev, adev->asid_mem);
	anpu_hbm_fini(adev);
	ida_destroy(&adev->asids);
	ida_destroy(&adev->queue_ids);
	kvfree(adev->streams);
	bitmap_free(adev->fault_pending);
	if (adev->dummy)
		__free_page(adev->dummy);
	percpu_free_rwsem(&adev->presence_lock);
}

static const struct drm_driver anpu_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_COMPUTE_ACCEL | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = anpu_open,
	.postclose = anpu_postclose,
	.release = anpu_release,
	.show_fdinfo = anpu_show_fdinfo,
	.gem_prime_import = anpu_import,
	.gem_prime_import_sg_table = anpu_import_sgt,
	.ioctls = anpu_ioctls,
	.num_ioctls = ARRAY_SIZE(anpu_ioctls),
	.fops = &anpu_fops,
	.name = DRM_ANPU_DRIVER_NAME,
	.desc = "ANPU neural processing unit",
	ANPU_DRIVER_DATE
	.major = DRM_ANPU_DRIVER_MAJOR,
	.minor = DRM_ANPU_DRIVER_MINOR,
};

/* PCI ------------------------------------------------------------------------------------------ */

static int anpu_alloc_software(struct anpu_device *adev)
{
	spin_lock_init(&adev->streams_lock);
	mutex_init(&adev->tlb_lock);
	mutex_init(&adev->busy_lock);
	mutex_init(&adev->reset_lock);
	mutex_init(&adev->users_lock);
	INIT_LIST_HEAD(&adev->users);
	mutex_init(&adev->files_lock);
	INIT_LIST_HEAD(&adev->files);
	mutex_init(&adev->dma_lock);
	INIT_LIST_HEAD(&adev->dma_bos);
	mutex_init(&adev->export_lock);
	INIT_LIST_HEAD(&adev->exports);
	mutex_init(&adev->import_lock);
	INIT_LIST_HEAD(&adev->imports);
	spin_lock_init(&adev->peer_lock);
	ida_init(&adev->asids);
	ida_init(&adev->queue_ids);
	INIT_LIST_HEAD(&adev->quarantine);
	INIT_WORK(&adev->lost_work, anpu_lost_work);
	INIT_WORK(&adev->fault_work, anpu_fault_work);
	anpu_watchdog_init(adev);
	anpu_hbm_prepare(adev);

	adev->streams = kvcalloc(ANPU_MAX_QUEUES, sizeof(*adev->streams), GFP_KERNEL);
	adev->fault_pending = bitmap_zalloc(ANPU_MAX_QUEUES, GFP_KERNEL);
	adev->dummy = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!adev->streams || !adev->fault_pending || !adev->dummy)
		return -ENOMEM;
	return percpu_init_rwsem(&adev->presence_lock);
}

/*
 * Objects stay mapped as long as they live, so a mapping has to be the memory itself: the end of
 * one that is a copy would overwrite what the CPU has written meanwhile. dma_need_sync() does not
 * tell: with an IOMMU and CONFIG_DMA_API_DEBUG it always says yes.
 */
static int anpu_check_dma(struct anpu_device *adev)
{
	struct device *dev = &adev->pdev->dev;
	u64 *word = page_address(adev->dummy);
	dma_addr_t addr;
	int ret;

	ret = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(52));
	if (ret)
		return ret;
	/* Page tables split long segments themselves. */
	dma_set_max_seg_size(dev, UINT_MAX);
	addr = dma_map_page(dev, adev->dummy, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, addr))
		return -EIO;
	WRITE_ONCE(*word, 1);
	dma_unmap_page(dev, addr, PAGE_SIZE, DMA_BIDIRECTIONAL);
	adev->bounce = READ_ONCE(*word) != 1;
	WRITE_ONCE(*word, 0);
	if (adev->bounce)
		dev_info(dev, "DMA goes through bounce buffers: no user memory, no foreign buffers\n");
	return 0;
}

static int anpu_map_registers(struct anpu_device *adev)
{
	struct pci_dev *pdev = adev->pdev;
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	ret = pcim_request_all_regions(pdev, DRM_ANPU_DRIVER_NAME);
	if (ret)
		return ret;
	adev->regs = pcim_iomap(pdev, ANPU_BAR_REGS, 0);
	if (!adev->regs)
		return -ENOMEM;
	return anpu_check_dma(adev);
}

static int anpu_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct anpu_device *adev;
	int ret;

	adev = devm_drm_dev_alloc(&pdev->dev, &anpu_drm_driver, struct anpu_device, drm);
	if (IS_ERR(adev))
		return PTR_ERR(adev);
	adev->pdev = pdev;
	pci_set_drvdata(pdev, &adev->drm);
	ret = anpu_alloc_software(adev);
	if (ret)
		return ret;
	ret = anpu_map_registers(adev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "cannot enable it or map its registers\n");
	ret = anpu_device_init(adev);
	if (ret)
		return ret;
	ret = drm_dev_register(&adev->drm, 0);
	if (ret) {
		anpu_device_fini(adev);
		return ret;
	}
	anpu_debugfs_init(adev);
	/* The first step of recovery from a bus error. */
	pci_save_state(pdev);
	dev_info(&pdev->dev, "%u AI cores, %llu MiB of HBM, %u queues, %u vectors\n",
		 adev->n_cores, adev->hbm_size >> 20, adev->n_queues, adev->n_eqs);
	return 0;
}

static void anpu_remove(struct pci_dev *pdev)
{
	struct drm_device *drm = pci_get_drvdata(pdev);
	struct anpu_device *adev = to_anpu_device(drm);

	/*
	 * The device goes first, because closing a file does not ask it any more once it is
	 * unplugged. Then sleepers are woken, new callers kept out, and mappings of the BARs
	 * revoked.
	 */
	anpu_device_kill(adev);
	anpu_presence_remove(adev);
	drm_dev_unplug(drm);
	flush_work(&adev->lost_work);
	/* Ioctls that had begun before the device was declared gone have ended after this. */
	percpu_down_write(&adev->presence_lock);
	percpu_up_write(&adev->presence_lock);
	anpu_exports_revoke(adev);
	unmap_mapping_range(drm->anon_inode->i_mapping, 0, 0, 1);
	flush_work(&adev->hbm.scrub_work);
	anpu_device_fini(adev);
	anpu_bo_unmap_dma_all(adev);
	anpu_imports_end(adev);
}

static void anpu_shutdown(struct pci_dev *pdev)
{
	struct anpu_device *adev = to_anpu_device(pci_get_drvdata(pdev));

	/*
	 * The memory will soon belong to others: DMA ends here, and no caller brings the device up
	 * again.
	 */
	guard(mutex)(&adev->reset_lock);
	anpu_streams_kill_all(adev);
	anpu_device_quiesce(adev, true, ANPU_WEDGED);
}

static const struct pci_device_id anpu_ids[] = {
	{ PCI_DEVICE(ANPU_PCI_VENDOR, ANPU_PCI_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, anpu_ids);

static struct pci_driver anpu_pci_driver = {
	.name = DRM_ANPU_DRIVER_NAME,
	.id_table = anpu_ids,
	.probe = anpu_probe,
	.remove = anpu_remove,
	.shutdown = anpu_shutdown,
	.dev_groups = anpu_sysfs_groups,
	.err_handler = &anpu_error_handlers,
	.driver.pm = pm_sleep_ptr(&anpu_pm_ops),
};

static int __init anpu_module_init(void)
{
	int ret = anpu_vm_module_init();

	if (ret)
		return ret;
	ret = anpu_fence_module_init();
	if (ret)
		goto out_vm;
	ret = pci_register_driver(&anpu_pci_driver);
	if (ret)
		goto out_fence;
	return 0;

out_fence:
	anpu_fence_module_fini();
out_vm:
	anpu_vm_module_fini();
	return ret;
}

static void __exit anpu_module_exit(void)
{
	pci_unregister_driver(&anpu_pci_driver);
	anpu_wake_module_fini();
	anpu_fence_module_fini();
	anpu_vm_module_fini();
}

module_init(anpu_module_init);
module_exit(anpu_module_exit);

MODULE_DESCRIPTION("ANPU neural processing unit");
MODULE_AUTHOR("The ANPU authors");
MODULE_LICENSE("Dual MIT/GPL");
