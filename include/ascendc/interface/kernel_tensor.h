/* SPDX-License-Identifier: MIT */
/* A name by which sources include Ascend C. */
#ifndef ASCENDC_INTERFACE_KERNEL_TENSOR_H
#define ASCENDC_INTERFACE_KERNEL_TENSOR_H
#include "../kernel_operator.h"
#endif
