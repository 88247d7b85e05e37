/* SPDX-License-Identifier: MIT */
/* cudaProfilerStart() is for the host: sources that have host code beside kernels include this, and for kernels it declares nothing. */
#pragma once
