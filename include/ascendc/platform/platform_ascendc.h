/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_PLATFORM_PLATFORM_ASCENDC_H
#define ASCENDC_PLATFORM_PLATFORM_ASCENDC_H
#include "../tiling/platform/platform_ascendc.h"
#endif
