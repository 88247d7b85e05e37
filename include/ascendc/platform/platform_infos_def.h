/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_PLATFORM_PLATFORM_INFOS_DEF_H
#define ASCENDC_PLATFORM_PLATFORM_INFOS_DEF_H
#ifndef __riscv
#include "../host/opdef.h"
#endif
#endif
