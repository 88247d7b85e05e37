/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H
#define ASCENDC_EXE_GRAPH_RUNTIME_TILING_CONTEXT_H
#ifndef __riscv
#include "../../host/opdef.h"
#endif
#endif
