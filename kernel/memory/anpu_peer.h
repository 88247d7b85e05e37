/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_PEER_H
#define ANPU_PEER_H

#include "anpu_bo.h"

struct sg_table;

struct dma_buf *anpu_peer_export(struct drm_gem_object *obj, int flags);
struct drm_gem_object *anpu_import(struct drm_device *drm, struct dma_buf *dma_buf);
struct drm_gem_object *anpu_import_sgt(struct drm_device *drm, struct dma_buf_attachment *attach,
				       struct sg_table *sgt);
struct anpu_bo *anpu_import_origin(struct anpu_bo *bo);
int anpu_import_validate(struct anpu_bo *bo);
void anpu_import_free(struct anpu_bo *bo);

void anpu_exports_revoke(struct anpu_device *adev);
void anpu_imports_wake(struct anpu_device *adev);
void anpu_imports_end(struct anpu_device *adev);

#endif /* ANPU_PEER_H */
