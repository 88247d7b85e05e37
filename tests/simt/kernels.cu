// SPDX-License-Identifier: MIT
/* Kernels with threads, as CUDA programmers write them; tests/simt/check runs them and compares. */
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

extern "C" __global__ void saxpy_stride(int n, float a, const float *x, float *y)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = a * x[i] + y[i];
}

/* the same loop in one thread per block, for comparison */
extern "C" __global__ void saxpy_plain(int n, float a, const float *x, float *y)
{
	int share = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
	int end = first + share < n ? first + share : n;

	for (int i = first; i < end; i++)
		y[i] = a * x[i] + y[i];
}

/* out[block] = sum of the block's part, as a tree in static shared memory */
extern "C" __global__ void reduce_tree(int n, const int *in, int *out)
{
	__shared__ int part[256];
	int sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += in[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = part[0];
}

extern "C" __global__ void reduce_plain(int n, const int *in, int *out)
{
	int share = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share, sum = 0;
	int end = first + share < n ? first + share : n;

	for (int i = first; i < end; i++)
		sum += in[i];
	out[blockIdx.x] = sum;
}

/* sum of a warp by shuffles, then by atomics */
extern "C" __global__ void reduce_shuffle(int n, const float *in, float *out)
{
	float sum = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += in[i];
	for (int by = 16; by; by /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, by);
	if (threadIdx.x % warpSize == 0)
		atomicAdd(out, sum);
}

/* dynamic shared memory: each block reverses its part */
extern "C" __global__ void reverse(const int *in, int *out)
{
	extern __shared__ __align__(16) int part[];
	int first = blockIdx.x * blockDim.x, t = threadIdx.x;

	part[t] = in[first + t];
	__syncthreads();
	out[first + t] = part[blockDim.x - 1 - t];
}

extern "C" __global__ void histogram(int n, const unsigned int *in, unsigned int *out)
{
	__shared__ unsigned int bins[64];

	if (threadIdx.x < 64)
		bins[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bins[in[i] & 63], 1u);
	__syncthreads();
	if (threadIdx.x < 64)
		atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void histogram_plain(int n, const unsigned int *in, unsigned int *out)
{
	__shared__ unsigned int bins[64];
	int share = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
	int end = first + share < n ? first + share : n;

	for (int i = 0; i < 64; i++)
		bins[i] = 0;
	for (int i = first; i < end; i++)
		bins[in[i] & 63]++;
	for (int i = 0; i < 64; i++)
		atomicAdd(&out[i], bins[i]);
}

/* 2D stencil over blocks of 3D indices; the border is copied */
extern "C" __global__ void stencil(int w, int h, const float *in, float *out)
{
	for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < h; y += gridDim.y * blockDim.y) {
		for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < w; x += gridDim.x * blockDim.x) {
			const float *p = in + y * w + x;

			if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
				out[y * w + x] = p[0];
			else
				out[y * w + x] = 0.25f * (p[-1] + p[1] + p[-w] + p[w]);
		}
	}
}

extern "C" __global__ void stencil_plain(int w, int h, const float *in, float *out)
{
	for (int y = blockIdx.x; y < h; y += gridDim.x) {
		for (int x = 0; x < w; x++) {
			const float *p = in + y * w + x;

			if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
				out[y * w + x] = p[0];
			else
				out[y * w + x] = 0.25f * (p[-1] + p[1] + p[-w] + p[w]);
		}
	}
}

/* every index and size, of a grid and blocks in three axes */
extern "C" __global__ void indices(int *out)
{
	int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	int threads = blockDim.x * blockDim.y * blockDim.z;
	int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);

	out[block * threads + t] = block * 1000000 + threadIdx.z * 10000 + threadIdx.y * 100 + threadIdx.x;
}

/* cooperative: out = number of blocks that each block saw behind the grid's barrier, twice */
extern "C" __global__ void grid_barrier(int *count, int *out)
{
	cg::grid_group grid = cg::this_grid();

	for (int round = 1; round <= 2; round++) {
		if (threadIdx.x == 0)
			atomicAdd(count, 1);
		grid.sync();
		if (grid.thread_rank() % grid.size() == blockIdx.x * blockDim.x)
			out[blockIdx.x] += *count == round * (int)gridDim.x;
		grid.sync();
	}
}

extern "C" __global__ void warps(unsigned int *out)
{
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	int t = threadIdx.x, equal;
	unsigned int r = 0;

	r += __popc(__ballot_sync(0xffffffff, t & 1)) == 16;
	r += __any_sync(0xffffffff, t == 5 || t == 37) << 1;
	r += __all_sync(0xffffffff, t < 64) << 2;
	r += (__shfl_sync(0xffffffff, t, 3) == (t & ~31) + 3) << 3;
	r += (__shfl_xor_sync(0xffffffff, (double)t, 1) == (double)(t ^ 1)) << 4;
	r += (__match_any_sync(0xffffffff, t / 4) == 15u << (t % 32 & ~3)) << 5;
	r += (__match_all_sync(0xffffffff, 7, &equal) == 0xffffffff && equal) << 6;
	r += (__reduce_add_sync(0xffffffff, 1) == 32) << 7;
	r += (tile.shfl(t, 0) == (t & ~7) && tile.thread_rank() == t % 8) << 8;
	if (t & 1)
		r += (__popc(__activemask()) == 16) << 9;
	else
		r += (cg::coalesced_threads().size() == 16) << 9;
	__syncwarp();
	r += (__syncthreads_count(t < 10) == 10) << 10;
	r += (__ffs(8) == 4 && __clz(1) == 31 && __brev(1) == 0x80000000u) << 11;
	out[t] = r;
}

/* all sums are exact, so their order does not matter */
extern "C" __global__ void atomics(unsigned int *u, float *f, double *d, unsigned long long *l)
{
	int t = threadIdx.x;

	atomicAdd(&u[0], 1u);
	atomicSub(&u[1], 1u);
	atomicMax(&u[2], (unsigned int)t);
	atomicMin(&u[3], (unsigned int)t + 7);
	atomicInc(&u[4], 9u);
	atomicOr(&u[5], 1u << t % 32);
	atomicXor(&u[6], 1u << t % 32);
	for (unsigned int old = u[7], seen; ; old = seen) {
		seen = atomicCAS(&u[7], old, old + 2);
		if (seen == old)
			break;
	}
	atomicAdd(f, 0.5f);
	atomicMax(f + 1, (float)t);
	atomicAdd(d, 0.25);
	atomicAdd(l, 1ull << 32);
}

/* thread 0 waits for what thread 1 writes, and the other way round */
extern "C" __global__ void ping(volatile int *flag)
{
	int me = threadIdx.x;

	for (int round = 0; round < 10; round++) {
		while (*flag != 2 * round + me)
			;
		*flag = 2 * round + me + 1;
	}
}

extern "C" __global__ void says(int who)
{
	if (threadIdx.x == who)
		printf("thread %d of %d in block %d\n", threadIdx.x + 0, blockDim.x + 0, blockIdx.x + 0);
}

extern "C" __global__ void bad_index(int *out)
{
	if (threadIdx.x == 5 && threadIdx.y == 1)
		*(volatile int *)16 = 1;
	out[0] = 1;
}

extern "C" __global__ void bad_barrier(int *out)
{
	if (threadIdx.x >= 48)
		return;
	__syncthreads();
	out[threadIdx.x] = 1;
}

extern "C" __global__ void bad_mask(int *out)
{
	if (threadIdx.x < 16)
		out[threadIdx.x] = __shfl_sync(0xffffffff, 1, 0);
	else
		__syncthreads();
}

extern "C" __global__ void bad_assert(int n)
{
	assert(n < 0 || threadIdx.x < 3);
}

/* Each block writes into the shared memory of the next one of its cluster, adds to that of the first, and reads all. */
extern "C" __global__ void clusters(int *out)
{
	__shared__ int from, sum;
	cg::cluster_group cluster = cg::this_cluster();
	unsigned int n = cluster.num_blocks(), rank = cluster.block_rank();
	unsigned int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);

	if (threadIdx.x == 0)
		sum = 0;
	cluster.sync();
	if (threadIdx.x == 0)
		*cluster.map_shared_rank(&from, (rank + 1) % n) = (int)block;
	atomicAdd(cluster.map_shared_rank(&sum, 0), 1);
	cluster.sync();
	if (threadIdx.x == 0) {
		out[3 * block] = from;
		out[3 * block + 1] = *cluster.map_shared_rank(&sum, 0);
		out[3 * block + 2] = (int)(cluster.block_index().x + 10 * cluster.block_index().y + 100 * rank);
	}
	cluster.sync();
}

/* Arrivals and waits apart; blocks end at different times, and the memory of those that have ended stays */
extern "C" __global__ void cluster_phases(int *out)
{
	__shared__ int mine;
	cg::cluster_group cluster = cg::this_cluster();
	unsigned int rank = cluster.block_rank();

	for (int round = 0; round < 20; round++) {
		if (threadIdx.x == 0)
			mine = round * 100 + (int)rank;
		cluster.barrier_arrive();
		cluster.barrier_wait();
		if (threadIdx.x == 0)
			out[blockIdx.x] += *cluster.map_shared_rank(&mine, (rank + 1) % cluster.num_blocks()) - round * 100;
		cluster.sync();
	}
	if (rank)
		return;
	for (int i = 0; i < 100000; i++)
		__nanosleep(1);
	if (threadIdx.x == 0)
		out[blockIdx.x] += *cluster.map_shared_rank(&mine, (int)cluster.num_blocks() - 1) - 1900;
}

extern "C" __global__ void bad_peer(int *out)
{
	__shared__ int mine;

	mine = 1;
	out[0] = *cg::this_cluster().map_shared_rank(&mine, 2);
}

extern "C" __global__ void bad_cluster_wait(int *out)
{
	__cluster_barrier_wait();
	out[0] = 1;
}

/* Written for clusters of 2 x 1 x 1 blocks: out[block] = its number in the cluster */
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) paired(unsigned int *out)
{
	out[blockIdx.x] = anpu_info()->cluster_rank;
}

/* Compiles in the words of the device API; tests/cuda/graphs.c has the effect */
extern "C" __global__ void change_nodes(cudaGraphDeviceNode_t node, int value)
{
	cudaGraphKernelNodeUpdate u[2] = {};

	u[0].node = u[1].node = node;
	u[0].field = cudaGraphKernelNodeFieldGridDim;
	u[0].updateData.gridDim = dim3(2, 1, 1);
	u[1].field = cudaGraphKernelNodeFieldEnabled;
	u[1].updateData.isEnabled = gridDim.x == 1;
	if (cudaGraphKernelNodeUpdatesApply(u, 2) != cudaSuccess || cudaGraphKernelNodeSetParam(node, 0, value) != cudaSuccess ||
	    cudaGraphKernelNodeSetGridDim(node, gridDim) != cudaSuccess || cudaGraphKernelNodeSetEnabled(node, true) != cudaSuccess)
		printf("refused\n");
}
