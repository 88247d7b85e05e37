/* SPDX-License-Identifier: MIT */
/* Where a thread is, dynamic shared memory, barriers of the block, fences, clocks. */
#pragma once

/* Numbers of type unsigned int wherever they stand, also as an argument of printf() or of a template */
struct anpu_thread_index {
	static unsigned int get_x() { return anpu_thread_x(); }
	static unsigned int get_y() { return anpu_thread_y(); }
	static unsigned int get_z() { return anpu_thread_z(); }
	__declspec(property(get = get_x)) unsigned int x;
	__declspec(property(get = get_y)) unsigned int y;
	__declspec(property(get = get_z)) unsigned int z;
	operator dim3() const { return { x, y, z }; }
	operator uint3() const { return { x, y, z }; }
};

struct anpu_block_field {
	unsigned int x, y, z;
	operator dim3() const { return { x, y, z }; }
	operator uint3() const { return { x, y, z }; }
};

static constexpr anpu_thread_index threadIdx = {};
#define anpu_info_at(field) \
	(*(const anpu_block_field *)(uintptr_t)(ANPU_INFO_BASE + __builtin_offsetof(anpu_block_info, field)))
/* no macros, because structures have members of these names */
static const anpu_block_field &blockIdx = anpu_info_at(block_idx);
static const anpu_block_field &blockDim = anpu_info_at(block_dim);
static const anpu_block_field &gridDim = anpu_info_at(grid_dim);

/* anpucc replaces "extern __shared__ T name[];" by this, in functions by at() */
template <class T> struct anpu_dynamic_shared {
	static T *at() { return (T *)(uintptr_t)anpu_info()->dynamic; }
	operator T *() const { return at(); }
	template <class I> T &operator[](I i) const { return at()[i]; }
	T &operator*() const { return *at(); }
	T *operator+() const { return at(); }
	template <class I> T *operator+(I i) const { return at() + i; }
	template <class U> explicit operator U *() const { return (U *)at(); }
};

ANPU_INLINE void __syncthreads(void) { anpu_thread_BAR(ANPU_BAR(0, ANPU_BAR_SYNC, 0), 0); }
ANPU_INLINE int __syncthreads_count(int p) { return (int)anpu_thread_BAR(ANPU_BAR(0, ANPU_BAR_COUNT, 0), p); }
ANPU_INLINE int __syncthreads_and(int p) { return (int)anpu_thread_BAR(ANPU_BAR(0, ANPU_BAR_AND, 0), p); }
ANPU_INLINE int __syncthreads_or(int p) { return (int)anpu_thread_BAR(ANPU_BAR(0, ANPU_BAR_OR, 0), p); }
/* The threads of a block arrive together: one of them does it for all. */
ANPU_INLINE void __cluster_barrier_arrive(void)
{
	__syncthreads();
	if (!anpu_thread_number())
		anpu_thread_CLUSTER(ANPU_CLUSTER_ARRIVE, 0);
}
ANPU_INLINE void __cluster_barrier_wait(void)
{
	if (!anpu_thread_number())
		anpu_thread_CLUSTER(ANPU_CLUSTER_WAIT, 0);
	__syncthreads();
}
ANPU_INLINE void __cluster_barrier_arrive_relaxed(void) { __cluster_barrier_arrive(); }
/* The place of a block in its cluster, and of the cluster in the grid; what cooperative groups' cluster_group has, too */
ANPU_INLINE bool __clusterDimIsSpecified(void) { return anpu_info()->cluster_blocks > 1; }
ANPU_INLINE dim3 __clusterDim(void) { return anpu_info_at(cluster_dim); }
ANPU_INLINE dim3 __clusterRelativeBlockIdx(void) { return anpu_info_at(cluster_idx); }
ANPU_INLINE unsigned int __clusterRelativeBlockRank(void) { return anpu_info()->cluster_rank; }
ANPU_INLINE dim3 __clusterIdx(void)
{
	dim3 n = __clusterDim();

	return { blockIdx.x / n.x, blockIdx.y / n.y, blockIdx.z / n.z };
}
ANPU_INLINE dim3 __clusterGridDimInClusters(void)
{
	dim3 n = __clusterDim();

	return { gridDim.x / n.x, gridDim.y / n.y, gridDim.z / n.z };
}
ANPU_INLINE unsigned int __clusterSizeInBlocks(void) { return anpu_info()->cluster_blocks; }
ANPU_INLINE void __threadfence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ANPU_INLINE void __threadfence_block(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ANPU_INLINE void __threadfence_system(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ANPU_INLINE void __nanosleep(unsigned int) { anpu_thread_YIELD(0, 0); }
/* one call of any thread counts for its block, which is as the API has it */
ANPU_INLINE void cudaTriggerProgrammaticLaunchCompletion(void) { anpu_thread_TRIGGER(0, 0); }
ANPU_INLINE void cudaGridDependencySynchronize(void) { anpu_thread_GRIDWAIT(0, 0); }
ANPU_INLINE void __trap(void) { __builtin_trap(); }
ANPU_INLINE void __brkpt(void) { __builtin_trap(); }
ANPU_INLINE long long clock64(void) { return (long long)anpu_csr_cycle(); }
ANPU_INLINE long clock(void) { return (long)anpu_csr_cycle(); }
ANPU_INLINE unsigned long long globaltimer(void) { return anpu_time_ns(); }
/* Loads and stores with hints for caches, which this device has none of */
#define ANPU_LOAD(name) template <class T> ANPU_INLINE T name(const T *p) { return *p; }
#define ANPU_STORE(name) template <class T> ANPU_INLINE void name(T *p, T v) { *p = v; }
ANPU_LOAD(__ldg) ANPU_LOAD(__ldca) ANPU_LOAD(__ldcg) ANPU_LOAD(__ldcs) ANPU_LOAD(__ldlu)
template <class T> ANPU_INLINE T __ldcv(const T *p) { return *(const volatile T *)p; }
ANPU_STORE(__stwb) ANPU_STORE(__stcg) ANPU_STORE(__stcs) ANPU_STORE(__stwt)
#undef ANPU_LOAD
#undef ANPU_STORE
ANPU_INLINE bool __isGlobal(const void *p) { return (uintptr_t)p >= ANPU_GM_BASE; }
ANPU_INLINE bool __isShared(const void *p) { return (uintptr_t)p - ANPU_UB_BASE < ANPU_UB_SIZE; }
ANPU_INLINE bool __isLocal(const void *p) { return (uintptr_t)p - ANPU_STACK_BASE < ANPU_STACK_SIZE; }
/* Constants are variables in global memory, and parameters of kernels copies on the stack. */
ANPU_INLINE bool __isConstant(const void *) { return false; }
ANPU_INLINE bool __isGridConstant(const void *) { return false; }
ANPU_INLINE size_t __cvta_generic_to_shared(const void *p) { return (uintptr_t)p - ANPU_UB_BASE; }
ANPU_INLINE void *__cvta_shared_to_generic(size_t at) { return (void *)(ANPU_UB_BASE + at); }
/* The other kinds of memory have one address. */
ANPU_INLINE size_t __cvta_generic_to_global(const void *p) { return (uintptr_t)p; }
ANPU_INLINE size_t __cvta_generic_to_local(const void *p) { return (uintptr_t)p; }
ANPU_INLINE size_t __cvta_generic_to_constant(const void *p) { return (uintptr_t)p; }
ANPU_INLINE void *__cvta_global_to_generic(size_t at) { return (void *)at; }
ANPU_INLINE void *__cvta_local_to_generic(size_t at) { return (void *)at; }
ANPU_INLINE void *__cvta_constant_to_generic(size_t at) { return (void *)at; }
