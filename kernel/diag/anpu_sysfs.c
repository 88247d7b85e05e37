// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* sysfs: what the device has, how much of its HBM is in use, and how busy it has been. */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "anpu_sysfs.h"
#include "device/anpu_device.h"
#include "memory/anpu_hbm.h"
#include "reset/anpu_pm.h"

static struct anpu_device *anpu_of_device(struct device *dev)
{
	return to_anpu_device(dev_get_drvdata(dev));
}

static ssize_t hw_version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u64 version = anpu_of_device(dev)->version;

	return sysfs_emit(buf, "%llu.%llu\n", (version >> 16) & 0xffff, version & 0xffff);
}
static DEVICE_ATTR_RO(hw_version);

static ssize_t isa_version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u64 version = anpu_of_device(dev)->version >> 32;

	return sysfs_emit(buf, "%llu.%llu\n", (version >> 8) & 0xff, version & 0xff);
}
static DEVICE_ATTR_RO(isa_version);

static ssize_t cores_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", anpu_of_device(dev)->n_cores);
}
static DEVICE_ATTR_RO(cores);

static ssize_t vector_cores_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct anpu_device *adev = anpu_of_device(dev);

	return sysfs_emit(buf, "%u\n", adev->n_cores * adev->n_vector);
}
static DEVICE_ATTR_RO(vector_cores);

static ssize_t queues_total_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", anpu_of_device(dev)->n_queues);
}
static DEVICE_ATTR_RO(queues_total);

static ssize_t hbm_total_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", anpu_of_device(dev)->hbm_size);
}
static DEVICE_ATTR_RO(hbm_total);

static ssize_t hbm_free_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct drm_anpu_memory_info info = {};

	anpu_hbm_info(anpu_of_device(dev), &info);
	return sysfs_emit(buf, "%llu\n", info.hbm_free);
}
static DEVICE_ATTR_RO(hbm_free);

static ssize_t resets_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(anpu_of_device(dev)->reset_gen));
}
static DEVICE_ATTR_RO(resets);

/* Microseconds of @ns, which is that of one of the AI cores' units, summed over @cores. */
static ssize_t anpu_show_busy(struct device *dev, char *buf, u32 cores,
			      u64 (*of)(const struct drm_anpu_busy_info *info))
{
	struct anpu_device *adev = anpu_of_device(dev);
	struct drm_anpu_busy_info info;
	int ret;

	CLASS(anpu_presence, presence)(adev);
	if (anpu_cut_off(adev))
		return anpu_dead_error(adev);
	ret = anpu_query_busy(adev, &info);
	return ret ?: sysfs_emit(buf, "%llu\n", div_u64(of(&info), NSEC_PER_USEC * cores));
}

static u64 anpu_cube_time(const struct drm_anpu_busy_info *info)
{
	return info->cube_ns;
}

static u64 anpu_vector_time(const struct drm_anpu_busy_info *info)
{
	return info->vector_ns;
}

static u64 anpu_longer_time(const struct drm_anpu_busy_info *info)
{
	return max(info->cube_ns, info->vector_ns);
}

static ssize_t cube_busy_time_us_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return anpu_show_busy(dev, buf, 1, anpu_cube_time);
}
static DEVICE_ATTR_RO(cube_busy_time_us);

static ssize_t vector_busy_time_us_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	return anpu_show_busy(dev, buf, 1, anpu_vector_time);
}
static DEVICE_ATTR_RO(vector_busy_time_us);

/* The next two have the names and units that other NPU drivers gave them, and tools look for. */
static ssize_t npu_busy_time_us_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return anpu_show_busy(dev, buf, anpu_of_device(dev)->n_cores, anpu_longer_time);
}
static DEVICE_ATTR_RO(npu_busy_time_us);

static ssize_t npu_memory_utilization_show(struct device *dev, struct device_attribute *attr,
					   char *buf)
{
	struct anpu_device *adev = anpu_of_device(dev);
	struct drm_anpu_memory_info info = {};

	anpu_hbm_info(adev, &info);
	return sysfs_emit(buf, "%llu\n", info.hbm_total - info.hbm_free);
}
static DEVICE_ATTR_RO(npu_memory_utilization);

static struct attribute *anpu_npu_attrs[] = {
	&dev_attr_npu_busy_time_us.attr,
	&dev_attr_npu_memory_utilization.attr,
	NULL
};

static const struct attribute_group anpu_npu_group = {
	.attrs = anpu_npu_attrs,
};

static struct attribute *anpu_sysfs_attrs[] = {
	&dev_attr_hw_version.attr,
	&dev_attr_isa_version.attr,
	&dev_attr_cores.attr,
	&dev_attr_vector_cores.attr,
	&dev_attr_queues_total.attr,
	&dev_attr_hbm_total.attr,
	&dev_attr_hbm_free.attr,
	&dev_attr_resets.attr,
	&dev_attr_cube_busy_time_us.attr,
	&dev_attr_vector_busy_time_us.attr,
	NULL
};

static const struct attribute_group anpu_sysfs_group = {
	.name = "anpu",
	.attrs = anpu_sysfs_attrs,
};

const struct attribute_group *anpu_sysfs_groups[] = {
	&anpu_sysfs_group,
	&anpu_npu_group,
	NULL
};
