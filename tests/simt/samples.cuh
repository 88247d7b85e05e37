/* SPDX-License-Identifier: MIT */
/* Words that anpucc has to change, in a header as samples have them: dynamic shared memory behind a template, alignments, clusters. */
#pragma once

template <class T> struct SharedMemory {
	__device__ T *get();
};
template <> struct SharedMemory<int> {
	__device__ int *get()
	{
		extern __shared__ int s_int[];
		return s_int;
	}
};
template <> struct SharedMemory<float> {
	__device__ float *get()
	{
		extern __shared__ __align__(16) float s_float[];
		return s_float;
	}
};
extern __shared__ __attribute__((aligned(16))) double of_the_header[];
__shared__ alignas(16) float aligned[4];
#define SHARED_ARRAY(T, name) extern __shared__ T name[]
#define PAIRS __cluster_dims__(2, 1, 1)

extern "C" __global__ void __cluster_dims__(2) pairs_of_a_header(int *out) { out[blockIdx.x] = 7; }
