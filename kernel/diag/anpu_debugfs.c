// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * debugfs: queues, address spaces, HBM, event queues, and two tools for benchmarks.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "anpu_debugfs.h"
#include "anpu_dump.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "device/anpu_event.h"
#include "memory/anpu_hbm.h"
#include "memory/anpu_vm.h"
#include "reset/anpu_pm.h"
#include "stream/anpu_stream.h"

#define ANPU_IRQ_TEST_TIMEOUT	HZ
#define ANPU_CALIBRATE_TIMEOUT	(10 * HZ)

/* What there is -------------------------------------------------------------------------------- */

static int queues_show(struct seq_file *m, void *unused)
{
	struct anpu_device *adev = m->private;

	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	seq_puts(m, "queue asid prio state submitted completed errors busy_ns program\n");
	for (u32 i = 0; i < adev->n_queues; i++) {
		struct anpu_stream *stream __free(anpu_stream) = anpu_stream_of_queue(adev, i);

		if (!stream)
			continue;
		seq_printf(m, "%5u %4u %4u %5u %9llu %9llu %6llu %llu %s[%d] stream %u%s%s\n",
			   i,
			   stream->asid, stream->priority, anpu_stream_state(stream),
			   anpu_stream_submitted(stream), anpu_stream_completed(stream),
			   READ_ONCE(stream->status->errors), READ_ONCE(stream->status->busy_ns),
			   stream->comm, stream->pid, stream->id,
			   stream->flags & DRM_ANPU_STREAM_USER_QUEUE ? " user" : "",
			   READ_ONCE(stream->dead) ? " dead" : "");
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(queues);

static int address_spaces_show(struct seq_file *m, void *unused)
{
	struct drm_printer p = drm_seq_file_printer(m);
	struct anpu_device *adev = m->private;
	struct anpu_file *file;

	guard(mutex)(&adev->files_lock);
	list_for_each_entry(file, &adev->files, link) {
		seq_printf(m, "%s[%d] ", file->comm, file->pid);
		anpu_vm_print(file->vm, &p, ULONG_MAX);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(address_spaces);

static int hbm_show(struct seq_file *m, void *unused)
{
	anpu_hbm_show(m->private, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hbm);

static int device_show(struct seq_file *m, void *unused)
{
	struct drm_printer p = drm_seq_file_printer(m);
	struct anpu_device *adev = m->private;

	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	anpu_registers_print(adev, &p);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(device);

/* Tools for benchmarks ------------------------------------------------------------------------- */

static ssize_t irq_test_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos)
{
	struct anpu_device *adev = filp->private_data;
	unsigned long timeout = ANPU_IRQ_TEST_TIMEOUT;
	struct anpu_eq *eq;
	u32 vector;
	int ret;

	ret = kstrtou32_from_user(buf, count, 0, &vector);
	if (ret)
		return ret;
	if (vector >= adev->n_eqs)
		return -EINVAL;
	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;

	eq = &adev->eqs[vector];
	get_task_struct(current);
	if (cmpxchg(&eq->test_task, NULL, current)) {
		put_task_struct(current);
		return -EBUSY;
	}
	set_current_state(TASK_UNINTERRUPTIBLE);
	anpu_write(adev, ANPU_REG_IRQ_TEST, vector);
	while (READ_ONCE(eq->test_task) == current && timeout) {
		timeout = schedule_timeout(timeout);
		set_current_state(TASK_UNINTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	if (cmpxchg(&eq->test_task, current, NULL) == current) {
		put_task_struct(current);
		return -ETIMEDOUT;
	}
	return count;
}

static const struct file_operations irq_test_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = irq_test_write,
};

static int calibrate_set(void *data, u64 bytes)
{
	struct anpu_device *adev = data;
	unsigned long end = jiffies + ANPU_CALIBRATE_TIMEOUT;

	if (!(adev->caps & ANPU_CAP_CALIBRATION))
		return -EOPNOTSUPP;
	if (!bytes || bytes > ANPU_CALIBRATE_MAX)
		return -EINVAL;
	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	anpu_write(adev, ANPU_REG_CALIBRATE, bytes);
	while (!anpu_read(adev, ANPU_REG_CALIBRATE)) {
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		usleep_range(100, 200);
	}
	return 0;
}

static int calibrate_get(void *data, u64 *ns)
{
	struct anpu_device *adev = data;

	if (!(adev->caps & ANPU_CAP_CALIBRATION))
		return -EOPNOTSUPP;
	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	*ns = anpu_read(adev, ANPU_REG_CALIBRATE);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(calibrate_fops, calibrate_get, calibrate_set, "%llu\n");

static int pm_test_set(void *data, u64 value)
{
	return anpu_pm_test(data);
}
DEFINE_DEBUGFS_ATTRIBUTE(pm_test_fops, NULL, pm_test_set, "%llu\n");

/* "fault value": enum anpu_inject and ANPU_INJECT(), for a device that was made for tests. */
static ssize_t inject_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos)
{
	struct anpu_device *adev = filp->private_data;
	char text[40] = "";
	unsigned int fault;
	u64 value;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	if (sscanf(text, "%u %lli", &fault, &value) != 2 || fault >= ANPU_INJECT_COUNT)
		return -EINVAL;
	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	anpu_write(adev, ANPU_REG_INJECT(fault), value);
	return count;
}

static const struct file_operations inject_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = inject_write,
};

/**
 * anpu_debugfs_init() - make the files in debugfs; DRM removes them
 * @adev: device
 */
void anpu_debugfs_init(struct anpu_device *adev)
{
	struct dentry *root = adev->drm.debugfs_root;

	debugfs_create_file("queues", 0400, root, adev, &queues_fops);
	debugfs_create_file("address_spaces", 0400, root, adev, &address_spaces_fops);
	debugfs_create_file("hbm", 0400, root, adev, &hbm_fops);
	debugfs_create_file("device", 0400, root, adev, &device_fops);
	debugfs_create_file("irq_test", 0200, root, adev, &irq_test_fops);
	if (adev->caps & ANPU_CAP_INJECT)
		debugfs_create_file("inject", 0200, root, adev, &inject_fops);
	debugfs_create_file_unsafe("pm_test", 0200, root, adev, &pm_test_fops);
	debugfs_create_file_unsafe("calibrate", 0600, root, adev, &calibrate_fops);
}
