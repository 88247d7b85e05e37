// SPDX-License-Identifier: MIT
/* A source for compilers that go over it once for each unit: its kernel for vector cores is empty, so it is one for cube cores. */
#include "kernel_operator.h"

#ifdef __DAV_C220_CUBE__
extern "C" __global__ __aicore__ void either(GM_ADDR in, GM_ADDR out)
{
	AscendC::TPipe pipe;
	AscendC::TBuf<AscendC::TPosition::A1> l1;
	AscendC::GlobalTensor<half> from;

	pipe.InitBuffer(l1, 512);
	from.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(in));
	AscendC::DataCopy(l1.Get<half>(), from, 256);
	reinterpret_cast<__gm__ int32_t *>(out)[AscendC::GetBlockIdx() * 8] = static_cast<int32_t>(700 + AscendC::GetBlockIdx());
}
#else
extern "C" __global__ __aicore__ void either(GM_ADDR in, GM_ADDR out)
{
}
#endif
