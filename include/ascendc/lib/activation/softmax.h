/* SPDX-License-Identifier: MIT */
/* A name by which sources include a part of Ascend C. */
#ifndef ASCENDC_LIB_ACTIVATION_SOFTMAX_H
#define ASCENDC_LIB_ACTIVATION_SOFTMAX_H
#include "../../kernel_operator.h"
#endif
