/* SPDX-License-Identifier: MIT */
/* A name that programs include beside their kernels' headers; threadIdx and its kin are kernels' alone. */
#ifndef ANPU_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define ANPU_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#include "vector_types.h"
#endif
