/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_FILTER_DROPOUT_H
#define ASCENDC_LIB_FILTER_DROPOUT_H
#include "../../kernel_operator.h"
#endif
