/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_GRAPH_TYPES_H
#define ASCENDC_GRAPH_TYPES_H
#ifndef __riscv
#include "../host/opdef.h"
#endif
#endif
