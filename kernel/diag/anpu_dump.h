/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_DUMP_H
#define ANPU_DUMP_H

struct anpu_device;
struct drm_printer;

void anpu_registers_print(struct anpu_device *adev, struct drm_printer *p);
void anpu_dump(struct anpu_device *adev, const char *why);

#endif /* ANPU_DUMP_H */
