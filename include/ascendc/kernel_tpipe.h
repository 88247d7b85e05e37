/* SPDX-License-Identifier: MIT */
/* A name by which sources include Ascend C. */
#ifndef ASCENDC_KERNEL_TPIPE_H
#define ASCENDC_KERNEL_TPIPE_H
#include "kernel_operator.h"
#endif
