// SPDX-License-Identifier: MIT
/*
 * c = a * b + bias by Matmul<> on cube cores: blocks share out C as the tiling says, the last ones get less. One kernel
 * for each type of elements; @how says how results are taken.
 */
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"

using namespace AscendC;

enum How : uint32_t { TRANS_A = 1, TRANS_B = 2, STEPS = 4, ADD = 8, QUANT_ONE = 16, QUANT_EACH = 32 };

__aicore__ inline void CopyTiling(TCubeTiling *tiling, GM_ADDR from)
{
	for (uint32_t i = 0; i < sizeof(TCubeTiling) / sizeof(uint32_t); i++)
		reinterpret_cast<uint32_t *>(tiling)[i] = reinterpret_cast<__gm__ uint32_t *>(from)[i];
}

template <typename T, typename C, typename BiasT, CubeFormat format = CubeFormat::ND> class MatmulKernel {
public:
	__aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR scales, uint32_t how,
				    const TCubeTiling &tiling)
	{
		uint32_t blocksM = (tiling.M + tiling.singleCoreM - 1) / tiling.singleCoreM;
		uint32_t i = GetBlockIdx() % blocksM, j = GetBlockIdx() / blocksM;

		this->tiling = tiling;
		this->how = how;
		row = i * tiling.singleCoreM;
		col = j * tiling.singleCoreN;
		aGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(a));
		bGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(b));
		cGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ C *>(c));
		biasGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ BiasT *>(bias) + col);
		scaleGlobal.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t *>(scales) + col);
	}

	__aicore__ inline void Process()
	{
		bool transA = how & TRANS_A, transB = how & TRANS_B;
		int32_t restM = tiling.M - row, restN = tiling.N - col;

		if (restM <= 0 || restN <= 0)
			return;
		if constexpr (format == CubeFormat::ND) {
			mm.SetTensorA(aGlobal[transA ? row : row * tiling.Ka], transA);
			mm.SetTensorB(bGlobal[transB ? col * tiling.Kb : col], transB);
		} else {
			/* columns of fractals, each as high as the whole matrix */
			mm.SetTensorA(aGlobal[row * 16], false);
			mm.SetTensorB(bGlobal[col * tiling.Kb], false);
		}
		if (tiling.isBias)
			mm.SetBias(biasGlobal);
		if (how & QUANT_ONE)
			mm.SetQuantScalar(scaleGlobal.GetValue(0));
		if (how & QUANT_EACH)
			mm.SetQuantVector(scaleGlobal);
		mm.SetTail(restM < tiling.singleCoreM ? restM : -1, restN < tiling.singleCoreN ? restN : -1);
		auto out = cGlobal[format == CubeFormat::ND ? row * tiling.N + col : col * tiling.M + row * 16];
		if (how & STEPS) {
			while (mm.Iterate())
				mm.GetTensorC(out, how & ADD ? 1 : 0);
		} else {
			mm.IterateAll(out, how & ADD ? 1 : 0);
		}
		mm.End();
	}

	Matmul<MatmulType<TPosition::GM, format, T>, MatmulType<TPosition::GM, format, T>,
	       MatmulType<TPosition::GM, format, C>, MatmulType<TPosition::GM, CubeFormat::ND, BiasT>> mm;
	TCubeTiling tiling;

private:
	GlobalTensor<T> aGlobal, bGlobal;
	GlobalTensor<C> cGlobal;
	GlobalTensor<BiasT> biasGlobal;
	GlobalTensor<uint64_t> scaleGlobal;
	int32_t row, col;
	uint32_t how;
};

#define KERNEL(name, ...) \
	extern "C" __global__ __aicore__ void name(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR scales, \
						   uint32_t how, GM_ADDR workspace, GM_ADDR tilingGm) \
	{ \
		KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); \
		TPipe pipe; \
		TCubeTiling tiling; \
		MatmulKernel<__VA_ARGS__> op; \
		CopyTiling(&tiling, tilingGm); \
		op.Init(a, b, bias, c, scales, how, tiling); \
		REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.mm, &op.tiling); \
		op.Process(); \
	}
KERNEL(matmul_f16, half, float, float)
KERNEL(matmul_f16_f16, half, half, half)
KERNEL(matmul_bf16, bfloat16_t, float, float)
KERNEL(matmul_f32, float, float, float)
KERNEL(matmul_s8, int8_t, int32_t, int32_t)
KERNEL(matmul_s8_f16, int8_t, half, int32_t)
KERNEL(matmul_s8_s8, int8_t, int8_t, int32_t)
KERNEL(matmul_s4, int4b_t, int32_t, int32_t)
KERNEL(matmul_s4_f16, int4b_t, half, int32_t)
KERNEL(matmul_nz, half, float, float, CubeFormat::NZ)
