/* SPDX-License-Identifier: MIT */
/* A name by which sources include Ascend C. */
#ifndef ASCENDC_SIMT_API_VECTOR_FUNCTIONS_H
#define ASCENDC_SIMT_API_VECTOR_FUNCTIONS_H
#include "../simt/names.h"
#endif
