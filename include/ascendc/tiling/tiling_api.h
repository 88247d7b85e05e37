/* SPDX-License-Identifier: MIT */
/* Structures of tiling, and for the host the functions that fill them. */
#ifndef ASCENDC_TILING_TILING_API_H
#define ASCENDC_TILING_TILING_API_H
#include "../kernel_tiling/kernel_tiling.h"
#include "../register/tilingdata_base.h"
#ifndef __riscv
#include "../host/tiling_api.h"
#endif
#endif
