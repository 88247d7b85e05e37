/* SPDX-License-Identifier: MIT */
/* A name by which sources include a part of Ascend C. */
#ifndef ASCENDC_LIB_MATRIX_MATMUL_TILING_H
#define ASCENDC_LIB_MATRIX_MATMUL_TILING_H
#include "../../../kernel_tiling/kernel_tiling.h"
#endif
