/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_TILING_PLATFORM_PLATFORM_ASCENDC_H
#define ASCENDC_TILING_PLATFORM_PLATFORM_ASCENDC_H
#ifndef __riscv
#include "../../host/platform.h"
#endif
#endif
