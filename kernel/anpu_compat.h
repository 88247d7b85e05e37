/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Everything that differs between the kernels the driver builds for: 6.12 (Debian 12 and 13) up to
 * 7.2. Nothing else in the driver asks for a kernel version.
 */
#ifndef ANPU_COMPAT_H
#define ANPU_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "anpu needs Linux 6.12 or newer: older kernels lack parts of the accel subsystem it uses"
#endif

/* struct drm_driver.date went away in 6.14; before, DRM_IOCTL_VERSION copies it without a check. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define ANPU_DRIVER_DATE	.date = "20261121",
#else
#define ANPU_DRIVER_DATE
#endif

#endif /* ANPU_COMPAT_H */
