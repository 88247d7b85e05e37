/* SPDX-License-Identifier: MIT */
/* A name by which sources include KERNEL_LOG(). */
#ifndef ASCENDC_KERNEL_LOG_H
#define ASCENDC_KERNEL_LOG_H
#include "kernel_operator.h"
#endif
