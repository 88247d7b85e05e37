/* SPDX-License-Identifier: MIT */
/* A name under which programs include cudaProfiler.h. */
#ifndef ANPU_CUDA_CUDA_PROFILER_API_H
#define ANPU_CUDA_CUDA_PROFILER_API_H
#include "cudaProfiler.h"
#endif
