/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_H
#define ASCENDC_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_H
#include "../../kernel_operator.h"
#endif
