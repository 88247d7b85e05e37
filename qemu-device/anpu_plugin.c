/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ANPU: the device as a plugin for a QEMU that was built without it
 *
 * -plugin loads the shared object after the types of QEMU are known and before
 * -device looks for them, so all there is to do is to register one more. The
 * object was compiled against the source of this very QEMU, but not by its
 * configure: so before it does anything it looks whether the structures it
 * shares with QEMU have the same layout on both sides.
 */
#include "anpu_compat.h"
#include "qemu/error-report.h"
#include "hw/pci/pci_bus.h"
#include "migration/vmstate.h"
#if __has_include("plugins/qemu-plugin.h")
#include "plugins/qemu-plugin.h"
#else
#include "qemu/qemu-plugin.h"
#endif
#include <malloc.h>
#include "anpu_pci.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static bool same(const char *what, size_t here, size_t there)
{
    if (here == there) {
        return true;
    }
    error_report("anpu: %s is %zu here but %zu in this QEMU: the plugin was "
                 "built for another one, run scripts/build-qemu again",
                 what, here, there);
    return false;
}

#if ANPU_QEMU(9, 0)
/*
 * Newer versions do not tell the size of a type: compare what one object takes
 * on the heap, which is the size rounded up by less than two words.
 */
static bool same_size(const char *type, size_t size)
{
    Object *obj = object_new(type);
    size_t heap = malloc_usable_size(obj);

    object_unref(obj);
    if (heap >= size && heap - size < 2 * sizeof(size_t)) {
        return true;
    }
    error_report("anpu: '%s' is %zu bytes here but takes %zu in this QEMU: the "
                 "plugin was built for another one, run scripts/build-qemu "
                 "again", type, size, heap);
    return false;
}

static bool same_sizes(void)
{
    return same_size(TYPE_MEMORY_REGION, sizeof(MemoryRegion));
}
#else
static bool same_size(const char *type, size_t size)
{
    g_autofree char *what = g_strdup_printf("the size of '%s'", type);

    if (!object_class_by_name(type)) {
        error_report("anpu: this QEMU has no type '%s'", type);
        return false;
    }
    return same(what, size, object_type_get_instance_size(type));
}

static bool same_sizes(void)
{
    return same_size(TYPE_OBJECT, sizeof(Object)) &&
           same_size(TYPE_DEVICE, sizeof(DeviceState)) &&
           same_size(TYPE_MEMORY_REGION, sizeof(MemoryRegion)) &&
           same_size(TYPE_PCI_DEVICE, sizeof(PCIDevice));
}
#endif

/* Fields of a PCI device as QEMU's own description of them says. */
static bool same_fields(void)
{
    const VMStateField *f;
    bool found = false;

    for (f = vmstate_pci_device.fields; f && f->name; f++) {
        if (!strcmp(f->name, "version_id") &&
            !same("the offset of PCIDevice.version_id",
                  offsetof(PCIDevice, version_id), f->offset)) {
            return false;
        }
        if (!strcmp(f->name, "irq_state")) {
            found = same("the offset of PCIDevice.irq_state",
                         offsetof(PCIDevice, irq_state), f->offset);
        }
    }
    if (!found) {
        error_report("anpu: this QEMU describes PCI devices in another way; "
                     "run scripts/build-qemu again");
    }
    return found;
}

/* A class with known contents: QEMU's teaching device is in usual builds. */
static bool same_class(void)
{
    ObjectClass *klass = object_class_by_name("edu");

    if (!klass) {
        error_report("anpu: this QEMU has no 'edu' device to compare layouts "
                     "with; build it with ANPU_QEMU=full");
        return false;
    }
    return same("PCIDeviceClass.vendor_id of 'edu'", 0x1234,
                PCI_DEVICE_CLASS(klass)->vendor_id) &&
           same("PCIDeviceClass.device_id of 'edu'", 0x11e8,
                PCI_DEVICE_CLASS(klass)->device_id) &&
           same("PCIDeviceClass.class_id of 'edu'", 0x00ff,
                PCI_DEVICE_CLASS(klass)->class_id) &&
           same("DeviceClass.categories of 'edu'",
                BIT(DEVICE_CATEGORY_MISC),
                DEVICE_CLASS(klass)->categories[0]);
}

QEMU_PLUGIN_EXPORT
int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
                        int argc, char **argv)
{
    if (!same_sizes() || !same_fields() || !same_class()) {
        return 1;
    }
    anpu_register_types();
    return 0;
}
