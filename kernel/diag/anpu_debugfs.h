/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_DEBUGFS_H
#define ANPU_DEBUGFS_H

struct anpu_device;

void anpu_debugfs_init(struct anpu_device *adev);

#endif /* ANPU_DEBUGFS_H */
