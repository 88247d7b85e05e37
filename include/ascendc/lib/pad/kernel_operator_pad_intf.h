/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_LIB_PAD_KERNEL_OPERATOR_PAD_INTF_H
#define ASCENDC_LIB_PAD_KERNEL_OPERATOR_PAD_INTF_H
#include "../../kernel_operator.h"
#endif
