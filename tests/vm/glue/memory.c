// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device takes RAM for memory that it may read and write at any time, also behind an
 * IOMMU, but not a ROM that takes commands, and not the memory of a device that is passed through.
 *
 * anpu_dma.c is compiled here as for QEMU, but of QEMU there are the functions below alone; the
 * linker leaves out the others, which nothing calls.
 */
#include "../../../qemu-device/anpu_dma.c"

static uint8_t memory[4096];
static MemoryRegion *behind_iommu;

/* Of QEMU */

void *memory_region_get_ram_ptr(MemoryRegion *mr)
{
    return memory;
}

bool memory_region_is_ram_device(MemoryRegion *mr)
{
    return mr->ram_device;
}

void memory_region_ref(MemoryRegion *mr)
{
}

MemoryRegion *flatview_translate(FlatView *fv, hwaddr addr, hwaddr *xlat,
                                 hwaddr *len, bool is_write, MemTxAttrs attrs)
{
    *xlat = addr;
    return behind_iommu;
}

struct rcu_reader_data *get_ptr_rcu_reader(void)
{
    static struct rcu_reader_data reader = { .depth = 1 };

    return &reader;
}

/* in how many of two ways a region is taken: on the bus itself, and behind an IOMMU */
static unsigned taken(MemoryRegion *mr)
{
    AnpuDma dma = {
        .sections = g_array_new(FALSE, FALSE, sizeof(AnpuDmaSection)),
    };
    MemoryRegionSection section = { .mr = mr, .size = int128_make64(4096) };
    AddressSpace as = { .name = NULL };
    struct anpu_mapping map;
    bool direct, translated;

    dma.as = &as;
    behind_iommu = mr;
    dma_region_add(&dma.listener, &section);
    direct = dma.sections->len == 1;
    translated = translate(&dma, 16, 8, true, &map) && map.ptr == memory + 16;
    g_array_free(dma.sections, TRUE);
    return direct + translated;
}

int main(void)
{
    MemoryRegion ram = { .ram = true };
    MemoryRegion rom = { .ram = true, .rom_device = true, .romd_mode = true };
    MemoryRegion passed = { .ram = true, .ram_device = true };
    const bool fine[] = { taken(&ram) == 2, !taken(&rom), !taken(&passed) };
    static const char *const what[] = {
        "RAM is taken", "a ROM that takes commands is not",
        "nor is the memory of a device that is passed through",
    };

    for (unsigned i = 0; i < ARRAY_SIZE(fine); i++) {
        printf("%s %u - %s\n", fine[i] ? "ok" : "not ok", i + 1, what[i]);
    }
    return !(fine[0] && fine[1] && fine[2]);
}
