/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ANPU: a neural processing unit on PCI Express
 */
#ifndef HW_MISC_ANPU_PCI_H
#define HW_MISC_ANPU_PCI_H

#define TYPE_ANPU "anpu"

/* Makes the type known to QOM; in a full build type_init() does it. */
void anpu_register_types(void);

#endif
