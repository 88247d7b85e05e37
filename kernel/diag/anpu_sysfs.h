/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_SYSFS_H
#define ANPU_SYSFS_H

struct attribute_group;

extern const struct attribute_group *anpu_sysfs_groups[];

#endif /* ANPU_SYSFS_H */
