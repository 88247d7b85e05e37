// SPDX-License-Identifier: MIT
/* Kernels of the catalogue whose threads disturb each other. */

/* Right: a sum as a tree */
extern "C" __global__ void tree(const int *in, int *out)
{
	__shared__ int part[128];

	part[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	for (int half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (!threadIdx.x)
		out[blockIdx.x] = part[0];
}

/* No barrier between filling the array and reading a neighbour's element */
extern "C" __global__ void no_barrier(const int *in, int *out)
{
	__shared__ int part[128];

	part[threadIdx.x] = in[threadIdx.x]; /* MADE no_barrier */
	out[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x]; /* BUG no_barrier */
}

/* The barrier in the tree's loop is missing. */
extern "C" __global__ void tree_no_barrier(const int *in, int *out)
{
	__shared__ int part[128];

	part[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	for (int half = blockDim.x / 2; half; half /= 2)
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half]; /* BUG tree_no_barrier */
	__syncthreads();
	if (!threadIdx.x)
		out[blockIdx.x] = part[0];
}

/* All threads add to one number in global memory, without atomics. */
extern "C" __global__ void shared_count(int *out)
{
	out[0] += 1; /* BUG shared_count */
}

/* The same in shared memory */
extern "C" __global__ void local_count(int *out)
{
	__shared__ int count;

	if (!threadIdx.x)
		count = 0;
	__syncthreads();
	count += 1; /* BUG local_count */
	__syncthreads();
	if (!threadIdx.x)
		out[0] = count;
}

/* Right: atomics, and a plain store before the barrier */
extern "C" __global__ void atomic_count(int *out)
{
	__shared__ int count;

	if (!threadIdx.x)
		count = 0;
	__syncthreads();
	atomicAdd(&count, 1);
	__syncthreads();
	if (!threadIdx.x)
		atomicAdd(out, count);
}

/* Thread 0 makes the value, and others of the warp do not wait. */
extern "C" __global__ void warp_early(int *out)
{
	__shared__ int value[33];

	value[threadIdx.x] = threadIdx.x; /* MADE warp_early */
	out[threadIdx.x] = value[threadIdx.x ^ 1]; /* BUG warp_early */
}

/* Right: the same with a barrier of the warp */
extern "C" __global__ void warp_synced(int *out)
{
	__shared__ int value[33];

	value[threadIdx.x] = threadIdx.x;
	__syncwarp();
	out[threadIdx.x] = value[threadIdx.x ^ 1];
}

/* Each thread reads an element of global memory that its neighbour writes. */
extern "C" __global__ void in_place(float *data)
{
	float left = data[threadIdx.x], right = data[(threadIdx.x + 1) % blockDim.x]; /* BUG in_place */

	data[threadIdx.x] = (left + right) / 2; /* MADE in_place */
}

/* Right: read, barrier, write */
extern "C" __global__ void in_turn(float *data)
{
	float left = data[threadIdx.x], right = data[(threadIdx.x + 1) % blockDim.x];

	__syncthreads();
	data[threadIdx.x] = (left + right) / 2;
}

/* Half of the threads do not come to the barrier. */
extern "C" __global__ void half_barrier(int *out)
{
	if (threadIdx.x < 64)
		__syncthreads(); /* BUG half_barrier */
	out[threadIdx.x] = 1;
}

/* One element too many: threads behind the last one do not stop */
extern "C" __global__ void no_guard(float *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	data[i] = 1; /* BUG no_guard */
	(void)n;
}

/* Shared memory that no thread has written */
extern "C" __global__ void shared_unwritten(int *out)
{
	__shared__ int part[128];

	if (threadIdx.x < 64)
		part[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = part[threadIdx.x]; /* BUG shared_unwritten */
}

/* One thread sets a counter, and the others do not wait for it */
extern "C" __global__ void count_set_late(int *out)
{
	__shared__ int count;

	if (!threadIdx.x)
		count = 0; /* MADE count_set_late */
	atomicAdd(&count, 1); /* BUG count_set_late */
	__syncthreads();
	out[threadIdx.x] = count;
}
