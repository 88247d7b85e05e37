/* SPDX-License-Identifier: MIT */
/* Sources include this for Matmul<>: its types exist, the class refuses to be used (adv/matmul.h). */
#ifndef ASCENDC_LIB_MATMUL_INTF_H
#define ASCENDC_LIB_MATMUL_INTF_H
#include "../kernel_operator.h"
#include "../adv/matmul.h"
#endif
