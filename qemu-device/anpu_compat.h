/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ANPU: differences between the versions of QEMU from 7.2 on
 */
#ifndef HW_MISC_ANPU_COMPAT_H
#define HW_MISC_ANPU_COMPAT_H

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#if __has_include("hw/pci/pci_device.h")
#include "hw/pci/pci_device.h"
#else
#include "hw/pci/pci.h"
#endif
#if __has_include("hw/core/qdev-properties.h")
#include "hw/core/qdev-properties.h"
#else
#include "hw/qdev-properties.h"
#endif
#if __has_include("system/memory.h")
#include "system/memory.h"
#else
#include "exec/memory.h"
#endif

#define ANPU_QEMU(major, minor) \
    (QEMU_VERSION_MAJOR > (major) || \
     (QEMU_VERSION_MAJOR == (major) && QEMU_VERSION_MINOR >= (minor)))

/* 9.0 gave the big lock its name */
#if !ANPU_QEMU(9, 0)
#define bql_lock qemu_mutex_lock_iothread
#define bql_unlock qemu_mutex_unlock_iothread
#define bql_locked qemu_mutex_iothread_locked
#endif

/* 10.0 counts properties instead of ending the list */
#ifdef DEFINE_PROP_END_OF_LIST
#define ANPU_PROP_CONST
#define ANPU_PROP_END DEFINE_PROP_END_OF_LIST(),
#else
#define ANPU_PROP_CONST const
#define ANPU_PROP_END
#endif

/* 10.1 made the class data constant */
#if ANPU_QEMU(10, 1)
#define ANPU_CLASS_CONST const
#else
#define ANPU_CLASS_CONST
#endif

/* 9.2 renamed what sets the reset handler of a device without phases */
#if ANPU_QEMU(9, 2)
#define anpu_set_reset(dc, fn) device_class_set_legacy_reset(dc, fn)
#else
#define anpu_set_reset(dc, fn) ((dc)->reset = (fn))
#endif

#endif
