// SPDX-License-Identifier: MIT
/* The same work by threads, an element for each, and by a loop in one thread of a block. */

#define BINS	256

extern "C" __global__ void threads_saxpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

extern "C" __global__ void loop_saxpy(float a, const float *x, float *y, int n)
{
	int share = n / gridDim.x, first = blockIdx.x * share;

	for (int i = first; i < first + share; i++)
		y[i] = a * x[i] + y[i];
}

/* the inner points of an image of width @w; a block is a part of a row */
extern "C" __global__ void threads_stencil(const float *in, float *out, int w, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= w && i < n - w)
		out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}

extern "C" __global__ void loop_stencil(const float *in, float *out, int w, int n)
{
	int share = n / gridDim.x, first = blockIdx.x * share, end = first + share;

	if (first < w)
		first = w;
	if (end > n - w)
		end = n - w;
	for (int i = first; i < end; i++)
		out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}

/* a sum per block, as a tree */
extern "C" __global__ void threads_sum(const int *in, int *out, int n)
{
	__shared__ int part[256];
	int share = n / gridDim.x, first = blockIdx.x * share, t = threadIdx.x, sum = 0;

	for (int i = first + t; i < first + share; i += blockDim.x)
		sum += in[i];
	part[t] = sum;
	for (int half = blockDim.x / 2; half; half /= 2) {
		__syncthreads();
		if (t < half)
			part[t] += part[t + half];
	}
	if (!t)
		out[blockIdx.x] = part[0];
}

extern "C" __global__ void loop_sum(const int *in, int *out, int n)
{
	int share = n / gridDim.x, first = blockIdx.x * share, sum = 0;

	for (int i = first; i < first + share; i++)
		sum += in[i];
	out[blockIdx.x] = sum;
}

/* bins in shared memory, then added to those of all */
extern "C" __global__ void threads_histogram(const unsigned *in, unsigned *out, int n)
{
	__shared__ unsigned bins[BINS];
	int share = n / gridDim.x, first = blockIdx.x * share, t = threadIdx.x;

	bins[t] = 0;
	__syncthreads();
	for (int i = first + t; i < first + share; i += blockDim.x)
		atomicAdd(&bins[in[i] % BINS], 1u);
	__syncthreads();
	atomicAdd(&out[t], bins[t]);
}

extern "C" __global__ void loop_histogram(const unsigned *in, unsigned *out, int n)
{
	__shared__ unsigned bins[BINS];
	int share = n / gridDim.x, first = blockIdx.x * share;

	for (int t = 0; t < BINS; t++)
		bins[t] = 0;
	for (int i = first; i < first + share; i++)
		bins[in[i] % BINS]++;
	for (int t = 0; t < BINS; t++)
		atomicAdd(&out[t], bins[t]);
}
