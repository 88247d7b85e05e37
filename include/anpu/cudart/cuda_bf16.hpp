/* SPDX-License-Identifier: MIT */
/* A kernel source has all of it from cuda_bf16.h. */
#pragma once
#include <cuda_bf16.h>
