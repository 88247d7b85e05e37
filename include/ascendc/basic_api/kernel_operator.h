/* SPDX-License-Identifier: MIT */
/* A name by which sources include Ascend C. */
#ifndef ASCENDC_BASIC_API_KERNEL_OPERATOR_H
#define ASCENDC_BASIC_API_KERNEL_OPERATOR_H
#include "../kernel_operator.h"
#endif
