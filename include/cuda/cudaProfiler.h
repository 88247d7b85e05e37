/* SPDX-License-Identifier: MIT */
/* A name under which programs include cuda.h. */
#ifndef ANPU_CUDA_CUDAPROFILER_H
#define ANPU_CUDA_CUDAPROFILER_H
#include "cuda.h"
#endif
