/* SPDX-License-Identifier: MIT */
/* A name by which sources include Ascend C. */
#ifndef ASCENDC_BASIC_API_INTERFACE_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
#define ASCENDC_BASIC_API_INTERFACE_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
#include "../../kernel_operator.h"
#endif
