/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ANPU: how the model reaches guest memory
 */
#ifndef HW_MISC_ANPU_DMA_H
#define HW_MISC_ANPU_DMA_H

#include "model/anpu_model.h"

typedef struct AnpuDmaTable AnpuDmaTable;

/*
 * A view of the device's address space, kept up to date by a listener. The
 * model's threads look into @table without a lock: they do so only inside an
 * access that anpu_model_invalidate() waits for, so a table is freed when the
 * invalidation that followed its replacement is done.
 */
typedef struct AnpuDma {
    AddressSpace *as;
    struct anpu_model *model;
    MemoryListener listener;
    AnpuDmaTable *table;
    GArray *sections;           /* under the BQL */
    GQueue retired;             /* under the BQL */
    QEMUTimer *reap_timer;
    unsigned iommus;
    bool changed;
    bool closing;               /* the model ends and must not be called */
} AnpuDma;

void anpu_dma_init(AnpuDma *dma, AddressSpace *as);
/* From now on changes of the address space invalidate the model's mappings. */
void anpu_dma_set_model(AnpuDma *dma, struct anpu_model *model);
/* The model is about to be destroyed: keep all tables until anpu_dma_exit(). */
void anpu_dma_close(AnpuDma *dma);
void anpu_dma_exit(AnpuDma *dma);

bool anpu_dma_map(AnpuDma *dma, uint64_t addr, uint64_t len, bool write,
                  struct anpu_mapping *map);
void anpu_dma_unmap(const struct anpu_mapping *map, bool write, uint64_t len);

/*
 * A thread of the model is about to call into QEMU, which must be locked:
 * returns true if this call has locked it, because the thread is not inside a
 * register access. anpu_unlock() gets what anpu_lock() has returned.
 */
bool anpu_lock(void);
void anpu_unlock(bool locked);

#endif
