// SPDX-License-Identifier: MIT
/* More kernels of the catalogue with threads: indices, sizes, barriers, atomics, warps. */

#include <cooperative_groups.h>

/* The index lacks the block: all blocks write the same elements */
extern "C" __global__ void no_block_index(const int *in, int *out)
{
	out[threadIdx.x] = in[threadIdx.x + blockIdx.x * blockDim.x]; /* BUG no_block_index */
}

/* Rows and columns are exchanged in the bound */
extern "C" __global__ void rows_columns(int *out, int rows, int cols)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x, c = threadIdx.y;

	if (r < cols && c < rows)
		out[r * cols + c] = 1; /* BUG rows_columns */
}

/* The second barrier of a loop is missing: the array is filled again while others read */
extern "C" __global__ void loop_barrier(const int *in, int *out, int steps)
{
	__shared__ int part[64];
	int sum = 0;

	for (int i = 0; i < steps; i++) {
		part[threadIdx.x] = in[i * 64 + threadIdx.x]; /* BUG loop_barrier */
		__syncthreads();
		sum += part[63 - threadIdx.x]; /* MADE loop_barrier */
	}
	out[threadIdx.x] = sum;
}

/* Shared memory has an element less than there are threads */
extern "C" __global__ void shared_small(const int *in, int *out)
{
	extern __shared__ int dyn[];

	dyn[threadIdx.x] = in[threadIdx.x]; /* BUG shared_small */
	__syncthreads();
	out[threadIdx.x] = dyn[threadIdx.x];
}

/* A counter that nothing has set */
extern "C" __global__ void atomic_unset(int *count)
{
	atomicAdd(count, 1); /* BUG atomic_unset */
}

/* The blocks wait for each other by a counter that one forgets to raise */
extern "C" __global__ void spin_forever(volatile int *count)
{
	if (!threadIdx.x && blockIdx.x)
		atomicAdd((int *)count, 1);
	while (*count < (int)gridDim.x) /* BUG spin_forever */
		;
}

/* The last block adds up what the others have stored, without a fence or counter */
extern "C" __global__ void last_block(int *part, int *out)
{
	part[blockIdx.x] = blockIdx.x; /* MADE last_block */
	if (blockIdx.x == gridDim.x - 1) {
		int sum = 0;

		for (int i = 0; i < (int)gridDim.x; i++)
			sum += part[i]; /* BUG last_block */
		*out = sum;
	}
}

/* An index into a local array that is too large */
extern "C" __global__ void local_behind(int *out, int n)
{
	volatile int table[8];

	for (int i = 0; i < n; i++)
		table[i] = i; /* BUG local_behind */
	out[threadIdx.x] = table[threadIdx.x % 8];
}

/* The offset in elements is added to an address of bytes */
extern "C" __global__ void wrong_stride(char *out)
{
	*(int *)(out + threadIdx.x) = threadIdx.x; /* BUG wrong_stride */
}

/* A barrier behind a return of some threads */
extern "C" __global__ void early_return(const int *in, int *out, int n)
{
	__shared__ int part[64];

	if ((int)threadIdx.x >= n)
		return;
	part[threadIdx.x] = in[threadIdx.x];
	__syncthreads(); /* BUG early_return */
	out[threadIdx.x] = part[n - 1 - threadIdx.x];
}

/* Recursion without an end */
static __device__ __attribute__((noinline)) int deep(volatile int *p, int n)
{
	volatile int pad[64];

	pad[n & 63] = n;
	return n == *p ? 0 : deep(p, n + 1) + pad[n & 63]; /* BUG recursion */
}

extern "C" __global__ void recursion(int *out)
{
	out[threadIdx.x] = deep(out, 1);
}

/* More threads than the array in shared memory has elements */
extern "C" __global__ void static_small(const int *in, int *out)
{
	__shared__ int few[32];

	few[threadIdx.x] = in[threadIdx.x]; /* BUG static_small */
	__syncthreads();
	out[threadIdx.x] = few[threadIdx.x];
}

/* The caller of an operation of the warp is not in its mask */
extern "C" __global__ void warp_mask(const int *in, int *out)
{
	if (threadIdx.x >= 8)
		out[threadIdx.x] = __ballot_sync(0xff, in[threadIdx.x]); /* BUG warp_mask */
}

/* Right: blocks take a maximum by the loop that programs make of compare-and-swap */
extern "C" __global__ void swap_loop(unsigned long long *most)
{
	double mine = blockIdx.x * 1.5 + threadIdx.x;
	unsigned long long old = *most, assumed;

	do {
		assumed = old;
		if (__longlong_as_double((long long)assumed) >= mine)
			break;
		old = atomicCAS(most, assumed, (unsigned long long)__double_as_longlong(mine));
	} while (old != assumed);
}

/* A lock is given back by a plain store */
extern "C" __global__ void lock_store(int *lock, int *sum)
{
	while (atomicCAS(lock, 0, 1)) /* BUG lock_store */
		;
	*sum += 1;
	*lock = 0; /* MADE lock_store */
}

/* Loops of different lengths, with a barrier in them */
extern "C" __global__ void barrier_counts(int *out, int n)
{
	for (int i = 0; i < n + (int)(threadIdx.x / 32); i++)
		__syncthreads(); /* BUG barrier_counts */
	out[threadIdx.x] = n;
}

/* An address at no multiple of its size */
extern "C" __global__ void atomic_odd(char *out)
{
	atomicAdd((int *)(out + 2), 1); /* BUG atomic_odd */
}

/* The first block sets a counter, and the others do not wait for it */
extern "C" __global__ void first_block_sets(int *count)
{
	if (!blockIdx.x)
		*count = 100;
	atomicAdd(count, 1);
}

extern "C" __global__ void trapped(int *out)
{
	if (threadIdx.x == 5)
		__trap(); /* BUG trapped */
	out[threadIdx.x] = 0;
}

/* All take a value from a lane that their mask leaves out */
extern "C" __global__ void warp_source(const float *in, float *out)
{
	float v = 0;

	if (threadIdx.x != 7)
		v = __shfl_sync(0xffffff7f, in[threadIdx.x], 7); /* BUG warp_source */
	out[threadIdx.x] = v;
}

/* Right: the first lane has the value, and each lane asks its neighbour, of which the last one has none */
extern "C" __global__ void warp_source_right(const float *in, float *out)
{
	unsigned int mask = __ballot_sync(0xffffffff, threadIdx.x < 20);

	if (threadIdx.x < 20) {
		float v = __shfl_sync(mask, in[threadIdx.x], 0), next = __shfl_sync(mask, in[threadIdx.x], threadIdx.x + 1);

		out[threadIdx.x] = threadIdx.x < 19 ? v + next : v;
	}
}

/* Half of a warp is at one shuffle and the others at the next, and both masks name all */
extern "C" __global__ void branch_shuffle(const int *in, int *out)
{
	int v = in[threadIdx.x];

	if (threadIdx.x < 16)
		v = __shfl_sync(0xffffffff, v, 0); /* MADE branch_shuffle */
	out[threadIdx.x] = __shfl_sync(0xffffffff, v, 1); /* BUG branch_shuffle */
}

/* The sum of a warp of which the block has 16 threads */
extern "C" __global__ void half_warp(const int *in, int *out)
{
	int v = in[threadIdx.x];

	for (int by = 16; by; by /= 2)
		v += __shfl_down_sync(0xffffffff, v, by); /* BUG half_warp */
	if (!(threadIdx.x % 32))
		out[threadIdx.x / 32] = v;
}

/* The same where some threads have ended */
extern "C" __global__ void sum_of_left(const int *in, int *out)
{
	int v;

	if (threadIdx.x >= 20)
		return;
	v = in[threadIdx.x];
	for (int by = 16; by; by /= 2)
		v += __shfl_down_sync(0xffffffff, v, by); /* BUG sum_of_left */
	if (!threadIdx.x)
		out[0] = v;
}

/* Right: masks that name who is there, votes in two branches, a neighbour that the last thread does not have */
extern "C" __global__ void masks_right(const int *in, int *out)
{
	unsigned int low = __ballot_sync(0xffffffff, threadIdx.x < 16), odd;
	int v = in[threadIdx.x];

	if (threadIdx.x < 16) {
		for (int by = 8; by; by /= 2)
			v += __shfl_down_sync(low, v, by);
	} else {
		for (int by = 8; by; by /= 2)
			v += __shfl_xor_sync(~low, v, by);
	}
	if (v & 1)
		odd = __ballot_sync(0xffffffff, 1);
	else
		odd = __ballot_sync(0xffffffff, 0);
	v = __shfl_down_sync(0xffffffff, v, 1);
	out[threadIdx.x] = threadIdx.x < 31 ? v + odd : 0;
}

/* The blocks meet, and the launch does not say that they are there together */
extern "C" __global__ void grid_no_coop(int *out)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
	cooperative_groups::this_grid().sync(); /* BUG grid_no_coop */
}
