/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_SIMT_API_KERNEL_SIMT_INTF_H
#define ASCENDC_SIMT_API_KERNEL_SIMT_INTF_H
#include "../kernel_operator.h"
#include "../simt/names.h"
#endif
