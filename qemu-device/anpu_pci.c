/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ANPU: a neural processing unit on PCI Express
 *
 * This is glue: identity, BARs, interrupts, properties. What the device does is
 * in model/, which knows nothing of QEMU; the datasheet is anpu/anpu_hw.h.
 *
 * The model's threads call anpu_raise() and anpu_map(). anpu_raise() takes the
 * BQL, so the BQL is dropped while the model is destroyed; a reset only waits
 * for accesses to guest memory, which never hold anything up.
 */
#include "anpu_compat.h"
#include "qemu/error-report.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "hw/pci/pcie_aer.h"
#include "migration/vmstate.h"
#include "anpu_pci.h"
#include "anpu_dma.h"
#include "anpu/anpu_hw.h"

OBJECT_DECLARE_SIMPLE_TYPE(AnpuState, ANPU)

struct AnpuState {
    PCIDevice parent_obj;

    MemoryRegion regs;
    MemoryRegion hbm;
    AnpuDma dma;
    struct anpu_model *model;   /* under the BQL; NULL: the device leaves */
    FILE *log;
    bool used;  /* has state that a saved machine would lack */

    /* properties */
    uint64_t hbm_size;
    uint32_t cores;
    uint32_t queues;
    uint32_t threads;
    uint32_t spin_us;
    bool deterministic;
    bool check;
    char *inject;
    char *record;
    char *core;
    char *gdb;
    char *soc;
    char *cann;
    bool jit;
    uint64_t hide_caps;
    char *log_name;
};

/*
 * Registers. A vCPU that has found them before they were taken from the bus
 * comes here after that, while it waits for the BQL: without a model they read
 * as what no device answers.
 */

static uint64_t anpu_regs_read(void *opaque, hwaddr addr, unsigned size)
{
    AnpuState *s = opaque;

    return s->model ? anpu_model_read(s->model, addr, size) : UINT64_MAX;
}

static void anpu_regs_write(void *opaque, hwaddr addr, uint64_t value,
                            unsigned size)
{
    AnpuState *s = opaque;

    if (!s->model) {
        return;
    }
    s->used = true;
    anpu_model_write(s->model, addr, value, size);
}

/* The model counts and refuses all accesses but aligned ones of 8 bytes. */
static const MemoryRegionOps anpu_regs_ops = {
    .read = anpu_regs_read,
    .write = anpu_regs_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {
        .min_access_size = 1,
        .max_access_size = 8,
        .unaligned = true,
    },
    .impl = {
        .min_access_size = 1,
        .max_access_size = 8,
        .unaligned = true,
    },
};

/* The functions that the model calls in its host */

static void anpu_raise(void *ctx, unsigned vector)
{
    AnpuState *s = ctx;
    bool locked = anpu_lock();

    msix_notify(PCI_DEVICE(s), vector);
    anpu_unlock(locked);
}

static bool anpu_map(void *ctx, uint64_t addr, uint64_t len, bool write,
                     struct anpu_mapping *map)
{
    AnpuState *s = ctx;

    return anpu_dma_map(&s->dma, addr, len, write, map);
}

static void anpu_unmap(void *ctx, const struct anpu_mapping *map, bool write,
                       uint64_t len)
{
    anpu_dma_unmap(map, write, len);
}

static uint64_t anpu_clock(void *ctx)
{
    return get_clock();
}

static void anpu_print(void *ctx, unsigned queue, uint32_t task,
                       uint32_t block, const char *text, size_t len)
{
    AnpuState *s = ctx;

    fprintf(s->log, "%.6f queue %u task %u block %u: %.*s\n",
            get_clock() / 1e9, queue, task, block, (int)len, text);
    fflush(s->log);
}

static void anpu_note(void *ctx, const char *text)
{
    info_report("anpu: %s", text);
}

/* Life */

static bool anpu_open_log(AnpuState *s, Error **errp)
{
    if (!s->log_name) {
        return true;
    }
    s->log = fopen(s->log_name, "a");
    if (!s->log) {
        error_setg_errno(errp, errno, "log=%s cannot be opened", s->log_name);
        return false;
    }
    return true;
}

static bool anpu_create_model(AnpuState *s, struct anpu_config *config,
                              Error **errp)
{
    struct anpu_host_ops ops = {
        .map = anpu_map,
        .unmap = anpu_unmap,
        .raise = anpu_raise,
        .clock = anpu_clock,
        .print = s->log ? anpu_print : NULL,
        .note = anpu_note,
    };
    char message[160];

    config->hbm = memory_region_get_ram_ptr(&s->hbm);
    s->model = anpu_model_create(config, &ops, s, message, sizeof(message));
    if (!s->model) {
        error_setg(errp, "%s", message);
        return false;
    }
    anpu_dma_set_model(&s->dma, s->model);
    return true;
}

static bool anpu_init_memory(AnpuState *s, Error **errp)
{
    Error *err = NULL;

    memory_region_init_io(&s->regs, OBJECT(s), &anpu_regs_ops, s, "anpu-regs",
                          anpu_model_regs_size(s->queues));
    memory_region_init_ram(&s->hbm, OBJECT(s), "anpu-hbm", s->hbm_size, &err);
    if (err) {
        error_propagate_prepend(errp, err, "the host has no memory for "
                                "hbm=%" PRIu64 "M: ", s->hbm_size / MiB);
        return false;
    }
    return true;
}

/*
 * Errors are signalled to a root port, so only a device behind one has the
 * means: on the root bus itself it is an integrated endpoint, whose errors are
 * an event collector's, which QEMU does not have.
 */
static bool anpu_init_express(PCIDevice *pdev, Error **errp)
{
    PCIBus *bus = pci_get_bus(pdev);

    if (pcie_endpoint_cap_init(pdev, 0) < 0) {
        error_setg(errp, "the PCI Express capability does not fit");
        return false;
    }
    pcie_cap_flr_init(pdev);
    if (!pci_bus_is_express(bus) || pci_bus_is_root(bus)) {
        return true;
    }
    pcie_cap_deverr_init(pdev);
    if (pcie_aer_init(pdev, PCI_ERR_VER, PCI_CONFIG_SPACE_SIZE, PCI_ERR_SIZEOF,
                      errp) < 0) {
        pcie_cap_exit(pdev);
        return false;
    }
    return true;
}

static void anpu_exit_express(PCIDevice *pdev)
{
    if (pdev->exp.aer_cap) {
        pcie_aer_exit(pdev);
    }
    pcie_cap_exit(pdev);
}

static bool anpu_init_interrupts(AnpuState *s, unsigned vectors, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    unsigned i;

    if (msix_init_exclusive_bar(pdev, vectors, ANPU_BAR_MSIX, errp)) {
        return false;
    }
    for (i = 0; i < vectors; i++) {
        msix_vector_use(pdev, i);
    }
    return true;
}

static void anpu_realize(PCIDevice *pdev, Error **errp)
{
    AnpuState *s = ANPU(pdev);
    struct anpu_config config;
    char message[160];

    anpu_config_default(&config);
    config.hbm_size = s->hbm_size;
    config.cores = s->cores;
    config.queues = s->queues;
    config.threads = s->threads;
    config.spin_us = s->spin_us;
    config.deterministic = s->deterministic;
    config.peers = true;
    config.check = s->check;
    anpu_config_inject(&config, s->inject ? s->inject : "off");
    anpu_config_name(config.soc, s->soc ? s->soc : "");
    anpu_config_name(config.cann, s->cann ? s->cann : "");
    config.jit = s->jit;
    config.record = s->record;
    config.core = s->core;
    config.gdb = s->gdb;
    config.several = true;
    config.hide_caps = s->hide_caps;
    if (!anpu_config_check(&config, message, sizeof(message))) {
        error_setg(errp, "%s", message);
        return;
    }
    if (!anpu_open_log(s, errp) || !anpu_init_memory(s, errp)) {
        goto fail_log;
    }
    if (!anpu_init_express(pdev, errp)) {
        goto fail_log;
    }
    if (!anpu_init_interrupts(s, config.event_queues, errp)) {
        goto fail_cap;
    }
    anpu_dma_init(&s->dma, pci_get_address_space(pdev));
    if (!anpu_create_model(s, &config, errp)) {
        goto fail_dma;
    }
    pci_register_bar(pdev, ANPU_BAR_REGS, PCI_BASE_ADDRESS_SPACE_MEMORY |
                     PCI_BASE_ADDRESS_MEM_TYPE_64, &s->regs);
    pci_register_bar(pdev, ANPU_BAR_HBM, PCI_BASE_ADDRESS_SPACE_MEMORY |
                     PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, &s->hbm);
    return;

fail_dma:
    anpu_dma_exit(&s->dma);
    msix_unuse_all_vectors(pdev);
    msix_uninit_exclusive_bar(pdev);
fail_cap:
    anpu_exit_express(pdev);
fail_log:
    if (s->log) {
        fclose(s->log);
        s->log = NULL;
    }
}

static void anpu_exit(PCIDevice *pdev)
{
    AnpuState *s = ANPU(pdev);
    struct anpu_model *model = s->model;

    /*
     * The model's threads may be waiting for the BQL in anpu_lock(). So may a
     * vCPU that reads a register, writes to the configuration space or resets
     * the bus: it must not find the model that is being destroyed.
     */
    anpu_model_reset(model);
    anpu_dma_close(&s->dma);
    s->model = NULL;
    bql_unlock();
    anpu_model_destroy(model);
    bql_lock();
    anpu_dma_exit(&s->dma);
    msix_unuse_all_vectors(pdev);
    msix_uninit_exclusive_bar(pdev);
    anpu_exit_express(pdev);
    if (s->log) {
        fclose(s->log);
        s->log = NULL;
    }
}

/* Machine reset, bus reset and FLR; the contents of the HBM stay. */
static void anpu_reset(DeviceState *dev)
{
    AnpuState *s = ANPU(dev);

    if (!s->model) {
        return;
    }
    anpu_model_reset(s->model);
    msix_reset(PCI_DEVICE(s));
    if (PCI_DEVICE(s)->exp.aer_cap) {
        pcie_cap_deverr_reset(PCI_DEVICE(s));
    }
}

static uint32_t anpu_config_read(PCIDevice *pdev, uint32_t addr, int len)
{
    AnpuState *s = ANPU(pdev);

    if (s->model && anpu_model_gone(s->model)) {
        return UINT32_MAX >> (32 - 8 * len);
    }
    return pci_default_read_config(pdev, addr, len);
}

static void anpu_config_write(PCIDevice *pdev, uint32_t addr, uint32_t value,
                              int len)
{
    AnpuState *s = ANPU(pdev);

    if (!s->model || anpu_model_gone(s->model)) {
        return;
    }
    pci_default_write_config(pdev, addr, value, len);
    s->used |= pci_get_word(pdev->config + PCI_COMMAND) & PCI_COMMAND_MASTER;
    pcie_cap_flr_write_config(pdev, addr, value, len);
    if (pdev->exp.aer_cap) {
        pcie_aer_write_config(pdev, addr, value, len);
    }
}

static ANPU_PROP_CONST Property anpu_properties[] = {
    DEFINE_PROP_SIZE("hbm", AnpuState, hbm_size, ANPU_HBM_DEFAULT),
    DEFINE_PROP_UINT32("cores", AnpuState, cores, ANPU_CORES_DEFAULT),
    DEFINE_PROP_UINT32("queues", AnpuState, queues, ANPU_QUEUES_DEFAULT),
    DEFINE_PROP_UINT32("threads", AnpuState, threads, 0),
    DEFINE_PROP_UINT32("spin-us", AnpuState, spin_us, ANPU_SPIN_AUTO),
    DEFINE_PROP_BOOL("deterministic", AnpuState, deterministic, false),
    DEFINE_PROP_BOOL("check", AnpuState, check, false),
    DEFINE_PROP_STRING("inject", AnpuState, inject),
    DEFINE_PROP_STRING("record", AnpuState, record),
    DEFINE_PROP_STRING("core", AnpuState, core),
    DEFINE_PROP_STRING("gdb", AnpuState, gdb),
    DEFINE_PROP_STRING("soc", AnpuState, soc),
    DEFINE_PROP_STRING("cann", AnpuState, cann),
    DEFINE_PROP_BOOL("jit", AnpuState, jit, true),
    DEFINE_PROP_UINT64("x-hide-caps", AnpuState, hide_caps, 0),
    DEFINE_PROP_STRING("log", AnpuState, log_name),
    ANPU_PROP_END
};

/*
 * A machine can be saved, and started again from there, before a driver uses
 * the device: until then the device has a configuration space and nothing else.
 * Its queues, and kernels in the middle of their work, are never saved.
 */
static int anpu_pre_save(void *opaque)
{
    AnpuState *s = opaque;

    if (s->used) {
        error_report("anpu: the machine cannot be saved or moved since a "
                     "driver has used the NPU, whose queues and memory are "
                     "not saved: save it before the driver is loaded");
        return -EBUSY;
    }
    return 0;
}

static const VMStateField anpu_vmstate_fields[] = {
    VMSTATE_PCI_DEVICE(parent_obj, AnpuState),
    VMSTATE_MSIX(parent_obj, AnpuState),
    VMSTATE_END_OF_LIST()
};

static const VMStateDescription anpu_vmstate = {
    .name = "anpu",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = anpu_pre_save,
    .fields = anpu_vmstate_fields,
};

static void anpu_describe(ObjectClass *klass)
{
    static const char *const text[][2] = {
        { "hbm", "memory of the device, a power of 2 from 16M to 1T" },
        { "cores", "AI cores, 1 to 64" },
        { "queues", "hardware queues, 1 to 4096" },
        { "threads", "worker threads, at most cores; 0: the host's CPUs" },
        { "spin-us", "microseconds an idle worker watches for packets before "
                     "it sleeps; default 50, or 0 on a host with one CPU" },
        { "deterministic", "one worker and one fixed order of execution" },
        { "check", "report races between pipes and reads of scratchpads that "
                   "nothing has written, in every kernel" },
        { "inject", "faults the device is to have, as hang@3+flip@5, or @FILE; "
                    "on: the guest can make it fail, for tests of its driver" },
        { "record", "a file that the run is recorded in, for anpu-replay" },
        { "core", "the core file that the first failure of a kernel writes" },
        { "gdb", "[fault:]PORT of this host where gdb can debug operators; the "
                 "first launch, or the first failure, waits for it" },
        { "soc", "the chip that programs are told, as Ascend910B1" },
        { "cann", "the version of the software that programs are told, as "
                  "8.5.0" },
        { "jit", "translate operators to this host's instructions, if it is "
                 "one that the translator knows" },
        { "x-hide-caps", "for tests of drivers: capabilities (a mask) that the "
                         "device does not tell" },
        { "log", "a file that the output of operators is appended to" },
    };
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(text); i++) {
        object_class_property_set_description(klass, text[i][0], text[i][1]);
    }
}

static void anpu_class_init(ObjectClass *klass, ANPU_CLASS_CONST void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);

    k->realize = anpu_realize;
    k->exit = anpu_exit;
    k->config_read = anpu_config_read;
    k->config_write = anpu_config_write;
    k->vendor_id = ANPU_PCI_VENDOR;
    k->device_id = ANPU_PCI_DEVICE;
    k->subsystem_vendor_id = ANPU_PCI_VENDOR;
    k->subsystem_id = ANPU_PCI_DEVICE;
    k->revision = ANPU_PCI_REVISION;
    k->class_id = ANPU_PCI_CLASS;
    dc->desc = "ANPU neural processing unit";
    dc->vmsd = &anpu_vmstate;
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
    device_class_set_props(dc, anpu_properties);
    anpu_set_reset(dc, anpu_reset);
    anpu_describe(klass);
}

static ANPU_CLASS_CONST InterfaceInfo anpu_interfaces[] = {
    { INTERFACE_PCIE_DEVICE },
    { },
};

static const TypeInfo anpu_type = {
    .name = TYPE_ANPU,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(AnpuState),
    .class_init = anpu_class_init,
    .interfaces = anpu_interfaces,
};

void anpu_register_types(void)
{
    type_register_static(&anpu_type);
}

#ifndef ANPU_PLUGIN
type_init(anpu_register_types)
#endif
