/* SPDX-License-Identifier: MIT */
/* Sources include this for Matmul<>. */
#ifndef ASCENDC_LIB_MATMUL_INTF_H
#define ASCENDC_LIB_MATMUL_INTF_H
#include "../kernel_operator.h"
#include "../adv/matmul.h"
#endif
