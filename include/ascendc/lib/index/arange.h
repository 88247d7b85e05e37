/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_INDEX_ARANGE_H
#define ASCENDC_LIB_INDEX_ARANGE_H
#include "../../kernel_operator.h"
#endif
