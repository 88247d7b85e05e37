/* SPDX-License-Identifier: MIT */
/* A name by which sources of op_host include the functions and structures of tiling. */
#ifndef ASCENDC_TILING_MATRIX_BMM_TILING_H
#define ASCENDC_TILING_MATRIX_BMM_TILING_H
#include "../tiling_api.h"
#endif
