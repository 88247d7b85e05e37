// SPDX-License-Identifier: MIT
/*
 * Routing of a mixture of experts: for each token the k experts with the greatest scores, their weights (softmax over these k), and how many
 * tokens each expert gets. Up to 32 experts; blocks take tokens in turn and add their counts atomically.
 */
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t EXPERTS = 32;

extern "C" __global__ __aicore__ void moe_routing(GM_ADDR scores, GM_ADDR weights, GM_ADDR chosen, GM_ADDR counts, uint32_t tokens,
						  uint32_t experts, uint32_t k)
{
	KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
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
	pipe.InitBuffer(in, 2, EXPERTS * sizeof(float));
	pipe.InitBuffer(outWeights, 1, EXPERTS * sizeof(float));
	pipe.InitBuffer(outChosen, 1, EXPERTS * sizeof(uint32_t));
	pipe.InitBuffer(numberBuf, EXPERTS * sizeof(uint32_t));
	pipe.InitBuffer(recordBuf, EXPERTS * 8);
	pipe.InitBuffer(valueBuf, EXPERTS * sizeof(float));
	pipe.InitBuffer(countBuf, EXPERTS * sizeof(int32_t));
	pipe.InitBuffer(workBuf, 1024);
	LocalTensor<int32_t> numbers = numberBuf.Get<int32_t>(), count = countBuf.Get<int32_t>();
	LocalTensor<float> records = recordBuf.Get<float>(), values = valueBuf.Get<float>();

	CreateVecIndex(numbers, int32_t(0), EXPERTS);
	Duplicate(count, int32_t(0), EXPERTS);
	for (uint32_t token = GetBlockIdx(); token < tokens; token += GetBlockNum()) {
		LocalTensor<float> row = in.AllocTensor<float>();
		Duplicate(row, -3e38f, EXPERTS);
		SetFlag<HardEvent::V_MTE2>(EVENT_ID6);
		WaitFlag<HardEvent::V_MTE2>(EVENT_ID6);
		DataCopyPad(row, scoresGm[token * experts], DataCopyExtParams(1, experts * sizeof(float), 0, 0, 0),
			    DataCopyPadExtParams<float>(true, 0, (8 - experts % 8) % 8, -3e38f));
		in.EnQue(row);
		row = in.DeQue<float>();

		LocalTensor<float> weight = outWeights.AllocTensor<float>();
		LocalTensor<uint32_t> choice = outChosen.AllocTensor<uint32_t>();
		Sort32(records, row, numbers.ReinterpretCast<uint32_t>(), 1);
		Extract(values, choice, records, 1);
		SoftMax<float>(weight, values, workBuf.Get<uint8_t>(), tiling, SoftMaxShapeInfo{1, EXPERTS, 1, k});
		in.FreeTensor(row);
		SetFlag<HardEvent::V_S>(EVENT_ID6);
		WaitFlag<HardEvent::V_S>(EVENT_ID6);
		for (uint32_t i = 0; i < k; i++)
			count.SetValue(choice.GetValue(i), count.GetValue(choice.GetValue(i)) + 1);
		outWeights.EnQue(weight);
		outChosen.EnQue(choice);
		weight = outWeights.DeQue<float>();
		choice = outChosen.DeQue<uint32_t>();
		DataCopyPad(weightsGm[token * k], weight, DataCopyExtParams(1, k * sizeof(float), 0, 0, 0));
		DataCopyPad(chosenGm[token * k], choice, DataCopyExtParams(1, k * sizeof(uint32_t), 0, 0, 0));
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
