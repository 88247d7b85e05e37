/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_SIMT_API_DEVICE_TYPES_H
#define ASCENDC_SIMT_API_DEVICE_TYPES_H
#include "../kernel_operator.h"
#include "../simt/names.h"
#endif
