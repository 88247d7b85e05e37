/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Everything that differs between the kernels the driver builds for: 6.12 (Debian 12 and 13) up to
 * 7.2. Nothing else in the driver asks for what kernel it is.
 */
#ifndef ANPU_COMPAT_H
#define ANPU_COMPAT_H

/*
 * kernel/Makefile looks into the kernel's headers for what it has, because Debian's point releases
 * take changes from newer kernels, so that version numbers do not tell:
 *
 * ANPU_HAVE_DRIVER_DATE - struct drm_driver.date, gone in 6.14; before, DRM_IOCTL_VERSION needs it
 */
#ifdef ANPU_HAVE_DRIVER_DATE
#define ANPU_DRIVER_DATE	.date = "20261121",
#else
#define ANPU_DRIVER_DATE
#endif

#endif /* ANPU_COMPAT_H */
