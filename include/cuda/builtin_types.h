/* SPDX-License-Identifier: MIT */
/* A name under which programs include vector_types.h. */
#ifndef ANPU_CUDA_BUILTIN_TYPES_H
#define ANPU_CUDA_BUILTIN_TYPES_H
#include "vector_types.h"
#endif
