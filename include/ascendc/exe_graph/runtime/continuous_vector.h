/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H
#define ASCENDC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H
#ifndef __riscv
#include "../../host/opdef.h"
#endif
#endif
