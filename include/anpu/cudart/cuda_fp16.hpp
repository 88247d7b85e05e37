/* SPDX-License-Identifier: MIT */
/* A kernel source has all of it from cuda_fp16.h. */
#pragma once
#include <cuda_fp16.h>
