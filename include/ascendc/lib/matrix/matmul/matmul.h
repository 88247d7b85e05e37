/* SPDX-License-Identifier: MIT */
/* A name by which sources include a part of Ascend C. */
#ifndef ASCENDC_LIB_MATRIX_MATMUL_MATMUL_H
#define ASCENDC_LIB_MATRIX_MATMUL_MATMUL_H
#include "../../matmul_intf.h"
#endif
