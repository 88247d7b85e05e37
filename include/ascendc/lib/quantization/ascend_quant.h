/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_QUANTIZATION_ASCEND_QUANT_H
#define ASCENDC_LIB_QUANTIZATION_ASCEND_QUANT_H
#include "../../kernel_operator.h"
#endif
