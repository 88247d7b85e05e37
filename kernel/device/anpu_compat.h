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
#define ANPU_DRIVER_DATE	.date = "20261122",
#else
#define ANPU_DRIVER_DATE
#endif

/* ANPU_HAVE_NS_STRING - names of symbol namespaces are strings (6.13) */
#ifdef ANPU_HAVE_NS_STRING
#define ANPU_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#else
#define ANPU_IMPORT_NS_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#endif

/* ANPU_HAVE_INVALIDATE_MAPPINGS - the new name of dma_buf_attach_ops.move_notify and its caller */
#ifdef ANPU_HAVE_INVALIDATE_MAPPINGS
#define ANPU_MOVE_NOTIFY	invalidate_mappings
#define anpu_dma_buf_revoke	dma_buf_invalidate_mappings
#else
#define ANPU_MOVE_NOTIFY	move_notify
#define anpu_dma_buf_revoke	dma_buf_move_notify
#endif

/* ANPU_HAVE_DMEM - the cgroup of device memory (6.14); before, nobody limits it */
#ifdef ANPU_HAVE_DMEM
#include <linux/cgroup_dmem.h>
#else
struct drm_device;
struct dmem_cgroup_pool_state;
struct dmem_cgroup_region;

static inline struct dmem_cgroup_region *
drmm_cgroup_register_region(struct drm_device *drm, const char *name, u64 size)
{
	return NULL;
}

static inline int dmem_cgroup_try_charge(struct dmem_cgroup_region *region, u64 size,
					 struct dmem_cgroup_pool_state **pool,
					 struct dmem_cgroup_pool_state **limit)
{
	return 0;
}

static inline void dmem_cgroup_uncharge(struct dmem_cgroup_pool_state *pool, u64 size)
{
}
#endif

#endif /* ANPU_COMPAT_H */
