/* SPDX-License-Identifier: MIT */
/*
 * Included before host code that has kernel<<<blocks, nullptr, stream>>>(...). clang compiles it as it does
 * CUDA's: a call of a kernel becomes calls of these functions, which launch.c has.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
/* these declare functions twice, or ones that clang knows for the host alone: they must stand before the pragma below */
#include <exception>
#include <new>

#define __ANPU_HOST__ 1

struct anpu_grid {
	unsigned int x, y, z;
};

extern "C" unsigned int __cudaPushCallConfiguration(unsigned int blocks, void *l2ctrl = nullptr,
						    void *stream = nullptr);
extern "C" int cudaLaunchKernel(const void *kernel, anpu_grid grid, anpu_grid unused, void **args,
				size_t size, void *stream);
/* What the thread's latest call returned: the value of kernel<<<...>>>(...) */
extern "C" int anpu_launched();

/* Functions without a mark may be called from kernels, too */
#pragma clang force_cuda_host_device begin
