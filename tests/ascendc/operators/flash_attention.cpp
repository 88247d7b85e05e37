// SPDX-License-Identifier: MIT
/*
 * Flash attention forward: y = softmax(q * k^T * scale) * v for each head, without the matrix of all scores. A MIX kernel:
 * Matmul<> for both products, SoftmaxFlashV2 for the softmax in parts; each vector core takes heads and rows of q in turn.
 */
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

constexpr uint32_t ROWS = 32, COLS = 64, MAX_D = 64;

struct AttentionTiling {
	uint32_t heads, s1, s2, d;
	float scale;
	TCubeTiling scores, values;
};

template <typename T> class FlashAttention {
public:
	__aicore__ inline void Init(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR y, GM_ADDR workspace, const AttentionTiling *t,
				    TPipe *pipe)
	{
		tiling = t;
		qGm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(q));
		kGm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(k));
		vGm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(v));
		yGm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y));
		/* the probabilities of one step, from where the second product takes them */
		pGm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(workspace) + GetBlockIdx() * ROWS * COLS);
		pipe->InitBuffer(scoreBuf, ROWS * COLS * sizeof(float));
		pipe->InitBuffer(halfBuf, ROWS * COLS * sizeof(T));
		pipe->InitBuffer(sumBuf, ROWS * 32);
		pipe->InitBuffer(maxBuf, ROWS * 32);
		pipe->InitBuffer(factorBuf, ROWS * 32);
		pipe->InitBuffer(partBuf, ROWS * MAX_D * sizeof(float));
		pipe->InitBuffer(outBuf, ROWS * MAX_D * sizeof(float));
	}

	__aicore__ inline void Process()
	{
		uint32_t steps = (tiling->s1 + ROWS - 1) / ROWS, all = tiling->heads * steps;

		for (uint32_t i = GetBlockIdx(); i < all; i += GetBlockNum() * GetTaskRation())
			Rows(i / steps, i % steps * ROWS);
	}

	Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T>, MatmulType<TPosition::GM, CubeFormat::ND, T, true>,
	       MatmulType<TPosition::VECCALC, CubeFormat::ND, float>> scoresMm;
	Matmul<MatmulType<TPosition::GM, CubeFormat::ND, T>, MatmulType<TPosition::GM, CubeFormat::ND, T>,
	       MatmulType<TPosition::VECCALC, CubeFormat::ND, float>> valuesMm;

private:
	__aicore__ inline void Rows(uint32_t head, uint32_t row)
	{
		uint32_t d = tiling->d, rows = tiling->s1 - row < ROWS ? tiling->s1 - row : ROWS;
		LocalTensor<float> out = outBuf.Get<float>(), part = partBuf.Get<float>();

		for (uint32_t col = 0; col < tiling->s2; col += COLS) {
			uint32_t cols = tiling->s2 - col < COLS ? tiling->s2 - col : COLS;

			Probabilities(head, row, col, rows, cols);
			valuesMm.SetOrgShape(rows, d, COLS, tiling->s2);
			valuesMm.SetTail(rows, d, cols);
			valuesMm.SetTensorA(pGm);
			valuesMm.SetTensorB(vGm[(head * tiling->s2 + col) * d]);
			valuesMm.IterateAll(col ? part : out);
			if (col)
				AddPart(rows, d);
		}
		PipeBarrier<PIPE_ALL>();
		for (uint32_t i = 0; i < rows; i++)
			Muls(out[i * d], out[i * d], 1.0f / sumBuf.Get<float>().GetValue(i * 8), d);
		PipeBarrier<PIPE_V>();
		LocalTensor<T> result = part.ReinterpretCast<T>();
		Cast(result, out, RoundMode::CAST_RINT, rows * d);
		SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
		WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
		DataCopyPad(yGm[(head * tiling->s1 + row) * d], result, DataCopyExtParams(1, rows * d * sizeof(T), 0, 0, 0));
		PipeBarrier<PIPE_ALL>();
	}

	/* Of one step, to global memory */
	__aicore__ inline void Probabilities(uint32_t head, uint32_t row, uint32_t col, uint32_t rows, uint32_t cols)
	{
		uint32_t pitch = COLS, d = tiling->d;	/* of the tiling, for fewer columns too */
		LocalTensor<float> scores = scoreBuf.Get<float>(), sum = sumBuf.Get<float>(), max = maxBuf.Get<float>();
		LocalTensor<float> factor = factorBuf.Get<float>();
		LocalTensor<T> narrow = halfBuf.Get<T>();
		SoftMaxShapeInfo shape = {rows, pitch, rows, cols};
		SoftMaxTiling softmax = SoftMaxFlashV2TilingFunc(shape, sizeof(float), sizeof(float), 0, col != 0, false);

		scoresMm.SetOrgShape(tiling->s1, tiling->s2, d);
		scoresMm.SetTail(rows, cols, d);
		scoresMm.SetTensorA(qGm[(head * tiling->s1 + row) * d]);
		scoresMm.SetTensorB(kGm[(head * tiling->s2 + col) * d], true);
		scoresMm.IterateAll(scores);
		for (uint32_t i = 0; i < rows; i++)
			Muls(scores[i * pitch], scores[i * pitch], tiling->scale, cols);
		PipeBarrier<PIPE_V>();
		if (col)
			SoftmaxFlashV2<float, true, true>(scores, sum, max, scores, factor, sum, max, softmax, shape);
		else
			SoftmaxFlashV2<float, false, true>(scores, sum, max, scores, factor, sum, max, softmax, shape);
		/* rows of the probabilities lie COLS apart in global memory; in UB each begins at a block of 32 bytes */
		for (uint32_t i = 0; i < rows; i++)
			Cast(narrow[i * COLS], scores[i * pitch], RoundMode::CAST_RINT, cols);
		SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
		WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
		for (uint32_t i = 0; i < rows; i++)
			DataCopyPad(pGm[i * COLS], narrow[i * COLS], DataCopyExtParams(1, cols * sizeof(T), 0, 0, 0));
		PipeBarrier<PIPE_ALL>();
	}

	/* out = out * factor + part */
	__aicore__ inline void AddPart(uint32_t rows, uint32_t d)
	{
		LocalTensor<float> out = outBuf.Get<float>(), factor = factorBuf.Get<float>();

		PipeBarrier<PIPE_ALL>();
		for (uint32_t i = 0; i < rows; i++)
			Muls(out[i * d], out[i * d], factor.GetValue(i * 8), d);
		PipeBarrier<PIPE_V>();
		Add(out, out, partBuf.Get<float>(), rows * d);
	}

	const AttentionTiling *tiling;
	GlobalTensor<T> qGm, kGm, vGm, yGm, pGm;
	TBuf<TPosition::VECCALC> scoreBuf, halfBuf, sumBuf, maxBuf, factorBuf, partBuf, outBuf;
};

#define KERNEL(name, T) \
	extern "C" __global__ __aicore__ void name(GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR y, GM_ADDR workspace, \
						   GM_ADDR tilingGm) \
	{ \
		TPipe pipe; \
		FlashAttention<T> op; \
		GET_TILING_DATA_WITH_STRUCT(AttentionTiling, tiling, tilingGm); \
		REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.scoresMm, &tiling.scores, op.valuesMm, &tiling.values); \
		op.Init(q, k, v, y, workspace, &tiling, &pipe); \
		op.Process(); \
	}
KERNEL(flash_attention_f16, half)
KERNEL(flash_attention_bf16, bfloat16_t)
