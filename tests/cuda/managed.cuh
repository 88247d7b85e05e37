/* SPDX-License-Identifier: MIT */
/* Variables of a header that programs alone write. */
#pragma once

static __device__ unsigned int static_in_header = 3;
namespace {
__device__ unsigned int nameless_in_header[2] = { 4, 5 };
}
