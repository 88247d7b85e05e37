/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_SIMT_API_DEVICE_FUNCTIONS_H
#define ASCENDC_SIMT_API_DEVICE_FUNCTIONS_H
#include "../kernel_operator.h"
#include "../simt/names.h"
#endif
