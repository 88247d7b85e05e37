/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_PLATFORM_SOC_SPEC_H
#define ASCENDC_PLATFORM_SOC_SPEC_H
#ifndef __riscv
#include "../host/platform.h"
#endif
#endif
