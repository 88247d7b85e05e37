/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_SORT_TOPK_H
#define ASCENDC_LIB_SORT_TOPK_H
#include "../../kernel_operator.h"
#endif
