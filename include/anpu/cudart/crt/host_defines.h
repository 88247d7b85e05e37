/* SPDX-License-Identifier: MIT */
/* A kernel source has all of it from cuda_runtime.h. */
#pragma once
#include <cuda_runtime.h>
