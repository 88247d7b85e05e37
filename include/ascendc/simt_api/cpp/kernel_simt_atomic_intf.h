/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_SIMT_API_CPP_KERNEL_SIMT_ATOMIC_INTF_H
#define ASCENDC_SIMT_API_CPP_KERNEL_SIMT_ATOMIC_INTF_H
#include "../kernel_simt_intf.h"
#include "../asc_simt.h"
#endif
