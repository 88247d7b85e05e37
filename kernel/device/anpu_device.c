// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device's registers: what it is, bringing it up, resetting it, its clock.
 */
#include <linux/delay.h>
#include <linux/iopoll.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include "anpu_device.h"
#include "anpu_drv.h"
#include "anpu_event.h"
#include "memory/anpu_hbm.h"
#include "reset/anpu_pm.h"
#include "reset/anpu_watchdog.h"
#include "stream/anpu_stream.h"

/* Helpers -------------------------------------------------------------------------------------- */

static int anpu_map_bars(struct anpu_device *adev)
{
	struct pci_dev *pdev = adev->pdev;
	unsigned long flags = adev->hbm_coherent ? MEMREMAP_WB : MEMREMAP_WC;
	void *cpu;

	adev->hbm_base = pci_resource_start(pdev, ANPU_BAR_HBM);
	cpu = devm_memremap(&pdev->dev, adev->hbm_base, adev->hbm_size, flags);
	if (IS_ERR(cpu)) {
		dev_err(&pdev->dev, "cannot map %llu MiB of HBM at %pa: error %ld\n",
			adev->hbm_size >> 20, &adev->hbm_base, PTR_ERR(cpu));
		return PTR_ERR(cpu);
	}
	adev->hbm_cpu = cpu;
	return 0;
}

static int anpu_check_counts(struct anpu_device *adev, u64 queues, u64 asids, u64 eqs)
{
	struct device *dev = &adev->pdev->dev;
	u64 bar0 = pci_resource_len(adev->pdev, ANPU_BAR_REGS);
	u64 bar2 = pci_resource_len(adev->pdev, ANPU_BAR_HBM);

	if (queues < 2 || queues > ANPU_MAX_QUEUES || asids < 2 || asids > ANPU_MAX_ASIDS ||
	    !eqs || eqs > ANPU_MAX_EVENT_QUEUES) {
		dev_err(dev, "the device reports %llu queues, %llu address spaces, %llu event queues: not within the architecture's limits\n",
			queues, asids, eqs);
		return -ENODEV;
	}
	if (bar0 < ANPU_BAR_REGS_SIZE(queues)) {
		dev_err(dev, "BAR0 has %llu bytes, too few for the doorbells of %llu queues\n",
			bar0, queues);
		return -ENODEV;
	}
	if (!adev->hbm_size || adev->hbm_size > bar2 || !IS_ALIGNED(adev->hbm_size, SZ_2M)) {
		dev_err(dev, "the device reports %llu bytes of HBM, but BAR2 has %llu\n",
			adev->hbm_size, bar2);
		return -ENODEV;
	}
	return 0;
}

static int anpu_identify(struct anpu_device *adev)
{
	struct device *dev = &adev->pdev->dev;
	u64 id = anpu_read(adev, ANPU_REG_ID);
	u64 queues, asids, eqs, cores;

	if (id != ANPU_ID_VALUE) {
		dev_err(dev, "register ID reads %#llx, not %#llx: this is no ANPU, or it is gone\n",
			id, ANPU_ID_VALUE);
		return -ENODEV;
	}
	adev->version = anpu_read(adev, ANPU_REG_VERSION);
	if (((adev->version >> 16) & 0xffff) != ANPU_VERSION_MAJOR) {
		dev_err(dev, "hardware version %llu.%llu is not supported, this driver knows %u.x\n",
			(adev->version >> 16) & 0xffff, adev->version & 0xffff,
			ANPU_VERSION_MAJOR);
		return -ENODEV;
	}

	queues = anpu_read(adev, ANPU_REG_QUEUES);
	asids = anpu_read(adev, ANPU_REG_ASIDS);
	eqs = anpu_read(adev, ANPU_REG_EVENT_QUEUES);
	cores = anpu_read(adev, ANPU_REG_CORES);
	adev->caps = anpu_read(adev, ANPU_REG_CAPS);
	adev->hbm_size = anpu_read(adev, ANPU_REG_HBM_SIZE);
	adev->hbm_coherent = adev->caps & ANPU_CAP_HBM_COHERENT;
	/* Processes order stores as in ordinary memory, and a doorbell page is one queue's. */
	adev->user_queues = adev->hbm_coherent && PAGE_SIZE == ANPU_DOORBELL_STRIDE &&
			    PAGE_ALIGNED(pci_resource_start(adev->pdev, ANPU_BAR_REGS));
	adev->n_queues = queues;
	adev->n_asids = asids;
	adev->n_eqs = eqs;
	adev->n_cores = cores & 0xffff;
	adev->n_vector = (cores >> 16) & 0xffff;
	return anpu_check_counts(adev, queues, asids, eqs);
}

/* The device ----------------------------------------------------------------------------------- */

/**
 * anpu_device_reset_hw() - reset by register, and wait until the device is back
 * @adev: device
 *
 * Return: 0 or -ETIMEDOUT.
 */
int anpu_device_reset_hw(struct anpu_device *adev)
{
	u64 timeout_us = READ_ONCE(anpu_reset_timeout_ms) * (u64)USEC_PER_MSEC, value;

	anpu_write(adev, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	if (readq_poll_timeout(adev->regs + ANPU_REG_CONTROL, value,
			       !(value & ANPU_CONTROL_RESET), 10, timeout_us))
		return -ETIMEDOUT;
	if (readq_poll_timeout(adev->regs + ANPU_REG_STATUS, value,
			       (value & (ANPU_STATUS_READY | ANPU_STATUS_FATAL)) ==
			       ANPU_STATUS_READY, 10, timeout_us))
		return -ETIMEDOUT;
	return 0;
}

/**
 * anpu_device_program() - give a device fresh from reset its tables and event queues
 * @adev: device
 *
 * Return: 0 or -EIO if the registers do not hold what was written.
 */
int anpu_device_program(struct anpu_device *adev)
{
	u64 shadow = adev->shadow_mem ? adev->shadow_mem->addr : 0;

	memset(adev->queue_mem->cpu, 0, adev->queue_mem->size);
	anpu_eqs_enable(adev);
	anpu_write(adev, ANPU_REG_ASID_TABLE, adev->asid_mem->addr);
	anpu_write(adev, ANPU_REG_QUEUE_TABLE, adev->queue_mem->addr);
	anpu_write(adev, ANPU_REG_TIMEOUT, adev->timeout_us);
	if (shadow) {
		memset(adev->shadow_mem->cpu, 0, adev->shadow_mem->size);
		anpu_write(adev, ANPU_REG_SHADOW_DOORBELLS, shadow);
	}
	anpu_write(adev, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE);

	if (anpu_read(adev, ANPU_REG_ASID_TABLE) != adev->asid_mem->addr ||
	    anpu_read(adev, ANPU_REG_QUEUE_TABLE) != adev->queue_mem->addr ||
	    (shadow && anpu_read(adev, ANPU_REG_SHADOW_DOORBELLS) != shadow) ||
	    anpu_read(adev, ANPU_REG_CONTROL) != ANPU_CONTROL_ENABLE) {
		dev_err(&adev->pdev->dev, "the device's registers do not hold what is written\n");
		return -EIO;
	}
	return 0;
}

/**
 * anpu_clock_read() - read the device's clock and CLOCK_MONOTONIC together
 * @adev: device
 * @clock: filled
 *
 * Of a few tries the one with the smallest uncertainty is taken.
 * Return: 0, -ENODEV or -EIO.
 */
int anpu_clock_read(struct anpu_device *adev, struct drm_anpu_clock_info *clock)
{
	int i;

	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;

	clock->error_ns = U64_MAX;
	for (i = 0; i < 5; i++) {
		unsigned long flags;
		u64 before, now, after;

		local_irq_save(flags);
		before = anpu_read(adev, ANPU_REG_CLOCK);
		now = ktime_get_ns();
		after = anpu_read(adev, ANPU_REG_CLOCK);
		local_irq_restore(flags);
		if (after < before || (after - before) / 2 >= clock->error_ns)
			continue;
		clock->device_ns = before + (after - before) / 2;
		clock->monotonic_ns = now;
		clock->error_ns = (after - before) / 2;
	}
	if (clock->error_ns == U64_MAX)
		return -EIO;
	/* A device that is gone reads as all ones. */
	return clock->device_ns == U64_MAX ? -ENODEV : 0;
}

/* DEV_QUERY ------------------------------------------------------------------------------------ */

static void anpu_query_info(struct anpu_device *adev, struct drm_anpu_info *info)
{
	struct pci_dev *pdev = adev->pdev;

	*info = (struct drm_anpu_info) {
		.device_id = pdev->device,
		.hw_version = adev->version & 0xffffffff,
		.isa_version = (adev->version >> 32) & 0xffff,
		.cores = adev->n_cores,
		.vector_cores = adev->n_cores * adev->n_vector,
		.max_streams = adev->n_queues - 1,
		.flags = DRM_ANPU_INFO_HBM_MMAP | DRM_ANPU_INFO_FENCES,
		.max_blocks = adev->caps & ANPU_CAP_BLOCKS ? ANPU_MAX_BLOCKS :
							     ANPU_MAX_RELATED_BLOCKS,
		.hbm_size = adev->hbm_size,
		.va_start = ANPU_VA_START,
		.va_end = ANPU_VA_END,
		.page_size = PAGE_SIZE,
		.huge_page_size = ANPU_PAGE_2M,
		.default_timeout_us = adev->timeout_us,
		.pci_address = (u64)pci_domain_nr(pdev->bus) << 32 | pdev->bus->number << 16 |
			PCI_SLOT(pdev->devfn) << 8 | PCI_FUNC(pdev->devfn),
	};
	if (adev->user_queues)
		info->flags |= DRM_ANPU_INFO_USER_QUEUES;
	if (adev->caps & ANPU_CAP_DETERMINISTIC)
		info->flags |= DRM_ANPU_INFO_DETERMINISTIC;
	if (adev->caps & ANPU_CAP_PRINT)
		info->flags |= DRM_ANPU_INFO_PRINT;
	if (adev->caps & ANPU_CAP_ABORT)
		info->flags |= DRM_ANPU_INFO_ABORT;
	if (adev->caps & ANPU_CAP_HALT)
		info->flags |= DRM_ANPU_INFO_GROUP;
	if (adev->caps & ANPU_CAP_JUMP)
		info->flags |= DRM_ANPU_INFO_JUMP;
	if (adev->caps & ANPU_CAP_REDUCE)
		info->flags |= DRM_ANPU_INFO_REDUCE;
	if (adev->caps & ANPU_CAP_MAX_CORES)
		info->flags |= DRM_ANPU_INFO_MAX_CORES;
	if (adev->caps & ANPU_CAP_RANDOM)
		info->flags |= DRM_ANPU_INFO_RANDOM;
	if (adev->caps & ANPU_CAP_END_TASK)
		info->flags |= DRM_ANPU_INFO_END_TASK;
	if (adev->caps & ANPU_CAP_BUSY)
		info->flags |= DRM_ANPU_INFO_BUSY;
	if (adev->caps & ANPU_CAP_PRIORITY)
		info->flags |= DRM_ANPU_INFO_PRIORITY;
	if (adev->caps & ANPU_CAP_OVERFLOW)
		info->flags |= DRM_ANPU_INFO_OVERFLOW;
	if (adev->caps & ANPU_CAP_LAUNCH)
		info->flags |= DRM_ANPU_INFO_LAUNCH;
	if (adev->caps & ANPU_CAP_TRACE)
		info->flags |= DRM_ANPU_INFO_TRACE;
	if (adev->caps & ANPU_CAP_CODE_LIST)
		info->flags |= DRM_ANPU_INFO_CODE_LIST;
}

static void anpu_query_memory(struct anpu_device *adev, struct anpu_file *file,
			      struct drm_anpu_memory_info *info)
{
	memset(info, 0, sizeof(*info));
	anpu_hbm_info(adev, info);
	info->own_hbm = atomic64_read(&file->own_hbm);
	info->own_system = atomic64_read(&file->own_system);
}

/**
 * anpu_query_busy() - how busy the AI cores have been
 * @adev: device
 * @info: is filled
 *
 * Return: 0, -EOPNOTSUPP if the device does not count, -ENODEV if it is gone.
 */
int anpu_query_busy(struct anpu_device *adev, struct drm_anpu_busy_info *info)
{
	if (!(adev->caps & ANPU_CAP_BUSY))
		return -EOPNOTSUPP;
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	guard(mutex)(&adev->busy_lock);
	/* Reading BUSY_AT makes the device take down the other two. */
	info->device_ns = anpu_read(adev, ANPU_REG_BUSY_AT);
	info->cube_ns = anpu_read(adev, ANPU_REG_BUSY_CUBE);
	info->vector_ns = anpu_read(adev, ANPU_REG_BUSY_VECTOR);
	/* A device that is gone reads as all ones. */
	return info->vector_ns == U64_MAX ? -ENODEV : 0;
}

static void anpu_read_name(struct anpu_device *adev, u32 reg, char name[DRM_ANPU_NAME_SIZE])
{
	u32 i;

	BUILD_BUG_ON(DRM_ANPU_NAME_SIZE != ANPU_NAME_SIZE);
	for (i = 0; i < DRM_ANPU_NAME_SIZE; i += 8)
		put_unaligned_le64(anpu_read(adev, reg + i), name + i);
	name[DRM_ANPU_NAME_SIZE - 1] = 0;
}

static int anpu_query_names(struct anpu_device *adev, struct drm_anpu_names *names)
{
	memset(names, 0, sizeof(*names));
	if (!(adev->caps & ANPU_CAP_NAMES))
		return 0;
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	anpu_read_name(adev, ANPU_REG_SOC(0), names->soc);
	anpu_read_name(adev, ANPU_REG_CANN(0), names->cann);
	/* A device that is gone reads as all ones. */
	return (u8)names->soc[0] == 0xff ? -ENODEV : 0;
}

union anpu_query {
	struct drm_anpu_names names;
	struct drm_anpu_info info;
	struct drm_anpu_memory_info memory;
	struct drm_anpu_clock_info clock;
	struct drm_anpu_busy_info busy;
};

/* Return: the size of the requested information, or an error. */
static int anpu_query(struct anpu_device *adev, struct anpu_file *file, u32 type,
		      union anpu_query *out)
{
	int ret;

	CLASS(anpu_presence, presence)(adev);
	if (anpu_cut_off(adev))
		return anpu_dead_error(adev);
	switch (type) {
	case DRM_ANPU_QUERY_INFO:
		anpu_query_info(adev, &out->info);
		return sizeof(out->info);
	case DRM_ANPU_QUERY_MEMORY:
		anpu_query_memory(adev, file, &out->memory);
		return sizeof(out->memory);
	case DRM_ANPU_QUERY_CLOCK:
		ret = anpu_clock_read(adev, &out->clock);
		return ret ?: sizeof(out->clock);
	case DRM_ANPU_QUERY_BUSY:
		ret = anpu_query_busy(adev, &out->busy);
		return ret ?: sizeof(out->busy);
	case DRM_ANPU_QUERY_NAMES:
		ret = anpu_query_names(adev, &out->names);
		return ret ?: sizeof(out->names);
	}
	drm_dbg_driver(&adev->drm, "DEV_QUERY: unknown type %u\n", type);
	return -EINVAL;
}

int anpu_dev_query_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_anpu_dev_query *args = data;
	union anpu_query out;
	int size;

	size = anpu_query(to_anpu_device(drm), to_anpu_file(drm_file), args->type, &out);
	if (size < 0)
		return size;
	if (args->pointer &&
	    copy_to_user(u64_to_user_ptr(args->pointer), &out, min_t(u32, size, args->size)))
		return -EFAULT;
	args->size = size;
	return 0;
}

/*
 * A device that an earlier driver gave up does not come out of a reset by register. The bus can
 * reset it, too, and no one uses it yet.
 */
static int anpu_device_reset_first(struct anpu_device *adev)
{
	struct pci_dev *pdev = adev->pdev;
	int ret = anpu_device_reset_hw(adev);

	if (!ret)
		return 0;
	dev_warn(&pdev->dev, "the device does not come out of reset: resetting it by the bus\n");
	pci_save_state(pdev);
	ret = __pci_reset_function_locked(pdev);
	pci_restore_state(pdev);
	return ret ?: anpu_device_reset_hw(adev);
}

/* Init and fini -------------------------------------------------------------------------------- */

static int anpu_tables_init(struct anpu_device *adev)
{
	struct anpu_region *mem;

	mem = anpu_region_create(adev, adev->n_asids * sizeof(u64), SZ_4K, NULL);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	adev->asid_mem = mem;
	mem = anpu_region_create(adev, adev->n_queues * sizeof(struct anpu_queue_context), SZ_4K,
				 NULL);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	adev->queue_mem = mem;
	if (!(adev->caps & ANPU_CAP_KICK))
		return 0;
	mem = anpu_region_create(adev, adev->n_queues * ANPU_CONTROL_SIZE, SZ_4K, NULL);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	adev->control_mem = mem;
	/*
	 * The device takes bytes of the shadow doorbells by atomic operations, and the CPU writes
	 * them, too.
	 */
	if (!(adev->caps & ANPU_CAP_SHADOW_DOORBELLS) || !adev->hbm_coherent)
		return 0;
	mem = anpu_region_create(adev, sizeof(struct anpu_shadow_doorbells), SZ_4K, NULL);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	adev->shadow_mem = mem;
	return 0;
}

static int anpu_driver_stream_init(struct anpu_device *adev)
{
	struct anpu_stream *stream = anpu_stream_create(adev, NULL, 6, 0, 0, 0, 0, 0);

	if (IS_ERR(stream))
		return PTR_ERR(stream);
	adev->driver_stream = stream;
	return 0;
}

static int anpu_bring_up(struct anpu_device *adev)
{
	int ret;

	ret = anpu_tables_init(adev);
	if (!ret)
		ret = anpu_eqs_init(adev);
	if (!ret)
		ret = anpu_device_program(adev);
	if (!ret)
		ret = anpu_irqs_init(adev);
	if (!ret)
		ret = anpu_driver_stream_init(adev);
	return ret;
}

/**
 * anpu_device_init() - bring the device up, up to interrupts and the driver's own queue
 * @adev: device with its registers mapped
 *
 * Return: 0 or an error; then the device is quiet, and anpu_release() frees the rest.
 */
int anpu_device_init(struct anpu_device *adev)
{
	bool pristine;
	int ret;

	ret = anpu_identify(adev);
	if (ret)
		return ret;
	ret = anpu_map_bars(adev);
	if (ret)
		return ret;

	pristine = anpu_hbm_pristine(adev);
	ret = anpu_device_reset_first(adev);
	if (ret) {
		dev_err(&adev->pdev->dev, "the device does not come out of reset\n");
		return ret;
	}
	adev->timeout_us = anpu_kernel_timeout_us ?: anpu_read(adev, ANPU_REG_TIMEOUT);
	ret = anpu_hbm_init(adev, pristine);
	if (ret)
		return ret;
	pci_set_master(adev->pdev);
	ret = anpu_bring_up(adev);
	if (ret)
		anpu_device_fini(adev);
	else
		anpu_watchdog_enable(adev);
	return ret;
}

/**
 * anpu_device_fini() - leave the device alone: no interrupts, no DMA
 * @adev: device, of which nobody is in a section of anpu_enter() any more
 *
 * Bookkeeping in memory stays until the last file is closed, see anpu_release().
 */
void anpu_device_fini(struct anpu_device *adev)
{
	anpu_watchdog_disable(adev);
	scoped_guard(mutex, &adev->import_lock) {
		if (pci_device_is_present(adev->pdev) && anpu_device_reset_hw(adev))
			dev_err(&adev->pdev->dev, "the device does not come out of reset\n");
		pci_clear_master(adev->pdev);
		anpu_irqs_fini(adev);
	}
	/* Work items that the last interrupts have queued. */
	cancel_delayed_work_sync(&adev->watchdog.work);
	cancel_work_sync(&adev->fault_work);
	flush_work(&adev->lost_work);
}
