/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_NORMALIZATION_RMSNORM_H
#define ASCENDC_LIB_NORMALIZATION_RMSNORM_H
#include "../../kernel_operator.h"
#endif
