/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_MATH_POWER_H
#define ASCENDC_LIB_MATH_POWER_H
#include "../../kernel_operator.h"
#endif
