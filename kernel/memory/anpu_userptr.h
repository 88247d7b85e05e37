/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_USERPTR_H
#define ANPU_USERPTR_H

struct anpu_bo;

int anpu_userptr_pin(struct anpu_bo *bo);
void anpu_userptr_unpin(struct anpu_bo *bo);

#endif /* ANPU_USERPTR_H */
