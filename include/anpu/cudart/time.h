/* SPDX-License-Identifier: MIT */
/* Kernels have clock() and clock_t, from cuda_runtime.h. */
#pragma once
#include <cuda_runtime.h>
