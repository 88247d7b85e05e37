/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_GRAPH_UTILS_TYPE_UTILS_H
#define ASCENDC_GRAPH_UTILS_TYPE_UTILS_H
#ifndef __riscv
#include "../../host/opdef.h"
#endif
#endif
