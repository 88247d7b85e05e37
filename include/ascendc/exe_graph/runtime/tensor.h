/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_EXE_GRAPH_RUNTIME_TENSOR_H
#define ASCENDC_EXE_GRAPH_RUNTIME_TENSOR_H
#ifndef __riscv
#include "../../host/opdef.h"
#endif
#endif
