/* SPDX-License-Identifier: MIT */
/* A name by which sources include the results of tiling functions. */
#ifndef ASCENDC_GRAPH_GE_ERROR_CODES_H
#define ASCENDC_GRAPH_GE_ERROR_CODES_H
#include "types.h"
#endif
