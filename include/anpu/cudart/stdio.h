/* SPDX-License-Identifier: MIT */
/* printf() is the one of operators; there are no files on the AI core. */
#pragma once
#include <cuda_runtime.h>
