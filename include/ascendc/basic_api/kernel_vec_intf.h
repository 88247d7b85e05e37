/* SPDX-License-Identifier: MIT */
/* A name by which sources include a part of Ascend C. */
#ifndef ASCENDC_BASIC_API_KERNEL_VEC_INTF_H
#define ASCENDC_BASIC_API_KERNEL_VEC_INTF_H
#include "../kernel_operator.h"
#endif
