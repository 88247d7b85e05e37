/* SPDX-License-Identifier: MIT */
#ifndef ASCENDC_GRAPH_TENSOR_H
#define ASCENDC_GRAPH_TENSOR_H
#include "types.h"
#endif
