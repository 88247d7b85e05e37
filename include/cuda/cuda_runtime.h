/* SPDX-License-Identifier: MIT */
/* A name under which programs include cuda_runtime_api.h. */
#ifndef ANPU_CUDA_RUNTIME_H
#define ANPU_CUDA_RUNTIME_H
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#endif
