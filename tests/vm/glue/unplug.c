// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device leaves while a vCPU has found its registers and waits for the BQL. anpu_exit() gives
 * the BQL away while the model ends, so the vCPU comes in then or later. It must not find the model.
 *
 * anpu_pci.c is compiled here as for QEMU, but of QEMU and the model there are the functions below
 * alone; the linker leaves out the others, which nothing calls.
 */
#include "../../../qemu-device/anpu_pci.c"

struct anpu_model {
    bool ended;
};

static struct anpu_model model;
static AnpuState device;
static unsigned calls, wrong, failed;

static void want(const char *what, bool fine)
{
    static unsigned n;

    printf("%s %u - %s\n", fine ? "ok" : "not ok", ++n, what);
    failed += !fine;
}

/* The model's own functions tell how often they are called, and whether after the end. */
static void called(struct anpu_model *m)
{
    calls++;
    wrong += m != &model || model.ended;
}

uint64_t anpu_model_read(struct anpu_model *m, uint64_t addr, unsigned size)
{
    called(m);
    return 42;
}

void anpu_model_write(struct anpu_model *m, uint64_t addr, uint64_t value,
                      unsigned size)
{
    called(m);
}

void anpu_model_reset(struct anpu_model *m)
{
    called(m);
}

bool anpu_model_gone(struct anpu_model *m)
{
    called(m);
    return false;
}

static void vcpu(void)
{
    wrong += anpu_regs_read(&device, 0, 8) != UINT64_MAX;
    anpu_regs_write(&device, 0, 1, 8);
    anpu_config_read(&device.parent_obj, PCI_COMMAND, 2);
    anpu_config_write(&device.parent_obj, PCI_COMMAND, 0, 2);
    anpu_reset(DEVICE(&device));
}

void anpu_model_destroy(struct anpu_model *m)
{
    called(m);
    model.ended = true;
    vcpu();
}

/* Of QEMU */

Object *object_dynamic_cast_assert(Object *obj, const char *type,
                                   const char *file, int line, const char *fn)
{
    return obj;
}

uint32_t pci_default_read_config(PCIDevice *d, uint32_t addr, int len)
{
    return 0;
}

#define NOTHING(call) void call { }
#if ANPU_QEMU(9, 0)
NOTHING(bql_lock_impl(const char *file, int line))
NOTHING(bql_unlock(void))
#else
NOTHING(qemu_mutex_lock_iothread_impl(const char *file, int line))
NOTHING(qemu_mutex_unlock_iothread(void))
#endif
NOTHING(anpu_dma_close(AnpuDma *dma))
NOTHING(anpu_dma_exit(AnpuDma *dma))
NOTHING(msix_unuse_all_vectors(PCIDevice *dev))
NOTHING(msix_uninit_exclusive_bar(PCIDevice *dev))
NOTHING(msix_reset(PCIDevice *dev))
NOTHING(pcie_cap_exit(PCIDevice *dev))
NOTHING(pcie_cap_flr_write_config(PCIDevice *dev, uint32_t addr, uint32_t val,
                                  int len))
NOTHING(pci_default_write_config(PCIDevice *d, uint32_t addr, uint32_t val,
                                 int len))

int main(void)
{
    static uint8_t config[PCIE_CONFIG_SPACE_SIZE];

    device.parent_obj.config = config;
    device.model = &model;
    want("a register is the model's",
         anpu_regs_read(&device, 0, 8) == 42 && calls == 1);
    anpu_exit(&device.parent_obj);
    want("the model was reset and destroyed, and nothing reached it meanwhile",
         model.ended && calls == 3 && !wrong);
    vcpu();
    want("nor does anything afterwards", calls == 3 && !wrong);
    return failed != 0;
}
