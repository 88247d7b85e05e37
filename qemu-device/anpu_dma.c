/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ANPU: how the model reaches guest memory
 *
 * Without an IOMMU the device's address space is mostly RAM, which a listener
 * turns into a sorted table of host addresses: a mapping is a look-up and lasts
 * until the topology changes. Whatever is not in the table but belongs to an
 * IOMMU is translated for each packet anew.
 */
#include "anpu_compat.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "anpu_dma.h"

#define REAP_MS 10

typedef struct AnpuDmaSection {
    uint64_t base;
    uint64_t size;
    uint8_t *host;
    MemoryRegion *mr;
    bool readonly;
} AnpuDmaSection;

struct AnpuDmaTable {
    uint64_t retired_by;        /* invalidation after which no thread uses it */
    bool iommu;
    unsigned n;
    AnpuDmaSection section[];
};

static void table_free(AnpuDmaTable *t)
{
    unsigned i;

    for (i = 0; i < t->n; i++) {
        memory_region_unref(t->section[i].mr);
    }
    g_free(t);
}

static gint compare_sections(gconstpointer a, gconstpointer b)
{
    const AnpuDmaSection *x = a, *y = b;

    return x->base < y->base ? -1 : x->base > y->base;
}

static AnpuDmaTable *table_new(AnpuDma *dma)
{
    AnpuDmaTable *t;
    unsigned i;

    g_array_sort(dma->sections, compare_sections);
    t = g_malloc0(sizeof(*t) + dma->sections->len * sizeof(t->section[0]));
    t->n = dma->sections->len;
    t->iommu = dma->iommus != 0;
    for (i = 0; i < t->n; i++) {
        t->section[i] = g_array_index(dma->sections, AnpuDmaSection, i);
        memory_region_ref(t->section[i].mr);
    }
    return t;
}

static void reap(void *opaque)
{
    AnpuDma *dma = opaque;
    AnpuDmaTable *t;

    if (dma->closing) {
        return;
    }
    while ((t = g_queue_peek_head(&dma->retired))) {
        if (dma->model &&
            !anpu_model_invalidated(dma->model, t->retired_by)) {
            timer_mod(dma->reap_timer,
                      qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + REAP_MS);
            return;
        }
        g_queue_pop_head(&dma->retired);
        table_free(t);
    }
}

/*
 * Memory that may be read and written at any time. That of a device which is
 * passed through to the guest is not: its pages go, and SIGBUS comes, when the
 * guest turns that device's memory off. QEMU's own DMA keeps away from it, too.
 */
static bool is_ram(MemoryRegion *mr)
{
    return memory_region_is_ram(mr) && !memory_region_is_romd(mr) &&
           !memory_region_is_ram_device(mr);
}

/* Listener: called under the BQL, for changes of our address space only. */

static void dma_region_add(MemoryListener *listener,
                           MemoryRegionSection *section)
{
    AnpuDma *dma = container_of(listener, AnpuDma, listener);
    AnpuDmaSection s;

    if (memory_region_is_iommu(section->mr)) {
        dma->iommus++;
        dma->changed = true;
        return;
    }
    if (!is_ram(section->mr)) {
        return;
    }
    s = (AnpuDmaSection) {
        .base = section->offset_within_address_space,
        .size = int128_get64(section->size),
        .host = (uint8_t *)memory_region_get_ram_ptr(section->mr) +
                section->offset_within_region,
        .mr = section->mr,
        .readonly = section->readonly,
    };
    g_array_append_val(dma->sections, s);
    dma->changed = true;
}

static void dma_region_del(MemoryListener *listener,
                           MemoryRegionSection *section)
{
    AnpuDma *dma = container_of(listener, AnpuDma, listener);
    unsigned i;

    if (memory_region_is_iommu(section->mr)) {
        dma->iommus--;
        dma->changed = true;
        return;
    }
    for (i = 0; i < dma->sections->len; i++) {
        if (g_array_index(dma->sections, AnpuDmaSection, i).base ==
            section->offset_within_address_space) {
            g_array_remove_index_fast(dma->sections, i);
            dma->changed = true;
            return;
        }
    }
}

static void dma_commit(MemoryListener *listener)
{
    AnpuDma *dma = container_of(listener, AnpuDma, listener);
    AnpuDmaTable *old = dma->table;

    if (!dma->changed) {
        return;
    }
    dma->changed = false;
    qatomic_store_release(&dma->table, table_new(dma));
    if (old) {
        old->retired_by = dma->model && !dma->closing ?
                          anpu_model_invalidate(dma->model) : 0;
        g_queue_push_tail(&dma->retired, old);
        reap(dma);
    }
}

void anpu_dma_init(AnpuDma *dma, AddressSpace *as)
{
    dma->as = as;
    dma->model = NULL;
    dma->closing = false;
    dma->sections = g_array_new(FALSE, FALSE, sizeof(AnpuDmaSection));
    dma->iommus = 0;
    dma->changed = true;
    g_queue_init(&dma->retired);
    dma->reap_timer = timer_new_ms(QEMU_CLOCK_REALTIME, reap, dma);
    dma->listener = (MemoryListener) {
        .name = "anpu-dma",
        .region_add = dma_region_add,
        .region_del = dma_region_del,
        .commit = dma_commit,
    };
    memory_listener_register(&dma->listener, as);
}

void anpu_dma_set_model(AnpuDma *dma, struct anpu_model *model)
{
    dma->model = model;
}

void anpu_dma_close(AnpuDma *dma)
{
    dma->closing = true;
}

void anpu_dma_exit(AnpuDma *dma)
{
    dma->model = NULL;
    memory_listener_unregister(&dma->listener);
    dma->closing = false;
    reap(dma);
    timer_free(dma->reap_timer);
    if (dma->table) {
        table_free(dma->table);
        dma->table = NULL;
    }
    g_array_free(dma->sections, TRUE);
}

/* The model's threads: no BQL from here on, but what anpu_lock() takes. */

static void thread_leave(gpointer registered)
{
    rcu_unregister_thread();
}

static void thread_enter(void)
{
    static GPrivate registered = G_PRIVATE_INIT(thread_leave);

    if (!g_private_get(&registered)) {
        rcu_register_thread();
        g_private_set(&registered, GINT_TO_POINTER(1));
    }
}

bool anpu_lock(void)
{
    if (bql_locked()) {
        return false;
    }
    thread_enter();
    bql_lock();
    return true;
}

void anpu_unlock(bool locked)
{
    if (locked) {
        bql_unlock();
    }
}

static const AnpuDmaSection *table_find(const AnpuDmaTable *t, uint64_t addr)
{
    unsigned low = 0, high = t->n;

    while (low < high) {
        unsigned mid = low + (high - low) / 2;

        if (addr - t->section[mid].base < t->section[mid].size) {
            return &t->section[mid];
        }
        if (addr < t->section[mid].base) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return NULL;
}

/* Behind an IOMMU the translation may change at any time: it is not kept. */
static bool translate(AnpuDma *dma, uint64_t addr, uint64_t len, bool write,
                      struct anpu_mapping *map)
{
    hwaddr xlat, plen = len;
    MemoryRegion *mr;

    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(dma->as, addr, &xlat, &plen, write,
                                 MEMTXATTRS_UNSPECIFIED);
    if (!plen || !is_ram(mr) || (write && mr->readonly)) {
        return false;
    }
    memory_region_ref(mr);
    map->ptr = (uint8_t *)memory_region_get_ram_ptr(mr) + xlat;
    map->len = plen;
    map->handle = mr;
    map->transient = true;
    return true;
}

/*
 * An IOMMU tells the guest of an address that it does not translate, by an
 * interrupt, for which QEMU must be locked.
 */
static bool map_translated(AnpuDma *dma, uint64_t addr, uint64_t len,
                           bool write, struct anpu_mapping *map)
{
    bool locked = anpu_lock();
    bool mapped = translate(dma, addr, len, write, map);

    anpu_unlock(locked);
    return mapped;
}

bool anpu_dma_map(AnpuDma *dma, uint64_t addr, uint64_t len, bool write,
                  struct anpu_mapping *map)
{
    const AnpuDmaTable *t = qatomic_load_acquire(&dma->table);
    const AnpuDmaSection *s = table_find(t, addr);
    uint64_t offset;

    if (!s) {
        return t->iommu && map_translated(dma, addr, len, write, map);
    }
    if (write && s->readonly) {
        return false;
    }
    offset = addr - s->base;
    map->ptr = s->host + offset;
    map->len = MIN(len, s->size - offset);
    map->handle = NULL;
    map->transient = false;
    return true;
}

void anpu_dma_unmap(const struct anpu_mapping *map, bool write, uint64_t len)
{
    memory_region_unref(map->handle);
}
