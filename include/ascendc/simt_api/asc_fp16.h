/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_SIMT_API_ASC_FP16_H
#define ASCENDC_SIMT_API_ASC_FP16_H
#include "../kernel_operator.h"
#include "../simt/names.h"
#endif
