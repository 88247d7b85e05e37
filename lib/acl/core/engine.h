/* SPDX-License-Identifier: MIT */
/* Which engine serves this process: chosen once, at its first question about devices. */
#ifndef ACL_CORE_ENGINE_H
#define ACL_CORE_ENGINE_H

#include <anpu/anpu_engine.h>

extern const struct anpu_engine anpu_driver_engine; /* driver.c */
const struct anpu_engine *anpu_engine(void);

#endif /* ACL_CORE_ENGINE_H */
