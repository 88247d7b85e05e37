/* SPDX-License-Identifier: MIT */
/* Cooperative groups: blocks, grids, tiles of a warp, coalesced threads. */
#pragma once
#include <cuda_runtime.h>
#include "device/copy.h"

/* a fault in a barrier has the line of the kernel that comes to it */
#define ANPU_GROUP_SYNC __attribute__((always_inline, nodebug))

namespace cooperative_groups {

class thread_block {
public:
	ANPU_GROUP_SYNC static void sync() { __syncthreads(); }
	static unsigned int thread_rank() { return anpu_thread_number(); }
	static unsigned int size() { return anpu_info()->threads; }
	static unsigned int num_threads() { return size(); }
	static dim3 group_index() { return blockIdx; }
	static dim3 thread_index() { return threadIdx; }
	static dim3 group_dim() { return blockDim; }
	static dim3 dim_threads() { return blockDim; }
	/* what a thread does between the two needs no other thread's progress, so all of the barrier may be in the second one */
	class arrival_token {};
	static arrival_token barrier_arrive() { __threadfence_block(); return {}; }
	ANPU_GROUP_SYNC static void barrier_wait(arrival_token &&) { sync(); }
};

/* Memory that tiles of several warps want on other devices; these have barriers and a few words of their own */
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {};

static inline thread_block this_thread_block() { return {}; }
template <unsigned int N> static inline thread_block this_thread_block(block_tile_memory<N> &) { return {}; }

/* A value of any size, which @exchange moves in parts of 8 bytes */
template <class T, class F> static inline T anpu_in_parts(T v, F exchange)
{
	if constexpr (sizeof(T) <= 8) {
		return exchange(v);
	} else {
		constexpr unsigned int n = (sizeof(T) + 7) / 8;
		uint64_t part[n] = {};

		__builtin_memcpy(part, &v, sizeof(T));
		for (unsigned int i = 0; i < n; i++)
			part[i] = exchange(part[i]);
		__builtin_memcpy(&v, part, sizeof(T));
		return v;
	}
}

/* The blocks of a cluster: of a launch with a cluster dimension, else of one block */
class cluster_group {
public:
	class arrival_token {};
	static arrival_token barrier_arrive() { __cluster_barrier_arrive(); return {}; }
	static void barrier_wait() { __cluster_barrier_wait(); }
	static void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
	ANPU_GROUP_SYNC static void sync() { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
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
	ANPU_GROUP_SYNC static void sync()
	{
		static const char why[] = "grid.sync(): the launch is not cooperative: cuLaunchCooperativeKernel() or cudaLaunchCooperativeKernel()";

		if (!is_valid())
			anpu_sys_TRAP((uint64_t)why, sizeof(why) - 1);
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
	static bool is_valid() { return anpu_info()->cooperative; }
	static dim3 group_dim() { return gridDim; }
	static dim3 dim_blocks() { return gridDim; }
	static dim3 block_index() { return blockIdx; }
};

static inline grid_group this_grid() { return {}; }

/* The threads of a group that are a part of a warp, as a mask of lanes */
class coalesced_group {
protected:
	unsigned int mask;
	unsigned int number = 0, groups = 1; /* which of its parent's groups it is */

	/* the lane of the @rank-th member */
	int lane_of(unsigned int rank) const
	{
		unsigned int left = mask;

		while (rank--)
			left &= left - 1;
		return __builtin_ctz(left ? left : mask);
	}
	/* lanes of the warp as ranks of the group */
	unsigned int ranks_of(unsigned int lanes) const
	{
		unsigned int ranks = 0;

		for (unsigned int left = mask, rank = 0; left; left &= left - 1, rank++)
			ranks |= (lanes >> __builtin_ctz(left) & 1) << rank;
		return ranks;
	}
public:
	explicit coalesced_group(unsigned int lanes, unsigned int number = 0, unsigned int groups = 1) :
		mask(lanes), number(number), groups(groups)
	{
	}
	ANPU_GROUP_SYNC void sync() const { __syncwarp(mask); }
	unsigned int size() const { return (unsigned int)__popc(mask); }
	unsigned int num_threads() const { return size(); }
	unsigned int thread_rank() const { return (unsigned int)__popc(mask & ((1u << anpu_lane()) - 1)); }
	unsigned int meta_group_rank() const { return number; }
	unsigned int meta_group_size() const { return groups; }
	unsigned int anpu_lanes() const { return mask; }
	int any(int p) const { return __any_sync(mask, p); }
	int all(int p) const { return __all_sync(mask, p); }
	unsigned int ballot(int p) const { return ranks_of(__ballot_sync(mask, p)); }
	template <class T> unsigned int match_any(T v) const { return ranks_of(__match_any_sync(mask, v)); }
	template <class T> unsigned int match_all(T v, int &equal) const
	{
		return ranks_of(__match_all_sync(mask, v, &equal));
	}
	template <class T> T shfl(T v, unsigned int rank) const
	{
		int lane = lane_of(rank);

		return anpu_in_parts(v, [=, lanes = mask](auto part) { return __shfl_sync(lanes, part, lane); });
	}
	template <class T> T shfl_up(T v, unsigned int n) const
	{
		unsigned int rank = thread_rank();

		return shfl(v, rank < n ? rank : rank - n);
	}
	template <class T> T shfl_down(T v, unsigned int n) const
	{
		unsigned int rank = thread_rank();

		return shfl(v, rank + n < size() ? rank + n : rank);
	}
};

#define coalesced_threads()	coalesced_group(__activemask())

/* Tiles of several warps: each has a barrier of the block, of which there are 31 beside the one of __syncthreads() */
template <unsigned int N> class anpu_warps_tile {
	static_assert(N == 64 || N == 128 || N == 256 || N == 512, "a tile has a power of 2 of threads, 1 to 512");
	/* a value of each tile, which one thread writes for all */
	static uint64_t *room()
	{
		static __thread uint64_t words[ANPU_BARRIERS][4];

		return words[thread_block::thread_rank() / N];
	}
public:
	ANPU_GROUP_SYNC static void sync()
	{
		unsigned int tile = thread_block::thread_rank() / N, last = thread_block::size() - tile * N;

		static_assert(1024 / N < ANPU_BARRIERS, "a barrier for each tile of a block");
		anpu_thread_BAR(ANPU_BAR(tile + 1, ANPU_BAR_SYNC, last < N ? (last + 31) / 32 * 32 : N), 0);
	}
	static constexpr unsigned int size() { return N; }
	static constexpr unsigned int num_threads() { return N; }
	static unsigned int thread_rank() { return thread_block::thread_rank() % N; }
	static unsigned int meta_group_rank() { return thread_block::thread_rank() / N; }
	static unsigned int meta_group_size() { return (thread_block::size() + N - 1) / N; }
	/* the value of the thread that all name */
	template <class T> static T shfl(T v, unsigned int rank)
	{
		static_assert(sizeof(T) <= sizeof(uint64_t[4]), "values of up to 32 bytes can be exchanged in a tile of several warps");
		T got;

		if (thread_rank() == rank)
			__builtin_memcpy(room(), &v, sizeof(T));
		sync();
		__builtin_memcpy(&got, room(), sizeof(T));
		sync();
		return got;
	}
	/* the values of all, by @op: first those of each warp, then those of the warps in their order */
	template <class T, class Op> static T anpu_reduce(T v, Op op)
	{
		for (unsigned int step = 1; step < 32; step *= 2) {
			unsigned int lane = anpu_lane(), from = lane + step < 32 ? lane + step : lane;
			T other = anpu_in_parts(v, [=](auto part) { return __shfl_sync(~0u, part, (int)from); });

			if (lane + step < 32)
				v = op(v, other);
		}
		T all = shfl(v, 0);

		for (unsigned int warp = 32; warp < N; warp += 32) {
			T next = shfl(v, warp);

			all = op(all, next);
		}
		return all;
	}
	static int any(int p) { return anpu_reduce(p != 0, [](int a, int b) { return a | b; }); }
	static int all(int p) { return anpu_reduce(p != 0, [](int a, int b) { return a & b; }); }
	/* those of the threads up to this one */
	template <class T, class Op> static T anpu_scan(T v, Op op)
	{
		unsigned int lane = anpu_lane();

		for (unsigned int step = 1; step < 32; step *= 2) {
			T other = anpu_in_parts(v, [=](auto part) { return __shfl_sync(~0u, part, (int)(lane < step ? lane : lane - step)); });

			if (lane >= step)
				v = op(other, v);
		}
		/* what the warps in front of this one have together */
		T own = v, before = shfl(own, 31);

		for (unsigned int warp = 32; warp < N; warp += 32) {
			T sum = shfl(own, warp + 31);

			if (thread_rank() / 32 == warp / 32)
				v = op(before, own);
			before = op(before, sum);
		}
		return v;
	}
};

template <unsigned int N, class Parent = void, bool warps = (N > 32)> class thread_block_tile;

template <unsigned int N, class Parent> class thread_block_tile<N, Parent, true> : public anpu_warps_tile<N> {
public:
	thread_block_tile() {}
	template <class Other> thread_block_tile(const thread_block_tile<N, Other> &) {}
};

template <unsigned int N, class Parent> class thread_block_tile<N, Parent, false> {
	static_assert(N == 1 || N == 2 || N == 4 || N == 8 || N == 16 || N == 32, "a tile has a power of 2 of threads, 1 to 512");
	static unsigned int first() { return anpu_lane() & ~(N - 1); }
	static unsigned int mask() { return (N == 32 ? ~0u : (1u << N % 32) - 1) << first(); }
public:
	thread_block_tile() {}
	/* a tile whose type does not name what it is a part of takes any */
	template <class Other> thread_block_tile(const thread_block_tile<N, Other> &) {}
	ANPU_GROUP_SYNC static void sync() { __syncwarp(mask()); }
	static constexpr unsigned int size() { return N; }
	static constexpr unsigned int num_threads() { return N; }
	static unsigned int thread_rank() { return anpu_lane() % N; }
	static unsigned int meta_group_rank() { return thread_block::thread_rank() / N; }
	static unsigned int meta_group_size() { return (thread_block::size() + N - 1) / N; }
	static unsigned int anpu_lanes() { return mask(); }
	static int any(int p) { return __any_sync(mask(), p); }
	static int all(int p) { return __all_sync(mask(), p); }
	static unsigned int ballot(int p) { return __ballot_sync(mask(), p) >> first(); }
	template <class T> static T shfl(T v, int rank)
	{
		return anpu_in_parts(v, [=](auto part) { return __shfl_sync(mask(), part, rank, N); });
	}
	template <class T> static T shfl_up(T v, unsigned int n)
	{
		return anpu_in_parts(v, [=](auto part) { return __shfl_up_sync(mask(), part, n, N); });
	}
	template <class T> static T shfl_down(T v, unsigned int n)
	{
		return anpu_in_parts(v, [=](auto part) { return __shfl_down_sync(mask(), part, n, N); });
	}
	template <class T> static T shfl_xor(T v, int n)
	{
		return anpu_in_parts(v, [=](auto part) { return __shfl_xor_sync(mask(), part, n, N); });
	}
	template <class T> static unsigned int match_any(T v) { return __match_any_sync(mask(), v) >> first(); }
	template <class T> static unsigned int match_all(T v, int &equal)
	{
		return __match_all_sync(mask(), v, &equal) >> first();
	}
};

/* A tile of a tile is numbered within that */
template <unsigned int N, unsigned int M, class P> class thread_block_tile<N, thread_block_tile<M, P>, false> :
	public thread_block_tile<N, void> {
public:
	static unsigned int meta_group_rank() { return thread_block::thread_rank() % M / N; }
	static unsigned int meta_group_size() { return M / N; }
};

template <unsigned int N, class Parent> static inline thread_block_tile<N, Parent> tiled_partition(const Parent &)
{
	return {};
}

/* Any group: the threads of a part of a warp, of a block, of a cluster or of a grid */
class thread_group : public coalesced_group {
	enum kind { WARP, BLOCK, CLUSTER, GRID } kind = WARP;
public:
	thread_group(const coalesced_group &g) : coalesced_group(g) {}
	template <unsigned int N, class Parent> thread_group(const thread_block_tile<N, Parent> &g) :
		coalesced_group(g.anpu_lanes(), g.meta_group_rank(), g.meta_group_size())
	{
	}
	thread_group(const thread_block &) : coalesced_group(~0u), kind(BLOCK) {}
	thread_group(const cluster_group &) : coalesced_group(~0u), kind(CLUSTER) {}
	thread_group(const grid_group &) : coalesced_group(~0u), kind(GRID) {}
	bool anpu_is_block() const { return kind == BLOCK; }
	ANPU_GROUP_SYNC void sync() const
	{
		if (kind == WARP)
			coalesced_group::sync();
		else if (kind == BLOCK)
			thread_block::sync();
		else if (kind == CLUSTER)
			cluster_group::sync();
		else
			grid_group::sync();
	}
	unsigned long long size() const
	{
		return kind == WARP ? coalesced_group::size() : kind == BLOCK ? thread_block::size() :
		       kind == CLUSTER ? cluster_group::size() : grid_group::size();
	}
	unsigned long long num_threads() const { return size(); }
	unsigned long long thread_rank() const
	{
		return kind == WARP ? coalesced_group::thread_rank() : kind == BLOCK ? thread_block::thread_rank() :
		       kind == CLUSTER ? cluster_group::thread_rank() : grid_group::thread_rank();
	}
	bool is_valid() const { return kind != GRID || grid_group::is_valid(); }
};

static inline coalesced_group tiled_partition(const thread_block &, unsigned int n)
{
	unsigned int first = anpu_lane() & ~(n - 1);

	return coalesced_group((n >= 32 ? ~0u : (1u << n) - 1) << first, thread_block::thread_rank() / n,
			       (thread_block::size() + n - 1) / n);
}

static inline coalesced_group tiled_partition(const coalesced_group &g, unsigned int n)
{
	unsigned int part = g.thread_rank() / n, lanes = 0, rank = 0;

	for (unsigned int left = g.anpu_lanes(); left; left &= left - 1, rank++)
		if (rank / n == part)
			lanes |= left & -left;
	return coalesced_group(lanes, part, (g.size() + n - 1) / n);
}

static inline coalesced_group tiled_partition(const thread_group &g, unsigned int n)
{
	return g.anpu_is_block() ? tiled_partition(thread_block(), n) : tiled_partition((const coalesced_group &)g, n);
}

/* The members of a group with the same label */
template <class Group> static inline coalesced_group labeled_partition(const Group &g, int label)
{
	return coalesced_group(__match_any_sync(g.anpu_lanes(), label));
}
template <class Group> static inline coalesced_group binary_partition(const Group &g, bool pred)
{
	return labeled_partition(g, pred);
}

template <class Group> static inline void sync(const Group &group) { group.sync(); }
template <class Group> static inline unsigned int thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> static inline unsigned int group_size(const Group &group) { return group.size(); }

/* One thread of a group, always the first one here */
template <class Group, class F, class... Args> static inline void invoke_one(const Group &group, F &&f, Args &&...args)
{
	if (!group.thread_rank())
		f(args...);
}
/* The same; all get what it returns */
template <class Group, class F, class... Args>
static inline auto invoke_one_broadcast(const Group &group, F &&f, Args &&...args) -> decltype(f(args...))
{
	decltype(f(args...)) result{};

	if (!group.thread_rank())
		result = f(args...);
	return group.shfl(result, 0);
}

/* Operations for reduce() and scans */
template <class T = void> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T = void> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T = void> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T = void> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T = void> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T = void> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
#define ANPU_ANY_TYPE(name, expression) \
	template <> struct name<void> { \
		template <class T> T operator()(T a, T b) const { return expression; } \
	};
ANPU_ANY_TYPE(plus, a + b)
ANPU_ANY_TYPE(less, b < a ? b : a)
ANPU_ANY_TYPE(greater, a < b ? b : a)
ANPU_ANY_TYPE(bit_and, a & b)
ANPU_ANY_TYPE(bit_or, a | b)
ANPU_ANY_TYPE(bit_xor, a ^ b)
#undef ANPU_ANY_TYPE

template <unsigned int N, class P, class T, class Op> static inline T anpu_reduce(const thread_block_tile<N, P, true> &g, T v, Op op)
{
	return g.anpu_reduce(v, op);
}
template <unsigned int N, class P, class T, class Op> static inline T anpu_scan(const thread_block_tile<N, P, true> &g, T v, Op op)
{
	return g.anpu_scan(v, op);
}

/* The values of all members, which each of them gets. Members are added in the order of a tree. */
template <class Group, class T, class Op> static inline T anpu_reduce(const Group &g, T v, Op op)
{
	unsigned int rank = g.thread_rank(), n = g.size();

	for (unsigned int step = 1; step < n; step *= 2) {
		T other = g.shfl(v, (int)(rank + step < n ? rank + step : rank));

		if (rank + step < n)
			v = op(v, other);
	}
	return g.shfl(v, 0);
}
template <class Group, class T, class Op> static inline T reduce(const Group &g, T v, Op op) { return anpu_reduce(g, v, op); }

/* The result of all becomes a part of what stands at @to, in one atomic step of one member */
template <class Group, class To, class T, class Op> static inline void reduce_update_async(const Group &g, To &to, T v, Op op)
{
	T all = reduce(g, v, op);

	if (!g.thread_rank()) {
		auto old = to.load();

		while (!to.compare_exchange_weak(old, op(old, all)))
			;
	}
}
template <class Group, class T, class Op> static inline void reduce_store_async(const Group &g, T *to, T v, Op op)
{
	T all = reduce(g, v, op);

	if (!g.thread_rank())
		*to = all;
}

/* The values of all members up to this one */
template <class Group, class T, class Op> static inline T anpu_scan(const Group &g, T v, Op op)
{
	unsigned int rank = g.thread_rank(), n = g.size();

	for (unsigned int step = 1; step < n; step *= 2) {
		T other = g.shfl(v, (int)(rank < step ? rank : rank - step));

		if (rank >= step)
			v = op(other, v);
	}
	return v;
}
template <class Group, class T, class Op> static inline T inclusive_scan(const Group &g, T v, Op op) { return anpu_scan(g, v, op); }
template <class Group, class T> static inline T inclusive_scan(const Group &g, T v)
{
	return inclusive_scan(g, v, plus<T>());
}
/* The same without this one; the first member gets T() */
template <class Group, class T, class Op> static inline T exclusive_scan(const Group &g, T v, Op op)
{
	unsigned int rank = g.thread_rank();
	T all = inclusive_scan(g, v, op), before = g.shfl(all, (int)(rank ? rank - 1 : 0));

	return rank ? before : T();
}
/* Scans whose first member begins with what stands at @to, which becomes its result with all values */
template <class Group, class To, class T, class Op>
static inline T anpu_scan_update(const Group &g, To &to, T v, Op op, bool with_own)
{
	T own = inclusive_scan(g, v, op), all = g.shfl(own, (int)g.size() - 1), before = g.shfl_up(own, 1), start{};

	if (!g.thread_rank()) {
		start = to.load();
		while (!to.compare_exchange_weak(start, op(start, all)))
			;
	}
	start = g.shfl(start, 0);
	return with_own ? op(start, own) : g.thread_rank() ? op(start, before) : start;
}
template <class Group, class To, class T, class Op = plus<T>>
static inline T inclusive_scan_update(const Group &g, To &to, T v, Op op = Op())
{
	return anpu_scan_update(g, to, v, op, true);
}
template <class Group, class To, class T, class Op = plus<T>>
static inline T exclusive_scan_update(const Group &g, To &to, T v, Op op = Op())
{
	return anpu_scan_update(g, to, v, op, false);
}
template <class Group, class T> static inline T exclusive_scan(const Group &g, T v)
{
	return exclusive_scan(g, v, plus<T>());
}

/* Copies by the threads of the group; they are complete when wait() returns, which is a barrier */
template <class Group, class T, class Bytes> static inline void memcpy_async(const Group &g, T *to, const T *from, Bytes bytes)
{
	anpu_copy_part(to, from, (size_t)bytes, g.thread_rank(), g.size());
}
/* As many elements as both sides have */
template <class Group, class T, class N, class M> static inline void memcpy_async(const Group &g, T *to, N room, const T *from, M n)
{
	anpu_copy_part(to, from, ((size_t)room < (size_t)n ? (size_t)room : (size_t)n) * sizeof(T), g.thread_rank(), g.size());
}
template <class Group> static inline void wait(const Group &g) { g.sync(); }
template <unsigned int N, class Group> static inline void wait_prior(const Group &g) { g.sync(); }

} /* namespace cooperative_groups */
