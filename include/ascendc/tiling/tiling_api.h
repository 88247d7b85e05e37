/* SPDX-License-Identifier: MIT */
/* A tiling header may include this one: for the AI core it gives the structures, not the host's functions. */
#ifndef ASCENDC_TILING_TILING_API_H
#define ASCENDC_TILING_TILING_API_H
#include "../kernel_tiling/kernel_tiling.h"
#include "../register/tilingdata_base.h"
#endif
