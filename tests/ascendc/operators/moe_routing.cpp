// SPDX-License-Identifier: MIT
/*
 * Routing of a mixture of experts: for each token the k experts with the greatest scores, their weights (softmax over these k), and how many
 * tokens each expert gets. Up to 32 experts; blocks take tiles of tokens in turn, with a row of 32 scores for each, and
 * add their counts atomically.
 */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t EXPERTS = 32; // of a row in UB
constexpr uint32_t TOKENS = 64;	 // of a tile

/* Blocks of 32 bytes between the end of a row's @used floats in UB and the next row */
__aicore__ inline uint32_t RestOfRow(uint32_t used)
{
	return (EXPERTS * sizeof(float) - used * sizeof(float)) / 32;
}

extern "C" __global__ __aicore__ void moe_routing(GM_ADDR scores, GM_ADDR weights, GM_ADDR chosen, GM_ADDR counts, uint32_t tokens,
						  uint32_t experts, uint32_t k)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
	constexpr uint32_t TILE = TOKENS * EXPERTS;
	TPipe pipe;
	TQue<TPosition::VECIN, 1> in;
	TQue<TPosition::VECOUT, 1> outWeights, outChosen;
	TBuf<TPosition::VECCALC> numberBuf, recordBuf, valueBuf, countBuf, workBuf;
	GlobalTensor<float> scoresGm, weightsGm;
	GlobalTensor<uint32_t> chosenGm;
	GlobalTensor<int32_t> countsGm;
	SoftMaxTiling tiling = {};

	scoresGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(scores));
	weightsGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(weights));
	chosenGm.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t *>(chosen));
	countsGm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(counts));
	pipe.InitBuffer(in, 2, TILE * sizeof(float));
	pipe.InitBuffer(outWeights, 1, TILE * sizeof(float));
	pipe.InitBuffer(outChosen, 1, TILE * sizeof(uint32_t));
	pipe.InitBuffer(numberBuf, TILE * sizeof(uint32_t));
	pipe.InitBuffer(recordBuf, TILE * 8);
	pipe.InitBuffer(valueBuf, TILE * sizeof(float));
	pipe.InitBuffer(countBuf, EXPERTS * sizeof(int32_t));
	pipe.InitBuffer(workBuf, 16 * 1024);
	LocalTensor<int32_t> numbers = numberBuf.Get<int32_t>(), count = countBuf.Get<int32_t>();
	LocalTensor<float> records = recordBuf.Get<float>(), values = valueBuf.Get<float>();

	/* each row has the numbers of the experts */
	CreateVecIndex(numbers, int32_t(0), EXPERTS);
	PipeBarrier<PIPE_V>();
	Copy(numbers[EXPERTS], numbers, EXPERTS, TOKENS - 1, {1, 1, EXPERTS / 8, 0});
	Duplicate(count, int32_t(0), EXPERTS);
	for (uint32_t first = GetBlockIdx() * TOKENS; first < tokens; first += GetBlockNum() * TOKENS) {
		uint32_t rows = tokens - first < TOKENS ? tokens - first : TOKENS;
		uint16_t lines = static_cast<uint16_t>(rows);

		LocalTensor<float> tile = in.AllocTensor<float>();
		Duplicate(tile, -3e38f, TILE);
		SetFlag<HardEvent::V_MTE2>(EVENT_ID6);
		WaitFlag<HardEvent::V_MTE2>(EVENT_ID6);
		DataCopyPad(tile, scoresGm[first * experts], DataCopyExtParams(lines, experts * sizeof(float), 0, RestOfRow(experts), 0),
			    DataCopyPadExtParams<float>(true, 0, (8 - experts % 8) % 8, -3e38f));
		in.EnQue(tile);
		tile = in.DeQue<float>();

		LocalTensor<float> weight = outWeights.AllocTensor<float>();
		LocalTensor<uint32_t> choice = outChosen.AllocTensor<uint32_t>();
		Sort32(records, tile, numbers.ReinterpretCast<uint32_t>(), rows);
		PipeBarrier<PIPE_V>();
		Extract(values, choice, records, rows);
		PipeBarrier<PIPE_V>();
		SoftMax<float>(weight, values, workBuf.Get<uint8_t>(), tiling, SoftMaxShapeInfo{rows, EXPERTS, rows, k});
		in.FreeTensor(tile);
		SetFlag<HardEvent::V_S>(EVENT_ID6);
		WaitFlag<HardEvent::V_S>(EVENT_ID6);
		for (uint32_t row = 0; row < rows; row++) {
			for (uint32_t i = 0; i < k; i++) {
				uint32_t expert = choice.GetValue(row * EXPERTS + i);
				count.SetValue(expert, count.GetValue(expert) + 1);
			}
		}
		outWeights.EnQue(weight);
		outChosen.EnQue(choice);
		weight = outWeights.DeQue<float>();
		choice = outChosen.DeQue<uint32_t>();
		DataCopyPad(weightsGm[first * k], weight, DataCopyExtParams(lines, k * sizeof(float), RestOfRow(k), 0, 0));
		DataCopyPad(chosenGm[first * k], choice, DataCopyExtParams(lines, k * sizeof(uint32_t), RestOfRow(k), 0, 0));
		outWeights.FreeTensor(weight);
		outChosen.FreeTensor(choice);
	}
	SetFlag<HardEvent::S_MTE3>(EVENT_ID6);
	WaitFlag<HardEvent::S_MTE3>(EVENT_ID6);
	SetFlag<HardEvent::V_MTE3>(EVENT_ID6);
	WaitFlag<HardEvent::V_MTE3>(EVENT_ID6);
	SetAtomicAdd<int32_t>();
	DataCopyPad(countsGm, count, DataCopyExtParams(1, experts * sizeof(int32_t), 0, 0, 0));
	SetAtomicNone();
}
