/* SPDX-License-Identifier: MIT */
/* Cooperative groups: blocks, grids, tiles of a warp, coalesced threads. */
#pragma once
#include <cuda_runtime.h>

namespace cooperative_groups {

class thread_block {
public:
	static void sync() { __syncthreads(); }
	static unsigned int thread_rank() { return anpu_thread_number(); }
	static unsigned int size() { return anpu_info()->threads; }
	static unsigned int num_threads() { return size(); }
	static dim3 group_index() { return blockIdx; }
	static dim3 thread_index() { return threadIdx; }
	static dim3 group_dim() { return blockDim; }
};

static inline thread_block this_thread_block() { return {}; }

/* The blocks of a cluster: of a launch with a cluster dimension, else of one block */
class cluster_group {
public:
	class arrival_token {};
	static arrival_token barrier_arrive() { __cluster_barrier_arrive(); return {}; }
	static void barrier_wait() { __cluster_barrier_wait(); }
	static void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
	static void sync() { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
	static unsigned int block_rank() { return anpu_info()->cluster_rank; }
	static unsigned int num_blocks() { return anpu_info()->cluster_blocks; }
	static unsigned int thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
	static unsigned int num_threads() { return num_blocks() * thread_block::size(); }
	static unsigned int size() { return num_threads(); }
	static dim3 block_index() { return anpu_info_at(cluster_idx); }
	static dim3 dim_blocks() { return anpu_info_at(cluster_dim); }
	static dim3 dim_threads()
	{
		dim3 b = dim_blocks();

		return { b.x * blockDim.x, b.y * blockDim.y, b.z * blockDim.z };
	}
	/* where block @rank has what is at @shared in the caller's shared memory */
	template <class T> static T *map_shared_rank(T *shared, int rank)
	{
		return (T *)((uintptr_t)shared - ANPU_UB_BASE + ANPU_PEER_BASE + (uintptr_t)rank * ANPU_PEER_STRIDE);
	}
	template <class T> static unsigned int query_shared_rank(const T *at)
	{
		return (uintptr_t)at < ANPU_PEER_BASE ? block_rank() :
							(unsigned int)(((uintptr_t)at - ANPU_PEER_BASE) / ANPU_PEER_STRIDE);
	}
};

static inline cluster_group this_cluster() { return {}; }

/* All blocks of a launch that is cooperative, that is, with ANPU_SCHED_BATCH */
class grid_group {
public:
	static void sync()
	{
		__syncthreads();
		if (!thread_block::thread_rank())
			anpu_sys_SYNCALL(ANPU_SYNC_KIND, 0);
		__syncthreads();
	}
	static unsigned long long block_rank()
	{
		return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	}
	static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
	static unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
	static unsigned long long size() { return num_blocks() * thread_block::size(); }
	static unsigned long long num_threads() { return size(); }
	static bool is_valid() { return true; }
	static dim3 group_dim() { return gridDim; }
};

static inline grid_group this_grid() { return {}; }

/* The lanes of a mask: a tile, or threads that have come together */
class coalesced_group {
protected:
	unsigned int mask;

	/* the lane of the @rank-th member */
	int lane_of(unsigned int rank) const
	{
		unsigned int left = mask;

		while (rank--)
			left &= left - 1;
		return __builtin_ctz(left ? left : mask);
	}
public:
	explicit coalesced_group(unsigned int lanes) : mask(lanes) {}
	void sync() const { __syncwarp(mask); }
	unsigned int size() const { return (unsigned int)__popc(mask); }
	unsigned int num_threads() const { return size(); }
	unsigned int thread_rank() const { return (unsigned int)__popc(mask & ((1u << anpu_lane()) - 1)); }
	int any(int p) const { return __any_sync(mask, p); }
	int all(int p) const { return __all_sync(mask, p); }
	template <class T> T shfl(T v, unsigned int rank) const { return __shfl_sync(mask, v, lane_of(rank)); }
};

#define coalesced_threads()	coalesced_group(__activemask())

template <unsigned int N, class Parent = thread_block> class thread_block_tile {
	static_assert(N == 1 || N == 2 || N == 4 || N == 8 || N == 16 || N == 32,
		      "a tile has 1, 2, 4, 8, 16 or 32 threads");
	static unsigned int first() { return anpu_lane() & ~(N - 1); }
	static unsigned int mask() { return (N == 32 ? ~0u : (1u << N % 32) - 1) << first(); }
public:
	static void sync() { __syncwarp(mask()); }
	static constexpr unsigned int size() { return N; }
	static constexpr unsigned int num_threads() { return N; }
	static unsigned int thread_rank() { return anpu_lane() % N; }
	static unsigned int meta_group_rank() { return thread_block::thread_rank() / N; }
	static unsigned int meta_group_size() { return (thread_block::size() + N - 1) / N; }
	static int any(int p) { return __any_sync(mask(), p); }
	static int all(int p) { return __all_sync(mask(), p); }
	static unsigned int ballot(int p) { return __ballot_sync(mask(), p) >> first(); }
	template <class T> static T shfl(T v, int rank) { return __shfl_sync(mask(), v, rank, N); }
	template <class T> static T shfl_up(T v, unsigned int n) { return __shfl_up_sync(mask(), v, n, N); }
	template <class T> static T shfl_down(T v, unsigned int n) { return __shfl_down_sync(mask(), v, n, N); }
	template <class T> static T shfl_xor(T v, int n) { return __shfl_xor_sync(mask(), v, n, N); }
	template <class T> static unsigned int match_any(T v) { return __match_any_sync(mask(), v) >> first(); }
};

template <unsigned int N, class Parent> static inline thread_block_tile<N, Parent> tiled_partition(const Parent &)
{
	return {};
}

template <class Group> static inline void sync(const Group &group) { group.sync(); }

} /* namespace cooperative_groups */
