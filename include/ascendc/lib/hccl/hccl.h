/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_HCCL_HCCL_H
#define ASCENDC_LIB_HCCL_HCCL_H
#include "../../kernel_operator.h"
#endif
