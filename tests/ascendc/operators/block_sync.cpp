// SPDX-License-Identifier: MIT
/*
 * Blocks that wait for each other through global memory. There may be more of them than the device has cores, and they
 * start in any order: whoever waits lets others run.
 */
#include "kernel_operator.h"

using namespace AscendC;

/* y = sums of x up to each part's end: block n adds its part to what block n - 1 has handed on */
extern "C" __global__ __aicore__ void running_sums(GM_ADDR x, GM_ADDR y, GM_ADDR sync)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	__gm__ int32_t *in = reinterpret_cast<__gm__ int32_t *>(x), *out = reinterpret_cast<__gm__ int32_t *>(y);
	GlobalTensor<int32_t> syncGm;
	TPipe pipe;
	TBuf<TPosition::VECCALC> buffer;
	int32_t me = GetBlockIdx(), sum = 0;

	pipe.InitBuffer(buffer, 32);
	LocalTensor<int32_t> ub = buffer.Get<int32_t>();
	syncGm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(sync));
	for (int32_t round = 0; round < 3; round++) {
		if (me)
			IBWait(syncGm, ub, me - 1, 1);
		sum = (me ? out[me - 1] : 0) + in[me] + round;
		out[me] = sum;
		DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(syncGm);
		if (me + 1 < GetBlockNum())
			IBSet(syncGm, ub, me, 1);
		/* the next round begins when all have gone */
		SyncAll();
	}
}

/* The first @used blocks meet without the others, ten times; each notes how far the slowest one is */
extern "C" __global__ __aicore__ void some_blocks(GM_ADDR y, GM_ADDR sync, int32_t used)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	__gm__ int32_t *out = reinterpret_cast<__gm__ int32_t *>(y);
	GlobalTensor<int32_t> syncGm;
	LocalTensor<int32_t> ub;
	int32_t me = GetBlockIdx();

	if (me >= used)
		return;
	syncGm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(sync));
	for (int32_t round = 1; round <= 10; round++) {
		out[me] = round;
		SyncAll(syncGm, ub, used);
		for (int32_t i = 0; i < used; i++)
			assert(out[i] == round);
		SyncAll(syncGm, ub, used);
	}
}

/* Blocks append to a list in turn, twice around */
extern "C" __global__ __aicore__ void in_turn(GM_ADDR y, GM_ADDR sync)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	__gm__ int32_t *out = reinterpret_cast<__gm__ int32_t *>(y);
	GlobalTensor<int32_t> syncGm;
	LocalTensor<int32_t> ub;

	syncGm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(sync));
	InitDetermineComputeWorkspace(syncGm, ub);
	for (int32_t round = 0; round < 2; round++) {
		WaitPreBlock(syncGm, ub);
		out[1 + out[0]] = int32_t(GetBlockIdx());
		out[0]++;
		NotifyNextBlock(syncGm, ub);
	}
}

/* Block 0 looks at memory until the last block has written there, without any function for that */
extern "C" __global__ __aicore__ void looking(GM_ADDR y)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	__gm__ volatile int32_t *out = reinterpret_cast<__gm__ volatile int32_t *>(y);

	if (GetBlockIdx() + 1 == GetBlockNum())
		out[0] = 7;
	if (!GetBlockIdx()) {
		while (out[0] != 7)
			dcci(out);
		out[1] = 8;
	}
}

__BLOCK_LOCAL__ static __inline__ int32_t rounds;
__BLOCK_LOCAL__ __inline__ int64_t added[3];

static __aicore__ inline void note(int32_t value)
{
	rounds++;
	added[rounds % 3] += value;
}

/* Each block counts for itself in variables of the block, which are zero when it begins, while the others count in theirs */
extern "C" __global__ __aicore__ void counting(GM_ADDR y)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	__gm__ int32_t *out = reinterpret_cast<__gm__ int32_t *>(y);

	for (int32_t i = 0; i <= GetBlockIdx(); i++) {
		note(i);
		SyncAll();
	}
	for (int32_t i = GetBlockIdx() + 1; i < GetBlockNum(); i++)
		SyncAll();
	out[GetBlockIdx()] = 100 * rounds + added[0] + added[1] + added[2];
}
