/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_DEBUGFS_H
#define ANPU_DEBUGFS_H

struct anpu_device;
struct attribute_group;

void anpu_debugfs_init(struct anpu_device *adev);
extern const struct attribute_group *anpu_sysfs_groups[];

#endif /* ANPU_DEBUGFS_H */
